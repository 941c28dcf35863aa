#!/usr/bin/perl
# Prefer: handling=strict: a parameter or a member of a body that is not known is a fault, with the nearest name;
# without it, it is ignored and named.

use strict;
use warnings;

use Test::More;
use Catalogue::Test;
use Catalogue::Upload;

my $service = Catalogue::Test->start->as_admin;
my %strict  = (Prefer => 'handling=strict');

# parameters: 422, with what is wrong and what may be meant
my $reply = $service->get('/tags?nmae=x&limit=1', %strict);
is($reply->{status}, 422, 'an unknown parameter');
is($reply->{json}{code}, 'E_UNPROCESSABLE_ENTITY', 'its code');
is_deeply($reply->{json}{data}, { nmae => [ { rule => 'unknown', message => 'is not known; the nearest name is "name"' } ] }, 'the nearest name');
is($service->get('/tags?nmae=x', %strict, Accept => 'text/csv')->{status}, 422, 'so of CSV');
is($service->get("/tags/$_?nmae=x", %strict)->{status}, 422, "so of $_") for qw(first count search statistics);
is($service->head('/tags?nmae=x', %strict)->{status}, 422, 'so with HEAD');
$reply = $service->get('/tags?name=water', %strict);
is($reply->{status}, 200, 'what is known is no fault');
is($reply->{headers}{'preference-applied'}, 'handling=strict', 'the preference was applied');
like($reply->{headers}{vary}, qr/\bPrefer\b/, 'and shapes the answer');
is_deeply($service->get('/tags?nmae=x')->{json}{meta}{ignored}, ['nmae'], 'else the parameter is ignored and named');
is_deeply($service->get('/tags?nmae=x', Prefer => 'handling=lenient')->{json}{meta}{ignored}, ['nmae'], 'so where that is preferred');
is($service->get('/tags?nmae=x', Prefer => 'handling=rigid')->{status}, 200, 'another value is no preference');

# with the state that the client has, and on paths without parameters
my $etag = $service->get('/tags?nmae=x')->{headers}{etag};
is($service->get('/tags?nmae=x', %strict, 'If-None-Match' => $etag)->{status}, 422, 'a fault is told also whose state is known');
is($service->get('/tags?nmae=x', 'If-None-Match' => $etag)->{status}, 304, 'which it is');
is($service->get('/roles?nmae=x', %strict)->{status}, 422, 'a path that takes none');
is($service->get('/roles', %strict)->{status}, 200, 'a path that takes none, without one');
is($service->post('/tags?nmae=x', { name => 'never' }, %strict)->{status}, 422, 'a creation takes none');

# members of a body: 400, all at once; nothing is written
$reply = $service->post('/tags', { nmae => 'x', colour => 'y' }, %strict);
is($reply->{status}, 400, 'unknown members');
is_deeply([ map { "$_ $reply->{json}{data}{$_}[0]{rule}" } sort keys %{ $reply->{json}{data} } ], [ 'colour unknown', 'name required', 'nmae unknown' ], 'all faults at once');
$reply = $service->post('/tags', { name => 'told', nmae => 'x' }, Prefer => 'return=representation');
is($reply->{status}, 201, 'else they are ignored');
is_deeply($reply->{json}{meta}{ignored}, ['nmae'], 'and named');
my $tag = $reply->{json}{data};
$reply = $service->patch("/tags/$tag->{id}", { %$tag, Name => 'x' }, %strict);
is_deeply([ $reply->{status}, keys %{ $reply->{json}{data} } ], [ 400, 'Name' ], 'a whole record with one wrong member');
is($service->patch("/tags/$tag->{id}", $tag, %strict)->{status}, 200, 'a whole record as it was read');
is_deeply($service->patch("/tags/$tag->{id}", { Name => 'x' })->{json}{meta}{ignored}, ['Name'], 'a change names what it ignores');

# forms, with and without a file
is($service->request('POST', '/tags', 'name=form&nmae=x', 'Content-Type' => 'application/x-www-form-urlencoded', %strict)->{status}, 400, 'a field of a form');
my ($body, %type) = form(field(name => 'Strict', color => 'A0B0C0', colour => 'x'));
is($service->request('POST', '/categories', $body, %type, %strict)->{status}, 400, 'a part of a form');
$reply = $service->request('POST', '/categories', $body, %type);
is_deeply([ $reply->{status}, $reply->{json}{meta}{ignored} ], [ 201, ['colour'] ], 'else it is ignored and named');

$service->finish;
