/** Facts about one part of a recording, from its journal and its manifest. Pure. */
import type { FinalReport, Gap, NumberedEvent } from '@standin/wire/events.ts'
import { z } from 'zod'
import type { RecordedSpan } from '../../../packages/core/recording.ts'

export interface PartFacts {
  events: readonly NumberedEvent[]
  /** Recorded stretches, which together last as long as the part's media. */
  spans: readonly { startedAt: number; endedAt: number }[]
  gaps: readonly Gap[]
  /** Of the media. */
  seconds: number
  /** The last instant at which its bot is known to have been there, UTC milliseconds. */
  endedAt: number
  /** It ended in a pause, so what comes until the next part was not to be recorded. */
  isPausedAtEnd: boolean
  /** Null for a part whose bot crashed. */
  report: FinalReport | null
}

const manifestSchema = z.looseObject({
  spans: z.array(z.looseObject({ started_at: z.string(), ended_at: z.string().nullable() })),
})

/** `manifest`: parsed, or null for a part whose bot crashed before it wrote one. */
export function factsOfPart(events: readonly NumberedEvent[], manifest: unknown, seconds: number): PartFacts {
  const gaps = events.flatMap(({ event }) => {
    if (event.type !== 'recording_gap') return []
    const { type, ...gap } = event
    return [gap]
  })
  const statuses = events.flatMap(({ event }) => (event.type === 'status_change' ? [event.status] : []))
  const last = statuses.findLast((status) => status.startsWith('recording_') || status === 'in_call_recording')
  const reports = events.flatMap(({ event }) => (event.type === 'final_report' ? [event] : []))
  const known = spansOfManifest(manifest) ?? spansOfEvents(events, gaps)
  const spans = lasting(known, seconds, events)
  const isPausedAtEnd = last === 'recording_paused'
  const report = reports.at(-1) ?? null
  // A bot that ended without an encoder has reported the time since as a gap.
  const ends = [spans.at(-1)!.endedAt, ...gaps.map(({ ended_at }) => Date.parse(ended_at))]
  if (isPausedAtEnd) ends.push(Date.parse(report?.exited_at ?? events.at(-1)!.at))
  return { events, gaps, seconds, spans, endedAt: Math.max(...ends), isPausedAtEnd, report }
}

function spansOfManifest(manifest: unknown): RecordedSpan[] | null {
  const parsed = manifestSchema.safeParse(manifest)
  if (!parsed.success || parsed.data.spans.length === 0) return null
  return parsed.data.spans.map(({ started_at, ended_at }) => ({
    startedAt: Date.parse(started_at),
    endedAt: ended_at === null ? null : Date.parse(ended_at),
  }))
}

/** Starts and ends as they were reported; gaps are known to the millisecond. */
function spansOfEvents(events: readonly NumberedEvent[], gaps: readonly Gap[]): RecordedSpan[] {
  const cuts = gaps.filter(({ reason }) => reason !== 'sound_lost')
  const changes: { at: number; isOn: boolean }[] = cuts.flatMap(({ started_at, ended_at }) => [
    { at: Date.parse(started_at), isOn: false },
    { at: Date.parse(ended_at), isOn: true },
  ])
  for (const { at, event } of events) {
    if (event.type !== 'status_change') continue
    if (event.status === 'in_call_recording')
      changes.push({ at: event.start_time === undefined ? Date.parse(at) : event.start_time * 1000, isOn: true })
    if (event.status === 'recording_paused') changes.push({ at: Date.parse(at), isOn: false })
    if (event.status === 'recording_resumed') changes.push({ at: Date.parse(at), isOn: true })
  }
  const spans: RecordedSpan[] = []
  for (const { at, isOn } of changes.sort((one, other) => one.at - other.at)) {
    const open = spans.at(-1)
    if (isOn && open?.endedAt !== null) spans.push({ startedAt: at, endedAt: null })
    else if (!isOn && open?.endedAt === null) open.endedAt = at
  }
  return spans
}

/** The spans with such ends that they last as long as the media do: these know best what was recorded. */
function lasting(spans: readonly RecordedSpan[], seconds: number, events: readonly NumberedEvent[]) {
  const end = Date.parse(events.at(-1)?.at ?? new Date(0).toISOString())
  const all = spans.length > 0 ? spans : [{ startedAt: end - seconds * 1000, endedAt: null }]
  const lasts: { startedAt: number; endedAt: number }[] = []
  let left = seconds * 1000
  for (const [place, { startedAt, endedAt }] of all.entries()) {
    const isLast = place === all.length - 1
    const length = isLast || endedAt === null ? left : Math.min(left, endedAt - startedAt)
    lasts.push({ startedAt, endedAt: startedAt + length })
    left -= length
    if (left <= 0) break
  }
  return lasts
}
