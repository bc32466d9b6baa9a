/** A bot whose disk becomes full, with all that it writes there: the recording, its log, its journal. */
import { execFileSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmdirSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { probe } from '../media/media-info.ts'
import { endToEnd } from './capture-environment.ts'
import { passes, WITHOUT_CAMERAS } from './meeting-script.ts'

const { openMeeting, startBot } = endToEnd()
const disk = mkdtempSync(join(tmpdir(), 'standin-full-disk-'))
/** Room for a browser's profile. Only root may mount, and not in every container. */
const isMounted = attempt(() =>
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=120m', 'tmpfs', disk], { stdio: 'ignore' }),
)
afterAll(() => {
  if (isMounted) execFileSync('umount', ['--lazy', disk])
  rmdirSync(disk)
})

test.skipIf(!isMounted)('a full disk ends the recording with a clear error, and what is recorded plays', async () => {
  const bot = startBot(openMeeting('open', WITHOUT_CAMERAS), { job: { storage: { type: 'folder', path: disk } } })
  await bot.whenStatus('in_call_recording')
  await passes(4)
  const filler = openSync(join(disk, 'filler'), 'w')
  const filling = setInterval(() => fill(filler), 50)
  fill(filler)
  try {
    const { exitCode, report } = await bot.ended()
    expect(exitCode).toBe(4)
    expect(report).toMatchObject({ status: 'failed', error_message: expect.stringMatching(/no room left/) })
    expect((await probe(join(disk, bot.botId, 'video.mp4'))).seconds).toBeGreaterThan(2)
  } finally {
    clearInterval(filling)
    closeSync(filler)
  }
})

/** Takes all the room there is. */
function fill(file: number): void {
  const piece = Buffer.alloc(4096)
  while (attempt(() => writeSync(file, piece)));
}

function attempt(work: () => unknown): boolean {
  try {
    work()
    return true
  } catch {
    return false
  }
}
