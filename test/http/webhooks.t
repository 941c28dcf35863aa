#!/usr/bin/perl
# Webhooks: changes are posted to their addresses, signed, in the order of commits, until they are accepted; a receiver
# that does not answer delays nobody else, a worker that is killed loses nothing, and no address inside is reached.

use strict;
use warnings;

use Catalogue::Definition;
use Catalogue::Program qw(slurp);
use Catalogue::Remote;
use Catalogue::RemoteService;
use Catalogue::Test;
use Catalogue::Worker;
use Digest::SHA ();
use Cpanel::JSON::XS ();
use MIME::Base64 ();
use Test::More;

my $service = Catalogue::Test->start(Catalogue::RemoteService::settings())->as_admin;
my $place   = $service->{directory};
my $secret  = 'whsec_' . MIME::Base64::encode_base64('thirty-two bytes, known to both.', '');
my $plain   = 'a secret that is not base64!';
my $worker  = Catalogue::Worker->start($service);
mkdir "$place/status" or die "$place/status: $!";

# What each path answers: a status, or that of a file in $place, or nothing at all.
my %answers = ('/gone' => 410, '/moved' => 302, '/fault' => 500);
my $receiver = Catalogue::Remote->start(address => '127.0.0.2', answer => sub {
	my ($socket, $request) = @_;
	my $path = $request->{path} // '';

	if ($path eq '/silent') { my $gone = readline $socket; return }
	my $status = $answers{$path} // slurp("$place/status$path") || 204;
	# the body is not used, so nothing decodes it
	Catalogue::Remote::reply($socket, $status, { Location => '/good', 'Content-Encoding' => 'gzip' }, 'x' x 100);
});
sub answer
{
	my ($path, $status) = @_;
	open my $out, '>', "$place/status$path" or die "$path: $!";
	print $out $status;
	close $out;
	return;
}

