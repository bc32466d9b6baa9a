/** The name of a meeting for people: its platform, and its name or code if people know it. Pure. */
import { PLATFORM_TITLES, type PlatformName } from '@standin/wire/platforms.ts'

/** Such as `Google Meet abc-defg-hij`, or `Microsoft Teams` if the link has only identifiers. */
export function meetingName(platform: PlatformName, meetingId: string): string {
  const code = codeOf(platform, meetingId)
  return code === '' ? PLATFORM_TITLES[platform] : `${PLATFORM_TITLES[platform]} ${code}`
}

function codeOf(platform: PlatformName, meetingId: string): string {
  switch (platform) {
    case 'meet':
      return meetingId
    case 'teams':
      // The identifier of a chat says nothing to people; the number of a meeting is in its invitation.
      return /^\d+$/.test(meetingId) ? meetingId.replace(/(?<=\d)(?=(?:\d{3})+$)/g, ' ') : ''
    case 'zoom':
      // As Zoom writes it: 3 digits, 3 or 4, and 4.
      return /^\d{9,11}$/.test(meetingId) ? meetingId.replace(/^(\d{3})(\d{3,4}?)(\d{3,4})$/, '$1 $2 $3') : meetingId
    case 'jitsi':
      return decoded(meetingId.slice(meetingId.lastIndexOf('/') + 1))
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // A percent sign that encodes nothing is a percent sign.
    return text
  }
}
