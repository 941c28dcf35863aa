#!/usr/bin/perl
# New bytes of a file: one date tells of them, in the download, the sitemap and the page of the dataset; and conditions
# by that date (RFC 9110): If-None-Match goes first, If-Range takes it exactly.

use strict;
use warnings;

use Time::Local qw(timegm);
use Test::More;
use Catalogue::Clock qw(wait_until);
use Catalogue::Definition;
use Catalogue::Test;
use Catalogue::Upload;

my $service = Catalogue::Test->shared->as_admin;
my $uploads = Catalogue::Upload->new($service);
my $dataset = $uploads->{dataset};
is($service->patch("/datasets/$dataset", { status => 'qWRhpRV' })->{status}, 200, 'the dataset is published');
my $file = $uploads->file('dated.csv', "a,b\n1,x\n", name => 'Dated', status => 'qWRhpRV')->{id};
my $path = "/files/$file/download";
my %month;
@month{qw(Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec)} = 0 .. 11;

# Seconds of a date of HTTP, and of JSON.
sub seconds
{
	my ($date) = @_;
	return timegm($6, $5, $4, $3, $2 - 1, $1) if $date =~ /^(\d+)-(\d+)-(\d+)T(\d+):(\d+):(\d+)/;
	return $date =~ /^\w{3}, (\d\d) (\w{3}) (\d{4}) (\d\d):(\d\d):(\d\d) GMT$/
		? timegm($6, $5, $4, $1, $month{$2}, $3) : undef;
}

