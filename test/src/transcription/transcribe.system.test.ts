import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type SpeechProvider, transcribe } from '../../../src/transcription/index.ts'
import { temporaryFolder } from '../../fakes/at-end.ts'
import { type Line, record } from './spoken-script.ts'

const BOT_ID = '5b0d4f2e-7c55-4c86-9d2c-0f6a1f0c7f11'

test('a recording longer than the provider accepts is cut in pauses, and the times continue', async () => {
  const place = temporaryFolder()
  const lines = record(place)
  let asked = 0
  const provider: SpeechProvider = {
    name: 'Default',
    live: null,
    afterwards: {
      maxSeconds: lines[1]!.end + 0.5,
      async transcribe() {
        const word = { word: `piece${++asked}`, start: 0.9, end: 1.1, confidence: null }
        return { raw: {}, words: [word], language: null }
      },
    },
  }
  await transcribe(place, { botId: BOT_ID, provider, key: null, signal: new AbortController().signal })
  expect(asked).toBe(2)
  const { utterances } = JSON.parse(readFileSync(join(place, 'transcription.json'), 'utf8')).result as {
    utterances: Line[]
  }
  expect(utterances.map(({ text }) => text)).toEqual(['piece1', 'piece2'])
  const second = utterances[1]!.start - 0.9
  expect(second).toBeGreaterThan(lines[0]!.end)
  expect(second).toBeLessThan(lines[2]!.start)
})
