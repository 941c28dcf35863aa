package Catalogue::Relay;

# A relay between the shim and PostgreSQL, as a network that fails: its connections can be frozen, and each can be reset
# after so many messages of the server.

use strict;
use warnings;

use Catalogue::Program qw(slurp);
use IO::Select;
use IO::Socket::INET;
use IO::Socket::UNIX;
use POSIX ();
use Socket qw(SOL_SOCKET SO_LINGER);

# Start a relay to the server of a service: {pid, port}.  The file "$directory/relay-reset" has the number of bytes from
# the server after which each connection is reset; without it none is.
sub start
{
	my ($class, $directory, $target) = @_;
	my $listener = IO::Socket::INET->new(Listen => 64, LocalAddr => '127.0.0.1') // die "listen: $!";
	my $self = bless { port => $listener->sockport, reset => "$directory/relay-reset", target => $target }, $class;

	$self->{pid} = fork // die "fork: $!";
	if ($self->{pid} == 0)
	{
		eval { $self->run($listener) };
		POSIX::_exit(0);
	}
	return $self;
}

sub run
{
	my ($self, $listener) = @_;
	my $select = IO::Select->new($listener);
	my %pair;
	local $SIG{PIPE} = 'IGNORE';

	while (my @ready = $select->can_read)
	{
		for my $socket (@ready)
		{
			if ($socket == $listener)
			{
				my $client = $listener->accept // next;
				my $server = IO::Socket::UNIX->new(Peer => $self->{target}) // do { close $client; next };
				my $left = slurp($self->{reset});
				@pair{ $client, $server } = ({ to => $server }, { to => $client, left => length $left ? $left : undef });
				$select->add($client, $server);
				next;
			}
			my $end = $pair{$socket} // next;
			my $count = sysread $socket, my $bytes, defined $end->{left} && $end->{left} < 65536 ? $end->{left} || 1 : 65536;
			syswrite $end->{to}, $bytes if $count;
			$end->{left} -= $count if defined $end->{left} && $count;
			next if $count && ($end->{left} // 1) > 0;
			# a reset, not an end of the stream, where the number of bytes is reached
			my @both = ($socket, $end->{to});
			setsockopt $_, SOL_SOCKET, SO_LINGER, pack 'ii', 1, 0 for $count ? @both : ();
			delete @pair{@both};
			$select->remove(@both);
			close $_ for @both;
		}
	}
	return;
}

sub freeze { my ($self) = @_; kill 'STOP', $self->{pid}; return }
sub thaw   { my ($self) = @_; kill 'CONT', $self->{pid}; return }

# Reset each new connection after so many bytes of the server; undef: none.
sub reset_after
{
	my ($self, $bytes) = @_;
	return unlink $self->{reset} unless defined $bytes;
	open my $out, '>', $self->{reset} or die "$self->{reset}: $!";
	print $out $bytes;
	return close $out;
}

sub stop
{
	my ($self) = @_;
	kill 'KILL', $self->{pid};
	return waitpid $self->{pid}, 0;
}

1;
