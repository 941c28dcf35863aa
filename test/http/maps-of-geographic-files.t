#!/usr/bin/perl
# GeoJSON and KML that are uploaded: their rows as contents and in other formats, maps that find the coordinates by
# themselves, and files that are none.

use strict;
use warnings;

use Cpanel::JSON::XS qw(decode_json);
use Test::More;
use Catalogue::Test;
use Catalogue::Definition;
use Catalogue::Real;
use Catalogue::Upload;
use Catalogue::Worker;

my $service = Catalogue::Test->start->as_admin;
my $uploads = Catalogue::Upload->new($service);
my $worker  = Catalogue::Worker->start($service);
my $basemap = $service->get('/basemaps/first')->{json}{data}{id};
my $serial  = 0;

sub read_file { my ($name, $bytes) = @_; return $worker->wait_for_file($uploads->file($name, $bytes)->{id}) }
sub make_map
{
	my ($file, %values) = @_;
	return $service->post('/maps', { name => 'Map ' . ++$serial, basemap => $basemap, file => $file, %values });
}
sub path_of { my ($reply) = @_; return ($reply->{json}{links}{record} =~ m{(/maps/\w+)$})[0] }

# KML
my $kml  = '<kml xmlns="http://www.opengis.net/kml/2.2"><Placemark><name>A</name><ExtendedData><Data '
	. 'name="kind"><value>x</value></Data></ExtendedData><Point><coordinates>2.5,1.5,7</coordinates></Point></Placemark>'
	. '<Placemark><name>B</name><Polygon/></Placemark></kml>';
my $file = read_file('places.kml', $kml);
is($file->{parseState}, 'ready', 'KML is read');
my $rows = $service->get("/files/$file->{id}/contents")->{json};
is_deeply($rows->{data}[0], { _id => 1, longitude => '2.5', latitude => '1.5', name => 'A', description => undef,
	kind => 'x', altitude => '7' }, 'a placemark is a row');
is($rows->{meta}{count}, 2, 'so is one without a point');
is($service->get("/files/$file->{id}/download")->{body}, $kml, 'a download has the bytes as they came');
is($service->get("/files/$file->{id}/download/csv")->{body} =~ s/\r?\n.*//sr,
	'longitude,latitude,name,description,kind,altitude', 'another format has the rows');
is($service->get("/files/$file->{id}/schema")->{status}, 200, 'the file has a schema');
my $made = make_map($file->{id}, properties => 'name');
is($made->{status}, 201, 'a map of it needs no names of columns') or diag(explain $made->{json});
is_deeply([ @{ $made->{json}{meta} }{qw(correct incorrect)} ], [ 1, 1 ], 'its rows are counted');
my $map = path_of($made);
is_deeply([ @{ $service->get($map)->{json}{data} }{qw(latitudeKey longitudeKey)} ], [qw(latitude longitude)],
	'the columns are told');
is_deeply($service->get("$map/geojson")->{json}{features}, [ { type => 'Feature', id => 1,
	geometry => { type => 'Point', coordinates => [ 2.5, 1.5 ] }, properties => { name => 'A' } } ], 'its point');
is_deeply($service->get("$map/issues")->{json}{data}, [ { row => 2, reason => 'the latitude is empty' } ],
	'what is no point');

# its dataset is found by the place once the file is published, and given on with it
my $near = '/datasets?bbox=2,1,3,2';
is($service->get($near)->{json}{meta}{count}, 0, 'a draft is at no place');
$service->patch("/files/$file->{id}", { status => 'qWRhpRV' });
is_deeply([ map { $_->{id} } @{ $service->get($near)->{json}{data} } ], [ $file->{dataset} ],
	'a published one is found');
