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

/** Does one step of a timeline. A step that no longer fits (its person left, the page is elsewhere) is passed over. */
export function perform(meeting: MockMeeting, step: Step): void {
  const [first = '', second = ''] = step.with ?? []
  const has = (id: string) => meeting.people.some((person) => person.id === id)
  switch (step.do) {
    case 'admit':
      if (meeting.state === 'lobby' || meeting.state === 'waitingForHost') meeting.admit()
      break
    case 'deny':
      if (meeting.state === 'lobby') meeting.deny()
      break
    case 'remove':
      meeting.remove()
      break
    case 'endForAll':
      meeting.endForAll()
      break
    case 'everyoneLeaves':
      for (const { id } of meeting.people) meeting.removePerson(id)
      break
    case 'addPerson':
      if (!has(first)) meeting.addPerson({ id: first, name: second, camera: true })
      break
    case 'removePerson':
      if (has(first)) meeting.removePerson(first)
      break
    case 'startSpeaking':
      if (has(first)) meeting.startSpeaking(first)
      break
    case 'stopSpeaking':
      if (has(first)) meeting.stopSpeaking(first)
      break
    case 'startSharing':
      if (has(first)) meeting.startSharing(first)
      break
    case 'stopSharing':
      if (has(first)) meeting.stopSharing(first)
      break
    case 'say':
      if (has(first)) meeting.say(first, second)
      break
    case 'chatOff':
      meeting.setChatEnabled(false)
      break
    case 'muteBot':
      meeting.muteBot()
      break
    case 'loseConnection':
      if (meeting.state === 'call') meeting.loseConnection()
      break
    case 'regainConnection':
      if (meeting.state === 'reconnecting') meeting.regainConnection()
      break
    case 'show':
      meeting.show(first)
      break
    default:
      throw new Error(`No timeline knows ${String(step.do satisfies never)}`)
  }
}
