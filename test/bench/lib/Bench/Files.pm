package Bench::Files;

# Jobs on files: upload, download, and how files become rows.  See Reads.pm for what a job is; here
# a turn is one transfer or one parse, however long it takes.

use strict;
use warnings;

use JSON::PP ();
use POSIX    ();
use Time::HiRes qw(sleep time);

use Bench::Load    ();
use Bench::Process ();
use Bench::Reads   ();

my $BIG      = 1_000_000_000;    # bytes of a large file
my $MIDDLE   = 100_000_000;      # bytes of each of several files
my $SEVERAL  = 20;
my $ROWS     = 1_000_000;        # in a large table
my $CHUNK    = 262_144;
my $ROUNDS   = 3;
my $PATIENCE = 600;              # seconds for a file to be read

sub jobs
{
	return (
		{ name => 'upload',   title => 'Upload of 1 GB',                                   prepare => \&upload },
		{ name => 'download', title => 'Download of 1 GB',                                 prepare => \&download },
		{ name => 'uploads',  title => "Items beside $SEVERAL uploads of 100 MB",          prepare => \&uploads },
		{ name => 'csv',      title => 'CSV of 1,000,000 rows of 10 columns until its end can be read', prepare => \&rows },
		{ name => 'workbook', title => 'XLSX of 1,000,000 rows of 10 columns',             prepare => \&workbook },
	);
}

# Wait until the worker has no jobs left: it makes archives of what has been uploaded.
sub wait_for_worker
{
	my ($service) = @_;

	for (my $deadline = time + $PATIENCE; time < $deadline; sleep 0.2)
	{
		return if $service->sql('SELECT count(*) FROM catalogue.job_queue') == 0;
	}
	die "the worker still has jobs after $PATIENCE s\n";
}

# Carry out one action in a turn, and measure how long it takes.
sub once
{
	my ($service, $server, $what) = @_;

	return sub {
		wait_for_worker($service) unless $server && $server->{reads};
		return Bench::Load::observe(
			{ server => $server, database => $service->{server}{database}, cores => $service->{cores} },
			sub {
				my $began = time;
				$what->();
				my $seconds = time - $began;
				return (1, rate => 1 / $seconds, p50 => $seconds * 1000);
			});
	};
}

# Write a file of the given size that begins as PDF does and cannot be compressed.
sub write_bytes
{
	my ($file, $size) = @_;
	Bench::Load::output_of('sh', '-c', "{ printf '%%PDF-1.7\\n'; head -c $size /dev/urandom; } | head -c $size > $file");
	return $file;
}

# Write the same bytes in COPY's binary format: rows of a number and a chunk.
sub write_rows
{
	my ($from, $to) = @_;
	open my $in,  '<:raw', $from or die "$from: $!\n";
	open my $out, '>:raw', $to   or die "$to: $!\n";
	print $out "PGCOPY\n\xff\r\n\0", pack 'NN', 0, 0;
	for (my $number = 0; (my $length = read $in, my $bytes, $CHUNK); $number++)
	{
		print $out pack('nNNN', 2, 4, $number, $length), $bytes;
	}
	print $out pack 'n', 0xffff;
	close $out or die "$to: $!\n";
	return $to;
}

# Form fields that a file of the catalogue needs, as options of curl; each file is of another dataset,
# whose archive contains only that file.
sub fields_of
{
	my ($service) = @_;
	my %first =
		map { $_ => $service->sql("SELECT id FROM catalogue.$_ WHERE deleted_at IS NULL ORDER BY created_at, id LIMIT 1") }
		qw(organizations updatefrequencies);

	return (
		dataset => ($service->random_ids(1))[0], organization => $first{organizations},
			updateFrequency => $first{updatefrequencies}, owner => $service->id_of_admin,
		status => 'qWRhpRV');
}

