package Demo::Source;

# A DCAT catalogue (data.json) as records of the API.
#
# What the API has no field for goes into `optionals` under its DCAT name, so nothing is dropped.
# References are the names of the records that they mean: a Demo::Loader makes ids of them.

use strict;
use warnings;

use JSON::PP ();

# accrualPeriodicity, ISO 8601 repeating intervals => [name, cron pattern, other names].
my %frequencies = (
	'R/PT1H'    => ['Hourly',              '0 * * * *'],
	'R/P1D'     => ['Daily',               '0 0 * * *'],
	'R/P0.33W'  => ['Three times a week',  '0 0 * * 1,3,5'],
	'R/P3.5D'   => ['Twice a week',        '0 0 * * 1,4'],
	'R/P1W'     => ['Weekly',              '0 0 * * 1'],
	'R/P0.33M'  => ['Three times a month', '0 0 1,11,21 * *'],
	'R/P0.5M'   => ['Twice a month',       '0 0 1,15 * *'],
	'R/P2W'     => ['Every two weeks',     '0 0 1,15 * *'],
	'R/P1M'     => ['Monthly',             '0 0 1 * *'],
	'R/P2M'     => ['Every two months',    '0 0 1 */2 *'],
	'R/P3M'     => ['Quarterly',           '0 0 1 */3 *'],
	'R/P4M'     => ['Three times a year',  '0 0 1 */4 *'],
	'R/P6M'     => ['Twice a year',        '0 0 1 */6 *'],
	'R/P1Y'     => ['Yearly',              '0 0 1 1 *'],
	'eventual'  => ['Irregular',           undef],
	'irregular' => ['Irregular',           undef],
);

# Formats that a new catalogue has no file type for.
my %mimetypes = (
	geojson => 'application/geo+json',
	kml     => 'application/vnd.google-earth.kml+xml',
	ods     => 'application/vnd.oasis.opendocument.spreadsheet',
	rdf     => 'application/rdf+xml',
	txt     => 'text/plain',
	wms     => 'application/vnd.ogc.wms_xml',
);

my @colors = qw(1F77B4 FF7F0E 2CA02C D62728 9467BD 8C564B E377C2 7F7F7F BCBD22 17BECF);

# Members that have fields of their own; all others are optionals.
my @dataset_fields = qw(title description theme keyword accrualPeriodicity distribution);
my @file_fields    = qw(title description downloadURL format);

sub read_file
{
	my ($class, $file) = @_;
	open my $in, '<:raw', $file or die "cannot read $file: $!\n";
	my $text = do { local $/; <$in> };
	my $catalogue = eval { JSON::PP->new->utf8->decode($text) }
		// die "$file is no JSON: " . ($@ =~ s/ at \S+ line \d+.*//sr) . "\n";

	die "$file is no DCAT catalogue: it has no list \"dataset\"\n"
		unless ref $catalogue eq 'HASH' && ref $catalogue->{dataset} eq 'ARRAY';
	my $self = bless { catalogue => $catalogue, records => {}, notes => [] }, $class;
	$self->read_themes;
	$self->read_dataset($_) for @{ $catalogue->{dataset} };
	return $self;
}

# The records of a resource, in the order of the file.
sub records
{
	my ($self, $resource) = @_;
	return @{ $self->{records}{$resource} // [] };
}

# What was read otherwise than it is written.
sub notes
{
	my ($self) = @_;
	return @{ $self->{notes} };
}

# Add a record unless there is one of this name; gives the name.
sub add
{
	my ($self, $resource, %record) = @_;

	push @{ $self->{records}{$resource} }, \%record unless $self->{known}{$resource}{ $record{name} }++;
	return $record{name};
}

sub read_themes
{
	my ($self) = @_;
	for my $theme (@{ $self->{catalogue}{themeTaxonomy} // [] })
	{
		my $name = $theme->{label} // $theme->{id};
		$self->{themes}{ $theme->{id} // $name } = $name;
		$self->add_category($name, $theme->{description});
	}
	return;
}

sub add_category
{
	my ($self, $name, $description) = @_;
	my $count = $self->records('categories');

	return $self->add('categories', name => $name, description => $description,
		color => $colors[$count % @colors], active => JSON::PP::true);
}

# The categories of a dataset, at least one.
sub categories_of
{
	my ($self, $dataset) = @_;
	my @themes = as_list($dataset->{theme});

	unless (@themes)
	{
		push @{ $self->{notes} }, "dataset \"$dataset->{title}\" has no theme: category \"Other\"";
		return $self->add_category('Other');
	}
	return map { $self->{themes}{$_} //= $self->add_category($_) } @themes;
}

sub organization_of
{
	my ($self, $dataset) = @_;
	my $name = $dataset->{publisher}{name} // $self->{catalogue}{publisher}{name} // 'Unknown publisher';

	return $self->add('organizations', name => $name, active => JSON::PP::true);
}

sub frequency_of
{
	my ($self, $dataset) = @_;
	my $code = $dataset->{accrualPeriodicity} // 'irregular';
	my $known = $frequencies{$code};

	push @{ $self->{notes} }, "update frequency \"$code\" is not known: taken as a name" unless $known;
	return $self->add('updatefrequencies', name => $known ? $known->[0] : $code,
		$known && $known->[1] ? (timePattern => $known->[1]) : ());
}

sub type_of
{
	my ($self, $distribution) = @_;
	my ($extension) = ($distribution->{downloadURL} // '') =~ m{\.([A-Za-z0-9]{1,10})(?:[?#].*)?$};
	my $name     = lc($distribution->{format} // $extension // 'unknown') =~ s{^.*[/.]}{}r;
	my $mimetype = $distribution->{mediaType} // $mimetypes{$name};

	return $self->add('filetypes', name => $name, $mimetype ? (mimetype => [$mimetype]) : ());
}

sub read_dataset
{
	my ($self, $dataset) = @_;
	my @tags  = map { $self->add('tags', name => $_) } as_list($dataset->{keyword});
	my @names = $self->categories_of($dataset);
	my %of_files = (
		organization    => $self->organization_of($dataset),
		updateFrequency => $self->frequency_of($dataset),
	);

	push @{ $self->{records}{datasets} }, {
		name        => $dataset->{title},
		description => $dataset->{description},
		visible     => JSON::PP::true,
		categories  => \@names,
		tags        => \@tags,
		optionals   => others($dataset, @dataset_fields),
		files       => [ map { $self->read_distribution($_, %of_files) } as_list($dataset->{distribution}) ],
	};
	return;
}

sub read_distribution
{
	my ($self, $distribution, %of_files) = @_;
	my $url = $distribution->{downloadURL} // $distribution->{accessURL};

	return {
		name        => $distribution->{title} // $url,
		description => $distribution->{description},
		url         => $url,
		visible     => JSON::PP::true,
		type        => $self->type_of($distribution),
		optionals   => others($distribution, @file_fields),
		%of_files,
	};
}

# A list, whether it is written as one, as a single value, or not at all.
sub as_list
{
	my ($value) = @_;
	return ref $value eq 'ARRAY' ? @$value : defined $value ? ($value) : ();
}

sub others
{
	my ($members, @taken) = @_;
	my %others = %$members;

	delete @others{@taken};
	return \%others;
}

1;
