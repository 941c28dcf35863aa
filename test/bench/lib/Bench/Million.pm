package Bench::Million;

# A catalogue of a million datasets, of which one changes each second: pages for people, and what costs most after a
# change.  See Reads.pm for what a job is.

use strict;
use warnings;

use Bench::Client ();
use Bench::Load   ();
use Bench::Report ();
use POSIX ();
use Time::HiRes qw(sleep time);

my $SIZE     = 1_000_000;
my $VISITORS = 9;
my $EVERY    = 1;                               # seconds between changes
my $WARM     = 2;
my $CATEGORY = '/categories/200000000000001';
my $TAG      = 'tags=400000000000001';

# What is read first after a change, and in how many milliseconds.
my @reads = (
	[facets      => 'three facets',                      100, '/datasets?limit=1&facets=categories,tags,organization'],
	[list        => '/datasets as HTML',                 100, '/datasets', Accept => 'text/html'],
	[updated     => 'order by updatedAt',                 10, '/datasets?limit=20&orderBy=updatedAt&sort=DESC'],
	[published   => 'order by publishedAt',               10, '/datasets?limit=20&orderBy=publishedAt'],
	[words       => 'three words that each dataset has', 150, '/datasets?query=district+figures+number&match=WORDS'],
	[unknown     => 'a search that nobody has made, as HTML', 150, \&unknown, Accept => 'text/html'],
	[narrow      => 'a word and a tag',                  150, "/datasets?query=district&$TAG"],
	[either      => 'a tag or a category',               100, "/datasets?$TAG&categories=200000000000001&condition=OR"],
	[starred     => 'starred',                           100, '/datasets?starred=true'],
	[downloads   => '/metrics/categories',               100, '/metrics/categories'],
);

# A search for words that each dataset has, in another order each time, so that no connection knows its number.
{
	my @words = qw(dataset year figures district number);
	my $made  = 0;

	sub unknown
	{
		my $order = $made++;
		my @left  = @words;
		my @query;
		while (@left)
		{
			my $at = $order % @left;
			$order = int($order / @left);
			push @query, splice @left, $at, 1;
		}
		return '/datasets?query=' . join '+', @query;
	}
}

sub jobs
{
	return (
		{ name => 'million', title => "A million datasets, one change in $EVERY s, $VISITORS visitors",
			prepare => \&million },
	);
}

# Change a dataset.
sub change
{
	my ($service, $database) = @_;
	$service->sql(q(UPDATE catalogue.datasets SET notes = 'Changed at ' || clock_timestamp()
		WHERE id = '100000000000101'), $database);
	return;
}

# A load with a change each second meanwhile.  It begins $WARM seconds before it is measured, as visitors never all
# leave: who comes first after catalogue.facets_age waits until the facets under filters are counted.
sub with_changes
{
	my ($service, $database, $load) = @_;

	return sub {
		my ($seconds) = @_;
		$load->($WARM);
		my $pid = fork // die "fork: $!\n";
		if (!$pid)
		{
			for (my $end = time + $seconds; time < $end; sleep $EVERY)
			{
				change($service, $database);
			}
			POSIX::_exit(0);
		}
		my $measurement = $load->($seconds);
		waitpid $pid, 0;
		return $measurement;
	};
}

# Read a target again and again, after a change each time.
sub after_change
{
	my ($service, $database, $name, $base, $target, %headers) = @_;
	my %load = (server => $service->{server}{$name}, database => $service->{server}{database}, cores => $service->{cores});

	return sub {
		my ($seconds) = @_;
		return Bench::Load::observe(\%load, sub {
			my $client = Bench::Client->new($base, %headers);
			my @times;
			for (my $end = time + $seconds; !@times || time < $end;)
			{
				change($service, $database);
				my $began = time;
				$client->get(ref $target ? $target->() : $target, [200, 206]);
				push @times, (time - $began) * 1000;
			}
			my ($p50, $p99) = map { scalar Bench::Report::quantile($_, @times) } 0.5, 0.99;
			return (scalar @times, rate => 1000 / $p50, p50 => $p50, p99 => $p99);
		});
	};
}

sub million
{
	my ($service) = @_;
	my $own      = $service->{option}{size} == $SIZE;
	my $database = $own ? 'catalogue' : $service->another_database($SIZE);
	my $name     = $own ? 'shim' : 'shim of a million';
	my $base     = $own ? $service->{base} : $service->another_shim($name, $database);
	my $pages    = $service->load(server => $name, base => $base, connections => $VISITORS,
		headers => { Accept => 'text/html' }, targets => ['/', '/datasets', $CATEGORY]);

	return {
		contenders => [
			['changing', 'start page, list and category as HTML, with changes', with_changes($service, $database, $pages)],
			['still',    'the same without changes',                            $pages],
			(map {
				my ($word, $text, $most, $target, %headers) = @$_;
				[$word, "$text, after a change", after_change($service, $database, $name, $base, $target, %headers)]
			} @reads),
		],
		verdicts => [
			{ text => 'pages a second with changes', least => 50, value => sub { $_[0]{changing}{rate} } },
			{ text => 'ms, 99 % of these pages', most => 300, value => sub { $_[0]{changing}{p99} } },
			(map {
				my ($word, $text, $most) = @$_;
				{ text => "ms, $text", most => $most, value => sub { $_[0]{$word}{p50} } }
			} @reads),
		],
	};
}

1;
