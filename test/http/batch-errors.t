#!/usr/bin/perl
# Reads that arrive at the same time are sent to the database in one batch.  One that fails does not affect
# the others: each request gets its own answer, whatever its place in the batch is.

use strict;
use warnings;

use Test::More;
use Catalogue::Test;

my $service = Catalogue::Test->start(CATALOGUE_THREADS => 1);
my @known   = map { $_->{id} } @{ $service->get('/statuses')->{json}{data} };

# Requests sent at once, again and again: existing records, and requests that the database refuses.
my @asked = (
	(map { [ "/statuses/$_", 200 ] } @known),
	[ '/statuses/nothing',           404 ],
	[ '/nonesuch/nothing',           404 ],
	[ '/tags?limit=x',               422 ],
	[ '/tags?include=nonesuch',      400 ],
	[ '/tags/count',                 200 ],
	[ '/datasets?limit=2',           206 ],
);

# every rotation of the list, with eight of each request at once
for my $turn (0 .. $#asked)
{
	my @turned  = (@asked[ $turn .. $#asked ], @asked[ 0 .. $turn - 1 ]);
	my @waiting = map { { path => $_->[0], status => $_->[1], socket => $service->connection } } (@turned) x 8;
	syswrite $_->{socket}, "GET $_->{path} HTTP/1.1\r\nHost: localhost\r\n\r\n" for @waiting;

	my @wrong;
	for my $request (@waiting)
	{
		my ($reply) = @{ $service->raw('', socket => $request->{socket})->{replies} };
		my $status = $reply ? $reply->{status} : 'nothing';
		my ($id) = $request->{path} =~ m{^/statuses/(\w{7})$};
		next if $status eq $request->{status} && (!$id || $status != 200 || $reply->{json}{data}{id} eq $id);
		push @wrong, "$request->{path}: $status";
	}
	is_deeply(\@wrong, [], "turn $turn: each has its own answer");
}

$service->finish;
