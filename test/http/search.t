#!/usr/bin/perl
# Search over HTTP: in one resource and in all of them, the envelopes, and the links.

use strict;
use warnings;
use utf8;

use Test::More;
use Catalogue::Definition;
use Catalogue::Test;

my $service = Catalogue::Test->shared->as_admin;

for my $i (1 .. 25)
{
	my $reply = $service->post('/tags', { name => sprintf 'searched %02d', $i });
	die("POST /tags: $reply->{status} $reply->{body}") unless $reply->{status} == 201;
}
$service->post('/views', { name => 'Ñandúes searched' });

sub names { my ($reply) = @_; return map { $_->{name} } @{ $reply->{json}{data} } }

# in one resource: a list like any other, with its own path
my $page = $service->get('/tags/search?query=searched&limit=10&fields=name');
is($page->{status}, 206, 'a page that is not all is 206');
is($page->{headers}{'content-range'}, 'items 0-9/25', 'Content-Range');
is($page->{json}{meta}{count}, 25, 'count is the number of all matches');
my @walked = names($page);
for (my $next = $page->{json}{links}{next}; $next; $next = $page->{json}{links}{next})
{
	like($next, qr{/tags/search\?query=searched&fields=name&}, 'next has the same search');
	$page = $service->follow($next);
	push @walked, names($page);
}
is_deeply(\@walked, [ map { sprintf 'searched %02d', $_ } 1 .. 25 ], 'following next gives every match once');
like($page->{json}{links}{first}, qr{/tags/search\?}, 'first has the same search');
is($service->follow($page->{json}{links}{firstItem})->{json}{data}{name}, 'searched 01', 'firstItem');
is($service->follow($page->{json}{links}{lastItem})->{json}{data}{name},  'searched 25', 'lastItem');
is($service->get('/Tags/Search?query=searched+07')->{json}{data}[0]{name}, 'searched 07',
	'any letter case in the path; the exact match first');
is($service->get('/tags?query=searched')->{json}{meta}{count}, 25, 'the list takes query');
is($service->get('/tags/count?query=searched')->{json}{data}{count}, 25, 'count takes query');
is($service->get('/tags/search?query=nothing+of+this&condition=AND')->{status}, 200, 'an empty result is 200');
is_deeply($service->get('/tags/search?query=nothing+of+this&condition=AND')->{json}{data}, [],
	'an empty result has an empty array');
is_deeply($service->get('/statistics/search?query=GET')->{json}{data}, [],
	'a resource without searchable fields has no matches');

# a query that is encoded once or twice
is_deeply([ names($service->get("/views/search?query=$_")) ], ['Ñandúes searched'], $_)
	for qw(%C3%91and%C3%BA %25C3%2591AND%25C3%259A nandues Nand%C3%BA%20sear);
is_deeply([ names($service->get('/views/search?query=%25C3%2591and%25')) ], [],
	'a query that is encoded twice only in part is decoded once');

# a search that starts after a write finds it, on any connection
for my $i (1 .. 30)
{
	$service->post('/tags', { name => "fresh $i" });
	is($service->get("/tags/search?query=fresh+$i&match=EXACT")->{json}{meta}{count}, 1, "found after the write: $i");
}

# a title as users type it, among many titles with one of its words
{
	my $definition = Catalogue::Definition->new($service);
	$definition->create('datasets', name => "Air quality in $_") for 2015 .. 2020;
	$definition->create('datasets', name => "Budget in 2020, part $_") for 1 .. 20;
	for my $words ('Air%20quality%20in%202020', 'Air+quality+in+2020', '2020+air%20QUALITY',
		'Air%2520quality%2520in%25202020')
	{
		my $reply = $service->get("/datasets/search?query=$words&condition=OR&orderBy=name");
		is_deeply([ names($reply) ], ['Air quality in 2020'], "$words: found on the first page");
	}
	is($service->get('/datasets/search?query=Air,quality,in,2020&condition=OR')->{json}{meta}{count}, 26 + $service->sql(
		q(SELECT count(*) FROM catalogue.datasets WHERE name !~ '(^Air quality in|^Budget in 2020,)' AND deleted_at IS NULL )
			. q(AND concat_ws(' ', name, description, slug) ~* 'air|quality|in|2020')),
		'commas separate terms');
}

# in all resources
my $all = $service->get('/search?query=searched&limit=5');
is($all->{status}, 206, 'a page that is not all is 206');
is($all->{headers}{'content-range'}, 'items */26', 'Content-Range has the number of matches');
my %meta = %{ $all->{json}{meta} };
like(delete $meta{version}, qr/^\d{4}-.*Z$/, 'version is an instant');
delete $meta{message};
is_deeply(\%meta, { code => 'PARTIAL_CONTENT', count => 26, limit => 5 }, 'meta');
is_deeply({ map { $_ => scalar @{ $all->{json}{data}{$_} } } keys %{ $all->{json}{data} } }, { tags => 5, views => 1 },
	'data has the resources with matches');
is_deeply([ sort keys %{ $all->{json}{links}{collections} } ], [qw(tags views)],
	'links are those of the search in each resource');
my $tags = $service->follow($all->{json}{links}{collections}{tags});
is_deeply([ $tags->{json}{meta}{count}, scalar names($tags) ], [ 25, 5 ], 'the link of a resource gives its matches');
is_deeply([ keys %{ $service->get('/search?query=searched&resources=views,charts')->{json}{data} } ], ['views'],
	'the parameter resources selects resources');
is($service->get('/search?query=searched&resources=views,charts')->{status}, 200, 'a page with all matches is 200');
is_deeply($service->get('/search?query=nowhere%2Dto%2Dbe%2Dfound')->{json}{data}, {},
	'an empty result is an empty object');
is_deeply($service->get('/search?query=searched&visible=true&orderBy=x')->{json}{meta}{ignored}, [qw(visible orderBy)],
	'unknown parameters are reported');
is($service->get('/search?query=searched', Prefer => 'relations=embedded')->{json}{data}{views}[0]{createdBy}{username},
	'admin', 'relations are embedded on request');

# invalid parameters
for my $bad (qw(resources=nothing match=LIKE condition=XOR limit=-1 skip=x version=yesterday))
{
	my $reply = $service->get("/search?query=a&$bad");
	is_deeply([ $reply->{status}, $reply->{json}{code} ], [ 422, 'E_UNPROCESSABLE_ENTITY' ], "$bad is 422");
}
is($service->get('/planets/search?query=a')->{status}, 404, 'an unknown resource is not found');
is($service->request('POST', '/search', {})->{status}, 405, 'POST is not allowed');
is($service->get('/search/tags')->{status}, 404, 'a path below search is not found');

# OPTIONS
my ($get) = grep { $_->{verb} eq 'GET' } @{ $service->request('OPTIONS', '/search')->{json}{methods} };
is_deeply([ sort keys %{ $get->{parameters} } ],
	[ sort qw(query resources match condition deleted limit skip version fields bbox estimate) ],
	'OPTIONS of the search in all resources');
($get) = grep { $_->{verb} eq 'GET' } @{ $service->request('OPTIONS', '/tags/search')->{json}{methods} };
ok($get->{parameters}{query} && $get->{parameters}{name} && $get->{parameters}{orderBy},
	'OPTIONS of the search in one resource');

$service->finish;
