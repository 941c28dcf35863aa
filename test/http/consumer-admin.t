#!/usr/bin/perl
# Applications and their keys over HTTP: superadmins register, change, limit, replace and revoke them; secrets are shown
# once and are in no list; what is refused, by member; nobody else learns of them or makes one.

use strict;
use warnings;

use Test::More;
use Catalogue::Definition;
use Catalogue::Test;

my $service = Catalogue::Test->start->as_admin;
my %nobody  = (Authorization => undef);
my ($role)  = $service->sql(q(SELECT role FROM catalogue.users WHERE username = 'admin'));
is($role, 'superadmin', 'the administrator is a superadmin');

sub made
{
	my ($name, $path, $body) = @_;
	my $reply = $service->post($path, $body);
	is($reply->{status}, 200, $name) or diag $reply->{body};
	return $reply->{json}{data};
}
sub listed { my ($id) = @_; return (grep { $_->{id} eq $id } @{ $service->get('/consumers')->{json}{data} })[0] }
sub refused
{
	my ($verb, $path, $body, $status, $pattern) = @_;
	my $reply = $service->request($verb, $path, $body);
	is($reply->{status}, $status, "$verb $path is refused with $status") or diag $reply->{body};
	like($reply->{body}, $pattern, 'with the reason');
	return;
}
sub status { my ($path, $secret) = @_; return $service->get($path, %nobody, apikey => $secret)->{status} }

is_deeply($service->get('/consumers')->{json}{data}, [], 'at first there are none');
my $id = made('an application is registered', '/consumers', { name => 'Portal', return => 'representation',
	relations => 'embedded', color => 'css', expires => '2099-01-31T12:00:00Z', tokenLifetime => 3600,
	origins => ['https://portal.example.org'], publicPaths => ['/datasets/*/download'] })->{id};
my $one = listed($id);
my ($user) = $service->sql(q(SELECT id FROM catalogue.users WHERE username = 'admin'));
is_deeply([ @$one{qw(name return relations color tokenLifetime origins publicPaths state createdBy keys)} ],
	[ 'Portal', 'representation', 'embedded', 'css', 3600, ['https://portal.example.org'], ['/datasets/*/download'],
		'good', $user, [] ], 'it has what was given');
like($one->{expires}, qr/^2099-01-31T12:00:00/, 'and its end');

# keys
my $key = made('a key is made', "/consumers/$id/keys", {});
like($key->{secret}, qr/^catalogue_\Q$key->{key}\E_[0-9a-f]{64}$/, 'its secret is shown');
is(status('/datasets', $key->{secret}), 200, 'it is good');
my $limited = made('a limited key is made', "/consumers/$id/keys", { resources => [ 'datasets', 'files' ],
	verbs => ['GET'], rate => 600, organization => undef, expires => '2098-01-01T00:00:00+02:00' });
is(status('/datasets', $limited->{secret}), 200, 'it reads what it may');
is(status('/tags', $limited->{secret}), 403, 'and nothing else');
my $token = made('a key of tokens is made', "/consumers/$id/keys",
	{ kind => 'HS256', issuesTokens => \1, key => 'portal-1' });
is($token->{key}, 'portal-1', 'with its name');
is($service->post('/clients/tokens', { consumer => 'Portal', consumerId => $id }, %nobody)->{status}, 200,
	'it makes tokens');
my $list = $service->get('/consumers');
unlike($list->{body}, qr/\Q$_\E/, 'no secret is in the list')
	for $key->{secret} =~ s/.*_//r, $limited->{secret} =~ s/.*_//r, $token->{secret};
is_deeply([ map { [ @$_{qw(kind state issuesTokens rate)}, $_->{resources} ] } @{ listed($id)->{keys} } ],
	[ [ 'apikey', 'good', 0, undef, undef ], [ 'apikey', 'good', 0, 600, [ 'datasets', 'files' ] ],
		[ 'HS256', 'good', 1, undef, undef ] ], 'keys with their limits');

# changes
is($service->patch("/consumers/$id", { name => 'Portal of the city', relations => 'ids', expires => undef })->{status},
	200, 'an application is changed');
