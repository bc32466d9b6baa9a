/** The script of the demo meeting: about one minute, with each event that a recording should show. */
import { systemClock } from '@standin/wire/time/deadline.ts'
import type { Clock } from '../../core/ports.ts'
import type { MockMeeting, MockPerson, MockTruth } from '../types.ts'
import { type Sentence, speak } from './sentences.ts'

export const DEMO_PEOPLE: readonly MockPerson[] = [
  { id: 'ann', name: 'Ann Host', isHost: true, camera: true },
  { id: 'bob', name: 'Bob Berg', camera: true },
  { id: 'cleo', name: 'Cléo Ñandú', camera: true },
  { id: 'dan', name: 'Dan Dole', camera: false },
]

/** Enough for a bot that starts on a slow machine. */
const JOIN_REQUEST_DEADLINE_MS = 180_000
const ADMISSION_DEADLINE_MS = 30_000

const say = (meeting: MockMeeting, id: string, sentence: Sentence): void =>
  // A sentence that cannot be read is missing in the demo, which goes on.
  void speak(meeting, id, sentence).catch(() => {})

/** Events, with their seconds after admission. */
const EVENTS: [at: number, happen: (meeting: MockMeeting) => void][] = [
  [4, (meeting) => say(meeting, 'ann', 'ann-welcome')],
  [11, (meeting) => say(meeting, 'bob', 'bob-numbers')],
  [15, (meeting) => meeting.say('cleo', 'The numbers are in the notes: https://example.com/notes')],
  [19, (meeting) => meeting.raiseHand('dan', true)],
  [20, (meeting) => say(meeting, 'cleo', 'cleo-plan')],
  [25, (meeting) => meeting.setCamera('dan', true)],
  [27, (meeting) => meeting.startSharing('bob')],
  [28, (meeting) => say(meeting, 'bob', 'bob-picture')],
  [38, (meeting) => meeting.stopSharing('bob')],
  [37, (meeting) => meeting.react('cleo', '👏')],
  [39, (meeting) => say(meeting, 'dan', 'dan-leaves')],
  [40, (meeting) => meeting.raiseHand('dan', false)],
  [45, (meeting) => meeting.say('dan', 'I have to go, thanks everybody 👋')],
  [47, (meeting) => meeting.removePerson('dan')],
  [48, (meeting) => meeting.setCamera('cleo', false)],
  [49, (meeting) => say(meeting, 'ann', 'ann-end')],
  [57, (meeting) => meeting.endForAll()],
]

const ADMIT_AFTER_MS = 4000

/**
 * Plays host to the bot that asks to join this meeting: admits it, makes people talk, share and leave, and ends the
 * call. Resolves with the record of what happened, early if the bot leaves before the end. Rejects when no bot asks to
 * join, and with the signal's reason when it is aborted.
 */
export async function runDemoScript(
  meeting: MockMeeting,
  signal: AbortSignal,
  clock: Clock = systemClock,
): Promise<MockTruth> {
  for (const person of DEMO_PEOPLE) {
    if (!meeting.people.some(({ id }) => id === person.id)) meeting.addPerson(person)
    else if (person.camera !== undefined) meeting.setCamera(person.id, person.camera)
  }
  await until(meeting.whenState('lobby', JOIN_REQUEST_DEADLINE_MS), signal)
  await clock.sleep(ADMIT_AFTER_MS, signal)
  if (meeting.state === 'lobby') meeting.admit()
  await until(meeting.whenState('call', ADMISSION_DEADLINE_MS), signal)
  const startedAt = clock.now()
  for (const [seconds, happen] of EVENTS) {
    await clock.sleep(Math.max(0, startedAt + seconds * 1000 - clock.now()), signal)
    if (meeting.truth.leftAt !== null) break
    happen(meeting)
  }
  return meeting.truth
}

function until(wanted: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    wanted.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
