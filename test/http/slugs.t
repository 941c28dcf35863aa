#!/usr/bin/perl
# A slug in place of an id: every path of a record gives the same answer for both, with the same entity tag, and
# links have the id.  Callers who do not see a record cannot find out about it by its slug.

use strict;
use warnings;

use Test::More;
use Catalogue::Test;
use Catalogue::Definition;
use Catalogue::Upload;

my $service    = Catalogue::Test->shared->as_admin;
my $definition = Catalogue::Definition->new($service);
my $uploads    = Catalogue::Upload->new($service);
my %nobody     = (Authorization => undef);

# The answer without the request id and the time; the second part of an entity tag depends on the path.
sub answer
{
	my ($reply) = @_;
	my %headers = map { $_ => $reply->{headers}{$_} } qw(etag link allow location content-type content-range digest);
	$headers{etag} =~ s/-[^-]+$// if defined $headers{etag};
	return { status => $reply->{status}, body => $reply->{body}, %headers };
}

sub alike
{
	my ($verb, $resource, $id, $slug, $rest, $name, %headers) = @_;
	my $by_id   = $service->request($verb, "/$resource/$id$rest", undef, %headers);
	my $by_slug = $service->request($verb, "/$resource/$slug$rest", undef, %headers);
	is_deeply(answer($by_slug), answer($by_id), "$resource: $verb $rest $name: the same answer by slug");
	return $by_slug;
}

my @resources = grep { my $r = $_; grep { $_->{name} eq 'slug' } $definition->fields($r) } $definition->writable;
cmp_ok(scalar(@resources), '>=', 7, "resources with slugs: @resources");
for my $resource (@resources)
{
	my $id   = $definition->create($resource);
	my $slug = $service->get("/$resource/$id")->{json}{data}{slug};
	isnt($slug, $id, "$resource: the slug differs from the id");

	my $item = alike('GET', $resource, $id, $slug, '', 'item');
	is($item->{json}{links}{self}, "$service->{base}/$resource/$id", "$resource: the link self has the id");
	alike('HEAD', $resource, $id, $slug, '', 'item');
	alike('OPTIONS', $resource, $id, $slug, '', 'item');
	is($service->get("/$resource/$slug", 'If-None-Match' => $item->{headers}{etag})->{status}, 304,
		"$resource: the entity tag gets 304");
	alike('GET', $resource, $id, $slug, '?fields=id&include=createdBy', 'parts')
		if grep { $_->{name} eq 'createdBy' } $definition->relations($resource);
	for my $relation (sort keys %{ $item->{json}{links}{collections} }, 'versions')
	{
		alike('GET', $resource, $id, $slug, "/$relation", 'relation');
		alike('OPTIONS', $resource, $id, $slug, "/$relation", 'relation');
	}
	alike('GET', $resource, $id, $slug, '/versions?limit=1', 'a page');

	# updates with the current entity tag and with another one
	my $patched = $service->patch("/$resource/$slug", { deletedAt => undef }, 'If-Match' => $item->{headers}{etag});
	is($patched->{status}, 200, "$resource: updated by slug");
	is($patched->{json}{links}{record}, "$service->{base}/$resource/$id", "$resource: the link of the record has the id");
	is($service->patch("/$resource/$slug", { name => 'never' }, 'If-Match' => '"nonesuch"')->{status}, 412,
		"$resource: If-Match is checked by slug");
	is($service->delete("/$resource/$slug")->{status}, 200, "$resource: deleted by slug");
	is($service->get("/$resource/$slug")->{status}, 404, "$resource: a deleted record is not found by its slug");
	is($service->post("/$resource/$slug/restore")->{status}, 404, "$resource: it is not restored by its slug");
	is($service->post("/$resource/$id/restore")->{json}{links}{record}, "$service->{base}/$resource/$id",
		"$resource: it is restored by its id");
}

# links of related lists have the id, as JSON and as CSV
my $category = $definition->create('categories');
my $named    = $service->get("/categories/$category")->{json}{data}{slug};
$definition->create('datasets', categories => [$category]) for 1 .. 3;
for my $accept ('application/json', 'text/csv')
{
	my $page = alike('GET', 'categories', $category, $named, '/datasets?limit=1', "as $accept", Accept => $accept);
	is($page->{status}, 206, "a page as $accept");
	like($page->{headers}{link}, qr{<\Q$service->{base}\E/categories/$category/datasets\?limit=1&skip=1},
		"the next page as $accept has the id");
}

