/** Status and tokens by the way in which a bot ended. Source: docs/api.md#charges-by-outcome. */
import { NORMAL_END_CODES } from '@standin/wire/codes.ts'
import type { BotRow } from '../store/rows/index.ts'
import type { LedgerEntry } from './change.ts'
import { requestOf } from './request.ts'

export const METERS = [
  'recording',
  'transcription',
  'byok_transcription',
  'streaming_input',
  'streaming_output',
] as const
export type Meter = (typeof METERS)[number]

/** `bots.charged`: micro-tokens of each meter. */
export type Charged = Record<Meter, number>

/** Micro-tokens an hour. */
const RATES: Readonly<Charged> = {
  recording: 1_000_000,
  transcription: 250_000,
  byok_transcription: 50_000,
  streaming_input: 100_000,
  streaming_output: 100_000,
}

/** Micro-tokens that are set aside for each bot from its admission to its end. */
export const RESERVATION = 500_000

const NORMAL = new Set<string>(NORMAL_END_CODES)
/** The time before admission is charged as recording. */
const WAITED = new Set(['BOT_NOT_ACCEPTED', 'TIMEOUT_WAITING_TO_START', 'RECORDING_START_TIMEOUT'])

export function isNormalEnd(code: string): boolean {
  return NORMAL.has(code)
}

/** The charge of a closed bot; null if its end is free. `bot` is the row with everything that its end says. */
export function chargesOf(bot: BotRow): Charged | null {
  const code = bot.error_code ?? bot.end_code ?? 'UNKNOWN_ERROR'
  if (WAITED.has(code)) return { ...NOTHING, recording: amount('recording', secondsWaited(bot)) }
  const isNormal = bot.status === 'completed' && isNormalEnd(code)
  if (!isNormal && code !== 'TRANSCRIPTION_FAILED') return null
  const transcription = requestOf(bot).sealed?.includes('transcriptionApiKey') ? 'byok_transcription' : 'transcription'
  return {
    ...NOTHING,
    recording: amount('recording', bot.duration_seconds),
    ...(isNormal && { [transcription]: amount(transcription, bot.transcribed_seconds) }),
    streaming_input: amount('streaming_input', bot.streaming_input_seconds),
    streaming_output: amount('streaming_output', bot.streaming_output_seconds),
  }
}

const NOTHING: Readonly<Charged> = {
  recording: 0,
  transcription: 0,
  byok_transcription: 0,
  streaming_input: 0,
  streaming_output: 0,
}

/** Micro-tokens for a time, which counts in whole seconds. */
export function amount(meter: Meter, seconds: number | null): number {
  if (seconds === null || !(seconds > 0)) return 0
  return Math.round((Math.round(seconds) * RATES[meter]) / 3600)
}

/** Seconds from the waiting room, or from the meeting without a recording, to the end. */
function secondsWaited({ waiting_at, joined_at, exited_at, ended_at }: BotRow): number {
  const from = waiting_at ?? joined_at
  const to = exited_at ?? ended_at
  return from && to ? (to.getTime() - from.getTime()) / 1000 : 0
}

/** Entries that end a bot's reservation and charge what it used; each can be written once. */
export function entriesOfEnd(bot: BotRow, reserved: number, charged: Charged | null): LedgerEntry[] {
  const entry = (kind: 'release' | 'charge', meter: Meter | null, micro: number): LedgerEntry => ({
    teamId: bot.team_id,
    botId: bot.id,
    kind,
    meter,
    amount: micro,
    source: meter === null ? `release:${bot.id}` : `charge:${bot.id}:${meter}`,
  })
  const charges = METERS.filter((meter) => (charged?.[meter] ?? 0) > 0)
  return [
    ...(reserved > 0 ? [entry('release', null, reserved)] : []),
    ...charges.map((meter) => entry('charge', meter, charged![meter])),
  ]
}
