#!/usr/bin/perl
# What a guest wants to know over HTTP: who visits, what others do, and their e-mail addresses.  A rule grants it, in
# all formats; what is made for one role is not given to another, and a rule that is gone ends it at once.

use strict;
use warnings;

use Test::More;
use Catalogue::Clock qw(wait_until);
use Catalogue::Definition;
use Catalogue::Test;

my $service      = Catalogue::Test->start(CATALOGUE_THREADS => 2)->as_admin;
my $definition   = Catalogue::Definition->new($service);
my $organization = $definition->some_id('organizations');
my (%user, %token);
for ([ 'an.admin', 'admin' ], [ 'a.guest', 'guest' ], [ 'another', 'guest' ])
{
	my ($name, $role) = @$_;
	($user{$name}, $token{$name}) = $definition->user($name, $role, email => "$name\@private.example");
}
$service->sql("INSERT INTO catalogue.rules (role, resource, action) SELECT r, 'query', 'query' FROM "
	. "unnest('{admin,guest}'::catalogue.role[]) r");
$service->sql(
	q{SELECT catalogue.record_statistics(E'1700000000000000\tGET\ttags\t/tags\t\t\tspy glass\t203.0.113.77\n')});
my $tag = $definition->create('tags', name => 'of the superadmin');
my ($log) = $service->sql("SELECT id FROM catalogue.logs WHERE resource = '$tag'");

sub ask
{
	my ($caller, $verb, $path, $body, %headers) = @_;
	return $service->request($verb, $path, $body, Authorization => $token{$caller}, %headers);
}

