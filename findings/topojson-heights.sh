#!/bin/sh
# TopoJSON: quantization drops heights, and neighbours that touch get the heights of the first.
#
# Source: RFC 7946, section 3.1.1: a position may have a height. TopoJSON 1, section 2.1.1: a position has two elements
# or more, quantized or not.
# Guess: going to TopoJSON and back changes coordinates by a rounding only.
# Seen with topojson-server 3.0.1 and topojson-client 3.1.0: without quantization a line keeps its heights. Two polygons
# with a common border, one at the height 1 and one at 9, come back with 1 on the border of both: positions are compared
# by x and y alone. With quantization, which most maps use, nothing has a height.
# A building beside a garden loses its wall. Nothing warns; keep the original as what is downloaded.
#
# Needs node and npm. Packages go into a temporary folder. Exit status 0: seen as described.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund topojson-server@3.0.1 topojson-client@3.1.0 > /dev/null
cat > read.mjs <<'JS'
import { feature } from 'topojson-client';
import { topology } from 'topojson-server';

const shapes = {
	line: { type: 'LineString', coordinates: [[0, 0, 5], [4, 4, 6]] },
	point: { type: 'Point', coordinates: [2, 2, 7] },
	squares: { type: 'GeometryCollection', geometries: [square(0, 1), square(2, 9)] },
};

// A square of the width 2 that begins at x, all of it at one height.
function square(x, height) {
	const corners = [[x, 0], [x + 2, 0], [x + 2, 2], [x, 2], [x, 0]];

	return { type: 'Polygon', coordinates: [corners.map(corner => [...corner, height])] };
}

function back(geometry, quantization) {
	const packed = topology({ shape: geometry }, quantization);
	const result = feature(packed, packed.objects.shape);

	return (result.features ?? [result]).map(next => JSON.stringify(next.geometry.coordinates)).join(' and ');
}

for (const [name, geometry] of Object.entries(shapes)) {
	console.log(`${name} plain ${back(geometry)}`);
	console.log(`${name} quantized ${back(geometry, 5)}`);
}
JS
node read.mjs > seen
cat seen
cat > described <<'TEXT'
line plain [[0,0,5],[4,4,6]]
line quantized [[0,0],[4,4]]
point plain [2,2,7]
point quantized [2,2]
squares plain [[[2,0,1],[2,2,1],[0,2,1],[0,0,1],[2,0,1]]] and [[[2,0,9],[4,0,9],[4,2,9],[2,2,1],[2,0,1]]]
squares quantized [[[2,0],[2,2],[0,2],[0,0],[2,0]]] and [[[2,0],[4,0],[4,2],[2,2],[2,0]]]
TEXT
diff described seen
