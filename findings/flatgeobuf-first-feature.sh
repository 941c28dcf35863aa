#!/bin/sh
# FlatGeobuf written from GeoJSON: the first feature decides what the others may say.
#
# Source: RFC 7946, section 3.2: properties are any JSON object, so they may differ by feature, and a feature may have
# an id. FlatGeobuf, feature.fbs: a feature may bring its own table of columns.
# Guess: the writer looks at all features, or refuses what does not fit, or writes columns for each feature.
# Seen with flatgeobuf 4.5.0: columns and their types are those of the first feature. A property that it lacks is lost
# from all others. A number in a column that began with true is true; a text in one that began with a number is null; an
# absent text is empty. Ids are replaced by the order. Nothing fails.
# The order of the features decides what is lost, so collect the columns of all before the first is written.
#
# Needs node and npm. Packages go into a temporary folder. Exit status 0: seen as described.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund flatgeobuf@4.5.0 > /dev/null
cat > read.mjs <<'JS'
import { deserialize, serialize } from 'flatgeobuf/lib/mjs/geojson.js';

const features = [
	feature('a', { open: true, depth: 12 }),
	feature('b', { open: 5, depth: 12.5 }),
	feature('c', { open: false, depth: 'unknown' }),
	feature('d', { depth: 7, owner: 'city' }),
];

function feature(id, properties) {
	return { type: 'Feature', id, properties, geometry: { type: 'Point', coordinates: [13.4, 52.5] } };
}

async function read(bytes) {
	const found = deserialize(bytes);
	const list = [];

	for await (const next of found.features ?? found)
		list.push(next);
	return list;
}

async function show(title, list) {
	console.log(title);
	for (const { id, properties } of await read(serialize({ type: 'FeatureCollection', features: list })))
		console.log(`${JSON.stringify(id)} ${JSON.stringify(properties)}`);
}

await show('as they are', features);
await show('the other way round', [...features].reverse());
JS
node read.mjs > seen
cat seen
cat > described <<'TEXT'
as they are
0 {"open":true,"depth":12}
1 {"open":true,"depth":12.5}
2 {"open":false,"depth":null}
3 {"open":false,"depth":7}
the other way round
0 {"depth":7,"owner":"city"}
1 {"depth":null,"owner":""}
2 {"depth":12.5,"owner":""}
3 {"depth":12,"owner":""}
TEXT
diff described seen
