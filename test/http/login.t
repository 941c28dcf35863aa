#!/usr/bin/perl
# Logins, and what a user may do with the token; wrong names and wrong passwords get the same answer.

use strict;
use warnings;

use Test::More;
use Time::HiRes qw(time);
use Catalogue::Client qw($json);
use Catalogue::Test;
use Catalogue::Definition;

my $service = Catalogue::Test->start;
my $word    = $ENV{CATALOGUE_ADMIN_PASSWORD};

# the answer to a login
my $reply = $service->login('admin', $word);
is($reply->{status}, 200, 'the first administrator logs in');
my %data = %{ $reply->{json}{data} };
is_deeply([ sort keys %data ], [qw(role token user username)], 'data: token, user, username, role');
is($data{username}, 'admin', 'username');
is($data{role}, 'superadmin', 'role');
like($data{token}, qr/^[\w-]+\.[\w-]+\.[\w-]+$/, 'token');
is(ref $reply->{json}{links}, 'HASH', 'links');
like($reply->{headers}{'cache-control'}, qr/no-store/, 'the answer is not stored');
is($service->login('ADMIN', $word)->{status}, 200, 'letter case in a user name is ignored');

# every wrong login gets the same answer
my $wrong = $service->login('admin', 'wrong password');
is($wrong->{status}, 401, 'a wrong password is refused');
is($wrong->{json}{code}, 'E_USER_NOT_FOUND', 'the error code');
is_deeply($wrong->{json}{data}, {}, 'the error has no data');
for my $try ([ 'nobody', $word ], [ 'admin', "$word " ], [ 'admin', uc $word ], [ 'admin', '' ], [ '', '' ],
	[ "admin' --", $word ], [ 'x' x 5000, $word ], [ 'admin', 'x' x 5000 ], [ 'adm%', $word ])
{
	my $other = $service->login(@$try);
	my $shown = substr "$try->[0] / $try->[1]", 0, 40;
	like($other->{status}, qr/^(401|400)$/, "refused: $shown");
	is($other->{body}, $wrong->{body}, "the same answer: $shown") if $other->{status} == 401;
}

# a field that is missing or not a string
for my $body ({}, { username => 'admin' }, { password => $word }, { username => undef, password => $word },
	{ username => 'admin', password => 7 }, { username => ['admin'], password => $word },
		{ username => {}, password => {} })
{
	my $shown = $json->encode($body);
	my $bad = $service->post('/users/login', $body);
	is($bad->{status}, 400, $shown);
	is($bad->{json}{code}, 'E_BAD_REQUEST', "$shown: the error code");
	unlike($bad->{body}, qr/\Q$word\E/, "$shown: the password is not echoed");
}
is($service->post('/users/login', "{\"username\": \"admin\", \"password\": \"\\u0000$word\"}")->{status} =~ /^40[01]$/,
	1, 'NUL in a password');

# the token in both headers
my $bearer = { Authorization => "Bearer $data{token}" };
is($service->get('/users/me', %$bearer)->{json}{data}{id}, $data{user}, 'Authorization: Bearer');
is($service->get('/users/me', Authorization => "bearer $data{token}")->{status}, 200,
	'letter case in the scheme is ignored');
is($service->get('/users/me', 'x-admin-authorization' => $data{token})->{json}{data}{id}, $data{user},
	'x-admin-authorization, raw');
my $none = $service->get('/users/me');
is($none->{status}, 401, 'without a token: 401');
is($none->{json}{code}, 'E_UNAUTHORIZED', 'the error code');
ok(defined $none->{headers}{'www-authenticate'}, '401 has WWW-Authenticate');

# without a token only reading is allowed
like($service->get('/datasets')->{status}, qr/^20[06]$/, 'reading needs no token');
for ([ POST => '/tags' ], [ PATCH => '/tags/zzzzzzzzzzzzzzz' ], [ PUT => '/tags/zzzzzzzzzzzzzzz' ],
	[ DELETE => '/tags/zzzzzzzzzzzzzzz' ],
	[ PATCH => '/datasets/zzzzzzzzzzzzzzz/publish' ])
{
	my ($verb, $path) = @$_;
	is($service->request($verb, $path, $verb eq 'DELETE' ? undef : { name => 'x' })->{status}, 401,
		"$verb $path needs a token");
}

# a token is renewed by its own user only
my $renewed = $service->get("/users/refreshToken/$data{user}", %$bearer);
is($renewed->{status}, 200, 'a token is renewed');
is_deeply([ sort keys %{ $renewed->{json}{data} } ], [qw(role token user username)], 'the answer is that of a login');
is($service->get('/users/me', Authorization => "Bearer $renewed->{json}{data}{token}")->{status}, 200,
	'the new token is accepted');
