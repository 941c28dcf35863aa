#!/usr/bin/perl
# Bodies that are not a JSON object, or too large, are refused in the common error format, and the service
# goes on: no row is written, no connection hangs, and the answers show no internals of PostgreSQL.

use strict;
use warnings;

use Test::More;
use Catalogue::Definition;
use Catalogue::Test;

my $service = Catalogue::Test->shared->as_admin;
my $count   = $service->get('/tags/count')->{json}{data}{count};

my @malformed = (
	'', ' ', '{', '}', '[', 'null', 'true', '7', '"text"', '[]', '[{}]', '{"name"}', '{"name":}', '{"name": "a",}',
	'{name: "a"}', "{'name': 'a'}", '{"name": "a"} x', '{"name": "a"}{}', '{"name": tru}', '{"name": 01}', '{"name": .5}',
	'{"name": 1e}', '{"name": "a' . "\n" . 'b"}', '{"name": "\\x41"}', '{"name": "\\ud800"}', '{"name": "\\udc00\\ud800"}',
	'{"name": "\\u00"}', "{\"name\": \"\xff\"}", "{\"name\": \"\xc0\xaf\"}", "{\"name\": \"\xed\xa0\x80\"}",
	"{\"name\": \"\xf4\x90\x80\x80\"}", "{\"name\": \"\xe2\x82\"}", "\xef\xbb\xbf{\"name\": \"bom\"}", "\xff\xfe{\0}\0",
	"{\"name\": \"a\"}\0", "{\"name\": \"a\0b\"}", "\0", '{"name": "a", "name": "b"}', '{"name": NaN}',
		'{"name": Infinity}',
	'// x' . "\n" . '{"name": "a"}', '<tag><name>a</name></tag>', 'name=a', '{"name": "\\u0000"}',
	'{"name": ' . '[' x 40 . ']' x 40 . '}', '{"a": ' x 40 . '1' . '}' x 40, '[' x 100_000, '{"a":' x 100_000,
);
for my $body (@malformed)
{
	my $shown = length $body > 40 ? substr($body, 0, 40) . '...' : $body;
	$shown =~ s/([^ -~])/sprintf '\\x%02x', ord $1/ge;
	for my $verb (qw(POST PATCH))
	{
		my $path  = $verb eq 'POST' ? '/tags' : '/statuses/nWRhpRV';
		my $reply = $service->request($verb, $path, $body);
		if ($verb eq 'PATCH' && $body eq '')
		{
			like($reply->{status}, qr/^(200|400)$/, 'PATCH with an empty body');
			next;
		}
		is($reply->{status}, 400, "$verb $shown");
		is($reply->{json}{code}, 'E_BAD_REQUEST', "$verb $shown: the common error format") or diag($reply->{body});
		unlike($reply->{body}, qr/syntax|DETAIL|token|SQL|pg_|invalid input/i, "$verb $shown: no internals of PostgreSQL");
	}
}

# numbers that are too large, and the greatest depth
for my $body ('{"name": "big", "optionals": 1e100000}', '{"name": 1e100000}',
	'{"name": -0.0000000000000000000001e-400}')
{
	like($service->post('/tags', $body)->{status}, qr/^(201|400)$/, "$body: no fault of the server");
}
my $dataset = Catalogue::Definition->new($service)->create('datasets');
my $deep = sub { '{"optionals": ' . '[' x $_[0] . ']' x $_[0] . '}' };
is($service->patch("/datasets/$dataset", $deep->(31))->{status}, 200, 'nesting of 32 is accepted');
is($service->patch("/datasets/$dataset", $deep->(32))->{status}, 400, 'nesting of 33 is refused');
my $exact = '{"optionals": {"n": 12345678901234567890.000000000000000000010, "z": 1, "a": [1.0, 1e2]}}';
is($service->patch("/datasets/$dataset", $exact)->{status}, 200, 'JSON of a client is stored');
ok($service->get("/datasets/$dataset")->{body} =~ /12345678901234567890\.000000000000000000010.*"z".*"a".*1\.0.*1e2/,
	'JSON of a client is returned unchanged: digits, order and form');

# size: 1 MiB of body, 8 KiB of URL, 32 KiB of headers
my $mib  = 1024 * 1024;
my $fill = sub { my $head = '{"nonesuch": "'; return $head . ('x' x ($_[0] - length($head) - 2)) . '"}' };
is($service->patch("/datasets/$dataset", $fill->($mib))->{status}, 200, 'a body of 1 MiB is accepted');
for my $size ($mib + 1, 3 * $mib, 30 * $mib)
{
	my $reply = $service->raw(
		"PATCH /datasets/$dataset HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer $service->{token}\r\n"
			. "Content-Type: application/json\r\nContent-Length: $size\r\n\r\n"
				. $fill->($size > 16 * $mib ? 64 : $size))->{replies}[0];
	is($reply->{status}, 413, "a body of $size bytes is refused");
	is($reply->{json}{code}, 'E_TOO_LARGE', "a body of $size bytes: the error code");
	is($reply->{json}{meta}{hint}, "A body may have $mib bytes.", "a body of $size bytes: the limit");
}
my $chunks = join '', map { sprintf "%x\r\n%s\r\n", 65536, ' ' x 65536 } 1 .. 17;
my $reply  =
	$service->raw("PATCH /datasets/$dataset HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer $service->{token}\r\n"
		. "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n")->{replies}[0];
is($reply->{status}, 413, 'chunks are counted');
like($service->get('/tags?name=' . 'x' x 8000)->{status}, qr/^20[06]$/, 'a URL of 8,000 bytes is accepted');
is($service->raw('GET /tags?name=' . 'x' x 9000 . " HTTP/1.1\r\nHost: localhost\r\n\r\n")->{replies}[0]{status}, 414,
	'a URL of 9,000 bytes is refused');
like($service->raw("GET /tags HTTP/1.1\r\nHost: localhost\r\nX-Long: " . 'x' x 40_000
	. "\r\n\r\n")->{replies}[0]{status} // 431,
	qr/^(431|413|400)$/, 'headers of 40,000 bytes are refused');

# after all these requests no refused record exists and the service works
is($service->get('/tags/count?name=a&match=EXACT')->{json}{data}{count}, 0, 'no refused record exists');
is($service->post('/tags', { name => 'after all' })->{status}, 201, 'the next request works');
is(scalar(grep { ($_->{status} // 0) >= 500 } $service->log), 0, 'no answer was a server error');

$service->finish;
