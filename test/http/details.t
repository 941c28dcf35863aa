#!/usr/bin/perl
# Details of links, preferences, verbs and bodies that clients lean on.

use strict;
use warnings;

use Test::More;
use Catalogue::Test;

my $service = Catalogue::Test->start->as_admin;
my $base    = "http://127.0.0.1:$service->{port}";

# the first and last record of what was asked for: filters and order are kept, the page is not
my $links = $service->get('/tags?name=e&orderBy=name&sort=DESC&limit=1&skip=1')->{json}{links};
is($links->{firstItem}, "$base/tags/first?name=e&orderBy=name&sort=DESC", 'firstItem keeps filters and order');
is($links->{lastItem},  "$base/tags/last?name=e&orderBy=name&sort=DESC",  'lastItem too');

# what belongs to one record has no such paths
my $dataset = $service->get('/datasets/first')->{json}{data}{id};
ok(!exists $service->get("/datasets/$dataset/tags")->{json}{links}{firstItem}, 'no firstItem on a related list');

# back from the middle of a page: the page before ends where this one begins
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
is(scalar @seen, 11, 'walking back meets every record');
is_deeply([ grep { $times{$_} > 1 } keys %times ], [], 'and none twice');

# every link to a relation leads somewhere: a key that is null has none
my $organization = $service->get('/organizations/first')->{json};
ok(!exists $organization->{links}{collections}{parent}, 'no link to a parent that is not there');
is($service->follow($_)->{status} =~ /^20/ ? 'answered' : $_, 'answered', "$_ is answered")
	for sort values %{ $organization->{links}{collections} };

# so too when filters, a search or an order found the record, or only some of its fields are shown
for my $query ('name=e', 'query=e', 'orderBy=name&sort=DESC', 'orderBy=name&fields=name', 'parent=null')
{
	for my $end ("/organizations/first?$query", "/organizations/last?$query")
	{
		my $found = $service->get($end)->{json};
		my $item  = $service->get("/organizations/$found->{data}{id}")->{json};
		is_deeply($found->{links}, $item->{links}, "$end: the links of the record");
	}
}

# only what shapes the answer was applied
my %want = (Prefer => 'return=representation, relations=embedded');
my $tag  = $service->post('/tags', { name => 'details' }, %want);
is($tag->{headers}{'preference-applied'}, 'return=representation, relations=embedded', 'both on a write');
my $path = "/tags/$tag->{json}{data}{id}";
is($service->get($path, %want)->{headers}{'preference-applied'}, 'relations=embedded', 'relations on a read');
is($service->delete($path, %want)->{headers}{'preference-applied'}, 'return=representation, relations=embedded', 'both on a deletion');

# a living record is not restored twice
is($service->post("$path/restore")->{status}, 200, 'restored');
my $again = $service->post("$path/restore");
is($again->{status}, 409, 'a second time there is nothing to restore');
is($again->{json}{code}, 'E_CONFLICT', 'and the code says so');

# a body that nothing needs must be JSON all the same, or nothing is done
for my $body ('{', '[1', '[]', '"text"', '{"a": 1, "a": 2}')
{
	is($service->request('DELETE', $path, $body)->{status}, 400, "DELETE with $body is refused");
	is($service->get($path)->{status}, 200, 'and the record lives');
}
is($service->request('DELETE', $path, '{}')->{status}, 200, 'an object does no harm');

# what a constraint of one's own refuses is for the client to mend
$service->sql("ALTER TABLE catalogue.views ADD CONSTRAINT one EXCLUDE (notes WITH =), ADD CONSTRAINT not_bad CHECK (notes <> 'bad')");
is($service->post('/views', { name => 'one', notes => 'once' })->{status}, 201, 'what a constraint allows is made');
for my $notes ('once', 'bad')
{
	my $reply = $service->post('/views', { name => 'two', notes => $notes });
	is($reply->{status}, 400, "notes $notes: what it does not is a bad request");
	is($reply->{json}{code}, 'E_BAD_REQUEST', 'by its code, too');
}

# a method that no path has
for my $method ('FOO', 'get')
{
	my ($reply) = @{ $service->raw("$method /tags HTTP/1.1\r\nHost: localhost\r\n\r\n")->{replies} };
	is($reply->{status}, 405, "$method is not offered");
	is($reply->{headers}{allow}, 'GET, HEAD, POST, OPTIONS', "$method: what is");
}

$service->finish;
