/**
 * `npm run bench`: what a bot costs on this machine and how good its recording is, mode by mode in one run, on the mock
 * meeting with four people. CPU and memory are those of the bot's whole process tree; the mock meeting runs in this
 * process and is not counted. `-- --seconds 30` sets the measured time, `-- --long` adds ten minutes for the drift of
 * sound against picture, `-- --write` puts the table into docs/benchmarks.md.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startMockGoogleMeet } from '../mock/index.ts'
import { bundlePageScripts } from '../scripts/build.ts'
import { createUsageMeter } from '../src/control-link/index.ts'
import { packageRoot } from '../src/page-scripts.ts'
import { BotProcess } from '../test/end-to-end/bot-process.ts'
import { FOUR_PEOPLE, passes } from '../test/end-to-end/meeting-script.ts'
import { Plane } from '../test/end-to-end/plane.ts'
import { beepsIn, flashesIn, median, offsets, picturesOf, soundOf, worst } from '../test/media/meeting-recording.ts'
import { sharedMegabytes } from './memory.ts'

interface Row {
  name: string
  cores: number
  megabytes: number
  admissionToFrame: number | null
  leaveToFiles: number | null
  repeatedFrames: string
  offsets: string
  bytesPerMinute: number | null
}

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '30' }, long: { type: 'boolean' }, write: { type: 'boolean' } },
})
const seconds = Number(values.seconds)
/** Loading a meeting costs a burst that is over after this. */
const SETTLE_SECONDS = 8
const LONG_SECONDS = 600

await bundlePageScripts()
const server = await startMockGoogleMeet()
const plane = await Plane.start()
const folder = mkdtempSync(join(tmpdir(), 'standin-bench-'))
const rows: Row[] = []
try {
  rows.push(await measure('the page alone', 'speaker_view', seconds, true))
  rows.push(await measure('speaker_view', 'speaker_view', seconds))
  rows.push(await measure('gallery_view', 'gallery_view', seconds))
  rows.push(await measure('audio_only', 'audio_only', seconds))
  if (values.long) rows.push(await measure('speaker_view, 10 minutes', 'speaker_view', LONG_SECONDS))
} finally {
  await Promise.all([server.close(), plane.close()])
  rmSync(folder, { recursive: true, force: true })
}
const table = report(rows)
console.log(table)
if (values.write) {
  const file = join(packageRoot, 'docs', 'benchmarks.md')
  const page = readFileSync(file, 'utf8')
  writeFileSync(file, page.replace(/(<!-- table -->\n)[\s\S]*(<!-- end -->)/, `$1\n${table}\n\n$2`))
}

async function measure(name: string, mode: string, length: number, isPaused = false): Promise<Row> {
  const meeting = server.open('open-meeting-join-now', { people: FOUR_PEOPLE })
  const bot = new BotProcess(server, meeting, { out: folder, job: { recording_mode: mode, ...plane.job } })
  try {
    await bot.whenStatus('in_call_recording')
    const script = talk(length + SETTLE_SECONDS)
    if (isPaused) await plane.command(bot, { type: 'pause' })
    meeting.flashAndBeep(true)
    await passes(SETTLE_SECONDS)
    const meter = createUsageMeter(bot.process.pid!)
    await meter.read()
    await passes(length)
    const { cpuPercent } = await meter.read()
    const megabytes = sharedMegabytes([bot.process.pid!, ...bot.children('')])
    await script
    const leaving = Date.now()
    bot.kill('SIGINT')
    const { report: final } = await bot.ended()
    const stored = bot.events.filter(({ event }) => event.type === 'artifact').map(({ at }) => Date.parse(at))
    const video = final?.artifacts.find(({ name: file }) => file === 'video.mp4')
    const started = Date.parse(final?.recording_started_at ?? '')
    return {
      name,
      cores: cpuPercent / 100,
      megabytes,
      admissionToFrame: (started - meeting.truth.admittedAt!) / 1000,
      leaveToFiles: (Math.max(...stored) - leaving) / 1000,
      repeatedFrames: repeated(bot, final?.duration_seconds ?? 0),
      offsets: video && !isPaused ? await offsetsOf(bot.file('video.mp4'), video.duration_seconds ?? 0) : '–',
      bytesPerMinute: video && !isPaused ? (video.bytes / (video.duration_seconds ?? 1)) * 60 : null,
    }
  } finally {
    await bot.dispose()
  }

  /** Somebody always speaks, in turns of five seconds, so that the speaker view has work. */
  async function talk(total: number): Promise<void> {
    for (let turn = 0; turn * 5 < total; turn++) {
      const { id } = FOUR_PEOPLE[turn % FOUR_PEOPLE.length]!
      meeting.startSpeaking(id)
      await passes(4.5)
      meeting.stopSpeaking(id)
      await passes(0.5)
    }
  }
}

function repeated(bot: BotProcess, duration: number): string {
  const last = bot.events.findLast(({ event }) => event.type === 'recording_progress')?.event
  if (last?.type !== 'recording_progress' || duration === 0) return '–'
  return `${((last.dropped_frames / (last.seconds * 25)) * 100).toFixed(2)} %`
}

/** Of the first and of the last half minute. */
async function offsetsOf(path: string, duration: number): Promise<string> {
  const beeps = beepsIn(await soundOf(path))
  const parts: string[] = []
  for (const start of duration > 120 ? [0, duration - 60] : [0]) {
    const values_ = offsets(flashesIn(await picturesOf(path, start, 60)), beeps)
    parts.push(values_.length === 0 ? '–' : `${median(values_).toFixed(0)} / ${worst(values_).toFixed(0)} ms`)
  }
  return parts.join(' → ')
}

function report(all: Row[]): string {
  const alone = all[0]!
  const number = (value: number | null, digits = 1) => (value === null ? '–' : value.toFixed(digits))
  const lines = all.map((row) =>
    [
      row.name,
      `${row.cores.toFixed(2)}`,
      `${(row.cores / alone.cores).toFixed(2)}`,
      `${row.megabytes.toFixed(0)}`,
      number(row.admissionToFrame),
      number(row.leaveToFiles),
      row.repeatedFrames,
      row.offsets,
      row.bytesPerMinute === null ? '–' : `${(row.bytesPerMinute / 1e6).toFixed(1)}`,
    ].join(' | '),
  )
  const head = [
    'mode',
    'cores',
    '× page',
    'MB (PSS)',
    's admission → frame',
    's leave → files',
    'repeated frames',
    'sound − picture, median / worst',
    'MB/min',
  ]
  return [
    `${availableParallelism()} cores, load ${loadavg()[0]!.toFixed(1)} at the end, ${seconds} s for each mode, 4 people of 640×360 at 24 frames`,
    '',
    `| ${head.join(' | ')} |`,
    `|${head.map(() => '---').join('|')}|`,
    ...lines.map((line) => `| ${line} |`),
  ].join('\n')
}
