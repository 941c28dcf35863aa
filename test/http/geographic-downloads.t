#!/usr/bin/perl
# Rows with places as KML, GeoPackage and Shapefile, by file and by map: what GDAL reads of them, types, layers for each
# kind of geometry, what a Shapefile cannot have, what is refused; features of a map of any length.

use strict;
use warnings;
use utf8;

use Cpanel::JSON::XS ();
use Encode qw(decode encode);
use File::Basename qw(dirname);
use File::Temp ();
use Test::More;
use Catalogue::Archive ();
use Catalogue::Parser qw(parse);
use Catalogue::Test;
use Catalogue::Upload ();
use Catalogue::Worker;

-x Catalogue::Parser::program('to-kml') or plan skip_all => 'catalogue-geo-reader was not built';

my $service = Catalogue::Test->start->as_admin;
my $uploads = Catalogue::Upload->new($service);
my $worker  = Catalogue::Worker->start($service);
my $basemap = $service->get('/basemaps/first')->{json}{data}{id};
my $folder  = File::Temp->newdir;
my $json    = Cpanel::JSON::XS->new->utf8->canonical;

sub read_file { my ($name, $bytes) = @_; return $worker->wait_for_file($uploads->file($name, $bytes)->{id})->{id} }

# Run a program of GDAL; its output as text
sub gdal
{
	my (@command) = @_;
	open my $out, '-|:encoding(UTF-8)', @command or die "$command[0]: $!";
	local $/;
	my $text = <$out>;
	close $out or die "@command: $?";
	return $text;
}

# Download a path, and keep it under a name
sub download
{
	my ($path, $name) = @_;
	my $reply = $service->get($path);
	is($reply->{status}, 200, "$path is given") or diag($reply->{body});
	open my $file, '>:raw', "$folder/$name" or die;
	print $file $reply->{body};
	close $file;
	return ("$folder/$name", $reply);
}

# A feature whose geometry is its only part, if it has one
sub bare
{
	my ($feature) = @_;
	my $geometry = $feature->{geometry};
	$feature->{geometry} = { type => $1, coordinates => $geometry->{coordinates}[0] }
		if $geometry->{type} =~ /^Multi(LineString|Polygon)$/ && @{ $geometry->{coordinates} } == 1;
	return $feature;
}

