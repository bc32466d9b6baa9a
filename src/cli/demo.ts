import { randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
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
