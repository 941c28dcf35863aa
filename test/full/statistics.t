#!/usr/bin/perl
# Every request is one record of /statistics, whatever its answer is, with the right values and without
# credentials; no record is lost or stored twice when the database or the shim ends.

use strict;
use warnings;

use Test::More;
use Time::HiRes qw(sleep);
use Catalogue::Clock qw(poll wait_until);
use Catalogue::Program qw(slurp);
use Catalogue::Test;

my $service = Catalogue::Test->start(cluster => 'private', CATALOGUE_THREADS => 2, CATALOGUE_BODY_LIMIT => 10_000);

# The new records, oldest first, when there are as many as expected and no more arrive.
my %seen;
sub news
{
	my ($wanted) = @_;
	my $unseen = sub {
		return grep { !$seen{ (split /\|/)[0] } } $service->sql(<<~'END');
			SELECT concat_ws('|', id, method, resource, endpoint, coalesce(querystring, ''), client, useragent, ip)
			FROM catalogue.statistics WHERE endpoint <> '/health' AND client <> 'seed' ORDER BY created_at, id
			END
	};
	sleep 0.15 if poll(90, sub { $unseen->() >= $wanted });
	my @rows = $unseen->();
	$seen{ (split /\|/)[0] } = 1 for @rows;
	return map { s/^[^|]*\|//r } @rows;
}

sub count_rows
{
	my ($path) = @_;
	return $service->sql("SELECT count(*) FROM catalogue.statistics WHERE endpoint = '$path'");
}

# Wait until there are as many as expected, and a little longer, since more would be wrong too.
sub settled
{
	my ($path, $wanted) = @_;
	poll(90, sub { count_rows($path) >= $wanted });
	sleep 0.3;
	return count_rows($path);
}

# each kind of answer, one request after the other: the request, its status, the record
$service->{headers}{'User-Agent'} = 'test/1.0';
my @kinds = (
	[ 200, GET     => '/statuses?limit=9&name=a',  'GET|statuses|/statuses|limit=9&name=a' ],
	[ 206, GET     => '/statuses?limit=1',         'GET|statuses|/statuses|limit=1' ],
	[ 200, HEAD    => '/Tags/count',               'HEAD|tags|/Tags/count|' ],
	[ 200, OPTIONS => '/tags',                     'OPTIONS|tags|/tags|' ],
	[ 404, GET     => '/nonesuch/a/b',             'GET|nonesuch|/nonesuch/a/b|' ],
	[ 404, GET     => '/tags/nonesuch',            'GET|tags|/tags/nonesuch|' ],
	[ 200, GET     => '/',                         'GET|-|/|' ],
	[ 400, GET     => '/tags?name=%00',            'GET|tags|/tags|name=%00' ],
	[ 400, GET     => '/ta%ffgs',                  'GET|ta%ffgs|/ta%ffgs|' ],
	[ 405, DELETE  => '/roles',                    'DELETE|roles|/roles|' ],
	[ 405, TRACE   => '/tags',                     'OTHER|tags|/tags|' ],
	[ 401, POST    => '/tags', '{"name":"x"}',     'POST|tags|/tags|' ],
	[ 401, PATCH   => '/tags/x', '{"name":"x"}',   'PATCH|tags|/tags/x|' ],
	[ 401, PUT     => '/tags/x', '{"name":"x"}',   'PUT|tags|/tags/x|' ],
	[ 400, POST    => '/tags', '{',                'POST|tags|/tags|' ],
	[ 413, POST    => '/tags', 'x' x 20_000,       'POST|tags|/tags|' ],
	[ 422, GET     => '/tags?limit=-1',            'GET|tags|/tags|limit=-1' ],
	[ 200, GET     => '/openapi.json?x=1',         'GET|openapi.json|/openapi.json|x=1' ],
	[ 501, POST    => '/email/send', '{}',         'POST|email|/email/send|' ],
	[ 401, POST    => '/users/login', '{"username":"admin","password":"canary"}', 'POST|users|/users/login|' ],
);
for my $kind (@kinds)
{
	my ($status, $verb, $path, @rest) = @$kind;
	my $line  = pop @rest;
	my $reply = $service->request($verb, $path, @rest);
	is($reply->{status}, $status, "$verb $path: $status");
	is_deeply([ news(1) ], ["$line|anonymous|test/1.0|127.0.0.0"], "$verb $path: one record");
}
my $reply = $service->options('/tags', Origin => 'http://a', 'Access-Control-Request-Method' => 'POST');
is($reply->{status}, 200, 'a preflight');
is_deeply([ news(1) ], ['OPTIONS|tags|/tags||anonymous|test/1.0|127.0.0.0'], 'a preflight: one record');
is($service->get('/tags', Accept => 'image/png')->{status}, 406, 'nothing acceptable');
is_deeply([ news(1) ], ['GET|tags|/tags||anonymous|test/1.0|127.0.0.0'], 'nothing acceptable: one record');
is($service->get('/tags', Authorization => 'Bearer canary.canary.canary')->{status}, 401, 'a bad token');
is_deeply([ news(1) ], ['GET|tags|/tags||anonymous|test/1.0|127.0.0.0'], 'a bad token: one record');

# the name of the user
$service->as_admin;
is_deeply([ news(1) ], ['POST|users|/users/login||anonymous|test/1.0|127.0.0.0'], 'a log-in: one record');
is($service->post('/tags', { name => 'recorded' })->{status}, 201, 'a creation');
is_deeply([ news(1) ], ['POST|tags|/tags||admin|test/1.0|127.0.0.0'], 'a creation: one record');
my %internal = %{ $service->{headers} };
delete $service->{headers}{Authorization};

# the statistics of one resource: a list like any other, with all its parameters
is($service->get('/roles/statistics', %internal)->{status}, 404, 'statistics of a path that is not a resource');
my $usage = $service->get(
	'/Statuses/statistics?fields=endpoint,method&method=HEAD,GET&limit=1&orderBy=createdAt&sort=DESC', %internal);
is($usage->{status}, 206, 'statistics of a resource');
is($usage->{json}{meta}{count}, 2, 'all matching records are counted');
is_deeply([ map { "$_->{method} $_->{endpoint}" } @{ $usage->{json}{data} } ], ['GET /statuses'],
	'a page of the records');
is($service->follow($usage->{json}{links}{next}, %internal)->{status}, 206, 'the link to the next page');
is(scalar(news(3)), 3, 'these are three records');

# requests that are refused while they are read, and bytes after them that are not a request
my $long = 'x' x 9000;
my %door = (
	"GET /tags?token=canary HTTP/1.1\r\nHost: a\r\nUser-Agent: door\r\nbroken\r\n\r\n" => [ 400,
		'GET|tags|/tags|token=***|anonymous|door|127.0.0.0' ],
	"nonsense\r\n\r\n"                               => [ 400, 'OTHER|-|-||anonymous|-|127.0.0.0' ],
	"GET http://user:canary\@h/tags HTTP/1.1\r\n\n"   => [ 400, 'GET|tags|/tags||anonymous|-|127.0.0.0' ],
	"GET /$long HTTP/1.1\r\nHost: a\r\n\r\n"         => [ 414,
		'GET|' . 'x' x 50 . '|/' . 'x' x 299 . '||anonymous|-|127.0.0.0' ],
	"GET /tags HTTP/1.1\r\nHost: a\r\nX: " . 'y' x 50_000 . "\r\n\r\n" => [ 431, 'GET|tags|/tags||anonymous|-|127.0.0.0' ],
	"GET /tags HTTP/1.1\r\n\r\n"                     => [ 400, 'GET|tags|/tags||anonymous|-|127.0.0.0' ],
	"GET /tags HTTP/1.1\r\nHost: a\r\nHost: b\r\nUser-Agent: twice\r\n\r\n" => [ 400,
		'GET|tags|/tags||anonymous|twice|127.0.0.0' ],
	"FROB /tags HTTP/1.1\r\nHost: a\r\n\r\n"         => [ 405, 'OTHER|tags|/tags||anonymous|-|127.0.0.0' ],
	"CONNECT user:canary\@h:1 HTTP/1.1\r\nHost: a\r\n\r\n" => [ 400, 'OTHER|-|-||anonymous|-|127.0.0.0' ],
	"POST /tags HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n" => [ 501,
		'POST|tags|/tags||anonymous|-|127.0.0.0' ],
);
for my $bytes (sort keys %door)
{
	my ($status, $line) = @{ $door{$bytes} };
	my ($name) = $bytes =~ /^([^\r]{1,40})/;
	is($service->raw($bytes)->{replies}[0]{status}, $status, "$name: $status");
	is_deeply([ news(1) ], [$line], "$name: one record");
}
$service->raw("GET /tags HTTP/1.1\r\nHost: a\r\n\r\nGET /second HTTP/1.1\r\nbroken\r\n\r\n", wanted => 2, timeout => 1);
is_deeply([ map { (split /\|/)[2] } news(2) ], [ '/tags', '/second' ],
	'a malformed request after a valid one: two records');
$service->raw("GET /tags HTTP/1.1\r\nHost: a\r\n\r\nGET /half HTTP/1.1\r\nHo", timeout => 1);
is_deeply([ news(1) ], ['GET|tags|/tags||anonymous|-|127.0.0.0'], 'an incomplete request is not recorded');

# values that are too long or not valid in a column
my $agent = "agent \x01\t\xff\xc3\x28 " . "\xc3\xb1" x 1500;
$service->raw("GET /tags/a?name=" . 'b' x 1500 . " HTTP/1.1\r\nHost: a\r\nUser-Agent: $agent\r\n\r\n");
my ($odd) = news(1);
is((split /\|/, $odd)[3], 'name=' . 'b' x 995, 'a long query is cut');
my $shown = (split /\|/, $odd)[5];
is($shown, "agent \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd( " . "\xc3\xb1" x 988,
	'a user agent with invalid bytes is repaired, and cut by characters');

# credentials, under any name
$service->get('/tags?jwt=canary&name=a&Access_Token=canary&pass%77ord=canary&apikey=canary&key=canary&'
	. 'a=http://b/%3F?secret=canary&secret&authorization=canary?canary');
is((split /\|/, (news(1))[0])[3], 'jwt=***&name=a&Access_Token=***&pass%77ord=***&apikey=***&key=***&'
	. 'a=http://b/%3F?secret=***&secret=***&authorization=***',
	'the values of secret parameters are hidden');
is($service->sql("SELECT count(*) FROM catalogue.statistics s WHERE s::text ~ 'canary'"), 0,
	'no credential is in the table');

# ten thousand requests over several connections
my $half = "GET /statuses/nWRhpRV HTTP/1.1\r\nHost: a\r\n\r\n";
for my $client (1 .. 20)
{
	my $pid = fork;
	next if $pid;
	my $socket = $service->connection;
	for (1 .. 500)
	{
		Catalogue::Client::exchange($socket, $half) or POSIX::_exit(1);
	}
	POSIX::_exit(0);
}
my $good = 0;
while ((my $pid = wait) > 0)
{
	$good++ if $? == 0;
	last if $good == 20;
}
is($good, 20, '10,000 requests were answered');
is(settled('/statuses/nWRhpRV', 10_000), 10_000, '10,000 requests are 10,000 records');
is($service->sql('SELECT ((catalogue.count(\'statistics\')).data::json ->> \'count\')::bigint - (SELECT count(*) FROM '
	. 'catalogue.statistics)'), 0, 'the counter is the same');

# the database is unavailable and comes back: no record is lost or stored twice
my $sent = 0;
for my $turn (1 .. 3)
{
	for (1 .. 60)
	{
		$service->get('/nonesuch/outage');
		$sent++;
	}
	$service->cluster('restart');
	for (1 .. 60)
	{
		$service->get('/nonesuch/outage');
		$sent++;
	}
}
$service->cluster('stop');
for (1 .. 1500)
{
	$service->get('/nonesuch/outage');
	$sent++;
}
is($service->get('/tags')->{status}, 503, 'the database is unavailable');
$service->cluster('start');
is(settled('/nonesuch/outage', $sent), $sent, "$sent requests around restarts are $sent records");
is(settled('/tags', 0) > 0, 1, 'the request with 503 is recorded');

# a lost acknowledgement: PostgreSQL has committed, and the connection ends while it waits for a standby
# that does not exist
my $waiting = "FROM pg_stat_activity WHERE usename = 'catalogue_shim' AND wait_event = 'SyncRep'";
$service->sql("ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
$service->sql('SELECT pg_reload_conf()');
my $unheard = 0;
for my $turn (1 .. 4)
{
	$service->get('/nonesuch/unheard') for 1 .. 10;
	poll(90, sub { $service->sql("SELECT count(*) $waiting") > 0 });
	$unheard += $service->sql("SELECT count(pg_terminate_backend(pid)) $waiting");
}
$service->sql('ALTER SYSTEM RESET synchronous_standby_names');
$service->sql('SELECT pg_reload_conf()');
cmp_ok($unheard, '>=', 4, 'acknowledgements were lost');
is(settled('/nonesuch/unheard', 40), 40, 'no record is lost or stored twice');

# a record that the table does not accept: its batch is dropped and logged, later batches are stored
$service->sql("ALTER TABLE catalogue.statistics ADD CONSTRAINT no_poison CHECK (endpoint <> '/nonesuch/poison')");
$service->get('/nonesuch/poison');
wait_until('the batch is dropped', sub { grep { $_->{event} eq 'statistics lost' } $service->log });
$service->get('/nonesuch/healthy') for 1 .. 5;
is(settled('/nonesuch/healthy', 5), 5, 'a batch that cannot be stored does not delay others');
ok((grep { $_->{event} eq 'statistics not stored' && $_->{message} =~ /no_poison/ } $service->log),
	'the log has the reason');
ok((grep { $_->{event} eq 'statistics lost' && $_->{message} eq '1 requests' } $service->log),
	'the log has the number of lost records');

# a missing privilege: records wait until it is granted
$service->sql('REVOKE EXECUTE ON FUNCTION catalogue.record_statistics FROM PUBLIC, catalogue_shim');
$service->get('/nonesuch/waiting') for 1 .. 5;
wait_until('the records are refused',
	sub { slurp("$service->{var}/logs/postgresql.log") =~ /permission denied for function record_statistics/ });
is(count_rows('/nonesuch/waiting'), 0, 'no record is stored without the privilege');
$service->sql('GRANT EXECUTE ON FUNCTION catalogue.record_statistics TO catalogue_shim');
is(settled('/nonesuch/waiting', 5), 5, 'records wait until they can be stored');

# SIGTERM right after the requests, with open connections
my @idle = map { $service->connection } 1 .. 4;
$service->get('/nonesuch/last') for 1 .. 500;
is($service->stop_shim, 0, 'SIGTERM');
is(count_rows('/nonesuch/last'), 500, 'no record from before SIGTERM is lost');

# CATALOGUE_STATISTICS=off
$service->{settings}{CATALOGUE_STATISTICS} = 'off';
$service->start_shim;
my $before = $service->sql('SELECT count(*) FROM catalogue.statistics');
$service->get('/tags') for 1 .. 5;
$service->raw("nonsense\r\n\r\n");
sleep 0.5; # nothing must be stored meanwhile
is($service->sql('SELECT count(*) FROM catalogue.statistics'), $before, 'statistics=off: no record');
is($service->sql("SELECT count(*) FROM pg_stat_activity WHERE usename = 'catalogue_shim'"), 2 * (1 + 2 + 1),
	'statistics=off: no connection for statistics');

$service->is_sound;
$service->finish;
