#!/usr/bin/perl
# A tag can be created from an HTML form, as existing applications send it; nothing else can.

use strict;
use warnings;

use Test::More;
use Catalogue::Test;

my $service = Catalogue::Test->shared->as_admin;
my @form    = ('Content-Type' => 'application/x-www-form-urlencoded');

# names and values are decoded: "+" is a space, %XX a byte of UTF-8
my $reply = $service->post('/tags', 'name=Energ%C3%ADa+solar', @form, Prefer => 'return=representation');
is($reply->{status},            201,             'a tag from a form');
is($reply->{json}{data}{name},  "Energ\x{ed}a solar", 'its name is decoded');
is($reply->{json}{data}{slug},  'energia-solar', 'the slug is made from the decoded name');
$reply = $service->post('/tags', 'unknown=1&name=wind&slug=x',
	'Content-Type' => 'application/x-www-form-urlencoded; charset=UTF-8');
is($reply->{status}, 201, 'parameters of the type are accepted, unknown members are ignored');

# the rules are those of JSON bodies
$reply = $service->post('/tags', 'name=Wind', @form);
is($reply->{status}, 400, 'a name that exists is refused');
is($reply->{json}{data}{name}[0]{rule}, 'unique', 'the error has the rule');
$reply = $service->post('/tags', 'name=', @form);
is($reply->{json}{data}{name}[0]{rule}, 'required', 'an empty name is refused');
is($service->post('/tags', 'name=x', @form, Authorization => 'Bearer x.y.z')->{status}, 401, 'a bad token is refused');

# invalid forms: the same name twice, a zero byte, invalid UTF-8
for my $body ('name=a&name=b', 'name=a%00b', 'name=%ff', 'na%00me=a')
{
	$reply = $service->post('/tags', $body, @form);
	is($reply->{status}, 400, "$body is refused");
	is($reply->{json}{code}, 'E_BAD_REQUEST', "$body: the common error format");
}

# forms are accepted nowhere else: another resource, an update, a login
my $tag = $service->get('/tags/first')->{json}{data}{id};
is($service->post('/views', 'name=a', @form)->{status}, 415, 'a view cannot be created from a form');
is($service->patch("/tags/$tag", 'name=a', @form)->{status}, 415, 'an update takes no form');
is($service->post('/users/login', 'username=admin&password=x', @form)->{status}, 415, 'a login takes no form');
is($service->post('/email/send', @$_)->{status}, 501, 'mail is not implemented')
	for [ 'email=a%40example.org&text=b', @form ], [ { email => 'a@example.org' } ];

$service->finish;
