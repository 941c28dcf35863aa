#!/usr/bin/perl
# The shim as a process: settings, log file, SIGHUP, SIGTERM.

use strict;
use warnings;

use Test::More;
use Time::HiRes qw(time);
use Catalogue::Client qw($json);
use Catalogue::Clock qw(wait_until);
use Catalogue::Program qw(slurp);
use Catalogue::Test;
use Catalogue::Worker;

my $service = Catalogue::Test->start(CATALOGUE_LOG_LEVEL => 'silly')->as_admin;
my $program = $ENV{CATALOGUE_SHIM};

# Run the program to its end, which is asked of one that listens; return its output and exit status.
sub run_shim
{
	my ($environment, @arguments) = @_;
	local %ENV = (%ENV, %{ $service->{settings} }, CATALOGUE_PORT => 0, %$environment);
	delete @ENV{ grep { !defined $ENV{$_} } keys %ENV };
	my $pid = open my $out, '-|';
	if (!$pid)
	{
		open STDERR, '>&', \*STDOUT;
		alarm 120;
		exec $program, @arguments or POSIX::_exit(127);
	}
	my $text = '';
	while (defined(my $line = <$out>))
	{
		$text .= $line;
		kill 'TERM', $pid if $line =~ /listening on/;
	}
	close $out;
	return ($text, $? >> 8);
}

# --help shows every setting with its variable and default; --check tries them
my ($help, $status) = run_shim({}, '--help');
is($status, 0, '--help');
like($help, qr/$_/, "--help shows $_")
	for qw(CATALOGUE_PORT CATALOGUE_DATABASE CATALOGUE_TOKEN_SECRET CATALOGUE_LOG_LEVEL 3000);
unlike($help, qr/\Q$service->{secret}\E/, '--help does not show secrets');
my ($check, $good) = run_shim({}, '--check');
is($good, 0, '--check with good settings') or diag($check);
for my $bad ([ CATALOGUE_PORT => 'x' ], [ CATALOGUE_PORT => 65536 ], [ CATALOGUE_PORT => -1 ],
	[ CATALOGUE_TOKEN_SECRET => '' ],
	[ CATALOGUE_TOKEN_SECRET => 'short' ], [ CATALOGUE_LOG_LEVEL => 'loud' ],
		[ CATALOGUE_TOKEN_LIFETIME => '1 fortnight' ],
	[ CATALOGUE_ENVIRONMENT => '../up' ], [ CATALOGUE_THREADS => 100_000 ], [ CATALOGUE_DATABASE => 'host=/nonexistent' ],
	(map { [ CATALOGUE_BASE_URL => $_ ] } 'data.example.org', '//data.example.org', 'ftp://data.example.org', 'http://',
		'https:///api', 'https://data.example.org/?x', 'https://data example.org'),
	[ CATALOGUE_DATABASE => 'nonsense' ], [ CATALOGUE_ADDRESS => 'nowhere' ],
	(map { [ CATALOGUE_TRUSTED_PROXIES => $_ ] } '127.0.0.1/33', '127.0.0.1/', '127.0.0.1/-1', '127.0.0.1/ 8',
		'10.0.0.0/8/8',
		'::1/129', '::1/0128', '127.0.0', 'localhost', '127.0.0.1;10.0.0.1', '127.0.0.1, x', '*', '1' x 100),
	(map { [ CATALOGUE_CORS_ORIGINS => $_ ] } 'example.org', 'https://', 'https://a/', 'https://*.a', '*, https://a',
		'null', 'https://a b'),
	(map { [ CATALOGUE_FRAME_ANCESTORS => $_ ] } 'example.org', 'https://*.a', "https://a; script-src *", '*, https://a'),
	[ CATALOGUE_MAP_STREETS => 'city.pmtiles' ],
	(map { [ CATALOGUE_MAP_TILES => $_ ] } 'tile.example.org', 'https://a/tiles', "https://a; script-src 'unsafe-inline'",
		'https://*.a', '*', 'https://a b'),
	[ CATALOGUE_CORS_HEADERS => 'Accept, a:b' ], [ CATALOGUE_CORS_MAX_AGE => '2 days' ])
{
	my ($text, $code) = run_shim({ $bad->[0] => $bad->[1] }, '--check');
	isnt($code, 0, "--check: $bad->[0]=$bad->[1] is refused");
	isnt($text, '', '--check: the reason is shown');
	unlike($text, qr/\Q$service->{secret}\E/, '--check: no secret is shown');
}
# names that a configuration file may not have: a former one, one that is misspelt, and that of a variable of a command
for my $bad ([ lanes => '; the nearest name is "shared_connections"' ], [ treads => '; the nearest name is "threads"' ],
	[ walks => '' ])
{
	open my $out, '>', "$service->{directory}/bad.json" or die $!;
	print $out qq({"$bad->[0]": 1});
	close $out;
	my ($text) = run_shim({}, '--check', '--config', "$service->{directory}/bad.json");
	is($text, "catalogue-shim: $service->{directory}/bad.json: unknown setting \"$bad->[0]\"$bad->[1]\n",
		"--config: $bad->[0] is refused");
}
my ($unknown, $code) = run_shim({}, '--nonesuch');
isnt($code, 0, 'an unknown option is refused');
my ($taken, $in_use) = run_shim({ CATALOGUE_PORT => $service->{port} });
isnt($in_use, 0, 'a port in use is refused');
like($taken, qr/\b$service->{port}\b/, 'the port is named') or diag($taken);

