#!/usr/bin/perl
# Numbers of requests and downloads by groups: JSON and CSV, the same before and after the records of requests
# are removed, for those who may read the statistics.

use strict;
use warnings;

use Test::More;
use Time::HiRes qw(sleep time);
use Catalogue::Clock qw(poll);
use Catalogue::Test;
use Catalogue::Upload;
use Cpanel::JSON::XS ();

my $service = Catalogue::Test->start->as_admin;
my %nobody  = (Authorization => undef);

# Ask until the answer contains a text; requests are recorded shortly after their answers.
sub eventually
{
	my ($path, $wanted, @headers) = @_;
	my $reply;
	poll(90, sub { index(($reply = $service->get($path, @headers))->{body}, $wanted) >= 0 });
	return $reply;
}

# the day must not change before the end
my $left = 86400 - time % 86400;
sleep $left + 1 if $left < 180;

# requests of a path that nobody else asks for
$service->get('/summed/x')  for 1 .. 3;
$service->head('/summed/x') for 1 .. 2;
$service->get('/summed', %nobody);
my $today = $service->sql("SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD')");
my $month = substr $today, 0, 7;
my $path  = "/statistics/summary?resource=summed&groupBy=method,client&month=$month";
my $all   = q([{"method":"GET","client":"admin","requests":3},{"method":"GET","client":"anonymous","requests":1},)
	. q({"method":"HEAD","client":"admin","requests":2}]);
my $reply = eventually($path, $all);
is($reply->{status}, 200, 'groups of requests');
is_deeply($reply->{json}{data}, Cpanel::JSON::XS::decode_json($all), 'the numbers of requests by method and client');
is($reply->{json}{meta}{count}, 3, 'meta has the number of groups');
like($reply->{json}{meta}{version}, qr/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/, 'and an instant');
my $second = $service->follow($service->get('/statistics/summary?groupBy=method,client&limit=1',
	Prefer => 'handling=strict')->{json}{links}{next}, Prefer => 'handling=strict');
is_deeply([ $second->{status}, $second->{json}{meta}{start} ], [ 206, 2 ], 'with which the next page is found');
like($service->get('/statistics/downloads')->{json}{meta}{version}, qr/^\d{4}-.*Z$/,
	'the numbers of downloads have one, too');
$reply = $service->get("$path&limit=1&orderBy=requests&sort=DESC");
is($reply->{status}, 206, 'a page of them');
is($reply->{json}{data}[0]{requests}, 3, 'in the order that was asked for');
is($reply->{headers}{'content-range'}, 'items 0-0/3', 'Content-Range');
like($reply->{json}{links}{next}, qr/skip=1/, 'a link to the next page');
my $next = $service->follow($reply->{json}{links}{next});
is($next->{json}{data}[0]{requests}, 2, 'which has the next group');

# as CSV
my $csv = "method,client,requests\r\nGET,admin,3\r\nGET,anonymous,1\r\nHEAD,admin,2\r\n";
$reply = $service->get($path, Accept => 'text/csv');
is($reply->{status}, 200, 'CSV');
is($reply->{body}, $csv, 'the same as CSV');
like($reply->{headers}{'content-type'}, qr{^text/csv}, 'its type');
is($service->get("$path&limit=1", Accept => 'text/csv;q=0.5, application/json;q=0.4')->{body},
	"method,client,requests\r\nGET,admin,3\r\n", 'CSV with a limit');
is($service->get($path, Accept => 'application/pdf')->{status}, 406, 'no other type');

# of one resource
is_deeply($service->get('/tags/statistics?groupBy=month&client=nobody')->{json}{data}, [], 'groups of one resource');
my $list = eventually('/tags/statistics?groupBy=day', qq("day":"$today"));
is(ref $list->{json}{data}, 'ARRAY', 'groups of the requests for a resource');
ok(!grep({ join(',', sort keys %$_) ne 'day,requests' } @{ $list->{json}{data} }),
	'which have the keys and the number only');
# the seeds have a request, too, which may be of the day before
like($service->get('/tags/statistics?groupBy=day', Accept => 'text/csv')->{body},
	qr/^day,requests\r\n(?:[\d-]{10},1\r\n)?$today,\d+\r\n$/, 'and as CSV');
is($service->get('/tags/statistics', Accept => 'text/csv')->{status}, 406, 'the list of the records is no CSV');
ok(exists $service->get('/tags/statistics?limit=1')->{json}{data}[0]{endpoint}, 'and JSON as before');

# when the records are removed
$service->sql('SELECT catalogue.roll_up_statistics()');
is($service->sql("SELECT count(*) FROM catalogue.statistics WHERE resource = 'summed'"), 0, 'the records are removed');
is($service->get($path, Accept => 'text/csv')->{body}, $csv, 'their numbers are the same');
$service->get('/summed/x');
is(eventually($path, 'GET,admin,4', Accept => 'text/csv')->{body}, $csv =~ s/admin,3/admin,4/r, 'and go on from there');

# what is wrong, and who may not
for (
	[ 'groupBy=endpoint',  'It takes day, month, resource, method, client' ],
	[ 'orderBy=client',    'It takes day, requests' ],
	[ 'day[gte]=tomorrow', 'It takes a date' ],
	[ 'limit=x',           'It takes a whole number' ])
{
	my ($query, $hint) = @$_;
	$reply = $service->get("/statistics/summary?$query");
	is($reply->{status}, 422, $query);
	like($reply->{json}{meta}{hint}, qr/\Q$hint\E/, "$query: the hint has the values that there are");
}
is($service->get("/statistics/$_", %nobody)->{status}, 404, "$_ is not for outsiders") for 'summary', 'downloads';
is($service->get('/tags/statistics?groupBy=day', %nobody)->{status}, 404, 'groups of one resource are neither');
is($service->post('/statistics/summary', {})->{status}, 405, 'nothing is created there');
is_deeply($service->get('/statistics/summary?endpoint=x')->{json}{meta}{ignored}, ['endpoint'], 'meta.ignored');
is($service->get('/statistics/summary?endpoint=x', Prefer => 'handling=strict')->{status}, 422, 'strict handling');
$reply = $service->options('/statistics/summary');
my ($get) = grep { $_->{verb} eq 'GET' } @{ $reply->{json}{methods} };
is_deeply($get->{parameters}{groupBy}{enum}, [qw(day month resource method client)],
	'OPTIONS has the values of groupBy');
like($get->{headers}{Accept}, qr{text/csv}, 'and CSV');

# downloads of a file, in each form, and of its dataset
my $uploads = Catalogue::Upload->new($service);
my $file    = $uploads->file('table.csv', "id,name\n1,a\n", name => 'table');
$service->get("/files/$file->{id}/$_") for 'download', 'download', 'download/csv', 'view';
my $of = "/statistics/downloads?dataset=$uploads->{dataset}";
$reply = eventually("$of&groupBy=file", '"downloads":4');
is_deeply($reply->{json}{data}, [ { file => $file->{id}, fileName => 'table', downloads => 4 } ],
	'downloads of the file');
is_deeply([ map { $_->{downloads} } @{ $service->get("$of&day=$today")->{json}{data} } ], [4], 'and of its dataset');
is($service->get("$of&groupBy=month,dataset", Accept => 'text/csv')->{body} =~ s/,[^,]*(?=,4)/,<name>/r,
	"month,dataset,datasetName,downloads\r\n$month,$uploads->{dataset},<name>,4\r\n", 'as CSV');
is($service->get("$of&groupBy=day&day[lt]=$today")->{json}{meta}{count}, 0, 'none before today');

$service->is_sound;
$service->finish;
