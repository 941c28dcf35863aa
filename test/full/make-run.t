#!/usr/bin/perl
# `make run`: invalid variables are refused before anything is created or changed, each step prints how long it
# took, the files of the new catalogue have rows, and reading needs no credential unless the environment requires one.
# `make remove` removes the data.

use strict;
use warnings;

use File::Temp ();
use IO::Socket::INET ();
use Test::More;
use Catalogue::Clock qw(wait_until);
use Catalogue::Program qw(free_port needed run_to_end slurp);

my $var      = File::Temp->newdir(DIR => needed('CATALOGUE_TEST_DIRECTORY'));
my $password = needed('CATALOGUE_ADMIN_PASSWORD');
my $port     = free_port();
chmod 0755, $var;

# Run a command to its end with a changed environment; return its output and exit status.
sub run
{
	my ($environment, @command) = @_;
	local %ENV = (%ENV, CATALOGUE_VAR => "$var/var", CATALOGUE_PORT => $port, %$environment);
	delete @ENV{ grep { /^PG(?!_CONFIG)/ || !defined $ENV{$_} } keys %ENV };
	return run_to_end(@command);
}

sub service { return run($_[0], '.ci/service', @_[ 1 .. $#_ ]) }

sub get_status { return run({}, qw(curl -s -o /dev/null -w %{http_code}), "http://127.0.0.1:$port/tags") }

# Names with one character too few, and with two exchanged.  They are composed here, so that no file contains them.
my $misspelt = join '_', 'CATALOGUE', 'PRT';
my $former   = join '_', 'CATALOGUE', 'LANES';
my $swapped  = join '_', 'CATALOGUE', 'TRUSTED', 'PORXIES';

# an invalid variable: one sentence, and nothing is created
for my $case ([ CATALOGUE_PORT => 'abc', 'CATALOGUE_PORT is "abc": it must be a number from 1 to 65535' ],
	[ CATALOGUE_PORT => '0',     'CATALOGUE_PORT is "0": it must be a number from 1 to 65535' ],
	[ CATALOGUE_PORT => '65536', 'CATALOGUE_PORT is "65536": it must be a number from 1 to 65535' ],
	[ CATALOGUE_PORT => '-1',    'CATALOGUE_PORT is "-1": it must be a number from 1 to 65535' ],
	[ CATALOGUE_ADMIN_PASSWORD => 'short12', 'CATALOGUE_ADMIN_PASSWORD has 7 characters: it must have 8 to 256' ],
	[ CATALOGUE_ADMIN_PASSWORD => "\xc3\xb1" x 7, 'CATALOGUE_ADMIN_PASSWORD has 7 characters: it must have 8 to 256' ],
	[ CATALOGUE_ADMIN_PASSWORD => 'x' x 257, 'CATALOGUE_ADMIN_PASSWORD has 257 characters: it must have 8 to 256' ],
	[ CATALOGUE_SAMPLES => 'no', 'CATALOGUE_SAMPLES is "no": it must be on or off' ],
	[ CATALOGUE_LANGUAGE => 'fr', 'CATALOGUE_LANGUAGE is "fr": it must be en or es' ],
	[ $misspelt => '3001', "there is no variable $misspelt; the nearest name is CATALOGUE_PORT" ],
	[ $former => '2', "there is no variable $former; the nearest name is CATALOGUE_SHARED_CONNECTIONS" ],
	[ $swapped => '::1', "there is no variable $swapped; the nearest name is CATALOGUE_TRUSTED_PROXIES" ])
{
	my ($name, $value, $sentence) = @$case;
	is_deeply([ service({ $name => $value }, 'run') ], [ "make run: $sentence\n", 1 ],
		"make run: $name=" . substr $value, 0, 10);
}
# the variables are checked before packages are installed: with the modules of perl-base alone
my $alone = 'BEGIN { @INC = glob "/usr/lib/*/perl-base" } $0 = ".ci/variables"; do "./$0"; die $@ if $@';
is_deeply([ run({ CATALOGUE_SAMPLES => 'no' }, 'perl', '-e', $alone) ],
	[ "make run: CATALOGUE_SAMPLES is \"no\": it must be on or off\n", 1 ], 'without the package perl');
my $listener = IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.1', LocalPort => $port) or die "port $port: $!";
my ($text, $status) = service({}, 'run');
like($text, qr/^service: port $port is in use$/m, 'make run: a port in use is named');
is($status, 1, 'nothing is started');
close $listener;
ok(!-e "$var/var", 'nothing was created');

# the programs refuse unknown variables
my $programs = needed('CATALOGUE_SHIM') =~ s{/[^/]*$}{}r;
for my $program ('catalogue-shim', 'catalogue-worker')
{
	($text, $status) = run({ $misspelt => 1, CATALOGUE_TOKEN_SECRET => 'x' x 32 }, "$programs/$program", '--check');
	is($text, "$program: unknown variable \"$misspelt\"; the nearest name is \"CATALOGUE_PORT\"\n",
		"$program: a misspelt variable");
	is($status, 1, "$program: ends with status 1");
	($text, $status) = run({ $former => 2, CATALOGUE_TOKEN_SECRET => 'x' x 32 }, "$programs/$program", '--check');
	is($text, "$program: unknown variable \"$former\"; the nearest name is \"CATALOGUE_SHARED_CONNECTIONS\"\n",
		"$program: a variable that was renamed");
}
my ($unset) = run({ $misspelt => '', CATALOGUE_DATABASE => 'host=/nonexistent', CATALOGUE_TOKEN_SECRET => 'x' x 32 },
	"$programs/catalogue-shim", '--check');
like($unset, qr/^settings: good$/m, 'an empty variable counts as unset');

# every variable that a file of the project names is known
my %known = map { $_ => 1 } slurp('shim/base/config.c') =~ /"(CATALOGUE_[A-Z_]+)"/g,
	map { "CATALOGUE_$_" } slurp('shim/base/settings_list.h') =~ /^[A-Z]+\(\w+, ([A-Z_]+),/mg;
my @named = grep { !/_$/ } split /\n/,
	qx(grep -rhoE '\\bCATALOGUE_[A-Z_]+' .ci Makefile README.md docs shim test | sort -u);
is_deeply([ grep { !$known{$_} } @named ], [], 'every variable that the project names is known')
	or diag('add it to shim/base/config.c');

# the first start, without a terminal: a line for each step, and a summary
($text, $status) = service({ CATALOGUE_ADMIN_PASSWORD => $password }, 'start');
is($status, 0, 'the service starts') or diag($text);
like($text, qr/^cluster: \d+\.\d s\nseed: \d+\.\d s\nservice: \d+\.\d s\n/, 'each step prints how long it took');
unlike($text, qr/\r/, 'without a terminal seconds are not counted');
like($text, qr/^reading: open to all who reach the port; to close it: make stop, then CATALOGUE_PRIVATE=on make run$/m,
	'the summary says that reading is open');
is((get_status())[0], 200, 'reading is open');
like($text, qr{^  open http://127\.0\.0\.1:$port in a browser$}m, 'the summary says what to open');

# the files have rows, which are those that the worker reads from their bytes, and addresses that lead to the bytes
my $rows = sub {
	my ($read) = run({}, '.ci/cluster', 'psql', '-At', '-c',
		"SELECT f.name, f.row_count, (SELECT json_agg(json_build_object('name', c -> 'name', 'type', c -> 'type')) FROM "
		. "json_array_elements(k.data::json) c), (SELECT json_agg(r.row ORDER BY r.number) FROM catalogue.contents(f.id) r) "
		. "FROM catalogue.files f, catalogue.contents_columns(f.id) k ORDER BY f.id");
	return $read;
};
my $seeded = $rows->();
is(() = ($seeded =~ /^(?:List of airports\|292|Daily means\|336|Stations\|6|Budget by programme\|200)\|/mg), 4,
	'the files have rows');
run({}, '.ci/cluster', 'psql', '-c', 'SELECT catalogue.read_anew(id) FROM catalogue.files');
wait_until('the worker has read the files', sub { (run({}, '.ci/cluster', 'psql', '-At', '-c',
	"SELECT count(*) FROM catalogue.job_queue WHERE kind = 'parse'"))[0] eq "0\n" });
is($rows->(), $seeded, 'the worker reads the same rows and types');
my ($addresses) = run({}, '.ci/cluster', 'psql', '-At', '-c', 'SELECT url FROM catalogue.files ORDER BY id');
is((run({}, qw(curl -s -o /dev/null -w %{http_code}), $_))[0], '200', "$_ has bytes") for split /\n/, $addresses;

# a program that a fault has ended is started again, which its log tells; where the service is stopped, it stays ended
my ($place) = (run({}, '.ci/cluster', 'place'))[0] =~ /(.*)/;
my $pid_of = sub { return slurp("$place/$_[0]") =~ /^(\d+)/ ? $1 : 0 };
for my $case ([ shim => 'SEGV' ], [ worker => 'ABRT' ])
{
	my ($program, $signal) = @$case;
	my $before = $pid_of->($program);
	kill $signal => $before or die "$program: $!";
	wait_until("the $program runs again", sub { my $pid = $pid_of->($program); $pid != $before && kill 0, $pid });
	like(slurp("$place/logs/$program.log"), qr/^\S+Z $program: ended by SIG$signal, started again in 1 s$/m,
		"$program: its log tells it");
}
wait_until('the shim answers again', sub { (get_status())[0] eq '200' });
my %ended = map { $_ => $pid_of->($_) } qw(shim worker);

# another password is refused, whether the service runs or not; the right one is accepted
my $differs = <<'END';
service: CATALOGUE_ADMIN_PASSWORD is not the password of user admin: it is used only when the data are created
  leave it out, or set the password anew: docs/how-to/manage-users-and-passwords.md
END
is_deeply([ service({ CATALOGUE_ADMIN_PASSWORD => 'another password' }, 'run') ], [ $differs, 1 ],
	'another password is refused while the service runs');
is((service({}, 'stop'))[1], 0, 'the service stops');
ok(!kill(0, $ended{$_}) && !-e "$place/$_", "the $_ stays ended") for sort keys %ended;
is_deeply([ service({ CATALOGUE_ADMIN_PASSWORD => 'another password' }, 'run') ], [ $differs, 1 ],
	'another password is refused when the service does not run');
is((run({}, '.ci/cluster', 'env'))[1], 1, 'the cluster is down as before');
($text, $status) = service({ CATALOGUE_ADMIN_PASSWORD => $password, CATALOGUE_PRIVATE => 'on' }, 'start');
is($status, 0, 'the same password is accepted') or diag($text);
like($text, qr/^reading: only for users and registered applications$/m, 'the summary says that reading is restricted');
is((get_status())[0], 401, 'reading is restricted');
($text) = service({}, 'start');
like($text, qr/^the catalogue runs already: http:\S+ \(pid \d+\); for other settings: make stop, then make run$/m,
	'a second start says that the service runs');
($text, $status) = service({}, 'start');
is($status, 0, 'the password need not be given again') or diag($text);
($text, $status) = service({}, 'remove');
is($status, 0, 'the service is removed') or diag($text);
ok(!-e "$var/var", 'with its data');
is_deeply([ service({}, 'remove') ], [ "there is nothing to remove\n", 0 ], 'a second time there is nothing to remove');

# on a terminal seconds are counted; a failed step shows its output, and its status ends the script
($text) = run({}, qw(script -qec), q{bash -c '. .ci/lib; step wait sleep 4'}, '/dev/null');
like($text, qr/^wait: \r(?:wait: \d+ s\r)+wait: \d+\.\d s\r?\n$/, 'on a terminal seconds are counted');
my @counted = $text =~ /wait: (\d+) s\r/g;
is_deeply([ grep { $counted[$_] <= $counted[ $_ - 1 ] } 1 .. $#counted ], [], "and grow: @counted");
($text, $status) = run({}, 'bash', '-c', q{. .ci/lib; step wait bash -c 'echo the reason >&2; exit 3'; echo more});
like($text, qr/^wait: \d+\.\d s, failed\nthe reason\n$/, 'a failed step shows its output');
is($status, 3, 'a failed step ends the script with its status');

done_testing;
