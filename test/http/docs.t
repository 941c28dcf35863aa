#!/usr/bin/perl
# The documentation agrees with the project: the generated pages of the reference are up to date, links have targets,
# and the targets of make, the tests and the sources that are named exist; the header of a folder leads to its
# decisions. full/docs-examples and full/how-to-* follow the pages.

use strict;
use warnings;

use File::Temp ();
use Test::More;
use Catalogue::Program qw(command slurp);
use Catalogue::Reader;
use Catalogue::Test;

my @pages   = Catalogue::Reader::pages();
my $service = Catalogue::Test->shared;

# the generated pages
my $directory = File::Temp->newdir;
command({ environment($service) }, 'docs/reference/generate', "$directory");
for my $page (map { s{.*/}{}r } glob "$directory/*.md")
{
	my ($now, $then) = map { [ split /\n/, slurp($_) ] } "$directory/$page", "docs/reference/$page";
	is_deeply($then, $now, "docs/reference/$page is up to date") or diag('run docs/reference/generate');
}

# links between the pages, and targets of make
my $makefile = slurp('Makefile');
for my $page (@pages)
{
	my $text = slurp($page);
	my @dead;
	my $place = $page =~ m{^(.*/)} ? $1 : '';
	while ($text =~ m{\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]*))?\)}g)
	{
		my ($file, $part) = (length $1 ? "$place$1" : $page, $2);
		push @dead, $file unless -e $file;
		push @dead, "$file#$part" if defined $part && -f $file && !grep { $_ eq $part } anchors($file);
	}
	is_deeply(\@dead, [], "$page: every link has a target");
	my @kinds = grep { !Catalogue::Reader::is_kind($_) } $text =~ /^ *```(\w+)/mg;
	is_deeply(\@kinds, [], "$page: each block is of a known kind");
	my %missing = map { $_ => 1 } grep { $makefile !~ /^$_:/m } $text =~ /(?:`|^ *(?:\S+=\S+ )*)make ([a-z-]+)/mg;
	is_deeply([ sort keys %missing ], [], "$page: the targets of make exist");
	my @tests = grep { !-e test_file($_) } $text =~ m{`((?:http|full|regress|isolation|fuzz)/[\w-]+)`}g;
	is_deeply(\@tests, [], "$page: the tests that are named exist");
}

# files of C and SQL, as walks and recipes name them: by the end of their path
my @sources = split /\n/, qx(find extension shim sql test -name '*.[ch]' -o -name '*.sql');
my %source  = map { my @path = split m{/}; map { join('/', @path[ $_ .. $#path ]) => 1 } 0 .. $#path } @sources;
for my $page (grep { m{^(?:README|docs/contributing|docs/explanation/)} } @pages)
{
	my %unknown = map { $_ => 1 } grep { !$source{$_} } slurp($page) =~ m{(?<![\w/.-])([a-z][\w/-]*\.(?:c|h|sql))\b}g;
	is_deeply([ sort keys %unknown ], [], "$page: the sources that are named exist");
}

# what a newcomer reads first stays short
my @words = split ' ', slurp('docs/explanation/architecture.md');
cmp_ok(scalar @words, '<=', 2200, 'the architecture has at most 2,200 words');

# decisions are grouped by folder
my $decisions = 'docs/explanation/decisions.md';
my %lead;
for my $file (@sources, glob 'shim/*/*.js')
{
	push @{ $lead{$_} }, $file for slurp($file) =~ /^\W*Decisions: \Q$decisions\E#(\w+)$/mg;
}
for my $folder (grep { m{^(?:extension|shim|sql)(?:/|$)} } slurp($decisions) =~ /^## (.*)/mg)
{
	my @files = @{ delete $lead{ anchor($folder) } // [] };
	is(scalar(grep { m{^\Q$folder\E/[^/]+$} } @files), 1, "one file of $folder leads to its decisions") or diag("@files");
}
is_deeply(\%lead, {}, 'each file that names decisions has some');

$service->finish;

# Environment variables that name the service's database, for psql and for the generator.
sub environment
{
	my ($service) = @_;
	return (%{ $service->{server} }, PGDATABASE => $service->{database});
}

# The file of a test that is named as .ci/check names it.
sub test_file
{
	my ($kind, $name) = split m{/}, shift;
	my %file = (
		http      => "test/http/$name.t",
		full      => "test/full/$name.t",
		regress   => "test/sql/$name.sql",
		isolation => "test/isolation/specs/$name.spec",
		fuzz      => "test/fuzz/$name.c",
	);
	return $file{$kind};
}

# The names of a page's headings in links.
sub anchors
{
	my ($page) = @_;
	return map { anchor($_) } slurp($page) =~ /^#+ +(.*)/mg;
}

# The name of a heading in links.
sub anchor { my ($heading) = @_; return lc $heading =~ s/[^\w\s-]//gr =~ s/ /-/gr }
