#!/usr/bin/perl
# Prefer: handling=strict: an unknown parameter or member of a body is an error, with the nearest name;
# without the preference it is ignored and reported.

use strict;
use warnings;

use Test::More;
use Catalogue::Test;
use Catalogue::Upload;

my $service = Catalogue::Test->shared->as_admin;
my $uploads = Catalogue::Upload->new($service);
my %strict  = (Prefer => 'handling=strict');

# parameters: 422, with the unknown name and the nearest one
my $reply = $service->get('/tags?nmae=x&limit=1', %strict);
is($reply->{status}, 422, 'an unknown parameter is refused');
is($reply->{json}{code}, 'E_UNPROCESSABLE_ENTITY', 'the error code');
is_deeply($reply->{json}{data},
	{ nmae => [ { rule => 'unknown', message => 'is not known; the nearest name is "name"' } ] },
	'the error has the nearest name');
is($service->get('/tags?nmae=x', %strict, Accept => 'text/csv')->{status}, 422, 'refused for CSV');
is($service->get("/tags/$_?nmae=x", %strict)->{status}, 422, "refused for $_") for qw(first count search statistics);
is($service->head('/tags?nmae=x', %strict)->{status}, 422, 'refused for HEAD');
$reply = $service->get('/tags?name=water', %strict);
is($reply->{status}, 200, 'known parameters are accepted');
is($reply->{headers}{'preference-applied'}, 'handling=strict', 'Preference-Applied has the preference');
like($reply->{headers}{vary}, qr/\bPrefer\b/, 'Vary has Prefer');
is_deeply($service->get('/tags?nmae=x')->{json}{meta}{ignored}, ['nmae'],
	'without the preference the parameter is ignored and reported');
is_deeply($service->get('/tags?nmae=x', Prefer => 'handling=lenient')->{json}{meta}{ignored}, ['nmae'],
	'handling=lenient: the parameter is ignored and reported');
is($service->get('/tags?nmae=x&limit=1000', Prefer => 'handling=rigid')->{status}, 200,
	'an unknown value of the preference is ignored');

# with If-None-Match, and on paths without parameters
my $etag = $service->get('/tags?nmae=x')->{headers}{etag};
is($service->get('/tags?nmae=x', %strict, 'If-None-Match' => $etag)->{status}, 422,
	'the error takes precedence over If-None-Match');
is($service->get('/tags?nmae=x', 'If-None-Match' => $etag)->{status}, 304,
	'without the preference If-None-Match applies');
is($service->get('/roles?nmae=x', %strict)->{status}, 422, 'a parameter of a path that has none');
is($service->get('/roles', %strict)->{status}, 200, 'a path without parameters');
is($service->post('/tags?nmae=x', { name => 'never' }, %strict)->{status}, 422, 'a parameter of a creation');

# members of a body: 400, all of them at once; nothing is written
$reply = $service->post('/tags', { nmae => 'x', colour => 'y' }, %strict);
is($reply->{status}, 400, 'unknown members are refused');
is_deeply([ map { "$_ $reply->{json}{data}{$_}[0]{rule}" } sort keys %{ $reply->{json}{data} } ],
	[ 'colour unknown', 'name required', 'nmae unknown' ], 'all faults at once');
$reply = $service->post('/tags', { name => 'told', nmae => 'x' }, Prefer => 'return=representation');
is($reply->{status}, 201, 'without the preference they are ignored');
is_deeply($reply->{json}{meta}{ignored}, ['nmae'], 'ignored members are reported');
my $tag = $reply->{json}{data};
$reply = $service->patch("/tags/$tag->{id}", { %$tag, Name => 'x' }, %strict);
is_deeply([ $reply->{status}, keys %{ $reply->{json}{data} } ], [ 400, 'Name' ],
	'a complete record with one wrong member');
is($service->patch("/tags/$tag->{id}", $tag, %strict)->{status}, 200, 'a complete record as it was read');
is_deeply($service->patch("/tags/$tag->{id}", { Name => 'x' })->{json}{meta}{ignored}, ['Name'],
	'an update reports ignored members');

# forms, with and without a file
is($service->request('POST', '/tags', 'name=form&nmae=x', 'Content-Type' => 'application/x-www-form-urlencoded',
	%strict)->{status}, 400, 'an unknown field of a form');
my ($body, %type) = form(field(name => 'Strict', color => 'A0B0C0', colour => 'x'));
is($service->request('POST', '/categories', $body, %type, %strict)->{status}, 400, 'an unknown part of a form');
$reply = $service->request('POST', '/categories', $body, %type);
is_deeply([ $reply->{status}, $reply->{json}{meta}{ignored} ], [ 201, ['colour'] ],
	'without the preference it is ignored and reported');

# logins and requests for tokens: unknown members are errors with all others, and no token is issued
my %login = (username => 'admin', password => $ENV{CATALOGUE_ADMIN_PASSWORD});
$reply = $service->post('/users/login', { %login, passwort => 'secret', colour => 1 }, %strict, Authorization => undef);
is($reply->{status}, 400, 'login: unknown members');
is_deeply({ map { $_ => $reply->{json}{data}{$_}[0]{message} } keys %{ $reply->{json}{data} } },
	{ passwort => 'is not known; the nearest name is "password"', colour => 'is not known' },
		'no other members are reported');
