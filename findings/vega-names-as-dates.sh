#!/bin/sh
# Vega reads names that end in a small number, such as stations, routes and EPSG codes, from CSV as dates.
#
# Source: RFC 4180: fields of CSV are texts, and nothing tells their types. Vega documentation, "Data": parse "auto"
# infers boolean, number, integer or date from the values; Vega-Lite does so unless told otherwise.
# Guess: dates are found by an ISO form, at most by a few others.
# Seen with vega-loader 5.1.3 on Node 20: a column is of dates if the language's own Date.parse takes all its texts, and
# that takes any words before a number. "Route 66" is 1 January 1966, "District 40" is 2040, "EPSG:4326" the year 4326,
# "PM 2.5" 5 February 2001. Days written as 31.01.2020 stay texts. One text that does not fit makes all of them texts.
# A chart by stations gets an axis of time until a thirteenth one comes, which is no month. Give parse for each column.
#
# Needs node and npm. Packages go into a temporary folder. Exit status 0: seen as described.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund vega-loader@5.1.3 > /dev/null
cat > read.mjs <<'JS'
import { read } from 'vega-loader';

const columns = [
	['Station 1', 'Station 2'],
	['Station 1', 'Station 13'],
	['Route 1', 'Route 66'],
	['District 39', 'District 40'],
	['PM 2.5', 'PM 10'],
	['EPSG:4326', 'EPSG:25833'],
	['C-1', 'C-12'],
	['C-1', 'C-13'],
	['1-5', '6-10'],
	['K-19', 'K-20'],
	['Station 1', 'Station 13a'],
	['31.01.2020', '01.02.2020'],
];

function shown(value) {
	return typeof value === 'string' ? `"${value}"` : new Date(value).toISOString().slice(0, -14);
}

for (const column of columns) {
	const text = ['name,value', ...column.map((name, index) => `${name},${index}`)].join('\n');
	const rows = read(text, { type: 'csv', parse: 'auto' });

	console.log(`${column.join(', ')}: ${rows.map(row => shown(row.name)).join(', ')}`);
}
JS
TZ=UTC node read.mjs > seen
cat seen
cat > described <<'TEXT'
Station 1, Station 2: 2001-01-01, 2001-02-01
Station 1, Station 13: "Station 1", "Station 13"
Route 1, Route 66: 2001-01-01, 1966-01-01
District 39, District 40: 2039-01-01, 2040-01-01
PM 2.5, PM 10: 2001-02-05, 2001-10-01
EPSG:4326, EPSG:25833: 4326-01-01, +025833-01-01
C-1, C-12: 2001-01-01, 2001-12-01
C-1, C-13: "C-1", "C-13"
1-5, 6-10: 2001-01-05, 2001-06-10
K-19, K-20: "K-19", "K-20"
Station 1, Station 13a: "Station 1", "Station 13a"
31.01.2020, 01.02.2020: "31.01.2020", "01.02.2020"
TEXT
diff described seen
