/** Bots in meetings whose media cross a real media server, with losses on both sides of it and late key frames. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { type PlatformServer, startMock } from '../../mock/index.ts'
import type { MockMeeting } from '../../mock/types.ts'
import type { DiarizationSegment } from '../../src/run/timeline.ts'
import { heardShare, type Picture, pictureAt, picturesOf, shownShare, soundOf } from '../media/meeting-recording.ts'
import { BotProcess } from './bot-process.ts'
import { FOUR_PEOPLE, LOOK, passes, speak } from './meeting-script.ts'

const out = mkdtempSync(join(tmpdir(), 'standin media server '))
let server: PlatformServer
let bot: BotProcess | undefined
afterEach(async () => {
  await bot?.dispose()
  await server.close()
  rmSync(out, { recursive: true, force: true })
})

// One that sends the loudest voices on shared streams, one that sends each participant separately.
test.each(['meet', 'jitsi'] as const)(
  'a meeting of %s by way of Janus is joined, heard, seen and noted',
  async (name) => {
    server = await startMock(name, { media: 'janus' })
    const media = { publisherLoss: 0.02, loss: 0.02, keyFrameDelayMs: 1500 }
    const meeting = server.open('open', { people: FOUR_PEOPLE, media })
    bot = new BotProcess(server, meeting, { out })
    await bot.whenStatus('in_call_recording')
    await bot.whenEvent('participant_joined', ({ participant }) => participant.name === 'Dan')
    await passes(3)
    await speak(meeting, 'ann', 6)
    await passes(2)
    await speak(meeting, 'ben', 6)
    await passes(2)
    meeting.endForAll()
    const { exitCode, report } = await bot.ended()
    expect(exitCode).toBe(0)
    expect(report).toMatchObject({ status: 'completed', error_code: null })

    const video = bot.file('video.mp4')
    const sound = await soundOf(video)
    const segments = bot.lines<DiarizationSegment>('diarization.jsonl')
    const turns = turnsOf(meeting, Date.parse(report!.recording_started_at!))
    expect(turns.map(({ id }) => id)).toEqual(['ann', 'ben'])
    for (const { id, name: speaker, start, end } of turns) {
      expect(heardShare(sound, LOOK[id]!, start + 0.5, end - 0.5), `${id} is heard`).toBeGreaterThan(0.6)
      const mine = segments.filter((segment) => segment.speaker === speaker)
      expect(mine.length, `${id} is noted`).toBeGreaterThan(0)
      expect(Math.abs(mine[0]!.start_time - start), `${id} begins`).toBeLessThan(1.5)
      expect(Math.abs(mine.at(-1)!.end_time - end), `${id} ends`).toBeLessThan(2.5)
      expect(shownShare(await pictureAt(video, end - 0.5), LOOK[id]!), `${id} is shown`).toBeGreaterThan(0.3)
      // A frozen picture does not change at all. The number of changes depends on the machine.
      expect(changesIn(await picturesOf(video, start + 1.5, end - start - 2)), `${id} moves`).toBeGreaterThan(3)
    }
    expect(segments.every(({ speaker }) => turns.some((turn) => turn.name === speaker))).toBe(true)
  },
)

/** Who truly spoke when, in seconds of the recording. */
function turnsOf(meeting: MockMeeting, recordedFrom: number) {
  return meeting.truth.turns.map(({ personId, name, startedAt, endedAt }) => ({
    id: personId,
    name,
    start: (startedAt - recordedFrom) / 1000,
    end: ((endedAt ?? Date.now()) - recordedFrom) / 1000,
  }))
}

/** How many pictures differ from the one before, somewhere, by more than coding makes. */
function changesIn(pictures: readonly Picture[]): number {
  return pictures.slice(1).filter(({ pixels }, index) => {
    const before = pictures[index]!.pixels
    return pixels.some((value, at) => Math.abs(value - before[at]!) > 40)
  }).length
}
