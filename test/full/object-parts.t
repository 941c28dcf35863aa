#!/usr/bin/perl
# Objects that are longer than a part are sent by parts: all bytes arrive, whatever happens to one of them; a worker
# that is killed leaves nothing in the store.

use strict;
use warnings;

use Test::More;
use Catalogue::Clock qw(wait_until);
use Catalogue::ObjectStore;
use Catalogue::Test;
use Catalogue::Upload;
use Catalogue::Worker;
use Digest::SHA qw(sha256_hex);

my $store   = Catalogue::ObjectStore->start;
my $service = Catalogue::Test->start($store->settings, CATALOGUE_STORE_PART => 5 << 20)->as_admin;
my $uploads = Catalogue::Upload->new($service);
is($service->patch("/datasets/$uploads->{dataset}/publish")->{status}, 200, 'the dataset is published');
my $rows = join '', "n,text\n", map { sprintf "%09d,%s\n", $_, 'y' x 90 } 1 .. 110_000;

# A file whose bytes begin with a name, and have a length where it is given: {id, bytes, key}.
sub file_of
{
	my ($name, $length) = @_;
	my $bytes = substr "$name\n$rows", 0, $length // 1 << 30;
	my $id = $uploads->file("$name.csv", $bytes, status => 'qWRhpRV')->{id};
	return { name => $name, id => $id, bytes => $bytes, key => sha256_hex($bytes) };
}

sub place
{
	my ($file) = @_;
	return $service->sql('SELECT b.place, b.fault FROM catalogue.stored_file s JOIN catalogue.blob b ON b.id = s.blob '
		. "WHERE s.file = '$file->{id}'");
}

sub move { return (Catalogue::Worker->run($service, ['--move']))[0] }

# In the store with all bytes, and read from there; nothing else is left.
sub is_stored
{
	my ($file) = @_;
	is(place($file), 'store|', "$file->{name}: it is moved");
	ok($store->object($file->{key}) eq $file->{bytes}, "$file->{name}: the object has the bytes");
	ok($service->get("/files/$file->{id}/download")->{body} eq $file->{bytes}, "$file->{name}: a download, too");
	return;
}

sub is_left
{
	my ($name, @left) = @_;
	is_deeply([ $store->unfinished ], [ map { $_->{key} } @left ], "$name: what is unfinished");
	return;
}

# One byte more than a part, one part exactly (which is one request), and several.
my @parts = ([ 'one', 5 << 20, 0 ], [ 'two', (5 << 20) + 1, 1 ], [ 'three', undef, 2 ]);
for (@parts)
{
	my ($name, $length, $begun) = @$_;
	my $file = file_of($name, $length);
	is(move(), "all bytes are in the object store\n", "$name: all is moved");
	is_stored($file);
	is_left($name);
	is($store->begun, $begun, "$name: so many objects were sent by parts");
}

# A part is sent again; what fails more often is begun anew, and what was begun is aborted.
my $begun = $store->begun;
my $file = file_of('again');
$store->fault('PART 500 once');
is(move(), "all bytes are in the object store\n", 'again: a part is sent again');
is_stored($file);
is($store->begun, $begun + 1, 'again: and the others are not');
for (map { [ split / / ] }
	'BEGIN 500', 'PART 500', 'PART 403', 'PART cut', 'PART slow', 'COMPLETE 503', 'COMPLETE late')
{
	my ($kind, $fault) = @$_;
	$file = file_of("$kind$fault");
	$store->fault("$kind $fault");
	like(move(), qr/1 blobs are not moved: the object store does not answer as it should/,
		"$kind $fault: it is not moved");
	is(place($file), 'here|', "$kind $fault: its rows are there");
	is_left("$kind $fault", $kind eq 'BEGIN' ? () : $file);
	$store->fault;
	my $worker = Catalogue::Worker->start($service);
	$worker->wait_for('the move', sub { place($file) eq 'store|' });
	$worker->wait_for('the end of what was left', sub { !$store->unfinished });
	$worker->finish;
	is_stored($file);
	is_left("$kind $fault");
	is_deeply([ $store->parts ], [], "$kind $fault: no part is left");
}
my @failures = map { $_->{message} } grep { $_->{event} eq 'object store failed' } $service->log;
ok((grep { /^put [0-9a-f]{64}: the store answers with 200 InternalError$/ } @failures), 'the log has a late failure');