is($service->get("/users/refreshToken/$data{user}")->{status}, 401, 'renewal needs a token');
like($service->get('/users/refreshToken/zzzzzzzzzzzzzzz', %$bearer)->{status}, qr/^40[34]$/,
	'a token is not renewed for another user');
is_deeply($service->get('/roles?deletedAt=null&limit=1')->{json}{data},
	[ map { { id => $_, name => $_ } } qw(superadmin admin guest) ], 'the roles');

# a password is changed, a user is deactivated and deleted; each of these ends the session
$service->as_admin;
my $definition = Catalogue::Definition->new($service);
my $id = $definition->create('users', username => 'maria.perez', password => 'sesamo abrete',
	active => Cpanel::JSON::XS::true);
my $maria = $service->login('maria.perez', 'sesamo abrete');
is($maria->{status}, 200, 'a new user logs in');
is($maria->{json}{data}{role}, 'guest', 'a new user is a guest');
ok(!exists $service->get("/users/$id")->{json}{data}{password}, 'the password is not shown');
is($service->sql("SELECT password ~ '^[\$]y[\$]' FROM catalogue.users WHERE id = '$id'"), 't',
	'the password is stored as a yescrypt hash');
is($service->patch("/users/$id", { firstName => 'María' })->{status}, 200, 'an update without a password');
is($service->login('maria.perez', 'sesamo abrete')->{status}, 200, 'keeps the password');
is($service->patch("/users/$id", { password => 'otra palabra' })->{status}, 200, 'the password is changed');
is($service->login('maria.perez', 'sesamo abrete')->{status}, 401, 'the old password is refused');
is($service->login('maria.perez', 'otra palabra')->{status}, 200, 'the new password is accepted');
for my $long ('x' x 72, 'x' x 256, "\x{f1}" x 256, "\x{1f4a7}" x 256)
{
	$service->patch("/users/$id", { password => $long });
	is($service->login('maria.perez', $long)->{status}, 200, length($long) . ' characters: the password is accepted');
	is($service->login('maria.perez', $long . 'y')->{status} =~ /^40[01]$/, 1,
		'a password with one more character is refused');
	is($service->login('maria.perez', substr($long, 1))->{status}, 401, 'a password with one character less is refused');
}
is($service->patch("/users/$id", { password => $_ })->{status}, 400, length($_) . ' characters are refused')
	for 'short', 'x' x 257;
$service->patch("/users/$id", { password => 'otra palabra' });
my $token = $service->login('maria.perez', 'otra palabra')->{json}{data}{token};
is($service->patch("/users/$id", { active => Cpanel::JSON::XS::false })->{status}, 200, 'deactivated');
is($service->login('maria.perez', 'otra palabra')->{status}, 401, 'a deactivated user cannot log in');
is($service->get('/users/me', Authorization => "Bearer $token")->{status}, 401,
	'the token of a deactivated user is invalid');
$service->patch("/users/$id", { active => Cpanel::JSON::XS::true });
is($service->delete("/users/$id")->{status}, 200, 'deleted');
is($service->login('maria.perez', 'otra palabra')->{status}, 401, 'a deleted user cannot log in');
is($service->get('/users/me', Authorization => "Bearer $token")->{status}, 401,
	'the token of a deleted user is invalid');

# an unknown name takes as long as a wrong password: medians of 15, with the limit of failed logins switched off
$service->sql("ALTER DATABASE $service->{database} SET catalogue.login_failures_name = 0");
$service->stop_shim;
$service->start_shim;
sub median { my @t = sort { $a <=> $b } @_; return $t[ @t / 2 ] }
sub taking { my ($name) = @_; my $start = time; $service->login($name, 'wrong password'); return time - $start }
# the administrator of a test has a hash that is quick to verify, so another user is tried
$definition->create('users', username => 'marta.perez', password => 'sesamo abrete', active => Cpanel::JSON::XS::true);
# in turns, so that another load on the machine slows both down
my %took;
for (1 .. 15) { push @{ $took{$_} }, taking($_) for qw(marta.perez nobody) }
my ($known, $unknown) = map { median(@{ $took{$_} }) } qw(marta.perez nobody);
cmp_ok(abs($known - $unknown), '<', 0.010 + 0.5 * $known, sprintf 'a known name takes %.1f ms, an unknown one %.1f ms',
	1e3 * $known, 1e3 * $unknown);

# passwords are not logged
unlike($service->output . join(' ', map { $json->encode($_) } $service->log), qr/sesamo|otra palabra|\Q$word\E/,
	'the log has no password');

$service->finish;
