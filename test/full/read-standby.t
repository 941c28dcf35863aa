#!/usr/bin/perl
# Reads of outsiders at a standby: no answer fails or goes back behind what the client names while the standby is
# behind, loses its connections, stands still, dies, is the only server, and is promoted; users always see their writes.

use strict;
use warnings;

use POSIX ();
use Test::More;
use Time::HiRes qw(sleep time);
use Catalogue::Clock qw(wait_until);
use Catalogue::Program qw(slurp);
use Catalogue::Server;
use Catalogue::Session;
use Catalogue::Test;
use Catalogue::Upload;

my $service  = Catalogue::Test->start(cluster => 'private', CATALOGUE_CALL_TIMEOUT => '5s',
	CATALOGUE_BASE_URL => 'http://data.example.org')->as_admin;
my %outsider = (Authorization => undef);
my $file     = Catalogue::Upload->new($service)->file('a.csv', "a,b\n1,2\n", visible => 'true', status => 'qWRhpRV');
$service->patch("/datasets/$file->{dataset}", { status => 'qWRhpRV', visible => Cpanel::JSON::XS::true });

$service->sql(q(ALTER ROLE catalogue_shim SET track_functions = 'all'));
my $standby = Catalogue::Server->copy($service, 'standby', '-R')->start('-c max_standby_streaming_delay=0');
my @places  = (
	"host=$service->{server}{PGHOST},$standby->{socket} port=$service->{server}{PGPORT},$standby->{port}"
		. ' target_session_attrs=read-write',
	CATALOGUE_READ_DATABASE => $standby->place . ' user=catalogue_shim dbname=catalogue', CATALOGUE_READ_LAG => '2s',
	CATALOGUE_POOL => 4, CATALOGUE_CORS_ORIGINS => 'none');
my $reader = Catalogue::Server::shim_at($service, 'reader', @places);
my $follower = Catalogue::Session->new($standby->service);

# The first row of a statement at the standby, which may cancel it.
sub standby_says
{
	my ($sql) = @_;
	my @rows;
	wait_until('an answer of the standby', sub { @rows = eval { $follower->run($sql) }; return $@ eq '' });
	return $rows[0];
}

# How far the standby is behind, as the metrics have it.
sub lag { return ($reader->get('/metrics')->{body} =~ /^catalogue_standby_lag_seconds (\S+)$/m)[0] }

# Wait until each connection to the standby can be asked, or none.
sub wait_usable
{
	my ($so) = @_;
	return wait_until($so ? 'the standby is asked' : 'the standby is not asked', sub {
		my $metrics = $reader->get('/metrics')->{body};
		my ($up, $down) = (0, 0);
		$1 eq 'down' ? ($down += $2) : ($up += $2) while $metrics =~ /kind="standby_\w+",state="(\w+)"\} (\d+)/g;
		return $so ? $up > 0 && $down == 0 : $down > 0 && $up == 0;
	});
}
sub names { return join ' ', map { $_->{name} } @{ $_[0]{json}{data} } }
wait_usable(1);

is(lag(), '0.0', 'the standby is not behind');

# the standby stands still: an outsider sees what it has, a user his write
standby_says('SELECT pg_wal_replay_pause()');
wait_until('replay is paused', sub { standby_says('SELECT pg_get_wal_replay_pause_state()') eq 'paused' });
my $paused = time;
is($reader->post('/tags', { name => 'Newer' })->{status}, 201, 'a write');
my $tag    = $service->sql(q(SELECT id FROM catalogue.tags WHERE name = 'Newer'));
my $list   = '/tags?limit=100';
like(names($reader->get($list)), qr/Newer/, 'a user sees what he has written');
unlike(names($reader->get($list, %outsider)), qr/Newer/, 'an outsider reads at the standby');

# what names something newer is answered by the primary: a record, a version, an entity tag, a precondition
is($reader->get("/tags/$tag", %outsider)->{status}, 200, 'a record that the standby does not have yet');
my $page   = $service->get($list, %outsider);
my $begun  = time;
my $same   = $reader->get("$list&version=$page->{json}{meta}{version}", %outsider);
my $waited = time - $begun;
is(names($same), names($page), 'a version that it does not have yet');
cmp_ok($waited, '>=', 0.2, 'the standby is given a moment for that');
cmp_ok($waited, '<', 1, 'and no more');
my $etag = $service->get($list, %outsider)->{headers}{etag};
is($reader->get($list, %outsider, 'If-None-Match' => $etag)->{status}, 304, 'a state that it does not have');
is($reader->get($list, %outsider, 'If-Match' => $etag)->{status}, 200, 'such a state as a precondition');
cmp_ok(time - $paused, '<', 2, 'all that while it was not late');

