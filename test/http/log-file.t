#!/usr/bin/perl
# The log file: each event of the specification at its level and at no other, with what every entry must have; and what
# happens when the file cannot be written: requests are answered, the loss is counted and told, no later line is
# damaged.

use strict;
use warnings;

use Catalogue::Client qw($json);
use Catalogue::Clock qw(poll wait_until);
use Catalogue::Program qw(slurp);
use Catalogue::Test;
use Catalogue::Upload;
use Test::More;

my @levels  = qw(silly verbose info http warn error silent);
my $service = Catalogue::Test->start(CATALOGUE_LOG_LEVEL => 'silly', CATALOGUE_ENVIRONMENT => 'silly')->as_admin;
my $admin   = $service->{admin};

# The lines of an environment.
sub lines
{
	my ($environment) = @_;
	return map { $json->decode($_) } split /\n/, slurp("$service->{directory}/logs/$environment.log");
}

# The events of the specification, with what brings them about.  A name that is in two of them is asked for in a member.
my $file = Catalogue::Upload->new($service)->file('a.csv', "a,b\n1,2\n")->{id};
my $tag;
my @events = (
	[ 'application fully started', 'info', sub { } ],
	[ 'creation of a resource', 'info', sub { $tag =
		$service->post('/tags', { name => 'tag ' . rand })->{headers}{location} =~ s{^\Q$service->{base}\E}{}r } ],
	[ 'edit of a resource', 'info', sub { $service->patch($tag, { name => 'tag ' . rand }) } ],
	[ 'deletion of a resource', 'info', sub { $service->delete($tag) } ],
	[ 'error in the creation of a resource', 'error', sub { $service->post('/tags', {}) } ],
	[ 'error in the edit of a resource', 'error', sub { $service->patch($tag, {}) } ],
	[ 'error in the deletion of a resource', 'error', sub { $service->delete($tag) } ],
	[ 'download of a file', 'verbose', sub { $service->get("/files/$file/download") } ],
	[ 'response', 'verbose', sub { $service->get('/tags') } ],
	[ 'request', 'silly',
		sub { $service->post('/search?q=1', { canary => 'of the body' }, 'X-Canary' => 'of the headers') } ],
	[ 'answer', 'silly', sub { $service->get('/tags') } ],
);

