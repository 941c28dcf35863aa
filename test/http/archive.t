#!/usr/bin/perl
# The archive of a dataset: exactly the files that the caller sees, made anew after each change, never
# given when it is stale.

use strict;
use warnings;

use Digest::SHA qw(sha256_hex);
use File::Temp ();
use Test::More;
use Time::HiRes qw(sleep);
use Catalogue::Test;
use Catalogue::Real;
use Catalogue::Upload;
use Catalogue::Worker;

my $service   = Catalogue::Test->start->as_admin;
my $uploads   = Catalogue::Upload->new($service);
my $published = 'qWRhpRV';
my $draft     = 'nWRhpRV';
my $directory = File::Temp::tempdir(CLEANUP => 1);
my %nobody    = (Authorization => undef);


# Ask for the archive until it is there; gives the reply.
sub archive
{
	my ($worker, %headers) = @_;
	return $worker->wait_for('the archive', sub {
		my $reply = $service->get("/datasets/$uploads->{dataset}/download", %headers);
		$reply->{status} == 202 ? undef : $reply;
	});
}

# What is in it: names and digests, as unzip sees them.
sub entries
{
	my ($bytes) = @_;
	open my $out, '>:raw', "$directory/archive.zip" or die $!;
	print $out $bytes;
	close $out;
	diag($bytes) if $bytes !~ /^PK/;
	is(system("unzip -tqq $directory/archive.zip > $directory/said 2>&1"), 0, 'unzip finds no fault')
		or diag(Catalogue::Test::slurp("$directory/said"));
	return { map { my $name = $_; $name => sha256_hex(scalar qx(unzip -p $directory/archive.zip '$name')) } split /\n/, qx(unzip -Z1 $directory/archive.zip) };
}

sub inside { my ($name) = @_; return scalar qx(unzip -p $directory/archive.zip '$name') }

# Names in the archive, without the two that are always there.
sub names { my ($entries) = @_; return join ' ', sort grep { !/^(README\.txt|datapackage\.json)$/ } keys %$entries }

sub sorted { return join ' ', sort @_ }

