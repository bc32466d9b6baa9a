import { ERROR_CODES, NORMAL_END_CODES } from '@standin/wire/codes.ts'
import { describe, expect, test } from 'vitest'
import { amount, chargesOf, entriesOfEnd } from '../../../control-plane/bots/outcomes.ts'
import { botRow } from './bot-row.ts'

const at = (minute: number) => new Date(Date.UTC(2026, 10, 20, 9, minute))

/** A bot that waited for ten minutes, then recorded half an hour with everything that can be charged. */
const used = {
  waiting_at: at(0),
  joined_at: at(10),
  exited_at: at(40),
  ended_at: at(41),
  duration_seconds: 1800,
  transcribed_seconds: 1800,
  streaming_input_seconds: 360,
  streaming_output_seconds: 1800,
}
/** What its recording and its streams cost. */
const recorded = {
  ...{ recording: 500_000, transcription: 0, byok_transcription: 0 },
  ...{ streaming_input: 10_000, streaming_output: 50_000 },
}
const failed = (error_code: string) => botRow({ ...used, status: 'failed', error_code, end_code: error_code })

describe('normal ends', () => {
  test.each(NORMAL_END_CODES)('%s is charged in full', (end_code) => {
    expect(chargesOf(botRow({ ...used, end_code }))).toEqual({ ...recorded, transcription: 125_000 })
  })

  test('a transcript with the own key of the caller has its own meter', () => {
    const transcription = { provider: 'deepgram' as const }
    const bot = botRow({
      ...used,
      end_code: 'API_REQUEST',
      request: { transcription, sealed: ['transcriptionApiKey'] },
    })
    expect(chargesOf(bot)).toMatchObject({ transcription: 0, byok_transcription: 25_000 })
  })

  test('what was not used costs nothing, and is known to cost nothing', () => {
    const nothing = Object.fromEntries(Object.keys(recorded).map((meter) => [meter, 0]))
    expect(chargesOf(botRow({ end_code: 'NO_ATTENDEES', duration_seconds: null }))).toEqual(nothing)
  })
})

describe('failures', () => {
  test.each(['BOT_NOT_ACCEPTED', 'TIMEOUT_WAITING_TO_START'])('%s costs the time in the waiting room', (code) => {
    const bot = { ...failed(code), joined_at: null, exited_at: at(6) }
    expect(chargesOf(bot)).toMatchObject({ recording: 100_000, transcription: 0, streaming_output: 0 })
  })

  test('RECORDING_START_TIMEOUT costs the time of waiting', () => {
    expect(chargesOf({ ...failed('RECORDING_START_TIMEOUT'), waiting_at: null })).toMatchObject({ recording: 500_000 })
  })

  test('a refusal before any waiting costs nothing', () => {
    const bot = { ...failed('BOT_NOT_ACCEPTED'), waiting_at: null, joined_at: null }
    expect(chargesOf(bot)).toMatchObject({ recording: 0 })
  })

  test('TRANSCRIPTION_FAILED costs recording and streaming, and no transcript', () => {
    expect(chargesOf(failed('TRANSCRIPTION_FAILED'))).toEqual(recorded)
  })

  const charged = ['BOT_NOT_ACCEPTED', 'TIMEOUT_WAITING_TO_START', 'RECORDING_START_TIMEOUT', 'TRANSCRIPTION_FAILED']
  test.each(ERROR_CODES.filter((code) => !charged.includes(code)))('%s is free', (code) => {
    expect(chargesOf(failed(code))).toBeNull()
  })
})

describe('amounts', () => {
  test.each([
    ['recording', 3600, 1_000_000],
    ['recording', 1, 278],
    ['recording', 1799.6, 500_000],
    ['byok_transcription', 60, 833],
    ['recording', 0, 0],
    ['recording', -5, 0],
    ['recording', Number.NaN, 0],
    ['recording', null, 0],
  ] as const)('%s of %s s is %s micro-tokens', (meter, seconds, expected) => {
    expect(amount(meter, seconds)).toBe(expected)
  })
})

test('entries have a source for each bot and meter, so that each can be written once', () => {
  const bot = botRow()
  const charged = { recording: 5, transcription: 0, byok_transcription: 0, streaming_input: 0, streaming_output: 7 }
  expect(
    entriesOfEnd(bot, 500_000, charged).map(({ kind, meter, amount, source }) => [kind, meter, amount, source]),
  ).toEqual([
    ['release', null, 500_000, `release:${bot.id}`],
    ['charge', 'recording', 5, `charge:${bot.id}:recording`],
    ['charge', 'streaming_output', 7, `charge:${bot.id}:streaming_output`],
  ])
  expect(entriesOfEnd(bot, 0, null)).toEqual([])
})
