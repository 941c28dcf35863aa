package Catalogue::Real;

# Real files from a directory beside the project; when there are none, generated files of the same names and sizes.

use strict;
use warnings;

use Catalogue::Parser ();
use Catalogue::Program qw(slurp);
use Exporter 'import';

our @EXPORT = qw(real_file);

# Rows of the tables, by name.
my %rows = (countries => 249, regions => 3987, navaids => 11008, runways => 48184);

# The bytes of a file by its name.
sub real_file
{
	my ($name) = @_;
	my $path = "../shared/data/$name";
	my ($table) = $name =~ /^(\w+)\.csv$/;

	return slurp($path) if -r $path;
	Test::More::note("$path is missing: a generated file is used");
	return $table ? table($rows{$table} // die "no such file: $name\n") : workbook('regions', 'countries');
}

# A table with the given number of rows as CSV, each with a place on a map.
sub table
{
	my ($count) = @_;
	return join '', qq("id","ident","name","latitude_deg","longitude_deg","remark"\r\n),
		map { sprintf qq(%d,"P%d","Place %d",%.4f,%.4f,"said ""%d"", twice"\r\n), 300_000 + $_, $_, $_, place($_),
			$_ } 1 .. $count;
}

# Latitude and longitude of a row: all over the world.
sub place
{
	my ($row) = @_;
	return ($row * 31 % 17_000 / 100 - 85, $row * 7919 % 36_000 / 100 - 180);
}

# A workbook with a sheet of each table, its cells as texts.
sub workbook
{
	my (@tables) = @_;
	return Catalogue::Parser::zip(
		Catalogue::Parser::workbook(sheets => [ map { [ $_, sheet(table($rows{$_})) ] } @tables ]));
}

# The XML of a sheet that has the rows of a table.
sub sheet
{
	my ($csv) = @_;
	my $rows = '';
	for my $line (split /\r\n/, $csv)
	{
		my @cells = map { s/^"|"$//gr =~ s/""/"/gr =~ s/"/&quot;/gr } split /,(?=["\d-])/, $line;
		$rows .= '<row>' . join('', map { qq(<c t="str"><v>$_</v></c>) } @cells) . '</row>';
	}
	return "<sheetData>$rows</sheetData>";
}

1;
