#!/usr/bin/perl
# Conditional requests (RFC 9110, 13): every JSON GET has a strong entity tag, a client that has the current
# state gets 304, and a change is made only in the state that the client requires.

use strict;
use warnings;

use Test::More;
use Catalogue::Test;
use Catalogue::Definition;

my $service    = Catalogue::Test->shared->as_admin;
my $definition = Catalogue::Definition->new($service);

sub tag { my ($path, %headers) = @_; return $service->get($path, %headers)->{headers}{etag} }
sub made
{
	return $service->post('/tags', $definition->record('tags'))->{json}{links}{record} =~ s{^\Q$service->{base}\E}{}r;
}

my $path = made();
my ($id) = $path =~ m{(\w+)$};

# every JSON GET has a strong tag, and HEAD the same; errors and answers to other methods have none
for ($path, '/tags', '/tags?limit=1', '/tags/first', '/tags/last', '/tags/count', "$path/createdBy", "$path/datasets",
	'/users/me', '/roles', '/health')
{
	like(tag($_), qr/^"[^"]+"$/, "GET $_: a strong tag");
	like($service->head($_)->{headers}{etag}, qr/^"[^"]+"$/, "HEAD $_: a strong tag");
}
is($service->head($path)->{headers}{etag}, tag($path), 'HEAD gives the tag of GET');
for ($service->get('/tags/zzzzzzzzzzzzzzz'), $service->get('/tags?limit=x'), $service->options('/tags'),
	$service->post('/tags', $definition->record('tags')),
	$service->put($path, { name => 'once' }, Prefer => 'return=representation'))
{
	ok(!exists $_->{headers}{etag}, "an answer $_->{status} to anything but a read has no tag");
}

# equal tags mean equal bytes; whatever changes the bytes changes the tag
my $tag = tag($path);
is(tag($path), $tag, 'the tag is the same while nothing changes');
my %shapes = (
	'another path'          => tag("/tags/last"),
	'fields'                => tag("$path?fields=name"),
	'relations'             => tag($path, Prefer => 'relations=embedded'),
	'nobody'                => tag($path, Authorization => undef),
	'another host in links' => tag($path, Host => "localhost:$service->{port}"),
);
isnt($shapes{$_}, $tag, "$_: another tag") for sort keys %shapes;
my %bodies;
for my $path ($path, "$path?fields=name", '/tags/count',
	'/tags?limit=2&version=' . $service->get('/tags')->{json}{meta}{version}, '/roles', '/health')
{
	for (1 .. 2)
	{
		my $reply = $service->get($path);
		my $before = $bodies{ $reply->{headers}{etag} } //= $reply->{body};
		is($reply->{body}, $before, "GET $path: the same tag for the same bytes");
	}
}

# a list and a count have a state too: that of all records that they depend on
for my $path ('/tags?limit=2', '/tags/count', '/tags?include=createdBy&limit=1', '/datasets?tags.name=x',
	"$path/datasets", '/tags?limit=2&skip=2&orderBy=name')
{
	my $before = $service->get($path);
	is($service->get($path)->{body}, $before->{body}, "GET $path: the same bytes while nothing changes");
	is($service->get($path, 'If-None-Match' => $before->{headers}{etag})->{status}, 304, 'the known state: 304');
	$service->post('/tags', $definition->record('tags'));
	isnt(tag($path), $before->{headers}{etag}, 'another tag after a change');
	like($service->get($path, 'If-None-Match' => $before->{headers}{etag})->{status}, qr/^20[06]$/,
		'the old tag gets the new state');
}
my $linked = $service->post('/datasets', { %{ $definition->record('datasets') }, tags => [$id] })->{json}{links}{record}
	=~ s{^\Q$service->{base}\E}{}r;
my $with = $service->get($linked);
is_deeply($with->{json}{data}{tags}, [$id], 'a record with a list of ids');
$service->delete($path);
is_deeply($service->get($linked, 'If-None-Match' => $with->{headers}{etag})->{json}{data}{tags}, [],
	'its state changes when one of the related records is deleted');
$service->post("$path/restore");
my $embedded = $service->get($path, Prefer => 'relations=embedded');
like($embedded->{headers}{etag}, qr/^"\w+\.\w+-\w+"$/, 'with embedded records the tag has a part for their state');
is($service->get($path, Prefer => 'relations=embedded', 'If-None-Match' => $embedded->{headers}{etag})->{status}, 304,
	'the tag with embedded records: 304');
is($service->patch($path, { name => 'by embedded' }, 'If-Match' => $embedded->{headers}{etag})->{status}, 200,
	'a change is made with the tag of embedded records');
