#!/usr/bin/perl
# Connections for slow calls, streams and password hashes are shared between clients: one that asks
# for many of them waits for itself, and is refused for itself, while another is answered.  A lock
# makes calls slow; what is looked at is who is answered first, and not how fast.

use strict;
use warnings;

use IO::Select;
use Socket qw(MSG_PEEK PF_INET SOCK_STREAM SOL_SOCKET SO_RCVBUF inet_aton pack_sockaddr_in);
use Test::More;
use POSIX ();
use Time::HiRes qw(sleep time);
use Catalogue::Test;
use Catalogue::Definition;

my $QUEUE = 16;
my $SPAN  = 30;    # seconds that the rate of a stream is looked at in

# four connections of one thread, two of them for streams; a lock is waited for for 80 s
my $service = Catalogue::Test->start(
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
# after autovacuum has analyzed a table its definition is read again, which waits for the locks below
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

# Begin a transaction with a statement in it, and leave it open; the process that holds it.
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
	wait_until($statement, sub { $service->sql("SELECT count(*) FROM pg_stat_activity WHERE datname = '$service->{database}' AND query LIKE '%pg\\_sleep(300)%'
		AND wait_event = 'PgSleep'") });
	return $pid;
}

sub release
{
	my ($pid) = @_;
	$service->sql(q(SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg\\_sleep(300)%' AND wait_event = 'PgSleep'));
	waitpid $pid, 0;
	return;
}

# Send a request from an address without waiting for its answer.
sub ask
{
	my ($address, $line, $body, @headers) = @_;

	# it takes little before it is read
	socket my $socket, PF_INET, SOCK_STREAM, 0 or die "socket: $!";
	setsockopt $socket, SOL_SOCKET, SO_RCVBUF, 2048;
	bind $socket, pack_sockaddr_in(0, inet_aton($address)) or die "bind: $!";
	connect $socket, pack_sockaddr_in($service->{port}, inet_aton('127.0.0.1')) or die "connect: $!";
	push @headers, 'Content-Type: application/json', 'Content-Length: ' . length $body if defined $body;
	syswrite $socket, join("\r\n", "$line HTTP/1.1", 'Host: localhost', @headers, '', $body // '');
	return $socket;
}

sub answer
{
	my ($socket, $timeout) = @_;
	return $service->raw('', socket => $socket, quiet => 0, timeout => $timeout // 60)->{replies}[0];
}

# How many of the sockets have an answer?
sub answered { my @ready = IO::Select->new(@_)->can_read(0); return scalar @ready }

# Calls that the shim has with PostgreSQL at the moment, and that wait there.
sub waiting
{
	return $service->sql("SELECT count(*) FROM pg_stat_activity WHERE datname = '$service->{database}' AND usename = 'catalogue_shim' AND wait_event_type = 'Lock'");
}

# Wait for something that must come about, a minute at most.
sub wait_until
{
	my ($what, $holds) = @_;
	my $deadline = time + 60;

	until ($holds->())
	{
		die "$what: not within a minute\n" if time > $deadline;
		sleep 0.02;
	}
	return;
}

sub wait_for_waiting { my ($calls) = @_; return wait_until("$calls calls that wait", sub { waiting() >= $calls }) }

# Another client is answered by every kind of call.
sub others_are_served
{
	my ($what, %except) = @_;
	delete $service->{socket};
	is($service->get("/tags/$tag")->{status}, 200, "$what: an item");
	is($service->get('/tags?limit=20')->{status}, 206, 'a list');
	is($service->get('/tags?name=fair&limit=20')->{status}, 206, 'a filtered list');
	is($service->post('/tags', { name => 'one more ' . rand })->{status}, 201, 'a write');
	is($service->get('/tags?limit=2000', Accept => 'application/x-ndjson')->{status}, 206, 'an export');
	is($service->login('admin', $word)->{status}, 200, 'a login') unless $except{login};
	return;
}

# slow calls: one client has many of them
my $slow = '/statuses/qWRhpRV/versions?limit=';
my $lock = hold('LOCK TABLE catalogue.statuses');
my @many = map { ask('127.0.0.2', "GET $slow$_") } 1 .. 8;
wait_for_waiting(2);
others_are_served('slow calls');
is(waiting(), 2, 'the client with many has half of the connections');
is(answered(@many), 0, 'and waits');
my $third = ask('127.0.0.3', "GET $slow" . 99);
wait_for_waiting(3);
others_are_served('slow calls of two clients');
is(waiting(), 3, 'the second of them has half of the rest');
release($lock);
is_deeply([ map { answer($_)->{status} } @many, $third ], [ (200) x 9 ], 'then they all are answered');

# more than a client may have waiting: it is told so at once, and others are not
$lock = hold('LOCK TABLE catalogue.statuses');
@many = map { ask('127.0.0.2', "GET $slow$_") } 1, 2;
wait_for_waiting(2);
push @many, map { ask('127.0.0.2', "GET $slow$_") } 3 .. 2 * $QUEUE;
my $over = 2 * $QUEUE - 2 - $QUEUE / 2;
for (my $deadline = time + 30; answered(@many) < $over && time < $deadline; sleep 0.05) { }
sleep 0.5;
my @ready = IO::Select->new(@many)->can_read(0);
my @early = map { answer($_) } @ready;
is(scalar(grep { $_->{status} == 503 && $_->{headers}{'retry-after'} > 0 } @early), scalar @early, 'what is over the bound is 503 with Retry-After');
is(scalar @early, $over, 'it has as many waiting as there is room for besides');
others_are_served('a client over its bound');
release($lock);
my %told = map { $_ => 1 } @ready;
@many = grep { !$told{$_} } @many;
is_deeply([ map { answer($_)->{status} } @many ], [ (200) x @many ], 'those that had room are answered in the end');

# heavy reads by key: those that may have any number of records in them keep others from nothing
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
is($service->get('/tags?limit=20')->{status}, 206, 'a list') for 1 .. 5;
is($service->get('/tags?name=fair&limit=20')->{status}, 206, 'a filtered list');
is(waiting(), 2, 'they have connections for slow calls, half of them');
release($lock);
undef @many;

# turns: who has many calls waiting, and who has one
sub tags_named { return map { qq({"name":"$_"}) } @_ }
my $single = bless { %$service, settings => { %{ $service->{settings} }, CATALOGUE_POOL => 1 } }, ref $service;
delete @$single{qw(pid socket)};
$single->start_shim;
{
	local $service->{port} = $single->{port};
	Catalogue::Definition->new($service)->create('users', username => 'sharer', password => 'a long pass phrase', role => 'guest');
	my $token = $single->login('sharer', 'a long pass phrase')->{json}{data}{token};
	$lock = hold('LOCK TABLE catalogue.tags IN SHARE MODE');
	@many = map { ask('127.0.0.1', 'POST /tags', $_, "Authorization: Bearer $token") } tags_named(map { "turn of sharer $_" } 1 .. 6);
	wait_for_waiting(1);
	sleep 0.3;
	push @many, ask('127.0.0.1', 'POST /tags', $_, "Authorization: Bearer $service->{token}") for tags_named('turn of admin');
	sleep 0.3;
	release($lock);
	is_deeply([ map { answer($_)->{status} } @many ], [ (201) x 7 ], 'all writes are made');
	my @order = $service->sql(q(SELECT name FROM catalogue.tags WHERE name LIKE 'turn of %' ORDER BY created_at));
	is($order[2], 'turn of admin', 'users behind one address take turns: the one write is not behind the six');
}
is($single->stop_shim, 0, 'the shim with one connection ends');

# password hashes: those that wait have no connection
sub login_from
{
	my ($address, $name, $password) = @_;
	return ask('127.0.0.9', 'POST /users/login', qq({"username":"$name","password":"$password"}), "X-Forwarded-For: $address");
}
is(answer(login_from('192.0.2.1', 'admin', $word))->{status}, 200, 'admin logs in at an address');
my $sharer = $service->login('sharer', 'a long pass phrase')->{json}{data};
$lock = hold('LOCK TABLE catalogue.attempt');
@many = map { login_from("198.51.100.$_", "nobody $_", 'wrong password') } 1 .. 6;
push @many, map { ask('127.0.0.1', "PATCH /users/$sharer->{user}", '{"password":"another pass phrase","currentPassword":"wrong"}', "Authorization: Bearer $sharer->{token}") } 1 .. 6;
wait_for_waiting(1);
others_are_served('hashes', login => 1);
is(waiting(), 1, 'one call has a connection, and those behind it wait without');

# who has logged in at an address before goes first; who has not failed goes before who has
my %name = map { fileno($many[$_]) => $_ < 6 ? 'nobody' : 'sharer' } 0 .. $#many;
push @many, login_from('192.0.2.1', 'Admin', $word);
$name{ fileno $many[-1] } = 'admin';
sleep 0.3;
release($lock);
my $known = first_answers(3, @many);
like($known, qr/admin/, "the one who is known is among the first, before those that came earlier: $known");
answer($_) for @many;

# Who is answered first: so many names.
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

$service->sql('TRUNCATE catalogue.attempt');
$lock = hold('LOCK TABLE catalogue.attempt');
@many = map { login_from("198.51.100.$_", "nobody $_", 'wrong password') } 1 .. 6;
wait_for_waiting(1);
%name = map { fileno($_) => 'failed' } @many;
push @many, login_from('203.0.113.1', 'sharer', 'a long pass phrase');
$name{ fileno $many[-1] } = 'new';
sleep 0.3;
release($lock);
my $new = first_answers(2, @many);
like($new, qr/new/, "one from a new address is answered before those who failed: $new");
is(answer($many[-1])->{status}, 200, 'with its token');
answer($_) for @many[ 0 .. 5 ];

# streams: one client has a part of them
sub export { my ($address) = @_; return ask($address, 'GET /tags?limit=10000', undef, 'Accept: application/x-ndjson') }

# The status of an answer that has begun, of which nothing is taken.
sub status
{
	my ($socket) = @_;
	IO::Select->new($socket)->can_read(20) or return 0;
	recv $socket, my $head, 12, MSG_PEEK;
	return substr $head, 9, 3;
}

is($service->stop_shim, 0, 'the shim ends');
$service->{settings}{CATALOGUE_QUEUE_TIMEOUT} = '5s';
$service->start_shim;
my @streams = map { export('127.0.0.2') } 1 .. 4;
wait_until('the head of a stream', sub { answered(@streams) });
others_are_served('streams that are not read');
my %got;
push @{ $got{ status($_) } }, $_ for @streams;
is_deeply({ map { $_ => scalar @{ $got{$_} } } keys %got }, { 206 => 1, 503 => 3 }, 'the client has one, and its others are refused');

# a slow one gives way when another client waits for one and there is none; and only one does
sub gave_way { return scalar grep { $_->{event} eq 'stream gave way' } $service->log }
@streams = (@{ $got{206} }, export('127.0.0.3'));
is(status($streams[1]), 206, 'another client has the other one');
is(status(export('127.0.0.4')), 503, 'both streams are taken, and none is known to be slow');
sleep $SPAN + 1;
is(status(export('127.0.0.3')), 503, 'who has one already takes none from others');
is(gave_way(), 0, 'and none has ended');
others_are_served('slow streams');
is(gave_way(), 1, 'one stream has given way');
is($service->get("/tags/$tag")->{status}, 200, 'and all goes on');

$service->finish;
