#!/usr/bin/perl
# POST /batch: all parts or none, the results as of single requests, the limits of an API key for each part, sizes.

use strict;
use warnings;

use Catalogue::Test;
use Test::More;

my $service = Catalogue::Test->start(CATALOGUE_BODY_LIMIT => 200_000)->as_admin;

sub batch { my ($parts, @headers) = @_; return $service->post('/batch', { parts => $parts }, @headers) }
sub creation { my ($name) = @_; return { method => 'POST', path => '/tags', body => { name => $name } } }
sub count { my ($where) = @_; return scalar $service->sql("SELECT count(*) FROM catalogue.tags WHERE $where") }

# results
my $reply = batch([ creation('wind'), { method => 'PATCH', path => '/tags/$1', body => { name => 'winds' } } ],
	Prefer => 'return=representation');
is($reply->{status}, 200, 'a batch is carried out') or diag $reply->{body};
is_deeply([ map { $_->{status} } @{ $reply->{json}{data} } ], [ 201, 200 ], 'with the statuses of single requests');
my ($made, $changed) = @{ $reply->{json}{data} };
is($made->{data}{name}, 'wind', 'and the record as the part left it');
is($changed->{id}, $made->{id}, 'a reference is the id of the record');
is_deeply($changed->{data}, $service->get("/tags/$made->{id}")->{json}{data}, 'the last state is what is read');
is($reply->{json}{links}{self}, "$service->{base}/batch", 'and a link');
ok(!exists batch([ creation('rain') ])->{json}{data}[0]{data}, 'there is no record unless it is asked for');
my $etag = $service->get("/tags/$made->{id}")->{headers}{etag};
is(batch([ { method => 'PATCH', path => "/tags/$made->{id}", ifMatch => $etag,
	body => { name => 'breeze' } } ])->{status}, 200, 'the entity tag of a record is met');
is(batch([ { method => 'PATCH', path => "/tags/$made->{id}", ifMatch => $etag,
	body => { name => 'storm' } } ])->{status}, 412, 'and not after a change');

# nothing is done where one part is at fault
my ($logs) = $service->sql('SELECT count(*) FROM catalogue.logs');
my ($rows) = $service->sql('SELECT count(*) FROM catalogue_history.tags');
$reply = batch([ (map { creation("fault $_") } 1 .. 99), { method => 'DELETE', path => '/tags/nothing' } ]);
is($reply->{status}, 404, 'the status is that of the fault');
is_deeply([ map { $_->{part} } @{ $reply->{json}{data}{faults} } ], [100], 'with the number of its part');
is(batch([ creation('fault'), creation(undef), { method => 'DELETE', path => '/tags/nothing' } ])->{status}, 400,
	'several statuses are 400');
is(batch([ map { creation("fault $_") } 1 .. 1001 ])->{status}, 400, '1,001 parts are refused');
is(batch([ creation('fault' . 'x' x 200_000) ])->{status}, 413, 'and a body that is too large');
is(batch([ { method => 'POST', path => '/logs', body => {} } ])->{status}, 400, 'a resource that takes no creation');
is($service->post('/batch', '{"parts": [', 'Content-Type' => 'application/json')->{status}, 400,
	'a body that is no JSON');
is($service->post('/batch', { parts => [ creation('fault') ], other => 1 }, Prefer => 'handling=strict')->{status}, 400,
	'an unknown member, strictly');
is(batch([ creation('fault') ], Authorization => undef)->{status}, 401, 'nobody may not');
is(count(q(name LIKE 'fault%')), 0, 'no record is made');
is($service->sql('SELECT count(*) FROM catalogue.logs'), $logs, 'nothing is logged');
is($service->sql('SELECT count(*) FROM catalogue_history.tags'), $rows, 'there are no former states');

# the methods and resources of a key
$service->sql(q(SELECT catalogue.add_consumer('Limited')));
my ($secret) =
	$service->sql(q(SELECT secret FROM catalogue.add_api_key('Limited', verbs => '{GET,POST}', resources => '{tags}')));
my %key = (apikey => $secret);
is(batch([ creation('by key') ], %key)->{status}, 200, 'a key may do what single requests with it may');
$reply = batch([ creation('fault'), { method => 'DELETE', path => '/tags/$1' },
	{ method => 'POST', path => '/categories', body => { name => 'fault' } } ], %key);
is($reply->{status}, 403, 'and nothing else') or diag $reply->{body};
is_deeply([ map { $_->{part} } @{ $reply->{json}{data}{faults} } ], [ 2, 3 ], 'by method and by resource');
is(count(q(name LIKE 'fault%')), 0, 'nothing of it is done');

# the present password is not guessed in batches
my ($user) = $service->sql(q(SELECT id FROM catalogue.users WHERE username = 'admin'));
$reply = batch(
	[ { method => 'PATCH', path => "/users/$user", body => { password => 'New-secret-1', currentPassword => 'wrong' } } ]);
is($reply->{status}, 400, 'a password is not changed');
like($reply->{body}, qr/request of its own/, 'whatever the present one is');

# what the path offers
is($service->options('/batch')->{headers}{allow}, 'POST, OPTIONS', 'OPTIONS offers POST');
is($service->get('/batch')->{status}, 405, 'it is not read');

$service->finish;
