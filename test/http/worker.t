#!/usr/bin/perl
# Files that come through the API are read by the worker, in a process that has nothing and may die:
# whatever is killed, stopped or restarted, a file is read once and whole, or says why it could not be.

use strict;
use warnings;

use Test::More;
use Time::HiRes qw(sleep);
use Catalogue::Biff qw(container text_cell xls);
use Catalogue::Parser qw(workbook zip);
use Catalogue::Real;
use Catalogue::Test;
use Catalogue::Upload;
use Catalogue::Worker;

my $service = Catalogue::Test->start->as_admin;
my $uploads = Catalogue::Upload->new($service);
my $safely  = 'the file could not be read safely';

# Has a process ended?  Somebody else may still have to take note of that.
sub is_gone
{
	my ($pid) = @_;
	return Catalogue::Test::slurp("/proc/$pid/stat") !~ /^\d+ \(.*\) [^ZX]/s;
}

sub slow   { return join '', "id,text,number\n", map { "$_,some text of row $_ and more of it,$_.5\n" } 1 .. 120_000 }

# the command line
my ($text, $status) = Catalogue::Worker->run($service, ['--check']);
is($status, 0, '--check with good settings') or diag($text);
like($text, qr/as "catalogue_worker"/, 'and it says who it is');
($text, $status) = Catalogue::Worker->run($service, ['--check'], CATALOGUE_TOKEN_SECRET => undef);
is($status, 0, 'the secret of tokens is none of its business');
for my $bad ([ CATALOGUE_WORKER_DATABASE => 'host=/nonexistent' ], [ CATALOGUE_WORKER_JOBS => 0 ],
	[ CATALOGUE_WORKER_DATABASE => $service->{settings}{CATALOGUE_DATABASE} ])
{
	($text, $status) = Catalogue::Worker->run($service, ['--check'], @$bad);
	isnt($status, 0, "--check: @$bad is refused");
	isnt($text, '', 'with a reason');
}
($text, $status) = Catalogue::Worker->run($service, ['--help']);
is($status, 0, '--help');
like($text, qr/--once/, '--help shows --once');
($text, $status) = Catalogue::Worker->run($service, ['--nonesuch']);
isnt($status, 0, 'an unknown option is refused');
($text, $status) = Catalogue::Worker->run($service, ['word']);
like($text, qr/unexpected argument "word"/, 'an argument is refused');

