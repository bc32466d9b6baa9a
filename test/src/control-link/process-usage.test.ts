import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import {
  createUsageMeter,
  type ProcessStat,
  parseResidentBytes,
  parseStat,
  treeOf,
} from '../../../src/control-link/process-usage.ts'
import { temporaryFolder, until } from './support.ts'

/** Fields 4 to 22 of proc(5): parent, then times at 14 to 17, start at 22. */
function statLine(pid: number, name: string, parent: number, times: [number, number, number, number], start = 900) {
  return `${pid} (${name}) S ${parent} 1 1 0 -1 4194560 1 2 3 4 ${times.join(' ')} 20 0 1 0 ${start} 123456 789 18446744073709551615\n`
}

test('a stat line gives parent, times of itself and of waited-for children, and start', () => {
  expect(parseStat(statLine(4711, 'ffmpeg', 42, [100, 20, 3, 4], 998))).toEqual({
    pid: 4711,
    parentPid: 42,
    ticks: 127,
    startedAt: 998,
  })
})

test.each(['a b', 'x) S 1 (y', '((', '))', 'new\nline', ''])(
  'a program named %j does not confuse the fields',
  (name) => {
    expect(parseStat(statLine(7, name, 42, [1, 2, 3, 4]))).toMatchObject({ pid: 7, parentPid: 42, ticks: 10 })
  },
)

test.each(['', 'nonsense', '12 (cut', '12 (short) S 1 2 3', '12 (words) S one two'])('%j is no stat line', (text) => {
  expect(parseStat(text)).toBeNull()
})

test('resident memory is read in bytes, and a process without memory has none', () => {
  expect(parseResidentBytes('Name:\tnode\nVmPeak:\t  9 kB\nVmRSS:\t   51240 kB\nThreads:\t7\n')).toBe(51_240 * 1024)
  expect(parseResidentBytes('Name:\tkthreadd\n')).toBe(0)
})

test('the tree is the root and its descendants, and no others', () => {
  const tree = treeOf([stat(1, 0), stat(10, 1), stat(11, 10), stat(12, 11), stat(20, 1), stat(21, 20)], 10, new Map())
  expect(tree.map(({ pid }) => pid).sort()).toEqual([10, 11, 12])
})

test('a process that lost its parent still counts, but another one under its number does not', () => {
  const seen = new Map([
    [10, 5],
    [11, 6],
    [12, 7],
  ])
  const now = [stat(10, 1, 5), stat(11, 1, 6), stat(12, 1, 99), stat(13, 11, 8)]
  expect(treeOf(now, 10, seen).map(({ pid }) => pid)).toEqual([10, 11, 13])
})

test('processes that claim each other as parents do not hang the reading', () => {
  expect(treeOf([stat(10, 12), stat(11, 10), stat(12, 11)], 10, new Map())).toHaveLength(3)
})

test('time and memory are summed over the tree, and time is counted from one reading to the next', async () => {
  const proc = await temporaryFolder()
  const write = async (pid: number, parent: number, ticks: number, kiB: number) => {
    await mkdir(join(proc, String(pid)), { recursive: true })
    await writeFile(join(proc, String(pid), 'stat'), statLine(pid, 'x', parent, [ticks, 0, 0, 0]))
    await writeFile(join(proc, String(pid), 'status'), `VmRSS:\t${kiB} kB\n`)
  }
  await write(5, 1, 1_000, 100)
  await write(6, 5, 2_000, 50)
  await write(7, 1, 9_000_000, 7_000)
  await mkdir(join(proc, 'sys'))
  const meter = createUsageMeter(5, proc)
  expect(await meter.read()).toEqual({ cpuPercent: 0, memoryBytes: 150 * 1024 })
  await write(6, 5, 1_002_000, 80)
  const second = await meter.read()
  expect(second.memoryBytes).toBe(180 * 1024)
  expect(second.cpuPercent).toBeGreaterThan(0)
  // A process that goes away takes its time with it; a percentage is never negative.
  await write(6, 5, 1, 80)
  expect((await meter.read()).cpuPercent).toBe(0)
})

test('without /proc the meter reports this process alone', async () => {
  const usage = await createUsageMeter(process.pid, join(await temporaryFolder(), 'missing')).read()
  expect(usage.memoryBytes).toBeGreaterThan(1024 * 1024)
})

test('a busy grandchild of this process is seen in CPU and memory', async () => {
  const meter = createUsageMeter()
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
    expect(usage.memoryBytes).toBeGreaterThan(before.memoryBytes + 60e6)
  })
})

function stat(pid: number, parentPid: number, startedAt = 0): ProcessStat {
  return { pid, parentPid, ticks: 0, startedAt }
}

function endGroup(child: ChildProcess): void {
  process.kill(-child.pid!, 'SIGKILL')
}
