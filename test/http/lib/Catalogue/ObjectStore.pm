package Catalogue::ObjectStore;

# An object store that speaks S3, as far as the programs use it: it proves signatures and digests, and has faults.  Its
# objects are files of a directory.

use strict;
use warnings;

use Catalogue::Program qw(slurp);
use Catalogue::Remote;
use Digest::MD5 qw(md5_hex);
use Digest::SHA qw(hmac_sha256 hmac_sha256_hex sha256_hex);
use File::Temp ();
use Time::HiRes qw(sleep);

use constant { BUCKET => 'catalogue-bytes', REGION => 'eu-test-1' };

# Start a store; it ends with the object.
sub start
{
	my ($class) = @_;
	my $self = bless { directory => File::Temp->newdir }, $class;

	chmod 0755, $self->{directory};
	$self->credentials('key', 'a secret/of+it');
	$self->{secrets} = { key => 'a secret/of+it' };
	$self->{server} = Catalogue::Remote->start(answer => sub { $self->answer(@_) });
	return $self;
}

# Settings of the programs.
sub settings
{
	my ($self) = @_;
	return (CATALOGUE_STORE_URL => $self->{server}->url('/' . BUCKET), CATALOGUE_STORE_REGION => REGION,
		CATALOGUE_STORE_CREDENTIALS => "$self->{directory}/credentials", CATALOGUE_STORE_TIMEOUT => '1s');
}

# Write the credentials that the programs read.
sub credentials
{
	my ($self, $key, $secret) = @_;
	return $self->write('credentials', "$key:$secret\n");
}

sub write
{
	my ($self, $name, $text) = @_;
	# requests are answered at once
	my $new = "$self->{directory}/$name.$$";
	open my $out, '>', $new or die "$name: $!";
	print $out $text;
	close $out;
	rename $new, "$self->{directory}/$name" or die "$name: $!";
	return;
}

