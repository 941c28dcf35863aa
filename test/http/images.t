#!/usr/bin/perl
# Images of categories and organizations: set, replaced and removed with the record, recognized by their bytes, and
# shown without running scripts in them.

use strict;
use warnings;

use Test::More;
use Catalogue::Test;
use Catalogue::Upload;

my $service    = Catalogue::Test->shared->as_admin;
my $definition = Catalogue::Definition->new($service);
my %image = (
	'png'  => [ png(), 'image/png' ],
	'jpg'  => [ "\xff\xd8\xff\xe0\0\x10JFIF\0\1\1\0\0\1\0\1\0\0\xff\xd9", 'image/jpeg' ],
	'webp' => [ "RIFF\x1a\0\0\0WEBPVP8L\x0d\0\0\0\x2f\0\0\0\x10\7\x10\x11\x11\x88\x88\xfe\7\0", 'image/webp' ],
	'svg'  => [ qq(<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>),
		'image/svg+xml' ],
);
my $serial = 0;

sub send_image
{
	my ($verb, $path, $name, $bytes, @fields) = @_;
	my ($body, %type) = form(@fields, defined $bytes ? part('uploadImage', $bytes, file => $name) : ());
	return $service->request($verb, $path, $body, %type, Prefer => 'return=representation');
}

sub category { return field(name => 'Category ' . ++$serial, color => 'A0B0C0', active => 'true', @_) }

