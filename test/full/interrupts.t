#!/usr/bin/perl
# Questions about 1,000,000 rows of a file end within 100 ms after they were cancelled, wherever they are then: in
# processor time of the server process, so that it does not matter what else the machine does.  None takes more than
# 64 MB of memory of its own.

use strict;
use warnings;

use DBD::Pg;
use Time::HiRes qw(sleep);
use Test::More;
use Catalogue::Program qw(slurp);
use Catalogue::Session;
use Catalogue::Test;
use Catalogue::Upload;
use Catalogue::Worker;

my $MOST  = 100;    # milliseconds
my $TIMES = 8;      # cancellations of each question, evenly over the time that it takes
my $HELD  = 64;     # MB that the server process has beside shared buffers
my $ROWS  = 1_000_000;

my $service = Catalogue::Test->start->as_admin;
my $worker  = Catalogue::Worker->start($service);

# Numbers of two scales, texts that repeat and that do not, days, places.
my $csv = "id,city,amount,day,note,longitude,latitude\n" . join '', map {
	sprintf "%d,City %d,%s,20%02d-%02d-%02d,%08x,%.1f,%.1f\n", $_, $_ % 997, $_ % 7 ? $_ * 31 % 100_003 : "$_.25",
		$_ % 21, 1 + $_ % 12, 1 + $_ % 28, $_ * 2_654_435_761 & 0xffffffff, $_ % 3600 / 10 - 180, $_ * 7 % 1700 / 10 - 85
} 1 .. $ROWS;
my $file = Catalogue::Upload->new($service)->file('rows.csv', $csv, visible => 'true', status => 'qWRhpRV')->{id};
$worker->wait_for_file($file);
is($service->get("/files/$file/contents?limit=1")->{json}{meta}{count}, $ROWS, 'the rows are read');

# Ask in a new session, which knows no answer yet, and cancel the question when its process has taken so much time.
# Return what it has taken from then on, whether it was cancelled, and the memory of the process.
sub ask
{
	my ($question, $until) = @_;
	my $session = Catalogue::Session->new($service);
	my ($pid) = $session->run('SELECT pg_backend_pid()');
	my $taken = sub {
		open my $in, '<', "/proc/$pid/schedstat" or die "schedstat: $!";
		return (split ' ', <$in>)[0] / 1e6;
	};
	my $begun = $taken->();
	my $asked;

	my $export = (my $query = $question) =~ s/^export //;
	my $function = $export ? 'contents_export' : 'contents_page';
	my $call =
		$query =~ /^SELECT /
		? "query(json_build_object('sql', \$sql\$" . ($query =~ s/\brows\b/"$file"/gr) . '$sql$))'
		: "$function('$file', '$query')";
	$session->{handle}
		->do("SELECT count(r) FROM (SELECT catalogue.$call AS r) r", { pg_async => DBD::Pg::PG_ASYNC() });
	while (!$session->{handle}->pg_ready)
	{
		if (!defined $asked && $taken->() - $begun >= $until)
		{
			$asked = $taken->();
			$service->sql("SELECT pg_cancel_backend($pid)");
		}
		sleep 0.0005;
	}
	my $ended = $taken->();
	my %status = slurp("/proc/$pid/status") =~ /^(VmHWM|RssShmem):\s+(\d+)/mg;
	my $state = eval { $session->{handle}->pg_result; '00000' } // $session->{handle}->state;
	$session->finish;
	BAIL_OUT("$question: $state") unless $state =~ /^(?:00000|57014)$/;
	my $held = ($status{VmHWM} - $status{RssShmem}) / 1024;
	return ($ended - ($asked // $begun), $state eq '57014', $held);
}

for my $question (
	'note=0123abcd', 'note=ff0', 'amount[gt]=50000&city=City 7', 'orderBy=note', 'orderBy=amount,day&sort=desc',
	'orderBy=city,note&skip=500000', 'orderBy=amount&skip=500000', 'orderBy=note,city&skip=900000&sort=desc,asc',
	'export orderBy=amount', 'export orderBy=city,note', 'export orderBy=note&sort=desc',
	'groupBy=city&aggregate=count,sum(amount),max(note)',
	'groupBy=day&aggregate=count,avg(amount)',
	'facets=city,day', 'histogram=amount,day', 'distinct=city', 'aggregate=sum(amount),min(note)',
	'bbox=-10,-10,10,10&groupBy=city', 'near=2,48,100000&orderBy=note',
	'export orderBy=note&limit=20',
	'SELECT city, count(*), avg(amount) FROM rows GROUP BY city',
	'SELECT note FROM rows ORDER BY note DESC LIMIT 20',
	"SELECT count(*) FROM rows a JOIN rows b ON a.id = b.id WHERE a.note LIKE '%a' AND b.amount > 50000")
{
	my ($whole, undef, $held) = ask($question, 1e9);
	cmp_ok($held, '<=', $HELD, sprintf '%s: %.0f MB', $question, $held);
	my ($longest, $cancelled) = (0, 0);
	for my $n (0 .. $TIMES - 1)
	{
		my ($time, $is) = ask($question, $whole * $n / $TIMES);
		$cancelled += $is;
		$longest = $time if $is && $time > $longest;
	}
	cmp_ok($cancelled, '>', 0, sprintf '%s, which takes %.0f ms, is cancelled', $question, $whole);
	cmp_ok($longest, '<=', $MOST, sprintf '%s: it goes on for %.1f ms at most', $question, $longest);
}
$worker->finish;
$service->finish;
