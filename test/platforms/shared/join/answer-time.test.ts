import { AT_ONCE_MS, type Reason } from '@standin/wire/reasons.ts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BotError } from '../../../../packages/core/errors.ts'
import { AnswerTime } from '../../../../platforms/shared/join/answer-time.ts'

const refusal = (reason: Reason | undefined) =>
  new BotError('BOT_NOT_ACCEPTED', 'no', { reason, step: 'waiting', canRetry: true })
const SOME = { min: 0, max: 20_000 }

describe('who refused', () => {
  test('with any delays of bot and page, a person is named only for decisions of people, and the platform for those of machines', () => {
    const truth = fc.record({
      /** From the start of the press until the request was sent. */
      sendMs: fc.integer({ min: 0, max: 4000 }),
      /** From the request until the answer: people need two seconds or more, machines less. */
      answerMs: fc.integer(SOME),
      /** Times at which the bot looks, each late by the page's own delay. */
      looks: fc.array(fc.tuple(fc.integer({ min: 1, max: 3000 }), fc.integer({ min: 0, max: 3000 })), {
        minLength: 30,
        maxLength: 40,
      }),
    })
    fc.assert(
      fc.property(truth, ({ sendMs, answerMs, looks }) => {
        const answers = new AnswerTime()
        answers.asked(0, sendMs)
        const answeredAt = sendMs + answerMs
        let now = sendMs
        for (const [pauseMs, delayMs] of looks) {
          const lookedAt = now + pauseMs
          now = lookedAt + delayMs
          // The page is read at some time between; the answer is not there before its time.
          if (lookedAt < answeredAt) answers.noAnswer(lookedAt, false)
          else {
            const { reason } = answers.judge(refusal('denied_by_person'), now)
            if (reason === 'denied_by_person') expect(answerMs).toBeGreaterThanOrEqual(AT_ONCE_MS)
            if (reason === 'denied_by_platform') expect(answerMs).toBeLessThanOrEqual(AT_ONCE_MS)
            return
          }
        }
      }),
    )
  })

  test.each<[string, Reason | undefined, number, Reason | undefined]>([
    ['at once', 'denied_by_person', 1500, 'denied_by_platform'],
    ['after three seconds', 'denied_by_person', 3000, 'denied_by_person'],
    ['at once, by a page that does not say by whom', 'denied_by_platform', 1500, 'denied_by_platform'],
    ['later, by such a page', 'denied_by_platform', 3000, undefined],
    ['at once, in unknown words', 'page_unknown', 1500, 'denied_by_platform'],
    ['later, in unknown words', 'page_unknown', 3000, 'page_unknown'],
    ['at once, with the reason on the page', 'captcha', 100, 'captcha'],
    ['without any reason', undefined, 100, undefined],
  ])('%s', (_what, seen, ms, reason) => {
    const answers = new AnswerTime()
    answers.asked(1000, 1000)
    answers.noAnswer(1000 + ms - 100, false)
    const judged = answers.judge(refusal(seen), 1000 + ms)
    expect(judged).toMatchObject({ reason, code: 'BOT_NOT_ACCEPTED', step: 'waiting', canRetry: true })
  })

  test('a look that was too late to tell leaves the reason open', () => {
    const answers = new AnswerTime()
    answers.asked(0, 0)
    answers.noAnswer(1500, false)
    expect(answers.judge(refusal('denied_by_person'), 2500).reason).toBeUndefined()
  })

  test('before the bot asked, no person was asked, and the page decides', () => {
    for (const reason of ['denied_by_platform', 'denied_by_person', 'page_unknown'] as const)
      expect(new AnswerTime().judge(refusal(reason), 5000).reason).toBe(reason)
  })

  test('while those who decide do not have the request, its time does not run', () => {
    const answers = new AnswerTime()
    answers.asked(0, 100)
    answers.noAnswer(30_000, true)
    answers.noAnswer(31_000, false)
    answers.noAnswer(32_000, false)
    expect(answers.judge(refusal('denied_by_person'), 32_500).reason).toBeUndefined()
    answers.noAnswer(33_500, false)
    expect(answers.judge(refusal('denied_by_person'), 34_000).reason).toBe('denied_by_person')
  })
})

/** The platform ends the waiting after 30 minutes, and may deny suspects after five. */
test.each<[string, number, Reason, Reason | undefined, string]>([
  ['was ended by the platform', 1805, 'page_unknown', 'waiting_ended_by_platform', 'TIMEOUT_WAITING_TO_START'],
  ['was ended by nobody knows whom', 1200, 'page_unknown', 'page_unknown', 'BOT_NOT_ACCEPTED'],
  ['may have been denied by the platform', 301, 'denied_by_person', undefined, 'BOT_NOT_ACCEPTED'],
  ['may still have been denied by it', 400, 'denied_by_person', undefined, 'BOT_NOT_ACCEPTED'],
  ['was denied by a person', 200, 'denied_by_person', 'denied_by_person', 'BOT_NOT_ACCEPTED'],
])('the waiting %s after %i s', (_what, seconds, seen, reason, code) => {
  const answers = new AnswerTime()
  const ms = seconds * 1000
  answers.asked(0, 0)
  answers.noAnswer(ms - 200, false)
  const judged = answers.judge(refusal(seen), ms, { longestWaitMs: 1_800_000, deniesAfterMs: 300_000 })
  expect([judged.reason, judged.code]).toEqual([reason, code])
})
