#!/usr/bin/perl
# Registered applications: each kind of credential in each place, of which only valid ones are accepted;
# their limits, their preferences, and their revocation.

use strict;
use warnings;

use Digest::SHA qw(hmac_sha256 hmac_sha384 hmac_sha512);
use MIME::Base64 ();
use Test::More;
use Catalogue::Client qw($json);
use Catalogue::Clock qw(poll);
use Catalogue::Test;
use Catalogue::Token;

my $service =
	Catalogue::Test->start(CATALOGUE_PRIVATE => undef, CATALOGUE_PUBLIC_PATHS => '/tags/*/datasets, /categories',
	CATALOGUE_LOG_LEVEL => 'silly');
my $now  = int time;

# Call a function that creates a key and returns it with its secret.
sub make_key
{
	my ($call) = @_;
	return split /\|/, scalar $service->sql("SELECT * FROM catalogue.$call"), 2;
}

# Repeat a request until it has the wanted status, or time is up; return the last status.
sub ask_until
{
	my ($wanted, @request) = @_;
	my $status;
	poll(30, sub { ($status = $service->get(@request)->{status}) == $wanted });
	return $status;
}

my $portal = $service->sql(q(SELECT catalogue.add_consumer('Portal')));
$service->sql(
	q(SELECT catalogue.add_consumer('Web', 'representation', 'embedded', id => 'd3b07384-d113-4ec6-a1f2-0123456789ab')));

# a service is private by default: only public paths can be read without a credential
is($service->get('/health')->{status}, 200, 'health needs no credential');
my $nobody = $service->get('/tags');
is($nobody->{status}, 401, 'a list needs a credential');
is($nobody->{json}{code}, 'E_UNAUTHORIZED', 'the error code');
is($nobody->{headers}{'www-authenticate'}, 'Bearer', '401 has WWW-Authenticate');
is($service->get('/nothing')->{status}, 401, '401 does not show which paths exist');
is($service->request('OPTIONS', '/tags')->{status}, 401, 'OPTIONS needs a credential');
my $preflight = $service->request('OPTIONS', '/tags', undef, Origin => 'https://example.org',
	'Access-Control-Request-Method' => 'GET');
is($preflight->{status}, 200, 'a preflight needs no credential');
like($preflight->{headers}{'access-control-allow-methods'}, qr/\bPOST\b/, 'it has the methods');
is_deeply($preflight->{json}{methods}, [], 'and tells nothing of the fields');
like($service->get('/categories')->{status}, qr/^20[06]$/, 'a public path');
like($service->get('/CATEGORIES')->{status}, qr/^20[06]$/, 'a public path in any letter case');
is($service->get('/categories/count')->{status}, 401, 'a path below a public path needs a credential');
is($service->get('/tags/zzzzzzzzzzzzzzz/datasets')->{status}, 404, 'a public path with a wildcard');
is($service->get('/tags/zzzzzzzzzzzzzzz')->{status}, 401, 'a path above a public path needs a credential');
is($service->login('admin', $ENV{CATALOGUE_ADMIN_PASSWORD})->{status}, 200, 'users can log in');
my $user = $service->login('admin', $ENV{CATALOGUE_ADMIN_PASSWORD})->{json}{data}{token};
like($service->get('/tags', Authorization => "Bearer $user")->{status}, qr/^20[06]$/, 'a user\'s token is accepted');

# an API key
my ($key, $api_key) = make_key(q(add_api_key('Portal')));
is($service->get('/tags/count', apikey => $api_key)->{status}, 200, 'a valid API key');
my ($head, $secret) = $api_key =~ /^(catalogue_\w{15}_)(.{64})$/;
my %bad_keys = (
	'empty'            => '',
	'only its name'         => $key,
	'no secret'        => $head,
	'another secret'   => $head . ('0' x 64),
	'one character less'  => substr($api_key, 0, -1),
	'one character more'  => "${api_key}0",
	'in capitals'      => uc $api_key,
	'its hash'         => $head . Digest::SHA::sha256_hex($api_key),
	'the hash alone'   => Digest::SHA::sha256_hex($api_key),
	'another name'     => "catalogue_zzzzzzzzzzzzzzz_$secret",
	'no name'          => "catalogue__$secret",
	'SQL as a name'    => "catalogue_x' OR 1=1 --_$secret",
	'a long name'      => 'catalogue_' . 'x' x 300 . "_$secret",
	'another prefix'   => "datalogue_${key}_$secret",
	'a blank inside'   => "catalogue_$key _$secret",
	'a great length'       => 'x' x 7000,
);
is($service->get('/tags/count', apikey => $bad_keys{$_})->{status}, 401, "an API key with $_") for sort keys %bad_keys;
is($service->get('/tags/count', Authorization => "Bearer $api_key")->{status}, 401, 'an API key is no token');
is($service->get("/tags/count?apikey=$api_key")->{status}, 401, 'an API key in the query is not accepted');
is($service->get("/tags/count", Cookie => "apikey=$api_key")->{status}, 401, 'an API key in a cookie is not accepted');

