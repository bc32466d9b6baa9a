import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createSecureServer, type Http2SecureServer } from 'node:http2'
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https'
import { type AddressInfo, createServer as createPlainServer, type Server, type Socket } from 'node:net'
import { makeCertificate } from '@standin/mock/shared/certificate.ts'
import { guardedLookup, type Resolve } from '@standin/wire/network/public-addresses.ts'
import { afterEach, describe, expect, test } from 'vitest'
import {
  type ClosableGuardedClient,
  createGuardedClient,
  type GuardedClientSettings,
} from '../../../../control-plane/platform/outgoing/guarded-client.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

function clientOf(settings: Partial<GuardedClientSettings> = {}): ClosableGuardedClient {
  const client = createGuardedClient({ allowPrivate: true, ...settings })
  cleanups.push(() => client.close())
  return client
}

/** Ends with the test, and its connections with it. */
async function listening(server: Server): Promise<string> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => sockets.add(socket))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
const serve = (answer: (request: IncomingMessage, response: ServerResponse) => void) => listening(createServer(answer))
const serveBytes = (answer: (socket: Socket) => void) =>
  listening(createPlainServer((socket) => socket.on('error', () => {}).once('data', () => answer(socket))))

const get = (client: ClosableGuardedClient, url: string, limits = {}) =>
  client.request({ url, method: 'GET', timeoutMs: 10_000, maxBytes: 2_000, ...limits })

describe('addresses', () => {
  test.each([
    ['http://example.com/', 'https'],
    ['ftp://example.com/', 'https'],
    ['not a url', 'not a URL'],
    ['https://user:word@example.com/', 'user name'],
    ['https://127.0.0.1/', 'public'],
    ['https://2130706433/', 'public'],
    ['https://0x7f.1/', 'public'],
    ['https://10.0.0.1:8443/', 'public'],
    ['https://169.254.169.254/latest', 'public'],
    ['https://100.64.0.1/', 'public'],
    ['https://[::1]/', 'public'],
    ['https://[::ffff:127.0.0.1]/', 'public'],
    ['https://[64:ff9b::7f00:1]/', 'public'],
    ['https://[fd00::1]/', 'public'],
    ['https://localhost/', 'public'],
    ['https://api.localhost./', 'public'],
    ['https://example.com:25/', 'Port 25'],
    [`https://example.com/${'a'.repeat(5_000)}`, 'longer'],
  ])('%s is refused', async (url, reason) => {
    const client = clientOf({ allowPrivate: false })
    expect(client.problemOf(url)).toContain(reason)
    await expect(get(client, url)).rejects.toMatchObject({ code: 'EACCES' })
  })

  test('a public name over https may be tried', () => {
    expect(clientOf({ allowPrivate: false }).problemOf('https://example.com:8443/hook?token=1')).toBeNull()
  })

  test('a forbidden port and user names are refused even where private addresses are allowed', () => {
    expect(clientOf().problemOf('http://127.0.0.1:25/')).toContain('Port 25')
    expect(clientOf().problemOf('http://a:b@127.0.0.1/')).toContain('password')
    expect(clientOf().problemOf('http://127.0.0.1/')).toBeNull()
  })
})

describe('names', () => {
  const answers = (...lists: string[][]): { resolve: Resolve; count: () => number } => {
    let count = 0
    return {
      resolve: (_name, _options, callback) => {
        const list = lists[Math.min(count++, lists.length - 1)]!
        callback(
          null,
          list.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
        )
      },
      count: () => count,
    }
  }

  test.each([[['127.0.0.1']], [['93.184.215.14', '10.0.0.1']], [['::1']], [[]]])(
    'a name with the addresses %j is refused',
    async (list) => {
      const { resolve } = answers(list)
      const request = get(clientOf({ allowPrivate: false, resolve }), 'https://hook.test/?token=secret')
      await expect(request).rejects.toMatchObject({ code: 'EACCES', message: 'hook.test is not a public address' })
    },
  )

  test('a name that turns private after it was checked gains nothing: the checked addresses are connected to', async () => {
    const { resolve, count } = answers(['93.184.215.14'], ['127.0.0.1'])
    const lookup = guardedLookup(resolve)
    const ask = () =>
      new Promise((done) => lookup('rebind.test', {}, (error, address) => done(error?.message ?? address)))
    expect(await ask()).toBe('93.184.215.14')
    expect(count()).toBe(1)
    expect(await ask()).toBe('rebind.test is not a public address')
  })

  test('a connection looks its name up once, so there is no second answer to use', async () => {
    let hits = 0
    const { port } = new URL(await serve((_request, response) => response.end(String(++hits))))
    const { resolve, count } = answers(['127.0.0.1'])
    await expect(get(clientOf({ allowPrivate: false, resolve }), `https://rebind.test:${port}/`)).rejects.toThrow(
      'public',
    )
    expect(count()).toBe(1)
    const free = answers(['127.0.0.1'], ['192.0.2.1'])
    expect(await get(clientOf({ resolve: free.resolve }), `http://rebind.test:${port}/`)).toMatchObject({ status: 200 })
    expect(free.count()).toBe(1)
    expect(hits).toBe(1)
  })
})

