#!/usr/bin/perl
# Places in tables: columns with the usual names whose values fit are found, with their extent; a table that merely has
# columns of these names has no geography.  Those in a system that the owner names get columns in WGS 84.

use strict;
use warnings;
use utf8;

use Encode qw(encode);
use Test::More;
use Catalogue::Parser qw(parse kind zip workbook);
use Catalogue::Test;
use Catalogue::Upload;
use Catalogue::Worker;

binmode Test::More->builder->$_, ':encoding(UTF-8)' for qw(output failure_output);

# Read a text, which must succeed; return its sheet.
sub sheet
{
	my ($text, @options) = @_;
	my $result = parse('csv', encode('UTF-8', $text), @options);
	is(kind($result), 'D', 'a table is read') or diag(explain $result->{refused});
	return $result->{sheets}[0] // { details => {} };
}

# Rows of cells as a text, with a line of titles.
sub table { return join '', map { join("\t", @$_) . "\n" } @_ }
sub geography { return sheet(@_)->{details}{geography} }

# the usual names, in any letters, and the extent of rows that have both coordinates
my @places = ([ 1, '-34.6', '-58.4' ], [ 2, '-35', '-59.25' ], [ 3, '', '-10' ], [ 4, 0, 0 ], [ 5, '-1', 'NA' ]);
for my $names (
	[qw(latitude longitude)], [qw(LATITUD Longitud)], [ ' Lat ', 'LON' ], [qw(lat lng)], [qw(latitude_deg longitude_deg)],
	[qw(lat long)])
{
	is_deeply(geography(table([ 'id', @$names ], @places)), { latitude => $names->[0] =~ s/ //gr, longitude => $names->[1],
		extent => [ '-59.25', -35, '-58.4', '-34.6' ] }, "columns called @$names");
}
is_deeply(geography(table([qw(y x lat lon)], [ 1, 2, 3, 4 ])), { latitude => 'lat', longitude => 'lon',
	extent => [ 4, 3, 4, 3 ] }, 'the more certain names come first');
is_deeply(geography(table([qw(lat lon lat)], [ 1, 2, 3 ])), { latitude => 'lat', longitude => 'lon',
	extent => [ 2, 1, 2, 1 ] }, 'of two columns with a name the first one');
is_deeply(geography(table([ 'a.lon', 'lon.', 'lat' ], [ 1, 2, 3 ])), undef, 'other names are none');
is_deeply(geography(table([qw(lat lon)], [ '1,5', '2,25' ], [ '3,5', '-4' ])), { latitude => 'lat', longitude => 'lon',
	extent => [ -4, '1.5', '2.25', '3.5' ] }, 'decimal commas');
is_deeply(geography(table([qw(lat lon)], [ '1,5', '2.25' ], [ '3.5', '-4' ])), { latitude => 'lat', longitude => 'lon',
	extent => [ -4, '1.5', '2.25', '3.5' ] }, 'in some of the cells');
is(geography(table([qw(lat lon)], [ '1,5', '2,25' ], [ '3,5', '-4' ]), '--decimal', '.'), undef,
	'which the owner may exclude');
is_deeply(geography(table([qw(lat lon)], [ 1, 179 ], [ 2, -179 ]))->{extent}, [ 179, 1, -179, 2 ],
	'an extent over the antimeridian');
is_deeply(geography(table([qw(lat lon)], [ 1, 2 ], [ -99, -99 ]), '--missing', '-99')->{extent}, [ 2, 1, 2, 1 ],
	'what the owner calls missing is no place');

# over all chunks; a few cells may be wrong
my @many = map { [ $_ % 90, $_ % 170 ] } 1 .. 9000;
is_deeply(geography(table([qw(lat lon)], @many, [ -60, -10 ])), { latitude => 'lat', longitude => 'lon',
	extent => [ -10, -60, 169, 89 ] }, 'of many rows');
is_deeply(geography(table([qw(lat lon)], (map { [ 10, 20 ] } 1 .. 9), [ 900, 30 ], [ '', 1 ], [ 's/d', 2 ])),
	{ latitude => 'lat', longitude => 'lon', extent => [ 20, 10, 20, 10 ] }, 'one of ten that does not fit');
