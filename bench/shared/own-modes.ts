/** Standin itself, a whole bot in its own process, in each of its modes. */

import { join } from 'node:path'
import type { RecordingMode } from '@standin/wire/codes.ts'
import { packageRoot } from '../../packages/core/process/page-scripts.ts'
import type { MockServer } from '../../packages/mock/types.ts'
import { BotProcess } from '../../test/end-to-end/bot-process.ts'
import type { Contender } from './measured.ts'

/** In a checkout. The built program, as users run it: the sources would have Node's compiler of types in their memory. */
const BUILT = 'bin/standin'
/** The job's default. */
const FRAMES_PER_SECOND = 25

function droppedBy({ events }: BotProcess): number {
  const last = events.findLast(({ event }) => event.type === 'recording_progress')?.event
  return last?.type === 'recording_progress' ? last.dropped_frames : 0
}

/** `checkout`: another one than this, in which another version is built. */
export function ownMode(mode: RecordingMode, server: MockServer, folder: string, checkout?: string): Contender {
  const program = [join(checkout ?? packageRoot, BUILT)] as const
  return {
    name: `Standin ${mode}${checkout === undefined ? '' : ', before'}`,
    note: 'the whole bot, its own program included',
    framesPerSecond: mode === 'audio_only' ? null : FRAMES_PER_SECOND,
    hasCameras: true,
    async start({ meeting }) {
      const bot = new BotProcess(server, meeting, { out: folder, job: { recording_mode: mode }, program })
      try {
        await bot.whenStatus('in_call_recording')
      } catch (error) {
        await bot.dispose()
        throw error
      }
      const file = mode === 'audio_only' ? 'audio.m4a' : 'video.mp4'
      return {
        roots: () => [bot.process.pid!],
        async finish() {
          bot.kill('SIGINT')
          await bot.whenEvent('artifact', ({ artifact }) => artifact.name === file)
          return bot.file(file)
        },
        ...(mode === 'audio_only' ? {} : { repeatedFrames: () => droppedBy(bot) }),
        async dispose() {
          // Its other files follow within moments; this does not wait for a bot that was not asked to end.
          if (bot.events.some(({ event }) => event.type === 'artifact')) await bot.ended()
          await bot.dispose()
        },
      }
    },
  }
}
