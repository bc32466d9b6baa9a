/** Who spoke when, on a platform's mock, in a real browser: one meeting each that holds every hard case. */
import { describe, expect, onTestFinished, test } from 'vitest'
import type { PlatformUnderTest } from '../platforms/conformance/platforms.ts'
import { playScene } from './scripted-meeting.ts'
import { hardCases } from './scripts.ts'

const MAX_WRONG = 0.05

/** To be called in a test file: each platform's meeting is a test. */
export function saysWhoSpokeWhen(platforms: readonly PlatformUnderTest[]): void {
  describe.each(platforms)('$name', (platform) => {
    test('reports who spoke when with an error of at most 5 %, through every hard case of a meeting', async () => {
      const mock = await platform.start()
      onTestFinished(() => mock.close())
      const { error, truth, segments, turns, invented } = await playScene(platform, mock, hardCases())
      const reported = JSON.stringify({ error, truth, segments }, null, 1)

      // The scene was played: two at once, and voices of both who have one name.
      expect(error.total, reported).toBeGreaterThan(15)
      expect(new Set(truth.map(({ speaker }) => speaker)).size).toBe(4)
      expect(error.rate, reported).toBeLessThanOrEqual(MAX_WRONG)
      expect(invented, reported).toBeLessThanOrEqual(0)
      // A yes of a third of a second is too short to count for the rate.
      expect(turns.noted, reported).toBeGreaterThanOrEqual(turns.all - 1)
      const namesakes = segments.filter(({ speaker }) => speaker === 'Alex Kim').map((segment) => segment.user_id)
      expect(new Set(namesakes).size, 'people of one name are two').toBe(2)
      const names = new Set(segments.map(({ speaker }) => speaker))
      expect(names, 'who was renamed has the last name, also for what was said before').toEqual(
        new Set(['Ann Host', 'Benedict "Ben" Bold', 'Alex Kim']),
      )
    })
  })
}
