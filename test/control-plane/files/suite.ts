/** The contract of every store of recordings. */
import { expect, test } from 'vitest'
import type { FileStore } from '../../../control-plane/ports.ts'

const bytes = (text: string) => new Uint8Array(Buffer.from(text))

export function storeSuite(open: () => FileStore, locationOf: (key: string) => string) {
  test('reads what was written, and null where there is nothing', async () => {
    await open().write('bot/1/chat ä.json', bytes('["hello"]'), 'application/json')
    expect(Buffer.from((await open().read('bot/1/chat ä.json', 100))!).toString()).toBe('["hello"]')
    expect(await open().read('bot/1/nothing.json', 100)).toBeNull()
  })

  test('refuses to read a file that is larger than allowed', async () => {
    await open().write('large/1/file', bytes('x'.repeat(101)), 'text/plain')
    await expect(open().read('large/1/file', 100)).rejects.toThrow('101 bytes')
  })

  test('lists and deletes the files under a prefix, and no others', async () => {
    const keys = ['one/1/a', 'one/2/sub/b', 'one/c']
    for (const key of [...keys, 'one2/1/a', 'two/1/a']) await open().write(key, bytes('12345'), 'text/plain')
    expect((await open().list('one')).sort((a, b) => a.key.localeCompare(b.key))).toEqual(
      keys.map((key) => ({ key, bytes: 5 })).sort((a, b) => a.key.localeCompare(b.key)),
    )
    expect(await open().deletePrefix('one')).toEqual({ files: 3, bytes: 15 })
    expect(await open().list('one')).toEqual([])
    expect(await open().list('one2')).toEqual([{ key: 'one2/1/a', bytes: 5 }])
    expect(await open().deletePrefix('one')).toEqual({ files: 0, bytes: 0 })
  })

  test.each(['', '/', '.', '..', '../two', 'one/../two', 'one//two', 'one\\two', 'one\0'])(
    'the prefix %j is refused',
    async (prefix) => {
      await expect(open().list(prefix)).rejects.toThrow('not the key')
      await expect(open().deletePrefix(prefix)).rejects.toThrow('not the key')
    },
  )

  test('finds the key of a location below its root, and none elsewhere', () => {
    expect(open().keyOf(locationOf('bot/1/bot/video.mp4'))).toBe('bot/1/bot/video.mp4')
    expect(open().keyOf('/etc/passwd')).toBeNull()
    expect(open().keyOf('s3://other/bot/1/video.mp4')).toBeNull()
    expect(open().keyOf(locationOf('../other'))).toBeNull()
  })
}
