package Bench::Service;

# The service as `make run` starts it, on a new cluster, with a catalogue that is filled for the measurements.

use strict;
use warnings;

use File::Path qw(remove_tree);
use File::Temp       ();
use IO::Socket::INET ();
use JSON::PP         ();
use Time::HiRes qw(sleep time);

use Bench::Client  ();
use Bench::Load    ();
use Bench::Process ();

my $PASSWORD = 'of no use to anyone';
my $PATIENCE = 60;    # seconds

sub free_port
{
	return IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.1')->sockport;
}

sub first_line
{
	my ($file) = @_;
	open my $in, '<', $file or die "$file: $!\n";
	chomp(my $line = <$in>);
	return $line;
}

# Start the service with the options of the command line.  End it with stop().
sub start
{
	my ($class, %option) = @_;
	my $self = bless { option => \%option, work => File::Temp::tempdir('/tmp/catalogue-bench.XXXXXXXX'), server => {},
		files => 0 }, $class;

	return $self if eval { $self->begin; 1 };
	my $fault = $@;
	$self->stop;
	die $fault;
}

sub begin
{
	my ($self) = @_;
	my $port = free_port();

	chmod 0755, $self->{work};
	@ENV{qw(CATALOGUE_VAR CATALOGUE_PORT CATALOGUE_VOLATILE CATALOGUE_ADMIN_PASSWORD)} =
		($self->{work}, $port, 1, $PASSWORD);
	Bench::Load::output_of('.ci/service', 'start');
	my %server = Bench::Load::output_of('.ci/cluster', 'env') =~ /(PG\w+)=(\S+)/g;
	@ENV{ keys %server } = values %server;
	chomp($self->{place} = Bench::Load::output_of('.ci/cluster', 'place'));
	chomp($self->{cores} = Bench::Load::output_of('nproc'));
	my ($shim) = split ' ', first_line("$self->{place}/shim");
	$self->{server}{shim}     = Bench::Process->of_pid($shim);
	$self->{server}{database} = Bench::Process->of_pid(first_line("$self->{place}/data/postmaster.pid"));
	$self->{base}   = "http://127.0.0.1:$port";
	$self->{secret} = first_line("$self->{place}/token-secret");
	return;
}

sub stop
{
	my ($self) = @_;
	$_->stop for values %{ $self->{server} };
	eval { Bench::Load::output_of('.ci/service', 'stop') } if -e "$self->{work}/data" || -e "$self->{work}/place";
	remove_tree($self->{work});
	return;
}

# The path of a new file of the run.
sub file
{
	my ($self) = @_;
	return "$self->{work}/file." . ++$self->{files};
}

