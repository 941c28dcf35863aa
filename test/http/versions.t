#!/usr/bin/perl
# Versions over HTTP: the version in links, one instant for lists, items and counts, the versions of a record, and
# errors.

use strict;
use warnings;

use Test::More;
use Catalogue::Test;

my $service = Catalogue::Test->shared->as_admin;

sub make
{
	my ($name) = @_;
	my $reply = $service->post('/tags', { name => $name });
	return ($reply->{json}{links}{record} =~ m{([^/]+)$})[0] // die("POST /tags: $reply->{body}");
}
# the records of a list; an empty list when it was refused
sub records { my ($reply) = @_; return ref $reply->{json}{data} eq 'ARRAY' ? @{ $reply->{json}{data} } : () }
sub names   { my ($reply) = @_; return [ map { $_->{name} } records($reply) ] }

my @ids     = map { make("record $_") } 1 .. 5;
my $path    = '/tags?name=record&orderBy=name&limit=2';
my $page    = $service->get($path);
my $version = $page->{json}{meta}{version};
$service->patch("/tags/$ids[0]", { name => 'moved' });
$service->patch("/tags/$ids[0]", { name => 'record 9' });
$service->delete("/tags/$ids[3]");
make('record 0');

# each link of a page has the version of that page, and "version" alone gives the same
my $links = $page->{json}{links};
for ([ next => 'record 3', 'record 4' ], [ last => 'record 5' ])
{
	my ($link, @wanted) = @$_;
	like($links->{$link}, qr/[?&]version=\Q$version\E/, "$link has the version");
	my $reply = $service->follow($links->{$link});
	is_deeply(names($reply), \@wanted, "$link: the records as of the instant");
	is_deeply([ @{ $reply->{json}{meta} }{qw(version count)} ], [ $version, 5 ],
		"$link: version and count are those of the page");
	my $first = $service->follow($reply->{json}{links}{first});
	is_deeply(names($first), [ 'record 1', 'record 2' ], "$link: the link to the first page");
}
is_deeply(names($service->get("$path&skip=2&version=$version")), [ 'record 3', 'record 4' ],
	'skip computed by the client');
is_deeply(names($service->get('/tags?name=record&orderBy=name')), [ map { "record $_" } 0, 2, 3, 5, 9 ],
	'without version: the present records');
is($service->get("/tags/count?name=record&version=$version")->{json}{data}{count}, 5, 'the count as of the instant');
my $then_links = $service->get("$path&version=$version")->{json}{links};
is($service->follow($then_links->{firstItem})->{json}{data}{name}, 'record 1', 'firstItem as of the instant');
is($service->follow($then_links->{lastItem})->{json}{data}{name},  'record 5', 'lastItem as of the instant');
is($service->get("/tags/$ids[0]?version=$version")->{json}{data}{name}, 'record 1',
	'a changed record as of the instant');
is($service->get("/tags/$ids[3]?version=$version")->{json}{data}{name}, 'record 4',
	'a deleted record as of the instant');
is($service->get("/tags/$ids[3]")->{status}, 404, 'the deleted record does not exist now');

# two versions of a record have different entity tags
my ($then, $now) = map { $service->get($_)->{headers}{etag} } "/tags/$ids[0]?version=$version", "/tags/$ids[0]";
ok(!defined $then || $then ne $now, 'their entity tags differ');

# the versions of a record, newest first
my $states = $service->get("/tags/$ids[0]/versions");
is($states->{status}, 200, 'GET /tags/:id/versions');
is_deeply(names($states), [ 'record 9', 'moved', 'record 1' ], 'the versions, newest first');
is($states->{json}{meta}{count}, 3, 'count is the number of versions');
for my $state (records($states))
{
	like($state->{version}, qr/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/, "$state->{name}: version is an instant");
	my $item = $service->get("/tags/$ids[0]?version=$state->{version}")->{json}{data};
	delete $state->{version};
	is_deeply($item, $state, "$state->{name}: the record as of that version");
}
my $paged = $service->get("/tags/$ids[0]/versions?limit=1");
is($paged->{status}, 206, 'versions have pages');
is_deeply(names($service->follow($paged->{json}{links}{next} // "$service->{base}/")), ['moved'],
	'next gives the older version');

# errors
is($service->get('/tags/nothing/versions')->{status}, 404, 'an unknown record has no versions');
is($service->get("/nonesuch/$ids[0]/versions")->{status}, 404, 'an unknown resource has no versions');
is($service->request($_, "/tags/$ids[0]/versions", {})->{status}, 405, "$_ is not allowed on versions")
	for qw(POST PATCH DELETE);
for my $wrong ('yesterday', '2999-01-01T00:00:00Z', '2001-01-01T00:00:00Z')
{
	for my $of ('/tags', '/tags/count', "/tags/$ids[0]", '/tags/first')
	{
		my $reply = $service->get("$of?version=$wrong");
		is($reply->{status}, 422, "$of of $wrong: refused");
		is($reply->{json}{code}, 'E_UNPROCESSABLE_ENTITY', 'the error code');
	}
}
is($service->patch("/tags/$ids[0]?version=$version", { name => 'record 8' })->{status}, 200,
	'an update changes the present record');
is($service->get("/tags/$ids[0]")->{json}{data}{name}, 'record 8', 'whatever version its address has');

$service->finish;
