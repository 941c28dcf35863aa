#!/usr/bin/perl
# Shapefiles and the other formats of GDAL as rows: each layer is a sheet, its places are in WGS 84; what is missing,
# broken or meant to harm is told, or refused with one sentence.  The program is tested alone, on files of
# ogr2ogr.  Each start of either loads GDAL, so one file has as many layers as its format can have.

use strict;
use warnings;
use utf8;

use Cpanel::JSON::XS ();
use Encode qw(encode);
use File::Temp ();
use Test::More;
use Catalogue::Parser qw(kind parse part zip);
use Catalogue::Test ();

-x Catalogue::Parser::program('zip') or plan skip_all => 'catalogue-geo-reader was not built';

my $directory = File::Temp->newdir;
my $json = Cpanel::JSON::XS->new->canonical->utf8;
my $files = 0;

sub slurp { my ($path) = @_; open my $in, '<:raw', $path or die "$path: $!"; local $/; return scalar <$in> }

# A feature of an attribute list and a geometry; a collection of them.
sub feature
{
	my ($geometry, %properties) = @_;
	return { type => 'Feature', properties => \%properties, geometry => $geometry };
}
sub geometry { my ($type, $coordinates) = @_; return { type => $type, coordinates => $coordinates } }
sub point { return geometry(Point => [@_]) }

# Have ogr2ogr write layers, [name, features, system], in a format; the path of what it wrote.  A name of a system says
# in which one the features are, a number to which one they are to be converted.
sub written
{
	my ($format, $name, $layers, @options) = @_;
	my $path = "$directory/" . ++$files;
	mkdir $path or die "$path: $!";
	my $virtual = '';
	for my $layer (@$layers)
	{
		my ($called, $features, $system) = (@$layer, 'EPSG:4326');
		Catalogue::Parser::store("$path/$called.geojson",
			$json->encode({ type => 'FeatureCollection', features => $features }));
		my $from = qq(<OGRVRTLayer name="$called"><SrcDataSource>$path/$called.geojson</SrcDataSource>)
			. ($system =~ /:/ ? "<LayerSRS>$system</LayerSRS>" : '') . '</OGRVRTLayer>';
		$virtual .= $system =~ /:/ ? $from
			: "<OGRVRTWarpedLayer>$from<TargetSRS>EPSG:$system</TargetSRS></OGRVRTWarpedLayer>";
	}
	Catalogue::Parser::store("$path/in.vrt", "<OGRVRTDataSource>$virtual</OGRVRTDataSource>");
	system('ogr2ogr', '-f', $format, @options, "$path/$name", "$path/in.vrt") == 0 or die "ogr2ogr: $?";
	return "$path/$name";
}

# The parts of Shapefiles, by their names and endings; they are put into an archive under a name.
sub shapes
{
	my ($layers, @options) = @_;
	my $path = written('ESRI Shapefile', 'made', $layers, @options);
	return map { my $name = $_->[0];
		$name => { map { -e "$path/$name.$_" ? ($_ => slurp("$path/$name.$_")) : () } qw(shp shx dbf prj cpg) } }
		@$layers;
}
sub parts { my ($name, $shape) = @_; return map { part("$name.$_", $shape->{$_}) } sort keys %$shape }

# Read a file; its sheets as {name, names, types, rows, issues}.
sub sheets
{
	my ($form, $bytes, $what, @options) = @_;
	my $result = parse($form, $bytes, @options);
	is(kind($result), 'D', "$what: it is read") or diag(explain $result->{refused});
	return map { my $sheet = $_; { name => $sheet->{name}, rows => $sheet->{rows}, hidden => $sheet->{hidden},
		names => [ map { $_->{name} } @{ $sheet->{columns} } ], types => [ map { $_->{type} } @{ $sheet->{columns} } ],
		issues => [ map { "$_->{line}: $_->{reason}" } @{ $sheet->{issues} } ], details => $sheet->{details} } }
		@{ $result->{sheets} };
}

sub is_refused
{
	my ($form, $bytes, $reason, $what) = @_;
	my $result = parse($form, $bytes);
	is(kind($result), 'X', "$what: refused");
	like($result->{refused}, $reason, "$what: the reason");
	return;
}

