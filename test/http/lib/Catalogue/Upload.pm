package Catalogue::Upload;

# Forms with files, as browsers and other programs send them, and the record that a file needs.

use strict;
use warnings;

use Catalogue::Clock qw(poll);
use Catalogue::Definition;
use Digest::SHA ();
use Exporter 'import';
use MIME::Base64 ();

our @EXPORT = qw(part form field digest png);

# The bytes of an image of one pixel.
sub png
{
	return "\x89PNG\r\n\x1a\n" . "\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\6\0\0\0\x1f\x15\xc4\x89"
		. "\0\0\0\rIDATx\x9cc\xf8\xcf\xc0\0\0\3\1\1\0\xc9\xfe\x92\xef" . "\0\0\0\0IEND\xaeB`\x82";
}

# A part of a form: its header is made of name and file, or given as lines.
sub part
{
	my ($name, $bytes, %of) = @_;
	my @lines = $of{lines} ? @{ $of{lines} } : (
		qq(Content-Disposition: form-data; name="$name") . (defined $of{file} ? qq(; filename="$of{file}") : ''),
		defined $of{type} ? "Content-Type: $of{type}" : (),
	);
	return join('', map { "$_\r\n" } @lines) . "\r\n$bytes";
}

# A form of parts: its body and its Content-Type, for a request.
sub form
{
	my (@parts) = @_;
	my $boundary = '----a boundary:42';
	my $body = join '', map { "--$boundary\r\n$_\r\n" } @parts;
	return ("$body--$boundary--\r\n", 'Content-Type' => qq(multipart/form-data; boundary="$boundary"));
}

sub field
{
	my (%values) = @_;
	return map { part($_, $values{$_}) } sort keys %values;
}

# A digest as header fields have it.
sub digest
{
	my ($bytes) = @_;
	return 'sha-256=:' . MIME::Base64::encode_base64(Digest::SHA::sha256($bytes), '') . ':';
}

sub new
{
	my ($class, $service) = @_;
	my $definition = Catalogue::Definition->new($service);
	my $self = bless { service => $service, definition => $definition, dataset => $definition->create('datasets'),
		serial => 0 }, $class;
	my $record = $definition->record('files');
	$self->{record} =
		{ map { $_ => $record->{$_} } grep { !ref $record->{$_} && !/^(name|type|dataset|fileName)$/ } keys %$record };
	return $self;
}

# The fields of a new file, as parts of a form.
sub fields
{
	my ($self, %values) = @_;
	return field(%{ $self->{record} }, dataset => $self->{dataset}, name => 'file ' . ++$self->{serial}, %values);
}

# The fields of a new file, as parameters of a query.
sub words
{
	my ($self, %values) = @_;
	my %record = (%{ $self->{record} }, dataset => $self->{dataset}, name => 'file ' . ++$self->{serial}, %values);
	return join '&', map {
		my $value = $record{$_};
		$value =~ s/([^A-Za-z0-9])/sprintf '%%%02X', ord $1/ge;
		"$_=$value"
	} sort keys %record;
}

# Upload a file as a form; return the reply.
sub upload
{
	my ($self, $name, $bytes, %values) = @_;
	my ($body, %headers) = form($self->fields(%values), part('uploadFile', $bytes, file => $name));
	return $self->{service}->post('/files', $body, %headers, Prefer => 'return=representation');
}

# Upload a file as a form; the upload must succeed.  Return the record.
sub file
{
	my ($self, $name, $bytes, %values) = @_;
	my $reply = $self->upload($name, $bytes, %values);
	die "upload of $name: $reply->{status} $reply->{body}\n" unless $reply->{status} == 201;
	return $reply->{json}{data};
}

# The numbers of unfinished uploads and of files.
sub left
{
	my ($self) = @_;
	return $self->{service}->sql('SELECT (SELECT count(*) FROM catalogue.upload), (SELECT count(*) FROM catalogue.files)');
}

# Test that no upload is unfinished, and that there are as many files as expected.
sub is_left
{
	my ($self, $files, $name) = @_;
	my $left;
	poll(20, sub { ($left = $self->left) eq "0|$files" });
	return Test::More::is($left, "0|$files", "$name: nothing is left behind");
}

1;
