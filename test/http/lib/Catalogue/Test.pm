package Catalogue::Test;

# The service under test: a copy of the template database, and a shim on a free port.  .ci/check makes the server and
# the template, and names them in the environment.  What a service can do is in its parents: requests in
# Catalogue::Client, the process in Catalogue::Shim, SQL in Catalogue::Database, time in Catalogue::Clock.

use strict;
use warnings;

use parent qw(Catalogue::Shim Catalogue::Clock Catalogue::Database);

use Catalogue::Program qw(needed);
use File::Copy ();
use File::Path ();
use Test::More ();

my %unfinished;   # name of each service that end_service() has not ended => the service
my @shared;       # services that this file shares with others
my $died = 0;     # exit status of a file that ended early
my $count = 0;

# Start a service that is not private; the arguments are settings of the shim (CATALOGUE_... => value), or
# cluster => 'private' for a separate PostgreSQL server, which cluster() can restart.
sub start
{
	my ($class, %settings) = @_;
	my $name = sprintf 'http_%d_%d', $$, ++$count;
	my $self = bless {
		name      => $name,
		directory => needed('CATALOGUE_TEST_DIRECTORY') . "/$name",
		owner     => $$,
		secret    => 'a secret of the tests, at least 32 bytes',
		headers   => {},
	}, $class;

	$unfinished{$name} = $self;
	$self->{clock} = "$self->{directory}/clock";
	mkdir $self->{directory} or die "$self->{directory}: $!";
	chown((getpwnam 'postgres')[2, 3], $self->{directory}) if $> == 0;
	delete $settings{cluster} ? $self->make_cluster("$self->{directory}/cluster") : $self->make_database($name);
	$self->{settings} = { $self->defaults, %settings };
	$self->pass(0);
	$self->start_shim;
	return $self;
}

# The settings of a shim that a test does not change.
sub defaults
{
	my ($self) = @_;
	return (
		CATALOGUE_DATABASE => "host=$self->{server}{PGHOST} port=$self->{server}{PGPORT}"
			. " user=catalogue_shim dbname=$self->{database}",
		CATALOGUE_TOKEN_SECRET  => $self->{secret},
		CATALOGUE_LOG_DIRECTORY => "$self->{directory}/logs",
		CATALOGUE_ENVIRONMENT   => 'test',
		CATALOGUE_THREADS       => 1,                    # two in the shared services, and in tests of what threads share
		CATALOGUE_POOL          => 2,                    # each connection takes as much time as a small test
		CATALOGUE_SHARED_CONNECTIONS => 1,
		CATALOGUE_PRIVATE       => 'off',
		# Limits that no machine reaches; a test that is about one of them sets it.
		CATALOGUE_CALL_TIMEOUT    => '60s',
		CATALOGUE_QUEUE_TIMEOUT   => '60s',
		CATALOGUE_HEADER_TIMEOUT  => '60s',
		CATALOGUE_REQUEST_TIMEOUT => '180s',
		CATALOGUE_IDLE_TIMEOUT    => '10m',
		CATALOGUE_TEST_CLOCK      => $self->{clock},
		ASAN_OPTIONS            => 'detect_leaks=1:exitcode=99',
		UBSAN_OPTIONS           => 'print_stacktrace=1:halt_on_error=1:exitcode=99',
	);
}

# A service that files of the run share: without a kind one that this file has for itself until it ends, of the kind
# 'private' one that it only reads.  docs/contributing.md says what a file may do with it.  A file that .ci/prove has
# not started gets a service of its own.
sub shared
{
	my ($class, $kind) = @_;
	return $class->start($kind ? (CATALOGUE_PRIVATE => 'on') : ()) unless $ENV{SHARED_SERVICES};
	require Catalogue::Shared;
	push @shared, my $self = Catalogue::Shared::take($class, $kind // 'plain');
	return $self;
}

# One of each kind in the core, all in make check-full; the function names the kind of an element.
sub one_of_each
{
	my ($kind, @all) = @_;
	my %seen;
	return $ENV{CATALOGUE_WALKS} ? @all : grep { !$seen{ $kind->($_) }++ } @all;
}

# End a service, whose shim may have ended already: it ends cleanly, and no sanitizer reported an error.  One that is
# shared is ended by who started it.
sub end_service
{
	my ($self) = @_;
	return if $self->{shared};
	$self->stop_shim;
	Test::More::is($self->{status}, 0, 'on SIGTERM the shim ends with status 0');
	Test::More::unlike($self->output, qr/Sanitizer|runtime error:/, 'no sanitizer reported an error in the shim');
	delete $unfinished{ $self->{name} };
	$self->clean;
	return;
}

# The last test of a file: the end of its service.
sub finish
{
	my ($self) = @_;
	$self->end_service;
	Test::More::done_testing();
	return;
}

# When a test of the file has failed: keep what the programs and the database of the service wrote.
sub keep
{
	my ($self) = @_;
	my $kept = $ENV{KEPT_OUTPUT} // return;
	return if !-d $self->{directory} || Test::More->builder->is_passing && $died == 0;
	File::Path::make_path($kept);
	for my $file (grep {-f} glob "$self->{directory}/{output,worker,logs/*.log}")
	{
		File::Copy::copy($file, "$kept/$self->{name}-" . $file =~ s{.*/}{}r);
	}
	open my $out, '>', "$kept/$self->{name}-postgresql.log" or die "$kept: $!";
	print $out eval { $self->cluster('log', $self->{database}) } // $@;
	close $out;
	return;
}

# Remove the database and the files of a service of this file.
sub clean
{
	my ($self) = @_;
	$self->keep;
	return if $self->{shared};
	$self->drop_database;
	File::Path::remove_tree($self->{directory});
	return;
}

END
{
	my $status = $died = $?;
	$_->keep for @shared;
	for my $self (Catalogue::Shim::running())
	{
		Test::More::diag($self->output) if length $self->output;
		$self->stop_shim('KILL');
		$self->clean;
	}
	# otherwise the exit status, leaks and reports of sanitizers would not be tested
	for my $self (grep { $_->{owner} == $$ } values %unfinished)
	{
		Test::More::diag("service $self->{name} was not finished");
		$self->clean;
		$status ||= 1;
	}
	$? = $status;
}

1;
