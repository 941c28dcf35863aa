#!/usr/bin/perl
# What the catalogue says as RDF conforms to the shapes of DCAT-AP 3: its pages, and each dataset, with values of every
# optional property, a real catalogue and odd ones.  Graphs that break a shape are found.  With config catalogProfile it
# conforms to DCAT-AP 2.1.1 or DCAT-US 3, and data.json to the schema of DCAT-US 1.1.

use strict;
use warnings;
use utf8;

use Catalogue::DcatAp qw(faults faults_of_json faults_of_json_3 shapes);
use Catalogue::Definition;
use Catalogue::Graph qw(graph);
use Catalogue::Test;
use Catalogue::Upload;
use Test::More;

plan skip_all => "there is no $_" for grep { !-e } map { shapes($_) } qw(dcat-ap-3 dcat-ap-2 dcat-us-3);
my $service    = Catalogue::Test->start->as_admin;
my $definition = Catalogue::Definition->new($service);

$definition->create('configs', key => $_->[0], value => $_->[1])
	for [ catalogLicense => 'https://creativecommons.org/licenses/by/4.0/' ], [ catalogLanguage => 'en' ];

# A real catalogue, and a dataset that has everything.
sub import_of
{
	my ($document) = @_;
	return $service->post('/imports',
		{ source => 'rules', document => $document, publish => \1, category => 'transport' })->{json}{data}
}
my $number = 0;
my %distribution = (downloadURL => 'https://a.example/a.csv', format => 'CSV', mediaType => 'text/csv',
	license => 'CC0', issued => '2020-01-02', modified => '2021', byteSize => 5,
	conformsTo => 'https://a.example/standard', rights => 'none');
my $report = import_of({ dataset => [
	{ identifier => 'all', title => 'Everything', description => 'Text', keyword => [ 'a', 'ñ' ],
		theme => [ 'Transport', 'http://publications.europa.eu/resource/authority/data-theme/TRAN', 'https://a.example/t' ],
		publisher => { name => 'Office' }, contactPoint => { fn => 'Desk', hasEmail => 'mailto:desk@a.example' },
			accrualPeriodicity => 'R/P1M', issued => '2020-01-02', modified => '2021-02-03T04:05:06Z',
		spatial => 'Norway', temporal => '2019-01-01/2020-12-31', language => [ 'en', 'es' ],
			license => 'https://creativecommons.org/publicdomain/zero/1.0/', rights => 'public',
			conformsTo => 'https://a.example/standard',
		landingPage => 'https://a.example/', version => '1.2',
			distribution => [ \%distribution, { %distribution, downloadURL => 'https://a.example/b', format => 'odd format',
			mediaType => 'odd', byteSize => 'many', issued => 'once', license => { odd => 1 } } ] },
	map {
		my $odd = $_;
		$number++;
		{ identifier => "odd $number", title => "Odd $number", publisher => { name => 'Office' },
			map { $_ => $odd } qw(description issued modified spatial temporal language license rights conformsTo landingPage
			version contactPoint) }
	}
		'x', '', '2020', '2020-13-45', 'http://a b', 'https://a.example/x', '<>', '2020/2021', '/', '../..', 'mailto:a',
			"\x{202e}", 'x' x 3000,
] });
is($report->{refused}, 0, 'the datasets are made') or diag explain($report);

SKIP: {
	my $file = '../shared/data/catalogo-justicia.json';
	open my $in, '<:raw', $file or skip "there is no $file", 1;
	my $json = do { local $/; <$in> };
	is($service->post('/imports', qq({"source": "real", "document":$json, "publish": true}),
		'Content-Type' => 'application/json')->{json}{data}{created}, 18, 'and a real catalogue');
}

# pages and datasets
sub read_as { my ($path, $type) = @_; return graph($service->get($path, Accept => $type, Authorization => undef)) }
my $whole = read_as('/catalog?limit=1000', 'text/turtle');
my @slugs = ('airports', 'everything',
	map { $_->{slug} } @{ $service->get('/datasets?fields=slug&match=BEGINS&name=odd')->{json}{data} });
my @read  = ([ 'the whole catalogue', $whole ], [ 'a page', read_as('/catalog?limit=2', 'application/rdf+xml') ],
	[ 'an empty page', read_as('/catalog?name=nothing', 'text/turtle') ],
	map { [ "dataset $_", read_as("/datasets/$_", 'application/ld+json') ] } @slugs);
my @faults = faults('dcat-ap-3', map { $_->[1] } @read);
is_deeply($faults[$_], [], "$read[$_][0] conforms") for 0 .. $#read;

# what does not conform
my %prefixes =
	(dcat => 'http://www.w3.org/ns/dcat#', dct => 'http://purl.org/dc/terms/', foaf => 'http://xmlns.com/foaf/0.1/');
