/** Read along on the other platforms, and with a provider that hears real speech. */

import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startMockMicrosoftTeams, startMockZoom } from '../../../packages/mock/index.ts'
import { endToEnd } from '../../end-to-end/capture-environment.ts'
import { truthOf } from '../../end-to-end/meeting-script.ts'
import { temporaryFolder } from '../../fakes/at-end.ts'
import { recognizing, startDeepgram } from './deepgram-service.ts'
import { readsCaptions, type Spoken } from './read-along.ts'
import { shareFound } from './sphinx.ts'

const KEY = 'dg-canary-0815'

describe.each([
  ['Microsoft Teams', startMockMicrosoftTeams],
  ['Zoom', startMockZoom],
] as const)('%s', (_name, start) => readsCaptions(start))

describe('a provider that hears the meeting', () => {
  const { openMeeting, startBot } = endToEnd()

  test('gives words with times and speakers while it goes on, also over a broken connection', async () => {
    const place = temporaryFolder()
    const lines = [
      { id: 'ann', voice: 'slt', text: 'good morning everybody and welcome to the weekly meeting' },
      { id: 'ben', voice: 'rms', text: 'the first thing on the list is the money for next year' },
    ]
    const service = await startDeepgram(recognizing())
    const meeting = openMeeting()
    const bot = startBot(meeting, {
      arguments: ['--captions', '--transcription-provider', 'deepgram'],
      environment: { STANDIN_DEEPGRAM_URL: service.url, STANDIN_DEEPGRAM_KEY: KEY },
      job: { recording_mode: 'audio_only' },
    })
    await bot.whenStatus('in_call_recording')
    await expect.poll(() => service.sessions.length, { timeout: 60_000 }).toBe(1)
    const said: { name: string; start: number; text: string }[] = []
    for (const [index, { id, voice, text }] of lines.entries()) {
      const file = join(place, `${id}.wav`)
      execFileSync('flite', ['-voice', voice, '-t', text, '-o', file])
      await meeting.playVoice(id, file)
      const turn = truthOf(meeting, bot).at(-1)!
      await bot.whenEvent('transcript', ({ speaker }) => speaker?.name === turn.name)
      if (index === 0) service.sessions[0]!.socket.terminate()
      said.push({ name: turn.name, start: turn.start, text })
    }
    meeting.endForAll()
    const { exitCode } = await bot.ended()
    expect(exitCode).toBe(0)
    expect(service.sessions).toHaveLength(2)

    const { result } = bot.json<{ result: { utterances: Spoken[] } }>('transcription.json')
    for (const { name, start, text } of said) {
      const words = result.utterances.filter(({ speaker }) => speaker === name).flatMap((spoken) => spoken.words)
      const share = shareFound(
        text.split(' '),
        words.map(({ word }) => word),
      )
      console.log(
        `${name}: ${Math.round(share * 100)} % of "${text}" heard as "${words.map(({ word }) => word).join(' ')}", ${((words[0]?.start ?? 0) - start).toFixed(2)} s after it began`,
      )
      // A starved machine stutters; an idle one hears every word.
      expect(share).toBeGreaterThan(0.4)
      expect(Math.abs(words[0]!.start - start)).toBeLessThan(2)
    }
    // Nothing was missing, so that the recording was not sent a second time.
    expect(service.asked).toHaveLength(0)
    const files = readdirSync(bot.folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile())
    expect(files.length).toBeGreaterThan(5)
    for (const { parentPath, name } of files)
      expect(readFileSync(join(parentPath, name)).includes(KEY), name).toBe(false)
    expect(JSON.stringify(bot.events)).not.toContain(KEY)
  })
})
