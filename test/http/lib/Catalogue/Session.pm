package Catalogue::Session;

# A session of the database of a service, as superuser, that stays open.

use strict;
use warnings;

use DBI;

sub new
{
	my ($class, $service, $database) = @_;
	my $server = $service->{server};
	# values are bytes in the text form of PostgreSQL, as psql prints them
	my $handle = DBI->connect("dbi:Pg:host=$server->{PGHOST};port=$server->{PGPORT};dbname="
		. ($database // $service->{database}), $server->{PGUSER}, undef,
		{ RaiseError => 1, PrintError => 0, PrintWarn => 0, AutoInactiveDestroy => 1, pg_enable_utf8 => 0, pg_bool_tf => 1,
			pg_expand_array => 0 });
	return bless { handle => $handle, pid => $$ }, $class;
}

# Run statements and wait for their end; return the rows of the last one, each as its columns joined by "|".
sub run
{
	my ($self, $statements) = @_;
	utf8::encode($statements) if utf8::is_utf8($statements);
	my $statement = $self->{handle}->prepare($statements, { pg_direct => 1 });
	$statement->execute;
	return $statement->{NUM_OF_FIELDS} ? map { join '|', map { $_ // '' } @$_ } @{ $statement->fetchall_arrayref } : ();
}

# True when another call of run() reaches the server: this process has opened the session, and no end of it has arrived.
sub is_open
{
	my ($self) = @_;
	vec(my $readable = '', $self->{handle}{pg_socket}, 1) = 1;
	return $self->{pid} == $$ && !select $readable, undef, undef, 0;
}

sub finish { my ($self) = @_; return $self->{handle}->disconnect }

1;
