#!/usr/bin/perl
# Change events while shims and the database end and come back: several listeners are told of each write once and in one
# order; and a commit that is not visible yet holds up those with a later number.

use strict;
use warnings;

use Test::More;
use Catalogue::Listener;
use Catalogue::Test;
use POSIX ();
use Time::HiRes qw(sleep time);

my $service = Catalogue::Test->start(cluster => 'private', CATALOGUE_CALL_TIMEOUT => '2s')->as_admin;
my @sessions;

# Start psql with statements, in the background.
sub in_background
{
	my (@statements) = @_;
	my $pid = fork // die "fork: $!";

	if ($pid == 0)
	{
		local %ENV = (%ENV, %{ $service->{server} });
		open STDOUT, '>', '/dev/null';
		exec 'psql', '-XAtq', '-d', $service->{database}, map { ('-c', $_) } @statements or POSIX::_exit(127);
	}
	push @sessions, $pid;
	return;
}

# Listen on from where a listener was, and keep what it was told.
sub go_on
{
	my ($before) = @_;
	my $listener = Catalogue::Listener->new($service, '/events?resource=tags', Authorization => undef, 'Last-Event-ID' => $before->{last});

	unshift @{ $listener->{events} }, @{ $before->{events} };
	return $listener;
}

sub names { my ($listener, $count) = @_; return map { $_->{data}{id} } $listener->events($count) }

# Writers in SQL, some in transactions of several records, while listeners come and go and the shim is restarted.
my @listeners = map { Catalogue::Listener->new($service, '/events?resource=tags', Authorization => undef) } 1 .. 4;
my $writer = q(INSERT INTO catalogue.tags (id, name, created_by) SELECT 'w' || n || 'x' || m, 'write ' || n || ' ' || m, u.id
	FROM (SELECT %d AS n) s, catalogue.users u, generate_series(1, 1 + n %% 3) m WHERE u.username = 'admin');
in_background(map { sprintf($writer, $_), 'SELECT pg_sleep(0.005)' } @$_) for map { [ $_ * 1000 .. $_ * 1000 + 99 ] } 1 .. 4;
my $total = 0;
$total += 1 + $_ % 3 for map { $_ * 1000 .. $_ * 1000 + 99 } 1 .. 4;
for my $turn (1 .. 3)
{
	$_->events(40 * $turn) for @listeners[ 0, 1 ];
	$service->stop_shim($turn == 2 ? 'KILL' : 'TERM') if $turn > 1;
	$service->start_shim if $turn > 1;
	@listeners = map { go_on($_) } @listeners;
}
waitpid $_, 0 for splice @sessions;
my @written = $service->sql(q(SELECT t.id FROM catalogue.tags t WHERE t.id ~ '^w' ORDER BY t.id));
is(scalar @written, $total, 'the writers have written');
my @first = names($listeners[0], $total);
is_deeply([ sort @first ], \@written, 'a listener is told of each write once');
is_deeply([ names($listeners[$_], $total) ], \@first, "listener $_ is told of them in the same order") for 1 .. 3;
my @order = $service->sql(q(SELECT l.resource FROM catalogue.logs l JOIN catalogue.change c ON c.number = l.change
	WHERE l.resource ~ '^w' ORDER BY c.commit_number, l.id));
is_deeply(\@first, \@order, 'in the order of commits, and of the actions of each');

# The database ends and comes back: the streams stay, and go on.
$service->cluster('restart');
$service->sql(sprintf $writer, 1);
is((names($_, $total + 2))[-1], 'w1x2', 'a stream goes on after a restart of the database') for @listeners[ 0, 3 ];

# A commit that waits for a standby which does not exist is not visible, and has a number: later ones are told after it.
sub waiting { return $service->sql(q(SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep')) }
$service->sql(q(ALTER SYSTEM SET synchronous_standby_names = 'nobody'));
$service->sql('SELECT pg_reload_conf()');
Catalogue::Test::wait_until('the setting is read', sub { $service->sql('SHOW synchronous_standby_names') eq 'nobody' });
in_background(sprintf $writer, 2);
Catalogue::Test::wait_until('the commit waits', sub { waiting() == 1 });
$service->sql(q(SET synchronous_commit = local; ) . sprintf($writer, 3));
is($service->sql(q(SELECT count(*) FROM catalogue.tags WHERE id ~ '^w[23]x')), 1, 'the later commit is visible, the earlier one is not');
sleep 0.5; # nothing must come meanwhile
is(scalar $listeners[0]->events(0), $total + 2, 'neither is told yet');
$service->sql('ALTER SYSTEM RESET synchronous_standby_names');
$service->sql('SELECT pg_reload_conf()');
is_deeply([ (names($_, $total + 6))[ -4 .. -1 ] ], [qw(w2x1 w2x2 w2x3 w3x1)], 'then both are, the earlier one first') for @listeners[ 0, 3 ];
waitpid $_, 0 for splice @sessions;

$service->finish;
