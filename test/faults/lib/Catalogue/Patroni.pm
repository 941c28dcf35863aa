package Catalogue::Patroni;

# A service whose server is a cluster of Patroni: three nodes with the configuration in
# docs/how-to/survive-the-loss-of-a-server.md, and one member of etcd.  What the nodes have to do with each other and
# with etcd goes through a relay of each node, what the shims send to it through another one: both can stand still, as
# the network of a machine that is cut off.  {server} is the primary, after find_primary().

use strict;
use warnings;

use parent 'Catalogue::Test';

use Catalogue::Client qw($json);
use Catalogue::Clock qw(poll wait_until);
use Catalogue::Program qw(command end_process free_port slurp);
use Catalogue::Relay;
use HTTP::Tiny ();
use POSIX ();

my $page     = 'docs/how-to/survive-the-loss-of-a-server.md';
my $password = 'a password of the tests';

# Start etcd, the nodes a, b and c, and make the catalogue; for start() of Catalogue::Test.
sub make_cluster
{
	my ($self, $directory) = @_;
	mkdir $directory or die "$directory: $!";
	$self->{var}      = $directory;
	$self->{database} = 'catalogue';
	$self->{etcd}     = free_port();
	own($directory);
	open my $key, '>', "$directory/secret-key" or die "$directory: $!";
	print {$key} '5' x 64;
	close $key;
	own("$directory/secret-key");
	$self->{pids}{etcd} = $self->run('etcd', $self->etcd);
	# Patroni ends where etcd has not elected a leader yet
	wait_until('etcd is ready', sub {
		HTTP::Tiny->new(timeout => 2)->get("http://127.0.0.1:$self->{etcd}/version")->{content} =~ /cluster":"\d/;
	});
	$self->{nodes} = { map { $_ => $self->make_node($_) } qw(a b c) };
	$self->start_node('a');
	wait_until('the first node is the primary', sub { $self->find_primary });
	$self->start_node($_) for qw(b c);
	wait_until('the others follow', sub { $self->is_whole });
	command($self->{server}, 'createdb', 'catalogue');
	command($self->{server}, '.ci/database', 'catalogue');
	$self->sql("ALTER ROLE catalogue_shim PASSWORD '$password'");
	return;
}

# Give a file to the account of the servers.
sub own
{
	my ($file) = @_;
	chmod 0700, $file or die "$file: $!";
	chown((getpwnam 'postgres')[2, 3], $file) if $> == 0;
	return;
}

# The command that runs the member of etcd.
sub etcd
{
	my ($self) = @_;
	my ($client, $peer) = map { "http://127.0.0.1:$_" } $self->{etcd}, free_port();
	return ('etcd', '--name', 'one', '--data-dir', "$self->{var}/etcd-data", '--listen-client-urls', $client,
		'--advertise-client-urls', $client, '--listen-peer-urls', $peer, '--initial-advertise-peer-urls', $peer,
		'--initial-cluster', "one=$peer", '--log-level', 'error');
}

# Run a program as the account of the servers, with its output in a file of this name; return its process.
sub run
{
	my ($self, $name, @command) = @_;
	my $pid = fork // die "fork: $!";
	return $pid if $pid;
	delete @ENV{ grep { /^PG|^CATALOGUE_/ } keys %ENV };
	my @become = $> == 0 ? qw(setpriv --reuid=postgres --regid=postgres --clear-groups) : ();
	open STDIN,  '<',  '/dev/null';
	open STDOUT, '>>', "$self->{var}/$name.log";
	open STDERR, '>&', \*STDOUT;
	exec @become, @command or POSIX::_exit(127);
}

# A node that does not run yet, with its relays and its configuration.
sub make_node
{
	my ($self, $name) = @_;
	my $place = "$self->{var}/$name";
	my $node  = { name => $name, directory => $place, data => "$place/data", port => free_port(), rest => free_port() };
	mkdir $node->{directory} or die "$node->{directory}: $!";
	own($node->{directory});
	my ($server, $rest, $etcd) = map { "127.0.0.1:$_" } @$node{qw(port rest)}, $self->{etcd};
	$node->{peers}   = Catalogue::Relay->start($node->{directory}, $server, $rest, $etcd);
	$node->{clients} = Catalogue::Relay->start($node->{directory}, $server);
	open my $out, '>', "$node->{directory}/config.yml" or die "$node->{directory}: $!";
	print {$out} $self->configuration($node);
	close $out or die "$node->{directory}: $!";
	return $node;
}

