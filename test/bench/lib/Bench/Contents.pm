package Bench::Contents;

# Jobs on rows of a file, each compared with a typed table of the same rows.  See Reads.pm for what a job is.

use strict;
use warnings;

use Bench::Files ();
use Bench::Load  ();
use Bench::Reads ();

my $ROWS = 1_000_000;
my $FAR  = 900_000;

sub jobs
{
	return (
		{ name => 'pages',   title => 'Pages of 1,000,000 rows of a file',            prepare => \&pages },
		{ name => 'filters', title => 'Conditions on 1,000,000 rows, no index',       prepare => \&filters },
		{ name => 'charts',  title => 'Charts of 1,000,000 rows of a file',           prepare => \&charts },
		{ name => 'exports', title => '1,000,000 rows of a file as CSV, all of them', prepare => \&exports },
	);
}

# The file that the jobs read, and the table with the same rows; both are made once.
my $file;

sub file_of
{
	my ($service) = @_;
	return $file if defined $file;
	my $csv   = Bench::Files::write_table($service, $service->file, $ROWS, Bench::Files::columns());
	my $typed = join ', ', map { "$_->[0] $_->[1]" } Bench::Files::columns();
	my $id    = Bench::Files::put_file($service, $csv, 'contents.csv');

	$service->sql("CREATE TABLE bench_contents ($typed)");
	Bench::Load::output_of('psql', '-XAtq', '-d', 'catalogue', '-c',
		"\\copy bench_contents FROM $csv (FORMAT csv, HEADER)");
	$service->sql('VACUUM ANALYZE bench_contents');
	Bench::Files::wait_for_rows($service, $id);
	unlink $csv;
	return $file = $id;
}

# Targets of pages from a row on, all different, since a page that was read before is in the page cache.
sub pages_from
{
	my ($id, $row) = @_;
	return [map { "/files/$id/contents?limit=20&skip=" . ($row + 20 * $_) } 1 .. 1000];
}

sub pages
{
	my ($service) = @_;
	my $id = file_of($service);

	return {
		contenders => [
			['first', 'page near the first row', $service->single(targets => pages_from($id, 0))],
			['far', "page after row $FAR", $service->single(targets => pages_from($id, $FAR))],
			['list', 'page of datasets', $service->single(targets => [map { '/datasets?limit=20&skip=' . 20 * $_ } 1 .. 1000])],
		],
		verdicts => [
			{ text => 'far, times the first', most => 2, value => sub { $_[0]{far}{p50} / $_[0]{first}{p50} } },
			Bench::Reads::ratio('of a list of datasets', 'far', 'list', 0.5),
		],
	};
}

# A statement, in one process of PostgreSQL.
sub statement
{
	my ($service, $sql) = @_;
	return sub {
		return Bench::Load::statement(
			sql => $sql, database => $service->{server}{database}, cores => $service->{cores},
				setup => ['SET max_parallel_workers_per_gather = 0']);
	};
}

# The same condition as query parameters and in SQL.
my %conditions = (
	number => { words => 'value=500.25',     sql => 'value = 500.25',       text => 'a number' },
	text   => { words => 'name=ation%20432', sql => "name ILIKE '%ation 432%'", text => 'a part of a text' },
	day    => { words => 'measured=2021-01-01', sql => "measured >= '2021-01-01' AND measured < '2021-01-02'",
		text => 'a day' },
);

sub filters
{
	my ($service) = @_;
	my $id     = file_of($service);
	my $client = $service->client;
	my @contenders;

	for my $name (sort keys %conditions)
	{
		my ($words, $sql) = @{ $conditions{$name} }{qw(words sql)};
		my $right = $service->sql("SELECT count(*) FROM bench_contents WHERE $sql");
		my $found = $client->list("/files/$id/contents?limit=1&$words")->{json}{meta}{count};

		die "$words: count is $found, not $right\n" unless $found == $right;
		push @contenders, [$name, "$conditions{$name}{text}, $found found",
			$service->single(targets => [map { "/files/$id/contents?limit=20&$words&other=$_" } 1 .. 1000])];
		push @contenders,
			["$name, table", 'the same, by a sequential scan',
				statement($service, "SELECT count(*) FROM bench_contents WHERE $sql")];
	}
	return {
		contenders => \@contenders,
		verdicts   => [map {
			my $name = $_;
			{ text => "$conditions{$name}{text}, times the scan", most => 3,
				value => sub { $_[0]{$name}{p50} / $_[0]{"$name, table"}{p50} } }
		} sort keys %conditions],
	};
}

# What charts show: columns of the file, and the same in SQL.
my %series = (
	sum   => { words => '["district", "value"]',
		sql => 'SELECT district, sum(value) FROM bench_contents GROUP BY district' },
	count => { words => '["unit"]',              sql => 'SELECT unit, count(*) FROM bench_contents GROUP BY unit' },
);

# A change of its form has a chart made again.
sub charts
{
	my ($service) = @_;
	my $id    = file_of($service);
	my $admin = $service->id_of_admin;
	my @contenders;

	for my $name (sort keys %series)
	{
		my ($words, $sql) = @{ $series{$name} }{qw(words sql)};
		my $chart = $service->sql("INSERT INTO catalogue.charts (name, file, type, data_series, created_by) VALUES ('Bench "
			. "$name', '$id', 'bar', '$words', '$admin') RETURNING id");
		my $shown = $service->sql(
			"SELECT sum(v::numeric) FROM catalogue.charts, json_array_elements_text(data -> 'data') v WHERE id = '$chart'");
		my $right = $service->sql("SELECT sum(v) FROM ($sql) s (label, v)");

		die "the values of chart $name are $shown together, not $right\n" unless $shown == $right;
		push @contenders, [$name, "chart, $name by label", statement($service, "UPDATE catalogue.charts SET type = CASE type "
			. "WHEN 'bar' THEN 'line' ELSE 'bar' END::catalogue.chart_type WHERE id = '$chart'")];
		push @contenders, ["$name, table", 'the same GROUP BY, in one process', statement($service, $sql)];
	}
	return {
		contenders => \@contenders,
		verdicts   => [map {
			my $name = $_;
			{ text => "$name, times the GROUP BY", most => 2, value => sub { $_[0]{$name}{p50} / $_[0]{"$name, table"}{p50} } }
		} sort keys %series],
	};
}

sub exports
{
	my ($service) = @_;
	my $id      = file_of($service);
	my %headers = $service->as_admin;
	my @headers = map { ('-H', "$_: $headers{$_}") } sort keys %headers;

	return {
		rounds     => 3,
		contenders => [
			[
				'file',
				'GET contents as CSV',
				Bench::Files::once(
					$service, $service->{server}{shim},
					sub {
						my $lines = Bench::Load::output_of('sh', '-c', 'curl -s -S -f "$@" | wc -l', 'sh', @headers, '-H',
							'Accept: text/csv', "$service->{base}/files/$id/contents");
						die "$lines lines were received\n" unless $lines == $ROWS + 1;
					})
			],
			['copy', 'COPY TO of the table', Bench::Files::once($service, undef, sub { Bench::Load::output_of('sh', '-c',
				'psql -XAtq -d catalogue -c "\copy bench_contents TO STDOUT (FORMAT csv, HEADER)" | wc -l') })],
		],
		verdicts => [Bench::Reads::ratio('of COPY TO', 'file', 'copy', 0.5)],
		after    => sub { $service->sql('DROP TABLE bench_contents'); undef $file; return },
	};
}

1;
