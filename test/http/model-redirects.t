#!/usr/bin/perl
# A path that begins with the name of a model redirects to the path of its resource: 308, with the rest of the
# address unchanged; a preflight is answered for that path, since browsers do not follow a redirect of one.

use strict;
use warnings;

use Test::More;
use Catalogue::Test;
use Catalogue::Upload;

my $service = Catalogue::Test->start->as_admin;
my $base    = $service->{base};
my ($config) = $service->sql("SELECT id FROM catalogue.configs WHERE key = 'adminPagination'");
my ($tag)    = $service->sql('SELECT id FROM catalogue.tags LIMIT 1');

sub is_redirected
{
	my ($verb, $path, $target, $body, %headers) = @_;
	my $reply = $service->request($verb, $path, $body, %headers);
	is($reply->{status}, 308, "$verb $path") || diag $reply->{body};
	is($reply->{headers}{location}, "$base$target", 'the redirect has the path of the resource');
	return $reply;
}

# every model, in any letter case
my %path = map { split /\|/ } $service->sql('SELECT model, resource FROM catalogue.resource');
my %plural = map { lc, $path{$_} } keys %path;
for my $model (sort keys %path)
{
	is_redirected('GET', "/$model/count", "/$path{$model}/count");
	is_redirected('GET', '/' . lc $model, "/$path{$model}");
}
my $reply = is_redirected('GET', "/Config/$config", "/configs/$config");
is_deeply($reply->{json}, { meta => { code => 'PERMANENT_REDIRECT', message => 'this has another address' }, data => {},
	links => { self => "$base/configs/$config" } },
	'the body of the redirect is not an error');
is($reply->{headers}{etag}, undef, 'the redirect has no entity tag');
is($service->follow($reply->{headers}{location})->{json}{data}{key}, 'adminPagination', 'the redirect can be followed');

