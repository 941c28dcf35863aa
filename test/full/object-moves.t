#!/usr/bin/perl
# Bytes of files in an object store: they are moved there and read from there as if nothing had changed, whatever the
# store does; deleted objects; the way back.  full/object-kills has what happens when the worker is killed.

use strict;
use warnings;

use Test::More;
use Catalogue::Clock qw(poll wait_until);
use Catalogue::ObjectStore;
use Catalogue::Program qw(slurp);
use Catalogue::Test;
use Catalogue::Upload;
use Catalogue::Worker;
use Digest::SHA qw(sha256_hex);

my $store   = Catalogue::ObjectStore->start;
my $service = Catalogue::Test->start($store->settings)->as_admin;
my $uploads = Catalogue::Upload->new($service);
is($service->patch("/datasets/$uploads->{dataset}/publish")->{status}, 200, 'the dataset is published');
my $bytes   = join '', "n,text\n", map { sprintf "%06d,%s\n", $_, 'x' x ($_ % 60) } 1 .. 80_000;
my $size    = length $bytes;
my $file    = $uploads->file('large.csv', $bytes, status => 'qWRhpRV');
my $small   = $uploads->file('small.csv', substr($bytes, 0, 500_000), status => 'qWRhpRV');
my $path    = "/files/$file->{id}/download";
cmp_ok($size, '>', 2 * 1_048_576, 'a file of several windows');

# The place of a file's bytes, the number of their rows, and what was wrong.
sub place
{
	my ($of) = @_;
	return $service->sql("SELECT b.place, (SELECT count(*) FROM catalogue.blob_chunk c WHERE c.blob = b.id), b.fault "
		. "FROM catalogue.stored_file s JOIN catalogue.blob b ON b.id = s.blob WHERE s.file = '$of->{id}'");
}

# Wait until the place is one; the worker looks every ten seconds, so that another one is started.
sub wait_for_place
{
	my ($worker, $of, $expected, $name) = @_;
	my $now;
	$worker->wait_for("place $expected", sub { ($now = place($of)) =~ /^\Q$expected\E/ });
	return is($now, $expected, $name);
}

# all bytes of a download, ranges within and across windows
sub is_downloaded
{
	my ($name) = @_;
	my $whole = $service->get($path);
	is($whole->{status}, 200, "$name: download");
	ok($whole->{body} eq $bytes, "$name: all bytes");
	is($whole->{headers}{'repr-digest'}, digest($bytes), "$name: the digest");
	for ([ 0, 9 ], [ 1_048_570, 1_048_585 ], [ $size - 5, $size - 1 ], [ 262_140, 2_097_160 ])
	{
		my ($first, $last) = @$_;
		my $part = $service->get($path, Range => "bytes=$first-$last");
		is($part->{status}, 206, "$name: range $first-$last");
		ok($part->{body} eq substr($bytes, $first, $last - $first + 1), "$name: bytes $first-$last");
	}
	like($service->get($path, Range => 'bytes=0-9,2000000-2000009')->{body},
		qr/\Q@{[ substr $bytes, 0, 10 ]}\E.*\Q@{[ substr $bytes, 2_000_000, 10 ]}\E/s, "$name: two ranges");
	is($service->head($path)->{headers}{'content-length'}, $size, "$name: HEAD");
	return;
}

my $worker = Catalogue::Worker->start($service);
wait_for_place($worker, $file, 'store|2|', 'the bytes are moved, but for the rows that tell their type');
is(place($small), 'here|2|', 'a small file stays');
is_deeply([ $store->keys ], [ sha256_hex($bytes) ], 'the key is the digest');
ok($store->object(sha256_hex($bytes)) eq $bytes, 'the object has the bytes');
$worker->wait_for_file($file->{id});
is($service->get("/files/$file->{id}/contents?limit=1&n=80000")->{json}{meta}{count}, 1, 'the rows were read');
is_downloaded('in the store');
$service->is_sound;

# what the worker makes of the bytes
my $archive = $worker->wait_for('an archive', sub {
	my $reply = $service->get("/datasets/$uploads->{dataset}/download");
	$reply->{status} == 200 && $reply;
});
cmp_ok(length $archive->{body}, '>', 1000, 'an archive');

# an equal upload refers to the same blob
my $equal = $uploads->file('equal.csv', $bytes, status => 'qWRhpRV');
is(place($equal), 'store|2|', 'an equal upload needs no move');
is($service->get("/files/$equal->{id}")->{json}{data}{type}, $file->{type}, 'its type is found');


