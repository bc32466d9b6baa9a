/** The host of simulated bots: a separate process for the service, which its launchers reach over HTTP. */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { jobSchema } from '@standin/wire/job.ts'
import { type SimulatedBot, startSimulatedBot } from './simulated-bot.ts'

export interface HostedBot {
  name: string
  botId: string
  attempt: number
  startedAt: number
  bot: SimulatedBot
}

export interface BotHost {
  url: string
  /** Every bot that was ever started. */
  readonly bots: HostedBot[]
  /** Limits starts; null: no limit. */
  limit: number | null
  /** Starts fail with this message while it is set. */
  failure: string | null
  of(botId: string): HostedBot[]
  close(): Promise<void>
}

export async function startBotHost(): Promise<BotHost> {
  const bots: HostedBot[] = []
  const known = new Map<string, HostedBot>()
  const running = () => bots.filter(({ bot }) => bot.evidence === null).length

  function answer(verb: string, body: { name: string; botId: string; attempt: number; job: unknown }): unknown {
    const hosted = known.get(body.name)
    switch (verb) {
      case 'start': {
        if (hosted !== undefined) return {}
        if (host.failure !== null) return { failure: host.failure }
        if (host.limit !== null && running() >= host.limit) return { noRoom: `${host.limit} simulated bots run` }
        const bot = startSimulatedBot(jobSchema.parse(body.job), body.attempt)
        const started = { name: body.name, botId: body.botId, attempt: body.attempt, startedAt: Date.now(), bot }
        known.set(body.name, started)
        bots.push(started)
        return {}
      }
      case 'stop':
        hosted?.bot.stop()
        return {}
      case 'kill':
        void hosted?.bot.kill()
        return {}
      case 'inspect':
        if (hosted === undefined) return { state: 'absent' }
        return hosted.bot.evidence === null ? { state: 'running' } : { state: 'ended', evidence: hosted.bot.evidence }
      case 'list':
        return [...known.values()].map(({ name, botId, attempt }) => ({ botId, attempt, handle: { name } }))
      case 'clean':
        if (hosted?.bot.evidence !== null) known.delete(body.name)
        return {}
      case 'capacity':
        return host.limit === null ? null : { limit: host.limit, free: Math.max(0, host.limit - running()) }
      default:
        throw new Error(`The host does not know ${verb}`)
    }
  }

  const server = createServer((request, response) => {
    read(request)
      .then((body) => {
        response.setHeader('content-type', 'application/json')
        response.end(JSON.stringify(answer(request.url!.slice(1), body as never)))
      })
      .catch((error) => {
        response.statusCode = 500
        response.end(String(error))
      })
  })
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const host: BotHost = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bots,
    limit: null,
    failure: null,
    of: (botId) => bots.filter((hosted) => hosted.botId === botId),
    async close() {
      await Promise.all(bots.map(({ bot }) => bot.kill()))
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return host
}

async function read(request: IncomingMessage): Promise<unknown> {
  let text = ''
  for await (const chunk of request) text += chunk
  return text === '' ? {} : JSON.parse(text)
}
