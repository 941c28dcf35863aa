package Catalogue::Reader;

# Follows a page of the documentation as a person would: runs every block from the first on, each in the right
# program, on a separate service.
#
# A block of "sh" is run by a shell, which stays open; "sql" by `.ci/cluster psql`, which stays open too;
# "python" and "javascript" blocks are collected in a file that is run at the end.  A block of "text",
# "json" or "csv" that follows directly is the expected output.  Blocks of different languages without
# an output between them do the same: a person picks one language.

use strict;
use warnings;

use Cwd ();
use File::Find ();
use File::Path ();
use IPC::Open2 qw(open2);
use Catalogue::Client qw($json);
use Catalogue::Program qw(free_port needed slurp);

# Pages that no test can follow, with the reason.
my %unfollowed = (
	'docs/contributing.md' => 'it lists all targets of make; the tests are among them',
	'docs/reference/sql-functions.md' => 'its blocks are the signatures of functions',
	'docs/how-to/run-one-test.md' => 'it runs the tests, which would run it again',
	'docs/how-to/test-on-other-versions.md' => 'it makes other releases of Debian, as root, in an hour; full/chroot tests '
		. 'the command',
	'docs/how-to/change-the-major-version-of-postgresql.md' => 'it takes servers of two releases of PostgreSQL, of which '
		. 'a release of Debian has one; full/major-version follows it in one that has three',
	'docs/how-to/measure-the-speed.md' => 'it measures for a quarter of an hour, on an otherwise idle machine',
	'docs/how-to/install-packages.md' => 'it installs packages and starts services of the system; full/packages tests '
		. 'their parts',
	'docs/how-to/run-the-images.md' => 'it takes a daemon of docker; full/images runs the images',
	'docs/how-to/keep-bytes-in-an-object-store.md' => 'it takes an object store; full/object-store has one',
	'docs/how-to/run-behind-a-gateway.md' => 'it changes /etc and starts a service of the system; full/gateway runs its '
		. 'configuration',
);
# Pages that need a separate server: "service" as `make run` makes it, "bare" without a catalogue.
my %own_server = (
	'docs/tutorial/first-steps.md' => 'service',
	'docs/how-to/seed-in-spanish.md' => 'service',
	'docs/how-to/load-a-catalogue.md' => 'service',
	'docs/how-to/back-up-and-restore.md' => 'service',
	'docs/how-to/go-back-to-an-instant.md' => 'service',
	# It creates a role, which pages that are followed at the same time on the same server would find.
	'docs/how-to/use-the-database-roles.md' => 'service',
	'docs/how-to/install-into-an-existing-server.md' => 'bare',
);

my $mark   = '=== the end of a block';
my %typed  = map { $_ => 1 } qw(sh sql python javascript);
my %answer = map { $_ => 1 } qw(text json csv);
my %shown  = map { $_ => 1 } qw(haproxy html ini nginx ts yaml);
my $count  = 0;
my %here;    # readers whose files and processes still exist

# All pages of the documentation.
sub pages
{
	my @found = 'README.md';
	File::Find::find({ no_chdir => 1, wanted => sub { push @found, $_ if /\.md$/ } }, 'docs');
	return sort @found;
}

# Whether a block is of a known kind: one that is run, an output, or one that is only shown.
sub is_kind
{
	my ($kind) = @_;
	return $typed{$kind} || $answer{$kind} || $shown{$kind};
}

