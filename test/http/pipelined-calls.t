#!/usr/bin/perl
# Filtered pages are pipelined on one database connection: each gets its own answer, whatever the result of those
# before it is; a write waits until the connection is idle.

use strict;
use warnings;

use Test::More;
use IO::Select;
use Catalogue::Clock qw(wait_until);
use Catalogue::Session;
use Catalogue::Test;

# one connection that is not shared
my $service = Catalogue::Test->start(
	CATALOGUE_THREADS      => 1,
	CATALOGUE_POOL         => 1,
	CATALOGUE_CALL_TIMEOUT => '200s'
)->as_admin;

# Lock the statuses; return the function that releases them.
sub lock_statuses
{
	my $session = Catalogue::Session->new($service);
	$session->run('BEGIN; LOCK TABLE catalogue.statuses');
	return sub { $session->run('COMMIT'); $session->finish };
}

# Wait until a call of the shim waits for the lock.
sub until_waiting
{
	wait_until('a call waits for the lock', sub {
		$service->sql(q(SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND usename = )
			. q('catalogue_shim' AND wait_event_type = 'Lock')) == 1;
	});
	return;
}

# Send requests, each over its own connection, without waiting for answers; the first one waits for the lock, and the
# shim reads the others one after the other meanwhile.
sub send_all
{
	my @requests = @_;
	my @sockets;

	for my $request (@requests)
	{
		my ($line, $body) = @$request;
		my $socket = $service->connection;
		my $bytes = join "\r\n", "$line HTTP/1.1", "Host: 127.0.0.1:$service->{port}",
			"Authorization: Bearer $service->{token}",
			($body ? ('Content-Type: application/json', 'Content-Length: ' . length $body) : ()), '', $body // '';
		syswrite $socket, $bytes;
		push @sockets, $socket;
		$service->until_read;
		until_waiting() if @sockets == 1;
	}
	return @sockets;
}

sub answer
{
	my ($socket) = @_;
	return $service->raw('', socket => $socket, timeout => 200)->{replies}[0];
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
my $release = lock_statuses();
my @sockets = send_all(@requests);
is($service->get('/tags?limit=1')->{status}, 206, 'a plain page is answered');
ok(!IO::Select->new($sockets[0])->can_read(0), 'while the first page waits');
$release->();
my @answers = map { answer($_) } @sockets;
is_deeply([map { $_->{status} } @answers], [200, 422, 200, 201, 200, 200],
	'each request is answered, one with an error');
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

# connections that break: the pages are requested again on new ones
$release = lock_statuses();
@sockets = send_all(new_pages(12));
is($service->sql("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = current_database() AND "
	. "usename = 'catalogue_shim' AND wait_event_type = 'Lock'"),
	1, 'the backend that waits is terminated');
until_waiting();
$release->();
is_deeply([map { answer($_)->{status} } @sockets], [200, 422, 200, 200, 200], 'a terminated backend affects no page');

# the first page does not get the lock in time: the lock time-out is two fifths of the call time-out
$service->stop_shim;
$service->{settings}{CATALOGUE_CALL_TIMEOUT} = '2500ms';
$service->start_shim;
$release = lock_statuses();
@sockets = send_all(new_pages(11));
is($service->get('/tags?limit=1')->{status}, 206, 'a plain page is answered');
is_deeply([map { answer($_)->{status} } @sockets], [503, 422, 200, 200, 200],
	'only the page that waits for the lock fails');
$release->();
is($service->get('/statuses?name=draft')->{json}{meta}{count}, 1, 'after the lock the page is answered');

$service->finish;
