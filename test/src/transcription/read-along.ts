/** Whole bots that read a platform's own captions. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { WORDS } from '../../../packages/mock/shared/caption-writer.ts'
import type { MockServer } from '../../../packages/mock/types.ts'
import { endToEnd } from '../../end-to-end/capture-environment.ts'
import { passes, truthOf, WITHOUT_CAMERAS } from '../../end-to-end/meeting-script.ts'

export interface Spoken {
  speaker: string
  start: number
  end: number
  text: string
  words: { word: string; start: number; end: number }[]
}

const SPOKEN_WORDS = 8

/** True if these words stand in the text that everybody says, one after the other, none left out, none twice. */
function areInOrder(words: readonly string[]): boolean {
  return WORDS.some((_, begin) => words.every((word, index) => WORDS[(begin + index) % WORDS.length] === word))
}

/** To be called in a test file. */
export function readsCaptions(start: () => Promise<MockServer>): void {
  const { openMeeting, startBot } = endToEnd(start)

  test('captions are turned on, read along and kept, word for word', async () => {
    const meeting = openMeeting('open', WITHOUT_CAMERAS)
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
    const reported = bot.events.flatMap(({ event }) => (event.type === 'transcript' ? [event.text] : []))
    expect(reported.join(' ')).toBe(result.utterances.map(({ text }) => text).join(' '))
    expect(bot.partials.length).toBeGreaterThan(3)
    expect(readFileSync(bot.file('events.jsonl'), 'utf8')).not.toContain('"is_final":false')
  })
}
