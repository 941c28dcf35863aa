#!/usr/bin/perl
# Downloads of files: whole and in ranges, with safe names and types, for callers who see the file;
# and the count of downloads.

use strict;
use warnings;
use feature qw(state);

use Test::More;
use Catalogue::Clock qw(poll wait_until);
use Catalogue::Program qw(slurp);
use Catalogue::Test;
use Catalogue::Upload;
use Digest::SHA qw(sha256_hex);

my $service = Catalogue::Test->start(CATALOGUE_LOG_LEVEL => 'verbose')->as_admin;
my $uploads = Catalogue::Upload->new($service);
is($service->patch("/datasets/$uploads->{dataset}/publish")->{status}, 200, 'the dataset is published');
my $bytes   = join '', map { sprintf "%06d,%s\n", $_, 'x' x ($_ % 40) } 1 .. 40_000;
my $size    = length $bytes;
my $file    = $uploads->file('large.csv', $bytes, name => "Gr\xc3\xb6\xc3\x9fe", status => 'qWRhpRV');
my $path    = "/files/$file->{id}/download";
cmp_ok($size, '>', 3 * 262_144, 'a file of several chunks');

# the whole file, by id, slug and stored name
for my $name ($file->{id}, $file->{slug}, $file->{fileName}, uc $file->{fileName})
{
	my $reply = $service->get("/files/$name/download");
	is($reply->{status}, 200, "by $name");
	ok($reply->{body} eq $bytes, 'the download has all bytes');
}
my $whole = $service->get($path);
my %field = %{ $whole->{headers} };
is($field{'content-type'}, 'text/csv', 'Content-Type');
is($field{'content-length'}, $size, 'Content-Length');
is($field{'content-disposition'}, qq(attachment; filename="$file->{fileName}"), 'the name in Content-Disposition');
is($field{etag}, qq("$file->{sha256}"), 'ETag is the digest of the bytes');
is($field{'repr-digest'}, digest($bytes), 'Repr-Digest is the digest of the bytes');
is($field{digest}, 'SHA-256=' . digest($bytes) =~ s/.*=:(.*):/$1/r, 'Digest (RFC 3230) is the digest of the bytes');
is($field{'accept-ranges'}, 'bytes', 'Accept-Ranges');
is($field{'x-content-type-options'}, 'nosniff', 'the type is not sniffed');
is($field{'content-security-policy'}, "sandbox; default-src 'none'; style-src 'unsafe-inline'",
	'scripts in the file do not run');
is($field{'cache-control'}, 'private, no-cache', 'caches may store it, and must revalidate');
like($field{'access-control-expose-headers'}, qr/Content-Disposition/, 'pages of other origins may read its name');
is($service->get($path, Accept => $_)->{status}, 200, "Accept: $_: served") for 'text/csv', 'text/*',
	'application/json, */*;q=0.1', 'image/png', 'application/json', 'text/csv;q=0';
is($service->get("/files/$file->{id}/$_", Accept => 'text/html')->{status}, 200, "Accept: text/html: $_ is served")
	for 'view', 'download/csv';
is($service->get($path, Accept => 'image/png', 'If-None-Match' => $field{etag})->{status}, 304,
	'If-None-Match whatever Accept is');

# a name beyond ASCII, stored by SQL: encoded for old and for present clients
$service->sql(qq(UPDATE catalogue.files SET file_name = 'Gr\xc3\xb6\xc3\x9fe "a"; b.csv' WHERE id = '$file->{id}'));
is($service->get($path)->{headers}{'content-disposition'},
	q(attachment; filename="Gr__e _a__ b.csv"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%22a%22%3B%20b.csv),
	'a name of any characters');
ok($service->get('/files/Gr%C3%B6%C3%9Fe%20%22a%22%3B%20b.csv/download')->{body} eq $bytes, 'a download by that name');
$service->sql(qq(UPDATE catalogue.files SET file_name = '$file->{fileName}' WHERE id = '$file->{id}'));

