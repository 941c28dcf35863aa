#!/bin/sh
# Parquet: a sum of whole numbers loses units on the way, where CSV and JSON of the same statement keep them.
#
# Source: Apache Parquet, logical types: INT(64) for whole numbers, DECIMAL(precision, scale) for exact ones of any
# length. DuckDB: sum() of BIGINT is HUGEINT, of 128 bits, for which Parquet has no type.
# Guess: COPY refuses HUGEINT, or writes it as DECIMAL(38, 0); and a reader that gives BIGINT as BigInt gives exact
# decimals exactly, too.
# Seen with DuckDB 1.5.6 (npm @duckdb/node-api): COPY ... TO 'x.parquet' writes HUGEINT as DOUBLE, so of 9007199254740993
# cents one is gone, without a warning. To CSV and JSON it writes all digits.
# With a cast to DECIMAL(38, 0) or BIGINT the file has all digits, and DuckDB reads them. hyparquet 1.33.0 reads BIGINT as
# BigInt, exactly, but each DECIMAL as a number, and loses the cent again; so it does with DECIMAL(19, 2) of an amount.
# Cast sums to BIGINT before they are written.
#
# Needs node and npm. Packages go into a temporary folder. Exit status 0: seen as described.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund @duckdb/node-api@1.5.6-r.1 hyparquet@1.33.0 > /dev/null
cat > read.mjs <<'JS'
import { DuckDBInstance } from '@duckdb/node-api';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';

const instance = await DuckDBInstance.create(':memory:');
const connection = await instance.connect();

async function rows(statement) {
	return (await connection.runAndReadAll(statement)).getRowObjectsJson();
}

await connection.run("CREATE TABLE sales AS SELECT * FROM (VALUES (9007199254740991::BIGINT), (2)) v(cents)");

async function show(what, expression, format) {
	const file = `sum.${format}`;

	await connection.run(`COPY (SELECT ${expression} AS total FROM sales) TO '${file}' (FORMAT ${format})`);
	const [row] = await rows(`SELECT total::VARCHAR AS total, typeof(total) AS type FROM '${file}'`);
	const seen = [`${format}, ${what}: ${row.type} ${row.total}`];
	if (format === 'parquet') {
		const [{ total }] = await parquetReadObjects({ file: await asyncBufferFromFile(file) });
		seen.push(`hyparquet ${typeof total} ${total}`);
	}
	console.log(seen.join('; '));
}

await show('sum', 'sum(cents)', 'csv');
await show('sum', 'sum(cents)', 'json');
await show('sum', 'sum(cents)', 'parquet');
await show('cast', 'sum(cents)::DECIMAL(38, 0)', 'parquet');
await show('amount', '(sum(cents)::DECIMAL(38, 0) * 0.01)::DECIMAL(19, 2)', 'parquet');
await show('cast', 'sum(cents)::BIGINT', 'parquet');
JS
node read.mjs > seen
cat seen
cat > described <<'TEXT'
csv, sum: BIGINT 9007199254740993
json, sum: BIGINT 9007199254740993
parquet, sum: DOUBLE 9007199254740992.0; hyparquet number 9007199254740992
parquet, cast: DECIMAL(38,0) 9007199254740993; hyparquet number 9007199254740992
parquet, amount: DECIMAL(19,2) 90071992547409.93; hyparquet number 90071992547409.92
parquet, cast: BIGINT 9007199254740993; hyparquet bigint 9007199254740993
TEXT
diff described seen
