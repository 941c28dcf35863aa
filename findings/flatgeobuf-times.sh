#!/bin/sh
# FlatGeobuf: what GDAL has written well, it reads with other times: the time of day is lost, and so is the offset.
#
# Source: FlatGeobuf, header.fbs: of times there is the type DateTime only, as ISO 8601. ISO 8601: an offset is a part
# of the time.
# Guess: dates and times become texts or date-times, with a warning, and what is written is read as it was.
# Seen with gdal3.js 2.8.1 (GDAL 3.8.4): a date gets midnight. A time of day is "0000-00-00T10:00:00" in the file and
# 1970-01-01T00:00:00 when it is read. The offset is in the file and dropped when it is read, so that 10:00 of two zones
# are the same. There is no warning, since the driver says that it has these types.
# Seen with flatgeobuf 4.5.0: it reads the texts of the file.
# Opening hours are the same for all: write times of day as texts (-mapFieldType Time=String), and date-times in UTC.
#
# Needs node and npm. Packages go into a temporary folder. Exit status 0: seen as described.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund gdal3.js@2.8.1 flatgeobuf@4.5.0 > /dev/null
cat > read.mjs <<'JS'
import { deserialize } from 'flatgeobuf/lib/mjs/geojson.js';
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

async function other(name) {
	const found = deserialize(new Uint8Array(readFileSync(name)));
	const list = [];

	for await (const { properties } of found.features ?? found)
		list.push(properties);
	return list;
}

const [name] = await write('shops', 'FlatGeobuf', [
	feature({ founded: '1936-05-23', opens: '10:00:00', seen: '2024-05-31T10:00:00+02:00' })]);
console.log(`flatgeobuf ${JSON.stringify(await other(name))}`);
console.log(`GDAL ${JSON.stringify(await read(name))}`);
process.exit(0);
JS
node read.mjs > seen
cat seen
cat > described <<'TEXT'
flatgeobuf [{"founded":"1936-05-23T00:00:00","opens":"0000-00-00T10:00:00","seen":"2024-05-31T10:00:00+02:00"}]
GDAL [{"founded":"1936-05-23T00:00:00","opens":"1970-01-01T00:00:00","seen":"2024-05-31T10:00:00"}]
TEXT
diff described seen
