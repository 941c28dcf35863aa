#!/usr/bin/perl
# Reads of outsiders go to the connections of read_database, all else to those of database; where read_database leads
# nowhere, to something else or is no connection string, the service works as without it.  Standbys themselves are in
# full/read-standby.t.

use strict;
use warnings;

use Test::More;
use Catalogue::Clock qw(poll wait_until);
use Catalogue::Test;
use Catalogue::Upload;

my $service = Catalogue::Test->start->as_admin;
my $server  = "host=$service->{server}{PGHOST} port=$service->{server}{PGPORT} dbname=$service->{database}";
my %outsider = (Authorization => undef);

# A shim beside, with this place for reads.
sub shim_with
{
	my ($name, $place, %settings) = @_;
	my $directory = "$service->{directory}/$name";
	mkdir $directory or die "$directory: $!";
	chown((getpwnam 'postgres')[2, 3], $directory) if $> == 0;
	return $service->another(directory => $directory, settings => { %{ $service->{settings} }, %settings,
		CATALOGUE_READ_DATABASE => $place, CATALOGUE_LOG_DIRECTORY => "$directory/logs" });
}

# Is a connection up that may be asked?
sub reads
{
	my ($shim, $kind) = @_;
	return $shim->get('/metrics')->{body} =~ /database_connections\{kind="standby_$kind",state="idle"\} ([1-9])/;
}

# How often have the connections of accounts that are made here called functions?  It is told up to two seconds later.
sub calls
{
	my (@functions) = @_;
	my $list = join ',', map { "'$_'" } @functions;
	return $service->sql("SELECT coalesce(sum(calls), 0) FROM pg_stat_user_functions WHERE funcname IN ($list)");
}

# The same, when all that was called has been told: each of four connections asks for the position once a second.
sub settled
{
	my (@functions) = @_;
	my $asked = calls('wal_position');
	wait_until('all has been told', sub { calls('wal_position') >= $asked + 16 });
	return calls(@functions);
}

# Read on connections of the account, and check how often they have called the function.  One that leads to no standby,
# as here, looks for one every ten seconds, and until it is up again the primary is asked: then this is done again.
sub reads_call
{
	my ($shim, $account, $function, $times, $read) = @_;
	my $connections = sub { $service->sql(q(SELECT string_agg(pid::text, ' ' ORDER BY pid) FROM pg_stat_activity )
		. "WHERE usename = '$account'") };
	my $before;
	wait_until("reads without another connection of $account", sub {
		settled($function) if defined $before;
		my $first = $connections->();
		wait_until("connections for $_", sub { reads($shim, $_) }) for qw(shared own transfers);
		$before = calls($function);
		$read->();
		my $counted = sub { calls($function) >= $before + $times };
		poll(60, sub { $counted->() || $connections->() ne $first });
		return $counted->() || $connections->() eq $first;
	});
	is(calls($function) - $before, $times, "the connections for reads have called $function(): $times");
	return;
}

# An account whose calls are counted.
sub account
{
	my ($name, $more) = @_;
	$service->sql("CREATE ROLE ${name}_$$ LOGIN $more; ALTER ROLE ${name}_$$ SET track_functions = 'all'");
	return "${name}_$$";
}

# the primary itself, by an account of its own
my $account = account('reads', 'IN ROLE catalogue_shim');
my $shim    = shim_with('same', "$server user=$account");

# a read of each kind without a user
my $file = Catalogue::Upload->new($service)->file('a.csv', "a,b\n1,2\n", visible => 'true', status => 'qWRhpRV');
$service->patch("/datasets/$file->{dataset}", { status => 'qWRhpRV', visible => Cpanel::JSON::XS::true });
for my $case ([ items => "/datasets/$file->{dataset}" ], [ list => '/datasets?limit=2' ], [ feed => '/rss' ],
	[ export => '/datasets', Accept => 'text/csv' ], [ blob_bytes => "/files/$file->{id}/download" ])
{
	my ($function, $path, %headers) = @$case;
	my $answer;
	reads_call($shim, $account, $function, 1, sub { $answer = $shim->get($path, %headers, %outsider) });
	like($answer->{status}, qr/^20[06]$/, "GET $path without a user") or diag($answer->{body});
	is($answer->{body}, $service->get($path, %headers, %outsider)->{body}, 'the answer is that of the primary')
		if $function =~ /blob|export/;
}

# calls of users, writes, and what is about the server itself are the primary's
my @others = qw(list items download blob_bytes roles create ready client_token credential use_key);
my $before = settled(@others);
is($shim->get($_)->{status}, 200, "GET $_ of a user") for '/datasets?limit=9', "/datasets/$file->{dataset}",
	"/files/$file->{id}/download", '/roles';
is($shim->post('/tags', { name => 'Written' })->{status}, 201, 'a write');
is($shim->get('/health/ready', %outsider)->{json}{meta}{code}, 'E_UNAVAILABLE', 'whether the service is ready');
is($shim->post('/clients/tokens', { consumer => 'a', consumerId => 'b' }, %outsider)->{status}, 401, 'a token');
is(settled(@others), $before, 'no connection for reads was asked');

