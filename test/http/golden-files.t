#!/usr/bin/perl
# Golden set: files are uploaded, replaced, parsed and downloaded in each format; rows of their contents; maps,
# charts and archives made from them; images of categories.

use strict;
use warnings;

use Catalogue::Golden;
use Catalogue::Upload;
use Catalogue::Worker;

my $golden  = Catalogue::Golden->start('files');
my $service = $golden->{service};
my $csv     = "name,latitude_deg,longitude_deg,height,opened\nOak Tower,48.5,2.25,12,2001-05-06\n"
	. "\"Elm, \"\"old\"\"\",-12.5,130.75,7.5,1999-12-31\n"
	. "Ash,none,0,,\nBeech,91,10,1e3,2020-02-29\nYew,0.5,-0.25,12,2001-05-06\n";
my $odd     = "a;b\r\n1;2\r\n3;4;5\r\n;\r\n";

# The fields of a file, as parts of a form.
sub fields
{
	my ($name, %more) = @_;
	return field(name => $name, dataset => '<datasets:airports>', organization => '<organizations:open-data-office>',
		owner => '<users:admin>',
		updateFrequency => '<updatefrequencies:Daily>', status => 'qWRhpRV', %more);
}

# Send a form; return the answer.
sub form_to
{
	my ($who, $verb, $target, $parts, %headers) = @_;
	my ($body, %type) = form(@$parts);
	return $golden->ask($who, $verb, $target, $body, %type, %headers);
}

# Wait until the worker has finished all jobs of some kinds.
sub settle
{
	my ($worker, @kinds) = @_;
	my $open = sprintf q(SELECT count(*) FROM catalogue.jobs WHERE kind IN (%s) AND state NOT IN )
		. q(('done', 'failed', 'cancelled')), join ', ', map { "'$_'" } @kinds;
	return $worker->wait_for("jobs: @kinds", sub { $service->sql($open) == 0 });
}

$golden->say('Files uploaded as forms');
form_to('admin', 'POST', '/files', [ fields('Towers'), part('uploadFile', $csv, file => 'towers.csv') ],
	Prefer => 'return=representation');
form_to('admin', 'POST', '/files', [ part('uploadFile', $odd, file => 'C:\\x\\Odd.CSV'),
	fields('Odd rows', visible => 'true', optionals => '{"a": 1}') ]);
form_to('admin', 'POST', '/files', [ fields('Towers'), part('uploadFile', $csv, file => 'towers.csv') ]);
form_to('admin', 'POST', '/files', [ fields('No bytes', type => '<filetypes:csv>'), part('uploadFile', 'null') ],
	Prefer => 'return=representation');
form_to('admin', 'POST', '/files', [ fields('Wrong bytes'), part('uploadFile', "MZ\0\1", file => 'a.csv') ]);
form_to('admin', 'POST', '/files', [ fields('Wrong name'), part('uploadFile', $csv, file => 'a.exe') ]);
form_to('admin', 'POST', '/files', [ fields('Digest'), part('uploadFile', $csv, file => 'a.csv') ],
	'Repr-Digest' => digest('other bytes'));
form_to('admin', 'POST', '/files', [ fields(''), part('uploadFile', $csv, file => 'a.csv') ]);
form_to('outsider', 'POST', '/files', [ fields('x'), part('uploadFile', $csv, file => 'a.csv') ]);
form_to('guest', 'PUT', '/files/towers', [ part('uploadFile', $csv, file => 'a.csv') ]);
form_to('admin', 'POST', '/tags', [ field(name => 'by form') ]);
$golden->ask('admin', 'POST', '/files', "--x\r\nno part", 'Content-Type' => 'multipart/form-data; boundary=x');
$golden->ask('admin', 'POST', '/files', 'x', 'Content-Type' => 'multipart/form-data');

$golden->say('Files uploaded without a form, in one request or in several');
my $words = 'dataset=<datasets:airports>&organization=<organizations:open-data-office>&owner=<users:admin>&'
	. 'updateFrequency=<updatefrequencies:Daily>&status=qWRhpRV';
my @octets  = ('Content-Type' => 'application/octet-stream');
my @partial = ('Content-Type' => 'application/partial-upload');
$golden->ask('admin', 'POST', "/files?$words&name=Whole", "a,b\n1,2\n", @octets,
	'Content-Disposition' => 'attachment; filename="whole.csv"', Prefer => 'return=representation');
