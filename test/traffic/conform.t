#!/usr/bin/perl
# The answers to all requests of the HTTP tests are as the OpenAPI document says: no other status, type or field.
# .ci/check runs this after those tests, which have kept their answers.

use strict;
use warnings;

use Catalogue::OpenApi;
use Catalogue::Test;
use Catalogue::Traffic;
use Test::More;

# Tests that change the definition, so that the document of another catalogue is not theirs.
my %others = map { $_ => 1 } qw(dump-restore fields not-modified odd-names permissions);

my $service = Catalogue::Test->start(CATALOGUE_MAIL_COMMAND => '/bin/false', CATALOGUE_MAIL_FROM => 'a@example.org',
	CATALOGUE_MAIL_TO => 'b@example.org')->as_admin;
my $api     = Catalogue::OpenApi->new($service->get('/openapi.json')->{json});
my (%faults, %documented);

for my $answer (grep { !$others{ $_->{test} } } Catalogue::Traffic::read_all($ENV{KEPT_TRAFFIC}))
{
	my $path = $api->path_of($answer->{path} =~ s/\?.*//sr) // next;
	my $name = "$answer->{verb} $path";

	# the model of pages, beside the files of the page
	next if $answer->{status} == 308 && $answer->{path} =~ m{^/Page/};
	$documented{$name}++;
	$faults{$name}{ $_ =~ s{/\d+(?=/|\b)}{/*}gr } //= "$answer->{test}: $answer->{path}" for $api->answer_faults($answer);
}
for my $name (sort keys %documented)
{
	my $found = $faults{$name} // {};
	ok(!%$found, "$name: $documented{$name} answers conform") or diag(
		map { "$_ ($found->{$_})\n" } (sort keys %$found)[0 .. ($#{ [ keys %$found ] } < 9 ? $#{ [ keys %$found ] } : 9)]);
}
ok(%documented, 'there were answers');

$service->finish;
