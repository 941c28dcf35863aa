#!/usr/bin/perl
# Every path of the specification answers every method: those it has are served, all others get 405
# with Allow; any other path is 404.  The paths are listed as in the specification.

use strict;
use warnings;

use Test::More;
use Catalogue::Test;
use Catalogue::Definition;

my @full = qw(users organizations categories statuses filetypes updatefrequencies tags datasets files charts maps views
	configs soapservices restservices databases);
my @read_only = qw(basemaps logs statistics);
my @actions   = qw(publish unpublish reject cancel review);
my @verbs     = qw(GET HEAD POST PUT PATCH DELETE OPTIONS);

my %paths;
for my $resource (@full, @read_only)
{
	my $writes = !grep { $_ eq $resource } @read_only;
	$paths{"/$resource"}        = $writes ? 'GET HEAD POST OPTIONS' : 'GET HEAD OPTIONS';
	$paths{"/$resource/$_"}     = 'GET HEAD OPTIONS' for qw(first last count);
	$paths{"/$resource/search"} = 'GET HEAD OPTIONS' if $writes;
	$paths{"/$resource/:id"}    = $writes ? 'GET HEAD PUT PATCH DELETE OPTIONS' : 'GET HEAD OPTIONS';
	$paths{"/$resource/:id/restore"}    = $writes ? 'POST OPTIONS' : 'OPTIONS';
	$paths{"/$resource/:id/deactivate"} = 'OPTIONS' unless $writes;
}
for my $resource (qw(datasets files charts maps))
{
	$paths{"/$resource/:id/$_"} = 'PATCH OPTIONS' for @actions;
}
$paths{$_} = 'GET HEAD OPTIONS' for qw(/users/refreshToken/:id /users/me /roles /search /health
	/categories/:id/image /datasets/:id/download /files/:id/contents /files/:id/download /files/:id/download/csv
		/files/:id/resources);
$paths{'/users/login'} = 'POST OPTIONS';

