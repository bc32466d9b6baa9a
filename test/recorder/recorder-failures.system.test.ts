import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { systemClock } from '@standin/wire/time/deadline.ts'
import { afterEach, expect, test } from 'vitest'
import type { RecorderEvent } from '../../packages/core/recording.ts'
import { temporaryFolder } from '../fakes/at-end.ts'
import {
  childrenOf,
  closeEnvironments,
  growIn,
  oneChild,
  setUpEnvironment,
  type TestEnvironment,
  until,
} from '../media/capture-environment.ts'
import { measure } from '../media/probe.ts'
import { startToneAndFlash } from '../media/tone-and-flash.ts'

const undo: Array<() => unknown> = []
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
  await closeEnvironments()
})

function failures(events: readonly RecorderEvent[]): string[] {
  return events.flatMap((event) => (event.type === 'failed' ? [`${event.lost}: ${event.error.message}`] : []))
}

/** A fragment of half a second, and what the encoder holds back, is all that a kill may cost. */
const LOST_SECONDS = 1.5
/** Recorded between two deaths; several beeps and flashes. */
const SPAN_SECONDS = 3
const PERIOD_SECONDS = 0.8

const DEATHS = [
  { program: 'ffmpeg', signal: 'SIGKILL', says: /^encoder: The encoder died \(SIGKILL\)$/ },
  { program: 'Xvfb', signal: 'SIGKILL', says: /^environment: The display server died \(SIGKILL\)$/ },
  { program: 'pulseaudio', signal: 'SIGKILL', says: /^environment: The sound server died \(SIGKILL\)$/ },
  { program: 'ffmpeg', signal: 'SIGSTOP', says: /^encoder: The encoder stalled: no new output for 2 s$/ },
] as const

test('after each death of the encoder or a server, the recording until then plays, and the file continues', async () => {
  const limits = { standingStillMs: 2_000, encoderStopMs: 2_000 }
  const { recorder, events, environment, folder, recorded, finish, ...opened } = await setUpEnvironment({
    limits,
    periodSeconds: PERIOD_SECONDS,
  })
  let { source } = opened
  /** Seconds of the recording at which its spans end. */
  const ends = () => {
    let end = 0
    return recorder.spans().map(({ startedAt, endedAt }) => (end += (endedAt! - startedAt) / 1000))
  }
  await recorder.start()
  let before = 0
  for (const { program, signal, says } of DEATHS) {
    await recorded(before + SPAN_SECONDS)
    const known = failures(events).length
    process.kill(await oneChild(program), signal)
    await until(() =>
      failures(events)
        .slice(known)
        .some((failure) => says.test(failure)),
    )
    await recorder.pause()
    const end = ends().at(-1)!
    expect(end - before, program).toBeGreaterThan(SPAN_SECONDS - LOST_SECONDS)

    const isEnvironmentLost = says.source.startsWith('^environment')
    if (isEnvironmentLost) await expect(recorder.resume()).rejects.toThrow('no capture environment')
    const again = await recorder.prepare(new AbortController().signal)
    // Who listens to the sound server finds the next one where the last one was.
    expect(again).toEqual({ ...environment, display: again.display })
    source.close()
    source = await startToneAndFlash({ ...again, periodSeconds: PERIOD_SECONDS })
    const started = source
    undo.push(() => started.close())
    await recorder.resume()
    // The encoder may have reported the crash of the display first.
    const reported = failures(events).slice(known)
    expect(
      reported.filter((failure) => failure.startsWith(isEnvironmentLost ? 'environment' : 'encoder')),
    ).toHaveLength(1)
    before = end
  }
  await recorded(before + SPAN_SECONDS)
  expect(await finish()).toEqual(['video.mp4', 'audio.m4a'])

  const measured = await measure(join(folder, 'video.mp4'))
  const { frames, flashes, longestFrame } = measured.video!
  expect(recorder.spans()).toHaveLength(DEATHS.length + 1)
  expect(Math.abs(frames / 30 - ends().at(-1)!)).toBeLessThan(0.01)
  expect(longestFrame).toBeCloseTo(1 / 30, 4)
  expect(measured.isIndexFirst).toBe(true)
  for (const [place, end] of ends().entries()) {
    const start = ends()[place - 1] ?? 0
    const within = (at: number) => at >= start && at <= end
    expect(measured.audio.beeps.filter(within).length, `beeps from ${start}`).toBeGreaterThanOrEqual(1)
    expect(flashes.filter(within).length, `flashes from ${start}`).toBeGreaterThanOrEqual(1)
  }
})

