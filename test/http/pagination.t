#!/usr/bin/perl
# Following the pages of a list shows the list as of one instant, whatever is written meanwhile: each
# record once, in the state of that instant, none missing; transactions completely or not at all.
#
# CATALOGUE_WALKS, _WALKERS, _WRITERS and _PAGE set the numbers of walks, of concurrent readers and writers,
# and of records on a page.

use strict;
use warnings;

use POSIX ();
use Storable ();
use Test::More;
use Time::HiRes qw(sleep);
use Catalogue::Ledger;
use Catalogue::Session;
use Catalogue::Test;
use Catalogue::Walker;
use Catalogue::Writer;

my $walks   = $ENV{CATALOGUE_WALKS}   // 30;
my $walkers = $ENV{CATALOGUE_WALKERS} // ($walks > 30 ? 50 : 15);
my $writers = $ENV{CATALOGUE_WRITERS} // ($walks > 30 ? 16 : 8);
my $page    = $ENV{CATALOGUE_PAGE}    // 20;

# long time limits, since this tests what is shown, and not how soon
my $service = Catalogue::Test->start(CATALOGUE_THREADS => 2, CATALOGUE_QUEUE_TIMEOUT => '60s',
	CATALOGUE_CALL_TIMEOUT => '60s', CATALOGUE_REQUEST_TIMEOUT => '120s')->as_admin;
my @lists   = @Catalogue::Walker::lists;
my @ways    = @Catalogue::Walker::ways;
my $stop    = "$service->{directory}/stop";

# Run a function in a separate process, which stores the result in a file of this name.
sub apart
{
	my ($name, $code) = @_;
	my $pid = fork // die "fork: $!";
	return $pid if $pid;
	delete $service->{socket};
	srand;
	my $done = eval { Storable::store($code->(), "$service->{directory}/$name") };
	print STDERR "$name: $@" unless $done;
	POSIX::_exit($done ? 0 : 1);
}

# Wait for processes; return how many of them failed.
sub failed_of
{
	my (@pids) = @_;
	return scalar grep { waitpid($_, 0) != $_ || $? } @pids;
}

sub kept { my ($name) = @_; return Storable::retrieve("$service->{directory}/$name") }

# only the records of the writers exist
my $session = Catalogue::Session->new($service);
$session->run("DELETE FROM catalogue.$_") for qw(datasets tags);
my %common = (datasets => { owner => $service->{admin} }, files => { owner => $service->{admin} }, tags => {});
$common{datasets}{categories} = [ $service->get('/categories?limit=1')->{json}{data}[0]{id} ];
$common{files}{ $_->[0] } = $service->get("/$_->[1]?limit=1")->{json}{data}[0]{id}
	for [ type => 'filetypes' ], [ organization => 'organizations' ], [ updateFrequency => 'updatefrequencies' ];
$common{files}{status} = 'qWRhpRV';
my @writers = map { Catalogue::Writer->new($service, $_, \%common) } 0 .. $writers - 1;
$_->begin($session) for @writers;
$session->finish;
my @first = map { $_->{first} } @writers;

# some walks are as of up to a second ago, when the first records must exist
sleep 1.1;

# half of the writers execute SQL; all write until the last walk has ended
my @writing = map {
	my $number = $_;
	apart("writer$number", sub { $writers[$number]->run($number % 2, $stop) })
} 0 .. $#writers;
my @walking = map {
	my $number = $_;
	apart("walker$number", sub { [ map { walk($_) } grep { $_ % $walkers == $number } 0 .. $walks - 1 ] })
} 0 .. $walkers - 1;

# combine lists and ways so that each list is walked in each way
sub walk
{
	my ($number) = @_;
	return Catalogue::Walker::walk($service, $lists[ $number % @lists ], $ways[ $number / @lists % @ways ],
		$page, \@first);
}

is(failed_of(@walking), 0, 'every reader came to its end');
$service->is_sound('check_all() finds nothing during the writes') for 1 .. 5;
open my $file, '>', $stop or die "$stop: $!";
is(failed_of(@writing), 0, 'every writer wrote to the end without a refusal');

# check all walks with the ledger
my @walked = sort { $a->{from} <=> $b->{from} } map { @{ kept("walker$_") } } 0 .. $walkers - 1;
my @events = map { kept("writer$_") } 0 .. $#writers;
my $ledger = Catalogue::Ledger->new(@events);
my %list   = map { $_->{path} => $_ } @lists;
my (%faults, %number);
for my $walk (@walked)
{
	my $fault = $ledger->fault_of($walk, $list{ $walk->{list} });
	push @{ $faults{ $walk->{list} } }, map { "$walk->{way}, $walk->{path}: $_" } @{ $walk->{faults} }, $fault // ();
	++$number{ $walk->{list} };
}
is(scalar @walked, $walks, "$walks walks");
for (map { $_->{path} } grep { $number{ $_->{path} } } @lists)
{
	my @faults = @{ $faults{$_} // [] };
	is(scalar @faults, 0, "$number{$_} walks through $_") or diag(join "\n", grep { defined } @faults[ 0 .. 4 ]);
}

# the test proves something only if there were writes during most walks
my @ends = map { map { $_->{end} } @$_ } @events;
my $amid = grep { my $walk = $_; grep { $walk->{to} < $_ && $_ < $walk->{until} } @ends } @walked;
cmp_ok($amid, '>', $walks / 2, 'there were writes during most walks');
note(scalar(@ends) . " requests and transactions of writers, $amid walks with writes during them");

$service->is_sound;
$service->finish;
