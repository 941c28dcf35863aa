package Bench::Credentials;

# Jobs that measure the cost of credentials and of visibility.  See Reads.pm for what a job is.

use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../http/lib";

use Bench::Reads    ();
use Catalogue::Token ();

sub jobs
{
	return (
		{ name => 'credentials', title => 'GET item, by credential',             prepare => \&credentials },
		{ name => 'visibility',  title => 'List of records that outsiders see',     prepare => \&visibility },
	);
}

# The headers of each kind of credential, all of them valid.
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
		hs256  => { Authorization => 'Bearer '
			. Catalogue::Token::sign($secret, '{"alg":"HS256","typ":"JWT"}', $claims->('bench-hs')) },
		rs256  => { Authorization => 'Bearer '
			. Catalogue::Token::sign_by_file($file, '{"alg":"RS256","typ":"JWT"}', $claims->('bench-rs')) },
	);
}

sub credentials
{
	my ($service) = @_;
	# fields that every caller is shown alike
	my $targets = [map { "/datasets/$_?fields=name" } $service->published_ids(20_000)];
	my %headers = headers_of($service);
	my %titles  = (nobody => 'no credential', user => 'token of a user', apikey => 'API key',
		hs256 => 'token of a consumer, HS256', rs256 => 'token of a consumer, RS256');
	my %least   = (user => 0.90, apikey => 0.90, hs256 => 0.90, rs256 => 0.85);

	for my $name (sort keys %headers)
	{
		$service->client(%{ $headers{$name} })->get($targets->[0], [200]);
	}
	return {
		contenders => [map { [$_, $titles{$_}, $service->load(headers => $headers{$_}, targets => $targets)] } qw(nobody user
			apikey hs256 rs256)],
		verdicts   => [
			map { Bench::Reads::ratio("$titles{$_}, of no credential", $_, 'nobody', $least{$_}) } qw(user apikey hs256 rs256)],
	};
}

# A list read by a user, who sees all records, and by nobody, who sees published ones; the same page,
# and page after page.
sub visibility
{
	my ($service) = @_;
	my %headers = (user => { $service->as_admin }, nobody => {});
	my %titles  = (user => 'by a user', nobody => 'by nobody');
	my $walk    = Bench::Reads::walk($service, '/datasets?limit=20');

	return {
		contenders => [
			(map { [$_, "$titles{$_}, page 1",
				$service->load(headers => $headers{$_}, targets => ['/datasets?limit=20'])] } qw(user nobody)),
			(map { ["$_ walk", "$titles{$_}, page after page",
				$service->load(headers => $headers{$_}, targets => $walk)] } qw(user nobody)),
		],
		verdicts => [
			Bench::Reads::ratio('page 1 by nobody, of that by a user', 'nobody', 'user', 0.90),
			Bench::Reads::ratio('page after page, of that by a user', 'nobody walk', 'user walk', 0.90),
		],
	};
}

1;
