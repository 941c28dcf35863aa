package Bench::Load;

# Load generators: wrk for HTTP, pgbench for SQL, one client for the time of an answer.  Each returns
# one measurement: rate in answers a second, p50 and p99 in ms, the CPU time of an answer in
# microseconds, cpu in the server and database in PostgreSQL, and share, the part of all cores that
# the generator used.  A load has: server and database, the Bench::Process whose CPU time is measured,
# if any; cores; seconds.

use strict;
use warnings;

use FindBin ();
use Time::HiRes qw(time);

use Bench::Client ();
use Bench::Report ();

# Run a generator, a function that returns its output or a list, and the number of answers; measure CPU time meanwhile.
sub observe
{
	my ($load, $generator) = @_;
	my ($began, %cpu) = (time, cpu($load));
	my @before = times;
	my ($done, %found) = $generator->();
	my @after = times;
	my %after = cpu($load);
	my $spent = $after[0] + $after[1] + $after[2] + $after[3] - $before[0] - $before[1] - $before[2] - $before[3];

	return {
		%found,
		share => $spent / (time - $began) / $load->{cores},
		map { $_ => ($after{$_} - $cpu{$_}) * 1e6 / ($done || 1) } keys %after,
	};
}

sub cpu
{
	my ($load) = @_;
	return ($load->{server} ? (cpu => $load->{server}->cpu) : (),
		$load->{database} ? (database => $load->{database}->cpu) : ());
}

# The output of a program.
sub output_of
{
	my (@command) = @_;
	open my $out, '-|', 'sh', '-c', 'exec "$@" 2>&1', 'sh', @command or die "$command[0]: $!\n";
	my $text = do { local $/; <$out> };
	close $out or die "@command: exit status " . ($? >> 8) . "\n$text\n";
	return $text;
}

# Write requests for wrk() to a file: verb, headers, targets, body; see replay.lua.  A target may be an
# array of the target and its own header lines.
sub write_requests
{
	my ($file, %requests) = @_;
	my %headers = %{ $requests{headers} // {} };

	$headers{'Content-Type'} = 'application/json' if defined $requests{body};
	open my $out, '>', $file or die "$file: $!\n";
	print $out join "\n", $requests{verb} // 'GET', (map { "$_: $headers{$_}" } sort keys %headers), '',
		(map { ref $_ ? join "\t", @$_ : $_ } @{ $requests{targets} }), '',
		$requests{body} // '';
	close $out or die "$file: $!\n";
	return $file;
}

# Convert a time as wrk prints it into milliseconds.
my %units = (us => 0.001, ms => 1, s => 1000, m => 60000);

# Send the requests in the file of write_requests() over HTTP, from the given number of connections.
sub wrk
{
	my (%load) = @_;

	return observe(
		\%load,
		sub {
			my $text = output_of('wrk', '-t', 1, '-c', $load{connections}, '-d', "$load{seconds}s", '--timeout', '30s',
				'--latency',
				'-s', "$FindBin::Bin/replay.lua", $load{base}, '--', $load{requests}, int(time * 1000) * 1000);
			die "wrong answers:\n$text" if $text =~ /Non-2xx|Socket errors/;
			my ($rate) = $text =~ m{^Requests/sec:\s+([\d.]+)}m or die "wrk gave no rate:\n$text";
			my ($done) = $text =~ /^\s*(\d+) requests in/m;
			my %latency;
			$latency{$1} = $2 * $units{$3} while $text =~ /^\s*(50|99)%\s+([\d.]+)(us|ms|s|m)$/mg;
			return ($done, rate => $rate, p50 => $latency{50}, p99 => $latency{99});
		});
}

# Run an SQL script with pgbench and the given number of clients; variables are values of :name.
sub pgbench
{
	my (%load) = @_;
	my %variables = %{ $load{variables} // {} };

	return observe(
		\%load,
		sub {
			my $text = output_of('pgbench', '-n', '-M', 'prepared', '-U', $load{user}, '-c', $load{clients}, '-j', 2, '-T',
				$load{seconds},
				'-f', $load{script}, (map { ('-D', "$_=$variables{$_}") } sort keys %variables), 'catalogue');
			my ($rate) = $text =~ /^tps = ([\d.]+)/m or die "pgbench gave no rate:\n$text";
			my ($done) = $text =~ /^number of transactions actually processed: (\d+)/m;
			return ($done, rate => $rate);
		});
}

# Send requests over one connection, one after the other; the rate is computed from the median time.
sub single
{
	my (%load) = @_;

	return observe(
		\%load,
		sub {
			my @times = Bench::Client->new($load{base}, %{ $load{headers} // {} })->times($load{targets}, $load{seconds});
			my ($p50, $p99) = map { scalar Bench::Report::quantile($_, @times) } 0.5, 0.99;
			return (scalar @times, rate => 1000 / $p50, p50 => $p50, p99 => $p99);
		});
}

# Run a statement once in psql.
sub statement
{
	my (%load) = @_;

	return observe(
		\%load,
		sub {
			my $text = output_of('psql', '-X', '-d', 'catalogue', '-c', '\timing on', map { ('-c', $_) } @{ $load{setup} // [] },
				$load{sql});
			my @times = $text =~ /^Time: ([\d.]+) ms/mg or die "psql gave no time:\n$text";
			return (1, rate => 1000 / $times[-1], p50 => $times[-1]);
		});
}

1;
