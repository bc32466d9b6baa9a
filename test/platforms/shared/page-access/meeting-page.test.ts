import { expect, test } from 'vitest'
import { silentLogger } from '../../../../packages/core/logger.ts'
import type { CpuWaits } from '../../../../platforms/browser/cpu-waits.ts'
import { MeetingPage, type PageParts } from '../../../../platforms/shared/page-access/meeting-page.ts'
import { REAL_WAITS } from '../../../../platforms/shared/waits.ts'
import { HandClock } from '../../../fakes/clock.ts'

/** A page whose renderer waits for a processor for this share of the time; null if the kernel does not tell. */
function pageOf(share: number | null) {
  const clock = new HandClock()
  const texts = { url: '', lang: '', lines: [], headings: [], dialogs: [] }
  const snapshot = { ...texts, microphone: 'off', camera: 'off', others: 1, at: 0 }
  const shown = { isFrozen: false, report: { snapshot, events: [], document: 1, hasBegun: true } as unknown }
  const frame = {
    evaluate: (_run: unknown, { method }: { method: string }) =>
      shown.isFrozen ? new Promise(() => {}) : Promise.resolve(method === 'report' ? shown.report : null),
  }
  const cpuWaits = async (): Promise<CpuWaits> => new Map(share === null ? [] : [[1, share * clock.now()]])
  const page = new MeetingPage({
    browser: { ended: null, cpuWaits } as unknown as PageParts['browser'],
    environment: {} as PageParts['environment'],
    channel: 'channel',
    clock,
    logger: silentLogger,
    waits: REAL_WAITS,
    frameOf: () => frame as unknown as ReturnType<NonNullable<PageParts['frameOf']>>,
  })
  /**
   * Looks as the watch does, and asks beside it, until the page counts as frozen; seconds, or null within two minutes.
   */
  async function frozenAfter(): Promise<number | null> {
    const from = clock.now()
    let at: number | null = null
    const watch = async () => {
      while (at === null) {
        try {
          await page.poll()
          void page.ask('framesFault').catch(() => {})
          await clock.sleep(1000)
        } catch (error) {
          expect(error).toMatchObject({ code: 'INTERNAL_ERROR', canRetry: true })
          at = clock.now()
        }
      }
    }
    void watch()
    for (let second = 0; second < 120 && at === null; second++) await clock.advance(1000)
    return at === null ? null : (at - from) / 1000
  }
  return { page, clock, shown, frozenAfter }
}

test('a frozen page in the meeting is noticed within ten seconds', async () => {
  const { page, shown, frozenAfter } = pageOf(0)
  page.enterCall()
  shown.isFrozen = true
  expect(await frozenAfter()).toBeLessThanOrEqual(9)
})

test.each([
  ['waits for a processor', 0.7],
  ['may wait, as far as is known', null],
])('a page that %s is given more time, but not for ever', async (_what, share) => {
  const { page, shown, frozenAfter } = pageOf(share)
  page.enterCall()
  shown.isFrozen = true
  const seconds = await frozenAfter()
  expect(seconds).toBeGreaterThan(25)
  expect(seconds).toBeLessThan(40)
})

test('before the meeting a page may load for as long as ever', async () => {
  const { shown, frozenAfter } = pageOf(0)
  shown.isFrozen = true
  expect(await frozenAfter()).toBeGreaterThan(29)
})

test('an answer in between restarts the count', async () => {
  const { page, clock, shown } = pageOf(0)
  page.enterCall()
  for (let round = 0; round < 5; round++) {
    shown.isFrozen = true
    const silent = page.poll()
    await clock.advance(4000)
    expect(await silent).toBeNull()
    shown.isFrozen = false
    expect(await page.poll()).not.toBeNull()
  }
})

test('questions that wait at the same time are one silence', async () => {
  const { page, clock, shown } = pageOf(0)
  page.enterCall()
  shown.isFrozen = true
  const others = Promise.allSettled([page.ask('chat'), page.ask('framesFault')])
  const look = page.poll()
  await clock.advance(4000)
  await others
  expect(await look).toBeNull()
})

test('a page whose answers cannot be any is broken after some of them, and they are counted', async () => {
  const { page, shown } = pageOf(0)
  shown.report = { snapshot: { at: Number.NaN }, events: 'none' }
  expect(await page.poll()).toBeNull()
  expect(await page.poll()).toBeNull()
  await expect(page.poll()).rejects.toMatchObject({ code: 'INTERNAL_ERROR', canRetry: true })
  expect(page.refused).toBe(3)
})
