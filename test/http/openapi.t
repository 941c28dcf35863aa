#!/usr/bin/perl
# GET /openapi.json: the document is whole, follows the route table, the caller and the definition, and answers conform.

use strict;
use warnings;
use utf8;

use Catalogue::Definition;
use Catalogue::OpenApi;
use Catalogue::Test;
use Digest::SHA ();
use Test::More;

my $service    = Catalogue::Test->start->as_admin;
my $definition = Catalogue::Definition->new($service);
my %nobody     = (Authorization => undef);

my $reply = $service->get('/openapi.json');
is($reply->{status}, 200, 'the document is there');
is($reply->{headers}{'content-type'}, 'application/json', 'as JSON');
my $document = $reply->{json};
like($document->{openapi}, qr/^3\.1\./, 'of OpenAPI 3.1');
is($document->{servers}[0]{url}, $service->{base}, 'its server is this one');
is($service->get('/openapi.json', 'If-None-Match' => $reply->{headers}{etag})->{status}, 304,
	'unchanged it is not sent again');
is($service->get('/openapi.json', Accept => 'text/csv')->{status}, 406, 'it is JSON only');
is($service->get('/openapi.json')->{body}, $reply->{body}, 'asked for again it is the same');
my $elsewhere = $service->raw("GET /openapi.json HTTP/1.1\r\nHost: localhost:$service->{port}\r\n"
	. "Authorization: Bearer $service->{token}\r\n\r\n")->{replies}[0];
is($elsewhere->{json}{servers}[0]{url}, "http://localhost:$service->{port}", 'the server is the one that was asked');
my @tags;
for my $command ('', '/bin/false', '')
{
	$service->stop_shim;
	$service->{settings}{CATALOGUE_MAIL_COMMAND} = $command;
	@{ $service->{settings} }{qw(CATALOGUE_MAIL_FROM CATALOGUE_MAIL_TO)} = ('a@example.org', 'b@example.org');
	$service->start_shim;
	push @tags, $service->raw("GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n")->{replies}[0]{headers}{etag};
}
isnt($tags[1], $tags[0], 'a setting of the shim that adds a path changes the entity tag');
is($tags[2], $tags[0], 'which is the former one without it');
$document = ($reply = $service->get('/openapi.json'))->{json};
isnt($service->get('/openapi.json', %nobody)->{body}, $reply->{body}, 'another caller gets another one');
is($service->get('/openapi.json')->{body}, $reply->{body}, 'and the first one still its own');

# Call a function with each object of the document, and where it is.
sub walk
{
	my ($node, $place, $visit) = @_;
	if (ref $node eq 'HASH')
	{
		$visit->($node, $place);
		walk($node->{$_}, "$place/$_", $visit) for sort keys %$node;
	}
	elsif (ref $node eq 'ARRAY')
	{
		walk($node->[$_], "$place/$_", $visit) for 0 .. $#$node;
	}
	return;
}

# The component that a reference names; undef for none.
my $openapi = Catalogue::OpenApi->new($document);
sub component { return $openapi->component(@_) }

my (@dangling, %identifiers, @incomplete);
walk($document, '', sub {
	my ($node, $place) = @_;
	push @dangling, "$place $node->{'$ref'}" if exists $node->{'$ref'} && !defined component($node->{'$ref'})
});
is("@dangling", '', 'each reference has its component');
for my $path (sort keys %{ $document->{paths} })
{
	for my $verb (sort keys %{ $document->{paths}{$path} })
	{
		my $operation = $document->{paths}{$path}{$verb};
		my @success   = grep { /^2/ } keys %{ $operation->{responses} };
		my %named     = map { $_->{name} => 1 } grep { $_->{in} eq 'path' }
			map { component($_->{'$ref'}) } @{ $operation->{parameters} };
		my @words     = $path =~ /\{([^}]+)\}/g;
		$identifiers{ $operation->{operationId} }++;
		push @incomplete, "$verb $path: no response of success"  unless @success;
		push @incomplete, "$verb $path: no summary"              unless length $operation->{summary};
		push @incomplete, "$verb $path: a parameter of the path" unless @words == keys %named && !grep { !$named{$_} } @words;
	}
}
is(join(', ', @incomplete), '', 'each operation has a summary, responses and the parameters of its path');
is(join(', ', grep { $identifiers{$_} > 1 } sort keys %identifiers), '', 'identifiers are unique');

# each route that the caller may use is there, as OPTIONS has it
my %samples = ('/datasets' => '/datasets', '/datasets/{id}' => '/datasets/airports', '/tags/count' => '/tags/count',
	'/files/{id}/contents' => '/files/x/contents',
	'/datasets/{id}/publish' => '/datasets/airports/publish', '/users/login' => '/users/login', '/search' => '/search',
	'/datasets/{id}/tags' => '/datasets/airports/tags', '/logs' => '/logs', '/logs/{id}/undo' => '/logs/x/undo',
		'/query' => '/query');
