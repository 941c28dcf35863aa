#!/usr/bin/perl
# Questions about a dataset: a page without scripts asks; only who may review reads it and who has asked; a reply is
# public only if he says so; and nobody sends more than a few, whatever address he claims to have.

use strict;
use utf8;
use warnings;

use Catalogue::Definition;
use Catalogue::Program qw(slurp);
use Catalogue::Test;
use Cpanel::JSON::XS ();
use Encode qw(decode_utf8);
use Test::More;

my $service = Catalogue::Test->start;
my %html = (Accept => 'text/html,application/xhtml+xml,*/*;q=0.8', 'Accept-Language' => 'en', Authorization => undef);
my %form = ('Content-Type' => 'application/x-www-form-urlencoded');
my $airports = $service->get('/datasets/airports')->{json}{data}{id};
my $true     = Cpanel::JSON::XS::true;
my $secrets  = qr/Ana Secreta|ana(?:@|%40)secret|runway/;

sub page { return $service->get("/datasets/airports$_[0]", %html) }
sub send_form { my ($body, %more) = @_; return $service->post('/questions', $body, %html, %form, %more) }
sub forget { $service->sql('DELETE FROM catalogue.attempt') }

# the page has a form whose inputs are fields
my $page = page('')->{body};
my ($form) = $page =~ m{(<form class="record" method="post".*?</form>)}s;
like($form, qr{ action="/questions"}, 'the page of a dataset has a form');
like($form, qr{name="dataset" value="$airports"}, 'with the dataset');
is_deeply([ $form =~ /<(?:select|textarea|input) id="[^"]*" name="(\w+)"/g ], [qw(kind text name email)],
	'and inputs');
is_deeply([ $form =~ /<label for="question-(\w+)"/g ], [qw(kind text name email)], 'each with its label');
like(page('?lang=es')->{body}, qr{action="/questions\?lang=es"}, 'it keeps the language');

# a form of a browser leads back to the page, which says so
my $sent = send_form("dataset=$airports&kind=question&text=Where+is+runway+2%3F%0D%0A%3Cscript%3E"
	. '&name=Ana+Secreta&email=ana%40secret.example&reply=Buy&replyPublic=true');
is("$sent->{status} $sent->{headers}{location}", "303 $service->{base}/datasets/airports?asked=true#questions"
	=~ s/airports/$airports/r, 'a form is taken, and leads to the page');
like($service->get("/datasets/$airports?asked=true", %html)->{body}, qr{<p role="status">Thank you\.}, 'which says so');
is(send_form("dataset=$airports&kind=fault&text=x&name=&email=", Accept => 'text/html')->{status}, 303,
	'inputs may stay empty');
is($service->sql(q(SELECT string_agg(concat_ws('|', kind, name, email, reply, reply_public), ' ' ORDER BY created_at) )
	. 'FROM catalogue.questions'), 'question|Ana Secreta|ana@secret.example|f fault|f', 'no reply is taken with them');
