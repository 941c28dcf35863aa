package Catalogue::Parser;

# Run the child that reads files, catalogue-worker --parse, and decode its frames; make valid and
# invalid archives and workbooks.

use strict;
use warnings;

use Compress::Raw::Zlib ();
use Exporter 'import';
use Cpanel::JSON::XS ();

our @EXPORT_OK = qw(parse parse_pipe program zip part workbook cells kind);

# Do not decode the cells of chunks.
our $light = 0;

my $json = Cpanel::JSON::XS->new->allow_nonref->utf8;

# Forms that a program of its own reads.
our %geographic = map { $_ => 1 } qw(zip shp gpkg gml gpx topojson fgb mif dxf to-kml to-gpkg to-shp);

# The path of the program under test that reads a form: the one in the directory of the shim under test.  Tables in a
# system of coordinates are read as geographic files.
sub program
{
	my ($form, @options) = @_;
	my $worker = worker();
	my $geographic = $geographic{ $form // '' } || grep { $_ eq '--crs' } @options;
	return $geographic ? $worker =~ s/catalogue-worker$/catalogue-geo-reader/r : $worker;
}

sub worker
{
	return $ENV{CATALOGUE_WORKER}
		// (($ENV{CATALOGUE_SHIM} // '') =~ /sanitized/ ? 'build/sanitize/catalogue-worker' : 'build/catalogue-worker');
}

# Parse bytes as a format, with command-line options:
# {status, signal, sheets => [{name, hidden, rows, issues, columns, ...}], refused}.
# Dies at anything that is not a valid sequence of frames.
sub parse
{
	my ($form, $bytes, @options) = @_;
	open my $input, '+>', undef or die "a temporary file: $!";
	binmode $input;
	syswrite_all($input, $bytes);
	sysseek $input, 0, 0;
	return run($form, $input, length $bytes, @options);
}

# Parse bytes that arrive through a pipe, in pieces of a size.
sub parse_pipe
{
	my ($form, $bytes, $piece, @options) = @_;
	pipe my $input, my $output or die "a pipe: $!";
	my $writer = fork // die "fork: $!";
	if ($writer == 0)
	{
		local $SIG{PIPE} = 'IGNORE';
		close $input;
		for (my $at = 0; $at < length $bytes; $at += $piece)
		{
			syswrite $output, $bytes, $piece, $at or last;
		}
		close $output;
		require POSIX;
		POSIX::_exit(0);
	}
	close $output;
	my $result = run($form, $input, length $bytes, @options);
	close $input;
	waitpid $writer, 0;
	return $result;
}

# Write bytes to a temporary file.
sub store
{
	my ($path, $bytes) = @_;
	open my $file, '>:raw', $path or die "$path: $!";
	print $file $bytes or die "$path: $!";
	return close $file;
}

sub syswrite_all
{
	my ($handle, $bytes) = @_;
	for (my $at = 0; $at < length $bytes;)
	{
		$at += syswrite($handle, $bytes, 1 << 20, $at) // die "write: $!";
	}
	return;
}

sub run
{
	my ($form, $input, $size, @options) = @_;
	my $child = open(my $frames, '-|') // die "fork: $!";
	if ($child == 0)
	{
		open STDIN, '<&', $input or die "descriptor 0: $!";
		exec program($form, @options), '--parse', $form, '--size', $size, @options or die "exec: $!";
	}
	my $result = { sheets => [], chunks => 0, bytes => 0 };
	binmode $frames;
	while (defined(my $head = take($frames, 5)))
	{
		my ($type, $length) = unpack 'a V', $head;
		die "a frame of $length bytes" if $length > (2 << 20) + (16 << 20);
		die "a frame after the last" if $result->{ended};
		take_frame($result, $type, take($frames, $length) // die 'a frame that is cut off');
	}
	close $frames;
	@$result{qw(status signal)} = ($? >> 8, $? & 127);
	die 'the frames have no end' if $result->{status} == 0 && $result->{signal} == 0 && !$result->{ended};
	return $result;
}

# Read the given number of bytes; undef at the end.
sub take
{
	my ($handle, $length) = @_;
	my $bytes = '';
	while (length $bytes < $length)
	{
		my $got = read $handle, $bytes, $length - length $bytes, length $bytes;
		return if !$got;
	}
	return $bytes;
}

sub take_frame
{
	my ($result, $type, $payload) = @_;
	my $sheet = $result->{sheets}[-1];
	if ($type eq 'S')
	{
		die 'a sheet in a sheet' if $sheet && !$sheet->{columns};
		push @{ $result->{sheets} }, { %{ $json->decode($payload) }, rows => [], issues => [] };
		return;
	}
	if ($type eq 'P')
	{
		push @{ $result->{progress} }, unpack 'Q<', $payload;
		return;
	}
	if ($type eq 'D' || $type eq 'X')
	{
		die 'a sheet without an end' if $type eq 'D' && $sheet && !$sheet->{columns};
		my $last = $json->decode($payload);
		$result->{ended} = $type;
		$result->{refused} = $last->{reason} if $type eq 'X';
		return;
	}
	die "a frame $type outside of a sheet" if !$sheet || $sheet->{columns};
	if ($type eq 'I') { push @{ $sheet->{issues} }, $json->decode($payload) }
	elsif ($type eq 'C')
	{
		$light or push @{ $sheet->{rows} }, chunk($sheet, $payload);
		$result->{chunks}++;
		$result->{bytes} += length $payload;
	}
	elsif ($type eq 'E')
	{
		my $end = $json->decode($payload);
		@$sheet{qw(badRows columns details)} = @$end{qw(badRows columns details)};
		$light or $end->{rows} == @{ $sheet->{rows} } or die "$end->{rows} rows are announced, " . @{ $sheet->{rows} }
			. ' were sent';
		# chunks before a wide row have fewer columns
		for my $row (@{ $sheet->{rows} })
		{
			$#$row = $#{ $end->{columns} } if @$row < @{ $end->{columns} };
		}
	}
	else { die "a frame of type $type" }
	return;
}

# The rows of a chunk: undef for a missing cell.
sub chunk
{
	my ($sheet, $payload) = @_;
	my ($first, $count, $format, $rows, $columns) = unpack 'Q< V C V V', $payload;
	my $packed = substr $payload, 12;
	my @offsets = unpack "x9 V@{[ $columns + 1 ]}", $packed;
	die "a chunk of format $format with $rows rows of $count" if $format != 1 || $rows != $count || $rows > 4000 || !$rows;
	die 'a chunk out of turn' if $first != @{ $sheet->{rows} } + 1;
	die 'offsets that do not fit' if $offsets[0] != 9 + 4 * ($columns + 1) || $offsets[-1] != length $packed;
	my @cells = map { [] } 1 .. $rows;
	for my $column (0 .. $columns - 1)
	{
		my $section = substr $packed, $offsets[$column], $offsets[ $column + 1 ] - $offsets[$column];
		my ($at, @lengths) = (0);
		for (1 .. $rows)
		{
			my ($length, $shift) = (0, 0);
			while (1)
			{
				my $byte = ord substr $section, $at++, 1;
				$length |= ($byte & 127) << $shift;
				last if $byte < 128;
				$shift += 7;
			}
			push @lengths, $length;
		}
		for my $row (0 .. $rows - 1)
		{
			my $length = $lengths[$row];
			my $cell = $length == 0 ? undef : substr $section, $at, $length - 1;
			# not Encode, which refuses U+FFFE
			die 'a cell that is not UTF-8' if defined $cell && (!utf8::decode($cell) || $cell =~ /[\x{d800}-\x{dfff}]/);
			die 'a zero byte in a cell' if defined $cell && $cell =~ /\0/;
			$cells[$row][$column] = $cell;
			$at += $length - 1 if $length;
		}
		die 'a section of another length' if $at != length $section;
	}
	return @cells;
}

# All cells of a sheet as texts, with the titles as the first row; missing cells are "".
sub cells
{
	my ($sheet) = @_;
	return [ [ map { $_->{title} } @{ $sheet->{columns} } ], map { [ map { $_ // '' } @$_ ] } @{ $sheet->{rows} } ];
}

# How parsing ended: D (done), X (refused), or the signal or status that the child ended with.
sub kind
{
	my ($result) = @_;
	return $result->{signal} ? "signal $result->{signal}" : $result->{status} ? "status $result->{status}"
		: $result->{ended};
}

# An entry of an archive; its header fields may be given other values than the right ones.
sub part
{
	my ($name, $bytes, %false) = @_;
	my $method = $false{method} // 8;
	my $packed = $bytes;
	if ($method == 8)
	{
		my ($deflate) = Compress::Raw::Zlib::Deflate->new(-WindowBits => -15, -AppendOutput => 1, -Level => 6);
		$packed = '';
		$deflate->deflate($bytes, $packed);
		$deflate->flush($packed);
	}
	return {
		name => $name, packed => $packed, method => $method, flags => $false{flags} // 0,
		crc => $false{crc} // Compress::Raw::Zlib::crc32($bytes), size => $false{size} // length $bytes,
		local_name => $false{local_name} // $name, local_version => $false{local_version} // 20,
			local_extra => $false{local_extra} // '', place => $false{place},
	};
}

# An archive of entries.
sub zip
{
	my @parts = @_;
	my ($bytes, $directory) = ('', '');
	for my $part (@parts)
	{
		my @fields = ($part->{flags}, $part->{method}, 0, 0x5821, $part->{crc}, length $part->{packed}, $part->{size});
		my $place = $part->{place} // length $bytes;
		$bytes .= pack('V v5 V3 v2', 0x04034b50, $part->{local_version}, @fields, length $part->{local_name},
			length $part->{local_extra}) . $part->{local_name} . $part->{local_extra} . $part->{packed}
			if !defined $part->{place};
		$directory .= pack('V v6 V3 v5 V2', 0x02014b50, 20, 20, @fields, length $part->{name}, 0, 0, 0, 0, 0, $place)
			. $part->{name};
	}
	my $place = length $bytes;
	return $bytes . $directory
		. pack('V v4 V2 v', 0x06054b50, 0, 0, scalar @parts, scalar @parts, length $directory, $place, 0);
}

# The parts of an XLSX: sheets => [[name, XML in the sheet, state]...], strings, styles, book => XML of the parts.
sub workbook
{
	my (%book) = @_;
	my $main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
	my $relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
	my @sheets = @{ $book{sheets} };
	my $package = 'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"';
	my @parts = (
		part('[Content_Types].xml', '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>'),
		part('_rels/.rels', qq(<Relationships $package><Relationship Id="r1" Type="$relations/officeDocument" )
			. qq(Target="xl/workbook.xml"/></Relationships>)),
		part('xl/workbook.xml', qq(<workbook xmlns="$main" xmlns:r="$relations">) . ($book{book} // '') . '<sheets>'
			. join('', map { qq(<sheet name="$sheets[$_][0]" sheetId="@{[ $_ + 1 ]}" r:id="s$_")
				. ($sheets[$_][2] ? qq( state="$sheets[$_][2]") : '') . '/>' } 0 .. $#sheets) . '</sheets></workbook>'),
		part('xl/_rels/workbook.xml.rels', "<Relationships $package>" . join('',
			map { qq(<Relationship Id="s$_" Type="$relations/worksheet" Target="worksheets/sheet$_.xml"/>) } 0 .. $#sheets)
			. (defined $book{strings}
				? qq(<Relationship Id="t" Type="$relations/sharedStrings" Target="/xl/sharedStrings.xml"/>) : '')
			. (defined $book{styles} ? qq(<Relationship Id="f" Type="$relations/styles" Target="styles.xml"/>) : '')
				. '</Relationships>'),
		map { part("xl/worksheets/sheet$_.xml", qq(<worksheet xmlns="$main">$sheets[$_][1]</worksheet>)) } 0 .. $#sheets);
	push @parts, part('xl/sharedStrings.xml', qq(<sst xmlns="$main">$book{strings}</sst>)) if defined $book{strings};
	push @parts, part('xl/styles.xml', qq(<styleSheet xmlns="$main">$book{styles}</styleSheet>)) if defined $book{styles};
	return @parts;
}

1;
