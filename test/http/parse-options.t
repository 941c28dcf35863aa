#!/usr/bin/perl
# How a file is to be read: its encoding, delimiter, decimal sign and the row of names are found, or
# said by its owner, and what was taken is told.

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

# Read a text; it must be read.
sub sheet
{
	my ($bytes, $what, @options) = @_;
	my $result = parse('csv', $bytes, @options);
	is(kind($result), 'D', "$what: read") or diag($result->{refused} // "signal $result->{signal}, status $result->{status}");
	return $result->{sheets}[0] // { columns => [], rows => [], details => {} };
}

sub is_rows
{
	my ($bytes, $expected, $what, @options) = @_;
	my $sheet = sheet($bytes, $what, @options);
	is_deeply(cells($sheet), $expected, "$what: each cell");
	return $sheet;
}

# encodings that are found
my %texts = (
	'Shift_JIS'    => [ 'cp932',    "都道府県,人口\n東京都,13960000\n大阪府,8800000\nカタカナ,1\n" ],
	'GB18030'      => [ 'gbk',      "省份,人口\n广东省,126012510\n北京市,21893095\n" ],
	'Big5'         => [ 'big5',     "縣市,人口\n臺北市,2602418\n高雄市,2765932\n" ],
	'EUC-KR'       => [ 'euc-kr',   "도시,인구\n서울특별시,9776000\n부산광역시,3448737\n" ],
	'EUC-JP'       => [ 'euc-jp',   "都道府県,ふりがな\n東京都,とうきょうと\n大阪府,おおさかふ\n" ],
	'KOI8-R'       => [ 'koi8-r',   "Город,Население\nМосква,13010112\nСанкт-Петербург,5601911\n" ],
	'Windows-1251' => [ 'cp1251',   "Город,Население\nМосква,13010112\nСанкт-Петербург,5601911\n" ],
	'Windows-1250' => [ 'cp1250',   "miasto,liczba\nŁódź,1\nWrocław,2\nBiałystok,3\nGdańsk,4\n" ],
	'Windows-1252' => [ 'cp1252',   "ciudad,nota\nCórdoba,¿qué?\nÁvila,5 m³/s\nSaint-Étienne,cœur\nGenève,où\nKøbenhavn,“a”\n" ],
	'UTF-8'        => [ 'UTF-8',    "a,b\né,€\n" ],
);
for my $name (sort keys %texts)
{
	my ($encoding, $text) = @{ $texts{$name} };
	my $rows  = [ map { [ split /,/ ] } split /\n/, $text ];
	my $sheet = is_rows(encode($encoding, $text), $rows, "$name is found");
	is($sheet->{details}{encoding}, $name, 'it is told');
	like($sheet->{details}{encodingReason}, qr/^its? \w/, 'with the reason');
	is_deeply($sheet->{issues}, [], 'and nothing is wrong');
	is_rows(encode($encoding, $text), $rows, "$name is said", '--encoding', $name);
	is_deeply(cells(parse_pipe('csv', encode($encoding, $text), 3, '--encoding', $name)->{sheets}[0]), $rows, 'in pieces of 3 bytes');
}
is(sheet(encode('cp1250', "město,počet\nPlzeň,1\nBrno-střed,2\nvěcně,3\nČeské Budějovice,4\n"), 'Czech')->{details}{encoding}, 'Windows-1250', 'as in Czech');
is(sheet("a,b\n1,2\n", 'ASCII')->{details}{encodingReason}, 'all its bytes are ASCII', 'ASCII is UTF-8');
my $late = sheet("a,b\n" . "x,y\n" x 50_000 . encode('koi8-r', "Новосибирск,река\nСанкт-Петербург,порт\n"), 'ASCII for long, then KOI8-R');
is(cells($late)->[50_001][0], 'Новосибирск', 'is read');

# encodings that are said
for my $case ([ 'UTF-16LE', 'UTF-16LE' ], [ 'UTF-16BE', 'utf-16be' ], [ 'cp850', 'IBM850' ], [ 'MacRoman', 'MACINTOSH' ], [ 'iso-8859-15', 'ISO-8859-15' ], [ 'cp1252', 'windows-1252' ])
{
	my ($encoding, $name) = @$case;
	my $sheet = is_rows(encode($encoding, "name;città\nñ;ü\n"), [ [ 'name', 'città' ], [ 'ñ', 'ü' ] ], $name, '--encoding', $name);
	is_deeply([ @{ $sheet->{details} }{qw(encoding encodingReason)} ], [ $name, 'parseOptions says so' ], 'and told');
}
is_rows("\xFF\xFE" . encode('UTF-16LE', "a,b\n1,2\n"), [ [qw(a b)], [ 1, 2 ] ], 'a mark is no part of the first name', '--encoding', 'UTF-16LE');
is_rows("\xEF\xBB\xBFa,b\n1,2\n", [ [qw(a b)], [ 1, 2 ] ], 'in UTF-8 neither', '--encoding', 'UTF-8');
is_rows("a,b\n1,\xEA", [ [qw(a b)], [ 1, 'ê' ] ], 'a letter at the end that an accent could follow', '--encoding', 'CP1258');
is_rows("a,b\n1,C:\\x~\n", [ [qw(a b)], [ 1, 'C:\\x~' ] ], 'Shift_JIS as Windows has it', '--encoding', 'Shift_JIS');

# bytes that the encoding does not have
my $broken = sheet("a,b\n\x81\x40,1\nx,\xFFy\nz,\x81\n", 'bytes that Shift_JIS does not have', '--encoding', 'Shift_JIS');
is_deeply([ map { $_->{line} } @{ $broken->{issues} } ], [ 3, 4 ], 'are told with their lines');
is($broken->{issues}[0]{reason}, 'bytes that Shift_JIS does not have are shown as U+FFFD', 'and reason');
is_deeply(cells($broken)->[2], [ 'x', "\x{FFFD}y" ], 'and shown');
my $western = sheet("a,b\n\xE9t\xE9,1\nx,\x81\n", 'a byte that Windows-1252 does not have');
is_deeply($western->{issues}, [ { line => 3, reason => 'bytes that Windows-1252 does not have are shown as U+FFFD' } ], 'is told');
my $half = sheet(encode('UTF-16LE', "a,b\n1,x") . "\x00\xD8" . encode('UTF-16LE', "\n2,y\n"), 'half of a pair', '--encoding', 'UTF-16LE');
is_deeply(cells($half), [ [qw(a b)], [ 1, "x\x{FFFD}" ], [ 2, 'y' ] ], 'costs one character');
my $zero = sheet(encode('UTF-16LE', "a,b\n1,x\0y\n"), 'a zero character', '--encoding', 'UTF-16LE');
is_deeply(cells($zero)->[1], [ 1, "x\x{FFFD}y" ], 'is shown as U+FFFD');
is($zero->{issues}[0]{line}, 2, 'and told');
is(parse('csv', "a\n", '--encoding', 'klingon')->{refused}, 'the encoding "klingon" is not known', 'an unknown encoding');

# delimiter
is(is_rows("a:b;c\n1:2;3\n", [ [ 'a', 'b;c' ], [ 1, '2;3' ] ], 'a delimiter that is said', '--delimiter', ':')->{details}{delimiterReason}, 'parseOptions says so', 'and told');
is_rows("a;b\n1;2\n", [ ['a;b'], ['1;2'] ], 'none', '--delimiter', '');
is_rows("sep=;\na,b\n1,2\n", [ [qw(a b)], [ 1, 2 ] ], 'a line that says another is none of the rows', '--delimiter', ',');
is(sheet("sep=;\na;b\n1;2\n", 'a line that says it')->{details}{delimiterReason}, 'a line of the file says so', 'and the reason');

# decimal sign
my %profile = (
	'1,500 2,250'    => { '' => 'text', ',' => 'decimal', '.' => 'text' },
	'1,5 2,25'       => { '' => 'decimal', ',' => 'decimal', '.' => 'text' },
	'1.500 2.250'    => { '' => 'decimal', ',' => 'text', '.' => 'decimal' },
	'1 2'            => { '' => 'integer', ',' => 'integer', '.' => 'integer' },
);
for my $cells (sort keys %profile)
{
	for my $sign ('', ',', '.')
	{
		my $column = sheet("k;v\n" . join('', map { "k;$_\n" } split / /, $cells), "$cells with '$sign'", $sign ? ('--decimal', $sign) : ())->{columns}[1];
		is($column->{type}, $profile{$cells}{$sign}, 'its type');
		is(!!$column->{decimalComma}, $column->{type} eq 'decimal' && $cells =~ /,/, 'and its sign');
	}
}

# the row of names, found
sub heading
{
	my ($text, $names, $header, $titles, $what, @options) = @_;
	my $sheet = sheet($text, $what, @options);
	is_deeply([ map { $_->{name} } @{ $sheet->{columns} } ], $names, "$what: the names");
	is_deeply([ @{ $sheet->{details} }{qw(header titles)} ], [ $header ? $header : JSON::PP::false, $titles ], 'and where they are');
	return $sheet;
}
my $numbers = "1;2,5;x\n3;4,5;y\n5;6,5;z\n";
heading("a;b;c\n$numbers", [qw(a b c)], 1, undef, 'names in the first row');
is(heading("Informe, 2020\n\nFuente: INE\na;b;c\n$numbers", [qw(a b c)], 4, [ 1, 3 ], 'titles above them')->{details}{headerReason}, 'the rows above it have one cell or none', 'and the reason');
heading("Informe;;\n;;\na;b;c\n$numbers", [qw(a b c)], 3, [ 1, 2 ], 'titles as a spreadsheet writes them');
heading("Informe\nname;value\na;1\nb;2\n", [qw(name value)], 2, [1], 'a title above two columns');
heading("name;2019;2020\na;1;2\nb;3;4\n", [ 'name', 2019, 2020 ], 1, undef, 'years are names');
heading("name;2020-01-01;2020-02-01\na;1;2\nb;3;4\n", [ 'name', '2020-01-01', '2020-02-01' ], 1, undef, 'dates above numbers are names');
heading("only;texts\na;b\nc;d\n", [qw(only texts)], 1, undef, 'texts above texts are names');
heading("1;2\n", [ 1, 2 ], 1, undef, 'a single row has the names');
my $bare = heading($numbers, [qw(column column_2 column_3)], 0, undef, 'no names at all');
is_deeply($bare->{rows}, [ map { [ split /;/ ] } split /\n/, $numbers ], 'all rows are rows');
like($bare->{details}{headerReason}, qr/^the first row has values/, 'and the reason');
is($bare->{columns}[1]{type}, 'decimal', 'which is looked at as well');
heading("2020-01-01,5\n2020-01-02,6\n2020-01-03,7\n", [qw(column column_2)], 0, undef, 'dates and no names');
my $early = heading("title\na;b\n1;2\n3;4;5\n" . "6;7\n" x 5, [qw(a b column)], 2, [1], 'a title, and a row that is too long');
is_deeply($early->{issues}, [ { line => 4, reason => 'the row has 3 cells, the row of column names 2' } ], 'which is told once');
is_deeply(heading("1;2\n3;4\n5;6;7\n8;9\n", [qw(column column_2 column_3)], 0, undef, 'no names, and such a row')->{issues},
	[ { line => 3, reason => 'the row has 3 cells, the first row 2' } ], 'which is told');

# the row of names, said
heading($numbers, [ '1', '2,5', 'x' ], 1, undef, 'in the first row', '--header', 'first');
heading("a;b\n1;2\n", [qw(column column_2)], 0, undef, 'nowhere', '--header', 'none');
is_rows("a;b\n1;2\n", [ [ '', '' ], [qw(a b)], [ 1, 2 ] ], 'and the first row is one', '--header', 'none');
my $third = heading("x;y;z\n\"unclosed\na;b\n1;2\n", [qw(a b)], 3, undef, 'in the third line', '--header', 3);
is_deeply(cells($third), [ [qw(a b)], [ 1, 2 ] ], 'quotes above it mean nothing');
is_deeply([ @{ $third->{details} }{qw(skip headerReason)} ], [ 2, 'parseOptions says so' ], 'and the reason');
heading("x\ny\na;b\n1;2\n3;4\n", [qw(a b)], 3, undef, 'lines that are passed over', '--skip', 2);
heading("x\r\ny\r\na;b\r\n1;2\r\n", [qw(a b)], 3, undef, 'that end with CR LF', '--skip', 2);
heading("x\ry\ra;b\r1;2\r", [qw(a b)], 3, undef, 'and with CR', '--skip', 2);
heading("x\n1;2\n3;4\n5;6\n", [qw(column column_2)], 0, undef, 'and no names behind them', '--skip', 1);
heading('x' x 3_000_000 . "\na;b\n1;2\n", [qw(a b)], 2, undef, 'a line that is too long for a row is passed over', '--skip', 1);
is_deeply(cells(parse_pipe('csv', "x\r\ny\r\na;b\r\n1;2\r\n", 1, '--skip', 2)->{sheets}[0]), [ [qw(a b)], [ 1, 2 ] ], 'in pieces of a byte');
is(parse('csv', "a\nb\n", '--skip', 2)->{refused}, 'nothing is left of the file behind the lines that are passed over', 'all lines passed over');
my $wide = sheet(join(',', map { 'x' x 30_000 } 1 .. 30) . "\n" . ('y' x 900_000 . "\n") x 4, 'long rows before the names are known');
is_deeply([ map { length $_->[0] } @{ $wide->{rows} } ], [ (900_000) x 4 ], 'are all there');
is($wide->{columns}[29]{title}, 'x' x 30_000, 'and so are the titles');

# workbooks
my @lines = (['Informe'], [qw(a b c)], map { [ $_, "x$_", $_ / 2 ] } 1 .. 5);
my $cells = join '', map { '<row>' . join('', map { /^[\d.]+$/ ? "<c><v>$_</v></c>" : qq(<c t="inlineStr"><is><t>$_</t></is></c>) } @$_) . '</row>' } @lines;
my $book  = zip(workbook(sheets => [ [ 'first', "<sheetData>$cells</sheetData>" ] ]));
{
	my $sheet = parse('xlsx', $book)->{sheets}[0];
	is_deeply([ map { $_->{name} } @{ $sheet->{columns} } ], [qw(a b c)], 'a title in a workbook');
	is($sheet->{details}{header}, 2, 'and the row of names');
	$sheet = parse('xlsx', $book, '--header', 'none')->{sheets}[0];
	is(scalar @{ $sheet->{rows} }, 7, 'no names in a workbook');
	$sheet = parse('xlsx', $book, '--header', 3)->{sheets}[0];
	is_deeply([ map { $_->{name} } @{ $sheet->{columns} } ], [ '1', 'x1', '0 5' ], 'names in the third row');
	is(scalar @{ $sheet->{rows} }, 4, 'and the rows behind it');
	$sheet = parse('xlsx', $book, '--skip', 2)->{sheets}[0];
	is($sheet->{details}{header}, JSON::PP::false, 'rows that are passed over, and no names behind them');
}

# options that the command line does not take
for my $bad ([ '--colour', 'red' ], [ '--decimal', ';' ], [ '--delimiter', 'ab' ], [ '--delimiter', '"' ], [ '--header', '0' ], [ '--header', 'x' ], [ '--skip', '-1' ], [ '--encoding', '' ], [ '--encoding', 'a/b' ], ['--skip'])
{
	is(kind(eval { parse('csv', "a\n", @$bad) } // { status => 1, signal => 0 }), kind({ status => 1, signal => 0 }), "@$bad: not taken");
}

# over HTTP: set when the file is made, changed, taken back
my $service = Catalogue::Test->start->as_admin;
my $uploads = Catalogue::Upload->new($service);
my $worker  = Catalogue::Worker->start($service);
my $koi     = encode('koi8-r', "отчёт\nимя|число\nАлтай|1,500\nБайкал|2,250\n");
my $said    = '{"encoding":"KOI8-R","delimiter":"|","decimal":",","header":2}';

my $file = $worker->wait_for_file($uploads->file('koi.csv', $koi, parseOptions => $said)->{id});
is($file->{parseState}, 'ready', 'a form with options: the file is read') or diag($file->{parseReason});
is_deeply($file->{parseOptions}, { encoding => 'KOI8-R', delimiter => '|', decimal => ',', header => 2 }, 'it has them');
is_deeply($service->get("/files/$file->{id}/contents?types=true")->{json}{data}, [ { _id => 1, 'имя' => 'Алтай', 'число' => 1.5 }, { _id => 2, 'имя' => 'Байкал', 'число' => 2.25 } ], 'it is read so');
my $schema = $service->get("/files/$file->{id}/schema")->{json}{data};
is_deeply($schema->{dialect}, { header => JSON::PP::true, headerRows => [2], commentRows => [1], delimiter => '|' }, 'the schema tells the dialect');
is($schema->{encoding}, 'KOI8-R', 'and the encoding');
is_deeply($schema->{reasons}, { map { $_ => 'parseOptions says so' } qw(encoding delimiter header) }, 'and the reasons');

my $reply = $service->patch("/files/$file->{id}", { parseOptions => { header => JSON::PP::false, skip => 2 } });
is($reply->{status}, 200, 'other options by PATCH');
is($service->get("/files/$file->{id}/contents")->{status}, 200, 'there are contents at any time');
$file = $worker->wait_for_file($file->{id});
is($file->{rowCount}, 2, 'then it is read with these');
$schema = $service->get("/files/$file->{id}/schema")->{json}{data};
is($schema->{dialect}{header}, JSON::PP::false, 'without names');
is_deeply($schema->{dialect}{commentRows}, [ 1, 2 ], 'and without the rows that are passed over');
like($schema->{reasons}{encoding}, qr/^it has words/, 'the encoding is found');

$reply = $service->patch("/files/$file->{id}", { parseOptions => { encoding => 'klingon', skip => -1 } });
is($reply->{status}, 400, 'options that are wrong');
is(scalar @{ $reply->{json}{data}{parseOptions} }, 2, 'a fault for each');
is($service->get("/files/$file->{id}")->{json}{data}{rowCount}, 2, 'nothing is changed');
my ($body, %headers) = Catalogue::Upload::form(Catalogue::Upload::part('parseOptions', '{"header":'));
is($service->patch("/files/$file->{id}", $body, %headers)->{status}, 400, 'a form with a part that is no JSON');
($body, %headers) = Catalogue::Upload::form(Catalogue::Upload::part('parseOptions', 'null'));
is($service->patch("/files/$file->{id}", $body, %headers)->{status}, 200, 'a form that takes them back');
is($worker->wait_for_file($file->{id})->{parseOptions}, undef, 'they are gone');

# what fails leaves the former contents
$service->patch("/files/$file->{id}", { parseOptions => { skip => 900 } });
$file = $worker->wait_for_file($file->{id});
is($file->{parseState}, 'failed', 'options that leave nothing');
like($file->{parseReason}, qr/^nothing is left/, 'the reason');
is($service->get("/files/$file->{id}/contents")->{status}, 200, 'the former contents are shown');
my ($field) = map { $_->{parameters}{parseOptions} } grep { $_->{verb} eq 'POST' } @{ $service->request('OPTIONS', '/files')->{json}{methods} };
is($field->{type}, 'json', 'OPTIONS tells of them') or diag(explain($field));

$worker->finish;
$service->finish;
