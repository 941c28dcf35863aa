#!/usr/bin/perl
# Shapefiles and other geographic files that are uploaded: their layers as sheets, maps of their points, archives
# without a layer; files that were stored before anything could read them; what is told without the reader.

use strict;
use warnings;
use utf8;

use Encode qw(encode);
use File::Basename qw(dirname);
use File::Temp ();
use Test::More;
use Catalogue::Test;
use Catalogue::Parser qw(part zip);
use Catalogue::Upload ();
use Catalogue::Worker;

-x Catalogue::Parser::program('zip') or plan skip_all => 'catalogue-geo-reader was not built';

my $service = Catalogue::Test->start->as_admin;
my $uploads = Catalogue::Upload->new($service);
my $worker  = Catalogue::Worker->start($service);
my $basemap = $service->get('/basemaps/first')->{json}{data}{id};

# A Shapefile of two places and one of a district, in an archive; a GeoPackage of them
my $directory = File::Temp->newdir;
sub slurp { my ($path) = @_; open my $in, '<:raw', $path or die "$path: $!"; local $/; return scalar <$in> }
sub made
{
	my ($name, $format, $features, @options) = @_;
	open my $out, '>', "$directory/in.geojson" or die;
	print $out encode('UTF-8', qq({"type": "FeatureCollection", "features": [$features]}));
	close $out;
	system('ogr2ogr', '-f', $format, @options, "$directory/$name", "$directory/in.geojson") == 0 or die "ogr2ogr: $?";
	return;
}
my $places = join ',', map { qq({"type": "Feature", "properties": {"name": "$_->[0]"}, "geometry": {"type": "Point",
	"coordinates": [$_->[1]]}}) } [ 'Peñón', '-3.7038, 40.4168' ], [ 'b', '-3.7, 40.4' ];
my $district = '{"type": "Feature", "properties": {"code": "01"}, "geometry": {"type": "Polygon", "coordinates": '
	. '[[[-3.8, 40.3], [-3.6, 40.3], [-3.6, 40.5], [-3.8, 40.3]]]}}';
made('places.shp', 'ESRI Shapefile', $places, '-t_srs', 'EPSG:25830');
made('district.shp', 'ESRI Shapefile', $district);
made('city.gpkg', 'GPKG', $places, '-nln', 'places', '-t_srs', 'EPSG:25830');
my @parts = map { my $name = $_; map { part("$name.$_", slurp("$directory/$name.$_")) } qw(shp shx dbf prj) }
	qw(district places);
my $archive = zip(@parts);

my $file = $worker->wait_for_file($uploads->file('city.zip', $archive)->{id});
is($file->{parseState}, 'ready', 'an archive with Shapefiles is read') or diag(explain $file);
is_deeply([ map { [ @$_{qw(name rows)} ] } @{ $service->get("/files/$file->{id}/sheets")->{json}{data} } ],
	[ [ 'district', 1 ], [ 'places', 2 ] ], 'each layer is a sheet');
is_deeply($service->get("/files/$file->{id}/contents")->{json}{data}, [ { _id => 1, code => '01',
	geometry => 'POLYGON ((-3.8 40.3,-3.6 40.5,-3.6 40.3,-3.8 40.3))' } ], 'a polygon is WKT')
	or diag(explain $service->get("/files/$file->{id}/contents")->{json});
