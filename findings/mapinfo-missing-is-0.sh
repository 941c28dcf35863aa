#!/bin/sh
# MapInfo: a number that is missing is 0, and a table that is missing is no error.
#
# Source: MapInfo interchange format: the .mif has the places and the names of the columns, the .mid has a line of
# values for each place. GDAL documentation, vector data model: a field is set, null or unset.
# Guess: an empty number in the .mid is null, as it is in CSV; without its .mid a .mif is refused.
# Seen with gdal3.js 2.8.1 (GDAL 3.8.4): missing integers, decimals and booleans are empty in the .mid, and 0 when they
# are read; a missing text is empty; missing dates stay missing. TAB has the same. Without the .mid all features are
# there, with no attribute at all, and nothing is said.
# Averages and sums take the zeros along: keep a column that says what was measured.
#
# Needs node and npm. Packages go into a temporary folder. Exit status 0: seen as described.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund gdal3.js@2.8.1 > /dev/null
cat > read.mjs <<'JS'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import initGdal from 'gdal3.js/node.js';

const gdal = await initGdal({ path: 'node_modules/gdal3.js/dist/package', useWorker: false, logHandler() {},
	errorHandler: text => console.log(`  said: ${text}`) });

function feature(properties) {
	return { type: 'Feature', properties, geometry: { type: 'Point', coordinates: [13.4, 52.5] } };
}

// Write features in a format; the names of the files.
async function write(name, format, features, ...options) {
	writeFileSync(`${name}.geojson`, JSON.stringify({ type: 'FeatureCollection', features }));
	const { datasets: [dataset] } = await gdal.open(`${name}.geojson`);
	const { all } = await gdal.ogr2ogr(dataset, ['-f', format, ...options], name);

	for (const { local } of all)
		writeFileSync(local.split('/').pop(), await gdal.getFileBytes(local));
	return all.map(({ local }) => local.split('/').pop());
}

// The properties of the features of files.
async function read(...names) {
	const { datasets: [dataset] } = await gdal.open(names);
	const { local } = await gdal.ogr2ogr(dataset, ['-f', 'GeoJSON'], `${names[0]}-read`);

	return JSON.parse(Buffer.from(await gdal.getFileBytes(local))).features.map(({ properties }) => properties);
}

const wells = [feature({ depth: 12, level: 1.5, open: true, owner: 'city', seen: '2024-05-31' }),
	feature({ depth: null, level: null, open: null, owner: null, seen: null })];

function show(title, rows) {
	console.log(title);
	for (const row of rows)
		console.log(`  ${JSON.stringify(row)}`);
}

const pair = await write('wells', 'MapInfo File', wells, '-dsco', 'FORMAT=MIF');
show('.mid', readFileSync('wells.mid', 'latin1').trim().split(/\r?\n/));
show('.mif and .mid', await read(...pair));
copyFileSync('wells.mif', 'alone.mif');
show('.mif alone', await read('alone.mif'));
show('.tab', await read(...await write('table', 'MapInfo File', wells)));
process.exit(0);
JS
node read.mjs > seen
cat seen
cat > described <<'TEXT'
.mid
  "12,1.5,1,\"city\",20240531"
  ",,,\"\","
.mif and .mid
  {"depth":12,"level":1.5,"open":1,"owner":"city","seen":"2024-05-31"}
  {"depth":0,"level":0,"open":0,"owner":""}
.mif alone
  {}
  {}
.tab
  {"depth":12,"level":1.5,"open":1,"owner":"city","seen":"2024-05-31"}
  {"depth":0,"level":0,"open":0,"owner":""}
TEXT
diff described seen
