#!/usr/bin/perl
# A real browser draws the streets of the operator's file beneath the points of a map, with its credit, and asks no
# other host; without them, land and names.

use strict;
use warnings;
use utf8;

use Test::More;
use Catalogue::Browser;
use Catalogue::Streets qw(streets_write);
use Catalogue::Test;

my $service = Catalogue::Test->start->as_admin;
my $path    = "$service->{directory}/city.pmtiles";
my $basemap = $service->get('/basemaps?limit=1')->{json}{data}[0]{id};
my ($west, $south) = (12.4, 55.6);
streets_write($path, [ $west, $south, 12.8, 55.8 ], '<a href=\"https://example.org\">&copy; Invented &amp; Sons</a>',
	map { ([ [ $west, $south + $_ / 50 ], [ 12.8, $south + $_ / 50 ] ],
		[ [ $west + $_ / 25, $south ], [ $west + $_ / 25, 55.8 ] ]) } 1 .. 9);
$service->{settings}{CATALOGUE_MAP_STREETS} = $path;
$service->stop_shim;
$service->start_shim;
my %maps = map {
	my ($name, @place) = @$_;
	my $points = { type => 'MultiPoint', coordinates => [ \@place, [ $place[0] + 0.05, $place[1] + 0.05 ] ] };
	$name => $service->post('/maps', { name => $name, link => 'https://example.org', basemap => $basemap,
		geojson => $points, status => 'qWRhpRV' })->{json}{links}{record} =~ s{.*/}{}r;
} [ inside => 12.55, 55.68 ], [ outside => 10.18, 56.13 ];

my $told = Catalogue::Browser::run($service, 'streets.js', maps => \%maps, screenshots => $ENV{SCREENSHOTS});
is_deeply($told->{faults}, [], 'the browser complains of nothing');
is_deeply($told->{axe},    [], 'axe-core finds nothing serious');
my %seen = map { @$_ } @{ $told->{steps} };
cmp_ok($seen{inside}{colors}, '>', 2, 'streets are drawn');
is($seen{inside}{credit}, '© Invented & Sons', 'with the credit of the file, as text');
is_deeply($seen{inside}{names}, [], 'in place of names and land');
is_deeply([ @{ $seen{outside} }{qw(colors credit)} ], [ 0, '© Invented & Sons' ],
	'where there are none, none are drawn');
ok(scalar(grep { $_ eq 'Århus' } @{ $seen{outside}{names} }), 'but names of places are there')
	|| diag explain $seen{outside};
is_deeply($seen{hosts}, [1], 'all comes from the service');

$service->finish;
