import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createProcessMeter, parseOwnBytes, parseSharedBytes } from '../../../src/usage/process-usage.ts'
import { temporaryFolder } from '../../fakes/at-end.ts'
import { until } from '../control-link/support.ts'
import { statLine } from './stat-line.ts'

test('memory is read in bytes, and a process without memory has none', () => {
  expect(parseSharedBytes('55d0-7ffe ---p 0 00:00 0 [rollup]\nRss:   900 kB\nPss:   512 kB\nPss_Anon: 8 kB\n')).toBe(
    524288,
  )
  expect(parseSharedBytes('')).toBeNull()
  expect(parseOwnBytes('VmRSS:\t   90 kB\nRssAnon:\t   51240 kB\nRssFile:\t 7 kB\n')).toBe(51_240 * 1024)
  expect(parseOwnBytes('Name:\tkthreadd\n')).toBe(0)
})

async function fakeProc() {
  const proc = temporaryFolder()
  await mkdir(join(proc, 'sys'))
  return {
    proc,
    async write(pid: number, parent: number, ticks: number, kiB: number) {
      await mkdir(join(proc, String(pid)), { recursive: true })
      await writeFile(join(proc, String(pid), 'stat'), statLine(pid, 'x', parent, [ticks, 0, 0, 0]))
      await writeFile(join(proc, String(pid), 'smaps_rollup'), `Rss: 999999 kB\nPss:\t${kiB} kB\n`)
    },
  }
}

test('time and memory are summed over the tree, and time is counted from one reading to the next', async () => {
  const { proc, write } = await fakeProc()
  await write(5, 1, 1_000, 100)
  await write(6, 5, 2_000, 50)
  await write(7, 1, 9_000_000, 7_000)
  const meter = createProcessMeter(5, proc, 0)
  expect(await meter.read()).toEqual({ cpuPercent: 0, coreSeconds: 30, memoryBytes: 150 * 1024 })
  await write(6, 5, 1_002_000, 80)
  const second = await meter.read()
  expect(second).toMatchObject({ memoryBytes: 180 * 1024, coreSeconds: 10_030 })
  expect(second.cpuPercent).toBeGreaterThan(0)
  // A process that ends unseen takes no time with it.
  await rm(join(proc, '6'), { recursive: true })
  expect(await meter.read()).toMatchObject({ cpuPercent: 0, coreSeconds: 10_030, memoryBytes: 100 * 1024 })
})

test('memory is read no more often than said, unless it is asked for', async () => {
  const { proc, write } = await fakeProc()
  await write(5, 1, 1, 100)
  const meter = createProcessMeter(5, proc, 3_600_000)
  await meter.read()
  await write(5, 1, 1, 200)
  expect(await meter.read()).toMatchObject({ memoryBytes: 100 * 1024 })
  expect(await meter.read(true)).toMatchObject({ memoryBytes: 200 * 1024 })
})

test('a process whose shared pages may not be read counts with its own', async () => {
  const { proc, write } = await fakeProc()
  await write(5, 1, 1, 100)
  await write(6, 5, 1, 0)
  await rm(join(proc, '6', 'smaps_rollup'))
  await writeFile(join(proc, '6', 'status'), 'VmRSS: 900 kB\nRssAnon: 11 kB\n')
  expect((await createProcessMeter(5, proc).read()).memoryBytes).toBe(111 * 1024)
})

test('without /proc the meter reports this process alone', async () => {
  const usage = await createProcessMeter(process.pid, join(temporaryFolder(), 'missing')).read()
  expect(usage.memoryBytes).toBeGreaterThan(1024 * 1024)
  expect(usage.coreSeconds).toBeGreaterThan(0)
})

test('a busy grandchild of this process is seen in time and memory, and its time stays after it was killed', async () => {
  const meter = createProcessMeter(process.pid, '/proc', 0)
  const before = await meter.read()
  const busy =
    'const kept = Buffer.alloc(64e6, 1); console.log("busy"); for (const end = Date.now() + 60_000; Date.now() < end; ) kept[0]++'
  const run = `require("child_process").spawn(process.execPath, ["-e", ${JSON.stringify(busy)}], {stdio: "inherit"}); process.stdin.resume()`
  const child = spawn(process.execPath, ['-e', run], { stdio: ['pipe', 'pipe', 'inherit'], detached: true })
  onTestFinished(() => endGroup(child))
  await new Promise((resolve) => child.stdout!.once('data', resolve))
  await until(async () => {
    const usage = await meter.read()
    expect(usage.cpuPercent).toBeGreaterThan(5)
    expect(usage.coreSeconds).toBeGreaterThan(before.coreSeconds + 0.5)
    expect(usage.memoryBytes).toBeGreaterThan(before.memoryBytes! + 60e6)
  })
  const seen = (await meter.read()).coreSeconds
  const exited = new Promise((resolve) => child.once('exit', resolve))
  endGroup(child)
  await exited
  await until(async () => expect((await meter.read()).memoryBytes).toBeLessThan(before.memoryBytes! + 60e6))
  expect((await meter.read()).coreSeconds).toBeGreaterThanOrEqual(seen)
})

function endGroup(child: ChildProcess): void {
  try {
    process.kill(-child.pid!, 'SIGKILL')
  } catch {
    // It is over.
  }
}
