import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type ProcessStat, parseStat, TreeTime, treeOf } from '../../../src/usage/process-tree.ts'
import { statLine } from './stat-line.ts'

test('a stat line gives parent, own time, that of waited-for children, and start', () => {
  expect(parseStat(statLine(4711, 'ffmpeg', 42, [100, 20, 3, 4], 998))).toEqual({
    pid: 4711,
    parentPid: 42,
    ownTicks: 120,
    waitedTicks: 7,
    startedAt: 998,
  })
})

test.each(['a b', 'x) S 1 (y', '((', '))', 'new\nline', ''])(
  'a program named %j does not confuse the fields',
  (name) => {
    expect(parseStat(statLine(7, name, 42, [1, 2, 3, 4]))).toMatchObject({ pid: 7, parentPid: 42, ownTicks: 3 })
  },
)

test.each(['', 'nonsense', '12 (cut', '12 (short) S 1 2 3', '12 (words) S one two'])('%j is no stat line', (text) => {
  expect(parseStat(text)).toBeNull()
})

test('the tree is the root and its descendants, and no others', () => {
  const tree = treeOf([stat(1, 0), stat(10, 1), stat(11, 10), stat(12, 11), stat(20, 1), stat(21, 20)], 10, new Map())
  expect(tree.map(({ pid }) => pid).sort()).toEqual([10, 11, 12])
})

test('a process that lost its parent still counts, but another one under its number does not', () => {
  const seen = new Map([5, 6, 7].map((startedAt, index) => [10 + index, { startedAt }]))
  const now = [stat(10, 1, 5), stat(11, 1, 6), stat(12, 1, 99), stat(13, 11, 8)]
  expect(treeOf(now, 10, seen).map(({ pid }) => pid)).toEqual([10, 11, 13])
})

test('processes that claim each other as parents hang neither the reading nor the sum', () => {
  const ring = treeOf([stat(10, 12), stat(11, 10), stat(12, 11)], 10, new Map())
  expect(ring).toHaveLength(3)
  const time = new TreeTime()
  time.update(ring.map((one) => ({ ...one, ownTicks: 5 })))
  expect(time.update([])).toBe(15)
})

test('time of a child that ended is counted once: with its parent that waited, or as it was last seen', () => {
  const time = new TreeTime()
  expect(time.update([stat(1, 0, 0, 10), stat(2, 1, 0, 100), stat(3, 2, 0, 1000)])).toBe(1110)
  // Process 2 waited for 3, which used 50 more before it ended.
  expect(time.update([stat(1, 0, 0, 10), stat(2, 1, 0, 100, 1050)])).toBe(1160)
  // Process 2 was killed, and the root waited for it.
  expect(time.update([stat(1, 0, 0, 10, 1150)])).toBe(1160)
  // A new browser is killed together with its child, which is collected by a program outside.
  expect(time.update([stat(1, 0, 0, 10, 1150), stat(4, 1, 0, 70), stat(5, 4, 0, 30)])).toBe(1260)
  expect(time.update([stat(1, 0, 0, 10, 1220)])).toBe(1260)
})

test('a pid that is used again is another process', () => {
  const time = new TreeTime()
  time.update([stat(1, 0), stat(2, 1, 10, 500)])
  expect(time.update([stat(1, 0), stat(2, 1, 99, 3)])).toBe(503)
})

/** Processes of a drawn history; each step one of them works, begins a child, or ends. */
const step = fc.record({
  kind: fc.constantFrom('work', 'begin', 'end', 'read'),
  which: fc.nat(1000),
  ticks: fc.integer({ min: 0, max: 500 }),
  /** Whether the parent waits for a child that ends; else another program collects it. */
  isWaitedFor: fc.boolean(),
})

test('the sum never goes down and never exceeds the time that was really used, also if processes end or are restarted', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const time = new TreeTime()
      let processes = [stat(1, 0)]
      let [used, next, sum] = [0, 2, 0]
      const lost = new Map<number, number>()
      for (const { kind, which, ticks, isWaitedFor } of steps) {
        const one = processes[which % processes.length]!
        if (kind === 'work') {
          one.ownTicks += ticks
          used += ticks
        } else if (kind === 'begin') {
          processes.push(stat(next, one.pid, next++))
          // A process that was never seen and lost its parent cannot be found.
          sum = time.update(treeOf(structuredClone(processes), 1, time.seen))
        } else if (kind === 'end' && one.pid !== 1) {
          processes = processes.filter((other) => other !== one)
          for (const child of processes) if (child.parentPid === one.pid) child.parentPid = 0
          const parent = processes.find(({ pid }) => pid === one.parentPid)
          if (parent && isWaitedFor) parent.waitedTicks += one.ownTicks + one.waitedTicks
          else lost.set(one.pid, one.ownTicks + one.waitedTicks)
        } else if (kind === 'read') {
          const now = time.update(treeOf(structuredClone(processes), 1, time.seen))
          expect(now).toBeGreaterThanOrEqual(sum)
          expect(now).toBeLessThanOrEqual(used)
          sum = now
        }
      }
      // If everything was waited for, nothing is missing.
      if (lost.size === 0) expect(time.update(treeOf(structuredClone(processes), 1, time.seen))).toBe(used)
    }),
    { numRuns: 2000 },
  )
})

function stat(pid: number, parentPid: number, startedAt = 0, ownTicks = 0, waitedTicks = 0): ProcessStat {
  return { pid, parentPid, ownTicks, waitedTicks, startedAt }
}