is(geography(table([qw(lat lon)], (map { [ 10, 20 ] } 1 .. 8), [ 900, 30 ], [ '', 1 ])), undef, 'one of nine');
is(geography(table([qw(lat lon)], (map { [ 10, 20 ] } 1 .. 8), [ 'north', 30 ])), undef, 'texts');
is(geography(table([qw(lat lon)], (map { [ 10, 20 ] } 1 .. 8), [ 10, 181 ])), undef, 'a longitude beyond 180');
is(geography(table([qw(lat lon)], [ '', '' ], [ '', '' ])), undef, 'no values');
is(geography(table([qw(lat lon)], [ 1, '' ], [ '', 2 ])), undef, 'no row with both');
is(geography(table([qw(lat lon)], [ 0, 0 ], [ 0, 0 ])), undef, 'zeros alone');
is(geography(table([qw(lat lon)])), undef, 'no rows');
is(geography(table([qw(lat a)], [ 1, 2 ])), undef, 'a latitude alone');
is(geography(table([qw(a lon)], [ 1, 2 ])), undef, 'a longitude alone');
is(geography(table([qw(lat lon)], [ 1, 2 ]), '--header', 'none'), undef, 'no names');

# x and y are columns of anything
is_deeply(geography(table([qw(X Y)], map { [ "-58.40$_", "-34.601$_" ] } 1 .. 9)), { latitude => 'Y', longitude => 'X',
	extent => [ '-58.409', '-34.6019', '-58.401', '-34.6011' ] }, 'degrees with decimals in x and y');
is(geography(table([qw(x y)], map { [ $_, $_ + 1 ] } 1 .. 80)), undef, 'integers in x and y');
is(geography(table([qw(x y)], map { [ "$_.25", "$_.5" ] } 1 .. 80)), undef, 'two decimals in x and y');
is(geography(table([qw(x y)], map { [ "0.$_$_$_", "-0.$_$_$_" ] } 1 .. 9)), undef, 'shares in x and y');
is(geography(table([qw(x y)], map { [ "500000.123$_", "6000000.123$_" ] } 1 .. 9)), undef, 'metres in x and y');
is(geography(table([qw(x z)], map { [ "50.123$_", "60.123$_" ] } 1 .. 9)), undef, 'x without y');
is(geography(table([qw(lat x)], map { [ "50.123$_", $_ ] } 1 .. 9)), undef, 'a latitude and any x');

# WKT: each kind, in any letters
my @shapes = ('POINT (1 2)', 'point z(1 2 3)', 'POINTM(1 2 3)', 'POINT ZM (1.5 -2e0 3 4)', 'LINESTRING(1 2,3 4)',
	'POLYGON ((0 0, 10 0, 10 10, 0 0), (1 1, 2 1, 2 2, 1 1))', 'MULTIPOINT (1 2, 3 4)', 'MULTIPOINT ((1 2), (3 4))',
	'MULTILINESTRING ((1 2, 3 4), (5 6, 7 8))', 'MULTIPOLYGON (((0 0, 1 0, 1 1, 0 0)), ((2 2, 3 2, 3 3, 2 2)))',
	'GEOMETRYCOLLECTION (POINT (1 2), GEOMETRYCOLLECTION EMPTY, LINESTRING (3 4, 5 6))', 'POLYGON EMPTY',
	'MULTIPOLYGON (EMPTY, ((0 0, 1 0, 1 1, 0 0)))', "  LINESTRING\t(1 2 ,  3 4 ) ",
	'SRID=4326;POINT (1 2)');
