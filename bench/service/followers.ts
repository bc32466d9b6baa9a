/**
 * A program of one team that follows a bot as hard as one key can: pages of events, streams from the first event, which
 * begin again when they end, and streams that it does not read. Asked for its result, it ends and answers with `Followed`.
 */
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'

/** Also of a stream that the service ended in the middle, which a follower opens again. */
const over = (answer: IncomingMessage) => once(answer, 'close').catch(() => {})

/** Of one key, as many as it may have. */
export const STREAMS = { read: 50, unread: 50, ofTeam: 20 }
const LANES = 40

export interface Followed {
  /** Answers to pages, by status. */
  pages: [status: number, count: number][]
  /** By streams. */
  events: number
}

/** Its variables. */
export interface FollowerEnvironment {
  URL: string
  KEY: string
  BOT: string
}

if (process.send !== undefined && process.env.BOT !== undefined) await run(process.env as never)

async function run({ URL: url, KEY: key, BOT: bot }: FollowerEnvironment): Promise<void> {
  const pages = new Map<number, number>()
  let events = 0
  const open = async (path: string): Promise<IncomingMessage> => {
    const [answer] = await once(get(url + path, { headers: { 'x-service-api-key': key }, agent: false }), 'response')
    return answer.on('error', () => {})
  }
  const readAll = async (path: string) => {
    for (;;) {
      const answer = await open(path)
      answer.setEncoding('utf8').on('data', (text: string) => {
        events += text.split('\ndata: ').length - 1
      })
      await over(answer)
    }
  }
  const ask = async (path: string) => {
    for (;;) {
      const answer = await open(path)
      await over(answer.resume())
      pages.set(answer.statusCode!, (pages.get(answer.statusCode!) ?? 0) + 1)
    }
  }
  const ofBot = `/v2/bots/${bot}/events`
  await Promise.all(Array.from({ length: STREAMS.unread }, () => open(`${ofBot}/stream`)))
  for (let n = 0; n < STREAMS.read; n++) void readAll(`${ofBot}/stream`)
  for (let n = 0; n < STREAMS.ofTeam; n++) void readAll('/v2/events/stream?cursor=0')
  for (let n = 0; n < LANES; n++) void ask(n % 4 === 0 ? '/v2/accounts' : `${ofBot}?limit=500`)
  process.on('disconnect', () => process.exit())
  process.on('message', () => process.send?.({ pages: [...pages], events } satisfies Followed))
  process.send!({ port: 0 })
}
