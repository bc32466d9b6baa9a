/**
 * `npm run bench:edges`: how much of the beginning and the end of a meeting is missing in a recording, measured from
 * outside. The mock meeting knows when it sent the call page and when it ended; from the finished file comes how long
 * it is, and from its beeps, whose true times the meeting knows, when it really began.
 *
 * `-- --platform teams` is one platform (default: all), `-- --times 20` meetings of each, `-- --mode gallery_view` another
 * picture or `audio_only`, `-- --entry open` a meeting without a waiting room, `-- --keep <folder>` leaves the recordings there.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { MOCK_PLATFORMS, type MockPlatformName, startMock } from '../packages/mock/index.ts'
import type { MockServer } from '../packages/mock/types.ts'
import { bundlePageScripts } from '../scripts/build.ts'
import { BotProcess, platformArguments } from '../test/end-to-end/bot-process.ts'
import { FOUR_PEOPLE, passes } from '../test/end-to-end/meeting-script.ts'
import { probe } from '../test/media/media-info.ts'
import { beepsIn, soundOf } from '../test/media/meeting-recording.ts'
import { median } from '../test/media/statistics.ts'
import { markdown } from './shared/table.ts'

const { values } = parseArgs({
  options: {
    platform: { type: 'string' },
    times: { type: 'string', default: '20' },
    mode: { type: 'string', default: 'speaker_view' },
    entry: { type: 'string', default: 'waiting-room' },
    keep: { type: 'string' },
  },
})
const WAIT_SECONDS = 4
const MEETING_SECONDS = 9
/** Milliseconds. The transit time of the meeting's sound is shorter. */
const MAX_ON_THE_WAY_MS = 1000

/** All in milliseconds. */
interface Edges {
  /** From the call page to the first picture or sound. */
  start: number
  /** From the end of the meeting to the last one. */
  end: number
  /** From the call page to the status that says so. */
  reported: number
  /** By how much the beeps of the file are later than by the time that the bot gives its beginning; null without beeps. */
  beepsLate: number | null
}

const platforms = MOCK_PLATFORMS.filter((name) => values.platform === undefined || name === values.platform)
if (platforms.length === 0) throw new Error(`--platform is one of ${MOCK_PLATFORMS.join(', ')}`)
await bundlePageScripts({ goOn: true })
const folder = values.keep ?? mkdtempSync(join(tmpdir(), 'standin-edges-'))
const rows: string[][] = []
try {
  for (const platform of platforms) rows.push(rowOf(platform, await measure(platform)))
} finally {
  if (values.keep === undefined) rmSync(folder, { recursive: true, force: true })
}
const head = ['platform', 'meetings', 'first frame after the call page', 'last after the end', 'status', 'beeps late']
console.log([`${values.mode}, entry: ${values.entry}; ms, median / 95th percentile / worst`, ''].join('\n'))
console.log(markdown(head, rows).join('\n'))

async function measure(platform: MockPlatformName): Promise<Edges[]> {
  const server = await startMock(platform)
  const measured: Edges[] = []
  try {
    for (let time = 0; time < Number(values.times); time++) {
      const edges = await once(server, platform)
      console.error(platform, JSON.stringify(edges))
      measured.push(edges)
    }
  } finally {
    await server.close()
  }
  return measured
}

async function once(server: MockServer, platform: MockPlatformName): Promise<Edges> {
  const meeting = server.open(values.entry, { people: FOUR_PEOPLE })
  const job = { recording_mode: values.mode, timeout_config: { removed_too_early: 0 } }
  const bot = new BotProcess(server, meeting, { out: folder, arguments: platformArguments(platform, meeting), job })
  try {
    meeting.flashAndBeep(true)
    if (values.entry === 'waiting-room') {
      await bot.whenStatus('in_waiting_room')
      await passes(WAIT_SECONDS)
      meeting.admit()
    }
    const { event: reported, at } = await bot.whenEvent('status_change', ({ status }) => status === 'in_call_recording')
    const shownAt = meeting.truth.admittedAt
    if (shownAt === null || reported.start_time === undefined) throw new Error('The bot records no meeting')
    await passes(MEETING_SECONDS)
    meeting.endForAll()
    const { exitCode } = await bot.ended()
    const endedAt = meeting.truth.leftAt
    if (endedAt === null) throw new Error('The meeting did not end')
    if (exitCode !== 0) throw new Error(`The bot ended with ${exitCode}`)
    const file = bot.file(values.mode === 'audio_only' ? 'audio.m4a' : 'video.mp4')
    const { seconds } = await probe(file)
    const startedAt = reported.start_time * 1000
    const beeps = beepsIn(await soundOf(file)).map((offset) => startedAt + offset * 1000)
    return {
      start: Math.round(startedAt - shownAt),
      end: Math.round(startedAt + seconds * 1000 - endedAt),
      reported: Math.round(Date.parse(at) - shownAt),
      beepsLate: lateness(beeps, meeting.truth.beeps),
    }
  } finally {
    await bot.dispose()
  }
}

function lateness(heard: readonly number[], sent: readonly number[]): number | null {
  const late = heard.flatMap((at) => {
    const ms = at - (sent.findLast((beep) => beep <= at) ?? Number.NaN)
    return ms < MAX_ON_THE_WAY_MS ? [ms] : []
  })
  return late.length === 0 ? null : Math.round(median(late))
}

function rowOf(platform: string, edges: readonly Edges[]): string[] {
  const figures = (pick: (one: Edges) => number | null) => {
    const sorted = edges.map(pick).filter((ms) => ms !== null)
    sorted.sort((one, other) => one - other)
    if (sorted.length === 0) return '–'
    return [median(sorted), sorted[Math.ceil(sorted.length * 0.95) - 1], sorted.at(-1)].join(' / ')
  }
  return [
    platform,
    String(edges.length),
    figures(({ start }) => start),
    figures(({ end }) => end),
    figures(({ reported }) => reported),
    figures(({ beepsLate }) => beepsLate),
  ]
}
