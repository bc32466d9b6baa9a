/** Voices: flite itself, a service and a model that are stand-ins. Sound is asked for at 24 kHz. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openVoice } from '../../../src/voice/index.ts'
import { openVoiceModel, voiceModelIn } from '../../../src/voice/model.ts'
import { temporaryFolder } from '../../fakes/at-end.ts'

const RATE = 24_000
const SIGNAL = new AbortController().signal
const secondsOf = ({ byteLength }: Buffer) => byteLength / 2 / RATE
const peakOf = (sound: Buffer) => Math.max(...new Int16Array(Uint8Array.from(sound).buffer).map(Math.abs))

test('flite speaks, whatever the text looks like, and stops with its signal', async () => {
  const voice = openVoice({ kind: 'flite', voice: 'slt' }, RATE)
  const sound = await voice.speak('-o /tmp/evil; $(id) and five minutes left.', SIGNAL)
  expect(secondsOf(sound)).toBeGreaterThan(2)
  expect(peakOf(sound)).toBeGreaterThan(3000)
  expect(await voice.speak('…', SIGNAL).then(secondsOf)).toBeLessThan(1)
  const over = AbortSignal.abort(new Error('It is over.'))
  await expect(voice.speak('Hello.', over)).rejects.toThrow('It is over.')
})

const KEY = 'key-of-the-test'

/** A service that answers with these in turn; `ok` is half a second of sound. */
async function service(...answers: (number | 'ok' | 'text' | 'elsewhere')[]) {
  const asked: { body: unknown; key: string | undefined }[] = []
  const wav = Buffer.alloc(44 + 16_000)
  wav.write('RIFF', 0).toString()
  wav.writeUInt32LE(wav.length - 8, 4)
  wav.write('WAVEfmt ', 8)
  for (const [at, value, size] of [
    [16, 16, 4],
    [20, 1, 2],
    [22, 1, 2],
    [24, 16_000, 4],
    [28, 32_000, 4],
    [32, 2, 2],
    [34, 16, 2],
  ] as const)
    wav.writeUIntLE(value, at, size)
  wav.write('data', 36)
  wav.writeUInt32LE(16_000, 40)
  const server = createServer(async (request, response) => {
    asked.push({ body: JSON.parse(String(Buffer.concat(await request.toArray()))), key: request.headers.authorization })
    const answer = answers.shift() ?? 'ok'
    if (answer === 'elsewhere') response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()
    else if (typeof answer === 'number') response.writeHead(answer).end(`no, ${KEY}`)
    else response.end(answer === 'ok' ? wav : 'Not a sound')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`
  return { asked, voice: openVoice({ kind: 'service', url, key: KEY, model: 'm', voice: 'v' }, RATE) }
}

test('a service is asked as OpenAI is, and once more if it is busy', async () => {
  const { asked, voice } = await service(503)
  expect(secondsOf(await voice.speak('Hello.', SIGNAL))).toBeCloseTo(0.5, 1)
  const body = { model: 'm', voice: 'v', input: 'Hello.', response_format: 'wav' }
  expect(asked).toEqual([1, 2].map(() => ({ body, key: `Bearer ${KEY}` })))
})

test.each([
  ['a key that it refuses', [401], /status 401: no, \[key\]$/],
  ['an answer that is no sound', ['text'], /could not be decoded/],
  ['a redirect, which the key must not follow', ['elsewhere', 'elsewhere', 'elsewhere'], /gave no speech: .*redirect/],
] as const)('%s is one sentence without the key', async (_what, answers, sentence) => {
  const { voice } = await service(...answers)
  const error: Error = await voice.speak('Hello.', SIGNAL).catch((thrown) => thrown)
  expect(error.message).toMatch(sentence)
  expect(error.message).not.toContain(KEY)
})

function modelFolder(files: readonly string[], name = 'a-voice'): string {
  const folder = join(temporaryFolder(), name)
  mkdirSync(folder)
  for (const file of files) writeFileSync(join(folder, file), '')
  return folder
}

const PIPER = ['en_US-amy.onnx', 'en_US-amy.onnx.json', 'tokens.txt', 'espeak-ng-data']
const KOKORO = [
  'model.onnx',
  'model.int8.onnx',
  'voices.bin',
  'tokens.txt',
  'espeak-ng-data',
  'lexicon-us-en.txt',
  'lexicon-zh.txt',
]

test.each([
  ['Piper', PIPER, 'a-voice', { vits: { model: 'en_US-amy.onnx', tokens: 'tokens.txt', dataDir: 'espeak-ng-data' } }],
  [
    'Kokoro',
    KOKORO,
    'kokoro',
    { kokoro: { model: 'model.int8.onnx', voices: 'voices.bin', lexicon: 'lexicon-us-en.txt,lexicon-zh.txt' } },
  ],
  ['Kitten', KOKORO, 'kitten-nano', { kitten: { voices: 'voices.bin' } }],
  ['VITS with a lexicon', ['model.onnx', 'tokens.txt', 'lexicon.txt'], 'v', { vits: { lexicon: 'lexicon.txt' } }],
])('%s is known by its files', (_kind, files, name, config) => {
  const folder = modelFolder(files, name)
  expect(JSON.parse(JSON.stringify(voiceModelIn(folder)).replaceAll(`${folder}/`, ''))).toMatchObject(config)
})

test('what is no model, or fails in its process, is refused in one sentence', async () => {
  const speak = (folder: string, engine?: string) => {
    const voice = openVoiceModel({ folder, voice: 0, sampleRate: RATE, ...(engine && { engine }) })
    onTestFinished(() => voice.close())
    return voice.speak('Hello.', SIGNAL)
  }
  await expect(speak('/nowhere')).rejects.toThrow('cannot be read: /nowhere')
  await expect(speak(modelFolder(['model.onnx']))).rejects.toThrow('has no voice')
  // Empty files.
  await expect(speak(modelFolder(PIPER))).rejects.toThrow(/^The voice model cannot be used: /)
  await expect(speak(modelFolder(PIPER), '/nowhere.cjs')).rejects.toThrow('nowhere.cjs')
})

test('a model speaks in a process that has no secrets, text after text, and again after it crashed', async () => {
  const engine = join(temporaryFolder(), 'engine.cjs')
  writeFileSync(
    engine,
    `exports.OfflineTts = class {
      generate({ text, sid }) {
        if (text === 'crash') process.exit(3)
        if (process.env.STANDIN_VOICE_KEY) throw new Error('it has a secret')
        return { samples: new Float32Array(11025 * text.length).fill(sid / 10), sampleRate: 22050 }
      }
    }`,
  )
  process.env.STANDIN_VOICE_KEY = KEY
  onTestFinished(() => void delete process.env.STANDIN_VOICE_KEY)
  const voice = openVoiceModel({ folder: modelFolder(PIPER), voice: 5, sampleRate: RATE, engine })
  onTestFinished(() => voice.close())
  const sounds = await Promise.all([voice.speak('ab', SIGNAL), voice.speak('abcd', SIGNAL)])
  expect(sounds.map((sound) => Math.round(secondsOf(sound) * 10))).toEqual([10, 20])
  expect(peakOf(sounds[0]!) / 32_768).toBeCloseTo(0.5, 1)
  await expect(voice.speak('crash', SIGNAL)).rejects.toThrow('its process ended (3)')
  expect(secondsOf(await voice.speak('ab', SIGNAL))).toBeCloseTo(1, 1)
})
