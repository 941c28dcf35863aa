#!/usr/bin/perl
# A known entity tag gets 304 as long as nothing has changed that the answer depends on.  After such a change the
# next request with that tag gets the new answer, in each of two shims.

use strict;
use warnings;

use Test::More;
use Catalogue::Clock qw(poll wait_until);
use Catalogue::Definition;
use Catalogue::Session;
use Catalogue::Test;

my $service    = Catalogue::Test->start(CATALOGUE_THREADS => 1, CATALOGUE_SHARED_CONNECTIONS => 1)->as_admin;
my $definition = Catalogue::Definition->new($service);
my $word       = 'a long pass phrase';

# another shim on the same database, with the same secret
my $other = $service->another;
my @shims = ($service, $other);

# Terminate the connections of the shims, which then open new ones.
sub reconnect
{
	$service->end_connections;
	$_->get('/health') for @shims;
	return;
}
reconnect();

my ($draft, $published) =
	map { scalar $service->sql("SELECT id FROM catalogue.statuses WHERE name = '$_'") } qw(Draft Published);
my $dataset =
	$definition->create('datasets', name => 'Bridges', status => $published, visible => Cpanel::JSON::XS::true);
my $tag     = $definition->create('tags', name => 'steel');
my $user    = $definition->create('users', username => 'maria', password => $word, active => Cpanel::JSON::XS::true);
$service->sql(q(SELECT catalogue.add_consumer('Portal')));
my ($key, $api_key) = split /\|/, scalar $service->sql(q(SELECT * FROM catalogue.add_api_key('Portal')));

# repeated requests with the same tag
my $first = $service->get("/tags/$tag");
my %has   = ('If-None-Match' => $first->{headers}{etag});
my @unchanged = map { $service->get("/tags/$tag", %has) } 1 .. 5;
is_deeply([ map { $_->{status} } @unchanged ], [ (304) x 5 ], '304 each time');

# the answers are equal
delete $_->{headers}{'x-request-id'}, delete $_->{headers}{date} for @unchanged;
is_deeply($unchanged[$_]{headers}, $unchanged[0]{headers}, 'the same headers') for 1 .. 4;
is($unchanged[4]{headers}{etag}, $first->{headers}{etag}, 'the entity tag is one of the headers');
is($unchanged[4]{body}, '', 'there is no body');
is($service->head("/tags/$tag", %has)->{status}, 304, 'HEAD gets 304');
is($service->get("/tags/$tag", 'If-None-Match' => '"x", W/' . $first->{headers}{etag})->{status}, 304,
	'a weak tag in a list of tags');
is($service->get("/tags/$tag", %has, 'If-Match' => '"x"')->{status}, 412, 'If-Match is evaluated first');
is($service->get("/tags/$tag", %has, 'If-Match' => $first->{headers}{etag})->{status}, 304, 'both conditions hold');

# the tag depends on the caller and on the request
is($service->get("/tags/$tag", %has, Authorization => undef)->{status}, 200, 'outsiders have another tag');
is($service->get("/tags/$tag?fields=name", %has)->{status}, 200, 'fields= has another tag');
is($service->get("/tags/$dataset", %has)->{status}, 404, 'a record that does not exist');

sub token  { return $service->login('maria', $word)->{json}{data}{token} }

# Have both shims answer 304; return the tags, which depend on the shim's address.
sub warm
{
	my ($name, $path, %headers) = @_;
	my %etags;
	for my $shim (@shims)
	{
		my $etag = $etags{$shim} = $shim->get($path, %headers)->{headers}{etag};
		is(join(' ', map { $shim->get($path, %headers, 'If-None-Match' => $etag)->{status} } 1 .. 3), '304 304 304',
			"before $name: 304");
	}
	return \%etags;
}

