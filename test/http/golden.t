#!/usr/bin/perl
# The golden set is complete: it has each route of the shim's table with a successful answer, each status that the
# shim has, and each parameter that OPTIONS names.  All three are read from the tables in the source,
# so that a new row requires a request.

use strict;
use warnings;

use Catalogue::Definition;
use Catalogue::Program qw(slurp);
use File::Find ();
use Test::More;

# All C files of the shim as one text, so that the tables may be in any file.
my $source = '';
File::Find::find({ no_chdir => 1, wanted => sub { $source .= slurp($_) if /\.c$/ } }, 'shim');

my @routes   = map { [ @$_{qw(verb path)} ] } Catalogue::Definition::endpoints();
my @statuses = $source =~ /^\t\{(\d{3}), "[A-Z_]+", "/mg;
my ($parameters) =
	slurp('extension/read/describe.sql') =~ /^CREATE FUNCTION catalogue\.query_parameters\(\)(.*?)^END;/ms;
my @words    = $parameters =~ /^ {8}\(\d+, '(\w+)',/mg;
cmp_ok(scalar @routes,   '>', 50, 'the table of routes is found');
cmp_ok(scalar @statuses, '>', 20, 'the table of statuses is found');
cmp_ok(scalar @words,    '>', 15, 'the table of parameters is found');

# The requests of the set: [verb, path, query, status].
my @requests;
for my $file (glob 'expected/golden/*.txt')
{
	my $text = slurp($file);
	push @requests, [ $1, $2, $3 // '', $4 ]
		while $text =~ m{^## \w+ ([A-Z]+) (/[^? ]*)(?:\?(.*))?\n(?:.+\n)*\nHTTP/1\.1 (\d+)}mg;
}
cmp_ok(scalar @requests, '>', 400, 'the set has more than 400 requests');

# The pattern of a path: the first with as many words, since the table has words before parameters.
sub pattern_of
{
	my ($path) = @_;
	my @given = split m{/}, $path, -1;
	for my $route (@routes)
	{
		my @words = split m{/}, $route->[1], -1;
		next if @words != @given || grep { $words[$_] !~ /^:/ && lc $words[$_] ne lc $given[$_] } 0 .. $#words;
		next if grep { $words[$_] =~ /^:/ && $given[$_] eq '' } 0 .. $#words;
		return $route->[1];
	}
	return '';
}

my (%answered, %seen, %used);
for my $request (@requests)
{
	my ($verb, $path, $query, $status) = @$request;
	$answered{ pattern_of($path) }{ $verb eq 'HEAD' ? 'GET' : $verb }{$status} = 1;
	$seen{$status} = 1;
	$used{$_} = 1 for map { s/[=\[].*//r } split /&/, $query;
}
for my $route (@routes)
{
	my ($verb, $pattern) = @$route;
	my @found = sort keys %{ $answered{$pattern}{$verb} // {} };
	ok(scalar(grep { /^2/ } @found), "$verb $pattern is in the set")
		or diag(@found ? "only with status @found" : 'there is no such request');
}
ok($answered{$_}{OPTIONS}, "OPTIONS $_ is in the set") for sort keys %{ { map { $_->[1] => 1 } @routes } };
ok($seen{$_}, "status $_ is in the set") for @statuses;
ok($used{$_}, "parameter $_ is in the set") for @words;

done_testing();
