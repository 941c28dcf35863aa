#!/usr/bin/perl
# A file is uploaded in a form, with its parts in any order, and becomes a record with its bytes; an
# invalid, refused or incomplete upload leaves nothing behind.

use strict;
use warnings;

use Test::More;
use Catalogue::Clock qw(poll);
use Catalogue::Program qw(slurp);
use Catalogue::Test;
use Catalogue::Upload;
use Digest::SHA qw(sha256_hex);

# sanitizers keep freed memory for a while, which must not count
my $service = Catalogue::Test->start(CATALOGUE_BODY_LIMIT => 65536,
	ASAN_OPTIONS => 'detect_leaks=1:exitcode=99:quarantine_size_mb=1')->as_admin;
my $uploads = Catalogue::Upload->new($service);
my $csv     = "id,name\r\n1,\"a \"\"b\"\"\"\n2,x\r\n--not a boundary\r\n\r\n";

# a file: its record and its bytes
my $file = $uploads->file('Air Quality.CSV', $csv, name => 'Air quality', description => "Aire de M\xc3\xa9xico",
	visible => 'true', optionals => '{"a": [1]}');
is($file->{fileName}, 'air-quality.csv', 'the stored name is made from the name and the extension');
is($file->{url}, "$service->{base}/files/air-quality.csv/download", 'the address of the file');
is($file->{size}, length $csv, 'the size of the file');
is($file->{sha256}, sha256_hex($csv), 'the digest of the file');
is($file->{description}, "Aire de M\x{e9}xico", 'texts are UTF-8');
is_deeply([ $file->{visible}, $file->{optionals} ], [ Cpanel::JSON::XS::true, { a => [1] } ],
	'texts are converted to the types of their fields');
is($service->get("/files/$file->{id}/download")->{body}, $csv, 'the bytes are unchanged');
my $record = $service->get("/files/$file->{id}/type")->{body} =~ s/.*"data":(\{.*?\}),"links".*/$1/sr;
my $shape  = $uploads->file('shape.csv', $csv, name => 'Shape', visibility => 'true', type => $record,
	owner => qq({"id": "$service->{admin}"}));
is_deeply([ @$shape{qw(visible type owner)} ], [ Cpanel::JSON::XS::true, @$file{qw(type owner)} ],
	'an earlier name of the part, and records in place of ids');


# only the extension of the original name is used; the same name again gets a number
is($uploads->file('x.csv', $csv, name => 'Air quality')->{fileName}, 'air-quality-2.csv',
	'the same name gets a number');
my ($files) = $uploads->left =~ /(\d+)$/;

sub is_left { my ($name) = @_; return $uploads->is_left($files, $name) }

sub upload_with
{
	my ($bytes, @headers) = @_;
	my ($body, %type) = form($uploads->fields, part('uploadFile', $bytes, file => 'a.csv'));
	my $reply = $service->post('/files', $body, %type, map { ref $_ ? $_->($body) : $_ } @headers);
	$files += $reply->{status} == 201;
	return $reply;
}

