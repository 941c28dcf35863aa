package Catalogue::Shared;

# Services that the files of a run use one after the other: .ci/prove starts them before the files and ends them after
# the last one.  A file has such a service for itself until it ends, so that counts, entity tags and log lines are its
# own; what the files before it have made is still there.

use strict;
use warnings;

use Catalogue::Client qw($json);
use Catalogue::Program qw(needed slurp);
use Catalogue::Test ();
use Fcntl qw(:flock SEEK_SET);
use List::Util qw(min);
use Test::More ();

# Settings of each kind, and how a file holds it: one that files only read is used by several at once.
my %kinds = (
	plain   => { settings => { CATALOGUE_THREADS => 2 }, lock => LOCK_EX },
	private => { settings => { CATALOGUE_PRIVATE => 'on', CATALOGUE_THREADS => 2 }, lock => LOCK_SH },
);

# The kinds of shared services that a file uses.
sub kinds_of
{
	my ($file) = @_;
	my %used = map { $_ // 'plain' => 1 } slurp($file) =~ /->shared(?:\('(\w+)'\))?/g;
	return sort keys %used;
}

# Start the services that files need, for so many files at once; return them.
sub start
{
	my ($jobs, @files) = @_;
	my (%users, @services);
	delete local $ENV{TEST_TRAFFIC};
	$users{$_}++ for map { kinds_of($_) } @files;
	$ENV{SHARED_SERVICES} = needed('CATALOGUE_TEST_DIRECTORY') . '/shared';
	mkdir $ENV{SHARED_SERVICES} or die "$ENV{SHARED_SERVICES}: $!";
	for my $kind (sort keys %users)
	{
		for my $number (1 .. ($kinds{$kind}{lock} == LOCK_SH ? 1 : min($users{$kind}, $jobs)))
		{
			push @services, my $service = Catalogue::Test->start(%{ $kinds{$kind}{settings} })->as_admin;
			open my $out, '>', "$ENV{SHARED_SERVICES}/$kind-$number" or die "$ENV{SHARED_SERVICES}: $!";
			write_state($out, { users => 0,
				map { $_ => $service->{$_} } qw(name database directory clock secret server settings port base token admin) });
			close $out;
		}
	}
	return @services;
}

# Take a service of a kind for the rest of this process.
sub take
{
	my ($class, $kind) = @_;
	my $how    = $kinds{$kind}{lock};
	my @places = glob "$ENV{SHARED_SERVICES}/$kind-*";
	my $lock   = locked($how | LOCK_NB, @places) // locked($how, $places[0]);
	my $state  = $json->decode(do { local $/; scalar <$lock> });
	$state->{users}++;
	write_state($lock, $state) if $how == LOCK_EX;
	return bless { %$state, lock => $lock, headers => {}, shared => 1,
		log_begin => -s "$state->{directory}/logs/test.log" // 0 }, $class;
}

sub write_state
{
	my ($out, $state) = @_;
	seek $out, 0, SEEK_SET;
	truncate $out, 0;
	print $out $json->encode($state);
	$out->flush;
	return;
}

# The first of some files that can be locked, open; undef when there is none.
sub locked
{
	my ($how, @files) = @_;
	for my $file (@files)
	{
		open my $lock, '+<', $file or die "$file: $!";
		return $lock if flock $lock, $how;
	}
	return;
}

# End the services; return how many tests passed and failed.
sub end
{
	my (@services) = @_;
	for my $service (@services)
	{
		# nothing runs schedules here, and a run on a slow machine takes longer than they may be late
		$service->expect_schedules;
		$service->is_sound("$service->{name}, which files have shared: catalogue.check_all() finds nothing");
		$service->end_service;
	}
	Test::More::done_testing();
	my @passed = grep { $_ } Test::More->builder->summary;
	return (scalar @passed, Test::More->builder->current_test - @passed);
}

1;
