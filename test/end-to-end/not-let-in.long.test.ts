/** Whole bots that do not get into their meeting; a denied one is in `stopping.system.test.ts`. */
import { expect, test } from 'vitest'
import { endToEnd } from './capture-environment.ts'
import { WITHOUT_CAMERAS } from './meeting-script.ts'

const { openMeeting, startBot } = endToEnd()
const SOUND_ONLY = { job: { recording_mode: 'audio_only' } }

test("the host does not answer: the join request is withdrawn after the job's own limit", async () => {
  const meeting = openMeeting('waiting-room', WITHOUT_CAMERAS)
  const bot = startBot(meeting, { job: { ...SOUND_ONLY.job, timeout_config: { waiting_room_timeout: 5 } } })
  const { exitCode, report } = await bot.ended()
  expect(exitCode).toBe(3)
  expect(report?.error_code).toBe('TIMEOUT_WAITING_TO_START')
  expect(['left', 'closed', 'none']).toContain(meeting.state)
})

test('a dead meeting is found by the page', async () => {
  const meeting = openMeeting('invalid-link', WITHOUT_CAMERAS)
  const bot = startBot(meeting, SOUND_ONLY)
  const { exitCode, report } = await bot.ended()
  expect(exitCode).toBe(3)
  expect(report?.error_code).toBe('INVALID_MEETING_URL')
})
