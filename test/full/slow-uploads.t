#!/usr/bin/perl
# An upload may take longer than any other request as long as bytes arrive; one that stops is ended and
# leaves nothing behind.

use strict;
use warnings;

use Test::More;
use Catalogue::Test;
use Catalogue::Upload;
use Time::HiRes qw(sleep time);

my $service = Catalogue::Test->start(CATALOGUE_HEADER_TIMEOUT => '1s', CATALOGUE_REQUEST_TIMEOUT => '2s')->as_admin;
my $uploads = Catalogue::Upload->new($service);
my ($files) = $uploads->left =~ /(\d+)$/;

sub begin
{
	my ($length) = @_;
	my $socket = $service->connection;
	syswrite $socket, 'POST /files?' . $uploads->words . "&fileName=a.csv HTTP/1.1\r\nHost: 127.0.0.1:$service->{port}\r\n"
		. "Authorization: $service->{headers}{Authorization}\r\nContent-Type: application/octet-stream\r\nContent-Length: $length\r\n\r\n";
	return $socket;
}

# 30 pieces in six seconds: three times request_timeout
my $socket = begin(30 * 20_000);
for (1 .. 30)
{
	syswrite $socket, 'x' x 19_999 . "\n";
	sleep 0.2;
}
is($service->raw('', socket => $socket)->{replies}[0]{status}, 201, 'a slow upload is accepted');
$files++;

# an upload that stops, after as many bytes as would be enough for a minute
$socket = begin(1_000_000);
syswrite $socket, 'x' x 300_000;
my $raw = $service->raw('', socket => $socket, timeout => 20);
is(scalar @{ $raw->{replies} }, 0, 'an upload that stops gets no answer');
ok($raw->{closed}, 'its connection is closed');
my $left;
for (my $end = time + 20; time < $end; sleep 0.05)
{
	last if ($left = $uploads->left) eq "0|$files";
}
is($left, "0|$files", 'it leaves nothing behind');

$service->finish;
