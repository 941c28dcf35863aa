#!/usr/bin/perl
# Every page of docs/how-to from A to L (how-to-m-z.t has the others) leads to its goal: a reader who types
# each block of it, from the first line and on a service of his own, gets the answers that are shown, and leaves no trace.

use strict;
use warnings;

use Test::More;
use Catalogue::Reader;

Catalogue::Reader::is_true($_) for sort grep { m{/[a-l][^/]*$}i } glob 'docs/how-to/*.md';

done_testing;
