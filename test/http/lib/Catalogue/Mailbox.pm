package Catalogue::Mailbox;

# A program like sendmail: it notes its arguments and its input.  While there is a file "slow" it waits, while there is
# one named "refuse" it takes no message.

use strict;
use warnings;

use Catalogue::Program qw(slurp);
use Encode ();
use MIME::Base64 ();

# Make the program in a directory, which the account of the service can write.
sub new
{
	my ($class, $place) = @_;
	my $self = bless { place => $place, program => "$place/sendmail" }, $class;

	open my $out, '>', $self->{program} or die "$self->{program}: $!";
	print $out <<"END";
#!/bin/sh
name=\$(mktemp $place/mail.XXXXXX)
printf '%s\\n' "\$@" > "\$name.arguments"
cat > "\$name"
while [ -e $place/slow ]; do sleep 0.1; done
[ ! -e $place/refuse ] || exit 75
mv "\$name" "\$name.done"
END
	close $out;
	chmod 0755, $self->{program} or die;
	return $self;
}

# The next message that was sent: its recipients, header, and text.
sub next_mail
{
	my ($self, $worker) = @_;
	my ($file) = $worker->wait_for('a message', sub { (glob "$self->{place}/mail.*.done")[0] });
	my ($head, $body) = split /\n\n/, slurp($file), 2;
	my @arguments = split /\n/, slurp($file =~ s/done$/arguments/r);
	unlink $file;
	$head =~ s/\n[ \t]+/ /g;
	return { arguments => \@arguments, head => $head, text => Encode::decode('UTF-8', MIME::Base64::decode_base64($body)),
		map { /^([\w-]+): (.*)$/ ? (lc $1 => $2) : () } split /\n/, $head };
}

1;
