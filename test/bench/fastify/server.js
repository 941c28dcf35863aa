'use strict'

// A rival: GET /datasets/:id and GET /datasets?limit= as a good Node.js service implements them.
//
// server.js PORT WORKERS: the database is taken from PGHOST, PGPORT, PGUSER and PGDATABASE, the
// secret of tokens from BENCH_SECRET.  KEPT=1: the table of datasets has columns with its lists of ids.
// Tuned: workers by cluster, a pool of connections each, statements prepared by name, JSON of the
// records made by PostgreSQL (faster than rows that Node.js has to parse and serialize again), tokens
// verified once, no log.  It keeps no statistics.

const cluster = require('node:cluster')
const { createHmac, timingSafeEqual } = require('node:crypto')

const [port, workers] = process.argv.slice(2).map(Number)
const CONNECTIONS = 4
const KEPT = process.env.KEPT === '1'

const INSTANT = `'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'`
const instant = column => `to_char(t.${column} AT TIME ZONE 'UTC', ${INSTANT})`
const ids = (name, column) => KEPT ? `to_json(t.${name}_ids)` : joined(`datasets_${name}`, column)
const joined = (table, column) =>
  `(SELECT coalesce(json_agg(j.${column} ORDER BY j.position, j.${column}), '[]')
    FROM catalogue.${table} j WHERE j.dataset = t.id AND j.deleted_at IS NULL)`

const record = `json_build_object(
  'id', t.id, 'name', t.name, 'slug', t.slug, 'description', t.description, 'notes', t.notes,
  'visible', t.visible, 'starred', t.starred, 'optionals', t.optionals,
  'publishedAt', ${instant('published_at')}, 'unPublishedAt', ${instant('un_published_at')},
  'rejectedAt', ${instant('rejected_at')}, 'cancelledAt', ${instant('cancelled_at')},
  'reviewedAt', ${instant('reviewed_at')}, 'status', t.status, 'owner', t.owner,
  'createdBy', t.created_by, 'createdAt', ${instant('created_at')}, 'updatedAt', ${instant('updated_at')},
  'categories', ${ids('categories', 'category')},
  'subcategories', ${ids('subcategories', 'subcategory')},
  'tags', ${ids('tags', 'tag')})`

const ITEM = {
  name: 'item',
  text: `SELECT ${record}::text AS data, $2::text IS NULL OR EXISTS (
           SELECT FROM catalogue.users u WHERE u.id = $2 AND u.deleted_at IS NULL AND u.active IS NOT FALSE)
         FROM catalogue.datasets t WHERE t.id = $1 AND t.deleted_at IS NULL`,
  rowMode: 'array'
}
// the limit is part of the statement's text, so that one plan serves all calls
const list = limit => ({
  name: `list${limit}`,
  text: `SELECT (SELECT coalesce('[' || string_agg(r.data, ',') || ']', '[]')
           FROM (SELECT ${record}::text AS data FROM catalogue.datasets t WHERE t.deleted_at IS NULL
                 ORDER BY t.created_at, t.id LIMIT ${limit}) r),
         (SELECT sum(living) FROM catalogue.counter WHERE resource = 'datasets'),
         ${INSTANT.replace(/^/, 'to_char(now() AT TIME ZONE \'UTC\', ')})`,
  rowMode: 'array'
})

const relations = ['status', 'owner', 'createdBy', 'categories', 'subcategories', 'tags', 'files']

// put meta, data and links around the JSON of a record, which is not parsed again
function itemEnvelope (base, id, data) {
  const self = `${base}/datasets/${id}`
  const collections = relations.map(name => `"${name}":"${self}/${name}"`).join()
  return `{"meta":{"code":"OK","message":"the request was carried out"},"data":${data},` +
    `"links":{"all":"${base}/datasets","self":"${self}","collections":{${collections}}}}`
}

function listEnvelope (base, limit, [data, count, version]) {
  const pages = Math.ceil(count / limit)
  const page = skip => `${base}/datasets?limit=${limit}&skip=${skip}&version=${version}`
  return '{"meta":{"code":"PARTIAL_CONTENT","message":"these are a part of the records",' +
    `"count":${count},"limit":${limit},"start":1,"end":${limit},"page":1,"pages":${pages},"version":"${version}"},` +
    `"data":${data},"links":{"next":"${page(limit)}","last":"${page((pages - 1) * limit)}",` +
    `"firstItem":"${base}/datasets/first","lastItem":"${base}/datasets/last","all":"${base}/datasets"}}`
}

const tokens = new Map()

// The user of a token: null without a token, false when the token is invalid.
function userOf (authorization) {
  if (authorization === undefined) return null
  let claims = tokens.get(authorization)
  if (claims === undefined) {
    const [header, payload, signature] = authorization.replace(/^Bearer +/, '').split('.')
    const made = createHmac('sha256', process.env.BENCH_SECRET).update(`${header}.${payload}`).digest()
    const given = Buffer.from(signature ?? '', 'base64url')
    if (given.length !== made.length || !timingSafeEqual(given, made)) return false
    claims = JSON.parse(Buffer.from(payload, 'base64url'))
    tokens.set(authorization, claims)
  }
  return claims.exp > Date.now() / 1000 ? claims.id : false
}

function serve () {
  const { Pool } = require('pg')
  const app = require('fastify')({ logger: false, disableRequestLogging: true })
  const pool = new Pool({ max: CONNECTIONS })
  const lists = new Map()

  app.get('/datasets/:id', async (request, reply) => {
    const user = userOf(request.headers.authorization)
    if (user === false) return reply.code(401).send('{"meta":{"code":"E_UNAUTHORIZED"},"data":{}}')
    const { rows } = await pool.query({ ...ITEM, values: [request.params.id, user] })
    reply.type('application/json')
    if (rows[0]?.[1] === false) return reply.code(401).send('{"meta":{"code":"E_UNAUTHORIZED"},"data":{}}')
    if (rows.length === 0) return reply.code(404).send('{"meta":{"code":"E_NOT_FOUND"},"data":{}}')
    return itemEnvelope(`http://${request.headers.host}`, request.params.id, rows[0][0])
  })

  app.get('/datasets', async (request, reply) => {
    const limit = Number.parseInt(request.query.limit ?? 20, 10)
    if (!lists.has(limit)) lists.set(limit, list(limit))
    const { rows } = await pool.query(lists.get(limit))
    reply.code(206).type('application/json')
    reply.header('Content-Range', `items 0-${limit - 1}/${rows[0][1]}`)
    return listEnvelope(`http://${request.headers.host}`, limit, rows[0])
  })

  app.listen({ port, host: '127.0.0.1' })
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
