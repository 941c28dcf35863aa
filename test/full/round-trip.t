#!/usr/bin/perl
# A catalogue that is harvested by another one, that by a third and so on, each in another form: each has the same
# records, and gives the same documents, but for ids and times of its own.

use strict;
use warnings;
use utf8;

use Catalogue::Client qw($json);
use Catalogue::Definition;
use Catalogue::Program qw(slurp);
use Catalogue::Remote;
use Catalogue::Test;
use Catalogue::Worker;
use Encode qw(decode_utf8);
use Test::More;

my @outsider = (Authorization => undef);
my %settings = (CATALOGUE_FETCH_ALLOWED_ADDRESSES => '127.0.0.0/8', CATALOGUE_FETCH_TIMEOUT => '20s');

# Start an instance that has no datasets.
sub instance
{
	my $service = Catalogue::Test->start(%settings)->as_admin;
	Catalogue::Definition->new($service)->create('configs', key => 'catalogLanguage', value => 'en');
	$service->sql('SELECT catalogue.delete(\'datasets\', id, jsonb_build_object(\'user\', (SELECT id FROM catalogue.users '
		. 'WHERE username = \'admin\'))) FROM catalogue.datasets WHERE deleted_at IS NULL');
	return $service;
}

# The records of an instance, as far as another one has them.
sub records
{
	my ($service) = @_;
	return $service->sql(<<~'SQL') =~ s{http://127\.0\.0\.\d:\d+}{<base>}gr;
		SELECT concat_ws(E'\n', '* ' || d.name, d.description,
			(SELECT 'tags: ' || string_agg(t.name, ', ' ORDER BY t.name)
				FROM catalogue.datasets_tags l JOIN catalogue.tags t ON t.id = l.tag WHERE l.dataset = d.id),
			(SELECT 'categories: ' || string_agg(c.name, ', ' ORDER BY c.name)
				FROM catalogue.datasets_categories l JOIN catalogue.categories c ON c.id = l.category WHERE l.dataset = d.id),
			(SELECT string_agg(concat_ws('|', '- ' || f.name, f.description, o.name, t.name, u.name), E'\n' ORDER BY f.name)
			 FROM catalogue.files f JOIN catalogue.organizations o ON o.id = f.organization
				JOIN catalogue.filetypes t ON t.id = f.type
				 JOIN catalogue.updatefrequencies u ON u.id = f.update_frequency
			 WHERE f.dataset = d.id AND f.deleted_at IS NULL AND f.status = 'qWRhpRV'))
		FROM catalogue.datasets d WHERE d.deleted_at IS NULL AND d.status = 'qWRhpRV' AND d.visible IS NOT FALSE
			ORDER BY d.name
		SQL
}

# What an instance gives at a path, by title, without the ids of its records and the addresses of instances.
sub given
{
	my ($service, $path) = @_;
	my $body = $service->get($path, @outsider)->{body};
	my $place = qr{http://127\.0\.0\.\d:\d+};

	$body =~ s{$place/(\w+)/[0-9A-Za-z]{15}\b}{<$1>}g;
	$body =~ s{$place}{<base>}g;
	# data.json has no address of the publisher of a dataset without files
	$body =~ s{<datasets>#publisher}{<organizations>}g;
	my $document = $json->decode($body);
	my $nodes = $document->{dataset} // [
		grep { !grep { /Catalog|View/ } ref $_->{'@type'} ? @{ $_->{'@type'} } : $_->{'@type'} } @{ $document->{'@graph'} } ];
	# the page of a dataset made here is its IRI, which RDF need not tell; where it was read it is another address
	delete $_->{'dcat:landingPage'}
		for grep { ref $_->{'dcat:landingPage'} eq 'HASH' && $_->{'dcat:landingPage'}{'@id'} eq '<datasets>' } @$nodes;
	$nodes = [ grep { ($_->{'@id'} // '') ne '<datasets>' || ($_->{'@type'} // '') ne 'foaf:Document' } @$nodes ];
	# what is a list here has no order in RDF, and neither has the number of a part in its IRI
	s/("[^"]*#(?:spatial|temporal|contact))-\d+"/$1"/g for my @texts = map { $json->encode($_) } @$nodes;
	$nodes = [ map { $json->decode($_) } @texts ];
	@$_ = sort { $json->encode([$a]) cmp $json->encode([$b]) } @$_ for grep { ref eq 'ARRAY' } map { values %$_ } @$nodes;
	# an agent is one node of RDF, which has all that is said of it; programCode is of DCAT-US only
	delete @$_{qw(foaf:mbox programCode)} for @$nodes;
	delete $_->{publisher}{mbox} for grep { ref $_->{publisher} eq 'HASH' } @$nodes;
	my %nodes = map { $json->encode($_) => $_ } @$nodes;
	return [ @nodes{ sort keys %nodes } ];
}

# Harvest one instance by another one, as this type; return the report.
sub harvest
{
	my ($from, $to, $path, $type) = @_;
	# the worker prefers JSON
	my $between = Catalogue::Remote->start(address => '127.0.0.2', answer => sub {
		my ($socket) = @_;
		my $reply = $from->get($path, @outsider, Accept => $type);
		Catalogue::Remote::reply($socket, $reply->{status}, { 'Content-Type' => $reply->{headers}{'content-type'} },
			$reply->{body});
	});
	my $worker = Catalogue::Worker->start($to);
	my $reply = $to->post('/imports',
		{ url => $type eq '*/*' ? "$from->{base}$path" : $between->url($path), source => 'before', publish => \1 });
	my ($id) = ($reply->{json}{links}{job} // die "no job: $reply->{body}\n") =~ m{([^/]+)$};
	my $job = $worker->wait_for('the job', sub {
		my $found = $to->get("/jobs/$id")->{json}{data};
		($found->{state} eq 'done' || $found->{reason}) && $found
	});

	is($job->{state}, 'done', "$path as $type is imported") or diag $job->{reason};
	$worker->finish;
	$between->stop;
	return $to->get("/imports/$id")->{json}{data}{report};
}

# What is harvested: records that were made here, and those of another catalogue.
my $first = instance();
my $definition = Catalogue::Definition->new($first);
my $published = 'qWRhpRV';

$definition->create('configs', key => $_->[0], value => $_->[1]) for [ catalogLicense => 'CC BY 4.0' ],
	[ catalogContact => 'Desk' ], [ catalogEmail => 'desk@a.example' ];
my $own = $definition->create('datasets', name => 'Made here', description => 'With "quotes" & <signs>',
	status => $published);
$definition->create('files', name => 'At an address', dataset => $own, status => $published,
	url => 'https://a.example/made.csv');
# it is where the rows of its file are
$first->sql(<<~'SQL');
	DO $$
	DECLARE
		file      CONSTANT text := (SELECT id FROM catalogue.files WHERE name = 'At an address');
		revision  CONSTANT bigint := catalogue.contents_begin(file);
	BEGIN
		PERFORM catalogue.contents_sheet_end(catalogue.contents_sheet(file, revision, 1, '', false), '{"rows": 0,
			"badRows": 0, "columns": [], "details": {"geography": {"extent": [-58.5, -34.75, -58.3, -34.5]}}}');
		PERFORM catalogue.contents_publish(file, revision);
	END
	$$
	SQL
$definition->create('datasets', name => 'Without files', status => $published);
$definition->create('datasets', name => 'A draft');
my %file = (title => 'Rows', format => 'CSV', mediaType => 'text/csv', description => 'Rows of it',
	license => 'https://creativecommons.org/licenses/by/4.0/', issued => '2020-01-02', modified => '2021-02-03T04:05:06Z',
	byteSize => 5, describedBy => 'https://a.example/schema');
my $report = $first->post('/imports', { source => 'origin', publish => \1, document => { dataset => [
	{ identifier => 'http://a.example/all', title => 'Everything ' . 'x' x 160, description => 'Text '
		. 'of many words ' x 40, keyword => [ 'a', 'ñ', 'XF#', 'a, b' ],
		theme => [ 'Transport', 'Water & air', 'https://a.example/theme/1' ],
		publisher => { name => 'Bureau', homepage => 'https://bureau.example/', mbox => 'office@a.example' },
		contactPoint => [ { fn => 'Desk of it', hasEmail => 'mailto:all@a.example' },
			{ fn => 'Bureau', hasEmail => 'mailto:b@a.example' } ], accrualPeriodicity => 'R/P3M',
			issued => '2020-01-02', modified => '2021-02-03T04:05:06Z', spatial => 'Norway', temporal => '2019-01-01/2020-12-31',
		language => ['es'], license => 'https://creativecommons.org/publicdomain/zero/1.0/', rights => 'As it is',
			conformsTo => 'https://a.example/standard', landingPage => 'https://a.example/', version => '1.2',
			describedBy => 'https://a.example/all',
		accessLevel => 'public',
		distribution => [ { %file, identifier => 'r1', downloadURL => 'https://a.example/a.csv' },
			{ %file, title => 'Page', format => 'HTML', mediaType => 'text/html', accessURL => 'https://a.example/page' } ] },
	{ identifier => '1', title => 'Little', publisher => { name => 'Other' }, language => 'en-us',
		distribution => [ { accessURL => 'https://a.example/ñ b' },
		{ title => 'Odd', downloadURL => 'https://a.example/odd', format => 'odd format' } ] },
	{ identifier => 'many', title => { en => 'Many words', es => 'Muchas palabras', 'de-AT' => 'Viele' },
		description => { es => 'Todas', en => 'All' }, keyword => { en => ['word'], es => [ 'palabra', 'voz' ] },
		spatial => [ '-10,35,20,44', 'POLYGON((0 0, 1 0, 1 1, 0 0))', 'Norway', { type => 'Point', coordinates => [ 1, 2 ] },
			{ '@id' => 'https://a.example/place', prefLabel => 'Here' } ],
		temporal => [ '2012/2016', '2018-03/2019-09', { endDate => '2020-01-01T10:00:00Z' } ], language => [ 'en', 'es' ],
		inSeries => { '@id' => 'https://a.example/series', title => 'Years', description => 'One a year' },
		publisher => { name => 'Unit', subOrganizationOf => { name => 'Ministry' } },
		distribution => [ { %file, downloadURL => 'https://a.example/many',
			title => { en => 'Words', es => 'Palabras' } } ] },
	(map { { identifier => "more $_", title => "More $_", theme => 'Transport', publisher => { name => 'Office' },
		accrualPeriodicity => $_ % 2 ? 'R/P1D' : 'irregular',
		distribution => [ { %file, downloadURL => "https://a.example/$_" } ] } } 1 .. 4),
] } })->{json}{data};
is($report->{created}, 7, 'there are datasets of another catalogue') or diag explain($report);

# Each form gives the next instance.  The first way is by pages.
my @ways = ([ '/catalog?limit=3', '*/*' ], [ '/catalog?limit=1000', 'text/turtle' ], [ '/catalog?limit=1000',
	'application/rdf+xml' ], [ '/catalog?limit=1000', 'application/ld+json' ], [ '/data.json', 'application/json' ]);

# Go all these ways from an instance that gives so many datasets; notes: of the reports.  Return the last instance, and
# what each of them has given.
sub go
{
	my ($from, $count, $notes) = @_;
	my ($records, $catalog, $data) = (records($from), given($from, '/catalog?limit=1000'), given($from, '/data.json'));

	for (@ways)
	{
		my ($path, $type) = @$_;
		my $to = instance();
		my $report = harvest($from, $to, $path, $type);

		is_deeply([ @$report{qw(created refused missing)} ], [ $count, 0, undef ], "$path as $type: all datasets")
			or diag explain($report);
		is_deeply([ map { @{ $_->{notes} // [] } } @{ $report->{entries} } ], $notes,
			'without a note but of cut texts and a theme without a name') if $notes;
		is_deeply([ split /\n/, records($to) ], [ split /\n/, $records ], 'the same records');
		is_deeply(given($to, '/catalog?limit=1000'), $catalog, 'the same as DCAT');
		is_deeply(given($to, '/data.json'), $data, 'the same as data.json');
		$report = harvest($from, $to, $path, $type);
		is($report->{unchanged}, $count, 'and again nothing changes') or diag explain($report);
		$from->is_sound;
		$from->end_service;
		$from = $to;
	}
	return ($from, $records, $catalog, $data);
}

my ($from, $records, $catalog, $data) = go($first, 9,
	[ 'theme: "https://a.example/theme/1" has no known name; optionals have it',
		map { "$_: is cut; optionals have all of it" } qw(title description) ]);

# By DCAT-US 3, which has no regions of languages.
my $third = instance();
Catalogue::Definition->new($from)->create('configs', key => 'catalogProfile', value => 'dcat-us-3');
like($from->get('/data.json', @outsider)->{body}, qr/"Dataset"/, 'data.json is DCAT-US 3');
$report = harvest($from, $third, '/data.json', 'application/json');
is_deeply([ @$report{qw(created refused missing)} ], [ 9, 0, undef ], 'DCAT-US 3: all datasets')
	or diag explain($report);
is_deeply([ split /\n/, records($third) ], [ split /\n/, $records ], 'the same records');
is_deeply(given($third, '/catalog?limit=1000'), $catalog, 'the same as DCAT');
is_deeply(given($third, '/data.json'), $data, 'the same as data.json');
$report = harvest($from, $third, '/data.json', 'application/json');
is($report->{unchanged}, 9, 'and again nothing changes') or diag explain($report);
$third->is_sound;
$third->end_service;
$from->is_sound;
$from->end_service;

# Documents that others have written, of which many have the same identifiers.
my %type = (json => 'application/json', jsonld => 'application/ld+json', ttl => 'text/turtle',
	map { $_ => 'application/rdf+xml' } qw(xml rdf));
my $origin = instance();
my $worker = Catalogue::Worker->start($origin);
for my $path (grep { !m{/csw/} } glob '../shared/data/harvest/*/* ../shared/data/catalogo-justicia.json')
{
	my ($name, $ending) = $path =~ m{([^/]+\.(\w+))$};
	my $reply = $ending eq 'json'
		? $origin->post('/imports', { source => $name, publish => \1, document => decode_utf8(slurp($path)) })
		: $origin->request('POST', "/imports?source=$name&publish=true", slurp($path), 'Content-Type' => $type{$ending});
	my ($job) = ($reply->{json}{links}{job} // '') =~ m{(/jobs/.*)};
	$worker->wait_for('the job', sub { $origin->get($job)->{json}{data}{state} =~ /done|failed/ }) if $job;
}
$worker->finish;
my $given = $origin->sql("SELECT count(*) FROM catalogue.datasets WHERE deleted_at IS NULL AND status = '$published'");
cmp_ok($given, '>=', 70, 'most of them have datasets that can be read');
($from) = go($origin, $given);
$from->finish;