unlike($reply->{body}, qr/secret|token/, 'the answer has neither their values nor a token');
$reply = $service->post('/users/login', { usernmae => 'admin' }, %strict, Authorization => undef);
is_deeply([ map { "$_ $reply->{json}{data}{$_}[0]{rule}" } sort keys %{ $reply->{json}{data} } ],
	[ 'password required', 'username required', 'usernmae unknown' ], 'all faults at once');
$reply = $service->post('/users/login', \%login, %strict, Authorization => undef);
is($reply->{status}, 200, 'login without other members');
is($reply->{headers}{'preference-applied'}, 'handling=strict', 'the preference was applied');
$reply = $service->post('/users/login', { %login, passwort => 'secret' }, Authorization => undef);
is_deeply([ $reply->{status}, $reply->{json}{meta}{ignored} ], [ 200, ['passwort'] ],
	'without the preference they are ignored and reported');
ok($reply->{json}{data}{token}, 'a token is issued');
is($service->post('/users/login', { %login, password => 'wrong', passwort => 'x' }, %strict,
	Authorization => undef)->{status}, 400, 'an unknown member takes precedence over a wrong password');
$service->sql(
	q(SELECT catalogue.add_token_key(catalogue.add_consumer('Strict', id => 'strict'), 'HS256', issues => true)));
my %client = (consumer => 'Strict', consumerId => 'strict');
$reply = $service->post('/clients/tokens', { %client, consumerid => 'x' }, %strict);
is_deeply([ $reply->{status}, $reply->{json}{data} ],
	[ 400, { consumerid => [ { rule => 'unknown', message => 'is not known; the nearest name is "consumerId"' } ] } ],
	'token: unknown members');
$reply = $service->post('/clients/tokens', { consumerid => 'x' }, %strict);
is_deeply([ sort keys %{ $reply->{json}{data} } ], [qw(consumer consumerId consumerid)], 'all faults at once');
is($service->post('/clients/tokens', \%client, %strict)->{status}, 200, 'a token without other members');
$reply = $service->post('/clients/tokens', { %client, consumerid => 'x' });
is_deeply([ $reply->{status}, $reply->{json}{meta}{ignored} ], [ 200, ['consumerid'] ],
	'without the preference they are ignored and reported');

# actions and other requests that take no body: every member is unknown
my $dataset = $uploads->{definition}->create('datasets', status => 'qWRhpRV');
my $state = sub { $service->get("/datasets/$dataset")->{json}{data}{status} };
for my $action (qw(unpublish review cancel review reject publish))
{
	my $before = $state->();
	$reply = $service->request('PATCH', "/datasets/$dataset/$action", { notes => 'x', reason => 'y' }, %strict);
	is_deeply([ $reply->{status}, $reply->{json}{data} ],
		[ 400, { map { $_ => [ { rule => 'unknown', message => 'is not known' } ] } qw(notes reason) } ],
		"$action: unknown members");
	is($state->(), $before, "$action: it was not executed");
	is($service->request('PATCH', "/datasets/$dataset/$action", {}, %strict)->{status}, 200, "$action: an empty object");
	isnt($state->(), $before, "$action: it was executed");
}
$reply = $service->request('PATCH', "/datasets/$dataset/unpublish", { reason => 'y', 'a"b' => 1 });
is_deeply([ $reply->{status}, [ sort @{ $reply->{json}{meta}{ignored} } ] ], [ 200, [ 'a"b', 'reason' ] ],
	'without the preference they are ignored and reported');
$reply = $service->request('PATCH', "/datasets/$dataset/publish");
is_deeply([ $reply->{status}, $reply->{json}{meta}{ignored} ], [ 200, undef ], 'without a body nothing is reported');
is($service->request('DELETE', "/tags/$tag->{id}", { reason => 'x' }, %strict)->{status}, 400, 'a deletion');
is_deeply($service->request('DELETE', "/tags/$tag->{id}", { reason => 'x' })->{json}{meta}{ignored}, ['reason'],
	'without the preference it is reported');
is($service->post("/tags/$tag->{id}/restore", { reason => 'x' }, %strict)->{status}, 400, 'a restoration');
is_deeply($service->post("/tags/$tag->{id}/restore", { reason => 'x' })->{json}{meta}{ignored}, ['reason'],
	'without the preference it is reported');
is_deeply($service->request('GET', '/tags?nmae=x', { reason => 'x' })->{json}{meta}{ignored}, [ 'nmae', 'reason' ],
	'parameters and members are reported');
my $file = $uploads->file('strict.csv', "a\n1\n", name => 'Strict');
$service->sql("SELECT catalogue.contents_load('$file->{id}', '[[\"a\"],[\"1\"]]')");
is_deeply($service->get("/files/$file->{id}/schema?shet=1")->{json}{meta}{ignored}, ['shet'],
	'an unknown parameter of a path without records is reported');
my %leaving = (Authorization => ($uploads->{definition}->user('strict', 'guest'))[1]);
is($service->post('/users/logout', { everywhere => 1 }, %strict, %leaving)->{status}, 400, 'a logout');
is_deeply($service->post('/users/logout', { everywhere => 1 }, %leaving)->{json}{meta}{ignored}, ['everywhere'],
	'without the preference it is reported');

$service->finish;
