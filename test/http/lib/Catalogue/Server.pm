package Catalogue::Server;

# Copies of the private server of a service, made by pg_basebackup: standbys, and servers that are recovered.

use strict;
use warnings;

use Catalogue::Program qw(free_port);

# Run a program of PostgreSQL as the server's account; dies when it fails.
sub postgres
{
	my ($program, @arguments) = @_;
	chomp(my $bin = `"\${PG_CONFIG:-pg_config}" --bindir`);
	my @become = $> == 0 ? qw(setpriv --reuid=postgres --regid=postgres --clear-groups) : ();
	system(@become, "$bin/$program", @arguments) == 0 or die "$program: exit status " . ($? >> 8) . "\n";
	return;
}

# A copy of the server, which is not started yet; further arguments are those of pg_basebackup.
sub copy
{
	my ($class, $service, $name, @arguments) = @_;
	my $port = free_port();
	my $self = bless { service => $service, data => "$service->{directory}/$name", port => $port,
		socket => $service->{server}{PGHOST} }, $class;
	postgres('pg_basebackup', '-h', $self->{socket}, '-p', $service->{server}{PGPORT}, '-U', 'postgres', '-D',
		$self->{data}, '-X', 'stream', '-c', 'fast', @arguments);
	return $self;
}

sub start
{
	my ($self, $options) = @_;
	postgres('pg_ctl', 'start', '-D', $self->{data}, '-w', '-s', '-l', "$self->{data}/log",
		'-o', "-p $self->{port} -k '$self->{socket}' -c catalogue.secret_key_file='$self->{service}{var}/secret-key' "
			. ($options // ''));
	return $self;
}

sub promote { my ($self) = @_; return postgres('pg_ctl', 'promote', '-D', $self->{data}, '-w', '-s') }
sub stop    { my ($self) = @_; return postgres('pg_ctl', 'stop',    '-D', $self->{data}, '-w', '-s', '-m', 'fast') }

# The connection string of the copy.
sub place { my ($self) = @_; return "host=$self->{socket} port=$self->{port}" }

# The service with the copy as its server, for calls of sql().
sub service
{
	my ($self) = @_;
	return bless { %{ $self->{service} }, server => { %{ $self->{service}{server} }, PGPORT => $self->{port} } },
		ref $self->{service}
}

# Another shim of the service, with a connection string of its own; further arguments are settings.
sub shim_at
{
	my ($service, $name, $place, %settings) = @_;
	my $directory = "$service->{directory}/$name";
	mkdir $directory or die "$directory: $!";
	chown((getpwnam 'postgres')[2, 3], $directory) if $> == 0;
	return $service->another(directory => $directory, settings => { %{ $service->{settings} }, %settings,
		CATALOGUE_DATABASE => "$place user=catalogue_shim dbname=catalogue", CATALOGUE_LOG_DIRECTORY => "$directory/logs" });
}

1;
