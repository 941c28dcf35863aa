package Catalogue::Ledger;

# Checks the walks of pagination.t.  A ledger knows the changes of each writer with their times, and decides whether
# there is an instant whose state is the one that a walk shows.
# #
# A writer makes one change after the other, so the records of a writer that a walk shows must be in the state
# after the first n events of that writer, for some n: half a transaction matches no n.  The instant at which
# event n was the last one is between the beginning of n and the acknowledgement of n + 1; there must be an
# instant, within the walk's own span, that matches all writers.

use strict;
use warnings;

use Catalogue::Walker;
use Catalogue::Writer;
use List::Util qw(max min);

# events: for each writer the list of its events, in order: {begin, end, changes => [[resource, id, record]]}.
# Walks must be checked in the order of their beginning, since the ledger discards older states as it goes.
sub new
{
	my ($class, @events) = @_;
	my $self = bless { owner => {} }, $class;
	for my $number (0 .. $#events)
	{
		my $events = $events[$number];
		push @{ $self->{writers} }, { events => $events, done => 0, state => { datasets => {}, files => {}, tags => {} } };
		$self->{owner}{ $_->[1] } = $number for map { @{ $_->{changes} } } @$events;
	}
	return $self;
}

# What is wrong with a walk through a list; undef when nothing is.
sub fault_of
{
	my ($self, $walk, $list) = @_;
	my @shown = map { {} } @{ $self->{writers} };
	my @spans;

	for my $id (sort keys %{ $walk->{shown} })
	{
		my $owner = $self->{owner}{$id} // return "$id never existed";
		$shown[$owner]{$id} = $walk->{shown}{$id};
	}
	for my $number (0 .. $#shown)
	{
		my ($spans, $nearest) = spans($self->{writers}[$number], $walk, $list, $shown[$number]);
		return "writer $number: no state of the writer matches; nearest: $nearest" unless @$spans;
		push @spans, $spans;
	}
	return if grep { fits_all($_, \@spans) } map { map { $_->[0] } @$_ } @spans;
	return 'a state of each writer matches, but not at the same time';
}

# Whether there is an instant within a span of each writer.  If there is, the beginning of some span is one.
sub fits_all
{
	my ($instant, $spans) = @_;
	for my $of_writer (@$spans)
	{
		return 0 unless grep { $_->[0] <= $instant && $instant <= $_->[1] } @$of_writer;
	}
	return 1;
}

# The spans of time, within that of the walk, in which the state of a writer was the one shown; and the
# differences from the nearest state.
sub spans
{
	my ($writer, $walk, $list, $shown) = @_;
	my $events = $writer->{events};
	my (@spans, $nearest);

	while ($writer->{done} < @$events && $events->[ $writer->{done} ]{end} < $walk->{from})
	{
		Catalogue::Writer::replace($writer->{state}, @{ $events->[ $writer->{done}++ ]{changes} });
	}
	my $state = Catalogue::Writer::copy($writer->{state});
	for (my $n = $writer->{done};; ++$n)
	{
		my @differences = differences($shown, expected($walk, $list, $state));
		push @spans, [ max($walk->{from}, $n ? $events->[ $n - 1 ]{begin} : 0),
			min($walk->{to}, $n < @$events ? $events->[$n]{end} : $walk->{to}) ]
			unless @differences;
		$nearest = \@differences if !$nearest || @differences < @$nearest;
		last if $n == @$events || $events->[$n]{begin} > $walk->{to};
		Catalogue::Writer::replace($state, @{ $events->[$n]{changes} });
	}
	return (\@spans, join '; ', grep { defined } @$nearest[ 0 .. 2 ]);
}

# What a walk must show of a state: text by id.
sub expected
{
	my ($walk, $list, $state) = @_;
	my $records = $state->{ $list->{resource} };
	my $text    = $Catalogue::Walker::expected{ $list->{shows} };
	my @fitting = grep { !$list->{fits} || $list->{fits}->($records->{$_}, $state, $walk->{drawn}, $_) } keys %$records;
	return { map { $_ => $text->($records->{$_}, $state) } @fitting };
}

sub differences
{
	my ($shown, $expected) = @_;
	my %ids = (%$shown, %$expected);
	return map { "$_ is " . ($shown->{$_} // 'missing') . ', not ' . ($expected->{$_} // 'there') }
		grep { ($shown->{$_} // '') ne ($expected->{$_} // '') } sort keys %ids;
}

1;
