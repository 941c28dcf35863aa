#!/bin/sh
# Records that were deleted in a DBF come back to life in readers of shapefiles, and not in a reader of spreadsheets.
#
# Source: dBASE III table format: the first byte of each record is a space, or an asterisk if the record is deleted.
# Deleting sets that byte only; the values stay until the table is packed, and the file is valid.
# Guess: no reader gives a deleted record, or all of them give it with a mark.
# Seen with shapefile 0.6.6 and shpjs 6.2.0: the record is given like any other, and nothing tells that it was deleted.
# Seen with SheetJS (xlsx) 0.18.5: it is left out.
# So one file has three features on the map and two rows in the table, and what a publisher removed is published again.
#
# Needs node and npm. Packages go into a temporary folder. Exit status 0: seen as described.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund shapefile@0.6.6 shpjs@6.2.0 parsedbf@2.0.0 xlsx@0.18.5 > /dev/null
cat > read.mjs <<'JS'
import { open } from 'shapefile';
import shpjs from 'shpjs';
import XLSX from 'xlsx';

const names = ['Alder', 'Birch', 'Cedar'];
const deleted = new Set(['Birch']);

// A table with one column NAME of ten characters.
function table() {
	const header = 65;
	const bytes = Buffer.alloc(header + 11 * names.length + 1, ' ');

	bytes.fill(0, 0, header);
	bytes.set([3, 120, 1, 31]);
	bytes.writeUInt32LE(names.length, 4);
	bytes.writeUInt16LE(header, 8);
	bytes.writeUInt16LE(11, 10);
	bytes.write('NAME', 32);
	bytes.write('C', 43);
	bytes[48] = 10;
	bytes[64] = 13;
	names.forEach((name, index) => {
		bytes.write((deleted.has(name) ? '*' : ' ') + name, header + 11 * index);
	});
	bytes[bytes.length - 1] = 26;
	return bytes;
}

// A point (index, index) for each record.
function shapes() {
	const bytes = Buffer.alloc(100 + 28 * names.length);

	bytes.writeInt32BE(9994, 0);
	bytes.writeInt32BE(bytes.length / 2, 24);
	bytes.writeInt32LE(1000, 28);
	bytes.writeInt32LE(1, 32);
	bytes.writeDoubleLE(names.length - 1, 52);
	bytes.writeDoubleLE(names.length - 1, 60);
	names.forEach((_, index) => {
		const at = 100 + 28 * index;

		bytes.writeInt32BE(index + 1, at);
		bytes.writeInt32BE(10, at + 4);
		bytes.writeInt32LE(1, at + 8);
		bytes.writeDoubleLE(index, at + 12);
		bytes.writeDoubleLE(index, at + 20);
	});
	return bytes;
}

async function byShapefile() {
	const source = await open(shapes(), table());
	const found = [];

	for (let next = await source.read(); !next.done; next = await source.read())
		found.push(next.value.properties.NAME);
	return found;
}

async function byShpjs() {
	const collection = await shpjs({ shp: shapes(), dbf: table() });

	return collection.features.map(feature => feature.properties.NAME);
}

function bySheetJS() {
	const book = XLSX.read(table());

	return XLSX.utils.sheet_to_json(book.Sheets[book.SheetNames[0]]).map(row => row.NAME);
}

console.log(`shapefile ${await byShapefile()}`);
console.log(`shpjs ${await byShpjs()}`);
console.log(`sheetjs ${bySheetJS()}`);
JS
node read.mjs > seen
cat seen
cat > described <<'TEXT'
shapefile Alder,Birch,Cedar
shpjs Alder,Birch,Cedar
sheetjs Alder,Cedar
TEXT
diff described seen
