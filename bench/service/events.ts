/** From an event that a bot sends, over its commit, to the first attempt of its webhook. */
import { type Received, startReceiver } from '../../test/control-plane/webhooks/receiver.ts'
import { BenchProcess } from './bench-process.ts'
import { type BenchBot, BotLinks, insertRunning, makeBots, sendStatus } from './bots.ts'
import { type Figure, type Options, paced, percentile, until, wait } from './measure.ts'
import { withService } from './service.ts'

const PATIENCE_SECONDS = 180
const WARM_UP_SECONDS = 3
/** Less often than the dispatcher's longest pause ends: each event meets a service that has nothing to do. */
const QUIET = { perSecond: 1, seconds: 20 }

/** Milliseconds from the instant at which each event was due. */
interface Latencies {
  committed: number[]
  attempted: number[]
}

export async function measure({ isSmall }: Options): Promise<Figure[]> {
  const perSecond = isSmall ? 100 : 500
  const seconds = isSmall ? 5 : 30
  const arrived = new Arrivals()
  const receiver = await startReceiver((request, response) => {
    arrived.onRequest(request)
    response.end()
  })
  try {
    return await withService({}, async (service) => {
      await service.start('links,dispatcher')
      const database = await service.openDatabase(1)
      const teamId = await service.teamId(database)
      const bots = makeBots(perSecond)
      const plainBots = makeBots(perSecond)
      await insertRunning(database, teamId, bots)
      await insertRunning(database, teamId, plainBots)
      const quietBots = makeBots(1)
      await insertRunning(database, teamId, quietBots)
      await database.destroy()
      // Before there is an endpoint, so that the dispatcher does not send them.
      const plainServer = await BenchProcess.start('plain-events.ts', {
        BENCH_DATABASE: await service.databaseUrl(),
        BENCH_RECEIVER: receiver.url,
        BENCH_TEAM: teamId,
      })
      const plain = await run(plainBots, `ws://127.0.0.1:${plainServer.port}/link`, arrived, perSecond, seconds)
      await plainServer.end()
      await service.command('endpoints', 'create', receiver.url)
      const quiet = await run(quietBots, service.linkUrl, arrived, QUIET.perSecond, QUIET.seconds)
      const own = await run(bots, service.linkUrl, arrived, perSecond, seconds)
      const figure = (what: string, times: number[], plainTimes: number[], atMost: number | null) => ({
        measure: `event → ${what} at ${perSecond} events/s, 99th percentile`,
        value: percentile(times, 0.99),
        unit: 'ms',
        plain: percentile(plainTimes, 0.99),
        goal: atMost === null ? null : { atMost },
      })
      return [
        figure('acknowledged after its commit', own.committed, plain.committed, null),
        figure('first webhook attempt', own.attempted, plain.attempted, 500),
        {
          measure: 'event → first webhook attempt when nothing else happens, median',
          value: percentile(quiet.attempted, 0.5),
          unit: 'ms',
          plain: null,
          goal: { atMost: 100 },
        },
      ]
    })
  } finally {
    await receiver.close()
  }
}

/** Which webhooks are awaited. Those of one bot come in the order of its events. */
class Arrivals {
  readonly #awaited = new Map<string, number[]>()
  readonly #ids = new Set<string>()
  times: number[] = []
  waiting = 0

  expect(botId: string, at: string, dueAt: number): void {
    const key = `${botId} ${at}`
    this.#awaited.set(key, [...(this.#awaited.get(key) ?? []), dueAt])
    this.waiting += 1
  }

  onRequest({ headers, body }: Received): void {
    const id = headers['webhook-id']!
    if (this.#ids.has(id)) return
    this.#ids.add(id)
    const dueAt = this.#awaited.get(`${body.data.bot_id} ${body.data.status?.created_at}`)?.shift()
    if (dueAt === undefined) return
    this.times.push(performance.now() - dueAt)
    this.waiting -= 1
  }
}

async function run(
  bots: BenchBot[],
  url: string,
  arrived: Arrivals,
  perSecond: number,
  seconds: number,
): Promise<Latencies> {
  const committed: number[] = []
  const unacknowledged = new Map<BenchBot, { seq: number; dueAt: number }[]>(bots.map((bot) => [bot, []]))
  const links = new BotLinks(bots, url, {
    onAck(bot, seq) {
      const list = unacknowledged.get(bot)!
      while (list.length > 0 && list[0]!.seq <= seq) committed.push(performance.now() - list.shift()!.dueAt)
    },
  })
  const send = async (lasts: number) => {
    await paced(perSecond, lasts, (number, dueAt) => {
      const bot = bots[number % bots.length]!
      const at = new Date().toISOString()
      arrived.expect(bot.id, at, dueAt)
      unacknowledged.get(bot)!.push({ seq: bot.seq + 1, dueAt })
      sendStatus(bot, at)
    })
    const missing = () => perSecond * lasts - committed.length
    await until(
      'every event is acknowledged and its webhook attempted',
      PATIENCE_SECONDS,
      () => arrived.waiting === 0 && missing() === 0,
    ).catch((error) => {
      throw new Error(`${arrived.waiting} webhooks and ${missing()} acknowledgements are missing`, { cause: error })
    })
  }
  try {
    await links.open(PATIENCE_SECONDS)
    links.beat()
    await wait(2_000)
    // Warm-up: code is compiled and connections are open before the measurement.
    for (const lasts of [WARM_UP_SECONDS, seconds]) {
      arrived.times = []
      committed.length = 0
      await send(lasts)
    }
    return { committed, attempted: arrived.times }
  } finally {
    links.close()
  }
}
