/** Needs of bots, as the database knows them. One answer serves many starts and many checks of the room. */
import type { LaunchSpec, Log, Need } from '../../../ports.ts'
import { botName } from './bot-name.ts'
import { type BotBounds, type LearnedNeeds, learnNeeds, type NeedSample } from './needs.ts'

/** Needs change slowly; the use of running bots with each heartbeat. */
const NEEDS_SERVE_MS = 60_000
const USE_SERVES_MS = 5_000

export interface NeedSource {
  /** The use of recent bots. */
  samples(): Promise<NeedSample[]>
  /** The last reports of running bots. */
  inUse(): Promise<({ botId: string; attempt: number } & Need)[]>
}

/** Never rejects: while the database does not answer, the last answer counts, or assumed figures. */
export interface BotNeeds {
  readonly bounds: BotBounds
  learned(): Promise<LearnedNeeds>
  /** The last reports of running bots, by the names of their attempts. */
  inUse(): Promise<ReadonlyMap<string, Need>>
}

export const NOTHING_KNOWN: NeedSource = { samples: async () => [], inUse: async () => [] }

export function createBotNeeds(source: NeedSource, bounds: BotBounds, log: Log): BotNeeds {
  const failed = (error: unknown) =>
    log.warn({ error: String(error) }, 'The needs of bots could not be read; the last figures are used')
  const learned = kept<LearnedNeeds>({
    first: learnNeeds([], bounds),
    read: async () => learnNeeds(await source.samples(), bounds),
    servesMs: NEEDS_SERVE_MS,
    failed,
  })
  const inUse = kept<ReadonlyMap<string, Need>>({
    first: new Map(),
    read: async () => new Map((await source.inUse()).map((bot) => [botName(bot), bot])),
    servesMs: USE_SERVES_MS,
    failed,
  })
  return { bounds, learned, inUse }
}

/** The need of an attempt, also if its start does not say it. */
export async function needOfSpec({ need, job }: LaunchSpec, needs: BotNeeds): Promise<Need> {
  if (need !== undefined) return need
  const { cores, memoryBytes } = (await needs.learned()).of({ mode: job.recording_mode, platform: '' })
  return { cores, memoryBytes }
}

interface Kept<Value> {
  /** Before the first answer. */
  first: Value
  read(): Promise<Value>
  servesMs: number
  failed(error: unknown): void
}

function kept<Value>({ first, read, servesMs, failed }: Kept<Value>): () => Promise<Value> {
  let last = first
  let asked: { at: number; answer: Promise<Value> } | null = null

  async function ask(): Promise<Value> {
    try {
      last = await read()
    } catch (error) {
      failed(error)
    }
    return last
  }

  return () => {
    if (asked === null || performance.now() - asked.at > servesMs) asked = { at: performance.now(), answer: ask() }
    return asked.answer
  }
}
