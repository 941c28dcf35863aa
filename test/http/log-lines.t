#!/usr/bin/perl
# Log lines of answers: code and message, the id of a created record; and which refusals are errors.

use strict;
use warnings;

use Test::More;
use Catalogue::Test;
use Catalogue::Upload;

my $service = Catalogue::Test->start(CATALOGUE_LOG_LEVEL => 'verbose')->as_admin;
my %nobody  = (Authorization => undef);
my $serial  = 0;

# The lines about one request, by their events.
sub lines
{
	my ($verb, $path, $body, %headers) = @_;
	my $id    = 'events-' . ++$serial;
	my $reply = $service->request($verb, $path, $body, %headers, 'X-Request-Id' => $id);
	return ($reply, map { $_->{event} => $_ } grep { ($_->{request} // '') eq $id } $service->log);
}

sub errors
{
	my %line = @_;
	return join ', ', sort grep { $line{$_}{level} eq 'error' || $line{$_}{level} eq 'warn' } keys %line;
}

# the code and the message of an answer
my ($reply, %line) = lines('GET', '/tags');
is("@{$line{response}}{qw(level status code message)}", "verbose 200 OK $reply->{json}{meta}{message}",
	'the log has the code and the message of an answer');
($reply, %line) = lines('GET', '/tags?limit=x');
is($line{response}{message}, $reply->{json}{meta}{message}, 'the log has the message of a refusal');
like($line{response}{message}, qr/limit/, 'the message is the one that the client got');

# the id of a created record
($reply, %line) = lines('POST', '/tags', { name => 'logged' });
my ($id) = $reply->{headers}{location} =~ m{/tags/(\w+)$};
is("@{$line{'creation of a resource'}}{qw(level message)}", "info tags/$id", 'the log has the id of a created record');
is($line{response}{message}, "$reply->{json}{meta}{message}: tags/$id", 'the line of the answer has the id too');
my ($form, %type) = form(field(name => 'Logged', color => 'A0B0C0'));
($reply, %line) = lines('POST', '/categories', $form, %type);
is($line{'creation of a resource'}{message}, $reply->{headers}{location} =~ s/^\Q$service->{base}\E.//r,
	'the log has the id of a record created from a form');
($reply, %line) = lines('PATCH', "/tags/$id", { name => 'edited' });
is($line{'edit of a resource'}{level}, 'info', 'an update is logged');
($reply, %line) = lines('DELETE', "/tags/$id");
is($line{'deletion of a resource'}{level}, 'info', 'a deletion is logged');

# refused changes are errors in the log, with the message
($reply, %line) = lines('POST', '/tags', {});
is("@{$line{'error in the creation of a resource'}}{qw(level message)}", "error $reply->{json}{meta}{message}",
	'a creation that failed');
($reply, %line) = lines('DELETE', "/tags/$id");
is(errors(%line), 'error in the deletion of a resource', 'a deletion that failed');
($reply, %line) = lines('PATCH', "/tags/$id", {});
is(errors(%line), 'error in the edit of a resource', 'an edit that failed');

# requests without a credential, and for paths that do not exist, are not logged as failed changes
for ([ 401, 'POST', '/tags', { name => 'x' }, %nobody ], [ 401, 'DELETE', "/tags/$id", undef, %nobody ],
	[ 405, 'POST', '/logs', {} ], [ 405, 'DELETE', '/statistics/x' ],
	[ 405, 'PATCH', '/tags', {} ], [ 501, 'POST', '/email/send', {} ])
{
	my ($status, @request) = @$_;
	($reply, %line) = lines(@request);
	is($reply->{status}, $status, "$request[0] $request[1]: $status");
	is(errors(%line), '', "$request[0] $request[1]: no error line");
	is($line{response}{status}, $status, "$request[0] $request[1]: its answer");
}

$service->finish;
