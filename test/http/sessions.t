#!/usr/bin/perl
# A token ends when its user logs out, gets another password, is deactivated or deleted; it is void from the next
# request on, in every shim, and for good.  Whoever logs in afterwards has a token that is good.

use strict;
use warnings;

use Test::More;
use Catalogue::Test;
use Catalogue::Definition;
use Catalogue::Token;

my $service    = Catalogue::Test->start->as_admin;
my $definition = Catalogue::Definition->new($service);
my $word       = 'a long pass phrase';
my $id         = $definition->create('users', username => 'maria', password => $word, active => JSON::PP::true);

# another shim of the same database, with the same secret
my $other = bless { %$service, headers => {} }, ref $service;
delete @$other{qw(pid socket)};
$other->start_shim;

sub token { my $reply = $service->login('maria', $word); return $reply->{json}{data}{token} // $reply->{body} }
sub me    { my ($token, $from) = @_; return ($from // $service)->get('/users/me', Authorization => "Bearer $token")->{status} }

# what each end does to a token that both shims have found good
my %ends = (
	'logging out' => sub { my ($token) = @_; $service->post('/users/logout', undef, Authorization => "Bearer $token") },
	'another password' => sub { $service->patch("/users/$id", { password => $word }) },
	'active: false'    => sub { $service->patch("/users/$id", { active => JSON::PP::false }) },
	'deactivation'     => sub { $service->post("/users/$id/deactivate") },
	'deletion'         => sub { $service->delete("/users/$id") },
	'another password in SQL' => sub { $service->sql("UPDATE catalogue.users SET password = '$word' WHERE id = '$id'"); { status => 200 } },
);
my %back = (
	'active: false' => sub { $service->patch("/users/$id", { active => JSON::PP::true }) },
	'deactivation'  => sub { $service->post("/users/$id/restore") },
	'deletion'      => sub { $service->post("/users/$id/restore") },
);
for my $end (sort keys %ends)
{
	my ($token, $second) = (token(), token());
	is(me($_), 200, "before $end a token is good") for $token, $second;
	is(me($token, $other), 200, '... in the other shim too');
	is($ends{$end}->($token)->{status}, 200, $end);
	is(me($token), 401, '... ends it');
	is(me($second), 401, '... and every other token of the user');
	is(me($token, $other), 401, '... in the other shim');
	is($other->get('/tags', Authorization => "Bearer $token")->{status}, 401, '... for what needs no token, too');
	$back{$end}->() if $back{$end};
	is(me($token), 401, '... for good');
	is(me(token()), 200, '... and one that is made afterwards is good, in the same second');
}

# what is no end
my $token = token();
is($service->patch("/users/$id", { firstName => 'María' })->{status}, 200, 'another first name');
is(me($token), 200, '... is no end');
is($service->patch("/users/$id", { role => 'admin' })->{status}, 200, 'another role');
is(me($token), 200, '... is no end');

# a token that is renewed; the earlier one lives as long as it would have
my $renewed = $service->get("/users/refreshToken/$id", Authorization => "Bearer $token")->{json}{data}{token};
is(me($_), 200, 'renewed and earlier token') for $renewed, $token;
$service->post('/users/logout', undef, Authorization => "Bearer $renewed");
is(me($_), 401, 'both end together') for $renewed, $token;
is($service->get("/users/refreshToken/$id", Authorization => "Bearer $token")->{status}, 401, 'an ended token is not renewed');

# logging out: what it answers, and that it leaves no trace in the record
my $before = $service->get("/users/$id")->{json}{data};
my $out = $service->post('/users/logout', undef, Authorization => 'Bearer ' . token());
is($out->{status}, 200, 'logging out');
is_deeply($out->{json}{data}, {}, 'data is empty');
like($out->{headers}{'cache-control'}, qr/no-store/, 'the answer is not stored');
is_deeply($service->get("/users/$id")->{json}{data}, $before, 'the record is as it was');
is($service->post('/users/logout', undef, Authorization => undef)->{status}, 401, 'nobody cannot log out');
is($service->get('/users/logout')->{status}, 405, 'GET does not log out');

# the claim: hidden in the record, needed in the token
ok(!exists $before->{session}, 'no record shows it');
my ($header, $claims) = map { $Catalogue::Test::json->decode(MIME::Base64::decode_base64url($_)) } (split /\./, token())[0, 1];
sub made
{
	my (%claims) = @_;
	delete @claims{ grep { !defined $claims{$_} } keys %claims };
	return Catalogue::Token::sign($service->{secret}, map { $Catalogue::Test::json->encode($_) } $header, \%claims);
}
is(me(made(%$claims)), 200, 'a token like the service\'s own');
is(me(made(%$claims, session => $_)), 401, 'with ' . $Catalogue::Test::json->encode($_))
	for undef, '', 7, 'x', '"}', '2020-01-01T00:00:00.000000Z', "$claims->{session}0", substr($claims->{session}, 0, 26);

is($other->stop_shim, 0, 'the other shim ends');
$service->finish;
