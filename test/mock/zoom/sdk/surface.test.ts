/** The stub against the typings of the real package. */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { OTHER_NAMES, PLAYED_NAMES } from '../../../../mock/zoom/sdk/page/names.ts'
import { sdkFolder } from '../../../../platforms/zoom/meeting-sdk/page-server.ts'

test('every function of the package is one of the stub, and the other way round', () => {
  const typings = readFileSync(join(dirname(sdkFolder()), 'index.d.ts'), 'utf8')
  const client = typings.slice(typings.indexOf('export namespace ZoomMtg {'))
  const declared = new Set([...client.matchAll(/^ {2}function (\w+)\(/gm)].map(([, name]) => name))
  // Removed from the package; only its typings still have it.
  declared.delete('generateSDKSignature')
  expect([...declared].sort()).toEqual([...OTHER_NAMES, ...PLAYED_NAMES].sort())
})
