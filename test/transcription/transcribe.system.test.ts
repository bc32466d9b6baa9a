import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createOpenAiCompatible, transcribe } from '../../transcription/index.ts'
import { startSpeechService } from './speech-service.ts'
import { folder, type Line, record } from './spoken-script.ts'

const BOT_ID = '5b0d4f2e-7c55-4c86-9d2c-0f6a1f0c7f11'

test('a recording longer than the provider accepts is cut in pauses, and the times continue', async () => {
  const place = folder()
  const lines = record(place)
  const service = await startSpeechService((_asked, number) => ({
    body: { words: [{ word: `piece${number}`, start: 0.9, end: 1.1 }] },
  }))
  const provider = createOpenAiCompatible({
    url: service.url,
    key: null,
    model: 'm',
    liveUrl: 'ws://127.0.0.1:9/v1/realtime',
    liveModel: 'live',
    customParams: {},
  })
  const short = { ...provider, afterwards: { ...provider.afterwards!, maxSeconds: lines[1]!.end + 0.5 } }
  await transcribe(place, { botId: BOT_ID, provider: short, key: null, signal: new AbortController().signal })
  expect(service.asked).toHaveLength(2)
  const { utterances } = JSON.parse(readFileSync(join(place, 'transcription.json'), 'utf8')).result as {
    utterances: Line[]
  }
  expect(utterances.map(({ text }) => text)).toEqual(['piece1', 'piece2'])
  const second = utterances[1]!.start - 0.9
  expect(second).toBeGreaterThan(lines[0]!.end)
  expect(second).toBeLessThan(lines[2]!.start)
})

test('a service that fails leaves no file and says why', async () => {
  const place = folder()
  record(place)
  const service = await startSpeechService(() => ({ status: 400, body: 'this sound is unknown' }))
  const provider = createOpenAiCompatible({
    url: service.url,
    key: 'k',
    model: 'm',
    liveUrl: 'ws://127.0.0.1:9/v1/realtime',
    liveModel: 'live',
    customParams: {},
  })
  const work = transcribe(place, { botId: BOT_ID, provider, key: null, signal: new AbortController().signal })
  await expect(work).rejects.toThrow('answered with status 400')
  expect(readdirSync(place).filter((name) => name.includes('transcription'))).toEqual([])
})
