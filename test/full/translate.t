#!/usr/bin/perl
# .ci/translate finds each fault of the catalogues of texts for people, and of the sources that they are made of.

use strict;
use warnings;
use utf8;

use Test::More;
use Catalogue::Words;
use File::Temp qw(tempdir);

# a copy of the sources with changes of one file: what .ci/translate says of it
sub checked
{
	my ($path, $change) = @_;
	my $copy = tempdir(CLEANUP => 1);
	system('cp', '-r', '--parents', '.ci/translate', 'shim/page', 'shim/po', 'extension/rows',
		'extension/documents', 'extension/files/email.sql', $copy) == 0 or die;
	if ($path)
	{
		local $_ = my $text = Catalogue::Words::slurp("$copy/$path");
		$change->();
		isnt($_, $text, "$path is changed");
		open my $out, '>:encoding(UTF-8)', "$copy/$path" or die "$path: $!\n";
		print $out $_;
		close $out;
	}
	my $printed = qx(cd $copy && LC_ALL=C .ci/translate check 2>&1);
	return ($? >> 8, $printed);
}
{
	my ($status, $printed) = checked();
	is($status, 0, 'the catalogues are complete') or diag $printed;
}
for my $wrong (
	[ 'a text that is new',          'shim/page/view_error.c',     sub {s/"Start page"|\{Start page\}/{First page}/},
		qr/run \.ci\/translate extract/ ],
	[ 'a text of a script',          'shim/page/static/upload.js', sub {s/'Choose a file'/'Choose one'/},
		qr/run \.ci\/translate extract/ ],
	[ 'a text that is no literal',   'shim/page/static/upload.js', sub {s/t\('Choose a file'\)/t(`Choose`)/},
		qr/upload\.js: t\(\) takes a text in single quotes/ ],
	[ 'a word in two literals',      'shim/page/layout.c',         sub {s/\{Main menu\}/{Main" " menu}/},
		qr/layout\.c: a word in braces stands in one string/ ],
	[ 'a message that is new',       'shim/po/messages.js',        sub {$_ .= "message('is new');\n"},
		qr/run \.ci\/translate extract/ ],
	[ 'a text of a picture', 'extension/rows/visuals/chart_drawing.sql', sub {s/'No data'/'Nothing'/},
		qr/run \.ci\/translate extract/ ],
	[ 'one of several things', 'extension/rows/visuals/chart_drawing.sql', sub {s/'One label with a/'One label of a/},
		qr/run \.ci\/translate extract/ ],
	[ 'a name that is there twice',  'shim/po/names.js',           sub {$_ .= "name('tags', 'Other tags');\n"},
		qr/run \.ci\/translate extract/ ],
	[ 'a translation that lacks',    'shim/po/es.po',              sub {s/^msgstr "Buscar"$/msgstr ""/m},
		qr/this message is untranslated/ ],
	[ 'one that is fuzzy',           'shim/po/es.po',              sub {s/^(?=msgid "Search"$)/#, fuzzy\n/m},
		qr/needs to be reviewed/ ],
	[ 'one that is not there',       'shim/po/es.po',              sub {s/^msgid "Search"\nmsgstr "Buscar"\n//m},
		qr/used but not defined/ ],
	[ 'a place of another name',     'shim/po/es.po',
		sub {s/^msgstr "no existe: \{record\}"/msgstr "no existe: {registro}"/m}, qr/argument named 'registro'|'record'/ ],
	[ 'a quote that is not closed',  'shim/po/es.po',              sub {s/^msgstr "Buscar"$/msgstr "Buscar/m},
		qr/end-of-line within string/ ],
	[ 'plural forms that lack',      'shim/po/es.po',              sub {s/^"Plural-Forms:.*\n//m},
		qr/Plural-Forms|plural forms/i ],
	[ 'plural forms that are wrong', 'shim/po/es.po',              sub {s/plural=\(n != 1\)/plural=(n != 1/},
		qr/plural/ ],
	[ 'another number',              'shim/po/es.po',              sub {s/^msgstr "12\.345,6"/msgstr "1234,5"/m},
		qr/"1234,5" is not the number 12,345\.6/ ],
	)
{
	my ($what, $path, $change, $expected) = @$wrong;
	my ($status, $printed) = checked($path, $change);
	isnt($status, 0, "$what is a fault");
	like($printed, $expected, "$what: which is told");
}

done_testing();
