package Bench::Load;

# Load generators: wrk for HTTP, pgbench for SQL.  Each gives one measurement: rate, p50 and p99 in
# ms, the CPU time of an answer in microseconds, cpu in the server and database in PostgreSQL, and
# share, the part of all cores that the generator took.

use strict;
use warnings;

use Time::HiRes qw(time);

# Run a generator; server and database are the processes whose CPU time is taken, where there are.
sub run
{
	my ($load, @command) = @_;
	my ($began, %cpu) = (time, cpu($load));
	my @before = times;

	open my $out, '-|', 'sh', '-c', 'exec "$@" 2>&1', 'sh', @command or die "$command[0]: $!\n";
	my $text = do { local $/; <$out> };
	close $out or die "@command: exit status " . ($? >> 8) . "\n$text\n";
	my @after  = times;
	my %after  = cpu($load);
	my ($done) = $text =~ /^\s*(\d+) requests in|^number of transactions actually processed: (\d+)/m ? $1 // $2 : 1;
	return {
		text  => $text,
		share => ($after[2] + $after[3] - $before[2] - $before[3]) / (time - $began) / $load->{cores},
		map { $_ => ($after{$_} - $cpu{$_}) * 1e6 / $done } keys %after,
	};
}

sub cpu
{
	my ($load) = @_;
	return ($load->{server} ? (cpu => $load->{server}->cpu) : (), $load->{database} ? (database => $load->{database}->cpu) : ());
}

# A time of wrk or pgbench in milliseconds.
my %units = (us => 0.001, ms => 1, s => 1000, m => 60000);

# Ask over HTTP for so many seconds; script: a Lua file and its arguments, or none.
sub wrk
{
	my (%load) = @_;
	my @script = $load{script} ? ('-s', $load{script}[0]) : ();
	my @arguments = $load{script} ? ('--', @{ $load{script} }[ 1 .. $#{ $load{script} } ]) : ();
	my $run = run(\%load, 'wrk', '-t', 1, '-c', $load{connections}, '-d', "$load{seconds}s",
		'--latency', @script, $load{url}, @arguments);

	die "wrong answers:\n$run->{text}" if $run->{text} =~ /Non-2xx|Socket errors/;
	my ($rate) = $run->{text} =~ m{^Requests/sec:\s+([\d.]+)}m or die "wrk gave no rate:\n$run->{text}";
	my %latency;
	$latency{$1} = $2 * $units{$3} while $run->{text} =~ /^\s*(50|99)%\s+([\d.]+)(us|ms|s|m)$/mg;
	return { %$run, rate => $rate, p50 => $latency{50}, p99 => $latency{99} };
}

# Call the functions themselves, as the shim's role.
sub pgbench
{
	my (%load) = @_;
	my $run = run(\%load, 'pgbench', '-n', '-M', 'prepared', '-U', 'catalogue_shim', '-c', $load{clients}, '-j', 2,
		'-T', $load{seconds}, '-f', $load{script}, '-D', 'resource=datasets', '-D', 'query=limit=20', '-D', 'relations=ids',
		'-D', 'actor={}', '-D', "size=$load{size}", 'catalogue');

	my ($rate) = $run->{text} =~ /^tps = ([\d.]+)/m or die "pgbench gave no rate:\n$run->{text}";
	return { %$run, rate => $rate };
}

1;
