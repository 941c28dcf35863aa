#!/usr/bin/perl
# Requests of the worker to other servers: they reach public and allowed addresses and nothing else, however the address
# is written and wherever a redirect leads; an answer that is slow, large or endless ends with a reason, and one that is
# compressed is decoded, within the same limits.

use strict;
use warnings;

use Catalogue::Clock qw(wait_until);
use Catalogue::Program qw(needed slurp);
use Catalogue::Remote;
use File::Temp ();
use IO::Compress::Deflate ();
use IO::Compress::Gzip ();
use IO::Socket::INET;
use POSIX ();
use Test::More;
use Time::HiRes qw(sleep time);

my %settings = (CATALOGUE_FETCH_ALLOWED_ADDRESSES => '127.0.0.2/32', CATALOGUE_FETCH_TIMEOUT => '60s',
	CATALOGUE_FETCH_LIMIT => 100_000);

my $place    = File::Temp->newdir;

# Send a request as the worker does: {status (of the process), out, told}.
sub fetch
{
	my ($url, @more) = @_;
	my ($out, $told) = (File::Temp->new, File::Temp->new);
	my $pid = fork // die "fork: $!";

	if ($pid == 0)
	{
		delete @ENV{ grep { /^CATALOGUE_FETCH_/ } keys %ENV };
		%ENV = (%ENV, %settings, http_proxy => 'http://127.0.0.1:1', HTTP_PROXY => 'http://127.0.0.1:1',
			ALL_PROXY => 'http://127.0.0.1:1');
		open STDOUT, '>', $out->filename;
		open STDERR, '>', $told->filename;
		exec needed('CATALOGUE_SHIM'), '--worker', '--fetch', $url, @more or POSIX::_exit(127);
	}
	waitpid $pid, 0;
	return { status => $? >> 8, out => slurp($out->filename), told => slurp($told->filename) };
}

sub write_file
{
	my ($file, $text) = @_;
	open my $out, '>', $file or die "$file: $!";
	print $out $text;
	close $out;
	return;
}

# A server that answers with the files of $place as they are; its address and its process.
sub tls_server
{
	my ($certificate) = @_;
	my $free = IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.2');
	my $port = $free->sockport;
	close $free;
	my $pid = fork // die "fork: $!";

	if ($pid == 0)
	{
		chdir $place or POSIX::_exit(127);
		open STDOUT, '>', '/dev/null';
		open STDERR, '>', '/dev/null';
		exec 'openssl', 's_server', '-accept', "127.0.0.2:$port", '-cert', $certificate, '-key', "$certificate.key", '-HTTP',
			'-quiet' or POSIX::_exit(127);
	}
	wait_until('openssl listens', sub { IO::Socket::INET->new(PeerAddr => "127.0.0.2:$port") });
	return ("https://127.0.0.2:$port", $pid);
}

# What IO::Compress makes of bytes.
sub packed
{
	my ($pack, $bytes) = @_;
	my $packed;

	$pack->(\$bytes => \$packed) or die 'not compressed';
	return $packed;
}
sub gzip { return packed(\&IO::Compress::Gzip::gzip, @_) }

# What a server answers whose field Content-Encoding says so.
sub coded
{
	my ($coding, $bytes) = @_;
	return sub { Catalogue::Remote::reply($_[0], 200, { 'Content-Encoding' => $coding }, $bytes) };
}

# Servers that write on without end stop when their client is gone.
sub endless { my ($socket, $bytes, $pause) = @_; while (print $socket $bytes) { sleep $pause if $pause } return }

my $canary =
	Catalogue::Remote->start(address => '127.0.0.1', answer => sub { Catalogue::Remote::reply($_[0], 200, {}, 'secret') });
