#!/usr/bin/perl
# A path that begins with the name of a model leads to the path of its resource: 308, with all else of the
# address kept; and a preflight is answered for that path, since browsers take no redirect for one.

use strict;
use warnings;

use Test::More;
use Catalogue::Test;
use Catalogue::Upload;

my $service = Catalogue::Test->start->as_admin;
my $base    = $service->{base};
my ($config) = $service->sql("SELECT id FROM catalogue.configs WHERE key = 'adminPagination'");
my ($tag)    = $service->sql('SELECT id FROM catalogue.tags LIMIT 1');

sub leads
{
	my ($verb, $path, $target, $body, %headers) = @_;
	my $reply = $service->request($verb, $path, $body, %headers);
	is($reply->{status}, 308, "$verb $path") || diag $reply->{body};
	is($reply->{headers}{location}, "$base$target", 'leads to the resource');
	return $reply;
}

# every model, in any letter case
my %path = map { split /\|/ } $service->sql('SELECT model, resource FROM catalogue.resource');
my %plural = map { lc, $path{$_} } keys %path;
for my $model (sort keys %path)
{
	leads('GET', "/$model/count", "/$path{$model}/count");
	leads('GET', '/' . lc $model, "/$path{$model}");
}
my $reply = leads('GET', "/Config/$config", "/configs/$config");
is_deeply($reply->{json}, { meta => { code => 'PERMANENT_REDIRECT', message => 'this has another address' }, data => {}, links => { self => "$base/configs/$config" } },
	'the body is no error');
is($reply->{headers}{etag}, undef, 'and has no tag');
is($service->follow($reply->{headers}{location})->{json}{data}{key}, 'adminPagination', 'the record is there');

