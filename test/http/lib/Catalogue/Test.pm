package Catalogue::Test;

# The service under test: a copy of the template database, and a shim on a free port.
# .ci/check makes the server and the template, and names them in the environment.

use strict;
use warnings;

use Fcntl ();
use File::Copy ();
use File::Path ();
use Catalogue::Session ();
use Catalogue::Traffic ();
use IO::Select ();
use IO::Socket::INET ();
use Cpanel::JSON::XS ();
use POSIX ':sys_wait_h';
use Socket ();
use Test::More ();
use Time::HiRes qw(sleep time);

our $json = Cpanel::JSON::XS->new->utf8->canonical->allow_nonref;

my %running;      # pid of each shim => the service
my %unfinished;   # name of each service that end_service() has not ended => the service
my @shared;       # services that this file shares with others
my $died = 0;     # exit status of a file that ended early
my $count = 0;

sub needed
{
	my ($name) = @_;
	return $ENV{$name} // die "$name is not set: run \"make check TESTS=http\"\n";
}

# Start a service that is not private; the arguments are settings of the shim (CATALOGUE_... => value), or
# cluster => 'private' for a separate PostgreSQL server, which cluster() can restart.
sub start
{
	my ($class, %settings) = @_;
	my $name = sprintf 'http_%d_%d', $$, ++$count;
	my $self = bless {
		name      => $name,
		database  => $name,
		directory => needed('CATALOGUE_TEST_DIRECTORY') . "/$name",
		secret    => 'a secret of the tests, at least 32 bytes',
		headers   => {},
	}, $class;

	$self->{owner} = $$;
	$unfinished{$name} = $self;
	mkdir $self->{directory} or die "$self->{directory}: $!";
	chown((getpwnam 'postgres')[2, 3], $self->{directory}) if $> == 0;
	if (delete $settings{cluster})
	{
		$self->{var} = "$self->{directory}/cluster";
		$self->cluster('start');
		my %server = $self->cluster('env') =~ /(PG\w+)=(\S+)/g;
		$self->{server} = \%server;
		$self->{database} = 'catalogue';
		$self->command({ %server }, '.ci/database', 'catalogue');
	}
	else
	{
		$self->{server} = { map { $_ => needed($_) } qw(PGHOST PGPORT PGUSER) };
		$self->sql("CREATE DATABASE $name TEMPLATE catalogue_template STRATEGY FILE_COPY", 'postgres');
		# schedules are expected from now on, not since the template was made
		$self->sql('UPDATE catalogue.upkeep SET since = now()');
	}
	$self->{settings} = {
		CATALOGUE_DATABASE => "host=$self->{server}{PGHOST} port=$self->{server}{PGPORT}"
			. " user=catalogue_shim dbname=$self->{database}",
		CATALOGUE_TOKEN_SECRET  => $self->{secret},
		CATALOGUE_LOG_DIRECTORY => "$self->{directory}/logs",
		CATALOGUE_ENVIRONMENT   => 'test',
		CATALOGUE_THREADS       => 1,                    # two in the shared services, and in tests of what threads share
		CATALOGUE_POOL          => 2,                    # each connection takes as much time as a small test
		CATALOGUE_SHARED_CONNECTIONS => 1,
		CATALOGUE_PRIVATE       => 'off',
		# Limits that no machine reaches; a test that is about one of them sets it.
		CATALOGUE_CALL_TIMEOUT    => '60s',
		CATALOGUE_QUEUE_TIMEOUT   => '60s',
		CATALOGUE_HEADER_TIMEOUT  => '60s',
		CATALOGUE_REQUEST_TIMEOUT => '180s',
		CATALOGUE_IDLE_TIMEOUT    => '10m',
		CATALOGUE_TEST_CLOCK      => "$self->{directory}/clock",
		ASAN_OPTIONS            => 'detect_leaks=1:exitcode=99',
		UBSAN_OPTIONS           => 'print_stacktrace=1:halt_on_error=1:exitcode=99',
		%settings,
	};
	$self->pass(0);
	$self->start_shim;
	return $self;
}

