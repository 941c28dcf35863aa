package Bench::Page;

# Jobs on what people and generators of clients get first: the first view of the page, and the OpenAPI document.  See
# Reads.pm for what a job is.

use strict;
use warnings;

use Bench::Client ();

my $CROWD = 1000;    # clients
my %html  = (Accept => 'text/html');

sub jobs
{
	return (
		{ name => 'page',    title => "First view of the page, $CROWD connections, one address each", prepare => \&page },
		{ name => 'openapi', title => 'OpenAPI document, one connection',           prepare => \&openapi },
	);
}

# The bytes that a browser gets for the first view: the page, its style sheet and its scripts with all that they import.
sub first_view
{
	my ($service, $target) = @_;
	my $client = Bench::Client->new($service->{base}, %html);
	my $page   = $client->get($target, [200]);
	my @files  = map { $client->target($_) } $page->{body}
		=~ /<(?:link rel="stylesheet"|script type="module")[^>]* (?:href|src)="([^"]+)"/g;
	my ($bytes, %got) = ($page->{size});

	die "$target: no style sheet or no script is named\n" if @files < 2;
	while (defined(my $file = shift @files))
	{
		next if $got{$file}++;
		my $answer = $client->get($file, [200]);
		$bytes += $answer->{size};
		push @files, map { $file =~ s{[^/]+$}{$_}r } $answer->{body} =~ m{^import [^;]*'\./([^']+)'}mg;
	}
	return $bytes;
}

sub page
{
	my ($service) = @_;
	my ($id)    = $service->published_ids(1);
	my %views   = (entry => '/', list => '/datasets', record => "/datasets/$id");
	my %bytes   = map { $_ => first_view($service, $views{$_}) } keys %views;
	my ($most)  = sort { $b <=> $a } values %bytes;

	return {
		contenders => [map { [$_, "$views{$_} as HTML, $bytes{$_} bytes with style and script",
			$service->load(headers => \%html, targets => [$views{$_}], connections => $CROWD)] } sort keys %views],
		verdicts => [
			(map {
				my $name = $_;
				{ text => "ms, half of the answers to $name", most => 300, value => sub { $_[0]{$name}{p50} } }
			} sort keys %views),
			{ text => 'kB, the largest first view', most => 100, value => sub { $most / 1000 } },
		],
	};
}

sub openapi
{
	my ($service) = @_;
	my $target  = '/openapi.json';
	my $answer  = $service->client->get($target, [200]);
	my %known   = ($service->as_admin, 'If-None-Match' => $answer->{headers}{etag});

	Bench::Client->new($service->{base}, %known)->get($target, [304]);
	return {
		contenders => [
			['cached', "the document again, $answer->{size} bytes", $service->single(targets => [$target])],
			['unchanged', '304, its entity tag is known', $service->single(headers => \%known, targets => [$target])],
		],
		verdicts => [map {
			my $name = $_;
			{ text => "ms, $name", most => 20, value => sub { $_[0]{$name}{p50} } }
		} qw(cached unchanged)],
	};
}

1;
