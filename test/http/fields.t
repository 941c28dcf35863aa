#!/usr/bin/perl
# Fields of every kind, in make check-full every field of every resource: a valid value is stored as it was sent, an
# invalid one is refused with the name of the field.  Fields, limits and references are read from the definition in the
# database.

use strict;
use warnings;
use utf8;

use Test::More;
use Catalogue::Client qw($json);
use Catalogue::Test;
use Catalogue::Definition;

binmode $_, ':utf8' for Test::More->builder->output, Test::More->builder->failure_output;

my $service    = Catalogue::Test->shared->as_admin;
my $definition = Catalogue::Definition->new($service);

# Create a record with one field set; return the reply.
sub create_with
{
	my ($resource, $field, $value) = @_;
	return $service->post("/$resource", { %{ $definition->record($resource) }, $field->{name} => $value });
}

# The record that the answer to a successful write links to.
sub read_back
{
	my ($reply) = @_;
	return $service->follow($reply->{json}{links}{record})->{json}{data};
}

# Test that a write is refused with 400, with a fault of the field, by one of the rules.
sub refused
{
	my ($reply, $field, $rules, $what) = @_;
	my $faults = ref $reply->{json}{data} eq 'HASH' ? $reply->{json}{data}{ $field->{name} } : undef;
	my @rules  = ref $faults eq 'ARRAY' ? map { $_->{rule} } @$faults : ();
	ok($reply->{status} == 400 && $reply->{json}{code} eq 'E_BAD_REQUEST' && (grep { $_ =~ $rules } @rules), $what)
		or diag("$reply->{status} $reply->{body}");
	return;
}

# Test that a write succeeds and the value is read back as it was sent.
sub kept
{
	my ($reply, $field, $value, $what) = @_;
	my $good = $reply->{status} =~ /^20[01]$/;
	my $record = $good ? read_back($reply) : {};
	if ($good && $field->{write_only})
	{
		ok(!exists $record->{ $field->{name} }, "$what, and not shown");
		return;
	}
	my ($got, $sent) = map { $json->encode($_) } $record->{ $field->{name} }, $value;
	ok($good && $got eq $sent, $what) or diag("$reply->{status} $reply->{body}\n  sent $sent\n  read $got");
	return;
}

