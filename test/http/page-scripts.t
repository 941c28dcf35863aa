#!/usr/bin/perl
# The page, as it is written: each field that a record may have has a name for people, each message of the service a
# form in the catalogues of texts; text of records cannot become markup, the modules that are imported exist, and
# nothing is loaded from another host.

use strict;
use warnings;
use utf8;

use Test::More;
use Catalogue::Program qw(slurp);
use Catalogue::Words;

my %source = map { s{.*/}{}r => slurp($_) } glob 'shim/page/static/*.js';
cmp_ok(scalar keys %source, '>', 5, 'there are scripts');

# what the Makefile makes of other files
my %made = map { $_ => 1 } slurp('Makefile') =~ /\b([\w-]+\.js)\b/g;

my @entries = Catalogue::Words::entries('shim/po/catalogue.pot');
my %names   = map { $_->[0] || $_->[1] => 1 } grep { $_->[0] ne 'message' } @entries;
cmp_ok(scalar(keys %names), '>', 300, 'there are texts');

my %fields = map { $_ => 1 }
	grep { $_ ne 'Field' } slurp('docs/reference/resources.md') =~ /^\| (\w+) \| [^|]+ \| [^|]* \| [^|]+ \|$/mg;
my %resources = map { $_ => 1 } slurp('docs/reference/resources.md') =~ /^## (\w+)$/mg;
cmp_ok(scalar(keys %fields), '>', 100, 'there are fields');
is_deeply([ grep { !$names{$_} } sort keys %fields, keys %resources ], [], 'each field and each resource has a name');

# what a form says of a field
my %hints;
for my $part (split /^## /m, slurp('docs/reference/resources.md'))
{
	next unless $part =~ /^\* Calls: .*\bcreate\b/m;
	$hints{ $_->[2] } = 1
		for grep { @$_ == 3 && $_->[0] !~ /^(array|ids|Type)\b/ && $_->[1] !~ /read-only/ } map { [ split / ?\| ?/, $_, 3 ] }
		$part =~ /^\| \w+ \| (.*) \|$/mg;
}
cmp_ok(scalar(keys %hints), '>', 90, 'there are comments of columns');
is_deeply([ grep { !$names{$_} } sort keys %hints ], [], 'each is in the catalogue');

for my $path (glob 'shim/page/*.c shim/page/static/*.js')
{
	my @used = slurp($path) =~ /\b(?:page_label\(page, "|called\(')(\w+)/g;
	is_deeply([ grep { !$names{$_} } @used ], [], "$path: each name is in the catalogue");
}

# messages that have a form: those of errors that a client can make, of their faults, and of statuses
my @patterns = map { $_->[1] } grep { $_->[0] eq 'message' } @entries;
my $known    = join '|', map { join '.+', map {quotemeta} split /\{\w+\}/, $_, -1 } @patterns;
my %told;
my $literals = qr/((?:"(?:[^"\\]|\\.)*"\s*)+)/;
for my $path (glob 'extension/*/*.c extension/*/*/*.c')
{
	my $code = slurp($path);
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
	my $sql = slurp($path);
	for my $message ($sql =~ /SQLSTATE 'OD4\d\d' USING\s+MESSAGE = (.*?)(?:,\s*(?:HINT|DETAIL)|;)/gs)
	{
		$told{ s/''/'/gr =~ s/%s/1/gr } = $path for grep { / \S/ } $message =~ /'((?:[^']|'')+)'/g;
	}
}
cmp_ok(scalar keys %told, '>', 120, 'there are messages');
my %statuses = slurp('shim/answer/error.c') =~ /\{([45]\d\d), "E_\w+", "([^"]+)"\}/g;
$told{$_} = 'shim/answer/error.c' for values %statuses;
is_deeply([ map { "$told{$_}: $_" } grep { !/^(?:$known)$/s && !/ $/ } sort keys %told ], [],
	'each message has a form');

for my $name (sort keys %source)
{
	my @long = grep { tr/\n// > 60 } $source{$name} =~ /^((?:export )?(?:async )?function .*?^\}\n)/msg;
	is_deeply([ map { s/\(.*//sr } @long ], [], "$name: no function has more than 60 lines");

	unlike($source{$name},
		qr/\b(?:innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function|srcdoc|setAttribute\('style')/,
		"$name: no markup is made of text");
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
