#!/usr/bin/perl
# OGC API - Features: the documents, the pages of a collection and their filters, each way to be wrong, and who sees
# what.

use strict;
use warnings;

use Test::More;
use Catalogue::Test;
use Catalogue::Upload;
use Catalogue::Worker;

my $service   = Catalogue::Test->start->as_admin;
my $base      = $service->{base};
my $uploads   = Catalogue::Upload->new($service);
my $worker    = Catalogue::Worker->start($service);
my @outsider  = (Authorization => undef);
my $published = 'qWRhpRV';

sub read_file
{
	my ($name, $bytes, %fields) = @_;
	my $file = $worker->wait_for_file($uploads->file($name, $bytes, %fields)->{id});
	is($file->{parseState}, 'ready', "$name is read");
	return $file;
}
sub outsider { my ($path, %headers) = @_; return $service->get("/ogc$path", @outsider, %headers) }
sub rows { my ($path) = @_; return [ map { $_->{id} } @{ outsider($path)->{json}{features} } ] }
sub link_of { my ($json, $rel) = @_; return (grep { $_->{rel} eq $rel } @{ $json->{links} })[0] }

# 25 stops, of which the last three have no place
my @stops = map {
	my $place = $_ > 22 ? ',' : sprintf '%.1f,%.1f', $_ / 2, -$_;
	sprintf "%s,%s,%s,2024-%02d-01\n", $_ % 2 ? 'Plaza' : 'Plaza Mayor', $place, $_ * 10, ($_ - 1) % 12 + 1
} 1 .. 25;
my $stops = read_file('stops.csv', join('', "name,lat,lon,people,opened\n", @stops), name => 'Stops',
	description => 'Of buses', visible => 'true');
my $table = read_file('table.csv', "a,b\n1,2\n", status => $published, visible => 'true');
is_deeply(outsider('/collections')->{json}{collections}, [], 'a file that is not published is no collection');
is(outsider("/collections/$stops->{id}$_")->{status}, 404, "nor is $_ there") for '', '/items', '/items/1';
is($service->get("/ogc/collections/$stops->{id}$_")->{status}, 200, "to users it is: $_") for '', '/items', '/items/1';
$service->patch("/datasets/$stops->{dataset}", { status => $published });
$service->patch("/files/$stops->{id}",         { status => $published });

# documents
my $landing = outsider('')->{json};
is_deeply([ map { "$_->{rel} $_->{href}" } @{ $landing->{links} } ],
	[ "self $base/ogc", "service-desc $base/ogc/api", "service-doc $base/docs", "conformance $base/ogc/conformance",
		"data $base/ogc/collections" ],
	'the landing page leads on');
is_deeply(outsider('/conformance')->{json}{conformsTo},
	[ map {"http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/$_"} qw(core oas30 geojson) ], 'what it conforms to');
my $api = outsider('/api');
is($api->{headers}{'content-type'}, 'application/vnd.oai.openapi+json;version=3.0', 'the type of the interface');
is($api->{json}{openapi}, '3.0.3', 'its version');
my $operation = $api->{json}{paths}{'/collections/{collectionId}/items'}{get};
is_deeply([ map { $_->{'$ref'} =~ s{.*/}{}r } @{ $operation->{parameters} } ],
	[qw(collectionId bbox limit datetime after f)], 'the parameters of items');
is($api->{json}{components}{parameters}{limit}{schema}{maximum}, 10000, 'the most items of a page');
is(outsider('/api', Accept => 'application/json')->{headers}{'content-type'}, 'application/json', 'as bare JSON');

# collections
my $crs        = 'http://www.opengis.net/def/crs/OGC/1.3/CRS84';
my $list       = outsider('/collections');
my $collection = outsider("/collections/$stops->{id}")->{json};
is_deeply($list->{json}{collections}, [$collection], 'the collections are sheets with places');
is_deeply([ @$collection{qw(id title description itemType crs extent)} ],
	[ $stops->{id}, 'Stops', 'Of buses', 'feature', [$crs],
		{ spatial => { bbox => [ [ -22, 0.5, -1, 11 ] ], crs => $crs } } ],
	'what is told of one')
	or diag(explain $collection);
