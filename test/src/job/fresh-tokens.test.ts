import type { FreshToken } from '@standin/wire/control-link.ts'
import { jobSchema } from '@standin/wire/job.ts'
import { expect, test } from 'vitest'
import { confCredentialsOf } from '../../../core/conf-credentials.ts'
import { freshTokensOf, withFreshTokens } from '../../../src/job/fresh-tokens.ts'

const jobOf = (fields: Record<string, unknown>) =>
  jobSchema.parse({
    bot_id: '5b0d4f2e-7c55-4c86-9d2c-0f6a1f0c7f11',
    meeting_url: 'https://zoom.us/j/88240852079',
    conf_sdk_id: 'id',
    conf_sdk_pwd: 'secret',
    ...fields,
  })

/** The tries of a bot whose control plane answers so, one after the other. */
function tries(...answers: (Partial<FreshToken> | Error)[]) {
  const job = jobOf({ conf_obf_token: 'first', conf_fresh_tokens: true })
  let asked = 0
  const origin = freshTokensOf(job, async () => {
    const answer = answers[asked++]!
    if (answer instanceof Error) throw answer
    return { type: 'token', id: 'a', can_retry: false, ...answer }
  })
  const conf = withFreshTokens(confCredentialsOf(job), origin)
  const token = conf?.onBehalfToken
  if (!token || !('next' in token)) throw new Error('There are no fresh tokens')
  return { next: () => token.next(), asked: () => asked }
}

test('the first try has the token of the job, each further one has a fresh one', async () => {
  const { next, asked } = tries({ token: 'second' }, { token: 'third' })
  expect([await next(), asked()]).toEqual(['first', 0])
  expect([await next(), await next()]).toEqual(['second', 'third'])
})

test('a refusal ends the bot with the words of the control plane', async () => {
  const { next } = tries({ code: 'CONF_ACCESS_TOKEN_ERROR', message: 'It was deleted.' })
  await next()
  await expect(next()).rejects.toMatchObject({
    code: 'CONF_ACCESS_TOKEN_ERROR',
    message: 'It was deleted.',
    canRetry: false,
  })
})

test.each<[string, Partial<FreshToken> | Error]>([
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
