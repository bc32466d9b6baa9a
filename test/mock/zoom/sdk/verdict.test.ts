import { expect, test } from 'vitest'
import { MOCK_APP } from '../../../../mock/zoom/sdk/credentials.ts'
import { sdkError } from '../../../../mock/zoom/sdk/errors.ts'
import { Ledger } from '../../../../mock/zoom/sdk/ledger.ts'
import { SDK_SCENARIOS } from '../../../../mock/zoom/sdk/scenarios.ts'
import { SDK_DEFAULTS, type SdkSettings } from '../../../../mock/zoom/sdk/settings.ts'
import { type JoinRequest, verdictOn } from '../../../../mock/zoom/sdk/verdict.ts'
import { makeSignature } from '../../../../platforms/zoom/meeting-sdk/signature.ts'

const NOW = Date.UTC(2026, 10, 21, 12)
const NUMBER = '88240852079'
const PASSCODE = { human: '123456', inLink: 'QWxhZGRpbg.1' }

function verdict(
  request: Partial<JoinRequest>,
  settings: Partial<SdkSettings> = {},
  { ledger = new Ledger(() => NOW), present = ['ann', 'bob'], earlierJoins = 0 } = {},
) {
  const signature = makeSignature({ sdkId: MOCK_APP.id, sdkSecret: MOCK_APP.secret, meetingNumber: NUMBER, now: NOW })
  const whole = { meetingNumber: NUMBER, userName: 'Bot', passWord: PASSCODE.inLink, signature, ...request }
  const meeting = { settings: { ...SDK_DEFAULTS, ...settings }, passcode: PASSCODE, present, earlierJoins }
  return verdictOn(whole, meeting, ledger, NOW)
}

test('the own account needs the signature only', () => {
  expect(verdict({})).toEqual({ code: 0, authorizer: null })
  expect(verdict({ passWord: PASSCODE.human })).toMatchObject({ code: 0 })
  expect(verdict({ passWord: '' })).toEqual({ code: 3004 })
  expect(verdict({ signature: 'a.b.c' })).toEqual({ code: 3712 })
})

test('a meeting of another account requires a token, and refuses an unpublished app with any token', () => {
  expect(verdict({}, { account: 'foreign' })).toEqual({ code: 4012 })
  const ledger = new Ledger(() => NOW)
  const zak = ledger.issue('zak', 'ann')
  expect(verdict({ zak }, { account: 'foreign' }, { ledger })).toMatchObject({ code: 0 })
  expect(verdict({ zak }, { account: 'unpublished' }, { ledger })).toEqual({ code: 4011 })
  expect(verdict({ zak: 'zak.unknown' }, {}, { ledger })).toEqual({ code: 3623 })
})

test('an on-behalf-of token serves one join, for its meeting, in its time, with its user inside', () => {
  const ledger = new Ledger(() => NOW)
  const foreign = { account: 'foreign' } as const
  const obfToken = ledger.issue('obf', 'ann')
  expect(verdict({ obfToken }, foreign, { ledger })).toEqual({ code: 0, authorizer: 'ann' })
  expect(verdict({ obfToken }, foreign, { ledger })).toEqual({ code: 4014 })
  const absent = { ledger, present: ['bob'] }
  expect(verdict({ obfToken: ledger.issue('obf', 'ann') }, foreign, absent)).toEqual({ code: 4017 })
  const other = ledger.issue('obf', 'ann', { meetingNumber: '123456789' })
  expect(verdict({ obfToken: other }, foreign, { ledger })).toEqual({ code: 4015 })
  const expired = ledger.issue('obf', 'ann', { lifeMs: -1 })
  expect(verdict({ obfToken: expired }, foreign, { ledger })).toEqual({ code: 4014 })
})

test('meetings for accounts or registrants admit a bot with the right token', () => {
  const ledger = new Ledger(() => NOW)
  expect(verdict({}, { needsAccount: true })).toEqual({ code: 3100 })
  expect(verdict({ zak: ledger.issue('zak', 'ann') }, { needsAccount: true }, { ledger })).toMatchObject({ code: 0 })
  expect(verdict({}, { needsRegistration: true })).toEqual({ code: 3099 })
  expect(verdict({ tk: 'personal' }, { needsRegistration: true })).toMatchObject({ code: 0 })
})

test('a temporary error ends after its number of joins', () => {
  const settings = { error: 3008, errorTimes: 2 }
  expect(verdict({}, settings, { earlierJoins: 1 })).toEqual({ code: 3008 })
  expect(verdict({}, settings, { earlierJoins: 2 })).toMatchObject({ code: 0 })
})

test('every error of a scenario has a text and a way in which the SDK reports it', () => {
  const errors = Object.values(SDK_SCENARIOS).flatMap(({ sdk }) => sdk?.error ?? [])
  expect(errors.length).toBeGreaterThan(10)
  for (const code of errors) expect(sdkError(code).phase).toMatch(/^(?:web|gateway)$/)
})