# HEAD: the headers without the bytes
my $head = $service->head($path);
is($head->{status}, 200, 'HEAD');
is_deeply([ map { $head->{headers}{$_} } qw(content-length etag content-type repr-digest) ],
	[ @field{qw(content-length etag content-type repr-digest)} ], 'HEAD has the same headers');
is($service->head($path, Range => 'bytes=0-0')->{headers}{'content-length'}, $size, 'HEAD ignores Range');

# conditions
my $other = '"' . '0' x 64 . '"';
for ([ 'If-None-Match' => $field{etag}, 304 ], [ 'If-None-Match' => "W/$field{etag}, $other", 304 ],
	[ 'If-None-Match' => '*', 304 ], [ 'If-None-Match' => $other, 200 ],
	[ 'If-Match' => $field{etag}, 200 ], [ 'If-Match' => '*', 200 ], [ 'If-Match' => $other, 412 ],
		[ 'If-Match' => "W/$field{etag}", 412 ], [ 'If-Match' => 'x', 400 ])
{
	my ($name, $value, $status) = @$_;
	my $reply = $service->get($path, $name => $value);
	is($reply->{status}, $status, "$name: $value");
	is($reply->{headers}{etag}, $field{etag}, '304 has the tag') if $status == 304;
	is($reply->{body}, '', '304 has no body') if $status == 304;
}

# one range: any bytes, within a chunk and across chunks
sub range
{
	my ($range, %headers) = @_;
	return $service->get($path, Range => $range, %headers);
}
for ([ '0-0', 0, 0 ], [ '0-99', 0, 99 ], [ '262143-262144', 262_143, 262_144 ], [ '100-600000', 100, 600_000 ],
	[ '524288-', 524_288, $size - 1 ], [ '-1', $size - 1, $size - 1 ],
	[ '-1000', $size - 1000, $size - 1 ], [ '-99999999999', 0, $size - 1 ], [ '10-99999999999999999999', 10, $size - 1 ],
		[ ' 5-5', 5, 5 ], [ '5-5,', 5, 5 ],
	[ '0-9,5-20', 0, 20 ], [ '0-9,10-19', 0, 19 ], [ '0-9,99999999-', 0, 9 ], [ '20-29,0-9,10-19', 0, 29 ])
{
	my ($range, $first, $last) = @$_;
	my $reply = range("bytes=$range");
	is($reply->{status}, 206, "bytes=$range");
	is($reply->{headers}{'content-range'}, "bytes $first-$last/$size", 'Content-Range');
	ok($reply->{body} eq substr($bytes, $first, $last - $first + 1), 'the bytes of the range');
}
for my $range ("bytes=$size-", 'bytes=99999999-', 'bytes=-0', "bytes=$size-99999999999, 99999999-")
{
	my $reply = range($range);
	is($reply->{status}, 416, "$range: not satisfiable");
	is($reply->{headers}{'content-range'}, "bytes */$size", 'Content-Range has the size');
	is($reply->{json}{code}, 'E_RANGE_NOT_SATISFIABLE', 'the common error format');
}
for my $range ('bytes=', 'bytes=a-b', 'bytes=5-1', 'bytes=-', 'bytes=1', 'bytes=0-0-0', 'items=0-9', 'bytes=0-9;10-19',
	'bytes', 'bytes=' . join ',', map { ($_ * 10) . '-' . ($_ * 10 + 1) } 1 .. 17)
{
	my $reply = range($range);
	is($reply->{status}, 200, substr($range, 0, 30) . ' is ignored');
	is(length $reply->{body}, $size, 'the whole file is sent');
}

