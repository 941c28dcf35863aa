#!/usr/bin/perl
# The worker is killed at each step by which bytes go to the object store, come back, and are deleted there: the next
# worker ends what was begun, a download gives all bytes at any time, and no object is without a row that tells of it.

use strict;
use warnings;

use Test::More;
use Catalogue::Clock qw(wait_until);
use Catalogue::ObjectStore;
use Catalogue::Session;
use Catalogue::Test;
use Catalogue::Upload;
use Catalogue::Worker;
use Digest::SHA qw(sha256_hex);
use POSIX ();

my $store   = Catalogue::ObjectStore->start;
my $service = Catalogue::Test->start($store->settings)->as_admin;
my $uploads = Catalogue::Upload->new($service);
is($service->patch("/datasets/$uploads->{dataset}/publish")->{status}, 200, 'the dataset is published');
my $rows = join '', "n,text\n", map { sprintf "%06d,%s\n", $_, 'x' x ($_ % 60) } 1 .. 40_000;
my @back = (CATALOGUE_STORE_BYTES => 'off');
my $worker;

# A file whose bytes begin with a name: {id, bytes, key, blob}.
sub file_of
{
	my ($name) = @_;
	my $bytes = "$name\n$rows";
	my $id = $uploads->file("$name.csv", $bytes, status => 'qWRhpRV')->{id};
	return { name => $name, id => $id, bytes => $bytes, key => sha256_hex($bytes),
		blob => $service->sql("SELECT s.blob FROM catalogue.stored_file s WHERE s.file = '$id'") };
}

# The place of the bytes and the number of their rows.
sub place
{
	my ($file) = @_;
	return $service->sql('SELECT b.place, (SELECT count(*) FROM catalogue.blob_chunk c WHERE c.blob = b.id), b.fault '
		. "FROM catalogue.blob b WHERE b.id = $file->{blob}");
}

# Wait until a statement of the worker waits for a lock, so that what was done before it is stored or sent.
sub wait_for_lock
{
	my ($statement) = @_;
	return $worker->wait_for($statement, sub {
		$service->sql("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE "
			. "'%$statement(%' AND wait_event_type = 'Lock'") });
}

# Wait until the store has got a request and answers none before its fault ends.
sub wait_for_request
{
	my ($method, $file) = @_;
	return $worker->wait_for("$method of the object", sub { $store->is_paused($method, $file->{key}) });
}

sub kill_worker
{
	my ($name) = @_;
	is($worker->stop('KILL'), 9, "$name: the worker is killed");
	$service->end_connections("application_name = 'catalogue-worker'");
	return;
}

# A download gives the bytes; each object belongs to a blob, is to be deleted, or was listed as one of nobody; and no
# blob has rows of other bytes, or rows twice.
sub is_whole
{
	my ($file, $name) = @_;
	my %known = map { $_ => 1 } $service->sql("SELECT encode(digest, 'hex') FROM catalogue.blob WHERE digest IS NOT NULL "
		. "UNION SELECT encode(digest, 'hex') FROM catalogue.blob_gone "
		. "UNION SELECT encode(digest, 'hex') FROM catalogue.object_orphan");

	ok($service->get("/files/$file->{id}/download")->{body} eq $file->{bytes}, "$name: a download has all bytes");
	is_deeply([ grep { !$known{$_} } $store->keys ], [], "$name: each object is known");
	is($service->sql('SELECT count(*) FROM catalogue.blob b WHERE b.digest IS NOT NULL AND b.place <> \'store\' AND '
		. 'b.digest <> catalogue.blob_digest(b.id)'), 0, "$name: rows have the digest");
	return;
}

# In the store once, and only the rows that tell the type of the file here.
sub is_stored
{
	my ($file, $name) = @_;
	$worker->wait_for('the move', sub { place($file) eq 'store|2|' });
	is(place($file), 'store|2|', "$name: the move is completed");
	ok($store->object($file->{key}) eq $file->{bytes}, "$name: the object has the bytes");
	is_whole($file, $name);
	return;
}

