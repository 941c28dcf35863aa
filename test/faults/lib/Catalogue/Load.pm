package Catalogue::Load;

# Clients of a service while faults happen.  Each has its own tags and repeats a write until its outcome is known: a
# creation by its Idempotency-Key, an update by the entity tag that it began with.  It keeps a ledger of each tag's
# last acknowledged name, the number of its updates, and whether it was deleted.

use strict;
use warnings;

use Catalogue::Client qw($json);
use Catalogue::Program qw(slurp);
use POSIX ();
use Time::HiRes qw(sleep time);

# What a client does next: reads are 70 of 100 requests, as in the load of the specification's faults.
my @choices = ((\&read_list) x 35, (\&read_item) x 35, (\&create) x 20, (\&update) x 5, (\&delete_one) x 5);

# Answers that leave it open whether a write was executed, or say that it was not yet.
my %is_busy = map { $_ => 1 } 429, 503, 504;

my $loads = 0;

# Start the clients; they run until finish().  Option count: how many, 8 unless given.
sub start
{
	my ($class, $service, %options) = @_;
	my $number = ++$loads;
	my $self = bless {
		service => $service,
		number  => $number,
		stop    => "$service->{directory}/load-$number-stop",
		patience => 60,
		%options,
	}, $class;

	for my $client (1 .. $options{count} // 8)
	{
		my $pid = fork // die "fork: $!";
		if ($pid == 0)
		{
			my $end = eval { $self->client($client); 1 };
			print STDERR "client $client: $@" unless $end;
			POSIX::_exit($end ? 0 : 1);
		}
		push @{ $self->{clients} }, { pid => $pid, file => $self->file($client) };
	}
	return $self;
}

sub file { my ($self, $client) = @_; return "$self->{service}{directory}/load-$self->{number}-$client" }

# End the clients, once the outcome of each write is known; what they did, added up.
sub finish
{
	my ($self) = @_;
	my %sum = (number => $self->{number}, tags => {}, status => {}, wrong => [], failed => [], longest => 0, lost => 0);

	open my $out, '>', $self->{stop} or die "$self->{stop}: $!";
	close $out;
	for my $client (@{ $self->{clients} })
	{
		waitpid $client->{pid}, 0;
		push @{ $sum{wrong} }, 'a client ended early' if $?;
		my $ledger = $json->decode(slurp($client->{file}) || '{}');
		%{ $sum{tags} } = (%{ $sum{tags} }, %{ $ledger->{tags} // {} });
		$sum{status}{$_} += $ledger->{status}{$_} for keys %{ $ledger->{status} // {} };
		push @{ $sum{$_} }, @{ $ledger->{$_} // [] } for qw(wrong failed);
		$sum{longest} = $ledger->{longest} if ($ledger->{longest} // 0) > $sum{longest};
		$sum{lost} += $ledger->{lost} // 0;
	}
	return \%sum;
}

sub client
{
	my ($self, $number) = @_;
	my $service = $self->{service};
	my $me = { %$self, service => bless({ %$service, headers => { %{ $service->{headers} } } }, ref $service),
		prefix => "load $self->{number} $number",
		tags => {}, live => [], status => {}, wrong => [], failed => [], longest => 0, lost => 0, serial => 0,
			good_at => time };

	srand($$);
	delete $me->{service}{socket};
	bless $me, ref $self;
	until (-e $self->{stop})
	{
		$choices[ rand @choices ]->($me);
		sleep rand 0.01;
	}
	open my $out, '>', $self->file($number) or die "the ledger: $!";
	print $out $json->encode({ map { $_ => $me->{$_} } qw(tags status wrong failed longest lost) });
	close $out or die "the ledger: $!";
	return;
}

# Send a request once; undef where there was no answer.
sub attempt
{
	my ($self, @request) = @_;
	my $reply = eval { $self->{service}->request(@request) };

	$self->{lost}++, return unless $reply;
	$self->{status}{ $reply->{status} }++;
	push @{ $self->{failed} }, $reply->{headers}{'x-request-id'} if $reply->{status} >= 500;
	push @{ $self->{wrong} }, "$request[0] $request[1]: $reply->{status} $reply->{body}"
		if $reply->{status} >= 500 && !$is_busy{ $reply->{status} };
	if ($reply->{status} < 500 && $reply->{status} != 429)
	{
		my $now = time;
		$self->{longest} = $now - $self->{good_at} if $now - $self->{good_at} > $self->{longest};
		$self->{good_at} = $now;
	}
	return $reply;
}

# Send a request until its outcome is known.
sub settle
{
	my ($self, @request) = @_;
	for (my $deadline = time + $self->{patience}; time < $deadline; sleep 0.05 + rand 0.1)
	{
		my $reply = $self->attempt(@request);
		return $reply if $reply && !$is_busy{ $reply->{status} } && !is_running($reply);
		delete $self->{service}{socket};
	}
	die "$request[0] $request[1]: its outcome is not known after $self->{patience} seconds\n";
}

# Whether an earlier attempt with the same key is still being executed.
sub is_running { my ($reply) = @_; return $reply->{status} == 409 && $reply->{body} =~ /still being executed/ }

sub expect
{
	my ($self, $reply, $pattern, $what) = @_;
	return 1 if $reply->{status} =~ $pattern;
	push @{ $self->{wrong} }, "$what: $reply->{status} $reply->{body}";
	return;
}

sub read_list { my ($self) = @_; $self->attempt('GET', '/tags?limit=5'); return }

# A tag that lives has its last acknowledged name.
sub read_item
{
	my ($self) = @_;
	my $id = $self->some // return;
	my $reply = $self->attempt('GET', "/tags/$id") // return;
	push @{ $self->{wrong} }, "GET /tags/$id: $reply->{status} $reply->{body}, not $self->{tags}{$id}{name}"
		unless $is_busy{ $reply->{status} } || $reply->{status} == 200
			&& $reply->{json}{data}{name} eq $self->{tags}{$id}{name};
	return;
}

sub some { my ($self) = @_; return $self->{live}[ rand @{ $self->{live} } ] }
sub name { my ($self) = @_; return "$self->{prefix} " . ++$self->{serial} }

sub create
{
	my ($self) = @_;
	my $name = $self->name;
	my $reply = $self->settle('POST', '/tags', { name => $name }, 'Idempotency-Key' => $name =~ tr{ }{-}r . "-$$");
	$self->expect($reply, qr/^201$/, "creation of $name") or return;
	my ($id) = $reply->{json}{links}{record} =~ m{([^/]+)$};
	$self->{tags}{$id} = { name => $name, updates => 0, deleted => 0 };
	push @{ $self->{live} }, $id;
	return;
}

sub update
{
	my ($self) = @_;
	my $id = $self->some // return;
	my $tag = $self->{tags}{$id};
	my $name = $self->name;
	my $before = $self->settle('GET', "/tags/$id");
	my $reply = $self->settle('PATCH', "/tags/$id", { name => $name }, 'If-Match' => $before->{headers}{etag});
	if ($reply->{status} == 412)
	{
		# an attempt without an answer was executed
		my $now = $self->settle('GET', "/tags/$id");
		push @{ $self->{wrong} }, "PATCH /tags/$id: 412, but its name is $now->{json}{data}{name}"
			unless $now->{json}{data}{name} eq $name;
	}
	else
	{
		$self->expect($reply, qr/^200$/, "update of $id") or return;
	}
	@$tag{qw(name updates)} = ($name, $tag->{updates} + 1);
	return;
}

sub delete_one
{
	my ($self) = @_;
	my $id = $self->some // return;
	my $reply = $self->settle('DELETE', "/tags/$id");
	# 404: an attempt without an answer was executed
	$self->expect($reply, qr/^(200|404)$/, "deletion of $id") or return;
	$self->{tags}{$id}{deleted} = 1;
	@{ $self->{live} } = grep { $_ ne $id } @{ $self->{live} };
	return;
}

1;
