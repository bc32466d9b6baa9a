/** Attempts to be in a mock Jitsi meeting; times are shortened on both sides by the same factor. */
import type { JitsiMeeting } from '../../../packages/mock/jitsi/meeting.ts'
import { openJitsi } from '../../../platforms/jitsi/driver.ts'
import type { ElementName, PageConfig, PageSnapshot } from '../../../platforms/jitsi/page/types.ts'
import { jitsiClassifier } from '../../../platforms/jitsi/page-classifier.ts'
import { NOT_ALLOWED, type PageStateKind } from '../../../platforms/jitsi/page-state.ts'
import { SELECTORS, WORDS } from '../../../platforms/jitsi/words.ts'
import { meetingScript } from '../../../platforms/shared/page-access/meeting-page.ts'
import { scriptConfig } from '../../../platforms/shared/page-access/script-config.ts'
import { openMeetingPage } from '../../../platforms/shared/platform-driver.ts'
import { REAL_WAITS } from '../../../platforms/shared/waits.ts'
import { labelSources } from '../../../platforms/shared/words.ts'
import { attempts, type AttemptOptions as Options } from '../attempts.ts'
import { waitsAt } from '../conformance/ground.ts'
import { pageReader } from '../page-reader.ts'
import { HOST } from './snapshots.ts'

export { until } from '../conformance/ground.ts'

export interface AttemptOptions extends Omit<Options<JitsiMeeting>, 'retarget'> {
  passcode?: string
  /** Behind the address of the room. */
  query?: string
}

export function jitsiHarness() {
  const { mock, mocks, attempt, inside, insideTogether } = attempts({
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
    mock,
    mocks,
    attempt: (scenario: string, options: AttemptOptions = {}) => attempt(scenario, optionsOf(options)),
    inside: (scenario: string, options: AttemptOptions = {}) => inside(scenario, optionsOf(options)),
    insideTogether: (scenario: string, options: AttemptOptions = {}) => insideTogether(scenario, optionsOf(options)),
  }
}

/** To be called once in a `describe`: reads pages without joining. */
export function jitsiReader(harness: Pick<ReturnType<typeof jitsiHarness>, 'mock' | 'mocks'>) {
  const classifier = jitsiClassifier({ host: HOST }, false, REAL_WAITS)
  return pageReader<JitsiMeeting, PageSnapshot, PageStateKind>(harness, {
    openPage: (environment, signal, options) =>
      openMeetingPage<PageSnapshot, ElementName>(environment, signal, options, {
        script: meetingScript<PageConfig>('page/jitsi', {
          ...scriptConfig(options, environment),
          meetingHosts: [HOST],
          selectors: SELECTORS,
          labels: labelSources(WORDS.labels),
        }),
        mediaOrigins: [`https://${HOST}`],
      }),
    classifier: {
      ...classifier,
      // A notification follows that says more: the driver waits for it.
      refusalOf: (state, ...more) => (state.text === NOT_ALLOWED ? null : classifier.refusalOf(state, ...more)),
    },
    addressOf: ({ url }) => `${url}#config.disableDeepLinking=true`,
  })
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
