#!/usr/bin/perl
# Lists: the envelope, pages and the links between them, order, filters, parts of a record.

use strict;
use warnings;

use Test::More;
use Catalogue::Test;

my $service = Catalogue::Test->start->as_admin;
my $tags    = 43;

# names in the order of creation
my $seeded = $service->get('/tags/count')->{json}{data}{count};
for my $i (1 .. $tags)
{
	my $reply = $service->post('/tags', { name => sprintf 'page %03d', $i });
	die("POST /tags: $reply->{status} $reply->{body}") unless $reply->{status} == 201;
}
my $all = $seeded + $tags;

sub names { my ($reply) = @_; return map { $_->{name} } @{ $reply->{json}{data} } }

# the first page: 20 records, status 206, its position
my $first = $service->get('/tags');
is($first->{status}, 206, 'a page that is not all is 206');
my %meta = %{ $first->{json}{meta} };
my $instant = delete $meta{version};
delete $meta{message};
is_deeply(\%meta, { code => 'PARTIAL_CONTENT', count => $all, limit => 20, start => 1, end => 20, page => 1,
	pages => int(($all + 19) / 20) },
	'meta has the position of the page');
like($instant, qr/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/, 'version is an instant in microseconds');
is($first->{headers}{'content-range'}, "items 0-19/$all", 'Content-Range has the position of the page');
is(ref $first->{json}{data}, 'ARRAY', 'data is an array');

# following links: every record once, forwards and backwards, with the other parameters kept
my $path = '/tags?name=page&match=BEGINS&fields=name&limit=7&orderBy=name';
my $page = $service->get($path);
my (@walked, @pages);
while (1)
{
	push @walked, names($page);
	push @pages, $page;
	my $next = $page->{json}{links}{next} // last;
	like($next, qr/name=page/,    'next keeps the filter');
	like($next, qr/match=BEGINS/, 'next keeps the match');
	like($next, qr/fields=name/,  'next keeps the fields');
	like($page->{headers}{link}, qr/<\Q$next\E>;\s*rel="?next"?/, 'next is in the Link header too');
	$page = $service->follow($next);
}
is_deeply(\@walked, [ map { sprintf 'page %03d', $_ } 1 .. $tags ],
	'following next yields every record once, in order');
is(scalar @pages, 7, 'there are seven pages');
is($pages[$_]{json}{meta}{page}, $_ + 1, 'page ' . ($_ + 1)) for 0 .. $#pages;
my @back;
for (my $at = $pages[-1]; $at;
	$at = $at->{json}{links}{previous} ? $service->follow($at->{json}{links}{previous}) : undef)
{
	unshift @back, names($at);
}
is_deeply(\@back, \@walked, 'following previous yields the same records');
is_deeply([ names($service->follow($pages[3]{json}{links}{first})) ], [ names($pages[0]) ],  'first is the first page');
is_deeply([ names($service->follow($pages[3]{json}{links}{last})) ],  [ names($pages[-1]) ], 'last is the last page');
is($service->follow($pages[0]{json}{links}{firstItem})->{status}, 200, 'firstItem is a record');
is($service->follow($pages[0]{json}{links}{lastItem})->{status},  200, 'lastItem is a record');
like($service->follow($pages[0]{json}{links}{all})->{status}, qr/^20[06]$/, 'all is a list');
ok(!exists $pages[0]{json}{links}{previous}, 'the first page has no previous');
ok(!exists $pages[-1]{json}{links}{next},    'the last page has no next');

# a page with all records is 200; an empty result is an empty list
my $whole = $service->get('/tags?limit=1000');
is($whole->{status}, 200, 'all on one page is 200');
is($whole->{json}{meta}{code}, 'OK', 'all on one page has code OK');
is(scalar @{ $whole->{json}{data} }, $all, 'all on one page has all records');
ok(!exists $whole->{headers}{'content-range'}, 'all on one page has no Content-Range');
my $nothing = $service->get('/tags?name=nonesuch&match=EXACT');
is($nothing->{status}, 200, 'an empty result is 200');
is_deeply($nothing->{json}{data}, [], 'an empty result is an empty list');
is_deeply([ @{ $nothing->{json}{meta} }{qw(count start end pages)} ], [ 0, 0, 0, 0 ], 'an empty result has count 0');

