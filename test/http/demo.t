#!/usr/bin/perl
# The demonstration: a real catalogue goes in through the API, is read again by its links as it was
# sent, and goes in a second time without anything being created.

use strict;
use warnings;
use utf8;

use FindBin;
use JSON::PP ();
use Test::More;
use Catalogue::Test;

my $service = Catalogue::Test->start->as_admin;
my @resources = qw(organizations categories tags updatefrequencies filetypes datasets files);

# Run the loader; gives its exit status, its table {resource => {column => number}}, and all it prints.
sub load
{
	my (@options) = @_;
	local @ENV{qw(CATALOGUE_URL CATALOGUE_DEMO_FILE)} = ($service->{base}, '');
	open my $out, '-|:encoding(UTF-8)', 'sh', '-c', 'exec "$@" 2>&1', 'sh', "$FindBin::Bin/../demo/load", '--quiet', @options
		or die "load: $!";
	my $text = do { local $/; <$out> };
	close $out;
	my %table;
	while ($text =~ /^(\w+)((?: +\d+){6})$/mg)
	{
		my ($resource, $numbers) = ($1, $2);
		@{ $table{$resource} }{qw(sent created there shortened compared differences)} = $numbers =~ /\d+/g;
	}
	return { status => $? >> 8, table => \%table, text => $text };
}

sub column
{
	my ($run, $name) = @_;
	return join ' ', map { $run->{table}{$_}{$name} // '-' } @resources;
}

sub counts
{
	return join ' ', map { $service->get("/$_/count")->{json}{data}{count} } @resources;
}

sub sum
{
	my ($left, $right) = map { [ split ' ' ] } @_;
	return join ' ', map { $left->[$_] + $right->[$_] } 0 .. $#$left;
}

# Load a file twice; what is expected: datasets, files, and how many texts are too long.
sub twice
{
	my ($name, $datasets, $files, $shortened, @options) = @_;
	my $before = counts();
	my $first  = load(@options);

	is($first->{status}, 0, "$name: loaded") or diag($first->{text});
	is($first->{table}{datasets}{sent}, $datasets, "$name: all datasets are sent");
	is($first->{table}{files}{sent}, $files, "$name: all files are sent");
	is($first->{table}{$_}{created}, $first->{table}{$_}{sent}, "$name: all $_ are created") for qw(datasets files);
	is($first->{table}{$_}{compared}, $first->{table}{$_}{sent}, "$name: all $_ are compared") for qw(datasets files);
	is(column($first, 'differences'), '0 0 0 0 0 0 0', "$name: nothing differs");
	is(column($first, 'shortened'), $shortened, "$name: what is too long is told");
	is(counts(), sum($before, column($first, 'created')), "$name: the API counts what was created");

	my $after  = counts();
	my $second = load(@options);
	is($second->{status}, 0, "$name: loaded again") or diag($second->{text});
	is(column($second, 'created'), '0 0 0 0 0 0 0', "$name: again: nothing is created");
	is(column($second, 'differences'), '0 0 0 0 0 0 0', "$name: again: nothing differs");
	is(counts(), $after, "$name: again: the API counts as many as before");
	return $first;
}

my $sample = twice('sample', 4, 8, '2 0 0 0 0 2 1');
like($sample->{text}, qr/the API refused it: maxLength: takes at most 350 characters/, 'the reason is the API\'s own');
like($sample->{text}, qr/"genero de muestra" is taken for "género de muestra"/, 'a tag of the same slug is told');

# the whole text stands in optionals, the start of it in its field
my ($water) = @{ $service->get('/datasets?match=BEGINS&name=calidad')->{json}{data} };
my ($source) = grep { $_->{identifier} eq 'sample-2' }
	@{ JSON::PP->new->utf8->decode(Catalogue::Test::slurp("$FindBin::Bin/../demo/sample.json"))->{dataset} };
is($water->{optionals}{description}, $source->{description}, 'the whole description is kept');
is($water->{optionals}{name}, $source->{title}, 'the whole name is kept');
like($water->{description}, qr/^\QMediciones quincenales\E.*…$/, 'the description is shortened');
is(length $water->{description}, 350, 'to as many characters as the field takes');

SKIP:
{
	my $real = "$FindBin::Bin/../../../shared/data/catalogo-justicia.json";
	skip 'the real catalogue is not here', 1 unless -r $real;
	twice('real catalogue', 18, 71, '8 0 0 0 0 5 0', '--file', $real);
}

# a difference is found, named, and gives status 1
$service->patch("/datasets/$water->{id}", { notes => 'not from the source', description => 'changed since' });
my $changed = load();
is($changed->{status}, 1, 'a record that was changed since gives status 1');
like($changed->{text}, qr/^  datasets $water->{id} description: sent ".*", read "changed since"$/m, 'and is named');
is($changed->{table}{datasets}{differences}, 1, 'and counted');

# a refused login
{
	local $ENV{CATALOGUE_ADMIN_PASSWORD} = 'wrong';
	my $refused = load();
	is($refused->{status}, 2, 'a wrong password gives status 2');
	is($refused->{text}, "load: cannot log in as admin: 401 wrong user name or password\n", 'and one line that says so');
}

$service->is_sound;
$service->finish;
