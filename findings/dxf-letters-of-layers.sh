#!/bin/sh
# DXF: letters outside of ASCII in the names of layers are written in another encoding than the file says.
#
# Source: AutoCAD DXF reference: a file of AutoCAD 2004 ($ACADVER AC1018) and before has its texts in the code page of
# $DWGCODEPAGE; from AutoCAD 2007 (AC1021) on they are UTF-8.
# Guess: a writer that puts ANSI_1252 into the head encodes its texts so, or escapes them.
# Seen with gdal3.js 2.8.1 (GDAL 3.8.4): the head says AC1018 and ANSI_1252, names of layers are UTF-8, and GDAL itself
# reads them as the head says, so that Fähre comes back as FÃ¤hre. There is no warning.
# In a drawing the layer is the only attribute of most features: use ASCII for names, or correct the code page.
#
# Needs node and npm. Packages go into a temporary folder. Exit status 0: seen as described.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund gdal3.js@2.8.1 > /dev/null
cat > read.mjs <<'JS'
import { readFileSync, writeFileSync } from 'node:fs';
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

const [name] = await write('ways', 'DXF', [feature({ Layer: 'Fähre' }), feature({ Layer: 'Weg' })]);
const lines = readFileSync(name, 'latin1').split(/\r?\n/);

for (const variable of ['$ACADVER', '$DWGCODEPAGE'])
	console.log(`${variable} ${lines[lines.indexOf(variable) + 2]}`);
console.log(`bytes ${Buffer.from(lines.find(line => /^F.*hre$/.test(line)), 'latin1').toString('hex')}`);
console.log(`read ${JSON.stringify((await read(name)).map(({ Layer }) => Layer))}`);
process.exit(0);
JS
node read.mjs > seen
cat seen
cat > described <<'TEXT'
$ACADVER AC1018
$DWGCODEPAGE ANSI_1252
bytes 46c3a4687265
read ["FÃ¤hre","Weg"]
TEXT
diff described seen
