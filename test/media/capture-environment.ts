import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '@standin/wire/time/deadline.ts'
import { type LogFields, silentLogger } from '../../packages/core/logger.ts'
import type { CaptureEnvironment } from '../../packages/core/ports.ts'
import type { Recorder, RecorderEvent } from '../../packages/core/recording.ts'
import { createRecorder, type RecorderOptions } from '../../recorder/index.ts'
import { openStorage } from '../../src/storage/index.ts'
import { startToneAndFlash, type ToneAndFlash } from './tone-and-flash.ts'

export const realClock = systemClock

/** Files that grow in a folder, as those of a job do that stores there. */
export function growIn(folder: string): RecorderOptions['grow'] {
  const storage = openStorage({ type: 'folder', path: dirname(folder) }, { botId: basename(folder) })
  return async (file) => (await storage).grow(file, new AbortController().signal)
}

/** A recorder with the tone-and-flash source in its capture environment, in a separate folder. */
export interface TestEnvironment {
  recorder: Recorder
  environment: CaptureEnvironment
  source: ToneAndFlash
  folder: string
  events: RecorderEvent[]
  /** Messages logged as warning or error. */
  complaints: string[]
  /** Resolves once the recorder has this many seconds in its files. */
  recorded(seconds: number): Promise<void>
  /** Ends the recording; the names of its files, all of which must be complete. */
  finish(): Promise<string[]>
  close(): Promise<void>
}

/** As for a browser whose page cannot paint frames. */
export async function prepareOnDisplay(recorder: Recorder): Promise<CaptureEnvironment> {
  const { signal } = new AbortController()
  const environment = await recorder.prepare(signal)
  if (environment.needDisplay === undefined) return environment
  environment.needDisplay()
  return recorder.prepare(signal)
}

const openEnvironments = new Set<TestEnvironment>()

/** For `afterEach`: closes what the test opened. Throws if a program of theirs still runs. */
export async function closeEnvironments(): Promise<void> {
  for (const environment of openEnvironments) await environment.close()
  for (const program of ['ffmpeg', 'Xvfb', 'pulseaudio']) {
    const left = await childrenOf(process.pid, program)
    if (left.length > 0) throw new Error(`Still running after the test: ${program} ${left}`)
  }
}

export async function setUpEnvironment(
  options: Partial<RecorderOptions> & { periodSeconds?: number } = {},
): Promise<TestEnvironment> {
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'standin-recorder-')))
  const complaints: string[] = []
  const complain = (message: string, fields?: LogFields) =>
    complaints.push(`${message}: ${fields?.error ?? JSON.stringify(fields)}`)
  const recorder = createRecorder({
    mode: 'speaker_view',
    framesPerSecond: 30,
    folder,
    clock: realClock,
    logger: { ...silentLogger, warn: complain, error: complain },
    // The source paints at once, unlike a browser.
    pictureLatencyMs: 0,
    grow: growIn(folder),
    ...options,
  })
  const events: RecorderEvent[] = []
  recorder.watch((event) => events.push(event))
  try {
    const environment = await prepareOnDisplay(recorder)
    const source = await startToneAndFlash({ ...environment, periodSeconds: options.periodSeconds })
    await source.running()
    const opened: TestEnvironment = {
      recorder,
      environment,
      source,
      folder,
      events,
      complaints,
      recorded: (seconds) => until(() => secondsRecorded(events) >= seconds, 60_000),
      async finish() {
        const { files, problem } = await recorder.finish(new AbortController().signal)
        if (problem !== null) throw problem
        return files.map(({ stored }) => stored.name)
      },
      async close() {
        openEnvironments.delete(opened)
        source.close()
        await recorder.close()
        if (options.folder === undefined) await rm(folder, { recursive: true, force: true })
      },
    }
    openEnvironments.add(opened)
    return opened
  } catch (error) {
    await recorder.close()
    throw error
  }
}

function secondsRecorded(events: readonly RecorderEvent[]): number {
  const last = events.findLast((event) => event.type === 'progress')
  return last?.type === 'progress' ? last.seconds : 0
}

export async function until(condition: () => boolean | Promise<boolean>, deadlineMs = 20_000): Promise<void> {
  const deadline = Date.now() + deadlineMs
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`Not true within ${deadlineMs} ms: ${condition}`)
    await sleep(10)
  }
}

/** Running children of a process, by the name of their program. */
export async function childrenOf(parent: number, program: string): Promise<number[]> {
  const found: number[] = []
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    const stat = await readFile(`/proc/${entry}/stat`, 'latin1').catch(() => '')
    const [, name, state, parentPid] = /^\d+ \((.*)\) (\w) (\d+)/s.exec(stat) ?? []
    if (name === program && state !== 'Z' && Number(parentPid) === parent) found.push(Number(entry))
  }
  return found
}

export async function oneChild(program: string, parent = process.pid): Promise<number> {
  const [pid, ...others] = await childrenOf(parent, program)
  if (pid === undefined || others.length > 0) throw new Error(`Not one ${program} but ${[pid, ...others]}`)
  return pid
}
