#!/usr/bin/perl
# Types of columns in tables as people publish them: cells that stand for no value, dates in another order, and what is
# told of columns that are nearly of numbers or dates.

use strict;
use warnings;
use utf8;

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
for my $mark (@marks, map { tr/a-zA-Z/A-Za-z/r } @marks)
{
	my ($column) = column([ 1, $mark, 2, 3 ]);
	is_deeply([ @$column{qw(type min max nulls distinct marks)} ], [ 'integer', 1, 3, 0, 3, { $mark => 1 } ],
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
	[ [ ' NA', '1', '2' ],                  'text',     undef ],
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

$worker->finish;
$service->finish;
