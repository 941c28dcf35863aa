package Bench::Rows;

# Questions on the rows of a file, 1,000,000 and 20,000,000, beside DuckDB with one thread on a table of its own, behind
# Fastify.  See Reads.pm for what a job is.

use strict;
use warnings;

use Time::HiRes qw(time);

use Bench::Files  ();
use Bench::Reads  ();
use Bench::Rivals ();

my $ROWS  = 1_000_000;
my $LARGE = 20_000_000;    # of fewer columns, since the cells of a file have 2 GB at most

# A number from 0 on for each row, as if at random.
sub random { return "abs(hashint4(n + $_[0]) \% $_[1])" }

my @NAMES = map { "'$_'" } qw(Juan María José Ana Luis Carla Pedro Sofía Miguel Lucía);
my $name  = "(ARRAY[@{[ join ', ', @NAMES ]}])";
my @COLUMNS = (
	['id', 'integer', 'n'],
	['city', 'text', "(ARRAY['Buenos Aires', 'Córdoba', 'Rosario', 'Mendoza', 'La Plata', 'Tucumán', 'Mar del Plata', "
			. "'Salta', 'Santa Fe', 'San Juan', 'Resistencia', 'Neuquén', 'Posadas', 'Bahía Blanca', 'Paraná'])[1 + "
			. random(1, 15) . ']'],
	['station',  'text',    "'Station ' || lpad(" . random(2, 997) . "::text, 4, '0')"],
	['measured', 'date',    q{to_char(timestamp '2020-01-01' + n * interval '1 minute', 'YYYY-MM-DD')}],
	['time',     'text',    q{to_char(timestamp '2020-01-01' + n * interval '1 minute', 'HH24:MI')}],
	['value',    'numeric', 'round(' . random(3, 500) . ' / 10.0, 1)'],
	['amount',   'numeric', 'round(' . random(4, 10_000_000) . ' / 100.0, 2)'],
	['code',     'text',    "chr(65 + @{[ random(5, 6) ]}) || lpad(@{[ random(6, 100_000) ]}::text, 5, '0')"],
	['name',     'text',    "${name}[1 + @{[ random(7, 10) ]}] || ' ' || ${name}[1 + @{[ random(8, 10) ]}]"],
	['address',  'text',    "(ARRAY['San Martín', 'Belgrano', 'Rivadavia', 'Mitre', 'Sarmiento', 'Moreno'])[1 + "
			. random(9, 6) . "] || ' ' || (1 + " . random(10, 9999) . ')'],
);

# Each question: its text, the query of the service for a value, a value for each number, and how many times as long as
# DuckDB it may take.
my @QUESTIONS = (
	['id', 'one id', 'id%5Beq%5D=%s', sub { 1 + $_[0] * 7919 % $ROWS }, 1],
	['above', 'a city and a number above', 'city%5Beq%5D=Rosario&value%5Bgt%5D=%s', sub { 20 + $_[0] % 2000 / 100 }, 1],
	['station', 'one of 997 stations', 'station%5Beq%5D=%s', sub { sprintf 'Station%%20%04d', $_[0] % 997 }, 1],
	['part', 'a part of a text, without case and accents', 'address=%s', sub { 'martin%20' . (100 + $_[0] % 900) }, 0.5],
	['day', 'a day of a year', 'measured=%s', sub { sprintf '2020-%02d-%02d', 1 + $_[0] % 12, 1 + $_[0] % 28 }, 1],
	['largest', 'the largest 20 of a column', 'orderBy=amount&sort=desc&skip=%s', sub { $_[0] % 1000 }, 1],
	['few', '15 groups, count and average, with a condition',
		'groupBy=city&aggregate=count,avg%28value%29&value%5Bgt%5D=%s', sub { $_[0] % 3000 / 100 }, 2],
	['many', '997 groups, count and maximum, with a condition',
		'limit=1000&groupBy=station&aggregate=count,max%28amount%29&value%5Bgt%5D=%s', sub { $_[0] % 3000 / 100 }, 2],
	['far', 'a page at row 900,000', 'skip=%s', sub { 900_000 + 20 * ($_[0] % 4000) }, 0.5],
);

sub jobs
{
	return (
		{ name => 'rows', title => 'Questions on 1,000,000 rows of a file, beside DuckDB', prepare => \&rows },
		{ name => 'rows20', title => 'The same on 20,000,000 rows', prepare => \&large },
	);
}

# Upload the file; return its id, and the seconds from the upload until its last row can be read.
sub load
{
	my ($service, $csv) = @_;
	my $began = time;
	my $id    = Bench::Files::put_file($service, $csv, 'readings.csv');

	Bench::Files::wait_for_rows($service, $id);
	return ($id, time - $began);
}

