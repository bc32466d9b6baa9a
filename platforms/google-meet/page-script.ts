/** The driver's access to Google Meet's page: the script in it, and the questions to it. */
import { type MeetingPage, meetingScript } from '../shared/page-access/meeting-page.ts'
import { scriptConfig } from '../shared/page-access/script-config.ts'
import { labelSources } from '../shared/words.ts'
import type { ElementName, PageConfig, PageSnapshot } from './page/types.ts'
import { SELECTORS, WORDS } from './words.ts'

export type MeetPage = MeetingPage<PageSnapshot, ElementName>

export function meetScript(...given: Parameters<typeof scriptConfig>) {
  return meetingScript<PageConfig>('page/google-meet', {
    ...scriptConfig(...given),
    meetingHosts: ['meet.google.com'],
    selectors: SELECTORS,
    labels: labelSources(WORDS.labels),
    joinLabels: WORDS.labels.join.map(({ source }) => source),
  })
}
