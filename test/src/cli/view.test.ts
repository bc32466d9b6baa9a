import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import type { FinalReport, NumberedEvent } from '@standin/wire/events.ts'
import { shownBytes } from '@standin/wire/text/shown-bytes.ts'
import type { BotUsage } from '@standin/wire/usage.ts'
import { describe, expect, test } from 'vitest'
import { LiveState } from '../../../src/cli/live-state.ts'
import { shownDuration, shownText } from '../../../src/cli/shown-text.ts'
import { jsonLinesView, lastLines, sentenceFor } from '../../../src/cli/view.ts'
import { temporaryFolder } from '../../fakes/at-end.ts'
import { usageOf } from '../../fakes/usage.ts'

const ann = { id: 1, name: 'Ann', platform_id: 'a' }

describe('text for a terminal', () => {
  test('a name cannot move the cursor, change colors or reverse the line', () => {
    expect(shownText('\u001b[31mRed\u001b[0m\r\n\u202eeman')).toBe('[31mRed [0m eman')
  })

  test('is cut by characters, not in the middle of one', () => {
    expect(shownText('👩‍🚀👩‍🚀👩‍🚀', 3)).toHaveLength([...shownText('👩‍🚀👩‍🚀👩‍🚀', 3)].join('').length)
    expect(shownText('abcdef', 4)).toBe('abc…')
  })

  test('durations and sizes read well', () => {
    expect([shownDuration(0), shownDuration(65), shownDuration(3725)]).toEqual(['00:00', '01:05', '1:02:05'])
    expect([shownBytes(999), shownBytes(1500), shownBytes(2_345_678_901)]).toEqual(['999 B', '1.5 kB', '2.3 GB'])
  })
})

test.each([true, false])('in a container (%s) no address is printed that opens nowhere', (isContainer) => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'report.html'), '')
  expect(lastLines(folder, true, isContainer).join().includes('file://')).toBe(!isContainer)
})

describe('the live line', () => {
  test('says state, time, participants, who speaks and size', () => {
    const state = new LiveState()
    state.onEvent({ type: 'status_change', status: 'in_call_recording' }, 0)
    state.onEvent({ type: 'participant_joined', participant: ann, offset: 0 }, 0)
    state.onEvent(
      { type: 'speaker', participant: ann, is_speaking: true, timestamp: 1, offset: 1, source: 'csrc', confidence: 1 },
      0,
    )
    state.onEvent({ type: 'recording_progress', seconds: 60, bytes: 3_100_000, dropped_frames: 0 }, 60_000)
    expect(state.line(200, 62_000)).toBe('● recording · 01:02 · 1 person · Ann speaking · 3.1 MB')
  })

  test('holds what is being said, its end where that is long, until it is final', () => {
    const words = (text: string) =>
      ({ type: 'transcript', text, is_final: true, speaker: ann, start: 1, end: 2, language: null }) as const
    const state = new LiveState()
    state.onEvent({ type: 'status_change', status: 'in_call_recording' }, 0)
    state.onPartial({ ...words('so the next \u001b[31mthing'), is_final: false }, 1000)
    expect(state.line(200, 1000)).toBe('● recording · 00:01 · Ann: so the next  [31mthing')
    expect(state.line(42, 1000)).toMatch(/^● recording · 00:01 · Ann: ….* \[31mthing$/)
    state.onEvent(words('So the next thing.'), 2000)
    expect(state.line(200, 2000)).toBe('● recording · 00:02')
    expect(sentenceFor(words('So the next thing.'))).toBe('00:01 Ann: So the next thing.')
  })

  test('the time does not advance in a pause', () => {
    const state = new LiveState()
    state.onEvent({ type: 'status_change', status: 'in_call_recording' }, 0)
    state.onEvent({ type: 'status_change', status: 'recording_paused' }, 10_000)
    expect(state.line(200, 99_000)).toContain('00:10')
  })
})

test('failures are shown with their code', () => {
  const failed = {
    type: 'status_change',
    status: 'failed',
    error_code: 'LOGIN_REQUIRED',
    error_message: 'Sign in',
  } as const
  expect(sentenceFor(failed)).toBe('✗ LOGIN_REQUIRED: Sign in')
})

test('the end says what the bot used', () => {
  const report = (usage: BotUsage) => ({ type: 'final_report', usage }) as FinalReport
  const used = usageOf(
    { core_seconds: 132.25, bytes_received: 48_000_000, bytes_sent: 1500, bytes_stored: 9_900_000 },
    { joining: 5, recording: 300 },
  )
  expect(sentenceFor(report(used))).toBe(
    '  used 132.3 core seconds in 05:05, up to 600.0 MB of memory, 48.0 MB received, 1.5 kB sent, 9.9 MB stored',
  )
  // The memory could never be read.
  expect(sentenceFor(report({ ...used, peak_memory_bytes: null }))).toContain('05:05, 48.0 MB received')
})

test('without a terminal each event is one line of JSON', () => {
  const output = new PassThrough()
  const beside = new PassThrough()
  const view = jsonLinesView(output, beside)
  const event: NumberedEvent = {
    type: 'event',
    seq: 1,
    bot_id: '5b0d4f2e-7c55-4c86-9d2c-0f6a1f0c7f11',
    at: '2026-11-21T09:00:00.000Z',
    event: { type: 'notice', level: 'info', message: 'two\nlines, and\u2028a separator\u2029' },
  }
  view.onEvent(event)
  view.note('The recording is in /somewhere')
  const text = String(output.read())
  expect(text.trimEnd().split(/[\n\u2028\u2029]/)).toHaveLength(1)
  expect(JSON.parse(text)).toEqual(event)
  expect(String(beside.read())).toContain('/somewhere')
})
