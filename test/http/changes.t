#!/usr/bin/perl
# Changes of the rows of a file between two versions over HTTP: pages, NDJSON, conditions, who sees them, errors.

use strict;
use warnings;

use Cpanel::JSON::XS ();
use Test::More;
use Catalogue::Test;
use Catalogue::Definition;

my $service    = Catalogue::Test->shared->as_admin;
my $definition = Catalogue::Definition->new($service);
my $ndjson     = 'application/x-ndjson';

my $made = $service->post('/files', { %{ $definition->record('files') }, name => 'Stations' });
die("POST /files: $made->{body}") unless $made->{status} == 201;
my ($file) = $made->{json}{links}{record} =~ m{(\w+)$};

# Store the result of a SELECT, which returns JSON, as the contents of the file; return the version that has them.
sub load
{
	my ($rows) = @_;
	$service->sql("SELECT catalogue.contents_load('$file', ($rows))");
	return $service->get("/files/$file/contents?limit=1")->{json}{meta}{version};
}

my $rows = q{SELECT json_agg(json_build_object('id', n, 'name', %s) ORDER BY n) FROM generate_series(%d, %d) n};
my $one  = load(sprintf $rows, q{'row ' || n},                             1, 1000);
my $two  = load(sprintf $rows, q{CASE WHEN n %% 10 = 0 THEN 'new' ELSE 'row' END || ' ' || n} =~ s/%%/%/r, 101, 1010);
my $path = "/files/$file/changes?from=$one&to=$two&key=id";

# a page: its position, the numbers of each kind, a change of each kind with the rows
my $page = $service->get("$path&limit=5&skip=98");
is($page->{status}, 206, 'a page is 206') or diag($page->{body});
is_deeply([ @{ $page->{json}{meta} }{qw(count limit start end added removed changed)} ],
	[ 200, 5, 99, 103, 10, 100, 90 ],
	'position and numbers');
is_deeply($page->{json}{data}[1], { change => 'removed', before => { _id => 100, id => '100', name => 'row 100' } },
	'a row removed');
is_deeply($page->{json}{data}[2],
	{ change => 'changed', before => { _id => 110, id => '110', name => 'row 110' },
		after => { _id => 10, id => '110', name => 'new 110' } },
	'a row changed');
is_deeply($service->get("$path&skip=199&types=true")->{json}{data}[0],
	{ change => 'added', after => { _id => 910, id => 1010, name => 'new 1010' } }, 'a row added');
is($service->follow($page->{json}{links}{all})->{json}{meta}{count}, 200,
	'the link to all changes has from, to and key');
is($page->{json}{links}{file}, "$service->{base}/files/$file", 'the link to the file');
is($service->get("$path&limit=5&skip=98")->{body}, $page->{body}, 'the page once more');

# following the links yields each change once
my @walked;
my $link = "$service->{base}$path&limit=50";
while ($link)
{
	my $reply = $service->follow($link);
	push @walked, map { ($_->{after} // $_->{before})->{id} } @{ $reply->{json}{data} };
	$link = $reply->{json}{links}{next};
}
is_deeply(\@walked, [ 1 .. 100, map({ $_ * 10 } 11 .. 100), 1001 .. 1010 ],
	'all pages are all changes, in the order of the key');

# NDJSON: all changes, whatever page; HEAD as GET; no CSV, unless JSON will do
my $lines = $service->get("$path&limit=3", Accept => $ndjson);
is($lines->{status}, 200, 'NDJSON is 200');
is(scalar(my @changes = split /\n/, $lines->{body}), 200, 'NDJSON has all changes');
is_deeply(Cpanel::JSON::XS::decode_json($changes[100]), $page->{json}{data}[2], 'a line is a change');
my $head = $service->head("$path&limit=3", Accept => $ndjson);
is($head->{status}, 200, 'HEAD: the status of GET');
is($head->{headers}{$_}, $lines->{headers}{$_}, "HEAD: $_ of GET") for 'content-type', 'content-range', 'link', 'vary';
is($service->get($path, Accept => 'text/csv')->{status}, 406, 'no CSV');
is($service->get($path, Accept => 'text/csv, application/json;q=0.5')->{headers}{'content-type'}, 'application/json',
	'JSON instead');

# to the present; none
is($service->get("/files/$file/changes?from=$one&key=id")->{json}{meta}{count}, 200, 'to the present');
is($service->get("/files/$file/changes?from=$two&key=id")->{status}, 200, 'no changes are 200');
is($service->get("/files/$file/changes?from=$two&key=id", Accept => $ndjson)->{body}, '', 'no changes are no lines');

# conditional requests
is($service->get($path, 'If-None-Match' => $service->get($path)->{headers}{etag})->{status}, 304, 'the tag gets 304');

# errors; an unknown column is told with those that there are
my $unknown = $service->get("/files/$file/changes?from=$one&key=colour");
is($unknown->{status}, 422, 'an unknown column is 422');
is_deeply($unknown->{json}{data}, { columns => [ 'id', 'name' ] }, 'with the columns that there are')
	or diag($unknown->{body});
for ([ 'key=id', 422 ], [ "from=$one", 422 ], [ 'from=x&key=id', 422 ], [ "from=$one&key=id&sheet=9", 404 ])
{
	is($service->get("/files/$file/changes?$_->[0]")->{status}, $_->[1], "$_->[0]: $_->[1]");
	is($service->get("/files/$file/changes?$_->[0]", Accept => $ndjson)->{status}, $_->[1], "$_->[0] as NDJSON: $_->[1]");
}
is($service->get("$path&colour=red", Prefer => 'handling=strict')->{status}, 422,
	'strict handling refuses unknown names');
is($service->get("/files/zzzzzzzzzzzzzzz/changes?from=$one&key=id")->{status}, 404, 'an unknown file is 404');
is($service->post("/files/$file/changes", {})->{status}, 405, 'POST is not allowed');

# outsiders see the changes of published files; of an instant when it was not published none
is($service->get($path, Authorization => undef)->{status}, 404, 'hidden from outsiders');
is($service->patch("/files/$file/publish")->{status}, 200, 'published');
is($service->get($path, Authorization => undef)->{status}, 404, 'hidden as of then');
my $three = load(sprintf $rows, q{'row ' || n}, 1, 3);
load(sprintf $rows, q{'row ' || n}, 1, 4);
is($service->get("/files/$file/changes?from=$three&key=id", Authorization => undef)->{json}{meta}{added}, 1,
	'shown to outsiders since');

# contents that are still to be parsed
$service->sql("UPDATE catalogue.files SET parse_state = 'pending', revision = NULL WHERE id = '$file'");
my $busy = $service->get("/files/$file/changes?from=$three&key=id");
is($busy->{status}, 409, 'a version that is still to be parsed: 409');
is_deeply($busy->{json}{data}, { parseState => 'pending', parseReason => undef }, 'the error has its state')
	or diag($busy->{body});

$service->finish;
