#!/bin/sh
# French maps in grads land 580 km too far north, and by the newer text of the same system 20 km too far east.
#
# Source: OGC 01-009 (WKT 1), section 7: UNIT inside GEOGCS is the unit of its coordinates and of the angles of a
# projection. OGC 12-063 (WKT 2): each angle has its ANGLEUNIT. A grad is 0.9 degrees. NTF (Paris) and the Lambert zones
# (EPSG:4807, 27572) are defined in grads, counted from Paris.
# Guess: a library that reads UNIT["Grad", ...] uses it, or says that it does not know it.
# Seen with proj4 2.22.0: the factor is stored and not used. In WKT 1, 52 grads of latitude are 52 degrees instead of
# 46.8, for coordinates as well as for the origin of a projection. In WKT 2 the origin is right, but the meridian of
# Paris, 2.5969213 grads, is 2.5969 degrees instead of 2.3372. There is no error.
# Seen with shpjs 6.2.0, which gives the .prj to it: the middle of France is in the North Sea.
# Farther south the wrong place is on land and looks likely: test a point that is known, or write the .prj in degrees.
#
# Needs node and npm. Packages go into a temporary folder. Exit status 0: seen as described.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund proj4@2.22.0 wkt-parser@1.5.6 shpjs@6.2.0 > /dev/null
cat > read.mjs <<'JS'
import proj4 from 'proj4';
import shpjs from 'shpjs';

const degree = ['Degree', 0.0174532925199433];
const grad = ['Grad', 0.01570796326794897];
const metre = 'LENGTHUNIT["metre",1]';
const grads = 'ANGLEUNIT["grad",0.01570796326794897]';
const origin = [600000, 2200000]; // of Lambert zone II: 46.8 north, on the meridian of Paris, 2.3372 east

function geographic([unit, factor], paris) {
	return `GEOGCS["GCS_NTF_Paris",DATUM["D_NTF",SPHEROID["Clarke_1880_IGN",6378249.2,293.4660212936265]],
		PRIMEM["Paris",${paris}],UNIT["${unit}",${factor}]]`;
}

function lambert(unit, paris, latitude) {
	return `PROJCS["NTF_Paris_Lambert_Zone_II",${geographic(unit, paris)},PROJECTION["Lambert_Conformal_Conic"],
		PARAMETER["False_Easting",600000],PARAMETER["False_Northing",2200000],PARAMETER["Central_Meridian",0],
		PARAMETER["Standard_Parallel_1",${latitude}],PARAMETER["Scale_Factor",0.99987742],
		PARAMETER["Latitude_Of_Origin",${latitude}],UNIT["Meter",1]]`;
}

const second = `PROJCRS["NTF (Paris) / Lambert zone II",BASEGEOGCRS["NTF (Paris)",
	DATUM["Nouvelle Triangulation Francaise (Paris)",
		ELLIPSOID["Clarke 1880 (IGN)",6378249.2,293.466021293627,${metre}]],
	PRIMEM["Paris",2.5969213,${grads}]],
	CONVERSION["Lambert zone II",METHOD["Lambert Conic Conformal (1SP)"],
		PARAMETER["Latitude of natural origin",52,${grads}],PARAMETER["Longitude of natural origin",0,${grads}],
		PARAMETER["Scale factor at natural origin",0.99987742,SCALEUNIT["unity",1]],
		PARAMETER["False easting",600000,${metre}],PARAMETER["False northing",2200000,${metre}]],
	CS[Cartesian,2],AXIS["easting (X)",east,ORDER[1],${metre}],AXIS["northing (Y)",north,ORDER[2],${metre}]]`;

// A shapefile of one point.
function shape([x, y]) {
	const bytes = Buffer.alloc(128);

	bytes.writeInt32BE(9994, 0);
	bytes.writeInt32BE(64, 24);
	bytes.writeInt32LE(1000, 28);
	bytes.writeInt32LE(1, 32);
	[x, y, x, y].forEach((value, index) => bytes.writeDoubleLE(value, 36 + 8 * index));
	bytes.writeInt32BE(1, 100);
	bytes.writeInt32BE(10, 104);
	bytes.writeInt32LE(1, 108);
	bytes.writeDoubleLE(x, 112);
	bytes.writeDoubleLE(y, 120);
	return bytes;
}

function show(name, coordinates) {
	console.log(`${name} ${coordinates.map(value => value.toFixed(4))}`);
}

async function file(point, prj) {
	const [geometry] = [await shpjs({ shp: shape(point), prj })].flat();

	return (geometry.features?.[0].geometry ?? geometry).coordinates;
}

show('coordinates in degrees', proj4(geographic(degree, 2.33722917), 'EPSG:4326', [0, 46.8]));
show('coordinates in grads', proj4(geographic(grad, 2.5969213), 'EPSG:4326', [0, 52]));
show('projection in degrees', proj4(lambert(degree, 2.33722917, 46.8), 'EPSG:4326', origin));
show('projection in grads', proj4(lambert(grad, 2.5969213, 52), 'EPSG:4326', origin));
show('projection in grads, WKT 2', proj4(second, 'EPSG:4326', origin));
show('shapefile in degrees', await file(origin, lambert(degree, 2.33722917, 46.8)));
show('shapefile in grads', await file(origin, lambert(grad, 2.5969213, 52)));
JS
node read.mjs > seen
cat seen
cat > described <<'TEXT'
coordinates in degrees 2.3372,46.8000
coordinates in grads 2.5969,52.0000
projection in degrees 2.3372,46.8000
projection in grads 2.5969,52.0000
projection in grads, WKT 2 2.5969,46.8000
shapefile in degrees 2.3372,46.8000
shapefile in grads 2.5969,52.0000
TEXT
diff described seen
