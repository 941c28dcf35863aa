#!/usr/bin/perl
# Golden set: OPTIONS of each path, methods that a path does not have, and requests of pages of other origins.

use strict;
use warnings;

use Catalogue::Golden;

my $golden = Catalogue::Golden->start('options');

# Resources with fewer methods than others.
my @collections = qw(users organizations categories statuses filetypes updatefrequencies tags datasets files charts
	maps views
	configs logs soapservices restservices databases basemaps statistics datasetrequests questions jobs rules);

$golden->say('Each resource');
$golden->ask('superadmin', 'OPTIONS', "/$_") for @collections;

$golden->play(<<'REQUESTS');
# The same for other callers
outsider OPTIONS /tags
guest OPTIONS /tags
guest OPTIONS /datasets
outsider OPTIONS /users
outsider OPTIONS /datasetrequests
outsider OPTIONS /nonesuch

# Below a resource
outsider OPTIONS /tags/first
outsider OPTIONS /tags/last
outsider OPTIONS /tags/count
outsider OPTIONS /tags/search
admin OPTIONS /tags/statistics
admin OPTIONS /statistics/summary
admin OPTIONS /statistics/downloads
guest OPTIONS /tags/<tags:bus>
superadmin OPTIONS /basemaps/<basemaps:OpenStreetMap>
superadmin OPTIONS /tags/bus/restore
superadmin OPTIONS /organizations/open-data-office/deactivate
superadmin OPTIONS /tags/bus/deactivate
superadmin OPTIONS /users/<users:guest>/transfer
superadmin OPTIONS /users/<users:guest>/erase
guest OPTIONS /users/<users:guest>/erase
outsider OPTIONS /datasets/bus-stops/publish
admin OPTIONS /datasets/bus-stops/publish
admin OPTIONS /files/libraries/unpublish
admin OPTIONS /charts/<charts:Airports_by_continent>/review
admin OPTIONS /maps/<maps:map-of-airports>/reject
guest OPTIONS /maps/<maps:map-of-airports>/cancel
admin OPTIONS /tags/bus/publish
outsider OPTIONS /datasets/bus-stops/tags
outsider OPTIONS /datasets/bus-stops/nonesuch
outsider OPTIONS /tags/bus/versions
admin OPTIONS /tags/bus/logs
outsider OPTIONS /tags/bus/logs
superadmin OPTIONS /logs/zzzzzzzzzzzzzzz/undo

# Paths that belong to no resource
outsider OPTIONS /
outsider OPTIONS /health
outsider OPTIONS /health/ready
outsider OPTIONS /health/read
outsider OPTIONS /roles
outsider OPTIONS /search
outsider OPTIONS /metrics
outsider OPTIONS /openapi.json
outsider OPTIONS /docs
outsider OPTIONS /page/icon.svg
outsider OPTIONS /page/0/icon.svg
outsider OPTIONS /rss
outsider OPTIONS /catalog
outsider OPTIONS /data.json
outsider OPTIONS /sitemap.xml
outsider OPTIONS /robots.txt
outsider OPTIONS /users/login
outsider OPTIONS /users/logout
outsider OPTIONS /users/me
outsider OPTIONS /users/refreshToken/<users:admin>
outsider OPTIONS /metrics/categories
outsider OPTIONS /uploads/zzzzzzzzzzzzzzz
outsider OPTIONS /uploads/zzzzzzzzzzzzzzz/preview
outsider OPTIONS /charts/preview
outsider OPTIONS /oembed
outsider OPTIONS /ogc
outsider OPTIONS /ogc/conformance
outsider OPTIONS /ogc/api
outsider OPTIONS /ogc/collections
outsider OPTIONS /ogc/collections/<files:list-of-airports>
outsider OPTIONS /ogc/collections/<files:list-of-airports>/items
outsider OPTIONS /ogc/collections/<files:list-of-airports>/items/1
superadmin OPTIONS /maps/preview
superadmin OPTIONS /setup
outsider OPTIONS /datasets/<datasets:airports>/quality
outsider OPTIONS /datasets/<datasets:airports>/extent
outsider OPTIONS /datasets/<datasets:airports>/image
outsider OPTIONS /clients/tokens
outsider OPTIONS /files/<files:list-of-airports>/refresh
outsider OPTIONS /files/<files:list-of-airports>/preview
outsider OPTIONS /jobs/zzzzzzzzzzzzzzz/preview
outsider OPTIONS /email/send
outsider OPTIONS /batch
outsider OPTIONS /imports
outsider OPTIONS /imports/zzzzzzzzzzzzzzz
outsider OPTIONS /imports/zzzzzzzzzzzzzzz/run
outsider OPTIONS /query
outsider OPTIONS /datasets/feed/rss
outsider OPTIONS /datasets/bus-stops/feed
outsider OPTIONS /datasets/bus-stops/answers
outsider OPTIONS /datasets/bus-stops/follow
outsider OPTIONS /datasets/bus-stops/unfollow
outsider OPTIONS /datasets/bus-stops/download
outsider OPTIONS /datasets/bus-stops/filetypes
outsider OPTIONS /files/libraries/contents
outsider OPTIONS /files/libraries/image
outsider OPTIONS /files/libraries/changes
outsider OPTIONS /files/libraries/columns
outsider OPTIONS /files/libraries/schema
outsider OPTIONS /files/libraries/csvw
outsider OPTIONS /files/libraries/issues
outsider OPTIONS /files/libraries/sheets
outsider OPTIONS /files/libraries/resources
outsider OPTIONS /files/libraries/view
outsider OPTIONS /files/libraries/download
outsider OPTIONS /files/libraries/download/csv
outsider OPTIONS /categories/transport/image
outsider OPTIONS /jobs/zzzzzzzzzzzzzzz/cancel
outsider OPTIONS /webhooks/zzzzzzzzzzzzzzz/deliveries
outsider OPTIONS /webhooks/zzzzzzzzzzzzzzz/redeliver

# Methods that a path does not have
superadmin DELETE /tags
superadmin PUT /tags
> {}
superadmin POST /tags/bus
> {}
superadmin POST /logs
> {"action": "create", "target": "tag", "resource": "x"}
superadmin PATCH /statistics/zzzzzzzzzzzzzzz
> {}
superadmin DELETE /basemaps/<basemaps:OpenStreetMap>
superadmin POST /tags/count
> {}
superadmin PATCH /tags/search
> {}
superadmin DELETE /search
superadmin GET /users/login
superadmin GET /datasets/bus-stops/publish
superadmin PATCH /tags/bus/publish
superadmin POST /uploads/zzzzzzzzzzzzzzz
> {}
superadmin DELETE /datasets/bus-stops/tags
superadmin POST /health
> {}
outsider DELETE /logs/zzzzzzzzzzzzzzz
outsider TRACE /tags
outsider PROPFIND /tags

# Pages of other origins
outsider OPTIONS /tags
Origin: https://portal.example.org
Access-Control-Request-Method: POST
Access-Control-Request-Headers: Content-Type, Prefer, X-Own
outsider OPTIONS /tags/bus
Origin: https://portal.example.org
Access-Control-Request-Method: DELETE
outsider OPTIONS /nonesuch/x/y/z/u
Origin: https://portal.example.org
Access-Control-Request-Method: GET
outsider GET /tags?limit=1&fields=name
Origin: https://portal.example.org
outsider GET /tags/no-such-tag
Origin: null
outsider POST /tags
Origin: https://portal.example.org
> {"name": "x"}
outsider OPTIONS /files
Origin: https://portal.example.org
Access-Control-Request-Method: POST
REQUESTS
$golden->finish;
