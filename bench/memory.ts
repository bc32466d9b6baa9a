/**
 * `node bench/memory.ts`: where the memory of bots is, by process and by kind of page, while they record.
 *
 * `--mode audio_only`: the recording mode. `--bots 8`: bots at once, each in a separate meeting. `--seconds 20`: time of
 * recording before the reading. The bots run from `dist/`, so build first.
 *
 * Shares (PSS): memory that processes share counts once, so the rows add up.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { RECORDING_MODES } from '@standin/wire/codes.ts'
import { z } from 'zod'
import { startMockGoogleMeet } from '../packages/mock/index.ts'
import { bundlePageScripts } from '../scripts/build.ts'
import type { Running } from './shared/measured.ts'
import { openScene, passes, type Scene } from './shared/meeting.ts'
import { ownMode } from './shared/own-modes.ts'
import { processesBelow, roleOf } from './shared/process-tree.ts'
import { markdown } from './shared/table.ts'

const { values } = parseArgs({
  options: {
    mode: { type: 'string', default: 'audio_only' },
    bots: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '20' },
  },
})
const mode = z.enum(RECORDING_MODES).parse(values.mode)
const count = Number(values.bots)

/** Fields of smaps_rollup: proportional shares in kB, and what no other process has. */
const FIELDS = ['Pss', 'Pss_Anon', 'Pss_File', 'Pss_Shmem', 'Private_Dirty'] as const

await bundlePageScripts({ goOn: true })
const server = await startMockGoogleMeet()
const folder = mkdtempSync(join(tmpdir(), 'standin-memory-'))
const scenes: Scene[] = []
const bots: Running[] = []
try {
  for (let number = 0; number < count; number++) {
    const scene = openScene(server, { talk: 'turns' })
    scenes.push(scene)
    bots.push(await ownMode(mode, server, folder).start(scene))
  }
  await passes(Number(values.seconds))
  const rows = new Map<string, { processes: number; megabytes: number[] }>()
  for (const pid of processesBelow(bots.flatMap((bot) => [...bot.roots()]))) {
    const role = roleOf(pid)
    const row = rows.get(role) ?? { processes: 0, megabytes: FIELDS.map(() => 0) }
    rows.set(role, row)
    row.processes += 1
    for (const [place, value] of memoryOf(pid).entries()) row.megabytes[place]! += value
  }
  const sum = FIELDS.map((_, place) => [...rows.values()].reduce((all, { megabytes }) => all + megabytes[place]!, 0))
  const sorted = [...rows].sort(([, one], [, other]) => other.megabytes[0]! - one.megabytes[0]!)
  const line = (name: string, processes: number, megabytes: number[]) => [
    name,
    (processes / count).toFixed(0),
    ...megabytes.map((value) => (value / count).toFixed(0)),
  ]
  const lines = sorted.map(([role, { processes, megabytes }]) => line(role, processes, megabytes))
  lines.push(
    line(
      'in all',
      sorted.reduce((all, [, { processes }]) => all + processes, 0),
      sum,
    ),
  )
  console.log(`\n${count} × ${mode}, MB for each bot:\n`)
  console.log(markdown(['process', 'number', 'PSS', 'anonymous', 'files', 'shared', 'private dirty'], lines).join('\n'))
} finally {
  await Promise.all(bots.map((bot) => bot.dispose()))
  for (const scene of scenes) scene.end()
  await server.close()
  rmSync(folder, { recursive: true, force: true })
}

function memoryOf(pid: number): number[] {
  let text = ''
  try {
    text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
  } catch {
    // It ended meanwhile.
  }
  return FIELDS.map((field) => Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0) / 1024)
}
