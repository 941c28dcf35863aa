#!/bin/sh
# JSON Schema: no time of day is valid to all validators, and durations of DCAT are invalid to each of them.
#
# Source: JSON Schema 2020-12 validation, section 7.3.1: "time" is full-time and "duration" the duration of RFC 3339,
# section 5.6 and appendix A: a time has an offset or Z; a duration has no sign and no fraction, and leaves out no part
# between two others (P1Y1D is none). XML Schema part 2, section 3.2.6, permits all three in an xsd:duration.
# Guess: 12:00:00 is a time, PT0.5S a duration, and validators of the same format agree.
# Seen with ajv-formats 3.0.1 and @cfworker/json-schema 4.1.6: a time must have an offset, as written.
# Seen with jsonschema 1.5.0: it must have none: no text is a time to all three.
# Durations: PT0.5S is invalid to all; -P1D and P1Y1W are valid to jsonschema only; P1Y1D and PT1H1S are invalid only to
# @cfworker/json-schema, which is right.
# dcat:temporalResolution is an xsd:duration: describe it by a pattern, not by this format; and so for times.
#
# Needs node and npm. Packages go into a temporary folder. Exit status 0: seen as described.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund ajv@8.20.0 ajv-formats@3.0.1 @cfworker/json-schema@4.1.6 \
	jsonschema@1.5.0 > /dev/null
cat > read.js <<'JS'
const Ajv = require('ajv/dist/2020').default;
const addFormats = require('ajv-formats').default;
const { Validator: Cfworker } = require('@cfworker/json-schema');
const { Validator: Jsonschema } = require('jsonschema');

const texts = {
	time: ['12:00:00Z', '12:00:00+01:00', '12:00:00', '12:00:00.5', '12:00:00.5Z', '23:59:60Z'],
	duration: ['P1Y', 'P1W', 'PT36H', 'P1Y1M1D', 'P1Y1D', 'PT1H1S', 'P1Y1W', 'PT0.5S', '-P1D'],
};
const ajv = addFormats(new Ajv());

function verdicts(schema, text) {
	return [
		ajv.validate(schema, text),
		new Cfworker(schema, '2020-12').validate(text).valid,
		new Jsonschema().validate(text, schema).valid,
	];
}

console.log('ajv, cfworker, jsonschema');
for (const [format, list] of Object.entries(texts)) {
	for (const text of list) {
		const found = verdicts({ type: 'string', format }, text).map(valid => valid ? 'valid' : '-');

		console.log(`${format} ${text} ${found.join(' ')}`);
	}
}
JS
node read.js > seen
cat seen
cat > described <<'TEXT'
ajv, cfworker, jsonschema
time 12:00:00Z valid valid -
time 12:00:00+01:00 valid valid -
time 12:00:00 - - valid
time 12:00:00.5 - - -
time 12:00:00.5Z valid valid -
time 23:59:60Z valid valid -
duration P1Y valid valid valid
duration P1W valid valid valid
duration PT36H valid valid valid
duration P1Y1M1D valid valid valid
duration P1Y1D valid - valid
duration PT1H1S valid - valid
duration P1Y1W - - valid
duration PT0.5S - - -
duration -P1D - - valid
TEXT
diff described seen
