#!/usr/bin/perl
# The gateway of docs/how-to/run-behind-a-gateway.md before the shim: every request that the shim
# takes is one that the gateway has taken, with the client's address and the consumer's name by the
# gateway's word, whatever the client says of itself.

use strict;
use warnings;

use Test::More;
use Time::HiRes qw(sleep time);
use Catalogue::Gateway;
use Catalogue::Shapes qw(shapes);
use Catalogue::Test;

my $service = Catalogue::Test->start(CATALOGUE_TRUSTED_PROXIES => '127.0.0.1', CATALOGUE_LOG_LEVEL => 'silly')->as_admin;
my $token   = $service->{token};
my $gateway = Catalogue::Gateway->start($service, 1_000_000);
# a consumer that the gateway names must be registered
$service->sql(q(SELECT catalogue.add_consumer('portal')));
my $json    = $Catalogue::Test::json;

# The headers with which the shim has got the request for a target, by its log.
sub received
{
	my ($target) = @_;
	for (my $deadline = time + 20; time < $deadline; sleep 0.05)
	{
		my @events = grep { $_->{event} eq 'request' && $_->{target} eq $target } $service->log;
		next unless @events;
		my $headers = $json->decode($events[-1]{message})->{headers};
		return { map { lc $_ => $headers->{$_} } keys %$headers };
	}
	return {};
}

# a good token names the consumer, and goes no further; the user's token passes
my %good = (sub => 'portal', exp => time + 600);
$good{exp} = int $good{exp};
my $bearer = 'Bearer ' . $gateway->token(\%good);
my %forged = ('X-Consumer-Username' => 'superuser', 'X-Consumer-Custom-Id' => '1', 'X-Forwarded-For' => '203.0.113.9',
	'X-Forwarded-Proto' => 'gopher', 'X-Forwarded-Host' => 'evil.example', 'X-Forwarded-Port' => '1', Forwarded => 'for=203.0.113.9',
	'X-Request-Id' => 'forged');
