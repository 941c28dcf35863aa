#!/usr/bin/perl
# Archives go to the object store without being rows first, in one request or by parts; to the database where the store
# fails; what the store has is not sent again; and a worker that is killed leaves no object that nobody knows.

use strict;
use warnings;

use Test::More;
use Catalogue::Clock qw(wait_until);
use Catalogue::ObjectStore;
use Catalogue::Session;
use Catalogue::Test;
use Catalogue::Upload;
use Catalogue::Worker;
use Digest::SHA qw(sha256 sha256_hex);

my $store   = Catalogue::ObjectStore->start;
my $service = Catalogue::Test->start($store->settings, CATALOGUE_STORE_PART => 5 << 20)->as_admin;
my $worker;

# each row of bytes that is stored from now on
$service->sql(q{
	CREATE TABLE public.stored_row (blob bigint, number integer);
	CREATE FUNCTION public.note_row() RETURNS trigger SECURITY DEFINER LANGUAGE plpgsql AS
		'BEGIN INSERT INTO public.stored_row VALUES (NEW.blob, NEW.number); RETURN NULL; END';
	CREATE TRIGGER note_row AFTER INSERT ON catalogue.blob_chunk FOR EACH ROW EXECUTE FUNCTION public.note_row()});

# A dataset whose files are not compressed, and stay in the database, since each is small: {dataset, bytes}.
sub dataset
{
	my ($files, $length) = @_;
	my $uploads = Catalogue::Upload->new($service);
	for my $number (1 .. $files)
	{
		my $bytes = join '', '%PDF-1.4', map { sha256("$uploads->{dataset} $number $_") } 1 .. $length / 32;
		$uploads->file("$number.pdf", $bytes);
	}
	return $uploads->{dataset};
}

# Let the next archive be another one.
my $edition = 0;
sub change
{
	my ($dataset) = @_;
	return is($service->patch("/datasets/$dataset", { notes => 'edition ' . ++$edition })->{status}, 200, 'a change');
}

sub begin
{
	my ($dataset) = @_;
	$service->get("/datasets/$dataset/download", Prefer => 'respond-async');
	$worker->hurry;
	return;
}

# Wait until the archive is made: {bytes, key}.
sub archive
{
	my ($dataset, $name) = @_;
	my $reply;
	$worker->wait_for('the archive', sub {
		begin($dataset);
		$reply = $service->get("/datasets/$dataset/download", Prefer => 'respond-async');
		return $reply->{status} == 200;
	});
	is($reply->{status}, 200, "$name: the archive is there");
	like($reply->{body}, qr/^PK\x03\x04.*PK\x05\x06/s, "$name: a whole zip file");
	is($reply->{headers}{'repr-digest'}, digest($reply->{body}), "$name: with its digest");
	return { bytes => $reply->{body}, key => sha256_hex($reply->{body}) };
}

# The place of a blob, and the number of its rows.
sub place
{
	my ($archive) = @_;
	return $service->sql('SELECT b.place, (SELECT count(*) FROM catalogue.blob_chunk c WHERE c.blob = b.id) '
		. "FROM catalogue.blob b WHERE b.digest = decode('$archive->{key}', 'hex')");
}

# How many were stored since, of all blobs or of one.
sub rows
{
	my ($archive) = @_;
	return $service->sql('SELECT count(*) FROM public.stored_row r JOIN catalogue.blob b ON b.id = r.blob '
		. ($archive ? "WHERE b.digest = decode('$archive->{key}', 'hex')" : ''));
}


# In the store with all bytes, though no more than two rows were ever stored.
sub is_stored
{
	my ($archive, $name) = @_;
	is(place($archive), 'store|2', "$name: it is in the store, but for the rows that tell its type");
	is(rows($archive), 2, "$name: and no others were stored");
	ok($store->object($archive->{key}) eq $archive->{bytes}, "$name: the object has its bytes");
	return;
}

# Each object belongs to a blob or is to be deleted.
sub is_known
{
	my ($name) = @_;
	my %known = map { $_ => 1 } $service->sql("SELECT encode(digest, 'hex') FROM catalogue.blob WHERE digest IS NOT NULL "
		. "UNION SELECT encode(digest, 'hex') FROM catalogue.blob_gone");
	is_deeply([ grep { !$known{$_} } $store->keys ], [], "$name: each object is known");
	return;
}

