/** The input of a transcript that is made when the meeting is over. */

import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { secondsOf } from '../../../src/transcription/audio-chunks.ts'
import { finishTranscript, readSpoken, writeLiveTranscript } from '../../../src/transcription/index.ts'
import type { LiveResult } from '../../../src/transcription/live.ts'
import { ProviderError } from '../../../src/transcription/providers/provider-error.ts'
import { utterancesOf } from '../../../src/transcription/speakers.ts'
import type { Recognized, SpeechProvider, Word } from '../../../src/transcription/types.ts'
import { temporaryFolder } from '../../fakes/at-end.ts'

const SIGNAL = new AbortController().signal
const BOT_ID = '5b0d4f2e-7c55-4c86-9d2c-0f6a1f0c7f11'
const KEY = 'canary-key'
const word = (text: string, start: number): Word => ({ word: text, start, end: start + 0.2, confidence: 0.9 })

const sounds = temporaryFolder()

/** Each sound is encoded once. */
function recording(source = 'anullsrc=r=16000:cl=mono', seconds = 0.5): string {
  const place = temporaryFolder()
  const encoded = join(sounds, `${source} ${seconds}.m4a`)
  const sound = ['-f', 'lavfi', '-i', source, '-t', String(seconds)]
  if (!existsSync(encoded)) execFileSync('ffmpeg', ['-v', 'error', ...sound, `file:${encoded}`])
  copyFileSync(encoded, join(place, 'audio.m4a'))
  writeFileSync(join(place, 'diarization.jsonl'), '{"speaker":"Ann","user_id":1,"start_time":0,"end_time":3}\n')
  return place
}

/** Transcribes every file as these words; null if it fails. */
const provider = (words: Word[] | null): SpeechProvider => ({
  name: 'deepgram',
  live: null,
  afterwards: {
    maxSeconds: 3600,
    async transcribe() {
      if (words === null) throw new Error('api.example answered with status 500')
      return { raw: { heard: 'afterwards', echoed: KEY }, words, language: 'en' }
    },
  },
})
const CAPTIONS: SpeechProvider = { name: 'captions', afterwards: null, live: null }
const ANNS = [{ speaker: 'Ann', userId: 1, start: 0, end: 3 }]
const heardLive = (...words: Word[]): LiveResult => ({
  ...{ utterances: utterancesOf(words, ANNS, 'en'), words, languages: ['en'], raw: ['live'] },
  ...{ gap: null, holes: [] },
})
const LIVE = heardLive(word('live', 1))

async function finished(
  given: { provider: SpeechProvider; live: LiveResult | null; isAfterwards: boolean },
  place = recording(),
  signal = SIGNAL,
) {
  const notices: string[] = []
  const notice = (message: string) => notices.push(message)
  const failure = await finishTranscript(place, { ...given, botId: BOT_ID, key: KEY, notice, signal }).then(
    () => null,
    (error: Error) => error.message,
  )
  const names = readdirSync(place).filter((name) => name.includes('transcription'))
  for (const name of names) expect(readFileSync(join(place, name), 'utf8')).not.toContain(KEY)
  const text = names.length > 0 ? readFileSync(join(place, 'transcription.json'), 'utf8') : '{}'
  const { result } = JSON.parse(text) as {
    result?: { utterances: { text: string; speaker: string; user_id: number }[]; holes?: object[] }
  }
  return {
    place,
    notices,
    failure,
    holes: result?.holes ?? [],
    said: result?.utterances.map(({ speaker, text: said }) => `${speaker}: ${said}`),
  }
}

const AFTER = provider([word('after', 1)])

test('what was heard live is the transcript where it is whole', async () => {
  expect(await finished({ provider: AFTER, live: LIVE, isAfterwards: false })).toMatchObject({
    ...{ said: ['Ann: live'], notices: [], failure: null },
  })
})

