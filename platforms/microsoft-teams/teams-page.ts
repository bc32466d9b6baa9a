/** Microsoft Teams' page as the driver knows it: the script in it and what can be asked of it. */
import type { Stage } from '../../src/ports.ts'
import { earsConfig } from '../shared/carried-sound.ts'
import type { DriverOptions } from '../shared/driver-options.ts'
import { type MeetingPage, meetingScript } from '../shared/meeting-page.ts'
import { labelSources } from '../shared/words.ts'
import type { ElementName, PageConfig, PageSigns, TeamsPageApi } from './page/types.ts'
import { SELECTORS } from './selectors.ts'
import { TEAMS_HOSTS } from './situation.ts'
import { WORDS } from './words.ts'

export type TeamsPage = MeetingPage<PageSigns, ElementName, TeamsPageApi>

export function teamsScript(
  {
    botName,
    botImage,
    recordingMode,
    playout = 'even',
    captions = false,
    ears,
  }: Pick<DriverOptions, 'botName' | 'botImage' | 'recordingMode' | 'playout' | 'ears' | 'captions'>,
  { soundAheadMs }: Pick<Stage, 'soundAheadMs'>,
) {
  return meetingScript<PageConfig>('page/microsoft-teams', {
    botName,
    botImage,
    recordingMode,
    playout,
    soundAheadMs,
    captions,
    ...earsConfig({ ears }),
    meetingHosts: TEAMS_HOSTS,
    selectors: SELECTORS,
    // What the page says of being alone is a sign and no label, but it is the page script that weighs it.
    labels: { ...labelSources(WORDS.labels), ...labelSources({ alone: WORDS.situations.alone }) },
  })
}
