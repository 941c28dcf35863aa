#!/usr/bin/perl
# The disk of PostgreSQL that files of CSV take whose bytes are in an object store, with all of their rows.

use strict;
use warnings;

use Test::More;
use Catalogue::ObjectStore;
use Catalogue::Test;
use Catalogue::Upload;
use Catalogue::Worker;
use Digest::SHA qw(sha256_hex);

my $MOST = 0.7; # bytes of PostgreSQL for each byte of the CSV; 2.1 with the bytes in it

my $store   = Catalogue::ObjectStore->start;
my $service = Catalogue::Test->start($store->settings)->as_admin;
my $uploads = Catalogue::Upload->new($service);
my $worker  = Catalogue::Worker->start($service);

# Bytes of the database behind VACUUM.
sub disk
{
	$service->sql('VACUUM');
	return $service->sql('SELECT pg_database_size(current_database())');
}

# Readings of a year as of stations: numbers, codes that repeat, days, instants, decimals, texts.
sub readings
{
	my ($year) = @_;
	return join '', "id,station,city,day,taken,level,flow,valid,code,note\n", map {
		my $hash = hex substr sha256_hex("$year $_"), 0, 8;
		sprintf "%d,Station %03d,%s,%d-%02d-%02d,%d-%02d-%02dT%02d:00:00Z,%.2f,%.3f,%s,%08x,reading %d of the day\n",
			$_, $hash % 997, (qw(Lima Quito Montevideo Sucre Santiago))[$hash % 5], $year, 1 + $_ % 12, 1 + $_ % 28,
			$year, 1 + $_ % 12, 1 + $_ % 28, $_ % 24, $hash / 1e7, $hash % 100_003 / 1000,
			$hash % 7 ? 'true' : 'false', $hash, $hash % 24;
	} 1 .. 60_000;
}

# one after another, since the disk of what has been moved is taken by the next ones
my $before = disk();
my $length = 0;
for my $year (2019 .. 2026)
{
	my $bytes = readings($year);
	my $file  = $uploads->file("$year.csv", $bytes, status => 'qWRhpRV');
	$worker = $worker->another; # which looks for what is to be moved at once
	$worker->wait_for('the move', sub {
		$service->sql("SELECT b.place FROM catalogue.stored_file s JOIN catalogue.blob b ON b.id = s.blob "
			. "WHERE s.file = '$file->{id}'") eq 'store';
	});
	$worker->wait_for_file($file->{id});
	is($service->get("/files/$file->{id}/contents?limit=1&id=59999")->{json}{meta}{count}, 1, "$year: the rows are read");
	$length += length $bytes;
	$service->sql('VACUUM');
}
my $share = (disk() - $before) / $length;
cmp_ok($share, '<=', $MOST, "the disk that a byte takes: $share");

$worker->finish;
$service->finish;