for my $path (sort keys %samples)
{
	my %allowed = map { lc $_ => 1 } split /, /, $service->options($samples{$path})->{headers}{allow};
	delete @allowed{qw(head options)};
	is_deeply([ sort keys %{ $document->{paths}{$path} // {} } ], [ sort keys %allowed ],
		"$path has the verbs of OPTIONS");
}

# parameters, bodies and types as OPTIONS says
my ($post) = grep { $_->{verb} eq 'POST' } @{ $service->options('/tags')->{json}{methods} };
my $create = component('#/components/schemas/TagCreate');
is_deeply([ sort keys %{ $create->{properties} } ], [ sort keys %{ $post->{parameters} } ],
	'the body has the members of OPTIONS');
is_deeply($create->{required}, [ sort grep { $post->{parameters}{$_}{required} } keys %{ $post->{parameters} } ],
	'and needs the same');
is($create->{properties}{name}{maxLength}, $post->{parameters}{name}{max}, 'with the same limits');
is(component('#/components/schemas/User')->{properties}{password}, undef, 'a secret is in no record');
ok(component('#/components/schemas/UserCreate')->{properties}{password}{writeOnly}, 'but in a body');
my $listed = $document->{paths}{'/datasets'}{get}{responses}{200};
is(join(' ', keys %{ component($listed->{'$ref'})->{content} }), 'application/json', 'clients get JSON of lists');
is(join(' ', $openapi->types($listed)), 'application/json application/x-ndjson text/csv', 'lists are CSV as well');
for my $form (qw(post:/files put:/files/{id} put:/categories/{id}))
{
	my ($verb, $path) = split /:/, $form;
	is(join(' ', keys %{ $document->{paths}{$path}{$verb}{requestBody}{content} }), 'multipart/form-data',
		"$verb $path: clients send a form");
	ok((grep { $_ eq 'application/json' } $openapi->types($document->{paths}{$path}{$verb}{requestBody})),
		'and others may send JSON');
}
is(join(' ', keys %{ $document->{paths}{'/files/{id}'}{patch}{requestBody}{content} }), 'application/json',
	'a change without a file is JSON');
my $form = $document->{paths}{'/files'}{post}{requestBody}{content}{'multipart/form-data'}{schema};
is(join(' ', sort @{ $form->{required} }), 'dataset name organization owner updateFrequency uploadFile',
	'a form needs what the service does not find itself');
is("@{ $form->{properties}{uploadFile} }{qw(type format)}", 'string binary', 'its file is one');
is($document->{paths}{'/files/{id}'}{put}{requestBody}{content}{'multipart/form-data'}{schema}{required},
	undef, 'that of a change needs nothing');

# filters are parameters, one by one, with operators as names of their own; they are taken as the document has them
sub filters
{
	my ($path) = @_;
	return map { $_->{name} } grep { $_->{in} eq 'query' }
		map { component($_->{'$ref'}) } @{ $document->{paths}{$path}{get}{parameters} };
}
my %filters = map { $_ => 1 } filters('/datasets');
is(join(' ', grep { !$filters{$_} } qw(name name[ne] createdAt), map { "createdAt[$_]" } qw(gt gte lt lte)), '',
	'a list has filters and their operators');
ok(!$filters{'name[gte]'}, 'texts have no ranges there');
is(join(' ', grep { /\[/ } filters('/datasets/first')), '', 'the first record has filters without operators');
my @ignored = grep { $service->get("/datasets?$_=null&limit=1")->{json}{meta}{ignored} }
	map { s/\[/%5B/r =~ s/\]/%5D/r } grep { !/\[[gl]|^fields$/ } filters('/datasets');
is("@ignored", '', 'the service knows each');
is_deeply($document->{security}, [ { token => [] }, {} ], 'a client has a token or none');

# what a search finds is records, and a login gives a session
sub data_of
{
	my ($path, $verb) = @_;
	my $content = component($document->{paths}{$path}{$verb}{responses}{200}{'$ref'})->{content};
	return $content->{'application/json'}{schema}{properties}{data};
}
is(data_of('/search', 'get')->{'$ref'}, '#/components/schemas/Found', 'a search has a type');
is(component('#/components/schemas/Found')->{properties}{datasets}{items}{'$ref'}, '#/components/schemas/Dataset',
	'of records by resource');
is(data_of('/users/login', 'post')->{'$ref'}, '#/components/schemas/Session', 'a login has one');
is_deeply(component('#/components/schemas/Session')->{required}, [qw(token user username role)],
	'with all that it returns');
is(data_of('/clients/tokens', 'post')->{type}, 'string', 'a token of an application is a text');

ok(exists $document->{paths}{'/files/{id}'}{put}{responses}{201}, 'another file for a record may be uploaded in parts');
ok(!exists $document->{paths}{'/tags/{id}'}{patch}{responses}{201}, 'a change without a file creates nothing');

# the caller decides
my $public = $service->get('/openapi.json', %nobody)->{json};
ok(!exists $public->{paths}{'/users'}, 'an outsider sees no path of users');
ok(!exists $public->{paths}{'/logs/{id}/undo'}, 'nor of what is done to their records');
ok(!exists $public->{paths}{'/tags'}{post}, 'and no change that it may not make');
ok(exists $public->{paths}{'/datasetrequests'}{post}, 'but those that it may');
ok(!exists $public->{components}{schemas}{User}, 'nor their schema');
ok(!exists $public->{components}{schemas}{Found}{properties}{users}, 'nor that a search may find them');
ok(!exists $public->{components}{schemas}{Dataset}{properties}{createdBy}, 'nor fields for users');
my @known = map { $service->get('/openapi.json', %$_)->{headers}{etag} } {}, {%nobody};
isnt($known[0], $known[1], 'the states differ');

# a table that is exposed is there at once, and gone when it is hidden
$service->sql(q{CREATE TABLE public.bridges (id catalogue.id PRIMARY KEY, name varchar(40) NOT NULL, length integer,
	created_at timestamptz NOT NULL DEFAULT now(),
	updated_at timestamptz NOT NULL DEFAULT now(), deleted_at timestamptz); SELECT catalogue.expose('public.bridges',
		'Bridge')});
$document = $service->get('/openapi.json')->{json};
is_deeply([ sort keys %{ $document->{paths}{'/bridges'} } ], [qw(get post)], 'an exposed table has paths');
is($document->{components}{schemas}{BridgeCreate}{properties}{name}{maxLength}, 40, 'and schemas');
# one that gets a child is not available, and says so, until it has none
$service->sql('CREATE TABLE public.tunnels () INHERITS (public.bridges)');
for my $reply ($service->get('/bridges'), $service->post('/bridges', { name => 'Tower' }))
{
	is_deeply([ $reply->{status}, @{ $reply->{json}{meta} }{qw(code message)} ],
		[ 503, 'E_UNAVAILABLE', 'resource "bridges" is not available: its table has been changed' ], 'a table with a child');
}
$service->sql('DROP TABLE public.tunnels');
is($service->get('/bridges')->{status}, 200, 'without it the table is read');
$service->sql(q{SELECT catalogue.hide('public.bridges'); DROP TABLE public.bridges});
ok(!exists $service->get('/openapi.json')->{json}{paths}{'/bridges'}, 'a hidden one has none');

# answers conform: their status is documented, and their bodies are as the document says
my $api = Catalogue::OpenApi->new($document = $service->get('/openapi.json')->{json});
my @resources = grep { exists $document->{paths}{"/$_"} } qw(users organizations categories statuses filetypes
	updatefrequencies tags datasets files charts basemaps maps views configs logs statistics soapservices restservices
	databases datasetrequests questions jobs fetches);
my @requests = map { [ 'GET', $_, $_ ] } map { ("/$_", "/$_/count", "/$_/first") } @resources;
push @requests, [ 'GET', '/datasets/airports', '/datasets/{id}' ], [ 'GET', '/datasets?limit=1', '/datasets' ],
	[ 'GET', '/datasets?limit=x', '/datasets' ],
	[ 'GET', '/datasets/airports/tags', '/datasets/{id}/tags' ], [ 'GET', '/search?query=air', '/search' ],
		[ 'GET', '/tags/zzz', '/tags/{id}' ], [ 'GET', '/roles', '/roles' ],
	[ 'POST', '/users/login', '/users/login', { username => 'admin', password => $ENV{CATALOGUE_ADMIN_PASSWORD} } ],
		[ 'GET', '/health', '/health' ], [ 'POST', '/tags', '/tags', {} ],
		[ 'POST', '/tags', '/tags', { name => 'conforming' } ], [ 'POST', '/tags', '/tags', { name => 'conforming' } ],
	[ 'PATCH', '/tags/conforming', '/tags/{id}', { name => 'conformed' } ], [ 'DELETE', '/tags/conformed', '/tags/{id}' ],
		[ 'GET', '/', '/' ];
for (@requests)
{
	my ($verb, $path, $documented, $body) = @$_;
	my $answer    = $service->request($verb, $path, $body, Prefer => 'return=representation');
	my $operation = $document->{paths}{$documented}{ lc $verb };
	ok($operation->{responses}{ $answer->{status} }, "$verb $path: status $answer->{status} is documented");
	is($api->path_of($path =~ s/\?.*//sr), $documented, "$verb $path: the path is $documented");
	is(join(', ',
		$api->answer_faults({ %$answer, verb => $verb, path => $path, type => $answer->{headers}{'content-type'} })), '',
		"$verb $path: the answer conforms");
}

$service->finish;
