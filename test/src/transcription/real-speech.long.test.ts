/**
 * A meeting of synthetic voices, transcribed for real: flite speaks, pocketsphinx listens behind each service's
 * interface.
 */

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { silentLogger } from '../../../packages/core/logger.ts'
import { localSpeech } from '../../../src/speech/child.ts'
import {
  createAssemblyAi,
  createDeepgram,
  createLocal,
  createOpenAiCompatible,
  LiveTranscription,
  type SpeechProvider,
  transcribe,
} from '../../../src/transcription/index.ts'
import { utterancesOf } from '../../../src/transcription/speakers.ts'
import type { Utterance } from '../../../src/transcription/types.ts'
import { temporaryFolder } from '../../fakes/at-end.ts'
import { HandClock } from '../../fakes/clock.ts'
import * as assemblyAi from './assemblyai-service.ts'
import { startAssemblyAi } from './assemblyai-service.ts'
import * as deepgram from './deepgram-service.ts'
import { startDeepgram } from './deepgram-service.ts'
import { type Asked, startSpeechService } from './speech-service.ts'
import { listen, shareFound } from './sphinx.ts'
import { type Line, record } from './spoken-script.ts'

const SIGNAL = new AbortController().signal
const BOT_ID = '5b0d4f2e-7c55-4c86-9d2c-0f6a1f0c7f11'

/** The words that pocketsphinx recognizes, in the form of the interface. */
async function answer({ file }: Asked) {
  const words = await listen(file)
  return { body: { text: words.map(({ word }) => word).join(' '), language: 'english', words } }
}

const PROVIDERS: Record<string, () => Promise<SpeechProvider>> = {
  async Default() {
    const { url } = await startSpeechService(answer)
    return createOpenAiCompatible({
      url,
      key: null,
      model: 'm',
      liveUrl: 'ws://127.0.0.1:9/v1/realtime',
      liveModel: 'live',
      customParams: {},
    })
  },
  async local() {
    const engine = join(import.meta.dirname, 'sphinx-engine.ts')
    return createLocal({ name: 'local', open: localSpeech({ engine, models: import.meta.dirname }), customParams: {} })
  },
  async deepgram() {
    const { url } = await startDeepgram(deepgram.recognizing())
    return createDeepgram({ url, key: 'k', customParams: {} })
  },
  async assemblyai() {
    const { url, liveUrl } = await startAssemblyAi(assemblyAi.recognizing())
    return createAssemblyAi({ url, liveUrl, key: 'k', customParams: {}, pollMs: 50 })
  },
}

/** Most of each line's words, at its time and from its speaker. */
function judge(lines: readonly Line[], utterances: readonly Utterance[]): void {
  for (const { speaker, start, end, text } of lines) {
    const words = utterances
      .filter((utterance) => utterance.speaker === speaker)
      .flatMap((utterance) => utterance.words)
      .filter((word) => word.start >= start - 0.5 && word.end <= end + 0.5)
      .map(({ word }) => word)
    const share = shareFound(text.split(' '), words)
    console.log(`${speaker}: ${Math.round(share * 100)} % of "${text}" heard as "${words.join(' ')}"`)
    expect(share).toBeGreaterThan(0.7)
  }
}

test.each(Object.keys(PROVIDERS))('%s: words, times and speakers are those of the script', async (name) => {
  const place = temporaryFolder()
  const lines = record(place)
  const provider = await PROVIDERS[name]!()
  await transcribe(place, { botId: BOT_ID, provider, key: null, signal: SIGNAL })
  const made = JSON.parse(readFileSync(join(place, 'transcription.json'), 'utf8'))
  expect(made).toMatchObject({ bot_id: BOT_ID, provider: name, result: { languages: [expect.stringMatching(/^en/)] } })
  judge(lines, made.result.utterances)
  expect(JSON.parse(readFileSync(join(place, 'raw_transcription.json'), 'utf8')).transcriptions).toHaveLength(1)
  expect(readFileSync(join(place, 'transcription.vtt'), 'utf8')).toContain('<v Ann Berg>')
})

test.each(['local', 'deepgram', 'assemblyai'])(
  '%s, live: words, times and speakers are those of the script',
  async (name) => {
    const place = temporaryFolder()
    const lines = record(place)
    const pcm = execFileSync('ffmpeg', [
      ...['-v', 'error', '-i', join(place, 'audio.m4a'), '-f', 's16le', '-ar', '16000', '-ac', '1', '-'],
    ])
    const clock = new HandClock()
    const begins = clock.now()
    const turns = lines.map(({ speaker, start, end }) => ({
      person: { id: 1, name: speaker, platform_id: 'p' },
      start,
      end,
    }))
    const reported: string[] = []
    let onSamples: (message: Buffer) => void = () => {}
    const live = new LiveTranscription({
      recognition: (await PROVIDERS[name]!()).live,
      capture: async (_environment, _rate, _folder, listener) => {
        onSamples = listener
        return { ended: new Promise(() => {}), stop: async () => {} }
      },
      ...{ hearsVoices: false, folder: place, clock, logger: silentLogger },
      notice: (message) => reported.push(message),
      emit: ({ text, is_final: isFinal }) => isFinal && reported.push(text),
    })
    const environment = { display: null, pulseServer: '', pulseSink: '', width: 1, height: 1 }
    live.start(environment, { offset: (at) => (at - begins) / 1000, turns: () => turns, person: () => null })
    await clock.advance(0)
    for (let at = 0; at < pcm.byteLength; at += 3200) {
      await clock.advance(100)
      onSamples(pcm.subarray(at, at + 3200))
    }
    // The clock did not advance while the connection was made, so that all sound waits for it.
    const wordsOf = (texts: readonly string[]) => texts.join(' ').split(' ').length
    const most = 0.9 * wordsOf(lines.map(({ text }) => text))
    for (let push = 0; wordsOf(reported) < most && push < 1200; push++) {
      await new Promise((resolve) => setTimeout(resolve, 50))
      await clock.advance(100)
      onSamples(Buffer.alloc(3200))
    }
    await live.close()
    const { words, gap } = live.result()
    expect({ gap, reported }).toEqual({ gap: null, reported: expect.any(Array) })
    const turnsOfFile = turns.map(({ person, start, end }) => ({ speaker: person.name, userId: 1, start, end }))
    judge(lines, utterancesOf(words, turnsOfFile, null))
  },
)
