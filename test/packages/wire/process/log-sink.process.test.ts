/** Logs that cannot be written: a full disk, a reader that is gone, a closed file. */

import { execFileSync } from 'node:child_process'
import { openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LogSink } from '@standin/wire/process/log-sink.ts'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../../fakes/at-end.ts'

const KILOBYTE = `${'x'.repeat(1023)}\n`

/** Stays open: a sink that has lines tries them again, and the number of a closed file is given to the next one. */
const open = (path: string, flags = 'a') => openSync(path, flags)

test('lines are written in order and at once', () => {
  const path = join(temporaryFolder(), 'log')
  const sink = new LogSink(open(path))
  sink.write('one\n')
  sink.write('two\n')
  expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n')
  expect([sink.lost, sink.problem]).toEqual([0, null])
})

test('without room lines wait up to the limit, and further ones are counted', () => {
  const sink = new LogSink(open('/dev/full'), 4 * 1024)
  for (let index = 0; index < 10; index++) sink.write(KILOBYTE)
  expect(sink.lost).toBe(6)
  expect(sink.problem).toBe('The log cannot be written (ENOSPC): 4 lines wait, 6 are lost')
})

test('a file that cannot be written ends nothing', () => {
  const sink = new LogSink(open('/dev/null', 'r'))
  expect(() => sink.write('one\n')).not.toThrow()
  expect(sink.problem).toContain('EBADF')
})

const canMount = process.getuid?.() === 0
test.skipIf(!canMount)(
  'a full disk with room again has every line that waited, whole, and the number of the lost',
  async () => {
    const disk = temporaryFolder()
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk], { stdio: 'ignore' })
    } catch {
      // A container without the right to mount.
      return
    }
    onTestFinished(() => void execFileSync('umount', ['--lazy', disk]))
    const path = join(disk, 'log')
    writeFileSync(join(disk, 'data'), Buffer.alloc(40 * 1024))
    const sink = new LogSink(open(path), 8 * 1024)
    const line = (index: number) => `${String(index).padEnd(999)}\n`
    sink.onRecovery = (lines) => sink.write(`lost ${lines}\n`)
    for (let index = 0; index < 60; index++) sink.write(line(index))
    const { lost } = sink
    expect(lost).toBeGreaterThan(5)

    rmSync(join(disk, 'data'))
    // Without another line.
    await expect.poll(() => sink.problem, { timeout: 10_000 }).toBeNull()
    sink.write('last\n')
    const kept = Array.from({ length: 60 - lost }, (_, index) => line(index).trimEnd())
    const lines = readFileSync(path, 'utf8')
      .split('\n')
      .map((text) => text.trimEnd())
    expect(lines).toEqual([...kept, `lost ${lost}`, 'last', ''])
    expect(sink.lost).toBe(lost)
  },
)
