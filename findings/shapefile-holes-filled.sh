#!/bin/sh
# Shapefile: a hole that is written from right GeoJSON is filled by one reader, and is a hole in another.
#
# Source: RFC 7946, section 3.1.6: outer rings are counterclockwise, holes clockwise. ESRI Shapefile Technical
# Description (1998), Polygon: the other way round, and only the direction tells what is a hole.
# Guess: the writer turns the rings.
# Seen with @mapbox/shp-write 0.4.3: rings are written as they come, so each has the wrong direction.
# Seen with shapefile 0.6.6: the hole is an area, and the outer ring, a hole of none, is an area too, over it.
# Seen with shpjs 6.2.0: it looks which ring is inside, and has the hole, whatever the directions are.
# A polygon whose rings are as RFC 7946 forbids goes through both readers. A lake is counted as land, twice, and a map
# of one colour shows it only by its outline: turn the rings before you write.
#
# Needs node and npm. Packages go into a temporary folder. Exit status 0: seen as described.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund @mapbox/shp-write@0.4.3 shapefile@0.6.6 shpjs@6.2.0 jszip@3.10.1 > /dev/null
cat > read.mjs <<'JS'
import shpwrite from '@mapbox/shp-write';
import JSZip from 'jszip';
import { read } from 'shapefile';
import shpjs from 'shpjs';

const outer = [[0, 0], [4, 0], [4, 4], [0, 4], [0, 0]]; // counterclockwise
const hole = [[1, 1], [1, 2], [2, 2], [2, 1], [1, 1]]; // clockwise

// The area of a ring, without a sign.
function area(ring) {
	return Math.abs(ring.slice(1).reduce((sum, [x, y], index) => sum + ring[index][0] * y - x * ring[index][1], 0)) / 2;
}

function shown({ features: [{ geometry }] }) {
	const polygons = geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates;

	return `${geometry.type} ${polygons.map(rings => rings.map(ring => Math.round(area(ring))).join(' without '))}`;
}

async function show(title, coordinates) {
	const feature = { type: 'Feature', properties: { name: 'park' }, geometry: { type: 'Polygon', coordinates } };
	const archive = await shpwrite.zip({ type: 'FeatureCollection', features: [feature] },
		{ outputType: 'nodebuffer', compression: 'STORE' });
	const { files } = await JSZip.loadAsync(archive);
	const parts = ['shp', 'dbf'].map(ending => files[`POLYGON.${ending}`].async('nodebuffer'));

	console.log(title);
	console.log(`  shapefile ${shown(await read(...await Promise.all(parts)))}`);
	console.log(`  shpjs ${shown(await shpjs(archive))}`);
}

await show('as RFC 7946 has it', [outer, hole]);
await show('the other way round', [outer, hole].map(ring => [...ring].reverse()));
JS
node read.mjs > seen
cat seen
cat > described <<'TEXT'
as RFC 7946 has it
  shapefile MultiPolygon 1,16
  shpjs Polygon 16 without 1
the other way round
  shapefile Polygon 16 without 1
  shpjs Polygon 16 without 1
TEXT
diff described seen
