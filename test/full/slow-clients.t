#!/usr/bin/perl
# Clients that send or read as slowly as they can hold nine tenths of the connections: other clients are
# answered meanwhile, and the slow ones are disconnected at their time limits.

use strict;
use warnings;

use IO::Select;
use Socket qw(unpack_sockaddr_in);
use Test::More;
use Time::HiRes qw(sleep time);
use Catalogue::Test;

my $limit = 200;
my $slow  = $limit * 0.9;

my $service = Catalogue::Test->start(
	CATALOGUE_CONNECTIONS     => $limit,
	CATALOGUE_THREADS         => 1,
	CATALOGUE_IDLE_TIMEOUT    => '60s',
)->as_admin;

my $head = "Host: localhost\r\nAuthorization: Bearer $service->{token}\r\n";
my $post = "POST /tags HTTP/1.1\r\n${head}Content-Type: application/json\r\n";

# bytes that are sent at once, then those sent one by one, and the number of bytes read in each turn
my @ways = (
	[ 'a request line',       'GET /tags?x=',                                       'x',              0 ],
	[ 'headers',              "GET /tags HTTP/1.1\r\n${head}X: ",                   "a\r\nX: ",       0 ],
	[ 'a body with length',   "${post}Content-Length: 1000\r\n\r\n",                '{',              0 ],
	[ 'a chunked body',     "${post}Transfer-Encoding: chunked\r\n\r\n",          "1\r\n \r\n",     0 ],
	[ 'a second request',     "GET /health HTTP/1.1\r\n$head\r\nGET /tags?x=",      'x',              1000 ],
	[ 'nothing',              '',                                                   '',               0 ],
	[ 'nothing more',         "GET /health HTTP/1.1\r\n$head\r\n",                  '',               1000 ],
	[ 'reading an answer',    "GET /tags?limit=10000 HTTP/1.1\r\n$head\r\n",        '',               1 ],
	[ 'reading many answers', "GET /tags?limit=10000 HTTP/1.1\r\n$head\r\n" x 20,   '',               1 ],
	[ 'reading a stream',     "GET /tags?limit=10000 HTTP/1.1\r\n${head}Accept: text/csv\r\n\r\n", '', 1 ],
);

# an answer that is larger than the buffers of the system
$service->sql(q{INSERT INTO catalogue.tags (name, created_by)
	SELECT 'slow ' || i || repeat(' x', 45), (SELECT id FROM catalogue.users LIMIT 1) FROM generate_series(1, 20000) i});

local $SIG{PIPE} = 'IGNORE';
for my $way (@ways)
{
	my ($name, $first, $then, $read) = @$way;
	my @clients = map { $service->narrow_connection } 1 .. $slow;
	syswrite $_, $first for @clients;
	my %port = map { (unpack_sockaddr_in(getsockname $_))[0] => 1 } @clients;
	my ($answers, $turns, $held) = (0, 0, 1);
	for (my $end = time + 180; $held > 0 && time < $end; sleep 0.1)
	{
		$service->pass(6);
		# the other client, with a new connection each time
		delete $service->{socket};
		my $reply = eval { $service->get('/statuses/count') };
		$answers++ if $reply && $reply->{status} == 200;
		$turns++;
		for my $client (@clients)
		{
			syswrite $client, $then if length $then;
			sysread $client, my $bytes, $read if $read && IO::Select->new($client)->can_read(0);
		}
		$held = held(\%port);
	}
	# on a busy machine a few requests may wait too long
	cmp_ok($answers, '>=', 0.75 * $turns, "$name: other requests were served, $turns times");
	is($held, 0, "$name: all slow clients are disconnected");
}

# How many connections of the clients with these ports the shim still has.
sub held
{
	my ($ports) = @_;
	open my $in, '<', '/proc/net/tcp' or die "/proc/net/tcp: $!";
	my $held = 0;
	while (<$in>)
	{
		# number, local and remote address, state, ..., account, timeout, inode: 0 when no process has the socket
		my (undef, $local, $remote, undef, undef, undef, undef, undef, undef, $inode) = split;
		next unless $local =~ /:([0-9A-F]+)$/ && hex $1 == $service->{port};
		$held++ if $remote =~ /:([0-9A-F]+)$/ && $ports->{ hex $1 } && $inode > 0;
	}
	return $held;
}

is($service->get('/health')->{status}, 200, 'the service goes on');
$service->finish;
