#!/usr/bin/perl
# POST /query: one SELECT over what the caller sees, as JSON, CSV and NDJSON; for roles that a rule names; one at a time
# for a user, without delaying others; and nothing of the database besides.

use strict;
use warnings;
use utf8;

use Catalogue::Clock qw(wait_until);
use Catalogue::Definition;
use Catalogue::Test;
use Test::More;

my $service    = Catalogue::Test->start(CATALOGUE_THREADS => 1, CATALOGUE_POOL => 4)->as_admin;
my $definition = Catalogue::Definition->new($service);
my $made       = $service->post('/files', { %{ $definition->record('files') }, name => 'Gauges' });
my ($file)     = $made->{json}{links}{record} =~ m{(\w+)$};
my %nobody     = (Authorization => undef);

# Set the time for a query, which holds for connections that the shim makes from now on.
sub set_timeout
{
	my ($time) = @_;
	$service->sql("ALTER DATABASE $service->{database} SET catalogue.query_timeout = '$time'");
	# a query that is executed is tried once more when its connection ends: those that it may get end first
	$service->end_connections("application_name = 'catalogue-shim' AND state $_ 'active'") for '<>', '=';
	wait_until('there are connections', sub { $service->get('/tags?limit=1&fields=id')->{status} == 206 });
	return;
}

sub query { my ($sql, @headers) = @_; return $service->post('/query', { sql => $sql }, @headers) }

$service->sql("SELECT catalogue.contents_load('$file', (SELECT json_agg(json_build_object('name', 's' || n, 'n', n) "
	. "ORDER BY n) FROM generate_series(1, 3000) n))");

# the representations
my $reply = query('SELECT name, n FROM gauges ORDER BY n LIMIT 2');
is($reply->{status}, 200, 'a query is answered');
is_deeply($reply->{json}{data}, [ { name => 's1', n => 1 }, { name => 's2', n => 2 } ], 'with its rows');
is_deeply($reply->{json}{meta}{columns}, [ { name => 'name', type => 'text' }, { name => 'n', type => 'numeric' } ],
	'and their columns');
ok(!$reply->{json}{meta}{truncated}, 'all of them');
is($reply->{json}{links}{self}, "$service->{base}/query", 'and a link');
$reply = query('SELECT name, n FROM gauges ORDER BY n LIMIT 2', Accept => 'text/csv');
is($reply->{headers}{'content-type'}, 'text/csv; charset=utf-8; header=present', 'CSV is given');
is($reply->{body}, "name,n\r\ns1,1\r\ns2,2\r\n", 'as lines');
$reply = query('SELECT name, n FROM gauges ORDER BY n LIMIT 2', Accept => 'application/x-ndjson');
is($reply->{headers}{'content-type'}, 'application/x-ndjson', 'NDJSON is given');
is($reply->{body}, qq({"name":"s1","n":1}\n{"name":"s2","n":2}\n), 'as lines');
$reply = query('SELECT name FROM gauges WHERE n < 0', Accept => 'application/x-ndjson');
is($reply->{status}, 200, 'NDJSON without rows is given');
is($reply->{body}, '', 'as an empty body');
is(query('SELECT 1 AS one', Accept => 'image/png')->{status}, 406, 'there is no picture of it');
is($service->options('/query')->{headers}{allow}, 'POST, OPTIONS', 'OPTIONS offers POST');
like($service->options('/query')->{body}, qr{"/query"|/query}, 'and describes the path');
is($service->get('/query')->{status}, 405, 'it is not read');

# faults
$reply = query('DELETE FROM gauges');
is($reply->{status}, 400, 'what is no SELECT is refused');
is($reply->{json}{data}{sql}[0]{rule}, 'format', 'with the reason') or diag $reply->{body};
like(query('SELECT nothing FROM gauges')->{json}{data}{sql}[0]{message},
	qr/column "nothing" does not exist, character 8/, 'a wrong name is told with its place');
is($service->post('/query', {})->{status}, 400, 'a body without a statement');
is($service->post('/query', 'SELECT 1', 'Content-Type' => 'text/plain')->{status}, 415, 'a body that is no JSON');
is($service->post('/query', { sql => 'SELECT 1', other => 1 }, Prefer => 'handling=strict')->{status}, 400,
	'an unknown member, strictly');

# functions of geometries, which PostGIS computes with the rights of no role
my ($areas) = $service->post('/files', { %{ $definition->record('files') }, name => 'Areas' })->{json}{links}{record}
	=~ m{(\w+)$};
