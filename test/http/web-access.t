#!/usr/bin/perl
# A web application that is registered in the database while the service runs: its origins, its public
# paths and its tokens are accepted soon, in addition to those of the settings, until it is revoked.

use strict;
use warnings;

use MIME::Base64 ();
use Test::More;
use Catalogue::Clock qw(poll);
use Catalogue::Test;
use Catalogue::Upload;

my $service = Catalogue::Test->start(CATALOGUE_THREADS => 2, CATALOGUE_PRIVATE => 'on',
	CATALOGUE_CORS_ORIGINS => 'https://settings.example', CATALOGUE_PUBLIC_PATHS => '/statuses')->as_admin;
my $file    = Catalogue::Upload->new($service)->file('a.csv', "a,b\n1,2\n", visible => 'true', status => 'qWRhpRV');
$service->patch("/datasets/$file->{dataset}", { status => 'qWRhpRV', visible => Cpanel::JSON::XS::true });
my %page = (Origin => 'https://portal.example', Authorization => undef);

# Repeat a request until its answer is as expected: each thread is asked on new connections.
sub soon
{
	my ($wanted, $verb, $path, %headers) = @_;
	my ($good, $reply) = (0);
	poll(60, sub {
		$service->pass(1) if !$good;
		delete $service->{socket};
		$reply = $service->request($verb, $path, undef, %headers);
		return ($good = $wanted->($reply) ? $good + 1 : 0) >= 8;
	});
	return $reply;
}
sub origin { return $_[0]{headers}{'access-control-allow-origin'} // '' }

# before the registration neither origin nor paths are allowed
my @public = ("/files/$file->{id}/download", "/files/$file->{fileName}/download", "/files/$file->{id}/download/csv",
	"/datasets/$file->{dataset}/download", '/datasets/feed/rss', '/rss');
is($service->get($_, %page)->{status}, 401, "GET $_: private") for @public;
is(origin($service->get('/health', %page)), '', 'no page may read an answer');
is($service->get('/statuses', %page)->{status}, 200, 'the paths of the setting are public');

# the registration is one call
my $register = q(SELECT * FROM catalogue.register_web_application('Portal', '{https://portal.example}',
	id => 'd3b07384-d113-4ec6-a1f2-0123456789ab'));
is($service->sql($register), 'Portal|d3b07384-d113-4ec6-a1f2-0123456789ab', 'registered');
my $start = time;
is(origin(soon(sub { origin($_[0]) }, 'GET', '/health', %page)), 'https://portal.example',
	'pages of its origin may read answers');
cmp_ok(time - $start, '<', 10, 'soon');
is(soon(sub { $_[0]{status} != 401 }, 'GET', '/rss', %page)->{status}, 200, 'the feed is public');
like($service->get($_, %page, Prefer => 'respond-async')->{status}, qr/^20[02]$/, "GET $_: open") for @public;
is($service->get("/files/$file->{id}/download", Authorization => undef)->{body}, "a,b\n1,2\n",
	'a link without a credential gives the file');
is($service->get($_, %page)->{status}, 401, "GET $_: still private") for '/datasets', "/files/$file->{id}",
	"/files/$file->{id}/contents", '/users', "/files/$file->{id}/view";
is($service->request('DELETE', "/datasets/$file->{dataset}", undef, %page)->{status}, 401,
	'a change still needs a credential');
is($service->get('/statuses', %page)->{status}, 200, 'the paths of the setting are still public');
is(origin($service->get('/health', Origin => 'https://settings.example')), 'https://settings.example',
	'the origins of the setting are still allowed');
for my $other ('https://portal.example.evil', 'https://portal.example:8443', 'http://portal.example', 'null',
	'https://portal.example, https://x', '')
{
	is(origin($service->get('/health', Origin => $other)), '', "another origin: \"$other\"");
}
my $preflight = $service->options('/datasets', %page, 'Access-Control-Request-Method' => 'GET',
	'Access-Control-Request-Headers' => 'authorization,cache-control');
is($preflight->{status}, 200, 'its preflights are answered');
is(origin($preflight), 'https://portal.example', 'the preflight allows its origin');
like($preflight->{headers}{'access-control-allow-headers'}, qr/Cache-Control/, 'the preflight allows its headers');

# its token
my $reply = $service->post('/clients/tokens',
	{ consumer => 'Portal', consumerId => 'd3b07384-d113-4ec6-a1f2-0123456789ab' }, %page);
is($reply->{status}, 200, 'the application gets a token') || diag $reply->{body};
my %asks = (%page, Authorization => "Bearer $reply->{json}{data}");
my $record = $service->get("/datasets/$file->{dataset}", %asks)->{json}{data};
is($record->{status}{name}, 'Published', 'its token reads records with embedded relations');
is($service->sql($register), 'Portal|d3b07384-d113-4ec6-a1f2-0123456789ab', 'it is registered again');
is($service->get('/datasets', %asks)->{status}, 200, 'the token is still valid');

# basemaps are read-only until an application is registered that may write them
my %admin   = (Authorization => $asks{Authorization}, 'X-Admin-Authorization' => $service->{token});
my ($basemap) = $service->sql(q(SELECT id FROM catalogue.basemaps WHERE name = 'CyclOSM'));
my @writes  = ([ POST => '/basemaps', { name => 'Relief' } ], [ PATCH => "/basemaps/$basemap", { maxZoom => 12 } ],
	[ PUT => "/basemaps/$basemap", { maxZoom => 13 } ],
	[ POST => "/basemaps/$basemap/deactivate" ], [ POST => "/basemaps/$basemap/restore" ],
		[ DELETE => "/basemaps/$basemap" ]);
for my $write (@writes)
{
	my $told = $service->request(@$write[ 0 .. 2 ], %admin);
	is_deeply([ $told->{status}, $told->{json}{code} ], [ 405, 'E_NOT_ALLOWED' ], "$write->[0] $write->[1]: not allowed");
	unlike($told->{headers}{allow}, qr/$write->[0]/, 'Allow does not have the method');
}
sub verbs
{
	return join ' ',
		sort grep { !/HEAD|OPTIONS/ } map { $_->{verb} } @{ $service->options($_[0], %admin)->{json}{methods} }
}
is(verbs('/basemaps'), 'GET', 'OPTIONS of the list');
is(verbs("/basemaps/$basemap"), 'GET', 'OPTIONS of a record');
$service->sql(q(SELECT catalogue.register_web_application('Admin', '{https://admin.example}', basemaps => true)));
$service->sql('SELECT catalogue.bootstrap()');
is(verbs('/basemaps'), 'GET POST', 'writable: OPTIONS of the list');
is(verbs("/basemaps/$basemap"), 'DELETE GET PATCH PUT', 'OPTIONS of a record');
for my $write (@writes)
{
	my $told = $service->request(@$write[ 0 .. 2 ], %admin);
	is($told->{status}, $write->[1] eq '/basemaps' ? 201 : 200, "$write->[0] $write->[1]: executed") || diag $told->{body};
}
is($service->request('POST', '/basemaps', { name => 'Intruder' }, %asks)->{status}, 401,
	'a consumer without a user cannot write');

# the database is unavailable: known origins stay allowed
$service->end_connections('true');
is(origin($service->get('/health', %page)), 'https://portal.example',
	'without the database its origin is still allowed');

# revocation
$service->sql(q(SELECT catalogue.revoke_consumer('Portal')));
is(origin(soon(sub { !origin($_[0]) }, 'GET', '/health', %page)), '', 'revoked: its pages may not read answers');
$service->sql(q(SELECT catalogue.revoke_consumer('Admin')));
is(soon(sub { $_[0]{status} == 401 }, 'GET', '/rss', %page)->{status}, 401, 'revoked: no path is public any more');

$service->finish;
