#!/usr/bin/perl
# The word of a generation while others are in the middle of their commits, which become visible in
# another order than their instants: the word of an earlier state is not given again, and none for one
# in which an earlier change is not seen yet.

use strict;
use warnings;

use Test::More;
use Time::HiRes qw(sleep time);
use Catalogue::Psql;
use Catalogue::Test;

# A commit that waits for a standby that is not there is held up behind its instant, before it is seen.
# Statistics would be held up as well, for good.
my $service = Catalogue::Test->start(cluster => 'private', CATALOGUE_THREADS => 1, CATALOGUE_LANES => 1, CATALOGUE_STATISTICS => 'off')->as_admin;
$service->sql("INSERT INTO catalogue.tags (id, name, created_by) SELECT 'x' || n, 'tag ' || n, id FROM catalogue.users, generate_series(1, 3) n WHERE username = 'admin'");
$service->sql('ALTER SYSTEM SET synchronous_standby_names = \'nobody\'');
$service->sql('SELECT pg_reload_conf()');
sleep 0.5;

my $reader = Catalogue::Psql->new($service);
my ($slow, $quick) = map { Catalogue::Psql->new($service) } 1 .. 2;

sub word { my ($word) = $reader->run('SELECT generation FROM catalogue.generation()'); return $word }
sub tag  { my ($id, %headers) = @_; return $service->get("/tags/$id", %headers) }

# Begin a change of a tag that is not seen until it is let go.
sub hold
{
	my ($id, $name) = @_;
	my ($pid) = $slow->run('SELECT pg_backend_pid()');
	print { $slow->{in} } "SET synchronous_commit = on; UPDATE catalogue.tags SET name = '$name' WHERE id = '$id';\n";
	$slow->{in}->flush;
	for (my $deadline = time + 20; time < $deadline; sleep 0.02)
	{
		return $pid if $service->sql("SELECT count(*) FROM pg_stat_activity WHERE pid = $pid AND wait_event = 'SyncRep'");
	}
	die "no commit is held up\n";
}

sub let_go
{
	my ($pid) = @_;
	$service->sql("SELECT pg_cancel_backend($pid)");
	$slow->run('SELECT 1');
	return;
}

sub change
{
	my ($id, $name) = @_;
	$quick->run("SET synchronous_commit = off; UPDATE catalogue.tags SET name = '$name' WHERE id = '$id'");
	return;
}

# Ask until 304 comes by the generation.
sub warm
{
	my ($id) = @_;
	my $etag = tag($id)->{headers}{etag};
	is(tag($id, 'If-None-Match' => $etag)->{status}, 304, "304 of $id") for 1 .. 3;
	return $etag;
}

my $etag   = warm('x1');
my $before = word();
is(word(), $before, 'the same word while nothing changes');

# one alone: until it is seen, nothing has changed
my $pid = hold('x1', 'one');
is(word(), $before, 'a commit is held up: the same word');
is(tag('x1', 'If-None-Match' => $etag)->{status}, 304, 'and 304');
let_go($pid);
isnt(word(), $before, 'it is over: another word');
is(tag('x1', 'If-None-Match' => $etag)->{json}{data}{name}, 'one', 'and what it did');

# a later one is seen before it: that state has no word
my $first = warm('x1');
$before = word();
$pid = hold('x1', 'two');
change('x2', 'of the quick one');
is(word(), '', 'a later change is seen before an earlier one: no word');
is(tag('x1', 'If-None-Match' => $first)->{status}, 304, 'the earlier one is not seen');
is(tag('x1', 'If-None-Match' => $first)->{status}, 304, 'nor remembered');
my $second = tag('x2')->{headers}{etag};
is(tag('x2', 'If-None-Match' => $second)->{status}, 304, 'the later one is');
let_go($pid);
my $after = word();
isnt($after, $before, 'the earlier one is seen as well: another word');
isnt($after, '', 'which is one');
is(tag('x1', 'If-None-Match' => $first)->{json}{data}{name}, 'two', 'and what it did');
is(tag('x2', 'If-None-Match' => $second)->{status}, 304, 'the other one is as it was');

# the clock of the server goes back: an earlier instant is that of the newest change
$first = warm('x1');
$service->sql("SET synchronous_commit = off; SET session_replication_role = replica; UPDATE catalogue.change SET at = at + interval '1 hour' WHERE at = (SELECT max(at) FROM catalogue.change WHERE NOT apart)");
isnt(tag('x1', 'If-None-Match' => $first)->{status}, 500, 'a change of an hour ahead is seen');
$first  = warm('x1');
$before = word();
$pid    = hold('x1', 'three');
is(word(), $before, 'a commit is held up: the same word');
let_go($pid);
isnt(word(), $before, 'it is over: another word, though the clock is behind');
is(tag('x1', 'If-None-Match' => $first)->{json}{data}{name}, 'three', 'and what it did');

# who has taken his snapshot long ago, and commits now
$first  = warm('x1');
$before = word();
$quick->run("SET synchronous_commit = off; BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT name FROM catalogue.tags WHERE id = 'x1'");
$service->sql("SET synchronous_commit = off; SET session_replication_role = replica; UPDATE catalogue.change SET at = at + interval '1 hour' WHERE at = (SELECT max(at) FROM catalogue.change WHERE NOT apart)");
my $ahead = word();
isnt($ahead, $before, 'another change: another word');
$quick->run("UPDATE catalogue.tags SET name = 'four' WHERE id = 'x1'; COMMIT");
isnt(word(), $ahead, 'a change by an earlier snapshot: another word');
is(tag('x1', 'If-None-Match' => $first)->{json}{data}{name}, 'four', 'and what it did');

$_->finish for $reader, $slow, $quick;
$service->sql('ALTER SYSTEM RESET synchronous_standby_names');
$service->sql('SELECT pg_reload_conf()');
$service->finish;
