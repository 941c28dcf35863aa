#!/usr/bin/perl
# Languages of pages: each catalogue in shim/po/ is one. The client's Accept-Language, the address and the setting
# page_languages choose; a page in a language has no text of another one, except what records say.

use strict;
use warnings;
use utf8;
use open qw(:std :encoding(UTF-8));

use Test::More;
use Catalogue::Test;
use Catalogue::Words;
use Encode qw(decode_utf8);

my $service = Catalogue::Test->start->as_admin;
my @languages = ('en', Catalogue::Words::languages());
my %own = (en => 'English', map {
	my $language = $_;
	$language => (map { $_->[2] } grep { $_->[0] eq 'language name' }
		Catalogue::Words::entries(Catalogue::Words::file($language)))[0]
} @languages[ 1 .. $#languages ]);

# A page as text.
sub page
{
	my ($path, %headers) = @_;
	my $reply = $service->get($path, Authorization => undef, Accept => 'text/html', %headers);
	$reply->{text} = decode_utf8($reply->{body});
	return $reply;
}

# The language of a page, as its markup and its headers tell it.
sub language_of
{
	my ($reply) = @_;
	my ($language) = $reply->{text} =~ /<html lang="([^"]*)">/;
	is($reply->{headers}{'content-language'}, $language, 'Content-Language is that of the markup');
	like($reply->{headers}{vary}, qr/\bAccept-Language\b/, 'and Vary has Accept-Language');
	return $language;
}