is($service->get('/datasets?bbox=3,1,4,2')->{json}{meta}{count}, 0, 'there and not elsewhere');
is($service->get("$near&fields=name", Accept => 'text/csv')->{body} =~ tr/\n//, 2, 'as CSV');
is($service->get('/search?bbox=2,1,3,2')->{json}{meta}{count}, 1, 'by the search');
is($service->get('/datasets/count?bbox=2,1,3,2')->{json}{data}{count}, 1, 'by the count');
my $refused = $service->get('/datasets?bbox=2,3');
is_deeply([ $refused->{status}, $refused->{json}{meta}{message} ], [ 422, 'invalid value for parameter "bbox": "2,3"' ],
	'a wrong rectangle is refused');
$service->patch("/datasets/$file->{dataset}", { status => 'qWRhpRV' });
like($service->get("/datasets/$file->{dataset}", Accept => 'text/turtle')->{body},
	qr/dcat:centroid "POINT\(2\.5 1\.5\)"/, 'RDF has the middle of it');

# columns that the file does not have; columns that the client chooses; points that the client has
my $wrong = make_map($file->{id}, latitudeKey => 'lat', longitudeKey => 'longitude');
is($wrong->{status}, 400, 'a column that does not exist is refused');
like($wrong->{body}, qr/\\"longitude\\", \\"latitude\\", \\"name\\"/, 'with those that there are');
my $own = make_map($file->{id}, geojson => { type => 'FeatureCollection', features => [] });
is($own->{status}, 201, 'points of the client');
is($service->get(path_of($own))->{json}{data}{latitudeKey}, undef, 'no columns are chosen for them');
my $table = read_file('places.csv', "longitude,latitude\n1,2\n");
is($service->get(path_of(make_map($table->{id})))->{json}{data}{geojson}, undef, 'columns of a table are not chosen');

# other bytes: the map follows; bytes that are no KML: the file is failed with the reason, the rows stay
sub replace
{
	my ($id, $name, $bytes) = @_;
	my ($body, %headers) = Catalogue::Upload::form(Catalogue::Upload::part('uploadFile', $bytes, file => $name));
	is($service->put("/files/$id", $body, %headers)->{status}, 200, 'the file gets other bytes');
	return $worker->wait_for_file($id);
}
is(replace($file->{id}, 'places.kml', $kml =~ s/2\.5,1\.5/3,4/r)->{parseState}, 'ready', 'which are read');
is_deeply($service->get("$map/geojson")->{json}{features}[0]{geometry}{coordinates}, [ 3, 4 ], 'the map is made again');
my $bomb = replace($file->{id}, 'places.kml', '<!DOCTYPE kml [<!ENTITY a "x">]><kml>&a;</kml>');
is_deeply([ @$bomb{qw(parseState parseReason)} ], [ 'failed', 'the file has a DOCTYPE, which is not allowed' ],
	'an entity is refused with the reason');
is_deeply($service->get("$map/geojson")->{json}{features}[0]{geometry}{coordinates}, [ 3, 4 ],
	'the last good points stay');
is_deeply([ @{ read_file('cut.geojson', '{"type": "FeatureCollection", "features": [{') }{qw(parseState parseReason)} ],
	[ 'failed', 'the file is not valid JSON: it ends too early in line 1' ], 'GeoJSON that is cut off');
is(read_file('fine.geojson', '{"type": "FeatureCollection", "features": []}')->{parseState}, 'ready',
	'the worker goes on');

# there and back: a table as GeoJSON, and that as a file again
my $navaids = read_file('navaids.csv', real_file('navaids.csv'));
my $geojson =
	$service->get("/files/$navaids->{id}/download/geojson?latitudeKey=latitude_deg&longitudeKey=longitude_deg");
is($geojson->{status}, 200, 'a table as GeoJSON');
my $back = read_file('navaids.geojson', $geojson->{body});
is($back->{parseState}, 'ready', 'it is read');
my $features = decode_json($geojson->{body})->{features};
is($service->get("/files/$back->{id}/contents?limit=1")->{json}{meta}{count}, scalar @$features,
	'all features are rows');
my $first = $service->get("/files/$back->{id}/contents?limit=1")->{json}{data}[0];
is($first->{feature_id}, $features->[0]{id}, 'with their ids');
is_deeply({ map { $_ => $first->{$_} } keys %{ $features->[0]{properties} } }, $features->[0]{properties},
	'and their properties');
is_deeply([ 0 + $first->{longitude}, 0 + $first->{latitude} ], $features->[0]{geometry}{coordinates},
	'and their coordinates');
$made = make_map($back->{id}, properties => 'ident');
is($made->{status}, 201, 'a map of it');
my $again = $service->get(path_of($made) . '/geojson')->{json}{features};
is_deeply([ map { join ' ', @{ $_->{geometry}{coordinates} } } @$again ],
	[ map { join ' ', @{ $_->{geometry}{coordinates} } } @$features ], 'has the same points');

$worker->finish;
$service->finish;
