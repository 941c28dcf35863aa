#!/bin/sh
# WKT: an empty point among others becomes a place where no data are, at 0 0.
#
# Source: OGC Simple Feature Access part 1 (06-103r4), section 7.2.2: each point of a MULTIPOINT may be EMPTY. RFC 7946,
# section 3.1: GeoJSON processors may interpret an empty array of coordinates as null.
# Guess: the empty point is left out, or the text is refused.
# Seen with jsts 2.12.1 (npm): it is read as 0 0, by which the extent reaches to the Gulf of Guinea, and is written so as
# GeoJSON and as WKT. Nothing fails.
# Databases make such geometries where they collect rows of which some have no place. Leave out empty members first.
#
# Needs node and npm. Packages go into a temporary folder. Exit status 0: seen as described.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund jsts@2.12.1 > /dev/null
cat > read.mjs <<'JS'
import GeoJSONWriter from 'jsts/org/locationtech/jts/io/GeoJSONWriter.js';
import WKTReader from 'jsts/org/locationtech/jts/io/WKTReader.js';
import WKTWriter from 'jsts/org/locationtech/jts/io/WKTWriter.js';

for (const text of ['MULTIPOINT ((13.4 52.5), (2.35 48.9))', 'MULTIPOINT ((13.4 52.5), EMPTY)']) {
	const geometry = new WKTReader().read(text);
	const extent = geometry.getEnvelopeInternal();

	console.log(`${text}: ${JSON.stringify(new GeoJSONWriter().write(geometry).coordinates)}; `
		+ `${geometry.getNumPoints()} points; ${extent.toString()}; ${new WKTWriter().write(geometry)}`);
}
JS
node read.mjs > seen
cat seen
cat > described <<'TEXT'
MULTIPOINT ((13.4 52.5), (2.35 48.9)): [[13.4,52.5],[2.35,48.9]]; 2 points; Env[2.35 : 13.4, 48.9 : 52.5]; MULTIPOINT ((13.4 52.5), (2.35 48.9))
MULTIPOINT ((13.4 52.5), EMPTY): [[13.4,52.5],[0,0]]; 2 points; Env[0 : 13.4, 0 : 52.5]; MULTIPOINT ((13.4 52.5), (0 0))
TEXT
diff described seen
