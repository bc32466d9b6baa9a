/** The implementation of each step of a timeline. */
import type { MockMeeting } from '../types.ts'
import type { Step } from './scenario.ts'

/** Runs one step of a timeline. Throws if it does not fit: its person left, or the page is in another state. */
export function perform(meeting: MockMeeting, step: Step): void {
  const [first = '', second = ''] = step.with ?? []
  const steps: Record<Step['do'], () => void> = {
    admit: () => meeting.admit(),
    deny: () => meeting.deny(),
    endForAll: () => meeting.endForAll(),
    addPerson: () => meeting.addPerson({ id: first, name: second, camera: true }),
    startSpeaking: () => meeting.startSpeaking(first),
    stopSpeaking: () => meeting.stopSpeaking(first),
    say: () => meeting.say(first, second),
    show: () => meeting.show(first),
  }
  steps[step.do]()
}
