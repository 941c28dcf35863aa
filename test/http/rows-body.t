#!/usr/bin/perl
# POST /<resource> with CSV or JSON by lines: a record for each row or none, all faults with their rows and lines.

use strict;
use warnings;

use Catalogue::Program qw(slurp);
use Catalogue::OpenApi;
use Catalogue::Test;
use Test::More;

my $service = Catalogue::Test->start(CATALOGUE_BODY_LIMIT => 200_000)->as_admin;

sub rows
{
	my ($path, $type, $text, @headers) = @_;
	return $service->post($path, $text, 'Content-Type' => $type, @headers);
}
sub csv { my ($path, $text, @headers) = @_; return rows($path, 'text/csv', $text, @headers) }
sub ndjson { my ($path, $text, @headers) = @_; return rows($path, 'application/x-ndjson', $text, @headers) }
sub names
{
	my ($where) = @_;
	return join '|', $service->sql("SELECT replace(name, chr(10), chr(47)) FROM catalogue.tags WHERE $where AND "
		. "deleted_at IS NULL ORDER BY name COLLATE \"C\"");
}
sub faults
{
	my ($reply) = @_;
	return [ map { [ @$_{qw(part line)}, $_->{message} ] } @{ $reply->{json}{data}{faults} } ];
}

# The service keeps no more of rows than they are, whoever sends them: here 1,000 below a name of 15,000 letters.
sub memory { my ($kilobytes) = slurp("/proc/$service->{pid}/status") =~ /VmHWM:\s+(\d+)/; return $kilobytes }
my $before = memory();
my $wide = csv('/datasetrequests', 'about,email,description,' . 'x' x 15_000 . join('', map { "\n,,,$_" } 1 .. 1000),
	Authorization => undef, Prefer => 'handling=lenient');
is($wide->{status}, 400, 'rows without what is required');
is(scalar @{ $wide->{json}{data}{faults} }, 1000, 'are all at fault');
cmp_ok(memory() - $before, '<', 8000, 'kB of memory that the service takes for them');

# CSV
my $reply = csv('/tags', "name\nwind\n\"rain, heavy\"\n");
is($reply->{status}, 200, 'rows of CSV become records') or diag $reply->{body};
is_deeply([ map { [ @$_{qw(part status resource)} ] } @{ $reply->{json}{data} } ],
	[ [ 1, 201, 'tags' ], [ 2, 201, 'tags' ] ], 'with a result for each');
is(names(q(name ~ '^(wind|rain)')), 'rain, heavy|wind', 'and the names of the cells');
is(csv('/Tags', "\x{ef}\x{bb}\x{bf}name\r\n\"say \"\"so\"\"\"\r\n\r\n\"two\nlines\"\r\n\"null\"\r\n\"\$1\"\r\n"
	. "3\r\nfalse")->{status}, 200,
	'with a byte order mark, quotes, line ends in and between cells, and none at the end');
is(names(q(name ~ '^(say|two|null|\$|3|false)')), '$1|3|false|null|say "so"|two/lines',
	'texts stay texts, also those that look like something else') or diag names('true');
$reply = csv('/tags', "name\nwith record\n", Prefer => 'return=representation');
is($reply->{json}{data}[0]{data}{name}, 'with record', 'the records are given if the client prefers that');

# values of other types, lists, cells without a value
my ($user) = $service->sql(q(SELECT id FROM catalogue.users WHERE username = 'admin'));
my @categories = $service->sql('SELECT id FROM catalogue.categories ORDER BY id LIMIT 2');
my ($tag) = $service->sql(q(SELECT id FROM catalogue.tags WHERE name = 'wind'));
$reply = csv('/datasets', <<"CSV", Prefer => 'return=representation');
name,description,owner,categories,tags,starred
Air,,$user,"$categories[0],$categories[1]","[""$tag""]",TRUE
Water,"of, the sea",$user,$categories[0],,false
CSV
is($reply->{status}, 200, 'datasets from CSV') or diag $reply->{body};
my ($air, $water) = map { $_->{data} } @{ $reply->{json}{data} };
is_deeply([ sort @{ $air->{categories} } ], \@categories, 'a list with commas');
is_deeply($air->{tags}, [$tag], 'a list as JSON');
is($air->{description}, undef, 'an empty cell gives no value');
is($water->{description}, 'of, the sea', 'and one in quotes has its comma');
is_deeply($water->{tags}, [], 'an empty list');

