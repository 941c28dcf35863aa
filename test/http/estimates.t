#!/usr/bin/perl
# Numbers that take long to count: JSON with estimate=true, and pages, come without them, and say so; the page with all
# of them is one link away.

use strict;
use warnings;
use utf8;

use Test::More;
use Catalogue::Test;
use Catalogue::Definition;
use Encode qw(decode_utf8);

my $service = Catalogue::Test->start->as_admin;
# every number takes long
$service->sql("ALTER DATABASE $service->{database} SET catalogue.facets_exact = 0");
is($service->stop_shim, 0, 'the setting applies to new connections');
$service->start_shim;

my $definition = Catalogue::Definition->new($service);
my $published  = $service->sql("SELECT id FROM catalogue.states() WHERE state = 'published'");
my $tag        = $definition->create('tags', name => 'lake');
my $office     = $definition->create('organizations', name => 'Office of lakes');
$definition->create('datasets', name => "Lake $_", description => 'Depths of a lake', status => $published,
	visible => \1, tags => [$tag], organization => $office, optionals => { license => 'CC0' })
	for 1 .. 25;

# a search that nobody has counted: no connection knows the number of its words
my $words = 0;
sub query { return 'query=' . join '+', ('lake') x ++$words }

sub told { my ($query) = @_; return $service->get("/datasets?$query", Authorization => undef) }

sub page
{
	my ($path) = @_;
	my $reply = $service->get($path =~ s/&amp;/&/gr, Accept => 'text/html', Authorization => undef);
	is($reply->{status}, 200, "$path: a page") or diag $reply->{body};
	return decode_utf8($reply->{body});
}
sub has   { my ($html, $pattern, $what) = @_; return ok($html =~ $pattern, $what) }
sub lacks { my ($html, $pattern, $what) = @_; return ok($html !~ $pattern, $what) }

# JSON: no number that is none, and the links of a list whose end is not known
my $query = query();
my $reply = told("$query&limit=10&facets=tags,license&estimate=true");
my %meta  = %{ $reply->{json}{meta} };
is($reply->{status}, 206, 'an estimate: a part');
is_deeply([ @meta{qw(count pages estimate page start end)} ], [ undef, undef, 25, 1, 1, 10 ], 'an estimate: meta');
is_deeply($meta{facets}, { map { $_ => { values => [], rest => undef } } qw(tags license) }, 'an estimate: facets');
is_deeply($meta{ignored}, undef, 'an estimate: a parameter that is known');
is($reply->{headers}{'content-range'}, 'items 0-9/*', 'an estimate: Content-Range');
my %links = %{ $reply->{json}{links} };
is_deeply([ grep { exists $links{$_} } qw(first previous next last firstItem lastItem) ], [qw(next firstItem lastItem)],
	'an estimate: links');
like($links{next}, qr{estimate=true}, 'an estimate: the next page has one, too');
my $last = $service->get($links{next} =~ s/^\Q$service->{base}//r =~ s/limit=10&skip=10/limit=10&skip=20/r,
	Authorization => undef);
is_deeply([ @{ $last->{json}{meta} }{qw(count pages)}, scalar @{ $last->{json}{data} } ], [ 25, 3, 5 ],
	'the last page knows the number');
my $behind = told("$query&limit=10&skip=30&estimate=true")->{json};
is_deeply([ @{ $behind->{meta} }{qw(count estimate start end)}, $behind->{data} ], [ undef, 25, 0, 0, [] ],
	'behind the end');
is_deeply([ grep { exists $behind->{links}{$_} } qw(first previous next last) ], [qw(first previous)],
	'behind the end: links');
is(told("$query&estimate=some")->{status}, 422, 'neither true nor false');
is(told("$query&limit=10")->{json}{meta}{count}, 25, 'without an estimate: the number');
is_deeply([ @{ told("$query&limit=5&estimate=true")->{json}{meta} }{qw(count estimate)} ], [ 25, undef ],
	'the number is known then');
$reply = $service->get('/search?' . query() . '&resources=datasets,tags&limit=2&estimate=true', Authorization => undef);
is_deeply([ $reply->{status}, @{ $reply->{json}{meta} }{qw(count estimate)}, $reply->{headers}{'content-range'} ],
	[ 206, undef, 26, 'items */*' ], 'a search in all resources');
is($service->head('/datasets?' . query() . '&limit=2&estimate=true')->{status}, 206, 'HEAD');

# pages: about the number, a way to all numbers, and what the list is narrowed to by its name
$query = query();
my $html = page("/datasets?$query&tags=$tag&condition=AND");
has($html, qr{<p class="count">approximately <strong>25</strong>}, 'a page: about the number');
has($html, qr{<aside class="facets"><h2>[^<]*</h2><p class="muted">These numbers take long}, 'a page: no facets');
has($html, qr{title="Remove this filter">Tags: <bdi>lake</bdi>}, 'a page: what it is narrowed to has its name');
lacks($html, qr{<a rel="last"}, 'a page: no last one');
has($html, qr{aria-current="page">Page 1</span>}, 'a page: its number');
my ($exact) = $html =~ m{<a class="exact" rel="nofollow" href="([^"]*)"};
like($exact, qr{tags=$tag.*exact=true}, 'a page: the way to all numbers');
$html = page($exact);
has($html, qr{<p class="count"><strong>25</strong>}, 'all numbers: that of the list');
has($html, qr{<aside class="facets">.*Office of lakes</bdi></a> <span class="muted">25<}s, 'all numbers: the facets');
has($html, qr{aria-current="page">Page 1 / 2</span>.*<a rel="last"}s, 'all numbers: the pages');
lacks($html, qr{exact=true|class="exact"}, 'all numbers: no link has to have them again');

# the page of a record with a list of datasets, and a search in all resources
$html = page("/organizations/$office");
has($html, qr{<p class="muted">These numbers take long}, 'of an organization: no facets');
($exact) = $html =~ m{<a class="exact" rel="nofollow" href="([^"]*)"};
is($exact, "/organizations/$office?exact=true", 'of an organization: the way to all numbers');
$html = page($exact);
has($html, qr{<aside class="facets">.*lake</bdi></a> <span class="muted">25<}s, 'of an organization: the facets');
has(page('/search?' . query()), qr{<p class="count">approximately <strong>27</strong>.*<a class="exact"},
	'a search in all resources: about the number');
has(page('/search?' . query() . '&exact=true'), qr{<p class="count"><strong>27</strong>},
	'a search in all resources: the number');

$service->finish;
