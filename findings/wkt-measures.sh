#!/bin/sh
# WKT: a measure becomes a height in one reader, is lost in another, and leaves an empty geometry in a third.
#
# Source: OGC Simple Feature Access part 1 (06-103r4), section 7.2: M after the type is a measure, ZM a height and a
# measure. RFC 7946, section 3.1.1: the third element of a position is a height; more should not be there.
# Guess: a reader to GeoJSON drops the measure, or refuses the text.
# Seen with wkx 0.5.0: dropped.
# Seen with @terraformer/wkt 2.2.2: a measure is the third element, so kilometres of a road become metres of height;
# what is written back from the coordinates is Z.
# Seen with wellknown 0.5.0: points and lines are null, but multiple lines and polygons are geometries without parts.
# Roads and gauges carry measures: look for the letter M before a reader is chosen.
#
# Needs node and npm. Packages go into a temporary folder. Exit status 0: seen as described.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund wkx@0.5.0 @terraformer/wkt@2.2.2 wellknown@0.5.0 > /dev/null
cat > read.mjs <<'JS'
import { geojsonToWKT, wktToGeoJSON } from '@terraformer/wkt';
import parse from 'wellknown';
import wkx from 'wkx';

const texts = [
	'POINT Z (13.4 52.5 34)',
	'POINT M (13.4 52.5 1200)',
	'POINT ZM (13.4 52.5 34 1200)',
	'LINESTRING M (0 0 0, 1 1 1200)',
	'MULTILINESTRING M ((0 0 0, 1 1 1200))',
	'MULTIPOLYGON M (((0 0 1, 1 0 2, 1 1 3, 0 0 1)))',
];

function written(text) {
	const { type, coordinates } = wktToGeoJSON(text);

	return geojsonToWKT({ type, coordinates });
}

function shown(geometry) {
	return JSON.stringify(geometry && geometry.coordinates);
}

for (const text of texts) {
	console.log(text);
	console.log(`  wkx ${shown(wkx.Geometry.parse(text).toGeoJSON())}`);
	console.log(`  terraformer ${shown(wktToGeoJSON(text))}, back ${written(text)}`);
	console.log(`  wellknown ${shown(parse(text))}`);
}
JS
node read.mjs > seen
cat seen
cat > described <<'TEXT'
POINT Z (13.4 52.5 34)
  wkx [13.4,52.5,34]
  terraformer [13.4,52.5,34], back POINT Z (13.4 52.5 34)
  wellknown [13.4,52.5,34]
POINT M (13.4 52.5 1200)
  wkx [13.4,52.5]
  terraformer [13.4,52.5,1200], back POINT Z (13.4 52.5 1200)
  wellknown null
POINT ZM (13.4 52.5 34 1200)
  wkx [13.4,52.5,34]
  terraformer [13.4,52.5,34,1200], back POINT ZM (13.4 52.5 34 1200)
  wellknown null
LINESTRING M (0 0 0, 1 1 1200)
  wkx [[0,0],[1,1]]
  terraformer [[0,0,0],[1,1,1200]], back LINESTRING Z (0 0 0, 1 1 1200)
  wellknown null
MULTILINESTRING M ((0 0 0, 1 1 1200))
  wkx [[[0,0],[1,1]]]
  terraformer [[[0,0,0],[1,1,1200]]], back MULTILINESTRING Z ((0 0 0, 1 1 1200))
  wellknown []
MULTIPOLYGON M (((0 0 1, 1 0 2, 1 1 3, 0 0 1)))
  wkx [[[[0,0],[1,0],[1,1],[0,0]]]]
  terraformer [[[[0,0,1],[1,0,2],[1,1,3],[0,0,1]]]], back MULTIPOLYGON Z (((0 0 1, 1 0 2, 1 1 3, 0 0 1)))
  wellknown []
TEXT
diff described seen