for my $set (0 .. $#levels)
{
	my $level = $levels[$set];
	is($service->stop_shim, 0, "$level: the shim ends") or next;
	$service->{settings}{CATALOGUE_LOG_LEVEL}   = $level;
	$service->{settings}{CATALOGUE_ENVIRONMENT} = "at-$level";
	$service->{settings}{CATALOGUE_LOG_DIRECTORY} = "$service->{directory}/logs/new/$level";
	$service->start_shim;
	$_->[2]->() for @events;
	my $path = "$service->{directory}/logs/new/$level/at-$level.log";
	ok(-e $path, "$level: file and directory are made, and named by the environment");
	my @lines = map { $json->decode($_) } split /\n/, slurp($path);
	for my $event (@events)
	{
		my ($name, $of) = @$event;
		my ($place) = grep { $levels[$_] eq $of } 0 .. $#levels;
		my @found = grep { $_->{event} eq $name } @lines;
		is(@found > 0, $place >= $set && $level ne 'silent',
			"$level: $name is " . ($place >= $set && $level ne 'silent' ? 'there' : 'not there'));
		is(scalar(grep { $_->{level} ne $of } @found), 0, "$level: $name is of level $of");
	}
	is(scalar @lines, 0, 'silent: no line at all') if $level eq 'silent';
	for my $line (@lines)
	{
		my $whole = ($line->{time} // '') =~ /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/ && $line->{event} && $line->{level}
			&& (!defined $line->{request} || $line->{ip} eq '127.0.0.1');
		$whole or fail("$level: date, event, level, address") or diag($json->encode($line));
	}
	my %who = map { $_->{event} => $_->{user} // 'nobody' } @lines;
	is($who{$_}, $admin, "$level: $_ names the user") for grep { exists $who{$_} } 'creation of a resource',
		'edit of a resource', 'deletion of a resource', 'download of a file';
	is($who{'application fully started'}, 'nobody', "$level: the start names nobody")
		if exists $who{'application fully started'};
	next if $level ne 'silly';
	my ($request) = grep { $_->{event} eq 'request' && $_->{target} =~ m{^/search} } @lines;
	like($request->{message}, qr/"X-Canary":"of the headers"/i, 'headers of a request');
	like($request->{message}, qr/"canary":"of the body"/, 'its body');
	is($request->{target}, '/search?q=1', 'its parameters');
	my ($answer) = grep { $_->{event} eq 'answer' && $_->{request} eq $request->{request} } @lines;
	like($answer->{message}, qr/"headers":\{.*"Content-Type":"application\/json".*"body":\{"meta"|"body":\{.*"code"/,
		'headers and body of an answer');
}

# another client: no user, its own address
my @nobody = do { $service->{settings}{CATALOGUE_TRUSTED_PROXIES} = '127.0.0.1';
	$service->{settings}{CATALOGUE_LOG_LEVEL} = 'verbose';
	$service->{settings}{CATALOGUE_ENVIRONMENT} = 'outsider';
		$service->{settings}{CATALOGUE_LOG_DIRECTORY} = "$service->{directory}/logs";
	$service->stop_shim; $service->start_shim;
		$service->get('/tags', Authorization => undef, 'X-Forwarded-For' => '192.0.2.9');
	grep { ($_->{target} // '') eq '/tags' } lines('outsider') };
is("$nobody[0]{ip} " . ($nobody[0]{user} // 'nobody'), '192.0.2.9 nobody', 'an outsider has an address and no user');

# a full disk, from the start on: requests are answered, and the lines are counted
my $log = "$service->{directory}/logs/full.log";
symlink '/dev/full', $log or die "$log: $!";
$service->{settings}{CATALOGUE_ENVIRONMENT} = 'full';
$service->stop_shim;
$service->start_shim;
is($service->get("/tags/count?n=$_")->{status}, 200, 'a request while the disk is full') for 1 .. 5;
is($service->post('/tags', { name => 'written on a full disk' })->{status}, 201, 'a change too');
sub lost { return $service->get('/metrics')->{body} =~ /^catalogue_log_lines_lost_total (\d+)$/m ? $1 : undef }
my $before = lost();
cmp_ok($before, '>=', 7, 'lost lines are counted');
$service->get('/tags');
cmp_ok(lost(), '>=', $before + 2, 'each of them: of the request for the metrics, and of the other one');
unlink $log or die "$log: $!";
kill 'HUP', $service->{pid};
poll(10, sub { -e $log });
$service->get('/tags/count?n=1');
# a line is written when its answer is on its way
my @lines;
wait_until('a line', sub { @lines = lines('full') });
my $total = lost();
cmp_ok($total, '>=', $before + 3, 'nothing was forgotten');
is($lines[0]{lost}, $total, 'once there is room, the next line says how many are missing');
is(scalar(grep { defined $_->{lost} } @lines), 1, 'it is told once');

# the disk becomes full in the middle of a line
my $size = -s $log;
my @as = $> == 0 ? qw(setpriv --reuid=postgres --regid=postgres --clear-groups) : ();
sub limit
{
	my ($soft) = @_;
	system(@as, 'prlimit', "--pid=$service->{pid}", "--fsize=$soft:") == 0 or die "prlimit failed\n";
	return;
}
limit($size + 50);
is($service->get("/tags/count?n=$_")->{status}, 200, 'a request while the file must not grow') for 1 .. 3;
is(-s $log, $size + 50, 'a part of a line was written');
limit('unlimited');
$service->get('/tags/count?n=9');
my @text = split /\n/, slurp($log);
my @broken = grep { !ref eval { $json->decode($_) } } @text;
is(scalar @broken, 1, 'only the line that was cut is damaged');
is(length $broken[0], 50, 'it is the part that was written');
my $next = $json->decode($text[-1]);
cmp_ok($next->{lost}, '>=', 3, 'lines are counted that the file did not take');
is($next->{target}, '/tags/count?n=9', 'the next line is whole, and says how many are missing');

# a file that cannot be opened again: the former one is used, and the fault is in it
rename $log, "$log.1" or die;
mkdir $log or die;
kill 'HUP', $service->{pid};
my $found = poll(10, sub {
	(grep { ($_->{event} // '') eq 'log not reopened' } map { eval { $json->decode($_) } // {} } split /\n/,
		slurp("$log.1"))[0];
});
is($found->{level}, 'error', 'a file that cannot be opened again is an error');
$service->get('/tags/count?n=10');
like(slurp("$log.1"), qr/n=10/, 'the former file is used');

$service->finish;
