#!/usr/bin/perl
# CSV on the Web: the description of a file's CSV fits the CSV that is downloaded: dialect, titles, and each cell its
# datatype.  The reading of CSV, and the datatypes, are those of the W3C's recommendations, written once more here.

use strict;
use warnings;
use utf8;

use Encode qw(decode encode);
use Test::More;
use Catalogue::Parser qw(workbook zip);
use Catalogue::Test;
use Catalogue::Upload;
use Catalogue::Worker;

binmode Test::More->builder->$_, ':encoding(UTF-8)' for qw(output failure_output);
my $service = Catalogue::Test->start->as_admin;
my $uploads = Catalogue::Upload->new($service);
my $worker  = Catalogue::Worker->start($service);

# Upload a file and wait for its rows; returns its id, and what describes it.
sub described
{
	my ($name, $bytes, %fields) = @_;
	my $sent = $name =~ /xlsx$/ ? $bytes : encode('UTF-8', $bytes);
	my $id   = $uploads->file($name, $sent, map { encode('UTF-8', $_) } status => 'qWRhpRV', visible => 'true', %fields)
		->{id};
	is($worker->wait_for_file($id)->{parseState}, 'ready', "$name: it is read");
	my $reply = $service->get("/files/$id/csvw", Accept => 'application/csvm+json');
	is("$reply->{status} $reply->{headers}{'content-type'}", '200 application/csvm+json', "$name: it is described")
		or diag($reply->{body});
	return ($id, $reply->{json});
}

# The rows of a CSV as its dialect has them.
sub rows
{
	my ($dialect, $bytes) = @_;
	my $text = decode($dialect->{encoding} // 'utf-8', $bytes) =~ s/^\x{FEFF}//r;
	my $mark = quotemeta $dialect->{delimiter};
	my @rows;
	$text =~ s/^[^\n]*\n// for 1 .. $dialect->{skipRows} // 0;
	while ($text =~ /\G((?:"(?:[^"]|"")*"|[^"\r\n])*)(?:\r\n|\n|\z)/g)
	{
		my $line = $1;
		my @cells = $line =~ /(?:^|$mark)("(?:[^"]|"")*"|(?:(?!$mark)[^"])*)/gs;
		push @rows, [ map { /^"(.*)"$/s ? $1 =~ s/""/"/gr : $_ } @cells ] if $line ne '';
	}
	return @rows;
}

my %part = (yyyy => '\d{4}', dd => '(?:0[1-9]|[12]\d|3[01])', d => '(?:[1-9]|[12]\d|3[01])', MM => '(?:0[1-9]|1[0-2])',
	M => '(?:[1-9]|1[0-2])', HH => '(?:[01]\d|2[0-3])', mm => '[0-5]\d', ss => '[0-5]\d');
my $date    = '\d{4}-\d\d-\d\d';
my %lexical = (string => '.*', integer => '[-+]?\d+', number => '[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?',
	decimal => '[-+]?(?:\d+(?:\.\d*)?|\.\d+)', boolean => 'true|false|1|0', date => $date, gYearMonth => '\d{4}-\d\d',
	datetime => $date . 'T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[-+]\d\d:\d\d)?');

