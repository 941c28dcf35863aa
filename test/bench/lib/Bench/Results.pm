package Bench::Results;

# The page of results: a section for each job that was measured, and a part written by hand that is not changed.
#
# A job that is measured again replaces its section; the sections of the other jobs stay, with the date
# and the machine of their run.

use strict;
use warnings;

use POSIX qw(strftime);

use Bench::Load   ();
use Bench::Report ();

my $HEAD = <<'END';
# Results of the measurements

The first part is written by `make bench`. The machine of each section is that of its run, and the load generator takes
its share of the same cores, so ratios can be compared and rates cannot. The second part was measured by hand, for
[decisions](../../docs/explanation/decisions.md); `make bench` keeps it as it is.

END
my $MEASURED = "## Measured by `make bench`\n\n";
my $BY_HAND  = "## Measured by hand\n\n";

# Date, machine, versions and size of a run as one paragraph.
sub conditions
{
	my ($service, %option) = @_;
	my ($model) = Bench::Load::output_of('cat', '/proc/cpuinfo') =~ /^model name\s*:\s*(.*?)\s*$/m;
	my ($version) = $service->sql('SHOW server_version') =~ /^(\S+)/;
	chomp(my $library = Bench::Load::output_of('pkg-config', '--modversion', 'libmicrohttpd'));

	return sprintf "%s, commit %s; %d cores (%s); PostgreSQL %s, libmicrohttpd %s.\n"
		. "%d datasets, %d connections; medians and quartiles of %d rounds of %d s.\n",
		strftime('%Y-%m-%d', gmtime), commit(), $service->{cores}, $model // 'model unknown', $version, $library,
		@option{qw(size connections rounds seconds)};
}

# The commit that is measured, followed by a plus sign when files differ from it.
sub commit
{
	my $commit = eval { Bench::Load::output_of('git', 'describe', '--always', '--abbrev=7', '--dirty=+') } // 'unknown';
	chomp $commit;
	return $commit;
}

# A table of Markdown: rows of cells, the first one its head.
sub table
{
	my ($head, @rows) = @_;

	return '' unless @rows;
	return join '', map { '| ' . join(' | ', map { s/\|/\\|/gr } @$_) . " |\n" } $head, [ map { '---' } @$head ], @rows;
}

# The section of a job: rows of contenders and verdicts as Bench::Report gives them, notes as lines.
sub section
{
	my ($job, $conditions, $contenders, $notes, $verdicts) = @_;
	my $notes_text = @$notes ? "```text\n" . join('', map { "$_\n" } @$notes) . "```\n" : '';
	my @parts = (
		$conditions, table([ 'Contender', @Bench::Report::COLUMNS ], @$contenders), $notes_text,
		table([ 'Verdict', 'Median (quartiles)', 'Wanted', '' ], @$verdicts));

	return "### $job->{name}: $job->{title}\n\n" . join("\n", grep { length } @parts) . "\n";
}

# The page with the given sections (name of the job => text) in place of their former ones, in the order of the names.
sub page
{
	my ($page, $names, %sections) = @_;
	my ($measured, $by_hand) = split /^\Q$BY_HAND\E/m, $page, 2;
	my %all = (map { /^### (\S+?): / ? ($1 => $_) : () } split(/^(?=### )/m, $measured // ''));

	%all = (%all, %sections);
	return $HEAD . $MEASURED . join('', map { $all{$_} // () } @$names) . $BY_HAND . ($by_hand // '');
}

# Write sections into the file.
sub write_file
{
	my ($file, $names, %sections) = @_;
	my $page = '';

	if (open my $in, '<', $file)
	{
		local $/;
		$page = <$in>;
	}
	open my $out, '>', $file or die "$file: $!\n";
	print $out page($page, $names, %sections);
	close $out or die "$file: $!\n";
	return;
}

1;
