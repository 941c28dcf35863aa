#!/usr/bin/perl
# The gateway of docs/how-to/run-behind-a-gateway.md in front of the shim: every request that the shim
# receives was accepted by the gateway, and has the client's address and the consumer's name from the
# gateway, whatever headers the client sends.

use strict;
use warnings;

use Test::More;
use Time::HiRes qw(time);
use Catalogue::Client qw($json);
use Catalogue::Clock qw(poll);
use Catalogue::Gateway;
use Catalogue::Shapes qw(shapes);
use Catalogue::Test;

my $service =
	Catalogue::Test->start(CATALOGUE_TRUSTED_PROXIES => '127.0.0.1', CATALOGUE_LOG_LEVEL => 'silly')->as_admin;
my $token   = $service->{token};
my $gateway = Catalogue::Gateway->start($service, 1_000_000);
# a consumer that the gateway names must be registered
$service->sql(q(SELECT catalogue.add_consumer('portal')));

# The headers of the request for a target as the shim received them, from its log.
sub received
{
	my ($target) = @_;
	my @events;
	poll(20, sub { @events = grep { $_->{event} eq 'request' && $_->{target} eq $target } $service->log }) or return {};
	my $headers = $json->decode($events[-1]{message})->{headers};
	return { map { lc $_ => $headers->{$_} } keys %$headers };
}

# a valid token names the consumer and is not forwarded; the user's token is forwarded
my %good = (sub => 'portal', exp => time + 600);
$good{exp} = int $good{exp};
my $bearer = 'Bearer ' . $gateway->token(\%good);
my %forged = ('X-Consumer-Username' => 'superuser', 'X-Consumer-Custom-Id' => '1', 'X-Forwarded-For' => '203.0.113.9',
	'X-Forwarded-Proto' => 'gopher', 'X-Forwarded-Host' => 'evil.example', 'X-Forwarded-Port' => '1',
		Forwarded => 'for=203.0.113.9',
	'X-Request-Id' => 'forged');
my $reply = $gateway->get('/users/me?t=1', Authorization => $bearer, 'X-Admin-Authorization' => $token, %forged);
is($reply->{status}, 200, 'the gateway accepts the consumer, and the shim the user') or diag $reply->{body};
is($reply->{json}{data}{username}, 'admin', 'the user is the one of the token');
my $headers = received('/users/me?t=1');
is($headers->{'x-consumer-username'}, 'portal', 'the name of the consumer is that of the token');
ok(!exists $headers->{authorization}, 'the consumer\'s token is not forwarded');
is($headers->{'x-forwarded-for'}, '127.0.0.1', 'X-Forwarded-For has the real address');
is($headers->{'x-forwarded-proto'}, 'https', 'X-Forwarded-Proto has the scheme');
is($headers->{'x-forwarded-host'}, 'data.example.org', 'X-Forwarded-Host has the host');
ok(!exists $headers->{$_}, "$_ is removed") for qw(x-consumer-custom-id x-forwarded-port forwarded);
like($reply->{headers}{'x-request-id'}, qr/^[0-9a-f]{8}-/, 'the request id is the gateway\'s');
like($reply->{json}{links}{self} // $reply->{json}{links}{all}, qr{^https://data\.example\.org/},
	'links have the gateway\'s address');
is($reply->{headers}{'strict-transport-security'}, 'max-age=31536000', 'browsers are told to stay with TLS');

# the shim knows the consumer by the name that the gateway sends
is($gateway->get('/health?t=3', Authorization => $bearer)->{status}, 200, 'a consumer without a user');
is($gateway->get('/tags', Authorization => 'Bearer ' . $gateway->token({ %good, sub => 'stranger' }))->{status}, 401,
	'a consumer that is not registered is refused');
my $client = '';
poll(20,
	sub { $client = $service->sql("SELECT client || ' ' || ip FROM catalogue.statistics WHERE querystring = 't=3'") });
is($client, 'portal 127.0.0.0', 'the statistics have its name');

# headers of a client cannot name a consumer
like($gateway->get('/tags?t=2', %forged)->{status}, qr/^20[06]$/, 'a request without a token is served');
$headers = received('/tags?t=2');
ok(!exists $headers->{$_}, "a forged $_ is removed")
	for qw(x-consumer-username x-consumer-custom-id x-forwarded-port forwarded);
is($headers->{'x-forwarded-for'}, '127.0.0.1', 'a forged X-Forwarded-For is replaced');

