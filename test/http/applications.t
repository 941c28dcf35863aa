#!/usr/bin/perl
# The calls of the existing web applications, in their order and with their headers and bodies:
# the admin application (a consumer's token in Authorization, the user's beside it), and the
# public portal (a consumer's token alone), on a private service on which both are registered.

use strict;
use warnings;
use utf8;

use Test::More;
use Catalogue::Client qw($json);
use Catalogue::Clock qw(poll wait_until);
use Catalogue::Test;
use Catalogue::Upload;
use Catalogue::Worker;

my $service = Catalogue::Test->start(CATALOGUE_PRIVATE => 'on', CATALOGUE_THREADS => 1);
my $worker  = Catalogue::Worker->start($service);
$service->sql(
	q(SELECT catalogue.register_web_application('Admin', '{https://admin.example}', id => 'admin-app', basemaps => true)));
$service->sql(q(SELECT catalogue.register_web_application('Portal', '{https://portal.example}', id => 'portal-app')));
my @form  = ('Content-Type' => 'application/x-www-form-urlencoded');
my $svg   = '<svg xmlns="http://www.w3.org/2000/svg"><circle r="4"/></svg>';
my %sends = (Accept => 'application/json, text/plain, */*', 'Cache-Control' => 'no-cache', Pragma => 'no-cache');
my %as;

# Make a call, test its status, return the decoded body.
sub call
{
	my ($status, $verb, $path, $body, %headers) = @_;
	my $reply = $service->request($verb, $path, $body, %sends, Origin => $as{origin}, %{ $as{headers} }, %headers);
	my $name  = "$as{name}: $verb " . ($path =~ s/\b(?=\w*\d)\w{15}\b/<id>/gr);
	like($reply->{status}, qr/^(?:$status)$/, $name) || diag $reply->{body};
	ok($reply->{status} < 400 ? !exists $reply->{json}{code} : $reply->{json}{code},
		"$name: a code at the top on errors only") if $reply->{json};
	return $reply->{json} // $reply;
}
sub token { return call(200, POST => '/clients/tokens', { consumer => $_[0], consumerId => $_[1] })->{data} }
sub multipart { my ($body, @type) = form(@_); return ($body, @type) }

# --- the admin application: log in
%as = (name => 'admin', origin => 'https://admin.example', headers => {});
$as{headers}{Authorization} = 'Bearer ' . token('Admin', 'admin-app');
is(call(401, POST => '/users/login', { username => 'admin', password => 'wrong' })->{code}, 'E_USER_NOT_FOUND',
	'a wrong password is refused');
my $login = call(200, POST => '/users/login',
	{ username => 'admin', password => $ENV{CATALOGUE_ADMIN_PASSWORD} })->{data};
is_deeply([ sort keys %$login ], [qw(role token user username)], 'the members of a login');
$as{headers}{'X-Admin-Authorization'} = $login->{token};
my $me = call(200, GET => "/users/$login->{user}?include=organization")->{data};
is($me->{fullName}, "$me->{firstName} $me->{lastName}", 'the full name');
is(ref $me->{organization}, 'HASH', 'relations are embedded records');
call(200, GET => "/users/refreshToken/$login->{user}");

# dashboard: counts, the action log, settings
for my $counted (
	qw(datasets files categories organizations users tags maps charts basemaps filetypes updatefrequencies statuses views))
{
	my $data = call(200, GET => "/$counted/count?deletedAt=null")->{data};
	like($data->{count}, qr/^\d+$/, "how many $counted");
}
call('200|206', GET => '/logs?include=user&orderBy=createdAt&sort=DESC&limit=20&skip=0&window=500');
call('200|206', GET => '/configs?key=adminPagination,logWhitelist&match=EXACT&limit=0');
call('200|206', GET => '/statistics?resource=datasets&limit=20');
call('200|206', GET => '/fileTypes?orderBy=name&sort=ASC');
is_deeply(call(200, GET => '/roles?deletedAt=null')->{data},
	[ map { { id => $_, name => $_ } } qw(superadmin admin guest) ], 'roles');
my ($config) = @{ call('200|206', GET => '/configs?key=frontEndUrl&match=EXACT')->{data} };
call(308, GET => "/Config/$config->{id}?include=parent");

