package Demo::Loader;

# Sends the records of a source to the API, each unless it is there already.
#
# A text that is longer than its field takes is sent whole first, so that the API tells what it
# refuses; then shortened, with an ellipsis, and kept whole in `optionals`, where the resource has
# them, else in the description.

use strict;
use warnings;

my $published = 'qWRhpRV';    # the id that the status has in every catalogue
my $ellipsis  = "\x{2026}";

my @vocabulary = qw(organizations categories tags updatefrequencies filetypes);

# owner: the id of the user who is responsible for what is loaded.
sub new
{
	my ($class, $client, $owner) = @_;
	return bless {
		client   => $client,
		owner    => $owner,
		sent     => {},    # resource => {name in the source => {id, record}}
		datasets => [],    # {id, record, files => [{id, record}]}
		names    => {},    # resource => {shortened name => whole name}
		cuts     => [],    # {resource, record, field, length, max, told}
		merged   => [],    # lines
		counts   => {},    # resource => {sent, created, there, shortened}
	}, $class;
}

# Send everything; what stands in $self->{datasets} and $self->{sent} is then what must be read.
sub load
{
	my ($self, $source, $progress) = @_;

	for my $resource (@vocabulary)
	{
		my @records = $source->records($resource);
		$progress->("$resource: " . @records);
		$self->ensure($resource, $_) for @records;
	}
	for my $dataset ($source->records('datasets'))
	{
		$progress->("dataset \"$dataset->{name}\", files: " . @{ $dataset->{files} });
		push @{ $self->{datasets} }, $self->load_dataset($dataset);
	}
	return;
}

sub load_dataset
{
	my ($self, $dataset) = @_;
	my %record = (%$dataset, owner => $self->{owner}, status => $published);
	my $files  = delete $record{files};

	$record{optionals} = { %{ $dataset->{optionals} }, $self->changed_names($dataset) };
	$record{$_} = $self->ids($_, @{ $dataset->{$_} }) for qw(categories tags);
	my $sent  = $self->ensure('datasets', \%record);
	my $there = $self->files_of($sent->{id});
	return { %$sent, files => [ map { $self->load_file($_, $sent->{id}, $there) } @$files ] };
}

# Names of tags and categories that were shortened or merged, as the source has them.
sub changed_names
{
	my ($self, $dataset) = @_;
	my @changed = grep
	{
		my $resource = $_;
		grep { $self->{sent}{$resource}{$_}{record}{name} ne $_ } @{ $dataset->{$resource} }
	} qw(categories tags);
	return map { $_ => $dataset->{$_} } @changed;
}

# The ids of records that were sent, each once: two names may have become one.
sub ids
{
	my ($self, $resource, @names) = @_;
	my %seen;
	return [ grep { !$seen{$_}++ } map { $self->{sent}{$resource}{$_}{id} } @names ];
}

# Files have no unique name: they are known by dataset, name and address.
sub files_of
{
	my ($self, $dataset) = @_;
	my %there;

	$self->{client}->walk("/files?dataset=$dataset", sub { $there{ file_key($_[0]) } = $_[0]{id} });
	return \%there;
}

sub file_key
{
	my ($file) = @_;
	return join "\n", $file->{name}, $file->{url} // '';
}

sub load_file
{
	my ($self, $file, $dataset, $there) = @_;
	my %record = (%$file, dataset => $dataset, owner => $self->{owner}, status => $published,
		type            => $self->{sent}{filetypes}{ $file->{type} }{id},
		organization    => $self->{sent}{organizations}{ $file->{organization} }{id},
		updateFrequency => $self->{sent}{updatefrequencies}{ $file->{updateFrequency} }{id});
	my ($fitted, @cuts) = $self->fit('files', \%record);
	my $id = $there->{ file_key($fitted) };

	$self->count('files', sent => 1, $id ? 'there' : 'created' => 1);
	$id //= $self->create('files', \%record, $fitted, @cuts);
	return { id => $id, record => $fitted };
}

sub count
{
	my ($self, $resource, %more) = @_;
	$self->{counts}{$resource}{$_} += $more{$_} for keys %more;
	return;
}

# Have a record there, found or made; gives {id, record as it must read}.
sub ensure
{
	my ($self, $resource, $record) = @_;
	return $self->{sent}{$resource}{ $record->{name} } //= do
	{
		my ($fitted, @cuts) = $self->fit($resource, $record);
		my $id = $self->find($resource, $fitted);

		$self->count($resource, sent => 1, $id ? 'there' : 'created' => 1);
		$id //= $self->create($resource, $record, $fitted, @cuts);
		{ id => $id, record => $fitted };
	};
}

