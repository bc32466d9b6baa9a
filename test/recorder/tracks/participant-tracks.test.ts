import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { silentLogger } from '../../../packages/core/logger.ts'
import type { RecordedSpan } from '../../../packages/core/recording.ts'
import { createParticipantTracks, voiceFileName } from '../../../recorder/tracks/participant-tracks.ts'
import { offsetAt } from '../../../src/run/recording-clock.ts'
import { temporaryFolder } from '../../fakes/at-end.ts'
import { PACKET, readOgg } from '../../media/ogg.ts'

const START = 1_795_287_871_000
/** A voice is in the recording so much later than in the page. */
const LATER = 50

function tracks(spans: RecordedSpan[] = [{ startedAt: START, endedAt: null }]) {
  const folder = temporaryFolder()
  const made = createParticipantTracks({ folder, offsetAt: (at) => offsetAt(spans, at), logger: silentLogger })
  return {
    ...made,
    folder,
    spans,
    /** Speaks from one second of the recording's first span to another. */
    speak(participantId: string, from: number, to: number) {
      for (let ms = from * 1000; ms < to * 1000; ms += 20)
        made.write({ participantId, at: START - LATER + ms, opus: Buffer.from(PACKET) })
    },
    index: () => JSON.parse(readFileSync(join(folder, 'audio', 'index.json'), 'utf8')),
    seconds(file: string) {
      return readOgg(readFileSync(join(folder, 'audio', file))).seconds
    },
  }
}

const person = (id: number, name: string, platform_id: string) => ({ id, name, platform_id })

test('each voice has a file on the clock of the recording, and the index has its exact name', async () => {
  const { speak, finish, index, seconds } = tracks()
  speak('a', 2, 4)
  speak('b', 3, 3.5)
  speak('a', 10, 11)
  const files = await finish((id) => (id === 'a' ? person(3, 'Ada <b>Löve</b>', 'a') : person(12, '東京', 'b')))
  expect(files.map(({ name }) => name)).toEqual(['audio/003-ada-b-love-b.ogg', 'audio/012.ogg', 'audio/index.json'])
  expect(index()).toEqual([
    { file: '003-ada-b-love-b.ogg', ...person(3, 'Ada <b>Löve</b>', 'a'), first_sound: 2, sound_seconds: 3 },
    { file: '012.ogg', ...person(12, '東京', 'b'), first_sound: 3, sound_seconds: 0.5 },
  ])
  expect(seconds('003-ada-b-love-b.ogg')).toBeCloseTo(11, 1)
  expect(seconds('012.ogg')).toBeCloseTo(3.5, 1)
})

test('speech before the recording, in a pause and after the end is in no file, and time advances without it', async () => {
  const { write, speak, spans, finish, index, seconds } = tracks([])
  speak('a', -1, 0)
  spans.push({ startedAt: START, endedAt: START + 5000 }, { startedAt: START + 60_000, endedAt: null })
  speak('a', 1, 2)
  speak('a', 20, 30)
  speak('a', 62, 63)
  expect(readdirSync(join(tracks().folder))).toEqual([])
  await finish(() => person(1, 'Ann', 'a'))
  write({ participantId: 'b', at: START + 64_000, opus: Buffer.from(PACKET) })
  expect(index()).toMatchObject([{ first_sound: 1, sound_seconds: 2 }])
  // Two seconds into the second span, which begins at 5.
  expect(seconds('001-ann.ogg')).toBeCloseTo(8, 1)
})

test('what was heard before it was known that the recording had begun has its place', async () => {
  const { spans, speak, finish, index, seconds } = tracks([])
  speak('a', -1, 2)
  spans.push({ startedAt: START, endedAt: null })
  speak('a', 2, 3)
  await finish(() => person(1, 'Ada', 'a'))
  expect(index()).toMatchObject([{ first_sound: 0, sound_seconds: 3 }])
  expect(seconds('001-ada.ogg')).toBeCloseTo(3, 1)
})

test('a recording that never began has no voices', async () => {
  const { speak, finish } = tracks([])
  speak('a', -1, 2)
  expect(await finish(() => null)).toEqual([])
})

test('a participant captured twice at once is kept once', async () => {
  const { speak, finish, index } = tracks()
  speak('a', 1, 3)
  speak('a', 1, 3)
  await finish(() => person(1, 'Ann', 'a'))
  expect(index()).toMatchObject([{ sound_seconds: 2 }])
})

test('a participant whom the roster never named is unknown, not another participant', async () => {
  const { speak, finish, index } = tracks()
  speak('a', 1, 2)
  await finish(() => null)
  expect(index()).toMatchObject([{ file: 'unknown-1.ogg', id: null, name: 'Unknown', platform_id: 'a' }])
})

test('a participant with two ids has two files, of which neither replaces the other', async () => {
  const { speak, finish } = tracks()
  speak('a', 1, 2)
  speak('b', 2, 3)
  const files = await finish(() => person(1, 'Ann', 'a'))
  expect(files.map(({ name }) => name)).toEqual(['audio/001-ann.ogg', 'audio/001-ann-2.ogg', 'audio/index.json'])
})

test('no voice, no files', async () => {
  const { finish, folder } = tracks()
  expect(await finish(() => null)).toEqual([])
  expect(readdirSync(folder)).toEqual([])
})

test('a file that cannot be written costs the others nothing', async () => {
  const { speak, finish, folder, index } = tracks()
  mkdirSync(join(folder, 'audio', 'voice-1.ogg'), { recursive: true })
  speak('a', 1, 2)
  speak('b', 1, 2)
  const files = await finish((id) => person(id === 'a' ? 1 : 2, id, id))
  expect(files.map(({ name }) => name)).toEqual(['audio/002-b.ogg', 'audio/index.json'])
  expect(index()).toHaveLength(1)
})

test.each([
  ['../../etc/passwd', '001-etc-passwd.ogg'],
  ['   ', '001.ogg'],
  ['CON', '001-con.ogg'],
  ['a\u0000b\nc', '001-a-b-c.ogg'],
  ['x'.repeat(300), `001-${'x'.repeat(40)}.ogg`],
  ['Zoë O’Neil (she/her)', '001-zoe-o-neil-she-her.ogg'],
])('the name %j becomes no path', (name, file) => {
  expect(voiceFileName(person(1, name, 'a'), 1)).toBe(file)
})