# several ranges
for my $ranges ([ [ 0, 9 ], [ 100, 109 ] ], [ [ 500_000, 600_000 ], [ 0, 0 ], [ $size - 1, $size - 1 ] ],
	[ map { [ $_ * 40_000, $_ * 40_000 + 9 ] } 0 .. 15 ])
{
	my $reply = range('bytes=' . join ',', map { "$_->[0]-$_->[1]" } @$ranges);
	is($reply->{status}, 206, scalar(@$ranges) . ' ranges');
	my ($boundary) = $reply->{headers}{'content-type'} =~ m{^multipart/byteranges; boundary=(\w+)$};
	my $expected = join '', (map { "\r\n--$boundary\r\nContent-Type: text/csv\r\n"
		. "Content-Range: bytes $_->[0]-$_->[1]/$size\r\n\r\n" . substr $bytes, $_->[0], $_->[1] - $_->[0] + 1 } @$ranges),
		"\r\n--$boundary--\r\n";
	ok($reply->{body} eq substr($expected, 2), 'each range is a part');
	is($reply->{headers}{'content-range'}, undef, 'parts have their own Content-Range');
}

# If-Range: ranges only of the representation that the client has
is(range('bytes=0-9', 'If-Range' => $field{etag})->{status}, 206, 'If-Range with the current tag');
is(range('bytes=0-9', 'If-Range' => $_)->{status}, 200, "If-Range: $_") for $other, "W/$field{etag}",
	'Sat, 29 Oct 1994 19:43:31 GMT';

# downloads that begin with the first byte are counted, by category
my $categories =
	$service->get("/datasets/$uploads->{dataset}?fields=categories&include=categories.id")->{json}{data}{categories};
my ($category) = map { ref ? $_->{id} : $_ } @$categories;
# The numbers, when all requests until now are recorded: those of a connection are recorded in their order.
sub counted
{
	state $asked = 0;
	my $last = '/counted' . ++$asked;
	$service->get($last);
	wait_until('the requests are recorded',
		sub { $service->sql("SELECT EXISTS (SELECT FROM catalogue.statistics WHERE endpoint = '$last')") eq 't' });
	return $service->get('/metrics/categories')->{json}{data};
}

my $before = counted();
$service->get($path);
range('bytes=0-9');
range('bytes=5-9,0-1');
my $after = counted();
is($after->{total} - $before->{total}, 3, 'three such downloads are counted');
is($after->{$category} - $before->{$category}, 3, 'they are counted for the dataset\'s category');
$service->head($path);
range('bytes=10-');
range('bytes=99999999-');
$service->get($path, 'If-None-Match' => $field{etag});
is(counted()->{total}, $after->{total}, 'other requests are not counted');
my ($event) = grep { $_->{event} eq 'download of a file' } $service->log;
is($event->{level}, 'verbose', 'a download is an event of the log');

