#!/usr/bin/perl
# GeoJSON and KML as rows: features and their properties, cell by cell; what is no point; and malformed or malicious
# files, each refused with one sentence.  The child process is tested alone.

use strict;
use warnings;
use utf8;

use Encode qw(encode);
use Test::More;
use Catalogue::Parser qw(cells kind parse parse_pipe);

# Read a file; the names of its columns, its rows, and its issues as "line: reason".
sub table
{
	my ($form, $text, $what) = @_;
	my $result = parse($form, encode('UTF-8', $text));
	is(kind($result), 'D', "$what: it is read") or diag(explain $result->{refused});
	my $sheet = $result->{sheets}[0];
	return { names => [ map { $_->{name} } @{ $sheet->{columns} } ], rows => $sheet->{rows},
		issues => [ map { "$_->{line}: $_->{reason}" } @{ $sheet->{issues} } ], details => $sheet->{details},
		types => [ map { $_->{type} } @{ $sheet->{columns} } ] };
}

sub is_refused
{
	my ($form, $bytes, $reason, $what) = @_;
	my $result = parse($form, $bytes);
	is(kind($result), 'X', "$what: refused");
	is($result->{refused}, $reason, "$what: the reason");
	return;
}

sub collection { return '{"type": "FeatureCollection", "features": [' . join(',', @_) . ']}' }
sub feature
{
	my ($properties, $geometry) = @_;
	return qq({"type": "Feature", "properties": $properties, "geometry": $geometry});
}
sub point { return qq({"type": "Point", "coordinates": [$_[0]]}) }
sub kml
{
	return qq(<?xml version="1.0" encoding="UTF-8"?>\n)
		. qq(<kml xmlns="http://www.opengis.net/kml/2.2"><Document><name>All</name>) . join('', @_) . '</Document></kml>';
}
sub placemark { return "<Placemark>$_[0]</Placemark>" }

# GeoJSON: longitude and latitude, then the properties as they come; numbers keep their digits
my $table = table('geojson', collection(
	feature('{"name": "A\u00f1o \ud83d\ude00", "size": 1.50, "big": 12345678901234567890, "yes": true, "none": null, '
		. '"list": [1, {"a": "b\n"}]}', point('1.5, -2.25')),
	feature('{"size": 2, "more": "x", "name": ""}', point('3, 4, 100')),
), 'features');
is_deeply($table->{names}, [qw(longitude latitude name size big yes none list more altitude)],
	'a column for each property');
is_deeply($table->{rows}, [ [ '1.5', '-2.25', 'Año 😀', '1.50', '12345678901234567890', 'true', undef, '[1,{"a":"b\n"}]',
	undef, undef ], [ 3, 4, '', 2, undef, undef, undef, undef, 'x', 100 ] ], 'a row for each feature')
	or diag(explain $table->{rows});
is_deeply($table->{types}, [qw(decimal decimal text decimal text boolean text text text integer)],
	'the columns have types');
is_deeply($table->{issues}, [], 'nothing is wrong');

# the id of a feature; a property with the name of a coordinate; the order of members does not matter
$table = table('geojson', '{"features": [{"geometry": {"coordinates": [1, 2], "type": "Point"}, "id": "n/7", '
	. '"properties": {"latitude": "north"}, "type": "Feature"}], "type": "FeatureCollection", "crs": {"a": [1]}}',
	'another order');
is_deeply([ $table->{names}, @{ $table->{rows} } ], [ [qw(longitude latitude feature_id latitude_2)],
	[ 1, 2, 'n/7', 'north' ] ], 'id and coordinates are columns of their own');
$table = table('geojson', '{"properties": {"a": 1}, "geometry": ' . point('1,2') . ', "type": "Feature"}',
	'a single feature');
is_deeply([ $table->{names}, @{ $table->{rows} } ], [ [qw(longitude latitude a)], [ 1, 2, 1 ] ], 'is one row');
$table = table('geojson', "\x{FEFF}" . collection(), 'no features, with a byte order mark');
is_deeply([ $table->{names}, $table->{rows} ], [ [qw(longitude latitude)], [] ], 'no rows');

# other geometries are WKT; what has no place is told
$table = table('geojson', collection(feature('{"n": 1}', '{"type": "LineString", "coordinates": [[1, 2], [3, 4]]}'),
	feature('{"n": 2}', 'null'), feature('{"n": 3}', point('')), feature('null', point('5,6')),
	feature('{"n": 5}', '{"type": "GeometryCollection", "geometries": [' . point('1,2') . ']}'), feature('{"n": 6}',
		point('"1,5", "x"')), feature('{"n": 7}', '{"type": "Blob", "coordinates": [1, 2]}')), 'other geometries');
is_deeply($table->{names}, [qw(longitude latitude n geometry)], 'they have a column');
is_deeply($table->{rows}, [ [ undef, undef, 1, 'LINESTRING (1 2,3 4)' ], [ undef, undef, 2, undef ],
	[ undef, undef, 3, undef ], [ 5, 6, undef, undef ], [ 1, 2, 5, undef ], [ '1,5', 'x', 6, undef ],
	[ undef, undef, 7, undef ] ], 'no coordinates are invented') or diag(explain $table->{rows});
