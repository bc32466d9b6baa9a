import { writeFile } from 'node:fs/promises'
import { withRoom, writeSecretFile } from '@standin/control-plane/main/wiring/data-folder.ts'
import { expect, test } from 'vitest'

/** As printed on disks of 3 and of 20 MB. */
const INITDB = [
  'initdb: error: could not write to file "/d/database/cluster/pg_wal/xlogtemp.7": No space left on device',
  'FATAL:  could not extend file "base/1/2691": wrote only 4096 of 8192 bytes at block 9\nHINT:  Check free disk space.',
]
const ofServer = Object.assign(new Error('could not extend file "base/5/1259": No space left on device'), {
  code: '53100',
})
const FULL = /^The disk of the data folder \/d is full\. Free/
const fail = (error: unknown) => () => Promise.reject(error)

test.each<readonly [string, () => Promise<unknown>, string | null, RegExp]>([
  ['a file', () => writeFile('/dev/full', 'x'), null, FULL],
  ...INITDB.map((text) => [text.slice(0, 20), fail(new Error(`initdb failed: ${text}`)), null, FULL] as const),
  ['the own server', fail(ofServer), null, FULL],
  ['a server elsewhere', fail(ofServer), 'postgresql://db', /^could not extend/],
  ['another fault', () => writeSecretFile('/dev/null/x', 'x'), null, /^\/dev\/null\/x cannot be written: ENOTDIR/],
])('a full disk is named in a sentence: %s', async (_, step, databaseUrl, sentence) => {
  await expect(withRoom({ dataFolder: '/d', databaseUrl }, step)).rejects.toThrow(sentence)
})
