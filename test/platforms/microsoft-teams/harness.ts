/** Attempts to be in a mock Microsoft Teams meeting; times are shortened on both sides by the same factor. */

import { readMeeting } from '@standin/wire/meeting-links/index.ts'
import type { MeetingTarget } from '../../../packages/core/meeting/meeting.ts'
import type { TeamsMeeting } from '../../../packages/mock/microsoft-teams/meeting.ts'
import { openMicrosoftTeams, TEAMS_WAITS } from '../../../platforms/microsoft-teams/driver.ts'
import type { ElementName, PageSnapshot, TeamsPageApi } from '../../../platforms/microsoft-teams/page/types.ts'
import { teamsClassifier } from '../../../platforms/microsoft-teams/page-classifier.ts'
import { teamsScript } from '../../../platforms/microsoft-teams/page-script.ts'
import type { PageStateKind } from '../../../platforms/microsoft-teams/page-state.ts'
import { openMeetingPage } from '../../../platforms/shared/platform-driver.ts'
import { REAL_WAITS, type Waits } from '../../../platforms/shared/waits.ts'
import { attempts, type AttemptOptions as Options } from '../attempts.ts'
import { pageReader } from '../page-reader.ts'

export { until } from '../conformance/ground.ts'

export type AttemptOptions = Options<TeamsMeeting>

/** Waits for the page's own times shrink with it; waits for the machine stay. */
const SHRUNK: readonly (keyof Waits)[] = [
  'holdAfterLobbyMs',
  'holdWithoutLobbyMs',
  'holdWithRosterMs',
  'captchaMs',
  'undecidedMs',
  'reconnectMs',
]

function testWaits(speed: number): Waits {
  const real = { ...REAL_WAITS, ...TEAMS_WAITS }
  const waits = { ...real, pollEveryMs: 150, callPollEveryMs: 250, joinClickMs: 2500 }
  for (const name of SHRUNK) waits[name] = Math.round(real[name] / speed)
  return waits
}

/** As the command line does it, from the link that people get. */
function targetOf({ url }: { url: string }): MeetingTarget {
  const recognized = readMeeting(url)
  if (!('url' in recognized)) throw new Error(`This is no link of a meeting: ${url}`)
  return recognized
}

export function teamsHarness() {
  return attempts({
    serverOf: (mocks) => mocks.teams,
    openDriver: openMicrosoftTeams,
    targetOf,
    speed: 8,
    waitsAt: testWaits,
  })
}

/** To be called once in a `describe`: reads pages without joining. */
export function teamsReader(harness: Pick<ReturnType<typeof teamsHarness>, 'mock' | 'mocks'>) {
  return pageReader<TeamsMeeting, PageSnapshot, PageStateKind>(harness, {
    openPage: (environment, signal, options) =>
      openMeetingPage<PageSnapshot, ElementName, TeamsPageApi>(environment, signal, options, {
        script: teamsScript(options, environment),
        mediaOrigins: ['https://teams.microsoft.com'],
      }),
    classifier: teamsClassifier(REAL_WAITS, false),
    addressOf: (meeting) => targetOf(meeting).url,
  })
}
