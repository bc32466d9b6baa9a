import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { PassThrough } from 'node:stream'
import { guardedLookup } from '@standin/wire/network/public-addresses.ts'
import { systemClock } from '@standin/wire/time/deadline.ts'
import { expect, onTestFinished, test, vi } from 'vitest'
import { silentLogger } from '../../../packages/core/logger.ts'
import type { CaptureEnvironment, MeetingDriver } from '../../../packages/core/ports.ts'
import type { Supervised } from '../../../packages/core/process/supervised.ts'
import {
  createMouth,
  createStreaming,
  type HearingStreaming,
  type StreamingOptions,
} from '../../../src/streaming/index.ts'
import { messageBytes } from '../../../src/streaming/messages.ts'
import { HandClock } from '../../fakes/clock.ts'
import { Receiver } from './receiver.ts'

const STAGE: CaptureEnvironment = {
  display: null,
  pulseServer: '/nowhere',
  pulseSink: 'meeting',
  voiceSink: 'own_voice',
  width: 1280,
  height: 720,
}
const RATE = 24_000
const ANN = { id: 1, name: 'Ann <b>Berg</b>', platform_id: 'p1' }

/** A meeting that notes what is played into it. */
class FakeMeeting {
  readonly played: Int16Array[] = []
  clears = 0
  isOpen = false
  wasClosed = 0
  queuedSeconds = 0
  readonly driver = {
    playSound: async (samples: Int16Array) => {
      this.isOpen = true
      this.played.push(samples)
      return this.queuedSeconds
    },
    clearSound: async () => {
      this.clears++
    },
    closeMicrophone: async () => {
      this.isOpen = false
      this.wasClosed++
    },
  } as unknown as MeetingDriver

  get samples(): number[] {
    return this.played.flatMap((piece) => [...piece])
  }
}

function open(given: Partial<StreamingOptions>) {
  const notices: string[] = []
  const recorded: Buffer[] = []
  let emit: ((message: Buffer) => void) | null = null
  const processes: Supervised[] = []
  const process = (): Supervised => {
    const ended = Promise.withResolvers<Awaited<Supervised['ended']>>()
    const ending = { how: 'closed', exitCode: 0, signal: null, text: 'ended' } as const
    const stdin = new PassThrough()
    stdin.on('data', (bytes: Buffer) => recorded.push(bytes))
    const made: Supervised = {
      name: 'sound',
      pid: 1,
      stdin,
      stdout: null,
      ended: ended.promise,
      ending: () => null,
      recentOutput: () => [],
      signal: () => {},
      stop: async () => {
        ended.resolve(ending)
        stdin.destroy()
        return ending
      },
    }
    processes.push(made)
    return made
  }
  const { clock = systemClock } = given
  const speak = async () => process()
  const mouth = createMouth({ sampleRate: RATE, folder: tmpdir(), clock, logger: silentLogger, speak })
  const streaming: HearingStreaming = createStreaming({
    mouth,
    input: null,
    output: null,
    sampleRate: RATE,
    setUpMs: 10_000,
    isRequired: true,
    botId: 'b1',
    folder: tmpdir(),
    clock: systemClock,
    logger: silentLogger,
    notice: (message) => notices.push(message),
    timing: { reconnectMinMs: 20, reconnectMaxMs: 50, lastsMs: 30 },
    sound: {
      capture: async (_environment, _rate, _folder, listener) => {
        emit = listener
        return process()
      },
    },
    ...given,
  })
  const start = (meeting = new FakeMeeting()) => {
    mouth.start(STAGE, meeting.driver)
    return streaming.start(STAGE)
  }
  const close = async () => {
    await streaming.close()
    await mouth.close()
  }
  onTestFinished(close)
  const sound = (value: number) => emit?.(Buffer.alloc(messageBytes(RATE), value))
  const isEnvironmentHeard = () => emit !== null
  return {
    streaming,
    start,
    close,
    mouth,
    notices,
    recorded,
    processes,
    sound,
    isEnvironmentHeard,
    signal: new AbortController().signal,
  }
}

async function receiver(): Promise<Receiver> {
  const made = await Receiver.start()
  onTestFinished(() => made.close())
  return made
}

/** Streaming that has started, in these directions, with one peer. */
async function started(directions: ('input' | 'output')[]) {
  const peer = await receiver()
  const meeting = new FakeMeeting()
  const opened = open(Object.fromEntries(directions.map((each) => [each, peer.url])))
  await opened.streaming.connect(opened.signal)
  await opened.start(meeting)
  return { ...opened, peer, meeting }
}

