#!/usr/bin/perl
# Another major version of PostgreSQL, as docs/how-to/change-the-major-version-of-postgresql.md says: in a Debian with
# the servers of three releases, its commands take a catalogue from 15 to 17, from 15 to 18 and from 17 to 18, by
# pg_upgrade and by a dump.  All that the catalogue holds is the same afterwards, indexes are in the order of the new
# libraries, and shim and worker serve it.

use strict;
use warnings;

use IPC::Open2 qw(open2);
use Test::More;
use Catalogue::Program qw(needed);
use Catalogue::Reader;

plan skip_all => 'only root can make a Debian of another release' if $> != 0;
plan skip_all => 'this machine does not let root mount'
	if system('unshare --mount --pid --fork mount -t tmpfs none /mnt') != 0;

my $page     = 'docs/how-to/change-the-major-version-of-postgresql.md';
my $password = needed('CATALOGUE_ADMIN_PASSWORD');
my $here     = 'test/full/major-version';
# what the test does not share with those of one release
$ENV{CATALOGUE_CACHE} = ($ENV{CATALOGUE_CACHE} // 'var/cache') . '/several';
$| = 1;

# Run a command in the chroot to its end; return what it printed, which is told as it comes, and its exit status.
sub inside
{
	my (@command) = @_;
	my $pid  = open2(my $out, my $in, '.ci/chroot', 'sid', '/bin/bash', '-c', 'exec "$@" 2>&1', 'bash', @command);
	my $text = '';
	close $in;
	while (defined(my $line = readline $out))
	{
		print "# $line";
		$text .= $line;
	}
	waitpid $pid, 0;
	return ($text, $? >> 8);
}

# The commands of the page that lead from one version to another in one of its two ways.
sub commands
{
	my ($old, $new, $way) = @_;
	my %version = (15 => $old, 17 => $new);
	my @blocks  = map { $_->{kinds}{sh} } Catalogue::Reader::steps($page);
	my ($other) = grep { $_ ne $way } qw(pg_upgrade pg_dumpall);
	my @wanted  = grep { !m{"\$new/\Q$other\E"} } @blocks;
	is(@blocks - @wanted, 1, 'the page has two ways');
	$wanted[0] =~ s/(15|17)\b/$version{$1}/g;
	return join "\n", 'set -eE; trap \'echo "failed: $BASH_COMMAND"\' ERR; umask 077', @wanted;
}

# What `change` printed, by its titles.
sub parts
{
	my ($text) = @_;
	my (undef, %parts) = split /^=== (.*)\n/m, $text, -1;
	return \%parts;
}

# Take a catalogue from one version to another in one of the two ways.
sub is_taken
{
	my ($old, $new, $way) = @_;
	my $name = "$old to $new by $way";
	my ($text, $status) = inside("$here/change", $old, $new, $password, commands($old, $new, $way));
	my $told = parts($text);
	is($status, 0, "$name: all commands succeed");
	my ($answer) = grep { $_ } ($told->{page} // '') =~ /^(same)$/m;
	is($answer, 'same', "$name: the page's check") or diag($told->{page});
	like($told->{page}, qr/^SELECT catalogue\.dispatch\(\)\|\* \* \* \* \*\|t$/m, "$name: its job is scheduled");
	cmp_ok(length($told->{'before facts'} // ''), '>', 2000, "$name: the catalogue holds something");
	is_deeply([ split /\n/, $told->{'after facts'} // '' ], [ split /\n/, $told->{'before facts'} ],
		"$name: and the same afterwards");
	is($told->{amcheck}, '', "$name: tables and indexes are sound");
	is($told->{served}, "created 201\nrows 206\nthe job is done\n", "$name: it is served");
	return map { $told->{"$_ entity-tags"} } qw(before after);
}

my ($text, $status) = inside("$here/prepare");
plan skip_all => 'a Debian with these packages cannot be had here: ' . $text =~ s/.*\n(?=.)//sr
	if $status == 69 || $text =~ /^chroot: sid cannot be had /m;
is($status, 0, 'a Debian has PostgreSQL 15, 17 and 18, and the catalogue for each') or BAIL_OUT('nothing to test');
for my $old (15, 17)
{
	($text, $status) = inside("$here/old", $old, $password);
	is($status, 0, "a catalogue is made on $old");
}
for my $pair ([ 15, 17 ], [ 15, 18 ], [ 17, 18 ])
{
	my ($before, $after) = is_taken(@$pair, 'pg_upgrade');
	like($before, qr/^item\|.*^list\|/ms, "@$pair: there are entity tags");
	is($after, $before, "@$pair: after pg_upgrade they are the same");
	($before, $after) = is_taken(@$pair, 'pg_dumpall');
	my %former = map { $_ => 1 } split /\n/, $before;
	is_deeply([ grep { $former{$_} } split /\n/, $after ], [], "@$pair: after a dump they are others");
}
done_testing;
