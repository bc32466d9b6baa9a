/** The only list of platforms: from a link to its meeting, and from a meeting to its driver. */
import type { MeetingTarget } from '../src/meeting.ts'
import type { OpenMeeting } from '../src/ports.ts'
import { type GoogleMeetOptions, openGoogleMeet } from './google-meet/driver.ts'
import { recognizeGoogleMeet } from './google-meet/url.ts'

/** What every platform's driver is told; see `GoogleMeetOptions` for the meaning of each field. */
export type DriverOptions = GoogleMeetOptions

const NOT_YET: readonly { name: string; link: RegExp }[] = [
  { name: 'Microsoft Teams', link: /\bteams\.(?:microsoft|live)\.(?:com|us)\b/i },
  { name: 'Zoom', link: /(?:^|[\s/.<"'(@])zoom(?:gov)?\.(?:us|com|com\.cn)\b/i },
]

/** Pure. A link that can never be a meeting is answered with one sentence for the person who gave it. */
export function recognizeMeeting(text: string): MeetingTarget | { problem: string } {
  const googleMeet = recognizeGoogleMeet(text)
  if (googleMeet) return googleMeet
  const later = NOT_YET.find(({ link }) => link.test(text))
  if (later) return { problem: `Links of ${later.name} are not supported yet; give a Google Meet link.` }
  return { problem: 'This is not a meeting link; give one such as https://meet.google.com/abc-defg-hij.' }
}

/** Makes the function that the life calls for each attempt to be in the meeting. */
export function openDriver(options: DriverOptions): OpenMeeting {
  return (target, stage, signal) => {
    if (target.platform !== 'meet') throw new Error(`There is no driver for the platform ${target.platform}`)
    return openGoogleMeet(target, stage, signal, options)
  }
}
