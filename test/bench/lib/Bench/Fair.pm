package Bench::Fair;

# The job that measures what one client sees while another takes as much as it can.  See Reads.pm
# for what a job is.

use strict;
use warnings;

use JSON::PP    ();
use Time::HiRes qw(sleep time);

use Bench::Attack ();
use Bench::Client ();
use Bench::Report ();

my $PATIENCE = 1000;             # milliseconds for an answer
my $LEAST    = 5;                # answers of each kind
my $PROXY    = '127.0.0.9';
my $ATTACKER = '127.0.0.66';
my @kinds    = qw(item list filtered write login export);

sub jobs
{
	return ({ name => 'fair', title => 'What a client sees while another takes as much as it can', prepare => \&fair });
}

# The text of a request.
sub request
{
	my ($verb, $target, $body, %headers) = @_;

	%headers = (%headers, 'Content-Type' => 'application/json', 'Content-Length' => length $body) if defined $body;
	return join "\r\n", "$verb $target HTTP/1.1", 'Host: localhost', (map { "$_: $headers{$_}" } sort keys %headers), '',
		$body // '';
}

# Create a guest; return the id and a token.
sub guest
{
	my ($service) = @_;
	my $organization = $service->client->list('/organizations?limit=1')->{json}{data}[0]{id};
	my %user = (username => 'bench-' . time, password => 'a long pass phrase', role => 'guest',
		email => 'bench@example.org', organization => $organization);
	my $made = $service->client->request('POST', '/users', JSON::PP::encode_json({ %user, active => JSON::PP::true }));
	my $login = $service->client->request('POST', '/users/login',
		JSON::PP::encode_json({ map { $_ => $user{$_} } qw(username password) }));

	die "the guest was not created: $made->{status} $login->{status}\n"
		unless $made->{status} == 201 && $login->{status} == 200;
	return @{ JSON::PP::decode_json($login->{body})->{data} }{qw(user token)};
}

# The attacks: name, title, and how Bench::Attack makes them.
sub attacks
{
	my ($service) = @_;
	my ($id, $token) = guest($service);
	my $guess = '{"password":"another pass phrase","currentPassword":"wrong"}';
	my $skip  = 0;
	my $number = 0;

	return (
		['password', '60 connections guess the current password', connections => 60, address => $ATTACKER,
			request => sub { request('PATCH', "/users/$id", $guess, Authorization => "Bearer $token") }],
		['streams', '16 connections read an export at 12 kB/s', connections => 16, address => $ATTACKER, rate => 12_000,
			request => sub { request('GET', '/datasets?limit=10000', undef, Accept => 'application/x-ndjson') }],
		['include', '40 connections read pages of 2,000 with relations', connections => 40, address => $ATTACKER,
			request => sub { request('GET', '/datasets?include=tags,categories&limit=2000&skip=' . $skip++ % 1000) }],
		['dotted', '40 connections filter over two relations', connections => 40, address => $ATTACKER,
			request => sub { request('GET', '/datasets?tags.datasets.tags.name=keyword&skip=' . ++$number) }],
		['logins', '80 connections log in, each time from another address', connections => 80, address => $PROXY,
			request => sub {
				$number++;
				request('POST', '/users/login', qq({"username":"nobody $number","password":"wrong password"}),
					'X-Forwarded-For' => join '.', 10, map { int rand 250 } 1 .. 3);
			}],
	);
}

# The requests of the other client, by kind: the arguments of Bench::Client::request().
sub wishes
{
	my ($service) = @_;
	my %login = (username => 'admin', password => $service->password);

	return (
		item     => sub { ('GET', '/datasets/' . ($service->random_ids(1))[0]) },
		list     => sub { ('GET', '/datasets?limit=20&skip=' . int rand 100) },
		filtered => sub { ('GET', '/datasets?limit=20&match=EXACT&tags.slug=keyword-' . (1 + int rand 200)) },
		write    => sub { ('POST', '/tags', sprintf '{"name":"fair %d %.6f"}', $$, time) },
		login    => sub { ('POST', '/users/login', JSON::PP::encode_json(\%login)) },
		export   => sub { ('GET', '/datasets?limit=200', undef, Accept => 'text/csv') },
	);
}

