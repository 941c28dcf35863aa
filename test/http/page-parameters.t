#!/usr/bin/perl
# Every page of every resource, as of an earlier instant, without the fields that it shows, and with parameters of each
# kind, for a visitor and a user, in each language: each is answered, none by a fault of the service, and by the process
# that was started. A page has less than its view shows where a record is that of an earlier instant.

use strict;
use warnings;

use Test::More;
use Catalogue::Test;
use Catalogue::Definition;

my $service    = Catalogue::Test->start->as_admin;
my $definition = Catalogue::Definition->new($service);

# records that outsiders see; a file with rows, a chart and a map of it
my ($published) = $service->sql("SELECT id FROM catalogue.states() WHERE state = 'published'");
my %id = map { $_ => $definition->some_id($_) } $definition->resources;
$id{datasets} = $definition->create('datasets', status => $published);
$id{files}    = $definition->create('files', dataset => $id{datasets}, status => $published);
$service->sql("SELECT catalogue.contents_load('$id{files}', '[{\"place\": \"A\", \"lat\": 1, \"lon\": 2, \"n\": 3}]')");
$id{charts} =
	$definition->create('charts', file => $id{files}, status => $published, dataSeries => [ 'place', 'n' ], type => 'bar');
$id{maps}   =
	$definition->create('maps', file => $id{files}, status => $published, latitudeKey => 'lat', longitudeKey => 'lon');

# at the instant of each page the records have another state than now
my ($instant) = $service->sql("SELECT to_json(clock_timestamp()) #>> '{}'");
$service->sql("SELECT catalogue.contents_load('$id{files}', '[{\"place\": \"B\", \"lat\": 1, \"lon\": 2, \"n\": 4}]')");
for my $resource ($definition->writable)
{
	my ($field) = grep { $_->{name} =~ /^(?:name|description|lastName|url)$/ } $definition->writable_fields($resource);
	$service->patch("/$resource/$id{$resource}", { $field->{name} => $definition->right($field) }) if $field;
}
$instant =~ s/\+/%2B/;

# the paths that have a page
my @paths = ('/', '/search', '/imports', '/roles', '/health', '/users/me', '/statistics/summary',
	'/statistics/downloads', '/metrics/categories');
for my $resource ($definition->resources)
{
	my $item = "/$resource/$id{$resource}";
	push @paths, "/$resource", map({ "/$resource/$_" } qw(first last count search statistics)), $item,
		map({ "$item/$_" } qw(logs versions)),
		map({ "$item/$_->{name}" } $definition->relations($resource));
}
push @paths, map({ "/files/$id{files}/$_" } qw(contents changes columns schema issues sheets resources)),
	"/maps/$id{maps}/issues", "/charts/$id{charts}/data", "/datasets/$id{datasets}/filetypes",
		"/datasets/$id{datasets}/download";

# parameters of each kind; a path that does not take one refuses or ignores it
my @queries = ('', "version=$instant", 'fields=id', 'fields=nothing', 'limit=0', 'include=createdBy,nothing',
	"version=$instant&fields=id&include=files,charts&limit=0",
		'limit=1&limit=2&nothing=1&nothing=2&fields=&orderBy=id&orderBy=id');

# no worker makes the archive of a dataset
my %visitor = (Authorization => undef);
my %any     = (Accept => 'text/html', Prefer => 'respond-async');
my @readers = ([ 'visitor', 'en', %visitor ], [ 'user', 'es' ], [ 'visitor', 'es', %visitor ], [ 'user', 'en' ]);
my $whole   = $ENV{CATALOGUE_WALKS};
my $count   = 0;
for my $number (0 .. $#queries)
{
	my ($query, @faults) = $queries[$number];
	for my $place (0 .. $#paths)
	{
		# in the core each path without a parameter and with some, for a visitor and a user in different languages
		next unless $whole || $number == 0 || $place % 3 == $number % 3;
		for ($whole ? @readers : @readers[ $place % 2 ? (2, 3) : (0, 1) ])
		{
			my ($who, $language, %headers) = @$_;
			my $path  = "$paths[$place]?$query";
			my $reply = eval { $service->get($path, %any, 'Accept-Language' => $language, %headers) };
			my $answer = !$reply ? 'no answer' : $reply->{status} >= 500 ? $reply->{status} : undef;
			push @faults, "$path for a $who in $language: $answer" if $answer;
			$count++;
			BAIL_OUT("the shim has ended at $path") if kill(0, $service->{pid}) != 1;
		}
	}
	is_deeply(\@faults, [], 'all paths are answered with ' . ($query || 'no parameter'));
}
cmp_ok($count, '>', $whole ? 4000 : 800, 'all paths were asked');
is(waitpid($service->{pid}, POSIX::WNOHANG()), 0, 'the process is the one that was started');

$service->finish;
