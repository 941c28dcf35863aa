package Catalogue::Program;

# Programs that tests run, and what these leave: output, exit status, files.

use strict;
use warnings;

use Catalogue::Clock qw(poll);
use Exporter qw(import);
use IO::Socket::INET ();
use POSIX ':sys_wait_h';

our @EXPORT_OK = qw(command end_process free_port needed run_to_end slurp);

# The value of a variable that .ci/check sets.
sub needed
{
	my ($name) = @_;
	return $ENV{$name} // die "$name is not set: run \"make check TESTS=http\"\n";
}

# The bytes of a file; none when there is no such file.
sub slurp
{
	my ($file) = @_;
	open my $in, '<:raw', $file or return '';
	local $/;
	return scalar <$in>;
}

# A port of this host that no program has taken.
sub free_port { return IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.1')->sockport }

# Run a command of the project with a changed environment; dies when it fails.
sub command
{
	my ($environment, @command) = @_;
	local %ENV = (%ENV, %$environment);
	open my $out, '-|', @command or die "$command[0]: $!";
	my $text = do { local $/; <$out> };
	close $out or die "@command: exit status " . ($? >> 8) . "\n";
	return $text // '';
}

# Run a command to its end, whatever that is; return what it printed, errors among it, and its exit status.
sub run_to_end
{
	my (@command) = @_;
	my $pid = open(my $out, '-|') // die "fork: $!";
	if (!$pid)
	{
		open STDERR, '>&', \*STDOUT;
		exec @command or POSIX::_exit(127);
	}
	my $text = do { local $/; <$out> };
	close $out;
	return ($text // '', $? >> 8);
}

# End a process that was started here; return its exit status, undef when it had to be killed after so many seconds.
sub end_process
{
	my ($pid, $signal, $seconds) = @_;

	kill $signal // 'TERM', $pid;
	return $? if poll($seconds, sub { waitpid($pid, WNOHANG) == $pid });
	kill 'KILL', $pid;
	waitpid $pid, 0;
	return;
}

1;
