#!/usr/bin/perl
# Periodic jobs: pg_cron runs them when it is installed, check() reports why it does not, and setting up a database
# without pg_cron prints what another scheduler has to run.

use strict;
use warnings;

use Test::More;
use Catalogue::Clock qw(poll);
use Catalogue::Program qw(command);
use Catalogue::Test;

my $service = Catalogue::Test->start(cluster => 'private')->as_admin;
my $found   =
	"SELECT concat_ws('|', subject, regexp_replace(problem, 'at .*:', 'at <now>:'), remedy) FROM catalogue.check()";

# with pg_cron
$service->is_sound('check_all() finds nothing when pg_cron has the jobs');
is($service->sql("SELECT jobname, schedule, command FROM cron.job WHERE jobname LIKE 'catalogue %'"),
	'catalogue dispatch|* * * * *|SELECT catalogue.dispatch()', 'there is one job');

# jobs that an earlier version made are removed
$service->sql("SELECT cron.schedule('catalogue prune', '*/10 * * * *', 'SELECT catalogue.prune()')");
is($service->sql('SELECT catalogue.schedule_jobs()'), 1, 'schedule_jobs() again');
is($service->sql("SELECT jobname FROM cron.job WHERE jobname LIKE 'catalogue %'"), 'catalogue dispatch',
	'there is still one job');

# a missing job, an inactive one, and one whose last run failed; each remedy corrects it
$service->sql("SELECT cron.unschedule('catalogue dispatch')");
is($service->sql($found), 'dispatch|pg_cron has no such job|SELECT catalogue.schedule_jobs()',
	'a missing job is found');
$service->sql('SELECT catalogue.schedule_jobs()');
$service->is_sound('schedule_jobs() creates it again');
my $job = $service->sql("SELECT jobid FROM cron.job WHERE jobname = 'catalogue dispatch'");
$service->sql("SELECT cron.alter_job($job, active => false)");
is($service->sql($found),
	"dispatch|pg_cron has the job, but does not run it|SELECT cron.alter_job($job, active => true)",
	'an inactive job is found');
$service->sql("SELECT cron.alter_job($job, active => true)");
$service->is_sound('the job is active again');
$service->sql("INSERT INTO cron.job_run_details (jobid, runid, status, return_message, start_time, end_time)
	VALUES ($job, 1000000, 'failed', 'no such thing', now(), now())");
is($service->sql($found), 'dispatch|the last run by pg_cron failed at <now>: no such thing|SELECT catalogue.dispatch()',
	'a job that failed is found');
$service->sql('SELECT catalogue.dispatch()');
$service->is_sound('it has run since');

# pg_cron runs what is due within a minute
$service->sql("UPDATE catalogue.upkeep SET ran_at = now() - interval '20 min', since = now() - interval '1 hour', "
	. "tried_at = NULL WHERE job = 'prune'");
my $has_run;
poll(180, sub {
	$has_run = $service->sql("SELECT ran_at > now() - interval '10 min' FROM catalogue.upkeep WHERE job = 'prune'");
	$has_run eq 't';
});
is($has_run, 't', 'pg_cron has run a job that was due');
is($service->sql("SELECT coalesce(runner, 'nobody') FROM catalogue.upkeep WHERE job = 'dispatch'"), 'nobody',
	'and no worker is named');

# the owner does not see jobs of other roles in pg_cron, and does not report them as missing
$service->sql(
	'GRANT USAGE ON SCHEMA cron TO catalogue_owner; GRANT SELECT ON cron.job, cron.job_run_details TO catalogue_owner');
is($service->sql('SET ROLE catalogue_owner; SELECT count(*) FROM catalogue.check()'), 0,
	'the owner gets no report of jobs that he cannot see');

# without pg_cron a notice names what another scheduler has to run
$service->sql('CREATE DATABASE plain', 'postgres');
my $told = command($service->{server}, 'sh', '-c', '.ci/database plain 2>&1');
like($told, qr/NOTICE:.*database "plain": pg_cron is not installed in it/,
	'a database without pg_cron: there is a notice');
like($told, qr/HINT:.*catalogue-worker.*SELECT catalogue\.dispatch\(\)\./,
	'its hint names the worker and the statement');
like(command($service->{server}, 'sh', '-c', q(psql -Xqc 'SELECT catalogue.bootstrap()' plain 2>&1)),
	qr/NOTICE:.*pg_cron is not installed/, 'bootstrap() prints the notice too');
like(command($service->{server}, 'sh', '-c', q(psql -Xqc 'SELECT catalogue.bootstrap()' catalogue 2>&1)),
	qr/\A((?!NOTICE).)*\z/s, 'with pg_cron there is no notice');

$service->finish;
