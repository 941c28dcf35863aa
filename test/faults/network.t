#!/usr/bin/perl
# The network between the shim and PostgreSQL stands still, and resets connections within messages, in the middle of a
# load (F8, F9): the shim answers in time, uses no connection again whose state it does not know, and recovers.

use strict;
use warnings;

use Catalogue::Clock qw(wait_until);
use Catalogue::Invariants;
use Catalogue::Load;
use Catalogue::Relay;
use Catalogue::Rounds;
use Test::More;
use Time::HiRes qw(sleep time);

# calls wait for a connection as long as by default
my $service = Catalogue::Rounds::service(CATALOGUE_QUEUE_TIMEOUT => '2s');
my $relay   =
	Catalogue::Relay->start($service->{directory}, "$service->{server}{PGHOST}/.s.PGSQL.$service->{server}{PGPORT}");

# the shim as it is on another host: the role has a password and comes by TCP
$service->stop_shim;
$service->sql(q{ALTER ROLE catalogue_shim PASSWORD 'a password of the tests'});
$service->{settings}{CATALOGUE_DATABASE} = "host=127.0.0.1 port=$relay->{port} user=catalogue_shim password='a "
	. "password of the tests' dbname=$service->{database} sslmode=disable gssencmode=disable";
$service->start_shim;

sub back
{
	my ($what) = @_;
	my $start = time;
	wait_until($what, sub { eval { $service->get('/tags/count')->{status} == 200 } });
	return time - $start;
}

for my $round (Catalogue::Rounds::list())
{
	for my $seconds (2, 7)
	{
		my $load = Catalogue::Load->start($service);
		sleep 0.5 + rand 1.5;
		$relay->freeze;
		my $start = time;
		sleep 0.2;
		my $reply = $service->get('/tags?limit=1&name=' . rand);
		my $took = time - $start;
		like($reply->{status}, qr/^(200|503)$/, "F8 $round: an answer while the network stands still");
		cmp_ok($took, '<', 7, sprintf 'F8 %d: after %.1f s', $round, $took);
		sleep $seconds - $took if $took < $seconds;
		$relay->thaw;
		cmp_ok(back('F8'), '<', 5, "F8 $round: back soon after $seconds s");
		Catalogue::Invariants::hold($service, $load->finish, "F8 $round, $seconds s");
	}

	my $load = Catalogue::Load->start($service);
	sleep 0.5 + rand;
	for (1 .. 8)
	{
		$relay->reset_after(1 + int rand 3000);
		# the connections that are open are reset as well, when their backends are terminated
		$service->sql(q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'catalogue_shim'});
		sleep 0.2 + rand 0.3;
	}
	$relay->reset_after(undef);
	cmp_ok(back('F9'), '<', 5, "F9 $round: back soon after connections were reset");
	Catalogue::Invariants::hold($service, $load->finish, "F9 $round");
}
$relay->stop;
Catalogue::Invariants::storage_holds($service, 'at the end');
$service->finish;
