#!/usr/bin/perl
# A real browser: a page of another origin makes the calls of the existing web applications, so that
# Chromium decides which requests it may send and which answers it may read.

use strict;
use warnings;

use Test::More;
use Catalogue::Browser;
use Catalogue::Test;
use IO::Socket::INET;

my @ports   = map { $_->sockport } map { IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.1') } 1, 2;
my $service = Catalogue::Test->start(CATALOGUE_PRIVATE => 'on', CATALOGUE_CORS_ORIGINS => 'none');
$service->sql("SELECT catalogue.register_web_application('Admin', '{http://localhost:$ports[0]}', id => 'admin-app', "
	. "basemaps => true)");
$service->sql(
	"SELECT catalogue.register_web_application('Portal', '{http://localhost:$ports[0]}', id => 'portal-app')");
# the shim's threads learn of the new consumers one by one
for (my ($good, $end) = (0, time + 20); $good < 10 && time < $end;)
{
	delete $service->{socket};
	$good = $service->get('/health', Origin => "http://localhost:$ports[0]")->{headers}{'access-control-allow-origin'}
		? $good + 1 : 0;
	select undef, undef, undef, 0.1 unless $good;
}

my $told = Catalogue::Browser::run($service, 'run.js',
	registered => $ports[0],
	stranger   => $ports[1],
	admin      => { client => { consumer => 'Admin', consumerId => 'admin-app' }, username => 'admin',
		password => $ENV{CATALOGUE_ADMIN_PASSWORD} },
	portal     => { client => { consumer => 'Portal', consumerId => 'portal-app' } });

for my $part (qw(administered visited intruded))
{
	my @results = @{ $told->{$part} };
	cmp_ok(scalar @results, '>', 4, "$part: the page made its calls");
	for my $result (@results)
	{
		my $name = "$part: " . ($result->{name} =~ s/\b(?=\w*\d)\w{15}\b/<id>/gr);
		ok((grep { $_ == $result->{status} } @{ $result->{wanted} }), $name) or diag("$result->{status}: $result->{detail}");
	}
}
is($service->sql(q(SELECT count(*) FROM catalogue.datasets WHERE name = 'Browsed dataset' AND deleted_at IS NULL)), 1,
	'the dataset that the unregistered page tried to delete exists');

$service->finish;
