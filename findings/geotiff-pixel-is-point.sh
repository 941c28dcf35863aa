#!/bin/sh
# GeoTIFF: where the raster is of points, one library puts it half a pixel away from where another one does.
#
# Source: OGC GeoTIFF 1.1, raster space, GTRasterTypeGeoKey: a tiepoint of a raster of points (RasterPixelIsPoint, 2) is
# at the centre of a pixel, one of a raster of areas (RasterPixelIsArea, 1) at its corner.
# Guess: a library that tells which of both a raster is (pixelIsArea()) uses it for the bounding box and the origin.
# Seen with geotiff 2.1.3: it tells that the raster is of points; its bounding box is that of a raster of areas.
# Seen with gdal3.js 2.8.1 (GDAL 3.8.4): the same bytes are half a pixel to the north-west.
# Models of heights are of points, of 30 metres or 90: a map in a browser and the bounding box that the catalogue made
# differ by 15 or 45 metres.
#
# Needs node and npm. Packages go into a temporary folder. Exit status 0: seen as described.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund geotiff@2.1.3 gdal3.js@2.8.1 > /dev/null
cat > read.mjs <<'JS'
import { fromArrayBuffer, writeArrayBuffer } from 'geotiff';
import initGdal from 'gdal3.js/node.js';
import { writeFileSync } from 'node:fs';

const gdal = await initGdal({ path: 'node_modules/gdal3.js/dist/package', useWorker: false, logHandler() {} });

// Two by two pixels of one degree; the tiepoint of the first is 10 east, 50 north.
for (const [name, type] of [['areas', 1], ['points', 2]]) {
	const bytes = writeArrayBuffer(new Uint8Array([1, 2, 3, 4]), {
		height: 2,
		width: 2,
		BitsPerSample: [8],
		SamplesPerPixel: 1,
		PhotometricInterpretation: 1,
		ModelPixelScale: [1, 1, 0],
		ModelTiepoint: [0, 0, 0, 10, 50, 0],
		GTModelTypeGeoKey: 2,
		GTRasterTypeGeoKey: type,
		GeographicTypeGeoKey: 4326,
	});
	const image = await (await fromArrayBuffer(bytes)).getImage();

	writeFileSync(`${name}.tif`, Buffer.from(bytes));
	const { datasets: [dataset] } = await gdal.open(`${name}.tif`);
	const { cornerCoordinates: { lowerLeft, upperRight } } = await gdal.gdalinfo(dataset);

	console.log(`${name}, geotiff: ${image.pixelIsArea()} ${image.getBoundingBox()}`);
	console.log(`${name}, GDAL: ${lowerLeft},${upperRight}`);
}
process.exit(0);
JS
node read.mjs > seen
cat seen
cat > described <<'TEXT'
areas, geotiff: true 10,48,12,50
areas, GDAL: 10,48,12,50
points, geotiff: false 10,48,12,50
points, GDAL: 9.5,48.5,11.5,50.5
TEXT
diff described seen