test('a place that takes no more is one failure that says so, and what it took is a whole recording', async () => {
  const folder = temporaryFolder()
  const grow = growIn(folder)
  let appended = 0
  const { recorder, events, finish } = await setUpEnvironment({
    folder,
    grow: async (start) => {
      const file = await grow(start)
      const append = file.append.bind(file)
      file.append = (bytes) => (++appended > 12 ? Promise.reject(new Error('the disk is full')) : append(bytes))
      return file
    },
  })
  await recorder.start()
  await until(() => failures(events).length > 0, 60_000)
  expect(failures(events)).toEqual(['place: The recording cannot be kept: the disk is full'])
  await expect(recorder.resume()).rejects.toThrow('the disk is full')
  expect(await finish()).toEqual(['video.mp4', 'audio.m4a'])
  const measured = await measure(join(folder, 'video.mp4'))
  const [span] = recorder.spans()
  // Six fragments for each file; the span may count the one that the place refused.
  expect(measured.video!.frames / 30).toBeGreaterThan(2)
  expect(Math.abs((span!.endedAt! - span!.startedAt) / 1000 - measured.video!.frames / 30)).toBeLessThan(0.6)
})

test('a start that fails can be tried again', async () => {
  const { recorder, folder, recorded, finish } = await setUpEnvironment({ mode: 'audio_only' })
  // Without an answer from the sound server no encoder can begin before it is killed.
  process.kill(await oneChild('pulseaudio'), 'SIGSTOP')
  const encoder = recorder.start()
  const outcome = expect(encoder).rejects.toThrow('The encoder died')
  await until(async () => (await childrenOf(process.pid, 'ffmpeg')).length > 0)
  process.kill(await oneChild('ffmpeg'), 'SIGKILL')
  await outcome
  process.kill(await oneChild('pulseaudio'), 'SIGCONT')
  await recorder.start()
  await recorded(1)
  expect(await finish()).toEqual(['audio.m4a'])
  expect(await readdir(folder)).toEqual(['audio.m4a', 'work'])
})

test('an end that comes while an encoder starts does not wait for it', async () => {
  const { recorder, recorded, finish } = await setUpEnvironment({
    mode: 'audio_only',
    limits: { encoderStopMs: 2_000 },
  })
  await recorder.start()
  await recorded(1)
  await recorder.pause()
  process.kill(await oneChild('pulseaudio'), 'SIGSTOP')
  const outcome = expect(recorder.resume()).rejects.toThrow('The recording is finished')
  await until(async () => (await childrenOf(process.pid, 'ffmpeg')).length > 0)
  expect(await finish()).toEqual(['audio.m4a'])
  await outcome
})

