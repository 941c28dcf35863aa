#!/usr/bin/perl
# The primary is lost in the middle of a load: its server is killed, also with a standby that no longer receives
# anything. One of two standbys, of which one confirms each commit, is promoted.  Two shims behind a balancer find it,
# and nothing that was acknowledged is lost or there twice (F15).

use strict;
use warnings;

use Catalogue::Balancer;
use Catalogue::Clock qw(wait_until);
use Catalogue::Invariants;
use Catalogue::Load;
use Catalogue::Program qw(slurp);
use Catalogue::Rounds;
use Catalogue::Server;
use Catalogue::Test;
use Test::More;
use Time::HiRes qw(sleep time);

# End all processes of the primary at once, as the loss of its machine does.
sub lose
{
	my ($service) = @_;
	my $postmaster = (split /\n/, slurp("$service->{var}/data/postmaster.pid"))[0];
	kill 'KILL', $postmaster, split ' ', `pgrep -P $postmaster`;
	return;
}

# The standby that has received most, and the other one.
sub by_received
{
	my (@standbys) = @_;
	my ($one, $two) = map { $_->service->sql('SELECT pg_last_wal_receive_lsn()') } @standbys;
	return $standbys[0]->service->sql("SELECT '$one'::pg_lsn >= '$two'::pg_lsn") eq 't' ? @standbys : reverse @standbys;
}

# A primary with two standbys, of which one has to confirm, two shims and a balancer.
sub round
{
	my ($name, $frozen) = @_;
	my $service = Catalogue::Test->start(cluster => 'private', CATALOGUE_CALL_TIMEOUT => '5s')->as_admin;
	my @standbys = map { Catalogue::Server->copy($service, $_, '-R', '-d', "application_name=$_")->start } qw(a b);
	$service->sql(q(ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (a, b)'));
	$service->sql('SELECT pg_reload_conf()');
	wait_until('both standbys receive',
		sub { $service->sql(q(SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'quorum')) == 2 });
	my $place = sprintf 'host=%s port=%s target_session_attrs=read-write', join(',', ($service->{server}{PGHOST}) x 3),
		join ',', $service->{server}{PGPORT}, map { $_->{port} } @standbys;
	my @shims = map { Catalogue::Server::shim_at($service, "shim-$_", $place) } 1, 2;
	my $balancer = Catalogue::Balancer->start($service, @shims);

	my $load = Catalogue::Load->start($balancer);
	sleep 1 + rand 1;
	my $walsender = $frozen && $service->sql(q(SELECT pid FROM pg_stat_replication WHERE application_name = 'a'));
	kill 'STOP', $walsender if $walsender;
	sleep 1 if $walsender;
	my $crash = time;
	lose($service);
	my ($new, $other) = by_received(@standbys);
	$new->promote;
	my $promoted = time;
	$other->service->sql(sprintf q(ALTER SYSTEM SET primary_conninfo = '%s user=postgres application_name=other'),
		$new->place);
	$other->service->sql('SELECT pg_reload_conf()');
	wait_until('the other standby receives from the new primary',
		sub { $new->service->sql('SELECT count(*) FROM pg_stat_replication') == 1 });
	sleep 2;
	my $sum = $load->finish;
	my $now = $new->service;

	cmp_ok(scalar keys %{ $sum->{tags} }, '>', 0, "$name: " . Catalogue::Invariants::told($sum));
	cmp_ok($sum->{longest}, '<', 5, sprintf '%s: %.2f s without a good answer, of which %.2f s are the promotion', $name,
		$sum->{longest}, $promoted - $crash);
	is($sum->{wrong}[0], undef, "$name: each answer is right or says that the service is busy");
	is((Catalogue::Invariants::differences($now, $sum))[0], undef,
		"$name: each acknowledged write is there, once, and logged once");
	is((Catalogue::Invariants::misfits($now))[0], undef, "$name: ids exist once, and times are in order");
	$now->is_sound("$name: catalogue.check_all() finds nothing");
	is(scalar $now->sql('SELECT count(*) FROM catalogue.verify_log()'), 0, "$name: the chain of the log holds");
	wait_until('the other standby has it all',
		sub { $other->service->sql('SELECT pg_last_wal_replay_lsn()') eq $now->sql('SELECT pg_current_wal_lsn()') });
	is($other->service->sql('SELECT count(*) FROM catalogue.tags'), $now->sql('SELECT count(*) FROM catalogue.tags'),
		"$name: the other standby follows");
	$balancer->stop;
	is($_->stop_shim, 0, "$name: a shim ends with status 0") for @shims;
	$_->stop for $other, $new;
	$service->end_service;
	return $sum->{longest};
}

my @gaps;
for my $round (Catalogue::Rounds::list())
{
	push @gaps, round("killed $round"), round("killed, with a standby that receives nothing $round", 1);
}
my $median = (sort { $a <=> $b } @gaps)[ @gaps / 2 ];
cmp_ok($median, '<', 2, sprintf 'the median of the gaps is %.2f s', $median);
done_testing();
