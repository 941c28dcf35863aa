package Bench::Rivals;

# Programs that the service is compared with: a bare server, and two other stacks on the same tables.

use strict;
use warnings;

use Cwd ();
use File::Copy qw(copy);
use File::Path qw(make_path);
use FindBin ();

use Bench::Load    ();
use Bench::Process ();

my $build = 'build/bench';

# Start a bare server whose answers are as long as the given one, head and body together; return its address.
sub floor
{
	my ($service, $name, $answer) = @_;
	my $head = 104;    # bytes of the head that the bare server sends, with a length of four digits
	my $port = $service->free_port;

	make_path($build);
	Bench::Load::output_of(qw(cc -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -pthread -o), "$build/floor",
		"$FindBin::Bin/floor.c", '-lmicrohttpd');
	$service->{server}{$name} =
		Bench::Process->start("$service->{work}/floor.log", {}, "$build/floor", $port,
			$answer->{size} > $head ? $answer->{size} - $head : 0)
		->wait_for_port($port);
	return "http://127.0.0.1:$port";
}

# Start a Node.js server of test/bench with its packages; return its address.  more: of its environment.
sub node
{
	my ($service, $name, %more) = @_;
	my $port = $service->free_port;
	my $top  = Cwd::getcwd();
	my $lock = 'node_modules/.package-lock.json';
	my %environment = (PGUSER => 'postgres', PGDATABASE => 'catalogue', NODE_ENV => 'production',
		BENCH_SECRET => $service->{secret}, KEPT => keeps_lists($service), %more);

	return "http://127.0.0.1:$service->{rival}{$name}" if $service->{rival}{$name};
	make_path("$build/$name");
	copy("$FindBin::Bin/$name/$_", "$build/$name/$_") or die "$_: $!\n" for qw(package.json package-lock.json server.js);
	chdir "$build/$name" or die "$build/$name: $!\n";
	unless (-e $lock && -M $lock < -M "$FindBin::Bin/$name/package-lock.json")
	{
		print STDERR "bench: installing the packages of $name\n";
		Bench::Load::output_of('npm', 'ci', '--no-audit', '--no-fund', '--loglevel=error');
	}
	$service->{server}{$name} =
		Bench::Process->start("$service->{work}/$name.log", \%environment, 'node', 'server.js', $port, $service->{cores});
	chdir $top or die "$top: $!\n";
	$service->{server}{$name}->wait_for_port($port, $more{PATIENCE});
	$service->{rival}{$name} = $port;
	return "http://127.0.0.1:$port";
}

# Whether datasets have columns with their lists of ids; the rivals then read the lists there.
sub keeps_lists
{
	my ($service) = @_;
	my $columns = q(SELECT count(*) FROM pg_attribute WHERE attrelid = 'catalogue.datasets'::regclass AND NOT attisdropped
		AND attname IN ('categories_ids', 'subcategories_ids', 'tags_ids'));
	return $service->sql($columns) == 3 ? 1 : 0;
}

# The list of 20 with its total, as a request to PostGraphile.
sub graphql_list
{
	my ($service) = @_;
	my $lists =
		keeps_lists($service)
		? 'categoriesIds subcategoriesIds tagsIds'
		: join ' ', map { "datasets$_->[0]ByDataset(condition: {deletedAt: null}) { nodes { $_->[1] } }" }
		['Categories', 'category'], ['Subcategories', 'subcategory'], ['Tags', 'tag'];
	return '{"query":"{ allDatasets(first: 20, orderBy: [CREATED_AT_ASC, ID_ASC], condition: {deletedAt: null}) { '
		. 'totalCount nodes { '
		. 'id name slug description notes visible starred optionals publishedAt unPublishedAt rejectedAt cancelledAt '
			. 'reviewedAt status owner '
		. "createdBy createdAt updatedAt $lists } } }\"}";
}

1;
