#!/usr/bin/perl
# PgBouncer between shim and PostgreSQL: --check says plainly that the service does not work with it, in session and in
# transaction mode, whether it refuses the settings of sessions or is told to ignore them.

use strict;
use warnings;

use IO::Socket::INET;
use POSIX ();
use Test::More;
use Catalogue::Clock qw(poll);
use Catalogue::Program qw(free_port slurp);
use Catalogue::Test;

my $service = Catalogue::Test->start;
my ($host, $port) = @{ $service->{server} }{qw(PGHOST PGPORT)};
my $sentence = qr/^pooler: a session of a pooler such as PgBouncer does not keep .*: connect to PostgreSQL itself$/m;

# --check of a shim that connects to a port; its output and exit status.
sub check
{
	my ($place) = @_;
	local %ENV =
		(%ENV, %{ $service->{settings} }, CATALOGUE_DATABASE => "$place user=catalogue_shim dbname=$service->{database}");
	my $text = qx($ENV{CATALOGUE_SHIM} --check 2>&1);
	return ($text, $? >> 8);
}

# Start PgBouncer, as the account of the server, and return its process and port.
sub pooler
{
	my ($mode, @lines) = @_;
	my $place = "$service->{directory}/pgbouncer-$mode-" . @lines;
	my $own = free_port();
	open my $users, '>', "$place.users" or die "$place.users: $!";
	print {$users} qq("catalogue_shim" ""\n);
	close $users;
	open my $file, '>', "$place.ini" or die "$place.ini: $!";
	print {$file} map { "$_\n" } '[databases]', "* = host=$host port=$port", '[pgbouncer]', 'listen_addr = 127.0.0.1',
		"listen_port = $own", 'unix_socket_dir =',
		'auth_type = trust', "auth_file = $place.users", "pool_mode = $mode", @lines;
	close $file;
	chmod 0644, "$place.ini", "$place.users";
	chmod 0755, $service->{directory};
	my $account = getpwuid((stat $host)[4]);
	my $pid = fork // die "fork: $!";
	if ($pid == 0)
	{
		open STDOUT, '>', "$place.log";
		open STDERR, '>&', \*STDOUT;
		# it is in a directory for daemons, which is not in every PATH
		local $ENV{PATH} = "$ENV{PATH}:/usr/sbin";
		exec 'pgbouncer', ($> == 0 ? ('-u', $account) : ()), "$place.ini" or POSIX::_exit(127);
	}
	my $state = poll(20, sub {
		return IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $own) ? 'up' : waitpid($pid, 1) != 0 && 'ended';
	});
	return ($pid, $own) if ($state // '') eq 'up';
	die "pgbouncer does not start:\n" . slurp("$place.log");
}

my ($text, $code) = check("host=$host port=$port");
is($code, 0, 'without a pooler all is well') or diag $text;
unlike($text, qr/pooler/, 'and nothing is said of one');
for my $mode ('session', 'transaction')
{
	for my $ignored ([], ['ignore_startup_parameters = options, extra_float_digits'])
	{
		my ($pid, $own) = pooler($mode, @$ignored);
		($text, $code) = check("host=127.0.0.1 port=$own");
		my $what = "$mode mode, " . (@$ignored ? 'settings ignored' : 'settings refused');
		is($code, 1, "$what: --check fails");
		like($text, $sentence, "$what: and says why");
		kill 'TERM', $pid;
		waitpid $pid, 0;
	}
}

$service->finish;
