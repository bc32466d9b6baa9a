/** Offers the jobs of containers at addresses beside the control link, each of them once. */
import { createHash, randomUUID } from 'node:crypto'
import type { JobOffers, Seals } from '../../platform/ports.ts'
import type { Database } from '../../store/database.ts'
import { putOffer, withdrawOffer } from '../../store/launches/job-offers.ts'

/** A container that has not asked by then did not start. */
const SECONDS = 300

export interface JobOffersSettings {
  database: Database
  seals: Seals
  /** Address of the control link, as bots reach it; the addresses of the jobs are beside it. */
  linkUrl: string
}

export function createJobOffers({ database, seals, linkUrl }: JobOffersSettings): JobOffers {
  const base = new URL('job/', linkUrl.replace(/^ws/, 'http'))
  return {
    addressOf: (botId, attempt) => new URL(`${botId}/${attempt}`, base).href,
    async offer({ botId, attempt, job }, token) {
      const id = randomUUID()
      const sealedJob = seals.seal(JSON.stringify(job), { table: 'job_offers', column: 'job', row: id })
      const tokenHash = createHash('sha256').update(token).digest()
      await putOffer(database, { id, botId, attempt, tokenHash, sealedJob, seconds: SECONDS })
    },
    withdraw: (botId, attempt) => withdrawOffer(database, botId, attempt),
  }
}