# one that is late is not asked, until it has caught up
wait_usable(0);
like(names($reader->get($list, %outsider)), qr/Newer/, 'a standby that is late is not asked');
cmp_ok(lag(), '>', 2, 'the metric says that it is');
standby_says('SELECT pg_wal_replay_resume()');
wait_usable(1);
like(names($reader->get($list, %outsider)), qr/Newer/, 'it has caught up');
wait_until('the metric says so', sub { lag() eq '0.0' });

# a version that it gets in time is its own
standby_says('SELECT pg_wal_replay_pause()');
wait_until('replay is paused', sub { standby_says('SELECT pg_get_wal_replay_pause_state()') eq 'paused' });
$service->post('/tags', { name => 'Soon' });
my $version = $service->get('/tags?limit=1', %outsider)->{json}{meta}{version};
if (my $child = fork)
{
	is(names($reader->get("$list&version=$version", %outsider)) =~ /Soon/, 1, 'a version that arrives in time');
	waitpid $child, 0;
}
else
{
	sleep 0.05;
	Catalogue::Session->new($standby->service)->run('SELECT pg_wal_replay_resume()');
	POSIX::_exit(0);
}

# a standby cannot read an unlogged table, of which a rule of the operator's may depend who sees a record
$service->sql(<<'SQL');
CREATE UNLOGGED TABLE public.permitted AS SELECT 1 AS one;
GRANT SELECT ON public.permitted TO catalogue_owner;
CREATE POLICY permitted ON catalogue.tags USING (EXISTS (SELECT FROM public.permitted));
ALTER TABLE catalogue.tags ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
SQL
wait_until('the standby has the rule', sub {
	standby_says(q(SELECT relforcerowsecurity FROM pg_class WHERE oid = 'catalogue.tags'::regclass)) eq 't';
});
eval { $follower->run('SELECT one FROM public.permitted') };
like($@, qr/cannot access temporary or unlogged relations during recovery/, 'the standby refuses the table');
is($reader->get($_, %outsider)->{status}, 200, "$_ is asked again of the primary") for $list, "/tags/$tag";
is(names($reader->get($list, %outsider)), names($service->get($list, %outsider)), 'which answers');
$service->sql('ALTER TABLE catalogue.tags NO FORCE ROW LEVEL SECURITY, DISABLE ROW LEVEL SECURITY; '
	. 'DROP POLICY permitted ON catalogue.tags; DROP TABLE public.permitted');

# what has to be made is made by the primary, and downloads are counted there
my $jobs = sub { $service->sql("SELECT count(*) FROM catalogue.jobs WHERE resource = '$file->{dataset}'") };
my $made = $jobs->();
is($reader->get("/datasets/$file->{dataset}/download", %outsider, Prefer => 'respond-async')->{status}, 202,
	'an archive that is not there is asked of the primary');
is($jobs->() - $made, 1, 'which has a job for it');
my $downloads = sub {
	$service->sql("SELECT coalesce(sum(count), 0) FROM catalogue.download_count WHERE file = '$file->{id}'");
};
my $count = $downloads->();
is($reader->get("/files/$file->{id}/download", %outsider)->{body}, "a,b\n1,2\n", "download $_") for 1 .. 10;
wait_until('downloads are counted', sub { $downloads->() == $count + 10 });
wait_until('the bytes are those of the standby',
	sub { standby_says(q(SELECT sum(calls) FROM pg_stat_user_functions WHERE funcname = 'blob_bytes')) >= 10 });

# Read as outsiders, without a key, with one, and with one that has a rate, until the file "$ledger.end" exists; the
# ledger has a line for each answer: time, seconds, status, path.
my $ledger = "$service->{directory}/reads";
my @paths  = ('/tags?limit=100', "/tags/$tag", '/datasets?limit=2', "/files/$file->{id}/download",
	"/datasets/$file->{dataset}", '/tags/count', '/rss');
$service->sql(q(SELECT catalogue.add_consumer('Reader')));
my @keys = (undef,
	map { scalar $service->sql("SELECT secret FROM catalogue.add_api_key('Reader'$_)") } '', ', rate => 1000000');
