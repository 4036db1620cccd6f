# Two terminals for a product: one for its input and output, one for its errors, so that these are told apart. Whoever
# types on them has nothing to say: input is at an end, however often it is read. They pass bytes on as they are: no
# carriage return before a line feed, no echo.
#
# `try`: whether terminals can be had here. `drain`: prints the names of both and leaves a process behind, which throws
# away what is written to them for as long as whoever asked is there. `copy`: prints the names, waits until its own input is closed (the product has them open
# by then), and copies what is written to them to its output and its errors, until nobody has them open any more.
use strict;
use warnings;

my ($mode) = @ARGV;
my $host = getppid;

# Numbers of Linux, on x86-64 and arm64.
use constant { UNLOCK => 0x40045431, NUMBER => 0x80045430, GET_MODES => 0x5401, SET_MODES => 0x5402, SET_SIZE => 0x5414 };
use constant { READ_WRITE => 2, NOT_CONTROLLING => 0400, TRANSLATES_OUTPUT => 1, ECHOES => 8 };
use constant END_OF_INPUT => "\x04" x 255;

sub open_terminal {
    sysopen(my $master, '/dev/ptmx', READ_WRITE | NOT_CONTROLLING) or exit 1;
    my ($unlocked, $number) = (pack('i', 0), pack('i', 0));
    ioctl($master, UNLOCK, $unlocked) or exit 1;
    ioctl($master, NUMBER, $number) or exit 1;
    my $name = '/dev/pts/' . unpack('i', $number);
    sysopen(my $slave, $name, READ_WRITE | NOT_CONTROLLING) or exit 1;
    my $modes = "\0" x 64;
    ioctl($slave, GET_MODES, $modes) or exit 1;
    my ($input, $output, $control, $local, $rest) = unpack('L4 a*', $modes);
    $modes = pack('L4 a*', $input, $output & ~TRANSLATES_OUTPUT, $control, $local & ~ECHOES, $rest);
    ioctl($slave, SET_MODES, $modes) or exit 1;
    my $size = pack('S4', 24, 80, 0, 0);
    ioctl($slave, SET_SIZE, $size) or exit 1;
    syswrite($master, END_OF_INPUT);
    return { name => $name, master => $master, slave => $slave };
}

my @terminals = (open_terminal(), open_terminal());
exit 0 if $mode eq 'try';
syswrite(STDOUT, join(' ', map { $_->{name} } @terminals) . "\n");

if ($mode eq 'drain') {
    exit 0 if fork;
    open(STDIN, '<', '/dev/null');
    open(STDOUT, '>', '/dev/null');
    open(STDERR, '>', '/dev/null');
} else {
    1 while sysread(STDIN, my $ignored, 1);
    close $_->{slave} for @terminals;
}

my @open = ([$terminals[0]{master}, \*STDOUT], [$terminals[1]{master}, \*STDERR]);
while (@open) {
    my $ready = '';
    vec($ready, fileno($_->[0]), 1) = 1 for @open;
    select($ready, undef, undef, 1);
    last if $mode eq 'drain' && !kill(0, $host);
    @open = grep { !vec($ready, fileno($_->[0]), 1) || copy_some(@$_) } @open;
}

# Whether there may be more.
sub copy_some {
    my ($from, $to) = @_;
    my $length = sysread($from, my $bytes, 65536) or return 0;
    for (my $at = 0; $at < $length;) {
        $at += syswrite($to, $bytes, $length - $at, $at) // exit 1;
    }
    return 1;
}