$service->patch("/datasets/$uploads->{dataset}", { status => $published, description => "Lo que est\x{e1} en el aire" });
# word that it is being made is JSON; where neither that nor the archive is accepted there is nothing to give
for my $accept ('application/zip', 'application/*', '*/*', 'application/json', 'text/html, application/json;q=0.1', undef)
{
	my $reply = $service->get("/datasets/$uploads->{dataset}/download", Accept => $accept);
	is($reply->{status}, 202, 'no archive yet, accepted: ' . ($accept // 'not said'));
	is($reply->{headers}{'retry-after'}, 2, 'to be asked for again');
}
for my $accept ('text/html', 'image/*', 'application/zip;q=0', 'application/json;q=0, text/html')
{
	my $reply = $service->get("/datasets/$uploads->{dataset}/download", Accept => $accept);
	is($reply->{status}, 406, "no archive yet, accepted: $accept");
	is($reply->{json}{code}, 'E_NOT_ACCEPTABLE', 'its code');
	ok(!exists $reply->{headers}{'retry-after'}, 'asking again is of no use');
}
my %files = (
	shown  => $uploads->file('countries.csv', real_file('countries.csv'), name => 'Countries', status => $published),
	hidden => $uploads->file('regions.csv',   real_file('regions.csv'),   name => 'Regions',   status => $draft),
	book   => $uploads->file('book.xlsx', real_file('catalogo-justicia.xlsx'), name => 'Book', status => $published),
	readme => $uploads->file('readme.csv', "what,a\nfile,1\n", name => 'README', status => $published),
);
$service->sql("UPDATE catalogue.files SET file_name = 'readme.txt' WHERE id = '$files{readme}{id}'");

# nothing is made before there is a worker: 202, and where to look
my $reply = $service->get("/datasets/$uploads->{dataset}/download", %nobody);
is($reply->{status}, 202, 'while it is being made: 202');
like($reply->{headers}{'retry-after'}, qr/^\d+$/, 'when to ask again');
like($reply->{json}{links}{job}, qr{/jobs/\w{15}$}, 'and a link to the job');
is($service->follow($reply->{json}{links}{job}, %nobody)->{json}{data}{kind}, 'archive', 'which whoever asked sees');
my ($again) = $service->get("/datasets/$uploads->{dataset}/download", %nobody);
is($again->{json}{links}{job}, $reply->{json}{links}{job}, 'who asks again is told of the same job');
is($service->get('/datasets/nonesuchnonesuc/download')->{status}, 404, 'an unknown dataset: 404');

# for outsiders
my $worker = Catalogue::Worker->start($service);
$worker->wait_for_file($_->{id}) for values %files;
$reply = archive($worker, %nobody);
is($reply->{status}, 200, 'then it is there');
is($reply->{headers}{'content-type'}, 'application/zip', 'a zip file');
like($reply->{headers}{'content-disposition'}, qr/^attachment;.*\.zip/, 'to be kept');
my $entries = entries($reply->{body});
is(names($entries), sorted("$files{readme}{id}-readme.txt", 'book.xlsx', 'countries.csv'), 'outsiders get the files that they see, under names of their own');
is($entries->{'countries.csv'}, $files{shown}{sha256}, 'with their bytes');
is($entries->{'book.xlsx'}, $files{book}{sha256}, 'all of them');
my $readme = inside('README.txt');
like($readme, qr/Lo que est\xc3\xa1 en el aire/, 'the description says what the dataset is');
like($readme, qr/countries\.csv\n  Countries\n  \d+ bytes, SHA-256 $files{shown}{sha256}/, 'and what the files are');
unlike($readme . inside('datapackage.json'), qr/regions|Regions/, 'and says nothing of those that are hidden');
my $package = $Catalogue::Test::json->decode(inside('datapackage.json'));
is($package->{profile}, 'data-package', 'datapackage.json is one');
my ($table) = grep { $_->{path} eq 'countries.csv' } @{ $package->{resources} };
is_deeply([ @$table{qw(profile bytes hash encoding)} ],
	[ 'tabular-data-resource', $files{shown}{size}, "sha256:$files{shown}{sha256}", 'UTF-8' ], 'it describes tables');
is_deeply($table->{schema}{fields}[0], { name => 'id', type => 'integer' }, 'and their columns');

# for users
my $internal = archive($worker);
is($internal->{status}, 200, 'users have another one');
$entries = entries($internal->{body});
is(names($entries), sorted("$files{readme}{id}-readme.txt", 'book.xlsx', 'countries.csv', 'regions.csv'), 'with what they see besides');
is($entries->{'regions.csv'}, $files{hidden}{sha256}, 'and its bytes');
isnt($internal->{headers}{etag}, $reply->{headers}{etag}, 'and an entity tag of its own');

# a part of it
my $part = $service->get("/datasets/$uploads->{dataset}/download", %nobody, Range => 'bytes=10-19');
is($part->{status}, 206, 'a part of it: 206');
is($part->{body}, substr($reply->{body}, 10, 10), 'is that part');
is($service->get("/datasets/$uploads->{dataset}/download", %nobody, 'If-None-Match' => $reply->{headers}{etag})->{status}, 304, 'who has it is told so');

# each change makes it stale at once, and new a little later without anybody asking
sub stale
{
	my ($what) = @_;
	my $now = $service->get("/datasets/$uploads->{dataset}/download", %nobody);
	is($now->{status}, 202, "$what: the former archive is not given any more");
	my $new = archive($worker, %nobody);
	return entries($new->{body});
}
$service->patch("/files/$files{hidden}{id}", { status => $published });
is(names(stale('a file is published')), sorted("$files{readme}{id}-readme.txt", 'book.xlsx', 'countries.csv', 'regions.csv'), 'the new one has it');
$service->patch("/files/$files{hidden}{id}", { status => $draft });
is(names(stale('a file is hidden')), sorted("$files{readme}{id}-readme.txt", 'book.xlsx', 'countries.csv'), 'the new one has it not');
$service->delete("/files/$files{book}{id}");
is(names(stale('a file is deleted')), sorted("$files{readme}{id}-readme.txt", 'countries.csv'), 'so');
$service->put("/files/$files{shown}{id}", Catalogue::Upload::form(Catalogue::Upload::part('uploadFile', "a,b\n1,2\n", file => 'countries.csv')));
is(stale('a file has other bytes')->{'countries.csv'}, sha256_hex("a,b\n1,2\n"), 'which the new one has');
$service->patch("/datasets/$uploads->{dataset}", { description => 'Changed' });
stale('the dataset is changed');
like(inside('README.txt'), qr/^Changed$/m, 'the new one says so');
$worker->wait_for_file($files{shown}{id});
archive($worker, %nobody);

$service->patch("/datasets/$uploads->{dataset}", { notes => 'Nobody asks' });
ok($worker->wait_for('the archive to be made', sub {
	$service->sql("SELECT count(*) FROM catalogue.archive a WHERE a.audience = 'outsiders' AND a.state = (catalogue.archive_manifest(a.dataset, a.audience)::json ->> 'state')") == 1;
}), 'after a change it is made anew without anybody asking');
is($service->get("/datasets/$uploads->{dataset}/download", %nobody)->{status}, 200, 'and is there at once');

# a dataset that is hidden has none for those who do not see it
$service->patch("/datasets/$uploads->{dataset}", { status => $draft });
is($service->get("/datasets/$uploads->{dataset}/download", %nobody)->{status}, 404, 'a hidden dataset: 404');
is($service->sql("SELECT count(*) FROM catalogue.archive WHERE audience = 'outsiders'"), 0, 'and its archive for outsiders is gone');
is(archive($worker)->{status}, 200, 'users still have theirs');

# its jobs are hidden with it, those of its files too; a user sees them all
my @theirs = $service->sql("SELECT id FROM catalogue.jobs WHERE audience = 'outsiders'");
cmp_ok(scalar(@theirs), '>', 0, 'jobs were made for outsiders');
is($service->get('/jobs?limit=100', %nobody)->{json}{meta}{count}, 0, 'a hidden dataset: outsiders see none of its jobs');
is($service->get("/jobs/$_", %nobody)->{status}, 404, 'a hidden dataset: nor by its id') for @theirs;
is($service->get("/jobs/$_")->{status}, 200, 'a user sees the job') for @theirs;
$service->sql("UPDATE catalogue.datasets SET status = '$published' WHERE id = '$uploads->{dataset}'");
is($service->get('/jobs?limit=100', %nobody)->{json}{meta}{count}, scalar(grep { $_ eq 'outsiders' } $service->sql('SELECT audience FROM catalogue.jobs')), 'outsiders see the jobs that are for them again, and no others');

# names that would be trouble in a file system
my $other = Catalogue::Upload->new($service);
$service->sql("UPDATE catalogue.files SET dataset = '$other->{dataset}', file_name = '../..\\con/\x{c3}\x{b1} \"x\".csv' WHERE id = '$files{shown}{id}'");
$service->sql("UPDATE catalogue.files SET dataset = '$other->{dataset}', file_name = 'CON.csv' WHERE id = '$files{readme}{id}'");
$uploads->{dataset} = $other->{dataset};
my @odd = sort keys %{ entries(archive($worker)->{body}) };
is(scalar(grep { !/^[A-Za-z0-9][A-Za-z0-9._~-]*$/ || /\.\.|^con(\.|$)/i } @odd), 0, 'names in the archive are safe') or diag("@odd");
is(scalar(@odd), 4, 'and none is missing');

# an empty dataset has an archive too
$uploads->{dataset} = Catalogue::Upload->new($service)->{dataset};
is(names(entries(archive($worker)->{body})), '', 'an empty dataset has an archive without files');

$worker->finish;
$service->finish;
