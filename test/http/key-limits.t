#!/usr/bin/perl
# Keys that are limited to an organization, to resources or to methods: a record links exactly the actions that a
# request with the key may execute, and only callers who may change a job's record may cancel the job.

use strict;
use warnings;

use Test::More;
use Catalogue::Test;
use Catalogue::Upload;

my $service    = Catalogue::Test->start->as_admin;
my $definition = Catalogue::Definition->new($service);
my @moves      = qw(review cancel reject publish unpublish);

sub key
{
	my ($limits) = @_;
	return (apikey => scalar $service->sql("SELECT secret FROM catalogue.add_api_key('Limited'$limits)"));
}
sub actions
{
	my ($path, %headers) = @_;
	return join ' ', sort keys %{ $service->get($path, %headers)->{json}{links}{actions} // {} }
}

$service->sql(q(SELECT catalogue.add_consumer('Limited')));
my ($ours)   = $service->sql(q(SELECT id FROM catalogue.organizations WHERE name = 'Statistics Office'));
my ($theirs) = $service->sql(q(SELECT id FROM catalogue.organizations WHERE name = 'Transport Department'));
my %office   = key(", organization => '$ours'");
my %whole    = key('');
my $dataset  = $definition->create('datasets');
my $own      = $definition->create('files', dataset => $dataset, organization => $ours);
my $foreign  = $definition->create('files', dataset => $dataset, organization => $theirs);

# organization: the key may execute all actions of its records, and none of other records
my $path = "/files/$own";
is(actions($path, %office), actions($path, %whole),
	'a record of the organization has the actions that it has without a limit');
isnt(actions($path, %office), '', 'there are actions');
is($service->request('PATCH', $service->get($path, %office)->{json}{links}{actions}{publish}
	=~ s/^\Q$service->{base}\E//r, undef, %office)->{status}, 200, 'a linked action can be executed');
$path = "/files/$foreign";
isnt(actions($path, %whole), '', 'a record of another organization has actions without a limit');
is(actions($path, %office), '', 'a record of another organization has no actions with the key');
ok(!exists $service->get($path, %office)->{json}{links}{actions}, 'the answer has no member for actions');
is($service->request('PATCH', "$path/$_", undef, %office)->{status}, 403, "$_ is refused")
	for grep { actions($path, %whole) =~ /\b$_\b/ } @moves;
is(actions("/organizations/$theirs", %office), '', 'another organization has no actions with the key');
is(actions("/organizations/$ours", %office), 'deactivate', 'the organization itself may be changed');
my %offers = map {
	my %key = @$_[1, 2];
	$_->[0] => join ' ', map { $_->{verb} } @{ $service->options($path, %key)->{json}{methods} }
} [ office => %office ], [ whole => %whole ];
is_deeply(\%offers, { office => 'GET HEAD OPTIONS', whole => 'GET HEAD PATCH PUT DELETE OPTIONS' },
	'OPTIONS of the record lists no changes');
is_deeply([ map { $_->{verb} } @{ $service->options("$path/publish", %office)->{json}{methods} } ], ['OPTIONS'],
	'OPTIONS of the action lists no change');

# the entity tag depends on the actions
my $etag = $service->get($path, %whole)->{headers}{etag};
is($service->get($path, %whole, 'If-None-Match' => $etag)->{status}, 304, 'the tag gets 304 with the same key');
is($service->get($path, %office, 'If-None-Match' => $etag)->{status}, 200,
	'a key with other actions gets another representation');

# a record that moves to another organization loses its actions
is($service->patch("/files/$own", { organization => $theirs })->{status}, 200,
	'a record moves to another organization');
is(actions("/files/$own", %office), '', 'the record has no actions any more');
is($service->patch("/files/$own", { organization => $ours })->{status}, 200, 'the record moves back');
is(actions("/files/$own", %office), 'unpublish', 'the record has its actions again');

# methods: a key has the actions whose methods it allows
my $category = $definition->create('categories');
my %reads = key(q(, verbs => '{GET}'));
my %posts = key(q(, verbs => '{GET,POST}'));
my %moves = key(q(, verbs => '{GET,PATCH}'));
is(actions($path, %reads), '', 'a key that only reads has no actions');
is(actions($path, %moves), actions($path, %whole), 'a key for PATCH has the actions that are PATCH');
is(actions($path, %posts), '', 'a key for POST has none of these');
is(actions("/categories/$category", %posts), 'deactivate', 'a key for POST has the actions that are POST');
is(actions("/categories/$category", %moves), '', 'a key for PATCH has none of these');
isnt($service->request('PATCH', "$path/publish", undef, $_->[1], $_->[2])->{status}, 200,
	"$_->[0] is refused to publish") for [ 'a key that reads', %reads ], [ 'who creates', %posts ];

# resources: a record of another resource is not read, nor through relations
my %alone = key(q(, resources => '{files}'));
is(actions($path, %alone), actions($path, %whole), 'a record of the resource has its actions');
is($service->get("/categories/$category", %alone)->{status}, 403, 'a record of another resource is refused');

# jobs: callers who may change the file may cancel them
my $uploads = Catalogue::Upload->new($service);
my $number  = 0;
sub job
{
	my ($organization) = @_;
	my $file = $uploads->file("job$number.csv", "a\n1\n", name => 'Job ' . $number++, dataset => $dataset);
	$service->patch("/files/$file->{id}", { organization => $organization });
	return ($file->{id}, $service->sql("SELECT id FROM catalogue.jobs WHERE resource = '$file->{id}' AND kind = 'parse'"));
}
sub state_of { my ($job) = @_; return scalar $service->sql("SELECT state FROM catalogue.jobs WHERE id = '$job'") }
sub cancel
{
	my ($job, %headers) = @_;
	return $service->request('POST', "/jobs/$job/cancel", undef, %headers)->{status}
}

my %jobs  = key(q(, resources => '{jobs}'));
my %files = key(q(, resources => '{jobs,files}'));
my ($file, $job) = job($theirs);
is(cancel($job, %$_), 403, 'refused') for \%office, \%jobs, \%alone, \%reads;
is(cancel($job, %files, Authorization => undef), 401, 'without a user a job is not cancelled');
is($service->get("/jobs/$job", %jobs, Authorization => undef)->{status}, 404, 'an outsider does not see the job');
is(state_of($job), 'queued', 'the job has not changed');
is($service->get("/files/$file")->{json}{data}{parseState}, 'pending', 'the file has not changed');
is(cancel($job, %files), 200, 'a caller who may change the file cancels the job');
is(state_of($job), 'cancelled', 'the job is cancelled');
($file, $job) = job($ours);
is(cancel($job, %office), 200, 'the key of the file\'s organization cancels the job');
is($service->get("/files/$file")->{json}{data}{parseState}, 'failed', 'the cancellation changes the file');

# the archive job of a dataset, and a job whose record does not exist, so that its organization is unknown
my ($archive) = $service->sql("SELECT catalogue.enqueue('archive', 'dataset', '$dataset')");
is(cancel($archive, %office), 403, 'the archive of a dataset of another organization is refused');
is(cancel($archive, %files), 403, 'a key without the resource is refused');
is(cancel($archive, key(q(, resources => '{jobs,datasets}'))), 200, 'a key with the resource cancels the job');
my ($lost) = $service->sql("SELECT catalogue.enqueue('archive', 'dataset', 'zzzzzzzzzzzzzzz')");
is(cancel($lost, %office), 403, 'a job without a record is refused to the key of an organization');
is(cancel($lost, %whole), 200, 'a job without a record is cancelled without a limit');

$service->finish;