test('a page that asks for any microphone does not get the meeting', async () => {
  const { environment } = await setUpEnvironment({ mode: 'audio_only' })
  const info = spawn('pactl', [`--server=unix:${environment.pulseServer}`, 'info'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  for await (const chunk of info.stdout) text += chunk
  expect(text).toContain('Default Sink: meeting\n')
  expect(text).toContain('Default Source: no_microphone\n')
})

type Reported = { type: string; [field: string]: unknown }

/** Starts `test/media/record.ts` as a separate process. */
async function startBot(folder: string, args: string[], as: string[] = []) {
  const script = fileURLToPath(new URL('../media/record.ts', import.meta.url))
  const [command, ...rest] = [...as, process.execPath, script, folder, ...args] as [string, ...string[]]
  const bot = spawn(command, rest, { stdio: ['ignore', 'pipe', 'inherit'], env: { PATH: '/usr/bin:/bin', HOME: '/' } })
  undo.push(() => bot.kill('SIGKILL'))
  const reported: Reported[] = []
  createInterface(bot.stdout).on('line', (line) => reported.push(JSON.parse(line) as Reported))
  const telling = async (isIt: (fact: Reported) => boolean): Promise<Reported> => {
    await until(() => reported.some(isIt) || bot.exitCode !== null, 60_000)
    const fact = reported.find(isIt)
    if (fact === undefined)
      throw new Error(`The bot ended with ${bot.exitCode} after ${JSON.stringify(reported.slice(-3))}`)
    return fact
  }
  return { bot, telling }
}

test('SIGKILL for the bot leaves no process behind and a file that plays', async () => {
  const folder = temporaryFolder()
  const { bot, telling } = await startBot(folder, ['speaker_view'])
  const { environment } = (await telling(({ type }) => type === 'environment')) as unknown as {
    environment: TestEnvironment['environment']
  }
  const source = await startToneAndFlash(environment)
  undo.push(() => source.close())
  await telling(({ type, seconds }) => type === 'progress' && Number(seconds) >= 4)
  const children = await Promise.all(['ffmpeg', 'Xvfb', 'pulseaudio'].map((program) => oneChild(program, bot.pid)))
  bot.kill('SIGKILL')
  await once(bot, 'exit')
  await until(() => children.every((pid) => !isRunning(pid)))

  for (const name of ['video.mp4', 'audio.m4a']) {
    const left = (await readdir(join(folder, 'spool'))).find((entry) => entry.startsWith(name))
    const asItIs = await measure(join(folder, 'spool', left!, 'growing'))
    const seconds = asItIs.video === null ? asItIs.audio.seconds : asItIs.video.frames / 30
    expect(seconds).toBeGreaterThan(4 - LOST_SECONDS)
    expect(asItIs.audio.beeps.length).toBeGreaterThanOrEqual(1)
  }
})

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

test('a user without a name and with a home folder that cannot be written records as well', async () => {
  const folder = temporaryFolder()
  const isRoot = process.getuid!() === 0
  if (isRoot) await chmod(folder, 0o777)
  const user = isRoot ? ['setpriv', '--reuid=12345', '--regid=12345', '--clear-groups', '--'] : []
  const { telling } = await startBot(folder, ['speaker_view', '3'], user)
  const { files } = (await telling(({ type }) => type === 'files')) as unknown as { files: Array<{ name: string }> }
  expect(files.map(({ name }) => name)).toEqual(['video.mp4', 'audio.m4a'])
  expect((await measure(join(folder, 'video.mp4'))).durationSeconds).toBeGreaterThan(1.5)
})

test.for([
  { stepMs: 3_600_000, says: /^encoder: The machine's clock was set 3600 s forward, and the encoder counts by it$/ },
  { stepMs: -5_000, says: /^encoder: The machine's clock was set 5 s back, and the encoder counts by it$/ },
])('a clock that is set by $stepMs ms costs the encoder, and moves no time', async ({ stepMs, says }) => {
  let step = 0
  // The machine's own clock must stay, so the time that the recorder counts moves away from it instead.
  const now = () => systemClock.now() - 7_200_000 - step
  const { recorder, events, recorded, finish } = await setUpEnvironment({
    clock: { ...systemClock, now },
    mode: 'audio_only',
  })
  const times = [now()]
  await recorder.start()
  await recorded(1)
  times.push(now())
  step = stepMs
  times.push(now())
  await until(() => failures(events).some((failure) => says.test(failure)))
  await recorder.pause()
  await recorder.resume()
  await recorded(2)
  await finish()
  times.push(now())
  const [first, second, ...others] = recorder.spans()
  expect(others).toEqual([])
  expect(first!.startedAt).toBeGreaterThanOrEqual(times[0]! - 1_000)
  expect(first!.startedAt).toBeLessThanOrEqual(times[1]! + 1_000)
  expect(second!.startedAt).toBeGreaterThanOrEqual(times[2]! - 1_000)
  expect(second!.endedAt).toBeLessThanOrEqual(times[3]! + 1_000)
})
