#!/usr/bin/perl
# Making archives delays nothing else: a series of uploads makes one archive when it is over, and files
# are parsed while archives are made.

use strict;
use warnings;

use Test::More;
use Time::HiRes qw(sleep time);
use Catalogue::Session;
use Catalogue::Test;
use Catalogue::Upload;
use Catalogue::Worker;

my $service = Catalogue::Test->start->as_admin;
my $uploads = Catalogue::Upload->new($service);
my $worker  = Catalogue::Worker->start($service);

sub jobs { my ($what) = @_; return $service->sql("SELECT $what FROM catalogue.jobs") }

$service->patch("/datasets/$uploads->{dataset}", { status => 'qWRhpRV' });

# many uploads one after the other, over more time than an archive waits after a change
my $slowest = 0;
my @files;
for (1 .. 12)
{
	my $from = time;
	push @files, $worker->wait_for_file($uploads->file('small.csv', "a,b\n$_,2\n")->{id});
	$slowest = time - $from if $slowest < time - $from;
	sleep 0.2;
}
is_deeply([ grep { $_ ne 'ready' } map { $_->{parseState} } @files ], [], 'all files are parsed');
cmp_ok($slowest, '<', 5, sprintf 'no upload waited: the slowest took %.1f s', $slowest);
is(jobs(q(count(*) FILTER (WHERE kind = 'archive' AND state <> 'queued'))), 0, 'no archive is made meanwhile');
is(jobs(q(count(*) FILTER (WHERE kind = 'archive'))), 2, 'one archive is queued for each audience');
$worker->hurry;
$worker->wait_for('the archives', sub { jobs(q(count(*) FILTER (WHERE kind = 'archive' AND state = 'done'))) == 2 });
is(jobs(q(min(started_at) FILTER (WHERE kind = 'archive') > max(ended_at) FILTER (WHERE kind = 'parse'))), 't',
	'the archives are made after all files are parsed');
is(jobs(q(count(*) FILTER (WHERE kind = 'archive'))), 2, 'no other archives are made');

# archives that take long, as with large files: one of the two jobs that run at once remains for parsing
my $lock = Catalogue::Session->new($service);
$lock->run('BEGIN; LOCK TABLE catalogue.archive IN SHARE MODE');
$service->get("/datasets/$uploads->{dataset}/download", @$_) for [], [ Authorization => undef ];
$service->patch("/datasets/$uploads->{dataset}", { notes => 'changed' });
$service->get("/datasets/$uploads->{dataset}/download", @$_) for [], [ Authorization => undef ];
$worker->wait_for('an archive to be begun',
	sub { jobs(q(count(*) FILTER (WHERE kind = 'archive' AND state = 'running'))) > 0 });
sleep 1.5;
my $from = time;
my $file = $worker->wait_for_file($uploads->file('small.csv', "a,b\n1,2\n")->{id});
is($file->{parseState}, 'ready', 'a file is parsed while archives are made');
cmp_ok(time - $from, '<', 5, 'parsing does not wait for archives');
is(jobs(q(count(*) FILTER (WHERE kind = 'archive' AND state = 'running'))), 1, 'one archive is made at a time');
$lock->run('ROLLBACK');
$lock->finish;
$worker->wait_for('the other archive',
	sub { jobs(q(count(*) FILTER (WHERE kind = 'archive' AND state = 'done'))) >= 4 });

$worker->finish;
$service->finish;
