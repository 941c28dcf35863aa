package Catalogue::Writer;

# A writer of pagination.t.  It has its own records, which no other writer changes, and records each request or
# transaction: when it began, when it was acknowledged, and the states that it left.  Half of the writers
# send requests; the others execute SQL, several changes in a transaction, some of them open for a long time,
# some rolled back.

use strict;
use warnings;

use Catalogue::Client qw($json);
use Catalogue::Session;
use Time::HiRes qw(sleep time);

# How many records a writer has at least; it begins with a number between this and %most.
my %least = (datasets => 6,  files => 5,  tags => 3);
my %most  = (datasets => 14, files => 11, tags => 6);

# The fields recorded of a record: those that a walk shows.
my %kept = (datasets => [qw(name notes status tags)], files => [qw(name dataset)], tags => ['name']);

my @statuses = map { "${_}WRhpRV" } 'n' .. 'r';
my @colours  = qw(red green blue);

# The next change of a writer: each is as frequent as it is in this list.
my @choices = (
	(\&new_name) x 6, (\&new_notes) x 6, (\&new_status) x 4, (\&new_tags) x 4, (\&new_dataset_of_file) x 2,
	(\&creation) x 4, (\&deletion) x 4,  (\&restoration) x 2,
);

# common: bodies by resource, with the fields that all records of it share.
sub new
{
	my ($class, $service, $number, $common) = @_;
	my $self = bless {
		service => $service,
		number  => $number,
		common  => $common,
		serial  => 0,
		state   => { datasets => {}, files => {}, tags => {}, dead => {} },
		events  => [],
	}, $class;
	return $self;
}

# The first transaction creates the first records.  The first tag and the first dataset are never deleted.
sub begin
{
	my ($self, $session) = @_;
	my @changes;

	$session->run('BEGIN');
	my $state = copy($self->{state});
	for my $resource (qw(tags datasets files))
	{
		for (1 .. ($least{$resource} + $most{$resource}) / 2)
		{
			my ($change) = $self->creation($state, $resource);
			push @changes, $self->write_sql($session, $state, $change);
			$self->{first}{$resource} //= $changes[-1][1];
		}
	}
	$self->commit($session, $state, \@changes);
	return;
}

# Write until the given file exists; return the events.
sub run
{
	my ($self, $is_sql, $stop) = @_;

	delete $self->{service}{socket};
	my $session = $is_sql ? Catalogue::Session->new($self->{service}) : undef;
	until (-e $stop)
	{
		$session ? $self->transaction($session) : $self->request;
		sleep rand 0.05;
	}
	$session->finish if $session;
	return $self->{events};
}

# Make one change by one request.
sub request
{
	my ($self) = @_;
	my $state  = copy($self->{state});
	my $change = $self->draw($state, 1) // return;
	my ($verb, $resource, $id, $body) = @$change;
	my %send = (
		create  => sub { $self->{service}->post("/$resource", $body) },
		update  => sub { $self->{service}->patch("/$resource/$id", $body) },
		delete  => sub { $self->{service}->delete("/$resource/$id") },
		restore => sub { $self->{service}->post("/$resource/$id/restore") },
	);

	my $begin = time;
	my $reply = $send{$verb}->();
	my $end   = time;
	die "$verb $resource: $reply->{status} $reply->{body}\n" unless $reply->{status} =~ /^20[01]$/;
	($id) = $reply->{json}{links}{record} =~ m{([^/]+)$} if $verb eq 'create';
	$self->done($begin, $end, $state, [ apply($state, $verb, $resource, $id, $body) ]);
	return;
}

# Make several changes in one transaction.  A deletion is the first of them or there is none: records that were
# removed at the very instant of a deletion are restored with it.
sub transaction
{
	my ($self, $session) = @_;
	my $state = copy($self->{state});
	my @changes;

	$session->run('BEGIN');
	for my $step (1 .. 2 + int rand 4)
	{
		my $before = copy($state);
		my $point  = rand() < 0.3;
		$session->run('SAVEPOINT step') if $point;
		my @made = rand() < 0.3 ? $self->rotate($session, $state) : map { $self->write_sql($session, $state, $_) }
			grep { defined } $self->draw($state, $step == 1);
		if ($point && rand() < 0.5)
		{
			$session->run('ROLLBACK TO SAVEPOINT step');
			($state, @made) = $before;
		}
		push @changes, @made;
		sleep rand 0.02;
	}
	sleep rand() < 0.2 ? 0.5 + rand 2 : rand 0.05;
	return $session->run('ROLLBACK') if rand() < 0.1;
	$self->commit($session, $state, \@changes);
	return;
}

