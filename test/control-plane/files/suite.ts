/** The contract of every store of recordings. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { FileStore } from '../../../control-plane/platform/ports.ts'

const bytes = (text: string) => new Uint8Array(Buffer.from(text))

export function storeSuite(open: () => FileStore) {
  test('reads what was written, and null if there is nothing', async () => {
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
    expect(await open().bytesOf('one')).toBe(15)
    expect(await open().deletePrefix('one')).toEqual({ files: 3, bytes: 15 })
    expect(await open().bytesOf('one')).toBe(0)
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

  test('copies a file to this machine, and none that is not there', async () => {
    const target = join(await mkdtemp(join(tmpdir(), 'standin-copy-')), 'sound')
    onTestFinished(() => rm(dirname(target), { recursive: true }))
    const { signal } = new AbortController()
    expect(await open().copy('copied/1/audio.m4a', target, signal)).toBe(false)
    await open().write('copied/1/audio.m4a', bytes('SOUND'), 'audio/mp4')
    expect(await open().copy('copied/1/audio.m4a', target, signal)).toBe(true)
    expect(await readFile(target, 'utf8')).toBe('SOUND')
    await expect(open().copy('../copied', target, signal)).rejects.toThrow('not the key')
  })
}
