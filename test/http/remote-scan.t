#!/usr/bin/perl
# Answers of remote services are scanned where uploads are held until then: none becomes the contents of a file before a
# scanner has found it clean, and one that is harmful leaves the file what it had.

use strict;
use warnings;

use Catalogue::RemoteService;
use Catalogue::Test;
use Test::More;

my $scanner = q(if bytes=$(cat) && [ "${bytes#*harmful}" = "$bytes" ]; then exit 0; else echo 'Test.Virus'; exit 1; fi);
my $service = Catalogue::Test->start(Catalogue::RemoteService::settings())->as_admin;
my $remote;

# What a service answers.
sub json { return { headers => { 'Content-Type' => 'application/json' }, body => qq([{"a": "$_[0]"}]) } }

$service->sql("ALTER DATABASE $service->{database} SET catalogue.hold_uploads = on");

# no scanner: nothing is read
$remote = Catalogue::RemoteService->start($service);
is($remote->outcome('rest', 'waits', json('clean')), 'the answer is to be scanned, and there is no scanner',
	'an answer without a scanner');
$remote->stop;

# a scanner: what it finds clean is read, what it finds harmful is not
$remote = Catalogue::RemoteService->start($service, CATALOGUE_SCANNER => $scanner);
is($remote->outcome('rest', 'clean', json('clean')), 'a=clean', 'a clean answer');
is($remote->outcome('rest', 'harmful', json('harmful')), 'the scanner has found Test.Virus', 'a harmful answer');
is($remote->outcome('rest', 'xml', { headers => { 'Content-Type' => 'text/xml' },
	body => '<l><r><a>harmful</a></r></l>' }), 'the scanner has found Test.Virus', 'a harmful answer in XML');
my $file = $remote->new_file;
$remote->set('turns', %{ json('first') });
$remote->serve('rest', $file, 'turns');
is(($remote->fetches($file, 1))[0]{outcome}, 'loaded', 'a clean answer is loaded');
$remote->set('turns', %{ json('harmful') });
is($service->post("/files/$file/refresh")->{status}, 202, 'the file is fetched again');
is_deeply([ @{ ($remote->fetches($file, 2))[0] }{qw(outcome reason)} ],
	[ 'failed', 'the scanner has found Test.Virus' ], 'the answer is harmful now');
is($remote->rows($file), 'a=first', 'the file keeps its rows');
unlike($service->get("/files/$file/download")->{body}, qr/harmful/, 'and its bytes');
$remote->stop;

# a scanner that gives no valid answer finds nothing clean
$remote = Catalogue::RemoteService->start($service, CATALOGUE_SCANNER => 'exit 2');
is($remote->outcome('rest', 'broken', json('clean')), 'the scanner gave no valid answer', 'a scanner that fails');
$remote->stop;

# the database refuses what a worker has not scanned, be it that uploads were not held yet when it began
my $job = $service->sql("SELECT catalogue.enqueue('fetch', 'file', '$file')");
$service->sql("UPDATE catalogue.job_queue SET worker = 'w' WHERE job = '$job'");
is($service->sql(
	<<"SQL"), 'OD409 the answer was not scanned', 'an answer that was not scanned is refused by the database');
CREATE FUNCTION pg_temp.refusal() RETURNS text LANGUAGE plpgsql AS
\$\$
BEGIN
    PERFORM catalogue.fetch_store('$job', 'w', 1, '{"form": "json", "scanned": false}');
    RETURN 'stored';
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE || ' ' || SQLERRM;
END
\$\$;
SELECT pg_temp.refusal();
SQL

$service->finish;
