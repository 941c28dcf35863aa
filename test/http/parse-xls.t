#!/usr/bin/perl
# Workbooks of Excel 5 to 2003 as other programs write them: older forms of records, each code page that
# a workbook can name, invalid characters.  The child process is tested alone.

use strict;
use warnings;
use utf8;

use Encode qw(encode decode);
use Test::More;
use Catalogue::Biff qw(container record stream text_cell xls);
use Catalogue::Parser qw(cells kind parse);

# Read the first sheet of an XLS.
sub sheet
{
	my ($what, @book) = @_;
	my $result = parse('xls', xls(@book));
	is(kind($result), 'D', "$what: it is read") or diag(explain $result->{refused});
	return $result->{sheets}[0];
}

# Cells of BIFF5, one in each row, below a title.
sub column { my $row = 0; return join '', map { Catalogue::Biff::byte_cell($row++, 0, $_) } 'x', @_ }

# Read the texts of cells of BIFF5 in a code page.
sub texts
{
	my ($page, @texts) = @_;
	my $sheet = sheet("code page $page", column(@texts), version => 0x0500, globals => record(0x0042, pack 'v', $page));
	return [ map { $_->[0] } @{ $sheet->{rows} } ], $sheet;
}

# each code page: all its characters of one byte above ASCII, in one text and in one text each
my %names = ((map { $_ => "cp$_" } 874, 1250 .. 1258), 10000 => 'MacRoman', 32768 => 'MacRoman', 32769 => 'cp1252');
# bytes that Perl decodes differently than Microsoft or Apple
my %odd = (10000 => qr/[\xC6\xDB\xF0]/, 32768 => qr/[\xC6\xDB\xF0]/);
for my $page (sort { $a <=> $b } keys %names)
{
	my @bytes = grep { decode($names{$page}, $_, Encode::FB_DEFAULT) !~ /[\x{FFFD}\x80-\x9F]/
		&& $_ !~ ($odd{$page} // qr/(?!)/) } map { chr } 0x80 .. 0xFF;
	my @expected = map { decode($names{$page}, $_) } @bytes;
	my ($found, $sheet) = texts($page, 'abc', join('', 'a', @bytes), @bytes);
	# a letter and the accent after it may be combined into one character
	is_deeply([ map { Unicode($_) } @$found ], [ map { Unicode($_) } 'abc', join('', 'a', @expected), @expected ],
		"code page $page: " . @bytes . ' characters');
	is_deeply($sheet->{issues}, [], "code page $page: there are no issues");
}
sub Unicode { require Unicode::Normalize; return Unicode::Normalize::NFC($_[0] // '') }

# code pages with characters of two bytes, and code pages that Perl does not have
for my $case ([ 932, "\x93\xFA\x96{\x81`\xB1", '日本～ｱ' ], [ 936, "\xD6\xD0\xCE\xC4", '中文' ],
	[ 949, "\xC7\xD1\xB1\xDB", '한글' ], [ 950, "\xA4\xA4\xA4\xE5", '中文' ], [ 1361, "\xD0e\x8Bi", '한글' ],
	[ 1200, encode('UTF-16LE', 'Ñ日'), 'Ñ日' ], [ 10001, "\x93\xFA", '日' ], [ 10002, "\xA4\xA4", '中' ],
		[ 10003, "\xC7\xD1", '한' ], [ 10008, "\xD6\xD0", '中' ], [ 10007, "\x80\xE0", 'Аа' ], [ 10017, "\x80\xE0", 'Аа' ],
		[ 10029, "\x80\x87", 'Äá' ], [ 65001, "\xC3\x91", 'Ñ' ])
{
	my ($page, $bytes, $expected) = @$case;
	is_deeply((texts($page, $bytes, $bytes))[0], [ $expected, $expected ], "code page $page");
}

# a converter that holds back a letter, since an accent may follow, must flush it with its own text
my @vietnamese = ("Vi\xEA\xF2t Nam", 'a', "\xECa", 'o', "\xD2", "Ha\xCC", '1', 'e');
is_deeply((texts(1258, @vietnamese))[0], [ map { Unicode(decode('cp1258', $_)) } @vietnamese ],
	'Windows-1258: each text is separate');
is_deeply((texts(932, "\x93", "\xFA", "a\x93"))[0], [ "\x{FFFD}", "\x{FFFD}", "a\x{FFFD}" ],
	'the first half of a character stays in its text');
# an invalid character is reported, and the rest of the text is kept
my ($found, $told) = texts(1253, "\xC1\xD2\xC2", 'b');
is_deeply([ $found, $told->{issues} ],
	[ [ "Α\x{FFFD}Β", 'b' ], [ { line => 2, reason => 'what is no character is shown as U+FFFD' } ] ],
	'a byte that is not in the code page is reported');
my $strange =
	sheet('a code page that there is not', column("\xD1"), version => 0x0500, globals => record(0x0042, pack 'v', 12345));
is_deeply([ $strange->{rows}, $strange->{issues} ],
	[ [ ['Ñ'] ], [ { line => 1, reason => 'code page 12345 is not known: texts are read as Windows-1252' } ] ],
	'an unknown code page is reported, and Windows-1252 is used');

# zero characters: in a title, in the name of a sheet, in cells of both versions
my $zeros = sheet('zero characters', text_cell(0, 0, "a\0b") . text_cell(1, 0, "\0") . text_cell(2, 0, "c\0"),
	name => "O\0e");
is_deeply([ $zeros->{name}, cells($zeros) ], [ "O\x{FFFD}e", [ ["a\x{FFFD}b"], ["\x{FFFD}"], ["c\x{FFFD}"] ] ],
	'zero characters are shown as U+FFFD');
is_deeply($zeros->{issues}, [ map { { line => $_, reason => 'a zero byte is shown as U+FFFD' } } 1 .. 3 ],
	'zero characters are reported, also in titles');
is_deeply((texts(932, "a\0", "\x93\0"))[0], [ "a\x{FFFD}", "\x{FFFD}\x{FFFD}" ],
	'a zero byte as the second byte of a character');
my $halves = sheet('halves of surrogate pairs', record(0x0204, pack 'v4 C v4', 0, 0, 0, 4, 1, 0xD83D, 0x41, 0xDE00,
	0x42) . record(0x0204, pack 'v4 C v2', 1, 0, 0, 2, 1, 0xD83D, 0xDE00));
is_deeply([ cells($halves), $halves->{issues} ],
	[ [ ["\x{FFFD}A\x{FFFD}B"], ['😀'] ], [ { line => 1, reason => 'what is no character is shown as U+FFFD' } ] ],
	'halves of surrogate pairs are shown as U+FFFD, pairs as their character');

# older forms of records with the same contents; some programs write them in workbooks of Excel 97 too
sub number { my ($type, $row, $value) = @_; return record($type, pack 'v3 d<', $row, 0, 0, $value) }
sub formula
{
	my ($type, $row, $value) = @_;
	return record($type, pack('v3', $row, 0, 0) . $value . pack 'v V v', 0, 0, 0);
}
for my $type (0x0006, 0x0206, 0x0406)
{
	my $name = sprintf 'FORMULA as 0x%04X', $type;
	my $found = sheet($name, text_cell(0, 0, 'x') . formula($type, 1, pack 'd<', 1.5) . formula($type, 2, pack 'C6 v', 0,
		(0) x 5, 0xFFFF) . record(0x0207, pack('v C', 2, 0) . 'ab') . formula($type, 3, pack 'C6 v', 1, 0, 1, 0, 0, 0, 0xFFFF)
		. formula($type, 4, pack 'C6 v', 2, 0, 7, 0, 0, 0, 0xFFFF));
	is_deeply($found->{rows}, [ ['1.5'], ['ab'], ['true'], ['#DIV/0!'] ], "$name: each row is read");
}
for my $type (0x027E, 0x007E)
{
	my $name = sprintf 'RK as 0x%04X', $type;
	is_deeply(sheet($name, text_cell(0, 0, 'x') . record($type, pack 'v3 V', 1, 0, 0, 300 << 2 | 3))->{rows}, [ ['3'] ],
		"$name: it is a number");
}
# cells of BIFF2 are not read, and that is told
my $old = sheet('cells of BIFF2 in a workbook of Excel 97', text_cell(0, 0, 'x') . text_cell(0, 1, 'y') . join '',
	map { record($_ + 1, pack('v2 C3', $_, 0, 0, 0, 0) . "\1\1") . text_cell($_, 1, 'z') } 1 .. 4);
is_deeply([ $old->{rows}, $old->{issues} ], [ [ ([ undef, 'z' ]) x 4 ],
	[ map { { line => $_, reason => 'a cell is stored as in Excel 2, which is not read, and is empty' } } 2 .. 5 ] ],
	'cells of BIFF2 are reported');
is_deeply(cells(sheet('a sheet within a sheet, spelled otherwise', text_cell(0, 0, 'x') . record(0x0409, pack 'v3',
	0x0400, 0x20, 0) . text_cell(1, 0, 'of a chart') . record(0x000A, '') . text_cell(1, 0, 'y'))), [ ['x'], ['y'] ],
	'a nested sheet does not end the sheet');
# unreadable cells are reported: columns that Excel does not have, unknown errors
my $far = sheet('cells beyond the last column of Excel',
	text_cell(0, 0, 'x') . text_cell(1, 300, 'far') . text_cell(2, 16384, 'farther') . text_cell(3, 0, 'y'));
is_deeply([ [ map { [ grep { defined } @$_ ] } @{ $far->{rows} } ], $far->{badRows}, $far->{issues} ],
	[ [ ['far'], ['y'] ], 1, [ { line => 3, reason => 'the row has more than 16,384 columns; it was left out' } ] ],
	'cells beyond the last column are read or reported');
my $unknown = sheet('errors', text_cell(0, 0, 'x') . text_cell(0, 1, 'y') . join '',
	map { record(0x0205, pack 'v3 C2', $_, 0, 0, [ 0x2B, 0x63 ]->[ $_ - 1 ], 1) . text_cell($_, 1, 'z') } 1, 2);
is_deeply([ $unknown->{rows}, $unknown->{issues} ], [ [ [ '#GETTING_DATA', 'z' ], [ undef, 'z' ] ],
	[ { line => 3, reason => 'a cell has an error that is not known and is empty' } ] ],
	'errors have their name, or are reported');

# a stream without a container, as scripts write it: a single sheet with its own formats
my $bare = parse('xls', record(0x0809, pack 'v4', 0, 0x10, 0, 0) . record(0x041E, pack('v C', 164, 10) . 'yyyy-mm-dd')
	. record(0x00E0, pack 'v2', 0, 0) . record(0x00E0, pack 'v2', 0, 164)
	. Catalogue::Biff::byte_cell(0, 0, 'x') . Catalogue::Biff::byte_cell(1, 0, "\xC4") . number(0x0203, 2, 7)
		. record(0x0203, pack 'v3 d<', 3, 0, 1, 45443) . record(0x000A, ''));
is(kind($bare), 'D', 'a script writes BIFF5 of no version: it is read') or diag(explain $bare->{refused});
is_deeply([ map { [ $_->{name}, cells($_) ] } @{ $bare->{sheets} } ], [ [ '', [ ['x'], ['Ä'], [7], ['2024-05-31'] ] ] ],
	'texts, numbers and dates of BIFF5');

# the versions before are refused with what to do, by the type of the first record or by its version
for my $begin ([ 0x0009, 2 ], [ 0x0209, 0x0300 ], [ 0x0409, 0x0400 ], [ 0x0809, 0x0200 ], [ 0x0809, 0x0300 ],
	[ 0x0809, 0x0400 ])
{
	my ($type, $version) = @$begin;
	my $first = record($type, pack 'v4', $version, 0x10, 0, 0);
	my $text = text_cell(0, 0, 'x') . record(0x000A, '');
	is(parse('xls', $_)->{refused}, 'the workbook is of Excel 2 to 4: save it as XLSX',
		sprintf 'version 0x%04X by record 0x%04X', $version, $type) for $first . $text, container(Book => $first . $text);
}
is(parse('xls', record(0x0809, pack 'v4', 0x0700, 0x10, 0, 0))->{refused},
	'the file is no workbook of Excel 5 to 2003, or is damaged', 'a version that there is not');
is(parse('xls', record(0x0809, pack 'v4', 0x0500, 0x20, 0, 0) . record(0x000A, ''))->{refused},
	'the workbook has no sheets', 'a chart without a sheet');
is(parse('xls', record(0x0809, pack 'v4', 0x0500, 0x10, 0, 0) . record(0x002F, 'x' x 4)
	. record(0x000A, ''))->{refused}, 'the workbook is encrypted: save it without a password', 'a sheet with a password');

is(parse('xls', container(Workbook => record(0x0809, pack 'v4 V2', 0x0600, 5, 0, 0, 0, 0)
	. join('', map { record(0x0085, pack('V C5', 0, 1, 0, 1, 0, 65)) } 1 .. 257) . record(0x000A, '')))->{refused},
	'the workbook has more than 256 sheets', '257 sheets');
is_deeply([ map { $_->{hidden} ? 1 : 0 } @{ parse('xls', container(Workbook => stream(text_cell(0, 0, 'x'),
	globals => record(0x0085, pack('V C5', 1 << 20, 1, 0, 1, 0, 65)))))->{sheets} } ], [ 1, 0 ], 'a hidden sheet');

# streams are found in any letter case; of the two in a workbook for two versions of Excel the newer one is read
my ($older, $newer) =
	(stream(Catalogue::Biff::byte_cell(0, 0, 'old'), version => 0x0500), stream(text_cell(0, 0, 'new')));
for my $case ([ [ WORKBOOK => $newer ], 'new' ], [ [ workbook => $newer ], 'new' ], [ [ BOOK => $older ], 'old' ],
	[ [ book => $older ], 'old' ], [ [ Book => $older, Workbook => $newer ], 'new' ],
	[ [ WORKBOOK => $newer, BOOK => $older ], 'new' ])
{
	my ($streams, $title) = @$case;
	my $result = parse('xls', container(@$streams));
	is($result->{sheets}[0]{columns}[0]{title}, $title, "streams @{[ grep { length() < 9 } @$streams ]}")
		or diag(explain $result);
}

# a damaged sheet loses only itself; missing shared texts lose all cells that have them
sub two
{
	my ($what, $one, $other) = @_;
	my $begin = record(0x0809, pack 'v4 V2', 0x0600, 0x10, 0, 0, 0, 0);
	my $book = sub { record(0x0809, pack 'v4 V2', 0x0600, 5, 0, 0, 0, 0)
		. join('', map { record(0x0085, pack('V C5', $_, 0, 0, 1, 0, 65)) } @_) . record(0x000A, '') };
	my $start = length $book->(0, 0);
	$one = $begin . $one . record(0x000A, '');
	return parse('xls', container(Workbook => $book->($start, $other ? $start + length $one : 1 << 20) . $one
		. ($other ? $begin . $other . record(0x000A, '') : '')));
}
my $good = text_cell(0, 0, 'x') . text_cell(1, 0, 'y');
my $shared = text_cell(0, 0, 'x') . text_cell(1, 0, 'y') . record(0x00FD, pack 'v3 V', 2, 0, 0, 0);
my $half = two('a sheet that is nowhere', $good);
is_deeply([ kind($half), map { [ cells($_), $_->{issues}, $_->{details}{lost} ] } @{ $half->{sheets} } ],
	[ 'D', [ [ ['x'], ['y'] ], [], undef ],
	[ [ [] ], [ { line => 1, reason => 'a sheet of the workbook is damaged; the sheet was left out' } ], 'all' ] ],
	'a sheet whose record is missing loses only itself');
my $textless = two('no texts', $good, $shared);
is_deeply([ kind($textless), map { [ cells($_), map { $_->{reason} } @{ $_->{issues} } ] } @{ $textless->{sheets} } ],
	[ 'D', [ [ ['x'], ['y'] ] ], [ [ ['x'], ['y'] ],
	'the workbook lacks the shared strings that its cells refer to; the rows from here on were left out' ] ],
	'without shared texts a sheet ends at the first cell that has one');
is(two('no texts', $shared, $shared)->{refused}, 'the workbook lacks the shared strings that its cells refer to',
	'a workbook of such sheets cannot be read');

done_testing();
