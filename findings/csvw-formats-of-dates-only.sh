#!/bin/sh
# CSV on the Web: the same description has dates read by their format, and numbers, booleans and lists taken as written.
#
# Source: W3C Model for Tabular Data, section 6.4: "format" of a numeric datatype with decimalChar and groupChar, of a
# boolean "Y|N", "separator" of a column of lists; the values are converted to those of the datatype. RDF: a literal
# whose text is not of its datatype is ill-typed.
# Guess: a parser of CSVW follows all of them, or refuses what it does not follow.
# Seen with rdf-parser-csvw 1.1.0 (npm): dates by "dd.MM.yyyy" are right, and "null" leaves a cell out. A decimal by
# decimalChar "," and groupChar "." stays "1.234,50" and gets xsd:decimal; a boolean by "Y|N" is "Y" with xsd:boolean; a
# cell by separator ";" is one text. Nothing is told, and all but the last are ill-typed: a store keeps them, and a
# query that adds them up leaves them out.
# Write numbers with a point, booleans as true and false, and a row for each value, if RDF is to be made of them.
#
# Needs node and npm. Packages go into a temporary folder. Exit status 0: seen as described.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund rdf-parser-csvw@1.1.0 n3@2.13.12 @rdfjs/dataset@2.0.2 @rdfjs/data-model@2.1.2 \
	> /dev/null
cat > read.mjs <<'JS'
import { Readable } from 'node:stream';
import factory from '@rdfjs/data-model';
import datasets from '@rdfjs/dataset';
import { Parser } from 'n3';
import CsvwParser from 'rdf-parser-csvw';

const baseIRI = 'http://example.org/spending.csv';
const csv = [
	'day,amount,paid,note,codes',
	'31.12.2025,"1.234,50",Y,n/a,A1;B2',
	'01.02.2026,"0,5",N,late,C3',
	'',
].join('\n');
const description = `
	@prefix csvw: <http://www.w3.org/ns/csvw#> .
	<http://example.org/spending.csv-metadata.json> a csvw:Table ; csvw:url "spending.csv" ; csvw:tableSchema [
		csvw:aboutUrl "http://example.org/row/{_row}" ; csvw:column (
			[ csvw:title "day" ; csvw:datatype [ csvw:base "date" ; csvw:format "dd.MM.yyyy" ] ]
			[ csvw:title "amount" ; csvw:datatype [ csvw:base "decimal" ;
				csvw:format [ csvw:decimalChar "," ; csvw:groupChar "." ] ] ]
			[ csvw:title "paid" ; csvw:datatype [ csvw:base "boolean" ; csvw:format "Y|N" ] ]
			[ csvw:title "note" ; csvw:null "n/a" ]
			[ csvw:title "codes" ; csvw:separator ";" ] ) ] .`;
const metadata = datasets.dataset(new Parser({ baseIRI }).parse(description));
const parser = new CsvwParser({ metadata, baseIRI, factory });

for await (const quad of parser.import(Readable.from([csv]))) {
	if (quad.subject.value.startsWith('http://example.org/row/')) {
		// the datatype of some literals is a node in a node
		const datatype = quad.object.datatype.value.value ?? quad.object.datatype.value;
		const row = quad.subject.value.split('/').pop();
		const column = quad.predicate.value.split('#').pop();

		console.log(`row ${row}, ${column}: "${quad.object.value}" ${datatype.split('#').pop()}`);
	}
}
JS
node read.mjs > seen
cat seen
cat > described <<'TEXT'
row 1, day: "2025-12-31" date
row 1, amount: "1.234,50" decimal
row 1, paid: "Y" boolean
row 1, codes: "A1;B2" string
row 2, day: "2026-02-01" date
row 2, amount: "0,5" decimal
row 2, paid: "N" boolean
row 2, note: "late" string
row 2, codes: "C3" string
TEXT
diff described seen