# tokens: keys of every algorithm, each with valid and invalid tokens, in each place
my %signers;
my $hmac = 'a secret of the gateway, 32 bytes or more';
my ($rsa_file, $rsa_public)     = Catalogue::Token::key_pair('-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:2048');
my ($curve_file, $curve_public) = Catalogue::Token::key_pair('-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256');
my ($other_rsa)   = Catalogue::Token::key_pair('-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:2048');
my ($other_curve) = Catalogue::Token::key_pair('-algorithm', 'EC',  '-pkeyopt', 'ec_paramgen_curve:P-256');
make_key("add_token_key('Web', 'HS256', '$hmac', 'gateway-hs')");
make_key("add_token_key('Web', 'RS256', '$rsa_public', 'gateway-rs')");
make_key("add_token_key('Web', 'ES256', '$curve_public', 'gateway-es')");

my %algorithms = (
	HS256 => { key => 'gateway-hs', sign => sub { Catalogue::Token::sign($hmac, @_) },
		forge => sub { Catalogue::Token::sign("another $hmac", @_) } },
	RS256 => { key => 'gateway-rs', sign => sub { Catalogue::Token::sign_by_file($rsa_file, @_) },
		forge => sub { Catalogue::Token::sign_by_file($other_rsa, @_) } },
	ES256 => { key => 'gateway-es', sign => sub { Catalogue::Token::sign_by_file($curve_file, @_) },
		forge => sub { Catalogue::Token::sign_by_file($other_curve, @_) } },
);
my %places = (
	'Authorization' => sub { ('/tags/count', Authorization => "Bearer $_[0]") },
	'the query'     => sub { ('/tags/count?jwt=' . $_[0] =~ s/([^\w.~-])/sprintf '%%%02X', ord $1/ger) },
);

