#!/usr/bin/perl
# GET /health keeps its form; GET /health/ready names the checks that fail: a database that is away or read-only, other
# versions, no worker, scheduled jobs that do not run. No credential is needed, and none of the database's messages is
# shown.

use strict;
use warnings;

use Catalogue::Client qw($json);
use Catalogue::Clock qw(poll wait_until);
use Catalogue::Test;
use Catalogue::Worker;
use Test::More;

my $service = Catalogue::Test->start(cluster => 'private', CATALOGUE_PRIVATE => 'on');

# The answer, when it names these failing checks; the last one, when it never does.
sub ready
{
	my ($failed) = @_;
	my $reply;
	poll(90, sub {
		$reply = $service->get('/health/ready');
		join(' ', @{ $reply->{json}{data}{failed} // ['?'] }) eq $failed;
	});
	return $reply;
}

sub is_failed
{
	my ($failed, $name) = @_;
	my $reply = ready($failed);
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	is("$reply->{status} @{ $reply->{json}{data}{failed} // [] }", "503 $failed", $name);
	is($reply->{json}{code}, 'E_UNAVAILABLE', "$name: the code");
	ok($reply->{headers}{'retry-after'} > 0, "$name: when to ask again");
	return $reply;
}

# alive, as clients know it
my $reply = $service->get('/health');
is($reply->{status}, 200, 'alive');
is($json->encode($reply->{json}{data}), '{"extension":"1.1","status":"ok"}', 'the form of /health');

# the worker is known by its connection
$reply = is_failed('worker', 'no worker');
is($json->encode($reply->{json}{data}{checks}),
	'{"database":"ok","schedules":"ok","version":"ok","worker":"no worker is connected","writable":"ok"}',
	'each check has an answer');
$service->sql('CREATE ROLE catalogue_reader_login LOGIN; GRANT catalogue_reader TO catalogue_reader_login');
my $impostor = do {
	local %ENV = (%ENV, %{ $service->{server} }, PGUSER => 'catalogue_reader_login', PGAPPNAME => 'catalogue-worker');
	open my $pipe, '|-', 'psql', '-XAtq', '-d', $service->{database} or die "psql: $!";
	$pipe->autoflush(1);
	print $pipe "SELECT 1;\n";
	$pipe;
};
wait_until('the impostor',
	sub { $service->sql("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'catalogue-worker'") });
is($service->sql("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'catalogue-worker'"), 1,
	'somebody takes the name of a worker');
is_failed('worker', 'the name does not make a worker');
close $impostor;
my $worker = Catalogue::Worker->start($service);
$reply = ready('');
is($reply->{status}, 200, 'with a worker the service is ready');
is($json->encode($reply->{json}{data}),
	'{"checks":{"database":"ok","schedules":"ok","version":"ok","worker":"ok","writable":"ok"},"failed":[]}',
	'all checks');
is($service->head('/health/ready')->{status}, 200, 'HEAD');
is($service->get('/health/ready', apikey => 'nonsense')->{status}, 200, 'a credential is ignored');

# scheduled jobs; nobody runs this one meanwhile, as it is due in a year
$service->sql("UPDATE catalogue.upkeep SET ran_at = now() - interval '2 hours', tried_at = now(), pattern = '0 0 1 1 "
	. "*' WHERE job = 'prune'");
is_failed('schedules', 'a scheduled job that has not run in time');
$service->sql('SELECT catalogue.prune()');
is(ready('')->{status}, 200, 'it has run');

# versions
$service->sql("UPDATE pg_extension SET extversion = '0.9' WHERE extname = 'catalogue'");
is_failed('version', 'an extension of another version');
$service->sql("UPDATE pg_extension SET extversion = '1.1' WHERE extname = 'catalogue'");
is(ready('')->{status}, 200, 'the same version again');

# a database that takes no changes
$service->sql("ALTER DATABASE catalogue SET default_transaction_read_only = on");
$service->sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'catalogue_shim'");
is_failed('writable', 'a read-only database');
$service->sql("ALTER DATABASE catalogue RESET default_transaction_read_only", 'postgres');
$service->sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'catalogue_shim'");
is(ready('')->{status}, 200, 'it takes changes again');

# the worker ends
$worker->finish;
is_failed('worker', 'the worker has ended');

# the database is away: alive is 503 as ever, and ready names the database
$service->cluster('stop');
$reply = is_failed('database', 'the database is away');
is($json->encode($reply->{json}{data}{checks}), '{"database":"the database did not answer"}',
	'nothing of its message is shown');
is($service->get('/health')->{status}, 503, '/health needs the database too');

$service->finish;