my $square = [ [ 0, 0 ], [ 2, 0 ], [ 2, 2 ], [ 0, 2 ], [ 0, 0 ] ];
my $hole = [ [ 0.5, 0.5 ], [ 0.5, 1 ], [ 1, 1 ], [ 0.5, 0.5 ] ];
my @two = (feature(geometry(Polygon => [$square]), name => 'Ñ', n => 1),
	feature(geometry(Polygon => [$hole]), name => 'b', n => 2));
my $obelisk = [ -58.381592, -34.603722 ];

# Places in systems, which PROJ converts within its accuracy; what is told, if that is over a metre
my %systems = (25830 => [ [ -3.7038, 40.4168 ] ], 5347 => [$obelisk], 22185 => [$obelisk], 3857 => [$obelisk],
	2154 => [ [ 2.35, 48.85 ] ], 27700 => [ [ -1.5, 52.5 ],
		'the coordinates in "OSGB36 / British National Grid" were converted to WGS 84 within 2 metres' ],
	26915 => [ [ -93.1, 44.9 ],
		'the coordinates in "NAD83 / UTM zone 15N" were converted to WGS 84 within 4 metres, '
		. 'since the grid us_noaa_mnhpgn.tif is not installed' ]);
my @systems = map { [ "system$_", [ feature(point(@{ $systems{$_}[0] }), n => 1) ], $_ ] } sort keys %systems;

# Points whose coordinates the surveys of the countries have published: swisstopo (the origin of LV95, and the example
# of its formulas), the origin of RD in the approximation of Schreutelkamp and Strang van Hees, the origin of
# Lambert-93 of IGN, a point of Lantmäteriet's list for SWEREF 99 TM.  PROJ states a metre at most for the way to
# WGS 84.
my %published = (2056 => [ [ 2_600_000, 1_200_000, 7.4386372, 46.9510811 ], [ 2_700_000, 1_100_000,
		8 + 43 / 60 + 49.80 / 3600, 46 + 2 / 60 + 38.86 / 3600 ] ],
	28992 => [ [ 155_000, 463_000, 5.38720621, 52.15517440 ] ], 2154 => [ [ 700_000, 6_600_000, 3, 46.5 ] ],
	3006 => [ [ 356083.438, 6097106.672, 12.75, 55 ] ]);
my @published = map {
	my $system = $_;
	[ "published$_", [ map { feature(point(@$_[ 0, 1 ]), n => 1) } @{ $published{$system} } ], "EPSG:$system" ];
} sort keys %published;

# Shapefiles: whole ones, those of the systems, and ones where something is missing or broken
my @accents = map { feature(point(1, 2), name => $_) } 'Ñandú – “Peñón”', 'Café';
my %shapes = shapes([ [ 'trees', [
	feature(point(@$obelisk), name => 'Año', size => 7, length => 1.5, built => '1936-05-23'),
	feature(point(1, 2), name => 'b', size => 12345678901, length => 0.25, built => undef),
	feature(undef, name => 'c') ] ],
	[ 'areas', [ feature(geometry(Polygon => [ $square, $hole ]), n => 1),
		feature(geometry(MultiPolygon => [ [$square], [ [ [ 5, 5 ], [ 6, 5 ], [ 6, 6 ], [ 5, 5 ] ] ] ]), n => 2) ] ],
	[ 'nowhere', [ feature(point(500_000.5, 5_500_000), n => 1) ] ], [ 'utf8', \@accents ], @systems ],
	'-lco', 'ENCODING=UTF-8');
my $points = $shapes{trees};
my $utf8 = delete $shapes{utf8};
my ($latin) = @{ { shapes([ [ 'latin', \@accents ] ], '-lco', 'ENCODING=CP1252') } }{latin};
# a Shapefile without some of its parts, or with others
sub without { my ($shape, @parts) = @_; my %rest = %$shape; delete @rest{@parts}; return \%rest }
my @encodings = ([ 'CP1252 with a .cpg', $latin, '1252' ], [ 'CP1252 with another name', $latin, "ANSI 1252\r\n" ],
	[ 'CP1252 without a .cpg', $latin, undef ], [ 'UTF-8 with a .cpg', $utf8, 'UTF-8' ],
	[ 'UTF-8 without a .cpg', $utf8, undef ], [ 'CP1252 that is called UTF-8', $latin, 'UTF-8' ],
	[ 'a .cpg that says nothing', $latin, 'SYSTEM' ],
	[ 'a .cpg that says one word often', $latin, 'ANSI OEM ' x 100_000 . '1252' ],
	[ 'a .cpg that nobody knows', $latin, 'klingon' ]);
