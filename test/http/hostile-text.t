#!/usr/bin/perl
# Any text in a path, a query or a body gets an answer of the contract within a second, and never a server
# error.  Texts are read back as they were sent.

use strict;
use warnings;
use utf8;

use Encode ();
use Test::More;
use Unicode::Normalize qw(NFC);
use Time::HiRes qw(time);
use Catalogue::Test;

binmode $_, ':utf8' for Test::More->builder->output, Test::More->builder->failure_output;

my $service = Catalogue::Test->shared->as_admin;

# Texts that are known to break programs; each must be stored to the last character.
my @texts = (
	"'", '"', '\\', "\\'", "''", '--', ';', "'; DROP TABLE catalogue.tags; --", "' OR '1'='1", '$1', '%s%n', '%', '_',
		'\\%', '%%%%%',
	'null', 'NULL', 'undefined', 'true', 'NaN', '0', '-0', '1e309', '0x10', '00', '1,2', '{}', '[]', '{"a":1}',
		'<script>alert(1)</script>',
	'<!--', ']]>', '&lt;', '${7*7}', '{{7*7}}', '`id`', '$(id)', '| id', '../../../etc/passwd', 'C:\\NUL', 'CON', 'a/b',
		'a?b#c', 'a=b&c=d',
	'http://a/', "tab\there", "line\nbreak", "return\r\nbreak", "bell\a", "escape\e[31m", "\x{7f}", "\x{80}", "\x{a0}",
		"\x{ad}soft",
	'ÁÉÍÓÚñü', 'ß', 'İstanbul', 'ı', 'ﬁ', 'Ǆ', "e\x{301}", "\x{301}", "\x{200b}", "a\x{200b}b", "\x{202e}abc",
		"\x{feff}bom", "\x{2028}", "\x{fffd}", "\x{fffe}",
	"\x{ffff}", '田中さん', '사회과학원', 'الإنجليزية', 'ﷺ', '👩‍👩‍👧‍👦', '🇦🇷', "\x{1f4a9}", "\x{10ffff}", '(╯°□°）╯︵ ┻━┻',
		"Z\x{351}\x{36b}algo",
	' ', '  two  blanks  ', ' leading', 'trailing ', 'x' x 100, 'ñ' x 100, '.', '..', '-', '_-', '~', 'first', 'last',
		'count', 'me', 'login',
);
for my $text (@texts)
{
	my $shown = Encode::encode('UTF-8', $text);
	$shown =~ s/([^ -~])/sprintf '\\x%02x', ord $1/ge;
	$shown = substr $shown, 0, 60;

	my $reply = $service->post('/views', { name => $text });
	if ($reply->{status} == 400)
	{
		# a name without visible characters may be refused
		like($text, qr/^[\s\p{C}]*$/, "\"$shown\": refused only when it is blank") or diag($reply->{body});
		next;
	}
	is($reply->{status}, 201, "\"$shown\": kept") or diag($reply->{body});
	next if $reply->{status} != 201;
	my $record = $service->follow($reply->{json}{links}{record})->{json}{data};
	# a name is composed, and white space around it removed
	is($record->{name}, NFC($text) =~ s/^[\s\x{FEFF}]+|[\s\x{FEFF}]+$//gr,
		"\"$shown\": read as it was sent, in NFC, without white space around it");

	# the record is found by its name
	my $query = Encode::encode('UTF-8', $text) =~ s/([^A-Za-z0-9])/sprintf '%%%02X', ord $1/ger;
	my @found = map { $_->{id} } @{ $service->get("/views?name=%22$query%22&match=EXACT&limit=1000")->{json}{data} // [] };
	ok((grep { $_ eq $record->{id} } @found), "\"$shown\": found") unless $text =~ /["\\]|^\s|\s$|[\p{C}\p{M}]/;
}
is($service->get('/views/count')->{status}, 200, 'views are counted');

# queries: each name with each value, singly and combined
my @names  = qw(name id createdAt active createdBy createdBy.username status.name limit skip orderBy sort match
	condition fields include query version
	nonesuch name[gte] name[nonesuch] [ ] a.b.c .name name. createdBy.password password);
my @values = map { Encode::encode('UTF-8', $_) } '', '0', '-1', '1', '20', '99999999999999999999999',
	'9223372036854775807', '1.5', '1e3', 'null', 'true', 'x',
	'name', 'NAME', 'name,id', ',', ',,,', '"', '""', "'", "name'--", 'name;select 1', '(select 1)', 'name desc',
		'pg_sleep(5)', 'ctid', 'tableoid', 'deleted_at',
	'created_by', 'createdBy.createdBy.createdBy', 'createdBy.password', '%', '%25' x 50, '_', '\\', 'ASC', 'desc',
		'BEGINS', 'or', '2026-01-01', '2026-01-01T00:00:00Z',
	'2026-02-30', 'now', 'infinity', '-infinity', 'epoch', '0000-00-00', '2999-01-01T00:00:00.000000Z', "a\0b", "\x{ff}",
		'ñ' x 200, 'x' x 2000, '{', '[1]', '*', '../..';
my ($requests, $slowest, %status) = (0, 0);
my @bad;

sub ask
{
	my ($path) = @_;
	my $start = time;
	my $reply = $service->get($path);
	my $taken = time - $start;
	$requests++;
	$status{ $reply->{status} }++;
	$slowest = $taken if $taken > $slowest;
	push @bad, "$reply->{status} in $taken s: " . substr($path, 0, 200) . ' ' . substr($reply->{body}, 0, 300)
		if $reply->{status} !~ /^(200|206|400|404|406|414|422)$/ || $taken > 10 || !ref $reply->{json}
		|| ($reply->{status} >= 400) != exists $reply->{json}{code};
	return $reply;
}

sub escape { my ($text) = @_; return $text =~ s/([^A-Za-z0-9.,-])/sprintf '%%%02X', ord $1/ger }

for my $name (@names)
{
	ask('/tags?' . escape($name) . '=' . escape($_)) for @values;
}
is(scalar @bad, 0, sprintf '%d queries: %s; slowest %.0f ms', $requests,
	join(', ', map { "$status{$_} of $_" } sort keys %status), 1e3 * $slowest)
	or diag(join "\n", @bad[ 0 .. ($#bad < 9 ? $#bad : 9) ]);

srand 2026;
@bad = ();
for (1 .. 600)
{
	my $resource = (qw(tags datasets users files configs logs))[ rand 6 ];
	my $rest = (('') x 4, '/first', '/last', '/count', '/count')[ rand 8 ];
	ask("/$resource$rest?" . join '&',
		map { escape($names[ rand @names ]) . '=' . escape($values[ rand @values ]) } 0 .. rand 6);
}
is(scalar @bad, 0, "combined: the same") or diag(join "\n", @bad[ 0 .. ($#bad < 9 ? $#bad : 9) ]);

# queries without structure: names without values, separators alone, broken escapes, many parameters
@bad = ();
ask("/tags?$_") for '', '&', '&&&', '=', '==', '=x', 'name', 'name&name', '%', '%2', '%zz=1', 'name=%', 'name=%zz',
	'%00=1', 'name=%C3', 'name=%ff%fe', '?name=a', 'name=a?b',
	'name=a;limit=1', join('&', map { "p$_=$_" } 1 .. 100), join('&', ('name=a') x 100), 'limit=5&limit=6',
		'name=' . '%25C3%2591';
is(scalar @bad, 0, 'queries without structure: the same') or diag(join "\n", @bad[ 0 .. ($#bad < 9 ? $#bad : 9) ]);

# paths: ids of any shape
@bad = ();
ask('/tags/' . escape($_)) for map { s{/}{}gr } grep { !/\0/ && length && $_ ne '..' && $_ ne '.' } @values,
	map { Encode::encode('UTF-8', $_) } @texts;
is(scalar @bad, 0, 'ids of any shape: the same') or diag(join "\n", @bad[ 0 .. ($#bad < 9 ? $#bad : 9) ]);

# no request caused a server error
is(scalar(grep { ($_->{status} // 0) >= 500 } $service->log), 0, 'no answer was a server error');
is($service->get('/tags/count')->{status}, 200, 'the next request works');

$service->finish;
