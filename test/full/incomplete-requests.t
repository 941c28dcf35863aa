#!/usr/bin/perl
# Clients that send incomplete requests, disconnect, or are slow do not harm the service: the next
# request is served at once, and connections, descriptors and memory are released.

use strict;
use warnings;

use Test::More;
use Time::HiRes qw(time);
use Catalogue::Clock qw(wait_until);
use Catalogue::Test;

my $service = Catalogue::Test->start->as_admin;

sub descriptors { my @all = glob "/proc/$service->{pid}/fd/*"; return scalar @all }
sub served
{
	my ($what) = @_;
	my $start = time;
	is($service->get('/health')->{status}, 200, "$what: the next request is served");
	cmp_ok(time - $start, '<', 55, "$what: before the time limit of another client");
	return;
}

my $head = "POST /tags HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer $service->{token}\r\n"
	. "Content-Type: application/json\r\n";
my $full = $head . "Content-Length: 16\r\n\r\n{\"name\": \"half\"}";
my $get  = "GET /datasets HTTP/1.1\r\nHost: localhost\r\n\r\n";
served('before the test');
my $before = descriptors();

# requests that are cut at every byte, then the connection is closed
for my $cut (grep { $_ < length $full } 0 .. 400)
{
	my $socket = $service->connection;
	syswrite $socket, substr($full, 0, $cut) if $cut;
	close $socket;
}
served('an incomplete request, connection closed');
is($service->get('/tags/count?name=half&match=EXACT')->{json}{data}{count}, 0, 'no incomplete request was executed');

# complete requests, and the connection is closed or reset before the answer
for my $try (1 .. 200)
{
	my $socket = $service->connection;
	syswrite $socket, $get;
	setsockopt $socket, IO::Socket::SOL_SOCKET(), IO::Socket::SO_LINGER(), pack 'ii', 1, 0 if $try % 2;
	close $socket;
}
served('a request, connection closed');

# a write whose client has disconnected is executed and logged, or neither
for my $try (1 .. 50)
{
	my $socket = $service->connection;
	my $body = sprintf '{"name": "gone %02d"}', $try;
	syswrite $socket, $head . 'Content-Length: ' . length($body) . "\r\n\r\n$body";
	close $socket;
}
$service->until_read;
my ($written, $logged) = split /\|/, $service->sql("SELECT count(*), count(l.id) FROM catalogue.tags t LEFT JOIN "
	. "catalogue.logs l ON l.resource = t.id WHERE t.name LIKE 'gone %'");
is($written, $logged, "of 50 writes without a client $written are executed and as many logged");

# a client that does not read its answers
my $unread = $service->connection;
$unread->blocking(0);
for (1 .. 2000) { last unless defined syswrite $unread, $get }
served('a client that does not read');
close $unread;

# bytes that are no valid request
for my $bytes ("\0" x 100, "\r\n" x 50, "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 'x' x 70_000,
	"GET /\xff\xfe HTTP/1.1\r\nHost: localhost\r\n\r\n",
	"GET / HTTP/1.1\r\n: x\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
		"GET /tags?%ff%00%zz=%f HTTP/1.1\r\nHost: localhost\r\n\r\n")
{
	my @replies = @{ $service->raw($bytes, timeout => 3)->{replies} };
	my $shown = join ' ', map { sprintf '%02x', $_ } unpack 'C8', $bytes;
	ok(!(grep { $_->{status} < 400 || $_->{status} > 505 || $_->{status} == 500 } @replies),
		"invalid bytes are refused: $shown");
}
served('garbage');

eval { wait_until('descriptors', sub { descriptors() <= $before + 4 }) };
my $after = descriptors();
cmp_ok($after, '<=', $before + 4, "descriptors are released: $before before, $after after");
is(scalar(grep { ($_->{status} // 0) >= 500 } $service->log), 0, 'no answer was a server error');

$service->finish;