# Send one request; return milliseconds, and whether it was served.
sub ask
{
	my ($base, $headers, @wish) = @_;
	my $client = Bench::Client->new($base, %$headers);
	my $began  = time;
	my $answer = $wish[1] eq '/datasets?limit=200' ? export($client, @wish) : $client->request(@wish);

	return ((time - $began) * 1000, $answer->{status} < 300);
}

# Read a stream to its end.
sub export
{
	my ($client, @wish) = @_;
	my ($text, $bytes) = ('');

	$client->send_request(@wish, Connection => 'close');
	$text .= $bytes while sysread $client->{socket}, $bytes, 1 << 18;
	my ($status) = $text =~ m{^HTTP/1.1 (\d+)};
	return { status => $text =~ /\r\n0\r\n\r\n\z/ ? $status : 500 };
}

# Send all kinds of requests in turn, for the given seconds; return the measurement, with times by kind and
# refused answers.
sub ask_all
{
	my ($base, $headers, $wishes, $seconds) = @_;
	my ($began, $turns, %times) = (time, 0);
	my @refused;

	for (; time < $began + $seconds || $turns < $LEAST; $turns++)
	{
		for my $kind (@kinds)
		{
			my ($time, $given) = ask($base, $headers, $wishes->{$kind}->());
			push @{ $times{$kind} }, $time;
			push @refused, $kind unless $given;
		}
	}
	my @all = map { @$_ } values %times;
	my %p99 = map { $_ => scalar Bench::Report::quantile(0.99, @{ $times{$_} }) } @kinds;
	my ($worst) = sort { $b <=> $a } values %p99;

	return {
		rate => @all / (time - $began), p50 => scalar Bench::Report::quantile(0.5, @all), p99 => $worst, share => 0,
		kinds => \%p99, refused => \@refused,
	};
}

# A contender: the other client during an attack, or without one.
sub under
{
	my ($service, $base, $wishes, %attack) = @_;
	my %admin = $service->as_admin;

	return sub {
		my ($seconds) = @_;
		# this client has logged in before
		ask($base, {}, $wishes->{login}->()) for 1 .. 2;
		my $attack = %attack ? Bench::Attack->start($base, %attack) : undef;
		sleep 1 if $attack;
		my $measurement = ask_all($base, \%admin, $wishes, $seconds);
		$attack->stop if $attack;
		$service->sql('TRUNCATE catalogue.attempt');
		return $measurement;
	};
}

# The p99 of each kind under each attack, in the worst round.
sub table
{
	my (%rounds) = @_;
	my @lines = sprintf '%-10s' . '%10s' x @kinds, 'p99 ms', @kinds;

	for my $name (sort keys %rounds)
	{
		my @refused = map { @{ $_->{refused} } } @{ $rounds{$name} };
		push @lines, sprintf('%-10s' . '%10s' x @kinds, $name,
			map {
				my $kind = $_;
				Bench::Report::number((sort { $b <=> $a } map { $_->{kinds}{$kind} } @{ $rounds{$name} })[0])
			} @kinds)
			. (@refused ? '  refused: ' . join ' ', @refused : '');
	}
	return @lines;
}

sub fair
{
	my ($service) = @_;
	my $base = $service->another_shim('fair', 'catalogue', CATALOGUE_TRUSTED_PROXIES => $PROXY);
	my %wishes  = wishes($service);
	my @attacks = attacks($service);

	return {
		contenders => [['none', 'nobody else', under($service, $base, \%wishes)], map {
			my ($name, $title, %attack) = @$_;
			[$name, $title, under($service, $base, \%wishes, %attack)]
		} @attacks],
		notes      => \&table,
		verdicts   => [
			map {
				my ($name, $title) = @$_;
				({ text => "$name: answers that were refused", most => 0, value => sub { scalar @{ $_[0]{$name}{refused} } } },
				 { text => "$name: p99 of the slowest kind, ms", most => $PATIENCE, value => sub { $_[0]{$name}{p99} } })
			} @attacks
		],
	};
}

1;