# Run SQL as the superuser; return the output, with columns separated by |.
sub sql
{
	my ($self, $sql, $database) = @_;
	chomp(my $text =
		Bench::Load::output_of('psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-d', $database // 'catalogue', '-c', $sql));
	return $text;
}

# Wait until PostgreSQL is idle: it goes on with statements whose clients have disconnected.
sub settle
{
	my ($self) = @_;
	my $busy = q(SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND backend_type = 'client backend' AND pid )
		. q(<> pg_backend_pid());

	for (my ($idle, $deadline) = (0, time + $PATIENCE); $idle < 3 && time < $deadline; sleep 0.05)
	{
		$idle = $self->sql($busy) == 0 ? $idle + 1 : 0;
	}
	return;
}

# Fill a database with the given number of datasets, from one session for each core.
sub fill
{
	my ($self, $size, $database) = @_;
	my @psql  = ('psql', '-X', '-d', $database, '-v', "size=$size", '-f');
	my $share = int($size / $self->{cores}) + 1;
	my @sessions;

	Bench::Load::output_of(@psql, 'test/bench/fill/begin.sql');
	for (my $first = 1; $first <= $size; $first += $share)
	{
		my $last = $first + $share - 1 < $size ? $first + $share - 1 : $size;
		push @sessions, Bench::Process->start("$self->{work}/fill.log", {}, @psql, 'test/bench/fill/rows.sql', '-v',
			"first=$first", '-v', "last=$last");
	}
	for my $session (@sessions)
	{
		waitpid $session->{pid}, 0;
		die "filling failed:\n" . Bench::Load::output_of('cat', "$self->{work}/fill.log") if $?;
	}
	Bench::Load::output_of(@psql, 'test/bench/fill/end.sql');
	return;
}

# Create one more database with the given number of datasets; return its name.
sub another_database
{
	my ($self, $size) = @_;
	my $name = "catalogue_$size";

	Bench::Load::output_of('createdb', $name);
	Bench::Load::output_of('.ci/database', $name);
	$self->fill($size, $name);
	return $name;
}

# Start one more shim, readable without credentials like the first one, with these settings (name of the variable =>
# value); return its address.
sub another_shim
{
	my ($self, $name, $database, %settings) = @_;
	my $port = free_port();
	my %environment = (
		CATALOGUE_PORT => $port, CATALOGUE_TOKEN_SECRET => $self->{secret}, CATALOGUE_LOG_DIRECTORY => "$self->{work}/$name",
		CATALOGUE_DATABASE => "host=$ENV{PGHOST} port=$ENV{PGPORT} user=catalogue_shim dbname=$database",
			CATALOGUE_PRIVATE => 'off', %settings);

	$self->{server}{$name} =
		Bench::Process->start("$self->{work}/$name.log", \%environment,
			"$self->{place}/bin/catalogue-shim")->wait_for_port($port);
	my $base = "http://127.0.0.1:$port";
	Bench::Client->new($base)->get('/health', [200]);
	return $base;
}

# Whether the shim knows a setting, by the name of its variable.
sub knows_setting
{
	my ($self, $variable) = @_;
	return Bench::Load::output_of("$self->{place}/bin/catalogue-shim", '--help') =~ /\b\Q$variable\E\b/;
}

# The administrator's password.
sub password { return $PASSWORD }

# Headers of a request by the administrator.
sub as_admin
{
	my ($self) = @_;

	$self->{token} //= do
	{
		my $body = qq({"username":"admin","password":"$PASSWORD"});
		my $answer = Bench::Client->new($self->{base})->request('POST', '/users/login', $body);
		die "login: $answer->{status}\n" unless $answer->{status} == 200;
		JSON::PP::decode_json($answer->{body})->{data}{token};
	};
	return (Authorization => "Bearer $self->{token}");
}

# A client with the given headers; by default it sends those of the administrator.
sub client
{
	my ($self, %headers) = @_;
	%headers = $self->as_admin unless %headers;
	return Bench::Client->new($self->{base}, %headers);
}

sub id_of_admin
{
	my ($self) = @_;
	return $self->{admin} //= $self->sql(q(SELECT id FROM catalogue.users WHERE username = 'admin'));
}

# Ids of datasets at random.
sub random_ids
{
	my ($self, $count) = @_;
	return map { sprintf '%.0f', 100_000_000_000_001 + int rand $self->{option}{size} } 1 .. $count;
}

# Ids at random of datasets that outsiders see: the first of each hundred is published.
sub published_ids
{
	my ($self, $count) = @_;
	return map { sprintf '%.0f', 100_000_000_000_001 + 100 * int rand $self->{option}{size} / 100 } 1 .. $count;
}

# A load of wrk, for a contender.  The members are targets and others of Bench::Load::write_requests(),
# with the administrator's headers by default; and server (name), base, connections.
sub load
{
	my ($self, %load) = @_;
	$load{headers} //= { $self->as_admin };
	my $name = $load{server} // 'shim';
	my $requests = Bench::Load::write_requests($self->file, %load);

	return sub {
		my ($seconds) = @_;
		return Bench::Load::wrk(server => $self->{server}{$name}, database => $self->{server}{database},
			cores => $self->{cores}, seconds => $seconds,
			connections => $load{connections} // $self->{option}{connections}, base => $load{base} // $self->{base},
				requests => $requests);
	};
}

# A load like load() with one request after the other over one connection.
sub single
{
	my ($self, %load) = @_;
	$load{headers} //= { $self->as_admin };
	my $name = $load{server} // 'shim';

	return sub {
		my ($seconds) = @_;
		return Bench::Load::single(server => $self->{server}{$name}, database => $self->{server}{database},
			cores => $self->{cores},
			seconds => $seconds, base => $load{base} // $self->{base}, headers => $load{headers}, targets => $load{targets});
	};
}

# A load of pgbench, for a contender: sql, variables, user, clients.
sub calls
{
	my ($self, %load) = @_;
	my $script = $self->file;

	open my $out, '>', $script or die "$script: $!\n";
	print $out $load{sql};
	close $out or die "$script: $!\n";
	return sub {
		my ($seconds) = @_;
		return Bench::Load::pgbench(database => $self->{server}{database}, cores => $self->{cores}, seconds => $seconds,
			script => $script,
			user => $load{user} // 'catalogue_shim', clients => $load{clients}, variables => $load{variables});
	};
}

# A load like calls() with the number of clients at which it is fastest; return the load and that number.
sub best_calls
{
	my ($self, %load) = @_;
	my %calls = map { $_ => $self->calls(%load, clients => $_) } 2, 4, 8, 16, 32;
	my %rate  = map { $_ => $calls{$_}->(1)->{rate} } keys %calls;
	my ($best) = sort { $rate{$b} <=> $rate{$a} } keys %rate;

	return ($calls{$best}, $best);
}

1;
