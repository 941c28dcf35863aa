#!/usr/bin/perl
# RDF has no order: a catalogue whose triples come in another order, whose blank nodes have other names, in N-Triples,
# Turtle and RDF/XML, changes nothing and deletes nothing.  HARVEST_SEED chooses the orders.

use strict;
use warnings;
use utf8;

use Catalogue::RemoteService;
use Catalogue::Test;
use List::Util qw(shuffle);
use Test::More;

my $service = Catalogue::Test->start(Catalogue::RemoteService::settings(), CATALOGUE_FETCH_TIMEOUT => '60s',
	CATALOGUE_FETCH_LIMIT => 1_000_000)->as_admin;
my $remote = Catalogue::RemoteService->start($service);
my $seed   = $ENV{HARVEST_SEED} // 1;
my %of     = (dcat => 'http://www.w3.org/ns/dcat#', dct => 'http://purl.org/dc/terms/',
	foaf => 'http://xmlns.com/foaf/0.1/',
	vcard => 'http://www.w3.org/2006/vcard/ns#', skos => 'http://www.w3.org/2004/02/skos/core#',
	adms  => 'http://www.w3.org/ns/adms#', schema => 'http://schema.org/', x => 'http://far.example/',
	rdf   => 'http://www.w3.org/1999/02/22-rdf-syntax-ns#');

# Triples: subject, predicate, and an object, which is an IRI, a blank node or a text with a language.
my @triples = map { [ split / /, $_, 3 ] } grep { /\S/ } split /\n/, <<~'E';
	x:roads rdf:type dcat:Dataset
	x:roads dct:identifier "B"
	x:roads dct:identifier "A"
	x:roads adms:identifier _:other
	_:other skos:notation "doi:10/1"
	x:roads dct:title "Roads"@en
	x:roads dct:title "Caminos"@es
	x:roads dct:title "Wege"@de
	x:roads schema:title "Another title"
	x:roads dct:description "All roads"@en
	x:roads dct:description "Todos los caminos"@es
	x:roads dcat:keyword "road"@en
	x:roads dcat:keyword "camino"@es
	x:roads dcat:keyword "road"@de
	x:roads dcat:theme x:transport
	x:roads dcat:theme x:water
	x:transport skos:prefLabel "Transport"@en
	x:transport skos:prefLabel "Transporte"@es
	x:water skos:prefLabel "Water"@en
	x:water skos:prefLabel "Agua"@es
	x:roads dct:publisher _:office
	x:roads dct:publisher _:ministry
	_:office foaf:name "Office"
	_:office foaf:mbox x:office
	_:ministry foaf:name "Ministry"@en
	_:ministry foaf:name "Ministerio"@es
	x:roads dcat:contactPoint _:desk
	x:roads dcat:contactPoint _:bureau
	_:desk vcard:fn "Desk"
	_:desk vcard:hasAddress _:street
	_:street vcard:locality "Here"
	_:bureau vcard:fn "Desk"
	_:bureau vcard:hasAddress _:avenue
	_:avenue vcard:locality "There"
	x:roads dcat:landingPage x:page2
	x:roads dcat:landingPage x:page1
	x:roads dct:spatial _:town
	x:roads dct:spatial _:country
	_:town skos:prefLabel "Town"
	_:country skos:prefLabel "Country"
	x:roads dct:language x:es
	x:roads dct:language x:en
	x:roads dct:relation _:nothing
	x:roads dcat:distribution _:csv
	x:roads dcat:distribution _:json
	x:roads dcat:distribution x:page
	_:csv rdf:type dcat:Distribution
	_:csv dcat:downloadURL x:roads.csv
	_:csv dct:title "Rows"@en
	_:csv dct:title "Filas"@es
	_:csv dct:description "In CSV"@en
	_:csv dct:description "En CSV"@es
	_:csv dct:rights _:right
	_:right skos:prefLabel "Right"
	_:json rdf:type dcat:Distribution
	_:json dcat:downloadURL x:roads.json
	_:json dct:title "Rows"@en
	_:json dct:title "Filas"@es
	x:page dcat:accessURL x:page
	x:page dcat:accessURL x:page-too
	x:rivers rdf:type dcat:Dataset
	x:rivers dct:title "Rivers"@en
	x:rivers dct:title "Ríos"@es
	x:rivers dcat:keyword "river"
	x:rivers dcat:theme x:water
	x:rivers dct:publisher _:office
	E

