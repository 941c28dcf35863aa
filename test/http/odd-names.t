#!/usr/bin/perl
# Columns with names that need escaping, and columns of arrays: every answer is valid JSON, CSV or NDJSON, and every
# link with such a name can be followed.

use strict;
use warnings;
use utf8;

use Cpanel::JSON::XS ();
use Test::More;
use Catalogue::Test;
use Catalogue::Upload;

my $service = Catalogue::Test->start->as_admin;
my @columns = ('a"b', 'back\\slash', "tab\there", "line\nfeed", "bell\x07", '日本語', 'x' x 63, 'select', '1st', 'a.b',
	'a&b=c', '%s', '</script>');
my $columns = join ', ', map { '"' . s/"/""/gr . '" varchar(40)' } @columns;
my $usual   =
	'created_at timestamptz NOT NULL DEFAULT now(), updated_at timestamptz NOT NULL DEFAULT now(), deleted_at timestamptz';
utf8::encode($columns);
$service->sql("CREATE TABLE catalogue.odds (id catalogue.id PRIMARY KEY, labels text[], $columns, $usual)");
$service->sql(q(SELECT catalogue.expose('odds', 'Odd')));
$service->sql(q(CREATE TABLE catalogue.odds_tags (odd catalogue.id NOT NULL CONSTRAINT "its ""tags"
	REFERENCES catalogue.odds, tag catalogue.id NOT NULL CONSTRAINT "odd\\ones" REFERENCES catalogue.tags,
	position integer NOT NULL DEFAULT 1, deleted_at timestamptz)));
$service->sql(q(SELECT catalogue.expose_links('catalogue.odds_tags')));

sub coded { my ($text) = @_; utf8::encode($text); return $text =~ s/([^A-Za-z0-9])/sprintf '%%%02X', ord $1/ger }

# records are created and read with each name
my $tag = $service->get('/tags/first')->{json}{data}{id};
for my $value ('first', 'second')
{
	my $reply = $service->post('/odds', { labels => [ 'a"b', 'c,d' ], 'its "tags' => [$tag],
		map { $_ => "$value $_" =~ s/\A(.{1,40}).*\z/$1/sr } @columns }, Prefer => 'return=representation');
	is($reply->{status}, 201, "created: $value");
	is_deeply([ map { $reply->{json}{data}{$_} } @columns ], [ map { "$value $_" =~ s/\A(.{1,40}).*\z/$1/sr } @columns ],
		'each value is under its name');
	is_deeply($reply->{json}{data}{labels}, [ 'a"b', 'c,d' ], 'an array is returned as an array');
}

# constraints: one that is checked at once has its comment, one that is deferred its name alone
$service->sql(q(ALTER TABLE catalogue.odds
	ADD CONSTRAINT "two ""labels" CHECK (cardinality(labels) = 2 OR "%s" IS NOT NULL),
	ADD CONSTRAINT "select ""once" EXCLUDE ("select" WITH =) DEFERRABLE INITIALLY DEFERRED));
$service->sql(q(COMMENT ON CONSTRAINT "two ""labels" ON catalogue.odds IS 'There are "two"'));
my $reply = $service->post('/odds', { labels => ['a'] });
is($reply->{status}, 400, 'a constraint of two fields refuses a record');
is_deeply($reply->{json}{data}, { 'two "labels' => [ { rule => 'check', message => 'is not met: There are "two"' } ] },
	'the answer has its name and its comment');
$service->post('/odds', { labels => [ 'once', 'more' ], select => 'once' });
$reply = $service->post('/odds', { labels => [ 'once', 'more' ], select => 'once' });
is($reply->{status}, 400, 'so does one that is checked at the end');
is_deeply($reply->{json}{data}, { 'select "once' => [ { rule => 'check', message => 'is not met' } ] },
	'the answer has its name');
$service->sql(q(ALTER TABLE catalogue.odds DROP CONSTRAINT "select ""once", DROP CONSTRAINT "two ""labels"));
$service->sql(q(DELETE FROM catalogue.odds WHERE labels = '{once,more}'));

# links to relations with such names
my $item = $service->get('/odds/first');
is_deeply([ sort keys %{ $item->{json}{links}{collections} } ], ['its "tags'], 'the relation has a link');
$reply = $service->follow($item->{json}{links}{collections}{'its "tags'});
is_deeply([ map { $_->{id} } @{ $reply->{json}{data} } ], [$tag], 'the link gives the related records');
$reply = $service->follow($service->get("/tags/$tag")->{json}{links}{collections}{'odd\\ones'});
is($reply->{json}{meta}{count}, 2, 'so does the link in the other direction');

# the description of the resource
my $described = $service->options('/odds');
is($described->{status}, 200, 'OPTIONS is valid JSON');
my ($post) = grep { $_->{verb} eq 'POST' } @{ $described->{json}{data}{methods} // $described->{json}{methods} // [] };
ok($post, 'OPTIONS has POST');
is_deeply([ grep { !exists $post->{parameters}{$_} } @columns, 'labels', 'its "tags' ], [], 'OPTIONS has all fields');
is_deeply([ @{ $post->{parameters}{labels} }{qw(type items)} ], [qw(array string)],
	'OPTIONS describes an array of strings');

# filters, order and fields by each name, and the links of such pages
for my $column (@columns)
{
	my $first = "first $column" =~ s/\A(.{1,40}).*\z/$1/sr;
	$reply = $service->get(sprintf '/odds?%s=%s&match=EXACT', coded($column), coded($first));
	is($reply->{json}{meta}{count}, 1, coded($column) . ': as a filter');
	$reply = $service->get(sprintf '/odds?orderBy=%s&fields=%1$s&limit=1',
		coded($column =~ /"/ ? '"' . $column =~ s/"/""/gr . '"' : $column));
	is($reply->{json}{data}[0]{$column}, $first, coded($column) . ': in orderBy and fields');
	$reply = $service->follow($reply->{json}{links}{next});
	like($reply->{json}{data}[0]{$column}, qr/\Asecond/, coded($column) . ': the next page');
}

# CSV has the names in its first line, NDJSON in each line
$reply = $service->get('/odds?fields=' . coded('"a""b",labels'), Accept => 'text/csv');
like($reply->{body}, qr/\Aid,labels,"a""b"\r\n[^,]+,"\[""a\\""b"",""c,d""\]","first a""b"\r\n/, 'CSV');
$reply = $service->get('/odds', Accept => 'application/x-ndjson');
is_deeply([ map { Cpanel::JSON::XS->new->allow_nonref->utf8->decode($_)->{'a"b'} } split /\n/, $reply->{body} ],
	[ 'first a"b', 'second a"b' ], 'NDJSON');

# errors have the names of the fields
$reply = $service->post('/odds', { 'a"b' => 'x' x 41, labels => [7] });
is($reply->{status}, 400, 'faults');
is_deeply([ map { $reply->{json}{data}{$_}[0]{rule} } 'a"b', 'labels' ], [qw(maxLength type)],
	'errors are listed by field');
is_deeply($service->get('/odds?' . coded('no"such') . '=1')->{json}{meta}{ignored}, ['no"such'],
	'an unknown name is reported as ignored');

# a form sends an array as separate values or as JSON
my $upload = Catalogue::Upload->new($service);
$service->sql('ALTER TABLE catalogue.files ADD COLUMN labels text[]');
for my $labels ('a,b', '["a","b"]')
{
	is_deeply($upload->file('labels.csv', "a,b\n1,2\n", labels => $labels)->{labels}, [qw(a b)], "a form with $labels");
}

$service->finish;
