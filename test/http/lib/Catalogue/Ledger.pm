package Catalogue::Ledger;

# The judge of walks.t.  It knows what each writer did and when, and tells of a walk whether there is an
# instant whose state is what the walk shows.
#
# A writer does one thing after the other, so what is shown of its records must be what they were after
# the first n of its events, for one n: a transaction of which half is shown fits no n.  The instant at which
# event n was the last one lies between the beginning of n and the acknowledgement of n + 1; there must be an
# instant, in the walk's own span, which fits all writers.

use strict;
use warnings;

use Catalogue::Walker;
use Catalogue::Writer;
use List::Util qw(max min);

# events: for each writer the list of its events, in order: {begin, end, changes => [[resource, id, record]]}.
# Walks must be judged in the order of their beginning: the ledger moves on with them.
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

# What is wrong with a walk through a list, undef for nothing.
sub fault_of
{
	my ($self, $walk, $list) = @_;
	my @shown = map { {} } @{ $self->{writers} };
	my @spans;

	for my $id (sort keys %{ $walk->{shown} })
	{
		my $owner = $self->{owner}{$id} // return "$id was never there";
		$shown[$owner]{$id} = $walk->{shown}{$id};
	}
	for my $number (0 .. $#shown)
	{
		my ($spans, $nearest) = spans($self->{writers}[$number], $walk, $list, $shown[$number]);
		return "writer $number: never so: $nearest" unless @$spans;
		push @spans, $spans;
	}
	return if grep { fits_all($_, \@spans) } map { map { $_->[0] } @$_ } @spans;
	return 'each writer was once so, but not all at the same time';
}

# Whether an instant lies in a span of each writer.  If any does, the beginning of some span does.
sub fits_all
{
	my ($instant, $spans) = @_;
	for my $of_writer (@$spans)
	{
		return 0 unless grep { $_->[0] <= $instant && $instant <= $_->[1] } @$of_writer;
	}
	return 1;
}

# The spans of time, within that of the walk, in which what is shown was the state of a writer; and how what
# is shown differs from the nearest state.
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
		push @spans, [ max($walk->{from}, $n ? $events->[ $n - 1 ]{begin} : 0), min($walk->{to}, $n < @$events ? $events->[$n]{end} : $walk->{to}) ]
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
