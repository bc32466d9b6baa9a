/** A page that reloads itself while it is recorded: its new document paints where the old one did. */
import { expect, test } from 'vitest'
import { heardShare, pictureAt, shownShare, soundOf } from '../media/meeting-recording.ts'
import { JITSI } from '../platforms/conformance/platforms.ts'
import { platformArguments } from './bot-process.ts'
import { endToEnd } from './capture-environment.ts'
import { LOOK, passes, speak, truthOf } from './meeting-script.ts'

const { openMeeting, startBot } = endToEnd(JITSI.start)

test('the picture continues in the same file, without a gap', async () => {
  const meeting = openMeeting()
  const bot = startBot(meeting, { arguments: platformArguments('jitsi', meeting) })
  await bot.whenStatus('in_call_recording')
  await bot.whenEvent('participant_joined', ({ participant }) => participant.name === 'Dan')
  await passes(1)
  await speak(meeting, 'ann', 4)
  meeting.show('server-lost')
  await bot.whenEvent('notice', ({ message }) => message.includes('recovered'))
  await passes(6)
  await speak(meeting, 'ben', 5)
  await passes(1)
  meeting.endForAll()
  const { exitCode, report } = await bot.ended()

  expect(exitCode).toBe(0)
  expect(report).toMatchObject({ status: 'completed' })
  expect(report!.gaps ?? []).toEqual([])
  const video = bot.file('video.mp4')
  const sound = await soundOf(video)
  const turns = truthOf(meeting, bot)
  expect(turns.map(({ id }) => id)).toEqual(['ann', 'ben'])
  for (const { id, start, end } of turns) {
    expect(heardShare(sound, LOOK[id]!, start + 0.7, end - 0.5), `${id} is heard`).toBeGreaterThan(0.5)
    expect(shownShare(await pictureAt(video, end - 0.5), LOOK[id]!), `${id} is seen`).toBeGreaterThan(0.3)
  }
})
