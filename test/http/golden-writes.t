#!/usr/bin/perl
# Golden set: records are created, updated, deleted and restored, and the errors of such requests.

use strict;
use warnings;

use Catalogue::Golden;

my $golden = Catalogue::Golden->start('writes', CATALOGUE_MAIL_COMMAND => '/bin/false',
	CATALOGUE_MAIL_FROM => 'catalogue@example.org',
	CATALOGUE_MAIL_TO => 'operator@example.org');

$golden->play(<<'REQUESTS');
# A record of each resource
superadmin POST /organizations
> {"name": "Harbour Office", "description": "Ships and quays", "parent": "<organizations:open-data-office>"}
superadmin POST /users
> {"username": "tess", "password": "a password of some length", "email": "tess@example.org",
| "organization": "<organizations:open-data-office>"}
admin POST /categories
> {"name": "Harbours", "color": "#00AAFF", "active": true,
| "parent": {"id": "<categories:transport>", "name": "Transport"}}
admin POST /statuses
> {"name": "Archived"}
admin POST /filetypes
> {"name": "txt", "mimetype": ["text/plain"], "api": false}
admin POST /updatefrequencies
> {"name": "Hourly", "timePattern": "0 * * * *"}
admin POST /tags
> {"name": "  Harbour & Quay  "}
admin POST /datasets
> {"name": "Ships", "description": "Arrivals", "categories": ["<categories:transport>"],
| "subcategories": "<categories:airports>,<categories:roads>",
>  "tags": ["<tags:water>"], "owner": "<users:admin>", "optionals": {"source": "port",
|  "spatial": "-30,40,30,70"}}
admin GET /datasets/ships/extent
admin GET /datasets/ships/image
outsider GET /datasets/ships/image
admin GET /datasets?bbox=10,59,11,60&fields=name
admin GET /datasets?bbox=10,59,11&fields=name
admin POST /files
> {"name": "Arrivals", "type": "<filetypes:csv>", "dataset": "<datasets:ships>",
| "organization": "<organizations:open-data-office>",
>  "owner": "<users:admin>", "updateFrequency": "<updatefrequencies:Daily>",
| "url": "https://data.example.org/arrivals.csv", "gatheringDate": "2026-02-28"}
admin POST /charts
> {"name": "Ships by flag", "type": "pie", "file": "<files:arrivals>", "data": {"labels": ["DK", "NO"], "data": [3, 4]}}
admin POST /maps
> {"name": "Quays", "basemap": "<basemaps:OpenStreetMap>", "link": "https://maps.example.org/quays"}
admin POST /views
> {"name": "Harbour", "tags": "<tags:water>"}
superadmin POST /configs
> {"key": "portColour", "description": "Colour of the port", "type": "string", "category": "site", "value": "blue"}
admin POST /soapservices
> {"method": "GetShips", "namespace": "urn:example:ships", "url": "https://services.example.org/ships",
| "parameters": {}, "file": "<files:arrivals>"}
admin POST /restservices
> {"url": "https://services.example.org/rest", "parameters": {"limit": 5}, "username": "u", "password": "secret",
| "dataPath": "ships"}
admin POST /restservices
Prefer: return=representation
> {"url": "https://services.example.org/departures", "parameters": {},
| "file": {"name": "Departures", "type": "<filetypes:csv>", "dataset": "<datasets:ships>",
>  "organization": "<organizations:open-data-office>", "owner": "<users:admin>",
| "updateFrequency": "<updatefrequencies:Daily>"}}
admin POST /files/<files:arrivals>/refresh
admin POST /databases
> {"name": "ships", "collection": "arrivals"}
outsider POST /datasetrequests
> {"about": "Tides", "description": "Tide tables", "email": "me@example.org", "categories": ["<categories:transport>"]}
superadmin POST /rules
> {"role": "guest", "resource": "views", "action": "create"}
guest POST /views
> {"name": "Made by a guest"}

# Answers with and without the record
admin POST /tags
Prefer: return=representation
> {"name": "tide"}
admin PATCH /tags/tide
Prefer: return=representation
> {"name": "tides"}
admin PUT /tags/tides
> {"name": "tides"}
admin PUT /tags/tides
Prefer: return=minimal
> {"name": "Tides"}
admin POST /datasets
Prefer: return=representation, relations=embedded, color=css
> {"name": "Tide tables", "categories": ["<categories:transport>"], "subcategories": [], "owner": "<users:admin>"}
admin POST /tags
Prefer: handling=lenient, return=representation
> {"name": "ebb", "nme": "x", "id": "mine", "slug": "own-slug", "createdAt": "2001-01-01T00:00:00Z",
| "createdBy": "<users:guest>"}
admin POST /tags
Prefer: handling=strict
> {"name": "flow", "nme": "x"}
admin POST /tags?unknown=1
Prefer: handling=strict
> {"name": "flow"}
superadmin POST /users
Prefer: return=representation
> {"username": "second.guest", "password": "another password", "email": "second@example.org",
| "organization": "<organizations:open-data-office>", "firstName": "Ana", "lastName": "Ruiz"}
admin POST /categories
Prefer: return=representation, color=css
> {"name": "Tides", "color": "abcdef", "active": false}

