/** The contract with a launcher: the table of exit codes in docs/control-link.md, row by row. */
import { readFile } from 'node:fs/promises'
import { type ErrorCode, NORMAL_END_CODES } from '@standin/wire/codes.ts'
import { expect, test } from 'vitest'
import { BotError } from '../../../packages/core/errors.ts'
import { StorageError } from '../../../src/storage/error.ts'
import { grown, IN_WAITING_ROOM, untilStopped, World } from '../../fakes/world.ts'
import { recording } from './recording-bot.ts'

type Row = [
  what: string,
  setUp: Partial<World>,
  happens: (world: World) => unknown,
  exit: number,
  code: ErrorCode | null,
]

/** The exit code, and what a launcher reads at the end of the journal. */
async function endOf(world: World) {
  const { exitCode } = await world.end()
  const [change, report] = world.events
    .filter(({ type }) => type === 'status_change' || type === 'final_report')
    .slice(-2)
  if (change?.type !== 'status_change' || report?.type !== 'final_report') throw new Error('The journal has no end')
  expect(world.events.at(-1)).toBe(report)
  expect(change.status).toBe(report.status)
  expect(change.end_code).toBe(report.end_code)
  expect(change.error_code ?? null).toBe(report.error_code)
  const { status, error_code, error_message, duration_seconds } = report
  return { exitCode, status, error_code, hasRecorded: duration_seconds !== null, message: error_message }
}

const failing = (message: string) => () => Promise.reject(new Error(message))

test.each<Row>([
  ['that is stored', {}, (it) => it.stop('command'), 0, null],
  ['that an interrupt ends', {}, (it) => it.stop('interrupt'), 0, null],
  ['that SIGTERM ends', {}, (it) => it.stop('terminate'), 4, 'SIGTERM'],
  ['that ended before SIGTERM', {}, (it) => [it.stop('command'), it.stop('terminate')], 0, null],
  [
    'with a transcript that fails',
    { transcribe: failing('why') },
    (it) => it.stop('command'),
    4,
    'TRANSCRIPTION_FAILED',
  ],
  ['whose files cannot be made', { finish: failing('why') }, (it) => it.stop('command'), 4, 'INTERNAL_ERROR'],
  [
    'with a file that cannot be stored',
    { finish: async () => ({ files: [grown('audio.m4a')], problem: new Error('why') }) },
    (it) => it.stop('command'),
    4,
    'INTERNAL_ERROR',
  ],
  [
    'whose place takes no more',
    {},
    (it) => it.emitRecorder({ type: 'failed', lost: 'place', error: new Error('why') }),
    4,
    'INTERNAL_ERROR',
  ],
  [
    'whose page is lost',
    {},
    (it) => it.emit({ type: 'failed', error: new BotError('INTERNAL_ERROR', 'why') }),
    4,
    'INTERNAL_ERROR',
  ],
  ['in which a defect shows', {}, (it) => it.throwUncaught(new TypeError('why')), 70, 'INTERNAL_ERROR'],
])('a recording %s', async (_, setUp, happens, exitCode, error_code) => {
  const sound = async () => ({ files: [grown('audio.m4a')], problem: null })
  const world = await recording({ finish: sound, ...setUp }, { transcription: {} }, 10)
  happens(world)
  const { message, ...end } = await endOf(world)
  const status = error_code === null ? 'completed' : 'failed'
  expect(end).toEqual({ exitCode, status, error_code, hasRecorded: true })
  if (exitCode >= 4 && error_code !== 'SIGTERM') expect(message).toContain('why')
  expect(world.calls).toContain('leave')
  // Evidence is of a page that is still open.
  expect(world.calls.includes('evidence')).toBe(error_code === 'INTERNAL_ERROR' && !('finish' in setUp))
  expect(world.stored).toContain('manifest.json')
  const artifacts = world.events.flatMap((event) => (event.type === 'artifact' ? [event.artifact.name] : []))
  if (world.stored.includes('audio.m4a')) expect(artifacts).toContain('audio.m4a')
})

test.each<Row>([
  ['a command', IN_WAITING_ROOM, (it) => it.stop('command'), 0, 'EXITING_MEETING_BEFORE_RECORD'],
  ['an interrupt', IN_WAITING_ROOM, (it) => it.stop('interrupt'), 0, 'EXITING_MEETING_BEFORE_RECORD'],
  ['SIGTERM', IN_WAITING_ROOM, (it) => it.stop('terminate'), 0, 'SIGTERM'],
  [
    'an order while the page loads',
    { join: untilStopped },
    (it) => it.command({ type: 'leave' }),
    0,
    'EXITING_MEETING_BEFORE_RECORD',
  ],
])('before a recording, %s', async (_, setUp, happens, exitCode, error_code) => {
  const world = new World(setUp)
  await world.clock.advance(1000)
  happens(world)
  expect(await endOf(world)).toMatchObject({ exitCode, status: 'failed', error_code, hasRecorded: false })
  expect(world.calls).toContain('leave')
})

const storage = (error: Error) => ({ prepareStorage: () => Promise.reject(error) })
test.each<[string, Partial<World>, number, ErrorCode]>([
  ['not let in', { join: () => Promise.reject(new BotError('LOGIN_REQUIRED', 'sign in')) }, 3, 'LOGIN_REQUIRED'],
  ['with a defect', { openMeeting: () => Promise.reject(new TypeError('undefined')) }, 70, 'INTERNAL_ERROR'],
  ['whose storage cannot be written', storage(new Error('no space')), 3, 'INTERNAL_ERROR'],
  ['whose storage refuses access', storage(new StorageError('access', 'denied')), 3, 'INTERNAL_ERROR'],
  ['whose storage is away', storage(new StorageError('unreachable', 'no answer')), 3, 'INTERNAL_ERROR'],
  ['whose job names a wrong storage', storage(new StorageError('missing', 'no bucket')), 2, 'INTERNAL_ERROR'],
])('a bot %s', async (_, setUp, exitCode, error_code) => {
  const world = new World(setUp)
  expect(await endOf(world)).toMatchObject({ exitCode, status: 'failed', error_code, hasRecorded: false })
  expect(world.calls.includes('open meeting')).toBe(!('prepareStorage' in setUp))
  expect(world.calls).not.toContain('start recording')
  expect(world.calls).toContain('close recorder')
  expect(world.stored).toContain('debug/failure.json')
})

test('the table has a row for every exit code, and the first one names every normal end', async () => {
  const page = await readFile(new URL('../../../docs/control-link.md', import.meta.url), 'utf8')
  const table = page.slice(page.indexOf('## For a launcher'), page.indexOf('| request '))
  const rows = [...table.matchAll(/^\| (\d+)[^|]*\|.*$/gm)]
  expect(rows.map(([, code]) => Number(code))).toEqual([0, 0, 2, 3, 4, 70, 143, 137])
  for (const code of NORMAL_END_CODES) expect(rows[0]![0]).toContain(code)
})
