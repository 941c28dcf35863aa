package Catalogue::DcatAp;

# The SHACL shapes of profiles of DCAT, DCAT-AP 3.0.0 and 2.1.1 (application profile of the European Commission for data
# portals) and DCAT-US 3, which a validator from npm applies to triples, and the schema of DCAT-US 1.1.

use strict;
use warnings;

use Cpanel::JSON::XS ();
use Exporter   qw(import);
use File::Temp ();

our @EXPORT_OK = qw(faults faults_of_json faults_of_json_3 shapes);

# Files with the shapes of a profile.
my %shapes = ('dcat-ap-3' => ['dcat-ap-3-shapes'], 'dcat-ap-2' => [ 'dcat-ap-2.1.1-shapes', 'dcat-ap-2.1.1-range' ],
	'dcat-us-3' => ['dcat-us-3-shapes']);
sub shapes { my ($profile) = @_; return map { "../shared/data/shapes/$_.ttl" } @{ $shapes{$profile} } }

# What the schema of DCAT-US 1.1, https://project-open-data.cio.gov/v1.1/schema/, asks of members of a dataset.
my $time = qr/\d{4}(?:-\d\d(?:-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?)?)?/;
my $uri  = qr/[a-z]+:\S+/;
my %members = (title => qr/.+/s, description => qr/.+/s, identifier => qr/.+/s, modified => $time, issued => $time,
	accessLevel => qr/public|restricted public|non-public/, license => $uri, rights => qr/.{1,255}/s, spatial => qr/.+/s,
	temporal => qr{$time/$time}, landingPage => $uri, describedBy => $uri, conformsTo => $uri,
	accrualPeriodicity => qr{irregular|R/P[0-9.]*[YMWD]?(?:T\d+[HMS])?});
my @required = qw(title description keyword modified publisher contactPoint identifier accessLevel);

