#!/usr/bin/perl
# The file of streets that the operator names: ranges of it, its entity tag, and no other file; the page of a map says
# that there is one.

use strict;
use warnings;

use Test::More;
use Catalogue::Streets qw(streets_write);
use Catalogue::Test;

my $service = Catalogue::Test->start->as_admin;
my $path    = "$service->{directory}/city.pmtiles";
my @map     = (name => 'Stops', link => 'https://example.org',
	geojson => { type => 'Point', coordinates => [ 12, 55 ] },
	status => 'qWRhpRV', basemap => $service->get('/basemaps?limit=1')->{json}{data}[0]{id});
my $page = '/maps/' . $service->post('/maps', {@map})->{json}{links}{record} =~ s{.*/}{}r;

sub file { return $service->get('/page/streets.pmtiles', @_) }
sub figure { return $service->get($page, Accept => 'text/html')->{body} =~ /(<figure class="map"[^>]*>)/ ? $1 : 'none' }

is(file()->{status}, 404, 'without the setting there is no file');
is(figure() =~ / (data-\w+)/ ? $1 : '', 'data-tiles', 'and no page asks for it');

$service->{settings}{CATALOGUE_MAP_STREETS} = $path;
$service->stop_shim;
$service->start_shim;
is(file()->{status}, 404, 'a file that is missing');
mkdir $path or die "$path: $!";
is(file()->{status}, 404, 'a directory');
rmdir $path or die "$path: $!";
streets_write($path, [ 12.4, 55.6, 12.7, 55.8 ], 'Invented', [ [ 12.5, 55.65 ], [ 12.6, 55.7 ] ]);
my $size = -s $path;
my $all  = file();
my $tag  = $all->{headers}{etag};
is($all->{status}, 200, 'the whole file');
is(length $all->{body}, $size, 'with all its bytes');
is($all->{body} =~ /^(.{7})/s ? $1 : '', 'PMTiles', 'as they are');
is_deeply([ @{ $all->{headers} }{qw(content-type accept-ranges cache-control)} ],
	[ 'application/vnd.pmtiles', 'bytes', 'no-cache' ], 'with its type');
like($tag, qr/^"[0-9a-f-]+"$/, 'and an entity tag');
like(figure(), qr{ data-streets }, 'the page of a map asks for it');
is($service->get('/page/0123456789abcdef/streets.pmtiles')->{status}, 200, 'below the version of the page, too');

# ranges
for ([ '0-126', 0, 126 ], [ '127-', 127, $size - 1 ], [ '-5', $size - 5, $size - 1 ], [ '0-999999', 0, $size - 1 ])
{
	my ($range, $first, $last) = @$_;
	my $reply = file(Range => "bytes=$range");

	is($reply->{status}, 206, "bytes=$range");
	is($reply->{headers}{'content-range'}, "bytes $first-$last/$size", 'Content-Range');
	ok($reply->{body} eq substr($all->{body}, $first, $last - $first + 1), 'the bytes of the range');
}
my $beyond = file(Range => "bytes=$size-");
is($beyond->{status}, 416, 'a range beyond the end');
is($beyond->{headers}{'content-range'}, "bytes */$size", 'with the size');
is(file(Range => $_)->{status}, 200, "$_: is ignored") for 'bytes=5-1', 'items=0-1', 'bytes=0-1,5-6';

# conditions
is(file('If-None-Match' => $tag)->{status}, 304, 'bytes that the client has');
is(file('If-None-Match' => $tag, Range => 'bytes=0-6')->{status}, 304, 'also a range of them');
is(file('If-Range' => $tag, Range => 'bytes=0-6')->{status}, 206, 'a range of the file as it was');
is(file('If-Range' => '"other"', Range => 'bytes=0-6')->{status}, 200, 'all of another one');
is(file('If-Match' => '"other"')->{status}, 412, 'no other one than was wanted');
my $head = $service->head('/page/streets.pmtiles');
is_deeply([ $head->{status}, $head->{headers}{'content-length'}, $head->{body} ], [ 200, $size, '' ], 'HEAD');
is($service->post('/page/streets.pmtiles')->{status}, 405, 'it is only read');

# another file in its place
streets_write($path, [ 12.4, 55.6, 12.7, 55.8 ], 'Invented anew', [ [ 12.5, 55.65 ], [ 12.6, 55.7 ] ]);
isnt(file()->{headers}{etag}, $tag, 'a file that takes its place has another entity tag');
is(file('If-Range' => $tag, Range => 'bytes=0-6')->{status}, 200, 'and no range is taken for one of the other');

# no other file
is($service->get("/page/$_")->{status}, 404, "$_: no file") for 'streets.pmtiles.new', 'city.pmtiles', '..';
is($service->get("/page/$_")->{status}, 400, "$_: no path")
	for '..%2fcity.pmtiles', '..%2f..%2f..%2fetc%2fpasswd', 'streets.pmtiles%00';
unlike($service->get($page, Accept => 'text/html')->{headers}{'content-security-policy'}, qr/http|\*|blob/,
	'pages load nothing from elsewhere');

$service->finish;
