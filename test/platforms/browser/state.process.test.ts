import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { type BrowserState, copyProfile, loadBrowserState } from '../../../platforms/browser/state.ts'
import { unpackTar } from '../../../platforms/browser/unpack-tar.ts'

const SECRET = 'c00kie-of-the-account'
const COOKIE = { name: 'SID', value: SECRET, domain: '.google.com', path: '/', secure: true, sameSite: 'None' }
const nowhere = () => Promise.reject(new Error('no object is read here'))

function place(): string {
  const folder = mkdtempSync(join(tmpdir(), 'standin-state-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A profile as Chromium leaves it, as far as it matters. */
function profile(folder = join(place(), 'profile')): string {
  mkdirSync(join(folder, 'Default', 'Cache'), { recursive: true })
  writeFileSync(join(folder, 'Local State'), '{}')
  writeFileSync(join(folder, 'Default', 'Cookies'), SECRET)
  writeFileSync(join(folder, 'Default', 'Cache', 'large'), 'x'.repeat(1000))
  symlinkSync('another-host-17', join(folder, 'SingletonLock'))
  symlinkSync('/etc/passwd', join(folder, 'Default', 'Web Data'))
  return folder
}

const folderOf = (state: BrowserState) => (state.kind === 'profile' ? state.folder : null)

test('the file of a storage state is read, with what an older version left out', async () => {
  const file = join(place(), 'state.json')
  writeFileSync(file, JSON.stringify({ cookies: [COOKIE], origins: [{ origin: 'https://meet.google.com' }] }))
  const { state } = await loadBrowserState(file, nowhere)
  expect(state).toMatchObject({
    kind: 'storage_state',
    state: {
      cookies: [{ ...COOKIE, expires: -1, httpOnly: false }],
      origins: [{ origin: 'https://meet.google.com', localStorage: [] }],
    },
  })
})

test.each([
  ['that is no JSON', `{"cookies": "${SECRET}`, /not JSON/],
  ['of another shape', JSON.stringify({ cookies: [{ ...COOKIE, name: 5 }] }), /cookies\.0\.name is wrong/],
])('a file %s is refused without a word of what is in it', async (_what, content, sentence) => {
  const file = join(place(), 'state.json')
  writeFileSync(file, content)
  const error: Error = await loadBrowserState(file, nowhere).then(
    () => new Error('it was taken'),
    (thrown) => thrown,
  )
  expect(error.message).toMatch(sentence)
  expect(error.message).not.toContain(SECRET)
})

test('what is not there, and a folder that is no profile, are refused by name', async () => {
  await expect(loadBrowserState('/nonexistent/profile', nowhere)).rejects.toThrow('/nonexistent/profile is not there')
  await expect(loadBrowserState(place(), nowhere)).rejects.toThrow('no Chromium profile')
})

test('a profile is copied without caches, locks and links, and the original stays as it was', async () => {
  const original = profile()
  const { state } = await loadBrowserState(original, nowhere)
  const copy = join(place(), 'copy')
  await copyProfile(folderOf(state)!, copy)
  expect(readdirSync(copy).sort()).toEqual(['Default', 'Local State'])
  expect(readdirSync(join(copy, 'Default'))).toEqual(['Cookies'])
  writeFileSync(join(copy, 'Default', 'Cookies'), 'written by a browser')
  expect(readFileSync(join(original, 'Default', 'Cookies'), 'utf8')).toBe(SECRET)
})

test('an archive of a profile in S3 is unpacked into its own folder, which is removed at the end', async () => {
  const folder = place()
  profile(join(folder, 'profile'))
  // The tar format stores a name of more than 100 characters in another field.
  const long = `${'deep/'.repeat(12)}${'n'.repeat(80)}`
  mkdirSync(join(folder, 'profile', 'Default', long), { recursive: true })
  writeFileSync(join(folder, 'profile', 'Default', long, 'file'), 'far below')
  for (const format of ['gnu', 'pax']) {
    const archive = execFileSync('tar', ['-cz', `--format=${format}`, '-C', folder, 'profile'])
    const asked: unknown[] = []
    const loaded = await loadBrowserState('s3://states/bots/notes.tar.gz', async (...given) => {
      asked.push(given[0])
      return archive
    })
    expect(asked).toEqual(['s3://states/bots/notes.tar.gz'])
    const unpacked = folderOf(loaded.state)!
    expect(readFileSync(join(unpacked, 'Default', 'Cookies'), 'utf8')).toBe(SECRET)
    expect(readFileSync(join(unpacked, 'Default', long, 'file'), 'utf8')).toBe('far below')
    expect(readdirSync(join(unpacked, 'Default'))).not.toContain('Web Data')
    await loaded.dispose()
    await loaded.dispose()
    expect(() => readdirSync(unpacked)).toThrow('ENOENT')
  }
})

test('an archive that wants to write elsewhere is refused', async () => {
  const folder = place()
  mkdirSync(join(folder, 'inner'))
  writeFileSync(join(folder, 'outside'), 'x')
  const archive = execFileSync('tar', ['-cPz', '-C', join(folder, 'inner'), '../outside'])
  await expect(loadBrowserState('s3://states/evil.tgz', async () => archive)).rejects.toThrow("path contains '..'")
})

test('an archive that unpacks to more than its bound is refused', async () => {
  const bomb = gzipSync(Buffer.alloc(4 * 1024 * 1024))
  await expect(unpackTar(bomb, place(), { maxBytes: 1024 * 1024 })).rejects.toThrow()
})

test('a storage state in S3 is asked for with a bound', async () => {
  let bound = 0
  const { state } = await loadBrowserState('s3://states/notes.json', async (_address, maxBytes) => {
    bound = maxBytes
    return Buffer.from(JSON.stringify({ cookies: [COOKIE] }))
  })
  expect(state.kind).toBe('storage_state')
  expect(bound).toBeLessThan(64 * 1024 * 1024)
})

test.each(['/dev/zero', '/dev/full'])('the device %s is refused without reading it', async (device) => {
  await expect(loadBrowserState(device, nowhere)).rejects.toThrow(`${device} is neither a regular file nor a folder`)
})

test('a FIFO without a writer is refused and does not block', async () => {
  const fifo = join(place(), 'state.json')
  execFileSync('mkfifo', [fifo])
  await expect(loadBrowserState(fifo, nowhere)).rejects.toThrow('neither a regular file nor a folder')
})

test('a file beyond the limit is refused', async () => {
  const file = join(place(), 'state.json')
  writeFileSync(file, '')
  truncateSync(file, 17 * 1024 * 1024)
  await expect(loadBrowserState(file, nowhere)).rejects.toThrow('is larger than')
})

test('a file of unknown size, such as those below /proc, is read to its end', async () => {
  await expect(loadBrowserState('/proc/self/status', nowhere)).rejects.toThrow('not JSON')
})

test.each([
  ['only folders', (folder: string) => mkdirSync(join(folder, 'profile'))],
  ['only links', (folder: string) => symlinkSync('/etc', join(folder, 'profile'))],
])('an archive that holds %s is refused', async (_what, fill) => {
  const folder = place()
  fill(folder)
  const archive = execFileSync('tar', ['-cz', '-C', folder, 'profile'])
  await expect(loadBrowserState('s3://states/empty.tgz', async () => archive)).rejects.toThrow('no Chromium profile')
})

test('an archive with too many entries is refused', async () => {
  const folder = place()
  for (let index = 0; index < 20; index++) writeFileSync(join(folder, `file-${index}`), '')
  const archive = execFileSync('tar', ['-cz', '-C', folder, '.'])
  await expect(unpackTar(archive, place(), { maxBytes: 1024 * 1024, maxEntries: 10 })).rejects.toThrow(
    'more than 10 entries',
  )
})

test('neither an archive nor a profile hands on set-user-id bits', async () => {
  const folder = place()
  const original = profile(join(folder, 'profile'))
  chmodSync(join(original, 'Default', 'Cookies'), 0o6755)
  chmodSync(join(original, 'Default'), 0o1777)
  const archive = execFileSync('tar', ['-cpz', '-C', folder, 'profile'])
  const loaded = await loadBrowserState('s3://states/notes.tgz', async () => archive)
  onTestFinished(loaded.dispose)
  const copy = join(place(), 'copy')
  await copyProfile(original, copy)
  const modeOf = (...parts: string[]) => statSync(join(...parts)).mode & 0o7777
  const unpacked = folderOf(loaded.state)!
  expect([modeOf(unpacked, 'Default', 'Cookies'), modeOf(unpacked, 'Default')]).toEqual([0o600, 0o700])
  expect([modeOf(copy, 'Default', 'Cookies'), modeOf(copy, 'Default')]).toEqual([0o755, 0o777])
})

test('an object that does not come is given up with the reason of the signal', async () => {
  const stop = new AbortController()
  const loading = loadBrowserState('s3://states/notes.json', () => new Promise(() => {}), stop.signal)
  stop.abort(new Error('The bot was asked to stop'))
  await expect(loading).rejects.toThrow('asked to stop')
  await expect(loadBrowserState('s3://states/notes.json', nowhere, stop.signal)).rejects.toThrow('asked to stop')
})
