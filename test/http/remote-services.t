#!/usr/bin/perl
# Remote services: a file is filled with the rows that its service answers, at once and by its update frequency; an
# answer that is unchanged is not loaded again, and one that is wrong leaves the rows that are there.

use strict;
use utf8;
use warnings;

use Catalogue::RemoteService;
use Catalogue::Test;
use Test::More;

my %type    = (json => { 'Content-Type' => 'application/json' }, xml => { 'Content-Type' => 'text/xml' });
my $service = Catalogue::Test->start(Catalogue::RemoteService::settings())->as_admin;
my $remote  = Catalogue::RemoteService->start($service);

# REST with JSON: the rows are there, and the file tells of it
my $file = $remote->new_file(name => 'Plazas');
$remote->set('rows', headers => $type{json}, etag => '"v1"',
	body => '[{"id": 1, "name": "Peñón"}, {"id": 2, "name": null, "size": 0.1}]');
my $rest = $remote->serve('rest', $file, 'rows',
	parameters => { limit => 10, 'a b' => 'ñ&=', tags => [ 'x', 'y' ], none => undef });
my ($first) = $remote->fetches($file, 1);
is("$first->{outcome} $first->{httpStatus} $first->{rowCount}", 'loaded 200 2', 'the fetch is in the history');
is($remote->rows($file), 'id=1,name=Peñón,size=null; id=2,name=null,size=0.1', 'the rows');
my $record = $remote->file($file);
is($record->{restService}, $rest, 'the file shows the service that names it');
is("$record->{parseState} $record->{rowCount} $record->{fileName}", 'ready 2 plazas.json', 'the file has the answer');
ok($record->{fetchedAt}, 'and when it was fetched');
is($record->{fetchReason}, undef, 'without a fault');
is(join('&', sort split /&/, $remote->last_request('/rows')->{query}), 'a%20b=%C3%B1%26%3D&limit=10&tags=x&tags=y',
	'the parameters are the query');
