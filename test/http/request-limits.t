#!/usr/bin/perl
# The limits of request lines, headers and bodies apply to every request of a connection; a request over a
# limit gets one answer, and the bytes after it are never taken for a request.

use strict;
use warnings;

use Test::More;
use Catalogue::Test;

local $SIG{PIPE} = 'IGNORE';
my ($target_limit, $header_limit, $line_limit) = (8192, 32768, 256);

my $service = Catalogue::Test->start(CATALOGUE_STATISTICS => 'off')->as_admin;
my $long    = '{"a": "' . 'x' x 9000 . '"}';
my $small   = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n";

# A request with a target and header lines of the given lengths, and optionally a body.
sub request
{
	my ($target, $headers, $body) = @_;
	my $path  = '/health?x=';
	my $lines = "Host: localhost\r\n"
		. ($body ? "Content-Type: application/json\r\nContent-Length: " . length($body) . "\r\n" : '');
	# a few long lines, as with cookies and tokens
	while ((my $more = $headers - length $lines) > 0)
	{
		$more = 9000 if $more > 9100;
		$lines .= 'X-Pad: ' . 'y' x ($more - 9) . "\r\n";
	}
	return 'GET ' . $path . 'x' x ($target - length $path) . " HTTP/1.1\r\n$lines\r\n" . ($body // '');
}

# Send a request as the given one of its connection, after the others or together with them, and followed by
# another; return the statuses of the answers, and whether the connection was closed.
sub answers
{
	my ($number, $together, $bytes) = @_;
	my $socket = $service->connection;
	my @statuses;
	for (2 .. ($together ? 1 : $number))
	{
		push @statuses, map { $_->{status} } @{ $service->raw($small, socket => $socket)->{replies} };
	}
	my $before = $together ? $number - 1 : 0;
	my $result =
		$service->raw($small x $before . $bytes . $small, socket => $socket, wanted => $before + 2, timeout => 20);
	return [ @statuses, map { $_->{status} } @{ $result->{replies} } ];
}

# The result that answers() must have: all requests served, or the request refused and nothing answered after it.
sub expected
{
	my ($number, $status) = @_;
	return [ (200) x ($number - 1), $status == 200 ? (200, 200) : $status ];
}

my @sizes = (
	(map { [ "target of $_", $_, 100, $_ <= $target_limit ? 200 : 414 ] } (map { 512 * $_ } 14 .. 18), 8191, 8192, 8193,
		20000, 70000),
	(map { [ "headers of $_", 20, $_, $_ <= $header_limit ? 200 : 431 ] } (map { 512 * $_ } 60 .. 68), 32767, 32768, 32769,
		50000, 100000),
	# target and headers may both be as long as each may be
	[ 'both at their limits', $target_limit, $header_limit, 200 ],
	[ 'a target at its limit, headers beyond theirs', $target_limit, $header_limit + 1, 431 ],
	[ 'a target beyond its limit, headers at theirs', $target_limit + 1, $header_limit, 414 ],
);
for my $size (@sizes)
{
	my ($name, $target, $headers, $status) = @$size;
	for my $number (1, 2, 10)
	{
		for my $body (undef, '{"a": 1}', $long)
		{
			my $bytes = request($target, $headers, $body);
			my $how   = 'request ' . $number . ($body ? ', body of ' . length $body : '');
			is_deeply(answers($number, 0, $bytes), expected($number, $status), "$name, $how, alone");
			is_deeply(answers($number, 1, $bytes), expected($number, $status), "$name, $how, pipelined");
		}
	}
}

# second requests of every size, up to both limits
my @wrong;
for (my $size = 512; $size <= $header_limit; $size += 512)
{
	for my $target (20, $size < $target_limit ? $size : $target_limit)
	{
		my $found = answers(2, 0, request($target, $size));
		push @wrong, "$target and $size: @$found" if "@$found" ne '200 200 200';
	}
}
is_deeply(\@wrong, [], 'second requests of all sizes are served');

# the number of header lines
for my $lines ($line_limit - 1 .. $line_limit + 1)
{
	my $bytes = "GET /health HTTP/1.1\r\nHost: localhost\r\n" . "X: y\r\n" x ($lines - 1) . "\r\n";
	my $status = $lines <= $line_limit ? 200 : 431;
	is_deeply(answers($_, 0, $bytes), expected($_, $status), "$lines header lines, request $_") for 1, 2, 10;
}

# the number of parameters; too many do not close the connection
for my $number (1, 2, 10)
{
	my $bytes = 'GET /health?' . join('&', map { "a$_=b" } 1 .. 101) . " HTTP/1.1\r\nHost: localhost\r\n\r\n";
	is_deeply(answers($number, 0, $bytes), [ (200) x ($number - 1), 400, 200 ], "101 parameters, request $number");
}

# headers and a body in small pieces
for my $piece (1, 100, 4096)
{
	my $socket = $service->connection;
	my $bytes  = $small . request($piece == 1 ? 2000 : $target_limit, $piece == 1 ? 3000 : $header_limit, $long) . $small;
	for (my $at = 0; $at < length $bytes; $at += $piece)
	{
		syswrite $socket, substr $bytes, $at, $piece;
	}
	my $replies = $service->raw('', socket => $socket, wanted => 3, timeout => 20)->{replies};
	is_deeply([ map { $_->{status} } @$replies ], [ 200, 200, 200 ], "in pieces of $piece");
}

# answers that are sent before the body has arrived: each is received, even if the client is still sending
my %early = (
	'two hosts'            => [ 400, "Host: localhost\r\nHost: b\r\nContent-Length: 4000000\r\n" ],
	'a body far too large' => [ 413, "Host: localhost\r\nContent-Length: 400000000000\r\n" ],
	'an unknown coding'    => [ 501, "Host: localhost\r\nTransfer-Encoding: gzip\r\n" ],
	'a malformed header'   => [ 400, "Host: localhost\r\nX Y: z\r\nContent-Length: 4000000\r\n" ],
);
for my $kind (sort keys %early)
{
	for my $before (0, 1, 9)
	{
		my $socket = $service->connection;
		$service->raw($small, socket => $socket) for 1 .. $before;
		my $result =
			$service->raw("POST /tags HTTP/1.1\r\n$early{$kind}[1]\r\n" . 'x' x 4_000_000, socket => $socket, timeout => 20);
		is_deeply([ map { $_->{status} } @{ $result->{replies} } ], [ $early{$kind}[0] ], "$kind, after $before: answered");
	}
}

# bodies of sizes around the limit, and a chunked one without end
for my $extra (-1, 0, 1, 512)
{
	my $body   = '{"a":"' . 'x' x ((1 << 20) + $extra - 8) . '"}';
	my $status = $extra > 0 ? 413 : 400;
	is($service->post('/tags', $body)->{status}, $status, "a body of 1 MiB and $extra: $status");
}
# bodies that the event loop parses are small, since it serves nobody else meanwhile
my $full = '{' . join(',', map { sprintf '"%04x":1', $_ } 1 .. 7000);
$full .= ' ' x (65536 - 1 - length $full) . '}';
my %taken   = (
	'a login'         => [ 'POST',  '/users/login',      400, 400 ],
	'a token'         => [ 'POST',  '/clients/tokens',   400, 400 ],
	'an action'       => [ 'PATCH', '/datasets/x/review', 404, 400 ],
	'a restoration'   => [ 'POST',  '/tags/x/restore',   404, 400 ],
);
for my $kind (sort keys %taken)
{
	my ($verb, $path, $status, $strict) = @{ $taken{$kind} };
	is($service->request($verb, $path, $full)->{status}, $status, "$kind: 64 KiB are read");
	my $refused = $service->request($verb, $path, " $full", Prefer => 'handling=strict');
	is($refused->{status}, 413, "$kind: more are refused");
	is($refused->{json}{meta}{message}, 'the body of this request must have at most 65536 bytes', "$kind: the message");
	$refused = $service->request($verb, $path, $full, Prefer => 'handling=strict');
	is($refused->{status}, $strict, "$kind: strict handling");
	cmp_ok(scalar keys %{ $refused->{json}{data} }, '<=', 100, "$kind: the number of faults") if $status == 404;
}
is($service->post('/tags', 'name=' . 'x' x 65536, 'Content-Type' => 'application/x-www-form-urlencoded')->{status}, 413,
	'a form as well');

{
	my $socket = $service->connection;
	my $piece  = '10000' . "\r\n" . 'x' x 65536 . "\r\n";
	my $result = $service->raw("POST /tags HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
		. $piece x 400, socket => $socket,
		timeout => 20);
	is($result->{replies}[0]{status}, 413, 'a body without end is answered');
}

$service->finish;
