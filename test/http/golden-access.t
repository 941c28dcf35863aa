#!/usr/bin/perl
# Golden set: a private service. Credentials of applications and of users, valid and invalid, what each may do,
# public paths, and failed attempts.

use strict;
use warnings;

use Catalogue::Golden;
use Catalogue::Token;

my $golden = Catalogue::Golden->start('access', CATALOGUE_PRIVATE => 'on',
	CATALOGUE_PUBLIC_PATHS => '/tags/*/datasets, /categories',
	CATALOGUE_TRUSTED_PROXIES => '127.0.0.1');
my $secret = 'a secret of the gateway, 32 bytes or more';
$golden->sql("SELECT catalogue.add_token_key('Web', 'HS256', '$secret', 'gateway')");
$golden->sql(q(SELECT catalogue.register_web_application('Portal page', '{https://portal.example.org}',
	id => 'portal-page', token_lifetime => '90 minutes')));

# Further callers: limited API keys, tokens of a gateway.
my %key = (
	narrow  => q('Portal', resources => '{tags,datasets}', verbs => '{GET}'),
	expired => q('Portal', expires => '2001-01-01'),
	rated   => q('Portal', rate => 1),
);
$golden->caller($_, apikey => $golden->sql("SELECT secret FROM catalogue.add_api_key($key{$_})")) for sort keys %key;
sub signed { my ($header, $claims) = @_; return 'Bearer ' . Catalogue::Token::sign($secret, $header, $claims) }
my $later = time + 3600;
$golden->caller('gateway', Authorization => signed('{"alg":"HS256","typ":"JWT"}', qq({"iss":"gateway","exp":$later})));
$golden->caller('stale',
	Authorization => signed('{"alg":"HS256","typ":"JWT"}', '{"iss":"gateway","exp":1000000000}'));
$golden->caller('unsigned', Authorization => signed('{"alg":"none"}', qq({"iss":"gateway","exp":$later})));
$golden->caller('unknown', Authorization => signed('{"alg":"HS256"}', qq({"iss":"nobody","exp":$later})));

$golden->play(<<'REQUESTS');
# No credential
outsider GET /
outsider GET /tags
outsider GET /nonesuch
outsider OPTIONS /tags
outsider OPTIONS /tags
Origin: https://portal.example.org
Access-Control-Request-Method: GET
outsider GET /health
outsider GET /categories?limit=1&fields=name
outsider GET /categories/count
outsider GET /tags/<tags:bus>/datasets?fields=name
outsider POST /tags
> {"name": "x"}
outsider GET /users/me

# An application
key GET /tags?limit=1
key GET /
key POST /tags
> {"name": "x"}
web GET /categories?limit=1&fields=name,color
narrow GET /tags?limit=1&fields=name
narrow GET /users
narrow POST /tags
> {"name": "x"}
narrow GET /datasets?owner.username=admin
narrow GET /datasets?include=status&limit=1
narrow GET /datasets?status.name=Published
narrow GET /search?query=bus
expired GET /tags
gateway GET /tags?limit=1&fields=name
gateway GET /categories?limit=1&fields=name,color
stale GET /tags
unsigned GET /tags
unknown GET /tags
outsider GET /tags
apikey: nonsense
outsider GET /tags
Authorization: Bearer x.y.z
outsider GET /tags
Authorization: Basic YWRtaW46eA==
outsider GET /tags?limit=1&fields=name
X-Consumer-Username: Portal
outsider GET /tags?jwt=x.y.z

# A token of a web application
outsider POST /clients/tokens
> {"consumer": "Portal page", "consumerId": "portal-page"}
outsider POST /clients/tokens
> {"consumer": "Portal page", "consumerId": "another"}
outsider POST /clients/tokens
> {"consumer": "Portal page"}
outsider POST /clients/tokens
> {"consumer": "Portal", "consumerId": "Portal"}

# A user
outsider POST /users/login
> {"username": "guest", "password": "the password of guest"}
outsider POST /users/login
> {"username": "EDITOR", "password": "the password of editor"}
outsider POST /users/login
> {"username": "guest"}
outsider POST /users/login
> {"username": ["guest"], "password": 7}
outsider POST /users/login
Content-Type: text/plain
> username=guest
outsider POST /users/login
> {"username": "nobody at all", "password": "x"}
outsider GET /users/login
guest GET /users/me
guest GET /users/me?fields=username,role,organization.name
guest GET /users/refreshToken/<users:guest>
guest GET /users/refreshToken/<users:admin>
key GET /users/refreshToken/<users:guest>
outsider GET /users/refreshToken/<users:guest>
guest GET /users?fields=username,role,email
admin GET /users/<users:guest>?fields=username,email
superadmin GET /rules?limit=3&fields=role,resource,action,own
admin GET /rules
superadmin GET /configs?limit=1&fields=key,secret
guest GET /roles
guest GET /statistics?client=seed&fields=endpoint
guest GET /
guest POST /users/logout
guest GET /users/me
outsider POST /users/logout
key POST /users/logout

REQUESTS

$golden->say('Applications and their keys');
$golden->play(<<'REQUESTS');
superadmin POST /consumers
> {"name": "Kiosk", "id": "kiosk", "return": "representation", "expires": "2099-01-31T12:00:00Z", "tokenLifetime": 3600,
| "origins": ["https://kiosk.example.org"], "publicPaths": ["/datasets/*/download"]}
superadmin POST /consumers
> {"name": "kiosk"}
superadmin POST /consumers
Prefer: handling=strict
> {"name": 5, "color": "red", "owner": "us"}
admin POST /consumers
> {"name": "Mine"}
superadmin OPTIONS /consumers
superadmin PATCH /consumers/kiosk
> {"relations": "embedded", "expires": null}
superadmin PATCH /consumers/none
> {"relations": "embedded"}
superadmin OPTIONS /consumers/kiosk
superadmin POST /consumers/kiosk/keys
> {"kind": "HS256", "key": "kiosk-1", "material": "0123456789abcdef0123456789abcdef", "issuesTokens": true, "rate": 60}
superadmin POST /consumers/kiosk/keys
> {"verbs": ["READ"]}
superadmin OPTIONS /consumers/kiosk/keys
superadmin POST /consumers/kiosk/keys/kiosk-1/replace
> {"grace": 60, "material": "fedcba9876543210fedcba9876543210"}
superadmin OPTIONS /consumers/kiosk/keys/kiosk-1/replace
superadmin GET /consumers
superadmin DELETE /consumers/kiosk/keys/kiosk-1
superadmin DELETE /consumers/kiosk/keys/kiosk-1
superadmin OPTIONS /consumers/kiosk/keys/kiosk-1
superadmin DELETE /consumers/kiosk
guest GET /consumers
outsider GET /consumers
key GET /consumers
REQUESTS

$golden->say('Failed logins are counted');
$golden->ask('outsider', 'POST', '/users/login', qq({"username": "editor", "password": "wrong $_"})) for 1 .. 10;
$golden->ask('outsider', 'POST', '/users/login', '{"username": "editor", "password": "the password of editor"}');

# minutes are counted by the clock
$golden->say('Requests over the rate limit of a key');
sleep 60 - time % 60 if time % 60 > 58;
$golden->ask('rated', 'GET', '/tags?limit=1&fields=name') for 1, 2;

$golden->finish;
