#!/usr/bin/perl
# The scripts of the page, as they are written: each word has a translation, text of records cannot become markup, the
# modules that are imported exist, and nothing is loaded from another host.

use strict;
use warnings;
use utf8;

use Test::More;
use Catalogue::Test;

my %source = map { s{.*/}{}r => Catalogue::Test::slurp($_) } glob 'shim/page/static/*.js';
cmp_ok(scalar keys %source, '>', 5, 'there are scripts');

# what the Makefile makes of other files, as NAME=FILE
my %made = map { $_ => 1 } Catalogue::Test::slurp('Makefile') =~ /\b(\w+\.js)=/g;

my ($spanish) = $source{'text.js'} =~ /^const spanish = \{(.*?)^\};/ms;
my %translated = map { $_ => 1 } $spanish =~ /^\t(?|'([^']+)'|(\w+)):/mg;
cmp_ok(scalar(keys %translated), '>', 100, 'there is a translation');

for my $name (sort keys %source)
{
	my %words = map { $_ => 1 } $source{$name} =~ /\bt\(\s*'([^']+)'/g;
	is_deeply([ grep { !$translated{$_} } sort keys %words ], [], "$name: each word is in Spanish, too");

	my @long = grep { tr/\n// > 60 } $source{$name} =~ /^((?:export )?(?:async )?function .*?^\}\n)/msg;
	is_deeply([ map { s/\(.*//sr } @long ], [], "$name: no function has more than 60 lines");

	unlike($source{$name}, qr/\b(?:innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function|srcdoc|setAttribute\('style')/, "$name: no markup is made of text");
	my @addresses = grep { $_ ne 'http://www.w3.org/2000/svg' } $source{$name} =~ m{(https?://[^'"` ]+)}g;
	is_deeply(\@addresses, [], "$name: names no other host");
	my @imported = $source{$name} =~ m{(?:from|import)\s*\(?'\./([^']+)'}g;
	is_deeply([ grep { !$source{$_} && !$made{$_} } @imported ], [], "$name: the modules that it imports exist");
}
my @views = $source{'work.js'} =~ /\['\.\/([\w-]+\.js)', '(\w+)'\]/g;
cmp_ok(scalar @views, '>', 10, 'the views are found');
while (my ($module, $function) = splice @views, 0, 2)
{
	like($source{$module} // '', qr/^export async function $function\(/m, "$module has the view $function");
}

done_testing();
