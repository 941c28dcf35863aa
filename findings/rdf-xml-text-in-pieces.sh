#!/bin/sh
# A streaming reader of RDF/XML keeps only the last piece of a text that a comment or a CDATA section divides.
#
# Source: RDF 1.1 XML Syntax, sections "Text Event" and "Information Set Mapping": a literal is made of all characters
# of the element, and comments and processing instructions are ignored. XML 1.0, section 2.7: a CDATA section is text.
# Guess: "5 mm <!-- of --> rain" is read as one literal, and CDATA is only another way to escape "<".
# Seen with rdfxml-streaming-parser 3.3.0: each piece replaces the piece before it. What stands before the last comment,
# processing instruction or end of a CDATA section is lost, without an error. White space is a piece too: a CDATA
# section on a line of its own is read as a line feed. Inside rdf:parseType="Literal" the same pieces are joined, and
# the escaping of "<" is lost: text becomes an element.
# A harvest of DCAT stores descriptions blank or cut if their HTML stands in CDATA sections on lines of their own.
#
# Needs node and npm. Packages go into a temporary folder. Exit status 0: seen as described.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund rdfxml-streaming-parser@3.3.0 > /dev/null
cat > read.js <<'JS'
const { RdfXmlParser } = require('rdfxml-streaming-parser');

const syntax = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';
const texts = [
	'5 mm of rain',
	'<![CDATA[5 mm < 6 mm]]>',
	'5 mm &lt; 6 mm',
	'5 mm <!-- of --> rain',
	'5 mm <?page break?>rain',
	'daily <![CDATA[<b>rain</b>]]> in mm',
	'\n<![CDATA[<b>rain</b>]]>\n',
];

function read(property) {
	return new Promise((resolve, reject) => {
		const parser = new RdfXmlParser();
		let value;

		parser.on('data', quad => { value = quad.object.value; });
		parser.on('error', reject);
		parser.on('end', () => resolve(value));
		parser.end(`<rdf:RDF xmlns:rdf="${syntax}" xmlns:dct="http://purl.org/dc/terms/">
			<rdf:Description rdf:about="http://example.org/rain">${property}</rdf:Description></rdf:RDF>`);
	});
}

async function main() {
	for (const text of texts) {
		const plain = await read(`<dct:description>${text}</dct:description>`);
		const literal = await read(`<dct:description rdf:parseType="Literal">${text}</dct:description>`);

		console.log(`${JSON.stringify(text)} plain ${JSON.stringify(plain)} literal ${JSON.stringify(literal)}`);
	}
}
main();
JS
node read.js > seen
cat seen
cat > described <<'TEXT'
"5 mm of rain" plain "5 mm of rain" literal "5 mm of rain"
"<![CDATA[5 mm < 6 mm]]>" plain "5 mm < 6 mm" literal "5 mm < 6 mm"
"5 mm &lt; 6 mm" plain "5 mm < 6 mm" literal "5 mm < 6 mm"
"5 mm <!-- of --> rain" plain " rain" literal "5 mm  rain"
"5 mm <?page break?>rain" plain "rain" literal "5 mm rain"
"daily <![CDATA[<b>rain</b>]]> in mm" plain " in mm" literal "daily <b>rain</b> in mm"
"\n<![CDATA[<b>rain</b>]]>\n" plain "\n" literal "\n<b>rain</b>\n"
TEXT
diff described seen
