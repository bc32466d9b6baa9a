import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type Supervised, type SupervisedOptions, supervise } from '../../../../packages/core/process/supervised.ts'

const ENVIRONMENT = { PATH: '/usr/bin:/bin' }

function shell(script: string, options: Partial<SupervisedOptions> = {}): Promise<Supervised> {
  return supervise({ name: 'test program', command: 'sh', args: ['-c', script], env: ENVIRONMENT, ...options })
}

/** Whether a process runs; one that merely waits to be collected by its parent does not. */
function runs(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX] /s.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
  } catch {
    return false
  }
}

const until = (condition: () => boolean) => expect.poll(condition, { timeout: 10_000 }).toBe(true)

/** Starts a script and waits for its first line, so that its traps are set. */
async function startSaying(script: string, options: Partial<SupervisedOptions> = {}) {
  const said: string[] = []
  const child = await shell(script, { lines: { 1: (line) => said.push(line) }, ...options })
  await until(() => said.length > 0)
  return { child, said }
}

test('a program that ends by itself has crashed, and its last output is reported', async () => {
  const child = await shell('echo working; echo out of paper >&2; exit 3')
  const ending = await child.ended
  expect(ending).toMatchObject({ how: 'died', exitCode: 3, signal: null })
  expect(ending.text).toMatch(/^The test program died \(exit code 3\): .*out of paper/)
  expect(child.ending()).toEqual(ending)
})

test('a program that obeys the polite request is closed by it', async () => {
  const { child } = await startSaying('echo up; read word; echo "$word"; exit 0', {
    stdin: true,
    stopSteps: [{ ask: (process) => process.stdin?.write('good night\n'), deadlineMs: 10_000 }],
  })
  expect(await child.stop()).toMatchObject({ how: 'closed', exitCode: 0, signal: null })
  expect(child.recentOutput()).toEqual(['up', 'good night'])
})

test('a program that works after the request gets more time; one that does nothing, or works too long, does not', async () => {
  const sleeps = 'echo up; read word; sleep 1000'
  const works = 'echo up; read word; at=0; while [ $at -lt $word ]; do at=$((at + 1)); done'
  const stopped = async (script: string, word: string, workingMs: number) => {
    const step = { ask: ({ stdin }: Supervised) => void stdin?.write(`${word}\n`), deadlineMs: 1_000, workingMs }
    const { child } = await startSaying(script, { stdin: true, stopSteps: [step] })
    return child.stop()
  }
  // Longer than the deadline. A program that waits for a processor is seen to be active once it has had its turn.
  expect(await stopped(works, '1000000', 600_000)).toMatchObject({ exitCode: 0, signal: null })
  expect(await stopped(sleeps, 'sleep', 600_000)).toMatchObject({ signal: 'SIGKILL' })
  expect(await stopped(works, '3000000000', 1_000)).toMatchObject({ signal: 'SIGKILL' })
}, 600_000)

test('a program that ignores every request and signal is killed, and its children with it', async () => {
  const { child, said } = await startSaying("trap '' INT TERM; sleep 1000 & echo $!; wait; wait; wait", {
    stopSteps: [
      {
        ask: () => {
          throw new Error('nobody listens')
        },
        deadlineMs: 20,
      },
      { ask: 'SIGINT', deadlineMs: 50 },
      { ask: 'SIGTERM', deadlineMs: 50 },
    ],
  })
  expect(await child.stop()).toMatchObject({ how: 'closed', signal: 'SIGKILL' })
  await until(() => !runs(child.pid) && !runs(Number(said[0])))
})

test('children of a program that crashes are ended too', async () => {
  const { child, said } = await startSaying('sleep 1000 & echo $!; exit 1')
  expect((await child.ended).how).toBe('died')
  await until(() => !runs(Number(said[0])))
})

test('stopping twice, or after the end, gives the same ending', async () => {
  const { child } = await startSaying('echo up; exec sleep 1000')
  const [first, second] = await Promise.all([child.stop(), child.stop()])
  expect(first).toBe(second)
  expect(await child.stop()).toBe(first)

  const dead = await shell('exit 7')
  const ending = await dead.ended
  expect(await dead.stop()).toBe(ending)
  expect(ending.how).toBe('died')
})