# Invalid tokens of an algorithm, by name.
sub bad_tokens
{
	my ($algorithm) = @_;
	my ($key, $sign, $forge) = @{ $algorithms{$algorithm} }{qw(key sign forge)};
	my ($header, $claims) = (qq({"alg":"$algorithm","typ":"JWT"}), qq({"iss":"$key","exp":@{[$now + 3600]}}));
	my ($header64, $claims64, $signature64) = split /\./, $sign->($header, $claims);
	my $expiring = sub { $sign->($header, qq({"iss":"$key","exp":$_[0]})) };
	my $headed   = sub { $sign->(qq({"alg":"$algorithm",$_[0]}), $claims) };
	my $as       = sub { $sign->(qq({"alg":$_[0]}), $claims) };
	my %bad = (
		'no signature'                  => "$header64.$claims64.",
		'no signature, no dot'          => "$header64.$claims64",
		'no header'                     => ".$claims64.$signature64",
		'no claims'                     => "$header64..$signature64",
		'four parts'                    => "$header64.$claims64.$signature64.x",
		'a signature of zero bytes'     => "$header64.$claims64."
			. Catalogue::Token::base64url("\0" x length MIME::Base64::decode_base64url($signature64)),
		'32 zero bytes as signature'    => "$header64.$claims64." . Catalogue::Token::base64url("\0" x 32),
		'64 bytes of 1 as signature'    => "$header64.$claims64." . Catalogue::Token::base64url("\1" x 64),
		'a shorter signature'           => "$header64.$claims64." . substr($signature64, 0, -4),
		'a longer signature'            => "$header64.$claims64.${signature64}AAAA",
		'bytes after it'                  => "$header64.$claims64.$signature64%00",
		'padding'                       => "$header64.$claims64.$signature64=",
		'other claims'                  => "$header64."
			. Catalogue::Token::base64url(qq({"iss":"$key","exp":@{[$now + 7200]}})) . ".$signature64",
		'another key pair or secret'    => $forge->($header, $claims),
		'none'                          => Catalogue::Token::base64url('{"alg":"none"}') . ".$claims64.",
		'none, signed'                  => $as->('"none"'),
		'nOnE'                          => $as->('"nOnE"'),
		'the algorithm in small letters' => $as->('"' . lc $algorithm . '"'),
		'an algorithm of null'          => $as->('null'),
		'an algorithm in a list'        => $as->(qq(["$algorithm"])),
		'the algorithm of API keys'     => $as->('"apikey"'),
		'two algorithms'                => $as->(qq("none","alg":"$algorithm")),
		'no algorithm'                  => $sign->('{"typ":"JWT"}', $claims),
		'crit'                          => $headed->('"crit":["exp"]'),
		'b64'                           => $headed->('"b64":false'),
		'jku'                           => $headed->('"jku":"https://example.org"'),
		'jwk'                           => $headed->('"jwk":{"kty":"oct","k":"AAAA"}'),
		'x5c'                           => $headed->('"x5c":["AAAA"]'),
		'a type that is no text'        => $headed->('"typ":["JWT"]'),
		'a header that is a list'       => $sign->(qq([{"alg":"$algorithm"}]), $claims),
		'a header that is no JSON'      => $sign->("alg=$algorithm", $claims),
		'NUL in the header'             => $sign->("$header\0", $claims),
		'claims in a list'              => $sign->($header, "[$claims]"),
		'claims that are no JSON'       => $sign->($header, "iss=$key"),
		'NUL behind the claims'         => $sign->($header, "$claims\0"),
		'bytes behind the claims'       => $sign->($header, "$claims}"),
		'two issuers'                   => $sign->($header, qq({"iss":"x","iss":"$key","exp":@{[$now + 60]}})),
		'two expiries'                  => $expiring->(qq(1,"exp":@{[$now + 60]})),
		'expired'                       => $expiring->($now - 61),
		'an expiry of 0'                => $expiring->(0),
		'a negative expiry'             => $expiring->(-1),
		'an expiry of null'             => $expiring->('null'),
		'an expiry in quotes'           => $expiring->(qq("@{[$now + 60]}")),
		'an expiry with a fraction'     => $expiring->($now + 60 . '.5'),
		'an expiry of 2^63'             => $expiring->('9223372036854775808'),
		'an expiry in a list'           => $expiring->("[@{[$now + 60]}]"),
		'no expiry'                     => $sign->($header, qq({"iss":"$key"})),
		'a beginning in the future'                       => $expiring->($now + 3600 . qq(,"nbf":@{[$now + 1800]})),
		'a beginning in quotes'         => $expiring->($now + 3600 . ',"nbf":"0"'),
		'an issue in the future'          => $expiring->($now + 3600 . qq(,"iat":@{[$now + 1800]})),
		'an issue of null'              => $expiring->($now + 3600 . ',"iat":null'),
		'an unknown issuer'             => $sign->($header, qq({"iss":"nothing","exp":@{[$now + 60]}})),
		'an empty issuer'               => $sign->($header, qq({"iss":"","exp":@{[$now + 60]}})),
		'an issuer of null'             => $sign->($header, qq({"iss":null,"exp":@{[$now + 60]}})),
		'an issuer that is a number'    => $sign->($header, qq({"iss":7,"exp":@{[$now + 60]}})),
		'an issuer of SQL'              => $sign->($header, qq({"iss":"' OR 1=1 --","exp":@{[$now + 60]}})),
		'a consumer as issuer'          => $sign->($header, qq({"iss":"\@Web","exp":@{[$now + 60]}})),
		'an API key as issuer'        => $sign->($header, qq({"iss":"$api_key","exp":@{[$now + 60]}})),
		'a long issuer'                 => $sign->($header, qq({"iss":"@{['x' x 101]}","exp":@{[$now + 60]}})),
		'a long token'                    => $expiring->($now + 60 . qq(,"a":"@{['x' x 4000]}")),
		'deep claims'                   => $expiring->($now + 60 . ',"a":' . '[' x 2500 . ']' x 2500),
	);

	# the keys and algorithms of the other keys, and public keys used as secrets
	for my $other (grep { $_ ne $algorithm } sort keys %algorithms)
	{
		$bad{"the key of $other"} = $sign->($header, qq({"iss":"$algorithms{$other}{key}","exp":@{[$now + 3600]}}));
		$bad{"the name of $other"} = $algorithm eq 'ES256' || $other eq 'ES256'
			? Catalogue::Token::sign($hmac, qq({"alg":"$other"}), $claims)
			: $as->(qq("$other"));
	}
	$bad{"$_ of the public key"} = Catalogue::Token::sign($algorithm eq 'RS256' ? $rsa_public : $curve_public,
		qq({"alg":"$_"}), $claims) for 'HS256', $algorithm;
	if ($algorithm eq 'HS256')
	{
		$bad{'HS384'}           = Catalogue::Token::sign($hmac, '{"alg":"HS384"}', $claims, \&hmac_sha384);
		$bad{'HS512'}           = Catalogue::Token::sign($hmac, '{"alg":"HS512"}', $claims, \&hmac_sha512);
		$bad{'HS256 by SHA512'} = Catalogue::Token::sign($hmac, $header, $claims, \&hmac_sha512);
		$bad{'the empty secret'} = Catalogue::Token::sign('', $header, $claims);
		$bad{'the secret of users'} = Catalogue::Token::sign($service->{secret}, $header, $claims);
	}
	else
	{
		$bad{'by SHA512'} = $sign->($header, $claims, 'sha512');
	}
	return %bad;
}

