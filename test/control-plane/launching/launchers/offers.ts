import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { JobOffers } from '@standin/control-plane/platform/ports.ts'

/** Jobs by address as the service offers them, without a database. */
export async function startOffers(): Promise<
  JobOffers & { tokens: Map<string, string>; given: string[]; open(): string[]; close(): void }
> {
  const jobs = new Map<string, { token: string; job: string }>()
  const tokens = new Map<string, string>()
  const given: string[] = []
  const server = createServer((request, response) => {
    const place = request.url!.slice(1)
    const offer = jobs.get(place)
    const isOurs = offer !== undefined && request.headers.authorization === `Bearer ${offer.token}`
    if (isOurs) given.push(place)
    if (isOurs) jobs.delete(place)
    response.writeHead(isOurs ? 200 : 410).end(isOurs ? offer.job : 'gone')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    tokens,
    given,
    open: () => [...jobs.keys()],
    addressOf: (botId, attempt) => `http://127.0.0.1:${port}/${botId}/${attempt}`,
    async offer({ botId, attempt, job }, token) {
      tokens.set(botId, token)
      jobs.set(`${botId}/${attempt}`, { token, job: JSON.stringify(job) })
    },
    async withdraw(botId, attempt) {
      jobs.delete(`${botId}/${attempt}`)
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
