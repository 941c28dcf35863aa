#!/usr/bin/perl
# The rows of a file on a page, without scripts: columns, groups and values are chosen by links and one form; what is
# shown is drawn and can be taken along; a refused request keeps its inputs, with the fault at its input.

use strict;
use warnings;
use utf8;

use Test::More;
use Catalogue::Test;
use Catalogue::Upload;
use Catalogue::Worker;
use Encode qw(decode_utf8);

my $service = Catalogue::Test->start->as_admin;
my $worker  = Catalogue::Worker->start($service);
my @cities  = ([ 'Oslo', 'NO', 700 ], [ 'Bergen', 'NO', 290 ], [ 'Lund, "old"', 'SE', 94 ], [ 'Turku', 'FI', 195 ],
	[ 'Kemi', 'FI', 20 ], [ 'Espoo', 'FI', 300 ]);
my $bytes = "city,country,people,opened,lat,lon\n"
	. join '', map { sprintf "%s,%s,%d,2024-0%d-01,%d,%d\n", $_->[0] =~ s/"/""/gr =~ s/(.*,.*)/"$1"/r, @$_[ 1, 2 ],
		1 + $_->[2] % 3, 60 + $_->[2] % 7, 10 + $_->[2] % 9 } @cities;
my $file  = Catalogue::Upload->new($service)->file('cities.csv', $bytes, name => 'Cities',
	dataset => $service->get('/datasets?limit=1')->{json}{data}[0]{id}, status => 'qWRhpRV', visible => 'true')->{id};
is($worker->wait_for_file($file)->{parseState}, 'ready', 'the file is read');

sub page
{
	my ($query, %more) = @_;
	my $reply = $service->get("/files/$file/contents" . ($query ne '' ? "?$query" : ''), Accept => 'text/html',
		Authorization => undef, %more);
	return ($reply->{status}, decode_utf8($reply->{body}));
}

# The links of a part of a page, by their text.
sub links
{
	my $link = qr{<li><a[^>]* rel="nofollow" href="([^"]*)">};
	return $_[0] =~ m{$link<bdi>([^<]*)</bdi></a> <span[^>]*>([\d,]+)<}g;
}