test('where more is asked for, or sound was lost, the recording is transcribed, and the latter is said', async () => {
  expect(await finished({ provider: AFTER, live: LIVE, isAfterwards: true })).toMatchObject({
    ...{ said: ['Ann: after'], notices: [] },
  })
  const live = { ...LIVE, gap: '7 s of sound could not be sent.' }
  expect(await finished({ provider: AFTER, live, isAfterwards: false })).toMatchObject({
    ...{ said: ['Ann: after'], notices: [expect.stringContaining('7 s of sound')] },
  })
})

test('what was heard live is the way out where the recording cannot be transcribed; without it there is none', async () => {
  const live = { ...LIVE, gap: '7 s of sound could not be sent.' }
  const out = await finished({ provider: provider(null), live, isAfterwards: true })
  expect(out).toMatchObject({ said: ['Ann: live'], notices: [expect.stringContaining('status 500')], failure: null })
  const nothing = { ...heardLive(), gap: 'Live recognition is not possible: no.' }
  for (const heard of [nothing, null])
    expect(await finished({ provider: provider(null), live: heard, isAfterwards: true })).toMatchObject({
      ...{ said: undefined, failure: expect.stringContaining('status 500') },
    })
})

test('captions are kept with a word on what is missing; none at all are a failure', async () => {
  const words = [word('hello', 1)]
  const utterance = { speaker: 'Ben', userId: 2, start: 1, end: 2, text: 'hello', language: null, words }
  const live = { ...LIVE, utterances: [utterance], gap: 'Captions could not be turned on.' }
  expect(await finished({ provider: CAPTIONS, live, isAfterwards: false })).toMatchObject({
    ...{ said: ['Ben: hello'], notices: [expect.stringContaining('not whole')] },
  })
  expect(await finished({ provider: CAPTIONS, live: { ...live, utterances: [] }, isAfterwards: false })).toMatchObject({
    ...{ failure: 'Captions could not be turned on.' },
  })
  const silent = { ...live, utterances: [], gap: null, holes: [] }
  expect(await finished({ provider: CAPTIONS, live: silent, isAfterwards: false })).toMatchObject({ said: [] })
})

test('what was said is read back from the journal of events', async () => {
  const place = recording()
  const event = (text: string, start: number) => ({
    ...{ type: 'transcript', text, is_final: true, start, end: start + 1, language: null },
    speaker: { id: 2, name: 'Ben', platform_id: 'b' },
  })
  const lines = [
    { type: 'notice', level: 'info', message: 'a "transcript"' },
    // A journal of an earlier version has the separators as they are.
    event('good\u2028 morning', 1),
    event('bye', 5),
  ]
  const numbered = lines.map((one, index) => JSON.stringify({ type: 'event', seq: index + 1, event: one }))
  writeFileSync(join(place, 'events.jsonl'), `${numbered.join('\n')}\n`)
  const live = await readSpoken(place)
  await writeLiveTranscript(place, { botId: BOT_ID, provider: 'captions', key: null, live, signal: SIGNAL })
  expect(readFileSync(join(place, 'transcription.vtt'), 'utf8')).toContain(
    '00:00:01.000 --> 00:00:02.000\n<v Ben>good morning',
  )
  writeFileSync(join(place, 'events.jsonl'), '')
  await expect(readSpoken(place)).rejects.toThrow('no words')
})

const answering = (transcribe: (file: string) => Promise<Recognized>): SpeechProvider => ({
  ...{ name: 'Default', live: null, afterwards: { maxSeconds: 3600, transcribe } },
})

test('a text without times is spread over the time in which participants spoke', async () => {
  const provider = answering(async () => ({ raw: {}, words: [], untimed: 'Good morning.', language: null }))
  expect(await finished({ provider, live: null, isAfterwards: true })).toMatchObject({
    failure: null,
    said: ['Ann: Good morning.'],
  })
})

