#!/bin/sh
# Values that a DBF leaves unknown: a blank date is 30 November 1899, "?" is false, and a null number is 0.
#
# Source: dBASE III table format: a date is YYYYMMDD, and blank if there is none; a logical value is T, Y, F, N or "?"
# (not set). For null, shapelib, and so GDAL, fills a number with asterisks and a date with zeros.
# Guess: all of these are null to every reader.
# Seen with shapefile 0.6.6: dates of blanks and of zeros are 30 November 1899 (JavaScript: year 0 is 1900, and day 0 of
# its month -1 is that day). The others are null.
# Seen with shpjs 6.2.0: a blank date is an invalid Date, but zeros are 30 November 1899; "?" is false; a blank
# number and asterisks are NaN.
# Seen with SheetJS (xlsx) 0.18.5: both dates are 30 November 1899, and asterisks are 0.
# Each gives a value that looks real: the least date, and the mean, of a column are wrong, and differ by the reader.
#
# Needs node and npm. Packages go into a temporary folder. Exit status 0: seen as described.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund shapefile@0.6.6 shpjs@6.2.0 parsedbf@2.0.0 xlsx@0.18.5 > /dev/null
cat > read.mjs <<'JS'
import { openDbf } from 'shapefile';
import { parseDbf } from 'shpjs';
import XLSX from 'xlsx';

const columns = [['DAY', 'D', 8], ['KNOWN', 'L', 1], ['LEVEL', 'N', 6]];
const records = [
	['20200131', 'T', '   1.5'],
	['        ', '?', '      '],
	['00000000', 'F', '******'],
];

function table() {
	const header = 32 + 32 * columns.length + 1;
	const width = 16;
	const bytes = Buffer.alloc(header + width * records.length + 1, ' ');

	bytes.fill(0, 0, header);
	bytes.set([3, 120, 1, 31]);
	bytes.writeUInt32LE(records.length, 4);
	bytes.writeUInt16LE(header, 8);
	bytes.writeUInt16LE(width, 10);
	columns.forEach(([name, type, length], index) => {
		const at = 32 + 32 * index;

		bytes.write(name, at);
		bytes.write(type, at + 11);
		bytes[at + 16] = length;
		bytes[at + 17] = type === 'N' ? 1 : 0;
	});
	bytes[header - 1] = 13;
	records.forEach((record, index) => bytes.write(' ' + record.join(''), header + width * index));
	bytes[bytes.length - 1] = 26;
	return bytes;
}

async function byShapefile() {
	const source = await openDbf(table());
	const rows = [];

	for (let next = await source.read(); !next.done; next = await source.read())
		rows.push(next.value);
	return rows;
}

function bySheetJS() {
	const book = XLSX.read(table(), { cellDates: true });

	return XLSX.utils.sheet_to_json(book.Sheets[book.SheetNames[0]], { defval: null });
}

function show(reader, rows) {
	for (const { DAY, KNOWN, LEVEL } of rows)
		console.log(`${reader} ${isNaN(DAY) ? 'invalid' : DAY.toISOString().slice(0, 10)} ${KNOWN} ${LEVEL}`);
}

show('shapefile', await byShapefile());
show('shpjs', parseDbf(table()));
show('sheetjs', bySheetJS());
JS
TZ=UTC node read.mjs > seen
cat seen
cat > described <<'TEXT'
shapefile 2020-01-31 true 1.5
shapefile 1899-11-30 null null
shapefile 1899-11-30 false null
shpjs 2020-01-31 true 1.5
shpjs invalid false NaN
shpjs 1899-11-30 false NaN
sheetjs 2020-01-31 true 1.5
sheetjs 1899-11-30 null null
sheetjs 1899-11-30 false 0
TEXT
diff described seen
