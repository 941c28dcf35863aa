'use strict'

// A rival: questions on a table of 1,000,000 rows, as a good Node.js service answers them by DuckDB.
//
// server.js PORT WORKERS: the CSV file from ROWS, its table in a database beside it.  GET /ready; GET /QUESTION?v=VALUE
// answers with a page of 20 rows and the number of all that were found, as the service does, or with groups.
// Tuned: the table is made once, each worker opens it to read only, with one thread, and prepares its statements.

const cluster = require('node:cluster')
const fs = require('node:fs')
const { DuckDBInstance } = require('@duckdb/node-api')

const [port, workers] = process.argv.slice(2).map(Number)
const file = `${process.env.ROWS}.duckdb`

const page = where => `SELECT *, count(*) OVER () AS found FROM readings WHERE ${where} LIMIT 20`
const questions = {
  id: page('id = $1::BIGINT'),
  above: page("city = 'Rosario' AND value > $1::DOUBLE"),
  station: page('station = $1::VARCHAR'),
  part: page("address ILIKE '%' || $1::VARCHAR || '%'"),
  day: page('measured >= $1::DATE AND measured < $1::DATE + 1'),
  largest: 'SELECT * FROM readings ORDER BY amount DESC LIMIT 20 OFFSET $1::BIGINT',
  few: 'SELECT city, count(*), avg(value) FROM readings WHERE value > $1::DOUBLE GROUP BY city',
  many: 'SELECT station, count(*), max(amount) FROM readings WHERE value > $1::DOUBLE GROUP BY station',
  far: 'SELECT * FROM readings LIMIT 20 OFFSET $1::BIGINT'
}

async function load () {
  const instance = await DuckDBInstance.create(file, { threads: '1' })
  const connection = await instance.connect()
  await connection.run(`CREATE TABLE readings AS SELECT * FROM read_csv('${process.env.ROWS}')`)
  await connection.run('CHECKPOINT')
  connection.closeSync()
  instance.closeSync()
}

async function serve () {
  const instance = await DuckDBInstance.create(file, { threads: '1', access_mode: 'READ_ONLY' })
  const connection = await instance.connect()
  const statements = {}
  for (const name in questions) statements[name] = await connection.prepare(questions[name])
  const app = require('fastify')({ logger: false })

  // how long the table takes to be made, and its bytes
  app.get('/load', async () => {
    const instance = await DuckDBInstance.create(`${file}.load`, { threads: '1' })
    const connection = await instance.connect()
    await connection.run(`CREATE OR REPLACE TABLE readings AS SELECT * FROM read_csv('${process.env.ROWS}')`)
    await connection.run('CHECKPOINT')
    connection.closeSync()
    instance.closeSync()
    fs.rmSync(`${file}.load`)
    return { bytes: fs.statSync(file).size }
  })
  app.get('/:question', async (request, reply) => {
    const statement = statements[request.params.question]
    if (!statement) return reply.code(404).send({})
    const value = request.query.v
    statement.bindVarchar(1, value)
    const result = await statement.runAndReadAll()
    return { data: result.getRowObjectsJson() }
  })
  await app.listen({ port, host: '127.0.0.1' })
}

if (cluster.isPrimary) {
  load().then(() => {
    for (let i = 0; i < workers; i++) cluster.fork()
  })
  process.on('SIGTERM', () => {
    for (const worker of Object.values(cluster.workers)) worker.kill()
    process.exit(0)
  })
} else {
  serve()
}
