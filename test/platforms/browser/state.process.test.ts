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

/** A file with this content. */
function fileOf(content: string, bytes = content.length): string {
  const file = join(place(), 'state.json')
  writeFileSync(file, content)
  truncateSync(file, bytes)
  return file
}

/** The archive of a folder that `fill` filled. */
function archiveOf(fill: (folder: string) => void, ...options: string[]): Buffer {
  const folder = place()
  fill(folder)
  return execFileSync('tar', ['-cz', ...options, '-C', folder, '.'])
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
  const file = fileOf(JSON.stringify({ cookies: [COOKIE], origins: [{ origin: 'https://meet.google.com' }] }))
  const { state } = await loadBrowserState(file, nowhere)
  expect(state).toMatchObject({
    kind: 'storage_state',
    state: {
      cookies: [{ ...COOKIE, expires: -1, httpOnly: false }],
      origins: [{ origin: 'https://meet.google.com', localStorage: [] }],
    },
  })
})

function fifo(): string {
  const path = join(place(), 'state.json')
  execFileSync('mkfifo', [path])
  return path
}

test.each([
  ['a file that is no JSON', () => fileOf(`{"cookies": "${SECRET}`), 'not JSON'],
  ['another shape', () => fileOf(JSON.stringify({ cookies: [{ ...COOKIE, name: 5 }] })), 'cookies.0.name is wrong'],
  ['nothing', () => '/nonexistent/profile', '/nonexistent/profile is not there'],
  ['a folder that is no profile', place, 'no Chromium profile'],
  ['an endless device', () => '/dev/zero', '/dev/zero is neither a regular file nor a folder'],
  ['a FIFO without a writer', fifo, 'neither a regular file nor a folder'],
  ['a file beyond the limit', () => fileOf('', 17 * 1024 * 1024), 'is larger than'],
  ['a file of unknown size, which is read to its end', () => '/proc/self/status', 'not JSON'],
])('%s is refused without a word of what is in it', async (_what, address, sentence) => {
  const refused = expect(loadBrowserState(address(), nowhere)).rejects
  await refused.toThrow(sentence)
  await refused.not.toThrow(SECRET)
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
  // The tar format stores a name of more than 100 characters in another field.
  const long = `${'deep/'.repeat(12)}${'n'.repeat(80)}`
  for (const format of ['gnu', 'pax']) {
    const fill = (folder: string) => {
      const place = join(profile(join(folder, 'profile')), 'Default', long)
      mkdirSync(place, { recursive: true })
      writeFileSync(join(place, 'file'), 'far below')
    }
    const archive = archiveOf(fill, `--format=${format}`)
    const loaded = await loadBrowserState('s3://states/bots/notes.tar.gz', async (address) => {
      expect(address).toBe('s3://states/bots/notes.tar.gz')
      return archive
    })
    const unpacked = folderOf(loaded.state)!
    expect(readFileSync(join(unpacked, 'Default', 'Cookies'), 'utf8')).toBe(SECRET)
    expect(readFileSync(join(unpacked, 'Default', long, 'file'), 'utf8')).toBe('far below')
    expect(readdirSync(join(unpacked, 'Default'))).not.toContain('Web Data')
    await loaded.dispose()
    await loaded.dispose()
    expect(() => readdirSync(unpacked)).toThrow('ENOENT')
  }
})

const outside = (folder: string) => writeFileSync(join(folder, 'outside'), 'x')

test.each<[string, Parameters<typeof archiveOf>, string]>([
  ['wants to write elsewhere', [outside, '-P', '--transform=s,.*outside,../outside,'], "path contains '..'"],
  ['holds only folders', [(folder) => mkdirSync(join(folder, 'profile'))], 'no Chromium profile'],
  ['holds only links', [(folder) => symlinkSync('/etc', join(folder, 'profile'))], 'no Chromium profile'],
])('an archive that %s is refused', async (_what, given, sentence) => {
  await expect(loadBrowserState('s3://states/evil.tgz', async () => archiveOf(...given))).rejects.toThrow(sentence)
})

test('an archive that unpacks to more than its bound, or has too many entries, is refused', async () => {
  const bomb = gzipSync(Buffer.alloc(4 * 1024 * 1024))
  await expect(unpackTar(bomb, place(), { maxBytes: 1024 * 1024 })).rejects.toThrow()
  const many = archiveOf((folder) => {
    for (let index = 0; index < 20; index++) writeFileSync(join(folder, `file-${index}`), '')
  })
  const unpacked = unpackTar(many, place(), { maxBytes: 1024 * 1024, maxEntries: 10 })
  await expect(unpacked).rejects.toThrow('more than 10 entries')
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

test('neither an archive nor a profile hands on set-user-id bits', async () => {
  const original = profile()
  chmodSync(join(original, 'Default', 'Cookies'), 0o6755)
  chmodSync(join(original, 'Default'), 0o1777)
  const archive = execFileSync('tar', ['-cpz', '-C', original, '.'])
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
