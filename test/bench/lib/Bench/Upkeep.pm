package Bench::Upkeep;

# The job that measures how tables grow while records change.  See Reads.pm for what a job is.

use strict;
use warnings;

use Bench::Load   ();
use Bench::Report ();

my $UPDATES = 100_000;
my $CLIENTS = 8;

# Tables that an update of a dataset writes to.
my @tables = qw(catalogue.datasets catalogue.counter catalogue.change catalogue.logs catalogue_history.datasets);

sub jobs
{
	return ({ name => 'bloat', title => "Sizes of tables after $UPDATES updates, compared with the same rows rewritten", prepare => \&bloat });
}

# Sizes in bytes of the tables and of their indexes: {name => [table, indexes]}.
sub sizes_of
{
	my ($service) = @_;
	return map { $_ => [split /\|/, $service->sql("SELECT pg_table_size('$_'), pg_indexes_size('$_')")] } @tables;
}

# Update datasets with all triggers, each in a separate transaction.
sub update
{
	my ($service) = @_;
	my $script = $service->file;

	open my $out, '>', $script or die "$script: $!\n";
	print {$out} "\\set id random(100000000000001, 100000000000000 + :size)\n\\set number random(1, 1000000)\n"
		. "UPDATE catalogue.datasets SET notes = 'Changed ' || :number::text WHERE id = :id::text;\n";
	close $out or die "$script: $!\n";
	Bench::Load::output_of('pgbench', '-n', '-M', 'prepared', '-U', 'postgres', '-c', $CLIENTS, '-j', 2, '-t', $UPDATES / $CLIENTS,
		'-f', $script, '-D', "size=$service->{option}{size}", 'catalogue');
	return;
}

sub megabytes
{
	my (@sizes) = @_;
	my $sum = 0;
	$sum += $_ for @sizes;
	return $sum / 1024 / 1024;
}

sub table_of_sizes
{
	my ($before, $after, $anew) = @_;
	my @lines = sprintf '%-30s' . '%22s' x 3, 'MB of table and indexes', 'before', 'after', 'rewritten';

	for my $table (@tables)
	{
		push @lines, sprintf '%-30s' . '%11.2f' x 6, $table, map { megabytes($_) } map { @{ $_->{$table} } } $before, $after, $anew;
	}
	return @lines;
}

# Autovacuum runs with its settings; the sizes are those at the end of the run.
sub bloat
{
	my ($service) = @_;
	my %before = sizes_of($service);
	update($service);
	my %after = sizes_of($service);
	$service->sql("VACUUM (FULL) $_") for @tables;
	my %anew = sizes_of($service);
	my @findings = split /\n/, $service->sql('SELECT * FROM catalogue.check_all()');

	die "the catalogue is inconsistent: $findings[0]\n" if @findings;
	return {
		rounds     => 1,
		contenders => [],
		notes      => sub { table_of_sizes(\%before, \%after, \%anew) },
		verdicts   => [
			{ text => 'tables, times those rewritten', most => 1.5, value => sub { megabytes(map { $_->[0] } values %after) / megabytes(map { $_->[0] } values %anew) } },
			{ text => 'indexes, times those rewritten', most => 2.5, value => sub { megabytes(map { $_->[1] } values %after) / megabytes(map { $_->[1] } values %anew) } },
			{ text => 'MB of the counter with its index', most => 16, value => sub { megabytes(@{ $after{'catalogue.counter'} }) } },
		],
	};
}

1;