my $service    = Catalogue::Test->shared->as_admin;
my $definition = Catalogue::Definition->new($service);
my %id         = map { $_ => ($service->sql("SELECT id FROM catalogue.$_ WHERE deleted_at IS NULL LIMIT 1"))[0] // '0' }
	@full, @read_only;
$id{$_} = $definition->create($_) for grep { $id{$_} eq '0' } @full;

for my $pattern (sort keys %paths)
{
	my ($resource) = $pattern =~ m{^/(\w+)};
	my %has = map { $_ => 1 } split ' ', $paths{$pattern};
	my $known = $id{$resource} // '';

	# a path that is known but not implemented answers 501, and OPTIONS describes no methods
	my $built = !$has{GET} || $service->get($pattern =~ s/:id/$known/r, Prefer => 'respond-async')->{status} != 501;

	for my $verb (@verbs)
	{
		# an existing record is read; other methods are tried on one that does not exist
		my $id = $verb =~ /GET|HEAD|OPTIONS/ && $pattern !~ /refreshToken/ ? $known : 'zzzzzzzzzzzzzzz';
		my $path  = $pattern =~ s/:id/$id/r;
		# no worker makes the archive of a dataset
		my $reply = $service->request($verb, $path, $verb =~ /POST|PUT|PATCH/ ? {} : undef, Prefer => 'respond-async');
		my $allow = join ' ', sort split /\s*,\s*/, $reply->{headers}{allow} // '';
		my $want  = $built ? join(' ', sort keys %has) : 'OPTIONS';

		if (!$has{$verb})
		{
			is($reply->{status}, 405, "$verb $pattern: not allowed");
			is($reply->{json}{code}, 'E_NOT_ALLOWED', "$verb $pattern: the error code") unless $verb eq 'HEAD';
			is($allow, $want, "$verb $pattern: Allow has the allowed methods");
		}
		elsif ($verb eq 'OPTIONS')
		{
			is($reply->{status}, 200, "OPTIONS $pattern: described");
			is($allow, $want, "OPTIONS $pattern: Allow");
			my @entries = @{ $reply->{json}{methods} // [] };
			is_deeply([ sort map { $_->{verb} } grep { $_->{verb} ne 'HEAD' && $_->{verb} ne 'OPTIONS' } @entries ],
				[ sort grep { $built && $_ ne 'HEAD' && $_ ne 'OPTIONS' } keys %has ],
					"OPTIONS $pattern: an entry for each method");
			ok(!(grep { !$_->{url} || ref $_->{headers} ne 'HASH' || ref $_->{parameters} ne 'HASH' } @entries),
				"OPTIONS $pattern: url, headers, parameters");
		}
		elsif ($verb =~ /GET|HEAD/ && $id ne 'zzzzzzzzzzzzzzz' && $id ne '0')
		{
			like($reply->{status}, qr/^(20[026]|404|406|501)$/, "$verb $pattern: served");
			isnt($reply->{status}, 404, "$verb $pattern: found") unless $pattern =~ /image|download|contents/;
			is($reply->{body}, '', "HEAD $pattern: no body") if $verb eq 'HEAD';
		}
		else
		{
			like($reply->{status}, qr/^(200|400|403|404|501)$/, "$verb $pattern: served");
		}
	}
}

# a path has no other spelling than in letter case
for my $path ('/nonesuch', '/tags/', '/tags/count/', '//tags', '/tags//count', '/tags/first/name', '/tags/count/count',
	"/tags/$id{tags}/nonesuch", "/tags/$id{tags}/name", '/tags.json', '/pg_catalog', '/resource',
		'/datasets_tags', '/tags%00',
	'/files/x/download/csv/x', '/a/b/c/d/e/f', '/%2e%2e/tags', '/tags%2fcount', '/users/loginx', "/tags/$id{tags}/publish",
		'/tags/%C3%28')
{
	my $reply = $service->get($path);
	like($reply->{status}, qr/^40[04]$/, "GET $path: not found");
	like($reply->{json}{code}, qr/^E_(NOT_FOUND|BAD_REQUEST)$/, "GET $path: the common error format");
}
like($service->get($_)->{status}, qr/^20[06]$/, "GET $_: found") for '/fileTypes', '/TAGS', '/Tags/Count';

# the common error format
my $missing = $service->get('/tags/zzzzzzzzzzzzzzz');
is($missing->{status}, 404, 'an unknown id is not found');
is($missing->{json}{code}, $missing->{json}{meta}{code}, 'the code is at the top and in meta');
is_deeply($missing->{json}{data}, {}, 'data is an empty object');
ok(!exists $missing->{json}{message}, 'there is no message at the top');
ok(defined $missing->{json}{meta}{message}, 'the message is in meta');
is(ref $missing->{json}{links}, 'HASH', 'links is an object');

# methods that no path has
for my $verb ('TRACE', 'CONNECT', 'PROPFIND', 'get')
{
	my $reply = $service->raw("$verb /tags HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")->{replies}[0];
	like($reply->{status}, qr/^(405|501|400)$/, "$verb is refused");
}

# the description of the fields is that of the definition
for my $resource ($definition->resources)
{
	my ($entry) = grep { $_->{verb} =~ /^(POST|GET)$/ && keys %{ $_->{parameters} } }
		sort { $b->{verb} cmp $a->{verb} } @{ $service->options("/$resource")->{json}{methods} };
	my %parameters = %{ $entry->{parameters} // {} };
	next if $definition->{resource}{$resource}{read_only};
	for my $field ($definition->writable_fields($resource))
	{
		# the answer to a question is given later
		next if $resource eq 'questions' && $field->{name} =~ /^reply/;
		my $told = $parameters{ $field->{name} } // {};
		is($told->{type},      $field->{type}, "$resource.$field->{name}: type");
		is(!!$told->{required}, !!$field->{required}, "$resource.$field->{name}: required");
		is($told->{max},       $field->{max}, "$resource.$field->{name}: max");
		is(!!$told->{unique},  !!$field->{unique}, "$resource.$field->{name}: unique");
		is_deeply($told->{enum}, $field->{enum}, "$resource.$field->{name}: enum");
		is($told->{reference}, $field->{reference}, "$resource.$field->{name}: reference");
	}
}

$service->finish;
