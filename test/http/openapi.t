#!/usr/bin/perl
# GET /openapi.json: the document is whole, follows the route table, the caller and the definition, and answers conform.

use strict;
use warnings;
use utf8;

use Catalogue::Definition;
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
is($service->get('/openapi.json', 'If-None-Match' => $reply->{headers}{etag})->{status}, 304, 'unchanged it is not sent again');
is($service->get('/openapi.json', Accept => 'text/csv')->{status}, 406, 'it is JSON only');
is($service->get('/openapi.json')->{body}, $reply->{body}, 'asked for again it is the same');
my $elsewhere = $service->raw("GET /openapi.json HTTP/1.1\r\nHost: localhost:$service->{port}\r\nAuthorization: Bearer $service->{token}\r\n\r\n")->{replies}[0];
is($elsewhere->{json}{servers}[0]{url}, "http://localhost:$service->{port}", 'the server is the one that was asked');
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
sub component
{
	my ($reference) = @_;
	my $node = $document;
	for my $word (split m{/}, substr($reference, 2))
	{
		return unless ref $node eq 'HASH';
		$node = $node->{$word};
	}
	return $node;
}

my (@dangling, %identifiers, @incomplete);
walk($document, '', sub { my ($node, $place) = @_; push @dangling, "$place $node->{'$ref'}" if exists $node->{'$ref'} && !defined component($node->{'$ref'}) });
is("@dangling", '', 'each reference has its component');
for my $path (sort keys %{ $document->{paths} })
{
	for my $verb (sort keys %{ $document->{paths}{$path} })
	{
		my $operation = $document->{paths}{$path}{$verb};
		my @success   = grep { /^2/ } keys %{ $operation->{responses} };
		my %named     = map { $_->{name} => 1 } grep { $_->{in} eq 'path' } map { component($_->{'$ref'}) } @{ $operation->{parameters} };
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
my %samples = ('/datasets' => '/datasets', '/datasets/{id}' => '/datasets/airports', '/tags/count' => '/tags/count', '/files/{id}/contents' => '/files/x/contents',
	'/datasets/{id}/publish' => '/datasets/airports/publish', '/users/login' => '/users/login', '/search' => '/search', '/events' => '/events',
	'/datasets/{id}/tags' => '/datasets/airports/tags', '/logs' => '/logs', '/logs/{id}/undo' => '/logs/x/undo', '/query' => '/query');
for my $path (sort keys %samples)
{
	my %allowed = map { lc $_ => 1 } split /, /, $service->options($samples{$path})->{headers}{allow};
	delete @allowed{qw(head options)};
	is_deeply([ sort keys %{ $document->{paths}{$path} // {} } ], [ sort keys %allowed ], "$path has the verbs of OPTIONS");
}

# parameters, bodies and types as OPTIONS says
my ($post) = grep { $_->{verb} eq 'POST' } @{ $service->options('/tags')->{json}{methods} };
my $create = component('#/components/schemas/TagCreate');
is_deeply([ sort keys %{ $create->{properties} } ], [ sort keys %{ $post->{parameters} } ], 'the body has the members of OPTIONS');
is_deeply($create->{required}, [ sort grep { $post->{parameters}{$_}{required} } keys %{ $post->{parameters} } ], 'and needs the same');
is($create->{properties}{name}{maxLength}, $post->{parameters}{name}{max}, 'with the same limits');
is(component('#/components/schemas/User')->{properties}{password}, undef, 'a secret is in no record');
ok(component('#/components/schemas/UserCreate')->{properties}{password}{writeOnly}, 'but in a body');
ok(exists $document->{paths}{'/datasets'}{get}{responses}{200}{content}{'text/csv'}, 'lists are CSV as well');
ok(exists $document->{paths}{'/files'}{post}{requestBody}{content}{'multipart/form-data'}, 'a file is uploaded by a form');

# the caller decides
my $public = $service->get('/openapi.json', %nobody)->{json};
ok(!exists $public->{paths}{'/users'}, 'an outsider sees no path of users');
ok(!exists $public->{paths}{'/logs/{id}/undo'}, 'nor of what is done to their records');
ok(!exists $public->{paths}{'/tags'}{post}, 'and no change that it may not make');
ok(exists $public->{paths}{'/datasetrequests'}{post}, 'but those that it may');
ok(!exists $public->{components}{schemas}{User}, 'nor their schema');
ok(!exists $public->{components}{schemas}{Dataset}{properties}{createdBy}, 'nor fields for users');
my @known = map { $service->get('/openapi.json', %$_)->{headers}{etag} } {}, {%nobody};
isnt($known[0], $known[1], 'the states differ');

# a table that is exposed is there at once, and gone when it is hidden
$service->sql(q{CREATE TABLE public.bridges (id catalogue.id PRIMARY KEY, name varchar(40) NOT NULL, length integer, created_at timestamptz NOT NULL DEFAULT now(),
	updated_at timestamptz NOT NULL DEFAULT now(), deleted_at timestamptz); SELECT catalogue.expose('public.bridges', 'Bridge')});
$document = $service->get('/openapi.json')->{json};
is_deeply([ sort keys %{ $document->{paths}{'/bridges'} } ], [qw(get post)], 'an exposed table has paths');
is($document->{components}{schemas}{BridgeCreate}{properties}{name}{maxLength}, 40, 'and schemas');
$service->sql(q{SELECT catalogue.hide('public.bridges'); DROP TABLE public.bridges});
ok(!exists $service->get('/openapi.json')->{json}{paths}{'/bridges'}, 'a hidden one has none');

# Faults of a value against a schema, as far as the document uses JSON Schema.
sub faults
{
	my ($value, $schema, $place) = @_;
	return faults($value, component($schema->{'$ref'}), $place) if exists $schema->{'$ref'};
	my @types = ref $schema->{type} ? @{ $schema->{type} } : $schema->{type} // ();
	my $is    = !defined $value ? 'null' : ref $value eq 'HASH' ? 'object' : ref $value eq 'ARRAY' ? 'array' : JSON::PP::is_bool($value) ? 'boolean' : 'string';
	my @faults;
	push @faults, "$place is $is" if @types && !grep { $_ eq $is || ($is eq 'string' && /^(integer|number)$/ && $value =~ /^-?\d/) } @types;
	if ($is eq 'object')
	{
		push @faults, map { "$place/$_ is missing" } grep { !exists $value->{$_} } @{ $schema->{required} // [] };
		for my $name (sort keys %$value)
		{
			my $member = ($schema->{properties} // {})->{$name};
			push @faults, faults($value->{$name}, $member, "$place/$name") if $member;
			push @faults, "$place/$name is not documented" if !$member && $schema->{properties} && $place ne '/meta';
		}
	}
	push @faults, map { faults($value->[$_], $schema->{items}, "$place/$_") } 0 .. $#$value if $is eq 'array' && $schema->{items};
	push @faults, "$place is not one of the values" if $schema->{enum} && !grep { !defined $_ ? !defined $value : defined $value && $_ eq $value } @{ $schema->{enum} };
	return @faults;
}

# answers conform: their status is documented, and their bodies are as the document says
$document = $service->get('/openapi.json')->{json};
my @requests = map { [ 'GET', "/$_", "/$_" ], [ 'GET', "/$_/count", "/$_/count" ], [ 'GET', "/$_/first", "/$_/first" ] } grep { exists $document->{paths}{"/$_"} } qw(users organizations categories statuses filetypes
	updatefrequencies tags datasets files charts basemaps maps views configs logs statistics soapservices restservices databases datasetrequests jobs fetches);
push @requests, [ 'GET', '/datasets/airports', '/datasets/{id}' ], [ 'GET', '/datasets?limit=1', '/datasets' ], [ 'GET', '/datasets?limit=x', '/datasets' ],
	[ 'GET', '/datasets/airports/tags', '/datasets/{id}/tags' ], [ 'GET', '/search?query=air', '/search' ], [ 'GET', '/tags/zzz', '/tags/{id}' ], [ 'GET', '/roles', '/roles' ],
	[ 'GET', '/health', '/health' ], [ 'POST', '/tags', '/tags', {} ], [ 'POST', '/tags', '/tags', { name => 'conforming' } ], [ 'POST', '/tags', '/tags', { name => 'conforming' } ],
	[ 'PATCH', '/tags/conforming', '/tags/{id}', { name => 'conformed' } ], [ 'DELETE', '/tags/conformed', '/tags/{id}' ], [ 'GET', '/', '/' ];
for (@requests)
{
	my ($verb, $path, $documented, $body) = @$_;
	my $answer    = $service->request($verb, $path, $body, Prefer => 'return=representation');
	my $operation = $document->{paths}{$documented}{ lc $verb };
	my $response  = $operation->{responses}{ $answer->{status} };
	my $found     = ok($response, "$verb $path: status $answer->{status} is documented");
	next unless $found;
	$response = component($response->{'$ref'}) if $response->{'$ref'};
	is(join(', ', faults($answer->{json}, $response->{content}{'application/json'}{schema}, '')), '', "$verb $path: the body conforms");
}

$service->finish;
