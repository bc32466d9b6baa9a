import { describe, expect, test } from 'vitest'
import { BotError } from '../../../../packages/core/errors.ts'
import { AdmissionJudge } from '../../../../platforms/shared/join/admission.ts'
import { OPEN_GATE } from '../../../../platforms/shared/join/ahead.ts'
import { AnswerTime } from '../../../../platforms/shared/join/answer-time.ts'
import { enter, type JoinSteps, waitForAdmission, waitingForOf } from '../../../../platforms/shared/join/join-steps.ts'
import { NoAnswer } from '../../../../platforms/shared/page-access/no-answer.ts'
import { HandClock } from '../../../fakes/clock.ts'
import { type Kind, looksOf, ScriptedPage, type ScriptedSigns, SENSE } from '../scripted-page.ts'

const HOLDS = { holdAfterLobbyMs: 6000, holdWithoutLobbyMs: 10_000, holdWithRosterMs: 2000 }

type Steps = JoinSteps<ScriptedSigns, Kind>

function entering(work: typeof enter | typeof waitForAdmission, gate = OPEN_GATE, more: Partial<Steps> = {}) {
  const clock = new HandClock()
  const scripted = new ScriptedPage(clock)
  scripted.gate = gate
  const page = scripted.asPage({ ...HOLDS, admissionPollMs: 500 })
  const asked: string[] = []
  const stop = new AbortController()
  const entrance: Steps = {
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
    ...more,
  }
  let outcome: unknown = null
  const run: Promise<unknown> = work(entrance, stop.signal)
  void run
    .catch((error) => error)
    .then((value = 'in') => {
      outcome = value
    })
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

/** The page as it looks for so many seconds; before the last look there is no outcome. */
test.each<[string, typeof enter | typeof waitForAdmission, string, unknown]>([
  ['proof of the meeting has to hold', enter, 'call 9, odd 0.6, call 9, call 2', 'in_meeting'],
  ['what may be the waiting room is taken for it after a while', enter, 'either 19, either 2', 'waiting_room'],
  [
    'an obstacle that passes is none; the time it took is not counted',
    enter,
    'captcha 9, entrance 114, entrance 10',
    { message: 'no decision' },
  ],
  ['an obstacle that stays is a refusal', enter, 'captcha 11', { message: 'captcha' }],
  ['a page between two documents decides nothing', enter, 'nothing 60', null],
  ['the waiting room is waited in for ever, until admission', waitForAdmission, 'lobby 3600, call 7', 'in'],
  ['a refusal ends the waiting', waitForAdmission, 'lobby 5, denied 1', { code: 'BOT_NOT_ACCEPTED' }],
  [
    'a platform that gives up while the bot waits for the host',
    waitForAdmission,
    'lobby 5, gave_up 1',
    { code: 'WAITING_FOR_HOST_TIMEOUT', reason: 'not_started' },
  ],
  [
    'a waiting room that turns into the entrance again was left',
    waitForAdmission,
    'lobby 5, entrance 80',
    { code: 'CANNOT_JOIN_MEETING', step: 'waiting', canRetry: true },
  ],
  [
    'a page that says nothing known is given up, with a word about its language',
    enter,
    'odd 80',
    {
      ...{ code: 'CANNOT_JOIN_MEETING', canRetry: true },
      message: expect.stringMatching(/shows nothing the bot knows \("it shows odd"\)\. It is in Klingon\.$/),
    },
  ],
])('%s', async (_what, work, story, outcome) => {
  const bot = entering(work)
  for (const { kind, seconds } of looksOf(story)) {
    expect(bot.outcome()).toBeNull()
    await bot.shows(kind, seconds * 1000)
  }
  const isError = typeof outcome === 'object' && outcome !== null
  expect(bot.outcome()).toEqual(isError ? expect.objectContaining(outcome) : outcome)
})

const silent = async () => {
  throw new NoAnswer()
}
test.each<[string, typeof enter | typeof waitForAdmission, Kind, Partial<Steps>]>([
  ['a dialog', enter, 'odd', { answerOpenDialog: silent }],
  ['the form', enter, 'entrance', { ask: silent }],
  ['the waiting room', waitForAdmission, 'lobby', { wait: silent }],
])('a step in %s that the page does not answer is no failure', async (_where, work, kind, more) => {
  const bot = entering(work, OPEN_GATE, more)
  await bot.shows(kind, 5000)
  expect(bot.outcome()).toBeNull()
  await bot.shows('call', 11_000)
  expect(bot.outcome()).toMatch(/^in/)
})

test('a stop is obeyed at once', async () => {
  const bot = entering(enter)
  await bot.shows('entrance', 1000)
  bot.stop.abort(new Error('stopped'))
  await bot.shows('entrance', 0)
  expect(bot.outcome()).toMatchObject({ message: 'stopped' })
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
