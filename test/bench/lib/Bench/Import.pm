package Bench::Import;

# The job that measures the import of a large catalogue.  See Reads.pm for what a job is.

use strict;
use warnings;

use Time::HiRes qw(time);

my $ENTRIES = 50_000;

sub jobs
{
	return ({ name => 'import', title => "Import of a data.json with $ENTRIES datasets, then once more", prepare => \&import_twice });
}

# A document of datasets with three keywords, a theme, a publisher and one distribution each.
sub make_document
{
	my ($service) = @_;
	$service->sql(<<"END");
CREATE TABLE public.document AS
SELECT json_build_object('dataset', json_agg(json_build_object('identifier', 'id-' || n, 'title', 'Imported dataset ' || n,
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
SELECT catalogue.import_dcat(document, 'bench', '{}',
    (SELECT jsonb_build_object('user', id) FROM catalogue.users WHERE username = 'admin')) ->> '$outcome'
FROM public.document
END

	die "$count of $ENTRIES entries were $outcome\n" if $count != $ENTRIES;
	return time - $begin;
}

sub import_twice
{
	my ($service) = @_;
	make_document($service);
	my $first = seconds_of($service, 'created');
	my $again = seconds_of($service, 'unchanged');
	my @findings = split /\n/, $service->sql('SELECT * FROM catalogue.check_all()');

	die "the catalogue is inconsistent: $findings[0]\n" if @findings;
	$service->sql('DROP TABLE public.document');
	return {
		rounds     => 1,
		contenders => [],
		notes      => sub { 'each with a file, three tags, a category and an organization' },
		verdicts   => [
			{ text => 'datasets a second', least => 1000, value => sub { $ENTRIES / $first } },
			{ text => 'unchanged datasets a second', least => 10_000, value => sub { $ENTRIES / $again } },
		],
	};
}

1;