my ($row) = @{ $service->get("/files/$file->{id}/contents?sheet=places")->{json}{data} };
is($row->{name}, 'Peñón', 'the letters of an attribute');
ok(abs($row->{longitude} + 3.7038) < 0.00001 && abs($row->{latitude} - 40.4168) < 0.00001, 'a point in WGS 84');
like($service->get("/files/$file->{id}/download/geojson?sheet=places")->{body}, qr/"coordinates":\s*\[-3\.70380?,/,
	'the points are GeoJSON');
is($service->get("/files/$file->{id}/download")->{body}, $archive, 'a download has the bytes as they came');

# on the page the beginning of a geometry is enough, wherever it is from
my $long  = 'x' . ' and more' x 20;
my $shape = 'MULTIPOLYGON (((' . join(',', map { "$_ 1" } 1 .. 40) . ')))';
my $table = $worker->wait_for_file($uploads->file('shapes.csv', qq(name,shape\n$long,"$shape"\n))->{id});
my $page  = $service->get("/files/$table->{id}/contents", Accept => 'text/html')->{body};
like($page, qr{<bdi>\Q${\ substr $shape, 0, 59}\E[^<]{0,9}</bdi></td>}, 'the page has the beginning of a geometry');
like($page, qr{<bdi>\Q$long\E</bdi></td>}, 'and other texts as long as they are');
my $first = $worker->wait_for_file($uploads->file('places.zip', zip(@parts[ 4 .. 7 ]))->{id});
my $map = $service->post('/maps', { name => 'Places', basemap => $basemap, file => $first->{id},
	properties => 'name' });
is($map->{status}, 201, 'a map of its points needs no names of columns') or diag(explain $map->{json});
is_deeply([ @{ $map->{json}{meta} }{qw(correct incorrect)} ], [ 2, 0 ], 'it has them');

# A GeoPackage
my $book = $worker->wait_for_file($uploads->file('city.gpkg', slurp("$directory/city.gpkg"))->{id});
is_deeply([ @$book{qw(parseState rowCount)} ], [ 'ready', 2 ], 'it is read');

# GeoJSON in another system than WGS 84
my $metres = '{"type": "FeatureCollection", "crs": {"type": "name", "properties": {"name": "EPSG:25830"}}, "features": '
	. '[{"type": "Feature", "properties": {}, "geometry": {"type": "Point", "coordinates": [440291.3, 4474254.6]}}]}';
sub place_of
{
	my ($name) = @_;
	my $file = $worker->wait_for_file($uploads->file($name, $metres)->{id});
	my ($row) = @{ $service->get("/files/$file->{id}/contents")->{json}{data} };
	return { map { $_ => $row->{$_} } grep { $_ ne '_id' } keys %$row };
}
is_deeply(place_of('metres.geojson'), { longitude => '-3.7037898', latitude => '40.416775' }, 'it is converted');

# A table in a system that its owner names: its columns stay, and two are added
my $csv = $worker->wait_for_file($uploads->file('pozos.csv', "n;x;y\nuno;5643340,5;6167530\ndos;5643350;\n")->{id});
my $rows = sub { return $service->get("/files/$csv->{id}/contents")->{json}{data} };
sub read_in
{
	my ($system) = @_;
	my $reply = $service->patch("/files/$csv->{id}", { parseOptions => $system ? { crs => $system } : undef });
	is($reply->{status}, 200, 'the options are stored') or diag($reply->{body});
	return $csv = $worker->wait_for_file($csv->{id});
}
my @rows = ({ _id => 1, n => 'uno', x => '5643340,5', y => '6167530' },
	{ _id => 2, n => 'dos', x => '5643350', y => '' });
is_deeply($rows->(), \@rows, 'a table of metres');
is(read_in('EPSG:22185')->{parseState}, 'ready', 'it is read in a system');
is_deeply($rows->(), [ { %{ $rows[0] }, longitude => '-58.4369126', latitude => '-34.6280021' },
	{ %{ $rows[1] }, longitude => undef, latitude => undef } ], 'it has longitude and latitude');
my $sheet = $service->get("/files/$csv->{id}/sheets")->{json}{data}[0];
is_deeply([ @{ $sheet->{details} }{qw(coordinates geography)} ],
	[ { from => [qw(x y)], crs => 'EPSG:22185', system => 'POSGAR 94 / Argentina 5' },
	{ longitude => 'longitude', latitude => 'latitude',
		extent => [ '-58.4369126', '-34.6280021', '-58.4369126', '-34.6280021' ] } ], 'its sheet tells so');
is_deeply([ map { $_->{reason} } @{ $service->get("/files/$csv->{id}/issues")->{json}{data} } ],
	['the coordinates in "x" and "y" of 1 rows cannot be converted, the first of which is row 2'], 'and what has none');
my $shown = $service->post("/files/$csv->{id}/preview", { parseOptions => { crs => 'EPSG:5347' } });
my ($preview) = $shown->{json}{links}{job} =~ m{/jobs/(\w+)$};
is($worker->wait_for_job($preview, 'done', 'failed')->{state}, 'done', 'another system can be tried');
is($service->get("/jobs/$preview/preview")->{json}{data}{details}{coordinates}{crs}, 'EPSG:5347', 'by a preview');
is_deeply([ @{ read_in('EPSG:99999') }{qw(parseState parseReason)} ],
	[ 'failed', 'parseOptions.crs: "EPSG:99999" is no known system of coordinates on maps' ], 'an unknown system is told');
is($rows->()->[0]{latitude}, '-34.6280021', 'the former rows stay');
is($service->patch("/files/$csv->{id}", { parseOptions => { crs => 'Gauss' } })->{status}, 400, 'a name is no code');
is(read_in(undef)->{parseState}, 'ready', 'without a system');
is_deeply($rows->(), \@rows, 'it has its own columns');

# An archive without a layer is stored, as ever
my $plain = $uploads->file('texts.zip', zip(part('a.txt', 'x'), part('b.csv', "a\n1\n")));
is($service->get("/files/$plain->{id}")->{json}{data}{parseState}, undef, 'an archive without a layer is not read');
is($service->get("/files/$plain->{id}/contents")->{status}, 406, 'it has no contents');

# Other bytes that are damaged: the reason is told, the rows stay
my ($body, %headers) = Catalogue::Upload::form(Catalogue::Upload::part('uploadFile',
	zip(part('places.shp', 'x' x 200)), file => 'places.zip'));
is($service->put("/files/$first->{id}", $body, %headers)->{status}, 200, 'a file gets other bytes');
$first = $worker->wait_for_file($first->{id});
is($first->{parseState}, 'failed', 'which are damaged');
like($first->{parseReason}, qr/^the file cannot be read as a Shapefile/, 'the reason is told');
is($service->get("/files/$first->{id}/contents")->{json}{meta}{count}, 2, 'the rows stay');

# What was stored before there was a reader is read once
is($worker->stop, 0, 'the worker ends');
my @before = ($uploads->file('old.zip', $archive)->{id},
	$uploads->file('old.gpkg', slurp("$directory/city.gpkg"))->{id});
$service->sql($_) for ('DELETE FROM catalogue.unread_check',
	"SELECT catalogue.end_readings(id) FROM catalogue.files WHERE id IN ('$before[0]', '$before[1]')",
	"UPDATE catalogue.files SET parse_state = NULL WHERE id IN ('$before[0]', '$before[1]')");
$worker = Catalogue::Worker->start($service);
$worker->wait_for('the files of before', sub {
	$service->sql("SELECT count(*) FROM catalogue.files WHERE parse_state = 'ready' AND id IN "
		. "('$before[0]', '$before[1]')") == 2;
});
is($service->get("/files/$plain->{id}")->{json}{data}{parseState}, undef, 'those without a layer are left alone');

# Without the reader the reason is told, and all else goes on
is($worker->stop, 0, 'the worker ends');
my $programs = File::Temp->newdir;
chmod 0755, $programs;
system('cp', (map { dirname(Catalogue::Parser::program()) . "/catalogue-$_" } qw(shim worker)), $programs) == 0 or die;
{
	local $ENV{CATALOGUE_SHIM} = "$programs/catalogue-shim";
	$worker = Catalogue::Worker->start($service);
	my $unread = $worker->wait_for_file($uploads->file('unread.zip', $archive)->{id});
	is_deeply([ @$unread{qw(parseState parseReason)} ],
		[ 'failed', 'geographic files are not read: catalogue-geo-reader is not installed' ], 'the reason is told');
	my $table = $worker->wait_for_file($uploads->file('table.csv', "a,b\n1,2\n")->{id});
	is($table->{parseState}, 'ready', 'tables are read');
	is_deeply([ @{ read_in('EPSG:22185') }{qw(parseState parseReason)} ], [ 'failed',
		'coordinates are not converted, as parseOptions.crs says: catalogue-geo-reader is not installed' ],
		'a table in a system is not read');
	is_deeply($rows->(), \@rows, 'and has the former rows');
	is_deeply(place_of('stay.geojson'), { x => '440291.3', y => '4474254.6' }, 'GeoJSON is read in its system');
	$worker->finish;
}

$service->finish;
