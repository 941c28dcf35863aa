package Catalogue::RemoteService;

# Remote services of a service under test: a server whose answers a test sets, and records that use it.

use strict;
use warnings;

use Catalogue::Definition;
use Catalogue::Program qw(slurp);
use Catalogue::Remote;
use Catalogue::Worker;
use Cpanel::JSON::XS ();
use Test::More ();
use Time::HiRes qw(sleep);

# Settings that the service has to be started with.
sub settings
{
	return (CATALOGUE_FETCH_ALLOWED_ADDRESSES => '127.0.0.2/32', CATALOGUE_FETCH_TIMEOUT => '1s',
		CATALOGUE_FETCH_LIMIT => 200_000);
}

# Start the server, and a worker, which may have further settings.  The server is another process, so what it answers is
# in files: answer-<last word of the path, with the query or for any query>.
sub start
{
	my ($class, $service, %settings) = @_;
	my $self = bless { service => $service, place => $service->{directory},
		definition => Catalogue::Definition->new($service) }, $class;

	$self->{remote} = Catalogue::Remote->start(address => '127.0.0.2', answer => sub { $self->answer(@_) });
	$self->{worker} = Catalogue::Worker->start($service, %settings);
	return $self;
}

sub answer
{
	my ($self, $socket, $request) = @_;
	my ($file) = grep { -e } map { "$self->{place}/answer-" . s{.*/}{}r } @$request{qw(target path)};
	my $answer = $file ? Cpanel::JSON::XS->new->allow_nonref->decode(slurp($file)) : { status => 404 };
	my %sent = %{ $request->{headers} };

	return Catalogue::Remote::reply($socket, 304, {}, '')
		if defined $answer->{etag} && ($sent{'if-none-match'} // '') eq $answer->{etag};
	return Catalogue::Remote::reply($socket, 304, {}, '')
		if defined $answer->{modified} && ($sent{'if-modified-since'} // '') eq $answer->{modified};
	print $socket "HTTP/1.1 200 OK\r\n\r\n[" if $answer->{slow} || $answer->{huge};
	while ($answer->{slow} && print $socket ' ') { sleep 1 }
	while ($answer->{huge} && print $socket '1,' x 10_000) { }
	Catalogue::Remote::reply($socket, $answer->{status} // 200, { %{ $answer->{headers} // {} },
		(defined $answer->{etag} ? (ETag => $answer->{etag}) : ()),
			(defined $answer->{modified} ? ('Last-Modified' => $answer->{modified}) : ()) }, $answer->{body} // '');
	return;
}

# Set what a path answers: status, headers, etag, modified, body; slow or huge.  A body of JSON is text, others are
# bytes.
sub set
{
	my ($self, $name, %answer) = @_;

	utf8::encode($answer{body}) if defined $answer{body} && ($answer{headers}{'Content-Type'} // '') =~ /json/;
	open my $out, '>', "$self->{place}/answer-$name.new" or die "$self->{place}: $!";
	print $out Cpanel::JSON::XS->new->allow_nonref->ascii->encode(\%answer);
	close $out;
	rename "$self->{place}/answer-$name.new", "$self->{place}/answer-$name" or die "$self->{place}: $!";
	return;
}

# A file without rows.
sub new_file { my ($self, @more) = @_; return $self->{definition}->create('files', @more) }

# Create a service for a file; return its id.
sub serve
{
	my ($self, $kind, $file, $path, %more) = @_;
	my $reply = $self->{service}->post("/${kind}services", { url => $self->{remote}->url("/$path"), parameters => {},
		file => $file, $kind eq 'soap' ? (method => 'List', namespace => 'urn:test') : (), %more });

	Test::More::is($reply->{status}, 201, "a $kind service for $path") or Test::More::diag($reply->{body});
	return $reply->{headers}{location} =~ s{.*/}{}r;
}

# The newest fetches of a file, when there are so many of them.
sub fetches
{
	my ($self, $file, $count) = @_;
	return @{ $self->{worker}->wait_for("fetch $count of a file", sub {
		my $list = $self->{service}->get("/files/$file/fetches")->{json}{data};
		@$list >= $count && $list;
	}) // [] };
}

sub file { my ($self, $id) = @_; return $self->{service}->get("/files/$id")->{json}{data} }

# The rows of a file as text.
sub rows
{
	my ($self, $file) = @_;
	return join '; ', map {
		my $row = $_;
		join ',', map { "$_=" . ($row->{$_} // 'null') } grep { $_ ne '_id' } sort keys %$row
	} @{ $self->{service}->get("/files/$file/contents")->{json}{data} };
}

sub last_request { my ($self, $path) = @_; return (grep { ($_->{path} // '') eq $path } $self->{remote}->requests)[-1] }

# The rows that a new service brings, or why it brings none, be it that the fetch is tried again.
sub outcome
{
	my ($self, $kind, $name, $answer, %more) = @_;
	my $file = $self->new_file;

	$self->set($name, %$answer);
	$self->serve($kind, $file, $name, %more);
	my $job = $self->{worker}->wait_for('an attempt', sub {
		my $found = $self->{worker}->job('fetch', $file);
		$found && ($found->{state} eq 'done' || $found->{reason}) && $found;
	}, 0.03);
	return $job->{state} eq 'done' ? $self->rows($file) : $job->{reason};
}

# End worker and server.
sub stop
{
	my ($self) = @_;
	$self->{worker}->finish;
	$self->{remote}->stop;
	return;
}

1;
