package Bench::Client;

# One connection to the service that sends one request after the other, and measures the time of each.

use strict;
use warnings;

use IO::Socket::INET ();
use JSON::PP         ();
use Socket qw(IPPROTO_TCP SOL_SOCKET SO_RCVTIMEO TCP_NODELAY);
use Time::HiRes qw(time);

my $PATIENCE = 30;    # seconds for an answer
my $LEAST    = 3;     # answers that times() waits for at least

# base: "http://127.0.0.1:PORT"; headers: sent with each request.
sub new
{
	my ($class, $base, %headers) = @_;
	my ($host) = $base =~ m{//(.*)};
	my $socket = IO::Socket::INET->new(PeerAddr => $host, Timeout => 10) or die "nobody listens at $base\n";
	setsockopt $socket, IPPROTO_TCP, TCP_NODELAY, 1;
	setsockopt $socket, SOL_SOCKET, SO_RCVTIMEO, pack 'l!l!', $PATIENCE, 0;
	return bless { host => $host, base => $base, headers => \%headers, socket => $socket }, $class;
}

# The request target in an address of the service.
sub target
{
	my ($self, $address) = @_;
	return $address =~ s/^\Q$self->{base}\E//r;
}

sub send_request
{
	my ($self, $verb, $target, $body, %more) = @_;
	my %headers = (Host => $self->{host}, %{ $self->{headers} }, %more);

	@headers{qw(Content-Type Content-Length)} = ('application/json', length $body) if defined $body;
	my $text = "$verb $target HTTP/1.1\r\n" . join('', map { "$_: $headers{$_}\r\n" } sort keys %headers) . "\r\n"
		. ($body // '');
	syswrite($self->{socket}, $text) == length $text or die "$target: the connection is gone\n";
	return;
}

# Read an answer: status, headers by names in small letters, body.
sub read_answer
{
	my ($self) = @_;
	my $text = '';

	until ($text =~ /\r\n\r\n/)
	{
		sysread $self->{socket}, $text, 65536, length $text or die "no answer\n";
	}
	my ($head, $body) = split /\r\n\r\n/, $text, 2;
	my ($status) = $head =~ m{^HTTP/1.1 (\d+)};
	my %headers = map { lc($_->[0]) => $_->[1] } map { [/^([^:]+): (.*)$/] } grep { /: / } split /\r\n/, $head;
	while ($status != 304 && length $body < ($headers{'content-length'} // 0))
	{
		sysread $self->{socket}, $body, 65536, length $body or die "the answer is incomplete\n";
	}
	return { status => $status, headers => \%headers, body => $body, size => length($head) + 4 + length $body };
}

sub request
{
	my ($self, @request) = @_;
	$self->send_request(@request);
	return $self->read_answer;
}

# GET that must be answered with one of the given statuses; return the body, decoded when it is JSON.
sub get
{
	my ($self, $target, $statuses, %more) = @_;
	my $answer = $self->request('GET', $target, undef, %more);

	die 'GET ' . substr($target, 0, 100) . ": $answer->{status} " . substr($answer->{body}, 0, 200) . "\n"
		unless grep { $_ == $answer->{status} } @$statuses;
	$answer->{json} = JSON::PP::decode_json($answer->{body}) if $answer->{body} =~ /^\{/;
	return $answer;
}

# GET a list; it must ignore none of the parameters.
sub list
{
	my ($self, $target) = @_;
	my $answer  = $self->get($target, [200, 206]);
	my $ignored = $answer->{json}{meta}{ignored} // [];

	die "GET $target: the service ignores " . join(', ', @$ignored) . "\n" if @$ignored;
	return $answer;
}

# Milliseconds of each answer to the targets, in turn, during the given number of seconds.
sub times
{
	my ($self, $targets, $seconds) = @_;
	my @times;

	for (my $until = time + $seconds; time < $until || @times < $LEAST;)
	{
		my $began = time;
		$self->request('GET', $targets->[ @times % @$targets ]);
		push @times, (time - $began) * 1000;
	}
	return @times;
}

1;
