#!/usr/bin/perl
# POST /imports with an address: the worker fetches the document of another catalogue and imports it, at once and by an
# update frequency, for the user who asked for it; addresses of this machine are not reached, and an answer that is no
# document changes nothing; users list and delete their own.

use strict;
use warnings;

use Catalogue::Definition;
use Catalogue::RemoteService;
use Catalogue::Test;
use Cpanel::JSON::XS ();
use IO::Compress::Gzip ();
use Test::More;

my $service = Catalogue::Test->start(Catalogue::RemoteService::settings())->as_admin;
my $remote  = Catalogue::RemoteService->start($service);
my $url     = $remote->{remote}->url('/data');

sub entry
{
	my ($id, %more) = @_;
	return { identifier => $id, title => "Harvested $id", theme => 'Transport', publisher => { name => 'Office' }, %more }
}
sub answer
{
	my (@entries) = @_;
	$remote->set('data', body => Cpanel::JSON::XS->new->allow_nonref->ascii->canonical->encode({ dataset => \@entries }));
	return;
}
sub harvest
{
	my ($options, @headers) = @_;
	return $service->post('/imports', { url => $url, source => 'far', %{ $options // {} } }, @headers);
}

# The job of a reply, when it has ended, or has been tried in vain.
sub ended
{
	my ($reply) = @_;
	my $path = ($reply->{json}{links}{job} // die "no job: $reply->{body}\n") =~ s{^https?://[^/]*}{}r;
	return $remote->{worker}->wait_for('the job', sub {
		my $job = $service->get($path)->{json}{data};
		($job->{state} eq 'done' || $job->{reason}) && $job
	});
}
sub report
{
	my ($job) = @_;
	my $reply = $service->get("/imports/$job->{id}");
	return $reply->{json}{data}{report} // die "$reply->{body}\n";
}

# fetched and imported
answer(entry('a'), entry('b'), { identifier => 'c' });
my $reply = harvest();
is($reply->{status}, 202, 'a harvest is accepted') or diag $reply->{body};
my $job = ended($reply);
is("$job->{kind} $job->{state} $job->{target}", 'import done harvest', 'the worker does it') or diag $job->{reason};
is_deeply([ map { $_->{outcome} } @{ report($job)->{entries} } ], [ 'created', 'created', 'refused' ],
	'there is a report');
is(report($job)->{source}, 'far', 'of the source');
is($service->sql(q(SELECT count(*) FROM catalogue.datasets d JOIN catalogue.users u ON u.id = d.owner WHERE d.name )
	. q(LIKE 'Harvested %' AND u.username = 'admin')), 2, 'the user owns the datasets');

# again: new, changed, gone
answer(entry('a', description => 'Changed'), entry('d'));
$job = ended(harvest({ gone => 'delete' }));
is_deeply([ map { "$_->{id} $_->{outcome}" } @{ report($job)->{entries} } ], [ 'a updated', 'd created', 'b gone' ],
	'what has changed is written');
is($service->get("/imports/" . $service->get("/imports/$job->{id}")->{json}{data}{id})->{json}{data}{job}, $job->{id},
	'the harvest has an id of its own');

# by an update frequency
my $frequency = $service->sql(q(SELECT id FROM catalogue.updatefrequencies WHERE name = 'Daily'));
$job = ended(harvest({ updateFrequency => $frequency }));
answer(entry('a', description => 'Changed'), entry('d'), entry('e'));
$service->sql(qq(UPDATE catalogue.updatefrequencies SET next_run = now() WHERE id = '$frequency'));
$service->sql('SELECT catalogue.dispatch_harvests()');
# the service itself does so afterwards, or the worker would begin the import once more, whenever its schedule comes
$service->sql(qq(UPDATE catalogue.updatefrequencies SET next_run = now() + interval '1 day' WHERE id = '$frequency'));
is($service->get("/imports/$job->{id}")->{status}, 404, 'another job is the last one when it is due');
ok($remote->{worker}->wait_for('the datasets',
	sub { $service->sql(q(SELECT count(*) FROM catalogue.datasets WHERE name = 'Harvested e')) == 1 }),
	'and imports what is new');

# a source that compresses what it answers; limits are those of what is decoded
sub packed { my ($bytes) = @_; IO::Compress::Gzip::gzip(\$bytes => \my $packed); return $packed }
my $document = Cpanel::JSON::XS->new->encode({ dataset => [ map { entry($_) } qw(d e), 'ä' ] });
$remote->set('data', headers => { 'Content-Encoding' => 'gzip', 'Content-Type' => 'text/plain' },
	body => packed($document));
is(report(ended(harvest({ dryRun => \1 })))->{created}, 1, 'a compressed document');

# answers that are no documents change nothing
my $count = $service->sql('SELECT count(*) FROM catalogue.datasets');
for ([ { body => '<html>' }, qr{^the document is not imported: it is a web page; a catalogue is often at /data} ],
	[ { body => '<html><link rel=alternate type=text/turtle href=/c>', headers => { 'Content-Type' => 'text/turtle' } },
	qr{a web page, which leads to /c \(text/turtle\)$} ], [ { body => '' }, qr/: it is empty; a catalogue is/ ],
	[ { body => '<gmd:MD_Metadata xmlns:gmd="http://www.isotc211.org/2005/gmd"/>', headers => {
	'Content-Type' => 'application/xml' } }, qr/: it is ISO 19139 metadata, which is not read yet; / ],
	[ { body => "id,name\n1,a\n" }, qr/: it is a table, such as CSV; / ],
	[ { body => '{"dataset":[]},"gone":"delete","x":{"y":1}' }, qr/not imported/ ],
	[ { body => '{}' }, qr/no catalogue/ ], [ { status => 404 }, qr/status 404/ ],
	[ { huge => 1 }, qr/too large/ ],
	[ { headers => { 'Content-Encoding' => 'gzip' }, body => packed('[' . ' ' x 999_999) }, qr/too large/ ],
	[ { headers => { 'Content-Encoding' => 'sdch' }, body => 'x' }, qr/by "sdch", which libcurl/ ],
	[ { body => "{\"dataset\":[]}\0" }, qr/no text/ ])
{
	my ($answer, $reason) = @$_;
	$remote->set('data', %$answer);
	like(ended(harvest({ gone => 'delete' }))->{reason}, $reason, 'a wrong answer');
}
is($service->sql('SELECT count(*) FROM catalogue.datasets WHERE deleted_at IS NULL AND name LIKE \'Harvested %\''), 3,
	'nothing is gone');
sub state_of_import
{
	my ($import) = grep { $_->{source} eq 'far' && !$_->{dryRun} } @{ $service->get('/imports')->{json}{data} };
	return $import;
}
my $failed = state_of_import();
ok($failed->{failing}, 'the list tells that it fails');
ok($failed->{failureReason}, 'why');
cmp_ok($failed->{failedAt}, 'gt', $failed->{endedAt}, 'and since when, after the last success');

answer(entry('a', description => 'Changed'), entry('d'), entry('e'));
ended(harvest({ updateFrequency => $frequency }));
my $recovered = state_of_import();
ok(!$recovered->{failing}, 'it does not fail any more');
is($recovered->{failureReason}, $failed->{failureReason}, 'the last failure is still told');
ok($recovered->{nextRun}, 'with the time of the next run');

# now, whatever its schedule, with its options; and how its jobs have ended
my $runs = $service->get("/imports/$recovered->{id}")->{json}{data}{runs};
is_deeply([ map { $_->{report} ? "$_->{report}{unchanged}" : $_->{failureReason} } @$runs[ 0, 1 ] ],
	[ 3, $failed->{failureReason} ], 'the last runs are told, the latest one first, with counts or the reason');
is($runs->[0]{job}, $recovered->{job}, 'each with its job');
my $now = ended($service->post("/imports/$recovered->{id}/run"));
is($now->{state}, 'done', 'an import is done now');
is_deeply([ @{ state_of_import() }{qw(job updateFrequency state)} ], [ $now->{id}, $frequency, 'done' ],
	'by a job of its own, and it is repeated as before');
is(scalar @{ $service->get("/imports/$now->{id}")->{json}{data}{runs} }, @$runs + 1, 'which is one more run');
ok(!defined state_of_import()->{runs}, 'the list tells none');

# a page for people
my $page = $service->get('/imports', Accept => 'text/html')->{body};
my ($row) = $page =~ m{<tr><td><a href="/imports/\Q$recovered->{id}\E">.*?</tr>}sg or diag $page;
my @cells = map { s/<[^>]*>//gr } ($&  // '') =~ m{<td>(.*?)</td>}sg;
is(join('|', map { s/^\d+ \w+ \d{4}, \d\d:\d\d UTC$/a time/r } @cells),
	"$recovered->{id}|far|$url|a time|Created0Changed0Unchanged3Refused0Gone0|a time|$failed->{failureReason}|a time",
	'it has the last success, its counts, the last failure with its reason, and the next run') or diag $page;
like($service->get('/imports', Accept => 'text/html', 'Accept-Language' => 'es')->{body},
	qr{<h1><bdi>Importaciones</bdi>}, 'in Spanish, too');
like($service->get("/imports/$recovered->{id}", Accept => 'text/html')->{body}, qr{<h1><bdi>far</bdi></h1>.*Refused}s,
	'and one for its report');

# a byte order mark before the document
$remote->set('data', body => "\xEF\xBB\xBF" . Cpanel::JSON::XS->new->ascii->canonical->encode(
	{ dataset => [ entry('a', description => 'Changed'), entry('d'), entry('e') ] }));
is(ended(harvest({ updateFrequency => $frequency }))->{state}, 'done', 'a byte order mark is skipped');

# a dry run changes nothing, and does not replace what is done by the update frequency
answer(entry('a', description => 'Changed'), entry('f'));
my $dry = ended(harvest({ dryRun => \1, gone => 'delete' }));
is_deeply([ map { "$_->{id} $_->{outcome}" } @{ report($dry)->{entries} } ],
	[ 'a unchanged', 'f created', 'd gone', 'e gone' ], 'a dry run has a report');
is($service->sql('SELECT count(*) FROM catalogue.datasets WHERE deleted_at IS NULL AND name LIKE \'Harvested %\''), 3,
	'and changes nothing');
ended(harvest({ updateFrequency => $frequency }));
is_deeply([ map { [ $_->{dryRun}, $_->{updateFrequency} ] } @{ $service->get('/imports')->{json}{data} } ],
	[ [ Cpanel::JSON::XS::false, $frequency ], [ Cpanel::JSON::XS::true, undef ] ], 'both are listed');
is($service->get('/imports')->{json}{data}[1]{report}{gone}, 2, 'with the counts of their reports');
is(harvest({ dryRun => \1, updateFrequency => $frequency })->{status}, 400, 'a dry run is not repeated');
is(harvest({ document => {} })->{status}, 400, 'an address and a document');
is(harvest({ partial => \1 })->{status}, 400, 'an address is not a part');
is($service->post('/imports', { document => { dataset => [] }, source => 'x',
	updateFrequency => $frequency })->{status}, 400, 'a document is not fetched again');

# addresses of this machine
like(ended(harvest({ source => 'near', url => 'http://127.0.0.1:1/data' }))->{reason}, qr/./,
	'an address of this machine is not reached');
for my $wrong ('file:///etc/passwd', 'javascript:alert(1)', '', 7, undef)
{
	is($service->post('/imports', { url => $wrong })->{status}, 400, 'no address of a document');
}
is(harvest({ gone => 'x', category => 'none', updateFrequency => 'none' })->{status}, 400, 'wrong options');
is_deeply([ sort keys %{ harvest({ gone => 'x', category => 'none', updateFrequency => 'none' })->{json}{data} } ],
	[qw(category gone updateFrequency)], 'are told all at once');

# who may
is(harvest({}, Authorization => undef)->{status}, 401, 'nobody may not');
my ($guest, $second) =
	map { [ Authorization => (Catalogue::Definition->new($service)->user(@$_))[1] ] } [ 'intern', 'guest' ],
		[ 'second', 'admin' ];
is(harvest({}, @$guest)->{status}, 403, 'a guest, who may not create datasets, may not');
is($service->get("/imports/$job->{id}", @$guest)->{status}, 403, 'nor read a report');
is(harvest({}, @$second)->{status}, 403, 'another user does not take a source over');
my $own = ended(harvest({ source => 'own' }, @$second));
is($service->get("/imports/$own->{id}", @$second)->{status}, 200, 'a user reads the report of its own harvest');
answer(entry('a', title => 'Taken over'));
my $near = $service->sql(q(SELECT id FROM catalogue.harvest WHERE source = 'far' AND NOT dry_run));
is($service->get("/imports/$near", @$second)->{status}, 404, 'and of no other');
is($service->get('/imports/zzzzzzzzzzzzzzz')->{status}, 404, 'no harvest');
is_deeply([ map { $_->{source} } @{ $service->get('/imports', @$second)->{json}{data} } ], ['own'],
	'a user lists its own');
is($service->get('/imports', @$guest)->{status}, 403, 'a guest none');
is($service->get('/imports', Authorization => undef)->{status}, 401, 'nobody none');
is($service->post("/imports/$near/run", undef, @$second)->{status}, 404, 'and has no other done');
is($service->post("/imports/$near/run", undef, @$guest)->{status}, 403, 'nor does a guest');
is($service->post("/imports/$near/run", undef, Authorization => undef)->{status}, 401, 'nor nobody');
is($service->delete("/imports/$near", @$second)->{status}, 404, 'and deletes no other');
is($service->delete("/imports/$near", @$guest)->{status}, 403, 'nor does a guest');
is($service->delete("/imports/$near", Authorization => undef)->{status}, 401, 'nor nobody');
is($service->sql(qq(SELECT count(*) FROM catalogue.harvest WHERE id = '$near')), 1, 'it is there');
# a key that is limited would not limit the worker
$service->sql(q(SELECT catalogue.add_consumer('Limited')));
my ($limited) = $service->sql(q(SELECT secret
	FROM catalogue.add_api_key('Limited', organization => (SELECT organization FROM catalogue.users
		WHERE username = 'admin'))));
is($service->delete("/imports/$near", apikey => $limited)->{status}, 403, 'nor a key of an organization');
is($service->delete("/imports/$near")->{status}, 200, 'who asked for it deletes it');
is($service->delete("/imports/$near")->{status}, 404, 'once');
is($service->sql('SELECT count(*) FROM catalogue.datasets WHERE deleted_at IS NULL AND name LIKE \'Harvested %\''), 6,
	'the datasets stay, with those of the same titles of another source');

my ($key) = $service->sql(q(SELECT secret FROM catalogue.add_api_key('Limited', verbs => '{GET,POST}')));
is(harvest({}, apikey => $key)->{status}, 403, 'a limited key is refused');
is($service->post("/imports/$_->{id}/run", undef, apikey => $key)->{status}, 403, 'and has no import done now')
	for $service->get('/imports')->{json}{data}[-1];

my ($tags) = $service->sql(q(SELECT secret FROM catalogue.add_api_key('Limited', resources => '{tags}')));
my ($kept) = $service->sql(q(SELECT id FROM catalogue.harvest WHERE source = 'own'));
is($service->request($_->[0], $_->[1], undef, apikey => $tags)->{status}, 403,
	"a key for tags: $_->[0] $_->[1]" =~ s/$kept/<id>/r)
	for [ GET => '/imports' ], [ GET => "/imports/$kept" ], [ POST => "/imports/$kept/run" ],
	[ DELETE => "/imports/$kept" ];
is($service->sql(qq(SELECT count(*) FROM catalogue.harvest WHERE id = '$kept')), 1, 'the import is there');

# an address with a password would be stored, logged and shown
for my $url (map { "http://$_" } 'user:secret@a.example/', 'user@a.example', '@a.example/x', 'a:b@c@a.example?x')
{
	my $refused = $service->post('/imports', { url => $url, source => 'password' });

	is($refused->{status}, 400, "refused: $url");
	unlike($refused->{body}, qr/secret/, 'the password is not told back');
}
is_deeply([ keys %{ $service->post('/imports', { url => 'http://a.example/x@y?z=a@b', gone => 'x' })->{json}{data} } ],
	['gone'], 'behind the host the sign is one of the address');

# a user who may not log in any more imports nothing
answer(entry('late'));
$remote->{worker}->stop if $remote->{worker}->can('stop');
$service->sql(q(UPDATE catalogue.users SET active = false WHERE username = 'second'));
my ($queued) = $service->sql(q(SELECT catalogue.enqueue_harvest(id) FROM catalogue.harvest WHERE source = 'own'));
my ($taken) = $service->sql(q(SELECT job FROM catalogue.job_take('test', '{import}')));
is($taken, $queued, 'its job is queued');
is($service->delete("/imports/$queued")->{status}, 409, 'what is being done is not deleted');
$service->sql(qq(SELECT catalogue.harvest_next('$queued', 'test', '1 h')));
$service->sql(qq(SELECT catalogue.harvest_document('$queued', 'test',
	'{"dataset": [{"identifier": "late", "title": "Late", "theme": "Transport"}]}', 1000)));
sub state_of
{
	my ($call) = @_;
	return $service->sql("DO \$\$ BEGIN PERFORM catalogue.$call; EXCEPTION WHEN OTHERS THEN CREATE TEMP TABLE fault AS "
		. "SELECT SQLSTATE AS state; END \$\$; SELECT state FROM fault");
}
is(state_of("harvest_import('$queued', 'test')"), 'OD401', 'a user who was deactivated imports nothing');
is($service->sql(q(SELECT count(*) FROM catalogue.datasets WHERE name IN ('Late', 'Harvested late'))), 0,
	'with the rights of a user who was deactivated nothing is made');
for my $call (qq(harvest_next('$queued', 'other', '1 h')), qq(harvest_document('$queued', 'other', '{}', 1000)),
	qq(harvest_without('$queued', 'other', 'x')), qq(harvest_import('$queued', 'other')))
{
	is(state_of($call), 'OD409', 'not for a worker without the job: ' . $call =~ s/\W.*//r);
}

$service->finish;
