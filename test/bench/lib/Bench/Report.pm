package Bench::Report;

# Medians, quartiles and tables.

use strict;
use warnings;

# The value below which this part of the values lies, interpolated.
sub quantile
{
	my ($part, @values) = @_;
	my @sorted = sort { $a <=> $b } grep { defined } @values;

	return unless @sorted;
	my $place = $part * $#sorted;
	my $below = int $place;
	return $sorted[$below] + ($place - $below) * (($sorted[ $below + 1 ] // $sorted[$below]) - $sorted[$below]);
}

# Median and quartiles as text.
sub spread
{
	my ($format, @values) = @_;
	return sprintf "$format ($format to $format)", map { quantile($_, @values) } 0.5, 0.25, 0.75;
}

sub number
{
	my ($format, $value) = @_;
	return defined $value ? sprintf $format, $value : '-';
}

# One job's rates: contenders => [{name, rounds => [measurement]}].
sub rates
{
	my ($title, @contenders) = @_;

	print "\n$title\n";
	printf "  %-34s %-28s %8s %8s %8s %10s %10s\n", '', 'answers/s (quartiles)', 'p50 ms', 'p99 ms', 'CPU us', 'PostgreSQL', 'generator';
	for my $contender (@contenders)
	{
		my @rounds = @{ $contender->{rounds} };
		my %median = map { my $key = $_; $key => scalar quantile(0.5, map { $_->{$key} } @rounds) } qw(p50 p99 cpu database share);
		printf "  %-34s %-28s %8s %8s %8s %10s %10s\n", $contender->{name}, spread('%.0f', map { $_->{rate} } @rounds),
			(map { number('%.2f', $median{$_}) } qw(p50 p99)), (map { number('%.1f', $median{$_}) } qw(cpu database)),
			number('%.0f %%', $median{share} * 100);
	}
	return;
}

# How one contender stands to another, round by round, and what it should reach.
sub ratio
{
	my ($what, $ours, $theirs, $target) = @_;
	my @ratios = map { $ours->[$_]{rate} / $theirs->[$_]{rate} } 0 .. $#$ours;

	printf "  %-34s %-28s target %.2f: %s\n", $what, spread('%.2f', @ratios), $target,
		quantile(0.5, @ratios) >= $target ? 'reached' : 'NOT REACHED';
	return;
}

1;
