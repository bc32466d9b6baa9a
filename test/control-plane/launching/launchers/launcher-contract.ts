/** The contract of every launcher, for every engine. Each test opens a separate bench. */
import { randomUUID } from 'node:crypto'
import type { EndEvidence, Launcher, LaunchHandle } from '@standin/control-plane/platform/ports.ts'
import { type Job, jobSchema } from '@standin/wire/job.ts'
import { describe, expect, onTestFinished, test } from 'vitest'

/** The behaviour of a bot: exits at once with a code, waits for SIGTERM, ignores it, or uses up its memory. */
export type Does = 'exit:0' | 'exit:3' | 'wait' | 'ignore' | 'eat'

export interface LauncherBench {
  launcher: Launcher
  job(does: Does, says?: string): Job
  /** Another launcher of the same installation, as after a restart of the service. */
  reopen(): Promise<Launcher>
  /** A launcher of another installation, beside this one as far as its engine lets them meet. */
  stranger(): Promise<Launcher>
  /** Resolves when the bot is so far that it handles signals. */
  whenWaiting(handle: LaunchHandle): Promise<void>
  /** How many bots began to run under the name. */
  runs(handle: LaunchHandle): Promise<number>
  /** Makes the engine unreachable, and reachable again; null if there is none beside the launcher. */
  engine: { leave(): Promise<void>; comeBack(): Promise<void> } | null
  /** Whether `eat` really ends for lack of memory. */
  runsOutOfMemory: boolean
  /** Whether a log is kept. */
  keepsLogs: boolean
  /** The engine itself breaks characters where it breaks long lines. */
  breaksCharacters?: boolean
  /** Kills what is left. */
  close(): Promise<void>
}

export function plainJob(values: Record<string, unknown> = {}): Job {
  return jobSchema.parse({
    bot_id: randomUUID(),
    meeting_url: 'https://meet.google.com/abc-defg-hij',
    storage: { type: 'folder', path: '/nowhere' },
    ...values,
  })
}

