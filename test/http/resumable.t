#!/usr/bin/perl
# A file comes by itself, in one request or in several: each names the byte it begins with, a broken
# connection keeps what has come, and only who began an upload can go on with it.

use strict;
use warnings;

use Test::More;
use Catalogue::Test;
use Catalogue::Upload;
use Digest::SHA qw(sha256_hex);
use Time::HiRes qw(sleep time);

my $service = Catalogue::Test->start->as_admin;
my $uploads = Catalogue::Upload->new($service);
my $csv     = join '', map { "$_,some text\n" } 1 .. 50_000;
my @octets  = ('Content-Type' => 'application/octet-stream');
my @partial = ('Content-Type' => 'application/partial-upload');
my ($files) = $uploads->left =~ /(\d+)$/;

sub is_left
{
	my ($name) = @_;
	my $left;
	for (my $end = time + 20; time < $end; sleep 0.05)
	{
		last if ($left = $uploads->left) eq "0|$files";
	}
	return is($left, "0|$files", "$name: nothing is left");
}

sub path
{
	my ($reply) = @_;
	return $reply->{headers}{location} =~ s/^\Q$service->{base}\E//r;
}

# Begin an upload in several requests; gives its path.
sub begin
{
	my ($bytes, %headers) = @_;
	my $reply = $service->post('/files?' . $uploads->words(%{ delete $headers{words} // {} }), $bytes, @octets,
		'Upload-Complete' => '?0', 'Content-Disposition' => 'attachment; filename="a.csv"', %headers);
	is($reply->{status}, 201, 'an upload is begun') || diag $reply->{body};
	is($reply->{headers}{'upload-offset'}, length $bytes, 'as much of it is kept as came');
	return path($reply);
}

sub state_of
{
	my ($path) = @_;
	my $reply = $service->head($path);
	return join ' ', $reply->{status}, map { $reply->{headers}{$_} // '-' } qw(upload-offset upload-complete upload-length cache-control);
}

# in one request: its words are the fields of the record
my $reply = $service->post('/files?' . $uploads->words(name => "A\xc3\xb1o + 1", visible => 'true'), $csv, @octets,
	'Content-Disposition' => q(attachment; filename*=UTF-8''a%C3%B1o.csv), 'Repr-Digest' => digest($csv), 'Content-Digest' => digest($csv), Prefer => 'return=representation');
is($reply->{status}, 201, 'a file by itself') || diag $reply->{body};
my $file = $reply->{json}{data};
is($file->{name}, "A\x{f1}o + 1", 'words of the query are decoded');
is($file->{fileName}, 'ano-1.csv', 'the extension is that of the name');
is_deeply([ @$file{qw(visible size sha256)} ], [ JSON::PP::true, length $csv, sha256_hex($csv) ], 'and its bytes have come');
$files++;
$reply = $service->put("/files/$file->{id}?fileName=b.csv", "x\n", @octets, 'Upload-Complete' => '?1');
is($reply->{status}, 200, 'a replacement by itself') || diag $reply->{body};
is($service->get("/files/$file->{id}/download")->{body}, "x\n", 'has these bytes');
$reply = $service->patch("/files/$file->{id}?fileName=b.csv", $csv, @octets);
is($service->get("/files/$file->{id}/download")->{body}, $csv, 'PATCH is the same');
is($service->put("/files/$file->{id}?fileName=b.csv", "x\n", @octets, 'If-Match' => '"never-0000"')->{status}, 412, 'If-Match of another state');
for (my $i = 0; $i < 2; $i++)
{
	my @wrong = $i ? ('Repr-Digest' => digest('x')) : ('Content-Digest' => digest('x'));
	is($service->put("/files/$file->{id}?fileName=b.csv", "y\n", @octets, @wrong)->{status}, 400, "$wrong[0] of other bytes");
}
is($service->get("/files/$file->{id}/download")->{body}, $csv, 'what is refused changes nothing');
is_left('in one request');

# in several: not at the borders of anything
my $path = begin(substr($csv, 0, 1000), 'Upload-Length' => length $csv, 'Repr-Digest' => digest($csv));
is(state_of($path), '204 1000 ?0 ' . length($csv) . ' no-store', 'HEAD tells where it stands');
my $state = $service->get($path)->{json}{data};
is_deeply([ @$state{qw(offset length complete)} ], [ 1000, length $csv, JSON::PP::false ], 'GET tells it in words');
$reply = $service->patch($path, substr($csv, 1000, 300_000), @partial, 'Upload-Offset' => 1000, 'Upload-Complete' => '?0');
is($reply->{status}, 204, 'more of it') || diag $reply->{body};
is($reply->{headers}{'upload-offset'}, 301_000, 'is kept');
is(length $reply->{body}, 0, 'without a body');
for my $offset (0, 1000, 300_999, 301_001, 99_999_999)
{
	$reply = $service->patch($path, 'x', @partial, 'Upload-Offset' => $offset, 'Upload-Complete' => '?0');
	is("$reply->{status} $reply->{headers}{'upload-offset'}", '409 301000', "it does not go on at $offset");
}
for my $bad ([ 'Upload-Complete' => '?0' ], [ 'Upload-Offset' => 301_000 ], [ 'Upload-Offset' => -1, 'Upload-Complete' => '?0' ], [ 'Upload-Offset' => '1e3', 'Upload-Complete' => '?0' ],
	[ 'Upload-Offset' => 301_000, 'Upload-Complete' => '1' ], [ 'Upload-Offset' => '9' x 30, 'Upload-Complete' => '?0' ])
{
	is($service->patch($path, 'x', @partial, @$bad)->{status}, 400, "@$bad is malformed");
}
is($service->patch($path, '{}', 'Upload-Offset' => 301_000, 'Upload-Complete' => '?1')->{status}, 415, 'JSON is no part of a file');
is(state_of($path), '204 301000 ?0 ' . length($csv) . ' no-store', 'it stands where it stood');
$reply = $service->patch($path, substr($csv, 301_000), @partial, 'Upload-Offset' => 301_000, 'Upload-Complete' => '?1', 'Repr-Digest' => digest($csv));
is($reply->{status}, 201, 'the last of it makes the record') || diag $reply->{body};
like($reply->{headers}{location}, qr{/files/\w{15}$}, 'and says where that is');
is($service->get(path($reply) . '/download')->{body}, $csv, 'with all its bytes');
is($service->head($path)->{status}, 404, 'the upload is over');
$files++;
is_left('in several requests');

# an empty last request will do, and of a record that is there it is an update
$path = begin($csv);
$reply = $service->patch($path, '', @partial, 'Upload-Offset' => length $csv, 'Upload-Complete' => '?1');
is($reply->{status}, 201, 'nothing more') || diag $reply->{body};
$files++;
$reply = $service->put("/files/$file->{id}?fileName=b.csv&notes=changed", 'a', @octets, 'Upload-Complete' => '?0');
is($reply->{status}, 201, 'a replacement is begun') || diag $reply->{body};
$path = path($reply);
is($service->get("/files/$file->{id}/download")->{body}, $csv, 'until it is whole the bytes are those of before');
$reply = $service->patch($path, "b\n", @partial, 'Upload-Offset' => 1, 'Upload-Complete' => '?1', Prefer => 'return=representation');
is($reply->{status}, 200, 'and then it is an update') || diag $reply->{body};
is("$reply->{json}{data}{notes} $reply->{json}{data}{size}", 'changed 3', 'with the words of the first request');
is_left('updates');

# a connection that breaks keeps what came
$path = begin('');
my $socket = $service->connection;
syswrite $socket, "PATCH $path HTTP/1.1\r\nHost: 127.0.0.1:$service->{port}\r\nAuthorization: $service->{headers}{Authorization}\r\nContent-Type: application/partial-upload\r\n"
	. 'Upload-Offset: 0' . "\r\nUpload-Complete: ?1\r\nContent-Length: " . length($csv) . "\r\n\r\n" . substr $csv, 0, 400_000;
sleep 0.2;
close $socket;
for (my $end = time + 20; time < $end; sleep 0.05)
{
	last if $service->head($path)->{headers}{'upload-offset'} == 400_000;
}
is(state_of($path), '204 400000 ?0 - no-store', 'all that came is kept when the connection breaks');
$service->stop_shim('KILL');
$service->start_shim;
is(state_of($path), '204 400000 ?0 - no-store', 'and when the service dies');
is($service->patch($path, substr($csv, 400_000), @partial, 'Upload-Offset' => 400_000, 'Upload-Complete' => '?1')->{status}, 201, 'it goes on from there');
$files++;
is_left('breaks');

# the end of it: a wrong length, a wrong digest, no file type, a record that cannot be
$path = begin('abc', 'Upload-Length' => 5);
is($service->patch($path, '', @partial, 'Upload-Offset' => 3, 'Upload-Complete' => '?1')->{status}, 400, 'fewer bytes than were told');
is_left('that is the end of it');
is($service->head($path)->{status}, 404, 'nobody finds it');
$path = begin('abc', 'Upload-Length' => 5);
is($service->patch($path, 'defg', @partial, 'Upload-Offset' => 3, 'Upload-Complete' => '?0')->{status}, 400, 'more bytes than were told');
$path = begin('abc');
is($service->patch($path, 'def', @partial, 'Upload-Offset' => 3, 'Upload-Complete' => '?1', 'Repr-Digest' => digest('abc'))->{status}, 400, 'a wrong digest');
for my $promise ([ 'Repr-Digest' => digest('abc') ], [ Digest => 'SHA-256=' . digest('abc') =~ s/.*=:(.*):/$1/r ])
{
	$path = begin('abc', @$promise);
	is($service->patch($path, 'def', @partial, 'Upload-Offset' => 3, 'Upload-Complete' => '?1')->{status}, 400, "a wrong $promise->[0] of the first request");
}
$path = begin('abc', 'Repr-Digest' => digest('abcdef'));
is($service->patch($path, 'def', @partial, 'Upload-Offset' => 3, 'Upload-Complete' => '?1', 'Repr-Digest' => digest('abc'))->{status}, 400, 'a wrong one of the last');
$path = begin('abc');
is($service->patch($path, 'def', @partial, 'Upload-Offset' => 3, 'Upload-Complete' => '?0', 'Content-Digest' => digest('abc'))->{status}, 400, 'a wrong digest of a part');
$path = begin("MZ\0\0");
is($service->patch($path, '', @partial, 'Upload-Offset' => 4, 'Upload-Complete' => '?1')->{status}, 415, 'bytes of no file type');
$path = begin("a\n", words => { dataset => '' });
$reply = $service->patch($path, '', @partial, 'Upload-Offset' => 2, 'Upload-Complete' => '?1');
is($reply->{status}, 400, 'a field is missing');
is($reply->{json}{data}{dataset}[0]{rule}, 'required', 'and the faults say which');
is_left('ends');

# what is no upload from the beginning
my $words = $uploads->words;
for my $bad ([ 'no name of the file', $words ], [ 'a malformed one', $words, 'Content-Disposition' => 'attachment; filename="a' ], [ 'no boolean', "$words&fileName=a.csv", 'Upload-Complete' => 'true' ],
	[ 'not from its first byte', "$words&fileName=a.csv", 'Upload-Offset' => 5 ], [ 'a malformed length', "$words&fileName=a.csv", 'Upload-Length' => 'x' ],
	[ 'a zero byte in a word', "$words&fileName=a.csv&notes=%00" ])
{
	my ($name, $query, @headers) = @$bad;
	is($service->post("/files?$query", 'x', @octets, @headers)->{status}, 400, $name);
}
is($service->post('/tags?name=x', 'x', @octets)->{status}, 415, 'no tag comes as a file');
is($service->post("/files?$words&fileName=a.csv", 'x', @partial)->{status}, 415, 'a part of nothing');
is_left('no uploads');

# dropped, and nobody else's
$path = begin('abc');
is($service->delete($path)->{status}, 204, 'an upload can be dropped');
is($service->head($path)->{status}, 404, 'then it is gone');
is($service->delete($path)->{status}, 404, 'once');
is($service->head('/uploads/AAAAAAAAAAAAAAA')->{status}, 404, 'an upload that never was');
is($service->post('/uploads/AAAAAAAAAAAAAAA', {})->{status}, 405, 'POST goes on with none');
like($service->options('/uploads/AAAAAAAAAAAAAAA')->{headers}{allow}, qr/GET.*PATCH.*DELETE/, 'OPTIONS tells what does');
is($service->get('/uploads')->{status}, 404, 'there is no list of them');
$path = begin('abc');
my $definition = $uploads->{definition};
$definition->create('users', username => 'another.admin', password => 'a long password', role => 'superadmin', organization => $definition->some_id('organizations'));
my $other = 'Bearer ' . $service->login('another.admin', 'a long password')->{json}{data}{token};
for my $token ($other, undef)
{
	my $who = $token ? 'another user' : 'nobody';
	my %status = map { $_->[0] => $service->request($_->[0], $path, $_->[1], Authorization => $token, @{ $_->[2] // [] })->{status} }
		[ 'HEAD' ], [ 'GET' ], [ 'DELETE' ], [ 'PATCH', 'x', [ @partial, 'Upload-Offset' => 3, 'Upload-Complete' => '?1' ] ];
	is(join(' ', map { "$_ $status{$_}" } sort keys %status), 'DELETE 404 GET 404 HEAD 404 PATCH 404', "$who does not find it");
}
is(state_of($path), '204 3 ?0 - no-store', 'and leaves it as it was');
$service->delete($path);
is_left('others');

# one that nobody goes on with is kept for a time, and then swept
$path = begin('abc');
$service->sql(q(UPDATE catalogue.upload SET moved_at = now() - interval '23 hours'));
$service->sql('SELECT catalogue.sweep()');
is(state_of($path), '204 3 ?0 - no-store', 'it can be gone on with for a day');
$service->sql(q(UPDATE catalogue.upload SET moved_at = now() - interval '25 hours'));
$service->sql('SELECT catalogue.sweep()');
is($service->head($path)->{status}, 404, 'and not for two');
is_left('sweep');

# the limit is told before, and held
$service->sql("ALTER DATABASE $service->{database} SET catalogue.upload_limit = '1MB'");
$service->stop_shim;
$service->start_shim;
$service->as_admin;
$reply = $service->post("/files?$words&fileName=a.csv", '', @octets, 'Upload-Complete' => '?0');
is($reply->{headers}{'upload-limit'}, 'max-size=1048576', 'the limit is told');
$path = path($reply);
is($service->patch($path, 'x' x 1_000_000, @partial, 'Upload-Offset' => 0, 'Upload-Complete' => '?0')->{status}, 204, 'below it');
is($service->patch($path, 'x' x 100_000, @partial, 'Upload-Offset' => 1_000_000, 'Upload-Complete' => '?0')->{status}, 413, 'above it');
is($service->post("/files?$words&fileName=a.csv", 'x', @octets, 'Upload-Complete' => '?0', 'Upload-Length' => 1_048_577)->{status}, 413, 'above it by its own account');
is_left('limit');

$service->finish;
