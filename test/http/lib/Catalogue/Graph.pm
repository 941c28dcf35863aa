package Catalogue::Graph;

# Triples of RDF documents, as parsers that are not ours read them: rapper (Raptor) Turtle and RDF/XML, rdflib JSON-LD.

use strict;
use warnings;

use Encode     ();
use Exporter   qw(import);
use File::Temp ();
use Cpanel::JSON::XS   ();

our @EXPORT_OK = qw(graph);

# What rdflib reads: subject, predicate, value, type, language and data type of each triple.
my $reader = <<'PYTHON';
import json, sys
import rdflib
rdflib.NORMALIZE_LITERALS = False
graph = rdflib.Graph()
graph.parse(sys.argv[1], format="json-ld")
def words(term):
    if isinstance(term, rdflib.Literal):
        return [str(term), "literal", term.language or "", str(term.datatype or "")]
    return [str(term), "uri" if isinstance(term, rdflib.URIRef) else "blank", "", ""]
json.dump([[str(subject), str(predicate), *words(term)] for subject, predicate, term in graph], sys.stdout)
PYTHON

# A file that is removed when the caller is done.
sub file_with
{
	my ($bytes) = @_;
	my $file = File::Temp->new;
	binmode $file;
	print {$file} $bytes or die "cannot write: $!\n";
	close $file or die "cannot write: $!\n";
	return $file;
}

sub output_of
{
	my (@command) = @_;
	open my $out, '-|:raw', @command or die "cannot run $command[0]: $!\n";
	my $bytes = do { local $/; <$out> };
	return close $out ? $bytes : undef;
}

# The text of a literal in N-Triples.
sub unescaped
{
	my ($text) = @_;
	my %signs = (t => "\t", n => "\n", r => "\r", b => "\b", f => "\f", '"' => '"', "'" => "'", '\\' => '\\');
	return $text =~ s{\\(?:u([0-9A-F]{4})|U([0-9A-F]{8})|(.))}{defined $3 ? $signs{$3} : chr hex($1 // $2)}ger;
}

# The triples that rapper writes as N-Triples.
sub triples_of
{
	my ($lines) = @_;
	my @triples;
	for my $line (split /\n/, Encode::decode('UTF-8', $lines, Encode::FB_CROAK))
	{
		my ($subject, $predicate, $object) = $line =~ /^<([^<>]*)> <([^<>]*)> (.*) \.$/ or die "no triple: $line\n";
		my ($value, $language, $type) = $object =~ /^"(.*)"(?:@([A-Za-z0-9-]+)|\^\^<([^<>]*)>)?$/;
		push @triples, defined $value ? [ $subject, $predicate, unescaped($value), 'literal', $language // '', $type // '' ]
			: [ $subject, $predicate, $object =~ s/^<|>$//gr, 'uri', '', '' ];
	}
	return @triples;
}

# The triples of an answer, each an array of subject, predicate, value, type, language and data type, in a fixed order;
# undef where a parser refuses the document.
sub graph
{
	my ($reply) = @_;
	my %rapper = ('text/turtle; charset=utf-8' => 'turtle', 'application/rdf+xml' => 'rdfxml');
	my $format = $rapper{ $reply->{headers}{'content-type'} };
	my ($file, $script) = map { file_with($_) } $reply->{body}, $reader;
	my $out = $format ? output_of('rapper', '-q', '-i', $format, "$file", 'http://base.invalid/')
		: output_of('/usr/bin/python3', "$script", "$file");
	return unless defined $out;
	my @triples = $format ? triples_of($out) : @{ Cpanel::JSON::XS->new->allow_nonref->utf8->decode($out) };
	$_->[4] = lc $_->[4] for @triples;
	return [ sort { join("\0", @$a) cmp join("\0", @$b) } @triples ];
}

1;
