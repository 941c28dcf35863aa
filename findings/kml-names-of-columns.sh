#!/bin/sh
# KML: a column whose name has an ampersand or a quotation mark makes a document that is no XML.
#
# Source: OGC KML 2.2 (07-147r2), 9.8 SimpleField and 9.4 SimpleData: the name of a column is an attribute; XML 1.0,
# 2.4: an ampersand and "<" are escaped in it.
# Guess: what writes KML escapes the names of columns as it does their values.
# Seen with gdal3.js 2.8.1 (GDAL 3.8.4), driver KML: values are escaped, names are not. The call succeeds without a
# message; the same driver, and a parser of XML, refuse what was written. GeoPackage keeps such names.
# "R&D", "Price <10" and "2\" pipes" are usual headings of tables. Replace the five signs in names before.
#
# Needs node and npm. Packages go into a temporary folder. Exit status 0: seen as described.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund gdal3.js@2.8.1 saxes@6.0.0 > /dev/null
cat > write.mjs <<'JS'
import { writeFileSync } from 'node:fs';
import initGdal from 'gdal3.js/node.js';
import { SaxesParser } from 'saxes';

const gdal = await initGdal({ path: 'node_modules/gdal3.js/dist/package', useWorker: false, logHandler() {},
	errorHandler() {} });

function isXml(text) {
	const parser = new SaxesParser();
	let valid = true;

	parser.on('error', () => { valid = false; });
	parser.write(text).close();
	return valid;
}

let number = 0;
for (const name of ['plain', 'R&D', 'Price <10', '2" pipes']) {
	const file = `in${++number}`;

	writeFileSync(`${file}.geojson`, JSON.stringify({ type: 'Feature', properties: { [name]: `value of ${name}` },
		geometry: { type: 'Point', coordinates: [13.4, 52.5] } }));
	const { datasets: [dataset] } = await gdal.open(`${file}.geojson`);
	const { local } = await gdal.ogr2ogr(dataset, ['-f', 'KML'], `out${number}`);
	const text = Buffer.from(await gdal.getFileBytes(local)).toString();
	const again = await gdal.open(local).then(({ errors }) => errors.length ? 'refused' : 'read', () => 'refused');

	console.log(`${name}: ${text.match(/<SimpleField.*?>/)?.[0]}`);
	console.log(`  ${text.match(/<SimpleData.*<\/SimpleData>/)?.[0]}`);
	console.log(`  a parser of XML: ${isXml(text) ? 'read' : 'refused'}, GDAL: ${again}`);
}
process.exit(0);
JS
node write.mjs > seen
cat seen
cat > described <<'TEXT'
plain: <SimpleField name="plain" type="string">
  <SimpleData name="plain">value of plain</SimpleData>
  a parser of XML: read, GDAL: read
R&D: <SimpleField name="R&D" type="string">
  <SimpleData name="R&D">value of R&amp;D</SimpleData>
  a parser of XML: refused, GDAL: refused
Price <10: <SimpleField name="Price <10" type="string">
  <SimpleData name="Price <10">value of Price &lt;10</SimpleData>
  a parser of XML: refused, GDAL: refused
2" pipes: <SimpleField name="2" pipes" type="string">
  <SimpleData name="2" pipes">value of 2&quot; pipes</SimpleData>
  a parser of XML: refused, GDAL: refused
TEXT
diff described seen
