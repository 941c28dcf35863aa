#!/usr/bin/perl
# Merged cells of XLSX, ODS and XLS: the rows of a range have its value, a heading of several rows is joined over merged
# cells, options say otherwise, and ranges that a malicious workbook has cost no more than its cells.

use strict;
use warnings;
use utf8;

use Encode qw(encode);
use Test::More;
use Catalogue::Biff qw(record text_cell xls);
use Catalogue::Parser qw(cells kind parse part workbook zip);

binmode Test::More->builder->$_, ':encoding(UTF-8)' for qw(output failure_output);

sub letters { my ($n) = @_; return $n < 26 ? chr(65 + $n) : letters(int($n / 26) - 1) . chr(65 + $n % 26) }

# An XLSX of rows of cells, undef for none, with merged ranges such as A2:A3.
sub xlsx
{
	my ($rows, @ranges) = @_;
	my $xml = join '', map {
		my $row = $_;
		"<row r=\"@{[ $row + 1 ]}\">" . join('', map {
			my $cell = $rows->[$row][$_];
			my $place = letters($_) . ($row + 1);
			!defined $cell ? '' : $cell =~ /^-?[\d.]+$/ ? "<c r=\"$place\"><v>$cell</v></c>"
				: "<c r=\"$place\" t=\"str\"><v>$cell</v></c>"
		} 0 .. $#{ $rows->[$row] }) . '</row>'
	} 0 .. $#$rows;
	return zip(workbook(sheets => [ [ 'One', encode('UTF-8', "<sheetData>$xml</sheetData><mergeCells>"
		. join('', map { "<mergeCell ref=\"$_\"/>" } @ranges) . '</mergeCells>') ] ]));
}

# First row, last row, first and last column of a range, counted from 0.
sub corners
{
	my ($range) = @_;
	my @found = $range =~ /^([A-Z]+)(\d+):([A-Z]+)(\d+)$/ or die $range;
	my ($left, $right) = map { my $n = 0; $n = $n * 26 + ord($_) - 64 for split //; $n - 1 } @found[ 0, 2 ];
	return ($found[1] - 1, $found[3] - 1, $left, $right);
}

sub ods
{
	my ($rows, @ranges) = @_;
	my %spans = map { my ($first, $last, $left, $right) = corners($_);
		("$first $left" => 'table:number-rows-spanned="' . ($last - $first + 1) . '" table:number-columns-spanned="'
			. ($right - $left + 1) . '"') } @ranges;
	my $xml = join '', map {
		my $row = $_;
		'<table:table-row>' . join('', map {
			my $cell = $rows->[$row][$_];
			my $span = $spans{"$row $_"} // '';
			!defined $cell ? '<table:covered-table-cell/>' : $cell =~ /^-?[\d.]+$/
				? "<table:table-cell $span office:value-type=\"float\" office:value=\"$cell\"/>"
				: "<table:table-cell $span office:value-type=\"string\"><text:p>$cell</text:p></table:table-cell>"
		} 0 .. $#{ $rows->[$row] }) . '</table:table-row>'
	} 0 .. $#$rows;
	return zip(part('content.xml', encode('UTF-8', '<office:document-content '
		. join(' ', map { "xmlns:$_=\"urn:oasis:names:tc:opendocument:xmlns:$_:1.0\"" } qw(office table text))
		. "><office:body><office:spreadsheet><table:table table:name=\"One\">$xml</table:table>"
		. '</office:spreadsheet></office:body></office:document-content>')));
}

sub biff
{
	my ($rows, @ranges) = @_;
	my $cells = join '', map {
		my $row = $_;
		map {
			my $cell = $rows->[$row][$_];
			!defined $cell ? '' : $cell =~ /^-?[\d.]+$/ ? record(0x0203, pack('v3 d<', $row, $_, 0, $cell))
				: text_cell($row, $_, $cell)
		} 0 .. $#{ $rows->[$row] }
	} 0 .. $#$rows;
	return xls($cells . record(0x00E5, pack 'v v*', scalar @ranges, map { corners($_) } @ranges));
}

my %makers = (xlsx => \&xlsx, ods => \&ods, xls => \&biff);

# Read a workbook of each form; the sheet of each must be the same, and is returned.
sub sheet
{
	my ($what, $rows, $ranges, @options) = @_;
	my $one;
	for my $form (qw(xlsx ods xls))
	{
		my $result = parse($form, $makers{$form}->($rows, @$ranges), @options);
		is(kind($result), 'D', "$what, $form: it is read") or diag(explain $result->{refused});
		my $sheet = $result->{sheets}[0];
		my $seen = { cells => cells($sheet), issues => $sheet->{issues}, details => $sheet->{details} };
		is_deeply($seen, $one, "$what, $form: as in xlsx") if $one;
		$one //= $seen;
	}
	return $one;
}

# labels over rows: texts and years are in each row, numbers in the first one, and it is told
my $rows = [ [qw(region year n total)], [ 'North', 2019, 1, 7 ], [ undef, undef, 2 ], [ undef, 2020, 3 ],
	[ 'South', undef, 4, 5 ], [ undef, 2021, 5, 6 ] ];
my @ranges = qw(A2:A4 B2:B3 B4:B5 D2:D4 A5:A6);
my $found = sheet('labels', $rows, \@ranges);
is_deeply($found->{cells}, [ $rows->[0], [ 'North', 2019, 1, 7 ], [ 'North', 2019, 2, '' ], [ 'North', 2020, 3, '' ],
	[ 'South', 2020, 4, 5 ], [ 'South', 2021, 5, 6 ] ], 'each row has its labels');
is_deeply($found->{issues}, [
	{ line => 3, reason => '5 cells of merged ranges have the value of the first row of their range; '
		. 'parseOptions.merged says otherwise' },
	{ line => 2, reason => '1 merged ranges have a number in the first of their rows only; '
		. 'parseOptions.merged says otherwise' } ], 'the issues count the cells, and what was left');
is_deeply([ @{ $found->{details} }{qw(mergedCells filledCells)} ], [ 5, 5 ], 'the details have the numbers');
my $same = sheet('all of them', $rows, \@ranges, qw(--merged fill));
is_deeply([ map { $_->[3] } @{ $same->{cells} } ], [ 'total', 7, 7, 7, 5, 6 ], 'fill: also numbers');
is_deeply($same->{issues}, [], 'no issue tells what the owner has said');
$same = sheet('the first only', $rows, \@ranges, qw(--merged first));
is_deeply([ map { $_->[0] } @{ $same->{cells} } ], [ 'region', 'North', '', '', 'South', '' ],
	'first: the first row only');
is_deeply([ $same->{issues}, $same->{details}{filledCells} ], [ [], undef ], 'nothing was filled');

$found = sheet('kinds', [ [qw(a b c d e f)], [ '2024-05-31', '1 234', '5 %', 'true', '001a', 'NA' ],
	[ (undef) x 6, 'x' ] ], [ map { "${_}2:${_}3" } 'A' .. 'F' ]);
is_deeply($found->{cells}[2], [ '2024-05-31', '', '', 'true', '001a', 'NA', 'x' ],
	'dates, booleans, codes and marks are labels; numbers are none, however they are written');

# a cell in a range that has a value keeps it; a range over columns only fills nothing; a row without cells is none
$found = sheet('values', [ [qw(a b c)], [ 'x', 'p', 1 ], [ 'own', 'q', 2 ], [ undef, undef, 3 ], [],
	[ undef, 'r', 4 ] ], [qw(A2:A6 B3:C3)]);
is_deeply($found->{cells}, [ [qw(a b c)], [ 'x', 'p', 1 ], [ 'own', 'q', 2 ], [ 'x', '', 3 ], [ 'x', 'r', 4 ] ],
	'own values stay, and no row is made');
$found = sheet('blocks', [ [qw(a b c)], [ 'x', undef, 1 ], [ undef, undef, 2 ] ], ['A2:B3']);
is_deeply($found->{cells}, [ [qw(a b c)], [ 'x', '', 1 ], [ 'x', '', 2 ] ], 'the value is in the first column');

# headings of two and three rows
my @data = ([ 'North', 1, 2, 3, 4 ], [ 'South', 5, 6, 7, 8 ], [ 'West', 9, 10, 11, 12 ]);
sub names
{
	my ($what, $rows, $ranges, @options) = @_;
	my $sheet = sheet($what, $rows, $ranges, @options);
	return [ $sheet->{cells}[0], @{ $sheet->{details} }{qw(header headerRows titles)} ];
}
my @two = ([ 'Region', 'Men', undef, 'Women', undef ], [ undef, 2019, 2020, 2019, 2020 ], @data);
my @over = qw(A1:A2 B1:C1 D1:E1);
is_deeply(names('two rows', \@two, \@over),
	[ [ 'Region', 'Men 2019', 'Men 2020', 'Women 2019', 'Women 2020' ], 2, [ 1, 2 ], undef ], 'years below groups');
is(sheet('two rows', \@two, \@over)->{details}{headerReason}, 'merged cells stand over the names of columns',
	'the reason is told');
is_deeply(sheet('two rows', \@two, \@over)->{issues}, [], 'cells of the heading are not counted');
is_deeply(sheet('two rows', \@two, \@over)->{cells}[1], $data[0], 'the rows of data follow');
is_deeply(names('a region in the second row', [ [ undef, 'Men', undef, 'Women', undef ],
	[ 'Region', 2019, 2020, 2019, 2020 ], @data ], [qw(B1:C1 D1:E1)])->[0],
	[ 'Region', 'Men 2019', 'Men 2020', 'Women 2019', 'Women 2020' ], 'names that stand in the second row only');
is_deeply(names('texts below groups', [ [ 'Region', 2019, undef, 2020, undef ],
	[ undef, qw(men women men women) ], @data ], \@over)->[0],
	[ 'Region', '2019 men', '2019 women', '2020 men', '2020 women' ], 'texts below years');
is_deeply(names('three rows', [ [ 'Region', 'People', undef, undef, undef ], [ undef, 'Men', undef, 'Women', undef ],
	[ undef, 2019, 2020, 2019, 2020 ], @data ], [qw(A1:A3 B1:E1 B2:C2 D2:E2)]),
	[ [ 'Region', 'People Men 2019', 'People Men 2020', 'People Women 2019', 'People Women 2020' ], 3, [ 1, 2, 3 ],
	undef ], 'three rows');
is_deeply(names('a caption', [ [ 'Population' ], @two ], [qw(A1:E1 A2:A3 B2:C2 D2:E2)]),
	[ [ 'Region', 'Men 2019', 'Men 2020', 'Women 2019', 'Women 2020' ], 3, [ 2, 3 ], [1] ],
	'a caption above is none of it');

# no heading of two rows: no merged cells, data below them
is_deeply(names('without merged cells', \@two, [])->[0], [ 'Region', 'Men', '', 'Women', '' ], 'as it was');
is_deeply(names('texts as data', [ [ 'Name', 'Phones', undef ], [qw(Bob 555-1 555-2)], [qw(Ann 555-3 555-4)] ],
	['B1:C1']), [ [ 'Name', 'Phones', '' ], 1, undef, undef ], 'data below merged cells are no names');
is_deeply(names('years as data', [ [ 'Name', 'Years', undef ], [ 'Bob', 1999, 2000 ], [ 'Ann', 2001, 2002 ] ],
	['B1:C1']), [ [ 'Name', 'Years', '' ], 1, undef, undef ], 'years above years are no names');
is_deeply(names('numbers', [ [ 'Name', 'Numbers', undef ], [ 'Bob', 5, 6 ], [ 'Ann', 7, 8 ] ], ['B1:C1'])->[1], 1,
	'numbers are no names');

# options: header stays the row with the names
is_deeply(names('two rows, as said', \@two, \@over, qw(--headerRows 2)),
	[ [ 'Region', 'Men 2019', 'Men 2020', 'Women 2019', 'Women 2020' ], 2, [ 1, 2 ], undef ], 'headerRows alone');
is_deeply(names('one row, as said', \@two, \@over, qw(--headerRows 1))->[0], [ 'Region', 'Men', '', 'Women', '' ],
	'one row');
for my $order ([qw(--header 4 --headerRows 2)], [qw(--headerRows 2 --header 4)])
{
	is_deeply(names("the row of the names, @$order", [ [ 'Population', 'x' ], [ 'of', 'y' ], @two ],
		[qw(A3:A4 B3:C3 D3:E3)], @$order), [ [ 'Region', 'Men 2019', 'Men 2020', 'Women 2019', 'Women 2020' ], 4,
		[ 3, 4 ], undef ], 'header with headerRows');
}
is_deeply(names('the row of the names', \@two, \@over, qw(--header 2))->[0], [ 'Region', 2019, 2020, 2019, 2020 ],
	'header alone is one row, with what merged cells give it');
is_deeply(names('the first row', \@two, \@over, qw(--header first --headerRows 2))->[1], 2,
	'the first two rows');
is_deeply(names('no row', \@two, \@over, qw(--header none --headerRows 2))->[0], [ ('') x 5 ], 'no names');
is(kind(eval { parse('csv', "a\n", @$_) } // { status => 1, signal => 0 }), 'status 1', "@$_ is refused")
	for [qw(--headerRows 0)], [qw(--headerRows 4)], [qw(--merged last)];
is_deeply(cells(parse('csv', "Men,Women\na,b\n1,2\n", qw(--headerRows 2))->{sheets}[0]),
	[ [ 'Men a', 'Women b' ], [ 1, 2 ] ], 'a text may have a heading of two rows');

# ranges of a malicious workbook: what they cost is bounded, and what was not taken is told
my @long = map { [ $_ == 0 ? 'text' : undef, $_ ] } 0 .. 999;
my $wide = parse('xlsx', xlsx([ [qw(a n)], @long ], 'A2:XFD1048576'));
is_deeply([ map { scalar @$_ } @{ $wide->{sheets}[0]{rows} }[ 0, 999 ] ], [ 2, 2 ],
	'a range of all cells makes no columns');
is($wide->{sheets}[0]{details}{filledCells}, 999, 'it fills the rows that there are');
my $many = parse('xlsx', xlsx([ [qw(a n)], @long ], map { "A$_:XFD1048576" } 2 .. 200_001));
is($many->{sheets}[0]{details}{mergedCells}, 200_000, '200,000 ranges that overlap are counted');
like($many->{sheets}[0]{issues}[-1]{reason}, qr/^only the first 131,072 merged ranges of the sheet were taken$/,
	'those that are not taken are told');
is($many->{sheets}[0]{rows}[999][0], 'text', 'the first one fills');
$many = parse('xlsx', xlsx([ [ map { "c$_" } 1 .. 1000 ], [ map { 2019 } 1 .. 1000 ], [ 1 .. 1000 ] ],
	(map { letters($_) . '1:XFD1048576' } 0 .. 999), map { letters($_) . '2:XFD1048576' } 0 .. 999));
is(kind($many), 'D', 'ranges that begin in each column of the heading are read');
srand 1;
my $large = join '', map { sprintf '%04x', rand 65536 } 1 .. 250_000;
# A sheet of rows of XML whose first shared text is the long one.
sub long_rows
{
	my ($rows, $ranges) = @_;
	return parse('xlsx', zip(workbook(strings => "<si><t>$large</t></si>", sheets => [ [ 'One', '<sheetData>'
		. "<row r=\"1\"><c r=\"A1\" t=\"str\"><v>a</v></c></row>$rows</sheetData><mergeCells>"
		. join('', map { "<mergeCell ref=\"$_\"/>" } @$ranges) . '</mergeCells>' ] ])));
}
my @at = map { letters($_) . ($_ + 2) } 0 .. 9;
my $book = long_rows(join('', map { "<row r=\"@{[ $_ + 2 ]}\"><c r=\"$at[$_]\" t=\"s\"><v>0</v></c></row>" } 0 .. 9),
	[ map { "$_:" . s/\d+/99/r } @at ]);
is_deeply([ @{ $book->{sheets}[0] }{qw(badRows)}, $book->{sheets}[0]{issues}[0]{reason} ],
	[ 0, 'the row has no room for the values of merged cells' ], 'long values of ranges lose no rows');
for my $ref ('', 'A1', 'A1:', ':B2', 'B2:A1', 'A0:A5', 'A1:A99999999999999999999', 'AAAAAAAAAAAAAA1:B2',
	'A1:B2:C3', '1:2', 'A:B', 'a1:b2')
{
	my $sheet = parse('xlsx', xlsx([ [qw(a b)], [ 'x', 1 ], [ undef, 2 ] ], $ref))->{sheets}[0];
	is($sheet->{details}{filledCells}, undef, "no range: '$ref'");
}
is(kind(parse('xls', xls(text_cell(0, 0, 'a') . record(0x00E5, pack 'v v3', 9000, 1, 2, 3)))), 'D',
	'a record that has fewer ranges than it says');
is(kind(parse('ods', ods([ [ 'a', 'b' ], [ 'x', 1 ] ], 'A1:B99999999'))), 'D', 'a range that is longer than a sheet');

# merged cells that stand beyond what is held to sort rows, and parts in UTF-16
my $far = long_rows(join('', map { "<row r=\"$_\"><c r=\"A$_\" t=\"s\"><v>0</v></c></row>" } 2 .. 20)
	. '<row r="21"><c r="A21" t="str"><v>late</v></c></row><row r="22"><c r="B22"><v>5</v></c></row>', ['A21:A22']);
is_deeply($far->{sheets}[0]{rows}[-1], [ 'late', 5 ], 'rows after the first 16 MiB are filled');
my @parts = workbook(sheets => [ [ 'One', '' ] ]);
my $wide_text = '<?xml version="1.0" encoding="UTF-16"?><worksheet><sheetData><row r="1"><c r="A1" t="str"><v>a</v></c>'
	. '<c r="B1" t="str"><v>b</v></c></row><row r="2"><c r="A2" t="str"><v>x</v></c><c r="B2"><v>1</v></c></row>'
	. '<row r="3"><c r="B3"><v>2</v></c></row></sheetData>'
	. '<mergeCells><mergeCell ref="A2:A3"/></mergeCells></worksheet>';
$_->{name} =~ /sheet0/ and $_ = part($_->{name}, "\xFF\xFE" . encode('UTF-16LE', $wide_text)) for @parts;
is_deeply(cells(parse('xlsx', zip(@parts))->{sheets}[0]), [ [qw(a b)], [ 'x', 1 ], [ 'x', 2 ] ], 'a part in UTF-16');

done_testing;