# On the way to the store: while the object is sent, before the row says so, while it is read back, before the rows are
# deleted.  Of each: the method that the store does not answer, the statement that waits for a lock, the place then.
for ([ 'sending', 'PUT', undef, 'here' ], [ 'sent', 'PUT', 'object_put', 'here' ],
	[ 'reading', 'GET', undef, 'both' ], [ 'compared', 'GET', 'object_kept', 'both' ])
{
	my ($name, $method, $statement, $place) = @$_;
	my $file = file_of($name);
	my $lock = Catalogue::Session->new($service);

	$store->fault("$method pause");
	$worker = Catalogue::Worker->start($service);
	wait_for_request($method, $file);
	$lock->run("BEGIN; SELECT FROM catalogue.blob b WHERE b.id = $file->{blob} FOR NO KEY UPDATE") if $statement;
	$store->fault if $statement;
	wait_for_lock($statement) if $statement;
	kill_worker($name);
	$store->fault;
	$lock->finish;
	is(place($file), "$place|6|", "$name: all rows are there");
	is_whole($file, $name);
	$worker = Catalogue::Worker->start($service);
	is_stored($file, $name);
	$worker->finish;
}

# On the way back, after all rows are stored and before the row of the blob says so: the next worker begins anew.
my $file = file_of('back');
$worker = Catalogue::Worker->start($service);
is_stored($file, 'back');
$worker->finish;
my $lock = Catalogue::Session->new($service);
$lock->run("BEGIN; SELECT FROM catalogue.blob b WHERE b.id = $file->{blob} FOR NO KEY UPDATE");
$worker = Catalogue::Worker->start($service, @back);
wait_for_lock('object_returned');
kill_worker('back');
$lock->finish;
is(place($file), 'store|2|', 'back: nothing has changed');
is_whole($file, 'back');
$worker = Catalogue::Worker->start($service, @back);
$worker->wait_for('the way back', sub { place($file) eq 'here|6|' });
$worker->finish;
is(place($file), 'here|6|', 'back: all rows are there, once');
is_whole($file, 'back again');
my ($said) = Catalogue::Worker->run($service, ['--move'], @back);
is($said, "all bytes are in the database\n", 'so are those of all others');
($said) = Catalogue::Worker->run($service, ['--move']);
is($said, "all bytes are in the object store\n", 'and all go there again');
is_whole($file, 'there again');

# An object that was sent, but whose row did not say so when the file was removed, belongs to nobody: it is listed.
sub remove
{
	my ($of) = @_;
	is($service->delete("/files/$of->{id}")->{status}, 200, "$of->{name}: the file is deleted");
	$service->sql("DELETE FROM catalogue.stored_file WHERE file = '$of->{id}'; "
		. "UPDATE catalogue.blob SET used_at = now() - interval '1 day' WHERE uses = 0");
	return;
}

sub sweep { return $service->sql('SET catalogue.history_retention = 0; SELECT catalogue.sweep()') }

$file = file_of('nobody');
$store->fault('PUT pause');
$lock = Catalogue::Session->new($service);
$worker = Catalogue::Worker->start($service);
wait_for_request('PUT', $file);
$lock->run("BEGIN; SELECT FROM catalogue.blob b WHERE b.id = $file->{blob} FOR NO KEY UPDATE");
$store->fault;
wait_for_lock('object_put');
kill_worker('nobody');
$lock->finish;
remove($file);
sweep();
my $remedy = sub { $service->sql('SELECT remedy FROM catalogue.check() '
	. "WHERE kind = 'object' AND subject = '$file->{key}'") };
$worker = Catalogue::Worker->start($service);
$worker->wait_for('a list', $remedy);
$worker->finish;
like($remedy->(), qr/^INSERT INTO catalogue.blob_gone/, 'nobody: check() has the object, and its remedy');
$service->sql($remedy->());

