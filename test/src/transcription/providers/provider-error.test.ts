import { expect, test } from 'vitest'
import { ProviderError, refusedWith, tried } from '../../../../src/transcription/providers/provider-error.ts'

const inHttpDate = (seconds: number) => new Date(Date.now() + seconds * 1000).toUTCString()

test.each<[string, number, string, string | null, boolean, boolean, number | null]>([
  // what, status, body, retry-after, asked again, for all pieces, seconds of the pause
  ['overload', 429, 'slow down', null, true, false, null],
  ['a pause in seconds', 429, 'slow down', '432', true, false, 432],
  ['a pause as a date', 503, 'later', inHttpDate(100), true, false, 100],
  ['a pause that is over', 503, 'later', inHttpDate(-100), true, false, null],
  ['a pause that is no time', 429, 'later', 'soon', true, false, null],
  ['a pause of hours', 429, 'later', '7200', false, true, 7200],
  ['a pause of hours as a date', 429, 'later', inHttpDate(7200), false, true, 7200],
  ['OpenAI’s quota', 429, '{"error":{"code":"insufficient_quota"}}', null, false, true, null],
  ['OpenAI’s quota, with a pause', 429, '{"error":{"type":"insufficient_quota"}}', '20', false, true, 20],
  ['OpenAI’s limit', 429, '{"code":"billing_hard_limit_reached"}', null, false, true, null],
  ['Deepgram’s credits', 402, '{"err_code":"ASR_PAYMENT_REQUIRED"}', null, false, true, null],
  ['AssemblyAI’s balance', 400, 'Your current account balance is negative. Please top up', null, false, true, null],
  ['Google’s quota', 429, 'You exceeded your current quota, please check your plan', null, false, true, null],
  ['a quota of a month', 429, '{"detail":{"code":"quota_exceeded"}}', null, false, true, null],
  ['the same with a pause', 429, '{"detail":{"code":"quota_exceeded"}}', '3', true, false, 3],
  ['an empty balance in French', 429, 'Crédit insuffisant, veuillez recharger', null, false, true, null],
  ['a limit of spending', 429, 'Spending limit reached', null, false, true, null],
  ['a closed account', 429, '{"error":{"code":"account_deactivated"}}', null, false, true, null],
  ['a limit of a rate', 429, 'Rate limit reached: quota of 3 requests per min exceeded', null, true, false, null],
  ['a quota per minute', 429, 'Quota exceeded for requests per minute', '3', true, false, 3],
  ['a pause with its unit', 429, 'later', '30s', true, false, 30],
  ['a pause that a proxy repeats', 503, 'later', '120, 120', true, false, 120],
  ['a trial that is over', 429, 'Your trial has ended', null, false, true, null],
  ['free minutes', 429, 'Your free minutes are used up', null, false, true, null],
  ['a wrong key', 401, 'no', null, false, true, null],
  ['a bad sound', 400, 'could not decode', null, false, false, null],
])('%s', (_what, status, text, retryAfter, isTransient, isForAll, pause) => {
  const error = refusedWith({ status, text, retryAfter }, 'api.example', null)
  expect(error).toMatchObject({ isTransient, isForAll })
  if (pause === null) expect(error.retryAfterMs).toBeNull()
  else expect(error.retryAfterMs! / 1000).toBeCloseTo(pause, -1)
  if (pause === 7200) expect(error.message).toMatch(/not before \d{4}-/)
})

test('the pause that a service wants is waited for, as long as there is time', async () => {
  const busy = (retryAfterMs: number) => new ProviderError('busy', { isTransient: true, retryAfterMs })
  const began = Date.now()
  let tries = 0
  const work = async () => {
    if (++tries === 1) throw busy(300)
    return Date.now() - began
  }
  expect(await tried(work, { signal: new AbortController().signal, retryMs: 1 })).toBeGreaterThanOrEqual(299)
  const late = tried(() => Promise.reject(busy(432_000)), { signal: AbortSignal.timeout(30), retryMs: 1 })
  await expect(late).rejects.toThrow('busy')
  const stopped = tried(() => Promise.reject(busy(432_000)), { signal: stop(30), retryMs: 1 })
  await expect(stopped).rejects.toThrow('enough')
})

function stop(afterMs: number): AbortSignal {
  const controller = new AbortController()
  setTimeout(() => controller.abort(new Error('enough')), afterMs)
  return controller.signal
}