# A date of HTTP so many seconds from another one, in one of its three forms.
sub date
{
	my ($date, $more, $form) = @_;
	my @part  = gmtime seconds($date) + $more;
	my @days  = qw(Sunday Monday Tuesday Wednesday Thursday Friday Saturday);
	my @names = sort { $month{$a} <=> $month{$b} } keys %month;
	my $time  = sprintf '%02d:%02d:%02d', @part[ 2, 1, 0 ];
	return sprintf '%s, %02d-%s-%02d %s GMT', $days[ $part[6] ], $part[3], $names[ $part[4] ], $part[5] % 100, $time
		if ($form // '') eq 'rfc850';
	return sprintf '%.3s %s %2d %s %d', $days[ $part[6] ], $names[ $part[4] ], $part[3], $time, $part[5] + 1900
		if ($form // '') eq 'asctime';
	return sprintf '%.3s, %02d %s %d %s GMT', $days[ $part[6] ], $part[3], $names[ $part[4] ], $part[5] + 1900, $time;
}

# The dates that the service tells.
sub dates
{
	my ($sitemap) = $service->get('/sitemap.xml')->{body} =~ m{/datasets/$dataset</loc><lastmod>([^<]*)};
	my ($page)    = $service->get("/datasets/$dataset", Accept => 'text/html')->{body} =~ m{"dateModified":\s*"([^"]*)"};
	my ($entry)   = grep { $_->{landingPage} =~ /\Q$dataset\E$/ } @{ $service->get('/data.json')->{json}{dataset} };
	return { download => seconds($service->get($path)->{headers}{'last-modified'}), sitemap => seconds($sitemap),
		page => seconds($page), dcat => seconds($entry->{modified}),
		file => seconds($service->get("/files/$file")->{json}{data}{updatedAt}) };
}

my $first = $service->get($path);
my $then  = $first->{headers}{'last-modified'};
is(seconds($then), seconds($service->get("/files/$file")->{json}{data}{updatedAt}),
	"Last-Modified is a date of HTTP: $then");
is($service->head($path)->{headers}{'last-modified'}, $then, 'HEAD: the same');
is($service->get("/files/$file/view")->{headers}{'last-modified'}, $then, 'view: the same');

# conditions, and those that are none
for my $verb (qw(GET HEAD))
{
	for my $form (qw(fixdate rfc850 asctime))
	{
		is($service->request($verb, $path, undef, 'If-Modified-Since' => date($then, 0, $form))->{status}, 304,
			"$verb: not modified since, as $form");
		is($service->request($verb, $path, undef, 'If-Modified-Since' => date($then, -1, $form))->{status}, 200,
			"$verb: modified since, as $form");
	}
	my $unchanged = $service->request($verb, $path, undef, 'If-Modified-Since' => date($then, 60));
	is($unchanged->{status}, 304, "$verb: a later date");
	is($unchanged->{headers}{$_}, $first->{headers}{$_}, "$verb: 304 has $_") for qw(etag last-modified);
	is($service->request($verb, $path, undef, 'If-Modified-Since' => $_)->{status}, 200, "$verb: ignored: $_")
		for 'yesterday', "$then x", '2026-11-28', 'Sat, 99 Nov 2026 00:00:00 GMT', '';
	is($service->request($verb, $path, undef, 'If-Modified-Since' => date($then, 60),
		'If-None-Match' => '"other"')->{status}, 200, "$verb: If-None-Match goes first: it says that it has changed");
	is($service->request($verb, $path, undef, 'If-Modified-Since' => date($then, -60),
		'If-None-Match' => $first->{headers}{etag})->{status}, 304,
		"$verb: If-None-Match goes first: it says that it has not");
	is($service->request($verb, $path, undef, 'If-Modified-Since' => date($then, 60), 'If-Match' => '"other"')->{status},
		412, "$verb: If-Match fails before");
}
for ([ $then, 206 ], [ date($then, 0, 'rfc850'), 206 ], [ date($then, -1), 200 ], [ date($then, 1), 200 ],
	[ 'yesterday', 200 ], [ $first->{headers}{etag}, 206 ], [ '"other"', 200 ])
{
	is($service->get($path, Range => 'bytes=0-1', 'If-Range' => $_->[0])->{status}, $_->[1], "If-Range: $_->[0]: $_->[1]");
}
is($service->get($path, Range => 'bytes=0-1', 'If-Modified-Since' => $then)->{status}, 304,
	'a range of what has not changed');

# new bytes, and other ones at once
my $before = dates();
my %seen   = (seconds($then) => 1);
for my $row (2 .. 3)
{
	# header fields have no parts of seconds
	wait_until('another second', sub { !$seen{ time() } });
	my ($form, %type) = form(part('uploadFile', "a,b\n$row,y\n", file => 'dated.csv'));
	is($service->request('PUT', "/files/$file", $form, %type)->{status}, 200, 'new bytes');
	is($service->get($path, 'If-Modified-Since' => $then)->{status}, 200, 'the condition of the former ones fails');
	is($service->get($path, Range => 'bytes=0-1', 'If-Range' => $then)->{status}, 200, 'and so does their range');
	my $now = seconds($service->get("/files/$file")->{json}{data}{updatedAt});
	$seen{$now}++;
}
my $after = dates();
cmp_ok($after->{$_}, '>', $before->{$_}, "$_ moves") for qw(file sitemap page dcat);
is($after->{$_}, $after->{file}, "$_: the one date") for qw(sitemap page dcat);
cmp_ok(abs($after->{download} - $after->{file}), '<=', 3, 'download: the same, and never later than now');
is($service->get('/sitemap.xml', 'If-None-Match' => $service->get('/sitemap.xml')->{headers}{etag})->{status}, 304,
	'the sitemap: unchanged');

# bytes that the service itself replaces, for which no user acts
$before = dates();
my $logged = $service->sql("SELECT count(*) FROM catalogue.logs WHERE resource = '$file' AND \"user\" IS NULL");
wait_until('another second', sub { time > $before->{file} });
my $tag = $service->get('/sitemap.xml')->{headers}{etag};
$service->sql("UPDATE catalogue.files SET size = 5, sha256 = repeat('a', 64) WHERE id = '$file'");
cmp_ok(dates()->{$_}, '>', $before->{$_}, "bytes of the service: $_ moves") for qw(sitemap page dcat);
is($service->get('/sitemap.xml', 'If-None-Match' => $tag)->{status}, 200, 'the sitemap has another tag');
is($service->sql("SELECT count(*) FROM catalogue.logs WHERE resource = '$file' AND \"user\" IS NULL"), $logged + 1,
	'and the log has it, as of no user');
eval { $service->sql("UPDATE catalogue.files SET updated_at = now() + interval '1 day' WHERE id = '$file'") };
like($@, qr/readOnly|kept by the service/, 'updated_at alone is not written by a statement');

# what an outsider does not see moves nothing
is($service->request('PATCH', "/files/$file/unpublish")->{status}, 200, 'hidden');
my $hidden = dates();
$service->sql("UPDATE catalogue.files SET size = 6, sha256 = repeat('b', 64) WHERE id = '$file'");
is(dates()->{sitemap}, $hidden->{sitemap}, 'a hidden file does not move the sitemap');

# images of categories
my ($form, %type) = form(part('uploadImage', '<svg xmlns="http://www.w3.org/2000/svg"/>', file => 'a.svg'));
my $category = Catalogue::Definition->new($service)->create('categories');
$service->request('PUT', "/categories/$category", $form, %type);
my $image = $service->get("/categories/$category/image");
ok(defined seconds($image->{headers}{'last-modified'}), 'an image has a date');
is($service->get("/categories/$category/image",
	'If-Modified-Since' => date($image->{headers}{'last-modified'}, 5))->{status}, 304, 'an image: not modified');

$service->finish;
