package Catalogue::Outsiders;

# Clients that read without a user while faults happen, which standbys answer: no answer may fail.  Each has a tag and
# changes its name as a user.  The user then sees the new name at once, and so does whoever names the version, the page
# or the entity tag that there is then; what names nothing may be older, by the lag that is allowed.

use strict;
use warnings;

use parent 'Catalogue::Load';

use Catalogue::Client qw($json);
use Catalogue::Program qw(slurp);
use POSIX ();
use Time::HiRes qw(sleep time);

my %outsider = (Authorization => undef);
my @paths    = ('/tags?limit=20', '/tags/count', '/datasets?limit=2', '/rss', '/search?query=water');

# Start the clients; options primary, a shim that does not read at standbys, count, and late: how many seconds what is
# read may be old.
sub start
{
	my ($class, $service, %options) = @_;
	return $class->SUPER::start($service, count => 3, late => 8, begun => time, %options);
}

sub file { my ($self, $client) = @_; return "$self->{service}{directory}/outsiders-$self->{number}-$client" }

# What a client has done, and all of them together: how many reads there were, how many of a state that was named, and
# how many were older than the last write; the seconds of the longest read, and of the oldest content; when there were
# reads, and when a state that was named was not there; what is wrong.
sub nothing_done
{
	return (reads => 0, named => 0, older => 0, longest => 0, oldest => 0, at => [], early => [], wrong => []);
}

# End the clients; what they did, added up.
sub finish
{
	my ($self) = @_;
	my %sum = nothing_done();
	open my $out, '>', $self->{stop} or die "$self->{stop}: $!";
	close $out;
	for my $client (@{ $self->{clients} })
	{
		waitpid $client->{pid}, 0;
		push @{ $sum{wrong} }, 'a client ended early' if $?;
		my $did = { nothing_done(), %{ $json->decode(slurp($client->{file}) || '{}') } };
		$sum{$_} += $did->{$_} for qw(reads named older);
		push @{ $sum{$_} }, @{ $did->{$_} } for qw(at early wrong);
		for (qw(longest oldest)) { $sum{$_} = $did->{$_} if $did->{$_} > $sum{$_} }
	}
	return \%sum;
}

sub client
{
	my ($self, $number) = @_;
	my $me = bless { %$self, nothing_done(), prefix => "outsider $self->{number} $number", pending => [] }, ref $self;

	srand($$);
	# connections of its own
	$me->{$_} = bless { %{ $self->{$_} }, socket => undef }, ref $self->{$_} for qw(service primary);
	my $parent = getppid;
	until (-e $self->{stop} || getppid != $parent)
	{
		$me->read($paths[ rand @paths ]) for 1 .. 5;
		$me->look;
		$me->write unless @{ $me->{pending} } > 20;
		sleep rand 0.02;
	}
	my %done = nothing_done();
	open my $out, '>', $self->file($number) or die "the ledger: $!";
	print {$out} $json->encode({ map { $_ => $me->{$_} } keys %done });
	close $out or die "the ledger: $!";
	return;
}

sub is_wrong
{
	my ($self, $what) = @_;
	push @{ $self->{wrong} }, sprintf 'after %.2f s: %s', time - $self->{begun}, $what;
	return;
}

# Read as an outsider what names nothing: it is always answered.
sub read
{
	my ($self, $path) = @_;
	my $begun = time;
	my $reply = eval { $self->{service}->get($path, %outsider) } // { status => 0, body => $@ };
	my $took  = time - $begun;
	$self->{reads}++;
	$self->{longest} = $took if $took > $self->{longest};
	push @{ $self->{at} }, time;
	$self->is_wrong(sprintf '%s after %.2f s: %s %s', $path, $took, @$reply{qw(status body)})
		unless $reply->{status} =~ /^20[06]$/;
	return $reply;
}