# "view" shows what browsers can show without risk; everything else is saved
my %kinds = (
	'csv'  => [ 'a.csv',  "a,b\n<script>alert(1)</script>,2\n", 'text/plain', 'inline' ],
	'json' => [ 'a.json', '{"a": "<script>"}', 'text/plain', 'inline' ],
	'pdf'  => [ 'a.pdf',  "%PDF-1.4\n%\xe2\xe3\n1 0 obj\n<< /JS (app.alert(1)) >>\nendobj\n%%EOF\n",
		'application/pdf', 'inline' ],
	'html' => [ 'a.html', '<!DOCTYPE html><html><script>alert(1)</script></html>', 'text/html', 'attachment' ],
	'xml'  => [ 'a.xml',  '<?xml version="1.0"?><a xmlns="http://www.w3.org/1999/xhtml"><script>alert(1)</script></a>',
		undef, 'attachment' ],
	'svg'  => [ 'a.svg',  '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>', 'image/svg+xml',
		'attachment' ],
);
for my $kind (sort keys %kinds)
{
	my ($name, $content, $type, $disposition) = @{ $kinds{$kind} };
	my $extension = $service->get("/filetypes?name=$kind&match=EXACT")->{json}{meta}{count};
	$service->post('/filetypes', { name => $kind, mimetype => [ $type // 'application/xml' ] })->{status} == 201
		|| die 'no file type' if !$extension;
	my $record = $uploads->file($name, $content, name => "a $kind", status => 'qWRhpRV');
	for my $view (qw(download view))
	{
		my $reply = $service->get("/files/$record->{id}/$view");
		is($reply->{body}, $content, "$kind, $view: the bytes");
		my $shown = $view eq 'view' && $disposition eq 'inline';
		like($reply->{headers}{'content-disposition'}, $shown ? qr/^inline; / : qr/^attachment; /,
			"$kind, $view: " . ($shown ? 'shown' : 'saved'));
		is($reply->{headers}{'content-type'}, $type, "$kind, view: as $type") if $shown;
		unlike($reply->{headers}{'content-type'}, qr/html|xml|svg|script/, "$kind: no active content is shown")
			if $reply->{headers}{'content-disposition'} =~ /inline/;
		is($reply->{headers}{'x-content-type-options'}, 'nosniff', "$kind, $view: the type is not sniffed");
		my $policy = $kind eq 'pdf' && $shown ? qr/^default-src 'none'; object-src 'self'/ : qr/^sandbox; default-src 'none'/;
		like($reply->{headers}{'content-security-policy'}, $policy, "$kind, $view: scripts do not run");
	}
}

# a file of two types is taken as what its extension says, or refused
is($uploads->upload('a.csv', "GIF89a/*\n<script>alert(1)</script>*/")->{status}, 415, 'an image named .csv is refused');
is($uploads->upload('a.gif', '<script>alert(1)</script>')->{status}, 415, 'a script named .gif is refused');

# formats: in its own format a file is served as it is, and a file without rows has no other format
is($service->get("$path/csv")->{body}, $bytes, 'a CSV as CSV is the original');
my $pdf = $service->get('/files?name=a%20pdf')->{json}{data}[0]{id};
for my $form (qw(csv xlsx geojson xls exe))
{
	my $reply = $service->get("/files/$pdf/download/$form");
	is($reply->{status}, 406, "a PDF as $form");
	is($reply->{json}{code}, 'E_NOT_ACCEPTABLE', 'the common error format');
}
is($service->get("$path/docx")->{status}, 406, 'no CSV as DOCX');

# other formats of files with rows, by each name of the file, after it is parsed
my $table = $uploads->file('rows.csv', "id,name\n1,a\n", name => 'rows', status => 'qWRhpRV');
my $early = $service->get("/files/$table->{id}/download/json");
is($early->{status}, 409, 'the file is not parsed yet');
is($early->{json}{data}{parseState}, 'pending', 'the error has the state of the file');
my $rows = join ',', '["id","name","lat","lon"]', map { qq(["$_","name $_","10.5","$_.25"]) } 1 .. 100;
$service->sql("SELECT catalogue.contents_load('$table->{id}', '[$rows]')");
for my $name ($table->{id}, $table->{slug}, $table->{fileName})
{
	my $reply = $service->get("/files/$name/download/json");
	is($reply->{status}, 200, "JSON of $name") || diag $reply->{body};
	is(scalar @{ $reply->{json} }, 100, 'JSON has all rows');
	is($reply->{json}[41]{name}, 'name 42', 'rows are objects');
}
# a download that is generated is counted only if it can be generated
my $plain = $uploads->file('plain.csv', "id,name\n1,a\n", name => 'plain', status => 'qWRhpRV');
$service->sql("SELECT catalogue.contents_load('$plain->{id}', '[[\"id\",\"name\"],[\"1\",\"a\"]]')");
my $total = counted()->{total};
is($service->get("/files/$plain->{id}/download/geojson")->{status}, 406, 'no GeoJSON without coordinates');
is(counted()->{total}, $total, 'the refused download is not counted');
is($service->get("/files/$plain->{id}/download/json")->{status}, 200, 'rows as JSON');
is(counted()->{total}, $total + 1, 'that download is counted');

my %tags;
for ([ 'json', 'application/json' ], [ 'ndjson', 'application/x-ndjson' ])
{
	my ($form, $type) = @$_;
	my $reply = $service->get("/files/$table->{id}/download/$form");
	is($reply->{headers}{'content-type'}, $type, "$form: its type");
	is($reply->{headers}{'content-disposition'}, qq(attachment; filename="rows.$form"), "$form: its name");
	is($reply->{headers}{'content-security-policy'}, "sandbox; default-src 'none'; style-src 'unsafe-inline'",
		"$form: scripts in it do not run");
	my $head = $service->head("/files/$table->{id}/download/$form");
	my $sent = $service->raw("HEAD /files/$table->{id}/download/$form HTTP/1.1\r\nHost: localhost\r\n"
		. "Authorization: Bearer $service->{token}\r\nConnection: close\r\n\r\n", wanted => 2);
	like($sent->{text}, qr{^HTTP/1\.1 200 (?:(?!\r\n\r\n).)*\r\n\r\n\z}s, "$form: HEAD sends nothing after the headers");
	is_deeply([ $head->{status}, map { $head->{headers}{$_} } qw(content-type content-disposition etag) ],
		[ 200, $type, qq(attachment; filename="rows.$form"), $reply->{headers}{etag} ], "$form: HEAD has the same headers");
	my $tag = $reply->{headers}{etag};
	like($tag, qr/^"[^"]+"$/, "$form: it has an entity tag");
	my $again = $service->get("/files/$table->{id}/download/$form", 'If-None-Match' => $tag);
	is_deeply([ @$again{qw(status body)}, $again->{headers}{etag} ], [ 304, '', $tag ], "$form: known, 304");
	is($service->get("/files/$table->{id}/download/$form?fields=id", 'If-None-Match' => $tag)->{status}, 200,
		"$form: of another query, another one");
	is($service->get("/files/$table->{id}/download/$form", 'If-Match' => '"x"')->{status}, 412,
		"$form: If-Match of another one");
	$tags{$tag} = $form;
}
is(scalar(keys %tags), 2, 'each form has its own entity tag');
is(scalar(split /\n/, $service->get("/files/$table->{id}/download/ndjson")->{body}), 100,
	'NDJSON has a line for each row');
is($service->get("/files/$table->{id}/download/csv")->{body}, "id,name\n1,a\n", 'CSV of a CSV file is the original');
is($service->get("/files/$table->{id}/download/exe")->{status}, 406, 'an unknown format is not acceptable');
is($service->get("/files/$table->{id}/download/json", Authorization => undef)->{status}, 200,
	'outsiders who see the file may download it in other formats');
my ($known) = grep { $tags{$_} eq 'ndjson' } keys %tags;
$service->sql("SELECT catalogue.contents_load('$table->{id}', '[[\"id\"],[\"1\"]]')");
isnt($service->get("/files/$table->{id}/download/ndjson", 'If-None-Match' => $known)->{headers}{etag}, $known,
	'other contents have another');
is($service->get("/files/$table->{id}/download/ndjson", 'If-None-Match' => $known)->{body}, qq({"_id":1,"id":"1"}\n),
	'and are given');

# visibility: outsiders see published files
my $draft  = $uploads->file('draft.csv', "a\n", name => 'draft', status => 'nWRhpRV');
my @nobody = (Authorization => undef);
is($service->get($path, @nobody)->{status}, 200, 'a published file is shown to outsiders');
for my $what (qw(download view download/csv))
{
	is($service->get("/files/$_/$what", @nobody)->{status}, 404, "$_/$what: a draft is hidden from outsiders")
		for $draft->{id}, $draft->{slug}, $draft->{fileName};
	is($service->get("/files/$draft->{id}/$what")->{status}, 200, "$what: a draft is shown to users");
	is($service->head("/files/$draft->{id}/$what", @nobody)->{status}, 404, "$what: HEAD hides it too");
}
is($service->get("/files/$draft->{id}/download", @nobody, Range => 'bytes=0-0', 'If-None-Match' => '*')->{status}, 404,
	'conditions and ranges do not show a hidden file');
$service->delete("/files/$draft->{id}");
is($service->get("/files/$_/download")->{status}, 404, "deleted: $_") for $draft->{id}, $draft->{fileName};
is($service->get("/files/$_/download")->{status}, 404, "a name that does not exist: $_") for 'AAAAAAAAAAAAAAA',
	'nothing.csv', '..', '%2e%2e';
is($service->post($path, {})->{status}, 405, 'POST is not allowed');

# a file with its bytes at another address
my $elsewhere = $uploads->{definition}->create('files', url => 'http://elsewhere.example/a.csv');
my $reply = $service->get("/files/$elsewhere/download");
is($reply->{status}, 404, 'the file has no bytes here');
my $url = $service->get("/files/$elsewhere")->{json}{data}{url};
like($reply->{json}{meta}{message}, defined $url ? qr/\Q$url\E/ : qr/no bytes/, 'the error has the address');

# equal bytes are stored once
is($uploads->file('copy.csv', $bytes)->{sha256}, $file->{sha256}, 'the same bytes are uploaded again');
is($service->sql("SELECT count(*) FROM catalogue.blob WHERE encode(digest, 'hex') = '$file->{sha256}'"), 1,
	'equal bytes are stored once');
is($service->delete("/files/$file->{id}")->{status}, 200, 'one file of the two is deleted');
ok($service->get("/files/copy.csv/download")->{status} =~ /^(200|404)$/, 'a download by the name of the other file');
my ($copy) = @{ $service->get('/files?sha256=' . $file->{sha256})->{json}{data} };
ok($service->get("/files/$copy->{id}/download")->{body} eq $bytes, 'the other file has all its bytes');

# clients that disconnect during a download, or do not read it, leave no connection behind
my $end_of_shim = sprintf ':%04X', $service->{port};
# open, or closed by the client
my $connections = sub { return scalar(() = slurp('/proc/net/tcp') =~ /^ *\d+: \S+$end_of_shim \S+ (?:01|08) /mg) };
my $idle = $connections->();
is($idle, 1, 'one connection is open, that of this test');
for my $round (1 .. 40)
{
	my $socket = $service->connection;
	syswrite $socket, "GET /files/$copy->{id}/download HTTP/1.1\r\nHost: 127.0.0.1:$service->{port}\r\n"
		. "Authorization: $service->{headers}{Authorization}\r\n\r\n";
	sysread $socket, my $some, 1000 if $round % 2;
	close $socket;
}
poll(20, sub { $connections->() <= $idle + 1 });
cmp_ok($connections->(), '<=', $idle + 1, 'no connection is left of 40 clients that went away');
ok($service->get("/files/$copy->{id}/download")->{body} eq $bytes, 'the service goes on');

# a chunk that is missing in the middle of a file must not look like the end of the file
$service->sql("DELETE FROM catalogue.blob_chunk c USING catalogue.blob b WHERE b.id = c.blob AND encode(b.digest, "
	. "'hex') = '$file->{sha256}' AND c.number = 2");
my $raw = $service->raw("GET /files/$copy->{id}/download HTTP/1.1\r\nHost: 127.0.0.1:$service->{port}\r\n"
	. "Authorization: $service->{headers}{Authorization}\r\n\r\n");
is(scalar @{ $raw->{replies} }, 0, 'no complete answer with a missing chunk');
ok($raw->{closed}, 'the connection is closed instead');

# a name of which nothing is in the stored name: it is sent with filename*, and a plain one for older clients
use utf8;
for my $case ([ '日本', '日本' ], [ 'Αθήνα.csv', 'Αθήνα' ], [ '../日/本', '_日_本' ], [ "日\x{202E}本", '日_本' ],
	[ 'Air 日', undef ])
{
	my ($name, $sent) = @$case;
	utf8::encode(my $bytes = $name);
	my $stored = $uploads->file('x.csv', "a\n1\n", name => $bytes, status => 'qWRhpRV');
	my $got    = $service->get("/files/$stored->{id}/download")->{headers}{'content-disposition'};
	if (!defined $sent) { is($got, 'attachment; filename="air.csv"', "$bytes: what is left of it"); next }
	utf8::encode($sent);
	$sent =~ s/([^A-Za-z0-9._~-])/sprintf '%%%02X', ord $1/ge;
	like($got, qr/^attachment; filename="[ -~]*\.csv"; filename\*=UTF-8''\Q$sent\E\.csv$/, "$bytes: the name that it had")
		or diag($got);
}

$service->finish;
