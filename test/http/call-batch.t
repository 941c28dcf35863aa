#!/usr/bin/perl
# Reads that wait at the same time are executed together: equal reads once, several records by one
# statement.  Each request gets its own answer, and no answer is older than its request.

use strict;
use warnings;

use Test::More;
use POSIX ();
use Time::HiRes qw(sleep time);
use Catalogue::Clock qw(wait_until);
use Catalogue::Program qw(slurp);
use Catalogue::Session;
use Catalogue::Test;

# one connection for slow reads and one for quick ones; the lock time-out is two fifths of the call time-out
my $service = Catalogue::Test->start(
	CATALOGUE_THREADS            => 1,
	CATALOGUE_SHARED_CONNECTIONS => 1,
	CATALOGUE_POOL               => 1,
	CATALOGUE_CALL_TIMEOUT       => '60s',
	CATALOGUE_QUEUE_TIMEOUT      => '60s',
)->as_admin;
$service->sql("ALTER DATABASE $service->{database} SET track_functions = 'all'");
$service->end_connections;
my @datasets = map { $_->{id} } @{ $service->get('/datasets?limit=5')->{json}{data} };

# Lock a table; return the function that releases it.
sub lock_table
{
	my ($table) = @_;
	my $session = Catalogue::Session->new($service);
	$session->run("BEGIN; LOCK TABLE catalogue.$table");
	return sub { $session->run('COMMIT'); $session->finish };
}

# Send a request over a connection, without waiting for the answer.
sub ask_over
{
	my ($socket, $target, %headers) = @_;
	my %all = (Host => "127.0.0.1:$service->{port}", Authorization => "Bearer $service->{token}", %headers);
	syswrite $socket, join "\r\n", "GET $target HTTP/1.1",
		(map { "$_: $all{$_}" } grep { defined $all{$_} } sort keys %all), '', '';
	return $socket;
}

# Send a request over a new connection, without waiting for the answer.
sub ask
{
	my (@request) = @_;
	return ask_over($service->connection, @request);
}

sub answer
{
	my ($socket) = @_;
	return $service->raw('', socket => $socket, timeout => 60)->{replies}[0];
}

# Wait until so many of the shim's calls wait for a lock, and all requests that were sent have been read.
sub until_waiting
{
	my ($count) = @_;
	my $query = q(SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = )
		. q('catalogue-shim' AND wait_event_type = 'Lock');
	wait_until("$count calls wait for a lock", sub { $service->sql($query) >= $count });
	$service->until_read;
	return;
}

# How often a function has been called, as soon as the number reaches the expected one; PostgreSQL counts the
# calls of a connection when it ends, at the latest.
sub calls
{
	my ($function, $least) = @_;
	my $query = "SELECT coalesce(sum(calls), 0) FROM pg_stat_user_functions WHERE schemaname = 'catalogue' AND funcname = "
		. "'$function'";
	my $calls;
	$service->end_connections;
	wait_until("$least calls of $function()", sub { ($calls = $service->sql($query)) >= $least });
	return $calls;
}

# A page that is in the cache is read without the tables, so each list here is a new one.
# While the only connection for filtered lists waits for a lock, the same list is requested many times.
my $list    = '/datasets?tags.name=a&limit=3';
my $release = lock_table('tags');
my @first   = (ask($list));
until_waiting(1);
sleep 0.2; # the time itself is meant: a page is not sent behind another on a connection without a result for 50 ms
my @same  = map { ask($list) } 1 .. 20;
my @other = map { ask("/datasets?tags.name=a&limit=$_") } 1 .. 2;
my $nobody = ask($list, Authorization => undef);
until_waiting(1);
$release->();
my ($sent, @answers) = map { answer($_) } @first, @same;
is(scalar(grep { $_->{status} == $sent->{status} && $_->{body} eq $sent->{body} } @answers), 20,
	'equal requests get the same answer');
