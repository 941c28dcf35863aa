package Bench::Limits;

# Jobs that measure what must hold at any size: cost by size, memory, plans.  See Reads.pm for what
# a job is.

use strict;
use warnings;

use Bench::Client ();
use Bench::Reads  ();
use Bench::Report ();

my @sizes = (1000, 10_000, 100_000, 1_000_000);
my $FLAT  = 1.5;       # at most so many times the cost at the smallest size
my $LARGE = 10_000;    # a table with more rows must not be scanned sequentially
my $CROWD = 1000;      # clients

sub jobs
{
	return (
		{ name => 'sizes',  title => 'Cost by size, one connection',             prepare => \&sizes },
		{ name => 'memory', title => "Memory of the shim, $CROWD connections",   prepare => \&memory },
		{ name => 'plans',  title => 'Sequential scans of large tables, by EXPLAIN', prepare => \&plans },
	);
}

# Requests at each size, sent without a credential: name, and targets.  The first of each hundred is published.
sub shapes
{
	my ($base, $size) = @_;
	my $client = Bench::Client->new($base);
	my $middle = $client->list('/datasets?limit=20&skip=' . int($size / 2))->{json};

	return (
		item  => [map { sprintf '/datasets/%.0f', 100_000_000_000_001 + 100 * int rand $size / 100 } 1 .. 1000],
		list  => ['/datasets?limit=20'],
		next  => [$client->target($middle->{links}{next})],
		count => ['/datasets/count'],
		tag    => [map { "/datasets?tags.slug=keyword-$_&match=EXACT&limit=20" } 1 .. 200],
		search => [map { "/datasets?query=xylograph&limit=$_" } 1 .. 20],
	);
}

# Contenders of one size: [name and size, title, load].
sub of_size
{
	my ($service, $size) = @_;
	my $own  = $size == $service->{option}{size};
	my $name = $own ? 'shim' : "shim of $size";
	my $base = $own ? $service->{base} : $service->another_shim($name, $service->another_database($size));
	my %shapes = shapes($base, $size);

	return map { ["$_ $size", sprintf('%-6s %9d datasets', $_, $size),
		$service->single(server => $name, base => $base, headers => {}, targets => $shapes{$_})] } sort keys %shapes;
}

# CPU time of one answer in the shim and PostgreSQL together, which varies less than its duration.
sub cost
{
	my ($measurement) = @_;
	return $measurement->{cpu} + $measurement->{database};
}

# A table of median costs, by shape and size.
sub table_of_sizes
{
	my ($sizes, %rounds) = @_;
	my @lines = sprintf '%-8s' . '%12d' x @$sizes, 'CPU us', @$sizes;

	for my $shape (qw(item list next count tag search))
	{
		push @lines, sprintf '%-8s' . '%12s' x @$sizes, $shape,
			map { Bench::Report::number(
				scalar Bench::Report::quantile(0.5, map { cost($_) } @{ $rounds{"$shape $_"} })) } @$sizes;
	}
	return @lines;
}

sub sizes
{
	my ($service) = @_;
	my %seen;
	my @here = grep { !$seen{$_}++ } (grep { $_ < $service->{option}{size} } @sizes), $service->{option}{size};
	my @contenders = sort { $a->[1] =~ s/ .*//r cmp $b->[1] =~ s/ .*//r } map { of_size($service, $_) } @here;

	return {
		seconds    => 1,
		contenders => \@contenders,
		notes      => sub { table_of_sizes(\@here, @_) },
		verdicts   => [
			map {
				my $shape = $_;
				{
					text  => "$shape: $here[-1] datasets, times $here[0]",
					most  => $FLAT,
					value => sub { cost($_[0]{"$shape $here[-1]"}) / cost($_[0]{"$shape $here[0]"}) }
				}
			} qw(item list next count)
		],
	};
}

# Resident memory in MB while so many clients are connected, each after it has read an item and a list.
sub memory_of_crowd
{
	my ($service) = @_;
	my @clients = map { $service->client } 1 .. $CROWD;

	for my $target ('/datasets/100000000000001', '/datasets?limit=20')
	{
		$_->send_request('GET', $target) for @clients;
		$_->read_answer for @clients;
	}
	return $service->{server}{shim}->memory;
}

sub memory
{
	my ($service) = @_;
	return {
		rounds     => 1,
		contenders => [],
		verdicts   => [{ text => 'MB', most => 30, value => sub { memory_of_crowd($service) } }],
	};
}

# Calls whose statements are explained; INSTANT is a time of which there is a version.
my @calls = (
	q(item('datasets', '100000000000001')),
	q(list('datasets', 'limit=20')),
	q(list('datasets', 'limit=20&skip=1000')),
	q(list('datasets', 'limit=20&version=INSTANT')),
	q(list('datasets', 'tags.slug=keyword-123&match=EXACT&limit=20&version=INSTANT')),
	q(list('datasets', 'orderBy=name&limit=20&version=INSTANT')),
	q(list('datasets', 'status.name=Published&match=EXACT&limit=20')),
	q(list('datasets', 'tags.slug=keyword-123&match=EXACT&limit=20')),
	q(list('datasets', 'orderBy=name&limit=20')),
	q(list('datasets', 'include=tags,categories&limit=20')),
	q(list('datasets', 'query=xylograph&limit=20')),
	q(list('datasets', 'query=district&limit=20')),
	q(first('datasets')),
	q(last('datasets')),
	q(count('datasets')),
	q(related('tags', '400000000000123', 'datasets', 'limit=20')),
	q(update('datasets', '100000000000001', '{"notes": "Explained."}')),
);

# The sequential scans of large tables that a call makes, as text, from the plans of the statements in it.
sub scans_of
{
	my ($service, $call, $large) = @_;
	my $text = $service->sql(
		"LOAD 'auto_explain'; SET auto_explain.log_min_duration = 0; SET auto_explain.log_nested_statements = on; "
			. "SET auto_explain.log_verbose = on; SET client_min_messages = log; SET auto_explain.log_level = notice; SELECT "
				. "count(*) FROM catalogue.$call");

	return map { "$call: sequential scan of $_" } grep { $large->{$_} } $text =~ /Seq Scan on (?:catalogue\.)?(\w+) /g;
}

sub plans
{
	my ($service) = @_;
	my %large   = map { $_ => 1 } split /\n/,
		$service->sql("SELECT relname FROM pg_class WHERE relkind = 'r' AND reltuples > $LARGE");
	my $version = $service->client->list('/datasets?limit=20')->{json}{meta}{version};

	$service->sql("UPDATE catalogue.datasets SET notes = 'Changed.' WHERE id = '100000000000001'");
	my @scans = map { scans_of($service, s/INSTANT/$version/r, \%large) } @calls;

	return {
		rounds     => 1,
		contenders => [],
		notes      => sub { @scans },
		verdicts   => [{ text => 'sequential scans, of ' . @calls . ' calls', most => 0, value => sub { scalar @scans } }],
	};
}

1;