test('the output begins with the handshake, then carries sound and who speaks, and closes with 1000', async () => {
  const { peer, streaming, sound } = await started(['output'])
  sound(7)
  streaming.onSpeaker(ANN, true, 1_700_000_000_500)
  streaming.onSpeaker(ANN, false, 1_700_000_001_250)
  await vi.waitFor(() => expect(peer.texts).toHaveLength(3))
  expect(peer.texts).toEqual([
    { protocol_version: 1, bot_id: 'b1', offset: 0, sample_rate: RATE },
    [{ name: ANN.name, id: 1, timestamp: 1_700_000_000.5, isSpeaking: true }],
    [{ name: ANN.name, id: 1, timestamp: 1_700_000_001.25, isSpeaking: false }],
  ])
  expect(peer.sounds[0]?.samples).toEqual(Buffer.alloc(4800, 7))
  await streaming.close()
  await vi.waitFor(() => expect(peer.closeCodes).toEqual([1000]))
})

test('counts the sound that was sent and the sound that was played', async () => {
  const peer = await receiver()
  const meeting = new FakeMeeting()
  const { streaming, start, sound, signal } = open({ output: peer.url })
  expect(streaming.usage()).toEqual({ input_seconds: 0, output_seconds: 0 })
  await streaming.connect(signal)
  await start(meeting)
  for (let message = 0; message < 3; message++) sound(1)
  streaming.pause()
  sound(1)
  streaming.resume()
  await vi.waitFor(() => expect(peer.sounds).toHaveLength(3))
  peer.say(Buffer.alloc(messageBytes(RATE) * 2))
  await vi.waitFor(() => expect(meeting.samples).toHaveLength(RATE / 5))
  await vi.waitFor(() => expect(streaming.usage()).toEqual({ input_seconds: 0.2, output_seconds: 0.3 }))
  await streaming.close()
  expect(streaming.usage()).toEqual({ input_seconds: 0.2, output_seconds: 0.3 })
})

test('a receiver that disconnected is dialed again, and receives the offset of the sound and the current speakers', async () => {
  const { peer, streaming, sound, notices } = await started(['output'])
  streaming.onSpeaker(ANN, true, 5_000)
  for (let message = 0; message < 3; message++) sound(1)
  await vi.waitFor(() => expect(peer.sounds).toHaveLength(3))
  peer.breakOff()
  await vi.waitFor(() => expect(peer.connections).toBe(2))
  await vi.waitFor(() => expect(peer.texts.slice(2)).toHaveLength(2))
  expect(peer.texts[2]).toMatchObject({ offset: 0.3 })
  expect(peer.texts[3]).toMatchObject([{ name: ANN.name, isSpeaking: true }])
  expect(notices.join()).toContain('was lost')
  expect(notices.join()).not.toContain('hidden')
})

test('no sound is sent during a pause, and the speakers are reported again after it', async () => {
  const { peer, streaming, sound } = await started(['output'])
  streaming.pause()
  sound(1)
  streaming.onSpeaker(ANN, true, 5_000)
  streaming.resume()
  sound(2)
  await vi.waitFor(() => expect(peer.sounds).toHaveLength(1))
  expect(peer.sounds[0]?.samples[0]).toBe(2)
  expect(peer.texts).toHaveLength(2)
})

test('sound that comes in is played into the meeting and into the recording, however it is cut', async () => {
  const { peer, meeting, close, recorded } = await started(['input'])
  const samples = Int16Array.from({ length: 2500 }, (_, index) => index - 1250)
  const bytes = Buffer.from(samples.buffer)
  // The second message ends in the middle of a sample.
  for (const [from, to] of [
    [0, 20],
    [20, 1501],
    [1501, 5000],
  ] as const)
    peer.say(bytes.subarray(from, to))
  await vi.waitFor(() => expect(meeting.samples).toEqual([...samples]))
  expect(Buffer.concat(recorded)).toEqual(bytes)
  expect(meeting.isOpen).toBe(true)
  await close()
  expect(meeting.isOpen).toBe(false)
})

test("where the sound server crashed, the meeting is captured and the bot's sound is played again", async () => {
  const { peer, recorded, processes, sound } = await started(['input', 'output'])
  await vi.waitFor(() => expect(processes).toHaveLength(2))
  for (const process of processes) await process.stop()
  await vi.waitFor(() => expect(processes).toHaveLength(4), 20_000)
  sound(3)
  await vi.waitFor(() => expect(peer.sounds.at(-1)?.samples[0]).toBe(3))
  peer.say(Buffer.alloc(10, 5))
  await vi.waitFor(() => expect(Buffer.concat(recorded)).toEqual(Buffer.alloc(10, 5)))
})

