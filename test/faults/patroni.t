#!/usr/bin/perl
# A cluster of Patroni under load, of two shims with reads at standbys behind a balancer: the machine of the primary is
# lost, standbys replay late, the primary is cut off from etcd and the other nodes.  Nothing acknowledged is lost or
# there twice, no answer of an outsider fails, and no read is older than what its user has written or what it names.

use strict;
use warnings;

use Catalogue::Balancer;
use Catalogue::Clock qw(wait_until);
use Catalogue::Invariants;
use Catalogue::Load;
use Catalogue::Outsiders;
use Catalogue::Patroni;
use Catalogue::Program qw(slurp);
use Catalogue::Rounds;
use Catalogue::Server;
use Test::More;
use Time::HiRes qw(sleep time);

# the shims behind the balancer ask the nodes in different orders, so that they read at different standbys; the third
# one does not read at standbys
my $service  = Catalogue::Patroni->start(cluster => 'private', CATALOGUE_CALL_TIMEOUT => '5s')->as_admin;
my $other    = Catalogue::Server::shim_at($service, 'other', $service->places(qw(c b a)));
my $plain    = Catalogue::Server::shim_at($service, 'plain', ($service->places(qw(a b c)))[0],
	CATALOGUE_READ_DATABASE => '');
my $balancer = Catalogue::Balancer->start($service, $service, $other);
my @gaps;

# Begin a load, of both kinds of clients.
sub begin
{
	my @clients = (Catalogue::Load->start($balancer, patience => 120),
		Catalogue::Outsiders->start($balancer, primary => $plain));
	sleep 1 + rand 1;
	return @clients;
}

