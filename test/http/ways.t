#!/usr/bin/perl
# Links lead on: from a record to its parts and to the actions that the caller may do now, by role, ownership and
# state; from a list to its search and its number. What is linked works, and what is not linked is refused.

use strict;
use warnings;

use Test::More;
use Catalogue::Test;
use Catalogue::Definition;
use Catalogue::Upload;

my $service    = Catalogue::Test->start->as_admin;
my $definition = Catalogue::Definition->new($service);
my $uploads    = Catalogue::Upload->new($service);
my %nobody     = (Authorization => undef);
my $guest      = $service->sql("SELECT id FROM catalogue.users WHERE username = 'guest'");
my @moves      = qw(review cancel reject publish unpublish);

sub links { my ($path, %headers) = @_; return $service->get($path, %headers)->{json}{links} }
sub actions { my ($path, %headers) = @_; return join ' ', sort keys %{ links($path, %headers)->{actions} // {} } }
sub user
{
	my ($name, $role) = @_;
	my $id = $definition->create('users', username => $name, password => 'correct horse battery', role => $role, active => JSON::PP::true());
	return (Authorization => 'Bearer ' . $service->login($name, 'correct horse battery')->{json}{data}{token});
}

# states: in each those actions are linked that are allowed from it; each that is linked works, others are 409
my %allowed = (Draft => 'publish review', 'Under Review' => 'cancel publish reject', Rejected => 'publish review', Published => 'unpublish', Unpublished => 'publish review');
my %status  = map { split /\|/ } $service->sql("SELECT name || '|' || id FROM catalogue.statuses WHERE name IN ('Draft', 'Under Review', 'Rejected', 'Published', 'Unpublished')");
my $dataset = $definition->create('datasets');
my $path    = "/datasets/$dataset";
for my $state (sort keys %allowed)
{
	is($service->patch($path, { status => $status{$state} })->{status}, 200, "$state: the state");
	is(actions($path), $allowed{$state}, "$state: the actions of a superadmin");
	is_deeply(links($path)->{actions}, { map { $_ => "$service->{base}$path/$_" } split / /, $allowed{$state} }, "$state: their addresses");
	for my $move (@moves)
	{
		my $linked = $allowed{$state} =~ /\b$move\b/ ? 200 : 409;
		is($service->request('PATCH', "$path/$move")->{status}, $linked, "$state: $move");
		$service->patch($path, { status => $status{$state} });
	}
}

# roles and ownership: a guest reviews and cancels his own, nobody does anything
my %guest = user('ways.guest', 'guest');
my %other = user('ways.other', 'guest');
my $file  = $definition->create('files', dataset => $dataset, status => $status{Published});
my $chart = $service->post('/charts', { name => 'A chart of a guest', file => $file }, %guest)->{json}{links}{record};
$chart =~ s/^\Q$service->{base}\E//;
is(actions($chart, %guest), 'review', 'a guest may send his draft to review');
is(actions($chart, %other), '', 'another guest may not');
is($service->request('PATCH', "$chart/review", undef, %other)->{status}, 403, 'and is refused');
is(actions($chart), 'publish review', 'an administrator may do more');
is($service->request('PATCH', "$chart/review", undef, %guest)->{status}, 200, 'what is linked works');
is(actions($chart, %guest), 'cancel', 'then he may cancel it');
$service->request('PATCH', "$path/publish");
is(actions($path, %nobody), '', 'nobody may do anything');
ok(!exists links($path, %nobody)->{actions}, 'and there is no such member');

# the same state of a record has another tag where other actions are linked
my $before = $service->get($chart, %guest)->{headers}{etag};
$service->sql("UPDATE catalogue.rules SET deleted_at = now() WHERE action = 'cancel' AND role = 'guest' AND (resource IN ('charts', '*'))");
is(actions($chart, %guest), '', 'a rule that is gone');
isnt($service->get($chart, %guest, 'If-None-Match' => $before)->{status}, 304, 'what the client has is another answer');
my $etag = $service->get($chart)->{headers}{etag};
is($service->patch($chart, { notes => 'x' }, 'If-Match' => $etag)->{status}, 200, 'the tag stands for the record where it is changed');

# deactivated records: brought back, or hidden
my $category = $definition->create('categories');
is(actions("/categories/$category"), 'deactivate', 'what is shown may be hidden');
is($service->post("/categories/$category/deactivate")->{status}, 200, 'it is');
is(actions("/categories/$category"), 'restore', 'what is hidden may be brought back');
is($service->post("/categories/$category/restore")->{status}, 200, 'it is');
is(actions('/basemaps/' . $service->sql('SELECT min(id) FROM catalogue.basemaps')), '', 'what is read-only has no actions');

# parts: where there are such, and they are there
my $made = $uploads->file('ways.csv', "a\n1\n", name => 'Ways', status => $status{Published});
my $links = links("/files/$made->{id}");
is($links->{download}, "$service->{base}/files/$made->{id}/download", 'bytes of a file');
is($service->follow($links->{download})->{body}, "a\n1\n", 'are there');
ok(!exists $links->{contents}, 'rows that were not read are not linked');
$service->sql("SELECT catalogue.contents_load('$made->{id}', '[[\"a\"],[\"1\"]]')");
$links = links("/files/$made->{id}");
is($service->follow($links->{contents})->{json}{meta}{count}, 1, 'rows that were read are');
is($service->follow($links->{versions})->{status}, 200, 'states');
ok(!exists links("/files/$file")->{download}, 'a file without bytes has none to download');
like(links($path, %nobody)->{download}, qr{/datasets/$dataset/download$}, 'the archive of a dataset');
ok(!exists links("/categories/$category")->{image}, 'a category without an image');
my ($form, %type) = form(part('uploadImage', '<svg xmlns="http://www.w3.org/2000/svg"/>', file => 'a.svg'));
$service->request('PUT', "/categories/$category", $form, %type);
is($service->follow(links("/categories/$category")->{image}, Accept => 'image/*')->{status}, 200, 'a category with an image');
$service->request('PUT', "/categories/$category", { deleteImage => JSON::PP::true() });
$service->patch("/categories/$category", { image => 'https://example.org/a.png' });
ok(!exists links("/categories/$category")->{image}, 'an image elsewhere is no part');

# lists: the search in them, and their number with the same filters
$links = links('/tags?name=a&limit=1&orderBy=name');
is($links->{search}, "$service->{base}/tags/search", 'the search of a list');
is($service->follow($links->{search} . '?query=water')->{status}, 200, 'is there');
is($links->{count}, "$service->{base}/tags/count?name=a&orderBy=name", 'the number of a list, with its filters');
is($service->follow($links->{count})->{json}{data}{count}, $service->get('/tags?name=a')->{json}{meta}{count}, 'is that of the list');

# a record of the past has its states, and no actions
my $version = $service->get('/tags')->{json}{meta}{version};
is_deeply([ grep { /^(actions|download|contents)$/ } keys %{ links("/files/$made->{id}?version=$version") } ], [], 'a record of the past has no actions');

$service->finish;