test('a clear message drops what is queued, so that an agent can be interrupted', async () => {
  const { peer, meeting } = await started(['input'])
  meeting.queuedSeconds = 60
  peer.say(Buffer.alloc(RATE * 2, 1))
  await vi.waitFor(() => expect(meeting.played.length).toBeGreaterThan(0))
  peer.say('{"type":"clear"}')
  await vi.waitFor(() => expect(meeting.clears).toBe(1))
  meeting.queuedSeconds = 0
  peer.say(Buffer.alloc(10, 9))
  await vi.waitFor(() => expect(meeting.samples.at(-1)).toBe(0x0909))
  // Of the first second only what had been given to the page was played.
  expect(meeting.samples.length).toBeLessThan(RATE / 2)
})

test('one address for both directions is one socket, and the output plays what comes back', async () => {
  const { peer, meeting } = await started(['input', 'output'])
  peer.say(Buffer.from([1, 0, 2, 0]))
  await vi.waitFor(() => expect(meeting.samples).toEqual([1, 2]))
  expect(peer.connections).toBe(1)
})

test('a first connection that cannot be made is STREAMING_SETUP_FAILED and names the host, not the query', async () => {
  const peer = await receiver()
  const { url } = peer
  await peer.close()
  const { streaming, signal } = open({ output: url, setUpMs: 300 })
  const failure = await streaming.connect(signal).catch((error) => error)
  expect(failure).toMatchObject({ code: 'STREAMING_SETUP_FAILED' })
  expect(failure.message).toContain(new URL(url).host)
  expect(failure.message).not.toContain('hidden')
})

test('a server that answers the handshake with a page is dialed again, and its status is named', async () => {
  let requests = 0
  const server = createServer().on('upgrade', (_request, socket) => {
    requests++
    // The client ends the connection before it has read everything.
    socket.on('error', () => {})
    const headers = ['Content-Type: text/plain', 'Content-Length: 7', 'Connection: close', '', 'Not yet']
    socket.end(['HTTP/1.1 503 Service Unavailable', ...headers].join('\r\n'))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())))
  const { port } = server.address() as AddressInfo
  const { streaming, signal } = open({ output: `ws://127.0.0.1:${port}/`, setUpMs: 3_000 })
  const connecting = streaming.connect(signal).catch((error) => error)
  await vi.waitFor(() => expect(requests).toBeGreaterThanOrEqual(2), { timeout: 2_900 })
  expect((await connecting).message).toMatch(/the server answered 503 .* \(Not yet\)/)
})

test('where streaming is not required the bot receives a notice and continues', async () => {
  const { streaming, notices, signal } = open({ output: 'ws://127.0.0.1:9/', setUpMs: 200, isRequired: false })
  await streaming.connect(signal)
  expect(notices[0]).toContain('did not open')
})

test.each([
  ['at once', 0, 1008, 'invalid token', 'closed with 1008 (invalid token)'],
  ['a little later, with a code of its own', 40, 4401, '', 'closed with 4401'],
  ['without a word', 10, null, '', 'closed with 1006'],
  ['and repeats its token', 0, 1008, 'no hidden known', 'closed with 1008 (no [redacted] known)'],
])(
  'a receiver that accepts and closes %s has never been set up, and is dialed ever less often',
  async (_when, afterMs, code, said, reason) => {
    const peer = await receiver()
    peer.refuse((socket) => setTimeout(() => (code === null ? socket.terminate() : socket.close(code, said)), afterMs))
    const timing = { reconnectMinMs: 20, reconnectMaxMs: 60_000, lastsMs: 900 }
    const { streaming, notices, signal } = open({ output: peer.url, setUpMs: 1_000, timing })
    const failure = await streaming.connect(signal).catch((error) => error)
    expect(failure).toMatchObject({ code: 'STREAMING_SETUP_FAILED', message: expect.stringContaining(reason) })
    // Pauses of 20 to 640 ms, less their jitter.
    expect(peer.connections).toBeLessThan(10)
    expect(notices).toEqual([`The streaming socket of 127.0.0.1:${peer.port} was lost: it was ${reason}.`])
  },
)

test('a receiver that lasts for a while and closes, for an hour, causes few notices', async () => {
  const peer = await receiver()
  const clock = new HandClock()
  peer.refuse((socket) => setTimeout(() => socket.close(1011, 'overloaded'), 5))
  const timing = { reconnectMinMs: 1, reconnectMaxMs: 1, lastsMs: 5 }
  const { streaming, notices, signal } = open({ output: peer.url, timing, clock })
  void streaming.connect(signal)
  for (let minute = 0; minute < 60; minute += 2) {
    const { connections } = peer
    await vi.waitFor(async () => {
      await clock.advance(1_000)
      expect(peer.connections).toBeGreaterThan(connections)
    })
    await clock.advance(120_000)
  }
  expect(notices.length).toBeLessThan(12)
  expect(notices.at(-1)).toMatch(/overloaded.* It was lost \d+ times since the last notice\.$/)
})

