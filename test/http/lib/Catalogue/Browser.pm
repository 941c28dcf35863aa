package Catalogue::Browser;

# Chromium, driven by a script of test/http/browser.

use strict;
use warnings;

use Test::More;
use Catalogue::Client qw($json);
use Catalogue::Program qw(command);

# Run a script with a configuration; returns what it prints.
sub run
{
	my ($service, $script, %config) = @_;
	my ($chromium) = grep { -x } '/usr/bin/chromium';
	die "Chromium is missing: run \".ci/deps full\"\n" unless $chromium;
	die "playwright-core is missing: run \".ci/deps full\"\n"
		unless -e 'build/browser/node_modules/playwright-core/package.json';
	my $input = "$service->{directory}/browser.json";
	open my $in, '>', $input or die "$input: $!";
	print $in $json->encode({ base => $service->{base}, chromium => $chromium, %config });
	close $in or die "$input: $!";

	# run as the account of the tests, which owns the files that Chromium writes, and may have no access to the project
	my $copy = "$service->{directory}/browser";
	-d $copy || system('cp', '-rL', 'test/http/browser', $copy) == 0
		&& system('cp', '-rL', 'build/browser/node_modules', $copy) == 0
		or die "cp: $?\n";
	my @become = $> == 0 ? qw(setpriv --reuid=postgres --regid=postgres --clear-groups) : ();
	my $begin  = time;
	my $output = command(
		{ HOME => $service->{directory}, TMPDIR => $service->{directory}, INPUT => $input },
		'sh', '-c', '"$@" < "$INPUT"', 'sh', @become, 'node', "$copy/$script");
	my $told = $json->decode($output);
	note(sprintf 'Chromium %s, %.1f s', $told->{version}, time - $begin);
	return $told;
}

1;
