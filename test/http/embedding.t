#!/usr/bin/perl
# Related records of a page are read by one statement for each relation, however many records the page has.

use strict;
use warnings;

use Test::More;
use Catalogue::Program qw(command);
use Catalogue::Test;

my $service = Catalogue::Test->start;

# Fifty datasets, each with a category, three tags and two files, and each file with a chart.
$service->sql(<<'SQL');
	SET catalogue.check_references = off;
	INSERT INTO catalogue.tags (name, created_by) SELECT 'keyword ' || n, u.id
		FROM generate_series(1, 60) n, catalogue.users u WHERE username = 'admin';
	INSERT INTO catalogue.datasets (name, status, owner, created_by) SELECT 'dataset ' || n, 'qWRhpRV', u.id, u.id
		FROM generate_series(1, 50) n, catalogue.users u WHERE username = 'admin';
	INSERT INTO catalogue.datasets_categories (dataset, category) SELECT d.id,
		(SELECT id FROM catalogue.categories ORDER BY id LIMIT 1) FROM catalogue.datasets d WHERE name LIKE 'dataset %';
	INSERT INTO catalogue.datasets_tags (dataset, tag) SELECT d.id, t.id
		FROM catalogue.datasets d, LATERAL (SELECT id FROM catalogue.tags ORDER BY md5(d.id || id) LIMIT 3) t
			WHERE d.name LIKE 'dataset %';
	INSERT INTO catalogue.files (name, type, status, organization, dataset, owner, update_frequency, created_by)
	SELECT 'file ' || n || ' of ' || d.name, (SELECT id FROM catalogue.filetypes LIMIT 1), 'qWRhpRV',
		(SELECT id FROM catalogue.organizations LIMIT 1), d.id, d.owner,
			(SELECT id FROM catalogue.updatefrequencies LIMIT 1), d.owner
	FROM catalogue.datasets d, generate_series(1, 2) n WHERE d.name LIKE 'dataset %';
	INSERT INTO catalogue.charts (name, file, status, created_by) SELECT 'chart of ' || f.name, f.id, 'qWRhpRV',
		f.created_by FROM catalogue.files f WHERE name LIKE 'file %';
SQL

# The texts of the statements that PostgreSQL executes inside a call, as auto_explain logs them.
# An earlier call makes this connection load all definitions; then other statements are executed, if any.
# Caches are emptied when autovacuum processes a table or another test creates a role in between; therefore the call is
# repeated, up to four times, while the number of statements is not the expected one.
sub statements
{
	my ($expected, @calls) = @_;
	my @texts;

	for (1 .. 5)
	{
		@texts = statements_once(@calls);
		last if @texts == $expected;
	}
	return @texts;
}

sub statements_once
{
	my ($before, $call, @between) = @_;
	my $told = command($service->{server}, 'sh', '-c', 'exec psql -XAtq -v ON_ERROR_STOP=1 -d "$0" "$@" 2>&1',
		$service->{database},
		map { (-c => $_) } "LOAD 'auto_explain'", "SELECT ($before).count", @between, 'SET client_min_messages = notice',
			"SET auto_explain.log_level = 'notice'",
		'SET auto_explain.log_nested_statements = on', 'SET auto_explain.log_min_duration = 0', "SELECT ($call).count");
	my @texts = $told =~ /^Query Text: (.*)$/mg;
	pop @texts;    # the call itself
	return grep { !/FROM catalogue\.counter/ } @texts;    # reads of the numbers of records depend on the page
}

for (
	[ 0, '' ], [ 1, 'include=tags' ], [ 1, 'include=tags.name,tags.slug' ], [ 1, 'include=owner' ],
		[ 2, 'fields=name,files.name' ], [ 1, 'include=files' ],
	[ 2, 'include=tags,categories' ], [ 2, 'include=files.charts.name' ],
		[ 3, 'include=files.type.name,files.status.name' ],
	[ 8, 'include=status,owner.organization,tags.datasets.name,categories.parent,files' ])
{
	my ($expected, $query) = @$_;
	for my $limit (1, 50)
	{
		my @related = statements($expected, map { "catalogue.list('datasets', '$query&limit=$limit&skip=$_')" } 1, 0);
		is(scalar @related, $expected, "\"$query\" on a page of $limit: $expected statements") or diag(join "\n", @related);
	}
}

# With filters there is one statement for the page, one for each relation in a filter's path, and one for the count
# after a change; there is none for a page that is in the cache.
my $change = q(UPDATE catalogue.datasets SET notes = concat(notes, '.') WHERE name = 'dataset 1');
for ([ 2, 'name=dataset' ], [ 3, 'status.name=published' ], [ 4, 'status.name=published&tags.name=keyword' ],
	[ 4, 'files.type.name=c' ], [ 2, 'name=dataset&orderBy=status.name' ])
{
	my ($expected, $query) = @$_;
	my ($call, $other) = map { "catalogue.list('datasets', '$query&limit=10&skip=$_')" } 0, 1;
	my @anew  = statements($expected, $call, $call, $change);
	my @next  = statements($expected - 1, $call, $other);
	my @again = statements(0, $call, $call);
	is(scalar @anew, $expected, "\"$query\" after a change: $expected statements") or diag(join "\n", @anew);
	is(scalar @next, $expected - 1, "\"$query\", another page: one less, since the count is cached")
		or diag(join "\n", @next);
	is(scalar @again, 0, "\"$query\" again: none") or diag(join "\n", @again);
}

$service->finish;
