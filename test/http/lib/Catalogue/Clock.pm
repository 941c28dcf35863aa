package Catalogue::Clock;

# Time in tests: to wait for a state of the service, and to move the clock of its programs.  The object has the member
# clock, the file that CATALOGUE_TEST_CLOCK names to the programs.

use strict;
use warnings;

use Exporter qw(import);
use Fcntl ();
use Time::HiRes qw(sleep time);

our @EXPORT_OK = qw(poll wait_until);

# Let seconds pass on the clock by which the shim and its workers keep their limits (not on that of PostgreSQL).  A
# thread that waits sees it at its next look: a tenth of a second later in the shim, a second in the worker.
sub pass
{
	my ($self, $seconds) = @_;
	$self->{ahead} += $seconds * 1000;
	sysopen my $out, $self->{clock}, Fcntl::O_WRONLY | Fcntl::O_CREAT or die "$self->{clock}: $!";
	syswrite $out, pack 'q', $self->{ahead};
	close $out;
	return;
}

# Call a function until it returns a true value, and return that; nothing after so many seconds.  The pauses between
# calls grow with the time, so that neither is much more than what is waited for.
sub poll
{
	my ($seconds, $is_so) = @_;
	my $begun = time;
	while (1)
	{
		my $found  = $is_so->();
		my $waited = time - $begun;
		return $found if $found;
		return if $waited > $seconds;
		sleep($waited < 0.01 ? 0.001 : $waited > 0.5 ? 0.05 : $waited / 10);
	}
}

# Wait for a condition, for a minute at most; dies when it does not become true.
sub wait_until
{
	my ($what, $holds) = @_;
	poll(60, $holds) or die "$what: not within a minute\n";
	return;
}

1;
