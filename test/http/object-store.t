#!/usr/bin/perl
# Bytes of files in an object store, in short: they are moved there, read from there, and moved back; while the store
# is away, downloads say so and uploads go on.  full/object-moves has all that may go wrong, full/object-store a foreign
# store.

use strict;
use warnings;

use Test::More;
use Catalogue::ObjectStore;
use Catalogue::Test;
use Catalogue::Upload;
use Catalogue::Worker;
use Digest::SHA qw(sha256_hex);

my $store   = Catalogue::ObjectStore->start;
my $service = Catalogue::Test->start($store->settings)->as_admin;
my $uploads = Catalogue::Upload->new($service);
is($service->patch("/datasets/$uploads->{dataset}/publish")->{status}, 200, 'the dataset is published');
my $bytes = join '', "n,text\n", map { sprintf "%06d,%s\n", $_, 'x' x 90 } 1 .. 12_000;
my $file  = $uploads->file('large.csv', $bytes, status => 'qWRhpRV');
my $path  = "/files/$file->{id}/download";

sub place
{
	return $service->sql('SELECT b.place FROM catalogue.stored_file s JOIN catalogue.blob b ON b.id = s.blob '
		. "WHERE s.file = '$file->{id}'");
}

my $worker = Catalogue::Worker->start($service);
$worker->wait_for('the move', sub { place() eq 'store' });
is_deeply([ $store->keys ], [ sha256_hex($bytes) ], 'the key is the digest');
$worker->wait_for_file($file->{id});
is($service->get("/files/$file->{id}/contents?limit=1")->{json}{meta}{count}, 12_000, 'the rows are read');
ok($service->get($path)->{body} eq $bytes, 'all bytes are read from the store');
my $part = $service->get($path, Range => 'bytes=1048570-1048585');
is($part->{status}, 206, 'a range');
ok($part->{body} eq substr($bytes, 1_048_570, 16), 'across two windows');
$worker->finish;

$store->fault('GET 500');
my $reply = $service->get($path);
is($reply->{status}, 503, 'the store is away: 503');
cmp_ok($reply->{headers}{'retry-after'}, '>', 0, 'when to try again');
is($uploads->upload('another.csv', $bytes . "1,a\n", status => 'qWRhpRV')->{status}, 201, 'uploads go on');
$store->fault;

my ($said, $status) = Catalogue::Worker->run($service, ['--move'], CATALOGUE_STORE_BYTES => 'off');
is("$said$status", "all bytes are in the database\n0", 'all bytes are moved back');
is(place(), 'here', 'so the database says');
$store->fault('500');
ok($service->get($path)->{body} eq $bytes, 'and are read there');
$service->is_sound;
$service->finish;
