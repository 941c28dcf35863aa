#!/usr/bin/perl
# The life of a record of every resource: created, read, listed, updated, deleted, restored;
# each reply has the envelope of the contract, and each change is logged once.

use strict;
use warnings;

use Test::More;
use Catalogue::Client qw($json);
use Catalogue::Test;
use Catalogue::Definition;

my $service    = Catalogue::Test->shared->as_admin;
my $definition = Catalogue::Definition->new($service);

# Log entries of a record, oldest first.
sub logged
{
	my ($id) = @_;
	return join ' ', $service->sql("SELECT action FROM catalogue.logs WHERE resource = '$id' ORDER BY created_at, id");
}

for my $resource ($definition->writable)
{
	my $base   = "$service->{base}/$resource";
	my $before = $service->get("/$resource/count")->{json}{data}{count};

	# 201, a link to the record, and no data
	my $created = $service->post("/$resource", $definition->record($resource));
	is($created->{status}, 201, "$resource: created") or diag($created->{body});
	is($created->{json}{meta}{code}, 'CREATED', "$resource: the code of creation");
	ok(!exists $created->{json}{data}, "$resource: no data by default");
	ok(!exists $created->{json}{code}, "$resource: no code at the top of a success");
	my $link = $created->{json}{links}{record};
	is($created->{headers}{location}, $link, "$resource: Location is the record's link");
	is($created->{json}{links}{all}, $base, "$resource: the link of all");
	my ($id) = $link =~ m{^\Q$base\E/([0-9A-Za-z]{15})$} or die("$resource: no id in the link $link");

	# the record, with links to itself, to its list, and to its relations
	my $item   = $service->follow($link);
	my $record = $item->{json}{data};
	is($item->{status}, 200, "$resource: read");
	is($item->{json}{meta}{code}, 'OK', "$resource: the code of success");
	is($record->{id}, $id, "$resource: its id");
	like($record->{$_}, qr/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]*Z$/, "$resource: $_ is an instant")
		for qw(createdAt updatedAt);
	is($item->{json}{links}{self}, $link, "$resource: its own link");
	my %collections = %{ $item->{json}{links}{collections} };
	is_deeply([ sort keys %collections ],
		[ sort grep { !exists $record->{$_} || defined $record->{$_} } map { $_->{name} } $definition->relations($resource) ],
		"$resource: a link for each relation, but for a key that is null");
	is($collections{$_}, "$link/$_", "$resource: the link of $_") for sort keys %collections;
	is($record->{createdBy}, $service->{admin}, "$resource: created by the user of the token")
		if exists $record->{createdBy};
	ok(!exists $record->{ $_->{name} }, "$resource: $_->{name} is not shown")
		for grep { $_->{write_only} } $definition->fields($resource);

	# the record is counted, and listed by its id
	is($service->get("/$resource/count")->{json}{data}{count}, $before + 1, "$resource: the record is counted");
	my $list = $service->get("/$resource?id=$id");
	is_deeply([ map { $_->{id} } @{ $list->{json}{data} } ], [$id], "$resource: the record is listed");

	# updated with PATCH and with PUT
	my ($field) = grep { $_->{type} eq 'string' && !$_->{reference} && !$_->{enum} && !$_->{write_only}
		&& $_->{domain} =~ /char|text|one_line/ }
		$definition->writable_fields($resource);
	for my $verb (qw(PATCH PUT))
	{
		my $value = $definition->right($field);
		my $reply = $service->request($verb, "/$resource/$id", { $field->{name} => $value });
		is($reply->{status}, 200, "$resource: $verb") or diag($reply->{body});
		ok(!exists $reply->{json}{data}, "$resource: $verb: no data by default");
		is($reply->{json}{links}{record}, $link, "$resource: $verb: the link to the record");
		my $after = $service->follow($link)->{json}{data};
		is($after->{ $field->{name} }, $value, "$resource: $verb: the value is stored");
		is($after->{createdAt}, $record->{createdAt}, "$resource: $verb: createdAt does not change");
		cmp_ok($after->{updatedAt}, 'gt', $record->{updatedAt}, "$resource: $verb: updatedAt increases");
		# fields that were not sent do not change
		my @changed = grep { !/^(updatedAt|slug|fullName|embedCode|updatedBy)$/ && $_ ne $field->{name}
				&& $json->encode($after->{$_}) ne $json->encode($record->{$_}) } sort keys %$record;
		is("@changed", '', "$resource: $verb: nothing else changes");
	}

	# a complete record that was read may be sent back, which changes nothing
	my $read  = $service->follow($link);
	my $whole = $read->{json}{data};
	for my $verb (qw(PATCH PUT))
	{
		is($service->request($verb, "/$resource/$id", $whole)->{status}, 200,
			"$resource: $verb: a complete record is accepted");
		my $again = $service->follow($link);
		is_deeply($again->{json}{data}, $whole, "$resource: $verb: the record does not change, nor updatedAt");
		is($again->{headers}{etag}, $read->{headers}{etag}, "$resource: $verb: its entity tag does not change");
	}

	# deleted, with the former record on request, and restored
	my $last = $service->delete("/$resource/$id", Prefer => 'return=representation');
	is($last->{status}, 200, "$resource: deleted with return=representation");
	is_deeply($last->{json}{data}, $whole, "$resource: the answer has the former record");
	is($last->{headers}{'preference-applied'}, 'return=representation', "$resource: Preference-Applied");
	is_deeply([ sort keys %{ $last->{json}{links} } ], ['all'], "$resource: the only link is that of the list");
	is($service->delete("/$resource/$id", Prefer => 'return=representation')->{status}, 404,
		"$resource: a second deletion is not found");
	is($service->post("/$resource/$id/restore")->{status}, 200, "$resource: restored");

	# deleted: 404 for every method, neither counted nor listed; and restored again
	my $deleted = $service->delete("/$resource/$id");
	is($deleted->{status}, 200, "$resource: deleted") or diag($deleted->{body});
	is_deeply([ sort keys %{ $deleted->{json} } ], [qw(links meta)], "$resource: deleted: meta and links");
	is($service->request($_, "/$resource/$id", $_ =~ /P/ ? {} : undef)->{status}, 404, "$resource: deleted: $_ is 404")
		for qw(GET HEAD PATCH DELETE);
	is($service->get("/$resource/count")->{json}{data}{count}, $before, "$resource: deleted: not counted");
	is_deeply($service->get("/$resource?id=$id")->{json}{data}, [], "$resource: deleted: not listed");

	# restored unchanged
	my $restored = $service->post("/$resource/$id/restore");
	is($restored->{status}, 200, "$resource: restored") or diag($restored->{body});
	is($service->follow($link)->{json}{data}{ $field->{name} }, $whole->{ $field->{name} },
		"$resource: restored unchanged");

	like(logged($id), qr/^create update update delete update delete update$/, "$resource: each change is logged once")
		if $definition->{resource}{$resource}{logged};
}

$service->finish;
