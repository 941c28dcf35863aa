#!/usr/bin/perl
# What becomes of a user who leaves: the records are transferred, and the personal data erased from whatever was read
# before; who may neither is refused, by each credential.

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
for ([ 'leaver.juarez', 'admin' ], [ 'successor', 'admin' ], [ 'a.guest', 'guest' ])
{
	my ($name, $role) = @$_;
	($user{$name}, $token{$name}) =
		$definition->user($name, $role, firstName => "First $name", email => "$name\@private.example");
}
my $leaver = $user{'leaver.juarez'};
my $tag = $service->post('/tags', { name => 'of the leaver' },
	Authorization => $token{'leaver.juarez'})->{json}{data}{id}
	// $service->sql(q(SELECT id FROM catalogue.tags WHERE name = 'of the leaver'));
my $before = $service->get('/users')->{json}{meta}{version};
is($service->patch("/users/$leaver", { lastName => 'Juarez' })->{status}, 200,
	'a change that earlier states are behind');

# who may neither
my @credentials =
	([ 'nobody', Authorization => '' ], map { [ $_, Authorization => $token{$_} ] } 'a.guest', 'leaver.juarez');
for my $case (@credentials)
{
	my ($who, %headers) = @$case;
	my $status = $who eq 'nobody' ? 401 : 403;
	is($service->post("/users/$leaver/transfer", { to => $user{successor} }, %headers)->{status}, $status,
		"$who may not transfer");
	is($service->post("/users/$leaver/erase", undef, %headers)->{status}, $status, "$who may not erase");
}
$service->sql(q(INSERT INTO catalogue.rules (role, resource, action) VALUES ('admin', 'users', 'transfer')));
my $given = $service->post("/users/$leaver/transfer", { to => $user{'a.guest'} },
	Authorization => $token{'leaver.juarez'});
is($given->{status}, 403,
	'a user whom a rule lets transfer gives nobody else his records, such as a webhook that sends what its user sees');
is($service->sql("SELECT created_by FROM catalogue.tags WHERE id = '$tag'"), $leaver, 'nothing was transferred');

# a key that is limited to users, or to another organization
$service->sql(q(SELECT catalogue.add_consumer('Limited')));
for my $limit (q(resources => '{users}'),
	q(organization => (SELECT id FROM catalogue.organizations WHERE name = 'Transport Department')),
	q(verbs => '{GET,PATCH}'))
{
	my %key = (apikey => scalar $service->sql("SELECT secret FROM catalogue.add_api_key('Limited', $limit)"));
	is($service->post("/users/$leaver/transfer", { to => $user{successor} }, %key)->{status}, 403,
		"not with a key with $limit");
	is($service->post("/users/$leaver/erase", undef, %key)->{status}, 403, 'nor is he erased') if $limit !~ /resources/;
}
is($service->sql("SELECT created_by FROM catalogue.tags WHERE id = '$tag'"), $leaver, 'nothing was transferred');

# what a superadmin may do is linked and described
my $links = $service->get("/users/$leaver")->{json}{links}{actions};
is_deeply([ map { $links->{$_} =~ s{^.*/}{}r } qw(transfer erase) ], [qw(transfer erase)], 'the record links both');
my ($offer) = grep { $_->{verb} eq 'POST' } @{ $service->options("/users/$leaver/transfer")->{json}{methods} };
is_deeply($offer->{parameters}{to}, { type => 'string', required => Cpanel::JSON::XS::true, reference => 'users' },
	'OPTIONS describes the body') or diag explain $offer;

# transfer
is($service->post("/users/$leaver/transfer", {})->{status}, 400, 'without a user');
my $delete = $service->delete("/users/$leaver");
is($delete->{status}, 409, 'a user with records cannot be deleted');
like($delete->{json}{hint} // $delete->{body}, qr{/transfer}, 'the hint says what to do');
my $done = $service->post("/users/$leaver/transfer", { to => $user{successor} });
is($done->{status}, 200, 'transferred');
is_deeply($done->{json}{meta}{transferred}, { tags => 1 }, 'the answer has the numbers');
is($service->get("/tags/$tag")->{json}{data}{createdBy}, $user{successor}, 'the record names the other user');

# erasure: each of these was read before, by each thread
my @reads = (
	map { ([ $_, Accept => 'application/json' ], [ $_, Accept => 'text/html' ],
		[ $_, Accept => 'text/csv' ]) } "/users/$leaver", '/users?limit=100', "/users?limit=100&version=$before",
	"/users/$leaver?version=$before", "/users/$leaver/versions", "/users/$leaver/logs", '/logs?limit=100',
		'/users?query=juarez', '/search?query=juarez',
	"/organizations/$organization?include=users", "/organizations/$organization/users?version=$before",
		'/statistics?limit=100', '/statistics/summary?groupBy=client', "/users?username=leaver.juarez"
);
# who asks for a name now is recorded with it
sub seen
{
	my (@asked) = @_;
	return grep {
		my ($path, %headers) = @$_;
		my $answer = $service->get($path, %headers);
		($answer->{body} // '') =~ ($path =~ /statistics/ ? qr/leaver.juarez/ : qr/juarez/i)
	} @asked;
}
wait_until('his requests are recorded', sub { $service->get('/statistics?limit=100')->{body} =~ /leaver\.juarez/ });
my $seen = 0;
$seen = seen(@reads) for 1 .. 4;
cmp_ok($seen, '>', 20, 'he is seen in many places');
# what was asked for his name is recorded before he is erased
wait_until('the reads are recorded', sub {
	$service->sql(q(SELECT count(*) FROM catalogue.statistics WHERE querystring = 'username=leaver.juarez')) == 4 * 3 });
my $erased = $service->post("/users/$leaver/erase");
is($erased->{status}, 200, 'erased');
cmp_ok($erased->{json}{meta}{erased}{requests}, '>', 0, 'his requests are counted');
for my $round (1 .. 4)
{
	is_deeply([ map { join ' ', @$_ } seen(grep { $_->[0] !~ /juarez/ } @reads) ], [], "nowhere seen, round $round");
}
is($service->get('/users/me', Authorization => $token{'leaver.juarez'})->{status}, 401, 'his token is void');
is($service->login('leaver.juarez', 'a long password')->{status}, 401, 'he cannot log in');
is($service->sql(q(SELECT count(*) FROM catalogue.check())), 0, 'the catalogue is consistent');
is($service->delete("/users/$leaver")->{status}, 200, 'he can be deleted');

$service->finish;
