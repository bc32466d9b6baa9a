/** The plainest service: answers HTTP after one question to PostgreSQL, and does nothing else. */
import { createServer } from 'node:http'
import pg from 'pg'

const { BENCH_DATABASE: connectionString, BENCH_PORT: port } = process.env
const pool = new pg.Pool({ connectionString })
await pool.query('select 1')
createServer((_request, response) => response.end('ok')).listen(Number(port), '127.0.0.1', () => process.send!('ready'))
process.on('disconnect', () => process.exit())
