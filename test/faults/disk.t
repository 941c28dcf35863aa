#!/usr/bin/perl
# The disk of the database and of the log becomes full in the middle of a load (F5, F6, F7): what cannot be written is
# refused, the server may end; once there is room, the service recovers and nothing that it acknowledged is lost.

use strict;
use warnings;

use Catalogue::Clock qw(wait_until);
use Catalogue::Invariants;
use Catalogue::Load;
use Catalogue::Program qw(needed slurp);
use Catalogue::Rounds;
use Test::More;
use Time::HiRes qw(sleep time);

plan(skip_all => 'a disk that can be filled is mounted by root only') if $> != 0;

# a disk in memory, for all that the service writes
my $disk = needed('CATALOGUE_TEST_DIRECTORY') . '/disk';
mkdir $disk or die "$disk: $!";
system('mount', '-t', 'tmpfs', '-o', 'size=320m,mode=755', 'catalogue-test', $disk) == 0 or die "mount failed\n";
my $mounted = $$;
END { system 'umount', '-l', $disk if $mounted && $mounted == $$ }

my $service = do {
	local $ENV{CATALOGUE_TEST_DIRECTORY} = $disk;
	Catalogue::Rounds::service();
};
my $ballast = "$disk/ballast";

sub runs
{
	return -e "$service->{var}/data/postmaster.pid" && kill 0,
		(split /\n/, slurp("$service->{var}/data/postmaster.pid"))[0];
}

for my $round (Catalogue::Rounds::list())
{
	my $load = Catalogue::Load->start($service, patience => 120);
	sleep 0.5 + rand;
	system "dd if=/dev/zero of=$ballast bs=1M 2> /dev/null";
	cmp_ok(-s $ballast, '>', 1 << 20, "F5 $round: the disk is full");
	my %seen;
	for (my $deadline = time + 4; time < $deadline; sleep 0.1)
	{
		$seen{read}{ (eval { $service->get('/tags?limit=3') } // { status => 'no answer' })->{status} }++;
		$seen{write}{
			(eval { $service->post('/tags', { name => "full $round " . rand }) } // { status => 'no answer' })->{status} }++;
	}
	is_deeply([ grep { !/^(200|206|503)$/ } keys %{ $seen{read} } ], [],
		"F5 $round: reads are answered, or it is said that the database is away: " . join ' ', sort keys %{ $seen{read} });
	is_deeply([ grep { !/^(201|503|507)$/ } keys %{ $seen{write} } ], [], "F5 $round: writes too: " . join ' ',
		sort keys %{ $seen{write} });
	my $ran = runs();
	unlink $ballast or die "$ballast: $!";
	$service->cluster('start') unless $ran && runs();
	my $start = time;
	wait_until('a write',
		sub { (eval { $service->post('/tags', { name => "room $round " . rand }) } // { status => 0 })->{status} == 201 });
	cmp_ok(time - $start, '<', 20, sprintf 'F5 %d: once there is room, a write after %.1f s; PostgreSQL %s', $round,
		time - $start, $ran ? 'ran on' : 'had ended');
	Catalogue::Invariants::hold($service, $load->finish, "F5 $round");
}
Catalogue::Invariants::storage_holds($service, 'at the end');
$service->finish;
