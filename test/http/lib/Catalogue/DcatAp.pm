package Catalogue::DcatAp;

# The rules of DCAT-AP 3.0.0 (application profile of the European Commission for data portals) on triples, as its SHACL
# shapes state them: cardinalities, kinds and ranges of the properties of each class, and controlled vocabularies.

use strict;
use warnings;

use Exporter qw(import);

our @EXPORT_OK = qw(faults rules);

my %prefixes = (
	dcat => 'http://www.w3.org/ns/dcat#', dct => 'http://purl.org/dc/terms/', foaf => 'http://xmlns.com/foaf/0.1/',
	skos => 'http://www.w3.org/2004/02/skos/core#', vcard => 'http://www.w3.org/2006/vcard/ns#', xsd => 'http://www.w3.org/2001/XMLSchema#',
	rdf  => 'http://www.w3.org/1999/02/22-rdf-syntax-ns#',
);
my $authority = 'http://publications.europa.eu/resource/authority/';

# Class, property, least, most (undef: any number), and what a value is: literal, date, number, iri (or blank node), or
# the class of a node.  A vocabulary is the beginning of the address of each value.
my @rules = map { { class => $_->[0], property => $_->[1], least => $_->[2], most => $_->[3], range => $_->[4], vocabulary => $_->[5] } } (
	[ 'dcat:Catalog', 'dct:title', 1, undef, 'literal' ],
	[ 'dcat:Catalog', 'dct:description', 1, undef, 'literal' ],
	[ 'dcat:Catalog', 'dct:publisher', 1, 1, 'foaf:Agent' ],
	[ 'dcat:Catalog', 'dcat:dataset', 0, undef, 'iri' ],
	[ 'dcat:Catalog', 'dct:issued', 0, 1, 'date' ],
	[ 'dcat:Catalog', 'dct:modified', 0, 1, 'date' ],
	[ 'dcat:Catalog', 'dct:language', 0, undef, 'dct:LinguisticSystem', "${authority}language/" ],
	[ 'dcat:Catalog', 'dct:license', 0, 1, 'dct:LicenseDocument' ],
	[ 'dcat:Catalog', 'dct:rights', 0, 1, 'dct:RightsStatement' ],
	[ 'dcat:Catalog', 'dct:spatial', 0, undef, 'dct:Location' ],
	[ 'dcat:Catalog', 'dcat:themeTaxonomy', 0, undef, 'skos:ConceptScheme' ],
	[ 'dcat:Catalog', 'foaf:homepage', 0, 1, 'foaf:Document' ],
	[ 'dcat:Dataset', 'dct:title', 1, undef, 'literal' ],
	[ 'dcat:Dataset', 'dct:description', 1, undef, 'literal' ],
	[ 'dcat:Dataset', 'dct:publisher', 0, 1, 'foaf:Agent' ],
	[ 'dcat:Dataset', 'dcat:contactPoint', 0, undef, 'vcard:Kind' ],
	[ 'dcat:Dataset', 'dcat:distribution', 0, undef, 'dcat:Distribution' ],
	[ 'dcat:Dataset', 'dcat:keyword', 0, undef, 'literal' ],
	[ 'dcat:Dataset', 'dcat:theme', 0, undef, 'iri' ],
	[ 'dcat:Dataset', 'dct:identifier', 0, undef, 'literal' ],
	[ 'dcat:Dataset', 'dcat:version', 0, 1, 'literal' ],
	[ 'dcat:Dataset', 'dct:issued', 0, 1, 'date' ],
	[ 'dcat:Dataset', 'dct:modified', 0, 1, 'date' ],
	[ 'dcat:Dataset', 'dcat:landingPage', 0, undef, 'foaf:Document' ],
	[ 'dcat:Dataset', 'dct:accessRights', 0, 1, 'dct:RightsStatement' ],
	[ 'dcat:Dataset', 'dct:accrualPeriodicity', 0, 1, 'dct:Frequency', "${authority}frequency/" ],
	[ 'dcat:Dataset', 'dct:conformsTo', 0, undef, 'dct:Standard' ],
	[ 'dcat:Dataset', 'dct:language', 0, undef, 'dct:LinguisticSystem', "${authority}language/" ],
	[ 'dcat:Dataset', 'dct:spatial', 0, undef, 'dct:Location' ],
	[ 'dcat:Dataset', 'dct:temporal', 0, undef, 'dct:PeriodOfTime' ],
	[ 'dcat:Distribution', 'dcat:accessURL', 1, undef, 'iri' ],
	[ 'dcat:Distribution', 'dcat:downloadURL', 0, undef, 'iri' ],
	[ 'dcat:Distribution', 'dcat:byteSize', 0, 1, 'number' ],
	[ 'dcat:Distribution', 'dct:title', 0, undef, 'literal' ],
	[ 'dcat:Distribution', 'dct:description', 0, undef, 'literal' ],
	[ 'dcat:Distribution', 'dct:format', 0, 1, 'dct:MediaTypeOrExtent' ],
	[ 'dcat:Distribution', 'dct:issued', 0, 1, 'date' ],
	[ 'dcat:Distribution', 'dct:modified', 0, 1, 'date' ],
	[ 'dcat:Distribution', 'dct:license', 0, 1, 'dct:LicenseDocument' ],
	[ 'dcat:Distribution', 'dct:rights', 0, 1, 'dct:RightsStatement' ],
	[ 'dcat:Distribution', 'dct:conformsTo', 0, undef, 'dct:Standard' ],
	[ 'dcat:Distribution', 'dcat:mediaType', 0, 1, 'dct:MediaType', 'https?://www\.iana\.org/assignments/media-types/' ],
	[ 'foaf:Agent', 'foaf:name', 1, undef, 'literal' ],
	[ 'skos:Concept', 'skos:prefLabel', 1, undef, 'literal' ],
	[ 'skos:ConceptScheme', 'dct:title', 1, undef, 'literal' ],
	[ 'dct:PeriodOfTime', 'dcat:startDate', 0, 1, 'date' ],
	[ 'dct:PeriodOfTime', 'dcat:endDate', 0, 1, 'date' ],
);