# Let seconds pass on the clock by which the shim and its workers keep their limits (not on that of PostgreSQL).  A thread
# that waits sees it at its next look: a tenth of a second later in the shim, a second in the worker.
sub pass
{
	my ($self, $seconds) = @_;
	$self->{ahead} += $seconds * 1000;
	sysopen my $out, "$self->{directory}/clock", Fcntl::O_WRONLY | Fcntl::O_CREAT or die "$self->{directory}/clock: $!";
	syswrite $out, pack 'q', $self->{ahead};
	close $out;
	return;
}

# Let connections to the database end, all those of the shim or of a condition, and wait until they have.
sub end_connections
{
	my ($self, $which) = @_;
	$which //= "application_name = 'catalogue-shim'";
	my $pids = join ',', map { /^(\d+)/ } $self->sql("SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '$self->{database}' AND $which", 'postgres');
	wait_until('the connections have ended', sub { !$pids || $self->sql("SELECT count(*) FROM pg_stat_activity WHERE pid IN ($pids)", 'postgres') == 0 });
	return;
}

# A service that files of the run share: without a kind one that this file has for itself until it ends, of the kind
# 'private' one that it only reads.  docs/contributing.md says what a file may do with it.  A file that .ci/prove has not
# started gets a service of its own.
sub shared
{
	my ($class, $kind) = @_;
	return $class->start($kind ? (CATALOGUE_PRIVATE => 'on') : ()) unless $ENV{SHARED_SERVICES};
	require Catalogue::Shared;
	push @shared, my $self = Catalogue::Shared::take($class, $kind // 'plain');
	return $self;
}

# Start the shim and wait until it answers; another program can take the port that was free, then another is tried.
sub start_shim
{
	my ($self, $attempt) = @_;

	$self->{port} = $self->{settings}{CATALOGUE_PORT} // IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.1')->sockport;
	$self->{base} = "http://127.0.0.1:$self->{port}";
	my $before = length $self->output;
	my $pid = fork // die "fork: $!";
	if ($pid == 0)
	{
		local %ENV = (%ENV, %{ $self->{settings} }, CATALOGUE_PORT => $self->{port});
		delete @ENV{ grep { /^PG/ || !defined $ENV{$_} } keys %ENV };
		my @become = $> == 0 ? qw(setpriv --reuid=postgres --regid=postgres --clear-groups) : ();
		open STDIN,  '<',  '/dev/null';
		open STDOUT, '>>', "$self->{directory}/output";
		open STDERR, '>&', \*STDOUT;
		exec @become, needed('CATALOGUE_SHIM') or POSIX::_exit(127);
	}
	$self->{pid} = $pid;
	$running{$pid} = $self;

	my $state = poll(120, sub {
		# an answer may be that of another shim which has taken the port in between
		return 'up' if substr($self->output, $before) =~ /listening on/ && eval { $self->get('/health')->{status} == 200 };
		return waitpid($pid, WNOHANG) == $pid && 'ended';
	}) // '';
	return if $state eq 'up';
	delete $running{$pid} and delete $self->{pid} if $state eq 'ended';
	die "the shim does not start:\n" . $self->output if ($attempt // 1) >= 5 || $self->output !~ /Address already in use\s*\z/;
	return $self->start_shim(($attempt // 1) + 1);
}

# Wait until the shim has accepted all connections and has read what was sent over them.  With one thread, it has then
# handled that as well.
sub until_read
{
	my ($self) = @_;
	my $local = sprintf '0100007F:%04X', $self->{port};

	# the second number is that of bytes that are not read, of a socket that listens that of connections not accepted
	wait_until('all is read', sub { !grep { /^\s*\d+: $local \S+ \w\w \w+:(?!0{8})/ } split /\n/, slurp('/proc/net/tcp') });
	# a path without a route is answered at once
	$self->raw("GET /a/b/c/d/e/f HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
	return;
}

# What the shim wrote on its standard output and error.
sub output
{
	my ($self) = @_;
	return slurp("$self->{directory}/output");
}

# The events of the log file, decoded; of a shared service those since this file has it.
sub log
{
	my ($self) = @_;
	return map { $json->decode($_) } split /\n/, substr slurp("$self->{directory}/logs/test.log"), $self->{log_begin} // 0;
}

# One of each kind in the core, all in make check-full; the function names the kind of an element.
sub one_of_each
{
	my ($kind, @all) = @_;
	my %seen;
	return $ENV{CATALOGUE_WALKS} ? @all : grep { !$seen{ $kind->($_) }++ } @all;
}

# Call a function until it returns a true value, and return that; nothing after so many seconds.  The pauses between
# calls grow with the time, so that neither is much more than what is waited for.
sub poll
{
	my ($seconds, $is_so) = @_;
	my $begun = time;
	while (1)
	{
		my $found  = $is_so->();
		my $waited = time - $begun;
		return $found if $found;
		return if $waited > $seconds;
		sleep($waited < 0.01 ? 0.001 : $waited > 0.5 ? 0.05 : $waited / 10);
	}
}

# Wait for a condition, for a minute at most; dies when it does not become true.
sub wait_until
{
	my ($what, $holds) = @_;
	poll(60, $holds) or die "$what: not within a minute\n";
	return;
}

sub slurp
{
	my ($file) = @_;
	open my $in, '<:raw', $file or return '';
	local $/;
	return scalar <$in>;
}

# Run a command of the project with a changed environment; dies when it fails.
sub command
{
	my ($self, $environment, @command) = @_;
	local %ENV = (%ENV, %$environment);
	open my $out, '-|', @command or die "$command[0]: $!";
	my $text = do { local $/; <$out> };
	close $out or die "@command: exit status " . ($? >> 8) . "\n";
	return $text // '';
}

# Run a command to its end, whatever that is; return what it printed, errors among it, and its exit status.
sub run_to_end
{
	my (@command) = @_;
	my $pid = open(my $out, '-|') // die "fork: $!";
	if (!$pid)
	{
		open STDERR, '>&', \*STDOUT;
		exec @command or POSIX::_exit(127);
	}
	my $text = do { local $/; <$out> };
	close $out;
	return ($text // '', $? >> 8);
}

# Run .ci/cluster on the cluster of the service, which is private or that of all tests: start, stop, restart, env, log.
sub cluster
{
	my ($self, @command) = @_;
	return $self->command($self->{var} ? { CATALOGUE_VAR => $self->{var}, CATALOGUE_VOLATILE => '' } : {}, '.ci/cluster', @command);
}

# Run SQL as superuser; return the rows of the last statement, each as its columns joined by "|".  One session of each
# database of each server stays open; what a call has set in it ends with the call.
sub sql
{
	my ($self, $statement, $database) = @_;
	my $session = \$self->{sessions}{"$self->{server}{PGPORT} " . ($database // $self->{database})};
	undef $$session unless $$session && $$session->is_open;
	$$session //= Catalogue::Session->new($self, $database);
	my @rows = eval { $$session->run($statement) };
	if (my $error = $@)
	{
		undef $$session; # a transaction may be open in it
		die $error;
	}
	$$session->run('DISCARD ALL');
	# settings of a database, a role and the server hold in sessions that begin after it
	$self->{sessions} = {} if $statement =~ /^ALTER (?:DATABASE|ROLE|SYSTEM)/;
	return wantarray ? @rows : join "\n", @rows;
}

# Test that catalogue.check_all() finds no inconsistency in the database.
sub is_sound
{
	my ($self, $name, $database) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my @found = $self->sql('SELECT * FROM catalogue.check_all()', $database);
	return Test::More::is(scalar @found, 0, $name // 'catalogue.check_all() finds nothing') || Test::More::diag(join "\n", 'check_all() has found:', @found);
}

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

# True while the end of a reply is missing, as its head tells: a long one is not parsed anew for each piece that arrives.
sub is_cut
{
	my ($text) = @_;
	my $end = index $$text, "\r\n\r\n";
	return 1 if $end < 0;
	my $head = substr $$text, 0, $end;
	return substr($$text, -5) ne "0\r\n\r\n" if $head =~ /^Transfer-Encoding: *chunked/mi;
	return $head =~ /^Content-Length: *(\d+)/mi && length $$text < $end + 4 + $1;
}

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

# End the shim with SIGTERM; return its exit status, undef when it had to be killed.
sub stop_shim
{
	my ($self, $signal) = @_;
	my $pid = delete $self->{pid} // return;

	delete $self->{socket};
	delete $running{$pid};
	return $self->{status} = end_process($pid, $signal, 120);
}

# End a process that was started here; return its exit status, undef when it had to be killed after so many seconds.
sub end_process
{
	my ($pid, $signal, $seconds) = @_;

	kill $signal // 'TERM', $pid;
	return $? if poll($seconds, sub { waitpid($pid, WNOHANG) == $pid });
	kill 'KILL', $pid;
	waitpid $pid, 0;
	return;
}

# End a service, whose shim may have ended already: it ends cleanly, and no sanitizer reported an error.  One that is
# shared is ended by who started it.
sub end_service
{
	my ($self) = @_;
	return if $self->{shared};
	$self->stop_shim;
	Test::More::is($self->{status}, 0, 'on SIGTERM the shim ends with status 0');
	Test::More::unlike($self->output, qr/Sanitizer|runtime error:/, 'no sanitizer reported an error in the shim');
	delete $unfinished{ $self->{name} };
	$self->clean;
	return;
}

# The last test of a file: the end of its service.
sub finish
{
	my ($self) = @_;
	$self->end_service;
	Test::More::done_testing();
	return;
}

# When a test of the file has failed: keep what the programs and the database of the service wrote.
sub keep
{
	my ($self) = @_;
	my $kept = $ENV{KEPT_OUTPUT} // return;
	return if !-d $self->{directory} || Test::More->builder->is_passing && $died == 0;
	File::Path::make_path($kept);
	for my $file (grep {-f} glob "$self->{directory}/{output,worker,logs/*.log}")
	{
		File::Copy::copy($file, "$kept/$self->{name}-" . $file =~ s{.*/}{}r);
	}
	open my $out, '>', "$kept/$self->{name}-postgresql.log" or die "$kept: $!";
	print $out eval { $self->cluster('log', $self->{database}) } // $@;
	close $out;
	return;
}

sub clean
{
	my ($self) = @_;
	$self->keep;
	return if $self->{shared};
	if ($self->{var})
	{
		eval { $self->cluster('stop') };
	}
	else
	{
		# what DROP DATABASE has to end itself, it waits for by tenths of a second
		eval { $self->end_connections('true') };
		system('.ci/calls', $self->{database}) if $ENV{FUNCTION_CALLS};
		eval { $self->sql("DROP DATABASE IF EXISTS $self->{database} WITH (FORCE)", 'postgres') };
	}
	File::Path::remove_tree($self->{directory});
	return;
}

END
{
	my $status = $died = $?;
	$_->keep for @shared;
	for my $self (values %running)
	{
		Test::More::diag($self->output) if length $self->output;
		$self->stop_shim('KILL');
		$self->clean;
	}
	# otherwise the exit status, leaks and reports of sanitizers would not be tested
	for my $self (grep { $_->{owner} == $$ } values %unfinished)
	{
		Test::More::diag("service $self->{name} was not finished");
		$self->clean;
		$status ||= 1;
	}
	$? = $status;
}

1;