# made once: gzip writes the time into its header
my $gzip_file = gzip('[1, 2]');
my %answers;
my $to = sub {
	my ($status, $target) = @_;
	return sub { Catalogue::Remote::reply($_[0], $status, { Location => $target }, 'x' x 10) }
};
%answers = (
	'/rows'     => sub { Catalogue::Remote::reply($_[0], 200, { 'Content-Type' => 'application/json', ETag => '"v1"',
		'Last-Modified' => 'Mon, 01 Jan 2024 00:00:00 GMT' }, '[1]') },
	'/echo'     => sub {
		my ($socket, $request) = @_;
		Catalogue::Remote::reply($socket, 200, {}, join "\n", $request->{method}, $request->{body},
			map { "$_: $request->{headers}{$_}" } sort keys %{ $request->{headers} })
	},
	'/fault'    => sub { Catalogue::Remote::reply($_[0], 500, {}, 'a fault') },
	'/canary'   => $to->(302, $canary->url('/redirect')),
	'/decimal'  => $to->(301, 'http://2130706433:' . $canary->{port} . '/redirect'),
	'/file'     => $to->(302, 'file:///etc/passwd'),
	'/gopher'   => $to->(302, 'gopher://127.0.0.1:5432/'),
	'/nowhere'  => sub { Catalogue::Remote::reply($_[0], 302, {}, '') },
	'/itself'   => sub { $to->(302, 'http://turns.example:' . $_[1]{headers}{host} =~ s/.*://r . '/rows')->(@_) },
	'/loop'     => $to->(307, '/loop'),
	'/three'    => $to->(301, '/two'),
	'/two'      => $to->(302, '/one'),
	'/one'      => $to->(303, '/rows'),
	'/four'     => $to->(308, '/three'),
	'/slow'     => sub { print { $_[0] } "HTTP/1.1 200 OK\r\n\r\n"; endless($_[0], 'x', 1) },
	'/silent'   => sub { my $gone = readline $_[0] },
	'/headers'  => sub { print { $_[0] } "HTTP/1.1 200 OK\r\n"; endless($_[0], 'X-Filler: ' . 'x' x 1000 . "\r\n") },
	'/interim'  => sub { endless($_[0], "HTTP/1.1 100 Continue\r\nX-Filler: " . 'x' x 1000 . "\r\n\r\n") },
	'/huge'     => sub { print { $_[0] } "HTTP/1.1 200 OK\r\n\r\n"; endless($_[0], 'x' x 65536) },
	'/told'     => sub {
		print { $_[0] } "HTTP/1.1 200 OK\r\nContent-Length: 10737418240\r\n\r\n";
		endless($_[0], 'x' x 65536)
	},
	'/chunked'  => sub {
		print { $_[0] } "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
		endless($_[0], "1000\r\n" . 'x' x 4096 . "\r\n")
	},
	'/short'    => sub { print { $_[0] } "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc" },
	'/garbage'  => sub { print { $_[0] } "\x00\x01\x02 hello\r\n\r\n" },
	'/hangup'   => sub { },
	'/gzip'     => coded('gzip', gzip('[1, 2]')),
	'/x-gzip'   => coded('X-GZIP', gzip('[1, 2]')),
	'/deflate'  => coded('deflate', packed(\&IO::Compress::Deflate::deflate, '[1, 2]')),
	'/bare'     => coded('deflate', substr packed(\&IO::Compress::Deflate::deflate, '[1, 2]'), 2, -4),
	'/br'       => coded('br', pack 'H*', '8b02805b312c20325d03'),
	'/zstd'     => coded('zstd', pack 'H*', '28b52ffd00583100005b312c20325d'),
	'/identity' => coded('identity', '[1, 2]'),
	'/twice'    => coded('gzip, gzip', gzip(gzip('[1, 2]'))),
	'/packed'   => sub { Catalogue::Remote::reply($_[0], 200, { 'Content-Type' => 'application/gzip' }, $gzip_file) },
	'/bomb'     => coded('gzip', gzip('x' x 10_000_000)),
	'/nested'   => coded('gzip, gzip', gzip(gzip('x' x 10_000_000))),
	'/stack'    => coded(join(',', ('gzip') x 20), gzip('x')),
	'/damaged'  => coded('gzip', "\x1f\x8b\x08\x00" . "\xff" x 200),
	'/members'  => coded('gzip', gzip('[1, 2]') . gzip('[3]')),
	'/compress' => coded('compress', 'x'),
	'/after'    => coded('gzip, sdch', gzip('x')),
	'/hostile'  => coded('"<b>', 'x'),
	'/cookie'   =>
		sub { Catalogue::Remote::reply($_[0], 302, { Location => '/echo', 'Set-Cookie' => 'a=b; path=/' }, '') },
);
my $remote = Catalogue::Remote->start(address => '127.0.0.2', answer => sub {
	my ($socket, $request) = @_;
	($answers{ $request->{path} // '' }
		// sub { Catalogue::Remote::reply($_[0], 404, {}, 'nothing here') })->($socket, $request);
});
my $other = Catalogue::Remote->start(address => '127.0.0.2', answer => $answers{'/echo'});

# an allowed server answers
my $reply = fetch($remote->url('/rows'));
is($reply->{status}, 0, 'an allowed address is fetched');
is($reply->{out}, '[1]', 'with its body');
is($reply->{told}, qq(status: 200\nbytes: 3\ncontent-type: application/json\netag: "v1"\n)
	. qq(last-modified: Mon, 01 Jan 2024 00:00:00 GMT\n), 'status and header fields');
$reply = fetch($remote->url('/fault'));
is("$reply->{status} $reply->{out}", '0 a fault', 'an answer of another status is one');
like($reply->{told}, qr/^status: 500$/m, 'and its status is told');

# what is sent
$reply = fetch($remote->url('/echo'), '--header', 'X-Event: e1', '--body', '{"a": 1}');
is((split /\n/, $reply->{out})[0], 'POST', 'a body is posted');
like($reply->{out}, qr/^\{"a": 1\}$/m, 'as it is');
like($reply->{out}, qr/^x-event: e1$/m, 'with the header fields');
unlike($reply->{out}, qr/^(cookie|authorization|via|proxy-\S+):/m, 'and none of those that were not asked for');
like($reply->{out}, qr/^accept-encoding: .*gzip/m, 'a compressed answer is taken');
for my $line ('Host: a', 'Content-Length: 0', 'transfer-encoding: chunked', 'no name', 'a b: c', ": c", "X: a\r\nY: b",
	"X: a\nY: b", "X: \x7f", 'Connection: close', 'Accept-Encoding: gzip', 'Proxy-Authorization: x')
{
	$reply = fetch($remote->url('/echo'), '--header', $line);
	is("$reply->{status} $reply->{told}", "1 catalogue-worker: a header field is not permitted\n",
		'not permitted: ' . $line =~ s/[^ -~]/?/gr);
}

# no spelling of an address that is not allowed gets a connection
my $port = $canary->{port};
my @hosts = (
	qw(127.0.0.1 localhost LOCALHOST localhost. 127.1 127.0.1 0x7f.1 0x7f000001 017700000001 2130706433 0177.0.0.1
		127.0.0.1. 127.1.2.3),
	qw(0 0.0.0.0 0x0), '[::1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::127.0.0.1]',
		'[0:0:0:0:0:ffff:127.0.0.1]',
	'[64:ff9b::7f00:1]', '[64:ff9b:1::127.0.0.1]', '[2002:7f00:1::]', '[2001:0:7f00:1::]', '[fe80::1]', '[fe80::1%25lo]',
		'[fd00::1]', '[fc00::1]', '[ff02::1]', '[2001:db8::1]',
	qw(10.0.0.1 172.16.0.1 172.31.255.255 192.168.0.1 169.254.169.254 100.64.0.1 224.0.0.1 255.255.255.255 192.0.2.1
		198.18.0.1 240.0.0.1),
	"\xef\xbc\x91\xef\xbc\x92\xef\xbc\x97.0.0.1",
);
for my $host (@hosts)
{
	my $start = time;

	$reply = fetch("http://$host:$port/");
	is($reply->{status}, 1, "no connection to $host");
	is($reply->{out}, '', 'and nothing of an answer');
	cmp_ok(time - $start, '<', 30, 'it was not tried') if $host =~ /^\d+\.\d/;
}
for my $url ("http://user\@127.0.0.2:$remote->{port}/rows", "http://127.0.0.2:$remote->{port}\@127.0.0.1:$port/",
	"http://127.0.0.2:80:$port/", "http://127.0.0.2\\\@127.0.0.1:$port/", 'file:///etc/passwd',
	"gopher://127.0.0.2:$remote->{port}/", "ftp://127.0.0.2:$remote->{port}/", "dict://127.0.0.2:$remote->{port}/",
	'http://', 'http:///etc/passwd', 'nonsense', '')
{
	$reply = fetch($url);
	is("$reply->{status} [$reply->{out}]", '1 []', "not fetched: $url");
}
is(fetch("http://127.0.0.1:$port/")->{told}, "catalogue-worker: the address of its server is not permitted\n",
	'the reason is told');
is(fetch("http://[::ffff:127.0.0.1]:$port/")->{told}, "catalogue-worker: the address of its server is not permitted\n",
	'so of a mapped address');

# redirects
$reply = fetch($remote->url('/three'));
is("$reply->{status} $reply->{out}", '0 [1]', 'three redirects are followed');
is(fetch($remote->url('/four'))->{told}, "catalogue-worker: its server redirects too often\n", 'four are not');
is(fetch($remote->url('/loop'))->{told}, "catalogue-worker: its server redirects too often\n", 'a loop ends');
is(fetch($remote->url('/nowhere'))->{told}, "catalogue-worker: its server redirects nowhere\n",
	'a redirect without a target');
for my $path ('/canary', '/decimal')
{
	is(fetch($remote->url($path))->{told}, "catalogue-worker: the address of its server is not permitted\n",
		"a redirect to an address that is not permitted: $path");
}
for my $path ('/file', '/gopher')
{
	is(fetch($remote->url($path))->{told}, "catalogue-worker: its address is no http: or https: URL\n",
		"a redirect to another scheme: $path");
}
$reply = fetch($remote->url('/canary'), '--body', 'x');
like($reply->{told}, qr/^status: 302$/m, 'what is posted follows no redirect');
my $away = Catalogue::Remote->start(address => '127.0.0.2', answer => $to->(302, $other->url('/')));
$reply = fetch($away->url('/'), '--header', 'Authorization: Bearer secret', '--header', 'X-Key: secret');
is($reply->{status}, 0, 'a redirect to another port is followed');
unlike($reply->{out}, qr/secret/, 'without the header fields');
my $here = fetch($remote->url('/cookie'), '--header', 'X-Key: mine');
like($here->{out}, qr/^x-key: mine$/m, 'a redirect to the same server has them');
unlike($here->{out}, qr/^cookie:/m, 'cookies are not kept');
is(scalar($canary->requests), 0, 'the canary got no connection by any of them');

# answers that do not end, or not in time
for (
	[ '/slow', qr/takes too long/ ], [ '/silent', qr/takes too long/ ],
		[ '/headers', qr/header of the answer is too long/ ], [ '/interim', qr/header of the answer is too long/ ],
	[ '/huge', qr/answer is too large/ ], [ '/told', qr/answer is too large/ ], [ '/chunked', qr/answer is too large/ ],
		[ '/short', qr/ends too early/ ],
	[ '/garbage', qr/does not answer in HTTP/ ], [ '/hangup', qr/gives no answer/ ],
	[ '/bomb', qr/answer is too large/ ], [ '/nested', qr/answer is too large/ ],
	(map { [ "/$_", qr/answer cannot be decompressed/ ] } qw(damaged members stack)),
	[ '/compress', qr/is compressed by "compress", which libcurl cannot decode here$/m ],
	[ '/after', qr/is compressed by "sdch", which/ ], [ '/hostile', qr/is compressed by "", which/ ])
{
	my ($path, $reason) = @$_;
	local $settings{CATALOGUE_FETCH_TIMEOUT} = '200ms' if $path =~ m{^/(?:slow|silent)$};
	my $start = time;

	$reply = fetch($remote->url($path));
	is($reply->{status}, 1, "$path is given up");
	like($reply->{told}, $reason, 'with its reason');
	cmp_ok(time - $start, '<', 60, 'in time');
	cmp_ok(length $reply->{out}, '<=', 100_000, 'within the limit');
}

# answers that are compressed, whatever was asked for; a file that is compressed itself stays as it is
for my $path (qw(gzip x-gzip deflate bare br zstd identity twice))
{
	$reply = fetch($remote->url("/$path"));
	is("$reply->{status} $reply->{out}", '0 [1, 2]', "decoded: $path");
	like($reply->{told}, qr/^bytes: 6$/m, 'counted as what is decoded');
}
is(fetch($remote->url('/packed'))->{out}, $gzip_file, 'a file of gzip');

my $closed = IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.2');
my $closed_port = $closed->sockport;
close $closed;
is(fetch("http://127.0.0.2:$closed_port/")->{told}, "catalogue-worker: its server does not take connections\n",
	'a closed port');

# TLS: a server is trusted whose certificate is of an authority that is known, for the address that was asked for
my $make  = 'openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2';
for my $command (
	"$make -keyout $place/ca.key -out $place/ca -subj /CN=authority",
	"$make -keyout $place/other.key -out $place/other -subj /CN=other",
	map { "$make -CA $place/ca -CAkey $place/ca.key -keyout $place/$_.key -out $place/$_ -subj /CN=$_ -addext "
		. "subjectAltName=IP:$_ -addext basicConstraints=critical,CA:FALSE" } '127.0.0.2', '127.0.0.9')
{
	system("$command 2> /dev/null") == 0 or die "openssl: $command";
}
write_file("$place/rows", "HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n[2]");
write_file("$place/down", "HTTP/1.0 302 Found\r\nLocation: " . $remote->url('/rows') . "\r\n\r\n");
my ($trusted, $tls) = tls_server('127.0.0.2');
my ($misnamed, $wrong) = tls_server('127.0.0.9');
my $untrusted = "catalogue-worker: the certificate of its server is not to be trusted\n";
is(fetch("$trusted/rows")->{told}, $untrusted, 'an authority that is not known');
{
	local $settings{CATALOGUE_FETCH_CA_FILE} = "$place/ca";
	is(fetch("$trusted/rows")->{out}, '[2]', 'an authority that is known');
	is(fetch("$misnamed/rows")->{told}, $untrusted, 'a certificate for another address');
	is(fetch("$trusted/down")->{told}, "catalogue-worker: its server redirects to an insecure address\n",
		'a redirect to what is not encrypted');
	local $settings{CATALOGUE_FETCH_CA_FILE} = "$place/other";
	is(fetch("$trusted/rows")->{told}, $untrusted, 'another authority');
	local $settings{CATALOGUE_FETCH_CA_FILE} = "$place/nothing";
	is(fetch("$trusted/rows")->{told}, "catalogue-worker: the file of the setting fetch_ca_file is no good\n",
		'a file that is not there');
}
kill 'TERM', $tls, $wrong;
waitpid $_, 0 for $tls, $wrong;
is(fetch("https://127.0.0.2:$remote->{port}/rows")->{status}, 1, 'a server without TLS');

# a name whose address changes: that which is dialled decides, at each redirect and for each address of the name
my $resolver = "$place/resolver.so";
open my $cc, '|-', "cc -shared -fPIC -x c -o $resolver -" or die "cc: $!";
print $cc <<'C';
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>

/* A name that does not exist, and one of which the words of ADDRESSES are answered in turn; the last one stays. */
int
getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **found)
{
	static char *left;
	static const char *address;
	int (*real)(const char *, const char *, const struct addrinfo *, struct addrinfo **) =
		(int (*)(const char *, const char *, const struct addrinfo *, struct addrinfo **)) dlsym(RTLD_NEXT, "getaddrinfo");

	if (node != NULL && strcmp(node, "nobody.example") == 0)
		return EAI_NONAME;
	if (node == NULL || strcmp(node, "turns.example") != 0)
		return real(node, service, hints, found);
	if (address == NULL)
		left = strdup(getenv("ADDRESSES"));
	if (left != NULL && *left != '\0')
		address = strsep(&left, ",");
	return real(address, service, hints, found);
}
C
close $cc or die "cc: $?";
for my $case (
	[ '127.0.0.2',           '/rows',   '[1]', '',
		'a name of an allowed address' ],
	[ '127.0.0.1',           '/rows',   '',    'the address of its server is not permitted', 'a name of another address' ],
	[ '127.0.0.2,127.0.0.2', '/itself', '[1]', '',
		'a name that stays what it is' ],
	[ '127.0.0.2,127.0.0.1', '/itself', '',    'the address of its server is not permitted',
		'a name that is another address after a redirect' ])
{
	my ($addresses, $path, $out, $told, $what) = @$case;
	local $settings{ADDRESSES}    = $addresses;
	local $settings{LD_PRELOAD}   = $resolver;
	local $settings{ASAN_OPTIONS} = ($ENV{ASAN_OPTIONS} // '') . ':verify_asan_link_order=0';
	$reply = fetch("http://turns.example:$remote->{port}$path");
	is($reply->{out}, $out, $what);
	$told ? is($reply->{told}, "catalogue-worker: $told\n", 'which is told') : is($reply->{status}, 0, 'which is fetched');
}

{
	local $settings{LD_PRELOAD}   = $resolver;
	local $settings{ASAN_OPTIONS} = ($ENV{ASAN_OPTIONS} // '') . ':verify_asan_link_order=0';
	is(fetch("http://nobody.example/")->{told}, "catalogue-worker: the name of its server is not known\n",
		'a name that does not exist');
}

# a wrong setting ends the program
{
	local $settings{CATALOGUE_FETCH_ALLOWED_ADDRESSES} = '127.0.0.2/33';
	like(fetch($remote->url('/rows'))->{told}, qr/malformed address or network in fetch_allowed_addresses/,
		'a wrong network is told');
}
{
	local $settings{CATALOGUE_FETCH_ALLOWED_ADDRESSES} = '';
	is(fetch($remote->url('/rows'))->{told}, "catalogue-worker: the address of its server is not permitted\n",
		'without the setting nothing local is permitted');
}
$_->stop for $canary, $remote, $other, $away;
done_testing;
