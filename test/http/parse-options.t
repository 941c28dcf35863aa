#!/usr/bin/perl
# Options of parsing: encoding, delimiter, decimal sign and row of names are detected or given by the owner, and
# the values in use are reported.

use strict;
use warnings;
use utf8;

use Encode qw(encode);
use Test::More;
use Catalogue::Parser qw(parse parse_pipe workbook zip cells kind);
use Catalogue::Test;
use Catalogue::Upload;
use Catalogue::Worker;

binmode Test::More->builder->$_, ':encoding(UTF-8)' for qw(output failure_output);

# Read a text, which must succeed; return its sheet.
sub sheet
{
	my ($bytes, $what, @options) = @_;
	my $result = parse('csv', $bytes, @options);
	is(kind($result), 'D', "$what: read")
		or diag($result->{refused} // "signal $result->{signal}, status $result->{status}");
	return $result->{sheets}[0] // { columns => [], rows => [], details => {} };
}

sub is_rows
{
	my ($bytes, $expected, $what, @options) = @_;
	my $sheet = sheet($bytes, $what, @options);
	is_deeply(cells($sheet), $expected, "$what: each cell");
	return $sheet;
}

# detected encodings
my %texts = (
	'Shift_JIS'    => [ 'cp932',    "都道府県,人口\n東京都,13960000\n大阪府,8800000\nカタカナ,1\n" ],
	'GB18030'      => [ 'gbk',      "省份,人口\n广东省,126012510\n北京市,21893095\n" ],
	'Big5'         => [ 'big5',     "縣市,人口\n臺北市,2602418\n高雄市,2765932\n" ],
	'EUC-KR'       => [ 'euc-kr',   "도시,인구\n서울특별시,9776000\n부산광역시,3448737\n" ],
	'EUC-JP'       => [ 'euc-jp',   "都道府県,ふりがな\n東京都,とうきょうと\n大阪府,おおさかふ\n" ],
	'KOI8-R'       => [ 'koi8-r',   "Город,Население\nМосква,13010112\nСанкт-Петербург,5601911\n" ],
	'Windows-1251' => [ 'cp1251',   "Город,Население\nМосква,13010112\nСанкт-Петербург,5601911\n" ],
	'Windows-1250' => [ 'cp1250',   "miasto,liczba\nŁódź,1\nWrocław,2\nBiałystok,3\nGdańsk,4\n" ],
	'Windows-1252' => [ 'cp1252',
		"ciudad,nota\nCórdoba,¿qué?\nÁvila,5 m³/s\nSaint-Étienne,cœur\nGenève,où\nKøbenhavn,“a”\n" ],
	'UTF-8'        => [ 'UTF-8',    "a,b\né,€\n" ],
);
for my $name (sort keys %texts)
{
	my ($encoding, $text) = @{ $texts{$name} };
	my $rows  = [ map { [ split /,/ ] } split /\n/, $text ];
	my $sheet = is_rows(encode($encoding, $text), $rows, "$name is detected");
	is($sheet->{details}{encoding}, $name, 'the encoding is reported');
	like($sheet->{details}{encodingReason}, qr/^its? \w/, 'the reason is reported');
	is_deeply($sheet->{issues}, [], 'there are no issues');
	is_rows(encode($encoding, $text), $rows, "$name is given", '--encoding', $name);
	is_deeply(cells(parse_pipe('csv', encode($encoding, $text), 3, '--encoding', $name)->{sheets}[0]), $rows,
		'the text in pieces of 3 bytes');
}
is(sheet(encode('cp1250', "město,počet\nPlzeň,1\nBrno-střed,2\nvěcně,3\nČeské Budějovice,4\n"),
	'Czech')->{details}{encoding}, 'Windows-1250', 'Windows-1250 is detected in Czech');
is(sheet("a,b\n1,2\n", 'ASCII')->{details}{encodingReason}, 'all its bytes are ASCII', 'ASCII is UTF-8');
my $late = sheet("a,b\n" . "x,y\n" x 50_000 . encode('koi8-r', "Новосибирск,река\nСанкт-Петербург,порт\n"),
	'ASCII for long, then KOI8-R');
is(cells($late)->[50_001][0], 'Новосибирск', 'KOI8-R is detected after many ASCII rows');

# given encodings
for my $case ([ 'UTF-16LE', 'UTF-16LE' ], [ 'UTF-16BE', 'utf-16be' ], [ 'cp850', 'IBM850' ],
	[ 'MacRoman', 'MACINTOSH' ], [ 'iso-8859-15', 'ISO-8859-15' ], [ 'cp1252', 'windows-1252' ])
{
	my ($encoding, $name) = @$case;
	my $sheet = is_rows(encode($encoding, "name;città\nñ;ü\n"), [ [ 'name', 'città' ], [ 'ñ', 'ü' ] ], $name,
		'--encoding', $name);
	is_deeply([ @{ $sheet->{details} }{qw(encoding encodingReason)} ], [ $name, 'parseOptions says so' ],
		'the given encoding is reported');
}
is_rows("\xFF\xFE" . encode('UTF-16LE', "a,b\n1,2\n"), [ [qw(a b)], [ 1, 2 ] ],
	'a byte order mark is removed from the first name', '--encoding', 'UTF-16LE');
is_rows("\xEF\xBB\xBFa,b\n1,2\n", [ [qw(a b)], [ 1, 2 ] ], 'a byte order mark of UTF-8 is removed',
	'--encoding', 'UTF-8');
is_rows("a,b\n1,\xEA", [ [qw(a b)], [ 1, 'ê' ] ], 'a letter at the end that an accent could follow',
	'--encoding', 'CP1258');
is_rows("a,b\n1,C:\\x~\n", [ [qw(a b)], [ 1, 'C:\\x~' ] ], 'Shift_JIS as in Windows', '--encoding', 'Shift_JIS');

# bytes that are invalid in the encoding
my $broken =
	sheet("a,b\n\x81\x40,1\nx,\xFFy\nz,\x81\n", 'bytes that Shift_JIS does not have', '--encoding', 'Shift_JIS');
is_deeply([ map { $_->{line} } @{ $broken->{issues} } ], [ 3, 4 ], 'invalid bytes are reported with their lines');
is($broken->{issues}[0]{reason}, 'bytes that Shift_JIS does not have are shown as U+FFFD',
	'invalid bytes are reported with the reason');
is_deeply(cells($broken)->[2], [ 'x', "\x{FFFD}y" ], 'invalid bytes are shown as U+FFFD');
my $western = sheet("a,b\n\xE9t\xE9,1\nx,\x81\n", 'a byte that Windows-1252 does not have');
is_deeply($western->{issues}, [ { line => 3, reason => 'bytes that Windows-1252 does not have are shown as U+FFFD' } ],
	'a byte that Windows-1252 does not have is reported');
my $half = sheet(encode('UTF-16LE', "a,b\n1,x") . "\x00\xD8" . encode('UTF-16LE', "\n2,y\n"), 'half of a pair',
	'--encoding', 'UTF-16LE');
is_deeply(cells($half), [ [qw(a b)], [ 1, "x\x{FFFD}" ], [ 2, 'y' ] ], 'half a surrogate pair is shown as one U+FFFD');
my $zero = sheet(encode('UTF-16LE', "a,b\n1,x\0y\n"), 'a zero character', '--encoding', 'UTF-16LE');
is_deeply(cells($zero)->[1], [ 1, "x\x{FFFD}y" ], 'a zero character is shown as U+FFFD');
is($zero->{issues}[0]{line}, 2, 'a zero character is reported');
is(parse('csv', "a\n", '--encoding', 'klingon')->{refused}, 'the encoding "klingon" is not known',
	'an unknown encoding');

# delimiters
is(is_rows("a:b;c\n1:2;3\n", [ [ 'a', 'b;c' ], [ 1, '2;3' ] ], 'a delimiter that is said', '--delimiter',
	':')->{details}{delimiterReason}, 'parseOptions says so', 'the given delimiter is reported');
is_rows("a;b\n1;2\n", [ ['a;b'], ['1;2'] ], 'none', '--delimiter', '');
is_rows("sep=;\na,b\n1,2\n", [ [qw(a b)], [ 1, 2 ] ], 'a line with another delimiter is not a row', '--delimiter', ',');
is(sheet("sep=;\na;b\n1;2\n", 'a line that says it')->{details}{delimiterReason}, 'a line of the file names it',
	'the reason for the delimiter is reported');

# decimal sign
my %profile = (
	'1,500 2,250'    => { '' => 'text', ',' => 'decimal', '.' => 'integer' },
	'1,5 2,25'       => { '' => 'decimal', ',' => 'decimal', '.' => 'text' },
	'1.500 2.250'    => { '' => 'decimal', ',' => 'integer', '.' => 'decimal' },
	'1 2'            => { '' => 'integer', ',' => 'integer', '.' => 'integer' },
);
for my $cells (sort keys %profile)
{
	for my $sign ('', ',', '.')
	{
		my $column = sheet("k;v\n" . join('', map { "k;$_\n" } split / /, $cells), "$cells with '$sign'",
			$sign ? ('--decimal', $sign) : ())->{columns}[1];
		is($column->{type}, $profile{$cells}{$sign}, 'the type of the column');
		is(!!$column->{decimalComma}, $column->{type} eq 'decimal' && $cells =~ /,/ || ($column->{thousands} // '') eq '.',
			'the decimal sign of the column');
	}
}

# The lines that are alike choose the delimiter, not the first one alone; no line is lost without being told.
sub fate
{
	my ($text, $delimiter, $rows, $what) = @_;
	my $sheet = sheet($text, $what);
	my %told = map { $_->{line} => 1 } @{ $sheet->{issues} };
	my $lines = () = $text =~ /^./mg;
	is_deeply([ $sheet->{details}{delimiter}, cells($sheet) ], [ $delimiter, $rows ], "$what: the delimiter and the cells")
		or diag(explain cells($sheet));
	my $left_out = grep { $_->{reason} =~ /left out/ } @{ $sheet->{issues} };
	is(@{ $sheet->{rows} } + ($sheet->{details}{header} ? 1 : 0) + $left_out, $lines,
		"$what: each line is a row, the names, or told");
	return $sheet;
}
my @places = map { [ $_, "N$_", "Street $_, 12, door 3, left", 'Town, X', 'extra' ] } 1 .. 3;
for my $sign (';', "\t", '|')
{
	my $sheet = fate(join($sign, qw(id name address city)) . "\n" . join('', map { join($sign, @$_) . "\n" } @places),
		$sign, [ [ qw(id name address city), '' ], @places ], 'names that lack one, and commas');
	is(scalar @{ $sheet->{issues} }, 3, 'each row that is longer is told');
}
fate(qq("length";"width"\n"1";1,5;2,25\n"2";1,7;2,5\n"3";1,9;2,55\n), ';',
	[ [ qw(length width), '' ], [ 1, '1,5', '2,25' ], [ 2, '1,7', '2,5' ], [ 3, '1,9', '2,55' ] ],
	'names of rows and decimal commas, as R writes them');
fate(qq(id;name;price\n1;A;1,5\n2;B\n3;C;2,5\n4;D;3,5\n), ';', [ [qw(id name price)], [ 1, 'A', '1,5' ], [ 2, 'B', '' ],
	[ 3, 'C', '2,5' ], [ 4, 'D', '3,5' ] ], 'a row that lacks a cell');
fate(qq(id, "name", "city"\n1, "Ann, B", "Rome"\n2,  "Bob ""x""",Oslo\n), ',',
	[ [qw(id name city)], [ 1, 'Ann, B', 'Rome' ], [ 2, 'Bob "x"', 'Oslo' ] ], 'spaces before quotes');
is_deeply(cells(sheet(qq(a,b\n1, x "y" \n2, "y" x\n3, "z" \n), 'quotes within a cell')), [ [qw(a b)], [ 1, ' x "y" ' ],
	[ 2, ' "y" x' ], [ 3, 'z' ] ], 'cells that only have quotes in them are kept unchanged');
for my $title ('# a comment', '# a comment, with a comma', '#a,b', 'Title', '"A title"', 'Año 2020, enero')
{
	for my $empty ('', "\n")
	{
		my $sheet = fate("$title\n${empty}id,name,size\n1,A,2\n2,B,3\n", ',',
			[ [qw(id name size)], [ 1, 'A', 2 ], [ 2, 'B', 3 ] ], "\"$title\" above a table") if $title ne 'Año 2020, enero';
		fate("$title\n${empty}id;name\n1;A\n2;B\n3;C\n", ';', [ [qw(id name)], [ 1, 'A' ], [ 2, 'B' ], [ 3, 'C' ] ],
			"\"$title\" above a table with semicolons");
		is_deeply([ map { "$_->{line}: $_->{reason}" } @{ $sheet->{issues} } ],
			['1: the row is above that of the column names and was left out'], 'what is left out is told') if $sheet;
	}
}
fate("Title\nid,name\n1,A\n2,B\n", ',', [ [qw(id name)], [ 1, 'A' ], [ 2, 'B' ] ],
	'a title above two columns with a comma');
fate("\n\nid,name\n1,A\n2,B\n", ',', [ [qw(id name)], [ 1, 'A' ], [ 2, 'B' ] ], 'empty lines above a table');
fate("price\n1,5\n2,5\n3,5\n", '', [ ['price'], ['1,5'], ['2,5'], ['3,5'] ], 'one column of decimal commas');
fate("name\nSmith, John\nDoe, Jane\nRoe, Ann\n", '', [ ['name'], ['Smith, John'], ['Doe, Jane'], ['Roe, Ann'] ],
	'one column of texts with commas');
fate("#chrom\tstart\n1\t5\n2\t6\n3\t7\n", "\t", [ [ '#chrom', 'start' ], [ 1, 5 ], [ 2, 6 ], [ 3, 7 ] ],
	'names that begin with #');

# detection of the row of names
sub heading
{
	my ($text, $names, $header, $titles, $what, @options) = @_;
	my $sheet = sheet($text, $what, @options);
	is_deeply([ map { $_->{name} } @{ $sheet->{columns} } ], $names, "$what: the names");
	is_deeply([ @{ $sheet->{details} }{qw(header titles)} ], [ $header ? $header : Cpanel::JSON::XS::false, $titles ],
		"$what: the row of names and the titles");
	return $sheet;
}
my $numbers = "1;2,5;x\n3;4,5;y\n5;6,5;z\n";
heading("a;b;c\n$numbers", [qw(a b c)], 1, undef, 'names in the first row');
is(heading("Informe, 2020\n\nFuente: INE\na;b;c\n$numbers", [qw(a b c)], 4, [ 1, 3 ],
	'titles above them')->{details}{headerReason}, 'the rows above it are a caption',
	'the reason for the row of names is reported');
heading("Informe;;\n;;\na;b;c\n$numbers", [qw(a b c)], 3, [ 1, 2 ], 'titles as a spreadsheet writes them');
heading("Informe\nname;value\na;1\nb;2\n", [qw(name value)], 2, [1], 'a title above two columns');
heading("name;2019;2020\na;1;2\nb;3;4\n", [ 'name', 2019, 2020 ], 1, undef, 'years are names');
heading("name;2020-01-01;2020-02-01\na;1;2\nb;3;4\n", [ 'name', '2020-01-01', '2020-02-01' ], 1, undef,
	'dates above numbers are names');
heading("only;texts\na;b\nc;d\n", [qw(only texts)], 1, undef, 'texts above texts are names');
heading("1;2\n", [ 1, 2 ], 1, undef, 'a single row has the names');
my $bare = heading($numbers, [qw(column column_2 column_3)], 0, undef, 'no names at all');
is_deeply($bare->{rows}, [ map { [ split /;/ ] } split /\n/, $numbers ], 'all rows are data');
like($bare->{details}{headerReason}, qr/^the first row has values/, 'the reason for no names is reported');
is($bare->{columns}[1]{type}, 'decimal', 'the first row counts for the type');
heading("2020-01-01,5\n2020-01-02,6\n2020-01-03,7\n", [qw(column column_2)], 0, undef, 'dates without names');
my $early = heading("title\na;b\n1;2\n3;4;5\n" . "6;7\n" x 5, [qw(a b column)], 2, [1],
	'a title, and a row that is too long');
is_deeply($early->{issues}, [ { line => 1, reason => 'the row is above that of the column names and was left out' }, {
	line => 4, reason => 'the row has 3 cells, the row of column names 2' } ], 'a row that is too long is reported once');
is_deeply(heading("1;2\n3;4\n5;6;7\n8;9\n", [qw(column column_2 column_3)], 0, undef,
	'no names, and a row that is too long')->{issues},
	[ { line => 3, reason => 'the row has 3 cells, the first row 2' } ], 'a row that is too long is reported');

# the given row of names
heading($numbers, [ '1', '2,5', 'x' ], 1, undef, 'names in the first row', '--header', 'first');
heading("a;b\n1;2\n", [qw(column column_2)], 0, undef, 'nowhere', '--header', 'none');
is_rows("a;b\n1;2\n", [ [ '', '' ], [qw(a b)], [ 1, 2 ] ], 'no names: the first row is data', '--header', 'none');
my $third = heading("x;y;z\n\"unclosed\na;b\n1;2\n", [qw(a b)], 3, undef, 'names in the third line', '--header', 3);
is_deeply(cells($third), [ [qw(a b)], [ 1, 2 ] ], 'quotes above the row of names are ignored');
is_deeply([ @{ $third->{details} }{qw(skip headerReason)} ], [ 2, 'parseOptions says so' ], 'the reason is reported');
heading("x\ny\na;b\n1;2\n3;4\n", [qw(a b)], 3, undef, 'skipped lines', '--skip', 2);
heading("x\r\ny\r\na;b\r\n1;2\r\n", [qw(a b)], 3, undef, 'skipped lines that end with CR LF', '--skip', 2);
heading("x\ry\ra;b\r1;2\r", [qw(a b)], 3, undef, 'skipped lines that end with CR', '--skip', 2);
heading("x\n1;2\n3;4\n5;6\n", [qw(column column_2)], 0, undef, 'skipped lines, and no names after them', '--skip', 1);
heading('x' x 3_000_000 . "\na;b\n1;2\n", [qw(a b)], 2, undef, 'a skipped line that is too long for a row',
	'--skip', 1);
is_deeply(cells(parse_pipe('csv', "x\r\ny\r\na;b\r\n1;2\r\n", 1, '--skip', 2)->{sheets}[0]), [ [qw(a b)], [ 1, 2 ] ],
	'skipped lines in pieces of one byte');
is(parse('csv', "a\nb\n", '--skip', 2)->{refused}, 'the file has no rows after the lines that are skipped',
	'all lines skipped');
my $wide = sheet(join(',', map { 'x' x 30_000 } 1 .. 30) . "\n" . ('y' x 900_000 . "\n") x 4,
	'long rows before the names are known');
is_deeply([ map { length $_->[0] } @{ $wide->{rows} } ], [ (900_000) x 4 ], 'long rows are complete');
is($wide->{columns}[29]{title}, 'x' x 30_000, 'their titles are complete');

# workbooks
my @lines = (['Informe'], [qw(a b c)], map { [ $_, "x$_", $_ / 2 ] } 1 .. 5);
my $cells = join '', map { '<row>' . join('',
	map { /^[\d.]+$/ ? "<c><v>$_</v></c>" : qq(<c t="inlineStr"><is><t>$_</t></is></c>) } @$_) . '</row>' } @lines;
my $book  = zip(workbook(sheets => [ [ 'first', "<sheetData>$cells</sheetData>" ] ]));
{
	my $sheet = parse('xlsx', $book)->{sheets}[0];
	is_deeply([ map { $_->{name} } @{ $sheet->{columns} } ], [qw(a b c)], 'a title in a workbook is not the row of names');
	is($sheet->{details}{header}, 2, 'the row of names in a workbook is reported');
	$sheet = parse('xlsx', $book, '--header', 'none')->{sheets}[0];
	is(scalar @{ $sheet->{rows} }, 7, 'a workbook without names');
	$sheet = parse('xlsx', $book, '--header', 3)->{sheets}[0];
	is_deeply([ map { $_->{name} } @{ $sheet->{columns} } ], [ '1', 'x1', '0 5' ],
		'a workbook with names in the third row');
	is(scalar @{ $sheet->{rows} }, 4, 'the rows after the third');
	$sheet = parse('xlsx', $book, '--skip', 2)->{sheets}[0];
	is($sheet->{details}{header}, Cpanel::JSON::XS::false, 'a workbook with skipped rows and no names');
}

# invalid options of the command line
for my $bad ([ '--colour', 'red' ], [ '--decimal', ';' ], [ '--delimiter', 'ab' ], [ '--delimiter', '"' ], [ '--header',
	'0' ], [ '--header', 'x' ], [ '--skip', '-1' ], [ '--encoding', '' ], [ '--encoding', 'a/b' ], ['--skip'])
{
	is(kind(eval { parse('csv', "a\n", @$bad) } // { status => 1, signal => 0 }), kind({ status => 1, signal => 0 }),
		"@$bad: refused");
}

# over HTTP: options are set with a file, changed, and removed
my $service = Catalogue::Test->start->as_admin;
my $uploads = Catalogue::Upload->new($service);
my $worker  = Catalogue::Worker->start($service);
my $koi     = encode('koi8-r', "отчёт\nимя|число\nАлтай|1,500\nБайкал|2,250\n");
my $said    = '{"encoding":"KOI8-R","delimiter":"|","decimal":",","header":2}';

my $file = $worker->wait_for_file($uploads->file('koi.csv', $koi, parseOptions => $said)->{id});
is($file->{parseState}, 'ready', 'a file with options in its form is parsed') or diag($file->{parseReason});
is_deeply($file->{parseOptions}, { encoding => 'KOI8-R', delimiter => '|', decimal => ',', header => 2 },
	'the file has the options');
is_deeply($service->get("/files/$file->{id}/contents?types=true")->{json}{data},
	[ { _id => 1, 'имя' => 'Алтай', 'число' => 1.5 }, { _id => 2, 'имя' => 'Байкал', 'число' => 2.25 } ],
	'the file is parsed with them');
my $schema = $service->get("/files/$file->{id}/schema")->{json}{data};
is_deeply($schema->{dialect}, { header => Cpanel::JSON::XS::true, headerRows => [2], commentRows => [1],
	delimiter => '|' }, 'the schema has the dialect');
is($schema->{encoding}, 'KOI8-R', 'the schema has the encoding');
is_deeply($schema->{reasons}, { map { $_ => 'parseOptions says so' } qw(encoding delimiter header) },
	'the schema has the reasons');

my $reply = $service->patch("/files/$file->{id}", { parseOptions => { header => Cpanel::JSON::XS::false, skip => 2 } });
is($reply->{status}, 200, 'options are changed by PATCH');
is($service->get("/files/$file->{id}/contents")->{status}, 200, 'the contents are available at any time');
$file = $worker->wait_for_file($file->{id});
is($file->{rowCount}, 2, 'the file is parsed with the new options');
$schema = $service->get("/files/$file->{id}/schema")->{json}{data};
is($schema->{dialect}{header}, Cpanel::JSON::XS::false, 'the schema has no header');
is_deeply($schema->{dialect}{commentRows}, [ 1, 2 ], 'the schema has the skipped rows');
like($schema->{reasons}{encoding}, qr/^it has words/, 'the encoding is detected');

$reply = $service->patch("/files/$file->{id}", { parseOptions => { encoding => 'klingon', skip => -1 } });
is($reply->{status}, 400, 'invalid options are refused');
is(scalar @{ $reply->{json}{data}{parseOptions} }, 2, 'each fault is reported');
is($service->get("/files/$file->{id}")->{json}{data}{rowCount}, 2, 'nothing is changed');
my ($body, %headers) = Catalogue::Upload::form(Catalogue::Upload::part('parseOptions', '{"header":'));
is($service->patch("/files/$file->{id}", $body, %headers)->{status}, 400, 'a part that is not JSON is refused');
($body, %headers) = Catalogue::Upload::form(Catalogue::Upload::part('parseOptions', 'null'));
is($service->patch("/files/$file->{id}", $body, %headers)->{status}, 200, 'a form that removes the options');
is($worker->wait_for_file($file->{id})->{parseOptions}, undef, 'the options are removed');

# UTF-16 and UTF-32 without a byte order mark: in a new file, and in one that is replaced
for my $encoding (qw(UTF-16LE UTF-16BE UTF-32LE UTF-32BE))
{
	my $wide = $uploads->file('wide.csv', encode($encoding, "name;n\nñandú;1\n"),
		parseOptions => qq({"encoding": "$encoding"}));
	is($worker->wait_for_file($wide->{id})->{parseState}, 'ready', "a new file in $encoding is read");
	is($service->get("/files/$wide->{id}/contents")->{json}{data}[0]{name}, 'ñandú', "its rows are those of $encoding");
	my ($replaced, %type) = Catalogue::Upload::form(
		Catalogue::Upload::part('uploadFile', encode($encoding, "name;n\nñu;2\n"), file => 'new.csv'));
	is($service->put("/files/$wide->{id}", $replaced, %type)->{status}, 200, "a file in $encoding is replaced");
	$worker->wait_for_file($wide->{id});
	is($service->get("/files/$wide->{id}/contents")->{json}{data}[0]{name}, 'ñu', "the new bytes in $encoding are read");
}
is_rows(encode('UTF-32LE', "\x{FEFF}a,ñ\n1,2\n"), [ [ 'a', 'ñ' ], [ 1, 2 ] ],
	'UTF-32 with a byte order mark, low byte first');
is_rows(encode('UTF-32BE', "\x{FEFF}a,ñ\n1,2\n"), [ [ 'a', 'ñ' ], [ 1, 2 ] ],
	'UTF-32 with a byte order mark, high byte first');
is_rows("a\0b,c\n", [ [ "a\x{FFFD}b", 'c' ] ], 'a zero byte in a short text');

# exports name the columns as the file does
my $titled = $uploads->file('titled.csv', qq("a.b";"a.b";"say ""x""";\n1;2;3;4\n));
$worker->wait_for_file($titled->{id});
is($service->get("/files/$titled->{id}/contents", Accept => 'text/csv')->{body},
	qq(a.b,a.b,"say ""x""",column\r\n1,2,3,4\r\n), 'names of columns in CSV are those of the file');

# a parse that fails keeps the former contents
$service->patch("/files/$file->{id}", { parseOptions => { skip => 900 } });
$file = $worker->wait_for_file($file->{id});
is($file->{parseState}, 'failed', 'options that skip all rows');
like($file->{parseReason}, qr/^the file has no rows/, 'the reason of the failure');
is($service->get("/files/$file->{id}/contents")->{status}, 200, 'the former contents are shown');
my ($field) = map { $_->{parameters}{parseOptions} }
	grep { $_->{verb} eq 'POST' } @{ $service->request('OPTIONS', '/files')->{json}{methods} };
is($field->{type}, 'json', 'OPTIONS describes parseOptions') or diag(explain($field));

# undoing new bytes brings the former ones back, with their rows
my $undone = $worker->wait_for_file($uploads->file('undone.csv', "a;b\n1;2\n", name => 'Undone')->{id});
my ($form, %of_form) =
	Catalogue::Upload::form(Catalogue::Upload::part('uploadFile', "a;b\n3;4\n5;6\n", file => 'undone.csv'));
is($service->put("/files/$undone->{id}", $form, %of_form)->{status}, 200, 'new bytes');
is($worker->wait_for_file($undone->{id})->{rowCount}, 2, 'with their rows');
my ($newest) = @{ $service->get("/files/$undone->{id}/logs?limit=1")->{json}{data} };
is($service->post("/logs/$newest->{id}/undo", undef)->{status}, 200, 'are undone');
my $former = $worker->wait_for_file($undone->{id});
is_deeply([ @$former{qw(size sha256 rowCount fileName url)} ], [ @$undone{qw(size sha256 rowCount fileName url)} ],
	'the former bytes are there');
is_deeply($service->get("/files/$undone->{id}/contents")->{json}{data}, [ { _id => 1, a => '1', b => '2' } ],
	'and their rows');
is($service->get("/files/$undone->{id}/download")->{body}, "a;b\n1;2\n", 'byte for byte');

$worker->finish;
$service->finish;
