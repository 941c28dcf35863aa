#!/usr/bin/perl
# Charts and maps before they are made: drawn as the service would draw them, by whoever may make them, and nothing of
# them stays.

use strict;
use warnings;
use utf8;

use Encode qw(decode);
use Test::More;
use Catalogue::Test;
use Catalogue::Upload;
use Catalogue::Worker;

my $service = Catalogue::Test->start->as_admin;
my $uploads = Catalogue::Upload->new($service);
my $basemap = $service->get('/basemaps/first')->{json}{data}{id};
my $file    = $uploads->file('places.csv', "kind,cost,lat,lon\noak,1,10,20\nelm,2.5,11,21\noak,x,12,22\nelm,4,95,23\n",
	name => 'Places')->{id};
my %chart = (name => 'Trees', file => $file, type => 'bar', dataType => 'quantitative', dataSeries => [qw(kind cost)]);
my %map   = (name => 'Trees', file => $file, basemap => $basemap, latitudeKey => 'lat', longitudeKey => 'lon');
my (undef, $guest) = $uploads->{definition}->user('reader', 'guest');

sub preview
{
	my ($resource, $values, @headers) = @_;
	return $service->post("/$resource/preview", $values, @headers);
}

my $reply = preview('charts', \%chart);
is($reply->{status}, 409, 'a file that is not read yet has no chart') or diag $reply->{body};
my $worker = Catalogue::Worker->start($service);
is($worker->wait_for_file($file)->{parseState}, 'ready', 'the file is read');
$worker->finish_jobs;

# what a catalogue has that a creation leaves
sub left
{
	return $service->sql('SELECT ' . join ' || $$ $$ || ', map { "(SELECT count(*) FROM $_)" } qw(catalogue.charts
		catalogue.maps catalogue.logs catalogue.job_queue catalogue_history.charts catalogue_history.maps));
}
my $before = left();

$reply = preview('charts', \%chart);
is($reply->{status}, 200, 'the chart is drawn') or diag $reply->{body};
my $drawn = $reply->{json}{data};
like($drawn->{picture}, qr/^<svg .*<title id="title">Trees<\/title>.*<\/svg>\n\z/s, 'as SVG with its name');
is_deeply($drawn->{data}, { labels => [qw(oak elm)], data => [ 1, 6.5 ], skipped => 1 },
	'with its values, and how many cells are no numbers');
is_deeply([ sort keys %$drawn ], [qw(data picture)], 'and nothing else');
$reply = preview('maps', \%map);
is($reply->{status}, 200, 'the map is drawn') or diag $reply->{body};
$drawn = $reply->{json}{data};
is(scalar @{ $drawn->{geojson}{features} }, 3, 'with its points');
is_deeply([ $drawn->{issueCount}, map { $_->{row} } @{ $drawn->{issues} } ], [ 1, 4 ], 'and the row that is none');
like($drawn->{picture}, qr/^<svg .*Map with 3 points/s, 'and a picture');
is(left(), $before, 'nothing of them stays');
$reply = $service->post('/charts/preview?lang=es', \%chart);
like($reply->{json}{data}{picture}, qr/Gráfico de barras con 2 etiquetas/, 'in the language of the page');
is($service->post('/maps/preview?lang=xx', \%map)->{status}, 422, 'which has to be one');

# what is made afterwards is what was shown
$drawn = preview('charts', \%chart)->{json}{data};
my $made = $service->post('/charts', \%chart, Prefer => 'return=representation')->{json}{data};
is_deeply($made->{data}, $drawn->{data}, 'a chart that is made has the values of its preview');
is(decode('UTF-8', $service->get("/charts/$made->{id}/image")->{body}), $drawn->{picture}, 'and is drawn so');

is(preview('charts', \%chart)->{status}, 400, 'another of its name is refused');
$chart{name} = 'Oaks';

# the faults are those of a creation
for (
	[ { %chart, dataSeries => ['none'] }, 400, 'dataSeries', 'a column that is not there' ],
	[ { %chart, name => '' }, 400, 'name', 'a chart without a name' ],
	[ { %chart, type => 'cube' }, 400, 'type', 'a type of chart that is none' ],
	[ { %chart, file => 'zzzzzzzzzzzzzzz' }, 400, 'file', 'a file that is not there' ])
{
	my ($values, $status, $field, $name) = @$_;
	$reply = preview('charts', $values);
	is($reply->{status}, $status, $name);
	ok($reply->{json}{data}{$field}, "$name: told at $field") or diag $reply->{body};
}
is(preview('datasets', { name => 'A' })->{status}, 405, 'other records have no preview');
is($service->get('/charts/preview')->{status}, 405, 'it is not read');

# nobody draws who may not make; nor do outsiders whatever the rules are, since nothing would count towards their limit
is($service->post('/rules', { resource => 'charts', action => 'create' })->{status}, 201, 'a rule for all');
is(preview('charts', \%chart, Authorization => undef)->{status}, 401, 'an outsider gets no preview');
is(preview('charts', \%chart, Authorization => $guest)->{status}, 200, 'a user gets one');
$service->sql(q(UPDATE catalogue.rules SET deleted_at = now() WHERE role = 'guest' OR role IS NULL));
is(preview('charts', \%chart, Authorization => $guest)->{status}, 403, 'but not without the right');

$worker->finish;
$service->is_sound('nothing is inconsistent');
$service->finish;
