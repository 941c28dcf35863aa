package Catalogue::Shim;

# The HTTP server as a process: its start, what it writes, its end.  It is a client of itself, by which its start knows
# that it answers.  The object has the members directory and settings (CATALOGUE_... => value); port, base and pid are
# those of the process that runs.

use strict;
use warnings;

use parent 'Catalogue::Client';

use Catalogue::Client qw($json);
use Catalogue::Clock qw(poll);
use Catalogue::Program qw(end_process free_port needed slurp);
use POSIX ':sys_wait_h';

my %running;   # pid of each shim => its object

# Start the shim and wait until it answers; another program can take the port that was free, then another is tried.
sub start_shim
{
	my ($self, $attempt) = @_;

	$self->{port} = $self->{settings}{CATALOGUE_PORT} // free_port();
	$self->{base} = "http://127.0.0.1:$self->{port}";
	my $before = length $self->output;
	my $pid = fork // die "fork: $!";
	if ($pid == 0)
	{
		local %ENV = (%ENV, %{ $self->{settings} }, CATALOGUE_PORT => $self->{port});
		delete @ENV{ grep { /^PG/ || !defined $ENV{$_} } keys %ENV };
		my @become = $> == 0 ? qw(setpriv --reuid=postgres --regid=postgres --clear-groups) : ();
		open STDIN,  '<',  '/dev/null';
		open STDOUT, '>>', "$self->{directory}/output";
		open STDERR, '>&', \*STDOUT;
		exec @become, needed('CATALOGUE_SHIM') or POSIX::_exit(127);
	}
	$self->{pid} = $pid;
	$running{$pid} = $self;

	my $state = poll(120, sub {
		# an answer may be that of another shim which has taken the port in between
		return 'up' if substr($self->output, $before) =~ /listening on/ && eval { $self->get('/health')->{status} == 200 };
		return waitpid($pid, WNOHANG) == $pid && 'ended';
	}) // '';
	return if $state eq 'up';
	delete $running{$pid} and delete $self->{pid} if $state eq 'ended';
	die "the shim does not start:\n" . $self->output
		if ($attempt // 1) >= 5 || $self->output !~ /Address already in use\s*\z/;
	return $self->start_shim(($attempt // 1) + 1);
}

# Start another shim of the same service, with some other members; the caller stops it.
sub another
{
	my ($self, %members) = @_;
	my $other = bless { %$self, %members }, ref $self;
	delete @$other{qw(pid socket)};
	$other->start_shim;
	return $other;
}

# The shims of this process that have not been stopped.
sub running { return values %running }

# What the shim wrote on its standard output and error.
sub output
{
	my ($self) = @_;
	return slurp("$self->{directory}/output");
}

# The events of the log file, decoded; of a shared service those since this file has it.
sub log
{
	my ($self) = @_;
	return map { $json->decode($_) } split /\n/, substr slurp("$self->{directory}/logs/test.log"), $self->{log_begin} // 0;
}

# End the shim with SIGTERM; return its exit status, undef when it had to be killed.
sub stop_shim
{
	my ($self, $signal) = @_;
	my $pid = delete $self->{pid} // return;

	delete $self->{socket};
	delete $running{$pid};
	return $self->{status} = end_process($pid, $signal, 120);
}

1;
