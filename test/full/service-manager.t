#!/usr/bin/perl
# What shim and worker tell a service manager by the protocol of sd_notify(3): that they are ready, alive, reload, and
# stop.

use strict;
use warnings;

use IO::Select;
use IO::Socket::UNIX;
use Socket qw(SOCK_DGRAM);
use Test::More;
use Catalogue::Test;
use Catalogue::Worker;
use POSIX qw(uname);
use Time::HiRes qw(sleep time);

my $service = Catalogue::Test->start;

# A socket that receives the messages, at a path or an abstract address.
sub receiver
{
	my ($address) = @_;
	my $socket = IO::Socket::UNIX->new(Type => SOCK_DGRAM, Local => $address) or die "socket: $!";
	chmod 0777, $address if $address =~ m{^/};
	return $socket;
}

# The next message; undef when none arrives in so many seconds.
sub message
{
	my ($socket, $seconds) = @_;
	return if !IO::Select->new($socket)->can_read($seconds);
	recv $socket, my $text, 1000, 0;
	return $text;
}

# Start the shim with the variable, after the one before has ended.
sub restart
{
	my ($notify) = @_;
	is($service->stop_shim, 0, 'the shim before ends with status 0');
	$service->{settings}{NOTIFY_SOCKET} = $notify;
	return $service->start_shim;
}

my $path = "$service->{directory}/notify";
for my $case ([ 'a path', $path, $path ], [ 'an abstract address', "\0$service->{name}", "\@$service->{name}" ])
{
	my ($name, $address, $notify) = @$case;
	my $socket = receiver($address);
	restart($notify);
	is(message($socket, 20), 'READY=1', "$name: the shim is ready");
	is(message($socket, 0.3), undef, "$name: nothing more while it serves");
	is($service->stop_shim, 0, "$name: the shim ends with status 0");
	is(message($socket, 20), 'STOPPING=1', "$name: the shim stops");
	is(message($socket, 0), undef, "$name: that is the last message");
	$service->{settings}{NOTIFY_SOCKET} = undef;
	$service->start_shim;
}
unlike($service->output, qr/service manager/, 'no fault was told');

# an address that cannot be used is told, and the shim serves: a socket that nobody has, no path, a path that is too
# long
for my $bad ("$service->{directory}/nobody", 'relative', '/' . 'x' x 200)
{
	restart($bad);
	is($service->get('/health')->{status}, 200, 'the shim serves without a service manager');
	like($service->output, qr/could not notify the service manager at "\Q$bad\E": /, 'the address is named');
}

# a program that cannot start never was ready
my $socket = receiver("\0$service->{name}.refused");
{
	local %ENV =
		(%ENV, %{ $service->{settings} }, NOTIFY_SOCKET => "\@$service->{name}.refused", CATALOGUE_PORT => $service->{port});
	system "'$ENV{CATALOGUE_SHIM}' > '$service->{directory}/refused' 2>&1";
	isnt($?, 0, 'a port in use is refused');
}
is(message($socket, 0.3), undef, 'a shim that cannot listen is never ready');


# SIGHUP opens the log file anew: the service manager is told the beginning, with its time, and the end
my $state = receiver("\0$service->{name}.state");
restart("\@$service->{name}.state");
is(message($state, 20), 'READY=1', 'the shim is ready');
kill 'HUP', $service->{pid};
like(message($state, 5), qr/\ARELOADING=1\nMONOTONIC_USEC=[0-9]{7,}\z/, 'it reloads');
is(message($state, 5), 'READY=1', 'it is ready again');

# The messages that arrive in so many seconds.
sub messages
{
	my ($socket, $seconds) = @_;
	my ($end, @messages) = (time + $seconds);
	while ((my $left = $end - time) > 0)
	{
		push @messages, message($socket, $left) // ();
	}
	return @messages;
}

# without WATCHDOG_USEC, or with one for another process, nothing is told while the shim serves
is_deeply([ messages($state, 1) ], [], 'no sign of life is sent where none is wanted');
$service->{settings}{WATCHDOG_USEC} = 400_000;
$service->{settings}{WATCHDOG_PID}  = 1;
restart("\@$service->{name}.state");
is_deeply([ messages($state, 1) ], [ 'STOPPING=1', 'READY=1' ], 'nor where it is wanted of another process');

# with it the shim tells twice in the period that it is alive
delete $service->{settings}{WATCHDOG_PID};
restart("\@$service->{name}.state");
my @signs = grep { $_ eq 'WATCHDOG=1' } messages($state, 2);
cmp_ok(scalar @signs, '>=', 5, 'signs of life are sent in time');

# Stop or continue one thread, as a debugger does; false where that is not allowed here.
my ($call, $seize, $interrupt, $detach) = ({ x86_64 => 101, aarch64 => 117 }->{ (uname())[4] }, 0x4206, 0x4207, 17);
sub stop_thread
{
	my ($thread) = @_;
	return defined $call && syscall($call, $seize, $thread, 0, 0) == 0 && syscall($call, $interrupt, $thread, 0, 0) == 0
		&& waitpid($thread, 0x40000000) == $thread;
}
sub continue_thread { my ($thread) = @_; return syscall($call, $detach, $thread, 0, 0) == 0 }

# the loop of one thread stands still: the other threads and the main thread run, and must not vouch for it
my ($thread) = sort { $b <=> $a } grep { $_ != $service->{pid} }
	map { m{/(\d+)\z} } glob "/proc/$service->{pid}/task/*";
SKIP:
{
	skip 'threads cannot be stopped here', 2 if !stop_thread($thread);
	sleep 0.6;
	messages($state, 0.1);
	is_deeply([ messages($state, 1) ], [], 'no sign of life is sent for a thread that stands still');
	continue_thread($thread);
	is((messages($state, 1))[0], 'WATCHDOG=1', 'it is sent again when the thread goes on');
}
delete $service->{settings}{WATCHDOG_USEC};
$service->{settings}{NOTIFY_SOCKET} = undef;
$service->stop_shim;
messages($state, 0.1);
$service->start_shim;

# the worker tells the same
my $worker =
	Catalogue::Worker->start($service, NOTIFY_SOCKET => "\@$service->{name}.state", WATCHDOG_USEC => 1_000_000);
my @told = messages($state, 2);
is($told[0], 'READY=1', 'the worker is ready when it is connected');
cmp_ok(scalar(grep { $_ eq 'WATCHDOG=1' } @told), '>=', 2, 'it sends signs of life');
is(scalar(grep { !/\A(READY|WATCHDOG)=1\z/ } @told), 0, 'and nothing else');
kill 'HUP', $worker->{pid};
like((grep { $_ ne 'WATCHDOG=1' } messages($state, 1))[0], qr/\ARELOADING=1\nMONOTONIC_USEC=/, 'it reloads');
kill 'STOP', $worker->{pid};
messages($state, 0.1);
is_deeply([ messages($state, 1.5) ], [], 'a worker that stands still sends none');
kill 'CONT', $worker->{pid};
$worker->stop;
is((messages($state, 1))[-1], 'STOPPING=1', 'its last message is that it stops');

# a worker that cannot connect never was ready
Catalogue::Worker->run($service, ['--once'], NOTIFY_SOCKET => "\@$service->{name}.state",
	CATALOGUE_WORKER_DATABASE => 'host=/nowhere');
is_deeply([ messages($state, 0.3) ], [], 'a worker without a database is never ready');

$service->finish;
