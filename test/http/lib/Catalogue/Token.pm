package Catalogue::Token;

# Tokens made by the tests, valid and invalid ones.

use strict;
use warnings;

use Digest::SHA  ();
use File::Temp   ();
use MIME::Base64 ();

sub base64url { my ($bytes) = @_; return MIME::Base64::encode_base64url($bytes) }

# Sign two JSON texts (header, claims) as HS256, or with the given digest.
sub sign
{
	my ($secret, $header, $claims, $digest) = @_;
	my $signed = base64url($header) . '.' . base64url($claims);
	$digest //= \&Digest::SHA::hmac_sha256;
	return $signed . '.' . base64url($digest->($signed, $secret));
}

# A new key pair of openssl: file of the private key, and the public key in PEM.  The arguments are
# those of openssl genpkey.
sub key_pair
{
	my (@arguments) = @_;
	my $file = File::Temp->new;
	system('openssl', 'genpkey', '-quiet', '-out', "$file", @arguments) == 0 or die "openssl genpkey: $?\n";
	my $public = output_of('openssl', 'pkey', '-pubout', '-in', "$file");
	return ($file, $public);
}

# Sign two JSON texts as RS256 and ES256, with the file of a private key.
sub sign_by_file
{
	my ($file, $header, $claims, $digest) = @_;
	my $signed = base64url($header) . '.' . base64url($claims);
	my $text   = File::Temp->new;
	print {$text} $signed;
	close $text;
	my $signature = output_of('openssl', 'dgst', '-' . ($digest // 'sha256'), '-sign', "$file", "$text");
	return $signed . '.' . base64url($header =~ /"ES256"/ ? numbers_of($signature) : $signature);
}

# Convert the two numbers of a signature from DER to 32 bytes each, as tokens have them.
sub numbers_of
{
	my ($der) = @_;
	my ($r, $s) = unpack 'x2 x C/a x C/a', substr($der, 0, 2) =~ /^\x30\x81/ ? substr $der, 1 : $der;
	return join '', map { substr "\0" x 32 . $_, -32 } $r, $s;
}

sub output_of
{
	my (@command) = @_;
	open my $out, '-|', @command or die "$command[0]: $!\n";
	local $/;
	my $bytes = <$out>;
	close $out or die "@command: $?\n";
	return $bytes;
}

1;
