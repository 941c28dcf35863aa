#!/usr/bin/perl
# Descriptions are Markdown: on the page of a record the elements of CommonMark and nothing else, wherever a text is
# one of several or goes to programs the text alone. No text brings markup, a script, or an image of another host.

use strict;
use warnings;
use utf8;

use Test::More;
use Catalogue::Definition;
use Catalogue::Test;
use Encode qw(decode_utf8);
use open qw(:std :encoding(UTF-8));
use Time::HiRes qw(time);

my $service = Catalogue::Test->shared->as_admin;
my $published  = $service->sql("SELECT id FROM catalogue.states() WHERE state = 'published'");
my $definition = Catalogue::Definition->new($service);
my %page       = (Accept => 'text/html', Authorization => undef);

sub made
{
	my ($resource, %fields) = @_;
	my $reply = $service->post("/$resource", { %{ $definition->record($resource) }, %fields });
	die "$reply->{status} $reply->{body}\n" unless $reply->{status} == 201;
	return $reply->{json}{links}{record} =~ m{(\w+)$};
}

sub page { return decode_utf8($service->get($_[0], %page)->{body}) }

my ($category) = made('categories', name => 'Markdown of pages', color => '336699');

# The description of the category as HTML; one of more than 350 characters comes from elsewhere.
sub shown
{
	my ($text) = @_;
	my $reply = $service->patch("/categories/$category", { description => $text });
	die $reply->{body} unless $reply->{status} == 200;
	return page("/categories/$category") =~ m{<div class="lead written" dir="auto">(.*?)</div>}s ? $1 : '';
}

