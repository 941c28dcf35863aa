#!/usr/bin/perl
# A tag can be created from an HTML form, as deployed applications send it; nothing else can.

use strict;
use warnings;

use Test::More;
use Catalogue::Test;

my $service = Catalogue::Test->start->as_admin;
my @form    = ('Content-Type' => 'application/x-www-form-urlencoded');

# names and values are decoded: "+" is a space, %XX a byte of UTF-8
my $reply = $service->post('/tags', 'name=Energ%C3%ADa+solar', @form, Prefer => 'return=representation');
is($reply->{status},            201,             'a tag from a form');
is($reply->{json}{data}{name},  "Energ\x{ed}a solar", 'its name is decoded');
is($reply->{json}{data}{slug},  'energia-solar', 'its slug follows');
$reply = $service->post('/tags', 'unknown=1&name=wind&slug=x', 'Content-Type' => 'application/x-www-form-urlencoded; charset=UTF-8');
is($reply->{status}, 201, 'parameters of the type are allowed, unknown members are ignored');

# the rules are those of JSON
$reply = $service->post('/tags', 'name=Wind', @form);
is($reply->{status}, 400, 'the name is taken');
is($reply->{json}{data}{name}[0]{rule}, 'unique', 'and the fault says so');
$reply = $service->post('/tags', 'name=', @form);
is($reply->{json}{data}{name}[0]{rule}, 'required', 'an empty name is none');
is($service->post('/tags', 'name=x', @form, Authorization => 'Bearer x.y.z')->{status}, 401, 'a bad token is refused');

# what is no form: the same name twice, a zero byte, no UTF-8
for my $body ('name=a&name=b', 'name=a%00b', 'name=%ff', 'na%00me=a')
{
	$reply = $service->post('/tags', $body, @form);
	is($reply->{status}, 400, "$body is refused");
	is($reply->{json}{code}, 'E_BAD_REQUEST', "$body: in the one error shape");
}

# nowhere else: another resource, an update, a login
my $tag = $service->get('/tags/first')->{json}{data}{id};
is($service->post('/views', 'name=a', @form)->{status}, 415, 'no view from a form');
is($service->patch("/tags/$tag", 'name=a', @form)->{status}, 415, 'no update from a form');
is($service->post('/users/login', 'username=admin&password=x', @form)->{status}, 415, 'no login from a form');
is($service->post('/email/send', @$_)->{status}, 501, 'mail is not sent, from whatever form') for [ 'email=a%40example.org&text=b', @form ], [ { email => 'a@example.org' } ];

$service->finish;
