#!/usr/bin/perl
# Shapefiles and the other formats of GDAL as rows: each layer is a sheet, its places are in WGS 84; what is missing,
# broken or meant to harm is told, or refused with one sentence.  The program is tested alone, on files of
# ogr2ogr.

use strict;
use warnings;
use utf8;

use Cpanel::JSON::XS ();
use Encode qw(encode);
use File::Temp ();
use Test::More;
use Catalogue::Parser qw(kind parse part zip);

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

# Have ogr2ogr write features in a format; the path of what it wrote.
sub written
{
	my ($format, $name, $features, @options) = @_;
	my $path = "$directory/" . ++$files;
	mkdir $path or die "$path: $!";
	open my $out, '>', "$path/in.geojson" or die "$path: $!";
	print $out $json->encode({ type => 'FeatureCollection', features => $features });
	close $out;
	system('ogr2ogr', '-f', $format, @options, "$path/$name", "$path/in.geojson") == 0 or die "ogr2ogr: $?";
	unlink "$path/in.geojson";
	return "$path/$name";
}

# The parts of a Shapefile, by their endings; they are put into an archive under a name.
sub shape
{
	my ($features, @options) = @_;
	my $path = written('ESRI Shapefile', 'made.shp', $features, @options) =~ s/\.shp$//r;
	return { map { -e "$path.$_" ? ($_ => slurp("$path.$_")) : () } qw(shp shx dbf prj cpg) };
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
my @wgs84 = ('-a_srs', 'EPSG:4326');
my $obelisk = [ -58.381592, -34.603722 ];

# A Shapefile with points: the coordinates come first; attributes keep their digits, and have types
my $points = shape([ feature(point(@$obelisk), name => 'Año', size => 7, length => 1.5, built => '1936-05-23'),
	feature(point(1, 2), name => 'b', size => 12345678901, length => 0.25, built => undef),
	feature(undef, name => 'c') ],
	@wgs84, '-lco', 'ENCODING=UTF-8', '-oo', 'DATE_AS_STRING=NO');
my ($sheet) = sheets('zip', zip(parts('trees', $points)), 'points');
is($sheet->{name}, 'trees', 'the sheet is called as the layer');
is_deeply($sheet->{names}, [qw(longitude latitude built length name size)], 'a column for each attribute');
is_deeply($sheet->{types}, [qw(decimal decimal date decimal text integer)], 'they have types');
is_deeply([ map { [ @$_[ 0, 1, 2, 4, 5 ] ] } @{ $sheet->{rows} } ], [
	[ @$obelisk, '1936-05-23', 'Año', 7 ], [ 1, 2, undef, 'b', 12345678901 ], [ undef, undef, undef, 'c', undef ] ],
	'a row for each feature') or diag(explain $sheet->{rows});
is_deeply($sheet->{issues}, ['3: the feature has no geometry, so its longitude and latitude are empty'],
	'what is missing is told');

# Polygons, lines and several parts are WKT; a collection of one point is that point
my @shapes = (feature(geometry(Polygon => [ $square, $hole ]), n => 1),
	feature(geometry(MultiPolygon => [ [$square], [ [ [ 5, 5 ], [ 6, 5 ], [ 6, 6 ], [ 5, 5 ] ] ] ]), n => 2));
($sheet) = sheets('zip', zip(parts('areas', shape(\@shapes, @wgs84))), 'polygons');
is_deeply($sheet->{names}, [qw(n geometry)], 'they have a column of their own');
is_deeply($sheet->{rows}, [
	[ 1, 'POLYGON ((0 0,0 2,2 2,2 0,0 0),(0.5 0.5,1 1,0.5 1,0.5 0.5))' ],
	[ 2, 'MULTIPOLYGON (((0 0,0 2,2 2,2 0,0 0)),((5 5,6 6,6 5,5 5)))' ] ], 'as WKT') or diag(explain $sheet->{rows});
is_deeply($sheet->{issues}, [], 'nothing is wrong');
my @mixed = (feature(point(1, 2, 30), n => 1), feature(geometry(MultiPoint => [ [ 3, 4 ] ]), n => 2),
	feature(geometry(LineString => [ [ 0.12345678, 1 ], [ 2, 3 ] ]), n => 3),
	feature(geometry(MultiPoint => [ [ 3, 4 ], [ 5, 6 ] ]), n => 4),
	feature({ type => 'GeometryCollection', geometries => [ point(7, 8) ] }, n => 5),
	feature({ type => 'GeometryCollection', geometries => [ point(7, 8),
		geometry(LineString => [ [ 0, 0 ], [ 1, 1 ] ]) ] }, n => 6));
($sheet) = sheets('gpkg', slurp(written('GPKG', 'm.gpkg', \@mixed)), 'a GeoPackage of many kinds');
is_deeply([ @$sheet{qw(name names)} ], [ 'in', [qw(longitude latitude n geometry altitude)] ], 'points and shapes');
is_deeply($sheet->{rows}, [ [ 1, 2, 1, undef, 30 ], [ 3, 4, 2, undef, undef ],
	[ undef, undef, 3, 'LINESTRING (0.1234568 1,2 3)', undef ], [ undef, undef, 4, 'MULTIPOINT ((3 4),(5 6))', undef ],
	[ 7, 8, 5, undef, undef ],
	[ undef, undef, 6, 'GEOMETRYCOLLECTION (POINT (7 8),LINESTRING (0 0,1 1))', undef ] ], 'each in its column')
	or diag(explain $sheet->{rows});
is_deeply($sheet->{issues}, [], 'nothing is wrong');
is($sheet->{details}{otherGeometries}, 3, 'those that are no points are counted');

# Each other format has what was written
my @two = (feature(geometry(Polygon => [$square]), name => 'Ñ', n => 1),
	feature(geometry(Polygon => [$hole]), name => 'b', n => 2));
for my $case ([ 'GML', 'gml', 'gml_id' ], [ 'FlatGeobuf', 'fgb' ], [ 'GPKG', 'gpkg' ], [ 'TopoJSON' ])
{
	my ($format, $form, $more) = @$case;
	next if !$form;
	my ($read) = sheets($form, slurp(written($format, "a.$form", \@two, @wgs84)), $format);
	is_deeply($read->{names}, [ $more // (), qw(n name geometry) ], "$format: the columns");
	my %row = map { $_->[-2] => $_ } @{ $read->{rows} };
	is_deeply([ map { [ @{ $row{$_} }[ -3, -2 ] ] } 'Ñ', 'b' ], [ [ 1, 'Ñ' ], [ 2, 'b' ] ],
		"$format: the attributes");
	is($row{'Ñ'}[-1], 'POLYGON ((0 0,2 0,2 2,0 2,0 0))', "$format: the geometry");
	is_deeply($read->{issues}, [], "$format: nothing is wrong");
}
my $topology = '{"type": "Topology", "arcs": [[[0, 0], [2, 0], [2, 2], [0, 0]]], "objects": {"areas": {"type": '
	. '"GeometryCollection", "geometries": [{"type": "Polygon", "arcs": [[0]], "properties": {"name": "a"}}]}}}';
($sheet) = sheets('topojson', $topology, 'TopoJSON');
is($sheet->{name}, 'areas', 'TopoJSON: the sheet is called as its object');
is($sheet->{rows}[0][-1], 'POLYGON ((0 0,2 0,2 2,0 0))', 'TopoJSON: its arcs are rings');
my ($ways) = sheets('gpx', '<gpx version="1.1" creator="t" xmlns="http://www.topografix.com/GPX/1/1">'
	. '<wpt lat="2" lon="1">'
	. '<ele>30</ele><time>2024-05-31T10:00:00Z</time><name>a</name></wpt></gpx>', 'GPX');
is_deeply([ @$ways{qw(name names rows)} ], [ 'waypoints', [qw(longitude latitude ele time name)],
	[ [ 1, 2, 30, '2024-05-31T10:00:00Z', 'a' ] ] ], 'GPX: layers and columns that have something')
	or diag(explain $ways);
my $mif = written('MapInfo File', 'a.mif', \@two, @wgs84) =~ s/\.mif$//r;
($sheet) = sheets('zip', zip(part('a.MIF', slurp("$mif.mif")), part('a.MID', slurp("$mif.mid"))), 'MapInfo MIF');
is_deeply($sheet->{rows}[0], [ 1, 'Ñ', 'POLYGON ((0 0,2 0,2 2,0 2,0 0))' ], 'MIF: the rows') or diag(explain $sheet);
my $tab = written('MapInfo File', 'a.tab', \@two, @wgs84) =~ s/\.tab$//r;
($sheet) = sheets('zip', zip(map { part("in/a.$_", slurp("$tab.$_")) } qw(tab dat map id)), 'MapInfo TAB');
is_deeply([ map { [ @$_[ 0, 1 ] ] } @{ $sheet->{rows} } ], [ [ 1, 'Ñ' ], [ 2, 'b' ] ], 'TAB: the rows')
	or diag(explain $sheet);
($sheet) = sheets('dxf', slurp(written('DXF', 'a.dxf', [ feature(point(1, 2)) ])), 'DXF');
is_deeply([ @{ $sheet->{rows}[0] }[ 0, 1 ] ], [ 1, 2 ], 'DXF: the place');

# Texts of a DBF: as the .cpg says, else as is typical of the bytes, whatever its head says
my @accents = map { feature(point(1, 2), name => $_) } 'Ñandú – “Peñón”', 'Café';
my $latin = shape(\@accents, @wgs84, '-lco', 'ENCODING=CP1252');
my $utf8 = shape(\@accents, @wgs84, '-lco', 'ENCODING=UTF-8');
for my $case ([ 'CP1252 with a .cpg', $latin, '1252' ], [ 'CP1252 with another name', $latin, "ANSI 1252\r\n" ],
	[ 'CP1252 without a .cpg', $latin, undef ], [ 'UTF-8 with a .cpg', $utf8, 'UTF-8' ],
	[ 'UTF-8 without a .cpg', $utf8, undef ], [ 'CP1252 that is called UTF-8', $latin, 'UTF-8' ],
	[ 'a .cpg that says nothing', $latin, 'SYSTEM' ], [ 'a .cpg that nobody knows', $latin, 'klingon' ])
{
	my ($what, $shape, $cpg) = @$case;
	my %shape = %$shape;
	delete $shape{cpg};
	$shape{cpg} = $cpg if defined $cpg;
	my ($read) = sheets('zip', zip(parts('a', \%shape)), $what);
	is_deeply([ map { $_->[2] } @{ $read->{rows} } ], [ 'Ñandú – “Peñón”', 'Café' ], "$what: the letters");
}
my $cyrillic = shape([ feature(point(1, 2), name => 'Привет, город') ], @wgs84, '-lco', 'ENCODING=CP866');
delete $cyrillic->{cpg};
($sheet) = sheets('zip', zip(parts('a', $cyrillic)), 'an encoding of the options', '--encoding', 'CP866');
is($sheet->{rows}[0][2], 'Привет, город', 'the options go first');

# Systems of coordinates: places as PROJ converts them, within its accuracy, which is told if it is over a metre
for my $case ([ 'EPSG:25830', [ -3.7038, 40.4168 ] ], [ 'EPSG:5347', $obelisk ], [ 'EPSG:22185', $obelisk ],
	[ 'EPSG:3857', $obelisk ], [ 'EPSG:2154', [ 2.35, 48.85 ] ], [ 'EPSG:27700', [ -1.5, 52.5 ],
		'the coordinates in "OSGB36 / British National Grid" were converted to WGS 84 within 2 metres' ],
	[ 'EPSG:26915', [ -93.1, 44.9 ],
		'the coordinates in "NAD83 / UTM zone 15N" were converted to WGS 84 within 4 metres, '
		. 'since the grid us_noaa_mnhpgn.tif is not installed' ])
{
	my ($system, $place, $note) = @$case;
	for my $form (qw(zip gpkg gml))
	{
		my $bytes = $form eq 'zip' ? zip(parts('a', shape([ feature(point(@$place), n => 1) ], '-t_srs', $system)))
			: slurp(written($form eq 'gml' ? 'GML' : 'GPKG', "a.$form", [ feature(point(@$place), n => 1) ],
				'-t_srs', $system, $form eq 'gml' ? ('-dsco', 'FORMAT=GML3') : ()));
		my ($read) = sheets($form, $bytes, "$system in $form");
		for my $axis (0, 1)
		{
			cmp_ok(abs($read->{rows}[0][$axis] - $place->[$axis]), '<', 0.00002, "$system in $form: the place");
		}
		is_deeply([ map {s/(?<=")(?:OSGB_?36|OSGB 1936|NAD_?83|British_).*(?=")/X/r} @{ $read->{issues} } ],
			[ $note ? '1: ' . $note =~ s/(?<=")(?:OSGB36|NAD83).*(?=")/X/r : () ], "$system in $form: what is told");
	}
}
my %nowhere = %{ shape([ feature(point(500_000.5, 5_500_000), n => 1) ]) };
delete $nowhere{prj};
($sheet) = sheets('zip', zip(parts('a', \%nowhere)), 'no system, in metres');
is_deeply([ @$sheet{qw(names rows issues)} ], [ [qw(x y n)], [ [ '500000.5', 5_500_000, 1 ] ],
	[ '1: the file does not say in which system its coordinates are, and they are no degrees, so they are not '
		. 'converted to WGS 84' ] ], 'is told, and the columns are x and y');
%nowhere = %$points;
delete $nowhere{prj};
($sheet) = sheets('zip', zip(parts('a', \%nowhere)), 'no system, in degrees');
is_deeply([ @{ $sheet->{rows}[0] }[ 0, 1 ] ], $obelisk, 'they are taken as degrees');
is($sheet->{issues}[0], '1: the file does not say in which system its coordinates are, so they are taken as degrees of '
	. 'WGS 84', 'which is told');
# the operation is one for the whole layer, so that lines have no steps
my @line = map { [ -9 + $_ / 10, 40 ] } 0 .. 120;
my ($smooth) = sheets('gpkg', slurp(written('GPKG', 'l.gpkg', [ feature(geometry(LineString => \@line), n => 1) ],
	'-a_srs', 'EPSG:4230')), 'a line through the areas of several operations');
my @y = map { (split / /)[1] } split /,/, $smooth->{rows}[0][1] =~ s/^.*\(|\)$//gr;
my @steps = map { abs($y[ $_ + 1 ] - $y[$_]) } 0 .. $#y - 1;
is(scalar(grep { $_ > 0.000005 } @steps), 0, 'it has no step') or diag("@y");

# GeoJSON in a system that it names before its features, in each way to name one; a name that nobody knows, or that
# is an address; a position that is none
for my $case ([ '"urn:ogc:def:crs:EPSG::25830"', 1 ], [ '{"type": "name", "properties": {"name": "EPSG:25830"}}', 1 ],
	[ '{"type": "EPSG", "properties": {"code": 25830}}', 1 ],
	[ '{"type": "name", "properties": {"name": "http://www.opengis.net/def/crs/EPSG/0/25830"}}', 1 ],
	[ '"http://127.0.0.1:1/25830"' ], [ '"EPSG:999999"' ], [ '"/etc/passwd"' ], [ '"' . 'EPSG:' x 30 . '"' ])
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
	($read) = sheets('geojson', qq({"type": "FeatureCollection", $features, "crs": $crs}), "$crs behind");
	is_deeply([ @{ $read->{names} }[ 0, 1 ] ], [qw(x y)], "$crs behind the features: the columns");
}

# Several layers, in folders too, in the order of their names; letters of endings, and files of macOS beside them
my @layers = sheets('zip', zip(parts('roads/main', $points),
	(map { $_->{name} = uc $_->{name}; $_ } parts('zones', $points)),
	part('__MACOSX/._zones.shp', 'x'), part('readme.txt', 'x'), parts('a', $points)), 'three layers');
is_deeply([ map { $_->{name} } @layers ], [qw(a main ZONES)], 'each is a sheet');
is_deeply([ map { scalar @{ $_->{rows} } } @layers ], [ 3, 3, 3 ], 'with all rows');
my $book = written('GPKG', 'two.gpkg', [ feature(point(1, 2), n => 1) ], '-nln', 'one');
system('ogr2ogr', '-f', 'GPKG', '-update', '-nln', 'layer_styles', $book, $book) == 0 or die;
@layers = sheets('gpkg', slurp($book), 'a GeoPackage with two tables');
is_deeply([ map { [ $_->{name}, $_->{hidden} ? 1 : 0 ] } @layers ], [ [ 'one', 0 ], [ 'layer_styles', 1 ] ],
	'a table of a program is hidden');

# What is missing of a Shapefile, and what is broken
my %bare = %$points;
delete @bare{qw(dbf cpg)};
($sheet) = sheets('zip', zip(parts('a', \%bare)), 'without a .dbf');
is_deeply([ @$sheet{qw(names)}, $sheet->{issues}[0] ], [ [qw(longitude latitude)],
	'1: the archive has no .dbf of this Shapefile, so its rows have no attributes' ], 'the geometries are there');
my %unlisted = %$points;
delete $unlisted{shx};
($sheet) = sheets('zip', zip(parts('a', \%unlisted)), 'without a .shx');
is(scalar @{ $sheet->{rows} }, 3, 'all is there');
($sheet) = sheets('shp', $points->{shp}, 'a .shp alone');
is_deeply([ @{ $sheet->{rows}[0] } ], $obelisk, 'the geometries are there');
is($sheet->{issues}[0],
	'1: a .shp alone has no attributes and does not say in which system its coordinates are: upload '
	. 'a .zip with the .dbf and the .prj', 'the rest is asked for');
my %cut = (%$points, shp => substr($points->{shp}, 0, -30));
($sheet) = sheets('zip', zip(parts('a', \%cut)), 'a .shp that is cut off');
is(scalar @{ $sheet->{rows} }, 3, 'the rows are there');
like($sheet->{issues}[0], qr/^2: Error in fread\(\) reading object of size \d+ at offset \d+ from \.shp file$/,
	'what is not read is told');
my %damaged = (%$points, shp => 'x' x 200);
@layers = sheets('zip', zip(parts('a', \%damaged), parts('b', $points)), 'a layer that is damaged, and another one');
is_deeply([ map { scalar @{ $_->{rows} } } @layers ], [ 0, 3 ], 'the other one is there');
like($layers[0]{issues}[0], qr/^1: the file cannot be read as a Shapefile.*; the sheet was left out$/, 'it is told');
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
($sheet) = sheets('zip', rings(100_000, 100_000), 'a hundred thousand rings');
is($sheet->{issues}[-1], '1: the geometry is longer than 1 MiB as WKT, and is left out here; the file has it',
	'are told');
for my $said (1 << 28, -5)
{
	my $lying = parse('zip', rings(10, $said));
	like(kind($lying), qr/^[DX]$/, "$said rings, which are not there");
	is_deeply([ grep { defined $_->[0] } map { @{ $_->{rows} } } @{ $lying->{sheets} } ], [], 'no geometry is made up');
}
my $bow = [ [ 0, 0 ], [ 2, 2 ], [ 2, 0 ], [ 0, 2 ], [ 0, 0 ] ];
($sheet) = sheets('gpkg', slurp(written('GPKG', 'b.gpkg', [ feature(geometry(Polygon => [$bow]), n => 1) ])), 'a bow');
is_deeply($sheet->{issues}, ['1: the polygon is not valid: its rings cross or are broken'], 'that is told');
my @long = map { [ cos($_ / 10000) * 10.123456, sin($_ / 10000) * 10.123456 ] } 0 .. 60000;
($sheet) = sheets('gpkg', slurp(written('GPKG', 'b.gpkg', [ feature(geometry(LineString => \@long), n => 1),
	feature(geometry(LineString => [ [ 0, 0 ], [ 1, 1 ] ]), n => 2) ])), 'a geometry over the limit of a cell');
is_deeply($sheet->{rows}, [ [1, undef], [ 2, 'LINESTRING (0 0,1 1)' ] ], 'it is left out of the row');
is_deeply($sheet->{issues}, ['1: the geometry is longer than 1 MiB as WKT, and is left out here; the file has it'],
	'which is told');

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
is_refused($_, '', qr/^the file is empty$/, "an empty $_") for qw(zip shp gpkg gml gpx topojson fgb mif dxf);
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
