#!/usr/bin/perl
# Upgrade of a catalogue of version 1.0 with data, while it is served by two shims: no request fails, no row changes,
# and then its catalogs are those of a new catalogue.  A change of SQL without its part in sql/updates fails here.

use strict;
use warnings;

use Catalogue::Fingerprint;
use Catalogue::Program qw(slurp);
use Catalogue::Test;
use Catalogue::Worker;
use POSIX ();
use Test::More;
use Time::HiRes qw(sleep time);

my $service = Catalogue::Test->start;
my $new     = $service->{database};
my @fresh   = Catalogue::Fingerprint::of($service, $new);
cmp_ok(scalar @fresh, '>', 2000, 'a new catalogue has objects');

# a catalogue of version 1.0, with the present library
my $old = "${new}_old";
$service->stop_shim;
$service->sql("CREATE DATABASE $old", 'postgres');
$service->sql("SET client_min_messages = warning; CREATE EXTENSION catalogue VERSION '1.0' CASCADE;
	SELECT catalogue.make_roles(), catalogue.bootstrap(); SELECT catalogue.seed('en', '$ENV{CATALOGUE_ADMIN_PASSWORD}')",
		$old);
$service->{database} = $old;
$service->{settings}{CATALOGUE_DATABASE} =~ s/dbname=\S+/dbname=$old/;
$service->start_shim;
$service->as_admin;
my $other = $service->another;

# data of each kind
is($service->post('/tags', { name => "before $_" })->{status}, 201,
	'a library of a later version serves it: a creation') for 1 .. 20;
my ($dataset) = map { $_->{id} } @{ $service->get('/datasets?limit=1')->{json}{data} };
is($service->patch("/datasets/$dataset", { notes => 'changed' })->{status}, 200, 'a change');
is($service->delete('/tags/' . $service->get('/tags/first')->{json}{data}{id})->{status}, 200, 'a deletion');
is($service->get('/health')->{status}, 200, 'it is alive');
$service->sql(
	"SELECT catalogue.add_consumer('Portal'); SELECT catalogue.add_api_key('Portal'); SELECT catalogue.seal_log()");

# a file that was read then: a column of numbers with a sign for no value was text
my $file = $service->get('/files?limit=1')->{json}{data}[0]{id};
$service->sql($_) for (
	q(INSERT INTO catalogue.blob (digest, size) VALUES (sha256('a;b\012x;1\012y;NA\012z;2\012'), 17)),
	q(INSERT INTO catalogue.blob_chunk SELECT id, 0, 'a;b\012x;1\012y;NA\012z;2\012' FROM catalogue.blob WHERE size = 17),
	"INSERT INTO catalogue.stored_file (file, blob, media_type) SELECT '$file', id, 'text/csv' FROM catalogue.blob "
		. 'WHERE size = 17',
	"INSERT INTO catalogue.sheet (file, revision, number, name, row_count, columns) SELECT '$file', nextval("
		. "'catalogue.contents_revision'), 1, '', 3, json_agg(json_build_object('name', c, 'title', c, 'type', 'text')) "
		. "FROM unnest('{a,b}'::text[]) c",
	# packed as extension/rows/sheets/chunk.h says
	'INSERT INTO catalogue.sheet_chunk (sheet, first, count, data) SELECT id, 1, 3, '
		. q('\x010300000002000000150000001b0000002200000002020278797a020302314e4132' FROM catalogue.sheet WHERE file = )
		. "'$file'",
	'SET session_replication_role = replica; UPDATE catalogue.files f SET revision = s.revision, parse_state = '
		. q('ready', row_count = 3, file_name = 'read.csv' FROM catalogue.sheet s WHERE s.file = f.id; )
		. 'RESET session_replication_role');
$service->is_sound('it has no inconsistencies');

# a slug that was permitted then
$service->sql($_) for (
	"INSERT INTO catalogue.tags (id, name, created_by) SELECT 'searched', 'Search', id FROM catalogue.users LIMIT 1",
	"SET session_replication_role = replica; UPDATE catalogue.tags SET slug = 'search' WHERE id = 'searched'; RESET "
		. "session_replication_role",
	# a name that was stored as it was written, beside the same one in NFC
	"INSERT INTO catalogue.tags (id, name, created_by) SELECT v.id, v.name, u.id FROM (VALUES ('one', U&'a\\00F1o'), "
		. "('apart', 'apart')) v(id, name), LATERAL (SELECT id FROM catalogue.users LIMIT 1) u",
	"SET session_replication_role = replica; UPDATE catalogue.tags SET name = U&'an\\0303o' WHERE id = 'apart'; RESET "
		. "session_replication_role");

