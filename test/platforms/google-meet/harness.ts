/** Attempts to be in a mock Google Meet; times are shortened on both sides by the same factor. */
import { startMockGoogleMeet } from '../../../mock/index.ts'
import { openGoogleMeet } from '../../../platforms/google-meet/driver.ts'
import { REAL_WAITS } from '../../../platforms/shared/waits.ts'
import { attempts } from '../attempts.ts'
import { waitsAt } from '../conformance/ground.ts'

export type { Attempt } from '../attempts.ts'
export { SILENT_STAGE, until } from '../conformance/ground.ts'

export function meetHarness() {
  return attempts({
    start: () => startMockGoogleMeet(),
    openDriver: openGoogleMeet,
    targetOf: ({ url }) => ({ platform: 'meet', url: `${url}?hl=en`, meetingId: new URL(url).pathname.slice(1) }),
    speed: 6,
    // Some tests wait for the end of this patience.
    waitsAt: (speed) => ({ ...waitsAt(speed), unknownPageMs: Math.round(REAL_WAITS.unknownPageMs / speed) }),
  })
}
