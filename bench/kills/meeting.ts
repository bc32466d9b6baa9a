/** Kills one process of a whole bot in a mock meeting. The bot has to replace it and continue the same file. */
import { execFile } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { promisify } from 'node:util'
import { type MockPlatformName, startMock } from '../../packages/mock/index.ts'
import { bundlePageScripts } from '../../scripts/build.ts'
import { BotProcess, platformArguments } from '../../test/end-to-end/bot-process.ts'
import { FOUR_PEOPLE, passes } from '../../test/end-to-end/meeting-script.ts'
import { probe } from '../../test/media/media-info.ts'
import type { Verdict } from './check.ts'

const run = promisify(execFile)

/** A part of the bot by a word of its command line. */
const COMMAND_LINES = { chromium: '--remote-debugging-pipe', ffmpeg: 'ffmpeg', pulseaudio: 'pulseaudio' }
export type Part = keyof typeof COMMAND_LINES

export async function killInMeeting(
  platform: MockPlatformName,
  part: Part,
  folder: string,
): Promise<{ verdict: Verdict | null; note: string }> {
  mkdirSync(folder, { recursive: true })
  await bundlePageScripts()
  const server = await startMock(platform)
  const meeting = server.open('open', { people: FOUR_PEOPLE })
  const bot = new BotProcess(server, meeting, { out: folder, arguments: platformArguments(platform, meeting) })
  try {
    await bot.whenStatus('in_call_recording')
    await passes(3 + Math.random() * 5)
    const [victim] = bot.children(COMMAND_LINES[part])
    process.kill(victim!, 'SIGKILL')
    const killedAt = Date.now()
    const { event: gap } = await bot.whenEvent('recording_gap')
    await passes(3)
    bot.kill('SIGINT')
    const { report } = await bot.ended()
    const path = bot.file('video.mp4')
    const { stderr } = await run('ffmpeg', ['-v', 'error', '-i', path, '-f', 'null', '-'])
    const { seconds } = await probe(path)
    const afterGap = await run('ffmpeg', [
      ...['-v', 'error', '-ss', String(gap.offset + 1), '-i', path, '-frames:v', '1', '-f', 'null', '-'],
    ])
    const verdict: Verdict = {
      plays: stderr === '' && report?.status === 'completed',
      seeks: afterGap.stderr === '' && seconds > gap.offset + 1,
      seconds,
      lostSeconds: Math.max(0, (killedAt - Date.parse(gap.started_at)) / 1000),
      holeSeconds: 0,
      complaint: stderr.split('\n')[0] || null,
    }
    return { verdict, note: `continues after ${gap.seconds.toFixed(1)} s` }
  } finally {
    await bot.dispose()
    await server.close()
  }
}
