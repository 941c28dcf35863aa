#!/usr/bin/perl
# Names are found in whatever form of Unicode a client writes them: an accented letter as one character (NFC) or as a
# letter and a mark (NFD).  They are stored in NFC; bytes and rows of files stay as they are given.

use strict;
use warnings;
use utf8;

use Encode ();
use Test::More;
use Unicode::Normalize qw(NFC NFD);
use Catalogue::Test;
use Catalogue::Definition;
use Catalogue::Upload;

my $service    = Catalogue::Test->shared->as_admin;
my $definition = Catalogue::Definition->new($service);
my $uploads    = Catalogue::Upload->new($service);
my $name       = 'Ñandú compuesto';

sub path { my ($text) = @_; return Encode::encode_utf8($text) =~ s/([^A-Za-z0-9])/sprintf '%%%02X', ord $1/ger }

# each of the forms as bytes of UTF-8, since the JSON of a reply is decoded
isnt(NFD($name), NFC($name), 'the forms differ');
my $tag = $definition->create('tags', name => NFD($name));
is($service->get("/tags/$tag")->{json}{data}{name}, NFC($name), 'a name that is written in NFD is stored in NFC');
is($service->post('/tags', { name => NFC(lc $name) })->{status}, 400, 'the same name in NFC is taken');
is($service->patch("/tags/$tag", { name => NFD("$name 2") })->{json}{code}, undef, 'a change in NFD');
is($service->get("/tags/$tag")->{json}{data}{name}, NFC("$name 2"), 'is stored in NFC');

for my $form ([ NFC => NFC($name) ], [ NFD => NFD($name) ])
{
	my ($which, $text) = @$form;
	for my $query ('query=' . path($text), 'query=' . path($text) . '&match=BEGINS',
		'name=' . path("$text 2") . '&match=EXACT', 'name[gte]=' . path("$text 2") . '&name[lte]=' . path("$text 2"))
	{
		is_deeply([ map { $_->{id} } @{ $service->get("/tags?$query")->{json}{data} } ], [$tag], "$which: $query");
	}
}

# a user name is one name in either form; a password is not
my $user = $definition->create('users', username => NFC('ñandú'), password => NFD('contraseña'));
is($service->login(NFD('ñandú'), NFD('contraseña'))->{status}, 200, 'login with the user name in NFD');
isnt($service->login(NFC('ñandú'), NFC('contraseña'))->{status}, 200, 'not with the password in the other form');

# a stored name in a path, and bytes as they were given
my $bytes = Encode::encode_utf8(NFD("nombre\nÑandú\n"));
my $file  = $uploads->file('nandu.csv', $bytes)->{id};
$service->sql("UPDATE catalogue.files SET file_name = '" . Encode::encode_utf8(NFD('ñandú.csv'))
	. "' WHERE id = '$file'");
for my $form ([ NFC => NFC('Ñandú.csv') ], [ NFD => NFD('Ñandú.csv') ])
{
	my $reply = $service->get('/files/' . path($form->[1]) . '/download', Accept => '*/*');
	is($reply->{status}, 200, "$form->[0]: the stored name in a path");
	is($reply->{body}, $bytes, "$form->[0]: the bytes are those that were given");
}

$service->finish;
