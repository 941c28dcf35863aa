#!/usr/bin/perl
# Dates with names of months, months and quarters: columns of them are ordered, compared and given on as such.

use strict;
use warnings;
use utf8;

use Encode qw(encode);
use Test::More;
use Catalogue::Archive ();
use Catalogue::Parser qw(parse kind);
use Catalogue::Program qw(slurp);
use Catalogue::Test;
use Catalogue::Upload;
use Catalogue::Worker;

binmode Test::More->builder->$_, ':encoding(UTF-8)' for qw(output failure_output);

# Read a column of cells beside a key; return its profile.
sub column
{
	my ($cells, @options) = @_;
	my $result = parse('csv', encode('UTF-8', "k;v\n" . join('', map { "k;$_\n" } @$cells)), @options);
	is(kind($result), 'D', "@$cells: read") or diag($result->{refused} // $result->{status});
	return $result->{sheets}[0]{columns}[1];
}

# each name of a month, in its own letters and in others
my ($list) = slurp('extension/rows/sheets/months.h') =~ /month_names\[\] = \{(.*?)\n\};/s;
utf8::decode($list);
my @names = $list =~ /\{(\d+), "([^"]+)"\}/g;
cmp_ok(@names / 2, '>', 50, 'the list of names is found');
my @texts;
while (my ($month, $name) = splice @names, 0, 2)
{
	push @texts, map { [ "$_ 2024", sprintf '2024-%02d', $month ] }
		$name, $name =~ tr/a-zA-Z/A-Za-z/r, ucfirst $name, "$name.";
}
my $all = parse('csv', encode('UTF-8', join(';', map {"c$_"} 0 .. $#texts) . "\n" . join(';', map { $_->[0] } @texts)));
is(kind($all), 'D', 'a column for each of them: read');
for (0 .. $#texts)
{
	my $column = $all->{sheets}[0]{columns}[$_];
	is_deeply([ @$column{qw(type format)} ], [ 'month', '%b %Y' ], "\"$texts[$_][0]\": a month");
	is($column->{min}, $texts[$_][1], "\"$texts[$_][0]\": which");
}

# forms: [cells, type, least, greatest, format, options]
my @forms = (
	[ [ '31 de mayo de 2024', '1 de Enero de 2024' ], 'date', '2024-01-01', '2024-05-31', '%d de %b de %Y' ],
	[ [ '31 DE MAYO DEL 2024', '1 de enero del 2024' ], 'date', '2024-01-01', '2024-05-31', '%d de %b del %Y' ],
	[ [ '31 mayo 2024', '29 feb. 2024' ],      'date',    '2024-02-29', '2024-05-31', '%d %b %Y' ],
	[ [ '31-May-2024', '01-Jan-2023' ],        'date',    '2023-01-01', '2024-05-31', '%d-%b-%Y' ],
	[ [ '31/ago/2024', '1/set/2024' ],         'date',    '2024-08-31', '2024-09-01', '%d/%b/%Y' ],
	[ [ '31.mai.2024' ],                       'date',    '2024-05-31', '2024-05-31', '%d.%b.%Y' ],
	[ [ 'May 31, 2024', 'Sept. 1, 2023' ],     'date',    '2023-09-01', '2024-05-31', '%b %d, %Y' ],
	[ [ '2024-may-31' ],                       'date',    '2024-05-31', '2024-05-31', '%Y-%b-%d' ],
	[ [ '31 mayo 2024 10:15', '1 mayo 2024' ], 'datetime', '2024-05-01T00:00:00', '2024-05-31T10:15:00', '%d %b %Y' ],
	[ [ '2024-05', '2023-12', '-' ],           'month',   '2023-12', '2024-05', undef ],
	[ [ '05/2024', '12/2023' ],                'month',   '2023-12', '2024-05', '%m/%Y' ],
	[ [ '5-2024', '12-2023' ],                 'month',   '2023-12', '2024-05', '%m-%Y' ],
	[ [ '2024/05' ],                           'month',   '2024-05', '2024-05', '%Y/%m' ],
	[ [ '2024M05', '2023M12' ],                'month',   '2023-12', '2024-05', '%YM%m' ],
	[ [ '2024-M05' ],                          'month',   '2024-05', '2024-05', '%Y-M%m' ],
	[ [ 'mayo de 2024', 'Dic de 2023' ],       'month',   '2023-12', '2024-05', '%b de %Y' ],
	[ [ 'may-2024', 'dic-2023' ],              'month',   '2023-12', '2024-05', '%b-%Y' ],
	[ [ '2024 maio' ],                         'month',   '2024-05', '2024-05', '%Y %b' ],
	[ [ '2024-Q2', '2023-q4' ],                'quarter', '2023-Q4', '2024-Q2', undef ],
	[ [ '2024T2', '2023T4' ],                  'quarter', '2023-Q4', '2024-Q2', '%YT%q' ],
	[ [ 'Q2 2024', 'Q4 2023' ],                'quarter', '2023-Q4', '2024-Q2', 'Q%q %Y' ],
	[ [ 'T2-2024' ],                           'quarter', '2024-Q2', '2024-Q2', 'T%q-%Y' ],
	[ [ '2T2024', '4T2023' ],                  'quarter', '2023-Q4', '2024-Q2', '%qT%Y' ],
	# years of two digits by the option only
	[ [ 'ene-24', 'dic-23' ],                  'month',   '2023-12', '2024-01', '%b-%y', '--dates', 'DMY' ],
	[ [ '31-may-24', '1-ene-99' ],             'date',    '1999-01-01', '2024-05-31', '%d-%b-%y', '--dates', 'DMY' ],
	[ [ '05/24' ],                             'month',   '2024-05', '2024-05', '%m/%y', '--dates', 'MDY' ],
);
for my $case (@forms)
{
	my ($cells, $type, $least, $greatest, $format, @options) = @$case;
	my $column = column($cells, @options);
	is_deeply([ @$column{qw(type min max format note)} ], [ $type, $least, $greatest, $format, undef ],
		"@$cells @options: the column");
}

# what is none, and what is told
my $short = 'the years of its dates have two digits; parseOptions.dates says the order of day, month and year';
my @others = (
	[ [ '31 de febrero de 2024' ] ], [ ['2024-13'] ], [ ['2024-00'] ], [ ['13/2024'] ], [ ['2024-Q5'] ], [ ['2024-Q0'] ],
	[ ['2024-5'] ], [ ['2019-20'] ], [ ['may 20244'] ], [ ['mayonesa 2024'] ], [ ['31 mayo'] ], [ ['T 2024'] ],
	[ ['0 mayo 2024'] ], [ ['2024-05 10:00'] ], [ ['2024Q2x'] ], [ ['Street 2024'] ], [ ['  '] ],
	[ [ 'ene-24', 'dic-23' ], $short ], [ [ '31-may-24' ], $short ],
	[ [ 'may-2024', 'mayo 2024' ], 'its dates are not all written alike' ],
	[ [ '2024-05', '2024-05-31' ], 'its dates are not all written alike' ],
	[ [ '2024-05', '2024-Q2' ], 'its dates are not all written alike' ],
	[ [ '2024-01', '2024-02', '2024-03', '2024-04', 'total' ], '1 of 5 cells are no dates: "total" in row 5; ' .
		'parseOptions.missing says which texts stand for no value' ],
);
for my $case (@others)
{
	my $column = column($case->[0]);
	is_deeply([ @$column{qw(type note)} ], [ 'text', $case->[1] ], "@{ $case->[0] }: a text");
}
is(column(['ene-24'], '--dates', 'YMD')->{type}, 'text', 'a year that is behind is not in front');
is(column([2019, 2020])->{type}, 'integer', 'years are numbers');

# months over numbers are names of columns; over months the first is one of them
my $wide = parse('csv', "region;2024-01;2024-02\na;1;2\nb;3;4\nc;5;6\n")->{sheets}[0];
is_deeply([ map { $_->{name} } @{ $wide->{columns} } ], [qw(region 2024-01 2024-02)], 'months that name columns');

# over HTTP
my $service = Catalogue::Test->start->as_admin;
my $uploads = Catalogue::Upload->new($service);
my $worker  = Catalogue::Worker->start($service);
my $bytes   = encode('UTF-8', "n;month;quarter;day\n1;dic 2023;T4 2023;31 de mayo de 2023\n"
	. "2;ene 2024;T1 2024;1 de março de 2024\n"
	. "3;abr 2024;T2 2024;15 de abril de 2024\n4;abr 2023;s/d;2 de enero de 2024\n");
my $file = $worker->wait_for_file($uploads->file('months.csv', $bytes)->{id});
my $at   = "/files/$file->{id}";
my %columns = map { $_->{name} => $_ } @{ $service->get("$at/columns")->{json}{data} };
is_deeply([ map { $columns{$_}{type} } qw(month quarter day) ], [qw(month quarter date)], 'the types of the columns');
my %asked = (
	'orderBy=month' => '4 1 2 3', 'orderBy=quarter&sort=desc' => '3 2 1 4', 'orderBy=day' => '1 4 2 3',
	'month[gt]=2023-12' => '2 3', 'month[gte]=dic%202023' => '1 2 3', 'month=2024-01' => '2',
	'month=ABR.%202024' => '3', 'quarter[lt]=2024-Q2' => '1 2', 'quarter=null' => '4', 'quarter=T1%202024' => '2',
	'day[lte]=2024-01-02' => '1 4', 'day=15%20de%20abril%20de%202024' => '3',
);
is(join(' ', map { $_->{n} } @{ $service->get("$at/contents?$_")->{json}{data} }), $asked{$_}, $_) for sort keys %asked;
is($service->get("$at/contents?month[gt]=$_")->{status}, 422, "month[gt]=$_ is refused")
	for '2024-13', 'abril', '2024-01-31', '2024-Q1';
is_deeply($service->get("$at/contents?types=true")->{json}{data}[0],
	{ _id => 1, n => 1, month => '2023-12', quarter => '2023-Q4', day => '2023-05-31' }, 'typed values');
is_deeply($service->get("$at/contents?limit=1")->{json}{data}[0],
	{ _id => 1, n => '1', month => 'dic 2023', quarter => 'T4 2023', day => '31 de mayo de 2023' },
	'cells stay as they are written');
is_deeply($service->get("$at/contents?aggregate=max(month),min(quarter)&types=true")->{json}{data}[0],
	{ 'max(month)' => '2024-04', 'min(quarter)' => '2023-Q4' }, 'aggregates');
my $histograms = $service->get("$at/contents?histogram=month,quarter&limit=1")->{json}{meta}{histograms};
is_deeply([ map { "$_->{from} $_->{to} $_->{count}" } @{ $histograms->{quarter}{buckets} } ],
	[ '2023-Q4 2024-Q1 1', '2024-Q1 2024-Q2 1', '2024-Q2 2024-Q2 1' ], 'quarters in a histogram');
my @months = @{ $histograms->{month}{buckets} };
is_deeply([ $months[0]{from}, $months[-1]{to} ], [ '2023-04', '2024-04' ], 'months in a histogram');
my $count = 0;
$count += $_->{count} for @months;
is($count, 4, 'each month is in one range');
my %fields = map { $_->{name} => $_ } @{ $service->get("$at/schema")->{json}{data}{fields} };
is_deeply([ map { [ @{ $fields{$_} }{qw(type format)} ] } qw(month quarter day) ], [ ([ 'string', undef ]) x 3 ],
	'a table schema has no names of months');
is($service->get("$at/download/csv")->{body}, $bytes, 'a download is unchanged');
like($service->get($at, Accept => 'text/html')->{body}, qr{<td><bdi>quarter</bdi></td><td><bdi>quarter</bdi></td>},
	'the page has the type beside the name');
my $rows = $service->post('/query', { sql => qq(SELECT n, month, quarter FROM "$file->{id}" ORDER BY month LIMIT 1) });
is_deeply($rows->{json}{data}, [ { n => 4, month => '2023-04-01', quarter => undef } ],
	'the first day of a month in SQL');
is($service->sql(q(SELECT string_agg(f ->> 'dataType', ' ' ORDER BY n) FROM jsonb_array_elements(
	catalogue.croissant_records('f', 'rows', '[{"name":"a","type":"date","format":"%d de %b de %Y"},
		{"name":"b","type":"month"},{"name":"c","type":"date","format":"%d/%m/%Y"},{"name":"d","type":"decimal"}]')
	-> 'field') WITH ORDINALITY e(f, n))), 'sc:Text sc:Text sc:Date sc:Float', 'Croissant has them as texts');
my $made = sub {
	return $worker->wait_for('the workbook', sub {
		my $reply = $service->get("$at/download/xlsx");
		$reply->{status} == 202 ? undef : $reply->{body};
	});
};
my $sheet = { Catalogue::Archive::members($made->()) }->{'xl/worksheets/sheet1.xml'};
like($sheet, qr{<c r="D3"[^>]*><v>45352</v>}, 'a date with the name of a month is a date in a workbook');
like($sheet, qr{<c r="B3"[^>]*t="inlineStr"}, 'a month is the text that it was');

# ISO 8601 is what a table schema calls a month
$file = $worker->wait_for_file($uploads->file('iso.csv', "m;q\n2024-05;2024-Q2\n2024-06;2024-Q2\n")->{id});
%fields = map { $_->{name} => $_ } @{ $service->get("/files/$file->{id}/schema")->{json}{data}{fields} };
is_deeply([ map { $fields{$_}{type} } qw(m q) ], [qw(yearmonth string)], 'the schema of months');

# a date with a time is an instant in a workbook, with seconds and without
$file = $worker->wait_for_file($uploads->file('times.csv', "t\n2024-05-31 14:30\n2024-05-31T14:30:15\n")->{id});
$at    = "/files/$file->{id}";
$sheet = { Catalogue::Archive::members($made->()) }->{'xl/worksheets/sheet1.xml'};
like($sheet, qr{<c r="A2"[^>]*><v>45443\.604166\d*</v>.*<c r="A3"[^>]*><v>45443\.60434\d*</v>}s, 'times in a workbook');

$worker->finish;
$service->finish;
