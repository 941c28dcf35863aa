package Catalogue::Words;

# The catalogues of texts for people, shim/po/.

use strict;
use warnings;

use Encode qw(decode_utf8);

sub slurp
{
	my ($path) = @_;
	open my $in, '<:raw', $path or die "$path: $!\n";
	local $/;
	return decode_utf8(scalar <$in>);
}

# The languages besides English.
sub languages
{
	return map { m{/([^/]+)\.po$} ? $1 =~ tr/_/-/r : () } sort glob 'shim/po/*.po';
}

# The catalogue of a language.
sub file
{
	my ($language) = @_;
	return 'shim/po/' . ($language =~ tr/-/_/r) . '.po';
}

# The entries of a catalogue: context ('' where it has none), English text and translation, of one and of several.
sub entries
{
	my ($path) = @_;
	my @entries;
	for my $entry (split /\n\n+/, slurp($path))
	{
		my %part = map { s/\\(["\\])/$1/gr } $entry =~ /^(msg\w+(?:\[\d\])?) "(.*)"$/mg;
		next unless length $part{msgid};
		push @entries, [ $part{msgctxt} // '', $part{msgid}, $part{msgstr} // $part{'msgstr[0]'} ];
		push @entries, [ '', $part{msgid_plural}, $part{'msgstr[1]'} ] if defined $part{msgid_plural};
	}
	return @entries;
}

# The English texts that a page in a language does not have, with their translations: not those that mean something in
# the language, too.
sub foreign
{
	my ($language) = @_;
	my @entries = entries(file($language));
	my %foreign = map { $_->[1] => $_->[2] } grep { $_->[0] ne 'language name' && $_->[1] ne $_->[2] } @entries;
	delete @foreign{ map { $_->[2] } @entries };
	return \%foreign;
}

# Those of the texts of a page, which numbers and signs may surround.
sub english
{
	my ($language, @texts) = @_;
	my $foreign = foreign($language);
	return grep { $foreign->{$_} } map { s/^[\s:·+\d,.]+|[\s:·]+$//gr } @texts;
}

1;
