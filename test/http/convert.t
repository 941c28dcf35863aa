#!/usr/bin/perl
# A file in another format: the worker makes a workbook of its contents, and the workbook is stored.

use strict;
use warnings;

use POSIX ();
use IO::Select ();
use Test::More;
use Catalogue::Archive;
use Catalogue::Parser qw(parse workbook zip);
use Catalogue::Test;
use Catalogue::Real;
use Catalogue::Session;
use Catalogue::Upload;
use Catalogue::Worker;

my $service = Catalogue::Test->start->as_admin;
my $uploads = Catalogue::Upload->new($service);
my $worker  = Catalogue::Worker->start($service);

# Request the workbook until it is made.
sub made
{
	my ($file, $form) = @_;
	$form //= 'xlsx';
	return $worker->wait_for('the workbook', sub {
		my $reply = $service->get("/files/$file->{id}/download/$form");
		$reply->{status} == 202 ? undef : $reply;
	});
}

# The first sheet of a workbook as lines of text, read from its XML without the service's own reader.
sub lines
{
	my ($bytes, $separator) = @_;
	my %part = Catalogue::Archive::members($bytes);
	my ($sheet, $styles) = @part{ 'xl/worksheets/sheet1.xml', 'xl/styles.xml' };
	my %format = $styles =~ /<numFmt numFmtId="(\d+)" formatCode="([^"]*)"/g;
	my @is_date = map { ($format{$_} // '') =~ /yy/ ? 1 : 0 } ($styles =~ m{<cellXfs[^>]*>(.*?)</cellXfs>}s)[0]
		=~ /<xf numFmtId="(\d+)"/g;
	my @lines;
	while ($sheet =~ m{<row [^>]*?(?:/>|>(.*?)</row>)}gs)
	{
		my ($row, @cells) = $1 // '';
		$cells[ ord($1) - ord 'A' ] = value($2, $3, \@is_date) while $row =~ m{<c r="([A-Z])\d+"([^>]*?)(?:/>|>(.*?)</c>)}gs;
		push @lines, join $separator, map { $_ // '' } @cells;
	}
	return @lines;
}

# The text of a cell, from its attributes and its content; a number in a date format is a date.
sub value
{
	my ($attributes, $content, $is_date) = @_;
	my %character = (lt => '<', gt => '>', amp => '&', quot => '"', apos => "'");
	my ($text) = ($content // '') =~ m{<(?:t|v)(?: [^>]*)?>(.*?)</}s or return '';
	return $text =~ s/&(\w+);/$character{$1}/gr if $attributes =~ /t="/;
	return $text unless $attributes =~ / s="(\d+)"/ && $is_date->[$1];
	return POSIX::strftime('%Y-%m-%d', gmtime(($text - 25569) * 86400));
}

# types, and texts that would be converted to something else
my $csv = join '', map { "$_\n" } 'code,number,comma,day,formula,long',
	'007,1,"1,5",2026-02-28,=1+1,12345678901234567890', '010,-2,"-2,25",1999-12-31,+cmd,9', '011,,,,@x,';
my $file  = $worker->wait_for_file($uploads->file('types.csv', $csv, name => 'types')->{id});
is($file->{parseState}, 'ready', 'a file is parsed');
my $reply = made($file);
is($reply->{status}, 200, 'the workbook is there');
like($reply->{headers}{'content-type'}, qr/spreadsheetml/, 'the type of the workbook');
like($reply->{headers}{'content-disposition'}, qr/types\.xlsx/, 'the name of the workbook');
my @lines = lines($reply->{body}, ';');
is($lines[0], 'code;number;comma;day;formula;long', 'the titles');
is($lines[1], '007;1;1.5;2026-02-28;=1+1;12345678901234567890',
	'numbers and dates keep their types, all other values are texts');
is($lines[2], '010;-2;-2.25;1999-12-31;+cmd;9', 'the third row');
my $sheet = { Catalogue::Archive::members($reply->{body}) }->{'xl/worksheets/sheet1.xml'};
unlike($sheet, qr/<f[ >]/, 'no cell is a formula');
like($sheet, qr{<c r="B2"[^>]*><v>1</v>}, 'a number is stored as a number');
like($sheet, qr{<c r="A2"[^>]*t="inlineStr"}, 'a text is stored as a text');
is($service->get("/files/$file->{id}/download/xlsx")->{headers}{etag}, $reply->{headers}{etag},
	'the workbook is stored');
my $part;
# a part of the rows, in another order, or groups of them: as CSV has them, with their types
for (
	[ 'limit=1'                                  => 'code;number;comma;day;formula;long',
		'007;1;1.5;2026-02-28;=1+1;12345678901234567890' ],
	[ 'skip=1&fields=day,code&limit=5'           => 'code;day', '010;1999-12-31', '011' ],
	[ 'number[lt]=5&orderBy=number&fields=number' => 'number', '-2', '1' ],
	[ 'sheet=1&_id[gt]=2&fields=code'            => 'code', '011' ],
	[ 'aggregate=count,sum(comma),min(day),max(number)' => 'count;sum(comma);min(day);max(number)',
		'3;-0.75;1999-12-31;1' ],
	[ 'groupBy=day&aggregate=avg(comma)&orderBy=day' => 'day;avg(comma)', '1999-12-31;-2.25',
		'2026-02-28;1.5' ],
	[ 'code=none'                                => 'code;number;comma;day;formula;long' ],
	)
{
	my ($query, @expected) = @$_;
	$part = made($file, "xlsx?$query");
	is($part->{status}, 200, "selected rows: $query") or diag $part->{body};
	is_deeply([ lines($part->{body}, ';') ], \@expected, "with what they have: $query");
}
like($part->{headers}{'content-disposition'}, qr/types\.xlsx/, 'the name is that of the file');
my $few = made($file, 'xlsx?fields=number&limit=2')->{body};
like({ Catalogue::Archive::members($few) }->{'xl/worksheets/sheet1.xml'}, qr{<c r="A2"[^>]*><v>1</v>},
	'a number of selected rows is a number');
is(scalar @{ parse('xls', made($file, 'xls?limit=2&fields=code')->{body})->{sheets}[0]{rows} }, 2,
	'so it is in the older format');
my $sums = $worker->wait_for_file($uploads->file('sums.csv', "n\n" . "999999999999999999\n" x 20)->{id});
is_deeply([ lines(made($sums, 'xlsx?aggregate=sum(n)')->{body}, ';') ], [ 'sum(n)', '19999999999999999980' ],
	'a sum of more than 64 bits keeps its digits');
# it is made once, however the parameters stand, and not for what a workbook does not have
my $jobs = $service->sql(q(SELECT count(*) FROM catalogue.jobs WHERE kind = 'convert'));
is($service->get("/files/$file->{id}/download/xlsx?$_")->{status}, 200, "made already: $_")
	for 'limit=2&fields=number', 'fields=number&bom=true&limit=2&nonesuch=1', 'fields=number&&limit=2&facets=day';
is($service->sql(q(SELECT count(*) FROM catalogue.jobs WHERE kind = 'convert')), $jobs, 'no further job was needed');
is($service->get("/files/$file->{id}/download/xlsx?$_")->{status}, 422, "nothing is queued for a wrong parameter: $_")
	for 'limit=x', 'orderBy=nonesuch&number[gt]=many', 'groupBy=nonesuch';
my %nobody = (Authorization => undef);
is($service->get("/files/$file->{id}/download/xlsx?limit=2&fields=number", %nobody)->{status}, 404,
	'who does not see the file has no rows of it, also where they are made');
is($service->get("/files/$file->{id}/download/xlsx?nonesuch=1&bom=true")->{status}, 200,
	'another parameter does not matter');
is($service->get("/files/$file->{id}/download/xlsx", Range => 'bytes=0-1')->{body}, 'PK', 'a range of the workbook');

# the workbook does without features that some programs cannot read, and can be uploaded again
is(unpack('v', substr $reply->{body}, 4, 2), 20, 'a small workbook needs no ZIP64');
my $again = $worker->wait_for_file($uploads->file('types.xlsx', $reply->{body})->{id});
is_deeply([ @$again{qw(parseState rowCount)} ], [ 'ready', 3 ], 'the workbook as a file of its own');
# a workbook has no empty texts, and one decimal separator
my @rows = @{ $service->get("/files/$file->{id}/contents")->{json}{data} };
for my $row (@rows)
{
	length $row->{$_} or $row->{$_} = undef for keys %$row;
	$row->{comma} =~ s/,/./ if $row->{comma};
}
is_deeply($service->get("/files/$again->{id}/contents")->{json}{data}, \@rows,
	'the uploaded workbook has the same rows');

# texts that XML does not have, or that look like its escapes, and numbers that stand for no value
$file = $worker->wait_for_file($uploads->file('odd.csv', "n,_x0041_\n1,a\xEF\xBF\xBEb\n-99,_x005F__x000d_\n3,\x01\n",
	parseOptions => '{"header": true, "missing": ["-99"]}')->{id});
$sheet = { Catalogue::Archive::members(made($file)->{body}) }->{'xl/worksheets/sheet1.xml'};
is_deeply([ $sheet =~ m{<t[^>]*>([^<]*)</t>}g ], [ 'n', '_x005F_x0041_', 'a_xFFFE_b', '-99', '_x005F_x005F_'
	. '_x005F_x000d_', '_x0001_' ], 'each has its escapes; a mark is a text');

# names of sheets
my $named = $worker->wait_for_file($uploads->file('names.xlsx', zip(workbook(sheets => [ map { [ $_,
	'<sheetData><row><c t="str"><v>a</v></c></row><row><c><v>1</v></c></row></sheetData>' ] } "Cote d'Ivoire", 'History',
	'_x005F_x0041_', 'Same', 'same', "'90s'" ])))->{id});
is_deeply([ map { $_->{name} } @{ parse('xls', made($named, 'xls')->{body})->{sheets} } ],
	[ "Cote d'Ivoire", 'History_', '_x0041_', 'Same', 'same (2)', '_90s_' ], 'names are kept as far as Excel takes them');

# a real file
my $bytes = real_file('navaids.csv');
$file = $worker->wait_for_file($uploads->file('navaids.csv', $bytes)->{id});
@lines = lines(made($file)->{body}, ',');
is(scalar(@lines), 11009, 'all rows of a real file are in its workbook');

# new bytes: a new workbook
$service->put("/files/$file->{id}",
	Catalogue::Upload::form(Catalogue::Upload::part('uploadFile', "a;b\n1;2\n", file => 'navaids.csv')));
$worker->wait_for_file($file->{id});
@lines = lines(made($file)->{body}, ',');
is_deeply(\@lines, [ 'a,b', '1,2' ], 'new bytes have a new workbook');

# contents that no workbook can hold
$file = $worker->wait_for_file($uploads->file('long.csv', "a\n" . 'x' x 40_000 . "\n")->{id});
is($file->{parseState}, 'ready', 'a text of 40,000 characters is parsed');
$service->get("/files/$file->{id}/download/xlsx");
my $job = $worker->wait_for_job($worker->job('convert', $file->{id})->{id}, 'failed', 'done');
is_deeply([ @$job{qw(state reason attempts)} ], [ 'failed', 'a text is longer than a workbook can keep', 1 ],
	'the job fails, since the text is too long for a workbook');

# a visitor's workbook does not wait for an archive that nobody has asked for
$file = $worker->wait_for_file($uploads->file('meanwhile.csv', "a,b\n3,4\n")->{id});
my $holder  = Catalogue::Session->new($service);
my $dataset = $uploads->{dataset};
$holder->run('BEGIN; LOCK TABLE catalogue.archive');
my $archive = $service->sql(qq(SELECT catalogue.enqueue('archive', 'dataset', '$dataset',
	'{"dataset": "$dataset", "audience": "internal"}')));
$worker->hurry;
$worker->wait_for_job($archive, 'running');
is_deeply([ lines(made($file)->{body}, ',') ], [ 'a,b', '3,4' ], 'the workbook is made');
is($worker->job('archive', $dataset)->{state}, 'running', 'while the archive is being made');
$holder->run('ROLLBACK');
$worker->wait_for_job($archive, 'done');

# no temporary file can be created: both kinds of job that need one say so, and the log has the directory and the error
$worker->finish;
mkdir my $closed = "$service->{directory}/closed", 0 or die $!;
$worker = Catalogue::Worker->start($service, TMPDIR => $closed);
my %without =
	(parse => $uploads->file('again.xlsx', $reply->{body})->{id}, convert => $uploads->file('plain.csv', "a\n1\n")->{id});
$worker->wait_for_file($without{convert});
my $socket = $service->connection;
syswrite $socket, "GET /files/$without{convert}/download/xlsx HTTP/1.1\r\nHost: localhost\r\n"
	. "Authorization: Bearer $service->{token}\r\n\r\n";
for my $kind (sort keys %without)
{
	$job = $worker->wait_for("a failed attempt to $kind", sub {
		my $tried = $worker->job($kind, $without{$kind});
		$tried && $tried->{reason} ? $tried : undef
	});
	is($job->{reason}, 'no temporary file could be created', "$kind: the reason does not name the directory");
}
my @told = grep { $_->{event} eq 'temporary file failed' } $service->log;
like($told[0]{message}, qr/^job \w+: "\Q$closed\E": Permission denied$/, 'the log does');

# a request that waits for what is being made gets 202 after five seconds, or when the shim ends
$worker->finish;
ok(!IO::Select->new($socket)->can_read(0), 'the request waits for the workbook');
$service->stop_shim;
is($service->raw('', socket => $socket)->{replies}[0]{status}, 202, 'it is answered when the shim ends');

$service->finish;
