#!/usr/bin/perl
# A slug or stored name that was given up by renaming: every path that had it answers 308 with the path of the record,
# unless the record is hidden from who asks, or another one has the name.

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

# The former path answers 308 with the later one, and that answers with the status.
sub leads
{
	my ($verb, $path, $later, $status, %headers) = @_;
	my $reply = $service->request($verb, $path, undef, %headers);
	is($reply->{status}, 308, "$verb $path: 308");
	is($reply->{headers}{location}, "$service->{base}$later", "$verb $path: Location");
	is($service->request($verb, $later, undef, %headers)->{status}, $status, "$verb $later: $status");
}

my @resources = grep { my $r = $_; grep { $_->{name} eq 'slug' } $definition->fields($r) } $definition->writable;
cmp_ok(scalar(@resources), '>=', 7, "resources with slugs: @resources");
my %renamed;
for my $resource (@resources)
{
	my $id     = $definition->create($resource);
	my $former = $service->get("/$resource/$id")->{json}{data}{slug};
	is($service->patch("/$resource/$id", { name => "Later $resource" })->{status}, 200, "$resource: renamed");
	$renamed{$resource} = [ $id, $former ];

	leads($_, "/$resource/$former", "/$resource/$id", 200) for qw(GET HEAD);
	leads('GET', "/$resource/$former/versions?x=%C3%B1&y", "/$resource/$id/versions?x=%C3%B1&y", 200);
	leads('GET', "/$resource/$former", "/$resource/$id", 200, Accept => 'text/html');
	is($service->get("/$resource/$former/nonesuch")->{status}, 308,
		"$resource: a path that the record lacks is that of the record, too");
	is($service->get("/$resource/$id/nonesuch")->{status}, 404, "$resource: which lacks it");

	# writes are for the record that has the name now
	is($service->patch("/$resource/$former", { name => 'never' })->{status}, 404, "$resource: a change is not led on");
	is($service->delete("/$resource/$former")->{status}, 404, "$resource: nor a deletion");
	is($service->options("/$resource/$former")->{status}, 200, "$resource: OPTIONS as of a path");
	is($service->get("/$resource/$former-")->{status}, 404, "$resource: a name that none had");
}

# the body, and how long it may be kept
my ($tag, $former) = @{ $renamed{tags} };
my $reply = $service->get("/tags/$former");
is($reply->{json}{meta}{code}, 'PERMANENT_REDIRECT', 'the code');
is($reply->{json}{links}{self}, "$service->{base}/tags/$tag", 'the link');
like($reply->{headers}{'cache-control'}, qr/no-cache|no-store|private/,
	'another record may have the name later: it is asked again');

# a new record of the name gets a number, and the address stays; a record of that very slug has it
is($service->get("/tag/$former")->{headers}{location}, "$service->{base}/tags/$former",
	'by its model, first to the resource');
($former = lc(my $again = 'Renamed once')) =~ tr/ /-/;
is($service->patch("/tags/$tag", { name => $_ })->{status}, 200, "renamed: $_") for $again, 'Renamed twice';
my $second = $definition->create('tags', name => $again);
like($service->get("/tags/$second")->{json}{data}{slug}, qr/^\Q$former\E-2$/, 'a new record of the name has a number');
leads('GET', "/tags/$former", "/tags/$tag", 200);
is($service->delete("/tags/$tag")->{status}, 200, 'deleted');
is($service->get("/tags/$former")->{status}, 404, 'former names of a deleted record lead nowhere');

# files: bytes and rows, by slug and by stored name; ranges and conditions are for the address that it leads to
my $made = $uploads->file('first name.csv', "a,b\n1,x\n", name => 'First name', status => 'qWRhpRV');
my $file = $made->{id};
$service->sql("SELECT catalogue.contents_load('$file', '[[\"a\",\"b\"],[\"1\",\"x\"]]')");
is($service->get('/files/first-name.csv/download')->{status}, 200, 'downloaded by its stored name');
is($service->patch("/files/$file", { name => 'Second name' })->{status}, 200, 'a file is renamed');
$service->sql("UPDATE catalogue.files SET file_name = 'second-name.csv' WHERE id = '$file'");
for my $word ('first-name', 'first-name.csv', 'FIRST-NAME.CSV')
{
	leads($_, "/files/$word/download", "/files/$file/download", 200) for qw(GET HEAD);
	leads('GET', "/files/$word/view?x=1", "/files/$file/view?x=1", 200);
	leads('GET', "/files/$word/download/json", "/files/$file/download/json", 200);
	leads('GET', "/files/$word/contents", "/files/$file/contents", 200, Accept => 'text/csv');
	last;
}
leads('GET', "/files/$_/download", "/files/$file/download", 206, Range => 'bytes=0-1') for 'first-name.csv',
	'FIRST-NAME.CSV';
leads('GET', "/files/first-name/$_", "/files/$file/$_", 200) for qw(columns schema issues sheets resources);
my ($form, %type) = form(part('uploadFile', "a,b\n2,y\n", file => 'first name.csv'), part('name', 'First name'),
	map { part($_, $made->{$_}) }
	grep { defined $made->{$_} && !ref $made->{$_} } qw(dataset organization updateFrequency owner));
my $third = $service->request('POST', '/files', $form, %type, Prefer => 'return=representation');
is($third->{json}{data}{fileName}, 'first-name-2.csv', 'a new file of the stored name has a number')
	or diag($third->{body});

# the image of a category, and the archive of a dataset
my ($category, $was) = @{ $renamed{categories} };
is($service->get("/categories/$was/image")->{headers}{location}, "$service->{base}/categories/$category/image",
	'the image of a category');
my ($dataset, $name) = @{ $renamed{datasets} };
is($service->get("/datasets/$name/$_")->{headers}{location}, "$service->{base}/datasets/$dataset/$_", "$_ of a dataset")
	for qw(download filetypes);

# what an outsider does not see is as if it had never been
is($service->get("/datasets/$name", %nobody)->{status}, 404, 'a hidden record is not told by its former name');
(my $hidden = $service->get("/datasets/$name", %nobody)->{body}) =~ s/\Q$name\E/?/g;
(my $none = $service->get("/datasets/none$name", %nobody)->{body}) =~ s/none\Q$name\E/?/g;
is($hidden, $none, 'the answer is the one for what is not there');
is($service->request('PATCH', "/datasets/$dataset/publish")->{status}, 200, 'published');
leads('GET', "/datasets/$name", "/datasets/$dataset", 200, %nobody);
is($service->request('PATCH', "/datasets/$dataset/unpublish")->{status}, 200, 'unpublished');
is($service->get("/datasets/$name", %nobody)->{status}, 404, 'no more');

$service->finish;