# The languages that a page offers: their names, each with its link, '' for that of the page.
sub offered
{
	my ($text) = @_;
	my ($footer) = $text =~ m{<footer class="site">(.*?)</footer>}s;
	return { map { $_->[1] => $_->[0] } ([ '', $footer =~ /<li lang="[\w-]+" aria-current="true">([^<]+)</ ]) x !!($footer
		=~ /aria-current/),
		map { [ $footer =~ m{<a href="([^"]*)" lang="[\w-]+" hreflang="[\w-]+">\Q$_\E<} ? $1 : (), $_ ] } $footer
			=~ m{hreflang="[\w-]+">([^<]+)<}g };
}

# what the client accepts
for (
	[ 'es-MX'                      => 'es' ],
	[ 'ES'                         => 'es' ],
	[ 'es-419, en'                 => 'es' ],
	[ 'qaa-Hant-TW, es-UY;q=0.5'   => 'es' ],
	[ 'en;q=0.2, es;q=0.3'         => 'es' ],
	[ 'es;q=0.2, en-GB;q=0.3'      => 'en' ],
	[ 'qaa, qab;q=0.9'             => 'en' ],
	[ 'es;q=0'                     => 'en' ],
	[ 'e, ess, -es, es_MX'         => 'en' ],
	[ '*'                          => 'en' ],
	[ ('es-x-' . 'a-' x 1000)      => 'es' ],
	(map { [ "$_-XX, en;q=0.9" => $_ ] } @languages),
	)
{
	is(language_of(page('/tags', 'Accept-Language' => $_->[0])), $_->[1], substr "Accept-Language: $_->[0]", 0, 60);
}
is(language_of(page('/tags')), 'en', 'English without it');

# the address decides before it, and each page leads to itself in the other languages
for my $language (@languages)
{
	is(language_of(page("/tags?limit=1&lang=$language", 'Accept-Language' => $language eq 'es' ? 'en' : 'es')), $language,
		"lang=$language in the address");
	my %links = map { $own{$_} => $_ eq $language ? '' : "/tags?limit=1&amp;lang=$_" } @languages;
	is_deeply(offered(page("/tags?limit=1&lang=$language")->{text}), \%links,
		"$language: links to the others by their names");
	is_deeply(offered(page('/a/b/c/d/e/f', 'Accept-Language' => $language)->{text}),
		{ map { $own{$_} => $_ eq $language ? '' : "/?lang=$_" } @languages }, "$language: also where there is no page");
}
is(language_of(page('/tags?lang=xx')), 'en', 'a language that there is not is no language');

# each text of the page is in its language: words of the markup, but not of records, programs, and addresses
my ($dataset) = $service->sql('SELECT id FROM catalogue.datasets WHERE published_at IS NOT NULL LIMIT 1') =~ /(\w+)/;
my ($file) = $service->sql(
	"SELECT id FROM catalogue.files WHERE dataset = '$dataset' AND published_at IS NOT NULL LIMIT 1") =~ /(\w+)/;
$service->sql("SELECT catalogue.contents_load('$file', '[[\"street\", \"cars\"], [\"High Street\", \"1\"], [\"Low "
	. "Street\", \"2\"]]')");
my ($chart) = $service->sql('SELECT id FROM catalogue.charts LIMIT 1') =~ /(\w+)/;
$service->sql(qq(UPDATE catalogue.charts SET data_series = NULL,
	data = '{"labels": ["a", "Other"], "data": [1, 2], "rest": ["labels"]}' WHERE id = '$chart'));
my @paths = ('/', '/datasets', '/datasets/search?query=air', '/tags', "/datasets/$dataset", "/files/$file",
	"/files/$file/contents", "/files/$file/contents?groupBy=street&aggregate=count", "/charts/$chart", '/files', '/maps',
	'/organizations', '/categories', '/search?query=air', '/datasets?query=qqqq',
	"/files/$file/contents?cars=many", '/nonesuch', '/datasets/nothing', '/tags?limit=x', '/users');
for my $language (@languages[ 1 .. $#languages ])
{
	my @entries = Catalogue::Words::entries(Catalogue::Words::file($language));
	cmp_ok(scalar keys %{ Catalogue::Words::foreign($language) }, '>', 500, "$language: there are translations");
	for my $path (@paths)
	{
		my $text = page($path, 'Accept-Language' => $language)->{text} =~ s{.*?(?=<title>)}{}sr;
		$text =~ s{<(bdi|code|pre|script|q|mark|td|option)\b.*?</\1>}{}gs;
		my @texts = grep { length }
			$text =~ /(?:aria-label|title|placeholder)="([^"]*)"/g, split /<[^>]*>/, $text;
		cmp_ok(scalar @texts, '>', 10, "$path: has texts");
		is_deeply([ Catalogue::Words::english($language, @texts) ], [], "$path: none of them is English in $language");
	}

	my ($published) = map { $_->[2] } grep { $_->[0] eq 'Published' } @entries;
	like(page("/datasets/$dataset", 'Accept-Language' => $language)->{text}, qr{<bdi>$published</bdi>},
		"$language: a state has its name");

	# pictures are those of the language, and so is the rest of a chart, however it is called
	for my $path ("/charts/$chart", "/files/$file/contents?groupBy=street&aggregate=count")
	{
		my ($picture) = page($path, 'Accept-Language' => $language)->{text} =~ /<img src="([^"]*image[^"]*)"/;
		like($picture, qr/[?;]lang=$language$/, "$path: its picture is in $language");
		is($service->get($picture =~ s/&amp;/&/gr, Authorization => undef)->{status}, 200, 'and is there');
	}
	my ($other) = map { $_->[2] } grep { $_->[0] eq '' && $_->[1] eq 'Other' } @entries;
	like(page("/charts/$chart", 'Accept-Language' => $language)->{text}, qr{<th scope="row"><bdi>$other</bdi></th>},
		"$language: the rest of a chart");

	# errors of the service
	my ($form) = map { $_->[2] } grep { $_->[1] eq 'invalid value for parameter {parameter}: {value}' } @entries;
	my ($hint) = map { $_->[2] } grep { $_->[1] eq 'It takes a whole number, 0 or more.' } @entries;
	my %places = (parameter => '&quot;limit&quot;', value => '&quot;x&quot;');
	my $told   = $form =~ s/\{(\w+)\}/$places{$1}/gr;
	like(page('/tags?limit=x', 'Accept-Language' => $language)->{text},
		qr{<p dir="auto">\Q$told\E</p><p dir="auto">\Q$hint\E</p>}, "$language: a message, with its places");

	# of scripts
	my $module = $service->get("/page/words-$language.js");
	is($module->{status}, 200, "$language: its texts for scripts");
	my ($one) = map { $_->[2] } grep { $_->[1] eq 'Choose a file' } @entries;
	like(decode_utf8($module->{body}), qr/"Choose a file":"\Q$one\E"/, "$language: which are translated");
}

# a message in a message, and one that is too long for a page
is(page('/tags?limit=' . ('x' x 5000), 'Accept-Language' => 'es')->{status}, 422, 'a long message is told');

# the setting
sub started_with
{
	my ($languages) = @_;
	$service->stop_shim;
	$service->{settings}{CATALOGUE_PAGE_LANGUAGES} = $languages;
	$service->start_shim;
	return;
}
started_with(' es , en');
is(language_of(page('/tags', 'Accept-Language' => 'de')), 'es',
	'the first is that of clients who ask for none of them');
is(language_of(page('/tags', 'Accept-Language' => 'en')), 'en', 'the other is offered');
is_deeply([ sort keys %{ offered(page('/tags')->{text}) } ], [qw(English Español)], 'and no further one');
is(page('/tags')->{text} =~ /English.*Español/s ? 'sorted' : 'as set', 'as set', 'in the order of the setting');
started_with('es');
is(language_of(page('/tags?lang=en', 'Accept-Language' => 'en')), 'es', 'one language: nothing to choose');
is_deeply(offered(page('/tags')->{text}), {}, 'and no list');

for (
	[ 'xx'      => '"xx" is no language of pages' ],
	[ 'en,xx'   => '"xx" is no language of pages' ],
	[ 'en;es'   => 'is no language of pages' ],
	[ 'es;q=1'  => 'is no language of pages' ],
	[ 'es-UY'   => '"es-UY" is no language of pages' ],
	[ ','       => 'is no language of pages' ],
	[ 'Spanish' => 'is no language of pages, which are: ' . join ', ', @languages ],
	)
{
	local %ENV = (%ENV, %{ $service->{settings} }, CATALOGUE_PAGE_LANGUAGES => $_->[0]);
	my $text = qx($ENV{CATALOGUE_SHIM} --check 2>&1);
	isnt($?, 0, "page_languages \"$_->[0]\" is refused");
	like($text, qr/^catalogue-shim: page_languages "\Q$_->[0]\E": .*\Q$_->[1]\E/, 'with a message');
}
{
	local %ENV = (%ENV, %{ $service->{settings} }, CATALOGUE_PAGE_LANGUAGES => 'ES,en');
	like(qx($ENV{CATALOGUE_SHIM} --check 2>&1), qr/^settings: good$/m, 'names may have capitals');
}

$service->finish;
