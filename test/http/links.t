#!/usr/bin/perl
# The links of a list, in the body and in the header Link (RFC 8288): the words of the request in
# their order, then those of the page, each once.

use strict;
use warnings;

use Test::More;
use Catalogue::Test;
use Catalogue::Definition;

my $service = Catalogue::Test->start->as_admin;

for my $i (1 .. 9)
{
	my $reply = $service->post('/tags', { name => sprintf 'link %d', $i });
	BAIL_OUT("POST /tags: $reply->{status} $reply->{body}") unless $reply->{status} == 201;
}

my %relations = (first => 'first', previous => 'prev', next => 'next', last => 'last');
my @page      = qw(limit skip version after before);

# The words of a link's query: those of the page apart.
sub words
{
	my ($link) = @_;
	my ($query) = $link =~ /\?(.*)/;
	my (@kept, %page);
	for (split /&/, $query)
	{
		my ($name, $value) = /^([^=]+)=(.*)/;
		(grep { $name eq $_ } @page) ? push @{ $page{$name} }, $value : push @kept, $_;
	}
	return (\@kept, \%page);
}

# each link of each page of a walk there and back
my $query = 'orderBy=name&name=link%20&match=begins&fields=name,id&nonesuch=%22%C3%B1%22&sort=DESC&condition=and';
my $reply = $service->get("/tags?skip=0&$query&limit=2&");
for my $way ('next', 'previous')
{
	while (1)
	{
		my %links = %{ $reply->{json}{links} };
		my $at = "page $reply->{json}{meta}{page}, before $way";
		for my $name (grep { $links{$_} } sort keys %relations)
		{
			my ($kept, $page) = words($links{$name});
			is(join('&', @$kept), $query, "$at: $name keeps the words in their order");
			is_deeply([ map { scalar @{ $page->{$_} // [] } } qw(limit skip version) ], [ 1, 1, 1 ], "$at: $name says once which page");
			my @keys = grep { $page->{$_} } qw(after before);
			my ($may) = { next => 'after', previous => 'before' }->{$name} // '';
			is_deeply([ grep { $_ ne $may || @{ $page->{$_} } != 1 } @keys ], [], "$at: $name begins at no other record");
		}
		is($reply->{headers}{link}, join(', ', map { "<$links{$_}>; rel=\"$relations{$_}\"" } grep { $links{$_} } qw(first previous next last)),
			"$at: the header has the same links, by their registered names");
		last unless $links{$way};
		$reply = $service->follow($links{$way});
	}
}

# a page that is all leads nowhere else
my $whole = $service->get('/tags?limit=1000');
is_deeply([ grep { $relations{$_} } keys %{ $whole->{json}{links} } ], [], 'all on one page: no link to another');
ok(!exists $whole->{headers}{link}, 'and no header');

# where a page is not on the grid of the others
my $odd = $service->get('/tags?name=link&limit=4&skip=3')->{json}{links};
is((words($odd->{previous}))[1]{limit}[0], 3, 'the page before does not reach into this one');
is((words($odd->{previous}))[1]{skip}[0], 0, 'but begins at the first record');
is((words($odd->{next}))[1]{skip}[0], 7, 'the next begins behind this one');
my $beyond = $service->get('/tags?name=link&limit=4&skip=100')->{json}{links};
is((words($beyond->{previous}))[1]{skip}[0], 8, 'from beyond the end the page before is the last one');
ok(!exists $beyond->{next}, 'and there is no next');

# lists that belong to a record
my $definition = Catalogue::Definition->new($service);
my @tags = map { $_->{id} } @{ $service->get('/tags?name=link')->{json}{data} };
my $dataset = $service->post('/datasets', { %{ $definition->record('datasets') }, tags => [ @tags[ 0 .. 4 ] ] })->{json}{links}{record};
my $page = $service->follow("$dataset/tags?limit=2&fields=id");
my $links = $page->{json}{links};
like($links->{next}, qr{^\Q$dataset\E/tags\?fields=id&limit=2&skip=2&}, 'a related list leads to its own pages');
is_deeply([ map { $_->{id} } map { @{ $_->{json}{data} } } $page, map { $service->follow($links->{$_}) } 'next', 'last' ], [ @tags[ 0 .. 4 ] ], 'which are there');
ok(!exists $links->{firstItem}, 'and has no first item');

# they begin with the host that is asked, where links may be made from it, whatever was asked before
my ($own) = $service->get('/health')->{json}{links}{self} =~ m{^(http://[^/]+)};
my @hosts = (
	[ 'localhost', 'http://localhost' ], [ 'localhost:81', 'http://localhost:81' ], [ 'localhost:81x', $own ],
	[ 'LocalHost', 'http://LocalHost' ], [ 'localhost.example.org', $own ], [ 'example.org', $own ], [ '', $own ],
	[ 'localhost', 'http://localhost' ], [ 'localhost', 'http://localhost' ], [ '[::1]:8080', 'http://[::1]:8080' ],
	[ 'localhost' . '0' x 300, $own ], [ 'localhost:' . '0' x 300, 'http://localhost:' . '0' x 300 ], [ 'localhost', 'http://localhost' ],
);
my $asked = $service->raw(join('', map { "GET /health HTTP/1.1\r\nHost: $_->[0]\r\n\r\n" } @hosts), wanted => scalar @hosts);
is($Catalogue::Test::json->decode($asked->{replies}[$_]{body})->{links}{self}, "$hosts[$_][1]/health", 'Host: ' . substr $hosts[$_][0], 0, 40)
	for 0 .. $#hosts;

$service->finish;