# records by their names, where these are unique: also the earlier name of a list, and names with commas
$reply = csv('/datasets', <<'CSV', Prefer => 'return=representation');
name,owner,category,tags,status
Named,admin,transport,"Wind,""rain, heavy""",published
CSV
is($reply->{status}, 200, 'names in place of ids') or diag $reply->{body};
my $named = $reply->{json}{data}[0]{data};
my ($transport) = $service->sql(q(SELECT id FROM catalogue.categories WHERE name = 'Transport'));
my @winds = $service->sql(q(SELECT id FROM catalogue.tags WHERE name IN ('wind', 'rain, heavy') ORDER BY name DESC));
is_deeply([ @$named{qw(owner categories tags status)} ], [ $user, [$transport], \@winds, 'qWRhpRV' ],
	'are those of the records') or diag explain $named;
my ($second) =
	$service->sql("INSERT INTO catalogue.tags (name, created_by) VALUES ('$transport', '$user') RETURNING id");
my ($hidden) =
	$service->sql(q(UPDATE catalogue.categories SET deactivated_at = now() WHERE name <> 'Transport' RETURNING name));
$reply = csv('/datasets', qq(name,owner,categories,tags\nTwice,$user,$transport,$transport\n),
	Prefer => 'return=representation');
is_deeply([ @{ $reply->{json}{data}[0]{data} }{qw(categories tags)} ], [ [$transport], [$second] ],
	'an id goes before a name');
$reply = csv('/datasets', qq(name,owner,categories,tags\nNobody,nobody,Transport,"wind,storm"\n));
is_deeply(
	{ map { $_ => [ map { "$_->{rule} $_->{value}" } @{ $reply->{json}{data}{faults}[0]{data}{$_} } ] } qw(owner tags) },
	{ owner => ['reference nobody'], tags => [ 'reference wind', 'reference storm' ] }, 'names that there are not')
	or diag $reply->{body};
my $request = sub {
	return csv('/datasetrequests', "about,description,email,categories\nA,B,a\@b.org,$_[0]\n", Authorization => undef) };
is($request->('Transport')->{status}, 200, 'an outsider names a category');
is($request->($hidden)->{status}, 400, 'but none that he does not see');

# JSON by lines
is(ndjson('/tags', qq({"name": "one"}\r\n\n  {"name": "two \\u00e9"}))->{status}, 200, 'lines of JSON become records');
is(ndjson('/tags', qq({"name": "\$1"}\n{"name": "\$\$2"}\n))->{status}, 400, 'a name that is taken');
is(ndjson('/tags', qq({"name": "\$7"}\n{"name": "\$\$2"}\n))->{status}, 200, 'no text is a reference to another row');
is(names(q(name ~ '^(\$[27$]|one|two .)')), "\$\$2|\$7|one|two \x{e9}" =~ s/\x{e9}/\xc3\xa9/r, 'but what it says')
	or diag names('true');

# faults: of all rows, and nothing is done
my ($logs) = $service->sql('SELECT count(*) FROM catalogue.logs');
$reply = csv('/tags', "name\nbad 1\nwind\n\nbad 2\nrain, heavy\n");
is($reply->{status}, 400, 'a row with too many cells');
is_deeply(faults($reply), [ [ 4, 6, 'the row has more cells than the heading' ] ], 'is told with its row and line');
$reply = csv('/tags', "name\nbad 1\nwind\n\n\"bad\n2\"\none\n");
is($reply->{status}, 400, 'records that are there already');
is_deeply([ map { [ @$_{qw(part line)} ] } @{ $reply->{json}{data}{faults} } ], [ [ 2, 3 ], [ 4, 7 ] ],
	'are all told, with their rows and lines') or diag $reply->{body};
$reply = csv('/datasets',
	"name,owner,starred,categories\nBad,nobody,perhaps,$categories[0]\n,$user,true,$categories[0]\n");
