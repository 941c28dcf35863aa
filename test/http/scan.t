#!/usr/bin/perl
# Uploads are held until a scanner has called them clean: a command, or clamd on a socket.

use strict;
use warnings;

use IO::Socket::UNIX ();
use Test::More;
use Catalogue::Test;
use Catalogue::Upload;
use Catalogue::Worker;

my $service = Catalogue::Test->start->as_admin;
my $uploads = Catalogue::Upload->new($service);
my $csv     = "a,b\n1,2\n";
my $bad     = "a,b\nharmful,2\n";
my $worker;

# Start a worker with a scanner, in the place of another.
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
	is($service->get("/files/$file->{id}/download")->{status}, 409, "$what: it is not given to anybody");
	is($service->get("/files/$file->{id}/contents")->{status}, 409, "$what: nor its contents");
	return;
}

$service->sql("ALTER DATABASE $service->{database} SET catalogue.hold_uploads = on");
$service->stop_shim;
$service->start_shim;

# nobody scans: it stays held
with_scanner('');
my $file = $uploads->file('waits.csv', $csv);
is($file->{parseState}, 'pending', 'a file waits for a scanner');
held($file, 'without a scanner');
is($worker->job('scan', $file->{id})->{state}, 'queued', 'which the job does too');

# a command: clean, harmful, broken
my $command = q(if bytes=$(cat) && [ "${bytes#*harmful}" = "$bytes" ]; then exit 0; else echo 'Test.Virus'; exit 1; fi);
with_scanner($command);
$file = $worker->wait_for_file($file->{id});
is($file->{parseState}, 'ready', 'a file that is clean is read') or diag($file->{parseReason});
is($service->get("/files/$file->{id}/download")->{body}, $csv, 'and given');
$file = $worker->wait_for_file($uploads->file('bad.csv', $bad)->{id});
is_deeply([ @$file{qw(parseState parseReason)} ], [ 'failed', 'the scanner has found Test.Virus' ], 'a harmful one is not, and says why');
held($file, 'a harmful file');
is($worker->job('scan', $file->{id})->{attempts}, 1, 'it is not looked at again');

# a large file that the command has seen enough of
with_scanner(q(head -c 10 > /dev/null; exit 1));
$file = $worker->wait_for_file($uploads->file('large.csv', $csv x 500_000)->{id});
is_deeply([ @$file{qw(parseState parseReason)} ], [ 'failed', 'the scanner has found something harmful' ], 'a command that finds something at the beginning need not read on');
with_scanner(q(head -c 10 > /dev/null; exit 0));
$file = $uploads->file('half.csv', $csv x 500_001);
$worker->wait_for('the attempt to fail', sub { $worker->job('scan', $file->{id})->{reason} });
is($worker->job('scan', $file->{id})->{reason}, 'the scanner gave no clear answer', 'but to be called clean all of it must have been seen');
held($file, 'a file that was half seen');

# what is no answer
for my $broken ('exit 2', '/nonexistent', 'kill -9 $$')
{
	with_scanner($broken);
	$file = $uploads->file('broken.csv', $csv);
	$worker->wait_for('the attempt to fail', sub { $worker->job('scan', $file->{id})->{reason} });
	is_deeply([ @{ $worker->job('scan', $file->{id}) }{qw(state reason)} ], [ 'queued', 'the scanner gave no clear answer' ], "\"$broken\" is no answer: it is tried again");
	held($file, 'meanwhile');
	$service->delete("/files/$file->{id}");
}

# it knows nothing of the database
my $seen = "$service->{directory}/seen";
with_scanner("cat > /dev/null; env > $seen");
$worker->wait_for_file($uploads->file('environment.csv', $csv)->{id});
unlike(Catalogue::Test::slurp($seen), qr/CATALOGUE|host=|port=/, 'the command has no settings of the worker');
like(Catalogue::Test::slurp($seen), qr/^PATH=/m, 'but a path');

# clamd, as its manual describes it
my $path   = "$service->{directory}/clamd";
my $socket = IO::Socket::UNIX->new(Local => $path, Listen => 5) // die "$path: $!";
chmod 0777, $path;
my $clamd = fork // die "fork: $!";
serve($socket) if $clamd == 0;
with_scanner("unix:$path");
$file = $worker->wait_for_file($uploads->file('clean.csv', $csv x 100_000)->{id});
is_deeply([ @$file{qw(parseState rowCount)} ], [ 'ready', 199_999 ], 'clamd calls it clean: the file is read') or diag($file->{parseReason});
$file = $worker->wait_for_file($uploads->file('worse.csv', $bad)->{id});
is_deeply([ @$file{qw(parseState parseReason)} ], [ 'failed', 'the scanner has found Test.Signature' ], 'clamd names what it found');
held($file, 'so');
$file = $uploads->file('toolarge.csv', "too large\n" . $csv x 500_000);
$worker->wait_for('the attempt to fail', sub { $worker->job('scan', $file->{id})->{reason} });
is($worker->job('scan', $file->{id})->{reason}, 'the scanner gave no clear answer', 'what clamd does not take is not called clean');
$service->delete("/files/$file->{id}");
kill 'KILL', $clamd;
waitpid $clamd, 0;
$file = $uploads->file('nobody.csv', $csv);
$worker->wait_for('the attempt to fail', sub { $worker->job('scan', $file->{id})->{reason} });
held($file, 'nobody listens');

# Answer as clamd does; it does not take what begins with "too large".
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
