#!/usr/bin/perl
# Connections for slow calls, streams and password hashes are shared between clients: when one requests
# many of them, only its own requests wait or are refused, and other clients are answered.  A lock
# makes calls slow; the order of the answers is tested, not their speed.

use strict;
use warnings;

use IO::Select;
use Socket qw(MSG_PEEK);
use Test::More;
use POSIX ();
use Time::HiRes qw(sleep time);
use Catalogue::Clock qw(wait_until);
use Catalogue::Test;
use Catalogue::Definition;

my $QUEUE = 16;
my $SPAN  = 30;    # seconds over which the rate of a stream is measured

# Four connections of one thread, two of them for streams, so that one client has two and one; the lock time-out is 80
# s. The server is private: commands of other tests can overflow PostgreSQL's invalidation queue, and definitions are
# then loaded again, which would wait for the locks below.
my $service = Catalogue::Test->start(
	cluster                   => 'private',
	CATALOGUE_THREADS         => 1,
	CATALOGUE_POOL            => 4,
	CATALOGUE_QUEUE           => $QUEUE,
	CATALOGUE_QUEUE_TIMEOUT   => '100s',
	CATALOGUE_CALL_TIMEOUT    => '200s',
	CATALOGUE_HEADER_TIMEOUT  => '200s',
	CATALOGUE_REQUEST_TIMEOUT => '200s',
	CATALOGUE_TRUSTED_PROXIES => '127.0.0.9',
)->as_admin;
my $word = $ENV{CATALOGUE_ADMIN_PASSWORD};
# after autovacuum has analyzed a table its definition is loaded again, which would wait for the locks below
$service->sql(q{DO $$
	DECLARE t regclass;
	BEGIN
		FOR t IN SELECT oid FROM pg_class WHERE relnamespace = 'catalogue'::regnamespace AND relkind = 'r' LOOP
			EXECUTE format('ALTER TABLE %s SET (autovacuum_enabled = off)', t);
		END LOOP;
	END $$});
$service->sql(q{INSERT INTO catalogue.tags (name, created_by)
	SELECT 'fair ' || i || repeat(' x', 45), (SELECT id FROM catalogue.users LIMIT 1) FROM generate_series(1, 20000) i});
my $tag = $service->sql('SELECT id FROM catalogue.tags LIMIT 1');

