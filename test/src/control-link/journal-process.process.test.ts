/** The journal under what happens to a process: a SIGKILL at any moment, and a disk that fills up and is cleared. */

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { JOURNAL_NAME, Journal } from '../../../src/control-link/journal.ts'
import { temporaryFolder } from '../../fakes/at-end.ts'
import { BOT_ID, memoryLogger, notice, numbersUpTo, until } from './support.ts'

const FIXTURE = fileURLToPath(new URL('fixtures/report-events.ts', import.meta.url))

interface Reporting {
  child: ChildProcess
  /** The last number that the process said it had reported. */
  last(): number
  errors(): string
  ended: Promise<void>
}

function startReporting(folder: string, length: number, limit = ''): Reporting {
  const args = [process.execPath, FIXTURE, folder, BOT_ID, String(length)]
  const child = spawn('sh', ['-c', `${limit} exec "$@"`, 'sh', ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  let said = ''
  let errors = ''
  child.stdout!.on('data', (text) => (said += text))
  child.stderr!.on('data', (text) => (errors += text))
  return {
    child,
    last: () => Number(said.slice(0, said.lastIndexOf('\n')).split('\n').at(-1)),
    errors: () => errors,
    ended: new Promise((resolve) => child.once('close', () => resolve())),
  }
}

async function numbersIn(folder: string): Promise<number[]> {
  const text = await readFile(join(folder, JOURNAL_NAME), 'utf8')
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line).seq)
}

test('reported events are on disk after a SIGKILL at any moment', async () => {
  const folder = temporaryFolder()
  let before = 0
  for (const length of [10, 3_000, 100_000]) {
    const reporting = startReporting(folder, length)
    await until(() => expect(reporting.last()).toBeGreaterThan(before + 100))
    reporting.child.kill('SIGKILL')
    await reporting.ended
    const reported = reporting.last()
    const journal = new Journal({ folder, botId: BOT_ID, logger: memoryLogger() })
    await journal.close()
    // One more may be whole on disk: the process was killed before it could say so.
    expect([reported, reported + 1]).toContain(journal.lastSeq)
    expect(await numbersIn(folder)).toEqual(numbersUpTo(journal.lastSeq))
    before = journal.lastSeq
  }
})

test('when a disk is full for a while, every event of that while is written afterwards, once', async () => {
  const folder = temporaryFolder()
  // The limit of a process on the size of its files cuts a write in the middle, as a full disk does.
  const reporting = startReporting(folder, 3_000, 'ulimit -S -f 200;')
  await until(() => expect(reporting.errors()).toContain('An event cannot be written down'))
  const full = reporting.last()
  await until(() => expect(reporting.last()).toBeGreaterThan(full + 20))
  execFileSync('prlimit', ['--pid', String(reporting.child.pid), '--fsize=unlimited:unlimited'])
  const cleared = reporting.last()
  await until(() => expect(reporting.last()).toBeGreaterThan(cleared + 200))
  reporting.child.kill('SIGKILL')
  await reporting.ended
  const journal = new Journal({ folder, botId: BOT_ID, logger: memoryLogger() })
  journal.append(notice('and on'))
  await journal.close()
  expect(journal.lastSeq).toBeGreaterThan(cleared)
  expect(await numbersIn(folder)).toEqual(numbersUpTo(journal.lastSeq))
})
