#!/usr/bin/perl
# Documents refuse what they do not understand, as lists do; JSON of another type is given to who knows JSON only; and
# the OpenAPI document tells of each instant that it is one.

use strict;
use warnings;

use Test::More;
use Catalogue::Definition;
use Catalogue::Test;
use Catalogue::Upload;

my $service = Catalogue::Test->shared->as_admin;
my $openapi = $service->get('/openapi.json')->{json};

# each path with a parameter limit, skip, version, from or to, of the first record of the resource
my %bad   = (limit => 'x', skip => 'x', version => 'x', from => 'x', to => 'x');
my %first = map {
	my ($record) = @{ $service->get("/$_?limit=1")->{json}{data} };
	$_ => $record->{id}
} qw(datasets files maps charts);
my %seen;
for my $template (sort keys %{ $openapi->{paths} })
{
	my ($resource) = $template =~ m{^/([^/]+)};
	my $id         = $first{ $resource // '' } // '{id}';
	my $path       = $template =~ s/\{id\}/$id/r;
	next if $path =~ /[{]/;
	for my $parameter (@{ $openapi->{paths}{$template}{get}{parameters} // [] })
	{
		my ($component) = ($parameter->{'$ref'} // '') =~ m{/([^/]+)$} or next;
		my $name = $openapi->{components}{parameters}{$component}{name};
		next if !$bad{$name} || $openapi->{components}{parameters}{$component}{in} ne 'query';
		my $reply = $service->get("$path?$name=$bad{$name}");
		next if $reply->{status} == 404 || $reply->{status} == 406 || $reply->{status} == 409;
		is($reply->{status}, 422, "$template?$name=$bad{$name}: 422");
		$seen{$template}++;
	}
}
ok($seen{$_}, "$_ was asked") for qw(/sitemap.xml /data.json /catalog /datasets/feed/rss /search /datasets);
is($service->get("/sitemap.xml?$_")->{status}, 422, "/sitemap.xml?$_: 422") for 'skip=-1', 'skip=1.5', 'skip=',
	'skip=1&skip=x', 'a=b&skip=%20x';
is($service->get("/sitemap.xml?$_")->{status}, 200, "/sitemap.xml?$_: 200") for 'skip=0', 'skip=1', 'noskip=x', '';

# maps
my $file = Catalogue::Upload->new($service)->file('points.csv', "name,lat,lon\na,-34.9,-56.2\n",
	name => 'Points of documents')->{id};
$service->sql("SELECT catalogue.contents_load('$file', '[[\"name\",\"lat\",\"lon\"],[\"a\",\"-34.9\",\"-56.2\"]]')");
my $map = Catalogue::Definition->new($service)->create('maps', file => $file, latitudeKey => 'lat',
	longitudeKey => 'lon', link => undef);
for ([ 'application/json', 200, 'application/json' ], [ 'application/geo+json', 200, 'application/geo+json' ],
	[ undef, 200, 'application/geo+json' ], [ '*/*', 200, 'application/geo+json' ],
	[ 'application/json, application/geo+json', 200, 'application/geo+json' ],
	[ 'application/json, application/geo+json;q=0.5', 200, 'application/json' ], [ 'text/csv', 406 ])
{
	my ($accept, $status, $type) = @$_;
	my $reply = $service->get("/maps/$map/geojson", Accept => $accept);
	is($reply->{status}, $status, 'geojson: Accept: ' . ($accept // 'none'));
	is($reply->{headers}{'content-type'}, $type, '... its type') if $type;
	is($reply->{json}{type} // '', 'FeatureCollection', '... the features') if $type;
}
is($service->get("/maps/$map", Accept => 'application/json')->{json}{data}{id}, $map,
	'a map itself is its record as JSON');

# instants, in each schema of a record
my $instants = 0;
for my $line (split /\n/,
	scalar $service->sql(q{SELECT r.model || ' ' || f.field FROM catalogue.field f JOIN catalogue.resource r USING }
	. q{(resource) WHERE f.type_oid IN ('timestamptz'::regtype, 'timestamp'::regtype) AND NOT f.hidden ORDER BY 1}))
{
	my ($model, $field) = split / /, $line =~ s/^File /FileRecord /r;
	my $schema = $openapi->{components}{schemas}{$model}{properties}{$field} or next;
	is($schema->{format}, 'date-time', "$model: $field is an instant");
	$instants++;
}
cmp_ok($instants, '>', 30, "$instants instants");
is($openapi->{components}{schemas}{ $_->[0] }{properties}{ $_->[1] }{format}, 'date-time', "$_->[0]: $_->[1]")
	for [ FileRecord => 'nextFetch' ], [ UpdateFrequency => 'nextRun' ], [ Webhook => 'failingSince' ];

$service->finish;