like($service->get("/files/$file/download")->{body}, qr/\A\[\{"id": 1/, 'the answer is the bytes of the file');
is($service->get("/files/$file/fetches", Authorization => undef)->{status}, 404, 'others do not see the history');

# what has not changed is not loaded again; what has replaces the rows
my $again = sub {
	$service->sql("SELECT catalogue.enqueue_fetch('$file')");
	return ($remote->fetches($file, $_[0]))[0]
};
my $revision = $service->sql("SELECT revision FROM catalogue.files WHERE id = '$file'");
is($again->(2)->{outcome}, 'unchanged', 'the same ETag');
is($remote->last_request('/rows')->{headers}{'if-none-match'}, '"v1"', 'it was asked with a condition');
is($service->sql("SELECT revision FROM catalogue.files WHERE id = '$file'"), $revision,
	'the rows are not loaded again');
$remote->set('rows', headers => $type{json}, modified => 'Mon, 01 Jan 2024 00:00:00 GMT',
	body => '[{"id": 1, "name": "Peñón"}, {"id": 2, "name": null, "size": 0.1}]');
is($again->(3)->{outcome}, 'unchanged', 'the same bytes');
$remote->set('rows', headers => $type{json}, modified => 'Tue, 02 Jan 2024 00:00:00 GMT',
	body => '{"result": {"items": [{"id": 7}]}}');
is($again->(4)->{outcome}, 'loaded', 'other bytes');
is($remote->rows($file), 'id=7', 'replace the rows');
is($again->(5)->{outcome}, 'unchanged', 'the same Last-Modified');

# whoever may change the file has it fetched
my $reply = $service->post("/files/$file/refresh");
is($reply->{status}, 202, 'a fetch that is asked for');
is($reply->{headers}{location}, $reply->{json}{links}{job}, 'names its job');
is($service->get($reply->{json}{links}{job} =~ s{^https?://[^/]*}{}r)->{json}{data}{kind}, 'fetch', 'which is one');
is(($remote->fetches($file, 6))[0]{outcome}, 'unchanged', 'it is done');
is($service->post('/files/plazas/refresh')->{status}, 202, 'by the slug as well');
$remote->fetches($file, 7);
is($service->post("/files/$file/refresh", undef, Authorization => undef)->{status}, 401, 'not for outsiders');
is($service->post('/files/' . $remote->new_file . '/refresh')->{status}, 409, 'a file without a service');
is($service->post('/files/zzzzzzzzzzzzzzz/refresh')->{status}, 404, 'no file');

# a fault leaves the rows
for ([ { status => 404 }, 'the service answers with status 404' ],
	[ { body => '[' }, qr/^the answer is not valid JSON/ ],
	[ { body => 'id,name' }, 'the answer is neither JSON nor XML' ], [ { huge => 1 }, 'the answer is too large' ])
{
	my ($answer, $reason) = @$_;
	my $count = @{ $service->get("/files/$file/fetches?limit=200")->{json}{data} } + 1;

	$remote->set('rows', %$answer);
	my $fetch = $again->($count);
	is($fetch->{outcome}, 'failed', 'a wrong answer is a failed fetch');
	ref $reason ? like($fetch->{reason}, $reason, 'with its reason') : is($fetch->{reason}, $reason, 'with its reason');
	is($remote->file($file)->{fetchReason}, $fetch->{reason}, 'which the file shows');
	is($remote->rows($file) . ' ' . $remote->file($file)->{parseState}, 'id=7 ready', 'and the rows stay');
}
$remote->set('rows', headers => $type{json}, body => '[{"id": 8}]');
is($again->(12)->{outcome}, 'loaded', 'a good answer');
is($remote->file($file)->{fetchReason}, undef, 'ends the fault');

# a service that is away for a moment is asked again after a while; the file tells of it meanwhile, and whoever wants
# the rows at once has them at once
$remote->set('rows', status => 503);
$service->sql("SELECT catalogue.enqueue_fetch('$file')");
$remote->{worker}->wait_for('a failed attempt', sub { $remote->file($file)->{fetchReason} });
is($remote->file($file)->{fetchReason}, 'the service answers with status 503', 'the file shows the last failure');
$remote->set('rows', headers => $type{json}, body => '[{"id": 80}]');
is($service->post("/files/$file/refresh")->{status}, 202, 'the fetch that waits is asked for');
is(($remote->fetches($file, 13))[0]{outcome}, 'loaded', 'it is done');
is($service->sql("SELECT attempts FROM catalogue.jobs WHERE kind = 'fetch' AND resource = '$file' ORDER BY created_at "
	. "DESC, id DESC LIMIT 1"), 1, 'as a new one');
is($remote->file($file)->{fetchReason}, undef, 'and there is no failure any more');

# other settings: loaded anew though the bytes are the same
$remote->set('rows', headers => $type{json}, etag => '"x"', body => '{"a": [{"id": 1}], "b": [{"id": 2}]}');
is($again->(14)->{outcome}, 'loaded', 'two lists');
is($remote->rows($file), 'id=1', 'the first');
is($service->patch("/restservices/$rest", { datapath => 'b' })->{status}, 200, 'a change of the service');
is(($remote->fetches($file, 15))[0]{outcome}, 'loaded', 'has it fetched at once');
is($remote->rows($file), 'id=2', 'with other rows of the same answer');

# by the update frequency, once for each time
my $frequency = $remote->file($file)->{updateFrequency};
$service->patch("/updatefrequencies/$frequency", { timePattern => '0 0 1 1 *' });
$service->sql("UPDATE catalogue.updatefrequencies SET next_run = now() - interval '3 days' WHERE id = '$frequency'; "
	. "SELECT catalogue.dispatch(); SELECT catalogue.dispatch()");
is(($remote->fetches($file, 16))[0]{outcome}, 'unchanged', 'the dispatcher has it fetched');
is($service->sql("SELECT count(*) FROM catalogue.jobs WHERE kind = 'fetch' AND resource = '$file'"), 16, 'once');
is($remote->file($file)->{nextFetch}, $service->get("/updatefrequencies/$frequency")->{json}{data}{nextRun},
	'the file shows when it is fetched next');

# the key is told once
my $other = $remote->new_file();
$service->patch("/restservices/$rest", { file => $other });
is(join(' ', map { $_ // 'none' } $remote->file($file)->{restService}, $remote->file($other)->{restService}),
	"none $rest", 'a service that names another file');
is($service->delete("/restservices/$rest")->{status}, 200, 'a service that a file shows can be deleted');
is($remote->file($other)->{restService}, undef, 'and the file shows it no more');
is($service->sql("SELECT catalogue.enqueue_fetch('$other') IS NULL"), 't', 'nothing is fetched any more');

# a service creates its file: the answer shows the file, and it is filled
$remote->set('rest', headers => $type{json}, body => '[{"id": 9}, {"id": 10}]');
$remote->set('soap', headers => $type{xml}, body => '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/">'
	. '<e:Body><ListResponse><row><id>9</id></row><row><id>10</id></row></ListResponse></e:Body></e:Envelope>');
my %new_file = (%{ $remote->{definition}->record('files') }, name => 'Made by a service');
delete @new_file{qw(restService soapService)};
for my $kind (qw(rest soap))
{
	my %new = (url => $remote->{remote}->url("/$kind"), parameters => {},
		$kind eq 'soap' ? (method => 'List', namespace => 'urn:test') : ());

	$reply = $service->post("/${kind}services", { %new, file => { %new_file, name => "Made by $kind" } },
		Prefer => 'return=representation');
	is($reply->{status}, 201, "a $kind service and its file") or diag($reply->{body});
	my $made = $reply->{json}{data};
	is($made->{name}, "Made by $kind", 'the answer shows the file');
	like($reply->{headers}{location}, qr{/files/\Q$made->{id}\E$}, 'and its address');
	is($service->get("/${kind}services/" . $made->{"${kind}Service"})->{json}{data}{file}, $made->{id},
		'the service names the file');
	$remote->fetches($made->{id}, 1);
	is($remote->rows($made->{id}), 'id=9; id=10', 'and the file is filled');
	my $shown = $remote->file($made->{id});
	is($shown->{url}, "$service->{base}/files/$made->{id}/download", 'it shows the address of its bytes');
	is($service->get($shown->{url} =~ s/^\Q$service->{base}\E//r)->{status}, 200, 'which leads to them');
	ok($service->get("/filetypes/$shown->{type}")->{json}{data}{api}, 'and its type is one that the API reads');
}

# parameters are an object
for my $wrong (['a'], 'a=b', 7)
{
	is_deeply([ map { $_->{message} } @{ $service->post('/restservices',
		{ url => $remote->{remote}->url('/rows'), parameters => $wrong })->{json}{data}{parameters} } ],
		['is not valid for type json_object: JSON object'], 'parameters that are none');
}

# nothing is left when the file or the service has a fault, or the user may not create one of them
my $records = sub { return join ' ', map { $service->get("/$_/count")->{json}{data}{count} } qw(files restservices) };
my $before = $records->();
my $url = $remote->{remote}->url('/rows');
is($service->post('/restservices',
	{ url => $url, parameters => {}, file => { %new_file, name => undef } })->{json}{data}{name}[0]{rule}, 'required',
	'a fault of the file names its field');
is($service->post('/restservices',
	{ url => 7, parameters => {}, file => { %new_file, name => 'Left over' } })->{status}, 400, 'a fault of the service');
is($service->post('/restservices', { url => $url, parameters => {}, file => { %new_file, name => 'Left over' } },
	Authorization => undef)->{status}, 401, 'nobody');
is($service->post('/restservices', { url => $url, parameters => {}, file => [ \%new_file ] })->{status}, 400,
	'a list of files');
is($service->patch('/restservices/' . $service->get('/restservices/first')->{json}{data}{id},
	{ file => { %new_file, name => 'Left over' } })->{status}, 400, 'a change of a service creates no file');
$service->sql("SELECT catalogue.add_consumer('Services')");
my $key = $service->sql(q(SELECT secret FROM catalogue.add_api_key('Services', resources => '{restservices}')));
is($service->post('/restservices', { url => $url, parameters => {}, file => { %new_file, name => 'Left over' } },
	apikey => $key)->{status}, 403, 'a key for services only');
is($records->(), $before, 'nothing was created');

$remote->stop;

# secrets are for the worker that has the job, and for as long
is($service->sql("SELECT count(*) FROM pg_roles r WHERE rolname IN ('catalogue_worker', 'catalogue_shim', "
	. "'catalogue_reader') AND has_function_privilege(rolname, 'catalogue.secret(text, text, text)', 'EXECUTE')"), 0,
	'no role may decrypt a secret');
$remote->serve('rest', $remote->new_file, 'rows', token => 'hush');
my $job = $service->sql("SELECT job FROM catalogue.job_take('w1', '{fetch}')");
like($service->sql("SELECT catalogue.fetch_service('$job', 'w1')"), qr/"token" : "hush"/,
	'the worker that has the job gets the settings');
my $refused = $service->sql("DO \$\$ BEGIN PERFORM catalogue.fetch_service('$job', 'w2'); RAISE 'it was allowed'; "
	. "EXCEPTION WHEN SQLSTATE 'OD409' THEN NULL; END \$\$; SELECT 'refused'");
is($refused, 'refused', 'another one does not');

# the history is bounded
$service->sql("SELECT catalogue.end_fetch('none', '$other', 'failed', 'n' || n) FROM generate_series(1, 130) n");
is($service->get("/fetches/count?file=$other")->{json}{data}{count}, 100, 'a hundred fetches are kept');

# a file without a type has that of the answers of its service
delete $new_file{type};
for my $case ([ restservices => 'json', url => $url ],
	[ soapservices => 'xml', url => $url, method => 'm', namespace => 'urn:n' ])
{
	my ($resource, $type, @fields) = @$case;
	my $made = $service->post("/$resource", { @fields, parameters => {},
		file => { %new_file, name => "A file of $resource" } }, Prefer => 'return=representation, relations=embedded');
	is($made->{json}{data}{type}{name}, $type, "the type of a file in $resource") || diag $made->{body};
}

$service->finish;