sub iri     { my ($name) = @_; return $name =~ s/^(\w+):/$of{$1}/r }
sub triples { my ($blank) = @_; return map { [ map { s/^_:(\w+)/_:$blank->{$1}/r } @$_ ] } @triples }

# The same triples in a form.
my %write = (
	'application/n-triples' => sub {
		join '', map { join(' ', map { /^"|^_:/ ? $_ : '<' . iri($_) . '>' } @$_) . " .\n" } @_;
	},
	'text/turtle' => sub {
		join('', map { "\@prefix $_: <$of{$_}> .\n" } sort keys %of)
			. join('', map { join(' ', map { s{^(x:\S*[.-]\S*)$}{'<' . iri($1) . '>'}er } @$_) . " .\n" } @_);
	},
	'application/rdf+xml' => sub {
		'<rdf:RDF' . join('', map { " xmlns:$_=\"$of{$_}\"" } sort keys %of) . '>' . join('', map {
			my ($subject, $predicate, $object) = @$_;
			my $about = $subject =~ /^_:(.*)/ ? "rdf:nodeID=\"$1\"" : 'rdf:about="' . iri($subject) . '"';
			my $value =
				$object =~ /^"(.*)"\@(\w+)$/ ? " xml:lang=\"$2\">$1</$predicate>"
				: $object =~ /^"(.*)"$/ ? ">$1</$predicate>"
				: $object =~ /^_:(.*)/ ? " rdf:nodeID=\"$1\"/>" : ' rdf:resource="' . iri($object) . '"/>';
			"<rdf:Description $about><$predicate$value</rdf:Description>\n";
		} @_) . '</rdf:RDF>';
	});

# Import a catalogue, and return its report.
sub report_of
{
	my ($type, @order) = @_;
	my $body = $write{$type}->(@order);
	utf8::encode($body);
	$remote->set('catalog', body => $body, headers => { 'Content-Type' => $type });
	my $reply = $service->post('/imports',
		{ url => $remote->{remote}->url('/catalog'), source => 'order', gone => 'delete', publish => \1 });
	my $path = ($reply->{json}{links}{job} // die "no job: $reply->{body}\n") =~ s{^https?://[^/]*}{}r;
	my $job = $remote->{worker}->wait_for('the job', sub {
		my $job = $service->get($path)->{json}{data};
		($job->{state} eq 'done' || $job->{reason}) && $job
	});
	return $service->get("/imports/$job->{id}")->{json}{data}{report};
}

# All that the imports have made, with its ids and instants.
sub records
{
	return $service->sql(<<~'SQL');
		SELECT to_jsonb(d) || jsonb_build_object('optionals', d.optionals::text), (SELECT string_agg(to_jsonb(f)::text
				|| f.optionals::text, E'\n' ORDER BY f.id)
			FROM catalogue.files f WHERE f.dataset = d.id), i.id, i.files, i.digest,
			(SELECT array_agg(k.key ORDER BY k.key) FROM catalogue.imported_key k WHERE (k.source, k.id) = (i.source, i.id))
		FROM catalogue.datasets d JOIN catalogue.imported i ON i.record = d.id ORDER BY d.id
		SQL
}

my %names = map { /^_:(\w+)/ ? ($1 => $1) : () } map { @$_ } @triples;
my $first = report_of('application/n-triples', triples(\%names));
is($first->{created}, 2, 'a catalogue') or diag explain($first);
my $records = records();
is($service->sql(q(SELECT count(*) FROM catalogue.files f JOIN catalogue.imported i ON i.record = f.dataset)), 3,
	'with files');
like($records, qr/"http:..far.example.roads","doi:10.1"|\{b,doi:10/, 'and all keys') or diag $records;

my @types = sort keys %write;
for my $run (1 .. 10)
{
	srand $seed * 1000 + $run;
	my @labels = shuffle(map { "n$_" } 1 .. keys %names);
	my %other  = map { $_ => shift @labels } sort keys %names;
	my $type   = $types[ $run % @types ];
	my $report = report_of($type, shuffle(triples(\%other)));
	is("$report->{unchanged} $report->{gone}", '2 0', "order $run of seed $seed, as $type, is nothing new")
		or diag explain($report);
	is(records(), $records, 'and nothing has changed');
}

# a change is still one
push @triples, [ 'x:roads', 'dcat:keyword', '"street"' ];
is(report_of('text/turtle', shuffle(triples(\%names)))->{updated}, 1, 'a triple more is a change');

$service->is_sound;
$remote->stop;
$service->finish;
