#!/usr/bin/perl
# Workbooks of Excel 5 to 2003 as other programs write them: older spellings of records, each code page that
# a workbook can name, characters that are none.  The child is run by itself.

use strict;
use warnings;
use utf8;

use Encode qw(encode decode);
use Test::More;
use Catalogue::Biff qw(container record stream text_cell xls);
use Catalogue::Parser qw(cells kind parse);

# The first sheet of an XLS as it is read.
sub sheet
{
	my ($what, @book) = @_;
	my $result = parse('xls', xls(@book));
	is(kind($result), 'D', "$what: is read") or diag(explain $result->{refused});
	return $result->{sheets}[0];
}

# Cells of BIFF5, one in each row, below a title.
sub column { my $row = 0; return join '', map { Catalogue::Biff::byte_cell($row++, 0, $_) } 'x', @_ }

# The texts of cells of BIFF5 in a code page.
sub texts
{
	my ($page, @texts) = @_;
	my $sheet = sheet("code page $page", column(@texts), version => 0x0500, globals => record(0x0042, pack 'v', $page));
	return [ map { $_->[0] } @{ $sheet->{rows} } ], $sheet;
}

# Each code page: all characters of a byte above ASCII that it has, in one text and in a text each.
my %names = (367 => 'ascii', (map { $_ => "cp$_" } 437, 737, 775, 850, 852, 855, 857, 858, 860 .. 866, 869, 874, 1250 .. 1258), 10000 => 'MacRoman', 32768 => 'MacRoman', 32769 => 'cp1252', 10006 => 'MacGreek', 10079 => 'MacIcelandic', 10081 => 'MacTurkish');
# what Perl has otherwise than Microsoft or Apple
my %odd = (10000 => qr/[\xC6\xDB\xF0]/, 32768 => qr/[\xC6\xDB\xF0]/, 10006 => qr/[\x9C\xAF\xFF]/, 10079 => qr/[\xA0\xBA\xC6\xDB\xE3\xF0]/, 10081 => qr/[\xC6\xF0\xF5]/, 864 => qr/\x25/);
for my $page (sort { $a <=> $b } keys %names)
{
	my @bytes = grep { decode($names{$page}, $_, Encode::FB_DEFAULT) !~ /[\x{FFFD}\x80-\x9F]/ && $_ !~ ($odd{$page} // qr/(?!)/) } map { chr } 0x80 .. 0xFF;
	my @expected = map { decode($names{$page}, $_) } @bytes;
	my ($found, $sheet) = texts($page, 'abc', join('', 'a', @bytes), @bytes);
	# an accent behind a letter may be one character with it
	is_deeply([ map { Unicode($_) } @$found ], [ map { Unicode($_) } 'abc', join('', 'a', @expected), @expected ], "code page $page: " . @bytes . ' characters');
	is_deeply($sheet->{issues}, [], 'and nothing is told');
}
sub Unicode { require Unicode::Normalize; return Unicode::Normalize::NFC($_[0] // '') }

# the pages with characters of two bytes, and those that Perl does not have
for my $case ([ 720, "\x98\x99\x9A\xEF", 'ءآأي' ], [ 932, "\x93\xFA\x96{\x81`\xB1", '日本～ｱ' ], [ 936, "\xD6\xD0\xCE\xC4", '中文' ], [ 949, "\xC7\xD1\xB1\xDB", '한글' ], [ 950, "\xA4\xA4\xA4\xE5", '中文' ], [ 1361, "\xD0e\x8Bi", '한글' ],
	[ 1200, encode('UTF-16LE', 'Ñ日'), 'Ñ日' ], [ 1201, encode('UTF-16BE', 'Ñ日'), 'Ñ日' ], [ 10001, "\x93\xFA", '日' ], [ 10002, "\xA4\xA4", '中' ], [ 10003, "\xC7\xD1", '한' ], [ 10008, "\xD6\xD0", '中' ], [ 10007, "\x80\xE0", 'Аа' ], [ 10017, "\x80\xE0", 'Аа' ], [ 10029, "\x80\x87", 'Äá' ], [ 65001, "\xC3\x91", 'Ñ' ])
{
	my ($page, $bytes, $expected) = @$case;
	is_deeply((texts($page, $bytes, $bytes))[0], [ $expected, $expected ], "code page $page");
}

# A converter that holds a letter back, for an accent may follow, gives it with its own text.
my @vietnamese = ("Vi\xEA\xF2t Nam", 'a', "\xECa", 'o', "\xD2", "Ha\xCC", '1', 'e');
is_deeply((texts(1258, @vietnamese))[0], [ map { Unicode(decode('cp1258', $_)) } @vietnamese ], 'Windows-1258: each text is one of its own');
is_deeply((texts(932, "\x93", "\xFA", "a\x93"))[0], [ "\x{FFFD}", "\x{FFFD}", "a\x{FFFD}" ], 'so with the first half of a character');
# a character of no page is told, the rest of the text is kept
my ($found, $told) = texts(1253, "\xC1\xD2\xC2", 'b');
is_deeply([ $found, $told->{issues} ], [ [ "Α\x{FFFD}Β", 'b' ], [ { line => 2, reason => 'what is no character is shown as U+FFFD' } ] ], 'a byte that is no character of the page');
my $strange = sheet('a code page that there is not', column("\xD1"), version => 0x0500, globals => record(0x0042, pack 'v', 12345));
is_deeply([ $strange->{rows}, $strange->{issues} ], [ [ ['Ñ'] ], [ { line => 1, reason => 'code page 12345 is not known: texts are read as Windows-1252' } ] ], 'is told, and Windows-1252 taken');

# Zero characters: in a title, in the name of a sheet, in cells of both ages.
my $zeros = sheet('zero characters', text_cell(0, 0, "a\0b") . text_cell(1, 0, "\0") . text_cell(2, 0, "c\0"), name => "O\0e");
is_deeply([ $zeros->{name}, cells($zeros) ], [ "O\x{FFFD}e", [ ["a\x{FFFD}b"], ["\x{FFFD}"], ["c\x{FFFD}"] ] ], 'are shown as U+FFFD');
is_deeply($zeros->{issues}, [ map { { line => $_, reason => 'a zero byte is shown as U+FFFD' } } 1 .. 3 ], 'and told, also of the titles');
is_deeply((texts(932, "a\0", "\x93\0"))[0], [ "a\x{FFFD}", "\x{FFFD}\x{FFFD}" ], 'and of a character of two bytes the second');
my $halves = sheet('halves of surrogate pairs', record(0x0204, pack 'v4 C v4', 0, 0, 0, 4, 1, 0xD83D, 0x41, 0xDE00, 0x42) . record(0x0204, pack 'v4 C v2', 1, 0, 0, 2, 1, 0xD83D, 0xDE00));
is_deeply([ cells($halves), $halves->{issues} ], [ [ ["\x{FFFD}A\x{FFFD}B"], ['😀'] ], [ { line => 1, reason => 'what is no character is shown as U+FFFD' } ] ], 'are shown as U+FFFD, pairs as their character');

done_testing();