# The store keeps other bytes than those that were sent, or loses the upload: the rows stay, and check() tells it.
$file = file_of('other');
$store->fault('PART other');
like(move(), qr/1 blobs are not moved: see catalogue.check_all/, 'other bytes: it is not moved');
is(place($file), 'here|its bytes in the object store have another digest', 'other bytes: the reason');
$store->fault;
$service->sql("UPDATE catalogue.blob SET checked_at = checked_at - interval '1 hour' WHERE fault IS NOT NULL");
is(move(), "all bytes are in the object store\n", 'other bytes: it is tried again');
is_stored($file);
$file = file_of('lost');
$store->fault('PART pause');
my $worker = Catalogue::Worker->start($service);
$worker->wait_for('a part', sub { $store->is_paused('PART', $file->{key}) });
$store->forget;
$store->fault;
$worker->wait_for('the reason', sub { place($file) =~ /404/ });
is(place($file), 'here|the store answers with 404 NoSuchUpload', 'an upload that the store has lost');
$worker->finish;
$service->sql("UPDATE catalogue.blob SET checked_at = checked_at - interval '1 hour' WHERE fault IS NOT NULL");
is(move(), "all bytes are in the object store\n", 'lost: it is tried again');
is_stored($file);

# The worker is killed while a part is sent, and while the store joins them: the next one sends all anew, and aborts.
for my $kind (qw(BEGIN PART COMPLETE))
{
	$file = file_of("killed$kind");
	$store->fault("$kind pause");
	$worker = Catalogue::Worker->start($service);
	$worker->wait_for($kind, sub { $store->is_paused($kind, $file->{key}) });
	is($worker->stop('KILL'), 9, "$kind: the worker is killed");
	$service->end_connections("application_name = 'catalogue-worker'");
	is(place($file), 'here|', "$kind: its rows are there");
	ok($service->get("/files/$file->{id}/download")->{body} eq $file->{bytes}, "$kind: a download has all bytes");
	$store->fault;
	wait_until("the store ends $kind", sub { $kind eq 'COMPLETE' ? !$store->unfinished : $store->unfinished });
	$worker = Catalogue::Worker->start($service);
	$worker->wait_for('the move', sub { place($file) eq 'store|' });
	$worker->wait_for('the end of what was left', sub { !$store->unfinished });
	is_stored($file);
	is_deeply([ $store->parts ], [], "$kind: no part is left");
	$worker->finish;
}

# What others have begun is left alone; a store that does not list what was begun is no other failure.
$store->write("upload-99-$_", '') for 'ab' x 32, 'of-nobody';
$store->fault('UPLOADS 501');
$worker = Catalogue::Worker->start($service);
wait_until('the log has it', sub { grep { $_->{event} eq 'object store failed' && $_->{message} =~ /^abort : .* 501/ }
	$service->log });
$store->fault;
$worker = $worker->another;
$worker->wait_for('the end of what was left', sub { join(' ', $store->unfinished) eq 'of-nobody' });
is(join(' ', $store->unfinished), 'of-nobody', 'only what has a digest as key is aborted');
$worker->finish;

my ($said) = Catalogue::Worker->run($service, ['--move'], CATALOGUE_STORE_BYTES => 'off');
is($said, "all bytes are in the database\n", 'all bytes are moved back');
$store->fault('500');
ok($service->get("/files/$file->{id}/download")->{body} eq $file->{bytes}, 'and read there');
$service->is_sound;
$service->finish;
