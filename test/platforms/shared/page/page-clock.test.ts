import fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

let documents = 0
/** The module has state for one document, so each document of a test loads it again. */
async function newDocument(): Promise<typeof import('../../../../platforms/shared/page/page-clock.ts')> {
  documents += 1
  return import(`../../../../platforms/shared/page/page-clock.ts?document=${documents}`)
}

const START = 1.8e12
/** The time that really passed, in milliseconds, and how far the machine's clock is set away from it. */
let passed = 0
beforeEach(() => {
  passed = 0
})
afterEach(() => {
  vi.restoreAllMocks()
})

/** A document that begins while the machine's clock is `step` ms ahead of the driver's. */
async function documentWith(step: number) {
  const began = passed
  vi.spyOn(performance, 'timeOrigin', 'get').mockReturnValue(START + began + step)
  vi.spyOn(performance, 'now').mockImplementation(() => passed - began)
  return newDocument()
}
const driverNow = () => START + passed

test('a page whose clock is right is not corrected, however late calls are', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(900), { minLength: 1 }), async (delays) => {
      const { followDriver, pageNow } = await documentWith(0)
      for (const delay of delays) {
        const asked = driverNow()
        passed += delay
        followDriver(asked)
        expect(pageNow()).toBe(driverNow())
      }
    }),
    { numRuns: 20 },
  )
})

test('after two polls a page counts as the driver, to the delay of a call, after any step of the clock', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: -1e8, max: 1e8 }).filter((step) => Math.abs(step) > 2_000),
      fc.array(fc.nat(900), { minLength: 2 }),
      async (step, delays) => {
        const { followDriver, pageNow, documentStart } = await documentWith(step)
        const start = driverNow()
        for (const delay of delays) {
          const asked = driverNow()
          passed += delay
          followDriver(asked)
        }
        expect(Math.abs(pageNow() - driverNow())).toBeLessThanOrEqual(Math.min(...delays) + 1)
        expect(Math.abs(documentStart() - start)).toBeLessThanOrEqual(Math.min(...delays) + 1)
      },
    ),
    { numRuns: 20 },
  )
})

test('one call that waited for a frozen page moves nothing', async () => {
  const { followDriver, pageNow } = await documentWith(0)
  const asked = driverNow()
  passed += 30_000
  followDriver(asked)
  expect(pageNow()).toBe(driverNow())
  followDriver(driverNow())
  expect(pageNow()).toBe(driverNow())
})
