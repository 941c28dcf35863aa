#!/usr/bin/perl
# The feed of datasets: RSS 2.0 under two paths, the same for every caller.

use strict;
use warnings;

use Test::More;
use Catalogue::Test;
use Catalogue::Definition;

my $service    = Catalogue::Test->shared->as_admin;
my $definition = Catalogue::Definition->new($service);
my $published  = 'qWRhpRV';

my @ids  = map { $definition->create('datasets', name => "Feed $_ & <co>", status => $published) } 1 .. 3;
my $feed = $service->get('/datasets/feed/rss?name=Feed');

is($feed->{status},                  200,                                  'the feed is served');
is($feed->{headers}{'content-type'}, 'application/rss+xml; charset=utf-8', 'the type of the feed');
like($feed->{body}, qr{^<\?xml version="1.0" encoding="UTF-8"\?>\n<rss version="2.0" }, 'the feed is RSS 2.0');
is_deeply([ $feed->{body} =~ m{<guid isPermaLink="false">(\w+)</guid>}g ], [ reverse @ids ],
	'the newest dataset is first');
my ($link) = $feed->{body} =~ m{<item>.*?<link>([^<]*)</link>};
is($service->follow($link)->{json}{data}{id}, $ids[2], 'the link of an item is that of its dataset');
my ($self) = $feed->{body} =~ m{<atom:link href="([^"]*)" rel="self"};
is($service->follow($self =~ s/&amp;/&/gr)->{body}, $feed->{body}, 'the feed has a link to itself');
is($service->get('/RSS?name=Feed')->{body}, $feed->{body}, 'the feed has a short path');
is($service->get('/rss?name=Feed', Authorization => undef)->{body}, $feed->{body}, 'outsiders get the same feed');
is($service->get('/rss?name=feed&limit=2&skip=2')->{body} =~ m{<guid[^>]*>(\w+)<}, 1, 'the last page has one item');
is($1, $ids[0], 'the last page has the oldest dataset');

# types
is($service->get('/rss', Accept => $_)->{status}, 200, "Accept: $_: served") for 'application/rss+xml', '*/*',
	'text/html, application/*;q=0.5', '';
for my $accept ('application/json', 'text/plain', 'application/rss+xml;q=0', 'application/xml')
{
	my $reply = $service->get('/rss', Accept => $accept);
	is($reply->{status},     406,                "Accept: $accept: not acceptable");
	is($reply->{json}{code}, 'E_NOT_ACCEPTABLE', "Accept: $accept: the common error format");
}
is($service->get('/tags/first', Accept => 'application/rss+xml')->{status}, 406, 'no other path is RSS');

# conditions and methods
my $head = $service->head('/datasets/feed/rss?name=Feed');
is($head->{status}, 200, 'HEAD');
is($head->{headers}{$_}, $feed->{headers}{$_}, "HEAD: the same $_") for qw(content-type content-length etag);
my $again = $service->get('/datasets/feed/rss?name=Feed', 'If-None-Match' => $feed->{headers}{etag});
is($again->{status}, 304, 'If-None-Match with the current tag: 304');
is($service->patch("/datasets/$ids[1]", { description => 'changed' })->{status}, 200, 'a dataset is changed');
is($service->get('/datasets/feed/rss?name=Feed', 'If-None-Match' => $feed->{headers}{etag})->{status}, 200,
	'then the feed has another tag');
is($service->patch("/datasets/$ids[2]/unpublish")->{status}, 200, 'a dataset is no longer published');
unlike($service->get('/rss')->{body}, qr/$ids[2]/, 'then the feed does not have it');
is($service->request($_, '/datasets/feed/rss', {})->{status}, 405, "$_ is not allowed") for qw(POST PATCH DELETE);
my ($entry) = @{ $service->options('/rss')->{json}{methods} };
is($entry->{headers}{Accept}, 'application/rss+xml', 'OPTIONS names the type');
is($entry->{parameters}{limit}{max}, 100, 'OPTIONS names the limit');

# invalid values; outsiders on a private service
is($service->get("/rss?$_")->{status}, 422, "?$_: refused") for 'limit=x', 'skip=-1', 'condition=xor';
is($service->get('/rss', Authorization => 'Bearer nonsense')->{status}, 401, 'a bad credential is refused');
my $private = Catalogue::Test->shared('private');
is($private->get('/rss')->{status}, 401, 'the feed of a private service needs a credential');
is($private->as_admin->get('/rss')->{status}, 200, 'a user gets the feed of a private service');
$private->end_service;

$service->finish;
