package Bench::Credentials;

# The job that looks at what credentials cost.  See Reads.pm for what a job is.

use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../http/lib";

use Bench::Reads    ();
use Catalogue::Token ();

sub jobs
{
	return ({ name => 'credentials', title => 'GET item, by credential', prepare => \&credentials });
}

# The headers of each kind of credential, all of them good.
sub headers_of
{
	my ($service) = @_;
	my $call   = sub { (split /\|/, $service->sql("SELECT * FROM catalogue.$_[0]"))[-1] };
	my $claims = sub { sprintf '{"iss":"%s","exp":%d}', $_[0], time + 86_400 };
	my ($file, $public) = Catalogue::Token::key_pair('-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:2048');

	$service->sql(q(SELECT catalogue.add_consumer('Bench')));
	my $secret = $call->(q(add_token_key('Bench', 'HS256', key => 'bench-hs')));
	$call->("add_token_key('Bench', 'RS256', '$public', 'bench-rs')");
	return (
		nobody => {},
		user   => { $service->as_admin },
		apikey => { apikey => $call->(q(add_api_key('Bench'))) },
		hs256  => { Authorization => 'Bearer ' . Catalogue::Token::sign($secret, '{"alg":"HS256","typ":"JWT"}', $claims->('bench-hs')) },
		rs256  => { Authorization => 'Bearer ' . Catalogue::Token::sign_by_file($file, '{"alg":"RS256","typ":"JWT"}', $claims->('bench-rs')) },
	);
}

sub credentials
{
	my ($service) = @_;
	my $targets = Bench::Reads::item_targets($service);
	my %headers = headers_of($service);
	my %titles  = (nobody => 'no credential', user => 'token of a user', apikey => 'API key', hs256 => 'token of a consumer, HS256', rs256 => 'so, RS256');
	my %least   = (user => 0.90, apikey => 0.90, hs256 => 0.90, rs256 => 0.85);

	for my $name (sort keys %headers)
	{
		$service->client(%{ $headers{$name} })->get($targets->[0], [200]);
	}
	return {
		contenders => [map { [$_, $titles{$_}, $service->load(headers => $headers{$_}, targets => $targets)] } qw(nobody user apikey hs256 rs256)],
		verdicts   => [map { Bench::Reads::ratio("$titles{$_}, of no credential", $_, 'nobody', $least{$_}) } qw(user apikey hs256 rs256)],
	};
}

1;
