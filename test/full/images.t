#!/usr/bin/perl
# Images of containers: they have what they need and nothing else, run without privileges, and their manifests are
# valid.

use strict;
use warnings;

use Cpanel::JSON::XS ();
use File::Path ();
use File::Temp ();
use HTTP::Tiny ();
use Test::More;
use Catalogue::Clock qw(poll wait_until);
use Catalogue::Program qw(end_process free_port needed run_to_end slurp);

my $ACCOUNT = 10001;
my $MOST = 70_000_000; # bytes of an image with programs and their libraries alone
my $json = Cpanel::JSON::XS->new;
my ($version) = slurp('catalogue.control') =~ /^default_version = '(.+)'/m;

# the manifests: those of Kubernetes by its schemas; what they name is what is built
my ($major) = qx(@{[ $ENV{PG_CONFIG} // 'pg_config' ]} --version) =~ /(\d+)/;
sub documents
{
	my ($file) = @_;
	my ($text, $status) = run_to_end('sh', '-c', 'cp test/full/clients/manifests.mjs build/clients/ && '
		. "cd build/clients && exec node_modules/.bin/node manifests.mjs ../../docs/how-to/containers/$file");
	is($status, 0, "$file is read") or diag $text;
	return map { $json->decode($_) } split /\n/, $text;
}
my @manifests = documents('kubernetes.yaml');
is_deeply([ map { "$_->{kind} $_->{metadata}{name}: $_->{fault}" } @manifests ],
	[ map {"$_: "} 'Service catalogue-database', 'StatefulSet catalogue-database', 'Deployment catalogue-shim',
		'Service catalogue', 'PodDisruptionBudget catalogue-shim', 'Deployment catalogue-worker',
		'Job catalogue-upgrade' ],
	'each is what Kubernetes takes');
my ($compose) = documents('compose.yaml');
my @pods = map { $_->{spec}{template}{spec} } grep { exists $_->{spec}{template} } @manifests;
my @containers = map { @{ $_->{containers} } } @pods;
is_deeply([ sort map { $_->{image} } @containers, values %{ $compose->{services} } ],
	[ sort map {"catalogue-$_:$version"} qw(postgresql postgresql postgresql shim shim worker worker) ],
	'they name the images');
for my $container (@containers)
{
	my $context = $container->{securityContext};
	ok($context->{readOnlyRootFilesystem} && !$context->{allowPrivilegeEscalation}
		&& $context->{capabilities}{drop}[0] eq 'ALL', "$container->{name}: no privileges");
}
is($_->{securityContext}{runAsUser}, $ACCOUNT, "$_->{containers}[0]{name}: the account") for @pods;
ok($_->{read_only} && $_->{cap_drop}[0] eq 'ALL', 'compose: no privileges') for values %{ $compose->{services} };
# what podman 4 does not take: an owner of a tmpfs, and files of secrets that do not begin as a path does
my @mounts = map { @{ $_->{tmpfs} } } values %{ $compose->{services} };
like($_, qr/^\/[a-z\/]+:mode=\d+(?:,size=\d+[mg])?$/, "compose: $_") for @mounts;
like($_->{file}, qr/^\.\/secrets\//, "compose: $_->{file}") for values %{ $compose->{secrets} };

# the images
my ($made, $status) = run_to_end('sh', '-c', 'MAKEFLAGS= make -s image');
is($status, 0, 'make image') or BAIL_OUT($made);
my $place = File::Temp->newdir(DIR => needed('CATALOGUE_TEST_DIRECTORY'));
my @buildah = ('buildah', '--root', "$place/store", '--runroot', "$place/run", '--storage-driver', 'vfs');
local $ENV{BUILDAH_ISOLATION} = 'chroot';
my %root;
for my $name (qw(shim worker geography postgresql))
{
	my $archive = "build/images/catalogue-$name.tar";
	my ($text, $failed) = run_to_end(@buildah, 'from', '-q', '--name', $name, "docker-archive:$archive");
	is($failed, 0, "$name: its archive is one") or BAIL_OUT($text);
	($root{$name}) = split /\n/, qx(@buildah mount $name);
	my $inspected = qx(@buildah inspect --type image catalogue-$name:$version);
	my $config = $json->decode($inspected)->{Docker}{config};
	is($config->{User}, "$ACCOUNT:$ACCOUNT", "$name: the account");
	is($config->{StopSignal}, $name eq 'postgresql' ? 'SIGINT' : 'SIGTERM', "$name: what ends it");
	is_deeply($config->{Healthcheck}{Test},
		[ 'CMD', $name eq 'postgresql' ? ('/usr/bin/catalogue-database', 'health')
			: ($config->{Entrypoint}[0], '--health', '--config', $config->{Entrypoint}[2]) ],
		"$name: how its health is asked");
	ok(-x "$root{$name}$config->{Entrypoint}[0]", "$name: the program is there");
	my $theirs = "-xdev \\( -user $ACCOUNT -o -perm -002 \\) ! -type l ! -path './var/lib/postgresql*'";
	my @writable = grep { !m{/(?:tmp|run/postgresql|var/tmp|run/lock|dev/\w+|proc|var/mail)$} }
		split /\n/, qx(cd $root{$name} && find . $theirs);
	is_deeply(\@writable, [], "$name: nothing that its account can change");
	next if $name eq 'postgresql' || $name eq 'geography';
	cmp_ok(-s $archive, '<=', $MOST, "$name: at most $MOST bytes");
	is_deeply([ glob "$root{$name}/usr/bin/* $root{$name}/bin/*" ], [ $root{$name} . $config->{Entrypoint}[0] ],
		"$name: one program, no shell");
	ok($json->decode(slurp("$root{$name}/usr/share/doc/catalogue-$name/sbom.json"))->{components},
		"$name: what it consists of");
}

# a service of them
my ($port, $server) = (free_port(), free_port());
my %password = map { $_ => "the $_ password of a test" } qw(postgres shim worker admin);
sub put
{
	my ($file, $text) = @_;
	open my $out, '>', "$place/$file" or die "$file: $!";
	print {$out} $text;
	close $out or die "$file: $!";
	chown $ACCOUNT, $ACCOUNT, "$place/$file";
	return chmod 0400, "$place/$file";
}
mkdir "$place/$_" for qw(secrets data);
chown $ACCOUNT, $ACCOUNT, "$place/secrets", "$place/data";
chmod 0755, "$place";
put("secrets/$_-password", "$password{$_}\n") for keys %password;
put('secrets/secret-key', 'a1' x 32);
sub connection
{
	my ($role) = @_;
	return "host=127.0.0.1 port=$server dbname=catalogue user=catalogue_$role password='$password{$role}'";
}
put('shim.json', $json->encode({ database => connection('shim'), token_secret => 'x' x 32, port => $port,
	private => 'off' }));
put('worker.json', $json->encode({ database => connection('worker') }));

# buildah would mount what the image calls a volume over another mount at its place
my %arguments = (
	postgresql => [ "--env=PGPORT=$server", "-v=$place/secrets:/run/secrets:ro", "-v=$place/data:/data",
		'--env=PGDATA=/data/cluster', 'postgresql', '--',
		'/usr/bin/catalogue-database' ],
	shim => [ "-v=$place/shim.json:/etc/catalogue/shim.json:ro", 'shim', '--', '/usr/bin/catalogue-shim',
		'--config', '/etc/catalogue/shim.json' ],
	# the larger image has all that the smaller one has
	worker => [ "-v=$place/worker.json:/etc/catalogue/worker.json:ro", 'geography', '--', '/usr/bin/catalogue-worker',
		'--config', '/etc/catalogue/worker.json' ],
);
my %process;

# Start a container; its output is kept in a file.
sub start
{
	my ($name, @more) = @_;
	my $pid = fork // die "fork: $!";
	if (!$pid)
	{
		open STDOUT, '>>', "$place/$name.log" or die $!;
		open STDERR, '>&', \*STDOUT;
		exec @buildah, 'run', "--user=$ACCOUNT:$ACCOUNT", @{ $arguments{$name} }, @more or POSIX::_exit(127);
	}
	return $process{$name} = $pid;
}

# Run a command in a container to its end.
sub run_in
{
	my ($name, @command) = @_;
	return run_to_end(@buildah, 'run', "--user=$ACCOUNT:$ACCOUNT", @{ $arguments{$name} }, @command);
}

# The program in the container: the first process below that of buildah that executes it.
sub program_of
{
	my ($name, $program) = @_;
	my @open = $process{$name};
	while (defined(my $pid = shift @open))
	{
		return $pid if (readlink("/proc/$pid/exe") // '') =~ m{/\Q$program\E$};
		push @open, map { split ' ', slurp($_) } glob "/proc/$pid/task/*/children";
	}
	return;
}

sub stop
{
	my ($name, $program, $signal) = @_;
	my $inside = program_of($name, $program) or return fail("$name: it runs");
	kill $signal, $inside;
	my $ended = poll(60, sub { waitpid($process{$name}, POSIX::WNOHANG()) == $process{$name} });
	ok($ended && $? == 0, "$name: $signal ends it with status 0") or diag slurp("$place/$name.log");
	delete $process{$name};
	return;
}
END { end_process($_, 'KILL', 5) for values %process }

sub start_server
{
	start('postgresql', '-c', 'listen_addresses=127.0.0.1');
	return wait_until('the server', sub {
		slurp("$place/postgresql.log") =~ /ready to accept connections.*pg_cron scheduler/s
			&& (run_in('postgresql', 'health'))[1] == 0 });
}

# a start that is interrupted leaves nothing that the next one takes for a cluster
start('postgresql');
wait_until('initdb has begun', sub { my @files = glob "$place/data/*.new/*"; @files > 5 });
kill 'KILL', $_ for grep { defined } program_of('postgresql', 'initdb'), program_of('postgresql', 'bash'),
	$process{postgresql};
waitpid delete $process{postgresql}, 0;
unlink "$place/postgresql.log";
start_server();
start('shim');
my $base = "http://127.0.0.1:$port";
my $http = HTTP::Tiny->new;
sub answer { my ($method, $path, %options) = @_; return $http->request($method, "$base$path", \%options) }
wait_until('the shim', sub { answer('GET', '/health')->{status} == 200 });
start('worker');
wait_until('all of it', sub { answer('GET', '/health/ready')->{status} == 200 });
is((run_in('shim', '--health'))[1], 0, 'the shim is well');
is((run_in('worker', '--health'))[1], 0, 'the worker is well');
like((run_in('shim', '--version'))[0], qr/^catalogue-shim \Q$version\E$/m, 'its version');
like(slurp("$place/$_.log"), qr/^\{"time":.*"event":/m, "$_: its log is its output") for qw(shim worker);

my $login = answer('POST', '/users/login', headers => { 'Content-Type' => 'application/json' },
	content => $json->encode({ username => 'admin', password => $password{admin} }));
is($login->{status}, 200, 'the first user has the password of the secret');
my %headers = (Authorization => 'Bearer ' . ($json->decode($login->{content})->{data}{token} // ''));

# a file that only the reader of geographic files takes, and only with the tables of iconv and PROJ
sub find
{
	my ($path) = @_;
	return $json->decode(answer('GET', $path, headers => \%headers)->{content})->{data}[0]{id};
}
mkdir "$place/shape";
put('shape/a.geojson', '{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"name":"Córdoba"},'
	. '"geometry":{"type":"Point","coordinates":[-64.18,-31.42]}}]}');
my ($shaped, $unshaped) = run_to_end('sh', '-c', "cd $place/shape && "
	. 'ogr2ogr -lco ENCODING=CP850 -t_srs EPSG:22184 a.shp a.geojson && zip -q a.zip a.shp a.shx a.dbf a.prj a.cpg');
is($unshaped, 0, 'a Shapefile') or diag $shaped;
my %fields = (name => 'Shape', description => 'x', visible => 'true', dataset => find('/datasets?limit=1'),
	owner => find('/users?limit=1'), type => find('/filetypes?slug=zip&match=EXACT'),
	organization => find('/organizations?limit=1'),
	updateFrequency => find('/updatefrequencies?limit=1'), status => find('/statuses?name=published&limit=1'));
my $part = "--x\r\n" . 'Content-Disposition: form-data; name=';
my $content = join '', (map {"$part\"$_\"\r\n\r\n$fields{$_}\r\n"} grep { defined $fields{$_} } sort keys %fields),
	"$part\"uploadFile\"; filename=\"a.zip\"\r\n\r\n", slurp("$place/shape/a.zip"), "\r\n--x--\r\n";
my $upload = answer('POST', '/files', content => $content,
	headers => { %headers, 'Content-Type' => 'multipart/form-data; boundary=x' });
is($upload->{status}, 201, 'an upload') or diag $upload->{content};
my ($file) = ($upload->{headers}{location} // '') =~ m{(/files/\w+)$} or BAIL_OUT('no file');
wait_until('it is read', sub { answer('GET', $file, headers => \%headers)->{content} !~ /"parseState":"pending"/ });
my $rows = answer('GET', "$file/contents", headers => \%headers)->{content};
like($rows, qr/"longitude":"-64\.1[78].*"C\xC3\xB3rdoba"/, 'a Shapefile in another system and encoding is read')
	or diag $rows;

# each ends as it is told to, and the data stay
stop('worker', 'catalogue-worker', 'TERM');
isnt((run_in('worker', '--health'))[1], 0, 'a worker that has ended is not well');
stop('shim', 'catalogue-shim', 'TERM');
stop('postgresql', 'postgres', 'INT');
start_server();
start('shim');
wait_until('the shim again', sub { answer('GET', '/health')->{status} == 200 });
is(answer('GET', $file, headers => \%headers)->{status}, 200, 'the file is there after another start');
{
	my ($text, $failed) = run_to_end(@buildah, 'run', "--user=$ACCOUNT:$ACCOUNT", '--env=PGHOST=127.0.0.1',
		"--env=PGPORT=$server", '--env=PGUSER=postgres', "--env=PGPASSWORD=$password{postgres}", 'postgresql', '--',
		'/usr/bin/catalogue-database', 'upgrade');
	is("$failed $text", '0 ', 'the upgrade of a catalogue of this version changes nothing');
}
stop('shim', 'catalogue-shim', 'TERM');
stop('postgresql', 'postgres', 'INT');

# without a secret the server says which one
unlink "$place/secrets/shim-password";
File::Path::remove_tree("$place/data");
mkdir "$place/data";
chown $ACCOUNT, $ACCOUNT, "$place/data";
my ($said, $refused) = run_in('postgresql');
isnt($refused, 0, 'without a secret there is no server');
like($said, qr/there is no secret "shim-password" in \/run\/secrets/, 'and it says which one');
ok(!glob("$place/data/*"), 'nothing is left that would be taken for a cluster');

run_to_end(@buildah, 'rm', '--all');
done_testing;