# The rows of each table, but of those that requests write; of each row the columns of version 1.0.
my %columns = map { split / /, $_, 2 } $service->sql(q{
	SELECT c.relname || ' ' || string_agg(format('t.%I', a.attname), ', ' ORDER BY a.attnum)
	FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
	WHERE c.relnamespace = 'catalogue'::regnamespace AND c.relkind = 'r' AND c.relname NOT IN ('statistics',
		'map_chunk', 'map_tile', 'statistics_by_day', 'sessions', 'attempts', 'upkeep', 'resource', 'recorder', 'logs',
		'change', 'counter', 'tags', 'log_chain', 'rules')
	GROUP BY c.relname}, $old);
sub rows_of
{
	my ($database) = @_;
	return { map { $_ => scalar $service->sql("SELECT count(*) || ' ' || coalesce(sum(hashtext(ROW($columns{$_})::text)), "
		. "0) FROM catalogue.\"$_\" t", $database) } keys %columns };
}
my $rows = rows_of($old);
my $rules = q(SELECT concat_ws(' ', role, resource, action, own) FROM catalogue.rules ORDER BY id);
my @rules_then = $service->sql($rules);
my %result = map { /^function (\S+\(.*?\)) CREATE OR REPLACE FUNCTION .*? RETURNS (.*?) LANGUAGE .*catalogue_shim/
	? ($1 => $2) : () } Catalogue::Fingerprint::of($service, $old);
cmp_ok(scalar keys %result, '>', 50, 'functions that shims of version 1.0 may call');

# who may not update it
eval { $service->sql('SET ROLE catalogue_owner; ALTER EXTENSION catalogue UPDATE') };
is($service->sql(q(SELECT extversion FROM pg_extension WHERE extname = 'catalogue')), '1.0',
	'a role that does not own it does not update it');
# an update that fails at its end
eval { $service->sql('BEGIN; ALTER EXTENSION catalogue UPDATE; SELECT catalogue.bootstrap(); SELECT 1 / 0; COMMIT') };
like($@, qr/division by zero/, 'it fails there');
is($service->sql(q(SELECT extversion FROM pg_extension WHERE extname = 'catalogue')), '1.0', 'an update that fails');
is_deeply(rows_of($old), $rows, 'leaves each row as it was');
is($service->post('/tags', { name => 'after a failure' })->{status}, 201, 'and the service goes on');

# Send a request as a balancer does: what one shim does not take, or is too busy for, goes to the other one.
sub balanced
{
	my ($shims, @request) = @_;
	my $reply;
	for (my $deadline = time + 20; time < $deadline; sleep 0.05)
	{
		$reply = eval { $shims->[0]->request(@request) };
		return $reply if $reply && $reply->{status} != 503;
		$shims = [ reverse @$shims ];
	}
	return $reply // { status => 'no answer', body => '' };
}

my $stop = "$service->{directory}/stop";
my @clients = map {
	my $number = $_;
	my $parent = $$;
	my $pid = fork // die "fork: $!";
	if ($pid == 0)
	{
		my ($made, $longest, @wrong) = (0, 0);
		delete $_->{socket} for $service, $other;
		until (-e $stop || getppid != $parent)
		{
			my @shims = $made % 2 ? ($service, $other) : ($other, $service);
			my $name  = "during $number " . $made++;
			my $begin = time;
			my $reply = balanced(\@shims, 'POST', '/tags', { name => $name }, 'Idempotency-Key' => $name =~ tr/ /-/r);
			push @wrong, "$reply->{status} $reply->{body}" unless $reply->{status} == 201;
			$longest = time - $begin if time - $begin > $longest;
			my $read = balanced(\@shims, 'GET', '/datasets?limit=3&include=tags');
			push @wrong, "$read->{status} $read->{body}" unless $read->{status} =~ /^20[06]$/;
			sleep 0.01;
		}
		open my $out, '>', "$stop-$number" or die "$stop-$number: $!";
		print $out join "\n", $made, $longest, @wrong;
		close $out;
		POSIX::_exit(0);
	}
	$pid;
} 1 .. 3;

