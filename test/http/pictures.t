#!/usr/bin/perl
# Charts and maps as SVG: chosen by Accept or by the path, with entity tags and the header fields of images, for those
# who may see the record; the code that embeds a picture has the public address of the service.

use strict;
use warnings;

use Test::More;
use Time::HiRes qw(time);
use Catalogue::Test;
use Catalogue::Definition;
use Catalogue::Upload;
use Catalogue::Worker;

my $service = Catalogue::Test->start->as_admin;
my $uploads = Catalogue::Upload->new($service);
my $basemap = $service->get('/basemaps/first')->{json}{data}{id};
my $csv     = join "\n", 'place;lat;lon;n',
	map { sprintf 'P%d;%.3f;%.3f;%d', $_, 40 + $_ / 100, 5 - $_ / 200, $_ } 1 .. 1000;
my $file    = $uploads->file('places.csv', "$csv\n")->{id};
my %svg     = (Accept => 'image/svg+xml');
my %nobody  = (Authorization => undef);

# Create a record; returns its path and its fields.
sub make
{
	my ($resource, %values) = @_;
	my $reply = $service->post("/$resource", \%values, Prefer => 'return=representation');
	is($reply->{status}, 201, "$values{name} is made") or diag $reply->{body};
	return ("/$resource/$reply->{json}{data}{id}", $reply->{json}{data});
}

# Contents that are not read yet give no picture.
my ($early) = make('charts', name => 'Early', type => 'bar', link => 'https://example.org');
is($service->get("$early/image")->{status}, 409, 'a chart without data has no picture');
is($service->get($early, %svg)->{status}, 409, 'nor has it one by Accept');
is($service->get($early, Accept => 'image/svg+xml, application/json;q=0.5')->{status}, 409,
	'though JSON would be accepted, too');

my $worker = Catalogue::Worker->start($service);
is($worker->wait_for_file($file)->{parseState}, 'ready', 'the file is read');
my ($chart, $fields) = make('charts', name => 'A < B & "C"', type => 'bar', file => $file, dataType => 'quantitative',
	dataSeries => [qw(place n)]);
my ($map, $shown) =
	make('maps', name => 'Places', basemap => $basemap, file => $file, latitudeKey => 'lat', longitudeKey => 'lon');

# each change of the catalogue changes the tags of pictures, also one by the worker
$worker->finish_jobs;

