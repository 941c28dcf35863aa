// The command of DuckDB, as far as the tests take it: duckdb.mjs -c STATEMENT prints the rows as JSON.
import { DuckDBInstance } from '@duckdb/node-api'

const connection = await (await DuckDBInstance.create()).connect()
const found = await connection.runAndReadAll(process.argv[3])
for (const row of found.getRowObjectsJson()) console.log(JSON.stringify(row))
