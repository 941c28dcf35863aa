package Bench::Reads;

# Jobs that read records: item, statistics, list, filters, pages far away, 304, crowds.
#
# A job: name; title; prepare, which gets the service and dies when the service does not answer as it
# must.  It returns contenders, [name, title, load], and verdicts: text, value (a function of the
# measurements of one round, by contender), and the target, least or most.  Optional members: rounds and
# seconds, in place of those of the command line; notes, a function that gets the measurements of all
# rounds by contender and returns lines to print; after, a function to be called at the end.

use strict;
use warnings;

use Bench::Rivals ();

my $WALKED = 1000;    # pages

sub jobs
{
	return (
		{ name => 'item',       title => 'GET item, token checked, statistics on',            prepare => \&item },
		{ name => 'statistics', title => 'GET item, statistics on and off',                   prepare => \&statistics },
		{ name => 'list',       title => 'List of 20, with exact count',                      prepare => \&list },
		{ name => 'count',      title => 'Share of the count in the cost of a list',          prepare => \&count },
		{ name => 'filter',     title => 'List filtered by an indexed relation, with count',  prepare => \&filter },
		{ name => 'next',       title => 'Page far from the first, by next',                  prepare => \&far_page },
		{ name => 'unchanged',  title => '304',                                               prepare => \&unchanged },
		{ name => 'crowd',      title => 'GET item, 256 connections',                         prepare => \&crowd },
	);
}

# A verdict on the ratio of two contenders' rates.
sub ratio
{
	my ($text, $ours, $theirs, $least) = @_;
	return { text => $text, least => $least, value => sub { $_[0]{$ours}{rate} / $_[0]{$theirs}{rate} } };
}

sub item_targets
{
	my ($service) = @_;
	return [map { "/datasets/$_" } $service->random_ids(20_000)];
}

sub item
{
	my ($service) = @_;
	my %admin   = $service->as_admin;
	my %ask     = (headers => \%admin, targets => item_targets($service));
	my $answer  = $service->client(%admin)->get($ask{targets}[0], [200]);
	my $fastify = Bench::Rivals::node($service, 'fastify');
	my $theirs  = Bench::Client->new($fastify, %admin)->get($ask{targets}[0], [200]);
	my ($calls, $clients) = $service->best_calls(
		sql => "\\set id random(100000000000001, 100000000000000 + :size)\n"
			. "SELECT r.* FROM catalogue.item('datasets', :id, '', 'ids', :actor) r;\n",
		variables => { size => $service->{option}{size}, actor => sprintf '{"user":"%s","issued":%d}',
			$service->id_of_admin, time });

	die "GET $ask{targets}[0]: the record is another one\n"
		unless "/datasets/$answer->{json}{data}{id}" eq $ask{targets}[0];
	die "Fastify gives another record\n" unless $theirs->{json}{data}{name} eq $answer->{json}{data}{name};
	return {
		contenders => [
			['shim',    "catalogue-shim, $answer->{size} bytes", $service->load(%ask)],
			['floor',   'bare libmicrohttpd, as many bytes',
				$service->load(%ask, server => 'floor', base => Bench::Rivals::floor($service, 'floor', $answer))],
			['fastify', "Fastify + pg, $service->{cores} workers, $theirs->{size} bytes",
				$service->load(%ask, server => 'fastify', base => $fastify)],
			['pgbench', "pgbench, same call, $clients clients", $calls],
		],
		verdicts => [
			ratio('of the bare server',    'shim', 'floor',   0.40),
			ratio('times Fastify + pg',    'shim', 'fastify', 5),
			ratio('of pgbench, same call', 'shim', 'pgbench', 0.55),
		],
	};
}

sub statistics
{
	my ($service) = @_;
	my %ask = (headers => { $service->as_admin }, targets => item_targets($service));
	my $setting = 'CATALOGUE_STATISTICS';

	die "the shim has no setting $setting\n" unless $service->knows_setting($setting);
	return {
		contenders => [
			map {
				my $base = $service->another_shim("statistics $_", 'catalogue', $setting => $_);
				[$_, "statistics $_", $service->load(%ask, server => "statistics $_", base => $base)]
			} qw(on off)
		],
		verdicts => [ratio('on, of off', 'on', 'off', 0.92)],
	};
}

