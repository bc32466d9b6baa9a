/** A whole bot in a meeting of 300 people, on a page that animates and blurs all the time, with 16 cameras that move. */
import { expect, test } from 'vitest'
import type { MockPerson } from '../../packages/mock/types.ts'
import { probe } from '../media/media-info.ts'
import { heardShare, pictureAt, shownShare, soundOf } from '../media/meeting-recording.ts'
import { endToEnd } from './capture-environment.ts'
import { passes, speak, truthOf } from './meeting-script.ts'

const { openMeeting, startBot } = endToEnd()

const PEOPLE: MockPerson[] = Array.from({ length: 300 }, (_, index) => ({
  id: `p${index}`,
  name: `Guest Number ${index}`,
  isHost: index === 0,
  camera: index < 16,
}))

test('a large meeting is recorded: all people are counted, and the speaker is heard and fills the picture', async () => {
  const meeting = openMeeting('large-meeting', PEOPLE, { width: 512, height: 288, fps: 12 })
  // The first beep comes when all pictures are encoded.
  meeting.flashAndBeep(true)
  while (meeting.truth.beeps.length === 0) await passes(0.1)
  meeting.flashAndBeep(false)
  const bot = startBot(meeting, { job: { recording_mode: 'speaker_view' } })
  await bot.whenStatus('in_call_recording')
  await bot.whenEvent('participant_joined', ({ participant }) => participant.name === 'Guest Number 299')
  for (const id of ['p3', 'p9']) await speak(meeting, id, 4)
  await passes(1)
  meeting.endForAll()
  const { exitCode, report } = await bot.ended()

  expect(exitCode).toBe(0)
  expect(report!.participants).toHaveLength(300)
  const video = bot.file('video.mp4')
  expect(await probe(video)).toMatchObject({ codecs: ['h264', 'aac'], width: 1280, height: 720 })
  const sound = await soundOf(video)
  const turns = truthOf(meeting, bot)
  expect(turns.map(({ id }) => id)).toEqual(['p3', 'p9'])
  for (const { id, start, end } of turns) {
    const look = Number(id.slice(1))
    expect(heardShare(sound, look, start + 0.7, end - 0.5), `${id} is heard`).toBeGreaterThan(0.5)
    expect(shownShare(await pictureAt(video, end - 0.5), look), `${id} is seen`).toBeGreaterThan(0.3)
  }
})
