package Catalogue::Mask;

# Replace the parts of a text that differ from one run to the next, and nothing else:
#
#   ids        <datasets:bus-stops>, by table and slug, file name, user name, key or name of the record; when two
#              records of a table have the same name, or none, the number of the record in the text follows
#   times      <time> for times of this run and for nextRun; other times in the data are not replaced
#   tokens     <token ALGORITHM CLAIM=VALUE ...>, with the claims
#   cursors    <cursor VALUE.VALUE> in links
#   addresses  <base>, of the service
#   revisions  <revision:1> and so on, of the contents of files: a parse that is started again uses one more
#   entity tags, request ids

use strict;
use warnings;

use Catalogue::Client qw($json);
use MIME::Base64 ();
use POSIX ();
use Time::Local ();

use constant NEAR => 36 * 3600;    # seconds: a time that is closer to the present is one of this run

my $ISO  = qr/(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(Z|[+-]\d\d(?::\d\d)?|)/;
my $HTTP = qr/(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (\d\d) (\w{3}) (\d{4}) (\d\d):(\d\d):(\d\d) GMT/;
my %month;
@month{qw(Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec)} = 0 .. 11;

sub new
{
	my ($class, $service) = @_;
	return bless { service => $service, label => {}, number => {}, revision => {} }, $class;
}

# Learn the ids of the records that exist now; known ids keep their labels.
sub learn
{
	my ($self) = @_;
	my %tables;
	for ($self->{service}->sql(<<~'END'))
		SELECT c.relname, string_agg(a.attname, ',') FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
		WHERE c.relnamespace = 'catalogue'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
		      AND a.attname IN ('id', 'slug', 'file_name', 'username', 'key', 'name', 'created_at') AND NOT a.attisdropped
		GROUP BY c.relname HAVING bool_or(a.attname = 'id' AND a.atttypid = 'catalogue.id'::regtype)
		END
	{
		my ($table, $columns) = split /\|/;
		$tables{$table} = { map { $_ => 1 } split /,/, $columns };
	}
	my @queries = map {
		my $table = $_;
		my $names = join ', ', (grep { $tables{$table}{$_} } qw(file_name slug username key name)), q('');
		sprintf q(SELECT '%s', id, regexp_replace(coalesce(%s), '[^A-Za-z0-9_.~-]+', '_', 'g'), row_number() OVER )
			. q((ORDER BY %sid) FROM catalogue.%s),
			$table, $names, $tables{$table}{created_at} ? 'created_at, ' : '', $table;
	} sort keys %tables;
	# applications may be given an id, and keys a name, so that theirs are texts
	push @queries, map { "SELECT '$$_[0]', $$_[1], '', row_number() OVER (ORDER BY created_at) FROM catalogue.$$_[0]" }
		[ 'consumers', 'id' ], [ 'consumer_keys', 'key' ];
	my (%count, @found);
	for ($self->{service}->sql(join(' UNION ALL ', @queries) . ' ORDER BY 1, 4'))
	{
		my ($table, $id, $name) = split /\|/, $_, -1;
		next if length $id != 15 || $self->{label}{$id};
		push @found, [ $id, $table, $name ];
		$count{$table}{$name}++;
	}
	for (@found)
	{
		my ($id, $table, $name) = @$_;
		my $unique = length $name && $count{$table}{$name} == 1 && !$self->{id}{"$table:$name"};
		$self->{label}{$id} = $unique ? "$table:$name" : [ $table, $name ];
		$self->{id}{"$table:$name"} = $id if $unique;
	}
	return;
}

# The id of a label; undef when no id has it.
sub id_of
{
	my ($self, $label) = @_;
	$self->learn unless $self->{id}{$label};
	return $self->{id}{$label};
}

# The label of an id; ids without a name are numbered in the order in which they appear.
sub label_of
{
	my ($self, $id) = @_;
	my $label = $self->{label}{$id} // return $id;
	if (ref $label)
	{
		my $name = join ':', grep { length } @$label;
		$label = $self->{label}{$id} = "$name:" . ++$self->{number}{$name};
	}
	return "<$label>";
}

# Note the id of a record that is no longer in a table.
sub note
{
	my ($self, $id, $table) = @_;
	$self->{label}{$id} //= [ $table, '' ];
	return;
}

sub is_near
{
	my ($year, $month, $day, @time) = @_;
	my $time = eval { Time::Local::timegm_modern(reverse(@time), $day, $month, $year) } // return 0;
	return abs($time - time) < NEAR;
}

sub near_time
{
	my ($text, $digits, $zone, @parts) = @_;
	return $text unless is_near($parts[0], $parts[1] - 1, @parts[ 2 .. 5 ]);
	# PostgreSQL's own text form of a time, with a numeric zone, has no trailing zeros
	return $zone eq 'Z' && length $digits != 6 ? '<time.' . length($digits) . 'Z>' : $zone eq 'Z' ? '<time>'
		: "<time$zone>";
}

sub token
{
	my ($self, $header, $claims) =
		map { ref $_ ? $_ : eval { $json->decode(MIME::Base64::decode_base64url($_)) } } @_[ 0 .. 2 ];
	return '<token>' unless $header && $claims;
	my %claims = %$claims;
	# the issuer is the name of the key that the service signs with
	$self->note($claims{iss}, 'consumer_keys') if ($claims{iss} // '') =~ /^\w{15}$/;
	if (my $issued = $claims{iat})
	{
		$claims{exp} = 'iat+' . ($claims{exp} - $issued) if defined $claims{exp};
		$claims{$_} = '<now>' for grep { $claims{$_} && abs($claims{$_} - time) < NEAR } qw(iat login);
	}
	return sprintf '<token %s>', join ' ', $header->{alg} // 'none',
		map { "$_=" . $self->text($claims{$_}) } sort keys %claims;
}

# The values of a cursor are encoded in base64 and separated by dots.
sub cursor
{
	my ($self, $cursor) = @_;
	my @values = map { MIME::Base64::decode_base64url($_) } split /\./, $cursor;
	return '<cursor ' . join('.', map { /^[ -~]*$/ ? $self->text($_) : '?' } @values) . '>';
}

# The text with all known values replaced, and long runs of one character as <COUNT times>.
sub text
{
	my ($self, $text) = @_;
	my $base = $self->{service}{base};
	my $host = $base =~ s{^http://}{}r;

	$text =~ s{\b(eyJ[\w-]+)\.(eyJ[\w-]+)\.[\w-]+}{ $self->token($1, $2) }ge;
	$text =~ s{\b(after|before)=([A-Za-z0-9_.-]{12,})}{ "$1=" . $self->cursor($2) }ge;
	$text =~ s{\Q$base\E}{<base>}g;
	$text =~ s{\Q$host\E}{<host>}g;
	$text =~ s{"nextRun":"\K$ISO}{<time>}g;
	$text =~ s{($ISO)}{ near_time($1, $8 // '', $9, $2, $3, $4, $5, $6, $7) }ge;
	$text =~ s{($HTTP)}{ is_near($4, $month{$3}, $2, $5, $6, $7) ? '<http time>' : $1 }ge;
	$text =~ s{(?<![A-Za-z0-9])([A-Za-z0-9]{15})(?![A-Za-z0-9])}{ $self->label_of($1) }ge;
	$text =~ s{("revision":)(\d+)}{ $1 . '<revision:' . ($self->{revision}{$2} //= ++$self->{number}{revision}) . '>' }ge;
	$text =~ s{(\w)(\1{199,})}{ sprintf '%s<%d times>', $1, 1 + length $2 }ge;
	return $text;
}

# A line of a header with all known values replaced.
sub header
{
	my ($self, $line) = @_;
	$line =~ s{^(ETag: (?:W/)?").*"$}{$1<etag>"};
	$line =~ s{^(X-Request-Id: )([0-9a-f]+)$}{ "$1<hex:" . length($2) . '>' }e;
	return $self->text($line);
}

1;
