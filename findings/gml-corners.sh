#!/bin/sh
# GML: without the schema beside it a feature gets two columns more, the corners of its box.
#
# Source: OGC GML 3.2.1 (07-036), 9.4.1: boundedBy is a property that any feature may have; it tells where it is, and
# Envelope has lowerCorner and upperCorner.
# Guess: a reader takes boundedBy as the extent, and reads the same columns with the schema or without it.
# Seen with gdal3.js 2.8.1 (GDAL 3.8.4): its own GML with its .xsd has the columns that were written. Without the .xsd
# there are lowerCorner and upperCorner, as texts "latitude longitude", before them.
# A .gml that goes by itself, as a download mostly does, has other columns than on the machine that wrote it.
#
# Needs node and npm. Packages go into a temporary folder. Exit status 0: seen as described.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund gdal3.js@2.8.1 > /dev/null
cat > read.mjs <<'JS'
import { copyFileSync, writeFileSync } from 'node:fs';
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

await write('trees', 'GML', [feature({ name: 'a', height: 12 })]);
writeFileSync('trees.xsd', await gdal.getFileBytes('/output/trees.xsd'));
copyFileSync('trees.gml', 'alone.gml');
console.log(`.gml and .xsd ${JSON.stringify(await read('trees.gml', 'trees.xsd'))}`);
console.log(`.gml alone ${JSON.stringify(await read('alone.gml'))}`);
process.exit(0);
JS
node read.mjs > seen
cat seen
cat > described <<'TEXT'
.gml and .xsd [{"gml_id":"trees.0","name":"a","height":12}]
.gml alone [{"gml_id":"trees.0","lowerCorner":"52.5 13.4","upperCorner":"52.5 13.4","name":"a","height":12}]
TEXT
diff described seen
