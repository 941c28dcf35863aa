#!/usr/bin/perl
# Indexes of the tables are built anew, added and removed while clients read and write: no answer is wrong, and none
# is 500.  The extension scans some indexes itself, so it must not rely on their order or on one that is gone.

use strict;
use warnings;

use POSIX ();
use Test::More;
use Catalogue::Definition;
use Catalogue::Program qw(slurp);
use Catalogue::Test;

my $service    = Catalogue::Test->start->as_admin;
my $definition = Catalogue::Definition->new($service);
my $tag        = $definition->create('tags');

# Read and write until the file "end" exists; print each answer that is not the expected one.
sub load
{
	my ($report) = @_;
	my $tags = $service->get('/tags/count')->{json}{data}{count};
	my %wrong;
	my $answers = 0;
	for (my $turn = 0; !-e "$service->{directory}/end"; $turn++)
	{
		my $made = $service->post('/tags', { name => "turn $turn" });
		$tags++ if $made->{status} == 201;
		my @replies =
			([ POST => $made, 201 ], [ count => $service->get('/tags/count'), 200, sub { $_[0]{data}{count} == $tags } ],
			[ list => $service->get('/tags?limit=1&skip=0'), 206, sub { $_[0]{meta}{count} == $tags } ],
			[ item => $service->get("/tags/$tag"), 200, sub { $_[0]{data}{id} eq $tag } ],
				[ search => $service->get('/tags/search?query=turn&limit=2'), '200|206' ],
			[ users => $service->get('/users'), 200 ], [ datasets => $service->get('/datasets?include=tags'), '200|206' ]);
		for my $reply (@replies)
		{
			my ($what, $got, $status, $holds) = @$reply;
			$answers++;
			$wrong{"$what: $got->{status} " . substr $got->{body}, 0, 200}++
				if $got->{status} !~ /^(?:$status)$/ || $holds && !$holds->($got->{json});
		}
	}
	open my $out, '>', $report or die "$report: $!";
	print $out "$answers answers\n", map { "$wrong{$_} x $_\n" } sort keys %wrong;
	return close $out;
}

my $report = "$service->{directory}/report";
my $pid = fork // die "fork: $!";
if ($pid == 0)
{
	delete $service->{socket};
	eval { load($report); 1 } or do { open my $out, '>', $report; print $out "load: $@"; close $out };
	POSIX::_exit(0);
}

my @tables = $service->sql(q(SELECT c.oid::regclass FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
	WHERE n.nspname = 'catalogue' AND c.relkind = 'r' AND c.relname !~ '_history$' ORDER BY 1));
cmp_ok(scalar @tables, '>', 30, 'all tables');
for my $table (@tables)
{
	my ($column) =
		$service->sql("SELECT quote_ident(attname) FROM pg_attribute WHERE attrelid = '$table'::regclass AND attnum > 0 AND "
		. "NOT attisdropped AND atttypid NOT IN ('json'::regtype, 'xid'::regtype, 'box'::regtype) "
		. 'ORDER BY attnum DESC LIMIT 1');
	# the newest index is the first one or the last one that is listed, whatever is built anew after it
	$service->sql("CREATE INDEX index_of_a_test ON $table ($column)");
	$service->sql("REINDEX TABLE CONCURRENTLY $table");
	$service->sql("VACUUM FULL $table");
	$service->sql('DROP INDEX catalogue.index_of_a_test');
}
# without an index a statement is executed
$service->sql('DROP INDEX catalogue.counter_resource, catalogue.change_resource_at, catalogue.change_at');
$service->get('/tags/count') for 1 .. 5;
open my $end, '>', "$service->{directory}/end";
close $end;
waitpid $pid, 0;
my ($answers, @wrong) = split /\n/, slurp($report);
like($answers, qr/^\d+ answers$/, 'clients were served');
is_deeply(\@wrong, [], 'no answer was wrong');
is($service->get('/tags/count')->{json}{data}{count}, $service->sql(
	'SELECT count(*) FROM catalogue.tags WHERE deleted_at IS NULL'), 'the tags are counted without an index');
$service->is_sound;
$service->finish;
