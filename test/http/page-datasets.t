#!/usr/bin/perl
# How a visitor narrows the datasets on the page: what cards tell; the pages of organizations, categories and tags are
# the list of their datasets, with facets, order, pages and a feed of their own.

use strict;
use warnings;
use utf8;

use Test::More;
use Catalogue::Test;
use Catalogue::Definition;
use Catalogue::Upload;
use Cpanel::JSON::XS ();
use Encode qw(decode_utf8);

my $service    = Catalogue::Test->shared->as_admin;
my $definition = Catalogue::Definition->new($service);
my $published  = $service->sql("SELECT id FROM catalogue.states() WHERE state = 'published'");

sub made { my ($resource, %fields) = @_; return $definition->create($resource, %fields) }

sub page
{
	my ($path, %headers) = @_;
	my $reply = $service->get($path =~ s/&amp;/&/gr, Accept => 'text/html', Authorization => undef, %headers);
	is($reply->{status}, 200, "$path: a page") or diag $reply->{body};
	return decode_utf8($reply->{body});
}

# Like like() and unlike(), without the page in the message.
sub has   { my ($html, $pattern, $what) = @_; return ok($html =~ $pattern, $what) }
sub lacks { my ($html, $pattern, $what) = @_; return ok($html !~ $pattern, $what) }

