/** Servers of the control link that are killed: no event is lost, none is stored twice. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { notice, numbersUpTo } from '../../src/control-link/support.ts'
import { openWorld } from '../world.ts'
import { openBotLink, wholeLife } from './world.ts'

const world = await openWorld({ links: true })

/** Bots that try again too often take the processor from the server that is about to start. */
const PACE = { reconnectMinMs: 50, reconnectMaxMs: 250, heartbeatMs: 1_000, pingMs: 1_000 }
const LONG = { timeout: 60_000, interval: 10 }

async function startProcess(port = 0): Promise<{ child: ChildProcess; port: number }> {
  const program = fileURLToPath(new URL('link-server-process.ts', import.meta.url))
  const env = { ...process.env, TEST_DATABASE: world.url, TEST_PORT: String(port) }
  const child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  let said = ''
  child.stdout!.on('data', (text) => {
    said += text
  })
  await expect.poll(() => said, LONG).toMatch(/port \d+\n/)
  return { child, port: Number(/port (\d+)/.exec(said)![1]) }
}

async function countEvents(): Promise<number> {
  const { count } = await world.database
    .selectFrom('bot_events')
    .select(sql<number>`count(*)`.as('count'))
    .executeTakeFirstOrThrow()
  return count
}

test('a server that is killed again and again loses nothing and stores nothing twice', {
  timeout: 240_000,
}, async () => {
  const NOTICES = 100
  const bots = await Promise.all(numbersUpTo(5).map(() => world.bot()))
  let server = await startProcess()
  const url = `ws://127.0.0.1:${server.port}/link`
  const links = await Promise.all(bots.map((bot) => openBotLink(url, bot, PACE)))
  const life = wholeLife()
  // Events continue while servers crash.
  const reporting = (async () => {
    for (const place of numbersUpTo(NOTICES)) {
      for (const { link } of links) link.report(place === 1 ? life[0]! : notice(`Notice ${place}`))
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    for (const event of life.slice(1)) for (const { link } of links) link.report(event)
  })()
  for (const share of [0.1, 0.4, 0.8]) {
    await expect.poll(countEvents, LONG).toBeGreaterThan(share * NOTICES * bots.length)
    server.child.kill('SIGKILL')
    await once(server.child, 'exit')
    server = await startProcess(server.port)
  }
  await reporting
  await Promise.all(links.map(({ link }) => link.drain(100_000)))

  const expected = NOTICES + life.length - 1
  for (const bot of bots) {
    const events = await world.events(bot.id)
    expect(events.map(({ seq }) => seq).sort((a, b) => a - b)).toEqual(numbersUpTo(expected))
    expect(await world.row(bot.id)).toMatchObject({ phase: 'closed', status: 'completed', reserved: 0 })
    expect(await world.messages(bot.id)).toHaveLength(9)
    expect((await world.ledger(bot.id)).map(({ kind }) => kind)).toEqual(['reserve', 'release', 'charge'])
  }
  const team = await world.database
    .selectFrom('teams')
    .selectAll()
    .where('id', '=', world.team)
    .executeTakeFirstOrThrow()
  expect(team).toMatchObject({ reserved: 0, spent: 500_000 * bots.length })
})
