import { describe, expect, test } from 'vitest'
import { BotError } from '../../../../core/errors.ts'
import { AdmissionJudge } from '../../../../platforms/shared/join/admission.ts'
import { OPEN_GATE } from '../../../../platforms/shared/join/ahead.ts'
import { AnswerTime } from '../../../../platforms/shared/join/answer-time.ts'
import { enter, type JoinSteps, waitForAdmission, waitingForOf } from '../../../../platforms/shared/join/join-steps.ts'
import { HandClock } from '../../../fakes/clock.ts'
import { type Kind, ScriptedPage, type ScriptedSigns, SENSE } from '../scripted-page.ts'

const HOLDS = { holdAfterLobbyMs: 6000, holdWithoutLobbyMs: 10_000, holdWithRosterMs: 2000 }

function entering(work: typeof enter | typeof waitForAdmission, gate = OPEN_GATE) {
  const clock = new HandClock()
  const scripted = new ScriptedPage(clock)
  scripted.gate = gate
  const page = scripted.asPage({ ...HOLDS, admissionPollMs: 500 })
  const asked: string[] = []
  const stop = new AbortController()
  const entrance: JoinSteps<ScriptedSigns, Kind> = {
    page,
    classifier: SENSE,
    judge: new AdmissionJudge(HOLDS),
    answers: new AnswerTime(),
    answerOpenDialog: async () => null,
    note: () => {},
    onPoll: () => {},
    open: async () => void asked.push('open'),
    ask: async () => void asked.push(page.gate.isOpen ? 'ask' : 'fill in'),
    hasAsked: () => asked.includes('ask'),
    timeOut: () => new BotError('CANNOT_JOIN_MEETING', 'no decision'),
    pageNote: () => ' It is in Klingon.',
  }
  let outcome: unknown = null
  ;(work as (given: typeof entrance, signal: AbortSignal) => Promise<unknown>)(entrance, stop.signal).then(
    (value) => {
      outcome = value ?? 'in'
    },
    (error) => {
      outcome = error
    },
  )
  return {
    scripted,
    asked,
    stop,
    outcome: () => outcome,
    async shows(kind: Kind | null, ms: number) {
      scripted.shows = kind
      await clock.advance(ms)
    },
  }
}

test('the entrance is asked at every look, and the waiting room ends the joining', async () => {
  const bot = entering(enter)
  await bot.shows('odd', 1000)
  expect(bot.asked).toEqual(['open'])
  await bot.shows('entrance', 1000)
  expect(bot.asked).toContain('ask')
  await bot.shows('lobby', 1000)
  expect(bot.outcome()).toBe('waiting_room')
})

test('proof of the meeting has to hold', async () => {
  const bot = entering(enter)
  await bot.shows('call', 9000)
  await bot.shows('odd', 600)
  await bot.shows('call', 9000)
  expect(bot.outcome()).toBeNull()
  await bot.shows('call', 2000)
  expect(bot.outcome()).toBe('in_meeting')
})

test('what may as well be the waiting room is taken for it after a while', async () => {
  const bot = entering(enter)
  await bot.shows('either', 19_000)
  expect(bot.outcome()).toBeNull()
  await bot.shows('either', 2000)
  expect(bot.outcome()).toBe('waiting_room')
})

test('an obstacle that passes is none; the time it took is not counted', async () => {
  const bot = entering(enter)
  await bot.shows('captcha', 9000)
  await bot.shows('entrance', 114_000)
  expect(bot.outcome()).toBeNull()
  await bot.shows('entrance', 10_000)
  expect(bot.outcome()).toMatchObject({ message: 'no decision' })
})

test('an obstacle that stays is a refusal', async () => {
  const bot = entering(enter)
  await bot.shows('captcha', 11_000)
  expect(bot.outcome()).toMatchObject({ message: 'captcha' })
})

