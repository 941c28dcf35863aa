#!/usr/bin/perl
# Uploads whose connections break at random bytes and which are resumed at once: the server may still be reading the
# bytes of the broken connection when the next request comes.  No upload is lost, and each file has all bytes.

use strict;
use warnings;

use Test::More;
use Catalogue::Clock qw(wait_until);
use Catalogue::Program qw(slurp);
use Catalogue::Test;
use Catalogue::Upload;
use Digest::SHA qw(sha256_hex);

use constant { UPLOADS => $ENV{CATALOGUE_WALKS} ? 120 : 30, BREAKS => 2 };

my $service = Catalogue::Test->start(CATALOGUE_REQUEST_TIMEOUT => '1h')->as_admin;
my $uploads = Catalogue::Upload->new($service);
my @partial = ('Content-Type' => 'application/partial-upload');
my $text    = join '', map { "$_,some text\n" } 1 .. 50_000;
srand 42;

sub path { return $_[0]{headers}{location} =~ s/^\Q$service->{base}\E//r }

sub begin
{
	my (%headers) = @_;
	my $reply = $service->post('/files?' . $uploads->words, '', 'Content-Type' => 'application/octet-stream',
		'Upload-Complete' => '?0',
		'Content-Disposition' => 'attachment; filename="a.csv"', %headers);
	die "begin: $reply->{status} $reply->{body}\n" if $reply->{status} != 201;
	return path($reply);
}

# Send the head of a request that announces all bytes from an offset, and only some of them.
sub break_off
{
	my ($path, $bytes, $offset, $sent) = @_;
	my $socket = $service->connection;
	syswrite $socket,
		"PATCH $path HTTP/1.1\r\nHost: 127.0.0.1:$service->{port}\r\nAuthorization: $service->{headers}{Authorization}\r\n"
		. "Content-Type: application/partial-upload\r\nUpload-Offset: $offset\r\nUpload-Complete: ?1\r\nContent-Length: "
			. (length($bytes) - $offset) . "\r\n\r\n"
		. substr $bytes, $offset, $sent;
	return close $socket;
}

# Upload bytes with broken connections; return what went wrong, or the digest of the file.
sub upload
{
	my ($bytes) = @_;
	my $path = begin();
	for my $break (0 .. BREAKS)
	{
		my $state = $service->head($path);
		return "HEAD $state->{status}" if $state->{status} != 204;
		my $offset = $state->{headers}{'upload-offset'};
		if ($break < BREAKS)
		{
			break_off($path, $bytes, $offset, int rand length($bytes) - $offset);
			next;
		}
		my $reply = $service->patch($path, substr($bytes, $offset), @partial, 'Upload-Offset' => $offset,
			'Upload-Complete' => '?1');
		return "PATCH at $offset: $reply->{status} " . ($reply->{headers}{'upload-offset'} // '-') if $reply->{status} != 201;
		return sha256_hex($service->get(path($reply) . '/download')->{body});
	}
	return;
}

# an offset that HEAD has told is accepted, whatever arrives after it
my %fates;
for my $number (1 .. UPLOADS)
{
	my $bytes = "$number\n" . substr $text, 0, 270_000 + int rand 300_000;
	my $fate = upload($bytes);
	$fates{ $fate eq sha256_hex($bytes) ? 'whole' : $fate }++;
}
is_deeply(\%fates, { whole => UPLOADS }, 'every upload is a file with all bytes');

# the shim closes each connection whose client has closed it, although it was writing when the end of the stream came
my $local = sprintf '0100007F:%04X', $service->{port};
wait_until('no connection stays in CLOSE_WAIT',
	sub { !grep { /^\s*\d+: $local \S+ 08/ } split /\n/, slurp('/proc/net/tcp') });

# two requests with the same bytes at the same time: both are written, one after the other
my $path = begin();
my @sockets = map { $service->connection } 1 .. 2;
for my $socket (@sockets)
{
	syswrite $socket,
		"PATCH $path HTTP/1.1\r\nHost: 127.0.0.1:$service->{port}\r\nAuthorization: $service->{headers}{Authorization}\r\n"
		. "Content-Type: application/partial-upload\r\nUpload-Offset: 0\r\nUpload-Complete: ?0\r\n"
			. "Content-Length: 600000\r\n\r\n" . substr $text, 0, 600_000;
}
is_deeply([ map {
	my $reply = $service->raw('', socket => $_)->{replies}[0];
	"$reply->{status} $reply->{headers}{'upload-offset'}"
} @sockets ],
	[ ('204 600000') x 2 ], 'both are answered with the offset behind them');
is($service->head($path)->{headers}{'upload-offset'}, 600_000, 'the bytes are there once');

# other bytes than those that are there change nothing
my $reply = $service->patch($path, 'x' x 700_000, @partial, 'Upload-Offset' => 0, 'Upload-Complete' => '?1');
is("$reply->{status} $reply->{headers}{'upload-offset'}", '409 600000', 'other bytes are refused, with the offset');
$reply = $service->patch($path, substr($text, 0, 500_000), @partial, 'Upload-Offset' => 0, 'Upload-Complete' => '?1');
is("$reply->{status} $reply->{headers}{'upload-offset'}", '409 600000',
	'a last request that ends before the stored bytes is refused, with the offset');
$reply = $service->patch($path, 'abc', @partial, 'Upload-Offset' => 600_000, 'Upload-Complete' => '?0',
	'Content-Digest' => digest('abd'));
is($reply->{status}, 400, 'a small body with a wrong Content-Digest');
$reply = $service->patch($path, substr($text, 300_000), @partial, 'Upload-Offset' => 300_000,
	'Upload-Complete' => '?1');
is($reply->{status}, 201, 'the upload goes on before its end') || diag $reply->{body};
is($service->get(path($reply) . '/download')->{body}, $text, 'and the file has all bytes');

# an upload with a length: neither too few bytes nor too many end it
$path = begin('Upload-Length' => 5);
is($service->patch($path, 'abc', @partial, 'Upload-Offset' => 0, 'Upload-Complete' => '?1')->{status}, 400,
	'fewer bytes than Upload-Length');
is($service->patch($path, 'abcdefg', @partial, 'Upload-Offset' => 0, 'Upload-Complete' => '?0')->{status}, 400,
	'more bytes than Upload-Length');
my $offset = $service->head($path)->{headers}{'upload-offset'};
is($service->patch($path, substr("abc\nd", $offset), @partial, 'Upload-Offset' => $offset,
	'Upload-Complete' => '?1')->{status}, 201, 'the upload goes on');

$service->finish;
