import { mkdtemp, readlink, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { silentLogger } from '../../../../packages/core/logger.ts'
import { FrameLink } from '../../../../platforms/shared/page-access/frame-link.ts'
import { HandClock } from '../../../fakes/clock.ts'

const SIZE = { width: 1280, height: 720 }
const FIRST = 'aa'.repeat(16)
const SECOND = 'bb'.repeat(16)

let folder: string
let link: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'standin-frame-link-'))
  link = join(folder, 'frames')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** A page that answers as the test says, in a browser that stores its files by their marks. */
function pageOf(environment: object = { ...SIZE, frames: link }) {
  const clock = new HandClock()
  const asked: string[] = []
  const shown = { mark: FIRST as string | null | Error, fault: null as string | null }
  const files = new Map([
    [FIRST, '/profile/files/one'],
    [SECOND, '/profile/files/two'],
  ])
  const page = {
    clock,
    logger: silentLogger,
    environment,
    browser: {
      storedFile: async (mark: Uint8Array, bytes: number) => {
        expect(bytes).toBe((SIZE.width * SIZE.height * 3) / 2)
        return files.get(Buffer.from(mark).toString('hex')) ?? null
      },
    },
    ask: async (method: string) => {
      asked.push(method)
      if (method === 'framesFault') return shown.fault
      if (method !== 'openFrames') return null
      if (shown.mark instanceof Error) throw shown.mark
      return shown.mark
    },
  }
  const leaving = new AbortController()
  const frameLink = new FrameLink(page as unknown as ConstructorParameters<typeof FrameLink>[0])
  return { clock, asked, shown, files, leaving, link: frameLink, prepare: () => frameLink.prepare(leaving.signal) }
}
type Page = ReturnType<typeof pageOf>

const linked = () => readlink(link).catch(() => null)

test('the link leads to what the page paints, in place of what a browser before it painted', async () => {
  await symlink('/profile/files/gone', link)
  const page = pageOf()
  await page.prepare()
  expect(page.link.isUsed).toBe(true)
  expect(await linked()).toBe('/profile/files/one')
})

test.each<[string, (page: Page) => void]>([
  ['a page that has no place for it', (page) => Object.assign(page.shown, { mark: null })],
  ['a page that does not answer', (page) => Object.assign(page.shown, { mark: new Error('no answer') })],
  ['a file that is nowhere', (page) => page.files.clear()],
])('%s is painted on the display, for good', async (_, prepare) => {
  await symlink('/profile/files/gone', link)
  const page = pageOf()
  prepare(page)
  await page.prepare()
  expect(page.link.isUsed).toBe(false)
  expect(await linked()).toBeNull()
  expect(page.asked).toEqual(['openFrames', 'closeFrames'])
  await page.prepare()
  await page.link.check()
  expect(page.asked).toHaveLength(2)
})

test('a recorder without a link for frames gets none', async () => {
  const page = pageOf(SIZE)
  await page.prepare()
  expect(page.link.isUsed).toBe(false)
  expect(page.asked).toEqual([])
})

test('a page that was reloaded paints the same file again, after a while', async () => {
  const page = pageOf()
  await page.prepare()
  page.shown.mark = null
  let isDone = false
  const prepared = page.prepare().then(() => {
    isDone = true
  })
  await page.clock.advance(5000)
  expect(isDone).toBe(false)
  page.shown.mark = SECOND
  page.files.set(SECOND, '/profile/files/one')
  await page.clock.advance(1000)
  await prepared
  expect(await linked()).toBe('/profile/files/one')
})

test('a page that was reloaded and paints another file is of no use to the recorder', async () => {
  const page = pageOf()
  await page.prepare()
  page.shown.mark = SECOND
  const refused = expect(page.prepare()).rejects.toMatchObject({ code: 'INTERNAL_ERROR', canRetry: true })
  await page.clock.advance(30_000)
  await refused
  expect(await linked()).toBe('/profile/files/one')
})

test('a bot that leaves waits for no page', async () => {
  const page = pageOf()
  await page.prepare()
  page.shown.mark = null
  const refused = expect(page.prepare()).rejects.toThrow()
  await page.clock.advance(2000)
  page.leaving.abort()
  await refused
})

test('a page that paints no more is found out, and is not asked all the time', async () => {
  const page = pageOf()
  await page.prepare()
  await page.link.check()
  await page.link.check()
  expect(page.asked).toEqual(['openFrames', 'framesFault'])
  page.shown.fault = 'no room on the disk'
  await page.clock.advance(5000)
  await expect(page.link.check()).rejects.toMatchObject({
    code: 'INTERNAL_ERROR',
    canRetry: true,
    message: expect.stringContaining('no room on the disk'),
  })
})

test.each<[string, string | null, boolean, boolean, string | null]>([
  ['the same file', FIRST, true, true, '/profile/files/one'],
  ['another file', SECOND, true, false, '/profile/files/two'],
  ['the display', null, false, false, null],
])('in advance nothing is decided: the meeting may be painted on %s', async (_what, mark, isUsed, isAsAhead, path) => {
  const page = pageOf()
  expect(await page.link.prepareAhead()).toBe(true)
  expect([page.link.isUsed, await linked()]).toEqual([false, '/profile/files/one'])
  page.shown.mark = mark
  await page.prepare()
  expect([page.link.isUsed, page.link.isAsAhead, await linked()]).toEqual([isUsed, isAsAhead, path])
})

test('a page that cannot paint frames leads to none in advance', async () => {
  const page = pageOf()
  page.shown.mark = null
  expect([await page.link.prepareAhead(), await linked(), page.link.refusal]).toEqual([false, null, null])
})

test('without a display, a page that cannot paint frames is refused, in advance only if the page itself says so', async () => {
  let needs = 0
  const page = pageOf({ ...SIZE, frames: link, needDisplay: () => needs++ })
  page.shown.mark = new Error('no answer')
  expect([await page.link.prepareAhead(), page.link.refusal]).toEqual([false, null])
  const refusal = { step: 'display', canRetry: true }
  await expect(page.prepare()).rejects.toMatchObject(refusal)
  page.shown.mark = null
  expect(await page.link.prepareAhead()).toBe(false)
  expect(page.link.refusal).toMatchObject(refusal)
  expect(needs).toBe(2)
})

test('a picture that was painted and is no more needs a display from then on', async () => {
  let needs = 0
  const page = pageOf({ ...SIZE, frames: link, needDisplay: () => needs++ })
  await page.prepare()
  page.shown.fault = 'no room on the disk'
  await page.clock.advance(5000)
  await expect(page.link.check()).rejects.toMatchObject({ canRetry: true })
  expect(needs).toBe(1)
})