sub test_field
{
	my ($resource, $field, $name, $existing) = @_;
	my $required = $field->{required} && !defined $field->{default};

	# a valid value is stored
	unless ($field->{condition} || $field->{type} =~ /date/)
	{
		my $value = $definition->right($field);
		kept(create_with($resource, $field, $value), $field, $value, "$name: a valid value is stored");
	}

	# missing and null: refused for a required field, unless it has a default
	my $own = 0;
	for my $what ('missing', 'null')
	{
		my $body = $definition->record($resource);
		delete $body->{ $field->{name} };
		$body->{ $field->{name} } = undef if $what eq 'null';
		my $reply = $service->post("/$resource", $body);
		$own ||= $required && $reply->{status} == 201;
		if ($required && $reply->{status} != 201)
		{
			refused($reply, $field, qr/^required$/, "$name: $what is refused");
			next;
		}
		is($reply->{status}, 201, "$name: $what is accepted");
		my $record = $reply->{status} == 201 ? read_back($reply) : {};
		ok(defined $record->{ $field->{name} }, "$name: $what gets a value") if $required;
	}
	refused($service->patch($existing, { $field->{name} => undef }), $field, qr/^required$/,
		"$name: null in an update is refused")
		if $required && !$own;

	# values of a wrong type
	for my $value ($definition->wrong($field))
	{
		my $shown = $json->encode($value);
		# a new service takes an object as a file to create: remote-services.t
		refused(create_with($resource, $field, $value), $field, qr/./, "$name: $shown is refused")
			unless ref $value eq 'HASH' && $name =~ /^(?:rest|soap)services\.file$/;
		refused($service->patch($existing, { $field->{name} => $value }), $field, qr/./,
			"$name: $shown in an update is refused");
	}

	# lengths are counted in characters
	if ($field->{max} && $field->{type} =~ /string|email/ && !$field->{reference})
	{
		for (['x', 'at the limit'], ['é', 'at the limit, two bytes each,'], ['🗺', 'at the limit, four bytes each,'])
		{
			my ($character, $what) = @$_;
			my $value = $definition->text($field, $field->{max}, $character) // next;
			kept(create_with($resource, $field, $value), $field, $value, "$name: $what is kept");
		}
		my $long = $definition->text($field, $field->{max} + 1, 'x');
		if (defined $long)
		{
			refused(create_with($resource, $field, $long), $field, qr/^maxLength$/, "$name: one character more is refused");
			refused($service->patch($existing, { $field->{name} => $long }), $field, qr/^maxLength$/,
				"$name: one character more in an update is refused");
		}
	}

	# JSON with a limit: the length of its text counts, with quotes
	if ($field->{max} && $field->{type} eq 'json')
	{
		my $value = 'ñ' x ($field->{max} - 2);
		kept(create_with($resource, $field, $value), $field, $value, "$name: JSON at the limit is kept");
		refused(create_with($resource, $field, $value . 'n'), $field, qr/^maxLength$/,
			"$name: one character more is refused");
	}

	# values of an enumeration, references
	refused(create_with($resource, $field, 'nonesuch'), $field, qr/^enum$/,
		"$name: a value outside of the enumeration is refused")
		if $field->{enum};
	if ($field->{reference})
	{
		for my $id ('zzzzzzzzzzzzzzz', '../etc', '')
		{
			next if $id eq '' && (!$required || $own);
			refused(create_with($resource, $field, $id), $field, qr/./, "$name: \"$id\" is refused");
		}
		refused($service->patch($existing, { $field->{name} => 'zzzzzzzzzzzzzzz' }), $field, qr/^reference$/,
			"$name: an unknown id in an update is refused");
	}

	# the same value twice, also in capitals
	if ($field->{unique} && !$field->{enum})
	{
		my $value = $definition->right($field);
		is(create_with($resource, $field, $value)->{status}, 201, "$name: the first value is accepted");
		refused(create_with($resource, $field, $_), $field, qr/^unique$/, "$name: \"$_\" again is refused")
			for $value, uc $value;
	}

	# NUL is refused in a text; JSON is read back as it was sent
	my $nul = create_with($resource, $field, "a\0b");
	if ($field->{type} eq 'json' && $nul->{status} == 201)
	{
		is(read_back($nul)->{ $field->{name} }, "a\0b", "$name: NUL in JSON is kept");
	}
	else
	{
		is($nul->{status}, 400, "$name: NUL is refused");
	}
	return;
}

# what the rules of a field depend on
sub kind
{
	my ($of) = @_;
	my $field = $of->[1];
	return join ' ', $field->{type},
		(map { $_ ? 1 : 0 } @$field{qw(required unique max enum reference condition write_only)}, defined $field->{default}),
		$field->{domain};
}
my %chosen;
push @{ $chosen{ $_->[0] } }, $_->[1]
	for Catalogue::Test::one_of_each(\&kind, map {
		my $resource = $_;
		map { [ $resource, $_ ] } $definition->writable_fields($resource)
	} $definition->writable);

for my $resource ($definition->writable)
{
	my $existing = "/$resource/" . $definition->create($resource);
	my $before   = $service->get($existing)->{body};

	test_field($resource, $_, "$resource.$_->{name}", $existing) for @{ $chosen{$resource} // [] };

	# refused requests have changed nothing
	is($service->get($existing)->{body}, $before, "$resource: refused requests changed nothing");

	# read-only fields are ignored in a body, without an error
	for my $field (grep { $_->{read_only} || $_->{name} eq 'createdBy' } $definition->fields($resource))
	{
		my $reply = $service->patch($existing, { $field->{name} => 'zzzzzzzzzzzzzzz' });
		is($reply->{status}, 200, "$resource.$field->{name}: ignored in an update");
		my $record = $service->get($existing)->{json}{data};
		isnt($record->{ $field->{name} }, 'zzzzzzzzzzzzzzz', "$resource.$field->{name}: not changed by a client");
	}
}

$service->finish;
