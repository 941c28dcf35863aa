package Bench::Report;

# Medians, quartiles and tables.

use strict;
use warnings;

# The value below which the given part of the values lies, interpolated.
sub quantile
{
	my ($part, @values) = @_;
	my @sorted = sort { $a <=> $b } grep { defined } @values;

	return unless @sorted;
	my $place = $part * $#sorted;
	my $below = int $place;
	return $sorted[$below] + ($place - $below) * (($sorted[ $below + 1 ] // $sorted[$below]) - $sorted[$below]);
}

# A number with as many digits as are significant.
sub number
{
	my ($value) = @_;
	return '-' unless defined $value;
	return sprintf abs($value) >= 100 ? '%.0f' : abs($value) >= 10 ? '%.1f' : '%.2f', $value;
}

# Median and quartiles as text.
sub spread
{
	my (@values) = @_;
	return sprintf '%s (%s to %s)', map { number(scalar quantile($_, @values)) } 0.5, 0.25, 0.75;
}

# The columns that describe a contender, in this order.
our @COLUMNS = ('answers/s (quartiles)', 'p50 ms', 'p99 ms', 'CPU us', 'PostgreSQL', 'generator');

# One job's contenders, [{name, rounds => [measurement]}], as rows of cells: the name and COLUMNS.
sub contenders
{
	my (@contenders) = @_;
	my @rows;

	for my $contender (@contenders)
	{
		my @rounds = @{ $contender->{rounds} };
		my %median = map {
			my $key = $_;
			$key => scalar quantile(0.5, map { $_->{$key} } @rounds)
		} qw(p50 p99 cpu database share);
		push @rows, [
			$contender->{name}, spread(map { $_->{rate} } @rounds),
			(map { number($median{$_}) } qw(p50 p99 cpu database)), sprintf '%.0f %%', $median{share} * 100 ];
	}
	return @rows;
}

# Print rows of contenders().
sub rates
{
	my (@rows) = @_;
	printf "  %-46s %-28s %8s %8s %8s %10s %10s\n", @$_ for @rows ? [ '', @COLUMNS ] : (), @rows;
	return;
}

# The result of a verdict, with its values of each round, as cells; least or most is the target.
sub verdict
{
	my ($verdict, @values) = @_;
	my $median  = quantile(0.5, @values);
	my $reached = exists $verdict->{least} ? $median >= $verdict->{least} : $median <= $verdict->{most};
	my $target  = exists $verdict->{least} ? "at least $verdict->{least}" : "at most $verdict->{most}";

	return [ $verdict->{text}, spread(@values), $target, $reached ? 'reached' : 'NOT REACHED' ];
}

# The cells of a verdict as a line of text.
sub line
{
	my ($cells) = @_;
	return sprintf '%-46s %-28s %-16s %s', @$cells;
}

1;