# each way to what is closed: a request, and what only readers know of the answer
my $closed = qr/an\.admin\@|another\@|spy glass|203\.0\.113|of the superadmin|$log/;
my @ways = (
	map({ [ GET => $_ ] } '/users', "/users/$user{'an.admin'}", '/users/first?username=an.admin',
		'/users/last?username=an.admin',
		'/users?fields=email', "/users/$user{'an.admin'}?fields=email", "/users/$user{'an.admin'}/versions",
			'/users?limit=100&skip=0&sort=DESC',
		"/organizations/$organization?include=users", "/organizations/$organization?include=users.email",
			"/organizations/$organization/users",
		"/users/$user{another}?include=createdBy,organization.users", '/search?query=private.example',
			'/search?query=private.example&resources=users',
		'/users?facets=email', '/users?orderBy=email&fields=email', '/statistics', '/statistics/first', '/statistics/last',
			'/statistics?client=anonymous',
		'/tags/statistics', '/statistics/summary?groupBy=client', "/logs/$log", "/tags/$tag/logs", "/logs?resource=$tag",
			"/users/$service->{admin}/logs",
		"/logs?condition=OR&target=tag&resource=$tag", '/users?include=logs', "/search?query=$tag&resources=logs"),
	map( {
		my $accept = $_;
		map { [ GET => $_, undef, Accept => $accept ] } '/users', '/statistics', "/logs?resource=$tag",
			"/users/$user{'an.admin'}", "/organizations/$organization"
	}
		'text/csv', 'application/x-ndjson', 'text/html', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'),
	map({ [ POST => '/query', { sql => "SELECT * FROM $_" } ] } qw(users statistics logs)),
	[ POST => '/query', { sql => 'SELECT email FROM users' } ],
	[ PATCH => "/users/$user{'a.guest'}", { lastName => 'Guest' }, Prefer => 'return=representation' ],
);

# Return the names of ways that give a caller what is closed.
sub given
{
	my ($caller) = @_;
	my @given;

	for my $way (@ways)
	{
		my $reply = ask($caller, @$way);
		cmp_ok($reply->{status}, '<', 500, "$caller $way->[0] $way->[1]: no fault of the service");
		# the own actions are those of the log
		my $body = join '', grep { !/a\.guest/ } split /(?<=[,\n])/, $reply->{body} // '';
		$body =~ s/\Q$tag\E//g;
		push @given, "$way->[0] $way->[1] " . ($way->[4] // '')
			if $reply->{status} < 300 && $body =~ $closed && !($way->[1] =~ /$log|$tag/ && $body !~ /\Q$log\E/);
	}
	return \@given;
}

is_deeply(given('a.guest'), [], 'no way gives a guest what is closed');
my $readers = given('an.admin');
cmp_ok(scalar @$readers, '>', 25, 'an administrator is given it by ' . @$readers . ' ways');

# the caches and entity tags keep roles apart
my $first = ask('an.admin', 'GET', '/users?limit=7');
like($first->{body}, qr/an\.admin\@private/, 'the page of an administrator has addresses');
unlike(ask('a.guest', 'GET', '/users?limit=7')->{body}, qr/an\.admin\@private/,
	'that of a guest has none, asked for next');
is(ask('a.guest', 'GET', '/users?limit=7', undef, 'If-None-Match' => $first->{headers}{etag})->{status}, 200,
	'the entity tag of the one is not that of the other');
my $record = ask('an.admin', 'GET', "/users/$user{another}");
is(ask('a.guest', 'GET', "/users/$user{another}", undef, 'If-None-Match' => $record->{headers}{etag})->{status}, 200,
	'nor is that of a record');

# who is refused, and how
is(ask('a.guest', 'GET', $_)->{status}, 403, "a guest, $_: 403") for '/statistics', '/statistics/count',
	'/statistics/summary', '/tags/statistics', '/statistics/downloads';
is($service->request('GET', $_, undef, Authorization => undef)->{status}, 404, "nobody, $_: 404 as before")
	for '/statistics', '/logs', '/users';
my $entry = ask('a.guest', 'GET', '/')->{json}{data};
ok(!$entry->{statistics}, 'the entry point does not offer statistics to a guest');
ok(ask('an.admin', 'GET', '/')->{json}{data}{statistics}, 'it offers them to an administrator');
unlike(ask('a.guest', 'GET', "/tags/$tag", undef, Accept => 'text/html')->{body}, qr{href="[^"]*/statistics},
	'a page has no link to statistics for a guest');

# the own record and the own actions
like(ask('a.guest', 'GET', "/users/$user{'a.guest'}")->{body}, qr/"a\.guest\@private/, 'a guest reads the own address');
my $own = ask('a.guest', 'GET', '/logs?window=500');
is($own->{status}, 200, 'a guest reads the own actions');
is_deeply([ map { $_->{user} } grep { $_->{user} ne $user{'a.guest'} } @{ $own->{json}{data} } ], [], 'and no others');
cmp_ok($own->{json}{meta}{count}, '>', 0, 'there are some');
is(ask('another', 'GET', '/logs?window=500')->{json}{meta}{count}, 0, 'another guest has none');

# an administrator's filter works, a guest's is ignored and says so
is(ask('an.admin', 'GET', '/users/count?email=another@private.example')->{json}{data}{count}, 1,
	'an administrator filters by address');
my $all = ask('a.guest', 'GET', '/users/count')->{json}{data}{count};
for my $filter ('email=another@private.example', 'email[gte]=another', 'email[match]=another', 'createdBy.email=x')
{
	my $reply = ask('a.guest', 'GET', "/users/count?$filter");
	is($reply->{json}{data}{count}, $all, "a guest learns nothing by $filter");
	ok($reply->{json}{meta}{ignored}, 'which is told');
}

# a rule grants it, in the sessions that the service has; without it all is as before
my @rules = map { $definition->create('rules', role => 'guest', resource => $_, action => 'read') } qw(users
	statistics);
like(ask('a.guest', 'GET', '/users?limit=100')->{body}, qr/an\.admin\@private/, 'a guest reads addresses') for 1 .. 8;
is(ask('a.guest', 'GET', '/statistics/count')->{status}, 200, 'and statistics') for 1 .. 8;
is($service->delete("/rules/$_")->{status}, 200, 'a rule is deleted') for @rules;
unlike(ask('a.guest', 'GET', '/users?limit=100')->{body}, qr/an\.admin\@private/,
	'the addresses are closed') for 1 .. 8;
is(ask('a.guest', 'GET', '/statistics/count')->{status}, 403, 'and the statistics') for 1 .. 8;

# what the service records of visitors is cut
$service->get('/tags?limit=1', 'User-Agent' => 'seen');
wait_until('the request is recorded',
	sub { $service->sql(q{SELECT 1 FROM catalogue.statistics WHERE useragent = 'seen'}) });
is(join(' ', $service->sql(q{SELECT DISTINCT ip FROM catalogue.statistics WHERE useragent = 'seen'})), '127.0.0.0',
	'of an address the network is kept');

$service->finish;
