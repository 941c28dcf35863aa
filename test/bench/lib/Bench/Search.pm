package Bench::Search;

# Jobs of search, each compared with a sequential ILIKE for the same term; and how a long search
# affects clients that read items meanwhile.  See Reads.pm for what a job is.

use strict;
use warnings;

use Bench::Load    ();
use Bench::Process ();
use Bench::Reads   ();

# The terms, by how often they are in the descriptions that fill/rows.sql writes.
my %terms = (
	rare   => { term => 'xylograph', text => 'rare term' },
	common => { term => 'district',  text => 'common term, first page' },
	one    => { term => 'x',         text => 'one character' },
	two    => { term => 'xy',        text => 'two characters' },
);

my $LONG  = 2;             # seconds that the long search takes, approximately
my $WORD  = 'qqqqqqqq';    # in no record
my $WORDS = 64;            # words in a filter, at most

sub jobs
{
	return (
		{ name => 'search', title => 'Search with count, one connection',               prepare => \&search },
		{ name => 'beside', title => 'GET item, with a search of 2 s at the same time', prepare => \&beside },
	);
}

# Targets with an ignored parameter that differs, since a page that was read before is in the page cache of the
# service.
sub other_each_time
{
	my ($target) = @_;
	return [map { "$target&other=$_" } 1 .. 1000];
}

sub target
{
	my ($term) = @_;
	return "/datasets?query=$term&limit=20";
}

# The work of a database without an index: count, and the first page, of records with the term.
sub sequential
{
	my ($service, $term) = @_;
	my $has = join ' OR ', map { "$_ ILIKE '%$term%'" } qw(name description slug);
	my $sql = "SELECT count(*) OVER (), id, name FROM catalogue.datasets WHERE deleted_at IS NULL AND ($has) LIMIT 20";

	return sub {
		return Bench::Load::statement(
			sql => $sql, database => $service->{server}{database}, cores => $service->{cores},
			setup => ['SET max_parallel_workers_per_gather = 0', 'SET enable_indexscan = off', 'SET enable_bitmapscan = off']);
	};
}

sub search
{
	my ($service) = @_;
	my $client = $service->client;
	my @contenders = (['item', 'item', $service->single(targets => [map { "/datasets/$_" } $service->random_ids(1000)])]);

	for my $name (qw(rare common one two))
	{
		my $term  = $terms{$name}{term};
		my $has   = join ' OR ', map { "$_ ILIKE '%$term%'" } qw(name description slug);
		my $right = $service->sql("SELECT count(*) FROM catalogue.datasets WHERE deleted_at IS NULL AND ($has)");
		my $found = $client->list(target($term))->{json}{meta}{count};

		die target($term) . ": count is $found, not $right\n" unless $found == $right;
		push @contenders,
			[$name, "search \"$term\", $found found", $service->single(targets => other_each_time(target($term)))];
		push @contenders, ["$name, ILIKE", "sequential ILIKE \"$term\"", sequential($service, $term)]
			unless $name eq 'common';
	}
	return {
		contenders => \@contenders,
		verdicts   => [
			Bench::Reads::ratio("$terms{rare}{text}, times ILIKE", 'rare', 'rare, ILIKE', 1000),
			{ text => "$terms{common}{text}, times of an item", most => 10,
				value => sub { $_[0]{common}{p50} / $_[0]{item}{p50} } },
			map { Bench::Reads::ratio("$terms{$_}{text}, times ILIKE", $_, "$_, ILIKE", 5) } qw(one two),
		],
	};
}

# A target that keeps PostgreSQL busy for about $LONG seconds, or as long as a filter can: a filter on many words
# that are in no record, in three fields.
sub long_target
{
	my ($service) = @_;
	my $client = $service->client;
	my ($target, $took);

	for (my $words = 1; $words <= $WORDS; $words *= 2)
	{
		my $list = join ',', map { "$WORD$_" } 1 .. $words;
		$target = '/datasets?limit=20&condition=OR' . join '', map { "&$_=$list" } qw(name description notes);
		$client->list($target);
		($took) = $client->times([other_each_time($target)->[0]], 0);
		last if $took > $LONG * 1000 * 0.7;
	}
	return ($target, $took);
}

sub beside
{
	my ($service) = @_;
	my ($target, $took) = long_target($service);
	my $long  = Bench::Load::write_requests($service->file, targets => other_each_time($target));
	my $items = $service->load(targets => [map { "/datasets/$_" } $service->random_ids(20_000)]);
	my $both  = sub {
		my ($seconds) = @_;
		my $search = Bench::Process->start("$service->{work}/long.log", {}, 'wrk', '-t', 1, '-c', 1, '-d', $seconds + 1 . 's',
			'--timeout', '30s',
			'-s', 'test/bench/replay.lua', $service->{base}, '--', $long, 0);
		my $measurement = $items->($seconds);
		$search->stop;
		return $measurement;
	};

	return {
		contenders => [['alone', 'items alone', $items],
			['beside', sprintf('items, a search of %.1f s beside', $took / 1000), $both]],
		verdicts   => [{ text => 'p99 beside, times p99 alone', most => 2,
			value => sub { $_[0]{beside}{p99} / $_[0]{alone}{p99} } }],
	};
}

1;
