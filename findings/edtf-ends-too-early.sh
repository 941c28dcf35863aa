#!/bin/sh
# EDTF: a set of years given as a range ends with its first year, and 29 February of any year moves to 1 March.
#
# Source: Extended Date/Time Format (Library of Congress, 2019), level 2: [..] is one member of a set and {..} all of
# them, with ranges such as 2019..2021 inside; with significant digits, 1950S2 is a year between 1900 and 1999,
# estimated as 1950; any digits may be unspecified.
# Guess: min and max enclose what the text can mean, as they do for 20XX, 2019/2021 and {2019,2021}.
# Seen with edtf 4.11.1: the max of {2019..2021} and of [2019..2021] is the end of 2019, though iterating gives all
# three years; {2021,2019} has its max before its min; 1950S2 is 1950 alone; XXXX-02-29 is written as XXXX-03-01.
# So a search by period leaves such records out, without an error. Take the ends from the members.
#
# Needs node and npm. Packages go into a temporary folder. Exit status 0: seen as described.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund edtf@4.11.1 > /dev/null
cat > read.mjs <<'JS'
import edtf from 'edtf';

const texts = [
	'20XX', '2019/2021', '{2019,2021}', '{2019..2021}', '[2019..2021]', '{2019-01..2019-03}', '{2021,2019}', '1950S2',
	'XXXX-02-28', 'XXXX-02-29',
];
const members = ['{2019..2021}', '[2019..2021]'];

function day(time) {
	return new Date(time).toISOString().slice(0, 10);
}

for (const text of texts) {
	const value = edtf(text);

	console.log(`${text} is ${day(value.min)} to ${day(value.max)}, written ${value.edtf}`);
}
for (const text of members)
	console.log(`${text} has ${[...edtf(text)].map(member => member.edtf)}`);
JS
node read.mjs > seen
cat seen
cat > described <<'TEXT'
20XX is 2000-01-01 to 2099-12-31, written 20XX
2019/2021 is 2019-01-01 to 2021-12-31, written 2019/2021
{2019,2021} is 2019-01-01 to 2021-12-31, written {2019,2021}
{2019..2021} is 2019-01-01 to 2019-12-31, written {2019..2021}
[2019..2021] is 2019-01-01 to 2019-12-31, written [2019..2021]
{2019-01..2019-03} is 2019-01-01 to 2019-01-31, written {2019-01..2019-03}
{2021,2019} is 2021-01-01 to 2019-12-31, written {2021,2019}
1950S2 is 1950-01-01 to 1950-12-31, written 1950S2
XXXX-02-28 is 0000-02-28 to 9999-02-28, written XXXX-02-28
XXXX-02-29 is 0000-03-01 to 9999-03-01, written XXXX-03-01
{2019..2021} has 2019,2020,2021
[2019..2021] has 2019,2020,2021
TEXT
diff described seen