# categories: with an image, without one, and with each text that clients send for "no image"
my ($body, @type) = multipart(field(name => 'Energy', description => 'Power and light', color => '#00aaff',
	active => 'true', parent => 'null', deletedAt => 'null'),
	part('uploadImage', $svg, file => 'energy.svg', type => 'image/svg+xml'));
my $energy = call(201, POST => '/categories', $body, @type)->{data};
is($energy->{color}, '#00aaff', 'a colour has the form of CSS');
like($energy->{image}, qr{/categories/$energy->{id}/image$}, 'the record has the address of the image');
for my $none ('null', 'undefined', '')
{
	($body, @type) =
		multipart(field(name => 'Energy, no image' . length($none), color => '#00aaff'), part('uploadImage', $none));
	is(call(201, POST => '/categories', $body, @type)->{data}{image}, undef, "no image: \"$none\"");
}
my $solar = call(201, POST => '/categories',
	{ name => 'Solar', color => '#ffaa00', parent => { id => $energy->{id} } })->{data};
is($solar->{parent}{id}, $energy->{id}, 'a relation is taken from an embedded record');
($body, @type) = multipart(field(map { $_ => ref $energy->{$_} ? $json->encode($energy->{$_}) : $energy->{$_}
	// 'null' } grep { $_ ne 'description' } keys %$energy), field(description => 'Power'));
is(call(200, PUT => "/categories/$energy->{id}", $body, @type)->{data}{description}, 'Power',
	'an update takes back the whole record as a form');
call('200|206', GET => '/categories?include=parent,subcategories,datasets,datasetsSubcategories&orderBy=name&sort=ASC&'
	. 'limit=10&skip=0&createdBy=' . "$login->{user},$login->{user}");
call(200, POST => "/categories/$solar->{id}/deactivate");
ok(call(200, GET => "/categories/$solar->{id}")->{data}{deletedAt}, 'a deactivated category is shown to users');
call(200, POST => "/categories/$solar->{id}/restore");
is(call(200, GET => "/categories/$solar->{id}")->{data}{deletedAt}, undef, 'a category is restored');

# organizations, and users
my $office = call(201, POST => '/organizations',
	{ name => 'Energy Office', description => '', address => '', parent => undef, slug => 'x', createdBy => $me })->{data};
$office = call(200, PATCH => "/organizations/$office->{id}", { %$office, address => 'Main Street 1' })->{data};
is($office->{address}, 'Main Street 1', 'an organization is updated');
call(200, DELETE => "/organizations/$office->{id}");
call(404, GET => "/organizations/$office->{id}");
call(200, POST => "/organizations/$office->{id}/restore");
my $user = call(201, POST => '/users', { username => 'ana.rios', password => 'una clave larga',
	email => 'ana@example.org', firstName => 'Ana', lastName => 'Ríos',
	active => Cpanel::JSON::XS::true, role => 'guest', organization => $office->{id} })->{data};
is($user->{fullName}, 'Ana Ríos', 'a user is created');
ok(!exists $user->{password}, 'the answer has no password');
is(call(400, POST => '/users', { %$user, password => 'una clave larga' })->{data}{username}[0]{rule}, 'unique',
	'a second user of the same name is refused');
is(call(200, PUT => "/users/$user->{id}", { %$user, role => 'admin' })->{data}{role}, 'admin',
	'an update takes back the whole record of a user');
call(200, POST => "/users/$user->{id}/$_") for qw(deactivate restore);
call('200|206', GET => '/users?include=organization&organization.name=Energy&orderBy=lastName&limit=10');

# tags, as a form that a browser encodes
my $tag = call(201, POST => '/tags', 'name=Energ%C3%ADa+limpia', @form)->{data};
is($tag->{slug}, 'energia-limpia', 'a tag is created from a form');
call('200|206', GET => '/tags/search?query=energ&limit=10');
call(400, POST => '/tags', 'name=Energ%C3%ADa+limpia', @form);

# basemaps and maps
my $basemap = call(201, POST => '/basemaps', { name => 'Relief', url => 'https://tiles.example/{z}/{x}/{y}.png',
	maxZoom => 17, minZoom => 1, tms => Cpanel::JSON::XS::false })->{data};
call(200, PATCH => "/basemaps/$basemap->{id}", { %$basemap, maxZoom => 16 });
call(200, POST => "/basemaps/$basemap->{id}/$_") for qw(deactivate restore);

# datasets: created as a draft, edited with the whole record, files that are an empty text
my %status = map { $_->{name} => $_->{id} } @{ call('200|206', GET => '/statuses')->{data} };
is_deeply([ @status{qw(Draft Published)} ], [qw(nWRhpRV qWRhpRV)], 'the statuses have their ids');
my $dataset = call(201, POST => '/datasets', { name => 'Solar plants', description => 'Plants and their power',
	notes => '', visible => Cpanel::JSON::XS::true, starred => Cpanel::JSON::XS::false,
	categories => $energy->{id}, subcategories => $solar->{id}, tags => [ $tag->{id} ], status => 'nWRhpRV',
		owner => { id => $login->{user} }, files => '', optional1 => 'x', optionals => {} })->{data};
is($dataset->{status}{id}, 'nWRhpRV', 'the dataset is a draft');
my $whole = call(200, GET => "/datasets/$dataset->{id}?include=tags,files,categories,subcategories")->{data};
is_deeply([ map { $_->{id} } map { @{ $whole->{$_} } } qw(categories subcategories tags) ],
	[ $energy->{id}, $solar->{id}, $tag->{id} ], 'the dataset has its relations');
my ($by_sub) =
	@{ call(200, GET => "/categories/$solar->{id}?include=datasetsSubcategories")->{data}{datasetsSubcategories} };
is($by_sub->{id}, $dataset->{id}, 'the category lists the dataset by its subcategory');

# files: a CSV, and its rows
my ($csv)  = map { $_->{id} } grep { $_->{name} eq 'csv' } @{ call('200|206', GET => '/filetypes?limit=100')->{data} };
my ($freq) = map { $_->{id} } @{ call('200|206', GET => '/updatefrequencies')->{data} };
my $rows   = join '', "plant,power,lat,lon\r\n", map { "Plant $_,$_.5,-3$_.1,-6$_.2\r\n" } 1 .. 9;
($body, @type) = multipart(part('uploadFile', $rows, file => 'Plants & power.csv', type => 'text/csv'),
	field(name => 'Plants', description => '', notes => '', visible => 'true', visibility => 'true', layout => 'false',
		urgent => 'false', gatheringDate => '2026-01-31', type => $csv,
		status => 'nWRhpRV', organization => $office->{id}, dataset => $dataset->{id}, owner => $login->{user},
			updateFrequency => $freq, optionals => '{}'));
my $file = call(201, POST => '/files', $body, @type)->{data};
is($file->{fileName}, 'plants.csv', 'a file is created');
like($file->{url}, qr{/files/plants\.csv/download$}, 'the file has the address of its bytes');
poll(120, sub {
	$file = $service->get("/files/$file->{id}", %{ $as{headers} })->{json}{data};
	return $file->{parseState} ne 'pending';
});
is($file->{parseState}, 'ready', 'the file is parsed');
is(call('200|206', GET => "/files/$file->{id}/contents?limit=5&skip=0")->{data}[0]{plant}, 'Plant 1',
	'the first row of the file');
is(call(200, PUT => "/files/$file->{id}", { %$file, notes => 'of 2026' })->{data}{notes}, 'of 2026',
	'an update takes back the whole record of a file');
my $map = call(201, POST => '/maps', { name => 'Plants', description => '', file => $file->{id},
	basemap => $basemap->{id}, latitudeKey => 'lat', longitudeKey => 'lon', properties => 'plant,power',
	kml => Cpanel::JSON::XS::false, status => 'nWRhpRV', link => '' })->{data};
is($map->{kml}, Cpanel::JSON::XS::false, 'a map is created');
is_deeply([ map { $_->{rule} } @{ call(400, POST => '/maps', { name => 'Linked', link => " JavaScript:alert(1)",
	basemap => $basemap->{id}, status => 'nWRhpRV' })->{data}{link} } ], ['format'],
	'a link that runs a script is refused');
my $linked = call(201, POST => '/maps', { name => 'Linked', link => 'https://maps.example/1',
	kml => Cpanel::JSON::XS::true, basemap => $basemap->{id}, status => 'nWRhpRV' })->{data};
is($linked->{kml}, Cpanel::JSON::XS::true, 'a map is created by its link');
my $chart = call(201, POST => '/charts', { name => 'Power', type => 'bar', file => $file->{id},
	dataSeries => [qw(plant power)], dataType => 'cuantitative', status => 'nWRhpRV' })->{data};
call(200, GET => "/files/$file->{id}/resources");

# publish, unpublish, publish again, and the effect on the file
call(200, PATCH => "/datasets/$dataset->{id}/publish");
call(200, PATCH => "/$_/publish") for "files/$file->{id}", "charts/$chart->{id}", "maps/$map->{id}";
is(call(409, PATCH => "/datasets/$dataset->{id}/publish")->{code}, 'E_CONFLICT',
	'a published dataset cannot be published again');
call(200, PATCH => "/datasets/$dataset->{id}/unpublish");
is(call(200, GET => "/files/$file->{id}")->{data}{status}{id}, 'rWRhpRV', 'the file is unpublished with its dataset');
call(200, PATCH => "/datasets/$dataset->{id}/publish");
for my $path ("files/$file->{id}", "charts/$chart->{id}", "maps/$map->{id}")
{
	my $record = call(200, GET => "/$path")->{data};
	call(200, PATCH => "/$path/publish") if $record->{status}{id} ne 'qWRhpRV';
}

# a dataset that is deleted and restored
my $other = call(201, POST => '/datasets', { name => 'Wind plants', categories => [ $energy->{id} ],
	subcategories => [], status => 'nWRhpRV', owner => $login->{user}, category => $energy->{id} })->{data};
call(200, DELETE => "/datasets/$other->{id}");
call(200, POST => "/datasets/$other->{id}/restore");
call('200|206', GET => '/datasets?include=status,files,tags,categories&orderBy=updatedAt&sort=DESC&limit=20&skip=0&'
	. 'status.name=Published&deletedAt=null');
is_deeply(
	[ map { $_->{name} } @{ call(200, GET => '/datasets/search?query=plants&condition=OR&orderBy=name')->{data} } ],
	[ 'Solar plants', 'Wind plants' ], 'a search finds both datasets');

# settings, and the log of the calls before
is(call(200, PUT => "/configs/$config->{id}", { %$config, value => 'https://portal.example' })->{data}{updatedBy}{id},
	$login->{user}, 'a setting is updated');
my ($number) = @{ call('200|206', GET => '/configs?key=adminPagination&match=EXACT')->{data} };
call(200, PUT => "/configs/$number->{id}", $number);
is_deeply([ map { [ $_->{rule}, $_->{value} ] } @{ call(400, PUT => "/configs/$number->{id}", { %$number,
	value => 'many' })->{data}{value} } ], [ [ 'format', 'many' ] ], 'a setting takes no value of another type');
my $named = call(201, POST => '/organizations',
	{ name => 'Named', description => 'd', active => Cpanel::JSON::XS::true })->{data};
my $naming = call(201, POST => '/configs', { key => 'namedOrganization', type => 'model', model => 'organization',
	value => $named->{id}, category => 'site', description => 'd' })->{data};
is_deeply(call(409, DELETE => "/organizations/$named->{id}")->{data}, { configs => 1 },
	'a record that a setting names cannot be deleted');
is_deeply([ keys %{ call(400, PUT => "/configs/$naming->{id}", { %$naming, value => 'nobody' })->{data} } ], ['value'],
	'a setting cannot name a record that does not exist');
ok(call('200|206',
	GET => '/logs?action=create&target=dataset&match=EXACT&condition=AND&include=user&limit=20')->{meta}{count} >= 2,
	'the log has the creations');

# --- the portal: its token, and the home page
%as = (name => 'portal', origin => 'https://portal.example', headers => {});
call(401, GET => '/datasets');
$as{headers}{Authorization} = 'Bearer ' . token('Portal', 'portal-app');
call('200|206', GET => '/configs?limit=100');
my @home = @{ call('200|206', GET => '/categories?orderBy=name&limit=100&parent=null&include=subcategories')->{data} };
my ($mine) = grep { $_->{id} eq $energy->{id} } @home;
is($mine->{color}, '#00aaff', 'the category has its colour');
is_deeply([ map { $_->{name} } @{ $mine->{subcategories} } ], ['Solar'], 'the category has its subcategory');
ok((grep { $_->{name} eq 'Energy, no image4' } @home), 'the list has a category without an image');
call('200|206', GET => '/organizations?orderBy=name');
like(call(200, GET => '/metrics/categories')->{data}{total}, qr/^\d+$/, 'metrics count downloads by category');
is(call(200, GET => '/datasets/count')->{data}{count}, scalar $service->sql(
	q(SELECT count(*) FROM catalogue.datasets WHERE status = 'qWRhpRV' AND visible IS NOT FALSE AND deleted_at IS NULL)),
	'the count of datasets is that of visible ones');
call('200|206', GET => '/datasets?starred=true&limit=6&orderBy=publishedAt&sort=DESC&include=categories');

# list with filters, search
is_deeply([ map { $_->{name} } @{ call(200, GET => "/datasets?categories.slug=energy&files.type=$csv,$csv&"
	. "files.organization.name=Energy+Office&tags.slug=energia-limpia&condition=AND"
	. '&include=files,tags,categories&orderBy=name&sort=ASC&limit=50&skip=0')->{data} } ], ['Solar plants'],
		'filters on relations find the dataset');
is_deeply([ map { $_->{name} } @{
	call(200, GET => '/datasets/search?query=Solar%2520plants&condition=OR&include=tags')->{data} } ], ['Solar plants'],
	'a query that is encoded twice finds the dataset');
is_deeply(
	[ map { $_->{name} } @{ call(200, GET => '/datasets/search?query=plants&condition=OR&orderBy=name')->{data} } ],
	['Solar plants'], 'a search by outsiders finds no drafts');
call(200, GET => '/search?query=plants&resources=datasets,files,maps,charts');

# the dataset's page
my ($page) = @{
	call(200, GET => '/datasets?slug=solar-plants&match=EXACT&include=files.type,tags,categories,subcategories')->{data} };
is($page->{id}, $dataset->{id}, 'the dataset is found by its slug');
is($page->{files}[0]{type}{name}, 'csv', 'the files have their types');
ok(!exists $page->{owner} && !exists $page->{createdBy} && !exists $page->{deletedAt},
	'the record has no fields that refer to users');
call(200, GET => "/datasets/$dataset->{id}/filetypes");
my $resources = call(200, GET => "/files/$file->{id}/resources")->{data};
is_deeply([ map { scalar @{ $resources->{$_} // [] } } qw(maps charts) ], [ 1, 1 ], 'the file has a map and a chart');
call(200, GET => "/$_") for "maps/$map->{id}?include=basemap", "charts/$chart->{id}";
call(404, GET => "/maps/$linked->{id}");

# the table of a file
my $table = call('200|206', GET => "/files/$file->{id}/contents?limit=5&skip=5&orderBy=power&sort=DESC");
is_deeply([ @{ $table->{meta} }{qw(count limit start end)} ], [ 9, 5, 6, 9 ], 'the second page of the rows');
is($table->{data}[0]{plant}, 'Plant 4', 'the rows are in the requested order');
call(200, GET => "/files/$file->{id}/contents?plant=Plant+3&match=EXACT");

# links without a credential, as soon as the service has asked which paths are public
$as{headers} = {};
wait_until('public paths', sub { $service->get('/datasets/feed/rss')->{status} != 401 });
for my $link ($energy->{image}, map { $_->{url} } @{ $page->{files} })
{
	my $path  = $link =~ s{^\Q$service->{base}\E}{}r;
	my $reply = $service->get($path);
	is($reply->{status}, 200, "a link without a credential: " . ($path =~ s/\b(?=\w*\d)\w{15}\b/<id>/gr))
		|| diag $reply->{body};
	ok($reply->{body} eq ($path =~ /image/ ? $svg : $rows), 'the link gives the bytes');
}
is($service->get("/files/$file->{id}/download/$_")->{status}, 200, "downloaded as $_")
	for qw(csv json ndjson xlsx geojson);
my $archive;
poll(180, sub {
	$archive = $service->get("/datasets/$dataset->{id}/download");
	return $archive->{status} != 202;
});
is($archive->{status}, 200, 'the archive is made') || diag $archive->{body};
like($archive->{body}, qr/^PK/, 'the archive is a ZIP file');
my $feed = $service->get('/datasets/feed/rss');
like($feed->{body}, qr/Solar plants/, 'the feed has the dataset');
is($service->get($_)->{status}, 401, "a credential is required: $_") for '/datasets', "/datasets/$dataset->{id}",
	'/categories', "/files/$file->{id}/contents";

$worker->finish;
$service->is_sound;
$service->finish;
