#!/usr/bin/perl
# A token becomes invalid when its user logs out, gets a new password, is deactivated or deleted: from the next
# request on, in every shim, and permanently.  A token from a later login is valid.

use strict;
use warnings;

use Test::More;
use Catalogue::Client qw($json);
use Catalogue::Test;
use Catalogue::Definition;
use Catalogue::Token;

my $service    = Catalogue::Test->shared->as_admin;
my $definition = Catalogue::Definition->new($service);
my $word       = 'a long pass phrase';
my $id         = $definition->create('users', username => 'maria', password => $word, active => Cpanel::JSON::XS::true);

# another shim on the same database, with the same secret
my $other = $service->another(headers => {});

sub token { my $reply = $service->login('maria', $word); return $reply->{json}{data}{token} // $reply->{body} }
sub me
{
	my ($token, $from) = @_;
	return ($from // $service)->get('/users/me', Authorization => "Bearer $token")->{status}
}

# each of these ends a session whose tokens both shims have accepted
my %ends = (
	'logging out' => sub { my ($token) = @_; $service->post('/users/logout', undef, Authorization => "Bearer $token") },
	'another password' => sub { $service->patch("/users/$id", { password => $word }) },
	'active: false'    => sub { $service->patch("/users/$id", { active => Cpanel::JSON::XS::false }) },
	'deactivation'     => sub { $service->post("/users/$id/deactivate") },
	'deletion'         => sub { $service->delete("/users/$id") },
	'another password in SQL' => sub {
		$service->sql("UPDATE catalogue.users SET password = '$word' WHERE id = '$id'");
		{ status => 200 }
	},
);
my %back = (
	'active: false' => sub { $service->patch("/users/$id", { active => Cpanel::JSON::XS::true }) },
	'deactivation'  => sub { $service->post("/users/$id/restore") },
	'deletion'      => sub { $service->post("/users/$id/restore") },
);
for my $end (sort keys %ends)
{
	my ($token, $second) = (token(), token());
	is(me($_), 200, "before $end a token is valid") for $token, $second;
	is(me($token, $other), 200, "before $end a token is valid in the other shim");
	is($ends{$end}->($token)->{status}, 200, $end);
	is(me($token), 401, "$end: the token is invalid");
	is(me($second), 401, "$end: other tokens of the user are invalid");
	is(me($token, $other), 401, "$end: the token is invalid in the other shim");
	is($other->get('/tags', Authorization => "Bearer $token")->{status}, 401,
		"$end: the token is refused where none is needed");
	$back{$end}->() if $back{$end};
	is(me($token), 401, "$end: the token stays invalid");
	is(me(token()), 200, "$end: a token from a login in the same second is valid");
}

# changes that do not end a session
my $token = token();
is($service->patch("/users/$id", { firstName => 'María' })->{status}, 200, 'a new first name');
is(me($token), 200, 'the session goes on');
is($service->patch("/users/$id", { role => 'admin' })->{status}, 200, 'a new role');
is(me($token), 200, 'the session goes on');

# a renewed token; the former token is valid as long as before
my $renewed = $service->get("/users/refreshToken/$id", Authorization => "Bearer $token")->{json}{data}{token};
is(me($_), 200, 'the renewed and the former token are valid') for $renewed, $token;
$service->post('/users/logout', undef, Authorization => "Bearer $renewed");
is(me($_), 401, 'both end with a logout') for $renewed, $token;
is($service->get("/users/refreshToken/$id", Authorization => "Bearer $token")->{status}, 401,
	'an invalid token is not renewed');

# the answer to a logout; the record of the user does not change
my $before = $service->get("/users/$id")->{json}{data};
my $out = $service->post('/users/logout', undef, Authorization => 'Bearer ' . token());
is($out->{status}, 200, 'logging out');
is_deeply($out->{json}{data}, {}, 'data is empty');
like($out->{headers}{'cache-control'}, qr/no-store/, 'the answer is not stored');
is_deeply($service->get("/users/$id")->{json}{data}, $before, 'the record has not changed');
is($service->post('/users/logout', undef, Authorization => undef)->{status}, 401, 'a logout needs a token');
is($service->get('/users/logout')->{status}, 405, 'GET does not log out');

# the session claim: not shown in the record, required in the token
ok(!exists $before->{session}, 'the record does not show the session');
my ($header, $claims) = map { $json->decode(MIME::Base64::decode_base64url($_)) } (split /\./, token())[0, 1];
sub made
{
	my (%claims) = @_;
	delete @claims{ grep { !defined $claims{$_} } keys %claims };
	return Catalogue::Token::sign($service->{secret}, map { $json->encode($_) } $header, \%claims);
}
is(me(made(%$claims)), 200, 'a token like the service\'s own is valid');
is(me(made(%$claims, session => $_)), 401, 'with ' . $json->encode($_))
	for undef, '', 7, 'x', '"}', '2020-01-01T00:00:00.000000Z', "$claims->{session}0", substr($claims->{session}, 0, 26);

is($other->stop_shim, 0, 'the other shim ends');
$service->finish;
