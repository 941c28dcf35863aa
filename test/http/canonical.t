#!/usr/bin/perl
# One canonical address a record: the one by its id, on each of its pages, in the sitemap, the feed, DCAT and the
# structured data, however the page was asked for.

use strict;
use warnings;

use Test::More;
use Catalogue::Test;
use Catalogue::Definition;

my $service    = Catalogue::Test->shared->as_admin;
my $definition = Catalogue::Definition->new($service);

# The canonical address of a page.
sub canonical
{
	my ($path) = @_;
	my $reply = $service->get($path, Accept => 'text/html');
	is($reply->{status} =~ /^20[06]$/, 1, "$path: a page");
	my @links = $reply->{body} =~ /<link rel="canonical" href="([^"]*)">/g;
	is(scalar @links, 1, "$path: one canonical address");
	return $links[0];
}

my @resources = grep { my $r = $_; grep { $_->{name} eq 'slug' } $definition->fields($r) } $definition->writable;
for my $resource (@resources)
{
	my $id   = $definition->create($resource);
	my $slug = $service->get("/$resource/$id")->{json}{data}{slug};
	my $one  = "$service->{base}/$resource/$id";
	is(canonical($_), $one, $_) for "/$resource/$id", "/$resource/$slug", "/$resource/$slug?utm_source=x&y",
		"/$resource/$id?fields=name&lang=es", "/" . uc($resource) . "/$id";
	is($service->get("/$resource/$slug")->{json}{links}{self}, $one, "$resource: the link of the API is the same");
	my $list = $service->get("/$resource?limit=100", Accept => 'text/html')->{body};
	like($list, qr{href="/$resource/$id["?]}, "$resource: its page links the id")
		if $list =~ m{href="/$resource/[0-9A-Za-z]{15}["?]} && $resource ne 'filetypes';
	unlike($list, qr{href="/$resource/\Q$slug\E["?]}, "$resource: and not the slug");
}

# a dataset in all that crawlers read
my $dataset = $definition->create('datasets', name => 'One address', status => 'qWRhpRV');
my $one     = "$service->{base}/datasets/$dataset";
my $slug    = $service->get("/datasets/$dataset")->{json}{data}{slug};
my $version = $service->get('/datasets')->{json}{meta}{version};
is(canonical("/datasets/$slug?version=$version"), $one, 'of an earlier instant: the present address');
my ($data) = $service->get("/datasets/$slug?utm_source=x", Accept => 'text/html')->{body}
	=~ m{<script type="application/ld\+json">(.*?)</script>}s;
is($service->get("/datasets/$slug?utm_source=x", Accept => 'text/html')->{body} =~ m{"\@id":\s*"\Q$one\E"}
	&& $data =~ m{"url":\s*"\Q$one\E"}, 1, 'structured data') or diag($data);
my $sitemap = $service->get('/sitemap.xml')->{body};
like($sitemap, qr{<loc>\Q$one\E</loc>}, 'sitemap');
unlike($sitemap, qr{/datasets/\Q$slug\E<}, 'sitemap: not by the slug');
like($service->get('/datasets/feed/rss?name=One+address')->{body}, qr{<link>\Q$one\E</link>}, 'feed');
my ($entry) = grep { $_->{title} eq 'One address' } @{ $service->get('/data.json?name=One+address')->{json}{dataset} };
is($entry->{landingPage}, $one, 'DCAT-US: the landing page');
for my $path ('/catalog?name=One+address', "/datasets/$slug")
{
	my $turtle = $service->get($path, Accept => 'text/turtle')->{body};
	like($turtle, qr{<\Q$one\E>\s+a dcat:Dataset }, "$path in DCAT: the IRI of the dataset");
	unlike($turtle, qr{dcat:landingPage}, 'which leads to its page, so that no landing page is told');
}

# lists: what means something to them stays
is(canonical('/datasets?utm_source=x&utm_medium=y'), "$service->{base}/datasets", 'a list');
is(canonical('/datasets?name=One&utm_source=x&skip=0'), "$service->{base}/datasets?name=One&amp;skip=0",
	'a filtered list');
is(canonical("/datasets/$slug/files?utm_source=x"), "$one/files", 'a related list');
is(canonical('/?utm_source=x'), "$service->{base}/", 'the start page');

$service->finish;
