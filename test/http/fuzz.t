#!/usr/bin/perl
# Malicious queries over HTTP: each gets an answer of the contract, and PostgreSQL's log has no errors.  The queries are
# the same in each run.

use strict;
use warnings;
use utf8;

use Encode ();
use Test::More;
use Time::HiRes qw(time);
use Catalogue::Clock qw(wait_until);
use Catalogue::Program qw(command);
use Catalogue::Test;

my $service = Catalogue::Test->start->as_admin;

# from here on each error in PostgreSQL's log has its SQLSTATE
$service->sql("ALTER ROLE catalogue_shim IN DATABASE $service->{database} SET log_error_verbosity = verbose",
	'postgres');
$service->stop_shim;
# connections that the shim closed may log an error until their backends have ended
my $left =
	"SELECT count(*) FROM pg_stat_activity WHERE datname = '$service->{database}' AND usename = 'catalogue_shim'";
wait_until('the backends have ended', sub { $service->sql($left) == 0 });
chomp(my $place = command({}, '.ci/cluster', 'place'));
my $begin = -s "$place/logs/postgresql.log";
$service->start_shim;

# Errors of this database in PostgreSQL's log since the beginning: SQLSTATE, message.
sub errors
{
	open my $log, '<', "$place/logs/postgresql.log" or die "$place/logs/postgresql.log: $!";
	seek $log, $begin, 0;
	return map { /\@\Q$service->{database}\E (?:ERROR|FATAL|PANIC):  (.*)/ ? $1 : () } <$log>;
}

my (%status, @bad);
my $slowest = 0;

# Send a request, and add it to @bad when the status is unexpected, the body is not JSON, or it took too long.
sub ask
{
	my ($path) = @_;
	my $start = time;
	my $reply = $service->get($path);
	my $taken = time - $start;
	$status{ $reply->{status} }++;
	$slowest = $taken if $taken > $slowest;
	push @bad, "$reply->{status} in $taken s: " . substr($path, 0, 200)
		if $reply->{status} !~ /^(200|206|400|404|414|422)$/ && !($reply->{status} == 401 && $path =~ /[?&]jwt=/)
			|| $taken > 30 || !ref $reply->{json} || ($reply->{status} >= 400) != exists $reply->{json}{code};
	return $reply;
}

sub escape { my ($text) = @_; return Encode::encode('UTF-8', $text) =~ s/([^A-Za-z0-9])/sprintf '%%%02X', ord $1/ger }

