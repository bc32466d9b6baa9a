/**
 * `npm run test:changed [-- <commit>]`: the tests that the changes since a commit can break; without one, since the last.
 * The nearest run first, so that the right test is red within a minute: unit tests of the changed folders, then their pages
 * in Chromium, then the unit and database tests that import a change. Stops after the first step with a failed test.
 */
import { spawnSync } from 'node:child_process'
import { changedSince, testsOf } from './changes.ts'
import { lanesOf, needOf } from './lanes.ts'

const commit = process.argv[2] ?? 'HEAD'
const changed = changedSince(commit)
console.log(`Changed since ${commit}: ${changed.length === 0 ? 'nothing' : changed.join(' ')}`)
if (changed.length === 0) process.exit()

/** `platforms/google-meet/join-flow.ts` has its tests in `test/platforms/google-meet`, and its words beside all platforms'. */
const folders = changed.map((file) => `test/${file.replace(/^test\//, '').replace(/[^/]*$/, '')}`)
const isNear = (file: string) => folders.some((folder) => file.startsWith(folder)) || changed.includes(file)
const isAboutWords = (file: string) =>
  changed.some((name) => name.startsWith('platforms/')) && file.startsWith('test/platforms/conformance/')
const importing = testsOf([
  ...changed,
  ...changed.map((file) => file.replace(/^platforms\/.*\/words\.json$/, 'packages/wire/words.json')),
])
const { drivers, bots } = lanesOf(changed)
const unit = importing.filter((file) => needOf(file) === 'unit')
const near = unit.filter((file) => isNear(file) || isAboutWords(file))

step('nearest unit tests', 'unit', near)
if (drivers !== undefined && drivers !== 'all') step('pages in Chromium', 'drivers', drivers)
step(
  'unit tests that import a change',
  'unit',
  unit.filter((file) => !near.includes(file)),
)
step(
  'database tests that import a change',
  'db',
  importing.filter((file) => needOf(file) === 'db'),
)

const left = [
  ...(drivers === 'all' ? ['npm run test:drivers'] : []),
  ...(bots === undefined ? [] : [`npm run test:bots${bots === 'all' ? '' : ` -- ${bots.join(' ')}`}`]),
]
console.log(`\nPassed. Not run: ${['npm test', ...left].join('; ')}`)

/** Ends the program if a test fails. */
function step(what: string, lane: string, paths: readonly string[]): void {
  if (paths.length === 0) return
  console.log(`\n== ${what}: ${paths.length > 12 ? `${paths.length} files` : paths.join(' ')}`)
  const { status } = spawnSync('vitest', ['run', `--project=${lane}`, '--passWithNoTests', ...paths], {
    stdio: 'inherit',
  })
  if (status !== 0) process.exit(status ?? 1)
}
