#!/usr/bin/perl
# Golden set: lists, searches and counts, with every parameter that they take.

use strict;
use warnings;

use Catalogue::Golden;

my $golden = Catalogue::Golden->start('lists');

$golden->play(<<'REQUESTS');
# Each resource, for callers who see most of it and for callers who see least
outsider GET /organizations?limit=2
admin GET /organizations?limit=2
outsider GET /categories?limit=2
outsider GET /statuses
outsider GET /filetypes?limit=2
outsider GET /updatefrequencies?limit=2
outsider GET /tags?limit=2
outsider GET /datasets?limit=2
guest GET /datasets?limit=2
outsider GET /files?limit=2
admin GET /files?limit=2
outsider GET /charts?limit=2
admin GET /charts?limit=2
outsider GET /maps?limit=2
outsider GET /views?limit=2
outsider GET /basemaps
outsider GET /configs?limit=2
superadmin GET /configs?limit=2
outsider GET /users
key GET /users
guest GET /users?limit=2
outsider GET /logs
admin GET /logs?limit=2
superadmin GET /logs?window=5&limit=2
outsider GET /statistics
admin GET /statistics?client=seed&limit=2
outsider GET /soapservices
admin GET /soapservices?limit=2
superadmin GET /restservices?limit=2
admin GET /databases?limit=2
outsider GET /datasetrequests
admin GET /datasetrequests
outsider GET /questions
guest GET /questions
admin GET /questions
admin GET /jobs
outsider GET /jobs
superadmin GET /rules?limit=2
guest GET /rules
outsider GET /nonesuch
outsider GET /fileTypes?limit=1

# Pages
outsider GET /tags?limit=3
outsider GET <next>
outsider GET <next>
outsider GET /tags?limit=3&skip=2
outsider GET /tags?skip=5
outsider GET /tags?limit=0
outsider GET /tags?limit=100000
outsider GET /tags?skip=1000
outsider GET /tags?limit=-1
outsider GET /tags?limit=x
outsider GET /tags?skip=-1
outsider GET /tags?limit=1&limit=2
outsider GET /tags?limit=3&name=a&sort=DESC&orderBy=name&unknown=1
outsider GET /tags?after=nonsense

# The collection as of an instant
outsider GET /tags?limit=1
admin POST /tags
> {"name": "made after the instant"}
outsider GET /tags/count
outsider GET /tags/count?version=<version>
outsider GET /tags?name=made&version=<version>
outsider GET /tags?version=2999-01-01T00:00:00Z
outsider GET /tags?version=2001-01-01T00:00:00Z
outsider GET /tags?version=yesterday

# Filters, and how they match
outsider GET /datasets?name=bus&fields=name
outsider GET /datasets?name=bus&match=BEGINS&fields=name
outsider GET /datasets?name=stops&match=ends&fields=name
outsider GET /datasets?name=Bus%20stops&match=EXACT&fields=name
outsider GET /datasets?name=FETES&fields=name
outsider GET /datasets?name=%25C3%25AA&fields=name
outsider GET /datasets?name=%25&fields=name
outsider GET /datasets?name=bus&match=SOMEHOW
outsider GET /datasets?name=bus,air&fields=name
outsider GET /datasets?name=%22bus,air%22&fields=name
outsider GET /datasets?visible=true&fields=name&limit=1
outsider GET /datasets?visible=maybe
outsider GET /datasets?notes=null&fields=name&limit=1
outsider GET /datasets?status=qWRhpRV&fields=name&limit=1
outsider GET /datasets?status.name=Published&fields=name&limit=1
outsider GET /datasets?tags.slug=bus&fields=name
outsider GET /datasets?tags=<tags:bus>&fields=name
outsider GET /datasets?categories=<categories:mobility>,<categories:water-and-sewage>&fields=name
outsider GET /datasets?files.type.name=csv&fields=name
outsider GET /datasets?files.type=<filetypes:csv>&fields=name
outsider GET /datasets?owner.username=admin
admin GET /datasets?owner.username=admin&fields=name&limit=1
outsider GET /datasets?name=bus&notes=none&fields=name
outsider GET /datasets?name=bus&notes=none&condition=AND&fields=name
outsider GET /datasets?name=bus&condition=XOR
outsider GET /datasets?createdAt[gte]=2001-01-01&createdAt[lt]=2002-01-01&fields=name
outsider GET /datasets?createdAt[gt]=2001-01-01&fields=name&limit=1
outsider GET /datasets?name[ne]=Airports&fields=name&limit=1
outsider GET /basemaps?maxZoom[lte]=19&fields=name,maxZoom
outsider GET /basemaps?maxZoom=much
outsider GET /datasets?publishedAt=2021-13-01
outsider GET /datasets?publishedAt=2021-03-01&fields=name
outsider GET /datasets?colour=red&limit=1&fields=name
outsider GET /datasets?colour=red&limit=1&fields=name
Prefer: handling=strict
outsider GET /datasets?nme=red
Prefer: handling=strict
admin GET /tags?deleted=only&fields=name
admin GET /tags?deleted=with&limit=1&fields=name
outsider GET /tags?deleted=only
admin GET /tags?deleted=perhaps

# Order
outsider GET /tags?orderBy=name&fields=name&limit=4
outsider GET /tags?orderBy=name&sort=DESC&fields=name&limit=4
outsider GET /datasets?orderBy=status.name,name&sort=ASC,DESC&fields=name&limit=3
outsider GET /tags?orderBy=nonesuch
outsider GET /tags?sort=SIDEWAYS
outsider GET /datasets?orderBy=tags.name