# The id of a record that is there: of this name or, for a frequency, of this pattern.
sub find
{
	my ($self, $resource, $record) = @_;
	my $field = $record->{timePattern} ? 'timePattern' : 'name';
	my ($found) = grep { lc $_->{$field} eq lc $record->{$field} }
		$self->{client}->find($resource, $field, $record->{$field});

	return unless $found;
	$self->take($resource, $record, $found);
	return $found->{id};
}

# What is there stands: others may have made it, in their own language and letter case.  Of what
# the source has only names of (file types, tags ...) nothing else than the name is expected then.
sub take
{
	my ($self, $resource, $record, $found) = @_;

	%$record = () unless $resource eq 'datasets';
	$record->{name} = $found->{name};
	return;
}

# Make a record and give its id; first as it is where it does not fit, to hear what is refused.
sub create
{
	my ($self, $resource, $record, $fitted, @cuts) = @_;
	my $reply;

	if (@cuts)
	{
		$reply = $self->{client}->create($resource, $record);
		my $faults = $self->{client}->faults($reply);
		$_->{told} = join ', ', map { "$_->{rule}: $_->{message}" } @{ $faults->{ $_->{field} } // [] } for @cuts;
	}
	$reply = $self->{client}->create($resource, $fitted) unless $reply && $reply->{status} == 201;
	return $reply->{headers}{location} =~ s{.*/}{}r if $reply->{status} == 201;
	return $self->merge($resource, $fitted, $reply) // die "$resource \"$fitted->{name}\": " . $self->{client}->told($reply) . "\n";
}

# A record whose name makes the slug of another one: of tags and the like it is the same.
sub merge
{
	my ($self, $resource, $record, $reply) = @_;
	my $faults = $self->{client}->faults($reply);

	return if $resource eq 'datasets' || "@{[ keys %$faults ]}" ne 'slug';
	my ($found) = $self->{client}->find($resource, 'slug', $faults->{slug}[0]{value}) or return;
	push @{ $self->{merged} }, "$resource: \"$record->{name}\" is taken for \"$found->{name}\", which has its slug";
	$self->count($resource, created => -1, there => 1);
	$self->take($resource, $record, $found);
	return $found->{id};
}

# The record with its texts as long as the fields take them, and what was cut.
sub fit
{
	my ($self, $resource, $record) = @_;
	my $fields = $self->{client}->fields($resource);
	my %fitted = map { $_ => $record->{$_} } grep { defined $record->{$_} } keys %$record;
	my @cuts;

	for my $field (sort { $b cmp $a } keys %fitted)    # the name before the description
	{
		my $max  = $fields->{$field}{max} // next;
		my $text = $fitted{$field};
		next if ref $text || length $text <= $max;
		push @cuts, { resource => $resource, record => $record->{name}, field => $field, length => length $text, max => $max };
		$fitted{$field} = $field eq 'url' ? undef : $self->shorten($resource, $field, $text, $max);
		$cuts[-1]{kept} = keep($fields, \%fitted, $field, $text);
	}
	push @{ $self->{cuts} }, @cuts;
	$self->count($resource, shortened => scalar @cuts);
	return (\%fitted, @cuts);
}

# A text of at most so many characters; a name differs from the names that were shortened before.
sub shorten
{
	my ($self, $resource, $field, $text, $max) = @_;

	for (my $number = 1;; $number++)
	{
		my $end   = $number == 1 ? $ellipsis : "$ellipsis ($number)";
		my $short = substr($text, 0, $max - length $end) =~ s/\s+\z//r . $end;
		return $short if $field ne 'name' || ($self->{names}{$resource}{ lc $short } //= $text) eq $text;
	}
}

# Keep the whole text; gives the place.
sub keep
{
	my ($fields, $fitted, $field, $text) = @_;

	if ($fields->{optionals})
	{
		$fitted->{optionals} = { %{ $fitted->{optionals} // {} }, $field => $text };
		return "optionals.$field";
	}
	if ($fields->{description} && !defined $fitted->{description})
	{
		$fitted->{description} = substr $text, 0, $fields->{description}{max} // length $text;
		return $fitted->{description} eq $text ? 'description' : 'optionals of the datasets';
	}
	return 'optionals of the datasets';
}

1;
