#!/bin/sh
# Geobuf: one corner without a height changes the heights of all corners behind it, and a large whole number is refused.
#
# Source: Geobuf (Mapbox), geobuf.proto: a file has one number of dimensions, coordinates are differences to those of
# the corner before, as whole numbers. RFC 7946, 3.1.1: a position may have a third element, so that positions with and
# without a height may be in one line.
# Guess: heights that are given come back; one that is missing is missing, or 0. A number of a property comes back.
# Seen with geobuf 3.0.2 and pbf 3.2.1: behind a corner without a height each corner of the line has the last height
# before it, 0 if there was none, whatever height it was given; other lines of the file keep theirs. A
# Polygon without rings, as EMPTY of WKT, comes back without the member coordinates, which no GeoJSON may lack. The
# property 1e21, a number that JSON writes as such, is an error about a varint, while 1e15 and 1.5e-7 come back.
# Give all corners of a file a height, or none, and leave empty geometries out, before it is written.
#
# Needs node and npm. Packages go into a temporary folder. Exit status 0: seen as described.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund geobuf@3.0.2 pbf@3.2.1 > /dev/null
cat > read.cjs <<'JS'
const geobuf = require('geobuf');
const Pbf = require('pbf');

function again(value) {
	try {
		return geobuf.decode(new Pbf(geobuf.encode(value, new Pbf())));
	} catch (error) {
		return { refused: error.message };
	}
}

const lines = [
	[[1, 2, 10], [3, 4, 20], [5, 6, 30]],
	[[1, 2, 10], [3, 4], [5, 6, 30], [7, 8, 40]],
	[[1, 2], [3, 4, 20], [5, 6, 30]],
];

for (const coordinates of lines) {
	const line = again({ type: 'LineString', coordinates });

	console.log(`line ${JSON.stringify(coordinates)} is ${JSON.stringify(line.coordinates)}`);
}
const both = again({ type: 'MultiLineString', coordinates: [lines[1], lines[0]] });

console.log(`the second of two lines is ${JSON.stringify(both.coordinates[1])}`);
console.log(`empty ${JSON.stringify(again({ type: 'Polygon', coordinates: [] }))}`);
for (const area of [1e15, 1.5e-7, 1e21]) {
	const feature = again({ type: 'Feature', geometry: null, properties: { area } });

	console.log(`number ${area} is ${feature.refused || feature.properties.area}`);
}
JS
node read.cjs > seen
cat seen
cat > expected <<'TXT'
line [[1,2,10],[3,4,20],[5,6,30]] is [[1,2,10],[3,4,20],[5,6,30]]
line [[1,2,10],[3,4],[5,6,30],[7,8,40]] is [[1,2,10],[3,4,10],[5,6,10],[7,8,10]]
line [[1,2],[3,4,20],[5,6,30]] is [[1,2,0],[3,4,0],[5,6,0]]
the second of two lines is [[1,2,10],[3,4,20],[5,6,30]]
empty {"type":"Polygon"}
number 1000000000000000 is 1000000000000000
number 1.5e-7 is 1.5e-7
number 1e+21 is Given varint doesn't fit into 10 bytes
TXT
diff expected seen
