#!/usr/bin/perl
# POST with Idempotency-Key: one change however often the request is sent, in each of two shims; keys of others.

use strict;
use warnings;

use Catalogue::Test;
use Catalogue::Upload;
use Test::More;

my $service = Catalogue::Test->start->as_admin;

sub key { return ('Idempotency-Key' => $_[0]) }
sub count { my ($where) = @_; return scalar $service->sql("SELECT count(*) FROM catalogue.tags WHERE $where") }

# The path of the record that was made.
sub made
{
	my ($reply) = @_;

	return ($reply->{headers}{location} // "none: $reply->{status} $reply->{body}") =~ s{^http://[^/]+}{}r;
}


# one change
my $first = $service->post('/tags', { name => 'wind' }, key('a'));
is($first->{status}, 201, 'a request with a key is carried out') or diag $first->{body};
my $again = $service->post('/tags', { name => 'wind' }, key('a'));
is($again->{status}, 201, 'a repetition has the same status');
is(made($again), made($first), 'and names the same record');
is(count(q(name LIKE 'wind%')), 1, 'which was made once');
my ($id) = made($first) =~ m{([^/]+)$};
is($service->sql("SELECT count(*) FROM catalogue.logs WHERE resource = '$id'"), 1, 'and logged once');

# another shim on the same database, and the same one after a restart
my $other = $service->another;
is(made($other->post('/tags', { name => 'wind' }, key('a'))), made($first), 'another shim knows the key');
$other->stop_shim;
$service->stop_shim;
$service->start_shim;
is(made($service->post('/tags', { name => 'wind' }, key('a'))), made($first), 'and so does a shim that was restarted');
$service->patch("/tags/$id", { name => 'breeze' });
$service->delete("/tags/$id");
is(made($service->post('/tags', { name => 'wind' }, key('a'))), made($first), 'whatever has become of the record');

# another request with the key
is($service->post('/tags', { name => 'rain' }, key('a'))->{status}, 422, 'another body with the key is refused');
is($service->post('/organizations', { name => 'wind' }, key('a'))->{status}, 422, 'and another path');
is($service->post('/tags?x=1', { name => 'wind' }, key('a'))->{status}, 422, 'and another query');
is(count(q(name LIKE 'rain%')), 0, 'they make nothing');

# errors leave the key unused
is($service->post('/tags', {}, key('b'))->{status}, 400, 'an error is answered');
is($service->post('/tags', {}, key('b'))->{status}, 400, 'and again');
is($service->post('/tags', '{', key('b'), 'Content-Type' => 'application/json')->{status}, 400,
	'also for malformed JSON');
is($service->post('/tags', { name => 'sun' }, key('b'))->{status}, 201, 'then the key can be used');
is($service->post('/tags', { name => 'hail' }, key('c'), Authorization => undef)->{status}, 401, 'permissions hold');
is($service->post('/tags', { name => 'hail' }, key('c'))->{status}, 201, 'and what they refuse leaves the key unused');

# keys of others
$service->sql(q(SELECT catalogue.add_consumer('Application')));
my ($secret) = $service->sql(q(SELECT secret FROM catalogue.add_api_key('Application')));
my $of_key = $service->post('/tags', { name => 'fog' }, key('d'), apikey => $secret);
is($of_key->{status}, 201, 'a consumer has keys') or diag $of_key->{body};
isnt(made($service->post('/tags', { name => 'fog' }, key('d'))), made($of_key), 'which are not those of the user');
is($service->post('/tags', { name => 'fog' }, key('d'), Authorization => undef)->{status}, 401,
	'nobody learns from a key what another has made');

# all who have no credential would share their keys
my %wish = (about => 'wind', description => 'speeds', email => 'a@example.org');
my $lost = $service->post('/datasetrequests', \%wish, key('z'), Authorization => undef);
is($lost->{status}, 401, 'a key without a credential is refused, also where anybody may make the change');
is($service->post('/datasetrequests', \%wish, Authorization => undef)->{status}, 201, 'which is made without a key');

# keys that are none
for my $key ('', 'two words', 'x' x 256, "\x{e9}", "tab\there")
{
	my $reply = $service->post('/tags', { name => 'snow' }, key($key));
	is($reply->{status}, 400, 'not a key of ' . length($key) . ' characters') or diag $reply->{body};
}
is(count(q(name LIKE 'snow%')), 0, 'such requests make nothing');
is($service->post('/tags', { name => 'snow' }, key('x' x 255))->{status}, 201, 'a key may have 255 characters');
is($service->post('/tags', { name => 'q' }, key(q("'{}\\"$;--)))->{status}, 201, 'and any of ASCII');
is(made($service->post('/tags', { name => 'q' }, key(q("'{}\\"$;--)))),
	made($service->post('/tags', { name => 'q' }, key(q("'{}\\"$;--)))),
	'which are taken as they are');

# other requests
my $batch = { parts => [ { method => 'POST', path => '/tags', body => { name => 'of a batch' } } ] };
is_deeply([ map { $service->post('/batch', $batch, key('e'))->{json}{data}[0]{id} } 1 .. 2 ],
	[ ($service->sql(q(SELECT id FROM catalogue.tags WHERE name = 'of a batch'))) x 2 ], 'a batch is carried out once');
is($service->post("/tags/$id/restore", undef, key('f'))->{status}, 200, 'an action takes a key');
is($service->post("/tags/$id/restore", undef, key('f'))->{status}, 200, 'and has no effect again');
is($service->post("/tags/$id/restore", undef)->{status}, 409, 'as it would have without') or diag 'restored twice';
is($service->patch("/tags/$id", { name => 'gust' }, key('g'))->{status}, 200, 'PATCH ignores it');
is($service->patch("/tags/$id", { name => 'gale' }, key('g'))->{status}, 200, 'and so again');
my @login = ('/users/login', { username => 'admin', password => 'wrong' }, key('h'));
is($service->post(@login)->{status}, 401, 'a login ignores it');

# an upload
my @image = form(field(name => 'Energy', color => '#00aaff'),
	part('uploadImage', "\x89PNG\r\n\x1a\n", file => 'energy.png', type => 'image/png'));
my @uploads = map { $service->post('/categories', @image, key('i')) } 1 .. 2;
is($uploads[0]{status}, 201, 'an upload takes a key') or diag $uploads[0]{body};
is(made($uploads[1]), made($uploads[0]), 'and is stored once');

# an import
my $document =
	{ source => 'keyed', document => { dataset => [ { identifier => '1', title => 'Keyed', theme => 'Transport' } ] } };
my @imports = map { $service->post('/imports', $document, key('m')) } 1 .. 2;
is($imports[0]{json}{data}{created}, 1, 'an import takes a key') or diag $imports[0]{body};
is($imports[1]{body}, $imports[0]{body}, 'and its report is that of the first');
is($service->post('/imports', { %$document, source => 'other' }, key('m'))->{status}, 422,
	'another import does not take the key');
my ($imports) = grep { $_->{verb} eq 'POST' } @{ $service->options('/imports')->{json}{methods} };
ok(exists $imports->{headers}{'Idempotency-Key'}, 'OPTIONS names the header');

# 24 hours
$service->sql(q(UPDATE catalogue.idempotency SET created_at = now() - interval '24 hours 1 second' WHERE key = 'b'));
is($service->post('/tags', { name => 'storm' }, key('b'))->{status}, 201, 'after 24 hours a key is unused');
is($service->post('/tags', { name => 'storm' }, key('b'))->{status}, 201, 'for the next 24 hours');
is(count(q(name LIKE 'storm%')), 1, 'once again');
$service->sql(q(UPDATE catalogue.idempotency SET created_at = now() - interval '24 hours 1 second' WHERE key = 'b'));
$service->sql('SELECT catalogue.sweep()');
is($service->sql(q(SELECT count(*) FROM catalogue.idempotency WHERE key = 'b')), 0, 'then its answer is removed');
isnt($service->sql('SELECT count(*) FROM catalogue.idempotency'), 0, 'that of a newer key is not');

# what a path offers
my ($post) = grep { $_->{verb} eq 'POST' } @{ $service->options('/tags')->{json}{methods} };
ok(exists $post->{headers}{'Idempotency-Key'}, 'OPTIONS names the header');
my ($delete) = grep { $_->{verb} eq 'DELETE' } @{ $service->options("/tags/$id")->{json}{methods} };
ok(!exists $delete->{headers}{'Idempotency-Key'}, 'where it is taken');

$service->finish;
