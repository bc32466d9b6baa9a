/** Resources that a bot reports, against measures of others. */
import { readFileSync, statSync } from 'node:fs'
import { cpus } from 'node:os'
import type { Status } from '@standin/wire/codes.ts'
import type { BotUsage } from '@standin/wire/usage.ts'
import { expect, test } from 'vitest'
import { measureTree } from '../../bench/shared/process-tree.ts'
import type { BotProcess } from './bot-process.ts'
import { endToEnd } from './capture-environment.ts'
import { passes, startSpeaking, WITHOUT_CAMERAS } from './meeting-script.ts'

const { openMeeting, startBot } = endToEnd()

const lifeOf = ({ phase_seconds: phases }: BotUsage) => Object.values(phases).reduce((sum, one) => sum + one, 0)

/** Seconds between two statuses, by the times of their events. */
function between(bot: BotProcess, from: Status, to: Status): number {
  const at = (wanted: Status) =>
    Date.parse(bot.events.find(({ event }) => event.type === 'status_change' && event.status === wanted)!.at)
  return (at(to) - at(from)) / 1000
}

test('core seconds, memory, bytes and phases of a bot whose browser crashed fit what others measured', async () => {
  const startedAt = performance.now()
  const meeting = openMeeting()
  const bot = startBot(meeting)
  const cost = measureTree(() => [bot.process.pid!])
  await bot.whenStatus('in_call_recording')
  await startSpeaking(meeting, 'ann')
  await passes(6)
  const before = cost()
  const seconds = (performance.now() - startedAt) / 1000
  const [browser] = bot.children('--remote-debugging-pipe')
  process.kill(browser!, 'SIGKILL')
  await bot.whenEvent('recording_gap')
  await passes(3)
  meeting.endForAll()
  const { report } = await bot.ended()
  const elapsed = (performance.now() - startedAt) / 1000
  const usage = report!.usage!

  // The time of the browser that was killed is in it: up to its last reading, some seconds before.
  expect(usage.core_seconds).toBeGreaterThan(before.cores * seconds * 0.5)
  expect(usage.core_seconds).toBeLessThan(elapsed * cpus().length)
  expect(usage.peak_memory_bytes!).toBeGreaterThan(before.megabytes * 1e6 * 0.5)
  expect(usage.peak_memory_bytes!).toBeLessThan(before.megabytes * 1e6 * 2)
  // The meeting's page and its media.
  expect(usage.bytes_received).toBeGreaterThan(100_000)
  expect(usage.bytes_sent).toBeGreaterThan(1_000)
  const stored = report!.artifacts.reduce((sum, { name }) => sum + statSync(bot.file(name)).size, 0)
  expect(usage.bytes_stored).toBe(stored)

  expect(lifeOf(usage)).toBeLessThan(elapsed)
  const { joining, in_call, recording, finishing } = usage.phase_seconds
  expect(joining).toBeCloseTo(between(bot, 'joining_call', 'in_call_not_recording'), 1)
  expect(in_call).toBeCloseTo(between(bot, 'in_call_not_recording', 'in_call_recording'), 1)
  // The report is made just before the last status.
  const toTheEnd = between(bot, 'in_call_recording', 'completed')
  expect(recording + finishing).toBeLessThan(toTheEnd + 0.05)
  expect(recording + finishing).toBeGreaterThan(toTheEnd * 0.9)
  expect(recording).toBeGreaterThan(report!.duration_seconds!)
  expect(readFileSync(bot.file('events.jsonl'), 'utf8')).toContain('"usage":{"core_seconds"')
})

test('a bot that was not let in has used something too', async () => {
  const meeting = openMeeting('waiting-room', WITHOUT_CAMERAS)
  const bot = startBot(meeting, { job: { recording_mode: 'audio_only' } })
  await bot.whenStatus('in_waiting_room')
  await passes(2)
  meeting.deny()
  const { report } = await bot.ended()
  const usage = report!.usage!
  expect(report?.error_code).toBe('BOT_NOT_ACCEPTED')
  expect(usage.phase_seconds.waiting_room).toBeGreaterThan(1.9)
  expect(usage.phase_seconds.recording).toBe(0)
  expect(usage.core_seconds).toBeGreaterThan(0.5)
  expect(usage.peak_memory_bytes).toBeGreaterThan(100_000_000)
  expect(usage.bytes_received).toBeGreaterThan(1_000)
})