# the elements
my $nofollow = 'rel="nofollow noopener noreferrer"';
my @cases    = (
	[ 'plain <text> & "more"', '<p>plain &lt;text&gt; &amp; &quot;more&quot;</p>' ],
	[ "one\n\ntwo\nthree",     '<p>one</p><p>two<br>three</p>' ],
	[ "one\r\ntwo",            '<p>one<br>two</p>' ],
	[ '*a* **b** `c<d`',       '<p><em>a</em> <strong>b</strong> <code>c&lt;d</code></p>' ],
	[ "* a\n* b",              '<ul><li>a</li><li>b</li></ul>' ],
	[ "1. a\n\n2. b",          '<ol><li><p>a</p></li><li><p>b</p></li></ol>' ],
	[ "7. a\n   - b",          '<ol start="7"><li>a<ul><li>b</li></ul></li></ol>' ],
	[ "> a",                   '<blockquote><p>a</p></blockquote>' ],
	[ "    a\n\n***",          "<pre><code>a\n</code></pre><hr>" ],
	[ "```html\n<b>\n```",     "<pre><code>&lt;b&gt;\n</code></pre>" ],
	# headings begin below that of the page, and leave none out
	[ "# a\n## b\n# c", '<h2>a</h2><h3>b</h3><h2>c</h2>' ],
	[ "### a\n### b\n###### c\n# d", '<h2>a</h2><h2>b</h2><h3>c</h3><h2>d</h2>' ],
	# links
	[ '[a](https://example.org/?a=1&b=2 "t")', qq{<p><a href="https://example.org/?a=1&amp;b=2" $nofollow>a</a></p>} ],
	[ '<HTTP://example.org>', qq{<p><a href="HTTP://example.org" $nofollow>HTTP://example.org</a></p>} ],
	[ '[a][r]' . "\n\n" . '[r]: mailto:a@example.org', qq{<p><a href="mailto:a\@example.org" $nofollow>a</a></p>} ],
	[ '[a](/datasets) [](/tags)', '<p><a href="/datasets">a</a> <a href="/tags">/tags</a></p>' ],
	# addresses of HTTP that are not marked as links, without what ends a sentence
	[ 'See https://example.org/a_b_c?d=e_f&g, or (HTTP://example.org/x_(y)).', qq{<p>See }
		. qq{<a href="https://example.org/a_b_c?d=e_f&amp;g" $nofollow>https://example.org/a_b_c?d=e_f&amp;g</a>, or }
		. qq{(<a href="HTTP://example.org/x_(y)" $nofollow>HTTP://example.org/x_(y)</a>).</p>} ],
	[ "**https://a.example**\nhttps://b.example!", qq{<p><strong><a href="https://a.example" $nofollow>}
		. qq{https://a.example</a></strong><br><a href="https://b.example" $nofollow>https://b.example</a>!</p>} ],
	[ 'https:// xhttps://a.example http://... ftp://a.example www.a.example',
		'<p>https:// xhttps://a.example http://... ftp://a.example www.a.example</p>' ],
	[ '`https://a.example` [see https://a.example](/tags)',
		'<p><code>https://a.example</code> <a href="/tags">see https://a.example</a></p>' ],
	[ 'https://a.example"onclick=x https://b.example/<b>', qq{<p><a href="https://a.example" $nofollow>https://a.example}
		. qq{</a>&quot;onclick=x <a href="https://b.example/" $nofollow>https://b.example/</a>&lt;b&gt;</p>} ],
	# images are links, and links have none in them
	[ '![a *b*](https://example.org/x.png)', qq{<p><a href="https://example.org/x.png" $nofollow>a <em>b</em></a></p>} ],
	[ '[![a](https://example.org/x.png)](/tags)', '<p><a href="/tags">a</a></p>' ],
	[ '![a [b](/tags)](/files)', '<p><a href="/files">a b</a></p>' ],
);
is(shown($_->[0]), $_->[1], $_->[0] =~ s/\n/\\n/gr =~ s/\r/\\r/gr) for @cases;

# what would be markup, a script or another address is text
my @hostile = (
	'<script>alert(1)</script>', '<b onclick="alert(1)">x</b>', 'a <img src=x onerror=alert(1)> b', '<!-- x --> y',
	'<?php x ?>', '<![CDATA[ x ]]>', '<!DOCTYPE x>', '</div><h1>x', "<style>\nbody { }\n</style>", '<a href="/x">x</a>',
);
for my $text (@hostile)
{
	my $html = shown($text);
	unlike($html =~ s{</?p(?: class="text")?>|<br>}{}gr, qr/[<>"]/, "$text: is text");
	is($html =~ s/<[^>]*>//gr =~ s/&lt;/</gr =~ s/&gt;/>/gr =~ s/&quot;/"/gr =~ s/\n//gr, $text =~ s/\n//gr,
		'and whole');
}
for my $address ('javascript:alert(1)', 'JaVaScRiPt:alert(1)', '&#x6A;avascript:alert(1)', 'java&Tab;script:alert(1)',
	'&#1;javascript:x', 'vbscript:x', 'data:text/html,<script>', 'file:///etc/passwd', '//example.org', '/\\\\example.org',
	'/&Tab;/example.org', '&#10;//example.org', 'https:example.org', 'x', '#top', '?a', '', 'https://a&quot;onclick=x',
	'/x"onclick=alert(1)', 'https://a&#32;onclick=x')
{
	my $html = shown("[a]($address) [b](<$address>) ![c]($address) [d][r]\n\n[r]: $address");
	unlike($html, qr/<a |onclick=(?!alert|x)|<img|<script/, "$address: no link");
}
unlike(shown('![a](https://example.org/x.png) ![b](/x.png)'), qr/<img/, 'no image');
is(shown('[a](/x?" onclick="alert(1))') =~ s/&quot;/"/gr, '<p>[a](/x?" onclick="alert(1))</p>', 'no attribute');
like(shown('[a](https://example.org/ñ/%22)'), qr{<a href="https://example\.org/ñ/%22" }, 'an address stays as it is');

# a path keeps the language of the page
$service->patch("/categories/$category", { description => '[a](/tags) [b](/tags#x)' });
like(decode_utf8($service->get("/categories/$category?lang=es", %page)->{body}),
	qr{<p><a href="/tags\?lang=es">a</a> <a href="/tags#x">b</a></p>}, 'a page in Spanish leads to pages in Spanish');

# texts alone: cards, the head, structured data; a description that a field has cut is whole
my $whole = "# Buses\n\nThe *lines* of [the city](https://example.org/) & more:\n\n* one\n* <b>two</b>\n\n"
	. join ' ', map {"word$_"} 1 .. 80;
my ($dataset) = made('datasets', name => 'Markdown of buses', categories => [$category], status => $published,
	description => substr($whole, 0, 349) . '…', optionals => { description => $whole });
my ($file) = made('files', name => 'Markdown of stops', dataset => $dataset, status => $published,
	url => 'https://example.org/stops.csv', description => "**Stops** of\n[lines](https://example.org/)");
my $page  = page("/datasets/$dataset");
my $plain = qr/Buses\nThe lines of the city &amp; more:\none\n&lt;b&gt;two&lt;\/b&gt;\nword1/;
like($page, qr{<div class="lead written" dir="auto"><h2>Buses</h2><p>The <em>lines</em> of.* word80</p></div>}s,
	'a description that was cut is whole on the page');
like($page, qr{<meta name="description" content="$plain}, 'the head has the text alone');
like($page, qr{"description":"Buses\\nThe lines of the city \\u0026 more:\\none\\n\\u003cb\\u003etwo},
	'structured data, too');
like($page, qr{<p class="muted" dir="auto">Stops of\nlines</p>}, 'and the list of files');
like(page("/categories/$category"), qr{<p dir="auto">$plain}, 'cards');
like(page('/datasets/search?query=buses+markdown'), qr{<p dir="auto"><mark>Buses</mark>\nThe lines of},
	'what was found');
like(page("/files/$file"), qr{<div class="lead written" dir="auto"><p><strong>Stops</strong> of<br><a href="https:}s,
	'a file has it as HTML');
my ($organization) = made('organizations', name => 'Office of Markdown', description => '* one', active => \1);
like(page("/organizations/$organization"), qr{<ul><li>one</li></ul>}, 'an organization, too');

# programs get the text as it was written, in which lists and links can be read; a feed keeps its lines
is($service->get("/datasets/$dataset")->{json}{data}{optionals}{description}, $whole, 'JSON has the text as it is');
like(decode_utf8($service->get("/datasets/$dataset", Accept => 'text/turtle')->{body}),
	qr{The \*lines\* of \[the city\]\(https://example\.org/\) & more:\\n\\n\* one}, 'and so has DCAT');
like(decode_utf8($service->get('/rss?name=Markdown%20of%20buses', Accept => '*/*')->{body}),
	qr{# Buses&lt;br&gt;&lt;br&gt;The \*lines\*.*&lt;br&gt;\* one&lt;br&gt;\* &amp;lt;b&amp;gt;two},
	'a feed has its lines');

# what would take long is shown as it is, soon
my %bombs = (
	'items in each other' => '- ' x 40_000, 'quotes in each other' => '>' x 90_000, 'brackets' => '![[]()' x 15_000,
	'items and lines' => '- ' x 10_000 . "a\n" . "\n" x 60_000, 'emphasis' => '**a ' x 20_000,
	'indented items' => join('', map { '  ' x $_ . "- a\n" } 1 .. 300), 'an address for all' => '[a]: https://example.org/'
		. 'x' x 50_000 . "\n\n" . '[a]' x 4000, 'bare addresses' => '(http://a' x 10_000,
	'addresses' => 'http://a.example/' . 'x' x 1900 . ' ' . 'http://a.example/ ' x 5000,
);
for my $kind (sort keys %bombs)
{
	my $text = $bombs{$kind};
	my $reply = $service->patch("/datasets/$dataset",
		{ description => substr($text, 0, 349) . '…', optionals => { description => $text } });
	is($reply->{status}, 200, "$kind: stored");
	my $from = time;
	my $html = page("/datasets/$dataset");
	cmp_ok(time - $from, '<', 3, "$kind: soon");
	like($html, qr{<footer class="site">}, '... whole');
	cmp_ok(length $html, '<', 2_000_000, '... and no larger than the text makes it');
	cmp_ok(scalar(() = $html =~ /<blockquote>|<ul>|<strong>/g), '<', 20_100, '... with few elements');
	my ($written) = $html =~ m{<div class="lead written" dir="auto">(.*?)</div>}s;
	my ($depth, $most) = (0, 0);
	$depth += $1 ? -1 : 1, $most = $depth > $most ? $depth : $most while $written =~ m{<(/?)(?!br|hr)\w+[^>]*>}g;
	is($depth, 0, '... closed');
	cmp_ok($most, '<=', 26, '... and not deep');
}

$service->delete("/$_") for "files/$file", "datasets/$dataset", "categories/$category", "organizations/$organization";
$service->finish;
