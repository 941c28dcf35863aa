#!/usr/bin/perl
# tus-js-client uploads by the drafts of resumable uploads that it knows: one upload makes one file and is a success,
# also when the connection breaks in the middle, and when the answer to the last request is lost.

use strict;
use warnings;

use Test::More;
use Catalogue::Client qw($json);
use Catalogue::Program qw(command);
use Catalogue::Test;
use Catalogue::Upload;

my $service = Catalogue::Test->shared->as_admin;
my $uploads = Catalogue::Upload->new($service);
my $size    = 1_000_000;

-e 'build/browser/node_modules/tus-js-client/package.json' or die "tus-js-client is missing: run \".ci/deps full\"\n";

# the name of the file is in Content-Disposition; the older draft has no media type for a part
my %headers = ('Content-Disposition' => 'attachment; filename="rows.csv"');
my %octets  = ('Content-Type'        => 'application/octet-stream');
my @cases;
for my $protocol (qw(ietf-draft-03 ietf-draft-05))
{
	for my $kind ([ 'in one part', {} ], [ 'in parts', { chunkSize => 300_000 } ],
		[ 'with the first request', { chunkSize => 300_000, uploadDataDuringCreation => $Cpanel::JSON::XS::true } ],
		[ 'all with the first request', { uploadDataDuringCreation => $Cpanel::JSON::XS::true } ],
		[ 'interrupted',                {}, 'part' ],
		[ 'without the last answer',    {}, 'answer' ],
		[ 'in parts, without the last answer', { chunkSize => 300_000 }, 'answer' ])
	{
		my ($name, $options, $cut) = @$kind;
		# a media type is given only where the client sends none of its own
		push @cases, { title => "$protocol, $name", protocol => $protocol, bytes => $size, options => $options, cut => $cut,
			headers => { %headers, $name =~ /parts/ ? () : %octets } };
	}
}
$_->{endpoint} = '/files?' . $uploads->words(name => $_->{title}) for @cases;

# modules are looked for beside the script
system('cp', 'test/http/browser/tus.mjs', 'build/browser/') == 0 or die "cp: $?\n";
my $results = $json->decode(command({ INPUT => $json->encode({ base => $service->{base},
	headers => { Authorization => $service->{headers}{Authorization} }, cases => \@cases }) },
	'node', 'build/browser/tus.mjs'));
for my $i (0 .. $#cases)
{
	my ($title, $result) = ($cases[$i]{title}, $results->[$i]);
	ok($result->{success}, "$title: the client has success") or diag $result->{error};
	note("$title: @{ $result->{requests} }");
	my @files = split /\n/, $service->sql("SELECT id FROM catalogue.files WHERE name = '$title'");
	is(scalar @files, 1, "$title: there is one file");
	my $bytes = $service->get("/files/$files[0]/download")->{body};
	ok($bytes eq "a,b\n" x ($size / 4), "$title: it has all bytes");
	like($result->{location}, qr{/files/$files[0]$}, "$title: the client has its address");
	is(scalar(grep { /broken/ } @{ $result->{requests} }), $cases[$i]{cut} ? 1 : 0, "$title: the connection broke or not");
}
is($service->sql('SELECT count(*) FROM catalogue.upload'), 0, 'no upload is left');

$service->finish;
