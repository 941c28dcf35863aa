#!/usr/bin/perl
# GDAL reads /ogc: the layers, their extents, all rows with a place over many pages, filters by place, attribute and
# date; a file that is not published is no layer.

use strict;
use warnings;

use File::Temp ();
use Test::More;
use Catalogue::Parser ();
use Catalogue::Program qw(run_to_end);
use Catalogue::Test;
use Catalogue::Upload;
use Catalogue::Worker;

my $service = Catalogue::Test->start->as_admin;
my $uploads = Catalogue::Upload->new($service);
my $worker  = Catalogue::Worker->start($service);

# What ogrinfo tells of layers, by default of all, with options.
sub ogrinfo
{
	my ($layer, @options) = @_;
	my ($text, $status) =
		run_to_end('ogrinfo', '-ro', '-so', @options, $layer ? () : '-al', "OAPIF:$service->{base}/ogc", $layer // ());
	is($status, 0, join ' ', 'ogrinfo', @options) or diag($text);
	return $text;
}
sub counts { my ($text) = @_; return { $text =~ /^Layer name: (\S+)\n.*?^Feature Count: (\d+)\n/gms } }
sub count_of { my ($layer, @options) = @_; return counts(ogrinfo($layer, @options))->{$layer} }
sub read_file
{
	my ($name, $bytes) = @_;
	my $file = $worker->wait_for_file($uploads->file($name, $bytes, status => 'qWRhpRV', visible => 'true')->{id});
	is($file->{parseState}, 'ready', "$name is read");
	return $file;
}

# 5,000 stops, of which each hundredth has no place; ten lines; a draft
my $stops = read_file('stops.csv', join '', "name,lat,lon,people,opened\n", map {
	sprintf "%s,%s,%d,20%02d-01-01\n", $_ % 2 ? 'Plaza' : 'Plaza Mayor',
		$_ % 100 ? sprintf('%.4f,%.4f', $_ / 100, -$_ / 50) : ',', $_, $_ % 20
} 1 .. 5000);
my $lines = read_file('lines.geojson', '{"type": "FeatureCollection", "features": [' . join(',', map {
	qq({"type": "Feature", "properties": {"name": "Avenue $_"}, "geometry": {"type": "LineString",
		"coordinates": [[$_, 2], [$_.5, 4]]}})
} 1 .. 10) . ']}');
my $draft = $worker->wait_for_file($uploads->file('draft.csv', "lat,lon\n1,2\n")->{id});
$service->patch("/datasets/$stops->{dataset}", { status => 'qWRhpRV' });

my $text = ogrinfo();
my ($points, $shapes) = map { $_->{id} } $stops, $lines;
is_deeply(counts($text), { $points => 4950, $shapes => 10 }, 'the layers and the rows with a place') or diag($text);
like($text, qr/^Extent: \(-99\.98\d*, 0\.01\d*\) - \(-0\.02\d*, 49\.99\d*\)$/m, 'the extent of one') or diag($text);
like($text, qr/^people: Integer/m, 'a number is one');
like($text, qr/^opened: Date/m,    'so is a date');

# layers of a file that has several: the first has the id of the file, the other one its number behind a colon
SKIP:
{
	-x Catalogue::Parser::program('zip') or skip 'catalogue-geo-reader was not built', 1;
	my $directory = File::Temp->newdir;
	for my $layer ([ sites => 3 ], [ paths => 5 ])
	{
		my ($name, $count) = @$layer;
		open my $out, '>', "$directory/$name.geojson" or die "$name: $!\n";
		print {$out} '{"type": "FeatureCollection", "features": [' . join(',', map {
			qq({"type": "Feature", "properties": {"n": $_}, "geometry": {"type": "LineString",
				"coordinates": [[$_, 1], [$_, 2]]}})
		} 1 .. $count) . ']}';
		close $out or die "$name: $!\n";
		my ($said, $status) = run_to_end('ogr2ogr', '-f', 'GPKG', (-e "$directory/a.gpkg" ? '-update' : ()),
			'-nln', $name, "$directory/a.gpkg", "$directory/$name.geojson");
		is($status, 0, "a layer $name") or diag($said);
	}
	my $bytes = do { open my $in, '<:raw', "$directory/a.gpkg" or die "a.gpkg: $!\n"; local $/; <$in> };
	my $book  = read_file('a.gpkg', $bytes)->{id};
	my $all   = counts(ogrinfo());
	is_deeply([ map { $all->{$_} } $book, "$book:2" ], [ 3, 5 ], 'each layer of a file is one') or diag(explain $all);
	is(count_of("$book:2", qw(-spat 0 0 2.5 3)), 2, 'a rectangle of the second one');
}

# each row once, over hundreds of pages
my ($features, $status) = run_to_end('ogrinfo', '-ro', '-q', '-geom=NO', "OAPIF:$service->{base}/ogc", $points);
my %seen;
$seen{$_}++ for $features =~ /^  people \(Integer\) = (\d+)$/mg;
is_deeply([ sort { $a <=> $b } keys %seen ], [ grep { $_ % 100 } 1 .. 5000 ], 'all rows are read');
is_deeply([ grep { $seen{$_} > 1 } keys %seen ], [], 'and none twice');

is(count_of($points, qw(-spat -1 0 0 0.25)), 25, 'a rectangle');
is(count_of($shapes, qw(-spat 0 0 3.2 5)), 3, 'a rectangle of lines');
is(count_of($points, '-where', q(name = 'Plaza')), 2500, 'an attribute');
is(count_of($points, '-where', q(people <= 30)), 30, 'a range of numbers');
is(count_of($points, '-where', q(opened >= '2019/01/01')), 250, 'a date');

$worker->finish;
$service->finish;
