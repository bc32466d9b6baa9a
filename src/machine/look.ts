/**
 * Whether this machine can run a bot, as far as it shows in a moment: each bot looks before it joins, and `standin doctor`
 * looks at the same parts and then tries them.
 */
import { mkdtemp, rm, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CHILD_PATH } from '@standin/wire/process/child-path.ts'
import { messageOf } from '@standin/wire/text/error-text.ts'
import { type Finding, fine, unfit } from '@standin/wire/text/findings.ts'
import { BotError } from '../../packages/core/errors.ts'
import type { BotMachine } from '../../packages/core/ports.ts'
import { checkLimits } from './limits.ts'
import { checkPolicies } from './policies.ts'
import { checkFfmpeg, lookForProgram, PROGRAM_PARTS, type Workshop } from './programs.ts'
import { checkClock, checkDisk, checkMemory, checkNode } from './resources.ts'
import { realPrograms } from './try-program.ts'

/** For each trial. Generous, since a busy machine is not an unfit one. */
const TRIAL_MS = 30_000

/** Where the recorder looks for programs: what the person at the terminal has in PATH does not count. */
export function workshop(chromium: string | null, programs = realPrograms): Omit<Workshop, 'folder'> {
  return { programs, searchPath: CHILD_PATH, chromium, deadlineMs: TRIAL_MS }
}

/** Looked at before programs: without one of these no bot can run. */
export async function* lookAtMachine(chromium: string | null): AsyncGenerator<Finding> {
  yield checkNode(process.version)
  yield checkLimits()
  yield checkPolicies(chromium ?? 'chromium')
  yield checkTemporaryFolder()
}

/** Browser and servers have their files and sockets there. */
async function checkTemporaryFolder(): Promise<Finding> {
  const part = 'Temporary files'
  try {
    await rmdir(await mkdtemp(join(tmpdir(), 'standin-look-')))
    return fine(part, tmpdir())
  } catch (error) {
    return unfit(part, messageOf(error), 'Set TMPDIR to a folder that can be written to, or mend its permissions.')
  }
}

/**
 * What bots do without where they can: a little memory may suffice for a short meeting. `recordings` is their folder, which
 * need not exist yet.
 */
export async function* lookAtRoom(recordings: string): AsyncGenerator<Finding> {
  yield checkMemory(process.availableMemory())
  yield checkDisk('Recordings', recordings)
  yield checkDisk('Temporary folder', tmpdir())
  yield checkClock(Date.now())
}

/** The machine for one bot. `workFolder` is the bot's. */
export function botMachine(needs: { chromium: string | null; workFolder: string }): BotMachine {
  const { chromium, workFolder } = needs
  const shop = workshop(chromium)
  return {
    async look() {
      const findings = await Array.fromAsync(lookAtMachine(chromium))
      for (const part of PROGRAM_PARTS)
        if (part !== 'Xvfb') findings.push((await lookForProgram(part, shop)) ?? fine(part, 'is there'))
      refuseUnfit(findings)
      const room = await Array.fromAsync(lookAtRoom(workFolder))
      return room.filter(({ verdict }) => verdict === 'unfit').map(sentenceOf)
    },
    async tryEncoder() {
      const folder = await mkdtemp(join(tmpdir(), 'standin-look-'))
      const finding = await checkFfmpeg({ ...shop, folder }).finally(() => rm(folder, { recursive: true, force: true }))
      refuseUnfit([finding])
    },
  }
}

const sentenceOf = ({ part, found, cure }: Finding) => `${part}: ${found} → ${cure}`

/** Throws a BotError where a part is unfit. */
function refuseUnfit(findings: readonly Finding[]): void {
  const unfitOnes = findings.filter(({ verdict }) => verdict === 'unfit')
  if (unfitOnes.length === 0) return
  const message = `A bot cannot run on this machine. ${unfitOnes.map(sentenceOf).join('; ')}`
  throw new BotError('INTERNAL_ERROR', message, { step: 'machine', endCause: 'MACHINE_UNFIT' })
}