is($reply->{status}, 400, 'values that are not valid');
is_deeply([ map { [ $_->{line}, sort keys %{ $_->{data} } ] } @{ $reply->{json}{data}{faults} } ],
	[ [ 2, 'owner', 'starred' ], [ 3, 'name' ] ], 'are told by field') or diag $reply->{body};
$reply = csv('/tags', "nam,name\nx,bad\n");
is($reply->{status}, 400, 'a column that is no field is refused');
is_deeply($reply->{json}{data},
	{ nam => [ { rule => 'unknown', message => 'is not known; the nearest name is "name"' } ] }, 'and named')
	or diag $reply->{body};
$reply = csv('/tags', "nam,name\nx,lenient\ny,lenient 2\n", Prefer => 'handling=lenient');
is($reply->{status}, 200, 'unless the client prefers lenient handling');
is_deeply([ $reply->{json}{meta}{ignored}, map { $_->{ignored} } @{ $reply->{json}{data} } ], [ ['nam'], undef, undef ],
	'which names it once, not for each row') or diag $reply->{body};
for my $case (
	[ "name\n\"bad\n", 'a quote is not closed' ],
	[ "name\n\"bad\"x\n", 'a cell has text behind its closing quote' ],
	[ "name\nba\"d\n", 'a cell has a quote and does not begin with it' ],
	[ "name,slug\nbad\n", 'the row has fewer cells than the heading' ],
	)
{
	my $refused = csv('/tags', $case->[0]);

	is($refused->{status}, 400, "$case->[1]: refused");
	is_deeply(faults($refused), [ [ 1, 2, $case->[1] ] ], 'and told') or diag $refused->{body};
}
for my $case ([ "name\nb\xffd\n", 2 ], [ "name\n\nb\xc0\x80d", 3 ], [ "name\nb\0d\n", 2 ], [ "\xff\na\n", 1 ],
	[ "n\0\na\n", 1 ], [ "name\n\xe4", 2 ])
{
	for my $type ('text/csv', 'application/x-ndjson')
	{
		my $refused = rows('/tags', $type, $case->[0]);

		is($refused->{status}, 400, 'a line that is not UTF-8 is refused');
		is_deeply($refused->{json}{data}{faults},
			[ { line => $case->[1], status => 400, message => 'the line is not valid UTF-8', data => {} } ], 'and told')
			or diag $refused->{body};
	}
}
for my $case ([ "name,name\na,b\n", 'name' ], [ ",name\na,b\n", 'heading' ], [ "na\"me\na\n", 'heading' ],
	[ join(',', 1 .. 1601) . "\n", 'heading' ])
{
	my $refused = csv('/tags', $case->[0]);

	is($refused->{status}, 400, 'a heading that is not valid');
	is_deeply([ keys %{ $refused->{json}{data} } ], [ $case->[1] ], 'is told') or diag $refused->{body};
}
for my $line ('{', '[]', '1', '"x"', '{"name": "bad"}}',
	'{"name": "bad"}, "method": "DELETE", "path": "/tags/wind"}, {"a": {', '{"name": "bad"} {"name": "bad 2"}',
	'{"name": "b\\u0000d"}', '{"name": "bad", "name": "bad"}', '{"a":' x 5000)
{
	my $refused = ndjson('/tags', "{\"name\": \"bad\"}\n\n$line\n");

	is($refused->{status}, 400, 'a line that is not one JSON object');
	is_deeply(faults($refused), [ [ 2, 3, 'the line is not a JSON object' ] ], 'is told') or diag $refused->{body};
}
is(csv('/tags', $_)->{status}, 400, 'no rows') for '', "name\n", "\n\r\n", "\x{ef}\x{bb}\x{bf}";
is(csv('/tags', join "\n", 'name', map { "bad $_" } 1 .. 1001)->{status}, 400, '1,001 rows are refused');
is(csv('/tags', "name\nbad" . 'x' x 200_000)->{status}, 413, 'and a body that is too large');
is(csv('/tags', join("\n", join(',', 'name', map { 'x' x 500 . $_ } 1 .. 100),
	map { join ',', "wide $_", (1) x 100 } 1 .. 600), Prefer => 'handling=lenient')->{status}, 200,
	'the names of the columns do not count for each row');
