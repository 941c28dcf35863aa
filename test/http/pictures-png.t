#!/usr/bin/perl
# Charts, maps and rows as PNG: what the worker makes of the SVG, once for each picture; for those who may see the
# record; what is refused, and what is told where it cannot be made; the sandbox of the program that draws.

use strict;
use warnings;

use Digest::SHA qw(sha256_hex);
use File::Temp ();
use Test::More;
use Catalogue::Program qw(needed);
use Catalogue::Test;
use Catalogue::Upload;
use Catalogue::Worker;

my $service = Catalogue::Test->start->as_admin;
my $uploads = Catalogue::Upload->new($service);
my $worker  = Catalogue::Worker->start($service);
my $basemap = $service->get('/basemaps/first')->{json}{data}{id};
my %nobody  = (Authorization => undef);
my %async   = (Prefer => 'respond-async');
my $csv     = join "\n", 'place;lat;lon;n',
	map { sprintf 'P%d;%.3f;%.3f;%d', $_ % 7, 40 + $_ / 10, 5 - $_ / 20, $_ } 1 .. 100;
my $file    = $worker->wait_for_file($uploads->file('places.csv', "$csv\n")->{id})->{id};

sub make
{
	my ($resource, %values) = @_;
	my $reply = $service->post("/$resource", \%values);
	is($reply->{status}, 201, "$values{name} is made") or diag $reply->{body};
	return ($reply->{headers}{location} =~ m{(/$resource/[^/?]+)$})[0];
}

# Width and height of a PNG
sub size
{
	my ($bytes) = @_;
	return $bytes =~ /^\x89PNG\r\n\x1A\n....IHDR(........)/s ? unpack('NN', $1) : ();
}

my $chart = make('charts', name => 'Sums', type => 'bar', dataSeries => [qw(place n)], dataType => 'quantitative',
	file => $file);
my $map = make('maps', name => 'Places', basemap => $basemap, latitudeKey => 'lat', longitudeKey => 'lon',
	file => $file);
for my $path ($chart, $map, "/files/$file")
{
	my $svg   = $service->get("$path/image");
	my $reply = $service->get("$path/image/png");
	is($reply->{status}, 200, "$path is drawn as PNG") or diag $reply->{body};
	is($reply->{headers}{'content-type'}, 'image/png', 'of that type');
	like($reply->{headers}{'content-disposition'}, qr/^inline; filename="[\w-]+\.png"$/, 'to be shown');
	like($reply->{headers}{'content-security-policy'}, qr/sandbox/, 'without rights');
	my ($width, $height)   = size($reply->{body});
	my ($wanted, $relation) = $svg->{body} =~ /viewBox="0 0 (\d+) (\d+)"/;
	is($width, 1440, 'with its width') or next;
	is($height, $width * $relation / $wanted, 'and the proportions of the SVG');
	is($service->get("$path/image/png", 'If-None-Match' => $reply->{headers}{etag})->{status}, 304,
		'known by its tag');
	is($service->get("$path/image/png", %nobody)->{status}, 404, 'who may not see the record gets none');
}
my $made = $service->sql('SELECT count(*) FROM catalogue.made_picture');
is($made, 3, 'three pictures are kept');
$service->get("$chart/image/png");
is($service->sql('SELECT count(*) FROM catalogue.made_picture'), $made, 'and none is made twice');
sub tag { my ($path) = @_; return $service->get($path)->{headers}{etag} }
isnt(tag("$chart/image/png?lang=es"), tag("$chart/image/png"), 'a language has its own');
isnt(tag("/files/$file/image/png?n[lt]=20"), tag("/files/$file/image/png"), 'and a selection of rows');

my $before = tag("$chart/image/png");
is($service->patch($chart, { type => 'pie' })->{status}, 200, 'a chart is changed');
isnt(tag("$chart/image/png"), $before, 'its picture is another one at once');

# what is refused
is($service->get("$chart/image/gif")->{status}, 406, 'another format is refused');
like($service->get("$chart/image/gif")->{json}{meta}{hint}, qr/png/, 'with the one that is offered');
is($service->get('/charts/none/image/png')->{status}, 404, 'a chart that does not exist');
is($service->get("$chart/image/png?lang=xx")->{status}, 422, 'a language that does not exist');
is($service->get("/datasets/$uploads->{dataset}/image/png")->{status}, 404, 'extents are not made');
is($service->post("$chart/image/png", {})->{status}, 405, 'it is only read');

