/** `standin doctor`: every part of the machine that a bot needs, whether it is fit, and what to do where it is not. */

import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromiumOf } from '@standin/wire/process/chromium.ts'
import type { Io } from '@standin/wire/process/command-io.ts'
import { type Finding, fine, printFindings, unfit, warning } from '@standin/wire/text/findings.ts'
import { lookAtMachine, lookAtRoom, workshop } from '../machine/look.ts'
import {
  checkChromium,
  checkFfmpeg,
  checkFonts,
  checkSandbox,
  checkSetpriv,
  cureOf,
  lookForProgram,
  PROGRAM_PARTS,
  type ProgramPart,
  type Workshop,
} from '../machine/programs.ts'
import { checkProcessors, checkSharedMemory } from '../machine/resources.ts'
import type { Programs } from '../machine/try-program.ts'
import { type BotTrials, botTrials } from '../wiring/trials.ts'
import { checkNetwork, type Network } from './doctor/network.ts'
import { checkSpeech } from './doctor/speech.ts'

export interface DoctorIo extends Pick<Io, 'leaveRoot'> {
  output: NodeJS.WritableStream & { isTTY?: boolean }
  environment: Readonly<Record<string, string | undefined>>
  /** One JSON object instead of sentences. */
  json?: boolean
  /** Other than the machine's own, for tests. */
  programs?: Programs
  trials?: (folder: string, chromium: string | null) => BotTrials
  network?: Network
}

/** Resolves with the exit code: 0 when a bot can run here, even with warnings; 1 when it cannot. */
export async function doctor(io: DoctorIo): Promise<number> {
  const ends = ['A bot can run here.', 'A bot cannot run here yet'] as const
  return (await printFindings({ findings: examine(io), output: io.output, json: io.json, ends })) ? 0 : 1
}

async function* examine({
  environment,
  leaveRoot,
  programs,
  trials = botTrials,
  network,
}: DoctorIo): AsyncGenerator<Finding> {
  const chromium = chromiumOf(environment)
  const common = workshop(chromium, programs)
  // What is unfit keeps later parts from starting, each after its own time.
  const blockers: Finding[] = []
  for await (const finding of lookAtMachine(chromium)) {
    if (finding.verdict === 'unfit') blockers.push(finding)
    yield finding
  }
  yield* lookAtRoom('recordings')
  yield checkProcessors(availableParallelism())
  yield checkSharedMemory('/dev/shm')
  const sandbox = await checkSandbox(common.programs.botUser(environment))
  yield sandbox
  // Programs are tried as bots run them. A user that cannot be used was named above.
  if (sandbox.verdict !== 'unfit') await leaveRoot?.({})
  const folder = await mkdtemp(join(tmpdir(), 'standin-doctor-')).catch(() => null)
  // Without a temporary folder, which was named too, nothing can be tried.
  if (folder === null) return
  const shop = { ...common, folder }
  const stage = trials(folder, chromium)
  try {
    // One program after the other: they are measured by whether they start, on machines with few processors.
    for (const part of PROGRAM_PARTS) {
      const blocker = blockers.find((each) => keepsFromStarting(each, part))
      const finding: Finding =
        (await lookForProgram(part, shop)) ??
        (blocker === undefined
          ? await tried(part, shop, stage)
          : warning(part, `is there; it is not tried before this is mended: ${blocker.part}`, blocker.cure!))
      if (part === 'Xvfb' && finding.verdict === 'unfit')
        // Most pages paint their picture as frames, and need no display.
        yield warning(part, `${finding.found}; a page that cannot paint frames is not recorded`, finding.cure!)
      else {
        if (finding.verdict === 'unfit') blockers.push(finding)
        yield finding
      }
    }
  } finally {
    await stage.close()
  }
  try {
    yield checkFonts(shop)
    yield checkSpeech(environment)
    yield checkNetwork(network)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function keepsFromStarting({ part: unfit }: Finding, part: ProgramPart): boolean {
  if (part === 'setpriv' || part === 'ffmpeg' || unfit === 'ffmpeg') return false
  return part === 'Chromium' || unfit !== 'Browser policies'
}

function tried(part: ProgramPart, shop: Workshop, stage: BotTrials): Promise<Finding> {
  const opened = (problem: string | null, good: string) =>
    problem === null ? fine(part, good) : unfit(part, `does not start: ${problem}`, cureOf(part, shop))
  switch (part) {
    case 'setpriv':
      return checkSetpriv(shop)
    case 'ffmpeg':
      return checkFfmpeg(shop)
    case 'PulseAudio':
      return stage.openSound().then((problem) => opened(problem, 'opens a sink'))
    case 'Xvfb':
      return stage.openDisplay().then((problem) => opened(problem, 'opens a screen of 1280×720'))
    case 'Chromium':
      return checkChromium(shop, () => stage.openBrowser())
  }
}
