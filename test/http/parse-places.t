#!/usr/bin/perl
# Places in tables: columns with the usual names whose values fit are found, with their extent; a table that merely has
# columns of these names has no geography.

use strict;
use warnings;
use utf8;

use Encode qw(encode);
use Test::More;
use Catalogue::Parser qw(parse kind zip workbook);

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
	'SRID=22185;POINT (1 2)', 'POINT (181 2)', 'POINT (5643000 6200000)', 'LINESTRING (1 2, 1 91)', 'POINT (1 nan)',
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

done_testing;
