#!/usr/bin/perl
# Clients that end their connections after a request, before its answer, in the middle of a load (F18): each of their
# creations is there and logged once, or is not there; the shim keeps nothing of them.

use strict;
use warnings;

use Catalogue::Invariants;
use Catalogue::Load;
use Catalogue::Program qw(slurp);
use Catalogue::Rounds;
use Socket qw(SOL_SOCKET SO_LINGER);
use Test::More;
use Time::HiRes qw(sleep time);

my $service = Catalogue::Rounds::service();
my $clients = 2000; # in each round

# Files that the shim has open, and its memory in kB.
sub held
{
	my @files = glob "/proc/$service->{pid}/fd/*";
	my ($memory) = slurp("/proc/$service->{pid}/status") =~ /^VmRSS:\s+(\d+)/m;
	return (scalar @files, $memory);
}

my ($files, $memory);
for my $round (Catalogue::Rounds::list())
{
	my $load = Catalogue::Load->start($service, count => 2);
	for my $number (1 .. $clients)
	{
		my $body = qq({"name": "gone $round $number"});
		my $socket = $service->connection;
		# a reset in half of them, an end of the stream in the others
		setsockopt $socket, SOL_SOCKET, SO_LINGER, pack 'ii', 1, 0 if $number % 2;
		syswrite $socket, join "\r\n", 'POST /tags HTTP/1.1', "Host: 127.0.0.1:$service->{port}",
			"Authorization: Bearer $service->{token}",
			'Content-Type: application/json', 'Content-Length: ' . length $body, '', $body;
		sleep rand 0.002 if $number % 3;
		close $socket;
	}
	sleep 1;
	Catalogue::Invariants::hold($service, $load->finish, "F18 $round");
	my ($made, $logged) = split /\|/,
		$service->sql(qq{SELECT count(*), count(*) FILTER (WHERE (SELECT count(*) FROM catalogue.logs l
		WHERE l.resource = t.id AND l.action = 'create') = 1) FROM catalogue.tags t WHERE t.name LIKE 'gone $round %'});
	cmp_ok($made, '>', 0, "F18 $round: $made of $clients creations were executed");
	is($logged, $made, "F18 $round: each of these is logged once");
	my ($now, $used) = held();
	($files, $memory) = ($now, $used) if $round == 1;
	cmp_ok($now, '<=', $files + 4, "F18 $round: $now open files, after the first round $files");
	cmp_ok($used, '<', $memory * 1.5 + 8192, "F18 $round: $used kB of memory, after the first round $memory");
}
$service->finish;