# Fields of records and of related records
outsider GET /datasets?fields=name,status.name&limit=2
outsider GET /datasets?fields=nonesuch&limit=1
outsider GET /datasets?include=tags&fields=name&limit=2
outsider GET /datasets?include=tags.name,tags.id,status&fields=name&limit=1
outsider GET /datasets?include=files.type&fields=name&limit=1&name=bus
outsider GET /datasets?facets=categories,tags,status,files.type,starred&fields=name&limit=1
outsider GET /datasets?facets=categories,tags&facetLimit=1&fields=name&limit=1&condition=AND&tags.slug=transport
outsider GET /datasets/search?query=bus&facets=categories,files.organization&fields=name&limit=1
outsider GET /tags/search?query=watr&nearest=true
outsider GET /datasets?facets=nonesuch
outsider GET /datasets?facets=owner
admin GET /datasets?facets=createdBy&fields=name&limit=1
outsider GET /datasets?include=nonesuch
outsider GET /datasets?include=files.type.createdBy&limit=1
admin GET /datasets?include=owner&fields=name&limit=1

# Preferences
outsider GET /datasets?limit=1&name=bus
Prefer: relations=embedded
outsider GET /categories?limit=1
Prefer: color=css
web GET /categories?limit=1
web GET /datasets?limit=1&name=bus
web GET /categories?limit=1&fields=name,color
Prefer: color=bare, relations=ids
outsider GET /categories?limit=1
Prefer: color=purple, respond-async

# First, last, count
outsider GET /tags/first
outsider GET /tags/last?fields=name
outsider GET /tags/first?orderBy=name&fields=name
outsider GET /datasetrequests/first
admin GET /datasetrequests/last
outsider GET /datasets/count
admin GET /datasets/count
outsider GET /datasets/count?query=bus
outsider GET /datasets/count?name=bus&tags.slug=accessibility&condition=AND
outsider GET /users/count
admin GET /statistics/first?client=seed
admin GET /statistics/count?client=seed
superadmin GET /logs/count?target=tag

# Search
outsider GET /datasets/search?query=bus&fields=name
outsider GET /datasets/search?query=bus,air&fields=name
outsider GET /datasets/search?query=bus,air&condition=AND&fields=name
outsider GET /datasets/search?query=stops&match=BEGINS&fields=name
outsider GET /datasets/search?query=book%20buses&fields=name
outsider GET /datasets/search?query=&fields=name&limit=1
outsider GET /users/search?query=admin
admin GET /users/search?query=admin&fields=username
outsider GET /search?query=bus
outsider GET /search?query=water&resources=tags,categories
outsider GET /search?query=water&resources=tags,nonesuch
outsider GET /search?query=water&fields=name&limit=1
admin GET /search?query=admin&resources=users&fields=username
outsider GET /search?query=water&match=WRONG
outsider GET /search
admin GET /statistics/search?query=seed

# Other representations
outsider GET /tags?limit=3
Accept: text/csv
outsider GET /tags?limit=3
Accept: application/x-ndjson
outsider GET /datasets?limit=2&fields=name,status.name&include=tags.name
Accept: text/csv
outsider GET /datasets?limit=2&fields=name,optionals&include=tags.name
Accept: application/x-ndjson
admin GET /users?fields=username,role
Accept: text/csv
outsider GET /tags?limit=1
Accept: text/csv;q=0.1, application/json;q=0.9
outsider GET /tags
Accept: image/png
outsider GET /tags/count
Accept: text/csv
outsider GET /search?query=bus
Accept: text/csv
outsider HEAD /tags?limit=3
outsider HEAD /tags
Accept: text/csv
outsider GET /rss
outsider GET /datasets/feed/rss?limit=1
outsider GET /datasets/feed/rss?tags.slug=bus
Accept: application/rss+xml
outsider HEAD /rss
outsider GET /rss
Accept: application/json
outsider GET /datasets/feed/rss?limit=1000
outsider GET /datasets/bus-stops/feed
outsider GET /datasets/nonesuch/feed
outsider GET /catalog?limit=2&orderBy=name
superadmin GET /catalog?name=bus
Accept: text/turtle
outsider GET /catalog?name=bus
Accept: application/rdf+xml
outsider GET /catalog?limit=x
outsider GET /data.json?limit=2&orderBy=name
outsider GET /sitemap.xml?skip=5
outsider GET /oembed?url=nowhere
outsider GET /robots.txt
outsider GET /catalog?limit=1
Accept: text/csv

# Statistics of a resource
admin GET /tags/statistics?client=seed
outsider GET /tags/statistics
admin GET /datasets/statistics?client=seed&fields=endpoint,method
admin GET /datasets/statistics?client=seed&groupBy=method,client
admin GET /datasets/statistics?client=seed&groupBy=method
Accept: text/csv
admin GET /datasets/statistics?client=seed
Accept: text/csv
admin GET /statistics/summary?client=seed&groupBy=resource&limit=1
admin GET /statistics/summary?client=seed&groupBy=resource&orderBy=requests&sort=DESC
Accept: text/csv
admin GET /statistics/summary?groupBy=endpoint
outsider GET /statistics/summary
admin HEAD /statistics/summary?client=seed&groupBy=client
admin GET /statistics/downloads?dataset=none
admin GET /statistics/downloads?dataset=none
Accept: text/csv
admin GET /statistics/downloads?groupBy=client
admin GET /statistics/downloads?groupBy=file&day=2026-01-31&file=none
admin GET /statistics/summary?month=2020-01&resource=tags&method=GET
admin POST /statistics/summary
outsider GET /metrics/categories
admin GET /metrics/categories
outsider GET /roles
superadmin GET /roles
REQUESTS
$golden->finish;
