#!/usr/bin/perl
# Pages have the title, the contact and the legal notice of the configs, as text and as addresses only, soon after they
# are set or removed.

use strict;
use warnings;
use utf8;

use Test::More;
use Catalogue::Clock qw(wait_until);
use Catalogue::Test;
use Catalogue::Upload;
use Encode qw(decode_utf8);

my $service = Catalogue::Test->start->as_admin;
my %configs = (catalogTitle => 'Datos de <b>Córdoba</b> & "más"', accentColor => '#7A0019',
	catalogDescription => 'Lo que <i>la ciudad</i> sabe', catalogEmail => 'datos@example.org',
	legalUrl => 'https://www.example.org/legal?a=1&b=2');

sub page
{
	return decode_utf8($service->get($_[0] // '/datasets', Accept => 'text/html', Authorization => undef)->{body});
}

# Each thread asks for itself, once a second: let that pass, and wait until several pages in a row are so.
sub soon
{
	my ($name, $pattern, $path) = @_;
	$service->pass(2);
	wait_until($name, sub { 8 == grep { page($path) =~ $pattern } 1 .. 8 });
	pass($name);
	return;
}

# A pattern of texts that follow each other.
sub pattern { my $all = join q(), map { quotemeta } @_; return qr{$all} }

like(page(), qr{<title>Datasets · Data catalogue</title>.*class="brand" href="/"><bdi>Data catalogue</bdi></a>}s,
	'a catalogue without a title is called so');
unlike(page(), qr/mailto:|Legal notice/, 'and has no addresses');
my %ids;
for my $key (sort keys %configs)
{
	my $reply = $service->post('/configs', { key => $key, type => 'string', category => 'site', value => $configs{$key},
		editable => Cpanel::JSON::XS::true, description => $key });
	is($reply->{status}, 201, "$key: set") or diag $reply->{body};
	($ids{$key}) = $reply->{json}{links}{record} =~ m{(\w+)$};
}
my $escaped = qr/Datos de &lt;b&gt;Córdoba&lt;\/b&gt; &amp; &quot;más&quot;/;
soon('the title is in the window and above the page', qr{<title>Datasets · $escaped</title>.*href="/"><bdi>$escaped<}s);
soon('the start page has it for its name', qr{<title>$escaped</title>}, '/');
soon('a page of an error has it', qr{· $escaped</title>}, '/datasets/zzzzzzzzzzzzzzz');
unlike(page($_), qr/Data catalogue/, "$_: what it is called otherwise is nowhere") for '/', '/datasets', '/zzz';
my $page = page();
like($page, qr{<a href="mailto:datos\@example\.org">Contact</a>}, 'the contact');
like($page, qr{<a href="https://www\.example\.org/legal\?a=1&amp;b=2">Legal notice</a>}, 'the legal notice');

like(page('/'), qr{<p class="lead" dir="auto">Lo que &lt;i&gt;la ciudad&lt;/i&gt; sabe</p>}, 'what it is about');
like($page, qr{<meta name="description" content="Lo que &lt;i&gt;la ciudad}, 'for search engines, too');
unlike(page('/'), qr/Open data: find/, 'instead of what is said otherwise');
is($service->get('/openapi.json')->{json}{info}{title}, $configs{catalogTitle}, 'the document of the API is called so');

# a title and a sentence in another language are those of its pages; what is no language tag is none
my %also = ('catalogTitle@en' => 'Data of <Córdoba>', 'catalogDescription@pt-BR' => 'O que a cidade sabe',
	'catalogTitle@' => 'none', 'catalogTitle@e"n' => 'none', 'catalogTitle@pt' => ' ', 'catalogEmail@en' => 'none');
for my $key (sort keys %also)
{
	my $reply = $service->post('/configs', { key => $key, type => 'string', category => 'site', value => $also{$key},
		editable => Cpanel::JSON::XS::true, description => 'In a language' });
	is($reply->{status}, 201, "$key: set") or diag $reply->{body};
	($ids{$key}) = $reply->{json}{links}{record} =~ m{(\w+)$};
}
soon('the title is that of the language', qr{<title>Datasets · Data of &lt;Córdoba&gt;</title>});
like(page('/datasets?lang=es'), qr{· $escaped</title>}, 'in a language without one it is the usual one');
like(page('/?lang=pt'), qr{<title>$escaped</title>.*<p class="lead" dir="auto">O que a cidade sabe</p>}s,
	'what lacks is the usual one, and a region is a language');
like(page('/'), qr{<p class="lead" dir="auto">Lo que &lt;i&gt;la ciudad&lt;/i&gt; sabe</p>}, 'also the sentence');
my ($feed) = page('/datasets?lang=pt') =~ m{type="application/rss\+xml"[^>]* href="([^"]*)"};
like($feed, qr{/rss\?lang=pt$}, 'the feed of a page is in its language');
like(decode_utf8($service->get('/rss?lang=en')->{body}),
	qr{<channel><title>Data of &lt;Córdoba&gt;</title>.*<language>en</language>}, 'and so is its title');
is($service->get('/rss?lang=%22')->{status}, 422, 'of what is no language there is none');
like(decode_utf8($service->get('/catalog', Accept => 'text/turtle')->{body}), qr{"Data of <Córdoba>"\@en},
	'DCAT has all of them');
$service->delete("/configs/$ids{$_}") for keys %also;
soon('without them there is one title again', qr{<title>Datasets · $escaped</title>});
like(decode_utf8($service->get('/rss')->{body}), qr{<channel><title>Datos de &lt;b&gt;Córdoba}, 'the feed');
like(decode_utf8($service->get('/catalog', Accept => 'text/turtle')->{body}), qr{dct:title "Datos de <b>Córdoba},
	'DCAT');
like(decode_utf8($service->get($_, Accept => $_ eq '/rss' ? '*/*' : 'application/json')->{body}),
	qr/^(?!.*Data catalogue)/s, "$_: what it is called otherwise is nowhere") for '/openapi.json', '/rss', '/data.json';

# a catalogue in Spanish: what is made without a language is, so pages in English name theirs
my $language = $service->post('/configs', { key => 'catalogLanguage', type => 'string', category => 'site',
	value => 'es', editable => Cpanel::JSON::XS::true, description => 'Language' });
soon('pages in English lead to a feed in English', qr{href="[^"]*/rss\?lang=en" title});
like(page('/datasets?lang=es'), qr{href="[^"]*/rss" title}, 'those in Spanish to that without a language');
like(decode_utf8($service->get('/rss')->{body}), qr{<description>Lo publicado últimamente<}, 'which is in Spanish');
$service->delete($language->{json}{links}{record} =~ m{(/configs/\w+)$});
soon('without the config English is the usual one', qr{href="[^"]*/rss" title});

# the accent colour is a style sheet, after that of all pages, for light and dark ones
my ($sheet) = $page =~ m{style\.css">.*<link rel="stylesheet" href="(/page/accent-[0-9a-f]{24}\.css)">};
ok($sheet, 'a style sheet has the accent') or $sheet = '/page/accent-' . '0' x 24 . '.css';
my $css = $service->get($sheet, Authorization => undef);
is($css->{headers}{'content-type'}, 'text/css; charset=utf-8', 'its type');
like($css->{body}, qr/^:root\{--accent:#7a0019;--tint:#[0-9a-f]{6}\}\@media\(prefers-color-scheme:dark\)\{:root\{/,
	'its text');
is($service->get("/page/$_")->{status}, 404, "$_: no colours") for 'accent-.css', 'accent-' . '0' x 23 . '.css',
	'accent-' . '0' x 25 . '.css', 'accent-' . 'g' x 24 . '.css', 'accent-' . '0' x 24 . '.js';
my $refused = $service->patch("/configs/$ids{accentColor}", { value => 'ffcc00' });
is($refused->{status}, 400, 'one that cannot be read is refused');
is($refused->{json}{data}{value}[0]{message}, 'has a contrast of 1.44 to the ground of its links, and needs 4.5',
	'why');

# the image of the default organization, else of the oldest one, is the logo
unlike($page, qr{<a class="brand"[^>]*><img}, 'there is no logo');
like($page, qr{<link rel="icon" href="/page/[0-9a-f]+/icon\.svg">}, 'and the icon of the window is that of all');
my ($oldest, $other) = map { $_->{id} }
	@{ $service->get('/organizations?orderBy=createdAt')->{json}{data} };
my ($logo, %type) = form(part('uploadImage', '<svg xmlns="http://www.w3.org/2000/svg"/>', file => 'a.svg'));
is($service->put("/organizations/$oldest", $logo, %type)->{status}, 200, 'the oldest gets an image');
soon('it is the logo',
	qr{<a class="brand" href="/"><img src="/organizations/$oldest/image" alt="" width="40" height="40"><bdi>});
my $default = $service->get('/configs?key=defaultOrganization&match=EXACT')->{json}{data}[0]{id};
is($service->patch("/configs/$default", { value => $other })->{status}, 200, 'another one is the default');
soon('which has none', qr{<a class="brand" href="/"><bdi>});
is($service->put("/organizations/$other", $logo, %type)->{status}, 200, 'that gets one');
soon('which is the logo then', qr{<img src="/organizations/$other/image"});
like(page(), qr{<link rel="icon" href="/organizations/$other/image">}, 'and the icon of the window');
like(page("/organizations/$oldest"), qr{<img class="logo" src="/organizations/$oldest/image" alt="" [^>]*><h1>},
	'the page of each organization has its own');
unlike(page('/organizations/' . $service->get('/organizations?orderBy=createdAt&skip=2&limit=1')->{json}{data}[0]{id}),
	qr{class="logo"}, 'if it has one');
is($service->sql("UPDATE catalogue.organizations SET image = 'https://evil.example/organizations/$other/x' WHERE id = "
	. "'$other' RETURNING 1"), 1, 'an image elsewhere');
unlike(page("/organizations/$other"), qr{class="logo"}, 'is not loaded');

# texts of the catalogue itself are pages, to which each page leads
my %made;
for my $one (
	{ name => 'Accessibility', text => '## What works', position => 2 },
	{ name => 'About <us>', text => "# Who\n\nWe are [here](/pages/accessibility) <b>",
		position => 1, optionals => { translations => { es => { name => 'Quiénes somos', text => '* Nosotros' } } } },
	{ name => 'In preparation', text => 'x', position => 3, visible => Cpanel::JSON::XS::false },
	{ name => 'Without a link', text => 'x' })
{
	my $reply = $service->post('/pages', $one);
	is($reply->{status}, 201, "$one->{name}: made") or diag $reply->{body};
	($made{ $one->{name} }) = $reply->{json}{links}{record} =~ m{(\w+)$};
}
soon('they are at the foot', qr{<footer.*<a href="/pages/about-lessusgreater">.*}s);
my ($foot) = page() =~ m{(<footer.*)}s;
like($foot,
	qr{/about-lessusgreater"><bdi>About &lt;us&gt;</bdi></a></li><li><a href="/pages/accessibility"><bdi>Access},
	'in order, by their names');
unlike($foot, qr/preparation|without-a-link/, 'without those that are hidden, or have no position');
like(page('/datasets?lang=es'),
	qr{<a href="/pages/about-lessusgreater\?lang=es"><bdi>Quiénes somos</bdi></a></li><li>.*<bdi>Accessibility<},
	'in the language of the page, as far as they have it');
like(page('/pages/about-lessusgreater'),
	qr{<title>About &lt;us&gt; · $escaped</title><meta name="description" content="Who\nWe are here },
	'a page has its name in the window, and its text for search engines');
like(page('/pages/about-lessusgreater'), pattern('<h1><bdi>About &lt;us&gt;</bdi></h1>',
	'<div class="written" dir="auto"><h2>Who</h2><p>We are ',
	'<a href="/pages/accessibility">here</a> &lt;b&gt;</p></div></main>'), 'and its text, and nothing else');
like(page('/pages/about-lessusgreater?lang=es'),
	qr{<h1><bdi>Quiénes somos</bdi></h1>.*<ul><li>Nosotros</li></ul></div></main>}s,
	'in Spanish, too');
is($service->get('/pages/in-preparation', Accept => 'text/html', Authorization => undef)->{status}, 404,
	'one in preparation is not there for visitors');
is($service->delete("/pages/$made{'About <us>'}")->{status}, 200, 'one is deleted');
soon('it is at no foot any more', qr/<footer(?!.*\/pages\/about).*accessibility/s);

# what is no address leads nowhere
for my $bad ('javascript:alert(1)', 'https://a b', '//example.org', "https://example.org/\nx")
{
	is($service->patch("/configs/$ids{legalUrl}", { value => $bad })->{status}, 200, 'an administrator errs');
	soon('it is no link', qr/^(?!.*Legal notice)/s);
	is($service->patch("/configs/$ids{legalUrl}", { value => $configs{legalUrl} })->{status}, 200, 'and mends it');
	soon('a link again', qr/Legal notice/);
}
is($service->patch("/configs/$ids{catalogEmail}", { value => 'x" onclick="alert(1)' })->{status}, 200, 'no address');
soon('is no link either', qr/^(?!.*mailto:)/s);
is($service->delete("/configs/$ids{catalogTitle}")->{status}, 200, 'without a title');
soon('it is a data catalogue again', qr{<title>Datasets · Data catalogue</title>});

$service->finish;
