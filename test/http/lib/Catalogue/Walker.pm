package Catalogue::Walker;

# A client of pagination.t: it pages through a list and checks what it sees as far as that is possible without the
# writers.

use strict;
use warnings;

use List::Util qw(shuffle);
use POSIX qw(strftime);
use Time::HiRes qw(time);

our %status = (
	nWRhpRV => 'Draft',
	oWRhpRV => 'Under Review',
	pWRhpRV => 'Rejected',
	qWRhpRV => 'Published',
	rWRhpRV => 'Unpublished',
);

# A limit that is greater than the number of pages of any list.
my $most_pages = 1000;

# The fields that the lists request.
my %fields = (
	datasets => 'fields=name,notes,status,tags,createdAt',
	files    => 'fields=name,createdAt&include=dataset.name',
	tags     => 'fields=name,createdAt',
	embedded => 'fields=name,notes,createdAt&include=tags.name,status.name',
);

# A record of a reply as one text.
my %text = (
	datasets => sub { join ' ', $_[0]{name}, $_[0]{notes} // 'null', $_[0]{status}, @{ $_[0]{tags} } },
	files    => sub { join ' ', $_[0]{name}, $_[0]{dataset}{id}, $_[0]{dataset}{name} },
	tags     => sub { $_[0]{name} },
	embedded => sub { join ' ', $_[0]{name}, $_[0]{notes} // 'null', map { @$_{qw(id name)} } $_[0]{status},
		@{ $_[0]{tags} } },
);

# A record in a writer's state as the same text.
our %expected = (
	datasets => $text{datasets},
	files    => sub { join ' ', $_[0]{name}, $_[0]{dataset}, $_[1]{datasets}{ $_[0]{dataset} }{name} },
	tags     => $text{tags},
	embedded => sub {
		my ($record, $state) = @_;
		return join ' ', $record->{name}, $record->{notes} // 'null', $record->{status}, $status{ $record->{status} },
			map { ($_, $state->{tags}{$_}{name}) } @{ $record->{tags} };
	},
);

# The values that lists are ordered by.
my %key = (
	createdAt      => sub { $_[0]{createdAt} },
	name           => sub { $_[0]{name} },
	notes          => sub { $_[0]{notes} },
	'status.name'  => sub { $status{ $_[0]{status} } },
	'dataset.name' => sub { $_[0]{dataset}{name} },
);

sub letter     { return chr(97 + rand 12) }
sub letters    { return join ',', (shuffle('a' .. 'l'))[ 0 .. 2 ] }
sub colour     { return (qw(red green blue))[ rand 3 ] }
sub note       { return sprintf '%05d', rand 100_000 }
sub a_dataset  { my ($first) = @_; return $first->[ rand @$first ]{datasets} }
sub a_tag      { my ($first) = @_; return $first->[ rand @$first ]{tags} }
sub three_tags { my ($first) = @_; return join ',', map { $_->{tags} } (shuffle(@$first))[ 0 .. 2 ] }

sub tags_of { my ($record, $state) = @_; return map { $state->{tags}{$_}{name} } @{ $record->{tags} } }

# The lists: path and query, in which %s is replaced by a random value; their order ("-" is descending);
# shows: the text of a record when it differs from %text;
# fits($record, $state, $drawn, $id): whether a record in a writer's state must be in the list.
our @lists = (
	{ path => '/datasets', order => ['createdAt'] },
	{ path => '/datasets?sort=DESC',                           order => ['-createdAt'] },
	{ path => '/datasets?orderBy=name',                        order => ['name'] },
	{ path => '/datasets?orderBy=name&sort=DESC',              order => ['-name'] },
	{ path => '/datasets?orderBy=notes',                       order => ['notes'] },
	{ path => '/datasets?orderBy=notes&sort=DESC',             order => ['-notes'] },
	{ path => '/datasets?orderBy=notes,name', shows => 'embedded', order => [ 'notes', 'name' ] },
	{ path => '/datasets?orderBy=status.name',                 order => ['status.name'] },
	{ path => '/datasets?orderBy=status.name,name&sort=DESC,ASC', order => [ '-status.name', 'name' ] },
	{ path => '/datasets?name=%s&match=BEGINS', draw => \&letters, order => ['createdAt'],
		fits => sub { my ($record, undef, $drawn) = @_; return grep { $record->{name} =~ /^$_/ } split /,/, $drawn } },
	{ path => '/datasets?name=%s&status=nWRhpRV,qWRhpRV&match=BEGINS&condition=AND', draw => \&letters,
		order => ['createdAt'],
		fits => sub {
			my ($record, undef, $drawn) = @_;
			return $record->{status} =~ /^[nq]/ && grep { $record->{name} =~ /^$_/ } split /,/, $drawn
		} },
	{ path => '/datasets?name=%s&status=rWRhpRV&match=BEGINS&condition=OR&orderBy=notes', draw => \&letter,
		order => ['notes'],
		fits => sub { my ($record, undef, $drawn) = @_; return $record->{status} =~ /^r/ || $record->{name} =~ /^$drawn/ } },
	{ path => '/datasets?notes=null', order => ['createdAt'], limit => 5, fits => sub { return !defined $_[0]{notes} } },
	{ path => '/datasets?notes[gte]=%s&orderBy=notes', draw => \&note, order => ['notes'],
		fits => sub { my ($record, undef, $drawn) = @_; return defined $record->{notes} && $record->{notes} ge $drawn } },
	{ path => '/datasets?status.name=Published&match=EXACT&orderBy=name', order => ['name'], limit => 7,
		fits => sub { return $_[0]{status} eq 'qWRhpRV' } },
	{ path => '/datasets?tags.slug=%s&match=BEGINS', draw => \&colour, order => ['createdAt'],
		fits => sub { my ($record, $state, $drawn) = @_; return grep { /^$drawn/ } tags_of($record, $state) } },
	{ path => '/datasets?tags=%s&orderBy=name', draw => \&three_tags, order => ['name'], limit => 3,
		fits => sub { my ($record, undef, $drawn) = @_; return grep { $drawn =~ /\b$_\b/ } @{ $record->{tags} } } },
	{ path => '/tags/%s/datasets?orderBy=name', draw => \&a_tag, order => ['name'], limit => 2,
		fits => sub { my ($record, undef, $drawn) = @_; return grep { $_ eq $drawn } @{ $record->{tags} } } },
	{ path => '/statuses/qWRhpRV/datasets', order => ['createdAt'], limit => 7,
		fits => sub { return $_[0]{status} eq 'qWRhpRV' } },
	{ path => '/datasets/%s/files?orderBy=name', draw => \&a_dataset, order => ['name'], limit => 2,
		fits => sub { my ($record, undef, $drawn) = @_; return $record->{dataset} eq $drawn } },
	{ path => '/files?orderBy=dataset.name,name', order => [ 'dataset.name', 'name' ] },
	{ path => '/files?dataset.name=%s&match=BEGINS', draw => \&letters, order => ['createdAt'], limit => 7,
		fits => sub {
			my ($record, $state, $drawn) = @_;
			return grep { $state->{datasets}{ $record->{dataset} }{name} =~ /^$_/ } split /,/, $drawn
		} },
	{ path => '/files?dataset.tags.slug=%s&match=BEGINS', draw => \&colour, order => ['createdAt'],
		fits => sub {
			my ($record, $state, $drawn) = @_;
			return grep { /^$drawn/ } tags_of($state->{datasets}{ $record->{dataset} }, $state)
		} },
	{ path => '/tags?orderBy=name', order => ['name'] },
	{ path => '/tags?datasets.name=%s&match=BEGINS', draw => \&letters, order => ['createdAt'], limit => 7,
		fits => sub {
			my (undef, $state, $drawn, $id) = @_;
			return grep { $drawn =~ substr $_->{name}, 0, 1 }
				grep { grep { $_ eq $id } @{ $_->{tags} } } values %{ $state->{datasets} }
		} },
);
for my $list (@lists)
{
	($list->{resource}) = $list->{path} =~ m{/(\w+)(?:\?|$)};
	$list->{shows} //= $list->{resource};
}

# The ways to get all pages, each given the first one; they return them in the order of the list.
our @ways = (
	{ name => 'by next',                    pages => \&by_next },
	{ name => 'by previous from the last',  pages => \&by_previous },
	{ name => 'by skip',                    pages => \&by_skip },
	{ name => 'by skip in any order',       pages => \&by_skip_in_any_order },
	{ name => 'by next, of an instant before', pages => \&by_next, is_past => 1 },
);

# Walk through a list; return a hash: list, way and drawn are the request; from and to, between which the
# instant of the walk is; until, when it ended; version; shown, the text of each record by its id; faults.
#
# list, way: elements of the two tables.  limit: of a page, unless the list has one.
# first: by writer, the ids of its first records by resource.
sub walk
{
	my ($service, $list, $way, $limit, $first) = @_;
	my $drawn = $list->{draw} ? $list->{draw}->($first) : '';
	my $path  = $list->{path} =~ s/%s/$drawn/r;
	my $walk  = { list => $list->{path}, way => $way->{name}, drawn => $drawn, faults => [], service => $service };

	$walk->{limit} = $list->{limit} // $limit;
	$walk->{path} = $path . ($path =~ /\?/ ? '&' : '?') . "$fields{ $list->{shows} }&limit=$walk->{limit}";
	my ($instant, $past) = $way->{is_past} ? instant(time - rand 1) : ();
	$walk->{from} = $instant // time;
	my $page = page($walk, $walk->{path} . ($past ? "&version=$past" : ''));
	$walk->{to} = $instant // time;
	$walk->{version} = $page->{json}{meta}{version} // 'none';
	$walk->{count}   = $page->{json}{meta}{count} // -1;
	fault($walk, "version is $walk->{version} for $past") if $past && $walk->{version} ne $past;

	my @pages = $way->{pages}->($walk, $page);
	for (@pages) { die "$walk->{path}: $_->{status} $_->{body}\n" if ref($_->{json}{data}) ne 'ARRAY' }
	my @records = map { @{ $_->{json}{data} // [] } } @pages;
	check_pages($walk, $list, \@pages, \@records);
	check_count($walk, $path) if $path =~ m{^/\w+(?:\?|$)};
	check_item($walk, $list, $records[ rand @records ]) if @records;
	$walk->{shown} = { map { $_->{id} => $text{ $list->{shows} }->($_) } @records };
	delete $walk->{service};
	$walk->{until} = time;
	return $walk;
}

# Round an instant down to microseconds; return it as a number and as text of RFC 3339.
sub instant
{
	my ($time) = @_;
	my $microseconds = int($time * 1e6);
	my $second = int($microseconds / 1_000_000);
	return ($microseconds / 1e6, strftime('%Y-%m-%dT%H:%M:%S', gmtime $second) . sprintf '.%06dZ',
		$microseconds % 1_000_000);
}

sub fault
{
	my ($walk, $text) = @_;
	push @{ $walk->{faults} }, $text;
	return;
}

# Get one page, by its path or its link.
sub page
{
	my ($walk, $path) = @_;
	my $reply = $walk->{service}->get($path =~ s/^\Q$walk->{service}{base}\E//r);
	fault($walk, "GET $path: $reply->{status}") unless $reply->{status} =~ /^20[06]$/;
	return $reply;
}

# Follow links to the end; a walk that does not end is stopped.
sub by_link
{
	my ($walk, $page, $link) = @_;
	my @pages = $page;
	while (defined(my $next = $pages[-1]{json}{links}{$link}))
	{
		push @pages, page($walk, $next);
		next if @pages <= $most_pages;
		fault($walk, "$link does not end");
		last;
	}
	return @pages;
}

sub by_next
{
	my ($walk, $first) = @_;
	return by_link($walk, $first, 'next');
}

# The walk must end with the first page unchanged.
sub by_previous
{
	my ($walk, $first) = @_;
	my $last  = $first->{json}{links}{last} // return $first;
	my @pages = reverse by_link($walk, page($walk, $last), 'previous');
	fault($walk, 'the first page has changed: ' . ids($pages[0]) . ' for ' . ids($first)) if ids($pages[0]) ne ids($first);
	return @pages;
}

sub ids
{
	my ($page) = @_;
	die "$page->{status} $page->{body}\n" if ref($page->{json}{data}) ne 'ARRAY';
	return join ' ', map { $_->{id} } @{ $page->{json}{data} // [] }
}

# Here the client computes the pages; it takes only the version from the reply.
sub at_skips
{
	my ($walk, @skips) = @_;
	return map { page($walk, "$walk->{path}&skip=$_&version=$walk->{version}") } @skips;
}

sub skips
{
	my ($walk, $first) = @_;
	return map { $_ * $walk->{limit} } 1 .. ($first->{json}{meta}{pages} // 1) - 1;
}

sub by_skip
{
	my ($walk, $first) = @_;
	return ($first, at_skips($walk, skips($walk, $first)));
}

sub by_skip_in_any_order
{
	my ($walk, $first) = @_;
	my @skips = shuffle(skips($walk, $first));
	my %page;
	@page{@skips} = at_skips($walk, @skips);
	return ($first, map { $page{$_} } sort { $a <=> $b } @skips);
}

# What a walk must satisfy by itself: one count, one version, no record twice, none missing, the order.
sub check_pages
{
	my ($walk, $list, $pages, $records) = @_;
	my %seen;

	for my $member (qw(count version))
	{
		my %values = map { ($_->{json}{meta}{$member} // 'none') => 1 } @$pages;
		fault($walk, "$member changes: " . join ' ', sort keys %values) if keys %values > 1;
	}
	my @twice = grep { $seen{$_}++ } map { $_->{id} } @$records;
	fault($walk, "shown twice: @twice") if @twice;
	fault($walk, keys(%seen) . " records where count is $walk->{count}") if keys %seen != $walk->{count};
	for my $i (1 .. $#$records)
	{
		next unless compare($list, @$records[ $i - 1, $i ]) > 0;
		return fault($walk, 'out of order: ' . join ' before ', map { $_->{id} } @$records[ $i - 1, $i ]);
	}
	return;
}

# Compare two records in the order of a list; nulls are last in both directions.
sub compare
{
	my ($list, @records) = @_;
	for (@{ $list->{order} })
	{
		my ($sign, $name) = /^(-?)(.*)/;
		my ($left, $right) = map { $key{$name}->($_) } @records;
		my $order = !defined $left || !defined $right ? (defined $right) - (defined $left)
			: $sign ? $right cmp $left : $left cmp $right;
		return $order if $order;
	}
	return 0;
}

# The count as of the walk's instant must be that of its pages.
sub check_count
{
	my ($walk, $path) = @_;
	my ($resource, $query) = $path =~ m{^/(\w+)\??(.*)};
	my $reply = page($walk, "/$resource/count?" . join '&', grep { length } $query, "version=$walk->{version}");
	my $count = $reply->{json}{data}{count} // -1;
	fault($walk, "/$resource/count is $count, not $walk->{count}") if $count != $walk->{count};
	return;
}

# A record as of the walk's instant must be what the pages show of it.
sub check_item
{
	my ($walk, $list, $record) = @_;
	my $shown = $text{ $list->{shows} }->($record);
	my $reply = page($walk, "/$list->{resource}/$record->{id}?$fields{ $list->{shows} }&version=$walk->{version}");
	my $item  = $reply->{status} == 200 ? $text{ $list->{shows} }->($reply->{json}{data}) : 'missing';
	fault($walk, "/$list->{resource}/$record->{id} is $item as a record, not $shown") if $item ne $shown;
	return;
}

1;
