'use strict'

// A rival: the list of datasets with its total as PostGraphile serves it, from the tables alone.
//
// server.js PORT WORKERS: the database is taken from PGHOST, PGPORT, PGUSER and PGDATABASE.
// Tuned: workers by cluster, a pool of connections each, no log, no console.

const cluster = require('node:cluster')
const http = require('node:http')

const [port, workers] = process.argv.slice(2).map(Number)
const CONNECTIONS = 4

async function serve () {
  const { Pool } = require('pg')
  const { postgraphile } = require('postgraphile')
  const pool = new Pool({ max: CONNECTIONS })

  pool.on('error', () => {})
  http.createServer(postgraphile(pool, 'catalogue', {
    disableDefaultMutations: true,
    disableQueryLog: true,
    dynamicJson: true,
    graphiql: false,
    ignoreRBAC: true,
    setofFunctionsContainNulls: false
  })).listen({ port, host: '127.0.0.1' })
}

if (cluster.isPrimary) {
  for (let i = 0; i < workers; i++) cluster.fork()
  process.on('SIGTERM', () => {
    for (const worker of Object.values(cluster.workers)) worker.kill()
    process.exit(0)
  })
} else {
  serve()
}
