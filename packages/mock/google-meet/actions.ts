/** The names that `MockMeeting.show` accepts, and their implementation. */
import { MARKETING } from './final-states.ts'
import type { GoogleMeetVisit } from './visit.ts'

const FREEZE_MS = 30_000

export const SHOWABLE: Record<string, (visit: GoogleMeetVisit) => void> = {
  consent: (visit) => visit.askConsent(),
  'gemini-pill': (visit) => visit.send({ do: 'pill', text: 'Gemini is taking notes' }),
  'alone-prompt': (visit) => visit.askWhetherAlone(),
  'got-it': (visit) => visit.send({ do: 'dialog', dialog: 'got-it' }),
  'breakout-invitation': (visit) => visit.send({ do: 'dialog', dialog: 'breakout' }),
  'breakout-rooms': (visit) => visit.send({ do: 'toast', text: 'Breakout rooms are open', forMs: 5000 }),
  'breakout-rooms-closed': (visit) => visit.send({ do: 'toast', text: 'Breakout rooms are closing', forMs: 5000 }),
  'talking-while-muted': (visit) => visit.send({ do: 'toast', text: 'Are you talking? Your mic is off.', forMs: 5000 }),
  'ending-soon': (visit) => visit.send({ do: 'toast', text: 'Your call is ending soon', forMs: 60_000 }),
  'only-one': (visit) => visit.send({ do: 'toast', text: "You're the only one here", forMs: 10_000 }),
  'replace-captions': (visit) => visit.send({ do: 'replaceCaptions' }),
  freeze: (visit) => visit.send({ do: 'freeze', ms: FREEZE_MS }),
  'off-site': (visit) => visit.navigate(MARKETING),
  'everyone-left': (visit) => visit.finish('everyoneLeft'),
  'left-elsewhere': (visit) => visit.finish('left'),
  'signed-out': (visit) => visit.signOut('https://accounts.google.com/v3/signin/identifier'),
  blocked: (visit) => visit.finish('blocked'),
  unverified: (visit) => visit.finish('unverified'),
  lobby: (visit) => visit.backToLobby(),
}