$golden->ask('admin', 'POST', "/files?$words&name=Nameless", "a,b\n", @octets);
$golden->ask('admin', 'POST', "/files?$words&name=Pieces&fileName=pieces.csv", "a,b\n1,", @octets,
	'Upload-Complete' => '?0', 'Upload-Length' => 12);
my $upload = $golden->{last}{location};
$golden->ask('admin', 'HEAD',  $upload);
$golden->ask('admin', 'GET',   $upload);
$golden->ask('guest', 'GET',   $upload);
$golden->ask('admin', 'PATCH', $upload, "2\n", @partial, 'Upload-Offset' => 5, 'Upload-Complete' => '?0');
$golden->ask('admin', 'PATCH', $upload, "2\n", @partial, 'Upload-Offset' => 6, 'Upload-Complete' => '?0');
$golden->ask('admin', 'PATCH', $upload, "3,4\n", 'Content-Type' => 'application/json', 'Upload-Offset' => 8);
$golden->ask('admin', 'PATCH', $upload, "3,4\n", @partial, 'Upload-Offset' => 8, 'Upload-Complete' => '?1',
	Prefer => 'return=representation');
$golden->ask('admin', 'GET',   $upload);
$golden->ask('admin', 'POST', "/files?$words&name=Dropped&fileName=dropped.csv", "a,b\n", @octets,
	'Upload-Complete' => '?0');
$golden->ask('admin', 'DELETE', '<location>');
$golden->ask('admin', 'DELETE', '<location>');

$golden->play(<<'REQUESTS');
# Before the files are parsed
outsider GET /files/towers/contents
outsider GET /files/towers/columns
outsider GET /files/towers/schema
outsider GET /files/towers/csvw
outsider GET /files/towers/sheets
outsider GET /files/towers/issues
outsider GET /files/no-bytes/download
outsider GET /datasets/airports/download
Prefer: respond-async
outsider GET /datasets/no-such-dataset/download
superadmin GET /jobs?fields=kind,state&limit=3
superadmin GET /jobs/count?kind=parse
REQUESTS

# one job is cancelled before there is a worker
my $job = $service->sql(q(SELECT id FROM catalogue.jobs WHERE kind = 'archive' AND audience = 'outsiders'));
$golden->ask('admin',    'GET',  "/jobs/$job");
$golden->ask('guest',    'POST', "/jobs/$job/cancel");
$golden->ask('admin',    'POST', "/jobs/$job/cancel", undef, Prefer => 'return=representation');
$golden->ask('admin',    'POST', "/jobs/$job/cancel");

my $worker = Catalogue::Worker->start($service);
settle($worker, 'parse');

# rows with other options, which are not stored
my $preview = $golden->ask('admin', 'POST', '/files/towers/preview', '{"parseOptions": {"header": false}}');
my ($previewed) = $preview->{json}{links}{job} =~ m{(\w+)$};
settle($worker, 'preview');
$golden->ask('admin', 'GET', "/jobs/$previewed/preview");
$golden->ask('guest', 'GET', "/jobs/$previewed/preview");

# a chart of them, which is not made
my $shown = '{"name": "Shown", "type": "bar", "file": "%s", "dataSeries": ["%s"]}';
$golden->ask('admin', 'POST', '/charts/preview', sprintf $shown, $service->sql(
	q(SELECT id FROM catalogue.files WHERE file_name = 'towers.csv')), 'name');
$golden->ask('guest', 'POST', '/charts/preview', '{}');
my $placed = '{"name": "Shown", "file": "%s", "basemap": "%s", "latitudeKey": "latitude_deg", '
	. '"longitudeKey": "longitude_deg"}';
my @places = split /\|/, $service->sql(
	q(SELECT f.id, b.id FROM catalogue.files f, catalogue.basemaps b WHERE f.file_name = 'towers.csv' LIMIT 1));
$golden->ask('admin', 'POST', '/maps/preview', sprintf $placed, @places);

# and of an upload, before it is a file
$golden->ask('admin', 'POST', "/files?$words&name=Seen&fileName=seen.csv", "a,b\n1,2\n", @octets,
	'Upload-Complete' => '?0', 'Upload-Length' => 8);
$upload  = $golden->{last}{location};
$preview = $golden->ask('admin', 'POST', "$upload/preview", '{}');
($previewed) = $preview->{json}{links}{job} =~ m{(\w+)$};
settle($worker, 'preview');
$golden->ask('admin', 'GET', "/jobs/$previewed/preview");
$golden->ask('guest', 'GET', "/jobs/$previewed/preview");
$golden->ask('admin', 'DELETE', $upload);

