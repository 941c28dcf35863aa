package Demo::Walk;

# Walks the catalogue by its links and compares what it reads with what a Demo::Loader sent.
#
# It begins with the list of datasets; other lists are read only for what no dataset leads to.

use strict;
use warnings;

# The relations of a record whose records are known by their names.
my %named = (
	datasets => { categories => 'categories', tags => 'tags', status => 'statuses', owner => 'users', createdBy => 'users' },
	files    => {
		type            => 'filetypes',
		organization    => 'organizations',
		updateFrequency => 'updatefrequencies',
		dataset         => 'datasets',
	},
);

sub new
{
	my ($class, $client, $loader) = @_;
	my $self = bless { client => $client, loader => $loader, differences => [], counts => {}, expected => {} }, $class;

	for my $resource (keys %{ $loader->{sent} })
	{
		$self->{expected}{$resource}{ $_->{id} } = $_->{record} for values %{ $loader->{sent}{$resource} };
	}
	for my $dataset (@{ $loader->{datasets} })
	{
		$self->{files}{ $dataset->{id} } = { map { $_->{id} => $_->{record} } @{ $dataset->{files} } };
	}
	return $self;
}

# Walk all pages of the datasets, and from each of ours to everything that it is linked with.
sub walk
{
	my ($self, $page_size, $progress) = @_;
	my %seen;
	my $pages = 0;

	my $last = $self->{client}->walk("/datasets?limit=$page_size", sub {
		my ($record, $page) = @_;
		my $id = $record->{id};

		$progress->("page $page->{meta}{page} of $page->{meta}{pages}") if $pages++ % $page_size == 0;
		$self->differ('datasets', $id, 'is on two pages') if $seen{$id}++;
		$self->visit_dataset($id, $record, $page) if $self->{files}{$id};
	});
	$self->differ('datasets', 'all', "count is $last->{meta}{count}, the pages have " . keys %seen)
		unless $last->{meta}{count} == keys %seen;
	$self->differ('datasets', $_, 'is on no page') for grep { !$seen{$_} } sort keys %{ $self->{files} };
	$self->visit_rest($_) for sort keys %{ $self->{expected} };
	return;
}

# What no dataset leads to, such as a category that is not used, is read from its own list.
sub visit_rest
{
	my ($self, $resource) = @_;
	my %missing = map { $_ => 1 } grep { !$self->{compared}{$_} } keys %{ $self->{expected}{$resource} };

	return unless %missing;
	$self->{client}->walk("/$resource", sub { $self->compare_once($resource, $_[0]) if delete $missing{ $_[0]{id} } });
	$self->differ($resource, $_, 'is on no page') for sort keys %missing;
	return;
}

sub differ
{
	my ($self, $resource, $id, $what) = @_;
	push @{ $self->{differences} }, "$resource $id $what";
	$self->{counts}{$resource}{differences}++;
	return;
}

# Read a record by the link of its list; it must be the one that the list shows.
sub visit
{
	my ($self, $resource, $listed, $page) = @_;
	my $link = "$page->{links}{all}/$listed->{id}";
	my $item = $self->{client}->follow($link);

	$self->differ($resource, $listed->{id}, "has the link $item->{links}{self}, was found at $link") unless $item->{links}{self} eq $link;
	$self->differ($resource, $listed->{id}, 'is not as its list shows it') unless $self->text($item->{data}) eq $self->text($listed);
	return $item;
}

sub visit_dataset
{
	my ($self, $id, $listed, $page) = @_;
	my $item  = $self->visit('datasets', $listed, $page);
	my %links = %{ $item->{links}{collections} };
	my %missing = %{ $self->{files}{$id} };

	$self->compare('datasets', $item->{data}, $self->{expected}{datasets}{$id});
	$self->visit_relations('datasets', $item);
	$self->{client}->walk($links{files}, sub {
		my ($file, $files) = @_;
		my $record = delete $missing{ $file->{id} } or return;
		my $read   = $self->visit('files', $file, $files);

		$self->compare('files', $read->{data}, $record);
		$self->visit_relations('files', $read);
	});
	$self->differ('files', $_, "is not among the files of dataset $id") for sort keys %missing;
	return;
}

# Follow the links of a record's relations: they lead to the records that its ids name.
sub visit_relations
{
	my ($self, $resource, $item) = @_;
	my $relations = $named{$resource};

	for my $name (sort keys %$relations)
	{
		my $link = $item->{links}{collections}{$name};
		next $self->differ($resource, $item->{data}{id}, "has no link to its $name") unless $link;
		my @read = $self->related($link);
		my $ids  = $item->{data}{$name};

		$self->differ($resource, $item->{data}{id}, "$name: the record has " . $self->text($ids) . ", the link " . $self->text([ map { $_->{id} } @read ]))
			unless $self->text([ sort map { $_->{id} } @read ]) eq $self->text([ sort ref $ids ? @$ids : $ids ]);
		$self->compare_once($relations->{$name}, $_) for @read;
	}
	return;
}

# The records behind a relation's link, whether it is to one or to many.
sub related
{
	my ($self, $link) = @_;
	my $reply = $self->{read}{$link} //= $self->{client}->follow($link);
	my @read;

	return $reply->{data} if ref $reply->{data} eq 'HASH';
	$self->{client}->walk($link, sub { push @read, $_[0] });
	return @read;
}

sub compare_once
{
	my ($self, $resource, $read) = @_;
	my $sent = $self->{expected}{$resource}{ $read->{id} };

	$self->compare($resource, $read, $sent) if $sent && !$self->{compared}{ $read->{id} }++;
	return;
}

# Compare what was sent of a record, field by field, with what is read.
sub compare
{
	my ($self, $resource, $read, $sent) = @_;

	$self->{compared}{ $read->{id} } = 1;
	$self->{counts}{$resource}{compared}++;
	for my $field (sort keys %$sent)
	{
		my ($was, $is) = map { $self->text($_->{$field}) } $sent, $read;
		$self->differ($resource, $read->{id}, "$field: sent $was, read $is") unless $was eq $is;
	}
	return;
}

# A value as text; the order of ids does not count.
sub text
{
	my ($self, $value) = @_;
	my $plain = ref $value eq 'ARRAY' && !grep { ref } @$value;

	return $self->{client}->text($plain ? [ sort @$value ] : $value);
}

1;
