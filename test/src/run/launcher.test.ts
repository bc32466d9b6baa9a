/** The contract with a launcher: the table of exit codes in docs/control-link.md, row by row. */
import { readFile } from 'node:fs/promises'
import { NORMAL_END_CODES } from '@standin/wire/codes.ts'
import { describe, expect, test } from 'vitest'
import { BotError } from '../../../core/errors.ts'
import type { StopRequester } from '../../../core/process/stop-requests.ts'
import { grown, untilStopped, World } from '../../fakes/world.ts'

async function recording(setUp?: (world: World) => void, job?: Record<string, unknown>): Promise<World> {
  const world = new World(setUp, job)
  await world.untilStatus('in_call_recording')
  await world.pass(10, 2)
  return world
}

function inWaitingRoom(it: World): void {
  it.join = async () => 'waiting_room'
  it.waitForAdmission = untilStopped
}

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
  const { status, error_code, duration_seconds } = report
  return { exitCode, status, error_code, hasRecorded: duration_seconds !== null }
}

describe('exit code 0', () => {
  test('a recording that is stored', async () => {
    const world = await recording()
    world.stop('command')
    expect(await endOf(world)).toEqual({ exitCode: 0, status: 'completed', error_code: null, hasRecorded: true })
  })

  test.each([
    ['command', 'EXITING_MEETING_BEFORE_RECORD'],
    ['interrupt', 'EXITING_MEETING_BEFORE_RECORD'],
    ['terminate', 'SIGTERM'],
  ] as const)('a stop by %s before anything was recorded is %s', async (askedBy: StopRequester, error_code) => {
    const world = new World(inWaitingRoom)
    await world.untilStatus('in_waiting_room')
    world.stop(askedBy)
    expect(await endOf(world)).toEqual({ exitCode: 0, status: 'failed', error_code, hasRecorded: false })
    expect(world.calls).toContain('leave')
  })

  test('SIGTERM while the bot waits for its planned time', async () => {
    const world = new World(() => {}, { not_before: '2026-11-21T10:00:00Z' })
    await world.clock.advance(1_000)
    world.stop('terminate')
    expect(await endOf(world)).toMatchObject({ exitCode: 0, error_code: 'SIGTERM' })
    expect(world.calls).not.toContain('join')
  })
})

describe('exit code 3', () => {
  test('a bot that is not let in', async () => {
    const world = new World((it) => {
      it.join = () => Promise.reject(new BotError('LOGIN_REQUIRED', 'sign in'))
    })
    const end = { exitCode: 3, status: 'failed', error_code: 'LOGIN_REQUIRED', hasRecorded: false }
    expect(await endOf(world)).toEqual(end)
    expect(world.stored).toContain('debug/failure.json')
  })

  test('storage that cannot be written', async () => {
    const world = new World((it) => {
      it.prepareStorage = () => Promise.reject(new Error('no such bucket'))
    })
    expect(await endOf(world)).toMatchObject({ exitCode: 3, error_code: 'INTERNAL_ERROR', hasRecorded: false })
    expect(world.calls).not.toContain('join')
  })
})

describe('exit code 4', () => {
  test('SIGTERM while recording stores the recording', async () => {
    const world = await recording()
    world.stop('terminate')
    expect(await endOf(world)).toEqual({ exitCode: 4, status: 'failed', error_code: 'SIGTERM', hasRecorded: true })
    expect(world.stored).toContain('video.mp4')
    expect(world.events).toContainEqual(expect.objectContaining({ type: 'artifact' }))
  })

  test('SIGTERM after the meeting has ended changes nothing', async () => {
    const world = await recording()
    world.stop('command')
    world.stop('terminate')
    expect(await endOf(world)).toMatchObject({ exitCode: 0, status: 'completed' })
  })

  test('a transcript that fails', async () => {
    const world = await recording(
      (it) => {
        it.finish = async () => ({ files: [grown('audio.m4a')], problem: null })
        it.transcribe = () => Promise.reject(new Error('speech.test answered with status 500'))
      },
      { transcription: {} },
    )
    world.stop('command')
    expect(await endOf(world)).toMatchObject({ exitCode: 4, error_code: 'TRANSCRIPTION_FAILED', hasRecorded: true })
  })

  test('a file that cannot be stored', async () => {
    const world = await recording((it) => {
      it.finish = async () => ({ files: [], problem: new Error('the bucket is gone') })
    })
    world.stop('command')
    expect(await endOf(world)).toMatchObject({ exitCode: 4, error_code: 'INTERNAL_ERROR', hasRecorded: true })
  })
})

test('exit code 70: a defect, and what was recorded is stored', async () => {
  const world = await recording()
  world.throwUncaught(new TypeError('undefined is not a function'))
  expect(await endOf(world)).toEqual({
    exitCode: 70,
    status: 'failed',
    error_code: 'INTERNAL_ERROR',
    hasRecorded: true,
  })
  expect(world.stored).toContain('video.mp4')
})

test('the table has a row for every exit code, and the first one names every normal end', async () => {
  const page = await readFile(new URL('../../../docs/control-link.md', import.meta.url), 'utf8')
  const table = page.slice(page.indexOf('## For a launcher'), page.indexOf('| request '))
  const rows = [...table.matchAll(/^\| (\d+)[^|]*\|.*$/gm)]
  expect(rows.map(([, code]) => Number(code))).toEqual([0, 0, 2, 3, 4, 70, 143, 137])
  for (const code of NORMAL_END_CODES) expect(rows[0]![0]).toContain(code)
})
