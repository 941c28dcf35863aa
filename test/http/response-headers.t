#!/usr/bin/perl
# Headers of every answer that protect browsers, and the request id that identifies a request in the log.

use strict;
use warnings;

use Test::More;
use Catalogue::Clock qw(poll);
use Catalogue::Test;

my $service = Catalogue::Test->start(CATALOGUE_LOG_LEVEL => 'verbose')->as_admin;
my $portal  = 'https://portal.example';
my @bad_line = ("GET /tags HTTP/1.1\r\nHost: localhost\r\nX Y: 5\r\n\r\n");

# answers of every kind, with the headers that protect browsers
my %answers = (
	'a list'              => $service->get('/tags'),
	'a single record'     => $service->get('/users/me'),
	'a description'       => $service->options('/tags'),
	'an unknown path'     => $service->get('/nonesuch'),
	'a bad token'         => $service->get('/tags', Authorization => 'Bearer x'),
	'a method not allowed'  => $service->delete('/roles'),
	'an invalid body'       => $service->post('/tags', '{'),
	'a long target'       => $service->get('/tags?x=' . 'x' x 9000),
	'a malformed header'  => $service->raw(@bad_line)->{replies}[0],
	'CSV'                 => $service->get('/tags', Accept => 'text/csv'),
	'not modified'         => $service->get('/tags', 'If-None-Match' => '*'),
);
for my $kind (sort keys %answers)
{
	my $headers = $answers{$kind}{headers};
	is($headers->{'x-content-type-options'}, 'nosniff', "$kind: the type is not sniffed");
	is($headers->{'content-security-policy'}, "default-src 'none'; frame-ancestors 'none'",
		"$kind: it loads and runs nothing");
	is($headers->{'referrer-policy'}, 'no-referrer', "$kind: no Referer is sent");
	is($headers->{'access-control-allow-origin'}, '*', "$kind: all origins may read it");
	ok(!exists $headers->{'access-control-allow-credentials'}, "$kind: no credentials for other origins");
	ok(!exists $headers->{'set-cookie'}, "$kind: no cookie is set");
	ok(!exists $headers->{server} && !exists $headers->{'x-powered-by'}, "$kind: no header names the server");
	like($headers->{'x-request-id'}, qr/^[0-9a-f]{16}$/, "$kind: it has a request id");
	unlike($answers{$kind}{status}, qr/^3(?!04)/, "$kind: it is not a redirect");
}

# logins and user records may not be stored
my $id = $service->{admin};
for my $reply ($service->login('admin', $ENV{CATALOGUE_ADMIN_PASSWORD}), $service->login('admin', 'wrong'),
	$service->get("/users/refreshToken/$id"), $service->get("/Users/$id"), $service->get('/users'),
		$service->options('/users'))
{
	is($reply->{headers}{'cache-control'}, 'no-store', "users, $reply->{status}: not to be stored");
}
like($service->get('/tags')->{headers}{vary}, qr/\bAuthorization\b/, 'other answers vary by Authorization');

# a cookie is no credential
is($service->get('/users/me', Authorization => undef,
	Cookie => "token=$service->{token}; jwt=$service->{token}")->{status}, 401,
	'a token in a cookie is ignored');

# a valid request id is kept, others are replaced
for my $name ('a', 'x' x 128, '3f2504e0-4f89-11d3-9a0c-0305e82c3301', 'Root=1-67891233-abcdef012345678912345678',
	'A.b_c~d:e/f+g@h#1')
{
	is($service->get('/tags', 'X-Request-Id' => $name)->{headers}{'x-request-id'}, $name,
		'a request id of ' . length($name) . ' characters: kept');
}
for my $name ('', 'x' x 129, 'a b', 'a"b', "a\tb", 'a,b', 'a<b>', 'a%0d%0ab', "a\xc3\xa4", "a\x1b[31m", '{a}')
{
	my $reply = $service->get('/tags', 'X-Request-Id' => $name);
	is($reply->{status}, 200, 'a request id of ' . length($name) . ' odd characters is accepted');
	like($reply->{headers}{'x-request-id'}, qr/^[0-9a-f]{16}$/, 'an invalid request id is replaced');
}
my $twice = $service->raw(
	"GET /health HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: a\r\nX-Request-Id: b\r\n\r\n")->{replies}[0];
like($twice->{headers}{'x-request-id'}, qr/^[0-9a-f]{16}$/, 'two request ids are replaced');
isnt($service->get('/tags')->{headers}{'x-request-id'}, $service->get('/tags')->{headers}{'x-request-id'},
	'generated request ids differ');