# Upload a file as a new one of the catalogue, or as new bytes of an existing one; return its id.
sub put_file
{
	my ($service, $path, $name, $id) = @_;
	my %fields  = defined $id ? () : (name => sprintf('Measured %.6f %d', time, $$), fields_of($service));
	my %headers = ($service->as_admin, Expect => '');
	my $text    = Bench::Load::output_of(
		'curl', '-s', '-S', '-X', defined $id ? 'PUT' : 'POST', (map { ('-H', "$_: $headers{$_}") } sort keys %headers),
		(map { ('-F', "$_=$fields{$_}") } sort keys %fields), '-F', "uploadFile=\@$path;filename=$name",
			$service->{base} . (defined $id ? "/files/$id" : '/files'));
	my $answer = JSON::PP::decode_json($text);

	die "upload: $text\n" unless $answer->{meta}{code} =~ /^(?:CREATED|OK)$/;
	return $answer->{links}{record} =~ m{([^/]+)$} ? $1 : die "upload: $text\n";
}

# The most memory that a program and its children have used so far, in MB.
sub peak_of
{
	my ($process) = @_;
	my $peak = 0;

	for my $pid ($process->family)
	{
		open my $in, '<', "/proc/$pid/status" or next;
		my ($held) = join('', <$in>) =~ /^VmHWM:\s+(\d+)/m or next;
		$peak = $held / 1024 if $held / 1024 > $peak;
	}
	return $peak;
}

sub upload
{
	my ($service) = @_;
	my $bytes = write_bytes($service->file, $BIG);
	my $copy  = write_rows($bytes, $service->file);

	$service->sql('CREATE TABLE bench_chunk (number integer PRIMARY KEY, bytes bytea); ALTER TABLE bench_chunk ALTER '
		. 'COLUMN bytes SET STORAGE EXTERNAL');
	return {
		rounds     => $ROUNDS,
		contenders => [
			['upload', 'POST /files', once($service, $service->{server}{shim}, sub { put_file($service, $bytes, 'big.pdf') })],
			[
				'copy', 'psql \copy into a table of chunks',
				once(
					$service, undef,
					sub {
						$service->sql('TRUNCATE bench_chunk');
						Bench::Load::output_of('psql', '-XAtq', '-d', 'catalogue', '-c', "\\copy bench_chunk FROM $copy (FORMAT binary)")
					})
			],
		],
		verdicts => [
			Bench::Reads::ratio('of psql \copy', 'upload', 'copy', 0.5),
			{ text => 'MB of memory of the shim', most => 40, value => sub { $service->{server}{shim}->memory } },
		],
		after => sub { $service->sql('DROP TABLE bench_chunk'); unlink $bytes, $copy; return },
	};
}

# Start nginx with a file on disk; return the address of the file.
sub rival
{
	my ($service, $bytes) = @_;
	my $port   = Bench::Service::free_port();
	my $place  = "$service->{work}/nginx";
	my $config = "$place/nginx.conf";

	mkdir $place;
	rename $bytes, "$place/big.pdf" or die "$bytes: $!\n";
	chmod 0644, "$place/big.pdf";
	open my $out, '>', $config or die "$config: $!\n";
	print $out "daemon off; pid $place/pid; error_log $place/error.log; events {}\n",
		"http { access_log off; sendfile on; server { listen 127.0.0.1:$port; root $place; } }\n";
	close $out or die "$config: $!\n";
	$service->{server}{nginx} = Bench::Process->start("$place/log", {}, 'nginx', '-c', $config)->wait_for_port($port);
	return "http://127.0.0.1:$port/big.pdf";
}

sub download
{
	my ($service) = @_;
	my $bytes   = write_bytes($service->file, $BIG);
	my $id      = put_file($service, $bytes, 'big.pdf');
	my $there   = rival($service, $bytes);
	my %headers = $service->as_admin;
	my $fetch   = sub {
		my ($address) = @_;
		my $size = Bench::Load::output_of('curl', '-s', '-S', '-f', '-o', '/dev/null', '-w', '%{size_download}',
			(map { ('-H', "$_: $headers{$_}") } sort keys %headers), $address);
		die "$address gave $size bytes\n" unless $size == $BIG;
		return;
	};

	return {
		rounds     => $ROUNDS,
		contenders => [
			['service', 'GET /files/:id/download',
				once($service, $service->{server}{shim}, sub { $fetch->("$service->{base}/files/$id/download") })],
			['nginx', 'nginx, from disk', once($service, $service->{server}{nginx}, sub { $fetch->($there) })],
		],
		verdicts => [
			Bench::Reads::ratio('of nginx', 'service', 'nginx', 0.5),
			{ text => 'MB of memory of the shim', most => 40, value => sub { $service->{server}{shim}->memory } },
		],
		after => sub { (delete $service->{server}{nginx})->stop; return },
	};
}

