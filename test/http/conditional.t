#!/usr/bin/perl
# Conditional requests (RFC 9110, 13): every JSON GET has a strong tag, a client that has the state
# already gets 304, and a change passes only in the state that the client demands.

use strict;
use warnings;

use Test::More;
use Catalogue::Test;
use Catalogue::Definition;

my $service    = Catalogue::Test->start->as_admin;
my $definition = Catalogue::Definition->new($service);

sub tag { my ($path, %headers) = @_; return $service->get($path, %headers)->{headers}{etag} }
sub made { return $service->post('/tags', $definition->record('tags'))->{json}{links}{record} =~ s{^\Q$service->{base}\E}{}r }

my $path = made();
my ($id) = $path =~ m{(\w+)$};

# every JSON GET carries a strong tag, and HEAD the same; errors and other answers none
for ($path, '/tags', '/tags?limit=1', '/tags/first', '/tags/last', '/tags/count', "$path/createdBy", "$path/datasets", '/users/me', '/roles', '/health')
{
	like(tag($_), qr/^"[^"]+"$/, "GET $_: a strong tag");
	like($service->head($_)->{headers}{etag}, qr/^"[^"]+"$/, "HEAD $_: so");
}
is($service->head($path)->{headers}{etag}, tag($path), 'HEAD gives the tag of GET');
for ($service->get('/tags/zzzzzzzzzzzzzzz'), $service->get('/tags?limit=x'), $service->options('/tags'), $service->post('/tags', $definition->record('tags')),
	$service->put($path, { name => 'once' }, Prefer => 'return=representation'))
{
	ok(!exists $_->{headers}{etag}, "an answer $_->{status} that is no reading has none");
}

# equal tags mean equal bytes; whatever shapes the bytes makes another tag
my $tag = tag($path);
is(tag($path), $tag, 'the tag stays while nothing changes');
my %shapes = (
	'another path'          => tag("/tags/last"),
	'fields'                => tag("$path?fields=name"),
	'relations'             => tag($path, Prefer => 'relations=embedded'),
	'nobody'                => tag($path, Authorization => undef),
	'another host in links' => tag($path, Host => "localhost:$service->{port}"),
);
isnt($shapes{$_}, $tag, "$_: another tag") for sort keys %shapes;
my %bodies;
for my $path ($path, "$path?fields=name", '/tags/count', '/tags?limit=2&version=' . $service->get('/tags')->{json}{meta}{version}, '/roles', '/health')
{
	for (1 .. 2)
	{
		my $reply = $service->get($path);
		my $before = $bodies{ $reply->{headers}{etag} } //= $reply->{body};
		is($reply->{body}, $before, "GET $path: its tag stands for these bytes");
	}
}

# a list and a count have a state too: that of all that they are made from
for my $path ('/tags?limit=2', '/tags/count', '/tags?include=createdBy&limit=1', '/datasets?tags.name=x', "$path/datasets", '/tags?limit=2&skip=2&orderBy=name')
{
	my $before = $service->get($path);
	is($service->get($path)->{body}, $before->{body}, "GET $path: the same bytes while nothing changes");
	is($service->get($path, 'If-None-Match' => $before->{headers}{etag})->{status}, 304, 'and 304 for who has them');
	$service->post('/tags', $definition->record('tags'));
	isnt(tag($path), $before->{headers}{etag}, 'another tag after a change');
	like($service->get($path, 'If-None-Match' => $before->{headers}{etag})->{status}, qr/^20[06]$/, 'which is sent');
}
my $linked = $service->post('/datasets', { %{ $definition->record('datasets') }, tags => [$id] })->{json}{links}{record} =~ s{^\Q$service->{base}\E}{}r;
my $with = $service->get($linked);
is_deeply($with->{json}{data}{tags}, [$id], 'a record that holds a list of ids');
$service->delete($path);
is_deeply($service->get($linked, 'If-None-Match' => $with->{headers}{etag})->{json}{data}{tags}, [], 'has another state when one of them is deleted');
$service->post("$path/restore");
my $embedded = $service->get($path, Prefer => 'relations=embedded');
like($embedded->{headers}{etag}, qr/^"\w+\.\w+-\w+"$/, 'with embedded records the tag has the state of more than the record');
is($service->get($path, Prefer => 'relations=embedded', 'If-None-Match' => $embedded->{headers}{etag})->{status}, 304, 'is known again');
is($service->patch($path, { name => 'by embedded' }, 'If-Match' => $embedded->{headers}{etag})->{status}, 200, 'and lets a change of the record pass');
is($service->patch($path, { name => 'again' }, 'If-Match' => $embedded->{headers}{etag})->{status}, 412, 'but once');
$tag = tag($path);
$shapes{fields} = tag("$path?fields=name");