# Look for the oldest name that has not been seen yet: it is there as late as a standby may be, at most.
sub look
{
	my ($self) = @_;
	my $oldest = $self->{pending}[0] // return;
	my $reply  = $self->read("/tags/$oldest->{id}");
	my $age    = time - $oldest->{at};
	my ($serial) = ($reply->{json}{data}{name} // '') =~ /(\d+)$/;
	return unless defined $serial && $reply->{status} == 200;
	$self->{older}++ if $serial < $oldest->{serial};
	$self->{oldest} = $age if $serial < $oldest->{serial} && $age > $self->{oldest};
	$self->is_wrong(sprintf 'a name is not there after %.2f s', $age)
		if $serial < $oldest->{serial} && $age > $self->{late};
	shift @{ $self->{pending} } while @{ $self->{pending} } && $self->{pending}[0]{serial} <= $serial;
	return;
}

# Change the tag as a user, and have an outsider read what names the answer.
sub write
{
	my ($self) = @_;
	my $name   = $self->name;
	my $made   = defined $self->{tag};
	my $reply  = eval { $self->{service}->request($made ? ('PATCH', "/tags/$self->{tag}") : ('POST', '/tags'),
		{ name => $name }, $made ? () : ('Idempotency-Key' => "$$-$name" =~ tr/ /-/r)) } // return;
	return $self->outcome($reply, $name) unless $reply->{status} =~ /^20[01]$/;
	($self->{tag}) = $reply->{json}{links}{record} =~ m{([^/]+)$} unless $made;
	push @{ $self->{pending} }, { id => $self->{tag}, serial => $self->{serial}, at => time };
	my $record = "/tags/$self->{tag}";
	my %host   = (Host => $self->{service}{base} =~ s{^http://}{}r);
	my @own    = ([ $self->{service}, $record ], [ $self->{service}, '/tags?limit=1' ],
		[ $self->{primary}, $record, %outsider, %host ]);
	for my $own (@own)
	{
		my ($at, @request) = @$own;
		$own = eval { $at->get(@request) } // return;
		return $self->outcome($own, $name) unless $own->{status} =~ /^20[06]$/;
	}
	$self->has($own[0], $name, 'read of the user') or return;
	my $list = $own[1]{json};
	return $self->name_states($name, { etag => $own[2]{headers}{etag}, version => $list->{meta}{version},
		next => $list->{links}{next} =~ s{^.*?(?=/tags)}{}r });
}

# A write or a read of a user that was not answered is busy.
sub outcome
{
	my ($self, $reply, $name) = @_;
	$self->is_wrong("$name: $reply->{status} $reply->{body}") unless $reply->{status} =~ /^(503|504)$/;
	return;
}

# Does a reply, a record or a list, have a name?
sub has
{
	my ($self, $reply, $name, $what) = @_;
	my $data  = $reply->{json}{data};
	my $found = join ', ', map { $_->{name} } ref $data eq 'ARRAY' ? @$data : $data;
	$self->is_wrong("$what: \"$found\" in place of \"$name\"") unless $found eq $name;
	return $found eq $name;
}

# Read what names a state that a server has told; it may be refused while there is no primary.
sub named
{
	my ($self, $path, %headers) = @_;
	my $reply = eval { $self->{service}->get($path, %outsider, %headers) } // { status => 0, body => $@ };
	$self->{named}++;
	push @{ $self->{early} }, time if $reply->{status} == 503;
	$self->is_wrong("$path: $reply->{status} $reply->{body}") unless $reply->{status} =~ /^(20[06]|304|503)$/;
	return $reply;
}

# Name the version and the page that a user got after his write, and the entity tag that outsiders have for it.
sub name_states
{
	my ($self, $name, $own) = @_;
	my $reply = $self->named('/tags?limit=1&name=' . $name =~ s/ /%20/gr . "&version=$own->{version}");
	$self->has($reply, $name, 'version') if $reply->{status} == 200;

	# without a primary it is another state that is not known to be older
	$reply = $self->named("/tags/$self->{tag}", 'If-None-Match' => $own->{etag});
	push @{ $self->{early} }, time if $reply->{status} == 200 && $reply->{json}{data}{name} ne $name;

	$reply = $self->named($own->{next});
	$self->is_wrong("page: not of $own->{version}, but of $reply->{json}{meta}{version}")
		if $reply->{status} == 206 && $reply->{json}{meta}{version} ne $own->{version};
	return;
}

1;
