#!/usr/bin/perl
# GET /metrics: the format, as Prometheus's own checker reads it; who may read it; that the figures are right, that
# clients cannot add series, and that there is an answer while the database is away.

use strict;
use warnings;

use Catalogue::Clock qw(poll wait_until);
use Catalogue::Definition;
use Catalogue::Test;
use Catalogue::Upload;
use IPC::Open2;
use Test::More;
use Time::HiRes qw(sleep time);

my $service = Catalogue::Test->start(cluster => 'private', CATALOGUE_THREADS => 2, CATALOGUE_SHARED_CONNECTIONS => 2,
	CATALOGUE_METRICS_ADDRESSES => '127.0.0.1', CATALOGUE_TRUSTED_PROXIES => '127.0.0.9')->as_admin;
my %nobody  = (Authorization => undef);

# The samples of a text: name with labels => value.
sub samples { my ($text) = @_; return { map { /^([^# ]\S*(?:\{.*\})?) (\S+)$/ ? ($1 => $2) : () } split /\n/, $text } }
sub metrics { return samples($service->get('/metrics', %nobody)->{body}) }

# Wait until a metric has a value that the check accepts; return it.
sub wait_for
{
	my ($name, $check) = @_;
	my $value;
	poll(90, sub { $value = metrics()->{$name}; defined $value && $check->($value) });
	return $value;
}

# What promtool says of a text; empty when it is right.
sub complaints
{
	my ($text) = @_;
	my $pid = open2(my $out, my $in, 'promtool check metrics 2>&1');
	print $in $text;
	close $in;
	my $said = do { local $/; <$out> };
	waitpid $pid, 0;
	return $said . ($? ? "exit status $?\n" : '');
}

# The checker finds what is wrong.
like(complaints("# TYPE x gauge\nx{a=\"b} 1\n"), qr/error while linting|unexpected/,
	'promtool refuses a malformed text');

# Figures of a table whose name has the characters that labels escape.
$service->sql(q(CREATE SCHEMA odd; CREATE TABLE odd."a""b\c" (id catalogue.id PRIMARY KEY, name text,
	created_at timestamptz NOT NULL DEFAULT now(),
	updated_at timestamptz NOT NULL DEFAULT now(), deleted_at timestamptz); SELECT catalogue.expose('odd."a""b\c"',
		'Odd')));
sleep 5.1;
my $reply = $service->get('/metrics', %nobody);
is($reply->{status}, 200, 'an address of the setting needs no credential');
is($reply->{headers}{'content-type'}, 'text/plain; version=0.0.4; charset=utf-8',
	'the type is that of the text format');
is($reply->{headers}{'cache-control'}, 'no-store', 'caches do not keep it');
is(complaints($reply->{body}), '', 'promtool accepts the text');
my $values = samples($reply->{body});
is($values->{'catalogue_records{resource="a\"b\\\\c"}'}, 0, 'the value of a label is escaped');
is($values->{catalogue_up}, 1, 'the database answers');
is($values->{'catalogue_records{resource="tags"}'}, $service->get('/tags/count')->{json}{data}{count},
	'figures of the database are those of status()');
is(scalar(grep { !/^# HELP \S+ \S/ } grep { /^# HELP/ } split /\n/, $reply->{body}), 0, 'each metric has a text');
is(scalar(grep { !/^catalogue_/ } keys %$values), 0, 'all names begin with that of the service');

# requests are counted by route, method and status, in all threads
my $counted = 'catalogue_http_requests_total{route="/:resource/:id",method="GET",status="404"}';
my $before = $values->{$counted} // 0;
for my $n (1 .. 20)
{
	delete $service->{socket};
	$service->get("/tags/none$n");
}
is(metrics()->{$counted}, $before + 20, 'requests of all threads are summed');
my $bucket = 'catalogue_http_request_duration_seconds_bucket{route="/:resource/:id",method="GET",le="%s"}';
$values = metrics();
is($values->{ sprintf $bucket, '+Inf' },
	$values->{'catalogue_http_request_duration_seconds_count{route="/:resource/:id",method="GET"}'},
	'the last bucket has all');
my @sums = map { $values->{ sprintf $bucket, $_ } } qw(0.001 0.002 0.005 0.01 0.02 0.05 0.1 0.2 0.5 1 2 5 10 30 +Inf);
is("@sums", join(' ', sort { $a <=> $b } @sums), 'each bucket has those below it too');
cmp_ok($values->{'catalogue_http_request_duration_seconds_sum{route="/:resource/:id",method="GET"}'}, '<', 30,
	'durations are seconds');

# a slow request is in the bucket of its duration
my $locker = do {
	local %ENV = (%ENV, %{ $service->{server} });
	open my $pipe, '-|', 'psql', '-XAtq', '-d', $service->{database}, '-c',
		q(BEGIN; LOCK catalogue.tags IN ACCESS EXCLUSIVE MODE; SELECT 'locked'), '-c', 'SELECT pg_sleep(1)', '-c', 'COMMIT'
		or die "psql: $!";
	$pipe;
};
is(scalar(<$locker>), "locked\n", 'another session holds the table');
$service->patch('/tags/none0', { name => 'late' });
1 while <$locker>;
close $locker or die "psql failed\n";
$values = metrics();
my $slow = 'catalogue_http_request_duration_seconds_bucket{route="/:resource/:id",method="PATCH",le="%s"}';
is(($values->{ sprintf $slow, '0.2' } // 0), 0, 'a slow request is not in a bucket below its duration');
is($values->{ sprintf $slow, '5' }, 1, 'it is in one above');

# clients add no series: paths, methods, resources
my @series = grep { /^catalogue_http/ } keys %{ metrics() };
$service->raw("$_ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n") for 'BREW /x1', 'BREW /x2', 'STEEP /x3';
my %first = %{ metrics() };
$service->get("/odd-$_/a/b/c/d") for 1 .. 30;
$service->get("/odd-$_") for 1 .. 30;
$service->raw("BREW$_ /odd HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n") for 1 .. 10;
my @added = grep { /^catalogue_http_requests/ && !defined $first{$_} } keys %{ metrics() };
cmp_ok(scalar @added, '<=', 3, 'unknown paths and methods share their series') or diag("@added");
is(scalar(grep { /^catalogue_http.*(odd|BREW)/ } keys %{ metrics() }), 0, 'nothing that a client has sent is a label');

# connections, by what they do
is(wait_for('catalogue_database_connections{kind="shared",state="idle"}', sub { $_[0] == 4 }), 4,
	'two threads with two shared connections each');
is(wait_for('catalogue_http_connections', sub { $_[0] == 1 }), 1, 'the connection of this test');
cmp_ok(metrics()->{'catalogue_threads'}, '==', 2, 'two threads');

# statistics that wait for the database, jobs, uploads
cmp_ok(wait_for('catalogue_statistics_waiting', sub { $_[0] <= 2 }), '<=', 2, 'statistics are stored soon');
is(metrics()->{catalogue_statistics_lost_total}, 0, 'none were lost');
my $state = sub {
	my $m = metrics();
	return join ' ', map { $m->{"catalogue_jobs{state=\"$_\"}"} } qw(queued running failed)
};
like($state->(), qr/^\d+ \d+ \d+$/, 'jobs by state');
ok(defined metrics()->{"catalogue_$_"}, $_) for 'uploads', 'history_oldest_change_age_seconds',
	'statistics_not_rolled_up', 'upkeep_overdue{job="prune"}', 'database_size_bytes';
my $open = $service->connection;
syswrite $open, "POST /files HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer $service->{token}\r\n"
	. "Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 1000\r\n\r\n"
	. qq(--b\r\nContent-Disposition: form-data; name="uploadFile"; filename="a.csv"\r\n\r\nx);
is(wait_for('catalogue_uploads_running', sub { $_[0] == 1 }), 1, 'an upload that is running');
close $open;
is(wait_for('catalogue_uploads_running', sub { $_[0] == 0 }), 0, 'its connection has ended');

# the database computes its figures once in a period, however often they are read
my $calls = sub { return $service->sql(q(SELECT calls FROM pg_stat_user_functions WHERE funcname = 'metrics_text')) };
$service->sql("ALTER SYSTEM SET track_functions = 'all'");
$service->sql('SELECT pg_reload_conf()');
wait_until('calls are counted', sub { metrics(); $calls->() });
my ($start, $counted_before) = (time, $calls->());
metrics() for 1 .. 40;
my $took = time - $start;
wait_until('a later call is counted', sub { metrics(); $calls->() > $counted_before });
cmp_ok($calls->() - $counted_before, '<=', 3 + (time - $start) / 5,
	sprintf 'figures are computed once in five seconds (40 requests in %.1f s)', $took);

# lookups in the caches of the shim
$service->sql("SELECT catalogue.add_consumer('Cached')");
my $cached = $service->sql("SELECT secret FROM catalogue.add_api_key('Cached')");
my $lookups = sub {
	my ($cache, $result) = @_;
	return metrics()->{qq(catalogue_cache_lookups_total{cache="$cache",result="$result"})}
};
my %lookups = map { my $cache = $_; map { ("$cache $_" => $lookups->($cache, $_)) } qw(miss hit) } qw(api_keys tokens);
$service->get('/tags/count', %nobody, apikey => $cached) for 1 .. 10;
cmp_ok($lookups->('api_keys', 'miss'), '>', $lookups{'api_keys miss'}, 'the first use of an API key is a miss');
cmp_ok($lookups->('api_keys', 'hit'), '>', $lookups{'api_keys hit'}, 'a later one is a hit');
is($lookups->('tokens', 'hit') + $lookups->('tokens', 'miss'), $lookups{'tokens hit'} + $lookups{'tokens miss'},
	'no token was looked up');
$service->get('/tags/count') for 1 .. 10;
is($lookups->('tokens', 'hit') + $lookups->('tokens', 'miss'), $lookups{'tokens hit'} + $lookups{'tokens miss'} + 10,
	'each request with a token is one lookup');
cmp_ok($lookups->('tokens', 'hit'), '>=', $lookups{'tokens hit'} + 8, 'each thread verifies a token at most once');

# who may not read them: nobody, a guest, an application, a key for something else, and whom a proxy speaks for
my (undef, $guest) = Catalogue::Definition->new($service)->user('watcher', 'guest');
$service->sql("SELECT catalogue.add_consumer('$_')") for qw(Portal Narrow);
my ($wide, $narrow) = map { $service->sql("SELECT secret FROM catalogue.add_api_key($_)") } q('Portal'),
	q('Narrow', resources => '{tags}');
my %other = ('X-Forwarded-For' => '127.0.0.1');
for ([ 401, 'nobody', %nobody ], [ 403, 'a guest', Authorization => $guest ],
	[ 403, 'an application', %nobody, apikey => $wide ],
	[ 403, 'a superadmin by a key for tags', apikey => $narrow ],
		[ 401, 'a wrong token', Authorization => 'Bearer x.y.z' ])
{
	my ($status, $who, @headers) = @$_;
	$reply = $service->get('/metrics', @headers, %other);
	is($reply->{status}, $status, "$who, from another address: $status");
	unlike($reply->{body}, qr/catalogue_/, "$who: no figure");
}
is($service->get('/metrics', %nobody, $_ => '127.0.0.1')->{status}, 401,
	"$_ is sent by a proxy, whose address counts for nobody behind it")
	for qw(X-Forwarded-For X-Forwarded-Host X-Forwarded-Proto);
is($service->get('/metrics', %other)->{status}, 200, 'a superadmin may read them from anywhere');
is($service->get('/metrics', %nobody,
	Accept => 'application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1')->{status}, 200,
	'what Prometheus accepts');
is($service->get('/metrics', %nobody, Accept => 'application/json')->{status}, 406, 'JSON is not offered');
is($service->post('/metrics', {}, %nobody)->{status}, 405, 'nothing can be posted');
$reply = $service->head('/metrics', %nobody);
is("$reply->{status} [$reply->{body}]", '200 []', 'HEAD');

# a private service, and one that no address is named for
my $private = Catalogue::Test->start(CATALOGUE_PRIVATE => 'on');
is($private->get('/metrics', %nobody)->{status}, 401, 'without the setting no address may read them');
is($private->as_admin->get('/metrics')->{status}, 200, 'a superadmin may');
$private->end_service;

# the database is away: a monitoring system learns it, others are told to come again
$service->cluster('stop');
is(wait_for('catalogue_up', sub { $_[0] == 0 }), 0, 'catalogue_up is 0');
$reply = $service->get('/metrics', %nobody);
is($reply->{status}, 200, 'there is an answer');
is(complaints($reply->{body}), '', 'promtool accepts that too');
$values = samples($reply->{body});
is($values->{'catalogue_records{resource="tags"}'}, undef, 'figures from before are not shown');
cmp_ok($values->{$counted}, '>=', 20, 'the counters are');
is(wait_for('catalogue_database_connections{kind="shared",state="down"}', sub { $_[0] == 4 }), 4,
	'connections are down');
is($service->get('/metrics', %other)->{status}, 503, 'a superadmin gets 503');
$service->cluster('start');
is(wait_for('catalogue_up', sub { $_[0] == 1 }), 1, 'the database is back');

$service->finish;
