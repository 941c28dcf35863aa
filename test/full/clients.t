#!/usr/bin/perl
# Clients that five generators make of /openapi.json are compiled strictly, and log in, list by filters, create, upload
# by a form, read rows and delete.

use strict;
use warnings;

use Test::More;
use Catalogue::Client qw($json);
use Catalogue::Program qw(command run_to_end);
use Catalogue::Test;
use Catalogue::Upload;
use Catalogue::Worker;

my $service = Catalogue::Test->start->as_admin;
my $uploads = Catalogue::Upload->new($service);
my $worker  = Catalogue::Worker->start($service);
my $place   = 'build/clients';
my %made    = (
	'openapi-fetch'          => 'openapi-typescript openapi.json -o made/openapi-fetch.d.ts',
	'hey-api'                => 'openapi-ts -i openapi.json -o made/hey-api -c @hey-api/client-fetch',
	'orval'                  => 'orval --config orval.config.js',
	'oazapfts'               => 'oazapfts openapi.json made/oazapfts.ts',
	'swagger-typescript-api' => 'swagger-typescript-api generate -p openapi.json -o made -n swagger-typescript-api.ts');

-e "$place/node_modules/orval/package.json" or die "the generators are missing: run \".ci/deps full\"\n";
# some need a newer Node.js than that of Debian, which is one of the packages
local $ENV{PATH} = "node_modules/.bin:$ENV{PATH}";

# Run a command where the packages are; return what it printed, and its exit status.
sub there { return run_to_end('sh', '-c', "cd $place && exec \"\$@\"", 'sh', @_) }

system("rm -rf $place/made $place/run && cp test/full/clients/* $place/ && mkdir $place/made") == 0 or die "cp: $?\n";
my $document = $service->get('/openapi.json');
open my $out, '>:raw', "$place/openapi.json" or die "openapi.json: $!\n";
print {$out} $document->{body};
close $out or die "openapi.json: $!\n";
for my $generator (sort keys %made)
{
	my ($text, $status) = there(split / /, $made{$generator});
	is($status, 0, "$generator takes the document") or diag($text);
}
my ($text, $status) = there('tsc');
is("$status\n$text", "0\n", 'what they make, and the journeys, have no fault for tsc --strict');

my %fields = (%{ $uploads->{record} }, dataset => $uploads->{dataset});
for my $generator (sort keys %made)
{
	local %ENV = (%ENV, BASE => $service->{base}, PASSWORD => $ENV{CATALOGUE_ADMIN_PASSWORD}, NAME => "by-$generator",
		FIELDS => $json->encode(\%fields));
	($text, $status) = there('node', "run/$generator.js");
	is($status, 0, "$generator: the journey ends well") or diag($text);
	my $found = eval { $json->decode($text) } // {};
	is_deeply($found->{listed}, ['Airports'], "$generator: a list has what the filters say");
	is_deeply($found->{later}, [], "$generator: an operator of a filter reaches the service");
	is($service->sql("SELECT name, deleted_at IS NOT NULL FROM catalogue.tags WHERE id = '$found->{tag}'"),
		"by-$generator|t", "$generator: the tag was made and deleted");
	is($service->sql("SELECT name, deleted_at IS NOT NULL FROM catalogue.files WHERE id = '$found->{file}'"),
		"by-$generator|t", "$generator: the file was uploaded and deleted");
	is($found->{state}, 'ready', "$generator: the file was read");
	is_deeply([ map { "$_->{name} $_->{height}" } @{ $found->{rows} } ], [ 'One 10', 'Two 20' ], "$generator: its rows");
	is($found->{left}, 404, "$generator: what was deleted is not there");
}
$worker->finish;

$service->finish;
