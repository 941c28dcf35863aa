#!/usr/bin/perl
# The demonstration: a real catalogue is loaded through the API, is the same when it is read again by its links,
# and is loaded a second time without creating anything.

use strict;
use warnings;
use utf8;

use FindBin;
use JSON::PP ();
use Test::More;
use Catalogue::Test;

my $service = Catalogue::Test->start->as_admin;
my @resources = qw(organizations categories tags updatefrequencies filetypes datasets files);

# Run the loader; return its exit status, its table {resource => {column => number}}, and its output.
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

# Load a file twice; the expected numbers are datasets, files, and texts that are too long.
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
	is(column($first, 'differences'), '0 0 0 0 0 0 0', "$name: no record differs");
	is(column($first, 'shortened'), $shortened, "$name: texts that are too long are reported");
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
like($sample->{text}, qr/the API refused it: maxLength: takes at most 350 characters/, 'the message has the reason of the API');
like($sample->{text}, qr/"genero de muestra" is taken for "género de muestra"/, 'a tag with the same slug is reported');

# the whole text is in optionals, its beginning in the field
my ($water) = @{ $service->get('/datasets?match=BEGINS&name=calidad')->{json}{data} };
my ($source) = grep { $_->{identifier} eq 'sample-2' }
	@{ JSON::PP->new->utf8->decode(Catalogue::Test::slurp("$FindBin::Bin/../demo/sample.json"))->{dataset} };
is($water->{optionals}{description}, $source->{description}, 'the whole description is in optionals');
is($water->{optionals}{name}, $source->{title}, 'the whole name is in optionals');
like($water->{description}, qr/^\QMediciones quincenales\E.*…$/, 'the description is shortened');
is(length $water->{description}, 350, 'to the maximum length of the field');

SKIP:
{
	my $real = "$FindBin::Bin/../../../shared/data/catalogo-justicia.json";
	skip 'the real catalogue is not here', 1 unless -r $real;
	twice('real catalogue', 18, 71, '8 0 0 0 0 5 0', '--file', $real);
}

# a record that differs is reported, and the exit status is 1
$service->patch("/datasets/$water->{id}", { notes => 'not from the source', description => 'changed since' });
my $changed = load();
is($changed->{status}, 1, 'a record that was changed since gives status 1');
like($changed->{text}, qr/^  datasets $water->{id} description: sent ".*", read "changed since"$/m, 'the record is named');
is($changed->{table}{datasets}{differences}, 1, 'the record is counted');

# a refused login
{
	local $ENV{CATALOGUE_ADMIN_PASSWORD} = 'wrong';
	my $refused = load();
	is($refused->{status}, 2, 'a wrong password gives status 2');
	is($refused->{text}, "load: cannot log in as admin: 401 wrong user name or password\n", 'one line reports the refused login');
}

$service->is_sound;
$service->finish;
