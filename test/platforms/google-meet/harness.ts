/** Attempts to be in a mock Google Meet; times are shortened on both sides by the same factor. */
import type { GoogleMeetMeeting } from '../../../packages/mock/google-meet/meeting.ts'
import { openGoogleMeet } from '../../../platforms/google-meet/driver.ts'
import { endOf, refusalOf } from '../../../platforms/google-meet/outcomes.ts'
import type { ElementName, PageSnapshot } from '../../../platforms/google-meet/page/types.ts'
import { meetScript } from '../../../platforms/google-meet/page-script.ts'
import { type PageStateKind, stateOf } from '../../../platforms/google-meet/page-state.ts'
import { openMeetingPage } from '../../../platforms/shared/platform-driver.ts'
import { REAL_WAITS } from '../../../platforms/shared/waits.ts'
import { attempts } from '../attempts.ts'
import { waitsAt } from '../conformance/ground.ts'
import { pageReader } from '../page-reader.ts'

export type { Attempt } from '../attempts.ts'
export { SILENT_STAGE, until } from '../conformance/ground.ts'

const addressOf = ({ url }: { url: string }) => `${url}?hl=en`

export function meetHarness() {
  return attempts({
    serverOf: (mocks) => mocks.meet,
    openDriver: openGoogleMeet,
    targetOf: ({ url }) => ({ platform: 'meet', url: addressOf({ url }), meetingId: new URL(url).pathname.slice(1) }),
    speed: 6,
    // Some tests wait for the end of this patience.
    waitsAt: (speed) => ({ ...waitsAt(speed), unknownPageMs: Math.round(REAL_WAITS.unknownPageMs / speed) }),
  })
}

/** To be called once in a `describe`: reads pages without joining. */
export function meetReader(harness: Pick<ReturnType<typeof meetHarness>, 'mock' | 'mocks'>) {
  return pageReader<GoogleMeetMeeting, PageSnapshot, PageStateKind>(harness, {
    openPage: (environment, signal, options) =>
      openMeetingPage<PageSnapshot, ElementName>(environment, signal, options, {
        script: meetScript(options, environment),
        mediaOrigins: ['https://meet.google.com'],
      }),
    classifier: { stateOf, refusalOf, endOf },
    addressOf,
  })
}