$golden->play(<<'REQUESTS');
# Contents: pages of rows, and their parameters
admin GET /files/towers
outsider GET /files/towers?fields=name,parseState,rowCount
admin GET /files/odd-rows?fields=name,parseState,rowCount
outsider GET /files/towers/contents
outsider GET /files/towers/contents?limit=2
superadmin POST /batch
> {"parts": [{"method": "PATCH", "path": "/files/towers", "body": {}}]}
superadmin POST /batch
> {"parts": [{"method": "PATCH", "path": "/files/towers", "body": {"name": 1}},
| {"method": "DELETE", "path": "/tags/none"}]}
superadmin POST /imports
> {"source": "golden", "dryRun": true,
| "document": {"dataset": [{"identifier": "1", "title": "Imported", "theme": "Transport"}, {"identifier": "2"}]}}
guest POST /imports
> {"source": "golden", "document": {"dataset": []}}
superadmin POST /imports
> {"url": "file:///etc/passwd", "gone": "x"}
superadmin GET /imports/zzzzzzzzzzzzzzz
superadmin POST /query
> {"sql": "SELECT * FROM towers ORDER BY _id LIMIT 2"}
superadmin POST /query
Accept: text/csv
> {"sql": "SELECT * FROM towers ORDER BY _id LIMIT 2"}
superadmin POST /query
> {"sql": "SELECT pg_sleep(1) FROM towers"}
outsider POST /query
> {"sql": "SELECT 1"}
outsider GET <next>
outsider GET /files/towers/contents?types=true&limit=2
outsider GET /files/towers/contents?fields=name,height&orderBy=height&sort=DESC
outsider GET /files/towers/contents?name=oak
outsider GET /files/towers/contents?name=Ash&match=EXACT
outsider GET /files/towers/contents?height[gte]=8&height[lt]=100
outsider GET /files/towers/contents?name=ash&height=12&condition=AND
outsider GET /files/towers/contents?name=ash&height=12&condition=OR
outsider GET /files/towers/contents?height=null
outsider GET /files/towers/contents?groupBy=height&orderBy=height
outsider GET /files/towers/contents?aggregate=sum(height),count
outsider GET /files/towers/contents?groupBy=opened&aggregate=count,max(height)&orderBy=opened
outsider GET /files/towers/contents?groupBy=nonesuch
outsider GET /files/towers/contents?facets=height,opened&facetLimit=2&limit=1
outsider GET /files/towers/changes?from=<version>&key=name
outsider GET /files/towers/contents?histogram=height
outsider GET /files/towers/contents?distinct=height&orderBy=height
outsider GET /files/towers/contents?facets=nonesuch
outsider GET /files/towers/contents?distinct=height&groupBy=opened
outsider GET /files/towers/changes?key=name
outsider GET /files/towers/changes?from=2001-01-01T00:00:00Z&key=name
outsider GET /files/towers/changes?from=2001-01-01T00:00:00Z&to=soon&key=name
outsider GET /files/towers/contents?aggregate=most(height)
outsider GET /files/towers/contents?limit=x
outsider GET /files/towers/contents?orderBy=nonesuch
outsider GET /files/towers/contents?sheet=nonesuch
outsider GET /files/towers/contents?sheet=1&limit=1
outsider GET /files/towers/contents?nonesuch=1&limit=1
outsider GET /files/towers/contents?nonesuch=1&limit=1
Prefer: handling=strict
outsider GET /files/towers/contents?limit=2
Accept: text/csv
outsider GET /files/towers/contents?limit=2&bom=true
Accept: text/csv
outsider GET /files/towers/contents?limit=2&types=true
Accept: application/x-ndjson
outsider GET /files/towers/contents
Accept: image/png
outsider HEAD /files/towers/contents
outsider GET /files/towers/contents?limit=1
outsider GET /files/towers/contents?limit=1
If-None-Match: <etag>
outsider GET /files/towers/image?groupBy=height&aggregate=count
outsider GET /files/towers/image?groupBy=height&aggregate=count
If-None-Match: <etag>
outsider GET /files/towers/image
outsider GET /files/towers/image?aggregate=count
REQUESTS
$golden->ask('outsider', 'GET',
	"/oembed?url=$service->{base}/files/towers/contents&maxwidth=300&maxheight=200&format=json");
