package Catalogue::OpenApi;

# The OpenAPI document of a service: the operation of a request, and what an answer has that is not documented.

use strict;
use warnings;

use Cpanel::JSON::XS ();

sub new
{
	my ($class, $document) = @_;
	my %paths;

	for my $path (keys %{ $document->{paths} })
	{
		my @words = split m{/}, $path, -1;
		push @{ $paths{@words} }, [ $path, \@words, scalar grep { /^\{/ } @words ];
	}
	# the fewer parameters, the nearer
	@$_ = sort { $a->[2] <=> $b->[2] || $b->[0] cmp $a->[0] } @$_ for values %paths;
	return bless { document => $document, paths => \%paths }, $class;
}

# The component that a reference names; undef for none.
sub component
{
	my ($self, $reference) = @_;
	my $node = $self->{document};
	for my $word (split m{/}, substr($reference, 2))
	{
		return unless ref $node eq 'HASH';
		$node = $node->{$word};
	}
	return $node;
}

# The node, or what it refers to.
sub resolved
{
	my ($self, $node) = @_;
	return $node && $node->{'$ref'} ? $self->component($node->{'$ref'}) : $node;
}

# The path of the document that a path is of; undef for none.
sub path_of
{
	my ($self, $path) = @_;
	my @given = map { lc } split m{/}, $path, -1;

	for my $known (@{ $self->{paths}{@given} // [] })
	{
		my $words = $known->[1];
		return $known->[0] unless grep { $words->[$_] !~ /^\{/ && lc $words->[$_] ne $given[$_] } 0 .. $#given;
	}
	return;
}

sub kind_of
{
	my ($value) = @_;
	return !defined $value ? 'null' : ref $value eq 'HASH' ? 'object' : ref $value eq 'ARRAY' ? 'array'
		: Cpanel::JSON::XS::is_bool($value) ? 'boolean' : 'string';
}

# Faults of an object's members.
sub member_faults
{
	my ($self, $value, $schema, $place) = @_;
	my @faults = map { "$place/$_ is missing" } grep { !exists $value->{$_} } @{ $schema->{required} // [] };

	for my $name (sort keys %$value)
	{
		my $member = ($schema->{properties} // {})->{$name}
			// (ref $schema->{additionalProperties} ? $schema->{additionalProperties} : undef);
		push @faults, $self->faults($value->{$name}, $member, "$place/$name") if $member;
		push @faults, "$place/$name is not documented"
			if !$member && $schema->{properties} && !$schema->{additionalProperties};
	}
	return @faults;
}

# Faults of a value against a schema, as far as the document uses JSON Schema.
sub faults
{
	my ($self, $value, $schema, $place) = @_;

	return $self->faults($value, $self->component($schema->{'$ref'}), $place) if exists $schema->{'$ref'};
	my @types = ref $schema->{type} ? @{ $schema->{type} } : $schema->{type} // ();
	my $is    = kind_of($value);
	my @faults;
	push @faults, "$place is $is"
		if @types && !grep { $_ eq $is || ($is eq 'string' && /^(integer|number)$/ && $value =~ /^-?\d/) } @types;
	push @faults, $self->member_faults($value, $schema, $place) if $is eq 'object';
	push @faults, map { $self->faults($value->[$_], $schema->{items}, "$place/$_") } 0 .. $#$value
		if $is eq 'array' && $schema->{items};
	push @faults, "$place is not one of the values"
		if $schema->{enum} && !grep { !defined $_ ? !defined $value : defined $value && $_ eq $value } @{ $schema->{enum} };
	if (my $choices = $schema->{anyOf} // $schema->{oneOf})
	{
		my @tried = map { [ $self->faults($value, $_, $place) ] } @$choices;
		push @faults, @{ $tried[-1] } unless grep { !@$_ } @tried;
	}
	return @faults;
}

# The types of a response or a body: the one that clients are made for, and the others.
sub types
{
	my ($self, $node) = @_;
	my $told = $self->resolved($node);
	my @types = (keys %{ $told->{content} // {} }, @{ $told->{'x-types'} // [] });
	return sort @types;
}

# What is not documented of an answer {verb, path, status, type, json}; a path or verb that is in no document has no
# faults.
sub answer_faults
{
	my ($self, $answer) = @_;
	my $path = $self->path_of($answer->{path} =~ s/\?.*//sr) // return;
	my $operation = $self->{document}{paths}{$path}{ $answer->{verb} eq 'HEAD' ? 'get' : lc $answer->{verb} } // return;
	# the head is refused before the path is known
	my $status   = $answer->{status} =~ /^4(?:14|31)$/ ? 'default' : $answer->{status};
	my $response = $self->resolved($operation->{responses}{$status} // $operation->{'x-responses'}{$status})
		// return "status $answer->{status}";
	my ($type) = ($answer->{type} // '') =~ /^([^;\s]+)/;

	# pages for people are no part of the document
	return if !$type || $type eq 'text/html' || $answer->{status} == 304 || $answer->{verb} eq 'HEAD';
	my $content = $response->{content}{$type} // $response->{content}{'*/*'}
		// return (grep { $_ eq $type } $self->types($response)) ? () : "status $answer->{status} of type $type";
	return $type eq 'application/json' && defined $answer->{json}
		? $self->faults($answer->{json}, $content->{schema}, '') : ();
}

1;