# The layers of a file: the name of each, and its features
sub layers
{
	my ($path) = @_;
	my %layers;
	for my $layer (map { /^\d+: (.*?)(?: \(|$)/ ? $1 : () } split /\n/, gdal('ogrinfo', '-ro', $path))
	{
		my $features = gdal('ogr2ogr', '-f', 'GeoJSON', '/vsistdout/', $path, encode('UTF-8', $layer));
		$layers{$layer} = [ map { bare($_) } @{ $json->decode(encode('UTF-8', $features))->{features} } ];
	}
	return \%layers;
}
sub columns
{
	my ($path, $layer) = @_;
	my $told = gdal('ogrinfo', '-ro', '-so', $path, encode('UTF-8', $layer));
	# newer ones leave the width out where there is none
	return { $told =~ /^(\S.*): ((?:Integer|Real|String|Date|DateTime|Integer64)(?:\(\w+\))?)(?: \(\d+\.\d+\))?$/mg };
}

# Features of all kinds, with values of all types
my $wide = '123456789012345678901234';
my $long = 'ñ' x 300;
my @geometries = (
	'{"type":"Point","coordinates":[-58.5,-34.5]}',
	'{"type":"LineString","coordinates":[[1,2],[3,4.5]]}',
	'{"type":"Polygon","coordinates":[[[0,0],[9,0],[9,9],[0,0]],[[4,1],[5,2],[5,1],[4,1]]]}',
	'{"type":"MultiPoint","coordinates":[[1,1],[2,2]]}',
	'{"type":"MultiPolygon","coordinates":[[[[20,0],[21,0],[21,1],[20,0]]],[[[30,0],[31,0],[31,1],[30,0]]]]}',
	'{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[5,5]},{"type":"LineString",'
		. '"coordinates":[[5,5],[6,6]]}]}'
);
my @values = (
	[ 1, '1.25', '2024-05-01', 'true', 'Ñandú, "x" {', $wide, 7 ],
	[ 2, '-3',   '2024-05-02', 'false', $long,         5,     'two' ],
	map { [ $_, '0.5', '2024-05-03', 'true', "row $_", 6, 8 ] } 3 .. 6
);
my $collection = '{"type":"FeatureCollection","features":[' . join(',', map {
	my ($n, $share, $day, $open, $name, $number, $mixed) = @{ $values[$_] };
	qq({"type":"Feature","geometry":$geometries[$_],"properties":) . $json->encode({ n => $n, share => $share,
		day => $day, open => $open, long_name_of_place => $name, number => $number, mixed => $mixed,
		long_name_of_street => "street $n" }) . '}' } 0 .. $#geometries) . ']}';
my $file = read_file('squares.geojson', $collection);
my $path = "/files/$file/download";
my $expected = $json->decode($service->get("$path/geojson?types=true")->{body})->{features};
is(scalar @$expected, 6, 'the file has six features');

# GeoPackage: a layer for each kind, columns with their types, all that GeoJSON has
my ($package, $reply) = download("$path/gpkg", 'rows.gpkg');
is($reply->{headers}{'content-type'}, 'application/geopackage+sqlite3', 'the type of a GeoPackage');
like($reply->{headers}{'content-disposition'}, qr/\.gpkg/, 'its name');
my $layers = layers($package);
my ($layer) = map { s/_points$//r } grep { /_points$/ } keys %$layers;
is_deeply([ sort keys %$layers ], [ map { "${layer}_$_" } qw(areas collections lines multipoints points) ],
	'a layer has geometries of one kind') or diag(explain [ keys %$layers ]);
is_deeply(columns($package, "${layer}_points"), { n => 'Integer64', share => 'Real', day => 'Date',
	open => 'Integer(Boolean)', long_name_of_place => 'String', number => 'String', mixed => 'String',
	long_name_of_street => 'String', longitude => 'Real', latitude => 'Real' },
	'columns have types, and are texts where a value has another one')
	or diag(explain columns($package, "${layer}_points"));
my %given = map { $_->{properties}{n} => $_ } map { @$_ } values %$layers;
my @numbers = gdal('ogrinfo', '-ro', '-al', '-q', $package) =~ /^OGRFeature\(.*\):(\d+)$/mg;
is_deeply([ sort { $a <=> $b } @numbers ], [ 1 .. 6 ], 'features have the numbers of their rows');
for my $feature (@$expected)
{
	my $n      = $feature->{properties}{n};
	my %values = map { $_ => defined $feature->{properties}{$_} ? "$feature->{properties}{$_}" : undef }
		keys %{ $feature->{properties} };
	is_deeply({ map { $_ => defined $given{$n}{properties}{$_} ? "$given{$n}{properties}{$_}" : undef }
		keys %{ $given{$n}{properties} } }, \%values, "the values of feature $n") or diag(explain $given{$n});
	is_deeply($given{$n}{geometry}, $feature->{geometry}, "its $feature->{geometry}{type}")
		or diag(explain $given{$n}{geometry});
}

# KML: one folder, with names.  GDAL without libkml reads no other values: they are looked for in the text.
my ($kml, $text) = download("$path/kml", 'rows.kml');
my ($marks) = values %{ layers($kml) };
is_deeply([ map { $_->{properties}{Name} } @$marks ], [ map { $_->[4] } @values ], 'a placemark has a name');
is_deeply([ $text->{body} =~ m{<SimpleData name="day">(.*?)</SimpleData>}g ], [ map { $_->[2] } @values ],
	'dates are as in the file');
is_deeply([ map { $_->{geometry}{type} } @$marks ], [ map { $_->{geometry}{type} } @$expected ],
	'they have geometries of all kinds');

# Shapefile: names and texts are cut, which a note tells, and collections are left out
(my $zip, $reply) = download("$path/shp", 'rows.shp.zip');
is($reply->{headers}{'content-type'}, 'application/zip', 'a Shapefile is an archive');
like($reply->{headers}{'content-disposition'}, qr/\.shp\.zip/, 'its name');
$layers = layers($zip);
is_deeply([ sort map { s/.*_//r } keys %$layers ], [qw(areas lines multipoints points)], 'which has no collections');
is_deeply([ sort keys %{ columns($zip, "${layer}_points") } ],
	[qw(day latitude long_nam_1 long_name_ longitude mixed n number open share)], 'names have ten letters');
is(length $layers->{"${layer}_lines"}[0]{properties}{long_name_}, 127, 'a text has 254 bytes');
my $note = decode('UTF-8', { Catalogue::Archive::members($reply->{body}) }->{'README.txt'});
like($note, qr/^  long_name_  long_name_of_place\n {14}texts that are cut: 1$/m,
	'the note has the names, and what is cut');
like($note, qr/^  long_nam_1  long_name_of_street$/m, 'of each column');
is(() = $note =~ /several kinds, left out: 1$/mg, 1, 'and what is left out, once');
like(gdal('ogrinfo', '-ro', '-so', $zip, "${layer}_points"), qr/long_name_: String \(254\.0\)/,
	'a text is as wide as the longest one');
my ($other) = download("$path/shp?fields=n,open&n=1", 'one.shp.zip');
is_deeply([ values %{ layers($other) } ], [ [ { type => 'Feature', properties => { n => 1, open => 1 },
	geometry => $expected->[0]{geometry} } ] ], 'filters and columns are those of the rows');

# What the file itself is comes as it came, unless a part is asked for
my $own = do { open my $in, '<:raw', $package or die; local $/; scalar <$in> };
my $copy = read_file('copy.gpkg', $own);
is($service->get("/files/$copy/download/gpkg")->{body}, $own, 'a GeoPackage is given as it came');
($other) = download("/files/$copy/download/gpkg?sheet=${layer}_lines&fields=n", 'part.gpkg');
is_deeply([ map { $_->{properties} } map { @$_ } values %{ layers($other) } ], [ { n => 2 } ], 'and a layer of it');

# Names of columns as people write them
my $odd = read_file('odd.csv', qq(latitude,longitude,R&D,r&d,fid,"x""y",geom,Price <10\n1,2,a,b,c,d,e,f\n));
my ($odd_package) = download("/files/$odd/download/gpkg", 'odd.gpkg');
my ($of) = map { $_->[0]{properties} } values %{ layers($odd_package) };
is_deeply([ @$of{'R&D', 'r&d_2', 'fid', 'x"y', 'geom', 'Price <10'} ], [ 'a' .. 'f' ],
	'a GeoPackage has them, but no two that differ in capital letters only') or diag(explain $of);
($kml, $text) = download("/files/$odd/download/kml", 'odd.kml');
is_deeply({ $text->{body} =~ m{<SimpleData name="(.*?)">(.*?)</SimpleData>}g }, { 'R_D' => 'a', 'r_d_2' => 'b',
	fid => 'c', x_y => 'd', geom => 'e', 'Price _10' => 'f', latitude => 1, longitude => 2 },
	'KML has them without the signs of XML') or diag($text->{body});
is(scalar(map { @$_ } values %{ layers($kml) }), 1, 'and can be read');

# What is refused, before there is a job
my $jobs = $service->get('/jobs?kind=convert')->{json}{meta}{count};
my $bare = read_file('bare.csv', "a,b\n1,2\n");
my $many = read_file('many.csv',
	join(',', 'latitude', 'longitude', map { "c$_" } 1 .. 260) . "\n1,2" . ',3' x 260 . "\n");
for my $case (
	[ "/files/$bare/download/gpkg", 406, 'the rows have no known coordinates' ],
	[ "$path/kml?groupBy=n", 406, 'groups of rows have no coordinates' ],
	[ "$path/shp?latitudeKey=none", 422, 'invalid value for parameter "latitudeKey": "none"' ],
	[ "/files/$many/download/shp", 406, 'the rows have 262 columns, more than the 250 that "shp" can have' ],
	[ "$path/dxf", 406, 'a file of type "geojson" cannot be converted to "dxf"' ],
	[ '/maps/none/download/gpkg', 404, 'Map "none" does not exist' ]
)
{
	my ($asked, $status, $message) = @$case;
	$reply = $service->get($asked);
	is_deeply([ $reply->{status}, $reply->{json}{meta}{message} ], [ $status, $message ], "$asked is refused");
}
is($service->get('/jobs?kind=convert')->{json}{meta}{count}, $jobs, 'no job was made for these');
($other) = download("/files/$many/download/shp?fields=c1,latitude", 'few.shp.zip');
is_deeply([ map { [ sort keys %{ $_->{properties} } ] } map { @$_ } values %{ layers($other) } ], [ [qw(c1 latitude)] ],
	'chosen columns are few enough');
like($service->get("$path/none")->{json}{meta}{hint}, qr/ xls, kml, gpkg and shp\.$/, 'the hint names the formats');

# Characters that XML does not have
my $noncharacters = read_file('characters.csv',
	encode('UTF-8', "latitude,longitude,name\x{FFFE}\n1,2,a\x{FFFF}b\x01\n"));
my ($clean_kml) = download("/files/$noncharacters/download/kml", 'clean.kml');
($of) = map { $_->[0]{properties} } values %{ layers($clean_kml) };
# GDAL 3.13 does not repeat as a column what is the name
my ($minor) = gdal('ogrinfo', '--version') =~ /^GDAL 3\.(\d+)/;
is_deeply([ @$of{ 'Name', $minor < 13 ? "name\x{FFFD}" : () } ],
	[ ("a\x{FFFD}b") x ($minor < 13 ? 2 : 1) ], 'KML has no characters that XML does not have')
	or diag(explain $of);

# Rows within an area of another file, which changes
my $square = '{"type":"Feature","properties":{"n":1},"geometry":{"type":"Polygon","coordinates":'
	. '[[[0,0],[%1$d,0],[%1$d,%1$d],[0,%1$d],[0,0]]]}}';
my $steps = read_file('steps.csv', "latitude,longitude\n" . join '', map { "$_,$_\n" } 1 .. 9);
my $area  = read_file('area.geojson', sprintf $square, 4);
my @sizes;
for my $side (4, 6)
{
	$service->put("/files/$area",
		Catalogue::Upload::form(Catalogue::Upload::part('uploadFile', sprintf($square, $side), file => 'area.geojson')));
	$worker->wait_for_file($area);
	my ($inside) = download("/files/$steps/download/gpkg?within=$area:1", 'inside.gpkg');
	push @sizes, map { scalar @$_ } values %{ layers($inside) };
}
is_deeply(\@sizes, [ 4, 6 ], 'rows within an area are those of the area as it is');

# Maps: the rows that they show, with the places that a key gives them
my $codes = read_file('codes.csv', "n,people\n3,1200\n5,7\n9,1\n");
$reply = $service->post('/maps', { name => 'People: 2024', basemap => $basemap, file => $codes, key => 'n',
	shapes => $file, shapesKey => 'n', properties => 'people', colorKey => 'people' });
is($reply->{status}, 201, 'a map with the outlines of another file') or diag($reply->{body});
my ($map) = $reply->{json}{links}{record} =~ m{(/maps/\w+)$};
($other, $reply) = download("$map/download/gpkg", 'map.gpkg');
is_deeply([ map { [ @$_{qw(properties geometry)} ] } map { @$_ } @{ layers($other) }{'People_ 2024'} ],
	[ map { [ { people => $_->[0] }, $expected->[ $_->[1] ]{geometry} ] } [ 1200, 2 ], [ 7, 4 ] ],
	'it has the places, with the values by their types') or diag(explain layers($other));
like($reply->{headers}{'content-disposition'}, qr/People_ 2024\.gpkg/, 'it is named as the map');
($other) = download("$map/download/gpkg?bbox=19,-1,32,2", 'part.gpkg');
is_deeply([ map { $_->{properties}{people} } map { @$_ } values %{ layers($other) } ], [7],
	'and those in a rectangle');
($other) = download("$map/download/gpkg?within=$area:1&near=5,5,200000", 'inside.gpkg');
is_deeply([ map { @$_ } values %{ layers($other) } ], [], 'none is near a place and within an area');
my $parts = sub { return $service->get('/jobs?kind=convert')->{json}{meta}{count} };
download("$map/download/gpkg?near=30,0,500000&limit=3&zz=1", 'part.gpkg');
my $made = $parts->();
download("$map/download/gpkg?limit=3&&yy=2&near=30,0,500000&types=false", 'part.gpkg');
is($parts->(), $made, 'parameters in another order, and those that do not count, are no other file');
is($service->patch($map, { properties => 'n' })->{status}, 200, 'the map shows another column');
($other) = download("$map/download/gpkg", 'map.gpkg');
is_deeply([ map { $_->{properties} } map { @$_ } values %{ layers($other) } ], [ map { { n => $_ } } 3, 5 ],
	'and so does the next file');
is($service->get("$map/download/csv")->{status}, 406, 'a map is no table');
is($service->get("$map/download/gpkg", Authorization => undef)->{status}, 404,
	'who does not see the map does not have it');
is($service->get("$path/gpkg", Authorization => undef)->{status}, 404, 'nor the file');
like($service->get($map, Accept => 'text/html')->{body}, qr{<a href="/maps/\w+/download/gpkg"}, 'the page leads to it');
like($service->get("/files/$file", Accept => 'text/html')->{body}, qr{<a href="/files/\w+/download/shp"},
	'as does that of the file');
unlike($service->get("/files/$bare", Accept => 'text/html')->{body}, qr{/download/gpkg"}, 'but not without places');

# Features of any length are sent in pieces
my $points = read_file('points.csv', "latitude,longitude,name\n" . join '',
	map { ($_ % 180 - 90) . ',' . ($_ % 360 - 180) . ",place $_ " . 'x' x 450 . "\n" } 1 .. 20000);
$reply = $service->post('/maps', { name => 'Points', basemap => $basemap, file => $points, properties => 'name',
	latitudeKey => 'latitude', longitudeKey => 'longitude' });
is($reply->{json}{meta}{correct}, 20000, 'a map of many points') or diag($reply->{body});
($map) = $reply->{json}{links}{record} =~ m{(/maps/\w+)$};
my $all = $service->get("$map/geojson");
is($all->{status}, 200, 'features of over 8 MiB') or diag(substr $all->{body}, 0, 300);
is($all->{headers}{'transfer-encoding'}, 'chunked', 'come in pieces');
my $half = $service->get("$map/geojson?limit=5000");
ok(exists $half->{headers}{'content-length'}, 'fewer come at once');
my $found = $json->decode($all->{body})->{features};
is_deeply([ map { scalar @$_ } $found, $json->decode($half->{body})->{features} ], [ 20000, 5000 ], 'all of them');
is_deeply([ @$found[ 0 .. 4999 ] ], $json->decode($half->{body})->{features}, 'alike');
is_deeply([ @{ $service->head("$map/geojson") }{qw(status body)} ], [ 200, '' ], 'HEAD has no features');
is($service->get("$map/geojson", 'If-None-Match' => $all->{headers}{etag})->{status}, 304, 'who has them gets none');
is($service->get("$map/geojson?bbox=1,2")->{status}, 422, 'a fault is told');
my ($first) = @{ $json->decode($service->get("$map/geojson?types=true&limit=1")->{body})->{features} };
is($first->{properties}{name}, 'place 1 ' . 'x' x 450,
	'texts by their type');
is($service->get("$map/geojson?types=yes")->{status}, 422, 'types are true or false');

# A limit is what it says, also where a page would have fewer
is(scalar(() = $service->get("/files/$points/download/csv?limit=15000")->{body} =~ /^\d|^-/mg), 15000,
	'a download has as many rows as it says');
is(scalar @{ $json->decode($service->get("$map/geojson?limit=15000&properties=")->{body})->{features} }, 15000,
	'so has a map');
is($service->get("/files/$points/contents?limit=15000&fields=_id", Accept => 'text/csv')->{headers}{'content-range'},
	'items 0-14999/20000', 'and rows as CSV');

# What the child is given is not believed
for my $input ('', '{', '{"name":"x"}', '{"columns":[]}{"features":[{"id":1,"geometry":{"type":"Point"',
	'{"columns":[]}{"features":[{"id":1,"geometry":{"type":"Curve"},"properties":{}}]}',
	'{"columns":[]}{"features":[{"id":1,"geometry":{"type":"Point","coordinates":[]},"properties":{}}]}',
	'{"columns":[]}{"features":[{"id":1,"geometry":{"type":"Point","coordinates":[1,2]},"properties":{"a":}}]}')
{
	my $read = parse('to-gpkg', $input);
	is_deeply([ @$read{qw(status signal)} ], [ 0, 0 ], 'it ends by itself: ' . $input);
}

# Without the program the job says so, and for a while whoever asks again is told at once
is($worker->stop, 0, 'the worker ends');
my $programs = File::Temp->newdir;
chmod 0755, $programs;
system('cp', (map { dirname(Catalogue::Parser::program()) . "/catalogue-$_" } qw(shim worker)), $programs) == 0 or die;
{
	local $ENV{CATALOGUE_SHIM} = "$programs/catalogue-shim";
	$worker = Catalogue::Worker->start($service);
	$reply = $service->get("$path/kml?n=2", Prefer => 'respond-async');
	is($reply->{status}, 202, 'a job is to make it');
	my ($job) = $reply->{json}{links}{job} =~ m{/jobs/(\w+)$};
	like($worker->wait_for_job($job, 'failed')->{reason},
		qr/^geographic files are not made: catalogue-geo-reader is not installed/, 'which tells the reason');
	$reply = $service->get("$path/kml?n=2");
	is_deeply([ $reply->{status}, $reply->{json}{meta}{message} ], [ 406, 'the file cannot be converted to "kml": '
		. 'geographic files are not made: catalogue-geo-reader is not installed' ], 'which is the answer then');
	$service->sql("UPDATE catalogue.made_file SET made_at = made_at - interval '11 min' WHERE reason IS NOT NULL");
	is($service->get("$path/kml?n=2", Prefer => 'respond-async')->{status}, 202, 'later it is tried again');
	$worker->finish;
}
$service->finish;
