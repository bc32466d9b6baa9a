import { mkdtemp, readlink, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { silentLogger } from '../../../../core/logger.ts'
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
class FakePage {
  readonly clock = new HandClock()
  readonly asked: string[] = []
  mark: string | null | Error = FIRST
  fault: string | null = null
  readonly files = new Map([[FIRST, '/profile/files/one']])
  readonly link: FrameLink
  readonly signal = new AbortController()

  constructor(frames: string | null = link) {
    const page = {
      clock: this.clock,
      logger: silentLogger,
      environment: { ...SIZE, ...(frames === null ? {} : { frames }) },
      browser: {
        storedFile: async (mark: Uint8Array, bytes: number) => {
          expect(bytes).toBe((SIZE.width * SIZE.height * 3) / 2)
          return this.files.get(Buffer.from(mark).toString('hex')) ?? null
        },
      },
      ask: async (method: string) => {
        this.asked.push(method)
        if (method === 'framesFault') return this.fault
        if (method !== 'openFrames') return null
        if (this.mark instanceof Error) throw this.mark
        return this.mark
      },
    }
    this.link = new FrameLink(page as unknown as ConstructorParameters<typeof FrameLink>[0])
  }

  prepare(): Promise<void> {
    return this.link.prepare(this.signal.signal)
  }
}

const linked = () => readlink(link).catch(() => null)

test('the link leads to what the page paints, in place of what a browser before it painted', async () => {
  await symlink('/profile/files/gone', link)
  const page = new FakePage()
  await page.prepare()
  expect(page.link.isUsed).toBe(true)
  expect(await linked()).toBe('/profile/files/one')
})

test.each<[string, (page: FakePage) => void]>([
  ['a page that has no place for it', (page) => Object.assign(page, { mark: null })],
  ['a page that does not answer', (page) => Object.assign(page, { mark: new Error('no answer') })],
  ['a file that is nowhere', (page) => page.files.clear()],
])('%s is painted on the display, for good', async (_, prepare) => {
  await symlink('/profile/files/gone', link)
  const page = new FakePage()
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
  const page = new FakePage(null)
  await page.prepare()
  expect(page.link.isUsed).toBe(false)
  expect(page.asked).toEqual([])
})

test('a page that was reloaded paints the same file again, after a while', async () => {
  const page = new FakePage()
  await page.prepare()
  page.mark = null
  let isDone = false
  const prepared = page.prepare().then(() => {
    isDone = true
  })
  await page.clock.advance(5000)
  expect(isDone).toBe(false)
  page.mark = SECOND
  page.files.set(SECOND, '/profile/files/one')
  await page.clock.advance(1000)
  await prepared
  expect(await linked()).toBe('/profile/files/one')
})

test('a page that was reloaded and paints another file is of no use to the recorder', async () => {
  const page = new FakePage()
  await page.prepare()
  page.mark = SECOND
  page.files.set(SECOND, '/profile/files/two')
  const refused = expect(page.prepare()).rejects.toMatchObject({ code: 'INTERNAL_ERROR', canRetry: true })
  await page.clock.advance(30_000)
  await refused
  expect(await linked()).toBe('/profile/files/one')
})

test('a bot that leaves waits for no page', async () => {
  const page = new FakePage()
  await page.prepare()
  page.mark = null
  const refused = expect(page.prepare()).rejects.toThrow()
  await page.clock.advance(2000)
  page.signal.abort()
  await refused
})

test('a page that paints no more is found out, and is not asked all the time', async () => {
  const page = new FakePage()
  await page.prepare()
  await page.link.check()
  await page.link.check()
  expect(page.asked).toEqual(['openFrames', 'framesFault'])
  page.fault = 'no room on the disk'
  await page.clock.advance(5000)
  await expect(page.link.check()).rejects.toMatchObject({
    code: 'INTERNAL_ERROR',
    canRetry: true,
    message: expect.stringContaining('no room on the disk'),
  })
})

test('in advance nothing is decided: the meeting may be painted elsewhere, or on the display', async () => {
  const page = new FakePage()
  expect(await page.link.prepareAhead()).toBe(true)
  expect([page.link.isUsed, await linked()]).toEqual([false, '/profile/files/one'])
  await page.prepare()
  expect([page.link.isUsed, page.link.isAsAhead]).toEqual([true, true])
  const other = new FakePage()
  await other.link.prepareAhead()
  other.mark = SECOND
  other.files.set(SECOND, '/profile/files/two')
  await other.prepare()
  expect([other.link.isUsed, other.link.isAsAhead, await linked()]).toEqual([true, false, '/profile/files/two'])
  const last = new FakePage()
  last.mark = null
  expect(await last.link.prepareAhead()).toBe(false)
  await last.prepare()
  expect([last.link.isUsed, last.link.isAsAhead]).toEqual([false, false])
})