sub is_left
{
	my ($name) = @_;
	$worker->wait_for('the end of what was left', sub { !$store->unfinished });
	is_deeply([ $store->unfinished, $store->parts ], [], "$name: nothing is unfinished");
	return;
}

sub failures { return grep { $_->{event} eq 'object store failed' && $_->{message} =~ /^put / } $service->log }

# One request, and several parts.
my %sets = (PUT => dataset(2, 400_000), PART => dataset(11, 510_000));
$worker = Catalogue::Worker->start($service);
my %archive;
for my $kind (sort keys %sets)
{
	$archive{$kind} = archive($sets{$kind}, $kind);
	is_stored($archive{$kind}, $kind);
	is_left($kind);
	is_known($kind);
}
is($store->begun, 1, 'the longer one was sent by parts');
is(scalar(failures()), 0, 'nothing has failed');
like($service->get("/datasets/$sets{PART}/download", Range => 'bytes=0-3')->{body}, qr/^PK\x03\x04$/, 'a range');
is($service->sql("SELECT count(*) FROM catalogue.blob_gone"), 0, 'no object waits to be deleted');

# An equal archive is not sent again: the store would refuse it.
$store->fault('BEGIN 500');
$service->sql('TRUNCATE public.stored_row');
$service->sql("DELETE FROM catalogue.archive WHERE dataset = '$sets{PART}'");
my $equal = archive($sets{PART}, 'equal');
is($equal->{key}, $archive{PART}{key}, 'the archive is equal');
is(place($equal), 'store|2', 'it is the same blob');
is(rows(), 0, 'no row is stored');
is($store->begun, 1, 'nothing is sent');
is(scalar(failures()), 0, 'so that nothing fails');
$store->fault;

# An object that was lost is sent again, since the store was found without it.
$service->sql("UPDATE catalogue.blob SET fault = 'lost', checked_at = now() "
	. "WHERE digest = decode('$equal->{key}', 'hex'); DELETE FROM catalogue.archive WHERE dataset = '$sets{PART}'");
unlink "$store->{directory}/object-$equal->{key}" or die "unlink: $!";
$equal = archive($sets{PART}, 'lost');
is($store->begun, 2, 'lost: it is sent');
ok($store->object($equal->{key}) eq $equal->{bytes}, 'lost: the object is there again');
$service->sql("UPDATE catalogue.blob SET checked_at = now() - interval '2 days' WHERE fault IS NOT NULL");
$worker = $worker->another;
$worker->wait_for('the comparison', sub { !$service->sql('SELECT fault FROM catalogue.blob WHERE fault IS NOT NULL') });

# The store fails, keeps other bytes or gives others: the archive is made all the same, of rows, which are moved later.
for (map { [ split / /, $_, 2 ] } 'PUT 500', 'PUT 403', 'PUT slow', 'PUT other', 'GET 500', 'GET cut', 'PART 500',
	'BEGIN 503', 'COMPLETE late')
{
	my ($kind, $fault) = @$_;
	my $dataset = $sets{ $kind =~ /PUT|GET/ ? 'PUT' : 'PART' };
	my $name = "$kind $fault";
	change($dataset);
	$store->fault("$kind $fault");
	begin($dataset);
	my $made = "SELECT b.place, encode(b.digest, 'hex') FROM catalogue.archive a JOIN catalogue.blob b ON b.id = a.blob "
		. "WHERE a.dataset = '$dataset' AND a.audience = 'internal' AND a.state = (SELECT "
		. "catalogue.archive_state(catalogue.archive_contents('$dataset', 'internal')))";
	my $place = $worker->wait_for("the archive, $name", sub { $worker->hurry; $service->sql($made) });
	like($place, qr/^(?:here|both)\|/, "$name: it is in the database");
	is_known($name);
	$store->fault;
	$service->sql("UPDATE catalogue.blob SET checked_at = checked_at - interval '1 hour' WHERE fault IS NOT NULL");
	$worker = $worker->another;
	my $archive = archive($dataset, $name);
	$worker->wait_for('the move', sub { place($archive) eq 'store|2' });
	is(place($archive), 'store|2', "$name: it is moved");
	is_left($name);
	is_known($name);
}
cmp_ok(scalar(failures()), '>=', 9, 'the log has the failures');

