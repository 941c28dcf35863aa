#!/bin/sh
# Shapefile from GeoJSON: all lines become one record, and areas with one part give way to those with several.
#
# Source: RFC 7946, section 3.3: each feature has its properties and its geometry, and a collection may mix their kinds.
# ESRI Shapefile Technical Description (1998): one record of the .dbf for each shape; PolyLine and Polygon hold one part
# or several, so that single and multiple ones fit into one file.
# Guess: each feature is a record, in one file for points, one for lines and one for polygons.
# Seen with @mapbox/shp-write 0.4.3: the lines of all features are parts of one shape, beside a table that has their
# rows; readers join it with the first row, and the other rows are gone. A file of single geometries is overwritten by
# that of multiple ones, in either order of the features. Several points, and several polygons of one kind, are right.
# There is no error. Count the shapes, not the rows of the .dbf, and make all geometries of a layer multiple ones.
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

const line = [[0, 0], [1, 1]];
const ring = [[0, 0], [0, 2], [2, 2], [0, 0]];

function feature(name, type, coordinates) {
	return { type: 'Feature', properties: { name }, geometry: { type, coordinates } };
}

function rows(features) {
	return features.map(({ properties, geometry }) => `${properties.name} ${geometry.type}`).join(', ');
}

async function show(title, ...features) {
	const archive = await shpwrite.zip({ type: 'FeatureCollection', features },
		{ outputType: 'nodebuffer', compression: 'STORE' });
	const { files } = await JSZip.loadAsync(archive);
	const [shapes, table] = await Promise.all(['shp', 'dbf'].map(ending =>
		Object.values(files).find(file => file.name.endsWith(ending)).async('nodebuffer')));

	console.log(title);
	console.log(`  rows of the .dbf ${table.readUInt32LE(4)}`);
	console.log(`  shapefile ${rows((await read(shapes, table)).features)}`);
	console.log(`  shpjs ${rows((await shpjs(archive)).features)}`);
}

await show('points', feature('a', 'Point', [1, 2]), feature('b', 'Point', [3, 4]));
await show('lines', feature('a', 'LineString', line), feature('b', 'LineString', line),
	feature('c', 'LineString', line));
await show('polygons', feature('a', 'Polygon', [ring]), feature('b', 'Polygon', [ring]));
await show('one part, then two', feature('a', 'Polygon', [ring]), feature('b', 'MultiPolygon', [[ring], [ring]]));
await show('two parts, then one', feature('b', 'MultiPolygon', [[ring], [ring]]), feature('a', 'Polygon', [ring]));
JS
node read.mjs > seen
cat seen
cat > described <<'TEXT'
points
  rows of the .dbf 2
  shapefile a Point, b Point
  shpjs a Point, b Point
lines
  rows of the .dbf 3
  shapefile a MultiLineString
  shpjs a MultiLineString
polygons
  rows of the .dbf 2
  shapefile a Polygon, b Polygon
  shpjs a Polygon, b Polygon
one part, then two
  rows of the .dbf 1
  shapefile b MultiPolygon
  shpjs b MultiPolygon
two parts, then one
  rows of the .dbf 1
  shapefile b MultiPolygon
  shpjs b MultiPolygon
TEXT
diff described seen
