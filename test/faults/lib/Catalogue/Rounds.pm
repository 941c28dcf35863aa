package Catalogue::Rounds;

# The service that faults happen to, on a durable server of its own and always on the same port, and how many times.

use strict;
use warnings;

use Catalogue::Program qw(free_port);
use Catalogue::Test;

# A service whose shim has the same port after each start; the arguments are settings of the shim.
sub service
{
	my (%settings) = @_;
	my $port = free_port();
	return Catalogue::Test->start(cluster => 'private', CATALOGUE_PORT => $port, CATALOGUE_CALL_TIMEOUT => '5s',
		%settings)->as_admin;
}

# The rounds: FAULT_ROUNDS, else 5.
sub list { return 1 .. ($ENV{FAULT_ROUNDS} // 5) }

1;