# invalid tokens
my %bad = (
	'not a token'           => 'x',
	'empty'                 => '',
	'dots'                  => '..',
	'no signature'          => ($bearer =~ s/^Bearer |[^.]*$//gr),
	'of another issuer'     => $gateway->token(\%good, key => 'other'),
	'without algorithm'     => $gateway->token(\%good, header => { alg => 'none' }),
	'of another algorithm'  => $gateway->token(\%good, header => { alg => 'RS512' }),
	'with the public key as secret' => $gateway->token(\%good, header => { alg => 'HS256' }, hmac => 1),
	'signed with it as RS256'        => $gateway->token(\%good, hmac => 1),
	'expired'               => $gateway->token({ %good, exp => $good{exp} - 1200 }),
	'without expiry'           => $gateway->token({ sub => 'portal' }),
	'with an expiry in words'  => $gateway->token({ sub => 'portal', exp => 'never' }),
	'without a name'        => $gateway->token({ exp => $good{exp} }),
	'with a name of two lines' => $gateway->token({ %good, sub => "a\r\nX-Consumer-Username: b" }),
	'with a changed claim'  => do {
		my @parts = split /\./, $bearer =~ s/^Bearer //r;
		$parts[1] = substr($parts[1], 0, -2) . 'AA';
		join '.', @parts
	},
);
for my $kind (sort keys %bad)
{
	my $answer = $gateway->get('/tags', Authorization => "Bearer $bad{$kind}");
	is($answer->{status}, 401, "a token $kind is refused");
	is($answer->{headers}{'www-authenticate'}, 'Bearer', "a token $kind: 401 has WWW-Authenticate")
		if $answer->{status} == 401;
}
is($gateway->get('/tags', Authorization => 'Basic YTpi')->{status}, 401, 'another kind of credential is refused');

# TLS: with the certificate, and no less than version 1.2
my $curl = "curl -s --cacert $service->{directory}/tls.crt https://127.0.0.1:$gateway->{tls}";
like(qx($curl/health), qr{"self":"https://data\.example\.org/health"}, 'TLS');
like(qx($curl/health -w ' %{http_version}'), qr/ 2$/, 'HTTP/2');
is(qx($curl/health --tls-max 1.1 -o /dev/null -w '%{http_code}' 2> /dev/null), '000', 'TLS 1.1 is refused');

# ambiguous requests: the gateway refuses them, or forwards an unambiguous request
my @shapes = shapes($token =~ s/.*/$gateway->token(\%good)/er);
s/^(Authorization: [^\r\n]+\r\n)/$1X-Admin-Authorization: $token\r\n/gm for map { $_->{bytes} } @shapes;
my ($refused, $passed) = (0, 0);
for my $shape (@shapes)
{
	my $result = $gateway->raw($shape->{bytes}, quiet => 0.15, timeout => 20);
	my $status = $result->{replies}[0]{status} // 'nothing';
	like($status, qr/^(?:nothing|200|201|206|4\d\d|50[135])$/, "$shape->{name}: it has an answer, or the connection ends");
	cmp_ok(scalar @{ $result->{replies} }, '<=', 2, "$shape->{name}: no more answers than requests");
	$status =~ /^2/ ? $passed++ : $refused++;
}
note("$refused of " . @shapes . " refused, $passed served");
cmp_ok($refused, '>', 60, 'most shapes are refused');
$service->stop_shim;
my %named;
$named{ $_->{request} }++
	for grep { $_->{event} eq 'response' && ($_->{target} // '') =~ /[?&](n|second)=/ } $service->log;
is(scalar(grep { !/^[0-9a-f]{8}-[0-9a-f]{4}-/ } keys %named), 0,
	'every request that the shim received is one of the gateway')
	or diag explain \%named;
is(scalar(grep { $_ > 1 } values %named), 0, 'each was received once');
for my $shape (@shapes)
{
	my $seen = $service->sql("SELECT count(*) FILTER (WHERE querystring = 'n=$shape->{n}'), count(*) FILTER (WHERE "
		. "querystring = 'second=$shape->{n}') FROM catalogue.statistics");
	like($seen, qr/^[01]\|[01]$/, "$shape->{name}: received at most once");
}
$gateway->stop;

# the limit of requests
$service->start_shim;
$gateway = Catalogue::Gateway->start($service, 5);
my @statuses = map { $gateway->get('/statuses/count')->{status} } 1 .. 12;
is_deeply([ @statuses[ 0 .. 3 ] ], [ (200) x 4 ], 'requests below the limit are served');
is($statuses[-1], 429, 'requests over the limit are refused');
is($gateway->get('/statuses/count')->{headers}{'retry-after'}, 10, 'with Retry-After');
$gateway->stop;

$service->finish;
