#!/bin/sh
# JSON-LD: 0.0000001 becomes the integer 0 in one processor, and a fraction typed xsd:decimal is invalid in both.
#
# Source: JSON-LD 1.1 Processing Algorithms and API, sections 8.2 (Object to RDF Conversion) and 8.6 (Data
# Round Tripping): a number with a non-zero fractional part is written as a canonical xsd:double is, whatever datatype
# the context gives. XML Schema 1.1 part 2, section 3.3.3: xsd:decimal has no exponent.
# Guess: 10.5 with "@type": "xsd:decimal" gives "10.5", and a small number is at worst a rounded double.
# Seen with jsonld 9.0.0: it looks for a point in the number as JavaScript writes it. 0.0000001 is written "1e-7", has
# none, and is taken for an integer: "0"^^xsd:integer. 1.5e-7 has a point and is kept. There is no error.
# Seen with jsonld-streaming-parser 5.0.1: it keeps 1e-7; of 1e21 with a datatype it writes JavaScript's "1e+21".
# Seen with both, as the algorithm asks: 10.5 as xsd:decimal becomes "1.05E1"^^xsd:decimal, and as xsd:string "1.05E1".
# Seen with rdf-validate-shacl 0.6.5: sh:datatype xsd:decimal refuses that literal.
# DCAT wants xsd:decimal in dcat:spatialResolutionInMeters, and a version such as 1.5 is often typed xsd:string: both
# have to be JSON strings, not numbers.
#
# Needs node and npm. Packages go into a temporary folder. Exit status 0: seen as described.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund jsonld@9.0.0 jsonld-streaming-parser@5.0.1 n3@2.13.12 \
	rdf-validate-shacl@0.6.5 @zazuko/env@3.0.1 > /dev/null
cat > read.mjs <<'JS'
import env from '@zazuko/env';
import jsonld from 'jsonld';
import { JsonLdParser } from 'jsonld-streaming-parser';
import { Parser } from 'n3';
import Validator from 'rdf-validate-shacl';

const schema = 'http://www.w3.org/2001/XMLSchema#';
const numbers = ['0.000001', '0.0000001', '0.00000015', '10.5', '12', '1e21'];
const datatypes = [undefined, 'decimal', 'string'];

function document(number, datatype) {
	const resolution = 'http://www.w3.org/ns/dcat#spatialResolutionInMeters';
	const term = datatype ? { '@id': resolution, '@type': schema + datatype } : resolution;

	return `{"@context": {"resolution": ${JSON.stringify(term)}}, "@id": "http://example.org/rain",
		"resolution": ${number}}`;
}

function streamed(text) {
	return new Promise((resolve, reject) => {
		const parser = new JsonLdParser();
		let object;

		parser.on('data', quad => { object = quad.object; });
		parser.on('error', reject);
		parser.on('end', () => resolve(object));
		parser.end(text);
	});
}

async function conforms(object, datatype) {
	const shape = `@prefix sh: <http://www.w3.org/ns/shacl#>. <http://example.org/shape> a sh:NodeShape;
		sh:targetNode <http://example.org/rain>; sh:property [
			sh:path <http://example.org/p>; sh:datatype <${schema}${datatype}>].`;
	const shapes = env.dataset(new Parser({ factory: env }).parse(shape));
	const literal = env.literal(object.value, env.namedNode(object.datatype.value));
	const subject = env.namedNode('http://example.org/rain');
	const data = env.dataset([env.quad(subject, env.namedNode('http://example.org/p'), literal)]);
	const report = await new Validator(shapes, { factory: env }).validate(data);

	return report.conforms ? 'conforms' : 'refused';
}

function shown(object) {
	return `"${object.value}" ${object.datatype.value.replace(schema, '')}`;
}

for (const datatype of datatypes) {
	for (const number of numbers) {
		const text = document(number, datatype);
		const [whole] = await jsonld.toRDF(JSON.parse(text));
		const other = await streamed(text);
		const verdict = datatype ? await conforms(other, datatype) : '';

		console.log(`${number} ${datatype ?? 'plain'}: ${shown(whole.object)}, ${shown(other)} ${verdict}`.trim());
	}
}
JS
node read.mjs > seen
cat seen
cat > described <<'TEXT'
0.000001 plain: "1.0E-6" double, "1.0E-6" double
0.0000001 plain: "0" integer, "1.0E-7" double
0.00000015 plain: "1.5E-7" double, "1.5E-7" double
10.5 plain: "1.05E1" double, "1.05E1" double
12 plain: "12" integer, "12" integer
1e21 plain: "1.0E21" double, "1.0E21" double
0.000001 decimal: "1.0E-6" decimal, "1.0E-6" decimal refused
0.0000001 decimal: "0" decimal, "1.0E-7" decimal refused
0.00000015 decimal: "1.5E-7" decimal, "1.5E-7" decimal refused
10.5 decimal: "1.05E1" decimal, "1.05E1" decimal refused
12 decimal: "12" decimal, "12" decimal conforms
1e21 decimal: "1.0E21" decimal, "1e+21" decimal refused
0.000001 string: "1.0E-6" string, "1.0E-6" string conforms
0.0000001 string: "0" string, "1.0E-7" string conforms
0.00000015 string: "1.5E-7" string, "1.5E-7" string conforms
10.5 string: "1.05E1" string, "1.05E1" string conforms
12 string: "12" string, "12" string conforms
1e21 string: "1.0E21" string, "1e+21" string conforms
TEXT
diff described seen