# limit and skip
is($service->get('/tags?limit=0')->{json}{meta}{limit}, 20, 'limit 0 is the default');
is($service->get('/tags?limit=99999999')->{json}{meta}{limit}, 10000,
	'a greater limit is reduced to the maximum, which meta shows');
is($service->get("/tags?limit=5&skip=$all")->{json}{meta}{start}, 0, 'a page after the end is empty');
for ('limit=-1', 'limit=x', 'limit=1.5', 'skip=-1', 'skip=x', 'sort=UP', 'orderBy=nonesuch', 'match=SOUNDS',
	'condition=XOR')
{
	my $reply = $service->get("/tags?$_");
	is($reply->{status}, 422, "$_ is refused");
	is($reply->{json}{code}, 'E_UNPROCESSABLE_ENTITY', "$_: the error code");
}

# order
is_deeply([ names($service->get('/tags?name=page&orderBy=name&sort=DESC&limit=3')) ],
	[ 'page 043', 'page 042', 'page 041' ], 'sort DESC');
is_deeply([ names($service->get('/tags?name=page&orderBy=name&sort=asc&limit=2')) ],  [ 'page 001', 'page 002' ],
	'sort in any letter case');
is_deeply([ names($service->get('/tags?name=page&limit=2')) ], [ 'page 001', 'page 002' ],
	'by creation without orderBy');
is(($service->get('/tags/first')->{json}{data}{id}), $whole->{json}{data}[0]{id},  'first is the first of the list');
is(($service->get('/tags/last')->{json}{data}{id}),  $whole->{json}{data}[-1]{id}, 'last is the last of the list');

# filters
sub found { my ($query) = @_; return $service->get("/tags/count?$query")->{json}{data}{count} }
is(found('name=page'), $tags, 'a filter matches anywhere');
is(found('name=PAGE'), $tags, 'a filter ignores case');
is(found('name=p%C3%A1ge'), $tags, 'a filter ignores accents');
is(found('name=page+01'), 10, 'a plus sign is a space');
is(found('name=page%20001&match=EXACT'), 1, 'EXACT matches the whole');
is(found('name=001&match=ENDS'), 1, 'ENDS matches the end');
is(found('name=001&match=BEGINS'), 0, 'BEGINS matches the beginning');
is(found('name=page%20001,page%20002'), 2, 'values separated by commas are alternatives');
is(found('name=%25'), 0, 'a per cent sign is a plain character');
is(found('name=page_001'), 0, 'an underscore is a plain character');
is(found('name=page%20001&slug=page-002&condition=OR'),  2, 'OR: any filter holds');
is(found('name=page%20001&slug=page-002'), 2, 'OR is the default condition');
is(found('name=page%20001&slug=page-002&condition=AND'), 0, 'AND: all filters hold');
is(found("name=page%20001'%20OR%20'1'='1"), 0, 'a quote is a plain character');
is(found("createdBy=$service->{admin}&name=page&condition=and"), $tags, 'a foreign key is compared by its id');
is(found('createdBy=null'), 0, 'null matches a field without a value');

# names that are not fields are ignored and reported
my $ignored = $service->get('/tags?nonesuch=1&colour=2');
is($ignored->{json}{meta}{count}, $all, 'unknown names are ignored');
is_deeply([ sort @{ $ignored->{json}{meta}{ignored} } ], [qw(colour nonesuch)], 'ignored names are reported');

# secret fields cannot be used to find out their values
my $users = $service->get('/users/count')->{json}{data}{count};
is($service->get('/users/count?password=%24y&match=BEGINS')->{json}{data}{count}, $users, 'a password is not a filter');
is($service->get('/users?orderBy=password')->{status}, 422, 'a password is not an order');
ok(!exists $service->get('/users?fields=password,username')->{json}{data}[0]{password}, 'a password is not in fields');

