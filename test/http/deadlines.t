#!/usr/bin/perl
# Clients that are slow are disconnected at their limits, and not before: header_timeout for
# headers and for a body that hardly comes, request_timeout for one that comes, idle_timeout between requests.  An
# upload may take longer as long as bytes arrive.

use strict;
use warnings;

use Test::More;
use Catalogue::Clock qw(wait_until);
use Catalogue::Test;
use Catalogue::Upload;

my $service = Catalogue::Test->start(
	CATALOGUE_HEADER_TIMEOUT  => '60s',
	CATALOGUE_REQUEST_TIMEOUT => '180s',
	CATALOGUE_IDLE_TIMEOUT    => '10m',
)->as_admin;
my $host    = "Host: 127.0.0.1:$service->{port}\r\nAuthorization: $service->{headers}{Authorization}\r\n";
my $post    = "POST /tags HTTP/1.1\r\n${host}Content-Type: application/json\r\n";
my $count   = $service->get('/tags/count')->{json}{data}{count};

# what is sent first, what is sent now and then, which extends no limit, and the limit
my @ways = (
	[ 'nothing',                  '',                                                              '',           60 ],
	[ 'a part of a request line', 'GET /tags?x=',                                                  'x',          60 ],
	[ 'a part of the headers',    "${post}X: ",                                                    "a\r\nX: ",   60 ],
	[ 'a part of a second line',  "GET /health HTTP/1.1\r\n$host\r\nGET /tags?x=",                 'x',          60 ],
	[ 'a little of a body',       "${post}Content-Length: 900000\r\n\r\n",                         '{',          60 ],
	[ 'a few chunks of a body',   "${post}Transfer-Encoding: chunked\r\n\r\n",                     "1\r\n \r\n", 60 ],
	[ 'most of a body',           "${post}Content-Length: 900000\r\n\r\n" . ' ' x 800_000,         ' ',          180 ],
	[ 'a request',                "GET /health HTTP/1.1\r\n$host\r\n",                             '',           600 ],
);
local $SIG{PIPE} = 'IGNORE';
my @clients;
my $passed = 0;

# Connect some clients of a way, enough for each thread to have one.
sub connect_some
{
	my ($name, $first, $more, $limit) = @_;
	for (1 .. 8)
	{
		push @clients, { name => $name, more => $more, until => $passed + $limit, socket => $service->connection };
		syswrite $clients[-1]{socket}, $first;
	}
	return;
}
connect_some(@$_) for @ways;
$service->until_read;

sub names { my %known = map { $_->{name} => 1 } @_; return join ', ', sort keys %known }

# The names of the clients that are connected.
sub open_ways
{
	for my $client (grep { $_->{socket} } @clients)
	{
		my $select = IO::Select->new($client->{socket});
		while ($client->{socket} && $select->can_read(0))
		{
			$client->{socket} = undef unless sysread $client->{socket}, my $bytes, 65536;
		}
	}
	return names(grep { $_->{socket} } @clients);
}

for my $limit (60, 180, 600)
{
	# half a minute before the limit, and behind it
	for my $to ($limit - 30, $limit + 1)
	{
		# those whose limit of a minute passes meanwhile show that the limits have been looked at
		connect_some("a client of second $passed", 'GET', '', 60);
		syswrite $_->{socket}, $_->{more} for grep { $_->{socket} && length $_->{more} } @clients;
		$service->until_read;
		$service->pass($to - $passed);
		$passed = $to;
		my $open = names(grep { $_->{until} > $to } @clients);
		wait_until("after $to s only $open", sub { open_ways() eq $open });
		is($service->get('/health', Connection => 'close')->{status}, 200, "after $to s: served");
		is(open_ways(), $open, "after $to s: who is past a limit is disconnected, the others are not");
	}
}
is($service->get('/tags/count')->{json}{data}{count}, $count, 'no part of a request was executed');

# an upload of 30 pieces, each in ten seconds
my $uploads = Catalogue::Upload->new($service);
my ($files) = $uploads->left =~ /(\d+)$/;

sub begin
{
	my ($length) = @_;
	my $socket = $service->connection;
	syswrite $socket, 'POST /files?' . $uploads->words
		. "&fileName=a.csv HTTP/1.1\r\n${host}Content-Type: application/octet-stream\r\nContent-Length: $length\r\n\r\n";
	return $socket;
}
my $socket = begin(30 * 60_000);
for (1 .. 30)
{
	syswrite $socket, 'x' x 59_999 . "\n";
	$service->until_read;
	$service->pass(10);
}
is($service->raw('', socket => $socket)->{replies}[0]{status}, 201,
	'an upload that takes longer than request_timeout is accepted');
$files++;

# an upload that stops
$socket = begin(1_000_000);
syswrite $socket, 'x' x 300_000;
$service->until_read;
my $raw = { replies => [] };
for (1 .. 100)
{
	$service->pass(60);
	$raw = $service->raw('', socket => $socket, timeout => 0.2);
	last if $raw->{closed};
}
is(scalar @{ $raw->{replies} }, 0, 'an upload that stops gets no answer');
ok($raw->{closed}, 'its connection is closed');
wait_until('it leaves nothing behind', sub { $uploads->left eq "0|$files" });

$service->finish;
