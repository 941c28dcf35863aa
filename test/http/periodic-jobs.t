#!/usr/bin/perl
# Periodic jobs: pg_cron runs them when it is installed, check() reports why it does not, and setting up a database
# without pg_cron prints what another scheduler has to run.

use strict;
use warnings;

use Test::More;
use Catalogue::Test;

my $service = Catalogue::Test->start(cluster => 'private')->as_admin;
my $found   = "SELECT concat_ws('|', subject, regexp_replace(problem, 'at .*:', 'at <now>:'), remedy) FROM catalogue.check()";

# with pg_cron
$service->is_sound('check_all() finds nothing when pg_cron has the jobs');
is(scalar(() = $service->sql("SELECT jobname FROM cron.job WHERE jobname LIKE 'catalogue %'")), 5, 'there are five jobs');

# a missing job, an inactive one, and one whose last run failed; each remedy corrects it
$service->sql("SELECT cron.unschedule('catalogue prune')");
is($service->sql($found), 'prune|pg_cron has no such job|SELECT catalogue.schedule_jobs()', 'a missing job is found');
$service->sql('SELECT catalogue.schedule_jobs()');
$service->is_sound('schedule_jobs() creates it again');
my $roll = $service->sql("SELECT jobid FROM cron.job WHERE jobname = 'catalogue roll up'");
$service->sql("SELECT cron.alter_job($roll, active => false)");
is($service->sql($found), "roll up|pg_cron has the job, but does not run it|SELECT cron.alter_job($roll, active => true)", 'an inactive job is found');
$service->sql("SELECT cron.alter_job($roll, active => true)");
$service->is_sound('the job is active again');
$service->sql("INSERT INTO cron.job_run_details (jobid, runid, status, return_message, start_time, end_time)
	VALUES ($roll, 1000000, 'failed', 'no such thing', now(), now())");
is($service->sql($found), 'roll up|the last run by pg_cron failed at <now>: no such thing|SELECT catalogue.roll_up_statistics()', 'a job that failed is found');
$service->sql('SELECT catalogue.roll_up_statistics()');
$service->is_sound('it has run since');

# the owner does not see jobs of other roles in pg_cron, and does not report them as missing
$service->sql('GRANT USAGE ON SCHEMA cron TO catalogue_owner; GRANT SELECT ON cron.job, cron.job_run_details TO catalogue_owner');
is($service->sql('SET ROLE catalogue_owner; SELECT count(*) FROM catalogue.check()'), 0, 'the owner gets no report of jobs that he cannot see');

# without pg_cron a notice lists statements, which can be run
$service->sql('CREATE DATABASE plain', 'postgres');
my $told = $service->command($service->{server}, 'sh', '-c', '.ci/database plain 2>&1');
like($told, qr/NOTICE:.*database "plain": pg_cron is not installed in it/, 'a database without pg_cron: there is a notice');
my @statements = $told =~ /(SELECT catalogue\.\w+\(\)) \[/g;
is_deeply([ sort @statements ], [ map { "SELECT catalogue.$_()" } qw(prune roll_up_statistics seal_log sweep verify_log_by_schedule) ], 'the notice lists the statements to run');
$service->sql($_, 'plain') for @statements;
is($service->sql('SELECT count(*) FROM catalogue.upkeep WHERE ran_at IS NULL', 'plain'), 0, 'each run is recorded');
$service->is_sound('then check_all() finds nothing', 'plain');
like($service->command($service->{server}, 'sh', '-c', q(psql -Xqc 'SELECT catalogue.bootstrap()' plain 2>&1)), qr/NOTICE:.*pg_cron is not installed/, 'bootstrap() prints the notice too');
like($service->command($service->{server}, 'sh', '-c', q(psql -Xqc 'SELECT catalogue.bootstrap()' catalogue 2>&1)), qr/\A((?!NOTICE).)*\z/s, 'with pg_cron there is no notice');

$service->finish;
