#!/usr/bin/perl
# A file comes in a form, whatever the order of its parts, and becomes a record with its bytes; what is
# refused, wrong or broken off leaves nothing.

use strict;
use warnings;

use Test::More;
use Catalogue::Test;
use Catalogue::Upload;
use Digest::SHA qw(sha256_hex);
use Time::HiRes qw(sleep time);

my $service = Catalogue::Test->start(CATALOGUE_BODY_LIMIT => 65536)->as_admin;
my $uploads = Catalogue::Upload->new($service);
my $csv     = "id,name\r\n1,\"a \"\"b\"\"\"\n2,x\r\n--not a boundary\r\n\r\n";

# a file: its record, its bytes
my $file = $uploads->file('Air Quality.CSV', $csv, name => 'Air quality', description => "Aire de M\xc3\xa9xico", visible => 'true', optionals => '{"a": [1]}');
is($file->{fileName}, 'air-quality.csv', 'the stored name is made of the name and the extension');
is($file->{url}, "$service->{base}/files/air-quality.csv/download", 'its address');
is($file->{size}, length $csv, 'its size');
is($file->{sha256}, sha256_hex($csv), 'its hash');
is($file->{description}, "Aire de M\x{e9}xico", 'texts are UTF-8');
is_deeply([ $file->{visible}, $file->{optionals} ], [ JSON::PP::true, { a => [1] } ], 'texts are values of their fields');
is($service->get("/files/$file->{id}/download")->{body}, $csv, 'the bytes are as they came');

done_testing();
