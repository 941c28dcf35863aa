package Bench::Attack;

# Clients that take as much of a server as they can, in a separate process: many connections
# from one address, each with a request in flight all the time.

use strict;
use warnings;

use IO::Select ();
use POSIX      ();
use Socket qw(IPPROTO_TCP PF_INET SOCK_STREAM SOL_SOCKET SO_RCVBUF TCP_NODELAY inet_aton pack_sockaddr_in);
use Time::HiRes qw(sleep time);

my $TURN = 0.1;    # seconds between two reads of a slow connection

# Begin an attack.  connections: how many; address: where they come from; request: a function that returns
# the next request to send; rate: bytes a second that each connection reads, unlimited when not given.
# It goes on until stop().
sub start
{
	my ($class, $base, %attack) = @_;
	my $pid = fork // die "fork: $!\n";

	if ($pid == 0)
	{
		$SIG{TERM} = 'DEFAULT';
		eval { run(port => $base =~ /:(\d+)$/, %attack); 1 } or print STDERR "bench: attack: $@";
		POSIX::_exit(1);
	}
	return bless { pid => $pid, ours => $$ }, $class;
}

# End the attack; dies when it had ended before.
sub stop
{
	my ($self) = @_;
	my $pid = delete $self->{pid} // return;

	kill 'TERM', $pid;
	waitpid $pid, 0;
	die "the attack ended before it was stopped\n" unless ($? & 127) == POSIX::SIGTERM();
	return;
}

sub DESTROY
{
	my ($self) = @_;
	local ($?, $@);
	kill 'TERM', $self->{pid} if $self->{pid} && $self->{ours} == $$;
	return;
}

sub connection
{
	my ($attack) = @_;

	socket my $socket, PF_INET, SOCK_STREAM, 0 or die "socket: $!\n";
	setsockopt $socket, SOL_SOCKET, SO_RCVBUF, 4096 if $attack->{rate};
	setsockopt $socket, IPPROTO_TCP, TCP_NODELAY, 1;
	bind $socket, pack_sockaddr_in(0, inet_aton($attack->{address})) or die "bind: $!\n";
	connect $socket, pack_sockaddr_in($attack->{port}, inet_aton('127.0.0.1')) or die "connect: $!\n";
	return { socket => $socket };
}

sub send_next
{
	my ($attack, $connection) = @_;

	syswrite $connection->{socket}, $attack->{request}->();
	@$connection{qw(text left)} = ('', undef);
	return;
}

# Read what has arrived; false when the connection has ended, or a slow connection's answer has.
sub take
{
	my ($attack, $connection) = @_;
	my $most = $attack->{rate} ? $attack->{rate} * $TURN : 1 << 18;
	my $got = sysread $connection->{socket}, my $bytes, $most or return 0;

	if (!defined $connection->{left})
	{
		$connection->{text} .= $bytes;
		my $end = index $connection->{text}, "\r\n\r\n";
		return 1 if $end < 0;
		$connection->{left} = $connection->{text} =~ /^Content-Length: (\d+)/mi ? $1 : 1 << 40;
		$got = length($connection->{text}) - $end - 4;
	}
	$connection->{left} -= $got;
	return $connection->{left} > 0;
}

sub run
{
	my (%attack) = @_;
	my ($select, %connections) = (IO::Select->new);

	local $SIG{PIPE} = 'IGNORE';
	while (1)
	{
		while (keys %connections < $attack{connections})
		{
			my $connection = connection(\%attack);
			send_next(\%attack, $connection);
			$connections{ fileno $connection->{socket} } = $connection;
			$select->add($connection->{socket});
		}
		for my $socket ($select->can_read($TURN))
		{
			my $connection = $connections{ fileno $socket };
			next if take(\%attack, $connection);
			if (($connection->{left} // 1) <= 0)
			{
				send_next(\%attack, $connection);
				next;
			}
			$select->remove($socket);
			delete $connections{ fileno $socket };
		}
		sleep $TURN if $attack{rate};
	}
	return;
}

1;
