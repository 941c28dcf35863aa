#!/usr/bin/perl
# Clients that do not complete their bodies, or do not read their answers, take a part of the memory only: what is
# more is refused, other clients are served, and the room is free again when the connections have ended.

use strict;
use warnings;

use Test::More;
use Catalogue::Clock qw(wait_until);
use Catalogue::Test;

# one client may have half of it: 8 bodies, each of which counts 1 MiB
my $service =
	Catalogue::Test->start(CATALOGUE_MEMORY => 16 << 20, CATALOGUE_THREADS => 1, CATALOGUE_PRIVATE => 'off')->as_admin;
my $body    = '{"name": "' . 'x' x 1_040_000 . '"}';

# Send all of the bytes; a socket that is not read blocks.
sub put
{
	my ($socket, $bytes) = @_;
	for (my $at = 0; $at < length $bytes;)
	{
		$at += syswrite($socket, $bytes, 1 << 16, $at) // die "write: $!";
	}
}

# The answer to a creation from an address.
sub creation
{
	my ($address) = @_;
	my $socket = $service->narrow_connection($address);
	put($socket, head() . $body);
	return $service->raw('', socket => $socket, timeout => 60)->{replies}[0];
}

sub head
{
	return "POST /tags HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer $service->{token}\r\n"
		. "Content-Type: application/json\r\n"
		. 'Content-Length: ' . length($body) . "\r\n\r\n";
}

# the status of an answer with the wanted one, as soon as that comes
sub wait_for
{
	my ($status, $get) = @_;
	my $reply;
	wait_until("status $status", sub { $reply = $get->(); ($reply->{status} // 0) == $status });
	return $reply;
}

local $SIG{PIPE} = 'IGNORE';

# bodies without their last byte
my @clients = map { $service->narrow_connection } 1 .. 8;
put($_, head() . substr $body, 0, -1) for @clients;
$service->until_read;
my $refused = creation('127.0.0.1');
is($refused->{status}, 503, 'a further body is refused');
is($refused->{json}{code}, 'E_UNAVAILABLE', 'its code');
is($refused->{json}{meta}{message}, 'too many bytes of bodies are being received', 'the message says why');
ok($refused->{headers}{'retry-after'}, 'and when to come again');
is($service->post('/tags', { name => 'small' })->{status}, 201, 'a small body of the same address is received');
is(creation('127.0.0.2')->{status}, 400, 'a body of another address is received');
put($_, substr $body, -1) for @clients;
is_deeply([ map { $service->raw('', socket => $_, timeout => 60)->{replies}[0]{status} } @clients ], [ (400) x 8 ],
	'the bodies are complete');
is(creation('127.0.0.1')->{status}, 400, 'then there is room again');
push @clients, map { $service->narrow_connection } 1 .. 8;
put($_, head() . substr $body, 0, -1) for @clients[ 8 .. 15 ];
$service->until_read;
@clients = ();
is(wait_for(400, sub { creation('127.0.0.1') })->{status}, 400, 'and when the connections have ended');

# answers that are not read; each is larger than the buffers of the system
$service->sql(q{INSERT INTO catalogue.tags (name, created_by)
	SELECT 'slow ' || i || repeat(' x', 45), (SELECT id FROM catalogue.users LIMIT 1) FROM generate_series(1, 20000) i});
my $large = "GET /tags?limit=10000 HTTP/1.1\r\nHost: localhost\r\nPrefer: relations=embedded\r\n"
	. "Authorization: Bearer $service->{token}\r\n\r\n";
# Read such an answer; return it with the number of its bytes.
sub large
{
	my $socket = $service->narrow_connection;
	my ($first, $rest, $bytes) = ('', '', 0);
	put($socket, $large);
	while (sysread $socket, $rest, 1 << 20)
	{
		$first .= $rest if $bytes < 1000;
		$bytes += length $rest;
		last if $first =~ /\r\nContent-Length: (\d+).*?\r\n\r\n/s && $bytes >= $1 + $+[0];
	}
	return { status => substr($first, 9, 3), bytes => $bytes, text => $first };
}
my $size = large()->{bytes};
cmp_ok($size, '>', 6 << 20, "an answer of $size bytes");
cmp_ok($size, '<', 8 << 20, 'for which there is room, but not for two');
my $client = $service->narrow_connection;
put($client, $large);
# its answer is in memory as soon as it begins
sysread $client, my $begun, 12;
is($begun, 'HTTP/1.1 206', 'an answer that is not read on');
$refused = large();
is($refused->{status}, 503, 'another large answer to the same user is refused');
like($refused->{text}, qr/"message":"too many bytes of answers wait to be read"/, 'the message says why');
is($service->get('/tags?limit=20')->{status}, 206, 'a small one is not');
my $parts = [ map { { method => 'POST', path => '/tags', body => { name => "part $_" } } } 1 .. 500 ];
my $batch = $service->post('/batch', { parts => $parts }, Prefer => 'return=representation');
is($batch->{status}, 200, 'the answer to a change is sent');
cmp_ok(length $batch->{body}, '>', 32768, 'although it is large');
my $other = "GET /tags?limit=1000 HTTP/1.1\r\nHost: localhost\r\n\r\n";
is($service->raw($other, socket => $service->narrow_connection('127.0.0.2'), timeout => 60)->{replies}[0]{status}, 206,
	'a large answer to another client is sent');
close $client;
is(wait_for(206, \&large)->{status}, 206, 'then there is room again');

$service->finish;
