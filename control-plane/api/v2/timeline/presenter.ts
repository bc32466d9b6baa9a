/** The timeline of one bot, from its stored steps, launches and deliveries. */
import { hideSecrets } from '@standin/wire/text/secret-patterns.ts'
import { sentenceOf } from '../../../bots/sentences.ts'
import type { TimelineRows } from '../../../store/bots/timeline.ts'
import type { TimelineStep } from './schema.ts'

/** Log lines in the evidence, and the characters of each. */
const LOG_LINES = 20
const LOG_LINE_LENGTH = 500

interface Entry {
  at: Date
  attempt: number | null
  kind: string
  reason: string | null
  evidence: Record<string, unknown> | null
  sentence?: string
}

/** In the order of time; steps of one moment keep the order in which they were stored. */
export function timelineOf(rows: TimelineRows): TimelineStep[] {
  const entries = [...stepsOf(rows), ...launchesOf(rows), ...filesOf(rows), ...webhooksOf(rows)]
  return entries
    .map((entry, place) => ({ entry, place }))
    .sort((a, b) => a.entry.at.getTime() - b.entry.at.getTime() || a.place - b.place)
    .map(({ entry: { at, sentence, ...step } }) => ({
      at: at.toISOString(),
      ...step,
      sentence: sentence ?? sentenceOf({ at, ...step }),
    }))
}

/** One line for each step. */
export function timelineText(steps: readonly TimelineStep[]): string {
  return steps.map(({ at, sentence }) => `${at} ${sentence}\n`).join('')
}

function stepsOf({ steps, launches }: TimelineRows): Entry[] {
  return steps.map(({ at, attempt, kind, reason, evidence }) => {
    const launch = kind === 'process_ended' && launches.find((each) => each.attempt === attempt)
    const log = launch && evidence !== null ? lastLines(launch.log_tail ?? '') : []
    const known = evidence as Entry['evidence']
    return { at, attempt, kind, reason, evidence: log.length > 0 ? { ...known, log } : known }
  })
}

/** Of a bot that ended without a report. Its events, which it prints too, are in its history. */
function lastLines(text: string): string[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('{"type":'))
  return lines.slice(-LOG_LINES).map((line) => hideSecrets(line).slice(0, LOG_LINE_LENGTH))
}

/** The end of a process, with the evidence of the system that ran it. */
function launchesOf({ launches, steps }: TimelineRows): Entry[] {
  const ended = new Set(steps.filter(({ kind }) => kind === 'process_ended').map(({ attempt }) => attempt))
  return launches.flatMap((launch): Entry[] => {
    if (launch.ended_at === null || ended.has(launch.attempt)) return []
    const { attempt, launcher, exit_code, signal, is_out_of_memory, reason } = launch
    return [
      {
        at: launch.ended_at,
        attempt,
        kind: 'process_ended',
        reason: reason ?? endOf(launch),
        evidence: { launcher, exit_code, signal, is_out_of_memory },
      },
    ]
  })
}

function endOf({ exit_code, signal, is_out_of_memory }: TimelineRows['launches'][number]): string | null {
  if (is_out_of_memory) return 'It had no memory left.'
  if (signal !== null) return `It was ended by ${signal}.`
  return exit_code === null ? null : `Its exit code was ${exit_code}.`
}

function filesOf({ artifacts }: TimelineRows): Entry[] {
  return artifacts
    .filter(({ name }) => !name.startsWith('screenshots/'))
    .map(({ attempt, name, bytes, stored_at }) => ({
      at: stored_at,
      attempt,
      kind: 'file_stored',
      reason: null,
      evidence: { name, bytes },
      sentence: `The file ${name} was stored (${bytes} bytes).`,
    }))
}

function webhooksOf({ deliveries }: TimelineRows): Entry[] {
  return deliveries.flatMap(({ id: delivery_id, message_id, endpoint_id, event, url, attemptList }) =>
    attemptList.map(({ at, status, error, duration_ms, answer, is_replay }, index): Entry => {
      const isAccepted = status !== null && status >= 200 && status < 300
      const result = status === null ? (error ?? 'no answer') : `answer ${status}`
      return {
        at,
        attempt: null,
        kind: isAccepted ? 'webhook_delivered' : 'webhook_failed',
        reason: isAccepted ? null : result,
        evidence: {
          delivery_id,
          message_id,
          endpoint_id,
          event,
          url,
          try: index + 1,
          status,
          error,
          duration_ms,
          answer,
          is_replay,
        },
        sentence: isAccepted
          ? `The webhook ${event} was delivered to ${hostOf(url)} (try ${index + 1}, ${result}).`
          : `The webhook ${event} was not accepted by ${hostOf(url)} (try ${index + 1}, ${result}).`,
      }
    }),
  )
}

/** The rest of an address may hold secrets, and belongs to the evidence. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'its address'
}
