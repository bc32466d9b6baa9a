/**
 * The changes that one happening causes: the bot's row, its timeline, webhook messages and token entries. The rules in
 * `bots` compute them without any effect; `store/bots/changes.ts` writes all of them in one transaction, or none.
 */
import type { BotPatch } from '../store/rows/index.ts'

export interface BotChange {
  /** Columns of the bot's row. */
  patch: BotPatch
  steps: Step[]
  messages: OutgoingMessage[]
  ledger: LedgerEntry[]
}

/** One step of a bot's timeline, as `GET /v2/bots/{id}/timeline` shows it. */
export interface Step {
  at: Date
  attempt: number | null
  kind: StepKind
  /** Why, in one plain sentence. */
  reason: string | null
  evidence?: Record<string, unknown>
}

const STEP_KINDS = [
  'asked',
  'changed',
  'cancelled',
  'due',
  'admitted',
  'refused',
  'waiting_for_room',
  'waiting_for_token',
  'account',
  'pickup_delayed',
  'launched',
  'launch_failed',
  'connected',
  'link_lost',
  'status',
  'stop_asked',
  'killed',
  'process_ended',
  'lost',
  'resumed',
  'assembling',
  'assembled',
  'ended',
  'data_deleted',
] as const
type StepKind = (typeof STEP_KINDS)[number]

/** Where a message goes: the team's endpoints, the older generation's one address, or the bot's own callback. */
export type Channel = 'webhooks' | 'older' | 'callback'

/** A webhook before it is sent. Links in `body` are `{ $link: <artifact name>, seconds }` and are signed at each sending. */
export interface OutgoingMessage {
  /** Derived from the cause of the message (`messageId`), so that a repeat inserts nothing. */
  id: string
  channel: Channel
  event: string
  body: Record<string, unknown>
  teamId: string
  botId: string | null
  /** Messages of one key arrive in order at one endpoint; the bot's id for messages of a bot. */
  orderingKey: string
  /** The public names of `/compat` are put in at sending. */
  isCompat: boolean
}

/** Micro-tokens: a millionth of a token. */
export const MICRO = 1_000_000

export interface LedgerEntry {
  teamId: string
  botId: string | null
  kind: 'reserve' | 'release' | 'charge' | 'grant' | 'adjust'
  meter: 'recording' | 'transcription' | 'byok_transcription' | 'streaming_input' | 'streaming_output' | null
  /** Micro-tokens, never negative but for `adjust`. */
  amount: number
  /** Unique: what caused the entry, such as `charge:<bot id>:recording`. */
  source: string
}

export function emptyChange(): BotChange {
  return { patch: {}, steps: [], messages: [], ledger: [] }
}