is(rows('/tags', 'text/csv; charset=iso-8859-1', "name\nbad\n")->{status}, 415, 'another encoding');
is(rows('/tags', $_, "name\nbad\n")->{status}, 415, "$_: another one") for 'text/csv; header=present; charset="utf-16"',
	'text/csv;charset=utf-8x', 'text/csv;charset=""';
is(rows('/tags', $_, "name\n" . unpack 'H*', $_)->{status}, 200, "$_: the only one may be named")
	for 'text/csv; charset=UTF-8', 'text/csv;charset="utf-8"',
	'text/csv ; header=present ; Charset="UTF-8" ;x=1', 'text/csv;header=present';
is($service->request('PATCH', "/tags/$tag", "name\nbad\n", 'Content-Type' => 'text/csv')->{status}, 415,
	'a change takes no rows');
is(csv('/logs', "action\nbad\n")->{status}, 405, 'a resource that takes no creation');
is(csv('/tag', "name\nbad\n")->{status}, 308, 'the name of a model');
is(csv('/tags', "name\nbad\n", 'If-Match' => '"x"')->{status}, 412, 'a condition that no creation fulfils');
is(csv('/nothing', "name\nbad\n")->{status}, 404, 'an unknown resource');
is(csv('/tags', "name\nbad\n", Authorization => undef)->{status}, 401, 'nobody may not');
is(csv('/tags', '"', Authorization => undef)->{status}, 401, 'and is not told what is wrong with the rows');
is(names(q(name LIKE 'bad%')), '', 'nothing of all that is made');
is($service->sql(q(SELECT count(*) FROM catalogue.logs)), $logs + 603 + 3, 'nor logged');
is(csv('/tags', join "\n", 'name', map { "many $_" } 1 .. 1000)->{status}, 200, '1,000 rows are taken');

# requests that may be repeated, and rights that were lost
my @key = ('Idempotency-Key' => 'a');
my $first = csv('/tags', "name\nonce\n", @key);
is($first->{status}, 200, 'a key is taken');
is_deeply(csv('/tags', "name\nonce\n", @key)->{json}{data}, $first->{json}{data}, 'and the change is made once');
is(csv('/tags', "name\ntwice\n", @key)->{status}, 422, 'the rows belong to the key');
is(names(q(name IN ('once', 'twice'))), 'once', 'one record is there');
$service->sql(q(SELECT catalogue.add_consumer('Limited')));
my ($secret) = $service->sql(q(SELECT secret FROM catalogue.add_api_key('Limited', verbs => '{GET,POST,DELETE}')));
my %key = (apikey => $secret, 'Idempotency-Key' => 'b');
my %parts = (parts => [ { method => 'POST', path => '/tags', body => { name => 'by key' } },
	{ method => 'DELETE', path => '/tags/$1' } ]);
is($service->post('/batch', \%parts, %key)->{status}, 200, 'a batch by a key');
is($service->post('/batch', \%parts, %key)->{status}, 200, 'and again');
$service->sql(q(UPDATE catalogue.consumer_keys SET verbs = '{GET,POST}'));
is($service->post('/batch', \%parts, %key)->{status}, 403,
	'a key that lost the method of a part does not read the reply again');
$service->sql(q(UPDATE catalogue.consumer_keys SET verbs = NULL, resources = '{datasets}'));
is($service->post('/batch', \%parts, %key)->{status}, 403, 'nor one that lost the resource');

# what the path offers
my ($post) = grep { $_->{verb} eq 'POST' } @{ $service->options('/tags')->{json}{methods} };
is(rows('/tags', 'application/jsonl', qq({"name": "jsonl one"}\n{"name": "jsonl two"}\n))->{status}, 200,
	'application/jsonl is the same as application/x-ndjson');
is($post->{headers}{'Content-Type'},
	'application/json, application/x-www-form-urlencoded, text/csv, application/x-ndjson', 'OPTIONS names the types');
my $document = $service->get('/openapi.json')->{json};
is(join(', ', Catalogue::OpenApi->new($document)->types($document->{paths}{'/tags'}{post}{requestBody})),
	'application/json, application/x-ndjson, application/x-www-form-urlencoded, text/csv', 'and so does OpenAPI');

$service->finish;
