#!/usr/bin/perl
# The files of the page: their types, their compressed forms, how long a client may keep them, and that their paths
# give nothing else: no other file, and no path of a resource that is named like them.

use strict;
use warnings;

use Test::More;
use Catalogue::Program qw(slurp);
use Catalogue::Test;
use IO::Uncompress::Gunzip qw(gunzip);

# a private service shows its page too, so that a user can log in
my $service = Catalogue::Test->start(CATALOGUE_PRIVATE => 'on');
my %types   = (css => 'text/css; charset=utf-8', js => 'text/javascript; charset=utf-8', svg => 'image/svg+xml');
my @names   = map { s{.*/}{}r } glob 'shim/page/static/*';
cmp_ok(scalar @names, '>=', 3, 'there are files');

for my $name (@names)
{
	my $source = slurp("shim/page/static/$name");
	my $reply  = $service->get("/page/$name");
	my %header = %{ $reply->{headers} };
	is($reply->{status}, 200, "$name: served without a credential");
	ok($reply->{body} eq $source, "$name: its bytes");
	is($header{'content-type'}, $types{ $name =~ s/.*\.//r }, "$name: its type");
	is($header{'x-content-type-options'}, 'nosniff', "$name: the type is not guessed");
	is($header{'cache-control'}, 'no-cache', "$name: revalidated");
	is($header{vary}, 'Accept-Encoding', "$name: Vary");
	like($header{etag}, qr/^"[0-9a-f]{32}"$/, "$name: a strong entity tag");

	my $small = $service->get("/page/$name", 'Accept-Encoding' => 'br, gzip;q=0.5');
	is($small->{headers}{'content-encoding'}, 'gzip', "$name: compressed");
	gunzip(\$small->{body} => \my $whole);
	ok($whole eq $source, "$name: the bytes that were compressed");
	isnt($small->{headers}{etag}, $header{etag}, "$name: another entity tag");
	is($service->get("/page/$name", 'If-None-Match' => $_->{headers}{etag},
		'Accept-Encoding' => $_ == $small ? 'gzip' : undef)->{status}, 304,
		"$name: known by $_->{headers}{etag}") for $reply, $small;
	is($service->get("/page/$name", 'If-None-Match' => $small->{headers}{etag})->{status}, 200,
		"$name: the other representation is not known");

	my $head = $service->request('HEAD', "/page/$name");
	is_deeply([ $head->{status}, $head->{body}, @{ $head->{headers} }{qw(etag content-length)} ],
		[ 200, '', $header{etag}, length $source ], "$name: HEAD");
}

# a coding with quality 0 is refused
is($service->get('/page/style.css', 'Accept-Encoding' => $_)->{headers}{'content-encoding'}, undef,
	"not compressed for \"$_\"")
	for '', 'br', 'gzip;q=0', 'xgzip', 'identity;q=1';

# the version of all files is in the code that was made of them
my ($version) = slurp("$ENV{CATALOGUE_BUILD}/static_files.c") =~ /static_files_version\[\] = "([0-9a-f]{16})"/;
my $kept = $service->get("/page/$version/style.css");
is($kept->{status}, 200, 'a path with the version is served');
is($kept->{headers}{'cache-control'}, 'public, max-age=31536000, immutable', 'it may be kept');
is($service->get("/page/$version/style.css", 'If-None-Match' => $kept->{headers}{etag})->{headers}{'cache-control'},
	$kept->{headers}{'cache-control'}, '304 says the same');
my $other = $service->get('/page/0123456789abcdef/style.css');
is_deeply([ $other->{status}, $other->{headers}{'cache-control'} ], [ 200, 'no-cache' ],
	'the version of another release gives the present file, to be revalidated');

# nothing else is served
for my $path ('/page/nonesuch.css', '/page/style.css.gz', '/page/STYLE.CSS', '/page/.style.css', '/page/style.css%00',
	'/page/..%2fpage.h', '/page/%2e%2e/page.h', '/page/../page/page.h',
	'/page/static/..%2f..%2fpage.h', "/page/$version/..%2fstatic_file.c", '/page/%2fetc%2fpasswd',
		"/page/$version/nonesuch.js", '/page/style.css/', '/page//style.css/', "/page/$version/style.css/x.css")
{
	my $reply = $service->get($path);
	like($reply->{status}, qr/^40[014]$/, "GET $path: refused");
	unlike($reply->{body}, qr/#include|root:/, "GET $path: no other file");
}
for my $verb (qw(POST PUT PATCH DELETE))
{
	my $reply = $service->as_admin->request($verb, '/page/style.css', {});
	is_deeply([ $reply->{status}, join ' ', sort split /, */, $reply->{headers}{allow} // '' ],
		[ 405, 'GET HEAD OPTIONS' ], "$verb: not allowed");
}

# a database administrator exposes a table that is named like the path: its records and relations have their paths
$service->sql(<<'SQL');
	CREATE TABLE catalogue.page (id catalogue.id PRIMARY KEY, name varchar(100) NOT NULL, slug varchar(150),
		created_by catalogue.id NOT NULL REFERENCES catalogue.users DEFERRABLE INITIALLY DEFERRED,
		created_at timestamptz NOT NULL DEFAULT now(), updated_at timestamptz NOT NULL DEFAULT now(), deleted_at timestamptz);
	COMMENT ON TABLE catalogue.page IS 'A page';
	SELECT catalogue.expose('page', 'Page', searchable => '{name}', unique_living => '{name,slug}');
SQL
my $made = $service->post('/page', { name => 'style.css' });
is($made->{status}, 201, 'a record of the table is made');
my $id = $made->{headers}{location} =~ s{.*/}{}r;
is($service->get("/page/$id")->{json}{data}{name}, 'style.css', 'it is read by its id');
is($service->get('/page/stylecss')->{json}{data}{id}, $id, 'and by its slug, which has no dot');
is($service->get("/page/$_")->{status}, 200, "/page/$_") for 'count', 'first', "$id/createdBy", "$id/versions";
is($service->get('/page/style.css')->{headers}{'content-type'}, $types{css}, 'the file is still there');

$service->finish;
