package Catalogue::Listener;

# A client that listens to change events: it reads a stream of server-sent events as a browser does.

use strict;
use warnings;

use Catalogue::Test ();
use IO::Select ();
use Cpanel::JSON::XS ();
use Time::HiRes qw(time);

# Connect and send the request; the head of the answer is read.  %headers replace those of the service.
sub new
{
	my ($class, $service, $path, %headers) = @_;
	my $self = bless { socket => $service->connection, bytes => '', received => 0, text => '', events => [], comments => [] }, $class;
	my %sent = (Host => "127.0.0.1:$service->{port}", %{ $service->{headers} }, %headers);

	syswrite $self->{socket}, join '', "GET $path HTTP/1.1\r\n",
		(map { "$_: $sent{$_}\r\n" } grep { defined $sent{$_} } sort keys %sent), "\r\n";
	$self->read_until(sub { $self->{bytes} =~ s/^(HTTP\/1\.1 (\d+).*?)\r\n\r\n//s && (@$self{qw(head status)} = ($1, $2)) })
		or die "no answer to $path\n";
	$self->parse;
	# the first part has the id to continue from
	$self->read_until(sub { defined $self->{last} }) if $self->{status} == 200;
	return $self;
}

# Read until a condition is true; returns whether it is, within a minute.
sub read_until
{
	my ($self, $holds) = @_;
	my $deadline = time + 60;

	until ($holds->())
	{
		return 0 if $self->{closed} || time > $deadline;
		next unless IO::Select->new($self->{socket})->can_read(1);
		my $count = sysread $self->{socket}, $self->{bytes}, 65536, length $self->{bytes};
		$self->{closed} = 1 if !$count;
		$self->{received} += $count // 0;
		$self->parse if $self->{status};
	}
	return 1;
}

# Take the chunks apart, and the lines of complete events.
sub parse
{
	my ($self) = @_;

	while ($self->{bytes} =~ /^([0-9A-Fa-f]+)\r\n/)
	{
		my ($length, $start) = (hex $1, length($1) + 2);
		last if length $self->{bytes} < $start + $length + 2;
		$self->{text} .= substr $self->{bytes}, $start, $length;
		substr($self->{bytes}, 0, $start + $length + 2) = '';
		$self->{ended} = $self->{closed} = 1 if $length == 0;
	}
	while ($self->{text} =~ s/^(.*?)\n\n//s)
	{
		my %field;
		for (split /\n/, $1)
		{
			my ($name, $value) = /^([^:]*): ?(.*)$/ or next;
			push @{ $self->{comments} }, $value if $name eq '';
			$field{$name} = $value;
		}
		$self->{last} = $field{id} if defined $field{id};
		push @{ $self->{events} }, { %field, arrived => time, data => $Catalogue::Test::json->decode($field{data}) }
			if defined $field{data};
	}
	return;
}

# Wait for so many events, all in all; returns them.
sub events
{
	my ($self, $count) = @_;
	$self->read_until(sub { @{ $self->{events} } >= $count });
	return @{ $self->{events} };
}

# What the events say, each as "event resource id".
sub told
{
	my ($self, $count) = @_;
	return map { "$_->{event} " . ($_->{data}{resource} // '') . ' ' . ($_->{data}{id} // '') } $self->events($count);
}

# Wait until the service has ended the stream; returns the comments.
sub ended
{
	my ($self) = @_;
	$self->read_until(sub { $self->{closed} });
	return join '; ', grep {length} @{ $self->{comments} };
}

sub close
{
	my ($self) = @_;
	close delete $self->{socket};
	return;
}

1;
