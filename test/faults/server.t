#!/usr/bin/perl
# A backend is killed, and the server is stopped and started in each way, in the middle of a load (F3, F4): the service
# answers again soon after PostgreSQL does, and nothing that was acknowledged is lost.

use strict;
use warnings;

use Catalogue::Clock qw(wait_until);
use Catalogue::Invariants;
use Catalogue::Load;
use Catalogue::Rounds;
use Test::More;
use Time::HiRes qw(sleep time);

my $service = Catalogue::Rounds::service();
my %restart = (
	backend => sub {
		my ($pid) = $service->sql(
			q{SELECT pid FROM pg_stat_activity WHERE usename = 'catalogue_shim' ORDER BY random() LIMIT 1});
		kill 'KILL', $pid;
	},
	immediate => sub { $service->cluster('restart') },
	fast      => sub { $service->cluster('stop'); $service->cluster('start') },
);

sub answers
{
	return eval { $service->get('/tags/count')->{status} == 200
		&& $service->patch('/statuses/nWRhpRV', { name => 'Created' })->{status} == 200 }
}
# psql reports each refusal, which is no output of a test
sub accepts
{
	return system("PGHOST=$service->{server}{PGHOST} PGPORT=$service->{server}{PGPORT} PGUSER=$service->{server}{PGUSER} "
		. "psql -XAtq -d $service->{database} -c 'SELECT 1' > /dev/null 2>&1") == 0;
}

for my $round (Catalogue::Rounds::list())
{
	for my $way (sort keys %restart)
	{
		my $load = Catalogue::Load->start($service);
		sleep 0.5 + rand 1.5;
		$restart{$way}->();
		wait_until('PostgreSQL accepts connections', \&accepts);
		my $start = time;
		wait_until('an answer', \&answers);
		cmp_ok(time - $start, '<', 5, sprintf '%s %d: the service answers %.2f s after PostgreSQL', $way, $round,
			time - $start);
		sleep 0.5;
		Catalogue::Invariants::hold($service, $load->finish, "$way $round");
	}
}
Catalogue::Invariants::storage_holds($service, 'at the end');
$service->finish;
