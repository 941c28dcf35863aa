#!/usr/bin/perl
# A real browser shows the pictures of charts and maps, in light and dark: every text is inside the picture, none is on
# another one, contrasts suffice, nothing is run; and the code that embeds a picture shows it in a page.

use strict;
use warnings;

use Test::More;
use Catalogue::Browser;
use Catalogue::Test;

my $service = Catalogue::Test->start->as_admin;
my $created = qq(link, created_by, status) ;
my $values  = q('https://example.org', (SELECT id FROM catalogue.users WHERE username = 'admin'), 'qWRhpRV');
my %pictures;

# Store a chart with data of a client, which may be longer in SQL.
sub chart
{
	my ($name, $type, $data) = @_;
	my ($id) = $service->sql(
		"INSERT INTO catalogue.charts (name, type, data, $created) VALUES ('$name', '$type', ($data), $values) RETURNING id");
	$pictures{$name} = "/charts/$id/image";
	return;
}

sub map_of
{
	my ($name, $geojson) = @_;
	my ($id) = $service->sql("INSERT INTO catalogue.maps (name, geojson, basemap, $created)
		VALUES ('$name', ($geojson), (SELECT id FROM catalogue.basemaps LIMIT 1), $values) RETURNING id");
	$pictures{$name} = "/maps/$id/image";
	return;
}

# SQL of a table of labels, one column for each series, or of one without a name.
sub table_of
{
	my ($label, $value, $labels, $series) = @_;
	return "SELECT json_build_object('labels', (SELECT json_agg($label) FROM generate_series(1, $labels) n),
		'series', (SELECT json_agg('Series ' || s) FROM generate_series(1, $series) s),
		'data', (SELECT json_agg(d ORDER BY s) FROM (SELECT s, json_agg($value ORDER BY n) d
			FROM generate_series(1, $series) s, generate_series(1, $labels) n GROUP BY s) q))" if $series;
	return "SELECT json_build_object('labels', json_agg($label), 'data', json_agg($value)) FROM generate_series(1, "
		. "$labels) n";
}

my $wave = 'round((1000 * sin(n / 3.0))::numeric, 1)';
for my $type (qw(bar pie line stackedbar heatmap))
{
	chart("$type of some values", $type, table_of("'Label ' || n", $wave, 8));
	chart("$type of one value", $type, table_of("'Only'::text", 42, 1));
	chart("$type of 1000 labels", $type, table_of("'Label ' || n", $wave, 1000));
	chart("$type of several series", $type, table_of("'Q' || n", 'round(((n - 4) * s * 37.5)::numeric, 1)', 12, 10));
	chart("$type of long labels", $type, table_of("repeat('Ministerio de Educación ', 4) || n", $wave, 12));
}
chart('bar of nothing', 'bar', q(SELECT '{"labels": [], "data": []}'::json));
for my $type (qw(bar heatmap))
{
	chart("$type of labels from right to left", $type, table_of("'محافظة القاهرة ' || n", $wave, 6));
	chart("$type of great numbers", $type, table_of("'Label ' || n", 'n * 1234567890123', 8));
	chart("$type of small numbers", $type, table_of("'Label ' || n", 'n * -0.0000123', 8));
}
chart(q(<script>alert("name")</script> & a name that is so long that it takes more than a line ' || )
	. q(repeat('and', 20) || '), 'bar',
	q(SELECT '{"labels": ["<script>alert(1)</script>", "]]>&amp;<svg onload=\"alert(2)\">"], "data": [1, 2]}'::json));
my $point = q('{"type": "MultiPoint", "coordinates": %s}');
map_of('Map of points', sprintf "SELECT format($point, json_agg(json_build_array(n %% 37, n %% 53 - 20)))::json FROM "
	. "generate_series(1, 1000) n", '%s');
map_of('Map of the world', sprintf "SELECT $point\::json", '[[-179, -89], [0, 0], [179, 89]]');
map_of('Map of one point', sprintf "SELECT $point\::json", '[[-122.41941, 37.77493]]');
map_of('Map across the antimeridian', sprintf "SELECT $point\::json", '[[178, -18], [-175, -21]]');
map_of('Map of nothing', sprintf "SELECT $point\::json", '[]');

my $told = Catalogue::Browser::run($service, 'pictures.js',
	pictures => \%pictures,
	screenshots => $ENV{SCREENSHOTS}, # a directory to look at them
	embed => join '', map { qq(<img src="$service->{base}$_" alt="a &lt; b">) } sort values %pictures);

for my $name (sort keys %pictures)
{
	my ($light, $dark) = @{ $told->{pictures}{$name} }{qw(light dark)};
	for my $scheme ($light, $dark)
	{
		is_deeply($scheme->{$_}, [], "$name: $_") for qw(outside overlapping faint dim);
		is($scheme->{role}, 'img', "$name: its role");
		is(scalar(grep { length } @{ $scheme->{name} }), 2, "$name: it has a title and a description");
	}
	is_deeply($light->{paper}, [ 255, 255, 255 ], "$name: the background is white");
	cmp_ok($dark->{paper}[0], '<', 40, "$name: the background is dark where that is preferred");
}
is_deeply($told->{faults}, [], 'nothing was run, and nothing is wrong');
is_deeply($told->{embedded}, [ map { [ 720, 'a < b' ] } keys %pictures ],
	'all pictures are shown in a page of another origin');

$service->finish;
