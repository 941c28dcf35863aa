#!/bin/sh
# WKT: a number with an exponent loses it, so a place near the meridian or the equator moves by hundreds of kilometres.
#
# Source: OGC Simple Feature Access part 1 (06-103r4), section 7.2.1: a number may be an approximate numeric literal, a
# mantissa and an exponent. ECMAScript, Number::toString: below 0.000001 numbers are written with an exponent.
# Guess: what one reader of WKT writes another one reads, or refuses.
# Seen with wellknown 0.5.0, which writes 0.0000005 as 5e-7, and wicket 1.3.8 (both npm): wicket takes what stands
# before the letter, so Greenwich's 5e-7 degrees are 5 degrees, 350 km to the east; of two numbers with exponents the
# second one is the exponent of the first. So do points and lines; polygons are read rightly. Nothing fails. A plus sign
# before a number is a TypeError.
# wkx, @terraformer/wkt, ol and jsts read the exponent. Write coordinates with toFixed().
#
# Needs node and npm. Packages go into a temporary folder. Exit status 0: seen as described.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund wicket@1.3.8 wellknown@0.5.0 > /dev/null
cat > read.cjs <<'JS'
const wellknown = require('wellknown');
const { Wkt } = require('wicket');

function read(text) {
	const reader = new Wkt();

	try {
		reader.read(text);
		return JSON.stringify(reader.toJson().coordinates);
	} catch (error) {
		return error.constructor.name;
	}
}

function show(text) {
	console.log(`${text}: wellknown ${JSON.stringify(wellknown(text).coordinates)}, wicket ${read(text)}`);
}

const small = [0.0000005, 51.5];
const other = [13.4, 52.5];

show(wellknown.stringify({ type: 'Point', coordinates: small }));
show(wellknown.stringify({ type: 'LineString', coordinates: [small, other] }));
show(wellknown.stringify({ type: 'MultiPoint', coordinates: [small, other] }));
show(wellknown.stringify({ type: 'MultiLineString', coordinates: [[small, other]] }));
show(wellknown.stringify({ type: 'Polygon', coordinates: [[small, other, [0, 52], small]] }));
show('POINT (1.34E+1 5.25E+1)');
show('POINT (13.4 52.5)');
show('POINT (+13.4 52.5)');
JS
node read.cjs > seen
cat seen
cat > described <<'TEXT'
POINT (5e-7 51.5): wellknown [5e-7,51.5], wicket [5,51.5]
LINESTRING (5e-7 51.5, 13.4 52.5): wellknown [[5e-7,51.5],[13.4,52.5]], wicket [[5,51.5],[13.4,52.5]]
MULTIPOINT (5e-7 51.5, 13.4 52.5): wellknown [[5e-7,51.5],[13.4,52.5]], wicket [[5,51.5],[13.4,52.5]]
MULTILINESTRING ((5e-7 51.5, 13.4 52.5)): wellknown [[[5e-7,51.5],[13.4,52.5]]], wicket [[[5,51.5],[13.4,52.5]]]
POLYGON ((5e-7 51.5, 13.4 52.5, 0 52, 5e-7 51.5)): wellknown [[[5e-7,51.5],[13.4,52.5],[0,52],[5e-7,51.5]]], wicket [[[5e-7,51.5],[13.4,52.5],[0,52],[5e-7,51.5]]]
POINT (1.34E+1 5.25E+1): wellknown [13.4,52.5], wicket [1.34,1]
POINT (13.4 52.5): wellknown [13.4,52.5], wicket [13.4,52.5]
POINT (+13.4 52.5): wellknown [13.4,52.5], wicket TypeError
TEXT
diff described seen
