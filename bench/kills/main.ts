/**
 * `npm run bench:kills`: kills every kind of process (-9) at random moments of a running recording, makes storage fail
 * in every way, and checks each remaining file: plays, seeks, lost at most two seconds. `--times 50` sets how often a
 * process is killed, `--meetings 6` how many of these are parts of whole bots in a mock meeting (browsers, of each
 * platform in turn, then the others); `--only disk` picks the troubles of storage by their name; `--write` puts the
 * table into a new note of today in bench/notes.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { MOCK_PLATFORMS, type MockPlatformName, titleOf } from '../../packages/mock/index.ts'
import { newNote } from '../shared/notes.ts'
import type { Verdict } from './check.ts'
import { killInMeeting, type Part } from './meeting.ts'
import { type Accident, recordWith } from './run.ts'

const MAX_LOST_SECONDS = 2

const { values } = parseArgs({
  options: {
    times: { type: 'string', default: '50' },
    meetings: { type: 'string', default: '6' },
    only: { type: 'string' },
    write: { type: 'boolean' },
  },
})
const times = Number(values.times)
const meetings = Math.min(times, Number(values.meetings))

const KILLS: Accident[] = (['bot', 'ffmpeg', 'Xvfb', 'pulseaudio'] as const).flatMap((victim) => [
  { what: 'kill', victim, place: 'folder' },
  { what: 'kill', victim, place: 's3' },
])
const TROUBLES: Accident[] = [
  { what: 's3 refuses and comes back' },
  { what: 's3 stalls' },
  { what: 's3 is away, and the bot is killed' },
  { what: 'the disk is full' },
]
const IN_MEETINGS: [Part, MockPlatformName][] = [
  ...MOCK_PLATFORMS.map((platform): [Part, MockPlatformName] => ['chromium', platform]),
  ...(['ffmpeg', 'pulseaudio'] as const).map((part): [Part, MockPlatformName] => [part, 'meet']),
]

interface Row {
  name: string
  verdict: Verdict | null
  /** Why there is no verdict, or another observation. */
  note: string
}

if (values.only) TROUBLES.splice(0, TROUBLES.length, ...TROUBLES.filter(({ what }) => what.includes(values.only!)))

const folder = mkdtempSync(join(tmpdir(), 'standin-kills-'))
const rows: Row[] = []
try {
  for (let index = 0; index < times - meetings; index++) await add(KILLS[index % KILLS.length]!)
  for (const trouble of TROUBLES) await add(trouble)
  for (let index = 0; index < meetings; index++) {
    const [part, platform] = IN_MEETINGS[index % IN_MEETINGS.length]!
    const { verdict, note } = await killInMeeting(platform, part, join(folder, `meeting-${index}`))
    note_({ name: `kill ${part}, mock ${titleOf(platform)}`, verdict, note })
  }
} finally {
  await promisify(execFile)('umount', [join(folder, 'full')]).catch(() => {
    // It was never mounted, or is gone already.
  })
  rmSync(folder, { recursive: true, force: true })
}
const said = table()
console.log(said)
if (values.write) {
  writeFileSync(newNote('kills'), `# What survives a kill\n\n${said}\n`)
}
const failed = rows.filter(({ verdict }) => verdict !== null && !isGood(verdict))
process.exitCode = failed.length === 0 ? 0 : 1

async function add(accident: Accident): Promise<void> {
  const name = accident.what === 'kill' ? `kill ${accident.victim}, ${accident.place}` : accident.what
  note_({ name, ...(await recordWith(accident, folder)) })
}

function note_(row: Row): void {
  rows.push(row)
  const { verdict } = row
  const said = verdict
    ? `${isGood(verdict) ? 'good' : 'BAD'}: ${verdict.seconds.toFixed(1)} s, ${verdict.lostSeconds.toFixed(2)} s lost`
    : 'left out'
  console.error(`${rows.length}. ${row.name}: ${said} ${verdict?.complaint ?? ''} ${row.note}`)
}

function isGood({ plays, seeks, lostSeconds, holeSeconds }: Verdict): boolean {
  return plays && seeks && lostSeconds <= MAX_LOST_SECONDS && holeSeconds <= MAX_LOST_SECONDS
}

function table(): string {
  const lines = [...new Set(rows.map(({ name }) => name))].map((name) => {
    const of = rows.filter((row) => row.name === name)
    const verdicts = of.flatMap(({ verdict }) => verdict ?? [])
    if (verdicts.length === 0) return `| ${name} | 0 | – | – | – | – | ${of[0]!.note} |`
    const count = (is: (verdict: Verdict) => boolean) => `${verdicts.filter(is).length}`
    const worst = (of_: (verdict: Verdict) => number) => Math.max(...verdicts.map(of_)).toFixed(2)
    return [
      `| ${name} | ${verdicts.length} | ${count(({ plays }) => plays)} | ${count(({ seeks }) => seeks)}`,
      `${worst(({ lostSeconds }) => lostSeconds)} | ${worst(({ holeSeconds }) => holeSeconds)} | ${of.at(-1)!.note} |`,
    ].join(' | ')
  })
  return [
    `${rows.length} recordings, load ${loadavg()[0]!.toFixed(1)} at the end`,
    '',
    '| what happened | times | plays | seeks | most lost, s | longest hole, s | last note |',
    '|---|---|---|---|---|---|---|',
    ...lines,
  ].join('\n')
}
