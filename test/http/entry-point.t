#!/usr/bin/perl
# The entry point: it lists exactly what the caller may see, and each of its links is answered.

use strict;
use warnings;

use Test::More;
use Catalogue::Test;

my $service = Catalogue::Test->start->as_admin;
my %nobody  = (Authorization => undef);

my $reply = $service->get('/');
is($reply->{status}, 200, 'the entry point is served') || diag $reply->{body};
is_deeply([ sort keys %{ $reply->{json} } ], [qw(data links meta)], 'the answer has the usual envelope');
is_deeply([ sort keys %{ $reply->{json}{data} } ], [ sort $service->sql('SELECT resource FROM catalogue.resource') ],
	'a superadmin sees all resources');
for my $resource (sort keys %{ $reply->{json}{data} })
{
	my $links = $reply->{json}{data}{$resource};
	is_deeply([ sort keys %$links ], [qw(count describe list search)], "$resource: its links");
	like($service->follow($links->{$_})->{status}, qr/^20[06]$/, "$resource: $_") for qw(count list search);
	is($service->options($links->{describe} =~ s/^\Q$service->{base}\E//r)->{json}{methods}[0]{url}, $links->{list},
		"$resource: describe");
}
is_deeply([ sort keys %{ $reply->{json}{links} } ], [qw(catalog feed health login openapi search)],
	'links that belong to no resource');
is($service->follow($reply->{json}{links}{$_}, Accept => '*/*')->{status}, 200, $_) for qw(catalog feed health);
is($service->follow("$reply->{json}{links}{search}?query=water")->{status}, 200, 'search');
is($service->options($reply->{json}{links}{login} =~ s/^\Q$service->{base}\E//r)->{headers}{allow},
	'POST, OPTIONS', 'login');
is($service->follow($reply->{json}{links}{openapi})->{json}{info}{title}, 'Data catalogue',
	'the link to openapi leads to the document');

# other callers see fewer resources
my @hidden = $service->sql(q(SELECT resource FROM catalogue.resource WHERE shown -> 'outsiders' = 'false'));
my $public = $service->get('/', %nobody);
is_deeply([ grep { $public->{json}{data}{$_} } @hidden ], [], 'an outsider does not see hidden resources');
ok($public->{json}{data}{datasets}, 'an outsider sees the others');
isnt($public->{headers}{etag}, $reply->{headers}{etag}, 'the outsider\'s answer has another entity tag');
is($service->get('/', %nobody, 'If-None-Match' => $public->{headers}{etag})->{status}, 304,
	'the outsider\'s tag gets 304');
$service->sql("SELECT catalogue.add_consumer('Narrow')");
my (undef, $key) = split /\|/,
	scalar $service->sql("SELECT * FROM catalogue.add_api_key('Narrow', resources => '{tags}')"), 2;
is_deeply([ sort keys %{ $service->get('/', %nobody, apikey => $key)->{json}{data} } ], ['tags'],
	'a limited key sees its resources only');

# methods and types
is($service->head('/')->{status}, 200, 'HEAD');
my $options = $service->options('/');
is($options->{headers}{allow}, 'GET, HEAD, OPTIONS', 'OPTIONS: the verbs') || diag $options->{body};
is($options->{json}{methods}[0]{url}, "$service->{base}/", 'OPTIONS: the address');
is($service->post('/', {})->{status}, 405, 'other methods are not allowed');
is($service->get('/', Accept => 'text/plain')->{status}, 406, 'text is not acceptable');
is($service->get('//')->{status}, 404, 'another path is not found');

# on a private service the entry point needs a credential, unless it is a public path
for my $open ('', '/')
{
	$service->stop_shim;
	@{ $service->{settings} }{qw(CATALOGUE_PRIVATE CATALOGUE_PUBLIC_PATHS)} = ('on', "/health,$open");
	$service->start_shim;
	is($service->get('/', %nobody)->{status}, $open ? 200 : 401,
		$open ? 'private: opened as a public path' : 'private: a credential is needed');
	is($service->get('/')->{status}, 200, 'private: with a credential it is served');
}

$service->finish;
