#!/usr/bin/perl
# Sockets that a service manager passes by the protocol of sd_listen_fds(3): the shim serves them, and refuses others.

use strict;
use warnings;

use IO::Socket::INET;
use IO::Socket::UNIX;
use POSIX qw(dup2 :sys_wait_h);
use Test::More;
use Time::HiRes qw(sleep time);
use Catalogue::Clock qw(wait_until);
use Catalogue::Program qw(end_process);
use Catalogue::Test;

my $service = Catalogue::Test->start;
is($service->stop_shim, 0, 'the shim before ends with status 0');

sub tcp_socket { return IO::Socket::INET->new(Listen => 64, LocalAddr => '127.0.0.1', @_) // die "socket: $!" }

# Start the shim as a service manager does, with sockets from descriptor 3 on; the port of the setting is in use.
my $taken = tcp_socket();
my $port  = $taken->sockport;
sub start_with
{
	my ($sockets, %variables) = @_;
	my $pid = fork // die "fork: $!";
	return $pid if $pid > 0;
	# descriptors above those that are to be passed, so that none is overwritten before it is copied
	my @copies = map { POSIX::dup2(fileno $sockets->[$_], 50 + $_) } 0 .. $#$sockets;
	dup2($copies[$_], 3 + $_) for 0 .. $#copies;
	POSIX::close($_) for @copies;
	local %ENV = (%ENV, %{ $service->{settings} }, CATALOGUE_PORT => $port, CATALOGUE_THREADS => 2,
		LISTEN_PID => $$, LISTEN_FDS => scalar @$sockets, %variables);
	delete @ENV{ grep { /^PG/ || !defined $ENV{$_} } keys %ENV };
	my @become = $> == 0 ? qw(setpriv --reuid=postgres --regid=postgres --clear-groups) : ();
	open STDIN,  '<', '/dev/null';
	open STDOUT, '>', "$service->{directory}/output";
	open STDERR, '>&', \*STDOUT;
	exec @become, $ENV{CATALOGUE_SHIM} or POSIX::_exit(127);
}

# Wait until a shim says that it listens; then requests go to the port.
sub serves_at
{
	my ($pid, $port) = @_;
	@$service{qw(port base)} = ($port, "http://127.0.0.1:$port");
	delete $service->{socket};
	wait_until('the shim listens',
		sub { $service->output =~ /listening on 127\.0\.0\.1 port \Q$port\E\n/ || waitpid($pid, WNOHANG) == $pid });
	return $service->get('/health')->{status};
}

# The exit status and the message of a shim that must not start.
sub refusal
{
	my $pid = start_with(@_);
	waitpid $pid, 0;
	return ($? >> 8, $service->output);
}

# the socket is served in place of the address and the port of the settings
my $socket = tcp_socket();
my $pid = start_with([$socket]);
is(serves_at($pid, $socket->sockport), 200, 'a socket that is passed is served');
# all threads accept from it: none of many clients that are connected at once is left waiting
my @clients = map { IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $socket->sockport, Timeout => 5)
	// die "connect: $!" } 1 .. 40;
print {$_} "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n" for @clients;
is(scalar(grep { (readline($_) // '') =~ m{\AHTTP/1\.1 200 } } @clients), 40, '40 clients at once are answered');

# clients that connect between two runs wait for the next one
is(end_process($pid, 'TERM', 20), 0, 'the shim ends with status 0');
my $early = IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $socket->sockport, Timeout => 5);
ok($early, 'a client can connect while no shim runs');
print {$early} "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
$pid = start_with([$socket]);
like(scalar readline($early), qr{\AHTTP/1\.1 200 }, 'the next shim answers it');
end_process($pid, 'TERM', 20);

# a socket for each thread
my $second = tcp_socket();
$pid = start_with([ $socket, $second ]);
is(serves_at($pid, $socket->sockport), 200, 'the first of two sockets is served');
@$service{qw(port base)} = ($second->sockport, 'http://127.0.0.1:' . $second->sockport);
delete $service->{socket};
is($service->get('/health')->{status}, 200, 'the second as well');
end_process($pid, 'TERM', 20);

# what was passed to another process is not taken
my ($status, $text) = refusal([$socket], LISTEN_PID => 1);
isnt($status, 0, 'a port in use is refused');
like($text, qr/could not listen on 127\.0\.0\.1 port/, 'because the socket of another process is not taken');

# what cannot be served is refused, with the reason, before the shim is ready
my $unix = IO::Socket::UNIX->new(Listen => 1, Local => "$service->{directory}/socket") // die "socket: $!";
my $idle = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Proto => 'udp') // die "socket: $!";
my $bound = $service->{directory} . '/file';
open my $file, '>', $bound or die "open: $!";
for my $case ([ 'a Unix socket', [$unix] ], [ 'a UDP socket', [$idle] ], [ 'a file', [$file] ],
	[ 'one good, one bad', [ $socket, $file ] ])
{
	my ($name, $sockets) = @$case;
	($status, $text) = refusal($sockets);
	isnt($status, 0, "$name is refused");
	like($text, qr/file descriptor [34], passed by the service manager, is no listening TCP socket/,
		"$name: the reason is told");
}
($status, $text) = refusal([ $socket, tcp_socket(), tcp_socket() ]);
isnt($status, 0, 'more sockets than threads are refused');
like($text, qr/has passed 3 sockets, and there are 2 threads/, 'with both numbers');
($status, $text) = refusal([$socket], LISTEN_FDS => 5);
isnt($status, 0, 'a wrong number is refused');
for my $number ('x', '', '1x')
{
	($status, $text) = refusal([$socket], LISTEN_FDS => $number);
	like($text, qr/could not listen/, "\"$number\" is no number of sockets: none is taken");
}

$service->start_shim;
$service->finish;
