#!/usr/bin/perl
# The child that reads files has dropped its rights before it reads the first byte, and a file cannot make it
# exceed its limits; both are checked from outside, while it waits for input.

use strict;
use warnings;

use Test::More;
use Catalogue::Clock qw(poll);
use Catalogue::Parser qw(kind parse program);
use Catalogue::Program qw(slurp);

my $sanitized = program() =~ /sanitize/;

# Start a child that waits for its input, with one more descriptor than it should have.
sub waiting
{
	my ($form, $size) = @_;
	pipe my $input, my $feed or die "a pipe: $!";
	pipe my $witness, my $extra or die "a pipe: $!";
	pipe my $frames, my $output or die "a pipe: $!";
	my $child = fork // die "fork: $!";
	if ($child == 0)
	{
		open STDIN, '<&', $input or die;
		open STDOUT, '>&', $output or die;
		close $_ for $feed, $witness, $frames;
		fcntl $extra, 2, 0 or die "descriptor flags: $!";
		exec program($form), '--parse', $form, '--size', $size or die "exec: $!";
	}
	close $_ for $input, $extra, $output;
	return { pid => $child, feed => $feed, witness => $witness, frames => $frames };
}

sub proc
{
	my ($child, $name) = @_;
	return slurp("/proc/$child->{pid}/$name");
}

my $child = waiting('csv', 250 << 20);
# the child closes the extra descriptor, and no other process has it
is(sysread($child->{witness}, my $nothing, 1), 0, 'inherited descriptors are closed');
poll(10, sub { proc($child, 'status') =~ /^Seccomp:\s*2$/m });
my $status = proc($child, 'status');
like($status, qr/^Seccomp:\s*2$/m, 'system calls are filtered');
like($status, qr/^NoNewPrivs:\s*1$/m, 'there are no new privileges');
my $limits = proc($child, 'limits');
for my $limit (
	[ 'Max cpu time',       70 ],
	[ 'Max file size',      0 ],
	[ 'Max core file size', 0 ],
	[ 'Max processes',      0 ],
	[ 'Max open files',     3 ],
	[ 'Max address space',  256 << 20 ])
{
	my ($name, $value) = @$limit;
	$value = 'unlimited' if $sanitized && $name eq 'Max address space';
	like($limits, qr/^\Q$name\E\s+$value\s+$value\s/m, "$name is $value");
}
print { $child->{feed} } "a,b\n1,2\n";
close $child->{feed};
my $frames = do { local $/; readline $child->{frames} };
waitpid $child->{pid}, 0;
is($?, 0, 'the child reads its input');
like($frames, qr/D\x02\0\0\0\{\}\z/, 'the child reads it to the end');

# the reader of geographic files: its libraries keep the database of PROJ open, and nothing else
SKIP:
{
	local $Catalogue::Parser::geographic{geojson} = 1;
	-x program('geojson') or skip 'catalogue-geo-reader was not built', 1;
	my $reader = waiting('geojson', 250 << 20);
	is(sysread($reader->{witness}, $nothing, 1), 0, 'inherited descriptors are closed');
	poll(10, sub { proc($reader, 'status') =~ /^Seccomp:\s*2$/m });
	like(proc($reader, 'status'), qr/^Seccomp:\s*2$/m, 'system calls are filtered');
	like(proc($reader, 'status'), qr/^NoNewPrivs:\s*1$/m, 'there are no new privileges');
	my @files = map { readlink($_) // () } grep { !m{/[012]$} } glob "/proc/$reader->{pid}/fd/*";
	is_deeply([ grep { !m{/proj\.db$} } @files ], [], 'no other file is open');
	my $rights = proc($reader, 'limits');
	like($rights, qr/^\Q$_->[0]\E\s+$_->[1]\s+$_->[1]\s/m, "$_->[0] is $_->[1]")
		for [ 'Max cpu time', 70 ], [ 'Max file size', 0 ], [ 'Max processes', 0 ], [ 'Max open files', 3 ];
	my ($memory) = $rights =~ /^Max address space\s+(\d+)/m;
	cmp_ok($memory // 0, '<', 4 << 30, 'its memory has a limit') if !$sanitized;
	print { $reader->{feed} } '{"type": "FeatureCollection", "features": []}';
	close $reader->{feed};
	is(do { local $/; readline($reader->{frames}) =~ /D\x02\0\0\0\{\}\z/ ? 1 : 0 }, 1, 'it reads its input to the end');
	waitpid $reader->{pid}, 0;
	is($?, 0, 'and ends');
}

# incomplete command lines
for my $arguments ([], ['docx'], [ '--size', '1' ])
{
	my $pid = fork // die "fork: $!";
	if ($pid == 0)
	{
		open STDERR, '>', '/dev/null' or die;
		open STDIN, '<', '/dev/null' or die;
		exec program(), '--parse', @$arguments or die;
	}
	waitpid $pid, 0;
	is($? >> 8, 1, "--parse @$arguments: status 1");
}

# a worker that has ended
{
	my $gone = waiting('csv', 0);
	close $gone->{frames};
	local $SIG{PIPE} = 'IGNORE';
	print { $gone->{feed} } "a,b\n" . "1,2\n" x 100_000;
	close $gone->{feed};
	waitpid $gone->{pid}, 0;
	isnt($?, 0, 'the child ends when no worker reads its frames');
}

done_testing();
