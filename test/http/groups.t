#!/usr/bin/perl
# Reads that come at the same moment go to the database in groups.  One that fails there takes no
# other along: each request gets its own answer, whatever stands before it in its group.

use strict;
use warnings;

use Test::More;
use Catalogue::Test;

my $service = Catalogue::Test->start(CATALOGUE_THREADS => 1);
my @known   = map { $_->{id} } @{ $service->get('/statuses')->{json}{data} };

# What is asked at once, over and over: records that are there, and what the database refuses.
my @asked = (
	(map { [ "/statuses/$_", 200 ] } @known),
	[ '/statuses/nothing',           404 ],
	[ '/nonesuch/nothing',           404 ],
	[ '/tags?limit=x',               422 ],
	[ '/tags?include=nonesuch',      400 ],
	[ '/tags/count',                 200 ],
	[ '/datasets?limit=2',           206 ],
);

# every order in which they can be rotated, eight of each at once
for my $turn (0 .. $#asked)
{
	my @turned  = (@asked[ $turn .. $#asked ], @asked[ 0 .. $turn - 1 ]);
	my @waiting = map { { path => $_->[0], status => $_->[1], socket => $service->connection } } (@turned) x 8;
	syswrite $_->{socket}, "GET $_->{path} HTTP/1.1\r\nHost: localhost\r\n\r\n" for @waiting;

	my @wrong;
	for my $request (@waiting)
	{
		my ($reply) = @{ $service->raw('', socket => $request->{socket}, quiet => 0)->{replies} };
		my $status = $reply ? $reply->{status} : 'nothing';
		my ($id) = $request->{path} =~ m{^/statuses/(\w{7})$};
		next if $status eq $request->{status} && (!$id || $status != 200 || $reply->{json}{data}{id} eq $id);
		push @wrong, "$request->{path}: $status";
	}
	is_deeply(\@wrong, [], "turn $turn: each has its own answer");
}

$service->finish;