is_deeply([ map { answer($_)->{json}{meta}{limit} } @other ], [ 1, 2 ], 'other requests get their own answers');
is(answer($nobody)->{json}{meta}{limit}, 3, 'an outsider\'s request gets its own answer');
is(calls('list', 6), 6,
	'one call for the first request, one for the equal ones, one for each of the others, and the first of the service');

# A read that starts after a write was acknowledged sees it, even when an older read of the same list is still running.
$release = lock_table('tags');
my $older = ask('/statuses?name=Draft&limit=7');
until_waiting(0);
my $blocked = ask('/datasets?tags.name=a&limit=4');
until_waiting(1);
my $waiting = ask('/statuses?name=Draft&limit=8');
until_waiting(1);
$service->sql(q(UPDATE catalogue.statuses SET name = 'Draft of late' WHERE name = 'Draft'));
my $newer = ask('/statuses?name=Draft&limit=8');
$service->until_read;
$release->();
answer($_) for $older, $blocked;
like(answer($_)->{body}, qr/of late/, 'reads that were sent after the write see it') for $waiting, $newer;

# Items that are requested at one moment are rows of one statement: each request gets its own record, and its
# entity tag is compared.
my %tag  = map { $_ => $service->get("/datasets/$_")->{headers}{etag} } @datasets;
my $many = sub {
	my (@targets) = @_;
	$release = lock_table('users');
	my @sockets = (ask("/datasets/$datasets[0]"));
	until_waiting(1);
	push @sockets, map { ask(@$_) } @targets;
	$service->until_read;
	$release->();
	my @answers = map { answer($_) } @sockets;
	return @answers[ 1 .. $#answers ];
};
my @items = $many->(map { [ "/datasets/$_" ] } @datasets, @datasets);
is_deeply([ map { $_->{json}{data}{id} } @items ], [ @datasets, @datasets ], 'each request gets its own record');
@items = $many->(map { [ "/datasets/$_", 'If-None-Match' => $tag{$_} ] } @datasets);
is_deeply([ map { $_->{status} } @items ], [ (304) x @datasets ], 'requests with the current tag get 304');
@items = $many->([ "/datasets/$datasets[0]", 'If-None-Match' => $tag{ $datasets[1] } ],
	[ "/datasets/$datasets[1]", 'If-None-Match' => $tag{ $datasets[1] } ]);
is_deeply([ map { $_->{status} } @items ], [ 200, 304 ], 'the tag of another record does not match');

# A request that fails does not affect the others.
@items = $many->([ "/datasets/$datasets[0]" ], ['/datasets/nothing'], [ "/datasets/$datasets[1]" ],
	['/datasets/%22%5C,NULL%7D'], [ "/datasets/$datasets[1]" ], ['/datasets/nothing']);
is_deeply([ map { $_->{status} } @items ], [ 200, 404, 200, 404, 200, 404 ], 'each request gets its own status');
is($items[2]{json}{data}{id}, $datasets[1], 'a request after a failed one gets its own record');
my @missing = $many->(map { ['/datasets/nothing'] } 1 .. 40);
is(scalar(grep { $_->{status} == 404 } @missing), 40, 'a missing record is missing for all requests');

# How often the shim has called items() so far: the calls of a connection are counted when it ends, at the latest.
sub item_calls
{
	$service->end_connections;
	for my $path ("/datasets/$datasets[0]/tags", '/datasets?tags.name=a&limit=10')
	{
		wait_until('the shim has connected again', sub { $service->get($path)->{status} < 300 });
	}
	return $service->sql(
		"SELECT coalesce(sum(calls), 0) FROM pg_stat_user_functions WHERE schemaname = 'catalogue' AND funcname = 'items'");
}

# Stop the shim with a signal, and wait until each thread is stopped.
sub stop_shim
{
	kill 'STOP', $service->{pid};
	for my $stat (glob "/proc/$service->{pid}/task/*/stat")
	{
		wait_until('a thread is stopped', sub { slurp($stat) =~ /\) T/ });
	}
	return;
}