/** `skipped`: why the test cannot run here; null if it can. */
export function describeLauncher(
  name: string,
  openBench: (limits: { maxBots: number }) => Promise<LauncherBench>,
  skipped: string | null = null,
): void {
  const title = skipped === null ? `the ${name} launcher` : `the ${name} launcher (skipped: ${skipped})`

  async function bench(maxBots = 20): Promise<LauncherBench> {
    const opened = await openBench({ maxBots })
    onTestFinished(() => opened.close())
    return opened
  }

  const launch = (launcher: Launcher, job: Job, attempt = 1): Promise<LaunchHandle> =>
    launcher.start({ botId: job.bot_id, attempt, job })

  async function ended(launcher: Launcher, handle: LaunchHandle): Promise<EndEvidence> {
    await expect.poll(async () => (await launcher.inspect(handle)).state, { timeout: 60_000 }).toBe('ended')
    const state = await launcher.inspect(handle)
    if (state.state !== 'ended') throw new Error(`The bot is ${state.state}`)
    return state.evidence
  }

  describe.skipIf(skipped !== null)(title, () => {
    test('a bot that ends by itself leaves its exit code and its time', async () => {
      const { launcher, job } = await bench()
      const before = Date.now()
      const first = await launch(launcher, job('exit:3'))
      const second = await launch(launcher, job('exit:0'))
      expect(first.name).toMatch(/^standin-[0-9a-f-]{36}-1$/)
      const evidence = await ended(launcher, first)
      expect(evidence).toMatchObject({ exitCode: 3, signal: null, isOutOfMemory: false })
      // The clocks of engine and test may differ a little.
      expect(evidence.endedAt!.getTime()).toBeGreaterThan(before - 2000)
      expect(evidence.reason).toContain('3')
      expect(await ended(launcher, second)).toMatchObject({ exitCode: 0, signal: null })
    })

    test('one name has one bot, however often and by however many launchers it is started', async () => {
      const { launcher, job, reopen, whenWaiting, runs } = await bench()
      const other = await reopen()
      const wanted = job('wait')
      const handles = await Promise.all([launcher, other, launcher].map((each) => launch(each, wanted)))
      for (const handle of handles) expect(handle).toEqual(handles[0])
      await whenWaiting(handles[0]!)
      expect(await launch(other, wanted)).toEqual(handles[0])
      expect(await runs(handles[0]!)).toBe(1)
      expect(await launcher.list()).toHaveLength(1)
    })

    test('a bot that was started once is not started again when it has ended', async () => {
      const { launcher, job, runs } = await bench()
      const wanted = job('exit:0')
      const handle = await launch(launcher, wanted)
      await ended(launcher, handle)
      expect(await launch(launcher, wanted)).toEqual(handle)
      expect((await launcher.inspect(handle)).state).toBe('ended')
      expect(await runs(handle)).toBe(1)
    })

    test('attempts of one bot are separate bots', async () => {
      const { launcher, job } = await bench()
      const wanted = job('wait')
      const [first, second] = [await launch(launcher, wanted, 1), await launch(launcher, wanted, 2)]
      await launcher.kill(first)
      await ended(launcher, first)
      // A process that has not taken its first steps yet is unknown.
      await expect.poll(() => launcher.inspect(second)).toEqual({ state: 'running' })
    })

    test('SIGTERM lets the bot end in its own way', async () => {
      const { launcher, job, whenWaiting } = await bench()
      const handle = await launch(launcher, job('wait'))
      await whenWaiting(handle)
      expect(await launcher.inspect(handle)).toEqual({ state: 'running' })
      await launcher.stop(handle, 120_000)
      expect(await ended(launcher, handle)).toMatchObject({ exitCode: 0, signal: null, isOutOfMemory: false })
    })

    test('a bot that ignores SIGTERM is killed after the patience', async () => {
      const { launcher, job, whenWaiting } = await bench()
      const handle = await launch(launcher, job('ignore'))
      await whenWaiting(handle)
      await launcher.stop(handle, 300)
      expect(await ended(launcher, handle)).toMatchObject({ exitCode: null, signal: 'SIGKILL', isOutOfMemory: false })
    })

    test('a kill is at once, and may be repeated', async () => {
      const { launcher, job, whenWaiting } = await bench()
      const handle = await launch(launcher, job('ignore'))
      await whenWaiting(handle)
      await Promise.all([launcher.kill(handle), launcher.kill(handle)])
      const evidence = await ended(launcher, handle)
      expect(evidence).toMatchObject({ exitCode: null, signal: 'SIGKILL', isOutOfMemory: false })
      await launcher.kill(handle)
      await launcher.stop(handle, 0)
      expect(await ended(launcher, handle)).toMatchObject({ signal: 'SIGKILL' })
    })

    test('a bot that is killed right after its start does not run', async () => {
      const { launcher, job } = await bench()
      const handles = await Promise.all([1, 2, 3].map(() => launch(launcher, job('ignore'))))
      await Promise.all(handles.map((handle) => launcher.kill(handle)))
      for (const handle of handles) expect(await ended(launcher, handle)).toMatchObject({ signal: 'SIGKILL' })
    })

    test('the end of a bot that ran out of memory says so', async ({ skip }) => {
      const { launcher, job, runsOutOfMemory } = await bench()
      if (!runsOutOfMemory) skip('memory has no limit here')
      const evidence = await ended(launcher, await launch(launcher, job('eat')))
      expect(evidence.isOutOfMemory).toBe(true)
    })

    test('a name that was never started is absent, and may be stopped, killed and cleaned', async () => {
      const { launcher, job } = await bench()
      const real = await launch(launcher, job('exit:0'))
      const handle = { ...real, name: `standin-${randomUUID()}-1` }
      expect(await launcher.inspect(handle)).toEqual({ state: 'absent' })
      await launcher.stop(handle, 0)
      await launcher.kill(handle)
      await launcher.clean(handle)
      expect(await launcher.inspect(handle)).toEqual({ state: 'absent' })
    })

    test('after a restart running and ended bots are found, listed and obeyed', async () => {
      const { launcher, job, reopen, whenWaiting } = await bench()
      const [first, second] = [job('wait'), job('exit:3')]
      const running = await launch(launcher, first)
      const over = await launch(launcher, second, 7)
      await ended(launcher, over)
      await whenWaiting(running)

      const next = await reopen()
      const bots = [
        { botId: first.bot_id, attempt: 1, handle: running },
        { botId: second.bot_id, attempt: 7, handle: over },
      ]
      const listed = await next.list()
      expect(listed).toHaveLength(2)
      expect(listed).toEqual(expect.arrayContaining(bots))
      expect(await next.inspect(running)).toEqual({ state: 'running' })
      expect(await ended(next, over)).toMatchObject({ exitCode: 3 })
      await next.stop(running, 120_000)
      expect(await ended(next, running)).toMatchObject({ exitCode: 0 })
    })

    test('what runs is not removed; what has ended is, for every launcher', async () => {
      const { launcher, job, reopen } = await bench()
      const running = await launch(launcher, job('wait'))
      const over = await launch(launcher, job('exit:0'))
      await ended(launcher, over)
      await launcher.clean(running)
      await launcher.clean(over)
      await launcher.clean(over)
      expect(await launcher.inspect(over)).toEqual({ state: 'absent' })
      expect((await launcher.list()).map(({ handle }) => handle)).toEqual([running])
      expect((await (await reopen()).list()).map(({ handle }) => handle)).toEqual([running])
      expect(await launcher.inspect(running)).toEqual({ state: 'running' })
    })

    test("the bots of another installation are not this one's", async () => {
      const { launcher, job, stranger, whenWaiting } = await bench()
      const handle = await launch(launcher, job('wait'))
      await whenWaiting(handle)
      const other = await stranger()
      expect(await other.list()).toEqual([])
      // Neither "running" nor "ended": a launcher must not judge a bot that is not its own.
      expect(['absent', 'unknown']).toContain((await other.inspect(handle)).state)
      await other.stop(handle, 0)
      await other.kill(handle)
      await other.clean(handle)
      expect(await launcher.inspect(handle)).toEqual({ state: 'running' })
      expect(await launcher.list()).toHaveLength(1)
    })

    test('where the limit is reached there is no room, also for starts at the same time', async () => {
      const { launcher, job } = await bench(2)
      const results = await Promise.allSettled([1, 2, 3, 4].map(() => launch(launcher, job('wait'))))
      const started = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
      const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as Error] : []))
      expect(started).toHaveLength(2)
      for (const error of refused) expect(error.name).toBe('NoRoom')
      expect(await launcher.list()).toHaveLength(2)
      expect(await launcher.capacity()).toMatchObject({ limit: 2, free: 0 })
      await launcher.kill(started[0]!)
      await ended(launcher, started[0]!)
      expect(await launcher.capacity()).toMatchObject({ limit: 2, free: 1 })
      await launch(launcher, job('exit:0'))
    })

    test('of a long log the last 64 KiB are kept, in whole characters', async ({ skip }) => {
      const { launcher, job, keepsLogs, breaksCharacters } = await bench()
      if (!keepsLogs) skip('simulated bots have no log')
      const handle = await launch(launcher, job('exit:0', `start${'ü'.repeat(60_000)}end`))
      const { logTail } = await ended(launcher, handle)
      expect(Buffer.byteLength(logTail!)).toBeLessThanOrEqual(64 * 1024)
      expect(Buffer.byteLength(logTail!)).toBeGreaterThan(64 * 1024 - 4)
      // Docker leaves out the end of a line that is longer than 16 KiB.
      const cut = breaksCharacters ? /^[ü\uFFFD]+end\n?$/ : /^ü+end\n?$/
      expect(cut.test(logTail!)).toBe(true)
    })

    test('while the engine is away nothing is said to have ended, and bots wait', async ({ skip }) => {
      const { launcher, job, engine, whenWaiting } = await bench()
      if (engine === null) skip('this launcher has no engine beside it')
      const running = await launch(launcher, job('wait'))
      const over = await launch(launcher, job('exit:3'))
      await whenWaiting(running)
      await ended(launcher, over)
      const late = job('exit:0')

      await engine!.leave()
      for (const handle of [running, over]) expect((await launcher.inspect(handle)).state).toBe('unknown')
      await expect(launch(launcher, late)).rejects.toMatchObject({ name: 'NoRoom' })
      await expect(launcher.list()).rejects.toThrow()
      await expect(launcher.kill(running)).rejects.toThrow()
      await expect(launcher.clean(over)).rejects.toThrow()
      expect(await launcher.capacity()).toBe(null)

      await engine!.comeBack()
      expect(await launcher.inspect(running)).toEqual({ state: 'running' })
      expect(await ended(launcher, over)).toMatchObject({ exitCode: 3 })
      expect(await ended(launcher, await launch(launcher, late))).toMatchObject({ exitCode: 0 })
      expect(await launcher.list()).toHaveLength(3)
    })
  })
}
