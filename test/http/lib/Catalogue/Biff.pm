package Catalogue::Biff;

# Make workbooks of Excel 5 to 2003: records, streams of records, and containers of streams.

use strict;
use warnings;

use Encode ();
use Exporter 'import';

our @EXPORT_OK = qw(record text_cell container stream xls);

use constant { SECTOR => 512, LAST => 0xFFFFFFFE, FREE => 0xFFFFFFFF };

sub record { my ($type, $bytes) = @_; return pack('v2', $type, length $bytes) . $bytes }

# A cell with a text, in BIFF8 with one byte for each character.
sub text_cell
{
	my ($row, $column, $text) = @_;
	return record(0x0204, pack('v4 C', $row, $column, 0, length $text, 0) . $text);
}

# A cell with a text in BIFF5.
sub byte_cell
{
	my ($row, $column, $text) = @_;
	return record(0x0204, pack('v4', $row, $column, 0, length $text) . $text);
}

# An entry of a directory: type 5 is the root, 2 a stream.
sub entry
{
	my ($name, $type, $next, $first, $size) = @_;
	return pack 'a64 v C2 l3 x36 V2 x4', Encode::encode('UTF-16LE', $name), 2 * length($name) + 2, $type, 1, -1, $next,
		$type == 5 ? 1 : -1, $first, $size;
}

# A container of streams, name => bytes, each in separate sectors; at most 62 KB.
sub container
{
	my @streams = @_;
	my @next = (0xFFFFFFFD);
	my ($directory, $bytes) = (entry('Root Entry', 5, -1, LAST, 0), '');
	# a sector of the directory has room for four entries
	my $sectors = int(@streams / 2 / 4) + 1;
	push @next, map { $_ < $sectors ? $_ + 1 : LAST } 1 .. $sectors;
	for (my $i = 0; $i < @streams; $i += 2)
	{
		my ($name, $stream) = @streams[ $i, $i + 1 ];
		# shorter streams would be in small sectors
		$stream .= "\0" x (4096 - length $stream) if length $stream < 4096;
		$directory .= entry($name, 2, $i + 2 < @streams ? $i / 2 + 2 : -1, scalar @next, length $stream);
		$stream .= "\0" x (-length($stream) % SECTOR);
		my $last = @next + length($stream) / SECTOR - 1;
		push @next, (map { $_ + 1 } @next .. $last - 1), LAST;
		$bytes .= $stream;
	}
	die 'too much for one sector of the table' if @next > 128;
	$directory .= "\0" x ($sectors * SECTOR - length $directory);
	return pack('a8 x16 v5 x6 V5 l V l V2 l108', "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", 0x3E, 3, 0xFFFE, 9, 6, 0, 1, 1, 0,
		4096, -2, 0, -2, 0, 0, (-1) x 108)
		. pack('V*', @next, (FREE) x (128 - @next)) . $directory . $bytes;
}

# The stream of a workbook with one sheet of the given records.
# version => 0x0600 or 0x0500, globals => records before the sheet, name => name of the sheet in bytes.
sub stream
{
	my ($records, %book) = @_;
	my $version = $book{version} // 0x0600;
	my $name = $book{name} // 'One';
	my $begin = sub { record(0x0809, pack 'v4' . ($version == 0x0600 ? ' V2' : ''), $version, $_[0], 0, 0, 0, 0) };
	my $globals = sub { $begin->(5) . ($book{globals} // '') . record(0x0085,
		pack('V C3', $_[0], 0, 0, length $name) . ($version == 0x0600 ? "\0" : '') . $name) . record(0x000A, '') };
	return $globals->(length $globals->(0)) . $begin->(16) . $records . record(0x000A, '');
}

sub xls { return container(Workbook => stream(@_)) }

1;
