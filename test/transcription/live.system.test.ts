/** Read along in whole bots: the platform's own captions, and a provider that hears real speech. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startMockGoogleMeet, startMockMicrosoftTeams, startMockZoom } from '../../mock/index.ts'
import { WORDS } from '../../mock/shared/caption-writer.ts'
import { passes, truthOf } from '../end-to-end/meeting-script.ts'
import { endToEnd } from '../end-to-end/stage.ts'
import { recognizing, startDeepgram } from './deepgram-service.ts'
import { shareFound } from './sphinx.ts'

interface Spoken {
  speaker: string
  start: number
  end: number
  text: string
  words: { word: string; start: number; end: number }[]
}

const KEY = 'dg-canary-0815'
const SPOKEN_WORDS = 8

/** True where these words stand in the text that everybody says, one after the other, none left out, none twice. */
function areInOrder(words: readonly string[]): boolean {
  return WORDS.some((_, begin) => words.every((word, index) => WORDS[(begin + index) % WORDS.length] === word))
}

describe.each([
  ['Google Meet', startMockGoogleMeet],
  ['Microsoft Teams', startMockMicrosoftTeams],
  ['Zoom', startMockZoom],
] as const)('%s', (_name, start) => {
  const { openMeeting, startBot } = endToEnd(start)

  test('captions are turned on, read along and kept, word for word', async () => {
    const meeting = openMeeting()
    const bot = startBot(meeting, { arguments: ['--captions'], job: { recording_mode: 'audio_only' } })
    await bot.whenStatus('in_call_recording')
    await bot.whenEvent('participant_joined', ({ participant }) => participant.name === 'Dan')
    await passes(3)
    for (const { id, name } of [
      { id: 'ann', name: 'Ann Host' },
      { id: 'ben', name: 'Ben <b>Bold</b>' },
    ]) {
      // However busy the machine is: until so many words were read.
      meeting.startSpeaking(id)
      const read = () => bot.partials.filter(({ text }) => text.split(' ').length >= SPOKEN_WORDS)
      await expect.poll(() => read().map(({ speaker }) => speaker?.name), { timeout: 60_000 }).toContain(name)
      meeting.stopSpeaking(id)
      await bot.whenEvent('transcript', ({ speaker }) => speaker?.name === name)
      await passes(1)
    }
    meeting.endForAll()
    const { exitCode } = await bot.ended()
    expect(exitCode).toBe(0)

    const { provider, result } = bot.json<{ provider: string; result: { utterances: Spoken[] } }>('transcription.json')
    expect(provider).toBe('captions')
    const turns = truthOf(meeting, bot)
    for (const { name, start, end } of turns) {
      const words = result.utterances.filter(({ speaker }) => speaker === name).flatMap((spoken) => spoken.words)
      console.log(
        `${name} ${start.toFixed(1)}-${end.toFixed(1)}: ${words.map(({ word, start: at }) => `${word}@${at.toFixed(1)}`).join(' ')}`,
      )
      expect(words.length).toBeGreaterThanOrEqual(SPOKEN_WORDS)
      expect(areInOrder(words.map(({ word }) => word))).toBe(true)
      expect(Math.abs(words[0]!.start - start)).toBeLessThan(2.5)
      expect(words.at(-1)!.end).toBeLessThan(end + 2.5)
    }
    expect(new Set(result.utterances.map(({ speaker }) => speaker))).toEqual(new Set(turns.map(({ name }) => name)))
    const told = bot.events.flatMap(({ event }) => (event.type === 'transcript' ? [event.text] : []))
    expect(told.join(' ')).toBe(result.utterances.map(({ text }) => text).join(' '))
    expect(bot.partials.length).toBeGreaterThan(3)
    expect(readFileSync(bot.file('events.jsonl'), 'utf8')).not.toContain('"is_final":false')
  })
})

describe('a provider that hears the meeting', () => {
  const { openMeeting, startBot } = endToEnd()

  test('gives words with times and speakers while it goes on, also over a broken connection', async () => {
    const place = mkdtempSync(join(tmpdir(), 'standin-voices-'))
    onTestFinished(() => rmSync(place, { recursive: true, force: true }))
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
