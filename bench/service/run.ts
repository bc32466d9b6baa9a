/**
 * `npm run bench:service`: how good the service is, each figure beside that of the plainest program that does the same in
 * the same run. Service, PostgreSQL, bots and receivers share this machine.
 *
 *   node bench/service/run.ts [measure…]
 *
 * Without names every measure runs, one after the other. `--small` takes sizes that a busy machine can try, `--sources` runs
 * the service and its bots without a build, `--list` names the measures.
 */
import { availableParallelism, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { type Figure, type Measure, progress } from './measure.ts'
import { useSources } from './service.ts'
import { tableOf } from './table.ts'

/** Loaded when they are run, as some of them bring a browser's mock meeting. */
const MEASURES: Record<string, () => Promise<{ measure: Measure }>> = {
  create: () => import('./create.ts'),
  reading: () => import('./reading.ts'),
  links: () => import('./control-links.ts'),
  words: () => import('./words.ts'),
  due: () => import('./due.ts'),
  joining: () => import('./joining.ts'),
  webhooks: () => import('./webhooks.ts'),
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { small: { type: 'boolean' }, sources: { type: 'boolean' }, list: { type: 'boolean' } },
})
const unknown = positionals.filter((name) => !(name in MEASURES))
if (values.list || unknown.length > 0) {
  const names = Object.keys(MEASURES).join(', ')
  if (unknown.length > 0) console.error(`No such measure: ${unknown.join(', ')}`)
  console.log(`Measures: ${names}`)
  process.exit(unknown.length > 0 ? 2 : 0)
}
if (values.sources) useSources()

const isSmall = values.small ?? false
const loadBefore = loadavg()[0]!
const figures: Figure[] = []
for (const name of positionals.length > 0 ? positionals : Object.keys(MEASURES)) {
  progress(`${name} (load ${loadavg()[0]!.toFixed(1)})`)
  try {
    const { measure } = await MEASURES[name]!()
    figures.push(...(await measure({ isSmall })))
  } catch (error) {
    // The figures of the others are kept.
    console.error(`${name} could not be measured:`, error)
    process.exitCode = 1
  }
}
const load = `load ${loadBefore.toFixed(1)} before, ${loadavg()[0]!.toFixed(1)} at the end`
const sizes = isSmall ? ', small sizes: goals hold for the full ones' : ''
console.log(`${availableParallelism()} cores, ${load}${sizes}\n`)
console.log(tableOf(figures).join('\n'))
// Agents and pools that are still open would keep the process alive.
process.exit()
