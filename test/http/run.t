#!/usr/bin/perl
# What `make run` does and says: variables that cannot be meant are refused before anything is made or
# changed, each step says how long it took, and reading is open unless the environment closes it.

use strict;
use warnings;

use File::Temp ();
use IO::Socket::INET ();
use Test::More;
use Catalogue::Test;

my $var      = File::Temp->newdir(DIR => Catalogue::Test::needed('CATALOGUE_TEST_DIRECTORY'));
my $password = Catalogue::Test::needed('CATALOGUE_ADMIN_PASSWORD');
my $port     = IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.1')->sockport;
chmod 0755, $var;

# Run a command to its end with a changed environment: its output and exit status.
sub run
{
	my ($environment, @command) = @_;
	local %ENV = (%ENV, CATALOGUE_VAR => "$var/var", CATALOGUE_PORT => $port, %$environment);
	delete @ENV{ grep { /^PG(?!_CONFIG)/ || !defined $ENV{$_} } keys %ENV };
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

sub service { return run($_[0], '.ci/service', @_[ 1 .. $#_ ]) }

sub get_status { return run({}, qw(curl -s -o /dev/null -w %{http_code}), "http://127.0.0.1:$port/tags") }

# Only the name is wrong: one letter too few, and two letters changed.  Put together, so that no file has them.
my $misspelt = join '_', 'CATALOGUE', 'PRT';
my $swapped  = join '_', 'CATALOGUE', 'TRUSTED', 'PORXIES';

# one sentence, and nothing is made
for my $case ([ CATALOGUE_PORT => 'abc', 'CATALOGUE_PORT is "abc": it must be a number from 1 to 65535' ],
	[ CATALOGUE_PORT => '0',     'CATALOGUE_PORT is "0": it must be a number from 1 to 65535' ],
	[ CATALOGUE_PORT => '65536', 'CATALOGUE_PORT is "65536": it must be a number from 1 to 65535' ],
	[ CATALOGUE_PORT => '-1',    'CATALOGUE_PORT is "-1": it must be a number from 1 to 65535' ],
	[ CATALOGUE_ADMIN_PASSWORD => 'short12', 'CATALOGUE_ADMIN_PASSWORD has 7 characters: it must have 8 to 256' ],
	[ CATALOGUE_ADMIN_PASSWORD => "\xc3\xb1" x 7, 'CATALOGUE_ADMIN_PASSWORD has 7 characters: it must have 8 to 256' ],
	[ CATALOGUE_ADMIN_PASSWORD => 'x' x 257, 'CATALOGUE_ADMIN_PASSWORD has 257 characters: it must have 8 to 256' ],
	[ CATALOGUE_LANGUAGE => 'fr', 'CATALOGUE_LANGUAGE is "fr": it must be en or es' ],
	[ $misspelt => '3001', "there is no variable $misspelt; the nearest name is CATALOGUE_PORT" ],
	[ $swapped => '::1', "there is no variable $swapped; the nearest name is CATALOGUE_TRUSTED_PROXIES" ])
{
	my ($name, $value, $sentence) = @$case;
	is_deeply([ service({ $name => $value }, 'run') ], [ "make run: $sentence\n", 1 ], "make run: $name=" . substr $value, 0, 10);
}
my $listener = IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.1', LocalPort => $port) or die "port $port: $!";
my ($text, $status) = service({}, 'run');
like($text, qr/^service: port $port is in use$/m, 'make run: a port that is in use is named');
is($status, 1, 'and nothing is begun');
close $listener;
ok(!-e "$var/var", 'of all these nothing was made');

# the programs refuse a variable that they do not know
my $programs = Catalogue::Test::needed('CATALOGUE_SHIM') =~ s{/[^/]*$}{}r;
for my $program ('catalogue-shim', 'catalogue-worker')
{
	($text, $status) = run({ $misspelt => 1, CATALOGUE_TOKEN_SECRET => 'x' x 32 }, "$programs/$program", '--check');
	is($text, "$program: unknown variable \"$misspelt\"; the nearest name is \"CATALOGUE_PORT\"\n", "$program: a misspelt variable");
	is($status, 1, 'ends it');
}
my ($quiet) = run({ $misspelt => '', CATALOGUE_DATABASE => 'host=/nonexistent', CATALOGUE_TOKEN_SECRET => 'x' x 32 }, "$programs/catalogue-shim", '--check');
like($quiet, qr/^settings: good$/m, 'an empty one counts as none');

# every variable that a file of the project names is known
my %known = map { $_ => 1 } map { Catalogue::Test::slurp($_) =~ /"(CATALOGUE_[A-Z_]+)"/g } 'shim/config.c', 'shim/variable.c';
my @named = grep { !/_$/ } split /\n/, qx(grep -rhoE '\\bCATALOGUE_[A-Z_]+' .ci Makefile README.md docs shim test | sort -u);
is_deeply([ grep { !$known{$_} } @named ], [], 'every variable that the project names is in the list') or diag('add it to shim/variable.c');

# the first start, on no terminal: a line for each step, and what to know
($text, $status) = service({ CATALOGUE_ADMIN_PASSWORD => $password }, 'start');
is($status, 0, 'the service starts') or diag($text);
like($text, qr/^cluster: \d+\.\d s\nseed: \d+\.\d s\nservice: \d+\.\d s\n/, 'each step says how long it took');
unlike($text, qr/\r/, 'and nothing counts where there is no terminal');
like($text, qr/^reading: open to all who reach the port; to close it: make stop, then CATALOGUE_PRIVATE=on make run$/m, 'it says that reading is open');
is((get_status())[0], 200, 'and so it is');

# another password is refused, whether the service runs or not; the right one is not
my $differs = "service: CATALOGUE_ADMIN_PASSWORD is not the password of user admin: it is used only when the data are created\n";
is_deeply([ service({ CATALOGUE_ADMIN_PASSWORD => 'another password' }, 'run') ], [ $differs, 1 ], 'another password is refused while the service runs');
is((service({}, 'stop'))[1], 0, 'the service stops');
is_deeply([ service({ CATALOGUE_ADMIN_PASSWORD => 'another password' }, 'run') ], [ $differs, 1 ], 'and when it does not');
is((run({}, '.ci/cluster', 'env'))[1], 1, 'which leaves the cluster down, as it was');
($text, $status) = service({ CATALOGUE_ADMIN_PASSWORD => $password, CATALOGUE_PRIVATE => 'on' }, 'start');
is($status, 0, 'the same password is taken') or diag($text);
like($text, qr/^reading: only for users and registered applications$/m, 'it says that reading is closed');
is((get_status())[0], 401, 'and so it is');
($text) = service({}, 'start');
like($text, qr/^the catalogue runs already: http:\S+ \(pid \d+\); for other settings: make stop, then make run$/m, 'a second start says that it runs');
is((service({}, 'stop'))[1], 0, 'the service stops');

# on a terminal the seconds count; what fails shows its output, and its status ends the script
($text) = run({}, qw(script -qec), q{bash -c '. .ci/lib; step wait sleep 2.5'}, '/dev/null');
like($text, qr/^wait: \rwait: 1 s\rwait: 2 s\rwait: 2\.\d s\r?\n$/, 'on a terminal the seconds count');
($text, $status) = run({}, 'bash', '-c', q{. .ci/lib; step wait bash -c 'echo the reason >&2; exit 3'; echo more});
like($text, qr/^wait: 0\.\d s, failed\nthe reason\n$/, 'what fails shows why');
is($status, 3, 'with its status');

done_testing;
