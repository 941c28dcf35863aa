package Bench::Import;

# The job that measures the import of a large catalogue, and how fast another one can harvest it.  See Reads.pm for what
# a job is.

use strict;
use warnings;

use Time::HiRes qw(time);

my $ENTRIES = 50_000;
my $PAGES   = 20;

sub jobs
{
	return ({ name => 'import', title => "Import of a data.json with $ENTRIES datasets, then once more; pages of /catalog "
		. "with them", prepare => \&import_twice });
}

# A document of datasets with three keywords, a theme, a publisher and one distribution each.
sub make_document
{
	my ($service) = @_;
	$service->sql(<<"END");
CREATE TABLE public.document AS
SELECT json_build_object('dataset',
    json_agg(json_build_object('identifier', 'id-' || n, 'title', 'Imported dataset ' || n,
    'description', repeat('A description of it. ', 8), 'theme', ARRAY['theme ' || n % 20],
    'keyword', ARRAY['word ' || n % 500, 'word ' || n % 77, 'other word ' || n % 9],
    'publisher', json_build_object('name', 'Office ' || n % 50), 'accrualPeriodicity', 'R/P1M', 'license', 'CC0',
    'distribution', json_build_array(json_build_object('title', 'Rows ' || n, 'format', 'CSV',
        'downloadURL', 'https://data.example/' || n || '.csv'))))) AS document
FROM generate_series(1, $ENTRIES) n
END
	return;
}

# Import the document; the seconds that it took.
sub seconds_of
{
	my ($service, $outcome) = @_;
	my $begin = time;
	my ($count) = $service->sql(<<"END");
SELECT catalogue.import_dcat(document, 'bench', '{"publish": true}',
    (SELECT jsonb_build_object('user', id) FROM catalogue.users WHERE username = 'admin')) ->> '$outcome'
FROM public.document
END

	die "$count of $ENTRIES entries were $outcome\n" if $count != $ENTRIES;
	return time - $begin;
}

# Read pages of 1,000 datasets, one after the other by their links, newest first; the datasets a second.
sub harvested
{
	my ($service, $type, $next) = @_;
	my $client = $service->client(Accept => $type);
	my $target = '/catalog?limit=1000&orderBy=createdAt&sort=desc';
	my $begin  = time;

	for my $page (1 .. $PAGES)
	{
		my $answer = $client->request('GET', $target);
		die "page $page: $answer->{status}\n" if $answer->{status} != 200 || $answer->{body} !~ $next;
		$target = $client->target($1 =~ s/&amp;/&/gr);
	}
	return $PAGES * 1000 / (time - $begin);
}

sub import_twice
{
	my ($service) = @_;
	make_document($service);
	my $first = seconds_of($service, 'created');
	my $again = seconds_of($service, 'unchanged');
	# as autovacuum does it
	$service->sql(q(VACUUM ANALYZE));
	my @rates = (harvested($service, 'text/turtle', qr/hydra:next <([^>]+)>/),
		harvested($service, 'application/rdf+xml', qr/hydra:next rdf:resource="([^"]+)"/),
		harvested($service, 'application/ld+json', qr/"hydra:next":\{"\@id":"([^"]+)"/));
	my @findings = split /\n/, $service->sql('SELECT * FROM catalogue.check_all()');

	die "the catalogue is inconsistent: $findings[0]\n" if @findings;
	$service->sql('DROP TABLE public.document');
	return {
		rounds     => 1,
		contenders => [],
		notes      => sub { 'each with a file, three tags, a category and an organization' },
		verdicts   => [
			{ text => 'datasets a second', least => 1500, value => sub { $ENTRIES / $first } },
			{ text => 'unchanged datasets a second', least => 10_000, value => sub { $ENTRIES / $again } },
			map {
				my ($form, $rate) = @$_;
				{ text => "datasets a second of /catalog as $form", least => 3000, value => sub { $rate } }
			} [ Turtle => $rates[0] ], [ 'RDF/XML' => $rates[1] ], [ 'JSON-LD' => $rates[2] ],
		],
	};
}

1;
