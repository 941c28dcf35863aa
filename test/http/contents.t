#!/usr/bin/perl
# Rows of files over HTTP: pages and their links, filters, groups, CSV and NDJSON, columns and issues;
# who sees them; and that a scan of many rows delays no other request.

use strict;
use warnings;
use utf8;

use Encode ();
use Test::More;
use Time::HiRes qw(time);
use Catalogue::Clock qw(wait_until);
use Catalogue::Test;
use Catalogue::Definition;

my $service    = Catalogue::Test->start(CATALOGUE_THREADS => 1, CATALOGUE_POOL => 4)->as_admin;
my $definition = Catalogue::Definition->new($service);
my ($csv, $ndjson) = ('text/csv', 'application/x-ndjson');

sub make_file
{
	my ($name) = @_;
	my $made = $service->post('/files', { %{ $definition->record('files') }, name => $name });
	die "$made->{status} $made->{body}\n" unless $made->{status} == 201;
	return $made->{json}{links}{record} =~ m{(\w+)$};
}

# Store the result of a SELECT, which returns JSON, as the contents of a file.
sub load { my ($file, $rows) = @_; return $service->sql("SELECT catalogue.contents_load('$file', ($rows))") }

my ($file) = make_file('Stations');
my $path = "/files/$file/contents";

# a file without bytes
my $none = $service->get($path);
is($none->{status}, 404, 'a file without bytes has no contents');
is($none->{json}{code}, 'E_NOT_FOUND', 'the error code');
is($service->get('/files/zzzzzzzzzzzzzzz/contents')->{status}, 404, 'an unknown file has no contents');

load($file, q{SELECT json_agg(json_build_object('name', 'ñandú ' || n, 'n', n, 'even', n % 2 = 0, 'day', to_char(date }
	. q{'2024-01-01' + n, 'YYYY-MM-DD')) ORDER BY n) FROM generate_series(1, 2345) n});

# a page, its position and its links
my $page = $service->get("$path?limit=2&skip=3");
is($page->{status}, 206, 'a page is 206');
is_deeply([ @{ $page->{json}{meta} }{qw(count limit start end page pages)} ], [ 2345, 2, 4, 5, 2, 1173 ],
	'a page has its position');
