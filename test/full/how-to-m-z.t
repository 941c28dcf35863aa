#!/usr/bin/perl
# Every page of docs/how-to that how-to-a-l.t leaves out can be followed: each block of the page is run, from the
# first on and on a separate service, has the output that the page shows, and the page leaves nothing behind.

use strict;
use warnings;

use Test::More;
use Catalogue::Reader;

Catalogue::Reader::is_true($_) for sort grep { !m{/[a-l][^/]*$}i } glob 'docs/how-to/*.md';

done_testing;
