#!/usr/bin/perl
# X-Forwarded-For, -Proto and -Host are accepted from the addresses in trusted_proxies and from no other
# address; malformed values are ignored.

use strict;
use warnings;

use Test::More;
use Catalogue::Clock qw(poll);
use Catalogue::Test;

# The addresses in the statistics of a path, in the order of the requests.
sub addresses
{
	my ($service, $path, $wanted) = @_;
	my @rows;
	poll(20, sub {
		@rows = $service->sql("SELECT querystring || ' ' || ip FROM catalogue.statistics WHERE endpoint = '$path'");
		@rows >= $wanted;
	});
	return map { (split / /)[1] } sort { ($a =~ /(\d+)/)[0] <=> ($b =~ /(\d+)/)[0] } @rows;
}

# X-Forwarded-For => the address of the client
my @clients = (
	[ '203.0.113.7',                  '203.0.113.7' ],
	[ '203.0.113.7, 10.0.0.1',        '203.0.113.7' ],
	[ ' 203.0.113.7 ,10.0.0.1',       '203.0.113.7' ],
	[ '203.0.113.7:54321',            '203.0.113.7' ],
	[ '2001:DB8:0:0::7',              '2001:db8::7' ],
	[ '[2001:db8::7]',                '2001:db8::7' ],
	[ '[2001:db8::7]:443, 10.0.0.1',  '2001:db8::7' ],
	[ '::ffff:203.0.113.7',           '203.0.113.7' ],
	map { [ $_, '127.0.0.1' ] } '', 'unknown', '_hidden', '203.0.113', '203.0.113.256', '0x7f.1', '203.0.113.7:',
		'203.0.113.7:8x', '203.0.113.7%00', '[2001:db8::7', '[203.0.113.7', '2001:db8::7::1', 'fe80::1%eth0',
		', 203.0.113.7', '1' x 200, "203.0.113.7' OR '1'='1", "203.0.113.7\tx",
);
# the last value is read up to the blank
$clients[-1][1] = '203.0.113.7';

# X-Forwarded-Proto, X-Forwarded-Host => beginning of the links; undef: as without the headers
my @bases = (
	[ 'https',       'data.example.org',            'https://data.example.org' ],
	[ 'HTTPS',       'data.example.org:8443',       'https://data.example.org:8443' ],
	[ 'http',        '[2001:db8::7]:80',            'http://[2001:db8::7]:80' ],
	[ 'https, http', 'data.example.org, inner:80',  'https://data.example.org' ],
	[ undef,         'data.example.org',            'http://data.example.org' ],
	[ 'javascript',  'data.example.org',            'http://data.example.org' ],
	[ 'httpsx',      'data.example.org',            'http://data.example.org' ],
	map { [ 'http', $_, undef ] } undef, '', 'data.example.org:', 'data.example.org:x', 'a"b', 'a<b>', 'a/b', 'a@b',
		'a\\b', 'a?b', '[2001:db8::7', '[::1]x', ':80', 'a' x 300, "\xc3\xa4",
);

sub forwarded
{
	my ($proto, $host) = @_;
	return ('X-Forwarded-Proto' => $proto, 'X-Forwarded-Host' => $host);
}

sub self_link
{
	my ($service, @headers) = @_;
	my $reply = $service->get('/health', @headers);
	return $reply->{json}{links}{self} // "$reply->{status} $reply->{body}";
}

# a trusted proxy, by its network or its address
for my $trusted ('10.0.0.0/8, 127.0.0.0/8', '127.0.0.1', '::ffff:127.0.0.0/104 192.0.2.1', '0.0.0.0/0')
{
	my $service = Catalogue::Test->start(CATALOGUE_TRUSTED_PROXIES => $trusted, CATALOGUE_LOG_LEVEL => 'verbose');
	my $own     = self_link($service) =~ s{/health$}{}r;
	if ($trusted eq '127.0.0.1')
	{
		my $number = 0;
		$service->sql("ALTER DATABASE $service->{database} SET catalogue.visitor_addresses = 'whole'");
		$service->end_connections;
		$service->get('/roles?n=' . $number++, 'X-Forwarded-For' => $_->[0]) for @clients;
		my @found = addresses($service, '/roles', scalar @clients);
		is($found[$_], $clients[$_][1], "X-Forwarded-For: $clients[$_][0]") for 0 .. $#clients;
		ok((grep { ($_->{ip} // '') eq '2001:db8::7' } $service->log), 'the log has the address of the client');
		for my $base (@bases)
		{
			my ($proto, $host, $link) = @$base;
			is(self_link($service, forwarded($proto, $host)), ($link // $own) . '/health',
				'X-Forwarded-Proto: ' . ($proto // 'none') . ', X-Forwarded-Host: ' . ($host // 'none'));
		}
		is(self_link($service, 'X-Forwarded-Proto' => 'https'), $own =~ s/^http:/https:/r . '/health',
			'X-Forwarded-Proto alone is combined with Host');
	}
	is(self_link($service, forwarded('https', 'data.example.org')), 'https://data.example.org/health',
		"trusted: $trusted");
	$service->end_service;
}

# the headers are ignored without the setting, and from addresses that it does not contain
for my $trusted (undef, '10.0.0.0/8', '128.0.0.0/1', '127.0.0.2', '127.0.0.2/31', '::1', '::/1, 2001:db8::/32')
{
	my $service = Catalogue::Test->start(defined $trusted ? (CATALOGUE_TRUSTED_PROXIES => $trusted) : ());
	my $name    = $trusted // 'none';
	my $own     = self_link($service);
	is(self_link($service, forwarded('https', 'data.example.org')), $own, "trusted: $name: the links do not change");
	unless (defined $trusted)
	{
		$service->get('/roles?n=0', 'X-Forwarded-For' => '203.0.113.7');
		is_deeply([ addresses($service, '/roles', 1) ], ['127.0.0.0'], 'the address does not change');
	}
	$service->end_service;
}

# base_url takes precedence over the headers of a proxy
my $service = Catalogue::Test->start(CATALOGUE_TRUSTED_PROXIES => '127.0.0.1',
	CATALOGUE_BASE_URL => 'https://fixed.example.org/api/');
is(self_link($service, forwarded('http', 'data.example.org')), 'https://fixed.example.org/api/health',
	'base_url takes precedence');

$service->finish;