my $refused = $service->post('/tags', '{', 'X-Request-Id' => 'the-one-to-find');
is($refused->{headers}{'x-request-id'}, 'the-one-to-find', 'an error has the request id too');
my $line = poll(10, sub { (grep { ($_->{request} // '') eq 'the-one-to-find' } $service->log)[0] });
is($line->{target}, '/tags', 'the log has the request id');

# preflights, with all origins and with some
my %ask = (Origin => $portal, 'Access-Control-Request-Method' => 'PATCH',
	'Access-Control-Request-Headers' => 'content-type');
my $headers = $service->options('/tags/x', Authorization => undef, %ask)->{headers};
is($headers->{'access-control-allow-origin'}, '*', 'all origins: allowed');
is($headers->{'access-control-max-age'}, 600, 'the preflight may be cached for ten minutes');
is($headers->{'access-control-allow-methods'}, $headers->{allow}, 'allowed methods are those of the path');
unlike($headers->{vary}, qr/Origin/, 'the answer does not vary by origin');
my $exposed = $service->get('/tags', Origin => $portal)->{headers}{'access-control-expose-headers'};
like($exposed, qr/\b$_\b/, "pages may read $_")
	for qw(Link ETag Content-Range Location Preference-Applied Retry-After X-Request-Id);
my $allowed = $headers->{'access-control-allow-headers'};
like($allowed, qr/(^|, )\Q$_\E(,|$)/, "pages may send $_")
	for qw(Accept Authorization Cache-Control Content-Digest Content-Disposition Content-Type Digest If-Match
		If-Modified-Since If-None-Match If-Range
	Pragma Prefer Range Repr-Digest Upload-Complete Upload-Length Upload-Offset User-Agent X-Admin-Authorization
		X-Request-Id X-Requested-With apikey);
unlike($allowed, qr/X-Consumer|X-Forwarded|Host/i, 'pages may not send headers of proxies or browsers');
ok(!exists $service->options('/tags', Origin => $portal)->{headers}{'access-control-allow-headers'},
	'only a preflight names the headers to send');
$service->end_service;

$service = Catalogue::Test->start(CATALOGUE_CORS_ORIGINS => "$portal, http://localhost:8080",
	CATALOGUE_CORS_HEADERS => 'accept, X-One,X-Two',
	CATALOGUE_CORS_MAX_AGE => '2h');
for my $origin ($portal, 'http://localhost:8080')
{
	my $reply = $service->options('/tags', %ask, Origin => $origin);
	is($reply->{headers}{'access-control-allow-origin'}, $origin, "$origin: allowed");
	is($reply->{headers}{'access-control-allow-headers'}, "$allowed, X-One, X-Two",
		'headers of the setting are added, each once');
	is($reply->{headers}{'access-control-max-age'}, 7200, 'the time of the setting applies');
	my $get = $service->raw("GET /health HTTP/1.1\r\nHost: localhost\r\nOrigin: $origin\r\n\r\n");
	like($get->{text}, qr/^Vary: Origin\r$/m, 'the answer varies by origin');
}
for my $origin ('http://portal.example', 'https://portal.example:8443', 'https://portal.example.evil',
	'https://evil-portal.example', 'null', '',
	"$portal, http://localhost:8080", "$portal/", undef)
{
	my $name = $origin // 'none';
	for my $reply ($service->options('/tags', %ask, Origin => $origin), $service->get('/health', Origin => $origin))
	{
		is_deeply([ grep { /^access-control/ } keys %{ $reply->{headers} } ], [], "origin \"$name\": not allowed");
		is($reply->{status}, 200, 'the request is served; the browser blocks the answer');
	}
	my $get = $service->raw("GET /health HTTP/1.1\r\nHost: localhost\r\n"
		. (defined $origin ? "Origin: $origin\r\n" : '') . "\r\n");
	like($get->{text}, qr/^Vary: Origin\r$/m, 'the answer varies by origin');
}
unlike($service->raw(@bad_line)->{text}, qr/access-control/i, 'an invalid request gets no CORS headers');
is($service->raw("GET /health HTTP/1.1\r\nHost: localhost\r\nOrigin: $portal\r\n"
	. "Origin: http://a\r\n\r\n")->{replies}[0]{status}, 400, 'two origins are refused');
$service->end_service;

# no origin at all
$service = Catalogue::Test->start(CATALOGUE_CORS_ORIGINS => 'none');
ok(!exists $service->get('/health', Origin => $portal)->{headers}{'access-control-allow-origin'},
	'CATALOGUE_CORS_ORIGINS=none: no origin is allowed');

$service->finish;
