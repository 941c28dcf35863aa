#!/usr/bin/perl
# What the catalogue says as RDF follows the rules of DCAT-AP 3: its pages, and each dataset, with values of every
# optional property, a real catalogue and odd ones.  Each rule is shown to be one by a graph that breaks it.

use strict;
use warnings;
use utf8;

use Catalogue::DcatAp qw(faults rules);
use Catalogue::Definition;
use Catalogue::Graph qw(graph);
use Catalogue::Test;
use Test::More;

my $service    = Catalogue::Test->start->as_admin;
my $definition = Catalogue::Definition->new($service);

$definition->create('configs', key => $_->[0], value => $_->[1]) for [ catalogLicense => 'https://creativecommons.org/licenses/by/4.0/' ], [ catalogLanguage => 'en' ];

# A real catalogue, and a dataset that has everything.
sub import_of { my ($document) = @_; return $service->post('/imports', { source => 'rules', document => $document, publish => \1, category => 'transport' })->{json}{data} }
my $number = 0;
my %distribution = (downloadURL => 'https://a.example/a.csv', format => 'CSV', mediaType => 'text/csv', license => 'CC0', issued => '2020-01-02', modified => '2021', byteSize => 5, conformsTo => 'https://a.example/standard', rights => 'none');
my $report = import_of({ dataset => [
	{ identifier => 'all', title => 'Everything', description => 'Text', keyword => [ 'a', 'ñ' ], theme => [ 'Transport', 'http://publications.europa.eu/resource/authority/data-theme/TRAN' ],
		publisher => { name => 'Office' }, contactPoint => { fn => 'Desk', hasEmail => 'mailto:desk@a.example' }, accrualPeriodicity => 'R/P1M', issued => '2020-01-02', modified => '2021-02-03T04:05:06Z',
		spatial => 'Norway', temporal => '2019-01-01/2020-12-31', language => [ 'en', 'es' ], license => 'https://creativecommons.org/publicdomain/zero/1.0/', rights => 'public', conformsTo => 'https://a.example/standard',
		landingPage => 'https://a.example/', version => '1.2', distribution => [ \%distribution, { %distribution, downloadURL => 'https://a.example/b', format => 'odd format', mediaType => 'odd', byteSize => 'many', issued => 'once', license => { odd => 1 } } ] },
	map { my $odd = $_; $number++; { identifier => "odd $number", title => "Odd $number", publisher => { name => 'Office' }, map { $_ => $odd } qw(description issued modified spatial temporal language license rights conformsTo landingPage version contactPoint) } }
		'x', '', '2020', '2020-13-45', 'http://a b', 'https://a.example/x', '<>', '2020/2021', '/', '../..', 'mailto:a', "\x{202e}", 'x' x 3000,
] });
is($report->{refused}, 0, 'the datasets are made') or diag explain($report);

SKIP: {
	my $file = '../shared/data/catalogo-justicia.json';
	open my $in, '<:raw', $file or skip "there is no $file", 1;
	my $json = do { local $/; <$in> };
	is($service->post('/imports', qq({"source": "real", "document":$json, "publish": true}), 'Content-Type' => 'application/json')->{json}{data}{created}, 18, 'and a real catalogue');
}

# pages and datasets
my $whole = graph($service->get('/catalog?limit=1000', Accept => 'text/turtle', Authorization => undef));
is_deeply([ faults($whole) ], [], 'the whole catalogue follows the rules');
is_deeply([ faults(graph($service->get('/catalog?limit=2', Accept => 'application/rdf+xml', Authorization => undef))) ], [], 'so does a page');
is_deeply([ faults(graph($service->get('/catalog?name=nothing', Accept => 'text/turtle', Authorization => undef))) ], [], 'and an empty one');
is_deeply([ faults(graph($service->get("/datasets/$_", Accept => 'application/ld+json', Authorization => undef))) ], [], "dataset $_") for qw(airports everything), map { $_->{slug} } @{ $service->get('/datasets?fields=slug&match=BEGINS&name=odd')->{json}{data} };

# each rule is one that the graph could break: it has the property, and breaking it is found
for my $rule (rules())
{
	my ($class, $property) = map { Catalogue::DcatAp::expanded($_) } @$rule{qw(class property)};
	my %of_class = map { $_->[0] => 1 } grep { $_->[1] =~ /#type$/ && $_->[2] eq $class } @$whole;
	my ($found) = grep { $_->[1] eq $property && $of_class{ $_->[0] } } @$whole;
	my $name = "$rule->{class} $rule->{property}";
	my $node = $found ? $found->[0] : (sort keys %of_class)[0];
	my @others = grep { $_->[0] ne $node || $_->[1] ne $property } @$whole;
	my $value = [ $node, $property, 'http://a.example/untyped', 'uri', '', '' ];
	my $literal = [ $node, $property, 'text', 'literal', '', '' ];

	ok($node, "$name: there is such a node") or next;
	like(join("\n", faults(\@others)), qr/^\Q$name: missing\E$/m, "$name: at least $rule->{least}") if $rule->{least};
	like(join("\n", faults([ @$whole, [ @$value[ 0, 1 ], 'http://a.example/' . $number++, 'uri', '', '' ], $value ])), qr/^\Q$name: more than $rule->{most}\E$/m, "$name: at most $rule->{most}") if defined $rule->{most};
	like(join("\n", faults([ @others, $rule->{range} eq 'literal' ? $value : $literal ])), qr/^\Q$name: no $rule->{range}: \E/m, "$name: is $rule->{range}");
	like(join("\n", faults([ @others, $value ])), qr/^\Q$name: no $rule->{range}: \E/m, "$name: of the class $rule->{range}") if $rule->{range} =~ /:/;
	like(join("\n", faults([ @others, $value ])), qr/^\Q$name: not of the vocabulary\E/m, "$name: of the vocabulary") if $rule->{vocabulary};
}

$service->is_sound;
$service->finish;
