#!/usr/bin/perl
# Uploaded files are parsed by the worker, in a process without rights that may be killed: whatever process is
# killed, stopped or restarted, a file is parsed completely and once, or has the reason why it could not be.

use strict;
use warnings;

use Test::More;
use Time::HiRes qw(sleep);
use Catalogue::Biff qw(container text_cell xls);
use Catalogue::Client qw($json);
use Catalogue::Parser qw(workbook zip);
use Catalogue::Program qw(slurp);
use Catalogue::Real;
use Catalogue::Test;
use Catalogue::Upload;
use Catalogue::Worker;

my $service = Catalogue::Test->start->as_admin;
my $uploads = Catalogue::Upload->new($service);
my $safely  = 'the file could not be read safely';

# Whether a process has ended, even if its parent has not collected its status yet.
sub is_gone
{
	my ($pid) = @_;
	return slurp("/proc/$pid/stat") !~ /^\d+ \(.*\) [^ZX]/s;
}

sub slow   { return join '', "id,text,number\n", map { "$_,some text of row $_ and more of it,$_.5\n" } 1 .. 120_000 }

# the command line
my ($text, $status) = Catalogue::Worker->run($service, ['--check']);
is($status, 0, '--check with good settings') or diag($text);
like($text, qr/as "catalogue_worker"/, '--check names its role');
($text, $status) = Catalogue::Worker->run($service, ['--check'], CATALOGUE_TOKEN_SECRET => undef);
is($status, 0, 'the worker needs no secret of tokens');
for my $bad ([ CATALOGUE_WORKER_DATABASE => 'host=/nonexistent' ], [ CATALOGUE_WORKER_JOBS => 0 ],
	[ CATALOGUE_WORKER_DATABASE => $service->{settings}{CATALOGUE_DATABASE} ])
{
	($text, $status) = Catalogue::Worker->run($service, ['--check'], @$bad);
	isnt($status, 0, "--check: @$bad is refused");
	isnt($text, '', '--check: a reason is given');
}
($text, $status) = Catalogue::Worker->run($service, ['--help']);
is($status, 0, '--help');
like($text, qr/--once/, '--help shows --once');
($text, $status) = Catalogue::Worker->run($service, ['--nonesuch']);
isnt($status, 0, 'an unknown option is refused');
($text, $status) = Catalogue::Worker->run($service, ['word']);
like($text, qr/unexpected argument "word"/, 'an argument is refused');

# a worker that is started by hand without a database reports that and ends; it does not wait for the database
{
	local %ENV = (%ENV, %{ $service->{settings} }, CATALOGUE_WORKER_DATABASE => 'host=/nonexistent');
	my @become = $> == 0 ? qw(setpriv --reuid=postgres --regid=postgres --clear-groups) : ();
	open my $out, '-|', 'sh', '-c', 'exec "$@" 2>&1', 'sh', qw(timeout -k 5 20), @become, $ENV{CATALOGUE_SHIM},
		'--worker' or die "sh: $!";
	($text) = do { local $/; <$out> };
	close $out;
	is($? >> 8, 1, 'without a database it ends with status 1');
	like($text, qr/^catalogue-worker: could not connect to the database: .*"?\/nonexistent\//,
		'the message has the reason');
	like($text, qr/^Hint: CATALOGUE_WORKER_DATABASE names it/m, 'and the hint the setting');
}

# without a worker a file is pending; --once parses what there is
my $file = $uploads->file('countries.csv', real_file('countries.csv'));
is($file->{parseState}, 'pending', 'without a worker a file is pending');
is($service->get("/files/$file->{id}/contents")->{status}, 409, 'a pending file has no contents');
($text, $status) = Catalogue::Worker->run($service, ['--once']);
is($status, 0, '--once ends') or diag($text);
$file = $service->get("/files/$file->{id}")->{json}{data};
is($file->{parseState}, 'ready', 'the file is parsed');

