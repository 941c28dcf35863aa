#!/usr/bin/perl
# Text files as rows: encodings, delimiters, quotes, irregular rows, names and profiles of columns.
# The child process is tested alone, without a server.

use strict;
use warnings;
use utf8;

use Encode qw(encode);
use Test::More;
use Catalogue::Parser qw(cells kind parse parse_pipe program);
use Catalogue::Program qw(slurp);

my $reference = Cpanel::JSON::XS->new->allow_nonref->canonical;

# Read a text, which must have one sheet.
sub sheet
{
	my ($text, $what) = @_;
	my $result = parse('csv', utf8::is_utf8($text) ? encode('UTF-8', $text) : $text);
	is(kind($result), 'D', "$what: it is read") or diag(explain $result->{refused});
	is(scalar @{ $result->{sheets} }, 1, "$what: one sheet");
	return $result->{sheets}[0];
}

sub is_rows
{
	my ($text, $cells, $what) = @_;
	my $sheet = sheet($text, $what);
	is_deeply(cells($sheet), $cells, $what) or diag(explain cells($sheet));
	return $sheet;
}

# A simple, slow reader of RFC 4180 in Perl, to compare with.
sub rfc4180
{
	my ($text) = @_;
	my ($width, @rows, @row) = (0);
	while ($text =~ /\G(?:"((?:[^"]|"")*)"|([^,\r\n]*))(,|\r?\n|\z)/g)
	{
		last if !@row && !defined $1 && $2 eq '' && $3 eq '';
		push @row, defined $1 ? $1 =~ s/""/"/gr : $2;
		next if $3 eq ',';
		push @rows, [@row];
		@row = ();
		last if $3 eq '';
	}
	return \@rows;
}

# real files, as files and in small pieces through a pipe
for my $name (qw(countries navaids regions runways))
{
	my $path = "../shared/data/$name.csv";
	SKIP:
	{
		skip "$path is not here", 3 if !-e $path;
		my $bytes = slurp($path);
		my $whole = sheet($bytes, "$name.csv");
		is_deeply(cells($whole), rfc4180(Encode::decode('UTF-8', $bytes)), "$name.csv: each cell");
	}
}

my $quoted = qq(a,b\n1,"x, ""y""\nz"\n"2",\n);
is_rows($quoted, [ [qw(a b)], [ 1, qq(x, "y"\nz) ], [ 2, '' ] ], 'commas, quotes and lines in quoted cells');
for my $piece (1, 2, 3, 7)
{
	is_deeply(cells(parse_pipe('csv', $quoted, $piece)->{sheets}[0]), [ [qw(a b)], [ 1, qq(x, "y"\nz) ], [ 2, '' ] ],
		"in pieces of $piece");
}
is_rows("a,b\r\n1,2\r\n", [ [qw(a b)], [ 1, 2 ] ], 'lines that end with CR LF');
is_rows("a,b\r1,2\r", [ [qw(a b)], [ 1, 2 ] ], 'lines that end with CR');
is_rows("a,b\n1,2", [ [qw(a b)], [ 1, 2 ] ], 'a line that ends with the file');
is_rows("a\n1\n\n3\n", [ ['a'], [1], [''], [3] ], 'an empty line is a row of one column');
is(is_rows("\n\na,b\n\n1,2\n\n", [ [qw(a b)], [ 1, 2 ] ],
	'an empty line with several columns is not a row')->{details}{emptyLines}, 4, 'empty lines are counted');
is_rows(qq(a,b\n" 1 ", 2 \n), [ [qw(a b)], [ ' 1 ', ' 2 ' ] ], 'spaces are kept');
is_rows(qq(a,b\n"1" ,2\n), [ [qw(a b)], [ 1, 2 ] ], 'spaces after a closing quote are removed');
is_rows("a,b\n=1+1,-2\n", [ [qw(a b)], [ '=1+1', -2 ] ], 'a formula is a text');

