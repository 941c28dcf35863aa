#!/bin/sh
# Table Schema: bareNumber=false, which permits a unit next to a number, takes the minus sign away.
#
# Source: Frictionless Table Schema, type number: "bareNumber" false permits text before and after the number, such as
# a percent sign or a currency, to be stripped. The number itself keeps its lexical form of XML Schema, with its sign.
# Guess: "-5 %" is -5, as "-5" is without bareNumber.
# Seen with tableschema 1.12.6 (npm): number and integer become 5, without an error, since all that is no digit is
# stripped from the front. A digit in the text is joined to the number: "m2 5" is 25.
# Numbers without a unit lose the sign too, so setting bareNumber for a column turns its losses into gains.
#
# Needs node and npm. Packages go into a temporary folder. Exit status 0: seen as described.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund tableschema@1.12.6 > /dev/null
cat > read.js <<'JS'
const { Field } = require('tableschema');

const texts = ['5', '-5', '5 %', '-5 %', '-5 EUR', 'EUR -5', '-5.5 %', '5e-3', 'm2 5'];

function cast(descriptor, text) {
	try {
		return new Field({ name: 'change', ...descriptor }).castValue(text);
	} catch {
		return 'refused';
	}
}

for (const text of texts) {
	const bare = cast({ type: 'number' }, text);
	const number = cast({ type: 'number', bareNumber: false }, text);
	const integer = cast({ type: 'integer', bareNumber: false }, text);

	console.log(`"${text}" bare ${bare}, number ${number}, integer ${integer}`);
}
JS
node read.js > seen
cat seen
cat > described <<'TEXT'
"5" bare 5, number 5, integer 5
"-5" bare -5, number 5, integer 5
"5 %" bare refused, number 5, integer 5
"-5 %" bare refused, number 5, integer 5
"-5 EUR" bare refused, number 5, integer 5
"EUR -5" bare refused, number 5, integer 5
"-5.5 %" bare refused, number 5.5, integer refused
"5e-3" bare 0.005, number 0.005, integer refused
"m2 5" bare refused, number 25, integer refused
TEXT
diff described seen
