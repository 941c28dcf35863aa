#!/bin/sh
# Shapefile: of columns whose names begin alike one is left, and rows that lack the last of them lose what they have.
#
# Source: dBASE III tables, which Shapefiles use: a name of a column has at most ten bytes.
# Guess: names are cut and numbered, as GDAL does, or the writer refuses them.
# Seen with @mapbox/shp-write 0.4.3 (dbf 0.2.0): names are cut. There are as many columns as before, two or more of one
# name, and readers that make objects keep the last. A row without the last is null there, though it has the first.
# Seen with gdal3.js 2.8.1 (GDAL 3.8.4): population and populati_1, with a warning.
# Years stand at the end of names: population_2020 and population_2021 are both "population". Shorten them yourself.
#
# Needs node and npm. Packages go into a temporary folder. Exit status 0: seen as described.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund @mapbox/shp-write@0.4.3 shapefile@0.6.6 shpjs@6.2.0 jszip@3.10.1 \
	gdal3.js@2.8.1 > /dev/null
cat > read.mjs <<'JS'
import shpwrite from '@mapbox/shp-write';
import { writeFileSync } from 'node:fs';
import initGdal from 'gdal3.js/node.js';
import JSZip from 'jszip';
import { read } from 'shapefile';
import shpjs from 'shpjs';

const collection = { type: 'FeatureCollection', features: [
	feature({ population_2020: 100, population_2021: 120 }), feature({ population_2020: 200 })] };

function feature(properties) {
	return { type: 'Feature', properties, geometry: { type: 'Point', coordinates: [13.4, 52.5] } };
}

// The names of the columns in the head of a .dbf.
function names(table) {
	const found = [];

	for (let at = 32; table[at] !== 13; at += 32)
		found.push(table.toString('latin1', at, at + 11).replace(/\0.*/, ''));
	return found;
}

function show(name, { features }) {
	console.log(`  ${name} ${features.map(({ properties }) => JSON.stringify(properties)).join(' ')}`);
}

async function readers(title, shapes, table) {
	console.log(`${title} ${names(table)}`);
	show('shapefile', await read(shapes, table));
	show('shpjs', await shpjs({ shp: shapes, dbf: table }));
}

const archive = await shpwrite.zip(collection, { outputType: 'nodebuffer', compression: 'STORE' });
const { files } = await JSZip.loadAsync(archive);
const parts = ['shp', 'dbf'].map(ending => files[`POINT.${ending}`].async('nodebuffer'));
await readers('shp-write', ...await Promise.all(parts));

const gdal = await initGdal({ path: 'node_modules/gdal3.js/dist/package', useWorker: false, logHandler() {},
	errorHandler() {} });
writeFileSync('in.geojson', JSON.stringify(collection));
const { datasets: [dataset] } = await gdal.open('in.geojson');
const { all } = await gdal.ogr2ogr(dataset, ['-f', 'ESRI Shapefile']);
await readers('GDAL', ...await Promise.all(['shp', 'dbf'].map(async ending =>
	Buffer.from(await gdal.getFileBytes(all.find(({ local }) => local.endsWith(ending)).local)))));
JS
node read.mjs > seen
cat seen
cat > described <<'TEXT'
shp-write population,population
  shapefile {"population":120} {"population":null}
  shpjs {"population":120} {"population":null}
GDAL population,populati_1
  shapefile {"population":100,"populati_1":120} {"population":200,"populati_1":null}
  shpjs {"population":100,"populati_1":120} {"population":200,"populati_1":null}
TEXT
diff described seen
