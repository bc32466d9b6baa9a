/** The page where a person plays host: plain HTTP on 127.0.0.1, its own port, nothing of it reaches the bot. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pageScript } from '../../src/page-scripts.ts'
import { SHOWABLE } from './actions.ts'
import { hostActionSchema } from './host-actions.ts'
import type { GoogleMeetMeeting } from './meeting.ts'
import type { HostAction, HostFacts, HostMeeting, HostState } from './page/host-protocol.ts'
import type { MockGoogleMeet } from './server.ts'

const LONGEST_REQUEST = 20_000
const UPDATE_MS = 300
const LOG_SHOWN = 60

export async function startHostPage(
  mock: MockGoogleMeet,
  port: number,
): Promise<{ address: string; close(): Promise<void> }> {
  const streams = new Set<ServerResponse>()
  const server = createServer((request, response) => {
    // Other sites may point a name of theirs at this address; they get nothing.
    const host = (request.headers.host ?? '').replace(/:\d+$/, '')
    if (host !== '127.0.0.1' && host !== 'localhost') response.writeHead(421).end()
    else if (request.method === 'POST') void answerAction(mock, request, response)
    else if (request.url === '/') sendPage(mock, response)
    else if (request.url === '/host.js') {
      response.writeHead(200, { 'content-type': 'text/javascript' }).end(pageScript('mock/google-meet/host'))
    } else if (request.url === '/events') {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
      streams.add(response)
      response.on('close', () => streams.delete(response))
    } else response.writeHead(request.url === '/favicon.ico' ? 204 : 404).end()
  })
  const sent = new WeakMap<ServerResponse, string>()
  const timer = setInterval(() => {
    if (streams.size === 0) return
    const state: HostState = { meetings: [...mock.meetings.values()].map(describe).reverse() }
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

function sendPage(mock: MockGoogleMeet, response: ServerResponse): void {
  const facts: HostFacts = {
    scenarios: [...mock.scenarios],
    showable: Object.keys(SHOWABLE),
    mapHost: mock.hosts.map((host) => `--map-host ${host}=${mock.address}`).join(' '),
    browserFlags: [
      `--host-resolver-rules="${mock.hosts.map((host) => `MAP ${host} ${mock.address}`).join(',')}"`,
      `--ignore-certificate-errors-spki-list=${mock.certificateHash}`,
      '--allow-loopback-in-peer-connection',
    ].join(' '),
  }
  const data = JSON.stringify(facts).replaceAll('<', '\\u003c')
  response.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'self'; style-src 'self' 'unsafe-inline'; script-src 'self'",
  })
  response.end(`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Mock meetings – host</title>
<meta name="viewport" content="width=device-width"></head>
<body><script type="application/json" id="facts">${data}</script><script src="/host.js" defer></script></body></html>`)
}

async function answerAction(mock: MockGoogleMeet, request: IncomingMessage, response: ServerResponse): Promise<void> {
  // JSON needs a preflight from another site, which is never answered.
  if (!request.headers['content-type']?.startsWith('application/json')) {
    response.writeHead(415).end()
    return
  }
  try {
    const action = hostActionSchema.parse(JSON.parse(await bodyOf(request)))
    const done = doAction(mock, action)
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ done }))
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error)
    response.writeHead(409, { 'content-type': 'application/json' }).end(JSON.stringify({ problem }))
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) {
    text += String(chunk)
    if (text.length > LONGEST_REQUEST) throw new Error('The request is too long')
  }
  return text
}

/** Says what was done. */
function doAction(mock: MockGoogleMeet, action: HostAction): string {
  if (action.act === 'open') return mock.open(action.scenario, { speed: action.speed }).url
  const meeting = mock.meetings.get(action.code)
  if (!meeting) throw new Error(`There is no meeting ${action.code}`)
  if (action.act === 'admit') meeting.admit()
  else if (action.act === 'deny') meeting.deny()
  else if (action.act === 'remove') meeting.remove()
  else if (action.act === 'end') meeting.endForAll()
  else if (action.act === 'mute') meeting.muteBot()
  else if (action.act === 'lose') meeting.loseConnection()
  else if (action.act === 'regain') meeting.regainConnection()
  else if (action.act === 'add') meeting.addPerson({ id: newId(meeting), name: action.name, camera: action.camera })
  else if (action.act === 'person') changePerson(meeting, action.id, action.what)
  else if (action.act === 'say') meeting.say(action.id, action.text)
  else if (action.act === 'chat') meeting.setChatEnabled(action.enabled)
  else if (action.act === 'show') meeting.show(action.what)
  else if (action.act === 'flash') meeting.flashAndBeep(action.on)
  return action.act
}

function changePerson(meeting: GoogleMeetMeeting, id: string, what: 'speak' | 'camera' | 'share' | 'leave'): void {
  const person = meeting.personView(id)
  if (what === 'leave') meeting.removePerson(id)
  else if (what === 'camera') meeting.setCamera(id, !person.camera)
  else if (what === 'speak') person.isSpeaking ? meeting.stopSpeaking(id) : meeting.startSpeaking(id)
  else if (person.isSharing) meeting.stopSharing(id)
  else meeting.startSharing(id)
}

function newId(meeting: GoogleMeetMeeting): string {
  let number = meeting.people.length + 1
  while (meeting.people.some(({ id }) => id === `guest-${number}`)) number++
  return `guest-${number}`
}

function describe(meeting: GoogleMeetMeeting): HostMeeting {
  return {
    code: meeting.code,
    url: meeting.url,
    scenario: meeting.scenarioName,
    state: meeting.state,
    botName: meeting.botName,
    microphoneOn: meeting.bot.microphoneOn,
    cameraOn: meeting.bot.cameraOn,
    sent: meeting.bot.sent(),
    people: meeting.people.map(({ id }) => meeting.personView(id)),
    chat: meeting.truth.chat.map(({ senderId, senderName, text, at }) => {
      return { sender: senderName, text, at, isBot: senderId === null }
    }),
    log: meeting.log.slice(-LOG_SHOWN).map(({ at, event, target, detail }) => {
      return { at, text: [event, target, detail].filter(Boolean).join(' · ') }
    }),
  }
}
