#!/usr/bin/perl
# Answers of remote services: where the rows are in JSON and XML, and why an answer has none; an answer cannot lead the
# worker to this machine, and none makes it read without end.

use strict;
use utf8;
use warnings;

use Catalogue::Remote;
use Catalogue::RemoteService;
use Catalogue::Test;
use IO::Compress::Gzip ();
use Test::More;

my %type    = (json => { 'Content-Type' => 'application/json' }, xml => { 'Content-Type' => 'text/xml' });
my $service = Catalogue::Test->start(Catalogue::RemoteService::settings())->as_admin;
my $remote  = Catalogue::RemoteService->start($service);
my $canary  = Catalogue::Remote->start(answer => sub { Catalogue::Remote::reply($_[0], 200, {}, '[{"a": 1}]') });

sub gzip { my ($bytes) = @_; IO::Compress::Gzip::gzip(\$bytes => \my $packed); return $packed }

# forms of answers
is($remote->outcome('rest', 'single', { headers => $type{json}, body => '{"a": 1, "b": {"c": [1, 2]}}' }),
	'a=1,b={"c":[1,2]}', 'an object is a row');
is($remote->outcome('rest', 'arrays', { headers => $type{json},
	body => '{"meta": {"columns": [{"name": "x"}, {"name": "y"}]}, "data": {"rows": [[1, "a"], [2]]}}' },
	dataPath => 'data.rows', titlePath => 'meta.columns.name'), 'x=1,y=a; x=2,y=null', 'arrays with names from a path');
is($remote->outcome('rest', 'values', { headers => $type{json}, body => '["a", true, 12345678901]' }),
	'value=a; value=true; value=12345678901', 'plain values');
is($remote->outcome('rest', 'digits', { headers => $type{json},
	body => '[{"a": 1.50, "b": 12345678901234567890123, "c": {"d": [0.10, null]}, "a": 2.00}]' }),
	'a=2.00,b=12345678901234567890123,c={"d":[0.10,null]}',
	'numbers keep their digits, of equal names the last one counts');
is($remote->outcome('rest', 'badjson', { headers => $type{json}, body => "[1,\n2,]" }),
	'the answer is not valid JSON: nothing follows a comma in line 2', 'broken JSON');
is($remote->outcome('rest', 'nopath', { headers => $type{json}, body => '{"a": [{"b": 1}]}' }, dataPath => 'a.c'),
	'the answer has nothing at "a.c"', 'a path that leads nowhere');
is($remote->outcome('rest', 'empty', { headers => $type{json}, body => '[]' }), 'the answer has no rows', 'no rows');
is($remote->outcome('rest', 'nothing', { headers => $type{json} }), 'the answer is neither JSON nor XML', 'no bytes');
is($remote->outcome('rest', 'xml', { headers => $type{xml}, body => "<?xml version='1.0' encoding='ISO-8859-1'?><list>"
	. "<row id='1'><name>Pe\xf1a</name></row><row id='2'><name> a &amp; b </name><c/></row></list>" }),
	'c=null,id=1,name=Peña; c=null,id=2,name=a & b', 'XML, in its encoding');
is($remote->outcome('rest', 'onerow', { headers => $type{xml},
	body => '<r:list xmlns:r="urn:r"><r:row><r:a>1</r:a><r:b>2</r:b></r:row></r:list>' }, dataPath => 'list.row'),
	'a=1,b=2', 'one row of XML by its path');
is($remote->outcome('rest', 'norows', { headers => $type{xml}, body => '<list/>' }), 'the answer has no rows',
	'XML without rows');
is($remote->outcome('rest', 'text', { headers => $type{xml}, body => '<list>some text</list>' }),
	'the answer has no rows', 'XML with a text alone');
like($remote->outcome('rest', 'mismatch', { headers => $type{xml}, body => '<a><b></a>' }),
	qr/^the answer is no XML: mismatched tag in line 1/, 'broken XML');
is($remote->outcome('rest', 'bomb', { headers => $type{xml}, body => '<!DOCTYPE l [<!ENTITY a "aaaaaaaaaa">'
	. join('', map { '<!ENTITY ' . chr(97 + $_) . ' "' . ('&' . chr(96 + $_) . ';') x 10 . '">' } 1 .. 9)
	. ']><l><r><x>&j;</x></r></l>' }), 'the answer has a DOCTYPE, which is not read', 'an entity bomb');
is($remote->outcome('rest', 'entity', { headers => $type{xml}, body => '<!DOCTYPE l SYSTEM "http://127.0.0.2/"><l/>' }),
	'the answer has a DOCTYPE, which is not read', 'an external DTD');
is($remote->outcome('rest', 'deep', { headers => $type{xml}, body => '<a>' x 100 . '</a>' x 100 }),
	'the answer is nested too deeply', 'deep XML');
like($remote->outcome('rest', 'deepjson', { headers => $type{json}, body => '[' x 50_000 }),
	qr/^the answer is nested too deeply/, 'deep JSON');
is($remote->outcome('rest', 'gzip', { headers => { 'Content-Encoding' => 'gzip' }, body => gzip('[{"a": 1}]') }), 'a=1',
	'a compressed answer');
is($remote->outcome('rest', 'file', { headers => { 'Content-Type' => 'application/gzip' }, body => gzip('[1]') }),
	'the answer is neither JSON nor XML', 'a file of gzip');
is($remote->outcome('rest', 'gzipbomb', { headers => { 'Content-Encoding' => 'gzip' },
	body => gzip('[' . ' ' x 999_999) }), 'the answer is too large', 'a small answer that becomes large');
is($remote->outcome('rest', 'html', { headers => { 'Content-Type' => 'text/html' },
	body => '<html><body><p>a</p></body></html>' }), 'the answer is neither JSON nor XML', 'a page');
is($remote->outcome('rest', 'slow', { slow => 1 }), 'its server takes too long', 'a slow server');
is($remote->outcome('rest', 'busy', { status => 503 }), 'the service answers with status 503', 'a busy server');
is($remote->outcome('rest', 'canary', { status => 302, headers => { Location => $canary->url('/') } }),
	'the address of its server is not permitted', 'a redirect to this machine');
is($remote->outcome('rest', 'local', {}, url => $canary->url('/')), 'the address of its server is not permitted',
	'an address of this machine');
is(scalar($canary->requests), 0, 'it has got no connection');

$remote->stop;
$canary->stop;
$service->finish;
