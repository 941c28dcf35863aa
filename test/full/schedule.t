#!/usr/bin/perl
# Schedules: without pg_cron a worker runs what is due, and its log says so; it stops when another scheduler does it, or
# another worker.  A worker that is killed leaves nothing undone.

use strict;
use warnings;

use Test::More;
use Catalogue::Test;
use Catalogue::Worker;

my $service = Catalogue::Test->start->as_admin;
my $worker;
my $runner  = "SELECT coalesce(runner, 'nobody') FROM catalogue.upkeep WHERE job = 'dispatch'";

# Make a job due, as after a downtime of days.
sub is_due
{
	my ($job) = @_;
	$service->sql("UPDATE catalogue.upkeep SET ran_at = now() - interval '70 days', since = now() - interval '80 days', "
		. "tried_at = NULL WHERE job = '$job'");
	return;
}

sub has_run
{
	my ($job) = @_;
	return $service->sql("SELECT ran_at > now() - interval '1 hour' FROM catalogue.upkeep WHERE job = '$job'") eq 't';
}

sub is_logged
{
	my ($text) = @_;
	return $worker->wait_for('a line of the log',
		sub { grep { $_->{event} eq 'schedule' && $_->{message} eq $text } $service->log });
}

# what was due is run, each job once
is_due($_) for 'prune', 'roll up';
$worker = Catalogue::Worker->start($service);
ok($worker->wait_for('the worker to run what is due', sub { has_run('prune') && has_run('roll up') }),
	'the worker has run what was due');
like($service->sql($runner), qr/:\d+:/, 'the schedule names the worker');
ok(is_logged('this worker runs the scheduled jobs: pg_cron does not'), 'the log says so');

# the next run of an update frequency is shown, and moves on
my $made = $service->post('/updatefrequencies',
	{ name => 'Each century', timePattern => '0 0 1 1 *', nextRun => '2000-01-01T00:00:00Z' });
my $id   = $made->{headers}{location} =~ s{.*/}{}r;
my $next = $service->get("/updatefrequencies/$id")->{json}{data}{nextRun};
like($next, qr/\A2\d\d\d-01-01T00:00:00/, 'the next run is computed, not what a client sends');
$service->sql("UPDATE catalogue.updatefrequencies SET next_run = now() - interval '1 min' WHERE id = '$id'");
ok($worker->wait_for('the next run', sub { $service->get("/updatefrequencies/$id")->{json}{data}{nextRun} eq $next }),
	'a next run that has passed is computed anew');
is($service->patch("/updatefrequencies/$id", { timePattern => '0 0 31 2 *' })->{json}{data}{timePattern}[0]{message},
	'names no time that there is', 'a pattern that names no time is refused');
is($service->patch("/updatefrequencies/$id", { timePattern => '0 25 * * *' })->{json}{data}{timePattern}[0]{message},
	'has no valid hour: "25"', 'and one with a wrong field, which is named');

# another scheduler takes over
$service->sql('SELECT catalogue.dispatch()');
ok(is_logged('pg_cron or another worker runs the scheduled jobs'),
	'the worker stops when another scheduler dispatches');
is($service->sql($runner), 'nobody', 'the schedule names no worker');

# it is gone: the worker takes over again, also one that was killed and is another process now
$worker->stop('KILL');
is_due('prune');
$service->sql("UPDATE catalogue.upkeep SET ran_at = now() - interval '1 day' WHERE job = 'dispatch'");
$worker = Catalogue::Worker->start($service);
ok($worker->wait_for('the worker to run what is due', sub { has_run('prune') }), 'the next worker runs what is due');
$worker->finish;
$service->is_sound('check_all() finds nothing');

$service->finish;