is_deeply(link_of($collection, 'items'),
	{ rel => 'items', type => 'application/geo+json', href => "$base/ogc/collections/$stops->{id}/items" },
	'it leads to its items');
is(link_of($collection, 'describedby')->{href}, "$base/datasets/$stops->{dataset}", 'to the dataset');
is(link_of($collection, 'alternate')->{href}, "$base/files/$stops->{id}", 'and to the file');
my $items = "/collections/$stops->{id}/items";

# pages
my $page = outsider($items);
is($page->{status},                  200,                    'a page');
is($page->{headers}{'content-type'}, 'application/geo+json', 'its type');
is_deeply([ @{ $page->{json} }{qw(type numberMatched numberReturned)} ], [ 'FeatureCollection', 22, 10 ],
	'rows without a place are not counted');
like($page->{json}{timeStamp}, qr/\A\d{4}-\d\d-\d\dT[\d:.]+Z\z/, 'its instant');
is_deeply($page->{json}{features}[0],
	{ type => 'Feature', id => 1, geometry => { type => 'Point', coordinates => [ -1, 0.5 ] },
		properties => { name => 'Plaza', lat => 0.5, lon => -1, people => 10, opened => '2024-01-01' } },
	'a row with values of their types');
my (@found, $next);
for ($next = "$base/ogc$items?limit=9&f=json"; $next;)
{
	my $reply = $service->get(substr($next, length $base), @outsider)->{json};
	push @found, map { $_->{id} } @{ $reply->{features} };
	is($reply->{numberMatched}, 22, 'each page has the count');
	my $link = link_of($reply, 'next');
	is($link->{type}, 'application/geo+json', 'the type of the next page') if $link;
	$next = $link && $link->{href};
}
is_deeply(\@found, [ 1 .. 22 ], 'the links lead to each row once');
is(link_of(outsider("$items?limit=22")->{json}, 'next'), undef, 'rows without a place make no further page');
is_deeply(rows("$items?after=$_"), [], "behind row $_ there is none") for 22, 25, '99999999999999999999';
is(scalar @{ outsider("$items?limit=20000")->{json}{features} }, 22, 'a limit that is too great is reduced');
is(outsider($items, Accept => 'text/html')->{headers}{'content-type'}, 'application/json', 'a browser gets JSON');
is(outsider($items, Accept => 'image/png')->{status}, 406, 'other types are not made');
is(outsider($items, 'If-None-Match' => $page->{headers}{etag})->{status}, 304, 'a state that is known');
is($service->request('HEAD', "/ogc$items", undef, @outsider)->{headers}{etag}, $page->{headers}{etag}, 'HEAD');
is($service->request('OPTIONS', "/ogc$items", undef, @outsider)->{headers}{allow}, 'GET, HEAD, OPTIONS', 'OPTIONS');
is($service->request('POST', "/ogc$items")->{status}, 405, 'nothing is written');

# filters
is_deeply(rows("$items?bbox=-3.5,0,0,5"),        [ 1, 2, 3 ], 'a rectangle');
is_deeply(rows("$items?name=plaza&limit=3"),     [ 1, 3, 5 ], 'a text as a whole');
is_deeply(rows("$items?people=30"),              [3],         'a number');
is_deeply(rows("$items?people[lte]=20"),         [ 1, 2 ],    'a range');
is_deeply(rows("$items?people=30&name=x"),       [],          'all must hold');
is_deeply(rows("$items?name=Plaza&bbox=-3.5,0,0,5"), [ 1, 3 ], 'and be in the rectangle');
is(outsider("$items?name=Plaza")->{json}{numberMatched}, 11, 'those that match are counted');
my %rows_at = (
	'2024-03-01'                                => [ 3, 15 ],
	'2024-03-01T10:00:00Z'                      => [ 3, 15 ],
	'2024-11-01/..'                             => [ 11, 12 ],
	'2024-11-01T/..'                            => [ 11, 12 ],
	'../2024-01-31'                             => [ 1, 13 ],
	'/2024-01-31'                               => [ 1, 13 ],
	'2024-02-01T00:00:00Z/2024-03-01T00:00:00Z' => [ 2, 3, 14, 15 ],
	'2020-01-01/2020-01-02'                     => [],
	'../..'                                     => [ 1 .. 10 ]);
