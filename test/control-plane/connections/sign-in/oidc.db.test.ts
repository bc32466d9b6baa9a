/** An OpenID provider that misbehaves. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createOidcProvider } from '../../../../control-plane/connections/sign-in/oidc.ts'
import { createGuardedClient } from '../../../../control-plane/platform/outgoing/guarded-client.ts'
import { openWorld } from '../../world.ts'
import { CLIENT_ID, CLIENT_SECRET, signInAtProvider, startProvider } from './provider.ts'

const CALLBACK = 'http://127.0.0.1/dashboard/api/oidc/callback'

let provider: Awaited<ReturnType<typeof startProvider>>
let client: ReturnType<typeof createGuardedClient>
const settings = () => ({ issuer: provider.issuer, clientId: CLIENT_ID, clientSecret: CLIENT_SECRET })

beforeAll(async () => {
  provider = await startProvider(CALLBACK)
  client = createGuardedClient({ allowPrivate: true })
})
afterAll(async () => {
  await client.close()
  await provider.close()
})

describe('a provider that misbehaves', () => {
  const begin = (issuer: string, clientSecret: string | null = CLIENT_SECRET) =>
    createOidcProvider({ ...settings(), issuer, clientSecret, client, requestSeconds: 1 }).begin(CALLBACK)

  async function answering(handle: Parameters<typeof createServer>[1]) {
    const server = createServer(handle!)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return {
      issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      async close() {
        server.closeAllConnections()
        server.close()
        await once(server, 'close')
      },
    }
  }

  test.each<[string, string, Parameters<typeof createServer>[1]]>([
    ['says nothing', 'unavailable', () => {}],
    [
      'never stops talking',
      'invalid',
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        const timer = setInterval(() => response.write(' '.repeat(64 * 1024)), 1)
        response.once('close', () => clearInterval(timer))
      },
    ],
    ['is broken', 'unavailable', (_request, response) => void response.writeHead(502).end('Bad gateway')],
    ['sends no JSON', 'invalid', (_request, response) => void response.writeHead(200).end('<html>')],
    [
      'calls itself something else',
      'invalid',
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end(
          JSON.stringify({ issuer: 'https://evil.example', authorization_endpoint: 'https://evil.example/' }),
        )
      },
    ],
    ['leads elsewhere', 'invalid', (_request, response) => void response.writeHead(302, { location: '/' }).end()],
  ])('%s', async (_name, kind, handle) => {
    const server = await answering(handle)
    try {
      await expect(begin(server.issuer)).rejects.toMatchObject({ name: 'ProviderError', kind })
    } finally {
      await server.close()
    }
  })

  test('is down, and the next try asks it again', async () => {
    const gone = await answering(() => {})
    await gone.close()
    const oidc = createOidcProvider({ ...settings(), issuer: gone.issuer, client })
    await expect(oidc.begin(CALLBACK)).rejects.toMatchObject({ kind: 'unavailable' })
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ issuer: gone.issuer, authorization_endpoint: `${gone.issuer}/auth` }))
    })
    server.listen(Number(new URL(gone.issuer).port), '127.0.0.1')
    await once(server, 'listening')
    expect((await oidc.begin(CALLBACK)).address).toContain(`${gone.issuer}/auth?`)
    server.closeAllConnections()
    server.close()
  })

  test('is shown on the page, not in an error document', async () => {
    const gone = await answering(() => {})
    await gone.close()
    const other = await openWorld({
      api: {
        oidc: { ...createOidcProvider({ ...settings(), issuer: gone.issuer, client }), name: '', domains: [] },
        settings: { publicUrl: 'https://bots.example.com' },
      },
    })
    const { headers, statusCode } = await other.app.inject({ url: '/dashboard/api/oidc/begin' })
    expect(statusCode).toBe(303)
    expect(headers.location).toBe('https://bots.example.com/dashboard/sign-in?problem=unavailable')
  })

  test('does not know the secret', async () => {
    provider.use({ id: 'x' })
    const oidc = createOidcProvider({ ...settings(), clientSecret: 'another secret', client })
    const { address, attempt } = await oidc.begin(CALLBACK)
    const error = await oidc.finish(await signInAtProvider(address, CALLBACK), attempt).catch((thrown) => thrown)
    expect(error).toMatchObject({ name: 'ProviderError' })
    expect(error.message).not.toContain('another secret')
  })
})