# A missing record is a row that says so.  The shim is stopped until all requests are sent, over connections that
# it has already accepted, so that it reads all of them in one turn and makes one statement of them.
my @alone = map { $service->get("/datasets/$_")->{body} } $datasets[0], 'nothing', $datasets[1], '%22%5C,NULL%7D';
my $together = sub {
	my $before  = item_calls();
	my @asked   = map { ["/datasets/$_"] } $datasets[0], 'nothing', $datasets[1], '%22%5C,NULL%7D',
		$datasets[1], 'nothing';
	# a request with a tag, which could be compared before the record is read
	push @asked, ["/datasets/$datasets[2]", 'If-None-Match' => '*'];
	my @sockets = map { ask('/tags?limit=1') } @asked;
	answer($_) for @sockets;
	stop_shim();
	ask_over($sockets[$_], @{ $asked[$_] }) for 0 .. $#asked;
	kill 'CONT', $service->{pid};
	my @rows = map { answer($_) } @sockets;
	is_deeply([ map { $_->{status} } @rows ], [ 200, 404, 200, 404, 200, 404, 304 ], 'each request gets its own status');
	is_deeply([ map { $_->{body} } @rows ], [ @alone, @alone[ 2, 1 ], '' ],
		'each answer is the same as without the batch');
	return item_calls() - $before;
};
is($together->(), 1, 'a missing record causes no further call');

# When the statement as a whole fails, each record is read by a separate call; failed calls are not counted.
$service->sql(<<'SQL');
ALTER FUNCTION catalogue.items RENAME TO items_of_one;
CREATE FUNCTION catalogue.items(resource text, ids text[], query text, relations text, actor jsonb,
    known text[]) RETURNS bytea LANGUAGE plpgsql STABLE AS
$$
BEGIN
    IF cardinality(ids) > 1 THEN
        RAISE 'only one at a time';
    END IF;
    RETURN catalogue.items_of_one(resource, ids, query, relations, actor, known);
END
$$;
SQL
is($together->(), 7, 'each record is read by a separate call when the statement fails');
$service->sql('DROP FUNCTION catalogue.items; ALTER FUNCTION catalogue.items_of_one RENAME TO items');
item_calls();

# Clients that disconnect while the answer is generated do not affect the others with the same request.
$list    = '/datasets?tags.name=a&limit=5';
$release = lock_table('tags');
@first   = (ask($list));
until_waiting(1);
my @gone = map { ask($list) } 1 .. 5;
my @left = map { ask($list) } 1 .. 5;
$service->until_read;
close $_ for @gone[ 0, 2, 4 ];
$release->();
is(scalar(grep { answer($_)->{status} =~ /^20[06]$/ } @first, @left, @gone[ 1, 3 ]), 8,
	'clients that stay are answered');

# Many requests at once, with writes between: no request gets another record, or an old state.
my @children = map {
	my $number = $_;
	my $pid = fork // die "fork: $!";
	if (!$pid)
	{
		delete $service->{socket};
		srand $number;
		for my $round (1 .. 200)
		{
			my $id = $datasets[ rand @datasets ];
			my $reply = $service->get("/datasets/$id");
			POSIX::_exit(1) unless $reply->{status} == 200 && $reply->{json}{data}{id} eq $id;
		}
		POSIX::_exit(0);
	}
	$pid;
} 1 .. 8;
my $stale = 0;
for my $round (1 .. 100)
{
	$service->patch("/datasets/$datasets[0]", { notes => "note $round" });
	$stale++ unless $service->get("/datasets/$datasets[0]")->{json}{data}{notes} eq "note $round";
}
is($stale, 0, 'a client sees what it has written');
is(scalar(grep { waitpid($_, 0) != $_ || $? } @children), 0, 'each request gets its own record during writes');

$service->finish;
done_testing unless Test::More->builder->has_plan;