like($service->post('/questions?lang=pt', "dataset=$airports&text=x", %html, %form)->{headers}{location},
	qr/\?asked=true&lang=pt#questions$/, 'the page has the language of the form');
is(send_form("dataset=$airports&text=x", Accept => 'application/json')->{status}, 201, 'programs get JSON');
is($service->post('/questions', { dataset => $airports, text => 'x' }, %html)->{status}, 201,
	'also where they ask for a page');

# what is wrong with an input is told at it, with what was typed in all of them
my $again = send_form("dataset=$airports&kind=fault&text=%0A+two%0D%0Alines+%22%3E%3Cb%3E&name=" . 'N' x 101
	. '&email=nowhere%40&reply=Buy', 'Accept-Language' => 'es');
is($again->{status}, 400, 'a form with faults is refused');
my $text = decode_utf8($again->{body});
like($text, qr{<html lang="es">.*<p class="fault" role="alert"}s, 'by a page in its language, which says so');
like($text, qr{<form class="record" method="post" action="/questions"><input type="hidden" name="dataset"},
	'with the form');
like($text, qr{<option value="fault" selected>}, 'and what was chosen');
like($text, qr{<textarea id="question-text"[^>]* required>\n\n two\nlines &quot;&gt;&lt;b&gt;</textarea></p>},
	'and what was typed, as text');
for (name => email => )
{
	my ($input) = $text =~ m{(<input id="question-$_"[^>]*>)};
	like($input, qr{value="(?:N{101}|nowhere\@)" aria-invalid="true" aria-describedby="question-$_-fault"},
		"the input of $_ is marked");
	like($text, qr{<span class="error" id="question-$_-fault" dir="auto">[^<]+</span>}, 'with what is wrong');
}
unlike($text, qr{is not valid|takes at most|Buy}, 'which is Spanish, and nothing else is kept');
is(() = $text =~ /aria-invalid/g, 2, 'the others are not');
like(send_form("dataset=$airports&text=x&name=" . 'N' x 101)->{body},
	qr{<a href="/datasets/$airports">.* name="dataset" value="$airports">.*<option value="question">}s,
	'it leads back to the dataset');
unlike(send_form('dataset=zzz&text=x')->{body}, qr{<form class="record"}, 'without a dataset there is nothing to mend');
is_deeply($service->post('/questions', "dataset=$airports&text=x&email=a", %form, Accept => 'application/json',
		Authorization => undef)->{json}{data}{email}[0]{rule}, 'format', 'programs get JSON');
forget();

# each way to be wrong is a page, which leads nowhere else
for ([ 'text=x', 400 ], [ "dataset=$airports&text=", 400 ], [ "dataset=$airports&text=%00", 400 ],
	[ "dataset=$airports&text=x&text=y", 400 ], [ "dataset=$airports&text=" . 'x' x 2001, 400 ],
	[ "dataset=$airports&text=" . 'x' x 70_000, 413 ],
	[ "dataset=$airports&text=x&email=a%40b.example%0D%0ABcc:c%40d.e", 400 ],
	[ "dataset=$airports&text=x&email=%3Cscript%3E", 400 ], [ 'dataset=//evil.example/&text=x', 400 ],
	[ 'dataset=%5B%22' . $airports . '%22%5D&text=x', 400 ])
{
	my $wrong = send_form($_->[0]);
	my $what  = substr $_->[0], 0, 60;
	is($wrong->{status}, $_->[1], "$what: $_->[1]");
	like($wrong->{headers}{'content-type'}, qr{^text/html}, "$what: a page");
	ok(!exists $wrong->{headers}{location}, "$what: leads nowhere");
	unlike($wrong->{body}, qr/<script>/, "$what: no markup of it") if $what =~ /script/;
}
is($service->post($_, 'name=x&about=x', %html, %form)->{status}, 415, "no form to $_")
	for qw(/datasets /datasetrequests /organizations /pages /users/login), "/questions/$airports/restore";
forget();

# who has asked and what is in no answer to others
my (undef, $guest) = Catalogue::Definition->new($service->as_admin)->user('visitor', 'guest');

delete $service->{headers}{Authorization};

# Test that no answer tells somebody of the question.
sub is_kept_from
{
	my ($who, $name) = @_;
	for my $path ("/datasets/$airports", "/datasets/$airports/questions", '/questions', '/questions?text=Where',
		'/search?query=where',
		'/questions/count', '/logs', '/logs?target=question', '/datasets/feed/rss', '/catalog', '/data.json', '/openapi.json',
		"/datasets/$airports/answers", "/datasets/$airports/logs", '/datasets?questions.text=where', '/statistics')
	{
		for my $type (qw(application/json text/csv text/html))
		{
			my $reply = $service->get($path, Accept => "$type, */*;q=0.1", Authorization => $who);
			unlike($reply->{body}, $secrets, "$path as $type to $name");
		}
	}
	return;
}
is_kept_from(undef,  'nobody');
is_kept_from($guest, 'a guest');

# nor if he may review questions about the datasets of his organization, until it is one of them
$service->sql('INSERT INTO catalogue.rules (role, resource, action, organization) VALUES '
	. join ', ', map { "('guest', 'questions', '$_', true)" } qw(read update));
$service->sql(q(INSERT INTO catalogue.organizations (id, name, created_by) SELECT 'elsewhere', 'Elsewhere', id FROM )
	. q(catalogue.users LIMIT 1; UPDATE catalogue.users SET organization = 'elsewhere' WHERE username = 'visitor'));
is_kept_from($guest, 'an editor of another organization');
my ($asked) = $service->sql(q(SELECT id FROM catalogue.questions WHERE name IS NOT NULL));
is($service->get("/questions/$asked", Authorization => $guest)->{status}, 404, 'to whom it is not there');
is($service->patch("/questions/$asked", { reply => 'x' }, Authorization => $guest)->{status}, 404, 'nor to reply to');
$service->sql(qq(UPDATE catalogue.datasets SET organization = 'elsewhere' WHERE id = '$airports'));
like($service->get('/questions?reply=null', Authorization => $guest)->{body}, $secrets, 'one of its own reads it');
like($service->request('OPTIONS', "/questions/$asked", undef, Authorization => $guest)->{headers}{allow},
	qr/\bPATCH\b/, 'is told that he may reply');
is($service->patch("/questions/$asked", { reply => 'x' }, Authorization => $guest)->{status}, 200, 'and replies');
is($service->patch("/questions/$asked", { reply => undef }, Authorization => $guest)->{status}, 200,
	'and takes it back');
$service->sql(q(UPDATE catalogue.rules SET deleted_at = now() WHERE role = 'guest' AND resource = 'questions'));
$service->as_admin;
like($service->get('/questions')->{body}, $secrets, 'who may review reads it');
unlike(join('', map { slurp($_) } glob "$service->{directory}/logs/*.log"), $secrets, 'the log file has nothing of it');

# a reply is seen if the editor says so, as text
my ($question) = $service->sql(q(SELECT id FROM catalogue.questions WHERE name IS NOT NULL));
is($service->patch("/questions/$question", { replyPublic => $true }, Authorization => undef)->{status}, 401,
	'a visitor makes no reply public');
is($service->patch("/questions/$question", { replyPublic => $true }, Authorization => $guest)->{status},
	403, 'nor does a guest');
is($service->patch("/questions/$question", { reply => "In the <b>north</b>.\nhttps://example.org" })->{status}, 200,
	'an editor replies');
unlike(page('')->{body}, $secrets, 'which is not public');
is($service->patch("/questions/$question", { replyPublic => $true })->{status}, 200, 'until he says so');
$page = page('')->{body};
like($page, qr{Where is runway 2\?\n&lt;script&gt;</p><h3>Reply</h3><p class="lines" dir="auto">In the &lt;b&gt;north},
	'both are texts');
unlike($page, qr/Ana Secreta|secret\.example|href="https:\/\/example.org"/, 'without who has asked, and without links');

# an address that a client claims is not counted as another one
is(send_form("dataset=$airports&text=again", 'X-Forwarded-For' => "192.0.2.$_")->{status}, 303, "number $_")
	for 1 .. 20;
my $further = send_form("dataset=$airports&text=again", 'X-Forwarded-For' => '192.0.2.99');
is($further->{status}, 429, 'then no more from an address');
like($further->{headers}{'content-type'}, qr{^text/html}, 'which is a page');
like($further->{body}, qr{<textarea [^>]*>\nagain</textarea>}, 'and keeps what was typed');

# nor does a dataset get more in a day, from whatever address
cmp_ok($service->sql('SELECT count(*) FROM catalogue.questions'), '<', 50, 'a dataset has had fewer');
my $status = 303;
while ($status == 303)
{
	forget();
	$status = send_form("dataset=$airports&text=flood")->{status};
}
is($status, 429, 'then no more about a dataset');
is($service->sql('SELECT count(*) FROM catalogue.questions'), 50, 'after 50');

# without the rule there is no form
$service->sql(q(UPDATE catalogue.rules SET deleted_at = now() WHERE resource = 'questions' AND action = 'create'));
forget();
unlike(page('')->{body}, qr{action="/questions"}, 'without the rule there is no form');
is(send_form("dataset=$airports&text=x")->{status}, 401, 'nor is one taken');

$service->finish;