%shapes = (%shapes, nowhere => without($shapes{nowhere}, 'prj'), degrees => without($points, 'prj'),
	bare => without($points, 'dbf', 'cpg'), unlisted => without($points, 'shx'),
	cut => { %$points, shp => substr $points->{shp}, 0, -30 }, damaged => { %$points, shp => 'x' x 200 },
	map { my ($name, $shape, $cpg) = @$_;
		$name => { %{ without($shape, 'cpg') }, defined $cpg ? (cpg => $cpg) : () } } @encodings);
my %read = map { $_->{name} => $_ }
	sheets('zip', zip(map { parts($_, $shapes{$_}) } sort keys %shapes), 'an archive of many Shapefiles');
is_deeply([ sort keys %read ], [ sort keys %shapes ], 'each is a sheet, which is called as the layer');

# GeoPackage: layers of many kinds
my $bow = [ [ 0, 0 ], [ 2, 2 ], [ 2, 0 ], [ 0, 2 ], [ 0, 0 ] ];
my @coast = map { [ cos($_ / 10000) * 10.123456, sin($_ / 10000) * 10.123456 ] } 0 .. 60000;
my @line = map { [ -9 + $_ / 10, 40 ] } 0 .. 120;
my @mixed = (feature(point(1, 2, 30), n => 1), feature(geometry(MultiPoint => [ [ 3, 4 ] ]), n => 2),
	feature(geometry(LineString => [ [ 0.12345678, 1 ], [ 2, 3 ] ]), n => 3),
	feature(geometry(MultiPoint => [ [ 3, 4 ], [ 5, 6 ] ]), n => 4),
	feature({ type => 'GeometryCollection', geometries => [ point(7, 8) ] }, n => 5),
	feature({ type => 'GeometryCollection', geometries => [ point(7, 8),
		geometry(LineString => [ [ 0, 0 ], [ 1, 1 ] ]) ] }, n => 6));
my $package = slurp(written('GPKG', 'a.gpkg', [ [ 'mixed', \@mixed ], [ 'two', \@two ], @systems, @published,
	[ 'line', [ feature(geometry(LineString => \@line), n => 1) ], 'EPSG:4230' ],
	[ 'bow', [ feature(geometry(Polygon => [$bow]), n => 1) ] ],
	[ 'long', [ feature(geometry(LineString => \@coast), n => 1),
		feature(geometry(LineString => [ [ 0, 0 ], [ 1, 1 ] ]), n => 2) ] ],
	[ 'layer_styles', [ feature(point(1, 2), n => 1) ] ] ]));
my @tables = sheets('gpkg', $package, 'a GeoPackage of many tables');
my %table = map { $_->{name} => $_ } @tables;
is_deeply([ map { [ $_->{name}, $_->{hidden} ? 1 : 0 ] } @tables ], [ [ 'mixed', 0 ], [ 'two', 0 ],
	(map { [ $_->[0], 0 ] } @systems, @published), [ 'line', 0 ], [ 'bow', 0 ], [ 'long', 0 ], [ 'layer_styles', 1 ] ],
	'each is a sheet; that of a program is hidden');

# A Shapefile with points: the coordinates come first; attributes keep their digits, and have types
is_deeply($read{trees}{names}, [qw(longitude latitude built length name size)], 'a column for each attribute');
is_deeply($read{trees}{types}, [qw(decimal decimal date decimal text integer)], 'they have types');
is_deeply([ map { [ @$_[ 0, 1, 2, 4, 5 ] ] } @{ $read{trees}{rows} } ], [
	[ @$obelisk, '1936-05-23', 'Año', 7 ], [ 1, 2, undef, 'b', 12345678901 ], [ undef, undef, undef, 'c', undef ] ],
	'a row for each feature') or diag(explain $read{trees}{rows});
