/** The implementation of each step of a timeline. */
import type { MockMeeting } from '../types.ts'
import type { Step } from './scenario.ts'

/** Runs one step of a timeline. Throws if it does not fit: its person left, or the page is in another state. */
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
    renamePerson: () => meeting.renamePerson(first, second),
    setCamera: () => meeting.setCamera(first, second === 'on'),
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