# By Accept and by the path.
for my $path ($chart, $map)
{
	my $begin   = time;
	my $picture = $service->get("$path/image");
	note(sprintf '%s: %d bytes, %.1f ms', $path, length $picture->{body}, 1000 * (time - $begin));
	is($picture->{status}, 200, "$path has a picture");
	like($picture->{body}, qr/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" .*<\/svg>\n\z/s, 'which is SVG');
	is($picture->{headers}{'content-type'}, 'image/svg+xml', 'and says so');
	is($picture->{headers}{'content-security-policy'}, "sandbox; default-src 'none'; style-src 'unsafe-inline'",
		'as an image of a category it cannot run or load anything');
	is($picture->{headers}{'x-content-type-options'}, 'nosniff', 'and is taken for nothing else');
	is($picture->{headers}{'cache-control'}, 'private, no-cache', 'caches ask again');
	ok($service->get($path, %svg)->{body} eq $picture->{body}, 'it is the same by Accept');
	is($service->get($path, Accept => $_)->{headers}{'content-type'}, 'application/json', "the record, with Accept: $_")
		for '*/*', 'application/json, image/svg+xml', 'image/svg+xml;q=0.5, */*';
	is($service->get($path, Accept => $_)->{headers}{'content-type'}, 'text/html; charset=utf-8',
		"the page, with Accept: $_")
		for 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'text/html, image/svg+xml';
	is($service->get("$path/image", Accept => $_)->{status}, 200, "the picture, with Accept: $_") for '*/*', 'image/*',
		'image/avif,image/webp,*/*;q=0.1';
	is($service->get("$path/image", Accept => $_)->{status}, 406, "no picture with Accept: $_") for 'application/json',
		'image/png', 'image/svg+xml;q=0';
	my $head = $service->head("$path/image");
	is($head->{headers}{'content-length'}, length $picture->{body}, 'HEAD tells the length');
	is($head->{headers}{etag}, $picture->{headers}{etag}, 'and the tag');
	my $unchanged = $service->get("$path/image", 'If-None-Match' => $picture->{headers}{etag});
	is($unchanged->{status}, 304, 'an unchanged picture is 304');
	is($unchanged->{body}, '', 'without a body');
	my $other = $service->get($path, %svg)->{headers}{etag};
	is($service->get($path, %svg, 'If-None-Match' => $other)->{status}, 304, 'also by Accept');
	is($service->get($path, Accept => 'application/json', 'If-None-Match' => $other)->{status}, 200,
		'the tag of the picture is not that of the record');
	is($service->get("$path/image", Prefer => 'handling=strict')->{status}, 200, 'strict handling changes nothing');
	is($service->get("$path/image?colour=red", Prefer => 'handling=strict')->{status}, 422,
		'but refuses unknown parameters');
	is($service->request('OPTIONS', "$path/image")->{headers}{allow}, 'GET, HEAD, OPTIONS', 'OPTIONS tells the methods');
	is($service->request('OPTIONS', "$path/image")->{json}{methods}[0]{headers}{Accept}, 'image/svg+xml', 'and the type');
	is($service->post("$path/image", {})->{status}, 405, 'nothing can be written there');
}
# The language of what the service says in it.
for my $path ("$chart/image", "$map/image", "/files/$file/image?groupBy=place&aggregate=count", "/files/$file/image")
{
	my $sign = $path =~ /\?/ ? '&' : '?';
	my %picture = map { $_ => $service->get("$path${sign}lang=$_") } qw(en es pt);
	is($picture{en}{body}, $service->get($path)->{body}, "$path is English unless a language is named");
	like($picture{es}{body}, qr/<desc id="desc">(?:Gr\xC3\xA1fico|Mapa) (?:de|con) /, 'Spanish');
	like($picture{pt}{body}, qr/<desc id="desc">(?:Gr\xC3\xA1fico|Mapa) (?:de|com) /, 'or Portuguese');
	is($service->get("$path${sign}lang=pt", 'If-None-Match' => $picture{es}{headers}{etag})->{status}, 200,
		'each with a tag of its own');
	is($service->get("$path${sign}lang=es", Accept => 'text/html,*/*;q=0.8')->{body}, $picture{es}{body},
		'also for a browser that is led to it');
	my $refused = $service->get("$path${sign}lang=xx");
	is($refused->{status}, 422, 'another is refused');
	is($refused->{json}{meta}{message}, 'invalid value for parameter "lang": "xx"', 'with the parameter');
	is($refused->{json}{meta}{hint}, 'It takes en, es, pt.', 'and what it takes') or diag $refused->{body};
	is($service->get("$path${sign}lang=es", Prefer => 'handling=strict')->{status}, 200, 'strict handling knows it');
	is_deeply($service->request('OPTIONS', $path =~ s/\?.*//r)->{json}{methods}[0]{parameters}{lang},
		{ type => 'string', enum => [qw(en es pt)], default => 'en' }, 'OPTIONS describes it');
}
like($service->get("$chart?lang=es", %svg)->{body}, qr/con 1[.]?000 etiquetas/, 'by Accept as well');

my @tags = map { $service->get("$chart/data", Accept => $_)->{headers}{etag} } 'application/json', 'text/csv';
isnt($tags[0], $tags[1], 'JSON and CSV of the same data have different tags');
is($service->get('/charts/zzzzzzzzzzzzzzz/image')->{status}, 404, 'a chart that does not exist');
is($service->get('/tags/' . $service->get('/tags/first')->{json}{data}{id}, %svg)->{status}, 406,
	'a record of another resource has no picture');

# A picture follows its record and its file.
my $before = $service->get("$chart/image");
is($service->patch($chart, { description => "A\x{1}B <of>" })->{status}, 200, 'the chart is changed');
my $after = $service->get("$chart/image", 'If-None-Match' => $before->{headers}{etag});
is($after->{status}, 200, 'so is its picture');
like($after->{body}, qr/<desc id="desc">AB &lt;of&gt;\n/, 'its description is escaped, without control characters');
like($after->{body}, qr/<title id="title">A &lt; B &amp; &quot;C&quot;</, 'so is its title');

# Outsiders see pictures of what they see.
is($service->get("$_/image", %nobody)->{status}, 404, "outsiders do not see the picture of $_") for $chart, $map;
is($service->get($_, %nobody, %svg)->{status}, 404, "nor by Accept of $_") for $chart, $map;
$service->sql(qq(UPDATE catalogue.$_ SET status = 'qWRhpRV')) for qw(datasets files charts maps);
is($service->get("$_/image", %nobody)->{status}, 200, "a published one is seen: $_") for $chart, $map;
my $public = $service->get("$chart/image", %nobody)->{headers}{etag};
$service->sql(q(UPDATE catalogue.files SET status = 'rWRhpRV'));
is($service->get("$chart/image", %nobody, 'If-None-Match' => $public)->{status}, 404,
	'with its file the picture is hidden again, whatever tag is sent');

# The code that embeds a picture.
my ($id) = $chart =~ m{(\w+)$};
is($fields->{embedCode}, qq(<img src="$service->{base}/charts/$id/image" alt="A &lt; B &amp; &quot;C&quot;">),
	'a chart gets code with the address of its picture');
is($shown->{embedCode}, qq(<img src="$service->{base}$map/image" alt="Places">), 'so does a map');
(undef, $fields) = make('charts', name => 'Mine', type => 'pie', file => $file, dataType => 'qualitative',
	dataSeries => ['n'], embedCode => '<p>mine</p>');
is($fields->{embedCode}, '<p>mine</p>', 'code of the client is kept');
(undef, $fields) = make('charts', name => 'Linked', link => 'https://example.org');
is($fields->{embedCode}, undef, 'a chart elsewhere gets none');
is($service->patch($map, { name => 'Other places' })->{status}, 200, 'a record is renamed');
is($service->get($map)->{json}{data}{embedCode}, qq(<img src="$service->{base}$map/image" alt="Other places">),
	'so is its code');
my $put = $service->get($map)->{json}{data};
is($service->put($map, { %$put, name => 'Places again' })->{status}, 200,
	'a whole record is sent back with another name');
is($service->get($map)->{json}{data}{embedCode}, qq(<img src="$service->{base}$map/image" alt="Places again">),
	'the code of the service follows it');

$worker->finish;
$service->finish;
