#!/usr/bin/perl
# The catalogue as DCAT: types, pages, conditions, and nothing that outsiders do not see.  full/dcat-formats reads the
# three formats by parsers that are not ours.

use strict;
use warnings;

use Catalogue::Definition;
use Catalogue::Test;
use Cpanel::JSON::XS ();
use Test::More;

my $service    = Catalogue::Test->shared->as_admin;
my $definition = Catalogue::Definition->new($service);
my $published  = 'qWRhpRV';
my %nobody     = (Authorization => undef);
my %types      = ('application/ld+json' => 'application/ld+json', 'text/turtle' => 'text/turtle; charset=utf-8',
	'application/rdf+xml' => 'application/rdf+xml');

my $airfields = $definition->create('datasets', name => 'Airfields', status => $published);

# types: the default, and what a client wants most
is($service->get('/catalog', Accept => $_->[0])->{headers}{'content-type'}, $_->[1], 'Accept: ' . ($_->[0] // 'none'))
	for [ undef, 'application/ld+json' ], [ '*/*', 'application/ld+json' ],
	[ 'text/*', $types{'text/turtle'} ], [ 'text/turtle;q=0.5, application/rdf+xml', 'application/rdf+xml' ],
		[ 'application/json', 'application/json' ],
	[ 'text/html,application/xhtml+xml,*/*;q=0.8', 'application/ld+json' ];
is_deeply($service->get('/catalog', Accept => 'application/json')->{json}, $service->get('/catalog')->{json},
	'as JSON it is JSON-LD');
is($service->get('/catalog',           Accept => $_)->{status}, 406, "/catalog: Accept: $_: not acceptable")
	for 'text/csv', 'application/xml', 'text/turtle;q=0';
is($service->get('/datasets/airfields', Accept => $_)->{status}, 406, "a dataset: Accept: $_: not acceptable")
	for 'text/csv', 'application/xml';
is($service->get('/tags/water', Accept => 'text/turtle')->{status}, 406, 'other resources are no RDF');
is($service->get('/datasets', Accept => 'text/turtle')->{status}, 406, 'nor is the list of datasets');
is($service->get('/datasets/airfields', Accept => '*/*')->{headers}{'content-type'}, 'application/json',
	'a dataset is JSON unless RDF is wanted');
is($service->get('/datasets/airfields', Accept => 'application/json, text/turtle')->{headers}{'content-type'},
	'application/json', 'and where both are wanted');

# Croissant is JSON-LD of that profile
my $croissant = 'application/ld+json;profile="http://mlcommons.org/croissant/1.0"';
for my $case ([ $croissant, $croissant ],
	[ 'application/ld+json; profile="http://mlcommons.org/croissant/1.1", application/json;q=0.9', $croissant ],
	[ "$croissant;q=0.1, application/json", 'application/json' ],
	[ "$croissant;q=0, application/json", 'application/json' ],
		[ 'application/ld+json;profile="http://www.w3.org/ns/dx/prof"', 'application/ld+json' ])
{
	my ($accept, $type) = @$case;
	is($service->get('/datasets/airfields', Accept => $accept)->{headers}{'content-type'}, $type,
		"Croissant: Accept: $accept");
}
my $asked = $service->get('/datasets/airfields', Accept => $croissant, %nobody);
is($asked->{json}{conformsTo}, 'http://mlcommons.org/croissant/1.0', 'Croissant: its version');
is($asked->{json}{url}, "$service->{base}/datasets/$airfields", 'Croissant: where the dataset is');
is($service->get('/datasets/airfields', Accept => $croissant, 'If-None-Match' => $asked->{headers}{etag},
	%nobody)->{status}, 304, 'Croissant: 304');
isnt($asked->{headers}{etag}, $service->get('/datasets/airfields', Accept => 'application/ld+json',
	%nobody)->{headers}{etag}, 'its tag is not that of other JSON-LD');

# addresses begin with that of the service, as the client knows it
my $reply = $service->raw("GET /catalog HTTP/1.1\r\nHost: localhost:$service->{port}\r\n\r\n")->{replies}[0];
like($reply->{body}, qr{"\@id":"http://localhost:$service->{port}/catalog"}, 'the host that was asked');
unlike($reply->{body}, qr/127\.0\.0\.1/, 'and no other');
$reply = $service->raw("GET /catalog HTTP/1.1\r\nHost: evil.example\r\n\r\n")->{replies}[0];
unlike($reply->{body}, qr/evil/, 'a host that may not be linked is in no address');

# pages: following next gives each dataset once
my @names = sort map { "Page $_" } 1 .. 7;
$definition->create('datasets', name => $_, status => $published) for @names;
my ($link, $pages, @seen) = ("$service->{base}/catalog?name=Page&limit=3", 0);
while (defined $link && $pages++ < 10)
{
	my $nodes = $service->follow($link)->{json}{'@graph'};
	push @seen, map { $_->{'dct:title'} } grep { $_->{'@type'} eq 'dcat:Dataset' } @$nodes;
	my ($view) = grep { $_->{'@type'} eq 'hydra:PartialCollectionView' } @$nodes;
	$link = $view->{'hydra:next'}{'@id'};
}
is_deeply([ sort @seen ], \@names, 'each dataset is on one page');
is($pages, 3, 'of three');
my ($catalog) = @{ $service->get('/catalog?name=Page&limit=2')->{json}{'@graph'} };
is($catalog->{'hydra:totalItems'}{'@value'}, 7, 'the number of all');
is(scalar @{ $catalog->{'dcat:dataset'} }, 2, 'the datasets of the page');

# conditions and methods
for my $path ('/catalog', '/datasets/airfields')
{
	for my $type (sort keys %types)
	{
		my $first = $service->get($path, Accept => $type);
		my $etag  = $first->{headers}{etag};
		my $head  = $service->head($path, Accept => $type);
		is($head->{headers}{$_}, $first->{headers}{$_}, "HEAD $path as $type: the same $_")
			for qw(content-type content-length etag);
		is($head->{body}, '', "HEAD $path as $type: no body");
		is($service->get($path, Accept => $type, 'If-None-Match' => $etag)->{status}, 304, "$path as $type: unchanged");
		is($service->get($path, Accept => $type, 'If-None-Match' => '*')->{status}, 304, "$path as $type: any");
		is($service->get($path, Accept => $type, 'If-Match' => '"x"')->{status}, 412,
			"$path as $type: If-Match of another state");
		my ($other) = grep { $_ ne $type } sort keys %types;
		is($service->get($path, Accept => $other, 'If-None-Match' => $etag)->{status}, 200,
			"$path: the tag of $type is not that of $other");
		like($first->{headers}{vary}, qr/\bAccept\b/, "$path as $type: caches are told that the type varies");
	}
}
my %known = map { $_ => $service->get($_, Accept => 'text/turtle')->{headers}{etag} } '/catalog', '/datasets/airfields';
is($service->patch('/datasets/airfields', { description => 'changed' },
	'If-Match' => $known{'/datasets/airfields'})->{status}, 200, 'the tag of RDF is good for a change of the record');
is($service->get($_, Accept => 'text/turtle', 'If-None-Match' => $known{$_})->{status}, 200,
	"$_ has changed with the dataset") for sort keys %known;
is($service->patch('/datasets/airfields', { description => 'again' },
	'If-Match' => $known{'/datasets/airfields'})->{status}, 412, 'an old one is not');
is($service->request($_, '/catalog', {})->{status}, 405, "$_ is not allowed") for qw(POST PUT PATCH DELETE);
my ($entry) = @{ $service->options('/catalog')->{json}{methods} };
is($entry->{headers}{Accept}, 'application/ld+json, text/turtle, application/rdf+xml, application/json',
	'OPTIONS names the types');
is($entry->{parameters}{limit}{max}, 1000, 'and the limit');
($entry) = @{ $service->options('/datasets/airfields')->{json}{methods} };
like($entry->{headers}{Accept}, qr{\Q$_\E}, "also of a dataset: $_")
	for 'application/ld+json, application/ld+json;profile="http://mlcommons.org/croissant/1.0", text/turtle, '
		. 'application/rdf+xml';
like($service->get('/')->{json}{links}{catalog}, qr{/catalog$}, 'the entry point has a link to it');
is($service->get("/catalog?$_")->{status}, 422, "?$_: refused") for 'limit=x', 'skip=-1', 'condition=xor', 'version=x';
is($service->get('/catalog?nonsense=1', Prefer => 'handling=strict')->{status}, 422,
	'an unknown parameter is refused where that is wanted');

# what outsiders do not see is in no document, whoever asks, nor can it be found out by conditions
my %hidden = (draft => $definition->create('datasets', name => 'Secret draft'), hidden => $definition->create(
	'datasets', name => 'Secret hidden', status => $published, visible => Cpanel::JSON::XS::false),
	deleted => $definition->create('datasets', name => 'Secret deleted', status => $published),
		withdrawn => $definition->create('datasets', name => 'Secret withdrawn', status => $published));
$service->delete("/datasets/$hidden{deleted}");
$service->patch("/datasets/$hidden{withdrawn}/unpublish");
my $state = $service->get('/catalog', %nobody)->{headers}{etag};
for my $caller ({}, {%nobody})
{
	my $who = %$caller ? 'an outsider' : 'an administrator';
	unlike($service->get("/catalog?limit=1000$_", %$caller)->{body}, qr/Secret [dhw]/,
		"$who: nothing hidden in the catalogue, $_") for '', '&name=Secret', '&query=Secret', '&status=nWRhpRV',
		'&visible=false',
		'&deleted=with', '&deleted=only', '&fields=name&include=owner', '&include=createdBy';
	for my $kind (sort keys %hidden)
	{
		my $answer = $service->get("/datasets/$hidden{$kind}", %$caller, Accept => 'text/turtle');
		is($answer->{status}, 404, "$who: the $kind dataset is not found");
		is($answer->{headers}{etag}, undef, "$who: and has no tag");
		is($service->get("/datasets/$hidden{$kind}", %$caller, Accept => 'text/turtle', 'If-None-Match' => '*')->{status},
			404, "$who: nor any state");
	}
}
is($service->patch("/datasets/$hidden{draft}", { description => 'work' })->{status}, 200, 'a draft is changed');
is($service->get('/catalog', %nobody, 'If-None-Match' => $state)->{status}, 304, 'the tag of outsiders does not tell');
my $file = $definition->create('files', name => 'Secret file',
	dataset => $service->get('/datasets/airfields')->{json}{data}{id});
unlike($service->get('/datasets/airfields', Accept => 'text/turtle')->{body}, qr/Secret/,
	'a file that is a draft is not in its dataset');
like($service->patch("/files/$file", { status => $published })->{status}, qr/^200/, 'the file is published');
like($service->get('/datasets/airfields', Accept => 'text/turtle')->{body}, qr/Secret file/, 'then it is');
unlike($service->get('/catalog?limit=1000')->{body}, qr/admin\@example\.org|First Administrator/, 'no user is named');

# credentials, and a private service
is($service->get('/catalog', Authorization => 'Bearer nonsense')->{status}, 401, 'a bad credential is refused');
my $private = Catalogue::Test->shared('private');
is($private->get('/catalog')->{status}, 401, 'the catalogue of a private service needs a credential');
is($private->get('/datasets/airfields', Accept => 'text/turtle')->{status}, 401, 'so does a dataset');
is($private->as_admin->get('/catalog')->{status}, 200, 'a user gets it');

$private->end_service;
$service->finish;
