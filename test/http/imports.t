#!/usr/bin/perl
# POST /imports: documents of other catalogues, with a dry run and a report; the rights of the caller for each entry;
# the limits of an API key; bodies that are too large or nested too deeply.

use strict;
use warnings;

use Catalogue::Clock qw(poll);
use Catalogue::Definition;
use Catalogue::Test;
use Cpanel::JSON::XS ();
use Test::More;

my $service = Catalogue::Test->start->as_admin;

sub import_of
{
	my ($document, $options, @headers) = @_;
	return $service->post('/imports', { source => 'test', document => $document, %{ $options // {} } }, @headers);
}
sub entry
{
	my ($id, %more) = @_;
	return { identifier => $id, title => "Dataset $id", theme => 'Transport', publisher => { name => 'Office' }, %more }
}
sub outcomes { my ($reply) = @_; return [ map { $_->{outcome} } @{ $reply->{json}{data}{entries} } ] }
sub count
{
	my ($where) = @_;
	return scalar $service->sql("SELECT count(*) FROM catalogue.datasets WHERE deleted_at IS NULL AND $where");
}

# a report; a dry run changes nothing
my $document = {
	dataset => [ entry('a', distribution => [ { downloadURL => 'https://a.example/a.csv' } ]), entry('b'), entry('b') ] };
my $reply = import_of($document, { dryRun => \1 });
is($reply->{status}, 200, 'a dry run is reported') or diag $reply->{body};
is_deeply(outcomes($reply), [ 'created', 'created', 'refused' ], 'for each entry');
is(count(q(name LIKE 'Dataset %')), 0, 'and changes nothing');
$reply = import_of($document);
is_deeply(outcomes($reply), [ 'created', 'created', 'refused' ], 'the import does the same');
my $made = $reply->{json}{data}{entries}[0]{record};
is($service->get("/datasets/$made/files")->{json}{data}[0]{url}, 'https://a.example/a.csv',
	'a distribution is a file with its address');
is_deeply(outcomes(import_of($document)), [ 'unchanged', 'unchanged', 'refused' ], 'again nothing changes');
is($reply->{json}{links}{self}, "$service->{base}/imports", 'with a link');

# a real catalogue, complete
SKIP: {
	my $file = '../shared/data/catalogo-justicia.json';
	open my $in, '<:raw', $file or skip "there is no $file", 4;
	my $json = do { local $/; <$in> };
	$reply = $service->post('/imports', qq({"source":"http://datos.jus.gob.ar/","document":$json}),
		'Content-Type' => 'application/json');
	is($reply->{json}{data}{created}, 18, 'all datasets of a real catalogue are imported') or diag $reply->{body};
	is($service->post('/imports', qq({"document":$json}), 'Content-Type' => 'application/json')->{status}, 400,
		'not without a source');
	is($service->sql(q(SELECT count(*) FROM catalogue.files f JOIN catalogue.imported i ON i.record = f.dataset WHERE )
		. q(i.source LIKE 'http://datos.jus%')), 71, 'with all distributions');
	$reply = $service->post('/imports', qq({"source":"http://datos.jus.gob.ar/","document":$json}),
		'Content-Type' => 'application/json');
	is($reply->{json}{data}{unchanged}, 18, 'and again nothing changes');
}

# who may
is(import_of($document, {}, Authorization => undef)->{status}, 401, 'nobody may not');
my @guest = (Authorization => (Catalogue::Definition->new($service)->user('intern', 'guest'))[1]);
is(import_of($document, {}, @guest)->{status}, 403, 'a guest, who may not create datasets, may not');

# one that may create datasets and change its own: not the dataset of another user by the id of its entry, whether the
# text has changed or the entry is left out; not for an organization that it may not create
$service->sql(q(INSERT INTO catalogue.rules (role, resource, action) VALUES ('guest', 'datasets', 'create')));
$reply = import_of({ dataset => [ entry('a', title => 'Taken over'), entry('c'),
	entry('d', publisher => { name => 'Made up' }, distribution => [ { downloadURL => 'https://a.example/d.csv' } ]) ] },
	{ gone => 'delete' }, @guest);
is_deeply([ map { $_->{status} } @{ $reply->{json}{data}{entries} }[ 0 .. 2 ] ], [ 403, undef, undef ],
	'its rights hold for each entry') or diag $reply->{body};
is_deeply([ map { $_->{done} } grep { $_->{outcome} eq 'gone' } @{ $reply->{json}{data}{entries} } ], ['kept'],
	'and for what is gone');
is(count(q(name IN ('Dataset a', 'Dataset b'))), 2, 'the datasets of others stay');
is(count(q(name = 'Taken over')), 0, 'and nothing is made of what is refused');
is($service->sql(q(SELECT count(*) FROM catalogue.organizations WHERE name = 'Made up')), 0, 'no organization either');

# a key that is limited to a method or a resource
$service->sql(q(SELECT catalogue.add_consumer('Limited')));
my ($posts) = $service->sql(q(SELECT secret FROM catalogue.add_api_key('Limited', verbs => '{GET,POST}')));
$reply = import_of({ dataset => [ entry('a', title => 'By key'), entry('e') ] }, { gone => 'delete' },
	apikey => $posts);
is_deeply([ map { $_->{status} } @{ $reply->{json}{data}{entries} }[ 0, 1 ] ], [ 403, undef ],
	'a key for POST creates, and changes nothing') or diag $reply->{body};
is(scalar(grep { ($_->{done} // 'kept') ne 'kept' } @{ $reply->{json}{data}{entries} }), 0, 'nor deletes');
my ($files) = $service->sql(q(SELECT secret FROM catalogue.add_api_key('Limited', resources => '{datasets}')));
$reply = import_of({ dataset => [ entry('f', distribution => [ { downloadURL => 'https://a.example/f.csv' } ]) ] }, {},
	apikey => $files);
is($reply->{json}{data}{entries}[0]{status}, 403, 'a key for datasets makes no files') or diag $reply->{body};
my ($tags) = $service->sql(q(SELECT secret FROM catalogue.add_api_key('Limited', resources => '{tags}')));
$reply = import_of({ dataset => [ entry('a') ] }, { dryRun => \1, gone => 'delete' }, apikey => $tags);
is($reply->{status}, 403, 'a key for tags learns nothing by a dry run');
unlike($reply->{body}, qr/Dataset/, 'not even names of datasets');

# bodies
my @json = ('Content-Type' => 'application/json');
is($service->post('/imports', '{"document": {', @json)->{status}, 400, 'a body that is no JSON');
is($service->post('/imports', '[]', @json)->{status}, 400, 'or no document') ;
is($service->post('/imports', '{"document": ' . '[' x 200_000 . ']' x 200_000 . '}', @json)->{status}, 400,
	'one that is nested too deeply');
$reply = import_of({ dataset => [ map { entry("m$_") } 1 .. 100 ] });
is($reply->{json}{data}{created}, 100, 'many entries') or diag $reply->{body};
my $deep = '{"source":"test","document":{"dataset":[{"identifier":"deep","title":' . '[' x 1000 . ']' x 1000
	. '},{"identifier":"m1","title":"Dataset m1","theme":"Transport"}]}}';
is_deeply([ @{ outcomes($service->post('/imports', $deep, @json)) }[ 0, 1 ] ], [ 'refused', 'updated' ],
	'an entry that is nested too deeply is refused alone');
is($service->post('/imports', { source => 'x', document => { dataset => [] }, other => 1 },
	Prefer => 'handling=strict')->{status}, 400, 'an unknown member, strictly');

# the document as text, in a form, and several documents at once
my $text = '{"dataset": [{"identifier": "text", "title": "Dataset text", "theme": "Transport", "publisher": {"name": '
	. '"Office"}}]}';
is(import_of($text)->{json}{data}{created}, 1, 'a document as text');
is(import_of('{"dataset": [')->{status}, 400, 'text that is no JSON');
is(import_of('7')->{status}, 400, 'text that is no document');
is(import_of("\x{FEFF}$text")->{json}{data}{unchanged}, 1, 'a byte order mark before it is skipped');
$reply = import_of('@prefix dcat: <http://www.w3.org/ns/dcat#> . <a> a dcat:Dataset .');
is("$reply->{status} $reply->{json}{meta}{message}", '400 the document is neither a JSON object nor an array; Turtle '
	. 'and RDF/XML are imported by their url, or as the body or the file of a form',
	'RDF as text is refused, and how it is taken is told') or diag $reply->{body};
sub form
{
	my (%parts) = @_;
	my $type = delete $parts{type};
	my $body = join '', map { "--b\r\nContent-Disposition: form-data; name=\"$_\""
		. ($_ eq 'document' ? '; filename="data.json"' . ($type ? "\r\nContent-Type: $type" : '') : '')
		. "\r\n\r\n$parts{$_}\r\n" } sort keys %parts;
	return $service->post('/imports', "$body--b--\r\n", 'Content-Type' => 'multipart/form-data; boundary=b');
}
is(form(document => "\xEF\xBB\xBF$text", source => 'test')->{json}{data}{unchanged}, 1, 'and in a form');
for my $type ('application/json', 'application/json; charset=utf-8', 'application/ld+json', 'text/plain')
{
	for my $mark ('', "\xEF\xBB\xBF")
	{
		$reply = form(document => "$mark$text", source => 'test', type => $type);
		is($reply->{json}{data}{unchanged}, 1, "as $type" . ($mark && ' with a byte order mark')) or diag $reply->{body};
	}
}
$reply = form(document => $text, type => 'application/json');
is_deeply([ keys %{ $reply->{json}{data} } ], ['source'], 'a form without a source') or diag $reply->{body};
$reply = form(document => qq({"source":"other","document":$text}), source => 'test', type => 'application/json');
is("$reply->{status} $reply->{json}{meta}{message}", '400 the document is no catalogue',
	'a body as the file of a form');
$reply = form(document => $text, source => 'test', dryRun => 'true');
is_deeply([ @{ $reply->{json}{data} }{qw(unchanged dryRun)} ], [ 1, Cpanel::JSON::XS::true ], 'a file in a form')
	or diag $reply->{body};
is(form(document => $text, source => 'test', dryRun => 'maybe')->{status}, 400, 'a form with a wrong option');
is(form(document => $text, source => "\xff")->{status}, 400, 'a form that is no text');
is($service->post('/imports', "--b\r\nContent-Disposition: form-data; name=\"document\"\r\n\r\n{}",
	'Content-Type' => 'multipart/form-data; boundary=b')->{status}, 400, 'a form without end');
is($service->post('/imports', 'x', 'Content-Type' => 'multipart/form-data')->{status}, 400, 'a form without boundary');
is($service->post('/imports', 'source=test', 'Content-Type' => 'application/x-www-form-urlencoded')->{status}, 415,
	'a form of another type');
is($service->post('/categories', "--b--\r\n", 'Content-Type' => 'multipart/form-data; boundary=b',
	Accept => 'application/json')->{status} >= 400, 1, 'a path that takes none of them');
$reply = import_of(
	[ { dataset => [ entry('p1') ] }, { success => \1, result => { results => [ entry('p2', resources => []) ] } },
	{ '@graph' => [ { '@type' => 'Dataset', '@id' => 'http://p3', title => 'Dataset p3', theme => 'Transport' } ] } ],
	{ partial => \1 });
is_deeply(outcomes($reply), [ ('created') x 3 ], 'several documents, which are a part of the source')
	or diag $reply->{body};
is($reply->{json}{data}{gone}, 0, 'nothing else is gone');
is(import_of([ { dataset => [ entry('p1') ] }, { dataset => [ entry('p1') ] } ])->{json}{data}{refused}, 1,
	'one entry in two documents');

# larger than a body in memory: uploads, for which a job is queued; what is wrong with it is told at once
my $large = '{"source":"large","document":{"dataset":[{"identifier":"l","title":"Dataset '
	. 'large","theme":"Transport","notes":"' . 'x' x 1_100_000 . '"}]}}';
sub imports_of
{
	my ($source) = @_;
	return [ grep { $_->{source} eq $source } @{ $service->get('/imports')->{json}{data} } ];
}
$reply = $service->post('/imports', $large, @json);
is($reply->{status}, 202, 'a body larger than the limit of bodies') or diag $reply->{body};
like($reply->{json}{links}{job}, qr{/jobs/\w+$}, 'is imported by a job');
is($service->post('/imports', $large, @json)->{status}, 202, 'another one of the source');
is_deeply([ map { $_->{url} } @{ imports_of('large') } ], [ undef, undef ], 'waits as well, and replaces nothing');
is($service->sql(q(SELECT count(*) FROM catalogue.harvest_page WHERE state = 'd')), 2, 'with its document');
is($service->post('/imports', $large =~ s/"source":"large",//r, @json)->{status}, 400, 'one without a source');
is($service->post('/imports', $large =~ s/"source"/"gone":"lost","source"/r, @json)->{json}{data}{gone}[0]{rule},
	'enum', 'one with a wrong option');
is($service->post('/imports', $large =~ s/"source"/"updateFrequency":"x","source"/r,
	@json)->{json}{data}{updateFrequency}[0]{message}, 'cannot be given together with a document',
	'one with an option of addresses');
is($service->post('/imports', $large =~ s/\}$//r, @json)->{status}, 400, 'one that ends too early');
is($service->post('/imports', $large =~ s/xxxx/\xff/r, @json)->{json}{meta}{message},
	'the document is no text in UTF-8', 'one that is no text');
is($service->post('/imports', $large =~ s/xxxx/\0/r, @json)->{status}, 400, 'one with a zero byte');
is($service->post('/imports', '[' . ' ' x 1_100_000 . ']', @json)->{status}, 400, 'one that is no object');
is($service->post('/imports', $large, @json, Authorization => undef)->{status}, 401, 'one of nobody');
is($service->post('/imports', $large, @json, apikey => $posts)->{status}, 403,
	'one by a limited key, whose limits the job would not know');
is($service->post('/imports', $large, @json, apikey => $tags)->{status}, 403, 'or by a key for tags');
ok(poll(20, sub { $service->sql('SELECT count(*) FROM catalogue.upload') == 0 }), 'of which no upload is left');
is(scalar @{ imports_of('large') }, 2, 'and no import');
my @repeated = (@json, 'Idempotency-Key' => 'large');
my @jobs = map { $service->post('/imports', $large, @repeated)->{json}{links}{job} } 1 .. 2;
is($jobs[0], $jobs[1], 'a repetition with a key queues nothing');
is(scalar @{ imports_of('large') }, 3, 'more than once');
$reply = $service->post('/imports/' . imports_of('large')->[0]{id} . '/run');
is("$reply->{status} $reply->{json}{meta}{message}", '409 the import has no address to be fetched from',
	'a document that was sent is not fetched again');
$service->sql(q(UPDATE catalogue.jobs SET state = 'done', ended_at = now() WHERE kind = 'import'; DELETE FROM )
	. q(catalogue.job_queue WHERE kind = 'import'));
$service->post('/imports', $large, @json);
is(scalar @{ imports_of('large') }, 1, 'those that have ended are forgotten when the next one comes');
is($service->post('/imports', { source => 'large', url => 'http://127.0.0.1:9/' })->{status}, 202,
	'an address of the source');
is(scalar @{ imports_of('large') }, 2, 'is an import of its own');

# the file of a form, whatever its type
$reply = form(document => $text =~ s/"Dataset text"/'"' . 'x' x 1_100_000 . '"'/er, source => 'form',
	type => 'application/json', dryRun => 'true');
is($reply->{status}, 202, 'a large one is imported by a job') or diag $reply->{body};
is($service->sql(q(SELECT count(*) FROM catalogue.harvest_page p JOIN catalogue.harvest h ON h.id = p.harvest WHERE )
	. q(h.source = 'form' AND p.document -> 'dataset' IS NOT NULL)), 1, 'with its document');

# the document as the body, with the options in the query
sub body
{
	my ($type, $body, $query, @headers) = @_;
	return $service->post("/imports?$query", $body, 'Content-Type' => $type, @headers);
}
$reply = body('application/ld+json', "\xEF\xBB\xBF$text", 'source=test&dryRun=true');
is_deeply([ @{ $reply->{json}{data} }{qw(unchanged dryRun)} ], [ 1, Cpanel::JSON::XS::true ], 'a document of JSON-LD')
	or diag $reply->{body};
is(body('application/octet-stream', $text, 'source=test')->{json}{data}{unchanged}, 1, 'or of no known type');
is(body('application/ld+json', $text, 'gone=delete')->{status}, 400, 'not without a source');
is(body('application/ld+json', '', 'source=test')->{status}, 400, 'nor without a document');
is(body('text/csv', "name\na\n", 'source=test')->{status}, 415, 'nor of another type');
is(body('text/turtle', '<a> a <b> .', 'source=turtle')->{status}, 202, 'one in Turtle is imported by a job');
is(form(document => '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"/>', source => 'turtle')->{status},
	202, 'and RDF/XML in a form');
is($service->sql(q(SELECT count(*) FROM catalogue.harvest h JOIN catalogue.blob b ON b.id = h.blob WHERE h.source = )
	. q('turtle' AND b.uses = 1)), 2, 'with their bytes');
$service->delete('/imports/' . $_->{id}) for @{ imports_of('turtle') };
is(scalar @{ imports_of('turtle') }, 2, 'which stay while the job is queued');
$service->post("/jobs/$_->{job}/cancel", {}) for @{ imports_of('turtle') };
is($service->sql(q(SELECT count(*) FROM catalogue.harvest h WHERE h.source = 'turtle' AND h.blob IS NOT NULL)), 0,
	'and go when it is cancelled');
is($service->post('/datasets', $text, 'Content-Type' => 'application/octet-stream')->{status}, 415,
	'datasets take no uploads');

# in several requests
my @turtle = ('Content-Type' => 'text/turtle');
$reply = $service->post('/imports?source=parts', '<a> a', @turtle, 'Upload-Complete' => '?0');
is($reply->{status}, 201, 'a document that is continued') or diag $reply->{body};
my $upload = $reply->{headers}{location} =~ s{^https?://[^/]*}{}r;
is($service->get($upload)->{json}{data}{resource}, 'imports', 'is an upload for an import');
$reply = $service->patch($upload, ' <b> .', 'Content-Type' => 'application/partial-upload', 'Upload-Complete' => '?1',
	'Upload-Offset' => 5);
is($reply->{status}, 202, 'and imported when it is complete') or diag $reply->{body};

# larger than an import takes: refused before it is sent
my $raw = $service->raw(
	"POST /imports HTTP/1.1\r\nHost: 127.0.0.1:$service->{port}\r\nAuthorization: $service->{headers}{Authorization}\r\n"
	. "Content-Type: application/json\r\nContent-Length: 134217729\r\nExpect: 100-continue\r\n\r\n");
is("$raw->{replies}[0]{status} $raw->{replies}[0]{json}{meta}{hint}", '413 It may have 134217728 bytes.',
	'a document that is too large') or diag $raw->{text};

# published at once, where the caller may; what exists keeps its status
is(count(qq(status = 'qWRhpRV' AND name LIKE 'Dataset %')), 0, 'new datasets are not published');
$reply = import_of({ dataset => [ entry('a', title => 'Dataset a'),
	entry('q', distribution => [ { downloadURL => 'https://a.example/q.csv' } ]) ] }, { publish => \1, partial => \1 });
is(count(qq(status = 'qWRhpRV' AND name LIKE 'Dataset %')), 1, 'unless that is asked for') or diag $reply->{body};
my ($published) = map { $_->{record} } grep { $_->{id} eq 'q' } @{ $reply->{json}{data}{entries} };
is(scalar @{ $service->get("/datasets/$published/files", Authorization => undef)->{json}{data} }, 1,
	'everybody sees the dataset with its file');
$service->patch("/datasets/$published/unpublish", {});
import_of({ dataset => [ entry('q', title => 'Dataset Q',
	distribution => [ { downloadURL => 'https://a.example/q.csv' } ]) ] }, { publish => \1, partial => \1 });
is(count(qq(name = 'Dataset Q' AND status = 'qWRhpRV')), 0, 'what was unpublished here stays so');
$reply = import_of({ dataset => [ entry('r') ] }, { publish => \1, partial => \1 }, @guest);
is(count(qq(name = 'Dataset r' AND status = 'nWRhpRV')), 1, 'a guest makes drafts only');

# references without number and in circles cost no more than the document
my @nodes = map { { '@id' => "http://n$_", '@type' => 'skos:Concept', prefLabel => 'n' x 50, text => 'x' x 100_000,
	broader => { '@id' => "http://n$_" } } } 1 .. 4;
$reply = import_of({ '@graph' => [ @nodes, { '@id' => 'http://many', '@type' => 'Dataset', title => 'Many',
	theme => [ map { { '@id' => 'http://n' . ($_ % 4 + 1) } } 1 .. 10_000 ] } ] });
is_deeply([ $reply->{json}{data}{entries}[0]{outcome}, grep { /refers/ } @{ $reply->{json}{data}{entries}[0]{notes} } ],
	[ 'created', 'it refers to too many other objects; some are left out' ],
	'an entry that refers to large objects thousands of times is told of') or diag $reply->{body};

# what the path offers
is($service->options('/imports')->{headers}{allow}, 'GET, HEAD, POST, OPTIONS', 'OPTIONS offers POST');
is($service->patch('/imports', {})->{status}, 405, 'it is not changed');

$service->finish;
