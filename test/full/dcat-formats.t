#!/usr/bin/perl
# The catalogue as DCAT: its three formats have the same triples, as parsers that are not ours read them, and texts and
# addresses of every kind.

use strict;
use warnings;
use utf8;

use Catalogue::Definition;
use Catalogue::Graph qw(graph);
use Catalogue::Test;
use Test::More;

binmode $_, ':utf8' for Test::More->builder->output, Test::More->builder->failure_output;

my $service    = Catalogue::Test->start->as_admin;
my $definition = Catalogue::Definition->new($service);
my $published  = 'qWRhpRV';
my %nobody     = (Authorization => undef);
my %types      = ('application/ld+json' => 'application/ld+json', 'text/turtle' => 'text/turtle; charset=utf-8',
	'application/rdf+xml' => 'application/rdf+xml');

# The triples of a path in each type; tests that they are the same, and returns them.
sub same_graph
{
	my ($path, $what) = @_;
	my %graphs;
	for my $type (sort keys %types)
	{
		my $reply = $service->get($path, %nobody, Accept => $type);
		is($reply->{status},                  200,           "$what as $type");
		is($reply->{headers}{'content-type'}, $types{$type}, "$what as $type: the type");
		$graphs{$type} = graph($reply);
		ok($graphs{$type}, "$what as $type: a parser reads it");
	}
	is_deeply($graphs{'text/turtle'}, $graphs{$_}, "$what: $_ has the triples of Turtle") for 'application/ld+json',
		'application/rdf+xml';
	return $graphs{'text/turtle'};
}

# Values of a property, of any subject, by the end of its name.
sub values_of
{
	my ($graph, $property) = @_;
	return map { $_->[2] } grep { $_->[1] =~ m{[#/]\Q$property\E$} } @$graph;
}

same_graph('/catalog', 'the catalogue');
same_graph('/datasets/airports', 'a dataset');
same_graph('/catalog?name=nothing', 'no datasets');

# texts and addresses of every kind are read as they were stored
my @texts = (
	'"', q{'}, '\\', '\\"', '\\u0041', '"""', q{'''}, "tab\there", '<b>&amp;</b>', ']]>', '<!-- -->', '<?x?>',
		'@prefix a: <b> .', '{"@id": "x"}', '%20 %', '$1 \\1',
	"q\x{301}", "\x{202e}abc", 'עברית', 'العربية', '👩‍👩‍👧‍👦', "\x{10ffff}", "\x{85}", "\x{2028}", "\x{a0}x", '^^xsd:date',
		'@en', '_:b0', 'dcat:Dataset', 'http://a b',
);
$definition->create('datasets', name => "x$texts[$_]x $_", status => $published, description => "$texts[$_]\n $_")
	for 0 .. $#texts;
my $graph  = same_graph('/catalog?limit=1000', 'texts of every kind');
my %titles = map { $_ => 1 } values_of($graph, 'title'), values_of($graph, 'description');
for (0 .. $#texts)
{
	my $shown = $texts[$_] =~ s/([^ -~])/sprintf '\\x{%x}', ord $1/ger;
	ok($titles{"x$texts[$_]x $_"}, "title \"$shown\"");
	ok($titles{"$texts[$_]\n $_"}, "description \"$shown\"");
}
my $long = $definition->create('datasets', name => 'Long', status => $published,
	optionals => { license => 'ñ<&"\\' x 2000, rights => "a\x{1}b\x{b}c\x{fffe}\r\n" . 'd', spatial => 'x' x 10_000,
	landingPage => "https://a.example/ñ b<>\"{}|\\^`%zz#a#b\x{202e}",
		theme => [ 'http://a.example/>;<', 'javascript:alert(1)', 5, undef ], language => 'ar-EG', keyword => ['<x>'] });
my @labels = values_of(same_graph("/datasets/$long", 'long optional values'), 'label');
ok((grep { $_ eq 'ñ<&"\\' x 2000 } @labels), 'a license of 10,000 characters');
ok((grep { $_ eq "a\x{fffd}b\x{fffd}c\x{fffd}\r\nd" } @labels),
	'characters that XML cannot contain are replaced, in each format; line ends are kept');
my @pages = values_of(graph($service->get("/datasets/$long", Accept => 'text/turtle')), 'landingPage');
is_deeply(\@pages, ['https://a.example/%C3%B1%20b%3C%3E%22%7B%7D%7C%5C%5E%60%25zz#a%23b%E2%80%AE'],
	'an address becomes an IRI');
is_deeply([ grep { /^http:..a\.example/ || /javascript/ } values_of(
	graph($service->get("/datasets/$long", Accept => 'text/turtle')), 'theme') ], ['http://a.example/%3E;%3C'],
	'what is no address of a theme is left out');

$service->finish;