is_deeply($read{trees}{issues}, ['3: the feature has no geometry, so its longitude and latitude are empty'],
	'what is missing is told');

# Polygons, lines and several parts are WKT; a collection of one point is that point
is_deeply($read{areas}{names}, [qw(n geometry)], 'polygons have a column of their own');
is_deeply($read{areas}{rows}, [
	[ 1, 'POLYGON ((0 0,0 2,2 2,2 0,0 0),(0.5 0.5,1 1,0.5 1,0.5 0.5))' ],
	[ 2, 'MULTIPOLYGON (((0 0,0 2,2 2,2 0,0 0)),((5 5,6 6,6 5,5 5)))' ] ], 'as WKT')
	or diag(explain $read{areas}{rows});
is_deeply($read{areas}{issues}, [], 'nothing is wrong');
is_deeply($table{mixed}{names}, [qw(longitude latitude n geometry altitude)], 'points and shapes');
is_deeply($table{mixed}{rows}, [ [ 1, 2, 1, undef, 30 ], [ 3, 4, 2, undef, undef ],
	[ undef, undef, 3, 'LINESTRING (0.1234568 1,2 3)', undef ], [ undef, undef, 4, 'MULTIPOINT ((3 4),(5 6))', undef ],
	[ 7, 8, 5, undef, undef ],
	[ undef, undef, 6, 'GEOMETRYCOLLECTION (POINT (7 8),LINESTRING (0 0,1 1))', undef ] ], 'each in its column')
	or diag(explain $table{mixed}{rows});
is_deeply($table{mixed}{issues}, [], 'nothing is wrong');
is($table{mixed}{details}{otherGeometries}, 3, 'those that are no points are counted');

is_deeply([ map { $_->{details}{geography} } $table{mixed}, $read{areas}, $read{trees}, $read{nowhere} ],
	[ { longitude => 'longitude', latitude => 'latitude', geometry => 'geometry', extent => [ 0, 0, 7, 8 ] },
	{ geometry => 'geometry', extent => [ 0, 0, 6, 6 ] },
	{ longitude => 'longitude', latitude => 'latitude', extent => [ $obelisk->[0], $obelisk->[1], 1, 2 ] }, undef ],
	'the sheets tell where their places are, in degrees only');
is_deeply($table{long}{details}{geography}, { geometry => 'geometry', extent => [ -10.123456, -10.123456, 10.123456,
	10.123456 ] }, 'a geometry counts whose WKT is long');

# In a system of metres lines and areas go on beyond the antimeridian; points are in the west
my @islands = map { feature($_, n => 1) } point(179.5, -17), point(-179.5, -17.5), geometry(Polygon => [ [ [ 177, -18 ],
	[ 181, -18 ], [ 181, -17 ], [ 177, -18 ] ] ]), geometry(LineString => [ [ 177, -16 ], [ 178, -16 ] ]);
my ($fiji) = sheets('fgb', slurp(written('FlatGeobuf', 'fiji.fgb', [ [ 'fiji', \@islands, 3460 ] ],
	-nlt => 'GEOMETRY')), 'Fiji');