# The object is deleted, the row of blob_gone is not when the worker is killed: it is deleted again, as if it were
# there.
$service->sql("ALTER DATABASE $service->{database} SET catalogue.store_retention = 0");
$store->fault('DELETE pause');
$worker = Catalogue::Worker->start($service);
wait_for_request('DELETE', $file);
my $gone = "SELECT count(*) FROM catalogue.blob_gone WHERE digest = decode('$file->{key}', 'hex')";
$lock = Catalogue::Session->new($service);
$lock->run("BEGIN; $gone; SELECT FROM catalogue.blob_gone WHERE digest = decode('$file->{key}', 'hex') FOR UPDATE");
$store->fault;
wait_for_lock('object_deleted');
kill_worker('deleted');
$lock->finish;
ok(!(grep { $_ eq $file->{key} } $store->keys), 'deleted: there is no object');
is($service->sql($gone), 1, 'deleted: its row is there');
$worker = Catalogue::Worker->start($service);
$worker->wait_for('the row', sub { $service->sql($gone) == 0 });
is($service->sql($gone), 0, 'deleted: the next worker removes it');
is($service->sql("SELECT count(*) FROM catalogue.object_orphan WHERE digest = decode('$file->{key}', 'hex')"), 0,
	'deleted: and what was listed of it');

# An equal upload while the DELETE is under way: the bytes are rows, and are moved when the object is gone.
$file = file_of('equal');
is_stored($file, 'equal');
remove($file);
sweep();
$store->fault('DELETE pause');
$worker = $worker->another;
wait_for_request('DELETE', $file);
$file = file_of('equal');
is(place($file), 'here|6|', 'equal: the upload has its rows');
is_whole($file, 'equal');
$store->fault;
is_stored($file, 'equal again');

# The same where the worker is killed, and the DELETE arrives later: the bytes are not moved before it has.
remove($file);
sweep();
$store->fault('DELETE pause');
$worker = $worker->another;
wait_for_request('DELETE', $file);
kill_worker('late');
$file = file_of('equal');
($said) = Catalogue::Worker->run($service, ['--move']);
is($said, "all bytes are in the object store\n", 'late: nothing else is to be moved');
is(place($file), 'here|6|', 'late: the upload is not moved while the DELETE may arrive');
$store->fault;
$worker = Catalogue::Worker->start($service);
$worker->wait_for('the late DELETE', sub { !grep { $_ eq $file->{key} } $store->keys });
is(place($file), 'here|6|', 'late: the object is deleted, the rows are there');
is_whole($file, 'late');
$service->sql("UPDATE catalogue.blob_gone SET taken_at = taken_at - interval '61 min' WHERE taken_at IS NOT NULL");
$worker = $worker->another;
is_stored($file, 'late');
$worker->finish;

# An equal upload that waits for the sweep of its blob, and one before the worker looks: the object is never deleted.
remove($file);
my @before = $store->deleted;
$lock = Catalogue::Session->new($service);
$lock->run('SET catalogue.history_retention = 0; BEGIN; SELECT catalogue.sweep()');
my $pid = open(my $out, '-|') // die "fork: $!";
if ($pid == 0)
{
	print eval { file_of('equal')->{blob} } // $@;
	POSIX::_exit(0);
}
wait_until('the upload waits for the sweep', sub { $service->sql("SELECT count(*) FROM pg_stat_activity "
	. "WHERE datname = current_database() AND application_name = 'catalogue-shim' AND wait_event_type = 'Lock'") });
$lock->run('COMMIT');
$lock->finish;
my $blob = <$out>;
close $out;
isnt($blob, $file->{blob}, 'swept: the upload has a blob of its own');
$file->{blob} = $blob;
$file->{id} = $service->sql("SELECT file FROM catalogue.stored_file WHERE blob = $blob");
is(place($file), 'here|6|', 'swept: with its rows');
is_whole($file, 'swept');
$worker = Catalogue::Worker->start($service);
is_stored($file, 'swept');
$worker = $worker->another;
$worker->finish;
is_deeply([ $store->deleted ], \@before, 'swept: the object was not deleted');
$service->is_sound;
$service->finish;
