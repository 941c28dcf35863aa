#!/usr/bin/perl
# Previews: the first rows of a file as they are read with other options, before these are stored; who gets them, and
# that neither the file nor its rows change.

use strict;
use warnings;
use utf8;

use Encode qw(encode);
use Test::More;
use Catalogue::Parser qw(parse kind workbook zip);
use Catalogue::Test;
use Catalogue::Upload;
use Catalogue::Worker;

binmode Test::More->builder->$_, ':encoding(UTF-8)' for qw(output failure_output);

# the reader ends after some rows, with the profile of these
my $short = parse('csv', "n\n" . "1\n" x 5000 . "word\n", '--rows', 1000);
is(kind($short), 'D', 'the reading ends well');
is_deeply([ scalar @{ $short->{sheets} }, $short->{sheets}[0]{columns}[0]{type} ], [ 1, 'integer' ],
	'it knows the first rows only');
is(parse('csv', "n\n" . "1\n" x 5000 . "word\n", '--rows', 0)->{sheets}[0]{columns}[0]{type}, 'text', 'or all rows');

my $service = Catalogue::Test->start->as_admin;
my $uploads = Catalogue::Upload->new($service);
my $worker  = Catalogue::Worker->start($service);

# Have a file read with options; return its job when it has ended, and the reply with the preview.
sub preview
{
	my ($file, $options) = @_;
	my $reply = $service->post("/files/$file/preview", { parseOptions => $options });
	is($reply->{status}, 202, 'a preview is queued') or diag($reply->{body});
	my ($id) = $reply->{json}{links}{job} =~ m{/jobs/(\w+)$};
	is($reply->{headers}{location}, $reply->{json}{links}{job}, 'Location is its job');
	return ($worker->wait_for_job($id, 'done', 'failed'), $service->get("/jobs/$id/preview"));
}

my $file = $worker->wait_for_file($uploads->file('text.csv', "name;n\nx;1.234\ny;2.500\n" . "z;3.000\n" x 20)->{id});
my $then = $service->get("/files/$file->{id}");
my $sheets = $service->sql('SELECT count(*) FROM catalogue.sheet');

my ($job, $reply) = preview($file->{id}, { thousands => '.' });
is_deeply([ @{$job}{qw(state kind resource)} ], [ 'done', 'preview', $file->{id} ], 'the job ends well');
is($reply->{status}, 200, 'its result is there');
my $data = $reply->{json}{data};
is_deeply([ map { "$_->{name} $_->{type}" } @{ $data->{columns} } ], [ 'name text', 'n integer' ],
	'columns as the options give them');
is_deeply([ scalar @{ $data->{rows} }, @{ $data->{rows} }[ 0, 1 ] ], [ 10, [ 'x', '1.234' ], [ 'y', '2.500' ] ],
	'the first ten rows');
($job, $reply) = preview($file->{id}, { header => Cpanel::JSON::XS::false, skip => 1 });
is_deeply([ map { $_->{name} } @{ $reply->{json}{data}{columns} } ], [ 'column', 'column_2' ], 'without a heading');
($job, $reply) = preview($file->{id}, undef);
is($reply->{json}{data}{columns}[1]{type}, 'decimal', 'null: all is found');

# nothing has changed
my $now = $service->get("/files/$file->{id}");
is_deeply([ $now->{headers}{etag}, $now->{json}{data} ], [ $then->{headers}{etag}, $then->{json}{data} ],
	'the file is as it was');
is($service->sql('SELECT count(*) FROM catalogue.sheet'), $sheets, 'no rows are stored');

# bad options, and what cannot be read
$reply = $service->post("/files/$file->{id}/preview",
	{ parseOptions => { skip => -1, thousands => 'x', colour => 'red' } });
is($reply->{status}, 400, 'invalid options are refused');
is(scalar @{ $reply->{json}{data}{parseOptions} }, 3, 'each fault is told');
is($service->post("/files/$file->{id}/preview", { parseOptions => [] })->{status}, 400, 'a list is none');
($job, $reply) = preview($file->{id}, { skip => 1000 });
is_deeply([ $job->{state}, $reply->{json}{meta}{message} ],
	[ 'failed', 'the file cannot be read so: the file has no rows after the lines that are skipped' ],
	'options that leave no rows are told');
my $uneven = $worker->wait_for_file($uploads->file('uneven.csv', "a,b\n1,2\n3\n")->{id});
($job, $reply) = preview($uneven->{id}, {});
is_deeply($reply->{json}{data}{issues}, [ { line => 3, reason => 'the row has 1 cells, the row of column names 2' } ],
	'issues are told');