# fields and included records
is_deeply([ sort keys %{ $service->get('/tags?fields=name&limit=1')->{json}{data}[0] } ], [qw(id name)],
	'fields selects fields, and id is always included');
is_deeply([ sort keys %{ $service->get('/tags?fields=nonesuch&limit=1')->{json}{data}[0] } ], ['id'],
	'unknown fields are ignored');
is($service->get('/tags?include=createdBy&limit=1')->{json}{data}[0]{createdBy}{username}, 'admin', 'include embeds');
is($service->get('/tags?limit=1')->{json}{data}[0]{createdBy}, $service->{admin},
	'without include a relation is an id');
is($service->get('/tags?include=nonesuch')->{status}, 400, 'an unknown include is refused');

# facets: in meta of lists, searches and relations, the same on each page and when the page comes from the cache
my $facets = $service->get('/datasets?facets=status,tags&limit=1&fields=name');
is_deeply($facets->{json}{meta}{facets}{status},
	{ values => [ { id => 'qWRhpRV', name => 'Published', count => $facets->{json}{meta}{count} } ], rest => 0 },
		'a facet counts records');
ok(!exists $service->get('/datasets?limit=1')->{json}{meta}{facets}, 'no facets unless they are asked for');
is_deeply($service->get('/datasets?facets=status,tags&limit=1&fields=name')->{json}{meta}{facets},
	$facets->{json}{meta}{facets}, 'facets once more');
my $further = $service->follow($facets->{json}{links}{next});
is_deeply($further->{json}{meta}{facets}, $facets->{json}{meta}{facets}, 'the next page has the same facets');
my ($tag, $total) = @{ $facets->{json}{meta}{facets}{tags}{values}[0] }{qw(id count)};
is($service->get("/datasets/count?tags=$tag")->{json}{data}{count}, $total,
	'the count is that of the list with the value as a filter');
is($service->get("/tags/$tag/datasets?facets=status")->{json}{meta}{facets}{status}{values}[0]{count}, $total,
	'facets of a relation');
is($service->get('/datasets/search?query=nonesuch&facets=tags')->{json}{meta}{facets}{tags}{rest}, 0,
	'facets of a search');
is($service->patch("/tags/$tag", { name => 'renamed "tag"' })->{status}, 200, 'a tag is renamed');
my $renamed = $service->get('/datasets?facets=status,tags&limit=1&fields=name');
isnt($renamed->{headers}{etag}, $facets->{headers}{etag}, 'the entity tag depends on the names in facets');
is((grep { $_->{id} eq $tag } @{ $renamed->{json}{meta}{facets}{tags}{values} })[0]{name}, 'renamed "tag"',
	'facets have the new name');
is($service->get('/datasets?facets=nonesuch')->{json}{code}, 'E_UNPROCESSABLE_ENTITY', 'an unknown facet is refused');
is($service->get('/datasets?facets=tags', Accept => 'text/csv')->{status}, 200, 'CSV has no facets');
is($service->head('/datasets?facets=tags')->{headers}{'content-length'},
	$service->get('/datasets?facets=tags')->{headers}{'content-length'},
	'HEAD counts facets, too');

# HEAD is GET without a body
for ('/tags', '/tags/first', '/tags/count', "/tags/$whole->{json}{data}[0]{id}", '/tags/zzzzzzzzzzzzzzz')
{
	my ($get, $head) = ($service->get($_), $service->head($_));
	is($head->{status}, $get->{status}, "HEAD $_: the status of GET");
	is($head->{body}, '', "HEAD $_: no body");
	is($head->{headers}{'content-type'}, $get->{headers}{'content-type'}, "HEAD $_: the type of GET");
	is($head->{headers}{'content-length'}, $get->{headers}{'content-length'}, "HEAD $_: the length of GET");
}

$service->finish;