# digests of the file and of the body; unknown algorithms are ignored, wrong digests are refused
my $wrong = digest("$csv ");
for ([ 'Repr-Digest' => digest($csv), 201 ], [ 'Repr-Digest' => 'unknown=:AAAA:, ' . digest($csv), 201 ],
	[ 'Repr-Digest' => 'md5=:AAAA:', 201 ],
	[ Digest => 'SHA-256=' . digest($csv) =~ s/.*=:(.*):/$1/r, 201 ], [ 'Content-Digest' => sub { digest($_[0]) }, 201 ],
	[ 'Repr-Digest' => $wrong, 400 ], [ Digest => 'sha-256=' . $wrong =~ s/.*=:(.*):/$1/r, 400 ],
		[ 'Content-Digest' => sub { digest("$_[0] ") }, 400 ],
	[ 'Content-Digest' => digest($csv), 400 ],
	[ 'Repr-Digest' => 'sha-256=:AAAA:', 400 ], [ 'Repr-Digest' => 'sha-256', 400 ],
		[ 'Repr-Digest' => digest($csv) =~ s/:$//r, 400 ],
	[ 'Repr-Digest' => digest($csv) =~ s/.=:$/!=:/r, 400 ], [ 'Content-Digest' => ':', 400 ])
{
	my ($name, $value, $status) = @$_;
	my $reply = upload_with($csv, $name, $value);
	is($reply->{status}, $status, "$name " . (ref $value ? 'of the body' : $value)) || diag $reply->{body};
}
my $reply = upload_with($csv, 'Repr-Digest' => digest($csv), Digest => 'sha-256=' . $wrong =~ s/.*=:(.*):/$1/r);
is($reply->{status}, 400, 'two contradicting digests are refused');
$reply = upload_with($csv, 'Repr-Digest' => $wrong);
is($reply->{json}{data}{digest}[0]{rule}, 'digest', 'the error has the rule');
is($reply->{json}{data}{digest}[0]{value}, sha256_hex($csv), 'the error has the actual digest');
is_left('digests');

# file types: extension and bytes must match a type
for ([ 'a.exe', $csv ], [ 'a', $csv ], [ '.csv', "MZ\0\1" ], [ 'a.csv', "\x89PNG\r\n\x1a\n\0\0" ], [ 'a.png', $csv ],
	[ 'a.xlsx', $csv ], [ 'a.pdf', '' ])
{
	my ($name, $bytes) = @$_;
	$reply = $uploads->upload($name, $bytes);
	is($reply->{status}, 415, "$name is refused") || diag $reply->{body};
	is($reply->{json}{code}, 'E_UNSUPPORTED_MEDIA_TYPE', "$name: the common error format");
}
is_left('types');
is($uploads->file('empty.csv', '')->{size}, 0, 'an empty text file is accepted');
$files++;

# permissions are checked before the file is read
for my $caller ([ 'nobody', undef, 401 ], [ 'a wrong token', 'Bearer x.y.z', 401 ])
{
	my ($name, $token, $status) = @$caller;
	my ($body, %type) = form($uploads->fields, part('uploadFile', $csv, file => 'a.csv'));
	is($service->post('/files', $body, %type, Authorization => $token)->{status}, $status, "$name may not create");
	is($service->put("/files/$file->{id}", $body, %type, Authorization => $token)->{status}, $status,
		"$name may not replace");
}
my $definition = $uploads->{definition};
my (undef, $guest) = $definition->user('a.guest', 'guest');
{
	my ($body, %type) = form(part('uploadFile', $csv, file => 'a.csv'));
	is($service->put("/files/$file->{id}", $body, %type, Authorization => $guest)->{status}, 403,
		"a guest may not replace another's file");
	is($service->put('/files/AAAAAAAAAAAAAAA', $body, %type)->{status}, 404,
		'a file that does not exist cannot be replaced');
	is($service->put("/categories/$definition->{some}{categories}",
		(form(part('uploadImage', "\x89PNG\r\n\x1a\n", file => 'a.png')))[0], %type, Authorization => $guest)->{status}, 403,
		'a guest may not change an image');
	($body, %type) = form($uploads->fields, part('uploadFile', $csv, file => 'a.csv'));
	$reply = $service->post('/files', $body, %type, Authorization => $guest);
	is($reply->{status}, 201, 'a guest may create a file') || diag $reply->{body};
	$files++;

	# a guest's new bytes of a published file must be reviewed
	my ($own) = $reply->{headers}{location} =~ m{/files/(\w+)$};
	is($service->patch("/datasets/$uploads->{dataset}/publish", undef)->{status}, 200, 'the dataset is published');
	is($service->patch("/files/$own/publish", undef)->{status}, 200, 'the file is published');
	my $seen = sub { $service->get("/files/$own/download", Authorization => undef)->{status} };
	is($seen->(), 200, 'outsiders see the file');
	is($service->put("/files/$own", (form(part('uploadFile', $csv, file => 'a.csv')))[0], %type,
		Authorization => $guest)->{status}, 200, 'the guest sends the same bytes');
	is($seen->(), 200, 'outsiders still see the file');
	($body, %type) = form(part('uploadFile', "$csv\n7,7\n", file => 'a.csv'));
	is($service->put("/files/$own", $body, %type, Authorization => $guest)->{status}, 200, 'the guest replaces the bytes');
	is($seen->(), 404, 'outsiders do not see the file');
	is($service->get("/files/$own", Authorization => $guest)->{json}{data}{status}, 'oWRhpRV', 'the file is under review');
}
is_left('callers');

# a replacement: the file has the former bytes until the new ones are complete
my $new = "id\r\n9\r\n";
{
	my ($body, %type) = form(part('uploadFile', $new, file => 'new.csv'), field(description => 'new'));
	my $tag = $service->get("/files/$file->{id}")->{headers}{etag};
	is($service->put("/files/$file->{id}", $body, %type, 'If-Match' => '"never-0000"')->{status}, 412,
		'If-Match with another tag: 412');
	is($service->get("/files/$file->{id}/download")->{body}, $csv, 'the bytes are unchanged');
	is($service->put("/files/$file->{id}", $body, %type, 'Repr-Digest' => $wrong)->{status}, 400,
		'a wrong digest is refused');
	$reply = $service->put("/files/$file->{id}", $body, %type, 'If-Match' => $tag, Prefer => 'return=representation');
	is($reply->{status}, 200, 'If-Match with the current tag: 200') || diag $reply->{body};
	is($reply->{json}{data}{fileName}, 'air-quality.csv', 'the stored name is unchanged');
	is($reply->{json}{data}{description}, 'new', 'texts are updated with the bytes');
	is($reply->{json}{data}{sha256}, sha256_hex($new), 'the digest is that of the new bytes');
	is($service->get("/files/$file->{id}/download")->{body}, $new, 'the file has the new bytes');
	is($service->put("/files/$file->{id}", $body, %type, 'If-Match' => $tag)->{status}, 412, 'the former tag is refused');
	is($service->patch("/files/$file->{id}", (form(part('uploadFile', $csv, file => 'new.csv')))[0], %type)->{status}, 200,
		'PATCH replaces the bytes');
	is($service->get("/files/$file->{id}/download")->{body}, $csv, 'the file has the bytes of PATCH');
}

# a form without a file part, or with an empty one, updates the other fields
for my $none ([ 'without a file', ],
	[ 'with none chosen', part('uploadFile', '', file => '', type => 'application/octet-stream') ])
{
	my ($name, @part) = @$none;
	my ($body, %type) = form(field(notes => $name, visible => 'false'), @part);
	$reply = $service->put("/files/$file->{id}", $body, %type, Prefer => 'return=representation');
	is($reply->{status}, 200, "a form $name") || diag $reply->{body};
	is_deeply([ @{ $reply->{json}{data} }{qw(notes visible size)} ], [ $name, Cpanel::JSON::XS::false, length $csv ],
		"$name: only the texts change");
	($body, %type) = form($uploads->fields(type => $file->{type}, url => ''), @part);
	$reply = $service->post('/files', $body, %type, Prefer => 'return=representation');
	is($reply->{status}, 201, "a record $name") || diag $reply->{body};
	is($reply->{json}{data}{size}, undef, "$name: it has no bytes");
	$files++;
}
is($definition->create('files') =~ /^\w{15}$/, 1, 'a record without bytes can be created as JSON');
$files++;
for my $member (qw(size sha256 parseState revision rowCount))
{
	$service->patch("/files/$file->{id}", { $member => $member =~ /^(sha|parse)/ ? 'ready' : 1 });
}
is($service->get("/files/$file->{id}")->{json}{data}{sha256}, sha256_hex($csv),
	'fields that the service computes are read-only');
is_left('replacements');

# malicious names are replaced by safe ones; 60 names
my @hostile = ('../../../etc/passwd.csv', '..%2f..%2fx.csv', '..\\..\\x.csv', 'C:\\boot.csv', '/etc/cron.d/x.csv',
	'a/b/c.csv', './.csv', '.csv', '..csv', '...csv',
	'CON.csv', 'nul.csv', 'aux.h.csv', 'com1.csv', 'a b.csv', ' a.csv', 'a.csv ', "a\tb.csv", 'a;b.csv', 'a&b.csv',
		'a|b.csv', 'a`id`.csv', 'a$(id).csv', '-rf.csv', '--x=y.csv',
	'~root.csv', '*.csv', '?.csv', '<script>.csv', '"><img src=x>.csv', "'; DROP TABLE files;--.csv", '%00.csv',
		'%0d%0aX: y.csv', '%n%s%x.csv', '{{7*7}}.csv', '${7*7}.csv',
	"\xe2\x80\xae" . 'vsc.exe.csv', "\xe2\x80\x8b.csv", "\xc3\xa9" x 250 . '.csv', 'x' x 3000 . '.csv',
		"\xf0\x9f\x92\xa3.csv", "\xef\xbb\xbfa.csv", "e\xcc\x81.csv", "\xc3\xb1and\xc3\xba.csv",
	'a.exe.csv', 'a.csv.csv', 'a.CSV', 'a.cSv', 'index.html.csv', '.htaccess.csv', 'a.php%00.csv',
		'file:///etc/passwd.csv', 'http://x/y.csv', '//x/y.csv', "a\xc2\xa0.csv",
	"\xd7\xa9\xd7\x9c.csv", 'a#b.csv', 'a?b=c.csv', 'a%2Ecsv.csv', '+.csv');
is(scalar @hostile, 60, '60 names');
for my $name (@hostile)
{
	my $quoted = $name =~ s/(["\\])/\\$1/gr;
	for my $named ('a name', $name)
	{
		$reply = $uploads->upload($quoted, "a\n1\n", name => substr($named, 0, 100) =~ s/[\xc0-\xff]?[\x80-\xbf]*\z//r);
		$files += $reply->{status} == 201;
		# nothing before the dot, or a blank after it, is not an extension
		next if $name =~ m{(^|[/\\])\.csv$|csv $} && is($reply->{status}, 415, "file $name");
		is($reply->{status}, 201, "file $name") || diag $reply->{body};
		my $stored = $reply->{json}{data}{fileName} // '';
		like($stored, qr/^[a-zA-Z0-9_~-]+\.csv$/, "$name is stored as $stored");
		my $header = $service->get("/files/$stored/download")->{headers}{'content-disposition'};
		# of a name without Latin letters nothing is stored, and it is sent
		like($header, qr/^attachment; filename="[ -~]+\.csv"(?:; filename\*=UTF-8''[A-Za-z0-9._~%-]+\.csv)?$/,
			"$stored: Content-Disposition has a safe name");
		is($header, qq(attachment; filename="$stored"), "$stored: Content-Disposition has this name")
			unless $stored =~ /^\Q$reply->{json}{data}{id}\E/;
	}
}
is_left('names');

# a client that disconnects during an upload leaves nothing behind
sub begin_upload
{
	my ($body, %type) = form($uploads->fields, part('uploadFile', 'x' x 600_000, file => 'a.csv'));
	my $socket = $service->connection;
	syswrite $socket,
		"POST /files HTTP/1.1\r\nHost: 127.0.0.1:$service->{port}\r\nAuthorization: $service->{headers}{Authorization}\r\n"
		. "Content-Type: $type{'Content-Type'}\r\nContent-Length: " . length($body) . "\r\n\r\n";
	syswrite $socket, substr $body, 0, 500_000;
	poll(20, sub { $service->sql(
		'SELECT coalesce(max(size), 0) FROM catalogue.upload u JOIN catalogue.blob b ON b.id = u.blob') >= 262_144 });
	return $socket;
}
my $socket = begin_upload();
is($service->sql('SELECT count(*) FROM catalogue.upload'), 1, 'an upload is running');
close $socket;
is_left('disconnection');

# a service that is killed during an upload: the rest is removed by the next sweep
$socket = begin_upload();
$service->stop_shim('KILL');
is($service->sql('SELECT count(*) FROM catalogue.upload'), 1, 'the upload is unfinished');
$service->sql(q(UPDATE catalogue.upload SET moved_at = now() - interval '61 s'));
$service->sql(q(SELECT catalogue.sweep()));
is($uploads->left, "0|$files", 'swept');
$service->sql(q(UPDATE catalogue.blob SET used_at = now() - interval '61 s' WHERE digest IS NULL));
$service->sql(q(SELECT catalogue.sweep()));
is($service->sql('SELECT count(*) FROM catalogue.blob WHERE digest IS NULL'), 0, 'its bytes are removed');
is($service->sql('SELECT count(*) FROM catalogue.blob_chunk c WHERE NOT EXISTS (SELECT FROM catalogue.blob b WHERE '
	. 'b.id = c.blob)'), 0, 'all its chunks are removed');

# too large: refused by Content-Length, else as soon as the limit is reached
$service->sql("ALTER DATABASE $service->{database} SET catalogue.upload_limit = '1MB'");
$service->start_shim;
$service->as_admin;
for my $how ([ 'by its length', 'Content-Length: 3000000', 0 ], [ 'with Expect',
	"Content-Length: 3000000\r\nExpect: 100-continue", 0 ], [ 'of 5 GB', 'Content-Length: 5000000000', 0 ],
	[ 'while it comes', 'Transfer-Encoding: chunked', 3 ], [ 'without an end', 'Transfer-Encoding: chunked', 20 ])
{
	my ($name, $length, $pieces) = @$how;
	my ($body, %type) = form($uploads->fields, part('uploadFile', '', file => 'a.csv'));
	my $piece = 'x' x 1_000_000;
	local $SIG{PIPE} = 'IGNORE';
	$socket = $service->connection;
	syswrite $socket, "POST /files HTTP/1.1\r\nHost: 127.0.0.1:$service->{port}\r\n"
		. "Authorization: $service->{headers}{Authorization}\r\nContent-Type: $type{'Content-Type'}\r\n$length\r\n\r\n";
	syswrite $socket, sprintf "%x\r\n%s\r\n", length, $_ for $pieces ? $body =~ s/\r\n--[^\r]*--\r\n$//r : ();
	syswrite $socket, sprintf "%x\r\n%s\r\n", length, $_ for ($piece) x $pieces;
	my $raw = $service->raw($pieces == 3 ? "0\r\n\r\n" : '', socket => $socket);
	is($raw->{replies}[0]{status}, 413, "a file that is too large $name") || diag $raw->{text};
	is($raw->{replies}[0]{json}{code}, 'E_TOO_LARGE', "too large $name: the common error format");
	is($raw->{replies}[0]{json}{meta}{message}, 'the file is too large: it may have 1048576 bytes',
		"too large $name: the limit");
	unlike($raw->{text}, qr/100 Continue/, "too large $name: no 100 Continue") if !$pieces;
}
is_left('too large');
$reply = $uploads->upload('a.csv', 'x' x 1_048_576);
is($reply->{status}, 201, 'a file of the maximum size') || diag $reply->{body};
is($uploads->upload('a.csv', 'x' x 1_048_577)->{status}, 413, 'a file with one more byte');
$files++;
is_left('the limit');
$service->sql("ALTER DATABASE $service->{database} RESET catalogue.upload_limit");
$service->stop_shim;
$service->start_shim;
$service->as_admin;

# clients that finish uploads of the same name at once: each file gets its own name
my @children = map {
	my $name = $_;
	my $pid  = fork // die "fork: $!";
	if ($pid == 0)
	{
		delete $service->{socket};
		my $good = grep { $uploads->upload('a.csv', "a\n$name$_\n", name => 'together')->{status} == 201 } 1 .. 10;
		POSIX::_exit($good == 10 ? 0 : 1);
	}
	$pid;
} 1 .. 3;
my $failed = grep { waitpid($_, 0); $? != 0 } @children;
is($failed, 0, 'three clients upload files of one name at once');
is($service->sql(q(SELECT count(DISTINCT file_name) FROM catalogue.files WHERE name = 'together')), 30,
	'each file has a unique name');
$files += 30;
is_left('together');

# many bytes are passed through with little memory
my $megabytes = $ENV{CATALOGUE_WALKS} ? 100 : 60;
sub memory { my ($kilobytes) = slurp("/proc/$service->{pid}/status") =~ /VmRSS:\s+(\d+)/; return $kilobytes }
my $before = memory();
my $line   = join(',', 1 .. 300) . "\n";
my $block  = $line x int(1_000_000 / length $line);
my $sha    = Digest::SHA->new(256);
$socket = $service->connection;
syswrite $socket,
	'POST /files?' . $uploads->words(name => 'big') . "&fileName=big.csv HTTP/1.1\r\nHost: 127.0.0.1:$service->{port}\r\n"
	. "Authorization: $service->{headers}{Authorization}\r\nContent-Type: application/octet-stream\r\n"
		. "Transfer-Encoding: chunked\r\n\r\n";
for (1 .. $megabytes)
{
	my $chunk = sprintf "%x\r\n%s\r\n", length $block, $block;
	$sha->add($block);
	for (my $at = 0; $at < length $chunk;)
	{
		$at += syswrite($socket, $chunk, length($chunk) - $at, $at) // die "write: $!";
	}
}
my $raw = $service->raw("0\r\n\r\n", socket => $socket, timeout => 30);
is($raw->{replies}[0]{status}, 201, "a file of $megabytes MB") || diag $raw->{text};
cmp_ok(memory() - $before, '<', 30_000, 'the upload takes less than 30 MB of memory');
is($service->get('/files/big.csv')->{status}, 404, 'a file is found by its name for downloads only');
$socket = $service->connection;
syswrite $socket, "GET /files/big.csv/download HTTP/1.1\r\nHost: 127.0.0.1:$service->{port}\r\n"
	. "Authorization: $service->{headers}{Authorization}\r\nConnection: close\r\n\r\n";
my ($got, $length, $text) = (Digest::SHA->new(256), 0, '');
while (sysread $socket, my $bytes, 1 << 17)
{
	$text .= $bytes if $length == 0;
	$bytes = $text =~ /\r\n\r\n/ ? substr $text, $+[0] : '' if $length == 0;
	$length += length $bytes;
	$got->add($bytes);
}
is($length, $megabytes * length $block, 'the download has as many bytes');
is($got->hexdigest, $sha->hexdigest, 'the download has the same bytes');
cmp_ok(memory() - $before, '<', 30_000, 'the download takes less than 30 MB of memory');

$service->finish;
