/** A talk with an agent in a whole bot: who is answered, who is not, and who cuts it. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../fakes/at-end.ts'
import { startRealtimeService } from '../src/agent/realtime-service.ts'
import { openRealtime } from '../src/transcription/realtime-service.ts'
import { endToEnd } from './capture-environment.ts'
import { passes, WITHOUT_CAMERAS } from './meeting-script.ts'

const { openMeeting, startBot } = endToEnd()
const SECOND = 24_000 * 2
const LONG = { timeout: 30_000, interval: 10 }
const KEY = 'sk-the-key-of-the-caller'

test('a person asks by name and is answered, cuts the answer, talks to somebody else, and mutes it', async () => {
  const folder = temporaryFolder()
  const spoken = (text: string, voice: string) => {
    const file = join(folder, `${text.replace(/\W+/g, '-')}.wav`)
    execFileSync('flite', ['-voice', voice, '-t', text, '-o', file])
    return file
  }
  /** What the recognizer of this test reads next. */
  let text = ''
  const id = (commits: number) => `turn_${commits}`
  const of = 'conversation.item.input_audio_transcription'
  const recognizer = await openRealtime({
    append(session) {
      if (session.buffer.byteLength > SECOND * 0.4)
        session.say({ type: `${of}.delta`, item_id: id(session.commits), delta: '', text })
      return true
    },
    commit(session) {
      const item_id = id(session.commits - 1)
      session.say({ type: 'input_audio_buffer.committed', item_id })
      session.say({ type: `${of}.completed`, item_id, transcript: text })
      return true
    },
  })
  onTestFinished(recognizer.close)
  const server = await startRealtimeService({ answerMs: 60_000, speed: 2 })
  const meeting = openMeeting('open', WITHOUT_CAMERAS)
  const bot = startBot(meeting, {
    job: {
      recording_mode: 'audio_only',
      transcription: { mode: 'live' },
      agent: { provider: 'openai_realtime', url: server.url, api_key: KEY },
    },
    environment: {
      STANDIN_TRANSCRIPTION_URL: 'http://127.0.0.1:1/v1',
      STANDIN_TRANSCRIPTION_LIVE_URL: recognizer.url,
    },
  })
  await bot.whenStatus('in_call_recording')
  await expect.poll(() => meeting.bot.isConnected, LONG).toBe(true)
  await expect.poll(() => server.of('session.update').length, LONG).toBe(1)
  const says = async (who: string, words: string, voice = 'slt') => {
    text = words
    await meeting.playVoice(who, spoken(words, voice))
  }
  const requests = () => server.of('response.create')
  const isSilent = () => meeting.bot.sent().audioIsSilent !== false

  await says('ann', 'Standin what is the next point on our list?')
  await expect.poll(() => requests().length, LONG).toBeGreaterThan(0)
  await expect.poll(isSilent, LONG).toBe(false)
  // A pause in the question may have been asked too.
  const { length: asked } = requests()
  await passes(2)

  const cutting = says('ann', 'No that is not at all what I wanted to know from you')
  await expect.poll(() => server.of('conversation.item.truncate').length, LONG).toBeGreaterThan(0)
  await expect.poll(isSilent, LONG).toBe(true)
  expect(server.of('response.cancel')).not.toEqual([])
  expect(Number(server.of('conversation.item.truncate')[0]!.audio_end_ms)).toBeLessThan(12_000)
  await cutting
  // It is answered in its turn, and muted in the middle of that.
  await expect.poll(() => requests().length, LONG).toBeGreaterThan(1)
  await expect.poll(isSilent, LONG).toBe(false)
  await passes(1.5)
  await says('cleo', 'Standin, be quiet', 'rms')
  await expect.poll(isSilent, LONG).toBe(true)
  const { length: before } = requests()
  await says('ann', 'Standin, are you there?')
  await says('ben', 'Ann, did you bring the figures of last year?', 'rms')
  await passes(3)
  expect(requests()).toHaveLength(before)

  bot.kill('SIGINT')
  expect((await bot.ended()).exitCode).toBe(0)
  // The whole question, not cut at its begin; the answer never came back as sound of the meeting.
  const question = server.sessions[0]!.questions.slice(0, asked)
  expect(question.reduce((sum, seconds) => sum + seconds, 0)).toBeGreaterThan(2)
  const own = bot.lines<{ speaker: string }>('diarization.jsonl').filter(({ speaker }) => speaker === 'Standin')
  expect(own.length).toBeGreaterThanOrEqual(2)
  for (const file of ['standin.log', 'events.jsonl']) expect(bot.lines(file).map(String).join()).not.toContain(KEY)
})
