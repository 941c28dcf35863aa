#!/usr/bin/perl
# Accept, Prefer, Origin and Content-Type.

use strict;
use warnings;

use Test::More;
use Catalogue::Test;
use Catalogue::Definition;

my $service    = Catalogue::Test->shared->as_admin;
my $definition = Catalogue::Definition->new($service);

# Accept: the answer is JSON by default, and whenever JSON is acceptable
for my $accept (undef, '*/*', 'application/json', 'application/*', 'text/html, application/json',
	'text/html;q=0.5,*/*;q=0.5',
	'text/*, application/json', 'text/html;q=0, */*',
	'APPLICATION/JSON', 'application/json; charset=utf-8', '')
{
	my $reply = $service->get('/tags', Accept => $accept);
	my $shown = $accept // '(none)';
	like($reply->{status}, qr/^20[06]$/, "Accept: $shown: served");
	like($reply->{headers}{'content-type'}, qr{^application/json(;|$)}, "Accept: $shown: JSON");
	like($reply->{headers}{vary}, qr/\bAccept\b/i, "Accept: $shown: Vary");
}
for my $accept ('application/xhtml+xml', 'image/png, text/plain;q=0.5', 'application/json;q=0',
	'application/json;q=0.0, text/plain')
{
	my $reply = $service->get('/tags/first', Accept => $accept);
	is($reply->{status}, 406, "Accept: $accept: not acceptable");
	is($reply->{json}{code}, 'E_NOT_ACCEPTABLE', "Accept: $accept: the common error format");
}

# Content-Type: JSON only, with or without parameters
for my $type ('application/json', 'application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"')
{
	is($service->post('/tags', $definition->record('tags'), 'Content-Type' => $type)->{status}, 201,
		"Content-Type: $type");
}
for my $type ('text/plain', 'application/xml', 'application/jsonx', 'json', 'text/json',
	'multipart/form-data; boundary=x')
{
	my $reply = $service->post('/statuses', '{"name": "typed"}', 'Content-Type' => $type);
	is($reply->{status}, 415, "Content-Type: $type: refused");
	is($reply->{json}{code}, 'E_UNSUPPORTED_MEDIA_TYPE', "Content-Type: $type: the error code");
}
my $bare = $service->raw("POST /tags HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer $service->{token}\r\n"
		. "Content-Length: 15\r\n\r\n{\"name\": \"bare\"}")->{replies}[0];
is($bare->{status}, 415, 'a body without Content-Type is refused');

# Prefer: return
my $minimal = $service->post('/tags', $definition->record('tags'));
ok(!exists $minimal->{json}{data}, 'by default the answer to a write has no data');
ok(!exists $minimal->{headers}{'preference-applied'}, 'by default there is no Preference-Applied');
my $full = $service->post('/tags', $definition->record('tags'), Prefer => 'return=representation');
is($full->{status}, 201, 'return=representation');
is($full->{headers}{'preference-applied'}, 'return=representation', 'return=representation is applied');
like($full->{headers}{vary}, qr/\bPrefer\b/i, 'Vary has Prefer');
is_deeply($full->{json}{data}, $service->follow($full->{json}{links}{record})->{json}{data},
	'the answer has the record as GET returns it');
my $id = $full->{json}{data}{id};
is($service->patch("/tags/$id", { name => 'preferred' }, Prefer => 'return=representation')->{json}{data}{name},
	'preferred', 'return=representation applies to updates');
ok(!exists $service->patch("/tags/$id", { name => 'minimal' }, Prefer => 'return=minimal')->{json}{data},
	'return=minimal');
is($service->patch("/tags/$id", { name => 'any' }, Prefer => 'return=everything, wait=10, nonesuch')->{status}, 200,
	'unknown preferences are ignored');

# Prefer: relations
my $embedded = $service->get("/tags/$id", Prefer => 'relations=embedded');
is($embedded->{json}{data}{createdBy}{username}, 'admin', 'relations=embedded embeds to-one relations');
is_deeply($embedded->{json}{data}{datasets}, [], 'relations=embedded has an array for a to-many relation');
ok(!exists $embedded->{json}{data}{createdBy}{password}, 'embedded records have no secret fields');
is($embedded->{headers}{'preference-applied'}, 'relations=embedded', 'Preference-Applied has relations=embedded');
is($service->get("/tags?id=$id", Prefer => 'relations=embedded')->{json}{data}[0]{createdBy}{username}, 'admin',
	'relations=embedded applies to lists');
my $both = $service->patch("/tags/$id", { name => 'both' }, Prefer => 'return=representation, relations=embedded');
is($both->{json}{data}{createdBy}{username}, 'admin', 'both preferences at once');
is($service->get("/tags/$id", Prefer => 'relations=ids')->{json}{data}{createdBy}, $service->{admin}, 'relations=ids');

# CORS: a preflight is answered without credentials; other answers have the header
my $preflight = $service->options('/tags', Authorization => undef, Origin => 'https://portal.example',
	'Access-Control-Request-Method' => 'POST', 'Access-Control-Request-Headers' => 'authorization, content-type');
like($preflight->{status}, qr/^20[04]$/, 'a preflight is answered');
like($preflight->{headers}{'access-control-allow-origin'}, qr{^(\*|https://portal\.example)$},
	'the preflight has the origin');
like($preflight->{headers}{'access-control-allow-methods'}, qr/\bPOST\b/, 'the preflight has the methods');
like($preflight->{headers}{'access-control-allow-headers'}, qr/authorization/i, 'the preflight has the headers');
my $cross = $service->get('/tags', Origin => 'https://portal.example');
ok(defined $cross->{headers}{'access-control-allow-origin'}, 'an answer to another origin has the CORS header');
like($service->options('/tags')->{headers}{allow}, qr/\bGET\b/, 'OPTIONS without the request header has Allow');

# links contain only an allowed Host
my $alien = $service->raw("GET /tags/first HTTP/1.1\r\nHost: evil.example\r\n"
	. "Authorization: Bearer $service->{token}\r\nConnection: close\r\n\r\n")->{replies}[0];
unlike($alien->{body} . join(' ', values %{ $alien->{headers} }), qr/evil\.example/,
	'a foreign Host is not used in links');

# answers do not show the server's version, are not redirects, and their type is not sniffed
my $reply = $service->get('/tags');
ok(!exists $reply->{headers}{server}, 'no Server header');
is($reply->{headers}{'x-content-type-options'}, 'nosniff', 'X-Content-Type-Options');
like($service->get('/users/me')->{headers}{'cache-control'}, qr/no-store/, 'answers about users are not stored');

$service->finish;