sub all_answered
{
	my ($what) = @_;
	is(scalar @bad, 0, sprintf '%s: %s; slowest %.0f ms', $what, join(', ', map { "$status{$_} of $_" } sort keys %status),
		1e3 * $slowest)
		or diag(join "\n", @bad[ 0 .. ($#bad < 9 ? $#bad : 9) ]);
	(@bad, %status) = ();
	$slowest = 0;
	return;
}

my @pieces = ("'", '"', ';', '--', '/*', '*/', '\\', '$1', '$$', ')', '(', ',', '.', '..', '[', ']', '[gte]', '[ne]',
	'%', '_', ' ', "\t", "\n", '=', '<', '::int', ' OR true', ' UNION SELECT 1',
	'; DROP TABLE catalogue.tags', 'name', 'id', 'tags', 'status', 'owner', 'createdBy', 'password', 'deleted_at', 'ctid',
		'null', 'true', '0', '1e3', '2026-01-31', 'é', 'ı', '😀', "\x{301}",
	"\x{202e}", "\x{1}", "\x{7f}", 'COLLATE', 'DESC', 'pg_sleep(9)', 'now()');
sub mess { return join '', map { $pieces[ rand @pieces ] } 0 .. rand 6 }

# ten thousand names of unknown fields, a hundred at a time, as filters
srand 2026;
for (1 .. 100)
{
	ask('/datasets/count?' . join '&', map { substr(escape(mess()), 0, 70) =~ s/%.?$//r . '=x' } 1 .. 100);
}
all_answered('10,000 names');

# the same pieces in each place of a query or a path that takes a value
my @places = qw(name=? id=? status=? tags=? visible=? createdAt=? createdAt[lt]=? name[?]=x ?[gte]=x optionals=?
	status.name=? status.?=x tags.slug=?&match=EXACT orderBy=? orderBy=status.? sort=? limit=? skip=?
	match=? condition=? version=? fields=? fields=tags.? include=? include=tags.? query=? jwt=?);
for my $place (@places)
{
	ask('/' . (qw(datasets tags users files))[$_ % 4] . '?' . $place =~ s/\?/escape(mess())/er) for 1 .. 40;
}
for (1 .. 200)
{
	my $mess = escape(mess());
	ask("/tags/$mess") unless $mess =~ /^(%2E)*$/;
	ask("/datasets/$mess/tags") unless $mess =~ /^(%2E)*$/;
}
all_answered('injected in each place');

# a browser gets a page for each, whose links repeat the parameters
my $file = $service->sql('SELECT id FROM catalogue.files ORDER BY name LIMIT 1');
$service->sql(qq(SELECT catalogue.contents_load('$file', '[["a[b","c&d"],["1","2"]]')));
my @pages = ('/', '/datasets', '/datasets/airports', "/files/$file", "/files/$file/contents", '/datasets/search',
	'/nonesuch');
for my $n (0 .. ($ENV{CATALOGUE_WALKS} ? 699 : 209))
{
	my $path = $pages[ $n % @pages ] . '?' . join '&',
		map { escape(mess()) . (int(rand 3) ? '=' : '') . escape(mess()) } 0 .. rand 4;
	my $reply = $service->get($path, Accept => 'text/html', Authorization => undef);
	push @bad, "$reply->{status}: $path"
		if $reply->{status} !~ /^(200|400|404|414|422)$/ || $reply->{body} !~ m{</html>\s*\z};
	$status{ $reply->{status} }++;
}
all_answered('pages');

# parameters that are given twice, or contradict each other
sub names { my ($query) = @_; return join ' ', map { $_->{name} } @{ ask("/statuses?$query")->{json}{data} } }
is(names('limit=1&limit=2&orderBy=name'), 'Draft Published', 'limit: the last one counts');
is(names('orderBy=createdAt&orderBy=name&sort=ASC&sort=DESC&limit=1'), 'Unpublished',
	'orderBy and sort: the last ones count');
is(names('name=draft&name=rejected&orderBy=name'), 'Draft Rejected', 'a filter given twice is two filters');
is(names('name=draft&name=rejected&condition=AND'), '', 'two filters that contradict each other give nothing');
is(names('name=draft&name[ne]=draft&condition=AND'), '', 'a filter and its opposite give nothing');
is(ask('/statuses/count?name=draft&name[ne]=draft')->{json}{data}{count}, 0,
	'whatever "condition" says, since [ne] is always required');
is(names('name=null'), '', 'a required field is never null');
is(ask('/statuses?fields=name&fields=id&limit=1')->{json}{data}[0]{name}, 'Draft', 'fields add up');
is_deeply(ask('/statuses?colour=1&colour=2&fields=shade,colour')->{json}{meta}{ignored}, [qw(colour shade)],
	'each ignored name is reported once');
all_answered('contradictions');

# large requests; those that are too long are refused before they are sent to PostgreSQL
$service->sql(q{INSERT INTO catalogue.tags (name, created_by) SELECT repeat('a', 90) || n, id FROM generate_series(1, }
	. q{1000) n, catalogue.users WHERE username = 'admin'});
is(ask('/tags?' . join '&', map { "name=a$_" } 1 .. 100)->{status}, 206, '100 filters are answered');
is(ask('/tags?' . join '&', map { "name=a$_" } 1 .. 101)->{status}, 400, '101 filters are refused');
is(ask('/datasets?' . join '&', map { "tags.datasets.tags.name=a$_" } 1 .. 100)->{status}, 200,
	'100 deep filters are answered');
is(ask('/tags?name=' . 'a' x 8000)->{status}, 200, '8,000 letters are answered');
is(ask('/tags?name=' . 'a' x 8192)->{status}, 414, '8,192 letters are refused');
is(ask('/tags?name=' . join ',', ('a') x 100)->{status}, 206, '100 values are answered');
is(ask('/tags?name=' . join ',', ('a') x 101)->{status}, 422, '101 values are refused');
is(ask("/tags?name=$_")->{status}, 200, substr($_, 0, 9) . ' and so on is answered') for '%25' x 2600, '%25a' x 2000,
	'_' x 8000, '%5C%25' x 1300;
is(ask('/tags/count?name=' . '%25a' x 2000 . "&match=$_")->{json}{data}{count}, 0,
	"a long pattern of per cent signs matches nothing by $_") for qw(BEGINS ENDS EXACT);
is(ask("/tags?limit=$_")->{json}{meta}{limit}, 10_000, "limit=$_ is the greatest limit")
	for '9223372036854775808', '9' x 100;
is_deeply(ask("/tags?skip=$_")->{json}{data}, [], "skip=$_ is beyond the end") for '9223372036854775808', '9' x 100;
is(ask("/tags?$_")->{status}, 422, "$_ is refused") for 'limit=1e9', 'limit=-1', 'skip=-1',
	'orderBy=' . 'createdBy.' x 800 . 'id';
is(ask('/tags?limit=1000000000')->{json}{meta}{limit}, 10000, 'limit=1000000000 is clamped');
my $far = ask('/tags?skip=9223372036854775807')->{json};
is_deeply([ $far->{data}, @{ $far->{meta} }{qw(start end)} ], [ [], 0, 0 ], 'skip=2^63-1 is beyond the end');
is(ask('/tags?skip=9223372036854775807&limit=10000&orderBy=name')->{status}, 206,
	'skip=2^63-1 is accepted in any order');
is(ask('/datasets?' . 'tags.datasets.' x 500 . 'name=x')->{status}, 200, 'a name of a thousand parts is unknown');
all_answered('large ones');

# requests with bodies that are refused
my $tag = $service->post('/tags', '{"name": "fuzz"}');
my @refused = map { $_->{status} } $service->post('/tags', '{"name": '), $service->post('/tags', '{"name": "\u0000"}'),
	$service->post('/tags', '{"name": "fuzz"}'),
	$service->post('/datasets', '{}'), $service->post('/datasets', '{"visible": "perhaps", "optionals": 1e999}'),
		$service->post('/users/login', '{"username": "x", "password": "y"}'),
	$service->patch('/tags/none', '{"name": "x"}'), $service->patch('/datasets/none/publish', ''),
		$service->delete('/statuses/qWRhpRV'), $service->post('/select', '{"sql": "SELECT 1 +"}'),
	$service->post('/batch', '[{"verb": "POST"}]');
is_deeply([ grep { $_ < 400 || $_ >= 500 } @refused ], [], 'bodies are refused') or diag("@refused");

# what was refused is not in PostgreSQL's log, what the server cannot do is
my @errors = errors();
is(scalar @errors, 0, 'PostgreSQL logged no error') or diag(join "\n", @errors[ 0 .. ($#errors < 9 ? $#errors : 9) ]);
is(scalar(grep { ($_->{status} // 0) >= 500 } $service->log), 0, 'no answer was a server error');
is($service->sql('SELECT count(*) FROM catalogue.tags WHERE deleted_at IS NULL'),
	$service->get('/tags/count')->{json}{data}{count}, 'all records still exist');
$service->sql('REVOKE EXECUTE ON FUNCTION catalogue.count FROM PUBLIC, catalogue_shim');
is($service->get('/tags/count')->{status}, 500, 'a missing privilege');
is(scalar(grep { /^42501: permission denied/ } errors()), 1, 'is logged');

$service->finish;
