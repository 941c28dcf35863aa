#!/usr/bin/perl
# Change events: what listeners are told, in which order, to whom, and how they go on after an interruption.

use strict;
use warnings;

use Test::More;
use Catalogue::Definition;
use Catalogue::Listener;
use Catalogue::Test;
use IO::Socket::INET ();
use Time::HiRes qw(sleep time);

my $service    = Catalogue::Test->start(CATALOGUE_EVENT_LISTENERS => 40)->as_admin;
my $definition = Catalogue::Definition->new($service);
my %nobody     = (Authorization => undef);

sub listen_to { my ($path, %headers) = @_; return Catalogue::Listener->new($service, $path, %headers) }
sub tag { my ($name) = @_; return $service->post('/tags', { name => $name })->{headers}{location} =~ s{.*/}{}r }
sub told { my ($listener, $count) = @_; return join ', ', $listener->told($count) }

# the head of the answer
my $admin = listen_to('/events');
my $outsider = listen_to('/events', %nobody);
is($admin->{status}, 200, 'an answer');
like($admin->{head}, qr/^Content-Type: text\/event-stream\r?$/m, 'its type');
like($admin->{head}, qr/^Cache-Control: no-store\r?$/m, 'no cache keeps it');
like($admin->{head}, qr/^X-Accel-Buffering: no\r?$/m, 'no proxy collects it');
like($admin->{head}, qr/^Access-Control-Allow-Origin: \*\r?$/m, 'pages of other origins may read it');
is($admin->{last} =~ /^\w{15}$/, 1, 'an id to go on from is sent first');

# what an event says, and how soon
my $from  = time;
my $tag   = tag('first');
my ($event) = $admin->events(1);
is($event->{event}, 'create', 'the type of the event');
is($event->{data}{action}, 'create', 'and in its data');
is(told($outsider, 1), "create tags $tag", 'an outsider is told of a tag');
($event) = $outsider->events(1);
is($event->{id}, $service->sql("SELECT id FROM catalogue.logs WHERE resource = '$tag'"), 'the id is that of the log record');
is_deeply([ sort keys %{ $event->{data} } ], [qw(action id link resource time)], 'there are no values of fields');
is($service->follow($event->{data}{link})->{json}{data}{name}, 'first', 'the link leads to the record');
like($event->{data}{time}, qr/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/, 'the time of the commit');
cmp_ok($event->{arrived} - $from, '<', 5, 'it arrives soon');

# drafts, users and secret settings are not told to outsiders, not even by an id
my $dataset = $definition->create('datasets', status => 'nWRhpRV');
$service->patch("/datasets/$dataset", { notes => 'work on a draft' });
my $user = $definition->create('users');
my $config = $definition->create('configs', secret => Cpanel::JSON::XS::true);
my $quiet = listen_to('/events', %nobody);
is($quiet->{last}, $outsider->{last}, 'the first id of an outsider does not tell that something happened');
$quiet->close;
is(told($admin, 5), "create tags $tag, create datasets $dataset, update datasets $dataset, create users $user, create configs $config", 'a superadmin is told of all');
$service->patch("/datasets/$dataset/publish");
is(told($outsider, 2), "create tags $tag, create datasets $dataset", 'a published dataset appears for outsiders');
$service->patch("/datasets/$dataset/unpublish");
is(told($outsider, 3), "create tags $tag, create datasets $dataset, delete datasets $dataset", 'and disappears');
is(told(listen_to('/events', %nobody, 'Last-Event-ID' => $event->{id}), 1), "delete datasets $dataset", 'later it is told that it is gone, and nothing else');

# filters
my @filtered = map { listen_to($_) } '/events?resource=tags', '/events?resource=Datasets,tags', "/events?id=$dataset", "/events?resource=tags&id=$dataset";
$service->patch("/datasets/$dataset", { notes => 'filtered' });
my $second = tag('second');
is(told($filtered[0], 1), "create tags $second", 'one resource');
is(told($filtered[1], 2), "update datasets $dataset, create tags $second", 'two resources');
is(told($filtered[2], 1), "update datasets $dataset", 'one record');
$service->patch("/tags/$second", { name => 'second again' });
is(told($filtered[0], 2), "create tags $second, update tags $second", 'and what happens later');
is(scalar @{ $filtered[3]{events} }, 0, 'nothing fits both filters');