test('a service that finds no speech makes an empty transcript only if no participant spoke', async () => {
  const provider = answering(async () => {
    throw new Error('127.0.0.1 answered with status 500: RuntimeError: No clip timestamps found')
  })
  expect(await finished({ provider, live: null, isAfterwards: true })).toMatchObject({
    failure: expect.stringContaining('No clip timestamps'),
  })
  const place = recording('anoisesrc=r=16000:a=0.1')
  rmSync(join(place, 'diarization.jsonl'))
  const common = { botId: BOT_ID, provider, key: null, live: null, isAfterwards: true, notice() {}, signal: SIGNAL }
  expect(await finishTranscript(place, common)).toBe(0)
})

test.each([
  ['silence', 'anullsrc=r=16000:cl=mono', 0],
  ['noise below the noise floor', 'anoisesrc=r=16000:a=0.001', 0],
  ['a quiet tone', 'sine=r=16000,volume=-20dB', 1],
])(
  'a recording of %s in which no participant spoke is sent only if something can be heard',
  async (_name, source, sent) => {
    const place = recording(source)
    rmSync(join(place, 'diarization.jsonl'))
    let calls = 0
    const provider = answering(async () => {
      calls++
      return { raw: {}, words: [], language: null }
    })
    const common = { botId: BOT_ID, provider, key: null, live: null, isAfterwards: true, notice() {}, signal: SIGNAL }
    expect(await finishTranscript(place, common)).toBe(0)
    expect(calls).toBe(sent)
    expect(JSON.parse(readFileSync(join(place, 'transcription.json'), 'utf8')).result.utterances).toEqual([])
  },
)

test('holes of a live transcript are filled from the recording: their words only, of one voice if it was one', async () => {
  const words = [word('before', 0.2), word('hole', 1.1), word('behind', 1.9)]
  const heard: number[] = []
  const provider = answering(async (file) => {
    heard.push(await secondsOf(file, SIGNAL))
    // The piece begins 0.3 s before the hole.
    const inPiece = words.map((each) => ({ ...each, start: each.start - 0.7, end: each.end - 0.7 }))
    return { raw: 'piece', words: inPiece, language: 'en' }
  })
  const filled = (live: Partial<LiveResult>, userId: number | null) => {
    const holes = [{ start: 1, end: 1.6, userId }]
    return finished({ provider, isAfterwards: false, live: { ...LIVE, ...live, holes } }, recording(undefined, 3))
  }
  const whole = await filled(heardLive(word('live', 0.1), word('late', 1.8)), null)
  expect(whole.said!.join(' ')).toMatch(/live.*hole.*late/)
  expect(whole.said!.join(' ')).not.toMatch(/before|behind/)
  expect(whole.notices).toEqual([expect.stringContaining('the rest is made from the recording: 1 s of sound')])
  expect(heard[0]).toBeLessThan(1.5)
  expect((await filled({}, 99)).said!.join(' ')).not.toContain('hole')
})

/** Takes four pieces of a second. `answers`: what the next requests bring; behind them all succeed. */
function inPieces(answers: ('word' | 'fails' | 'quota' | 'waits')[], stop?: () => void) {
  const asked: number[] = []
  const provider: SpeechProvider = {
    ...{ name: 'Default', live: null },
    afterwards: {
      maxSeconds: 1,
      async transcribe(file) {
        asked.push(await secondsOf(file, SIGNAL))
        const answer = answers.shift() ?? 'word'
        if (answer === 'waits') stop?.()
        const isForAll = answer === 'quota'
        if (answer !== 'word') throw new ProviderError(`api.example: ${answer}`, { isTransient: false, isForAll })
        return { raw: {}, words: [word(`w${asked.length}`, 0.4)], language: 'en' }
      },
    },
  }
  return { asked, given: { provider, live: null, isAfterwards: true } }
}

const hole = (start: number, end: number) => ({ start, end, user_id: null, reason: expect.any(String) })