# Commit; nothing of the transaction is visible before COMMIT is sent.
sub commit
{
	my ($self, $session, $state, $changes) = @_;
	my $begin = time;
	$session->run('COMMIT');
	$self->done($begin, time, $state, $changes);
	return;
}

sub done
{
	my ($self, $begin, $end, $state, $changes) = @_;
	push @{ $self->{events} }, { begin => $begin, end => $end, changes => $changes };
	$self->{state} = $state;
	return;
}

# Exchange the notes of up to four datasets in one statement.
sub rotate
{
	my ($self, $session, $state) = @_;
	my @ids = (shuffled(keys %{ $state->{datasets} }))[ 0 .. 3 ];
	my @notes = map { $state->{datasets}{$_}{notes} } @ids[ 1 .. 3, 0 ];
	my $values = join ', ', map { "('$ids[$_]', " . literal($notes[$_]) . ')' } 0 .. $#ids;

	$session->run("UPDATE catalogue.datasets d SET notes = v.notes FROM (VALUES $values) v(id, notes) WHERE d.id = v.id");
	return map { apply($state, 'update', 'datasets', $ids[$_], { notes => $notes[$_] }) } 0 .. $#ids;
}

# Make one change by a function, or by a plain statement when that can express it.
sub write_sql
{
	my ($self, $session, $state, $change) = @_;
	my ($verb, $resource, $id, $body) = @$change;
	my $data  = '$json$' . $json->encode($body // {}) . '$json$';
	my $actor = qq(actor => '{"user": "$self->{service}{admin}"}');
	my %columns = map { s/([A-Z])/_\l$1/r => literal($body->{$_}) } keys %{ $body // {} };
	my @names   = sort keys %columns;
	my $values  = join ', ', @columns{@names};
	my %function = (
		create  => "SELECT (catalogue.create('$resource', $data, $actor)).id",
		update  => "SELECT (catalogue.update('$resource', '@{[ $id // '' ]}', $data, $actor)).id",
		delete  => "SELECT (catalogue.delete('$resource', '@{[ $id // '' ]}', $actor)).id",
		restore => "SELECT (catalogue.restore('$resource', '@{[ $id // '' ]}', $actor)).id",
	);
	my %plain = (
		create => "INSERT INTO catalogue.$resource (" . join(', ', @names, 'created_by')
			. ") VALUES ($values, '$self->{service}{admin}') RETURNING id",
		update => "UPDATE catalogue.$resource SET " . join(', ', map { "$_ = $columns{$_}" } @names)
			. " WHERE id = '@{[ $id // '' ]}'",
		delete => "DELETE FROM catalogue.$resource WHERE id = '@{[ $id // '' ]}'",
	);
	my $is_plain = $plain{$verb} && rand() < 0.5 && !grep { ref } values %{ $body // {} };
	my ($made) = $session->run($is_plain ? $plain{$verb} : $function{$verb});
	return apply($state, $verb, $resource, $verb eq 'create' ? $made : $id, $body);
}

sub literal { my ($value) = @_; return !defined $value ? 'NULL' : ref $value ? 'NULL' : "'$value'" }

# A change that is possible in this state; nothing when the one that was drawn is not.
sub draw
{
	my ($self, $state, $may_delete) = @_;
	my $choice = $choices[ rand @choices ];
	return if $choice == \&deletion && !$may_delete;
	return scalar $choice->($self, $state);
}

# A name that no other record ever has; its first letters put it anywhere in the order.
sub name
{
	my ($self) = @_;
	return sprintf '%s%sw%02dn%05d', chr(97 + rand 12), chr(97 + rand 26), $self->{number}, ++$self->{serial};
}

sub tag_name
{
	my ($self) = @_;
	return $colours[ rand @colours ] . $self->name;
}

sub notes { return rand() < 0.2 ? undef : sprintf '%05d', rand 100_000 }

sub some     { my ($records) = @_; my @ids = sort keys %$records; return $ids[ rand @ids ] }
sub shuffled { my @list = @_; return map { $_->[1] } sort { $a->[0] <=> $b->[0] } map { [ rand, $_ ] } @list }

# Up to three of the writer's tags.
sub tags
{
	my ($self, $state) = @_;
	my @ids = shuffled(keys %{ $state->{tags} });
	return [ @ids[ 0 .. int(rand 4) - 1 ] ];
}

sub update { my ($resource, $id, $body) = @_; return [ 'update', $resource, $id, $body ] }

sub new_name
{
	my ($self, $state) = @_;
	my $resource = (qw(datasets datasets files tags))[ rand 4 ];
	return update($resource, some($state->{$resource}), { name => $resource eq 'tags' ? $self->tag_name : $self->name });
}

sub new_notes  { my ($self, $state) = @_; return update('datasets', some($state->{datasets}), { notes => notes() }) }
sub new_status
{
	my ($self, $state) = @_;
	return update('datasets', some($state->{datasets}), { status => $statuses[ rand @statuses ] });
}
sub new_tags
{
	my ($self, $state) = @_;
	return update('datasets', some($state->{datasets}), { tags => $self->tags($state) });
}

sub new_dataset_of_file
{
	my ($self, $state) = @_;
	return update('files', some($state->{files}), { dataset => $self->dataset_of_file($state) });
}

# Half of the files belong to the first dataset.
sub dataset_of_file
{
	my ($self, $state) = @_;
	return rand() < 0.5 ? $self->{first}{datasets} : some($state->{datasets});
}

sub creation
{
	my ($self, $state, $resource) = @_;
	$resource //= (qw(datasets datasets files files tags))[ rand 5 ];
	return if keys %{ $state->{$resource} } >= $most{$resource};
	my %own = (
		datasets =>
			sub { (name => $self->name, notes => notes(), status => $statuses[ rand @statuses ], tags => $self->tags($state)) },
		files    => sub { (name => $self->name, dataset => $self->dataset_of_file($state)) },
		tags     => sub { (name => $self->tag_name) },
	);
	return [ 'create', $resource, undef, { %{ $self->{common}{$resource} }, $own{$resource}->() } ];
}

# Never the first record, nor a tag that would then be missing from a restored dataset.
sub deletion
{
	my ($self, $state) = @_;
	my $resource = (qw(datasets datasets files tags))[ rand 4 ];
	my $id = some($state->{$resource});
	return if keys %{ $state->{$resource} } <= $least{$resource} || $id eq $self->{first}{$resource};
	return if grep { $_ eq $id } map { @{ $_->{tags} } } map { $_->[2] } grep { $_->[0] eq 'datasets' }
		map { @$_ } values %{ $state->{dead} };
	return [ 'delete', $resource, $id ];
}

# A dataset that was deleted in an earlier transaction.
sub restoration
{
	my ($self, $state) = @_;
	my $id = some($self->{state}{dead}) // return;
	return if !$state->{dead}{$id} || keys %{ $state->{datasets} } >= $most{datasets};
	return [ 'restore', 'datasets', $id ];
}

# Copy a state; records are never changed, but replaced, so they themselves need no copy.
sub copy
{
	my ($state) = @_;
	return { map { $_ => { %{ $state->{$_} } } } keys %$state };
}

# Apply a change to a state; return its result: [resource, id, record, or undef when it is deleted].
sub apply
{
	my ($state, $verb, $resource, $id, $body) = @_;
	my @changes;

	if ($verb eq 'restore')
	{
		@changes = @{ delete $state->{dead}{$id} };
	}
	elsif ($verb eq 'delete')
	{
		my @gone = ([ $resource, $id ],
			map { [ 'files', $_ ] } grep { $state->{files}{$_}{dataset} eq $id } keys %{ $state->{files} });
		$state->{dead}{$id} = [ map { [ @$_, $state->{ $_->[0] }{ $_->[1] } ] } @gone ] if $resource eq 'datasets';
		@changes = map { [ @$_, undef ] } @gone;
		for my $linked ($resource eq 'tags' ? keys %{ $state->{datasets} } : ())
		{
			my $record = $state->{datasets}{$linked};
			my @left = grep { $_ ne $id } @{ $record->{tags} };
			push @changes, [ 'datasets', $linked, { %$record, tags => \@left } ] if @left < @{ $record->{tags} };
		}
	}
	else
	{
		my %record = (%{ $state->{$resource}{$id} // { tags => [] } }, %$body);
		@changes = [ $resource, $id, { map { $_ => $record{$_} } @{ $kept{$resource} } } ];
	}
	replace($state, @changes);
	return @changes;
}

# Put changed records into a state.
sub replace
{
	my ($state, @changes) = @_;
	for (@changes)
	{
		my ($resource, $id, $record) = @$_;
		delete $state->{$resource}{$id};
		$state->{$resource}{$id} = $record if $record;
	}
	return;
}

1;