# --health asks the shim that runs; one that is not there, or has no database, is not well
my ($well, $is_well) = run_shim({ CATALOGUE_PORT => $service->{port} }, '--health');
is("$is_well $well", "0 health: 200\n", '--health of the shim that runs');
($well, $is_well) = run_shim({ CATALOGUE_PORT => $service->{port}, CATALOGUE_ADDRESS => '0.0.0.0' }, '--health');
is($is_well, 0, '--health: an address that stands for all');
($well, $is_well) = run_shim({ CATALOGUE_PORT => 1 }, '--health');
is("$is_well $well", "1 health: no answer\n", '--health where nothing listens');

# the same of the worker
my $worker_program = $program =~ s/shim$/worker/r;
sub worker_health
{
	local %ENV = (%ENV, %{ $service->{settings} });
	my $said = qx($worker_program --health 2>&1);
	return ($? >> 8) . " $said";
}
is(worker_health(), "1 worker: none of this host has asked for jobs in the last minute\n", '--health without a worker');
my $worker = Catalogue::Worker->start($service);
wait_until('the worker is well', sub { worker_health() eq "0 worker: alive\n" });
kill 'STOP', $worker->{pid};
# again and again, since the worker may have been stopped while it opened a connection
wait_until(
	'a worker that has stopped is not',
	sub {
		$service->sql(q(SELECT pg_terminate_backend(pid) FROM pg_stat_activity
			WHERE application_name = 'catalogue-worker' AND datname = current_database()));
		return worker_health() =~ /^1 /;
	});
kill 'CONT', $worker->{pid};
wait_until('and is well again when it goes on', sub { worker_health() =~ /^0 / });
$worker->finish;
{
	local $service->{settings}{CATALOGUE_DATABASE} = 'host=/nonexistent';
	like(worker_health(), qr/^1 worker: .*nonexistent/, '--health without a database says why');
}

