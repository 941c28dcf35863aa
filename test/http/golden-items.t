#!/usr/bin/perl
# Golden set: single records and what is related to them, conditional requests, preferences.

use strict;
use warnings;

use Catalogue::Golden;

my $golden = Catalogue::Golden->start('items');

$golden->play(<<'REQUESTS');
# A record of each resource, for callers who see most of it and for callers who see least
outsider GET /organizations/<organizations:open-data-office>
admin GET /organizations/<organizations:open-data-office>
outsider GET /categories/<categories:transport>
outsider GET /statuses/qWRhpRV
outsider GET /filetypes/<filetypes:csv>
outsider GET /updatefrequencies/<updatefrequencies:Daily>
outsider GET /tags/<tags:bus>
outsider GET /datasets/<datasets:bus-stops>
superadmin GET /datasets/<datasets:bus-stops>
outsider GET /files/libraries
admin GET /files/libraries
outsider GET /charts/<charts:Airports_by_continent>
admin GET /maps/<maps:map-of-airports>
outsider GET /views/<views:Highlights>
outsider GET /basemaps/<basemaps:OpenStreetMap>
outsider GET /configs/<configs:frontEndPagination>
superadmin GET /configs/<configs:defaultStatus>
outsider GET /users/<users:admin>
admin GET /users/<users:guest>
guest GET /users/me
outsider GET /users/me
key GET /users/me
outsider GET /tags/zzzzzzzzzzzzzzz
outsider GET /tags/no-such-slug
outsider GET /nonesuch/zzzzzzzzzzzzzzz

# A record by its slug, with any letter case of the path, and by the singular of the resource
outsider GET /datasets/bus-stops
outsider GET /DATASETS/bus-stops?fields=name
outsider GET /dataset/bus-stops?fields=name
outsider GET /organization/open-data-office
outsider GET /statuses/published

# Fields and related records
outsider GET /datasets/bus-stops?fields=name,status.name
outsider GET /datasets/bus-stops?include=tags.name,files.type&fields=name
outsider GET /datasets/bus-stops?include=nonesuch
outsider GET /datasets/bus-stops?fields=nonesuch&colour=red
outsider GET /datasets/bus-stops?colour=red
Prefer: handling=strict

# Preferences
outsider GET /datasets/bus-stops
Prefer: relations=embedded
web GET /datasets/bus-stops
web GET /datasets/bus-stops?fields=name
Prefer: relations=ids, color=bare
outsider GET /categories/transport
Prefer: color=css
web GET /categories/transport
outsider GET /categories/transport
Prefer: relations=nonsense, color=bare, handling=lenient, return=minimal

# Relations, to one and to many
outsider GET /datasets/bus-stops/status
outsider GET /datasets/bus-stops/owner
admin GET /datasets/bus-stops/owner
outsider GET /datasets/bus-stops/categories
outsider GET /datasets/bus-stops/subcategories
outsider GET /datasets/bus-stops/tags?limit=2
outsider GET <next>
outsider GET /datasets/bus-stops/tags?orderBy=name&sort=DESC&fields=name
outsider GET /datasets/bus-stops/tags?name=bus&fields=name
outsider GET /datasets/bus-stops/tags?fields=name
Accept: text/csv
outsider GET /datasets/bus-stops/files?fields=name&include=type.name
outsider GET /datasets/bus-stops/files?fields=name
Accept: application/x-ndjson
outsider GET /datasets/bus-stops/nonesuch
outsider GET /datasets/no-such-dataset/tags
outsider GET /categories/transport/subcategories
outsider GET /tags/bus/datasets?fields=name
outsider GET /organizations/open-data-office/files?fields=name&limit=1
admin GET /users/<users:admin>/tags?limit=1&fields=name
outsider GET /categories/airports/parent
outsider GET /organizations/open-data-office/parent
outsider HEAD /datasets/bus-stops/tags
outsider GET /datasets/bus-stops/filetypes
outsider GET /datasets/bus-stops/filetypes?fields=name&limit=1
outsider GET /datasets/no-such-dataset/filetypes
outsider GET /datasets/bus-stops/tags?match=WRONG&name=x

