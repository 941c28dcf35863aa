package Catalogue::Token;

# Tokens made by hand, good ones and bad ones.

use strict;
use warnings;

use Digest::SHA  ();
use MIME::Base64 ();

sub base64url { my ($bytes) = @_; return MIME::Base64::encode_base64url($bytes) }

# Sign two JSON texts (header, claims) as HS256 does, or as the digest given.
sub sign
{
	my ($secret, $header, $claims, $digest) = @_;
	my $signed = base64url($header) . '.' . base64url($claims);
	$digest //= \&Digest::SHA::hmac_sha256;
	return $signed . '.' . base64url($digest->($signed, $secret));
}

1;
