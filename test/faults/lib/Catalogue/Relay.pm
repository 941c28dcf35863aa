package Catalogue::Relay;

# A relay between programs, as a network that fails: its connections can be frozen, and each can be reset after so many
# bytes of the server.

use strict;
use warnings;

use Catalogue::Program qw(slurp);
use IO::Select;
use IO::Socket::INET;
use IO::Socket::UNIX;
use POSIX ();
use Socket qw(SOL_SOCKET SO_LINGER);

# Start a relay to servers, each a socket's path or an address with a port: {pid, ports}, and {port}, the first one.
# The file "$directory/relay-reset" has the number of bytes from the server after which each connection is reset;
# without it none is.
sub start
{
	my ($class, $directory, @targets) = @_;
	my @listeners = map { IO::Socket::INET->new(Listen => 64, LocalAddr => '127.0.0.1') // die "listen: $!" } @targets;
	my @ports = map { $_->sockport } @listeners;
	my $self = bless { port => $ports[0], ports => \@ports, reset => "$directory/relay-reset" }, $class;

	$self->{pid} = fork // die "fork: $!";
	setpgrp $self->{pid}, $self->{pid};
	if ($self->{pid} == 0)
	{
		@{ $self->{target} }{@listeners} = @targets;
		eval { $self->run(@listeners) };
		POSIX::_exit(0);
	}
	return $self;
}

# A connection to a server; none where it refuses.
sub reach
{
	my ($target) = @_;
	return $target =~ m{^/} ? IO::Socket::UNIX->new(Peer => $target) : IO::Socket::INET->new(PeerAddr => $target);
}

# Each connection has a process of its own, so that none waits for another one.
sub run
{
	my ($self, @listeners) = @_;
	my $select = IO::Select->new(@listeners);
	local @SIG{qw(PIPE CHLD)} = ('IGNORE') x 2;

	while (my @ready = $select->can_read)
	{
		for my $listener (@ready)
		{
			my $client = $listener->accept // next;
			next if fork // die "fork: $!";
			close $_ for @listeners;
			my $server = reach($self->{target}{$listener});
			$self->pass($client, $server) if $server;
			POSIX::_exit(0);
		}
	}
	return;
}

# Pass the bytes of a connection on until it ends.
sub pass
{
	my ($self, $client, $server) = @_;
	my %to     = ($client => $server, $server => $client);
	my $select = IO::Select->new($client, $server);
	my $left   = slurp($self->{reset});

	while (my @ready = $select->can_read)
	{
		for my $from (@ready)
		{
			my $is_limited = length $left && $from == $server;
			my $count = sysread $from, my $bytes, $is_limited && $left < 65536 ? $left || 1 : 65536;
			return unless $count;
			syswrite $to{$from}, $bytes;
			next if !$is_limited || ($left -= $count) > 0;
			# a reset, not an end of the stream, where the number of bytes is reached
			setsockopt $_, SOL_SOCKET, SO_LINGER, pack 'ii', 1, 0 for $client, $server;
			return;
		}
	}
	return;
}

sub freeze { my ($self) = @_; kill '-STOP', $self->{pid}; return }
sub thaw   { my ($self) = @_; kill '-CONT', $self->{pid}; return }

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
	kill '-KILL', $self->{pid};
	return waitpid $self->{pid}, 0;
}

1;
