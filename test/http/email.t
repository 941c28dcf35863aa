#!/usr/bin/perl
# POST /email/send: a message goes to the recipients of the setting and to nobody else, through a program without a
# shell; a visitor cannot add lines to its header, send more than a few, or hold a request up; 501 without the setting.

use strict;
use utf8;
use warnings;

use Catalogue::Client qw($json);
use Catalogue::Mailbox;
use Catalogue::Test;
use Catalogue::Worker;
use Encode ();
use MIME::Base64 ();
use Test::More;

my $service = Catalogue::Test->start(CATALOGUE_TRUSTED_PROXIES => '127.0.0.1')->as_admin;
my $place   = $service->{directory};
my %nobody  = (Authorization => undef);
my $client  = 0;

# A client that nobody has been before.
sub client { return ('X-Forwarded-For' => '192.0.2.' . ++$client) }
sub post_to { my ($body, @headers) = @_; return $service->post('/email/send', $body, %nobody, client(), @headers) }

# without the setting
is(post_to({ email => 'a@example.org', text => 'x' })->{status}, 501, 'without the setting it is not implemented');

my $box = Catalogue::Mailbox->new($place);
my $program = $box->{program};
my %mail = (CATALOGUE_MAIL_FROM => 'catalogue@example.org',
	CATALOGUE_MAIL_TO => 'operator@example.org,second@example.org');

# settings that would make another program or an option of them
for ([ CATALOGUE_MAIL_COMMAND => 'sendmail' ], [ CATALOGUE_MAIL_TO => '' ], [ CATALOGUE_MAIL_TO => '-bs@example.org' ],
	[ CATALOGUE_MAIL_FROM => "a\@b.c\nBcc: x\@y.z" ],
	[ CATALOGUE_MAIL_FROM => 'a@b.c,d@e.f' ], [ CATALOGUE_MAIL_TO => 'nobody' ])
{
	local %ENV = (%ENV, %{ $service->{settings} }, CATALOGUE_MAIL_COMMAND => $program, %mail, @$_);
	my $text = qx($ENV{CATALOGUE_SHIM} --check 2>&1);
	isnt($?, 0, "$_->[0]: " . $_->[1] =~ s/\n/ /r . ' is refused');
	like($text, qr/mail_command needs/, 'with a message');
}

$service->stop_shim;
%{ $service->{settings} } = (%{ $service->{settings} }, %mail,
	CATALOGUE_MAIL_COMMAND => "$program -i ;touch $place/broken \$(touch\t$place/broken)");
$service->start_shim;
my $worker = Catalogue::Worker->start($service);

sub mail { return $box->next_mail($worker) }
sub decoded
{
	my ($words) = @_;
	return join '', map { Encode::decode('UTF-8', MIME::Base64::decode_base64($_)) } $words =~ /=\?UTF-8\?B\?([^?]*)\?=/g;
}

# a message
my $reply = post_to({ name => 'José', email => 'jose@example.org',
	subject => 'Los autobuses — líneas y paradas, con todos los horarios que faltan', text => "Hola\n.\nFrom: me\n" });
is("$reply->{status} $reply->{json}{meta}{code}", '202 ACCEPTED', 'a message is accepted');
ok(!exists $reply->{json}{data}, 'without data');
my $mail = mail();
is("@{ $mail->{arguments} }[-2, -1]", 'operator@example.org second@example.org',
	'it goes to the recipients of the setting');
is_deeply([ @{ $mail->{arguments} }[ 0 .. 4 ] ], [ '-i', ';touch', "$place/broken", "\$(touch\t$place/broken)",
	'operator@example.org' ], 'each word of the setting is an argument');
ok(!-e "$place/broken", 'no shell has read them');
is($mail->{to}, $mail{CATALOGUE_MAIL_TO}, 'To');
is($mail->{from}, 'catalogue@example.org', 'From');
is($mail->{'reply-to'}, 'jose@example.org', 'Reply-To is the address of the visitor');
is(decoded($mail->{subject}), 'Contact: Los autobuses — líneas y paradas, con todos los horarios que faltan',
	'the subject is encoded');
