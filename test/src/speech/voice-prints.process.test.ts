import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { tellApartBy } from '../../../src/speech/voice-prints.ts'
import type { Utterance } from '../../../src/transcription/types.ts'

/** A model of 1 KB: the mean spectrum of a stretch, by what is different between four of flite's voices. */
const MODEL = join(import.meta.dirname, 'few-voices')
const SAID = ['We had forty new customers in October.', 'The costs stayed where they were last year.']

let folder: string
let sound: string
/** One participant, who speaks from 0 to the end in two voices, turn by turn. */
let room: Utterance

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'standin-prints-'))
  sound = join(folder, 'audio.m4a')
  const turns = [...SAID, ...SAID].map((text, number) => {
    const file = join(folder, `${number}.wav`)
    execFileSync('flite', ['-voice', number % 2 === 0 ? 'rms' : 'slt', '-t', text, '-o', file])
    const seconds = execFileSync('ffprobe', ['-v', 'error', '-show_entries', 'format=duration', '-of', 'csv=p=0', file])
    return { text, file, seconds: Number(seconds) }
  })
  const inputs = turns.flatMap(({ file }) => ['-i', file])
  execFileSync('ffmpeg', ['-v', 'error', ...inputs, '-filter_complex', `concat=n=${turns.length}:v=0:a=1`, sound])
  let at = 0
  const words = turns.map(({ text, seconds }) => {
    const start = at
    at += seconds
    return { word: text, start, end: at, confidence: null }
  })
  room = { speaker: 'Room', userId: 4, start: 0, end: at, text: SAID.join(' '), language: 'en', words }
  return () => rm(folder, { recursive: true })
})

async function tellApart(model: string) {
  const notices: string[] = []
  const found = await tellApartBy(model, (message) => notices.push(message))(sound, [room], AbortSignal.timeout(60_000))
  return { said: found.map(({ speaker, words }) => [speaker, ...words.map(({ word }) => word)]), notices }
}

test('two voices of one microphone are two people', async () => {
  expect(await tellApart(MODEL)).toEqual({
    said: [0, 1, 2, 3].map((turn) => [`Room (voice ${(turn % 2) + 1})`, SAID[turn % 2]]),
    notices: [],
  })
})

const GONE = '/no/such/folder'
test.each<[string, string | null, RegExp]>([
  ['a folder that is gone', null, /cannot be read: \/no\/such\/folder$/],
  ['no model', '', /has no model; STANDIN_SPEAKER_MODEL names/],
  ['a file that is no model', 'not an onnx', /cannot be used \(\w+\)\.|could not be|rotobuf/],
])('%s is said, and the room stays one person', async (_what, content, notice) => {
  const place = content === null ? GONE : await mkdtemp(join(tmpdir(), 'standin-prints-'))
  if (content !== null) onTestFinished(() => rm(place, { recursive: true }))
  if (content) await writeFile(join(place, 'model.onnx'), content)
  expect(await tellApart(place)).toEqual({
    said: [['Room', ...room.words.map(({ word }) => word)]],
    notices: [expect.stringMatching(notice)],
  })
})
