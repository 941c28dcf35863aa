#!/usr/bin/perl
# OPTIONS: the methods of a path, for every caller; those that the caller may use; the fields of a change with the
# part of a form for a file; filters, none of which is required.

use strict;
use warnings;

use Test::More;
use Catalogue::Client qw($json);
use Catalogue::OpenApi;
use Catalogue::Test;
use Catalogue::Definition;

my $service    = Catalogue::Test->shared->as_admin;
my $definition = Catalogue::Definition->new($service);
my %nobody     = (Authorization => undef);

# The parameters of a method.
sub parameters
{
	my ($path, $verb, %headers) = @_;
	my ($entry) = grep { $_->{verb} eq $verb } @{ $service->options($path, %headers)->{json}{methods} };
	return $entry ? $entry->{parameters} : undef;
}

# Allow has the methods of the path; "methods" has those that the caller may use
for my $path ('/tags', '/datasets/zzzzzzzzzzzzzzz')
{
	my ($admin, $nobody) = ($service->options($path), $service->options($path, %nobody));
	is($nobody->{headers}{allow}, $admin->{headers}{allow}, "$path: Allow is the same for all");
	is_deeply([ map { $_->{verb} } @{ $nobody->{json}{methods} } ], [qw(GET HEAD OPTIONS)], "$path: an outsider may read");
	is(join(', ', map { $_->{verb} } @{ $admin->{json}{methods} }), $admin->{headers}{allow},
		"$path: a superadmin may use all methods");
}
# the types that come for bytes
my %types = ('/datasets/airports/download' => 'application/zip', '/categories/transport/image' => 'image/svg+xml, '
	. 'image/png, image/jpeg, image/webp', '/files/list-of-airports/download' => '*/*');
my $described = $json->decode($service->get('/openapi.json')->{body});
my $openapi   = Catalogue::OpenApi->new($described);
for my $path (sort keys %types)
{
	is($service->options($path)->{json}{methods}[0]{headers}{Accept}, $types{$path}, "$path: Accept");
	my $named   = $path =~ s|^(/\w+/)[^/]*|$1 . "{id}"|er;
	is(join(', ', $openapi->types($described->{paths}{$named}{get}{responses}{200})),
		join(', ', sort split /, /, $types{$path}), 'and in the OpenAPI document');
}
is($service->options('/tags/zzzzzzzzzzzzzzz')->{headers}{allow}, 'GET, HEAD, PATCH, PUT, DELETE, OPTIONS',
	'Allow of a record has all methods') || diag $service->options('/tags/zzzzzzzzzzzzzzz')->{headers}{allow};

# Prefer: OPTIONS lists the preferences that a request applies, with their defaults
my %other = (return => 'representation', relations => 'embedded', color => 'css', handling => 'strict');
my %usual = (return => 'minimal', relations => 'ids', color => 'bare', handling => 'lenient');
my $tag    = $definition->create('tags');
my $login  = { username => 'nobody', password => 'wrong' };
for (
	[ 'POST',  '/users/login',    $login, 'handling' ],
	[ 'POST',  '/clients/tokens', { consumer => 'x', consumerId => 'x' }, 'handling' ],
	[ 'GET',   '/health',         undef, 'handling' ],
	[ 'GET',   '/roles',          undef, 'handling' ],
	[ 'GET',   '/tags/count',     undef, 'handling' ],
	[ 'GET',   "/tags/$tag/versions", undef, 'color', 'handling' ],
	[ 'GET',   '/tags',           undef, 'relations', 'color', 'handling' ],
	[ 'GET',   '/search',         undef, 'relations', 'color', 'handling' ],
	[ 'PATCH', "/tags/$tag",      { name => 'of options' }, 'return', 'relations', 'color', 'handling' ],
  )
{
	my ($verb, $path, $body, @names) = @$_;
	my ($entry) = grep { $_->{verb} eq $verb } @{ $service->options($path)->{json}{methods} };
	is($entry->{headers}{Prefer}, join(', ', map { "$_=$usual{$_}" } @names), "$verb $path: Prefer is listed");
	my $reply = $service->request($verb, $path, $body, Prefer => join(', ', map { "$_=$other{$_}" } sort keys %other));
	is($reply->{headers}{'preference-applied'}, join(', ', map { "$_=$other{$_}" } @names),
		"$verb $path: the listed preferences are applied") || diag $reply->{text};
}

# forms: the part for the file beside the fields, for resources with files
my $id = $definition->create('files');
for ([ '/files', 'POST', 'uploadFile' ], [ "/files/$id", 'PUT', 'uploadFile' ], [ "/files/$id", 'PATCH', 'uploadFile' ],
	[ '/categories', 'POST', 'uploadImage' ])
{
	my ($path, $verb, $part) = @$_;
	my $parameters = parameters($path, $verb);
	is_deeply($parameters->{$part}, { type => 'file', in => 'multipart/form-data' }, "$verb $path: the part $part");
	ok($parameters->{name}, "$verb $path: the fields");
	my ($entry) = grep { $_->{verb} eq $verb } @{ $service->options($path)->{json}{methods} };
	like($entry->{headers}{'Content-Type'}, qr{multipart/form-data}, "$verb $path: the type of a form");
}
is(parameters('/tags', 'POST')->{uploadFile}, undef, 'a resource without files has no part for a file');

# required fields are required in a creation, and in no filter
for my $resource (qw(datasets files users configs))
{
	my @required = grep { $_->{required} } $definition->writable_fields($resource);
	is_deeply([ grep { !parameters("/$resource", 'POST')->{$_}{required} } map { $_->{name} } @required ], [],
		"$resource: a creation requires the required fields");
	for my $path ("/$resource", "/$resource/count", "/$resource/search")
	{
		my $filters = parameters($path, 'GET');
		is_deeply([ grep { grep { /^(required|unique|readOnly)$/ } keys %{ $filters->{$_} } } sort keys %$filters ], [],
			"$path: no filter is required");
		is_deeply([ grep { !$filters->{$_}{type} } sort keys %$filters ], [], "$path: each filter has a type");
		ok($filters->{createdAt}, "$path: fields are filters");
	}
}
is(parameters('/tags', 'GET')->{limit}{default}, 20, 'parameters have default values');

$service->finish;