# delimiters
for my $delimiter (',', ';', "\t", '|')
{
	my $sheet = is_rows(join("\n", map { join $delimiter, @$_ } [qw(name value)], [ 'x y', '1' ], [ 'z', '2' ]) . "\n",
		[ [qw(name value)], [ 'x y', 1 ], [ 'z', 2 ] ], 'delimiter ' . sprintf '%02x', ord $delimiter);
	is($sheet->{details}{delimiter}, $delimiter, 'the delimiter is reported');
}
is_rows("name;amount\na, b;1,5\nc, d, e;2,5\n", [ [qw(name amount)], [ 'a, b', '1,5' ], [ 'c, d, e', '2,5' ] ],
	'commas between semicolons');
is_rows(qq("a;b",c\n"d;e",f\n), [ [ 'a;b', 'c' ], [ 'd;e', 'f' ] ], 'semicolons in quotes');
is_rows("sep=;\na;b\n1;2\n", [ [qw(a b)], [ 1, 2 ] ], 'a line with the delimiter');
is_rows("$_\na;b\n1,5;2\n", [ [qw(a b)], [ '1,5', 2 ] ], "a line with the delimiter: $_") for qq("sep=;"\r),
	'"SEP=;"', "sep=;\r";
for my $delimiter (';', "\t", '|')
{
	is_rows(join('', map { join($delimiter, @$_) . "\n" } @$_), $_, 'as many commas as delimiters: ' . sprintf '%02x',
		ord $delimiter) for
		[ [ 'Name, first', 'Town' ], [ 'Doe, Jane', 'Bonn' ] ], [ [ 'a (m, s)', 'b (m, s)', 'c' ], [ '1,5', '2,5', '3' ] ];
}
is(is_rows("value\n1,5\n2,5\n", [ ['value'], ['1,5'], ['2,5'] ],
	'decimal commas are not delimiters')->{details}{delimiter}, '', 'no delimiter');
is_rows("one\n", [ ['one'] ], 'one name without rows');

# encodings
my $accents = "name,città\nÑandú,“€”\n日本,😀\n";
my $expected = [ [ 'name', 'città' ], [ 'Ñandú', '“€”' ], [ '日本', '😀' ] ];
is(is_rows($accents, $expected, 'UTF-8')->{details}{encoding}, 'UTF-8', 'UTF-8 is reported');
is_rows("\x{FEFF}$accents", $expected, 'UTF-8 with a byte order mark');
is(is_rows(encode('UTF-16LE', "\x{FEFF}$accents"), $expected, 'UTF-16, low byte first')->{details}{encoding},
	'UTF-16LE', 'UTF-16LE is reported');
is(is_rows(encode('UTF-16BE', "\x{FEFF}$accents"), $expected, 'UTF-16, high byte first')->{details}{encoding},
	'UTF-16BE', 'UTF-16BE is reported');
is(is_rows(encode('cp1252', "name,città\nÑandú,“€”\n"), [ @$expected[ 0, 1 ] ], 'Windows-1252')->{details}{encoding},
	'Windows-1252', 'Windows-1252 is reported');
for my $piece (1, 3)
{
	is_deeply(cells(parse_pipe('csv', $_, $piece)->{sheets}[0]), $expected, "characters in pieces of $piece bytes")
		for encode('UTF-8', $accents), encode('UTF-16LE', "\x{FEFF}$accents");
}
is_deeply(cells(sheet("a,b\n" . "x,y\n" x 50_000 . encode('cp1252', "é,x\n"),
	'ASCII for long, then Windows-1252'))->[50_001], [ 'é', 'x' ], 'Windows-1252 is detected after many ASCII rows');
my $mixed = sheet(encode('UTF-8', "a,b\né,ü\nñ,ö\n") . "x,\xE9\n", 'a byte that is not UTF-8');
is_deeply(cells($mixed)->[3], [ 'x', 'é' ], 'a byte that is not UTF-8 is read as Windows-1252');
is_deeply($mixed->{issues}, [ { line => 4, reason => 'a byte that is not UTF-8 is read as Windows-1252' } ],
	'a byte that is not UTF-8 is reported');