# All that breaks the schema of DCAT-US 1.1 in datasets of a data.json: "member of identifier".
sub faults_of_json
{
	my (@datasets) = @_;
	my @faults;
	for my $dataset (@datasets) {
		my $contact = $dataset->{contactPoint} // {};
		my @broken = grep { !exists $dataset->{$_} } @required;
		push @broken, grep { exists $dataset->{$_} && (ref $dataset->{$_} || $dataset->{$_} !~ /^$members{$_}$/) }
			keys %members;
		push @broken, grep { exists $dataset->{$_} && !@{ $dataset->{$_} } } qw(keyword theme language distribution);
		push @broken, 'hasEmail' if ($contact->{hasEmail} // '') !~ /^mailto:[\w.-]+@[\w.-]+\.[\w.-]+$/;
		push @broken, 'fn' if !length($contact->{fn} // '');
		for (my $agent = $dataset->{publisher}; defined $agent; $agent = $agent->{subOrganizationOf}) {
			push @broken, 'publisher' and last if ref $agent ne 'HASH' || !length($agent->{name} // '');
		}
		for my $file (@{ $dataset->{distribution} // [] }) {
			push @broken, grep { exists $file->{$_} && $file->{$_} !~ /^$uri$/ } qw(downloadURL accessURL describedBy);
			push @broken, 'mediaType' if $file->{downloadURL} && ($file->{mediaType} // '') !~ m{^[-\w]+/[-\w.+]+$};
		}
		push @faults, map { "$_ of $dataset->{identifier}" } @broken;
	}
	@faults = sort @faults;
	return @faults;
}

# What the schema of DCAT-US 3, https://github.com/GSA/dcat-us/, asks of members, by class: a pattern of a text, the
# class of an object, or one of these in a list for each in a list.
my $date = qr/\d{4}(?:-\d\d(?:-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d))?)?)?/;
my %part = (title => qr/.+/s, description => qr/.+/s, issued => $date, modified => $date, license => qr/.+/s,
	rights => [qr/.+/s], describedBy => 'Distribution', conformsTo => ['Standard'], '@id' => $uri);
my %classes = (
	Dataset => { %part, identifier => 'Identifier', otherIdentifier => ['Identifier'], publisher => 'Organization',
		contactPoint => ['Kind'], distribution => ['Distribution'], inSeries => ['DatasetSeries'], keyword => [qr/.+/s],
		landingPage => 'Document', theme => ['Concept'], version => qr/.+/s, accessRights => qr/.+/s,
		accrualPeriodicity => qr{irregular|R/P.+}, language => [qr/[a-z]{2}/], spatial => ['Location'],
		temporal => ['PeriodOfTime'], '' => [qw(title description publisher contactPoint identifier)] },
	Distribution => { %part, accessURL => $uri, downloadURL => $uri, byteSize => qr/\d+/, mediaType => qr/.+/,
		format => qr/.+/s },
	Identifier   => { notation => qr/.+/s },
	Organization => { name => qr/.+/s, subOrganizationOf => ['Organization'], '@id' => $uri, '' => ['name'] },
	Kind => { fn => qr/.+/s, hasEmail => qr/mailto:[^@]+@[\w.-]+\.[\w.-]+/, '' => [qw(fn hasEmail)] },
	Document => { title => qr/.+/s, accessURL => $uri, '@id' => $uri, '' => ['title'] },
	Concept  => { prefLabel => qr/.+/s, '@id' => $uri, '' => ['prefLabel'] },
	Location => { prefLabel => qr/.+/s, bbox => qr/.+/s, centroid => qr/.+/s, geometry => qr/.+/s, '@id' => $uri },
	PeriodOfTime  => { startDate => $date, endDate => $date },
	DatasetSeries => { title => qr/.+/s, description => qr/.+/s, '@id' => $uri, '' => [qw(title description)] },
	Standard      => { title => qr/.+/s, '@id' => $uri },
);

# All that breaks the schema of DCAT-US 3 in an object of a class: places of members.
sub faults_of_json_3
{
	my ($object, $class, $place) = @_;
	return $place if ref $object ne 'HASH' || ($object->{'@type'} // '') ne $class;
	my $members = $classes{$class};
	my @faults  = map { "$place.$_" } grep { !defined $object->{$_} } @{ $members->{''} // [] };
	for my $name (grep { length && defined $object->{$_} } sort keys %$members) {
		my ($asked, $value) = ($members->{$name}, $object->{$name});
		my $listed = ref $asked eq 'ARRAY';
		$value = [$value] if $name eq 'contactPoint' && ref $value eq 'HASH';
		push @faults, "$place.$name" and next if $listed != (ref $value eq 'ARRAY');
		for my $one ($listed ? @$value : $value) {
			my $kind = $listed ? $asked->[0] : $asked;
			push @faults, ref $kind ? "$place.$name" x (ref $one || $one !~ /^$kind$/) || ()
				: faults_of_json_3($one, $kind, "$place.$name");
		}
	}
	return @faults;
}

# A literal or a node in N-Triples.
sub term
{
	my ($value, $kind, $language, $type) = @_;
	return "<$value>" if $kind eq 'uri';
	$value =~ s/([\\"\n\r])/sprintf '\\u%04X', ord $1/ge;
	return qq("$value") . ($language ? "\@$language" : $type ? "^^<$type>" : '');
}

# All that breaks a shape of a profile in each of some graphs, as Catalogue::Graph::graph() has them: lists of "property
# constraint", with the node and the value behind it.
sub faults
{
	my ($profile, @graphs) = @_;
	my @files = map { File::Temp->new } @graphs;

	-e 'build/browser/node_modules/rdf-validate-shacl/package.json'
		or die "rdf-validate-shacl is missing: run \".ci/deps full\"\n";
	for my $i (0 .. $#graphs)
	{
		binmode $files[$i], ':utf8';
		print { $files[$i] } map { "<$_->[0]> <$_->[1]> " . term(@$_[ 2 .. 5 ]) . " .\n" } @{ $graphs[$i] };
		close $files[$i] or die "cannot write: $!\n";
	}
	# modules are looked for beside the script
	system('cp', 'test/http/browser/shacl.mjs', 'build/browser/') == 0 or die "cp: $?\n";
	open my $out, '-|', 'node', 'build/browser/shacl.mjs', join(',', shapes($profile)), map { "$_" } @files
		or die "node: $!\n";
	my $told = do { local $/; <$out> };
	close $out or die "shacl.mjs: exit status " . ($? >> 8) . "\n";
	return map { [ sort map {
		my ($node, $path, $constraint, $value) = @$_;
		($path // '') =~ s{.*[/#]}{}r . " $constraint $node " . ($value // '')
	} @$_ ] } @{ Cpanel::JSON::XS->new->utf8->decode($told) };
}

1;