# the rest of the address does not change
is_redirected('GET', '/config?key=a%2Cb&limit=1&x=%C3%B1&y=%25', '/configs?key=a%2Cb&limit=1&x=%C3%B1&y=%25');
is_redirected('GET', '/config?', '/configs?');
is_redirected('GET', "/organization/$config%20x/parent", "/organizations/$config%20x/parent");
is_redirected('GET', '/dataset/x/download', '/datasets/x/download');
is_redirected('GET', '/file/x/download/csv', '/files/x/download/csv');
is_redirected('GET', '/dataset?limit=2', '/datasets?limit=2', undef, Accept => 'text/csv');
like($service->raw("GET http://x.example/Tag/$tag HTTP/1.1\r\nHost: localhost:$service->{port}\r\n\r\n")->{text},
	qr{^Location: http://localhost:$service->{port}/tags/$tag\r$}m, 'the redirect of an absolute target');

# every method redirects; nothing is executed
my $tags = $service->sql('SELECT count(*), max(updated_at) FROM catalogue.tags');
is_redirected('POST', '/tag', '/tags', { name => 'redirected' });
is_redirected('PATCH', "/tag/$tag", "/tags/$tag", { name => 'redirected' });
is_redirected('PUT', "/tag/$tag", "/tags/$tag", { name => 'redirected' });
is_redirected('DELETE', "/tag/$tag", "/tags/$tag");
is_redirected('PATCH', "/dataset/$tag/publish", "/datasets/$tag/publish");
is_redirected('POST', "/category/$tag/deactivate", "/categories/$tag/deactivate");
is_redirected('POST', '/user/login', '/users/login', { username => 'admin', password => 'x' });
is_redirected('OPTIONS', "/tag/$tag", "/tags/$tag");
# the body is not read
for my $model ('organization', 'file', 'category', 'tag')
{
	my ($body, %type) = form(field(name => 'redirected'), part('uploadFile', "a\n1\n", file => 'a.csv'));
	is_redirected('POST', "/$model", "/$plural{$model}", $body, %type);
	is_redirected('PUT', "/$model/$tag", "/$plural{$model}/$tag", $body, %type);
	is_redirected('POST', "/$model", "/$plural{$model}", 'bytes', 'Content-Type' => $_) for 'application/octet-stream',
		'text/plain', 'application/x-www-form-urlencoded';
}
# a request that would be refused on the path of the resource is redirected all the same
my @json      = ('Content-Type' => 'application/json');
my @form      = ('Content-Type' => 'application/x-www-form-urlencoded');
my @strict    = (Prefer => 'handling=strict');
my @malformed = ('{"name": ', '[]x', '{"name": "\\ud800"}', "{\"name\": \"a\0b\"}", '[' x 20_000);
for my $malformed (@malformed)
{
	is_redirected('POST', '/tag', '/tags', $malformed, @json);
	is_redirected('PATCH', "/Dataset/$tag", "/datasets/$tag", $malformed, @json);
}
is_redirected('GET', '/tag', '/tags', undef, Accept => 'image/png');
is_redirected('POST', '/tag', '/tags', 'a=b&a=c', @form);
is_redirected('DELETE', "/tag/$tag?x=1", "/tags/$tag?x=1", undef, @strict);
is_redirected('POST', "/tag/$tag/restore", "/tags/$tag/restore", { x => 1 }, @strict);
is($service->head("/tag/$tag")->{body}, '', 'HEAD: without a body');
is($service->sql('SELECT count(*), max(updated_at) FROM catalogue.tags'), $tags, 'the database has not changed');
is_deeply([ grep { ($_->{event} // '') =~ /creation|edit|deletion/ } $service->log ], [], 'no change is logged');

# a preflight is answered as for the path of the resource
my %ask = (Origin => 'https://admin.example.org', 'Access-Control-Request-Method' => 'GET', Authorization => undef);
for my $path ("/Config/$config", '/organization', '/user/login')
{
	my $plural = $path =~ s{^/(\w+)}{/$plural{lc $1}}r;
	my ($this, $that) = map { $service->options($_, %ask) } $path, $plural;
	is($this->{status}, 200, "a preflight on $path");
	is($this->{headers}{$_}, $that->{headers}{$_}, "$_ is that of $plural")
		for grep { /^access-control|^allow$/ } keys %{ $that->{headers} };
}
is($service->get("/Config/$config", Origin => 'https://admin.example.org')->{headers}{'access-control-allow-origin'},
	'*', 'pages of other origins can see the redirect');

# paths that are not of a model, or not of its resource
is($service->get($_)->{status}, 404, "GET $_") for '/planet', '/planet/x', '/Configg', '/config/',
	'/file/x/download/csv/x', '/planet/x/download/csv', '/tag%27/x';
is_redirected('GET', '/tag/x/nothing', '/tags/x/nothing');
is($service->get('/tags/x/nothing')->{status}, 404, 'the path of the resource is not found');
# without a redirect the type of the body is checked
is($service->request('POST', '/organizations', 'x', 'Content-Type' => 'text/plain')->{status}, 415,
	'a wrong type on the path of a resource');
is($service->request('POST', '/planet', 'x', 'Content-Type' => 'text/plain')->{status}, 415,
	'a wrong type on an unknown path');
# without a redirect the other checks are made too
is($service->request('POST', '/tags', $_, @json)->{status}, 400, 'a malformed body on the path of a resource')
	for @malformed;
is($service->request('POST', '/planet', '{"name": ', @json)->{status}, 400, 'a malformed body on an unknown path');
is($service->request('POST', '/tags', 'a=b&a=c', @form)->{json}{meta}{message}, 'malformed form', 'a malformed form');
is($service->request('DELETE', "/tags/$tag?x=1", undef, @strict)->{json}{meta}{message},
	'there are no parameters on this path', 'a parameter of a path that has none');
is($service->request('POST', "/tags/$tag/restore", { x => 1 }, @strict)->{json}{data}{x}[0]{rule}, 'unknown',
	'an unknown member of a body');
is($service->request('POST', '/users/login', 'x', 'Content-Type' => 'text/plain')->{status}, 415,
	'a wrong type on another path');

# a private service redirects only callers with a credential
$service->stop_shim;
$service->{settings}{CATALOGUE_PRIVATE} = 'on';
$service->start_shim;
is($service->get('/config', Authorization => undef)->{status}, 401, 'private: no redirect without a credential');
is($service->options('/config', %ask)->{status}, 200, 'private: a preflight is answered');
$base = $service->{base};
is_redirected('GET', '/config', '/configs');

$service->finish;
