import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createProcessLauncher } from '@standin/control-plane/launching/launchers/process/launcher.ts'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../../fakes/at-end.ts'
import { openWorld, quiet } from '../../world.ts'
import { NEEDS } from '../needs.ts'
import { askToLeave, LONG, notStopped, onPass, pass, QUIET, setBot, stopped } from './stuck.ts'

test('a real process that is frozen while it records is killed, and its bot ends', async () => {
  const world = await openWorld({ launching: true })
  const setting = await world.launchingSetting()
  const clock = { seconds: 0 }
  const folder = temporaryFolder()
  const program = join(import.meta.dirname, '../bot-process.ts')
  const launcher = await createProcessLauncher({
    folder,
    command: [process.execPath, program],
    mapHosts: [],
    environment: { PATH: process.env.PATH },
    maxBots: 10,
    needs: NEEDS,
    log: quiet,
  })
  setting.launching({ launcher, onPass, reconciler: { now: () => clock.seconds * 1000 } })
  const id = await setting.bot({ meetingMs: 600_000 })
  await expect.poll(async () => (await setting.row(id)).status, LONG).toBe('in_call_recording')
  const pid = Number((await readFile(join(folder, `standin-${id}-1`, 'bot'), 'utf8')).split(' ')[0])
  onTestFinished(() => {
    if (isThere(pid)) process.kill(pid, 'SIGKILL')
  })
  process.kill(pid, 'SIGSTOP')
  await askToLeave(setting, id)
  await pass(setting, id, QUIET)
  await notStopped(setting, id)
  clock.seconds = QUIET
  await stopped(setting, id)
  expect(isThere(pid)).toBe(true)
  await setBot(setting, id, { stop_sent_at: new Date(Date.now() - 121_000) })
  await expect.poll(async () => (await setting.row(id)).phase, LONG).toBe('closed')
  expect(await setting.row(id)).toMatchObject({ status: 'failed', error_code: 'FORCE_KILLED' })
  expect(isThere(pid)).toBe(false)
})

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
