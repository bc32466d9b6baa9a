/**
 * `node bench/diarization.ts`: how well it is known who spoke when, on the mock of every platform, in talks of 2, 4 and 8
 * voices with cross talk and short yeses. `--platforms jitsi,zoom`, `--voices 2,8` and `--seconds 60` choose; `--seed 7`
 * makes other talks (default 40); `--pace 6` makes the mocks' own times, and with them marks that linger, six times as fast
 * as the real pages', which is usual but for the rows of one mix; `--turns` prints what was said beside what was noted;
 * `--write` puts the table into docs/diarization.md.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { packageRoot } from '../core/process/page-scripts.ts'
import { bundlePageScripts } from '../scripts/build.ts'
import { type Outcome, playScene } from '../test/diarization/scripted-meeting.ts'
import { conversation, hardCases } from '../test/diarization/scripts.ts'
import {
  GOOGLE_MEET,
  JITSI,
  MICROSOFT_TEAMS,
  type PlatformUnderTest,
  ZOOM,
  ZOOM_SDK,
} from '../test/platforms/conformance/platforms.ts'

const KINDS = [
  { key: 'meet', platform: GOOGLE_MEET, scenario: 'open', name: 'Google Meet' },
  { key: 'teams', platform: MICROSOFT_TEAMS, scenario: 'open', name: 'Microsoft Teams' },
  { key: 'zoom', platform: ZOOM, scenario: 'open', name: 'Zoom, a track for each person' },
  { key: 'zoom-mix', platform: atRealPace(ZOOM), scenario: 'wc-audio-worklet', name: 'Zoom, one mix' },
  { key: 'zoom-sdk', platform: ZOOM_SDK, scenario: 'open', name: 'Zoom, Meeting SDK' },
  {
    key: 'zoom-sdk-mix',
    platform: atRealPace(ZOOM_SDK),
    scenario: 'wc-audio-worklet',
    name: 'Zoom, Meeting SDK, one mix',
  },
  { key: 'jitsi', platform: JITSI, scenario: 'open', name: 'Jitsi Meet' },
]

/** Where marks alone name people, they have to linger for as long as the real ones. */
function atRealPace(platform: PlatformUnderTest): PlatformUnderTest {
  return { ...platform, speed: 1 }
}

const { values } = parseArgs({
  options: {
    platforms: { type: 'string', default: KINDS.map(({ key }) => key).join() },
    voices: { type: 'string', default: '2,4,8' },
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: '40' },
    pace: { type: 'string' },
    hard: { type: 'boolean' },
    turns: { type: 'boolean' },
    write: { type: 'boolean' },
  },
})

await bundlePageScripts()
const rows: string[] = []
for (const { key, platform: usual, scenario, name } of KINDS) {
  if (!values.platforms.split(',').includes(key)) continue
  const platform = values.pace === undefined ? usual : { ...usual, speed: Number(values.pace) }
  const mock = await platform.start()
  try {
    if (values.hard) rows.push(row(name, 'hard cases', await playScene(platform, mock, hardCases(), scenario)))
    else
      for (const count of values.voices.split(',').map(Number)) {
        const scene = conversation(count, Number(values.seconds), Number(values.seed) + count)
        rows.push(row(name, String(count), await playScene(platform, mock, scene, scenario)))
      }
  } finally {
    await mock.close()
  }
}

const head = [
  'platform',
  'voices',
  'error',
  'missed',
  'false alarm',
  'confused',
  'error without collar',
  'turns noted',
  'invented',
  'begins / ends after sending, median',
]
const table = [
  `${availableParallelism()} cores, load ${loadavg()[0]!.toFixed(1)} at the end, ${values.seconds} s for each talk`,
  '',
  `| ${head.join(' | ')} |`,
  `|${head.map(() => '---').join('|')}|`,
  ...rows,
].join('\n')
console.log(table)
if (values.write) {
  const file = join(packageRoot, 'docs', 'diarization.md')
  const page = readFileSync(file, 'utf8')
  writeFileSync(file, page.replace(/(<!-- table -->\n)[\s\S]*(<!-- end -->)/, `$1\n${table}\n\n$2`))
}

function row(name: string, voices: string, outcome: Outcome): string {
  const { error, strict, turns, invented, lateMs } = outcome
  const share = (seconds: number) => `${((seconds / error.total) * 100).toFixed(1)} %`
  if (values.turns) printTurns(name, voices, outcome)
  const line = [
    name,
    voices,
    `**${(error.rate * 100).toFixed(1)} %**`,
    share(error.missed),
    share(error.falseAlarm),
    share(error.confused),
    `${(strict.rate * 100).toFixed(1)} %`,
    `${turns.noted} of ${turns.all}`,
    invented,
    `${lateMs.begins.toFixed(0)} / ${lateMs.ends.toFixed(0)} ms`,
  ]
  const made = `| ${line.join(' | ')} |`
  console.log(made)
  return made
}

function printTurns(name: string, voices: string, { truth, segments }: Outcome): void {
  const said = truth.map(({ start, end, name: who, speaker }) => [start, end, `said   ${who} (${speaker})`] as const)
  const noted = segments.map(
    ({ start_time, end_time, speaker, user_id, source, confidence }) =>
      [start_time, end_time, `  noted ${speaker} (${user_id}) ${source} ${confidence}`] as const,
  )
  console.log(`\n${name}, ${voices}`)
  for (const [start, end, what] of [...said, ...noted].sort(([one], [other]) => one - other))
    console.log(`${start.toFixed(2).padStart(7)} ${end.toFixed(2).padStart(7)} ${what}`)
}
