package Bench::Changes;

# Jobs that change records, and pages as of an instant before a change.  They are the last of a run.
# See Reads.pm for what a job is.

use strict;
use warnings;

use Bench::Load    ();
use Bench::Process ();
use Bench::Reads   ();
use Bench::Report  ();

sub jobs
{
	return (
		{ name => 'version', title => 'Page as of an instant, after 10 % of the rows changed', prepare => \&version },
		{ name => 'earlier', title => 'Pages by a tag as of an instant, after a dataset changed', prepare => \&earlier },
		{ name => 'update',  title => 'Update, with history and without',                      prepare => \&update },
		{ name => 'create',  title => 'Create, with log, history, counter, statistics',        prepare => \&create },
		{ name => 'sealing', title => 'Create, while the action log is sealed and while not',  prepare => \&sealing },
	);
}

# Change one dataset in ten, with all triggers; in portions, each a transaction.
sub change_a_tenth
{
	my ($service) = @_;
	my $last = $service->{option}{size};

	for (my $first = 1; $first <= $last; $first += 10_000)
	{
		$service->sql("UPDATE catalogue.datasets SET notes = 'Changed.' WHERE id IN "
				. "(SELECT (100000000000000 + n)::text FROM generate_series($first, least($first + 9999, $last), 10) n)");
	}
	return;
}

sub version
{
	my ($service) = @_;
	my $client = $service->client;
	my $plain  = '/datasets?limit=20';
	my $before = $client->list($plain)->{json};
	my $old    = "$plain&version=$before->{meta}{version}";
	my $notes  = sub { join '|', map { $_->{notes} } @{ $client->list($_[0])->{json}{data} } };
	my $then   = $notes->($plain);

	change_a_tenth($service);
	die "the change is not seen\n" if $notes->($plain) eq $then;
	die "$old does not show the state as of the instant\n" unless $notes->($old) eq $then;
	return {
		contenders => [['plain', 'page', $service->load(targets => [$plain])],
			['old', 'page as of the instant', $service->load(targets => [$old])]],
		verdicts   => [Bench::Reads::ratio('as of an instant, of the plain page', 'old', 'plain', 0.35)],
	};
}

