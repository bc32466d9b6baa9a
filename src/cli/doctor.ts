/** `standin doctor`: every part of the machine that a bot needs, whether it is fit, and what to do where it is not. */

import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { CHILD_PATH } from '@standin/base/child-path.ts'
import { jsonText } from '@standin/base/json-text.ts'
import { sandboxObstacle } from '../../platforms/browser/sandbox.ts'
import type { Finding } from './doctor/finding.ts'
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
import { shownText } from './shown-text.ts'

export interface DoctorIo {
  output: NodeJS.WritableStream & { isTTY?: boolean }
  environment: Readonly<Record<string, string | undefined>>
  /** One JSON object instead of sentences. */
  json?: boolean
  /** Other places than a bot's own, for tests. */
  searchPath?: string
  network?: Network
  /** For each program that is tried. */
  deadlineMs?: number
}

/** Generous, since a busy machine is not an unfit one. */
const DEADLINE_MS = 30_000

/** Resolves with the exit code: 0 when a bot can run here, even with warnings; 1 when it cannot. */
export async function doctor(io: DoctorIo): Promise<number> {
  const findings = await examine(io)
  const isFit = findings.every(({ verdict }) => verdict !== 'unfit')
  if (io.json) io.output.write(`${jsonText({ fit: isFit, findings })}\n`)
  else io.output.write(`${report(findings, isFit)}\n`)
  return isFit ? 0 : 1
}

async function examine(io: Omit<DoctorIo, 'output' | 'json'>): Promise<Finding[]> {
  let folder: string
  try {
    folder = await mkdtemp(join(tmpdir(), 'standin-doctor-'))
  } catch {
    // Without a temporary folder nothing can be tried; that is the finding.
    return [await checkDisk('Temporary folder', tmpdir())]
  }
  const shop = {
    // Where the recorder looks for programs: what the person at the terminal has in PATH does not count.
    searchPath: io.searchPath ?? CHILD_PATH,
    chromium: io.environment.STANDIN_CHROMIUM ?? null,
    folder,
    deadlineMs: io.deadlineMs ?? DEADLINE_MS,
  }
  try {
    // One program after the other: they are measured by whether they start, on machines with few processors.
    return [
      checkNode(process.version),
      await checkChromium(shop),
      await checkFfmpeg(shop),
      await checkXvfb(shop),
      await checkPulse(shop),
      await checkSetpriv(shop),
      await checkFonts(shop),
      checkSandbox(await sandboxObstacle(), process.getuid?.() === 0),
      checkMemory(process.availableMemory()),
      checkProcessors(availableParallelism()),
      await checkSharedMemory('/dev/shm'),
      await checkDisk('Recordings', 'recordings'),
      await checkDisk('Temporary folder', tmpdir()),
      checkClock(Date.now()),
      await checkNetwork(io.network),
    ]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const MARKS = { fit: '✓', warning: '!', unfit: '✗' } as const

function report(findings: readonly Finding[], isFit: boolean): string {
  const width = Math.max(...findings.map(({ part }) => part.length))
  const lines = findings.flatMap(({ part, verdict, found, cure }) => [
    `${MARKS[verdict]} ${part.padEnd(width)}  ${shownText(found, 400)}`,
    ...(cure === undefined ? [] : [`  ${' '.repeat(width)}  → ${cure}`]),
  ])
  const unfitParts = findings.filter(({ verdict }) => verdict === 'unfit').map(({ part }) => part)
  const end = isFit ? 'A bot can run here.' : `A bot cannot run here yet: ${unfitParts.join(', ')}.`
  return [...lines, '', end].join('\n')
}
