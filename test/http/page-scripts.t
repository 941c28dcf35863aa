#!/usr/bin/perl
# The page, as it is written: each word of its scripts and of the service, and each field that a record may have, is in
# the one table of words; text of records cannot become markup, the modules that are imported exist, and nothing is
# loaded from another host.

use strict;
use warnings;
use utf8;

use Test::More;
use Catalogue::Test;

my %source = map { s{.*/}{}r => Catalogue::Test::slurp($_) } glob 'shim/page/static/*.js';
cmp_ok(scalar keys %source, '>', 5, 'there are scripts');

# what the Makefile makes of other files
my %made = map { $_ => 1 } Catalogue::Test::slurp('Makefile') =~ /\b([\w-]+\.js)\b/g;

my @lines = grep { !/^#/ } split /\n/, Catalogue::Test::slurp('shim/page/words.txt');
my %words = map { my ($key) = split / \| /; $key => 1 } @lines;
cmp_ok(scalar(keys %words), '>', 300, 'there is a table of words');
is(scalar(keys %words), scalar @lines, 'each of its keys is there once');
is_deeply([ grep { !/^[^|]+( \| [^|]+){1,2}$/ } @lines ], [], 'a line is a text and its translation, or a key and both');

my %fields = map { $_ => 1 } grep { $_ ne 'Field' } Catalogue::Test::slurp('docs/reference/resources.md') =~ /^\| (\w+) \| [^|]+ \| [^|]* \| [^|]+ \|$/mg;
my %resources = map { $_ => 1 } Catalogue::Test::slurp('docs/reference/resources.md') =~ /^## (\w+)$/mg;
cmp_ok(scalar(keys %fields), '>', 100, 'there are fields');
is_deeply([ grep { !$words{$_} } sort keys %fields, keys %resources ], [], 'each field and each resource has words');

for my $path (glob 'shim/page/*.c')
{
	my %used = map { $_ => 1 } Catalogue::Test::slurp($path) =~ /\b(?:page_word\(page, |page_label\(page, |words_text\([\w>-]+,\s+|WORD\()"([^"]+)"/g;
	my @markup = Catalogue::Test::slurp($path) =~ /\bpage_write\(\s*page,((?:[^;"]|"(?:[^"\\]|\\.)*")*);/g;
	$used{$_} = 1 for map { join('', /"((?:[^"\\]|\\.)*)"/g) =~ /\{([^{}]+)\}/g } @markup;
	is_deeply([ grep { !$words{$_} } sort keys %used ], [], "$path: each word is in the table");
}

# messages in Spanish: those of errors that a client can make, of their faults, and of statuses
my @patterns = map { my ($pattern) = split / \| /; $pattern } grep { !/^#/ } split /\n/, Catalogue::Test::slurp('shim/page/messages.txt');
my $known = join '|', map { join '.+', map {quotemeta} split /%/, $_, -1 } @patterns;
my %told;
my $literals = qr/((?:"(?:[^"\\]|\\.)*"\s*)+)/;
for my $path (glob 'extension/*/*.c extension/*/*/*.c')
{
	my $code = Catalogue::Test::slurp($path);
	my @calls = $code =~ /\bcat_validation_error_add\(((?:[^;"]|"(?:[^"\\]|\\.)*")*);/g;
	for my $literal ((map { /$literals(?:,[^"]*)?\)\s*$/ } @calls), $code =~ /errcode\(OD4\d\d\),\s*errmsg\($literals/g)
	{
		my $text = join '', $literal =~ /"((?:[^"\\]|\\.)*)"/g;
		# what ends with a space goes on with a number
		$told{ $text =~ s/\\(.)/$1/gr =~ s/%(?:[a-z]+|%)/1/gr } = $path if $text =~ / \S/;
	}
}
# those that SQL raises
for my $path (glob 'sql/*.sql extension/*/*.sql extension/*/*/*.sql')
{
	my $sql = Catalogue::Test::slurp($path);
	for my $message ($sql =~ /SQLSTATE 'OD4\d\d' USING\s+MESSAGE = (.*?)(?:,\s*(?:HINT|DETAIL)|;)/gs)
	{
		$told{ s/''/'/gr =~ s/%s/1/gr } = $path for grep { / \S/ } $message =~ /'((?:[^']|'')+)'/g;
	}
}
cmp_ok(scalar keys %told, '>', 120, 'there are messages');
my %statuses = Catalogue::Test::slurp('shim/answer/error.c') =~ /\{([45]\d\d), "E_\w+", "([^"]+)"\}/g;
$told{$_} = 'shim/answer/error.c' for values %statuses;
is_deeply([ map { "$told{$_}: $_" } grep { !/^(?:$known)$/s && !/ $/ } sort keys %told ], [], 'each message has a Spanish text');

for my $name (sort keys %source)
{
	my %used = map { $_ => 1 } $source{$name} =~ /\bt\(\s*'([^']+)'/g;
	is_deeply([ grep { !$words{$_} } sort keys %used ], [], "$name: each word is in the table");

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

# a text that is no name of the interface is written somewhere
my $all = join '', map { Catalogue::Test::slurp($_) } glob 'shim/page/*.c shim/page/static/*.js';
is_deeply([ grep { / / && index($all, $_) < 0 && !/^option / } sort keys %words ], [], 'no word is left over');

# what is malformed is refused
for my $wrong ("b | c\na | d\n", "a | b\na | c\n", "a\n", "a | b | c | d\n", "a | it's\n", "a | \n")
{
	open my $out, '>', "/tmp/words-$$" or die $!;
	print $out $wrong;
	close $out;
	my $printed = qx(.ci/words /tmp/words-$$ /tmp 2>&1);
	like($printed, qr{^/tmp/words-$$:\d+: }, 'a table like "' . ($wrong =~ s/\n/\\n/gr) . '" is refused');
}
unlink "/tmp/words-$$";

done_testing();