# requests that are refused
is($service->get('/events?resource=users', %nobody)->{status}, 422, 'a resource that the caller does not see');
is($service->get('/events?resource=nothing')->{json}{code}, 'E_UNPROCESSABLE_ENTITY', 'one that does not exist');
is($service->get('/events?resources=tags', Prefer => 'handling=strict')->{status}, 422, 'an unknown parameter');
is($service->get('/events', Accept => 'application/json')->{status}, 406, 'another type');
is($service->get('/events', Authorization => 'Bearer x')->{status}, 401, 'an invalid credential');
is($service->post('/events', {})->{status}, 405, 'another verb');
my $head = $service->head('/events', %nobody);
is($head->{status}, 200, 'HEAD');
is($head->{headers}{'content-type'}, 'text/event-stream', 'HEAD has the type');
my $options = $service->options('/events');
is($options->{headers}{allow}, 'GET, HEAD, OPTIONS', 'OPTIONS: the verbs');
is_deeply([ sort keys %{ $options->{json}{methods}[0]{parameters} } ], [qw(id lastEventId resource)], 'OPTIONS: the parameters');
like($service->options('/events', Origin => 'https://example.org', 'Access-Control-Request-Method' => 'GET')->{headers}{'access-control-allow-headers'}, qr/Last-Event-ID/, 'pages may send Last-Event-ID');

# a key that is limited to resources
$service->sql(q(SELECT catalogue.add_consumer('Listener')));
my $key = $service->sql(q(SELECT secret FROM catalogue.add_api_key('Listener', resources => '{tags}')));
my $limited = listen_to('/events', %nobody, apikey => $key);
is($service->get('/events?resource=datasets', %nobody, apikey => $key)->{status}, 403, 'it cannot ask for others');
$definition->create('categories');
my $third = tag('third');
is(told($limited, 1), "create tags $third", 'it is told of these only');
$service->sql(q(UPDATE catalogue.consumer_keys SET revoked_at = now() WHERE consumer = (SELECT id FROM catalogue.consumers WHERE name = 'Listener')));
my $fourth = tag('fourth');
like($limited->ended, qr/credential is not valid/, 'when it is revoked its stream ends');
is(scalar @{ $limited->{events} }, 1, 'without another event');

# a user who is logged out
my $guest = Catalogue::Listener->new($service, '/events');
is($service->post('/users/logout')->{status}, 200, 'logged out');
$service->as_admin;
my $fifth = tag('fifth');
like($guest->ended, qr/credential is not valid/, 'its stream ends');
is(scalar @{ $guest->{events} }, 0, 'without another event');