# started by hand where there is no database, it says so and ends; it does not wait for one to come
{
	local %ENV = (%ENV, %{ $service->{settings} }, CATALOGUE_WORKER_DATABASE => 'host=/nonexistent');
	my @become = $> == 0 ? qw(setpriv --reuid=postgres --regid=postgres --clear-groups) : ();
	open my $out, '-|', 'sh', '-c', 'exec "$@" 2>&1', 'sh', qw(timeout -k 5 20), @become, $ENV{CATALOGUE_SHIM}, '--worker' or die "sh: $!";
	($text) = do { local $/; <$out> };
	close $out;
	is($? >> 8, 1, 'without a database it ends with status 1');
	like($text, qr/^catalogue-worker: could not connect to the database: .*"?\/nonexistent\/.*\nHint: CATALOGUE_WORKER_DATABASE names it/, 'and says why');
}

# without a worker a file waits; --once does what there is
my $file = $uploads->file('countries.csv', real_file('countries.csv'));
is($file->{parseState}, 'pending', 'without a worker a file waits');
is($service->get("/files/$file->{id}/contents")->{status}, 409, 'and has no contents');
($text, $status) = Catalogue::Worker->run($service, ['--once']);
is($status, 0, '--once ends') or diag($text);
$file = $service->get("/files/$file->{id}")->{json}{data};
is($file->{parseState}, 'ready', 'and the file is read');

# real files
my $worker = Catalogue::Worker->start($service);
for my $case ([ 'countries.csv', 249 ], [ 'regions.csv', 3987 ], [ 'navaids.csv', 11008 ], [ 'runways.csv', 48184 ])
{
	my ($name, $rows) = @$case;
	my $bytes = real_file($name);
	my $made  = $worker->wait_for_file($uploads->file($name, $bytes)->{id});
	is($made->{parseState}, 'ready', "$name is read") or diag($made->{parseReason});
	is($made->{rowCount}, $rows, 'all its rows');
	is($made->{badRows}, 0, 'and none is bad');
	my $page = $service->get("/files/$made->{id}/contents?skip=" . ($rows - 1));
	my @last = ref $page->{json}{data} eq 'ARRAY' ? @{ $page->{json}{data} } : ();
	is($page->{json}{meta}{count}, $rows, 'its contents have them');
	my ($last) = substr($bytes, -1000) =~ /([^\r\n]*)\r?\n?$/;
	is($last[0]{id}, ($last =~ /^"?(\d+)/)[0], 'to the last one');
	my $job = $worker->job('parse', $made->{id});
	is_deeply([ @$job{qw(state attempts done total)} ], [ 'done', 1, length $bytes, length $bytes ], 'the job is done');
}
my $book = $worker->wait_for_file($uploads->file('catalogo.xlsx', real_file('catalogo-justicia.xlsx'))->{id});
is($book->{parseState}, 'ready', 'a workbook is read') or diag($book->{parseReason});
cmp_ok($book->{rowCount}, '>', 100, 'with its rows');

# texts with what PostgreSQL cannot keep, in the titles, the name of the sheet and the cells
my $zeros = $worker->wait_for_file($uploads->file('zeros.xls', xls(text_cell(0, 0, "a\0b") . text_cell(1, 0, "c\0") . text_cell(2, 0, 'd'), name => "O\0e"))->{id});
is_deeply([ @$zeros{qw(parseState parseReason rowCount)} ], [ 'ready', undef, 2 ], 'a workbook with zero characters is read');
is_deeply($service->get("/files/$zeros->{id}/contents")->{json}{data}, [ { _id => 1, "a\x{FFFD}b" => "c\x{FFFD}" }, { _id => 2, "a\x{FFFD}b" => 'd' } ], 'and its rows are given');
is_deeply([ map { "$_->{line}: $_->{reason}" } @{ $service->get("/files/$zeros->{id}/issues")->{json}{data} } ], [ map { "$_: a zero byte is shown as U+FFFD" } 1, 2 ], 'with what was replaced');
is($worker->job('parse', $zeros->{id})->{attempts}, 1, 'at once');

# one sheet that cannot be read, and a workbook that cannot
my $half = $worker->wait_for_file($uploads->file('half.xlsx', zip(grep { $_->{name} !~ /sheet1/ } workbook(sheets => [ map { [ $_, '<sheetData><row><c><v>1</v></c></row><row><c><v>2</v></c></row></sheetData>' ] } 'One', 'Two' ])))->{id});
is_deeply([ @$half{qw(parseState rowCount)} ], [ 'ready', 1 ], 'a workbook without one of its sheets is read');
is_deeply([ map { "$_->{name} $_->{rows} " . ($_->{details}{lost} // '') } @{ $service->get("/files/$half->{id}/sheets")->{json}{data} } ], [ 'One 1 ', 'Two 0 all' ], 'its sheets say which');
is_deeply([ map { $_->{reason} } @{ $service->get("/files/$half->{id}/issues?sheet=Two")->{json}{data} } ], ['the workbook lacks its part "xl/worksheets/sheet1.xml"; the sheet was left out'], 'and why');
my $locked = $worker->wait_for_file($uploads->file('locked.xlsx', container(EncryptedPackage => 'x' x 5000))->{id});
is_deeply([ @$locked{qw(parseState parseReason)} ], [ 'failed', 'the workbook is encrypted: save it without a password' ], 'an XLSX with a password is taken, and called encrypted');

# the process that reads has nothing but its two pipes
my $slow = slow();
$worker->hold;
$file = $uploads->file('slow.csv', $slow);
my $parser = $worker->stop_parser;
my ($runner) = Catalogue::Test::slurp("/proc/$parser/stat") =~ /^\d+ \(.*\) \S (\d+)/;
is(Catalogue::Test::slurp("/proc/$parser/environ"), '', 'it has no environment');
my @files = map { s{.*/}{}r } glob "/proc/$parser/fd/*";
is_deeply([ grep { $_ > 1 } @files ], [], 'it has no files but its input and its output');

# it is killed: that costs one attempt
kill 'KILL', $parser;
$worker->wait_for('the attempt to fail', sub { ($worker->job('parse', $file->{id})->{state} // '') eq 'queued' });
is($worker->job('parse', $file->{id})->{reason}, $safely, 'a parser that is killed costs an attempt');
$worker->hurry;
$file = $worker->wait_for_file($file->{id});
is_deeply([ @$file{qw(parseState rowCount)} ], [ 'ready', 120_000 ], 'and the next one reads the file');
is($worker->job('parse', $file->{id})->{attempts}, 2, 'which was the second');

# twice: the file says so, keeps its bytes, and its former contents are shown
$worker->hold;
$service->put("/files/$file->{id}", (Catalogue::Upload::form(Catalogue::Upload::part('uploadFile', $slow . "120001,last,1\n", file => 'slow.csv'))));
kill 'KILL', $worker->stop_parser;
$worker->wait_for('the attempt to fail', sub { $worker->job('parse', $file->{id})->{state} eq 'queued' });
$worker->hold;
$worker->hurry;
kill 'KILL', $worker->stop_parser;
$file = $worker->wait_for_file($file->{id});
is_deeply([ @$file{qw(parseState parseReason size)} ], [ 'failed', $safely, length($slow) + 14 ], 'a parser that is killed twice fails the file');
is($worker->job('parse', $file->{id})->{state}, 'failed', 'and the job');
is($service->get("/files/$file->{id}/download")->{body}, $slow . "120001,last,1\n", 'its bytes are there');

# it hangs: the file is given up, and others do not wait for that
$worker->hold;
$file = $uploads->file('hangs.csv', $slow);
$worker->stop_parser;
my $other = $worker->wait_for_file($uploads->file('other.csv', real_file('regions.csv'))->{id});
is($other->{parseState}, 'ready', 'while a parser hangs other files are read');
$worker->wait_for('the attempt to fail', sub { $worker->job('parse', $file->{id})->{state} eq 'queued' });
is($worker->job('parse', $file->{id})->{reason}, $safely, 'a parser that hangs is ended');
$worker->hurry;
is($worker->wait_for_file($file->{id})->{parseState}, 'ready', 'and the next attempt reads the file');

# a job is cancelled
$worker->hold;
$file   = $uploads->file('cancelled.csv', $slow);
$parser = $worker->stop_parser;
my $job = $worker->job('parse', $file->{id});
is($service->post("/jobs/$job->{id}/cancel")->{status}, 200, 'a running job is cancelled');
ok($worker->wait_for('the parser to end', sub { is_gone($parser) }), 'its parser ends');
is($service->get("/jobs/$job->{id}")->{json}{data}{state}, 'cancelled', 'the job says so');
$file = $worker->wait_for_file($file->{id});
is($file->{parseState}, 'failed', 'and so does the file');
is($service->post("/jobs/$job->{id}/cancel")->{status}, 409, 'it cannot be cancelled again');

# other bytes come while the file is read: those are what is read
$worker->hold;
$file = $uploads->file('replaced.csv', $slow);
$worker->stop_parser;
$service->put("/files/$file->{id}", Catalogue::Upload::form(Catalogue::Upload::part('uploadFile', "a\n1\n2\n", file => 'replaced.csv')));
$file = $worker->wait_for_file($file->{id});
is_deeply([ @$file{qw(parseState rowCount)} ], [ 'ready', 2 ], 'a file that is replaced while it is read has the contents of the new bytes');

# the worker is ended: the job is given back
$worker->hold;
$file = $uploads->file('stopped.csv', $slow);
$parser = $worker->stop_parser;
is($worker->stop, 0, 'on SIGTERM the worker ends with status 0, whatever it is doing');
ok($worker->wait_for('the parser to end', sub { is_gone($parser) }), 'and so does the parser');
$job = $worker->job('parse', $file->{id});
is_deeply([ @$job{qw(state attempts)} ], [ 'queued', 0 ], 'the job is given back');
$worker = Catalogue::Worker->start($service);
is($worker->wait_for_file($file->{id})->{parseState}, 'ready', 'and done by the next worker');

# the worker is killed: nothing is lost, nothing is there twice
$worker->hold;
$file   = $uploads->file('killed.csv', $slow);
$parser = $worker->stop_parser;
$worker->stop('KILL');
ok($worker->wait_for('the parser to end', sub { is_gone($parser) }), 'with the worker its processes end');
is($worker->job('parse', $file->{id})->{state}, 'running', 'nobody knows yet');
$worker = Catalogue::Worker->start($service);
$worker->hurry;
$file = $worker->wait_for_file($file->{id});
is_deeply([ @$file{qw(parseState rowCount)} ], [ 'ready', 120_000 ], 'when its lease has ended the job is done by another worker');
is($service->sql("SELECT count(*) FROM catalogue.sheet WHERE file = '$file->{id}'"), 1, 'the contents are there once');

# the process of a job is killed, and not only the parser
$worker->hold;
$file = $uploads->file('runner.csv', $slow);
$parser = $worker->stop_parser;
($runner) = Catalogue::Test::slurp("/proc/$parser/stat") =~ /^\d+ \(.*\) \S (\d+)/;
kill 'KILL', $runner;
$worker->wait_for('the attempt to fail', sub { $worker->job('parse', $file->{id})->{state} eq 'queued' });
ok($worker->wait_for('the parser to end', sub { is_gone($parser) }), 'the parser ends with the process that feeds it');
$worker->hurry;
is($worker->wait_for_file($file->{id})->{parseState}, 'ready', 'the next attempt reads the file');

# PostgreSQL refuses what was read: that is final, with what it says; a full disk is not
$service->sql(q{CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'rows like these' USING ERRCODE = TG_ARGV[0]; END$$});
for my $case ([ '22P05', 'failed', 'failed' ], [ '23514', 'failed', 'failed' ], [ '54000', 'failed', 'failed' ], [ 'XX001', 'failed', 'failed' ], [ '53100', 'pending', 'queued' ], [ '40001', 'pending', 'queued' ])
{
	my ($state, $parsed, $queued) = @$case;
	$service->sql("CREATE OR REPLACE TRIGGER refuse BEFORE INSERT ON catalogue.sheet_chunk FOR EACH ROW EXECUTE FUNCTION public.refuse('$state')");
	$file = $uploads->file("refused-$state.csv", "a\n1\n");
	$worker->wait_for('the attempt to fail', sub { ($worker->job('parse', $file->{id})->{reason} // '') ne '' });
	my $reason = $queued eq 'failed' ? 'the database does not take the result: rows like these' : 'the result could not be stored';
	is_deeply([ @{ $worker->job('parse', $file->{id}) }{qw(state attempts reason)} ], [ $queued, 1, $reason ], "SQLSTATE $state: the job");
	is_deeply([ @{ $service->get("/files/$file->{id}")->{json}{data} }{qw(parseState parseReason)} ], [ $parsed, $queued eq 'failed' ? $reason : undef ], 'and the file');
}
$service->sql('DROP TRIGGER refuse ON catalogue.sheet_chunk; DROP FUNCTION public.refuse()');

# SIGHUP: the log is taken up anew
my $log = "$service->{directory}/logs/test.log";
rename $log, "$log.1" or die;
kill 'HUP', $worker->{pid};
$worker->wait_for_file($uploads->file('hup.csv', "a\n1\n")->{id});
ok($worker->wait_for('a new log file', sub { Catalogue::Test::slurp($log) =~ /"job done"/ }), 'after SIGHUP a new log file is written');
ok((!grep { !ref } map { eval { $Catalogue::Test::json->decode($_) } } split /\n/, Catalogue::Test::slurp($log)), 'of JSON objects');

$worker->finish;

# the database goes away and comes back
my $own = Catalogue::Test->start(cluster => 'private')->as_admin;
$uploads = Catalogue::Upload->new($own);
$worker  = Catalogue::Worker->start($own);
$worker->hold;
$file    = $uploads->file('restart.csv', $slow);
$worker->stop_parser;
$own->cluster('restart');
$worker->wait_for('the service', sub { $own->get('/health')->{status} == 200 });
$worker->wait_for('the worker to connect again', sub { $own->sql("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'catalogue-worker'") > 0 });
$worker->hurry;
$file = $worker->wait_for_file($file->{id});
is_deeply([ @$file{qw(parseState rowCount)} ], [ 'ready', 120_000 ], 'after a restart of the database the file is read');
is($own->sql("SELECT count(*) FROM catalogue.sheet WHERE file = '$file->{id}'"), 1, 'once');
$worker->finish;
is($own->stop_shim, 0, 'on SIGTERM the shim ends with status 0');
$own->is_sound;
$own->clean;

$service->is_sound;
$service->finish;