# a key is looked up and counted at the primary, its reads are those of an outsider
$service->sql(q(SELECT catalogue.add_consumer('Reader')));
reads_call($shim, $account, 'roles', 5, sub {
	my $key = $service->sql(q(SELECT secret FROM catalogue.add_api_key('Reader', rate => 5)));
	is($shim->get('/roles', %outsider, apikey => $key)->{status}, 200, "a key with a rate reads: $_") for 1 .. 5;
	is($shim->get('/roles', %outsider, apikey => $key)->{status}, 429, 'and not more often than its rate');
});
is(calls('credential', 'use_key'), 0, 'the key is asked of the primary');

# a client that has a state gets 304, and where that is another one the primary is asked
my $list = $shim->get('/tags?limit=3', %outsider);
my $known = sub { $shim->get('/tags?limit=3', %outsider, 'If-None-Match' => $_[0]) };
is($known->($list->{headers}{etag})->{status}, 304, 'the client has it');
is($known->('"0123456789abcdef-' . ($list->{headers}{etag} =~ s/.*-//r))->{body}, $list->{body},
	'it has another state');
is($shim->stop_shim, 0, 'the shim ends with status 0');

# while the primary has not told its position, nobody knows how far behind a standby is: the primary is asked
$service->sql('REVOKE EXECUTE ON FUNCTION catalogue.wal_position() FROM PUBLIC, catalogue_shim; '
	. "GRANT EXECUTE ON FUNCTION catalogue.wal_position() TO $account");
my $blind = shim_with('blind', "$server user=$account");
$before = settled('roles');
is($blind->get('/roles', %outsider)->{status}, 200, 'a read without a position of the primary');
is(settled('roles'), $before, 'no connection for reads was asked');
ok(!reads($blind, $_), "none may be asked: $_") for qw(shared own transfers);
$service->sql('GRANT EXECUTE ON FUNCTION catalogue.wal_position() TO catalogue_shim; '
	. "REVOKE EXECUTE ON FUNCTION catalogue.wal_position() FROM $account");
wait_until("connections for $_", sub { reads($blind, $_) }) for qw(shared own transfers);
is($blind->stop_shim, 0, 'the shim ends with status 0');

# what a connection for reads answers with an error is asked of the primary: here its account may not call functions,
# but for one
my $role = account('barred', '');
$service->sql("GRANT USAGE ON SCHEMA catalogue TO $role; GRANT EXECUTE ON FUNCTION catalogue.wal_position(), "
	. "catalogue.packed(catalogue.reply), catalogue.roles(jsonb) TO $role");
my $barred = shim_with('barred', "$server user=$role");
wait_until("connections for $_", sub { reads($barred, $_) }) for qw(shared own transfers);
for my $path ("/datasets/$file->{dataset}", '/datasets?limit=2', '/rss', "/files/$file->{id}/download", '/data.json')
{
	like($barred->get($path, %outsider)->{status}, qr/^20[06]$/, "GET $path is answered all the same");
}
is($barred->get('/datasets', %outsider, Accept => 'text/csv')->{status}, 200, 'so is a stream');
is($barred->get('/datasets/abcdefghijklmno', %outsider)->{status}, 404, 'the errors are those of the primary: 404');
is($barred->get('/tags?nonsense=1', %outsider)->{status}, $service->get('/tags?nonsense=1', %outsider)->{status},
	'a parameter that is none');
reads_call($barred, $role, 'roles', 1, sub {
	is($barred->get('/roles', %outsider)->{status}, 200, 'the one that it may call');
});
is((grep { $_->{event} =~ /failed/ } $barred->log), 0, 'that is no event of the log');
is($barred->stop_shim, 0, 'the shim ends with status 0');
$service->sql("DROP OWNED BY $role; DROP ROLE $role, $account");

unlike($service->get('/metrics')->{body}, qr/^catalogue_standby_lag/m, 'without read_database there is no lag');

# a place that leads nowhere, that refuses the account, that has no catalogue, and one that is no place
my %wrong = (
	nowhere => 'host=/nonexistent user=catalogue_shim',
	refused => "$server dbname=no_such_database user=catalogue_shim",
	empty   => "$server dbname=postgres user=catalogue_shim",
	silent  => 'host=127.0.0.1 port=1 user=catalogue_shim',
	string  => 'no connection string',
);
for my $name (sort keys %wrong)
{
	my $lost = shim_with($name, $wrong{$name});
	my $begun = time;
	is($lost->get('/roles', %outsider)->{status}, 200, "$name: a read") for 1 .. 20;
	cmp_ok(time - $begun, '<', 3, "$name: no read waits for it");
	is($lost->post('/tags', { name => "at $name" })->{status}, 201, "$name: a write");
	wait_until("$name is logged", sub { grep { $_->{event} eq 'standby connection failed' } $lost->log });
	is((grep { $_->{event} eq 'database connection failed' } $lost->log), 0, "$name: not as the database");
	my $checked = `CATALOGUE_READ_DATABASE='$wrong{$name}' CATALOGUE_DATABASE='$service->{settings}{CATALOGUE_DATABASE}' \\
		CATALOGUE_TOKEN_SECRET='$service->{secret}' build/catalogue-shim --check`;
	isnt($?, 0, "$name: --check fails");
	like($checked, qr/^database: "\Q$service->{database}\E".*^(?:read_database: |call )/ms, "$name: --check says where");
	is($lost->stop_shim, 0, "$name: the shim ends with status 0");
}
unlike($shim->output, qr/Sanitizer|runtime error:/, 'no sanitizer reported an error');
$service->finish;
