#!/usr/bin/perl
# Out of memory: while allocations of the shim fail at random, each request has a complete answer or its connection
# ends, and no connection hangs; the shim does not end; when there is memory again, all is answered as before, and no
# memory is left allocated.

use strict;
use warnings;

use Test::More;
use Time::HiRes qw(sleep time);
use Catalogue::Clock qw(wait_until);
use Catalogue::Program qw(needed);
use Catalogue::Test;

my $place = needed('CATALOGUE_TEST_DIRECTORY');
plan skip_all => 'sanitizers have an allocator of their own' if $ENV{CATALOGUE_SHIM} =~ /sanitized/;
my $library = "$place/malloc.so";
system('cc', '-shared', '-fPIC', '-O1', '-fno-builtin', '-o', $library, 'test/faults/malloc.c') == 0 or die 'cc';
my $counts = "$place/malloc-counts";
open my $file, '+>', $counts or die "$counts: $!";
syswrite $file, "\0" x 32;
chmod 0666, $counts;

# a call whose connection to the database is lost waits for its limit
my $service = Catalogue::Test->start(CATALOGUE_THREADS => 1, CATALOGUE_CALL_TIMEOUT => '5s',
	CATALOGUE_QUEUE_TIMEOUT => '2s', LD_PRELOAD => $library, MALLOC_COUNTS => $counts)->as_admin;
my $tag     = $service->post('/tags', { name => 'memory' }, Prefer => 'return=representation')->{json}{data}{id};
my $described = $service->post('/categories', { name => 'memory', color => '336699', active => Cpanel::JSON::XS::true,
	description => "# Memory\n\n* [one](/tags)\n* **two** of `them`" })->{json}{links}{record}
	=~ s{^.*(?=/categories/)}{}r;
my @kinds   = (
	[ GET => '/' ], [ GET => '/datasets' ], [ GET => '/datasets?name=a&limit=5&include=categories' ], [ GET => '/tags' ],
	[ GET => "/tags/$tag" ], [ GET => '/tags/none' ], [ GET => '/nonesuch' ], [ GET => '/search?q=water' ],
	[ GET => '/openapi.json' ], [ GET => '/metrics' ], [ GET => '/health' ], [ OPTIONS => '/datasets' ],
	[ GET => '/datasets', undef, Accept => 'text/csv' ], [ GET => '/datasets', undef, Accept => 'text/html' ],
	[ GET => '/', undef, Accept => 'text/html' ], [ GET => $described, undef, Accept => 'text/html' ],
	[ GET => '/catalog', undef, Accept => 'text/turtle' ],
	[ PATCH => "/tags/$tag", { name => 'memory' } ], [ POST => '/tags', { name => '' } ], [ POST => '/tags', '{' ],
	[ POST => '/users/login', { username => 'nobody', password => 'no password' } ],
	[ POST => '/batch', { operations => [] } ], [ GET => '/feeds/rss' ],
		[ GET => '/tags', undef, Authorization => 'Bearer x.y.z' ],
);

# what is allocated once: caches, connections to the database, memory of libraries
rounds(3);
answered('with memory no answer is an error of the server');
my ($blocks, $bytes) = settled();

for my $one_of (500, 100, 30)
{
	my $before = (counts())[1];
	counts($one_of);
	my $from = time;
	my @replies = rounds(3);
	counts(0);
	cmp_ok((counts())[1] - $before, '>', 0, "one of $one_of allocations fails") or next;
	is(kill(0, $service->{pid}) && waitpid($service->{pid}, 1), 0, '... the shim runs') or last;
	my @other = grep { !/^(?:0|200|206|4\d\d|500|503)$/ } map { $_->{status} } @replies;
	is_deeply(\@other, [], '... each answer is one of the contract, 500 or 503, or the connection ends');
	cmp_ok(scalar(grep { $_->{status} == 500 || $_->{status} == 0 } @replies), '<', @replies / 2,
		'... most requests succeed') if $one_of == 500;
	cmp_ok(time - $from, '<', 60, '... none waits');
	# connections to the database that were lost are made again, each after a pause
	wait_until('the database is reached', sub {
		my $told = eval { $service->get('/metrics')->{body} } // '';
		$told =~ /^catalogue_database_connections\{/m
			&& $told !~ /^catalogue_database_connections\{[^}]*state="down"[^}]*\} [1-9]/m
	});
	answered('... with memory again, all is answered');
}
my ($more_blocks, $more_bytes) = settled();
# buffers that are kept for the next request may be larger than before; they are few
cmp_ok($more_blocks - $blocks, '<', 100, 'no block is left allocated');
cmp_ok($more_bytes - $bytes, '<', 1 << 20, '... nor a large one');
is($service->get("/tags/$tag")->{json}{data}{name}, 'memory', 'the record is what it was');
$service->finish;

# Send each kind of request so many times; the replies, with status 0 where the connection ended.
sub rounds
{
	my ($count) = @_;
	my @replies;
	for (1 .. $count)
	{
		for my $kind (@kinds)
		{
			my ($verb, $path, $body, @headers) = @$kind;
			my $start = time;
			my $reply = eval { $service->request($verb, $path, $body, @headers) };
			diag("$verb $path: ", time - $start, ' s') if time - $start > 10;
			push @replies, $reply // { status => 0 };
			return @replies unless $reply || kill 0, $service->{pid};
		}
	}
	return @replies;
}

# Test that each kind of request has an answer that is no error of the server.
sub answered
{
	my ($name) = @_;
	my @replies = rounds(1);
	my @errors  = map { "$kinds[$_][0] $kinds[$_][1]: $replies[$_]{status}" }
		grep { $replies[$_]{status} == 0 || $replies[$_]{status} >= 500 } 0 .. $#replies;
	return is_deeply(\@errors, [], $name);
}

# Set how many allocations one fails of; return all numbers.
sub counts
{
	my ($one_of) = @_;
	if (defined $one_of)
	{
		sysseek $file, 0, 0;
		syswrite $file, pack 'Q', $one_of;
	}
	sysseek $file, 0, 0;
	sysread $file, my $bytes, 32;
	return unpack 'Q2q2', $bytes;
}

# Blocks and bytes that are allocated when all requests have ended, and statistics were sent.
sub settled
{
	delete $service->{socket};
	my @last = (counts())[ 2, 3 ];
	for (1 .. 20)
	{
		sleep 0.25;
		my @now = (counts())[ 2, 3 ];
		return @now if $now[0] == $last[0];
		@last = @now;
	}
	return @last;
}
