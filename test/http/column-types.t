#!/usr/bin/perl
# Types of columns in tables as people publish them: cells that stand for no value, dates in another order, and what is
# told of columns that are nearly of numbers or dates.

use strict;
use warnings;
use utf8;

use Cpanel::JSON::XS ();
use Encode qw(encode);
use Test::More;
use Catalogue::Parser qw(parse kind workbook zip);
use Catalogue::Program qw(slurp);
use Catalogue::Test;
use Catalogue::Upload;
use Catalogue::Worker;

binmode Test::More->builder->$_, ':encoding(UTF-8)' for qw(output failure_output);

# Read a column of cells beside a key; return its profile, and the issues of the sheet.
sub column
{
	my ($cells, @options) = @_;
	my $result = parse('csv', encode('UTF-8', "k;v\n" . join('', map { "k;$_\n" } @$cells)), @options);
	is(kind($result), 'D', "@$cells[0 .. ($#$cells > 3 ? 3 : $#$cells)]: read")
		or diag($result->{refused} // "signal $result->{signal}, status $result->{status}");
	return ($result->{sheets}[0]{columns}[1], $result->{sheets}[0]{issues});
}

# each usual mark, in its own letters and in others, makes no column of numbers a text
my ($list) = slurp('extension/rows/sheets/marks.h') =~ /missing_marks\[\] = \{(.*?)\};/s;
utf8::decode($list);
my @marks = $list =~ /"([^"]+)"/g;
cmp_ok(scalar @marks, '>', 50, 'the list of marks is found');
push @marks, map { tr/a-zA-Z/A-Za-z/r } @marks;
my $all = parse('csv', encode('UTF-8', join '', map { join(';', @$_) . "\n" }
	[ map {"c$_"} 0 .. $#marks ], [ (1) x @marks ], \@marks, [ (2) x @marks ], [ (3) x @marks ]));
is(kind($all), 'D', 'a column for each mark: read');
for (0 .. $#marks)
{
	my ($mark, $column) = ($marks[$_], $all->{sheets}[0]{columns}[$_]);
	is($column->{type}, 'integer', "\"$mark\" is in a column of integers");
	is_deeply([ @$column{qw(min max nulls distinct marks)} ], [ 1, 3, 0, 3, { $mark => 1 } ],
		"\"$mark\" stands for no value");
}
my @kinds = (
	[ [ '1.5', 'NA', '2' ],                 'decimal',  { NA => 1 } ],
	[ [ '1,5', 'n/d', '2,25' ],             'decimal',  { 'n/d' => 1 } ],
	[ [ 'true', '-', 'false' ],             'boolean',  { '-' => 1 } ],
	[ [ '2020-01-31', '..', '2020-02-29' ], 'date',     { '..' => 1 } ],
	[ [ '31/12/2020', 's/d', '1/2/2021' ],  'date',     { 's/d' => 1 } ],
	[ [ '2020-01-31 10:00', '#N/A', '2020-02-29 11:00' ], 'datetime', { '#N/A' => 1 } ],
	[ [ 'NA', 'NA', '1', '2' ],             'integer',  { NA => 2 } ],
	[ [ 'NA', 'na', 'NA', '1', '2', '3' ],  'integer',  { NA => 2, na => 1 } ],
	[ [ 'NA', 'NA', '1' ],                  'text',     undef ],
	[ [ 'x', '', 'x' ],                     'text',     undef ],
	[ [ 'NA', 'a', '1' ],                   'text',     undef ],
	[ [ ' NA', '1', '2' ],                  'integer',  { ' NA' => 1 } ],
	[ [ "\x{A0}", '1', '  ', '  ', '  ' ],  'integer',  { "\x{A0}" => 1, '  ' => 3 } ],
	[ [ '007', 'NA', '8' ],                 'text',     undef ],
);
for my $case (@kinds)
{
	my ($cells, $type, $counts) = @$case;
	my ($column) = column($cells);
	is_deeply([ @$column{qw(type marks)} ], [ $type, $counts ], "@$cells: the type, and the marks");
}
my ($many) = column([ 1 .. 5000, ('NA') x 5000 ]);
is_deeply([ @$many{qw(type marks nulls)} ], [ 'integer', { NA => 5000 }, 0 ], 'half of the cells may be marks');
($many) = column([ 1 .. 5000, ('NA') x 5001 ]);
is($many->{type}, 'text', 'more than half may not');
my @letters = map { join '', map { [ lc, uc ]->[ rand 2 ] } split // } ('not available') x 60;
($many) = column([ 1 .. 100, @letters ]);
is($many->{type}, 'text', 'more than 20 different marks are kept by no column');

# marks that parseOptions names: in place of the usual ones, also numbers, and however many
my ($column, $issues) = column([ 1, -99, 'no sé', 2 ], '--missing', encode('UTF-8', "-99\nno sé"));
is_deeply([ @$column{qw(type min marks)} ], [ 'integer', 1, { -99 => 1, 'no sé' => 1 } ], 'the marks that are said');
is_deeply($issues, [], 'there are no issues');
($column) = column([ -99, -99, -99, 2 ], '--missing', '-99');
is_deeply([ @$column{qw(type min max)} ], [ 'integer', 2, 2 ], 'they may be most of the cells');
($column) = column([ 1, 'NA', 2 ], '--missing', '-99');
is($column->{type}, 'text', 'the usual ones are none then');
($column) = column([ 1, 'NA', 2, 3, 4, 5 ], '--missing', '');
is($column->{type}, 'text', 'none are said');
is(kind(eval { parse('csv', "a\n", '--missing', 'x' x 5000) } // { status => 1, signal => 0 }),
	kind({ status => 1, signal => 0 }), 'too many marks are refused');

# dates in an order that is said
my @dates = (
	[ 'DMY', [ '1/2/2020', '3/4/2021' ], 'date', '%d/%m/%Y', '2020-02-01', '2021-04-03' ],
	[ 'MDY', [ '1/2/2020', '3/4/2021' ], 'date', '%m/%d/%Y', '2020-01-02', '2021-03-04' ],
	[ 'DMY', [ '1/2/20', '3/4/71' ],     'date', '%d/%m/%y', '1971-04-03', '2020-02-01' ],
	[ 'MDY', [ '1.2.20', '3.4.69' ],     'date', '%m.%d.%y', '2020-01-02', '2069-03-04' ],
	[ 'YMD', [ '20-01-02', '71-04-03' ], 'date', '%y-%m-%d', '1971-04-03', '2020-01-02' ],
	[ 'YMD', [ '2020/1/2', '2021/4/3' ], 'date', '%Y/%m/%d', '2020-01-02', '2021-04-03' ],
	[ 'DMY', [ '2020-01-02', '2021-04-03' ], 'date', undef, '2020-01-02', '2021-04-03' ],
	[ 'DMY', [ '1/2/20 10:30', '3/4/21 11:00' ], 'datetime', '%d/%m/%y', '2020-02-01T10:30:00', '2021-04-03T11:00:00' ],
	[ 'MDY', [ '31/12/2020', '1/2/2021' ],   'text', undef,  '1/2/2021', '31/12/2020' ],
	[ 'DMY', [ '1/2/20', '3/4/2021' ],       'text', undef,  '1/2/20', '3/4/2021' ],
);
for my $case (@dates)
{
	my ($order, $cells, @expected) = @$case;
	my ($column) = column($cells, '--dates', $order);
	is_deeply([ @$column{qw(type format min max)} ], \@expected, "$order: @$cells");
}
for my $bad (qw(dmy YDM D), '')
{
	is(kind(eval { parse('csv', "a\n", '--dates', $bad) } // { status => 1, signal => 0 }),
		kind({ status => 1, signal => 0 }), "--dates '$bad' is refused");
}

# numbers as people write them: signs between thousands, a unit, blanks around; their range, and how they are written
my $space = "\x{202F}";
my @numbers = (
	[ [ '1 234', '12', '1 234 567' ],       'integer', '12', '1 234 567', thousands => ' ' ],
	[ [ "1\x{A0}234,5", '-2', '999,75' ],   'decimal', '-2', "1\x{A0}234,5", decimalComma => 1, thousands => "\x{A0}" ],
	[ [ "12${space}345", "1${space}000" ],  'integer', "1${space}000", "12${space}345", thousands => $space ],
	[ [ "1\x{2009}000", '1 001' ],          'integer', "1\x{2009}000", '1 001', thousands => "\x{2009}" ],
	[ [ "1'234.5", '6' ],                   'decimal', '6', "1'234.5", thousands => "'" ],
	[ [ "1\x{2019}234", '6' ],              'integer', '6', "1\x{2019}234", thousands => "\x{2019}" ],
	[ [ '1.234,5', '6' ],                   'decimal', '6', '1.234,5', decimalComma => 1, thousands => '.' ],
	[ [ '1.234', '5,5' ],                   'decimal', '5,5', '1.234', decimalComma => 1, thousands => '.' ],
	[ [ '1.234.567', '8' ],                 'integer', '8', '1.234.567', decimalComma => 1, thousands => '.' ],
	[ [ '1,234.5', '1234' ],                'decimal', '1234', '1,234.5', thousands => ',' ],
	[ [ '12,34,567', '1,234', '12' ],       'integer', '12', '12,34,567', thousands => ',' ],
	[ [ '1,23,456.5', '-1,00,00,000' ],     'decimal', '-1,00,00,000', '1,23,456.5', thousands => ',' ],
	[ [ '1,234', '5.5' ],                   'decimal', '5.5', '1,234', thousands => ',' ],
	[ [ '1,234', '5,5' ],                   'decimal', '1,234', '5,5', decimalComma => 1 ],
	[ [ '0,123', '1,234' ],                 'decimal', '0,123', '1,234', decimalComma => 1 ],
	[ [ ' 12', '5 ', "\x{A0}-7 " ],         'integer', '-7', '12' ],
	[ [ '+5', '6' ],                        'integer', '+5', '6' ],
	[ [ "\x{2212}5,5", '6' ],               'decimal', "\x{2212}5,5", '6', decimalComma => 1 ],
	[ [ '12 %', "3\x{A0}%", '-4%' ],        'integer', '-4%', '12 %', unit => '%' ],
	[ [ ',5 %', '2,25 %' ],                 'decimal', ',5 %', '2,25 %', unit => '%', decimalComma => 1 ],
	[ [ '€ 5', '-€7', '€ -9', '€1,234.50' ], 'decimal', '€ -9', '€1,234.50', unit => '€', thousands => ',' ],
	[ [ '5 €', '1.234,50€' ], 'decimal', '5 €', '1.234,50€', unit => '€', thousands => '.', decimalComma => 1 ],
	[ [ 'R$ 5', 'R$ 7' ],                   'integer', 'R$ 5', 'R$ 7', unit => 'R$' ],
	[ [ 'EUR 5', '7 EUR' ],                 'integer', 'EUR 5', '7 EUR', unit => 'EUR' ],
	[ [ 'true ', ' FALSE' ],                'boolean', 'false', 'true' ],
	[ [ ' 2020-01-02', '2020-01-03 ' ],     'date',    '2020-01-02', '2020-01-03' ],
	[ [ '5 %', 'NA', '7 %' ],               'integer', '5 %', '7 %', unit => '%', marks => { NA => 1 } ],
	# no numbers: groups that are none, several signs between thousands, codes, two units, other letters
	( map { my @cells = split /\|/; [ \@cells, 'text' ] } '1 23|5', '12 34 567|5', '1234 567|5', '1,23,45|1.5',
		'123,45,678|1.5', '1,234,56,789|1.5', '1.23.456|1,5', '1,234.567.890|1', '01 234|5', '0 123|5', '007 %|5 %',
		'1 234|5,678.5', '5 %|6', '$5|€6', 'EUR 5|USD 6', '5 EURO|6 EURO', 'ABC 5|ABC 6',
		'<5|6', '5*|6', '1.234.5|6', '%|5 %', '€|€ 5', '--5|6', '- |a', '1 234 |y', '1e5 %|6 %',
		'9 223 372 036 854 775 808|1', '€ 5 €|€ 6 €', '-€-5|€6', '+€-5|€6' ),
);
for my $case (@numbers)
{
	my ($cells, $type, $least, $greatest, %form) = @$case;
	my ($column) = column($cells);
	$form{decimalComma} = Cpanel::JSON::XS::true if $form{decimalComma};
	is($column->{type}, $type, "@$cells: the type");
	is_deeply({ %$column{qw(min max)}, map { exists $column->{$_} ? ($_ => $column->{$_}) : () }
		qw(decimalComma thousands unit marks) }, { min => $least, max => $greatest, %form }, "@$cells: the range, the form")
		if $type ne 'text';
	is(join(' ', grep { exists $column->{$_} } qw(decimalComma thousands unit)), '', "@$cells: a text has no form")
		if $type eq 'text';
}

# what a comma means is told by other columns, if they are of one mind, or by options
sub columns { return map { "$_->{type} " . ($_->{thousands} // '') . ($_->{decimalComma} ? 'c' : '') }
	@{ parse('csv', @_)->{sheets}[0]{columns} } }
my @sheets = (
	[ "a;b\n1,234;0.5\n2,345;7\n",     'integer ,', 'decimal ' ],
	[ "a;b\n1,234;0,5\n2,345;7\n",     'decimal c', 'decimal c' ],
	[ "b;a\n0,5;1,234\n",              'decimal c', 'decimal c' ],
	[ "a;b\n1,234;1,234.5\n",          'integer ,', 'decimal ,' ],
	[ "a;b\n1,234;1.234.567\n",        'decimal c', 'integer .c' ],
	[ "a;b;c\n1,234;0.5;0,5\n",        'text ', 'decimal ', 'decimal c' ],
	[ "a;b\n1,234;1 000\n2,345;7\n",  'text ', 'integer  ' ],
	[ "a;b\n1,234;1.234\n2,345;7\n",  'text ', 'decimal ' ],
	[ "a;b\n1.234;0,5\n",              'decimal ', 'decimal c' ],
	[ "a;b\n1.234;1.000,5\n",          'integer .c', 'decimal .c' ],
	[ "a;b;c\n1.234;1.000,5;0.5\n",    'decimal ', 'decimal .c', 'decimal ' ],
);
for my $case (@sheets)
{
	my ($text, @expected) = @$case;
	is_deeply([ columns($text) ], \@expected, $text =~ s/\n/ /gr);
}
my @said = (
	[ "a;b\n1,234;x\n",   [ '--thousands', ',' ],    'integer ,' ],
	[ "a;b\n1,234;x\n",   [qw(--thousands .)],    'decimal c' ],
	[ "a;b\n1,234;x\n",   [ '--thousands', ' ' ], 'decimal c' ],
	[ "a;b\n1.234;x\n",   [qw(--thousands .)],    'integer .c' ],
	[ "a;b\n1.234;x\n",   [ '--thousands', ',' ],    'decimal ' ],
	[ "a;b\n1 234;x\n",   [qw(--thousands .)],    'text ' ],
	[ "a;b\n1 234;x\n",   [ '--thousands', "'", '--decimal', '.' ], 'text ' ],
	[ "a;b\n1,234;x\n",   [qw(--decimal .)],      'integer ,' ],
	[ "a;b\n1,234.5;x\n", [ '--decimal', ',' ],      'text ' ],
);
for my $case (@said)
{
	my ($text, $options, $expected) = @$case;
	is((columns($text, @$options))[0], $expected, ($text =~ s/\n/ /gr) . "@$options");
}
for my $bad ('x', '', '..', ';')
{
	is(kind(eval { parse('csv', "a\n", '--thousands', $bad) } // { status => 1, signal => 0 }),
		kind({ status => 1, signal => 0 }), "--thousands '$bad' is refused");
}

# what is nearly of numbers or dates, and text: why, where, and which option helps
my @notes = (
	[ [ 1 .. 4, 'many' ], '1 of 5 cells are no numbers: "many" in row 5; parseOptions.missing says which texts stand ' .
		'for no value' ],
	[ [ 'a' .. 'd', 1 .. 16 ], '4 of 20 cells are no numbers: "a" in row 1, "b" in row 2, "c" in row 3 ...; ' .
		'parseOptions.missing says which texts stand for no value' ],
	[ [ 'a' .. 'e', 1 .. 16 ], undef ],
	[ [ 'NA', 'soon', map { "2020-01-1$_" } 1 .. 4 ], '1 of 5 cells are no dates: "soon" in row 2; ' .
		'parseOptions.missing says which texts stand for no value' ],
	[ [ '1,500', '2,250' ], 'a comma may stand before decimals or between thousands; parseOptions.decimal says which' ],
	[ [ '1,5', '2.5' ], 'some numbers have a decimal comma, others a decimal point; parseOptions.decimal says which is ' .
		'meant' ],
	[ [ 'many', '5 %', '6 %', '7,5 %', '8 %' ], '1 of 5 cells are no numbers: "many" in row 1; parseOptions.missing ' .
		'says which texts stand for no value' ],
	[ [ '5 %', 6, 7 ],         'some of its numbers have a unit, others have none or another one' ],
	[ [ '1 234,5', '1.234,5' ], 'its numbers have different signs between thousands' ],
	[ [ '2020-01-01', 1 .. 9 ], '1 of 10 cells are no numbers: "2020-01-01" in row 1; parseOptions.missing says ' .
		'which texts stand for no value' ],
	[ [ '1/2/2020', '3/4/2021' ], 'the first number of its dates may be the day or the month; parseOptions.dates says ' .
		'which' ],
	[ [ '1/2/20', '13/4/21' ], 'the years of its dates have two digits; parseOptions.dates says the order of day, month ' .
		'and year' ],
	[ [ '1/12/2020', '13.4.2021' ], 'its dates are not all written alike' ],
	[ [ 'NA', 'NA', 'n/a', 1 ], 'more than half of its cells stand for no value, such as "NA"; parseOptions.missing ' .
		'says which do' ],
	[ [ '007', 1 .. 20 ],         undef ],
	[ [ 1, 2, 3, '12345678901234567890' ], undef ],
	[ [ 'Oslo', 'Bergen' ],       undef ],
	[ [ 1 .. 3, '' ],             undef ],
);
for my $case (@notes)
{
	my ($cells, $note) = @$case;
	my ($column, $issues) = column($cells);
	is($column->{note}, $note, "@$cells: the note");
	is_deeply($issues, $note ? [ { line => 1, reason => "the column \"v\" is text: $note" } ] : [],
		"@$cells: the issue");
}

# values that repeat are examined once, and counted as often as they are there
my $missing = 'parseOptions.missing says which texts stand for no value';
my @repeated = (
	[ [ (map { $_ % 50 } 1 .. 4000), ('word') x 500, map { $_ % 50 } 1 .. 500 ],
		{ min => '0', max => 'word', distinct => 51, note => '500 of 5000 cells are no numbers: "word" in row 4001, ' .
			qq("word" in row 4002, "word" in row 4003 ...; $missing) } ],
	[ [ map { $_ % 5 ? $_ % 7 : 'NA' } 1 .. 9000 ],
		{ type => 'integer', min => 0, max => 6, distinct => 7, nulls => 0, marks => { NA => 1800 } } ],
	# rows 2 to 10 were not examined as dates, since all before them were numbers
	[ [ (7) x 10, 'word', ('2020-01-01') x 4000, 7, 7 ],
		{ type => 'text', note => '13 of 4013 cells are no dates: "7" in row 1, "word" in row 11, "7" in row 4012 ...; ' .
			$missing } ],
	[ [ map { sprintf '%.1f', $_ % 300 / 10 - 9 } 1 .. 5000 ],
		{ type => 'decimal', min => '-9.0', max => '20.9', distinct => 301 } ],
	[ [ map { $_ % 2 ? '31/12/2020' : '1/2/2021' } 1 .. 5000 ],
		{ type => 'date', min => '2020-12-31', max => '2021-02-01', format => '%d/%m/%Y', distinct => 2 } ],
);
for my $case (@repeated)
{
	my ($cells, $expected) = @$case;
	my ($column) = column($cells);
	is_deeply({ map { $_ => $column->{$_} } keys %$expected }, $expected, scalar(@$cells) . " cells, of few values");
}

# a point stays a decimal point, and it is told that it may be none
my $doubt = 'each point stands before three digits and is taken as a decimal point; parseOptions.thousands says ' .
	'that it is not';
my @points = (
	[ [ '1.234', '22.345', '7' ], $doubt ],
	[ [ '-1.234' ],               $doubt ],
	[ [ '1.234 %' ],              $doubt ],
	[ [ '1.234', '1.5' ],         undef ],
	[ [ '0.123' ],                undef ],
	[ [ '1234.567' ],             undef ],
	[ [ '1.234', '2.345' ],       undef, '--decimal', '.' ],
	[ [ '1.234', '2.345' ],       undef, '--thousands', ',' ],
);
for my $case (@points)
{
	my ($cells, $note, @options) = @$case;
	my ($column, $issues) = column($cells, @options);
	is_deeply([ @$column{qw(type note)} ], [ 'decimal', $note ], "@$cells @options: a point");
	is_deeply($issues, $note ? [ { line => 1, reason => "the column \"v\": $note" } ] : [], "@$cells @options: the issue");
}

# a workbook has them as well
my $rows = join '', map { "<row>$_</row>" } map { join '', map {
	/^\d+$/ ? "<c><v>$_</v></c>" : qq(<c t="inlineStr"><is><t>$_</t></is></c>) } @$_ }
	[qw(a b)], [ 1, 'NA' ], [ 'n.d.', 2 ], [ 3, 'NA' ], [ 4, 5 ], [ 6, 7 ];
my $sheet = parse('xlsx', zip(workbook(sheets => [ [ 'first', "<sheetData>$rows</sheetData>" ] ])))->{sheets}[0];
is_deeply([ map { [ @$_{qw(type marks)} ] } @{ $sheet->{columns} } ],
	[ [ 'integer', { 'n.d.' => 1 } ], [ 'integer', { NA => 2 } ] ], 'marks in a workbook');

# over HTTP: the columns, the values, the notes of an answer, and the options
my $service = Catalogue::Test->start->as_admin;
my $uploads = Catalogue::Upload->new($service);
my $worker  = Catalogue::Worker->start($service);
my $bytes   = "name;people;day;near\nOslo;700000;1/2/20;1\nBergen;NA;3/4/20;2\nMoss;50000;5/6/20;3\n"
	. "Hamar;-99;7/8/20;4\nBodø;-99;9/10/20;few\n";
my $file = $worker->wait_for_file($uploads->file('towns.csv', encode('UTF-8', $bytes))->{id});
my $at   = "/files/$file->{id}";
my %columns = map { $_->{name} => $_ } @{ $service->get("$at/columns")->{json}{data} };
is_deeply([ @{ $columns{people} }{qw(type marks min)} ], [ 'integer', { NA => 1 }, '-99' ], 'a mark is found');
is($columns{day}{type}, 'text', 'dates with years of two digits are texts');
is(scalar @{ $service->get("$at/issues")->{json}{data} }, 2, 'two columns are told');
my $reply = $service->get("$at/contents?orderBy=near&limit=1");
is_deeply($reply->{json}{meta}{notes},
	[ 'the column "near" is compared as text: 1 of 5 cells are no numbers: "few" in row 5; parseOptions.missing says ' .
		'which texts stand for no value' ], 'the answer tells that it compares texts');
is($service->get("$at/contents?orderBy=people")->{json}{meta}{notes}, undef, 'and nothing of a column of numbers');
# without an envelope the note is in a header field, in letters of ASCII
my $told = $reply->{json}{meta}{notes};
for my $type (qw(text/csv application/x-ndjson application/geo+json))
{
	$reply = $service->get("$at/contents?orderBy=near", Accept => $type);
	next if $reply->{status} == 406;
	is_deeply(Cpanel::JSON::XS::decode_json($reply->{headers}{'catalogue-notes'} // '[]'), $told, "the header of $type");
	is($service->get("$at/contents?orderBy=people", Accept => $type)->{headers}{'catalogue-notes'}, undef,
		"no header of $type for numbers");
}
is_deeply(Cpanel::JSON::XS::decode_json($service->head("$at/contents?near[gt]=1", Accept => 'text/csv')
	->{headers}{'catalogue-notes'} // '[]'), $told, 'HEAD has it as well');
is_deeply(Cpanel::JSON::XS::decode_json($service->get("$at/download/csv?near[gt]=1")->{headers}{'catalogue-notes'}
	// '[]'), $told, 'a download of rows that are compared has it');
like($service->get("$at/contents?orderBy=near", Accept => 'text/csv', Origin => 'http://a.example')
	->{headers}{'access-control-expose-headers'}, qr/\bCatalogue-Notes\b/, 'pages of other origins may read it');

$reply = $service->patch($at, { parseOptions => { missing => [ '-99', 'NA', 'few' ], dates => 'DMY' } });
is($reply->{status}, 200, 'the options are set');
$worker->wait_for_file($file->{id});
%columns = map { $_->{name} => $_ } @{ $service->get("$at/columns")->{json}{data} };
is_deeply([ map { $columns{$_}{type} } qw(people day near) ], [qw(integer date integer)], 'the types are those wanted');
is_deeply($columns{people}{marks}, { NA => 1, -99 => 2 }, 'the marks are counted');
is_deeply([ map { $_->{people} } @{ $service->get("$at/contents?types=true&orderBy=day")->{json}{data} } ],
	[ 700000, undef, 50000, undef, undef ], 'values are null where a mark stands');
is($service->get("$at/contents?aggregate=sum(people)&types=true")->{json}{data}[0]{'sum(people)'}, 750000,
	'a mark that looks like a number is in no sum');
is_deeply([ map { $_->{name} } @{ $service->get("$at/contents?people=-99")->{json}{data} } ], [ 'Hamar', 'Bodø' ],
	'a mark is found as it is written');
is_deeply($service->get("$at/issues")->{json}{data}, [], 'nothing is told any more');
like($service->get("$at/download/csv")->{body}, qr/^Hamar;-99;7\/8\/20;4$/m, 'the rows are as they were written');
my $page = $service->get($at, Accept => 'text/html')->{body};
like($page, qr{<bdi>people</bdi>: cells that stand for no value: <bdi>NA</bdi> \(1\), <bdi>-99</bdi> \(2\)},
	'the page tells the marks');
$reply = $service->patch($at, { parseOptions => { missing => 'NA', dates => 'day first' } });
is($reply->{status}, 400, 'invalid options are refused');
is_deeply([ sort map { $_->{message} } @{ $reply->{json}{data}{parseOptions} } ],
	[ 'dates: takes DMY, MDY or YMD, the order of day, month and year',
		'missing: takes up to 20 texts of 1 to 40 characters that stand for no value' ], 'each fault is told');
is($service->patch($at, { parseOptions => undef })->{status}, 200, 'the options are removed');
$worker->wait_for_file($file->{id});
like($service->get($at, Accept => 'text/html')->{body}, qr{<bdi>near</bdi>: compared as text: },
	'the page has the note');

# numbers with thousands and a unit: compared, ordered, summed, typed and exported as numbers, shown as they are written
$bytes = "town;people;share;gain\nA;1.234.567;12,5 %;€ 1.000\nB;950; 3 %;-€ 2\nC;12.000;NA;€ 3\nD;1.050;7,25 %;€ 10\n";
$file = $worker->wait_for_file($uploads->file('shares.csv', encode('UTF-8', $bytes))->{id});
$at   = "/files/$file->{id}";
%columns = map { $_->{name} => $_ } @{ $service->get("$at/columns")->{json}{data} };
is_deeply([ @{ $columns{people} }{qw(type thousands unit)} ], [ 'integer', '.', undef ], 'numbers with thousands');
is_deeply([ @{ $columns{share} }{qw(type thousands unit)} ], [ 'decimal', undef, '%' ], 'numbers with a unit');
is_deeply([ map { $_->{town} } @{ $service->get("$at/contents?orderBy=people&sort=desc")->{json}{data} } ],
	[qw(A C D B)], 'numbers are ordered as such');
is_deeply([ map { $_->{people} } @{ $service->get("$at/contents?people[gt]=1000&orderBy=people")->{json}{data} } ],
	[ '1.050', '12.000', '1.234.567' ], 'they are compared as such, and shown as they are written');
is_deeply([ map { $_->{town} } @{ $service->get("$at/contents?people=$_")->{json}{data} } ], ['D'],
	"people=$_ is found") for '1050', '1.050', '1050.0', '%221.050,0%22';
is_deeply([ map { $_->{town} } @{ $service->get("$at/contents?" . $_->[0])->{json}{data} } ], [ $_->[1] ], "$_->[0]")
	for [ 'share[gte]=12.5', 'A' ], [ 'share=3', 'B' ], [ 'share=%227,25%20%25%22', 'D' ], [ 'gain[lt]=0', 'B' ],
		[ 'share=NA', 'C' ];
is($service->get("$at/contents?people[gt]=1.2.3")->{status}, 422, 'what is no number is refused');
is($service->get("$at/contents?gain[gt]=\$5")->{status}, 422, 'what has another unit is refused');
my $typed = $service->get("$at/contents?types=true")->{json}{data};
is_deeply([ map { [ @$_{qw(people share gain)} ] } @$typed ],
	[ [ 1234567, 12.5, 1000 ], [ 950, 3, -2 ], [ 12000, undef, 3 ], [ 1050, 7.25, 10 ] ], 'typed values');
is_deeply($service->get("$at/contents?aggregate=sum(people),max(share),min(gain)&types=true")->{json}{data}[0],
	{ 'sum(people)' => 1248567, 'max(share)' => 12.5, 'min(gain)' => -2 }, 'aggregates');
is($service->get("$at/download/csv")->{body}, encode('UTF-8', $bytes), 'a download is unchanged');
my %fields = map { $_->{name} => $_ } @{ $service->get("$at/schema")->{json}{data}{fields} };
is_deeply([ @{ $fields{people} }{qw(type groupChar)} ], [ 'integer', '.' ],
	'the schema has the sign between thousands');
is_deeply([ @{ $fields{share} }{qw(type decimalChar bareNumber)} ], [ 'number', ',', Cpanel::JSON::XS::false ],
	'the schema tells of the unit');
$file = $worker->wait_for_file($uploads->file('doubt.csv', "k;v\na;1.234\nb;2.345\n")->{id});
$at   = "/files/$file->{id}";
is_deeply($service->get("$at/contents?v[gt]=1")->{json}{meta}{notes}, ["the column \"v\": $doubt"],
	'an answer tells what its numbers were taken for');
like($service->get($at, Accept => 'text/html')->{body}, qr{<bdi>v</bdi>: <span lang="en">each point },
	'the page does, too');
# a chart that sums such a column tells it with the answer to its creation and to a change, and in its table
my $chart = $service->post('/charts', { name => 'doubt', type => 'bar', file => $file->{id},
	dataset => $file->{dataset}, dataSeries => 'k,v', description => 'sums' });
is($chart->{status}, 201, 'a chart of doubtful numbers is made') or diag(explain $chart->{json});
is_deeply($chart->{json}{meta}{notes}, ["the column \"v\": $doubt"], 'its creation tells what is summed');
my ($made) = $chart->{json}{links}{record} =~ m{([^/]+)$};
is_deeply($service->patch("/charts/$made", { type => 'line' })->{json}{meta}{notes}, $chart->{json}{meta}{notes},
	'so does a change');
is_deeply(Cpanel::JSON::XS::decode_json($service->get("/charts/$made/data", Accept => 'text/csv')
	->{headers}{'catalogue-notes'} // '[]'), $chart->{json}{meta}{notes}, 'the table of the chart has the header');
is($service->patch("/charts/$made", { dataSeries => 'k', dataType => 'qualitative' })->{json}{meta}{notes}, undef,
	'a chart that counts rows tells nothing');
# names in any letters, and no header of any length
my @names = map { "år$_" . 'x' x 80 } 1 .. 60;
my $wide = $worker->wait_for_file($uploads->file('wide.csv', encode('UTF-8', join(';', @names) . "\n"
	. join('', map { join(';', ($_ < 5 ? $_ : 'many') x @names) . "\n" } 1 .. 5)))->{id});
$reply = $service->get("/files/$wide->{id}/contents?" . join('&', map { encode('UTF-8', "$_") =~
	s/([^\w])/sprintf '%%%02X', ord $1/ger . '[gt]=0' } @names[0 .. 29]), Accept => 'text/csv');
is($reply->{status}, 200, 'many columns are compared');
my $notes = $reply->{headers}{'catalogue-notes'} // '';
like($notes, qr/^\["the column \\"\\u00E5r1x+\\" is compared as text/, 'letters of a name are escaped');
cmp_ok(length $notes, '<=', 4096, 'the header is bounded');
cmp_ok(scalar @{ Cpanel::JSON::XS::decode_json($notes) }, '>', 5, 'what is left are whole notes');
is($service->patch($at, { parseOptions => { thousands => '.' } })->{status}, 200, 'the sign between thousands is set');
$worker->wait_for_file($file->{id});
is_deeply([ map { $_->{v} } @{ $service->get("$at/contents?types=true&v[gt]=2000")->{json}{data} } ], [2345],
	'points stand between thousands then');
$reply = $service->patch($at, { parseOptions => { thousands => '.', decimal => '.' } });
is_deeply([ $reply->{status}, map { $_->{message} } @{ $reply->{json}{data}{parseOptions} } ],
	[ 400, 'thousands: takes another sign than decimal' ], 'one sign for both is refused');
$reply = $service->patch($at, { parseOptions => { thousands => ';' } });
is_deeply([ $reply->{status}, map { $_->{message} } @{ $reply->{json}{data}{parseOptions} } ],
	[ 400, q(thousands: takes ".", ",", " " (any space) or "'", the sign between thousands) ], 'another sign is refused');

$worker->finish;
$service->finish;