# Begin a transaction with a statement, and leave it open; return the process that holds it.
sub hold
{
	my ($statement, $relation) = @_;
	my $pid = fork // die "fork: $!";

	if (!$pid)
	{
		open STDERR, '>', '/dev/null';
		eval { $service->sql("BEGIN; $statement; SELECT pg_sleep(300)") };
		POSIX::_exit(0);
	}
	wait_until($statement,
		sub { $service->sql("SELECT count(*) FROM pg_stat_activity
			WHERE datname = '$service->{database}' AND query LIKE '%pg\\_sleep(300)%'
		AND wait_event = 'PgSleep'") });
	return $pid;
}

sub release
{
	my ($pid) = @_;
	$service->sql(q(SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg\\_sleep(300)%' AND )
		. q(wait_event = 'PgSleep'));
	waitpid $pid, 0;
	return;
}

# Send a request from an address without waiting for its answer.
sub ask
{
	my ($address, $line, $body, @headers) = @_;
	my $socket = $service->narrow_connection($address);

	push @headers, 'Content-Type: application/json', 'Content-Length: ' . length $body if defined $body;
	syswrite $socket, join("\r\n", "$line HTTP/1.1", 'Host: localhost', @headers, '', $body // '');
	return $socket;
}

sub answer
{
	my ($socket, $timeout) = @_;
	return $service->raw('', socket => $socket, timeout => $timeout // 60)->{replies}[0];
}

# The number of sockets that have an answer.
sub answered { my @ready = IO::Select->new(@_)->can_read(0); return scalar @ready }

# The number of the shim's calls to PostgreSQL that wait for a lock.
sub waiting
{
	return $service->sql("SELECT count(*) FROM pg_stat_activity WHERE datname = '$service->{database}' AND usename = "
		. "'catalogue_shim' AND wait_event_type = 'Lock'");
}

sub wait_for_waiting { my ($calls) = @_; return wait_until("$calls calls that wait", sub { waiting() >= $calls }) }

# Test that every kind of call of another client is answered.
sub others_are_served
{
	my ($what, %except) = @_;
	delete $service->{socket};
	is($service->get("/tags/$tag")->{status}, 200, "$what: an item");
	is($service->get('/tags?limit=20')->{status}, 206, "$what: a list");
	is($service->get('/tags?name=fair&limit=20')->{status}, 206, "$what: a filtered list");
	is($service->post('/tags', { name => 'one more ' . rand })->{status}, 201, "$what: a write");
	is($service->get('/tags?limit=2000', Accept => 'application/x-ndjson')->{status}, 206, "$what: an export");
	is($service->login('admin', $word)->{status}, 200, "$what: a login") unless $except{login};
	return;
}

# slow calls: one client has many
my $slow = '/statuses/qWRhpRV/versions?limit=';
my $lock = hold('LOCK TABLE catalogue.statuses');
my @many = map { ask('127.0.0.2', "GET $slow$_") } 1 .. 6;
wait_for_waiting(2);
others_are_served('slow calls');
is(waiting(), 2, 'the client with many calls has a third of the connections, rounded up');
is(answered(@many), 0, 'its calls wait');
my $third = ask('127.0.0.3', "GET $slow" . 99);
wait_for_waiting(3);
others_are_served('slow calls of two clients');
is(waiting(), 3, 'the second client has its own');
release($lock);
is_deeply([ map { answer($_)->{status} } @many, $third ], [ (200) x 7 ], 'all calls are answered after the lock');

# more calls than a client may have waiting: the others are refused at once, and other clients are not affected
$lock = hold('LOCK TABLE catalogue.statuses');
@many = map { ask('127.0.0.2', "GET $slow$_") } 1, 2;
wait_for_waiting(2);
push @many, map { ask('127.0.0.2', "GET $slow$_") } 3 .. 2 * $QUEUE;
my $over = 2 * $QUEUE - 2 - int(($QUEUE + 2) / 3);
$service->until_read;
wait_until('the calls over the limit are refused', sub { answered(@many) >= $over });
my @ready = IO::Select->new(@many)->can_read(0);
my @early = map { answer($_) } @ready;
is(scalar(grep { $_->{status} == 503 && $_->{headers}{'retry-after'} > 0 } @early), scalar @early,
	'calls over the limit get 503 with Retry-After');
is(scalar @early, $over, 'as many calls wait as the limit allows');
others_are_served('a client over its bound');
release($lock);
my %told = map { $_ => 1 } @ready;
@many = grep { !$told{$_} } @many;
is_deeply([ map { answer($_)->{status} } @many ], [ (200) x @many ], 'the waiting calls are answered in the end');

# reads from many addresses leave a connection, and room in the queue, to users and writes
$lock = hold('LOCK TABLE catalogue.statuses');
@many = map { ask("127.0.1.$_", "GET $slow$_") } 1 .. 3;
wait_for_waiting(3);
push @many, map { ask("127.0.1.$_", "GET $slow$_") } 4 .. 40;
$service->until_read;
$over = 40 - 3 - $QUEUE * 3 / 4;
wait_until('the calls over the limit are refused', sub { answered(@many) >= $over });
@ready = IO::Select->new(@many)->can_read(0);
is_deeply([ map { answer($_)->{status} } @ready ], [ (503) x $over ], 'a quarter of the queue stays free');
is(waiting(), 3, 'and one connection');
others_are_served('reads from many addresses');
my $of_user = ask('127.0.0.1', "GET $slow" . 99, undef, "Authorization: Bearer $service->{token}");
wait_for_waiting(4);
release($lock);
is(answer($of_user)->{status}, 200, 'which a slow read of a user gets');
%told = map { $_ => 1 } @ready;
is_deeply([ map { answer($_)->{status} } grep { !$told{$_} } @many ], [ (200) x (40 - $over) ],
	'the waiting calls are answered in the end');

# reads by key that may embed any number of records are slow calls, and do not delay other requests
$lock = hold('LOCK TABLE catalogue.datasets_tags');
@many = (
	(map { ask('127.0.0.2', "GET /tags/$tag?include=datasets&fields=id&x=$_") } 1 .. 4),
	(map { ask('127.0.0.2', "GET /tags/$tag?in%63lude=datasets&x=$_") } 1 .. 4),
	(map { ask('127.0.0.2', "GET /tags?include=datasets&limit=$_") } 1 .. 4),
	(map { ask('127.0.0.2', "GET /tags?limit=10$_", undef, 'Prefer: relations=embedded') } 1 .. 4),
	(map { ask('127.0.0.2', "GET /tags/$tag?x=$_", undef, 'Prefer: relations=embedded') } 1 .. 2),
);
wait_for_waiting(2);
is($service->get("/tags/$tag")->{status}, 200, 'embedded records: an item') for 1 .. 5;
is($service->get('/tags?limit=20')->{status}, 206, 'embedded records: a list') for 1 .. 5;
is($service->get('/tags?name=fair&limit=20')->{status}, 206, 'embedded records: a filtered list');
is(waiting(), 2, 'embedded records have a third of the connections for slow calls');
release($lock);
undef @many;

# users take turns: one has many calls waiting, another has one
sub tags_named { return map { qq({"name":"$_"}) } @_ }
my $single = $service->another(settings => { %{ $service->{settings} }, CATALOGUE_POOL => 1 });
my ($sharer, $token) = Catalogue::Definition->new($single)->user('sharer', 'guest');
{
	local $service->{port} = $single->{port};
	$lock = hold('LOCK TABLE catalogue.tags IN SHARE MODE');
	@many = map { ask('127.0.0.1', 'POST /tags', $_, "Authorization: $token") } tags_named(
		map { "turn of sharer $_" } 1 .. 6);
	wait_for_waiting(1);
	$service->until_read;
	push @many, ask('127.0.0.1', 'POST /tags', $_, "Authorization: Bearer $service->{token}")
		for tags_named('turn of admin');
	$service->until_read;
	release($lock);
	is_deeply([ map { answer($_)->{status} } @many ], [ (201) x 7 ], 'all writes are executed');
	my @order = $service->sql(q(SELECT name FROM catalogue.tags WHERE name LIKE 'turn of %' ORDER BY created_at));
	is($order[2], 'turn of admin', 'users behind one address take turns: the single write is not after the six');
}
is($single->stop_shim, 0, 'the shim with one connection ends');

# password hashes: waiting ones have no connection
sub login_from
{
	my ($address, $name, $password) = @_;
	return ask('127.0.0.9', 'POST /users/login', qq({"username":"$name","password":"$password"}),
		"X-Forwarded-For: $address");
}
is(answer(login_from('192.0.2.1', 'admin', $word))->{status}, 200, 'admin logs in at an address');
$lock = hold('LOCK TABLE catalogue.attempt');
@many = map { login_from("198.51.100.$_", "nobody $_", 'wrong password') } 1 .. 6;
push @many, map { ask('127.0.0.1', "PATCH /users/$sharer",
	'{"password":"another pass phrase","currentPassword":"wrong"}', "Authorization: $token") } 1 .. 6;
wait_for_waiting(1);
others_are_served('hashes', login => 1);
is(waiting(), 1, 'one call has a connection, and the waiting ones have none');

# clients take turns: a login is not after all calls of another client, which came earlier
my %name = map { fileno($many[$_]) => $_ < 6 ? 'nobody' : 'sharer' } 0 .. $#many;
push @many, login_from('192.0.2.1', 'Admin', $word);
$name{ fileno $many[-1] } = 'admin';
$service->until_read;
release($lock);
my $first = first_answers(8, @many);
like($first, qr/admin/, "a login takes its turn: $first");
is(answer($many[-1])->{status}, 200, 'the login gets its token');
answer($_) for @many[ 0 .. $#many - 1 ];

# The names of the first callers that are answered.
sub first_answers
{
	my ($count, @sockets) = @_;
	my $select = IO::Select->new(@sockets);
	my @names;

	while (@names < $count && (my @ready = $select->can_read(20)))
	{
		push @names, map { $name{ fileno $_ } } @ready;
		$select->remove(@ready);
	}
	return join ' ', @names;
}

# streams: one client has a part of them; the addresses of a network are one client
sub export
{
	my ($address) = @_;
	return ask('127.0.0.9', 'GET /tags?limit=10000', undef, 'Accept: application/x-ndjson', "X-Forwarded-For: $address");
}

# The status of an answer that has begun; nothing is read from the socket.
sub status
{
	my ($socket) = @_;
	IO::Select->new($socket)->can_read(20) or return 0;
	recv $socket, my $head, 12, MSG_PEEK;
	return substr $head, 9, 3;
}

is($service->stop_shim, 0, 'the shim ends');
$service->{settings}{CATALOGUE_QUEUE_TIMEOUT} = '5s';
$service->{settings}{CATALOGUE_POOL} = 6; # three streams, one of them for users
$service->start_shim;
my @streams = map { export("198.51.100.$_") } 1 .. 4;
wait_until('the head of a stream', sub { answered(@streams) });
others_are_served('streams that are not read');
my %got;
push @{ $got{ status($_) } }, $_ for @streams;
is_deeply({ map { $_ => scalar @{ $got{$_} } } keys %got }, { 206 => 1, 503 => 3 },
	'the client has one stream, and its others are refused');

# a slow stream is ended when another client waits and no stream is free; only one is ended
sub preempted { return scalar grep { $_->{event} eq 'stream preempted' } $service->log }
@streams = (@{ $got{206} }, export('2001:db8:1:1::1'));
is(status($streams[1]), 206, 'another client has the other stream');
is(status(export('203.0.113.1')), 503, 'both streams of outsiders are in use, and none is known to be slow');
sleep $SPAN + 1; # until streams are known to be slow
is(status(export('2001:db8:1:2::2')), 503, 'a client that has a stream cannot end that of another');
is(preempted(), 0, 'no stream has been ended');
others_are_served('slow streams');
is(preempted(), 0, 'a user has the stream that is kept');
is(status(export('203.0.113.7')), 206, 'a client that has none gets the stream of one');
is(preempted(), 1, 'one stream has been ended');
is($service->get("/tags/$tag")->{status}, 200, 'the service goes on');

# a page that sends 20 requests at once is answered, with the fewest connections that a thread has by default
is($service->stop_shim, 0, 'the shim ends');
$service->{settings}{CATALOGUE_POOL} = 4;
delete $service->{settings}{CATALOGUE_QUEUE};
$service->start_shim;
@many = map { ask('127.0.0.2', "GET /tags?name=fair&limit=$_") } 1 .. 20;
is_deeply([ map { answer($_)->{status} } @many ], [ (206) x 20 ], '20 requests of one client');

$service->finish;
