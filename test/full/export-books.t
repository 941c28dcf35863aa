#!/usr/bin/perl
# Workbooks that the service writes are read by SheetJS, exceljs and LibreOffice: each gives the cells, the headings and
# the names of sheets that the file has, also those that look like escapes of XLSX and those that XML does not have.

use strict;
use warnings;
use utf8;

use Encode qw(decode encode);
use File::Temp ();
use Test::More;
use Catalogue::Client qw($json);
use Catalogue::Parser qw(cells parse part zip);
use Catalogue::Program qw(command run_to_end slurp);
use Catalogue::Test;
use Catalogue::Upload ();
use Catalogue::Worker;

binmode Test::More->builder->$_, ':encoding(UTF-8)' for qw(output failure_output);

my $service   = Catalogue::Test->start->as_admin;
my $uploads   = Catalogue::Upload->new($service);
my $worker    = Catalogue::Worker->start($service);
my $directory = File::Temp->newdir;

# Upload a file, and store it as workbooks of both forms in the directory; the paths by form.
sub books
{
	my ($name, $bytes, %values) = @_;
	my $file = $worker->wait_for_file($uploads->file($name, $bytes, %values)->{id});
	is($file->{parseState}, 'ready', "$name is read") or diag($file->{parseReason});
	my %path;
	for my $form (qw(xlsx xls))
	{
		my $reply = $worker->wait_for("$name as $form", sub {
			my $made = $service->get("/files/$file->{id}/download/$form");
			$made->{status} == 202 ? undef : $made;
		});
		is($reply->{status}, 200, "$name as $form is there") or diag($reply->{body});
		$path{$form} = "$directory/" . ($name =~ s/\.\w+$//r) . ".$form";
		open my $out, '>:raw', $path{$form} or die "$path{$form}: $!";
		print $out $reply->{body};
		close $out or die "$path{$form}: $!";
	}
	return \%path;
}

# Parse CSV of LibreOffice into a list of rows.
sub parsed
{
	my ($text) = @_;
	my (@rows, @cells);
	while ($text =~ /\G(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n)/gc)
	{
		my ($quoted, $bare, $end) = ($1, $2, $3);
		push @cells, defined $quoted ? $quoted =~ s/""/"/gr : $bare;
		next if $end eq ',';
		push @rows, [@cells];
		@cells = ();
	}
	return \@rows;
}

# A workbook as LibreOffice reads it: its sheets by their names, as rows; it writes each as a file with its name.
sub libreoffice
{
	my ($path) = @_;
	my $out = File::Temp->newdir;
	my ($said, $status) = run_to_end('soffice', "-env:UserInstallation=file://$directory/profile", '--headless',
		'--convert-to', 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,true,true,false,false,false,-1',
		'--outdir', "$out", $path);
	is($status, 0, 'LibreOffice reads it') or diag($said);
	my ($stem) = $path =~ m{([^/]+)\.\w+$};
	opendir my $all, "$out" or die "$out: $!";
	return { map {
		decode('utf8', $_) =~ /^\Q$stem\E-(.*)\.csv$/s ? ($1 => parsed(decode('utf8', slurp("$out/$_")))) : ()
	} readdir $all };
}

sub others
{
	my ($path) = @_;
	# modules are looked for beside the script
	system('cp', 'test/http/browser/books.js', 'build/browser/') == 0 or die "cp: $?\n";
	my ($xlsx, $xls) = @{ $json->decode(command({}, 'node', 'build/browser/books.js', @$path{qw(xlsx xls)})) };
	# exceljs leaves escapes where they are: in names, and in texts that are in their cells
	for my $texts (@{ $xlsx->{exceljs}{rows} }, $xlsx->{exceljs}{names})
	{
		s/_x([0-9A-F]{4})_/chr hex $1/ge for grep { defined } @$texts;
	}
	return { 'SheetJS of xlsx' => $xlsx->{SheetJS}, 'exceljs of xlsx' => $xlsx->{exceljs}, 'SheetJS of xls' =>
		$xls->{SheetJS} };
}

# cells and headings: what XML does not have, what looks like an escape, one escape in another, and what does not
my @odd = ("\x{fffe}", "a\x{ffff}b", "\x01", "\x1f\x0b", '_x0041_', 'a_x000D_b', '_x005F_x0041_', '_X0041_',
	'_x0041_x0042_', '__x0041__', '_x00e9_', '_xFFFF_', '_x0000_', '_x004g_', 'x0041_', '_', '_x', "\x{1fffe}",
	"é_x0041_\x{1f600}", ' a ', '=1+1', '<&">');
my @rows = ([ 'name', '_x0041_', "_xFFFE_\x{fffe}" ], map { [ "row $_", $odd[$_], "$odd[$_] of _x0042_" ] } 0 .. $#odd);
my $path = books('odd.csv', encode('utf8', join '', map { join(',', map { '"' . s/"/""/gr . '"' } @$_) . "\n" } @rows),
	parseOptions => '{"header": true}');
my $read = others($path);
for my $who (sort keys %$read)
{
	is_deeply($read->{$who}{rows}, \@rows, "the cells by $who");
	is_deeply($read->{$who}{names}, ['Sheet1'], "the name of the sheet by $who");
}
for my $form (qw(xlsx xls))
{
	is_deeply(libreoffice($path->{$form}), { Sheet1 => \@rows }, "the cells and the name by LibreOffice of $form");
	is_deeply(cells(parse($form, slurp($path->{$form}), '--header', 'first')->{sheets}[0]), \@rows,
		"the cells by the service of $form");
}

# names of sheets: those that Excel takes are kept; others lose what it refuses, and are told from each other
my @names = (
	[ "Côte d'Ivoire" ], [ 'History', 'History_' ], [ '_x0041_' ], [ "'90s'", '_90s_' ], [ 'a_x005F_b' ], [ 'Ñandú' ],
	[ 'ñandÚ', 'ñandÚ (2)' ], [ 'a/b:c', 'a_b_c' ], [ 'a' x 40, 'a' x 31 ], [ 'A' x 41, 'A' x 27 . ' (2)' ],
	[ '', 'Sheet11' ], [ 'x' x 30 . "'s", 'x' x 30 . '_' ], [ '😀' x 16, '😀' x 15 ],
	[ '_x0041_' x 8, '_x0041__x0041_' ], [ 'HISTORY', 'HISTORY (2)' ],
);
my $ods = { name => 'ods', mimetype => ['application/vnd.oasis.opendocument.spreadsheet'] };
is($service->post('/filetypes', $ods)->{status}, 201, 'files of OpenDocument are taken');
my $escaped = sub { return $_[0] =~ s/&/&amp;/gr =~ s/'/&apos;/gr };
my $tables = join '', map { "<table:table table:name='" . $escaped->($_->[0]) . "'>" . join('', map {
	"<table:table-row><table:table-cell office:value-type='string'><text:p>$_</text:p></table:table-cell>"
		. '</table:table-row>' } 'heading', 'cell') . '</table:table>' } @names;
my $path_of_names = books('names.ods', zip(part('content.xml', encode('utf8', '<office:document-content '
	. join(' ', map { "xmlns:$_=\"urn:oasis:names:tc:opendocument:xmlns:$_:1.0\"" } qw(office table text))
	. "><office:body><office:spreadsheet>$tables</office:spreadsheet></office:body></office:document-content>"))));
my @wanted = map { $_->[1] // $_->[0] } @names;
$read = others($path_of_names);
is_deeply($read->{$_}{names}, \@wanted, "the names by $_") for sort keys %$read;
is_deeply([ sort keys %{ libreoffice($path_of_names->{$_}) } ], [ sort @wanted ], "the names by LibreOffice of $_")
	for qw(xlsx xls);
is_deeply([ map { $_->{name} } @{ parse($_, slurp($path_of_names->{$_}))->{sheets} } ], \@wanted,
	"the names by the service of $_") for qw(xlsx xls);

# numbers and dates that stand for no value are texts, so that no program computes with them
$path = books('marks.csv', "n,d\n1,2026-01-01\n-99,1900-01-01\n3,2026-01-03\n",
	parseOptions => '{"header": true, "missing": ["-99", "1900-01-01"]}');
$read = others($path);
is($json->encode([ map { $_->[0] } @{ $read->{$_}{rows} } ]), '["n",1,"-99",3]', "a mark is a text by $_")
	for sort keys %$read;
is($read->{$_}{rows}[2][1], '1900-01-01', "a date that is a mark is a text by $_") for sort keys %$read;

$worker->finish;
$service->finish;
