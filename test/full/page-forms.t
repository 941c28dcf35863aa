#!/usr/bin/perl
# Forms of the page send what nobody edits as it was, in a real browser: numbers of JSON digit by digit, values that a
# form cannot show, descriptions of columns that are no texts, a file that somebody else has changed meanwhile.

use strict;
use warnings;
use utf8;

use Test::More;
use Catalogue::Browser;
use Catalogue::Test;
use Catalogue::Upload;
use Catalogue::Worker;
use Cpanel::JSON::XS ();

my $service = Catalogue::Test->start->as_admin;
my $worker  = Catalogue::Worker->start($service);
my $word    = 'a long pass phrase';

sub made
{
	my ($resource, %fields) = @_;
	my $reply = $service->post("/$resource", \%fields);
	is($reply->{status}, 201, "$resource: made") or diag($reply->{body});
	return $reply->{json}{links}{record} =~ s{.*/}{}r;
}

# the text of the optional values of a record, as it is stored, without spaces
sub optionals
{
	my ($resource, $id) = @_;
	return $service->sql("SELECT optionals FROM catalogue.$resource WHERE id = '$id'") =~ s/\s+(?=["\d\[{])//gr;
}

sub store
{
	my ($resource, $id, $json) = @_;
	$service->sql("UPDATE catalogue.$resource SET optionals = '$json' WHERE id = '$id'");
	return $id;
}

my $office = made('organizations', name => 'Office of numbers');
my $class  = made('categories', name => 'Numbers', color => '004080');
my $edith  = made('users', username => 'edith', password => $word, email => 'edith@example.org',
	organization => $office, role => 'superadmin', active => Cpanel::JSON::XS::true);
my %dataset =
	map { $_ => made('datasets', name => $_, categories => [$class], owner => $edith) } qw(Numbers Draft Several);
my $numbers = '"big":12345678901234567890,"huge":1e400,"deep":{"n":[1.0,-0,0.10]},"text":"1.0"';
store('datasets', $dataset{Numbers}, "{$numbers}");
store('datasets', $dataset{Several}, '{"contactPoint":{"fn":"One","x":1.0},"spatial":["Rosario","-10,35,20,44"]}');

my $uploads = Catalogue::Upload->new($service);
my %file    = map {
	my $id = $uploads->file("$_.csv", "a,b,c,d\n1,2,3,4\n", name => $_, dataset => $dataset{Numbers})->{id};
	$worker->wait_for_file($id);
	$_ => $id;
} qw(Kinds List Columns);
my %number  = (type => 'number');
my $nothing = { type => 'object' };
made('forms', resource => 'files', schema => { type => 'object', properties => {
	count  => { type => 'integer' },
	level  => { type => 'number', anyOf => [ { const => 1 }, {} ] },
	words  => { type => 'array' },
	list   => { type => 'array', items => {%number} },
	boxes  => { type => 'array', items => { enum => [ 1, 2 ] } },
	object => $nothing,
	nested => { type => 'object', properties => { inner => { type => 'array', items => {%number} } } },
	types  => { type => [ 'integer', 'null' ] },
	kinds  => { anyOf => [ {%number}, { type => 'string' } ] },
	named  => { '$ref' => '#/properties/count' } } });
store('files', $file{List}, '[1.0]');
my $described = '"b":{"label":{"en":"B"},"unit":"m","n":1.0},"c":"a text","d":{"label":"D","unit":"s"}';
store('files', $file{Columns}, qq({"columns":{$described},"big":12345678901234567890}));

my $told = Catalogue::Browser::run($service, 'forms.js',
	editor  => { username => 'edith', password => $word },
	numbers => $dataset{Numbers},
	draft   => $dataset{Draft},
	several => $dataset{Several},
	kinds   => $file{Kinds},
	list    => $file{List},
	columns => $file{Columns});
my %seen = map { @$_ } @{ $told->{steps} };

is_deeply([ @$told{qw(faults axe wide)} ], [ [], [], [] ], 'the browser complains of nothing, and axe-core neither');
is($seen{shown}, '12345678901234567890', 'a long number is shown as it is');
is(optionals('datasets', $dataset{Numbers}),
	qq({"landingPage":"https://example.org/a","typed":98765432109876543210,$numbers}),
	'numbers that nobody edits stay as they are written, also in a draft, and those that are typed as they are typed');
is($seen{'faults of a draft'}, 3, 'faults are told of what was in a draft');
is($seen{'sent of a draft'},   0, 'and it is not sent');
is_deeply($seen{controls}, [qw(Boxes Count Level List Nested Inner Words)],
	'a form has controls only of what they can store') || diag explain $seen{controls};
is(optionals('files', $file{Kinds}), '{"boxes":[2],"count":12345678901234567891,"level":2.50,"list":[1.5,20],'
	. '"nested":{"inner":[7]},"words":["1","2"]}',
	'as the type that the schema says');
is(optionals('datasets', $dataset{Several}),
	'{"contactPoint":[{"fn":"Desk","x":1.0,"hasEmail":"one@example.org"}],"spatial":["-10,35,20,44"]}',
	'contacts and places are added and taken away');
is_deeply($seen{alone}, [ 'One', '1.0', 'one@example.org' ], 'a contact alone is no list');
is($seen{'fault of the second'}, 'true', 'a fault is told at its row');
is(optionals('files', $file{List}), '[1.0]', 'a list in place of an object stays while another field is edited');
is($service->sql("SELECT notes FROM catalogue.files WHERE id = '$file{List}'"), 'Edited', 'which is stored');
like($seen{list}, qr/This is no object of JSON$/, 'beside it nothing can be edited');
is($seen{'columns of a list'}, 'The further values of this file are no object of JSON', 'nor can columns be described');
is_deeply($seen{'no texts'}, [ [ 'b: Label', '{"en":"B"}' ], map { [ "c: $_", 'a text' ] } qw(Label Description Unit) ],
	'descriptions that are no texts are shown, and not edited') || diag explain $seen{'no texts'};
is(optionals('files', $file{Columns}),
	qq({"columns":{$described,"a":{"label":"A"}},"big":12345678901234567890}),
	'they stay, in their order, and so does what is besides');
is($seen{'changed meanwhile'}, 'Somebody else has changed this file. What changes is compared anew.',
	'a file that somebody else has changed since it was compared is not replaced');
is($seen{'compared anew'}, '1 → 2', 'but compared anew');
is($service->sql("SELECT size FROM catalogue.files WHERE id = '$file{Columns}'"), 12, 'and replaced after another yes');

$worker->finish;
$service->finish;
