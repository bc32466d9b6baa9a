/** Google Meet's page as the driver knows it: the script in it and what can be asked of it. */
import type { Stage } from '../../src/ports.ts'
import { earsConfig } from '../shared/carried-sound.ts'
import type { DriverOptions } from '../shared/driver-options.ts'
import { type MeetingPage, meetingScript } from '../shared/meeting-page.ts'
import { labelSources } from '../shared/words.ts'
import type { ElementName, PageConfig, PageSigns } from './page/types.ts'
import { SELECTORS } from './selectors.ts'
import { WORDS } from './words.ts'

export type MeetPage = MeetingPage<PageSigns, ElementName>

export function meetScript(
  {
    botName,
    botImage,
    recordingMode,
    playout = 'even',
    ears,
    captions = false,
  }: Pick<DriverOptions, 'botName' | 'botImage' | 'recordingMode' | 'playout' | 'ears' | 'captions'>,
  { soundAheadMs }: Pick<Stage, 'soundAheadMs'>,
) {
  return meetingScript<PageConfig>('page/google-meet', {
    botName,
    botImage,
    recordingMode,
    playout,
    soundAheadMs,
    captions,
    ...earsConfig({ ears }),
    meetingHosts: ['meet.google.com'],
    selectors: SELECTORS,
    labels: labelSources(WORDS.labels),
    joinLabels: WORDS.labels.join.map(({ source }) => source),
  })
}
