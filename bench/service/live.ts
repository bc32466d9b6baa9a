/** From words that a bot sends, over their commit, to all who follow the bot: streams, and a subscription of its team. */
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { WebSocket } from 'ws'
import { BenchProcess } from './bench-process.ts'
import { type BenchBot, BotLinks, insertRunning, makeBots } from './bots.ts'
import { type Figure, inLanes, type Options, paced, percentile, progress, until, wait } from './measure.ts'
import { type Service, withService } from './service.ts'

const PATIENCE_SECONDS = 120
const WARM_UP_SECONDS = 3
const STREAMS_OF_BOT = 2

/** Where bots report to, and where they can be followed. */
interface Target {
  linkUrl: string
  url: string
  key: string
}

export async function measure({ isSmall }: Options): Promise<Figure[]> {
  const perSecond = isSmall ? 100 : 500
  const seconds = isSmall ? 5 : 30
  return withService({}, async (service) => {
    await service.start('api,links')
    const database = await service.openDatabase(1)
    const teamId = await service.teamId(database)
    const [bots, plainBots] = [makeBots(perSecond), makeBots(perSecond)]
    for (const some of [bots, plainBots]) await insertRunning(database, teamId, some)
    await database.destroy()
    const plainServer = await BenchProcess.start('plain-live.ts', { BENCH_DATABASE: await service.databaseUrl() })
    const plainUrl = `http://127.0.0.1:${plainServer.port}`
    const plain = await run(plainBots, { url: plainUrl, linkUrl: plainUrl.replace('http', 'ws'), key: '' }, [], seconds)
    await plainServer.end()
    const subscription = await subscribe(service)
    const own = await run(bots, service, [subscription], seconds)
    const figure = (share: number, name: string) => ({
      measure: `words → ${bots.length * STREAMS_OF_BOT} streams at ${perSecond} events/s, ${name}`,
      value: percentile(own.streamed, share),
      unit: 'ms',
      plain: percentile(plain.streamed, share),
    })
    return [
      { ...figure(0.5, 'median'), goal: null },
      { ...figure(0.99, '99th percentile'), goal: { atMost: 100 } },
      {
        measure: `words → subscription of the team at ${perSecond} events/s, 99th percentile`,
        value: percentile(own.subscribed, 0.99),
        unit: 'ms',
        plain: null,
        goal: { atMost: 100 },
      },
    ]
  })
}

type OnText = (text: string) => void

async function run(
  bots: BenchBot[],
  { linkUrl, url, key }: Target,
  subscriptions: ((onText: OnText) => Promise<() => void>)[],
  seconds: number,
): Promise<{ streamed: number[]; subscribed: number[] }> {
  const streamed: number[] = []
  const subscribed: number[] = []
  const links = new BotLinks(bots, linkUrl)
  const streams: IncomingMessage[] = []
  const ends: (() => void)[] = []
  try {
    await links.open(PATIENCE_SECONDS)
    links.beat()
    await inLanes(50, bots.length * STREAMS_OF_BOT, async (place) => {
      const path = `/v2/bots/${bots[place % bots.length]!.id}/events/stream?types=transcript`
      streams.push(await openStream(`${url}${path}`, key, noteTimes(streamed)))
    })
    for (const open of subscriptions) ends.push(await open(noteTimes(subscribed)))
    progress(`  ${streams.length} streams are open`)
    for (const lasts of [WARM_UP_SECONDS, seconds]) {
      const sent = bots.length * lasts
      streamed.length = 0
      subscribed.length = 0
      await paced(bots.length, lasts, (number, dueAt) => say(bots[number % bots.length]!, String(dueAt)))
      const isDone = () =>
        streamed.length === sent * STREAMS_OF_BOT && subscribed.length === sent * subscriptions.length
      await until('every event has come', PATIENCE_SECONDS, isDone).catch((error) => {
        throw new Error(`${streamed.length} and ${subscribed.length} of ${sent} have come`, { cause: error })
      })
    }
    return { streamed, subscribed }
  } finally {
    links.close()
    for (const stream of streams) stream.destroy()
    for (const end of ends) end()
    await wait(500)
  }
}

const noteTimes =
  (times: number[]): OnText =>
  (text) =>
    times.push(performance.now() - Number(text))

async function openStream(url: string, key: string, onText: OnText): Promise<IncomingMessage> {
  const [answer] = (await once(get(url, { headers: { 'x-service-api-key': key } }), 'response')) as [IncomingMessage]
  if (answer.statusCode !== 200) throw new Error(`A stream answered ${answer.statusCode}`)
  answer.setEncoding('utf8')
  let rest = ''
  answer.on('data', (piece: string) => {
    const parts = `${rest}${piece}`.split('\n\n')
    rest = parts.pop()!
    for (const part of parts) {
      const data = /^data: (.*)$/m.exec(part)?.[1]
      if (data !== undefined) onText(JSON.parse(data).data.text)
    }
  })
  answer.on('error', () => {})
  return answer
}

async function subscribe(service: Service): Promise<(onText: OnText) => Promise<() => void>> {
  const { key } = service
  await service.call('POST', '/v2/event-subscriptions', key, { name: 'bench', types: ['transcript'] })
  return async (onText) => {
    const socket = new WebSocket(`${service.url.replace('http', 'ws')}/v2/event-subscriptions/bench/socket`, {
      headers: { 'x-service-api-key': key },
    })
    socket.on('message', (data) => {
      const { events } = JSON.parse(String(data)) as { events: { id: string; data: { text: string } }[] }
      for (const { data } of events) onText(data.text)
      socket.send(JSON.stringify({ type: 'ack', id: events.at(-1)!.id }))
    })
    await once(socket, 'open')
    return () => socket.terminate()
  }
}

function say(bot: BenchBot, text: string): void {
  bot.seq += 1
  const speaker = { id: 1, name: 'Ada Byron', platform_id: 'p-1' }
  const event = { type: 'transcript', text, is_final: true, speaker, start: 1, end: 2, language: 'en' }
  const at = new Date().toISOString()
  bot.socket?.send(JSON.stringify({ type: 'event', seq: bot.seq, bot_id: bot.id, at, event }))
}
