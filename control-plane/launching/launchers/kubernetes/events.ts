/** Why the cluster makes no pod for a Job: only its events say that. */
import { type Cluster, sentenceOf } from './cluster.ts'

/** How long an answer serves: a full cluster is asked many times. */
const SERVES_MS = 10_000
const MAX_WARNINGS = 50

/** The last warning about the Job, in the cluster's own words; null if there is none. Never rejects. */
export function createWarnings({ core }: Cluster, namespace: string): (job: string) => Promise<string | null> {
  let answer: { job: string; askedAt: number; warning: Promise<string | null> } | null = null

  async function ask(job: string): Promise<string | null> {
    try {
      const fieldSelector = `involvedObject.kind=Job,involvedObject.name=${job},type=Warning`
      const { items } = await core.listNamespacedEvent({ namespace, fieldSelector, limit: MAX_WARNINGS })
      const at = (event: (typeof items)[number]) => new Date(event.lastTimestamp ?? event.eventTime ?? 0).getTime()
      return items.sort((a, b) => at(b) - at(a))[0]?.message?.slice(0, 500) ?? null
    } catch (error) {
      return sentenceOf(error)
    }
  }

  return (job) => {
    if (answer === null || answer.job !== job || performance.now() - answer.askedAt > SERVES_MS)
      answer = { job, askedAt: performance.now(), warning: ask(job) }
    return answer.warning
  }
}
