#!/usr/bin/perl
# Search for words (match=WORDS): the default of pages, asked for in the API; whatever is sent is no error, and nobody
# finds what he does not see.

use strict;
use warnings;
use utf8;

use Cpanel::JSON::XS ();
use Encode ();
use Test::More;
use Unicode::Normalize qw(NFD);
use Catalogue::Test;
use Catalogue::Definition;

my $service    = Catalogue::Test->shared->as_admin;
my $definition = Catalogue::Definition->new($service);
my %visitor    = (Authorization => undef, Accept => 'text/html');

sub encoded { my ($text) = @_; return Encode::encode_utf8($text) =~ s/([^A-Za-z0-9])/sprintf '%%%02X', ord $1/ger }

# Records of the test, by their name; the rest of the query follows.
my %id;
sub dataset
{
	my ($name, $status, %more) = @_;
	$id{$name} = $definition->create('datasets', name => $name, status => $status, visible => Cpanel::JSON::XS::true,
		%more);
	return;
}
my ($published, $draft) = qw(qWRhpRV nWRhpRV);
dataset('Sequías registradas', $published, description => 'Embalses y pantanos');
dataset('Embalse mayor', $published, description => 'Una sequía larga');
dataset('Presequíal', $published);
dataset('Sequía oculta', $draft, description => 'Borradorcísimo');

sub found
{
	my ($query, %headers) = @_;
	my $reply = $service->get("/datasets/search?fields=name&$query", %headers);
	my $data  = $reply->{json}{data};
	return ref $data eq 'ARRAY' ? join ', ', map { $_->{name} } @$data : $reply->{status};
}
my %outsider = (Authorization => undef);

# the API: letters unless words are asked for
is(found('query=sequias', %outsider), 'Sequías registradas', 'letters by default');
is(found('query=sequias&match=WORDS', %outsider), 'Sequías registradas, Embalse mayor', 'by stems, the name first');
is(found('query=sequia&match=words', %outsider), 'Sequías registradas, Embalse mayor, Presequíal',
	'and what has the letters');
is(found('query=' . encoded(NFD('sequías')) . '&match=WORDS', %outsider), 'Sequías registradas, Embalse mayor',
	'accents as marks');
is(found('query=pantano+embal&match=WORDS', %outsider), 'Sequías registradas', 'the beginning of the last word');
is(found('query=embal+pantano&match=WORDS', %outsider), 'Sequías registradas', 'of others by their letters');
is(found('query=%22sequia+larga%22&match=WORDS', %outsider), 'Embalse mayor', 'a phrase');
is(found('query=sequias&match=WORDS'), 'Sequías registradas, Sequía oculta, Embalse mayor', 'a user finds drafts');
my $reply = $service->get('/datasets/search?query=sequia&match=WORDS&limit=2', %outsider);
is_deeply([ $reply->{status}, $reply->{json}{meta}{count} ], [ 206, 3 ], 'a part of the result');
like($reply->{json}{links}{next}, qr/match=WORDS/, 'next keeps the match');
is($service->get('/search?query=sequias&match=WORDS&resources=datasets', %outsider)->{json}{meta}{count}, 2, '/search');

# drafts are not found, counted or suggested
for my $query ('query=borradorcisimo', 'query=ocultas', 'query=%22sequia+oculta%22', 'query=borradorcisim')
{
	my $none = $service->get("/datasets/search?$query&match=WORDS&nearest=true&facets=status", %outsider)->{json};
	is_deeply([ $none->{meta}{count}, $none->{meta}{nearest}, $none->{meta}{facets}{status}{values} ], [ 0, [], [] ],
		"nothing for an outsider: $query");
	is($service->get("/datasets/count?$query&match=WORDS", %outsider)->{json}{data}{count}, 0, "nor a count: $query");
}

# whatever is sent is answered
for my $text ('"', '"a', '&|!()<->:*\\\'', 'a' x 5000, 'sequia ' x 700, '"sequia ' x 300, 'de la', '-',
	"\x{1F600}", "\x{1}\x{1F}", "\x{FEFF}", '%', 'a-' x 1500)
{
	like($service->get('/datasets/search?match=WORDS&nearest=true&query=' . encoded($text), %outsider)->{status},
		qr/^20[06]$/, 'answered: ' . encoded(substr $text, 0, 12));
}
is($service->get('/datasets/search?match=WORDS&query=a%00b', %outsider)->{status},
	$service->get('/datasets/search?query=a%00b', %outsider)->{status}, 'a zero byte is what it is to other searches');
is($service->get('/datasets/search?query=a&match=STEMS')->{json}{meta}{hint},
	'It takes BEGINS, ENDS, EXACT, CONTAINS or WORDS.', 'another word');
is($service->get('/datasets/search?query=a&match=STEMS')->{status}, 422, 'is refused');

# the page searches for words, and what it tells programs finds the same
sub page { return Encode::decode_utf8($service->get($_[0], %visitor)->{body}) }
my $page = page('/datasets/search?query=sequias');
like($page, qr{/datasets/$id{'Sequías registradas'}".*/datasets/$id{'Embalse mayor'}"}s, 'the page finds words');
like($page, qr{curl [^<]*/datasets\?query=sequias&amp;match=WORDS&#39;}, 'curl asks for the same');
is(() = $service->get('/datasets?query=sequias&match=WORDS', %outsider, Accept => 'text/csv')->{body} =~ /\n/g, 3,
	'and gets a line for each behind the names of the fields');
like($page, qr{catalogue\.export\(&#39;datasets&#39;, query =&gt; &#39;query=sequias&amp;match=WORDS&#39;\)},
	'so does SQL');
unlike(page('/datasets/search?query=sequias&match=CONTAINS'), qr{/datasets/$id{'Embalse mayor'}"},
	'another match is kept');
like(page('/search?query=sequias'), qr{/datasets/$id{'Embalse mayor'}"}, 'in all resources');
unlike(page('/datasets?name=sequias'), qr{/datasets/$id{'Embalse mayor'}"}, 'filters compare letters');
unlike(page('/datasets/search?query=ocultas'), qr{Sequía oculta|Did you mean}, 'no draft');
# a typo is met where little is found
like(page('/datasets/search?query=embalxe+mayor'), qr{Did you mean:.*<bdi><strong>Embalse</strong> mayor</bdi>},
	'nothing is found');
dataset("Embalse $_", $published) for 1 .. 4;
dataset('Embalze mal escrito', $published);
like(page('/datasets/search?query=embalze'), qr{Embalze</mark> mal escrito.*Did you mean:.*<strong>Embalse</strong>}s,
	'little is found: similar words');
unlike(page('/datasets/search?query=embalses'), qr{Did you mean}, 'no other forms of what is found');

$service->delete("/datasets/$_") for values %id;
$service->finish;
