#!/usr/bin/perl
# .ci/chroot: a command runs on a copy of the project in another root; errors are reported, and no mount is left.

use strict;
use warnings;

use File::Path qw(make_path);
use File::Temp ();
use Test::More;
use Catalogue::Clock qw(poll wait_until);
use Catalogue::Program qw(needed run_to_end slurp);

my $cache = File::Temp->newdir(DIR => needed('CATALOGUE_TEST_DIRECTORY'));
chmod 0755, $cache;
$ENV{CATALOGUE_CACHE} = "$cache/made";

sub mounts
{
	return grep { index($_, "$cache") >= 0 } split /\n/, slurp('/proc/mounts');
}

# Make a root with bash and other named programs, and their libraries.
sub make_root
{
	my ($root, @programs) = @_;
	make_path(map { "$root/$_" } qw(proc dev tmp etc));
	for my $file (@programs, map { qx(ldd $_) =~ m{(/\S+)}g } @programs)
	{
		my ($folder) = $file =~ m{^(.*)/};
		make_path("$root$folder");
		system('cp', '-L', $file, "$root$file") == 0 or die "$file cannot be copied\n";
	}
	return;
}

my ($text, $status) = run_to_end('.ci/chroot', 'lenny', 'true');
is($status, 1, 'an unknown release is refused');
is($text, "chroot: unknown release \"lenny\"\n  known are: bookworm trixie sid noble\n",
	'the known releases are named');
($text, $status) = run_to_end('.ci/chroot');
is($text, "chroot: unknown release \"\"\n  known are: bookworm trixie sid noble\n", 'an empty release is refused');

# Run as another account than root, from a copy that everybody can read.
make_path("$cache/copy/.ci");
system('cp', '.ci/chroot', '.ci/lib', "$cache/copy/.ci") == 0 or die "the scripts cannot be copied\n";
my @become = $> == 0 ? qw(setpriv --reuid=postgres --regid=postgres --clear-groups) : ();
($text, $status) = run_to_end(@become, "$cache/copy/.ci/chroot", 'trixie', 'true');
is($status, 1, 'an account other than root is refused');
like($text, qr/^chroot: only root can /, 'the error says that root is needed');

SKIP:
{
	skip 'the rest needs root', 1 if $> != 0;
	skip 'this machine does not let root mount', 1 if system('unshare --mount --pid --fork mount -t tmpfs none /mnt') != 0;

	{
		local $ENV{CATALOGUE_MIRROR} = 'http://127.0.0.1:1/debian';
		($text, $status) = run_to_end('.ci/chroot', 'trixie', 'true');
		is($status, 1, 'a release that cannot be fetched is refused');
		like($text, qr{^chroot: trixie cannot be had from http://127\.0\.0\.1:1/debian$}m, 'the mirror is named');
		is(join(' ', sort map { s{.*/}{}r } glob "$cache/made/*"), 'trixie.lock trixie.log', 'no incomplete root is left');
	}
	{
		local $ENV{CATALOGUE_MIRROR} = '';
		($text, $status) = run_to_end('.ci/chroot', 'noble', 'true');
		like($text, qr/CATALOGUE_MIRROR/, 'for Ubuntu a mirror must be named');
	}

	make_root("$cache/made/trixie", qw(/bin/bash /usr/bin/env /bin/sleep /bin/cat));
	($text, $status) = run_to_end('.ci/chroot', 'trixie', '/bin/bash', '-c', 'cat README.md; exit 7');
	is($status, 7, 'the status is that of the command');
	is($text, slurp('README.md'), 'the command runs on a copy of the project');
	($text) = run_to_end('.ci/chroot', 'trixie', '/bin/cat', '/proc/mounts');
	like($text, qr{^\S+ /proc proc }m, '/proc is mounted');
	($text) = run_to_end('.ci/chroot', 'trixie', '/bin/bash', '-c',
		'echo lost > /dev/null; echo "$BASHPID of $$" > /tmp/left; echo /dev/*');
	is($text, "/dev/fd /dev/full /dev/null /dev/ptmx /dev/pts /dev/random /dev/shm /dev/tty /dev/urandom /dev/zero\n",
		'/dev has few devices');
	is_deeply([ mounts() ], [], 'no mount is left');
	ok(-c '/dev/null', "the devices of this machine are not changed");

	# interrupted
	my $pid = fork // die "fork: $!";
	if ($pid == 0)
	{
		exec '.ci/chroot', 'trixie', '/bin/bash', '-c', 'echo > /catalogue/began; /bin/sleep 600' or POSIX::_exit(127);
	}
	wait_until('the command runs', sub { -e "$cache/made/trixie/catalogue/began" });
	($text, $status) = run_to_end('.ci/chroot', 'trixie', '/bin/cat', 'README.md');
	like($text, qr/is in use/, 'a root in use is locked');
	kill TERM => $pid;
	waitpid $pid, 0;
	is($? >> 8, 130, 'an interrupt ends the command');
	is_deeply([ mounts() ], [], 'no mount is left after an interrupt');
	poll(10, sub { ($text) = run_to_end('.ci/chroot', 'trixie', '/bin/cat', 'catalogue.control'); $text !~ /is in use/ });
	is($text, slurp('catalogue.control'), 'no process holds the lock');
}

done_testing;