test('a name that leads to this machine is refused where only public addresses are allowed', async () => {
  const peer = await receiver()
  const { streaming, signal } = open({
    output: `ws://localhost:${peer.port}/`,
    setUpMs: 300,
    dialing: { lookup: guardedLookup() },
  })
  const failure = await streaming.connect(signal).catch((error) => error)
  expect(failure.message).toContain('not a public address')
  expect(peer.connections).toBe(0)
})

test("the page's own sound goes out in messages of 100 ms, without the capture environment", async () => {
  const peer = await receiver()
  const { streaming, start, signal, isEnvironmentHeard } = open({ output: peer.url, hearsPage: true })
  await streaming.connect(signal)
  const pieces = (from: number, value: number) => {
    for (let at = from; at < from + 200; at += 20)
      streaming.onMix({ at, samples: Buffer.alloc(messageBytes(RATE) / 5, value) })
  }
  pieces(Date.now(), 1)
  await start()
  pieces(Date.now(), 2)
  await vi.waitFor(() => expect(peer.sounds.length).toBeGreaterThanOrEqual(2))
  expect(peer.sounds.slice(0, 2).map(({ samples }) => samples)).toEqual([
    Buffer.alloc(messageBytes(RATE), 2),
    Buffer.alloc(messageBytes(RATE), 2),
  ])
  expect(isEnvironmentHeard()).toBe(false)
})

test('where the capture environment has sound and the page has none, the capture environment is streamed', async () => {
  const peer = await receiver()
  const clock = new HandClock()
  const { streaming, start, sound, signal, isEnvironmentHeard } = open({ output: peer.url, hearsPage: true, clock })
  void streaming.connect(signal)
  await vi.waitFor(() => expect(peer.connections).toBe(1))
  await start()
  const heard = { at: clock.now(), samples: Buffer.alloc(messageBytes(RATE) / 5, 9) }
  streaming.noteCapture(true, clock.now())
  for (let step = 0; step < 20; step++) {
    streaming.onMix({ ...heard, at: clock.now() })
    await clock.advance(500)
  }
  expect(isEnvironmentHeard()).toBe(false)
  // The recorder reports silence of the capture environment two seconds after the last word.
  await clock.advance(2000)
  streaming.noteCapture(false, clock.now())
  for (let step = 0; step < 60; step++) await clock.advance(500)
  expect(isEnvironmentHeard()).toBe(false)
  streaming.noteCapture(true, clock.now())
  for (let step = 0; step < 14; step++) await clock.advance(500)
  expect(isEnvironmentHeard()).toBe(true)
  const before = peer.sounds.length
  sound(5)
  await vi.waitFor(() => expect(peer.sounds.slice(before).some(({ samples }) => samples[0] === 5)).toBe(true))
})

test('where one person alone is missing in the page, in short turns, the capture environment is streamed, and a notice says so', async () => {
  const peer = await receiver()
  const clock = new HandClock()
  const given = { output: peer.url, hearsPage: true, clock }
  const { streaming, start, notices, signal, isEnvironmentHeard } = open(given)
  void streaming.connect(signal)
  await vi.waitFor(() => expect(peer.connections).toBe(1))
  await start(new FakeMeeting())
  streaming.noteCapture(true, clock.now())
  const BEN = { ...ANN, id: 2, name: 'Ben' }
  /** Two seconds of the meeting, in which the page has this peak. */
  const turn = async (person: typeof ANN, value: number) => {
    streaming.onSpeaker(person, true, clock.now())
    for (let step = 0; step < 20; step++) {
      streaming.onMix({ at: clock.now(), samples: Buffer.alloc(messageBytes(RATE) / 5, value) })
      await clock.advance(100)
    }
    streaming.onSpeaker(person, false, clock.now())
  }
  for (const person of [ANN, BEN, ANN, BEN, ANN, BEN]) await turn(person, 9)
  for (const _ of [1, 2, 3]) await turn(BEN, 9)
  expect([isEnvironmentHeard(), notices]).toEqual([false, []])
  // Comfort noise is no speech.
  const quiet = 0
  for (let round = 0; round < 5 && !isEnvironmentHeard(); round++) {
    await turn(ANN, 9)
    await turn(BEN, quiet)
  }
  await vi.waitFor(() => expect(isEnvironmentHeard()).toBe(true))
  expect(notices).toEqual([expect.stringContaining('the live sound comes from the sound server now')])
})
