#!/usr/bin/perl
# The preference color: six hexadecimal digits, or the form of CSS on request, in every kind of answer; and
# a consumer's default preferences, each of which a request may override.

use strict;
use warnings;

use Test::More;
use Catalogue::Clock qw(wait_until);
use Catalogue::Test;
use Catalogue::Upload;

my $service    = Catalogue::Test->shared->as_admin;
my $definition = Catalogue::Definition->new($service);
my $category = $service->post('/categories', { name => 'Wind', color => '#00FFaa', description => '#123456' },
	Prefer => 'return=representation, color=css');
is($category->{status}, 201, 'a category is created') || diag $category->{body};
is($category->{json}{data}{color}, '#00FFaa', 'a new category has the colour in the form of CSS');
is($category->{json}{data}{description}, '#123456', 'other texts are not changed');
is($category->{headers}{'preference-applied'}, 'return=representation, color=css', 'Preference-Applied says so');
like($category->{headers}{vary}, qr/\bPrefer\b/, 'Vary has Prefer');
my $id = $category->{json}{data}{id};
is($service->sql("SELECT color FROM catalogue.categories WHERE id = '$id'"), '00FFaa', 'the stored colour has no "#"');
my $dataset = $definition->create('datasets', categories => [$id]);
$service->patch("/categories/$id", { description => 'changed' });

