#!/usr/bin/perl
# Links: those of the entry point lead to everything; a list names the addresses of its records; no link leads to 404.

use strict;
use warnings;

use Test::More;
use Catalogue::Definition;
use Catalogue::Test;
use Catalogue::Upload;
use Catalogue::Worker;

use constant { ALIKE => $ENV{CATALOGUE_WALKS} ? 3 : 2 };

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
	is($service->post('/maps', { name => "Map $of", basemap => $basemap, file => $of, latitudeKey => 'lat',
		longitudeKey => 'lon', status => $published })->{status}, 201, 'a map');
	is($service->post('/charts', { name => "Chart $of", type => 'bar', file => $of, dataSeries => [ 'name', 'lat' ],
		status => $published })->{status}, 201, 'a chart');
}

# records that refer to what is deactivated, to nothing, or to drafts; a file that cannot be read; a service; an import
my ($organization, $category) = map { $definition->create($_, name => 'Closed') } qw(organizations categories);
my $drafts = $definition->create('datasets', name => 'Closed', status => $published, categories => [$category]);
my $closed = $definition->create('files', name => 'Closed', dataset => $drafts, organization => $organization,
	status => $published);
$definition->create('files', name => 'A draft', dataset => $drafts);
is($service->post("/$_/deactivate")->{status}, 200, "$_ is deactivated") for "organizations/$organization",
	"categories/$category";
is($service->post('/maps', { name => 'A link', link => 'https://example.org/map', status => $published })->{status},
	201, 'a map with a link');
is($service->post('/charts', { name => 'A link', link => 'https://example.org/chart', file => $closed,
	status => $published })->{status}, 201, 'a chart with a link');
is($worker->wait_for_file($uploads->file('bad.geojson', '{"type": "FeatureCollection", "features": {}}', name => 'Bad',
	status => $published)->{id})->{parseState}, 'failed', 'a file that cannot be read');
is($service->post('/restservices', { url => 'https://example.org/', parameters => {}, file => $closed })->{status}, 201,
	'a service');
is($service->get("/files/$closed/download")->{json}{meta}{message}, "the file's remote service has not given it yet",
	'whose bytes have not come');
is($service->post('/imports', { source => 'here',
	document => { dataset => [ { identifier => 'a', title => 'Imported' } ] } })->{status}, 200, 'an import');

# a list names the addresses of its records, in their order
my $list = $service->get('/statuses?orderBy=name&limit=3')->{json};
is_deeply($list->{links}{items}, [ map { "$service->{base}/statuses/$_->{id}" } @{ $list->{data} } ], 'items');
$list = $service->get("/datasets/$uploads->{dataset}/files?orderBy=name")->{json};
is_deeply($list->{links}{items}, [ map { "$service->{base}/files/$_->{id}" } @{ $list->{data} } ],
	'items of a relation');
$list = $service->get('/files/search?query=points')->{json};
is_deeply($list->{links}{items}, [ map { "$service->{base}/files/$_->{id}" } @{ $list->{data} } ], 'items of a search');
is($service->get('/statuses?orderBy=name&limit=3')->{json}{links}{items}[2],
	$service->get('/statuses?orderBy=name&limit=3&skip=2')->{json}{links}{items}[0], 'of a cached page as well');
my $empty = $service->get('/tags?name=nothing')->{json}{links};
is_deeply([ $empty->{items}, grep { /Item$/ } keys %$empty ], [ [] ],
	'an empty list has no items, no first and no last one');
