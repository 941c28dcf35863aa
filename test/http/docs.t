#!/usr/bin/perl
# The documentation is true: the generated pages of the reference are those that the generator would
# write now, the examples of all pages run and answer as shown, links lead somewhere, and the
# targets of make that are named exist.
#
# Examples are fenced blocks.  In "console" a line that begins with "$ " is a command, which ">"
# continues, and what follows is its answer: no lines, no question.  "sql" is run as the owner of
# the database.  "sh" and "text" are not run; nor is make, nor what is marked "not run" above it.
# The blocks of a page run in their order, in one shell, on a service of their own.

use strict;
use warnings;

use File::Find ();
use File::Temp ();
use Test::More;
use Catalogue::Test;
use Catalogue::Worker;

my @pages = ('README.md', do {
	my @found;
	File::Find::find(sub { push @found, $File::Find::name if /\.md$/ }, 'docs');
	sort @found;
});

my $service = Catalogue::Test->start;

# the generated pages
my $directory = File::Temp->newdir;
$service->command({ environment($service) }, 'docs/reference/generate', "$directory");
for my $page (map { s{.*/}{}r } glob "$directory/*.md")
{
	my ($now, $then) = map { [ split /\n/, Catalogue::Test::slurp($_) ] } "$directory/$page", "docs/reference/$page";
	is_deeply($then, $now, "docs/reference/$page is up to date") or diag('run docs/reference/generate');
}

# the examples
for my $page (@pages)
{
	my @examples = examples($page) or next;
	my $fresh = Catalogue::Test->start;
	# what `make run` starts is more than a shim
	my $worker = $page =~ m{/tutorial/|/say-how-a-file-is-read} ? Catalogue::Worker->start($fresh) : undef;
	my @answers = run($fresh, @examples);
	$worker->finish if $worker;
	for my $example (@examples)
	{
		my $answer = shift @answers // { status => 'none', text => '' };
		my $name = "$page:$example->{line}: " . substr $example->{command} =~ s/\n.*//sr, 0, 70;
		is($answer->{status}, 0, "$name succeeds") or diag($answer->{text});
		next unless $example->{answer} =~ /\S/;
		is_deeply(meaning($fresh, $answer->{text}), meaning($fresh, $example->{answer}), "$name answers as shown")
			or diag($answer->{text});
	}
	is($fresh->stop_shim, 0, "$page: the shim ends with status 0");
	unlike($fresh->output, qr/Sanitizer|runtime error:/, "$page: and no sanitizer complained");
	$fresh->clean;
}

# links between the pages, and targets of make
my $makefile = Catalogue::Test::slurp('Makefile');
for my $page (@pages)
{
	my $text = Catalogue::Test::slurp($page);
	my @dead;
	my $place = $page =~ m{^(.*/)} ? $1 : '';
	while ($text =~ m{\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]*))?\)}g)
	{
		my ($file, $part) = (length $1 ? "$place$1" : $page, $2);
		push @dead, $file unless -e $file;
		push @dead, "$file#$part" if defined $part && -f $file && !grep { $_ eq $part } anchors($file);
	}
	is_deeply(\@dead, [], "$page: links lead somewhere");
	my %missing = map { $_ => 1 } grep { $makefile !~ /^$_:/m } $text =~ /(?:`|^\$ (?:\S+=\S+ )*)make ([a-z-]+)/mg;
	is_deeply([ sort keys %missing ], [], "$page: the targets of make exist");
}

$service->finish;

# Where the database of a service is, for psql and for the generator.
sub environment
{
	my ($service) = @_;
	return (%{ $service->{server} }, PGDATABASE => $service->{database});
}

# The examples of a page: line, command, answer.
sub examples
{
	my ($page) = @_;
	my ($kind, $skip, @examples) = ('', 0);
	my $number = 0;
	for (split /\n/, Catalogue::Test::slurp($page))
	{
		$number++;
		if (/^\s*```(\w*)/)
		{
			$kind = $kind ne '' ? '' : $1 || 'text';
			push @examples, { line => $number, kind => $kind, command => '', answer => '' }
				if $kind eq 'sql' && !$skip;
			$skip = 0 if $kind eq '';
		}
		elsif ($kind eq '')
		{
			$skip = /<!-- not run/ if /\S/;
		}
		elsif ($skip) { }
		elsif ($kind eq 'sql')
		{
			$examples[-1]{command} .= "$_\n";
		}
		elsif ($kind eq 'console' && /^\s*\$ (.*)/)
		{
			push @examples, { line => $number, kind => $kind, command => "$1\n", answer => '' };
		}
		elsif ($kind eq 'console' && /^\s*> (.*)/ && $examples[-1]{answer} eq '')
		{
			$examples[-1]{command} .= "$1\n";
		}
		elsif ($kind eq 'console')
		{
			$examples[-1]{answer} .= "$_\n";
		}
	}
	return grep { $_->{command} !~ /^(?:\S+='[^']*' |\S+=\S+ )*make / } @examples;
}

# Run examples in one shell; give for each its output and exit status.
sub run
{
	my ($service, @examples) = @_;
	my $mark = '=== the end of example';
	my $script = '';
	for my $example (@examples)
	{
		my $command = $example->{command} =~ s{http://127\.0\.0\.1:3000}{$service->{base}}gr;
		$command = "psql -X -q -v ON_ERROR_STOP=1 > /dev/null <<'END_OF_SQL'\n${command}END_OF_SQL\n" if $example->{kind} eq 'sql';
		$script .= "{ $command} 2>&1\necho; echo '$mark' \$?\n";
	}
	my $output = $service->command({ environment($service), LC_ALL => 'C.UTF-8' }, 'bash', '-c', $script);
	my @answers;
	push @answers, { text => $1, status => $2 } while $output =~ /\G(.*?)\n$mark (\d+)\n/gs;
	return @answers;
}

# What an answer says: JSON decoded, else words; ids, times, tokens, addresses and places are masked.
sub meaning
{
	my ($service, $text) = @_;
	$text =~ s{http://127\.0\.0\.1:3000|\Q$service->{base}\E}{BASE}g;
	$text =~ s/\b(after|before)=[\w.~-]+/$1=PLACE/g;
	$text =~ s/\b20\d\d-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?Z?/TIME/g;
	$text =~ s/\w{3}, \d\d \w{3} 20\d\d \d\d:\d\d:\d\d GMT/TIME/g;
	$text =~ s/\b(after|before)=[\w.-]+/$1=PLACE/g;
	$text =~ s/\beyJ[\w.-]+/TOKEN/g;
	$text =~ s/\b(?=\w*\d)(?=\w*[A-Z])[0-9A-Za-z]{15}\b/ID/g;
	$text =~ s/\b[0-9a-f]{16}\b/REQUEST/g;
	my $json = eval { $Catalogue::Test::json->decode($text) };
	return $json // join ' ', split ' ', $text;
}

# What the headings of a page are called in links.
sub anchors
{
	my ($page) = @_;
	return map { lc s/[^\w\s-]//gr =~ s/ /-/gr } Catalogue::Test::slurp($page) =~ /^#+ +(.*)/mg;
}
