package Catalogue::Database;

# The database of a service, and the PostgreSQL server that has it.  The object has the members server (PGHOST, PGPORT,
# PGUSER), database (its name), and var where the server is its own: the directory of .ci/cluster.

use strict;
use warnings;

use Catalogue::Clock qw(wait_until);
use Catalogue::Program qw(command needed);
use Catalogue::Session ();
use Test::More ();

# Copy the template to a database of this name.
sub make_database
{
	my ($self, $name) = @_;
	$self->{database} = $name;
	$self->{server} = { map { $_ => needed($_) } qw(PGHOST PGPORT PGUSER) };
	$self->sql("CREATE DATABASE $name TEMPLATE catalogue_template STRATEGY FILE_COPY", 'postgres');
	$self->expect_schedules;
	return;
}

# Let schedules be expected from now on, not since the database or its template was made.
sub expect_schedules
{
	my ($self) = @_;
	$self->sql('UPDATE catalogue.upkeep SET since = now()');
	return;
}

# Start a separate PostgreSQL server in a directory, which cluster() can restart, with a database.
sub make_cluster
{
	my ($self, $directory) = @_;
	$self->{var} = $directory;
	$self->cluster('start');
	$self->{server} = { $self->cluster('env') =~ /(PG\w+)=(\S+)/g };
	$self->{database} = 'catalogue';
	command($self->{server}, '.ci/database', 'catalogue');
	return;
}

# Remove what make_database() or make_cluster() has made.
sub drop_database
{
	my ($self) = @_;
	return eval { $self->cluster('stop') } if $self->{var};
	# what DROP DATABASE has to end itself, it waits for by tenths of a second
	eval { $self->end_connections('true') };
	system('.ci/calls', $self->{database}) if $ENV{FUNCTION_CALLS};
	eval { $self->sql("DROP DATABASE IF EXISTS $self->{database} WITH (FORCE)", 'postgres') };
	return;
}

# Run SQL as superuser; return the rows of the last statement, each as its columns joined by "|".  One session of each
# database of each server stays open; what a call has set in it ends with the call.
sub sql
{
	my ($self, $statement, $database) = @_;
	my $session = \$self->{sessions}{"$self->{server}{PGPORT} " . ($database // $self->{database})};
	undef $$session unless $$session && $$session->is_open;
	$$session //= Catalogue::Session->new($self, $database);
	my @rows = eval { $$session->run($statement) };
	if (my $error = $@)
	{
		undef $$session; # a transaction may be open in it
		die $error;
	}
	$$session->run('DISCARD ALL');
	# settings of a database, a role and the server hold in sessions that begin after it
	$self->{sessions} = {} if $statement =~ /^ALTER (?:DATABASE|ROLE|SYSTEM)/;
	return wantarray ? @rows : join "\n", @rows;
}

# Test that catalogue.check_all() finds no inconsistency in the database.
sub is_sound
{
	my ($self, $name, $database) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my @found = $self->sql('SELECT * FROM catalogue.check_all()', $database);
	return Test::More::is(scalar @found, 0, $name // 'catalogue.check_all() finds nothing')
		|| Test::More::diag(join "\n", 'check_all() has found:', @found);
}

# Let connections to the database end, all those of the shim or of a condition, and wait until they have.
sub end_connections
{
	my ($self, $which) = @_;
	$which //= "application_name = 'catalogue-shim'";
	my $pids = join ',', map { /^(\d+)/ } $self->sql("SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity WHERE "
		. "datname = '$self->{database}' AND $which", 'postgres');
	wait_until('the connections have ended',
		sub { !$pids || $self->sql("SELECT count(*) FROM pg_stat_activity WHERE pid IN ($pids)", 'postgres') == 0 });
	return;
}

# Run .ci/cluster on the cluster of the service, which is private or that of all tests: start, stop, restart, env, log.
sub cluster
{
	my ($self, @command) = @_;
	return command($self->{var} ? { CATALOGUE_VAR => $self->{var}, CATALOGUE_VOLATILE => '' } : {},
		'.ci/cluster', @command);
}

1;
