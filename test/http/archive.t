#!/usr/bin/perl
# The archive of a dataset: exactly the files that the caller sees, made again after each change, never
# served when it is stale.

use strict;
use warnings;

use Digest::SHA qw(sha256_hex);
use Test::More;
use Catalogue::Archive;
use Catalogue::Client qw($json);
use Catalogue::Definition;
use Catalogue::Test;
use Catalogue::Real;
use Catalogue::Upload;
use Catalogue::Worker;

my $service   = Catalogue::Test->start->as_admin;
my $uploads   = Catalogue::Upload->new($service);
my $published = 'qWRhpRV';
my $draft     = 'nWRhpRV';
my %nobody    = (Authorization => undef);
my %at_once   = (Prefer => 'respond-async');
my %members;    # of the archive that was read last

# Request the archive until it is made; return the reply.
sub archive
{
	my ($worker, %headers) = @_;
	return $worker->wait_for('the archive', sub {
		my $reply = $service->get("/datasets/$uploads->{dataset}/download", %headers);
		$reply->{status} == 202 ? undef : $reply;
	});
}

# The names of an archive's members, each with the digest of its content, which %members then has.
sub entries
{
	my ($bytes) = @_;
	diag($bytes) if $bytes !~ /^PK/;
	%members = Catalogue::Archive::members($bytes);
	return { map { $_ => sha256_hex($members{$_}) } keys %members };
}

# Names in the archive, without the two files that every archive has.
sub names { my ($entries) = @_; return join ' ', sort grep { !/^(README\.txt|datapackage\.json)$/ } keys %$entries }

sub sorted { return join ' ', sort @_ }

$service->patch("/datasets/$uploads->{dataset}",
	{ status => $published, description => "Lo que est\x{e1} en el aire" });
