#!/usr/bin/perl
# Documents are compressed for clients that take gzip, with an entity tag of their own; short and long ones are not.

use strict;
use warnings;

use Test::More;
use Catalogue::Test;
use IO::Uncompress::Gunzip qw(gunzip);

my $service = Catalogue::Test->start->as_admin;
my ($chart, $short) = map {
	$service->post('/charts', { name => "Own $_", link => 'https://example.org', status => 'qWRhpRV',
		data => { labels => [ 1 .. $_ ], data => [ 1 .. $_ ] } })->{json}{links}{record} =~ s{.*/}{}r
} 20, 1;
my $long = $service->sql(q(INSERT INTO catalogue.maps (name, link, basemap, status, created_by, geojson)
	SELECT 'Long', 'https://example.org', (SELECT min(id::text) FROM catalogue.basemaps), 'qWRhpRV', u.id,
		json_build_object('type', 'FeatureCollection', 'features', (SELECT json_agg(json_build_object('type', 'Feature',
			'geometry', json_build_object('type', 'Point', 'coordinates', ARRAY[n % 170, 1]),
			'properties', json_build_object('name', repeat('a place', 9)))) FROM generate_series(1, 9000) n))
	FROM catalogue.users u WHERE u.username = 'admin' RETURNING id));
ok($_, 'a record') for $chart, $short, $long;
for ([ "/charts/$chart/image" ], [ "/charts/$chart", 'image/svg+xml' ], ['/catalog?limit=3'], ['/datasets/feed/rss'])
{
	my ($path, $accept) = @$_;
	my @accept = (Authorization => undef, $accept ? (Accept => $accept) : ());
	my $plain  = $service->get($path, @accept);
	my $packed = $service->get($path, @accept, 'Accept-Encoding' => 'gzip');
	is($plain->{headers}{'content-encoding'}, undef, "$path: as it is");
	is($packed->{headers}{'content-encoding'}, 'gzip', "$path: by gzip");
	cmp_ok(length $packed->{body}, '<', length $plain->{body}, "$path: which is shorter");
	my $body;
	ok(gunzip(\$packed->{body}, \$body) && $body eq $plain->{body}, "$path: the same");
	like($_->{headers}{vary}, qr{Accept-Encoding}, "$path: Vary") for $plain, $packed;
	isnt($packed->{headers}{etag}, $plain->{headers}{etag}, "$path: another tag");
	is($service->get($path, @accept, 'Accept-Encoding' => 'gzip', 'If-None-Match' => $packed->{headers}{etag})->{status},
		304, "$path: not modified");
	is($service->get($path, @accept, 'If-None-Match' => $packed->{headers}{etag})->{status}, 200,
		"$path: the tag is not that of the other");
	my $head = $service->head($path, @accept, 'Accept-Encoding' => 'gzip');
	is($head->{headers}{$_}, $packed->{headers}{$_}, "$path: $_ of HEAD") for 'content-encoding', 'content-length';
}
is($service->get($_, 'Accept-Encoding' => 'gzip')->{headers}{'content-encoding'}, undef, "$_: as it is")
	for "/charts/$short/data", "/maps/$long/geojson", '/datasets';
my $refused = $service->get("/charts/$chart/image", 'Accept-Encoding' => 'gzip;q=0, identity');
is($refused->{headers}{'content-encoding'}, undef, 'who refuses gzip gets none');
$service->finish;
