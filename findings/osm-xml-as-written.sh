#!/bin/sh
# OpenStreetMap by XML: names keep their escapes, and a way loses every other node if nodes have end tags.
#
# Source: XML 1.0, section 4.4 (references are replaced in attribute values), section 3.1 (an empty element may be
# written with a start and an end tag) and section 2.3 (">" may stand in an attribute value).
# Guess: the same object by XML and by JSON gives the same feature.
# Seen with osm2geojson-lite 1.2.0: the name "a & b", which XML has to write with &amp;, keeps that in the feature; by
# JSON it does not. A name with ">" written plainly is gone. Of nodes written as <node ...></node> only every other one
# is read, so the area of a building becomes a line that goes there and back. Nothing fails.
# Each name with an ampersand or a quotation mark is changed so: take the JSON form.
#
# Needs node and npm. Packages go into a temporary folder. Exit status 0: seen as described.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund osm2geojson-lite@1.2.0 > /dev/null
cat > read.cjs <<'JS'
const library = require('osm2geojson-lite');

const read = library.default ?? library;
const corners = [[0, 0], [0, 1], [1, 1]];
const names = ['Fish &amp; Chips', 'The &quot;Anchor&quot;', 'A > B', 'A &gt; B'];
const written = ['Fish & Chips', 'The "Anchor"', 'A > B', 'A > B'];

function document(elements) {
	return `<?xml version="1.0" encoding="UTF-8"?><osm version="0.6" generator="example">${elements}</osm>`;
}

function byXml(name) {
	return read(document(`<node id="1" lat="52.5" lon="13.4"><tag k="name" v="${name}"/></node>`));
}

function byJson(name) {
	return read({ version: 0.6, elements: [{ type: 'node', id: 1, lat: 52.5, lon: 13.4, tags: { name } }] });
}

function building(end) {
	const nodes = corners.map(([lat, lon], index) => `<node id="${index + 1}" lat="${lat}" lon="${lon}"${end}`);

	return read(document(`${nodes.join('')}<way id="9"><nd ref="1"/><nd ref="2"/><nd ref="3"/><nd ref="1"/>
		<tag k="building" v="yes"/></way>`));
}

function show(title, collection) {
	for (const { geometry, properties } of collection.features)
		console.log(`${title}: ${properties.name ?? '-'}, ${geometry.type} ${JSON.stringify(geometry.coordinates)}`);
}

names.forEach((name, index) => {
	show(`XML ${name}`, byXml(name));
	show(`JSON ${written[index]}`, byJson(written[index]));
});
show('nodes as empty elements', building('/>'));
show('nodes with end tags', building('></node>'));
JS
node read.cjs > seen
cat seen
cat > described <<'TEXT'
XML Fish &amp; Chips: Fish &amp; Chips, Point [13.4,52.5]
JSON Fish & Chips: Fish & Chips, Point [13.4,52.5]
XML The &quot;Anchor&quot;: The &quot;Anchor&quot;, Point [13.4,52.5]
JSON The "Anchor": The "Anchor", Point [13.4,52.5]
XML A > B: -, Point [13.4,52.5]
JSON A > B: A > B, Point [13.4,52.5]
XML A &gt; B: A &gt; B, Point [13.4,52.5]
JSON A > B: A > B, Point [13.4,52.5]
nodes as empty elements: -, Polygon [[[0,0],[1,0],[1,1],[0,0]]]
nodes with end tags: -, LineString [[0,0],[1,1],[0,0]]
TEXT
diff described seen