sub expanded { my ($name) = @_; return $name =~ s/^(\w+):/$prefixes{$1}/r }
sub nodes
{
	my ($class) = @_;
	return grep {
		my $node = $_;
		grep { $_->[0] eq $node && $_->[1] =~ /#type$/ && $_->[2] eq expanded($class) } @$whole
	} map { $_->[0] } @$whole;
}
my @broken;
for ([ 'dcat:Dataset', 'dct:title' ], [ 'dcat:Dataset', 'dct:description' ], [ 'dcat:Distribution', 'dcat:accessURL' ],
	[ 'foaf:Agent', 'foaf:name' ], [ 'dcat:Catalog', 'dct:publisher' ])
{
	my ($class, $property) = @$_;
	my ($node) = nodes($class);
	push @broken,
		[ $property, qr/MinCount.* \Q$node\E/, [ grep { $_->[0] ne $node || $_->[1] ne expanded($property) } @$whole ] ];
}
for ([ 'dcat:Dataset', 'dct:publisher', 'http://a.example/other', 'uri', qr/MaxCount/ ],
	[ 'dcat:Dataset', 'dcat:contactPoint', 'http://a.example/', 'uri', qr/Class/ ],
	[ 'dcat:Dataset', 'dct:language', 'en', 'literal', qr/NodeKind|Class/ ],
		[ 'dcat:Distribution', 'dcat:byteSize', 'many', 'literal', qr/Datatype|MaxCount/ ])
{
	my ($class, $property, $value, $kind, $constraint) = @$_;
	my ($node) = nodes($class);
	push @broken, [ $property, $constraint, [ @$whole, [ $node, expanded($property), $value, $kind, '', '' ] ] ];
}
@faults = faults('dcat-ap-3', map { $_->[2] } @broken);
for my $i (0 .. $#broken)
{
	my ($property, $constraint) = @{ $broken[$i] };
	like(join("\n", @{ $faults[$i] }), qr/^@{[ $property =~ s{.*:}{}r ]} .*$constraint/m, "$property: $constraint");
}

# The other profiles.  Sizes that are no decimals, names with a language and checksums of SHA-256 would break them, and
# nothing has an address to ask but that of the catalogue.
import_of({ dataset => [ { identifier => 'text', title => 'License as text', license => 'Public domain',
	publisher => { name => 'Office', subOrganizationOf => 'Ministry' }, contactPoint => { fn => 'Desk' }, keyword => ['a'],
	theme => [ 'https://a.example/t', 'https://a.example/t' ], spatial => [ 'Here', '1,2,3,4' ],
	temporal => [ '2019', '2019/2020' ] } ] });
my $uploads = Catalogue::Upload->new($service);
$uploads->file('bytes.csv', "a,b\n1,2\n");
$service->patch("/datasets/$uploads->{dataset}", { status => 'qWRhpRV' });
my $told = $service->get('/data.json')->{json}{dataset};
ok(faults_of_json(@$told) > 0, 'data.json has what DCAT-US 1.1 does not allow');
$definition->create('configs', key => 'catalogEmail', value => 'desk@a.example');
my $config = $definition->create('configs', key => 'catalogProfile', value => 'dcat-us-1.1');
$told = $service->get('/data.json')->{json}{dataset};
is_deeply([ grep { !/^keyword of / } faults_of_json(@$told) ], [], 'dcat-us-1.1: data.json conforms');
my ($text) = grep { $_->{identifier} eq 'text' } @$told;
is($text->{rights}, 'Public domain', 'a license that is a text is in rights');
my %graphs;
for my $profile (qw(dcat-ap-3 dcat-ap-2 dcat-us-3))
{
	is($service->patch("/configs/$config", { value => $profile })->{status}, 200, "$profile is taken");
	$graphs{$profile} = read_as('/catalog?limit=1000', 'text/turtle');
	@faults = faults($profile, $graphs{$profile}, $graphs{'dcat-ap-3'});
	is_deeply($faults[0], [], "$profile: the catalogue conforms");
	ok(@{ $faults[1] } > 0, "$profile: as dcat-ap-3 it does not") if $profile ne 'dcat-ap-3';
}
my $document = $service->get('/data.json')->{json};
is_deeply([ map { faults_of_json_3($_, 'Dataset', $_->{title}) } @{ $document->{dataset} } ], [],
	'dcat-us-3: data.json conforms');
ok(@{ $document->{dataset} } > 10 && $document->{conformsTo}{'@id'} =~ /dcat-us/, 'and says so');
my @before = map { faults_of_json_3({ %$_, '@type' => 'Dataset' }, 'Dataset', 'told') } @$told;
ok(@before > 100, 'data.json of the other profiles does not') or diag "@before";
is($service->patch("/configs/$config", { value => 'dcat-ap-4' })->{status}, 400, 'another profile is refused');

$service->is_sound;
$service->finish;
