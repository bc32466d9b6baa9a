/** Attempts to be in a mock Jitsi meeting; times are shortened on both sides by the same factor. */
import type { JitsiMeeting } from '../../../mock/jitsi/meeting.ts'
import { openJitsi } from '../../../platforms/jitsi/driver.ts'
import { attempts, type AttemptOptions as Options } from '../attempts.ts'
import { waitsAt } from '../conformance/ground.ts'

export { SILENT_STAGE, until } from '../conformance/ground.ts'

export interface AttemptOptions extends Omit<Options<JitsiMeeting>, 'retarget'> {
  passcode?: string
  /** Behind the address of the room. */
  query?: string
}

export function jitsiHarness() {
  const { attempt, inside, insideTogether } = attempts({
    serverOf: (mocks) => mocks.jitsi,
    openDriver: openJitsi,
    targetOf: ({ url }) => ({ platform: 'jitsi', url, meetingId: new URL(url).host + new URL(url).pathname }),
    speed: 6,
    waitsAt,
  })
  const optionsOf = ({ passcode, query = '', ...options }: AttemptOptions): Options<JitsiMeeting> => ({
    ...options,
    retarget: (target) => ({ ...target, url: target.url + query, ...(passcode ? { passcode } : {}) }),
  })
  return {
    attempt: (scenario: string, options: AttemptOptions = {}) => attempt(scenario, optionsOf(options)),
    inside: (scenario: string, options: AttemptOptions = {}) => inside(scenario, optionsOf(options)),
    insideTogether: (scenario: string, options: AttemptOptions = {}) => insideTogether(scenario, optionsOf(options)),
  }
}

/** Targets of the clicks that the driver made on the page. */
export function pressed(meeting: JitsiMeeting): string[] {
  return meeting.log
    .filter(({ event, detail }) => event === 'click' && detail !== 'swallowed')
    .map(({ target }) => target)
}

/** Requests that the server received. */
export function asked(meeting: JitsiMeeting): string[] {
  return meeting.log.filter(({ event }) => event === 'rpc').map(({ target }) => target)
}