# Each change: its name, a path that shows it, the status afterwards, the change, how it is undone, headers.
my $marias;
my @changes = (
	[ 'a change', "/tags/$tag", 200, sub { $service->patch("/tags/$tag", { name => 'iron' }) } ],
	[ 'a change by the other shim', "/tags/$tag", 200, sub { $other->patch("/tags/$tag", { name => 'steel' }) } ],
	[ 'a change in SQL', "/tags/$tag", 200,
		sub { $service->sql("UPDATE catalogue.tags SET name = 'tin' WHERE id = '$tag'") } ],
	[ 'a deletion', "/tags/$tag", 404, sub { $service->delete("/tags/$tag") },
		sub { $service->post("/tags/$tag/restore") } ],
	[ 'a deletion and a restoring', "/tags/$tag", 200, sub {
		$service->delete("/tags/$tag");
		$service->post("/tags/$tag/restore")
	} ],
	[ 'another tag', '/tags?limit=2', 206, sub { $definition->create('tags', name => 'zinc') } ],
	[ 'another tag', '/tags/count', 200, sub { $definition->create('tags', name => 'copper') } ],
	[ 'another tag', '/tags/first?orderBy=name', 200, sub { $definition->create('tags', name => 'aa') } ],
	[ 'a link', "/datasets/$dataset", 200,
		sub { $service->sql("INSERT INTO catalogue.datasets_tags (dataset, tag) VALUES ('$dataset', '$tag')") } ],
	[ 'a change of what is linked', "/datasets/$dataset?include=tags", 200,
		sub { $service->patch("/tags/$tag", { name => 'lead' }) } ],
	[ 'a change of what is embedded', "/datasets/$dataset", 200,
		sub { $service->sql(q(UPDATE catalogue.statuses SET name = 'Out' WHERE name = 'Published')) }, undef,
		Prefer => 'relations=embedded' ],
	[ 'a change of the list of a record', "/datasets/$dataset/tags", 200,
		sub { $service->patch("/tags/$tag", { name => 'gold' }) } ],
	[ 'a deletion of its owner', "/tags/$tag/datasets", 404, sub { $service->delete("/tags/$tag") }, sub {
		$service->post("/tags/$tag/restore");
		$service->patch("/datasets/$dataset", { tags => [$tag] })
	} ],
	[ 'unpublishing', "/datasets/$dataset", 404,
		sub { $service->sql("UPDATE catalogue.datasets SET status = '$draft' WHERE id = '$dataset'") },
		sub { $service->sql("UPDATE catalogue.datasets SET status = '$published' WHERE id = '$dataset'") },
			Authorization => undef ],
	[ 'logging out', "/tags/$tag", 401, sub { $service->post('/users/logout', undef, Authorization => "Bearer $marias") },
		undef, Authorization => 'maria' ],
	[ 'deactivation', "/tags/$tag", 401, sub { $service->post("/users/$user/deactivate") },
		sub { $service->post("/users/$user/restore") }, Authorization => 'maria' ],
	[ 'another password', "/users/me", 401, sub { $service->patch("/users/$user", { password => $word }) }, undef,
		Authorization => 'maria' ],
	[ 'another first name', "/users/me", 200, sub { $service->patch("/users/$user", { firstName => 'María' }) }, undef,
		Authorization => 'maria' ],
	[ 'a limit of the key', "/tags/$tag", 403,
		sub { $service->sql(qq(UPDATE catalogue.consumer_keys SET resources = '{datasets}' WHERE key = '$key')) },
		sub { $service->sql(qq(UPDATE catalogue.consumer_keys SET resources = NULL WHERE key = '$key')) },
			Authorization => undef, apikey => $api_key ],
	[ 'the end of the key', "/tags/$tag", 401,
		sub { $service->sql(qq(UPDATE catalogue.consumer_keys SET expires_at = now() WHERE key = '$key')) },
		sub {
			$service->sql(qq(UPDATE catalogue.consumer_keys SET expires_at = NULL WHERE key = '$key'));
			$service->pass(1)
		}, Authorization => undef, apikey => $api_key ],
	[ 'revoking the key', "/tags/$tag", 401,
		sub { $service->sql(qq(UPDATE catalogue.consumer_keys SET revoked_at = now() WHERE key = '$key')) }, undef,
		Authorization => undef, apikey => $api_key ],
	[ 'another column', "/tags/$tag", 200, sub { $service->sql(
		q(ALTER TABLE catalogue.tags ADD COLUMN colour text DEFAULT 'red', ADD COLUMN size integer DEFAULT 1259)) } ],
	[ 'other values of a column', '/tags?limit=2', 206,
		sub { $service->sql(q(ALTER TABLE catalogue.tags ALTER COLUMN colour TYPE text USING upper(colour))) } ],
	[ 'another type of a column', "/tags/$tag?fields=size", 200,
		sub { $service->sql(q(ALTER TABLE catalogue.tags ALTER COLUMN size TYPE regclass)) } ],
	[ 'another word for a value', '/charts/first', 200,
		sub { $service->sql(q(ALTER TYPE catalogue.chart_type RENAME VALUE 'bar' TO 'column')) },
		sub { $service->sql(q(ALTER TYPE catalogue.chart_type RENAME VALUE 'column' TO 'bar')) } ],
	[ 'the newest first', '/tags?limit=2', 206,
		sub { $service->sql(q(UPDATE catalogue.resource SET newest_first = true WHERE resource = 'tags')) },
		sub { $service->sql(q(UPDATE catalogue.resource SET newest_first = false WHERE resource = 'tags')) } ],
	[ 'a column less', "/tags/$tag", 200,
		sub { $service->sql(q(ALTER TABLE catalogue.tags DROP COLUMN colour, DROP COLUMN size)) } ],
	[ 'hiding a resource', "/tags/$tag", 404,
		sub { $service->sql(q(UPDATE catalogue.resource SET shown = '{"outsiders": false}' WHERE resource = 'tags')) },
		sub { $service->sql(q(UPDATE catalogue.resource SET shown = '{}' WHERE resource = 'tags')) },
			Authorization => undef ],
	[ 'row security', "/tags/$tag", 404, sub { $service->sql(
		'ALTER TABLE catalogue.tags ENABLE ROW LEVEL SECURITY; ALTER TABLE catalogue.tags FORCE ROW LEVEL SECURITY') },
		sub { $service->sql(
			'ALTER TABLE catalogue.tags NO FORCE ROW LEVEL SECURITY; ALTER TABLE catalogue.tags DISABLE ROW LEVEL SECURITY') } ],
	[ 'taking the right to call', "/tags/$tag", 500,
		sub { $service->sql('REVOKE EXECUTE ON FUNCTION catalogue.items FROM catalogue_shim') },
		sub { $service->sql('GRANT EXECUTE ON FUNCTION catalogue.items TO catalogue_shim') } ],
	[ 'another setting', '/tags?limit=3', 206, sub {
		$service->sql("ALTER DATABASE $service->{database} SET catalogue.max_limit = 1");
		reconnect()
	},
		sub { $service->sql("ALTER DATABASE $service->{database} RESET catalogue.max_limit"); reconnect() } ],
	[ 'rows changed without triggers, then touch()', "/tags/$tag", 200,
		sub { $service->sql("SET session_replication_role = replica; UPDATE catalogue.tags SET name = 'unseen' WHERE id = "
		. "'$tag'; RESET session_replication_role; SELECT catalogue.touch('tags')") } ],
);
for (@changes)
{
	my ($name, $path, $status, $change, $undo, %headers) = @$_;
	if (($headers{Authorization} // '') eq 'maria')
	{
		$marias = token();
		$headers{Authorization} = "Bearer $marias";
	}
	my $etags = warm($name, $path, %headers);
	$change->();
	for my $shim (@shims)
	{
		my $conditional = $shim->get($path, %headers, 'If-None-Match' => $etags->{$shim});
		my $usual = $shim->get($path, %headers);
		is($conditional->{status}, $status, "$name: $status");
		is($conditional->{status}, $usual->{status}, 'the status is the same as without a condition');
		# the message of a 401 differs when the shim has dropped the key from its cache between the two requests
		my ($one, $two) = map { s/"[0-9a-f]{16}"//r =~ s/("E_UNAUTHORIZED","message":)"[^"]*"/$1/r } $conditional->{body},
			$usual->{body};
		is($one, $two, 'the same body');
	}
	$undo->() if $undo;
	warm("undoing $name", $path, %headers) if $undo && $status != 401;
}

# the text of values does not depend on defaults of the database, which would change records without a new tag
$service->sql(q(ALTER TABLE catalogue.tags ADD COLUMN lasts interval DEFAULT '1 day 2 hours', ADD COLUMN ratio float8 )
	. q(DEFAULT 0.12345678901, ADD COLUMN since timestamp DEFAULT '2001-02-03 04:05', ADD COLUMN raw bytea DEFAULT 'abc'));
my $looks = warm('another format of values', "/tags/$tag");
my %before = map { $_ => $_->get("/tags/$tag")->{body} } @shims;
$service->sql("ALTER DATABASE $service->{database} SET $_") for 'IntervalStyle = iso_8601', 'extra_float_digits = -8',
	"DateStyle = 'German'", 'bytea_output = escape';
reconnect();
for my $shim (@shims)
{
	is($shim->get("/tags/$tag", 'If-None-Match' => $looks->{$shim})->{status}, 304, 'another format: 304');
	is($shim->get("/tags/$tag")->{body}, $before{$shim}, 'the body is the same');
}
$service->sql("ALTER DATABASE $service->{database} RESET $_")
	for qw(IntervalStyle extra_float_digits DateStyle bytea_output);
$service->sql('ALTER TABLE catalogue.tags DROP COLUMN lasts, DROP COLUMN ratio, DROP COLUMN since, DROP COLUMN raw');
reconnect();

# a change that is not committed yet is not visible
my $etags   = warm('a transaction', "/tags/$tag");
my $session = Catalogue::Session->new($service);
$session->run("BEGIN; UPDATE catalogue.tags SET name = 'silver' WHERE id = '$tag'");
is($_->get("/tags/$tag", 'If-None-Match' => $etags->{$_})->{status}, 304,
	'while the transaction is open: 304') for @shims;
$session->run('COMMIT');
is($_->get("/tags/$tag", 'If-None-Match' => $etags->{$_})->{json}{data}{name}, 'silver',
	'after the commit: the change') for @shims;
$session->finish;

# connections that end, and a database that is unavailable for a while
$etags = warm('an outage', "/tags/$tag");
reconnect();
is($_->get("/tags/$tag", 'If-None-Match' => $etags->{$_})->{status}, 304, 'on another connection: 304') for @shims;
$service->sql("ALTER DATABASE $service->{database} ALLOW_CONNECTIONS false", 'postgres');
$service->end_connections('true');
for my $shim (@shims)
{
	my $status;
	poll(20, sub { ($status = $shim->get("/tags/$tag", 'If-None-Match' => $etags->{$shim})->{status}) != 304 });
	is($status, 503, 'away: 503');
}
$service->sql("ALTER DATABASE $service->{database} ALLOW_CONNECTIONS true", 'postgres');
for my $shim (@shims)
{
	my $status;
	poll(20, sub { ($status = $shim->get("/tags/$tag", 'If-None-Match' => $etags->{$shim})->{status}) == 304 });
	is($status, 304, 'back: 304');
	# a connection for changes may be back later than those for reads
	wait_until('changes are possible', sub { $shim->post('/tags', {})->{status} == 400 });
}

# several clients change their own records through one shim, and read them through the other one with the former tag
my @children = map {
	my $number = $_;
	my $id     = $definition->create('tags', name => "of $number");
	my $pid    = fork // die "fork: $!";
	if (!$pid)
	{
		delete $_->{socket} for @shims;
		my ($writes, $reads) = $number % 2 ? @shims : reverse @shims;
		for my $round (1 .. 60)
		{
			my $before = $reads->get("/tags/$id")->{headers}{etag};
			my @known  = map { $reads->get("/tags/$id", 'If-None-Match' => $before)->{status} } 1 .. 2;
			my $write  = $writes->patch("/tags/$id", { name => "of $number, $round" });
			my $after  = $reads->get("/tags/$id", 'If-None-Match' => $before);
			POSIX::_exit(1) unless "@known" eq '304 304' && $write->{status} == 200
				&& $after->{status} == 200 && $after->{json}{data}{name} eq "of $number, $round";
		}
		POSIX::_exit(0);
	}
	$pid;
} 1 .. 8;
is(scalar(grep { waitpid($_, 0) != $_ || $? } @children), 0, 'each client sees its own write among writes of others');

# each 304 is recorded in the statistics
my $target = "/tags/$tag?fields=name,slug";
my $part   = $service->get($target)->{headers}{etag};
$service->get($target, 'If-None-Match' => $part) for 1 .. 9;
my $recorded;
poll(20, sub {
	$recorded = $service->sql(qq(SELECT count(*) FROM catalogue.statistics WHERE endpoint = '/tags/$tag' AND querystring )
		. qq(= 'fields=name,slug' AND resource = 'tags'));
	return $recorded >= 10;
});
is($recorded, 10, 'ten requests are ten records of the statistics');

is($other->stop_shim, 0, 'the other shim ends with status 0');
$service->finish;
