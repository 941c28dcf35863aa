#!/usr/bin/perl
# Failed logins are counted by name and by address, in all shims together; the limit is exact, whatever the spelling
# of the name and however many arrive at once.  Answers do not show whether a name exists.

use strict;
use warnings;

use Test::More;
use Catalogue::Client qw($json);
use Catalogue::Test;
use Catalogue::Definition;
use Catalogue::Token;
use MIME::Base64 ();

my $service = Catalogue::Test->start(CATALOGUE_TRUSTED_PROXIES => '127.0.0.1');
my $word    = $ENV{CATALOGUE_ADMIN_PASSWORD};
$service->sql("ALTER DATABASE $service->{database} SET catalogue.login_failures_name = 5");
$service->sql("ALTER DATABASE $service->{database} SET catalogue.login_failures_address = 12");
is($service->stop_shim, 0, 'the settings apply to new connections');
$service->start_shim;
my $other = $service->another(headers => {});

sub try
{
	my ($from, $name, $password, $address) = @_;
	return $from->post('/users/login', { username => $name, password => $password },
		'X-Forwarded-For' => $address // '192.0.2.1');
}
sub forget { $service->sql('TRUNCATE catalogue.attempt'); return }
sub counted { return scalar $service->sql('SELECT coalesce(max(failures), 0) FROM catalogue.attempt') }

# five failed logins of a name, in any spelling and through any shim; further ones are refused
is(try($service, 'admin', 'wrong password')->{status}, 401, 'a failed login');
is(try($other, 'ADMIN', 'wrong password', '192.0.2.2')->{status}, 401,
	'in the other shim, in capitals, from another address');
is($service->post('/users/login?x=1', { password => 'wrong password', username => 'Admin', more => 1 })->{status}, 401,
	'with other members in the body');
is(try($service, 'admin', 'x' x 60_000)->{status}, 401, 'with a password that is too long');
is(try($other, 'admin', 'wrong password')->{status}, 401, 'the fifth failed login');
for my $from ($service, $other)
{
	my $refused = try($from, 'admin', $word, '192.0.2.3');
	is($refused->{status}, 429, 'then even the right password is refused');
	is($refused->{json}{code}, 'E_TOO_MANY_REQUESTS', 'the error code');
	like($refused->{headers}{'retry-after'}, qr/^[1-9]\d{0,2}$/, 'Retry-After is within 15 minutes');
	is($refused->{json}{data}{retryAfter}, $refused->{headers}{'retry-after'}, 'data has the same number of seconds');
	unlike($refused->{body}, qr/admin|\Q$word\E/i, 'the answer has neither name nor password');
}
is(counted(), 5, 'refused logins are not counted');
is(try($service, 'editor', 'wrong password')->{status}, 401, 'another name is not refused');

# the time window ends
$service->sql(q(UPDATE catalogue.attempt SET began = began - interval '15 minutes 1 second'));
is(try($service, 'admin', $word)->{status}, 200, 'after 15 minutes a login is accepted');

# a successful login resets the count of the name
try($service, 'admin', 'wrong password') for 1 .. 4;
is(try($service, 'admin', $word)->{status}, 200, 'a login after four failed ones');
try($service, 'admin', 'wrong password') for 1 .. 4;
is(try($service, 'admin', $word)->{status}, 200, 'a login after four more failed ones');
forget();

# twelve failed logins of an address, of any names; a successful login is not counted, and does not reset the count
is(try($service, "nobody$_", 'wrong password', '198.51.100.7')->{status}, 401, "failed login $_ of the address")
	for 1 .. 11;
is(try($service, 'admin', $word, '198.51.100.7')->{status}, 200, 'a successful login');
is(try($service, 'nobody12', 'wrong password', '198.51.100.7')->{status}, 401, 'the twelfth failed login');
is(try($service, 'admin', $word, '198.51.100.7')->{status}, 429, 'then the address is refused');
is(try($service, 'admin', $word, '198.51.100.8')->{status}, 200, 'another address is not refused');
forget();

# an IPv6 network of 64 bits counts as one address; an IPv4 address is the same in both spellings
try($service, "nobody$_", 'wrong password', "2001:db8:1:2::$_") for 1 .. 12;
is(try($service, 'admin', $word, '2001:db8:1:2:ffff::1')->{status}, 429,
	'all addresses in a network of 64 bits are one');
is(try($service, 'admin', $word, '2001:db8:1:3::1')->{status}, 200, 'the next network is another one');
try($service, "nobody$_", 'wrong password', $_ % 2 ? '203.0.113.5' : '::ffff:203.0.113.5') for 1 .. 12;
is(try($service, 'admin', $word, '203.0.113.5')->{status}, 429, 'an IPv4 address in IPv6 is the IPv4 address');
forget();

# forty logins at once: five are executed
my @sockets = map { ($_ % 2 ? $service : $other)->connection } 1 .. 40;
my $body = $json->encode({ username => 'guest', password => 'wrong password' });
for my $socket (@sockets)
{
	syswrite $socket, "POST /users/login HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
		. "X-Forwarded-For: 192.0.2.@{[ 10 + fileno($socket) % 100 ]}\r\n"
		. "Content-Type: application/json\r\nContent-Length: " . length($body) . "\r\n\r\n$body";
}
my %statuses;
$statuses{ $service->raw('', socket => $_, timeout => 60)->{replies}[0]{status} }++ for @sockets;
is_deeply(\%statuses, { 401 => 5, 429 => 35 }, 'of forty logins at once five are answered, and the rest refused');
forget();

# answers are the same for an existing, a deactivated and an unknown name, up to the refusal and after it
$service->as_admin;
my $id = Catalogue::Definition->new($service)->create('users', username => 'resting', password => 'a long pass phrase',
	active => Cpanel::JSON::XS::true);
$service->post("/users/$id/deactivate");
my @kinds = map {
	my $name = $_;
	[ map { try($service, $name, 'a long pass phrase', "192.0.2.$_") } 1 .. 7 ]
} qw(admin resting inexistent);
for my $i (0 .. 6)
{
	my ($known, $resting, $unknown) = map { $_->[$i] } @kinds;
	is($resting->{status}, $known->{status}, "attempt $i: the status of a deactivated name");
	is($unknown->{status}, $known->{status}, 'the status of an unknown name');
	is($_->{body} =~ s/\d+/N/gr, $known->{body} =~ s/\d+/N/gr, 'the same body') for $resting, $unknown;
	is_deeply([ sort keys %{ $_->{headers} } ], [ sort keys %{ $known->{headers} } ], 'the same headers')
		for $resting, $unknown;
}
is(join(' ', map { $_->{status} } @{ $kinds[0] }), '401 401 401 401 401 429 429', 'five failed logins, then refusals');

# the form of the admin application repeats the new password, and has no currentPassword: taken after a login of the
# last hour, which a refreshed token does not renew
my $former = Catalogue::Definition->new($service)->create('users', username => 'repeater',
	password => 'a long pass phrase', role => 'guest');
my $login  = try($service, 'repeater', 'a long pass phrase')->{json}{data};
my %form = (id => $former, username => 'repeater', password => 'another pass phrase',
	passwordConfirm => 'another pass phrase');
my $set  = sub {
	my ($with, %more) = @_;
	return $service->put("/users/$former", { %form, %more }, Authorization => "Bearer $with")
};
my $aged = sub {
	my ($with) = @_;
	my %claims = %{ $json->decode(MIME::Base64::decode_base64url((split /\./, $with)[1])) };
	return Catalogue::Token::sign($service->{secret}, '{"alg":"HS256","typ":"JWT"}',
		$json->encode({ %claims, login => $claims{login} - 3601 }));
};
is_deeply($set->($login->{token}, passwordConfirm => 'yet another phrase')->{json}{data},
	{ passwordConfirm => [{ rule => 'format', message => 'is not the same as "password"' }] },
	'another passwordConfirm is refused');
is_deeply($set->($aged->($login->{token}))->{json}{data},
	{ currentPassword => [{ rule => 'required', message => 'is required' }] }, 'so is a login of an hour ago');
my $renewed = $service->get("/users/refreshToken/$former",
	Authorization => 'Bearer ' . $aged->($login->{token}))->{json}{data}{token};
is($set->($renewed)->{status}, 400, 'and its refreshed token');
is($set->($login->{token})->{status}, 200, 'a login of the last hour changes the password');
is(try($service, 'repeater', 'another pass phrase')->{status}, 200, 'which is valid then');

# a wrong currentPassword in a change of the password counts as a failed login of the name, in any spelling and at once
forget();
my $changer = Catalogue::Definition->new($service)->create('users', username => 'changer',
	password => 'a long pass phrase', role => 'guest');
my $token = try($service, 'changer', 'a long pass phrase')->{json}{data}{token};
sub change
{
	my ($from, $verb, $body, $address) = @_;
	return $from->request($verb, "/users/$changer", $body, Authorization => "Bearer $token",
		'X-Forwarded-For' => $address // '192.0.2.1');
}
my %guess = (password => 'another pass phrase', currentPassword => 'a guess');
my $wrong = change($service, 'PATCH', {%guess});
is($wrong->{status}, 400, 'a wrong currentPassword is refused');
is($wrong->{json}{meta}{message}, 'invalid record: "currentPassword" is not the present password', 'the message');
is_deeply($wrong->{json}{data}, { currentPassword => [{ rule => 'format', message => 'is not the present password' }] },
	'the fault is that of the field');
is(change($other, 'PUT', {%guess}, '192.0.2.2')->{status}, 400, 'by PUT, through the other shim, from another address');
is(change($service, 'PATCH',
	q({"pass\\u0077ord": "another pass phrase", "current\\u0050assword": "a guess"}))->{status}, 400,
	'in another spelling');
is(counted(), 3, 'each one is counted');
is(change($service, 'PATCH', { password => 'another pass phrase' })->{status}, 400,
	'a missing currentPassword is refused');
is(change($service, 'PATCH', { email => 'changer@example.org' })->{status}, 200,
	'other changes need no currentPassword');
is(counted(), 3, 'neither is counted');
try($other, 'changer', 'a guess') for 1 .. 2;
$wrong = change($service, 'PATCH', { %guess, currentPassword => 'a long pass phrase' });
is($wrong->{status}, 429, 'after five failures in all even the right password is refused');
like($wrong->{headers}{'retry-after'}, qr/^[1-9]\d{0,2}$/, 'with Retry-After');
is(try($service, 'changer', 'a long pass phrase', '192.0.2.3')->{status}, 429, 'logins of the name are refused');
is(change($service, 'PATCH', { email => 'other@example.org' })->{status}, 200, 'other changes are not refused');
$service->sql(q(UPDATE catalogue.attempt SET began = began - interval '15 minutes 1 second'));
is(change($service, 'PATCH', { %guess, currentPassword => 'a long pass phrase' })->{status}, 200,
	'after 15 minutes the password is changed');
is($service->sql(q(SELECT count(*) FROM catalogue.attempt WHERE key = encode(sha256('name changer'), 'hex'))), 0,
	'a successful change resets the count of the name');
$token = try($service, 'changer', 'another pass phrase')->{json}{data}{token};
@sockets = map { ($_ % 2 ? $service : $other)->connection } 1 .. 20;
$body = $json->encode({%guess});
syswrite $_,
	"PATCH /users/$changer HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer $token\r\n"
	. "Content-Type: application/json\r\nContent-Length: " . length($body) . "\r\n\r\n$body" for @sockets;
%statuses = ();
$statuses{ $service->raw('', socket => $_, timeout => 60)->{replies}[0]{status} }++ for @sockets;
is_deeply(\%statuses, { 400 => 5, 429 => 15 }, 'of twenty changes at once five are executed, and the rest refused');

# ids of consumers: wrong ones are counted by address together with failed logins; right ones are not counted
forget();
my $portal = $service->sql(q(SELECT catalogue.add_consumer('Portal')));
$service->sql(q(SELECT catalogue.add_token_key('Portal', 'HS256', issues => true)));
sub application
{
	my ($from, $id, $address) = @_;
	return $from->post('/clients/tokens', { consumer => 'Portal', consumerId => $id }, 'X-Forwarded-For' => $address);
}
is(application($service, $portal, '192.0.2.1')->{status}, 200, 'a token for an application') for 1 .. 15;
is($service->sql('SELECT count(*) FROM catalogue.attempt'), 0, 'right ids are not counted');
is(application($_ % 2 ? $service : $other, "guess $_", '192.0.2.1')->{status}, 401, "wrong id $_") for 1 .. 11;
is(try($service, 'nobody', 'wrong password', '192.0.2.1')->{status}, 401, 'a failed login from the address');
my $guessed = application($service, $portal, '192.0.2.1');
is($guessed->{status}, 429, 'then the right id is refused');
is($guessed->{json}{code}, 'E_TOO_MANY_REQUESTS', 'the error code');
like($guessed->{headers}{'retry-after'}, qr/^[1-9]\d{0,2}$/, 'with Retry-After');
is(application($service, $portal, '192.0.2.2')->{status}, 200, 'another address is not refused');

# requests for datasets are limited for each address; invalid ones are not counted
forget();
delete $service->{headers}{Authorization};
my %wish = (about => 'Bus timetables', description => 'Of all lines', email => 'citizen@example.org');
sub ask
{
	my ($from, $address, %more) = @_;
	return $from->post('/datasetrequests', { %wish, %more }, 'X-Forwarded-For' => $address);
}
is(ask($service, '192.0.2.1', email => 'no')->{status}, 400, 'an invalid request') for 1 .. 3;
is(ask($_ % 2 ? $service : $other, '192.0.2.1')->{status}, 201, "request $_ from an address, through either shim")
	for 1 .. 20;
my $further = ask($other, '192.0.2.1');
is($further->{status}, 429, 'then further ones are refused');
is($further->{json}{code}, 'E_TOO_MANY_REQUESTS', 'the error code');
is($further->{json}{meta}{message}, 'too many records from this address, please try again later', 'the message');
like($further->{headers}{'retry-after'}, qr/^[1-9]\d{0,2}$/, 'with Retry-After');
is(ask($service, '192.0.2.2')->{status}, 201, 'another address is not refused');
is(try($service, 'admin', $word, '192.0.2.1')->{status}, 200, 'logins from the address are counted separately');
is($service->get('/datasetrequests')->{status}, 404, 'only users read requests');
is($service->post('/tags', { name => 'nobody' })->{status}, 401, 'outsiders cannot create other records');
$service->as_admin;
is(ask($service, '192.0.2.1')->{status}, 201, 'requests of users are not counted');

# keys in the table are hashes, and rows are deleted after the time window
unlike(join("\n", $service->sql('SELECT key FROM catalogue.attempt')), qr/admin|inexistent|192/, 'keys are hashes');
$service->sql(q(UPDATE catalogue.attempt SET began = began - interval '1 hour'));
$service->sql('SELECT catalogue.prune()');
is($service->sql('SELECT count(*) FROM catalogue.attempt'), 0, 'prune() removes the rows');

is($other->stop_shim, 0, 'the other shim ends');
$service->finish;
