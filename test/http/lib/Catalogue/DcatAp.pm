package Catalogue::DcatAp;

# The SHACL shapes of DCAT-AP 3.0.0 (application profile of the European Commission for data portals), which a validator
# from npm applies to triples.

use strict;
use warnings;

use Cpanel::JSON::XS ();
use Exporter   qw(import);
use File::Temp ();

our @EXPORT_OK = qw(faults shapes);

sub shapes { return '../shared/data/shapes/dcat-ap-3-shapes.ttl' }

# A literal or a node in N-Triples.
sub term
{
	my ($value, $kind, $language, $type) = @_;
	return "<$value>" if $kind eq 'uri';
	$value =~ s/([\\"\n\r])/sprintf '\\u%04X', ord $1/ge;
	return qq("$value") . ($language ? "\@$language" : $type ? "^^<$type>" : '');
}

# All that breaks a shape in each of some graphs, as Catalogue::Graph::graph() has them: lists of "property constraint",
# with the node and the value behind it.
sub faults
{
	my (@graphs) = @_;
	my @files = map { File::Temp->new } @graphs;

	-e 'build/browser/node_modules/rdf-validate-shacl/package.json'
		or die "rdf-validate-shacl is missing: run \".ci/deps full\"\n";
	for my $i (0 .. $#graphs)
	{
		binmode $files[$i], ':utf8';
		print { $files[$i] } map { "<$_->[0]> <$_->[1]> " . term(@$_[ 2 .. 5 ]) . " .\n" } @{ $graphs[$i] };
		close $files[$i] or die "cannot write: $!\n";
	}
	# modules are looked for beside the script
	system('cp', 'test/http/browser/shacl.mjs', 'build/browser/') == 0 or die "cp: $?\n";
	open my $out, '-|', 'node', 'build/browser/shacl.mjs', shapes(), map { "$_" } @files or die "node: $!\n";
	my $told = do { local $/; <$out> };
	close $out or die "shacl.mjs: exit status " . ($? >> 8) . "\n";
	return map { [ sort map {
		my ($node, $path, $constraint, $value) = @$_;
		($path // '') =~ s{.*[/#]}{}r . " $constraint $node " . ($value // '')
	} @$_ ] } @{ Cpanel::JSON::XS->new->utf8->decode($told) };
}

1;