# All faults of a body are reported at once
admin POST /tags
> {}
admin POST /datasets
> {}
admin POST /datasets
> {"name": 7, "description": ["x"], "visible": "perhaps", "categories": "<tags:water>", "status": "zzz",
| "owner": "zzzzzzzzzzzzzzz", "optionals": 5}
admin POST /charts
> {"name": "x", "type": "sphere", "dataType": "other", "file": "<files:arrivals>", "link": "javascript:alert(1)"}
admin POST /categories
> {"name": "Harbours", "color": "blue", "active": null}
superadmin POST /users
> {"username": "two words", "password": "short", "email": "nobody", "organization": "<tags:water>", "role": "king"}
superadmin POST /users
> {"username": "tess", "password": "a password of some length", "email": "tess@example.org",
| "organization": "<organizations:open-data-office>"}
admin POST /tags
> {"name": "WATER"}
admin POST /tags
> {"name": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
|xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}
admin POST /updatefrequencies
> {"name": "Never", "timePattern": "every day"}
superadmin PATCH /configs/<configs:adminPagination>
> {"value": "many"}
superadmin PATCH /configs/<configs:defaultStatus>
> {"value": "zzzzzzzzzzzzzzz"}
admin PATCH /datasets/ships
> {"name": null, "tags": ["zzzzzzzzzzzzzzz"]}
outsider POST /datasetrequests
> {"about": "x", "email": "none"}
admin POST /files
> {"name": "No dataset", "type": "<filetypes:csv>"}
admin POST /maps
> {"name": "Neither link nor file", "basemap": "<basemaps:OpenStreetMap>"}

