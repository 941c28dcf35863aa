#!/usr/bin/perl
# Vector tiles of a map, decoded here and compared with its GeoJSON: every point is in one tile of each zoom, at its
# place; of many points those next to each other are one; tiles without points, that do not exist, and entity tags.

use strict;
use warnings;

use List::Util qw(sum0);
use Math::Trig qw(pi tan);
use Test::More;
use Catalogue::Test;
use Catalogue::Definition;
use Catalogue::Real;
use Catalogue::Upload;
use Catalogue::Worker;

my $type = 'application/vnd.mapbox-vector-tile';

# Read a varint at the beginning of the bytes, and take it off.
sub varint
{
	my ($bytes) = @_;
	my ($number, $shift) = (0, 0);
	while (1)
	{
		die "a varint is cut off\n" if $$bytes eq '';
		my $byte = ord substr $$bytes, 0, 1, '';
		$number |= ($byte & 0x7F) << $shift;
		return $number if $byte < 0x80;
		$shift += 7;
	}
}

# The fields of a message of Protocol Buffers: {number => [values]}.
sub message
{
	my ($bytes) = @_;
	my %fields;
	while ($bytes ne '')
	{
		my $key = varint(\$bytes);
		my $value;
		if (($key & 7) == 0) { $value = varint(\$bytes) }
		elsif (($key & 7) == 2)
		{
			my $length = varint(\$bytes);
			die "a field is cut off\n" if $length > length $bytes;
			$value = substr $bytes, 0, $length, '';
		}
		else { die "a field of wire type " . ($key & 7) . "\n" }
		push @{ $fields{ $key >> 3 } }, $value;
	}
	return \%fields;
}

sub varints { my ($bytes) = @_; my @numbers; push @numbers, varint(\$bytes) while $bytes ne ''; return @numbers }
sub unzigzag { my ($number) = @_; return $number & 1 ? -(($number + 1) >> 1) : $number >> 1 }