for my $algorithm (sort keys %algorithms)
{
	my ($key, $sign) = @{ $algorithms{$algorithm} }{qw(key sign)};
	my $good = $sign->(qq({"alg":"$algorithm","typ":"JWT","kid":"x"}),
		qq({"iss":"$key","iat":$now,"nbf":$now,"exp":@{[$now + 3600]}}));
	my $bare = $sign->(qq({"alg":"$algorithm"}), qq({"iss":"$key","exp":@{[$now + 3600]}}));
	my %bad  = bad_tokens($algorithm);
	cmp_ok(scalar keys %bad, '>=', 52, "$algorithm: at least 52 invalid tokens");
	for my $place (sort keys %places)
	{
		is($service->get($places{$place}->($_))->{status}, 200, "$algorithm in $place: a valid token") for $good,
			$bare, $good;
		for my $name (sort keys %bad)
		{
			is($service->get($places{$place}->($bad{$name}))->{status}, 401, "$algorithm in $place: $name");
		}
		is($service->get($places{$place}->($good))->{status}, 200, "$algorithm in $place: the valid token is still accepted");
	}
	# a valid token is cached, and the cache must not accept one that differs in one character
	for my $part (1, 2, 3)
	{
		my $near = $good =~ s/^((?:[^.]+\.){@{[$part - 1]}}..)(.)/$1 . ($2 eq 'A' ? 'B' : 'A')/er;
		is($service->get('/tags/count', Authorization => "Bearer $near")->{status}, 401,
			"$algorithm: another character in part $part");
		is($service->get('/tags/count', Authorization => "Bearer $good")->{status}, 200, 'the valid token is still accepted');
	}
	is($service->get('/tags/count', 'x-admin-authorization' => $good)->{status}, 401,
		"$algorithm: not accepted as a user's token");
	is($service->get('/tags/count', apikey => $good)->{status}, 401, "$algorithm: not accepted as an API key");
	$signers{$algorithm} = $good;
}
is($service->get("/tags/count?jwt=$user")->{status}, 401, 'a user\'s token in the query is not accepted');
is($service->get("/tags/count?jwt=$signers{HS256}&jwt=$signers{HS256}")->{status}, 401,
	'two tokens in the query are refused');
is($service->get('/tags/count', apikey => $api_key, Authorization => "Bearer $signers{HS256}")->{status}, 401,
	'two credentials of consumers are refused');
is($service->get("/tags/count?jwt=$signers{HS256}", apikey => $api_key)->{status}, 401,
	'two credentials of consumers, one in the query, are refused');

# keys that are too weak for their algorithm are refused
my ($weak_file, $weak_public)   = Catalogue::Token::key_pair('-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:1024');
my ($large_file, $large_public) =
	Catalogue::Token::key_pair('-algorithm', 'EC',  '-pkeyopt', 'ec_paramgen_curve:P-384');
