package Demo::Source;

# A DCAT catalogue (data.json), and what is expected of the records that an import makes of its entries.

use strict;
use warnings;

use JSON::PP           ();
use Unicode::Normalize ();

sub read_file
{
	my ($class, $file) = @_;
	open my $in, '<:raw', $file or die "cannot read $file: $!\n";
	my $text = do { local $/; <$in> };
	my $catalogue = eval { JSON::PP->new->utf8->decode($text) }
		// die "$file is no JSON: " . ($@ =~ s/ at \S+ line \d+.*//sr) . "\n";

	die "$file is no DCAT catalogue: it has no list \"dataset\"\n"
		unless ref $catalogue eq 'HASH' && ref $catalogue->{dataset} eq 'ARRAY';
	my %labels = map { $_->{id} => $_->{label} }
		grep { defined $_->{id} && defined $_->{label} } @{ $catalogue->{themeTaxonomy} // [] };
	return bless { catalogue => $catalogue, labels => \%labels }, $class;
}

# The document as it is sent.
sub document { my ($self) = @_; return $self->{catalogue} }

# What the dataset of an entry, by its number from 1, must have: texts, names, and addresses of files with their names.
sub expected
{
	my ($self, $number) = @_;
	my $entry = $self->{catalogue}{dataset}[ $number - 1 ];
	my %files;

	for my $distribution (as_list($entry->{distribution}))
	{
		my $url = $distribution->{downloadURL} // $distribution->{accessURL} // next;
		$files{$url} = $distribution->{title} // $url;
	}
	return {
		texts      => { name => $entry->{title}, description => $entry->{description} },
		tags       => [ as_list($entry->{keyword}) ],
		categories => [ map { $self->{labels}{$_} // $_ } as_list($entry->{theme}) ],
		identifier => $entry->{identifier},
		files      => \%files,
	};
}

# A list, whether it is written as one, as a single value, or not at all.
sub as_list
{
	my ($value) = @_;
	return ref $value eq 'ARRAY' ? @$value : defined $value ? ($value) : ();
}

# A name without letter case, accents and punctuation: names that have this in common are one record.
sub folded
{
	my ($name) = @_;
	return lc(Unicode::Normalize::NFD($name) =~ s/\p{M}//gr) =~ s/[^\p{L}\p{N}]+/-/gr =~ s/\A-|-\z//gr;
}

1;
