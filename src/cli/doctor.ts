/** `standin doctor`: every part of the machine that a bot needs, whether it is fit, and what to do where it is not. */

import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { CHILD_PATH } from '@standin/wire/process/child-path.ts'
import { type Finding, printFindings } from '@standin/wire/text/findings.ts'
import { checkClock, checkDisk, checkMemory, checkNode, checkProcessors, checkSharedMemory } from './doctor/machine.ts'
import { checkNetwork, type Network } from './doctor/network.ts'
import {
  checkChromium,
  checkFfmpeg,
  checkFonts,
  checkPulse,
  checkSandbox,
  checkSetpriv,
  checkXvfb,
} from './doctor/programs.ts'
import { type Programs, realPrograms } from './doctor/try-program.ts'

export interface DoctorIo {
  output: NodeJS.WritableStream & { isTTY?: boolean }
  environment: Readonly<Record<string, string | undefined>>
  /** One JSON object instead of sentences. */
  json?: boolean
  /** Other than the machine's own, for tests. */
  programs?: Programs
  network?: Network
}

/** Generous, since a busy machine is not an unfit one. */
const DEADLINE_MS = 30_000

/** Resolves with the exit code: 0 when a bot can run here, even with warnings; 1 when it cannot. */
export async function doctor(io: DoctorIo): Promise<number> {
  const ends = ['A bot can run here.', 'A bot cannot run here yet'] as const
  return (await printFindings({ findings: examine(io), output: io.output, json: io.json, ends })) ? 0 : 1
}

async function* examine(io: Omit<DoctorIo, 'output' | 'json'>): AsyncGenerator<Finding> {
  let folder: string
  try {
    folder = await mkdtemp(join(tmpdir(), 'standin-doctor-'))
  } catch {
    // Without a temporary folder nothing can be tried; that is the finding.
    yield checkDisk('Temporary folder', tmpdir())
    return
  }
  const programs = io.programs ?? realPrograms
  const shop = {
    programs,
    // Where the recorder looks for programs: what the person at the terminal has in PATH does not count.
    searchPath: CHILD_PATH,
    chromium: io.environment.STANDIN_CHROMIUM ?? null,
    folder,
    deadlineMs: DEADLINE_MS,
  }
  try {
    // One program after the other: they are measured by whether they start, on machines with few processors.
    yield checkNode(process.version)
    for (const check of [checkChromium, checkFfmpeg, checkXvfb, checkPulse, checkSetpriv, checkFonts]) yield check(shop)
    yield checkSandbox(programs.botUser(io.environment))
    yield checkMemory(process.availableMemory())
    yield checkProcessors(availableParallelism())
    yield checkSharedMemory('/dev/shm')
    yield checkDisk('Recordings', 'recordings')
    yield checkDisk('Temporary folder', tmpdir())
    yield checkClock(Date.now())
    yield checkNetwork(io.network)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
