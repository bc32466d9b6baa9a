/** The timeline as a live transcript needs it: what is known so far of who speaks, in seconds of the recording. */
import type { RecordedTime } from '../../packages/core/ports.ts'
import type { Timeline } from './timeline.ts'

export function recordedTime(timeline: Timeline): RecordedTime {
  return {
    offset: (at) => timeline.offset(at),
    turns() {
      const people = new Map(timeline.participants().map((person) => [person.id, person]))
      return timeline.diarization().flatMap(({ user_id, start_time: start, end_time: end }) => {
        const person = people.get(user_id)
        return person === undefined ? [] : [{ person: { ...person }, start, end }]
      })
    },
    person(participantId, name) {
      const known = timeline.known(participantId)
      if (known !== null) return { ...known }
      const namesakes = timeline.participants().filter((person) => person.name === name)
      return namesakes.length === 1 ? { ...namesakes[0]! } : null
    },
  }
}