# Let requests meet a fault from now on, those of one kind only where the fault begins with it: 500, 503, cut, wrong,
# other, slow, whole, and pause, which ends with the fault; without one they meet none.  The first only: "500 once"; of
# ranges those behind the beginning of an object: "GET 500 behind once".  Kinds are GET, PUT and DELETE, and of objects
# that are sent by parts BEGIN, PART, COMPLETE, ABORT and UPLOADS.
sub fault
{
	my ($self, $fault) = @_;
	$self->write('paused', '');
	return $self->write('fault', $fault // '');
}

# The fault that requests meet; empty: none.
sub present_fault { my ($self) = @_; return slurp("$self->{directory}/fault") }

# Does a request of a kind for a key wait for the end of the fault "pause"?
sub is_paused
{
	my ($self, $kind, $key) = @_;
	return $self->paused eq "$kind $key";
}

# What waits so: "kind key"; empty: nothing.
sub paused { my ($self) = @_; return slurp("$self->{directory}/paused") }

sub pause
{
	my ($self, $kind, $key) = @_;
	alarm 600;
	$self->write('paused', "$kind $key");
	sleep 0.05 while slurp("$self->{directory}/fault");
	return;
}

# The keys of the objects.
sub keys { my ($self) = @_; return map { m{/object-(.*)} } glob "$self->{directory}/object-*" }

# The keys of what was begun to be sent by parts, and neither completed nor aborted; the parts of it.
sub unfinished { my ($self) = @_; return map { m{/upload-\d+-(.+)} } glob "$self->{directory}/upload-*" }

# How many objects were begun to be sent by parts.
sub begun { my ($self) = @_; return scalar(() = slurp("$self->{directory}/begun") =~ /\n/g) }

# Lose what was begun.
sub forget { my ($self) = @_; return unlink glob "$self->{directory}/upload-*" }

sub parts { my ($self) = @_; return map { m{/part-(.*)} } glob "$self->{directory}/part-*" }

sub object { my ($self, $key) = @_; return slurp("$self->{directory}/object-$key") }

# The keys of the objects that were deleted, in order.
sub deleted { my ($self) = @_; return split /\n/, slurp("$self->{directory}/deleted") }

sub refuse
{
	my ($socket, $status, $code) = @_;
	return Catalogue::Remote::reply($socket, $status, { 'Content-Type' => 'application/xml' },
		"<?xml version=\"1.0\"?>\n<Error><Code>$code</Code><Message>secret words</Message></Error>");
}

# Is the request signed as AWS describes it (Signature Version 4)?
sub is_signed
{
	my ($self, $request) = @_;
	my %headers = %{ $request->{headers} };
	my ($key, $day, $region, $signed, $signature) = ($headers{authorization} // '') =~
		m{^AWS4-HMAC-SHA256 Credential=([^/]+)/(\d{8})/([^/]+)/s3/aws4_request, *SignedHeaders=([^,]+), *Signature=(\w+)$}
		or return 0;
	my $secret = $self->{secrets}{$key} // return 0;
	my @names = split /;/, $signed;
	my %named = map { $_ => 1 } @names;

	return 0 if $region ne REGION || grep({ !$named{$_} } qw(host x-amz-content-sha256 x-amz-date))
		|| grep { !defined $headers{$_} } @names;
	my $canonical = join "\n", $request->{method}, $request->{path}, $request->{query} // '',
		(map { "$_:$headers{$_}" } @names), '', $signed, $headers{'x-amz-content-sha256'};
	my $text = join "\n", 'AWS4-HMAC-SHA256', $headers{'x-amz-date'}, "$day/$region/s3/aws4_request",
		sha256_hex($canonical);
	my $signing = "AWS4$secret";
	$signing = hmac_sha256($_, $signing) for $day, $region, 's3', 'aws4_request';
	return hmac_sha256_hex($text, $signing) eq $signature;
}

# The kind of a request, and the number of its part and the id of its upload.
sub kind_of
{
	my ($request, $key) = @_;
	my $kind = "$request->{method} " . ($request->{query} // '');

	return 'LIST' if !$key && $kind =~ /^GET list-type=/;
	return 'UPLOADS' if !$key && $kind eq 'GET uploads=';
	return unless $key;
	return 'BEGIN' if $kind eq 'POST uploads=';
	return ('PART', $1, $2) if $kind =~ /^PUT partNumber=(\d+)&uploadId=(.*)$/;
	return ('COMPLETE', 0, $1) if $kind =~ /^POST uploadId=(.*)$/;
	return ('ABORT', 0, $1) if $kind =~ /^DELETE uploadId=(.*)$/;
	return $kind =~ /^(GET|PUT|DELETE) $/;
}

sub answer
{
	my ($self, $socket, $request) = @_;
	my ($key) = ($request->{path} // '') =~ m{^/@{[BUCKET]}(?:/([0-9a-f]{64}))?$} or return;
	my ($kind, $number, $upload) = kind_of($request, $key);

	return refuse($socket, 403, 'SignatureDoesNotMatch') unless $self->is_signed($request);
	return refuse($socket, 400, 'InvalidRequest') unless $kind;
	my $fault = slurp("$self->{directory}/fault") =~ s/^\Q$kind\E //r;
	return $self->list($socket, $request) if $kind eq 'LIST';
	$fault = '' if $fault =~ s/ behind// && ($request->{headers}{range} // '') !~ /^bytes=[1-9]/;
	$self->fault if $fault =~ s/ once$//;
	return refuse($socket, $fault, 'InternalError') if $fault =~ /^50\d$/;
	return refuse($socket, 403, 'AccessDenied') if $fault eq '403';
	sleep 30 if $fault eq 'slow';
	$self->pause($kind, $key) if $fault eq 'pause';
	return $self->put($socket, $request, $key, $fault) if $kind eq 'PUT';
	return $self->get($socket, $request, $key, $fault) if $kind eq 'GET';
	return $self->by_parts($socket, $request, $kind, $key, $fault, $number, $upload) if $kind ne 'DELETE';
	unlink "$self->{directory}/object-$key";
	$self->write('deleted', slurp("$self->{directory}/deleted") . "$key\n");
	return Catalogue::Remote::reply($socket, 204, {}, '');
}

# Requests for objects that are sent by parts.  The id of an upload has characters that addresses and XML have not.
sub by_parts
{
	my ($self, $socket, $request, $kind, $key, $fault, $number, $upload) = @_;
	my $directory = $self->{directory};
	my $answer = sub { Catalogue::Remote::reply($socket, $_[0], { 'Content-Type' => 'application/xml' }, $_[1]) };

	if ($kind eq 'BEGIN')
	{
		my $serial = $self->begun;
		$self->write('begun', slurp("$directory/begun") . "$key\n");
		$self->write("upload-$serial-$key", '');
		return $answer->(200, '<?xml version="1.0"?><InitiateMultipartUploadResult><Bucket>' . BUCKET
			. "</Bucket><Key>$key</Key><UploadId>2~a/b=$serial</UploadId></InitiateMultipartUploadResult>");
	}
	return $answer->(200, '<?xml version="1.0"?><ListMultipartUploadsResult><KeyMarker/><UploadIdMarker/>'
		. join('', map { m{/upload-(\d+)-(.+)} ? "<Upload><Key>$2</Key><UploadId>2~a/b=$1</UploadId></Upload>" : () }
			glob "$directory/upload-*") . '<IsTruncated>false</IsTruncated></ListMultipartUploadsResult>')
		if $kind eq 'UPLOADS';
	my ($serial) = $upload =~ /^2~a%2Fb%3D(\d+)$/;
	return refuse($socket, 404, 'NoSuchUpload') unless defined $serial && -e "$directory/upload-$serial-$key";
	if ($kind eq 'PART')
	{
		return if $fault eq 'cut';
		substr($request->{body}, 300_000, 1) = '#' if $fault eq 'other';
		$self->write("part-$serial-$number", $request->{body});
		return Catalogue::Remote::reply($socket, 200, { ETag => '"' . md5_hex($request->{body}) . '"' }, '');
	}
	if ($kind eq 'COMPLETE')
	{
		my @parts = $request->{body} =~ m{<Part><PartNumber>(\d+)</PartNumber><ETag>"(\w+)"</ETag></Part>}g;
		my $object = '';
		# an answer that has begun before the store fails
		return $answer->(200, "\n  <?xml version=\"1.0\"?>\n<Error><Code>InternalError</Code></Error>") if $fault eq 'late';
		for my $expected (1 .. @parts / 2)
		{
			my ($part, $tag) = splice @parts, 0, 2;
			my $bytes = slurp("$directory/part-$serial-$part");
			return refuse($socket, 400, 'InvalidPart') if $part != $expected || md5_hex($bytes) ne $tag;
			return refuse($socket, 400, 'EntityTooSmall') if @parts && length $bytes < 5 << 20;
			$object .= $bytes;
		}
		$self->write("object-$key", $object);
	}
	unlink glob("$directory/part-$serial-*"), "$directory/upload-$serial-$key";
	return Catalogue::Remote::reply($socket, 204, {}, '') if $kind eq 'ABORT';
	return $answer->(200, "<?xml version=\"1.0\"?>\n<CompleteMultipartUploadResult><Key>$key</Key>"
		. '</CompleteMultipartUploadResult>');
}

# The first keys behind one, two at a time.
sub list
{
	my ($self, $socket, $request) = @_;
	my ($after) = $request->{query} =~ /^list-type=2&start-after=(\w*)$/ or return refuse($socket, 400, 'InvalidArgument');
	my @keys = grep { $_ gt $after } sort $self->keys;
	my $more = @keys > 2 ? 'true' : 'false';

	return Catalogue::Remote::reply($socket, 200, { 'Content-Type' => 'application/xml' }, join '',
		"<?xml version=\"1.0\"?><ListBucketResult><IsTruncated>$more</IsTruncated>",
		(map { "<Contents><Key>$_</Key><ETag>&quot;x&quot;</ETag></Contents>" } grep { defined } @keys[ 0, 1 ]),
		'</ListBucketResult>');
}

sub put
{
	my ($self, $socket, $request, $key, $fault) = @_;
	my $body = $request->{body};
	return refuse($socket, 400, 'XAmzContentSHA256Mismatch')
		if sha256_hex($body) ne $request->{headers}{'x-amz-content-sha256'};
	substr($body, 300_000, 1) = '#' if $fault eq 'other';
	$self->write("object-$key", $body);
	return Catalogue::Remote::reply($socket, 200, { ETag => '"x"' }, '');
}

sub get
{
	my ($self, $socket, $request, $key, $fault) = @_;
	return refuse($socket, 404, 'NoSuchKey') unless -e "$self->{directory}/object-$key";
	my $bytes = $self->object($key);
	my $size = length $bytes;
	my ($first, $last) = ($request->{headers}{range} // '') =~ /^bytes=(\d+)-(\d+)$/;
	my %headers = defined $first && $fault ne 'whole' ? ('Content-Range' => "bytes $first-$last/$size") : ();

	return refuse($socket, 416, 'InvalidRange') if defined $first && $last >= $size;
	$bytes = substr $bytes, $first, $last - $first + 1 if %headers;
	$headers{'Content-Range'} =~ s/\d+/1/ if $fault eq 'wrong';
	$headers{'Content-Length'} = length $bytes;
	$bytes = substr $bytes, 0, length($bytes) / 2 if $fault eq 'cut';
	return Catalogue::Remote::reply($socket, %headers && $headers{'Content-Range'} ? 206 : 200, \%headers, $bytes);
}

1;
