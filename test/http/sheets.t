#!/usr/bin/perl
# sheet= on downloads of a workbook in another format: each format has exactly the requested sheet, by number and by
# name; without it a text has the first sheet and a workbook all; a sheet that does not exist is 404 in each format.

use strict;
use warnings;

use Test::More;
use Catalogue::Parser qw(parse cells workbook zip);
use Catalogue::Test;
use Catalogue::Upload;
use Catalogue::Worker;

my $service = Catalogue::Test->start->as_admin;
my $uploads = Catalogue::Upload->new($service);
my $worker  = Catalogue::Worker->start($service);

sub row { return '<row>' . join('', map { qq(<c t="inlineStr"><is><t>$_</t></is></c>) } @_) . '</row>' }
sub sheet
{
	my ($name, @rows) = @_;
	return [ $name, '<sheetData>' . join('', map { row(@$_) } @rows) . '</sheetData>' ];
}

# Request a format until it is made.
sub given
{
	my ($file, $form, $query) = @_;
	return $worker->wait_for("$form$query", sub {
		my $reply = $service->get("/files/$file/download/$form$query");
		$reply->{status} == 202 ? undef : $reply;
	});
}

# The sheets of a workbook: names, with the cells as text.
sub sheets_of
{
	my ($form, $reply) = @_;
	my $result = parse($form, $reply->{body}, '--header', 'first');
	return { map { $_->{name} => join '|',
		map { join ',', map { $_ // '' } @$_ } @{ cells($_) } } @{ $result->{sheets} } };
}

my @cities = ([qw(name latitude longitude)], [qw(Lima -12.04 -77.03)], [qw(Quito -0.18 -78.46)]);
my @trees  = ([qw(tree latitude longitude)], [qw(Elm 51.5 -0.12)]);
my $upload = $uploads->file('two.xlsx',
	zip(workbook(sheets => [ sheet('Cities', @cities), sheet('Old trees', @trees) ])), name => 'Two');
my $file   = $worker->wait_for_file($upload->{id});
is($file->{parseState}, 'ready', 'the workbook is parsed') or diag($file->{parseReason});
$file = $file->{id};

# text formats: the first sheet by default
my %text = (
	csv     => { first => qr/^name,latitude,longitude\r?\nLima,-12.04,-77.03\r?\nQuito,-0.18,-78.46\r?\n\z/,
		second => qr/^tree,latitude,longitude\r?\nElm,51.5,-0.12\r?\n\z/ },
	json    => { first => qr/Lima.*Quito/s,         second => qr/Elm/ },
	ndjson  => { first => qr/\A[^\n]*Lima[^\n]*\n[^\n]*Quito[^\n]*\n\z/, second => qr/\A[^\n]*Elm[^\n]*\n\z/ },
	geojson => { first => qr/-77\.03,\s*-12\.04.*-78\.46/s, second => qr/-0\.12,\s*51\.5/ },
);
for my $form (sort keys %text)
{
	for my $asked ([ first => '' ], [ first => '?sheet=1' ], [ first => '?sheet=Cities' ], [ second => '?sheet=2' ],
		[ second => '?sheet=Old%20trees' ])
	{
		my ($which, $query) = @$asked;
		my $reply = given($file, $form, $query);
		is($reply->{status}, 200, "$form$query") or diag($reply->{body});
		like($reply->{body}, $text{$form}{$which}, "it has the $which sheet");
		unlike($reply->{body}, $which eq 'first' ? qr/Elm/ : qr/Lima|Quito/, 'it has nothing of the other sheet');
	}
}

# workbooks: all sheets by default; the file of the other type is made from the first one
my %cells = ('Cities' => join('|', map { join ',', @$_ } @cities),
	'Old trees' => join('|', map { join ',', @$_ } @trees));
my $whole = given($file, 'xls', '');
is_deeply(sheets_of('xls', $whole), \%cells, 'xls: all sheets');
my $again = $worker->wait_for_file($uploads->file('again.xls', $whole->{body}, name => 'Again')->{id})->{id};
is_deeply(sheets_of('xlsx', given($again, 'xlsx', '')), \%cells, 'xlsx: all sheets');
for my $made ([ $file, 'xls' ], [ $again, 'xlsx' ])
{
	my ($source, $form) = @$made;
	is_deeply(sheets_of($form, given($source, $form, $_)), { Cities => $cells{Cities} }, "$form$_: only the first sheet")
		for '?sheet=1', '?sheet=Cities';
	is_deeply(sheets_of($form, given($source, $form, $_)), { 'Old trees' => $cells{'Old trees'} },
		"$form$_: only the second sheet") for '?sheet=2', '?sheet=Old%20trees';
}

# sheets that do not exist, in each format; no job is created
my $jobs = $service->sql('SELECT count(*) FROM catalogue.jobs');
for my $form (sort keys %text, 'xls')
{
	is($service->get("/files/$file/download/$form?sheet=$_")->{status}, 404, "$form: no sheet $_") for qw(3 0 Trees);
	is($service->head("/files/$file/download/$form?sheet=9")->{status}, 404, "$form: no sheet for HEAD") if $form eq 'xls';
}
is($service->sql('SELECT count(*) FROM catalogue.jobs'), $jobs, 'no job is created');

# in its own format a workbook is downloaded unchanged, whatever sheet is requested
is($service->get("/files/$file/download/xlsx?sheet=2")->{headers}{etag},
	$service->get("/files/$file/download")->{headers}{etag}, 'the original file');

# the page has tabs, and all that it tells of the rows is of the sheet that is shown
sub page { return $service->get($_[0], Accept => 'text/html')->{body} }
sub tabs { return [ $_[0] =~ m{<li><a rel="nofollow" href="[^"]*sheet=(\d+)"([^>]*)><bdi>([^<]*)</bdi></a></li>}g ] }
my $current = ' aria-current="page"';
is_deeply(tabs(page("/files/$file")), [ 1, $current, 'Cities', 2, '', 'Old trees' ],
	'a workbook has a tab for each sheet');
for my $asked (qw(2 Old%20trees old%20TREES %22Old%20trees%22))
{
	my $page = page("/files/$file/contents?sheet=$asked&tree=Elm");
	is_deeply(tabs($page), [ 1, '', 'Cities', 2, $current, 'Old trees' ], "$asked: its tab is the current one");
	like($page, qr{<section class="columns">.*<bdi>tree</bdi>}s, 'with its columns');
	unlike($page, qr/<bdi>name</, 'and not those of another sheet');
	like($page, qr{/contents\?sheet=\Q$asked\E">All</a>}, 'from which all its rows are reached');
	like($page, qr{/download/csv\?bom=true&amp;sheet=\Q$asked\E"}, 'and the downloads are of it');
}
my $plain = $uploads->file('plain.csv', "a\n1\n", name => 'Plain')->{id};
is_deeply(tabs(page("/files/$plain")), [], 'a text has no tabs');
my $secret = $worker->wait_for_file($uploads->file('hidden.xlsx', zip(workbook(sheets =>
	[ [ @{ sheet('Draft', @trees) }, 'hidden' ], sheet('Cities', @cities) ])), name => 'Hidden')->{id})->{id};
is_deeply(tabs(page("/files/$secret")), [], 'a hidden sheet has no tab');
is_deeply(tabs(page("/files/$secret/contents?sheet=1")), [ 1, $current, 'Draft', 2, '', 'Cities' ],
	'unless it is the one that is shown');

# the sheet that the owner of the file has chosen is meant where none is named; all are there as before
my ($basemap) = $service->sql('SELECT id FROM catalogue.basemaps LIMIT 1');
my $map = $service->post('/maps', { name => 'Of the default sheet', basemap => $basemap, file => $file,
	latitudeKey => 'latitude', longitudeKey => 'longitude' })->{json}{links}{record};
($map) = ($map // '') =~ m{(/maps/\w+)$} or fail('a map is made');
sub choose
{
	my ($sheet) = @_;
	my $reply = $service->patch("/files/$file", { parseOptions => { sheet => $sheet } });
	is($reply->{status}, 200, "the sheet $sheet is chosen") or diag $reply->{body};
	is($worker->wait_for_file($file)->{parseState}, 'ready', 'and the file is read');
	return;
}
for my $asked ('2', 'Old trees', 'old TREES', '"Old trees"')
{
	choose($asked);
	is_deeply([ map { $_->{default} ? $_->{name} : () } @{ $service->get("/files/$file/sheets")->{json}{data} } ],
		['Old trees'], 'it is the default one');
	is($service->get("/files/$file/contents")->{json}{data}[0]{tree}, 'Elm', 'its rows are shown');
	is_deeply([ map { $_->{name} } @{ $service->get("/files/$file/columns")->{json}{data} } ],
		[qw(tree latitude longitude)], 'and its columns');
}
like(given($file, 'csv', '')->{body}, $text{csv}{second}, 'CSV has it');
like(given($file, 'csv', '?sheet=1')->{body}, $text{csv}{first}, 'the others are reached by their number');
is_deeply(sheets_of('xls', given($file, 'xls', '')), \%cells, 'a workbook has all sheets');
is_deeply(tabs(page("/files/$file")), [ 1, '', 'Cities', 2, $current, 'Old trees' ], 'its tab is the current one');
like(page("/files/$file"), qr{<section class="columns">.*<bdi>tree</bdi>}s, 'with its columns');
is($service->get($map)->{json}{data}{correct}, 1, 'a map is made of it');
my $job = $service->post("/files/$file/preview", { parseOptions => { sheet => 'Cities' } })->{json}{links}{job};
($job) = $job =~ m{/jobs/(\w+)$};
$worker->wait_for_job($job, 'done', 'failed');
is($service->get("/jobs/$job/preview")->{json}{data}{sheet}, 'Cities', 'a preview is of the sheet of its options');
choose('No such sheet');
is($service->get("/files/$file/contents")->{json}{data}[0]{name}, 'Lima', 'one that is not there: the first one');
choose('1');
is($service->get($map)->{json}{data}{correct}, 2, 'the map is made of the rows of the first one again');
my $wrong = $service->patch("/files/$file", { parseOptions => { sheet => 2 } });
is($wrong->{status}, 400, 'a number is refused');
like($wrong->{body}, qr/sheet: takes the name of a sheet, or its number as a text/, 'with what it takes');
is($service->patch("/files/$secret", { parseOptions => { sheet => 'Draft' } })->{status}, 200,
	'a hidden sheet is chosen');
$worker->wait_for_file($secret);
is($service->get("/files/$secret/contents")->{json}{data}[0]{tree}, 'Elm', 'its owner may show it');
$service->is_sound;

$worker->finish;
$service->finish;
