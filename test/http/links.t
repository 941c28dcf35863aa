#!/usr/bin/perl
# Links: those of the entry point lead to everything; a list names the addresses of its records; no link leads to 404.

use strict;
use warnings;

use Test::More;
use Catalogue::Definition;
use Catalogue::Test;
use Catalogue::Upload;
use Catalogue::Worker;

use constant { ALIKE => 3 };

my $service = Catalogue::Test->start->as_admin;
my $uploads = Catalogue::Upload->new($service);
my $worker  = Catalogue::Worker->start($service);
my $definition = Catalogue::Definition->new($service);
my $published  = 'qWRhpRV';

# a file with rows, one without bytes, and maps and charts of both; a file that is gone, of which there is a job
$service->patch("/datasets/$uploads->{dataset}", { status => $published });
my $file = $uploads->file('points.csv', "name,lat,lon\nA,1,2\nB,3,4\n", name => 'Points', status => $published)->{id};
my $gone = $uploads->file('gone.csv', "a\n1\n", name => 'Gone', status => $published)->{id};
my $bare = $definition->create('files', name => 'Bare', dataset => $uploads->{dataset}, status => $published);
$worker->wait_for_file($_) for $file, $gone;
$service->delete("/files/$gone");
my $basemap = $service->get('/basemaps?limit=1')->{json}{data}[0]{id};
for my $of ($file, $bare)
{
	is($service->post('/maps', { name => "Map $of", basemap => $basemap, file => $of, latitudeKey => 'lat', longitudeKey => 'lon', status => $published })->{status}, 201, 'a map');
	is($service->post('/charts', { name => "Chart $of", type => 'bar', file => $of, dataSeries => [ 'name', 'lat' ], status => $published })->{status}, 201, 'a chart');
}

# a list names the addresses of its records, in their order
my $list = $service->get('/statuses?orderBy=name&limit=3')->{json};
is_deeply($list->{links}{items}, [ map { "$service->{base}/statuses/$_->{id}" } @{ $list->{data} } ], 'items');
$list = $service->get("/datasets/$uploads->{dataset}/files?orderBy=name")->{json};
is_deeply($list->{links}{items}, [ map { "$service->{base}/files/$_->{id}" } @{ $list->{data} } ], 'items of a relation');
$list = $service->get('/files/search?query=points')->{json};
is_deeply($list->{links}{items}, [ map { "$service->{base}/files/$_->{id}" } @{ $list->{data} } ], 'items of a search');
is($service->get('/statuses?orderBy=name&limit=3')->{json}{links}{items}[2], $service->get('/statuses?orderBy=name&limit=3&skip=2')->{json}{links}{items}[0], 'of a cached page as well');
my $empty = $service->get('/tags?name=nothing')->{json}{links};
is_deeply([ $empty->{items}, grep { /Item$/ } keys %$empty ], [ [] ], 'an empty list has no items, no first and no last one');
ok(!exists $service->get('/files?deleted=true')->{json}{links}{items}, 'deleted records have no address');
my $then = $service->get('/tags?limit=1')->{json};
$service->delete("/tags/$then->{data}[0]{id}");
my $earlier = $service->get("/tags?limit=1&version=$then->{meta}{version}")->{json}{links}{items}[0];
is($service->get($earlier =~ s/^\Q$service->{base}\E//r)->{json}{data}{name}, $then->{data}[0]{name}, 'an earlier version leads to the records as they were');

# All addresses in the links of an answer.
sub addresses
{
	my ($links) = @_;
	return ref $links eq 'HASH' ? map { $_ eq 'actions' ? () : addresses($links->{$_}) } sort keys %$links : ref $links eq 'ARRAY' ? map { addresses($_) } @$links : $links // ();
}

# Follow links from the entry point, a few of those that differ in ids and parameters only; return the refused ones.
sub walk
{
	my (%headers) = @_;
	my (%seen, %alike, @refused);
	my @todo = ('/');
	while (defined(my $path = shift @todo))
	{
		my $shape = $path =~ s/\?.*//r =~ s{/(?=\w*\d)\w{7,15}(?=/|$)}{/:id}gr;
		next if $seen{$path}++ || $alike{$shape}++ >= ALIKE;
		my $reply = $service->get($path, %headers);
		push @refused, "$reply->{status} $path" if $reply->{status} == 404;
		next unless ref $reply->{json} eq 'HASH';
		my @found = addresses($reply->{json}{links});
		push @found, addresses($reply->{json}{data}) if $path eq '/';
		push @todo, map { s/^\Q$service->{base}\E//r } @found;
	}
	cmp_ok(scalar(keys %alike), '>', 50, 'many kinds of links were followed');
	return @refused;
}
is_deeply([ walk() ], [], 'no link of an admin leads to 404');
is_deeply([ walk(Authorization => undef) ], [], 'none of an outsider does');

# what an outsider creates and does not see has no address
my $reply = $service->post('/datasetrequests', { about => 'Trees', description => 'All of them', email => 'a@example.org', categories => [ $service->get('/categories?limit=1')->{json}{data}[0]{id} ] },
	Authorization => undef);
is("$reply->{status} " . join(' ', addresses($reply->{json}{links}), $reply->{headers}{location} // ()), '201 ', 'a request for a dataset') or diag $reply->{body};

$worker->finish;
$service->finish;
