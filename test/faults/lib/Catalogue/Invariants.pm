package Catalogue::Invariants;

# What must hold after each fault, whatever happened: nothing acknowledged is lost or done twice, the action log has
# each change once, and neither the database nor the service keeps traces of requests that have ended.

use strict;
use warnings;

use Catalogue::Program qw(command slurp);
use Test::More;
use Time::HiRes qw(sleep time);

# Test what the clients of a load have recorded against the database; $sum is what finish() of the load returned.
sub hold
{
	my ($service, $sum, $what) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;

	cmp_ok(scalar keys %{ $sum->{tags} }, '>', 0, "$what: " . told($sum));
	is(first(@{ $sum->{wrong} }), undef, "$what: each answer is right or says that the service is busy");
	is(first(differences($service, $sum)), undef, "$what: each acknowledged write is there, once, and logged once");
	my @unlogged = unlogged($service, $sum->{failed});
	cmp_ok(scalar @unlogged, '<=', lost($service),
		"$what: each answer with a status from 500 on is in the log file, or counted as lost") or diag("@unlogged");
	is(first(misfits($service)), undef, "$what: ids exist once, and times are in order");
	$service->is_sound("$what: catalogue.check_all() finds nothing");
	is(first(sessions($service)), undef, "$what: no session is left in a transaction");
	return;
}

# Test that the indexes agree with the tables, and the tables with their checksums.
sub storage_holds
{
	my ($service, $what) = @_;
	$service->sql('CREATE EXTENSION IF NOT EXISTS amcheck');
	my $out = eval { command($service->{server}, 'pg_amcheck', '--heapallindexed', '--no-dependent-toast', '-d',
		$service->{database}) } // $@;
	return is($out, '', "$what: pg_amcheck finds nothing");
}

sub first { return $_[0] }

sub told
{
	my ($sum) = @_;
	return join ', ', scalar(keys %{ $sum->{tags} }) . ' tags',
		(map { "$sum->{status}{$_} times $_" } sort keys %{ $sum->{status} }),
		"$sum->{lost} without an answer", sprintf('longest time without a good one %.1f s', $sum->{longest});
}

# Tags of the ledger that the database does not have as the ledger says, and others that no client was told of.
sub differences
{
	my ($service, $sum) = @_;
	my ($tags, %seen, @wrong) = $sum->{tags};

	for ($service->sql(qq{SELECT t.id, t.name, (t.deleted_at IS NOT NULL)::integer,
		count(*) FILTER (WHERE l.action = 'create'),
		count(*) FILTER (WHERE l.action = 'update'), count(*) FILTER (WHERE l.action = 'delete')
		FROM catalogue.tags t LEFT JOIN catalogue.logs l ON l.resource = t.id
			WHERE t.name LIKE 'load $sum->{number} %' GROUP BY t.id}))
	{
		my ($id, @found) = split /\|/;
		my $tag = $seen{$id} = $tags->{$id};
		my $wanted = $tag ? join ', ', @$tag{qw(name deleted)}, 1, @$tag{qw(updates deleted)} : 'unknown to the clients';
		push @wrong, "$id: " . join(', ', @found) . "; acknowledged: $wanted" unless $wanted eq join ', ', @found;
	}
	return (@wrong, map { "$_: missing; acknowledged: $tags->{$_}{name}" } grep { !$seen{$_} } sort keys %$tags);
}

# Ids of requests that the log file does not have.
sub unlogged
{
	my ($service, $ids) = @_;
	my $log = slurp("$service->{directory}/logs/test.log");
	return grep { index($log, $_) < 0 } @$ids;
}

# Lines that the log file could not take.
sub lost
{
	my ($service) = @_;
	return $service->get('/metrics')->{body} =~ /^catalogue_log_lines_lost_total (\d+)$/m ? $1 : 0;
}

# Sessions of the service that are still in a transaction, after a second in which they may end it.
sub sessions
{
	my ($service) = @_;
	my $query = q{SELECT pid, state, query FROM pg_stat_activity WHERE usename IN ('catalogue_shim', 'catalogue_worker') }
		. q{AND state LIKE 'idle in transaction%'};
	return unless $service->sql($query);
	sleep 1;
	return $service->sql("$query AND state_change < now() - interval '1 s'");
}

# Records that break a rule of all resources: an id of 15 characters, but for seeded records, that no other record has,
# and times in order.
sub misfits
{
	my ($service) = @_;
	my $records = join ' UNION ALL ', map { "SELECT '$_' AS resource, id::text, to_jsonb(t) ->> 'created_at' AS created, "
		. "to_jsonb(t) ->> 'updated_at' AS updated FROM catalogue.$_ t" }
		$service->sql('SELECT DISTINCT relation::regclass::text FROM catalogue.resource') =~ s/^catalogue\.//mgr =~ /(\S+)/g;
	return $service->sql("WITH records AS ($records) SELECT id, 'exists ' || count(*) || ' times'
		FROM records GROUP BY id HAVING count(*) > 1
		UNION ALL SELECT id, resource || ': its id does not have 15 letters and digits' FROM records
			WHERE id !~ '^[A-Za-z0-9]{15}\$' AND id !~ 'WRhpRV\$'
		UNION ALL SELECT id, resource || ': it was changed before it was created' FROM records
			WHERE updated::timestamptz < created::timestamptz");
}

1;
