#!/usr/bin/perl
# The jobs that run now and then: pg_cron runs them where it is installed, check() finds what keeps it from that,
# and whoever sets up a database without it is told what another scheduler has to run.

use strict;
use warnings;

use Test::More;
use Catalogue::Test;

my $service = Catalogue::Test->start(cluster => 'private')->as_admin;
my $found   = "SELECT concat_ws('|', subject, regexp_replace(problem, 'at .*:', 'at <now>:'), remedy) FROM catalogue.check()";

# with pg_cron
$service->is_sound('with the jobs of pg_cron all is well');
is(scalar(() = $service->sql("SELECT jobname FROM cron.job WHERE jobname LIKE 'catalogue %'")), 3, 'they are three');

# a job that is gone, one that is off, one whose last run failed; each remedy mends it
$service->sql("SELECT cron.unschedule('catalogue prune')");
is($service->sql($found), 'prune|pg_cron has no such job|SELECT catalogue.schedule_jobs()', 'a job that is gone is found');
$service->sql('SELECT catalogue.schedule_jobs()');
$service->is_sound('it is made again');
my $roll = $service->sql("SELECT jobid FROM cron.job WHERE jobname = 'catalogue roll up'");
$service->sql("SELECT cron.alter_job($roll, active => false)");
is($service->sql($found), "roll up|pg_cron has the job, but does not run it|SELECT cron.alter_job($roll, active => true)", 'one that is off is found');
$service->sql("SELECT cron.alter_job($roll, active => true)");
$service->is_sound('it is on again');
$service->sql("INSERT INTO cron.job_run_details (jobid, runid, status, return_message, start_time, end_time)
	VALUES ($roll, 1000000, 'failed', 'no such thing', now(), now())");
is($service->sql($found), 'roll up|the last run by pg_cron failed at <now>: no such thing|SELECT catalogue.roll_up_statistics()', 'one that failed is found');
$service->sql('SELECT catalogue.roll_up_statistics()');
$service->is_sound('and has run since');

# the owner sees no jobs of others in pg_cron, and takes none for missing
$service->sql('GRANT USAGE ON SCHEMA cron TO catalogue_owner; GRANT SELECT ON cron.job, cron.job_run_details TO catalogue_owner');
is($service->sql('SET ROLE catalogue_owner; SELECT count(*) FROM catalogue.check()'), 0, 'the owner is told of no job that he cannot see');

# without pg_cron: who sets up is told, and what he is told to run runs
$service->sql('CREATE DATABASE plain', 'postgres');
my $told = $service->command($service->{server}, 'sh', '-c', '.ci/database plain 2>&1');
like($told, qr/NOTICE:.*database "plain": pg_cron is not installed in it/, 'a database without pg_cron: there is a notice');
my @statements = $told =~ /(SELECT catalogue\.\w+\(\)) \[/g;
is_deeply([ sort @statements ], [ map { "SELECT catalogue.$_()" } qw(prune roll_up_statistics sweep) ], 'it names what to run');
$service->sql($_, 'plain') for @statements;
is($service->sql('SELECT count(*) FROM catalogue.upkeep WHERE ran_at IS NULL', 'plain'), 0, 'and that each ran is kept');
$service->is_sound('nothing is missed then', 'plain');
like($service->command($service->{server}, 'sh', '-c', q(psql -Xqc 'SELECT catalogue.bootstrap()' plain 2>&1)), qr/NOTICE:.*pg_cron is not installed/, 'bootstrap() says so too');
like($service->command($service->{server}, 'sh', '-c', q(psql -Xqc 'SELECT catalogue.bootstrap()' catalogue 2>&1)), qr/\A((?!NOTICE).)*\z/s, 'and nothing where it is installed');

$service->finish;