my $page_of = 'https://portal.example';
$service->sql("SELECT catalogue.register_web_application('Portal', '{$page_of}')");
my $parent = $$;
my @readers;
for my $number (1 .. 3)
{
	my $pid = fork // die "fork: $!";
	push @readers, $pid;
	next if $pid;
	delete $reader->{socket};
	open my $out, '>>', $ledger or POSIX::_exit(1);
	$out->autoflush;
	for (my $i = $number; !-e "$ledger.end" && getppid == $parent; $i++)
	{
		my ($path, $since) = ($paths[ $i % @paths ], time);
		my $answer = eval { $reader->get($path, %outsider, apikey => $keys[ $number - 1 ]) } // { status => 0 };
		printf {$out} "%.3f %.3f %d %s\n", time, time - $since, $answer->{status}, $path;
	}
	POSIX::_exit(0);
}
my @phases;   # name, begin
sub phase
{
	my ($name) = @_;
	push @phases, [ $name, time ];
	sleep 1;
	return;
}

# what is replayed conflicts with reads
phase('conflicts');
my $conflicts = sub {
	return standby_says('SELECT sum(confl_lock) FROM pg_stat_database_conflicts');
};
wait_until('some reads have been cancelled', sub {
	$service->sql('BEGIN; LOCK TABLE catalogue.tags, catalogue.datasets, catalogue.files; COMMIT');
	return $conflicts->() >= 3;
});

# its connections are ended
phase('ended connections');
for (1 .. 5)
{
	standby_says(q(SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'catalogue_shim'));
	sleep 0.3;
}
wait_usable(1);

# it answers nothing more, though it accepts connections
phase('no answers');
my @processes = ((split /\n/, slurp("$standby->{data}/postmaster.pid"))[0]);
push @processes, split ' ', `pgrep -P $processes[0]`;
kill 'STOP', @processes;
sleep 4;
kill 'CONT', reverse @processes;
wait_usable(1);

# it is off, and comes back
phase('standby off');
Catalogue::Server::postgres('pg_ctl', 'stop', '-D', $standby->{data}, '-w', '-s', '-m', 'immediate');
sleep 3;
$standby->start('-c max_standby_streaming_delay=0');
wait_usable(1);

# the primary is lost, and the standby promoted
phase('primary lost');
$service->post('/tags', { name => 'Last' });
sleep 0.5;
kill 'KILL', (split /\n/, slurp("$service->{var}/data/postmaster.pid"))[0];
wait_until('writes are refused', sub { $reader->post('/tags', { name => 'Refused' })->{status} == 503 });
sleep 2;

# a shim that starts meanwhile knows the standby's keys and web applications
my $restarted = do {
	local $service->{headers} = {};   # a user is not served
	Catalogue::Server::shim_at($service, 'restarted', @places);
};
for my $key (@keys)
{
	wait_until('it reads', sub { $restarted->get($list, %outsider, apikey => $key)->{status} =~ /^20[06]$/ });
}
wait_until('it knows the origins', sub {
	my $answer = $restarted->get($list, %outsider, Origin => $page_of);
	return ($answer->{headers}{'access-control-allow-origin'} // '') eq $page_of;
});
is($restarted->stop_shim, 0, 'it ends with status 0');
phase('promotion');
$standby->promote;
wait_until('writes', sub { $reader->post('/tags', { name => 'After' })->{status} == 201 });
my $own;
wait_until('reads of a user', sub { ($own = $reader->get($list))->{status} == 206 || $own->{status} == 200 });
like(names($own), qr/After.*Last|Last.*After/, 'a user sees what he has written');
wait_until('an outsider sees it', sub { names($reader->get($list, %outsider)) =~ /After/ });
sleep 1;
open my $end, '>', "$ledger.end" or die "open: $!";
waitpid $_, 0 for @readers;

# no read has failed
my @lines = map { [ split ' ', $_, 4 ] } split /\n/, slurp($ledger);
for my $i (0 .. $#phases)
{
	my ($name, $from) = @{ $phases[$i] };
	my @those = grep { $_->[0] >= $from && ($i == $#phases || $_->[0] < $phases[ $i + 1 ][1]) } @lines;
	my ($longest) = sort { $b <=> $a } map { $_->[1] } @those;
	cmp_ok(scalar @those, '>', 20, "$name: " . @those . ' reads');
	is_deeply([ map { "$_->[2] $_->[3]" } grep { $_->[2] !~ /^20[06]$/ } @those ], [], "$name: none has failed");
	cmp_ok($longest, '<', $name eq 'no answers' ? 7 : 2.5, "$name: the longest took $longest s");
}

is($reader->stop_shim, 0, 'the shim ends with status 0');
unlike($reader->output, qr/Sanitizer|runtime error:/, 'no sanitizer reported an error');
$standby->stop;
$service->finish;