# The configuration of the page with the addresses and paths of a node.  The socket is that of the tests, who are no
# user of the system with the name of a role.
sub configuration
{
	my ($self, $node) = @_;
	my ($block) = slurp($page) =~ /```yaml\n(.*?\n) *```/s or die "$page: no configuration\n";
	chomp(my $bin = `"\${PG_CONFIG:-pg_config}" --bindir`);
	my ($server, $rest, $etcd) = map { "127.0.0.1:$_" } @{ $node->{peers}{ports} };
	my @changes = (
		[ 'name: db1',                               "name: $node->{name}" ],
		[ qr/hosts: \S+/,                            "hosts: $etcd\n  use_proxies: true" ],
		[ 'listen: 10.0.0.11:8008',                  "listen: 127.0.0.1:$node->{rest}" ],
		[ 'connect_address: 10.0.0.11:8008',         "connect_address: $rest" ],
		[ 'listen: 10.0.0.11:5432',                  "listen: 127.0.0.1:$node->{port}" ],
		[ 'connect_address: 10.0.0.11:5432',         "connect_address: $server" ],
		[ '/usr/lib/postgresql/15/bin',              $bin ],
		[ '/var/lib/postgresql/15/catalogue',        $node->{data} ],
		[ '/var/lib/postgresql/patroni.pgpass',      "$node->{directory}/pgpass" ],
		[ '/run/postgresql',                         $node->{directory} ],
		[ '/etc/catalogue/secret-key',               "$self->{var}/secret-key" ],
		[ 'local all all peer',                      'local all all trust' ],
		([ '10.0.0.0/24',                            '127.0.0.1/32' ]) x 2,
	);
	for my $change (@changes)
	{
		my $old = ref $change->[0] ? $change->[0] : qr/\Q$change->[0]\E/;
		$block =~ s/$old/$change->[1]/ or die "$page: no $change->[0]\n";
	}
	return $block;
}

sub start_node
{
	my ($self, $name) = @_;
	$self->{pids}{$name} = $self->run($name, 'patroni', "$self->{nodes}{$name}{directory}/config.yml");
	return;
}

# End all processes of a node at once, as the loss of its machine does.
sub lose
{
	my ($self, $name) = @_;
	my $pid = delete $self->{pids}{$name} // return;
	my ($postmaster) = slurp("$self->{nodes}{$name}{data}/postmaster.pid") =~ /^(\d+)/;
	kill 'KILL', $pid;
	kill 'KILL', $postmaster, split ' ', `pgrep -P $postmaster` if $postmaster;
	waitpid $pid, 0;
	return;
}

# What Patroni of a node says at a path of its interface: the status, and the JSON; nothing is said by one that is lost.
sub says
{
	my ($self, $name, $path, @request) = @_;
	my $answer = HTTP::Tiny->new(timeout => 2)->request($request[0] // 'GET',
		"http://127.0.0.1:$self->{nodes}{$name}{rest}/$path", $request[1] // {});
	return ($answer->{status}, eval { $json->decode($answer->{content}) });
}

# Find the node that is the primary; return its name, if there is one.
sub find_primary
{
	my ($self, @names) = @_;
	for my $name (@names ? @names : sort keys %{ $self->{nodes} })
	{
		next unless ($self->says($name, 'primary'))[0] == 200;
		$self->{server} = $self->server_of($name);
		return $self->{primary} = $name;
	}
	return;
}

sub server_of
{
	my ($self, $name) = @_;
	return { PGHOST => $self->{nodes}{$name}{directory}, PGPORT => $self->{nodes}{$name}{port}, PGUSER => 'postgres' };
}

# The service with a node as its server, for calls of sql().
sub at { my ($self, $name) = @_; return bless { %$self, server => $self->server_of($name) }, ref $self }

# True when all nodes are up, two of them receive from the primary, and one of these confirms its commits.
sub is_whole
{
	my ($self) = @_;
	return unless $self->find_primary;
	my $standbys = $self->sql(q(SELECT count(*) || ' ' || count(*) FILTER (WHERE sync_state = 'sync')
		FROM pg_stat_replication WHERE state = 'streaming'), 'postgres');
	my ($status) = $self->says($self->{primary}, 'cluster');
	return $standbys eq '2 1' && $status == 200
		&& 2 == grep { ($self->says($_, 'replica'))[0] == 200 } keys %{ $self->{nodes} };
}

# Change the configuration that the nodes share.
sub change
{
	my ($self, $change) = @_;
	my ($status) = $self->says($self->{primary}, 'config', 'PATCH', { content => $json->encode($change) });
	die "the configuration is not changed: $status\n" unless $status == 200;
	return;
}

# The nodes as a shim names them, in this order.
sub place
{
	my ($self, @names) = @_;
	return sprintf "host=%s port=%s password='%s' sslmode=disable gssencmode=disable",
		join(',', ('127.0.0.1') x @names), join(',', map { $self->{nodes}{$_}{clients}{port} } @names), $password;
}

# Where a shim finds the primary and the standbys, when it asks the nodes in this order: arguments of shim_at().
sub places
{
	my ($self, @names) = @_;
	my $place = $self->place(@names);
	return ("$place target_session_attrs=read-write",
		CATALOGUE_READ_DATABASE => "$place target_session_attrs=prefer-standby user=catalogue_shim dbname=catalogue");
}

sub defaults
{
	my ($self) = @_;
	my ($place, %settings) = $self->places(qw(a b c));
	return ($self->SUPER::defaults, CATALOGUE_DATABASE => "$place user=catalogue_shim dbname=catalogue", %settings);
}

# The database goes with its servers.
sub drop_database
{
	my ($self) = @_;
	$self->{sessions} = {};
	$self->lose($_) for keys %{ $self->{nodes} };
	for my $relay (map { grep {defined} @$_{qw(peers clients)} } values %{ $self->{nodes} })
	{
		$relay->stop;
	}
	$self->{nodes} = {};
	end_process(delete $self->{pids}{etcd}, 'KILL', 10) if $self->{pids}{etcd};
	return;
}

# What the programs wrote, for what is kept of a test that failed.
sub cluster
{
	my ($self) = @_;
	return join '', map { "==> $_\n" . slurp($_) } glob "$self->{var}/*.log";
}

1;
