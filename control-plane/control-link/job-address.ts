/** `GET /job/<bot>/<attempt>`: gives a container the job that its launcher offered (`launching/job-offers.ts`), once. */
import { createHash } from 'node:crypto'
import type { JobHandler, Log, Seals, TextAnswer } from '../platform/ports.ts'
import type { Database } from '../store/database.ts'
import { takeOffer } from '../store/launches/job-offers.ts'

const PLACE = /^\/job\/(?<botId>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/(?<attempt>[1-9]\d{0,8})$/
const BEARER = /^Bearer (?<token>[!-~]{1,4096})$/i

export function createJobHandler(settings: { database: Database; seals: Seals; log: Log }): JobHandler {
  const { database, seals, log } = settings
  return async ({ path, authorization }) => {
    const { botId, attempt } = PLACE.exec(path)?.groups ?? {}
    if (botId === undefined) return refusal(404, 'There is no such job.')
    const token = BEARER.exec(authorization ?? '')?.groups?.token
    if (token === undefined) return refusal(401, 'The token of the job is missing.')
    const fields = { bot: botId, attempt: Number(attempt) }
    const hash = createHash('sha256').update(token).digest()
    const taken = await takeOffer(database, botId, fields.attempt, hash)
    if (typeof taken !== 'string') {
      log.info(fields, 'Job given to its container')
      const job = seals.open(taken.sealedJob, { table: 'job_offers', column: 'job', row: taken.id })
      return { status: 200, headers: headersOf('application/json'), body: job }
    }
    // Any client can ask for a job that never existed, so it is not logged.
    if (taken === 'unknown') return refusal(404, 'There is no such job.')
    // A second reader of a token is worth a look: the first one may not have been the bot.
    log.warn({ ...fields, why: taken }, 'Job refused')
    if (taken === 'refused') return refusal(401, 'The token is not that of this job.')
    return refusal(410, 'The job was taken already, or its time is over.')
  }
}

function refusal(status: 401 | 404 | 410, text: string): TextAnswer {
  return { status, headers: headersOf('text/plain'), body: `${text}\n` }
}

function headersOf(type: string): Record<string, string> {
  return { 'content-type': `${type}; charset=utf-8`, 'cache-control': 'no-store' }
}
