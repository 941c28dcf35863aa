package Bench::Geography;

# A Shapefile of 100,000 areas in a national system, beside ogr2ogr and bare statements of PostGIS.  See Reads.pm for
# what a job is.

use strict;
use warnings;

use Time::HiRes qw(time);

use Bench::Files ();
use Bench::Load  ();
use Bench::Reads ();

my $AREAS = 100_000;
my $SIDE  = 316;       # areas beside each other
my $ZOOM  = 8;         # at which each area is drawn
my $POINTS = 1_000_000;
my $NEAR = 9; # the zoom of tiles of points, in which they are too many to be apart

sub jobs
{
	return ({ name => 'geography', title => "A Shapefile of $AREAS areas, and $POINTS points, beside ogr2ogr and PostGIS",
		prepare => \&geography });
}

# Make the areas, with 25 positions each, and write them as a Shapefile in a zip; return both names.
sub write_areas
{
	my ($service) = @_;
	my $layer = $service->file;
	my $shape = "$layer.shz";
	my $here  = 'PG:dbname=catalogue user=postgres';

	$service->sql("CREATE TABLE bench_areas AS SELECT n AS id, 'P' || n AS code, hashint4(n) % 50000 AS people, "
		. "ST_Buffer(ST_SetSRID(ST_MakePoint(200000 + n % $SIDE * 2500, 4000000 + n / $SIDE * 2500), 25830), 1000, 6) "
		. "AS shape FROM generate_series(1, $AREAS) n");
	Bench::Load::output_of('ogr2ogr', '-f', 'ESRI Shapefile', $shape, $here, 'bench_areas');
	rename $shape, "$layer.zip" or die "$shape: $!\n";
	return ("$layer.zip", $here);
}

# Upload the file; return its id when its rows can be read.
sub load
{
	my ($service, $zip) = @_;
	my $id = Bench::Files::put_file($service, $zip, 'areas.zip');

	Bench::Files::wait_for_rows($service, $id);
	return $id;
}

# A statement on rectangles with about a hundredth of the areas.
sub in_box
{
	my ($sql) = @_;
	return "\\set x random(0, 700)\n\\set y random(0, 500)\n$sql;\n";
}

# A statement on tiles where the areas are.
sub in_tile
{
	my ($sql) = @_;
	return "\\set x random(124, 129)\n\\set y random(95, 99)\n$sql;\n";
}

# Make a map of points in 20 by 20 degrees, and a table of their cells at a zoom; return the id of the map.
sub make_points
{
	my ($service) = @_;
	my $csv   = $service->file;
	my $admin = $service->id_of_admin;

	$service->sql("CREATE TABLE bench_points AS SELECT n AS id, round((random() * 20)::numeric, 6) AS lat, "
		. "round((random() * 20)::numeric, 6) AS lon FROM generate_series(1, $POINTS) n");
	open my $out, '>', $csv or die "$csv: $!\n";
	print {$out} "id,lat,lon\n", $service->sql("SELECT concat_ws(',', id, lat, lon) FROM bench_points"), "\n";
	close $out or die "$csv: $!\n";
	my $cell = 40075016.6855785 / 64 / 2**$NEAR;
	$service->sql("CREATE TABLE bench_level AS SELECT count(*)::integer AS count, "
		. "ST_SetSRID(ST_MakePoint(avg(x), avg(y)), 3857) AS shape FROM (SELECT ST_X(p) AS x, ST_Y(p) AS y "
		. "FROM (SELECT ST_Transform(ST_SetSRID(ST_MakePoint(lon, lat), 4326), 3857) AS p FROM bench_points) p) p "
		. "GROUP BY floor(x / $cell), floor(y / $cell)");
	$service->sql('CREATE INDEX ON bench_level USING gist (shape)');
	my $file = Bench::Files::put_file($service, $csv, 'points.csv');
	Bench::Files::wait_for_rows($service, $file);
	unlink $csv;
	return $service->sql(q{SELECT id FROM catalogue.create('maps', json_build_object('name', 'Points', 'basemap', }
		. qq{(SELECT id FROM catalogue.basemaps LIMIT 1), 'file', '$file', 'latitudeKey', 'lat', 'longitudeKey', 'lon'), }
		. qq{actor => '{"user": "$admin"}')});
}

# A statement on tiles where the points are.
sub in_points
{
	my ($sql) = @_;
	return "\\set x random(256, 283)\n\\set y random(227, 255)\n$sql;\n";
}

# Download the areas as a GeoPackage, by a query that none before has had, so that it is made.
my $downloads = 0;
sub package_of
{
	my ($service, $id, $to) = @_;
	my %headers = $service->as_admin;
	my $address = sprintf '%s/files/%s/download/gpkg?id[gte]=-%d', $service->{base}, $id, ++$downloads;

	# after five seconds the answer is 202
	for (1 .. 60)
	{
		return if Bench::Load::output_of('curl', '-g', '-s', '-S', '-o', $to, '-w', '%{http_code}',
			(map { ('-H', "$_: $headers{$_}") } sort keys %headers), $address) eq '200';
	}
	die "no GeoPackage is made\n";
}