make_key("add_token_key('Web', 'RS256', '$weak_public', 'weak')");
make_key("add_token_key('Web', 'ES256', '$large_public', 'large')");
make_key("add_token_key('Web', 'RS256', '$curve_public', 'mixed')");
is($service->get('/tags/count', Authorization => 'Bearer ' . Catalogue::Token::sign_by_file($_->[0],
	qq({"alg":"$_->[1]"}), qq({"iss":"$_->[2]","exp":@{[$now + 60]}})))->{status},
	401, "key $_->[2]")
	for [$weak_file, 'RS256', 'weak'], [$curve_file, 'RS256', 'mixed'];

# a user and a consumer in one request: the user acts
my %both = ('x-admin-authorization' => $user, Authorization => "Bearer $signers{RS256}");
is($service->get('/users/me', %both)->{json}{data}{username}, 'admin', 'a user beside a consumer\'s token');
is($service->get('/users/me', Authorization => "Bearer $user", apikey => $api_key)->{json}{data}{username}, 'admin',
	'a user beside an API key');
is($service->get('/users/me', apikey => $api_key)->{status}, 401, 'a consumer is not a user');
is($service->post('/tags', { name => 'x' }, apikey => $api_key)->{status}, 401, 'a consumer cannot write');
is($service->get('/tags/count', %both, Authorization => 'Bearer ..')->{status}, 401,
	'a bad credential of the consumer beside a good one of the user');
is($service->get('/tags/count', %both, 'x-admin-authorization' => 'x')->{status}, 401,
	'a bad credential of the user beside a good one of the consumer');

# the consumer's stored preferences, which a request may override
my $dataset = $service->get('/datasets/first', apikey => $api_key)->{json}{data};
ok(!ref $dataset->{status}, 'relations are ids for one consumer');
my $embedded = $service->get("/datasets/$dataset->{id}", Authorization => "Bearer $signers{RS256}");
is(ref $embedded->{json}{data}{status}, 'HASH', 'relations are embedded for the other');
ok(!ref $service->get("/datasets/$dataset->{id}", Authorization => "Bearer $signers{RS256}",
	Prefer => 'relations=ids')->{json}{data}{status}, 'a request may override the stored preference');
is($service->post('/tags', { name => 'told' }, %both)->{json}{data}{name}, 'told',
	'the answer to a creation has the record');
ok(!exists $service->post('/tags', { name => 'untold' }, Authorization => "Bearer $user",
	apikey => $api_key)->{json}{data}, 'the answer to a creation has no record for the other consumer');
my ($plain) = map { $_->{headers}{etag} } $service->get("/datasets/$dataset->{id}", apikey => $api_key);
isnt($embedded->{headers}{etag}, $plain, 'each representation has its own entity tag');
is($service->get("/datasets/$dataset->{id}", apikey => $api_key, 'If-None-Match' => $plain)->{status}, 304,
	'the tag of a consumer: 304');
is($service->get("/datasets/$dataset->{id}", Authorization => "Bearer $signers{RS256}",
	'If-None-Match' => $plain)->{status}, 200, 'the tag of another consumer: 200');
like($embedded->{headers}{vary}, qr/Authorization.*apikey.*X-Consumer-Username/,
	'Vary names the headers of credentials');
unlike(join(' ', $service->get("/tags?limit=1&jwt=$signers{HS256}")->{body}), qr/jwt|\Q$signers{HS256}\E/,
	'no link contains the token');

# limits of a key
my (undef, $narrow) = make_key(q(add_api_key('Portal', resources => '{tags}', verbs => '{GET}')));
is($service->get('/tags/count', apikey => $narrow)->{status}, 200, 'a key for GET of tags');
is($service->request('HEAD', '/tags', undef, apikey => $narrow)->{status},
	$service->get('/tags', apikey => $narrow)->{status}, 'the key allows HEAD with GET');
for my $try ([ GET => '/datasets' ], [ GET => '/tags?include=datasets' ],
	[ GET => '/tags?datasets.name=a&match=BEGINS' ], [ GET => '/tags/count?datasets=x' ], [ GET => '/rss' ],
	[ GET => '/search?resources=datasets&query=a' ], [ POST => '/tags', { name => 'x' } ],
	[ DELETE => '/tags/zzzzzzzzzzzzzzz' ])
{
	my ($verb, $path, $body) = @$try;
	my $reply = $service->request($verb, $path, $body, apikey => $narrow, 'x-admin-authorization' => $user);
	is($reply->{status}, 403, "the key does not allow $verb $path, even with a user");
	is($reply->{json}{code}, 'E_FORBIDDEN', 'the error code');
}

