#!/usr/bin/perl
# The page: HTML is one more representation of what GET answers. It is chosen by Accept alone, shows what JSON shows
# and nothing else, in the reader's language, and whatever a record contains is text in it.

use strict;
use warnings;
use utf8;
use open qw(:std :encoding(UTF-8));

use Test::More;
use Catalogue::Test;
use Cpanel::JSON::XS ();
use Catalogue::Definition;
use Catalogue::Upload;
use Encode qw(decode_utf8);
use IO::Uncompress::Gunzip ();

my $service = Catalogue::Test->start->as_admin;
my $browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/svg+xml,*/*;q=0.8';
my %visitor = (Authorization => undef, Accept => $browser);

my $definition = Catalogue::Definition->new($service);

sub made
{
	my ($resource, %fields) = @_;
	my $reply = $service->post("/$resource", { %{ $definition->record($resource) }, %fields });
	die "$reply->{status} $reply->{body}\n" unless $reply->{status} == 201;
	return $reply->{json}{links}{record} =~ m{(\w+)$};
}

sub page
{
	my ($path, %headers) = @_;
	my $reply = $service->get($path, %visitor, %headers);
	$reply->{text} = decode_utf8($reply->{body});
	return $reply;
}

# A pattern of parts that follow each other.
sub pattern { my $all = join '', @_; return qr/$all/ }

# Faults of the markup: elements that are not closed, what is inline, the order of headings.
sub faults_of
{
	my ($html) = @_;
	my (@open, @faults);
	my $level = 0;
	my %void  = map { $_ => 1 } qw(meta link input img br hr);
	while ($html =~ m{<(/?)([a-z][a-z0-9]*)((?:\s+[a-z-]+(?:="[^"<>]*")?)*)\s*>|<(?!!DOCTYPE html>)|[^<]+|.}gs)
	{
		my ($close, $name, $attributes) = ($1, $2, $3);
		next if !defined $name && $& =~ /^[^<]/;
		next if $& eq '<' && substr($html, pos($html) - 1, 15) eq '<!DOCTYPE html>';
		push(@faults, 'stray: ' . substr $html, pos($html) - 1, 40), next unless defined $name;
		push @faults, "inline: $&" if !$close && ($attributes =~ s/="[^"]*"/=/gr =~ /\s(?:on\w+|style)=/ || $name eq 'style'
			|| ($name eq 'script' && $attributes !~ / src="| type="application\/ld\+json"/));
		if ($close) { push @faults, "$name closes " . ($open[-1] // 'nothing') unless @open && pop(@open) eq $name }
		elsif (!$void{$name}) { push @open, $name }
		next unless !$close && $name =~ /^h([1-6])$/;
		push @faults, "h$1 after h$level" if $1 > $level + 1;
		$level = $1;
	}
	return (@faults, map { "not closed: $_" } @open);
}

# What each page must have, whatever it shows.
sub is_page
{
	my ($reply, $view, $what) = @_;
	my $text = $reply->{text};
	is($reply->{headers}{'content-type'}, 'text/html; charset=utf-8', "$what: HTML") || return diag $reply->{body};
	is_deeply([ faults_of($text) ], [], "$what: its markup");
	like($text, qr/<body data-view="$view" /, "$what: its view");
	is(() = $text =~ /<h1>/g, 1, "$what: one main heading");
	like($text, pattern(
			qr/<a class="skip" href="#main">.*/s,
			qr/<header class="site">.*<nav class="main" aria-label=.*<main id="main".*<footer class="site">/s),
		"$what: its landmarks");
	like($text, qr/<title>[^<]+<\/title>/, "$what: a title");
	my %labelled = map { $_ => 1 } $text =~ /<label for="([^"]+)"/g;
	is_deeply([ grep { !/type="hidden"|aria-label=/ && !(/\bid="([^"]+)"/ && $labelled{$1}) }
		$text =~ s{<label>.*?</label>}{}gsr =~ /<input[^>]*>/g ], [], "$what: inputs have labels");
	cmp_ok(length $reply->{body}, '<', 100_000, "$what: its size");
	return;
}


my $published = $service->sql("SELECT id FROM catalogue.states() WHERE state = 'published'");
my ($category) = made('categories', name => 'Roads & bridges', color => '12ab34');
my ($dataset)  = made('datasets', name => 'Counted <i>cars</i>', description => '"quoted" & \'plain\'',
	categories => [$category], status => $published);
my ($draft)    = made('datasets', name => 'Not yet shown');
my ($file)     = made('files', name => 'Cars by hour', dataset => $dataset, status => $published);
$service->sql("SELECT catalogue.contents_load('$file', (SELECT json_agg(json_build_object('hour', n, '<b>road</b>', "
	. "'<script>alert(' || n || ')</script>', 'na,me', n % 3) ORDER BY n) FROM generate_series(1, 45) n))");

