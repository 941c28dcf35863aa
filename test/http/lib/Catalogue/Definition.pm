package Catalogue::Definition;

# The resources and fields as the database describes them, and values that are valid or invalid for them:
# right() and wrong() make values of a field, record() a body that the service accepts.  endpoints() are the paths.

use strict;
use warnings;

use Catalogue::Client qw($json);
use Cpanel::JSON::XS ();

my $serial = 0;

sub new
{
	my ($class, $service) = @_;
	my $self = bless { service => $service }, $class;

	# the values of a file on a shared service are not those of the files before it
	$serial ||= 100_000 * ($service->{users} // 0);
	$self->{resource} = { map { $_->{resource} => $_ } rows($service, 'SELECT * FROM catalogue.resource') };
	for my $row (rows($service, <<~'END'))
		SELECT f.resource, field AS name, type, required, coalesce(max, max_json) AS max, "unique", enum, reference,
			f.read_only, write_only, f.fixed,
		       "default", f.unless, type_oid::regtype::text AS domain,
		       r.conditions ? column_name AS condition
		FROM catalogue.field f JOIN catalogue.resource r USING (resource) ORDER BY f.resource, position
		END
	{
		push @{ $self->{fields}{ $row->{resource} } }, $row;
	}
	for my $row (rows($service, 'SELECT resource, relation AS name, kind, target FROM catalogue.relation'))
	{
		push @{ $self->{relations}{ $row->{resource} } }, $row;
	}
	return $self;
}

# The paths of the table of endpoints: rows of verb, path, action (undef for none) and call.
sub endpoints
{
	open my $table, '-|', 'cc', '-E', '-P', '-DCALL(...)=',
		'-DPATH(verb, path, action, envelope, call)=@ verb path action call @',
		'shim/database/endpoints.h' or die "cc: $!";
	my $text = do { local $/; <$table> };
	close $table or die 'shim/database/endpoints.h cannot be preprocessed';
	my @routes = map { my %row; @row{qw(verb path action call)} = @$_; \%row }
		map { [ /^(\w+) "(.+)" (?:"(\w+)"|NULL) (\w+)$/ ] } $text =~ /@ (.+?) @/g;
	$_->{path} =~ s/" "//g for @routes;
	return @routes;
}

sub rows
{
	my ($service, $query) = @_;
	return map { $json->decode($_) } $service->sql("SELECT row_to_json(t) FROM ($query) t");
}

sub resources { my ($self) = @_; return sort keys %{ $self->{resource} } }
sub writable  { my ($self) = @_; return grep { !$self->{resource}{$_}{read_only} } $self->resources }
sub fields    { my ($self, $resource) = @_; return @{ $self->{fields}{$resource} } }
sub relations { my ($self, $resource) = @_; return @{ $self->{relations}{$resource} // [] } }
sub actions   { my ($self, $resource) = @_; return @{ $self->{resource}{$resource}{actions} } }

# Fields that a client may write and whose value is stored.
sub writable_fields
{
	my ($self, $resource) = @_;
	return grep { !$_->{read_only} && !$_->{fixed} } $self->fields($resource);
}

# The id of a record that is not deleted; one is created when there is none.
sub some_id
{
	my ($self, $resource) = @_;
	return $self->{some}{$resource} //= do {
		my ($first) = @{ $self->{service}->get("/$resource?limit=1")->{json}{data} };
		$first ? $first->{id} : $self->create($resource);
	};
}

# Create a record, by SQL where clients cannot; return its id.
sub create
{
	my ($self, $resource, %values) = @_;
	return $self->insert($resource) if $self->{resource}{$resource}{read_only};
	my $reply = $self->{service}->post("/$resource", { %{ $self->record($resource) }, %values });
	die "POST /$resource: $reply->{status} $reply->{body}\n" unless $reply->{status} == 201;
	return ($reply->{json}{links}{record} =~ m{([^/]+)$})[0];
}

# Create a user who has a role, and log in; return the id, and the value of Authorization for requests of the user.
sub user
{
	my ($self, $name, $role, %values) = @_;
	my $password = 'a long password';
	my $id       = $self->create('users', username => $name, password => $password, role => $role, %values);
	my $reply    = $self->{service}->login($name, $password);
	die "login of $name: $reply->{status} $reply->{body}\n" unless $reply->{status} == 200;
	return ($id, "Bearer $reply->{json}{data}{token}");
}

# Create a record that everybody sees, by SQL; return its id.
sub insert
{
	my ($self, $resource) = @_;
	my ($shown) =
		rows($self->{service}, "SELECT shown -> 'outsiders' AS to_all FROM catalogue.resource WHERE resource = '$resource'");
	my $record  = $self->record($resource);
	my %column  = map { s/([A-Z])/_\l$1/gr => $record->{$_} } keys %$record;
	my %needed  = ref $shown->{to_all} eq 'HASH' ? %{ $shown->{to_all} } : ();
	# conditions on related records hold for the seeded records
	%column = (%column,
		map { $_ => ref $needed{$_} ? $self->some_id($self->target($resource, $_)) : $needed{$_} } keys %needed);
	my @names = sort keys %column;
	return ($self->{service}->sql(sprintf 'INSERT INTO catalogue.%s (%s) VALUES (%s) RETURNING id', $resource,
		join(', ', @names), join(', ', map { "'$column{$_}'" } @names)))[0];
}

# A body with all required fields, different each time.
sub record
{
	my ($self, $resource) = @_;
	my %record = map { $_->{name} => $self->right($_) }
		grep { $_->{required} && !$_->{read_only} && !defined $_->{default} } $self->fields($resource);
	$record{$_} = [ $self->some_id($self->target($resource, $_)) ]
		for @{ $self->{resource}{$resource}{at_least_one} };
	return \%record;
}

sub target
{
	my ($self, $resource, $relation) = @_;
	return (map { $_->{target} } grep { $_->{name} eq $relation } $self->relations($resource))[0];
}

my %of_domain = (
	'catalogue.color'           => sub { 'a1b2c3' },
	'catalogue.config_type'     => sub { 'string' }, # for which any value is valid
	'catalogue.email'           => sub { 'n' . ++$serial . '@example.org' },
	'catalogue.parse_options'   => sub { { delimiter => ';', skip => 1 } },
	'catalogue.password'        => sub { 'a password ' . ++$serial },
	'catalogue.secret'          => sub { 'a secret that signs messages ' . ++$serial },
	'catalogue.service_address' => sub { 'https://services.example.org/' . ++$serial },
	'catalogue.time_pattern'    => sub { '0 5 * * 1-5' },
	'catalogue.username'        => sub { 'user_' . ++$serial },
	'catalogue.web_address'     => sub { 'https://data.example.org/' . ++$serial },
);
my %of_type = (
	array    => sub { [ 'tags', 'files' ] }, # as catalogue.webhooks takes them
	boolean  => sub { Cpanel::JSON::XS::true },
	date     => sub { '2026-02-28' },
	datetime => sub { '2026-02-28T12:30:00.000Z' },
	integer  => sub { 7 },
	json     => sub { { a => [ 1, 'b' ] } },
	number   => sub { 2.5 },
	string   => sub { 'value ' . ++$serial },
);

# Fields that take a few texts, or JSON of a form.
my $forms    = 0;
my %of_field = (
	'forms.resource' => sub { (qw(basemaps files))[ $forms++ % 2 ] },
	'forms.schema'   => sub { { type => 'object', properties => { a => { title => 'value ' . ++$serial } } } },
);

# A value that is valid for a field.
sub right
{
	my ($self, $field) = @_;
	my $of_field = $of_field{"$field->{resource}.$field->{name}"};
	return $of_field->() if $of_field;
	return $self->some_id($field->{reference}) if $field->{reference};
	my $of_domain = $of_domain{ $field->{domain} };
	return $field->{enum}[0] if $field->{enum} && !$of_domain;
	return ($of_domain // $of_type{ $field->{type} })->();
}

my %bad = (
	array    => [ { a => 1 }, 7 ],
	boolean  => [ 'maybe',    2,      [] ],
	date     => [ '2026-02-30', 'tomorrow', {} ],
	datetime => [ 'yesterday', '2026-13-01T00:00:00Z', 7, [] ],
	email    => [ 'no address', 7, {} ],
	address  => [ 'javascript:alert(1)', '//example.org', 'http://', "http://example.org/a\nb", 7, {} ],
	integer  => [ 'seven', 1.5, 1e30, [] ],
	json     => [],
	number   => [ 'seven', [] ],
	string   => [ { a => 1 }, [ 1, 2 ] ],
);

# Values of a wrong type, or of a wrong form.
sub wrong
{
	my ($self, $field) = @_;
	return @{ $bad{address} } if $field->{domain} =~ /_address$/;
	return @{ $bad{ $field->{reference} ? 'string' : $field->{type} } };
}

# A new text of the given number of characters; undef when the format has its own limit.
sub text
{
	my ($self, $field, $length, $character) = @_;
	my $mark = ++$serial;
	return if $of_field{"$field->{resource}.$field->{name}"};
	return if $field->{domain} =~ /color|time_pattern|parse_options|password|secret/;
	if ($field->{type} eq 'email')
	{
		my $end = "$mark\@example.org";
		return $character eq 'x' ? ('x' x ($length - length $end)) . $end : undef;
	}
	return if $field->{domain} eq 'catalogue.username' && $character ne 'x';
	$mark = "https://example.org/$mark" if $field->{domain} =~ /_address$/;
	return $mark . $character x ($length - length $mark);
}

1;
