#!/usr/bin/perl
# Test of Catalogue::Ledger, which checks the walks of pagination.t: a walk that shows one instant passes, any other
# one is a fault.

use strict;
use warnings;

use Test::More;
use Catalogue::Ledger;

sub tag { my ($id, $name) = @_; return [ 'tags', $id, defined $name ? { name => $name } : undef ] }

# Two writers.  The first one makes a and b at 10, exchanges their names at 20 and deletes a at 30; the
# second one makes c at 15 and changes it at 25.  Each event is acknowledged two seconds later.
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

is(fault_of(1, 2), undef, 'nothing, before the first event');
is(fault_of(18, 19, a => 'x', b => 'y', c => 'v'), undef, 'records that were acknowledged before');
is(fault_of(40, 41, b => 'x', c => 'w'), undef, 'the records at the end');
is(fault_of(20.5, 21, a => 'x', b => 'y', c => 'v'), undef,
	'a transaction that is not acknowledged yet is not visible');
is(fault_of(20.5, 21, a => 'y', b => 'x', c => 'v'), undef, 'a transaction that is not acknowledged yet is visible');

is(fault_of(18, 19, a => 'x', c => 'v'),
	'writer 0: no state of the writer matches; nearest: b is missing, not y', 'a gap');
is(fault_of(18, 19, a => 'x', b => 'y', c => 'v', d => 'z'), 'd never existed', 'a record that no writer made');
is(fault_of(40, 41, a => 'y', b => 'x', c => 'w'),
	'writer 0: no state of the writer matches; nearest: a is y, not there', 'a deleted record');
is(fault_of(20.5, 21, a => 'y', b => 'y', c => 'v'), 'writer 0: no state of the writer matches; nearest: a is y, not x',
	'half of a transaction');
is(fault_of(23, 24, a => 'x', b => 'y', c => 'v'),
	'writer 0: no state of the writer matches; nearest: a is x, not y; b is y, not x', 'a past state');
is(fault_of(18, 19, a => 'y', b => 'x', c => 'v'),
	'writer 0: no state of the writer matches; nearest: a is y, not x; b is x, not y', 'a future state');
is(fault_of(9, 40, a => 'x', b => 'y', c => 'w'), 'a state of each writer matches, but not at the same time',
	'two instants');

# a filter, which may hide a difference, and records that are shown although they do not match it
$tags->{fits} = sub { return $_[0]{name} eq 'x' };
is(fault_of(18, 19, a => 'x'), undef, 'a record that matches the filter');
is(fault_of(23, 24, b => 'x'), undef, 'a record that matches the filter later');
is(fault_of(18, 19, a => 'x', b => 'y'), 'writer 0: no state of the writer matches; nearest: b is y, not there',
	'a record that does not match');
is(fault_of(18, 19), 'writer 0: no state of the writer matches; nearest: a is missing, not x',
	'a record that matches and is missing');

done_testing();
