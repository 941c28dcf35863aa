package Bench::Process;

# Programs that are measured: start, observe in /proc, end.

use strict;
use warnings;

use IO::Socket::INET ();
use POSIX            ();
use Time::HiRes qw(sleep time);

my $ticks = POSIX::sysconf(POSIX::_SC_CLK_TCK());

# Start a program with its output in a file; %$environment is added to the environment.
sub start
{
	my ($class, $output, $environment, @command) = @_;
	my $pid = fork // die "fork: $!\n";

	if ($pid == 0)
	{
		@ENV{ keys %$environment } = values %$environment;
		open STDIN,  '<',  '/dev/null';
		open STDOUT, '>>', $output;
		open STDERR, '>&', \*STDOUT;
		exec @command or POSIX::_exit(127);
	}
	return bless { pid => $pid, name => $command[0], output => $output, ours => $$ }, $class;
}

# A program that another program has started.
sub of_pid
{
	my ($class, $pid) = @_;
	return bless { pid => $pid }, $class;
}

sub wait_for_port
{
	my ($self, $port, $patience) = @_;

	for (my $deadline = time + ($patience // 30); time < $deadline; sleep 0.1)
	{
		return $self if IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $port, Timeout => 1);
		last if waitpid($self->{pid}, POSIX::WNOHANG()) == $self->{pid};
	}
	my $output = do { local (@ARGV, $/) = $self->{output}; <> };
	die "$self->{name} does not listen on port $port:\n$output\n";
}

sub stop
{
	my ($self) = @_;
	return unless $self->{ours} && $self->{ours} == $$ && kill 0, $self->{pid};
	kill 'TERM', $self->{pid};
	for (my $deadline = time + 5; time < $deadline; sleep 0.05)
	{
		return if waitpid($self->{pid}, POSIX::WNOHANG()) != 0;
	}
	kill 'KILL', $self->{pid};
	waitpid $self->{pid}, 0;
	return;
}

# The fields of /proc/PID/stat after the program's name; an empty list when the process is gone.
sub stat_of
{
	my ($pid) = @_;
	open my $in, '<', "/proc/$pid/stat" or return;
	my $line = <$in> // return;
	return split ' ', $line =~ s/^.*\) //sr;
}

# Pids of the program and of all its descendants.
sub family
{
	my ($self) = @_;
	my %children;

	for my $pid (map { m{(\d+)$} } glob '/proc/[0-9]*')
	{
		my @stat = stat_of($pid) or next;
		push @{ $children{ $stat[1] } }, $pid;
	}
	my @family = ($self->{pid});
	for (my $i = 0; $i < @family; $i++)
	{
		push @family, @{ $children{ $family[$i] } // [] };
	}
	return @family;
}

# CPU time in seconds that the program and its children have used, including children that have ended.
sub cpu
{
	my ($self) = @_;
	my $sum = 0;

	for my $pid ($self->family)
	{
		my @stat = stat_of($pid) or next;
		$sum += $stat[11] + $stat[12] + $stat[13] + $stat[14];
	}
	return $sum / $ticks;
}

# Resident memory in MB; shared pages are counted for each child.
sub memory
{
	my ($self) = @_;
	my $sum = 0;

	for my $pid ($self->family)
	{
		open my $in, '<', "/proc/$pid/status" or next;
		$sum += join('', <$in>) =~ /^VmRSS:\s+(\d+)/m ? $1 : 0;
	}
	return $sum / 1024;
}

1;
