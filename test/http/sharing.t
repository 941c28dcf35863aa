#!/usr/bin/perl
# Charts, maps and rows in pages of others: frames that the policy permits to whom the setting names, without what
# logs in; oEmbed; citations, and what programs read of the head of a page.  Hostile names stay texts.

use strict;
use warnings;
use utf8;

use Test::More;
use Catalogue::Test;
use Catalogue::Upload;
use Catalogue::Worker;
use Encode qw(decode_utf8);

my $service = Catalogue::Test->start->as_admin;
my $base    = $service->{base};
my $worker  = Catalogue::Worker->start($service);
my $hostile = 'Cities "></iframe><script>alert(1)</script> & {50%}_#';
my $dataset = $service->get('/datasets?limit=1')->{json}{data}[0]{id};
my $file    = Catalogue::Upload->new($service)->file('cities.csv', "city,people\nOslo,700\nBergen,290\n",
	name => $hostile, dataset => $dataset, status => 'qWRhpRV', visible => 'true')->{id};
is($worker->wait_for_file($file)->{parseState}, 'ready', 'the file is read');
my ($chart, $hidden) = map {
	$service->post('/charts', { file => $file, type => 'bar', dataSeries => [ 'city', 'people' ], %$_ })
		->{json}{links}{record} =~ s{.*/}{}r
} { name => $hostile, status => 'qWRhpRV' }, { name => 'Hidden' };

isnt($_, undef, 'a chart') for $chart, $hidden;

sub page
{
	my ($path, %more) = @_;
	my $reply = $service->get($path, Accept => 'text/html', Authorization => undef, %more);
	return ($reply, decode_utf8($reply->{body}));
}
sub policy { return $_[0]{headers}{'content-security-policy'} =~ m{frame-ancestors ([^;]*);} ? $1 : undef }

sub encoded { return $_[0] =~ s{([^A-Za-z0-9])}{sprintf '%%%02X', ord $1}ger }