# files: rows, columns, bytes, other formats, new bytes
my $made = $uploads->file('rows.csv', "a,b\n1,x\n2,y\n", name => 'Rows by slug', status => 'qWRhpRV');
my ($file, $slug) = @$made{qw(id slug)};
$service->sql("SELECT catalogue.contents_load('$file', '[[\"a\",\"b\"],[\"1\",\"x\"],[\"2\",\"y\"]]')");
alike('GET', 'files', $file, $slug, "/$_", 'of a file')
	for qw(contents contents?limit=1 columns schema sheets issues resources download view download/json download/csv);
alike('GET', 'files', $file, $slug, '/contents', 'as CSV', Accept => 'text/csv');
like($service->get("/files/$slug/contents?limit=1")->{json}{links}{$_}, qr{/files/$file(/contents|$)},
	"rows: the link $_ has the id") for qw(next all file);
my ($form, %type) = form(part('uploadFile', "a,b\n3,z\n", file => 'rows.csv'));
is($service->request('PUT', "/files/$slug", $form, %type)->{json}{links}{record}, "$service->{base}/files/$file",
	'the bytes of a file are replaced by slug');
is($service->get("/files/$file/download")->{body}, "a,b\n3,z\n", 'the file has the new bytes');
alike('GET', 'datasets', $uploads->{dataset}, $service->get("/datasets/$uploads->{dataset}")->{json}{data}{slug},
	'/filetypes', 'types of files');

# the image of a category
($form, %type) = form(part('uploadImage', '<svg xmlns="http://www.w3.org/2000/svg"/>', file => 'a.svg'));
is($service->request('PUT', "/categories/$named", $form, %type)->{status}, 200, 'an image is added by slug');
alike('GET', 'categories', $category, $named, '/image', 'image');

# an action; for outsiders a hidden record is the same as one that does not exist
my $dataset = $definition->create('datasets', name => 'Seen by few');
is($service->request('PATCH', '/datasets/seen-by-few/publish')->{json}{links}{record},
	"$service->{base}/datasets/$dataset", 'a dataset is published by slug');
is($service->get('/datasets/seen-by-few', %nobody)->{status}, 200, 'a published dataset is visible by slug');
is($service->request('PATCH', '/datasets/seen-by-few/unpublish')->{status}, 200, 'a dataset is unpublished by slug');
for my $path ('', '/files', '/status', '/versions', '/download', '/filetypes')
{
	my ($hidden, $none) = map { $service->get("/datasets/$_$path", %nobody) } qw(seen-by-few seen-by-none);
	is($hidden->{status}, 404, "hidden$path: 404");
	(my $body = $hidden->{body}) =~ s/seen-by-few/seen-by-none/g;
	is($body, $none->{body}, "hidden$path: the same as for an unknown slug");
}
is($service->options('/datasets/seen-by-few', %nobody)->{body} =~ s/seen-by-few/seen-by-none/gr, $service->options(
	'/datasets/seen-by-none', %nobody)->{body}, 'OPTIONS of a hidden record: the same as for an unknown slug');

# no slug is a word of a path: whatever word may follow a resource, a record of that name has an address of its own
my %words = map { m!^/([^/{]+)/([^/{]+)! ? ("$1 $2" => 1) : () }
	keys %{ $service->get('/openapi.json')->{json}{paths} };
cmp_ok(scalar(grep { /^datasets / } keys %words), '>=', 6,
	'paths of datasets with a word after the resource: ' . join ', ', map { /^datasets (.*)/ ? $1 : () } sort keys %words);
for my $place (sort keys %words)
{
	my ($resource, $word) = split / /, $place;
	next unless grep { $_ eq $resource } @resources;
	my $record = $definition->create($resource, name => ucfirst $word);
	my $made   = $service->get("/$resource/$record")->{json}{data}{slug};
	is($made, "$word-2", "$resource: the slug of a record named $word");
	is($service->get("/$resource/$made")->{json}{data}{id}, $record, "$resource: leads to it");
}

$service->finish;
