/** The bots that may still be started, from what the watches saw. Pure but for the clock. */
import { botPod, waitReason } from './evidence.ts'
import type { JobFacts, PodFacts } from './facts.ts'
import type { Book } from './watch.ts'

/** Bots that may wait for a node at once: enough to make an autoscaler add one, too few to fill the cluster's queue. */
const MAX_WAITING = 10

interface Known {
  jobs: Pick<Book<JobFacts>, 'all' | 'of'>
  pods: Pick<Book<PodFacts>, 'of'>
  /** Names that are being made: they take a place before the cluster lists them. */
  making: ReadonlySet<string>
  /** Ended at the request of this process; the watch may report it later. */
  over: ReadonlySet<string>
  maxBots: number | null
}

export interface Room {
  free: number
  limit: number
  /** The bot that waits for the cluster, and why, if that leaves no place. */
  wait?: { bot: string; reason: string }
}

/** Null if only the cluster knows. */
export function roomIn({ jobs, pods, making, over, maxBots }: Known): Room | null {
  const isOver = ({ name, end }: JobFacts) =>
    end !== null || over.has(name) || botPod(pods.of(name))?.container.state === 'terminated'
  const open = [...jobs.all()].filter((job) => !isOver(job))
  const now = Date.now()
  const waits = open.flatMap((job) => {
    const reason = waitReason(job, pods.of(job.bot), now)
    return reason === null ? [] : [{ bot: job.bot, reason }]
  })
  const unlisted = [...making].filter((name) => jobs.of(name).length === 0)
  const used = open.length + unlisted.length
  if (maxBots === null && waits.length === 0) return null
  const mayWait = waits.length === 0 ? Number.POSITIVE_INFINITY : Math.max(0, MAX_WAITING - waits.length)
  const free = Math.min(mayWait, Math.max(0, (maxBots ?? Number.POSITIVE_INFINITY) - used))
  const isFull = maxBots !== null && used >= maxBots
  return { free, limit: maxBots ?? used + free, ...(free === 0 && !isFull && { wait: waits[0]! }) }
}