# Targets of consecutive pages, found by next links, of one list after the other: as many as are
# asked for, and more bytes than the page cache of the service holds.
sub walk
{
	my ($service, @lists) = @_;
	my $client = $service->client;
	my $share  = int($WALKED / @lists);
	my @targets;

	for my $target (@lists)
	{
		for (my $pages = 0; $target && $pages < $share; $pages++)
		{
			push @targets, $target;
			my $next = $client->list($target)->{json}{links}{next};
			$target = $next && $client->target($next);
		}
	}
	return \@targets;
}

sub list
{
	my ($service) = @_;
	my %ask    = (targets => ['/datasets?limit=20']);
	my $answer = $service->client->list($ask{targets}[0]);
	my $meta   = $answer->{json}{meta};
	my $living = $service->sql('SELECT count(*) FROM catalogue.datasets WHERE deleted_at IS NULL');
	my %graphql  = (verb => 'POST', targets => ['/graphql'], body => Bench::Rivals::graphql_list($service));
	my $fastify  = Bench::Rivals::node($service, 'fastify');
	my $graphile = Bench::Rivals::node($service, 'postgraphile');
	my $first    = Bench::Client->new($fastify)->get($ask{targets}[0], [206]);
	my $second   = Bench::Client->new($graphile)->request('POST', '/graphql', $graphql{body});

	die "count is $meta->{count}, not $living\n" unless $meta->{count} == $living;
	die "Fastify counts $first->{json}{meta}{count}, not $living\n" unless $first->{json}{meta}{count} == $living;
	die "PostGraphile does not count $living: " . substr($second->{body}, 0, 300) . "\n"
		unless $second->{body} =~ /"totalCount":$living,/;
	return {
		contenders => [
			['shim',     "catalogue-shim, $answer->{size} bytes", $service->load(%ask)],
			['walk',     'the same, page after page, each a different one',
				$service->load(targets => walk($service, $ask{targets}[0]))],
			['floor',    'bare libmicrohttpd, as many bytes',
				$service->load(%ask, server => 'floor list', base => Bench::Rivals::floor($service, 'floor list', $answer))],
			['fastify',  "Fastify + pg, same counter, $first->{size} bytes",
				$service->load(%ask, server => 'fastify', base => $fastify)],
			['graphile', "PostGraphile with totalCount, $second->{size} bytes",
				$service->load(%graphql, server => 'postgraphile', base => $graphile)],
		],
		verdicts => [
			ratio('of the bare server', 'shim', 'floor',    0.20),
			ratio('times Fastify + pg', 'shim', 'fastify',  8),
			ratio('page after page, times Fastify + pg', 'walk', 'fastify', 3.5),
			ratio('times PostGraphile', 'shim', 'graphile', 20),
		],
	};
}

# Compared by the CPU time of PostgreSQL.  A page that is not full gives the total itself: of the five
# statuses, limit=5 counts and limit=6 does not, and nothing else differs.
sub count
{
	my ($service) = @_;
	my %lists = (list => ['datasets', 'limit=20'], counted => ['statuses', 'limit=5'], told => ['statuses', 'limit=6']);
	my $calls = sub {
		my ($resource, $query) = @_;
		return $service->calls(sql => "SELECT r.* FROM catalogue.list('$resource', '$query', 'ids', '{}') r;\n",
			clients => 4);
	};

	for my $name (qw(counted told))
	{
		my $count = $service->client->list("/statuses?$lists{$name}[1]")->{json}{meta}{count};
		die "/statuses?$lists{$name}[1]: count is $count, not 5\n" unless $count == 5;
	}
	return {
		contenders => [
			map { [$_, "pgbench, list of $lists{$_}[0], $lists{$_}[1]", $calls->(@{ $lists{$_} })] } qw(list counted told)],
		verdicts   => [
			{
				text  => 'count, of the list of 20',
				most  => 0.10,
				value => sub { ($_[0]{counted}{database} - $_[0]{told}{database}) / $_[0]{list}{database} }
			},
		],
	};
}

