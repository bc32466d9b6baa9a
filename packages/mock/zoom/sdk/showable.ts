/** The names that `MockMeeting.show` accepts for a bot that joined through the SDK. */
import type { ZoomVisit } from '../visit.ts'
import { SdkVisit } from './visit.ts'

const answer = (allow: boolean) => (visit: ZoomVisit) => {
  if (!(visit instanceof SdkVisit)) throw new Error('The bot did not come through the SDK, so it asked for no right')
  visit.allowRecording(allow)
}

export const SDK_SHOWABLE: Readonly<Record<string, (visit: ZoomVisit) => void>> = {
  'allow-recording': answer(true),
  'refuse-recording': answer(false),
}
