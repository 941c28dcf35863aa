package Catalogue::Balancer;

# HAProxy in front of several shims, with the configuration in docs/how-to/survive-the-loss-of-a-server.md.

use strict;
use warnings;

use parent 'Catalogue::Gateway';

use Catalogue::Program qw(free_port slurp);

my $page = 'docs/how-to/survive-the-loss-of-a-server.md';

# Start a balancer of these two shims of a service; its clients have the headers of the service.
sub start
{
	my ($class, $service, @shims) = @_;
	my $port = free_port();
	my $self = bless { service => $service, directory => $service->{directory}, port => $port, tls => $port,
		base => "http://127.0.0.1:$port", headers => $service->{headers} }, $class;
	my ($block) = slurp($page) =~ /```haproxy\n(.*?\n) *```/s or die "$page: no configuration\n";
	my @changes = ([ 'bind :80', "bind 127.0.0.1:$port" ],
		map { [ qw(10.0.0.1:3000 10.0.0.2:3000)[$_], "127.0.0.1:$shims[$_]{port}" ] } 0, 1);
	for my $change (@changes)
	{
		$block =~ s/\Q$change->[0]\E/$change->[1]/ or die "$page: no $change->[0]\n";
	}
	my $file = "$self->{directory}/balancer-$port.cfg";
	open my $out, '>', $file or die "$file: $!";
	print {$out} $block;
	close $out or die "$file: $!";
	$self->run($file);
	return $self;
}

1;
