#!/usr/bin/perl
# Windows of the object store: where a client waits for one, those behind it are asked for as well, as far as there is
# memory for them; ranges in any order.  http/object-store and full/object-moves have all else.

use strict;
use warnings;

use Test::More;
use Catalogue::Clock qw(wait_until);
use Catalogue::ObjectStore;
use Catalogue::Test;
use Catalogue::Upload;
use Catalogue::Worker;
use IO::Select;

use constant { WINDOW => 1_048_576, WINDOWS => 7 };

my $store   = Catalogue::ObjectStore->start;
my $service = Catalogue::Test->start($store->settings, CATALOGUE_STORE_TIMEOUT => '120s')->as_admin;
my $uploads = Catalogue::Upload->new($service);
is($service->patch("/datasets/$uploads->{dataset}/publish")->{status}, 200, 'the dataset is published');
my $bytes = join '', "n,text\n",
	map { sprintf "%06d,%s\n", $_, sprintf('%04d', $_ * 7919 % 10_000) x 23 } 1 .. WINDOWS * 10_485;
my $file  = $uploads->file('large.csv', $bytes, status => 'qWRhpRV');
my $path  = "/files/$file->{id}/download";
my ($said, $status) = Catalogue::Worker->run($service, ['--move']);
is("$said$status", "all bytes are in the object store\n0", 'the bytes are in the store');

# The windows that were asked for since so many requests.
sub asked
{
	my ($before) = @_;
	my @requests = $store->{server}->requests;
	return map { ($_->{headers}{range} // '') =~ /^bytes=(\d+)-/ ? $1 / WINDOW : () }
		@requests[ $before .. $#requests ];
}

# Begin to download while the store gives only the first window, until it was asked for so many others.
sub begin
{
	my ($others, $name) = @_;
	my $before = $store->{server}->requests;
	my $socket = $service->connection;
	my $select = IO::Select->new($socket);
	my $text   = '';

	$store->fault('GET pause behind');
	syswrite $socket, "GET $path HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
	wait_until('windows', sub {
		sysread $socket, $text, WINDOW, length $text while $select->can_read(0);
		return asked($before) > $others;
	});
	$service->until_read;
	is_deeply([ sort { $a <=> $b } asked($before) ], [ 0 .. $others ], "$name: what is asked for");
	return ($socket, $text);
}

# Download all bytes so.
sub download
{
	my ($others, $name) = @_;
	my ($socket, $text) = begin($others, $name);

	$store->fault;
	wait_until('the end', sub {
		return !(sysread $socket, $text, WINDOW, length $text);
	});
	ok($text =~ s/\A.*?\r\n\r\n//s && $text eq $bytes, "$name: all bytes, in their order");
	return;
}

cmp_ok(length $bytes, '>', 6 * WINDOW, 'a file of many windows');
download(4, 'a client that waits');
for my $firsts ([ 5, 0, 6 ], [ 0, 4, 1, 5 ], [ 6, 2, 5, 1 ])
{
	my $ranges = join ',', map { my $first = $_ * WINDOW; "$first-" . ($first + 9) } @$firsts;
	my $reply  = $service->get($path, Range => "bytes=$ranges");
	is($reply->{status}, 206, "ranges $ranges");
	my @parts = $reply->{body} =~ m{Content-Range: bytes \d+-\d+/\d+\r\n\r\n(.{10})}sg;
	is_deeply(\@parts, [ map { substr $bytes, $_ * WINDOW, 10 } @$firsts ], 'their bytes');
}

# How many windows are asked for at once is a matter of memory.
sub with_memory
{
	my ($bytes) = @_;
	$service->stop_shim;
	$service->{settings}{CATALOGUE_MEMORY} = $bytes;
	return $service->start_shim;
}

# A quarter of it is less than three windows, or has them for one download: those of a client that goes away are there
# for the next one.
with_memory(8 * WINDOW);
download(1, 'little memory');
with_memory(12 * WINDOW);
my ($first) = begin(4, 'a client that goes away');
my ($other) = begin(1, 'another one meanwhile');
close $_ for $first, $other;
$store->fault;
wait_until('both end', sub { $service->get('/metrics')->{body} =~ /^catalogue_downloads_running 0$/m });
download(4, 'the next one');
$service->is_sound;
$service->finish;
