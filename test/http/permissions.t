#!/usr/bin/perl
# Permissions over HTTP: every row of the route table with a resource of every kind, in make check-full with every
# resource, for every kind of caller, is compared with the contract; OPTIONS lists the same for each caller.

use strict;
use warnings;

use Test::More;
use Catalogue::Definition;
use Catalogue::Test;

my $service    = Catalogue::Test->start(CATALOGUE_THREADS => 2)->as_admin;
my $definition = Catalogue::Definition->new($service);

# the callers: each user logs in before it is deactivated or deleted
my %user;
my %caller = (nobody => undef, consumer => undef, superadmin => $service->{headers}{Authorization});
for ([ 'an.admin', 'admin' ], [ 'a.guest', 'guest' ], [ 'away', 'superadmin' ], [ 'gone', 'superadmin' ])
{
	my ($name, $role) = @$_;
	($user{$name}, $caller{$name}) = $definition->user($name, $role);
}
is($service->post("/users/$user{away}/deactivate")->{status}, 200, 'one user is deactivated');
is($service->delete("/users/$user{gone}")->{status}, 200, 'one is deleted');

# a consumer without a user
$service->sql(q(SELECT catalogue.add_consumer('Portal')));
my ($key) = $service->sql(q(SELECT secret FROM catalogue.add_api_key('Portal')));

sub ask
{
	my ($caller, $verb, $path, $body, %headers) = @_;
	$headers{apikey} = $key if $caller eq 'consumer';
	return $service->request($verb, $path, $body, Authorization => $caller{$caller}, %headers);
}

# the paths of the table of endpoints
my @routes = grep { $_->{path} =~ m{^/:resource} && $_->{action} } Catalogue::Definition::endpoints();
cmp_ok(scalar @routes, '>=', 20, 'the route table has rows for resources');

my %reads = map { $_ => 1 } qw(list item first last count usage logs);
my %closed = map { $_->{resource} => 1 } Catalogue::Definition::rows($service,
	q{SELECT resource FROM catalogue.resource WHERE shown -> 'outsiders' = 'false'});
my %owned;
push @{ $owned{ $_->{resource} } }, $_->{column_name} for Catalogue::Definition::rows($service,
	q{SELECT resource, column_name FROM catalogue.field WHERE column_name IN ('created_by', 'owner') AND resource }
		. q{<> 'users'});

sub takes
{
	my ($resource, $action) = @_;
	my $row = $definition->{resource}{$resource};
	return $reads{$action} if $reads{$action} || $row->{read_only};
	return $action =~ /^(create|update|delete|restore)$/ || grep { $_ eq $action } @{ $row->{actions} };
}

# the expectation of the contract: "reached", or the status of the refusal
sub expected
{
	my ($caller, $resource, $route, $mine) = @_;
	my $action = $route->{action};

	return 401 if $caller eq 'away' || $caller eq 'gone';
	my $outside = $caller eq 'nobody' || $caller eq 'consumer';
	my $read = $action eq 'usage' ? 'statistics' : $action eq 'logs' ? 'logs' : $resource;
	return $outside && $closed{$read} ? 404 : $caller eq 'a.guest' && $read =~ /^(statistics|questions)$/ ? 403 : 'reached'
		if $reads{$action};
	return 'reached' if $resource =~ /^(datasetrequests|questions)$/ && $action eq 'create';
	return 401 if $outside;
	return 'reached' if $caller eq 'superadmin';
	my $guarded = $resource =~ /^(users|rules|webhooks)$/;
	return 'reached' if $resource eq 'users' && $action eq 'update' && $mine;
	return $guarded ? 403 : 'reached' if $caller eq 'an.admin';
	return 'reached' if $action eq 'create' && $resource =~ /^(files|charts|maps|tags)$/;
	return 'reached' if $action =~ /^(update|review|cancel)$/ && $mine && !$guarded && $owned{$resource};
	return 403;
}

# answers that show that the permission was given: the request is then refused for other reasons
sub outcome
{
	my ($status) = @_;
	return $status =~ /^(200|201|206|400|409|412)$/ ? 'reached' : $status;
}

