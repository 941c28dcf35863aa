package Bench::Upkeep;

# The jobs that measure how tables grow while records change, and how long writers of statistics wait while
# they are emptied.  See Reads.pm for what a job is.

use strict;
use warnings;

use POSIX ();

use Bench::Load   ();
use Bench::Report ();
use Time::HiRes qw(sleep time);

my $UPDATES = 100_000;
my $CLIENTS = 8;

my $REQUESTS = 10_000_000;
my $BATCH    = 1_000;
my $SECONDS  = 12;
my $RATE     = 20; # batches a second, as from two threads of the shim

# Tables that an update of a dataset writes to.
my @tables = qw(catalogue.datasets catalogue.counter catalogue.change catalogue.logs catalogue_history.datasets);

sub jobs
{
	return (
		{ name => 'bloat',    title => "Sizes of tables after $UPDATES updates, compared with the same rows rewritten",
			prepare => \&bloat },
		{ name => 'emptying', title => "Statistics of $REQUESTS requests emptied while others are recorded, and summed",
			prepare => \&emptying },
	);
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
	Bench::Load::output_of('pgbench', '-n', '-M', 'prepared', '-U', 'postgres', '-c', $CLIENTS, '-j', 2, '-t',
		$UPDATES / $CLIENTS,
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
		push @lines, sprintf '%-30s' . '%11.2f' x 6, $table, map { megabytes($_) } map { @{ $_->{$table} } } $before,
			$after, $anew;
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
			{ text => 'tables, times those rewritten', most => 1.5,
				value => sub { megabytes(map { $_->[0] } values %after) / megabytes(map { $_->[0] } values %anew) } },
			{ text => 'indexes, times those rewritten', most => 2.5,
				value => sub { megabytes(map { $_->[1] } values %after) / megabytes(map { $_->[1] } values %anew) } },
			{ text => 'MB of the counter with its index', most => 16,
				value => sub { megabytes(@{ $after{'catalogue.counter'} }) } },
		],
	};
}

# Store batches of statistics by pgbench; what it prints.
sub record
{
	my ($service, @arguments) = @_;
	my $script = $service->file;

	open my $out, '>', $script or die "$script: $!\n";
	print {$out} "SELECT catalogue.record_statistics(string_agg(concat_ws(E'\\t',
		(extract(epoch FROM now()) * 1000000)::bigint, 'GET', "
		. "(ARRAY['datasets', 'files', 'tags', 'users'])[1 + i % 4], '/datasets/' || i, 'limit=20', '', 'Mozilla/5.0', "
			. "'192.0.2.1'), E'\\n')) "
		. "FROM generate_series(1, $BATCH) i;\n";
	close $out or die "$script: $!\n";
	return Bench::Load::output_of('pgbench', '-n', '-M', 'prepared', '-U', 'postgres', '-c', 2, '-j', 1, '-f', $script,
		@arguments, 'catalogue');
}

# Record batches at a constant rate in another process; its number, and the prefix of its log.
sub record_meanwhile
{
	my ($service) = @_;
	my $prefix = $service->file;
	my $child  = fork // die "fork: $!\n";

	return ($child, $prefix) if $child;
	eval { record($service, '-R', $RATE, '-T', $SECONDS, '-l', "--log-prefix=$prefix"); 1 } or print STDERR $@;
	POSIX::_exit($@ ? 1 : 0);
}

# Milliseconds of each transaction in the logs of pgbench.
sub durations
{
	my ($prefix) = @_;
	my @milliseconds;

	for my $name (glob "$prefix.*")
	{
		open my $in, '<', $name or die "$name: $!\n";
		push @milliseconds, map { (split / /)[2] / 1000 } <$in>;
		close $in;
	}
	return @milliseconds;
}

sub seconds_of
{
	my ($service, $statement) = @_;
	my $begin = time;
	$service->sql($statement);
	return time - $begin;
}

# No request may be lost or counted twice, and the summary must be the same before and after.
sub emptying
{
	my ($service) = @_;

	$service->sql('TRUNCATE catalogue.statistics, catalogue.statistics_by_day');
	record($service, '-t', $REQUESTS / $BATCH / 2);
	my ($child, $prefix) = record_meanwhile($service);
	sleep $SECONDS / 3;
	my $emptying = seconds_of($service, 'SELECT catalogue.roll_up_statistics()');
	waitpid $child, 0;
	die "the batches were not recorded\n" if $?;
	my @milliseconds = durations($prefix);
	$service->sql('SELECT catalogue.sweep()');
	my $summary = seconds_of($service, q(SELECT data FROM catalogue.statistics_summary('groupBy=day,resource')));
	my $counted = $service->sql('SELECT sum(requests) FROM catalogue.statistics_by_day');
	my $sent    = $REQUESTS + @milliseconds * $BATCH;

	die "$counted requests are counted, not $sent\n" if $counted != $sent;
	return {
		rounds     => 1,
		contenders => [],
		notes      => sub { sprintf '%d batches of %d requests were recorded meanwhile', scalar @milliseconds, $BATCH },
		verdicts   => [
			{ text => 'seconds to empty the statistics',        most => 60,    value => sub { $emptying } },
			{ text => 'longest milliseconds of a batch',        most => 1_000,
				value => sub { Bench::Report::quantile(1, @milliseconds) } },
			{ text => 'seconds of a summary by day, resource',  most => 1,     value => sub { $summary } },
		],
	};
}

1;
