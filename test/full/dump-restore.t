#!/usr/bin/perl
# A dump contains the whole catalogue: when restored it is the same, with a column and a table that the operator
# has added, and its rules hold.  Dropping the extension deletes no row.

use strict;
use warnings;

use Test::More;
use Catalogue::Program qw(command);
use Catalogue::Test;

my $service = Catalogue::Test->start->as_admin;
my $copy    = "$service->{database}_copy";
my $file    = "$service->{directory}/dump.sql";

# A dump as text, without the two lines that have a new key in each dump.
sub dump_of
{
	my ($database) = @_;
	my $text = command($service->{server}, 'pg_dump', '-d', $database);
	return $text =~ s/^\\(un)?restrict .*\n//mgr;
}

# columns and tables of an operator, deleted records, linked records
$service->sql('ALTER TABLE catalogue.tags ADD COLUMN remark varchar(20); SELECT catalogue.grant_roles()');
$service->sql("CREATE TABLE catalogue.licenses (id catalogue.id PRIMARY KEY, name varchar(150) NOT NULL,
	created_at timestamptz NOT NULL DEFAULT now(), updated_at timestamptz NOT NULL DEFAULT now(),
		deleted_at timestamptz)");
$service->sql("SELECT catalogue.expose('licenses', 'License', unique_living => '{name}')");
is($service->post('/licenses', { name => 'CC BY' })->{status}, 201, 'a table of the operator takes records');
my $tag = $service->post('/tags', { name => 'kept', remark => 'mine' },
	Prefer => 'return=representation')->{json}{data}{id};
my $gone = $service->get('/datasets/first')->{json}{data}{id};
is($service->delete("/datasets/$gone")->{status}, 200, 'a dataset is deleted');

$service->sql('SELECT catalogue.seal_log()');

# a dump restored into an empty database, in one transaction and without messages, gives the same dump
my $before = dump_of($service->{database});
open my $out, '>', $file or die "$file: $!";
print {$out} $before;
close $out;
$service->sql("CREATE DATABASE $copy", 'postgres');
command($service->{server}, 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-o', '/dev/null', '-d', $copy, '-f', $file);
ok(dump_of($copy) eq $before, 'a dump of the copy is byte for byte the dump of the original');

is($service->sql('SELECT count(*) > 100 FROM catalogue.log_chain', $copy), 't',
	'the copy has the chain of hashes of the log');
$service->is_sound('catalogue.check_all() finds nothing in the copy', $copy);

# the copy works: counts, restoration of the deleted dataset with its files, triggers
is($service->sql("SELECT data FROM catalogue.count('licenses')", $copy), '{"count":1}', 'records are counted');
is($service->sql("SELECT data::json ->> 'remark' FROM catalogue.item('tags', '$tag')", $copy), 'mine',
	'the added column is there');
is($service->sql("SELECT id FROM catalogue.restore('datasets', '$gone')", $copy), $gone,
	'the deleted dataset is restored');
is($service->sql("SELECT count(*) FROM catalogue.files WHERE deleted_at IS NOT NULL", $copy), '0',
	'its files are restored with it');
is($service->sql("UPDATE catalogue.tags SET name = 'Kept Still' WHERE id = '$tag' RETURNING slug", $copy), 'kept-still',
	'triggers run');

# rows are restored without triggers: the action log is the same, with no further entries
my $log = "SELECT count(*) || ' ' || sum(hashtext(l::text)) FROM catalogue.logs l";
my $logged = $service->sql($log, $copy);
command($service->{server}, 'pg_dump', '--data-only', '--disable-triggers', '-t', 'catalogue.logs', '-f', $file,
	'-d', $copy);
$service->sql('ALTER TABLE catalogue.logs DISABLE TRIGGER ALL; TRUNCATE catalogue.logs; ALTER TABLE catalogue.logs '
	. 'ENABLE TRIGGER ALL', $copy);
command($service->{server}, 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-o', '/dev/null', '-d', $copy, '-f', $file);
is($service->sql($log, $copy), $logged, 'the rows of the action log are the same');

# without the extension all rows remain, and bootstrap() makes the database a catalogue again
my $rows = 'SELECT (SELECT count(*) FROM catalogue.logs), (SELECT count(*) FROM catalogue.licenses), (SELECT '
	. 'max(time_pattern) FROM catalogue.updatefrequencies)';
my $counted = $service->sql($rows, $copy);
$service->sql('SET client_min_messages = warning; DROP EXTENSION catalogue CASCADE', $copy);
is($service->sql($rows, $copy), $counted, 'dropping the extension removes no row and no column');
$service->sql('CREATE EXTENSION catalogue', $copy);
$service->sql('SELECT catalogue.bootstrap()', $copy);
is($service->sql("SELECT name FROM catalogue.tags WHERE id = '$tag'", $copy), 'Kept Still',
	'the extension works again');
is($service->sql("UPDATE catalogue.tags SET name = 'Ruled Again' WHERE id = '$tag' RETURNING slug", $copy),
	'ruled-again', 'triggers run again');
is($service->sql("SELECT count(*) FROM pg_constraint WHERE contypid = 'catalogue.time_pattern'::regtype", $copy), '1',
	'the check of time patterns is there again');
$service->sql("DROP DATABASE $copy WITH (FORCE)", 'postgres');

$service->finish;