# Test what must hold after each round; states that were named may be missing from one instant to another.
sub hold
{
	my ($name, $load, $outsiders, $from, $to) = @_;
	my $sum   = $load->finish;
	my $reads = $outsiders->finish;
	cmp_ok(scalar keys %{ $sum->{tags} }, '>', 0, "$name: " . Catalogue::Invariants::told($sum));
	is($sum->{wrong}[0], undef, "$name: each answer is right or says that the service is busy");
	is((Catalogue::Invariants::differences($service, $sum))[0], undef,
		"$name: each acknowledged write is there, once, and logged once");
	is((Catalogue::Invariants::misfits($service))[0], undef, "$name: ids exist once, and times are in order");
	$service->is_sound("$name: catalogue.check_all() finds nothing");
	is(scalar $service->sql('SELECT count(*) FROM catalogue.verify_log()'), 0, "$name: the chain of the log holds");
	is($reads->{wrong}[0], undef, sprintf '%s: %d reads of outsiders of %.2f s at most have not failed, %d were older, '
		. 'by %.1f s at most', $name, @$reads{qw(reads longest older oldest)}) or diag(join "\n", @{ $reads->{wrong} });
	my @early = @{ $reads->{early} };
	is_deeply([ map { $_ - ($from // 0) } grep { !$from || $_ < $from || $_ > $to } @early ], [],
		sprintf '%s: %d named a state, and did not get it %d times', $name, $reads->{named}, scalar @early);
	return ($sum, $reads);
}

# Wait for the promotion of another node; return the seconds that it took.
sub promoted
{
	my ($begun, @others) = @_;
	wait_until('another node is the primary', sub { $service->find_primary(@others) });
	return time - $begun;
}

sub others { my ($name) = @_; return grep { $_ ne $name } qw(a b c) }

# Reads of outsiders while there was no primary.
sub reads_between { my ($reads, $from, $to) = @_; return scalar grep { $_ >= $from && $_ <= $to } @{ $reads->{at} } }

# The primary goes by one of the functions below, and another one is promoted, which this test reports.
sub promotion
{
	my ($name, $away, $meanwhile) = @_;
	my $old   = $service->{primary};
	my @load  = begin();
	my $begun = time;
	$away->($old);
	my $took = promoted($begun, others($old));
	$meanwhile->($name, $old) if $meanwhile;
	sleep 3;
	# a shim finds it within three seconds, which are more on a slow machine
	my ($sum, $reads) = hold($name, @load, $begun, $begun + $took + 6);
	cmp_ok($sum->{longest}, '<', 40, sprintf '%s: %.1f s without a good answer, of which %.1f s are the promotion',
		$name, $sum->{longest}, $took);
	push @gaps, $sum->{longest};
	my $count = reads_between($reads, $begun, $begun + $took);
	cmp_ok($count, '>', 20, "$name: $count reads of outsiders without a primary");
	return $old;
}

# All have the same, once the standbys have replayed it.
sub is_same
{
	my ($name) = @_;
	wait_until("$name: the former primary follows", sub { $service->is_whole });
	my $at = $service->sql('SELECT pg_current_wal_flush_lsn()');
	for my $node (others($service->{primary}))
	{
		my $standby = $service->at($node);
		wait_until("$node has it all", sub { $standby->sql("SELECT pg_last_wal_replay_lsn() >= '$at'") eq 't' });
	}
	my $digest = q{SELECT md5(string_agg(t::text, ';' ORDER BY id)) FROM catalogue.tags t};
	is_deeply([ map { scalar $service->at($_)->sql($digest) } qw(a b c) ], [ ($service->sql($digest)) x 3 ],
		"$name: all nodes have the same");
	return;
}

# The machine of the primary is lost.
sub machine_lost
{
	my ($name) = @_;
	my $old = promotion($name, sub { $service->lose($_[0]) });
	$service->start_node($old);
	return is_same($name);
}

# The primary is cut off from etcd and the other nodes, in every second round from the shims too.  A row that it alone
# has committed is served to nobody when the new primary has acknowledged a write, and is gone when it follows.
sub cut_off
{
	my ($name, @relays) = @_;
	my $row = "alone $name";
	my $log = "$service->{var}/$service->{primary}.log";
	my $had = -s $log;
	my $old = promotion($name, sub {
		my ($node) = @_;
		$service->{nodes}{$node}{$_}->freeze for @relays;
		$service->at($node)->sql('SET synchronous_commit = local; SELECT catalogue.create(\'tags\', '
			. "json_build_object('name', '$row'), actor => (SELECT jsonb_build_object('user', id) "
			. "FROM catalogue.users WHERE username = 'admin'))");
	}, \&row_is_hidden);
	$service->{nodes}{$old}{$_}->thaw for @relays;
	is_same($name);
	is($service->at($old)->sql("SELECT count(*) FROM catalogue.tags WHERE name = '$row'"), 0, "$name: the row is gone");
	like(substr(slurp($log), $had), qr/running pg_rewind/, "$name: by pg_rewind");
	return;
}

sub row_is_hidden
{
	my ($name) = @_;
	for my $shim ($service, $other)
	{
		wait_until('a write is acknowledged',
			sub { $shim->post('/tags', { name => "$name at $shim->{port}" })->{status} == 201 });
	}
	my ($path, $begun, @found, %found) = ('/tags/count?name=alone%20' . $name =~ s/ /%20/gr, time);
	# the former primary, cut off, can be read again by then
	while (time < $begun + 10)
	{
		@found{'user', 'outsider', 'user of the other', 'outsider of the other'} =
			map { ($_->get($path), $_->get($path, Authorization => undef)) } $service, $other;
		push @found, map { my $count = $found{$_}{json}{data}{count}; $count ? "$_: $count" : $count } sort keys %found;
	}
	is((grep { $_ } @found)[0], undef, "$name: " . @found . ' reads do not have a row of the former primary');
	return;
}

# Have the standbys replay commits so late; null: at once.
sub replay_late
{
	my ($delay) = @_;
	$service->change({ postgresql => { recovery_conf => { recovery_min_apply_delay => $delay } } });
	for my $node (others($service->{primary}))
	{
		my $standby = $service->at($node);
		wait_until('the delay holds', sub { $standby->sql('SHOW recovery_min_apply_delay') eq ($delay // 0) });
	}
	return;
}

# Standbys replay late: they are read as long as they are not later than allowed.
sub late
{
	my ($name, $delay) = @_;
	my @load = begin();
	replay_late($delay);
	sleep 10;
	my (undef, $reads) = hold($name, @load);
	cmp_ok($reads->{older}, '>', 0, "$name: the standbys are read");
	replay_late(undef);
	return;
}

for my $round (Catalogue::Rounds::list())
{
	machine_lost("lost $round");
	late("late by $_ $round", $_) for qw(3s 12s);
	cut_off("cut off $round", 'peers', $round % 2 ? () : 'clients');
}
my $median = (sort { $a <=> $b } @gaps)[ @gaps / 2 ];
cmp_ok($median, '<', 30, sprintf 'the median of the gaps is %.1f s', $median);
is($_->stop_shim, 0, 'a shim ends with status 0') for $other, $plain;
$balancer->stop;
$service->finish;