# without a worker: the job, which is one for the same picture
$worker->finish;
my $later = $service->get("$map/image/png?lang=pt", %async);
is($later->{status}, 202, 'without a worker it is accepted') or diag $later->{body};
is($service->get("$map/image/png?lang=pt", %async)->{json}{links}{job}, $later->{json}{links}{job}, 'once');
my ($job) = $later->{json}{links}{job} =~ m{(/jobs/.*)};
is($service->get($job, %nobody)->{status}, 404, 'outsiders see no job of it');
my ($id) = $map =~ m{([^/]+)$};
$service->sql("SELECT catalogue.enqueue('convert', 'map', '$id', jsonb_build_object('form', 'png?' || n, 'query', '')) "
	. 'FROM generate_series(1, 19) n');
is($service->get("$map/image/png?lang=es", %async)->{status}, 429, 'twenty may wait, and no more');
is($service->get("$map/image/png?lang=pt", %async)->{status}, 202, 'but those that do');
$service->sql(q(DELETE FROM catalogue.job_queue WHERE details ->> 'form' ~ '^png[?][0-9]+$'));
$service->sql(q(UPDATE catalogue.job_queue SET details = details || '{"query": "lang=es"}'));
$worker = Catalogue::Worker->start($service);
$worker->wait_for('the end of the job', sub { $service->sql(q(SELECT count(*) FROM catalogue.job_queue)) == 0 });
is($service->sql(q(SELECT reason FROM catalogue.jobs WHERE state = 'failed')),
	'what was to be drawn is another picture by now',
	'a picture that has changed meanwhile is not kept under the name of the former one');

# where it cannot be made
$service->sql("UPDATE catalogue.made_picture SET blob = NULL, reason = 'it could not be drawn'");
my $refused = $service->get("$map/image/png");
is($refused->{status}, 406, 'a picture that cannot be made is refused');
is($refused->{json}{meta}{message}, 'the picture cannot be made as PNG: it could not be drawn', 'with the reason');
like($refused->{json}{meta}{hint}, qr{^/maps/[^/]+/image has it as SVG\.$}, 'and what there is');
$service->sql(q(UPDATE catalogue.made_picture SET made_at = made_at - interval '11 min'));
is($service->get("$map/image/png")->{status}, 200, 'ten minutes later it is tried again');
$service->sql('INSERT INTO catalogue.made_picture (digest) SELECT n FROM generate_series(1, 1100) n');
$service->get("$map/image/png?lang=es");
is($service->sql('SELECT count(*) FROM catalogue.made_picture'), 1000, 'a thousand are kept');

# the program
my $folder = File::Temp->newdir;
sub drawn
{
	my ($svg) = @_;
	open my $in, '>', "$folder/in.svg" or die;
	print $in $svg;
	close $in;
	my $worker = needed('CATALOGUE_SHIM') =~ s/catalogue-shim$/catalogue-worker/r;
	my $bytes = `'$worker' --draw < $folder/in.svg 2> $folder/errors`;
	return ($bytes, $? >> 8);
}
my $head = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 72 36">';
my ($empty) = drawn("$head</svg>");
is_deeply([ size($empty) ], [ 1440, 720 ], 'it draws');
my ($text) = drawn("$head<text y='20' font-family='sans-serif'>Text</text></svg>");
isnt(sha256_hex($text), sha256_hex($empty), 'with the text');
open my $secret, '>', "$folder/secret.svg" or die;
print $secret "$head<rect width='72' height='36'/></svg>";
close $secret;
for my $address ("file://$folder/secret.svg", "$folder/secret.svg", "http://127.0.0.1:$service->{port}/health")
{
	my ($with) = drawn("$head<image width='72' height='36' xlink:href='$address'/></svg>");
	is(sha256_hex($with), sha256_hex($empty), "it shows nothing of $address");
}
isnt((drawn('no picture'))[1], 0, 'what is no SVG is an error');

$worker->finish;
$service->finish;
