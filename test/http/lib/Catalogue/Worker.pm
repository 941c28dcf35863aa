package Catalogue::Worker;

# A worker for a service under test, started as an operator starts it, with its processes, its jobs and
# the files that it has parsed.

use strict;
use warnings;

use Catalogue::Clock qw(poll);
use Catalogue::Program qw(end_process needed slurp);
use Catalogue::Session;
use Catalogue::Test ();   # its END runs after that of this module
use POSIX ':sys_wait_h';
use Test::More ();
use Time::HiRes qw(sleep time);

my %running;

# Start a worker; the arguments are settings (CATALOGUE_... => value).  It is ready when this returns.
sub start
{
	my ($class, $service, %settings) = @_;
	my $self = bless { service => $service, settings => \%settings }, $class;
	# the connection of a worker that has ended may be listed for a moment
	my $since = $service->sql('SELECT clock_timestamp()');
	my $pid   = fork // die "fork: $!";

	$self->become('--worker') if $pid == 0;
	$self->{pid} = $pid;
	$running{$pid} = $self;
	return $self if $self->wait_for('a connection', sub {
		die "the worker does not start:\n" . $self->output if waitpid($pid, WNOHANG) == $pid;
		$service->sql("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = "
			. "'catalogue-worker' AND query LIKE '%job_take%' AND backend_start > '$since'") > 0;
	});
	return;
}

# End a worker, and start another, which looks at once for what workers look for every ten seconds.
sub another
{
	my ($self) = @_;
	$self->finish;
	return ref($self)->start($self->{service}, %{ $self->{settings} });
}

# Run a worker to its end; return its output and its exit status.
sub run
{
	my ($class, $service, $arguments, %settings) = @_;
	my $self = bless { service => $service, settings => \%settings }, $class;
	my $pid = open(my $out, '-|') // die "fork: $!";

	$self->become('--worker', @$arguments) if $pid == 0;
	my $text = do { local $/; <$out> };
	close $out;
	return ($text // '', $? >> 8);
}

# Become the program; its output goes to a file, unless it is run to its end.
sub become
{
	my ($self, @arguments) = @_;
	my $service = $self->{service};
	local %ENV = (%ENV, %{ $service->{settings} },
		CATALOGUE_WORKER_DATABASE => $service->{settings}{CATALOGUE_DATABASE} =~ s/catalogue_shim/catalogue_worker/r,
		%{ $self->{settings} });
	delete @ENV{ grep { /^PG/ || !defined $ENV{$_} } keys %ENV };
	my @become = $> == 0 ? qw(setpriv --reuid=postgres --regid=postgres --clear-groups) : ();
	open STDIN, '<', '/dev/null';
	open STDOUT, '>>', "$service->{directory}/worker" if @arguments == 1;
	open STDERR, '>&', \*STDOUT;
	exec @become, needed('CATALOGUE_SHIM'), @arguments or POSIX::_exit(127);
}

sub output
{
	my ($self) = @_;
	return slurp("$self->{service}{directory}/worker");
}

# Wait until a function returns a true value, and return it; after the time limit, a failed test and nothing.
sub wait_for
{
	my ($self, $what, $is_so) = @_;
	my $found = poll(180, $is_so);
	return $found if $found;
	Test::More::fail("wait for $what") or Test::More::diag($self->output);
	return;
}

# End the worker; return its status, undef when it had to be killed.
sub stop
{
	my ($self, $signal) = @_;
	my $pid = delete $self->{pid} // return;

	delete $running{$pid};
	return end_process($pid, $signal, 120);
}

# The last test of a worker: it ends cleanly, and no sanitizer reported an error in any of its processes.
sub finish
{
	my ($self) = @_;
	Test::More::is($self->stop, 0, 'on SIGTERM the worker ends with status 0');
	Test::More::unlike($self->output, qr/Sanitizer|runtime error:/, 'no sanitizer reported an error in the worker');
	return;
}

# The child processes of a process.
sub children
{
	my ($pid) = @_;
	return split ' ', slurp("/proc/$pid/task/$pid/children");
}

# From here on no sheets are stored, so that a process that parses a large file does not end
# before stop_parser() has found it.
sub hold
{
	my ($self) = @_;
	$self->{holding} = Catalogue::Session->new($self->{service});
	$self->{holding}->run('BEGIN; LOCK TABLE catalogue.sheet IN SHARE MODE');
	return;
}

# Wait until the worker parses a file in the closed sandbox; stop that process with a signal, and return its pid.
sub stop_parser
{
	my ($self) = @_;
	my $found = $self->wait_for('a process that reads a file', sub {
		my ($parser) = grep { slurp("/proc/$_/status") =~ /^Seccomp:\t2$/m } map { children($_) } children($self->{pid});
		kill 'STOP', $parser if $parser;
		$parser;
	});
	(delete $self->{holding})->finish;
	return $found // die "no process reads a file\n";
}

# Wait until a file is neither pending nor being parsed; return its record.
sub wait_for_file
{
	my ($self, $id) = @_;
	return $self->wait_for("file $id", sub {
		my $file = $self->{service}->get("/files/$id")->{json}{data};
		($file->{parseState} // '') eq 'pending' ? undef : $file;
	});
}

# Wait until a job is in one of some states; return its record.
sub wait_for_job
{
	my ($self, $id, @states) = @_;
	return $self->wait_for("job $id", sub {
		my $job = $self->{service}->get("/jobs/$id")->{json}{data};
		(grep { $_ eq $job->{state} } @states) ? $job : undef;
	});
}

# The newest job of a kind for a record.
sub job
{
	my ($self, $kind, $resource) = @_;
	return $self->{service}->get("/jobs?kind=$kind&resource=$resource&condition=AND&match=EXACT")->{json}{data}[0];
}

# Make all waiting jobs due: retries, jobs that are put off, and those whose worker is gone; the worker looks at once.
sub hurry
{
	my ($self) = @_;
	$self->{service}->sql(q(UPDATE catalogue.job_queue SET due_at = now() WHERE due_at > now(); NOTIFY catalogue_jobs));
	return;
}

# Wait until no job is left: then only requests change the catalogue.
sub finish_jobs
{
	my ($self) = @_;
	$self->wait_for('the end of all jobs', sub {
		$self->hurry;
		$self->{service}->sql('SELECT NOT EXISTS (SELECT FROM catalogue.job_queue)') eq 't';
	});
	return;
}

END
{
	my $status = $?;
	for my $self (values %running)
	{
		Test::More::diag($self->output) if length $self->output;
		$self->stop('KILL');
		Test::More::diag('a worker was not finished');
		$status ||= 1;
	}
	$? = $status;
}

1;
