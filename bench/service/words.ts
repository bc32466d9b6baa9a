/**
 * From a spoken word to its partial text at a follower, over the whole way: sound as a bot captures it, the Realtime
 * interface, the bot's own control link, PostgreSQL, the stream of events. The recognizer is a stand-in that says each word
 * a known time after its end, and that time is taken off. The plainest program reads the recognizer's answer directly.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@standin/wire/time/deadline.ts'
import { createStandinClient, followEvents } from '../../packages/client/index.ts'
import { silentLogger } from '../../packages/core/logger.ts'
import { openControlLink } from '../../src/control-link/client.ts'
import { LiveTranscription } from '../../src/transcription/live.ts'
import { createOpenAiCompatible } from '../../src/transcription/providers/openai-compatible.ts'
import { openRealtime, RATE, silence, wordSound } from '../../test/src/transcription/realtime-service.ts'
import { type BenchBot, insertRunning, makeBots } from './bots.ts'
import { type Figure, type Options, percentile, until, wait } from './measure.ts'
import { type Service, withService } from './service.ts'

const RECOGNIZER_MS = 200
const MESSAGE_MS = 100
const MESSAGE_BYTES = (RATE / 1000) * MESSAGE_MS * 2
/** After each word; after every fifth a pause that ends the turn. Seconds. */
const GAP = 0.25
const PAUSE = 0.9
const ENVIRONMENT = { display: null, pulseServer: '', pulseSink: '', width: 1, height: 1 }

interface Times {
  /** Milliseconds beyond the recognizer's own time, to the bot and to the follower. */
  bot: number[]
  follower: number[]
  missing: number
}

export async function measure({ isSmall }: Options): Promise<Figure[]> {
  const bots = makeBots(isSmall ? 2 : 5)
  const words = isSmall ? 15 : 60
  const recognizer = await openRealtime({ isStreaming: true, delayMs: RECOGNIZER_MS })
  const folder = mkdtempSync(join(tmpdir(), 'standin-words-'))
  try {
    return await withService({}, async (service) => {
      await service.start('api,links')
      const database = await service.openDatabase(1)
      await insertRunning(database, await service.teamId(database), bots)
      await database.destroy()
      const times: Times = { bot: [], follower: [], missing: 0 }
      await Promise.all(
        bots.map((bot, place) => speak(service, bot, { words, url: recognizer.url, folder, times, place })),
      )
      if (times.missing > 0) throw new Error(`${times.missing} words did not reach their follower`)
      const who = `${bots.length} bots that speak without a pause`
      const figure = (name: string, share: number, goal: Figure['goal']) => ({
        measure: `spoken word → partial at a follower beyond the recognizer's ${RECOGNIZER_MS} ms, ${who}, ${name}`,
        ...{ value: percentile(times.follower, share), unit: 'ms', plain: percentile(times.bot, share), goal },
      })
      return [figure('median', 0.5, null), figure('99th percentile', 0.99, { atMost: 300 })]
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
    await recognizer.close()
  }
}

async function speak(
  service: Service,
  bot: BenchBot,
  { words, url, folder, times, place }: { words: number; url: string; folder: string; times: Times; place: number },
): Promise<void> {
  const home = mkdtempSync(join(folder, 'bot-'))
  const common = { logger: silentLogger, folder: home }
  const link = openControlLink({
    usage: { latest: null },
    ...common,
    botId: bot.id,
    url: service.linkUrl,
    token: bot.token,
  })
  await link.whenWelcomed()
  /** `performance.now()` at which each word ended. */
  const endedAt = new Map<string, number>()
  const seen = { bot: new Set<string>(), follower: new Set<string>() }
  const note = (at: 'bot' | 'follower', text: string) => {
    for (const word of text.split(' ').filter((one) => endedAt.has(one) && !seen[at].has(one))) {
      seen[at].add(word)
      times[at].push(performance.now() - endedAt.get(word)! - RECOGNIZER_MS)
    }
  }
  let onSamples: (message: Buffer) => void = () => {}
  const provider = createOpenAiCompatible({
    ...{ url: 'http://127.0.0.1:9/v1', key: null, model: 'm', liveUrl: url, liveModel: 'm', customParams: {} },
  })
  const recognition = provider.live!
  const live = new LiveTranscription({
    ...{ ...common, recognition, hearsVoices: false, clock: systemClock, notice: () => {} },
    capture: async (_environment, _rate, _folder, listener) => {
      onSamples = listener
      return { ended: new Promise(() => {}), stop: async () => {} }
    },
    emit(words) {
      note('bot', words.text)
      if (words.is_final) link.report({ ...words, is_final: true })
      else link.show(words)
    },
  })
  const { v2 } = createStandinClient({ baseUrl: service.url, apiKey: service.key })
  const over = new AbortController()
  const following = (async () => {
    const options = { types: ['transcript'] as const, signal: over.signal }
    const onPartial = ({ data }: { data: Record<string, unknown> }) => note('follower', String(data.text))
    for await (const { data } of followEvents(v2, bot.id, { ...options, onPartial }))
      note('follower', String(data.text))
  })()
  const beganAt = systemClock.now()
  live.start(ENVIRONMENT, { offset: (at) => Math.max(0, at - beganAt) / 1000, turns: () => [], person: () => null })
  // The words of several bots do not end at one instant.
  await wait(1_000 + place * 37)
  await capture(words, endedAt, (message) => onSamples(message))
  await until('words at the follower', 10, () => seen.follower.size === words).catch(() => {})
  times.missing += words - seen.follower.size
  over.abort()
  await following
  await live.close()
  await link.close()
}

/** Plays words in real time, as messages that come when their last sample was heard. */
async function capture(words: number, endedAt: Map<string, number>, send: (message: Buffer) => void): Promise<void> {
  const began = performance.now()
  let seconds = 0
  let sent = 0
  let rest = Buffer.alloc(0)
  const play = async (sound: Buffer) => {
    seconds += sound.byteLength / 2 / RATE
    rest = Buffer.concat([rest, sound])
    for (; rest.byteLength >= MESSAGE_BYTES; rest = rest.subarray(MESSAGE_BYTES)) {
      sent++
      await wait(Math.max(0, began + sent * MESSAGE_MS - performance.now()))
      send(rest.subarray(0, MESSAGE_BYTES))
    }
  }
  for (let number = 1; number <= words; number++) {
    const sound = wordSound(number)
    endedAt.set(`w${number}`, began + seconds * 1000 + (sound.byteLength / 2 / RATE) * 1000)
    await play(sound)
    await play(silence(number % 5 === 0 ? PAUSE : GAP))
  }
  await play(silence(2))
}
