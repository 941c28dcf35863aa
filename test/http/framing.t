#!/usr/bin/perl
# Requests whose length two servers could read differently are refused and the connection is closed:
# what follows them is never taken for a request.

use strict;
use warnings;

use Test::More;
use Catalogue::Shapes qw(shapes);
use Catalogue::Test;

my $service = Catalogue::Test->start->as_admin;
my @shapes  = shapes($service->{token});
cmp_ok(scalar @shapes, '>=', 97, scalar(@shapes) . ' shapes');

for my $shape (@shapes)
{
	my $name    = $shape->{name};
	my $result  = $service->raw($shape->{bytes}, quiet => 0.15, timeout => 20, wanted => $shape->{certain} ? 2 : 1);
	my @replies = @{ $result->{replies} };
	like($replies[0]{status} // 'nothing', $shape->{status}, "$name: the answer");
	if ($shape->{certain})
	{
		cmp_ok(scalar @replies, '<=', 2, "$name: one answer for each request");
		next;
	}
	is(scalar(grep { $_->{status} < 400 } @replies), 0, "$name: nothing else is answered");
	ok($result->{closed}, "$name: the connection is closed");
}

# of each what was to be done is done once at most, and nothing that was hidden
for my $shape (@shapes)
{
	my $made = $service->sql("SELECT count(*) FILTER (WHERE name ~ '^first +$shape->{n}\$'), count(*) FILTER (WHERE name ~ '^second +$shape->{n}\$') FROM catalogue.tags");
	like($made, $shape->{certain} ? qr/^[01]\|[01]$/ : qr/^0\|0$/, "$shape->{name}: what was done");
}
$service->stop_shim;
for my $shape (@shapes)
{
	my $seen = $service->sql("SELECT count(*) FILTER (WHERE querystring = 'n=$shape->{n}'), count(*) FILTER (WHERE querystring = 'second=$shape->{n}') FROM catalogue.statistics");
	like($seen, $shape->{certain} ? qr/^[01]\|[01]$/ : qr/^[01]\|0$/, "$shape->{name}: what was taken for a request");
}
$service->start_shim;
$service->as_admin;

# what is beyond doubt is served: chunks, pipelines, an absolute target, HTTP/1.0
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
