#!/usr/bin/perl
# Links of a record to its parts and to the actions that the caller may execute now, by role, ownership and state;
# links of a list to its search and its count. Links that exist work, and other actions are refused.

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
my $guest      = $service->sql("SELECT id FROM catalogue.users WHERE username = 'guest'");
my @moves      = qw(review cancel reject publish unpublish);

sub links { my ($path, %headers) = @_; return $service->get($path, %headers)->{json}{links} }
sub actions { my ($path, %headers) = @_; return join ' ', sort keys %{ links($path, %headers)->{actions} // {} } }
sub user { my ($name, $role) = @_; return (Authorization => ($definition->user($name, $role))[1]) }

# states: the links are the actions that are allowed in the state; these work, and the others are 409
my %allowed = (Draft => 'publish review', 'Under Review' => 'cancel publish reject', Rejected => 'publish review',
	Published => 'unpublish', Unpublished => 'publish review');
my %status  = map { split /\|/ } $service->sql("SELECT name || '|' || id FROM catalogue.statuses WHERE name IN "
	. "('Draft', 'Under Review', 'Rejected', 'Published', 'Unpublished')");
my $dataset = $definition->create('datasets');
my $path    = "/datasets/$dataset";
for my $state (sort keys %allowed)
{
	is($service->patch($path, { status => $status{$state} })->{status}, 200, "$state: the state");
	is(actions($path), $allowed{$state}, "$state: the actions of a superadmin");
	is_deeply(links($path)->{actions}, { map { $_ => "$service->{base}$path/$_" } split / /, $allowed{$state} },
		"$state: their addresses");
	for my $move (@moves)
	{
		my $linked = $allowed{$state} =~ /\b$move\b/ ? 200 : 409;
		is($service->request('PATCH', "$path/$move")->{status}, $linked, "$state: $move");
		$service->patch($path, { status => $status{$state} });
	}
}

# roles and ownership: a guest may review and cancel his own records, an outsider may do nothing
my %guest = user('ways.guest', 'guest');
my %other = user('ways.other', 'guest');
my $file  = $definition->create('files', dataset => $dataset, status => $status{Published});
my $chart = $service->post('/charts', { name => 'A chart of a guest', file => $file }, %guest)->{json}{links}{record};
$chart =~ s/^\Q$service->{base}\E//;
is(actions($chart, %guest), 'review', 'a guest may review his draft');
is(actions($chart, %other), '', 'another guest may not');
is($service->request('PATCH', "$chart/review", undef, %other)->{status}, 403, 'another guest is refused');
is(actions($chart), 'publish review', 'an administrator may do more');
is($service->request('PATCH', "$chart/review", undef, %guest)->{status}, 200, 'the linked action works');
is(actions($chart, %guest), 'cancel', 'the guest may then cancel it');
$service->request('PATCH', "$path/publish");
is(actions($path, %nobody), '', 'an outsider has no actions');
ok(!exists links($path, %nobody)->{actions}, 'an outsider has no member for actions');

# the entity tag of a representation depends on the linked actions
my $before = $service->get($chart, %guest)->{headers}{etag};
$service->sql("UPDATE catalogue.rules SET deleted_at = now() WHERE action = 'cancel' AND role = 'guest' AND (resource "
	. "IN ('charts', '*'))");
is(actions($chart, %guest), '', 'a removed rule removes the action');
isnt($service->get($chart, %guest, 'If-None-Match' => $before)->{status}, 304, 'the former tag gets a new answer');
my $etag = $service->get($chart)->{headers}{etag};
is($service->patch($chart, { notes => 'x' }, 'If-Match' => $etag)->{status}, 200,
	'the tag is valid for a change of the record');

# deactivated records: restored, or hidden
my $category = $definition->create('categories');
is(actions("/categories/$category"), 'deactivate', 'an active record can be deactivated');
is($service->post("/categories/$category/deactivate")->{status}, 200, 'the record is deactivated');
is(actions("/categories/$category"), 'restore', 'a deactivated record can be restored');
is($service->post("/categories/$category/restore")->{status}, 200, 'the record is restored');
is(actions('/basemaps/' . $service->sql('SELECT min(id) FROM catalogue.basemaps')), '',
	'a read-only resource has no actions');

# links to parts of a record exist when the parts do
my $made = $uploads->file('ways.csv', "a\n1\n", name => 'Ways', status => $status{Published});
my $links = links("/files/$made->{id}");
is($links->{download}, "$service->{base}/files/$made->{id}/download", 'the link to the bytes of a file');
is($service->follow($links->{download})->{body}, "a\n1\n", 'the link gives the bytes');
ok(!exists $links->{contents}, 'rows that are not parsed are not linked');
$service->sql("SELECT catalogue.contents_load('$made->{id}', '[[\"a\"],[\"1\"]]')");
$links = links("/files/$made->{id}");
is($service->follow($links->{contents})->{json}{meta}{count}, 1, 'parsed rows are linked');
is($service->follow($links->{versions})->{status}, 200, 'states');
ok(!exists links("/files/$file")->{download}, 'a file without bytes has no link download');
like(links($path, %nobody)->{download}, qr{/datasets/$dataset/download$}, 'a dataset has a link to its archive');
ok(!exists links("/categories/$category")->{image}, 'a category without an image has no link to one');
my ($form, %type) = form(part('uploadImage', '<svg xmlns="http://www.w3.org/2000/svg"/>', file => 'a.svg'));
$service->request('PUT', "/categories/$category", $form, %type);
is($service->follow(links("/categories/$category")->{image}, Accept => 'image/*')->{status}, 200,
	'a category with an image has a link to it');
$service->request('PUT', "/categories/$category", { deleteImage => Cpanel::JSON::XS::true() });
$service->patch("/categories/$category", { image => 'https://example.org/a.png' });
ok(!exists links("/categories/$category")->{image}, 'an image at another address is not a part');

# lists: links to their search, and to their count with the same filters
$links = links('/tags?name=a&limit=1&orderBy=name');
is($links->{search}, "$service->{base}/tags/search", 'the link to the search of a list');
is($service->follow($links->{search} . '?query=water')->{status}, 200, 'the search is there');
is($links->{count}, "$service->{base}/tags/count?name=a&orderBy=name", 'the link to the count has the filters');
is($service->follow($links->{count})->{json}{data}{count}, $service->get('/tags?name=a')->{json}{meta}{count},
	'the count is that of the list');

# a record as of an instant has its versions, and no actions
my $version = $service->get('/tags')->{json}{meta}{version};
is_deeply([ grep { /^(actions|download|contents)$/ } keys %{ links("/files/$made->{id}?version=$version") } ], [],
	'a record as of an instant has no actions');

$service->finish;
