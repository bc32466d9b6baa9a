import { execFile } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { write } from './backup-file.ts'

test('the file of a backup is one that tar lists', async () => {
  const listing = execFile('tar', ['-tzf', '-'])
  listing.stdin!.end(await write())
  expect(await text(listing.stdout!)).toMatch(/^backup\.json\.\w{32}\nbots\/1\.\w{32}\nbots\/2\.\w{32}\nend\n$/)
})