# a log on standard output: each line is whole, and what opens the file anew does not matter
my ($printed) = run_shim({ CATALOGUE_LOG_DIRECTORY => '-' });
my @events = map { $json->decode($_)->{event} } grep {/^\{/} split /\n/, $printed;
is_deeply([ grep {/^application/} @events ], [ 'application fully started', 'application ending' ],
	'a log on standard output') or diag($printed);

# the version of libmicrohttpd, the refusal of earlier versions, and the warning of later ones: simulated by a library
# with other functions
my ($version, $shown) = run_shim({}, '--version');
is($shown, 0, '--version');
like($version, qr/^catalogue-shim \S+\nlibmicrohttpd (?:0\.9|1\.0)\.\d+, built with (?:0\.9|1\.0)\.\d+$/m,
	'--version names the library');
my %other = (
	# source of that library, whether the shim starts, and its message
	(map { ("const char *MHD_get_version(void) { return \"$_\"; }" => [ 0,
		qr/libmicrohttpd \Q$_\E is not supported; the service was tested with/ ]) }
		'0.9.74', '', 'x', '0.9'),
	(map { ("const char *MHD_get_version(void) { return \"$_\"; }" => [ 1,
		qr/libmicrohttpd \Q$_\E is not supported; the service was tested with .* it starts nevertheless\n.*listening on/s ]) }
		'1.1.0', '2.0.0', '10.0'),
	'int MHD_add_connection(void *a, int b, void *c, unsigned int d) { return 1; }' => [ 0,
		qr/does not read connections by recv/ ],
	'const char *MHD_get_version(void) { return "1.0.9"; }' => [ 1, qr/listening on/ ],
);
for my $source (sort keys %other)
{
	my ($starts, $says) = @{ $other{$source} };
	my $library = "$service->{directory}/other.so";
	open my $cc, '|-', "cc -shared -fPIC -x c -o $library -" or die "cc: $!";
	print $cc $source;
	close $cc or die "cc: $?";
	my ($said, $ended) =
		run_shim({ LD_PRELOAD => $library, ASAN_OPTIONS => ($ENV{ASAN_OPTIONS} // '') . ':verify_asan_link_order=0' });
	like($said, $says, "$source: " . ($starts ? 'the message at the start' : 'the reason'));
	is($ended == 1, !$starts, "$source: " . ($starts ? 'the shim runs' : 'the shim ends')) unless $starts;
}

# each log line is one JSON object, whatever the request contains
$service->raw(
	"GET /tags?name=a%0Ab%1B%5B31m HTTP/1.1\r\nHost: localhost\r\nUser-Agent: agent \x1b[31m \xe2\x80\xa8 \xff x\r\n\r\n");
$service->get('/nonesuch');
$service->get('/tags', Authorization => 'Bearer canary.of.secrets');
$service->post('/users/login', { username => 'canary', password => 'canary of passwords' });
wait_until('the login is logged',
	sub { grep { $_->{event} eq 'answer' && ($_->{target} // '') eq '/users/login' } $service->log });
my $text  = slurp("$service->{directory}/logs/test.log");
my @lines = split /\n/, $text;
ok(!(grep { !ref eval { $json->decode($_) } } @lines), 'every line of the log is a JSON object');
unlike($text, qr/[\x00-\x09\x0b-\x1f\x7f]/, 'the log has no control characters');
for my $entry ($service->log)
{
	next if defined $entry->{time} && defined $entry->{level} && defined $entry->{event};
	fail('time, level, event') or diag($json->encode($entry));
	last;
}
unlike($text,
	qr/canary of passwords|of\.secrets|\Q$service->{token}\E|\Q$ENV{CATALOGUE_ADMIN_PASSWORD}\E|\Q$service->{secret}\E/,
	'the log has no secret at level silly');
my @mode = stat "$service->{directory}/logs/test.log";
is($mode[2] & 07, 0, 'other accounts cannot read the log');

# SIGHUP: the log file is opened again
rename "$service->{directory}/logs/test.log", "$service->{directory}/logs/test.log.1" or die;
kill 'HUP', $service->{pid};
wait_until('a new log file', sub { -e "$service->{directory}/logs/test.log" });
$service->get('/nonesuch');
wait_until('a line in it', sub { -s "$service->{directory}/logs/test.log" });
ok(-s "$service->{directory}/logs/test.log", 'after SIGHUP a new log file is written');
is($service->get('/health')->{status}, 200, 'the service goes on');

# SIGTERM: running requests are answered, new connections are refused
my @clients = map { $service->connection } 1 .. 8;
syswrite $_, "GET /datasets?limit=100 HTTP/1.1\r\nHost: localhost\r\n\r\n" for @clients;
$service->until_read;
kill 'TERM', $service->{pid};
my @answers = map { $service->raw('', socket => $_)->{replies}[0] } @clients;
is(scalar(grep { defined && $_->{status} =~ /^20/ } @answers), 8, 'running requests are answered');
my $start = time;
is($service->stop_shim, 0, 'the shim ends with status 0');
cmp_ok(time - $start, '<', 60, 'the shim ends in time');
ok(!IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $service->{port}), 'the shim does not listen any more');

# restart on the same data
$service->start_shim;
is($service->get('/users/me')->{status}, 200, 'after a restart the token is still valid');

$service->is_sound;
$service->finish;
