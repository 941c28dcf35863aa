#!/usr/bin/perl
# The demonstration: a real catalogue is imported through the API, is the same when it is read again by its links, and
# is imported a second time without changing anything.

use strict;
use warnings;
use utf8;

use FindBin;
use Cpanel::JSON::XS ();
use Test::More;
use Catalogue::Program qw(slurp);
use Catalogue::Test;

my $service = Catalogue::Test->start->as_admin;

# Run the demonstration: its exit status, counts, and output.
sub load
{
	my (@options) = @_;
	local @ENV{qw(CATALOGUE_URL CATALOGUE_DEMO_FILE)} = ($service->{base}, '');
	open my $out, '-|:encoding(UTF-8)', 'sh', '-c', 'exec "$@" 2>&1', 'sh', "$FindBin::Bin/../demo/load",
		'--quiet', @options
		or die "load: $!";
	my $text = do { local $/; <$out> };
	close $out;
	my %counts = $text =~ /^(created|updated|unchanged|refused|gone) +(\d+)$/mg;
	my ($compared) = $text =~ /^compared: (.*)$/m;
	return { status => $? >> 8, counts => \%counts, compared => $compared, text => $text };
}

sub total
{
	return join ' ', map { $service->get("/$_/count")->{json}{data}{count} } qw(organizations categories tags
		updatefrequencies filetypes datasets files logs);
}

# Import a file twice.
sub twice
{
	my ($name, $datasets, $files, @options) = @_;
	my $before = total();
	my $dry    = load('--dry-run', @options);

	is($dry->{status}, 0, "$name: a dry run") or diag($dry->{text});
	is($dry->{counts}{created}, $datasets, "$name: tells what would be created");
	is(total(), $before, "$name: and creates nothing");
	my $first = load(@options);
	is($first->{status}, 0, "$name: imported") or diag($first->{text});
	is($first->{counts}{created}, $datasets, "$name: all datasets are created");
	is($first->{compared}, "$datasets datasets, $files files", "$name: and are as they were sent");
	my $after  = total();
	my $second = load(@options);
	is($second->{status}, 0, "$name: imported again") or diag($second->{text});
	is($second->{counts}{unchanged}, $datasets, "$name: again: nothing is changed");
	is($second->{compared}, "$datasets datasets, $files files", "$name: again: all is as it was sent");
	is(total(), $after, "$name: again: the API counts as many as before");
	return $first;
}

my $sample = twice('sample', 4, 8);

# the whole text is in optionals, its beginning in the field
my ($water) = @{ $service->get('/datasets?match=BEGINS&name=calidad')->{json}{data} };
my ($source) = grep { $_->{identifier} eq 'sample-2' }
	@{ Cpanel::JSON::XS->new->allow_nonref->utf8->decode(slurp("$FindBin::Bin/../demo/sample.json"))->{dataset} };
is($water->{optionals}{description}, $source->{description}, 'the whole description is in optionals');
like($water->{description}, qr/^\QMediciones quincenales\E.*…$/, 'the description is shortened');
is(length $water->{description}, 350, 'to the maximum length of the field');

SKIP:
{
	my $real = "$FindBin::Bin/../../../shared/data/catalogo-justicia.json";
	skip 'the real catalogue is not here', 1 unless -r $real;
	twice('real catalogue', 18, 71, '--file', $real);
}

# a record that differs is reported, and the exit status is 1
$service->patch("/datasets/$water->{id}", { notes => 'not from the source', description => 'changed since' });
my $changed = load();
is($changed->{status}, 1, 'a record that was changed since gives status 1');
like($changed->{text}, qr/^  datasets $water->{id} description: sent ".*", read "changed since"$/m,
	'the record is named');

# an entry that is refused is told with its faults
my $bad = "$service->{directory}/bad.json";
open my $out, '>', $bad or die "$bad: $!";
print $out Cpanel::JSON::XS->new->allow_nonref->encode({ title => 'Bad',
	dataset => [ { identifier => 'x', theme => 'Water' }, { identifier => 'y', title => 'Without theme' } ] });
close $out;
my $refused = load('--file', $bad);
is($refused->{status}, 1, 'an entry that is refused gives status 1');
like($refused->{text}, qr/^refused x.*\n.*\n  name: is required$/m, 'with the reason') or diag $refused->{text};
is($refused->{counts}{created}, 1, 'an entry without theme is not');

# what cannot be done
{
	local $ENV{CATALOGUE_ADMIN_PASSWORD} = 'wrong';
	my $login = load();
	is($login->{status}, 2, 'a wrong password gives status 2');
	is($login->{text}, "load: cannot log in as admin: 401 wrong user name or password\n",
		'one line reports the refused login');
}
is(load('--file', "$service->{directory}/none.json")->{status}, 2, 'a file that is not there');
is(load('--category', 'none')->{text}, "load: the catalogue is not imported: 400 invalid record: \"category\" refers "
	. "to no record; category: refers to no record\n", 'a category that is not there');

$service->is_sound;
$service->finish;