is_deeply([ @{ listed($id) }{qw(name return relations expires)} ],
	[ 'Portal of the city', 'representation', 'ids', undef ], 'what was given, and no more');
my $new = made('a key is replaced', "/consumers/$id/keys/$limited->{key}/replace", { grace => 3600 });
is(status('/datasets', $_->{secret}), 200, 'the former and the new key are good') for $limited, $new;
is(status('/tags', $new->{secret}), 403, 'with the same limits');
my $newer = made('it is replaced at once', "/consumers/$id/keys/$new->{key}/replace", {});
is(status('/datasets/count', $new->{secret}), 401, 'the former one is not good any more');
my ($former) = grep { $_->{key} eq $new->{key} } @{ listed($id)->{keys} };
is_deeply([ @$former{qw(state revokedBy)} ], [ 'revoked', $user ], 'and tells who has done it');
is($service->delete("/consumers/$id/keys/$key->{key}")->{status}, 200, 'a key is revoked');
is(status('/datasets/count', $key->{secret}), 401, 'and not good any more');
refused('DELETE', "/consumers/$id/keys/$key->{key}", undef, 404, qr/Key .* does not exist/);

# what is refused, and nothing is kept of it
my $other = made('another application', '/consumers', { name => 'Other', id => 'other_1' })->{id};
is($other, 'other_1', 'with the id that was given');
my $number = 'SELECT (SELECT count(*) FROM catalogue.consumers), (SELECT count(*) FROM catalogue.consumer_keys)';
my @before = $service->sql($number);
refused('POST', '/consumers', @$_) for [ {}, 400, qr/\\"name\\" is required/ ],
	[ { name => '' },                                       400, qr/\\"name\\" takes up to 100/ ],
	[ { name => 'x' x 101 },                                400, qr/\\"name\\" takes up to 100/ ],
	[ { name => 5 },                                        400, qr/takes a string/ ],
	[ { name => 'other' },                                  409, qr/has this name/ ],
	[ { name => 'A', id => 'other_1' },                     409, qr/has this id/ ],
	[ { name => 'A', id => 'no/id' },                       400, qr/\\"id\\" takes/ ],
	[ { name => 'A', return => 'all' },                     400, qr/takes minimal or representation/ ],
	[ { name => 'A', relations => 'all' },                  400, qr/takes ids or embedded/ ],
	[ { name => 'A', color => 'all' },                      400, qr/takes bare or css/ ],
	[ { name => 'A', color => undef },                      400, qr/\\"color\\" takes/ ],
	[ { name => 'A', expires => 'tomorrow' },               400, qr/takes an instant/ ],
	[ { name => 'A', expires => '2027-02-31T00:00:00Z' },   400, qr/takes an instant/ ],
	[ { name => 'A', tokenLifetime => 0 },                  400, qr/\\"tokenLifetime\\" takes seconds/ ],
	[ { name => 'A', tokenLifetime => 9999999999 },         400, qr/\\"tokenLifetime\\" takes seconds/ ],
	[ { name => 'A', tokenLifetime => 1.5 },                400, qr/takes a whole number/ ],
	[ { name => 'A', origins => 'https://example.org' },    400, qr/takes an array of strings/ ],
	[ { name => 'A', origins => [5] },                      400, qr/takes an array of strings/ ],
	[ { name => 'A', publicPaths => ['datasets'] },         400, qr/\\"publicPaths\\" takes paths/ ],
	[ [],                                                   400, qr/./ ];