# an interruption: the header goes before the parameter
my $last = $outsider->{events}[2]{id};
is(told($outsider, 9) =~ s/.*(?=create tags $third)//r, "create tags $third, create tags $fourth, create tags $fifth", 'a listener is told of all');
my @rest = map { $_->{id} } $outsider->events(9);
my $again = listen_to('/events', %nobody, 'Last-Event-ID' => $last);
is_deeply([ map { $_->{id} } $again->events(6) ], [ @rest[ 3 .. 8 ] ], 'a client that connects again is told what it has missed');
my $other = listen_to("/events?lastEventId=$rest[-2]", %nobody);
is(told($other, 1), "create tags $fifth", 'the same by a parameter');
is(told(listen_to("/events?lastEventId=$last", %nobody, 'Last-Event-ID' => $rest[-2]), 1), "create tags $fifth", 'the header counts if there are both');
my $reset = listen_to('/events', %nobody, 'Last-Event-ID' => 'pruned');
is(($reset->events(1))[0]{event}, 'reset', 'an id that is not in the log any more');
is($reset->{last}, $rest[-1], 'then it goes on from the newest event');
my $sixth = tag('sixth');
is(($_->[0]->told($_->[1]))[-1], "create tags $sixth", 'all go on') for [ $again, 7 ], [ $other, 2 ], [ $reset, 2 ];

# too many listeners: those of one client leave room for others, and a listener that goes leaves its place
my @many;
for (1 .. 90)
{
	my $listener = listen_to('/events', %nobody);
	push @many, $listener;
	last if $listener->{status} != 200;
}
is($many[-1]{status}, 503, 'too many listeners: 503');
like($many[-1]{head}, qr/^Retry-After: \d+\r?$/m, 'Retry-After');
cmp_ok(scalar @many, '>', 20, 'there were some');
Catalogue::Test::wait_until('the metrics have the number', sub { $service->get('/metrics')->{body} =~ /^catalogue_event_listeners [1-9]\d+$/m });
pop(@many)->close while @many;
Catalogue::Test::wait_until('the listeners are gone', sub { my ($number) = $service->get('/metrics')->{body} =~ /^catalogue_event_listeners (\d+)$/m; $number < 20 });
# a thread may notice later than another that its clients are gone
Catalogue::Test::wait_until('there is room for others', sub { listen_to('/events', %nobody)->{status} == 200 });
like($service->get('/metrics')->{body}, qr/^catalogue_events_sent_total [1-9]\d*$/m, 'the metrics have the number of events');

# a listener that reads nothing is ended while others of its group are told of all; what it had been told is complete.
# A group has the listeners of one thread.
is($service->stop_shim, 0, 'SIGTERM');
$service->{settings}{CATALOGUE_THREADS} = 1;
$service->start_shim;
my $slow = listen_to('/events?resource=tags', %nobody);
my $fast = listen_to('/events?resource=tags', %nobody);
my $crowd = 0;
# Create tags, and wait until the listener that reads has been told of them.
sub crowd
{
	my ($count) = @_;
	$service->sql("INSERT INTO catalogue.tags (id, name, created_by) SELECT 'crowd' || $crowd + n, 'crowd ' || $crowd + n, u.id
		FROM generate_series(1, $count) n, catalogue.users u WHERE u.username = 'admin'");
	$crowd += $count;
	return $fast->events($crowd) == $crowd;
}
# more bytes than the buffers of the two sockets hold, then more events than the 512 that a group keeps and a page of 128
my ($sent)   = Catalogue::Test::slurp('/proc/sys/net/ipv4/tcp_wmem') =~ /(\d+)$/;
my ($unread) = Catalogue::Test::slurp('/proc/sys/net/ipv4/tcp_rmem') =~ /^\d+\s+(\d+)/;
while ($fast->{received} <= $sent + $unread && crowd(500)) { }
crowd(1000);
is(scalar @{ $fast->{events} }, $crowd, 'a listener that reads is told of all');
like($slow->ended, qr/^events come faster than they are read$/, 'one that does not is told why it ends');
ok($slow->{ended}, 'its answer is complete');
my @until = map { $_->{id} } @{ $slow->{events} };
cmp_ok(scalar @until, '<', $crowd, 'it has missed some');
is_deeply(\@until, [ map { $_->{id} } @{ $fast->{events} }[ 0 .. $#until ] ], 'but none before the last one that it was told of');
my ($missed) = listen_to('/events?resource=tags', %nobody, 'Last-Event-ID' => $until[-1])->events(1);
is($missed->{id}, $fast->{events}[@until]{id}, 'and it can go on from there');

# the shim stops: streams end as a complete answer
is($service->stop_shim, 0, 'SIGTERM');
like($fast->ended, qr/the service ends/, 'a listener is told');
ok($fast->{ended}, 'its answer is complete');
$service->start_shim;
my $next = listen_to('/events', %nobody, 'Last-Event-ID' => $fast->{events}[-1]{id});
my $seventh = tag('seventh');
is(told($next, 1), "create tags $seventh", 'and it goes on with another shim');

$service->is_sound;
$service->finish;
