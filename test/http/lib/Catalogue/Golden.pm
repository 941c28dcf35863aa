package Catalogue::Golden;

# A file of the golden set: requests to a seeded catalogue with the demonstration data, recorded with status
# line, headers and body of their answers, and compared with the record in expected/golden/.
# #
# Requests are written as in the record, "WHO VERB TARGET", followed by lines of headers and of the
# body, which begin with "> ".  In them <table:name> stands for the id of a record, as the mask says, and
# <etag>, <version>, <next>, <location> for the last such value in the answers before.

use strict;
use warnings;

use Catalogue::Archive;
use Catalogue::Client qw($json);
use Catalogue::Mask;
use Catalogue::Program qw(slurp);
use Catalogue::Test;
use Digest::SHA qw(sha256_hex);
use File::Path ();
use Test::More ();

use constant WIDTH => 120;    # columns that a part of JSON may have on one line

# Headers that nearly all answers have; the record shows them once.
my %usual = (
	'{protection}' => <<~'END',
		X-Content-Type-Options: nosniff
		Content-Security-Policy: default-src 'none'; frame-ancestors 'none'
		Referrer-Policy: no-referrer
		Vary: Accept, Prefer, Authorization, X-Admin-Authorization, apikey, X-Consumer-Username
		Cache-Control: private, no-cache
		END
	'{origins}' => "Access-Control-Allow-Origin: *\nAccess-Control-Expose-Headers: "
		. join(', ', qw(Accept-Ranges Allow Catalogue-Notes Content-Encoding Content-Range ETag Link Location
			Preference-Applied Retry-After),
			qw(WWW-Authenticate X-Request-Id)) . "\n",
);

# Start a service for the requests of a subject; settings as for Catalogue::Test.
sub start
{
	my ($class, $subject, %settings) = @_;
	my $service = Catalogue::Test->start(%settings)->as_admin;
	my $self = bless {
		subject => $subject,
		service => $service,
		mask    => Catalogue::Mask->new($service),
		last    => { etag => '""' },
		record  => [],
		count   => 0,
	}, $class;
	$self->fill;
	return $self;
}

# Load the demonstration, and set up callers: the seeded users, with known passwords, and two applications.
sub fill
{
	my ($self) = @_;
	my $service = $self->{service};
	my ($key, $web) = map { ($service->sql("SELECT secret FROM catalogue.add_api_key(catalogue.add_consumer($_))"))[0] }
		q('Portal'), q('Web', 'representation', 'embedded', color => 'css');

	my $sample = $json->decode(slurp('test/demo/sample.json'));
	my $loaded = $service->post('/imports',
		{ document => $sample, source => 'https://data.example.org/', publish => Cpanel::JSON::XS::true });
	die "POST /imports: $loaded->{status} $loaded->{body}\n" unless $loaded->{status} == 200;
	$self->{headers} =
		{ outsider => {}, key => { apikey => $key }, web => { apikey => $web }, superadmin => $service->{headers} };
	for my $user ([ admin => 'editor' ], [ guest => 'guest' ])
	{
		my ($who, $name) = @$user;
		my $password = "the password of $name";
		my $hash = crypt $password, '$y$j75$' . '.' x 22; # of the least cost
		$service->sql("UPDATE catalogue.users SET password = '$hash', active = true WHERE username = '$name'");
		my $token = $service->login($name, $password)->{json}{data}{token} // die "no token for $name\n";
		$self->{headers}{$who} = { Authorization => "Bearer $token" };
	}
	$service->{headers} = {};
	return;
}

# Add a caller, by the headers of its requests.
sub caller { my ($self, $who, %headers) = @_; $self->{headers}{$who} = \%headers; return }

sub sql { my ($self, $statement) = @_; return $self->{service}->sql($statement) }

