#!/usr/bin/perl
# Filtered pages are pipelined on one database connection: each gets its own answer, whatever the result of those
# before it is; a write waits until the connection is idle.

use strict;
use warnings;

use Test::More;
use POSIX qw(WNOHANG);
use Time::HiRes qw(sleep);
use Catalogue::Test;

# one connection that is not shared; the lock time-out is two fifths of the call time-out
my $service = Catalogue::Test->start(
	CATALOGUE_THREADS       => 1,
	CATALOGUE_POOL          => 1,
	CATALOGUE_CALL_TIMEOUT  => '5s',
	CATALOGUE_QUEUE_TIMEOUT => '20s'
)->as_admin;

# Lock the statuses for the given number of seconds; return the process that holds the lock.
sub lock_statuses
{
	my ($seconds) = @_;
	my $pid = fork;

	if (!$pid)
	{
		eval { $service->sql("BEGIN; LOCK TABLE catalogue.statuses; SELECT pg_sleep($seconds); COMMIT") };
		POSIX::_exit(0);
	}
	sleep 0.02 until $service->sql("SELECT count(*) FROM pg_locks WHERE relation = 'catalogue.statuses'::regclass AND mode = 'AccessExclusiveLock' AND granted");
	return $pid;
}

# Send requests at about the same time, each over its own connection, without waiting for answers.
sub send_all
{
	my @requests = @_;
	my @sockets;

	for my $request (@requests)
	{
		my ($line, $body) = @$request;
		my $socket = $service->connection;
		my $bytes = join "\r\n", "$line HTTP/1.1", "Host: 127.0.0.1:$service->{port}", "Authorization: Bearer $service->{token}",
			($body ? ('Content-Type: application/json', 'Content-Length: ' . length $body) : ()), '', $body // '';
		syswrite $socket, $bytes;
		push @sockets, $socket;
		sleep 0.005;
	}
	return @sockets;
}

sub answer
{
	my ($socket) = @_;
	return $service->raw('', socket => $socket, quiet => 0, timeout => 20)->{replies}[0];
}

my @requests = (
	['GET /statuses?name=draft'],
	['GET /tags?createdAt[gte]=nonsense'],
	['GET /datasets?name=airports'],
	['POST /tags', '{"name": "together"}'],
	['GET /tags?name=together'],
	['GET /organizations?name=nonesuch'],
);

# the first page waits for a lock, and gets it
my $holder  = lock_statuses(0.7);
my @sockets = send_all(@requests);
is($service->get('/tags?limit=1')->{status}, 206, 'a plain page is answered');
my @answers = map { answer($_) } @sockets;
waitpid $holder, 0;
is_deeply([map { $_->{status} } @answers], [200, 422, 200, 201, 200, 200], 'each request is answered, one with an error');
is($answers[0]{json}{data}[0]{name}, 'Draft',    'the page that waited for the lock');
is($answers[2]{json}{data}[0]{name}, 'Airports', 'the page after the one with an error');
is($answers[4]{json}{meta}{count},   1,          'a page that was sent after a write shows it');
is($answers[5]{json}{meta}{count},   0,          'a page without records');

# Requests for pages that are not in the page cache.
sub new_pages
{
	my ($limit) = @_;
	return map { [ $_->[0] . "&limit=$limit" ] } grep { $_->[0] !~ /^POST/ } @requests;
}

# the first page does not get the lock in time
$holder  = lock_statuses(6);
@sockets = send_all(new_pages(11));
is($service->get('/tags?limit=1')->{status}, 206, 'a plain page is answered');
is(waitpid($holder, WNOHANG), 0, 'the lock is still held');
is_deeply([map { answer($_)->{status} } @sockets], [503, 422, 200, 200, 200], 'only the page that waits for the lock fails');
waitpid $holder, 0;
is($service->get('/statuses?name=draft')->{json}{meta}{count}, 1, 'after the lock the page is answered');

# connections that break: the pages are requested again on new ones
$holder  = lock_statuses(1);
@sockets = send_all(new_pages(12));
$service->sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND usename = 'catalogue_shim' AND wait_event_type = 'Lock'");
is_deeply([map { answer($_)->{status} } @sockets], [200, 422, 200, 200, 200], 'a terminated backend affects no page');
waitpid $holder, 0;

$service->finish;
