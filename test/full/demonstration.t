#!/usr/bin/perl
# The demonstration: a city is made once; a real catalogue is imported through the API, is the same when it is read
# again by its links, and is imported a second time without changing anything.

use strict;
use warnings;
use utf8;

use FindBin;
use Cpanel::JSON::XS ();
use Test::More;
use Catalogue::Program qw(slurp);
use Catalogue::Test;
use Catalogue::Worker;

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

# the city of `make demo`: its counts, a year of statistics, and its pages; another run leaves all as it is
sub city
{
	local $ENV{CATALOGUE_URL} = $service->{base};
	my $counts = qx($FindBin::Bin/../demo/city 2>&1);
	$service->sql(slurp("$FindBin::Bin/../demo/year.sql") =~ s/^\\.*\n//mgr);
	return $counts =~ s/ +/ /gr;
}
my $worker = Catalogue::Worker->start($service);
like(city(), qr/^datasets 300\nfiles 450\ncharts 60\nmaps 30\n\z/m, 'the city');
my $whole = total();
my $sums  = 'SELECT sum(requests), (SELECT sum(count) FROM catalogue.download_count) FROM catalogue.statistics_by_day '
	. 'WHERE day < current_date';
my ($requests) = $service->sql($sums);
like(city(), qr/^datasets 0\nfiles 0\ncharts 0\nmaps 0\n\z/m, 'again: nothing is made');
is(total(), $whole, 'again: the API counts as many as before');
is_deeply([ $service->sql($sums) ], [$requests], 'nor are there more statistics');
is($service->sql('SELECT count(DISTINCT day) FROM catalogue.statistics_by_day WHERE day < current_date'), 365,
	'they are of each day of a year');
is($service->sql(q(SELECT count(*) FROM catalogue.files WHERE parse_state <> 'ready' AND url LIKE '%/download')), 0,
	'all files have rows');
for my $page (qw(/ /datasets /datasets/bus-passengers-2025 /datasets/bus-stops-new-market /charts /maps))
{
	my $reply = $service->get($page, Accept => 'text/html', 'Accept-Language' => 'es');
	is($reply->{status}, 200, "$page answers");
	$page =~ /2025/ and like($reply->{body}, qr/Pasajeros de colectivo 2025/, 'in Spanish, too');
}
like($service->get('/datasets/bus-stops-new-market', Accept => 'text/html')->{body},
	qr{<title>[^<]*· Open data of Puerto Claro</title>.*<ul>\s*<li>Published by <strong>Puerto Claro}s,
	'the pages have the title of the city, and lists in descriptions');
like($service->get('/pages/about-these-data?lang=es', Accept => 'text/html')->{body},
	qr{<img src="/organizations/\w+/image".*Datos abiertos de Puerto Claro.*<strong>inventados</strong>}s,
	'a logo, and a page about it');
like($service->get('/datasets/search?query=bus', Accept => 'text/html')->{body}, qr{>csv</},
	'a format to choose');

$worker->finish;
$service->is_sound;
$service->finish;
