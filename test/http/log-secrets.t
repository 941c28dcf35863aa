#!/usr/bin/perl
# Secrets that clients send are in no log of PostgreSQL, even when it logs every statement with its parameters and every
# error in full; nor in the shim's log, the action log, the history and the statistics.

use strict;
use warnings;

use Test::More;
use Catalogue::Client qw($json);
use Catalogue::Program qw(command);
use Catalogue::Test;
use Catalogue::Definition;

my $service = Catalogue::Test->start(CATALOGUE_LOG_LEVEL => 'silly');
$service->sql("ALTER DATABASE $service->{database} SET $_") for 'log_min_duration_statement = 0',
	"log_statement = 'all'", 'log_parameter_max_length = -1',
	'log_parameter_max_length_on_error = -1', 'log_error_verbosity = verbose', 'log_min_error_statement = debug5',
		'log_min_messages = debug1';
is($service->stop_shim, 0, 'the shim ends');
$service->start_shim;
$service->as_admin;

my $canary = 'canary5Kq8Wz';
my $definition = Catalogue::Definition->new($service);
my $id = $definition->create('users', username => 'maria', password => "$canary of maria",
	active => Cpanel::JSON::XS::true);

# logins: valid, with wrong passwords, and malformed
is($service->login('maria', "$canary of maria")->{status}, 200, 'a login');
is($service->login($_->[0], $_->[1])->{status}, 401, 'a login with a wrong password') for [ 'maria', "$canary no" ],
	[ 'nobody', $canary ], [ 'another', $canary ];
for my $body (qq({"username":"maria","password":"$canary"), qq({"username":"maria","password":"$canary" x}),
	qq({"password":"$canary","password":"$canary"}),
	qq({"username":"maria","password":["$canary"]}), qq({"username":"maria","password":"$canary\\u0000"}),
	qq({"username":"maria","password":"$canary\\ud800"}), qq({"username":"maria","password":"$canary\xff"}))
{
	is($service->post('/users/login', $body)->{status}, 400, 'a malformed login');
	is($service->patch("/users/$id", $body)->{status}, 400, 'a malformed change');
}

# changes of the password, accepted and refused
is($service->patch("/users/$id", { password => "$canary of now" })->{status}, 200, 'a new password');
is($service->patch("/users/$id", { password => $canary x 40 })->{status}, 400, 'a password that is too long');
is($service->patch("/users/$id", { password => { a => $canary } })->{status}, 400, 'a password that is not a string');
is($service->patch("/users/$id", { password => "$canary of now", email => 'no address' })->{status}, 400,
	'a password in a request with another error');
is($service->post('/users', { username => 'maria', password => $canary })->{status}, 400,
	'a password of a user without the other fields');

# valid and forged tokens
my $token = $service->login('maria', "$canary of now")->{json}{data}{token};
$service->get('/users/me', Authorization => "Bearer $token");
$service->get('/users/me', Authorization => "Bearer $canary");
$service->get("/tags?token=$canary&password=$canary&apikey=$canary");
$service->get("/users?password=$canary");
$service->get("/users?password[gte]=$canary&orderBy=password&fields=password");
$service->post('/users/logout', undef, Authorization => "Bearer $token");

# a service's secrets
my %service = (url => 'https://example.org/data', parameters => {}, token => "$canary token",
	tokenSignature => "$canary signature", password => "$canary word");
my $record = $service->post('/restservices', \%service, Prefer => 'return=representation');
is($record->{status}, 201, 'a service with secrets');
unlike($record->{body}, qr/canary/, 'no secret is shown');
is($service->patch("/restservices/$record->{json}{data}{id}", { token => "$canary token of now" })->{status}, 200,
	'a secret is replaced');
is($service->patch("/restservices/$record->{json}{data}{id}", { token => [$canary], url => 'x' x 501 })->{status}, 400,
	'a secret that is not a string');
is($service->delete("/restservices/$record->{json}{data}{id}")->{status}, 200, 'the service is deleted');
is($service->stop_shim, 0, 'the shim ends, and its statistics are stored');

# PostgreSQL's log has the statements, but no secrets
my $log = $service->cluster('log', $service->{database});
like($log, qr/catalogue\.$_\(/, "the log has the calls of $_") for qw(login update create logout);
my @told = grep { /canary/ && !/ \? =/ } split /\n/, $log;
is(scalar @told, 0, 'the log has no secret') or diag(join "\n", @told[0 .. ($#told > 4 ? 4 : $#told)]);
unlike($log, qr/\Q$token\E/, 'the log has no token');
unlike($log, qr/\$y\$/, 'the log has no hash of a password');

# other places that might store secrets
is(scalar(grep { /canary/ } $service->output, map { $json->encode($_) } $service->log), 0,
	'the shim\'s log has no secret');
my $dump = command($service->{server}, 'pg_dump', '-d', $service->{database});
my @dumped = grep { /canary/ } split /\n/, $dump;
is(scalar @dumped, 0, 'a dump has no secret: logs, history, statistics, services') or diag(join "\n", @dumped);

$service->finish;
