/** The words of a timeline and of `show`, and what each does. */
import type { MockMeeting } from '../types.ts'
import { MARKETING } from './final-states.ts'
import type { Step } from './scenario.ts'
import type { Visit } from './visit.ts'

const FREEZE_MS = 30_000

/** What `MockMeeting.show` knows. */
export const SHOWABLE: Record<string, (visit: Visit) => void> = {
  consent: (visit) => visit.askConsent('consent-recording'),
  'consent-gemini': (visit) => visit.askConsent('consent-gemini'),
  'gemini-pill': (visit) => visit.send({ do: 'pill', text: 'Gemini is taking notes' }),
  'recording-pill': (visit) => visit.send({ do: 'pill', text: 'REC' }),
  'alone-prompt': (visit) => visit.askWhetherAlone(),
  'got-it': (visit) => visit.send({ do: 'dialog', dialog: 'got-it' }),
  'camera-toast': (visit) => visit.send({ do: 'dialog', dialog: 'camera-toast' }),
  'talking-while-muted': (visit) => visit.send({ do: 'toast', text: 'Are you talking? Your mic is off.', forMs: 5000 }),
  'ending-soon': (visit) => visit.send({ do: 'toast', text: 'Your call is ending soon', forMs: 60_000 }),
  'only-one': (visit) => visit.send({ do: 'toast', text: "You're the only one here", forMs: 10_000 }),
  'replace-captions': (visit) => visit.send({ do: 'replaceCaptions' }),
  freeze: (visit) => visit.send({ do: 'freeze', ms: FREEZE_MS }),
  'off-site': (visit) => visit.navigate(MARKETING),
  'knock-timeout': (visit) => visit.finish('knockTimeout'),
  'everyone-left': (visit) => visit.finish('everyoneLeft'),
  'left-elsewhere': (visit) => visit.finish('left'),
  blocked: (visit) => visit.finish('blocked'),
  lobby: (visit) => visit.backToLobby(),
}

/** Does one step of a timeline. Throws where it does not fit: its person left, the page is elsewhere. */
export function perform(meeting: MockMeeting, step: Step): void {
  const [first = '', second = ''] = step.with ?? []
  const steps: Record<Step['do'], () => void> = {
    admit: () => meeting.admit(),
    deny: () => meeting.deny(),
    remove: () => meeting.remove(),
    endForAll: () => meeting.endForAll(),
    everyoneLeaves: () => {
      for (const { id } of meeting.people) meeting.removePerson(id)
    },
    addPerson: () => meeting.addPerson({ id: first, name: second, camera: true }),
    removePerson: () => meeting.removePerson(first),
    startSpeaking: () => meeting.startSpeaking(first),
    stopSpeaking: () => meeting.stopSpeaking(first),
    startSharing: () => meeting.startSharing(first),
    stopSharing: () => meeting.stopSharing(first),
    say: () => meeting.say(first, second),
    chatOff: () => meeting.setChatEnabled(false),
    muteBot: () => meeting.muteBot(),
    loseConnection: () => meeting.loseConnection(),
    regainConnection: () => meeting.regainConnection(),
    show: () => meeting.show(first),
  }
  steps[step.do]()
}
