#!/usr/bin/perl
# Unusual files that can still be read: parts of workbooks in other places, one damaged part, titles that are longer
# than names, line ends in cells.  The child process is tested alone.

use strict;
use warnings;
use utf8;

use Encode qw(encode);
use Test::More;
use Catalogue::Biff qw(container);
use Catalogue::Parser qw(cells kind parse part workbook zip);

# Read a workbook; return the cells of all its sheets.
sub read_book
{
	my ($what, @parts) = @_;
	my $result = parse('xlsx', zip(@parts));
	is(kind($result), 'D', "$what: it is read") or diag(explain $result->{refused});
	return map { cells($_) } @{ $result->{sheets} };
}

# The cells of all sheets with what was lost of each and its issues.
sub fates
{
	my ($result) = @_;
	return [ kind($result), map {
		[ cells($_), $_->{details}{lost}, map { "$_->{line}: $_->{reason}" } @{ $_->{issues} } ] } @{ $result->{sheets} } ];
}

my $rows = '<sheetData><row r="1"><c t="s"><v>0</v></c></row><row r="2"><c s="1"><v>45443</v></c></row></sheetData>';
my %book = (sheets => [ [ 'One', $rows ] ], strings => '<si><t>day</t></si>',
	styles => '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs>');
my $expected = [ [ ['day'], ['2024-05-31'] ] ];
my @usual = workbook(%book);
is_deeply([ read_book('the usual workbook', @usual) ], $expected, 'the cells of the usual workbook');

# Change the names of parts, and texts in them.
sub changed
{
	my ($name, $text, %book) = @_;
	require Compress::Raw::Zlib;
	my @parts;
	for my $part (workbook(%book))
	{
		my $inflate = Compress::Raw::Zlib::Inflate->new(-WindowBits => -15);
		my $packed = $part->{packed};
		$inflate->inflate(\$packed, my $bytes);
		push @parts, part($name->($part->{name}), $text->($bytes, $part->{name}));
	}
	return @parts;
}
sub same { return $_[0] }

# escapes of characters, in shared strings and in cells
my $escapes = '_x0041__x005F_x0042__x00F1_ _xD83D__xDE00_ _xD83D_ _xDE00_ _x000d_ _xZZZZ_ _x0000_ x_x41_';
my $decoded = "A_x0042_ñ 😀 \x{FFFD} \x{FFFD} \r _xZZZZ_ _x0000_ x_x41_";
is_deeply([ read_book('escapes',
	workbook(sheets => [ [ 'One', qq(<sheetData><row r="1"><c t="s"><v>0</v></c></row><row r="2"><c )
	. qq(t="inlineStr"><is><t>$escapes</t></is></c></row></sheetData>) ] ], strings => "<si><t>$escapes</t></si>")) ],
	[ [ [$decoded], [$decoded] ] ], 'escapes of characters are decoded');

# rows that are not in the order of their numbers are put in order: the names of the columns, too, and what is skipped
sub numbered
{
	my ($text, @numbers) = @_;
	return [ 'One', '<sheetData>' . join('', map { qq(<row r="$_"><c r="A$_" t="str"><v>$text$_</v></c></row>) } @numbers)
		. '</sheetData>' ];
}
sub issues { my ($sheet) = @_; return [ map { "$_->{line}: $_->{reason}" } @{ $sheet->{issues} } ] }
my $after = '2: the row stands in the workbook after a row of the same or a greater number';
my ($mixed, $other) =
	@{ parse('xlsx', zip(workbook(sheets => [ numbered('n', 3, 2, 4, 1), [ 'Two', '<sheetData><row r="2"><c><v>2</v></c>'
	. '</row><row r="1"><c t="e"><v>x_x0041_</v></c><c r="A1"><v>7</v></c></row></sheetData>' ] ])))->{sheets} };
is_deeply([ cells($mixed), issues($mixed) ], [ [ map { ["n$_"] } 1 .. 4 ], [] ],
	'rows that are out of order are put in order');
is_deeply([ cells($other), issues($other) ],
	[ [ ['xA'], [2] ], ['1: a cell is there twice and only the first of them was taken'] ], 'their issues stay with them');
my $skipped =
	parse('xlsx', zip(workbook(sheets => [ numbered('n', 3, 2, 4, 1) ])), '--header', 'first', '--skip', 1)->{sheets}[0];
is_deeply(cells($skipped), [ ['n2'], ['n3'], ['n4'] ], 'the row that is skipped is the first by its number');
my $double = parse('xlsx', zip(workbook(sheets => [ numbered('n', 3, 2, 2, 1) ])))->{sheets}[0];
is_deeply([ cells($double), issues($double) ], [ [ map { ["n$_"] } 1, 2, 2, 3 ], [$after] ],
	'two rows of one number are both there, and told');