sub filter
{
	my ($service) = @_;
	my $client = $service->client;
	my %title = (plain => 'all', status => 'by status.name', tag => 'by tags.slug');
	my %lists = (
		plain  => '/datasets?limit=20',
		status => '/datasets?status.name=Published&match=EXACT&limit=20',
		tag    => '/datasets?tags.slug=keyword-123&match=EXACT&limit=20',
	);
	my %walks = (
		plain  => [$lists{plain}],
		status => [$lists{status}],
		tag    => [map { $lists{tag} =~ s/123/$_/r } 100 .. 149],
	);
	my %sql = (
		status => q(SELECT count(*) FROM catalogue.datasets WHERE status = 'qWRhpRV' AND deleted_at IS NULL),
		tag    => q(SELECT count(*) FROM catalogue.datasets_tags WHERE tag = '400000000000123' AND deleted_at IS NULL),
	);
	my %found = map { $_ => $client->list($lists{$_})->{json}{meta}{count} } keys %lists;

	for my $name (sort keys %sql)
	{
		my $right = $service->sql($sql{$name});
		die "$lists{$name}: count is $found{$name}, not $right\n" unless $found{$name} == $right;
	}
	return {
		contenders => [
			(map { [$_, "$title{$_}, $found{$_} found", $service->load(targets => [$lists{$_}])] } qw(plain status tag)),
			(map { ["$_ walk", "$title{$_}, page after page",
				$service->load(targets => walk($service, @{ $walks{$_} }))] } qw(plain status tag)),
		],
		verdicts => [
			ratio('by status.name, of the plain list', 'status', 'plain', 0.5),
			ratio('by tags.slug, of the plain list',   'tag',    'plain', 0.5),
			ratio('by status.name, page after page, of the plain list', 'status walk', 'plain walk', 0.35),
			ratio('by tags.slug, page after page, of the plain list',   'tag walk',    'plain walk', 0.35),
		],
	};
}

# The page at four fifths of the list: page 40,000 when there are a million records.
sub far_page
{
	my ($service) = @_;
	my $client = $service->client;
	my $page   = int($service->{option}{size} * 0.8 / 20);
	my $before = $client->list('/datasets?limit=20&skip=' . ($page - 2) * 20)->{json};
	my $next   = $client->target($before->{links}{next});
	my $meta   = $client->list($next)->{json}{meta};

	die "the next link carries no \"after\": $next\n" unless $next =~ /[?&]after=/;
	die "$next: page $meta->{page}, not $page\n" unless $meta->{page} == $page;
	return {
		contenders => [['first', 'page 1', $service->load(targets => ['/datasets?limit=20'])],
			['far', "page $page", $service->load(targets => [$next])]],
		verdicts   => [ratio("page $page, of page 1", 'far', 'first', 0.8)],
	};
}

# The same datasets as an item, each requested with its own entity tag.
sub unchanged
{
	my ($service) = @_;
	my %admin  = $service->as_admin;
	my $client = $service->client(%admin);
	my $targets = item_targets($service);
	my %tags;

	$tags{$_} //= $client->request('GET', $_)->{headers}{etag} // die "GET $_: no ETag\n" for @$targets;
	$client->get($targets->[$_], [304], 'If-None-Match' => $tags{ $targets->[$_] }) for 0 .. 9;
	return {
		contenders => [
			['item', 'item', $service->load(targets => $targets, headers => \%admin)],
			['same', '304',
				$service->load(targets => [map { [$_, "If-None-Match: $tags{$_}"] } @$targets], headers => \%admin)],
		],
		verdicts => [ratio('304, of the item', 'same', 'item', 0.95)],
	};
}

sub crowd
{
	my ($service) = @_;
	return {
		contenders => [['shim', 'catalogue-shim, 256 connections',
			$service->load(targets => item_targets($service), connections => 256)]],
		verdicts   => [{ text => 'p99, times p50', most => 25, value => sub { $_[0]{shim}{p99} / $_[0]{shim}{p50} } }],
	};
}

1;