sleep 0.5;
$_->{settings}{CATALOGUE_PORT} = $_->{port} for $other;
my $begin = time;
$service->sql('SET client_min_messages = warning; BEGIN; ALTER EXTENSION catalogue UPDATE; SELECT '
	. 'catalogue.make_roles(), catalogue.bootstrap(); COMMIT');
my $took = time - $begin;
sleep 0.5;    # the clients go on with the new SQL and the old shims
is($other->stop_shim, 0, 'a shim is stopped');
$other->start_shim;
sleep 0.5;
open my $out, '>', $stop or die "$stop: $!";
close $out;
waitpid $_, 0 for @clients;
my ($made, $longest, @wrong) = (0, 0);
for (1 .. @clients)
{
	my ($count, $wait, @lines) = split /\n/, slurp("$stop-$_");
	$made += $count;
	$longest = $wait if $wait > $longest;
	push @wrong, @lines;
}
is_deeply(\@wrong, [], sprintf 'no request failed during the update, which took %.1f s; the longest waited %.1f s',
	$took, $longest);
cmp_ok($made, '>', 20, "$made creations");
is($service->sql(q(SELECT count(*) FROM catalogue.tags WHERE name LIKE 'during %')), $made, 'are there, each once');

# with PostGIS it is what a new one is
$service->sql('SELECT catalogue.add_geography()');
is($service->sql(q(SELECT extversion FROM pg_extension WHERE extname = 'catalogue')), $service->sql(
	q(SELECT default_version FROM pg_available_extensions WHERE name = 'catalogue')), 'the version is the present one');
is_deeply([ Catalogue::Fingerprint::difference(\@fresh, [ Catalogue::Fingerprint::of($service, $old) ]) ], [],
	'its catalogs are those of a new catalogue');