# The names on the cards of a page, in their order.
sub cards { my ($html) = @_; return [ $html =~ m{<li class="card"><h[23]><a href="[^"]*"><bdi>([^<]*)</bdi>}g ] }

# The address of the first link with this text.
sub link_to { my ($html, $text) = @_; return $html =~ m{<a[^>]* href="([^"]*)"[^>]*>\Q$text\E</a>} ? $1 : '' }

my $office   = made('organizations', name => 'Office of <b>Rivers</b>');
my $class    = made('categories', name => 'Rivers & lakes', active => Cpanel::JSON::XS::true);
my $part     = made('categories', name => 'Upper rivers', parent => $class);
my $tag      = made('tags', name => 'riverine');
my $unused   = made('tags', name => 'riverless');
my @datasets = map { made('datasets', name => sprintf('River %02d', $_), description => 'Its water',
	optionals => { issued => '2019', license => 'CC BY, <b>4</b>', spatial => 'Salto' }, status => $published,
	organization => $office, categories => [$class], subcategories => [$part], tags => [$tag]) } 1 .. 21;
my $other = made('datasets', name => 'River elsewhere', status => $published, tags => [$tag], categories => [$class]);
my $draft = made('datasets', name => 'River to come', organization => $office, categories => [$class]);

# lists of datasets begin with the newest, on the page only
{
	my $html = page('/datasets');
	is(cards($html)->[0], 'River elsewhere', 'the newest dataset is the first');
	has($html, qr{orderBy=createdAt&amp;sort=DESC" aria-current="true">Newest first}, 'and its order is marked');
	has($html, qr{<code>curl [^<]*/datasets\?orderBy=createdAt&amp;sort=DESC&#39;</code>}, 'which the call has, too');
	is(cards(page('/datasets?orderBy=createdAt'))->[0] eq 'River elsewhere', '', 'with an order it is that one');
	has(page('/datasets?orderBy=name'), qr{orderBy=name&amp;sort=ASC" aria-current="true">By name}, 'which is marked');
	my $search = page('/datasets/search?query=river');
	has($search, qr{query=river" aria-current="true">Most relevant}, 'a search is by relevance');
	has($search, qr{<code>curl [^<]*query=river&amp;match=WORDS&#39;</code>}, 'and the call searches for words');
	isnt($service->get('/datasets?limit=1')->{json}{data}[0]{id}, $other, 'JSON begins with the oldest');
	is_deeply(cards(page("/tags/$tag/datasets?limit=1")), ['River elsewhere'], 'so do the datasets of a record');
}

# each page is the list that its filter makes
for ([ organizations => $office, organization => 21 ], [ categories => $class, categories => 22 ],
	[ categories => $part, subcategories => 21 ], [ tags => $tag, tags => 22 ])
{
	my ($resource, $id, $filter, $count) = @$_;
	my $html = page("/$resource/$id");
	my $list = page("/datasets?$filter=$id");
	has($html, qr{<p class="count"><strong>$count</strong> <span>Datasets</span></p>}, "$filter: their number");
	is_deeply(cards($html), cards($list), "$filter: the cards of the list");
	is(scalar @{ cards($html) }, 20, "$filter: of its first page");
	lacks($html, qr{River to come}, "$filter: without drafts");
	my ($shown) = $html =~ m{<aside class="facets">(.*?)</aside>}s;
	has($shown, qr{href="/datasets\?$filter=$id&amp;condition=AND&amp;dataDate.year=2019}, "$filter: facets narrow it");
	lacks($shown, qr{[;?]$filter=(?!$id)}, "$filter: none of what it is of");
	is(link_to($html, 'By name'), "/datasets?$filter=$id&amp;orderBy=name&amp;sort=ASC", "$filter: ordered");
	is(cards(page(link_to($html, 'By name')))->[0], 'River 01', "$filter: by name");
	is(link_to($html, 'Next'), "/datasets?$filter=$id&amp;skip=20", "$filter: its next page");
	is(scalar @{ cards(page(link_to($html, 'Next'))) }, $count - 20, "$filter: has the others");
	is(link_to($html, 'Last'), link_to($html, 'Next'), "$filter: which is the last one");
	my $feed = "/datasets/feed/rss?$filter=$id";
	has($html, qr{<link rel="alternate" type="application/rss\+xml" href="\Q$feed\E"}, "$filter: a feed of its own");
	has($html, qr{<a href="\Q$feed\E">Feed of these datasets</a>}, "$filter: and a link to it");
	is(() = $service->get($feed)->{body} =~ /<item>/g, $count, "$filter: with its datasets");
	is(() = $html =~ /<h1>/g, 1, "$filter: one main heading");
	has(page("/$resource/$id?lang=es"), qr{href="/datasets\?$filter=$id&amp;skip=20&amp;lang=es"}, "$filter: in Spanish");
}
{
	my $slug = $service->get("/tags/$tag")->{json}{data}{slug};
	is_deeply(cards(page("/tags/$slug")), cards(page("/tags/$tag")), 'by a slug as by the id');
	my $html = page("/tags/$unused");
	has($html, qr{<strong>0</strong> <span>Datasets</span></p><section class="results"><p[^>]*>There is nothing here}s,
		'a tag without datasets says so');
	lacks($html, qr{<aside|nav class="(?:sort|pages)"}, 'and has nothing to narrow or to order');
	has(page("/datasets?tags=$tag&condition=AND&limit=5&orderBy=name"),
		qr{href="/datasets/feed/rss\?tags=$tag&amp;condition=AND"}, 'the feed of a list has its filters only');
	has(page('/files'), qr{rss\+xml" href="/datasets/feed/rss"}, 'other lists lead to the feed of all');
}

# names with the number of their datasets, by name
{
	my $html = page('/tags?limit=100');
	lacks($html, qr{<table|>$tag<}, 'tags: no table of ids');
	has($html, qr{<a href="/tags/$tag"><bdi>riverine</bdi></a> <span class="count">22</span></li>}, 'tags: counted');
	has($html, qr{riverine</bdi>.*riverless</bdi></a> <span class="count">0</span>}s, 'tags: by name, also without any');
	has($html, qr{orderBy=name&amp;sort=ASC" aria-current="true">By name}, 'tags: the order is marked');
	has(page('/categories?limit=100'), qr{Rivers &amp; lakes</bdi></a> <span class="count">22<}, 'categories: counted');
	has(page('/categories?limit=100'), qr{Upper rivers</bdi></a> <span class="count">21<}, 'subcategories, too');
	has(page('/organizations?limit=100'), qr{Office of &lt;b&gt;Rivers&lt;/b&gt;</bdi></a> <span class="count">21<},
		'organizations: counted, without drafts');
	has(page('/organizations?orderBy=name&sort=DESC&limit=100'), qr{Office of.*count}s, 'in another order, too');
	has(page('/search?query=riverine'), qr{<ul class="counted"><li><a href="/tags/$tag">}, 'in a search: names');
}

# filters are shown above the results, each with a link that removes it, and marked in the facets; several of one are
# alternatives
{
	my $chips = sub { my ($html) = @_; return $html =~ m{<ul class="chips" aria-label="Filters">(.*?)</ul>}s ? $1 : '' };
	my $all = sub { return [ map { s/<[^>]+>//gr } $chips->($_[0]) =~ m{<li><a[^>]*>(.*?) <span aria-hidden}g ] };
	my $marked = sub {
		return [ $_[0] =~ m{<li><a aria-current="true"[^>]*><bdi>([^<]*)</bdi></a> <span class="muted">(\d+)}g ];
	};
	my $one = page("/datasets?organization=$office&condition=AND");
	is_deeply($all->($one), ['Organization: Office of &lt;b&gt;Rivers&lt;/b&gt;'], 'a filter with its name and value');
	is_deeply($marked->($one), [ 'Office of &lt;b&gt;Rivers&lt;/b&gt;', 21 ], 'is marked in its facet, with its number');
	has($chips->($one), qr{href="/datasets\?condition=AND" title="Remove this filter"}, 'and removed by a link');
	my $other_office = $service->get("/datasets/$other")->{json}{data}{organization};
	my ($more) = $one =~ m{href="([^"]*organization=$office%2C$other_office)"};
	is($more, "/datasets?condition=AND&amp;organization=$office%2C$other_office", 'another value is added to it');
	my $two = page("$more&tags=$tag");
	has($two, qr{<p class="count"><strong>22</strong>}, 'which finds the records of both');
	is(scalar @{ $all->($two) }, 3, 'each value is shown');
	has($chips->($two), qr{href="/datasets\?condition=AND&amp;tags=$tag&amp;organization=$office"}, 'and removed alone');
	has($chips->($two), qr{href="/datasets\?condition=AND&amp;organization=$office%2C$other_office"}, 'of each filter');
	is(scalar @{ $marked->($two) } / 2, 3, 'and marked');
	my $by = sub { page('/datasets') =~ m{href="([^"]*)"><bdi>\Q$_[0]\E</bdi></a> <span class="muted">21<} ? $1 : '' };
	my $year = $by->(2019);
	is($year, '/datasets?condition=AND&amp;dataDate.year=2019', 'a year of the data is a filter');
	is_deeply($all->(page("$year%2C2001")), [ 'Year of the data: 2019', 'Year of the data: 2001' ],
		'of which there may be several');
	is_deeply($marked->(page('/datasets?createdAt.year=2001&facets=createdAt.year')), [ 2001, 0 ],
		'also such that nothing has');
	is($by->('Salto'), '/datasets?condition=AND&amp;place[eq]=Salto', 'so is a place');
	my $license = $by->('CC BY, &lt;b&gt;4&lt;/b&gt;');
	is($license, '/datasets?condition=AND&amp;license[eq]=%22CC%20BY%2C%20%3Cb%3E4%3C%2Fb%3E%22', 'and a licence');
	is_deeply($all->(page($license)), ['Licence: CC BY, &lt;b&gt;4&lt;/b&gt;'], 'which is one value');
	has(page($license), qr{<p class="count"><strong>21</strong>}, 'and finds what it has counted');
	is_deeply($marked->(page($license)), [ 'CC BY, &lt;b&gt;4&lt;/b&gt;', 21 ], 'and is marked');
	is_deeply($all->(page('/datasets?name=%3Cb%3E,%22a,%22%22b%22&createdAt[gte]=2020-01-02&tags[ne]=null&nothing=1'
		. '&limit=5&starred=null')), [ 'Name: &lt;b&gt;', 'Name: a,&quot;b', 'Created ≥ 2 January 2020', 'Tags ≠ none',
		'Starred: none' ], 'filters of other kinds, but no other parameters');
	has($chips->(page('/datasets?name=x,%22a,%22%22b%22')), qr{href="/datasets\?name=%22a%2C%22%22b%22"},
		'a value with a comma stays one');
	has($chips->(page('/datasets?bbox=-58.5,-35,-58,-34')),
		qr{^<li><a rel="nofollow" href="/datasets" title="Remove this filter">Box: <bdi>-58\.5,-35,-58,-34</bdi> .*</li>$},
		'a rectangle is one filter');
	is($chips->(page($_)), '', "$_: no filter") for '/datasets?condition=AND&limit=3', "/tags/$tag", '/datasets?name=';
	my $long = join ',', map { "v$_" } 1 .. 90;
	is(scalar @{ $all->(page("/datasets?name=$long&slug=$long")) }, 50, 'of very many the first ones');
	has(page("/datasets?tags=$tag&lang=es"), qr{class="chips" aria-label="Filtros"><li>.*?>Etiquetas: <bdi>riverine}s,
		'in Spanish');
	has(page("/files?type=x&dataset=$other"), qr{class="chips".*Dataset: }s, 'of other lists, too');
}

# a list that finds nothing says so, corrects each word in its place, and leads to what it would find without a filter
{
	my $html = page("/datasets/search?query=rivver+elsewere&condition=AND&tags=$unused&organization=$office&lang=en");
	has($html, qr{<p class="lead">Nothing was found\.</p><p>Did you mean:</p>}, 'nothing was found');
	my ($list) = $html =~ m{<ul class="names corrections">(.*?)</ul>}s;
	my $search = "/datasets/search?condition=AND&amp;tags=$unused&amp;organization=$office&amp;query=";
	has($list, qr{^<li><a rel="nofollow" href="\Q$search\ERiver%20elsewhere&amp;lang=en"><bdi>River elsewhere</bdi></a>},
		'all words corrected');
	has($list, qr{<bdi><strong>River</strong> elsewere</bdi></a></li>}, 'each word');
	has($list, qr{<bdi>rivver <strong>elsewhere</strong></bdi></a></li>}, 'in its place');
	has($html, qr{<ul class="chips".*riverless.*Office of}s, 'with the filters, which are shown');
	$html = page("/datasets/search?query=river&condition=AND&tags=$unused&organization=$office");
	lacks($html, qr{Did you mean}, 'a word that is there is none to correct');
	my ($without) = $html =~ m{<ul class="without">(.*?)</ul>}s;
	has($without, qr{href="/datasets/search\?query=river&amp;condition=AND&amp;organization=$office">Without Tags: }s,
		'without one filter');
	has($without, qr{<bdi>riverless</bdi></a> <span class="count">21</span></li>}, 'there are so many');
	lacks($without, qr{Office of|the search}, 'not without another one, or without the search');
	$html = page("/datasets?query=zzzq&organization=$office&condition=AND&lang=es");
	has($html, qr{No se encontró nada\.</p><ul class="without"><li><a[^>]*>Sin la búsqueda</a> <span class="count">21}s,
		'without the search, in Spanish');
	$html = page("/datasets?tags=$unused,nothing&organization=$office&condition=AND");
	has($html, qr{Nothing was found.*Without Tags: <bdi>riverless</bdi>, <bdi>nothing</bdi></a>.*>21<}s,
		'without a search');
	has(page("/tags/$unused"), qr{There is nothing here}, 'a tag without datasets is no search');
	lacks(page("/datasets?organization=$office&name=River"), qr{Nothing was found|class="without"},
		'a list that finds something');
	is($service->get("/datasets?tags=$unused")->{json}{meta}{without}, undef, 'JSON tells it where it is asked for');
	is_deeply(
		$service->get("/datasets?tags=$unused&nearest=true&condition=AND&organization=$office")->{json}{meta}{without},
		{ tags => 22, organization => 0 }, 'by the name of each filter');
}

# a card tells the publisher, formats, size, licence and date of the data
{
	my $uploads = Catalogue::Upload->new($service);
	my $card = sub {
		my ($name, $path) = @_;
		return page($path // '/datasets') =~ m{<li class="card"><h[23]><a [^>]*><bdi>\Q$name\E</bdi>(.*?)</ul>}s ? $1 : '';
	};
	my $fact = made('datasets', name => 'Told', status => $published, organization => $office, categories => [$class],
		tags => [$tag], description => 'All of it', optionals => { license => 'CC <b>BY</b>',
		modified => '2017-05-02T10:00:00', issued => '2016-01-01', temporal => '2014-01-01/2014-12-31' });
	my $changed = sub { $service->patch("/datasets/$fact", { optionals => $_[0] }) };
	my @files = map { $uploads->file("told$_->[0]", $_->[1], name => "Told $_->[0]", dataset => $fact,
		status => $published) } [ '1.csv', "a,b\n" . "1,2\n" x 300 ], [ '2.csv', "a,b\n1,2\n" ];
	push @files, made('files', name => 'Elsewhere', url => 'https://example.org/a.pdf', dataset => $fact,
		status => $published, type => $service->get('/filetypes?name=pdf&match=EXACT')->{json}{data}[0]{id});
	my $hidden = made('files', name => 'A draft', dataset => $fact);
	has($card->('Told'), qr{<li><a href="/organizations/$office"><bdi>Office of &lt;b&gt;Rivers&lt;/b&gt;</bdi></a></li>},
		'a card has the organization');
	has($card->('Told'),
		qr{<li class="formats"><bdi>csv, pdf</bdi></li><li>3 <span class="unit">Files</span>, 1\.2 kB</li>},
		'each format once, the files that visitors see, and their bytes');
	has($card->('Told'), qr{<li>Licence: <bdi>CC &lt;b&gt;BY&lt;/b&gt;</bdi></li>}, 'the licence, as text');
	has($card->('Told'), qr{<li>Data of <bdi>2 May 2017</bdi></li>}, 'when the data have changed');
	lacks($card->('Told'), qr{Changed}, 'not when the record has');
	has(page('/datasets'), qr{<ul class="names labels"><li><a href="/categories/$class">.*?<a href="/tags/$tag">}s,
		'categories and tags, linked');
	has($card->('Told', "/organizations/$office"), qr{Data of <bdi>2 May 2017}, 'below an organization, too');
	has($card->('Told', '/?lang=es'), qr{Datos del <bdi>2 de mayo de 2017}, 'and on the start page, in Spanish');
	$changed->({ license => 'https://example.org/by', issued => '2016', temporal => '2014-01-01/2014-12-31' });
	has($card->('Told'), qr{<bdi>example\.org/by</bdi></li><li>Data of <bdi>2016</bdi>}, 'else when they were issued');
	$changed->({ temporal => '2014-01-01/2014-12-31' });
	has($card->('Told'), qr{<li>Period: <bdi>1 January 2014 – 31 December 2014</bdi></li>}, 'else their period');
	$changed->({ modified => [], issued => {}, license => 5, temporal => undef });
	has($card->('Told'), qr{<li>Changed <time}, 'else when the record has changed');
	lacks($card->('Told'), qr{Licence}, 'what is no text is no licence');
	has($card->('River elsewhere'), qr{Changed <time}, 'a dataset of which nothing is told');
	lacks($card->('River elsewhere'), qr{class="formats"|Files}, 'and without files');
	$service->delete("/datasets/$fact");
}

# where a dataset is, as a picture of its rectangle on land; the list has a form for a place, which keeps what it is
# narrowed by
{
	$service->patch("/datasets/$other", { optionals => { spatial => '-58.5,-35,-58,-34' } });
	my $html = page("/datasets/$other");
	my ($image) =
		$html =~ m{<figure class="extent"><a href="([^"]*)"><img src="\1"[^>]*alt="Area: -58\.5, -35, -58, -34">};
	is($image =~ s{^.*(?=/datasets)}{}r, "/datasets/$other/image", 'a picture of its place');
	my $picture = $service->get("/datasets/$other/image", Accept => 'image/svg+xml', Authorization => undef);
	is_deeply([ $picture->{status}, $picture->{headers}{'content-type'} =~ s/;.*//r ], [ 200, 'image/svg+xml' ],
		'which is there');
	has(page("/datasets/$other?lang=es"), qr{/image\?lang=es"}, 'in the language of the page');
	lacks(page("/datasets/$datasets[0]"), qr{class="extent"}, 'not of a dataset without one');
	is($service->get("/datasets/$datasets[0]/image", Accept => 'image/svg+xml')->{status}, 409, 'which has no picture');
	is_deeply($service->get("/datasets/$other/extent")->{json}{data}, { extent => [ -58.5, -35, -58, -34 ] }, 'as JSON');
	is_deeply($service->get("/datasets/$datasets[0]/extent")->{json}{data}, { extent => undef }, 'or as null');
	is($service->get("/datasets/$draft/extent", Authorization => undef)->{status}, 404, 'of what is visible');
	$html = page("/datasets?tags=$tag&bbox=-59,-34.5,-58,-30&orderBy=name");
	is_deeply(cards($html), ['River elsewhere'], 'the list by place');
	my ($form) = $html =~ m{<details class="place" open>(.*?)</details>}s;
	is_deeply({ $form =~ m{<input[^>]* name="(\w+)"[^>]* value="([^"]*)"}g },
		{ tags => $tag, orderBy => 'name', bbox => '-59,-34.5,-58,-30' }, 'the form has what the list has');
	my ($pattern) = $form =~ m{pattern="([^"]*)"};
	is_deeply([ map { /^(?:$pattern)$/ ? 1 : 0 } '-59,-34.5,-58,-30', '1,2,3,4', '1,2,3', '1,2,3,x', '' ],
		[ 1, 1, 0, 0, 0 ], 'and takes four numbers');
	has(page('/datasets?lang=pt'), qr{<details class="place"><summary>Buscar por lugar}, 'it is closed otherwise');
	lacks(page('/organizations'), qr{class="place"}, 'other lists have none');
	is($service->get('/datasets?bbox=1,2', Accept => 'text/html')->{status}, 422, 'a wrong rectangle is refused');
}

$service->delete("/datasets/$_") for @datasets, $other, $draft;
$service->delete("/$_")
	for "tags/$tag", "tags/$unused", "categories/$part", "categories/$class", "organizations/$office";
$service->finish;
