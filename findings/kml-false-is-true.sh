#!/bin/sh
# KML: a typed value false becomes true, and 0 too.
#
# Source: OGC KML 2.2 (07-147r2), element SimpleField: type="bool" is one of its types, and XML Schema part 2, section
# 3.2.2, has four texts for a boolean: true, 1, false and 0.
# Guess: a reader makes true and false of them, or leaves texts.
# Seen with @tmcw/togeojson 7.1.3: any text of a bool is true; only an empty one is false. Without the element Schema
# the same values stay texts. Numbers of the type int are right.
# A column of yes and no is all "yes" on the map, while what reads only the table shows both.
#
# Needs node and npm. Packages go into a temporary folder. Exit status 0: seen as described.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund @tmcw/togeojson@7.1.3 @xmldom/xmldom@0.9.12 > /dev/null
cat > read.mjs <<'JS'
import { kml } from '@tmcw/togeojson';
import { DOMParser } from '@xmldom/xmldom';

const texts = ['true', '1', 'false', '0', ''];
const schema = `<Schema id="well" name="well"><SimpleField name="open" type="bool"/>
	<SimpleField name="depth" type="int"/></Schema>`;

function placemark(text) {
	return `<Placemark><ExtendedData><SchemaData schemaUrl="#well"><SimpleData name="open">${text}</SimpleData>
		<SimpleData name="depth">012</SimpleData></SchemaData></ExtendedData>
		<Point><coordinates>13.4,52.5</coordinates></Point></Placemark>`;
}

function read(types) {
	const text = `<?xml version="1.0" encoding="UTF-8"?><kml xmlns="http://www.opengis.net/kml/2.2"><Document>
		${types}${texts.map(placemark).join('')}</Document></kml>`;

	return kml(new DOMParser().parseFromString(text, 'text/xml')).features.map(feature => feature.properties);
}

const typed = read(schema);
const plain = read('');

texts.forEach((text, index) => {
	console.log(`"${text}" typed ${JSON.stringify(typed[index])} plain ${JSON.stringify(plain[index])}`);
});
JS
node read.mjs > seen
cat seen
cat > described <<'TEXT'
"true" typed {"open":true,"depth":12} plain {"open":"true","depth":"012"}
"1" typed {"open":true,"depth":12} plain {"open":"1","depth":"012"}
"false" typed {"open":true,"depth":12} plain {"open":"false","depth":"012"}
"0" typed {"open":true,"depth":12} plain {"open":"0","depth":"012"}
"" typed {"open":false,"depth":12} plain {"open":"","depth":"012"}
TEXT
diff described seen