# Send a file from a separate process, which ends with status 0 when the file was accepted; return the process.
sub sender
{
	my ($service, $bytes) = @_;
	my $pid = fork // die "fork: $!\n";

	return $pid if $pid;
	# a failure in the child must not continue as a second benchmark
	my $sent = eval { put_file($service, $bytes, 'middle.pdf'); 1 } or print STDERR "bench: $@";
	POSIX::_exit($sent ? 0 : 1);
}

sub uploads
{
	my ($service) = @_;
	my $bytes  = write_bytes($service->file, $MIDDLE);
	my $items  = $service->load(targets => [map { "/datasets/$_" } $service->random_ids(1000)], connections => 8);
	my $beside = sub {
		my ($seconds) = @_;
		wait_for_worker($service);
		my @senders = map { sender($service, $bytes) } 1 .. $SEVERAL;
		my $found = $items->($seconds);
		my $failed = grep { waitpid($_, 0) && $? } @senders;
		die "$failed of $SEVERAL uploads failed\n" if $failed;
		return $found;
	};

	$service->as_admin;
	return {
		rounds     => $ROUNDS,
		seconds    => 5,
		contenders => [['alone', 'items', sub {
			wait_for_worker($service);
			return $items->(@_)
		}], ['beside', "items, beside $SEVERAL uploads", $beside]],
		verdicts   => [{ text => 'p99 beside them, times p99 alone', most => 3,
			value => sub { $_[0]{beside}{p99} / $_[0]{alone}{p99} } }],
	};
}

# Columns of a table, with their types in CSV and in SQL.
my @COLUMNS = (
	['station', 'integer', 'n'],                                      ['name', 'text', q('Station ' || n % 5000)],
	['district', 'text', q('District ' || n % 40)],
		['measured', 'timestamp', q(timestamp '2020-01-01' + n * interval '1 minute')],
	['value', 'numeric', 'round((n::bigint * 7919 % 100000) / 100.0, 2)'],
		['latitude', 'numeric', 'round(-34 - (n % 10000) / 10000.0, 4)'],
	['longitude', 'numeric', 'round(-58 - (n % 7000) / 10000.0, 4)'], ['valid', 'boolean', 'n % 3 = 0'],
	['unit', 'text', q((ARRAY['mg/l', 'ug/m3', 'dB', 'mm'])[n % 4 + 1])],
		['remark', 'text', q('checked by ' || md5((n % 97)::text))],
);

# The columns, for other jobs that need such a table.
sub columns
{
	return @COLUMNS;
}

