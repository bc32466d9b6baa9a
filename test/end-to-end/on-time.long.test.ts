/** A bot with a planned time asks to join in that moment: never before, and not noticeably later. */
import { describe, expect, test } from 'vitest'
import { GOOGLE_MEET, JITSI, MICROSOFT_TEAMS, ZOOM } from '../platforms/conformance/platforms.ts'
import { platformArguments } from './bot-process.ts'
import { endToEnd } from './capture-environment.ts'

/** Long enough for a bot to start and to fill in its page on a busy machine. */
const AHEAD_MS = 45_000
/** The promise for a machine that has a processor to spare. */
const LATE_MS = 2_000

describe.each([GOOGLE_MEET, MICROSOFT_TEAMS, ZOOM, JITSI])('$name', ({ platform, start }) => {
  const { openMeeting, startBot } = endToEnd(start)

  test('is asked at the planned time', async () => {
    const meeting = openMeeting('waiting-room')
    const plannedAt = Date.now() + AHEAD_MS
    const bot = startBot(meeting, {
      arguments: platformArguments(platform, meeting),
      job: { bot_name: 'Notes', recording_mode: 'audio_only', not_before: new Date(plannedAt).toISOString() },
    })
    await bot.whenStatus('in_waiting_room')
    const asked = meeting.log.find(({ event, target }) => event === 'state' && target === 'joining')!
    expect(asked.at).toBeGreaterThanOrEqual(plannedAt)
    expect(asked.at - plannedAt).toBeLessThan(LATE_MS)
    // The driver typed its name into the page before.
    const filled = meeting.log.findLast(({ event }) => event === 'fill' || event === 'key')
    expect(filled!.at).toBeLessThan(plannedAt)
    bot.kill('SIGINT')
    await bot.ended()
  })
})
