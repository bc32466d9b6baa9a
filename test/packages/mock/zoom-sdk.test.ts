/** The stub of the Meeting SDK refuses a bot that asks wrongly: one that takes everything would hide it. */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { MOCK_APP } from '../../../packages/mock/zoom/sdk/credentials.ts'
import { Ledger } from '../../../packages/mock/zoom/sdk/ledger.ts'
import { OTHER_NAMES, PLAYED_NAMES } from '../../../packages/mock/zoom/sdk/page/names.ts'
import { joinProblem } from '../../../packages/mock/zoom/sdk/page/validate.ts'
import { SDK_DEFAULTS, type SdkSettings } from '../../../packages/mock/zoom/sdk/settings.ts'
import { verdictOn } from '../../../packages/mock/zoom/sdk/verdict.ts'
import { sdkFolder } from '../../../platforms/zoom/meeting-sdk/page-server.ts'
import { makeSignature } from '../../../platforms/zoom/meeting-sdk/signature.ts'

test('every function of the package is one of the stub, and the other way round', () => {
  const typings = readFileSync(join(dirname(sdkFolder()), 'index.d.ts'), 'utf8')
  const client = typings.slice(typings.indexOf('export namespace ZoomMtg {'))
  const declared = new Set([...client.matchAll(/^ {2}function (\w+)\(/gm)].map(([, name]) => name))
  // Removed from the package; only its typings still have it.
  declared.delete('generateSDKSignature')
  expect([...declared].sort()).toEqual([...OTHER_NAMES, ...PLAYED_NAMES].sort())
})

test.each<[what: string, given: Record<string, unknown>, code: number | null]>([
  ['what it has to have', {}, null],
  ['a parameter that it does not know', { password: 'x' }, 3],
  ['too long a number', { meetingNumber: '1234567890123' }, 4003],
  ['a name of 129 bytes', { userName: `${'é'.repeat(64)}x` }, 4003],
  ['too long a passcode', { passWord: 'x'.repeat(33) }, 4003],
  ['a name with a script', { userName: '<script>' }, 4003],
  ['both tokens', { obfToken: 'o', zak: 'z' }, 3636],
])('join with %s', (_what, given, code) => {
  const good = { meetingNumber: '88240852079', userName: 'Bot', passWord: '', signature: 's' }
  expect(joinProblem({ ...good, ...given })?.errorCode ?? null).toBe(code)
})

test('signature, passcode and tokens are judged as Zoom judges them', () => {
  const now = Date.UTC(2026, 10, 21, 12)
  const meetingNumber = '88240852079'
  const passcode = { human: '123456', inLink: 'QWxhZGRpbg.1' }
  const ledger = new Ledger(() => now)
  const signature = makeSignature({ sdkId: MOCK_APP.id, sdkSecret: MOCK_APP.secret, meetingNumber, now })
  const codeOf = (request: object, account: SdkSettings['account'] = 'own', present = ['ann']) => {
    const whole = { meetingNumber, userName: 'Bot', passWord: passcode.inLink, signature, ...request }
    const settings = { ...SDK_DEFAULTS, account }
    return verdictOn(whole, { settings, passcode, present, earlierJoins: 0 }, ledger, now).code
  }
  const used = ledger.issue('obf', 'ann')
  expect([codeOf({}), codeOf({ passWord: '' }), codeOf({ signature: 'a.b.c' })]).toEqual([0, 3004, 3712])
  expect([codeOf({}, 'foreign'), codeOf({ zak: 'zak.unknown' })]).toEqual([4012, 3623])
  expect(codeOf({ zak: ledger.issue('zak', 'ann') }, 'unpublished')).toBe(4011)
  // One join, for its meeting, in its time, with its user inside.
  expect([codeOf({ obfToken: used }, 'foreign'), codeOf({ obfToken: used }, 'foreign')]).toEqual([0, 4014])
  expect(codeOf({ obfToken: ledger.issue('obf', 'ann') }, 'foreign', ['bob'])).toBe(4017)
  expect(codeOf({ obfToken: ledger.issue('obf', 'ann', { meetingNumber: '123456789' }) }, 'foreign')).toBe(4015)
  expect(codeOf({ obfToken: ledger.issue('obf', 'ann', { lifeMs: -1 }) }, 'foreign')).toBe(4014)
})
