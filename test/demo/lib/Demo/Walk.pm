package Demo::Walk;

# Walks the catalogue by its links and compares the datasets with what a Demo::Source expects of them.

use strict;
use warnings;

use Demo::Source ();

# expected: what each dataset must have, by its id.
sub new
{
	my ($class, $client, $expected) = @_;
	return bless { client => $client, expected => $expected, differences => [],
		counts => { datasets => 0, files => 0 } }, $class;
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
		$self->visit_dataset($record, $page, $self->{expected}{$id}) if $self->{expected}{$id};
	});
	$self->differ('datasets', 'all', "count is $last->{meta}{count}, the pages have " . keys %seen)
		unless $last->{meta}{count} == keys %seen;
	$self->differ('datasets', $_, 'is on no page') for grep { !$seen{$_} } sort keys %{ $self->{expected} };
	return;
}

sub differ
{
	my ($self, $resource, $id, $what) = @_;
	push @{ $self->{differences} }, "$resource $id $what";
	return;
}

# Read a record by the link of its list; it must be the one that the list shows.
sub visit
{
	my ($self, $resource, $listed, $page) = @_;
	my $link = "$page->{links}{all}/$listed->{id}";
	my $item = $self->{client}->follow($link);

	$self->{counts}{$resource}++;
	$self->differ($resource, $listed->{id}, "has the link $item->{links}{self}, was found at $link")
		unless $item->{links}{self} eq $link;
	$self->differ($resource, $listed->{id}, 'is not as its list shows it')
		unless $self->text($item->{data}) eq $self->text($listed);
	return $item;
}

sub visit_dataset
{
	my ($self, $listed, $page, $expected) = @_;
	my $item    = $self->visit('datasets', $listed, $page);
	my $record  = $item->{data};
	my %missing = %{ $expected->{files} };

	$self->compare_text($record, $_, $expected->{texts}{$_}) for sort keys %{ $expected->{texts} };
	$self->differ('datasets', $record->{id}, 'has another identifier: ' . $self->text($record->{optionals}{identifier}))
		unless $self->text($record->{optionals}{identifier}) eq $self->text($expected->{identifier});
	for my $relation (qw(tags categories))
	{
		my %there = map { Demo::Source::folded($_->{name}) => 1 } $self->related($item, $relation);
		$self->differ('datasets', $record->{id}, "$relation: \"$_\" is not there")
			for grep { !$there{ Demo::Source::folded($_) } } @{ $expected->{$relation} };
	}
	$self->related($item, $_) for qw(status owner createdBy);
	$self->{client}->walk($item->{links}{collections}{files}, sub {
		my ($file, $files) = @_;
		my $name = delete $missing{ $file->{url} // '' } // return;
		my $read = $self->visit('files', $file, $files);

		$self->differ('files', $file->{id}, "name: sent \"$name\", read \"$file->{name}\"")
			unless $self->is_text($file->{name}, $name);
		$self->related($read, $_) for qw(type organization updateFrequency dataset);
	});
	$self->differ('datasets', $record->{id}, "has no file with the address $_") for sort keys %missing;
	return;
}

# Is it the text that was sent, or its beginning with an ellipsis?
sub is_text
{
	my ($self, $read, $sent) = @_;
	return $read eq $sent || ($read =~ /\A(.+)\x{2026}\z/s && index($sent, $1) == 0);
}

# A text is as it was sent; a longer one is whole in the optionals.
sub compare_text
{
	my ($self, $record, $field, $sent) = @_;
	my $read = $record->{$field};

	return if !defined $sent;
	$self->differ('datasets', $record->{id}, "$field: sent \"$sent\", read " . $self->text($read))
		unless defined $read
			&& ($read eq $sent || ($self->is_text($read, $sent) && ($record->{optionals}{$field} // $sent) eq $sent));
	return;
}

# The records behind a relation's link, whether it is to one or to many: those whose ids the record has.
sub related
{
	my ($self, $item, $relation) = @_;
	my $link  = $item->{links}{collections}{$relation};
	my $ids   = $item->{data}{$relation};
	my @read;

	return $self->differ('records', $item->{data}{id}, "has no link to its $relation") unless $link;
	my $reply = $self->{read}{$link} //= $self->{client}->follow($link);
	if (ref $reply->{data} eq 'HASH') { @read = $reply->{data} }
	else { $self->{client}->walk($link, sub { push @read, $_[0] }) }
	$self->differ('records', $item->{data}{id},
		"$relation: the record has " . $self->text($ids) . ", the link " . $self->text([ map { $_->{id} } @read ]))
		unless $self->text([ sort map { $_->{id} } @read ]) eq $self->text([ sort ref $ids ? @$ids : $ids ]);
	return @read;
}

sub text { my ($self, $value) = @_; return $self->{client}->text($value) }

1;
