#!/bin/sh
# PROJ: asked for the ways from a system to WGS 84, it names one that moves nothing, unless it is told where.
#
# Source: PROJ, C API: proj_create_operations returns the operations from one system to another, sorted by relevance;
# by default their areas must contain the area of interest. proj_coordoperation_get_accuracy returns metres, or -1 if
# the accuracy is not known.
# Guess: without an area of interest the list has all operations, and a mere projection is exact.
# Seen with proj-wasm 0.1.0-alpha9 (PROJ 9.8.1): without an area, only operations that are for the whole area of both
# systems are listed. ED50, NAD27, OSGB36 and SAD69 have none, and the list is a single ballpark offset, which leaves
# the coordinates as they are: in Madrid 170 m off. There is no error. With an area of Madrid, or the criterion that
# areas need to meet only, operations of 1.5 to 10 m are there. The accuracy of the offset is -1, and so is that of a
# mere projection, which is exact; only proj_coordoperation_has_ballpark_transformation tells them apart.
# Set the area of interest, and refuse an operation by that function, not by its accuracy.
#
# Needs node and npm. Packages go into a temporary folder. Exit status 0: seen as described.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund proj-wasm@0.1.0-alpha9 > /dev/null
cat > read.mjs <<'JS'
import * as proj from 'proj-wasm';

await proj.init();
const context = await proj.contextCreate({ network: false });
const systems = { ED50: [4230, 40.4168, -3.7038], NAD27: [4267, 40, -100], OSGB36: [4277, 52.5, -1.5],
	SAD69: [4618, -15, -50] };
const available = proj.PROJ_GRID_AVAILABILITY_DISCARD_OPERATION_IF_MISSING_GRID;

// By how many metres an operation between geographic systems moves a place.
async function moved(operation, latitude, longitude) {
	const place = await proj.coordArray(1);

	await proj.setCoords(place, [[latitude, longitude, 0, 0]]);
	await proj.projTransArray({ p: operation, direction: 1, n: 1, coord: place });
	const [north, east] = await proj.getCoords(place, 0);

	return Math.hypot(north - latitude, (east - longitude) * Math.cos(latitude * Math.PI / 180)) * 111320;
}

async function show(title, from, to, place, { area, criterion } = {}) {
	const factory = { context, factory_ctx: await proj.projCreateOperationFactoryContext({ context, authority: null }) };

	await proj.projOperationFactoryContextSetGridAvailabilityUse({ ...factory, use: available });
	if (criterion !== undefined)
		await proj.projOperationFactoryContextSetSpatialCriterion({ ...factory, criterion });
	if (area)
		await proj.projOperationFactoryContextSetAreaOfInterest({ ...factory, west_lon_degree: area[0],
			south_lat_degree: area[1], east_lon_degree: area[2], north_lat_degree: area[3] });
	const [source_crs, target_crs] = await Promise.all([from, to].map(definition =>
		proj.projCreate({ context, definition })));
	const result = await proj.projCreateOperations({ context, source_crs, target_crs,
		operationContext: factory.factory_ctx });
	const obj = await proj.projListGet({ context, result, index: 0 });
	const ballpark = await proj.projCoordoperationHasBallparkTransformation({ context, coordoperation: obj });

	console.log(`${title}: ${await proj.projListGetCount({ result })}, first ${await proj.projGetName({ obj })}`);
	console.log(`  accuracy ${await proj.projCoordoperationGetAccuracy({ context, obj })}, ballpark ${ballpark}${
		place ? `, moves ${Math.round(await moved(obj, ...place))} m` : ''}`);
}

for (const [name, [code, ...place]] of Object.entries(systems))
	await show(name, `EPSG:${code}`, 'EPSG:4326', place);
const [code, ...place] = systems.ED50;
await show('ED50 in Madrid', `EPSG:${code}`, 'EPSG:4326', place, { area: [-4, 40, -3, 41] });
await show('ED50, areas that meet', `EPSG:${code}`, 'EPSG:4326', place,
	{ criterion: proj.PROJ_SPATIAL_CRITERION_PARTIAL_INTERSECTION });
await show('UTM', 'EPSG:4326', 'EPSG:32630');
process.exit(0);
JS
node read.mjs > seen
cat seen
cat > described <<'TEXT'
ED50: 1, first Ballpark geographic offset from ED50 to WGS 84
  accuracy -1, ballpark 1, moves 0 m
NAD27: 1, first Ballpark geographic offset from NAD27 to WGS 84
  accuracy -1, ballpark 1, moves 0 m
OSGB36: 1, first Ballpark geographic offset from OSGB36 to WGS 84
  accuracy -1, ballpark 1, moves 0 m
SAD69: 1, first Ballpark geographic offset from SAD69 to WGS 84
  accuracy -1, ballpark 1, moves 0 m
ED50 in Madrid: 3, first ED50 to WGS 84 (28)
  accuracy 1.5, ballpark 0, moves 172 m
ED50, areas that meet: 35, first ED50 to WGS 84 (1)
  accuracy 10, ballpark 0, moves 166 m
UTM: 1, first UTM zone 30N
  accuracy -1, ballpark 0
TEXT
diff described seen