is($page->{headers}{'content-range'}, 'items 3-4/2345', 'a page has Content-Range');
like(Encode::decode_utf8($page->{body}),
	qr/"data":\[\{"_id":4,"name":"ñandú 4","n":"4","even":"true","day":"2024-01-05"\},\{"_id":5,/,
	'rows are flat objects, in the order of the columns, values as text') or diag($page->{body});
is($page->{json}{links}{all}, "$service->{base}$path", 'a link to all rows');
is($page->{json}{links}{file}, "$service->{base}/files/$file", 'a link to the file');
ok(!exists $page->{json}{links}{firstItem}, 'rows have no paths');
for ([ first => 0 ], [ previous => 1 ], [ next => 5 ], [ last => 2343 ])
{
	like($page->{json}{links}{ $_->[0] }, qr/^\Q$service->{base}$path\E\?limit=2&skip=$_->[1]&version=/,
		"the link $_->[0]");
	is($service->follow($page->{json}{links}{ $_->[0] })->{json}{data}[0]{_id}, $_->[1] + 1,
		"the link $_->[0] gives its page");
}
like($page->{headers}{link}, qr/<\Q$page->{json}{links}{next}\E>; rel="next"/, 'the links are header fields too');

# all pages, while the file changes: the version is that of the first page
my ($next, @walked) = "$service->{base}$path?limit=400&fields=n";
while ($next)
{
	my $reply = $service->follow($next);
	push @walked, map { $_->{n} } @{ $reply->{json}{data} };
	load($file, q{SELECT json_agg(json_build_object('name', 'new ' || n, 'n', n, 'even', n % 2 = 0, 'day', to_char(date }
		. q{'2024-01-01' + n, 'YYYY-MM-DD')) ORDER BY n) FROM generate_series(1, 2345) n}) if @walked == 800;
	$next = $reply->{json}{links}{next};
}
is_deeply(\@walked, [ 1 .. 2345 ], 'all pages together are all rows, each once');
is($service->get("$path?limit=1")->{json}{data}[0]{name}, 'new 1', 'a new request sees the new rows');

# filters, order, columns, types
for (
	[ 'n=7',                                           1,    [7] ],
	[ 'n=7,9',                                         2,    [ 7, 9 ] ],
	[ 'n[gt]=2343',                                    2,    [ 2344, 2345 ] ],
	[ 'n%5Bgt%5D=2343',                                2,    [ 2344, 2345 ] ],
	[ 'name=EW%2012&match=contains&limit=3',           111,  [ 12, 120, 121 ] ],
	[ 'name=new+12&match=exact',                       1,    [12] ],
	[ 'even=true&n[lt]=5&condition=AND',               2,    [ 2, 4 ] ],
	[ 'day=2024-01-02',                                1,    [1] ],
	[ 'orderBy=n&sort=DESC&limit=2',                   2345, [ 2345, 2344 ] ],
	[ 'orderBy=even,n&sort=DESC&limit=2',              2345, [ 2344, 2342 ] ],
	[ 'name=null',                                     0,    [] ],
	)
{
	my ($query, $count, $numbers) = @$_;
	my $reply = $service->get("$path?$query");
	is($reply->{json}{meta}{count}, $count, "$query: the count") or diag($reply->{body});
	is_deeply([ map { $_->{n} } @{ $reply->{json}{data} } ], $numbers, "$query: these");
}
is_deeply($service->get("$path?limit=1&types=true&fields=n,even,day")->{json}{data}[0],
	{ _id => 1, n => 1, even => Cpanel::JSON::XS::false, day => '2024-01-02' }, 'types');
is_deeply($service->get("$path?limit=1&fields=n,colour&shade=red")->{json}{meta}{ignored}, [ 'colour', 'shade' ],
	'unknown names are reported as ignored');

# facets and histograms are in meta, of the page cache as well; different values are the rows
for my $time ('first', 'second')
{
	my $counts = $service->get("$path?facets=even&histogram=n&limit=1&types=true")->{json};
	my %facet = map { $_->{value} => $_->{count} } @{ $counts->{meta}{facets}{even}{values} };
	my $total = 0;
	$total += $_ for values %facet;
	is($total, $counts->{meta}{count}, "$time time: the counts of a facet are all rows");
	$total = 0;
	$total += $_->{count} for @{ $counts->{meta}{histograms}{n}{buckets} };
	is($total, $counts->{meta}{count}, "$time time: the counts of a histogram are all rows");
}
is($service->get("$path?distinct=even")->{json}{meta}{count}, 2, 'different values are counted');
is($service->get("$path?distinct=even&orderBy=even", Accept => 'text/csv')->{body}, "even\r\nfalse\r\ntrue\r\n",
	'different values as CSV');
is($service->get("$path?facets=even&limit=2", Accept => 'text/csv')->{status}, 206, 'CSV has no facets');

my $groups = $service->get("$path?groupBy=even&aggregate=count,sum(n),max(day)&orderBy=even");
is_deeply($groups->{json}{data}, [ { even => 'false', count => 1173, 'sum(n)' => 1375929, 'max(day)' => '2030-06-03' },
	{ even => 'true', count => 1172, 'sum(n)' => 1374756, 'max(day)' => '2030-06-02' } ], 'groups')
	or diag($groups->{body});
is($groups->{status}, 200, 'groups are always 200');

for ([ 'limit=x', 422 ], [ 'n=x', 422 ], [ 'orderBy=colour', 422 ], [ 'groupBy=colour', 422 ], [ 'types=maybe', 422 ],
	[ 'sheet=9', 404 ], [ 'version=2001-01-01T00:00:00Z', 422 ], [ 'n=%zz', 422 ])
{
	my $refused = $service->get("$path?$_->[0]");
	is($refused->{status}, $_->[1], "$_->[0]: $_->[1]") or diag($refused->{body});
	ok($refused->{json}{meta}{message}, 'the error has a message');
}

# other media types
my $all = $service->get($path, Accept => $csv);
is($all->{status}, 200, 'CSV without a limit is all rows');
is($all->{headers}{'content-type'}, 'text/csv; charset=utf-8; header=present', 'the type of CSV');
my @lines = split /\r\n/, $all->{body};
is(scalar @lines, 2346, 'CSV has a line for each row, and one of names');
is_deeply([ @lines[ 0, 1, 2345 ] ], [ 'name,n,even,day', 'new 1,1,false,2024-01-02', 'new 2345,2345,false,2030-06-03' ],
	'CSV has the rows from the first to the last');
my $some = $service->get("$path?limit=2&skip=1&fields=n", Accept => $csv);
is($some->{body}, "n\r\n2\r\n3\r\n", 'a page of CSV');
is($some->{status}, 206, 'a page of CSV is 206');
is($some->{headers}{'content-range'}, 'items 1-2/2345', 'a page of CSV has Content-Range');
is($service->get("$path?n=2&fields=n", Accept => $ndjson)->{body}, qq({"_id":2,"n":"2"}\n), 'NDJSON of a filter');
is($service->get("$path?n=0", Accept => $ndjson)->{body}, '', 'none');
for my $query ('', '?limit=2', '?limit=0', '?skip=3')
{
	my ($get, $head) = ($service->get("$path$query", Accept => $csv), $service->head("$path$query", Accept => $csv));
	is($head->{status}, $get->{status}, "HEAD $query: the status of GET");
	is($head->{headers}{$_}, $get->{headers}{$_}, "HEAD $query: $_ of GET") for 'content-type', 'content-range',
		'link', 'vary';
	is($head->{body}, '', "HEAD $query: no body");
}
for ([ "$path?n=x", 422 ], [ "$path?groupBy=x", 422 ], [ '/files/zzzzzzzzzzzzzzz/contents', 404 ],
	[ "/files/$file/columns", 406 ], [ "/files/$file/schema", 406 ])
{
	my $refused = $service->get($_->[0], Accept => $csv);
	is($refused->{status}, $_->[1], "$_->[0] as CSV: $_->[1]");
	like($refused->{headers}{'content-type'}, qr{^application/json}, 'an error is JSON');
}

# columns, schema, sheets and issues
my $columns = $service->get("/files/$file/columns");
is($columns->{status}, 200, 'columns');
is($columns->{json}{meta}{count}, 4, 'the number of columns');
is_deeply([ map { "$_->{name} $_->{type}" } @{ $columns->{json}{data} } ],
	[ 'name text', 'n integer', 'even boolean', 'day date' ], 'names and types of the columns');
my $schema = $service->get("/files/$file/schema");
is($schema->{status}, 200, 'schema');
is_deeply([ map { $_->{type} } @{ $schema->{json}{data}{fields} } ], [qw(string integer boolean date)],
	'the schema has the types of Table Schema');
is($schema->{json}{links}{self}, "$service->{base}/files/$file/schema", 'the address of the schema');
is_deeply($service->get("/files/$file/issues")->{json}{data}, [], 'the file has no issues');
my $sheets = $service->get("/files/$file/sheets")->{json};
is_deeply([ @{ $sheets->{data}[0] }{qw(number name rows badRows columns)} ], [ 1, '', 2345, 0, 4 ],
	'the sheet of the file');
is($sheets->{links}{all}, "$service->{base}/files/$file/sheets", 'the address of the sheets');
is_deeply($service->get("/files/$file/resources")->{json}{data}, {}, 'the file has no maps and no charts');
my $chart = $service->post('/charts', { %{ $definition->record('charts') }, file => $file });
is($chart->{status}, 201, 'a chart') or diag($chart->{body});
my $resources = $service->get("/files/$file/resources")->{json}{data};
is_deeply([ keys %$resources ], ['charts'], 'the file has a chart');
is($resources->{charts}[0]{file}, $file, 'the chart is listed with its record');
is(ref $service->get("/files/$file/resources", Prefer => 'relations=embedded')->{json}{data}{charts}[0]{file}, 'HASH',
	'embedded relations are embedded in that record');

# conditional requests
for my $what ('contents', 'contents?n=7', 'columns', 'schema', 'sheets', 'issues', 'resources')
{
	my $reply = $service->get("/files/$file/$what");
	like($reply->{headers}{etag}, qr/^"/, "$what: an entity tag");
	my $again = $service->get("/files/$file/$what", 'If-None-Match' => $reply->{headers}{etag});
	is($again->{status}, 304, "$what: the tag gets 304");
	is($again->{body}, '', '304 has no body');
}
my $tag = $service->get($path)->{headers}{etag};
load($file, q{SELECT '[["a"],["b"]]'::json});
is($service->get($path, 'If-None-Match' => $tag)->{status}, 200, 'the tag changes with the rows');

# visibility: outsiders see the rows of published files
my @ways = map { "/files/$file/$_" } qw(contents columns schema issues sheets resources);
for my $way (@ways)
{
	is($service->get($way, Authorization => undef)->{status}, 404, "$way: hidden from outsiders");
	is($service->get($way, Authorization => undef, 'If-None-Match' => '*')->{status}, 404,
		"$way: hidden, with any condition");
}
is($service->get($path, Authorization => undef, Accept => $csv)->{status}, 404, 'hidden from outsiders as CSV');
is($service->patch("/files/$file/publish")->{status}, 200, 'published');
is($service->get($_, Authorization => undef)->{status}, 200, "$_: shown to outsiders") for @ways;
is($service->get($path, Authorization => undef, Accept => $csv)->{status}, 200, 'shown to outsiders as CSV');

# methods and OPTIONS
for my $way (@ways)
{
	my $refused = $service->post($way, {});
	is($refused->{status}, 405, "$way: POST is not allowed");
	like($refused->{headers}{allow}, qr/^GET, HEAD, OPTIONS$/, 'Allow names the methods');
	is($service->options($way)->{status}, 200, "$way: OPTIONS");
}
my ($method) = grep { $_->{verb} eq 'GET' } @{ $service->options($path)->{json}{methods} };
ok(exists $method->{parameters}{$_}, "OPTIONS names $_") for qw(limit skip orderBy sort fields match condition version
	sheet types groupBy aggregate facets facetLimit histogram distinct);
like($method->{headers}{Accept}, qr{text/csv}, 'OPTIONS names the types');
is($service->get("/FILES/$file/CONTENTS")->{status}, 200, 'words of the path in any letter case');

# a file that is still to be parsed, and one that never will be
my ($pending) = make_file('Pending');
$service->sql("UPDATE catalogue.files SET parse_state = 'pending', size = 3 WHERE id = '$pending'");
my $busy = $service->get("/files/$pending/contents");
is($busy->{status}, 409, 'a file that is still to be parsed: 409');
is_deeply($busy->{json}{data}, { parseState => 'pending', parseReason => undef }, 'the error has its state')
	or diag($busy->{body});
$service->sql("UPDATE catalogue.files SET parse_state = NULL WHERE id = '$pending'");
is($service->get("/files/$pending/contents")->{status}, 406, 'a type that is not parsed: 406');

# many rows: a long scan does not delay short requests, and ends when its client disconnects
load($file,
	q{SELECT json_agg(json_build_object('n', n, 't', repeat(md5(n::text), 8))) FROM generate_series(1, 30000) n});
my $whole = $service->get($path, Accept => $ndjson);
is(scalar(() = $whole->{body} =~ /\n/g), 30000, 'all rows of many');
my $socket = $service->connection;
syswrite $socket,
	"GET $path?orderBy=t HTTP/1.1\r\nHost: $service->{base}\r\nAuthorization: Bearer $service->{token}\r\n\r\n"
	=~ s{Host: http://}{Host: }r;
is($service->get("/files/$file")->{status}, 200, 'a record during a scan');
is($service->get("$path?limit=1")->{status}, 206, 'a page during a scan');
close $socket;
my $slow = $service->connection;
syswrite $slow,
	"GET $path HTTP/1.1\r\nHost: $service->{base}\r\nAccept: $csv\r\nAuthorization: Bearer $service->{token}\r\n\r\n"
	=~ s{Host: http://}{Host: }r;
sysread $slow, my $beginning, 1000;
like($beginning, qr/^HTTP\/1.1 200/, 'an export begins');
close $slow;
is($service->get("$path?n=29999", Accept => $csv)->{status}, 200,
	'another export follows one whose client has disconnected');

# readers without a user, from many networks, leave a stream to users
$service->sql("UPDATE catalogue.datasets SET status = 'qWRhpRV', visible = true; UPDATE catalogue.files SET status = "
	. "'qWRhpRV', visible = true");
my $streams = q(SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = )
	. q('catalogue-shim' AND state = 'active' AND wait_event = 'ClientWrite');
my @readers = map { $service->narrow_connection("127.0.$_.1") } 1 .. 8;
syswrite $_, "GET $path HTTP/1.1\r\nHost: localhost\r\nAccept: $csv\r\n\r\n" for @readers;
wait_until('a stream that is not read', sub { $service->sql($streams) > 0 });
is($service->get("$path?n=29999", Accept => $csv)->{status}, 200,
	'the export of a user is answered beside those that are not read');
my $had = 0;
wait_until('a stream that waits for its reader', sub { ($had = $service->sql($streams)) > 0 });
is($had, 1, 'which have one of the two streams');
close $_ for @readers;

$service->finish;
