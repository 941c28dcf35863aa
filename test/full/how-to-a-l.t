#!/usr/bin/perl
# Every page of docs/how-to from A to L can be followed (how-to-m-z.t has the others): each block of the page is run,
# from the first on and on a separate service, has the output that the page shows, and the page leaves nothing behind.

use strict;
use warnings;

use Test::More;
use Catalogue::Reader;

Catalogue::Reader::is_true($_) for sort grep { m{/[a-l][^/]*$}i } glob 'docs/how-to/*.md';

done_testing;
