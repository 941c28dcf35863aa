#!/usr/bin/perl
# Catalogues of several documents: CKAN's package_list with package_show, package_search and
# current_package_list_with_resources, and pages of JSON-LD; documents that cannot be had, pages in circles and on other
# hosts, and a source that is overloaded for a while.

use strict;
use warnings;
use utf8;

use Catalogue::RemoteService;
use Catalogue::Test;
use Cpanel::JSON::XS ();
use Test::More;
use Time::HiRes qw(sleep);

my $service = Catalogue::Test->start(Catalogue::RemoteService::settings())->as_admin;
my $remote  = Catalogue::RemoteService->start($service);
my $json    = Cpanel::JSON::XS->new->allow_nonref->ascii->canonical;

sub answer { my ($name, $document, %more) = @_; $remote->set($name, body => $json->encode($document), %more); return }
sub package_of
{
	my ($name, %more) = @_;
	return { name => $name, title => "Package $name", notes => 'Of CKAN', organization => { title => 'Office' },
		groups => [ { title => 'Transport' } ], resources => [
		{ id => "$name-1", name => 'Rows', url => "https://ckan.example/$name.csv", format => 'CSV' } ], %more }
}
sub datasets
{
	return join ' ',
		$service->sql("SELECT name FROM catalogue.datasets WHERE deleted_at IS NULL AND name LIKE 'Package %' ORDER BY name")
		=~ s/Package //gr =~ s/\n/ /gr;
}

