#!/usr/bin/perl
# The pages of operators in a real browser: sources of harvests, settings, roles.  axe-core finds nothing serious,
# nothing is wider than its screen, and who may not see something is told so.

use strict;
use warnings;
use utf8;

use Test::More;
use Catalogue::Browser;
use Catalogue::RemoteService;
use Catalogue::Test;
use Cpanel::JSON::XS ();

my $service = Catalogue::Test->start(Catalogue::RemoteService::settings())->as_admin;
my $remote  = Catalogue::RemoteService->start($service);
my $url     = $remote->{remote}->url('/data');
my $word    = 'a long pass phrase';
my %people  = map { $_ => { username => $_, password => $word } } qw(operator intern);
my $office  = $service->post('/organizations', { name => 'Office' })->{json}{links}{record} =~ s{.*/}{}r;
for (keys %people)
{
	my $reply = $service->post('/users', { %{ $people{$_} }, email => "$_\@example.org", organization => $office,
		active => \1, role => $_ eq 'intern' ? 'guest' : 'superadmin' });
	is($reply->{status}, 201, "$_: made") or diag $reply->{body};
}

# two runs, of which the second has one new entry, one gone, one refused
sub imported
{
	my (@entries) = @_;
	$remote->set('data', body => Cpanel::JSON::XS->new->ascii->encode({ dataset => \@entries }));
	my $reply = $service->post('/imports', { url => $url, source => 'far', publish => \1 });
	my $path  = $reply->{json}{links}{job} =~ s{^https?://[^/]*}{}r;
	$remote->{worker}->wait_for('the job', sub { $service->get($path)->{json}{data}{state} eq 'done' });
	return;
}
my @entries = map { { identifier => $_, title => "Harvested $_", theme => 'Transport' } } qw(a b c);
imported(@entries[ 0, 1 ]);
imported(@entries[ 0, 2 ], { identifier => '<i>', description => 'no title' });

my $told = Catalogue::Browser::run($service, 'operators.js',
	%people,
	url         => $url,
	internId    => $service->sql(q(SELECT id FROM catalogue.users WHERE username = 'intern')),
	source      => $service->sql(q(SELECT id FROM catalogue.harvest)),
	screenshots => $ENV{SCREENSHOTS}); # a directory to look at them
my %seen = map { @$_ } @{ $told->{steps} };

is_deeply($told->{faults}, [], 'the browser complains of nothing');
is_deeply($told->{axe},    [], 'axe-core finds nothing serious');
is_deeply($told->{wide},   [], 'nothing is wider than its screen');
my $time = qr/^Nov \d+, 20\d\d, /;
like($seen{sources}[2], $time, 'a source has the time of its last run');
is_deeply([ @{ $seen{sources} }[ 0, 1, 3 .. 9 ] ], [ 'far', 'Done', 1, 0, 1, 1, 1, "\x{2014}", 'Run now' ],
	'its state, its counts, and what may be done');
is_deeply($seen{refused}, [ '<i>', 'Name: is required' ], 'why an entry was refused, as text');
is_deeply($seen{gone},    [ 'Harvested b', 'Kept' ], 'and what becomes of one that is gone');
is($seen{runs}, 2, 'with the runs before');
is_deeply([ @{ $seen{'after another run'} }[ 1 .. 6 ] ], [ 0, 0, 2, 1, 1, '' ], 'by keys it is imported once more');
is($seen{'without an address'}, 'Some fields must be correctedAddress: is required', 'a new source needs an address');
is($seen{'after the deletion'}, 0, 'is imported, and deleted');
is_deeply($seen{'records of imports'}, [ 'Imports: 1', 'far',        "1\x{2013}1 / 1" ], 'imports as records');
is_deeply($seen{'records of roles'},   [ 'Roles: 3',   'superadmin', "1\x{2013}3 / 3" ], 'and roles');
is_deeply([ map { (split /: /)[0] } @{ $seen{checks} } ],
	[ '✗ The catalogue has a title', '✗ People know where to ask', '✗ There is a legal notice', '? There is a backup',
	'? Messages of visitors are sent', '✗ The address is secure (https)' ], 'what a public portal needs is told');
is_deeply([ @seen{'pagination', 'status', 'pagination changed'} ],
	[ '50 · Default: 50', 'Draft · Default: —', '25 · Default: 50' ],
	'settings have values, which may be records, and defaults, and are changed');
is($seen{title}, '<b>Open data</b> · Default: —', 'one that had no record gets one by keys, as text');
is($seen{'title checked'}, '✓ The catalogue has a title: yes', 'and is there');
like($seen{'no whole number'}, qr/takes a whole number/, 'a value that is none of its type is refused');
is($seen{'check list of a guest'}, 'What a public portal needsthe check list is for superadmins only',
	'a guest sees no check list');
is($seen{'setting of a guest'}, 'This cannot be shownYou may not do this', 'and changes no setting');
is_deeply($seen{'rules of guests'}, [ Cpanel::JSON::XS::true, Cpanel::JSON::XS::false ],
	'what a role may do is checked');
is($seen{'a rule that is made'}, Cpanel::JSON::XS::true, 'and a rule is made by a box');
is($service->sql(q(SELECT count(*) FILTER (WHERE resource = 'tags' AND action = 'delete') || ' ' || count(*) FILTER )
	. q((WHERE resource = 'datasets' AND action = 'update' AND own AND organization) FROM catalogue.rules )
	. q(WHERE role = 'guest' AND deleted_at IS NULL)), '0 1', 'or ended, and made for another resource');
is_deeply([ @seen{'no applications', 'no keys'} ], [ 1, 1 ], 'at first there are no applications, nor keys');
is($seen{'an application without a name'}, 'Some fields must be correctedName: is required', 'it needs a name');
is($seen{'an end that is none'}, 'Some fields must be correctedEnds: takes an instant such as 2027-01-31T12:00:00Z',
	'its end is an instant');
is($seen{origins}, 'https://a.example.org, https://b.example.org', 'a list is entered as words');
is($seen{'a secret'}, 'catalogue_...', 'the secret of a key is shown');
is_deeply([ @{ $seen{'a key'} }[ 0 .. 3 ] ],
	[ 'API key', 'Good', "Methods: GET \x{b7} Requests a minute: 60", "\x{2014}" ], 'a key has its limits');
is_deeply($seen{'keys that have ended'}, [ 'Revoked', 'Revoked' ], 'one that is replaced or revoked ends');
is($service->sql(q(SELECT count(*) FROM catalogue.consumers WHERE revoked_by IS NOT NULL)), 1,
	'an application is revoked');
is($seen{'boxes of a guest'}, 0, 'a guest changes no rule');
is_deeply($seen{'navigation of a guest'}, [ 'Records', 'Review', 'Dashboard' ], 'a guest is not led to sources');
is($seen{$_}, 'This cannot be shownyour role may not create this Dataset', "nor sees any: $_")
	for 'sources of a guest', 'source of a guest';

$remote->{worker}->finish;
$service->finish;
