#!/usr/bin/perl
# GET /docs: a page of the description of the service, in the language of the client, for whom else 406.

use strict;
use warnings;
use utf8;

use Test::More;
use Catalogue::Test;
use Encode qw(decode_utf8);

my $service = Catalogue::Test->shared;
my $policy  = $service->get('/', Accept => 'text/html')->{headers}{'content-security-policy'};

for my $accept (undef, '*/*', 'text/html', 'application/json, text/html;q=0.1')
{
	my $reply = $service->get('/docs', Accept => $accept);
	my $shown = $accept // '(none)';
	is($reply->{status}, 200, "Accept: $shown: served");
	is($reply->{headers}{'content-type'}, 'text/html; charset=utf-8', "Accept: $shown: a page");
	is($reply->{headers}{'content-language'}, 'en', "Accept: $shown: in English");
	is($reply->{headers}{'content-security-policy'}, $policy, "Accept: $shown: with the policy of all pages");
	like($reply->{headers}{vary}, qr/Accept-Language/, "Accept: $shown: Vary");
}
my $reply = $service->get('/docs');
like($reply->{body}, qr{<a href="/openapi\.json">For programs}, 'without scripts it leads to the document');
like($reply->{body}, qr{<link rel="alternate" type="application/json" href="/openapi\.json">}, 'so does its head');
like($reply->{body}, qr{<section class="docs"></section>}, 'there is a place for the script');
like($service->get('/', Accept => 'text/html')->{body}, qr{<a href="/docs">Description of the API},
	'pages lead to it');

for my $refused ('application/json', 'text/html;q=0', 'image/png')
{
	my $reply = $service->get('/docs', Accept => $refused);
	is_deeply([ $reply->{status}, $reply->{json}{code} ], [ 406, 'E_NOT_ACCEPTABLE' ],
		"Accept: $refused: refused as JSON");
}

# the language
my %asked = ('lang' => $service->get('/docs?lang=es'), 'header' => $service->get('/docs', 'Accept-Language' => 'es'));
for my $how (sort keys %asked)
{
	is($asked{$how}{headers}{'content-language'}, 'es', "$how: in Spanish");
	like(decode_utf8($asked{$how}{body}), qr{<h1>Descripción de la API}, "$how: its heading");
}

# conditions, verbs
is($service->get('/docs', 'If-None-Match' => $reply->{headers}{etag})->{status}, 304, 'known by its entity tag');
my $head = $service->request('HEAD', '/docs');
is_deeply([ @$head{qw(status body)}, @{ $head->{headers} }{qw(content-type etag)} ],
	[ 200, '', @{ $reply->{headers} }{qw(content-type etag)} ], 'HEAD');
for my $verb (qw(POST PUT PATCH DELETE))
{
	my $refused = $service->as_admin->request($verb, '/docs', {});
	is_deeply([ $refused->{status}, join ' ', sort split /, */, $refused->{headers}{allow} // '' ],
		[ 405, 'GET HEAD OPTIONS' ], "$verb: not allowed");
}

# the page has no secrets: a private service shows it, and asks for a login when the document is read
my $private = Catalogue::Test->shared('private');
is($private->get('/docs', Accept => 'text/html', Authorization => undef)->{status}, 200, 'a private service shows it');
is($private->get('/openapi.json', Authorization => undef)->{status}, 401, 'but not the document');

$service->finish;
