package Catalogue::Archive;

# ZIP archives that the service has made, as Archive::Zip reads them.

use strict;
use warnings;

use Archive::Zip ();
use Compress::Zlib ();
use File::Temp ();

# The members of an archive, given as bytes: name => content.  Dies where the archive is damaged, or has a name twice.
sub members
{
	my ($bytes) = @_;
	my $file = File::Temp->new;
	binmode $file;
	print $file $bytes;
	close $file or die "$file: $!\n";

	my ($zip, %content) = (Archive::Zip->new);
	local $Archive::Zip::ErrorHandler = sub { die "the archive is damaged: @_\n" };
	$zip->read("$file") == Archive::Zip::AZ_OK() or die "not an archive\n";
	for my $member ($zip->members)
	{
		my $name = $member->fileName;
		die "$name: twice in the archive\n" if exists $content{$name};
		my ($content, $status) = $member->contents;
		die "$name: cannot be read\n" if $status != Archive::Zip::AZ_OK();
		die "$name: another size or CRC\n"
			if length $content != $member->uncompressedSize || Compress::Zlib::crc32($content) != $member->crc32;
		$content{$name} = $content;
	}
	return %content;
}

1;
