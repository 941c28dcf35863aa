#!/usr/bin/perl
# The shim is killed, or asked to end, in the middle of a load (F1, F17): it is there again at once, and nothing that it
# has acknowledged is lost.

use strict;
use warnings;

use Catalogue::Invariants;
use Catalogue::Load;
use Catalogue::Rounds;
use Catalogue::Test;
use Test::More;
use Time::HiRes qw(sleep time);

my $service = Catalogue::Rounds::service();

for my $round (Catalogue::Rounds::list())
{
	my $load = Catalogue::Load->start($service);
	sleep 0.5 + rand 1.5;
	$service->stop_shim('KILL');
	my $start = time;
	$service->start_shim;
	cmp_ok(time - $start, '<', 1, sprintf 'F1 %d: the shim that was killed answers again after %.2f s', $round,
		time - $start);
	sleep 0.5;
	Catalogue::Invariants::hold($service, $load->finish, "F1 $round");

	$load = Catalogue::Load->start($service);
	sleep 0.5 + rand 1.5;
	$start = time;
	is($service->stop_shim, 0, "F17 $round: on SIGTERM the shim ends with status 0");
	cmp_ok(time - $start, '<', 10, sprintf 'F17 %d: after %.2f s', $round, time - $start);
	$service->start_shim;
	sleep 0.5;
	my $sum = $load->finish;
	Catalogue::Invariants::hold($service, $sum, "F17 $round");
}
Catalogue::Invariants::storage_holds($service, 'at the end');
$service->finish;