# each kind of image: the category has its address, and it is shown there
for my $kind (sort keys %image)
{
	my ($bytes, $type) = @{ $image{$kind} };
	my $reply = send_image('POST', '/categories', "Some Image.$kind", $bytes, category());
	is($reply->{status}, 201, "a category with an image: $kind") || diag $reply->{body};
	my $category = $reply->{json}{data};
	is($category->{image}, "$service->{base}/categories/$category->{id}/image", "$kind: its address");
	$reply = $service->get("/categories/$category->{id}/image", Authorization => undef, Accept => 'image/*');
	is($reply->{status}, 200, "$kind: it is shown to outsiders");
	ok($reply->{body} eq $bytes, "$kind: its bytes are unchanged");
	is($reply->{headers}{'content-type'}, $type, "$kind: its type");
	like($reply->{headers}{'content-disposition'}, qr/^inline; filename="/, "$kind: browsers show it inline");
	is($reply->{headers}{'content-security-policy'}, "sandbox; default-src 'none'; style-src 'unsafe-inline'",
		"$kind: scripts in it do not run");
	is($reply->{headers}{'x-content-type-options'}, 'nosniff', "$kind: the type is not sniffed");
	is($service->get("/categories/$category->{id}/image", Accept => $_)->{status}, 200, "$kind: Accept: $_: served")
		for $type, '*/*', 'image/avif,image/*;q=0.5', "text/html, $type;q=0.1", 'text/html', 'image/avif',
		"$type;q=0, image/gif";
	is($service->get("/categories/$category->{id}/image", 'If-None-Match' => $reply->{headers}{etag})->{status}, 304,
		"$kind: the tag gets 304");
	is($service->get("/categories/$category->{id}/image", Range => 'bytes=1-3')->{body}, substr($bytes, 1, 3),
		"$kind: a range");
	is($service->head("/categories/$category->{id}/image")->{headers}{'content-length'}, length $bytes, "$kind: HEAD");
}

# replaced, kept, removed
my $id   = $definition->create('categories');
my $path = "/categories/$id";
is($service->get("$path/image")->{status}, 404, 'a category without an image');
my $reply = send_image('PUT', $path, 'a.png', png());
is($reply->{status}, 200, 'an image is added') || diag $reply->{body};
$reply = send_image('PATCH', $path, 'a.webp', $image{webp}[0], field(description => 'of wind'));
is($reply->{json}{data}{description}, 'of wind', 'the image and a text are changed');
is($service->get("$path/image")->{headers}{'content-type'}, 'image/webp', 'the new image is shown');
is($service->patch($path, { description => 'of water' })->{status}, 200, 'the text alone is changed');
is($service->get("$path/image")->{status}, 200, 'the image is kept');
$reply = send_image('PUT', $path, undef, undef, field(deleteImage => 'false', description => 'of rain'));
is($service->get("$path/image")->{status}, 200, 'deleteImage=false keeps the image');
$reply = send_image('PUT', $path, undef, undef, field(deleteImage => 'true'));
is($reply->{status}, 200, 'deleteImage=true') || diag $reply->{body};
is($reply->{json}{data}{image}, undef, 'deleteImage=true removes the image');
is($service->get("$path/image")->{status}, 404, 'there is no image any more');

# a part with a text that means "no image"
for my $none ('', 'null', 'undefined')
{
	my ($body, %type) = form(part('uploadImage', $none), category());
	$reply = $service->post('/categories', $body, %type, Prefer => 'return=representation');
	is($reply->{status}, 201, "\"$none\" for an image") || diag $reply->{body};
	is($reply->{json}{data}{image}, undef, 'the category has no image');
	($body, %type) = form(part('uploadImage', $none), field(description => "of $none"));
	send_image('PUT', $path, 'a.png', png());
	$reply = $service->put($path, $body, %type, Prefer => 'return=representation');
	is($reply->{json}{data}{description}, "of $none", 'an update without an image');
	ok($service->get("$path/image")->{body} eq png(), 'keeps the image');
}

# bytes that are not an image are refused, whatever their name is; the former image is kept
send_image('PUT', $path, 'a.png', png());
for ([ 'a.png', '<script>alert(1)</script>', 415 ], [ 'a.svg', '<html><svg></svg></html>', 415 ],
	[ 'a.gif', "GIF89a\1\0\1\0\0\0\0;", 415 ],
	[ 'a.png', '', 415 ], [ 'a.bmp', "BM\0\0\0\0", 415 ], [ 'a.png', png() . 'x' x (5 << 20), 413 ])
{
	my ($name, $bytes, $status) = @$_;
	$reply = send_image('PUT', $path, $name, $bytes);
	is($reply->{status}, $status, "$name of " . length($bytes) . ' bytes is refused') || diag $reply->{body};
}
ok($service->get("$path/image")->{body} eq png(), 'the former image is kept');
my ($body, %type) = form(part('uploadFile', png(), file => 'a.png'));
is($service->put($path, $body, %type)->{status}, 400, 'an image in another part is refused');

# the kind is recognized by the bytes, whatever the name is
is(send_image('PUT', $path, 'a.html', $image{svg}[0])->{status}, 200, 'an SVG named .html is accepted');
is($service->get("$path/image")->{headers}{'content-type'}, 'image/svg+xml', 'its type is that of SVG');
like($service->get("$path/image")->{headers}{'content-disposition'}, qr/\.svg"$/, 'its name is that of an SVG');

# permissions
($body, %type) = form(part('uploadImage', $image{webp}[0], file => 'a.webp'));
is($service->put($path, $body, %type, Authorization => undef)->{status}, 401, 'outsiders cannot set an image');
$service->delete($path);
is($service->get("$path/image")->{status}, 404, 'the image of a deleted category is not found');
is($service->get('/categories/AAAAAAAAAAAAAAA/image')->{status}, 404,
	'the image of a category that never existed is not found');
is($service->put('/categories/AAAAAAAAAAAAAAA', $body, %type)->{status}, 404,
	'an image of such a category cannot be set');

# those of organizations are the same
$reply = send_image('POST', '/organizations', 'logo.svg', $image{svg}[0], field(name => 'Office of images'));
is($reply->{status}, 201, 'an organization with an image') || diag $reply->{body};
my $office = $reply->{json}{data};
$path = "/organizations/$office->{id}";
is_deeply([ @$office{qw(image fileName)} ], [ "$service->{base}$path/image", 'office-of-images.svg' ], 'its address');
is($service->get($path)->{json}{links}{image}, "$service->{base}$path/image", 'its links have it');
$reply = $service->get("$path/image", Authorization => undef);
ok($reply->{body} eq $image{svg}[0], 'its bytes are unchanged');
is($reply->{headers}{'content-security-policy'}, "sandbox; default-src 'none'; style-src 'unsafe-inline'",
	'scripts in it do not run');
is(send_image('PUT', $path, 'a.png', '<script>')->{status}, 415, 'one that is none is refused');
is($service->put($path, $body, %type, Authorization => undef)->{status}, 401, 'outsiders cannot set one');
is($service->patch($path, { deleteImage => Cpanel::JSON::XS::true() })->{status}, 200, 'it is removed');
is($service->get("$path/image")->{status}, 404, 'and is not found');
is($service->get('/organizations/AAAAAAAAAAAAAAA/image')->{status}, 404, 'nor that of an organization there never was');
$service->delete($path);

$service->finish;
