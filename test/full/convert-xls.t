#!/usr/bin/perl
# A file as a workbook of Excel 97 to 2003: the workbook is read as the contents of the file, and
# contents that such a workbook cannot hold are 406 with the reason.

use strict;
use warnings;
use utf8;

use Encode qw(encode decode);
use Test::More;
use Catalogue::Parser qw(parse cells kind);
use Catalogue::Test;
use Catalogue::Upload;
use Catalogue::Worker;

binmode Test::More->builder->$_, ':encoding(UTF-8)' for qw(output failure_output);

my $service = Catalogue::Test->start->as_admin;
my $uploads = Catalogue::Upload->new($service);
my $worker  = Catalogue::Worker->start($service);

# Request a file as a workbook until the answer is there.
sub made
{
	my ($file, $query, %headers) = @_;
	return $worker->wait_for('the workbook', sub {
		my $reply = $service->get("/files/$file->{id}/download/xls" . ($query // ''), %headers);
		$reply->{status} == 202 ? undef : $reply;
	});
}

# Upload a text, which must be parsed successfully.
sub uploaded
{
	my ($text, %values) = @_;
	my $file = $worker->wait_for_file($uploads->file('file.csv', encode('UTF-8', $text), %values)->{id});
	is($file->{parseState}, 'ready', 'a file is read') or diag($file->{parseReason});
	return $file;
}

# The sheets of a workbook, as the service parses it.
sub sheets
{
	my ($reply, $what) = @_;
	is($reply->{status}, 200, "$what: there is a workbook") or diag($reply->{body});
	my $result = parse('xls', $reply->{body}, '--header', 'first');
	is(kind($result), 'D', "$what: it is read") or diag($result->{refused});
	return $result->{sheets};
}

# numbers, booleans, dates, texts; values that would be changed are stored as texts
my @rows = (
	[qw(code number decimal yes day at text)],
	[ '007',  1,  '1.5',    'true',  '2026-02-28', '2026-02-28T12:30:45',   '=1+1' ],
	[ '010', -2,  '-0.25',  'false', '1899-12-31', '1900-03-01T00:00:00',   '' ],
	[ '011', 536870912, '1e-300', 'true', '1900-02-28', '2100-12-31T23:59:59.500', 'ñandú €' ],
	[ '012', -536870913, '1.7976931348623157e308', 'true', '1900-03-01', '1850-01-01T00:00:00', '日本😀' ],
	[ '013', 123456789012345, '0.1', 'false', '9999-12-31', '2000-01-01T00:00:00', "two\nlines" ],
	[ 'é',  '', '', '', '', '', 'NaN' ],
);
my $file = uploaded(join('', map { join(',', map { /[\n,"]/ ? qq("$_") : $_ } @$_) . "\n" } @rows), name => 'types');
my $reply = made($file);
like($reply->{headers}{'content-type'}, qr{^application/vnd\.ms-excel}, 'the type of the workbook');
like($reply->{headers}{'content-disposition'}, qr/types\.xls"?$/, 'the name of the workbook');
is(substr($reply->{body}, 0, 8), "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", 'an OLE2 container');
my ($sheet) = @{ sheets($reply, 'types') };
is($sheet->{name}, 'Sheet1', 'a text has one sheet');
my @same = map { [ map { s/\.500$/.5/r } @$_ ] } @rows;
my @read = map { [ map { s/(T\d\d:\d\d:\d\d\.5)0*$/$1/r } @$_ ] } @{ cells($sheet) };
for my $row (0 .. $#same)
{
	# a time that is not in a day stays a text; numbers are compared as numbers
	is_deeply([ map { /^-?[\d.]+(?:e-?\d+)?$/i && !/^0\d/ ? $_ + 0 : $_ } @{ $read[$row] } ],
		[ map { /^-?[\d.]+(?:e-?\d+)?$/i && !/^0\d/ ? $_ + 0 : $_ } @{ $same[$row] } ], "row $row is read again");
}
is_deeply([ map { $_->{type} } @{ $sheet->{columns} }[ 1, 3 ] ], [qw(integer boolean)],
	'the types of the columns are read again');
is($service->get("/files/$file->{id}/download/xls")->{headers}{etag}, $reply->{headers}{etag},
	'the workbook is stored');
is($service->get("/files/$file->{id}/download/xls", Range => 'bytes=0-1')->{body}, "\xD0\xCF",
	'a range of the workbook');
is(made($file, '?sheet=1')->{status}, 200, 'its only sheet by number');
is($service->get("/files/$file->{id}/download/xls?sheet=2")->{status}, 404, 'a sheet that does not exist');

# the workbook is accepted as a file, and downloading it as a workbook gives the original
my $again = $worker->wait_for_file($uploads->file('types.xls', $reply->{body})->{id});
is_deeply([ @$again{qw(parseState rowCount)} ], [ 'ready', 6 ], 'the workbook as a file of its own');
is($service->get("/files/$again->{id}/download/xls")->{body}, $reply->{body},
	'its download as a workbook gives the original bytes');

# texts at the end of a record, of every length around it, with one and two bytes for each character
my @texts = map {
	my $i = $_;
	map { ($i % 2 ? 'a' : 'я') . ($_ x ($i * 37 % 401 + 8000 * ($i % 7 == 0))) } 'b', 'ж', 'é'
} 1 .. 120;
$file = uploaded("text\n" . join('', map { "$_\n" } @texts));
is_deeply([ map { $_->[0] } @{ cells(sheets(made($file), 'long texts')->[0]) }[ 1 .. @texts ] ], \@texts,
	'texts across records are complete');
$file = uploaded("text,other\n" . join('', map { "same,text " . ($_ % 5000) . "\n" } 1 .. 12_000));
is_deeply([ map { $_->[1] } @{ cells(sheets(made($file), 'equal texts')->[0]) } ],
	[ 'other', map { 'text ' . ($_ % 5000) } 1 .. 12_000 ], 'repeated texts are read again');

# the longest text, and one more character
$file = uploaded("a\n" . 'x' x 32_767 . "\n" . '😀' x 16_383 . "\n");
is_deeply([ map { length $_->[0] } @{ cells(sheets(made($file), 'longest texts')->[0]) } ], [ 1, 32_767, 16_383 ],
	'the longest texts are complete');
for my $text ('x' x 32_768, '😀' x 16_384)
{
	$file = uploaded("a\n$text\n");
	$reply = made($file);
	is($reply->{status}, 406, 'a longer text: 406');
	like($reply->{json}{meta}{message}, qr/a text is longer than a workbook can keep/, 'the error has the reason');
	is($service->get("/files/$file->{id}/download/xls")->{status}, 406, 'the next request gets 406 at once');
}
is($service->sql("SELECT count(*) FROM catalogue.blob b WHERE b.uses <> (SELECT count(*) FROM (SELECT blob FROM "
	. "catalogue.stored_file UNION ALL SELECT blob FROM catalogue.made_file) r WHERE r.blob = b.id) AND b.digest IS "
	. "NOT NULL"), 0, 'uses of bytes are counted right');

# the greatest numbers of rows and columns, and one more
my $rows = join '', map { "$_,x\n" } 1 .. 65_535;
$file = uploaded("n,t\n$rows");
is($file->{rowCount}, 65_535, '65,535 rows');
$sheet = sheets(made($file), '65,535 rows')->[0];
is(scalar @{ $sheet->{rows} }, 65_535, 'the workbook has all of 65,535 rows');
is_deeply($sheet->{rows}[65_534], [ '65535', 'x' ], 'the workbook has the last row');
$service->put("/files/$file->{id}",
	Catalogue::Upload::form(Catalogue::Upload::part('uploadFile', "n,t\n${rows}65536,y\n", file => 'file.csv')));
$file = $worker->wait_for_file($file->{id});
is($file->{rowCount}, 65_536, 'a file of 65,536 rows');
$reply = $service->get("/files/$file->{id}/download/xls");
is($reply->{status}, 406, '65,536 rows: 406 at once');
like($reply->{json}{meta}{message}, qr/has 65536 rows and 2 columns, more than "xls" can have/,
	'the error has the reason');
is($service->get("/files/$file->{id}/download/xlsx", Prefer => 'wait=0')->{status} =~ /^20[02]$/, 1,
	'xlsx has room for 65,536 rows');
$file = uploaded(join(',', map { "c$_" } 1 .. 256) . "\n" . join(',', 1 .. 256) . "\n");
is(scalar @{ sheets(made($file), '256 columns')->[0]{columns} }, 256, '256 columns');
$file = uploaded(join(',', map { "c$_" } 1 .. 257) . "\n" . join(',', 1 .. 257) . "\n");
is($service->get("/files/$file->{id}/download/xls")->{status}, 406, '257: 406');

# several sheets: hidden, empty, with odd and equal names; without names of columns
my $book = $uploads->file('book.csv', "a\n1\n")->{id};
$worker->wait_for_file($book);
$service->sql(<<"SQL");
DO \$\$
DECLARE
    revision  bigint := catalogue.contents_begin('$book');
    sheet     bigint;
    name      text;
    number    integer := 0;
BEGIN
    FOREACH name IN ARRAY ARRAY['First', 'first', 'a/b:c', '', 'Ñandú', repeat('long', 20), 'empty'] LOOP
        number := number + 1;
        sheet := catalogue.contents_sheet('$book', revision, number, name, number IN (1, 3));
        IF name <> 'empty' THEN
            PERFORM catalogue.contents_add(sheet, 1, 1, '\\x0101000000010000001100000013000000'::bytea
                || '\\x02'::bytea || convert_to(number::text, 'UTF8'));
        END IF;
        PERFORM catalogue.contents_sheet_end(sheet,
            format('{"rows":%s,"badRows":0,"columns":[{"name":"column","title":"","type":"integer"}],"details":{}}',
                CASE name WHEN 'empty' THEN 0 ELSE 1 END)::json);
    END LOOP;
    PERFORM catalogue.contents_publish('$book', revision);
END
\$\$
SQL
my $sheets = sheets(made({ id => $book }), 'several sheets');
is_deeply([ map { $_->{name} } @$sheets ], [ 'First', 'first (2)', 'a_b_c', 'Sheet4', 'Ñandú',
	'longlonglonglonglonglonglonglon', 'empty' ], 'the names of sheets are valid in a workbook');
is_deeply([ map { $_->{hidden} ? 1 : 0 } @$sheets ], [ 0, 0, 1, 0, 0, 0, 0 ],
	'hidden sheets are hidden, but for the first');
is_deeply([ map { cells($_)->[1][0] } @$sheets ], [ 1 .. 6, undef ], 'each has its cells');
is($sheets->[0]{columns}[0]{title}, 'column', 'a column without a title has its name as title');
$sheets = sheets(made({ id => $book }, '?sheet=%C3%91and%C3%BA'), 'one sheet by name');
is_deeply([ map { [ $_->{name}, cells($_)->[1][0] ] } @$sheets ], [ [ 'Ñandú', 5 ] ], 'one sheet by its name');

# callers who do not see the file do not see its workbook; new bytes have a new workbook
is($service->get("/files/$file->{id}/download/xls", Authorization => undef)->{status}, 404, 'a hidden file: 404');
$service->put("/files/$again->{id}",
	Catalogue::Upload::form(Catalogue::Upload::part('uploadFile', "a;b\n1;2\n3;4\n", file => 'x.csv')));
$again = $worker->wait_for_file($again->{id});
is_deeply(cells(sheets(made($again), 'other bytes')->[0]), [ [qw(a b)], [ 1, 2 ], [ 3, 4 ] ],
	'new bytes have a new workbook');

# a large workbook, whose container has a list of sectors
$file = uploaded("a,b,c,d\n"
	. join('', map { "$_,text number $_ of many that are long enough," . $_ / 7 . ",$_.25\n" } 1 .. 65_000));
$reply = made($file);
cmp_ok(length $reply->{body}, '>', 7_000_000, 'a workbook of more than 7 MB');
my $large = sheets($reply, 'a large one')->[0];
is_deeply($large->{rows}[64_999][1], 'text number 65000 of many that are long enough',
	'a large workbook has the last row');

$worker->finish;
$service->finish;