describe('an answer', () => {
  test('carries status, headers and body', async () => {
    const url = await serve((request, response) => {
      response.writeHead(202, { 'x-method': request.method!, 'x-sent': request.headers['x-own'] as string })
      request.pipe(response)
    })
    const sent = { method: 'POST', headers: { 'x-own': 'yes' }, body: '{"a":"ä"}' } as const
    const answer = await get(clientOf(), url, sent)
    expect(answer).toMatchObject({ status: 202, isCut: false, headers: { 'x-method': 'POST', 'x-sent': 'yes' } })
    expect(Buffer.from(answer.body).toString()).toBe('{"a":"ä"}')
  })

  test('that redirects is handed over and not followed', async () => {
    let hits = 0
    const target = await serve((_request, response) => response.end(String(++hits)))
    const url = await serve((_request, response) => response.writeHead(302, { location: target }).end())
    expect(await get(clientOf(), url)).toMatchObject({ status: 302 })
    expect(hits).toBe(0)
  })

  test('without an end is cut at the limit', async () => {
    const url = await serve((_request, response) => {
      const more = () => {
        while (response.write('x'.repeat(1_000)));
        response.once('drain', more)
      }
      more()
    })
    const answer = await get(clientOf(), url, { maxBytes: 1_500 })
    expect(answer.isCut).toBe(true)
    expect(answer.body.length).toBe(1_500)
  })

  test.each([
    ['that never comes', (_socket: Socket) => {}],
    [
      'that drips',
      (socket: Socket) => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n')
        const timer = setInterval(() => socket.write('x'), 20)
        socket.on('close', () => clearInterval(timer))
      },
    ],
  ])('%s ends on time', async (_name, answer) => {
    const url = await serveBytes(answer)
    const started = performance.now()
    await expect(get(clientOf(), `${url}/?token=secret`, { timeoutMs: 400 })).rejects.toMatchObject({
      code: 'ETIMEDOUT',
      message: `${new URL(url).host} did not answer in time`,
    })
    expect(performance.now() - started).toBeLessThan(5_000)
  })

  test.each([
    ['closes without an answer', (socket: Socket) => socket.destroy()],
    ['sends less than it said', (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort')],
    ['speaks no HTTP', (socket: Socket) => socket.end('220 mail.test ESMTP\r\n')],
  ])('of a server that %s is an error that names the host and not the query', async (_name, answer) => {
    const url = await serveBytes(answer)
    const error: Error & { code?: string } = await get(clientOf(), `${url}/path?token=secret`).then(
      () => expect.unreachable(),
      (reason) => reason,
    )
    expect(error.code).toBe('ECONNFAILED')
    expect(error.message).toContain(new URL(url).host)
    expect(error.message).not.toMatch(/secret|path/)
  })

  test('of nothing that listens is an error', async () => {
    const url = await serve(() => {})
    await cleanups.pop()!()
    await expect(get(clientOf(), url)).rejects.toThrow('refused the connection')
  })
})

describe('receivers', () => {
  const certificate = makeCertificate(['hook.test'])
  const http1: RequestListener = (request, response) =>
    request.resume().on('end', () => response.end(`HTTP/${request.httpVersion}`))
  const both = async () => createSecureServer({ ...(await certificate), allowHTTP1: true })
  const answersHttp1 = (server: Http2SecureServer) =>
    server.on('request', (request, response) => {
      if (request.httpVersionMajor === 1) http1(request as never, response as never)
    })

  test.each<[what: string, version: string, server: () => Promise<TlsServer | Http2SecureServer>]>([
    ['has HTTP/1.1 alone', '1.1', async () => createTlsServer(await certificate, http1)],
    ['has HTTP/2 alone', '2.0', async () => createSecureServer(await certificate, http1 as never)],
    [
      'offers HTTP/2 and resets its streams with HTTP_1_1_REQUIRED',
      '1.1',
      async () => answersHttp1((await both()).on('stream', (stream) => stream.close(13))),
    ],
    [
      'offers HTTP/2 and ends its sessions',
      '1.1',
      async () => answersHttp1((await both()).on('session', (session) => session.goaway(13))),
    ],
  ])('one that %s gets a message once, over HTTP/%s', async (_what, version, make) => {
    const server = await make()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    cleanups.push(() => server.close())
    const { port } = server.address() as AddressInfo
    const resolve: Resolve = (_name, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }])
    const client = clientOf({ ca: (await certificate).cert, resolve })
    const url = `https://hook.test:${port}/`
    const answer = await client.request({ url, method: 'POST', body: '{}', timeoutMs: 10_000, maxBytes: 100 })
    expect([answer.status, Buffer.from(answer.body).toString()]).toEqual([200, `HTTP/${version}`])
  })

  test.each([
    ['100 Continue'],
    ['100 Continue', '100 Continue'],
    ['102 Processing', '103 Early Hints', '100 Continue'],
  ])('one that sends %s %s %s first gets a message once', async (...interim) => {
    let hits = 0
    const url = await serveBytes((socket) => {
      hits += 1
      for (const line of interim) socket.write(`HTTP/1.1 ${line}\r\nlink: </a>\r\n\r\n`)
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')
    })
    const answer = await clientOf().request({ url, method: 'POST', body: '{}', timeoutMs: 10_000, maxBytes: 100 })
    expect([answer.status, Buffer.from(answer.body).toString(), hits]).toEqual([200, 'ok', 1])
  })

  test('one that changes the protocol unasked gives no answer', async () => {
    const url = await serveBytes((socket) =>
      socket.write('HTTP/1.1 101 Go\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
    )
    const asked = clientOf().request({ url, method: 'POST', body: '{}', timeoutMs: 10_000, maxBytes: 100 })
    await expect(asked).rejects.toThrow('closed the connection')
  })

  test.each(['DELETE', 'PUT'] as const)('the body of a %s arrives', async (method) => {
    const url = await serve((request, response) => request.pipe(response))
    const answer = await clientOf().request({ url, method, body: '{"a":1}', timeoutMs: 10_000, maxBytes: 100 })
    expect(Buffer.from(answer.body).toString()).toBe('{"a":1}')
  })
})
