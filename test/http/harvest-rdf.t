#!/usr/bin/perl
# Catalogues in Turtle, N-Triples and RDF/XML: they give the same records as JSON-LD, whatever their media type says,
# with pages of Hydra and references between nodes.  Documents that are invalid, attack the reader or are too large end
# in a reason, load nothing and change nothing.

use strict;
use warnings;
use utf8;

use Catalogue::Parser ();
use Catalogue::Remote;
use Catalogue::RemoteService;
use Catalogue::Test;
use Cpanel::JSON::XS ();
use Test::More;

my $service = Catalogue::Test->start(Catalogue::RemoteService::settings(), CATALOGUE_FETCH_TIMEOUT => '60s',
	CATALOGUE_FETCH_LIMIT => 120_000_000)->as_admin;
my $remote  = Catalogue::RemoteService->start($service);
my $category = $service->sql('SELECT id FROM catalogue.categories WHERE deleted_at IS NULL ORDER BY id LIMIT 1');
my %media    = (jsonld => 'application/ld+json', turtle => 'text/turtle', rdfxml => 'application/rdf+xml',
	ntriples => 'application/n-triples');

# Let an address answer, import it, and give its job when it has ended, or is tried again later.
sub job_at
{
	my ($url, %options) = @_;
	my $reply = $service->post('/imports', { url => $url, source => 'rdf', category => $category, %options });
	my $path = ($reply->{json}{links}{job} // die "no job: $reply->{body}\n") =~ s{^https?://[^/]*}{}r;
	return $remote->{worker}->wait_for('the job', sub {
		my $job = $service->get($path)->{json}{data};
		($job->{state} eq 'done' || $job->{reason}) && $job
	});
}

sub answer
{
	my ($name, $type, $body) = @_;
	utf8::encode($body) if utf8::is_utf8($body) && $type !~ /json/;
	$remote->set($name, body => $body, headers => { 'Content-Type' => $type });
	return;
}

sub job_of
{
	my ($type, $body, %options) = @_;
	answer('catalog', $type, $body);
	return job_at($remote->{remote}->url('/catalog'), %options);
}
sub report_of { my ($job) = @_; return $service->get("/imports/$job->{id}")->{json}{data}{report} }
sub outcomes  { my ($report) = @_; return join ' ', map { $_->{outcome} } @{ $report->{entries} } }

# What the imports of a source have made, without what differs from import to import.
sub records
{
	my ($source) = @_;
	return $service->sql(<<~SQL);
		SELECT d.name, d.description, replace(d.optionals::text, 'http://www.w3.org/2001/XMLSchema#', 'xsd:'),
			(SELECT string_agg(t.name, ',' ORDER BY t.name) FROM catalogue.datasets_tags l JOIN catalogue.tags t ON t.id = l.tag
				WHERE l.dataset = d.id),
			(SELECT string_agg(concat_ws(' ', f.name, f.url, o.name, y.name,
				replace(f.optionals::text, 'http://www.w3.org/2001/XMLSchema#', 'xsd:')), '; ' ORDER BY f.name)
			 FROM catalogue.files f LEFT JOIN catalogue.organizations o ON o.id = f.organization
				LEFT JOIN catalogue.filetypes y ON y.id = f.type
			 WHERE f.dataset = d.id AND f.deleted_at IS NULL)
		FROM catalogue.datasets d WHERE d.optionals ->> 'source' = '$source' AND d.deleted_at IS NULL ORDER BY d.name
		SQL
}

# the catalogue of this service in each form gives the same records
my $made = $service->post('/imports', { source => 'origin', publish => \1, document => { dataset => [ map {
	{ '@type' => 'dcat:Dataset', identifier => "d$_", title => "Title $_ \"ü\" \\", description => "Text $_ <b>\nline",
	keyword => [ "key $_", 'öffentlich' ], theme => [ 'Transport', 'Water' ], publisher => { name => "Office $_" },
		license => 'https://creativecommons.org/licenses/by/4.0/', accrualPeriodicity => 'R/P1M',
		landingPage => "https://far.example/d$_",
	distribution => [
		{ title => 'Rows', downloadURL => "https://far.example/$_.csv", mediaType => 'text/csv', format => 'CSV' },
		{ title => 'Page', accessURL => "https://far.example/$_", format => 'HTML' } ] } } 1 .. 3 ] } })->{json}{data};
is($made->{created}, 3, 'a catalogue') or diag explain($made);
my %form = map { $_ => $service->get('/catalog', Accept => $media{$_})->{body} } qw(jsonld turtle rdfxml);
utf8::decode($form{jsonld});
$service->delete("/datasets/$_->{record}") for @{ $made->{entries} };
my $first = report_of(job_of($media{jsonld}, $form{jsonld}));
my $count = @{ $first->{entries} };
is($first->{created}, $count, 'it comes back as JSON-LD') or diag explain($first);
my $records = records('rdf');
like($records, qr/Title 1 "\S+" \\.*key 1,\S+ffentlich.*Office 1/s, 'with texts, tags and organizations');
is(report_of(job_of($media{turtle}, $form{turtle}))->{unchanged}, $count, 'as Turtle it is nothing new');
is(records('rdf'), $records, 'it is the same');
is(report_of(job_of($media{rdfxml}, $form{rdfxml}))->{unchanged}, $count, 'as RDF/XML it is nothing new');
like($remote->last_request('/catalog')->{headers}{accept}, qr{^application/json,.*ld\+json.*turtle.*rdf\+xml},
	'JSON is asked for first');
$service->delete("/datasets/$_") for split ' ',
	$service->sql(q(SELECT id FROM catalogue.datasets WHERE optionals ->> 'source' = 'rdf' AND deleted_at IS NULL));

# one dataset in each form, with blank nodes, relative references and several languages; what has no type is no dataset
my $prefixes = "\@prefix dcat: <http://www.w3.org/ns/dcat#> .\n\@prefix dct: <http://purl.org/dc/terms/> .\n"
	. "\@prefix foaf: <http://xmlns.com/foaf/0.1/> .\n\@prefix hydra: <http://www.w3.org/ns/hydra/core#> .\n";
my $turtle = $prefixes . <<~'E';
	<> a dcat:Catalog ; dct:title "Ours" ; dcat:dataset <d/1> .
	<d/1> a dcat:Dataset ; dct:title "Títol"@ca, "Title"@en ; dct:identifier "one" ; dct:description """a "long"
	text"""@ca ; dcat:keyword "x", "y", "x" ;
		dct:publisher [ foaf:name "Office" ] ; dct:issued "2020-01-02"^^<http://www.w3.org/2001/XMLSchema#date> ;
		dcat:distribution _:f, _:f .
	_:f a dcat:Distribution ; dct:title "Rows" ; dcat:downloadURL <f.csv> ; dct:format "CSV" .
	E
my $rdfxml = <<~'E';
	<?xml version="1.0"?>
	<!DOCTYPE rdf:RDF [<!ENTITY dcat "http://www.w3.org/ns/dcat#">]>
	<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:dcat="&dcat;"
		xmlns:dct="http://purl.org/dc/terms/" xmlns:foaf="http://xmlns.com/foaf/0.1/">
	<dcat:Catalog rdf:about=""><dct:title>Ours</dct:title><dcat:dataset>
	<dcat:Dataset rdf:about="d/1"><dct:title xml:lang="ca">Títol</dct:title><dct:title xml:lang="en">Title</dct:title>
	<dct:identifier>one</dct:identifier><dct:description xml:lang="ca">a "long"
	text</dct:description><dcat:keyword>x</dcat:keyword><dcat:keyword>y</dcat:keyword><dcat:keyword>x</dcat:keyword>
	<dct:publisher><rdf:Description><foaf:name>Office</foaf:name></rdf:Description></dct:publisher>
	<dct:issued rdf:datatype="http://www.w3.org/2001/XMLSchema#date">2020-01-02</dct:issued>
	<dcat:distribution rdf:nodeID="f"/></dcat:Dataset></dcat:dataset></dcat:Catalog>
	<dcat:Distribution rdf:nodeID="f"><dct:title>Rows</dct:title><dcat:downloadURL rdf:resource="f.csv"/>
	<dct:format>CSV</dct:format></dcat:Distribution>
	</rdf:RDF>
	E
my $place    = $remote->{remote}->url('');
my $ntriples = <<~"E";
	<$place/d/1> a dcat:Dataset .
	<$place/d/1> dct:title "T\\u00EDtol"\@ca .
	<$place/d/1> dct:title "Title"\@en .
	<$place/d/1> dct:identifier "one" .
	<$place/d/1> dct:description "a \\"long\\"\\ntext"\@ca .
	<$place/d/1> dcat:keyword "x" .
	<$place/d/1> dcat:keyword "y" .
	<$place/d/1> dct:publisher _:p .
	<$place/d/1> dct:issued "2020-01-02"^^<http://www.w3.org/2001/XMLSchema#date> .
	<$place/d/1> dcat:distribution _:f .
	_:p <http://xmlns.com/foaf/0.1/name> "Office" .
	_:f a dcat:Distribution .
	_:f dct:title "Rows" .
	_:f dcat:downloadURL <$place/f.csv> .
	_:f dct:format "CSV" .
	E
$ntriples =~ s{dcat:(\w+)}{<http://www.w3.org/ns/dcat#$1>}g;
$ntriples =~ s{dct:(\w+)}{<http://purl.org/dc/terms/$1>}g;
$ntriples =~ s{ a }{ <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> }g;
my $report = report_of(job_of($media{turtle}, $turtle, source => 'small'));
is(outcomes($report), 'created', 'Turtle') or diag explain($report);
$records = records('small');
like($records, qr{^Title\|a "long"\ntext\|.*"one".*2020-01-02.*\|x,y\|Rows \Q$place\E/f.csv Office csv}s,
	'with what the nodes refer to');
my @forms = ([ 'application/rdf+xml', $rdfxml ], [ 'application/n-triples', $ntriples ],
	[ 'text/xml; charset=utf-8', $rdfxml ], [ 'application/xml', $rdfxml ], [ 'application/octet-stream', $turtle ],
	[ 'text/plain', $ntriples ], [ 'text/plain', "\x{FEFF}$turtle" ],
	[ 'application/json', $turtle ], [ 'text/html', $rdfxml ], [ 'text/plain', "# of a catalogue\n$turtle" ],
		[ 'text/turtle', $ntriples ]);
for (@forms)
{
	$report = report_of(job_of(@$_, source => 'small'));
	like(outcomes($report), qr/^(?:un|up)\w+$/, "the same as $_->[0]: " . ($_->[1] =~ /(\w+)/)[0])
		or diag explain($report);
	is(records('small'), $records, 'gives the same');
}
$report = report_of(job_of('text/turtle', '{"@graph": [{"@type": "dcat:Dataset", "identifier": "json", "title": '
	. '"JSON", "keyword": "x", "publisher": "Office"}]}', source => 'json'));
is(outcomes($report), 'created', 'JSON is JSON, whatever its type says') or diag explain($report);

# pages of Hydra in both forms; blank nodes of two pages have the same names, and are not the same
sub page
{
	my ($number, $view) = @_;
	return $prefixes . "<?page=$number> a hydra:PartialCollectionView $view . <#$number> a dcat:Dataset ; dct:title "
		. "\"Page $number\" ; dct:publisher _:b . _:b foaf:name \"Office $number\" . <#$number> dcat:distribution [ "
		. "dcat:downloadURL <f$number.csv> ; dct:format \"CSV\" ] .";
}
answer('catalog?page=2', 'text/turtle', page(2, '; hydra:next <?page=3>, <?page=3>'));
answer('catalog?page=3', 'application/rdf+xml',
	'<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:h="http://www.w3.org/ns/hydra/core#">'
	. '<h:PagedCollection rdf:about="#c"><h:nextPage>/catalog?page=4</h:nextPage></h:PagedCollection></rdf:RDF>');
answer('catalog?page=4', 'text/turtle', '<truncated');
$report = report_of(job_of('text/turtle', page(1, '; hydra:next <?page=2>'), source => 'pages'));
is(outcomes($report), 'created created', 'pages') or diag explain($report);
like(records('pages'), qr/Office 1 .*\n.*Office 2 /, 'each with its own blank nodes');
is_deeply([ map { $_->{url} =~ s/.*\?//r } @{ $report->{missing} } ], ['page=4'], 'a page that is invalid is missing');
like($report->{missing}[0]{message}, qr/^the document is not imported: line 1: /, 'with the line');

# blank nodes in a circle
$report = report_of(job_of('text/turtle', $prefixes
	. '<#c> a dcat:Dataset ; dct:title "Circle" ; dct:publisher _:a . _:a foaf:name _:b . _:b foaf:name _:a . <#c> '
	. 'dcat:distribution _:c . _:c a dcat:Distribution ; dcat:distribution _:c ; dct:title _:c .', source => 'circle'));
is(scalar @{ $report->{entries} }, 1, 'blank nodes in a circle end') or diag explain($report);

# what cannot be read: a reason, and no change
my $before = $service->sql(q(SELECT count(*), max(id) FROM catalogue.datasets));
my $rdf    = '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:dct="http://purl.org/dc/terms/">';
my $node   = '<rdf:Description rdf:about="http://far.example/"><dct:title>';
my $closed = '</dct:title></rdf:Description></rdf:RDF>';
# what is over a limit, ten times as much in make check-full
my $times  = $ENV{CATALOGUE_WALKS} ? 10 : 1;
my $many   = 10_000 * $times;
my @bad    = (
	[ 'entities that expand without end', 'rdfxml', '<!DOCTYPE r [<!ENTITY a0 "ha">' . join('',
		map { "<!ENTITY a$_ \"" . "&a@{[ $_ - 1 ]};" x 10 . '">' } 1 .. 29) . "]>$rdf$node&a29;$closed", qr/amplification/ ],
	[ 'a long entity often', 'rdfxml',
		'<!DOCTYPE r [<!ENTITY a "' . 'x' x 300_000 . "\">]>$rdf$node" . '&a;' x 200_000 . $closed, qr/amplification/ ],
	[ 'a file as an entity', 'rdfxml', "<!DOCTYPE r [<!ENTITY a SYSTEM \"file:///etc/passwd\">]>$rdf$node&a;$closed",
		qr/external entity/ ],
	[ 'an address as an entity', 'rdfxml', "<!DOCTYPE r [<!ENTITY a SYSTEM \"$place/loaded\">]>$rdf$node&a;$closed",
		qr/external entity/ ],
	[ 'a parameter entity', 'rdfxml', "<!DOCTYPE r [<!ENTITY % a SYSTEM \"$place/loaded\"> %a;]>$rdf$node$closed",
		qr/external entity/ ],
	[ 'elements in each other', 'rdfxml', $rdf . '<rdf:Description><dct:title>' x 10_000, qr/nested too deeply/ ],
	[ 'many prefixes of XML', 'rdfxml', '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
		. join(' ', map { "xmlns:p$_='http://a/$_'" } 1 .. $many) . '/>', qr/declares too many prefixes/ ],
	[ 'prefixes in each other', 'rdfxml',
		'<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">' . join('', map {
		my $n = $_;
		'<rdf:Description ' . join(' ', map { "xmlns:p$n-$_='http://a/$n/$_'" } 1 .. 100) . '>'
	} 1 .. 100), qr/declares too many prefixes/ ],
	[ 'many prefixes', 'turtle', join('', map { "\@prefix p$_:<h:$_>." } 1 .. $many), qr/no statements|memory|too long/ ],
	[ 'blank nodes in each other', 'turtle', '<a> <http://b/> ' . '[ <http://b/> ' x (20_000 * $times),
		qr/line 1: memory exhausted/ ],
	[ 'lists in each other', 'turtle', '<a> <http://b/> ' . '( ' x (20_000 * $times), qr/line 1: memory exhausted/ ],
	[ 'a long literal', 'turtle', '<a> <http://b/> "' . 'x' x (1_100_000 * $times) . '" .',
		qr/a literal of more than 1048576 bytes/ ],
	[ 'the same in XML', 'rdfxml', $rdf . $node . 'x' x (1_100_000 * $times) . $closed,
		qr/a literal of more than 1048576 bytes/ ],
	[ 'Turtle that ends early', 'turtle', "$prefixes<#a> a dcat:Dataset ; dct:title ", qr/line 5: syntax error/ ],
	[ 'an N-Triple that ends early', 'ntriples', '<http://a/> <http://b/> "x', qr/line 1: syntax error/ ],
	[ 'XML that ends early', 'rdfxml', "<?xml version='1.0'?>\n$rdf\n$node", qr/line 3: no element found/ ],
	[ 'a prefix that is not declared', 'turtle', '<a> dct:title "x" .', qr/prefix in "dct:title" was not declared/ ],
	[ 'HTML as Turtle', 'turtle', '<!DOCTYPE html><html><body><p>Not here<br></body></html>', qr/it is a web page; / ],
	[ 'HTML as RDF/XML', 'rdfxml', '<!DOCTYPE html><html><body><p>Not here<br></body></html>',
		qr/it is a web page; / ],
	# what crashes libraptor2 2.0.15; a sanitizer does not end in the sandbox then
	(Catalogue::Parser::program() =~ /sanitize/ ? ()
		: [ 'graphs of TriG', 'turtle', '<a> <> { ', qr/line 1|could not be read safely/ ]),
	[ 'nothing', 'turtle', '', qr/it is empty; / ],
	[ 'a comment alone', 'turtle', '# nothing', qr/no statements/ ],
	[ 'bytes that are no UTF-8', 'turtle', qq(<a> <http://b/> "\xFF\xFE" .), qr/character that cannot be stored/ ],
	[ 'the same in XML', 'rdfxml', "$rdf$node\xFF\xFE$closed", qr/line 1: not well-formed/ ],
	[ 'NUL bytes', 'turtle', qq(<a> <http://b/> "\0" .), qr/no text/ ],
	[ 'UTF-16', 'rdfxml', pack('n*', 0xFEFF, unpack('C*', $rdf . $node . $closed)), qr/no text in UTF-8/ ],
	[ 'half a surrogate pair', 'turtle', '<a> <http://b/> "\uD800" .', qr/character that cannot be stored/ ],
	[ 'an encoding that is not known', 'rdfxml', "<?xml version='1.0' encoding='x-none'?>$rdf$node$closed",
		qr/unknown encoding/ ]);
for (@bad)
{
	my ($what, $form, $body, $reason) = @$_;
	my $job = job_of($media{$form}, $body, source => 'bad');
	is($job->{state}, 'failed', $what);
	like($job->{reason}, $reason, 'is told');
}
$report = report_of(
	job_of($media{rdfxml}, "<!DOCTYPE r SYSTEM \"$place/loaded\">$rdf$node" . $closed, source => 'bad'));
is_deeply($report->{entries}, [], 'a DTD elsewhere is left aside');
is(scalar(grep { ($_->{path} // '') eq '/loaded' } $remote->{remote}->requests), 0, 'and nothing was loaded');

# sent in the request instead of fetched: as the body, as the file of a form, and JSON that is larger than a body
sub job_sent
{
	my ($type, $body, %options) = @_;
	my $reply = $service->post('/imports?' . join('&', map { "$_=$options{$_}" } sort keys %options), $body,
		'Content-Type' => $type);
	my $path = ($reply->{json}{links}{job} // die "no job: $reply->{body}\n") =~ s{^https?://[^/]*}{}r;
	return $remote->{worker}->wait_for('the job', sub {
		my $job = $service->get($path)->{json}{data};
		($job->{state} eq 'done' || $job->{reason}) && $job
	});
}
for my $form (qw(turtle rdfxml ntriples))
{
	my $body = $form eq 'ntriples' ? "<https://far.example/sent> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> "
		. "<http://www.w3.org/ns/dcat#Dataset> .\n<https://far.example/sent> <http://purl.org/dc/terms/title> \"Sent ü\" .\n"
		: $form{$form};
	utf8::encode($body) if utf8::is_utf8($body);
	my $sent = report_of(job_sent($media{$form}, $body, source => "sent-$form", category => $category));
	is($sent->{created}, $form eq 'ntriples' ? 1 : $count, "$form as the body") or diag explain $sent;
	is(report_of(job_sent("multipart/form-data; boundary=b",
		join('', map { "--b\r\nContent-Disposition: form-data; name=\"$_->[0]\"$_->[1]\r\n\r\n$_->[2]\r\n" } [ source => '',
		"sent-$form" ], [ category => '', $category ], [ document => '; filename="c"', $body ]) . "--b--\r\n"))->{unchanged},
		$sent->{created}, 'and as the file of a form');
}
is($service->sql(q(SELECT count(*) FROM catalogue.harvest WHERE blob IS NOT NULL)), 0, 'no bytes are kept');
my $long = Cpanel::JSON::XS::encode_json(
	{ source => 'many', category => $category, partial => \1, document => { dataset => [
	map { { identifier => "m$_", title => "Of many $_", notes => 'x' x 60_000, description => 'many' } } 1 .. 20 ] } });
is(report_of(job_sent('application/json', $long))->{created}, 20, 'a large body of JSON');
is(report_of(job_sent('application/json', $long =~ s/Of many 7/Of many VII/r))->{updated}, 1, 'and once more, changed');
like(job_sent('text/turtle', '<a> a "', source => 'bad')->{reason}, qr/^the document is not imported: /,
	'a document that is no RDF');
like(job_sent('application/octet-stream', "name\na\n", source => 'bad')->{reason},
	qr/^the document is not imported: it is neither JSON nor RDF; a catalogue is often at /,
	'one that is nothing of all this');
my $page = '<!DOCTYPE html><head><link rel="alternate" type="text/turtle" href="/catalog.ttl"></head>';
like(job_sent('application/octet-stream', $page, source => 'bad')->{reason},
	qr{^the document is not imported: it is a web page, which leads to /catalog\.ttl \(text/turtle\)$}, 'a web page');
like(job_sent('text/turtle', $page, source => 'bad')->{reason}, qr/it is a web page, which/, 'whatever its type says');
$before = $service->sql(q(SELECT count(*), max(id) FROM catalogue.datasets));

# a literal of 40 MB, which is made while it is sent
my $large = Catalogue::Remote->start(address => '127.0.0.2', answer => sub {
	my ($socket) = @_;
	print $socket "HTTP/1.1 200 OK\r\nContent-Type: text/turtle\r\n\r\n<a> <http://b/> \"";
	print $socket 'x' x 1_000_000 for 1 .. 40;
	print $socket '" .';
});
like(job_at($large->url('/catalog'), source => 'bad')->{reason}, qr/more than 33554432 bytes$/, 'a literal of 40 MB');
$large->stop;
is($service->sql(q(SELECT count(*), max(id) FROM catalogue.datasets)), $before, 'nothing was changed by any of them');

$service->is_sound;
$remote->stop;
$service->finish;
