#!/usr/bin/perl
# Numbers of workbooks whose text is more than their value: digits of codes, durations, dates of other calendars, and
# booleans that are formulas.

use strict;
use warnings;
use utf8;

use Encode qw(encode);
use Test::More;
use Catalogue::Parser qw(parse kind workbook zip part);

binmode Test::More->builder->$_, ':encoding(UTF-8)' for qw(output failure_output);

# Read numbers with their formats, codes or the numbers of built-in ones, of an XLSX; return the texts of the cells.
sub formatted
{
	my (@cells) = @_;
	my @own = grep { $cells[$_][0] !~ /^\d+$|^$/ || $cells[$_][0] =~ /^0./ } 0 .. $#cells;
	my %number = map { $_ => 164 + $_ } @own;
	my $escaped = sub { return $_[0] =~ s/&/&amp;/gr =~ s/"/&quot;/gr =~ s/</&lt;/gr };
	my $styles = '<numFmts>' . join('', map { sprintf '<numFmt numFmtId="%d" formatCode="%s"/>', $number{$_},
			encode('UTF-8', $escaped->($cells[$_][0])) } @own) . '</numFmts><cellXfs>'
		. join('', map { sprintf '<xf numFmtId="%d"/>', $number{$_} // $cells[$_][0] } 0 .. $#cells) . '</cellXfs>';
	my $rows = '<row>' . '<c t="str"><v>x</v></c>' x @cells . '</row><row>'
		. join('', map { qq(<c s="$_"><v>$cells[$_][1]</v></c>) } 0 .. $#cells) . '</row>';
	my $book = parse('xlsx', zip(workbook(sheets => [ [ 'One', "<sheetData>$rows</sheetData>" ] ], styles => $styles)));
	is(kind($book), 'D', 'a workbook is read') or diag(explain $book);
	return @{ $book->{sheets}[0]{rows}[0] };
}

my $phone = '[<=9999999]###-####;(###) ###-####';
my @formats = (
	# digits of a code are the text that the cell shows
	[ '00000', '1001', '01001' ], [ '00000', '123456', '123456' ], [ '00000', '0', '00000' ], [ '00', '7', '07' ],
	[ '0000000000', '912345678', '0912345678' ], [ '000\-00\-0000', '12345678', '012-34-5678' ],
	[ '00000-0000', '123456789', '12345-6789' ], [ '"(0"00")"', '5', '5' ], [ '00\ 00\ 00', '10203', '01 02 03' ],
	[ $phone, '5551234', '555-1234' ], [ $phone, '2025551234', '(202) 555-1234' ],
	[ '[<=99999]00000;00000\-0000', '501', '00501' ], [ '[<=99999]00000;00000\-0000', '5011234', '00501-1234' ],
	[ '[>=100]000-0;0.0', '12', '12' ], [ '[$-C0A]00000', '1001', '01001' ], [ '00000;-00000', '5', '00005' ],
	# a minus, a fraction and a number beyond 15 digits have no such text
	[ '00000', '-5', '-5' ], [ '00000', '1.5', '1.5' ], [ '00000', '1e15', '1000000000000000' ],
	# other formats are of numbers
	[ '0', '5', '5' ], [ '#', '5', '5' ], [ '# ##0', '1234', '1234' ], [ '#,##0', '1234', '1234' ], [ '0.00', '5',
	'5' ],
	[ '00.00', '5', '5' ], [ '00%', '0.5', '0.5' ], [ '00" km"', '5', '5' ], [ '00:00', '930', '930' ],
	[ '0.00E+00', '1234', '1234' ], [ '##0.0E+0', '1234', '1234' ], [ 'General', '5', '5' ],
	[ 'General" kg"', '5', '5' ], [ '0;[Red]General', '5', '5' ], [ 'G/標準', '5', '5' ],
	# durations may be negative; the end of a day is no day
	[ '[h]:mm', '-0.5', '-12:00:00' ], [ '[h]:mm', '1.5', '36:00:00' ], [ '46', '-1.25', '-30:00:00' ],
	[ '[h]:mm', '-3000000', '-3000000' ], [ 'h:mm', '-0.5', '-0.5' ],
	[ 'hh:mm:ss', '0.9999999999', '23:59:59.999' ], [ 'hh:mm:ss', '0.99999', '23:59:59.136' ],
	[ 'yyyy-mm-dd hh:mm', '45443.9999999999', '2024-06-01T00:00:00' ],
	# dates of the calendars of Japan and Thailand
	( map { [ $_, '45443', '2024-05-31' ] } 71 .. 74, 81, '[$-411]ge.m.d', 'gge"年"m"月"d"日"', 'e/m/d', 'bbbb',
		'd/m/bb',
		'[$-D070000]d/m/bbbb', 'E' ),
	( map { [ $_, '0.5', '12:00:00' ] } 75, 76, 78, 79, 80 ), [ 77, '45443.5', '2024-05-31T12:00:00' ],
	[ 79, '1.5', '36:00:00' ], [ 67, '0.5', '0.5' ], [ 70, '0.5', '0.5' ],
);
my @texts = formatted(@formats);
is($texts[$_], $formats[$_][2], "$formats[$_][1] as $formats[$_][0]") for 0 .. $#formats;

# an ODS has a displayed text for each number; that of a code is taken
sub ods_cell
{
	my ($type, $attributes, $shown) = @_;
	my $book = parse('ods', zip(part('mimetype', 'application/vnd.oasis.opendocument.spreadsheet', method => 0),
		part('content.xml', encode('UTF-8',
		'<office:document-content xmlns:office="o" xmlns:table="t" xmlns:text="x" '
			. 'xmlns:calcext="c"><office:body><office:spreadsheet><table:table table:name="One"><table:table-row>'
			. '<table:table-cell office:value-type="string"><text:p>x</text:p></table:table-cell></table:table-row>'
			. qq(<table:table-row><table:table-cell office:value-type="$type" $attributes><text:p>$shown</text:p>)
			. '</table:table-cell></table:table-row></table:table></office:spreadsheet></office:body>'
			. '</office:document-content>'))));
	is(kind($book), 'D', 'an ODS is read') or diag(explain $book);
	return $book->{sheets}[0]{rows}[0][0];
}
for my $case ([ '1001', '01001', '01001' ], [ '0', '00000', '00000' ], [ '0', '0', '0' ], [ '5551234', '555-1234',
	'555-1234' ],
	[ '2025551234', '(202) 555-1234', '(202) 555-1234' ], [ '5', '05', '05' ], [ '10203', '01 02 03', '01 02 03' ],
	[ '1234', '1 234', '1234' ], [ '1234', '1,234', '1234' ], [ '0.5', '0,50', '0.5' ], [ '-5', '-5', '-5' ], [ '5',
	'-', '5' ],
	[ '-1234', '(1 234)', '-1234' ], [ '12', '0012', '0012' ], [ '1002', '1-003', '1002' ], [ '100', '01', '100' ],
	[ '12', '12 %', '12' ], [ '5', '0' x 80 . '5', '5' ], [ '45443', '31-05-2024', '45443' ])
{
	my ($value, $shown, $expected) = @$case;
	is(ods_cell('float', qq(office:value="$value"), $shown), $expected, "ODS: $value shown as " . substr $shown, 0, 20);
}
is(ods_cell('percentage', 'office:value="1001"', '01001'), '1001', 'ODS: per cent is a number');
for my $case ([ 'PT12H00M00S', '12:00:00' ], [ '-PT12H00M00S', '-12:00:00' ], [ 'PT90M', '01:30:00' ], [ 'P1DT2H',
	'26:00:00' ],
	[ 'P2D', '48:00:00' ], [ 'PT3661S', '01:01:01' ], [ 'PT0.5S', '00:00:00.5' ], [ 'PT01H02M03.5000S',
	'01:02:03.5' ],
	[ 'PT00H00M01,25S', '00:00:01.25' ], [ '-P1DT1.250S', '-24:00:01.25' ], [ 'PT100H00M00S', '100:00:00' ],
	(map { [ $_, $_ ] } 'soon', 'P', 'PT', '-', 'PT1H2', 'P1Y', 'P1M', 'P1W', 'PT1M1H', 'PT.5', '--PT1H',
		'PT9999999999S'))
{
	is(ods_cell('time', qq(office:time-value="$case->[0]"), 'x'), $case->[1], "ODS: the duration $case->[0]");
}
for my $case ([ 'of:=TRUE()', 1, 'true' ], [ 'of:=FALSE()', 0, 'false' ], [ 'of:=1', 1, '1' ],
	[ 'of:=TRUE()+1', 2, '2' ])
{
	is(ods_cell('float', qq(table:formula="$case->[0]" office:value="$case->[1]"), 'X'), $case->[2],
		"ODS: the formula $case->[0]");
}

done_testing;
