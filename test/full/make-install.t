#!/usr/bin/perl
# make install: new backends load the library, and read complete files, while it runs again and again.

use strict;
use warnings;

use Digest::SHA ();
use File::Temp ();
use POSIX ':sys_wait_h';
use Test::More;
use Catalogue::Program qw(needed);

my $times = 12;
my %server = map { $_ => needed($_) } qw(PGHOST PGPORT PGUSER);
my $root   = File::Temp->newdir(DIR => needed('CATALOGUE_TEST_DIRECTORY'));
chmod 0755, $root;

# Install below $root; the server and the programs in use are not affected.
sub install_goal
{
	local $ENV{MAKEFLAGS} = '';
	my $output = qx(make -s DIRECT=1 DESTDIR='$root' PREFIX=/opt/catalogue install 2>&1);
	return $? ? $output : '';
}

is(install_goal(), '', 'make install');
my %files;
for my $file (split /\n/, qx(find '$root' -type f))
{
	$files{$file} = Digest::SHA->new(256)->addfile($file)->hexdigest;
}
my %modes = map { substr($_, length $root) => sprintf('%o', (stat $_)[2] & 07777) } keys %files;
my ($library) = grep { m{/catalogue\.so$} } keys %files;
my @extension = qw(catalogue--1.0--1.1.sql catalogue--1.0.sql catalogue--1.1--reload.sql catalogue--1.1.sql
	catalogue--reload--1.1.sql
	catalogue-tables--1.0.sql catalogue-tables--1.1.sql catalogue.control catalogue.so);
is(join(' ', sort map { s{.*/}{}r } keys %modes),
	join(' ', sort @extension, qw(catalogue-geo-reader catalogue-shim catalogue-worker)), 'all files are there');
is(join(' ', sort map { "$_ $modes{$_}" } grep { m{^/opt} } keys %modes),
	join(' ', map {"/opt/catalogue/bin/catalogue-$_ 755"} qw(geo-reader shim worker)), 'DESTDIR and PREFIX are honoured');
is(join(' ', sort map { s{.*/}{}r . " $modes{$_}" } grep { !m{^/opt} } keys %modes),
	join(' ', map { $_ . (/\.so$/ ? ' 755' : ' 644') } sort @extension), 'the modes of the files');

my $installer = fork // die "fork: $!";
if ($installer == 0)
{
	POSIX::_exit((grep { install_goal() ne '' } 1 .. $times) ? 1 : 0);
}

# The errors of new backends that load the library, and the files whose contents have changed.
my (%errors, %changed);
my ($loads, $ended) = (0, 0);
local %ENV = (%ENV, %server);
until ($ended)
{
	$ended = waitpid($installer, WNOHANG) == $installer;
	my $error = qx(psql -XAtq -d postgres -c "LOAD '$library'" 2>&1);
	$errors{$error}++ if $?;
	$loads++;
	for my $file (keys %files)
	{
		my $digest = eval { Digest::SHA->new(256)->addfile($file)->hexdigest } // 'none';
		$changed{$file}++ if $digest ne $files{$file};
	}
}
is($?, 0, "make install, $times times more");
cmp_ok($loads, '>', $times, 'backends loaded the library meanwhile') or diag($loads);
is_deeply(\%errors, {}, 'no backend failed');
is_deeply(\%changed, {}, 'every file was complete at any time');
is(join("\n", grep { !$files{$_} } split /\n/, qx(find '$root' -type f)), '', 'no other file is left');

done_testing;