{
	my ($status, $text) = page('');
	is($status, 200, 'rows: status');
	my @links  = links($text);
	my %values = map { my ($address, $value, $count) = splice @links, 0, 3; $value => [ $address, $count ] }
		1 .. @links / 3;
	is_deeply({ map { $_ => $values{$_}[1] } grep { /^[A-Z]{2}$/ } keys %values }, { FI => 3, NO => 2, SE => 1 },
		'values stand with their counts');
	my $address = $values{NO}[0] =~ s/&amp;/&/gr;
	my $reply   = $service->get($address, Accept => 'text/html');
	like(decode_utf8($reply->{body}), qr{· 2 rows</p>.*<a aria-current="true"[^>]*><bdi>NO</bdi>}s,
		'a value is a filter, and is marked');
	unlike($text, qr{<details class="values"[^>]*><summary>Values</summary><ul><li><a rel="nofollow" href="[^"]*city=},
		'values that are all different are not listed');
	like($text, qr{<div class="wide picture fixed" tabindex="0"><img src="/files/$file/image" loading="lazy" alt="Map: },
		'places are a map');
	like($text, qr{formaction="/files/$file/download/geojson">}, 'and can be taken along so');
}
{
	my ($status, $text) = page('country[eq]=FI,SE&condition=AND&fields=city&fields=country');
	is($status, 200, 'columns: status');
	is_deeply([ $text =~ m{<th scope="col"[^>]*><a [^>]*><bdi>([^<]+)</bdi>}g ], [qw(_id city country)],
		'columns: those that are chosen');
	like($text, qr{name="fields" value="city" checked>.*name="fields" value="people">}s, 'columns: and are marked');
	my ($form) = $text =~ m{<form id="filter"(.*?)</form>}s;
	unlike($form, qr{type="hidden" name="(?:fields|country|match)"}, 'columns: the form has them once');
	is_deeply([ $text =~ m{<li><a aria-current="true"[^>]*><bdi>([^<]+)</bdi>}g ], [qw(FI SE)],
		'columns: the values that are chosen are marked');
	like($text, qr{· 4 rows</p>}, 'columns: any of them counts');
}
{
	my ($status, $text) = page('groupBy=country&groupBy=&aggregate=sum%28people%29&people[gte]=50');
	is($status, 200, 'groups: status');
	like($text, qr{· 3 groups</p>}, 'groups: how many');
	is_deeply([ $text =~ m{<tr><td><bdi>([A-Z]+)</bdi></td><td class="number">([\d.]+)</td></tr>}g ],
		[ NO => 990, FI => 495, SE => 94 ], 'groups: the greatest first');
	like($text, qr{aria-sort="descending">.*?<bdi>Sum: people</bdi>}s, 'groups: which the heading tells');
	like($text, qr{<option value="country" selected>country</option>.*<option value="sum\(people\)" selected>}s,
		'groups: and the form');
	like($text, qr{<input form="filter" name="people\[gte\]" value="50"}, 'groups: filters have inputs');
	my ($image) =
		$text =~ m{<img src="(/files/$file/image\?[^"]*)" width="720" height="\d+" loading="lazy" alt="Chart: Cities">};
	$image =~ s/&amp;/&/g;
	my $picture = $service->get($image, Accept => 'image/*', Authorization => undef);
	like(decode_utf8($picture->{body}), qr{<desc id="desc">Bar chart with 3 labels.*NO⁩: 990; .*FI⁩: 495; .*SE⁩: 94},
		'groups: the chart is of just these');
	my $sorted = qr{<bdi>FI</bdi>.*<bdi>NO</bdi>.*<bdi>SE</bdi>}s;
	like((page('groupBy=country&orderBy=country'))[1], qr{aria-sort="ascending".*$sorted}s, 'groups: another order');
	like((page('groupBy=country&orderBy=city'))[1], qr{aria-sort="descending".*$sorted}s,
		'groups: the order of rows does not remain');
	like((page('groupBy=country,opened'))[1],
		qr{name="groupBy">.*"country" selected>.*name="groupBy">.*"opened" selected>}s, 'groups: of two columns');
}
{
	my ($status, $text) = page('people[gte]=many&country=NO');
	is($status, 422, 'a fault: status');
	my ($cell) = $text =~ m{(<input form="filter" name="people\[gte\]".*?)</td>}s;
	like($cell, qr{ value="many"[^>]* aria-invalid="true" aria-describedby="fault">}, 'a fault: the input is marked');
	like($cell, qr{<p class="fault" role="alert" id="fault" [^>]*>invalid value for filter &quot;people&quot;: },
		'a fault stands at its input');
	like($text, qr{name="country" value="NO"}, 'a fault: the other inputs stay');
	unlike(($text =~ m{<section class="contents">(.*?)</section>}s)[0], qr{<tbody><tr|Download these rows|· \d},
		'a fault: no rows are shown');
	my $spanish = (page('people[gte]=many&lang=es'))[1];
	like($spanish, qr{id="fault" dir="auto">valor no válido}, 'a fault: in Spanish');
	($status, $text) = page('groupBy=nonesuch');
	is($status, 422, 'another fault: status');
	like($text, qr{<p class="fault" role="alert".*<form id="filter"}s, 'another fault: above the form');
	is((page('sheet=9'))[0], 404, 'no such sheet');
	is((page('people[gte]=many', Accept => 'application/json'))[0], 422, 'JSON has the fault as ever');
}
{
	my ($status, $text) = page('country=XX');
	is($status, 200, 'nothing: status');
	is_deeply([ $text =~ m{<th scope="col"[^>]*><a [^>]*><bdi>([^<]+)</bdi>}g ],
		[qw(city country people opened lat lon)], 'nothing: the columns and inputs stay');
	like($text, qr{name="country" value="XX".*There is nothing here}s, 'nothing: with what was entered');
}
{
	my ($status, $text) = page('facets=city&facetLimit=1000');
	my @links = grep { /city\[eq\]=/ } links($text);
	is(scalar @links, 6, 'values that are asked for are all there');
	my ($odd) = grep { /old/ } @links;
	like(decode_utf8($service->get($odd =~ s/&amp;/&/gr, Accept => 'text/html')->{body}),
		qr{· 1 row</p>}, 'a value with commas and quotes is one value');
}
$worker->finish;
$service->is_sound;
$service->finish;
