/** What every end-to-end test stands on: the mock server, a folder for recordings, and bots that end with the test. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { startMockGoogleMeet } from '../../mock/index.ts'
import type { MockMeeting, MockPerson } from '../../mock/types.ts'
import { BotProcess } from './bot-process.ts'

export const FOUR_PEOPLE: MockPerson[] = [
  { id: 'ann', name: 'Ann Host', isHost: true, camera: true },
  { id: 'ben', name: 'Ben <b>Bold</b>', camera: true },
  { id: 'cleo', name: 'Cléo Ñandú', camera: true },
  { id: 'dan', name: 'Dan', camera: false },
]
/** The mock gives looks in the order people are named. */
export const LOOK: Record<string, number> = { ann: 0, ben: 1, cleo: 2, dan: 3 }

type BotOptions = Omit<ConstructorParameters<typeof BotProcess>[2], 'out'>

export interface EndToEnd {
  /** A meeting that lets the bot straight in, with four people. */
  openMeeting(scenario?: string, people?: MockPerson[]): MockMeeting
  startBot(meeting: MockMeeting, options?: BotOptions): BotProcess
}

/** To be called once at the top of a test file. */
export function endToEnd(): EndToEnd {
  const out = mkdtempSync(join(tmpdir(), 'standin end to end '))
  let server: Awaited<ReturnType<typeof startMockGoogleMeet>>
  const bots: BotProcess[] = []
  beforeAll(async () => {
    server = await startMockGoogleMeet()
  })
  afterEach(async () => {
    await Promise.all(bots.splice(0).map((bot) => bot.dispose()))
  })
  afterAll(async () => {
    await server.close()
    rmSync(out, { recursive: true, force: true })
  })
  return {
    openMeeting: (scenario = 'open-meeting-join-now', people = FOUR_PEOPLE) => server.open(scenario, { people }),
    startBot: (meeting, options = {}) => {
      const bot = new BotProcess(server, meeting, { ...options, out })
      bots.push(bot)
      return bot
    },
  }
}

/** One person speaks for a while; resolves when the voice has ended. */
export async function speak(meeting: MockMeeting, id: string, seconds: number): Promise<void> {
  meeting.startSpeaking(id)
  await passes(seconds)
  meeting.stopSpeaking(id)
}

/** Time in a meeting is natural time: sound and picture cannot be sped up. */
export function passes(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000))
}

export interface Media {
  seconds: number
  codecs: string[]
  width: number | undefined
  height: number | undefined
  frameRate: string | undefined
}

/** What ffprobe says of a file; rejects when it cannot be played. */
export async function probe(path: string): Promise<Media> {
  const { stdout } = await promisify(execFile)('ffprobe', [
    ...['-v', 'error', '-of', 'json', '-show_format', '-show_streams', path],
  ])
  const { format, streams } = JSON.parse(stdout) as {
    format: { duration: string }
    streams: { codec_type: string; codec_name: string; width?: number; height?: number; avg_frame_rate?: string }[]
  }
  const video = streams.find(({ codec_type }) => codec_type === 'video')
  return {
    seconds: Number(format.duration),
    codecs: streams.map(({ codec_name }) => codec_name),
    width: video?.width,
    height: video?.height,
    frameRate: video?.avg_frame_rate,
  }
}