test('a missing program is reported by its name and never becomes ready', async () => {
  const [name, command] = ['missing program', 'standin-no-such-program']
  const starting = supervise({ name, command, args: [], env: ENVIRONMENT, ready: () => new Promise(() => {}) })
  await expect(starting).rejects.toThrow(/missing program.*standin-no-such-program/)
})

test('a program that is not ready in time is killed, and its last output is reported', async () => {
  let pid = 0
  await expect(
    shell('echo still warming up; exec sleep 1000', {
      ready: (child) => {
        pid = child.pid
        return new Promise(() => {})
      },
      readyDeadlineMs: 300,
    }),
  ).rejects.toThrow(/was not ready within 0.3 s: still warming up/)
  expect(runs(pid)).toBe(false)
})

test('waiting for readiness ends with the signal', async () => {
  const abort = new AbortController()
  let pid = 0
  const starting = shell('exec sleep 1000', {
    signal: abort.signal,
    ready: (child) => {
      pid = child.pid
      abort.abort(new Error('asked to stop'))
      return new Promise(() => {})
    },
  })
  await expect(starting).rejects.toThrow('asked to stop')
  expect(runs(pid)).toBe(false)
})

test('a program that spews output is read to its end without keeping it all', async () => {
  let lines = 0
  const child = await shell('seq 1 200000; head -c 300000 /dev/zero | tr "\\0" x', { lines: { 1: () => lines++ } })
  expect((await child.ended).exitCode).toBe(0)
  expect(lines).toBe(200_001)
  const recent = child.recentOutput()
  expect(recent.length).toBeLessThanOrEqual(60)
  expect(recent.at(-2)).toBe('200000')
  expect(Math.max(...recent.map((line) => line.length))).toBeLessThanOrEqual(4_000)
})

test('text on further descriptors and bytes on standard output reach who asked for them', async () => {
  const reported: string[] = []
  const child = await shell('printf "a\\000b"; echo progress >&3', {
    extraPipes: 1,
    binaryStdout: true,
    lines: { 3: (line) => reported.push(line) },
  })
  const chunks: Buffer[] = []
  for await (const chunk of child.stdout!) chunks.push(chunk as Buffer)
  await child.ended
  expect(Buffer.concat(chunks)).toEqual(Buffer.from('a\0b'))
  expect(reported).toEqual(['progress'])
  expect(child.recentOutput()).toEqual([])
})

test('no environment variable of the worker is inherited', async () => {
  process.env.STANDIN_TEST_SECRET = 'hunter2'
  try {
    const child = await supervise({ name: 'env', command: 'env', args: [], env: { ...ENVIRONMENT, LANG: 'C' } })
    await child.ended
    expect(child.recentOutput().sort()).toEqual(['LANG=C', 'PATH=/usr/bin:/bin'])
  } finally {
    delete process.env.STANDIN_TEST_SECRET
  }
})

test('no child outlives its parent, even one that is killed with SIGKILL', async () => {
  const supervised = new URL('../../../../packages/core/process/supervised.ts', import.meta.url)
  const script = `
    const { supervise } = await import(${JSON.stringify(supervised.href)})
    const child = await supervise({ name: 'orphan', command: 'sleep', args: ['1000'], env: { PATH: '/usr/bin:/bin' } })
    console.log(child.pid)
    setInterval(() => {}, 1000)
  `
  const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [output] = (await once(parent.stdout, 'data')) as [Buffer]
  const pid = Number(output)
  expect(runs(pid)).toBe(true)
  parent.kill('SIGKILL')
  await until(() => !runs(pid))
})

test('an interrupt at the terminal does not reach a child, because it is in another process group', async () => {
  const { child } = await startSaying('echo up; exec sleep 1000')
  const groupOf = (pid: number | 'self') =>
    readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)!.split(' ')[2]
  expect(groupOf(child.pid)).toBe(String(child.pid))
  expect(groupOf(child.pid)).not.toBe(groupOf('self'))
  await child.stop()
})