# Has a cell a value of a datatype?
sub fits
{
	my ($cell, $type) = @_;
	my ($base, $format) = ref $type ? @$type{qw(base format)} : ($type, undef);
	return grep { $_ eq $cell } split /\|/, $format if $base eq 'boolean' && $format;
	if (ref $format)
	{
		my ($group, $decimal) = @$format{qw(groupChar decimalChar)};
		$cell =~ s/\Q$group\E//g if defined $group;
		$cell =~ s/\Q$decimal\E/./ if defined $decimal;
		$format = undef;
	}
	my $pattern =
		defined $format ? $format =~ s{(yyyy|dd?|MM?|HH|mm|ss|.)}{$part{$1} // quotemeta $1}ger : $lexical{$base};
	return $cell =~ /^(?:$pattern)\z/s;
}

# Compare all cells of a table with what is said of them.
sub hold
{
	my ($name, $table) = @_;
	my $path    = $table->{url} =~ s/^\Q$service->{base}\E//r;
	my $reply   = $service->get($path);
	my @columns = @{ $table->{tableSchema}{columns} };
	my @rows    = rows($table->{dialect}, $reply->{body});
	is($reply->{status}, 200, "$name: the CSV is there");
	is($reply->{headers}{link}, "<$service->{base}" . ($path =~ s{/download/.*}{}r)
		. '/csvw>; rel="describedby"; type="application/csvm+json"', "$name: and leads to what describes it");
	my @titles = $table->{dialect}{header} ? @{ shift @rows } : ();
	my @faults;
	my %names = map { $_->{name} => 1 } @columns;
	for my $i (0 .. $#titles)
	{
		my $said = $columns[$i]{titles};
		push @faults, "title $titles[$i]"
			unless grep { $_ eq $titles[$i] } map { ref ? @$_ : $_ } ref $said eq 'HASH' ? values %$said : @$said;
	}
	push @faults, grep { !/^(?:[A-Za-z0-9]|%[0-9A-F]{2})(?:\w|%[0-9A-F]{2})*\z/a } keys %names;
	push @faults, 'names' if keys %names != @columns;
	for my $row (@rows)
	{
		push @faults, 'width of ' . join '|', @$row if @$row != @columns;
		for my $i (0 .. $#columns)
		{
			my ($column, $cell) = ($columns[$i], $row->[$i] // '');
			$cell =~ s/^[ \t\r\n]+|[ \t\r\n]+\z//g if $column->{datatype} ne 'string';
			my $null = grep { $_ eq $cell } @{ $column->{null} // [''] };
			push @faults, "$column->{name}: <$cell>" if $null ? $column->{required} : !fits($cell, $column->{datatype});
		}
	}
	is_deeply(\@faults, [], "$name: all cells fit") or diag explain \@faults, $table;
	return scalar @rows;
}

# columns: their heading, their datatype, and their cells
my %format = (comma => { decimalChar => ',' }, big => { decimalChar => ',', groupChar => '.' }, yes => 'TRUE|FALSE',
	wide => 'dd/MM/yyyy', narrow => 'd.M.yyyy', space => 'yyyy-MM-dd HH:mm:ss', clock => 'dd/MM/yyyy HH:mm');
my @kinds = ([ 'id', 'integer', 1, 2, 3 ], [ 'a title.é', 'string', '"a;""b"', 'two words', '=1+1' ],
	[ 'zip', 'string', '007', 1 ], [ 'whole', 'integer', '+5', -1 ], [ 'comma', 'decimal', '1,5', -2 ],
	[ 'big', 'decimal', '1.234,5', 7, '1.234.567' ],
	[ 'point', 'number', '.5', '-1e5', '5.' ], [ 'sign', 'string', "\x{2212}3", 4 ],
	[ 'unit', 'string', '12 %', '13 %' ], [ 'yes', 'boolean', 'TRUE', 'FALSE' ], [ 'Yes', 'string', 'true', 'False' ],
	[ 'day', 'date', '2024-05-31', '2024-06-01' ], [ 'wide', 'date', '31/12/2020', '01/02/2021' ],
	[ 'narrow', 'date', '31.12.2020', '1.2.2021' ], [ 'mixed', 'string', '31/1/2020', '01/02/2021' ],
	[ 'slash', 'string', '2024/05/31', '2024/6/1' ], [ 'month', 'gYearMonth', '2024-05', '2024-06' ],
	[ 'time', 'datetime', '2024-05-31T12:00:00', '2024-06-01T12:00:00.5Z' ], [ 'other', 'string', '05/2024', '06/2024' ],
	[ 'space', 'datetime', '2024-05-31 12:00:00', '2024-06-01 13:00:00' ], [ 'missing', 'integer', 11, 12, 'n/d' ],
	[ 'both', 'string', '2024-05-31', '2024-06-01T01:00:00' ], [ 'blank', 'integer', ' 5', '6 ' ],
	[ 'clock', 'datetime', '25/12/2020 09:30', '01/02/2021 23:59' ], [ 'odd', 'string', "5\x{A0}", 6 ]);
my $csv = "Kinds of values\n\n";
for my $i (0, 2 .. 4) { $csv .= join(';', map { $_->[$i] // '' } @kinds) . "\n" }
my ($id, $table) = described('kinds.csv', $csv, name => 'Kinds', description => 'All', optionals => '{"textLanguage": '
	. '"en", "license": "CC-BY-4.0", "columns": {"day": {"label": "Day", "description": "Of it", "unit": "d"}}, '
	. '"translations": {"es": {"name": "Clases", "columns": {"day": {"label": "Día"}}}}}');
is(hold('kinds', $table), 3, 'kinds: three rows');
for my $i (0 .. $#kinds)
{
	my ($name, $base) = @{ $kinds[$i] };
	is_deeply($table->{tableSchema}{columns}[$i]{datatype},
		$format{$name} ? { base => $base, format => $format{$name} } : $base, "kinds: $name");
}
my %column = map { $_->{name} => $_ } @{ $table->{tableSchema}{columns} };
ok($column{'a%20title%20%C3%A9'}, 'the name of a column is encoded');
my $true = Cpanel::JSON::XS::true;
is_deeply($table->{dialect}, { encoding => 'UTF-8', delimiter => ';', quoteChar => '"', skipBlankRows => $true,
	header => $true, headerRowCount => 1, skipRows => 2 }, 'the dialect is that of the file');
is_deeply($column{day}, { name => 'day', titles => { en => [ 'day', 'Day' ], es => 'Día' }, datatype => 'date',
	'dc:description' => 'Of it', 'schema:unitText' => 'd' }, 'a column has what is said of it');
is_deeply([ @$table{'@context', 'dc:title', 'dc:description', 'dc:license'} ],
	[ [ 'http://www.w3.org/ns/csvw', { '@language' => 'en' } ],
		[ { '@value' => 'Kinds', '@language' => 'en' }, { '@value' => 'Clases', '@language' => 'es' } ], 'All',
		{ '@id' => 'https://creativecommons.org/licenses/by/4.0/' } ], 'and the table what is said of the file')
	or diag explain $table;
is_deeply($column{missing}{null}, [ '', 'n/d' ], 'a mark for no value is null');
ok($column{id}{required}, 'a column without an empty cell is required');

# of other files the CSV is made of the rows, where what could be a formula has an apostrophe
is($service->post('/filetypes', { name => 'tsv', mimetype => ['text/tab-separated-values'] })->{status}, 201, 'a type');
($id, $table) = described('made.tsv', "n\tmark\tt\n-1,234.5\t-\t=1\n2\t5\t\"a,\n\"\"b\"\n7,000\t6\t\n");
is(hold('made', $table), 3, 'made: three rows');
is_deeply([ map { [ @$_{qw(name datatype null)} ] } @{ $table->{tableSchema}{columns} } ],
	[ [ 'n', 'string', undef ], [ 'mark', 'integer', [ '', q('-), '-' ] ], [ 't', 'string', undef ] ],
	'as the service writes it');

# headings that are not the titles of the columns
for ([ 'rows.csv', "Men,,Women,\n2019,2020,2019,2020\n1,2,3,4\n5,6,7,8\n9,1,2,3\n", '{"header": 2, "headerRows": 2}' ],
	[ 'empty.csv', "a,,c\n1,2,3\n" ], [ 'none.csv', "1,2\n3,4\n5,6\n" ], [ 'single.csv', "only\na,b\nc;d\n" ])
{
	my ($name, $bytes, $options) = @$_;
	($id, $table) = described($name, $bytes, $options ? (parseOptions => $options) : ());
	cmp_ok(hold($name, $table), '>', 0, "$name: rows");
}

# a workbook has a table for each sheet that is not hidden
my $cells = sub {
	return '<sheetData>' . join('', map { qq(<row><c t="inlineStr"><is><t>$_</t></is></c></row>) } @_) . '</sheetData>';
};
($id, $table) = described('book.xlsx', zip(workbook(sheets => [ [ 'Odd', $cells->('x', 1, 3) ],
	[ 'Hidden', $cells->('y', 'b'), 'hidden' ], [ 'Even', $cells->('x', 2, 4) ] ])));
is_deeply([ map { [ $_->{'dc:title'}, $_->{url} =~ s{.*/}{}r ] } @{ $table->{tables} } ],
	[ [ 'Odd', 'csv' ], [ 'Even', 'csv?sheet=3' ] ], 'a workbook is a group of tables') or diag explain $table;
is(hold("sheet $_->{'dc:title'}", $_), 2, 'of two rows') for @{ $table->{tables} };

# what has no CSV
is($service->get("/files/$id/csvw", Accept => 'text/turtle')->{status}, 406, 'it is no other type');
is($service->get('/files/zzzzzzzzzzzzzzz/csvw')->{status}, 404, 'a file that is not there has none');
my $broken = $uploads->file('a.html', '<p>')->{id};
is($service->get("/files/$broken/csvw")->{status}, 406, 'nor has a file without rows');
is($service->get("/files/$id/download/csv?limit=1")->{headers}{link}, undef, 'nor is a selection of rows described');

$worker->finish;
$service->finish;
