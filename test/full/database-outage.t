#!/usr/bin/perl
# The database is unavailable and comes back: meanwhile 503 with Retry-After, then everything works again,
# and all acknowledged writes exist.

use strict;
use warnings;

use Test::More;
use Time::HiRes qw(sleep time);
use Catalogue::Clock qw(wait_until);
use Catalogue::Program qw(slurp);
use Catalogue::Test;

my $service = Catalogue::Test->start(cluster => 'private', CATALOGUE_CALL_TIMEOUT => '2s')->as_admin;

sub unavailable
{
	my ($what, $reply) = @_;
	is($reply->{status}, 503, "$what: 503");
	is($reply->{json}{code}, 'E_UNAVAILABLE', "$what: the common error format");
	like($reply->{headers}{'retry-after'}, qr/^\d+$/, "$what: Retry-After");
	unlike($reply->{body}, qr/libpq|socket|PGSQL|server closed|port|SQL/i, "$what: no internals of PostgreSQL");
	return;
}

my @acknowledged;
sub write_one
{
	my $name  = 'write ' . (1 + @acknowledged) . ' ' . rand;
	my $reply = $service->post('/tags', { name => $name });
	push @acknowledged, $name if $reply->{status} == 201;
	return $reply;
}

sub back_within
{
	my ($seconds, $what) = @_;
	my $start = time;
	while (time - $start < $seconds)
	{
		last if $service->get('/tags/count')->{status} == 200 && write_one()->{status} == 201;
		sleep 0.1;
	}
	cmp_ok(time - $start, '<', $seconds, sprintf '%s: available after %.1f s', $what, time - $start);
	return;
}

is(write_one()->{status}, 201, 'a write');

# unavailable: every kind of call gets 503, and quickly
$service->cluster('stop');
my $start = time;
unavailable($_, $service->get($_)) for '/tags', '/tags/count', '/datasets?name=a', '/health', '/roles', '/users/me';
unavailable('a write', write_one());
unavailable('a log-in', $service->login('admin', 'wrong'));
is($service->get('/tags/')->{status}, 404, 'a path that needs no database is answered');
is($service->get('/tags', Authorization => 'Bearer ..')->{status}, 401, 'a bad token is refused');
cmp_ok(time - $start, '<', 10, 'no request waited long');

# back, with the same tokens
$service->cluster('start');
back_within(10, 'the server was stopped');
is(write_one()->{status}, 201, 'a write after the restart');
is($service->get('/users/me')->{status}, 200, 'the token is still valid');

# three crashes during writes
for my $crash (1 .. 3)
{
	write_one() for 1 .. 20;
	$service->cluster('restart');
	like(write_one()->{status}, qr/^(201|503)$/, "crash $crash: a write is executed, or 503");
	back_within(10, "crash $crash");
}

# single backends are terminated while the server runs
$service->sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND usename = "
	. "'catalogue_shim'");
my %seen;
$seen{ $service->get('/tags/count')->{status} }++ for 1 .. 20;
is_deeply([ grep { !/^(200|503)$/ } keys %seen ], [], 'ended backends give 200 or 503');
back_within(5, 'ended backends');

# a lock that is held too long: 503 at the time limit, and the connection is used for other calls
my $pid = fork;
if (!$pid)
{
	eval { $service->sql('BEGIN; LOCK TABLE catalogue.statuses; SELECT pg_sleep(6); COMMIT') };
	POSIX::_exit(0);
}
my $held = q(SELECT EXISTS (SELECT FROM pg_locks
	WHERE relation = 'catalogue.statuses'::regclass AND mode = 'AccessExclusiveLock' AND granted));
wait_until('the table is locked', sub { $service->sql($held) eq 't' });
$start = time;
unavailable('a locked table', $service->patch('/statuses/nWRhpRV', { name => 'Locked' }));
cmp_ok(time - $start, '<', 4.5, 'the time limit is kept');
is($service->get('/tags/count')->{status}, 200, 'other requests are served meanwhile');
waitpid $pid, 0;
back_within(5, 'the lock');

# a stopped server process
my $postmaster = (split /\n/, slurp("$service->{var}/data/postmaster.pid"))[0];
my @backends   = $service->sql("SELECT pid FROM pg_stat_activity WHERE usename = 'catalogue_shim'");
kill 'STOP', $postmaster, @backends;
$start = time;
unavailable('a stopped server', $service->get('/tags/count'));
cmp_ok(time - $start, '<', 6, 'the time limit is kept');
kill 'CONT', $postmaster, @backends;
back_within(10, 'a stopped server');

# acknowledged writes exist once, and are logged once
my $all = join ',', map { "'$_'" } @acknowledged;
is($service->sql("SELECT count(*) FROM catalogue.tags WHERE name IN ($all)"), scalar @acknowledged,
	@acknowledged . ' acknowledged writes exist');
is($service->sql("SELECT count(*) FROM catalogue.tags t WHERE (SELECT count(*) FROM catalogue.logs l WHERE l.resource "
	. "= t.id AND l.action = 'create') <> 1 AND name LIKE 'write %'"),
	0, 'each write is logged once');

$service->is_sound;
$service->finish;