sub record_of
{
	my ($resource, $caller, $mine) = @_;
	return $mine ? $user{$caller} : $service->{admin} if $resource eq 'users';
	my $outsider = ask('nobody', 'GET', "/$resource?limit=1&fields=id")->{json}{data};
	my ($first) = ref $outsider eq 'ARRAY' ? @$outsider : ();
	my $id = $first ? $first->{id} : $definition->some_id($resource);
	$service->sql("UPDATE catalogue.$resource SET " . join(', ',
		map { "$_ = '" . ($mine ? $user{$caller} : $service->{admin}) . "'" } @{ $owned{$resource} }) . " WHERE id = '$id'")
		if $owned{$resource} && $user{$caller};
	return $id;
}

# what the expectation depends on
sub kind
{
	my ($resource) = @_;
	my $row = $definition->{resource}{$resource};
	return join ' ', $closed{$resource} ? 1 : 0, $owned{$resource} ? 1 : 0, $row->{read_only} ? 1 : 0,
		$resource =~ /^(users|rules|webhooks|datasetrequests|questions)$/ ? $resource
		: $resource =~ /^(files|charts|maps|tags)$/ ? 'guests' : '', sort @{ $row->{actions} };
}
my (@different, %cells);
for my $resource (Catalogue::Test::one_of_each(\&kind, $definition->resources))
{
	for my $caller (sort keys %caller)
	{
		for my $mine ($caller =~ /^a(\.|n)/ ? (0, 1) : 0)
		{
			my $id = record_of($resource, $caller, $mine);
			my %verbs;
			for my $route (grep { takes($resource, $_->{action}) } @routes)
			{
				my ($relation) = map { $_->{name} }
					grep { $_->{kind} ne 'to-one' && !$closed{ $_->{target} } } $definition->relations($resource);
				next if $route->{path} =~ /:relation/ && !$relation;
				my $path = $route->{path} =~ s/:resource/$resource/r =~ s/:id/$id/r =~ s/:relation/$relation/r;
				my $writes = $route->{verb} ne 'GET';
				my $reply = ask($caller, $route->{verb}, $path, $route->{action} =~ /^(create|update)$/ ? {} : undef,
					$writes && $route->{action} ne 'create' ? ('If-Match' => '"another"') : ());
				my ($got, $wanted) = (outcome($reply->{status}), expected($caller, $resource, $route, $mine));
				push @different, "$caller $route->{verb} $path" . ($mine ? ' (own)' : '') . ": $reply->{status}, not $wanted"
					if $got ne $wanted;
				$cells{$got}++;
				$verbs{$path}{ $route->{verb} } = $wanted eq 'reached';
			}
			for my $path (sort keys %verbs)
			{
				my $reply = ask($caller, 'OPTIONS', $path);
				my $hidden = $closed{$resource} && $caller =~ /^(nobody|consumer)$/
					&& $path =~ m{/\w+/\w+/(?!versions|logs|restore|deactivate|review|cancel|reject|publish|unpublish)};
				my $wanted = $hidden ? 'status 404' : $caller =~ /^(away|gone)$/ ? 'status 401' : join ', ',
					(sort grep { $verbs{$path}{$_} } keys %{ $verbs{$path} }), 'OPTIONS';
				my $got = $reply->{status} == 200 ? join ', ', (sort grep { !/^(OPTIONS|HEAD)$/ }
					map { $_->{verb} } @{ $reply->{json}{methods} }), 'OPTIONS' : "status $reply->{status}";
				push @different, "$caller OPTIONS $path" . ($mine ? ' (own)' : '') . ": $got, not $wanted" if $got ne $wanted;
				$cells{options}++;
			}
		}
	}
}
is_deeply(\@different, [], 'every combination is as the rules say')
	or diag(join "\n", scalar(@different) . ' differ', splice @different, 0, 40);
cmp_ok($cells{$_}, '>', 20, "$_: $cells{$_} cells") for sort keys %cells;