# The links of a page name the instant of the first one, so whoever follows them reads the state as of
# it from the next change on.  Both walks have pages that the page cache does not hold.
sub earlier
{
	my ($service) = @_;
	my @lists  = map { "/datasets?tags.slug=keyword-$_&match=EXACT&limit=20" } 100 .. 149;
	my $old    = Bench::Reads::walk($service, @lists);
	# only now: the service closes a connection that is idle for as long as the walk takes
	my $client = $service->client;
	my $ids    = sub { join ',', map { $_->{id} } @{ $client->list($_[0])->{json}{data} } };
	my ($page) = grep { /[?&]version=/ } @$old;
	my $then   = $ids->($page);
	my $id     = $then =~ s/,.*//r;

	$service->sql("DELETE FROM catalogue.datasets_tags WHERE dataset = '$id'");
	$service->sql("UPDATE catalogue.datasets SET notes = 'Changed.' WHERE id = '$id'");
	die "$page does not show the state as of the instant\n" unless $ids->($page) eq $then;
	die "the change is not seen\n" if $ids->($page =~ s/&version=[^&]*//r) eq $then;
	return {
		contenders => [
			['now',     'page after page',                  $service->load(targets => Bench::Reads::walk($service, @lists))],
			['earlier', 'page after page as of an instant', $service->load(targets => $old)],
		],
		verdicts => [Bench::Reads::ratio('as of an instant, of the present pages', 'earlier', 'now', 0.35)],
	};
}

# Move the history table of datasets away, so that no history is written, or move it back.
sub keep_history
{
	my ($service, $keep) = @_;
	my ($from, $to) = $keep ? qw(bench catalogue_history) : qw(catalogue_history bench);

	$service->sql("ALTER TABLE $from.datasets SET SCHEMA $to");
	$service->sql(q(UPDATE catalogue.resource SET model = model WHERE resource = 'datasets'));
	return;
}

# Without the table no earlier states are stored; a changing transaction is still recorded in catalogue.change.
sub update
{
	my ($service) = @_;
	my $kept  = 'SELECT count(*) FROM catalogue_history.datasets';
	my $calls = $service->calls(
		clients => 4,
		sql => "\\set id random(100000000000001, 100000000000000 + :size)\n\\set number random(1, 1000000)\n"
			. "SELECT r.* FROM catalogue.update('datasets', :id::text, json_build_object('notes', 'Changed ' || :number), actor "
				. "=> :actor) r;\n",
		variables => { size => $service->{option}{size}, actor => sprintf '{"user":"%s"}', $service->id_of_admin });
	my $without = sub {
		my ($seconds) = @_;
		keep_history($service, 0);
		my $measurement = eval { $calls->($seconds) };
		my $fault = $@;
		keep_history($service, 1);
		return $measurement // die $fault;
	};

	my $before = $service->sql($kept);
	$calls->(1);
	die "an update leaves no history\n" unless $service->sql($kept) > $before;
	$before = $service->sql($kept);
	$without->(1);
	die "history is written without its table\n" unless $service->sql($kept) == $before;
	return {
		contenders => [['with', 'pgbench, update(), 4 clients', $calls],
			['without', 'the same without the history table', $without]],
		verdicts   => [Bench::Reads::ratio('with history, of without', 'with', 'without', 0.8)],
	};
}

# Switch on or off, for the whole server, that a commit waits for the disk.
sub set_durable
{
	my ($service, $on) = @_;
	$service->sql($on ? "ALTER SYSTEM SET $_ = on" : "ALTER SYSTEM RESET $_")
		for qw(fsync synchronous_commit full_page_writes);
	$service->sql('SELECT pg_reload_conf()');
	return;
}

# A load whose commits wait for the disk, or do not.
sub in_durability
{
	my ($service, $on, $load) = @_;
	return sub {
		set_durable($service, $on);
		return $load->(@_);
	};
}

# Create a table of datasets with the same rows and indexes, without triggers and constraints.
sub make_bare_table
{
	my ($service) = @_;
	$service->sql($_)
		for 'DROP TABLE IF EXISTS bench.inserted',
		'CREATE TABLE bench.inserted (LIKE catalogue.datasets INCLUDING DEFAULTS INCLUDING INDEXES)',
		'INSERT INTO bench.inserted SELECT * FROM catalogue.datasets', 'VACUUM (ANALYZE) bench.inserted';
	return;
}

# POST of a dataset: its body, and the headers.
sub creation
{
	my ($service) = @_;
	my %admin = $service->as_admin;
	my $body  = '{"name":"Created {n}","description":"Figures of the year for each district, gathered and '
		. 'checked.","notes":"Nothing.",'
		. '"visible":true,"status":"qWRhpRV","owner":"' . $service->id_of_admin . '","categories":["200000000000001"]}';

	return ($body, $service->load(verb => 'POST', headers => \%admin, targets => ['/datasets'], body => $body));
}

# Plain INSERTs of the body that create() gets, with the fastest number of clients; return the load and that number.
sub bare_inserts
{
	my ($service) = @_;
	my $admin   = $service->id_of_admin;
	my $columns = 'id, name, slug, description, notes, visible, status, owner, created_by';

	return $service->best_calls(
		user => 'postgres',
		sql  => "\\set number random(1, 9000000000000000000)\n"
			. "INSERT INTO bench.inserted ($columns) VALUES (lpad((:number % 1000000000000000)::text, 15, '0'), "
			. "'Created ' || :number, 'created-' || :number, 'Figures of the year for each district, gathered and checked.', "
				. "'Nothing.', true, "
			. "'qWRhpRV', '$admin', '$admin');\n");
}

# The target is for commits that wait for the disk, as in production; without that wait, the processor
# time alone is compared.
sub create
{
	my ($service) = @_;
	my ($body, $create) = creation($service);
	my $answer = $service->client->request('POST', '/datasets', $body);
	my $logged =
		q(SELECT count(*) FROM catalogue.logs l JOIN catalogue.datasets d ON d.id = l.resource WHERE d.name = 'Created {n}');
	my @contenders;

	die "POST /datasets: $answer->{status} $answer->{body}\n" unless $answer->{status} == 201;
	die "the creation is not in the log\n" unless $service->sql($logged) == 1;
	make_bare_table($service);
	for my $mode (['', 1, 'on disk'], [' volatile', 0, 'not waiting for the disk'])
	{
		my ($suffix, $on, $words) = @$mode;
		set_durable($service, $on);
		my ($insert, $clients) = bare_inserts($service);
		push @contenders,
			["shim$suffix",   "catalogue-shim, POST, $words",               in_durability($service, $on, $create)],
			["insert$suffix", "bare INSERT, $words, pgbench -c $clients",   in_durability($service, $on, $insert)];
	}
	return {
		contenders => \@contenders,
		notes      => \&without_disk,
		verdicts   => [Bench::Reads::ratio('of a bare INSERT', 'shim', 'insert', 0.42)],
		after      => sub { set_durable($service, 0) },
	};
}

# Seal the action log every three seconds, 20 times as often as the dispatcher does, while a load runs.
sub sealing_meanwhile
{
	my ($service, $load) = @_;
	return sub {
		my ($seconds) = @_;
		my $sealer = Bench::Process->start("$service->{work}/sealing.log", {}, 'psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-d',
			'catalogue', '-c',
			"DO \$\$ BEGIN FOR i IN 1 .. $seconds / 3 LOOP PERFORM pg_sleep(3); PERFORM catalogue.seal_log(); COMMIT; END "
				. "LOOP; END \$\$");
		my $measurement = $load->($seconds);

		waitpid $sealer->{pid}, 0;
		die "sealing failed:\n" . Bench::Load::output_of('cat', "$service->{work}/sealing.log") if $?;
		return $measurement;
	};
}

# Microseconds of processor time of one answer, in the shim and PostgreSQL.
sub cost { my ($measurement) = @_; return $measurement->{cpu} + $measurement->{database} }

# Each turn begins with nothing to be sealed, so that one is not charged with what the one before it has left.
sub sealing
{
	my ($service) = @_;
	my ($body, $load) = creation($service);
	my $settled = sub {
		my ($load) = @_;
		return sub { 1 while $service->sql('SELECT catalogue.seal_log()') > 0; return $load->(@_) }
	};
	my $count   = q(SELECT count(*) FROM catalogue.logs l WHERE l.created_at < now() - interval '2 s');

	$settled->(sealing_meanwhile($service, $load))->(3);
	sleep 3;
	1 while $service->sql('SELECT catalogue.seal_log()') > 0;
	die "the log is not sealed\n" if $service->sql('SELECT count(*) FROM catalogue.log_chain') < $service->sql($count);
	return {
		seconds    => 10,
		contenders => [['sealed', 'catalogue-shim, POST, the log being sealed',
			$settled->(sealing_meanwhile($service, $load))], ['plain', 'catalogue-shim, POST', $settled->($load)]],
		verdicts   => [
			Bench::Reads::ratio('while the log is sealed, of while not', 'sealed', 'plain', 0.95),
			{ text => 'processor time, times that while not', most => 1.05,
				value => sub { cost($_[0]{sealed}) / cost($_[0]{plain}) } },
		],
	};
}

# The same ratio without waiting for the disk, as a line of text.
sub without_disk
{
	my (%rounds) = @_;
	my @ours   = map { $_->{rate} } @{ $rounds{'shim volatile'} };
	my @theirs = map { $_->{rate} } @{ $rounds{'insert volatile'} };

	return 'not waiting for the disk: ' . Bench::Report::spread(map { $ours[$_] / $theirs[$_] } 0 .. $#ours)
		. ' of a bare INSERT';
}

1;
