#!/usr/bin/perl
# Golden pictures: views of the seeded catalogue are seen in a real browser as expected/golden/*.png has them, but for
# what differs from run to run (test/http/browser/golden.css).  A change of a colour or a place would be noticed.

use strict;
use warnings;

use File::Path qw(make_path);
use MIME::Base64 qw(decode_base64 encode_base64);
use Test::More;
use Catalogue::Browser;
use Catalogue::Program qw(command slurp);
use Catalogue::Test;

my ($release) = slurp('/etc/os-release') =~ /^VERSION_CODENAME=(\w+)/m;
plan skip_all => 'the pictures are those of Chromium and FreeType of Debian 12 (bookworm)'
	if ($release // '') ne 'bookworm';

my $service = Catalogue::Test->start;
$service->sql(q(SELECT catalogue.seed_samples('en', '')));
my ($chart) = $service->sql(q(SELECT id FROM catalogue.charts WHERE name = 'Airports by continent'));
my %views   = (
	start   => '/',
	dataset => '/datasets/airports',
	chart   => "/charts/$chart",
	map     => '/maps/map-of-airports',
);
my %changes = (
	'another colour' => ':root { --accent: #2b5cad; }',
	'another place'  => 'h1 { position: relative; left: 2px; }',
);
my %expected = map { $_ => encode_base64(slurp("expected/golden/$_.png"), '') } keys %views;
my $told     = Catalogue::Browser::run($service, 'golden.js', views => \%views, expected => \%expected,
	changes => \%changes, changed => 'chart');
my %seen = map { @$_ } @{ $told->{steps} };

# Write a picture to build/golden, of 256 colours, which takes a third of the bytes and no pixel beyond the tolerance.
sub keep
{
	my ($name, $picture) = @_;
	my $file = "build/golden/$name.png";
	make_path('build/golden');
	open my $out, '>:raw', $file or die "$file: $!\n";
	print $out decode_base64($picture);
	close $out or die "$file: $!\n";
	command({}, qw(pngquant --force --ext .png --speed 1 --nofs 256), $file);
	return;
}

unlink glob 'build/golden/*-difference.png';
is_deeply($told->{faults}, [], 'the browser complains of nothing');
for my $view (sort keys %views)
{
	my $is = $seen{$view};
	keep($view, $is->{picture});
	keep("$view-difference", $is->{difference}) if $is->{difference};
	is($is->{told}, undef, "$view: is seen as expected/golden/$view.png has it")
		or diag("Look at build/golden/$view*.png.  If it is intended: cp build/golden/$view.png expected/golden/");
}
like($seen{$_}{told}, qr/are different/, "$_: is noticed") for sort keys %changes;

$service->is_sound;
$service->finish;
