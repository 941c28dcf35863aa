#!/usr/bin/perl
# Workbooks as rows: XLSX, ODS and XLS files of other programs, cell by cell; what cells can hold; and malicious
# workbooks, each refused with one sentence.  The child process is tested alone.

use strict;
use warnings;
use utf8;

use Encode qw(encode);
use File::Temp ();
use Test::More;
use Catalogue::Biff qw(record text_cell xls);
use Catalogue::Parser qw(cells kind parse part program workbook zip);
use Catalogue::Program qw(slurp);

my $directory = File::Temp->newdir;

sub is_refused
{
	my ($form, $bytes, $reason, $what) = @_;
	my $result = parse($form, $bytes);
	is(kind($result), 'X', "$what: refused") or diag(explain $result->{refused});
	ref $reason ? like($result->{refused}, $reason, "$what: the reason")
		: is($result->{refused}, $reason, "$what: the reason");
	return;
}

# Read a workbook with one sheet of the given rows of XML; return the sheet.
sub sheet
{
	my ($rows, $what, %book) = @_;
	my $result = parse('xlsx', zip(
		workbook(sheets => [ [ 'One', encode('UTF-8', "<sheetData>$rows</sheetData>" . ($book{after} // '')) ] ], %book)));
	is(kind($result), 'D', "$what: it is read") or diag(explain $result->{refused});
	return $result->{sheets}[0];
}

# The bytes of a workbook that another program has written, by its name in test/http/books.
sub shipped
{
	my ($name) = @_;
	return slurp("test/http/books/$name") || die "test/http/books/$name: there is no such file\n";
}

# Compare the cells of two sheets, without empty rows and columns at the end.
sub is_same
{
	my ($found, $expected, $what) = @_;
	my @differences;
	for my $row (0 .. ($#$found > $#$expected ? $#$found : $#$expected))
	{
		my ($left, $right) = ($found->[$row] // [], $expected->[$row] // []);
		for my $column (0 .. ($#$left > $#$right ? $#$left : $#$right))
		{
			# gnumeric takes an apostrophe at the beginning of a cell as the mark of a text
			my ($one, $other) = map { ($_ // '') =~ s/^'//r } $left->[$column], $right->[$column];
			# a number may be written differently, as 1.50 and 1.5
			next if $one eq $other || ($one =~ /^-?[\d.]+$/ && $other =~ /^-?[\d.]+$/ && $one == $other);
			push @differences, "row $row, column $column: $one instead of $other";
		}
	}
	is(scalar @differences, 0, $what) or diag(join "\n", splice @differences, 0, 5);
	return;
}

# A text that compresses to about half its length.
sub noise
{
	my ($length) = @_;
	my $noise = '';
	while (length $noise < $length)
	{
		$noise .= unpack 'H*', pack 'N*', map { int rand 2**32 } 1 .. 4096;
	}
	return substr $noise, 0, $length;
}

# real tables in three formats: each cell is that of the text file
for my $name (qw(countries regions navaids))
{
	my $expected = cells(parse('csv', shipped("$name.csv"))->{sheets}[0]);
	for my $form (qw(ods xls xlsx))
	{
		my $result = parse($form, shipped("$name.$form"));
		is(kind($result), 'D', "$name.$form is read") or diag(explain $result->{refused});
		is(scalar @{ $result->{sheets} }, 1, "$name.$form: one sheet");
		is_same(cells($result->{sheets}[0]), $expected, "$name.$form: each cell");
	}
}
SKIP:
{
	my $path = '../shared/data/catalogo-justicia.xlsx';
	skip "$path is not here", 10 if !-e $path;
	my $result = parse('xlsx', slurp($path));
	is(kind($result), 'D', 'a workbook of several sheets is read');
	is_deeply([ map { $_->{name} } @{ $result->{sheets} } ],
		[ 'Catalog', 'Theme', 'Dataset', 'Distribution', 'Field', 'Notas y referencias' ], 'the sheets are in their order');
	is_deeply([ map { scalar @{ $_->{rows} } } @{ $result->{sheets} } ], [ 1, 9, 16, 56, 53, 5 ],
		'the sheets have all rows');
	is_deeply([ map { $_->{number} } @{ $result->{sheets} } ], [ 1 .. 6 ], 'numbered');
	# compare each sheet with the text that gnumeric has written
	for my $number (0 .. 5)
	{
		my $sheet = parse('csv', shipped("catalogo-justicia.$number.csv"))->{sheets}[0];
		is_same([ grep { join('', @$_) ne '' } @{ cells($result->{sheets}[$number]) } ],
			[ grep { join('', @$_) ne '' } @{ cells($sheet) } ], "sheet $number as gnumeric reads it");
	}
}

# in BIFF5 the writer loses characters that its encoding does not have
for my $name (qw(latin-biff7.xls latin.ods latin.xls latin.xlsx))
{
	my $result = parse($name =~ s/.*\.//r, shipped($name));
	is_deeply(cells($result->{sheets}[0]), [ [qw(name n when)], [ 'Ñandú', '1.5', '2024-05-31' ],
		[ 'étang', '-2', '1999-12-31' ] ], "accents, numbers and dates of $name")
		or diag(explain $result);
	is_deeply([ map { $_->{type} } @{ $result->{sheets}[0]{columns} } ], [qw(text decimal date)],
		'the columns have their types');
}

# cells of XLSX
my $styles = '<numFmts><numFmt numFmtId="164" formatCode="yyyy\-mm\-dd;@"/><numFmt numFmtId="165" '
	. 'formatCode="[$-409]d/m/yy h:mm AM/PM"/><numFmt numFmtId="166" formatCode="#,##0.00 &quot;days&quot;"/>'
	. '<numFmt numFmtId="167" formatCode="[h]:mm:ss"/><numFmt numFmtId="168" formatCode="[Red]0.00"/><numFmt '
		. 'numFmtId="169" formatCode="mmm\ yy"/></numFmts>'
	. '<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs>'
		. join('', map { qq(<xf numFmtId="$_"/>) } 0, 14, 164, 165, 166, 167, 168, 22, 169, 20) . '</cellXfs>';
sub value
{
	my ($attributes, $value) = @_;
	return (cells(sheet(qq(<row><c t="str"><v>x</v></c></row><row><c $attributes><v>$value</v></c></row>), "a cell with "
		. "\"$attributes\" and $value", styles => $styles, strings => '<si><t>a</t></si><si><r><t xml:space="preserve">b '
		. '</t></r><rPh><t>no</t></rPh><r><t>c</t></r></si><si><t/></si><si><t>l_x000D_i_x005F_x_x0041_</t></si>'))->[1]
		// ['-'])->[0];
}
for my $case (
	[ '', '1', '1' ], [ '', '0.10000000000000001', '0.1' ], [ '', '1.1000000000000001', '1.1' ], [ '',
		'0.30000000000000004', '0.30000000000000004' ], [ '', '1E3', '1000' ], [ '', '1.5E-7', '1.5e-07' ], [ '', '-0', '0' ],
	[ '', '12345678901234567', '12345678901234568' ], [ '', '1e300', '1e+300' ], [ '', 'abc', 'abc' ],
		[ 't="n"', '007', '7' ],
	[ 't="s"', '0', 'a' ], [ 't="s"', '1', 'b c' ], [ 't="s"', '2', '' ], [ 't="s"', '3', "l\ri_xA" ],
		[ 't="b"', '1', 'true' ], [ 't="b"', '0', 'false' ], [ 't="e"', '#DIV/0!', '#DIV/0!' ],
		[ 't="str"', 'x &amp; y', 'x & y' ], [ 't="d"', '2024-05-31', '2024-05-31' ],
	[ 's="1"', '45443', '2024-05-31' ], [ 's="2"', '45443', '2024-05-31' ], [ 's="1"', '45443.5', '2024-05-31T12:00:00' ],
		[ 's="3"', '45443', '2024-05-31T00:00:00' ], [ 's="7"', '45443.000011574073', '2024-05-31T00:00:01' ],
	[ 's="4"', '45443', '45443' ], [ 's="5"', '1.5', '36:00:00' ], [ 's="6"', '1.5', '1.5' ],
		[ 's="8"', '45443', '2024-05-31' ], [ 's="9"', '0.75', '18:00:00' ], [ 's="99"', '45443', '45443' ],
	[ 's="1"', '1', '1900-01-01' ], [ 's="1"', '59', '1900-02-28' ], [ 's="1"', '60', '1900-02-29' ], [ 's="1"', '61',
		'1900-03-01' ], [ 's="1"', '2958465', '9999-12-31' ], [ 's="1"', '2958466', '2958466' ], [ 's="1"', '-1', '-1' ])
{
	my ($attributes, $value, $expected) = @$case;
	is(value($attributes, $value), $expected, "a cell with \"$attributes\" and $value");
}
my $old = sheet('<row><c><v>1</v></c></row><row><c s="1"><v>43981</v></c></row><row><c s="1"><v>0</v></c></row>',
	'days since 1904', styles => $styles, book => '<workbookPr date1904="1"/>');
is_deeply($old->{rows}, [ ['2024-05-31'], ['1904-01-01'] ], 'days since 1904 are dates');

my $inline = sheet('<row r="1"><c r="A1" t="inlineStr"><is><t>a</t></is></c><c r="C1" '
	. 't="inlineStr"><is><r><t>c</t></r><r><t>d</t></r></is></c></row><row r="4"><c r="B4"><v>2</v></c></row>',
	'inline texts and gaps', after => '<mergeCells><mergeCell ref="A1:B1"/></mergeCells>');
is_deeply(cells($inline), [ [ 'a', '', 'cd' ], [ '', 2, '' ] ], 'inline texts and gaps keep their places');
is($inline->{rows}[0][0], undef, 'an empty cell is missing');
is($inline->{details}{mergedCells}, 1, 'merged cells are counted');
my $formula = sheet(
	'<row><c><f>A1</f><v>5</v></c></row><row><c><f>1+1</f><v>2</v></c></row><row><c><f>NOW()</f></c></row>', 'formulas');
is_deeply($formula->{rows}, [ [2] ], 'a formula gives its last value');
is($formula->{details}{formulasWithoutValue}, 1, 'formulas without a value are counted');
# number formats: elapsed hours, formats that resemble dates, and dates with times
my @codes = (
	[ '[Magenta]0.00', '45443.5', '45443.5' ], [ '0;[Magenta]-0', '1', '1' ], [ '[Red]h:mm', '0.5', '12:00:00' ],
		[ '[m]', '1.5', '36:00:00' ], [ '[HH]:MM:SS', '1.5', '36:00:00' ], [ '[ss].00', '0.5', '12:00:00' ],
	[ 'h:mm', '0.75', '18:00:00' ], [ 'h:mm', '45443.75', '2024-05-31T18:00:00' ], [ 'mm:ss.0', '45443.75',
		'2024-05-31T18:00:00' ], [ 'yyyy-mm-dd hh:mm:ss.000', '2958465.999999988', '9999-12-31T23:59:59.999' ],
	[ 'yyyy-mm-dd', '2958465.9999999995', '2958465.9999999995' ], [ 'yyyy-mm-dd', '2958466', '2958466' ],
		[ '[$-409]d/m/yy h:mm AM/PM;@', '45443.75', '2024-05-31T18:00:00' ], [ '_-* #,##0.00\ _D_M_-', '1.5', '1.5' ]);
my $coded = sheet('<row>' . '<c t="str"><v>x</v></c>' x @codes . '</row><row>'
	. join('', map { qq(<c s="$_"><v>$codes[$_][1]</v></c>) } 0 .. $#codes) . '</row>', 'formats of numbers',
	styles => '<numFmts>'
		. join('', map { qq(<numFmt numFmtId="@{[ 164 + $_ ]}" formatCode="$codes[$_][0]"/>) } 0 .. $#codes)
		. '</numFmts><cellXfs>' . join('', map { qq(<xf numFmtId="@{[ 164 + $_ ]}"/>) } 0 .. $#codes) . '</cellXfs>');
is($coded->{rows}[0][$_], $codes[$_][2], "$codes[$_][1] as $codes[$_][0]") for 0 .. $#codes;
my $apple = sheet('<row><c t="str"><v>x</v></c></row><row><c s="0"><v>0</v></c></row>', 'days since 1904',
	styles => '<cellXfs><xf numFmtId="14"/></cellXfs>', book => '<workbookPr date1904="1"/><extLst><ext><x15:workbookPr '
	. 'xmlns:x15="x" chartTrackingRefBase="1"/></ext></extLst>');
is_deeply($apple->{rows}, [ ['1904-01-01'] ], 'the attribute date1904 counts, not an extension with a similar name');
my $words = sheet('<row><c t="str"><v>x</v></c></row>'
	. join('', map { qq(<row><c t="b"><v>$_</v></c></row>) } 'true', 'false', 1, 0), 'booleans');
is_deeply($words->{rows}, [ map { [$_] } 'true', 'false', 'true', 'false' ], 'booleans may be words');
my $lost = sheet('<row r="1"><c t="s"><v>0</v></c></row><row r="2"><c t="s"><v>7</v></c><c><v>1</v></c></row>',
	'a text that is not there', strings => '<si><t>a</t></si>');
is_deeply($lost->{rows}, [ [ undef, 1 ] ], 'a cell with a missing shared text is empty');
is_deeply($lost->{issues},
	[ { line => 2, reason => 'a cell refers to a text that is not in the workbook and is empty' } ],
	'a missing shared text is reported');
is(sheet('<row r="1"><c t="s"><v>4294967296</v></c><c><v>1</v></c></row>', 'and one far beyond',
	strings => '<si><t>a</t></si>')->{columns}[1]{title}, 1, 'a reference far beyond the shared texts is accepted');
my $twice = sheet('<row r="1"><c r="A1"><v>1</v></c></row><row r="2"><c r="A2"><v>2</v></c><c '
	. 'r="A2"><v>3</v></c></row>', 'a cell twice');
is_deeply([ $twice->{rows}, $twice->{issues}[0]{reason} ],
	[ [ [2] ], 'a cell is there twice and only the first of them was taken' ], 'a cell that occurs twice is reported');
my $prefixed = parse('xlsx', zip(map { $_->{name} =~ /sheet0/
	? part($_->{name}, '<x:worksheet xmlns:x="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><x:sheetData>'
	. '<x:row><x:c><x:v>1</x:v></x:c></x:row></x:sheetData></x:worksheet>') : $_ } workbook(sheets => [ [ 'One', '' ] ])));
is($prefixed->{sheets}[0]{columns}[0]{title}, 1, 'element names may have a prefix');
my $hidden = parse('xlsx', zip(workbook(sheets => [ [ 'A', '' ], [ 'B &amp; C', '<sheetData/>', 'hidden' ],
	[ 'D', '<sheetData><row><c><v>1</v></c></row></sheetData>', 'veryHidden' ] ])));
is_deeply([ map { "$_->{number} $_->{name} " . ($_->{hidden} ? 1 : 0) . ' ' . @{ $_->{columns} } } @{
	$hidden->{sheets} } ], [ '1 A 0 0', '2 B & C 1 0', '3 D 1 1' ], 'hidden and empty sheets are read');
my $declared = sheet('<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="A1048576"><v>2</v></c></row>'
	. '<row r="7"/>' x 3, '2^20 rows that are said to be', book => '');
is_deeply($declared->{rows}, [ [2] ], 'a declared number of 2^20 rows is ignored');
my $wide = sheet('<row r="1"><c r="A1"><v>1</v></c></row><row r="2"><c r="XFD2"><v>1</v></c></row><row r="3"><c '
	. 'r="A3"><v>3</v></c></row>', 'a cell in the last column');
is_deeply([ [ map { [ grep { defined } @$_ ] } @{ $wide->{rows} } ], $wide->{badRows}, $wide->{issues} ],
	[ [ [1], [1], [3] ], 0, [] ], 'a cell in the last column of Excel is read');

# XLS: gnumeric's conversion of the XLSX below, with each kind of cell, in both versions of the format
my @kinds = ([ 0, '1', '1' ], [ 0, '0.1', '0.1' ], [ 0, '-3', '-3' ], [ 0, '1234567.25', '1234567.25' ],
	[ 1, '45443', '2024-05-31' ], [ 2, '45443.75', '2024-05-31T18:00:00' ], [ 3, '1.5', '36:00:00' ], [ 4, '1.5', '1.5' ],
	[ 5, '2.5', '2.5' ],
	[ 0, 'TRUE', 'true', 't="b"' ], [ 0, '#DIV/0!', '#DIV/0!', 't="e"' ], [ 0, 'text', 'text', 't="str"' ]);
my $every = '<sheetData><row>' . '<c t="str"><v>x</v></c>' x 4 . '</row>' . join('', map {
	my $kind = $_;
	'<row>' . qq(<c s="$kind->[0]" @{[ $kind->[3] // '' ]}><v>@{[ $kind->[1] eq 'TRUE' ? 1 : $kind->[1] ]}</v></c></row>)
} @kinds)
	. '<row><c/><c t="b"><f>1&gt;0</f><v>1</v></c><c t="e"><f>1/0</f><v>#DIV/0!</v></c><c '
		. 't="str"><f>"te"&amp;"xt"</f><v>text</v></c></row></sheetData>';
# gnumeric does not read cells without names
sub named
{
	my ($rows) = @_;
	my $row = 0;
	return $rows =~ s{<row>(.*?)</row>}{
		my ($cells, $column) = ($1, 'A');
		$row++;
		qq(<row r="$row">) . ($cells =~ s/<c\b/'<c r="' . $column++ . $row . '"'/ger) . '</row>'
	}ger;
}
my @written = workbook(sheets => [ [ encode('UTF-8', 'Änne'), named($every) ],
	[ 'Hidden', named('<sheetData><row><c t="str"><v>' . encode('UTF-8', 'é') x 5000 . '</v></c></row><row><c t="str"><v>'
	. 'long ' x 6000 . '</v></c></row></sheetData>'), 'hidden' ] ],
	styles => '<numFmts>' . join('', map { qq(<numFmt numFmtId="$_->[0]" formatCode="$_->[1]"/>) } [ 164, 'yyyy\-mm\-dd' ],
		[ 165, 'yyyy\-mm\-dd\ hh:mm' ], [ 166, '[h]:mm' ], [ 167, '_-* #,##0.00\ _D_M_-' ], [ 168, '0.0 &quot;mmHg&quot;' ])
		. '</numFmts><cellXfs>' . join('', map { qq(<xf numFmtId="$_"/>) } 0, 164 .. 168) . '</cellXfs>');
is(kind(parse('xlsx', zip(@written))), 'D', 'a workbook with each kind of cell');
for my $age (qw(biff7 biff8))
{
	my $result = parse('xls', shipped("every-$age.xls"));
	is(kind($result), 'D', "$age: it is read") or diag(explain $result->{refused});
	is_deeply([ map { $_->{name} } @{ $result->{sheets} } ], [ 'Änne', 'Hidden' ], "$age: names of sheets");
	is_deeply(cells($result->{sheets}[0]), [ [ ('x') x 4 ], (map { [ $_->[2], '', '', '' ] } @kinds),
		[ '', 'true', '#DIV/0!', 'text' ] ], "$age: each kind of cell") or diag(explain cells($result->{sheets}[0]));
	is($result->{sheets}[1]{hidden}, Cpanel::JSON::XS::true, "$age: a hidden sheet");
	is_deeply($result->{sheets}[1]{rows}, [ [ 'long ' x 6000 ] ], "$age: a text of more than one record")
		if $age eq 'biff8';
}

# ODS
sub ods
{
	my ($tables, %parts) = @_;
	return zip(part('mimetype', 'application/vnd.oasis.opendocument.spreadsheet', method => 0),
		part('META-INF/manifest.xml',
			'<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">' . ($parts{manifest} // '')
			. '</manifest:manifest>'),
		part('content.xml',
			encode('UTF-8', '<office:document-content xmlns:office="o" xmlns:table="t" xmlns:text="x" xmlns:style="s">'
			. '<office:automatic-styles><style:style style:name="ta1" style:family="table"><style:table-properties '
			. 'table:display="false"/></style:style></office:automatic-styles><office:body><office:spreadsheet>'
			. $tables . '</office:spreadsheet></office:body></office:document-content>')));
}
sub cell
{
	my ($type, $attributes, $text) = @_;
	return qq(<table:table-cell office:value-type="$type" $attributes>) . (defined $text ? "<text:p>$text</text:p>" : '')
		. '</table:table-cell>';
}
my $ods = parse('ods', ods('<table:table table:name="One"><table:table-row><table:table-cell/>'
	. join('', map { cell('string', '', $_) } 'b', 'c', 'd') . '</table:table-row>'
	. '<table:table-row>' . cell('float', 'office:value="0.10000000000000001"', '0.1')
		. cell('date', 'office:date-value="2024-05-31"', '31.5.24') . cell('boolean', 'office:boolean-value="true"', 'WAHR')
		. cell('time', 'office:time-value="PT25H03M04S"', '1:3') . '</table:table-row>'
	. '<table:table-row table:number-rows-repeated="2">' . cell('string', 'table:number-columns-repeated="2"',
		'a <text:s text:c="2"/> b<text:line-break/>c<text:span>d</text:span></text:p><office:annotation><text:p>no</text:p>'
		. '</office:annotation><text:p>e') . '<table:table-cell table:number-columns-repeated="1022"/></table:table-row>'
	. '<table:table-row table:number-rows-repeated="1048570"><table:table-cell table:number-columns-repeated="1024"/>'
		. '</table:table-row></table:table><table:table table:name="Two" table:style-name="ta1"/>'));
is(kind($ods), 'D', 'ODS: it is read') or diag(explain $ods);
is_deeply(cells($ods->{sheets}[0]), [ [ '', 'b', 'c', 'd' ], [ '0.1', '2024-05-31', 'true', '25:03:04' ],
	([ "a    b\ncd\ne", "a    b\ncd\ne", '', '' ]) x 2 ], 'ODS: values, repeated cells and rows')
	or diag(explain cells($ods->{sheets}[0]));
is_deeply([ map { $_->{hidden} ? 1 : 0 } @{ $ods->{sheets} } ], [ 0, 1 ], 'ODS: a hidden sheet');
for my $case ([ 'PT01H02M03.5000S', '01:02:03.5' ], [ 'PT90M', '01:30:00' ], [ 'PT00H00M01,25S', '00:00:01.25' ],
	[ 'PT100H00M00S', '100:00:00' ], [ 'soon', 'soon' ], [ 'PT1H2', 'PT1H2' ])
{
	my $time = parse('ods', ods('<table:table><table:table-row>' . cell('string', '', 'x') . '</table:table-row>'
		. '<table:table-row>' . cell('time', qq(office:time-value="$case->[0]"), 'x') . '</table:table-row></table:table>'));
	is_deeply($time->{sheets}[0]{rows}, [ [ $case->[1] ] ], "the time $case->[0]");
}
# an XLS made of records
my $formula_cell = record(0x0006, pack('v3 C v2 x v v V v', 2, 1, 0, 0, 0, 0, 0xFFFF, 0, 0, 0));
my @cells = (text_cell(0, 0, 'a'), text_cell(0, 1, 'b'), text_cell(1, 0, '1'), text_cell(1, 1, '2'),
	text_cell(2, 0, '3'), $formula_cell . record(0x0207, pack('v C', 1, 0) . '4'));
for my $order ([ 'row by row', 0 .. 5 ], [ 'column by column', 0, 2, 4, 1, 3, 5 ], [ 'backwards', reverse 0 .. 5 ])
{
	my ($name, @order) = @$order;
	my $result = parse('xls', xls(join '', @cells[@order]));
	is(kind($result), 'D', "XLS of cells $name") or diag(explain $result);
	is_deeply([ map { cells($_) } @{ $result->{sheets} } ], [ [ [qw(a b)], [qw(1 2)], [qw(3 4)] ] ],
		'each cell is in its place') or diag(explain cells($result->{sheets}[0]));
}

my $errors = parse('ods', ods('<table:table table:name="One"><table:table-row>' . cell('string', '', 'x') x 2
	. '</table:table-row><table:table-row>' . cell('string', 'office:string-value="" calcext:value-type="error"',
	'#DIV/0!') . cell('string', 'calcext:value-type="string"',
	'<text:sheet-name>One</text:sheet-name> of <text:date>today</text:date>') . '</table:table-row></table:table>'
	. '<table:table table:name="\'file:///x.ods\'#$A" table:style-name="ta_extref"><table:table-source/><table:table-row>'
		. cell('float', 'office:value="1"', '1') . '</table:table-row></table:table><table:dde-links><table:dde-link>'
		. '<office:dde-source/><table:table><table:table-row>' . cell('float', 'office:value="1"', '1')
		. '</table:table-row></table:table></table:dde-link></table:dde-links>'));
is(kind($errors), 'D', 'ODS: errors, fields and copies of other workbooks') or diag(explain $errors);
is_deeply([ map { cells($_) } @{ $errors->{sheets} } ], [ [ [qw(x x)], [ '#DIV/0!', 'One of today' ] ] ],
	'errors have their name, fields their text, copies are not sheets');
my $openoffice = parse('ods', zip(part('META-INF/manifest.xml', '<?xml version="1.0"?><!DOCTYPE manifest:manifest '
	. 'PUBLIC "-//OpenOffice.org//DTD Manifest 1.0//EN" "Manifest.dtd"><manifest:manifest/>'), part('content.xml',
	'<c><table:table><table:table-row>' . cell('string', '', 'x') . '</table:table-row></table:table></c>')));
is(kind($openoffice), 'D', 'the manifest of OpenOffice 2, which has a DOCTYPE');
is_refused('ods', zip(part('META-INF/manifest.xml', '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'),
	part('content.xml', '<c/>')), qr/has a DOCTYPE/, 'a DOCTYPE that declares an entity');
is_refused('ods', ods('', manifest => '<manifest:file-entry><manifest:encryption-data/></manifest:file-entry>'),
	'the workbook is encrypted: save it without a password', 'an encrypted ODS');
is_refused('ods', ods(''), 'the file has no sheets: it is another kind of OpenDocument', 'a text document');
is_refused('ods', ods('<table:table table:name="One"><table:table-row table:number-rows-repeated="1048577">'
	. cell('string', '', 'x') . '</table:table-row><table:table-row table:number-rows-repeated="1048576">'
	. cell('string', '', 'x') . '</table:table-row></table:table>'),
	'a sheet of the workbook has more than 1,048,576 rows', 'more rows than a sheet has');

# malicious workbooks
my @sound = workbook(sheets => [ [ 'One', '<sheetData><row><c t="s"><v>0</v></c></row></sheetData>' ] ],
	strings => '<si><t>a</t></si>', styles => $styles);
is(kind(parse('xlsx', zip(@sound))), 'D', 'the workbook that the following ones are made from');
sub without { my ($name) = @_; return grep { $_->{name} ne $name } @sound }
sub instead
{
	my ($name, $bytes, %false) = @_;
	return map { $_->{name} eq $name ? part($name, $bytes, %false) : $_ } @sound;
}
my $sheet = 'xl/worksheets/sheet0.xml';
is_refused('xlsx', '', 'the file is empty', 'no bytes');
is_refused('xlsx', 'a,b', qr/^the file is no workbook/, 'a text');
is_refused('xlsx', 'GIF89a' . zip(@sound), qr/^the file is no workbook/, 'an image followed by a workbook');
is_refused('xlsx', "PK\x03\x04" . 'x' x 1000, "the workbook's archive is damaged or cut off",
	'four bytes of an archive');
is_refused('xlsx', zip(@sound, part($sheet, '<a/>')), "the workbook's archive has two parts of one name",
	'two parts of one name');
is_refused('xlsx', zip(@sound, part(uc $sheet, '<a/>')), "the workbook's archive has two parts of one name",
	'two parts of one name in different letter case');
is_refused('xlsx', zip(@sound, part($_, 'x')), "the workbook's archive has a part with an unsafe name", "a part \"$_\"")
	for '../x', 'a/../../x', '/etc/passwd', 'C:\\x', '..\\x', 'a\\..\\..\\x', '\\x', 'xl/..';
is_refused('xlsx', zip(@sound, map { part("x/$_", '') } 1 .. 2001), "the workbook's archive has more than 2,000 parts",
	'many parts');
is_refused('xlsx', zip(without($_)), qq(the workbook lacks its part "$_"), "without $_") for 'xl/workbook.xml',
	'xl/sharedStrings.xml', $sheet;
is_refused('xlsx', zip(without('xl/_rels/workbook.xml.rels')), 'a sheet of the workbook has no part',
	'without relations');
is(kind(parse('xlsx', zip(without('_rels/.rels')))), 'D', 'without relations of the archive the usual path is used');
is_refused('xlsx', zip(instead($sheet, '<worksheet>' . ' ' x 30_000_000 . '</worksheet>')),
	qr/gets more than 200 times longer when it is unpacked$/, 'a decompression bomb');
is_refused('xlsx', zip(instead($sheet, '<worksheet/>', size => 100)), qr/damaged/, 'a part with a false length');
is_refused('xlsx', zip(instead($sheet, '<worksheet/>', crc => 1)), qr/damaged/, 'a part with a false checksum');
is(kind(parse('xlsx', zip(instead($sheet, '<worksheet/>', local_name => 'xl/worksheets/sheet1.xml')))), 'D',
	'of two names of one part the one in the directory counts');
is(kind(parse('xlsx', zip(instead($sheet, '<worksheet/>', local_version => 45, local_extra => pack 'v2 x16', 1, 16)))),
	'D', 'unused space for ZIP64 lengths, as minizip writes it');
is_refused('xlsx', zip(part('x/0', noise(10_000)), @sound, map { part("x/$_", noise(10_000), place => 0) } 1 .. 100),
	"the workbook's archive is damaged or cut off", 'parts that overlap');
is_refused('xlsx', zip(instead($sheet, '<worksheet/>', method => 12)),
	qr/uses a compression method that is not supported$/, 'an unknown method of compression');
is_refused('xlsx', zip(instead($sheet, '<worksheet/>', flags => 1)),
	'the workbook is encrypted: save it without a password', 'an encrypted part');
is_refused('xlsx', zip(instead($sheet, $_->[1])), $_->[2], $_->[0]) for (
	[ 'a DOCTYPE', '<!DOCTYPE a [<!ENTITY b "c">]><worksheet>&b;</worksheet>',
		qr/has a DOCTYPE, which workbooks have not$/ ],
	[ 'a file as entity', '<!DOCTYPE a SYSTEM "file:///etc/passwd"><worksheet/>', qr/has a DOCTYPE/ ],
	[ 'billions of laughs',
		'<!DOCTYPE a [<!ENTITY b "cccc"><!ENTITY d "&b;&b;&b;&b;&b;&b;&b;">]><worksheet>&d;</worksheet>', qr/has a DOCTYPE/ ],
	[ 'deep XML', '<a>' x 100 . '</a>' x 100, qr/nested too deeply$/ ],
	[ 'an open element', '<worksheet><sheetData>', qr/is not well-formed XML: no element found in line 1$/ ],
	[ 'no XML', 'x', qr/is not well-formed XML/ ],
	[ 'no bytes', '', qr/is not well-formed XML/ ]);
is_refused('xlsx', zip(workbook(sheets => [ map { [ "S$_", '' ] } 1 .. 257 ])), 'the workbook has more than 256 sheets',
	'257 sheets');
is_refused('xlsx', zip(workbook(
	sheets => [ [ 'A', '<sheetData><row>' . join('', map { "<c><v>$_</v></c>" } 1 .. 20_000) . '</row></sheetData>' ] ])),
	qr/^the row of column names, line 1, cannot be read: the row has more than 16,384 columns$/, '20,000 columns');
is_refused('xlsx', zip(part('content.xml', '<a/>')), 'the file is not what its name says: it is an OpenDocument file',
	'ODS as XLSX');
is_refused('ods', zip(@sound), 'the file is not what its name says: it is a workbook of Excel (XLSX)', 'XLSX as ODS');
is_refused('xlsx', zip(@sound, part('xl/workbook.bin', '')),
	'the workbook is a binary one (XLSB): save it as XLSX', 'XLSB');

# containers of old versions of Office
my $container = "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1" . "\0" x 70_000;
my $encrypted = $container . encode('UTF-16LE', 'EncryptedPackage') . "\0" x 100;
is_refused($_, $encrypted, 'the workbook is encrypted: save it without a password', "an encrypted workbook as $_")
	for 'xlsx', 'ods', 'xls';
is_refused('xlsx', $container, 'the file is not what its name says: it is a document of an old Office', 'XLS as XLSX');
is_refused('xls', $container, 'the file is no workbook of Excel 5 to 2003, or is damaged', 'an empty container');
is_refused('xls', zip(@sound), qr/^the file is not what its name says/, 'XLSX as XLS');
is_refused('xls', "a\tb\n1\t2\n", 'the file is no workbook of Excel 5 to 2003, or is damaged', 'a text as XLS');
is_refused('xls', '', 'the file is empty', 'no bytes as XLS');

# files cut off at each hundredth, and mutations: 60 of each format by default, a third of CATALOGUE_MUTANTS
my %sources = (xlsx => zip(@sound), map { $_ => shipped("latin.$_") } qw(ods xls));
srand 7;
for my $form (sort keys %sources)
{
	my $bytes = $sources{$form};
	my %ends;
	$ends{ kind(parse($form, substr $bytes, 0, int($_ * length($bytes) / 100))) }++ for 0 .. 99;
	# the end of an XLS may be in streams that are not read
	my $allowed = $form eq 'xls' ? qr/^[DX]$/ : qr/^X$/;
	is_deeply([ grep { $_ !~ $allowed } keys %ends ], [], "$form cut off at each hundredth: " . join ', ',
		map { "$_ $ends{$_}" } sort keys %ends);
	%ends = ();
	for (1 .. ($ENV{CATALOGUE_MUTANTS} || 180) / 3)
	{
		my $mutant = $bytes;
		substr($mutant, int rand length $mutant, 1) = chr int rand 256 for 0 .. int rand 8;
		$ends{ eval { kind(parse($form, $mutant)) } // "fault $@" }++;
	}
	$allowed = qr/^[DX]$/;
	is_deeply([ grep { $_ !~ $allowed } keys %ends ], [], "$form, mutants: " . join ', ',
		map { "$_ $ends{$_}" } sort keys %ends);
}

# mutations of the XML of parts, which mutations of the archive do not reach because of its checksums
my %parts = map { $_->[0] => $_->[1] } (
	[ $sheet, '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData><row r="1" '
		. 'spans="1:2"><c r="A1" s="1" t="s"><v>0</v></c><c r="B1" t="inlineStr"><is><t>x</t></is></c></row><row r="2"><c '
		. 'r="A2" s="2"><f>A1</f><v>1.5</v></c><c t="b"><v>1</v></c></row></sheetData></worksheet>' ],
	[ 'xl/sharedStrings.xml', '<sst count="1"><si><t xml:space="preserve">a</t></si><si><r><rPr/><t>b</t></r><rPh '
		. 'sb="0"><t>c</t></rPh></si></sst>' ],
	[ 'xl/styles.xml', $styles =~ s/^/<styleSheet>/r . '</styleSheet>' ],
	[ 'xl/workbook.xml', '<workbook xmlns:r="x"><workbookPr date1904="0"/><sheets><sheet name="A" sheetId="1" '
		. 'state="hidden" r:id="s0"/></sheets></workbook>' ]);
my %ends;
for my $name (sort keys %parts)
{
	for (1 .. ($ENV{CATALOGUE_MUTANTS} || 120) / 4)
	{
		my $mutant = $parts{$name};
		for (0 .. rand 4)
		{
			my $place = int rand length $mutant;
			my $what = int rand 3;
			if ($what == 0) { substr($mutant, $place, 1) = ('0', '9', 'A', '"', '<', '>', ' ', '-', 'Z')[ int rand 9 ] }
			elsif ($what == 1) { substr($mutant, $place, int rand 12) = '' }
			else { substr($mutant, $place, 0) = substr $mutant, int rand length $mutant, int rand 40 }
		}
		$ends{ eval { kind(parse('xlsx', zip(instead($name, $mutant)))) } // "fault $@" }++;
	}
}
is_deeply([ grep { !/^[DX]$/ } keys %ends ], [], 'mutants of XML: ' . join ', ',
	map { "$_ $ends{$_}" } sort keys %ends);

# tests that need much memory come last, since starting a process copies this one
{
	local $Catalogue::Parser::light = 1;
	my $row = cell('string', '', noise(900_000)) . '</table:table-row>';
	my $large = 'the cells hold more than 200 times the bytes of the file';
	is_refused('ods', ods('<table:table table:name="One">'
		. qq(<table:table-row table:number-rows-repeated="100">$row) x 24 . '</table:table>'),
		'the cells hold more than 2 GB', 'the workbook has more than 2 GB in repeated rows');
	is_refused('ods',
		ods(qq(<table:table table:name="One"><table:table-row table:number-rows-repeated="1000">$row</table:table>)), $large,
		'a long row is repeated often');
	is_refused('ods', ods('<table:table table:name="One"><table:table-row table:number-rows-repeated="17000">'
		. cell('string', 'table:number-columns-repeated="1024"', '') . '</table:table-row></table:table>'), $large,
		'empty cells in each column of many rows');
	is_refused('xlsx', zip(instead('xl/sharedStrings.xml', '<sst>' . ('<si><t>' . noise(100_000) . '</t></si>') x 1200
		. '</sst>', method => 0)), 'the workbook has more than 112 MB of different texts', 'too much shared text');
	my $repeated = sub {
		my ($text, $rows) = @_;
		return zip(workbook(sheets => [ [ 'A',
			'<sheetData>' . '<row><c t="s"><v>0</v></c></row>' x $rows . '</sheetData>' ] ], strings => "<si><t>$text</t></si>"))
	};
	is_refused('xlsx', $repeated->(noise(900_000), 3000), $large, 'a long text in each cell');
	is_refused('xlsx', $repeated->('x' x 900_000, 19), $large, 'a small workbook of 17 MB');
	is(kind(parse('xlsx', $repeated->('x' x 900_000, 18))), 'D', 'one of 16 MB is read');
}
my $fat = sheet('<row r="1"><c><v>1</v></c></row><row r="2"><c t="str"><v>' . noise(1_100_000)
	. '</v></c></row><row r="3"><c t="str"><v>' . noise(5_000_000) . '</v></c></row><row r="4"><c><v>4</v></c></row>',
	'cells that are too long', );
is_deeply([ $fat->{rows}, $fat->{badRows} ], [ [ [4] ], 2 ], 'rows with cells that are too long are left out');

# rows that are not in the order of their numbers are put in order as far as memory goes
sub numbered
{
	my ($text, @numbers) = @_;
	return [ 'One', '<sheetData>' . join('', map { qq(<row r="$_"><c r="A$_" t="str"><v>$text$_</v></c></row>) } @numbers)
		. '</sheetData>' ];
}
my $over  = parse('xlsx',
	zip(workbook(sheets => [ numbered(noise(40_000) =~ tr/0-9/a-j/r, 1, 500, 3 .. 499, 2) ])))->{sheets}[0];
my @order = map { $_->[0] =~ s/\D//gr } @{ cells($over) };
is_deeply([ @order[ 0 .. 399, -1 ] ], [ 1, 3 .. 401, 2 ],
	'in a sheet of over 16 MiB those at its beginning are put in order') or diag("@order");
is_deeply([ map { "$_->{line}: $_->{reason}" } @{ $over->{issues} }[-1] ],
	['2: the row stands in the workbook after a row of the same or a greater number'], 'and the others are told');

done_testing();