my $odd = sheet(encode('UTF-16LE', "\x{FEFF}a,b\n1,x") . "\x00\xD8" . encode('UTF-16LE', "\n2,y\n"),
	'half of a pair in UTF-16');
is_deeply(cells($odd), [ [qw(a b)], [ 1, "x\x{FFFD}" ], [ 2, 'y' ] ], 'half a surrogate pair is shown as U+FFFD');
is($odd->{issues}[0]{line}, 2, 'half a surrogate pair is reported');

# irregular rows
my $ragged = is_rows("a,b,c\n1,2\n1,2,3,4\n5,6,7\n",
	[ [ 'a', 'b', 'c', '' ], [ 1, 2, '', '' ], [ 1, 2, 3, 4 ], [ 5, 6, 7, '' ] ], 'shorter and longer rows are kept');
is_deeply($ragged->{issues}, [ { line => 2, reason => 'the row has 2 cells, the row of column names 3' },
	{ line => 3, reason => 'the row has 4 cells, the row of column names 3' } ], 'shorter and longer rows are reported');
is($ragged->{rows}[0][2], undef, 'a cell that a short row lacks is missing');
is($ragged->{columns}[3]{name}, 'column', 'a column without a name gets one');
is($ragged->{badRows}, 0, 'no row is lost');
my $behind = is_rows(qq(a,b\n"x"y,2\n"z" "w",3\n), [ [qw(a b)], [ '"x"y', 2 ], [ '"z" "w"', 3 ] ],
	'text after a closing quote is kept');
