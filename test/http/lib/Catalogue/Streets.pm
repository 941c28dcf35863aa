package Catalogue::Streets;

# A file of invented streets: PMTiles of the vector tile of zoom 1 in the north east, with the layers "earth" and
# "roads" as Protomaps has them.

use strict;
use warnings;

use Exporter qw(import);

our @EXPORT_OK = qw(streets_write);

use constant {
	EXTENT => 1 << 21, # units of the tile; 10 m at the equator
	PI     => atan2(0, -1),
};

sub varint
{
	my ($number) = @_;
	my $bytes = '';

	for (; $number > 127; $number >>= 7) { $bytes .= chr($number & 127 | 128) }
	return $bytes . chr $number;
}

# A field of Protocol Buffers: a number, or bytes with their length.
sub number { my ($field, $value) = @_; return varint($field << 3) . varint($value) }
sub bytes { my ($field, $value) = @_; return varint($field << 3 | 2) . varint(length $value) . $value }

# Where a place is in the tile.
sub units
{
	my ($longitude, $latitude) = @_;
	my $angle = $latitude * PI / 180;
	my $sine  = sin $angle;

	return (int($longitude / 180 * EXTENT), int((1 - log((1 + $sine) / (1 - $sine)) / (2 * PI)) * EXTENT));
}

# The commands that draw a line through places, or an area, whose type is 3.
sub geometry
{
	my ($type, @places) = @_;
	my ($x, $y) = (0, 0);
	my @numbers;

	for my $i (0 .. $#places) {
		my ($to_x, $to_y) = units(@{ $places[$i] });

		push @numbers, 9 if $i == 0;
		push @numbers, $#places << 3 | 2 if $i == 1;
		push @numbers, map { $_ < 0 ? -2 * $_ - 1 : 2 * $_ } $to_x - $x, $to_y - $y;
		($x, $y) = ($to_x, $to_y);
	}
	return join '', map { varint($_) } @numbers, $type == 3 ? 15 : ();
}

# A layer whose features have a kind.
sub layer
{
	my ($name, $type, $kind, @lines) = @_;
	my $features = join '',
		map { bytes(2, bytes(2, chr(0) . chr(0)) . number(3, $type) . bytes(4, geometry($type, @$_))) } @lines;

	return bytes(3, bytes(1, $name) . $features . bytes(3, 'kind') . bytes(4, bytes(1, $kind)) . number(5, EXTENT)
		. number(15, 2));
}

# Write a file with streets, lists of [longitude, latitude], inside west, south, east and north.
sub streets_write
{
	my ($path, $bounds, $attribution, @streets) = @_;
	my ($west, $south, $east, $north) = @$bounds;
	my $area = [ [ $west, $south ], [ $east, $south ], [ $east, $north ], [ $west, $north ] ];
	my $tile = layer('earth', 3, 'earth', $area) . layer('roads', 2, 'highway', @streets);
	my $root = join '', map { varint($_) } 1, 4, 1, length $tile, 1;
	my $json = qq({"name":"streets","attribution":"$attribution"});
	my $after = 127 + length($root) + length $json;
	# no leaf directories; neither directories nor the tile, of type 1, are compressed; zoom 1
	my $header = 'PMTiles' . chr(3) . pack('Q<8 Q<3 C6 l<4 C l<2', 127, length $root, 127 + length $root, length $json,
		$after, 0, $after, length $tile, 1, 1, 1, 1, 1, 1, 1, 1, 1,
		map({ int($_ * 1e7) } $west, $south, $east, $north), 0, 0, 0);

	open my $out, '>:raw', "$path.new" or die "$path.new: $!";
	print $out $header, $root, $json, $tile;
	close $out or die "$path.new: $!";
	rename "$path.new", $path or die "$path: $!";
	return;
}

1;
