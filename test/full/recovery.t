#!/usr/bin/perl
# A base backup and the archived WAL give the catalogue as it was at an instant: all rows, earlier states, the action
# log and its chain, statistics, bytes in an object store; what came later is gone, and the service goes on from there.

use strict;
use warnings;

use Test::More;
use Time::HiRes qw(sleep);
use Catalogue::Clock qw(wait_until);
use Catalogue::ObjectStore;
use Catalogue::Server;
use Catalogue::Test;
use Catalogue::Upload;
use Catalogue::Worker;

my $store = Catalogue::ObjectStore->start;
my $service = Catalogue::Test->start(cluster => 'private', $store->settings)->as_admin;
my $archive = "$service->{directory}/archive";
mkdir $archive or die "$archive: $!";
chown((getpwnam 'postgres')[2, 3], $archive) if $> == 0;
$service->sql('ALTER SYSTEM SET archive_mode = on');
$service->sql("ALTER SYSTEM SET archive_command = 'cp %p $archive/%f'");
Catalogue::Server::postgres('pg_ctl', 'restart', '-D', "$service->{var}/data", '-w', '-s', '-m', 'fast', '-l',
	"$service->{directory}/server.log");

# The rows of all tables, each table with a checksum.
sub rows_of
{
	my ($at) = @_;
	my @tables = $at->sql(q{SELECT c.oid::regclass FROM pg_class c WHERE c.relkind = 'r' AND c.relpersistence = 'p' AND }
		. q{c.relnamespace IN ('catalogue'::regnamespace, 'catalogue_history'::regnamespace) ORDER BY 1});
	return { map {
		$_ => scalar $at->sql("SELECT count(*) || ' ' || coalesce(sum(hashtext(t::text)), 0) FROM $_ t") } @tables };
}

# jobs would write between what is read here and the instant, and in the recovered server
$service->sql('SELECT cron.unschedule(jobid) FROM cron.job');

# before the backup, and between it and the instant
my $dataset = $service->sql('SELECT id FROM catalogue.datasets LIMIT 1');
wait_until('the shim can write again',
	sub { $service->patch("/datasets/$dataset", { notes => 'before the backup' })->{status} == 200 });
my $bytes = "a,b\n" . "1,2345\n" x 100_000;
my $file  = Catalogue::Upload->new($service)->file('stored.csv', $bytes);
my ($said) = Catalogue::Worker->run($service, ['--move']);
is($said, "all bytes are in the object store\n", 'a file is in the object store');
my $copy = Catalogue::Server->copy($service, 'recovered');
is($service->post('/tags', { name => "tag $_" })->{status}, 201, "tag $_") for 1 .. 3;
is($service->patch("/datasets/$dataset", { notes => 'before the instant' })->{status}, 200,
	'a change before the instant');
is($service->delete('/tags/' . $service->get('/tags?name=tag%201')->{json}{data}[0]{id})->{status}, 200, 'a deletion');
$service->sql('SELECT catalogue.seal_log()');
my $page = $service->get('/datasets?sort=ASC')->{json};
my $version = $page->{meta}{version};
$service->get('/tags?name=last');
wait_until('all requests are recorded',
	sub { $service->sql(q(SELECT count(*) FROM catalogue.statistics WHERE querystring LIKE '%last%')) });
my $rows = rows_of($service);
my $instant = $service->sql('SELECT clock_timestamp()');
sleep 0.1;

# afterwards: what is to be undone
is($service->post('/tags', { name => 'too late' })->{status}, 201, 'a creation after the instant');
is($service->patch("/datasets/$dataset", { notes => 'after the instant' })->{status}, 200, 'a change');
is($service->delete("/datasets/$dataset")->{status}, 200, 'a deletion');
$service->sql("DELETE FROM catalogue.stored_file WHERE file = '$file->{id}'; SET catalogue.history_retention = 0; "
	. "UPDATE catalogue.blob SET used_at = now() - interval '1 day' WHERE uses = 0; SELECT catalogue.sweep()");
is($service->sql('SELECT count(*) FROM catalogue.blob_gone'), 1, 'the bytes of a file are swept');
my $worker = Catalogue::Worker->start($service);
wait_until('the worker has nothing to do', sub { grep { $_->{target} =~ /list-type/ } $store->{server}->requests });
$worker->finish;
$service->sql('SELECT catalogue.seal_log()');
my $segment = $service->sql('SELECT pg_walfile_name(pg_switch_wal())');
wait_until('the WAL is archived', sub { -e "$archive/$segment" });

# recovery to the instant
open my $out, '>', "$copy->{data}/recovery.signal" or die "recovery.signal: $!";
close $out;
chown((getpwnam 'postgres')[2, 3], "$copy->{data}/recovery.signal") if $> == 0;
$copy->start("-c archive_mode=off -c restore_command='cp $archive/%f %p' -c recovery_target_time='$instant' -c "
	. "recovery_target_action=promote");
my $recovered = $copy->service;
wait_until('it is recovered', sub { $recovered->sql('SELECT pg_is_in_recovery()') eq 'f' });

is_deeply(rows_of($recovered), $rows, 'each table has the rows of the instant');
is_deeply([ $recovered->sql("SELECT * FROM catalogue.check_all() f WHERE f.kind NOT IN ('upkeep', 'job')") ], [],
	'check_all() finds nothing');
is($recovered->sql('SELECT count(*) FROM catalogue.verify_log()'), 0, 'the chain of the log holds');

# the service goes on from there
my $shim = Catalogue::Server::shim_at($service, 'shim-of-recovered', $copy->place);
ok($shim->get("/files/$file->{id}/download")->{body} eq $bytes, 'the object store has the bytes of the instant');
my $again = $shim->get("/datasets?sort=ASC&version=$version")->{json};
is_deeply($again->{data}, $page->{data}, 'the page of the instant is the same');
is($shim->get('/tags?name=too%20late')->{json}{meta}{count}, 0, 'what came later is not there');
my @versions = map { $_->{notes} // '' } @{ $shim->get("/datasets/$dataset/versions")->{json}{data} };
is_deeply([ grep { /the/ } @versions ], [ 'before the instant', 'before the backup' ],
	'the dataset has its earlier states') or diag(explain(\@versions));
is($shim->post('/tags', { name => 'too late' })->{status}, 201, 'a name that was given later is free');
is($shim->patch("/datasets/$dataset", { notes => 'in another time' })->{status}, 200, 'the dataset can be changed');
$recovered->sql('SELECT catalogue.seal_log()');
is($recovered->sql('SELECT count(*) FROM catalogue.verify_log()'), 0, 'the chain of the log continues');
is($shim->stop_shim, 0, 'the shim ends with status 0');
unlike($shim->output, qr/Sanitizer|runtime error:/, 'no sanitizer reported an error');
$copy->stop;
$service->finish;