# Versions of a record
superadmin PATCH /tags/bus
> {"name": "bus line"}
outsider GET /tags/bus-line/versions
admin GET /tags/bus-line/versions?limit=1
outsider GET /tags/no-such-tag/versions
outsider GET /users/<users:admin>/versions

# Conditional requests
outsider GET /tags/water
outsider GET /tags/water
If-None-Match: <etag>
outsider HEAD /tags/water
If-None-Match: <etag>
outsider GET /tags/water
If-None-Match: "another", W/"one-more"
outsider GET /tags/water
If-None-Match: *
outsider GET /tags/water?fields=name
If-None-Match: <etag>
outsider GET /tags/water
If-Match: "another"
outsider GET /tags/water
If-None-Match: not a tag
outsider GET /tags?limit=1
outsider GET /tags?limit=1
If-None-Match: <etag>
outsider GET /tags/count
outsider GET /tags/count
If-None-Match: <etag>
outsider GET /health
outsider GET /health
If-None-Match: <etag>
superadmin GET /tags/water
superadmin PATCH /tags/water
If-Match: "another"
> {"name": "waters"}
superadmin PATCH /tags/water
If-Match: <etag>
> {"name": "waters"}
superadmin PATCH /tags/<tags:water>
If-Match: <etag>
> {"name": "water"}
superadmin DELETE /tags/<tags:water>
If-Match: <etag>
superadmin PUT /tags/<tags:water>
If-Match: *
> {"name": "water"}

# HEAD
outsider HEAD /tags/water
outsider HEAD /datasets/bus-stops
outsider HEAD /tags/no-such-tag
outsider HEAD /datasets/bus-stops
Accept: text/csv

# Paths that belong to no resource
outsider GET /health
outsider HEAD /health
outsider GET /roles
outsider GET /
Accept: text/plain
outsider GET /
Accept: image/png
web GET /
key GET /?unknown=1
outsider GET /page/icon.svg
outsider HEAD /page/0/icon.svg
outsider GET /page/nonesuch.svg
outsider GET /setup
key GET /setup
guest GET /setup
admin GET /setup
superadmin GET /setup
outsider GET /metrics
key GET /metrics
guest GET /metrics
superadmin GET /metrics
superadmin HEAD /metrics
outsider GET /health/ready
outsider GET /health/read
outsider GET /health/read?lag=0
outsider GET /health/read?lag=short
outsider GET /health/read?age=1
outsider HEAD /openapi.json
outsider GET /docs
superadmin GET /jobs/zzzzzzzzzzzzzzz
superadmin POST /files/<files:list-of-airports>/refresh
outsider POST /files/<files:list-of-airports>/refresh
superadmin POST /files/<files:list-of-airports>/preview
> {"parseOptions": {"skip": -1}}
outsider GET /datasets/<datasets:airports>/answers
outsider GET /datasets/zzzzzzzzzzzzzzz/answers
outsider GET /datasets/<datasets:airports>/extent
outsider GET /datasets/<datasets:airports>/image
outsider GET /datasets/<datasets:airports>/quality
outsider GET /datasets/zzzzzzzzzzzzzzz/quality
superadmin POST /uploads/zzzzzzzzzzzzzzz/preview
> {"parseOptions": {}}
superadmin POST /charts/preview
> {"name": "Nothing", "type": "cube"}
superadmin GET /charts/preview
outsider POST /maps/preview
> {}
superadmin GET /jobs/zzzzzzzzzzzzzzz/preview
outsider GET /jobs/zzzzzzzzzzzzzzz/preview
superadmin POST /jobs/zzzzzzzzzzzzzzz/cancel
outsider POST /jobs/zzzzzzzzzzzzzzz/cancel
REQUESTS
$golden->finish;