is_deeply(rows("$items?datetime=$_"), $rows_at{$_}, "datetime=$_") for sort keys %rows_at;

# an item
my $item = outsider("$items/2")->{json};
is_deeply([ $item->{id}, $item->{properties}{name} ], [ 2, 'Plaza Mayor' ], 'a row');
is(link_of($item, 'self')->{href}, "$base/ogc$items/2", 'where it is');

# each way to be wrong
my @wrong = (
	map({ [ $_, 404 ] } "$items/0", "$items/23", "$items/26", "$items/x", "$items/99999999999999999999",
		"/collections/$table->{id}", "/collections/$stops->{id}:2", "/collections/$stops->{id}:2/items",
		"/collections/$stops->{id}:x/items", "/collections/$stops->{id}:/items", "/collections/$stops->{id}:1",
		"/collections/$table->{id}/items", '/collections/none', '/collections/none/items', '/none'),
	map({ [ $_, 400 ] } (map {"$items?$_"} 'bbox=1,2', qw(limit=0 limit=-1 limit=x after=x bbox=x f=html datetime=x
		datetime=2024-13-99 datetime=2024-01-01/x people=x none=1 skip=1 match=EXACT groupBy=name fields=name)),
		map {"$_?none=1"} '', '/conformance', '/api', '/collections', "/collections/$stops->{id}", "$items/1"),
	map { [ "$_?f=html", 400 ] } '', '/conformance', '/api', '/collections', "/collections/$stops->{id}", "$items/1");
for (@wrong)
{
	my ($path, $status) = @$_;
	my $reply = outsider($path);
	is($reply->{status}, $status, "$path is wrong");
	is_deeply([ $reply->{json}{code}, $reply->{json}{description} ],
		[ $status == 404 ? 'E_NOT_FOUND' : 'E_BAD_REQUEST', $reply->{json}{meta}{message} ], "$path: the reason");
}
is($service->get('/none')->{json}{description}, undef, 'other errors have no description');

# other geometries; a sheet that is not the first one
my $lines = read_file('lines.geojson', '{"type": "FeatureCollection", "features": [{"type": "Feature", "properties": '
	. '{"name": "Avenue"}, "geometry": {"type": "LineString", "coordinates": [[1, 2], [3, 4]]}}, {"type": "Feature", '
	. '"properties": {"name": "Nowhere"}, "geometry": null}]}', status => $published, visible => 'true',
	name => 'Lines');
my $line = outsider("/collections/$lines->{id}/items")->{json};
is_deeply($line->{features}, [ { type => 'Feature', id => 1,
	properties => { longitude => undef, latitude => undef, name => 'Avenue' },
	geometry => { type => 'LineString', coordinates => [ [ 1, 2 ], [ 3, 4 ] ] } } ], 'a line')
	or diag(explain $line);
is($line->{numberMatched}, 1, 'lines are counted');
is_deeply(rows("/collections/$lines->{id}/items?bbox=0,0,1,1"), [], 'and found by their place');

# who asks: a key that is not for files, nobody where all need a credential; a page of another origin
$service->sql(q(SELECT catalogue.add_consumer('Limited')));
my @key =
	(apikey => scalar $service->sql(q(SELECT secret FROM catalogue.add_api_key('Limited', resources => '{tags}'))));
is(outsider($_, @key)->{status}, 403, "a key for tags does not read $_")
	for '/collections', "/collections/$stops->{id}", $items, "$items/1";
is(outsider($items, Origin => 'https://maps.example')->{headers}{'access-control-allow-origin'}, '*',
	'scripts of other origins read it');
my $private = Catalogue::Test->shared('private');
for my $path (map {"/ogc$_"} '', qw(/conformance /api /collections /collections/a /collections/a/items))
{
	my $reply = $private->get($path);
	is($reply->{status}, 401, "$path of a private service needs a credential");
	is($reply->{json}{description}, $reply->{json}{meta}{message}, "$path: the reason");
}

$private->end_service;
$worker->finish;
$service->finish;
