/** The names that `MockMeeting.show` accepts for Zoom: notices, walls and ends that only this platform has. */
import type { DialogKind } from './page/dialog-kinds.ts'
import { CLASS, TEXT } from './page/table.ts'
import { SDK_SHOWABLE } from './sdk/showable.ts'
import type { ZoomVisit } from './visit.ts'

const TOAST_MS = 5000

const dialog = (kind: DialogKind) => (visit: ZoomVisit) => visit.send({ do: 'dialog', dialog: kind })
const end = (state: string, kind: DialogKind) => (visit: ZoomVisit) => visit.end(state, kind)

export const SHOWABLE: Readonly<Record<string, (visit: ZoomVisit) => void>> = {
  recording: dialog('recording'),
  'recording-banner': (visit) => visit.send({ do: 'banner', text: 'This meeting is being recorded' }),
  livestream: dialog('livestream'),
  ai: dialog('ai'),
  'ai-summary': dialog('ai-summary'),
  'ask-to-unmute': dialog('unmute'),
  'breakout-invitation': dialog('breakout'),
  tip: (visit) => visit.send({ do: 'tip', text: 'Your microphone is muted', button: TEXT.gotIt }),
  'settings-tip': (visit) =>
    visit.send({ do: 'tip', text: 'Try the new settings', button: 'OK', cls: CLASS.featureTip }),
  'free-limit': (visit) => visit.send({ do: 'toast', text: TEXT.freeSoon, forMs: TOAST_MS }),
  'no-free-audio': (visit) => visit.send({ do: 'toast', text: TEXT.noFreeAudio, forMs: TOAST_MS }),
  'new-host': (visit) => visit.announceHost(),
  'make-host': (visit) => visit.becomeHost(),
  lock: (visit) => visit.send({ do: 'locked', locked: true }),
  'on-hold': (visit) => visit.holdBack(),
  'host-left': (visit) => visit.loseHost(TEXT.hostLeft),
  'host-lost': (visit) => visit.loseHost(TEXT.hostLost),
  'breakout-room': (visit) => visit.send({ do: 'layer', text: 'Joining Room 1...' }),
  'breakout-rooms': (visit) => visit.send({ do: 'rooms', areOpen: true }),
  'breakout-rooms-closed': (visit) => visit.send({ do: 'rooms', areOpen: false }),
  'main-session': (visit) => visit.send({ do: 'layer', text: null }),
  'ended-by-admin': end('hostEnded', 'ended-by-admin'),
  'ended-other-meeting': end('hostEnded', 'ended-other-meeting'),
  'ended-free': end('hostEnded', 'ended-free'),
  'other-device': end('duplicate', 'duplicate'),
  'gone-home': (visit) => visit.goAway(),
  'signed-out': (visit) => visit.signOut('https://app.zoom.us/signin'),
  ...SDK_SHOWABLE,
}
