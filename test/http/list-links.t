#!/usr/bin/perl
# The links of a list, in the body and in the header Link (RFC 8288): the parameters of the request in
# their order, then those of the page, each once.

use strict;
use warnings;

use Test::More;
use Catalogue::Client qw($json);
use Catalogue::Test;
use Catalogue::Definition;

my $service = Catalogue::Test->shared->as_admin;

for my $i (1 .. 9)
{
	my $reply = $service->post('/tags', { name => sprintf 'link %d', $i });
	die("POST /tags: $reply->{status} $reply->{body}") unless $reply->{status} == 201;
}

my %relations = (first => 'first', previous => 'prev', next => 'next', last => 'last');
my @page      = qw(limit skip version after before);

# The parameters in a link, with those of the page separately.
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

# each link of each page of a walk to the end and back
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
			is(join('&', @$kept), $query, "$at: $name keeps the parameters in their order");
			is_deeply([ map { scalar @{ $page->{$_} // [] } } qw(limit skip version) ], [ 1, 1, 1 ],
				"$at: $name has each parameter of the page once");
			my @keys = grep { $page->{$_} } qw(after before);
			my ($may) = { next => 'after', previous => 'before' }->{$name} // '';
			is_deeply([ grep { $_ ne $may || @{ $page->{$_} } != 1 } @keys ], [], "$at: $name has no other cursor");
		}
		is($reply->{headers}{link},
			join(', ', map { "<$links{$_}>; rel=\"$relations{$_}\"" } grep { $links{$_} } qw(first previous next last)),
			"$at: the header has the same links, by their registered names");
		last unless $links{$way};
		$reply = $service->follow($links{$way});
	}
}

# a page with all records has no links to other pages
my $whole = $service->get('/tags?limit=1000');
is_deeply([ grep { $relations{$_} } keys %{ $whole->{json}{links} } ], [], 'all on one page: no link to another');
ok(!exists $whole->{headers}{link}, 'all on one page: no header');

# a page whose start is not a multiple of the limit
my $odd = $service->get('/tags?name=link&limit=4&skip=3')->{json}{links};
is((words($odd->{previous}))[1]{limit}[0], 3, 'the previous page does not overlap this page');
is((words($odd->{previous}))[1]{skip}[0], 0, 'the previous page begins at the first record');
is((words($odd->{next}))[1]{skip}[0], 7, 'the next page begins after this page');
my $beyond = $service->get('/tags?name=link&limit=4&skip=100')->{json}{links};
is((words($beyond->{previous}))[1]{skip}[0], 8, 'from beyond the end the previous page is the last one');
ok(!exists $beyond->{next}, 'from beyond the end there is no next page');

# related lists
my $definition = Catalogue::Definition->new($service);
my @tags = map { $_->{id} } @{ $service->get('/tags?name=link')->{json}{data} };
my $dataset = $service->post('/datasets',
	{ %{ $definition->record('datasets') }, tags => [ @tags[ 0 .. 4 ] ] })->{json}{links}{record};
my $page = $service->follow("$dataset/tags?limit=2&fields=id");
my $links = $page->{json}{links};
like($links->{next}, qr{^\Q$dataset\E/tags\?fields=id&limit=2&skip=2&}, 'a related list has links to its own pages');
is_deeply([ map { $_->{id} } map { @{ $_->{json}{data} } } $page, map { $service->follow($links->{$_}) } 'next',
	'last' ], [ @tags[ 0 .. 4 ] ], 'the pages of a related list have its records');
ok(!exists $links->{firstItem}, 'a related list has no firstItem');

# links begin with the host of the request, if it is allowed, whatever the requests before were
my ($own) = $service->get('/health')->{json}{links}{self} =~ m{^(http://[^/]+)};
my @hosts = (
	[ 'localhost', 'http://localhost' ], [ 'localhost:81', 'http://localhost:81' ], [ 'localhost:81x', $own ],
	[ 'LocalHost', 'http://LocalHost' ], [ 'localhost.example.org', $own ], [ 'example.org', $own ], [ '', $own ],
	[ 'localhost', 'http://localhost' ], [ 'localhost', 'http://localhost' ], [ '[::1]:8080', 'http://[::1]:8080' ],
	[ 'localhost' . '0' x 300, $own ], [ 'localhost:' . '0' x 300, 'http://localhost:' . '0' x 300 ],
		[ 'localhost', 'http://localhost' ],
);
my $asked = $service->raw(join('', map { "GET /health HTTP/1.1\r\nHost: $_->[0]\r\n\r\n" } @hosts),
	wanted => scalar @hosts);
is($json->decode($asked->{replies}[$_]{body})->{links}{self}, "$hosts[$_][1]/health",
	'Host: ' . substr $hosts[$_][0], 0, 40)
	for 0 .. $#hosts;

$service->finish;