is_deeply([ sort map { join '|', map { $_ // '' } @$_ } @{ $fiji->{rows} } ], [
	'-179.5|-17.5|1|', '179.5|-17|1|', '||1|LINESTRING (177 -16,178 -16)',
	'||1|POLYGON ((177 -18,181 -18,181 -17,177 -18))' ],
	'areas beyond 180 degrees') or diag(explain $fiji);
is_deeply($fiji->{details}{geography}{extent}, [ 177, -18, -179, -16 ], 'and their extent');

# Each other format has what was written
for my $case ([ 'GML', 'gml', 'gml_id' ], [ 'FlatGeobuf', 'fgb' ], ['GPKG'])
{
	my ($format, $form, $more) = @$case;
	my ($read) = $form ? sheets($form, slurp(written($format, "a.$form", [ [ 'two', \@two ] ])), $format) : $table{two};
	is_deeply($read->{names}, [ $more // (), qw(n name geometry) ], "$format: the columns");
	my %row = map { $_->[-2] => $_ } @{ $read->{rows} };
	is_deeply([ map { [ @{ $row{$_} }[ -3, -2 ] ] } 'Ñ', 'b' ], [ [ 1, 'Ñ' ], [ 2, 'b' ] ],
		"$format: the attributes");
	is($row{'Ñ'}[-1], 'POLYGON ((0 0,2 0,2 2,0 2,0 0))', "$format: the geometry");
	is_deeply($read->{issues}, [], "$format: nothing is wrong");
}
my $topology = '{"type": "Topology", "arcs": [[[0, 0], [2, 0], [2, 2], [0, 0]]], "objects": {"areas": {"type": '
	. '"GeometryCollection", "geometries": [{"type": "Polygon", "arcs": [[0]], "properties": {"name": "a"}}]}}}';
my ($sheet) = sheets('topojson', $topology, 'TopoJSON');
is($sheet->{name}, 'areas', 'TopoJSON: the sheet is called as its object');
is($sheet->{rows}[0][-1], 'POLYGON ((0 0,2 0,2 2,0 0))', 'TopoJSON: its arcs are rings');
my ($ways) = sheets('gpx', '<gpx version="1.1" creator="t" xmlns="http://www.topografix.com/GPX/1/1">'
	. '<wpt lat="2" lon="1">'
	. '<ele>30</ele><time>2024-05-31T10:00:00Z</time><name>a</name></wpt></gpx>', 'GPX');
is_deeply([ @$ways{qw(name names rows)} ], [ 'waypoints', [qw(longitude latitude ele time name)],
	[ [ 1, 2, 30, '2024-05-31T10:00:00Z', 'a' ] ] ], 'GPX: layers and columns that have something')
	or diag(explain $ways);
my $mif = written('MapInfo File', 'a.mif', [ [ 'two', \@two ] ]) =~ s/\.mif$//r;
my $tab = written('MapInfo File', 'a.tab', [ [ 'two', \@two ] ]) =~ s/\.tab$//r;
my @info = sheets('zip', zip(part('a.MIF', slurp("$mif.mif")), part('a.MID', slurp("$mif.mid")),
	map { part("in/b.$_", slurp("$tab.$_")) } qw(tab dat map id)), 'MapInfo MIF and TAB');
is_deeply($info[0]{rows}[0], [ 1, 'Ñ', 'POLYGON ((0 0,2 0,2 2,0 2,0 0))' ], 'MIF: the rows') or diag(explain \@info);
is_deeply([ map { [ @$_[ 0, 1 ] ] } @{ $info[1]{rows} } ], [ [ 1, 'Ñ' ], [ 2, 'b' ] ], 'TAB: the rows')
	or diag(explain \@info);
($sheet) = sheets('zip', zip(part('a.mif', slurp("$mif.mif"))), 'a MIF alone in an archive');
is($sheet->{issues}[0], '1: the archive has no .mid of this MIF, so its rows have no attributes', 'which is told');
($sheet) = sheets('dxf', slurp(written('DXF', 'a.dxf', [ [ 'one', [ feature(point(1, 2)) ] ] ])), 'DXF');
is_deeply([ @{ $sheet->{rows}[0] }[ 0, 1 ] ], [ 1, 2 ], 'DXF: the place');

# Texts of a DBF: as the .cpg says, else as is typical of the bytes, whatever its head says
for my $what (map { $_->[0] } @encodings)
{
	is_deeply([ map { $_->[2] } @{ $read{$what}{rows} } ], [ 'Ñandú – “Peñón”', 'Café' ], "$what: the letters");
}
my %cyrillic = shapes([ [ 'a', [ feature(point(1, 2), name => 'Привет, город') ] ] ], '-lco', 'ENCODING=CP866');
($sheet) = sheets('zip', zip(parts('a', without($cyrillic{a}, 'cpg'))), 'an encoding of the options',
	'--encoding', 'CP866');
is($sheet->{rows}[0][2], 'Привет, город', 'the options go first');

# Systems of coordinates
my %gml = map { $_->{name} => $_ }
	sheets('gml', slurp(written('GML', 'a.gml', \@systems, '-dsco', 'FORMAT=GML3')), 'GML in several systems');
for my $form ([ 'a Shapefile', \%read ], [ 'a GeoPackage', \%table ], [ 'GML', \%gml ])
{
	for my $system (sort keys %systems)
	{
		my ($place, $note) = @{ $systems{$system} };
		my $read = $form->[1]{"system$system"};
		my $what = "EPSG:$system in $form->[0]";
		for my $axis (0, 1)
		{
			cmp_ok(abs($read->{rows}[0][$axis] - $place->[$axis]), '<', 0.00002, "$what: the place");
		}
		is_deeply([ map {s/(?<=")(?:OSGB_?36|OSGB 1936|NAD_?83|British_).*(?=")/X/r} @{ $read->{issues} } ],
			[ $note ? '1: ' . $note =~ s/(?<=")(?:OSGB36|NAD83).*(?=")/X/r : () ], "$what: what is told");
	}
}
for my $system (sort keys %published)
{
	my $read = $table{"published$system"};
	for my $i (0 .. $#{ $published{$system} })
	{
		my ($longitude, $latitude) = @{ $published{$system}[$i] }[ 2, 3 ];
		my $east  = ($read->{rows}[$i][0] - $longitude) * 111_320 * cos($latitude * 3.14159265 / 180);
		my $north = ($read->{rows}[$i][1] - $latitude) * 111_200;
		cmp_ok(sqrt($east**2 + $north**2), '<', 1, "EPSG:$system: point $i is where it is published, within a metre");
	}
	# PROJ 9.9 states one of 1.5 metres for the Netherlands
	is_deeply([ grep { $system != 28992 || !/ converted to WGS 84 within 1\.5 metres$/ } @{ $read->{issues} } ],
		[], "EPSG:$system: nothing is told of the accuracy");
}
is_deeply([ @{ $read{nowhere} }{qw(names rows issues)} ], [ [qw(x y n)], [ [ '500000.5', 5_500_000, 1 ] ],
	[ '1: the file does not say in which system its coordinates are, and they are no degrees, so they are not '
		. 'converted to WGS 84' ] ], 'no system, in metres: is told, and the columns are x and y');
is_deeply([ @{ $read{degrees}{rows}[0] }[ 0, 1 ] ], $obelisk, 'no system, in degrees: they are taken as degrees');
is($read{degrees}{issues}[0], '1: the file does not say in which system its coordinates are, so they are taken as '
	. 'degrees of WGS 84', 'which is told');
# the operation is one for the whole layer, so that lines through the areas of several operations have no steps
my @y = map { (split / /)[1] } split /,/, $table{line}{rows}[0][1] =~ s/^.*\(|\)$//gr;
my @steps = map { abs($y[ $_ + 1 ] - $y[$_]) } 0 .. $#y - 1;
is(scalar(grep { $_ > 0.000005 } @steps), 0, 'a line has no step') or diag("@y");
is(scalar @y, 121, 'and all its places');

# GeoJSON in a system that it names before its features, in each way to name one; a name that nobody knows, or that
# is an address; a position that is none
my @named = ([ '"urn:ogc:def:crs:EPSG::25830"', 1 ], [ '{"type": "name", "properties": {"name": "EPSG:25830"}}', 1 ],
	[ '{"type": "EPSG", "properties": {"code": 25830}}', 1 ],
	[ '{"type": "name", "properties": {"name": "http://www.opengis.net/def/crs/EPSG/0/25830"}}', 1 ],
	[ '"http://127.0.0.1:1/25830"' ], [ '"EPSG:999999"' ], [ '"/etc/passwd"' ], [ '"' . 'EPSG:' x 30 . '"' ]);
my %behind = map { $_->[0] => 1 } Catalogue::Test::one_of_each(sub { $_[0][1] ? 'known' : 'unknown' }, @named);
for my $case (@named)
{
	my ($crs, $known) = @$case;
	local $Catalogue::Parser::geographic{geojson} = 1;
	my $features = '"features": [' . join(',', map { qq({"type": "Feature", "properties": {}, "geometry": $_}) }
		'{"type": "Point", "coordinates": [440291.3, 4474254.6, 650]}',
		'{"type": "LineString", "coordinates": [[440291.3, 4474254.6], [440391.3, 4474354.6]]}',
		'{"type": "Point", "coordinates": ["x", 4474254.6]}') . ']';
	my ($read) = sheets('geojson', qq({"type": "FeatureCollection", "crs": $crs, $features}), $crs);
	is_deeply([ @{ $read->{names} }[ 0, 1 ] ], $known ? [qw(longitude latitude)] : [qw(x y)], "$crs: the columns");
	is_deeply([ $read->{rows}[0][0], $read->{rows}[1][-2] // $read->{rows}[1][-1] ],
		$known ? [ '-3.7037898', 'LINESTRING (-3.7037898 40.416775,-3.7026206 40.417683)' ]
		: [ '440291.3', 'LINESTRING (440291.3 4474254.6,440391.3 4474354.6)' ], "$crs: the places")
		or diag(explain $read->{rows});
	is(scalar @{ $read->{issues} }, 1, "$crs: one thing is told") or diag(explain $read->{issues});
	next if !$behind{$crs};
	($read) = sheets('geojson', qq({"type": "FeatureCollection", $features, "crs": $crs}), "$crs behind");
	is_deeply([ @{ $read->{names} }[ 0, 1 ] ], [qw(x y)], "$crs behind the features: the columns");
}

# Several layers, in folders too, in the order of their names; letters of endings, and files of macOS beside them
my @layers = sheets('zip', zip(parts('roads/main', $points),
	(map { $_->{name} = uc $_->{name}; $_ } parts('zones', $points)),
	part('__MACOSX/._zones.shp', 'x'), part('readme.txt', 'x'), parts('a', $points)), 'three layers');
is_deeply([ map { $_->{name} } @layers ], [qw(a main ZONES)], 'each is a sheet');
is_deeply([ map { scalar @{ $_->{rows} } } @layers ], [ 3, 3, 3 ], 'with all rows');

# What is missing of a Shapefile, and what is broken
is_deeply([ $read{bare}{names}, $read{bare}{issues}[0] ], [ [qw(longitude latitude)],
	'1: the archive has no .dbf of this Shapefile, so its rows have no attributes' ], 'the geometries are there');
is_deeply($read{unlisted}{rows}, $read{trees}{rows}, 'without a .shx: all is there');
($sheet) = sheets('shp', $points->{shp}, 'a .shp alone');
is_deeply([ @{ $sheet->{rows}[0] } ], $obelisk, 'the geometries are there');
is($sheet->{issues}[0],
	'1: a .shp alone has no attributes and does not say in which system its coordinates are: upload '
	. 'a .zip with the .dbf and the .prj', 'the rest is asked for');
is(scalar @{ $read{cut}{rows} }, 3, 'a .shp that is cut off: the rows are there');
like($read{cut}{issues}[0], qr/^2: Error in fread\(\) reading object of size \d+ at offset \d+ from \.shp file$/,
	'what is not read is told');
is(scalar @{ $read{damaged}{rows} }, 0, 'a layer that is damaged has no rows, while the others are there');
like($read{damaged}{issues}[0], qr/^1: the file cannot be read as a Shapefile.*; the sheet was left out$/,
	'it is told');
# polygons of many rings, and ones that say that they have more than there are bytes
sub rings
{
	my ($rings, $said) = @_;
	my @places = map { $_ / 1e5 } 0 .. $rings - 1;
	my $points = join '', map { pack 'd<8', 0, $_, 0, $_ + 5e-6, 1, $_, 0, $_ } @places;
	my $shape = pack('l< d<4 l<2', 5, 0, 0, 1, 1, $said, 4 * $said) . pack('l<*', map { 4 * $_ } 0 .. $rings - 1)
		. $points;
	my $head = pack('l>7', 9994, (0) x 5, 54 + length($shape) / 2) . pack 'l<2 d<8', 1000, 5, 0, 0, 1, 1, (0) x 4;
	return zip(part('a.shp', $head . pack('l>2', 1, length($shape) / 2) . $shape));
}
# a sanitizer makes the library too slow for more
my $long = '1: the geometry is longer than 1 MiB as WKT, so that contents and CSV do not have it; maps and GeoJSON do';
my @long = Catalogue::Parser::program() =~ /sanitize/ ? (30_000, $long)
	: (400_000, '1: the geometry is longer than 16 MiB as WKT, and is left out here; the file has it');
($sheet) = sheets('zip', rings($long[0], $long[0]), "$long[0] rings");
is($sheet->{issues}[-1], $long[1], 'are told');
for my $said (1 << 28, -5)
{
	my $lying = parse('zip', rings(10, $said));
	like(kind($lying), qr/^[DX]$/, "$said rings, which are not there");
	is_deeply([ grep { defined $_->[0] } map { @{ $_->{rows} } } @{ $lying->{sheets} } ], [], 'no geometry is made up');
}
is_deeply($table{bow}{issues}, ['1: the polygon is not valid: its rings cross or are broken'], 'a bow is told');
is_deeply([ map { [ $_->[0], scalar(() = $_->[1] =~ /,/g) ] } @{ $table{long}{rows} } ], [ [ 1, 60_000 ], [ 2, 1 ] ],
	'a geometry over the limit of a cell is kept');
is_deeply($table{long}{issues}, [$long], 'which is told');

# Archives that are meant to harm
is_refused('zip', zip(parts('../../a', $points)), qr/^the archive has a part with an unsafe name$/,
	'a name that leaves it');
is_refused('zip', zip(parts('/etc/a', $points)), qr/^the archive has a part with an unsafe name$/, 'an absolute name');
is_refused('zip', zip(parts('a', { %$points, shp => "\0" x (20 << 20) })),
	qr/^part "a\.shp" of the archive gets more than 200 times longer when it is unpacked$/, 'a bomb');
is_refused('zip', zip(map { part("$_.txt", 'x') } 1 .. 2001), qr/^the archive has more than 2,000 parts$/,
	'many parts');
is_refused('zip', zip(parts('a', $points), parts('A', $points)), qr/^the archive has two parts of one name$/,
	'one name');
is_refused('zip', zip(part('a.txt', 'x')), qr/^the archive has no Shapefile, MapInfo TAB or MIF$/, 'no layer');
is_refused('zip', substr(zip(parts('a', $points)), 0, -30), qr/^the archive is damaged or cut off$/,
	'an archive cut off');
is_refused('zip', 'PK', qr/^the file is no archive: it does not begin as a ZIP archive does$/, 'no archive');
is_refused($_, '', qr/^the file is empty$/, "an empty $_")
	for Catalogue::Test::one_of_each(sub { $_[0] eq 'zip' ? 'archive' : 'file' },
		qw(zip shp gpkg gml gpx topojson fgb mif dxf));
is_refused($_, "no such file\n" x 100, qr/^the file cannot be read as /, "another $_")
	for qw(shp gpkg gml gpx topojson fgb mif);

# Only the driver of the kind opens a file, and no file beside it: each would otherwise show the words of the secret
my $secret = "$directory/secret.csv";
open my $out, '>', $secret or die;
print $out "id,WKT\n1,\"POINT (1 2)\"\n";
close $out;
my $virtual = qq(<OGRVRTDataSource><OGRVRTLayer name="secret"><SrcDataSource>$secret</SrcDataSource>)
	. '<GeometryType>wkbPoint</GeometryType></OGRVRTLayer></OGRVRTDataSource>';
is_refused($_, $virtual, qr/^the file cannot be read as /, "a virtual layer as $_") for qw(gml gpx shp gpkg mif);
my $outside = '<?xml version="1.0"?><!DOCTYPE gml [<!ENTITY s SYSTEM "file://' . $secret . '">]>'
	. '<a:C xmlns:a="urn:a" xmlns:gml="http://www.opengis.net/gml" xmlns:xlink="http://www.w3.org/1999/xlink" '
	. "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:schemaLocation=\"urn:a file://$secret\">"
	. '<gml:featureMember><a:F><a:name>&s;</a:name><a:to xlink:href="' . "file://$secret" . '"/>'
	. '<a:geom><gml:Point srsName="EPSG:4326"><gml:pos>2 1</gml:pos></gml:Point></a:geom></a:F></gml:featureMember>'
	. '</a:C>';
my $result = parse('gml', $outside);
unlike($json->encode($result), qr/POINT \(1 2\)|WKT/, 'a GML that names a file does not get it');
like(kind($result), qr/^[DX]$/, 'nor does it end the reader');

done_testing();
