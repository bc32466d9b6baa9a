/** The names that `MockMeeting.show` accepts, and their implementation. */
import { MARKS } from './settings.ts'
import type { TeamsVisit } from './visit.ts'

export const SHOWABLE: Record<string, (visit: TeamsVisit) => void> = {
  consent: (visit) => visit.send({ do: 'dialog', dialog: 'consent' }),
  'av-confirm': (visit) => visit.send({ do: 'dialog', dialog: 'av-confirm' }),
  info: (visit) => visit.send({ do: 'dialog', dialog: 'info' }),
  'alone-prompt': (visit) => visit.send({ do: 'dialog', dialog: 'still-there' }),
  'recording-banner': (visit) => visit.send({ do: 'banner', banner: 'JoinersOngoingRecording' }),
  'breakout-invitation': (visit) => visit.send({ do: 'dialog', dialog: 'breakout' }),
  'breakout-rooms': (visit) => visit.send({ do: 'banner', banner: 'RoomsOpen' }),
  'breakout-rooms-closed': (visit) => visit.send({ do: 'banner', banner: 'RoomsClosing' }),
  'device-banner': (visit) => visit.send({ do: 'banner', banner: 'DeviceCaptureMute' }),
  'camera-banner': (visit) => visit.send({ do: 'banner', banner: 'VideoCapturePermissionDenied' }),
  'lobby-banner': (visit) => visit.send({ do: 'banner', banner: 'lobby' }),
  'muted-toast': (visit) => visit.send({ do: 'toast', text: "You're muted" }),
  ...Object.fromEntries(
    MARKS.map((mark) => [`mark-${mark}`, (visit: TeamsVisit) => visit.send({ do: 'marks', marks: [mark] })]),
  ),
  relayout: (visit) => visit.send({ do: 'relayout' }),
  'edit-last-message': (visit) => visit.editLastMessage('Edited: the second half of the plan'),
  'chat-notice': (visit) => visit.systemLine('Meeting started'),
  'solve-captcha': (visit) => visit.solveCaptcha(),
  'no-response': (visit) => visit.retry('noResponse'),
  'signed-out': (visit) => visit.signOut('https://login.microsoftonline.com/common/oauth2/v2.0/authorize'),
  vanish: (visit) => visit.vanish(),
  'left-elsewhere': (visit) => visit.finishLeft(),
  'off-site': (visit) => visit.navigate('https://www.microsoft.com/'),
  reload: (visit) => visit.hop(),
}
