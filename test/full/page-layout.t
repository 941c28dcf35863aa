#!/usr/bin/perl
# Views of visitors in a real browser, on a phone, a small and a usual screen: nothing moves while a view is loaded,
# nothing is wider than the screen, tables are in their frames, and texts in pictures can be read.  In each language no
# text that is not of records is English, with what scripts add.

use strict;
use warnings;

use Test::More;
use Catalogue::Browser;
use Catalogue::Test;
use Catalogue::Upload;
use Catalogue::Words;
use Catalogue::Worker;

my $service = Catalogue::Test->start->as_admin;
my $uploads = Catalogue::Upload->new($service);
my $worker  = Catalogue::Worker->start($service);
my %shown   = (status => 'qWRhpRV', visible => 'true');

sub made
{
	my ($resource, %fields) = @_;
	my $reply = $service->post("/$resource", \%fields, Prefer => 'return=representation');
	is($reply->{status}, 201, "$resource: made") or diag($reply->{body});
	return $reply->{json}{data}{id};
}

my ($owner) = $service->sql(q(SELECT id FROM catalogue.users WHERE username = 'admin'));
my $class   = made('categories', name => 'Trees', color => '004080');
my $dataset = made('datasets', name => 'Trees of the city', description => 'All of them, ' x 20, categories => [$class],
	owner => $owner, notes => "One line\nand another", status => 'qWRhpRV');
made('datasets', name => "Trees of the quarter $_", categories => [$class], owner => $owner,
	status => 'qWRhpRV') for 1 .. 8;
my @kinds = map { "Jacarandá of the avenue number $_" } 1 .. 30;
my $rows  = join '', "kind,height,latitude,longitude,note\n", map {
	join(',', $kinds[ $_ % @kinds ], $_ % 17, -32.9 - $_ % 23 / 100, -60.6 - $_ % 19 / 100,
		qq("a long\nnote ) . 'a long note ' x 9 . qq("\n))
} 1 .. 400;
my $file = $uploads->file('trees.csv', $rows, name => 'List of trees', dataset => $dataset, %shown)->{id};
is($worker->wait_for_file($file)->{parseState}, 'ready', 'the file is read');
my %fields = (file => $file, status => 'qWRhpRV');
my $tall   = made('charts', %fields, name => 'Trees by kind', type => 'bar', dataSeries => ['kind']);
my $low    = made('charts', %fields, name => 'Trees by height', type => 'pie', dataSeries => ['height']);
my $map    = made('maps', %fields, name => 'Map of trees', latitudeKey => 'latitude', longitudeKey => 'longitude',
	properties => [ 'kind', 'height' ], basemap => $service->get('/basemaps?limit=1')->{json}{data}[0]{id});

my @languages = Catalogue::Words::languages();
my $told      = Catalogue::Browser::run($service, 'layout.js',
	languages   => \@languages,
	screenshots => $ENV{SCREENSHOTS}, # a directory to look at them
	views => {
		start       => '/',
		list        => '/datasets',
		dataset     => "/datasets/$dataset",
		file        => "/files/$file",
		rows        => "/files/$file/contents",
		groups      => "/files/$file/contents?groupBy=kind&aggregate=count",
		numbers     => "/files/$file/contents?groupBy=height&aggregate=count",
		chart       => "/charts/$low",
		'long list' => "/charts/$tall",
		map         => "/maps/$map",
		framed      => "/charts/$tall?embed=true",
	});
my %seen = map { @$_ } @{ $told->{steps} };

is_deeply($told->{faults}, [], 'the browser complains of nothing');
my ($looked, $read) = map {
	my $kind = $_;
	[ grep { ref $seen{$_} eq $kind } sort keys %seen ]
} qw(HASH ARRAY);
is(@$looked, 33, 'all views are looked at');
is(@$read, 11 * @languages, 'and read in all languages');
is_deeply([ Catalogue::Words::english('es', 'Buscar', ' · Search: ') ], ['Search'], 'English is noticed');
for my $view (@$read)
{
	my ($language) = $view =~ /(\S+)$/;
	cmp_ok(scalar @{ $seen{$view} }, '>', 5, "$view: has texts") unless $view =~ /framed/;
	# but the licence of a dataset of the seeds
	my @english = grep { $_ ne 'Public domain' } Catalogue::Words::english($language, @{ $seen{$view} });
	is_deeply(\@english, [], "$view: none of them is English");
}
for my $view (@$looked)
{
	my $is = $seen{$view};
	cmp_ok($is->{shift}, '<', 0.02, "$view: nothing moves");
	is($is->{wide},    0, "$view: it is not wider than the screen");
	is($is->{outside}, 0, "$view: tables are in their frames");
	is($is->{cut}, 0, "$view: pictures and lists of files are whole") if $view !~ / 390$/;
	is($is->{joined}, 0, "$view: lines of a text stay");
	cmp_ok($is->{smallest}, '>=', 11, "$view: texts in pictures can be read") if defined $is->{smallest};
}
is_deeply([ grep { $seen{"$_ 1280"}{lines} > 0 } qw(dataset file rows) ], [qw(dataset file rows)],
	'records and rows have texts of several lines');
is(scalar(grep { defined $seen{$_}{smallest} } @$looked), 24, 'pictures are seen in eight views');

$worker->finish;
$service->finish;
