#!/usr/bin/perl
# One of several hosts of the database accepts connections and does not answer, as a machine that is lost: the shim asks
# the others, wherever it stands among them, and all connections the one that one of them has found.

use strict;
use warnings;

use IO::Socket::INET;
use IO::Socket::UNIX;
use Test::More;
use Time::HiRes qw(sleep time);
use Catalogue::Clock qw(wait_until);
use Catalogue::Test;

my $service = Catalogue::Test->start->as_admin;
my $silent  = IO::Socket::INET->new(Listen => 64, LocalAddr => '127.0.0.1') // die "listen: $!";
my @silent  = ('127.0.0.1', $silent->sockport);
my @server  = @{ $service->{server} }{qw(PGHOST PGPORT)};
my $nobody  = $service->{directory};   # without a socket
my $number  = 0;

# The places of hosts in this order, as a connection string.
sub place
{
	my (@hosts) = @_;
	return 'host=' . join(',', map { $_->[0] } @hosts) . ' port=' . join(',', map { $_->[1] } @hosts)
		. " user=catalogue_shim dbname=$service->{database}";
}

# A directory for a shim or a socket.
sub directory
{
	my $directory = "$service->{directory}/" . ++$number;
	mkdir $directory or die "$directory: $!";
	chown((getpwnam 'postgres')[2, 3], $directory) if $> == 0;
	return $directory;
}

# A shim with a directory of its own, when it has found the database.
sub shim_at
{
	my ($place, %settings) = @_;
	my $directory = directory();
	return $service->another(directory => $directory, settings => { %{ $service->{settings} }, %settings,
		CATALOGUE_DATABASE => $place, CATALOGUE_LOG_DIRECTORY => "$directory/logs" });
}

for my $hosts ([ \@silent, \@server ], [ [ $nobody, 1 ], \@silent, [ $nobody, 2 ], \@server ])
{
	my $shim = shim_at(place(@$hosts));
	is($shim->get('/tags?limit=1')->{status}, 206, @$hosts . ' hosts, of which one is silent');
	is($shim->stop_shim, 0, 'the shim ends with status 0');
}

# The servers of two hosts are off, and connections are tried at random times.  Then the first host accepts them and
# does not answer, and the second one is up: what one connection has found, those find at once that wait.
my ($first, $second) = (directory(), directory());
my $port   = $server[1];
my $socket = "$second/.s.PGSQL.$port";
symlink "$server[0]/.s.PGSQL.$port", $socket or die "$socket: $!";
my $shim = shim_at(place([ $first, $port ], [ $second, $port ]), CATALOGUE_THREADS => 1, CATALOGUE_POOL => 12);

# How many of its connections are down, and up.
sub connections
{
	my ($down, $up) = (0, 0);
	my $metrics = $shim->get('/metrics')->{body};
	$1 eq 'down' ? ($down += $2) : ($up += $2) while $metrics =~ /kind="(?:own|shared)",state="(\w+)"\} (\d+)/g;
	return ($down, $up);
}

my $all = 13;   # those for calls, and the one that quick reads share
wait_until('all connections are made', sub { (connections())[1] == $all });
unlink $socket or die "$socket: $!";
$service->end_connections("application_name = 'catalogue-shim'");
wait_until('none is up', sub { (connections())[1] == 0 });
# their attempts come to be at different times
sleep 8;
my $listening = IO::Socket::UNIX->new(Listen => 128, Local => "$first/.s.PGSQL.$port") // die "listen: $!";
chmod 0777, "$first/.s.PGSQL.$port";
my @waiting;
push @waiting, $listening->accept while @waiting < $all;
symlink "$server[0]/.s.PGSQL.$port", $socket or die "$socket: $!";
wait_until('one is up', sub { (connections())[1] > 0 });
my $found = time;
wait_until('all are up', sub { (connections())[1] == $all });
my $after = sprintf '%.2f', time - $found;
cmp_ok($after, '<', 0.5, "all are $after s after the first one");
is($shim->stop_shim, 0, 'the shim ends with status 0');
$service->finish;
