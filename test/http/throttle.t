#!/usr/bin/perl
# Failed logins are counted by name and by address, for all shims together; so many reach the password and no more,
# in whatever spelling and however many at once.  Known names and unknown ones are told apart by nothing.

use strict;
use warnings;

use Test::More;
use Catalogue::Test;
use Catalogue::Definition;

my $service = Catalogue::Test->start(CATALOGUE_TRUSTED_PROXIES => '127.0.0.1');
my $word    = $ENV{CATALOGUE_ADMIN_PASSWORD};
$service->sql("ALTER DATABASE $service->{database} SET catalogue.login_failures_name = 5");
$service->sql("ALTER DATABASE $service->{database} SET catalogue.login_failures_address = 12");
is($service->stop_shim, 0, 'the settings are those of new connections');
$service->start_shim;
my $other = bless { %$service, headers => {} }, ref $service;
delete @$other{qw(pid socket)};
$other->start_shim;

sub try
{
	my ($from, $name, $password, $address) = @_;
	return $from->post('/users/login', { username => $name, password => $password }, 'X-Forwarded-For' => $address // '192.0.2.1');
}
sub forget { $service->sql('TRUNCATE catalogue.attempt'); return }
sub counted { return scalar $service->sql('SELECT coalesce(max(failures), 0) FROM catalogue.attempt') }

# five failures of a name, in whatever spelling and through whichever shim, then no more
is(try($service, 'admin', 'wrong password')->{status}, 401, 'a failure');
is(try($other, 'ADMIN', 'wrong password', '192.0.2.2')->{status}, 401, 'one of the other shim, in capitals, from another address');
is($service->post('/users/login?x=1', { password => 'wrong password', username => 'Admin', more => 1 })->{status}, 401, 'one with more in it');
is(try($service, 'admin', 'x' x 100_000)->{status}, 401, 'one with a password that is too long for anybody');
is(try($other, 'admin', 'wrong password')->{status}, 401, 'the fifth');
for my $from ($service, $other)
{
	my $refused = try($from, 'admin', $word, '192.0.2.3');
	is($refused->{status}, 429, 'then even the right password is refused');
	is($refused->{json}{code}, 'E_TOO_MANY_REQUESTS', 'by its code');
	like($refused->{headers}{'retry-after'}, qr/^[1-9]\d{0,2}$/, 'with Retry-After, within the 15 minutes');
	is($refused->{json}{data}{retryAfter}, $refused->{headers}{'retry-after'}, 'which data says too');
	unlike($refused->{body}, qr/admin|\Q$word\E/i, 'name and password are not told back');
}
is(counted(), 5, 'what is refused is not counted');
is(try($service, 'editor', 'wrong password')->{status}, 401, 'another name is not refused');

# the window ends
$service->sql(q(UPDATE catalogue.attempt SET began = began - interval '15 minutes 1 second'));
is(try($service, 'admin', $word)->{status}, 200, 'after 15 minutes one may log in');

# a success forgets the failures of the name
try($service, 'admin', 'wrong password') for 1 .. 4;
is(try($service, 'admin', $word)->{status}, 200, 'after four failures, the right one');
try($service, 'admin', 'wrong password') for 1 .. 4;
is(try($service, 'admin', $word)->{status}, 200, 'four more are none too many');
forget();

# of an address: twelve, of whatever names; a success does not make up for failures, nor counts as one
is(try($service, "nobody$_", 'wrong password', '198.51.100.7')->{status}, 401, "failure $_ of the address") for 1 .. 11;
is(try($service, 'admin', $word, '198.51.100.7')->{status}, 200, 'a success');
is(try($service, 'nobody12', 'wrong password', '198.51.100.7')->{status}, 401, 'the twelfth failure');
is(try($service, 'admin', $word, '198.51.100.7')->{status}, 429, 'then the address is refused');
is(try($service, 'admin', $word, '198.51.100.8')->{status}, 200, 'its neighbour is not');
forget();

# of IPv6 one customer has 64 bits; an address of IPv4 is one in both spellings
try($service, "nobody$_", 'wrong password', "2001:db8:1:2::$_") for 1 .. 12;
is(try($service, 'admin', $word, '2001:db8:1:2:ffff::1')->{status}, 429, 'all of a network of 64 bits is one address');
is(try($service, 'admin', $word, '2001:db8:1:3::1')->{status}, 200, 'the next network is another');
try($service, "nobody$_", 'wrong password', $_ % 2 ? '203.0.113.5' : '::ffff:203.0.113.5') for 1 .. 12;
is(try($service, 'admin', $word, '203.0.113.5')->{status}, 429, 'IPv4 in IPv6 is IPv4');
forget();

# forty at once: five reach the password
my @sockets = map { ($_ % 2 ? $service : $other)->connection } 1 .. 40;
my $body = $Catalogue::Test::json->encode({ username => 'guest', password => 'wrong password' });
for my $socket (@sockets)
{
	syswrite $socket, "POST /users/login HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-Forwarded-For: 192.0.2.@{[ 10 + fileno($socket) % 100 ]}\r\n"
		. "Content-Type: application/json\r\nContent-Length: " . length($body) . "\r\n\r\n$body";
}
my %statuses;
$statuses{ $service->raw('', socket => $_, timeout => 60)->{replies}[0]{status} }++ for @sockets;
is_deeply(\%statuses, { 401 => 5, 429 => 35 }, 'of forty at once five are answered, and the rest refused');
forget();

# nothing tells a name that there is from one that is deactivated or that there is not, up to the refusal and beyond it
$service->as_admin;
my $id = Catalogue::Definition->new($service)->create('users', username => 'resting', password => 'a long pass phrase', active => JSON::PP::true);
$service->post("/users/$id/deactivate");
my @kinds = map { my $name = $_; [ map { try($service, $name, 'a long pass phrase', "192.0.2.$_") } 1 .. 7 ] } qw(admin resting inexistent);
for my $i (0 .. 6)
{
	my ($known, $resting, $unknown) = map { $_->[$i] } @kinds;
	is($resting->{status}, $known->{status}, "attempt $i: the status of a deactivated name");
	is($unknown->{status}, $known->{status}, 'of an unknown name');
	is($_->{body} =~ s/\d+/N/gr, $known->{body} =~ s/\d+/N/gr, 'in the same words') for $resting, $unknown;
	is_deeply([ sort keys %{ $_->{headers} } ], [ sort keys %{ $known->{headers} } ], 'with the same headers') for $resting, $unknown;
}
is(join(' ', map { $_->{status} } @{ $kinds[0] }), '401 401 401 401 401 429 429', 'five failures, then refusals');

# a wrong present password of who sets a new one counts as a failed login of the name, in whatever spelling and however many at once
forget();
my $changer = Catalogue::Definition->new($service)->create('users', username => 'changer', password => 'a long pass phrase', role => 'guest');
my $token = try($service, 'changer', 'a long pass phrase')->{json}{data}{token};
sub change
{
	my ($from, $verb, $body, $address) = @_;
	return $from->request($verb, "/users/$changer", $body, Authorization => "Bearer $token", 'X-Forwarded-For' => $address // '192.0.2.1');
}
my %guess = (password => 'another pass phrase', currentPassword => 'a guess');
my $wrong = change($service, 'PATCH', {%guess});
is($wrong->{status}, 400, 'a wrong present password');
is($wrong->{json}{meta}{message}, 'invalid record: "currentPassword" is not the present password', 'in these words');
is_deeply($wrong->{json}{data}, { currentPassword => [{ rule => 'format', message => 'is not the present password' }] }, 'is a fault of its field');
is(change($other, 'PUT', {%guess}, '192.0.2.2')->{status}, 400, 'so by PUT, through the other shim, from another address');
is(change($service, 'PATCH', q({"pass\\u0077ord": "another pass phrase", "current\\u0050assword": "a guess"}))->{status}, 400, 'in another spelling');
is(counted(), 3, 'each is counted');
is(change($service, 'PATCH', { password => 'another pass phrase' })->{status}, 400, 'none is a fault');
is(change($service, 'PATCH', { email => 'changer@example.org' })->{status}, 200, 'a change of something else needs none');
is(counted(), 3, 'and neither is counted');
try($other, 'changer', 'a guess') for 1 .. 2;
$wrong = change($service, 'PATCH', { %guess, currentPassword => 'a long pass phrase' });
is($wrong->{status}, 429, 'after five failures in all even the right one is refused');
like($wrong->{headers}{'retry-after'}, qr/^[1-9]\d{0,2}$/, 'with Retry-After');
is(try($service, 'changer', 'a long pass phrase', '192.0.2.3')->{status}, 429, 'and so are logins of the name');
is(change($service, 'PATCH', { email => 'other@example.org' })->{status}, 200, 'other changes are not');
$service->sql(q(UPDATE catalogue.attempt SET began = began - interval '15 minutes 1 second'));
is(change($service, 'PATCH', { %guess, currentPassword => 'a long pass phrase' })->{status}, 200, 'after 15 minutes the password is changed');
is($service->sql(q(SELECT count(*) FROM catalogue.attempt WHERE key = encode(sha256('name changer'), 'hex'))), 0, 'and the failures of the name are forgotten');
$token = try($service, 'changer', 'another pass phrase')->{json}{data}{token};
@sockets = map { ($_ % 2 ? $service : $other)->connection } 1 .. 20;
$body = $Catalogue::Test::json->encode({%guess});
syswrite $_, "PATCH /users/$changer HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer $token\r\n"
	. "Content-Type: application/json\r\nContent-Length: " . length($body) . "\r\n\r\n$body" for @sockets;
%statuses = ();
$statuses{ $service->raw('', socket => $_, timeout => 60)->{replies}[0]{status} }++ for @sockets;
is_deeply(\%statuses, { 400 => 5, 429 => 15 }, 'of twenty at once five are looked at, and the rest refused');

# ids of consumers: wrong ones are counted by address, with failed logins; right ones are not
forget();
my $portal = $service->sql(q(SELECT catalogue.add_consumer('Portal')));
$service->sql(q(SELECT catalogue.add_token_key('Portal', 'HS256', issues => true)));
sub application { my ($from, $id, $address) = @_; return $from->post('/clients/tokens', { consumer => 'Portal', consumerId => $id }, 'X-Forwarded-For' => $address) }
is(application($service, $portal, '192.0.2.1')->{status}, 200, 'a token for an application') for 1 .. 15;
is($service->sql('SELECT count(*) FROM catalogue.attempt'), 0, 'is not counted');
is(application($_ % 2 ? $service : $other, "guess $_", '192.0.2.1')->{status}, 401, "wrong id $_") for 1 .. 11;
is(try($service, 'nobody', 'wrong password', '192.0.2.1')->{status}, 401, 'a failed login from the address');
my $guessed = application($service, $portal, '192.0.2.1');
is($guessed->{status}, 429, 'then the right id is refused too');
is($guessed->{json}{code}, 'E_TOO_MANY_REQUESTS', 'by its code');
like($guessed->{headers}{'retry-after'}, qr/^[1-9]\d{0,2}$/, 'with Retry-After');
is(application($service, $portal, '192.0.2.2')->{status}, 200, 'from another address it is not');

# requests for datasets are made by whoever asks, so many from an address; what is refused for its faults is not counted
forget();
delete $service->{headers}{Authorization};
my %wish = (about => 'Bus timetables', description => 'Of all lines', email => 'citizen@example.org');
sub ask { my ($from, $address, %more) = @_; return $from->post('/datasetrequests', { %wish, %more }, 'X-Forwarded-For' => $address) }
is(ask($service, '192.0.2.1', email => 'no')->{status}, 400, 'a request with a fault') for 1 .. 3;
is(ask($_ % 2 ? $service : $other, '192.0.2.1')->{status}, 201, "request $_ from an address, through either shim") for 1 .. 20;
my $further = ask($other, '192.0.2.1');
is($further->{status}, 429, 'then no more');
is($further->{json}{code}, 'E_TOO_MANY_REQUESTS', 'by its code');
is($further->{json}{meta}{message}, 'too many records from this address, please try again later', 'in these words');
like($further->{headers}{'retry-after'}, qr/^[1-9]\d{0,2}$/, 'with Retry-After');
is(ask($service, '192.0.2.2')->{status}, 201, 'from another address, one');
is(try($service, 'admin', $word, '192.0.2.1')->{status}, 200, 'and logins from the address are counted apart');
is($service->get('/datasetrequests')->{status}, 404, 'only users read them');
is($service->post('/tags', { name => 'nobody' })->{status}, 401, 'and nobody makes anything else');
$service->as_admin;
is(ask($service, '192.0.2.1')->{status}, 201, 'users are not counted');

# what is kept is no name and no address, and goes with the window
unlike(join("\n", $service->sql('SELECT key FROM catalogue.attempt')), qr/admin|inexistent|192/, 'keys are hashes');
$service->sql(q(UPDATE catalogue.attempt SET began = began - interval '1 hour'));
$service->sql('SELECT catalogue.prune()');
is($service->sql('SELECT count(*) FROM catalogue.attempt'), 0, 'prune() removes them');

is($other->stop_shim, 0, 'the other shim ends');
$service->finish;
