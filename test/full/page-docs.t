#!/usr/bin/perl
# A real browser shows the operations of the service at /docs, tries one, and asks no other host; a user who has logged
# in sees what visitors do not, and without scripts a link leads to the document.

use strict;
use warnings;

use Test::More;
use Catalogue::Browser;
use Catalogue::Test;

my $service = Catalogue::Test->start->as_admin;
my $told    = Catalogue::Browser::run($service, 'docs.js', screenshots => $ENV{SCREENSHOTS},
	user => { username => 'admin', password => $ENV{CATALOGUE_ADMIN_PASSWORD} });
is_deeply($told->{faults}, [], 'the browser complains of nothing');
is_deeply($told->{axe},    [], 'axe-core finds nothing serious');
is_deeply($told->{wide},   [], 'nothing is wider than the screen');
my %seen = map { @$_ } @{ $told->{steps} };
my %tags = map { $_ => 1 } @{ $seen{visitor} };
ok($tags{$_}, "visitors see the operations of $_") for qw(datasets files charts maps);
ok(!$tags{logs}, 'not those of logs');
ok(scalar(grep { $_ eq 'logs' } @{ $seen{user} }), 'a user does') || diag explain $seen{user};
ok(scalar(grep { /^limit/ } @{ $seen{parameters} }), 'an operation has its parameters')
	|| diag explain $seen{parameters};
is($seen{tried}, 200, 'it is tried');
is_deeply($seen{origins}, [1], 'all comes from the service');
is($seen{'without scripts'}, '/openapi.json', 'without scripts there is a link to the document');

$service->finish;
