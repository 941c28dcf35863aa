package Catalogue::Remote;

# A server of somebody else on a loopback address: a process that answers each connection by a function of the test, in
# a process of its own, and writes down what it was asked.

use strict;
use warnings;

use Fcntl qw(:flock);
use File::Temp ();
use IO::Socket::INET;
use Cpanel::JSON::XS ();
use POSIX ();

my %running;

# Start a server: address, and answer => sub { my ($socket, $request) = @_; ... }, which prints the whole answer.
# A request is {method, target, path, query, headers => {name in lower case => value}, body}.
sub start
{
	my ($class, %self) = @_;
	my $self = bless { address => '127.0.0.1', log => File::Temp->new, %self }, $class;
	my $listener = IO::Socket::INET->new(Listen => 64, LocalAddr => $self->{address}) or die "no listener: $!";

	$self->{port} = $listener->sockport;
	$self->{pid} = fork // die "fork: $!";
	if ($self->{pid} == 0)
	{
		$SIG{CHLD} = 'IGNORE';
		$SIG{TERM} = 'DEFAULT';
		while (1)
		{
			my $socket = $listener->accept or next;
			my $pid = fork // die "fork: $!";

			if ($pid == 0)
			{
				close $listener;
				eval { $self->serve($socket); 1 } or print STDERR "# $@";
				POSIX::_exit(0);
			}
			close $socket;
		}
	}
	$running{ $self->{pid} } = $$;
	return $self;
}

# One connection; it ends when its client does, or after a minute.
sub serve
{
	my ($self, $socket) = @_;
	my $request = { headers => {}, body => '' };
	my $length;

	alarm 60;
	$SIG{PIPE} = sub { POSIX::_exit(0) };
	local $/ = "\n";
	my $line = <$socket> // '';
	@$request{qw(method target)} = $line =~ /^(\S+) (\S+)/;
	while (defined($line = <$socket>) && $line =~ /^([^:]+):\s*(.*?)\r?\n/)
	{
		$request->{headers}{ lc $1 } = $2;
	}
	$length = $request->{headers}{'content-length'} // 0;
	read $socket, $request->{body}, $length if $length > 0;
	@$request{qw(path query)} = split /\?/, $request->{target} // '', 2;
	$self->note($request);
	$socket->autoflush(1);
	$self->{answer}->($socket, $request);
	close $socket;
	return;
}

sub note
{
	my ($self, $request) = @_;
	open my $out, '>>', $self->{log}->filename or die "log: $!";
	flock $out, LOCK_EX;
	print $out Cpanel::JSON::XS->new->allow_nonref->canonical->encode($request), "\n";
	close $out;
	return;
}

# The requests that came, in order; of a connection without one as well.
sub requests
{
	my ($self) = @_;
	open my $in, '<', $self->{log}->filename or die "log: $!";
	flock $in, LOCK_SH;    # a long line is written in parts
	return map { Cpanel::JSON::XS::decode_json($_) } <$in>;
}

sub url { my ($self, $path) = @_; return "http://$self->{address}:$self->{port}$path" }

# An answer with a body; the arguments are its status, header fields and body.
sub reply
{
	my ($socket, $status, $headers, $body) = @_;
	my %headers = ('Content-Length' => length $body, Connection => 'close', %$headers);

	print $socket "HTTP/1.1 $status Some\r\n", (map { "$_: $headers{$_}\r\n" } sort keys %headers), "\r\n", $body;
	return;
}

sub stop
{
	my ($self) = @_;
	my $pid = delete $self->{pid} // return;

	delete $running{$pid};
	kill 'TERM', $pid;
	waitpid $pid, 0;
	return;
}

END
{
	my $status = $?;
	for my $pid (grep { $running{$_} == $$ } keys %running)
	{
		kill 'TERM', $pid;
		waitpid $pid, 0;
	}
	$? = $status;
}

1;