is($service->patch($path, { name => 'again' }, 'If-Match' => $embedded->{headers}{etag})->{status}, 412,
	'the same tag is refused after the change');
$tag = tag($path);
$shapes{fields} = tag("$path?fields=name");

# If-None-Match: 304 without a body, with the headers that caches need
my $unchanged = $service->get($path, 'If-None-Match' => $tag);
is($unchanged->{status}, 304, 'If-None-Match with the current tag: 304');
is($unchanged->{body}, '', '304 has no body');
is($unchanged->{headers}{etag}, $tag, '304 has the tag');
is($unchanged->{headers}{'cache-control'}, 'private, no-cache', '304 has Cache-Control');
like($unchanged->{headers}{vary}, qr/\b$_\b/, "304 has Vary: $_") for 'Accept', 'Prefer', 'Authorization',
	'X-Admin-Authorization';
ok(!exists $unchanged->{headers}{'content-type'}, '304 has no Content-Type');
my $read = $service->get($path);
is($read->{status}, 200, 'the connection stays open');

for (
	[ "W/$tag",                        304, 'a weak tag matches' ],
	[ "\"x\", $tag",                   304, 'one of several tags' ],
	[ "\"a,b\" ,, W/\"\",$tag",        304, 'commas inside tags, and empty elements' ],
	[ '*',                             304, 'any' ],
	[ ' * ',                           304, '"*", with spaces' ],
	[ '"x"',                           200, 'another tag' ],
	[ $shapes{fields},                 200, 'the tag of another representation' ],
	[ $tag =~ s/-.*/"/r,               200, 'a part of the tag' ],
	[ '"-' . ($tag =~ s/.*-//r),       200, 'the other part' ],
	[ $tag =~ tr/"//dr,                200, 'a tag without quotes' ],
	[ "w/$tag",                        200, 'a weak tag with a small w' ],
	[ "*, $tag",                       200, '"*" as one of several' ],
	[ '',                              200, 'none' ],
	[ '"x' . ('y' x 3000) . '"',       200, 'a long tag' ],
	[ join(', ', ('"0123456789abcdef-0123456789abcdef"') x 80), 200, 'many tags' ],
	)
{
	my ($value, $status, $name) = @$_;
	is($service->get($path, 'If-None-Match' => $value)->{status}, $status, "If-None-Match: $name: $status");
	is($service->head($path, 'If-None-Match' => $value)->{status}, $status, "HEAD: the same status");
}
my $twice = $service->raw(
	"GET $path HTTP/1.1\r\nHost: 127.0.0.1:$service->{port}\r\nAuthorization: Bearer $service->{token}\r\n"
		. "If-None-Match: \"x\"\r\nIf-None-Match: $tag\r\nConnection: close\r\n\r\n")->{replies}[0];
is($twice->{status}, 304, 'the header in two lines is one list');
for my $path ('/tags/first', '/roles', '/health', "$path/createdBy", '/users/me')
{
	is($service->get($path, 'If-None-Match' => tag($path))->{status}, 304, "GET $path: 304");
}
my $page = '/tags?limit=2&version=' . $service->get('/tags')->{json}{meta}{version};
is($service->get($page, 'If-None-Match' => tag($page))->{status}, 304, 'a page as of an instant: 304');
is($service->get('/tags', 'If-None-Match' => '*')->{status}, 304, 'a list matches "*"');
is($service->get('/tags/zzzzzzzzzzzzzzz', 'If-None-Match' => '*')->{status}, 404, 'a record that does not exist: 404');
is($service->get('/tags?limit=x', 'If-None-Match' => '*')->{status}, 422, 'an invalid parameter: 422');
is($service->get($path, 'If-None-Match' => '*', Accept => 'image/png')->{status}, 406,
	'a type that is not acceptable: 406');

# If-Match on a read: 412 unless the tag is that of the representation
is($service->get($path, 'If-Match' => $tag)->{status}, 200, 'GET with If-Match: the tag matches');
is($service->get($path, 'If-Match' => '*')->{status}, 200, 'any');
my $failed = $service->get($path, 'If-Match' => '"x"');
is($failed->{status}, 412, 'GET with If-Match: the tag does not match');
is($failed->{json}{code}, 'E_PRECONDITION_FAILED', 'the error code');
is($service->get($path, 'If-Match' => "W/$tag")->{status}, 412, 'a weak tag never matches');
is($service->get($path, 'If-Match' => '"x"', 'If-None-Match' => $tag)->{status}, 412, 'If-Match is evaluated first');
is($service->get($path, 'If-Match' => $tag, 'If-None-Match' => $tag)->{status}, 304,
	'If-None-Match is evaluated after If-Match');
is($service->get('/roles', 'If-Match' => '"x"')->{status}, 412, 'If-Match where the service computes the tag');
is($service->get('/tags/zzzzzzzzzzzzzzz', 'If-Match' => '*')->{status}, 404, 'a record that does not exist: 404');

# the tag changes with each change of the record, and not with reads
my $was = tag($path);
my %seen = ($was => 1);
is($service->patch($path, {})->{status}, 200, 'an empty PATCH');
is(tag($path), $was, 'an empty PATCH: the tag is unchanged');
for my $change (
	[ 'PATCH',      sub { $service->patch($path, { name => 'patched' }) } ],
	[ 'PUT',        sub { $service->put($path, { name => 'put' }) } ],
	[ 'SQL',        sub { $service->sql("UPDATE catalogue.tags SET name = 'sql' WHERE id = '$id'"); { status => 200 } } ],
	[ 'DELETE and restore', sub { $service->delete($path); $service->post("$path/restore") } ],
	)
{
	my ($name, $do) = @$change;
	is($do->()->{status}, 200, $name);
	my $now = tag($path);
	ok(!$seen{$now}++, "$name: a new tag");
	is($service->get($path, 'If-None-Match' => $was)->{status}, 200, "$name: the old tag gets the new state");
	is($service->get($path, 'If-None-Match' => $now)->{status}, 304, "$name: the new tag gets 304");
	$was = $now;
}

# If-Match on changes: a tag of any representation of the current state
my %changes = (
	PATCH  => sub { $service->patch($path, { name => 'changed' }, @_) },
	PUT    => sub { $service->put($path, { name => 'changed' }, @_) },
	DELETE => sub { $service->delete($path, @_) },
);
for my $verb (sort keys %changes)
{
	my $change = $changes{$verb};
	my $old = tag($path);
	$service->patch($path, { name => 'meanwhile' });
	my $now = tag($path);
	for ([ $old, 'an old state' ], [ "W/$now", 'a weak tag' ], [ '"x"', 'a foreign tag' ], [ '"-"', 'a dash' ],
		[ '"!x"', 'other characters' ], [ '', 'an empty list' ],
		[ '"*"', '"*" in quotes' ], [ "\"$id\"", 'the id' ])
	{
		my $reply = $change->('If-Match' => $_->[0]);
		is($reply->{status}, 412, "$verb with If-Match: $_->[1]: 412");
		is($reply->{json}{code}, 'E_PRECONDITION_FAILED', 'the error code');
	}
	for ($now =~ tr/"//dr, "*, $now", '"x', "$now x")
	{
		is($change->('If-Match' => $_)->{status}, 400, "$verb with If-Match: $_: malformed, 400");
		is($change->('If-None-Match' => $_)->{status}, 400, "$verb with If-None-Match: $_: malformed, 400");
	}
	is($change->('If-None-Match' => '*')->{status}, 412, "$verb with If-None-Match: *: the record exists");
	is($change->('If-None-Match' => "\"x\", W/$now")->{status}, 412, "$verb with If-None-Match: the current tag");
	is($change->('If-Match' => $now, 'If-None-Match' => $now)->{status}, 412, "$verb: both must hold");
	is(tag($path), $now, "$verb: the refused requests changed nothing");
	is($change->('If-Match' => "\"x\", $now", 'If-None-Match' => $old)->{status}, 200,
		"$verb with the current tag is executed");
	$path = made() if $verb eq 'DELETE';
	is($change->('If-Match' => '*')->{status}, 200, "$verb with If-Match: *");
	$path = made() if $verb eq 'DELETE';
	for my $seen (sub { tag("$path?fields=name") }, sub { tag($path, Authorization => undef) },
		sub { tag("$path?fields=id,slug") })
	{
		is($change->('If-Match' => $seen->())->{status}, 200, "$verb: a tag of any representation");
		$path = made() if $verb eq 'DELETE';
	}
}

# conditions on actions, deletion and restoration
my $dataset =
	$service->post('/datasets', $definition->record('datasets'))->{json}{links}{record} =~ s{^\Q$service->{base}\E}{}r;
my $first = tag($dataset);
is($service->patch("$dataset/publish", undef, 'If-Match' => '"x"')->{status}, 412, 'an action with another tag: 412');
is($service->patch("$dataset/publish", undef, 'If-Match' => $first)->{status}, 200,
	'an action with the current tag: 200');
is($service->patch("$dataset/unpublish", undef, 'If-Match' => $first)->{status}, 412,
	'the tag from before the action: 412');
is($service->delete($dataset)->{status}, 200, 'deleted');
is($service->post("$dataset/restore", undef, 'If-Match' => '*')->{status}, 412, 'a deleted record matches no tag');
is($service->post("$dataset/restore", undef, 'If-None-Match' => '*')->{status}, 200,
	'a deleted record is restored with If-None-Match: *');
my $category =
	$service->post('/categories', $definition->record('categories'))->{json}{links}{record} =~ s{^\Q$service->{base}\E}{}r;
is($service->post("$category/deactivate", undef, 'If-Match' => '"x"')->{status}, 412, 'deactivate: 412');
is($service->post("$category/deactivate", undef, 'If-Match' => tag($category))->{status}, 200, 'deactivate: 200');
is($service->post("$category/restore", undef, 'If-Match' => '"x"')->{status}, 412,
	'a deactivated record is restored with another tag: 412');
is($service->post("$category/restore", undef, 'If-Match' => tag($category))->{status}, 200, 'restore: 200');

# an error that the request has anyway takes precedence over the condition
is($service->patch('/tags/zzzzzzzzzzzzzzz', { name => 'x' }, 'If-Match' => '"x"')->{status}, 404,
	'a record that does not exist: 404');
is($service->patch($path, { name => 'x' }, 'If-Match' => '"x"', Authorization => undef)->{status}, 401,
	'without a user: 401');
is($service->patch('/tags', { name => 'x' }, 'If-Match' => '"x"')->{status}, 405,
	'a method that the path does not have: 405');
is($service->patch($path, '<x/>', 'Content-Type' => 'text/xml', 'If-Match' => '"x"')->{status}, 415,
	'an unsupported media type: 415');
is($service->patch($path, { name => '' }, 'If-Match' => '"x"')->{status}, 412,
	'the condition is evaluated before the body: 412');

# creation, and paths without a state
is($service->post('/tags', $definition->record('tags'), 'If-Match' => '*')->{status}, 201,
	'create with If-Match: *: the list exists');
is($service->post('/tags', $definition->record('tags'), $_ => '"x"')->{status}, 412, "create with $_: 412")
	for 'If-Match', 'If-None-Match';
my $creation = $service->post('/tags', $definition->record('tags'), 'If-None-Match' => '*');
is($creation->{status}, 412, 'create with If-None-Match: *: the list exists');
like($creation->{json}{meta}{message}, qr/^a creation has no state to compare: .* Idempotency-Key/,
	'and the message says what would be right');
is($service->post('/tags', $definition->record('tags'), 'If-None-Match' => '*', Authorization => undef)->{status}, 401,
	'without a user: 401');
is($service->post('/users/login', { username => 'nobody', password => 'wrong' }, 'If-Match' => '"x"')->{status}, 401,
	'login ignores conditions');
is($service->options('/tags', 'If-Match' => '"x"')->{status}, 200, 'OPTIONS ignores conditions');

# which answers may be stored by caches
is($service->get('/tags')->{headers}{'cache-control'}, 'private, no-cache',
	'a list may be stored, and must be revalidated');
is($service->get('/users/me')->{headers}{'cache-control'}, 'no-store', 'a user may not be stored');
is($service->post('/users/login', { username => 'nobody', password => 'wrong' })->{headers}{'cache-control'},
	'no-store', 'a login may not be stored');
like($service->get('/tags', Origin => 'https://portal.example')->{headers}{'access-control-expose-headers'},
	qr/\bETag\b/, 'pages of other origins may read the tag');
my $preflight = $service->options('/tags', Origin => 'https://portal.example',
	'Access-Control-Request-Method' => 'PATCH')->{headers}{'access-control-allow-headers'};
like($preflight, qr/\b$_\b/, "pages of other origins may send $_") for 'If-Match', 'If-None-Match';

# of two concurrent changes with the same tag one is made and the other is refused
my ($one, $other) = map { $service->connection } 1 .. 2;
my %ends;
for my $round (1 .. 200)
{
	my $state = tag($path);
	for ([ $one, "one $round" ], [ $other, "other $round" ])
	{
		my $body = "{\"name\":\"$_->[1]\"}";
		syswrite $_->[0],
			"PATCH $path HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer $service->{token}\r\nIf-Match: $state\r\n"
			. "Content-Type: application/json\r\nContent-Length: " . length($body) . "\r\n\r\n$body";
	}
	my @got = sort map { $service->raw('', socket => $_)->{replies}[0]{status} } $one, $other;
	$ends{"@got"}++;
}
is_deeply(\%ends, { '200 412' => 200 }, 'of two concurrent changes one passes and one gets 412, 200 times');

$service->finish;