# What is sent is aborted meanwhile, as a worker does that starts: the archive is made of rows, too.
change($sets{PART});
$store->fault('PART pause');
begin($sets{PART});
my $sent = $worker->wait_for('a part', sub { $worker->hurry; $store->paused =~ /^PART ([0-9a-f]+)$/ && $1 });
$store->forget;
$store->fault;
my $aborted = archive($sets{PART}, 'aborted');
is($aborted->{key}, $sent, 'aborted: the archive is that one');
cmp_ok(rows($aborted), '>', 2, 'aborted: it was stored as rows');
$worker = $worker->another;
$worker->wait_for('the move', sub { place($aborted) eq 'store|2' });
is(place($aborted), 'store|2', 'aborted: it is moved');
is_known('aborted');

# The worker is killed while the archive is sent, read back, and before its row is stored: the next worker makes it, and
# whatever object there is belongs to it or is to be deleted.
for my $kind (qw(PUT GET BEGIN PART COMPLETE row))
{
	my $dataset = $sets{ $kind =~ /PUT|GET|row/ ? 'PUT' : 'PART' };
	my $lock;
	change($dataset);
	$store->fault($kind eq 'row' ? 'GET pause' : "$kind pause");
	begin($dataset);
	my $key = $worker->wait_for($kind, sub { $worker->hurry; $store->paused =~ /^[A-Z]+ ([0-9a-f]+)$/ && $1 });
	is($service->sql("SELECT count(*) FROM catalogue.blob_gone WHERE digest = decode('$key', 'hex')"), 1,
		"$kind: the object is expected");
	if ($kind eq 'row')
	{
		$lock = Catalogue::Session->new($service);
		$lock->run("BEGIN; SELECT FROM catalogue.blob_gone WHERE digest = decode('$key', 'hex') FOR UPDATE");
		$store->fault;
		$worker->wait_for('the row', sub { $service->sql("SELECT count(*) FROM pg_stat_activity WHERE query LIKE "
			. "'%object_sent(%' AND wait_event_type = 'Lock' AND datname = current_database()") });
	}
	is($worker->stop('KILL'), 9, "$kind: the worker is killed");
	$service->end_connections("application_name = 'catalogue-worker'");
	$lock->finish if $lock;
	is(place({ key => $key }) // '', '', "$kind: there is no blob");
	$store->fault;
	wait_until("the store ends $kind", sub { $kind ne 'COMPLETE' || !$store->unfinished });
	is_known($kind);
	$worker = Catalogue::Worker->start($service);
	my $archive = archive($dataset, $kind);
	is($archive->{key}, $key, "$kind: the archive is that one");
	$worker->wait_for('its place', sub { place($archive) eq 'store|2' });
	is(place($archive), 'store|2', "$kind: it is in the store");
	is_left($kind);
	is_known($kind);
	$service->is_sound;
}

# What was sent and is nobody's is deleted when its time is over, and not before.
change($sets{PUT});
$store->fault('GET pause');
begin($sets{PUT});
my $key = $worker->wait_for('an object', sub { $worker->hurry; $store->paused =~ /^GET ([0-9a-f]+)$/ && $1 });
is($worker->stop('KILL'), 9, 'nobody: the worker is killed');
$service->end_connections("application_name = 'catalogue-worker'");
$store->fault;
is($service->delete("/datasets/$sets{PUT}")->{status}, 200, 'nobody: the dataset is deleted');
$service->sql("ALTER DATABASE $service->{database} SET catalogue.store_retention = 0");
$worker = Catalogue::Worker->start($service);
$worker->finish_jobs;
$worker = $worker->another;
is(place({ key => $key }) // '', '', 'nobody: it has no blob');
ok((grep { $_ eq $key } $store->keys), 'nobody: the object stays a day, also without a retention');
$service->sql("UPDATE catalogue.blob_gone SET gone_at = gone_at - interval '1 day'");
$worker = $worker->another;
$worker->wait_for('the deletion', sub { !grep { $_ eq $key } $store->keys });
ok(!(grep { $_ eq $key } $store->keys), 'nobody: then it is deleted');
is_known('nobody');

# Without the store, or where bytes are to leave it, archives are rows.
change($sets{PART});
$worker->finish;
$worker = Catalogue::Worker->start($service, CATALOGUE_STORE_BYTES => 'off');
like(place(archive($sets{PART}, 'off')), qr/^here\|\d\d/, 'an archive is not sent where the store is left');
$worker->finish;
$service->is_sound;
$service->finish;
