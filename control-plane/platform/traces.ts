/**
 * Spans of OpenTelemetry, if an endpoint for them is set (docs/operating.md#watching). The spans of a bot belong to the trace
 * of the request that asked for it, which is stored with the bot, so that a trace spans days and processes. Attributes
 * hold ids and fixed words: never a secret, a meeting link, an address or a text of a caller.
 */
import type { BotRow } from '../store/rows/index.ts'

export type Attributes = Readonly<Record<string, string | number | boolean | null>>

export interface NewSpan {
  /** A `traceparent` as W3C Trace Context has it; null starts a new trace. */
  parent: string | null
  kind?: 'server' | 'client' | 'internal'
  /** Null values are left out. */
  attributes?: Attributes
  /** UTC milliseconds; now if it is left out. */
  startedAt?: number
}

export interface Span {
  /** For spans that follow from it. */
  readonly traceparent: string
  /** `error` in one plain sentence or word marks the span as failed; `at` in UTC milliseconds. */
  end(result?: { attributes?: Attributes; error?: string | null; at?: number }): void
}

export interface Traces {
  readonly isOn: boolean
  /** Null if there are no traces. Never throws. */
  begin(name: string, span: NewSpan): Span | null
}

export const NO_TRACES: Traces = { isOn: false, begin: () => null }

const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-0[01]$/

/** The header of a caller, if it is one that can be followed. */
export function readTraceparent(header: unknown): string | null {
  return typeof header === 'string' && TRACEPARENT.test(header) ? header : null
}

/** The trace of a bot: that of its request, or one made of its id if it was asked for by a calendar or without traces. */
export function traceOf(bot: Pick<BotRow, 'id' | 'traceparent'>): string {
  if (bot.traceparent !== null) return bot.traceparent
  const id = bot.id.replaceAll('-', '')
  return `00-${id}-${id.slice(16)}-01`
}

/** One span from the bot's request to its end, sent once the bot is over. */
export function traceLife(traces: Traces, bot: BotRow): void {
  if (!traces.isOn || bot.phase !== 'closed') return
  const startedAt = (bot.launched_at ?? bot.queued_at ?? bot.created_at).getTime()
  const endedAt = (bot.ended_at ?? bot.updated_at).getTime()
  const span = traces.begin('bot', {
    parent: traceOf(bot),
    startedAt: Math.min(startedAt, endedAt),
    attributes: {
      'standin.bot.id': bot.id,
      'standin.team.id': bot.team_id,
      'standin.attempt': bot.attempt,
      'standin.platform': bot.meeting_platform,
      'standin.status': bot.status,
      'standin.end_code': bot.end_code,
      'standin.error_code': bot.error_code,
    },
  })
  span?.end({ at: endedAt, error: bot.error_code })
}