# OPTIONS lists exactly the fields that the caller may write
my $guest = ask('a.guest', 'OPTIONS', '/files')->{json}{methods};
my ($post) = grep { $_->{verb} eq 'POST' } @$guest;
is_deeply([ grep { exists $post->{parameters}{$_} } qw(name dataset owner status createdBy publishedAt) ],
	[qw(name dataset)], 'OPTIONS lists the fields that a guest may write');
my ($full) = grep { $_->{verb} eq 'POST' } @{ ask('superadmin', 'OPTIONS', '/files')->{json}{methods} };
is_deeply([ grep { exists $full->{parameters}{$_} } qw(name dataset owner status createdBy publishedAt) ],
	[qw(name dataset owner status publishedAt)], 'OPTIONS lists the fields that a superadmin may write');
is_deeply([ map { $_->{verb} } @{ ask('nobody', 'OPTIONS', '/users')->{json}{methods} } ], ['OPTIONS'],
	'outsiders may do nothing with users');

# a preflight has no credential: it lists all methods of the path
my $preflight = ask('nobody', 'OPTIONS', '/tags', undef, Origin => 'https://portal.example.org',
	'Access-Control-Request-Method' => 'POST');
like($preflight->{headers}{'access-control-allow-methods'}, qr/\bPOST\b/,
	'a preflight allows methods that need a credential');

# a changed rule applies to the next request, on every connection of the shim
my $tag = $definition->create('tags', name => 'for everybody');
is(ask('a.guest', 'DELETE', "/tags/$tag")->{status}, 403, 'a guest cannot delete a tag');
my $rule = $service->post('/rules', { role => 'guest', resource => 'tags', action => 'delete' });
is($rule->{status}, 201, 'a superadmin makes a rule');
is(ask('a.guest', 'PATCH', "/tags/$tag", {})->{status}, 403, 'the rule does not allow other actions') for 1 .. 8;
is(ask('a.guest', 'DELETE', "/tags/$tag")->{status}, 200, 'the rule allows the guest to delete');
is(ask('an.admin', 'POST', '/rules', { role => 'admin', resource => 'users', action => '*' })->{status}, 403,
	'an administrator cannot make rules');
like(ask('a.guest', 'DELETE', "/users/$service->{admin}")->{body}, qr/"code":"E_FORBIDDEN"/,
	'a refusal has the code E_FORBIDDEN');

# callers who may restore records can list deleted ones, and OPTIONS describes the parameter
is(join(',', map { $_->{name} } @{ ask('an.admin', 'GET', '/tags?deleted=only')->{json}{data} }), 'for everybody',
	'an administrator lists deleted records');
is(ask('an.admin', 'GET', '/tags/count?deleted=only')->{json}{data}{count}, 1,
	'an administrator counts deleted records');
like(ask('an.admin', 'GET', '/tags?deleted=only', undef, Accept => 'text/csv')->{body}, qr/for everybody/,
	'an administrator exports deleted records');
is(ask('an.admin', 'GET', '/search?query=everybody&deleted=with')->{json}{data}{tags}[0]{id}, $tag,
	'an administrator searches deleted records');
is(ask('an.admin', 'GET', '/users?deleted=only')->{status}, 403,
	'deleted users are refused, since an administrator may not restore users');
is(ask('a.guest', 'GET', "/tags$_")->{status}, 403, "a guest cannot read $_") for '?deleted=only', '?deleted=with',
	'/count?deleted=only', '/search?query=a&deleted=with';
is(ask($_, 'GET', '/tags?deleted=only')->{status}, 401, "$_ cannot read deleted records without a user")
	for qw(nobody consumer);
is(ask('superadmin', 'GET', '/tags?deleted=maybe')->{status}, 422, 'an invalid value is refused');
my ($list) = grep { $_->{verb} eq 'GET' } @{ ask('an.admin', 'OPTIONS', '/tags')->{json}{methods} };
is_deeply($list->{parameters}{deleted}{enum}, [qw(only with)], 'OPTIONS describes the parameter');

$service->finish;
