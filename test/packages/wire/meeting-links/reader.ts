/** Reads a text for one platform: the meeting as the browser opens it, the sentence why not, or null. */

import { type LinkOptions, readMeeting } from '@standin/wire/meeting-links/index.ts'
import type { PlatformName } from '@standin/wire/platforms.ts'

const HOSTS: Readonly<Record<PlatformName, RegExp>> = {
  meet: /google/i,
  teams: /teams/i,
  zoom: /zoom/i,
  jitsi: /jit\.si|8x8|example/i,
}

export const readerOf =
  (platform: PlatformName) =>
  (text: string, jitsiHosts: LinkOptions['jitsiHosts'] = []) => {
    const reading = readMeeting(text, { jitsiHosts })
    if ('problem' in reading)
      return /not a meeting link|^The server \S+ is not known/.test(reading.problem) || !HOSTS[platform].test(text)
        ? null
        : reading
    if (reading.platform !== platform) return null
    const { url, meetingId, passcode } = reading
    return { platform, url, meetingId, ...(passcode === undefined ? {} : { passcode }) }
  }