test('a page that says nothing known is given up, with a word about its language', async () => {
  const bot = entering(enter)
  await bot.shows('odd', 80_000)
  expect(bot.outcome()).toMatchObject({
    code: 'CANNOT_JOIN_MEETING',
    canRetry: true,
    message: expect.stringMatching(/shows nothing the bot knows \("it shows odd"\)\. It is in Klingon\.$/),
  })
})

test('a page between two documents decides nothing', async () => {
  const bot = entering(enter)
  await bot.shows(null, 60_000)
  expect(bot.outcome()).toBeNull()
})

test('a stop is obeyed at once', async () => {
  const bot = entering(enter)
  await bot.shows('entrance', 1000)
  bot.stop.abort(new Error('stopped'))
  await bot.shows('entrance', 0)
  expect(bot.outcome()).toMatchObject({ message: 'stopped' })
})

test('the waiting room is waited in for ever, and left by admission or refusal only', async () => {
  const bot = entering(waitForAdmission)
  await bot.shows('lobby', 3_600_000)
  expect(bot.outcome()).toBeNull()
  await bot.shows('call', 7000)
  expect(bot.outcome()).toBe('in')

  const denied = entering(waitForAdmission)
  await denied.shows('lobby', 5000)
  await denied.shows('denied', 1000)
  expect(denied.outcome()).toMatchObject({ code: 'BOT_NOT_ACCEPTED' })
})

test('a waiting room that turns into the entrance again was left', async () => {
  const bot = entering(waitForAdmission)
  await bot.shows('lobby', 5000)
  await bot.shows('entrance', 80_000)
  expect(bot.outcome()).toMatchObject({ code: 'CANNOT_JOIN_MEETING', step: 'waiting', canRetry: true })
})

test('what is waited for is known in a waiting room only', () => {
  const state = (kind: Kind) => ({ kind, text: '', proofs: [] })
  expect(waitingForOf(SENSE, state('lobby'))).toBe('host')
  expect(waitingForOf({ ...SENSE, waitsFor: {} }, state('lobby'))).toBe('admission')
  expect(waitingForOf(SENSE, state('call'))).toBeNull()
})

describe('before the bot may ask', () => {
  function gated() {
    const { promise, resolve } = Promise.withResolvers<void>()
    const gate = { isOpen: false, opened: promise }
    const open = () => {
      gate.isOpen = true
      resolve()
    }
    return { open, bot: entering(enter, gate) }
  }

  test('the entrance is filled in, and asked at once when the time comes', async () => {
    const { bot, open } = gated()
    // Longer than the whole time for a page to come to a decision.
    await bot.shows('entrance', 200_000)
    expect(new Set(bot.asked)).toEqual(new Set(['open', 'fill in']))
    expect(bot.outcome()).toBeNull()
    open()
    await bot.shows('entrance', 0)
    expect(bot.asked.at(-1)).toBe('ask')
    expect(bot.asked.filter((step) => step === 'open')).toHaveLength(1)
    await bot.shows('lobby', 1000)
    expect(bot.outcome()).toBe('waiting_room')
  })

  test('a page that refuses is no refusal yet: it is opened again when the time comes', async () => {
    const { bot, open } = gated()
    await bot.shows('denied', 20_000)
    expect([bot.asked, bot.outcome()]).toEqual([['open'], null])
    open()
    await bot.shows('entrance', 600)
    expect(bot.asked).toEqual(['open', 'open', 'ask', 'ask'])
  })

  test('a page that still refuses then is believed', async () => {
    const { bot, open } = gated()
    await bot.shows('denied', 20_000)
    open()
    await bot.shows('denied', 1000)
    expect(bot.outcome()).toMatchObject({ code: 'BOT_NOT_ACCEPTED' })
  })

  test('a stop is obeyed at once', async () => {
    const { bot } = gated()
    await bot.shows('entrance', 1000)
    bot.stop.abort(new Error('stopped'))
    await bot.shows('entrance', 500)
    expect(bot.outcome()).toMatchObject({ message: 'stopped' })
    expect(bot.asked).not.toContain('ask')
  })
})