is($mail->{text}, "Contact\n\nFrom: José <jose\@example.org>\n"
	. "Subject: Los autobuses — líneas y paradas, con todos los horarios que faltan\n\nHola\n.\nFrom: me\n\n", 'the text');
ok(!(grep { length > 78 } split /\n/, $mail->{head} =~ s/ (?==\?)/\n/gr), 'lines of the header are short');
ok($mail->{'message-id'} && $mail->{date} && $mail->{'auto-submitted'}, 'what a message must have');

# what the service says in it is in the language of the catalogue
$service->sql(q(INSERT INTO catalogue.configs (key, value, type, category, description)
	VALUES ('catalogLanguage', 'es', 'string', 'site', 'Language')));
is(post_to({ name => '{subject}', email => 'a@example.org', subject => '{sender}', text => 'Hola' })->{status}, 202,
	'in Spanish');
$mail = mail();
is(decoded($mail->{subject}), 'Contacto: {sender}', 'the subject in Spanish');
is($mail->{text}, "Contacto\n\nDe: {subject} <a\@example.org>\nAsunto: {sender}\n\nHola\n",
	'the text, and what a visitor puts in braces stays');
$service->sql(q(DELETE FROM catalogue.configs WHERE key = 'catalogLanguage'));

# a form, as the web applications send it; another template
is(post_to('email=a%40example.org&text=b+c&template=datasetrequest',
	'Content-Type' => 'application/x-www-form-urlencoded')->{status}, 202, 'a form is accepted');
$mail = mail();
is(decoded($mail->{subject}), 'Request for a dataset', 'the other template');
like($mail->{text}, qr/\n\nb c\n$/, 'the text of the form');

# the contact form of the portal has other names for the members
is(post_to('name=Ana&mail=ana%40example.org&description=Where+is+it%3F',
	'Content-Type' => 'application/x-www-form-urlencoded')->{status}, 202, 'the form of the portal is accepted');
$mail = mail();
like("$mail->{'reply-to'} $mail->{text}",
	qr/^ana\@example.org Contact\n\nFrom: Ana <ana\@example.org>\n.*\nWhere is it\?\n/s, 'and delivered');
is_deeply(post_to({ mail => 'ana@example.org', email => 'eva@example.org', text => 'x' })->{json}{meta}{ignored},
	['mail'], 'the documented name has priority');
is(mail()->{'reply-to'}, 'eva@example.org', 'and is taken');
is(post_to('mail=nobody&description=x', 'Content-Type' => 'application/x-www-form-urlencoded')->{status}, 400,
	'an address that is none is refused in this spelling too');

# a question about a dataset goes to its contact, whom the visitor does not choose
my ($dataset) = $service->sql(q(UPDATE catalogue.datasets SET
	optionals = '{"contactPoint": {"hasEmail": "mailto:desk@example.org"}}' WHERE name = 'Airports' RETURNING id));
is($service->post('/questions', { dataset => $dataset, text => "Where is\n.\nrunway 2?", name => 'José',
	email => 'jose@example.org', to => 'victim@example.org' })->{status}, 201, 'a visitor asks');
# a worker that ends before it has stored that a message was sent has it sent again
$worker->wait_for('what was sent is done',
	sub { !$service->sql("SELECT 1 FROM catalogue.jobs WHERE kind = 'email' AND state <> 'done'") });
$worker = $worker->another;
$mail = mail();
is_deeply([ $mail->{arguments}[-1], @$mail{qw(to reply-to from)} ],
	[ ('desk@example.org') x 2, 'jose@example.org', 'catalogue@example.org' ],
	'the contact gets it, and answers to the visitor');
is(scalar(grep {/\@example.org/} @{ $mail->{arguments} }), 1, 'nobody else gets it');
is(decoded($mail->{subject}), 'Question about a dataset: Airports', 'it says what it is about');
is($mail->{text}, "Question about a dataset: Airports\n\nWhere is\n.\nrunway 2?\n\nFrom: José <jose\@example.org>\n",
	'with the text of the visitor');

# nobody can choose who gets it
$reply = post_to({ email => 'a@example.org', text => 'x', to => 'victim@example.org', cc => 'victim@example.org',
	recipients => ['victim@example.org'] });
is("$reply->{status} @{ $reply->{json}{meta}{ignored} }", '202 cc recipients to',
	'other members are ignored, and named');