# a rate limit: never more requests in a minute than the limit, and the others get Retry-After
my (undef, $slow) = make_key(q(add_api_key('Portal', rate => 20)));
my ($served, $refused, $minute) = (0, undef, int time / 60);
for (1 .. 60)
{
	my $reply = $service->get('/tags/count', apikey => $slow);
	$served++ if $reply->{status} == 200;
	$refused = $reply if $reply->{status} == 429;
}
my $minutes = int(time / 60) - $minute + 1;
cmp_ok($served, '<=', 20 * $minutes, 'no more requests than the limit are served');
cmp_ok($served, '>=', 10, 'most requests are served');
SKIP:
{
	skip 'no request was over the limit', 3 unless $refused;
	is($refused->{json}{code}, 'E_TOO_MANY_REQUESTS', 'the others are refused with the error code');
	like($refused->{headers}{'retry-after'}, qr/^([1-9]|[1-5]\d|60)$/, 'a refusal has Retry-After');
	is($refused->{headers}{'www-authenticate'}, undef, '429 has no WWW-Authenticate');
}

# tokens for a deployed application
sub lifetime
{
	my ($claims) = map { $json->decode(MIME::Base64::decode_base64url($_)) } (split /\./, $_[0])[1];
	return $claims->{exp} - $claims->{iat};
}
make_key(q(add_token_key('Web', 'HS256', key => 'web', issues => true)));
my $web = { consumer => 'Web', consumerId => 'd3b07384-d113-4ec6-a1f2-0123456789ab' };
my $reply = $service->post('/clients/tokens', $web);
is($reply->{status}, 200, 'an application gets a token');
is_deeply([ sort keys %{ $reply->{json} } ], [qw(data links meta)], 'the answer has the usual envelope');
is($reply->{headers}{'cache-control'}, 'no-store', 'the answer may not be cached');
my $token = $reply->{json}{data};
is($service->get($places{$_}->($token))->{status}, 200, "the token is accepted in $_") for sort keys %places;
is(lifetime($token), 30 * 86400, 'the token is valid for 30 days');
$service->sql(q(UPDATE catalogue.consumers SET token_lifetime = '90 minutes 1.9 seconds' WHERE name = 'Web'));
is(lifetime($service->post('/clients/tokens', $web)->{json}{data}), 5401, 'the consumer\'s token_lifetime applies');
for my $body ({ %$web, consumerId => $portal }, { %$web, consumer => 'Portal' },
	{ consumer => 'Portal', consumerId => $portal }, { consumer => 'x', consumerId => 'x' })
{
	my $other = $service->post('/clients/tokens', $body);
	is($other->{status}, 401, 'no token for ' . $json->encode($body));
	is($other->{json}{code}, 'E_UNAUTHORIZED', 'the error code');
}
is($service->post('/clients/tokens', $_)->{status}, 400, 'no token for ' . $json->encode($_)) for {},
	{ consumer => 'Web' }, { %$web, consumerId => 7 }, [];
is($service->get('/clients/tokens', apikey => $api_key)->{status}, 405, 'tokens are requested by POST');

# the consumer that a proxy names is accepted from a trusted proxy only
is($service->get('/tags/count', 'X-Consumer-Username' => 'Portal')->{status}, 401,
	'X-Consumer-Username is ignored without a trusted proxy');


# revocation: each kind of credential is refused at once, by the database call or within a second
$service->sql("SELECT catalogue.revoke_key('$key')");
is($service->get('/tags', apikey => $api_key)->{status}, 401,
	'a revoked API key is refused by the next call to the database');
is(ask_until(401, '/tags/count', apikey => $api_key), 401, 'a revoked API key is soon refused by the shim itself');
my ($next, $secret_of_next) = make_key("rotate_key('gateway-hs', '0', 'another secret of the gateway, 32 bytes')");
is(ask_until(401, '/tags/count', Authorization => "Bearer $signers{HS256}"), 401,
	'a rotated key: tokens of the old secret are refused');
is($service->get('/tags/count', Authorization => 'Bearer ' . Catalogue::Token::sign(
	'another secret of the gateway, 32 bytes', '{"alg":"HS256"}', qq({"iss":"$next","exp":@{[$now + 3600]}})))->{status},
	200, 'a rotated key: tokens of the new secret are accepted');