# If-None-Match: 304 without a body, with what tells caches how to go on
my $unchanged = $service->get($path, 'If-None-Match' => $tag);
is($unchanged->{status}, 304, 'If-None-Match: the tag that is there: 304');
is($unchanged->{body}, '', 'without a body');
is($unchanged->{headers}{etag}, $tag, 'with the tag');
is($unchanged->{headers}{'cache-control'}, 'private, no-cache', 'and Cache-Control');
like($unchanged->{headers}{vary}, qr/\b$_\b/, "and Vary: $_") for 'Accept', 'Prefer', 'Authorization', 'X-Admin-Authorization';
ok(!exists $unchanged->{headers}{'content-type'}, 'and no type of a body');
my $read = $service->get($path);
is($read->{status}, 200, 'the connection goes on');

for (
	[ "W/$tag",                        304, 'weak tags compare as well' ],
	[ "\"x\", $tag",                   304, 'one of several' ],
	[ "\"a,b\" ,, W/\"\",$tag",        304, 'commas inside tags, and empty elements' ],
	[ '*',                             304, 'any' ],
	[ ' * ',                           304, 'any, with spaces' ],
	[ '"x"',                           200, 'another tag' ],
	[ $shapes{fields},                 200, 'the tag of another representation' ],
	[ $tag =~ s/-.*/"/r,               200, 'a part of the tag' ],
	[ '"-' . ($tag =~ s/.*-//r),       200, 'the other part' ],
	[ $tag =~ tr/"//dr,                200, 'without quotes it is no tag' ],
	[ "w/$tag",                        200, 'nor with a small w' ],
	[ "*, $tag",                       200, 'nor is any one of several' ],
	[ '',                              200, 'none' ],
	[ '"x' . ('y' x 3000) . '"',       200, 'a long one' ],
	[ join(', ', ('"0123456789abcdef-0123456789abcdef"') x 80), 200, 'many' ],
	)
{
	my ($value, $status, $name) = @$_;
	is($service->get($path, 'If-None-Match' => $value)->{status}, $status, "If-None-Match: $name: $status");
	is($service->head($path, 'If-None-Match' => $value)->{status}, $status, "HEAD too");
}
my $twice = $service->raw("GET $path HTTP/1.1\r\nHost: 127.0.0.1:$service->{port}\r\nAuthorization: Bearer $service->{token}\r\n"
		. "If-None-Match: \"x\"\r\nIf-None-Match: $tag\r\nConnection: close\r\n\r\n")->{replies}[0];
is($twice->{status}, 304, 'the header in two lines is one list');
for my $path ('/tags/first', '/roles', '/health', "$path/createdBy", '/users/me')
{
	is($service->get($path, 'If-None-Match' => tag($path))->{status}, 304, "GET $path: 304 too");
}
my $page = '/tags?limit=2&version=' . $service->get('/tags')->{json}{meta}{version};
is($service->get($page, 'If-None-Match' => tag($page))->{status}, 304, 'a page of an instant: 304');
is($service->get('/tags', 'If-None-Match' => '*')->{status}, 304, 'a list has some state');
is($service->get('/tags/zzzzzzzzzzzzzzz', 'If-None-Match' => '*')->{status}, 404, 'what is not there is 404');
is($service->get('/tags?limit=x', 'If-None-Match' => '*')->{status}, 422, 'and a fault a fault');
is($service->get($path, 'If-None-Match' => '*', Accept => 'image/png')->{status}, 406, 'of any kind');

# If-Match on a read: 412 unless the representation is the one
is($service->get($path, 'If-Match' => $tag)->{status}, 200, 'GET with If-Match: it is');
is($service->get($path, 'If-Match' => '*')->{status}, 200, 'any');
my $failed = $service->get($path, 'If-Match' => '"x"');
is($failed->{status}, 412, 'GET with If-Match: it is not');
is($failed->{json}{code}, 'E_PRECONDITION_FAILED', 'by its code');
is($service->get($path, 'If-Match' => "W/$tag")->{status}, 412, 'a weak tag never matches');
is($service->get($path, 'If-Match' => '"x"', 'If-None-Match' => $tag)->{status}, 412, 'If-Match goes first');
is($service->get($path, 'If-Match' => $tag, 'If-None-Match' => $tag)->{status}, 304, 'then If-None-Match');
is($service->get('/roles', 'If-Match' => '"x"')->{status}, 412, 'where the service makes the tag too');
is($service->get('/tags/zzzzzzzzzzzzzzz', 'If-Match' => '*')->{status}, 404, 'what is not there is 404');

# the tag changes with each change of the record, and not with reading
my $was = tag($path);
my %seen = ($was => 1);
is($service->patch($path, {})->{status}, 200, 'an empty PATCH');
is(tag($path), $was, 'an empty PATCH: the same tag');
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
	ok(!$seen{$now}++, "$name: a tag as never before");
	is($service->get($path, 'If-None-Match' => $was)->{status}, 200, "$name: who has the old state gets the new one");
	is($service->get($path, 'If-None-Match' => $now)->{status}, 304, "$name: who has it, 304");
	$was = $now;
}

# If-Match on changes: in the state that the client has seen, through any representation of it
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
	for ([ $old, 'an old state' ], [ "W/$now", 'a weak tag' ], [ '"x"', 'no tag of ours' ], [ '"-"', 'nothing' ], [ '"!x"', 'signs' ], [ '', 'an empty list' ],
		[ '"*"', 'a star in quotes' ], [ "\"$id\"", 'the id' ])
	{
		my $reply = $change->('If-Match' => $_->[0]);
		is($reply->{status}, 412, "$verb with If-Match: $_->[1]: 412");
		is($reply->{json}{code}, 'E_PRECONDITION_FAILED', 'by its code');
	}
	for ($now =~ tr/"//dr, "*, $now", '"x', "$now x")
	{
		is($change->('If-Match' => $_)->{status}, 400, "$verb with If-Match: $_: malformed, 400");
		is($change->('If-None-Match' => $_)->{status}, 400, "$verb with If-None-Match: $_: so");
	}
	is($change->('If-None-Match' => '*')->{status}, 412, "$verb with If-None-Match: *: it is there");
	is($change->('If-None-Match' => "\"x\", W/$now")->{status}, 412, "$verb with If-None-Match: it is in that state");
	is($change->('If-Match' => $now, 'If-None-Match' => $now)->{status}, 412, "$verb: both must hold");
	is(tag($path), $now, "$verb: all that changed nothing");
	is($change->('If-Match' => "\"x\", $now", 'If-None-Match' => $old)->{status}, 200, "$verb in the right state passes");
	$path = made() if $verb eq 'DELETE';
	is($change->('If-Match' => '*')->{status}, 200, "$verb with If-Match: *");
	$path = made() if $verb eq 'DELETE';
	for my $seen (sub { tag("$path?fields=name") }, sub { tag($path, Authorization => undef) }, sub { tag("$path?fields=id,slug") })
	{
		is($change->('If-Match' => $seen->())->{status}, 200, "$verb: a tag of any representation");
		$path = made() if $verb eq 'DELETE';
	}
}

# the same on what moves, hides and brings back
my $dataset = $service->post('/datasets', $definition->record('datasets'))->{json}{links}{record} =~ s{^\Q$service->{base}\E}{}r;
my $first = tag($dataset);
is($service->patch("$dataset/publish", undef, 'If-Match' => '"x"')->{status}, 412, 'an action in another state: 412');
is($service->patch("$dataset/publish", undef, 'If-Match' => $first)->{status}, 200, 'in the right one: 200');
is($service->patch("$dataset/unpublish", undef, 'If-Match' => $first)->{status}, 412, 'the action has changed it');
is($service->delete($dataset)->{status}, 200, 'deleted');
is($service->post("$dataset/restore", undef, 'If-Match' => '*')->{status}, 412, 'what is deleted has no state to match');
is($service->post("$dataset/restore", undef, 'If-None-Match' => '*')->{status}, 200, 'and can be restored if it is not there');
my $category = $service->post('/categories', $definition->record('categories'))->{json}{links}{record} =~ s{^\Q$service->{base}\E}{}r;
is($service->post("$category/deactivate", undef, 'If-Match' => '"x"')->{status}, 412, 'deactivate: 412');
is($service->post("$category/deactivate", undef, 'If-Match' => tag($category))->{status}, 200, 'deactivate: 200');
is($service->post("$category/restore", undef, 'If-Match' => '"x"')->{status}, 412, 'restore what is deactivated: 412');
is($service->post("$category/restore", undef, 'If-Match' => tag($category))->{status}, 200, 'restore: 200');

# what would be refused anyway is refused for its own reason
is($service->patch('/tags/zzzzzzzzzzzzzzz', { name => 'x' }, 'If-Match' => '"x"')->{status}, 404, 'no record: 404');
is($service->patch($path, { name => 'x' }, 'If-Match' => '"x"', Authorization => undef)->{status}, 401, 'no user: 401');
is($service->patch('/tags', { name => 'x' }, 'If-Match' => '"x"')->{status}, 405, 'no such verb: 405');
is($service->patch($path, '<x/>', 'Content-Type' => 'text/xml', 'If-Match' => '"x"')->{status}, 415, 'no such type: 415');
is($service->patch($path, { name => '' }, 'If-Match' => '"x"')->{status}, 412, 'before the body is looked at: 412');

# a list that is added to, and what has no state
is($service->post('/tags', $definition->record('tags'), 'If-Match' => '*')->{status}, 201, 'create with If-Match: *: there is a list');
is($service->post('/tags', $definition->record('tags'), $_ => '"x"')->{status}, 412, "create with $_: 412") for 'If-Match', 'If-None-Match';
is($service->post('/tags', $definition->record('tags'), 'If-None-Match' => '*')->{status}, 412, 'create with If-None-Match: *: there is a list');
is($service->post('/tags', $definition->record('tags'), 'If-None-Match' => '*', Authorization => undef)->{status}, 401, 'no user: 401');
is($service->post('/users/login', { username => 'admin', password => 'wrong' }, 'If-Match' => '"x"')->{status}, 401, 'login has no conditions');
is($service->options('/tags', 'If-Match' => '"x"')->{status}, 200, 'nor has OPTIONS');

# what may be kept, and by whom
is($service->get('/tags')->{headers}{'cache-control'}, 'private, no-cache', 'a list may be kept, and is asked for anew');
is($service->get('/users/me')->{headers}{'cache-control'}, 'no-store', 'a user may not');
is($service->post('/users/login', { username => 'admin', password => 'wrong' })->{headers}{'cache-control'}, 'no-store', 'nor a token');
like($service->get('/tags', Origin => 'https://portal.example')->{headers}{'access-control-expose-headers'}, qr/\bETag\b/, 'scripts of other origins may see the tag');
my $preflight = $service->options('/tags', Origin => 'https://portal.example', 'Access-Control-Request-Method' => 'PATCH')->{headers}{'access-control-allow-headers'};
like($preflight, qr/\b$_\b/, "and send $_") for 'If-Match', 'If-None-Match';

# two that change one state at the same moment: one passes, the other learns of it
my ($one, $other) = map { $service->connection } 1 .. 2;
my %ends;
for my $round (1 .. 200)
{
	my $state = tag($path);
	for ([ $one, "one $round" ], [ $other, "other $round" ])
	{
		my $body = "{\"name\":\"$_->[1]\"}";
		syswrite $_->[0], "PATCH $path HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer $service->{token}\r\nIf-Match: $state\r\n"
			. "Content-Type: application/json\r\nContent-Length: " . length($body) . "\r\n\r\n$body";
	}
	my @got = sort map { $service->raw('', socket => $_, quiet => 0)->{replies}[0]{status} } $one, $other;
	$ends{"@got"}++;
}
is_deeply(\%ends, { '200 412' => 200 }, 'of two at the same moment one passes and one gets 412, 200 times');

$service->finish;