sub rules { return @rules }

# The address of a name with a prefix.
sub expanded
{
	my ($name) = @_;
	my ($prefix, $rest) = split /:/, $name, 2;
	return $prefixes{$prefix} . $rest;
}

# Is the value of a triple of the range?  types: the types of each node.
sub in_range
{
	my ($triple, $range, $types) = @_;
	my (undef, undef, $value, $kind, undef, $type) = @$triple;

	return $kind eq 'literal' if $range eq 'literal';
	return $kind eq 'literal' && grep { $type eq expanded($_) } qw(xsd:date xsd:dateTime xsd:gYear xsd:gYearMonth) if $range eq 'date';
	return $kind eq 'literal' && $type eq expanded('xsd:nonNegativeInteger') && $value =~ /\A[0-9]+\z/ if $range eq 'number';
	return $kind ne 'literal' if $range eq 'iri';
	return $kind ne 'literal' && $types->{$value}{ expanded($range) };
}

# What breaks a rule: "class property: why", for each node.
sub faults_of
{
	my ($rule, $nodes, $types) = @_;
	my $name = "$rule->{class} $rule->{property}";
	my @faults;

	for my $node (grep { $types->{$_}{ expanded($rule->{class}) } } sort keys %$types)
	{
		my @values = @{ $nodes->{$node}{ expanded($rule->{property}) } // [] };

		push @faults, "$name: missing" if @values < $rule->{least};
		push @faults, "$name: more than $rule->{most}" if defined $rule->{most} && @values > $rule->{most};
		push @faults, map { "$name: no $rule->{range}: $_->[2]" } grep { !in_range($_, $rule->{range}, $types) } @values;
		push @faults, map { "$name: not of the vocabulary: $_->[2]" } grep { $rule->{vocabulary} && $_->[3] eq 'uri' && $_->[2] !~ /\A$rule->{vocabulary}/ } @values;
	}
	return @faults;
}

# All that breaks a rule in a graph, as Catalogue::Graph::graph() has it.
sub faults
{
	my ($graph) = @_;
	my (%nodes, %types);

	for my $triple (@$graph)
	{
		push @{ $nodes{ $triple->[0] }{ $triple->[1] } }, $triple;
		$types{ $triple->[0] }{ $triple->[2] } = 1 if $triple->[1] eq expanded('rdf:type');
	}
	return map { faults_of($_, \%nodes, \%types) } @rules;
}

1;