# Import an address, and give its job when it has ended, or is tried again later.
sub job_of
{
	my ($name, %options) = @_;
	my $reply = $service->post('/imports',
		{ url => $remote->{remote}->url("/api/3/action/$name"), source => 'ckan', %options });
	my $path = ($reply->{json}{links}{job} // die "no job: $reply->{body}\n") =~ s{^https?://[^/]*}{}r;
	return $remote->{worker}->wait_for('the job', sub {
		my $job = $service->get($path)->{json}{data};
		($job->{state} eq 'done' || $job->{reason}) && $job
	});
}

sub report_of { my ($job) = @_; return $service->get("/imports/$job->{id}")->{json}{data}{report} }
sub outcomes { my ($report) = @_; return join ' ', map { "$_->{outcome}" } @{ $report->{entries} } }

# a list of names, and each package; one of them is not there any more
my @names = ('a', 'b', 'c d/ü');
answer('package_list', { success => \1, result => \@names });
answer("package_show?id=$_", { success => \1, result => package_of($_) }) for qw(a b);
answer('package_show?id=c%20d%2F%C3%BC', { success => \1, result => package_of('c') });
my $job = job_of('package_list');
is($job->{state}, 'done', 'a list of packages is imported') or diag explain($job);
is(datasets(), 'a b c', 'each of them');
is($service->sql("SELECT count(*) FROM catalogue.files WHERE url LIKE 'https://ckan.example/%'"), 3, 'with its files');
is($service->sql('SELECT count(*) FROM catalogue.harvest_page'), 0, 'the documents are not kept');

answer('package_show?id=b', { success => \0, error => { message => 'broken' } }, status => 500);
answer('package_show?id=a', { success => \1, result => package_of('a', notes => 'Changed') });
$job = job_of('package_list', gone => 'delete');
is($job->{state}, 'done', 'a package that cannot be had does not hinder the others') or diag explain($job);
my $report = report_of($job);
is(outcomes($report), 'updated unchanged', 'which are imported');
is_deeply([ map { $_->{url} =~ s{.*/}{}r . " $_->{message}" } @{ $report->{missing} } ],
	['package_show?id=b the source answers with status 500'], 'the report names it');
is(datasets(), 'a b c', 'and it is not taken as gone');
answer('package_show?id=b', '<html>');
is_deeply([ map { $_->{message} } @{ report_of(job_of('package_list'))->{missing} } ], [],
	'JSON that is no object leads nowhere');
$remote->set('package_show?id=b', body => '<html>');
like(report_of(job_of('package_list'))->{missing}[0]{message}, qr/not imported/, 'text that is no JSON is missing');
answer('package_list', { success => \1, result => ['a', 'c d/ü'] });
$job = job_of('package_list', gone => 'delete');
is(datasets(), 'a c', 'a package that is not in the list any more is gone');

# pages of a search
answer('package_search?rows=2',
	{ success => \1, result => { count => 5, results => [ map { package_of($_) } qw(s1 s2) ] } });
answer('package_search?rows=2&start=2',
	{ success => \1, result => { count => 5, results => [ map { package_of($_) } qw(s3 s4) ] } });
answer('package_search?rows=2&start=4', { success => \1, result => { count => 5, results => [ package_of('s5') ] } });
$job = job_of('package_search?rows=2', source => 'search');
is(report_of($job)->{created}, 5, 'all pages of a search') or diag explain($job);
answer('package_search?rows=2&start=2', {}, status => 404);
$job = job_of('package_search?rows=2', source => 'search', gone => 'delete');
is(scalar @{ report_of($job)->{missing} }, 1, 'a page that is missing');
is(datasets(), 'a c s1 s2 s3 s4 s5', 'deletes nothing');
answer('package_search?rows=2', { success => \1, result => { count => '9' x 400, results => [] } });
is(report_of(job_of('package_search?rows=2', source => 'search'))->{created}, 0,
	'a count without end, and an empty page');

# pages of a list
answer('current_package_list_with_resources?limit=1', { success => \1, result => [ package_of('l1') ] });
answer('current_package_list_with_resources?limit=1&offset=1', { success => \1, result => [ package_of('l2') ] });
answer('current_package_list_with_resources?limit=1&offset=2', { success => \1, result => [] });
is(report_of(job_of('current_package_list_with_resources?limit=1', source => 'list'))->{created}, 2,
	'all pages of a list with resources');

# pages of JSON-LD: the last one names the first again, one is on another host, and one leads to this machine
sub page
{
	my ($next, @ids) = @_;
	return { '@graph' => [ { '@type' => 'hydra:PartialCollectionView', 'hydra:next' => { '@id' => $next } },
		map { { '@type' => 'dcat:Dataset', '@id' => "http://far/$_", 'dct:title' => "Package $_",
		'dcat:theme' => 'Transport' } } @ids ] }
}
my $base = $remote->{remote}->url('/catalog');
answer('catalog', page("$base?page=2", 'h1'));
answer('catalog?page=2', page($base, 'h2'));
is(report_of(job_of('../../../catalog', source => 'pages', url => $base))->{created}, 2, 'pages in a circle end');
my ($host) = $base =~ m{^http:(//[^/]+)};
for my $next ('?page=2', 'catalog?page=2', './catalog?page=2#rows', '/catalog?page=2', "$host/catalog?page=2",
	" $base?page=2 ")
{
	answer('catalog', page($next, 'h1'));
	my $report = report_of(job_of('catalog', source => 'pages', url => $base, gone => 'delete'));
	is(outcomes($report), 'unchanged unchanged', "an address is resolved against that of the page: $next")
		or diag explain($report);
}
for my $next ('http://127.0.0.1:1/x', 'http://localhost/', 'file:///etc/passwd', $base =~ s{//}{//user\@}r,
	$base =~ s{/catalog}{\@127.0.0.1/}r, "$base?" . 'x' x 5000, '//127.0.0.1:1/',
	$base =~ s/^http/https/r)
{
	answer('catalog', page($next, 'h1'));
	my $report = report_of(job_of('catalog', source => 'pages', url => $base, gone => 'delete'));
	is(scalar @{ $report->{missing} }, 1, 'an address elsewhere is not fetched, but told: ' . substr $next, 0, 40)
		or diag explain($report);
	like($report->{missing}[0]{message}, qr/^the address (?:is not of the server|has more than 2,000)/, 'with the reason');
	like(datasets(), qr/\bh1 h2\b/, 'and nothing is gone');
}
for my $next ('', '#top', {}, 7)
{
	answer('catalog', page($next, 'h1', 'h2'));
	is(report_of(job_of('catalog', source => 'pages', url => $base))->{missing}, undef,
		'nothing that leads on: ' . (ref $next ? 'object' : $next));
}

# pages of expanded JSON-LD, an array, which name the next one as older versions of Hydra do
sub expanded { my ($next, $id) = @_; my $hydra = 'http://www.w3.org/ns/hydra/core#'; return [ { '@id' => '_:page',
	'@type' => ["${hydra}PagedCollection"], $next ? ("${hydra}nextPage" => [ { '@value' => $next } ]) : () },
	{ '@id' => "http://far/$id", '@type' => ['http://www.w3.org/ns/dcat#Dataset'], 'http://purl.org/dc/terms/title' => [
		{ '@value' => "Package $id" } ], 'http://www.w3.org/ns/dcat#theme' => [ { '@value' => 'Transport' } ] } ] }
answer('catalog', expanded('?page=2', 'e1'));
answer('catalog?page=2', expanded(undef, 'e2'));
is(report_of(job_of('catalog', source => 'expanded', url => $base))->{created}, 2, 'pages of expanded JSON-LD')
	or diag explain($job);

# pages that only the header names; a byte that is no text there does not hinder
answer('catalog', { dataset => [ { identifier => 'k1', title => 'Package k1' } ] },
	headers => { Link => '<?page=2>; rel="next"' });
answer('catalog?page=2', { dataset => [ { identifier => 'k2', title => 'Package k2' } ] },
	headers => { Link => "<?page=\xFF>; rel=\"next\"" });
$job = job_of('catalog', source => 'link', url => $base);
is(report_of($job)->{created}, 2, 'pages by Link') or diag explain($job);
answer('catalog', { dataset => [ { identifier => 'k1', title => 'Package k1' } ] },
	headers => { Link => '<http://127.0.0.1:1/x>; rel="next"' });
$report = report_of(job_of('catalog', source => 'link', url => $base, gone => 'delete'));
like($report->{missing}[0]{message}, qr/^the address is not of the server/, 'one elsewhere is told');
like(datasets(), qr/\bk1 k2\b/, 'and nothing is gone');

# too large together; overloaded: the job goes on where it was
answer('package_list', { success => \1, result => [ map { "big$_" } 1 .. 6 ] });
answer("package_show?id=big$_", { success => \1, result => package_of("big$_", notes => 'x' x 50_000) }) for 1 .. 6;
$job = job_of('package_list', source => 'big');
like($job->{reason}, qr/too large/, 'the limit is that of all documents');
is($job->{state}, 'failed', 'and ends the job');
answer('package_list', { success => \1, result => ['a', 'later'] });
answer('package_show?id=later', {}, status => 503);
$job = job_of('package_list', source => 'later');
like($job->{reason}, qr/status 503/, 'a source that is overloaded is asked later');
is($service->sql(q(SELECT string_agg(p.state::text, '' ORDER BY p.number) FROM catalogue.harvest_page p JOIN )
	. q(catalogue.harvest h ON h.id = p.harvest WHERE h.source = 'later')), 'ldo', 'what was fetched is kept');
answer('package_list', {}, status => 500);
answer('package_show?id=later', { success => \1, result => package_of('later') });
$remote->{worker}->hurry;
$remote->{worker}->wait_for('the second attempt',
	sub { $service->get("/jobs/$job->{id}")->{json}{data}{state} eq 'done' });
like(datasets(), qr/later/, 'the second attempt fetches only the rest');

# a source whose pages have no end: between two of them others have their turn, and its time is limited
my $endless = Catalogue::Remote->start(address => '127.0.0.2', answer => sub {
	my ($socket, $request) = @_;
	my ($number) = ($request->{query} // '1') =~ /(\d+)/;
	sleep 0.05;
	Catalogue::Remote::reply($socket, 200, {}, $json->encode(page('?page=' . ($number + 1), "endless-$number")));
});
my $path = $service->post('/imports', { url => $endless->url('/catalog'), source => 'endless' })->{json}{links}{job}
	=~ s{^https?://[^/]*}{}r;
my $pages = q(SELECT count(*) FROM catalogue.harvest_page p JOIN catalogue.harvest h ON h.id = p.harvest WHERE )
	. q(h.source = 'endless');
$remote->{worker}->wait_for('a few pages', sub { $service->sql($pages) > 3 });
answer('package_list', { success => \1, result => ['turn'] });
answer('package_show?id=turn', { success => \1, result => package_of('turn') });
is(job_of('package_list', source => 'turn')->{state}, 'done', 'another import is done while it is fetched');
like($service->get($path)->{json}{data}{state}, qr/^(queued|running)$/, 'and it goes on');
my $fetched = $service->sql($pages);
$remote->{worker}->wait_for('further pages', sub { $service->sql($pages) > $fetched });
cmp_ok($service->sql(q(SELECT j.attempts FROM catalogue.jobs j JOIN catalogue.harvest h ON h.job = j.id WHERE h.source )
	. q(= 'endless')), '<=', 1, 'which counts as one attempt');
$service->sql(q(UPDATE catalogue.harvest SET began_at = began_at - interval '1 h' WHERE source = 'endless'));
$remote->{worker}->wait_for('its end', sub { $service->get($path)->{json}{data}{state} eq 'done' });
$report = report_of($service->get($path)->{json}{data});
is_deeply([ map { $_->{message} } @{ $report->{missing} } ],
	['this document, and those after it, were not fetched within 01:00:00'],
	'what is not fetched within harvest_timeout is missing');
cmp_ok($report->{created}, '>=', $fetched - 1, 'the rest is imported');
$endless->stop;

$service->is_sound;
$remote->stop;
$service->finish;