is_deeply([ map { $_->{line} } @{ $behind->{issues} } ], [ 2, 3 ], 'text after a closing quote is reported');
is_rows(qq(a,b\nx"y,2\n), [ [qw(a b)], [ 'x"y', 2 ] ], 'a quote within a cell is a character');
my $unclosed = is_rows(qq(a,b\n1,"x\n2,y\n3,z\n), [ [qw(a b)], [ 1, '"x' ], [ 2, 'y' ], [ 3, 'z' ] ],
	'a quote that is not closed loses no row');
is_deeply($unclosed->{issues}, [ { line => 2, reason => 'a quote is not closed and the line was kept unchanged' } ],
	'a quote that is not closed is reported');
my $zero = is_rows("a,b\n1,x\0y\n2,z\n" . "3,w\n" x 9, [ [qw(a b)], [ 1, "x\x{FFFD}y" ], [ 2, 'z' ], ([ 3, 'w' ]) x 9 ],
	'a zero byte is shown as U+FFFD');
is_deeply($zero->{issues}, [ { line => 2, reason => 'a zero byte is shown as U+FFFD' } ], 'a zero byte is reported');
my $lines = sheet(qq(a,b\n"1\n2\n3",x\n4\n), 'rows of several lines');
is($lines->{issues}[0]{line}, 5, 'line numbers count the lines in cells');
my $long = sheet("a,b\n1," . 'x' x 1_048_577 . "\n2,y\n3," . 'x' x 1_048_576 . "\n", 'a cell that is too long');
is_deeply([ map { $_->[0] } @{ $long->{rows} } ], [ 2, 3 ], 'a row with a cell that is too long is left out');
is($long->{badRows}, 1, 'the row is counted');
is_deeply($long->{issues}, [ { line => 2, reason => 'a cell of the row is longer than 1 MiB; it was left out' } ],
	'the row is reported');
my $endless = sheet("a,b\n1,x\n\"2," . 'x' x 5_000_000 . "\n3,y\n", 'a row that is too long');
is_deeply(cells($endless), [ [qw(a b)], [ 1, 'x' ], [ 3, 'y' ] ], 'a row that is too long is left out');
is_deeply($endless->{issues}, [ { line => 3, reason => 'the row is longer than 2 MB; it was left out' } ],
	'the row is reported');
my $wide = sheet("a,b\n1,2\n" . join(',', 1 .. 20_000) . "\n3,4\n", 'a row of 20,000 cells');
is_deeply(cells($wide), [ [qw(a b)], [ 1, 2 ], [ 3, 4 ] ], 'a row with too many cells is left out');
is_deeply($wide->{issues}, [ { line => 3, reason => 'the row has more than 16,384 columns; it was left out' } ],
	'the row is reported');
is(scalar @{ sheet("a,b\n" . "1\n" x 5000, 'many faults')->{issues} }, 1000, 'a thousand faults are reported');
my $later = sheet("a\n" . "1\n" x 2500 . "1,2\n", 'a longer row in a later chunk');
is_deeply([ @{ $later->{rows} }[ 0, 2500 ] ], [ [ '1', undef ], [ 1, 2 ] ],
	'a column is empty in the rows before it appears') if $later->{details}{delimiter};
is(scalar @{ sheet(join(',', 1 .. 16384) . "\n" . ',' x 16383 . "\n", '16,384 columns')->{columns} }, 16384,
	'1,024 columns are all read');

# texts without rows
for my $case (
	[ '',                       'no bytes at all',       'the file is empty' ],
	[ "\xEF\xBB\xBF",           'only a byte order mark',    'the file is empty' ],
	[ "\n\r\n\n",               'only empty lines',      'the file has only empty lines' ],
	[ join(',', 1 .. 20_000),   '20,000 names',
		'the row of column names, line 1, cannot be read: the row has more than 16,384 columns' ],
	[ '"' . 'x' x 30_000_000,   '30 MB in one quote',    'the first line, of the column names, is longer than 2 MB' ],
	[ "\0" x 1000,              'zero bytes',            qr/^the file has so many zero bytes/ ],
	[ encode('UTF-16LE', "a,b\n1,2\n"), 'UTF-16 without a mark',
		qr/UTF-32 without a byte order mark: name its encoding in parseOptions$/ ],
	[ "PK\x03\x04" . 'x' x 100, 'an archive',
		'the file is not what its name says: it is a ZIP archive or a workbook in one' ],
	[ "%PDF-1.4\n",             'a document',            'the file is not what its name says: it is a PDF document' ])
{
	my ($bytes, $what, $reason) = @$case;
	my $result = parse('csv', $bytes);
	is(kind($result), 'X', "$what: refused");
	ref $reason ? like($result->{refused}, $reason, "$what: the reason")
		: is($result->{refused}, $reason, "$what: the reason");
}

# names
my $names = sheet("a,a,,A.b,_id,a, x ,,\x{1}y\n1,2,3,4,5,6,7,8,9\n", 'names');
is_deeply([ map { $_->{name} } @{ $names->{columns} } ],
	[ 'a', 'a_2', 'column', 'A b', '_id_2', 'a_3', 'x', 'column_2', 'y' ], 'each column has a unique name');
is_deeply([ map { $_->{title} } @{ $names->{columns} } ], [ 'a', 'a', '', 'A.b', '_id', 'a', ' x ', '', "\x{1}y" ],
	'titles are kept');
my $alike = sheet(join(',', ('x') x 500, ('x_2') x 500) . "\n", 'many of one name');
is(scalar(keys %{ { map { $_->{name} => 1 } @{ $alike->{columns} } } }), 1000, 'all names differ');
is(length encode('UTF-8', sheet('é' x 5000 . ",b\n", 'a long name')->{columns}[0]{name}), 120,
	'a name has 120 bytes at most');

# profiles: the cells of a column, and its description
for my $case (
	[ [qw(1 2 -30)],                 { type => 'integer', min => '-30', max => '2', distinct => 3 } ],
	[ [qw(9223372036854775806 9223372036854775807 -9223372036854775808)],
		{ type => 'integer', min => '-9223372036854775808', max => '9223372036854775807' } ],
	[ [qw(9223372036854775808 1)],   { type => 'text' } ],
	[ [qw(007 8)],                   { type => 'text', min => '007', max => '8' } ],
	[ [qw(0 8)],                     { type => 'integer' } ],
	[ [ '+4930', '1' ],              { type => 'integer', min => '1', max => '+4930' } ],
	[ [ '+4930', '01' ],             { type => 'text' } ],
	[ [qw(+ - 1)],                   { type => 'text' } ],
	[ [ '1', '', '2.50', '' ],       { type => 'decimal', min => '1', max => '2.50', nulls => 2, distinct => 2 } ],
	[ [qw(0.5 -1.25 1.5e3 1e-7)],    { type => 'decimal', min => '-1.25', max => '1.5e3' } ],
	[ [qw(12E4 13E5)],               { type => 'decimal', min => '12E4', max => '13E5' } ],
	[ [qw(12E4 00E5)],               { type => 'text' } ],
	[ [qw(e5 1)],                    { type => 'text' } ],
	[ [qw(1e 1)],                    { type => 'text' } ],
	[ [qw(1.2.3 1)],                 { type => 'text' } ],
	[ [qw(1. 2)],                    { type => 'decimal', min => '1.', max => '2' } ],
	[ [qw(.5 2 -.25 +.75)],          { type => 'decimal', min => '-.25', max => '2' } ],
	[ [qw(. 2)],                     { type => 'integer', marks => { '.' => 1 } } ],
	[ [ ',5', '2' ],                 { type => 'decimal', decimalComma => Cpanel::JSON::XS::true } ],
	[ [ '1,5', '2', '-0,25' ],
		{ type => 'decimal', min => '-0,25', max => '2', decimalComma => Cpanel::JSON::XS::true } ],
	[ [ '1,500', '2,250' ],          { type => 'text' } ],
	[ [ '1,5', '1.5' ],              { type => 'text' } ],
	[ [qw(true FALSE True)],         { type => 'boolean', min => 'false', max => 'true' } ],
	[ [qw(true true)],               { type => 'boolean', min => 'true', max => 'true' } ],
	[ [qw(true 1)],                  { type => 'text' } ],
	[ [qw(2024-02-29 1999-12-31)],   { type => 'date', min => '1999-12-31', max => '2024-02-29' } ],
	[ [qw(2023-02-29 1999-12-31)],   { type => 'text' } ],
	[ [qw(2024/2/9 1999/12/31)],     { type => 'date', min => '1999-12-31', max => '2024-02-09', format => '%Y/%m/%d' } ],
	[ [qw(31/12/2020 1/2/2021)],     { type => 'date', min => '2020-12-31', max => '2021-02-01', format => '%d/%m/%Y' } ],
	[ [qw(12/31/2020 1/2/2021)],     { type => 'date', min => '2020-12-31', max => '2021-01-02', format => '%m/%d/%Y' } ],
	[ [qw(1/2/2020 3/4/2021)],       { type => 'text' } ],
	[ [qw(31/12/2020 12/31/2020)],   { type => 'text' } ],
	[ [qw(1.2.2020 3.4.2021)],       { type => 'date', min => '2020-02-01', max => '2021-04-03', format => '%d.%m.%Y' } ],
	[ [qw(31-12-2020 01-02-2021)],   { type => 'date', format => '%d-%m-%Y' } ],
	[ [ '2020-01-01T10:00:00Z', '2020-01-01T11:00:00+02:00' ],
		{ type => 'datetime', min => '2020-01-01T09:00:00Z', max => '2020-01-01T10:00:00Z' } ],
	[ [ '2020-01-01 10:00', '2020-01-02' ],
		{ type => 'datetime', min => '2020-01-01T10:00:00', max => '2020-01-02T00:00:00' } ],
	[ [ '31/12/2020 23:59:59.5', '1/2/2021 00:00' ],
		{ type => 'datetime', min => '2020-12-31T23:59:59.500000', max => '2021-02-01T00:00:00', format => '%d/%m/%Y' } ],
	[ [ '2020-01-01 25:00' ],        { type => 'text' } ],
	[ [qw(1969-07-20 0001-01-01)],   { type => 'date', min => '0001-01-01', max => '1969-07-20' } ],
	[ [qw(b a é)],                   { type => 'text', min => 'a', max => 'é', distinct => 3 } ],
	[ [ 'abcdefgh', 'abcdefg', 'abcdefghi' ], { type => 'text', min => 'abcdefg', max => 'abcdefghi' } ],
	[ [ '', '' ],                    { type => 'text', min => undef, max => undef, nulls => 2, distinct => 0 } ],
	[ [ ('1') x 1500, 'x', ('1') x 1500 ], { type => 'integer', min => '1', max => '1', distinct => 1, nulls => 0,
		marks => { x => 1 } } ])
{
	my ($cells, $expected) = @$case;
	my $what = join ' ', @$cells > 4 ? (@$cells[ 0, 1 ], '...') : @$cells;
	my $sheet = sheet("k;v\n" . join('', map { "k;$_\n" } @$cells), $what);
	my %found = map { $_ => $sheet->{columns}[1]{$_} } keys %$expected;
	is_deeply(\%found, $expected, "$what: its profile") or diag($reference->encode($sheet->{columns}[1]));
}
my $many = sheet("id,half\n" . join('', map { "$_," . int($_ / 2) . "\n" } 1 .. 60_000), 'many values');
cmp_ok(abs($many->{columns}[0]{distinct} / 60_000 - 1), '<', 0.06,
	"60,000 different values are about $many->{columns}[0]{distinct}");
cmp_ok(abs($many->{columns}[1]{distinct} / 30_001 - 1), '<', 0.06,
	"30,001 different values are about $many->{columns}[1]{distinct}");

# a large file: chunks and progress
my $row = 'x' x 900 . ",1\n";
my $large = parse('csv', "a,b\n" . $row x 20_000);
is(kind($large), 'D', 'a file of 18 MB is read');
is(scalar @{ $large->{sheets}[0]{rows} }, 20_000, 'a large file has all its rows');
cmp_ok($large->{chunks}, '>=', 18, "a large file has $large->{chunks} chunks");
is_deeply($large->{progress}, [ sort { $a <=> $b } @{ $large->{progress} } ], 'progress increases');
cmp_ok(scalar @{ $large->{progress} }, '>=', 3, 'progress is reported');

# 200 mutations of a text, or 5,000 on request: each is read or refused, and none crashes the child
srand 5;
my $seed = encode('UTF-8', qq(id,näme,"q""uote",date\n) . join '', map { qq($_,"a\nb, $_",ü,2024-01-0$_\r\n) } 1 .. 9);
my %ends;
for (1 .. $ENV{CATALOGUE_MUTANTS} || 200)
{
	my $mutant = $seed;
	for (0 .. rand 6)
	{
		my $place = int rand length $mutant;
		my $what = int rand 4;
		if ($what == 0) { substr($mutant, $place, 1) = chr int rand 256 }
		elsif ($what == 1) { substr($mutant, $place, int rand 20) = '' }
		elsif ($what == 2)
		{
			substr($mutant, $place, 0) = (',', ';', '"', "\n", "\r", "\0", "\xFF", '""')[ int rand 8 ] x int rand 5;
		}
		else { substr($mutant, $place, 0) = substr $mutant, int rand length $mutant, int rand 50 }
	}
	my $result = eval { parse('csv', $mutant) } // { signal => 0, status => 0, ended => "fault: $@" };
	my $kind = kind($result);
	$ends{$kind}++;
	diag("$kind: " . unpack 'H*', $mutant) if $kind !~ /^[DX]$/;
}
is_deeply([ grep { !/^[DX]$/ } keys %ends ], [], 'mutants: ' . join ', ', map { "$_ $ends{$_}" } sort keys %ends);

done_testing();
