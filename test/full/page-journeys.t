#!/usr/bin/perl
# People use the page in a real browser: a visitor searches, an editor creates a dataset and uploads a file, a reviewer
# rejects and approves, an operator looks at the dashboard.  Hostile names are shown as text; the browser complains of
# nothing, axe-core finds nothing serious, and nothing is wider than its screen.

use strict;
use warnings;
use utf8;

use Test::More;
use Catalogue::Browser;
use Catalogue::Test;
use Catalogue::Upload;
use Catalogue::Worker;

my $service =
	Catalogue::Test->start(CATALOGUE_MAP_TILES => 'https://tile.example.net,https://tile.example.org')->as_admin;
my $uploads = Catalogue::Upload->new($service);
my $word    = 'a long pass phrase';
my $hostile = qq(<img src=x onerror=alert(1)>"'&amp;</h1><script>alert(2)</script> \x{202E}tfel ot thgir);

sub made
{
	my ($resource, %fields) = @_;
	my $reply = $service->post("/$resource", \%fields, Prefer => 'return=representation');
	is($reply->{status}, 201, "$resource: made") or diag($reply->{body});
	return $reply->{json}{data}{id};
}

my $office  = made('organizations', name => 'Office of bridges');
my %of      = (password => $word, organization => $office, role => 'admin', active => Cpanel::JSON::XS::true);
my %users   = map { $_ => made('users', username => $_, email => "$_\@example.org", %of) } qw(edith rita);
made('users', %of, username => 'greta', email => 'greta@example.org', role => 'guest');
# the lightest accent that is permitted, or nearly so
made('configs', key => 'accentColor', type => 'string', category => 'site', value => '008020', description => 'Colour');
made('pages', name => 'Accessibility', position => 1, text => join "\n\n", '### What works',
	"* [all](/datasets)\n* `most`", '> *by* **keyboard**', '```', '<b>' . 'x' x 200, '```',
	'![a picture](https://example.org/a.png)', '***', '1) <i>one</i>');
my $class   = made('categories', name => 'Bridges', color => '004080');
my $dataset = made('datasets', name => 'Bridges of steel', description => 'All of them', categories => [$class],
	owner => $users{edith}, status => 'qWRhpRV');
my $rows    = join '', "name,length,open\n", map { "bridge $_,${_}0," . ($_ % 2 ? 'yes' : 'no') . "\n" } 1 .. 50;
my $worker  = Catalogue::Worker->start($service);
my $file    = $uploads->file('bridges.csv', $rows, name => 'List of bridges', dataset => $dataset, status => 'qWRhpRV',
	visible => 'true')->{id};
is($worker->wait_for_file($file)->{parseState}, 'ready', 'the file is read');
# maps: of three points, with a basemap whose host is not permitted, and of more points than are read at once
$service->sql(q(INSERT INTO catalogue.basemaps (id, name, url, attribution) VALUES )
	. q(('permitted', 'Permitted', 'https://tile.example.org/{z}/{x}/{y}.png', chr(169) || ' Example')));
my %places;
my %maps  = map {
	my ($name, $bytes, $basemap) = @$_;
	my $id = $uploads->file("$name.csv", $bytes, name => "Places: $name", dataset => $dataset, status => 'qWRhpRV',
		visible => 'true')->{id};
	$places{$name} = $id;
	$worker->wait_for_file($id);
	$name => made('maps', name => "Map of $name", file => $id, latitudeKey => 'latitude', longitudeKey => 'longitude',
		properties => ['name'], basemap => $basemap, status => 'qWRhpRV');
} [ few => "name,latitude,longitude\nwest,0,-30\n<img src=x onerror=alert(3)>,0,10\neast,0,50\nnowhere,91,0\n",
	$service->sql(q(SELECT id FROM catalogue.basemaps WHERE name = 'OpenStreetMap')) ],
	[ city => "name,latitude,longitude\nquay,55.69,12.6\nlake,55.76,12.37\nairport,55.62,12.65\n",
	$service->sql(q(SELECT id FROM catalogue.basemaps WHERE name = 'OpenStreetMap')) ],
	[ many => join('', "name,latitude,longitude\n",
		map { sprintf "place %d,%.2f,%.2f\n", $_, 10 + $_ % 75 / 100, 20 + int($_ / 75) / 100 } 0 .. 5624), 'permitted' ];
# outlines with colours: some, and more than are read at once
sub outlines
{
	my ($name, @features) = @_;
	my @texts = map { sprintf '{"type":"Feature","properties":{"name":"%s","kind":"%s"},"geometry":{"type":"%s",'
		. '"coordinates":%s}}', @$_ } @features;
	my $id = $uploads->file("$name.geojson", '{"type":"FeatureCollection","features":[' . join(',', @texts) . ']}',
		name => "Outlines: $name", dataset => $dataset, status => 'qWRhpRV', visible => 'true')->{id};
	is($worker->wait_for_file($id)->{parseState}, 'ready', "outlines are read: $name");
	return made('maps', name => "Map of $name", file => $id, colorKey => 'kind', properties => ['name'],
		basemap => $service->sql(q(SELECT id FROM catalogue.basemaps WHERE name = 'OpenStreetMap')), status => 'qWRhpRV');
}
sub square
{
	my ($west, $south, $side) = @_;
	my ($east, $north) = ($west + $side, $south + $side);
	return "[[[$west,$south],[$east,$south],[$east,$north],[$west,$north],[$west,$south]]]";
}
$maps{zones} = outlines('zones', [ 'park', 'green', 'Polygon', square(0, 0, 4) ],
	[ 'lake', 'blue', 'Polygon', square(6, 0, 4) ], [ 'road', 'blue', 'LineString', '[[0,6],[10,6]]' ]);
$maps{parcels} = outlines('parcels', map { [ "parcel $_", $_ % 3 ? 'green' : 'blue', 'Polygon',
	square(10 + $_ % 75 / 100, 20 + int($_ / 75) / 100, 0.01) ] } 0 .. 5624);
# a chart of rows with text that looks like markup; and a dataset with all that is not published
my $odd   = $uploads->file('odd.csv', qq(kind,year,cost
<b>&amp;,2024,10
<b>&amp;,2025,20.5
b,2025,7
), name => 'Odd', dataset => $dataset, status => 'qWRhpRV', visible => 'true')->{id};
$worker->wait_for_file($odd);
my $chart = made('charts', name => 'Costs', file => $odd, type => 'stackedbar',
	dataSeries => [ 'year', 'kind', 'cost' ], dataType => 'quantitative', status => 'qWRhpRV');
my $draft = made('datasets', name => 'A draft', categories => [$class], owner => $users{edith});
my $late  = $uploads->file('late.csv', "a,b\n1,2\n", name => 'Late', dataset => $draft)->{id};
$worker->wait_for_file($late);
made('files', name => 'Empty', dataset => $draft, organization => $office, owner => $users{edith},
	type => $service->get('/filetypes?name=csv&match=EXACT')->{json}{data}[0]{id},
	updateFrequency => $service->get('/updatefrequencies?limit=1')->{json}{data}[0]{id});
# published, changed, and waiting for a review
my $again = made('datasets', name => 'Tunnels of old', description => 'A few', categories => [$class],
	owner => $users{edith}, status => 'qWRhpRV', optionals => { landingPage => 'no address', temporal => ['2026-01-01/'],
		language => [ 'http://example.org/ENG', 'es', 'es' ], conformsTo => [" https://example.org/a\nb "],
		contactPoint => { fn => 'Desk', phone => '1' } });
is($service->patch("/datasets/$again",
	{ description => 'All <of> them', starred => Cpanel::JSON::XS::true, status => 'oWRhpRV' })->{status}, 200, 'changed');
made('charts', name => 'Of it', file => $late, type => 'bar', dataSeries => [ 'a', 'b' ], dataType => 'quantitative');
made('datasets', name => "Bridges of wood $hostile", categories => [$class], owner => $users{edith},
	status => 'qWRhpRV');

my $told = Catalogue::Browser::run($service, 'journeys.js',
	dataset     => $dataset,
	hostile     => $hostile,
	screenshots => $ENV{SCREENSHOTS}, # a directory to look at them
	editor      => { username => 'edith', password => $word },
	file        => $file,
	maps        => \%maps,
	chart       => $chart,
	odd         => $odd,
	places      => $places{few},
	draft       => $draft,
	again       => $again,
	guest       => { username => 'greta', password => $word },
	reviewer    => { username => 'rita', password => $word });
my %seen = map { @$_ } @{ $told->{steps} };

is_deeply($told->{faults}, [], 'the browser complains of nothing');
is_deeply($told->{axe},    [], 'axe-core finds nothing serious');
is_deeply($told->{wide},   [], 'nothing is wider than its screen');
ok($seen{'first view'}, 'the first view has less than 100 kB');
is($seen{suggestion}, 'Bridges of steel', 'a visitor gets a suggestion');
is($seen{'focus after the suggestions'}, 'Bridges of', 'which Escape closes, and nothing else');
is($seen{dataset}, 'Bridges of steel', 'and the page of the dataset');
ok($seen{file}, 'and the rows of its file');
is_deeply($seen{histograms}, [ [ 0, '—' ], [ 20, '10 – 35: 3' ], [ 2, 'no: 25' ] ],
	'with a histogram of each column that has ranges or few values');
is_deeply($seen{'number headings'}, [ 'end', 'start', 'end', 'start' ], 'and headings that stand as their values do');
ok($seen{organization}, 'an organization leads to its datasets, in two clicks from the start page');
is_deeply([ map { s/.*: //r } @{ $seen{filters} } ], [ 'Open Data Office ×', 'Bridges ×' ], 'a facet narrows them');
ok($seen{narrowed}, 'to those that it counts');
is_deeply($seen{'a filter less'}, [ $seen{filters}[1] ], 'and a filter is removed alone');
is_deeply($seen{corrected}, ['Bridges of steel'], 'a typo leads to what was meant');
is_deeply($seen{point}, ['<img src=x onerror=alert(3)>'], 'a point of a map tells its row, as text');
is_deeply([ @seen{'picture beneath the map', 'without scripts'} ],
	[ map { $_ ? Cpanel::JSON::XS::true : Cpanel::JSON::XS::false } 0, 1 ],
	'the map takes the place of the picture, which is there without scripts');
is_deeply($seen{'points by keys'}, [ 3, 'east', 'Close', 3 ],
	'points are reached by keys in a list beside the map, to which Escape leads back')
	|| diag explain $seen{'points by keys'};
is_deeply($seen{ground}, [ 'Copenhagen', 'Natural Earth, GeoNames', (Cpanel::JSON::XS::true) x 3 ],
	'beneath points of a city are land, borders of provinces and names of places, in a view of less than 150 kB')
	|| diag explain $seen{ground};
for my $map (qw(zones parcels))
{
	my ($column, @classes) = @{ $seen{$map}{legend} };
	is_deeply([ $column, sort map { $_->[0] } @classes ], [ [ 'kind', '' ], qw(blue green) ], "$map: the legend");
	# a canvas keeps a colour to a 255th
	my @colors = map { [ sort { $a->[0] <=> $b->[0] } map { [ /\d+/g ] } @$_ ] }
		[ map { $_->[1] } @classes ], $seen{$map}{drawn};
	my @apart = map { my $class = $_; map { abs $colors[0][$class][$_] - $colors[1][$class][$_] } 0 .. 2 } 0, 1;
	ok(!grep({ $_ > 1 } @apart), "$map: it has the colours in which they are drawn") or diag explain $seen{$map};
}
is_deeply($seen{zones}{card}, ['lake'], 'an outline tells its row');
is_deeply([ @{ $seen{parcels} }{qw(cards more)} ], [ 10, '10+' ], 'a tile tells ten of the rows in a place');
like($seen{parcels}{asked}, qr/&limit=11$/, 'and asks for no more of them than it has to');
is($seen{points}, 'Places: 5,625', 'a map of many points counts them');
like($seen{basemap}, qr{^https://tile\.example\.org/\d+/\d+/\d+\.png$},
	'over the basemap, whose host the operator permits');
is($seen{credit}, '© Example', 'with its credit');
cmp_ok($seen{'point of many'}, '>', 0, 'and its points tell their rows');
is_deeply($seen{'rows counted'},
	[ "\x{2068}<b>&amp;\x{2069}: 2", "\x{2068}b\x{2069}: 1" ], 'a new chart counts rows, in a preview');
is($seen{'the same column'}, 'Labels and series are the same column.', 'which says what does not fit');
is($seen{'drawn by the service'}, 720, 'which is the picture of the service');
is_deeply($seen{preview}, [ "2024\n\x{2068}<b>&amp;\x{2069}: 10",
		"2025\n\x{2068}<b>&amp;\x{2069}: 20.5\n\x{2068}b\x{2069}: 7" ],
	'and follows the columns');
is_deeply($seen{'without a name'}, ['Name: is required'], 'a chart without a name is refused');
is_deeply($seen{'chart kept'}, [ 'Cost by year', 'year', 'kind' ], 'one that is left is there again');
is($seen{'saved picture'}, 720, 'a chart that is saved is shown, though it is not published');
is($service->sql(q(SELECT concat_ws(' ', c.type, c.data_type, c.data_series, s.name) FROM catalogue.charts c JOIN )
	. q(catalogue.statuses s ON s.id = c.status WHERE c.name = 'Cost by year')),
	'stackedbar quantitative ["year","kind","cost"] Draft', 'it is of the columns that were chosen');
is($seen{'no place'}, 'No row has a place:', 'columns without places are told');
is_deeply($seen{'points of the preview'}, [ 'Places: 3', 'Rows without a place: 1',
		'Row 4: the latitude 91 is out of range; latitude and longitude may be swapped' ],
	'and rows without a place are counted');
is($service->sql(q(SELECT concat_ws(' ', latitude_key, longitude_key, properties, correct) FROM catalogue.maps WHERE )
	. q(name = 'Drawn places')), 'latitude longitude ["name"] 3', 'the map has the columns that were guessed');
is_deeply($seen{'without outlines'}, [ 'No row has an outline.', 'Rows without a place: 3',
		(map { "Row $_->[0]: the key \"$_->[1]\" is not in the file of the outlines" } [ 1, '<b>&amp;' ],
			[ 2, '<b>&amp;' ], [ 3, 'b' ]) ],
	'the places may be of another file, and rows without one are told');
is($service->sql(q(SELECT concat_ws(' ', key, shapes = file, shapes_key, correct) FROM catalogue.maps WHERE )
	. q(name = 'Joined places')), 'name t name 3', 'so a map is made');
is_deeply($seen{'a value pointed at'}, [ '2025', '<b>&amp;: 20.5', 'b: 7' ],
	'a chart tells its values where it is pointed at, as text');
is_deeply($seen{'values by keys'}, [ '2024 <b>&amp;: 10', '2025 <b>&amp;: 20.5 b: 7' ], 'and by keys');
is($seen{'told after Escape'}, Cpanel::JSON::XS::false, 'until Escape');
is($seen{'focus after Escape'}, Cpanel::JSON::XS::true, 'which leaves the focus where it is');
is($seen{'chart without scripts'}, Cpanel::JSON::XS::true, 'without scripts it is a picture with a table');
like($seen{progress}, qr{^97 %, 4\.2 of 4\.3 MB, \d+ s left$}, 'what is sent and left of an upload is told');
is_deeply($seen{'in use'}, [ 'In use: UTF-8 (all its bytes are ASCII)',
	'In use: “,” (it divides the first rows alike)', 'In use: 1 (it is the first row with anything in it)', 'In use: 1' ],
	'beside each option is what was found, and why');
is($seen{'option described'}, 'used-delimiter', 'which describes the field');
is_deeply([ grep { /parseOptions|none/ } @{ $seen{'in use after'} } ], [ 'In use: Windows-1250 (parseOptions says so)',
	'In use: 2 (parseOptions says so)' ], 'and follows what is stored');
is($seen{'options tried'}, 'bridge 1 (Text)', 'the first rows are shown by options that are not stored');
is($seen{stored},          undef,             'before they are');
is_deeply($seen{'stored after'}, { header => 2, encoding => 'Windows-1250', missing => [ 'none', 'n,d' ] },
	'an option is stored that is not among the usual ones');
is_deeply($seen{'stored again'}, { %{ $seen{'stored after'} }, header => Cpanel::JSON::XS::false },
	'and kept while another one changes');
is_deeply($seen{files}, [ '', 'is required' ], 'a fault of a file is shown beside it') || diag explain $seen{files};
is($seen{'requests of the upload'}, 0, 'before a byte of any file is sent');
is($seen{'requests after the fault'}, 4, 'the uploads go on, also after the connection broke');
is_deeply($seen{found}, [ '2', 'place (Text)lat (Integer)lon (Integer)height (Integer, no value: 1)' ],
	'what was found in a file is told') || diag explain $seen{found};
is($seen{organization}, 'Office of bridges', 'a new file has the organization of the user');
is_deeply([ sort @{ $seen{'to be published'} } ],
	[ 'Charts: Of it', 'Datasets: A draft', 'Files: Empty – it has no bytes and no address', 'Files: Late' ],
	'a dataset with all that is not published, and what is missing of it');
is($seen{published}, 'Published', 'they are published at once');
is($service->sql(qq(SELECT count(*) FROM catalogue.files WHERE dataset = '$draft' AND status = 'qWRhpRV')), 2,
	'the files, too');
is($service->sql(qq(SELECT count(*) FROM catalogue.charts WHERE file = '$late' AND status = 'qWRhpRV')), 1,
	'and the chart');
is($seen{'published already'}, 'All of it is published already.', 'once');
is($seen{'fault at its field'}, 'Choose a category', 'a fault is shown at its field');
is($seen{state}, 'Under Review', 'the dataset is sent to review');
is($seen{'not published before'}, 'It has not been published before.', 'a reviewer is told what is new');
is_deeply($seen{changes}, [ 'Description: A few → All <of> them', 'Starred: — → Yes' ],
	'and what has changed since it was published, as text');
is($seen{'in progress'}, 'In progress: this page refreshes itself.', 'a view of a file that is being read says so');
is($seen{'read at last'}, 'List of bridges', 'and shows it anew by itself');
is($seen{about}, '#record', 'the dashboard leads to what an action was about');
is($seen{'delete is asked'}, 'Delete', 'a deletion is confirmed');
is($seen{'focus after the question'}, 'Delete', 'and Escape leads back to its button');
is($seen{note}, 'Say where it is from', 'a reviewer rejects with a note');
is($seen{asked}, 'Thank you. What you wrote has been received.', 'a visitor reports a fault');
is($seen{'who asks'}, 'mailto:vera%40example.org', 'a reviewer reads it, and whom to answer to');
is_deeply($seen{replied}, [ "Row 7 is there twice.\n<b>Why?</b>", 'It is mended.' ], 'both are public with the reply');
is_deeply($seen{versions}, [ 'All of them', 'A new description' ], 'versions side by side');
is_deeply($seen{undone}, [ 'A new description', 'All of them' ], 'an action is undone');
is_deeply($seen{'what changes'}, [ '51 → 2', 'column_3: is gone' ],
	'what other bytes of a file change is told before') || diag explain $seen{'what changes'};
is($seen{bytes}, '8', 'they are replaced after a yes');
is_deeply([ @{ $seen{described} }[ 1 .. 4, 9 ] ],
	[ 'cost', 'Costs', 'Of building <and> upkeep', 'Decimal', 'million €' ], 'columns are described, as text')
	|| diag explain $seen{described};
is($service->sql("SELECT optionals::jsonb #- '{columns,cost,unit}' FROM catalogue.files WHERE id = '$odd'"),
	'{"columns": {"cost": {"label": "Costs", "description": "Of building <and> upkeep"}}}',
	'nothing else is stored');
is_deeply($seen{'what would break'}, [ '3 → 1', 'kind: is gonecost: Decimal → Text',
	'Costskind: is gonecost: Decimal → TextCost by yearkind: is gonecost: Decimal → Text' ],
	'and charts of columns that change') || diag explain $seen{'what would break'};
is($seen{'changed meanwhile'}, 'Somebody else has changed this file. What changes is compared anew.',
	'a file that somebody else has changed since is not replaced');
is($service->sql("SELECT row_count FROM catalogue.files WHERE id = '$odd'"), 3, 'without one the file stays as it is');
is($seen{'accent in the dark'}, 'rgb(77, 166, 99)', 'the accent is lighter on dark pages');
ok($seen{image}, 'a category with an image is created, deleted and restored');
is_deeply($seen{'offered to a guest'}, [ 'Add files', 'History', 'As visitors see it' ],
	'a guest is offered what a guest may do');
is_deeply($seen{'navigation of a guest'}, [ 'Records', 'Review', 'Dashboard' ], 'and no new dataset');
is($seen{plots}, 2, 'an operator sees requests as plots');
is($seen{actions}, 20, 'and a page of the latest actions');
is($seen{health}, 'El servicio está listo.', 'and the health, in the language of the browser');
is_deeply($seen{'hints in Spanish'}, [ 'Descripción, en Markdown', 'Los visitantes lo ven cuando está publicado.', '',
	'A quién preguntar por los datos.', 'Dirección de la página de donde vienen los datos.',
	'Primer y último día que abarcan los datos.',
	'De qué lugar tratan los datos.', 'Direcciones de los estándares que siguen los datos, una por línea.',
	'Organización que lo publica y por la que van los permisos; en uno nuevo, la de su creador', 'Estado del registro',
	'Usuario responsable' ], 'no hint of a form is in English')
	|| diag explain $seen{'hints in Spanish'};
is_deeply([ sort @{ $seen{'states in Spanish'} } ],
	[ sort '—', 'Borrador', 'En revisión', 'No publicado', 'Publicado', 'Rechazado' ], 'nor a state')
	|| diag explain $seen{'states in Spanish'};
is_deeply($seen{'types in Spanish'}, [ 'Texto', 'Entero', 'Decimal' ], 'nor the type of a column')
	|| diag explain $seen{'types in Spanish'};
is_deeply($seen{stayed}, [ 'Entered before', '#edit' ], 'leaving a form asks, and one may stay');
is($seen{draft}, 'Entered before', 'what was entered is there on return');
is($seen{'wrong password'}, Cpanel::JSON::XS::false, 'a wrong password is told as such in the login above a form');
is($seen{'stored after the login'}, 'Entered before', 'and is stored when the user has logged in again above the form');
is($seen{'draft afterwards'}, 0, 'after which there is no draft');
is_deeply($seen{'both versions'}, [ 'Description Also of the slower one Also of the faster one',
	'Notes Of the slower one Of the faster one' ], 'of a field that two editors change both versions are shown')
	|| diag explain $seen{'both versions'};
is_deeply($seen{'kept of both'}, [ 'Of the faster one', 'Also of the slower one' ], 'and the chosen one is stored');
is_deeply($seen{tags}, [ 'Underground', 'Depth' ], 'Enter makes a tag, or takes the one that is there');
is_deeply($seen{'without a category'}, ['Categories: Choose a category'], 'a category is asked for, not an id');
is($seen{'suggestions that come late'}, 0, 'suggestions do not open again over what follows');
is_deeply($seen{'suggestions behind Enter'}, [ 1, 0 ], 'nor while the record is looked for that Enter has named');
is($seen{licence}, 'Any use; the source is named.', 'what a licence permits is told');
is_deeply([ map { s/ at position.*|: Expected.*//r } @{ $seen{'faults of the optional values'} } ],
	[ 'Please include an \'@\' in the email address. \'desk\' is missing an \'@\'.',
		'The last day is before the first', 'This is no address: b c', 'This is no JSON' ],
	'the faults of optional values are told beside them') || diag explain $seen{'faults of the optional values'};
is($seen{'requests with these faults'}, 0, 'and nothing is sent');
my $optionals = Cpanel::JSON::XS->new->utf8(0)->decode($service->sql(
	q(SELECT optionals FROM catalogue.datasets WHERE name = 'Bridges and their air')));
my ($west, $south, $east, $north) = delete($optionals->{spatial}[0]{bbox}) =~
	/^POLYGON\(\((\S+) (\S+), (\S+) \2, \3 (\S+), \1 \4, \1 \2\)\)$/;
is_deeply($optionals, { license => 'CC0-1.0', landingPage => 'https://example.org/air', language => ['es'],
	contactPoint => [ { fn => 'Desk', hasEmail => 'desk@example.org' } ], temporal => '2026-03-02/2026-04-26',
	conformsTo => ['https://example.org/a'], depth => [ 1, 2 ], spatial => [ { prefLabel => 'Rosario' } ] },
	'what was entered in fields is stored without JSON, and one of them is changed') || diag explain $optionals;
ok(abs($west) < 1 && abs($south - 20) < 1 && abs($east - 45) < 1 && $north > $south && $north < 40, 'with the box')
	|| diag "$west $south $east $north";
is($service->sql(q(SELECT count(*) FROM catalogue.logs WHERE action = 'update' AND resource = )
	. q((SELECT id FROM catalogue.datasets WHERE name = 'Bridges and their air'))), 1, 'what is not changed is not sent');
cmp_ok($seen{clicks}, '<=', 15, 'from the login to a published dataset with a chart and a map: at most 15 clicks')
	&& note "$seen{clicks} clicks";
is_deeply([ $service->sql(q(SELECT d.status || f.status || c.status || m.status FROM catalogue.datasets d )
	. q(JOIN catalogue.files f ON f.dataset = d.id JOIN catalogue.charts c ON c.file = f.id )
	. q(JOIN catalogue.maps m ON m.file = f.id WHERE d.name = 'Lamps')) ], [ 'qWRhpRV' x 4 ], 'all of it is published');
$optionals = Cpanel::JSON::XS->new->utf8(0)->decode($service->sql(
	"SELECT optionals FROM catalogue.datasets WHERE id = '$again'"));
is_deeply($optionals, { license => 'CC0-1.0', landingPage => 'no address', temporal => ['2026-01-01/'],
	language => [ 'http://example.org/ENG', 'es', 'es' ], conformsTo => [" https://example.org/a\nb "],
	contactPoint => { phone => '1' } }, 'values of other forms stay as they are') || diag explain $optionals;
ok($seen{'further values in a draft'}, 'and JSON that is being typed loses none in a draft');
is($seen{discarded}, 'Of the faster one', 'a draft can be discarded');
is($seen{'secrets kept'}, Cpanel::JSON::XS::false, 'a password is in no draft');
is_deeply($seen{'kept after the logout'}, [ '{}', '{}', '' ], 'the browser keeps nothing after the logout');

# what the users did is in the catalogue
is($service->sql(q(SELECT s.name || ' ' || d.notes FROM catalogue.datasets d JOIN catalogue.statuses s ON s.id = )
	. q(d.status WHERE d.name LIKE '<img%')), 'Published Say where it is from', 'the dataset is published');
is($service->sql(q(SELECT size FROM catalogue.files WHERE name = 'table')), 4 + 1000 * 4300, 'its file is whole');

$worker->finish;
$service->finish;
