/** The driver's access to Microsoft Teams' page: the script in it, and the questions to it. */
import { type MeetingPage, meetingScript } from '../shared/page-access/meeting-page.ts'
import { scriptConfig } from '../shared/page-access/script-config.ts'
import { labelSources } from '../shared/words.ts'
import type { ElementName, PageConfig, PageSnapshot, TeamsPageApi } from './page/types.ts'
import { TEAMS_HOSTS } from './page-state.ts'
import { SELECTORS, WORDS } from './words.ts'

export type TeamsPage = MeetingPage<PageSnapshot, ElementName, TeamsPageApi>

export function teamsScript(...given: Parameters<typeof scriptConfig>) {
  return meetingScript<PageConfig>('page/microsoft-teams', {
    ...scriptConfig(...given),
    meetingHosts: TEAMS_HOSTS,
    selectors: SELECTORS,
    // The page's words for being alone are a sign and no label, but the page script evaluates them.
    labels: { ...labelSources(WORDS.labels), ...labelSources({ alone: WORDS.states.alone }) },
  })
}
