#!/usr/bin/perl
# A shim on a standby serves reads and says that nothing can be written; after the crash of the primary and the
# promotion of the standby it writes, and a shim that knows both servers finds the new primary: no acknowledged write is
# lost.

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

my $service = Catalogue::Test->start(cluster => 'private', CATALOGUE_CALL_TIMEOUT => '2s')->as_admin;
my $wanted = 'target_session_attrs=read-write';

sub events { my ($shim, $event) = @_; return scalar grep { $_->{event} eq $event } $shim->log }

# a standby that confirms each commit
my $standby = Catalogue::Server->copy($service, 'standby', '-R', '-d', 'application_name=standby')->start;
$service->sql(q(ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (standby)'));
$service->sql('SELECT pg_reload_conf()');
wait_until('the standby confirms',
	sub { $service->sql(q(SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'quorum')) == 1 });

# a shim at the standby: reads are served
is($service->post('/tags', { name => 'Before' })->{status}, 201, 'a write at the primary');
my $reader = Catalogue::Server::shim_at($service, 'reader', $standby->place);
my $reply;
wait_until('the standby has replayed it', sub { ($reply = $reader->get('/tags?name=Before'))->{json}{data}[0] });
is($reply->{json}{data}[0]{name}, 'Before', 'the standby shows the write of the primary');
is($reader->get($_)->{status}, 200, "GET $_ at a standby") for '/health', '/tags/count', '/datasets?limit=3',
	'/users/me', '/openapi.json';

# tokens of an application, and keys
my $consumer = $service->sql(q(SELECT "consumerId" FROM catalogue.register_web_application('Portal', '{}')));
my %key = map { ($_ => scalar $service->sql("SELECT secret FROM catalogue.add_api_key('Portal'$_)")) }
	'', ', rate => 3';
wait_until('the standby has the keys',
	sub { $reader->get('/roles', Authorization => undef, apikey => $key{''})->{status} == 200 });
for my $id ($consumer, 'wrong')
{
	my $token = $reader->post('/clients/tokens', { consumer => 'Portal', consumerId => $id }, Authorization => undef);
	is($token->{status}, 503, 'a token of an application, whose wrong tries cannot be counted: 503');
	like($token->{body}, qr/can only be read/, 'the message says why');
}
my @status = map { $reader->get('/roles', Authorization => undef, apikey => $key{''})->{status} } 1 .. 5;
is("@status", '200 200 200 200 200', 'a key without a rate');
my $minute;
do
{
	$minute = int time / 60;
	@status = map { $reader->get('/roles', Authorization => undef, apikey => $key{', rate => 3'})->{status} } 1 .. 5;
} until $minute == int time / 60;
is("@status", '200 200 200 429 429', 'a key with a rate, of which the shim grants what is its own');
is($reader->get('/roles', Authorization => undef, apikey => $key{', rate => 3'})->{headers}{'retry-after'} > 0, 1,
	'and says when there is more');

# a version that the standby has not followed yet is refused, and no older content is given under its name
my $follower = Catalogue::Session->new($standby->service);
$follower->run('SELECT pg_wal_replay_pause()');
wait_until('replay is paused', sub { ($follower->run('SELECT pg_get_wal_replay_pause_state()'))[0] eq 'paused' });
$service->sql(q(ALTER SYSTEM SET synchronous_commit = 'local'));
$service->sql('SELECT pg_reload_conf()');
is($service->post('/tags', { name => 'Later' })->{status}, 201, 'a write that the standby has not replayed');
my $page = $service->get('/tags?limit=1');
my $version = $page->{json}{meta}{version};
my $behind = $reader->get("/tags?limit=1&version=$version");
is($behind->{status}, 503, 'its version at the standby: 503');
like($behind->{body}, qr/the standby has not followed up to that version yet/, 'the message says why');
is($behind->{headers}{'retry-after'}, 1, 'and when to ask again');
is($reader->get('/tags?limit=1')->{status}, 206, 'without a version the standby answers');

# how far it is behind
my $health = $reader->get('/health/read');
is($health->{json}{data}{standby}, 1, 'a standby says that it is one') or diag($health->{body});
wait_until('it is behind', sub { $reader->get('/health/read')->{json}{data}{lag} > 1 });
is($reader->get('/health/read?lag=60')->{status}, 200, 'it is not so far behind');
my $late = $reader->get('/health/read?lag=1');
is($late->{status}, 503, 'it is further behind');
like($late->{body}, qr/the standby is \d+ s behind/, 'the message says how far');
is($service->get('/health/read?lag=0')->{status}, 200, 'the primary is never behind');
$follower->run('SELECT pg_wal_replay_resume()');
wait_until('the standby answers', sub { ($behind = $reader->get("/tags?limit=1&version=$version"))->{status} == 206 });
wait_until('it is not behind any more', sub { $reader->get('/health/read?lag=0')->{status} == 200 });
is($behind->{json}{meta}{count}, $page->{json}{meta}{count}, 'as the primary does');
$service->sql('ALTER SYSTEM RESET synchronous_commit');
$service->sql('SELECT pg_reload_conf()');

is(($reader->get('/health/ready')->{json}{data}{checks} // {})->{worker}, 'ok', 'no worker is to be connected there');

# writes are refused with the reason, those that would be batched as well, and reads go on
for my $case ([ POST => '/tags', { name => 'Refused' } ],
	[ POST => '/batch', { parts => [ { method => 'POST', path => '/tags', body => { name => 'Refused' } } ] } ],
	[ PATCH => '/tags/' . $reply->{json}{data}[0]{id}, { name => 'Refused' } ],
		[ DELETE => '/tags/' . $reply->{json}{data}[0]{id} ])
{
	my ($verb, $path, $body) = @$case;
	my $refused = $reader->request($verb, $path, $body);
	is($refused->{status}, 503, "$verb $path at a standby: 503");
	is($refused->{json}{code}, 'E_UNAVAILABLE', "$verb $path: the common error format");
	like($refused->{body}, qr/can only be read/, "$verb $path: the message says why");
	like($refused->{headers}{'retry-after'}, qr/^\d+$/, "$verb $path: Retry-After");
}
for (my $end = time + 3; time < $end;)
{
	my @status = map { $_->{status} } $reader->post('/tags', { name => 'Refused' }), $reader->get('/tags/count');
	last if !is_deeply(\@status, [ 503, 200 ], 'a write is refused, and a read served');
	sleep 0.2;
}
is(events($reader, 'database is read-only'), 1, 'the log says it once');
is(events($reader, 'database connection failed'), 0, 'connections that are made again are no failure');
is(($reader->get('/health/ready')->{json}{data}{checks} // {})->{writable}, 'the database is read-only',
	'/health/ready names it');

# a shim that knows both servers writes to the primary, whichever is first
my $writer = Catalogue::Server::shim_at($service, 'writer',
	"host=$standby->{socket},$standby->{socket} port=$standby->{port},$service->{server}{PGPORT} $wanted");
is($writer->post('/tags', { name => 'By both' })->{status}, 201, 'a shim that knows both servers finds the primary');

# Write until the file "$ledger.end" exists; the ledger has a line for each answer: time, status, name.
my $ledger = "$service->{directory}/ledger";
my $pid = fork // die "fork: $!";
if ($pid == 0)
{
	delete $writer->{socket};
	open my $out, '>', $ledger or POSIX::_exit(1);
	$out->autoflush;
	for (my $number = 1; !-e "$ledger.end"; $number++)
	{
		my $answer = eval { $writer->post('/tags', { name => "ledger $number" }) } // { status => 0 };
		printf {$out} "%.3f %d ledger %d\n", time, $answer->{status}, $number;
	}
	POSIX::_exit(0);
}
wait_until('some writes', sub { (() = slurp($ledger) =~ / 201 /g) >= 50 });

# the primary crashes, and the standby becomes primary
my $postmaster = (split /\n/, slurp("$service->{var}/data/postmaster.pid"))[0];
my $crash = time;
kill 'KILL', $postmaster;
$standby->promote;
my $promoted = time;
wait_until('writes after the promotion', sub { (() = slurp($ledger) =~ / 201 /g) >= 50
	&& (split ' ', (grep { / 201 / } split /\n/, slurp($ledger))[-1])[0] > $crash + 1 });
sleep 1;
open my $end, '>', "$ledger.end" or die "open: $!";
waitpid $pid, 0;

# no acknowledged write is lost or there twice; what was not acknowledged is told as such
my @lines = map { [ split ' ', $_, 3 ] } split /\n/, slurp($ledger);
my %status;
$status{ $_->[1] }++ for @lines;
is_deeply([ grep { !/^(201|503)$/ } keys %status ], [], 'each answer is 201 or 503');
my @acknowledged = grep { $_->[1] == 201 } @lines;
my ($before) = reverse grep { $_->[0] <= $crash } @acknowledged;
my ($after)  = grep { $_->[0] > $crash + 0.05 } @acknowledged;
cmp_ok($after->[0] - $promoted, '<', 5,
	sprintf '%d writes, %d refused, %.2f s without a write, of which %.2f s are the promotion',
	scalar @acknowledged, $status{503} // 0, $after->[0] - $before->[0], $promoted - $crash);
my $now = $standby->service;
my $all = join ',', map { "'$_->[2]'" } @acknowledged;
is($now->sql("SELECT count(*) FROM catalogue.tags WHERE name IN ($all)"), scalar @acknowledged,
	'each acknowledged write exists once');
is($now->sql("SELECT count(*) FROM catalogue.tags t WHERE name LIKE 'ledger %' AND (SELECT count(*) FROM "
	. "catalogue.logs l WHERE l.resource = t.id AND l.action = 'create') <> 1"),
	0, 'each write is logged once');

# what a standby refuses is not in its log, not even statistics that are tried again and again
unlike((split /promote/, slurp("$standby->{data}/log"))[0], qr/cannot (?:execute|access)|has not followed/,
	'the log of the standby has no refusals');

# the shim at the former standby writes too, without a restart
wait_until('the reader writes', sub { $reader->post('/tags', { name => 'After ' . rand })->{status} == 201 });
is(events($reader, 'database is writable'), 1, 'the log says that it can be written');
is(events($reader, 'database is read-only'), 1, 'and has said once that it could not');

is($_->stop_shim, 0, 'a shim ends with status 0') for $reader, $writer;
unlike($_->output, qr/Sanitizer|runtime error:/, 'no sanitizer reported an error') for $reader, $writer;
$standby->stop;
$service->finish;