# real files
my $worker = Catalogue::Worker->start($service);
for my $case ([ 'countries.csv', 249 ], [ 'regions.csv', 3987 ], [ 'navaids.csv', 11008 ], [ 'runways.csv', 48184 ])
{
	my ($name, $rows) = @$case;
	my $bytes = real_file($name);
	my $made  = $worker->wait_for_file($uploads->file($name, $bytes)->{id});
	is($made->{parseState}, 'ready', "$name is parsed") or diag($made->{parseReason});
	is($made->{rowCount}, $rows, 'the file has all its rows');
	is($made->{badRows}, 0, 'no row is bad');
	my $page = $service->get("/files/$made->{id}/contents?skip=" . ($rows - 1));
	my @last = ref $page->{json}{data} eq 'ARRAY' ? @{ $page->{json}{data} } : ();
	is($page->{json}{meta}{count}, $rows, 'the contents have all rows');
	my ($last) = substr($bytes, -1000) =~ /([^\r\n]*)\r?\n?$/;
	is($last[0]{id}, ($last =~ /^"?(\d+)/)[0], 'the contents have the last row');
	my $job = $worker->job('parse', $made->{id});
	is_deeply([ @$job{qw(state attempts done total)} ], [ 'done', 1, length $bytes, length $bytes ], 'the job is done');
}
my $book = $worker->wait_for_file($uploads->file('catalogo.xlsx', real_file('catalogo-justicia.xlsx'))->{id});
is($book->{parseState}, 'ready', 'a workbook is parsed') or diag($book->{parseReason});
cmp_ok($book->{rowCount}, '>', 100, 'the workbook has its rows');

# characters that PostgreSQL cannot store, in titles, names of sheets and cells
my $zeros = $worker->wait_for_file($uploads->file('zeros.xls',
	xls(text_cell(0, 0, "a\0b") . text_cell(1, 0, "c\0") . text_cell(2, 0, 'd'), name => "O\0e"))->{id});
is_deeply([ @$zeros{qw(parseState parseReason rowCount)} ], [ 'ready', undef, 2 ],
	'a workbook with zero characters is parsed');
is_deeply($service->get("/files/$zeros->{id}/contents")->{json}{data},
	[ { _id => 1, "a\x{FFFD}b" => "c\x{FFFD}" }, { _id => 2, "a\x{FFFD}b" => 'd' } ], 'its rows can be read');
is_deeply([ map { "$_->{line}: $_->{reason}" } @{ $service->get("/files/$zeros->{id}/issues")->{json}{data} } ],
	[ map { "$_: a zero byte is shown as U+FFFD" } 1, 2 ], 'the replaced characters are reported');
is($worker->job('parse', $zeros->{id})->{attempts}, 1, 'in one attempt');

# a workbook with one unreadable sheet, and an unreadable workbook
my $half = $worker->wait_for_file($uploads->file('half.xlsx', zip(grep { $_->{name} !~ /sheet1/ } workbook(sheets => [
	map { [ $_, '<sheetData><row><c><v>1</v></c></row><row><c><v>2</v></c></row></sheetData>' ] } 'One', 'Two' ])))->{id});
is_deeply([ @$half{qw(parseState rowCount)} ], [ 'ready', 1 ], 'a workbook without one of its sheets is parsed');
is_deeply([ map { "$_->{name} $_->{rows} " . ($_->{details}{lost} // '') } @{ $service->get(
	"/files/$half->{id}/sheets")->{json}{data} } ], [ 'One 1 ', 'Two 0 all' ], 'its sheets say which one is missing');
is_deeply([ map { $_->{reason} } @{ $service->get("/files/$half->{id}/issues?sheet=Two")->{json}{data} } ],
	['the workbook lacks its part "xl/worksheets/sheet1.xml"; the sheet was left out'], 'the issue has the reason');
my $locked = $worker->wait_for_file($uploads->file('locked.xlsx', container(EncryptedPackage => 'x' x 5000))->{id});
is_deeply([ @$locked{qw(parseState parseReason)} ],
	[ 'failed', 'the workbook is encrypted: save it without a password' ],
	'an XLSX with a password is accepted, and fails with the reason');

# the process that parses has nothing but its two pipes
my $slow = slow();
$worker->hold;
$file = $uploads->file('slow.csv', $slow);
my $parser = $worker->stop_parser;
my ($runner) = slurp("/proc/$parser/stat") =~ /^\d+ \(.*\) \S (\d+)/;
is(slurp("/proc/$parser/environ"), '', 'the process has no environment');
my @files = map { s{.*/}{}r } glob "/proc/$parser/fd/*";
is_deeply([ grep { $_ > 1 } @files ], [], 'the process has no files but its input and its output');

# the process is killed: that is one attempt
kill 'KILL', $parser;
$worker->wait_for('the attempt to fail', sub { ($worker->job('parse', $file->{id})->{state} // '') eq 'queued' });
is($worker->job('parse', $file->{id})->{reason}, $safely, 'a parser that is killed costs an attempt');
$worker->hurry;
$file = $worker->wait_for_file($file->{id});
is_deeply([ @$file{qw(parseState rowCount)} ], [ 'ready', 120_000 ], 'the next attempt parses the file');
is($worker->job('parse', $file->{id})->{attempts}, 2, 'it is the second attempt');

# killed twice: the file has failed, its bytes are kept, and its former contents are shown
$worker->hold;
$service->put("/files/$file->{id}",
	(Catalogue::Upload::form(Catalogue::Upload::part('uploadFile', $slow . "120001,last,1\n", file => 'slow.csv'))));
kill 'KILL', $worker->stop_parser;
$worker->wait_for('the attempt to fail', sub { $worker->job('parse', $file->{id})->{state} eq 'queued' });
$worker->hold;
$worker->hurry;
kill 'KILL', $worker->stop_parser;
$file = $worker->wait_for_file($file->{id});
is_deeply([ @$file{qw(parseState parseReason size)} ], [ 'failed', $safely, length($slow) + 14 ],
	'a parser that is killed twice fails the file');
is($worker->job('parse', $file->{id})->{state}, 'failed', 'the job has failed');
is($service->get("/files/$file->{id}/download")->{body}, $slow . "120001,last,1\n", 'the bytes are kept');

# a parser that hangs is ended, and other files do not wait for it
$worker->hold;
$file = $uploads->file('hangs.csv', $slow);
$worker->stop_parser;
my $other = $worker->wait_for_file($uploads->file('other.csv', real_file('regions.csv'))->{id});
is($other->{parseState}, 'ready', 'other files are parsed while a parser hangs');
$worker->wait_for('the attempt to fail', sub { $worker->job('parse', $file->{id})->{state} eq 'queued' });
is($worker->job('parse', $file->{id})->{reason}, $safely, 'a parser that hangs is ended');
$worker->hurry;
is($worker->wait_for_file($file->{id})->{parseState}, 'ready', 'the next attempt parses the file');

# a job is cancelled
$worker->hold;
$file   = $uploads->file('cancelled.csv', $slow);
$parser = $worker->stop_parser;
my $job = $worker->job('parse', $file->{id});
is($service->post("/jobs/$job->{id}/cancel")->{status}, 200, 'a running job is cancelled');
ok($worker->wait_for('the parser to end', sub { is_gone($parser) }), 'its parser ends');
is($service->get("/jobs/$job->{id}")->{json}{data}{state}, 'cancelled', 'the job is cancelled');
$file = $worker->wait_for_file($file->{id});
is($file->{parseState}, 'failed', 'the file has failed');
is($service->post("/jobs/$job->{id}/cancel")->{status}, 409, 'it cannot be cancelled again');

# new bytes arrive while the file is parsed: the new bytes are parsed
$worker->hold;
$file = $uploads->file('replaced.csv', $slow);
$worker->stop_parser;
$service->put("/files/$file->{id}",
	Catalogue::Upload::form(Catalogue::Upload::part('uploadFile', "a\n1\n2\n", file => 'replaced.csv')));
$file = $worker->wait_for_file($file->{id});
is_deeply([ @$file{qw(parseState rowCount)} ], [ 'ready', 2 ],
	'a file that is replaced while it is parsed has the contents of the new bytes');

# the worker is ended: the job is queued again
$worker->hold;
$file = $uploads->file('stopped.csv', $slow);
$parser = $worker->stop_parser;
is($worker->stop, 0, 'on SIGTERM the worker ends with status 0, whatever it is doing');
ok($worker->wait_for('the parser to end', sub { is_gone($parser) }), 'the parser ends too');
$job = $worker->job('parse', $file->{id});
is_deeply([ @$job{qw(state attempts)} ], [ 'queued', 0 ], 'the job is queued again');
$worker = Catalogue::Worker->start($service);
is($worker->wait_for_file($file->{id})->{parseState}, 'ready', 'the next worker parses the file');

# the worker is killed: no file is lost or stored twice
$worker->hold;
$file   = $uploads->file('killed.csv', $slow);
$parser = $worker->stop_parser;
$worker->stop('KILL');
ok($worker->wait_for('the parser to end', sub { is_gone($parser) }), 'the worker\'s processes end with it');
is($worker->job('parse', $file->{id})->{state}, 'running', 'the job is still marked as running');
$worker = Catalogue::Worker->start($service);
$worker->hurry;
$file = $worker->wait_for_file($file->{id});
is_deeply([ @$file{qw(parseState rowCount)} ], [ 'ready', 120_000 ],
	'when the lease has expired another worker executes the job');
is($service->sql("SELECT count(*) FROM catalogue.sheet WHERE file = '$file->{id}'"), 1, 'the contents are stored once');

# the process of a job is killed, and not only the parser
$worker->hold;
$file = $uploads->file('runner.csv', $slow);
$parser = $worker->stop_parser;
($runner) = slurp("/proc/$parser/stat") =~ /^\d+ \(.*\) \S (\d+)/;
kill 'KILL', $runner;
$worker->wait_for('the attempt to fail', sub { $worker->job('parse', $file->{id})->{state} eq 'queued' });
ok($worker->wait_for('the parser to end', sub { is_gone($parser) }), 'the parser ends with the process of its job');
$worker->hurry;
is($worker->wait_for_file($file->{id})->{parseState}, 'ready', 'the next attempt parses the file');

# PostgreSQL refuses the rows: the job fails with its message; a full disk is a temporary failure
$service->sql(q{CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'rows like }
	. q{these' USING ERRCODE = TG_ARGV[0]; END$$});
for my $case ([ '22P05', 'failed', 'failed' ], [ '23514', 'failed', 'failed' ], [ '54000', 'failed', 'failed' ],
	[ 'XX001', 'failed', 'failed' ], [ '53100', 'pending', 'queued' ], [ '40001', 'pending', 'queued' ])
{
	my ($state, $parsed, $queued) = @$case;
	$service->sql("CREATE OR REPLACE TRIGGER refuse BEFORE INSERT ON catalogue.sheet_chunk FOR EACH ROW EXECUTE FUNCTION "
		. "public.refuse('$state')");
	$file = $uploads->file("refused-$state.csv", "a\n1\n");
	$worker->wait_for('the attempt to fail', sub { ($worker->job('parse', $file->{id})->{reason} // '') ne '' });
	my $reason = $queued eq 'failed' ? 'the database does not take the result: rows like these'
		: 'the result could not be stored';
	is_deeply([ @{ $worker->job('parse', $file->{id}) }{qw(state attempts reason)} ], [ $queued, 1, $reason ],
		"SQLSTATE $state: the job");
	is_deeply([ @{ $service->get("/files/$file->{id}")->{json}{data} }{qw(parseState parseReason)} ],
		[ $parsed, $queued eq 'failed' ? $reason : undef ], "SQLSTATE $state: the file");
}
$service->sql('DROP TRIGGER refuse ON catalogue.sheet_chunk; DROP FUNCTION public.refuse()');

# SIGHUP: the log file is opened again
my $log = "$service->{directory}/logs/test.log";
rename $log, "$log.1" or die;
kill 'HUP', $worker->{pid};
$worker->wait_for_file($uploads->file('hup.csv', "a\n1\n")->{id});
ok($worker->wait_for('a new log file', sub { slurp($log) =~ /"job done"/ }), 'after SIGHUP a new log file is written');
ok((!grep { !ref } map { eval { $json->decode($_) } } split /\n/, slurp($log)), 'the new log file has JSON objects');

$worker->finish;

# the database stops and comes back
my $own = Catalogue::Test->start(cluster => 'private')->as_admin;
$uploads = Catalogue::Upload->new($own);
$worker  = Catalogue::Worker->start($own);
$worker->hold;
$file    = $uploads->file('restart.csv', $slow);
$worker->stop_parser;
$own->cluster('restart');
$worker->wait_for('the service', sub { $own->get('/health')->{status} == 200 });
$worker->wait_for('the worker to connect again',
	sub { $own->sql("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'catalogue-worker'") > 0 });
$worker->hurry;
$file = $worker->wait_for_file($file->{id});
is_deeply([ @$file{qw(parseState rowCount)} ], [ 'ready', 120_000 ],
	'after a restart of the database the file is parsed');
is($own->sql("SELECT count(*) FROM catalogue.sheet WHERE file = '$file->{id}'"), 1, 'its contents are stored once');
$worker->finish;
$own->stop_shim;
$own->is_sound;
$own->end_service;

$service->is_sound;
$service->finish;