# every kind of read, with both values and without the preference
my %color = (
	"/categories/$id"                                  => sub { $_[0]{color} },
	"/categories/$id?fields=color"                     => sub { $_[0]{color} },
	'/categories?name=Wind&match=EXACT'                => sub { $_[0][0]{color} },
	'/categories/last'                                 => sub { $_[0]{color} },
	'/categories/search?query=wind'                    => sub { $_[0][0]{color} },
	'/search?query=wind&resources=categories'          => sub { $_[0]{categories}[0]{color} },
	"/categories/$id/versions"                         => sub { $_[0][1]{color} },
	"/datasets/$dataset?include=categories"            => sub { $_[0]{categories}[0]{color} },
	"/datasets/$dataset/categories"                    => sub { $_[0][0]{color} },
	"/datasets/$dataset?fields=categories.color"       => sub { $_[0]{categories}[0]{color} },
);
for my $path (sort keys %color)
{
	my %tags;
	for my $round (1, 2)
	{
		for my $prefer (undef, 'color=bare', 'color=css', 'Color="css"', 'color=css, color=bare', 'color=red', 'color')
		{
			my $name  = "$path, Prefer: " . ($prefer // 'none');
			my $reply = $service->get($path, Prefer => $prefer);
			my $css   = ($prefer // '') =~ /^color="?css/i;
			is($color{$path}->($reply->{json}{data}), $css ? '#00FFaa' : '00FFaa', $name);
			is($reply->{headers}{'preference-applied'}, ($prefer // '') =~ /=/ && $prefer !~ /red/ ? $css ? 'color=css'
				: 'color=bare' : undef, 'Preference-Applied says so');
			$tags{ $reply->{headers}{etag} }{$css} = 1;
			is($service->get($path, Prefer => $prefer, 'If-None-Match' => $reply->{headers}{etag})->{status}, 304,
				'304 for the known representation') if $round == 2;
		}
	}
	is_deeply([ grep { keys %{ $tags{$_} } > 1 } keys %tags ], [], "$path: the entity tags of the two forms differ");
}
like($service->get('/categories?name=Wind&match=EXACT&fields=name,color', Accept => 'text/csv',
	Prefer => 'color=css')->{body}, qr/^\w+,Wind,#00FFaa\r$/m, 'CSV');
like($service->get('/categories?name=Wind&match=EXACT&fields=name,color', Accept => 'text/csv')->{body},
	qr/^\w+,Wind,00FFaa\r$/m, 'CSV has no "#"');
like($service->get('/categories?name=Wind&match=EXACT', Accept => 'application/x-ndjson',
	Prefer => 'color=css')->{body}, qr/"color":"#00FFaa"/, 'NDJSON');

# other changes: with and without an image, and a restoration
for my $reply ($service->patch("/categories/$id", { color => '#aabbcc' }, Prefer => 'return=representation, color=css'),
	$service->put("/categories/$id",
		(form(field(color => 'aabbcc'), part('uploadImage', '<svg xmlns="http://www.w3.org/2000/svg"/>', file => 'a.svg'))),
		Prefer => 'return=representation, color=css'))
{
	is($reply->{json}{data}{color}, '#aabbcc', 'changed') || diag $reply->{body};
}

# an answer without a record has no colours, so the preference is not in Preference-Applied
my %every = (Prefer => 'color=css, relations=embedded');
is($service->patch("/categories/$id", { description => 'again' }, %every)->{headers}{'preference-applied'}, undef,
	'an update');
is($service->patch("/categories/$id", { description => 'more' },
	Prefer => "$every{Prefer}, return=minimal")->{headers}{'preference-applied'}, 'return=minimal',
	'an update with return=minimal');
is($service->post("/categories/$id/deactivate", {}, %every)->{headers}{'preference-applied'}, undef, 'an action');
is($service->post("/categories/$id/restore", {}, %every,
	Prefer => "$every{Prefer}, return=representation")->{headers}{'preference-applied'},
	'return=representation, relations=embedded, color=css', 'an action with return=representation');
is($service->get('/categories/count', %every)->{headers}{'preference-applied'}, undef, 'a count');
is($service->get('/health', %every)->{headers}{'preference-applied'}, undef, 'an answer that is no record');
is($service->get("/categories/$id/versions", %every)->{headers}{'preference-applied'}, 'color=css',
	'versions, whose relations are ids');

# no other text is changed
unlike($service->get('/configs?limit=100', Prefer => 'color=css')->{body}, qr/"#/, 'other resources are not changed');

# a consumer: its stored preferences apply unless the request has others
my %key;
for (['Plain'], [ 'Web', 'representation', 'embedded', 'css' ])
{
	my ($name, $return, $relations, $color) = @$_;
	my $more = $color ? ", '$return', '$relations', color => '$color'" : '';
	$service->sql("SELECT catalogue.add_consumer('$name'$more)");
	($key{$name}) = $service->sql("SELECT secret FROM catalogue.add_api_key('$name')");
}
my $reply = $service->get("/categories/$id", apikey => $key{Plain});
is($reply->{json}{data}{color}, 'aabbcc', 'a consumer without stored preferences');
$reply = $service->get("/categories/$id", apikey => $key{Web});
is($reply->{json}{data}{color}, '#aabbcc', 'a consumer with the stored preference css');
is_deeply($reply->{json}{data}{datasets}, [], 'its stored preference for embedded relations applies');
is($reply->{headers}{'preference-applied'}, undef, 'stored preferences are not in Preference-Applied');
is($service->get("/categories/$id", apikey => $key{Web}, Prefer => 'color=bare')->{json}{data}{color}, 'aabbcc',
	'a request may override the stored preference');
is($service->patch("/categories/$id", { color => '#112233' }, apikey => $key{Web})->{json}{data}{color}, '#112233',
	'stored preferences apply to changes');
my $whole = $service->get("/categories/$id", apikey => $key{Web})->{json}{data};
is($service->put("/categories/$id", $whole, apikey => $key{Web})->{status}, 200,
	'an update takes back the whole record');
is($service->get("/categories/$id", apikey => $key{Web})->{json}{data}{color}, '#112233', 'the colour is unchanged');
is($service->get("/categories/$id", apikey => $key{Web}, Authorization => undef)->{json}{data}{color}, '#112233',
	'stored preferences apply without a user');
$service->sql(q(UPDATE catalogue.consumers SET color_default = 'bare' WHERE name = 'Web'));
# answers are cached for a second
wait_until('stored preferences may be changed',
	sub { $service->get("/categories/$id", apikey => $key{Web})->{json}{data}{color} eq '112233' });
is($service->sql(q(SELECT preferences FROM catalogue.list_consumers() WHERE name = 'Web')),
	'return=representation, relations=embedded, color=bare', 'list_consumers() shows the preferences');

$service->finish;
