#!/usr/bin/perl
# Only a complete and valid token that the service has signed, of an active user, is accepted.

use strict;
use warnings;

use Digest::SHA qw(hmac_sha256 hmac_sha384 hmac_sha512);
use Test::More;
use Catalogue::Client qw($json);
use Catalogue::Test;
use Catalogue::Token;

my $service = Catalogue::Test->shared->as_admin;
my ($secret, $admin, $now) = ($service->{secret}, $service->{admin}, time);
my ($header64, $claims64, $signature64) = split /\./, $service->{token};
my ($header, $claims) = map { MIME::Base64::decode_base64url($_) } $header64, $claims64;
delete $service->{headers}{Authorization};

sub encode { my ($value) = @_; return ref $value ? $json->encode($value) : $value }

# A token like the service's own, with some members changed.
sub token
{
	my (%changes) = @_;
	my %head  = (%{ $json->decode($header) }, %{ $changes{header} // {} });
	my %claim = (%{ $json->decode($claims) }, iat => $now, exp => $now + 3600, %{ $changes{claims} // {} });
	delete @claim{ grep { !defined $claim{$_} } keys %claim };
	delete @head{ grep { !defined $head{$_} } keys %head };
	return Catalogue::Token::sign($changes{secret} // $secret, $changes{raw_header} // encode(\%head),
		$changes{raw_claims} // encode(\%claim), $changes{digest});
}

sub status
{
	my ($token, $place) = @_;
	return $service->get('/users/me', ($place // 'Authorization') eq 'Authorization'
		? (Authorization => "Bearer $token") : ('x-admin-authorization' => $token))->{status};
}

# the claims of the service's own token
my $own = $json->decode($claims);
is($own->{id}, $admin, 'claim id');
cmp_ok($own->{exp} - $own->{iat}, '==', 24 * 3600, 'the token is valid for 24 hours');
is($json->decode($header)->{alg}, 'HS256', 'the algorithm is HS256');

# valid tokens
is(status($service->{token}), 200, 'the service\'s own token');
is(status(token()), 200, 'a token like it');
is(status(token(claims => { iat => $now + 50, nbf => $now + 50 })), 200,
	'one of a host whose clock is 50 seconds ahead');
is(status(token(claims => { iat => $now - 3600, exp => $now - 20 })), 200,
	'one that has expired 20 seconds ago, by the clock of this host');

# a token that was accepted becomes invalid when it expires
my $short = token(claims => { exp => time - 57 });
is(status($short), 200, 'a token that expires in three seconds, by a clock that is a minute behind');
$service->pass(3);
is(status($short), 401, 'it is refused when it has expired');
$now += 3;

my $none = Catalogue::Token::base64url('{"alg":"none","typ":"JWT"}');
my %bad  = (
	'empty'                            => '',
	'a dot'                            => '.',
	'two dots'                         => '..',
	'three dots'                       => '...',
	'no signature'                     => "$header64.$claims64.",
	'no signature, no dot'             => "$header64.$claims64",
	'no header'                        => ".$claims64.$signature64",
	'no claims'                        => "$header64..$signature64",
	'four parts'                       => "$service->{token}.x",
	'another signature'                => "$header64.$claims64." . Catalogue::Token::base64url("\0" x 32),
	'a shorter signature'              => "$header64.$claims64." . substr($signature64, 0, 20),
	'a longer signature'               => "$service->{token}AAAA",
	'another character in the claims'     => "$header64." . ($claims64 =~ s/^(.{5})(.)/$1 . ($2 eq 'A' ? 'B' : 'A')/er)
		. ".$signature64",
	'characters outside base64url'          => "$header64.$claims64.$signature64\$",
	'padding'                          => "$header64.$claims64.$signature64=",
	'base64 instead of base64url'      => "$header64.$claims64." . ($signature64 =~ tr/_-/\/+/r) . '+/',
	'a blank inside'                   => "$header64. $claims64.$signature64",
	'none'                             => "$none.$claims64.",
	'none, signed'                     => Catalogue::Token::sign($secret, '{"alg":"none","typ":"JWT"}', $claims),
	'None'                             => token(header => { alg => 'None' }),
	'another secret'                   => token(secret => 'another secret of at least 32 bytes!!'),
	'the empty secret'                 => token(secret => ''),
	'HS384'                            => token(header => { alg => 'HS384' }, digest => \&hmac_sha384),
	'HS512'                            => token(header => { alg => 'HS512' }, digest => \&hmac_sha512),
	'HS256 by HS512'                   => token(digest => \&hmac_sha512),
	'RS256'                            => token(header => { alg => 'RS256' }),
	'hs256'                            => token(header => { alg => 'hs256' }),
	'no algorithm'                     => token(header => { alg => undef }),
	'an algorithm that is no text'     => token(header => { alg => ['HS256'] }),
	'two algorithms'                   => token(raw_header => '{"alg":"none","alg":"HS256"}'),
	'crit'                             => token(header => { crit => ['exp'] }),
	'b64'                              => token(header => { b64 => Cpanel::JSON::XS::false }),
	'jku'                              => token(header => { jku => 'https://example.org' }),
	'a header that is no object'       => token(raw_header => '["HS256"]'),
	'a header that is no JSON'         => token(raw_header => 'alg=HS256'),
	'claims that are no object'        => token(raw_claims => "[$claims]"),
	'claims that are no JSON'          => token(raw_claims => 'id=admin'),
	'two ids'                          => token(
		raw_claims => "{\"id\":\"x\",\"id\":\"$admin\",\"iat\":$now,\"exp\":@{[$now + 60]}}"),
	'NUL in the claims'                => token(
		raw_claims => "{\"id\":\"$admin\",\"iat\":$now,\"exp\":@{[$now + 60]}}\0x"),
	'expired'                          => token(claims => { iat => $now - 7200, exp => $now - 3600 }),
	'no expiry'                        => token(claims => { exp => undef }),
	'an expiry of null'                => token(raw_claims => "{\"id\":\"$admin\",\"iat\":$now,\"exp\":null}"),
	'an expiry in quotes'              => token(
		raw_claims => "{\"id\":\"$admin\",\"iat\":$now,\"exp\":\"@{[$now + 60]}\"}"),
	'an expiry with a fraction'        => token(raw_claims => "{\"id\":\"$admin\",\"iat\":$now,\"exp\":@{[$now + 60]}.5}"),
	'an expiry of 0'                   => token(claims => { exp => 0 }),
	'a negative expiry'                => token(claims => { exp => -1 }),
	'an expiry beyond the maximum'   => token(claims => { exp => $now + 400 * 86400 }),
	'an expiry of 2^63'                => token(
		raw_claims => "{\"id\":\"$admin\",\"iat\":$now,\"exp\":9223372036854775808}"),
	'a beginning in the future'                          => token(claims => { nbf => $now + 3600 }),
	'an issue in the future'             => token(claims => { iat => $now + 3600, exp => $now + 7200 }),
	'no issue'                         => token(claims => { iat => undef }),
	'no id'                            => token(claims => { id => undef }),
	'an id of null'                    => token(raw_claims => "{\"id\":null,\"iat\":$now,\"exp\":@{[$now + 60]}}"),
	'an id that is a number'           => token(claims => { id => 7 }),
	'an unknown id'                    => token(claims => { id => 'zzzzzzzzzzzzzzz' }),
	'an empty id'                      => token(claims => { id => '' }),
	'an id of SQL'                     => token(claims => { id => "' OR 1=1 --" }),
	'a long token'                       => token(claims => { a => 'x' x 4000 }),
);
for my $name (sort keys %bad)
{
	is(status($bad{$name}, $_), 401, "$name: refused in $_") for 'Authorization', 'x-admin-authorization';
}

# other schemes, and two tokens at once
for my $value ('Bearer', 'Bearer ', 'Basic YWRtaW46YWRtaW4=', $service->{token}, "Token $service->{token}",
	"Bearer  x $service->{token}")
{
	my $reply = $service->get('/users/me', Authorization => $value);
	is($reply->{status}, 401, 'Authorization: ' . substr $value, 0, 12);
	ok(defined $reply->{headers}{'www-authenticate'}, 'with WWW-Authenticate');
}
like($service->raw("GET /users/me HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer $service->{token}\r\n"
	. "Authorization: Bearer x\r\n\r\n")->{replies}[0]{status},
	qr/^40[01]$/, 'two Authorization headers');

# an invalid token is refused even on a public path, and a token in a cookie is ignored
is($service->get('/tags', Authorization => 'Bearer ..')->{status}, 401, 'an invalid token on a public path');
is($service->get('/users/me', Cookie => "token=$service->{token}; Authorization=Bearer $service->{token}")->{status},
	401, 'a token in a cookie is ignored');

unlike(join("\n", map { $json->encode($_) } $service->log), qr/\Q$signature64\E/, 'no token is in the log');

$service->finish;