# The points of a tile: [{id, count, class, x, y}], x and y in units of the tile.
sub points_of
{
	my ($bytes) = @_;
	my $layers = message($bytes)->{3};
	die "a tile with another number of layers than one\n" if !$layers || @$layers != 1;
	my $layer = message($layers->[0]);
	die "another layer\n"
		if $layer->{15}[0] != 2 || $layer->{1}[0] ne 'points' || $layer->{5}[0] != 4096
			|| "@{ $layer->{3} }" !~ /^count(?: class)?$/;
	my %seen;
	die "a value is there twice\n" if grep { $seen{$_}++ } @{ $layer->{4} };
	my @values = map { my $value = message($_); ($value->{5} // $value->{4})->[0] } @{ $layer->{4} };
	return map {
		my $feature = message($_);
		my ($key, $count, @tags) = varints($feature->{2}[0]);
		my ($move, $x, $y, @rest) = varints($feature->{4}[0]);
		die "a feature is no point\n"
			if $feature->{3}[0] != 1 || $move != 9 || @rest || $key != 0 || !defined $values[$count]
				|| @tags && (@tags != 2 || $tags[0] != 1 || !defined $values[ $tags[1] ]);
		{ id => $feature->{1} && $feature->{1}[0], count => $values[$count],
			class => @tags ? $values[ $tags[1] ] : undef, x => unzigzag($x), y => unzigzag($y) };
	} @{ $layer->{2} };
}

# Where a point is in the whole world, from 0 to 1 from the north-west.
sub project
{
	my ($longitude, $latitude) = @_;
	my $t = tan($latitude * pi / 180);
	return (($longitude + 180) / 360, (1 - log($t + sqrt($t * $t + 1)) / pi) / 2);
}

my $service = Catalogue::Test->start->as_admin;
my $uploads = Catalogue::Upload->new($service);
my $worker  = Catalogue::Worker->start($service);
my $basemap = $service->get('/basemaps/first')->{json}{data}{id};
my $serial = 0;

sub make_map
{
	my ($csv, %more) = @_;
	my $file = $worker->wait_for_file($uploads->file('points' . ++$serial . '.csv', $csv)->{id});
	my $made = $service->post('/maps', { name => "Map $serial", basemap => $basemap, file => $file->{id},
		latitudeKey => 'latitude_deg', longitudeKey => 'longitude_deg', %more });
	is($made->{status}, 201, 'a map is made') or diag(explain $made->{json});
	return ($made->{json}{links}{record} =~ m{(/maps/\w+)$})[0];
}

sub tile
{
	my ($map, $tile) = @_;
	my $reply = $service->get("$map/tiles/$tile.mvt");
	return () if $reply->{status} == 204;
	is($reply->{status}, 200, "tile $tile") or diag(explain $reply);
	return points_of($reply->{body});
}

# a few points: each of them is in the tile, with its row, at its place
my $map = make_map("latitude_deg,longitude_deg\n0.1,0.1\n-33.9,151.2\n89,10\n51.5,-0.1\n85.0511,-180\n-85.0511,180\n");
my $reply = $service->get("$map/tiles/0/0/0.mvt");
is($reply->{status}, 200, 'the tile of the whole world');
is($reply->{headers}{'content-type'}, $type, 'has the type of vector tiles');
my %points = map { $_->{properties}{row}
	// $_->{id} => $_->{geometry}{coordinates} } @{ $service->get("$map/geojson")->{json}{features} };
my @found = sort { $a->{id} <=> $b->{id} } points_of($reply->{body});
is_deeply([ map { "$_->{id} $_->{count}" } @found ], [ '1 1', '2 1', '4 1', '5 1', '6 1' ],
	'every point but the one beyond the projection');
for my $point (@found)
{
	my ($x, $y) = map { 4096 * $_ } project(@{ $points{ $point->{id} } });
	ok(abs($point->{x} - $x) <= 1 && abs($point->{y} - $y) <= 1, "point $point->{id} is at its place")
		or diag("$point->{x}, $point->{y} instead of $x, $y");
}
for my $zoom (1, 2, 7, 20, 22)
{
	my ($tiles, $near) = (2**$zoom, $zoom > 20 ? 4 : 1);
	for my $row (1, 2, 4)
	{
		my ($x, $y) = map { $tiles * $_ } project(@{ $points{$row} });
		my ($point) = grep { $_->{id} == $row } tile($map, sprintf '%d/%d/%d', $zoom, int $x, int $y);
		ok($point && abs($point->{x} - 4096 * ($x - int $x)) <= $near && abs($point->{y} - 4096 * ($y - int $y)) <= $near,
			"point $row is in its tile of zoom $zoom");
	}
}
is(sum0(map {
	my $x = $_;
	map { scalar(() = tile($map, "3/$x/$_")) } 0 .. 7
} 0 .. 7), 5, 'each point is in one tile of a zoom');

# the classes of a map with colours: of a point, or of all in a cell that have the same one
my $colored = make_map("latitude_deg,longitude_deg,kind\n1,1,a\n2,2,b\n3,3,\n4,4,a\n", colorKey => 'kind');
is_deeply([ map { [ @$_{qw(id count class)} ] } sort { $a->{id} <=> $b->{id} } tile($colored, '0/0/0') ],
	[ [ 1, 1, 1 ], [ 2, 1, 2 ], [ 3, 1, undef ], [ 4, 1, 1 ] ], 'points have their classes');
my $crowd = make_map("latitude_deg,longitude_deg,kind\n" . join('', map { $_ % 2 ? "50,20,a\n" : '-50,'
	. ($_ % 4 ? '20,a' : '60,' . ($_ % 8 ? 'a' : 'b')) . "\n" } 1 .. 1200), colorKey => 'kind');
my @cells = sort { $b->{count} <=> $a->{count} || $a->{x} <=> $b->{x} } tile($crowd, '0/0/0');
is_deeply([ map { [ @$_{qw(count class)} ] } @cells ], [ [ 600, 1 ], [ 300, 1 ], [ 300, undef ] ],
	'so have those of a cell that have one in common');

# no points, and no tiles
$reply = $service->get("$map/tiles/5/1/1.mvt");
is($reply->{status}, 204, 'a tile without points is 204');
is($reply->{body}, '', 'without a body');
for my $tile (qw(0/0/1 0/1/0 1/2/0 23/0/0 -1/0/0 1/-1/0 a/0/0 1/0/b 1/0/0.png 1/0/ 1.5/0/0 99999999999999999999/0/0
	22/4194304/0 0/0/0.mvt.mvt))
{
	$reply = $service->get("$map/tiles/" . ($tile =~ /\.\w+$|\/$/ ? $tile : "$tile.mvt"));
	is($reply->{status}, $tile =~ m{/$} ? 404 : 400, "there is no tile $tile") or diag(explain $reply);
}
is($service->get('/maps/nowhere/tiles/0/0/0.mvt')->{status}, 404, 'no such map');
is($service->get("$map/tiles/0/0")->{status}, 404, 'no such path');
is($service->post("$map/tiles/0/0/0.mvt", {})->{status}, 405, 'tiles are only read');
is($service->get("$map/tiles/0/0/0.mvt", Accept => 'application/json')->{status}, 406, 'they are no JSON');
is($service->get("$map/tiles/0/0/0.mvt", Accept => "$type, */*;q=0.1")->{status}, 200, 'the type may be asked for');
is($service->head("$map/tiles/0/0/0.mvt")->{status}, 200, 'HEAD of a tile');
is($service->get("$map/tiles/0/0/0.mvt", Authorization => undef)->{status}, 404,
	'an outsider sees no tile of a map that is not published');

# entity tags
my $tag = $service->get("$map/tiles/0/0/0.mvt")->{headers}{etag};
ok($tag, 'a tile has an entity tag');
is($service->get("$map/tiles/0/0/0.mvt", 'If-None-Match' => $tag)->{status}, 304, 'an unchanged tile is 304');
is($service->put($map, { longitudeKey => 'latitude_deg' })->{status}, 200, 'the map is changed');
$reply = $service->get("$map/tiles/0/0/0.mvt", 'If-None-Match' => $tag);
is($reply->{status}, 200, 'then the tile is another one');
cmp_ok(scalar(() = points_of($reply->{body})), '>', 0, 'with points');

# points of a client, which are not stored by their place
my $own = $service->post('/maps', { name => 'Own', basemap => $basemap, link => 'https://example.org/',
	geojson => { type => 'FeatureCollection', features => [ { type => 'Feature', id => 9, properties => {}, geometry => {
	type => 'Point', coordinates => [ 90, 0 ] } }, { type => 'Feature', properties => undef, geometry => undef } ] } });
my ($written) = $own->{json}{links}{record} =~ m{(/maps/\w+)$};
is_deeply([ tile($written, '0/0/0') ], [ { id => 9, count => 1, class => undef, x => 3072, y => 2048 } ],
	'points that a client has written');
is($service->get(($service->post('/maps', { name => 'None', basemap => $basemap,
	link => 'https://example.org/' })->{json}{links}{record} =~ m{(/maps/\w+)$})[0] . '/tiles/0/0/0.mvt')->{status}, 409,
	'a map without points');

# many points: at each zoom all are counted once, those of a cell are one
$map = make_map(real_file('navaids.csv'));
my $all = grep { abs $_->{geometry}{coordinates}[1] <= 85.0511 } @{ $service->get("$map/geojson")->{json}{features} };
@found = tile($map, '0/0/0');
is(sum0(map { $_->{count} } @found), $all, 'all points are counted at zoom 0');
cmp_ok(scalar @found, '<=', 4096, 'no more features than cells');
cmp_ok(scalar(grep { $_->{count} > 1 && !defined $_->{id} } @found), '>', 100, 'points next to each other are one');
is(sum0(map {
	my $x = $_;
	map { map { $_->{count} } tile($map, "2/$x/$_") } 0 .. 3
} 0 .. 3), $all, 'all points are counted at zoom 2');

# many points
$map = make_map("latitude_deg,longitude_deg\n" . join '',
	map { sprintf "%.5f,%.5f\n", 48 + $_ / 100_000, 11 + ($_ * 7919 % 30_000) / 100_000 } 1 .. 30_000);
for my $tile ('0/0/0', '5/16/11', '8/135/88', '8/136/88')
{
	@found = tile($map, $tile);
	note("$tile: " . @found . ' features, ' . sum0(map { $_->{count} } @found) . ' points');
}
is(sum0(map { $_->{count} } tile($map, '0/0/0')), 30_000, 'all are counted in one tile');
is(sum0(map {
	my $x = $_;
	map { map { $_->{count} } tile($map, "9/$x/$_") } 175 .. 178
} 270 .. 273), 30_000, 'and in those of a zoom');

$worker->finish;
$service->finish;
