#!/usr/bin/perl
# Golden set: the pages for people, a request for each view.

use strict;
use warnings;

use Catalogue::Golden;
use Catalogue::Upload;
use Catalogue::Worker;

my $golden  = Catalogue::Golden->start('pages');
my $service = $golden->{service}->as_admin;
my $worker  = Catalogue::Worker->start($service);
my $csv     = "name,kind,opened,height,lat,lon\nOak Tower,wood,2001-05-06,12,48.5,2.25\n"
	. "Elm Tower,wood,1999-12-31,7.5,-12.5,130.75\nIron Tower,iron,1889-03-31,330,48.8,2.3\nAsh,wood,,,,\n";
my $file    = Catalogue::Upload->new($service)->file('towers.csv', $csv, name => 'Towers',
	dataset => $service->get('/datasets/airports')->{json}{data}{id}, status => 'qWRhpRV', visible => 'true')->{id};
$worker->wait_for_file($file);
$worker->finish;
# the callers of the set have their own
delete $service->{headers}{Authorization};

# A page as a browser asks for it.
sub pages
{
	my ($play) = @_;
	return $golden->play($play =~ s/^(\w+ GET .*\n)/$1Accept: text\/html\n/gmr);
}

pages(<<'REQUESTS');
# The start page, lists, a search, nothing found
outsider GET /
outsider GET /datasets?limit=2
outsider GET /datasets/search?query=bus&lang=es
outsider GET /datasets/search?query=bsu
outsider GET /search?query=air
outsider GET /organizations
outsider GET /tags?limit=3
outsider GET /basemaps

# Records
outsider GET /datasets/bus-stops
outsider GET /organizations/open-data-office?lang=pt
outsider GET /categories/transport
outsider GET /tags/bus
outsider GET /charts/<charts:Airports_by_continent>
outsider GET /charts/<charts:Airports_by_continent>?embed=true
outsider GET /maps/map-of-airports
outsider GET /updatefrequencies/<updatefrequencies:Daily>

# A file and its rows: all, some columns, groups, nothing, a fault
outsider GET /files/towers
outsider GET /files/towers/contents
outsider GET /files/towers/contents?fields=name&fields=height&kind[eq]=wood&orderBy=height&limit=2&lang=es
outsider GET /files/towers/contents?groupBy=kind&aggregate=avg(height)
outsider GET /files/towers/contents?groupBy=kind&embed=true
outsider GET /files/towers/contents?name=none
outsider GET /files/towers/contents?height[gte]=high

# Errors
outsider GET /datasets/nonesuch
outsider GET /users
outsider GET /datasets?limit=x
REQUESTS
$golden->finish;