refused('POST', '/consumers/other_1/keys', @$_) for [ { kind => 'RS512' }, 400, qr/takes apikey, HS256/ ],
	[ { kind => 'RS256' },                                  400, qr/\\"material\\" takes/ ],
	[ { kind => 'HS256', material => 'short' },             400, qr/\\"material\\" takes/ ],
	[ { kind => 'HS256', material => "-----BEGIN PRIVATE KEY-----\n" }, 400, qr/\\"material\\" takes/ ],
	[ { kind => 'HS256', key => 'portal-1' },               409, qr/has this id/ ],
	[ { kind => 'HS256', key => 'no key' },                 400, qr/\\"key\\" takes/ ],
	[ { resources => ['nonesuch'] },                        400, qr/\\"resources\\" takes/ ],
	[ { resources => [] },                                  400, qr/\\"resources\\" takes/ ],
	[ { verbs => ['get'] },                                 400, qr/\\"verbs\\" takes/ ],
	[ { organization => 'nonesuch' },                       400, qr/\\"organization\\" takes/ ],
	[ { rate => 0 },                                        400, qr/\\"rate\\" takes/ ],
	[ { rate => 9999999999 },                               400, qr/\\"rate\\" takes/ ],
	[ { issuesTokens => \1 },                               400, qr/\\"issuesTokens\\" goes with HS256/ ],
	[ { kind => 'RS256', issuesTokens => \1, material => "-----BEGIN PUBLIC KEY-----\n" . 'x' x 64 },
		400, qr/\\"issuesTokens\\" goes with HS256/ ],
	[ { issuesTokens => 'yes' },                            400, qr/takes true or false/ ];
refused('POST',   '/consumers/nonesuch/keys', {}, 404, qr/Consumer .* does not exist/);
refused('PATCH',  '/consumers/nonesuch', { name => 'A' }, 404, qr/Consumer .* does not exist/);
refused('DELETE', '/consumers/nonesuch', undef, 404, qr/Consumer .* does not exist/);
refused('POST',   "/consumers/other_1/keys/$newer->{key}/replace", {}, 404, qr/Key .* does not exist/);
refused('DELETE', "/consumers/other_1/keys/$newer->{key}", undef, 404, qr/Key .* does not exist/);
refused('POST',   "/consumers/$id/keys/$newer->{key}/replace", { material => 'x' x 40 }, 400, qr/\\"material\\" takes/);
refused('PATCH',  '/consumers/other_1', { name => undef }, 400, qr/\\"name\\" is required/);
is($service->post('/consumers', { name => 'B', colour => 'css' }, Prefer => 'handling=strict')->{status}, 400,
	'an unknown member is refused by strict handling');
is_deeply([ $service->sql($number) ], \@before, 'nothing was kept of what was refused');
is_deeply($service->post('/consumers', { name => 'B', colour => 'css' })->{json}{meta}{ignored}, ['colour'],
	'without it is ignored');

# nobody else
my $definition = Catalogue::Definition->new($service);
for my $role (qw(admin guest))
{
	my %caller = (Authorization => ($definition->user("a.$role", $role))[1]);
	is($service->get('/consumers', %caller)->{status}, 403, "$role: list");
	is($service->post('/consumers', { name => $role }, %caller)->{status}, 403, "$role: register");
	is($service->patch('/consumers/other_1', { name => $role }, %caller)->{status}, 403, "$role: change");
	is($service->post('/consumers/other_1/keys', {}, %caller)->{status}, 403, "$role: key");
	is($service->delete('/consumers/other_1', %caller)->{status}, 403, "$role: revoke");
}
is($service->get('/consumers', %nobody)->{status}, 401, 'a visitor: list');
is($service->post('/consumers', { name => 'Mine' }, %nobody)->{status}, 401, 'a visitor: register');
is($service->post("/consumers/$id/keys", {}, %nobody, apikey => $newer->{secret})->{status}, 403,
	'a key makes no further key');
is($service->post("/consumers/$id/keys", {}, apikey => $newer->{secret})->{status}, 403,
	'nor does a superadmin with a key for other resources');

# the end of an application
is($service->delete("/consumers/$id")->{status}, 200, 'an application is revoked');
is(listed($id), undef, 'it is not in the list any more');
is(status('/datasets/count', $newer->{secret}), 401, 'nor is one of its keys good');
refused('DELETE', "/consumers/$id", undef, 404, qr/Consumer .* does not exist/);
is(scalar $service->sql("SELECT count(revoked_by) = count(*) FROM catalogue.consumer_keys WHERE consumer = '$id'"),
	't', 'who has revoked each key is known');
made('its name is free again', '/consumers', { name => 'portal of the city' });
$service->finish;
