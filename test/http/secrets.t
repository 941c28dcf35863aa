#!/usr/bin/perl
# Secrets: a known text is stored in every secret field, and must not appear anywhere: in answers to any
# request, in errors, in the log, in the statistics and in the history.

use strict;
use warnings;

use Test::More;
use Catalogue::Definition;
use Catalogue::Program qw(slurp);
use Catalogue::Test;

my $service    = Catalogue::Test->start(CATALOGUE_LOG_LEVEL => 'silly')->as_admin;
my $definition = Catalogue::Definition->new($service);
my $canary     = 'Canary9Q7zX';

my @secrets = grep { $_->{write_only} } map { $definition->fields($_) } $definition->resources;
cmp_ok(scalar @secrets, '>=', 4, 'there are secret fields');

my $found = 0;
my $asked = 0;

# Check that an answer does not contain the text; meta.ignored is not checked, since it repeats the request.
sub look
{
	my ($what, $reply) = @_;
	$asked++;
	return if index($reply->{body}, $canary) < 0;
	$found++;
	diag("$what: $reply->{body}");
}

my %record;
for my $secret (@secrets)
{
	my ($resource, $name) = @$secret{qw(resource name)};
	my $id = $record{$resource} //= $definition->create($resource,
		map { $_->{name} => "$canary of the field $_->{name}" } grep { $_->{resource} eq $resource } @secrets);

	# updates, with and without errors in other fields
	look("PATCH $resource",
		$service->patch("/$resource/$id", { $name => "$canary once more" }, Prefer => 'return=representation'));
	look("PATCH $resource, a fault",
		$service->patch("/$resource/$id", { $name => "$canary " . 'x' x 2000, url => 7, email => 'none' }));
	look("PATCH $resource, a wrong type", $service->patch("/$resource/$id", { $name => [$canary] }));
	look("POST $resource, faults", $service->post("/$resource", { $name => $canary }));

	# all ways to read it
	look("GET $_", $service->get("/$_", Prefer => 'relations=embedded'))
		for "$resource/$id", "$resource/$id/versions", "$resource/first?id=$id", "$resource?limit=1000",
			"$resource?fields=id,$name", "$resource?orderBy=createdAt&limit=1000",
		"logs?limit=1000", "statistics?limit=1000", "$resource/statistics?limit=1000",
			"files?include=restService,owner,createdBy&limit=1000", "search?query=can";
	look("$resource as $_", $service->get("/$resource?limit=1000", Accept => $_)) for 'text/csv', 'application/x-ndjson';

	# filters on the field: the answer is the same as for an unknown name
	for my $form ('%s=Can', '%s[gte]=A', '%s[ne]=null', '%s=null', '%s=C&match=BEGINS', '%s=C&condition=AND', 'fields=%s',
		'orderBy=%s', 'include=%s', 'sort=DESC&orderBy=%s', 'createdBy.%s=C&match=BEGINS', 'orderBy=createdBy.%s')
	{
		my @replies = map { $service->get("/$resource?limit=1000&" . sprintf $form, $_) } $name, 'noSuchName';
		my @texts = map { $_->{body} =~ s/"version":"[^"]*"|"links":.*//gr =~ s/\Q$name\E|noSuchName/NAME/gr } @replies;
		is($texts[0], $texts[1], "$resource: " . sprintf($form, $name) . ' is treated as an unknown name');
		is($replies[0]{status}, $replies[1]{status}, "$resource: the status is that of an unknown name");
	}
	look("count of $resource", $service->get("/$resource/count?$name=Can&match=BEGINS"));
}

# a secret in a query of another path is not logged
$service->get("/users?password=$canary&token=$canary");
$service->post('/users/login', { username => 'admin', password => $canary }) for 1 .. 2;
is($found, 0, "$asked answers contain no secret");

# the value of a config may be secret: users read it, the log does not show it
my $value  = 'Value7Kw3';
my %config = (description => 'Key of a service', type => 'string', category => 'integrations', key => 'serviceKey',
	value => $value);
my $config = $service->post('/configs', \%config, Prefer => 'return=representation');
is($config->{json}{data}{value}, $value, 'a user reads the value of a config');
$service->patch("/configs/$config->{json}{data}{id}", { value => "$value again" });
$service->get($_) for '/configs?limit=100', '/search?query=serviceKey', "/configs/$config->{json}{data}{id}/logs";

$service->stop_shim;
my $log = slurp("$service->{directory}/logs/test.log") . $service->output;
cmp_ok(length $log, '>', 1000, 'there is a log');
is(index($log, $canary), -1, 'the log contains no secret');
is(index($log, $value), -1, 'nor the value of a config');

# the database: history, log and statistics; a password is stored as a hash only
my @tables = $service->sql(q{SELECT format('%I.%I', n.nspname, c.relname)
	FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
	WHERE n.nspname IN ('catalogue', 'catalogue_history') AND c.relkind = 'r'
		AND c.relname <> 'restservices' OR n.nspname = 'catalogue_history' AND c.relkind = 'r'});
cmp_ok(scalar @tables, '>', 30, 'tables');
is_deeply([ grep { $service->sql("SELECT count(*) FROM $_ t WHERE t::text LIKE '%$canary%'") > 0 } @tables ], [],
	'only the table that needs them contains the secrets');

$service->finish;