# who gets a page: only who names text/html, and prefers it to JSON
for my $accept (undef, '', '*/*', 'text/*, */*;q=0.1, application/json', 'application/json',
	'text/html;q=0.5, application/json', 'text/html;q=0.5, */*;q=0.5', 'text/html;q=0, */*')
{
	my $reply = $service->get("/datasets/$dataset", Authorization => undef, Accept => $accept);
	is($reply->{headers}{'content-type'}, 'application/json', 'JSON, with Accept: ' . ($accept // 'none'));
	is($reply->{headers}{'vary'}, 'Accept, Prefer, Authorization, X-Admin-Authorization, apikey, X-Consumer-Username',
		'and Vary as ever');
	is($reply->{headers}{'content-security-policy'}, "default-src 'none'; frame-ancestors 'none'",
		'and the policy as ever');
	ok(!exists $reply->{headers}{'content-language'}, 'without a language');
}
is($service->get('/datasets', Authorization => undef, Accept => 'text/csv, text/html;q=0.9',
	'Accept-Language' => 'es')->{headers}{'content-type'} =~ s/;.*//r, 'text/html',
	'HTML precedes CSV where JSON is wanted less');
like(page("/datasets/$dataset", Accept => $_)->{headers}{'content-type'}, qr/^text\/html/, "HTML, with Accept: $_")
	for $browser, 'text/html', 'TEXT/HTML, application/json;q=0.9';
is($service->post('/datasets', {}, Accept => $browser)->{headers}{'content-type'}, 'application/json',
	'a change is answered with JSON');

# header fields
{
	my %header = %{ page('/')->{headers} };
	is($header{'content-security-policy'},
		"default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors "
		. "'none'; base-uri 'none'; require-trusted-types-for 'script'; trusted-types 'none'; img-src 'self' data:",
		'the policy of a page');
	is($header{'x-content-type-options'}, 'nosniff', 'the type is not guessed');
	is($header{'referrer-policy'}, 'no-referrer', 'links do not tell the address');
	like($header{vary}, qr/^Accept, Accept-Encoding, Accept-Language, .*Authorization/, 'Vary');
	is($header{'cache-control'}, 'private, no-cache', 'caches ask again');
	ok(!exists $header{'set-cookie'}, 'no cookie');
}

# the views
is_page(page('/'), 'home', 'home');
like(page('/')->{text}, pattern(
		qr/<form class="search".*<a href="\/datasets"><strong>\d+<\/strong> Datasets<\/a>.*/s,
		qr/Roads &amp; bridges<\/bdi><\/strong> <span class="count">1<.*/s,
		qr/Newest datasets.*Counted &lt;i&gt;cars&lt;\/i&gt;.*<figure>.*<figure>.*Organizations/s),
	'home: the search, numbers, categories with counts, the newest datasets, a chart and a map, organizations');
is(() = page('/')->{text} =~ /<form class="search"/g, 1, 'home: one search');
unlike(page('/')->{text}, qr{href="/(?:jobs|statuses|filetypes|configs)"}, 'home: nothing internal');
like(page('/')->{text}, qr{<a href="/categories/$category"><svg [^>]*><rect [^>]*fill="#12ab34"></rect></svg>},
	'home: a category has its colour');
like(page('/')->{text}, qr/<footer class="site">.*<a href="\/docs">Description of the API/s,
	'home: a link to the description of the API');
is_page(page('/datasets'), 'list', 'list');
like(page('/datasets')->{text}, pattern(
		qr{<aside class="facets">.*<a rel="nofollow" href="/datasets\?condition=AND&amp;categories=$category">}s,
		qr{<bdi>Roads &amp; bridges</bdi></a> <span class="muted">1</span>}),
	'list: facets with counts');
unlike(page('/datasets/search?query=zzqxj')->{text}, qr{<aside|<nav class="sort"},
	'search: nothing is found, so there is nothing to narrow or to order');
unlike(page('/')->{text}, qr{<strong>1</strong> (?:Datasets|Files|Organizations)<}, 'home: one of a kind is named so');
{
	# the words of a search are marked in what was found, case and accents aside, and stay text
	my ($found) = made('datasets', name => 'Educación <b>vial</b> & más',
		description => 'La educacion, EDUCACIÓN; €uro ' . 'é' x 300, categories => [$category], status => $published);
	my $card = sub { page("/datasets/search?query=$_[0]")->{text}
		=~ m{(<li class="card"><h2><a href="/datasets/$found">.*?</p>)}s ? $1 : '' };
	like($card->('educaci%C3%B3n'),
		qr{<bdi><mark>Educación</mark> &lt;b&gt;.*<p dir="auto">La <mark>educacion</mark>, <mark>EDUCACIÓN</mark>; €uro é}s,
		'search: the word is marked');
	like($card->('VIAL,educ'), qr{<bdi><mark>Educ</mark>ación &lt;b&gt;<mark>vial</mark>&lt;/b&gt; &amp; más</bdi>},
		'search: each of two words, as text');
	like($card->('%22%3Cb%3Evial%22'), qr{<mark>&lt;b&gt;vial</mark>&lt;/b&gt;}, 'search: a word with markup');
	like($card->('e,uro'), qr{<bdi>Educación.*€<mark>uro</mark>}s, 'search: a letter is not');
	like($card->('%E2%82%AC'), qr{<mark>€</mark>uro}, 'search: a sign of several bytes');
	unlike(page('/datasets/search?query=educacion')->{text} =~ s{<mark>[^<]+</mark>}{}gr, qr{</?mark},
		'search: marks end where they should');
	like(page('/search?query=educacion')->{text}, qr{<mark>Educación</mark>}, 'search of all: marked, too');
	unlike(page('/datasets')->{text}, qr{<mark>}, 'list: nothing is marked without a search');
	unlike($card->(join ',', 'a' .. 'h', 'vial'), qr{<mark>}, 'search: the ninth word is not');
	like($card->(join ',', 'a' .. 'g', 'vial'), qr{<mark>vial</mark>}, 'search: the eighth is');
	$service->delete("/datasets/$found");
}
{
	# more values than a facet shows at first
	my @more = map { made('tags', name => sprintf 'Facet %02d', $_) } 1 .. 11;
	my ($many) = made('datasets', name => 'Many tags', categories => [$category], tags => \@more, status => $published);
	my $facets = sub { page("/datasets$_[0]")->{text} =~ m{<aside class="facets">(.*?)</aside>}s ? $1 : '' };
	like($facets->(''), qr{<a rel="nofollow" href="/datasets\?facetLimit=100">\+ \d+ more</a>},
		'list: a facet leads to its further values');
	unlike($facets->(''), qr{Facet 01.*Facet 11}s, 'list: at first it has some');
	like($facets->('?facetLimit=100'), qr{Facet 01.*Facet 11}s, 'list: then it has all');
	unlike($facets->('?facetLimit=100'), qr{\+ \d+ more}, 'list: and leads no further');
	is_page(page("/datasets?facetLimit=$_"), 'list', "list: facetLimit=$_, as for JSON") for '0', '1001';
	is(page("/datasets?facetLimit=$_")->{status}, 422, "list: facetLimit=$_") for '-1', 'x';
	$service->delete("/datasets/$many");
	$service->delete("/tags/$_") for @more;
}
like(page("/datasets?categories=$category&condition=AND")->{text},
	qr{<a aria-current="true" title="Remove this filter" rel="nofollow" href="/datasets\?condition=AND">},
	'list: a facet that is set can be removed');
like(page("/datasets?categories=$category&condition=AND")->{text}, qr{<strong>1</strong> <span>result</span></p>},
	'list: narrowed');
{
	my $year = 2025;
	my ($link) = page('/datasets')->{text} =~ m{href="([^"]*)"><bdi>$year</bdi>};
	is(page($link =~ s/&amp;/&/gr)->{status}, 200, 'list: the year is a filter');
	unlike(page($link =~ s/&amp;/&/gr)->{text}, qr/<strong>0</, 'which finds something');
}
is_page(page('/datasets?limit=1&lang=es&match=exact'), 'list', 'page of a list');
like(page('/datasets?limit=1&match=CONTAINS')->{text},
	qr{<nav class="pages".*<a rel="next" href="/datasets\?match=CONTAINS&amp;limit=1&amp;skip=1}s,
	'page of a list: the next, with the other parameters');
is(page('/datasets?limit=1')->{status}, 200, 'a page is a complete answer');
ok(!exists page('/datasets?limit=1')->{headers}{'content-range'}, 'without a range');
is_page(page('/datasets/search?query=cars'), 'list', 'search');
like(page('/datasets/search?query=cars+%22%3Ex')->{text}, qr{name="query" dir="auto" value="cars &quot;&gt;x"},
	'search: what was looked for is in the form');
like(page('/datasets/search?query=cars')->{text}, pattern(
		qr{<strong>1</strong> <span>result</span> for <q><bdi>cars</bdi></q></p>.*}s,
		qr{<a rel="nofollow" href="/datasets/search\?query=cars" aria-current="true">Most relevant</a>.*}s,
		qr{<a rel="nofollow" href="/search\?query=cars">Search in files}),
	'search: what was found for what, by relevance, and where else to look');
unlike(page('/datasets/search?query=cars')->{text}, qr{Page 1|Remove all filters},
	'search: one page has no links to pages');
like(page('/datasets/search?query=cars+x&name=none&condition=AND')->{text}, pattern(
		qr{<strong>0</strong> <span>Datasets</span> for.*}s,
		qr{<a rel="nofollow" href="/datasets/search\?query=cars%20x">Remove all filters</a>}),
	'search: nothing is found, and the filters can be removed');
like(page('/datasets')->{text}, qr{orderBy=createdAt&amp;sort=DESC" aria-current="true">Newest first},
	'list: the order is marked');
unlike(page('/datasets')->{text}, qr{Most relevant}, 'list: without a search there is no relevance');
is_page(page('/search?query=cars'), 'list', 'search in all resources');
like(page('/search?query=cars')->{text}, qr{<h2>Files</h2>.*<mark>Cars</mark> by hour}s,
	'search in all resources: by resource');
is_page(page('/statuses'), 'list', 'list without descriptions');
like(page('/statuses')->{text},
	qr{<table class="rows"><caption>.*<th scope="col">.*<td><a href="/statuses/$published">}s,
	'list without descriptions: a table');
is_page(page("/datasets/$dataset"), 'item', 'dataset');
like(page("/datasets/$dataset")->{text}, pattern(
		qr{<body data-view="item" data-resource="datasets" data-id="$dataset">.*}s,
		qr{<h1><bdi>Counted &lt;i&gt;cars&lt;/i&gt;</bdi></h1>.*&quot;quoted&quot; &amp; &#39;plain&#39;.*}s,
		qr{<section class="files">.*<a href="/files/$file"><bdi>Cars by hour</bdi>.*<section class="versions">}s),
	'dataset: description, files, versions');
like(page("/datasets/$dataset")->{text}, pattern(
		qr{<link rel="canonical" href="\Q$service->{base}\E/datasets/$dataset">},
		qr{<link rel="alternate" type="application/json" href="\Q$service->{base}\E/datasets/$dataset">}),
	'dataset: links of the head');
is_page(page("/categories/$category"), 'item', 'category');
like(page("/categories/$category")->{text}, qr{<section class="results">.*Counted &lt;i&gt;cars}s,
	'category: its datasets');
{
	# what the source says of a dataset precedes what its files say; files are listed with sizes, and those of others with
	# hosts
	my $day     = join ' ', (gmtime)[3],
		(qw(January February March April May June July August September October November December))[ (gmtime)[4] ],
		1900 + (gmtime)[5];
	my $about   = sub { page("/datasets/$dataset", @_)->{text} =~ m{<aside class="about">(.*?)</aside>}s ? $1 : '' };
	my ($other) = made('files', name => 'Far away', dataset => $dataset, status => $published,
		url => 'https://files.example.org/cars.csv?a=1&b=2');
	my $bytes   = Catalogue::Upload->new($service)->file('bytes.csv', "a,b\n" . "1,2\n" x 4000, name => 'Near',
		dataset => $dataset, status => $published);
	like($about->(), pattern(
			qr{<dt>Organization</dt><dd><a href="/organizations/\w+"><bdi>[^<]+},
			qr{</bdi></a></dd><dt>Changed</dt><dd><time datetime="[^"]+">$day</time></dd><dt>Update frequency</dt>}),
		'dataset: organization, date and frequency of its files');
	$service->patch("/datasets/$dataset",
		{ optionals => { license => 'https://example.org/by', publisher => { name => 'A <b>' },
		contactPoint => { fn => 'Desk', hasEmail => 'mailto:desk@example.org' }, landingPage => 'javascript:alert(1)',
		modified => '2024-05-02T10:00:00', accrualPeriodicity => 'R/P1Y', temporal => '2020-01-01/2021-12-31',
			spatial => ['https://place.example.org/a/b', 'The country'] } });
	like($about->(), pattern(
			qr{<dt>Licence</dt><dd><a href="https://example\.org/by"[^>]*>.*<dt>Organization}s,
			qr{</dt><dd><a href="/organizations/\w+">.*<dt>Contact</dt><dd><a href="mailto:desk\@example\.org">}s,
			qr{<bdi>Desk</bdi></a></dd><dt>Source</dt><dd><bdi class="text">javascript:alert\(1\)</bdi></dd>.*}s,
			qr{>2 May 2024<.*>1 January 2020 – 31 December 2021<.*<a href="https://place\.example\.org/a/b"}s),
		'dataset: what its source says');
	$service->patch("/datasets/$dataset", { optionals => {
		contactPoint => [
			{ fn => 'Desk', hasEmail => 'mailto:desk@example.org' }, 'Bureau', { hasEmail => 'a@example.org' } ],
	} });
	like($about->(), pattern(qr{<dt>Contact</dt><dd><a href="mailto:desk\@example\.org"><bdi>Desk</bdi></a></dd>},
			qr{<dt>Contact</dt><dd><bdi class="text">Bureau</bdi></dd><dt>Contact</dt><dd><a href="mailto:a\@example\.org">}),
		'several contacts');
	$service->patch("/datasets/$dataset", { optionals => { modified => '2024-05-02T10:00:00',
		temporal => '2020-01-01/2021-12-31' } });
	like($about->('Accept-Language' => 'es'), qr{>2 de mayo de 2024<.*>1 de enero de 2020 – 31 de diciembre de 2021<}s,
		'in Spanish');
	like(page("/datasets/$draft", Authorization => $service->{headers}{Authorization})->{text}, qr{<aside class="about">},
		'a dataset without files has the box');
	$service->patch("/datasets/$draft", { organization => undef, optionals => { publisher => { name => 'A <b>' } } });
	like(page("/datasets/$draft", Authorization => $service->{headers}{Authorization})->{text},
		qr{<dt>Organization</dt><dd><bdi class="text">A &lt;b&gt;</bdi>}, 'and its publisher from its source');
	for my $period ('/' x 500_000, '2020-01-01/', '/2020-01-01', '2020-01-01/x/y', '2020-99-01/2020-01', '----------')
	{
		$service->patch("/datasets/$dataset", { optionals => { temporal => $period, modified => $period } });
		like($about->(), qr{<dt>Period</dt><dd>},
			'dataset: a period that is none is shown as it is: ' . substr $period, 0, 16);
	}
	for my $mail ('desk@example.org?bcc=all@example.org', 'nobody', 'http://x@example.org', '"><script>@')
	{
		$service->patch("/datasets/$dataset", { optionals => { contactPoint => { fn => 'Desk', hasEmail => $mail } } });
		like($about->(), qr{<dd><bdi class="text">Desk</bdi></dd>}, "dataset: no link to $mail");
	}
	like(page("/datasets/$dataset")->{text}, pattern(
			qr{Far away</bdi>},
			qr{</a></th><td><bdi>[^<]*</bdi></td><td class="number"></td><td class="number"></td><td class="when">},
			qr{<time datetime="[^"]*">$day</time></td><td><a href="https://files\.example\.org/cars\.csv\?a=1&amp;b=2" },
			qr{rel="nofollow noopener noreferrer">Open at files\.example\.org ↗</a>}),
		'dataset: a file elsewhere');
	like(page("/datasets/$dataset")->{text}, pattern(
			qr{Near</bdi></a></th><td><bdi>csv</bdi></td><td class="number">16 kB</td>.*}s,
			qr{<a href="/files/$bytes->{id}/download">Download</a>.*Download all files \(16 kB\)}s),
		'dataset: a file with bytes');
	$service->sql("UPDATE catalogue.files SET row_count = 1234567, size = 1500000 WHERE id = '$bytes->{id}'");
	like(page("/datasets/$dataset", 'Accept-Language' => $_->[0])->{text},
		qr{<td class="number">\Q$_->[1]\E</td><td class="number"><a href="/files/$bytes->{id}/contents">\Q$_->[2]\E</a>},
		"dataset: numbers as $_->[0] writes them") for [ 'en', '1.5 MB', '1,234,567' ], [ 'es', '1,5 MB', '1.234.567' ];
	$service->delete("/files/$bytes->{id}");
	unlike(page("/datasets/$dataset")->{text}, qr{Download all}, 'dataset: nothing to download where no file has bytes');
	like(page("/datasets/$dataset")->{text}, pattern(
			qr{<section class="details"><details><summary><h2>Technical details</h2></summary>.*}s,
			qr{<dt><bdi>Name in addresses</bdi></dt>.*<section class="versions">.*<section class="related">.*</details>}s),
		'dataset: what is technical is folded');
	$service->delete("/files/$other");
}
{
	# the data of a chart as a table: a column for each series
	my %chart = (file => $file, status => $published);
	my ($plain)   =
		made('charts', name => 'Cars', type => 'bar', dataType => 'quantitative', dataSeries => [ 'na,me', 'hour' ], %chart);
	my ($stacked) = made('charts', name => 'Stacked', type => 'stackedbar', dataType => 'qualitative',
		dataSeries => [ 'hour', 'na,me' ], %chart);
	is_page(page("/charts/$plain"), 'item', 'chart');
	like(page("/charts/$plain")->{text}, pattern(
			qr{<img[ ]src="/charts/$plain/image"[ ]width="720"[ ]height="\d+"[^>]*></div>
				<p>Download:[ ]<a[ ]href="/charts/$plain/image"[^>]*>svg</a>,[ ]
				<a[ ]href="/charts/$plain/image/png"[^>]*>png</a></p></figure>
				<p>File:[ ]<a[ ]href="/files/$file">.*}sx,
			qr{<summary>Data of the chart</summary>.*<caption><bdi>Cars</bdi></caption>.*}s,
			qr{<th scope="col"><bdi>na,me</bdi></th><th scope="col" class="number">Value</th>.*}s,
			qr{<tr><th scope="row"><bdi>1</bdi></th><td class="number">330</td></tr>}),
		'chart: its picture, file and data');
	like(page("/charts/$stacked")->{text}, pattern(
			qr{<th scope="col" class="number"><bdi>1</bdi></th>},
			qr{<th scope="col" class="number"><bdi>2</bdi></th><th scope="col" class="number"><bdi>0</bdi></th></tr>.*}s,
			qr{<tr><th scope="row"><bdi>2</bdi></th><td class="number">\d*</td><td class="number">1</td>}),
		'chart: a column for each series');
	$service->delete("/charts/$_") for $plain, $stacked;
}
{
	# what is in progress refreshes itself: without scripts by its head; what is done does not
	my $pending   = Catalogue::Upload->new($service)->file('pending.csv', "a,b\n1,2\n", name => 'Pending',
		dataset => $dataset, status => $published)->{id};
	my $refreshed = pattern(
			qr{<noscript><meta http-equiv="refresh" content="10"></noscript></head>.*}s,
			qr{<p class="muted refreshed" data-seconds="10">In progress: this page refreshes itself\.</p>});
	is_page(page("/files/$pending"), 'file', 'file in progress');
	like(page("/$_")->{text}, $refreshed, "/$_: in progress") for "files/$pending", "datasets/$dataset";
	like(page("/files/$pending?lang=es")->{text}, qr{>En curso: esta página se actualiza sola\.<}, 'in Spanish');
	$service->delete("/files/$pending");
	unlike(page("/$_")->{text}, qr{refresh}, "/$_: done") for "files/$file", "datasets/$dataset";
}
is_page(page("/files/$file"), 'file', 'file');
like(page("/files/$file")->{text}, pattern(
		qr{<section class="contents">.*<table class="rows"><caption>.*&lt;script&gt;alert\(10\)&lt;/script&gt;.*}s,
		qr{href="/files/$file/contents">All rows, with order and filters \(45\).*<section class="columns">}s),
	'file: the first rows and the columns');
unlike(page("/files/$file")->{text}, qr{alert\(11\)}, 'file: the first rows only');
is_page(page("/files/$file/contents"), 'file', 'rows');
like(page("/files/$file/contents?orderBy=hour&sort=DESC&limit=2&hour[lte]=40")->{text},
	qr{aria-sort="descending".*<td class="number"><bdi>40</bdi></td>.*<td class="number"><bdi>39</bdi></td>.*rel="next"}s,
	'rows: order, filter and pages');
like(page("/files/$file/contents?orderBy=hour&hour[lte]=40")->{text}, pattern(
		qr{<input form="filter" name="hour\[gte\]" value="" dir="auto" placeholder="from" aria-label="Filter },
		qr{by hour: from"><input form="filter" name="hour\[lte\]" value="40"[^>]*placeholder="to"}),
	'rows: a column of numbers has two inputs');
unlike(page("/files/$file/contents?hour[lte]=40")->{text}, qr{type="hidden" name="hour|name="hour"},
	'rows: what they have is in the form once');
{
	my $text = page("/files/$file/contents?%3Cb%3Eroad%3C%2Fb%3E=%3C&match=BEGINS")->{text};
	like($text, pattern(
			qr{<input form="filter" name="&lt;b&gt;road&lt;/b&gt;" value="&lt;" },
			qr{dir="auto" placeholder="begins with" aria-label="Filter by &lt;b&gt;road&lt;/b&gt;: begins with">}),
		'rows: a column of texts has one, which says what it does');
	like($text, pattern(
			qr{<select name="match"><option value="CONTAINS">contains</option><option value="EXACT">is</option>},
			qr{<option value="BEGINS" selected>begins with</option><option value="ENDS">ends with</option></select>}),
		'rows: which can be chosen');
	unlike($text, qr{type="hidden" name="match"}, 'rows: in the form once');
}
like(page("/files/$file/contents?hour=7")->{text},
	qr{<input form="filter" name="hour" value="7".*<td class="number"><bdi>7</bdi></td>}s,
	'rows: its value is shown again');
{
	# the id of the record is read before the further reads, whose results take its place
	my $slug = $service->get("/files/$file")->{json}{data}{slug};
	like(page("/files/$slug/contents")->{text},
		qr{<link rel="canonical" href="\Q$service->{base}\E/files/$file/contents">},
		'rows: by a slug, the canonical address has the id');
}
{
	# the form sends all its fields, also those that were left empty and those of another type
	my $reply = page("/files/$file/contents?_id=&hour=&na%2Cme=1&condition=AND");
	is($reply->{status}, 200, 'rows: empty fields of the form are no filters');
	like($reply->{text}, qr{· 15 rows</p>}, 'rows: the others are');
	like($reply->{text}, qr{<input type="hidden" name="condition" value="AND">}, 'rows: all of them must hold');
	unlike($reply->{text}, qr{type="hidden" name="na,me"|_id=(?:&|")}, 'rows: a filter is in the form once');
	unlike($reply->{text}, qr{Download these rows}, 'rows: without bytes there is no download');
	my $id = Catalogue::Upload->new($service)->file('rows.csv', "a,b\n1,2\n", name => 'Rows', dataset => $dataset,
		status => $published)->{id};
	$service->sql("SELECT catalogue.contents_load('$id', (SELECT json_agg(json_build_object('n', n, 'na,me', n % 3) ORDER "
		. "BY n) FROM generate_series(1, 45) n))");
	like(page("/files/$id/contents?na%2Cme=1&condition=AND")->{text}, pattern(
			qr{<form class="row" method="get" action="/files/$id/download/csv">},
			qr{<input type="hidden" name="na,me" value="1">},
			qr{<input type="hidden" name="condition" value="AND"><input type="hidden" name="bom" value="true">},
			qr{<span>Download these rows \(15\):</span> <button formaction="/files/$id/download/csv">csv</button>},
			qr{ <button [^>]*>json</button> <button [^>]*>ndjson</button>},
			qr{ <button formaction="/files/$id/download/xlsx">xlsx</button></form>}),
		'rows: those that are left can be downloaded');
	is(() = $service->get("/files/$id/download/csv?na%2Cme=1&condition=AND", %visitor)->{body} =~ /\n/g, 16,
		'which are as many');
	$service->delete("/files/$id");
}
is_page(page("/$_/first"), 'item', "first of $_") for 'statuses', 'categories';
is_page(page($_), 'item', $_) for '/datasets/count', '/health', "/files/$file/schema";
is_page(page($_), 'list', $_) for '/roles', "/datasets/$dataset/files", "/datasets/$dataset/versions",
	"/files/$file/columns";

# the calls that give the same, which no quote ends
{
	my $text = page("/datasets?name=it%27s%22%60%24%28id%29&match=CONTAINS")->{text};
	my ($curl) = $text =~ m{<code>curl -H &#39;Accept: text/csv&#39; -o datasets.csv &#39;(.*?)&#39;</code>};
	is($curl =~ s/&amp;/&/gr,
		"$service->{base}/datasets?name=it%27s%22%60%24%28id%29&match=CONTAINS&orderBy=createdAt&sort=DESC", 'curl');
	like($text, pattern(
			qr{SELECT data },
			qr{FROM catalogue\.export\(&#39;datasets&#39;, query =&gt; &#39;name=it%27s%22%60%24%28id%29&amp;match=CONTAINS},
			qr{&amp;orderBy=createdAt&amp;sort=DESC&#39;\);}),
		'SQL');
	unlike(page($_)->{text}, qr/<code>[^<]*secret/, "$_: no credential is in them")
		for '/datasets?jwt=secret&limit=1', "/files/$file/contents?jwt=secret";
	like(page("/files/$file/contents?%3Cb%3Eroad%3C%2Fb%3E=it%27s%29&limit=1")->{text}, pattern(
			qr{pandas\.read_csv\(&#39;\Q$service->{base}\E/files/$file/download/csv\?},
			qr{%3Cb%3Eroad%3C%2Fb%3E=it%27s%29&#39;\)\n}),
		'those of rows give all that are selected, and no quote ends them');
}

# the dataset as schema.org describes it: a data block, which no text ends
{
	my ($hidden) = made('datasets', name => '</script><script>alert(1)</script>', description => "<!-- \x{2028} & ]]>",
		categories => [$category], status => $published);
	for my $case ([ $dataset, 'Counted <i>cars</i>', qq("quoted" & 'plain') ],
		[ $hidden, '</script><script>alert(1)</script>', "<!-- \x{2028} & ]]>" ])
	{
		my ($id, $name, $description) = @$case;
		my @blocks = page("/datasets/$id")->{text} =~ m{<script type="application/ld\+json">(.*?)</script>}gs;
		is(scalar @blocks, 1, "$name: one data block");
		unlike($blocks[0], qr/[<>&\x{2028}]/, 'in which no markup is');
		my $data = Cpanel::JSON::XS->new->allow_nonref->decode($blocks[0]);
		is_deeply([ @$data{qw(@context @type @id identifier name description)} ], [ 'https://schema.org/', 'Dataset',
			"$service->{base}/datasets/$id", $id, $name, $description ], 'it describes the dataset');
		is_deeply($data->{keywords}, ['Roads & bridges'], 'with its categories');
		is($data->{includedInDataCatalog}{url}, $service->{base}, 'and the catalogue');
	}
	my $bytes = Catalogue::Upload->new($service)->file('cars.csv', "a,b\n1,2\n", name => 'Cars', dataset => $dataset,
		status => $published);
	my ($block) = page("/datasets/$dataset")->{text} =~ m{<script type="application/ld\+json">(.*?)</script>}s;
	is_deeply(Cpanel::JSON::XS->new->allow_nonref->decode($block)->{distribution}, [ { '@type' => 'DataDownload',
		name => 'Cars', encodingFormat => 'text/csv', contentUrl => "$service->{base}/files/$bytes->{id}/download" } ],
		'a file with bytes is a distribution, one without address is not');
	my $imported = $service->post('/imports', { source => 'described', publish => \1,
		document => { dataset => [ { identifier => 'urn:described', title => 'Described', publisher => { name => 'Office' },
		license => 'https://a.example/licence', issued => '2020-01-02', modified => '2021-02-03',
		distribution => [ { title => 'Rows', downloadURL => 'https://a.example/rows.csv',
			license => 'https://a.example/other' } ] } ] } })->{json}{data}{entries}[0]{record};
	($block) = page("/datasets/$imported")->{text} =~ m{<script type="application/ld\+json">(.*?)</script>}s;
	my $described = Cpanel::JSON::XS->new->allow_nonref->decode($block);
	is_deeply([ @$described{qw(identifier datePublished dateModified license publisher)} ], [ 'urn:described',
		'2020-01-02', '2021-02-03', 'https://a.example/licence', { '@type' => 'Organization', name => 'Office' } ],
		'what a source gave is told');
	is_deeply([ @{ $described->{distribution}[0] }{qw(contentUrl license)} ],
		[ 'https://a.example/rows.csv', 'https://a.example/other' ], 'of its distributions, too');
	$service->delete("/datasets/$imported");
	unlike(page("/files/$bytes->{id}")->{text}, qr{ld\+json}, 'pages of other records have none');
	$service->delete("/datasets/$hidden");
	$service->delete("/files/$bytes->{id}");
}

# a table of a DBA has pages at once, and so have its hostile names
my $hostile = qq(<img src=x onerror=alert(1)>"'&</title></script>\x{202e}gnp.exe\x{2066} ) . 'x' x 300;
$service->sql('CREATE TABLE catalogue.trees (id catalogue.id PRIMARY KEY, name varchar(20000), description '
	. 'varchar(20000), "<b>""x" varchar(20000), height numeric,'
	. ' created_at timestamptz NOT NULL DEFAULT now(), updated_at timestamptz NOT NULL DEFAULT now(), deleted_at '
		. 'timestamptz)');
$service->sql("SELECT catalogue.expose('trees', 'Tree')");
my ($tree) = map { $_->{json}{links}{record} =~ m{(\w+)$} } $service->post('/trees',
	{ name => $hostile, description => 'y' x 10_000, '<b>"x' => $hostile, height => 12345678901234567890.5 });
ok($tree, 'a record with hostile texts');
is_page(page('/trees'), 'list', 'a list of hostile texts');
like(page('/trees')->{text}, pattern(
		qr/<bdi>&lt;img src=x /,
		qr/onerror=alert\(1\)&gt;&quot;&#39;&amp;&lt;\/title&gt;&lt;\/script&gt;\x{202e}gnp\.exe\x{2066} x+…<\/bdi>/),
	'which are brief, and isolated');
unlike(page('/trees')->{text}, qr/y{1000}/, 'and are cut');
is_page(page("/trees/$tree"), 'item', 'a record of hostile texts');
like(page("/trees/$tree")->{text}, qr/y{10000}/, 'which are whole');
like(page("/trees/$tree")->{text}, qr/<dt><bdi>&lt;b&gt;&quot;x<\/bdi><\/dt><dd><bdi class="text">&lt;img/,
	'as are names of fields');
$service->sql("UPDATE catalogue.trees SET height = 12345678901234567890.0100");
like(page("/trees/$tree")->{text}, qr/<dd>12345678901234567890\.0100</, 'no number is rounded');
my $quoted = '%22%3E%3Cscript%3Ealert(1)%3C/script%3E%27';
for my $path ("/datasets/search?query=$quoted", "/datasets?$quoted=$quoted", "/datasets?orderBy=$quoted", "/$quoted",
	"/datasets/$quoted", "/search?query=$quoted", "/files/$file/contents?$quoted=$quoted",
	"/files/$file/contents?hour=$quoted&sheet=$quoted", "/datasets?lang=$quoted", "/datasets?limit=$quoted",
		"/datasets/$dataset?include=$quoted")
{
	my $reply = page($path);
	like($reply->{headers}{'content-type'}, qr/^text\/html/, "$path: a page");
	is_deeply([ faults_of($reply->{text}) ], [], "$path: nothing of it is markup");
}

# nothing is shown that JSON does not show
is(page("/datasets/$draft")->{status}, 404, 'a draft is not found by visitors');
unlike(page($_)->{text}, qr/Not yet shown/, "$_: no draft") for '/', '/datasets', '/datasets/search?query=yet',
	'/search?query=shown';
like(page("/datasets/$draft", Authorization => $service->{headers}{Authorization})->{text}, qr/Not yet shown/,
	'who may see it gets its page');
unlike(page("/datasets/$dataset")->{text}, qr/owner|createdBy/i, 'fields that visitors do not see are not there');
for my $path ('/', '/datasets', '/datasets?limit=2', "/datasets/$dataset", "/files/$file", "/files/$file/contents",
	'/logs', '/users', '/nonesuch', "/datasets/$draft", '/datasets?limit=x', '/users/me')
{
	my $json = $service->get($path, Authorization => undef);
	my $html = page($path);
	is($html->{status}, $json->{status} == 206 ? 200 : $json->{status}, "$path: the status that JSON has");
}
{
	# a key that is limited to datasets: what belongs to other resources is left out, and the page is made all the same
	$service->sql("SELECT catalogue.add_consumer('Narrow')");
	my (undef, $key) = split /\|/,
		scalar $service->sql("SELECT * FROM catalogue.add_api_key('Narrow', resources => '{datasets}')"), 2;
	for my $path ('/', '/datasets', "/datasets/$dataset")
	{
		my $reply = page($path, apikey => $key);
		is($reply->{status}, 200, "a limited key: $path") or diag $reply->{body};
		like($reply->{text}, qr/Counted/, 'shows datasets') if $path =~ /datasets/;
		unlike($reply->{text}, qr/Roads &amp; bridges|Cars by hour/, 'and no other resource');
	}
	is(page('/tags', apikey => $key)->{status}, 403, 'a limited key: another resource');
	is_page(page('/tags', apikey => $key), 'error', 'a limited key: another resource');
	like(page('/tags', apikey => $key)->{text}, qr/<h1>You are not allowed to see this</, 'and it says why');
}

# errors
for my $case ([ '/datasets/nonesuch', 404, 'There is no such page' ], [ '/nonesuch', 404, 'There is no such page' ],
	[ '/a/b/c/d/e', 404, 'There is no such page' ], [ '/users', 404, 'There is no such page' ],
	[ '/users/me', 401, 'You have to log in' ], [ '/datasets?limit=x', 422, 'A part of the address is not valid' ],
		[ '/%zz', 400, 'The request is not valid' ], [ '/users/login', 405, 'The request failed' ])
{
	my ($path, $status, $heading) = @$case;
	my $reply = page($path);
	is($reply->{status}, $status, "$path: the status");
	is_page($reply, 'error', $path);
	like($reply->{text}, qr/<h1>\Q$heading\E<\/h1>/, "$path: what it means");
	unlike($reply->{text}, qr/rel="canonical"/, "$path: it is nothing to find");
	ok(!exists $reply->{headers}{etag}, "$path: no entity tag");
}
is(page('/users/me')->{headers}{'www-authenticate'}, 'Bearer', '401 says how to log in');

# conditional requests, and HEAD
for my $path ('/', '/datasets', "/datasets/$dataset", "/files/$file", "/files/$file/contents")
{
	my $reply = page($path);
	my $tag   = $reply->{headers}{etag};
	like($tag, qr/^"[\w.]+-\w+"$/, "$path: an entity tag");
	my $known = page($path, 'If-None-Match' => $tag);
	is($known->{status}, 304, "$path: 304 for who has it");
	is($known->{headers}{etag}, $tag, 'with the tag');
	like($known->{headers}{vary}, qr/Accept-Language/, 'and Vary');
	isnt($service->get($path, Authorization => undef)->{headers}{etag}, $tag, "$path: JSON has another tag");
	is($service->get($path, Authorization => undef, 'If-None-Match' => $tag)->{status} =~ s/206/200/r, 200,
		'and is sent to who has the page');
	isnt(page($path, 'Accept-Language' => 'es')->{headers}{etag}, $tag, "$path: and so has another language");
	is(page($path, 'If-Match' => '"other"')->{status}, 412, "$path: If-Match");
	my $zipped = page($path, 'Accept-Encoding' => 'gzip');
	is($zipped->{headers}{'content-encoding'}, 'gzip', "$path: compressed where the client takes it");
	IO::Uncompress::Gunzip::gunzip(\$zipped->{body} => \my $text);
	is($text, $reply->{body}, 'the page is the same');
	isnt($zipped->{headers}{etag}, $tag, 'and has a tag of its own');
	is(page($path, 'Accept-Encoding' => 'gzip', 'If-None-Match' => $zipped->{headers}{etag})->{status}, 304,
		'304 for who has it compressed');
	my $head = $service->head($path, %visitor);
	is_deeply([ $head->{status}, @{ $head->{headers} }{qw(etag content-length content-type)} ],
		[ 200, $tag, length $reply->{body}, 'text/html; charset=utf-8' ], "$path: HEAD");
}
{
	my $tag = page("/datasets/$dataset")->{headers}{etag};
	$service->patch("/files/$file", { name => 'Cars by the hour' });
	is(page("/datasets/$dataset", 'If-None-Match' => $tag)->{status}, 200,
		'a page changes with what it shows besides the record');
}

# languages
like(page('/', 'Accept-Language' => 'es-UY,es;q=0.9,en;q=0.5')->{text},
	qr/<html lang="es">.*Conjuntos de datos.*<a href="\/\?lang=en" lang="en" hreflang="en">English/s,
	'Spanish by Accept-Language');
is(page('/', 'Accept-Language' => 'es')->{headers}{'content-language'}, 'es', 'and it says so');
like(page('/', 'Accept-Language' => $_)->{text}, qr/<html lang="en">/, "English with Accept-Language: $_") for 'de',
	'de, es;q=0', 'en, es;q=0.9', '', 'e', '*', ';q=1,,';
my $spanish = page('/datasets?limit=1&lang=es', 'Accept-Language' => 'en');
like($spanish->{text},
	qr/<html lang="es">.*href="\/datasets\/\w+\?lang=es".*rel="next" href="\/datasets\?limit=1[^"]*&amp;lang=es"/s,
	'the language of an address is kept by its links');
like($spanish->{text}, qr/<input type="hidden" name="lang" value="es">/, 'and forms');
unlike($spanish->{text}, qr/ignored/, 'it is no parameter of the call');
is(page('/nonesuch?lang=es')->{text} =~ /<h1>([^<]+)/ && $1, 'Esta página no existe', 'an error in Spanish');
is($service->get('/datasets?lang=es&limit=1', Authorization => undef)->{json}{meta}{ignored}[0], 'lang',
	'JSON has no languages');

# records show their texts in the language of the page, where "optionals" have them
{
	my ($word) = made('tags', name => 'word');
	my ($translated) = made('datasets', name => 'Bus lines', description => 'All lines', categories => [$category],
		tags => [$word], status => $published, optionals => { translations => {
			'es-UY' => { name => 'Líneas de ómnibus', description => 'Todas las <líneas>' }, pt => { name => '' },
			es => { name => 'Líneas', tags => [ 'ómnibus', 5, 'a & b' ] }, de => 'none' } });
	my ($part) = made('files', name => 'Stops', dataset => $translated, status => $published,
		optionals => { translations => { ES_ar => { name => 'Paradas' } } });

	my $says = sub {
		my ($path, $says, $what) = @_;
		ok(page($path)->{text} =~ $says, $what) or diag "$path does not say $says";
	};
	$says->("/datasets/$translated?lang=es",
		qr{<title>Líneas .*<h1><bdi>Líneas</bdi></h1>.*All lines.*><bdi>Paradas</bdi></a>}s, 'a dataset and its files');
	my $bus = qr{<a href="[^"]*/datasets/search\?query=%C3%B3mnibus&amp;lang=es">};
	$says->("/datasets/$translated?lang=es",
		qr{$bus<bdi>ómnibus</bdi></a> <a href="[^"]*query=a%20%26%20b&amp;lang=es"><bdi>a &amp; b</bdi></a></p>},
		'its tags, which lead to a search');
	$says->('/datasets?query=Bus+lines&match=EXACT&lang=es',
		qr{><bdi>Líneas</bdi></a>.*<li>$bus<bdi>ómnibus</bdi></a></li>}s, 'a list');
	$says->('/datasets/search?query=%C3%B3mnibus', qr{><bdi>Bus lines</bdi></a>.*>word</bdi>}s, 'where they are found');
	$says->("/files/$part?lang=es", qr{<h1><bdi>Paradas</bdi></h1>}, 'a file, by a tag in another region');
	$says->('/?lang=es', qr{><bdi>Líneas</bdi></a>}, 'the first page');
	$says->("/datasets/$translated?lang=$_", qr{<h1><bdi>Bus lines</bdi></h1>.*All lines}s, "not in $_") for 'en', 'pt';
	$service->patch("/datasets/$translated", { optionals => { translations => {
		'es-UY' => { name => 'Líneas de ómnibus', description => 'Todas las <líneas>' } } } });
	$says->("/datasets/$translated?lang=es",
		qr{<h1><bdi>Líneas de ómnibus</bdi></h1>.*Todas las &lt;líneas&gt;}s, 'in a region, without markup');
	is($service->get("/datasets/$translated")->{json}{data}{name}, 'Bus lines', 'JSON has the name of the record');
	$says->('/datasets?query=omnibus', qr{><bdi>Bus lines</bdi></a>}, 'and search finds it in any language');
	$service->delete("/$_->[0]/$_->[1]") for [ files => $part ], [ datasets => $translated ],
		[ tags => $word ];
}

# a parameter may be coded in any way, in its name and in its value: the page is one, and the next request is answered
for my $path ('/datasets', '/datasets/search', "/files/$file/contents", "/datasets/$dataset", '/', '/nonesuch')
{
	for my $query ('a%2Fb=1', 'a=%2F', '%2F', '%=1', 'a=%', '%zz=%zz', 'a=%ff', '%ff=a', 'a=%00', '%00=a', 'a=%C3',
		'%C3%28=1', '=', '=&=', '&&', '%3D=%26', '+=+', 'a[gte]', '[gte]=1', '[=', 'match=', 'match=%2F')
	{
		my $reply = page("$path?$query");
		ok($reply->{status} < 500 && $reply->{text} =~ m{</html>}, "$path?$query: a page") or diag $reply->{status};
	}
}

# a file of many columns: the first hundred, which is said
{
	my ($wide) = made('files', name => 'Wide', dataset => $dataset, status => $published);
	$service->sql("SELECT catalogue.contents_load('$wide', (SELECT json_build_array(json_agg('c' || n ORDER BY n), "
		. "json_agg(n::text ORDER BY n)) FROM generate_series(1, 2000) n))");
	for my $path ("/files/$wide", "/files/$wide/contents")
	{
		my $text = page($path)->{text};
		is_page(page($path), 'file', "$path: 2,000 columns");
		my ($table) = $text =~ m{<section class="contents">(.*?)</table>}s;
		is(() = $table =~ /<th /g, 100, "$path: a hundred of them");
		is(() = $table =~ /<td class="number">/g, 100, "$path: and their cells");
		is(() = $text =~ /The first 100 columns are shown; downloads have all\./g, 2,
			"$path: which is said of the rows, and of the columns");
	}
	$service->delete("/files/$wide");
}

# a map: where its points are stands at its figure; the points are not read, whatever is in their texts
my ($map) = made('maps', name => 'Drawn by hand', link => 'https://example.org/map', status => 'qWRhpRV',
	geojson => { type => 'FeatureCollection', features => [ map { { type => 'Feature', geometry => { type => 'Point',
	coordinates => [ 10, 50 ] }, properties => { $_ => $_ } } } ']]"}', '[[\\"', '\\' ], bbox => [ 10, 50, 10, 50 ] });
is_page(page("/maps/$map"), 'item', 'a map');
like(page("/maps/$map")->{text}, pattern(
		qr{<figure class="map" data-tiles="" data-points="" data-bounds="10,50,10,50">}
			. qr{<div class="wide picture fixed" tabindex="0"><img src="/maps/$map/image".*}s,
		qr{https://example\.org/map}),
	'a map: its bounds, its picture, and the fields behind');
like(page("/maps/$map?lang=es")->{text},
	qr{<p><a href="/maps/$map/geojson\?lang=es">Todos los lugares como GeoJSON</a></p>},
	'and its places without scripts');
$service->sql("UPDATE catalogue.maps SET correct = 1 WHERE id = '$map'");
like(page("/maps/$map")->{text}, qr{<p><a href="/files/\w+/contents">All places as rows</a></p>},
	'those that are made of a file are its rows');
unlike(page("/charts/first")->{text}, qr{All points}, 'a chart has none');

# the points of a map are read by none of the pages that only name it or show its picture: here, no page could read them
{
	my ($file) = made('files', name => 'Deep places', dataset => $dataset, status => $published);
	my ($deep) = made('maps', name => 'Deep map', link => 'https://example.org/map', status => $published,
		geojson => { type => 'FeatureCollection', features => [] });
	$service->sql("UPDATE catalogue.maps SET file = '$file', geojson = (repeat('{\"a\":', 100) || '1' || repeat('}', "
		. "100))::json WHERE id = '$deep'");
	for my $path ('/maps', '/maps/search?query=deep', '/search?query=deep', "/files/$file/maps")
	{
		is_page(page($path), 'list', "$path: a map with points");
		like(page($path)->{text}, qr{<a href="/maps/$deep"><bdi>(?:Deep|<mark>Deep</mark>) map</bdi></a>}, "$path: names it");
	}
	is_page(page("/files/$file"), 'file', 'a file with such a map');
	is_page(page("/datasets/$dataset"), 'item', 'a dataset with such a map');
	like(page($_)->{text}, qr{<a href="/maps/$deep"><bdi>Deep map</bdi></a></figcaption>}, "$_: shows it")
		for "/files/$file", "/datasets/$dataset";
	$service->delete("/maps/$deep");
	$service->delete("/files/$file");
}

# a search that finds nothing leads to similar words
my ($similar) = made('datasets', name => 'Justicia <b>y</b> paz', visible => Cpanel::JSON::XS::true,
	status => $service->sql(q(SELECT id FROM catalogue.statuses WHERE name = 'Published')));
like(page('/datasets/search?query=justizia+y+pas&limit=5')->{text},
	qr{Did you mean:</p><ul [^>]*><li><a rel="nofollow" href="/datasets/search\?limit=5&amp;query=Justicia%20y%20pas">},
	'similar words');
unlike(page($_)->{text}, qr{Did you mean}, "$_: none") for '/datasets/search?query=justicia',
	'/datasets/search?query=qqqqqqqq', '/datasets';
$service->delete("/datasets/$similar");

# messages of the service in Spanish
my $in_spanish = sub { return page($_[0], 'Accept-Language' => 'es')->{text} };
like($in_spanish->('/tags?limit=x'), pattern(
		qr{<p dir="auto">valor no válido para el parámetro &quot;limit&quot;: &quot;x&quot;},
		qr{</p><p dir="auto">Admite un número entero, 0 o más\.</p>}),
	'a parameter');
like($in_spanish->('/datasets/nothing'), qr{<p dir="auto">no existe: Dataset &quot;nothing&quot;</p>},
	'a record that is not there');
like(page('/tags?limit=x')->{text}, qr{<p dir="auto">invalid value for parameter &quot;limit&quot;: &quot;x&quot;</p>},
	'in English as it is');

# an image of a category that is elsewhere is no image of the start page
my ($pictured) = made('categories', name => 'Pictured', image => 'https://other.example/image.png');
like(page('/')->{text}, qr{<a href="/categories/$pictured">},
	'a category with an image elsewhere is on the start page');
unlike(page('/')->{text}, qr{/categories/$pictured/image}, 'without a picture that is not there');
$service->delete("/categories/$pictured");

# at another address, all links follow; a private service asks for a login
$service->stop_shim;
$service->{settings}{CATALOGUE_BASE_URL} = 'https://data.example.org/catalogue';
$service->{settings}{CATALOGUE_PRIVATE}  = 'on';
$service->start_shim;
my $inside = page('/datasets?limit=1', Authorization => $service->{headers}{Authorization})->{text};
is_deeply([ grep { !m{^(?:/catalogue/|https://data\.example\.org/catalogue/)} }
	grep { !/^#/ } $inside =~ / (?:href|src|action)="([^"]*)"/g ], [], 'links begin with the path of base_url');
is_page(page('/datasets'), 'error', 'private');
is(page('/datasets')->{status}, 401, 'private: 401');
unlike(page('/datasets')->{text}, qr/Counted/, 'and nothing else');

$service->finish;
