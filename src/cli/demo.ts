import { randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { MockPlatformName } from '@standin/mock/index.ts'
import type { Io } from '@standin/wire/process/command-io.ts'
import { builtInModel, problemOfModel } from '../speech/model.ts'
import { type JoinFlags, join } from './join.ts'
import { loadMock } from './mock-package.ts'

const GREETING = 'Hello, this is Standin.'

export interface DemoFlags extends JoinFlags {
  platform: MockPlatformName
}

/** `standin demo`: a bot in a built-in mock meeting, where people come, speak, share and leave by a script. Throws MockIsMissing. */
export async function demo({ platform, ...flags }: DemoFlags, io: Io): Promise<number> {
  // Before the mock meeting, which keeps its pictures and voices in a folder of the same user.
  const botId = flags.botId ?? randomUUID()
  const { leaveRoot, ...asWeAre } = io
  const { account, browserState, words, image, teamsTokenFile } = flags
  const reads = [account, browserState, words, image, teamsTokenFile].flatMap((file) => (file ? [resolve(file)] : []))
  await leaveRoot?.({ reads, ...(flags.s3 === undefined && { folder: resolve(flags.out ?? 'recordings', botId) }) })
  const { DEMO_PEOPLE, runDemoScript, startMock } = await loadMock()
  const server = await startMock(platform)
  const over = new AbortController()
  try {
    const meeting = server.open('waiting-room', { people: [...DEMO_PEOPLE] })
    const script = runDemoScript(meeting, over.signal).catch((error) => {
      if (!over.signal.aborted) throw error
    })
    const mapHost = [...(flags.mapHost ?? []), ...server.hosts.map((host) => `${host}=${server.address}`)]
    const usual = { entryMessage: GREETING, ...wordsIfPossible(io) }
    const exitCode = await join(meeting.url, { ...usual, ...flags, botId, mapHost }, asWeAre)
    over.abort()
    await script
    return exitCode
  } finally {
    over.abort()
    await server.close()
  }
}

/** The people of the demo speak English sentences: their words are shown if this machine has the model for them. */
function wordsIfPossible({ environment }: Io): Partial<JoinFlags> {
  const has = problemOfModel({ engine: 'sherpa-onnx-node', models: builtInModel }) === null
  return has && !environment.STANDIN_TRANSCRIPTION_URL ? { captions: true, transcriptionProvider: 'Default' } : {}
}

/** How long the page says that the meeting is over; a bot has left long before. */
const AFTERWARDS_MS = 20_000

/**
 * `standin demo-meeting`: opens one mock Google Meet meeting with this code, for one bot that another process starts.
 * Writes a line of JSON with the link and the host mappings of its bot, plays the script of the demo, and ends. Throws
 * MockIsMissing.
 */
export async function demoMeeting(code: string, io: Io): Promise<number> {
  const { DEMO_PEOPLE, runDemoScript, startMock } = await loadMock()
  const server = await startMock('meet', { hostPort: null })
  const over = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => over.abort())
  try {
    const meeting = server.open('waiting-room', { code, people: [...DEMO_PEOPLE] })
    const mapHosts = server.hosts.map((host) => `${host}=${server.address}`)
    io.output.write(`${JSON.stringify({ url: meeting.url, map_hosts: mapHosts })}\n`)
    await runDemoScript(meeting, over.signal)
    await sleep(AFTERWARDS_MS, undefined, { signal: over.signal })
  } catch (error) {
    if (!over.signal.aborted) throw error
  } finally {
    await server.close()
  }
  return 0
}