sub write_table
{
	my ($service, $file, $rows, @columns) = @_;
	my $shown = join ', ', map { "$_->[2] AS $_->[0]" } @columns;

	Bench::Load::output_of('sh', '-c', qq(psql -XAtq -d catalogue -c "\\copy )
		. qq((SELECT $shown FROM generate_series(1, $rows) n) TO STDOUT (FORMAT csv, HEADER)" > $file));
	return $file;
}

# Wait until a file is parsed.
sub wait_for_rows
{
	my ($service, $id) = @_;
	my $client = $service->client;

	for (my $deadline = time + $PATIENCE; time < $deadline; sleep 0.02)
	{
		my $file = $client->get("/files/$id", [200])->{json}{data};
		return $file if $file->{parseState} eq 'ready';
		die "the file cannot be read: $file->{parseReason}\n" if $file->{parseState} eq 'failed';
	}
	die "the file was not read in $PATIENCE s\n";
}

sub rows
{
	my ($service) = @_;
	my $csv   = write_table($service, $service->file, $ROWS, @COLUMNS);
	my $typed = join ', ', map { "$_->[0] $_->[1]" } @COLUMNS;
	my ($id, $peak) = (undef, 0);
	my $worker = Bench::Process->of_pid((split ' ', Bench::Service::first_line("$service->{place}/worker"))[0]);

	# the parser's memory and time are measured
	$worker->{reads} = 1;

	$service->sql("CREATE TABLE bench_rows ($typed)");
	return {
		rounds     => $ROUNDS,
		contenders => [
			[
				'file',
				'from the end of the upload',
				sub {
					wait_for_worker($service);
					$id = put_file($service, $csv, 'rows.csv');
					return once(
						$service, $worker,
						sub {
							wait_for_rows($service, $id);
							my $last = $service->client->get("/files/$id/contents?limit=1&skip=" . ($ROWS - 1), [206])->{json};
							die "the last row is another one\n" unless $last->{meta}{count} == $ROWS && $last->{data}[0]{_id} == $ROWS;
							$peak = peak_of($worker) if peak_of($worker) > $peak;
						})->();
				}
			],
			[
				'copy', 'COPY into a typed table',
				once(
					$service, undef,
					sub {
						$service->sql('TRUNCATE bench_rows');
						Bench::Load::output_of('psql', '-XAtq', '-d', 'catalogue', '-c',
							"\\copy bench_rows FROM $csv (FORMAT csv, HEADER)")
					})
			],
		],
		verdicts => [
			{ text => 'time, of COPY', most => 1.2, value => sub { $_[0]{file}{p50} / $_[0]{copy}{p50} } },
			{
				text  => 'stored, of the bytes of the CSV',
				most  => 0.55,
				value => sub { $service->sql("SELECT sum(pg_column_size(c.data)) FROM catalogue.sheet s JOIN catalogue.sheet_chunk "
					. "c ON c.sheet = s.id WHERE s.file = '$id'") / -s $csv }
			},
			{ text => 'MB of memory of the worker or its child', most => 128, value => sub { $peak } },
		],
		after => sub { $service->sql('DROP TABLE bench_rows'); unlink $csv; return },
	};
}

# Run the worker's child alone, writing to a pipe; return the most memory that it used.
sub read_workbook
{
	my ($service, $book, $held) = @_;
	my $child = Bench::Process->start('/dev/null', {}, 'sh', '-c',
		"$service->{place}/bin/catalogue-worker --parse xlsx --size " . (-s $book) . " < $book | cat > $book.frames");

	while (waitpid($child->{pid}, POSIX::WNOHANG()) == 0)
	{
		my $now = peak_of($child);
		$$held = $now if $now > $$held;
		sleep 0.01;
	}
	die "the child ended with status $?\n" if $?;
	if (-s "$book.frames" <= $ROWS)
	{
		my $said = Bench::Load::output_of('head', '-c', '300', "$book.frames");
		die 'no rows were read from the workbook: ' . $said =~ s/[^ -~]+/ /gr . "\n";
	}
	return;
}

sub workbook
{
	my ($service) = @_;
	my $csv  = write_table($service, $service->file, $ROWS, @COLUMNS);
	my $book = $service->file . '.xlsx';
	my $id   = put_file($service, $csv, 'book.csv');
	my $held = 0;
	my %headers = $service->as_admin;

	wait_for_rows($service, $id);
	my $status = 202;
	for (my $deadline = time + $PATIENCE; $status == 202 && time < $deadline; sleep 0.5)
	{
		$status = Bench::Load::output_of('curl', '-s', '-S', '-o', $book, '-w', '%{http_code}',
			(map { ('-H', "$_: $headers{$_}") } sort keys %headers), "$service->{base}/files/$id/download/xlsx");
	}
	die "no workbook was made: $status\n" unless $status == 200;
	return {
		rounds     => 1,
		contenders => [
			['child', 'catalogue-worker --parse', once($service, undef, sub { read_workbook($service, $book, \$held) })],
			['ssconvert', 'ssconvert to CSV',
				once($service, undef, sub { Bench::Load::output_of('ssconvert', $book, "$book.csv") })],
		],
		verdicts => [
			{ text => 'times as fast as ssconvert', least => 5, value => sub { $_[0]{ssconvert}{p50} / $_[0]{child}{p50} } },
			{ text => 'MB of memory of the child', most => 128, value => sub { $held } },
		],
		after => sub { unlink $csv, $book, "$book.csv", "$book.frames"; return },
	};
}

1;