# The addresses of a question with another value for each number, at the service and at DuckDB; where it has fewer
# values, a parameter that the service does not know keeps answers from coming from the page cache.
sub targets
{
	my ($id, $question) = @_;
	my ($name, undef, $query, $value) = @$question;

	return [
		[map { my $v = $value->($_); "/files/$id/contents?" . ($query =~ s/%s/$v/r) . "&other=$_" } 1 .. 50_000],
		[map { "/$name?v=" . $value->($_) } 1 .. 50_000],
	];
}

# The contenders and verdicts of all questions.
sub asked
{
	my ($service, $duckdb, $id) = @_;
	my (@contenders, @verdicts);

	for my $question (@QUESTIONS)
	{
		my ($name, $text, undef, undef, $most) = @$question;
		my ($ours, $other) = @{ targets($id, $question) };

		push @contenders, [$name, $text, $service->single(targets => $ours)];
		push @contenders, ["$name, DuckDB", 'the same, by DuckDB',
			$service->single(server => 'duckdb', base => $duckdb, headers => {}, targets => $other)];
		push @verdicts,
			{ text => "$text, times DuckDB", most => $most,
				value => sub { $_[0]{$name}{p50} / $_[0]{"$name, DuckDB"}{p50} } };
	}
	return (\@contenders, \@verdicts);
}

# End DuckDB, which has a table of this job, and remove the files.
sub end
{
	my ($service, @files) = @_;
	(delete $service->{server}{duckdb})->stop;
	delete $service->{rival}{duckdb};
	unlink @files;
	return;
}

sub rows
{
	my ($service) = @_;
	my $csv    = Bench::Files::write_table($service, $service->file, $ROWS, @COLUMNS);
	my $duckdb = Bench::Rivals::node($service, 'duckdb', ROWS => $csv);
	my ($id)   = load($service, $csv);
	my ($contenders, $verdicts) = asked($service, $duckdb, $id);
	my %stored;

	$stored{duckdb} = Bench::Client->new($duckdb)->get('/load', [200])->{json}{bytes};
	$stored{shim}   = $service->sql('SELECT sum(pg_column_size(c.data) + pg_column_size(c.bounds)) FROM catalogue.sheet s '
			. "JOIN catalogue.sheet_chunk c ON c.sheet = s.id WHERE s.file = '$id'");
	my @all   = map { targets($id, $QUESTIONS[$_]) } 1, 2, 6;
	my @mixed = map { my $i = $_; [map { @{ $_->[$i] }[0 .. 9999] } @all] } 0, 1;
	return {
		contenders => [@$contenders,
			['mixed', '32 clients with filters and groups', $service->load(targets => $mixed[0], connections => 32)],
			['mixed, DuckDB', 'the same, by DuckDB', $service->load(server => 'duckdb', base => $duckdb, headers => {},
				targets => $mixed[1], connections => 32)],
			['load', 'load, until it can be read', Bench::Files::once($service, undef, sub { load($service, $csv) })],
			['load, DuckDB', 'the same, by DuckDB', Bench::Files::once($service, $service->{server}{duckdb},
				sub { Bench::Client->new($duckdb)->get('/load', [200]) })],
		],
		verdicts => [@$verdicts, Bench::Reads::ratio('answers to 32 clients, of DuckDB', 'mixed', 'mixed, DuckDB', 1),
			{ text => 'load, times DuckDB', most => 1, value => sub { $_[0]{load}{p50} / $_[0]{'load, DuckDB'}{p50} } },
			{ text => 'stored, times DuckDB', most => 1.2, value => sub { $stored{shim} / $stored{duckdb} } }],
		after => sub { end($service, $csv, "$csv.duckdb"); return },
	};
}

sub large
{
	my ($service) = @_;
	my @columns = grep { $_->[0] !~ /^(?:time|name)$/ } @COLUMNS;
	my $few     = Bench::Files::write_table($service, $service->file, $ROWS,  @columns);
	my $csv     = Bench::Files::write_table($service, $service->file, $LARGE, @columns);
	my $duckdb  = Bench::Rivals::node($service, 'duckdb', ROWS => $csv, PATIENCE => 300);
	my ($first) = load($service, $few);
	my ($id)    = load($service, $csv);
	my ($contenders, $verdicts) = asked($service, $duckdb, $id);

	return {
		contenders => [
			['million', 'one id of 1,000,000 rows', $service->single(targets => targets($first, $QUESTIONS[0])->[0])],
			@$contenders,
		],
		verdicts => [@$verdicts, { text => 'one id, times one of 1,000,000 rows', most => 5,
				value => sub { $_[0]{id}{p50} / $_[0]{million}{p50} } }],
		after => sub { end($service, $few, $csv, "$csv.duckdb"); return },
	};
}

1;
