#!/usr/bin/perl
# A visitor follows a dataset by e-mail: the form without scripts, the message with its link, the confirmation, a
# message of what has changed, and the way out by one click; 501 and no form without the setting.

use strict;
use warnings;
use utf8;

use Test::More;
use Catalogue::Mailbox;
use Catalogue::Test;
use Catalogue::Worker;

my $service = Catalogue::Test->start(CATALOGUE_TRUSTED_PROXIES => '127.0.0.1')->as_admin;
my ($id, $other) = map { $service->sql("SELECT id FROM catalogue.datasets WHERE name = '$_'") }
	'Airports', 'Air quality';
my %nobody = (Authorization => undef);
my %html   = (%nobody, Accept => 'text/html');
my $path   = "/datasets/$id";
my $client = 0;

sub section
{
	my ($query) = @_;
	return $service->get($path . ($query // ''), %html)->{body} =~ m{(<section id="follow">.*?</section>)}s ? $1 : '';
}
sub send_form
{
	my ($to, $form, %headers) = @_;
	return $service->post($to, $form, %html, 'Content-Type' => 'application/x-www-form-urlencoded',
		'X-Forwarded-For' => '192.0.2.' . ++$client, %headers);
}
sub led
{
	my ($reply) = @_;
	return "$reply->{status} " . ($reply->{headers}{location} // '') =~ s/^\Q$service->{base}\E//r;
}
sub followers { return scalar $service->sql(q(SELECT count(*) FROM catalogue.follower WHERE confirmed_at IS NOT NULL)) }

# without the setting
is(section(), '', 'without the setting there is no form');
is($service->post("$path/follow", { email => 'ana@example.org' })->{status}, 501, 'nor what it would be sent to');
is($service->post("$path/unfollow?token=x", '')->{status}, 202, 'but whoever follows still gets out');

$service->stop_shim;
my $box = Catalogue::Mailbox->new($service->{directory});
%{ $service->{settings} } = (%{ $service->{settings} }, CATALOGUE_MAIL_COMMAND => $box->{program},
	CATALOGUE_MAIL_FROM => 'catalogue@example.org', CATALOGUE_MAIL_TO => 'operator@example.org');
$service->start_shim;
my $worker = Catalogue::Worker->start($service);

# the form, and what it leads to
my $form = section();
is_deeply([ $form =~ /<form[^>]* method="post" action="([^"]*)"/,
		$form =~ /<input id="([\w-]+)" name="(\w+)" type="(\w+)"/ ],
	[ "$path/follow", 'follow-email', 'email', 'email' ], 'a form for the address');
like($form, qr/<input type="hidden" name="language" value="en">/, 'with the language of the page');
like(section('?lang=pt'), qr/name="language" value="pt"/, 'which may be another one');
like($form, qr/<label for="follow-email">/, 'with its label');
is(led(send_form("$path/follow", 'email=Ana%40example.org')), "303 $path?followed=asked#follow", 'leads to the page');
like(section('?followed=asked'), qr/role="status">A message with a link is on its way/, 'which says what follows');
is(led(send_form("$path/follow?lang=es", 'email=Ana%40example.org')), "303 $path?followed=asked&lang=es#follow",
	'in its language, whoever asks again');
is(send_form("$path/follow", 'email=nobody')->{status}, 400, 'no address');
is(send_form("$path/follow", 'email=a%40b.example%0D%0ABcc:c%40d.example')->{status}, 400, 'a line of a header');
is(send_form("$path/follow", 'email=-oQ%40b.example')->{status}, 400, 'an option of the program');

# the message, whose link leads to two buttons
my $mail = $box->next_mail($worker);
is_deeply([ $mail->{arguments}, @$mail{qw(to from)} ],
	[ ['Ana@example.org'], 'Ana@example.org', 'catalogue@example.org' ],
	'the message goes to the address alone');
ok(!exists $mail->{'reply-to'}, 'nobody is answered');
my ($link, $token) = $mail->{text} =~ m{ \Q$service->{base}\E(\S+\?token=([0-9a-f]{32}))#follow$}m;
is($link, "$path?token=$token", 'it has a link');
is($mail->{'list-unsubscribe'}, "<$service->{base}$path/unfollow?token=$token>", 'and a way out for programs,');
is($mail->{'list-unsubscribe-post'}, 'List-Unsubscribe=One-Click', 'by one click');
is(followers(), 0, 'nobody follows yet');
is(send_form("$path/follow", 'email=host%40example.org', Host => 'evil.example.org')->{status}, 303,
	'a Host that is not of the service');
unlike($box->next_mail($worker)->{text}, qr/evil/, 'gets no link');
$service->sql(q(DELETE FROM catalogue.follower WHERE email = 'host@example.org'));
is($service->get($link, %html)->{status}, 200, 'the link is looked at');
is(followers(), 0, 'which confirms nothing, as programs look at links, too');
is_deeply([ section("?token=$token") =~ /action="([^"]*)"/g ],
	[ "$path/follow?token=$token", "$path/unfollow?token=$token" ], 'its page has two buttons');
unlike(section('?token=%22%3E%3Cscript%3E'), qr/script/, 'and what is no token is no part of it');

# tokens of another dataset, and others
is($service->post("/datasets/$other/follow?token=$token", '', %nobody)->{status}, 404, 'a token of another dataset');
is($service->post("$path/follow?token=" . '0' x 32, '', %nobody)->{status}, 404, 'a token that is none');
is(followers(), 0, 'confirm nothing');
is(led(send_form("$path/follow?token=$token", '')), "303 $path?followed=yes#follow", 'a button confirms');
is(followers(), 1, 'an address follows');
is($service->sql('SELECT language FROM catalogue.follower'), 'en', 'in English by default');
like(section('?followed=yes'), qr/You follow this dataset/, 'as the page says');

# what has changed
is($service->patch($path, { description => 'Changed' })->{status}, 200, 'the dataset changes');
$service->sql(q(UPDATE catalogue.follower SET sent_at = sent_at - interval '25 hours'));
# a message whose job has not ended is sent once more by another worker
$worker->wait_for('the last message',
	sub { !$service->sql("SELECT 1 FROM catalogue.jobs WHERE kind = 'email' AND state <> 'done'") });
$worker = $worker->another;
$mail = $box->next_mail($worker);
is_deeply($mail->{arguments}, ['Ana@example.org'], 'it is told');
like($mail->{text}, qr{What has changed:\n\n\* Airports\n  \Q$service->{base}$path\E\n}, 'with its address');
my ($later) = $mail->{'list-unsubscribe'} =~ /token=([0-9a-f]{32})/;
isnt($later, $token, 'each message has a token of its own');

# the way out: of another dataset not, else by one click of a program, whatever message it is of
$service->post("/datasets/$other/unfollow?token=$later", 'List-Unsubscribe=One-Click', %nobody,
	'Content-Type' => 'application/x-www-form-urlencoded');
is(followers(), 1, 'a token ends nothing of another dataset');
is($service->post("$path/unfollow?token=$token", 'List-Unsubscribe=One-Click', %nobody,
	'Content-Type' => 'application/x-www-form-urlencoded')->{status}, 202, 'a program of mail sends one click');
is($service->sql(q(SELECT (SELECT count(*) FROM catalogue.follower)
	+ (SELECT count(*) FROM catalogue.follower_token))), 0, 'nothing is left of the address');
is(led(send_form("$path/unfollow?token=$later", '')), "303 $path?followed=no#follow", 'a second one changes nothing');

# addresses that visitors have sent, and tokens, are in no log
$service->stop_shim;
unlike($service->output, qr/Ana(?:@|%40)example|$token|$later/, 'the log has neither');
is($service->sql(qq(SELECT count(*) FROM catalogue.statistics WHERE querystring LIKE '%$token%')), 0,
	'nor have statistics');

$worker->finish;
$service->finish;
