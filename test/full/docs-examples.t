#!/usr/bin/perl
# Every page of the documentation can be followed, with the output that it shows; how-to-a-l.t and how-to-m-z.t have the
# pages of docs/how-to.

use strict;
use warnings;

use Test::More;
use Catalogue::Reader;

Catalogue::Reader::is_true($_) for grep { !m{^docs/how-to/} } Catalogue::Reader::pages();

done_testing;