is_deeply($reply->{json}{data}{rows}, [ [ 1, 2 ], [ 3, undef ] ], 'a cell that is not there is null');
sub rows_of
{
	my ($text) = @_;
	return qq(<sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>$text</t></is></c><c r="B1"><v>1</v></c></row>)
		. '</sheetData>';
}
my $book = $worker->wait_for_file($uploads->file('book.xlsx', zip(workbook(sheets =>
	[ [ 'Hidden', rows_of('no'), 'hidden' ], [ 'Shown', rows_of('yes') ], [ 'Later', rows_of('no') ] ])))->{id});
($job, $reply) = preview($book->{id}, { header => Cpanel::JSON::XS::false });
is_deeply([ @{ $reply->{json}{data} }{qw(sheet rows)} ], [ 'Shown', [ [ 'yes', 1 ] ] ],
	'the first sheet of a workbook that is shown');
my $damaged = $worker->wait_for_file($uploads->file('book.xlsx',
	zip(workbook(sheets => [ [ 'One', '<sheetData><row>' ] ])))->{id});
is($damaged->{parseState}, 'failed', 'a workbook that is none');
($job, $reply) = preview($damaged->{id}, { skip => 1 });
is_deeply([ $job->{state}, $reply->{status} ], [ 'failed', 409 ], 'has no preview');
is($reply->{json}{meta}{message}, "the file cannot be read so: $job->{reason}", 'with the reason');
is($service->get("/files/$damaged->{id}")->{json}{data}{parseReason}, $damaged->{parseReason},
	'the file has its own');

# files without bytes that are read, and what is no preview
my $elsewhere = $uploads->{definition}->create('files');
$reply = $service->post("/files/$elsewhere/preview", {});
is($reply->{status}, 409, 'a file without bytes has no preview');
like($reply->{json}{meta}{message}, qr/has no bytes that are read with options$/, 'so it is told');
is($service->post('/files/zzzzzzzzzzzzzzz/preview', {})->{status}, 404, 'nor has what is no file');
is($service->get('/jobs/' . $worker->job('parse', $file->{id})->{id} . '/preview')->{status}, 404,
	'the job of another kind has none');

# a long cell is cut between characters, and a wide table to 200 columns
my $wide = $worker->wait_for_file($uploads->file('wide.csv',
	encode('UTF-8', join(',', 'a', map { "c$_" } 2 .. 300) . "\n" . join(',', 'x' . 'ñ' x 2000, 2 .. 300)
		. "\n"))->{id});
($job, $reply) = preview($wide->{id}, {});
is_deeply([ scalar @{ $reply->{json}{data}{columns} }, scalar @{ $reply->{json}{data}{rows}[0] } ], [ 200, 200 ],
	'the first columns');
is($reply->{json}{data}{rows}[0][0], 'x' . 'ñ' x 499 . '…', 'the beginning of a cell');

# who may not change the file gets no preview, nor that of another user
my $id = $job->{id};
my (undef, $guest) = $uploads->{definition}->user('reader', 'guest');
for my $who ([ 'outsider', 401, undef ], [ 'user without the right', 403, $guest ])
{
	my ($name, $status, $authorization) = @$who;
	my %headers = (Authorization => $authorization);
	is($service->post("/files/$file->{id}/preview", {}, %headers)->{status}, $status, "an $name queues none");
	is($service->get("/jobs/$id/preview", %headers)->{status}, $status, "an $name reads none");
}

# an upload is read whole before it becomes a file, by whoever began it
my @octets  = ('Content-Type' => 'application/octet-stream', 'Upload-Complete' => '?0');
my @partial = ('Content-Type' => 'application/partial-upload');
sub begun
{
	my ($name, $bytes, $verb, $path, %headers) = @_;
	my $begun = $service->$verb($path, substr($bytes, 0, 3), @octets, 'Upload-Length' => length $bytes,
		'Content-Disposition' => qq(attachment; filename="$name"), %headers);
	is($begun->{status}, 201, 'an upload is begun') or diag($begun->{body});
	return $begun->{headers}{location} =~ s/^\Q$service->{base}\E//r;
}
my $long   = "name;n;when\nx;1;a\n" . "y;2;b\n" x 2000 . "z;word;c\n";
my $upload = begun('text.csv', $long, 'put', "/files/$file->{id}");
$reply = $service->post("$upload/preview", {});
is_deeply([ $reply->{status}, $reply->{json}{meta}{message} ],
	[ 409, 'bytes of upload "' . ($upload =~ s{.*/}{}r) . '" are missing' ], 'bytes that are missing are told');
is($service->patch($upload, substr($long, 3), @partial, 'Upload-Offset' => 3, 'Upload-Complete' => '?0')->{status}, 204,
	'all have come, but it is not complete');
