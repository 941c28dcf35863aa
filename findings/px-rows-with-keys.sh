#!/bin/sh
# PC-Axis: in a file with KEYS the numbers stand at the wrong values, and lines without a blank at the end are joined.
#
# Source: PX file format of Statistics Sweden, "Data in the PX-file": with KEYS each row begins with the value of each
# variable of the stub, and rows that have zeros only are left out; comma, space, semicolon and tabulator between cells
# are synonyms; a line of cells should have a space at its end.
# Guess: a parser reads the three, or refuses what it does not read.
# Seen with px 0.1.2 (npm): KEYS is kept as a keyword, without effect. The text of a key is a number, those of its row
# are one value late, and a row that is left out moves the rest: Bergen, of which there is none, gets a number of Oslo
# and the key of Molde. Where a line ends without a blank, its last number and the first one of the next line become
# one: 2 and 3 are 23. Cells with commas between them are one. Nothing fails.
# Ask for files without KEYS, or see that the number of cells is the product of the numbers of values.
#
# Needs node and npm. Packages go into a temporary folder. Exit status 0: seen as described.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund px@0.1.2 > /dev/null
cat > read.js <<'JS'
const Px = require('px');

function table(keys, rows) {
	return `CHARSET="ANSI";
AXIS-VERSION="2013";
MATRIX="ships";
SUBJECT-CODE="T";
SUBJECT-AREA="Transport";
TITLE="Ships by port and year";
CONTENTS="Ships";
UNITS="number";
STUB="port";
HEADING="year";
VALUES("port")="Oslo","Bergen","Molde";
VALUES("year")="2020","2021";
${keys}DECIMALS=0;
DATA=
${rows};
`;
}

function show(name, keys, rows) {
	const cells = new Px(table(keys, rows)).entries();

	console.log(`${name}: ${cells.map((cell) => `${cell.port} ${cell.year} = ${cell.num}`).join('; ')}`);
}

show('a space at each end', '', '1 2 \n0 0 \n5 6');
show('KEYS', 'KEYS("port")=VALUES;\n', '"Oslo", 1 2 \n"Molde", 5 6');
show('no space at the ends', '', '1 2\n3 4\n5 6');
show('commas', '', '1,2 \n3,4 \n5,6');
JS
node read.js > seen
cat seen
cat > described <<'TEXT'
a space at each end: Oslo 2020 = 1; Oslo 2021 = 2; Bergen 2020 = 0; Bergen 2021 = 0; Molde 2020 = 5; Molde 2021 = 6
KEYS: Oslo 2020 = "Oslo",; Oslo 2021 = 1; Bergen 2020 = 2; Bergen 2021 = "Molde",; Molde 2020 = 5; Molde 2021 = 6
no space at the ends: Oslo 2020 = 1; Oslo 2021 = 23; Bergen 2020 = 45; Bergen 2021 = 6
commas: Oslo 2020 = 1,2; Oslo 2021 = 3,4; Bergen 2020 = 5,6
TEXT
diff described seen