# The store is away, or gives what was not asked for: 503, before anything was sent; the worker is not needed.
$worker->finish;
my $downloads = 'SELECT coalesce(sum(c.count), 0) FROM catalogue.download_count c';
my $counted = $service->sql($downloads);
for my $fault (qw(500 503 cut wrong whole slow))
{
	$store->fault("GET $fault");
	my $reply = $service->get($path);
	is($reply->{status}, 503, "$fault: 503");
	cmp_ok($reply->{headers}{'retry-after'}, '>', 0, "$fault: when to try again");
	is($reply->{headers}{'content-disposition'}, undef, "$fault: no field of the file");
}
is($service->head($path)->{status}, 200, 'HEAD needs no bytes');
is($service->get($path, 'If-None-Match' => '"' . sha256_hex($bytes) . '"')->{status}, 304, 'nor does 304');
is($uploads->upload('another.csv', $bytes . "1,a\n", status => 'qWRhpRV')->{status}, 201, 'uploads go on');
$store->fault;
is_downloaded('the store is back');

# One error is no failure; an error on the way ends the connection, since the status was sent.
$store->fault('GET 500 once');
is($service->get($path)->{status}, 200, 'a request is sent again');
my $huge = join '', map { sprintf "%09d,%s\n", $_, 'y' x 90 } 1 .. 240_000;
my $other = $uploads->file('huge.csv', $huge, status => 'qWRhpRV');

# Read some bytes of a download, call the function, then read the rest; return all.
sub interrupted
{
	my ($id, $between) = @_;
	my $socket = $service->connection;
	my ($all, $part) = ('', '');
	print $socket "GET /files/$id/download HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
	sysread $socket, $all, 10_000;
	$between->();
	$all .= $part while sysread $socket, $part, 1 << 18;
	return $all =~ s/.*?\r\n\r\n//sr;
}

# While it is sent, a file is moved: the rest comes from the store.
ok(interrupted($other->{id}, sub {
	$worker = Catalogue::Worker->start($service);
	wait_for_place($worker, $other, 'store|2|', 'a file is moved while it is sent');
}) eq $huge, 'and all its bytes are sent');
cmp_ok(length interrupted($other->{id}, sub { $store->fault('GET 500') }), '<', length $huge,
	'a failure on the way is no complete answer');
$store->fault;

# Credentials are read again: those that the store does not know are refused.
$store->credentials('key', 'another secret');
is($service->get($path)->{status}, 503, 'wrong credentials');
$store->credentials('key', 'a secret/of+it');
is($service->get($path)->{status}, 200, 'right ones, without a restart');
$store->credentials('', '');
is($service->get($path)->{status}, 503, 'none');
$store->credentials('key', 'a secret/of+it');
my @failures = grep { $_->{event} eq 'object store failed' } $service->log;
like($failures[0]{message}, qr/^GET [0-9a-f]{64}: the store answers with 500 InternalError$/, 'the log has the reason');
ok((grep { $_->{message} =~ /403 SignatureDoesNotMatch$/ } @failures), 'and that of refused credentials');
unlike(slurp("$service->{directory}/logs/test.log"), qr{secret words|another secret|secret/of}, 'and no secret');
poll(10, sub { $service->sql($downloads) - $counted >= 7 });
is($service->sql($downloads) - $counted, 7, 'downloads are counted once their bytes are there');
my $metrics = sub {
	$service->get('/metrics')->{body} =~ /^catalogue_object_reads_total\{result="$_[0]"\} (\d+)$/m && $1;
};
# of the download that a failure has ended on the way, one window, or all four that are asked for at once
wait_until('the metrics are up to date', sub { $metrics->('failed') >= 9 });
cmp_ok($metrics->('failed'), '<=', 12, 'each range that was not given is counted once');
cmp_ok($metrics->('done'), '>', 20, 'the metrics have ranges that were given, and not');

# The store keeps other bytes than those that were sent: the rows stay.
$store->fault('PUT other');
my $spoiled = $uploads->file('spoiled.csv', "spoiled\n$bytes", status => 'qWRhpRV');
$worker = $worker->another;
my $fault = 'here|12|its bytes in the object store have another digest';
wait_for_place($worker, $spoiled, $fault, 'an object with other bytes is not relied on');
like(join("\n", $service->sql('SELECT * FROM catalogue.check_all()')), qr/^object\|\d+\|its bytes in the object store/m,
	'and is found by check_all()');
