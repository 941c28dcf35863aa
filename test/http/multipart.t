#!/usr/bin/perl
# Forms with files: every form that follows the standards is read to the last byte, however it is
# split; an ambiguous one is refused and leaves nothing behind.

use strict;
use warnings;

use Test::More;
use Catalogue::Test;
use Catalogue::Upload;

my $service = Catalogue::Test->start(CATALOGUE_BODY_LIMIT => 65536)->as_admin;
my $uploads = Catalogue::Upload->new($service);
my $bytes   = "a,b\r\n1,2\r\n";
my ($files)  = $uploads->left =~ /(\d+)$/;

sub is_left { my ($name) = @_; return $uploads->is_left($files, $name) }

# Send a form; when it is accepted, its file must have the expected bytes.
sub try_form
{
	my ($name, $type, $body, $status, $expected) = @_;
	my $reply = $service->post('/files', $body, 'Content-Type' => $type, Prefer => 'return=representation');
	$files += $status == 201;
	is($reply->{status}, $status, $name) || diag $reply->{body};
	if ($status == 201)
	{
		my $file = $reply->{json}{data};
		is($service->get("/files/$file->{id}/download")->{body}, $expected // $bytes, "$name: the file has all bytes");
	}
	else
	{
		is($reply->{json}{meta}{code}, $status == 400 ? 'E_BAD_REQUEST' : $status == 413 ? 'E_TOO_LARGE'
			: 'E_UNSUPPORTED_MEDIA_TYPE', "$name: the common error format");
	}
	return $reply;
}

# A form with the boundary XX, or with another one.
sub lines
{
	my ($boundary, @parts) = @_;
	return join('', map { "--$boundary\r\n$_\r\n" } @parts) . "--$boundary--\r\n";
}

sub with_file
{
	my ($boundary, %of) = @_;
	return lines($boundary, $uploads->fields, part('uploadFile', $of{bytes} // $bytes, file => 'a.csv', %of));
}

my $plain = 'multipart/form-data; boundary=XX';
my $all   = q{a'()+_,-./:=?z};

# the media type: parameters in any order, quoted or unquoted, in any letter case
try_form("type: $_->[0]", $_->[0], with_file($_->[1]), 201) for
	[ $plain, 'XX' ],
	[ 'multipart/form-data;boundary=XX', 'XX' ],
	[ 'multipart/form-data; boundary=XX; charset=utf-8', 'XX' ],
	[ 'multipart/form-data; charset=utf-8; boundary=XX', 'XX' ],
	[ 'multipart/form-data; boundary="XX"', 'XX' ],
	[ 'Multipart/Form-Data; BOUNDARY=xX', 'xX' ],
	[ 'multipart/form-data ; boundary=XX ;', 'XX' ],
	[ qq(multipart/form-data; boundary="$all"), $all ],
	[ 'multipart/form-data; boundary="X X"', 'X X' ],
	[ 'multipart/form-data; boundary=X', 'X' ],
	[ 'multipart/form-data; boundary=----WebKitFormBoundary7MA4YWxkTrZu0gW', '----WebKitFormBoundary7MA4YWxkTrZu0gW' ],
	[ 'multipart/form-data; boundary=' . 'b' x 70, 'b' x 70 ];
try_form("type: $_->[0]", $_->[0], with_file('XX'), $_->[1]) for
	[ 'multipart/form-data', 400 ],
	[ 'multipart/form-data; boundary', 400 ],
	[ 'multipart/form-data; boundary=', 400 ],
	[ 'multipart/form-data; boundary=""', 400 ],
	[ 'multipart/form-data; boundary="XX', 400 ],
	[ 'multipart/form-data; boundary=XX; boundary=XX', 400 ],
	[ 'multipart/form-data; boundary=X X', 400 ],
	[ 'multipart/form-data; boundary="XX "', 400 ],
	[ 'multipart/form-data; boundary=' . 'b' x 71, 400 ],
	[ "multipart/form-data; boundary=\"X\xc3\xb1\"", 400 ],
	[ 'multipart/form-data; boundary=YY', 400 ],
	[ 'multipart/form-data; boundary=X', 400 ],
	[ 'multipart/form-data, multipart/form-data; boundary=XX', 400 ],
	[ 'multipart/form-datum; boundary=XX', 415 ],
	[ 'multipart/form-data2; boundary=XX', 415 ],
	[ 'multipart/mixed; boundary=XX', 415 ];
is_left('types');

# bytes around the parts
my $form = with_file('XX');
try_form('an empty line before the form', $plain, "\r\n" . with_file('XX'), 201);
try_form('no line end after the form', $plain, with_file('XX') =~ s/\r\n\z//r, 201);
try_form('blanks after the boundaries', $plain, with_file('XX') =~ s/--XX(-?-?)\r\n/--XX$1 \t\r\n/gr, 201);
try_form('text before the form', $plain, "hello\r\n$form", 400);
try_form('text after the form', $plain, "${form}hello", 400);
try_form('a second form after the form', $plain, $form . with_file('XX'), 400);
try_form('no last boundary', $plain, $form =~ s/--XX--\r\n\z//r, 400);
try_form('an incomplete last boundary', $plain, $form =~ s/-\r\n\z//r, 400);
try_form('line feeds without carriage returns', $plain, $form =~ s/\r\n/\n/gr, 400);
try_form('a line that begins with the boundary', $plain, with_file('XX', bytes => "a\r\n--XXY\r\n"), 400);
try_form('no blank between boundary and text', $plain, $form =~ s/--XX\r\n/--XX more\r\n/r, 400);
try_form('an empty form', $plain, '--XX--', 400);
try_form('nothing at all', $plain, '', 400);
is_left('around the parts');

# contents that resemble boundaries
for my $odd ("\r\n--X\r\n-XX\r\n--x\r\n", "\r\r\n\n--XX", "\r\n" x 5, '--XX', "\r\n-" x 3, "\r\n--X" x 4, '')
{
	try_form('bytes: ' . $odd =~ s/\r/\\r/gr =~ s/\n/\\n/gr, $plain, with_file('XX', bytes => "a,b$odd"), 201, "a,b$odd");
}

# the header of the file's part
my %good = (
	'unquoted'                => [ 'Content-Disposition: form-data; name=uploadFile; filename=a.csv' ],
	'without blanks'          => [ 'content-disposition:form-data;name="uploadFile";filename="a.csv"' ],
	'filename first'          => [ 'Content-Disposition: form-data; filename="a.csv"; name="uploadFile"' ],
	'filename*'               => [ "Content-Disposition: form-data; name=\"uploadFile\"; filename*=UTF-8''a%C3%B1o.csv" ],
	'filename* wins'          => [
		"Content-Disposition: form-data; name=\"uploadFile\"; filename=\"a.exe\"; filename*=utf-8'es'a.csv" ],
	'a quote in the name'     => [ 'Content-Disposition: form-data; name="uploadFile"; filename="a\"b.csv"' ],
	'a quote as browsers write it'  => [ 'Content-Disposition: form-data; name="uploadFile"; filename="a%22b.csv"' ],
	'a path of Windows'       => [ 'Content-Disposition: form-data; name="uploadFile"; filename="C:\\data\\a.csv"' ],
	'a semicolon in the name' => [ 'Content-Disposition: form-data; name="uploadFile"; filename="a;b.csv"' ],
	'more parameters'         => [ 'Content-Disposition: form-data; name="uploadFile"; filename="a.csv"; size=10' ],
	'more lines'              => [ 'X-Other: 1', 'Content-Disposition: form-data; name="uploadFile"; filename="a.csv"',
		'Content-Length: 5', 'Content-Type: text/csv' ],
	'binary'                  => [ 'Content-Disposition: form-data; name="uploadFile"; filename="a.csv"',
		'Content-Transfer-Encoding: Binary ' ],
	'a long header'           => [ 'Content-Disposition: form-data; name="uploadFile"; filename="a.csv"',
		'X: ' . 'x' x 8000 ],
);
try_form("header: $_", $plain, with_file('XX', lines => $good{$_}), 201) for sort keys %good;
my %bad = (
	'none'                    => [],
	'no Content-Disposition'          => [ 'Content-Type: text/csv' ],
	'another disposition'     => [ 'Content-Disposition: attachment; name="uploadFile"; filename="a.csv"' ],
	'no name'                 => [ 'Content-Disposition: form-data; filename="a.csv"' ],
	'an empty name'           => [ 'Content-Disposition: form-data; name=""; filename="a.csv"' ],
	'two names'               => [ 'Content-Disposition: form-data; name="uploadFile"; name="x"; filename="a.csv"' ],
	'two file names'          => [
		'Content-Disposition: form-data; name="uploadFile"; filename="a.csv"; FileName="b.csv"' ],
	'two Content-Dispositions'        => [ ('Content-Disposition: form-data; name="uploadFile"; filename="a.csv"') x 2 ],
	'a name without end'      => [ 'Content-Disposition: form-data; name="uploadFile; filename=a.csv' ],
	'a folded line'           => [ 'Content-Disposition: form-data;', ' name="uploadFile"; filename="a.csv"' ],
	'no colon'                => [ 'Content-Disposition: form-data; name="uploadFile"; filename="a.csv"', 'hello' ],
	'a blank before colon'    => [ 'Content-Disposition : form-data; name="uploadFile"; filename="a.csv"' ],
	'a zero byte'             => [ "Content-Disposition: form-data; name=\"uploadFile\"; filename=\"a\0.csv\"" ],
	'a bare line feed'        => [ "Content-Disposition: form-data; name=\"uploadFile\"; filename=\"a\n.csv\"" ],
	'a bare carriage return'  => [ "Content-Disposition: form-data; name=\"uploadFile\"; filename=\"a\r.csv\"" ],
	'invalid UTF-8'                => [ "Content-Disposition: form-data; name=\"uploadFile\"; filename=\"a\xff.csv\"" ],
	'filename* of Latin-1'    => [
		"Content-Disposition: form-data; name=\"uploadFile\"; filename*=ISO-8859-1''a%F1o.csv" ],
	'filename* without set'   => [ 'Content-Disposition: form-data; name="uploadFile"; filename*=a.csv' ],
	'filename* cut'           => [ "Content-Disposition: form-data; name=\"uploadFile\"; filename*=UTF-8''a%C.csv" ],
	'filename* with a zero'   => [ "Content-Disposition: form-data; name=\"uploadFile\"; filename*=UTF-8''a%00.csv" ],
	'base64'                  => [ 'Content-Disposition: form-data; name="uploadFile"; filename="a.csv"',
		'Content-Transfer-Encoding: base64' ],
	'too long a header'       => [ 'Content-Disposition: form-data; name="uploadFile"; filename="a.csv"',
		'X: ' . 'x' x 9000 ],
	'bytes without a name'    => [ 'Content-Disposition: form-data; name="uploadFile"' ],
	'bytes without file name' => [ 'Content-Disposition: form-data; name="uploadFile"; filename=""' ],
	'a file in another part'  => [ 'Content-Disposition: form-data; name="upload"; filename="a.csv"' ],
);
try_form("header: $_", $plain, with_file('XX', lines => $bad{$_}), 400) for sort keys %bad;
is_left('headers');

# a part for the file that says that there is no file
my ($type) = $service->sql("SELECT id FROM catalogue.filetypes WHERE name = 'csv'");
for my $none ('', 'null', 'undefined')
{
	for my $name (undef, '')
	{
		my $told = "\"$none\" for a file" . (defined $name ? ', without a name' : '');
		my $body = lines('XX', part('uploadFile', $none, file => $name), $uploads->fields(type => $type));
		my $reply = $service->post('/files', $body, 'Content-Type' => $plain, Prefer => 'return=representation');
		is($reply->{status}, 201, $told) || diag $reply->{body};
		is($reply->{json}{data}{fileName}, undef, "$told: the record has no file");
		$files++;
	}
}
my @without = $uploads->fields(type => $type);
try_form("\"$_\" for a file" =~ s/x{9,}/x.../r, $plain, lines('XX', part('uploadFile', $_), @without), 400) for ' ',
	'NULL', 'null ', 'nul', "null\0", '[object Object]', 'x' x 20000;
try_form('a file part without a name that is too long', $plain,
	lines('XX', part('uploadFile', 'x' x 70000), @without), 413);
try_form('two parts without a file', $plain, lines('XX', (part('uploadFile', 'null')) x 2, @without), 400);
try_form('a part without a file, and one with a file', $plain,
	lines('XX', part('uploadFile', 'null'), @without, part('uploadFile', $bytes, file => 'a.csv')), 400);
is_left('no files');

# the other parts
my $file = part('uploadFile', $bytes, file => 'a.csv');
try_form('the file first', $plain, lines('XX', $file, $uploads->fields), 201);
my @fields = $uploads->fields;
try_form('the file in the middle', $plain, lines('XX', @fields[ 0, 1 ], $file, @fields[ 2 .. $#fields ]), 201);
try_form('two files', $plain, lines('XX', $uploads->fields, $file, $file), 400);
try_form('200 parts', $plain, lines('XX', ($uploads->fields), $file, map { part("x$_", $_) } 1 .. 199 - @fields), 201);
try_form('201 parts', $plain, lines('XX', ($uploads->fields), $file, map { part("x$_", $_) } 1 .. 200 - @fields), 400);
try_form('unknown parts', $plain,
	lines('XX', $uploads->fields, part('surprise', "\xc3\xb1"), part('id', 'x'), part('sha256', 'x'), $file), 201);
try_form('a text in invalid UTF-8', $plain, lines('XX', $uploads->fields(description => "\xff"), $file), 400);
try_form('a text with a zero byte', $plain, lines('XX', $uploads->fields(description => "a\0b"), $file), 400);
try_form('a name in invalid UTF-8', $plain, lines('XX', $uploads->fields, part("\xff", 'x'), $file), 400);
try_form('texts that are too long', $plain, lines('XX', $uploads->fields, part('surprise', 'x' x 65536), $file), 413);
try_form('texts that are too long as JSON', $plain,
	lines('XX', $uploads->fields, (map { part("surprise$_", "\x01" x 60_000) } 1 .. 4), $file), 413);
my $reply = try_form('a required text is missing', $plain, lines('XX', field(name => 'x'), $file), 400);
is($reply->{json}{data}{dataset}[0]{rule}, 'required', 'the error names the field');
is_left('parts');

# a form that is cut off anywhere is refused
my $short = lines('XX', $uploads->fields, $file);
my $whole = length($short) - 2;
for my $length (grep { $_ % 7 == 0 || $_ > $whole - 40 } 1 .. $whole - 1)
{
	my $status = $service->post('/files', substr($short, 0, $length), 'Content-Type' => $plain)->{status};
	is($status, 400, "the first $length bytes are not accepted") if $status != 400;
}
pass('no incomplete form is accepted');
is_left('beginnings');

# a form is accepted in pieces of every size
for my $piece (1, 2, 3, 5, 8, 13)
{
	my $body   = with_file('XX');
	my $socket = $service->connection;
	$socket->setsockopt(6, 1, 1);
	syswrite $socket,
		"POST /files HTTP/1.1\r\nHost: 127.0.0.1:$service->{port}\r\nAuthorization: $service->{headers}{Authorization}\r\n"
		. "Content-Type: $plain\r\nTransfer-Encoding: chunked\r\n\r\n";
	syswrite $socket, sprintf("%x\r\n%s\r\n", length, $_) for $body =~ /(.{1,$piece})/gs;
	my $raw = $service->raw("0\r\n\r\n", socket => $socket);
	is($raw->{replies}[0]{status}, 201, "in pieces of $piece bytes") || diag $raw->{text};
	$files++;
}
is_left('pieces');

# forms are accepted nowhere else, where JSON is expected
is($service->post('/tags', $form, 'Content-Type' => $plain)->{status}, 415,
	'a tag cannot be created by a multipart form');
is($service->post("/files/$uploads->{dataset}/publish", $form, 'Content-Type' => $plain)->{status}, 405,
	'an action takes no form');
my ($row) = grep { $_->{verb} eq 'POST' } @{ $service->options('/files')->{json}{methods} };
like($row->{headers}{'Content-Type'}, qr{multipart/form-data, application/octet-stream},
	'OPTIONS names the type of forms');
($row) = grep { $_->{verb} eq 'POST' } @{ $service->options('/tags')->{json}{methods} };
is($row->{headers}{'Content-Type'},
	'application/json, application/x-www-form-urlencoded, text/csv, application/x-ndjson',
	'OPTIONS names it only where it is accepted');

$service->finish;
