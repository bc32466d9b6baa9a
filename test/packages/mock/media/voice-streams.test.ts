/** The record of who spoke when, which measurements of a bot compare with; what a page receives, the drivers' tests show. */
import { beforeEach, expect, it } from 'vitest'
import type { AudioProgram } from '../../../../packages/mock/media/encode.ts'
import { VoiceStreams } from '../../../../packages/mock/media/voice-streams.ts'

const program = (name: string, frames = 200): AudioProgram => ({
  frames: Array.from({ length: frames }, () => ({ data: Buffer.from(name), level: 20 })),
})
const voices = new Map([
  ['a', { look: 0, audioCsrc: 100 }],
  ['b', { look: 1, audioCsrc: 101 }],
])
let encoded: Set<string>
let frame: number

beforeEach(() => {
  encoded = new Set(['0', '1', '0,1', ' beep', '0 beep'])
  frame = 0
})

function makeStreams(count: number | 'perPerson'): VoiceStreams {
  return new VoiceStreams(
    count,
    (id) => voices.get(id),
    (looks, beep) => {
      const name = `${looks.join(',')}${beep ? ' beep' : ''}`
      return encoded.has(name) ? program(name) : undefined
    },
  )
}

/** The content of each stream's next frame: the program's name and the CSRCs; null if no frame is sent. */
function next(streams: VoiceStreams, beep = false): (string | null)[] {
  const number = frame++
  return streams
    .frames(number, beep, number * 20)
    .map((sent) => sent && `${sent.level < 127 ? sent.data : 'silence'} [${sent.csrcs}]${sent.begins ? ' begins' : ''}`)
}

it('sends silence for a while after a voice, then only a hint of it now and then', () => {
  const streams = makeStreams(1)
  streams.start('a')
  expect(next(streams)).toEqual(['0 [100] begins'])
  expect(next(streams)).toEqual(['0 [100]'])
  streams.stop('a')
  const after = Array.from({ length: 60 }, () => next(streams)[0])
  expect(after.slice(0, 10)).toEqual(Array(10).fill('silence [100]'))
  expect(after.slice(10).filter((sent) => sent !== null)).toEqual(Array(3).fill('silence []'))
})

it('notes turns from the first to the last frame that was sent', () => {
  const streams = makeStreams(2)
  const reported: string[] = []
  streams.onTurn((turn) => reported.push(`${turn.personId} ${turn.startedAt}-${turn.endedAt ?? ''}`))
  next(streams)
  streams.start('a')
  next(streams)
  streams.start('b')
  next(streams)
  streams.stop('a')
  next(streams)
  streams.stopAll()
  expect(streams.turns).toEqual([
    { personId: 'a', startedAt: 20, endedAt: 40 },
    { personId: 'b', startedAt: 40, endedAt: 60 },
  ])
  expect(reported).toEqual(['a 20-', 'b 40-', 'a 20-40', 'b 40-60'])
})

it('counts no breath at the ends of a turn', () => {
  const streams = makeStreams(1)
  // The voice of look 0 takes breath from 1.714 s to 2 s of the loop: frames 86 to 99.
  frame = 90
  streams.start('a')
  while (frame < 190) next(streams)
  streams.stop('a')
  next(streams)
  expect(streams.turns).toEqual([{ personId: 'a', startedAt: 2000, endedAt: 3700 }])
})

it('does not count a voice as heard before it is encoded or while no stream is free', () => {
  const streams = makeStreams(2)
  encoded.delete('0')
  streams.start('a')
  next(streams)
  expect(streams.turns).toEqual([])
  encoded.add('0')
  expect(next(streams)[0]).toBe('0 [100] begins')
  expect(streams.turns).toHaveLength(1)
})

it('keeps the former mix until the new one is encoded, but never the voice of who has stopped', () => {
  const streams = makeStreams(1)
  encoded.delete('0,1')
  streams.start('a')
  next(streams)
  streams.start('b')
  expect(next(streams)).toEqual(['0 [100]'])
  encoded.add('0,1')
  expect(next(streams)).toEqual(['0,1 [100,101]'])
  encoded.delete('1')
  streams.stop('a')
  expect(next(streams)).toEqual(['silence [100,101]'])
})

it('ends a file early when the person is stopped', async () => {
  const streams = makeStreams(1)
  const over = streams.speak('a', program('file', 100))
  next(streams)
  streams.stop('a')
  await over
  expect(next(streams)).toEqual(['silence [100]'])
})
