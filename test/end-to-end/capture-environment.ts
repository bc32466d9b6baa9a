/** Fixtures of every end-to-end test: the mock server, a folder for recordings, and bots that end with the test. */

import { afterAll, afterEach, beforeAll } from 'vitest'
import { startMockGoogleMeet } from '../../packages/mock/index.ts'
import type { MockMeeting, MockMeetingOptions, MockPerson, MockServer } from '../../packages/mock/types.ts'
import { temporaryFolder } from '../fakes/at-end.ts'
import { BotProcess } from './bot-process.ts'
import { FOUR_PEOPLE } from './meeting-script.ts'

type BotOptions = Omit<ConstructorParameters<typeof BotProcess>[2], 'out'>

export interface EndToEnd {
  /** A meeting that lets the bot straight in, with four people. */
  openMeeting(scenario?: string, people?: MockPerson[], media?: MockMeetingOptions['media']): MockMeeting
  startBot(meeting: MockMeeting, options?: BotOptions): BotProcess
}

/** To be called once at the top of a test file. */
export function endToEnd(start: () => Promise<MockServer> = startMockGoogleMeet): EndToEnd {
  const out = temporaryFolder('standin end to end ')
  let server: MockServer
  const bots: BotProcess[] = []
  beforeAll(async () => {
    server = await start()
  })
  afterEach(async () => {
    await Promise.all(bots.splice(0).map((bot) => bot.dispose()))
  })
  afterAll(() => server.close())
  return {
    openMeeting: (scenario = 'open', people = FOUR_PEOPLE, media = {}) => server.open(scenario, { people, media }),
    startBot: (meeting, options = {}) => {
      const bot = new BotProcess(server, meeting, { ...options, out })
      bots.push(bot)
      return bot
    },
  }
}
