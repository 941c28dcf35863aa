#!/usr/bin/perl
# Maps and charts of an uploaded file: points and values are made when the worker has read the file, and again when it
# has read other bytes; GeoJSON and CSV by Accept, with entity tags; a rectangle of the points.

use strict;
use warnings;

use Test::More;
use Time::HiRes qw(time);
use Catalogue::Test;
use Catalogue::Definition;
use Catalogue::Real;
use Catalogue::Upload;
use Catalogue::Worker;

my $service = Catalogue::Test->start->as_admin;
my $uploads = Catalogue::Upload->new($service);
my $basemap = $service->get('/basemaps/first')->{json}{data}{id};
my $serial  = 0;

sub make_map
{
	my ($file, %values) = @_;
	return $service->post('/maps', { name => 'Map ' . ++$serial, basemap => $basemap, file => $file, latitudeKey => 'lat',
		longitudeKey => 'lon', %values });
}

# contents that are not read yet: map and chart get their data when they are
my $csv  = qq(name;lat;lon;kind;n\nA;1,5;2,5;x;3\nB;-1;181;x;4\nC;0;0;y;5\nD;52;13;y;1\n);
my $file = $uploads->file('points.csv', $csv)->{id};
my $early = make_map($file);
is($early->{status}, 201, 'a map of a file that is not read yet is made') or diag $early->{body};
my $early_chart = $service->post('/charts',
	{ name => 'Early', type => 'bar', file => $file, dataType => 'quantitative', dataSeries => [qw(kind n)] });
is($early_chart->{status}, 201, 'so is a chart') or diag $early_chart->{body};

my $worker = Catalogue::Worker->start($service);
is($worker->wait_for_file($file)->{parseState}, 'ready', 'the file is read');
is($service->get($early->{json}{links}{record} =~ s/^\Q$service->{base}\E//r)->{json}{data}{correct}, 2,
	'the map has its points');
is_deeply($service->get(($early_chart->{json}{links}{record} =~ s/^\Q$service->{base}\E//r) . '/data')->{json}{data},
	{ labels => [qw(x y)], data => [ 7, 6 ] }, 'the chart its data');
my $made = make_map($file, properties => 'name');
is($made->{status}, 201, 'a map is made');
is_deeply([ @{ $made->{json}{meta} }{qw(correct incorrect)} ], [ 2, 2 ], 'its rows are counted in meta');
my ($map) = $made->{json}{links}{record} =~ m{(/maps/\w+)$};
my %accept = (Accept => 'application/geo+json');
my $points = $service->get($map, %accept);
is($points->{headers}{'content-type'}, 'application/geo+json', 'the map is GeoJSON by Accept');
is_deeply([ map { $_->{geometry}{coordinates} } @{ $points->{json}{features} } ], [ [ 2.5, 1.5 ], [ 13, 52 ] ],
	'its points, longitude first');
is_deeply([ map { "$_->{row}: $_->{reason}" } @{ $service->get("$map/issues")->{json}{data} } ],
	[ '2: the longitude 181 is out of range', '3: latitude and longitude are 0' ], 'the rows that are none');
is($service->get($map, %accept, 'If-None-Match' => $points->{headers}{etag})->{status}, 304,
	'unchanged points are 304');
is($service->get($map, 'If-None-Match' => $points->{headers}{etag})->{status}, 200,
	'the tag of the points is not that of the record');
is($service->head("$map/geojson")->{status}, 200, 'HEAD of the points');

my $chart = $service->post('/charts',
	{ name => 'Sums', type => 'bar', file => $file, dataType => 'quantitative', dataSeries => [qw(kind n)] });
my ($path) = $chart->{json}{links}{record} =~ m{(/charts/\w+)$};
is_deeply($service->get("$path/data")->{json}{data}, { labels => [qw(x y)], data => [ 7, 6 ] }, 'the data of a chart');
is($service->get("$path/data", Accept => 'text/csv')->{body}, "label,value\r\nx,7\r\ny,6\r\n", 'the data as CSV');

# a record that is sent back whole, as web applications do
my $record = $service->get($map)->{json}{data};
is($service->put($map, { %$record, notes => 'changed' })->{status}, 200, 'a whole record is taken back');

# other bytes
my ($body, %headers) = Catalogue::Upload::form(
	Catalogue::Upload::part('uploadFile', "name;lat;lon;kind;n\nE;7;8;z;0,5\n", file => 'points.csv'));
is($service->put("/files/$file", $body, %headers)->{status}, 200, 'the file gets other bytes');
is($worker->wait_for_file($file)->{parseState}, 'ready', 'which are read');
is_deeply([ map { $_->{properties}{name} } @{ $service->get($map, %accept)->{json}{features} } ], ['E'],
	'the points are made again');
is_deeply($service->get("$path/data")->{json}{data}, { labels => ['z'], data => [0.5] },
	'so are the data of the chart');

# real files, up to the limit of rows
my $big = $worker->wait_for_file($uploads->file('navaids.csv', real_file('navaids.csv'))->{id})->{id};
my @keys = (latitudeKey => 'latitude_deg', longitudeKey => 'longitude_deg');
my $many = make_map($big, @keys);
is($many->{status}, 201, 'the record mapPointsLimit does not bind a user');
my $begin = time;
$many = make_map($big, @keys, properties => 'name');
note(sprintf 'a map of 11,008 rows: %.0f ms', 1000 * (time - $begin));
is($many->{json}{meta}{correct} + $many->{json}{meta}{incorrect}, 11_008, 'all rows are counted');
($map) = $many->{json}{links}{record} =~ m{(/maps/\w+)$};
for my $query ('', '?bbox=-10,35,20,60', '?bbox=-10,35,20,60&properties=')
{
	$begin = time;
	my $reply = $service->get("$map/geojson$query");
	note(sprintf '%s: %d points, %d bytes, %.0f ms', $query, scalar @{ $reply->{json}{features} }, length $reply->{body},
		1000 * (time - $begin));
	is(scalar(grep {
		my ($x, $y) = @{ $_->{geometry}{coordinates} };
		$query && ($x < -10 || $x > 20 || $y < 35 || $y > 60)
	} @{ $reply->{json}{features} }), 0, "points$query are in the rectangle");
	cmp_ok(scalar @{ $reply->{json}{features} }, $query ? '<' : '==', $many->{json}{meta}{correct},
		"the number of points$query");
}

$worker->finish;
$service->finish;