# Invalid bodies
admin POST /tags
> {"name": "x"
admin POST /tags
> ["name"]
admin POST /tags
> {"name": "x", "name": "y"}
admin POST /tags
> [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]
admin POST /tags
admin POST /tags
Content-Type: text/plain
> {"name": "x"}
admin POST /tags
Content-Type: application/json; charset=iso-8859-1
> {"name": "charset"}
admin POST /tags
Content-Type: application/x-www-form-urlencoded
> name=by+form
admin POST /datasets
Content-Type: application/x-www-form-urlencoded
> name=by+form
admin POST /tags
Content-Type: application/json
> {"name": "a\u0000b"}
outsider POST /email/send
Content-Type: application/x-www-form-urlencoded
> to=me
outsider POST /email/send
Content-Type: application/x-www-form-urlencoded
> email=visitor%40example.org&text=by+form&to=me
outsider POST /email/send
Prefer: handling=strict
> {"email": "visitor@example.org", "text": "hello", "subject": "two\nlines", "to": "me"}
outsider OPTIONS /email/send
outsider POST /datasets/<datasets:airports>/follow
Content-Type: application/x-www-form-urlencoded
> email=visitor%40example.org
outsider POST /datasets/<datasets:airports>/follow
> {"email": "nobody"}
outsider POST /datasets/<datasets:airports>/follow?token=0123456789abcdef0123456789abcdef
outsider POST /datasets/zzzzzzzzzzzzzzz/follow
> {"email": "visitor@example.org"}
outsider POST /datasets/<datasets:airports>/unfollow?token=0123456789abcdef0123456789abcdef
Content-Type: application/x-www-form-urlencoded
> List-Unsubscribe=One-Click
outsider OPTIONS /datasets/<datasets:airports>/follow

# Updates: fields that they change and fields that they keep
admin PATCH /datasets/ships
Prefer: return=representation
> {"description": null, "tags": ["<tags:water>", "<tags:tide>"], "categories": {"id": "<categories:transport>"}}
admin PATCH /datasets/ships
Prefer: return=representation
> {"name": "Ships and boats", "id": "x", "createdAt": null, "url": "x", "files": ""}
admin PATCH /datasets/ships-and-boats
> {"visibility": false, "optional1": "x"}
admin PATCH /datasets/zzzzzzzzzzzzzzz
> {"name": "x"}
guest PATCH /users/<users:guest>
> {"firstName": "Gus", "role": "superadmin"}
guest PATCH /users/<users:guest>
> {"firstName": "Gus"}
guest PATCH /users/<users:guest>
> {"password": "a new password of guest"}
admin PATCH /users/<users:tess>
> {"firstName": "T"}
superadmin PATCH /users/<users:admin>
> {"role": "guest"}
admin PATCH /configs/<configs:adminPagination>
> {"value": "25"}
superadmin PATCH /configs/<configs:adminPagination>
Prefer: return=representation
> {"value": "25"}

# Callers without permission
outsider POST /tags
> {"name": "x"}
key POST /tags
> {"name": "x"}
guest POST /datasets
> {"name": "x"}
guest PATCH /datasets/ships-and-boats
> {"name": "x"}
guest DELETE /tags/tides
outsider DELETE /tags/tides
guest POST /users
> {"username": "x"}
guest POST /tags
Prefer: return=representation
> {"name": "made by a guest"}
guest PATCH /tags/made-by-a-guest
> {"name": "changed by a guest"}
guest DELETE /tags/changed-by-a-guest

# Deletion and restoration
admin DELETE /statuses/qWRhpRV
admin DELETE /filetypes/<filetypes:csv>
superadmin DELETE /users/<users:admin>
superadmin DELETE /organizations/<organizations:open-data-office>
admin DELETE /tags/<tags:tide>
admin DELETE /tags/<tags:tide>
outsider GET /tags/<tags:tide>
admin GET /tags/<tags:tide>
admin GET /datasets/ships-and-boats?fields=tags
admin POST /tags
> {"name": "tides"}
admin POST /tags/<tags:tide>/restore
admin DELETE /tags/tides
admin POST /tags/<tags:tide>/restore
Prefer: return=representation
admin POST /tags/<tags:tide>/restore
admin POST /tags/zzzzzzzzzzzzzzz/restore
guest POST /tags/<tags:tide>/restore
outsider POST /tags/<tags:tide>/restore
admin GET /tags?deleted=only&fields=name,deletedAt
admin DELETE /datasets/<datasets:ships>
Prefer: return=representation
outsider GET /files/arrivals
admin GET /charts/<charts:Ships_by_flag>
admin GET /datasets?deleted=only&fields=name
admin POST /datasets/<datasets:ships>/restore
admin GET /files/arrivals?fields=name
admin DELETE /datasets/zzzzzzzzzzzzzzz

# Deactivated records
admin POST /organizations/<organizations:harbour-office>/deactivate
outsider GET /organizations/<organizations:harbour-office>
admin GET /organizations/<organizations:harbour-office>
admin POST /organizations/<organizations:harbour-office>/restore
admin POST /organizations/<organizations:harbour-office>/deactivate
guest POST /organizations/<organizations:harbour-office>/deactivate
superadmin POST /users/<users:tess>/deactivate
outsider POST /users/login
> {"username": "tess", "password": "a password of some length"}
superadmin POST /users/<users:admin>/deactivate
superadmin POST /tags/water/deactivate

# A user who leaves
superadmin POST /users/<users:tess>/transfer
> {"to": "<users:admin>", "too": 1}
superadmin POST /users/<users:tess>/transfer
> {"to": "<users:tess>"}
superadmin POST /users/<users:tess>/transfer
admin POST /users/<users:tess>/transfer
> {"to": "<users:admin>"}
outsider POST /users/<users:tess>/erase
admin POST /users/<users:tess>/erase
superadmin POST /users/<users:tess>/erase
Prefer: return=representation
superadmin POST /users/<users:admin>/erase
superadmin POST /users/zzzzzzzzzzzzzzz/erase
superadmin POST /tags/water/erase
superadmin POST /tags/water/transfer
> {"to": "<users:admin>"}

# The action log
superadmin GET /logs?limit=12&fields=action,target,user
superadmin GET /logs/count?action=delete&target=dataset&condition=AND
superadmin GET /logs/first?fields=action,target
admin GET /tags/<tags:tide>/logs
admin GET /tags/<tags:tide>/logs?fields=action,changes&action=update&limit=1
guest GET /tags/zzzzzzzzzzzzzzz/logs
outsider GET /tags/<tags:tide>/logs
REQUESTS

# an update that is undone, twice, by those who may and those who may not
my $path = sub { '/logs/' . $golden->sql("SELECT id FROM catalogue.logs WHERE resource = (SELECT id FROM catalogue.tags
	WHERE name = 'undone') ORDER BY change DESC, id DESC LIMIT 1") . '/undo' };
$golden->play(<<'REQUESTS');
# An action that is undone
admin POST /tags
> {"name": "to be undone"}
admin PATCH /tags/to-be-undone
> {"name": "undone"}
REQUESTS
my $renamed = $path->();
$golden->ask(guest => POST => $renamed);
$golden->ask(outsider => POST => $renamed);
$golden->ask(admin => POST => $renamed, undef, Prefer => 'return=representation');
$golden->ask(admin => POST => $renamed);
$golden->ask(admin => POST => '/logs/zzzzzzzzzzzzzzz/undo');
$golden->ask(admin => GET => $renamed);
$golden->finish;