ok(!exists $service->get('/files?deleted=true')->{json}{links}{items}, 'deleted records have no address');
my $then = $service->get('/tags?limit=1')->{json};
$service->delete("/tags/$then->{data}[0]{id}");
my $earlier = $service->get("/tags?limit=1&version=$then->{meta}{version}")->{json}{links}{items}[0];
is($service->get($earlier =~ s/^\Q$service->{base}\E//r)->{json}{data}{name}, $then->{data}[0]{name},
	'an earlier version leads to the records as they were');

# All addresses in the links of an answer, but for actions.
sub addresses
{
	my ($links) = @_;
	return ref $links eq 'HASH' ? map { $_ eq 'actions' ? () : addresses($links->{$_}) } sort keys %$links
		: ref $links eq 'ARRAY' ? map { addresses($_) } @$links : $links // ();
}

# The addresses in an answer: of JSON the links, in whatever record, and addresses of files; of a page or feed all that
# lead here.
sub found
{
	my ($reply) = @_;
	my ($json, @found) = ($reply->{json}, ($reply->{headers}{link} // '') =~ /<([^>]*)>/g);
	push @found, $reply->{body} =~ /(?:href|src|(?<!method="post" )action)="([^"]*)"/g,
		$reply->{body} =~ m{<(?:loc|link|guid[^>]*)>([^<]*)<}g
		if ($reply->{headers}{'content-type'} // '') =~ m{^(?:text/html|application/(?:rss\+)?xml)};
	return @found unless ref $json eq 'HASH';
	my @records = ref $json->{data} eq 'ARRAY' ? @{ $json->{data} } : $json->{data} // ();
	return @found, addresses($json->{links}),
		map { ref eq 'HASH' ? (addresses($_->{links}), $_->{url} // ()) : () } @records;
}

# Follow links from an address, a few of those that differ in ids and parameters only; return what is refused.  The
# address of an action names the methods that it has.
sub walk
{
	my ($start, %headers) = @_;
	my (%seen, %alike, %actions, @refused);
	my @todo = ($start);
	while (defined(my $path = shift @todo))
	{
		$path = $path =~ s/^\Q$service->{base}\E//r =~ s/&amp;/&/gr =~ s/#.*//r;
		my $shape = $path =~ s/\?.*//r =~ s{/(?=\w*\d)\w{7,15}(?=/|$)}{/:id}gr;
		next if $path !~ m{^/} || $seen{$path}++ || $alike{$shape}++ >= ALIKE;
		my $reply = $service->get($path, %headers);
		push @refused, "$reply->{status} $path" if $reply->{status} == 404;
		push @todo, found($reply);
		$actions{$_}++ for $reply->{body} =~ /<form [^>]*method="post" action="([^"]*)"/g;
		next unless ref $reply->{json} eq 'HASH';
		push @todo, addresses($reply->{json}{data}) if $path eq '/';
		$actions{$_}++ for values %{ $reply->{json}{links}{actions} // {} };
	}
	for my $action (sort keys %actions)
	{
		my $reply = $service->request('OPTIONS', $action =~ s/^\Q$service->{base}\E//r, undef, %headers,
			Accept => 'application/json');
		push @refused, "$reply->{status} OPTIONS $action"
			unless $reply->{status} == 200 && grep { $_->{verb} =~ /^(?:PATCH|POST)$/ } @{ $reply->{json}{methods} };
	}
	return ([ sort @refused ], scalar keys %alike, scalar keys %actions);
}

my (undef, $guest) = $definition->user('walker', 'guest');
my %as = (
	outsider => { Authorization => undef },
	guest    => { Authorization => $guest },
	admin    => {},
);
is($service->post('/charts', { name => 'Of the guest', type => 'bar', file => $file, dataSeries => [ 'name', 'lat' ] },
	%{ $as{guest} })->{status}, 201, 'a chart of the guest');
for my $who (grep { $ENV{CATALOGUE_WALKS} || $_ ne 'guest' } sort keys %as)
{
	my ($refused, $kinds, $actions) = walk('/', %{ $as{$who} });
	is_deeply($refused, [], "no link of the $who leads to 404");
	cmp_ok($kinds, '>', 50, "$who: many kinds of links were followed");
	cmp_ok($actions, $who eq 'outsider' ? '==' : '>', 0, "$who: links of actions");
	($refused, $kinds) = walk('/', %{ $as{$who} }, Accept => 'text/html');
	is_deeply($refused, [], "no link of the pages of the $who leads to 404");
	cmp_ok($kinds, '>', 20, "$who: many kinds of links of pages were followed");
	is_deeply((walk($_, %{ $as{$who} }))[0], [], "no link in $_ leads the $who to 404") for '/rss', '/sitemap.xml';
}

# what an outsider creates and does not see has no address
my $reply = $service->post('/datasetrequests', { about => 'Trees', description => 'All of them',
	email => 'a@example.org', categories => [ $service->get('/categories?limit=1')->{json}{data}[0]{id} ] },
	Authorization => undef);
is("$reply->{status} " . join(' ', addresses($reply->{json}{links}), $reply->{headers}{location} // ()), '201 ',
	'a request for a dataset') or diag $reply->{body};

$worker->finish;
$service->finish;