is_deeply($table->{issues}, [
	'2: the feature has no geometry, so its longitude and latitude are empty',
	'3: the point has no position, so its longitude and latitude are empty',
	'7: the geometry is not a point (another one), so its longitude and latitude are empty',
], 'each is told');
is($table->{details}{otherGeometries}, 4, 'and counted');

# each kind of geometry, with its members in any order; heights where all positions have one; seven decimals
sub wkt { my ($geometry) = @_; my $table = table('geojson', collection(feature('{}', $geometry)), $geometry);
	return $table->{rows}[0][2] // $table->{issues}[0] }
for my $case (
	[ '{"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, 1], [0, 0]], [[0.5, 0.5], [0.6, 0.5], [0.5, 0.5]]]}',
		'POLYGON ((0 0,1 0,1 1,0 0),(0.5 0.5,0.6 0.5,0.5 0.5))' ],
	[ '{"coordinates": [[[[0, 0], [1, 0], [0, 0]]], [[[2, 2], [3, 2], [2, 2]]]], "type": "MultiPolygon"}',
		'MULTIPOLYGON (((0 0,1 0,0 0)),((2 2,3 2,2 2)))' ],
	[ '{"type": "MultiPoint", "coordinates": [[1, 2], [3, 4]]}', 'MULTIPOINT (1 2,3 4)' ],
	[ '{"type": "MultiLineString", "coordinates": [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]}',
		'MULTILINESTRING ((1 2,3 4),(5 6,7 8))' ],
	[ '{"type": "LineString", "coordinates": [[1.123456789, 2, 3], [-3e0, 4, 5]]}',
		'LINESTRING Z (1.1234568 2 3,-3 4 5)' ],
	[ '{"type": "LineString", "coordinates": [[1, 2, 3], [3, 4]]}', 'LINESTRING (1 2,3 4)' ],
	[ '{"type": "GeometryCollection", "geometries": [{"coordinates": [1, 2], "type": "Point"}, {"type": "LineString", '
		. '"coordinates": [[1, 2], [3, 4]]}, {"type": "GeometryCollection", "geometries": []}]}',
		'GEOMETRYCOLLECTION (POINT (1 2),LINESTRING (1 2,3 4),GEOMETRYCOLLECTION EMPTY)' ],
	[ '{"type": "LineString", "coordinates": [[1, null], [3, 4]]}',
		'1: the geometry has coordinates that are no numbers, and is left out' ],
	[ '{"type": "LineString", "coordinates": [[1, "x"], [3, 4]]}',
		'1: the geometry has coordinates that are no numbers, and is left out' ],
	[ '{"type": "LineString", "coordinates": [[1], [3, 4]]}',
		'1: the geometry has coordinates that are no numbers, and is left out' ],
	[ '{"type": "GeometryCollection", "geometries": [{"coordinates": [[1, 2], [3, 4]]}]}',
		'1: the geometry has coordinates that are no numbers, and is left out' ])
{
	is(wkt($case->[0]), $case->[1], 'as WKT');
}

# a geometry of more than 1 MiB is kept, one of more than 16 MiB left out; both are told, and counted
my $kept = '1: the geometry is longer than 1 MiB as WKT, so that contents and CSV do not have it; maps and GeoJSON do';
my $omitted = '1: the geometry is longer than 16 MiB as WKT, and is left out here; the file has it';
sub is_long
{
	my ($form, $corners, $bytes, $digits, $what) = @_;
	my @ends = ("10.1234567$digits,0.1234567", "10.2345678$digits,0.1234567");
	my $read = table($form, $form eq 'kml'
		? kml(placemark('<LineString><coordinates>' . "$ends[0] $ends[1] " x ($corners / 2) . '</coordinates></LineString>'))
		: collection(feature('{"name": "x", "description": "y"}', '{"type": "LineString", "coordinates": ['
			. join(',', (map {"[$_]"} @ends) x ($corners / 2)) . ']}')), $what);
	my $length = $read->{names}[-1] eq 'geometry' ? length($read->{rows}[0][-1] // '') : 0;
	is_deeply([ $length, $read->{issues}, @{ $read->{details} }{qw(longGeometries omittedGeometries)} ],
		$bytes ? [ $bytes, [$kept], 1, undef ] : [ 0, [$omitted], undef, 1 ], 'it is as it should be');
	return;
}
is_long('geojson', 798_912, 12 + 798_912 * 21, '', 'GeoJSON of nearly 16 MiB');
is_long('geojson', 798_916, 0, '', 'GeoJSON of more');
is_long('kml', 798_912, 12 + 798_912 * 21, '', 'KML of nearly 16 MiB');
is_long('kml', 798_916, 0, '', 'KML of more');
is_long('kml', 700_000, 0, '0' x 30, 'KML whose numbers have more digits than can be read');

# geometries of one point are points
$table = table('geojson', collection(feature('{}', '{"type": "MultiPoint", "coordinates": [[1, 2, 3]]}'),
	feature('{}', '{"type": "GeometryCollection", "geometries": [{"type": "MultiPoint", "coordinates": [[4, 5]]}]}')),
	'collections of one point');
is_deeply([ $table->{names}, $table->{rows}, $table->{issues} ],
	[ [qw(longitude latitude altitude)], [ [ 1, 2, 3 ], [ 4, 5, undef ] ], [] ], 'are points');

# the columns with places and the extent of these, of rows that are kept
sub extent { return table('geojson', collection(map { feature('{}', $_) } @_), 'an extent')->{details}{geography} }
my $line = '{"type": "LineString", "coordinates": [[-1.5, 7.123456789], [3, -4]]}';
is_deeply(extent(point('1, 2'), point('-0.00000001, 50'), $line), { longitude => 'longitude', latitude => 'latitude',
	geometry => 'geometry', extent => [ -1.5, -4, 3, 50 ] }, 'of points and lines');
is_deeply(extent(point('1,2')), { longitude => 'longitude', latitude => 'latitude', extent => [ 1, 2, 1, 2 ] },
	'of a point');
is_deeply(extent(point('"x",2'), point('181,2'), point('1,91'), point('1e999,2'), 'null',
	'{"type": "LineString", "coordinates": [[5, 6], [400, 8]]}'),
	{ longitude => 'longitude', latitude => 'latitude', geometry => 'geometry' }, 'none of what is no place in degrees');
is_deeply(table('geojson', collection(feature('{"geometry": 1}', $line), feature('{"longitude": 1}', $line)),
	'properties called as places')->{details}{geography}, { longitude => 'longitude', latitude => 'latitude',
	geometry => 'geometry', extent => [ -1.5, -4, 3, '7.1234568' ] }, 'the columns by their names in the sheet');
# the narrower way round the earth; a line goes between its positions, and never over the antimeridian
is_deeply(extent(@{ $_->[0] })->{extent}, $_->[1], "an extent: $_->[2]") for (
	[ [ point('179.5,-17'), point('-179.25,-16') ], [ 179.5, -17, -179.25, -16 ], 'over the antimeridian' ],
	[ [ point('140,35'), point('-120,37') ], [ 140, 35, -120, 37 ], 'over an ocean' ],
	[ [ point('-120,37'), point('-70,40') ], [ -120, 37, -70, 40 ], 'of the west' ],
	[ [ point('-180,0'), point('180,1') ], [ 180, 0, 180, 1 ], 'of the antimeridian' ],
	[ [ '{"type": "MultiPolygon", "coordinates": [[[[179, 0], [180, 0], [180, 1], [179, 0]]], '
		. '[[[-180, 0], [-179, 0], [-180, 1], [-180, 0]]]]}' ], [ 179, 0, -179, 1 ], 'of a polygon that is cut' ],
	[ [ '{"type": "Polygon", "coordinates": [[[-180, -90], [180, -90], [180, 90], [-180, 90], [-180, -90]]]}' ],
		[ -180, -90, 180, 90 ], 'of the world' ],
	[ [ '{"type": "LineString", "coordinates": [[170, 0], [190, 1]]}' ], [ 170, 0, -170, 1 ], 'beyond 180 degrees' ],
	[ [ '{"type": "LineString", "coordinates": [[-190, 0], [-170, 1]]}' ], [ 170, 0, -170, 1 ], 'beyond -180' ],
	[ [ '{"type": "LineString", "coordinates": [[200, 0], [210, 1]]}' ], [ -160, 0, -150, 1 ], 'of longitudes from 0' ],
	[ [ '{"type": "LineString", "coordinates": [[-10, 0], [190, 1]]}' ], [ -180, 0, 180, 1 ], 'beyond both ways' ],
	[ [ '{"type": "LineString", "coordinates": [[-175, 0], [-90, 0], [5, 0], [90, 0], [175, 0]]}' ],
		[ -175, 0, 175, 0 ], 'around the world' ]);
is(table('geojson', '{"type": "FeatureCollection", "features": [' . feature('{}', point('1,2'))
	. '], "crs": "EPSG:25832"}', 'another system')->{details}{geography}, undef, 'none in another system');
is_deeply(table('geojson', collection(feature('{"a": "' . 'x' x (1 << 20) . 'y"}', point('60,60')),
	feature('{"a": "' . 'x' x (1 << 20) . 'y"}', $line), feature('{"b": 1, "geometry": 2}', point('3,4'))),
	'rows that are left out')->{details}{geography},
	{ longitude => 'longitude', latitude => 'latitude', extent => [ 3, 4, 3, 4 ] }, 'do not count');

# text that is wrong, and rows that are too long
$table = table('geojson', collection(feature('{"a": "\ud800x\udc00", "b": "\u0000"}', point('1,2'))),
	'halves of surrogate pairs');
is_deeply($table->{rows}, [ [ 1, 2, "\x{FFFD}x\x{FFFD}", "\x{FFFD}" ] ], 'are replaced');
is(scalar @{ $table->{issues} }, 1, 'the zero byte is told');
$table = table('geojson', collection(feature('{"a": "' . 'x' x (1 << 20) . 'y"}', point('1,2')),
	feature('{"b": 1}', point('3,4')), feature('{' . join(',', map { qq("p$_": 1) } 1 .. 1030) . '}', point('5,6')),
	feature('{"a": "' . 'x' x (5 << 20) . '"}', point('1,2'))), 'rows over the limits');
is_deeply([ map { [ grep { defined } @$_ ] } @{ $table->{rows} } ], [ [ 3, 4, 1 ] ], 'the others are read');
is_deeply($table->{names}, [qw(longitude latitude b)], 'they leave no columns');
is_deeply($table->{issues}, [ '1: a cell of the row is longer than 1 MiB; it was left out', '3: the row has more than '
	. '1,024 columns; it was left out', '4: a cell of the row is longer than 1 MiB; it was left out' ], 'each is told');

# GeoJSON: coordinates in another system are kept, but are no longitude and latitude, wherever the system is named
for my $crs ('{"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::25832"}}',
	'{"type": "EPSG", "properties": {"code": 25832}}', '"urn:ogc:def:crs:EPSG::25832"',
	'{"type": "link", "properties": {"href": "http://example.org/25832"}}',
	'{"type": "name", "properties": {"name": "EPSG:14326"}}')
{
	my $features = '"features": [' . feature('{"x": 1}', point('500000.5,5500000')) . ']';
	for my $members (qq("crs": $crs, $features), qq($features, "crs": $crs))
	{
		$table = table('geojson', qq({"type": "FeatureCollection", $members}), $crs);
		is_deeply([ $table->{names}, @{ $table->{rows} } ], [ [qw(x y x_2)], [ '500000.5', 5500000, 1 ] ],
			'the coordinates are x and y');
		like($table->{issues}[0],
			qr/^1: the coordinates are in ".*(?:25832|14326)", not in WGS 84, so their columns are called x and y$/,
			'the system is told');
	}
}
for my $crs ('null', '{"type": "name", "properties": {"name": "urn:ogc:def:crs:OGC:1.3:CRS84"}}',
	'{"type": "name", "properties": {"name": "EPSG:4326"}}', '{"type": "EPSG", "properties": {"code": 4326}}')
{
	$table = table('geojson', qq({"type": "FeatureCollection", "crs": $crs, "features": []}), $crs);
	is_deeply([ $table->{names}, $table->{issues} ], [ [qw(longitude latitude)], [] ], 'WGS 84');
}

# a bare geometry is a row; so is one whose type comes last
for my $text (point('1,2'), '{"coordinates": [1,2], "type": "Point"}')
{
	$table = table('geojson', $text, $text);
	is_deeply([ $table->{rows}, $table->{issues} ], [ [ [ 1, 2 ] ], [] ], 'a geometry is a row');
}
$table = table('geojson', '{"type": "GeometryCollection", "geometries": [' . point('1,2') . ']}', 'geometries');
is_deeply([ $table->{rows}, $table->{issues} ], [ [ [ 1, 2 ] ], [] ], 'of one point are one');
$table = table('geojson', '{"coordinates": [[1, 2], [3, 4]], "type": "LineString"}', 'a line');
is_deeply([ $table->{names}, $table->{rows} ],
	[ [qw(longitude latitude geometry)], [ [ undef, undef, 'LINESTRING (1 2,3 4)' ] ] ], 'is one row');

# what a point has is not displaced by properties called the same, in whatever order
for my $members ('"id": 7, "properties": {"altitude": "high", "feature_id": "x"}',
	'"properties": {"altitude": "high", "feature_id": "x"}, "id": 7')
{
	$table = table('geojson', collection(qq({"type": "Feature", $members, "geometry": ) . point('1,2,3') . '}',
		qq({"type": "Feature", $members, "geometry": ) . point('1,2,3') . '}'), $members);
	my %row; @row{ @{ $table->{names} } } = @{ $table->{rows}[1] };
	is_deeply([ sort(grep { defined } values %row), scalar keys %row ], [ 1, 2, 3, 7, 'high', 'x', 6 ],
		'each has a column') or diag(explain $table);
	is_deeply([ @row{qw(feature_id feature_id_2 altitude altitude_2)} ], [ 7, 'x', 3, 'high' ],
		'and what the point has keeps the name');
	is_deeply($table->{issues}, [], 'and nothing is wrong');
}
$table = table('geojson', collection(feature('{"a": "' . 'x' x (1 << 20) . 'y"}', point('1,2,3')),
	feature('{"p": "q"}', point('1,2')), feature('{"p": "r"}', point('1,2,3'))), 'an altitude of a row that is left out');
is_deeply([ $table->{names}, @{ $table->{rows} } ],
	[ [qw(longitude latitude p altitude)], [ 1, 2, 'q', undef ], [ 1, 2, 'r', 3 ] ], 'leaves no column');

# long numbers, more of them, and halves of surrogate pairs
my $digits = '1.' . '1' x 100;
$table = table('geojson', collection(feature('{"a": "\ud800"}', point("$digits,2")),
	feature('{"a\udc00": 1}', point('1,2,3,4')), feature('null', point('1.' . '1' x 300 . ',2'))), 'numbers');
is_deeply([ map { [ @$_[ 0, 1 ] ] } @{ $table->{rows} } ], [ [ $digits, 2 ], [ 1, 2 ], [ undef, undef ] ],
	'are kept whole');
is_deeply($table->{issues}, [
	'1: half of a surrogate pair is shown as U+FFFD',
	'2: the position has more than three numbers, and the first were taken',
	'2: half of a surrogate pair is shown as U+FFFD',
	'3: a number of the position is longer than 256 bytes and was left out',
	'3: the point has no position, so its longitude and latitude are empty',
], 'what is not is told') or diag(explain $table->{issues});

# read in pieces of any size, and a file of many features
my $many = encode('UTF-8', collection(map { feature(qq({"name": "\\u00d1 $_", "n": $_}), point("$_,0.5")) } 1 .. 50));
is_deeply(parse_pipe('geojson', $many, $_)->{sheets}[0]{rows}, parse('geojson', $many)->{sheets}[0]{rows},
	"read in pieces of $_ bytes") for 1, 7, 4096;
my $long = parse('geojson', collection(map { feature(qq({"n": $_}), point('1,2')) } 1 .. 100_000));
is(scalar @{ $long->{sheets}[0]{rows} }, 100_000, 'a hundred thousand features');

# what is no GeoJSON
is_refused('geojson', @$_) for (
	[ '', 'the file is empty', 'an empty file' ],
	[ '[1, 2]', 'the file is not GeoJSON: it is no object', 'an array' ],
	[ '{"type": "Topology", "objects": {}}',
		'the file is not GeoJSON: it is no collection of features, feature or geometry', 'TopoJSON' ],
	[ '{"type": "FeatureCollection"}', 'the file is not GeoJSON: it is no collection of features, feature or geometry',
		'a collection without features' ],
	[ '{"type": "FeatureCollection", "features": {}}', 'the file is not GeoJSON: its features are no array',
		'features that are no array' ],
	[ '{"type": "FeatureCollection", "features": [1]}', 'the file is not GeoJSON: a feature is no object',
		'a feature that is no object' ],
	[ "PK\x03\x04", 'the file is not what its name says: it is a ZIP archive or a workbook in one', 'a ZIP archive' ],
	[ collection(feature('{}', point('1,2'))) . '{',
		'the file is not valid JSON: something stands behind its end in line 1', 'two values' ],
	[ "{\n\"features\": [", 'the file is not valid JSON: it ends too early in line 2', 'a file that is cut off' ],
	[ '{"features": [{}', 'the file is not valid JSON: it ends too early in line 1', 'a list that is cut off' ],
	[ '{"features": [{} {}', 'the file is not valid JSON: a comma is missing in line 1', 'no comma' ],
	[ '{"features": [{},]}', 'the file is not valid JSON: nothing follows a comma in line 1', 'a comma too many' ],
	[ '{"a" 1}', 'the file is not valid JSON: a colon is missing in line 1', 'no colon' ],
	[ '{a: 1}', 'the file is not valid JSON: the name of a member is missing in line 1', 'a name without quotes' ],
	[ '{"a": "b', 'the file is not valid JSON: a string is not closed in line 1', 'an open string' ],
	[ "{\"a\": \"b\n\"}", 'the file is not valid JSON: a string has a control character in line 1',
		'a line end in a string' ],
	[ '{"a": "\\x"}', 'the file is not valid JSON: a backslash is not followed by what it stands for in line 1',
		'an unknown escape' ],
	[ '{"a": "\\u12g4"}', 'the file is not valid JSON: \\u is not followed by four hexadecimal digits in line 1',
		'a broken \\u' ],
	(map { [ qq({"a": $_}), 'the file is not valid JSON: there is no value where one must be in line 1',
		"the value $_" ] } qw(NaN 01 1. .5 +1 1e nul - True)),
	[ '{"a": ' . '1' x (5 << 20) . '}', 'the file is not valid JSON: a value is too long in line 1', 'a number of 5 MB' ],
	[ '{"a": ' . '[' x 100_000, 'the file is nested too deeply', 'arrays in arrays' ],
	[ '{"type": "FeatureCollection", "features": [{"properties": {"a": ' . '{"a": ' x 100_000,
		'the file is nested too deeply', 'objects in objects' ],
);

# KML: name, description and extended data of placemarks in any folder
$table = table('kml', kml(
	placemark('<name> A &amp; B </name><description><![CDATA[<b>bold</b>]]></description><ExtendedData>'
		. '<Data name="k"><displayName>K</displayName><value>v</value></Data>'
		. '<SchemaData schemaUrl="#s"><SimpleData name="n">5</SimpleData></SchemaData></ExtendedData>'
		. "<Point><coordinates>\n\t-58.25,-34.5,0 </coordinates></Point>"),
	'<Folder><name>F</name>' . placemark('<styleUrl>#a</styleUrl><Point><altitudeMode>clampToGround</altitudeMode>'
		. '<coordinates>2.5, 1</coordinates></Point><name>Ñu</name>') . '</Folder>',
), 'placemarks');
is_deeply($table->{names}, [qw(longitude latitude name description k n altitude folder)], 'a column for each datum');
is_deeply($table->{rows}, [ [ '-58.25', '-34.5', 'A & B', '<b>bold</b>', 'v', 5, 0, undef ],
	[ '2.5', 1, 'Ñu', undef, undef, undef, undef, 'F' ] ], 'a row for each placemark') or diag(explain $table->{rows});
$table = table('kml', kml(placemark('<name>line</name><LineString><coordinates>1,2 3,4</coordinates></LineString>'),
	placemark('<name>many</name><MultiGeometry><Point><coordinates>1,2</coordinates></Point></MultiGeometry>'), placemark(
	'<ExtendedData><Data name="name"><value>own</value></Data><Data><value>nameless</value></Data></ExtendedData>'),
	placemark('<Point><coordinates/></Point><Point><coordinates>7,8</coordinates></Point>')), 'other geometries');
is_deeply($table->{rows}, [ [ undef, undef, 'line', undef, 'LINESTRING (1 2,3 4)', undef, undef ],
	[ 1, 2, 'many', (undef) x 4 ], [ (undef) x 5, 'own', 'nameless' ], [ (undef) x 7 ] ], 'no coordinates are invented')
	or diag(explain $table->{rows});
is_deeply($table->{issues}, [ '3: the feature has no geometry, so its longitude and latitude are empty',
	'4: the feature has several geometries, and the first was taken',
	'4: the point has no position, so its longitude and latitude are empty' ], 'each is told');
is($table->{names}[5], 'name_2', 'data called as a column of KML have another name');
is_deeply(parse('kml', "\xFF\xFE" . encode('UTF-16LE', '<?xml version="1.0" encoding="UTF-16"?><kml><Placemark><name>'
	. 'Ñ</name><Point><coordinates>1,2</coordinates></Point></Placemark></kml>'))->{sheets}[0]{rows},
	[ [ 1, 2, 'Ñ', undef ] ], 'UTF-16 is read');
is_deeply(parse_pipe('kml', encode('UTF-8', kml(placemark('<name>Ñu</name>'))), 1)->{sheets}[0]{rows},
	[ [ undef, undef, 'Ñu', undef ] ], 'read in pieces of a byte');
# KML: each kind of geometry; decimal commas, which some programs write between semicolons
sub kml_place
{
	my ($geometry) = @_;
	my $table = table('kml', kml(placemark($geometry)), $geometry);
	my %row;
	@row{ @{ $table->{names} } } = @{ $table->{rows}[0] };
	return [ grep { defined } @row{qw(longitude latitude altitude geometry timestamp)}, @{ $table->{issues} } ];
}
my $ring = '<LinearRing><coordinates>0,0,5 2,0,5 2,2,5 0,0,5</coordinates></LinearRing>';
my $gx = 'xmlns:gx="http://www.google.com/kml/ext/2.2"';
for my $case (
	[ "<Polygon><extrude>1</extrude><outerBoundaryIs>$ring</outerBoundaryIs></Polygon>",
		'POLYGON Z ((0 0 5,2 0 5,2 2 5,0 0 5))' ],
	[ "<Polygon><outerBoundaryIs>$ring</outerBoundaryIs><innerBoundaryIs><LinearRing><coordinates>1,1 1,2 2,2 1,1"
		. '</coordinates></LinearRing></innerBoundaryIs></Polygon>', 'POLYGON ((0 0,2 0,2 2,0 0),(1 1,1 2,2 2,1 1))' ],
	[ $ring, 'LINESTRING Z (0 0 5,2 0 5,2 2 5,0 0 5)' ],
	[ '<MultiGeometry><Point><coordinates>1,2</coordinates></Point><LineString><coordinates>1,2 3,4</coordinates>'
		. '</LineString></MultiGeometry>', 'GEOMETRYCOLLECTION (POINT (1 2),LINESTRING (1 2,3 4))' ],
	[ '<MultiGeometry><MultiGeometry><Point><coordinates>1,2,3</coordinates></Point></MultiGeometry></MultiGeometry>',
		1, 2, 3 ],
	[ "<gx:Track $gx><when>2020-01-01T00:00:00Z</when><when>2020-01-02T00:00:00Z</when><gx:coord>1 2 3</gx:coord>"
		. '<gx:coord>4 5 6</gx:coord></gx:Track>', 'LINESTRING Z (1 2 3,4 5 6)', '2020-01-01T00:00:00Z' ],
	[ "<gx:Track $gx><gx:coord>1 2 3</gx:coord></gx:Track>", 1, 2, 3 ],
	[ "<gx:MultiTrack $gx><gx:Track><gx:coord>1 2 3</gx:coord><gx:coord>4 5 6</gx:coord></gx:Track></gx:MultiTrack>",
		'GEOMETRYCOLLECTION Z (LINESTRING Z (1 2 3,4 5 6))' ],
	[ '<Point><coordinates>-76,0624;39,4493</coordinates></Point>', '-76.0624', '39.4493' ],
	[ '<Point><coordinates>-76,0624; 39,4493; 1,5</coordinates></Point>', '-76.0624', '39.4493', '1.5' ],
	[ '<LineString><coordinates>-76,5;39,5;0 -76,25;39</coordinates></LineString>', 'LINESTRING (-76.5 39.5,-76.25 39)' ],
	[ '<LineString><coordinates>a,b c,d</coordinates></LineString>',
		'1: the geometry has coordinates that are no numbers, and is left out' ],
	[ '<Polygon/>', '1: the geometry is not a point (Polygon), so its longitude and latitude are empty' ])
{
	my ($geometry, @expected) = @$case;
	is_deeply(kml_place($geometry), \@expected, 'its place') or diag(explain kml_place($geometry));
}

is_deeply(table('kml', kml(placemark('<Point><coordinates>-76,0624;39,4493</coordinates></Point>'),
	placemark("<Polygon><outerBoundaryIs>$ring</outerBoundaryIs></Polygon>")), 'an extent')->{details}{geography},
	{ longitude => 'longitude', latitude => 'latitude', geometry => 'geometry',
		extent => [ '-76.0624', 0, 2, '39.4493' ] }, 'KML has an extent');

# KMZ: all KML of the archive are one table, the root first
sub kmz { return Catalogue::Parser::zip(map { Catalogue::Parser::part($_->[0], encode('UTF-8', $_->[1])) } @_) }
$table = parse('kmz', kmz([ 'a.kml', kml(placemark('<name>b</name>')) ],
	[ 'doc.kml', kml(placemark('<name>a</name>')) ],
	[ 'files/x.png', 'x' ], [ 'in/C.KML', kml(placemark('<name>c</name>')) ]));
is_deeply([ map { $_->[2] } @{ $table->{sheets}[0]{rows} } ], [qw(a b c)], 'a KMZ');
is_refused('kmz', kmz([ 'a.txt', 'x' ]), 'the archive has no KML', 'a KMZ without a KML');
is_refused('kmz', kmz([ '../doc.kml', kml() ]), 'the archive has a part with an unsafe name', 'a name that leaves it');
is_refused('kmz', kmz([ 'doc.kml', '<kml>' . ' ' x (9 << 20) . '</kml>' ]),
	'part "doc.kml" of the archive gets more than 200 times longer when it is unpacked', 'a bomb');
is_refused('kmz', kmz([ 'doc.kml', '<kml>' ]),
	'part "doc.kml" of the archive is not well-formed XML: no element found in line 1', 'a KML that is cut off');

# KML: other data of a placemark are columns
$table = table('kml', kml('<Folder><name> A </name><Folder><name>B</name>'
	. placemark('<address>street</address><phoneNumber>12</phoneNumber><Snippet maxLines="1">short</Snippet><TimeStamp>'
	. '<when>2020-01-02</when></TimeStamp><Point><coordinates>1,2</coordinates></Point>') . '</Folder>'
	. '<Placemark id="p1"><TimeSpan><begin>2020</begin><end>2021</end></TimeSpan><ExtendedData><Data><value>'
		. 'nameless</value></Data><x:other xmlns:x="urn:x">own</x:other><Data '
		. 'name="id"><value>i</value></Data></ExtendedData><Point><coordinates>1,2</coordinates></Point></Placemark></Folder>'
	. placemark('<name>last</name><Point><coordinates>3,4</coordinates></Point>')), 'data of placemarks');
is_deeply($table->{names},
	[qw(longitude latitude name description folder address phoneNumber Snippet timestamp id begin end Data other id_2)],
	'their columns');
is_deeply($table->{rows}, [
	[ 1, 2, undef, undef, 'A/B', 'street', 12, 'short', '2020-01-02', (undef) x 6 ],
	[ 1, 2, undef, undef, 'A', (undef) x 4, 'p1', 2020, 2021, 'nameless', 'own', 'i' ],
	[ 3, 4, 'last', (undef) x 12 ],
], 'their values') or diag(explain $table->{rows});
is_deeply($table->{issues}, [], 'nothing is left out');
$table = table('kml', kml(placemark('<atom:author xmlns:atom="http://www.w3.org/2005/Atom"><atom:name>Ada</atom:name>'
	. '</atom:author><atom:link xmlns:atom="http://www.w3.org/2005/Atom" '
	. 'href="http://a.test/"/><visibility>1</visibility><Style><LineStyle><width>4</width></LineStyle></Style>'
	. '<Metadata><x:depth xmlns:x="urn:x">7</x:depth></Metadata><x:own xmlns:x="urn:x"> '
		. 'a<b>b</b></x:own><Point><coordinates>1,2</coordinates></Point>')), 'elements of other vocabularies');
is_deeply([ $table->{names}, $table->{rows}, $table->{issues} ],
	[ [qw(longitude latitude name description author link depth own)],
	[ [ 1, 2, undef, undef, 'Ada', 'http://a.test/', 7, 'ab' ] ], [] ], 'are columns') or diag(explain $table);
$table = table('kml', '<kml xmlns="http://earth.google.com/kml/2.1"><Document><Schema name="Well" '
	. 'parent="Placemark"><SimpleField name="depth" type="float"/></Schema><Well><name>a</name><styleUrl>#s</styleUrl>'
	. '<depth>7.5</depth><Point><coordinates>1,2</coordinates></Point></Well></Document></kml>', 'a schema of KML 2.1');
is_deeply([ $table->{names}, @{ $table->{rows} } ],
	[ [qw(longitude latitude name description depth)], [ 1, 2, 'a', undef, '7.5' ] ], 'its elements are placemarks');

# KML: what cannot be kept is told
sub placed { my ($position) = @_; return "<Point><coordinates>$position</coordinates></Point>" }
$table = table('kml', kml(map { placemark($_) } placed('1,2 3,4'), placed('1,2') . placed('5,6'), placed('1,2,3,4'),
	placed(" 1 ,\n\t2 ")), 'more positions than one');
is_deeply([ map { [ @$_[ 0, 1 ] ] } @{ $table->{rows} } ], [ ([ 1, 2 ]) x 4 ], 'the first is taken');
is_deeply($table->{issues}, [ '1: the point has several positions, and the first was taken',
	'2: the feature has several geometries, and the first was taken',
	'3: the position has more than three numbers, and the first were taken' ], 'the others are told');
$table = table('kml', kml('<Folder><name>' . 'ñ' x 600 . '</name>' . placemark('<name>a</name>') . '</Folder>'
	. placemark('<name>b</name>')), 'a long name of a folder');
is_deeply([ map { length($_->[4] // '') } @{ $table->{rows} } ], [ 500, 0 ], 'is cut at a character');
like($table->{issues}[0], qr/^1: the names of its folders are longer than 1,000 bytes/, 'which is told');

# KML: an encoding that is declared
for my $case ([ 'windows-1250', 'Žluť €' ], [ 'ISO-8859-15', '€ ñ' ], [ 'KOI8-R', 'Привет' ], [ 'Shift_JIS', '日本 ｱ' ],
	[ 'Big5', '中文' ], [ 'UTF-16', 'Ñ' ])
{
	my ($encoding, $name) = @$case;
	my $rows = parse('kml', encode($encoding,
		qq(<?xml version="1.0" encoding="$encoding"?><kml>) . placemark("<name>$name</name>") . '</kml>'))->{sheets}[0]{rows};
	is_deeply($rows, [ [ undef, undef, $name, undef ] ], "KML in $encoding is read");
}
is_refused('kml', '<?xml version="1.0" encoding="klingon"?><kml/>',
	'the file is not well-formed XML: unknown encoding in line 1', 'an unknown encoding');
is_refused('kml', qq(<?xml version="1.0" encoding="Shift_JIS"?><kml>\x81</kml>),
	'the file is not well-formed XML: not well-formed (invalid token) in line 1', 'half of a character');
my @others = map { "<$_><name>n</name><Link><href>http://127.0.0.1:1/</href></Link></$_>" } qw(NetworkLink GroundOverlay
	ScreenOverlay PhotoOverlay NetworkLink);
my $others = table('kml', kml(@others, '<gx:Tour xmlns:gx="http://www.google.com/kml/ext/2.2"/>'),
	'features that are no placemarks');
is_deeply([ $others->{rows}, $others->{issues} ],
	[ [], [ map { "1: the file has $_" } 'network links, which are not followed',
	map { "$_, which are not rows" } 'ground overlays', 'screen overlays', 'photo overlays', 'tours' ] ],
	'are told, each kind once');

is_refused('kml', @$_) for (
	[ '', 'the file is not well-formed XML: no element found in line 1', 'an empty file' ],
	[ '<gpx/>', 'the file is not KML: its root element is not kml', 'GPX' ],
	[ '<kml><Placemark>', 'the file is not well-formed XML: no element found in line 1', 'a file that is cut off' ],
	[ "<kml>\n<a></b></kml>", 'the file is not well-formed XML: mismatched tag in line 2', 'elements that do not match' ],
	[ "PK\x03\x04", 'the file is not what its name says: it is a ZIP archive or a workbook in one', 'a KMZ' ],
	[ '<!DOCTYPE kml [<!ENTITY a "x"><!ENTITY b "' . '&a;' x 1000
		. '">]><kml><Placemark><name>&b;</name></Placemark></kml>', 'the file has a DOCTYPE, which is not allowed',
		'an entity bomb' ],
	[ '<!DOCTYPE kml [<!ENTITY a SYSTEM "file:///etc/passwd">]><kml><name>&a;</name></kml>',
		'the file has a DOCTYPE, which is not allowed', 'an entity that names a file' ],
	[ '<kml>&a;</kml>', 'the file is not well-formed XML: undefined entity in line 1', 'an unknown entity' ],
	[ '<kml>' . '<Folder>' x 100_000, 'the file is nested too deeply', 'folders in folders' ],
);

done_testing();