$golden->play(<<'REQUESTS');
outsider GET /files/nonesuch/image
outsider GET /files/no-bytes/contents
outsider GET /files/nonesuch/contents
outsider GET /health/ready
outsider GET /files/towers/columns
outsider GET /files/towers/schema
outsider GET /files/towers/csvw
outsider GET /files/towers/csvw
Accept: text/csv
outsider GET /files/towers/sheets
outsider GET /files/towers/issues
outsider GET /files/odd-rows/issues
outsider GET /files/odd-rows/contents
admin PATCH /files/odd-rows
> {"parseOptions": {"delimiter": ",", "header": false}}
admin PATCH /files/odd-rows
> {"parseOptions": {"delimiter": "long", "skip": -1, "colour": "red"}}
REQUESTS
settle($worker, 'parse');
$golden->play(<<'REQUESTS');
# The bytes of a file
outsider GET /files/towers/download
outsider GET /files/<files:towers.csv>/download
outsider GET /files/towers.csv/download
outsider HEAD /files/towers/download
outsider GET /files/towers/view
outsider GET /files/towers/download
Range: bytes=0-3
outsider GET /files/towers/download
Range: bytes=-5
outsider GET /files/towers/download
Range: bytes=0-1,5-6
outsider GET /files/towers/download
Range: bytes=9999-
outsider GET /files/towers/download
Range: nonsense
outsider GET /files/towers/download
If-None-Match: <etag>
outsider GET /files/towers/download
If-Match: "another"
outsider GET /files/towers/download
If-Range: "another"
Range: bytes=0-3
outsider GET /files/towers/download
Accept: image/png
outsider GET /files/towers/download/csv
outsider GET /files/towers/download/json
outsider GET /files/towers/download/ndjson
outsider GET /files/towers/download/geojson
outsider GET /files/towers/download/xlsx
outsider GET /files/towers/download/xls
outsider GET /files/towers/download/docx
outsider GET /files/odd-rows/download/geojson
outsider HEAD /files/towers/download/json
outsider GET /files/libraries/download
outsider GET /files/nonesuch/download
REQUESTS

$golden->say('Replacement of the bytes');
my $more = $csv . "Fir,10,20,30,2021-01-01\n";
$golden->ask('admin', 'GET', '/files/towers?fields=sha256');
form_to('admin', 'PUT', '/files/towers', [ part('uploadFile', $more, file => 'new.csv') ], 'If-Match' => '"another"');
form_to('admin', 'PUT', '/files/towers', [ part('uploadFile', $more, file => 'new.csv'), field(notes => 'of 2021') ],
	'If-Match' => '<etag>', Prefer => 'return=representation');
form_to('admin', 'PATCH', '/files/towers', [ part('uploadFile', $more, file => 'new.csv') ]);
settle($worker, 'parse');

$golden->play(<<'REQUESTS');
outsider GET /files/towers/contents?fields=name&skip=4
outsider GET /files/towers/download

