#!/usr/bin/perl
# The judge of walks.t by itself: it lets pass what one instant shows, and finds whatever none does.

use strict;
use warnings;

use Test::More;
use Catalogue::Ledger;

sub tag { my ($id, $name) = @_; return [ 'tags', $id, defined $name ? { name => $name } : undef ] }

# Two writers.  The first one makes a and b at 10, turns their names round at 20 and deletes a at 30; the
# second one makes c at 15 and changes it at 25.  Each is acknowledged two seconds later.
sub event { my ($begin, @changes) = @_; return { begin => $begin, end => $begin + 2, changes => \@changes } }
my @first  = (event(10, tag(a => 'x'), tag(b => 'y')), event(20, tag(a => 'y'), tag(b => 'x')), event(30, tag('a')));
my @second = (event(15, tag(c => 'v')), event(25, tag(c => 'w')));
my $tags   = { resource => 'tags', shows => 'tags' };

sub fault_of
{
	my ($from, $to, %shown) = @_;
	my $walk = { from => $from, to => $to, drawn => '', shown => \%shown };
	return Catalogue::Ledger->new(\@first, \@second)->fault_of($walk, $tags);
}

is(fault_of(1, 2), undef, 'nothing, before all began');
is(fault_of(18, 19, a => 'x', b => 'y', c => 'v'), undef, 'what was acknowledged before');
is(fault_of(40, 41, b => 'x', c => 'w'), undef, 'what is there at the end');
is(fault_of(20.5, 21, a => 'x', b => 'y', c => 'v'), undef, 'a transaction that is on its way is not there');
is(fault_of(20.5, 21, a => 'y', b => 'x', c => 'v'), undef, 'or is');

is(fault_of(18, 19, a => 'x', c => 'v'), 'writer 0: never so: b is missing, not y', 'a gap');
is(fault_of(18, 19, a => 'x', b => 'y', c => 'v', d => 'z'), 'd was never there', 'a record that nobody made');
is(fault_of(40, 41, a => 'y', b => 'x', c => 'w'), 'writer 0: never so: a is y, not there', 'a deleted record');
is(fault_of(20.5, 21, a => 'y', b => 'y', c => 'v'), 'writer 0: never so: a is y, not x', 'half of a transaction');
is(fault_of(23, 24, a => 'x', b => 'y', c => 'v'), 'writer 0: never so: a is x, not y; b is y, not x', 'a state that is past');
is(fault_of(18, 19, a => 'y', b => 'x', c => 'v'), 'writer 0: never so: a is y, not x; b is x, not y', 'a state that is to come');
is(fault_of(9, 40, a => 'x', b => 'y', c => 'w'), 'each writer was once so, but not all at the same time', 'two instants');

# a filter, which may hide what differs, and records that are shown though they do not fit it
$tags->{fits} = sub { return $_[0]{name} eq 'x' };
is(fault_of(18, 19, a => 'x'), undef, 'what fits the filter');
is(fault_of(23, 24, b => 'x'), undef, 'and what fits it later');
is(fault_of(18, 19, a => 'x', b => 'y'), 'writer 0: never so: b is y, not there', 'a record that does not fit');
is(fault_of(18, 19), 'writer 0: never so: a is missing, not x', 'one that fits and is not there');

done_testing();