# all else of the address is kept as it is
leads('GET', '/config?key=a%2Cb&limit=1&x=%C3%B1&y=%25', '/configs?key=a%2Cb&limit=1&x=%C3%B1&y=%25');
leads('GET', '/config?', '/configs?');
leads('GET', "/organization/$config%20x/parent", "/organizations/$config%20x/parent");
leads('GET', '/dataset/x/download', '/datasets/x/download');
leads('GET', '/file/x/download/csv', '/files/x/download/csv');
leads('GET', '/dataset?limit=2', '/datasets?limit=2', undef, Accept => 'text/csv');
like($service->raw("GET http://x.example/Tag/$tag HTTP/1.1\r\nHost: localhost:$service->{port}\r\n\r\n")->{text}, qr{^Location: http://localhost:$service->{port}/tags/$tag\r$}m, 'of an absolute target');

# whatever the method; nothing is done
my $tags = $service->sql('SELECT count(*), max(updated_at) FROM catalogue.tags');
leads('POST', '/tag', '/tags', { name => 'led elsewhere' });
leads('PATCH', "/tag/$tag", "/tags/$tag", { name => 'led elsewhere' });
leads('PUT', "/tag/$tag", "/tags/$tag", { name => 'led elsewhere' });
leads('DELETE', "/tag/$tag", "/tags/$tag");
leads('PATCH', "/dataset/$tag/publish", "/datasets/$tag/publish");
leads('POST', "/category/$tag/deactivate", "/categories/$tag/deactivate");
leads('POST', '/user/login', '/users/login', { username => 'admin', password => 'x' });
leads('OPTIONS', "/tag/$tag", "/tags/$tag");
# and whatever is sent, since it is not looked at
for my $model ('organization', 'file', 'category', 'tag')
{
	my ($body, %type) = form(field(name => 'led elsewhere'), part('uploadFile', "a\n1\n", file => 'a.csv'));
	leads('POST', "/$model", "/$plural{$model}", $body, %type);
	leads('PUT', "/$model/$tag", "/$plural{$model}/$tag", $body, %type);
	leads('POST', "/$model", "/$plural{$model}", 'bytes', 'Content-Type' => $_) for 'application/octet-stream', 'text/plain', 'application/x-www-form-urlencoded';
}
# a request that would be refused on the path of the resource is redirected all the same
my @json      = ('Content-Type' => 'application/json');
my @form      = ('Content-Type' => 'application/x-www-form-urlencoded');
my @strict    = (Prefer => 'handling=strict');
my @malformed = ('{"name": ', '[]x', '{"name": "\\ud800"}', "{\"name\": \"a\0b\"}", '[' x 20_000);
for my $malformed (@malformed)
{
	leads('POST', '/tag', '/tags', $malformed, @json);
	leads('PATCH', "/Dataset/$tag", "/datasets/$tag", $malformed, @json);
}
leads('GET', '/tag', '/tags', undef, Accept => 'image/png');
leads('POST', '/tag', '/tags', 'a=b&a=c', @form);
leads('DELETE', "/tag/$tag?x=1", "/tags/$tag?x=1", undef, @strict);
leads('POST', "/tag/$tag/restore", "/tags/$tag/restore", { x => 1 }, @strict);
is($service->head("/tag/$tag")->{body}, '', 'HEAD: without a body');
is($service->sql('SELECT count(*), max(updated_at) FROM catalogue.tags'), $tags, 'nothing has changed');
is_deeply([ grep { ($_->{event} // '') =~ /creation|edit|deletion/ } $service->log ], [], 'and no event of the log says so');

# a preflight is answered as on the path that is led to
my %ask = (Origin => 'https://admin.example.org', 'Access-Control-Request-Method' => 'GET', Authorization => undef);
for my $path ("/Config/$config", '/organization', '/user/login')
{
	my $plural = $path =~ s{^/(\w+)}{/$plural{lc $1}}r;
	my ($this, $that) = map { $service->options($_, %ask) } $path, $plural;
	is($this->{status}, 200, "a preflight on $path");
	is($this->{headers}{$_}, $that->{headers}{$_}, "$_ is that of $plural") for grep { /^access-control|^allow$/ } keys %{ $that->{headers} };
}
is($service->get("/Config/$config", Origin => 'https://admin.example.org')->{headers}{'access-control-allow-origin'}, '*', 'and pages see the redirect');

# what is no model, or no path of the resource
is($service->get($_)->{status}, 404, "GET $_") for '/planet', '/planet/x', '/Configg', '/config/', '/file/x/download/csv/x', '/planet/x/download/csv', '/tag%27/x';
leads('GET', '/tag/x/nothing', '/tags/x/nothing');
is($service->get('/tags/x/nothing')->{status}, 404, 'which is not there');
# where nothing leads elsewhere the type of the body counts
is($service->request('POST', '/organizations', 'x', 'Content-Type' => 'text/plain')->{status}, 415, 'on the path of the resource the type counts');
is($service->request('POST', '/planet', 'x', 'Content-Type' => 'text/plain')->{status}, 415, 'and where nothing is');
# so do the other reasons
is($service->request('POST', '/tags', $_, @json)->{status}, 400, 'a malformed body, on the path of the resource') for @malformed;
is($service->request('POST', '/planet', '{"name": ', @json)->{status}, 400, 'and where nothing is');
is($service->request('POST', '/tags', 'a=b&a=c', @form)->{json}{meta}{message}, 'malformed form', 'a malformed form');
is($service->request('DELETE', "/tags/$tag?x=1", undef, @strict)->{json}{meta}{message}, 'there are no parameters on this path', 'a parameter of a path that has none');
is($service->request('POST', "/tags/$tag/restore", { x => 1 }, @strict)->{json}{data}{x}[0]{rule}, 'unknown', 'a member of a body that nothing takes');
is($service->request('POST', '/users/login', 'x', 'Content-Type' => 'text/plain')->{status}, 415, 'and where no resource is');

# a private service tells only those whom it answers
$service->stop_shim;
$service->{settings}{CATALOGUE_PRIVATE} = 'on';
$service->start_shim;
is($service->get('/config', Authorization => undef)->{status}, 401, 'private: nobody is led');
is($service->options('/config', %ask)->{status}, 200, 'but a preflight is answered');
$base = $service->{base};
leads('GET', '/config', '/configs');

$service->finish;