# Maps and charts of the rows
admin POST /maps
Prefer: return=representation
> {"name": "Where the towers are", "basemap": "<basemaps:OpenStreetMap>", "file": "<files:towers.csv>",
| "latitudeKey": "latitude_deg", "longitudeKey": "longitude_deg", "properties": "name,height", "status": "qWRhpRV"}
outsider GET /maps/where-the-towers-are
outsider GET /maps/where-the-towers-are
Accept: application/geo+json
outsider GET /maps/where-the-towers-are
Accept: application/geo+json;q=0.5, application/json
outsider GET /maps/where-the-towers-are/geojson?bbox=0,0,90,90&properties=name
outsider GET /maps/where-the-towers-are/geojson?bbox=0,0,90&colour=red
outsider GET /files/towers/contents?bbox=0,-20,90,60&latitudeKey=latitude_deg&longitudeKey=longitude_deg&fields=name
outsider GET /files/towers/contents?near=130.75,-12.5,100000&fields=name
outsider GET /files/towers/contents?within=towers:1
outsider GET /files/towers/contents?fields=name
Accept: application/geo+json
outsider GET /maps/where-the-towers-are/geojson
Accept: application/json
outsider GET /maps/where-the-towers-are
Accept: text/html;q=0.9, image/svg+xml
outsider GET /maps/where-the-towers-are/image?colour=red
outsider GET /maps/where-the-towers-are/image
Accept: application/json
outsider GET /maps/where-the-towers-are/issues?limit=1
outsider OPTIONS /maps/where-the-towers-are/geojson
outsider GET /maps/where-the-towers-are/tiles/0/0/1.mvt
outsider GET /maps/where-the-towers-are/tiles/20/0/0.mvt
outsider OPTIONS /maps/where-the-towers-are/tiles/0/0/0.mvt
outsider GET /maps/where-the-towers-are/download/xlsx
outsider GET /maps/where-the-towers-are/download/kml
Prefer: respond-async
outsider OPTIONS /maps/where-the-towers-are/download/kml
outsider GET /maps/where-the-towers-are/image/gif
outsider GET /maps/where-the-towers-are/image/png
Prefer: respond-async
outsider OPTIONS /maps/where-the-towers-are/image/png
outsider OPTIONS /maps/where-the-towers-are/issues
outsider OPTIONS /maps/where-the-towers-are/image
admin POST /maps
> {"name": "No such columns", "basemap": "<basemaps:OpenStreetMap>", "file": "<files:towers.csv>",
| "latitudeKey": "lat", "longitudeKey": "lon"}
admin POST /charts
Prefer: return=representation
> {"name": "Towers by height", "type": "bar", "file": "<files:towers.csv>", "dataType": "qualitative",
| "dataSeries": ["height"], "status": "qWRhpRV"}
admin POST /charts
Prefer: return=representation
> {"name": "Heights by year", "type": "bar", "file": "<files:towers.csv>", "dataType": "quantitative",
| "dataSeries": ["opened", "height"], "status": "qWRhpRV"}
outsider GET /charts/<charts:Towers_by_height>
Accept: image/svg+xml
outsider GET /charts/<charts:Towers_by_height>/data
outsider GET /charts/<charts:Towers_by_height>/data
Accept: text/csv
outsider OPTIONS /charts/<charts:Towers_by_height>/data
outsider GET /charts/<charts:Towers_by_height>/image
outsider GET /charts/<charts:Towers_by_height>/image?lang=es
outsider GET /charts/<charts:Towers_by_height>/image?lang=xx
outsider GET /charts/<charts:Towers_by_height>/image
Accept: image/png
outsider OPTIONS /charts/<charts:Towers_by_height>/image
outsider GET /charts/<charts:Towers_by_height>/image/png
Prefer: respond-async
outsider OPTIONS /charts/<charts:Towers_by_height>/image/png
outsider GET /files/towers/image/png?groupBy=height
Prefer: respond-async
outsider OPTIONS /files/towers/image/png
outsider GET /files/towers/resources
outsider GET /files/towers/resources
Prefer: relations=embedded
outsider GET /files/odd-rows/resources
outsider GET /datasets/airports/filetypes?fields=name
REQUESTS

$golden->say('The archive of a dataset');
$worker->wait_for('the archive', sub { $service->get('/datasets/airports/download')->{status} == 200 });
settle($worker, 'convert'); # of the map above
$golden->play(<<'REQUESTS');
outsider GET /datasets/airports/download
outsider HEAD /datasets/airports/download
outsider GET /datasets/airports/download
If-None-Match: <etag>
outsider GET /datasets/airports/download
Range: bytes=0-3
superadmin GET /jobs?kind=archive&state=cancelled&condition=AND&fields=kind,state,audience
superadmin GET /jobs?kind=nonesuch
outsider GET /jobs?fields=kind,state&limit=1
REQUESTS

$golden->say('Images of categories');
my $svg = '<svg xmlns="http://www.w3.org/2000/svg"><circle r="4"/></svg>';
form_to('admin', 'POST', '/categories', [ field(name => 'Towers', color => '112233', active => 'true'),
	part('uploadImage', $svg, file => 'Tower.svg') ], Prefer => 'return=representation');
form_to('admin', 'PUT', '/categories/transport', [ part('uploadImage', png(), file => 'a.png') ]);
form_to('admin', 'PUT', '/categories/transport', [ part('uploadImage', 'text', file => 'a.png') ]);
form_to('guest', 'PUT', '/categories/transport', [ part('uploadImage', png(), file => 'a.png') ]);
$golden->play(<<'REQUESTS');
outsider GET /categories/towers/image
outsider GET /categories/towers/image
Accept: image/svg+xml
outsider GET /categories/towers/image
Accept: image/png
outsider GET /categories/transport/image
If-None-Match: <etag>
outsider HEAD /categories/transport/image
outsider GET /categories/environment/image
REQUESTS
form_to('admin', 'PUT', '/categories/towers', [ field(deleteImage => 'true') ], Prefer => 'return=representation');
$golden->ask('outsider', 'GET', '/categories/towers/image');

