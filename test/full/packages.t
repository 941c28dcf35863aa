#!/usr/bin/perl
# What the packages contain beside the programs: META.json, the man pages, the units of systemd, and the bill of
# materials agree with the programs and are what their formats require.

use strict;
use warnings;

use File::Temp ();
use Cpanel::JSON::XS ();
use Test::More;
use Catalogue::Program qw(needed slurp);

my $debian = '.ci/packages/debian';
my $work   = File::Temp->newdir(DIR => needed('CATALOGUE_TEST_DIRECTORY'));
my ($bin)  = needed('CATALOGUE_SHIM') =~ m{^(.*)/};
my ($version) = slurp('catalogue.control') =~ /^default_version = '(.+)'/m;

# The options that a text names.
sub options
{
	my ($text, $pattern) = @_;
	my %named = map { $_ => 1 } $text =~ /$pattern/g;
	return [ sort keys %named ];
}

# META.json
my $meta = Cpanel::JSON::XS::decode_json(slurp('META.json'));
is_deeply([ grep { !exists $meta->{$_} } qw(name abstract version maintainer license provides meta-spec) ],
	[], 'META.json has the members that PGXN requires');
is($meta->{version}, "$version.0", 'its version is that of the extension');
is($meta->{provides}{catalogue}{version}, $meta->{version}, 'and so is the version of what it provides');
is_deeply([ grep { !-e } @{ $meta->{provides}{catalogue} }{qw(file docfile)} ], [], 'the files that it names exist');
like(qx($bin/catalogue-shim --version), qr/^catalogue-shim \Q$version\E$/m, 'the shim has the same version');

# the man pages
my %documented = ('catalogue-geo-reader' => 8, 'catalogue-shim' => 8, 'catalogue-worker' => 8, catalogue => 7);
for my $name (sort keys %documented)
{
	# The pages refer to each other, and mandoc looks for them among the installed ones.
	my @faults = grep { !/referenced manual not found|mandoc\.db/ }
		split /\n/, qx(mandoc -T lint $debian/$name.$documented{$name} 2>&1);
	is_deeply(\@faults, [], "$name($documented{$name}) is correct mdoc");
}
for my $name (qw(catalogue-shim catalogue-worker))
{
	is_deeply(
		options(slurp("$debian/$name.8"), qr/^\.It Fl -([a-z]+)/m),
		options(scalar qx($bin/$name --help), qr/(?:^ +|with |and )--([a-z]+)/m),
		"$name(8) has the options of --help, and no other");
}

# the units of systemd
for my $name (qw(catalogue-shim catalogue-worker))
{
	# systemd-analyze looks for the program, which a package puts into /usr/sbin.
	my $unit = slurp("$debian/$name.service") =~ s{/usr/sbin/}{$bin/}r;
	open my $out, '>', "$work/$name.service" or die "$work: $!\n";
	print $out $unit;
	close $out or die "$work: $!\n";
	is(qx(systemd-analyze verify --man=no $work/$name.service 2>&1), '', "$name.service has no fault");
	my ($exposure) =
		qx(systemd-analyze security --offline=true $work/$name.service 2>&1) =~ /exposure level for \S+: ([0-9.]+)/;
	cmp_ok($exposure // 10, '<=', 2.0, "$name.service is exposed little");
	unlike($unit, qr/^User=(?:root)?$/m, "$name.service does not run as root");
}
my @wrong = split /\n/, qx(printf '[Service]\nExecStart=/bin/true\nProtectSytem=strict\n' > $work/wrong.service;
	systemd-analyze verify --man=no $work/wrong.service 2>&1);
like($wrong[0] // '', qr/Unknown key .*'ProtectSytem'/, 'a misspelt key would be found');

# The two services have settings of their own: who controls the worker, which reads files of strangers, must not read
# the key that signs the tokens.
my %settings = map { $_ => Cpanel::JSON::XS::decode_json(slurp("$debian/$_.json")) } qw(shim worker);
is($settings{worker}{token_secret}, undef, 'the settings of the worker have no token secret');
is($settings{shim}{token_secret}, '@SECRET@', 'that of the shim is made by the installation');
for my $program (qw(shim worker))
{
	is($settings{$program}{log_directory}, "/var/log/catalogue-$program", "the $program logs where its unit lets it");
	my $text = slurp("$debian/$program.json") =~ s/\@SECRET\@/'0123456789abcdef' x 4/er
		=~ s{"database": "}{"database": "host=$ENV{PGHOST} port=$ENV{PGPORT} }r;
	open my $out, '>', "$work/$program.json" or die "$work: $!\n";
	print $out $text;
	close $out or die "$work: $!\n";
	like(qx(env -u CATALOGUE_TOKEN_SECRET $bin/catalogue-$program --config $work/$program.json --check 2>&1),
		qr/^settings: good$/m,
		"the $program accepts its settings");
}

# the bill of materials
my @files = ("$bin/catalogue-shim", "$bin/catalogue-worker", 'catalogue.so');
local $ENV{SOURCE_DATE_EPOCH} = 1;
my $text = qx(.ci/packages/sbom @files);
my $bill = Cpanel::JSON::XS::decode_json($text);
is("$bill->{bomFormat} $bill->{specVersion} $bill->{metadata}{timestamp}", 'CycloneDX 1.5 1970-01-01T00:00:01Z',
	'the bill of materials');
my %listed = map { $_->{name} => $_->{version} } @{ $bill->{components} };
my %library = map { $_ => 1 } map { m{=> (/\S+) \(} ? $1 : () } map { split /\n/, qx(ldd $_) } @files;
my @paths   = map { my $short = s{^/usr/}{/}r; ($short, "/usr$short") } keys %library;
my %linked;
for my $package (map { m{^(\S+?)(?:,.*)?: /} ? $1 : () } split /\n/, qx(dpkg-query -S @paths 2> /dev/null))
{
	my ($name, $found) = split / /, scalar qx(dpkg-query -W -f '\${Package} \${Version}' '$package');
	$linked{$name} = $found;
}
is_deeply(\%listed, \%linked, 'it has the package of each library that ldd shows');
ok($listed{'libmicrohttpd12'} || $listed{'libmicrohttpd12t64'}, 'and so libmicrohttpd');
is(qx(.ci/packages/sbom @files), $text, 'the same files have the same bill');
isnt(system('.ci/packages/sbom /etc/passwd > /dev/null 2>&1'), 0, 'a file that is no program is refused');

done_testing();
