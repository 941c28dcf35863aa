#!/usr/bin/perl
# Lists as CSV and NDJSON: the page that JSON has, sent while it is generated.  A client that reads
# slowly delays only itself, one that disconnects leaves nothing behind, and an incomplete answer is
# never taken for a complete one.

use strict;
use warnings;

use Encode ();
use IO::Select;
use Socket qw(SOL_SOCKET SO_RCVBUF);
use Test::More;
use Catalogue::Client qw($json);
use Catalogue::Clock qw(wait_until);
use Catalogue::Program qw(slurp);
use Catalogue::Test;
use Catalogue::Definition;

my $service    = Catalogue::Test->start(CATALOGUE_THREADS => 1, CATALOGUE_POOL => 2)->as_admin;
my $definition = Catalogue::Definition->new($service);
my ($csv, $ndjson) = ('text/csv', 'application/x-ndjson');

# Parse CSV (RFC 4180) into a list of lists; unquoted empty cells are undef.
sub parsed
{
	my ($text) = @_;
	my (@records, @cells);
	while ($text =~ /\G(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gc)
	{
		my ($quoted, $bare, $end) = ($1, $2, $3);
		push @cells, defined $quoted ? $quoted =~ s/""/"/gr : length $bare ? $bare : undef;
		next if $end eq ',';
		push @records, [@cells];
		@cells = ();
	}
	return length $text == (pos $text // 0) ? \@records : 'not CSV';
}

# A value of a JSON record as a cell of CSV.
sub cell
{
	my ($value, $is_json) = @_;
	return $value if !defined $value;
	return $value ? 'true' : 'false' if Cpanel::JSON::XS::is_bool($value);
	return $json->encode($value) if ref $value eq 'ARRAY' && $is_json;
	return @$value ? join(',', @$value) : undef if ref $value eq 'ARRAY';
	return $value =~ s/^(?=[=+\-@\t\r])/'/r;
}

# every resource in each format;
# statistics are left out, since the requests themselves add records to them
for my $resource (grep { $_ ne "statistics" } $definition->resources)
{
	my $plain = $service->get("/$resource");
	my $lines = $service->get("/$resource", Accept => $ndjson);
	my $table = $service->get("/$resource", Accept => $csv);
	is($_->{status}, $plain->{status}, "$resource: the status is that of JSON") for $lines, $table;
	is($_->{headers}{'content-range'}, $plain->{headers}{'content-range'}, "$resource: the range of JSON")
		for $lines, $table;
	my ($data) = $plain->{body} =~ /"data":\[(.*)\],"links"/s;
	is(join(',', split /\n/, $lines->{body}), $data, "$resource: the lines are the records of JSON, byte by byte");
	my ($names, @records) = @{ parsed($table->{body}) };
	my @objects = @{ $plain->{json}{data} };
	my %is_json = map { $_->{name} => scalar($_->{type} =~ /array|json/) } $definition->fields($resource);
	is(scalar @records, scalar @objects, "$resource: a line of CSV for each record");
	for my $i (grep { $_ < 3 } 0 .. $#objects)
	{
		my @plain = grep { ref $objects[$i]{ $names->[$_] } ne 'HASH' } 0 .. $#$names;
		is_deeply([ @{ $records[$i] }[@plain] ], [ map {
			my $cell = cell($objects[$i]{ $names->[$_] }, $is_json{ $names->[$_] });
			defined $cell ? Encode::encode_utf8($cell) : undef
		} @plain ], "$resource: record $i");
	}
	is_deeply([ sort @$names ], [ sort keys %{ $objects[0] } ], "$resource: the titles are the names of the fields")
		if @objects;
}

# the headers
my $plain = $service->get('/tags?limit=2&orderBy=name');
my $table = $service->get('/tags?limit=2&orderBy=name', Accept => $csv);
sub without_version { my ($text) = @_; return $text =~ s/version=[^&>]*|&(?:after|before)=[^&>]*//gr }
is($table->{headers}{'content-type'}, 'text/csv; charset=utf-8; header=present', 'the type of CSV');
is($service->get('/tags', Accept => $ndjson)->{headers}{'content-type'}, 'application/x-ndjson', 'the type of NDJSON');
is($table->{status}, 206, 'an incomplete list is 206');
is(without_version($table->{headers}{link}), without_version($plain->{headers}{link}), 'the links are those of JSON');
like($table->{headers}{vary}, qr/\bAccept\b/, 'Vary has Accept');
ok(!exists $table->{headers}{etag}, 'there is no entity tag');
for my $type ($csv, $ndjson)
{
	my ($get, $head) = ($service->get('/tags?limit=2', Accept => $type), $service->head('/tags?limit=2', Accept => $type));
	is($head->{status}, $get->{status}, "HEAD, $type: the status of GET");
	is($head->{headers}{$_}, $get->{headers}{$_}, "HEAD, $type: $_ of GET") for 'content-type', 'content-range', 'vary',
		'cache-control';
	is($head->{body}, '', "HEAD, $type: no body");
	my $raw = $service->raw("HEAD /tags?limit=2 HTTP/1.1\r\nHost: localhost\r\nAccept: $type\r\n"
		. "Authorization: Bearer $service->{token}\r\nConnection: close\r\n\r\n", wanted => 2);
	like($raw->{text}, qr{^HTTP/1\.1 206 (?:(?!\r\n\r\n).)*\r\n\r\n\z}s, "HEAD, $type: nothing is sent after the headers");
}
like(($service->get('/tags?limit=2', Accept => $csv, Authorization => undef)->{body} =~ /^(.*)\r\n/)[0],
	qr/^id,name,slug,createdAt,updatedAt$/, 'outsiders get the fields that they get in JSON');

# which format Accept selects
for (
	[ 'text/csv, application/json;q=0.9',        'text/csv' ],
	[ 'application/json, text/csv;q=0.9',        'application/json' ],
	[ 'text/csv;q=0.2, application/x-ndjson;q=0.3', 'application/x-ndjson' ],
	[ 'text/csv, application/x-ndjson',          'text/csv' ],
	[ 'text/*',                                  'text/csv' ],
	[ 'text/*;q=0.5, */*;q=0.1',                 'text/csv' ],
	[ '*/*',                                     'application/json' ],
	[ 'application/*',                           'application/json' ],
	[ 'application/json;q=0, */*',               'text/csv' ],
	[ 'TEXT/CSV; charset=utf-8',                 'text/csv' ],
	)
{
	like($service->get('/tags', Accept => $_->[0])->{headers}{'content-type'}, qr/^\Q$_->[1]\E(;|$)/,
		"Accept: $_->[0]: $_->[1]");
}
my $tag = '/tags/' . $plain->{json}{data}[0]{id};
for my $path ('/tags/first', '/tags/count', $tag, "$tag/createdBy", '/roles')
{
	my $refused = $service->get($path, Accept => $csv);
	is($refused->{status}, 406, "$path: no list, 406");
	is($refused->{json}{code}, 'E_NOT_ACCEPTABLE', 'the error code');
	is($service->head($path, Accept => $csv)->{status}, 406, 'HEAD is 406');
	my $served = $service->get($path, Accept => "$csv, application/json;q=0.1");
	is($served->{status}, 200, "$path: JSON where it is acceptable");
	like($served->{headers}{etag}, qr/^"/, 'JSON has its entity tag');
	is($service->get($path, Accept => "$csv, application/json;q=0.1",
		'If-None-Match' => $served->{headers}{etag})->{status}, 304, 'the entity tag gets 304') unless $path =~ /count/;
}
for ([ '/tags?limit=x', 422 ], [ '/tags?include=nonesuch', 400 ], [ '/nonesuch', 404 ], [ "$tag/nonesuch", 404 ],
	[ '/tags/zzzzzzzzzzzzzzz/datasets', 404 ])
{
	my $refused = $service->get($_->[0], Accept => $csv);
	is($refused->{status}, $_->[1], "$_->[0]: $_->[1]");
	like($refused->{headers}{'content-type'}, qr{^application/json}, 'an error is JSON');
}
like($service->options('/tags')->{body}, qr{text/csv}, 'OPTIONS names the types');

# cells
my @odd = ('=1+1', '+1', '-1', '@SUM(A1)', "\ttab", "a,b", 'a "quoted" b', "two\nlines", ' space ', 'ñandú',
	"'quote", '=a,"b"');
for (@odd)
{
	my $reply = $service->post('/databases', { name => $_ });
	is($reply->{status}, 201, 'made') or diag($reply->{body});
}
my $cells = $service->get('/databases?fields=name&limit=1000', Accept => $csv)->{body};
like($cells, qr/,\Q$_\E\r\n/, "the cell $_") for "'=1+1", '+1', '-1', '\'@SUM(A1)', '"a,b"', '"a ""quoted"" b"',
	"\"two\nlines\"", Encode::encode_utf8('ñandú'), "'quote", '"\'=a,""b"""';
my %kept = map { $_->{name} => 1 } @{ $service->get('/databases?fields=name&limit=1000')->{json}{data} };
my %shown = map { Encode::decode_utf8($_->[1]) => 1 } @{ parsed($cells) };
is(scalar(grep { !$shown{$_} && !$shown{"'$_"} } keys %kept), 0, 'no text is lost');
my $dataset = $service->post('/datasets',
	{ %{ $definition->record('datasets') }, name => 'Export', optionals => { a => [ '=1', 'x,y' ], b => undef },
	tags => [ map { $service->post('/tags', $definition->record('tags'))->{json}{links}{record}
		=~ m{(\w+)$} } 1 .. 2 ] })->{json}{links}{record} =~ s{^\Q$service->{base}\E}{}r;
my ($id) = $dataset =~ m{(\w+)$};
my $record = $service->get($dataset)->{json}{data};
my ($names, $values) = @{ parsed(
	$service->get("/datasets?id=$id&fields=name,optionals,tags,status,reviewedAt,visible", Accept => $csv)->{body}) };
my %row;
@row{@$names} = @$values;
is($row{tags}, join(',', @{ $record->{tags} }), 'a list of ids is one cell');
is_deeply($json->decode($row{optionals}), $record->{optionals}, 'JSON is a cell with its text');
is($row{reviewedAt}, undef, 'null is an empty cell');
is($row{status}, $record->{status}, 'a key is an id');
($names, $values) =
	@{ parsed($service->get("/datasets?id=$id&include=status.name,owner.organization,tags", Accept => $csv)->{body}) };
@row{@$names} = @$values;
ok(!(grep { $_ eq 'status' } @$names), 'an embedded record has no cell of its own');
like($row{'status.name'}, qr/^[A-Z]/, 'its fields are columns with dotted names');
is($row{'owner.username'}, 'admin', 'all its fields are columns');
is($row{'owner.organization.id'}, undef, 'the columns of a relation that is null are empty')
	if !defined $service->get("/users/$service->{admin}")->{json}{data}{organization};
ok((grep { $_ eq 'owner.organization.name' } @$names), 'embedded records of embedded records are columns too');
is(scalar @{ $json->decode($row{tags}) }, 2, 'embedded lists are JSON');
is_deeply($service->get("/datasets?id=$id&include=tags", Accept => $ndjson)->{json}
	// $json->decode($service->get("/datasets?id=$id&include=tags", Accept => $ndjson)->{body}),
	$service->get("/datasets?id=$id&include=tags")->{json}{data}[0], 'NDJSON embeds as JSON does');
is($service->get("$dataset/tags", Accept => $ndjson)->{body}, join('',
	map { "$_\n" } $service->get("$dataset/tags")->{body} =~ /(\{"id":"[^{}]*\})(?=[,\]])/g), 'a related list as NDJSON');
is($service->get('/tags?name=nonesuch', Accept => $ndjson)->{body}, '', 'an empty list as NDJSON is empty');
is(scalar @{ parsed($service->get('/tags?name=nonesuch', Accept => $csv)->{body}) }, 1,
	'an empty list as CSV has the titles only');

# many records, inserted by SQL without triggers
my $many = 2000;
$service->sql(<<"END");
SET session_replication_role = replica;
INSERT INTO catalogue.datasets (id, name, slug, optionals, status, owner, created_by)
SELECT lpad(n::text, 15, '0'), 'Much ' || n, 'much-' || n,
    json_build_object('x', repeat('much "of it" ' || n || ' ', 300)), 'qWRhpRV', u.id, u.id
FROM generate_series(1, $many) n, catalogue.users u WHERE u.username = 'admin';
RESET session_replication_role;
SELECT catalogue.recount('datasets');
END
my $much = "/datasets?limit=$many&slug=much-&match=begins&orderBy=name";
my ($data) = $service->get("$much&fields=name")->{body} =~ /"data":\[(.*)\],"links"/s;
ok($data eq join(',', split /\n/, $service->get("$much&fields=name", Accept => $ndjson)->{body}),
	'many records are those of JSON, in the same order');
my @wide = split /\n/, $service->get($much, Accept => $ndjson)->{body};
is(scalar(grep { /^\{"id":"(\d{15})".*"x" ?: ?"(?:much \\"of it\\" (\d+) ){300}"/ && $1 == $2 } @wide), $many,
	'many long records as NDJSON');
is(scalar @{ parsed($service->get($much, Accept => $csv)->{body}) }, $many + 1, 'many long records as CSV');

# Request a long list and read no more than the beginning.
sub stalled
{
	my ($version) = @_;
	my $socket = IO::Socket::INET->new(Proto => 'tcp') or die;
	setsockopt $socket, SOL_SOCKET, SO_RCVBUF, 65536;
	connect $socket, Socket::pack_sockaddr_in($service->{port}, Socket::inet_aton('127.0.0.1')) or die "connect: $!";
	syswrite $socket,
		"GET $much HTTP/$version\r\nHost: localhost\r\nAccept: $csv\r\nAuthorization: Bearer $service->{token}\r\n\r\n";
	IO::Select->new($socket)->can_read(180) or die 'no answer';
	sysread $socket, my $beginning, 4096;
	return ($socket, $beginning);
}

# Read the rest of an answer; return it and how it ends.
sub rest
{
	my ($socket) = @_;
	my ($text, $select) = ('', IO::Select->new($socket));
	while ($select->can_read(180))
	{
		my $got = sysread $socket, $text, 1 << 16, length $text;
		return ($text, defined $got ? 'closed' : 'reset') unless $got;
		return ($text, 'whole') if substr($text, -7) eq "\r\n0\r\n\r\n";
	}
	return ($text, 'nothing more');
}

sub exporting
{
	return scalar $service->sql("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND usename = "
		. "'catalogue_shim' AND state = 'active' AND query LIKE '%catalogue.export%'");
}

# Wait for a condition; false when it does not become true in time.
sub eventually
{
	my ($condition) = @_;
	return eval { wait_until('the condition', $condition); 1 } // 0;
}

sub memory { return (slurp("/proc/$service->{pid}/status") =~ /VmRSS:\s+(\d+)/)[0] }

# a client that reads slowly: other requests are served meanwhile, but a second stream has to wait, since
# streams may use half of the connections; the time of the reader does not count as time of the call
# the limits are short, since a call and a stream must not end by them while the reader waits for longer
$service->stop_shim;
@{ $service->{settings} }{qw(CATALOGUE_QUEUE_TIMEOUT CATALOGUE_CALL_TIMEOUT)} = ('8s', '8s');
$service->start_shim;
$service->get($much, Accept => $csv);
my $before = memory();
my ($slow, $beginning) = stalled('1.1');
select undef, undef, undef, 9; # longer than a call may take
is(exporting(), 1, 'PostgreSQL waits for the reader');
cmp_ok(memory() - $before, '<', 8192, 'the shim does not buffer the unread rest')
	if $ENV{CATALOGUE_SHIM} !~ /sanitized/;
is($service->get('/tags/first')->{status}, 200, 'a quick read is served');
is($service->get('/datasets?name=air')->{status}, 200, 'a slow read is served');
is($service->post('/tags', $definition->record('tags'))->{status}, 201, 'a write is served');
my $second = $service->get($much, Accept => $csv);
is($second->{status}, 503, 'a second stream is refused');
is($second->{headers}{'retry-after'} // 'never', 2, 'with Retry-After');
my ($text, $end) = rest($slow);
is($end, 'whole', 'the slow reader gets a complete answer');
syswrite $slow, "GET /tags/first HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
like((rest($slow))[0], qr{^HTTP/1\.1 200 }, 'the connection can be used again');
my ($whole) = Catalogue::Client::replies($beginning . $text);
is(scalar @{ parsed($whole->{body}) }, $many + 1, 'the answer has every record');

# without chunks the end of the connection is the end of the body
my ($old, $start) = stalled('1.0');
my ($remainder, $how) = rest($old);
is($how, 'closed', 'HTTP/1.0: the connection ends');
is(scalar @{ parsed("$start$remainder" =~ s/^.*?\r\n\r\n//sr) }, $many + 1, 'HTTP/1.0: the answer has every record');

# a client that disconnects
($slow) = stalled('1.1');
is(exporting(), 1, 'a stream is being sent');
close $slow;
ok(eventually(sub { exporting() == 0 }), 'the statement ends when the client has disconnected');
is($service->get('/tags', Accept => $csv)->{status}, 200, 'the next request is served');

# a fault during a stream: the client can tell that the answer is incomplete, also when the connection ends the body
for my $version ('1.1', '1.0')
{
	($slow) = stalled($version);
	$service->sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query "
		. "LIKE '%catalogue.export%' AND state = 'active' AND pid <> pg_backend_pid()");
	ok(eventually(sub { grep { $_->{event} eq 'answer aborted' && $_->{target} =~ /much/ } $service->log }),
		"HTTP/$version: the fault is logged");
	is((rest($slow))[1], 'reset', "HTTP/$version: the connection is reset");
	is($service->get('/tags', Accept => $csv)->{status}, 200, "HTTP/$version: the next request is served");
}

# a first row that cannot be answered with, as of another version of the extension: it is an error, the other rows are
# dropped, and the connection to PostgreSQL serves the next request
sub backends
{
	return $service->sql("SELECT string_agg(pid::text, ' ' ORDER BY pid) FROM pg_stat_activity WHERE datname = "
		. "current_database() AND application_name = 'catalogue-shim'");
}
$service->sql($_) for 'CREATE SEQUENCE public.exports', 'GRANT USAGE ON SEQUENCE public.exports TO PUBLIC', q(
	CREATE OR REPLACE FUNCTION catalogue.export(resource text, id text DEFAULT NULL, relation text DEFAULT NULL,
		query text DEFAULT '',
		relations text DEFAULT 'ids', actor jsonb DEFAULT NULL, format text DEFAULT 'csv') RETURNS SETOF catalogue.reply
		LANGUAGE sql VOLATILE AS $$
			SELECT jsonb_populate_record(NULL::catalogue.reply, jsonb_build_object('id', nextval('public.exports'), 'data', 'x'))
			UNION ALL SELECT jsonb_populate_record(NULL::catalogue.reply, '{"data": "x"}') FROM generate_series(1, 2)
		$$);
ok(eventually(sub { exporting() == 0 }), 'no stream is left');
$service->get('/tags', Accept => $csv);
my $connected = backends();
for my $time (1 .. 5)
{
	my $refused = $service->get('/tags', Accept => $csv);
	is_deeply([ $refused->{status}, $refused->{json}{code} ], [ 500, 'E_INTERNAL_SERVER_ERROR' ],
		"request $time is refused by an error in JSON");
}
is(backends(), $connected, 'its connection to PostgreSQL stays');
is($service->sql('SELECT last_value FROM public.exports'), 6, 'each request is one call');
$service->{headers} = {};
$service->finish;
