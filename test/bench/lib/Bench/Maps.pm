package Bench::Maps;

# The job on parts of a map, and all of it beside a statement that builds the same.  See Reads.pm for what a job is.

use strict;
use warnings;

use Bench::Files ();
use Bench::Reads ();

my %points = (many => 100_000, some => 11_000);

sub jobs
{
	return ({ name => 'maps', title => "Points of maps: parts of $points{many}, all of $points{some}",
		prepare => \&maps });
}

# Make a table of places, a file with the same rows, and a map of it; return the id of the map.
sub make_map
{
	my ($service, $name) = @_;
	my $admin = $service->id_of_admin;
	my $csv   = $service->file;

	$service->sql(
		"CREATE TABLE bench_$name AS SELECT n AS id, 'Place ' || n AS name, round((random() * 170 - 85)::numeric, 6) AS lat,"
		. " round((random() * 360 - 180)::numeric, 6) AS lon FROM generate_series(1, $points{$name}) n");
	open my $out, '>', $csv or die "$csv: $!\n";
	print {$out} "id,name,lat,lon\n",
		$service->sql("SELECT concat_ws(',', id, name, lat, lon) FROM bench_$name ORDER BY id"), "\n";
	close $out or die "$csv: $!\n";
	my $file = Bench::Files::put_file($service, $csv, "$name.csv");
	Bench::Files::wait_for_rows($service, $file);
	unlink $csv;
	return $service->sql(qq{SELECT id FROM catalogue.create('maps', json_build_object('name', 'Bench $name', 'file', }
		. qq{'$file', 'properties', '["name"]'::json,}
		. qq{ 'latitudeKey', 'lat', 'longitudeKey', 'lon', 'basemap', (SELECT id FROM catalogue.basemaps LIMIT 1)), actor => }
			. qq{'{"user": "$admin"}')});
}

sub maps
{
	my ($service) = @_;
	my %map  = map { $_ => make_map($service, $_) } qw(many some);
	my @part = map { sprintf '/maps/%s/geojson?bbox=%d,%d,%d,%d', $map{many}, $_, $_ % 60, $_ + 2,
		$_ % 60 + 2 } -170 .. 170;
	my $sql  = q{SELECT json_build_object('type', 'FeatureCollection', 'features', json_agg(json_build_object('type', }
		. q{'Feature', 'id', id, 'geometry',}
		. q{ json_build_object('type', 'Point', 'coordinates', json_build_array(lon, lat)), 'properties', }
			. q{json_build_object('name', name)))) FROM bench_some};

	return {
		contenders => [
			['part', 'a rectangle of 2 by 2 degrees', $service->single(targets => \@part)],
			['tile', 'a vector tile of zoom 3', $service->single(targets => [map {
				my $x = $_;
				map { "/maps/$map{many}/tiles/3/$x/$_.mvt" } 1 .. 6
			} 0 .. 7])],
			['item', 'GET item', $service->single(targets => [map { "/datasets/$_" } $service->random_ids(1000)])],
			['whole', 'map_geojson()', $service->calls(
				sql => "SELECT r.* FROM catalogue.map_geojson('$map{some}', '', NULL) r;\n", clients => 1, user => 'postgres')],
			['agg', 'json_agg()', $service->calls(sql => "$sql;\n", clients => 1, user => 'postgres')],
		],
		verdicts => [
			{ text => 'rectangle, times an item', most => 5, value => sub { $_[0]{part}{p50} / $_[0]{item}{p50} } },
			{ text => 'ms, a tile', most => 50, value => sub { $_[0]{tile}{p50} } },
			Bench::Reads::ratio('all points, of json_agg()', 'whole', 'agg', 0.5),
		],
	};
}

1;