$service->sql("SELECT catalogue.contents_load('$areas', '[[\"name\", \"geometry\"],
	[\"one\", \"POLYGON ((0 0, 1 0, 1 1, 0 1, 0 0))\"], [\"none\", \"\"], [\"bad\", \"POLYGON 1\"]]')");
$reply = query('SELECT name, round(ST_Area(geography(ST_GeomFromText(geometry)))::numeric) AS metres, '
	. 'ST_AsGeoJSON(ST_Centroid(ST_GeomFromText(geometry))) AS middle FROM areas WHERE _id < 3', Accept => 'text/csv');
is($reply->{body}, qq(name,metres,middle\r\none,12308778361,"{""type"":""Point"",""coordinates"":[0.5,0.5]}"\r\n)
	. qq(none,,\r\n), 'areas are measured in metres') or diag $reply->{status};
$reply = query('SELECT ST_Area(ST_GeomFromText(geometry)) AS area FROM areas');
is($reply->{status}, 400, 'a text that is no geometry is refused');
like($reply->{json}{data}{sql}[0]{message}, qr/"POLYGON 1" is no WKT: .* such as POINT/, 'with the reason');
is(query('SELECT ST_Buffer(ST_MakePoint(0, 0), 1) AS x')->{json}{data}{sql}[0]{message},
	'must not use function st_buffer', 'and so is a function that is not listed');

# who may: a role that a rule names
is(query('SELECT 1 AS one', %nobody)->{status}, 401, 'nobody may not query');
$service->sql(
	q{UPDATE catalogue.users SET active = true, password = 'Secret-123' WHERE username IN ('editor', 'guest')});
my $guest = $service->login('guest', 'Secret-123')->{json}{data}{token};
is(query('SELECT 1 AS one', Authorization => "Bearer $guest")->{status}, 403, 'a role may not without a rule');
is($service->post('/rules', { role => 'guest', resource => 'files', action => 'query' })->{status}, 201,
	'a rule is made');
is_deeply(query('SELECT 1 AS one', Authorization => "Bearer $guest")->{json}{data}, [ { one => 1 } ], 'then it may');
my $editor = $service->login('editor', 'Secret-123')->{json}{data}{token};
is(query('SELECT 1 AS one', Authorization => "Bearer $editor")->{status}, 403,
	'a rule for all actions does not name this one');

# what an attacker wants: secrets, another role, a lasting setting, a longer time
for my $sql ('SELECT passwd FROM pg_shadow', 'SELECT password FROM users',
	"SELECT set_config('statement_timeout', '0', false)", "SELECT current_setting('is_superuser')",
	"SELECT 'catalogue.users'::regclass", 'SELECT pg_sleep(9)', "SELECT pg_notify('a', 'b')",
		'SELECT * FROM catalogue.uploads', 'SELECT pg_advisory_lock(1)')
{
	$reply = query($sql, Authorization => "Bearer $guest");
	is($reply->{status}, 400, $sql);
	unlike($reply->{body}, qr/SCRAM|\$y\$|md5/, 'nothing is told');
}

# a slow query delays neither others nor another user; it ends, and the user has one at a time
my $slow   = '{"sql": "SELECT count(*) FROM gauges a, gauges b, gauges c WHERE a.n + b.n + c.n > 0"}';
set_timeout('5min');
my $socket = $service->connection;
syswrite $socket, "POST /query HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer $service->{token}\r\n"
	. "Content-Type: application/json\r\n"
	. 'Content-Length: ' . length($slow) . "\r\n\r\n$slow";
wait_until('the query runs',
	sub { $service->sql(q{SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 6}) > 0 });
# The statement succeeds only if the query is refused with OD429.
my $again = q{DO $$BEGIN PERFORM catalogue.query('{"sql": "SELECT 1 AS one"}', actor => jsonb_build_object('user', id))
	FROM catalogue.users WHERE username = 'admin';
	RAISE 'answered'; EXCEPTION WHEN SQLSTATE 'OD429' THEN NULL; END$$};
ok(eval { $service->sql($again); 1 }, 'a second query of the same user, by another shim, is refused meanwhile');
is(query('SELECT 1 AS one', Authorization => "Bearer $guest")->{status}, 200, 'one of another user is answered');
is($service->get('/datasets')->{status}, 200, 'and so is a list');
set_timeout('100ms');
# its connection has ended, so it is executed again, by one that has the new limit
my $ended = $service->raw('', socket => $socket)->{replies}[0];
is($ended->{status}, 400, 'the slow query ends');
is($ended->{json}{data}{sql}[0]{message}, 'takes more than 100 ms', 'with the reason');
is(query('SELECT 1 AS one')->{status}, 200, 'then the user may query again');

$service->is_sound;
$service->finish;
