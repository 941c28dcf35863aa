package Bench::Changes;

# Jobs that change records, and pages as of an instant before a change.  They stand last in a run.
# See Reads.pm for what a job is.

use strict;
use warnings;

use Bench::Reads ();

sub jobs
{
	return (
		{ name => 'version', title => 'Page as of an instant, after 10 % of the rows changed', prepare => \&version },
		{ name => 'update',  title => 'Update, with history and without',                      prepare => \&update },
		{ name => 'create',  title => 'Create, with log, history, counter, statistics',        prepare => \&create },
	);
}

# Change one dataset in ten, as the rules of the tables have it; in portions, each a transaction.
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
	die "$old shows another state than that of the instant\n" unless $notes->($old) eq $then;
	return {
		contenders => [['plain', 'page', $service->load(targets => [$plain])], ['old', 'page as of the instant', $service->load(targets => [$old])]],
		verdicts   => [Bench::Reads::ratio('as of an instant, of the plain page', 'old', 'plain', 0.45)],
	};
}

# The triggers of datasets that keep history, by their names or those of their functions.
sub history_triggers
{
	my ($service) = @_;
	return split /\n/, $service->sql(q(SELECT quote_ident(tgname) FROM pg_trigger
		WHERE tgrelid = 'catalogue.datasets'::regclass AND NOT tgisinternal AND tgname || ' ' || tgfoid::regproc::text ~ 'history'));
}

sub update
{
	my ($service) = @_;
	my @triggers = history_triggers($service);
	my $calls = $service->calls(
		clients => 4,
		sql => "\\set id random(100000000000001, 100000000000000 + :size)\n\\set number random(1, 1000000)\n"
			. "SELECT r.* FROM catalogue.update('datasets', :id::text, json_build_object('notes', 'Changed ' || :number), actor => :actor) r;\n",
		variables => { size => $service->{option}{size}, actor => sprintf '{"user":"%s"}', $service->id_of_admin });
	my $without = sub {
		my ($seconds) = @_;
		$service->sql("ALTER TABLE catalogue.datasets DISABLE TRIGGER $_") for @triggers;
		my $measurement = $calls->($seconds);
		$service->sql("ALTER TABLE catalogue.datasets ENABLE TRIGGER $_") for @triggers;
		return $measurement;
	};

	die "datasets have no trigger of history\n" unless @triggers;
	return {
		contenders => [['with', 'pgbench, update(), 4 clients', $calls], ['without', 'so, triggers of history disabled', $without]],
		verdicts   => [Bench::Reads::ratio('with history, of without', 'with', 'without', 0.8)],
	};
}

# Whether a commit waits for the disk, for the whole server.
sub set_durable
{
	my ($service, $on) = @_;
	$service->sql($on ? "ALTER SYSTEM SET $_ = on" : "ALTER SYSTEM RESET $_") for qw(fsync synchronous_commit full_page_writes);
	$service->sql('SELECT pg_reload_conf()');
	return;
}

# With a disk that is waited for, as in use.
sub create
{
	my ($service) = @_;
	my %admin  = $service->as_admin;
	my $client = $service->client(%admin);
	my $body   = '{"name":"Created {n}","description":"Figures of the year for each district, gathered and checked.","notes":"Nothing.",'
		. '"visible":true,"status":"qWRhpRV","owner":"' . $service->id_of_admin . '","categories":["200000000000001"]}';
	my $columns = 'id, name, slug, description, notes, visible, status, owner, created_by';
	my $answer = $client->request('POST', '/datasets', $body);
	my $logged = q(SELECT count(*) FROM catalogue.logs l JOIN catalogue.datasets d ON d.id = l.resource WHERE d.name = 'Created {n}');

	die "POST /datasets: $answer->{status} $answer->{body}\n" unless $answer->{status} == 201;
	die "the creation is not in the log\n" unless $service->sql($logged) == 1;
	$service->sql('CREATE TABLE IF NOT EXISTS bench.datasets (LIKE catalogue.datasets INCLUDING DEFAULTS INCLUDING INDEXES)');
	$service->sql('TRUNCATE bench.datasets');
	set_durable($service, 1);
	my ($insert, $clients) = $service->best_calls(
		user => 'postgres',
		sql  => "\\set number random(1, 9000000000000000000)\nINSERT INTO bench.datasets ($columns) VALUES (lpad((:number % 1000000000000000)::text, 15, '0'), "
			. "'Created ' || :number, 'created-' || :number, 'Figures of the year for each district, gathered and checked.', 'Nothing.', true, "
			. "'qWRhpRV', '@{[$service->id_of_admin]}', '@{[$service->id_of_admin]}');\n");
	return {
		contenders => [
			['shim',   'catalogue-shim, POST', $service->load(verb => 'POST', headers => \%admin, targets => ['/datasets'], body => $body)],
			['insert', "pgbench, bare INSERT, same indexes, $clients clients", $insert],
		],
		verdicts => [Bench::Reads::ratio('of a bare INSERT', 'shim', 'insert', 0.5)],
		after    => sub { set_durable($service, 0) },
	};
}

1;
