#!/usr/bin/perl
# Golden set: the states of datasets, files, charts and maps, by each action and each role, and what is visible
# in each state.

use strict;
use warnings;

use Catalogue::Golden;

my $golden = Catalogue::Golden->start('states');

$golden->play(<<'REQUESTS');
# A dataset with a file, a chart and a map, all drafts
admin POST /datasets
Prefer: return=representation
> {"name": "Trees", "categories": ["<categories:environment>"], "subcategories": [], "owner": "<users:admin>"}
admin POST /files
Prefer: return=representation
> {"name": "Oaks", "type": "<filetypes:csv>", "dataset": "<datasets:trees>",
| "organization": "<organizations:open-data-office>",
>  "owner": "<users:admin>", "updateFrequency": "<updatefrequencies:Daily>", "url": "https://data.example.org/oaks.csv"}
admin POST /charts
> {"name": "Oaks by year", "file": "<files:oaks>", "data": {"labels": ["a"], "data": [1]}}
admin POST /maps
> {"name": "Places of oaks", "file": "<files:oaks>", "basemap": "<basemaps:OpenStreetMap>",
| "geojson": {"type": "FeatureCollection", "features": []}}
outsider GET /datasets/trees
guest GET /datasets/trees?fields=status
outsider PATCH /datasets/trees/publish
guest PATCH /datasets/trees/publish
guest PATCH /datasets/trees/review
admin PATCH /datasets/trees/nonesuch
admin PATCH /datasets/zzzzzzzzzzzzzzz/publish

# A dataset through all of its states
admin PATCH /datasets/trees/cancel
admin PATCH /datasets/trees/review
Prefer: return=representation
admin PATCH /datasets/trees/review
admin PATCH /datasets/trees/cancel
admin PATCH /datasets/trees/review
admin PATCH /datasets/trees/reject
admin PATCH /datasets/trees/unpublish
admin PATCH /datasets/trees/publish
Prefer: return=representation
admin PATCH /datasets/trees/publish
outsider GET /datasets/trees
outsider GET /datasets/trees/files
outsider GET /files/oaks

# A file, its chart and its map
admin PATCH /files/oaks/review
admin PATCH /files/oaks/publish
admin PATCH /charts/zzzzzzzzzzzzzzz/publish
admin PATCH /charts/<charts:Oaks_by_year>/publish
admin PATCH /maps/places-of-oaks/publish
Prefer: return=representation, relations=embedded
outsider GET /files/oaks?fields=name,status
outsider GET /charts/<charts:Oaks_by_year>?fields=name,status
outsider GET /maps/places-of-oaks?fields=name,status
outsider GET /files/oaks/resources

# Files, charts and maps that are unpublished and published with the dataset
admin PATCH /datasets/trees/unpublish
outsider GET /datasets/trees
outsider GET /files/oaks
admin GET /files/oaks?fields=status,unPublishedAt
admin GET /charts/<charts:Oaks_by_year>?fields=status
admin PATCH /datasets/trees/publish
admin GET /files/oaks?fields=status
admin GET /charts/<charts:Oaks_by_year>?fields=status
admin PATCH /datasets/trees/reject
admin PATCH /files/oaks/reject
admin PATCH /maps/places-of-oaks/cancel
admin PATCH /charts/<charts:Oaks_by_year>/unpublish
admin PATCH /datasets/trees/publish
If-Match: "another"

# An update of the state
admin PATCH /datasets/trees
> {"status": "qWRhpRV"}
admin PATCH /datasets/trees
> {"status": "nWRhpRV"}
admin PATCH /datasets/trees
Prefer: return=representation
> {"status": {"id": "qWRhpRV"}, "visible": false}
outsider GET /datasets/trees
key GET /datasets/trees
guest GET /datasets/trees?fields=visible
admin PATCH /datasets/trees
> {"visible": true}
outsider GET /datasets/trees?fields=name

# Records created by a guest
guest POST /files
Prefer: return=representation
> {"name": "Elms", "type": "<filetypes:csv>", "dataset": "<datasets:trees>",
| "organization": "<organizations:open-data-office>",
>  "owner": "<users:guest>", "updateFrequency": "<updatefrequencies:Daily>", "status": "qWRhpRV"}
guest POST /files
Prefer: return=representation
> {"name": "Elms", "type": "<filetypes:csv>", "dataset": "<datasets:trees>",
| "organization": "<organizations:open-data-office>",
>  "owner": "<users:guest>", "updateFrequency": "<updatefrequencies:Daily>"}
guest PATCH /files/elms/review
guest PATCH /files/elms/cancel
guest PATCH /files/elms/publish
guest PATCH /files/oaks/review
admin PATCH /files/elms/publish
outsider GET /files/elms?fields=name
guest PATCH /files/elms
Prefer: return=representation
> {"description": "Elms of the park"}
outsider GET /files/elms?fields=name
guest DELETE /files/elms

# Links to actions, for callers who may execute them
guest GET /files/elms?fields=name
admin GET /files/elms?fields=name
outsider GET /datasets/trees?fields=name

# Files, charts and maps that are deleted and restored with the dataset
admin PATCH /files/oaks/publish
admin DELETE /datasets/trees
outsider GET /files/oaks
admin PATCH /files/oaks/publish
admin POST /datasets/<datasets:trees>/restore
Prefer: return=representation
outsider GET /files/oaks?fields=name,status
outsider GET /datasets/trees/versions?fields=status
admin GET /datasets/trees/versions?limit=2
superadmin GET /logs?limit=5&fields=action,target
REQUESTS
$golden->finish;