# the answer before the archive is made is JSON, whatever Accept says
for my $accept ('application/zip', 'application/*', '*/*', 'application/json', 'text/html, application/json;q=0.1',
	'text/plain', 'application/json;q=0, text/plain', undef)
{
	my $reply = $service->get("/datasets/$uploads->{dataset}/download", Accept => $accept, %at_once);
	is($reply->{status}, 202, 'no archive yet, Accept: ' . ($accept // 'none'));
	is($reply->{headers}{'retry-after'}, 2, 'with Retry-After');
}
my %files = (
	shown  => $uploads->file('countries.csv', real_file('countries.csv'), name => 'Countries', status => $published),
	hidden => $uploads->file('regions.csv',   real_file('regions.csv'),   name => 'Regions',   status => $draft),
	book   => $uploads->file('book.xlsx', real_file('catalogo-justicia.xlsx'), name => 'Book', status => $published),
	readme => $uploads->file('readme.csv', "what,a\nfile,1\n", name => 'README', status => $published),
);
$service->sql("UPDATE catalogue.files SET file_name = 'readme.txt' WHERE id = '$files{readme}{id}'");

# nothing is made before there is a worker: the answer is 202 with a link to the job
my $reply = $service->get("/datasets/$uploads->{dataset}/download", %nobody, %at_once);
is($reply->{status}, 202, 'the archive is being made: 202');
like($reply->{headers}{'retry-after'}, qr/^\d+$/, 'with Retry-After');
like($reply->{json}{links}{job}, qr{/jobs/\w{15}$}, 'with a link to the job');
is($service->follow($reply->{json}{links}{job}, %nobody)->{json}{data}{kind}, 'archive',
	'a caller who requested the archive sees its job');
my ($again) = $service->get("/datasets/$uploads->{dataset}/download", %nobody, %at_once);
is($again->{json}{links}{job}, $reply->{json}{links}{job}, 'a second request gets the same job');
is($service->get('/datasets/nonesuchnonesuc/download')->{status}, 404, 'an unknown dataset: 404');

# a browser gets a page that asks again
$reply = $service->get("/datasets/$uploads->{dataset}/download", %at_once,
	Accept => 'text/html,application/xhtml+xml,*/*;q=0.8');
is("$reply->{status} $reply->{headers}{'content-type'} $reply->{headers}{refresh}",
	'202 text/html; charset=utf-8 2', 'a page');
like($reply->{body}, qr/The download is being made/, 'says why');

# for outsiders
my $worker = Catalogue::Worker->start($service);
$worker->wait_for_file($_->{id}) for values %files;
$reply = archive($worker, %nobody);
is($reply->{status}, 200, 'the archive is there');
is($reply->{headers}{'content-type'}, 'application/zip', 'the archive is a ZIP file');
like($reply->{headers}{'content-disposition'}, qr/^attachment;.*\.zip/, 'the archive is an attachment');
my $entries = entries($reply->{body});
is(names($entries), sorted("$files{readme}{id}-readme.txt", 'book.xlsx', 'countries.csv'),
	'outsiders get the files that they see, under unique names');
is($entries->{'countries.csv'}, $files{shown}{sha256}, 'the archive has the bytes of a file');
is($entries->{'book.xlsx'}, $files{book}{sha256}, 'the archive has the bytes of each file');
my $readme = $members{'README.txt'};
like($readme, qr/Lo que est\xc3\xa1 en el aire/, 'README.txt has the description of the dataset');
like($readme, qr/countries\.csv\n  Countries\n  \d+ bytes, SHA-256 $files{shown}{sha256}/,
	'README.txt describes the files');
unlike($readme . $members{'datapackage.json'}, qr/regions|Regions/, 'hidden files are not described');
my $package = $json->decode($members{'datapackage.json'});
is($package->{profile}, 'data-package', 'datapackage.json is a data package');
my ($table) = grep { $_->{path} eq 'countries.csv' } @{ $package->{resources} };
is_deeply([ @$table{qw(profile bytes hash encoding)} ],
	[ 'tabular-data-resource', $files{shown}{size}, "sha256:$files{shown}{sha256}", 'UTF-8' ],
		'datapackage.json describes tables');
is_deeply($table->{schema}{fields}[0], { name => 'id', type => 'integer' }, 'datapackage.json describes columns');

# for users
my $internal = archive($worker);
is($internal->{status}, 200, 'users have a separate archive');
$entries = entries($internal->{body});
is(names($entries), sorted("$files{readme}{id}-readme.txt", 'book.xlsx', 'countries.csv', 'regions.csv'),
	'the archive for users has the files that only they see');
is($entries->{'regions.csv'}, $files{hidden}{sha256}, 'the archive for users has their bytes');
isnt($internal->{headers}{etag}, $reply->{headers}{etag}, 'the archive for users has its own entity tag');

# ranges
my $part = $service->get("/datasets/$uploads->{dataset}/download", %nobody, Range => 'bytes=10-19');
is($part->{status}, 206, 'a range of the archive: 206');
is($part->{body}, substr($reply->{body}, 10, 10), 'a range has its bytes');
is($service->get("/datasets/$uploads->{dataset}/download", %nobody,
	'If-None-Match' => $reply->{headers}{etag})->{status}, 304, 'If-None-Match with the tag of the archive: 304');

# each change makes the archive stale at once, and a new one is made a little later without a request
sub stale
{
	my ($what) = @_;
	my $now = $service->get("/datasets/$uploads->{dataset}/download", %nobody, %at_once);
	is($now->{status}, 202, "$what: the stale archive is not served");
	my $new = archive($worker, %nobody);
	return entries($new->{body});
}
$service->patch("/files/$files{hidden}{id}", { status => $published });
is(names(stale('a file is published')), sorted("$files{readme}{id}-readme.txt", 'book.xlsx', 'countries.csv',
	'regions.csv'), 'the new archive has the published file');
$service->patch("/files/$files{hidden}{id}", { status => $draft });
is(names(stale('a file is hidden')), sorted("$files{readme}{id}-readme.txt", 'book.xlsx', 'countries.csv'),
	'the new archive lacks the hidden file');
$service->delete("/files/$files{book}{id}");
is(names(stale('a file is deleted')), sorted("$files{readme}{id}-readme.txt", 'countries.csv'),
	'the new archive lacks the deleted file');
$service->put("/files/$files{shown}{id}",
	Catalogue::Upload::form(Catalogue::Upload::part('uploadFile', "a,b\n1,2\n", file => 'countries.csv')));
is(stale('a file has other bytes')->{'countries.csv'}, sha256_hex("a,b\n1,2\n"), 'the new archive has the new bytes');
$service->patch("/datasets/$uploads->{dataset}", { description => 'Changed' });
stale('the dataset is changed');
like($members{'README.txt'}, qr/^Changed$/m, 'the new archive describes the changed dataset');
$worker->wait_for_file($files{shown}{id});
archive($worker, %nobody);
# an archive that somebody has asked for is made at once; none is left
$worker->finish_jobs;

$service->patch("/datasets/$uploads->{dataset}", { notes => 'Nobody asks' });
is($service->sql(q(SELECT count(*) FROM catalogue.job_queue WHERE kind = 'archive' AND due_at BETWEEN now() AND now() )
	. q(+ interval '10 s')), 2, 'after a change the archives wait for ten seconds at most');
$worker->hurry;
ok($worker->wait_for('the archive to be made', sub {
	$service->sql("SELECT count(*) FROM catalogue.archive a WHERE a.audience = 'outsiders' AND a.state = "
		. "(catalogue.archive_manifest(a.dataset, a.audience)::json ->> 'state')") == 1;
}), 'after a change the archive is made again without a request');
is($service->get("/datasets/$uploads->{dataset}/download", %nobody)->{status}, 200,
	'the first request gets that archive');

# a hidden dataset has no archive for callers who do not see it
$service->patch("/datasets/$uploads->{dataset}", { status => $draft });
is($service->get("/datasets/$uploads->{dataset}/download", %nobody)->{status}, 404, 'a hidden dataset: 404');
is($service->sql("SELECT count(*) FROM catalogue.archive WHERE audience = 'outsiders'"), 0,
	'a hidden dataset: its archive for outsiders is removed');
is(archive($worker)->{status}, 200, 'a hidden dataset: users still have their archive');

# the jobs of a dataset and of its files are hidden with it; users see all jobs
my @theirs = $service->sql("SELECT id FROM catalogue.jobs WHERE audience = 'outsiders'");
cmp_ok(scalar(@theirs), '>', 0, 'jobs were made for outsiders');
is($service->get('/jobs?limit=100', %nobody)->{json}{meta}{count}, 0,
	'a hidden dataset: outsiders see none of its jobs');
is($service->get("/jobs/$_", %nobody)->{status}, 404, 'a hidden dataset: outsiders see no job by its id') for @theirs;
is($service->get("/jobs/$_")->{status}, 200, 'a user sees the job') for @theirs;
$service->sql("UPDATE catalogue.datasets SET status = '$published' WHERE id = '$uploads->{dataset}'");
is($service->get('/jobs?limit=100', %nobody)->{json}{meta}{count},
	scalar(grep { $_ eq 'outsiders' } $service->sql('SELECT audience FROM catalogue.jobs')),
	'outsiders see exactly the jobs that are for them again');

# names that are unsafe in file systems
my $other = Catalogue::Upload->new($service);
$service->sql("UPDATE catalogue.files SET dataset = '$other->{dataset}', file_name = '../..\\con/\x{c3}\x{b1} "
	. "\"x\".csv' WHERE id = '$files{shown}{id}'");
$service->sql(
	"UPDATE catalogue.files SET dataset = '$other->{dataset}', file_name = 'CON.csv' WHERE id = '$files{readme}{id}'");
$uploads->{dataset} = $other->{dataset};
my @odd = sort keys %{ entries(archive($worker)->{body}) };
is(scalar(grep { !/^[A-Za-z0-9][A-Za-z0-9._~-]*$/ || /\.\.|^con(\.|$)/i } @odd), 0, 'names in the archive are safe')
	or diag("@odd");
is(scalar(@odd), 4, 'no file is missing');

# a request waits for the archive, so that of a dataset without files is there at once
my $empty = Catalogue::Definition->new($service)->create('datasets', name => 'Without files', status => $published);
$reply = $service->get("/datasets/$empty/download", %nobody);
is($reply->{status}, 200, 'an empty dataset has an archive too');
is(names(entries($reply->{body})), '', 'without files');
like($members{'README.txt'}, qr/Without files/, 'and with its description');

$worker->finish;
$service->finish;