$store->fault;
$service->sql("UPDATE catalogue.blob SET checked_at = checked_at - interval '1 hour' WHERE fault IS NOT NULL");
$worker = $worker->another;
wait_for_place($worker, $spoiled, 'store|2|', 'it is tried again after an hour');
$service->is_sound;

# A job reads on where the bytes are moved meanwhile.
$worker->finish;
$service->sql("ALTER DATABASE $service->{database} SET catalogue.hold_uploads = on");
$service->end_connections;
my $scanned = $uploads->file('scanned.csv', "scanned\n$huge", status => 'qWRhpRV');
my $count = length "scanned\n$huge";
$worker = Catalogue::Worker->start($service, CATALOGUE_SCANNER =>
	"head -c 1000 > /dev/null; while ! test -e $service->{directory}/moved; do sleep 0.1; done; "
		. "test \$(cat | wc -c) = @{[ $count - 1000 ]}");
wait_for_place($worker, $scanned, 'store|2|', 'bytes that are scanned are moved');
open my $moved, '>', "$service->{directory}/moved" or die "moved: $!";
my $scan = $worker->wait_for_job($worker->job('scan', $scanned->{id})->{id}, 'done', 'failed');
is("$scan->{state} $scan->{attempts}", 'done 1', 'the scanner gets all of them');
$service->sql("ALTER DATABASE $service->{database} RESET catalogue.hold_uploads");
$service->end_connections;

# Jobs that need bytes wait while the store is away, and are no failures.
wait_until('the shim can write again',
	sub { $service->patch("/files/$small->{id}", { description => 'for another archive' })->{status} == 200 });
$store->fault('GET 503');
$service->get("/datasets/$uploads->{dataset}/download", Prefer => 'respond-async');
my $made = $worker->wait_for('a job that is put off', sub {
	my $job = $worker->job('archive', $uploads->{dataset});
	$job && $job->{state} eq 'queued' && $job->{reason} && $job;
});
is("$made->{reason}, $made->{attempts}", 'the object store does not answer, 0', 'the job is put off');
$store->fault;
$worker->hurry;
is($worker->wait_for_job($made->{id}, 'done', 'failed')->{state}, 'done', 'and is done');

# Deletion: the object stays for catalogue.store_retention, and while a blob has the digest.
my $key = sha256_hex("scanned\n$huge");
is($service->delete("/files/$scanned->{id}")->{status}, 200, 'a file is deleted');
$service->sql("DELETE FROM catalogue.stored_file WHERE file = '$scanned->{id}'; "
	. 'SET catalogue.history_retention = 0; '
	. "UPDATE catalogue.blob SET used_at = now() - interval '1 day' WHERE uses = 0; SELECT catalogue.sweep()");
# an archive may have been made anew meanwhile, so that the object of the former one is to be deleted, too
is($service->sql("SELECT count(*) FROM catalogue.blob_gone WHERE encode(digest, 'hex') = '$key'"), 1,
	'its object is to be deleted');
$scanned = $uploads->file('again.csv', "scanned\n$huge", status => 'qWRhpRV');
$service->sql("ALTER DATABASE $service->{database} SET catalogue.store_retention = 0");
$worker = $worker->another;
wait_for_place($worker, $scanned, 'store|2|', 'an equal upload is moved');
ok((grep { $_ eq $key } $store->keys), 'and has the object');
$service->sql("DELETE FROM catalogue.stored_file WHERE file = '$scanned->{id}'; "
	. 'SET catalogue.history_retention = 0; '
	. "UPDATE catalogue.blob SET used_at = now() - interval '1 day' WHERE uses = 0; SELECT catalogue.sweep()");
$worker = $worker->another;
$worker->wait_for('the end of the object', sub { !grep { $_ eq $key } $store->keys });
ok(!(grep { $_ eq $key } $store->keys), 'without a blob it is deleted');
$worker->wait_for('the row', sub { $service->sql('SELECT count(*) FROM catalogue.blob_gone') == 0 });

# Bytes in the store are compared again after catalogue.store_check; what was lost is mended by an equal upload.
$store->write('object-' . sha256_hex($bytes), 'other' . substr $bytes, 5);
$store->write('object-' . '0f' x 32, 'of nobody');
$service->sql("UPDATE catalogue.blob SET checked_at = now() - interval '31 days' WHERE place = 'store'");
$worker = $worker->another;
$fault = 'store|2|its bytes in the object store have another digest';
wait_for_place($worker, $file, $fault, 'a damaged object is found');
$worker->wait_for('the others', sub {
	$service->sql("SELECT count(*) FROM catalogue.blob WHERE checked_at < now() - interval '1 day'") == 0 });
