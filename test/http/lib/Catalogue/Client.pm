package Catalogue::Client;

# An HTTP client of a service at a port of this host, for requests as clients send them and for bytes that none should.
# The object has the members port, base (the address that links begin with) and headers, which go with each request.

use strict;
use warnings;

use Catalogue::Clock qw(wait_until);
use Catalogue::Program qw(needed slurp);
use Catalogue::Traffic ();
use Cpanel::JSON::XS ();
use Exporter qw(import);
use IO::Select ();
use IO::Socket::INET ();
use Socket ();
use Time::HiRes qw(time);

our @EXPORT_OK = qw($json);
our $json = Cpanel::JSON::XS->new->utf8->canonical->allow_nonref;

# Send one request.  The body is bytes, or a reference that is converted to JSON.  The reply is a hash:
# head (its lines as sent), status, headers (names in lower case), body, json (undef when the body is not JSON).
# One connection serves all requests, until it is closed.  Only reads are sent again when it is closed before the reply:
# what a write has done by then is not known.
sub request
{
	my ($self, $verb, $path, $body, %headers) = @_;

	%headers = (Host => $self->{base} =~ s{^http://}{}r, %{ $self->{headers} }, %headers);
	if (defined $body)
	{
		$body = $json->encode($body) if ref $body;
		$headers{'Content-Type'} //= 'application/json';
		$headers{'Content-Length'} = length $body;
	}
	my $bytes = join '', "$verb $path HTTP/1.1\r\n",
		(map { "$_: $headers{$_}\r\n" } grep { defined $headers{$_} } sort keys %headers), "\r\n", $body // '';
	for my $fresh (0, 1)
	{
		# no reply is outstanding, so what can be read is the end of the connection
		delete $self->{socket} if $self->{socket} && IO::Select->new($self->{socket})->can_read(0);
		my $used = defined $self->{socket};
		$self->{socket} //= $self->connection;
		my $reply = exchange($self->{socket}, $bytes, $verb eq 'HEAD');
		delete $self->{socket} if !$reply || ($reply->{headers}{connection} // '') =~ /close/i;
		if ($reply)
		{
			Catalogue::Traffic::record($verb, $path, $reply);
			return $reply;
		}
		last unless $used && $verb =~ /^(?:GET|HEAD|OPTIONS)$/;
	}
	die "$verb $path: no answer\n";
}

# Send a request and read its reply; undef when the connection ends before the reply does.
sub exchange
{
	my ($socket, $bytes, $is_head) = @_;
	my ($text, $select) = ('', IO::Select->new($socket));
	local $SIG{PIPE} = 'IGNORE';

	syswrite $socket, $bytes or return;
	while ($select->can_read(180))
	{
		sysread $socket, $text, 1 << 20, length $text or return;
		next if !$is_head && is_cut(\$text);
		my ($reply) = replies($text, $is_head);
		return $reply if $reply;
	}
	die "no answer for three minutes\n";
}

# True while the end of a reply is missing, as its head tells: a long one is not parsed anew for each piece that
# arrives.
sub is_cut
{
	my ($text) = @_;
	my $end = index $$text, "\r\n\r\n";
	return 1 if $end < 0;
	my $head = substr $$text, 0, $end;
	return substr($$text, -5) ne "0\r\n\r\n" if $head =~ /^Transfer-Encoding: *chunked/mi;
	return $head =~ /^Content-Length: *(\d+)/mi && length $$text < $end + 4 + $1;
}

# A reply of request() and raw(), whose body is decoded when it is JSON.
sub reply
{
	my ($head, $status, $headers, $body) = @_;
	return {
		head    => $head,
		status  => $status,
		headers => $headers,
		body    => $body,
		json    => scalar(($headers->{'content-type'} // '') =~ /json/ ? eval { $json->decode($body) } : undef),
	};
}

sub get     { my ($self, $path, %headers) = @_; return $self->request('GET', $path, undef, %headers) }
sub head    { my ($self, $path, %headers) = @_; return $self->request('HEAD', $path, undef, %headers) }
sub options { my ($self, $path, %headers) = @_; return $self->request('OPTIONS', $path, undef, %headers) }
sub delete  { my ($self, $path, %headers) = @_; return $self->request('DELETE', $path, undef, %headers) }
sub post    { my ($self, $path, $body, %headers) = @_; return $self->request('POST', $path, $body, %headers) }
sub patch   { my ($self, $path, $body, %headers) = @_; return $self->request('PATCH', $path, $body, %headers) }
sub put     { my ($self, $path, $body, %headers) = @_; return $self->request('PUT', $path, $body, %headers) }

# Follow a link of a reply: it must begin with the service's own address.
sub follow
{
	my ($self, $link, %headers) = @_;
	die "not a link of this service: $link\n" unless $link =~ s/^\Q$self->{base}\E//;
	return $self->get($link, %headers);
}

# Log in; return the reply.
sub login
{
	my ($self, $username, $password) = @_;
	return $self->post('/users/login', { username => $username, password => $password },
		Authorization => undef);
}

# Send all further requests as the first administrator.
sub as_admin
{
	my ($self) = @_;
	if (!$self->{shared})
	{
		my $reply = $self->login('admin', needed('CATALOGUE_ADMIN_PASSWORD'));
		die "login: $reply->{status} $reply->{body}\n" unless $reply->{status} == 200;
		$self->{token} = $reply->{json}{data}{token};
		$self->{admin} = $reply->{json}{data}{user};
	}
	$self->{headers}{Authorization} = "Bearer $self->{token}";
	return $self;
}

# A new connection.
sub connection
{
	my ($self) = @_;
	return IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $self->{port}, Timeout => 60)
		// die "connect: $!";
}

# A connection with a small receive buffer, from an address of this host: little is received before it is read.
sub narrow_connection
{
	my ($self, $address) = @_;
	socket my $socket, Socket::PF_INET, Socket::SOCK_STREAM, 0 or die "socket: $!";
	setsockopt $socket, Socket::SOL_SOCKET, Socket::SO_RCVBUF, 2048;
	bind $socket, Socket::pack_sockaddr_in(0, Socket::inet_aton($address // '127.0.0.1')) or die "bind: $!";
	connect $socket, Socket::pack_sockaddr_in($self->{port}, Socket::inet_aton('127.0.0.1')) or die "connect: $!";
	return $socket;
}

# Send bytes as they are; return the replies, and in $closed whether the server then closed the connection.
# Reads until there are $wanted replies and nothing more has come for $quiet seconds, or it is closed, or time is up.
sub raw
{
	my ($self, $bytes, %options) = @_;
	my $socket = $options{socket} // $self->connection;
	local $SIG{PIPE} = 'IGNORE';
	syswrite $socket, $bytes if length $bytes;

	my ($text, $wanted, $closed) = ('', $options{wanted} // 1, 0);
	my $select = IO::Select->new($socket);
	my $deadline = time + ($options{timeout} // 60);
	my $quiet    = $options{quiet} // 0;
	my @replies;
	while ((my $left = $deadline - time) > 0)
	{
		@replies = replies($text);
		$left = $quiet if @replies >= $wanted && $quiet < $left;
		last unless $select->can_read($left);
		unless (sysread $socket, $text, 65536, length $text)
		{
			$closed = 1;
			last;
		}
	}
	@replies = replies($text);
	return { replies => \@replies, closed => $closed, text => $text };
}

# Split the bytes of a connection into replies; replies to HEAD have no body.
sub replies
{
	my ($text, $is_head) = @_;
	my @replies;

	while ($text =~ s{^(HTTP/1\.[01] (\d{3})[^\r\n]*\r\n((?:[^\r\n]+\r\n)*))\r\n}{})
	{
		my ($head, $status, $lines) = ($1, $2, $3);
		my %headers;
		$headers{ lc $1 } = $2 while $lines =~ /^([^:\r\n]+):[ \t]*([^\r\n]*)/mg;
		my $length = $is_head ? 0 : $headers{'content-length'} // 0;
		next if $status == 100;
		if (!$is_head && ($headers{'transfer-encoding'} // '') eq 'chunked')
		{
			my $body = unchunk(\$text) // last;
			push @replies, reply($head, $status, \%headers, $body);
			next;
		}
		last if length $text < $length;
		push @replies, reply($head, $status, \%headers, substr($text, 0, $length, ''));
	}
	return @replies;
}

# Remove a chunked body from the beginning of a text; undef, and the text unchanged, while it is incomplete.
sub unchunk
{
	my ($text) = @_;
	my ($body, $at) = ('', 0);

	return if index($$text, "0\r\n\r\n") < 0;
	while (substr($$text, $at, 20) =~ /^([0-9A-Fa-f]+)\r\n/)
	{
		my ($length, $start) = (hex $1, $at + length($1) + 2);
		return if length $$text < $start + $length + 2;
		$body .= substr $$text, $start, $length;
		$at = $start + $length + 2;
		next if $length > 0;
		$$text = substr $$text, $at;
		return $body;
	}
	return;
}

# Wait until the shim has accepted all connections and has read what was sent over them.  With one thread, it has then
# handled that as well.
sub until_read
{
	my ($self) = @_;
	my $local = sprintf '0100007F:%04X', $self->{port};

	# the second number is that of bytes that are not read, of a socket that listens that of connections not accepted
	wait_until('all is read',
		sub { !grep { /^\s*\d+: $local \S+ \w\w \w+:(?!0{8})/ } split /\n/, slurp('/proc/net/tcp') });
	# a path without a route is answered at once
	$self->raw("GET /a/b/c/d/e/f HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
	return;
}

1;
