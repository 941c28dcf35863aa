#!/usr/bin/perl
# Files uploaded without a form, in one request or in several: each request names the offset of its first byte,
# a broken connection keeps the bytes that have arrived, and only the user who began an upload can continue it.

use strict;
use warnings;

use Test::More;
use Catalogue::Clock qw(poll wait_until);
use Catalogue::Test;
use Catalogue::Upload;
use Digest::SHA qw(sha256_hex);
use Time::HiRes qw(sleep);

my $service = Catalogue::Test->shared->as_admin;
my $uploads = Catalogue::Upload->new($service);
my $csv     = join '', map { "$_,some text\n" } 1 .. 50_000;
my @octets  = ('Content-Type' => 'application/octet-stream');
my @partial = ('Content-Type' => 'application/partial-upload');
my ($files) = $uploads->left =~ /(\d+)$/;

sub is_left { my ($name) = @_; return $uploads->is_left($files, $name) }

sub path
{
	my ($reply) = @_;
	return $reply->{headers}{location} =~ s/^\Q$service->{base}\E//r;
}

# Begin an upload in several requests; return its path.
sub begin
{
	my ($bytes, %headers) = @_;
	my $reply = $service->post('/files?' . $uploads->words(%{ delete $headers{words} // {} }), $bytes, @octets,
		'Upload-Complete' => '?0', 'Content-Disposition' => 'attachment; filename="a.csv"', %headers);
	is($reply->{status}, 201, 'an upload is begun') || diag $reply->{body};
	is($reply->{headers}{'upload-offset'}, length $bytes, 'the received bytes are stored');
	return path($reply);
}

sub state_of
{
	my ($path) = @_;
	my $reply = $service->head($path);
	return join ' ', $reply->{status},
		map { $reply->{headers}{$_} // '-' } qw(upload-offset upload-complete upload-length cache-control);
}

# in one request: the parameters of the query are the fields of the record
my $reply = $service->post('/files?' . $uploads->words(name => "A\xc3\xb1o + 1", visible => 'true'), $csv, @octets,
	'Content-Disposition' => q(attachment; filename*=UTF-8''a%C3%B1o.csv), 'Repr-Digest' => digest($csv),
		'Content-Digest' => digest($csv), Prefer => 'return=representation');
is($reply->{status}, 201, 'a file without a form') || diag $reply->{body};
my $file = $reply->{json}{data};
is($file->{name}, "A\x{f1}o + 1", 'parameters of the query are decoded');
is($file->{fileName}, 'ano-1.csv', 'the extension is that of the file name');
is_deeply([ @$file{qw(visible size sha256)} ], [ Cpanel::JSON::XS::true, length $csv, sha256_hex($csv) ],
	'the record has the fields and the size of the file');
$files++;
$reply = $service->put("/files/$file->{id}?fileName=b.csv", "x\n", @octets, 'Upload-Complete' => '?1');
is($reply->{status}, 200, 'the bytes are replaced by PUT') || diag $reply->{body};
is($service->get("/files/$file->{id}/download")->{body}, "x\n", 'the file has the new bytes');
$reply = $service->patch("/files/$file->{id}?fileName=b.csv", $csv, @octets);
is($service->get("/files/$file->{id}/download")->{body}, $csv, 'the bytes are replaced by PATCH');
is($service->put("/files/$file->{id}?fileName=b.csv", "x\n", @octets, 'If-Match' => '"never-0000"')->{status}, 412,
	'If-Match with another tag: 412');
for (my $i = 0; $i < 2; $i++)
{
	my @wrong = $i ? ('Repr-Digest' => digest('x')) : ('Content-Digest' => digest('x'));
	is($service->put("/files/$file->{id}?fileName=b.csv", "y\n", @octets, @wrong)->{status}, 400,
		"$wrong[0] of other bytes");
}
is($service->get("/files/$file->{id}/download")->{body}, $csv, 'refused requests change nothing');
is_left('in one request');

# in several requests, not at the borders of chunks
my $path = begin(substr($csv, 0, 1000), 'Upload-Length' => length $csv, 'Repr-Digest' => digest($csv));
is(state_of($path), '204 1000 ?0 ' . length($csv) . ' no-store', 'HEAD has the state of the upload');
my $state = $service->get($path)->{json}{data};
is_deeply([ @$state{qw(offset length complete)} ], [ 1000, length $csv, Cpanel::JSON::XS::false ],
	'GET has the state of the upload');
$reply = $service->patch($path, substr($csv, 1000, 300_000), @partial, 'Upload-Offset' => 1000,
	'Upload-Complete' => '?0');
is($reply->{status}, 204, 'more bytes are accepted') || diag $reply->{body};
is($reply->{headers}{'upload-offset'}, 301_000, 'more bytes are stored');
is(length $reply->{body}, 0, 'the answer has no body');
for my $offset (0, 1000, 300_999, 301_001, 99_999_999)
{
	$reply = $service->patch($path, 'x', @partial, 'Upload-Offset' => $offset, 'Upload-Complete' => '?0');
	is("$reply->{status} $reply->{headers}{'upload-offset'}", '409 301000', "offset $offset is refused");
}
for my $bad ([ 'Upload-Complete' => '?0' ], [ 'Upload-Offset' => 301_000 ],
	[ 'Upload-Offset' => -1, 'Upload-Complete' => '?0' ], [ 'Upload-Offset' => '1e3', 'Upload-Complete' => '?0' ],
	[ 'Upload-Offset' => 301_000, 'Upload-Complete' => '1' ], [ 'Upload-Offset' => '9' x 30, 'Upload-Complete' => '?0' ])
{
	is($service->patch($path, 'x', @partial, @$bad)->{status}, 400, "@$bad is malformed");
}
for my $request ([ 'a part', '?0' ], [ 'the last part', '?1' ])
{
	$reply = $service->patch($path, substr($csv, 301_000), @partial, 'Upload-Offset' => 301_000,
		'Upload-Complete' => $request->[1], 'Upload-Length' => 1 + length $csv);
	is("$reply->{status} @{ $reply->{headers} }{qw(upload-offset upload-complete)}", '400 301000 ?0',
		"another Upload-Length with $request->[0] is refused");
}
is($service->patch($path, '', @partial, 'Upload-Offset' => 301_000, 'Upload-Complete' => '?0',
	'Upload-Length' => length $csv)->{status}, 204, 'the same one is accepted');
is($service->patch($path, '{}', 'Upload-Offset' => 301_000, 'Upload-Complete' => '?1')->{status}, 415,
	'JSON is not a part of a file');
is(state_of($path), '204 301000 ?0 ' . length($csv) . ' no-store', 'the upload has not changed');
$reply = $service->patch($path, substr($csv, 301_000), @partial, 'Upload-Offset' => 301_000, 'Upload-Complete' => '?1',
	'Repr-Digest' => digest($csv));
is($reply->{status}, 201, 'the last request creates the record') || diag $reply->{body};
like($reply->{headers}{location}, qr{/files/\w{15}$}, 'Location is the address of the record');
is($service->get(path($reply) . '/download')->{body}, $csv, 'the file has all bytes');
is("$reply->{headers}{'upload-complete'} $reply->{headers}{'upload-offset'}", '?1 ' . length $csv,
	'the last answer tells that the upload is complete');
$files++;
is_left('in several requests');

# who has lost the last answer learns for an hour what became of the upload
my $made = $reply->{headers}{location};
is(state_of($path), '204 ' . length($csv) . ' ?1 ' . length($csv) . ' no-store', 'HEAD tells that it is complete');
is($service->head($path)->{headers}{location}, $made, 'HEAD has the address of the record');
is($service->head($path)->{headers}{'upload-limit'}, 'max-size=4294967296', 'HEAD has the limit');
$state = $service->get($path)->{json}{data};
is_deeply([ $state->{complete}, $state->{resource}, "$service->{base}/files/$state->{record}" ],
	[ Cpanel::JSON::XS::true, 'files', $made ], 'GET has the record');
$reply = $service->patch($path, '', @partial, 'Upload-Offset' => length $csv, 'Upload-Complete' => '?1');
is("$reply->{status} $reply->{headers}{'upload-complete'} $reply->{headers}{location}", "200 ?1 $made",
	'a repeated last request is answered with the record');
is($reply->{json}{links}{record}, $made, 'and its link');
for my $wrong ([ 'bytes that it has', substr($csv, 1000), 1000, '?1' ], [ 'more bytes', 'x', length $csv, '?1' ],
	[ 'another offset', '', 1000, '?1' ], [ 'a part', '', length $csv, '?0' ])
{
	my ($name, $bytes, $offset, $complete) = @$wrong;
	$reply = $service->patch($path, $bytes, @partial, 'Upload-Offset' => $offset, 'Upload-Complete' => $complete);
	is("$reply->{status} $reply->{headers}{'upload-offset'} $reply->{headers}{'upload-complete'}",
		'409 ' . length($csv) . ' ?0', "a complete upload takes no request with $name");
}
is($service->get(($made =~ s/^\Q$service->{base}\E//r) . '/download')->{body}, $csv, 'the file is as it was');
is_left('repeated');
my (undef, $stranger) = $uploads->{definition}->user('a.stranger', 'superadmin');
for my $token ($stranger, undef)
{
	my $who = $token ? 'another user' : 'nobody';
	my @statuses = map { $service->request($_, $path, undef, Authorization => $token)->{status} } qw(HEAD GET DELETE);
	push @statuses, $service->request('PATCH', $path, '', Authorization => $token, @partial,
		'Upload-Offset' => length $csv, 'Upload-Complete' => '?1')->{status};
	is("@statuses", '404 404 404 404', "$who does not find a complete upload");
}
$service->sql(q(UPDATE catalogue.finished_upload SET finished_at = now() - interval '59 minutes'));
$service->sql('SELECT catalogue.sweep()');
is($service->head($path)->{status}, 204, 'it is told for an hour');
$service->sql(q(UPDATE catalogue.finished_upload SET finished_at = now() - interval '61 minutes'));
$service->sql('SELECT catalogue.sweep()');
is($service->head($path)->{status}, 404, 'it is forgotten after that');

# a client of an older draft sends no media type; the first request may have all bytes
sub untyped
{
	my (@headers) = @_;
	return $service->raw(join("\r\n", 'POST /files?' . $uploads->words . ' HTTP/1.1', 'Host: localhost',
		'Connection: close', "Authorization: $service->{headers}{Authorization}",
		'Content-Disposition: attachment; filename="a.csv"', 'Content-Length: 2', @headers, '', "a\n"))->{replies}[0];
}
$reply = untyped('Upload-Complete: ?1');
is("$reply->{status} $reply->{headers}{'upload-complete'} $reply->{headers}{'upload-offset'}", '201 ?1 2',
	'all in the first request') or diag $reply->{body};
$files++;
is(untyped()->{status}, 415, 'bytes without a media type are no upload unless they say so');
ok(!$service->put("/files/$file->{id}?fileName=b.csv", $csv, @octets)->{headers}{'upload-complete'},
	'an upload in one request has no state');
$path = begin('abc');
$reply = $service->patch($path, '', @partial, 'Upload-Offset' => 3, 'Upload-Complete' => '?1');
$files++;
is($service->delete($path)->{status}, 204, 'a complete upload is forgotten when it is deleted');
is($service->head($path)->{status}, 404, 'once');
is($service->head(path($reply))->{status}, 200, 'its file stays');
is_left('told');

# the last request may be empty; an upload for an existing record is an update
$path = begin($csv);
$reply = $service->patch($path, '', @partial, 'Upload-Offset' => length $csv, 'Upload-Complete' => '?1');
is($reply->{status}, 201, 'an empty last request') || diag $reply->{body};
$files++;
$reply = $service->put("/files/$file->{id}?fileName=b.csv&notes=changed", 'a', @octets, 'Upload-Complete' => '?0');
is($reply->{status}, 201, 'a replacement is begun') || diag $reply->{body};
$path = path($reply);
is($service->get("/files/$file->{id}/download")->{body}, $csv, 'until it is complete the file has the former bytes');
$reply = $service->patch($path, "b\n", @partial, 'Upload-Offset' => 1, 'Upload-Complete' => '?1',
	Prefer => 'return=representation');
is($reply->{status}, 200, 'the last request updates the record') || diag $reply->{body};
is("$reply->{json}{data}{notes} $reply->{json}{data}{size}", 'changed 3',
	'the fields of the first request are updated');
is_left('updates');

# a broken connection keeps the received bytes
$path = begin('');
my $socket = $service->connection;
syswrite $socket, "PATCH $path HTTP/1.1\r\nHost: 127.0.0.1:$service->{port}\r\n"
	. "Authorization: $service->{headers}{Authorization}\r\nContent-Type: application/partial-upload\r\n"
	. 'Upload-Offset: 0' . "\r\nUpload-Complete: ?1\r\nContent-Length: " . length($csv) . "\r\n\r\n"
		. substr $csv, 0, 400_000;
sleep 0.2;
close $socket;
poll(20, sub { $service->head($path)->{headers}{'upload-offset'} == 400_000 });
is(state_of($path), '204 400000 ?0 - no-store', 'the received bytes are kept when the connection breaks');
$service->stop_shim('KILL');
$service->start_shim;
is(state_of($path), '204 400000 ?0 - no-store', 'the received bytes are kept when the service is killed');
is($service->patch($path, substr($csv, 400_000), @partial, 'Upload-Offset' => 400_000,
	'Upload-Complete' => '?1')->{status}, 201, 'the upload continues from there');
$files++;
is_left('breaks');

# the end of an upload: a wrong length, a wrong digest, an unknown file type, an invalid record
$path = begin('abc', 'Upload-Length' => 5);
$reply = $service->patch($path, '', @partial, 'Upload-Offset' => 3, 'Upload-Complete' => '?1');
is("$reply->{status} $reply->{headers}{'upload-complete'}", '400 ?0', 'fewer bytes than Upload-Length');
is(state_of($path), '204 3 ?0 5 no-store', 'the upload goes on');
is($service->patch($path, 'defg', @partial, 'Upload-Offset' => 3, 'Upload-Complete' => '?0')->{status}, 400,
	'more bytes than Upload-Length');
is(state_of($path), '204 3 ?0 5 no-store', 'the upload goes on');
$service->delete($path);
$path = begin('abc');
is($service->patch($path, 'def', @partial, 'Upload-Offset' => 3, 'Upload-Complete' => '?1',
	'Repr-Digest' => digest('abc'))->{status}, 400, 'a wrong digest');
for my $promise ([ 'Repr-Digest' => digest('abc') ], [ Digest => 'SHA-256=' . digest('abc') =~ s/.*=:(.*):/$1/r ])
{
	$path = begin('abc', @$promise);
	is($service->patch($path, 'def', @partial, 'Upload-Offset' => 3, 'Upload-Complete' => '?1')->{status}, 400,
		"a wrong $promise->[0] of the first request");
}
$path = begin('abc', 'Repr-Digest' => digest('abcdef'));
is($service->patch($path, 'def', @partial, 'Upload-Offset' => 3, 'Upload-Complete' => '?1',
	'Repr-Digest' => digest('abc'))->{status}, 400, 'a wrong digest in the last request');
$path = begin('abc');
is($service->patch($path, 'def', @partial, 'Upload-Offset' => 3, 'Upload-Complete' => '?0',
	'Content-Digest' => digest('abc'))->{status}, 400, 'a wrong digest of a part');
is(state_of($path), '204 3 ?0 - no-store', 'of which nothing was stored: the upload goes on');
is($service->patch($path, substr($csv, 0, 300_000), @partial, 'Upload-Offset' => 3, 'Upload-Complete' => '?0',
	'Content-Digest' => digest('abc'))->{status}, 400, 'a wrong digest of a large part');
wait_until('of which bytes were stored: the upload ends', sub { $service->head($path)->{status} == 404 });
$path = begin("MZ\0\0");
$reply = $service->patch($path, '', @partial, 'Upload-Offset' => 4, 'Upload-Complete' => '?1');
is("$reply->{status} $reply->{headers}{'upload-complete'}", '415 ?1',
	'bytes of no known file type: the upload has ended');
wait_until('it is not told as complete', sub { $service->head($path)->{status} == 404 });
# a fault of a field is told before a byte is sent, and where the field is wrong only later, at the end
for my $case ([ 400, dataset => '' ], [ 400, organization => 'nothing' ], [ 400, visible => 'perhaps' ])
{
	my ($status, $field, $value) = @$case;
	my $refused = $service->post('/files?' . $uploads->words($field => $value), '', @octets, 'Upload-Complete' => '?0',
		'Upload-Length' => 57e6, 'Content-Disposition' => 'attachment; filename="a.csv"');
	is($refused->{status}, $status, "no upload is begun with $field '$value'");
	ok($refused->{json}{data}{$field}, 'the error names the field');
	ok(!$refused->{headers}{location}, 'and no upload is there');
}
is($service->post('/files?' . $uploads->words, '', @octets, 'Upload-Complete' => '?0',
	'Content-Disposition' => 'attachment; filename="a.exe"')->{status}, 415, 'nor for a type that is not taken');
my $office = $service->post('/organizations', { name => 'Office of a day' })->{json}{links}{record} =~ s/.*\///r;
$path = begin("a\n", words => { organization => $office });
is($service->delete("/organizations/$office")->{status}, 200, 'a record that the fields name is deleted meanwhile');
$reply = $service->patch($path, '', @partial, 'Upload-Offset' => 2, 'Upload-Complete' => '?1');
is("$reply->{status} $reply->{headers}{'upload-complete'}", '400 ?1', 'the file is refused at the end');
is($reply->{json}{data}{organization}[0]{rule}, 'reference', 'the error names the field');
is_left('ends');

# requests that cannot begin an upload
my $words = $uploads->words;
for my $bad ([ 'no name of the file', $words ],
	[ 'a malformed one', $words, 'Content-Disposition' => 'attachment; filename="a' ],
	[ 'no boolean', "$words&fileName=a.csv", 'Upload-Complete' => 'true' ],
	[ 'not from its first byte', "$words&fileName=a.csv", 'Upload-Offset' => 5 ],
		[ 'a malformed length', "$words&fileName=a.csv", 'Upload-Length' => 'x' ],
	[ 'a zero byte in a word', "$words&fileName=a.csv&notes=%00" ])
{
	my ($name, $query, @headers) = @$bad;
	is($service->post("/files?$query", 'x', @octets, @headers)->{status}, 400, $name);
}
is($service->post('/tags?name=x', 'x', @octets)->{status}, 415, 'a tag cannot be created from a file');
is($service->post("/files?$words&fileName=a.csv", 'x', @partial)->{status}, 415, 'a part without an upload');
is_left('no uploads');

# an upload can be deleted, by its user only
$path = begin('abc');
is($service->delete($path)->{status}, 204, 'an upload is deleted');
is($service->head($path)->{status}, 404, 'it does not exist any more');
is($service->delete($path)->{status}, 404, 'once');
is($service->head('/uploads/AAAAAAAAAAAAAAA')->{status}, 404, 'an upload that never existed');
is($service->post('/uploads/AAAAAAAAAAAAAAA', {})->{status}, 405, 'POST is not allowed');
$reply = $service->options('/uploads/AAAAAAAAAAAAAAA');
like($reply->{headers}{allow}, qr/GET.*PATCH.*DELETE/, 'OPTIONS has the methods of an upload');
is($reply->{headers}{'accept-patch'}, 'application/partial-upload, application/octet-stream',
	'and the types of a part');
is($service->options("/files/$file->{id}")->{headers}{'accept-patch'},
	'application/json, multipart/form-data, application/octet-stream', 'OPTIONS of a file has those of its changes');
is($service->options('/files')->{headers}{'accept-patch'}, undef, 'a path without PATCH has none');
for my $place ('/files', "/files/$file->{id}")
{
	is($service->options($place)->{headers}{'upload-limit'}, 'max-size=4294967296', "OPTIONS of $place has the limit");
}
for my $place ("/files/$file->{id}/contents", '/datasets', '/categories')
{
	is($service->options($place)->{headers}{'upload-limit'}, undef, "OPTIONS of $place has none");
}
is($service->get('/uploads')->{status}, 404, 'uploads cannot be listed');
$path = begin('abc');
my $definition = $uploads->{definition};
my (undef, $other) = $definition->user('another.admin', 'superadmin');
for my $token ($other, undef)
{
	my $who = $token ? 'another user' : 'nobody';
	my %status =
		map { $_->[0] => $service->request($_->[0], $path, $_->[1], Authorization => $token, @{ $_->[2] // [] })->{status} }
		[ 'HEAD' ], [ 'GET' ], [ 'DELETE' ], [ 'PATCH', 'x', [ @partial, 'Upload-Offset' => 3, 'Upload-Complete' => '?1' ] ];
	is(join(' ', map { "$_ $status{$_}" } sort keys %status), 'DELETE 404 GET 404 HEAD 404 PATCH 404',
		"$who does not find it");
}
is(state_of($path), '204 3 ?0 - no-store', 'the upload has not changed');
$service->delete($path);
is_left('an upload that others requested');

# an upload that is not continued is deleted after a time
$path = begin('abc');
$service->sql(q(UPDATE catalogue.upload SET moved_at = now() - interval '23 hours'));
$service->sql('SELECT catalogue.sweep()');
is(state_of($path), '204 3 ?0 - no-store', 'an upload can be continued for a day');
$service->sql(q(UPDATE catalogue.upload SET moved_at = now() - interval '25 hours'));
$service->sql('SELECT catalogue.sweep()');
is($service->head($path)->{status}, 404, 'it is deleted after that');
is_left('sweep');

# the limit is announced and enforced
$service->sql("ALTER DATABASE $service->{database} SET catalogue.upload_limit = '1MB'");
$service->stop_shim;
$service->start_shim;
$service->as_admin;
$reply = $service->post("/files?$words&fileName=a.csv", '', @octets, 'Upload-Complete' => '?0');
is($reply->{headers}{'upload-limit'}, 'max-size=1048576', 'the limit is announced');
$path = path($reply);
is($service->patch($path, 'x' x 1_000_000, @partial, 'Upload-Offset' => 0, 'Upload-Complete' => '?0')->{status}, 204,
	'an upload below the limit');
$reply = $service->patch($path, 'x' x 100_000, @partial, 'Upload-Offset' => 1_000_000, 'Upload-Complete' => '?0');
is(join(' ', $reply->{status}, map { $reply->{headers}{$_} // '-' } qw(upload-limit upload-complete)),
	'413 max-size=1048576 ?0', 'an upload above the limit');
is(state_of($path), '204 1000000 ?0 - no-store', 'goes on below it');
$service->delete($path);
$reply = $service->post("/files?$words&fileName=a.csv", 'x', @octets, 'Upload-Complete' => '?0',
	'Upload-Length' => 1_048_577);
is("$reply->{status} $reply->{headers}{'upload-limit'}", '413 max-size=1048576', 'an Upload-Length above the limit');
is_left('limit');

$service->finish;