test.each([
  ['one fails', ['word', 'fails', 'word', 'word'], ['w1', 'w3', 'w4'], [[1, 2]], 1],
  [
    'two fail',
    ['fails', 'word', 'fails', 'word'],
    ['w2', 'w4'],
    [
      [0, 1],
      [2, 3],
    ],
    2,
  ],
  // Its stretch is one then, and is cut anew.
  [
    'all fail from the second on',
    ['word', 'quota'],
    ['w1'],
    [
      [1, 2],
      [2, 3],
      [3, 4],
    ],
    2,
  ],
] as const)('where of four pieces %s, the others stay, and the next run asks for the rest alone', async (...row) => {
  const [, answers, said, holes, rest] = row
  const place = recording('sine=r=16000', 4)
  writeFileSync(join(place, 'diarization.jsonl'), '{"speaker":"Ann","user_id":1,"start_time":0,"end_time":4}\n')
  const wordsOf = (lines: string[] | undefined) => lines?.flatMap((line) => line.replace('Ann: ', '').split(' '))
  const made = await finished(inPieces([...answers]).given, place)
  expect(made).toMatchObject({ failure: null, holes: holes.map(([start, end]) => hole(start, end)) })
  expect(wordsOf(made.said)).toEqual(said)
  expect(made.notices).toEqual([
    expect.stringMatching(/is not whole: 00:0\d–.* could not be transcribed: api\.example/),
  ])

  const failing = inPieces(['quota'])
  expect(await finished(failing.given, place)).toMatchObject({ failure: 'api.example: quota', holes: made.holes })
  expect(failing.asked).toHaveLength(1)

  const next = inPieces([])
  const whole = await finished(next.given, place)
  expect(whole).toMatchObject({ failure: null, holes: [], notices: [] })
  expect(next.asked).toHaveLength(rest)
  expect(wordsOf(whole.said)).toHaveLength(said.length + rest)
})

test('where all pieces fail there is no transcript, and a whole one is not replaced by one with holes', async () => {
  const place = recording('sine=r=16000', 3)
  expect(await finished(inPieces(['fails', 'fails', 'fails']).given, place)).toMatchObject({
    ...{ failure: 'api.example: fails', said: undefined },
  })
  await finished(inPieces([]).given, place)
  expect(await finished(inPieces(['word', 'fails']).given, place)).toMatchObject({
    ...{ failure: expect.stringContaining('The earlier transcript stays.'), holes: [] },
  })
})

test('where a piece fails whose words were heard live, these are in the transcript', async () => {
  const words = [word('live0', 0.5), word('live1', 1.5), word('live2', 2.5)]
  const heard = async (live: Partial<LiveResult>) => {
    const { given } = inPieces(['word', 'fails'])
    return finished({ ...given, live: { ...heardLive(...words), ...live } }, recording('sine=r=16000', 3))
  }
  expect(await heard({})).toMatchObject({
    ...{ said: ['Ann: w1 live1 w3'], holes: [], notices: [expect.stringContaining('heard live')] },
  })
  expect(await heard({ holes: [{ start: 1.8, end: 2.4, userId: null }] })).toMatchObject({ holes: [hole(1.8, 2)] })
})

test('the end of its time leaves the pieces that are done, and a stop leaves nothing', async () => {
  const outcome = async (reason: Error) => {
    const over = new AbortController()
    const { given } = inPieces(['word', 'waits'], () => over.abort(reason))
    return finished(given, recording('sine=r=16000', 3), over.signal)
  }
  expect(await outcome(new DOMException('over', 'TimeoutError'))).toMatchObject({
    ...{ failure: null, said: ['Ann: w1'], holes: [hole(1, 2), hole(2, 3)] },
  })
  const over = AbortSignal.abort(new DOMException('over', 'TimeoutError'))
  expect(await finished({ ...inPieces([]).given, live: LIVE }, recording(), over)).toMatchObject({
    said: ['Ann: live'],
  })
  expect(await outcome(new Error('stopped'))).toMatchObject({ failure: 'stopped', said: undefined })
})
