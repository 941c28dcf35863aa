package Catalogue::Shapes;

# Requests whose end two servers could see in different places, or whose lines they could parse
# differently, and some that only look as if they were.  Each is a request that would create a tag,
# followed by another one that would create a second tag.

use strict;
use warnings;

use Exporter 'import';
our @EXPORT_OK = qw(shapes second);

my $host = "Host: localhost\r\n";

# name, the expected status, the request up to where the second one begins or is hidden.  {line} is the
# beginning of the request line, {head} the headers of a valid request, {body} a body of 20 bytes and
# {all} the length of that body and of the rest.
my $post = "{line} HTTP/1.1\r\n{head}";

sub post { my ($lines, $body) = @_; return "$post$lines\r\n" . ($body // '{body}') }
sub chunks { my ($lines, $body) = @_; return post("$lines", $body // "14\r\n{body}\r\n0\r\n\r\n") }
sub line { my ($line) = @_; return "$line\r\n{head}Content-Length: 20\r\n\r\n{body}" }

# ambiguous requests: refused, the connection closed, and no request is read from the rest
my @doubtful = (
	# both ways to find the end of the body, and one of them several times
	[ 'length and coding',                qr/400/, chunks("Content-Length: {all}\r\nTransfer-Encoding: chunked\r\n") ],
	[ 'coding and length',                qr/400/, chunks("Transfer-Encoding: chunked\r\nContent-Length: {all}\r\n") ],
	[ 'a short length and coding',        qr/400/, chunks("Content-Length: 4\r\nTransfer-Encoding: chunked\r\n") ],
	[ 'length and an unknown coding',     qr/400/, post("Content-Length: {all}\r\nTransfer-Encoding: x\r\n") ],
	[ 'two lengths, short and long',      qr/400/, post("Content-Length: 20\r\nContent-Length: {all}\r\n") ],
	[ 'two lengths, long and short',      qr/400/, post("Content-Length: {all}\r\nContent-Length: 20\r\n") ],
	[ 'two lengths that agree',           qr/400/, post("Content-Length: 20\r\nContent-Length: 20\r\n") ],
	[ 'a list of lengths that agree',     qr/400/, post("Content-Length: 20, 20\r\n") ],
	[ 'a list of lengths',                qr/400/, post("Content-Length: 20,{all}\r\n") ],
	[ 'two codings, good and not',        qr/400|501/,
		chunks("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n") ],
	[ 'two codings, not and good',        qr/400|501/,
		chunks("Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n") ],
	[ 'two codings that agree',           qr/400|501/,
		chunks("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n") ],
	# lengths that are not a number
	(map { [ "length \"$_\"", qr/400/, post("Content-Length: $_\r\n") ] }
		'+20', '-1', '-0', '0x14', '20a', '2 0', '20.0', '2e1', '"20"', '20;q=1', '', "2\t0", "\xd9\xa2\xd9\xa0"),
	(map { [ "length $_", qr/400|413/, post("Content-Length: $_\r\n") ] }
		'9223372036854775808', '18446744073709551615', '18446744073709551636', '9' x 40),
	# codings other than exactly "chunked"
	(map { [ "coding \"" . ($_ =~ s/([^ -~])/sprintf '\\x%02x', ord $1/ger) . '"', qr/400|501/,
		chunks("Transfer-Encoding: $_\r\n") ] }
		'identity', 'gzip', 'xchunked', 'chunked, identity', 'gzip, chunked', 'chunked, chunked', '"chunked"',
			'chunked;q=1', '',
		'chunk ed', 'chunked,', ',chunked', "chunked\x0b", "\x0bchunked", "chunked\0"),
	[ 'coding in HTTP/1.0',               qr/400/,
		"{line} HTTP/1.0\r\n{head}Transfer-Encoding: chunked\r\n\r\n14\r\n{body}\r\n0\r\n\r\n" ],
	# lines that are incomplete, or could be two
	[ 'a folded coding',                  qr/400/, chunks("Transfer-Encoding:\r\n chunked\r\n") ],
	[ 'a folded length',                  qr/400/, post("Content-Length:\r\n 20\r\n") ],
	[ 'a folded header',                  qr/400/, post("X-One: a\r\n\tb\r\nContent-Length: 20\r\n") ],
	[ 'a first line of blanks',           qr/400/, "{line} HTTP/1.1\r\n X: y\r\n{head}Content-Length: 20\r\n\r\n{body}" ],
	[ 'a blank before the colon of the coding', qr/400/, chunks("Transfer-Encoding : chunked\r\n") ],
	[ 'a tab before the colon of the coding', qr/400/, chunks("Transfer-Encoding\t: chunked\r\n") ],
	[ 'a blank before the colon of the length', qr/400/, post("Content-Length : 20\r\n") ],
	[ 'a name that begins as length',     qr/400/, post("Content-Lengthx: 20\r\n") ],
	[ 'a name that begins as coding',     qr/400/, chunks("Transfer-Encoding-x: chunked\r\n") ],
	[ 'a name with a blank',              qr/400/, post("X Y: 5\r\nContent-Length: 20\r\n") ],
	[ 'a name with a bracket',            qr/400/, post("X(Y): 5\r\nContent-Length: 20\r\n") ],
	[ 'a name with a control character',  qr/400/, post("X\x01Y: 5\r\nContent-Length: 20\r\n") ],
	[ 'a name beyond ASCII',              qr/400/, post("X\xe4: 5\r\nContent-Length: 20\r\n") ],
	[ 'no name',                          qr/400/, post(": 5\r\nContent-Length: 20\r\n") ],
	[ 'no colon',                         qr/400/, post("X\r\nContent-Length: 20\r\n") ],
	[ 'a zero byte in a name',            qr/400/, post("X\0Y: 5\r\nContent-Length: 20\r\n") ],
	[ 'a zero byte in a value',           qr/400/, post("X: 5\0\r\nContent-Length: 20\r\n") ],
	[ 'a carriage return in a value',     qr/400/, post("X: 5\rY: 6\r\nContent-Length: 20\r\n") ],
	[ 'a length after a carriage return', qr/400/, post("X: 5\rContent-Length: 20\r\n") ],
	[ 'a line that ends with a line feed', qr/400/, post("X: 5\nContent-Length: 20\r\n") ],
	[ 'headers that end with line feeds', qr/400/, "{line} HTTP/1.1\r\n{head}Content-Length: 20\n\n{body}" ],
	[ 'line feeds alone',                 qr/400/, "{line} HTTP/1.1\nHost: localhost\nContent-Length: 20\n\n{body}" ],
	[ 'two Hosts',                        qr/400/, post("Host: other\r\nContent-Length: 20\r\n") ],
	[ 'no Host',                          qr/400/, "{line} HTTP/1.1\r\nContent-Length: 20\r\n\r\n{body}" ],
	# invalid chunks
	(map { [ "a chunk of size \"" . ($_ =~ s/([^ -~])/sprintf '\\x%02x', ord $1/ger) . '"', qr/400|413/,
			chunks("Transfer-Encoding: chunked\r\n", "$_\r\n{body}\r\n0\r\n\r\n") ] }
		'xyz', '-14', '+14', '0x14', '', 'fffffffffffffffff', "1\x004"),
	(map { [ "a chunk of size " . ($_ =~ s/([^ -~])/sprintf '\\x%02x', ord $1/ger =~ s/^ | $/_/gr), qr/400/,
			chunks("Transfer-Encoding: chunked\r\n", "$_\r\n{body}\r\n0\r\n\r\n") ] }
		'FFFFFFFFFFFFFFFF', '8000000000000000', '10000000000000000', '14 ', "14\t", ' 14', "14 \t ", '14 a=b', "14;a=b\rc",
			"14;a=\x01",
		"14;a=b\0", '14;a=' . 'b' x 300, "14\r", '14,14'),
	# line feeds without carriage returns, at each place where a body has line ends
	[ 'a line feed after a size',         qr/400/, chunks("Transfer-Encoding: chunked\r\n", "14\n{body}\r\n0\r\n\r\n") ],
	[ 'a line feed after a chunk',        qr/400/, chunks("Transfer-Encoding: chunked\r\n", "14\r\n{body}\n0\r\n\r\n") ],
	[ 'a line feed after the last size',  qr/400/, chunks("Transfer-Encoding: chunked\r\n", "14\r\n{body}\r\n0\n\r\n") ],
	[ 'a line feed at the end',           qr/400/, chunks("Transfer-Encoding: chunked\r\n", "14\r\n{body}\r\n0\r\n\n") ],
	[ 'line feeds in all of a body',      qr/400/, chunks("Transfer-Encoding: chunked\r\n", "14\n{body}\n0\n\n") ],
	[ 'a line feed in an extension',      qr/400/, chunks("Transfer-Encoding: chunked\r\n", "14;a\n{body}\r\n0\r\n\r\n") ],
	# trailer fields that are malformed, or would say where the body ends
	(map { [ "after a body: " . ($_ =~ s/([^ -~])/sprintf '\\x%02x', ord $1/ger), qr/400/,
			chunks("Transfer-Encoding: chunked\r\n", "14\r\n{body}\r\n0\r\n$_\r\n\r\n") ] }
		'Content-Length: 5', 'Transfer-Encoding: chunked', 'Host: other', 'X', ': x', 'X Y: z', "X: a\r\n b", "X: a\0",
			"X: a\rY: b",
		"X: a\nY: b", 'Content-Lengthx: 5'),
	(map { [ "after a body: " . length($_) . ' bytes', qr/400|431/,
			chunks("Transfer-Encoding: chunked\r\n", "14\r\n{body}\r\n0\r\n$_\r\n") ] } "X: y\r\n" x 257,
				"X: @{[ 'y' x 20000 ]}\r\n" x 2),
	[ 'a chunk longer than its size',     qr/400/, chunks("Transfer-Encoding: chunked\r\n", "5\r\n{body}\r\n0\r\n\r\n") ],
	[ 'a chunk without its line end',     qr/400/, chunks("Transfer-Encoding: chunked\r\n", "14\r\n{body}0\r\n\r\n") ],
	# request lines
	[ 'no version',                       qr/400|505/, line('{line}') ],
	(map { [ "version $_", qr/400|505/, line("{line} $_") ] } 'HTTP/2.0', 'HTTP/1.10', 'HTTP/0.9', 'http/1.1',
		'HTTP/1.1 x', 'HTTX/1.1'),
	[ 'a target with a blank',            qr/400/, line('POST /tags a?n={n} HTTP/1.1') ],
	[ 'a target with a zero byte',        qr/400/, line("POST /tags\0?n={n} HTTP/1.1") ],
	[ 'a target that is no path',         qr/400/, line('POST tags?n={n} HTTP/1.1') ],
	[ 'a target of a control character',  qr/400/, line("POST /tags\x01?n={n} HTTP/1.1") ],
	[ 'CONNECT',                          qr/400|405|501/, line('CONNECT localhost:{n} HTTP/1.1') ],
);

# unambiguous requests: one answer for each request, whatever its status is
my @certain = (
	[ 'coding in capitals',               qr/201/, chunks("Transfer-Encoding: CHUNKED\r\n") ],
	[ 'coding after a tab',               qr/201/, chunks("Transfer-Encoding:\tchunked\r\n") ],
	[ 'a chunk with an extension',        qr/201/,
		chunks("Transfer-Encoding: chunked\r\n", "14;a=b\r\n{body}\r\n0\r\n\r\n") ],
	(map { [ "a chunk of size " . ($_ =~ s/\t/\\t/gr), qr/201/,
		chunks("Transfer-Encoding: chunked\r\n", "$_\r\n{body}\r\n0\r\n\r\n") ] }
		'00014', '0' x 100 . '14', '14 ;a', "14\t; a=b", '14;a="x y";b=c', '14;'),
	[ 'a last chunk of many zeros',       qr/201/,
		chunks("Transfer-Encoding: chunked\r\n", "14\r\n{body}\r\n0000;a=b\r\n\r\n") ],
	[ 'chunks of one byte',               qr/201/,
		chunks("Transfer-Encoding: chunked\r\n", "1\r\n \r\n" x 50 . "14\r\n{body}\r\n0\r\n\r\n") ],
	[ 'many trailer fields',              qr/201/,
		chunks("Transfer-Encoding: chunked\r\n", "14\r\n{body}\r\n0\r\n" . "X: y\r\n" x 256 . "\r\n") ],
	(map { [ "length \"$_\"" =~ s/\t/\\t/gr, qr/201/, post("Content-Length:$_\r\n") ] } '20', '20 ', "20\t",
		" \t 20 \t  ", '  20   '),
	[ 'an empty line before',             qr/201/, "\r\n{line} HTTP/1.1\r\n{head}Content-Length: 20\r\n\r\n{body}" ],
	[ 'headers after the last chunk',     qr/201/,
		chunks("Transfer-Encoding: chunked\r\n", "14\r\n{body}\r\n0\r\nX-Last: 1\r\n\r\n") ],
	[ 'a length with zeros before',       qr/201/, post("Content-Length: 00020\r\n") ],
	[ 'a name with an underscore',        qr/201/, post("Content_Length: {all}\r\nContent-Length: 20\r\n") ],
	[ 'an absolute target',               qr/201/, line('POST http://localhost/tags?n={n} HTTP/1.1') ],
	[ 'a verb in small letters',          qr/400|405|501/, line('post /tags?n={n} HTTP/1.1') ],
	[ 'a zero byte in hexadecimals',      qr/400/, line('POST /tags%00?n={n} HTTP/1.1') ],
	[ 'a slash in hexadecimals',          qr/40[045]/, line('POST /tags%2f..%2ftags?n={n} HTTP/1.1') ],
	[ 'GET with a body',                  qr{20[06]}, line('GET /tags?n={n} HTTP/1.1') ],
);

# The request that follows shape number n, or is hidden in it.
sub second
{
	my ($n, $token) = @_;
	my $body = sprintf '{"name":"second %4d"}', $n;
	return "POST /tags?second=$n HTTP/1.1\r\n${host}Authorization: Bearer $token\r\nContent-Type: application/json\r\n"
		. 'Content-Length: ' . length($body) . "\r\n\r\n$body";
}

# All shapes: number, name, status when sent to the shim, bytes with the second request, certain.  The
# numbers start at the given one, or at 0.
sub shapes
{
	my ($token, $from) = @_;
	my @shapes;
	for my $shape (@doubtful, @certain)
	{
		my ($name, $status, $bytes) = @$shape;
		my $n    = ($from // 0) + @shapes;
		my %text = (
			line => "POST /tags?n=$n",
			head => "${host}Authorization: Bearer $token\r\nContent-Type: application/json\r\n",
			body => sprintf('{"name":"first %3d"}', $n),
			n    => $n,
		);
		$bytes =~ s/\{(line|head|body|n)\}/$text{$1}/g;
		my $second = second($n, $token);
		my $all    = length($bytes =~ s/.*?\r\n\r\n//sr) + length $second;
		$bytes =~ s/\{all\}/$all/g;
		push @shapes,
			{ n => $n, name => $name, status => qr/^(?:$status)$/, bytes => $bytes . $second, certain => @shapes >= @doubtful };
	}
	return @shapes;
}

1;