sub received { my ($path) = @_; return grep { ($_->{path} // '') eq $path } $receiver->requests }
sub events
{
	my ($path) = @_;
	return map { @{ Cpanel::JSON::XS::decode_json($_->{body})->{data}{events} } } received($path);
}
sub hook
{
	my ($path, %more) = @_;
	return $service->post('/webhooks', { url => $receiver->url($path), secret => $secret, %more });
}
sub id_of    { my ($reply) = @_; return $reply->{json}{links}{record} =~ s{.*/}{}r }
sub state_of { my ($id) = @_; return $service->get("/webhooks/$id")->{json}{data} }
sub tag      { my ($name) = @_; return id_of($service->post('/tags', { name => $name })) }
sub hurry    { $service->sql('UPDATE catalogue.webhook_state SET due_at = now() WHERE worker IS NULL'); return }

# a message
my $reply = hook('/good', resources => ['tags']);
is($reply->{status}, 201, 'a webhook is made');
my $good = id_of($reply);
is(state_of($good)->{secret}, undef, 'its secret is not shown');
is(hook('/other', resources => ['categories'])->{status}, 201, 'another one, for other resources');
my $tag = tag('one');
ok($worker->wait_for('a message', sub { received('/good') }), 'a change is posted');
my ($message) = received('/good');
my %head = %{ $message->{headers} };
is($message->{method}, 'POST', 'by POST');
is($head{'content-type'}, 'application/json', 'as JSON');
like($head{'webhook-id'}, qr/^\Q$good\E-1$/, 'with an id');
cmp_ok(abs($head{'webhook-timestamp'} - time), '<', 30, 'with the time');
my $signed = sub {
	my ($key, $request) = @_;
	my %h = %{ $request->{headers} };
	return 'v1,' . MIME::Base64::encode_base64(
		Digest::SHA::hmac_sha256("$h{'webhook-id'}.$h{'webhook-timestamp'}.$request->{body}", $key), '')
};
is($head{'webhook-signature'}, $signed->('thirty-two bytes, known to both.', $message),
	'with the signature of Standard Webhooks');
my $body = Cpanel::JSON::XS::decode_json($message->{body});
is($body->{type}, 'catalogue.changes', 'the type of the message');
is_deeply([ map {
	delete $_->{time};
	$_
} @{ $body->{data}{events} } ], [ { event => 'create', resource => 'tags', id => $tag } ], 'the event');
ok(!$body->{data}{reset}, 'nothing is missing');
unlike(join("\n", map { $_->{body} } received('/good')), qr/secret|one/, 'the message has no contents of records');
is(hook('/plain', resources => ['tags'], secret => $plain)->{status}, 201, 'a secret that is a text');

# order, and no event twice
my @expected = map {
	my $id = tag("many $_");
	$service->patch("/tags/$id", { name => "changed $_" });
	("create $id", "update $id")
} 1 .. 20;
$service->delete("/tags/$tag");
push @expected, "delete $tag";
$worker->wait_for('all events', sub { events('/good') >= 1 + @expected });
is_deeply([ map { "$_->{event} $_->{id}" } events('/good') ], [ "create $tag", @expected ],
	'all events, in the order of commits, each once');
$worker->wait_for('a signature by the text', sub { received('/plain') });
my ($other) = received('/plain');
is($other->{headers}{'webhook-signature'}, $signed->($plain, $other), 'signed with the text itself');
is(scalar received('/other'), 0, 'the webhook for other resources got none of it');

# who does not accept is tried again, with the same message; nobody waits for who does not answer
$service->sql(q{UPDATE catalogue.webhooks SET active = false});
my %failing = map { $_ => id_of(hook($_, resources => ['tags'])) } qw(/fault /moved /gone /silent);
my $inside = id_of($service->post('/webhooks',
	{ url => "http://127.0.0.1:$service->{port}/", secret => $secret, resources => ['tags'] }));
my $last = id_of(hook('/last', resources => ['tags']));
tag('for those who do not accept');
$worker->wait_for('a message beside one that is not answered', sub { received('/last') });
is(state_of($failing{'/silent'})->{failureReason}, undef, 'it is not waited for');
# another worker waits for a second at most, and sends the messages that the first one was sending
is($worker->stop, 0, 'a worker ends');
$service->sql('UPDATE catalogue.webhook_state SET due_at = now() WHERE worker IS NOT NULL');
$worker = Catalogue::Worker->start($service, CATALOGUE_FETCH_TIMEOUT => '1s');
my %reason = ('/fault' => 'its server answers with status 500', '/moved' => 'its server answers with status 302',
	'/gone' => 'its server answers with status 410', '/silent' => 'its server takes too long');
for my $path (sort keys %reason)
{
	$worker->wait_for("the failure of $path", sub { state_of($failing{$path})->{failureReason} });
	is(state_of($failing{$path})->{failureReason}, $reason{$path}, "the reason: $reason{$path}");
	ok(state_of($failing{$path})->{failingSince}, 'and since when');
}
$worker->wait_for('the refusal of an address inside', sub { state_of($inside)->{failureReason} });
is(state_of($inside)->{failureReason}, 'the address of its server is not permitted',
	'an address of this machine is not reached');
ok(!state_of($failing{'/gone'})->{active}, 'a receiver that is gone is deactivated');
ok(state_of($failing{'/fault'})->{active}, 'the others are not');
is($worker->stop, 0, 'a worker ends');
$service->sql('UPDATE catalogue.webhook_state SET due_at = now() WHERE worker IS NOT NULL');
$worker = Catalogue::Worker->start($service);
is(scalar received('/good'), scalar(grep { $_->{path} eq '/good' && $_->{method} eq 'POST' } $receiver->requests),
	'no redirect was followed');
hurry();
$worker->wait_for('another attempt', sub { received('/fault') >= 2 });
my ($first, $second) = received('/fault');
is($second->{body}, $first->{body}, 'another attempt has the same message');
is($second->{headers}{'webhook-id'}, $first->{headers}{'webhook-id'}, 'and the same id');

# nor for many of the same user who do not answer, in the first attempt or in a further one
is($worker->stop, 0, 'a worker ends');
$service->sql(q{UPDATE catalogue.webhooks SET active = false});
$worker = Catalogue::Worker->start($service, CATALOGUE_FETCH_TIMEOUT => '1h');
my @silent = map { id_of(hook('/silent', resources => ['tags'])) } 1 .. 20;
my $beside = id_of(hook('/beside', resources => ['tags']));
my $beside_many = sub {
	my ($name, $count) = @_;
	tag($name);
	$worker->wait_for($name, sub { received('/beside') >= $count });
	is($service->sql(sprintf q(SELECT count(*) FROM catalogue.webhook_state WHERE webhook IN ('%s') AND attempts = %d),
		join(q(','), @silent), $count - 1), 20, "$name: none of them is waited for");
};
$beside_many->('beside twenty', 1);
$service->sql(sprintf q(UPDATE catalogue.webhook_state SET attempts = 1, worker = NULL, due_at = now() WHERE webhook )
	. q(IN ('%s')), join q(','), @silent);
$beside_many->('beside twenty that have failed', 2);
$service->sql(sprintf q(UPDATE catalogue.webhooks SET active = (id NOT IN ('%s'))), join q(','), @silent, $beside);
is($worker->stop, 0, 'a worker ends');
$service->sql('UPDATE catalogue.webhook_state SET due_at = now() WHERE worker IS NOT NULL');
$worker = Catalogue::Worker->start($service);

# it goes on where it was
answer('/again', 503);
my $again = id_of(hook('/again', resources => ['tags']));
my @while = map { tag("while it is away $_") } 1 .. 3;
$worker->wait_for('a failure', sub { state_of($again)->{failingSince} });
answer('/again', 200);
hurry();
my %got;
$worker->wait_for('all of it', sub { %got = map { $_->{id} => 1 } events('/again'); keys %got >= 3 });
is_deeply([ sort keys %got ], [ sort @while ], 'a receiver that comes back gets everything');
ok($worker->wait_for('the end of the failure', sub { !state_of($again)->{failingSince} }),
	'and the webhook does not fail any more');

# its last attempts are told, and the last message is sent again on demand
my $last_message = (received('/again'))[-1];
my @told;
$worker->wait_for('its attempt', sub {
	@told = @{ $service->get("/webhooks/$again/deliveries")->{json}{data} };
	grep { $_->{message} eq $last_message->{headers}{'webhook-id'} && $_->{accepted} } @told
});
my ($newest) = sort { $b->{time} cmp $a->{time} } @told;
is_deeply($newest, $told[0], 'the newest attempt comes first');
is("$newest->{accepted}", 1, 'it was accepted');
is(scalar(grep { ($_->{reason} // '') =~ /503/ } @told) > 0, 1, 'one before was not, with the reason')
	or diag explain(\@told);
my $times = received('/again');
is($newest->{message}, $last_message->{headers}{'webhook-id'}, 'of the last message');
is($service->post("/webhooks/$again/redeliver")->{status}, 200, 'it is sent again');
$worker->wait_for('the message', sub { received('/again') > $times });
is((received('/again'))[-1]{body}, $last_message->{body}, 'the same message');
is($service->post("/webhooks/$again/redeliver", undef, Authorization => undef)->{status}, 401, 'not for an outsider');
is($service->get("/webhooks/$again/deliveries", Authorization => undef)->{status}, 404,
	'who does not see attempts either');

# a worker that is killed loses nothing
my $kept = id_of(hook('/kept', resources => ['tags']));
my @kept;
for my $round (1 .. 3)
{
	push @kept, map { tag("killed $round $_") } 1 .. 5;
	$worker->stop('KILL');
	push @kept, tag("meanwhile $round");
	$service->sql('UPDATE catalogue.webhook_state SET due_at = now()');
	$worker = Catalogue::Worker->start($service);
}
$worker->wait_for('what was not told', sub { %got = map { $_->{id} => 1 } events('/kept'); keys %got >= @kept });
is_deeply([ sort keys %got ], [ sort @kept ], 'after workers were killed all events have come');

# attackers: whoever may not, does not make, see or change them, and no secret gets out
my $definition = Catalogue::Definition->new($service);
for my $role (qw(admin guest))
{
	my (undef, $token) = $definition->user("hook.$role", $role);
	my %as = (Authorization => $token);
	is($service->post('/webhooks', { url => $receiver->url('/spy'), secret => $secret }, %as)->{status}, 403,
		"$role makes none");
	is($service->patch("/webhooks/$last", { secret => $plain }, %as)->{status}, 403, "$role changes no secret");
	is($service->delete("/webhooks/$last", %as)->{status}, 403, "$role deletes none");
}
is($service->get("/webhooks/$last", Authorization => undef)->{status}, 404, 'outsiders see none');
is($service->patch("/webhooks/$last", { url => $receiver->url('/spy') })->{status}, 200,
	'a change of the address is not an error, as for each fixed field');
is(state_of($last)->{url}, $receiver->url('/last'), 'and does nothing');
$service->patch("/webhooks/$last", { secret => $plain });
my $told = join "\n", map { $service->get($_)->{body} } '/webhooks?limit=100', "/webhooks/$last",
	"/webhooks/$last/logs", '/logs?limit=100', "/webhooks/$last/versions", '/webhooks?fields=secret';
unlike($told, qr/\Q$plain\E|\Q$secret\E/, 'no answer has a secret');
unlike($worker->output . $service->output . $service->log, qr/\Q$plain\E|\Q$secret\E/, 'and no log');

for my $case ([ { url => 'ftp://example.org' }, 'url' ], [ { url => 'http:///x' }, 'url' ], [ { secret => 'short' },
	'secret' ], [ { secret => 'x' x 101 }, 'secret' ], [ { secret => 'whsec_' . '-_' x 16 }, 'secret' ],
	[ { secret => $secret =~ s/=+$//r }, 'secret' ], [ { resources => ['nothing'] }, 'resources' ],
	[ { resources => [ { a => 1 } ] }, 'resources' ], [ { active => 'yes' }, 'active' ])
{
	my ($wrong, $field) = @$case;
	$reply = hook('/x', %$wrong);
	is($reply->{status}, 400, 'refused: ' . Cpanel::JSON::XS->new->allow_nonref->canonical->encode($wrong));
	ok($reply->{json}{data}{$field}, "with the fault at $field");
}
is($service->patch("/webhooks/$last", { secret => 'whsec_' . '-_' x 16 })->{status}, 400, 'nor is it changed to such');

$worker->finish;
$receiver->stop;
$service->finish;