is_deeply(rows_of($old), $rows, 'no row has changed');
my @rules = $service->sql($rules);
is_deeply([ @rules[0 .. $#rules_then] ], \@rules_then, 'the rules are there as they were');
is_deeply([ @rules[ @rules_then .. $#rules ] ], [
	map({ "admin $_ read f" } qw(logs statistics users datasetrequests questions)), 'guest logs read t',
	'questions create f' ], 'and those for reading, and of questions');
is($service->sql(q(SELECT string_agg(resource, ' ' ORDER BY resource) FROM catalogue.forms)), 'datasets files',
	'it has the forms of a new catalogue');
is($service->post('/pages', { name => 'About', text => 'Us' })->{status}, 201, 'it takes pages');
is($service->get('/datasets?query=airport&match=WORDS')->{json}{data}[0]{name}, 'Airports',
	'words are found in records of before');
is($service->sql(q(SELECT slug FROM catalogue.tags WHERE id = 'searched')), 'search-2',
	'a slug that is a word of a path has a number now');
is($service->sql(q(SELECT count(*) FROM catalogue.datasets d JOIN catalogue.users u ON u.id = d.created_by WHERE )
	. q(d.organization IS DISTINCT FROM u.organization)), 0,
	'datasets have the organization of their creator');
is($service->sql(q(SELECT name || ' ' || slug FROM catalogue.tags WHERE id = 'apart')), "a\x{C3}\x{B1}o 2 ano-2",
	'a name that is the same in NFC has a number now');
$service->is_sound('it has no inconsistencies');
is($service->sql('SELECT count(*) FROM catalogue.verify_log()'), 0, 'the chain of the log holds')
	or diag($service->sql('SELECT * FROM catalogue.verify_log()'));
my %now = map { /^function (\S+\(.*?\)) CREATE OR REPLACE FUNCTION .*? RETURNS (.*?) LANGUAGE .*catalogue_shim/
	? ($1 => $2) : () } Catalogue::Fingerprint::of($service, $old);
# but for the one of GET /events, which is retired: they answer it with 503
delete $result{'catalogue.events_start(text,text,jsonb)'};
# and for a part of undo(), which they do not call themselves
delete $result{'catalogue.undo_body(text,text,jsonb,jsonb)'};
is_deeply([ grep { ($now{$_} // 'none') ne $result{$_} } sort keys %result ], [],
	'shims of version 1.0 find the functions that they call');
is($service->sql(q(SELECT report::json -> 'checks' ->> 'version' FROM catalogue.readiness('1.0'))), 'ok',
	'and fit to it');
isnt($service->sql(q(SELECT report::json -> 'checks' ->> 'version' FROM catalogue.readiness('9.0'))), 'ok',
	'a later one does not');

# rows that the version before has stored are read as they are, and stored anew
my $selected = "/files/$file/contents?a=y&fields=b";
is($service->get($selected)->{json}{data}[0]{b}, 'NA', 'rows of before are there');
is($service->sql('SELECT catalogue.store_chunks(10)'), 1, 'and are stored as this version stores rows');
is($service->sql('SELECT count(*) FROM catalogue.sheet_chunk WHERE bounds IS NULL'), 0, 'all of them');
is($service->get("$selected&limit=2")->{json}{data}[0]{b}, 'NA', 'as they were');

# what was read by the version before is read anew
my $types = "SELECT string_agg(c ->> 'type', ' ' ORDER BY n) || ' ' || s.reader FROM catalogue.files f JOIN "
	. 'catalogue.sheet s ON s.file = f.id AND s.revision = f.revision, json_array_elements(s.columns) WITH ORDINALITY '
	. "c(c, n) WHERE f.id = '$file' GROUP BY s.id";
is($service->sql($types), 'text text 0', 'a file has the types that the version before has found');
my $then = $service->get("/files/$file")->{json}{data};
my $worker = Catalogue::Worker->start($service);
$worker->wait_for('the reading', sub { $service->sql($types) !~ / 0$/ });
is($service->sql($types), 'text integer ' . $service->sql('SELECT catalogue.reader_version()'),
	'the worker of this version reads it anew');
my $now = $service->get("/files/$file")->{json}{data};
is_deeply([ @{$now}{qw(updatedAt parseState rowCount)} ], [ $then->{updatedAt}, 'ready', 3 ], 'nobody has changed it');
is($service->get("/files/$file/contents?b[gt]=1")->{json}{meta}{count}, 1, 'its rows are compared as numbers');
$worker->finish;
$service->is_sound('it has no inconsistencies after that');

# repeated, as in a working copy, whose functions were other ones
$service->sql($_) for (
	'ALTER EXTENSION catalogue DROP FUNCTION catalogue.robots(text)', 'DROP FUNCTION catalogue.robots(text)',
	'CREATE FUNCTION catalogue.robots(base text) RETURNS integer LANGUAGE sql AS $$ SELECT 1 $$',
	'CREATE FUNCTION catalogue.former(base text) RETURNS text LANGUAGE sql BEGIN ATOMIC SELECT base; END',
	'CREATE FUNCTION catalogue.older(base text) RETURNS text LANGUAGE sql BEGIN ATOMIC SELECT catalogue.former(base); END',
	map { "ALTER EXTENSION catalogue ADD FUNCTION catalogue.$_(text)" } qw(robots former older));
cmp_ok(scalar(my @others = Catalogue::Fingerprint::difference(\@fresh, [ Catalogue::Fingerprint::of($service, $old) ])),
	'>', 3, 'functions are other ones');
$service->sql(q(SET client_min_messages = warning; BEGIN; ALTER EXTENSION catalogue UPDATE TO 'reload'; ALTER )
	. q(EXTENSION catalogue UPDATE; SELECT catalogue.make_roles(), catalogue.bootstrap(); COMMIT));
is_deeply([ Catalogue::Fingerprint::difference(\@fresh, [ Catalogue::Fingerprint::of($service, $old) ]) ], [],
	'repeated, the script changes nothing');
is($service->sql(q(SELECT count(*) FROM catalogue.rules WHERE action = 'read')), 6, 'nor does it add rules again');
is($service->get('/datasets?limit=1')->{status}, 206, 'and it is served');

$other->stop_shim;
$service->sql("DROP DATABASE $new WITH (FORCE)", 'postgres');
$service->finish;
