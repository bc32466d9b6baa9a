/** The page where a person plays host: plain HTTP on a separate port of 127.0.0.1. The bot cannot see it. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { messageOf } from '@standin/wire/text/error-text.ts'
import { pageScript } from '../../core/process/page-scripts.ts'
import { doAction, hostActionSchema } from './host-actions.ts'
import type { Meeting } from './meeting.ts'
import type { HostFacts, HostMeeting, HostPlatform, HostState } from './page/host-protocol.ts'
import type { PlatformServer } from './platform-server.ts'
import { bodyOf } from './site.ts'

const MAX_REQUEST_LENGTH = 20_000
const UPDATE_MS = 300
const LOG_SHOWN = 60

/** One page for these platforms; rejects if a named port is taken. */
export async function startHostPage(
  servers: readonly PlatformServer[],
  port: number,
): Promise<{ address: string; close(): Promise<void> }> {
  const streams = new Set<ServerResponse>()
  const server = createServer((request, response) => {
    // Other sites may point a name of theirs at this address; they get nothing.
    const host = (request.headers.host ?? '').replace(/:\d+$/, '')
    if (host !== '127.0.0.1' && host !== 'localhost') response.writeHead(421).end()
    else if (request.method === 'POST') void answerAction(servers, request, response)
    else if (request.url === '/') sendHostPage(servers, response)
    else if (request.url === '/host.js') {
      response.writeHead(200, { 'content-type': 'text/javascript' }).end(pageScript('mock/shared/host'))
    } else if (request.url === '/events') {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
      streams.add(response)
      response.on('close', () => streams.delete(response))
    } else response.writeHead(request.url === '/favicon.ico' ? 204 : 404).end()
  })
  const sent = new WeakMap<ServerResponse, string>()
  const timer = setInterval(() => {
    if (streams.size === 0) return
    const state: HostState = {
      meetings: servers.flatMap((mock) => [...mock.meetings.values()].map((meeting) => describe(mock, meeting))),
    }
    const text = JSON.stringify(state)
    for (const stream of streams) {
      if (sent.get(stream) === text) continue
      sent.set(stream, text)
      stream.write(`data: ${text}\n\n`)
    }
  }, UPDATE_MS)
  timer.unref()
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: async () => {
      clearInterval(timer)
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

function sendHostPage(servers: readonly PlatformServer[], response: ServerResponse): void {
  const facts: HostFacts = { platforms: servers.map(platformFacts) }
  const data = JSON.stringify(facts).replaceAll('<', '\\u003c')
  response.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'self'; style-src 'self' 'unsafe-inline'; script-src 'self'",
  })
  response.end(`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Mock meetings – host</title>
<meta name="viewport" content="width=device-width"></head>
<body><script type="application/json" id="facts">${data}</script><script src="/host.js" defer></script></body></html>`)
}

function platformFacts(mock: PlatformServer): HostPlatform {
  return {
    name: mock.platform.name,
    title: mock.platform.title,
    scenarios: [...mock.scenarios],
    mapHost: mock.hosts.map((host) => `--map-host ${host}=${mock.address}`).join(' '),
    browserFlags: [
      `--host-resolver-rules="${mock.hosts.map((host) => `MAP ${host} ${mock.address}`).join(',')}"`,
      `--ignore-certificate-errors-spki-list=${mock.certificateHash}`,
      '--allow-loopback-in-peer-connection',
    ].join(' '),
  }
}

async function answerAction(
  servers: readonly PlatformServer[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  // JSON needs a preflight from another site, which is never answered.
  if (!request.headers['content-type']?.startsWith('application/json')) {
    response.writeHead(415).end()
    return
  }
  try {
    const action = hostActionSchema.parse(JSON.parse(await bodyOf(request, MAX_REQUEST_LENGTH)))
    const done = doAction(servers, action)
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ done }))
  } catch (error) {
    const problem = messageOf(error)
    response.writeHead(409, { 'content-type': 'application/json' }).end(JSON.stringify({ problem }))
  }
}

function describe(mock: PlatformServer, meeting: Meeting): HostMeeting {
  return {
    platform: mock.platform.name,
    code: meeting.code,
    url: meeting.url,
    scenario: meeting.scenarioName,
    state: meeting.state,
    phase: meeting.phase,
    showable: [...meeting.words],
    accessModes: [...meeting.accessNames],
    botName: meeting.botName,
    microphoneOn: meeting.bot.microphoneOn,
    cameraOn: meeting.bot.cameraOn,
    sent: meeting.bot.sent(),
    people: meeting.people.map(({ id }) => {
      const { name, isHost = false, camera = false, muted = false, ...view } = meeting.personView(id)
      const { isSpeaking, isSharing, isHandRaised } = view
      return { id, name, isHost, camera, muted, isSpeaking, isSharing, isHandRaised }
    }),
    chat: meeting.truth.chat.map(({ senderId, senderName, text, at }) => {
      return { sender: senderName, text, at, isBot: senderId === null }
    }),
    log: meeting.log.slice(-LOG_SHOWN).map(({ at, event, target, detail }) => {
      return { at, text: [event, target, detail].filter(Boolean).join(' · ') }
    }),
  }
}
