#!/bin/sh
# SHACL: a pattern with \p{L} never matches a letter in two validators, but matches the text "p{L}".
#
# Source: SHACL, section 4.4.3: sh:pattern is tested as by REGEX of SPARQL 1.1 (section 17.4.3.14), whose expressions
# are those of XPath, which extend XML Schema's: \p{L} is a letter, \i\c* a name, and [a-z-[aeiou]] leaves vowels out.
# Guess: what is not supported is refused, as flags are ("x" raises an error).
# Seen with rdf-validate-shacl 0.6.5 and shacl-engine 1.1.2: the expression goes to JavaScript's, without its flag u.
# There \p is the letter p and \i the letter i, so these match other texts, silently: each right name is a violation.
# Shapes of profiles that were made with other validators refuse a whole harvest. Write [A-Za-z], or sh:in.
#
# Needs node and npm. Packages go into a temporary folder. Exit status 0: seen as described.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund rdf-validate-shacl@0.6.5 shacl-engine@1.1.2 n3@2.13.12 \
	@zazuko/env@3.0.1 > /dev/null
cat > read.mjs <<'JS'
import env from '@zazuko/env';
import { Parser } from 'n3';
import First from 'rdf-validate-shacl';
import { Validator as Second } from 'shacl-engine';

const tests = [
	['^[A-Za-z]+$', 'rain'],
	['^\\p{L}+$', 'rain'],
	['^\\p{L}$', 'p{L}'],
	['^\\i\\c*$', 'rain'],
	['^[a-z-[aeiou]]+$', 'rhythm'],
	['^[a-z-[aeiou]]+$', 'a]'],
];
const prefix = '@prefix sh: <http://www.w3.org/ns/shacl#>. @prefix : <http://example.org/>.';

function dataset(text) {
	return env.dataset(new Parser({ factory: env }).parse(`${prefix} ${text}`));
}

for (const [pattern, text] of tests) {
	const shapes = dataset(`:shape a sh:NodeShape; sh:targetNode :dataset; sh:property [
		sh:path :name; sh:pattern ${JSON.stringify(pattern)}].`);
	const data = dataset(`:dataset :name ${JSON.stringify(text)}.`);
	const reports = [
		await new First(shapes, { factory: env }).validate(data),
		await new Second(shapes, { factory: env }).validate({ dataset: data }),
	];

	console.log(`${pattern} "${text}" ${reports.map(report => report.conforms ? 'conforms' : 'violates').join(', ')}`);
}
JS
node read.mjs > seen
cat seen
cat > described <<'TEXT'
^[A-Za-z]+$ "rain" conforms, conforms
^\p{L}+$ "rain" violates, violates
^\p{L}$ "p{L}" conforms, conforms
^\i\c*$ "rain" violates, violates
^[a-z-[aeiou]]+$ "rhythm" violates, violates
^[a-z-[aeiou]]+$ "a]" conforms, conforms
TEXT
diff described seen
