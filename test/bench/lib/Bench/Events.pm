package Bench::Events;

# The job on clients that listen to change events.  See Reads.pm for what a job is.

use strict;
use warnings;

use IO::Select ();

use Bench::Client ();
use Bench::Reads  ();
use Bench::Report ();
use Time::HiRes qw(sleep time);

my $LISTENERS = 1_000;
my $CHANGES   = 20;
my $PATIENCE  = 5;    # seconds for an event

sub jobs
{
	return ({ name => 'events', title => "Items, memory and delay beside $LISTENERS listeners of change events", prepare => \&events });
}

# Begin to listen with so many clients; they belong to the caller, and end with it.
sub listen_all
{
	my ($service) = @_;
	my @clients = map { $service->client } 1 .. $LISTENERS;

	$_->send_request('GET', '/events', undef, Accept => 'text/event-stream') for @clients;
	for my $client (@clients)
	{
		my $answer = $client->read_answer;
		die "GET /events: $answer->{status}\n" unless $answer->{status} == 200;
	}
	return @clients;
}

# Items, with so many listeners meanwhile; what is read of their connections does not matter.
sub beside
{
	my ($service, $items) = @_;
	return sub {
		my @clients = listen_all($service);
		return $items->(@_);
	};
}

# Read until each of the sockets has got the word; the times at which the first and the last one had it.
sub arrivals
{
	my ($word, @sockets) = @_;
	my $select = IO::Select->new(@sockets);
	my ($first, %text);

	for (my $until = time + $PATIENCE; $select->count;)
	{
		die $select->count . " listeners are not told of a change\n" if time > $until;
		for my $socket ($select->can_read(1))
		{
			sysread $socket, $text{$socket}, 65536, length($text{$socket} // '') or die "a listener is not told any more\n";
			next if index($text{$socket}, $word) < 0;
			$first //= time;
			$select->remove($socket);
		}
	}
	return ($first, time);
}

# Milliseconds from the answer to a change until the first and the last listener know of it: medians of several changes.
sub delays
{
	my ($service, @clients) = @_;
	my $writer = $service->client;
	my @tags   = $service->sql(q(SELECT id FROM catalogue.tags WHERE deleted_at IS NULL LIMIT 1)) =~ /(\w+)/;
	my (@first, @last);

	for my $number (1 .. $CHANGES)
	{
		my $answer = $writer->request('PATCH', "/tags/$tags[0]", qq({"name":"Heard $number"}));
		my $changed = time;

		die "PATCH /tags: $answer->{status}\n" unless $answer->{status} == 200 || $answer->{status} == 204;
		my ($first, $last) = arrivals($tags[0], map { $_->{socket} } @clients);
		push @first, ($first - $changed) * 1000;
		push @last,  ($last - $changed) * 1000;
		sleep 0.05;
	}
	return map { scalar Bench::Report::quantile(0.5, @$_) } \@first, \@last;
}

sub events
{
	my ($service) = @_;
	my $items  = $service->load(targets => [map { "/datasets/$_" } $service->random_ids(1000)]);
	my $before = $items->(1) && $service->{server}{shim}->memory;
	my @clients = listen_all($service);
	my ($first, $last) = delays($service, @clients);
	my $more = $service->{server}{shim}->memory - $before;

	undef @clients;
	return {
		contenders => [['alone', 'items', $items], ['beside', "items, beside $LISTENERS listeners", beside($service, $items)]],
		verdicts   => [
			Bench::Reads::ratio('items beside listeners', 'beside', 'alone', 0.95),
			{ text => 'MB more of the shim',                   most => 60,  value => sub { $more } },
			{ text => 'ms until the first listener is told', most => 100, value => sub { $first } },
			{ text => 'ms until the last one is told',       most => 100, value => sub { $last } },
		],
	};
}

1;