is($service->post("$upload/preview", { parseOptions => { skip => -1 } })->{status}, 400, 'invalid options are refused');
for my $who ([ 'outsider', undef ], [ 'other user', $guest ])
{
	my ($name, $authorization) = @$who;
	is($service->post("$upload/preview", {}, Authorization => $authorization)->{status}, 404, "an $name queues none");
}
$reply = $service->post("$upload/preview", {});
is($reply->{status}, 202, 'a preview is queued') or diag($reply->{body});
($id) = $reply->{json}{links}{job} =~ m{/jobs/(\w+)$};
is_deeply([ @{ $worker->wait_for_job($id, 'done', 'failed') }{qw(state target file)} ], [ 'done', 'upload', undef ],
	'the job ends well');
$data = $service->get("/jobs/$id/preview")->{json}{data};
is_deeply([ $data->{rowCount}, map { "$_->{name} $_->{type}" } @{ $data->{columns} } ],
	[ 2002, 'name text', 'n text', 'when text' ], 'all rows are read');
is($service->get("/jobs/$id/preview", Authorization => $guest)->{status}, 404, 'another user does not read it');
is($service->get("/jobs/$id/preview", Authorization => undef)->{status}, 404, 'nor does an outsider');
is_deeply($service->get("/files/$file->{id}")->{json}{data}, $then->{json}{data}, 'the file is as it was');
my @whole = (@partial, 'Upload-Offset' => length $long, 'Upload-Complete' => '?1');
is($service->patch($upload, '', @whole, 'If-Match' => '"another"')->{status}, 412,
	'it does not replace what somebody else has changed since it was compared');
is($service->patch($upload, '', @whole, 'If-Match' => $then->{headers}{etag})->{status}, 200, 'then it is completed');
is($worker->wait_for_file($file->{id})->{rowCount}, 2002, 'and read');
is($service->get("/jobs/$id/preview")->{status}, 404, 'the preview is gone with the upload');
is($service->post("$upload/preview", {})->{status}, 404, 'and so is the upload');

# whoever may create files only; what is read by no reader; what is for no file; files that are scanned first
my $new = begun('new.csv', "a,b\n1,2\n", 'post', '/files?' . $uploads->words(name => 'New'), Authorization => $guest);
$service->patch($new, substr("a,b\n1,2\n", 3), @partial, 'Upload-Offset' => 3, 'Upload-Complete' => '?0',
	Authorization => $guest);
($id) = $service->post("$new/preview", { parseOptions => { header => Cpanel::JSON::XS::false } },
	Authorization => $guest)->{json}{links}{job} =~ m{/jobs/(\w+)$};
$worker->wait_for_job($id, 'done', 'failed');
is_deeply($service->get("/jobs/$id/preview", Authorization => $guest)->{json}{data}{rows}, [ [ 'a', 'b' ], [ 1, 2 ] ],
	'a guest gets the preview of a new file');
my $text = begun('text.pdf', '%PDF-1.4 x', 'put', "/files/$file->{id}");
$service->patch($text, 'F-1.4 x', @partial, 'Upload-Offset' => 3, 'Upload-Complete' => '?0');
($id) = $service->post("$text/preview", {})->{json}{links}{job} =~ m{/jobs/(\w+)$};
is($worker->wait_for_job($id, 'done', 'failed')->{reason}, 'files of this type are not read', 'a PDF is not read');
my $image = begun('a.png', Catalogue::Upload::png(), 'put',
	'/categories/' . $uploads->{definition}->some_id('categories'));
like($service->post("$image/preview", {})->{json}{meta}{message}, qr/^upload "\w+" is for no file$/, 'nor an image');
my $held = begun('a.csv', "a\n1\n", 'put', "/files/$file->{id}") =~ s{.*/}{}r;
eval { $service->sql("SET catalogue.hold_uploads = on; UPDATE catalogue.upload SET length = 3 WHERE id = '$held'; "
		. "SELECT catalogue.preview_upload('$held', '{}')") };
like($@, qr/files are scanned before they are read/, 'nor what is scanned first');

# they are kept for ten minutes
$id = $job->{id};
$service->sql(q(UPDATE catalogue.preview SET made_at = now() - interval '11 min'; SELECT catalogue.sweep()));
is($service->sql('SELECT count(*) FROM catalogue.preview'), 0, 'the sweep removes previews');
is($service->get("/jobs/$id/preview")->{json}{meta}{message}, qq(the preview of job "$id" was removed),
	'so it is told');

# a user has one preview of a file in the queue, with the last options
is($worker->stop, 0, 'without a worker');
my @jobs = map { $_->{json}{links}{job} }
	map { $service->post("/files/$file->{id}/preview", { parseOptions => { skip => $_ } }) } 1, 2;
is($jobs[0], $jobs[1], 'a second request is the same job');
is($service->sql(q(SELECT details -> 'options' FROM catalogue.job_queue WHERE kind = 'preview')), '{"skip": 2}',
	'with its options');
my ($queued) = $jobs[0] =~ m{(\w+)$};
is($service->get("/jobs/$queued/preview")->{json}{meta}{message}, qq(job "$queued" is queued), 'which is waited for');
$service->is_sound('nothing is inconsistent');
$service->finish;
