package Bench::Standby;

# A job that measures what reads of outsiders cost the primary where standbys answer them.  See Reads.pm for what a job
# is.

use strict;
use warnings;

use FindBin ();
use lib "$FindBin::Bin/../http/lib";

use Bench::Client ();
use Catalogue::Server ();
use Time::HiRes qw(sleep time);

my $PATIENCE = 60;    # seconds until connections to the standbys are there

sub jobs
{
	return { name => 'standby', title => 'Reads of outsiders at standbys', prepare => \&standby };
}

# Wait until connections to a standby of each kind may be asked.
sub wait_usable
{
	my ($base) = @_;
	my $client = Bench::Client->new($base);

	for (my $deadline = time + $PATIENCE; time < $deadline; sleep 0.1)
	{
		my %idle = map { $_ => 1 } $client->get('/metrics', [200])->{body} =~ /kind="standby_(\w+)",state="idle"\} [1-9]/g;
		return if keys %idle == 3;
	}
	die "no standby is asked\n";
}

sub standby
{
	my ($service) = @_;
	my $directory = "$service->{place}/standbys";
	mkdir $directory, 0700 or die "$directory: $!\n";
	chown((getpwnam 'postgres')[2, 3], $directory) if $> == 0;
	my $primary = { directory => $directory, var => $service->{place},
		server => { PGHOST => $ENV{PGHOST}, PGPORT => $ENV{PGPORT} } };
	my @standbys = map { Catalogue::Server->copy($primary, "standby$_", '-R')->start } 1, 2;
	my $place = sprintf 'host=%s port=%s user=catalogue_shim dbname=catalogue',
		map { my $of = $_; join ',', map { $_->{$of} } @standbys } qw(socket port);
	my %settings = (
		'primary'         => {},
		'standby'         => { CATALOGUE_READ_DATABASE => $place },
		'primary, silent' => { CATALOGUE_STATISTICS => 'off' },
		'standby, silent' => { CATALOGUE_READ_DATABASE => $place, CATALOGUE_STATISTICS => 'off' },
	);
	my %base = map { $_ => $service->another_shim($_, 'catalogue', CATALOGUE_METRICS_ADDRESSES => '127.0.0.1',
		%{ $settings{$_} }) } keys %settings;
	my %ask = (headers => {}, targets => [ (map { "/datasets/$_" } $service->published_ids(15_000)),
		map { '/datasets?limit=20&skip=' . 20 * int rand 40 } 1 .. 5_000 ]);

	wait_usable($base{$_}) for grep {/^standby/} keys %base;
	my $share = sub
	{
		my ($text, $silent) = @_;
		return { text => "processor time of the primary$text, of that without standbys", most => 0.02,
			value => sub { $_[0]{"standby$silent"}{database} / $_[0]{"primary$silent"}{database} } };
	};
	return {
		contenders => [ map { [ $_, "at the $_" =~ s/, silent/, no statistics/r,
			$service->load(%ask, server => $_, base => $base{$_}) ] } 'primary', 'standby', 'primary, silent',
			'standby, silent' ],
		verdicts => [ $share->('', ''), $share->(' without statistics', ', silent') ],
		notes => sub { return 'a read in four is a page of a list of what outsiders see, the others are items' },
		after => sub { $_->stop for @standbys },
	};
}

1;
