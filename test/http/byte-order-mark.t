#!/usr/bin/perl
# bom=true: every CSV that the service writes begins with a byte order mark, once, and nothing else does; stored bytes
# are given as they are.

use strict;
use warnings;

use Catalogue::Definition;
use Catalogue::Test;
use Catalogue::Upload;
use Catalogue::Worker;
use Test::More;

my $service = Catalogue::Test->start->as_admin;
my $uploads = Catalogue::Upload->new($service);
my $worker  = Catalogue::Worker->start($service);
my $mark    = "\xEF\xBB\xBF";
my @csv     = (Accept => 'text/csv');
my $bytes   = "name;n\n\xC3\xB1u;1\n=x;-2\n";
my $file    = $uploads->file('marked.csv', $bytes)->{id};
my $places    = $uploads->file('marked.geojson', '{"type":"FeatureCollection","features":[{"type":"Feature",'
	. '"geometry":{"type":"Point","coordinates":[1,2]},"properties":{"name":"a","n":1}}]}')->{id};
is($worker->wait_for_file($_)->{parseState}, 'ready', 'the file is read') for $file, $places;
my $chart = $service->post('/charts', { name => 'Marked', file => $file, dataSeries => 'name' })->{json}{links}{record}
	=~ s{.*(?=/charts)}{}r;

# written by the service: the same with the mark, and without it by false and by default; another tag
for my $path ('/tags?limit=3', "/files/$file/contents?n=-2", "/files/$file/download/csv?n=-2",
	"/files/$places/download/csv?", "$chart/data?", '/statistics/summary?groupBy=method',
	'/tags/statistics?groupBy=method', '/datasets/airports/files?')
{
	my $plain  = $service->get($path,           @csv);
	my $marked = $service->get("$path&bom=true", @csv);
	is($marked->{status}, $plain->{status}, "$path: status");
	like($plain->{body}, qr/^[a-z]/, 'without a mark by default');
	ok($marked->{body} eq $mark . $plain->{body}, 'the same behind a mark') || diag $marked->{body}
		unless $path =~ /statistics/;
	like($marked->{body}, qr/^$mark[a-z][^\xEF]*\z/, 'one mark');
	like($service->get("$path&bom=false", @csv)->{body}, qr/^[a-z]/, 'none by false');
	isnt($marked->{headers}{etag}, $plain->{headers}{etag}, 'another tag') if $plain->{headers}{etag};
	my $wrong = $service->get("$path&bom=yes", @csv);
	is($wrong->{status}, 422, 'another value is refused') or diag $wrong->{body};
	is($service->get("$path&bom=true", @csv, Prefer => 'handling=strict')->{status}, $plain->{status},
		'known to strict handling');
}

# nothing else has one
unlike($service->get($_->[0], Accept => $_->[1])->{body}, qr/$mark/, "no mark in $_->[1]")
	for [ '/tags?bom=true', 'application/json' ], [ '/tags?bom=true', 'application/x-ndjson' ],
		[ "/files/$file/contents?bom=true", 'application/json' ], [ "/files/$file/download/json?bom=true", '*/*' ];
ok(!$service->get('/tags?bom=true')->{json}{meta}{ignored}, 'nor is it ignored');
is($service->get('/tags?bom=2')->{status}, 422, 'where JSON is given, too');

# the bytes that were uploaded, in their own format
ok($service->get("/files/$file/$_", @csv)->{body} eq $bytes, "$_: the stored bytes") for 'download',
	'download?bom=true', 'download/csv', 'download/csv?bom=true';
ok($service->get("/files/$file/download/csv?bom=true", @csv)->{body} !~ /\A$mark/, 'without a mark');
is($service->get("/files/$file/download/csv?bom=yes")->{status}, 422, 'a wrong value is refused there as well');

# told by OPTIONS and OpenAPI, and in the links of pages
my ($list) =
	grep { $_->{verb} eq 'GET' && $_->{url} =~ m{/tags$} } @{ $service->request('OPTIONS', '/tags')->{json}{methods} };
is($list->{parameters}{bom}{type}, 'boolean', 'OPTIONS') or diag explain $list;
like($service->get('/openapi.json')->{body}, qr/"bom"/, 'OpenAPI');
like($service->get("/files/$places", Accept => 'text/html')->{body}, qr{/download/csv\?bom=true"},
	'a link of the page');
like($service->get("/files/$places/contents?n=1", Accept => 'text/html')->{body}, qr{name="bom" value="true"},
	'and its form');
is($worker->stop, 0, 'the worker ends');
$service->finish;
