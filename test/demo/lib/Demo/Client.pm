package Demo::Client;

# A client of the API: sends requests and follows links.

use strict;
use warnings;

use HTTP::Tiny ();
use JSON::PP   ();

my $json = JSON::PP->new->utf8->canonical->allow_nonref;

sub new
{
	my ($class, $url) = @_;
	# no proxy: the default address is this machine
	my $http = HTTP::Tiny->new(agent => 'catalogue-demo/1.0', timeout => 60, keep_alive => 1,
		max_redirect => 0, proxy => undef, http_proxy => undef, https_proxy => undef);
	return bless { url => $url =~ s{/+$}{}r, http => $http, headers => {} }, $class;
}

# Send one request; the target is a path or an absolute link of this service, the body what is sent as JSON, or bytes,
# whose type may follow.
# The reply is a hash: status, headers, content, json (undef where the body is no JSON).  Dies where nothing answers.
sub request
{
	my ($self, $verb, $target, $body, $type) = @_;
	my $url = $target =~ m{^/} ? $self->{url} . $target : $target;
	die "the link $url leads away from $self->{url}\n" unless index("$url/", "$self->{url}/") == 0;

	my %options = (headers => { Accept => 'application/json', %{ $self->{headers} } });
	if ($body)
	{
		$options{content} = ref $body ? $json->encode($body) : $body;
		$options{headers}{'Content-Type'} = ref $body ? 'application/json' : $type // 'application/octet-stream';
	}
	my $reply = $self->{http}->request($verb, $url, \%options);
	die "no catalogue answers at $self->{url}: " . ($reply->{content} =~ s/\s+\z//r) . "\n" if $reply->{status} == 599;
	return {
		status  => $reply->{status},
		headers => $reply->{headers},
		content => $reply->{content},
		json    => scalar eval { $json->decode($reply->{content}) },
	};
}

# Read what a link gives; anything but a success is a fault of the service.
sub follow
{
	my ($self, $link) = @_;
	my $reply = $self->request('GET', $link);
	die "GET $link: " . $self->told($reply) . "\n" unless $reply->{status} =~ /^2/ && ref $reply->{json} eq 'HASH';
	return $reply->{json};
}

# Read a list to its end by its links; $each is called with every record and the page it stands on.
sub walk
{
	my ($self, $link, $each) = @_;
	my $page;

	for (; defined $link; $link = $page->{links}{next})
	{
		$page = $self->follow($link);
		$each->($_, $page) for @{ $page->{data} };
	}
	return $page;
}

# The password of a user: CATALOGUE_ADMIN_PASSWORD, else it is asked for, without showing it.
sub password
{
	my ($user) = @_;
	return $ENV{CATALOGUE_ADMIN_PASSWORD} if $ENV{CATALOGUE_ADMIN_PASSWORD};
	die "CATALOGUE_ADMIN_PASSWORD is not set, and there is no terminal to ask at\n" unless -t STDIN;
	print STDERR "Password of $user: ";
	system 'stty', '-echo';
	my $password = <STDIN>;
	system 'stty', 'echo';
	print STDERR "\n";
	chomp($password //= '');
	return $password;
}

# Send all further requests as this user; gives the user's id.
sub login
{
	my ($self, $user, $password) = @_;
	my $reply = $self->request('POST', '/users/login', { username => $user, password => $password });

	die "cannot log in as $user: " . $self->told($reply) . "\n" unless $reply->{status} == 200;
	$self->{headers}{Authorization} = "Bearer $reply->{json}{data}{token}";
	return $reply->{json}{data}{user};
}

# What a reply says, in one line, every fault of every field.
sub told
{
	my ($self, $reply) = @_;
	my $faults = $self->faults($reply);
	my @fields = map { my $name = $_; map { "$name: $_->{message}" } @{ $faults->{$name} } } sort keys %$faults;

	return join '; ', "$reply->{status} " . ($reply->{json}{meta}{message} // 'without a message'), @fields;
}

# The faults of a refused record: field => [{rule, message}].
sub faults
{
	my ($self, $reply) = @_;
	my $data = ref $reply->{json} eq 'HASH' ? $reply->{json}{data} : undef;

	return { map { $_ => $data->{$_} } grep { ref $data->{$_} eq 'ARRAY' } keys %{ ref $data eq 'HASH' ? $data : {} } };
}

# A value as text that is equal where the value is.
sub text
{
	my ($self, $value) = @_;
	my $text = $json->encode($value);

	utf8::decode($text);
	return $text;
}

1;
