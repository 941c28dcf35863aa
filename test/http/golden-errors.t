#!/usr/bin/perl
# Golden set: requests that are refused for their form or their size, and errors of the service itself.

use strict;
use warnings;

use Catalogue::Golden;

my $golden = Catalogue::Golden->start('errors', CATALOGUE_BODY_LIMIT => 20_000,
	CATALOGUE_CORS_ORIGINS => 'https://portal.example.org',
	CATALOGUE_CORS_MAX_AGE => '1h');

$golden->play(<<'REQUESTS');
# Unknown paths
outsider GET /tags/
outsider GET //tags
outsider GET /tags//count
outsider GET /tags/first/name
outsider GET /files/x/download/csv/x
outsider GET /a/b/c/d/e/f
outsider GET /%2e%2e/tags
outsider GET /tags%2fcount
outsider GET /tags%00
outsider GET /tags/%C3%28
outsider GET /tags?name=%C3%28
outsider GET /tags?name=%00
outsider GET /tags?name=%zz&limit=1&fields=name
outsider GET /tags.json
outsider GET /tags/bus?fields=name

# Hosts, and allowed and other origins
outsider GET /tags/water
Host: evil.example.org
outsider GET /tags/water
Origin: https://portal.example.org
outsider GET /tags/water
Origin: https://other.example.org
outsider OPTIONS /tags/water
Origin: https://other.example.org
Access-Control-Request-Method: PATCH
outsider OPTIONS /tags/water
Origin: https://portal.example.org
Access-Control-Request-Method: PATCH

# Media types
outsider GET /tags
Accept: text/plain
outsider GET /tags
Accept: application/json;q=0
outsider GET /tags?limit=1&fields=name
Accept: nonsense
outsider GET /tags/water
Accept: application/geo+json
outsider GET /maps/map-of-airports
Accept: application/geo+json
outsider GET /maps/<maps:map-of-airports>?fields=name
Accept: application/geo+json
outsider GET /charts/<charts:Airports_by_continent>
Accept: image/svg+xml
outsider GET /charts/<charts:Airports_by_continent>
Accept: image/png

# Paths that are not implemented
admin POST /email/send
> {}

# Invalid preferences
outsider GET /tags/water
Prefer: return=sideways; relations
outsider GET /tags/water
Prefer: ,,, =
outsider GET /tags/water?unknown=1
Prefer: handling=strict, handling=lenient
REQUESTS

$golden->say('Sizes');
$golden->ask('admin', 'POST', '/tags', '{"name": "' . 'x' x 20_000 . '"}');
$golden->ask('outsider', 'POST', '/tags', '{"name": "' . 'x' x 20_000 . '"}');
$golden->ask('outsider', 'GET', '/tags?name=' . 'x' x 9000);
$golden->ask('outsider', 'GET', '/tags', undef, 'X-Long' => 'x' x 33000);

$golden->say('The service lacks the right to call a function');
$golden->sql('REVOKE EXECUTE ON FUNCTION catalogue.items FROM catalogue_shim');
$golden->ask('outsider', 'GET', '/tags/water');
$golden->ask('outsider', 'HEAD', '/tags/water');
$golden->sql('GRANT EXECUTE ON FUNCTION catalogue.items TO catalogue_shim');
$golden->ask('outsider', 'GET', '/tags/water');

# when the processes have ended the service knows of all its connections: a change is not sent over one of them
$golden->say('The database is unavailable');
my $database = $golden->{service}{database};
$golden->{service}->sql("ALTER DATABASE $database ALLOW_CONNECTIONS false", 'postgres');
$golden->{service}->end_connections('true');
$golden->ask('outsider', 'GET',   '/tags/water');
$golden->ask('outsider', 'GET',   '/tags');
$golden->ask('admin',    'PATCH', '/tags/water', '{"name": "x"}');
$golden->ask('outsider', 'GET',   '/health');
$golden->ask('outsider', 'GET',   '/health/ready');
$golden->ask('superadmin', 'GET', '/metrics');
$golden->{service}->sql("ALTER DATABASE $database ALLOW_CONNECTIONS true", 'postgres');

$golden->finish;