for my $path ("/charts/$chart", "/files/$file", "/files/$file/contents?groupBy=city&aggregate=sum(people)")
{
	my $sign = $path =~ /\?/ ? '&' : '?';
	my ($reply, $text) = page($path);
	is(policy($reply), q('none'), "$path: in no frame");
	my ($code) = $text =~ m{>(&lt;iframe .*?)</textarea>}s;
	$code =~ s/&lt;/</g, $code =~ s/&gt;/>/g, $code =~ s/&quot;/"/g, $code =~ s/&#39;/'/g, $code =~ s/&amp;/&/g;
	like($code, qr{\A<iframe src="[^"<>]*" title="[^"<>]*" [a-z0-9=":% ]*></iframe>\z},
		"$path: the code of a frame, whatever the name");
	my ($address) = $code =~ m{src="\Q$base\E([^"]*)"};
	$address =~ s/&amp;/&/g;
	is($address =~ s/%28/(/r =~ s/%29/)/r, "$path${sign}embed=true", "$path: its address");
	my ($frame, $shown) = page($address);
	is($frame->{status}, 200, "$path: the frame");
	is(policy($frame), '*', "$path: in a frame of anybody");
	unlike($shown, qr{<header|<form|class="search"|href="/openapi}, "$path: a frame has nothing to be used");
	like($shown, qr{<body class="embedded" data-embedded>.*<footer><a href="\Q$base\E/(?:charts|files)/}s,
		"$path: a frame leads to the page");
	unlike($shown, qr{<script>alert}, "$path: a name is a text");
	like($text, qr{<link rel="alternate" type="application/json\+oembed" href="\Q$base\E/oembed\?url=},
		"$path: is told");
}
for my $path ('/', '/datasets', "/datasets/$dataset", '/nonesuch', "/files/$file/contents?_id=x", '/tags')
{
	my ($reply, $text) = page($path . ($path =~ /\?/ ? '&' : '?') . 'embed=true');
	is(policy($reply), q('none'), "$path: is for no frame");
	like($text, qr{<header class="site">}, "$path: with all that it has");
}
is($service->get("/charts/$chart?embed=true")->{status}, 200, 'JSON does not mind');

# The head, and citations.
{
	my ($reply, $text) = page("/charts/$chart");
	my %of = $text =~ m{<meta property="og:([\w:]+)" content="([^"]*)">}g;
	is($of{image}, "$base/charts/$chart/image/png", 'the picture');
	is($of{url}, "$base/charts/$chart", 'the address');
	my $escaped = 'Cities &quot;&gt;&lt;/iframe&gt;&lt;script&gt;alert(1)&lt;/script&gt;';
	is($of{title}, "$escaped &amp; {50%}_#", 'the title');
	like($text, qr/title = \Q{{$escaped\E \\&amp; \\\{50\\%\\\}\\_\\#\}\}/, 'BibTeX, with its own escapes');
	($reply, $text) = page("/files/$file/contents?groupBy=city");
	%of = $text =~ m{<meta property="og:([\w:]+)" content="([^"]*)">}g;
	is($of{image}, "$base/files/$file/image/png?groupBy=city", 'the picture of rows');
	($reply, $text) = page("/datasets/$dataset");
	like($text, qr{<p dir="auto" class="citation">[^<]+ \(20\d\d\)\. [^<]+ \Q$base\E/datasets/$dataset</p>},
		'a dataset is cited');
	unlike($text, qr{&lt;iframe src=}, 'and not framed');
}

# oEmbed.
{
	my $reply = $service->get('/oembed?maxwidth=300&url=' . encoded("$base/charts/$chart"), Authorization => undef);
	is($reply->{status}, 200, 'oEmbed');
	is_deeply([ @{ $reply->{json} }{qw(version type title width height provider_url)} ],
		[ '1.0', 'rich', $hostile, 300, 480, "$base/" ], 'oEmbed: what it tells');
	like($reply->{json}{html}, qr{\A<iframe src="\Q$base\E/charts/$chart\?embed=true" title="[^"<>]*" width="300" },
		'oEmbed: a frame, whatever the name');
	my $rows = $service->get('/oembed?url=' . encoded("$base/files/$file/contents?groupBy=city&fields=\"><b>"));
	like($rows->{json}{html}, qr{\A<iframe src="\Q$base\E/files/$file/contents\?groupBy=city&amp;fields=[^"<>]*&amp;embed},
		'oEmbed: rows, whatever the address');
	is($service->get('/oembed?url=' . encoded($_))->{status}, 404, "oEmbed: $_") for "$base/datasets/$dataset",
		"https://example.org/charts/$chart", "$base.example.org/charts/$chart", "$base/charts/zzzzzzzzzzzzzzz",
		"$base/charts/$chart/contents", '', "$base/charts/$hidden";
	is($service->get('/oembed?url=%FF')->{status}, 400, 'oEmbed: no text');
	is($service->get('/oembed')->{status}, 404, 'oEmbed: no address');
	is($service->get('/oembed?format=xml&url=' . encoded("$base/charts/$chart"))->{status}, 406, 'oEmbed: not as XML');
}
$worker->finish;

# Those whom the setting names, or nobody.
for ([ 'https://a.example.org,https://b.example.org', 'https://a.example.org https://b.example.org', 1 ],
	[ 'none', q('none'), 0 ])
{
	my ($setting, $policy, $code) = @$_;
	my $other = Catalogue::Test->start(CATALOGUE_FRAME_ANCESTORS => $setting)->as_admin;
	my $made  = $other->post('/charts', { name => 'Own', link => 'https://example.org', status => 'qWRhpRV',
		data => { labels => ['a'], data => [1] } })->{json}{links}{record} =~ s{.*/}{}r;
	is(policy($other->get("/charts/$made?embed=true", Accept => 'text/html')), $policy, "frame_ancestors=$setting");
	is($other->get("/charts/$made", Accept => 'text/html')->{body} =~ /&lt;iframe src=/ ? 1 : 0, $code,
		"frame_ancestors=$setting: the code");
	$other->end_service;
}
$service->is_sound;
$service->finish;
