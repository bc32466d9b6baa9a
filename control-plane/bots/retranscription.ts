/** A transcript that is made again from the recording of a closed bot. The bot stays closed; its status shows the work. */
import type { BotPatch, BotRow } from '../store/rows/index.ts'
import type { BotChange, LedgerEntry, OutgoingMessage } from './change.ts'
import { messagesOfEnd, messagesOfRetranscription, messagesOfStatus } from './messages/index.ts'
import { amount, type Charged, METERS } from './outcomes.ts'
import { withPatch } from './row.ts'

const FAILED = 'TRANSCRIPTION_FAILED'

/** The status before, to which the bot returns. */
export interface EarlierEnd {
  status: string
  errorCode: string | null
  errorMessage: string | null
}

export interface Retranscription {
  id: string
  provider: string
  hasOwnKey: boolean
  earlier: EarlierEnd
}

export function earlierEnd(bot: BotRow): EarlierEnd {
  return { status: bot.status, errorCode: bot.error_code, errorMessage: bot.error_message }
}

export function retranscriptionBegun(bot: BotRow, { id, provider }: Retranscription, now: Date): BotChange {
  const patch = { status: 'transcribing', transcription_status: 'processing' }
  return {
    patch,
    steps: [step(now, 'New transcript requested.', { status: 'transcribing', provider })],
    messages: messagesOfStatus(withPatch(bot, patch), {
      code: 'transcribing',
      at: now,
      sourceId: `${sourceOf(id)}:begun`,
    }),
    ledger: [],
  }
}

export interface NewTranscript {
  /** Of the recording, that were transcribed. */
  seconds: number
  /** Under which the provider keeps it. */
  ids: readonly string[]
}

/** The ids of earlier transcripts stay, as they may have to be deleted at the provider. A bot that had failed for want of a transcript is completed now. */
export function retranscriptionDone(
  bot: BotRow,
  { id, provider, hasOwnKey, earlier }: Retranscription,
  { seconds, ids }: NewTranscript,
  now: Date,
): BotChange {
  const meter = hasOwnKey ? 'byok_transcription' : 'transcription'
  const micro = amount(meter, seconds)
  const before = (bot.charged as Charged | null) ?? nothing()
  const isMended = earlier.errorCode === FAILED
  const patch: BotPatch = {
    status: isMended ? 'completed' : earlier.status,
    error_code: isMended ? null : earlier.errorCode,
    error_message: isMended ? null : earlier.errorMessage,
    transcription_status: 'done',
    transcription_provider: provider,
    transcribed_seconds: seconds,
    transcription_ids: [...new Set([...(bot.transcription_ids as string[]), ...ids])],
    ...(micro > 0 && { charged: { ...before, [meter]: before[meter] + micro } }),
  }
  const after = withPatch(bot, patch)
  const source = `charge:${bot.id}:${meter}:retranscription:${id}`
  const charge: LedgerEntry = {
    teamId: bot.team_id,
    botId: bot.id,
    kind: 'charge',
    meter,
    amount: micro,
    source,
  }
  return {
    patch,
    steps: [step(now, 'The new transcript was made.', { status: after.status, provider })],
    messages: [...statusAgain(after, id, now), ...messagesOfRetranscription(after, sourceOf(id))],
    ledger: micro > 0 ? [charge] : [],
  }
}

/** The recording and an earlier transcript stay. A bot that had failed keeps its own reason. */
export function retranscriptionFailed(
  bot: BotRow,
  { id, provider, earlier }: Retranscription,
  sentence: string,
  now: Date,
): BotChange {
  const hadFailed = earlier.status === 'failed' && earlier.errorCode !== null
  const patch: BotPatch = {
    status: 'failed',
    error_code: hadFailed ? earlier.errorCode : FAILED,
    error_message: hadFailed ? earlier.errorMessage : `The new transcript was not made. ${sentence}`,
    transcription_status: 'error',
  }
  const after = withPatch(bot, patch)
  return {
    patch,
    steps: [step(now, `The new transcript was not made. ${sentence}`, { status: 'failed', provider })],
    messages: [...statusAgain(after, id, now), ...messagesOfEnd(after, sourceOf(id))],
    ledger: [],
  }
}

/** The recording was deleted in the meantime: no message is sent. */
export function retranscriptionDropped(bot: BotRow, { provider, earlier }: Retranscription, now: Date): BotChange {
  const patch: BotPatch = { status: earlier.status, transcription_status: 'error' }
  const reason = 'The new transcript was dropped, because the data of the bot was deleted.'
  return { patch, steps: [step(now, reason, { status: bot.status, provider })], messages: [], ledger: [] }
}

function statusAgain(bot: BotRow, id: string, now: Date): OutgoingMessage[] {
  return messagesOfStatus(bot, { code: bot.status, at: now, sourceId: `${sourceOf(id)}:ended` })
}

function step(at: Date, reason: string, evidence: Record<string, unknown>) {
  return { at, attempt: null, kind: 'status' as const, reason, evidence }
}

function nothing(): Charged {
  return Object.fromEntries(METERS.map((meter) => [meter, 0])) as Charged
}

const sourceOf = (id: string) => `retranscription:${id}`
