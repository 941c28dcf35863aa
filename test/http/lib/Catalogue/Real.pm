package Catalogue::Real;

# Real files, where they lie beside the project; else files of our own of the same names and sizes.

use strict;
use warnings;

use Catalogue::Test;
use Exporter 'import';
use File::Temp ();

our @EXPORT = qw(real_file);

# Rows of the tables, by name.
my %rows = (countries => 249, regions => 3987, navaids => 11008, runways => 48184);

# The bytes of a file by its name.
sub real_file
{
	my ($name) = @_;
	my $path = "../shared/data/$name";
	my ($table) = $name =~ /^(\w+)\.csv$/;

	return Catalogue::Test::slurp($path) if -r $path;
	Test::More::note("$path is not here: one of our own is taken");
	return $table ? table($rows{$table} // die "no such file: $name\n") : workbook('regions', 'countries');
}

# A table of so many rows as CSV.
sub table
{
	my ($count) = @_;
	return join '', qq("id","name","latitude_deg","remark"\r\n), map { sprintf qq(%d,"Place %d",%.4f,"said ""%d"", twice"\r\n), 300_000 + $_, $_, $_ / 1000, $_ } 1 .. $count;
}

# A workbook with a sheet of each table, as another program writes it.
sub workbook
{
	my (@tables) = @_;
	my $directory = File::Temp->newdir;

	for my $name (@tables)
	{
		open my $out, '>', "$directory/$name.csv" or die "$name: $!\n";
		print {$out} table($rows{$name});
		close $out or die "$name: $!\n";
	}
	system("cd $directory && ssconvert --merge-to=book.xlsx " . join(' ', map { "$_.csv" } @tables) . ' > /dev/null 2>&1') == 0 or die "ssconvert made no workbook\n";
	return Catalogue::Test::slurp("$directory/book.xlsx");
}

1;
