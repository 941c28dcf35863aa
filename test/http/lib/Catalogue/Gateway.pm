package Catalogue::Gateway;

# HAProxy with the configuration in docs/how-to/run-behind-a-gateway.md, in front of a service under test:
# on free ports of 127.0.0.1, with a certificate and an issuer of tokens made for the test.

use strict;
use warnings;

use parent 'Catalogue::Client';

use Catalogue::Client qw($json);
use Catalogue::Clock qw(poll);
use Catalogue::Program qw(free_port slurp);
use IO::Socket::INET ();
use MIME::Base64 qw(encode_base64url);
use POSIX ':sys_wait_h';
use Test::More ();
use Time::HiRes qw(sleep time);

my $page = 'docs/how-to/run-behind-a-gateway.md';
my %running;

# Start a gateway in front of a service; it allows the given number of requests in ten seconds.
sub start
{
	my ($class, $service, $rate) = @_;
	my $self = bless {
		service   => $service,
		directory => $service->{directory},
		port      => free_port(),
		headers   => {},
	}, $class;

	$self->{tls}  = free_port();
	$self->{base} = "http://127.0.0.1:$self->{port}";
	$self->make_keys unless -e "$self->{directory}/issuer.pem";
	my $file = "$self->{directory}/haproxy-$self->{port}.cfg";
	open my $out, '>', $file or die "$file: $!";
	print $out $self->configuration($rate);
	close $out;
	$self->run($file);
	return $self;
}

# The page's configuration with paths and addresses of this run, and one more listener without TLS.
sub configuration
{
	my ($self, $rate) = @_;
	my $text   = slurp($page);
	my ($block) = $text =~ /```haproxy\n(.*?\n) *```/s or die "$page: no configuration\n";
	my @changes = (
		[ '/etc/haproxy',            $self->{directory} ],
		[ 'bind :443',               "bind 127.0.0.1:$self->{port}\n       bind 127.0.0.1:$self->{tls}" ],
		[ '127.0.0.1:3000',          "127.0.0.1:$self->{service}{port}" ],
		[ 'sc_http_req_rate(0) gt 100', "sc_http_req_rate(0) gt $rate" ],
	);
	for my $change (@changes)
	{
		$block =~ s/\Q$change->[0]\E/$change->[1]/g or die "$page: no $change->[0]\n";
	}
	return $block;
}

# Make the files that the page says to install: certificate.pem, and the public key of the issuer of tokens.
sub make_keys
{
	my ($self) = @_;
	my $place = $self->{directory};
	for my $command ("openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1"
			. " -keyout $place/tls.key -out $place/tls.crt -days 2",
		"cat $place/tls.crt $place/tls.key > $place/catalogue.pem",
		map { ("openssl genrsa -out $place/$_.key 2048",
			"openssl rsa -in $place/$_.key -pubout -out $place/$_.pem") } qw(issuer other))
	{
		system("( $command ) 2> /dev/null") == 0 or die "$command\n";
	}
	return;
}

sub run
{
	my ($self, $file) = @_;
	my $pid = fork // die "fork: $!";
	if ($pid == 0)
	{
		open STDIN,  '<',  '/dev/null';
		open STDOUT, '>>', "$self->{directory}/haproxy";
		open STDERR, '>&', \*STDOUT;
		# haproxy is in a directory for daemons, which is not in every PATH
		local $ENV{PATH} = "$ENV{PATH}:/usr/sbin";
		exec 'haproxy', '-db', '-f', $file or POSIX::_exit(127);
	}
	$self->{pid} = $pid;
	$running{$pid} = 1;
	my $state = poll(120, sub {
		return IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $self->{tls}) ? 'up'
			: waitpid($pid, WNOHANG) == $pid && 'ended';
	});
	return if ($state // '') eq 'up';
	die "the gateway does not start:\n" . slurp("$self->{directory}/haproxy");
}

sub stop
{
	my ($self) = @_;
	my $pid = delete $self->{pid} // return;
	delete $running{$pid};
	kill 'TERM', $pid;
	waitpid $pid, 0;
	return;
}

# A token signed with the issuer's key, or with the named key, with these claims and header members.
sub token
{
	my ($self, $claims, %options) = @_;
	my $header = { alg => 'RS256', typ => 'JWT', %{ $options{header} // {} } };
	my $input  = join '.', map { encode_base64url($json->encode($_)) } $header, $claims;
	my $key    = "$self->{directory}/" . ($options{key} // 'issuer');
	my $sign   = $options{hmac} ? "openssl dgst -sha256 -binary -mac HMAC -macopt hexkey:"
		. unpack('H*', slurp("$key.pem"))
		: "openssl dgst -sha256 -binary -sign $key.key";
	open my $out, '-|', "printf %s '$input' | $sign" or die "openssl: $!";
	binmode $out;
	my $signature = do { local $/; <$out> };
	close $out or die "openssl: $?";
	return "$input." . encode_base64url($signature);
}

END
{
	my $status = $?;
	kill 'KILL', keys %running;
	$? = $status;
}

1;