$golden->say('Images of organizations');
form_to('admin', 'PUT', '/organizations/transport-department', [ part('uploadImage', $svg, file => 'logo.svg') ],
	Prefer => 'return=representation');
$golden->play(<<'REQUESTS');
outsider GET /organizations/transport-department/image
outsider OPTIONS /organizations/transport-department/image
outsider GET /organizations/open-data-office/image
REQUESTS
form_to('admin', 'PUT', '/organizations/transport-department', [ field(deleteImage => 'true') ]);
$golden->ask('outsider', 'GET', '/organizations/transport-department/image');

$golden->say('A deleted file');
$golden->play(<<'REQUESTS');
admin DELETE /files/towers
outsider GET /files/<files:towers.csv>/download
outsider GET /files/<files:towers.csv>/contents
outsider GET /maps/where-the-towers-are
admin POST /files/<files:towers.csv>/restore
outsider GET /files/<files:towers.csv>/contents?limit=1
REQUESTS

$golden->say('Places of files by OGC API - Features');
form_to('admin', 'POST', '/files', [ fields('Stops', visible => 'true'),
	part('uploadFile', "name,lat,lon,opened\nNorth,1.5,2.25,2024-01-05\nSouth,-1.5,2,\nNowhere,,,\n",
		file => 'stops.csv') ]);
settle($worker, 'parse');
$golden->play(<<'REQUESTS');
outsider GET /ogc
outsider GET /ogc/conformance
outsider GET /ogc/api
outsider GET /ogc/collections
outsider GET /ogc/collections?f=html
outsider GET /ogc/collections/<files:stops.csv>
outsider GET /ogc/collections/<files:stops.csv>/items?limit=1
outsider GET /ogc/collections/<files:stops.csv>/items?limit=1
If-None-Match: <etag>
outsider GET /ogc/collections/<files:stops.csv>/items?bbox=0,0,9,90&f=json
Accept: application/json
outsider GET /ogc/collections/<files:stops.csv>/items?nonesuch=1
outsider GET /ogc/collections/<files:stops.csv>/items
Accept: image/png
outsider GET /ogc/collections/<files:stops.csv>/items/1
outsider GET /ogc/collections/<files:stops.csv>/items/3
outsider GET /ogc/collections/nonesuch/items
outsider HEAD /ogc/collections/<files:stops.csv>/items
REQUESTS

$worker->finish;

$golden->say('An import of an address, before a worker has fetched its document');
$golden->ask('superadmin', 'POST', '/imports', '{"url": "https://data.example.org/data.json", "source": "golden"}');
my $harvest = $service->sql(q(SELECT id FROM catalogue.jobs WHERE kind = 'import'));
$golden->ask($_, 'GET', "/imports/$harvest") for qw(superadmin guest outsider);
$golden->ask($_, 'GET', '/imports') for qw(superadmin guest outsider);
$golden->ask($_, 'POST', "/imports/$harvest/run") for qw(superadmin guest outsider);
$golden->ask($_, 'DELETE', "/imports/$harvest") for qw(superadmin guest outsider);
$golden->ask('superadmin', 'POST', '/imports', '{"url": "https://data.example.org/other.json", "source": "other"}');
my $other = $service->sql(q(SELECT h.job FROM catalogue.harvest h WHERE h.source = 'other'));
$golden->ask('superadmin', 'POST', "/jobs/$other/cancel");
$golden->ask('superadmin', 'DELETE', "/imports/$other");

$golden->say('Attempts of a webhook, and its last message once more');
$golden->ask('superadmin', 'POST', '/webhooks',
	'{"url": "https://receiver.example.org/", "secret": "a secret of 24 characters"}');
my $hook = $service->sql(q(SELECT id FROM catalogue.webhooks));
$golden->ask('superadmin', 'POST', "/webhooks/$hook/redeliver");
$service->sql(q(UPDATE catalogue.webhook_state SET accepted = '{}'));
$golden->ask($_, 'POST', "/webhooks/$hook/redeliver") for qw(superadmin guest outsider);
$service->sql(
	q(SELECT catalogue.postpone_webhook(s.webhook, 'it answers with status 500') FROM catalogue.webhook_state s));
$golden->ask($_, 'GET', "/webhooks/$hook/deliveries") for qw(superadmin guest outsider);
$golden->finish;