$mail = mail();
unlike("$mail->{head} @{ $mail->{arguments} }", qr/victim/, 'nobody else gets it');
is(post_to({ email => 'a@example.org', text => 'x', to => 'v@example.org' }, Prefer => 'handling=strict')->{status},
	400, 'strict handling refuses them');

# nobody can add a line to the header
for my $break ("\n", "\r\n", "\r", "\x0b", "\x7f")
{
	for my $member (qw(name subject email template))
	{
		my %body = (email => 'a@example.org', text => 'x', $member => "a\@example.org${break}Bcc: victim\@example.org");
		$reply = post_to(\%body);
		is($reply->{status}, 400, "$member with a control character is refused");
		ok($reply->{json}{data}{$member}, 'and named');
	}
}
for my $wrong ({}, { email => 'a@example.org' }, { text => 'x' }, { email => 'nobody', text => 'x' },
	{ email => 'a@example.org,b@example.org', text => 'x' },
	{ email => 'a@example.org>', text => 'x' }, { email => "\x{e9}\@example.org", text => 'x' },
		{ email => 'a@example.org', text => 'x' x 10_001 },
	{ email => 'a@example.org', text => [] }, { email => 'a@example.org', text => 'x', template => 'invoice' },
		{ email => 'a@example.org', text => 'x', subject => 'x' x 151 })
{
	is(post_to($wrong)->{status}, 400, 'refused: ' . substr $json->encode($wrong), 0, 70);
}
is(post_to('{"email": "a@example.org"', 'Content-Type' => 'application/json')->{status}, 400, 'malformed JSON');
is(post_to('x', 'Content-Type' => 'text/plain')->{status}, 415, 'another type');
is($service->get('/email/send')->{status}, 405, 'it is not read');
is($service->options('/email/send')->{headers}{allow}, 'POST, OPTIONS', 'OPTIONS offers it');
is($service->sql("SELECT count(*) FROM catalogue.jobs WHERE kind = 'email' AND state = 'queued'"), 0,
	'nothing that was refused is sent');

# a program that is slow holds nobody up; one that refuses is tried again
open my $out, '>', "$place/slow" or die;
close $out;
is(post_to({ email => 'a@example.org', text => 'slow' })->{status}, 202, 'accepted while the program is slow');
is($service->get('/tags/count')->{status}, 200, 'others are answered');
is_deeply([ glob "$place/mail.*.done" ], [], 'at once, while the program still runs');
unlink "$place/slow";
mail();
open $out, '>', "$place/refuse" or die;
close $out;
post_to({ email => 'a@example.org', text => 'again' });
ok($worker->wait_for('a failure', sub { $service->sql("SELECT count(*) FROM catalogue.jobs WHERE kind = 'email' AND "
	. "reason = 'the mail program did not take the message'") == 1 }), 'a failure is told');
unlink "$place/refuse";
$service->sql("UPDATE catalogue.job_queue SET due_at = now() WHERE kind = 'email'");
like(mail()->{text}, qr/again/, 'it is sent later');
is($service->sql("SELECT count(*) FROM catalogue.job_queue WHERE kind = 'email'"), 0, 'what visitors wrote is not kept')
	if $worker->wait_for('the end of the job',
	sub { $service->sql("SELECT count(*) FROM catalogue.job_queue WHERE kind = 'email'") == 0 });
is($service->get('/jobs/count?kind=email', %nobody)->{json}{data}{count}, 0, 'outsiders do not see the jobs');

# a client may send a few only
my @same = ('X-Forwarded-For' => '198.51.100.1');
is(join(' ',
	map { $service->post('/email/send', { email => 'a@example.org', text => "n$_" }, %nobody, @same)->{status} } 1 .. 21),
	join(' ', (202) x 20, 429), 'of one address twenty are accepted');
$reply = $service->post('/email/send', { email => 'a@example.org', text => 'x' }, @same);
is($reply->{status}, 429, 'a user with this address is counted as well');
ok($reply->{headers}{'retry-after'} > 0, 'it is told when to come again');
is(post_to({ email => 'a@example.org', text => 'x' })->{status}, 202, 'others may send');

$worker->finish;
$service->finish;