my $reply = $gateway->get('/users/me?t=1', Authorization => $bearer, 'X-Admin-Authorization' => $token, %forged);
is($reply->{status}, 200, 'consumer by the gateway, user by the shim') or diag $reply->{body};
is($reply->{json}{data}{username}, 'admin', 'each as he is');
my $headers = received('/users/me?t=1');
is($headers->{'x-consumer-username'}, 'portal', 'the name of the consumer is that of the token');
ok(!exists $headers->{authorization}, 'the token ends at the gateway');
is($headers->{'x-forwarded-for'}, '127.0.0.1', 'the address is the real one');
is($headers->{'x-forwarded-proto'}, 'https', 'and the scheme');
is($headers->{'x-forwarded-host'}, 'data.example.org', 'and the host');
ok(!exists $headers->{$_}, "$_ is taken off") for qw(x-consumer-custom-id x-forwarded-port forwarded);
like($reply->{headers}{'x-request-id'}, qr/^[0-9a-f]{8}-/, 'the name of the request is the gateway\'s');
like($reply->{json}{links}{self} // $reply->{json}{links}{all}, qr{^https://data\.example\.org/}, 'links lead to the gateway');
is($reply->{headers}{'strict-transport-security'}, 'max-age=31536000', 'browsers are told to stay with TLS');

# the shim knows the consumer by that name, and no other
is($gateway->get('/health?t=3', Authorization => $bearer)->{status}, 200, 'a consumer alone');
is($gateway->get('/tags', Authorization => 'Bearer ' . $gateway->token({ %good, sub => 'stranger' }))->{status}, 401, 'a consumer that is not registered');
my $client = '';
for (my $deadline = time + 20; time < $deadline && $client eq ''; sleep 0.1)
{
	$client = $service->sql("SELECT client || ' ' || ip FROM catalogue.statistics WHERE querystring = 't=3'");
}
is($client, 'portal 127.0.0.1', 'the statistics have its name');

# nobody is somebody by saying so
like($gateway->get('/tags?t=2', %forged)->{status}, qr/^20[06]$/, 'without a token');
$headers = received('/tags?t=2');
ok(!exists $headers->{$_}, "a forged $_ is taken off") for qw(x-consumer-username x-consumer-custom-id x-forwarded-port forwarded);
is($headers->{'x-forwarded-for'}, '127.0.0.1', 'a forged X-Forwarded-For is replaced');

# tokens that are no good
my %bad = (
	'not a token'           => 'x',
	'empty'                 => '',
	'dots'                  => '..',
	'no signature'          => ($bearer =~ s/^Bearer |[^.]*$//gr),
	'of another issuer'     => $gateway->token(\%good, key => 'other'),
	'without algorithm'     => $gateway->token(\%good, header => { alg => 'none' }),
	'of another algorithm'  => $gateway->token(\%good, header => { alg => 'RS512' }),
	'with the public key as secret' => $gateway->token(\%good, header => { alg => 'HS256' }, hmac => 1),
	'so, with a lie'        => $gateway->token(\%good, hmac => 1),
	'expired'               => $gateway->token({ %good, exp => $good{exp} - 1200 }),
	'without end'           => $gateway->token({ sub => 'portal' }),
	'with an end in words'  => $gateway->token({ sub => 'portal', exp => 'never' }),
	'without a name'        => $gateway->token({ exp => $good{exp} }),
	'with a name of two lines' => $gateway->token({ %good, sub => "a\r\nX-Consumer-Username: b" }),
	'with a changed claim'  => do { my @parts = split /\./, $bearer =~ s/^Bearer //r; $parts[1] = substr($parts[1], 0, -2) . 'AA'; join '.', @parts },
);
for my $kind (sort keys %bad)
{
	my $answer = $gateway->get('/tags', Authorization => "Bearer $bad{$kind}");
	is($answer->{status}, 401, "a token $kind is refused");
	is($answer->{headers}{'www-authenticate'}, 'Bearer', "a token $kind: told how") if $answer->{status} == 401;
}
is($gateway->get('/tags', Authorization => 'Basic YTpi')->{status}, 401, 'so is another kind of credential');

# TLS: with the certificate, and no less than version 1.2
my $curl = "curl -s --cacert $service->{directory}/tls.crt https://127.0.0.1:$gateway->{tls}";
like(qx($curl/health), qr{"self":"https://data\.example\.org/health"}, 'TLS');
like(qx($curl/health -w ' %{http_version}'), qr/ 2$/, 'HTTP/2');
is(qx($curl/health --tls-max 1.1 -o /dev/null -w '%{http_code}' 2> /dev/null), '000', 'no old TLS');

# 97 shapes and more: the gateway refuses them, or makes of them what cannot be misread
my @shapes = shapes($token =~ s/.*/$gateway->token(\%good)/er);
s/^(Authorization: [^\r\n]+\r\n)/$1X-Admin-Authorization: $token\r\n/gm for map { $_->{bytes} } @shapes;
my ($refused, $passed) = (0, 0);
for my $shape (@shapes)
{
	my $result = $gateway->raw($shape->{bytes}, quiet => 0.15, timeout => 20);
	my $status = $result->{replies}[0]{status} // 'nothing';
	like($status, qr/^(?:nothing|200|201|206|4\d\d|50[135])$/, "$shape->{name}: has an answer, or the connection ends");
	cmp_ok(scalar @{ $result->{replies} }, '<=', 2, "$shape->{name}: no more answers than requests");
	$status =~ /^2/ ? $passed++ : $refused++;
}
note("$refused of " . @shapes . " refused, $passed served");
cmp_ok($refused, '>', 60, 'most are refused');
$service->stop_shim;
my %named;
$named{ $_->{request} }++ for grep { $_->{event} eq 'response' && ($_->{target} // '') =~ /[?&](n|second)=/ } $service->log;
is(scalar(grep { !/^[0-9a-f]{8}-[0-9a-f]{4}-/ } keys %named), 0, 'all that the shim has taken for requests are requests of the gateway')
	or diag explain \%named;
is(scalar(grep { $_ > 1 } values %named), 0, 'and each was taken once');
for my $shape (@shapes)
{
	my $seen = $service->sql("SELECT count(*) FILTER (WHERE querystring = 'n=$shape->{n}'), count(*) FILTER (WHERE querystring = 'second=$shape->{n}') FROM catalogue.statistics");
	like($seen, qr/^[01]\|[01]$/, "$shape->{name}: at most once");
}
$gateway->stop;

# the limit of requests
$service->start_shim;
$gateway = Catalogue::Gateway->start($service, 5);
my @statuses = map { $gateway->get('/statuses/count')->{status} } 1 .. 12;
is_deeply([ @statuses[ 0 .. 3 ] ], [ (200) x 4 ], 'a few requests pass');
is($statuses[-1], 429, 'too many do not');
is($gateway->get('/statuses/count')->{headers}{'retry-after'}, 10, 'and are told when to come again');
$gateway->stop;

$service->finish;