# The steps of a page: { line, kinds => { sh => text, ... }, answer }.
sub steps
{
	my ($page) = @_;
	my ($number, $block, $open, @steps) = (0);
	for (split /\n/, slurp($page))
	{
		$number++;
		if ($block)
		{
			if (/^\s*```\s*$/)
			{
				($open) = take($block, \@steps, $open);
				undef $block;
			}
			else
			{
				$block->{text} .= s/^ {0,$block->{indent}}//r . "\n";
			}
		}
		elsif (/^(\s*)```(\w*)/)
		{
			$block = { indent => length $1, kind => $2, line => $number, text => '' };
		}
		elsif (/\S/)
		{
			$open = 0;
		}
	}
	return @steps;
}

# Add a block to the steps; return whether the next block may belong to the last step.
sub take
{
	my ($block, $steps, $open) = @_;
	my $kind = $block->{kind};
	if ($typed{$kind})
	{
		my $last = $steps->[-1];
		push @$steps, $last = { line => $block->{line}, kinds => {} }
			if !$open || $kind eq 'sql' || defined $last->{answer} || grep { $last->{kinds}{$_} } $kind, 'sql';
		$last->{kinds}{$kind} = $block->{text};
		return 1;
	}
	return 0 unless $open && $answer{$kind} && !defined $steps->[-1]{answer};
	$steps->[-1]{answer} = $block->{text};
	return 0;
}

# Make a reader with a directory that looks like that of the project and has nothing else in it; with a separate
# server, or on that of the tests.
sub new
{
	my ($class, $own_server) = @_;
	my $name = sprintf 'reader_%d_%d', $$, ++$count;
	my $self = bless {
		name  => $name,
		place => needed('CATALOGUE_TEST_DIRECTORY') . "/$name",
		port  => free_port(),
	}, $class;
	my $home = $self->{home} = "$self->{place}/project";
	my $top  = Cwd::getcwd();

	File::Path::make_path("$home/var/logs", "$self->{place}/temporary");
	# the worker, which may be of another user, writes there as well
	chmod 01777, "$self->{place}/temporary";
	symlink "$top/$_", "$home/$_" for grep { !/^(?:var|logs)$/ } map { s{.*/}{}r } glob '* .ci';
	chown((getpwnam 'postgres')[2, 3], "$home/var/logs") if $> == 0;
	$self->{environment} = {
		$own_server ? (CATALOGUE_VAR => undef, CATALOGUE_PORT => undef) : (PGDATABASE => $name),
		READER_SERVER => $own_server // 'shared',
		READER_PORT  => $self->{port},
		READER_PLACE => $self->{place},
		TMPDIR       => "$self->{place}/temporary",
		LC_ALL       => 'C.UTF-8',
		PATH         => ($ENV{CATALOGUE_SHIM} =~ s{/[^/]*$}{}r) . ":$ENV{PATH}",
	};
	$self->{shell} = $self->open_session('exec bash --norc 2>&1');
	type($self->{shell}, '. test/http/lib/reader.sh', "echo; echo '$mark' 0\n");
	$here{$name} = $self;
	return $self;
}

# The environment of the reader's programs, without that of the tests' server.
sub environment
{
	my ($self) = @_;
	my %found = (%ENV, PGDATABASE => undef, %{ $self->{environment} });
	delete @found{ grep { /^PG(?!DATABASE|_CONFIG)/ || !defined $found{$_} } keys %found };
	return %found;
}

# Start a program that reads commands from standard input.
sub open_session
{
	my ($self, $command) = @_;
	local %ENV = $self->environment;
	my %session;
	$session{pid} = open2($session{out}, $session{in}, 'sh', '-c', "cd '$self->{home}' && $command");
	return \%session;
}

# Send lines to a session, and lines that make it print a mark; return what heard() returns for it.
sub type
{
	my ($session, $text, $end) = @_;
	local $SIG{PIPE} = 'IGNORE';

	print { $session->{in} } "$text\n", $end;
	$session->{in}->flush;
	return heard($session);
}

# Read what a session prints until a mark, and the number after the mark; undef in place of the
# number when the session ends before.
sub heard
{
	my ($session) = @_;
	my ($printed, $status) = ('');
	local $SIG{ALRM} = sub { die "a block does not end; it has printed:\n$printed\n" };

	alarm 120;
	while (defined(my $line = readline $session->{out}))
	{
		$printed .= $line;
		next unless $printed =~ s/^\Q$mark\E (\d+)\n\z//m;
		$status = $1;
		last;
	}
	alarm 0;
	return ($printed, $status);
}

# Run a block in the shell; each command must succeed: one that fails is reported with its text.
sub shell
{
	my ($self, $text) = @_;
	$text =~ s/\n*\z//;
	my $end = "trap - ERR; set +E; echo; echo '$mark' \$reader_failed\n";
	my ($printed, $failed) = type($self->{shell},
		qq(reader_failed=0; set -E; trap 'reader_failed=1; echo "failed: \$BASH_COMMAND"' ERR\n$text), $end);
	return { text => $printed, good => defined $failed && $failed == 0 };
}

sub prompt
{
	my ($self, $text) = @_;
	$self->{prompt} //= $self->open_session('exec .ci/cluster psql -q -v ON_ERROR_STOP=1 2>&1');
	my ($printed, $end) = type($self->{prompt}, $text, "\\echo\n\\echo $mark 0\n");
	return { text => $printed, good => defined $end };
}

# Run all blocks of a script language as one file; return an answer for each.
sub script
{
	my ($self, $command, $print, @texts) = @_;
	my $file = "$self->{place}/script";
	open my $out, '>', $file or die "$file: $!";
	print $out map { "$_\n$print\n" } @texts;
	close $out;

	my $session = $self->open_session("exec $command '$file' 2>&1");
	return map {
		my ($printed, $end) = heard($session);
		{ text => $printed, good => defined $end }
	} @texts;
}

# Follow the steps in a language; return an answer for each: its text, and whether it succeeded.
sub follow
{
	my ($self, $language, @steps) = @_;
	my %command = (python => [ 'python3 -u', "print('\\n$mark 0')" ],
		javascript => [ 'node --input-type=module - <', "console.log('\\n$mark 0')" ]);
	my @texts = map { $self->here($_->{kinds}{$language} // $_->{kinds}{sh} // $_->{kinds}{sql}) } @steps;

	return $self->script(@{ $command{$language} }, @texts) if $command{$language};
	return map { $steps[$_]{kinds}{sh} ? $self->shell($texts[$_]) : $self->prompt($texts[$_]) } 0 .. $#steps;
}

# The text with the address of this reader's service in place of the address of `make run`.
sub here
{
	my ($self, $text) = @_;
	return $text =~ s{127\.0\.0\.1:3000}{127.0.0.1:$self->{port}}gr;
}

sub sql
{
	my ($self, $statement) = @_;
	local %ENV = $self->environment;
	open my $out, '-|', 'sh', '-c', 'cd "$0" && exec "$@"', $self->{home}, '.ci/cluster', 'psql', '-qAt', '-v',
		'ON_ERROR_STOP=1', '-c', $statement or die ".ci/cluster: $!";
	chomp(my @rows = <$out>);
	close $out or die "psql: $statement\n";
	return @rows;
}

# Test that a page can be followed in each of its languages, that the answers are those shown, and that
# it leaves nothing behind.  %unfollowed has the pages that a test cannot follow.
sub is_true
{
	my ($page) = @_;
	my @steps = steps($page) or return;
	if (my $reason = $unfollowed{$page})
	{
		Test::More::note("$page is not followed: $reason");
		return;
	}
	my %languages = map { $_ => 1 } 'sh', grep { /python|javascript/ } map { keys %{ $_->{kinds} } } @steps;
	is_true_in($page, $_, @steps) for sort keys %languages;
	return;
}

sub is_true_in
{
	my ($page, $language, @steps) = @_;
	my $reader = Catalogue::Reader->new($own_server{$page});
	my $before;
	# most pages assume that the service is running
	my $begins = ($steps[0]{kinds}{sh} // '') =~ /^(?:CATALOGUE_\S+=(?:'[^']*'|\S+) )*make run$/m
		|| ($own_server{$page} // '') eq 'bare';
	if (!$begins)
	{
		$reader->shell('make run')->{good} or Test::More::diag('make run failed');
		$before = $reader->traces;
	}
	my @answers = $reader->follow($language, @steps);
	for my $step (@steps)
	{
		my $answer = shift @answers;
		my $name   = "$page:$step->{line}" . ($language eq 'sh' ? '' : " in $language");
		Test::More::ok($answer->{good}, "$name succeeds") or Test::More::diag($answer->{text});
		next unless defined $step->{answer};
		Test::More::is_deeply($reader->meaning($answer->{text}), $reader->meaning($step->{answer}), "$name answers as shown")
			or Test::More::diag($answer->{text});
	}
	Test::More::is_deeply([ difference($before, $reader->traces) ], [],
		"$page in $language leaves nothing behind") if $before;
	$reader->shell('make stop') if !$own_server{$page} || -e "$reader->{home}/var/shim";
	Test::More::is($reader->complaints, '', "$page in $language: the programs end as they should");
	$reader->leave;
	return;
}

# The elements that are in only one of two lists.
sub difference
{
	my ($one, $other) = @_;
	my %found;
	$found{$_} .= 'gone: ' for @$one;
	$found{$_} .= 'new: ' for @$other;
	return sort map { $found{$_} eq 'gone: new: ' ? () : "$found{$_}$_" } keys %found;
}

# The meaning of an answer: decoded JSON, else words; ids, times, tokens, addresses and directories are masked.
sub meaning
{
	my ($self, $text) = @_;
	$text =~ s{http://127\.0\.0\.1:(?:3000|$self->{port})}{BASE}g;
	$text =~ s/\b20\d\d-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?Z?/TIME/g;
	$text =~ s/\w{3}, \d\d \w{3} 20\d\d \d\d:\d\d:\d\d GMT/TIME/g;
	$text =~ s/\b(after|before)=[\w.~-]+/$1=PLACE/g;
	$text =~ s/\beyJ[\w.-]+/TOKEN/g;
	$text =~ s/\b(?=\d\w*[A-Za-z])[0-9A-Za-z]{15}\b/ID/g;
	$text =~ s/\b[0-9a-f]{16}\b/REQUEST/g;
	# the tests have built the programs already, so these steps are not in the expected output
	$text =~ s/^(?:packages|build): \d+\.\d s\n//mg;
	$text =~ s/\b\d+\.\d s\b/SECONDS/g;
	$text =~ s{\bpid \d+, worker \d+}{PROGRAMS}g;
	$text =~ s{\bin /\S+/(?:catalogue|project)/var\b}{in VAR}g;
	my $json = eval { $json->decode($text) };
	return $json // join ' ', split ' ', $text;
}

# What a page must not change: records, tables, settings, files.
sub traces
{
	my ($self) = @_;
	my @records = $self->sql(join ' UNION ALL ', map {
		my ($resource, $table) = split /\|/;
		"SELECT '$resource ' || id FROM $table WHERE deleted_at IS NULL"
	} $self->sql(
		"SELECT resource, relation FROM catalogue.resource WHERE resource NOT IN ('logs', 'statistics', 'jobs', 'fetches')"));
	my @files;
	File::Find::find({ no_chdir => 1, wanted => sub { push @files, $_ if -f } },
		grep { !/\/var$/ } glob "$self->{home}/* $self->{place}/temporary");
	return [
		sort @records, @files,
		$self->sql("SELECT 'table ' || oid::regclass FROM pg_class WHERE relkind IN ('r', 'v') AND relnamespace NOT IN "
			. "('pg_catalog'::regnamespace, 'information_schema'::regnamespace) AND relpersistence = 'p'"),
		$self->sql("SELECT 'column ' || attrelid::regclass || '.' || attname FROM pg_attribute WHERE attnum > 0 AND NOT "
			. "attisdropped AND attrelid IN (SELECT relation FROM catalogue.resource)"),
		$self->sql("SELECT 'setting ' || unnest(setconfig) FROM pg_db_role_setting WHERE setdatabase = (SELECT oid FROM "
			. "pg_database WHERE datname = current_database())"),
		$self->sql("SELECT 'role ' || rolname FROM pg_roles WHERE rolname !~ '^(pg|regress)_'"),
	];
}

# What the programs wrote, and which did not end with status 0.
sub complaints
{
	my ($self) = @_;
	my @output = grep { /Sanitizer|runtime error:/ } map { slurp("$self->{place}/$_.output") } qw(shim worker);
	return join "\n", slurp("$self->{place}/statuses"), @output;
}

# End the programs that are running, close the sessions and remove all files.
sub leave
{
	my ($self) = @_;
	delete $here{ $self->{name} };
	$self->shell('.ci/cluster stop > /dev/null 2>&1 || true') if $self->{environment}{READER_SERVER} ne 'shared';
	for my $session (grep { defined } @$self{qw(shell prompt)})
	{
		close $session->{in};
		waitpid $session->{pid}, 0;
	}
	if ($self->{environment}{READER_SERVER} eq 'shared')
	{
		local $self->{environment}{PGDATABASE} = 'postgres';
		$self->sql("DROP DATABASE IF EXISTS $self->{name} WITH (FORCE)");
	}
	File::Path::remove_tree($self->{place});
	return;
}

# A test that dies leaves no program running.
END
{
	my $status = $?;
	for my $reader (values %here)
	{
		kill 'KILL', map { slurp($_) =~ /^(\d+)/ } glob "$reader->{home}/var/shim $reader->{home}/var/worker";
		system 'sh', '-c', 'CATALOGUE_VAR=$1 .ci/cluster stop > /dev/null 2>&1', 'sh', $_
			for grep { -d } "$reader->{place}/server", "$reader->{home}/var";
		File::Path::remove_tree($reader->{place});
	}
	$? = $status;
}

1;
