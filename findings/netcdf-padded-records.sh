#!/bin/sh
# netCDF classic: the padding of records is read as values, and a file whose only record variable has bytes is read wrongly.
#
# Source: "NetCDF Classic Format Specification" of Unidata: each record of a variable is padded to a multiple of four
# bytes; if there is only one record variable, of bytes, characters or shorts, its records have no padding. Its size in
# the header counts the padding all the same.
# Guess: a series of five numbers is read as five numbers, whatever their type.
# Seen with netcdfjs 4.0.0 (npm): of shorts and bytes each number comes as a list, the number and the padding behind it:
# [1, 0] or [9, 0, 0, 0]; values that fill four bytes come as numbers. Of the only record variable the first record
# takes the bytes of the next ones, so [1, 2, 3, 4], then [5, 0, 0, 0], then zeros: of days 2 to 5 the values are
# wrong, and nothing fails. Of shorts it ends with an error, since it reads past the end of the file.
# Ask for records of integers of four bytes or floating-point numbers, or take the first number of each record where
# there are several variables.
#
# Needs node and npm. Packages go into a temporary folder. Exit status 0: seen as described.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund netcdfjs@4.0.0 > /dev/null
cat > read.cjs <<'JS'
const { NetCDFReader } = require('netcdfjs');

const RECORDS = 5;
const types = {
	byte: { code: 1, bytes: 1, write: (buffer, value) => buffer.writeInt8(value) },
	short: { code: 3, bytes: 2, write: (buffer, value) => buffer.writeInt16BE(value) },
	int: { code: 4, bytes: 4, write: (buffer, value) => buffer.writeInt32BE(value) },
};

function number(value) {
	const buffer = Buffer.alloc(4);

	buffer.writeUInt32BE(value);
	return buffer;
}

// four letters need no padding
function name(text) {
	return Buffer.concat([number(text.length), Buffer.from(text)]);
}

function header(variables, offsets) {
	return Buffer.concat([
		Buffer.from('CDF\x01', 'latin1'), number(RECORDS),
		number(10), number(1), name('time'), number(0), // the dimensions: one, of records
		number(0), number(0), // no attributes
		number(11), number(variables.length),
		...variables.map((variable, index) => Buffer.concat([
			name(variable.name), number(1), number(0), number(0), number(0),
			number(types[variable.type].code), number(4), number(offsets[index])])),
	]);
}

function file(variables) {
	const width = (type) => (variables.length > 1 ? 4 : types[type].bytes);
	let offset = header(variables, variables.map(() => 0)).length;
	const offsets = variables.map(({ type }) => {
		const begin = offset;

		offset += width(type);
		return begin;
	});
	const records = [];

	for (let record = 0; record < RECORDS; record++)
		for (const { type, values } of variables) {
			const buffer = Buffer.alloc(width(type));

			types[type].write(buffer, values[record]);
			records.push(buffer);
		}
	const whole = Buffer.concat([header(variables, offsets), ...records]);

	return Buffer.concat([whole, Buffer.alloc((4 - (whole.length % 4)) % 4)]);
}

function show(...variables) {
	const reader = new NetCDFReader(file(variables));

	for (const variable of variables) {
		let read;

		try {
			read = JSON.stringify(reader.getDataVariable(variable.name));
		} catch (error) {
			read = error.constructor.name;
		}
		console.log(`${variable.type} ${variable.values} of ${variables.length}: ${read}`);
	}
}

const rain = { name: 'rain', type: 'int', values: [1, 2, 3, 4, 5] };

show(rain);
show({ ...rain, type: 'byte' });
show({ ...rain, type: 'short' });
show({ ...rain, type: 'short' }, { name: 'wind', type: 'byte', values: [9, 8, 7, 6, 5] });
JS
node read.cjs > seen
cat seen
cat > described <<'TEXT'
int 1,2,3,4,5 of 1: [1,2,3,4,5]
byte 1,2,3,4,5 of 1: [[1,2,3,4],[5,0,0,0],[0,0,0,0],[0,0,0,0],[0,0,0,0]]
short 1,2,3,4,5 of 1: RangeError
short 1,2,3,4,5 of 2: [[1,0],[2,0],[3,0],[4,0],[5,0]]
byte 9,8,7,6,5 of 2: [[9,0,0,0],[8,0,0,0],[7,0,0,0],[6,0,0,0],[5,0,0,0]]
TEXT
diff described seen
