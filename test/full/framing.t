#!/usr/bin/perl
# Requests whose length two servers could read differently are refused and the connection is closed:
# the bytes after them are never taken for a request.

use strict;
use warnings;

use Test::More;
use Time::HiRes qw(sleep);
use Catalogue::Shapes qw(shapes);
use Catalogue::Test;

my $service = Catalogue::Test->start->as_admin;
my @shapes  = shapes($service->{token});
cmp_ok(scalar @shapes, '>=', 97, scalar(@shapes) . ' shapes');

# each shape as the first request of a connection, and after another request
my $health = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n";
push @shapes, map { { %$_, first => $health, name => "$_->{name}, after another request" } }
	shapes($service->{token}, scalar @shapes);
for my $shape (@shapes)
{
	my $name   = $shape->{name};
	my $socket = $service->connection;
	$service->raw($shape->{first}, socket => $socket) if $shape->{first};
	my $result  =
		$service->raw($shape->{bytes}, socket => $socket, quiet => 0.15, timeout => $shape->{certain} ? 20 : 60, wanted => 2);
	my @replies = @{ $result->{replies} };
	like($replies[0]{status} // 'nothing', $shape->{status}, "$name: the answer");
	if ($shape->{certain})
	{
		cmp_ok(scalar @replies, '<=', 2, "$name: one answer for each request");
		is($replies[1]{status} // 'nothing', 201, "$name: the next request is served")
			if ($replies[0]{status} // '') eq '201';
		next;
	}
	is(scalar(grep { $_->{status} < 400 } @replies), 0, "$name: no request is executed");
	ok($result->{closed}, "$name: the connection is closed");
	is(scalar(() = $result->{text} =~ m{^HTTP/1}mg), 1, "$name: there is one answer");
	like($replies[0]{headers}{'x-request-id'} // '', qr/^[0-9a-f]{16}$/, "$name: it is an answer of the service");
	like($replies[0]{json}{code} // '', qr/^E_/, "$name: it has an error code");
}

# of each shape the first request is executed once at most, and the hidden one never
for my $shape (@shapes)
{
	my $made = $service->sql("SELECT count(*) FILTER (WHERE name ~ '^first +$shape->{n}\$'), count(*) FILTER (WHERE name "
		. "~ '^second +$shape->{n}\$') FROM catalogue.tags");
	like($made, $shape->{certain} ? qr/^[01]\|[01]$/ : qr/^0\|0$/, "$shape->{name}: the executed requests");
}
$service->stop_shim;
for my $shape (@shapes)
{
	my $seen = $service->sql("SELECT count(*) FILTER (WHERE querystring = 'n=$shape->{n}'), count(*) FILTER (WHERE "
		. "querystring = 'second=$shape->{n}') FROM catalogue.statistics");
	like($seen, $shape->{certain} ? qr/^[01]\|[01]$/ : qr/^[012]\|0$/, "$shape->{name}: the received requests");
}
$service->start_shim;
$service->as_admin;

# unambiguous requests are served: chunks, pipelines, an absolute target, HTTP/1.0
my $post = "POST /tags HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer $service->{token}\r\n"
	. "Content-Type: application/json\r\n";
is($service->raw("${post}Transfer-Encoding: chunked\r\n\r\n9\r\n{\"name\": \r\n9\r\n\"chunked\"\r\n1\r\n}\r\n"
	. "0\r\n\r\n")->{replies}[0]{status},
	201, 'chunks are joined');
my $many = $service->raw($health x 50, wanted => 50);
is(scalar @{ $many->{replies} }, 50, 'fifty requests at once get fifty answers');
is(scalar(grep { $_->{status} == 200 } @{ $many->{replies} }), 50, 'all fifty are served');
my $mixed = $service->raw($health . "GET /nonesuch HTTP/1.1\r\nHost: localhost\r\n\r\n" . $health, wanted => 3);
is_deeply([ map { $_->{status} } @{ $mixed->{replies} } ], [ 200, 404, 200 ],
	'answers come in the order of the requests');
# requests in pieces of any size, after others, and with optional white space
for my $piece (1, 7, 700, 1 << 20)
{
	for my $length (0, 10, 1000, 3000, 5000)
	{
		next if $length / $piece > 200;
		my $socket  = $service->connection;
		my $value   = 'x' x $length;
		my @replies = @{ $service->raw($health, socket => $socket)->{replies} };
		my $bytes   = "GET http://localhost/tags/count?name=%41&name=b HTTP/1.1\r\nHost:localhost\r\nX-One:  $value \t\r\n"
			. "X-Two:\r\nX-Three: \r\n\r\n"
			. "${post}Content-Length: 2\r\n\r\n{}GET /health HTTP/1.0\r\nX-Four: $value\r\n\r\n";
		for (my $at = 0; $at < length $bytes; $at += $piece)
		{
			syswrite $socket, substr $bytes, $at, $piece;
			sleep 0.002 if $piece < length $bytes;
		}
		push @replies, @{ $service->raw('', socket => $socket, wanted => 3)->{replies} };
		is_deeply([ map { $_->{status} } @replies ], [ 200, 200, 400, 200 ], "headers of $length bytes in pieces of $piece");
	}
}
is($service->raw("GET http://localhost/health HTTP/1.1\r\nHost: localhost\r\n\r\n")->{replies}[0]{status}, 200,
	'an absolute target is a path');
my $old = $service->raw("GET /health HTTP/1.0\r\n\r\n", wanted => 2);
is($old->{replies}[0]{status}, 200, 'HTTP/1.0 is served');
ok($old->{closed}, 'the connection of HTTP/1.0 is closed');
ok($service->raw("GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", wanted => 2)->{closed},
	'Connection: close is obeyed');

# an empty target is refused; as many requests as one read takes must not write past the room for their heads
for my $requests (1, 964, 3 * 964)
{
	my $none = $service->raw("GET  HTTP/1.0\r\nConnection: keep-alive\r\n\r\n" x $requests, wanted => 2);
	is($none->{replies}[0]{status}, 400, "an empty target is refused, $requests times");
	ok($none->{closed}, 'the connection is closed');
}
is($service->raw("GET  HTTP/1.0\r\n\r\n" x 964)->{replies}[0]{status}, 400, 'the shortest requests without a target');
is($service->get('/health')->{status}, 200, 'the service goes on');

$service->finish;
