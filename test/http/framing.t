#!/usr/bin/perl
# Requests whose length two servers could read differently are refused and the connection is closed:
# what follows them is never taken for a request.

use strict;
use warnings;

use Test::More;
use Catalogue::Test;

my $service = Catalogue::Test->start;
my $smuggled = "GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n";

# name, status (a pattern), the request up to where a second one would begin
my @shapes = (
	[ 'Content-Length and Transfer-Encoding', qr/400/, "POST /tags HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" ],
	[ 'Transfer-Encoding and Content-Length', qr/400/, "POST /tags HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n" ],
	[ 'two lengths that differ',  qr/400/, "POST /tags HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nContent-Length: 5\r\n\r\n" ],
	[ 'two lengths that agree',   qr/400/, "POST /tags HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nContent-Length: 0\r\n\r\n" ],
	[ 'a list of lengths',        qr/400/, "POST /tags HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0, 0\r\n\r\n" ],
	[ 'a length with a sign',     qr/400/, "POST /tags HTTP/1.1\r\nHost: localhost\r\nContent-Length: +0\r\n\r\n" ],
	[ 'a negative length',        qr/400/, "POST /tags HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n" ],
	[ 'a length in hexadecimals', qr/400/, "POST /tags HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0x0\r\n\r\n" ],
	[ 'a length with a letter',   qr/400/, "POST /tags HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0a\r\n\r\n" ],
	[ 'an empty length',          qr/400/, "POST /tags HTTP/1.1\r\nHost: localhost\r\nContent-Length: \r\n\r\n" ],
	[ 'a length of 2^64-1',       qr/400|413/, "POST /tags HTTP/1.1\r\nHost: localhost\r\nContent-Length: 18446744073709551615\r\n\r\n" ],
	[ 'a length of 2^64',         qr/400|413/, "POST /tags HTTP/1.1\r\nHost: localhost\r\nContent-Length: 18446744073709551616\r\n\r\n" ],
	[ 'an endless length',        qr/400|413/, "POST /tags HTTP/1.1\r\nHost: localhost\r\nContent-Length: " . '9' x 40 . "\r\n\r\n" ],
	(map { [ "Transfer-Encoding: $_", qr/400|501/, "POST /tags HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: $_\r\n\r\n0\r\n\r\n" ] }
		'identity', 'gzip', 'xchunked', 'chunked, identity', 'gzip, chunked', 'chunked, chunked', '"chunked"', 'chunked;q=1', ''),
	[ 'two Transfer-Encodings',   qr/400|501/, "POST /tags HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n" ],
	[ 'a folded Transfer-Encoding', qr/400/, "POST /tags HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n" ],
	[ 'a space before the colon of Transfer-Encoding', qr/400/, "POST /tags HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n" ],
	[ 'a space before the colon of Content-Length', qr/400/, "POST /tags HTTP/1.1\r\nHost: localhost\r\nContent-Length : 0\r\n\r\n" ],
	[ 'a header whose name begins with Content-Length', qr/400/, "POST /tags HTTP/1.1\r\nHost: localhost\r\nContent-Lengthx: 5\r\n\r\n" ],
	[ 'a header name with a blank', qr/400/, "GET /tags HTTP/1.1\r\nHost: localhost\r\nX Y: 5\r\n\r\n" ],
	[ 'HTTP/1.0 with Transfer-Encoding', qr/400/, "POST /tags HTTP/1.0\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" ],
	[ 'a chunk size that is no number', qr/400/, "POST /tags HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n{}\r\n0\r\n\r\n" ],
	[ 'a chunk size with a sign', qr/400/, "POST /tags HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n-2\r\n{}\r\n0\r\n\r\n" ],
	[ 'two Hosts',     qr/400/, "GET /tags HTTP/1.1\r\nHost: localhost\r\nHost: other\r\n\r\n" ],
	[ 'no Host',       qr/400/, "GET /tags HTTP/1.1\r\n\r\n" ],
	[ 'a target that is no path', qr/400|404/, "GET tags HTTP/1.1\r\nHost: localhost\r\n\r\n" ],
	[ 'no version',    qr/400|505/, "GET /tags\r\n\r\n" ],
	[ 'HTTP/2.0',      qr/400|505/, "GET /tags HTTP/2.0\r\nHost: localhost\r\n\r\n" ],
	[ 'a target of NUL', qr/40[04]/, "GET /tags%00 HTTP/1.1\r\nHost: localhost\r\n\r\n" ],
);
for my $shape (@shapes)
{
	my ($name, $status, $bytes) = @$shape;
	my $result  = $service->raw($bytes . $smuggled, quiet => 0.15, timeout => 12);
	my @replies = @{ $result->{replies} };
	like($replies[0]{status} // 'nothing', qr/^(?:$status)$/, "$name: refused");
	if ($name =~ /^(a target of NUL|a target that is no path)$/)
	{
		# its length is beyond doubt: the next request is one
		cmp_ok(scalar @replies, '<=', 2, "$name: one reply each");
		next;
	}
	unlike($result->{text}, qr/smuggled/, "$name: what follows is no request");
	cmp_ok(scalar(grep { ($_->{json}{code} // '') =~ /NOT_FOUND|UNAUTHORIZED/ } @replies[ 1 .. $#replies ]), '==', 0, "$name: and is not answered");
	ok($result->{closed}, "$name: the connection is closed");
}
is(scalar(grep { ($_->{path} // $_->{url} // '') =~ /smuggled/ } $service->log), 0, 'no smuggled request is in the log');

# what is beyond doubt is served: chunks, pipelines, an absolute target, HTTP/1.0
$service->as_admin;
my $post = "POST /tags HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer $service->{token}\r\nContent-Type: application/json\r\n";
is($service->raw("${post}Transfer-Encoding: chunked\r\n\r\n9\r\n{\"name\": \r\n9\r\n\"chunked\"\r\n1\r\n}\r\n0\r\n\r\n")->{replies}[0]{status},
	201, 'chunks are put together');
my $get  = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n";
my $many = $service->raw($get x 50, wanted => 50);
is(scalar @{ $many->{replies} }, 50, 'fifty requests at once get fifty answers');
is(scalar(grep { $_->{status} == 200 } @{ $many->{replies} }), 50, 'all good');
my $mixed = $service->raw($get . "GET /nonesuch HTTP/1.1\r\nHost: localhost\r\n\r\n" . $get, wanted => 3);
is_deeply([ map { $_->{status} } @{ $mixed->{replies} } ], [ 200, 404, 200 ], 'answers come in the order of the requests');
is($service->raw("GET http://localhost/health HTTP/1.1\r\nHost: localhost\r\n\r\n")->{replies}[0]{status}, 200, 'an absolute target is a path');
my $old = $service->raw("GET /health HTTP/1.0\r\n\r\n");
is($old->{replies}[0]{status}, 200, 'HTTP/1.0 is served');
ok($old->{closed}, 'and its connection closed');
ok($service->raw("GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")->{closed}, 'Connection: close is heard');

$service->finish;
