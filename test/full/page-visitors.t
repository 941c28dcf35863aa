#!/usr/bin/perl
# Visitors use data in a real browser: they group rows of a file and see them drawn, with and without scripts, and show
# a chart in a page of another origin, where it follows its data.  axe-core finds nothing serious.

use strict;
use warnings;
use utf8;

use Cwd qw(getcwd);
use Test::More;
use Catalogue::Browser;
use Catalogue::Program qw(command);
use Catalogue::Test;
use Catalogue::Upload;
use Catalogue::Worker;
use Encode qw(decode_utf8);

my $service = Catalogue::Test->start(CATALOGUE_MAIL_COMMAND => '/bin/true', CATALOGUE_MAIL_FROM => 'a@example.org',
	CATALOGUE_MAIL_TO => 'b@example.org')->as_admin;
# every number takes long
$service->sql("ALTER DATABASE $service->{database} SET catalogue.facets_exact = 0");
is($service->stop_shim, 0, 'the setting applies to new connections');
$service->start_shim;
my $worker  = Catalogue::Worker->start($service);
my %editor  = (username => 'edith', password => 'a long pass phrase');
my $office  = $service->post('/organizations', { name => 'Office' })->{json}{links}{record} =~ s{.*/}{}r;
is($service->post('/users', { %editor, email => 'e@example.org', organization => $office, active => \1,
	role => 'superadmin' })->{status}, 201, 'the editor');
my $file = Catalogue::Upload->new($service)->file('cities.csv', "city,country,people\nOslo,NO,700\nBergen,NO,290\n"
	. "Lund,SE,94\nTurku,FI,195\nEspoo,FI,300\nKemi,FI,20\n", name => 'Cities', status => 'qWRhpRV',
	dataset => $service->get('/datasets?limit=1')->{json}{data}[0]{id}, visible => 'true')->{id};
is($worker->wait_for_file($file)->{parseState}, 'ready', 'the file is read');
my $chart = $service->post('/charts', { name => 'Own', type => 'bar', link => 'https://example.org',
	status => 'qWRhpRV', data => { labels => [ 'a', 'b' ], data => [ 1, 2 ] } })->{json}{links}{record} =~ s{.*/}{}r;

is($service->patch('/datasets/airports', { optionals => { spatial => '-8,36,3,44' } })->{status}, 200,
	'a dataset has a place');

my $told = Catalogue::Browser::run($service, 'visitors.js', editor => \%editor, file => $file, chart => $chart,
	dataset => 'airports',
	screenshots => $ENV{SCREENSHOTS});
my %seen = map { @$_ } @{ $told->{steps} };

# the service refuses what is no number, which the browser notes
is_deeply([ grep { !/status of 422/ } @{ $told->{faults} } ], [], 'the browser complains of nothing');
is_deeply($told->{axe},  [], 'axe-core finds nothing serious');
is_deeply($told->{wide}, [], 'nothing is wider than its screen');
is($seen{followed}, 'A message with a link is on its way. Please confirm by it.',
	'a dataset is followed without scripts');
