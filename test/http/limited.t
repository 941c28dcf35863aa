#!/usr/bin/perl
# Keys that are limited to an organization, to resources or to verbs: what a record links as actions is what a request
# with the key may do, and a job is cancelled only by who may change the record that it is done for.

use strict;
use warnings;

use Test::More;
use Catalogue::Test;
use Catalogue::Upload;

my $service    = Catalogue::Test->start->as_admin;
my $definition = Catalogue::Definition->new($service);
my @moves      = qw(review cancel reject publish unpublish);

sub key { my ($limits) = @_; return (apikey => scalar $service->sql("SELECT secret FROM catalogue.add_api_key('Limited'$limits)")) }
sub actions { my ($path, %headers) = @_; return join ' ', sort keys %{ $service->get($path, %headers)->{json}{links}{actions} // {} } }

$service->sql(q(SELECT catalogue.add_consumer('Limited')));
my ($ours)   = $service->sql(q(SELECT id FROM catalogue.organizations WHERE name = 'Statistics Office'));
my ($theirs) = $service->sql(q(SELECT id FROM catalogue.organizations WHERE name = 'Transport Department'));
my %office   = key(", organization => '$ours'");
my %whole    = key('');
my $dataset  = $definition->create('datasets');
my $own      = $definition->create('files', dataset => $dataset, organization => $ours);
my $foreign  = $definition->create('files', dataset => $dataset, organization => $theirs);

# organization: the actions of its own records, each of which works, and none of others, which are refused
my $path = "/files/$own";
is(actions($path, %office), actions($path, %whole), 'a record of the organization has the actions that it has without a limit');
isnt(actions($path, %office), '', 'of which there are some');
is($service->request('PATCH', $service->get($path, %office)->{json}{links}{actions}{publish} =~ s/^\Q$service->{base}\E//r, undef, %office)->{status}, 200, 'one that is linked works');
$path = "/files/$foreign";
isnt(actions($path, %whole), '', 'a record of another organization has actions without a limit');
is(actions($path, %office), '', 'with the key it has none');
ok(!exists $service->get($path, %office)->{json}{links}{actions}, 'and no such member');
is($service->request('PATCH', "$path/$_", undef, %office)->{status}, 403, "$_ is refused") for grep { actions($path, %whole) =~ /\b$_\b/ } @moves;
is(actions("/organizations/$theirs", %office), '', 'so another organization itself');
is(actions("/organizations/$ours", %office), 'deactivate', 'the organization itself may be changed');
my %offers = map { my %key = @$_[1, 2]; $_->[0] => join ' ', map { $_->{verb} } @{ $service->options($path, %key)->{json}{methods} } } [ office => %office ], [ whole => %whole ];
is_deeply(\%offers, { office => 'GET HEAD', whole => 'GET HEAD PATCH PUT DELETE' }, 'OPTIONS of the record offers no changes either');
is_deeply([ map { $_->{verb} } @{ $service->options("$path/publish", %office)->{json}{methods} } ], [], 'nor the action');

# what one key was answered is not what the other has
my $etag = $service->get($path, %whole)->{headers}{etag};
is($service->get($path, %whole, 'If-None-Match' => $etag)->{status}, 304, 'the tag of the state');
is($service->get($path, %office, 'If-None-Match' => $etag)->{status}, 200, 'is another with other actions');

# a record that is given away leaves its actions behind
is($service->patch("/files/$own", { organization => $theirs })->{status}, 200, 'a record goes to another organization');
is(actions("/files/$own", %office), '', 'and has no actions any more');
is($service->patch("/files/$own", { organization => $ours })->{status}, 200, 'and comes back');
is(actions("/files/$own", %office), 'unpublish', 'with them');

# verbs: actions are requests with one
my $category = $definition->create('categories');
my %reads = key(q(, verbs => '{GET}'));
my %posts = key(q(, verbs => '{GET,POST}'));
my %moves = key(q(, verbs => '{GET,PATCH}'));
is(actions($path, %reads), '', 'a key that only reads has no actions');
is(actions($path, %moves), actions($path, %whole), 'one that changes has those that are changes');
is(actions($path, %posts), '', 'one that creates has not');
is(actions("/categories/$category", %posts), 'deactivate', 'but those that are sent as creations are');
is(actions("/categories/$category", %moves), '', 'which the other has not');
isnt($service->request('PATCH', "$path/publish", undef, $_->[1], $_->[2])->{status}, 200, "$_->[0] is refused to publish") for [ 'who reads', %reads ], [ 'who creates', %posts ];

# resources: a record of another resource is not read, by relations neither
my %alone = key(q(, resources => '{files}'));
is(actions($path, %alone), actions($path, %whole), 'a record of the resource');
is($service->get("/categories/$category", %alone)->{status}, 403, 'one of another resource');

# jobs: cancelled by who may change the file
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
sub cancel { my ($job, %headers) = @_; return $service->request('POST', "/jobs/$job/cancel", undef, %headers)->{status} }

my %jobs  = key(q(, resources => '{jobs}'));
my %files = key(q(, resources => '{jobs,files}'));
my ($file, $job) = job($theirs);
is(cancel($job, %$_), 403, 'refused') for \%office, \%jobs, \%alone, \%reads;
is(cancel($job, %files, Authorization => undef), 401, 'without a user');
is($service->get("/jobs/$job", %jobs, Authorization => undef)->{status}, 404, 'who cannot see it');
is(state_of($job), 'queued', 'the job is as it was');
is($service->get("/files/$file")->{json}{data}{parseState}, 'pending', 'and so is the file');
is(cancel($job, %files), 200, 'who may change the file cancels it');
is(state_of($job), 'cancelled', 'it is');
($file, $job) = job($ours);
is(cancel($job, %office), 200, 'with the key of the organization whose file it is');
is($service->get("/files/$file")->{json}{data}{parseState}, 'failed', 'which changes the file');

# a dataset's job, and one whose file is gone: nobody can say whose it was
my ($archive) = $service->sql("SELECT catalogue.enqueue('archive', 'dataset', '$dataset')");
is(cancel($archive, %office), 403, 'the archive of a dataset of another organization');
is(cancel($archive, %files), 403, 'without its resource');
is(cancel($archive, key(q(, resources => '{jobs,datasets}'))), 200, 'with its resource');
my ($lost) = $service->sql("SELECT catalogue.enqueue('archive', 'dataset', 'zzzzzzzzzzzzzzz')");
is(cancel($lost, %office), 403, 'a job of no record, with the key of an organization');
is(cancel($lost, %whole), 200, 'without a limit');

$service->finish;
