#!/usr/bin/perl
# Files that an earlier version has read are read anew by the worker of this one: what differs is published, and charts
# with other values are logged; all else stays as it was, also where the reading fails.

use strict;
use warnings;

use Test::More;
use Catalogue::Test;
use Catalogue::Upload;
use Catalogue::Worker;

my $service = Catalogue::Test->start->as_admin;
my $uploads = Catalogue::Upload->new($service);
my $worker  = Catalogue::Worker->start($service);

my %file = map { $_ => $uploads->file("$_.csv", "kind;n\nx;$_\ny;NA\nz;3\n")->{id} } 1 .. 4;
is($worker->wait_for_file($_)->{parseState}, 'ready', 'a file is read') for @file{ 1 .. 4 };
is($service->sql('SELECT count(*) FROM catalogue.sheet WHERE reader <> catalogue.reader_version()'), 0,
	'the version of the readers is stored');
my %chart = map {
	my $chart = $service->post('/charts', { name => "Chart $_", type => 'bar', file => $file{$_},
		dataType => 'quantitative', dataSeries => [qw(kind n)] });
	$_ => $chart->{json}{links}{record} =~ s/^\Q$service->{base}\E//r;
} 1 .. 3;
$worker->finish_jobs;
is($worker->stop, 0, 'the worker ends');

# What a version before has left: of the first file another type and the chart that follows of it, the second as it is
# now, damaged bytes of the third, of the fourth nothing, since it is deleted.
$service->sql($_) for (
	'SET session_replication_role = replica; '
		. q(UPDATE catalogue.charts SET data = '{"labels":["x","y","z"],"data":[0,0,0]}' WHERE name = 'Chart 1'),
	q(UPDATE catalogue.sheet SET columns = replace(columns::text, '"integer"', '"text"')::json WHERE file = ')
		. "$file{1}'",
	"UPDATE catalogue.blob_chunk SET bytes = decode('d0cf11e0a1b11ae1', 'hex') WHERE blob = (SELECT blob FROM "
		. "catalogue.stored_file WHERE file = '$file{3}')",
	"UPDATE catalogue.files SET file_name = '3.xls' WHERE id = '$file{3}'",
	'UPDATE catalogue.sheet SET reader = 0');
is($service->delete("/files/$file{4}")->{status}, 200, 'a file is deleted');
is_deeply(figures(), [ 'failed 0', 'waiting 3' ], 'the figures of the operator');

sub figures
{
	return [ $service->sql(
		q(SELECT subject || ' ' || value FROM catalogue.status() WHERE name = 'earlier_sheets' ORDER BY 1)) ];
}

# Records and what is logged of them, as they are now.
sub state_of
{
	my ($path) = @_;
	my $reply = $service->get($path);
	my $id = $path =~ s{.*/}{}r;
	return { etag => $reply->{headers}{etag}, record => $reply->{json}{data},
		versions => $service->get("$path/versions")->{json}{meta}{count},
		logged => scalar $service->sql("SELECT count(*) FROM catalogue.logs WHERE resource = '$id'") };
}
my @paths = ((map { "/files/$file{$_}" } 1 .. 3), @chart{ 1 .. 3 });
my %then = map { $_ => state_of($_) } @paths;

$worker = Catalogue::Worker->start($service);
$worker->wait_for('the readings', sub {
	figures()->[1] eq 'waiting 0';
});
my %now = map { $_ => state_of($_) } @paths;

my ($type) = map { $_->{type} } grep { $_->{name} eq 'n' }
	@{ $service->get("/files/$file{1}/schema")->{json}{data}{fields} };
is($type, 'integer', 'what has changed is published');
isnt($now{"/files/$file{1}"}{etag}, $then{"/files/$file{1}"}{etag}, 'the entity tag of its file is another one');
is($now{"/files/$file{1}"}{record}{updatedAt}, $then{"/files/$file{1}"}{record}{updatedAt}, 'nobody has changed it');
is($now{"/files/$file{1}"}{logged}, $then{"/files/$file{1}"}{logged}, 'nor is that logged');
is_deeply($service->get("$chart{1}/data")->{json}{data}{data}, [ 1, undef, 3 ], 'the chart has its values');
my ($entry) = @{ $service->get('/logs?limit=1')->{json}{data} };
is_deeply([ @{$entry}{qw(action target user)}, $entry->{resource} eq ($chart{1} =~ s{.*/}{}r) ],
	[ 'update', 'chart', undef, 1 ], 'the action log has it');
like($worker->output . join('', map { join(q( ), map { $_ // q() } @{$_}{qw(event message)}) . "\n" } $service->log),
	qr/values changed.*file \w+ was read anew: charts\/\w+$/m, 'and so has the log file');
is_deeply($now{$_}, $then{$_}, "unchanged: $_") for "/files/$file{2}", "/files/$file{3}", @chart{ 2, 3 };
is($worker->job('reparse', $file{3})->{state}, 'failed', 'what cannot be read anew is told by its job');
is($service->get("/files/$file{3}/contents")->{json}{meta}{count}, 3, 'and keeps its rows');
is_deeply(figures(), [ 'failed 1', 'waiting 0' ], 'so say the figures');
is($worker->job('reparse', $file{4}), undef, 'a deleted file is not read anew');
is($service->sql('SELECT catalogue.reparse(catalogue.reader_version())'), 'f', 'nothing is left to read');
$service->sql("UPDATE catalogue.blob_chunk SET bytes = 'kind;n\nx;3\ny;NA\nz;3\n' WHERE blob = (SELECT blob FROM "
	. "catalogue.stored_file WHERE file = '$file{3}')");
$service->is_sound('nothing else is inconsistent');

$worker->finish;
$service->finish;
