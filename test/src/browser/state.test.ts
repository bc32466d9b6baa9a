import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { type BrowserState, copyProfile, loadBrowserState } from '../../../src/browser/state.ts'
import { unpackTar } from '../../../src/browser/unpack-tar.ts'

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

test('an archive of a profile in S3 is unpacked into a folder of its own, which is removed at the end', async () => {
  const folder = place()
  profile(join(folder, 'profile'))
  // A name of more than 100 characters is told in another way.
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
  await expect(unpackTar(bomb, place(), 1024 * 1024)).rejects.toThrow()
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
