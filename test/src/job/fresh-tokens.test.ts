import type { FreshToken } from '@standin/wire/control-link.ts'
import { jobSchema } from '@standin/wire/job.ts'
import { describe, expect, test } from 'vitest'
import { confCredentialsOf } from '../../../packages/core/conf-credentials.ts'
import { redactText } from '../../../packages/core/logger.ts'
import { freshTokensOf, teamsTokenOf, withFreshTokens } from '../../../src/job/fresh-tokens.ts'

const jobOf = (fields: Record<string, unknown>) =>
  jobSchema.parse({
    bot_id: '5b0d4f2e-7c55-4c86-9d2c-0f6a1f0c7f11',
    meeting_url: 'https://zoom.us/j/88240852079',
    conf_sdk_id: 'id',
    conf_sdk_pwd: 'secret',
    ...fields,
  })

type Answer = Partial<FreshToken> | Error

/** A control plane that answers so, one after the other. */
function answering(answers: readonly Answer[]) {
  const plane = {
    asked: 0,
    ask: async (): Promise<FreshToken> => {
      const answer = answers[plane.asked++] ?? new Error('too often')
      if (answer instanceof Error) throw answer
      return { type: 'token', id: 'a', can_retry: false, ...answer }
    },
  }
  return plane
}

function tries(...answers: Answer[]) {
  const job = jobOf({ conf_obf_token: 'first', conf_fresh_tokens: true })
  const plane = answering(answers)
  const conf = withFreshTokens(confCredentialsOf(job), freshTokensOf(job, plane.ask))
  const token = conf?.onBehalfToken
  if (!token || !('next' in token)) throw new Error('There are no fresh tokens')
  return { next: () => token.next(), plane }
}

test('the first try has the token of the job, each further one has a fresh one', async () => {
  const { next, plane } = tries({ token: 'second' }, { token: 'third' })
  expect([await next(), plane.asked]).toEqual(['first', 0])
  expect([await next(), await next()]).toEqual(['second', 'third'])
})

test('a refusal ends the bot with the words of the control plane', async () => {
  const { next } = tries({ code: 'CONF_ACCESS_TOKEN_ERROR', message: 'It was deleted.' })
  await next()
  const refusal = { code: 'CONF_ACCESS_TOKEN_ERROR', message: 'It was deleted.', canRetry: false }
  await expect(next()).rejects.toMatchObject(refusal)
})

test.each<[string, Answer]>([
  ['a provider that is away', { code: 'CONF_OBF_TOKEN_ERROR', message: 'Later.', can_retry: true }],
  ['a link that is down', new Error('the link to the control plane is down')],
])('%s fails one try, and the next one may work', async (_name, answer) => {
  const { next } = tries(answer, { token: 'second' })
  await next()
  await expect(next()).rejects.toMatchObject({ code: 'CONF_OBF_TOKEN_ERROR', canRetry: true })
  expect(await next()).toBe('second')
})

test.each([
  ['without the field', { conf_obf_token: 'first' }],
  ['without a first token', { conf_fresh_tokens: true }],
])('%s no control plane is asked', (_name, fields) => {
  const job = jobOf(fields)
  expect(freshTokensOf(job, async () => Promise.reject(new Error('asked')))).toBeNull()
  expect(withFreshTokens(confCredentialsOf(job), null)).toEqual(confCredentialsOf(job))
})

describe('the token of a bot that is registered at Microsoft Teams', () => {
  const teams = (fields: object, ...answers: Answer[]) => {
    const job = jobOf({ meeting_url: 'https://teams.microsoft.com/meet/2412345678901?p=x', ...fields })
    const notices: string[] = []
    const plane = answering(answers)
    const next = teamsTokenOf(job, plane.ask, (level, message) => void notices.push(`${level}: ${message}`))
    return { next, notices, plane }
  }

  test('is fresh for each try, hidden from the log, and a notice names no token', async () => {
    const { next, notices } = teams({ teams_fresh_tokens: true }, { token: 'marker-one' }, { token: 'marker-two' })
    expect([await next!(), await next!()]).toEqual(['marker-one', 'marker-two'])
    expect(redactText('at marker-one and marker-two')).toBe('at [redacted] and [redacted]')
    expect(notices.join()).toMatch(/info: .* as a registered bot/)
    expect(notices.join()).not.toContain('marker')
  })

  test('of the job alone needs no control plane, and a bot without one has none', async () => {
    expect(await teams({ teams_token: 'fixed' }).next!()).toBe('fixed')
    expect(teams({}).next).toBeNull()
  })

  test.each<[string, Answer[], string | null, RegExp]>([
    ['is asked for again after a passing problem', [{ can_retry: true }, { token: 'a' }], 'a', /info/],
    ['is given up after the second', [new Error('no link'), new Error('it is down')], null, /guest.* it is down/],
    ['is given up at once after a refusal', [{ message: 'Wrong secret.' }], null, /warning: .*guest.* Wrong secret\./],
  ])('%s', async (_name, answers, token, notice) => {
    const { next, notices, plane } = teams({ teams_fresh_tokens: true }, ...answers)
    expect(await next!()).toBe(token)
    expect(plane.asked).toBe(answers.length)
    expect(notices).toEqual([expect.stringMatching(notice)])
  })
})
