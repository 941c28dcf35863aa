#!/usr/bin/perl
# Geometries of more than a mebibyte as WKT: they are kept, found and drawn, and given as GeoJSON; as WKT they are left
# out of rows, CSV, workbooks and statements, which is told. One of more than 16 MiB is left out, and told.

use strict;
use warnings;

use Cpanel::JSON::XS ();
use Math::Trig qw(pi);
use Test::More;
use Catalogue::Parser qw(parse);
use Catalogue::Test;
use Catalogue::Upload;
use Catalogue::Worker;

my $service = Catalogue::Test->start->as_admin;
my $uploads = Catalogue::Upload->new($service);
my $worker  = Catalogue::Worker->start($service);
my $json    = Cpanel::JSON::XS->new->utf8;

sub feature
{
	my ($name, $type, $coordinates) = @_;
	return qq({"type":"Feature","properties":{"name":"$name"},"geometry":{"type":"$type","coordinates":[$coordinates]}});
}

# a square, an island whose coast has 60,000 corners, and a line of 840,000
my @coast = map { [ 20 + 5 * cos($_ * pi / 30_000), 10 + 5 * sin($_ * pi / 30_000) ] } 0 .. 59_999;
my $coast = join ',', map { sprintf '[%.7f,%.7f]', @$_ } @coast, $coast[0];
my $line = substr '[10.1234567,0.1234567],[10.2345678,0.2345678],' x 420_000, 0, -1;
my $features = join ',', feature('square', 'Polygon', '[[0,0],[1,0],[1,1],[0,1],[0,0]]'),
	feature('island', 'Polygon', "[$coast]"), feature('line', 'LineString', $line);
my $file = $worker->wait_for_file($uploads->file('coasts.geojson',
	qq({"type":"FeatureCollection","features":[$features]}))->{id});
is($file->{parseState}, 'ready', 'the file is read') or diag($file->{parseReason});
my $path = "/files/$file->{id}";

my $reply = $service->get("$path/issues");
is_deeply([ map { "$_->{line}: $_->{reason}" } @{ $reply->{json}{data} } ],
	[ '2: the geometry is longer than 1 MiB as WKT, so that contents and CSV do not have it; maps and GeoJSON do',
		'3: the geometry is longer than 16 MiB as WKT, and is left out here; the file has it' ], 'both are told');
my $details = $service->get("$path/sheets")->{json}{data}[0]{details};
is_deeply([ @$details{qw(longGeometries omittedGeometries)} ], [ 1, 1 ], 'and counted');
is_deeply($details->{geography}{extent}, [ 0, 0, 25, 15 ], 'the extent has the one that is kept');

# rows
my @notes = ("geometries of 1 rows are longer than 1 MiB as WKT, and left out here; $path/download/geojson has them",
	'geometries of 1 rows are longer than 16 MiB as WKT, and left out; the file has them');
my @rows = (undef, 'POLYGON ((0 0,1 0,1 1,0 1,0 0))', undef, undef);
$reply = $service->get("$path/contents");
is_deeply([ map { $_->{geometry} } @{ $reply->{json}{data} } ], [ @rows[ 1 .. 3 ] ], 'rows have no such WKT');
is_deeply($reply->{json}{meta}{notes}, \@notes, 'which the answer tells, with the address');
$reply = $service->get("$path/contents?fields=name");
is($reply->{json}{meta}{notes}, undef, 'not where the geometry is not asked for');
is_deeply([ map { $_->{name} } @{ $service->get("$path/contents?bbox=24.9,9,26,11")->{json}{data} } ], ['island'],
	'its row is found by its place');
$reply = $service->get("$path/contents", Accept => 'text/csv');
is($reply->{body},
	qq(longitude,latitude,name,geometry\r\n,,square,"$rows[1]"\r\n,,island,\r\n,,line,\r\n), 'CSV has no cell there');
is_deeply($json->decode($reply->{headers}{'catalogue-notes'}), \@notes, 'with the same notes');

