#!/usr/bin/perl
# Every relation of every record can be read: following links alone reaches all of the catalogue.

use strict;
use warnings;

use Test::More;
use Catalogue::Test;
use Catalogue::Definition;

my $service    = Catalogue::Test->shared->as_admin;
my $definition = Catalogue::Definition->new($service);

for my $resource ($definition->resources)
{
	my $id = $definition->{resource}{$resource}{read_only}
		? ($service->get("/$resource?limit=1")->{json}{data}[0] // {})->{id}
		: $definition->some_id($resource);
	next unless defined $id;
	my $item = $service->get("/$resource/$id");
	my %kind = map { $_->{name} => $_ } $definition->relations($resource);

	for my $relation (sort keys %{ $item->{json}{links}{collections} })
	{
		my $path   = $item->{json}{links}{collections}{$relation} =~ s/^\Q$service->{base}\E//r;
		my $reply  = $service->get($path);
		my $target = $kind{$relation}{target};
		if ($kind{$relation}{kind} ne 'to-one')
		{
			# a to-many relation: the related records, in the envelope of lists
			like($reply->{status}, qr/^20[06]$/, "GET $path");
			is(ref $reply->{json}{data}, 'ARRAY', "$path: a list");
			ok(exists $reply->{json}{meta}{$_}, "$path: meta has $_") for qw(count limit start end page pages);
			my ($some) = @{ $reply->{json}{data} } or next;
			is($service->get("/$target/$some->{id}")->{status}, 200, "$path: its records are of $target");
		}
		elsif (defined $item->{json}{data}{$relation})
		{
			# a to-one relation: the related record, in the envelope of items, with its links
			is($reply->{status}, 200, "GET $path");
			is($reply->{json}{data}{id}, $item->{json}{data}{$relation}, "$path: the record with the id in the key");
			is($reply->{json}{links}{self}, "$service->{base}/$target/$reply->{json}{data}{id}", "$path: its own link");
			is($service->follow($reply->{json}{links}{self})->{status}, 200, "$path: its own link is answered");
		}
		else
		{
			is($reply->{status}, 404, "GET $path: no record where the key is null");
		}
		is($service->request($_, $path, {})->{status}, 405, "$_ $path: not allowed") for qw(POST PATCH DELETE);
	}
}

# many-to-many: written with the record, replaced as a whole, readable from both sides
my @tags = map { $definition->create('tags') } 1 .. 3;
my $id   = $definition->create('datasets', tags => [ @tags[ 0, 1 ] ]);
sub linked { my ($path) = @_; return [ sort map { $_->{id} } @{ $service->get($path)->{json}{data} } ] }
is_deeply(linked("/datasets/$id/tags"), [ sort @tags[ 0, 1 ] ], 'a dataset has its tags');
is_deeply(linked("/tags/$tags[0]/datasets"), [$id], 'a tag has its datasets');
is($service->patch("/datasets/$id", { tags => "$tags[1],$tags[2]" })->{status}, 200,
	'tags separated by commas are accepted');
is_deeply(linked("/datasets/$id/tags"), [ sort @tags[ 1, 2 ] ], 'they replace the former tags');
is($service->patch("/datasets/$id", { tags => [ { id => $tags[0] } ] })->{status}, 200, 'tags as objects are accepted');
is_deeply(linked("/datasets/$id/tags"), [ $tags[0] ], 'their ids are stored');
is($service->patch("/datasets/$id", { tags => [ $tags[0], 'zzzzzzzzzzzzzzz' ] })->{status}, 400,
	'an unknown tag is refused');
is_deeply(linked("/datasets/$id/tags"), [ $tags[0] ], 'a refused update changes nothing');
is($service->patch("/datasets/$id", { categories => [] })->{status}, 400, 'a dataset needs a category');

# the types of a dataset's files: each type once, in a list like any other
my @types = map { $definition->create('filetypes', name => "form$_") } 1 .. 3;
is_deeply($service->get("/datasets/$id/filetypes")->{json}{data}, [], 'without files there are no types');
$definition->create('files', dataset => $id, type => $_) for @types[ 0, 0, 1 ];
$definition->create('files', type => $types[2]);
is_deeply(linked("/Datasets/$id/fileTypes"), [ sort @types[ 0, 1 ] ], 'each type of the files is listed once');
my $page = $service->get("/datasets/$id/filetypes?limit=1&fields=name");
is($page->{status}, 206, 'a page of types is 206');
is($page->{json}{meta}{count}, 2, 'count is the number of all types');
is_deeply([ sort keys %{ $page->{json}{data}[0] } ], [ 'id', 'name' ], 'fields selects fields of types');
my $rest = $service->follow($page->{json}{links}{next});
is_deeply([ sort map { $_->{id} } @{ $page->{json}{data} }, @{ $rest->{json}{data} } ], [ sort @types[ 0, 1 ] ],
	'the next page has the other type');
my $again = $service->get("/datasets/$id/filetypes",
	'If-None-Match' => $service->get("/datasets/$id/filetypes")->{headers}{etag});
is($again->{status}, 304, 'the entity tag of the list gets 304');
is($service->get('/datasets/zzzzzzzzzzzzzzz/filetypes')->{status}, 404,
	'the types of an unknown dataset are not found');
is($service->get("/datasets/$id/filetypes?limit=x")->{status}, 422, 'an invalid parameter is refused');

# a record that is required by others cannot be deleted; one that they can lose can be
my ($category) = @{ linked("/datasets/$id/categories") };
my $refused = $service->delete("/categories/$category");
is($refused->{status}, 409, 'a category of a dataset cannot be deleted');
is($refused->{json}{code}, 'E_CONFLICT', 'the error is a conflict');
is($service->delete("/tags/$tags[0]")->{status}, 200, 'a tag of a dataset is deleted');
is_deeply(linked("/datasets/$id/tags"), [], 'the dataset does not have the tag any more');

# deleting a dataset deletes its files, and deleting a file its charts and maps; restoring restores them
my $file  = $definition->create('files', dataset => $id);
my $chart = $definition->create('charts', file => $file);
is($service->delete("/datasets/$id")->{status}, 200, 'a dataset with files is deleted');
is($service->get($_)->{status}, 404, "$_ is deleted with it") for "/files/$file", "/charts/$chart";

# states: each action is allowed in certain states, and sets its time
my $dataset = $definition->create('datasets');
for (
	[ review => 'oWRhpRV', 'reviewedAt' ],  [ cancel  => 'nWRhpRV', 'cancelledAt' ],
	[ review => 'oWRhpRV', 'reviewedAt' ],  [ reject  => 'pWRhpRV', 'rejectedAt' ],
	[ publish => 'qWRhpRV', 'publishedAt' ], [ unpublish => 'rWRhpRV', 'unPublishedAt' ])
{
	my ($action, $state, $stamp) = @$_;
	my $reply = $service->patch("/datasets/$dataset/$action");
	is($reply->{status}, 200, "$action") or diag($reply->{body});
	my $record = $service->get("/datasets/$dataset")->{json}{data};
	is($record->{status}, $state, "$action sets the status");
	ok(defined $record->{$stamp}, "$action sets $stamp");
}
$refused = $service->patch("/datasets/$dataset/reject");
is($refused->{status}, 409, 'a dataset that is not under review cannot be rejected');
is($refused->{json}{code}, 'E_CONFLICT', 'the error is a conflict');

$service->finish;
