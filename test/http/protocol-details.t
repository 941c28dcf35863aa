#!/usr/bin/perl
# Details of links, preferences, methods and bodies that clients depend on.

use strict;
use warnings;

use Test::More;
use Catalogue::Test;

my $service = Catalogue::Test->start->as_admin;
my $base    = "http://127.0.0.1:$service->{port}";

# links to the first and last record of a list keep its filters and order, but not its page
my $links = $service->get('/tags?name=e&orderBy=name&sort=DESC&limit=1&skip=1')->{json}{links};
is($links->{firstItem}, "$base/tags/first?name=e&orderBy=name&sort=DESC", 'firstItem keeps filters and order');
is($links->{lastItem},  "$base/tags/last?name=e&orderBy=name&sort=DESC",  'lastItem keeps filters and order');

# related lists of one record have no such paths
my $dataset = $service->get('/datasets/first')->{json}{data}{id};
ok(!exists $service->get("/datasets/$dataset/tags")->{json}{links}{firstItem}, 'no firstItem on a related list');

# previous links from the middle of a page: the page before ends where this page begins
my @seen;
for (my $path = '/filetypes?limit=4&skip=10'; $path;)
{
	my $page = $service->get($path)->{json};
	push @seen, map { $_->{id} } @{ $page->{data} };
	$path = $page->{links}{previous};
	$path =~ s/^\Q$base\E// if $path;
}
my %times;
$times{$_}++ for @seen;
is(scalar @seen, 12, 'following previous links gives every record');
is_deeply([ grep { $times{$_} > 1 } keys %times ], [], 'following previous links gives no record twice');

# every link to a relation is answered: there is no link for a key that is null
my $organization = $service->get('/organizations/first')->{json};
ok(!exists $organization->{links}{collections}{parent}, 'no link to a parent that is null');
is($service->follow($_)->{status} =~ /^20/ ? 'answered' : $_, 'answered', "$_ is answered")
	for sort values %{ $organization->{links}{collections} };

# a record found by filters, a search or an order, or shown with some fields only, has the same links
for my $query ('name=e', 'query=e', 'orderBy=name&sort=DESC', 'orderBy=name&fields=name', 'parent=null')
{
	for my $end ("/organizations/first?$query", "/organizations/last?$query")
	{
		my $found = $service->get($end)->{json};
		my $item  = $service->get("/organizations/$found->{data}{id}")->{json};
		is_deeply($found->{links}, $item->{links}, "$end: the links of the record");
	}
}

# Preference-Applied has only the preferences that affect the answer
my %want = (Prefer => 'return=representation, relations=embedded');
my $tag  = $service->post('/tags', { name => 'details' }, %want);
is($tag->{headers}{'preference-applied'}, 'return=representation, relations=embedded', 'both preferences on a write');
my $path = "/tags/$tag->{json}{data}{id}";
is($service->get($path, %want)->{headers}{'preference-applied'}, 'relations=embedded', 'relations on a read');
is($service->delete($path, %want)->{headers}{'preference-applied'}, 'return=representation, relations=embedded',
	'both preferences on a deletion');

# a record that is not deleted cannot be restored
is($service->post("$path/restore")->{status}, 200, 'a deleted record is restored');
my $again = $service->post("$path/restore");
is($again->{status}, 409, 'a second restoration is refused');
is($again->{json}{code}, 'E_CONFLICT', 'with the error code');

# a body that the method does not need must be valid JSON anyway, or nothing is done
for my $body ('{', '[1', '[]', '"text"', '{"a": 1, "a": 2}')
{
	is($service->request('DELETE', $path, $body)->{status}, 400, "DELETE with $body is refused");
	is($service->get($path)->{status}, 200, 'the record is not deleted');
}
is($service->request('DELETE', $path, '{}')->{status}, 200, 'DELETE with an object is executed');

# a constraint that an operator has added makes bad requests of the client
$service->sql("ALTER TABLE catalogue.views ADD CONSTRAINT one EXCLUDE (notes WITH =), ADD CONSTRAINT not_bad CHECK "
	. "(notes <> 'bad')");
is($service->post('/views', { name => 'one', notes => 'once' })->{status}, 201,
	'a record that the constraint allows is created');
for my $notes ('once', 'bad')
{
	my $reply = $service->post('/views', { name => 'two', notes => $notes });
	is($reply->{status}, 400, "notes $notes: refused by the constraint: a bad request");
	is($reply->{json}{code}, 'E_BAD_REQUEST', 'the error code');
}

# methods that no path has
for my $method ('FOO', 'get')
{
	my ($reply) = @{ $service->raw("$method /tags HTTP/1.1\r\nHost: localhost\r\n\r\n")->{replies} };
	is($reply->{status}, 405, "$method is not allowed");
	is($reply->{headers}{allow}, 'GET, HEAD, POST, OPTIONS', "$method: the allowed methods");
}

$service->finish;
