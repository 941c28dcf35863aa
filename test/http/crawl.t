#!/usr/bin/perl
# data.json, sitemap.xml and robots.txt: types, conditions, methods, and nothing that outsiders do not see.

use strict;
use warnings;

use Catalogue::Definition;
use Catalogue::Test;
use Cpanel::JSON::XS ();
use Test::More;

my $service    = Catalogue::Test->start->as_admin;
my $definition = Catalogue::Definition->new($service);
my $published  = 'qWRhpRV';
my %nobody     = (Authorization => undef);
my %types      = ('/data.json' => 'application/json', '/sitemap.xml' => 'application/xml',
	'/robots.txt' => 'text/plain; charset=utf-8');

my %hidden = (draft => $definition->create('datasets', name => 'Secret draft'), hidden => $definition->create(
	'datasets', name => 'Secret hidden', status => $published, visible => Cpanel::JSON::XS::false),
	deleted => $definition->create('datasets', name => 'Secret deleted', status => $published),
		withdrawn => $definition->create('datasets', name => 'Secret withdrawn', status => $published));
$service->delete("/datasets/$hidden{deleted}");
$service->patch("/datasets/$hidden{withdrawn}/unpublish");

for my $path (sort keys %types)
{
	my $reply = $service->get($path, %nobody);
	is($reply->{status}, 200, "$path is there");
	is($reply->{headers}{'content-type'}, $types{$path}, "$path: its type");
	is($service->get($path)->{body}, $reply->{body}, "$path is the same for a user");
	unlike($reply->{body}, qr/secret/i, "$path: nothing hidden is in it");
	my ($type) = $types{$path} =~ /^([^;]+)/;
	is($service->get($path, Accept => $_)->{status}, 200, "$path: Accept: $_") for '*/*', $type, "text/html, $type;q=0.5";
	is($service->get($path, Accept => $_)->{status}, 406, "$path: Accept: $_: not acceptable") for 'image/png',
		'text/turtle';
	my $etag = $service->get($path, %nobody)->{headers}{etag};
	is($service->get($path, %nobody, 'If-None-Match' => $etag)->{status}, 304, "$path: unchanged");
	my $head = $service->head($path, %nobody);
	is($head->{headers}{$_}, $reply->{headers}{$_}, "HEAD $path: the same $_") for qw(content-type content-length etag);
	is($service->request($_, $path, {})->{status}, 405, "$_ $path is not allowed") for qw(POST PATCH DELETE);
	is($service->options($path)->{json}{methods}[0]{headers}{Accept}, $type, "OPTIONS $path names the type");
	$service->patch("/datasets/$hidden{draft}", { description => "work on $path" });
	is($service->get($path, %nobody, 'If-None-Match' => $etag)->{status}, 304,
		"$path: work on a draft does not change its tag");
	my $elsewhere = $service->raw("GET $path HTTP/1.1\r\nHost: localhost:$service->{port}\r\n\r\n")->{replies}[0];
	like($elsewhere->{body}, qr{http://localhost:$service->{port}/}, "$path: addresses have the host that was asked");
}

# data.json has each dataset once, with addresses that exist
my $datasets = $service->get('/data.json')->{json}{dataset};
is(scalar @$datasets, $service->get('/datasets/count', %nobody)->{json}{data}{count},
	'data.json has all that outsiders see');
is($service->get("/datasets/$_->{identifier}", %nobody)->{status}, 200,
	"$_->{title}: the identifier is that of the dataset") for @$datasets;
for my $dataset (@$datasets)
{
	is(join(' ', grep { !defined $dataset->{$_} } qw(@type title description keyword modified publisher identifier
		accessLevel)), '', "$dataset->{title}: nothing that DCAT-US needs is missing");
	like($_->{mediaType}, qr{^[a-z]+/}, "$dataset->{title}: a file that can be downloaded has a type")
		for grep { $_->{downloadURL} } @{ $dataset->{distribution} };
}
my $hostile = "</script><script>\"'&\x{1}";
$definition->create('datasets', name => $hostile, status => $published);
ok((grep { $_->{title} =~ m{^</script><script>"'&} } @{ $service->get('/data.json')->{json}{dataset} }),
	'a hostile name is a text');
is($service->get('/data.json?limit=1')->{json}{dataset}[1], undef, 'limit applies');
is($service->get("/data.json?$_")->{status}, 422, "/data.json?$_: refused") for 'limit=x', 'skip=-1';
is($service->get('/data.json?nonsense=1', Prefer => 'handling=strict')->{status}, 422,
	'an unknown parameter is refused where that is wanted');

# each address of the sitemap leads to a page, and it changes with the datasets
my @addresses = $service->get('/sitemap.xml')->{body} =~ m{<loc>([^<]*)</loc>}g;
is(scalar @addresses, @$datasets + 1, 'the sitemap has all that outsiders see');
is($service->follow($_, %nobody, Accept => 'text/html')->{status}, 200, "$_ is a page") for @addresses;
my $etag = $service->get('/sitemap.xml')->{headers}{etag};
$service->delete('/datasets/airports');
is($service->get('/sitemap.xml', 'If-None-Match' => $etag)->{status}, 200, 'a deletion changes the sitemap');
unlike($service->get('/sitemap.xml')->{body}, qr/airports/, 'which has not what was deleted');
my ($map) = $service->get('/robots.txt')->{body} =~ /^Sitemap: (\S+)$/m;
is($service->follow($map, %nobody, Accept => '*/*')->{status}, 200, 'robots.txt names the sitemap');

my $private = Catalogue::Test->shared('private');
is($private->get($_)->{status}, 401, "$_ of a private service needs a credential") for sort keys %types;

$private->end_service;
$service->finish;
