#!/usr/bin/perl
# Bytes of files in an object store that is not of these tests: s3rver.  It proves no signatures, which the store of
# full/object-moves does, but it reads requests and gives ranges, lists and errors by code of its own.

use strict;
use warnings;

use Test::More;
use Catalogue::Clock qw(wait_until);
use Catalogue::Program qw(end_process free_port);
use Catalogue::Test;
use Catalogue::Upload;
use Catalogue::Worker;
use Cwd qw(getcwd);
use Digest::SHA qw(sha256_hex);
use File::Temp ();
use IO::Socket::INET;

my $program   = getcwd() . '/build/clients/node_modules/.bin/s3rver';
my $directory = File::Temp->newdir;
my $port      = free_port();
chmod 0755, $directory;
mkdir "$directory/objects";
open my $out, '>', "$directory/credentials" or die "credentials: $!";
print $out "S3RVER:S3RVER\n";
close $out;
# a certificate of its own
system('openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', 2, '-subj', '/CN=store', '-addext',
	'subjectAltName=IP:127.0.0.1', '-keyout', "$directory/key.pem", '-out', "$directory/cert.pem") == 0
	or die "openssl: $?";
my $store = fork // die "fork: $!";
if ($store == 0)
{
	open STDIN,  '<', '/dev/null';
	open STDOUT, '>', "$directory/output";
	open STDERR, '>&', \*STDOUT;
	$ENV{PATH} = getcwd() . "/build/clients/node_modules/.bin:$ENV{PATH}";
	exec $program, '--directory', "$directory/objects", '--address', '127.0.0.1', '--port', $port,
		'--configure-bucket', 'catalogue-bytes', '--key', "$directory/key.pem", '--cert', "$directory/cert.pem"
		or POSIX::_exit(127);
}
END { local $?; kill 'KILL', $store if $store }
wait_until('s3rver listens', sub { IO::Socket::INET->new(PeerAddr => "127.0.0.1:$port") });

my $service = Catalogue::Test->start(CATALOGUE_STORE_URL => "https://127.0.0.1:$port/catalogue-bytes",
	CATALOGUE_STORE_CREDENTIALS => "$directory/credentials", CATALOGUE_STORE_PART => 5 << 20,
	CATALOGUE_STORE_CA_FILE => "$directory/cert.pem")->as_admin;
my $uploads = Catalogue::Upload->new($service);
my $bytes   = join '', "n,text\n", map { sprintf "%06d,%s\n", $_, 'x' x ($_ % 60) } 1 .. 80_000;
my $size    = length $bytes;
my $file    = $uploads->file('large.csv', $bytes);
my $path    = "/files/$file->{id}/download";
my $long    = $uploads->file('long.csv', $bytes x 5);
my ($said, $status) = Catalogue::Worker->run($service, ['--check']);
like($said, qr/^object store: good$/m, '--check finds the store good');
($said, $status) = Catalogue::Worker->run($service, ['--check'], CATALOGUE_STORE_CA_FILE => undef);
like($said, qr/^object store: SSL peer certificate/m, 'its certificate is not one of the system');

# The place of the file's bytes.
sub place
{
	return $service->sql("SELECT b.place FROM catalogue.stored_file s JOIN catalogue.blob b ON b.id = s.blob "
		. "WHERE s.file = '$file->{id}'");
}

($said, $status) = Catalogue::Worker->run($service, ['--move']);
is("$said$status", "all bytes are in the object store\n0", 'all bytes are moved');
is(place(), 'store', 'those of the file');
ok($service->get("/files/$long->{id}/download")->{body} eq $bytes x 5, 'what was sent by parts');
for ([ 0, 9 ], [ 1_048_570, 1_048_585 ], [ $size - 5, $size - 1 ], [ 0, $size - 1 ])
{
	my ($first, $last) = @$_;
	ok($service->get($path, Range => "bytes=$first-$last")->{body} eq substr($bytes, $first, $last - $first + 1),
		"bytes $first-$last");
}
ok($service->get($path)->{body} eq $bytes, 'all bytes');

# an object is found damaged, one that is missing, and one of nobody
my $key   = sha256_hex($bytes);
my $plain = "$directory/objects/catalogue-bytes/$key._S3rver_object";
my $expire = sub {
	$service->sql("UPDATE catalogue.blob SET checked_at = now() - interval '31 days' WHERE place = 'store'");
};
open my $object, '+<', $plain or die "$plain: $!";
print $object 'other';
close $object;
for my $name (map { $plain =~ s/_object$/_$_/r } 'object', 'metadata.json', 'object.md5')
{
	system('cp', $name, $name =~ s/$key/'0f' x 32/er) == 0 or die "cp: $?";
}
$expire->();
my $worker = Catalogue::Worker->start($service);
my @found;
$worker->wait_for('what is wrong', sub { (@found = sort $service->sql("SELECT kind, problem FROM catalogue.check() "
	. "WHERE kind = 'object'")) == 2 });
like($found[0], qr/^object\|its bytes in the object store have another digest/, 'a damaged object');
is($found[1], 'object|no blob has the bytes of the object', 'an object of nobody');
unlink $plain;
$expire->();
$worker = $worker->another;
$worker->wait_for('what is missing', sub { $service->sql("SELECT problem FROM catalogue.check() WHERE kind = 'object' "
	. 'AND problem ~ \'^the store answers with 404 NoSuchKey\'') });
is($service->get($path)->{status}, 503, 'a missing object: 503');

# mended by an equal upload, moved again, and back
$uploads->file('again.csv', $bytes);
ok($service->get($path)->{body} eq $bytes, 'the bytes are there again');
$service->sql(q{INSERT INTO catalogue.blob_gone (digest) VALUES (decode(repeat('0f', 32), 'hex'))});
$service->sql("ALTER DATABASE $service->{database} SET catalogue.store_retention = 0");
$worker = $worker->another;
$worker->wait_for('the move', sub { place() eq 'store' });
$worker->wait_for('the deletion', sub { !grep { m{/(?:0f){32}} } glob "$directory/objects/catalogue-bytes/*" });
$worker->finish;
ok($service->get($path)->{body} eq $bytes, 'all bytes from the store');
($said, $status) = Catalogue::Worker->run($service, ['--move'], CATALOGUE_STORE_BYTES => 'off');
is("$said$status", "all bytes are in the database\n0", 'all bytes are moved back');
end_process($store, 'TERM', 10);
undef $store;
ok($service->get($path)->{body} eq $bytes, 'all bytes, without the store');
$service->is_sound;
$service->finish;
