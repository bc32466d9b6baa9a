import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packageRoot } from '../../packages/core/process/page-scripts.ts'
import { changedKeys } from '../../scripts/changes.ts'
import { lanesOf, linesOf, ROOMS } from '../../scripts/lanes.ts'

test.each<[string, string[], string[]]>([
  ['nothing', [], []],
  ['a page at the top', ['README.md', 'CHANGELOG.md'], []],
  [
    'one platform',
    ['platforms/jitsi/page-state.ts', 'test/platforms/jitsi/words.test.ts', 'packages/mock/jitsi/index.ts'],
    [
      'drivers test/platforms/jitsi/ test/platforms/conformance/jitsi.',
      'bots test/end-to-end/platforms test/diarization',
    ],
  ],
  ['a platform whose name begins like another one', ['platforms/zoomed.ts'], ['drivers', 'bots']],
  ['what all platforms share', ['platforms/shared/join/admission.ts'], ['drivers', 'bots']],
  ['the recorder', ['recorder/capture.ts'], ['bots test/recorder test/end-to-end']],
  [
    'two rooms of one lane',
    ['recorder/capture.ts', 'src/storage/retry.ts'],
    ['bots test/recorder test/end-to-end test/src/storage'],
  ],
  ['a room beside one that needs all', ['recorder/capture.ts', 'packages/core/logger.ts'], ['drivers', 'bots']],
  ['a room that the table does not know', ['kitchen/sink.ts'], ['drivers', 'bots']],
  ['a program of the tests', ['vitest.config.ts', 'test/fakes/clock.ts'], ['drivers', 'bots']],
  ['tests of the lanes of npm test', ['test/core/a.test.ts', 'test/b.db.test.ts', 'test/smoke/c.smoke.test.ts'], []],
  [
    'tests of other lanes',
    ['test/core/a.browser.test.ts', 'test/core/b.process.test.ts'],
    ['drivers test/core/a.browser.test.ts', 'bots test/core/b.process.test.ts'],
  ],
])('%s', (_what, changed, lines) => {
  expect(linesOf(lanesOf(changed))).toEqual(lines)
})

test('every room and every path of tests in the table exists', () => {
  const places = ROOMS.flatMap(([room, needs]) => [
    [room.replace('platforms/conformance', 'test/platforms/conformance'), `test/${room}`],
    ...Object.values(needs).flatMap((paths) => (paths === 'all' ? [] : paths.map((path) => [path]))),
  ])
  const exists = (path: string) =>
    ['', '.browser.test.ts', '.system.test.ts', 'browser.test.ts'].some((end) =>
      existsSync(join(packageRoot, path + end)),
    )
  expect(places.filter((names) => !names.some(exists))).toEqual([])
})

const words = (meet: string, zoom: string, version = '1') =>
  JSON.stringify({ version, platforms: { meet: { tile: meet }, zoom: { tile: zoom } } })

test.each<[string, string, string[] | null]>([
  ['one platform', words('.a', '.c'), ['meet']],
  ['two platforms', words('.a', '.d'), ['meet', 'zoom']],
  ['the version', words('.b', '.c', '2'), null],
  ['a platform that is new', '{"version":"1","platforms":{}}', null],
  ['no JSON', '{', null],
])('changed words: %s', (_what, now, platforms) => {
  expect(changedKeys(words('.b', '.c'), now)).toEqual(platforms)
})