like(join("\n", $service->sql('SELECT * FROM catalogue.check()')),
	qr/^object\|\d+\|its bytes in .* of file .*Upload the bytes again, or restore the object [0-9a-f]{64}/m,
	'check() tells it');
$worker->wait_for('a list', sub { grep { $_->{event} eq 'objects without a blob' } $service->log });
like(join("\n", $service->sql('SELECT * FROM catalogue.check()')), qr/^object\|(?:0f){32}\|no blob has the bytes/m,
	'so it does with an object of nobody');
is($uploads->upload('mend.csv', $bytes, status => 'qWRhpRV')->{status}, 201, 'the bytes are uploaded again');
is_downloaded('mended');
$worker = $worker->another;
wait_for_place($worker, $file, 'store|2|', 'and moved again');
$service->sql(q{INSERT INTO catalogue.blob_gone (digest) VALUES (decode(repeat('0f', 32), 'hex'))});
$worker = $worker->another;
$worker->wait_for('the end of the object', sub { !grep { /^0f/ } $store->keys });
$worker->wait_for('what is told of it', sub { $service->sql('SELECT count(*) FROM catalogue.object_orphan') == 0 });
$service->is_sound;

# All bytes back.
$worker->finish;
$store->fault('GET 500');
my @off = (CATALOGUE_STORE_BYTES => 'off');
my ($said, $status) = Catalogue::Worker->run($service, ['--move'], @off);
like($said, qr/\d blobs are not moved: the object store does not answer as it should/,
	'the store is away: nothing is moved');
is($status, 1, 'with status 1');
# a window that was asked for ahead, and came to nothing, is asked for again
$store->fault('GET 500 behind once');
$service->sql("ALTER DATABASE $service->{database} RESET catalogue.store_retention");
($said, $status) = Catalogue::Worker->run($service, ['--move'], @off);
is("$said$status", "all bytes are in the database\n0", 'all bytes are moved back');
is($store->present_fault, '', 'in spite of an error on the way');
is($service->sql("SELECT count(*) FROM catalogue.blob WHERE place <> 'here'"), 0, 'none is in the store');
is($service->sql('SELECT count(*) FROM catalogue.blob_gone') + 0, scalar $store->keys, 'the objects stay for a while');
$store->fault('500');
is_downloaded('back');
$service->is_sound;
($said, $status) = Catalogue::Worker->run($service, ['--move'], CATALOGUE_STORE_URL => undef);
is("$said$status", "catalogue-worker: store_url is not set\n1", 'without a store nothing can be moved');

# --check
$store->fault;
($said, $status) = Catalogue::Worker->run($service, ['--check']);
like($said, qr/^object store: good$/m, 'the worker finds the store good');
is($status, 0, 'with status 0');
ok(!(grep { /^e3b0c442/ } $store->keys), 'and leaves nothing there');
like(checked(), qr/^object store: good$/m, 'and so does the shim');
for my $fault ('PUT 500', 'DELETE 503')
{
	$store->fault($fault);
	($said, $status) = Catalogue::Worker->run($service, ['--check']);
	like($said, qr/^object store: the store answers with 50\d InternalError$/m, "$fault: the worker tells it");
	is($status, 1, 'with status 1');
}
$store->fault('500');
like(checked(), qr/^object store: the store answers with 500 InternalError$/m, 'the shim finds it away');
is($? >> 8, 1, 'with status 1');
$store->fault;

# What `catalogue-shim --check` prints.
sub checked
{
	local %ENV = (%ENV, %{ $service->{settings} });
	my @become = $> == 0 ? qw(setpriv --reuid=postgres --regid=postgres --clear-groups) : ();
	open my $out, '-|', @become, $ENV{CATALOGUE_SHIM}, '--check' or die "shim: $!";
	my $text = do { local $/; <$out> };
	close $out;
	return $text;
}

# settings
for ([ STORE_URL => 'https://s3.example.org' ], [ STORE_URL => 'ftp://s3.example.org/bucket' ],
	[ STORE_URL => 'https://s3.example.org/bucket/more' ], [ STORE_URL => 'https://a:b@s3.example.org/bucket' ],
	[ STORE_CREDENTIALS => 'relative' ], [ STORE_REGION => 'a b' ])
{
	my ($name, $value) = @$_;
	($said, $status) = Catalogue::Worker->run($service, ['--check'], "CATALOGUE_$name" => $value);
	like($said, qr/store_url must be http: or https:/, "$name $value is refused");
}
$service->finish;