$service->sql(q(UPDATE catalogue.consumer_keys SET expires_at = now() + interval '1 second' WHERE key = 'gateway-es'));
is(ask_until(401, '/tags/count', Authorization => "Bearer $signers{ES256}"), 401, 'an expired key is refused');
$service->sql(q(SELECT catalogue.revoke_consumer('Web')));
is($service->get('/tags', Authorization => "Bearer $signers{RS256}")->{status}, 401,
	'a revoked consumer: all its tokens are refused');
is(ask_until(401, '/clients/tokens', Authorization => "Bearer $token"), 401,
	'tokens that the service issued to a revoked consumer are refused');
is($service->post('/clients/tokens', $web)->{status}, 401, 'a revoked consumer gets no more tokens');

# the statistics have the names of consumers, and the last use of a key is recorded
my $names = sub { join ',',
	$service->sql(q(SELECT DISTINCT client FROM catalogue.statistics WHERE client <> 'seed' ORDER BY 1)) };
poll(30, sub { $names->() eq 'Portal,Web,admin,anonymous' });
is($names->(), 'Portal,Web,admin,anonymous', 'clients of the statistics');
is($service->sql("SELECT last_used <= now() FROM catalogue.list_consumers() WHERE key = '$key'"), 't',
	'the last use of a key is recorded');

# no secret is stored or logged
my $all = $service->output . join("\n", map { $json->encode($_) } $service->log) . join "\n",
	$service->sql('SELECT querystring FROM catalogue.statistics');
is($all =~ /(.{0,200}\Q$_\E)/ ? $1 : '', '', 'no secret in log or statistics') for $secret, $hmac,
	map { (split /\./)[2] } $token, values %signers;

is($service->stop_shim, 0, 'on SIGTERM the shim ends with status 0');

# behind a trusted gateway: the name that it sends is accepted, in place of credentials that it has checked
$service->{settings}{CATALOGUE_TRUSTED_PROXIES} = '127.0.0.0/8';
$service->start_shim;
my ($fresh, $good_key) = make_key(q(add_api_key('Portal')));
is($service->get('/tags/count')->{status}, 401, 'without a name from the gateway nobody is let in');
is($service->get('/tags/count', 'X-Consumer-Username' => 'portal')->{status}, 200, 'a consumer named by the gateway');
is($service->get('/tags/count', 'X-Consumer-Username' => 'portal', apikey => 'of the gateway',
	Authorization => 'Bearer its.own.token')->{status}, 200, 'credentials for the gateway itself are ignored');
is($service->get('/users/me', 'X-Consumer-Username' => 'Portal',
	Authorization => "Bearer $user")->{json}{data}{username}, 'admin', 'a user beside a consumer named by the gateway');
is($service->get('/tags/count', 'X-Consumer-Username' => 'Portal', 'x-admin-authorization' => 'x')->{status}, 401,
	'a bad token of a user is refused');
is($service->get('/tags/count', 'X-Consumer-Username' => $_)->{status}, 401, 'refused: ' . substr $_, 0, 20) for 'Web',
	'nobody', '', "\xFF", 'x' x 500, "' OR 1=1 --";

# malformed credentials are refused without the database, which is unavailable here
$service->sql("ALTER DATABASE $service->{database} ALLOW_CONNECTIONS false", 'postgres');
$service->end_connections('true');
is(ask_until(503, '/tags/count', apikey => $good_key), 503, 'the database is unavailable');
is($service->get('/tags/count', %$_)->{status}, 401, 'refused without the database: ' . join ' ',
	map { substr $_, 0, 40 } %$_)
	for {}, { apikey => 'x' }, { apikey => "catalogue_${fresh}_x" }, { Authorization => 'Bearer ..' },
		{ Authorization => 'Basic eDp5' },
	{ Authorization => 'Bearer '
		. Catalogue::Token::sign($hmac, '{"alg":"HS256"}', qq({"iss":"$next","exp":@{[$now - 61]}})) },
	{ Authorization => 'Bearer '
		. Catalogue::Token::sign('x', '{"alg":"HS256"}', qq({"id":"x","iat":$now,"exp":@{[$now + 60]}})) };
is($service->get('/tags/count', apikey => $good_key)->{status}, 503, 'a key that may be valid gets 503, not 401');
$service->sql("ALTER DATABASE $service->{database} ALLOW_CONNECTIONS true", 'postgres');
is(ask_until(200, '/tags/count', apikey => $good_key), 200, 'the key is accepted when the database is back');

$service->finish;