is_deeply(geography(table([qw(id WKT)], map { [ $_, $shapes[$_] ] } 0 .. $#shapes)), { geometry => 'WKT',
	extent => [ 0, -2, 10, 10 ] }, 'a column of WKT');
is_deeply(geography(table([ 'n', $_ ], [ 1, 'POINT(3 4)' ], [ 2, '' ])), { geometry => $_, extent => [ 3, 4, 3, 4 ] },
	"a column called $_") for qw(geom geometry the_geom);
is_deeply(geography(table([qw(geom)], [ 'LINESTRING (170 0, 175 1, 179 2)' ], ['POINT (-179 0)'])),
	{ geometry => 'geom', extent => [ 170, 0, -179, 2 ] }, 'over the antimeridian');
for my $shape ('POINT', 'POINT (1)', 'POINT (1 2', 'POINT (1 2))', 'POINT (1,2)', 'POINT (1 2 3 4 5)', 'POINT (a b)',
	'POINT (1 2) x', 'POINT ()', 'LINESTRING ((1 2, 3 4))', 'POLYGON (0 0, 1 0, 1 1, 0 0)', 'CIRCLE (1 2)', '1 2',
	'GEOMETRYCOLLECTION (1 2)', 'GEOMETRYCOLLECTION (' x 40 . 'POINT (1 2)' . ')' x 40, 'MULTIPOINT ((1 2, 3 4))',
	'SRID=22185;POINT (1 2)', 'POINT (361 2)', 'POINT (5643000 6200000)', 'LINESTRING (1 2, 1 91)', 'POINT (1 nan)',
	'0101000000000000000000F03F0000000000000040', '{"type":"Point"}', 'POINT EMPTY')
{
	is(geography(table(['geom'], [$shape])), undef, "no geometry in degrees: $shape");
}
is_deeply(geography(table([qw(lat lon geom)], [ 1, 2, 'POINT (30 40)' ], [ 3, 4, '' ])), { latitude => 'lat',
	longitude => 'lon', geometry => 'geom', extent => [ 2, 1, 30, 40 ] }, 'points and geometries');
is_deeply(geography(table([qw(lat lon geom)], [ 1, 2, 'x' ])), { latitude => 'lat', longitude => 'lon',
	extent => [ 2, 1, 2, 1 ] }, 'points alone');
is_deeply(geography(table([qw(lat lon geom)], [ 100, 2, 'POINT (30 40)' ])), { geometry => 'geom',
	extent => [ 30, 40, 30, 40 ] }, 'geometries alone');

# each sheet of a workbook
my @cells = map { "<row>$_</row>" } map { join '', map { qq(<c t="str"><v>$_</v></c>) } @$_ }
	[qw(lat lon)], [ '-34.6', '-58.4' ], [ '-35', '' ];
my $book = parse('xlsx', zip(workbook(sheets => [ [ 'places', "<sheetData>@cells</sheetData>" ],
	[ 'other', '<sheetData><row><c><v>1</v></c></row></sheetData>' ] ])));
is_deeply([ map { $_->{details}{geography} } @{ $book->{sheets} } ], [ { latitude => 'lat', longitude => 'lon',
	extent => [ '-58.4', '-34.6', '-58.4', '-34.6' ] }, undef ], 'a sheet of a workbook');
my $answer = parse('json', '[{"name": "a", "lat": -34.6, "lon": -58.4}, {"name": "b"}]');
is_deeply($answer->{sheets}[0]{details}{geography}, { latitude => 'lat', longitude => 'lon',
	extent => [ '-58.4', '-34.6', '-58.4', '-34.6' ] }, 'the answer of a service');

# degrees, minutes and seconds: columns are added
my $parts = sheet(table([qw(n lat lon)], [ 1, '34°36′S', '58°22′W' ], [ 2, q(34° 36' 12.5'' S), q(58º22´12,5´´W) ],
	[ 3, '-34.5', '-58,25' ], [ 4, '', '' ], [ 5, 's/d', 0 ], map { [ $_, 0, 0 ] } 6 .. 9));
is_deeply([ [ map { $_->{name} } @{ $parts->{columns} } ], @{ $parts->{rows} }[ 0 .. 4, 8 ] ],
	[ [qw(n lat lon longitude latitude)], [ 1, '34°36′S', '58°22′W', '-58.3666667', '-34.6' ],
	[ 2, q(34° 36' 12.5'' S), q(58º22´12,5´´W), '-58.3701389', '-34.6034722' ],
	[ 3, '-34.5', '-58,25', '-58.25', '-34.5' ],
	[ 4, '', '', undef, undef ], [ 5, 's/d', 0, undef, undef ], [ 9, 0, 0, undef, undef ] ], 'degrees with minutes')
	or diag(explain $parts);
is_deeply([ @{ $parts->{details} }{qw(coordinates geography)} ],
	[ { from => [qw(lon lat)], form => 'degrees, minutes and seconds' }, { longitude => 'longitude',
		latitude => 'latitude', extent => [ '-58.3701389', '-34.6034722', '-58.25', '-34.5' ] } ], 'it is told');
is_deeply([ map { $_->{reason} } @{ $parts->{issues} } ],
	['the coordinates in "lon" and "lat" of 1 rows cannot be converted, the first of which is row 5'],
	'and what has none');

# The longitude and the latitude that are made of two texts
sub degrees
{
	my ($latitude, $longitude, @more) = @_;
	s/"/""/g for $latitude, $longitude;
	my $sheet = sheet(table([qw(lat lon)], map { [ map { qq("$_") } @$_ ] } [ $latitude, $longitude ], @more));
	return [ @{ $sheet->{rows}[0] }[ 2, 3 ] ];
}
for my $case ([ '34 36 12 S', '-34.6033333' ], [ q(S34°36'12"), '-34.6033333' ], [ q(s 34° 36' 12"), '-34.6033333' ],
	[ '34:36:12 S', '-34.6033333' ], [ q(-34°36'12"), '-34.6033333' ], [ q(34°36'12"), '34.6033333' ],
	[ q(−34°36'12"), '-34.6033333' ], [ q(34°36’12”N), '34.6033333' ], [ q(34˚36‘12''n), '34.6033333' ],
	[ '34.6°', '34.6' ], [ '34,6 N', '34.6' ], [ '34° 36.2′ N', '34.6033333' ], [ q(-34°36'12" S), '-34.6033333' ],
	[ "34\N{U+A0}°\N{U+202F}36′", '34.6' ], [ '90°N', 90 ], [ '0°0′1″S', '-0.0002778' ], [ '034°06′N', '34.1' ])
{
	is_deeply(degrees($case->[0], '10°E'), [ 10, $case->[1] ], "a latitude: $case->[0]");
}
is_deeply(degrees('1°N', $_->[0]), [ $_->[1], 1 ], "a longitude: $_->[0]") for ([ '58 22 12 W', '-58.37' ],
	[ '58 22 12 E', '58.37' ], [ '58°22′12″L', '58.37' ], [ q(w058°22'12"), '-58.37' ], [ '180°W', -180 ]);
for my $latitude ('34 36 12', '34:36:12', '34°60′S', '34°36′60″S', q(34°36'12''5S), '34.5°36′S', q(34'36°), '34°36′W',
	'34°36′SS', 'S34°36′S', '34°36′ South', '-34°36′N', '91°S', '90°0′1″S', '1234°S', '34°36°12', 'S', '°', '-',
	'34°36′12″7S', '34..5 S', '3e1 S', '34°-36′S')
{
	is_deeply(degrees($latitude, '10°E'), [ undef, undef ], "no latitude: $latitude");
}
is_deeply(degrees('1°N', $_), [ undef, undef ], "no longitude: $_") for ('58°22′S', '181°E', '-58°E', '-58°O', '58°X');

# O is west beside E, in a column called in Spanish; it is east beside W; else it may be either
is_deeply(degrees('1°N', '58°30′O', [ '1°N', $_->[0] ]), $_->[1], "O beside $_->[0]") for ([ '2°E', [ '-58.5', 1 ] ],
	[ '2°L', [ '-58.5', 1 ] ], [ '2°W', [ '58.5', 1 ] ], [ '2°O', [ undef, undef ] ], [ '-2', [ undef, undef ] ]);
is_deeply(sheet(table([qw(Latitud Longitud)], [ '34°36′S', '58°30′O' ]))->{rows}[0][2], '-58.5', 'O of longitud');
is_deeply([ map { $_->{reason} } @{ sheet(table([qw(lat lon)], [ '34°36′S', '58°30′O' ]))->{issues} } ],
	['the letter O in "lon" may stand for west or for east, so that such longitudes are not converted'], 'it is told');
my @either = map { [ '1°N', $_ ] } ('2°O') x 5, '3°E', '4°W';
is(scalar @{ sheet(table([qw(lat lon)], @either))->{columns} }, 2, 'O beside both');

# what is found in the first rows holds for all; other texts are not converted
$parts = sheet(table([qw(lat lon)], (map { [ '1°N', '2°E' ] } 1 .. 4000), [ 'x', 5 ], [ '3°S', '4°W' ]));
is_deeply([ @{ $parts->{rows} }[ 3999 .. 4001 ], $parts->{details}{geography}{extent} ], [ [ '1°N', '2°E', 2, 1 ],
	[ 'x', 5, undef, undef ], [ '3°S', '4°W', -4, -3 ], [ -4, -3, 2, 1 ] ], 'in later rows');
$parts = sheet(table([qw(lat lon)], (map { [ 1, 2 ] } 1 .. 4000), [ '3°S', '4°W' ]));
is_deeply([ scalar @{ $parts->{columns} }, $parts->{details}{geography}{extent} ], [ 2, [ 2, 1, 2, 1 ] ],
	'but not before');
is(geography(table([qw(lat lon)], map { [ $_, $_ ] } '1°N', '2°N', '3 km', '4 km')), undef, 'other texts');
is(scalar @{ sheet(table([qw(lat a)], [ '1°N', '2°E' ]))->{columns} }, 2, 'one of the columns');
is_deeply(geography(table([qw(y x)], [ '1°N', '2°E' ], [ 3, 4 ])), { longitude => 'longitude', latitude => 'latitude',
	extent => [ 2, 1, 4, 3 ] }, 'in x and y');

# swapped columns are told, and stay as they are
my $swapped = 'the latitudes in "lat" fit only as longitudes, and those in "lon" as latitudes: the columns may be '
	. 'swapped, and stay as they are';

# Whether the columns of a table are told to be swapped, where its places are, and how many columns it has.
sub told
{
	my ($table, @options) = @_;
	my $sheet = sheet($table, @options);
	return [ scalar(grep { $_->{reason} eq $swapped } @{ $sheet->{issues} }), $sheet->{details}{geography}{extent},
		scalar @{ $sheet->{columns} } ];
}
is_deeply(told(table([qw(lat lon)], @$_[ 1 .. $#$_ ])), [ 1, undef, 2 ], "swapped: $_->[0]") for (
	[ 'the far east', [ 139.7, 35.6 ], [ 135.5, 34.7 ], [ '', 34 ] ], [ 'with decimal commas', [ '139,7', '35,6' ] ],
	[ 'a part of the world', map { [ $_ * 4 - 180, $_ - 45 ] } 1 .. 90 ],
	[ 'but for one', ([ 139.7, 35.6 ]) x 9, [ 'x', 'x' ] ],
	[ 'with letters', [ '58°22′W', '34°36′S' ] ], [ 'with some letters', [ '58 22 W', '34°36′' ], [ '58°', '34°' ] ],
	[ 'west in Spanish', [ '58°22′O', '34°36′S' ] ]);
is_deeply(told(table([qw(lat lon)], @{ $_->[1] })), [ 0, $_->[2], 2 ], "not swapped: $_->[0]") for (
	[ 'what fits both ways', [ [ -58, -34 ] ], [ -34, -58, -34, -58 ] ],
	[ 'some rows', [ ([ 10, 20 ]) x 9, [ 120, 20 ] ], [ 20, 10, 20, 10 ] ],
	[ 'what fits neither way', [ [ 120, 120 ], [ 100, 100 ] ], undef ], [ 'metres', [ [ 5643340, 6167530 ] ], undef ],
	[ 'texts', [ [ 'a', 'b' ] ], undef ], [ 'nothing', [], undef ]);
is_deeply(told(table([qw(y x)], map { [ "139.700$_", "35.600$_" ] } 1 .. 9)), [ 0, undef, 2 ],
	'x and y may be anything');

# parseOptions.crs: places in a system
SKIP:
{
	-x Catalogue::Parser::program('csv', '--crs') or skip 'catalogue-geo-reader was not built', 1;
	my @metres = ([ 5643340.5, 6167530 ], [ 5643350, 6167531 ]);
	my ($longitude, $latitude) = ('-58.4369126', '-34.6280021');
	my @extent = ($longitude, $latitude, '-58.4368092', '-34.6279918');

	# the names, rows and issues of a table in a system
	my $converted = sub {
		my ($system, @table) = @_;
		my $sheet = sheet(table(@table), '--crs', $system);
		return ([ map { $_->{name} } @{ $sheet->{columns} } ], $sheet->{rows},
			[ map { $_->{reason} } @{ $sheet->{issues} } ], $sheet->{details});
	};
	my ($names, $rows, $issues, $details) = $converted->('EPSG:22185', [qw(x y n)], map { [ @$_, 'a' ] } @metres);
	is_deeply([ $names, $rows, $issues ], [ [qw(x y n longitude latitude)],
		[ [ @{ $metres[0] }, 'a', $longitude, $latitude ], [ @{ $metres[1] }, 'a', @extent[ 2, 3 ] ] ], [] ],
		'columns are added') or diag(explain $rows);
	is_deeply([ @$details{qw(coordinates geography)} ], [ { from => [qw(x y)], crs => 'EPSG:22185',
		system => 'POSGAR 94 / Argentina 5' }, { longitude => 'longitude', latitude => 'latitude', extent => \@extent } ],
		'with what they are');

	# published places of other systems
	for my $case ([ 'EPSG:25830', 440291.3, 4474254.6, '-3.7037898', '40.416775' ],
		[ 'EPSG:3857', -6499009.093, -4110158.101, '-58.381592', '-34.603722' ],
		[ 'urn:ogc:def:crs:EPSG::3857', -6499009.093, -4110158.101, '-58.381592', '-34.603722' ],
		[ 'EPSG:2154', 652301.565, 6861302.726, 2.35, 48.85 ], [ 'epsg:4258', 2.5, 48.5, 2.5, 48.5 ])
	{
		my ($system, $x, $y, @place) = @$case;
		(undef, $rows) = $converted->($system, [qw(x y)], [ $x, $y ]);
		is_deeply([ @{ $rows->[0] }[ 2, 3 ] ], \@place, "a place in $system") or diag(explain $rows);
	}
	(undef, $rows, $issues) = $converted->('EPSG:4221', [qw(lon lat)], [ -58.4, -34.6 ]);
	is_deeply($issues, ['the coordinates in "Campo Inchauspe" were converted to WGS 84 within 9 metres'],
		'an accuracy that is worse than a metre is told');
	(undef, $rows, $issues) = $converted->('EPSG:26915', [qw(x y)], [ 500000, 4971000 ]);
	like("@$issues", qr/since the grid us_noaa_mnhpgn.tif is not installed/, 'and a grid that is missing');

	# which columns; names that are taken; rows that are longer than the names
	my @both = (5643340.5, 6167530);
	($names, undef, $issues, $details) =
		$converted->('EPSG:22185', [qw(lat longitude Y X)], [ 1, 2, reverse @both ]);
	is_deeply([ $names, $details->{coordinates}{from}, $issues ],
		[ [qw(lat longitude Y X longitude_2 latitude)], [qw(X Y)], [] ], 'metres are in x and y, beside degrees');
	($names, undef, undef, $details) = $converted->('EPSG:4221', [qw(lat lon y x)], [ -34.6, -58.4, reverse @both ]);
	is_deeply([ $details->{coordinates}{from}, $details->{geography}{longitude} ], [ [qw(lon lat)], 'longitude' ],
		'degrees in those of degrees');
	($names, undef, undef, $details) = $converted->('EPSG:22185', [qw(lat lon)], [ reverse @both ]);
	is_deeply([ $details->{geography}{extent} ], [ [ ($longitude, $latitude) x 2 ] ], 'or metres, if there are no others');
	my $long = sheet(join('', "x,y,,\n", map { "5643340.5,6167530$_\n" } '', ',1', ',,,2', ',,,,,3'), '--crs',
		'EPSG:22185');
	is_deeply([ [ map { $_->{name} } @{ $long->{columns} } ], $long->{rows} ],
		[ [qw(x y column column_2 column_3 column_4 column_5 longitude latitude)] , [
		[ @both, (undef) x 5, $longitude, $latitude ], [ @both, 1, (undef) x 4, $longitude, $latitude ],
		[ @both, '', '', 2, undef, undef, $longitude, $latitude ], [ @both, '', '', '', '', 3, $longitude, $latitude ] ] ],
		'longer rows of the first chunk') or diag(explain $long);
	$long = sheet("x,y\n" . "5643340.5,6167530\n" x 4000 . "5643340.5,6167530,,more\n5643340.5,6167530\n", '--crs',
		'EPSG:22185');
	is_deeply([ [ map { $_->{name} } @{ $long->{columns} } ], @{ $long->{rows} }[ 0, 4000, 4001 ] ],
		[ [qw(x y longitude latitude column column_2)], [ @both, $longitude, $latitude, undef, undef ],
		[ @both, $longitude, $latitude, '', 'more' ], [ @both, $longitude, $latitude, undef, undef ] ], 'and of later ones');
	is_deeply([ map { $_->{reason} } @{ $long->{issues} } ], ['the row has 4 cells, the row of column names 2'],
		'its own cells are counted');

	# signs in numbers
	for my $case ([ '5.643.340,5', '6.167.530' ], [ '5,643,340.5', '6,167,530.0' ], [ '5 643 340.5', '6 167 530' ],
		[ '5643340,5', '6167530' ], [ "5'643'340.5", "6'167'530" ])
	{
		(undef, $rows, $issues) = $converted->('EPSG:22185', [qw(x y)], $case, [ '', '' ]);
		is_deeply([ [ @{ $rows->[0] }[ 2, 3 ] ], $issues ], [ [ $longitude, $latitude ], [] ], "@$case");
	}
	($names, $rows, $issues, $details) = $converted->('EPSG:25830', [qw(x y)], [ '440,291', '4474254' ]);
	is_deeply([ $names, $details->{geography} ], [ [qw(x y)], undef ], 'a comma that may be two things');
	like($issues->[-1], qr/^the coordinates in "x" and "y" are not converted, since a comma/, 'is told');
	is(scalar @{ sheet(table([qw(x y)], [ '440,291', '4474254' ]), '--crs', 'EPSG:25830', '--decimal', '.')->{columns} },
		4, 'unless an option says it');

	# rows without a place
	(undef, $rows, $issues, $details) = $converted->('EPSG:22185', [qw(x y)], $metres[0], [ 0, 0 ], [ '', 'NA' ],
		[ 'a', 5 ], [ 5643340, '' ], [ '1e300', '1e300' ]);
	is_deeply([ map { $_->[2] } @$rows ], [ $longitude, (undef) x 5 ], 'they have none');
	is($issues->[-1], 'the coordinates in "x" and "y" of 3 rows cannot be converted, the first of which is row 4',
		'those with other values are told');
	is_deeply($details->{geography}{extent}, [ ($longitude, $latitude) x 2 ], 'the others count');

	# another system, or swapped columns: nothing is told to be a place
	for my $case ([ [qw(lon lat)], [ -58.4, -34.6 ],
			'the coordinates in "lon" and "lat" could be degrees, but those of "POSGAR 94 / Argentina 5" are eastings and '
			. 'northings: parseOptions.crs may name another system' ],
		[ [qw(x y)], [ reverse @{ $metres[0] } ], 'the places are not where "POSGAR 94 / Argentina 5" is used: the '
			. 'coordinates in "x" and "y" may be swapped, or in another system' ])
	{
		(undef, undef, $issues, $details) = $converted->('EPSG:22185', @$case[ 0, 1 ]);
		is_deeply([ $issues, $details->{geography} ], [ [ $case->[2] ], undef ], 'a doubt is told');
	}
	for my $system (qw(EPSG:99999 EPSG:4978 EPSG:5773 ESRI:1 urn:ogc:def:crs:EPSG::0 EPSG:9264 nowhere))
	{
		is(parse('csv', "x,y\n1,2\n", '--crs', $system)->{refused},
			"parseOptions.crs: \"$system\" is no known system of coordinates on maps", "$system is refused");
	}
	for my $table ([ [qw(a b)], [ 1, 2 ] ], [ [qw(x b)], [ 1, 2 ] ])
	{
		($names, undef, $issues, $details) = $converted->('EPSG:22185', @$table);
		is_deeply([ $names, $issues, $details->{coordinates} ], [ $table->[0],
			[ 'parseOptions.crs has no effect, since no columns are called as those of coordinates, such as x and y, '
			. 'or wkt' ], undef ], 'no columns');
	}

	# WGS 84 itself
	for my $system (qw(EPSG:4326 OGC:CRS84 urn:ogc:def:crs:OGC:1.3:CRS84))
	{
		($names, undef, $issues, $details) = $converted->($system, [qw(x y)], [ 1, 2 ]);
		is_deeply([ $names, $issues, $details->{geography} ], [ [qw(x y)], [], { longitude => 'x', latitude => 'y',
			extent => [ 1, 2, 1, 2 ] } ], "$system needs no further columns, and no decimals");
	}

	# geometries
	($names, $rows, $issues, $details) = $converted->('EPSG:22185', [qw(WKT geometry)],
		[ 'POINT(5643340.5 6167530)', 'a' ], [ 'srid=22185; LINESTRING Z (5643340.5 6167530 1.50, 5643350 6167531 2)', 'b' ],
		[ 'POINT EMPTY', 'c' ], [ 'POINT (1', 'd' ], [ '', 'e' ]);
	is_deeply([ $names, map { $_->[2] } @$rows ], [ [qw(WKT geometry geometry_2)], "POINT($longitude $latitude)",
		" LINESTRING Z ($longitude $latitude 1.50, $extent[2] $extent[3] 2)", 'POINT EMPTY', undef, undef ],
		'WKT in a system') or diag(explain $rows);
	is_deeply([ $issues, @$details{qw(coordinates geography)} ], [
		['the coordinates in "WKT" of 1 rows cannot be converted, the first of which is row 4'],
		{ from => ['WKT'], crs => 'EPSG:22185', system => 'POSGAR 94 / Argentina 5' },
		{ geometry => 'geometry_2', extent => \@extent } ], 'what it is');
	($names, undef, $issues, $details) = $converted->('EPSG:22185', [qw(x y wkt)], [ @both, 'POINT (1 2)' ]);
	is_deeply([ $names, $issues, $details->{geography} ], [ [qw(x y wkt longitude latitude)], [],
		{ longitude => 'longitude', latitude => 'latitude', geometry => 'wkt',
			extent => [ $longitude, $latitude, 1, 2 ] } ], 'degrees in WKT beside metres in x and y');
	my $line = 'LINESTRING (' . join(',', ('5643340 6167530') x 20_000) . ')';
	$rows = sheet(table(['wkt'], map { [$line] } 1 .. 9), '--crs', 'EPSG:22185')->{rows};
	is(scalar(grep { $_->[1] =~ /^LINESTRING \(-58.436918 -34.6280022,.*\)$/ } @$rows), 9, 'long geometries');
	$line = 'LINESTRING (' . join(',', ('5643340 6167530') x 60_000) . ')';
	(undef, $rows, $issues) = $converted->('EPSG:22185', ['wkt'], [$line], ['POINT (5643340 6167530)']);
	is_deeply([ map { $_->[1] } @$rows ], [ undef, 'POINT (-58.436918 -34.6280022)' ], 'one that gets too long');
	like("@$issues", qr/of 1 rows cannot be converted/, 'is told');

	# swapped columns, and minutes, in a system of degrees
	is_deeply(told(table([qw(lat lon)], [ 139.7, 35.6 ], [ 135.5, 34.7 ]), '--crs', $_->[0]), [ 1, undef, $_->[1] ],
		"swapped in $_->[0]") for ([ 'EPSG:4326', 2 ], [ 'EPSG:6668', 4 ]);
	($names, $rows, undef, $details) = $converted->('EPSG:4221', [qw(lat lon)], [ '34°36′S', '58°24′W' ]);
	is_deeply([ @{ $rows->[0] }[ 2, 3 ], $details->{coordinates} ], [ '-58.4005973', '-34.5995531',
		{ from => [qw(lon lat)], form => 'degrees, minutes and seconds', crs => 'EPSG:4221', system => 'Campo Inchauspe' } ],
		'minutes in a system');
	($names, $rows) = $converted->('EPSG:4326', [qw(lat lon)], [ '34°36′S', '58°24′W' ]);
	is_deeply([ @{ $rows->[0] }[ 2, 3 ] ], [ '-58.4', '-34.6' ], 'and in WGS 84');
	(undef, $rows) = $converted->('EPSG:22185', [qw(lat lon)], [ '34°36′S', '58°24′W' ]);
	is_deeply([ @{ $rows->[0] }[ 2, 3 ] ], [ undef, undef ], 'but not in one of metres');

	# other files
	@cells = map { "<row>$_</row>" } map { join '', map { qq(<c><v>$_</v></c>) } @$_ } [ 5643340.5, 6167530 ];
	my $titles = '<row><c t="str"><v>x</v></c><c t="str"><v>y</v></c></row>';
	my %books = (xlsx => zip(workbook(sheets => [ [ 'places', "<sheetData>$titles@cells</sheetData>" ] ])),
		json => '[{"x": 5643340.5, "y": 6167530}]',
		xml => '<a><b><x>5643340.5</x><y>6167530</y></b><b><x>5643340.5</x><y>6167530</y></b></a>');
	for my $form (sort keys %books)
	{
		my $read = parse($form, $books{$form}, '--crs', 'EPSG:22185');
		is_deeply($read->{sheets}[0]{rows}[0], [ @both, $longitude, $latitude ], "places of $form") or diag(explain $read);
	}
	my $some = parse('csv', "x,y\n" . "5643340.5,6167530\n" x 9, '--crs', 'EPSG:22185', '--rows', 3);
	is($some->{sheets}[0]{rows}[0][2], $longitude, 'places of a preview');
}

# over HTTP: rows, sheets, GeoJSON and issues of a file
my $service = Catalogue::Test->start->as_admin;
my $uploads = Catalogue::Upload->new($service);
my $worker  = Catalogue::Worker->start($service);
my $file    = $worker->wait_for_file($uploads->file('wells.csv', encode('UTF-8',
	table([qw(name lat lon)], [ 'a', '34°36′S', '58°22′W' ], [ 'b', '', '' ])))->{id});
is_deeply($service->get("/files/$file->{id}/contents")->{json}{data}, [ { _id => 1, name => 'a', lat => '34°36′S',
	lon => '58°22′W', longitude => '-58.3666667', latitude => '-34.6' }, { _id => 2, name => 'b', lat => '', lon => '',
	longitude => undef, latitude => undef } ], 'rows have the columns that were added');
my $places = { longitude => 'longitude', latitude => 'latitude',
	extent => [ '-58.3666667', '-34.6', '-58.3666667', '-34.6' ] };
my ($sheet) = @{ $service->get("/files/$file->{id}/sheets")->{json}{data} };
is_deeply($sheet->{details}{geography}, $places, 'a sheet tells where');
my $map = $service->get("/files/$file->{id}/download/geojson");
my $features = Cpanel::JSON::XS->new->decode($map->{body})->{features};
is_deeply([ map { $_->{geometry}{coordinates} } @$features ], [ [ -58.3666667, -34.6 ] ], 'GeoJSON')
	or diag($map->{body});
$file = $worker->wait_for_file($uploads->file('turned.csv', table([qw(lat lon)], [ 139.7, 35.6 ]))->{id});
is_deeply([ map { "$_->{line}: $_->{reason}" } @{ $service->get("/files/$file->{id}/issues")->{json}{data} } ],
	["1: $swapped"], 'the issues of the file tell of swapped columns');

$worker->finish;
$service->finish;
