/**
 * Control links on one process that has no other role: what they cost with a heartbeat every five seconds, and how long it
 * takes until all bots are back after the process was killed and started again.
 */
import { measureTree } from '../shared/process-tree.ts'
import { BenchProcess } from './bench-process.ts'
import { type BenchBot, BotLinks, insertRunning, makeBots } from './bots.ts'
import { type Figure, type Options, progress, residentMegabytes, wait } from './measure.ts'
import { withService } from './service.ts'

const SETTLE_MS = 5_000
const PATIENCE_SECONDS = 300

interface Server {
  url: string
  pid(): number
  /** Kills the process and starts it on the same port. Resolves when it listens. */
  restart(): Promise<unknown>
}

interface Cost {
  megabytes: number
  cores: number
  backSeconds: number
}

export async function measure({ isSmall }: Options): Promise<Figure[]> {
  const count = isSmall ? 500 : 10_000
  const seconds = isSmall ? 8 : 30
  const plain = await plainly(async (server) => cost(server, makeBots(count), seconds))
  progress(`  plainest server: ${JSON.stringify(plain)}`)
  const service = await withService({}, async (service) => {
    await service.start('links')
    const database = await service.openDatabase(1)
    const bots = makeBots(count)
    await insertRunning(database, await service.teamId(database), bots)
    await database.destroy()
    const restart = async () => {
      await service.end('SIGKILL')
      await service.start('links')
    }
    return cost({ url: service.linkUrl, pid: () => service.pid, restart }, bots, seconds)
  })
  const links = `${count.toLocaleString('en-US')} control links`
  return [
    {
      measure: `memory (RSS) with ${links}`,
      value: service.megabytes,
      unit: 'MB',
      plain: plain.megabytes,
      goal: { atMost: 300 },
    },
    {
      measure: `processor time of ${links}, a heartbeat every 5 s each`,
      value: service.cores,
      unit: 'core',
      plain: plain.cores,
      goal: { atMost: 0.25 },
    },
    {
      measure: `from SIGKILL and restart until all ${links} are back`,
      value: service.backSeconds,
      unit: 's',
      plain: plain.backSeconds,
      goal: { atMost: 30 },
    },
  ]
}

async function plainly<T>(work: (server: Server) => Promise<T>): Promise<T> {
  let server = await BenchProcess.start('plain-links.ts')
  try {
    return await work({
      url: `ws://127.0.0.1:${server.port}/link`,
      pid: () => server.pid,
      restart: async () => {
        await server.end()
        server = await BenchProcess.start('plain-links.ts', {}, server.port)
      },
    })
  } finally {
    await server.end()
  }
}

async function cost(server: Server, bots: BenchBot[], seconds: number): Promise<Cost> {
  const links = new BotLinks(bots, server.url)
  try {
    await links.open(PATIENCE_SECONDS)
    links.beat()
    await wait(SETTLE_MS)
    const read = measureTree(() => [server.pid()])
    await wait(seconds * 1000)
    const { cores } = read()
    const megabytes = residentMegabytes(server.pid())
    if (links.connected < bots.length) throw new Error(`${bots.length - links.connected} links broke`)
    const killedAt = performance.now()
    await server.restart()
    await links.allBack(PATIENCE_SECONDS)
    return { megabytes, cores, backSeconds: (performance.now() - killedAt) / 1000 }
  } finally {
    links.close()
  }
}
