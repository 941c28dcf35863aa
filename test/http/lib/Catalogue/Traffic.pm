package Catalogue::Traffic;

# The requests and answers of the tests, kept in a file for each test: test/traffic/conform.t holds them against the
# OpenAPI document.

use strict;
use warnings;

use File::Basename ();
use Cpanel::JSON::XS ();

# answers that are kept of a path and status; ids in the path do not count
my $each    = $ENV{CATALOGUE_WALKS} ? 20 : 4;
my $longest = 200_000;    # bytes of a body that is kept
my $json    = Cpanel::JSON::XS->new->utf8->canonical->allow_nonref;
my (%seen, $out, $owner);

# Keep an answer, where .ci/check has said where.
sub record
{
	my ($verb, $path, $reply) = @_;
	my $directory = $ENV{TEST_TRAFFIC} // return;
	my ($words) = $path =~ m{^([^?]*)};
	my $kind = "$verb $reply->{status} " . join '/', map { /^[a-z]+$/i ? $_ : '*' } split m{/}, $words;

	return if $seen{$kind}++ >= $each || length $reply->{body} > $longest;
	if (!$out || $owner != $$)
	{
		my $file = "$directory/" . File::Basename::basename($0, '.t') . ".$$";
		open $out, '>>', $file or die "$file: $!";
		$owner = $$;
	}
	print $out $json->encode({ verb => $verb, path => $path, status => $reply->{status},
		type => $reply->{headers}{'content-type'}, json => $reply->{json} }), "\n";
	$out->flush;
	return;
}

# The answers that were kept, each with the name of its test.
sub read_all
{
	my ($directory) = @_;
	my @answers;

	for my $file (sort glob "$directory/*")
	{
		my ($test) = $file =~ m{([^/]+)\.\d+$};
		open my $in, '<', $file or die "$file: $!";
		push @answers, map { { %{ $json->decode($_) }, test => $test } } <$in>;
	}
	return @answers;
}

1;