# GeoJSON, a map, and features
sub corners
{
	my ($address) = @_;
	my $answer = $service->get($address, Accept => 'application/geo+json');
	is($answer->{status}, 200, "$address is given") or diag(substr $answer->{body}, 0, 500);
	return [ map { scalar @{ $_->{geometry}{coordinates}[0] } } @{ $answer->{json}{features} } ];
}
is_deeply(corners($_), [ 5, 60_001 ], "each corner is there: $_")
	for "$path/contents", "/ogc/collections/$file->{id}/items";
is_deeply(corners("$path/download/geojson"), [ 5, 60_001, 2 ], 'a download of what is GeoJSON has all');
my $map = $service->post('/maps', { name => 'Coasts', file => $file->{id},
	basemap => $service->get('/basemaps/first')->{json}{data}{id} });
is_deeply([ @{ $map->{json}{meta} }{qw(correct incorrect)} ], [ 2, 1 ], 'a map has the place');
my ($record) = $map->{json}{links}{record} =~ m{(/maps/\w+)$};
is_deeply(corners("$record/geojson"), [ 5, 60_001 ], 'so have its features');
$reply = $service->get("$record/tiles/5/17/15.mvt");
is($reply->{status}, 200, 'a tile has the coast');
like($reply->{body}, qr/shapes/, 'as a shape');
cmp_ok(length $reply->{body}, '<', 100_000, 'of few corners');
is($service->get("$record/image")->{status}, 200, 'it is drawn');

# a tile has at most 500 kB: a line of 200,000 corners that has more becomes a point, which is told
$service->sql(q(INSERT INTO catalogue.sheet_shape (sheet, "row", shape, longitude, latitude, size) SELECT s.id, 4,
	public.ST_SetSRID(public.ST_MakeLine(public.ST_MakePoint(n * 7919 % 100003 * 0.0008, n * 31337 % 99991 * 0.0006)
	ORDER BY n), 4326), 40, 30, 80
	FROM catalogue.sheet s, generate_series(0, 200000::bigint) n WHERE s.file = ') . "$file->{id}' GROUP BY s.id");
$reply = $service->get("$record/tiles/1/1/0.mvt");
cmp_ok(length $reply->{body}, '<=', 500_000, 'a tile is short');
is($reply->{headers}{'catalogue-notes'}, '["lines and areas have fewer corners, and the smaller ones are points, since '
	. 'the tile would be longer than 500 kB"]', 'which it tells');
is($service->get("$record/tiles/5/17/15.mvt")->{headers}{'catalogue-notes'}, undef, 'one that is short tells nothing');

# other formats: a workbook has no cell there, KML each corner
sub download
{
	my ($format) = @_;
	my $answer = $service->get("$path/download/$format");
	is($answer->{status}, 200, "$format is given") or diag($answer->{body});
	return $answer->{body};
}
is_deeply([ map { $_->[3] } @{ parse('xlsx', download('xlsx'))->{sheets}[0]{rows} } ], [ @rows[ 1 .. 3 ] ],
	'a workbook has no cell there');
is_deeply([ map { scalar(() = /\S+/g) } download('kml') =~ m{<coordinates>([^<]*)}g ], [ 5, 60_001 ],
	'KML has each corner');

# statements
sub query { my ($sql) = @_; return $service->post('/query', { sql => $sql }) }
$reply = query(qq(SELECT name, geometry FROM "$file->{id}" ORDER BY _id));
is_deeply([ map { $_->{geometry} } @{ $reply->{json}{data} } ], [ @rows[ 1 .. 3 ] ], 'a statement reads none');
is_deeply($reply->{json}{meta}{notes}, \@notes, 'which its answer tells');
is(query(qq(SELECT name FROM "$file->{id}"))->{json}{meta}{notes}, undef,
	'not where it does not read geometries');
is(query(qq(SELECT ST_Area(ST_GeomFromText(geometry)) AS a FROM "$file->{id}" WHERE name = '$_'))->{status}, 400,
	"nothing is computed without the geometry of the $_") for qw(island line);
$reply = query(qq(SELECT ST_Area(ST_GeomFromText(geometry)) AS a FROM "$file->{id}" WHERE geometry IS DISTINCT FROM )
	. q('longer than 1 MiB'));
is_deeply($reply->{json}{data}, [ { a => 1 } ], 'such rows may be left out') or diag(explain $reply->{json});

$worker->finish;
$service->finish;
