#!/usr/bin/perl
# One of several hosts of the database accepts connections and does not answer, as a machine that is lost: the shim asks
# the others, wherever it stands among them.

use strict;
use warnings;

use IO::Socket::INET;
use Test::More;
use Catalogue::Test;

my $service = Catalogue::Test->start;
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

for my $hosts ([ \@silent, \@server ], [ [ $nobody, 1 ], \@silent, [ $nobody, 2 ], \@server ])
{
	my $directory = "$service->{directory}/" . ++$number;
	mkdir $directory or die "$directory: $!";
	chown((getpwnam 'postgres')[2, 3], $directory) if $> == 0;
	# it answers when it has found the database
	my $shim = $service->another(directory => $directory, settings => { %{ $service->{settings} },
		CATALOGUE_DATABASE => place(@$hosts), CATALOGUE_LOG_DIRECTORY => "$directory/logs" });
	is($shim->get('/tags?limit=1')->{status}, 206, @$hosts . ' hosts, of which one is silent');
	is($shim->stop_shim, 0, 'the shim ends with status 0');
}
$service->finish;
