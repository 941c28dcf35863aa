package Catalogue::Psql;

# A session of psql that stays open: for transactions of several statements with pauses between them.

use strict;
use warnings;

use IPC::Open2 qw(open2);

my $mark = 'end of the answer';

# Open a session in the database of a service, as superuser.
sub new
{
	my ($class, $service) = @_;
	local %ENV = (%ENV, %{ $service->{server} });
	my $self = bless {}, $class;
	$self->{pid} = open2($self->{out}, $self->{in}, 'psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-d', $service->{database});
	return $self;
}

# Run statements and wait for their end; return the rows, each as its columns joined by "|".
sub run
{
	my ($self, $statements) = @_;
	my ($in, $out, @rows) = @$self{qw(in out)};

	print $in "$statements;\n\\echo $mark\n";
	$in->flush;
	while (defined(my $row = <$out>))
	{
		chomp $row;
		return @rows if $row eq $mark;
		push @rows, $row;
	}
	die "psql ended at: $statements\n";
}

sub finish
{
	my ($self) = @_;
	close $self->{in};
	waitpid $self->{pid}, 0;
	return;
}

1;
