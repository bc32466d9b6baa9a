/**
 * The cost of row security for requests of callers. Two services of the same program take turns on one PostgreSQL: the user of one
 * database may make the role of callers, the other one may not, so that service works without row security.
 */
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startOwnPostgres } from '../../control-plane/store/own-postgres.ts'
import { measureTree } from '../shared/process-tree.ts'
import { type Figure, inLanes, type Options } from './measure.ts'
import { type Service, withService } from './service.ts'

const LANES = 8
/** The goal of the service is 5 % at most. */
const MIN_RATIO = 0.95
const PASSWORD = 'bench'

export async function measure({ isSmall }: Options): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'standin-bench-'))
  // PostgreSQL runs as another user where the bench runs as root, and has to pass through.
  chmodSync(folder, 0o755)
  const postgres = await startOwnPostgres({ folder })
  const postmaster = () => Number(readFileSync(join(folder, 'database/cluster/postmaster.pid'), 'utf8').split('\n')[0])
  try {
    const secured = { DATABASE_URL: await addDatabase(postgres.url, 'secured', 'createrole') }
    const open = { DATABASE_URL: await addDatabase(postgres.url, 'open', '') }
    return await withService(secured, (first) =>
      withService(open, async (second) => {
        for (const service of [first, second]) await service.start('api')
        const warned = await Promise.all([first, second].map(warning))
        if (warned[0] || !warned[1]) throw new Error(`Row security is not as the bench needs it: ${warned}`)
        return compare([first, second], postmaster(), isSmall)
      }),
    )
  } finally {
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The address of a new database with its own user. */
async function addDatabase(url: string, name: string, permission: string): Promise<string> {
  const admin = new pg.Client({ connectionString: url })
  await admin.connect()
  await admin.query(`create role ${name} login password '${PASSWORD}' ${permission}`)
  await admin.query(`create database ${name} owner ${name}`)
  await admin.end()
  return Object.assign(new URL(url), { username: name, password: PASSWORD, pathname: `/${name}` }).href
}

async function warning(service: Service): Promise<string | undefined> {
  const { body } = await service.call('GET', '/readyz', service.key)
  return body.warnings.row_security
}

type Request = (service: Service) => Promise<void>

async function compare(services: readonly [Service, Service], postmaster: number, isSmall: boolean): Promise<Figure[]> {
  const bots = new Map<Service, string>()
  const ask =
    (method: string, path: (botId: string) => string, wanted: number, body?: object): Request =>
    async (service) => {
      const answer = await service.call(method, path(bots.get(service) ?? ''), service.key, body)
      if (answer.status !== wanted) throw new Error(`${path('')} answered ${answer.status}`)
      if (method === 'POST') bots.set(service, answer.body.data.bot_id)
    }
  const bot = { bot_name: 'Notes', meeting_url: 'https://meet.google.com/abc-defg-hij' }
  const requests: [string, Request][] = [
    ['a bot is created', ask('POST', () => '/v2/bots', 201, bot)],
    ['a bot is read', ask('GET', (id) => `/v2/bots/${id}`, 200)],
    ['a timeline is read', ask('GET', (id) => `/v2/bots/${id}/timeline`, 200)],
    ['a page of 50 bots is read', ask('GET', () => '/v2/bots?limit=50', 200)],
  ]
  const [rounds, count] = isSmall ? [4, 100] : [40, 400]
  const figures: Figure[] = []
  for (const [measure, request] of requests) {
    for (const service of services) await inLanes(LANES, count * 2, () => request(service))
    const spent = services.map(() => ({ seconds: 0, processor: 0 }))
    // The order changes with each round, so that what slows the machine down for a while slows both.
    for (let round = 0; round < rounds; round++)
      for (const place of round % 2 === 0 ? [0, 1] : [1, 0]) {
        const service = services[place]!
        const read = measureTree(() => [service.pid, postmaster])
        const startedAt = performance.now()
        await inLanes(LANES, count, () => request(service))
        const seconds = (performance.now() - startedAt) / 1000
        spent[place]!.seconds += seconds
        spent[place]!.processor += read().cores * seconds
      }
    const [secured, open] = spent.map(({ seconds, processor }) => ({
      perSecond: (rounds * count) / seconds,
      perProcessorSecond: (rounds * count) / processor,
    }))
    const goal = { ratioAtLeast: MIN_RATIO }
    const figure = (unit: string, key: 'perSecond' | 'perProcessorSecond'): Figure => ({
      ...{ measure: `${measure} (plainly: without row security)`, unit, goal },
      ...{ value: secured![key], plain: open![key] },
    })
    figures.push(figure('a second', 'perSecond'), figure('for each second of a core', 'perProcessorSecond'))
  }
  return figures
}