for my $kind ('', ' without scripts')
{
	cmp_ok($seen{"clicks$kind"}, '<=', 4, "rows by country$kind: at most four clicks");
	is_deeply($seen{"groups$kind"}, [ FI => 3, NO => 2, SE => 1 ], "rows by country$kind: their numbers");
	ok($seen{"drawn$kind"}, "rows by country$kind: are drawn");
	like($seen{"fault$kind"}, qr{^invalid value for filter "people": "many"}, "a fault$kind: is told");
	is($seen{"kept$kind"}, 'many', "a fault$kind: what was entered stays");
}
for my $kind ('', ' without scripts')
{
	my @box = split /,/, $seen{"box$kind"};
	ok(@box == 4 && $box[0] < -8 && $box[2] > 3 && $box[1] < 36, "a place$kind: a rectangle") or diag $seen{"box$kind"};
	is_deeply($seen{"located$kind"}, ['Airports'], "a place$kind: the dataset in it");
	is($seen{"chips$kind"}, 0, "a place$kind: is taken away again");
	ok($seen{"extent$kind"}, "a place$kind: is drawn on the page of the dataset");
}
like($seen{estimated}, qr{^approximately \d+ .*Count exactly$}, 'numbers without scripts: an estimate');
is($seen{'left out'}, 0, 'numbers without scripts: no values to narrow by');
for my $kind ('', ' without scripts')
{
	like($seen{"counted$kind"}, qr{^\d}, "numbers$kind: they are counted");
	is($seen{"to count$kind"}, 0, "numbers$kind: no others are left");
}
is($seen{'last page'}, 1, 'numbers: the last page is known');
ok($seen{copied}, 'the code of a frame is copied by a button');
my @labels = map { tr/\x{2068}\x{2069}//dr } @{ $seen{'in a frame'} };
is_deeply(\@labels, [ 'a: 1', 'b: 2' ], 'a chart is in a page of another origin, with its values');
is($seen{'nothing to log in'}, 0, 'without a button');
@labels = map { tr/\x{2068}\x{2069}//dr } @{ $seen{'after a change'} };
is_deeply(\@labels, [ 'a: 1', 'b: 5' ], 'and follows its data');

# The lines of a page that are pasted into programs.
sub lines
{
	my $page  = $service->get($_[0], Accept => 'text/html');
	my $names = qr{<h3>(curl|Python|R|JavaScript|DuckDB|SQL)</h3>};
	my %lines = decode_utf8($page->{body}) =~ m{$names\s*<pre tabindex="0"><code>(.*?)</code>}gs;
	for (values %lines)
	{
		s/&#39;/'/g, s/&quot;/"/g, s/&lt;/</g, s/&gt;/>/g, s/&amp;/&/g;
	}
	return %lines;
}

# What the programs print that run here.
sub printed
{
	my %lines = @_;
	my %run   = (curl => [ 'sh', '-c', $lines{curl} =~ s/-o \w+\.csv/-s/r ],
		DuckDB => [ 'sh', '-c', 'cd "$HOME" && ' . $lines{DuckDB} =~ s/-o /-s -o /r ],
		Python => [ '/usr/bin/python3', '-c', $lines{Python} ], R => [ 'Rscript', '-e', $lines{R} ],
		JavaScript => [ 'node', '--input-type=module', '-e', $lines{JavaScript} ]);
	my %environment = (HOME => $service->{directory}, PATH => "$service->{directory}:$ENV{PATH}");
	return map { $_ => command(\%environment, @{ $run{$_} }) } sort keys %run;
}

# npm has the library of DuckDB, not its command
system('cp', 'test/full/clients/duckdb.mjs', 'build/clients/') == 0 or die "cp: $?\n";
my $duckdb = "$service->{directory}/duckdb";
open my $out, '>', $duckdb or die "$duckdb: $!\n";
print $out "#!/bin/sh\nexec node '", getcwd(), "/build/clients/duckdb.mjs' \"\$@\"\n";
close $out or die "$duckdb: $!\n";
chmod 0755, $duckdb;

# They give all rows that are selected, more than the page has.
my %lines = lines("/files/$file/contents?country[eq]=NO,FI&limit=2");
my %printed = printed(%lines);
for my $language (sort keys %printed)
{
	is(() = $printed{$language} =~ /Oslo|Bergen|Turku|Espoo|Kemi/g, 5, "$language: all rows")
		or diag $printed{$language};
	unlike($printed{$language}, qr{Lund}, "$language: no other");
}
is(() = $service->sql($lines{SQL}) =~ /"city"/g, 5, 'SQL: all rows');

# so do those of a list of datasets, in its order
my ($other, @selected) =
	map { $_->{id} } @{ $service->get('/datasets?fields=id&orderBy=createdAt&sort=DESC')->{json}{data} };
cmp_ok(scalar @selected, '>', 1, 'there are datasets');
%lines   = lines("/datasets?id[ne]=$other&fields=id,name&limit=1");
%printed = (printed(%lines), SQL => $service->sql($lines{SQL}));
for my $language (sort keys %printed)
{
	is_deeply([ $printed{$language} =~ /(@{[ join '|', $other, @selected ]})/g ], \@selected, "$language: all datasets")
		or diag $printed{$language};
}
$worker->finish;
$service->is_sound;
$service->finish;
