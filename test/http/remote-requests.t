#!/usr/bin/perl
# Requests to remote services: parameters, credentials, signed tokens and envelopes of SOAP, as the settings say;
# faults.

use strict;
use utf8;
use warnings;

use Catalogue::RemoteService;
use Catalogue::Test;
use Digest::SHA qw(hmac_sha256);
use Cpanel::JSON::XS ();
use MIME::Base64 qw(decode_base64 encode_base64url);
use Test::More;

my %type    = (json => { 'Content-Type' => 'application/json' }, xml => { 'Content-Type' => 'text/xml' });
my $service = Catalogue::Test->start(Catalogue::RemoteService::settings())->as_admin;
my $remote  = Catalogue::RemoteService->start($service);

# credentials and header fields
is($remote->outcome('rest', 'basic', { headers => $type{json}, body => '[{"a": 1}]' }, username => 'ann',
	password => 'hush:hush'), 'a=1', 'basic authentication');
is(decode_base64((split ' ', $remote->last_request('/basic')->{headers}{authorization})[1]),
	'ann:hush:hush', 'is sent');
is($remote->outcome('rest', 'bearer', { headers => $type{json}, body => '[{"a": 1}]' }, token => 'plain-token'),
	'a=1', 'a token');
is($remote->last_request('/bearer')->{headers}{authorization}, 'Bearer plain-token', 'is sent as it is');
is($remote->outcome('rest', 'signed', { headers => $type{json}, body => '[{"a": 1}]' }, token => '{"sub": "catalogue"}',
	tokenSignature => 'k' x 32, tokenAlgorithm => 'HS256'), 'a=1', 'a token that is signed');
my ($head, $claims, $signature) = split /\./,
	(split ' ', $remote->last_request('/signed')->{headers}{authorization})[1];
is($signature, encode_base64url(hmac_sha256("$head.$claims", 'k' x 32)), 'has the signature');
is(Cpanel::JSON::XS::decode_json(decode_base64($claims =~ tr{-_}{+/}r))->{sub}, 'catalogue', 'and the claims');
is($remote->outcome('rest', 'unsigned', {}, token => 'x', tokenSignature => 'k', tokenAlgorithm => 'HS256'),
	'the token that is to be signed is no JSON object', 'claims that are none');
is($remote->outcome('rest', 'none', {}, token => '{}', tokenSignature => 'k', tokenAlgorithm => 'none'),
	'the algorithm of the token is not known', 'algorithm none');
is($remote->outcome('rest', 'fields', { headers => $type{json}, body => '[{"a": 1}]' },
	attributesAsHeaders => Cpanel::JSON::XS::true, parameters => { 'X-Key' => 'ñ1' }), 'a=1',
	'parameters as header fields');
is($remote->last_request('/fields')->{query}, undef, 'are not in the query');
ok($remote->last_request('/fields')->{headers}{'x-key'}, 'but in the header');
is($remote->outcome('rest', 'host', {}, attributesAsHeaders => Cpanel::JSON::XS::true, parameters => {
	Host => 'internal' }), '"Host" cannot be sent as a header field', 'a field that decides about the connection');
like($remote->outcome('rest', 'break', {}, attributesAsHeaders => Cpanel::JSON::XS::true,
	parameters => { 'X-A' => "a\r\nX-B: c" }), qr/cannot be sent as a header field/, 'a line break');

# SOAP
my $envelope = sub { '<?xml version="1.0"?><s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>'
	. $_[0] . '</s:Body></s:Envelope>' };
is($remote->outcome('soap', 'soap', { headers => $type{xml}, body => $envelope->('<m:ListResponse xmlns:m="urn:test">'
	. '<m:ListResult><m:Stop><m:Id>1</m:Id></m:Stop><m:Stop><m:Id>2</m:Id></m:Stop></m:ListResult></m:ListResponse>') },
	parameters => { Name => 'a <b> & "c"', Ids => [ 1, 2 ], Box => { North => 1.5 } }), 'Id=1; Id=2',
	'rows of an envelope');
my $sent = $remote->last_request('/soap');
is($sent->{headers}{soapaction}, '"urn:test/List"', 'SOAPAction');
like($sent->{headers}{'content-type'}, qr{^text/xml}, 'Content-Type');
like($sent->{body}, qr{<soap:Body><List xmlns="urn:test">}, 'the method in its namespace');
like($sent->{body}, qr{<Name>a &lt;b&gt; &amp; (?:"|&quot;)c(?:"|&quot;)</Name>}, 'texts are escaped');
like($sent->{body}, qr{<Ids>1</Ids><Ids>2</Ids>}, 'an array is an element for each value');
like($sent->{body}, qr{<Box><North>1\.5</North></Box>}, 'an object has elements');
my $fault = $envelope->('<s:Fault><faultcode>s:Server</faultcode><faultstring>No stops today</faultstring></s:Fault>');
is($remote->outcome('soap', 'fault', { status => 500, headers => $type{xml}, body => $fault }),
	'the service reports a fault: No stops today', 'a fault');
is($remote->outcome('soap', 'quietfault', { headers => $type{xml}, body => $fault }),
	'the service reports a fault: No stops today', 'a fault with status 200');
is($remote->outcome('soap', 'broken',
	{ status => 500, headers => $type{xml}, body => $envelope->('<a><b><c>1</c></b></a>') }),
	'the service answers with status 500', 'a status that is no success, without a fault');
is($remote->outcome('soap', 'headers', { headers => $type{xml}, body => $envelope->('<r><i><a>1</a></i></r>') },
	attributesAsHeaders => Cpanel::JSON::XS::true, parameters => { Key => 'k' }), 'a=1',
	'parameters in the header of the envelope');
like($remote->last_request('/headers')->{body}, qr{<soap:Header><Key>k</Key></soap:Header>},
	'of which they are elements');
is($remote->outcome('soap', 'name', {}, parameters => { 'a b' => 1 }), '"a b" is no name of an XML element',
	'a parameter that is no name');
is($remote->outcome('soap', 'control', {}, parameters => { a => "\x01" }),
	'a parameter has a character that XML does not have', 'a character that XML does not have');

$remote->stop;
$service->finish;