# the paths of parts
my $types = sub {
	my ($folder, @more) = @_;
	return '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" '
		. 'ContentType="application/xml"/>' . join('', map { qq(<Override PartName="$folder/$_->[0]" )
		. qq(ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.$_->[1]+xml"/>) } @more) . '</Types>'
};
is_deeply([ read_book('parts in a folder of another name', changed(sub { $_[0] =~ s{^xl/}{office/}r
	=~ s{workbook}{main}gr }, sub { $_[0] =~ s{"/?xl/}{"/office/}gr =~ s{office/workbook}{office/main}gr }, %book)) ],
	$expected, 'parts in another folder are found by relations');
is_deeply([ read_book('parts with backslashes', changed(sub { $_[0] =~ tr{/}{\\}r }, \&same, %book)) ], $expected,
	'parts with backslashes are found');
is_deeply([ read_book('relations with backslashes',
	changed(\&same, sub { $_[0] =~ s{Target="([^"]*)"}{'Target="' . ($1 =~ tr{/}{\\}r) . '"'}ger }, %book)) ], $expected,
	'relations with backslashes are followed');
is_deeply([ read_book('parts in other letters', changed(sub { uc $_[0] }, \&same, %book)) ], $expected,
	'parts in other letter case are found');
is_deeply([ read_book('relations in other letters',
	changed(\&same, sub { $_[0] =~ s{Target="([^"]*)"}{'Target="' . uc($1) . '"'}ger }, %book)) ], $expected,
	'relations in other letter case are followed');
is_deeply([ read_book('a workbook without relations of the archive', grep { $_->{name} !~ m{^_rels|Types} } @usual,
	part('[Content_Types].xml', $types->('', [ 'xl/workbook.xml', 'sheet.main' ]))) ], $expected,
	'a workbook without relations is found by its content type');
is_deeply([ read_book('a workbook without relations in another folder', map { $_->{name} =~ /Types/
	? part('[Content_Types].xml', $types->('/a', [ 'book.xml', 'sheet.main' ])) : $_ } grep { $_->{name}
	!~ /^_rels/ } changed(sub { $_[0] =~ s{^xl/}{a/}r =~ s{workbook}{book}gr }, sub { $_[0] =~ s{/xl/}{/a/}gr }, %book)) ],
	$expected, 'a workbook in another folder is found by its content type');
is_deeply([ read_book('texts and styles without a relation', map { $_->{name} =~ /Types/ ? part('[Content_Types].xml',
	$types->('/xl', [ 'sharedStrings.xml', 'sharedStrings' ], [ 'styles.xml', 'styles' ])) : $_ }
	changed(\&same, sub { $_[0] =~ s{<Relationship [^>]*(?:sharedStrings|styles)"[^>]*/>}{}gr }, %book)) ], $expected,
		'texts and styles are found by their content types');
my $slashes = parse('xlsx', zip(@usual, part('xl\\workbook.xml', '<a/>')));
is($slashes->{refused}, "the workbook's archive has two parts of one name",
	'two names that differ in their slashes are equal');

# a damaged part affects only its sheet
my @two = (sheets => [ [ 'One', '<sheetData><row r="1"><c><v>1</v></c></row></sheetData>' ], [ 'Two',
	'<sheetData><row r="1"><c t="inlineStr"><is><t>a</t></is></c></row><row r="2"><c><v>2</v></c></row></sheetData>' ] ]);
my $kept = [ [ ['a'], [2] ], undef ];
sub with_sheet
{
	my ($xml) = @_;
	return zip(map { $_->{name} =~ /sheet0/ ? part($_->{name}, $xml) : $_ } workbook(@two));
}
my $lacks = 'the workbook lacks its part "xl/worksheets/sheet0.xml"';
is_deeply(fates(parse('xlsx', zip(grep { $_->{name} !~ /sheet0/ } workbook(@two)))),
	[ 'D', [ [ [] ], 'all', "1: $lacks; the sheet was left out" ], $kept ], 'a sheet without its part');
is_deeply(fates(parse('xlsx', zip(changed(\&same, sub { $_[0] =~ s{r:id="s0"}{r:id="none"}r }, @two)))),
	[ 'D', [ [ [] ], 'all', '1: a sheet of the workbook has no part; the sheet was left out' ], $kept ],
	'a sheet without a relation');
is_deeply(fates(parse('xlsx', zip(changed(\&same, sub { $_[0] =~ s{ r:id="s0"}{}r }, @two)))),
	[ 'D', [ [ [] ], 'all', '1: a sheet of the workbook has no part; the sheet was left out' ], $kept ],
	'a sheet that names no relation');
my $cut = fates(parse('xlsx', with_sheet(
	'<worksheet><sheetData><row r="1"><c><v>1</v></c></row><row r="2"><c><v>2</v></c></row><row r="3"><c></row>')));
is_deeply($cut, [ 'D', [ [ [1], [2] ], 'rows', '4: part "xl/worksheets/sheet0.xml" of the workbook is not well-formed '
	. 'XML: mismatched tag in line 1; the rows from here on were left out' ], $kept ],
	'a sheet that is broken in the middle') or diag(explain $cut);
is_deeply(fates(parse('xlsx', with_sheet('<worksheet><sheetData><row r="5">' . '<c><v>1</v></c>' x 16385
	. '</row><row r="6"><c><v>2</v></c></row></sheetData></worksheet>'))),
	[ 'D', [ [ [] ], 'all', '5: the row of column names, line 5, cannot be read: the row has more than 16,384 columns; '
		. 'the sheet was left out' ], $kept ], 'a row of titles over the limit');
is_deeply(fates(parse('xlsx', with_sheet('<!DOCTYPE a [<!ENTITY b "c">]><worksheet/>')))->[1][1], 'all', 'a DOCTYPE');
is(parse('xlsx', zip(grep { $_->{name} !~ /sheet\d/ } workbook(@two)))->{refused}, $lacks,
	'when no sheet can be read the reason is that of the first');
my @textless = (sheets => [ @{ $two[1] }[1],
	[ 'Shared', '<sheetData><row r="1"><c t="s"><v>0</v></c></row><row r="2"><c t="s"><v>1</v></c></row></sheetData>' ] ]);
my $texts = 'the workbook lacks the shared strings that its cells refer to';
is_deeply(fates(parse('xlsx', zip(workbook(@textless)))), [ 'D', $kept,
	[ [ [] ], 'all', "1: $texts; the sheet was left out" ] ], 'no shared texts, and a sheet that refers to some');
is_deeply(fates(parse('xlsx', zip(grep { $_->{name} !~ /sharedStrings/ } workbook(@textless, strings => ''))))->[2][1],
	'all', 'shared texts whose part is missing');
is(parse('xlsx', zip(workbook(sheets => [ $textless[1][1] ])))->{refused}, $texts,
	'a workbook whose shared texts are all missing cannot be read');
is(parse('xlsx', zip(workbook(sheets => [ $textless[1][1] ], strings => '')))->{refused}, $texts,
	'a workbook without a part for shared texts cannot be read');
my $undated = parse('xlsx', zip(grep { $_->{name} !~ /styles/ } @usual));
is_deeply(fates($undated), [ 'D', [ [ ['day'], [45443] ], undef,
	'1: the workbook lacks its part "xl/styles.xml"; dates are shown as the numbers that they are' ] ],
	'without styles dates are numbers');
is_deeply(fates(parse('xlsx', zip(
	map { $_->{name} =~ /styles/ ? part($_->{name}, '<styleSheet><cellXfs><xf numFmtId="14"/>') : $_ } @usual)))->[1][0],
	[ ['day'], [45443] ], 'damaged styles are ignored');
is(parse('csv', join(',', 1 .. 16385) . "\n1\n")->{refused},
	'the row of column names, line 1, cannot be read: the row has more than 16,384 columns',
	'a text file cannot leave out its only sheet');
my $ods = parse('ods', zip(part('content.xml', '<c xmlns:t="t" xmlns:o="o"><t:table t:name="A"><t:table-row>'
	. '<t:table-cell o:value-type="string"><p>x</p></t:table-cell>' x 16385
	. '</t:table-row><t:table-row><t:table-cell o:value-type="string"><p>y</p></t:table-cell></t:table-row></t:table>'
	. '<t:table t:name="B"><t:table-row><t:table-cell '
		. 'o:value-type="string"><p>z</p></t:table-cell></t:table-row></t:table></c>')));
is_deeply([ map { [ cells($_), $_->{details}{lost} ] } @{ $ods->{sheets} } ], [ [ [ [] ], 'all' ],
	[ [ ['z'] ], undef ] ], 'ODS: a row of titles over the limit loses its sheet') or diag(explain $ods);

# titles are kept, names are their beginning, and names that are cut are reported
my $long = 'Erhebungsmerkmal nach Gemeinden, ' x 30;
my $quoted =
	parse('csv', encode('UTF-8', qq("$long",short,) . 'é' x 60 . ',' . 'é' x 61 . qq(,"$long"\n1,2,3,4,5\n)))->{sheets}[0];
is_deeply([ map { $_->{title} } @{ $quoted->{columns} } ], [ $long, 'short', 'é' x 60, 'é' x 61, $long ],
	'titles are complete');
my @names = map { $_->{name} } @{ $quoted->{columns} };
my $name = substr($long, 0, 120) =~ s/ +$//r;
is_deeply(\@names, [ $name, 'short', 'é' x 60, 'é' x 60 . '_2', "${name}_2" ],
	'names are the first 120 bytes of the titles');
is_deeply($quoted->{issues},
	[ map { { line => 1, reason => qq(column $_->[0] is called by the beginning of its title, "$_->[1]") } } [ 1, $name ],
	[ 4, 'é' x 60 ], [ 5, $name ] ], 'each name that was cut is reported, and no other');
is_deeply(parse('csv', 'a' x 120 . " \n1\n")->{sheets}[0]{issues}, [], 'spaces after a name are not reported');
my $huge = parse('csv',
	join(',', map { "$_" . "\x01" x 15_000 } 1 .. 60) . "\n" . join(',', 1 .. 60) . "\n")->{sheets}[0];
is_deeply([ $huge->{rows}, (grep { /too long together/ } map { $_->{reason} } @{ $huge->{issues} }) ],
	[ [ [ 1 .. 60 ] ], 'the titles of the columns are too long together and are cut' ],
	'titles that do not fit into a frame are cut and reported');

# cells that are empty, beyond the titles, make no column; each row is still told by the number of its cells
my @empty = (
	[ "a,b\n1,2,,\n3,4,,\n",      'a b',          [ [ 1, 2 ], [ 3, 4 ] ],
		'the row has 4 cells, the row of column names 2' ],
	[ "a,b,,\n1,2,,\n3,4,,\n",    'a b',          [ [ 1, 2 ], [ 3, 4 ] ] ],
	[ "a,b,,\n1,2,,5\n3,4,,\n",   'a b column column_2', [ [ 1, 2, '', 5 ], [ 3, 4, '', '' ] ] ],
	[ "a,b\n1,2\n3,4,,\n5,6,7\n", 'a b column',  [ [ 1, 2, undef ], [ 3, 4, '' ], [ 5, 6, 7 ] ],
		'the row has 4 cells, the row of column names 2' ],
	[ ",\n,\n",                   'column column_2', undef ],
);
for my $case (@empty)
{
	my ($text, $names, $rows, $told) = @$case;
	my $result = parse('csv', $text)->{sheets}[0];
	my $what = $text =~ s/\n/ /gr;
	is(join(' ', map { $_->{name} } @{ $result->{columns} }), $names, "$what: the columns") if $rows;
	is_deeply([ map { [ splice @{ [@$_] }, 0, scalar @{ $result->{columns} } ] } @{ $result->{rows} } ], $rows,
		"$what: the rows") if $rows;
	is($result->{issues}[0]{reason}, $told, "$what: the issue") if $told;
	is(scalar @{ $result->{columns} } <= 2, 1, "$what: no more columns than cells") if !$rows;
}

# line ends in cells: line feeds in XML, and carriage returns that are escaped
sub inline
{
	my ($text) = @_;
	my ($sheet) = read_book('line ends', workbook(sheets => [
		[ 'A', qq(<sheetData><row><c t="inlineStr"><is><t xml:space="preserve">$text</t></is></c></row></sheetData>) ] ]));
	return $sheet->[0][0];
}
is(inline("a\r\nb"), "a\nb", 'CR LF in the XML is LF');
is(inline('a&#13;&#10;b'), "a\r\nb", 'CR LF as references is CR LF');
is(inline('a_x000D__x000A_b'), "a\r\nb", 'CR LF as OOXML escapes it is CR LF');
is(inline("a_x000D_\nb"), "a\r\nb", 'CR LF as Excel writes it is CR LF');

# workbooks with a password
my $locked = 'the workbook is encrypted: save it without a password';
is(parse($_, container(EncryptionInfo => 'x' x 100, EncryptedPackage => 'x' x 5000))->{refused}, $locked,
	"XLSX with a password, as $_") for qw(xlsx xls ods);
is(parse('ods', zip(part('META-INF/manifest.xml', '<m><encryption-data/></m>'),
	part('encrypted-package', 'x')))->{refused}, $locked, 'an ODS whose parts are encrypted together');

done_testing();
