#!/usr/bin/perl
# Uploads are withheld until a scanner has found them clean: a command, or clamd on a socket.

use strict;
use warnings;

use IO::Socket::UNIX ();
use Test::More;
use Catalogue::Program qw(slurp);
use Catalogue::Test;
use Catalogue::Upload;
use Catalogue::Worker;

my $service = Catalogue::Test->start->as_admin;
my $uploads = Catalogue::Upload->new($service);
my $csv     = "a,b\n1,2\n";
my $bad     = "a,b\nharmful,2\n";
my $worker;

# Replace the worker by one with the given scanner.
sub with_scanner
{
	my ($scanner) = @_;
	is($worker->stop, 0, 'the worker ends') if $worker;
	$worker = Catalogue::Worker->start($service, CATALOGUE_SCANNER => $scanner);
	return;
}

sub held
{
	my ($file, $what) = @_;
	is($service->get("/files/$file->{id}/download")->{status}, 409, "$what: its bytes are withheld");
	is($service->get("/files/$file->{id}/contents")->{status}, 409, "$what: its contents are withheld");
	return;
}

$service->sql("ALTER DATABASE $service->{database} SET catalogue.hold_uploads = on");
$service->stop_shim;
$service->start_shim;

# without a scanner the file is withheld
with_scanner('');
my $file = $uploads->file('waits.csv', $csv);
is($file->{parseState}, 'pending', 'a file is pending without a scanner');
held($file, 'without a scanner');
is($worker->job('scan', $file->{id})->{state}, 'queued', 'its job is queued');

# a command: its answers for clean and harmful files
my $command = q(if bytes=$(cat) && [ "${bytes#*harmful}" = "$bytes" ]; then exit 0; else echo 'Test.Virus'; exit 1; fi);
with_scanner($command);
$file = $worker->wait_for_file($file->{id});
is($file->{parseState}, 'ready', 'a clean file is parsed') or diag($file->{parseReason});
is($service->get("/files/$file->{id}/download")->{body}, $csv, 'a clean file can be downloaded');
$file = $worker->wait_for_file($uploads->file('bad.csv', $bad)->{id});
is_deeply([ @$file{qw(parseState parseReason)} ], [ 'failed', 'the scanner has found Test.Virus' ],
	'a harmful file fails with the reason');
held($file, 'a harmful file');
is($worker->job('scan', $file->{id})->{attempts}, 1, 'a harmful file is not scanned again');

# a command that does not read all of a large file
with_scanner(q(head -c 10 > /dev/null; exit 1));
$file = $worker->wait_for_file($uploads->file('large.csv', $csv x 500_000)->{id});
is_deeply([ @$file{qw(parseState parseReason)} ], [ 'failed', 'the scanner has found something harmful' ],
	'a harmful file need not be read to its end');
with_scanner(q(head -c 10 > /dev/null; exit 0));
$file = $uploads->file('half.csv', $csv x 500_001);
$worker->wait_for('the attempt to fail', sub { $worker->job('scan', $file->{id})->{reason} });
is($worker->job('scan', $file->{id})->{reason}, 'the scanner gave no valid answer',
	'a clean file must be read to its end');
held($file, 'a file that was not read to its end');

# commands that give no valid answer
for my $broken ('exit 2', '/nonexistent', 'kill -9 $$')
{
	with_scanner($broken);
	$file = $uploads->file('broken.csv', $csv);
	$worker->wait_for('the attempt to fail', sub { $worker->job('scan', $file->{id})->{reason} });
	is_deeply([ @{ $worker->job('scan', $file->{id}) }{qw(state reason)} ],
		[ 'queued', 'the scanner gave no valid answer' ], "\"$broken\" is not a valid answer: the job is queued again");
	held($file, 'meanwhile');
	$service->delete("/files/$file->{id}");
}

# the environment of the command
my $seen = "$service->{directory}/seen";
# jobs of earlier files are tried again meanwhile
with_scanner("cat > /dev/null; env >> $seen");
$worker->wait_for_file($uploads->file('environment.csv', $csv)->{id});
unlike(slurp($seen), qr/CATALOGUE|host=|port=/, 'the command has no settings of the worker');
like(slurp($seen), qr/^PATH=/m, 'the command has a PATH');

# clamd, with the protocol of its manual
my $path   = "$service->{directory}/clamd";
my $socket = IO::Socket::UNIX->new(Local => $path, Listen => 5) // die "$path: $!";
chmod 0777, $path;
my $clamd = fork // die "fork: $!";
serve($socket) if $clamd == 0;
with_scanner("unix:$path");
$file = $worker->wait_for_file($uploads->file('clean.csv', $csv x 100_000)->{id});
is_deeply([ @$file{qw(parseState rowCount)} ], [ 'ready', 199_999 ], 'a file that clamd finds clean is parsed')
	or diag($file->{parseReason});
$file = $worker->wait_for_file($uploads->file('worse.csv', $bad)->{id});
is_deeply([ @$file{qw(parseState parseReason)} ], [ 'failed', 'the scanner has found Test.Signature' ],
	'a file that clamd finds harmful fails with the name');
held($file, 'a file that clamd finds harmful');
$file = $uploads->file('toolarge.csv', "too large\n" . $csv x 500_000);
$worker->wait_for('the attempt to fail', sub { $worker->job('scan', $file->{id})->{reason} });
is($worker->job('scan', $file->{id})->{reason}, 'the scanner gave no valid answer',
	'a file that clamd does not accept is not clean');
$service->delete("/files/$file->{id}");
kill 'KILL', $clamd;
waitpid $clamd, 0;
$file = $uploads->file('nobody.csv', $csv);
$worker->wait_for('the attempt to fail', sub { $worker->job('scan', $file->{id})->{reason} });
held($file, 'no clamd on the socket');

# Answer as clamd does; it refuses files that begin with "too large".
sub serve
{
	my ($listener) = @_;
	while (my $client = $listener->accept)
	{
		read $client, my $command, 10;
		my ($bytes, $head) = ('');
		while ($command eq "zINSTREAM\0" && read($client, $head, 4) == 4 && (my $length = unpack 'N', $head))
		{
			read $client, $bytes, $length, length $bytes;
			last if $bytes =~ /^too large/;
		}
		print $client $bytes =~ /^too large/ ? "INSTREAM size limit exceeded. ERROR\0"
			: $bytes =~ /harmful/ ? "stream: Test.Signature FOUND\0" : "stream: OK\0";
		close $client;
	}
	POSIX::_exit(0);
}

$worker->finish;
$service->is_sound;
$service->finish;