# Send the requests of a script; its lines that begin with "# " become headings of the record.
sub play
{
	my ($self, $script) = @_;
	my @requests;
	for my $line (split /\n/, $script)
	{
		if    ($line =~ /^# (.*)/)          { push @requests, $1 }
		elsif ($line =~ /^> ?(.*)/)         { push @{ $requests[-1]{body} }, $1 }
		elsif ($line =~ /^\|(.*)/)          { $requests[-1]{body}[-1] .= $1 }
		elsif ($line =~ /^([\w-]+): (.*)$/) { push @{ $requests[-1]{headers} }, $1, $2 }
		elsif ($line =~ /^(\w+) ([A-Z]+) (\S+)$/) { push @requests, { who => $1, verb => $2, target => $3, headers => [] } }
		elsif ($line =~ /\S/)               { die "no request: $line\n" }
	}
	for my $request (@requests)
	{
		ref $request or $self->say($request), next;
		my $body = $request->{body} ? join "\n", @{ $request->{body} } : undef;
		$self->ask(@$request{qw(who verb target)}, $body, @{ $request->{headers} });
	}
	return;
}

# Add a heading to the record.
sub say
{
	my ($self, $text) = @_;
	push @{ $self->{record} }, "# $text\n";
	return;
}

# Replace <table:name>, <etag> and similar placeholders by their values.
sub resolve
{
	my ($self, $text) = @_;
	return $text =~ s{<([a-z_]+)>}{ $self->{last}{$1} // die "no <$1> before this request\n" }ger
		=~ s{<([a-z_]+:[^<>]+)>}{ $self->{mask}->id_of($1) // die "no record <$1>\n" }ger;
}

# Send a request and record it with its answer; return the answer.
sub ask
{
	my ($self, $who, $verb, $target, $body, %headers) = @_;
	my $service = $self->{service};
	my %credentials = %{ $self->{headers}{$who} // die "no caller \"$who\"\n" };
	my %sent  = map { $_ => $self->resolve($headers{$_}) } keys %headers;
	my $path  = $self->resolve($target) =~ s/^\Q$service->{base}\E//r;
	my $bytes = defined $body ? $self->resolve($body) : undef;
	my $reply = $service->request($verb, $path, $bytes, %credentials, %sent);

	$self->{count}++;
	$self->remember($reply);
	push @{ $self->{record} },
		{ who => $who, verb => $verb, path => $path, headers => \%sent, body => $bytes, reply => $reply };
	return $reply;
}

# Store values of an answer that later requests may name.
sub remember
{
	my ($self, $reply) = @_;
	my $headers = $reply->{headers};
	my $json = ref $reply->{json} eq 'HASH' ? $reply->{json} : {};
	my %found = (etag => $headers->{etag}, location => $headers->{location});

	$self->{tags}{ $found{etag} } = 1 if $found{etag};
	$found{version} = $json->{meta}{version} if ref $json->{meta} eq 'HASH';
	$found{next}    = $json->{links}{next} if ref $json->{links} eq 'HASH';
	$self->{last}{$_} = $found{$_} for grep { defined $found{$_} } keys %found;
	$self->{mask}->learn if $reply->{status} == 201;
	$self->{mask}->note($1, 'upload') if ($found{location} // '') =~ m{/uploads/(\w{15})$};
	return;
}

# The text of a request in the record.
sub request_text
{
	my ($self, $entry) = @_;
	my $text = "## $entry->{who} $entry->{verb} " . $self->{mask}->text($entry->{path}) . "\n";
	for my $name (sort keys %{ $entry->{headers} })
	{
		my $value = $entry->{headers}{$name};
		$value =~ s/\Q$_\E/"<etag>"/g for keys %{ $self->{tags} };
		$text .= "$name: " . $self->{mask}->text($value) . "\n";
	}
	$text .= shown($self->{mask}->text($entry->{body})) =~ s/\n\z//r =~ s/^/> /gmr . "\n" if length($entry->{body} // '');
	return $text;
}

# The text of an answer in the record.
sub reply_text
{
	my ($self, $entry) = @_;
	my ($reply, $mask) = ($entry->{reply}, $self->{mask});
	my $body   = $self->body_text($reply);
	# HEAD and ranges tell the length of the whole body without showing the parts of it that vary
	my $varies = $body ne $self->plain($reply)
		|| ($reply->{headers}{'content-type'} // '') =~ ($entry->{verb} eq 'HEAD' ? qr/json|xml|zip|version=0/ : qr/zip/);
	my @lines  = split /\r\n/, $reply->{head};

	# HEAD of a stream: libmicrohttpd before 1.0 closes the connection, later versions name the transfer coding
	@lines = grep { !/^(?:Connection: close|Transfer-Encoding: chunked)$/ } @lines if $entry->{verb} eq 'HEAD';
	for my $line (@lines)
	{
		$line =~ s{^(Content-Length: |Content-Range: bytes .*/)\d+$}{$1<length>} if $varies;
		# the rest of a time window varies
		$line = 'Retry-After: <seconds>' if $reply->{status} == 429 && $line =~ /^Retry-After:/;
		$line =~ s/(sha-256=:?)[A-Za-z0-9+\/=]{44}/$1<digest>/i if $varies;
		$line = $mask->header($line);
	}
	my $head = join '', map { "$_\n" } @lines;
	# the boundary of parts is different in each answer
	if (my ($boundary) = $head =~ /; boundary=(\w+)/)
	{
		s/\Q$boundary\E/<boundary>/g for $head, $body;
	}
	$head =~ s/^\Q$usual{$_}\E/$_\n/m for keys %usual;
	return "\n$head" . (length $body ? "\n$body\n" : '');
}

# The body of an answer, unmasked.
sub plain
{
	my ($self, $reply) = @_;
	return is_text($reply) ? layout($reply) : shown($reply->{body});
}

sub body_text
{
	my ($self, $reply) = @_;
	return $self->archive_text($reply->{body}) if $reply->{status} == 200 && $reply->{body} =~ /^PK\x03\x04/;
	return shown($reply->{body}) unless is_text($reply);
	my $text = $self->{mask}->text($reply->{body});
	# which series there are, and their values, depend on what happened before
	$text =~ s/^catalogue_.*\n//gm
		if ($reply->{headers}{'content-type'} // '') eq 'text/plain; version=0.0.4; charset=utf-8';
	$text =~ s/("retryAfter":)\d+/$1<seconds>/ if $reply->{status} == 429;
	return page_text($text) if ($reply->{headers}{'content-type'} // '') =~ m{^text/html};
	return layout({ %$reply, body => $text });
}

# A page with an element a line, without what changes with the day or with any file of the page.
sub page_text
{
	my ($html) = @_;
	$html =~ s{(<time\b[^>]*>)[^<]*}{$1<day>}g;
	$html =~ s{/page/[0-9a-f]{16}/}{/page/<digest>/}g;
	$html =~ s{<code>[0-9a-f]{16}</code>}{<code><hex:16></code>}g;
	$html =~ s{(/oembed\?url=)[^"]*}{$1<address>}g;
	$html =~ s{\b20\d\d\b(?!-|<time>)}{<year>}g;
	return $html =~ s/></>\n</gr;
}

sub is_text
{
	my ($reply) = @_;
	return ($reply->{headers}{'content-type'} // '') =~ m{json|^text/|xml}
		&& $reply->{body} !~ /[\0-\x08\x0b\x0c\x0e-\x1f]/;
}

# Bytes as text, or their number and digest when they are not text.
sub shown
{
	my ($bytes) = @_;
	return $bytes if length $bytes < 4000 && $bytes !~ /[^\t\r\n -~\x80-\xff]/ && utf8::decode(my $copy = $bytes);
	return sprintf '(%d bytes, SHA-256 %s)', length $bytes, sha256_hex($bytes);
}

# The contents of an archive: texts as they are, but for parts that differ from run to run.
sub archive_text
{
	my ($self, $bytes) = @_;
	my %member = Catalogue::Archive::members($bytes);
	return join '', map { "--- $_\n" . shown($self->{mask}->text($member{$_})) . "\n" } sort keys %member;
}

# JSON with a line for each member when it is too long for one line; no other change.
sub layout
{
	my ($reply) = @_;
	my $body = $reply->{body};
	return $body if ($reply->{headers}{'content-type'} // '') !~ m{^application/(?:[\w.]+\+)?json\b};
	my @tokens = $body =~ /("(?:[^"\\]|\\.)*+"|[\[\]{},]|[^"\[\]{},]+)/gs;
	return join('', @tokens) eq $body ? join "\n", lines(tree(\@tokens), '') : $body;
}

# Parse a list of tokens into containers: [opening, closing, [members]]; a member is a list of texts and containers.
sub tree
{
	my ($tokens) = @_;
	my $top = [ '', '', [ [] ] ];
	my @open = ($top);
	for my $token (@$tokens)
	{
		if ($token =~ /^[\[{]$/)
		{
			my $new = [ $token, '', [ [] ] ];
			push @{ $open[-1][2][-1] }, $new;
			push @open, $new;
		}
		elsif ($token =~ /^[\]}]$/ && @open > 1) { (pop @open)->[1] = $token }
		elsif ($token eq ',') { push @{ $open[-1][2] }, [] }
		else                  { push @{ $open[-1][2][-1] }, $token }
	}
	return $top;
}

sub flat
{
	my ($container) = @_;
	return $container->[0] . join(',', map { join '', map { ref $_ ? flat($_) : $_ } @$_ } @{ $container->[2] })
		. $container->[1];
}

# The lines of a container, each after the indentation.
sub lines
{
	my ($container, $indent) = @_;
	my ($open, $close, $members) = @$container;
	my $deeper = length $open ? "$indent " : $indent;
	my @lines  = length $open ? $open : ();

	for my $i (0 .. $#$members)
	{
		my @member = $deeper;
		for my $part (@{ $members->[$i] })
		{
			my $flat = ref $part ? flat($part) : $part;
			if (!ref $part || length("$member[-1]$flat") < WIDTH)
			{
				$member[-1] .= $flat;
				next;
			}
			my ($first, @rest) = lines($part, $deeper);
			$member[-1] .= $first;
			push @member, @rest;
		}
		$member[-1] .= ',' if $i < $#$members;
		push @lines, @member;
	}
	push @lines, "$indent$close" if length $close;
	return @lines;
}

# The record as text.
sub text
{
	my ($self) = @_;
	my $text = join '', map { "$_ stands for\n$usual{$_}\n" } sort keys %usual;
	$self->{mask}->learn;
	return $text . join "\n", map { ref $_ ? $self->request_text($_) . $self->reply_text($_) : $_ } @{ $self->{record} };
}

# Compare the record with the expected one, and write it to build/golden.
sub finish
{
	my ($self) = @_;
	my $expected = "expected/golden/$self->{subject}.txt";
	my $result   = "build/golden/$self->{subject}.txt";
	my $text     = $self->text;

	File::Path::make_path('build/golden');
	open my $out, '>:raw', $result or die "$result: $!\n";
	print $out $text;
	close $out or die "$result: $!\n";
	my $same = slurp($expected) eq $text;
	Test::More::ok($same, "$self->{count} requests are answered as $expected has it")
		or Test::More::diag(difference($expected, $result));
	$self->{service}->is_sound;
	$self->{service}->finish;
	return;
}

sub difference
{
	my ($expected, $result) = @_;
	$expected = '/dev/null' unless -e $expected;
	open my $diff, '-|:raw', 'diff', '-U4', '--show-function-line=^## ', $expected, $result or die "diff: $!\n";
	my @lines = <$diff>;
	close $diff;
	my $more = @lines > 400 ? sprintf "... and %d lines more\n", @lines - 400 : '';
	splice @lines, 400 if $more;
	return join '', @lines, $more, "If all of this is intended: cp $result expected/golden/\n";
}

1;