sub geography
{
	my ($service) = @_;
	my ($zip, $here) = write_areas($service);
	my $id    = load($service, $zip);
	my $sheet = $service->sql("SELECT id FROM catalogue.sheet WHERE file = '$id'");
	my $admin = $service->id_of_admin;
	my $map =
		$service->sql(q{SELECT id FROM catalogue.create('maps', json_build_object('name', 'Areas', 'basemap', }
		. qq{(SELECT id FROM catalogue.basemaps LIMIT 1), 'file', '$id', 'latitudeKey', 'geometry', 'longitudeKey', }
		. qq{'geometry'), actor => '{"user": "$admin"}')});
	my $ogr2ogr = sub {
		Bench::Load::output_of('ogr2ogr', '-f', 'PostgreSQL', $here, "/vsizip/$zip", '-t_srs', 'EPSG:4326', '-nln',
			'bench_ogr', '-nlt', 'PROMOTE_TO_MULTI', '-overwrite');
	};
	my $points = make_points($service);
	my @edges = ('-6.2 + :x / 100.0', '36.2 + :y / 100.0', '-5.3 + :x / 100.0', '36.9 + :y / 100.0');
	my $box   = 'ST_MakeEnvelope(' . join(', ', @edges, 4326) . ')';
	my $query = q{concat('limit=1000&fields=code,people&bbox=', } . join(", ',', ", @edges) . ')';
	my $made   = $service->file;
	my $square = "ST_TileEnvelope($ZOOM, :x, :y)";
	my %calls  = (clients => 1, user => 'postgres');
	my @item   = map { "/datasets/$_" } $service->random_ids(1000);
	my @tiles  = map { my $x = $_; map { "/maps/$map/tiles/$ZOOM/$x/$_.mvt" } 96 .. 98 } 125 .. 127;

	$ogr2ogr->();
	return {
		contenders => [
			['load', 'a Shapefile, until its rows can be read',
				Bench::Files::once($service, undef, sub { load($service, $zip) })],
			['load, ogr2ogr', 'ogr2ogr -f PostgreSQL, with the index', Bench::Files::once($service, undef, $ogr2ogr)],
			['package', 'a GeoPackage of all rows',
				Bench::Files::once($service, undef, sub { package_of($service, $id, $made) })],
			['package, ogr2ogr', 'ogr2ogr -f GPKG of the same table', Bench::Files::once($service, undef, sub {
				unlink "$made.gpkg";
				Bench::Load::output_of('ogr2ogr', '-f', 'GPKG', "$made.gpkg", $here, 'bench_ogr');
			})],
			['box', 'contents_page() with bbox', $service->calls(%calls, sql => in_box(
				"SELECT r.* FROM catalogue.contents_page('$id', $query, '{\"user\": \"$admin\"}') r"))],
			['box, PostGIS', 'the bare statement', $service->calls(%calls, sql => in_box(
				"SELECT code, people FROM bench_ogr WHERE ST_Intersects(wkb_geometry, $box)"))],
			['tile', 'a tile', $service->calls(%calls, sql => in_tile(
				"SELECT catalogue.shape_tile($sheet, $ZOOM, :x, :y, '', NULL, 0)"))],
			['tile, PostGIS', 'ST_AsMVT() of the same areas', $service->calls(%calls, sql => in_tile(
				"SELECT ST_AsMVT(t) FROM (SELECT ST_AsMVTGeom(ST_Transform(wkb_geometry, 3857), $square) "
					. "FROM bench_ogr WHERE wkb_geometry && ST_Transform($square, 4326)) t"))],
			['points', 'a tile of points', $service->calls(%calls, sql => in_points(
				"SELECT r.* FROM catalogue.map_tile('$points', actor => '{\"user\": \"$admin\"}', "
					. "tile => concat($NEAR, '/', :x + 0, '/', :y + 0)) r"))],
			['points, PostGIS', 'ST_AsMVT() of their cells', $service->calls(%calls, sql => in_points(
				"SELECT ST_AsMVT(t) FROM (SELECT count, ST_AsMVTGeom(shape, ST_TileEnvelope($NEAR, :x, :y)) "
					. "FROM bench_level WHERE shape && ST_TileEnvelope($NEAR, :x, :y)) t"))],
			['warm', 'a tile again', $service->single(targets => \@tiles, headers => { $service->as_admin })],
			['item', 'GET item', $service->single(targets => \@item)],
		],
		verdicts => [
			{ text => 'load, times ogr2ogr', most => 2,
				value => sub { $_[0]{load}{p50} / $_[0]{'load, ogr2ogr'}{p50} } },
			{ text => 'GeoPackage, times ogr2ogr', most => 4,
				value => sub { $_[0]{package}{p50} / $_[0]{'package, ogr2ogr'}{p50} } },
			{ text => 'rectangle, times the bare statement', most => 1.5,
				value => sub { $_[0]{'box, PostGIS'}{rate} / $_[0]{box}{rate} } },
			{ text => 'tile, times ST_AsMVT()', most => 2,
				value => sub { $_[0]{'tile, PostGIS'}{rate} / $_[0]{tile}{rate} } },
			{ text => 'tile of points, times ST_AsMVT()', most => 2,
				value => sub { $_[0]{'points, PostGIS'}{rate} / $_[0]{points}{rate} } },
			Bench::Reads::ratio('a tile again, of an item', 'warm', 'item', 0.3),
		],
		after => sub {
			unlink $zip, $made, "$made.gpkg";
			$service->sql('DROP TABLE bench_areas, bench_ogr, bench_points, bench_level');
			return;
		},
	};
}

1;
