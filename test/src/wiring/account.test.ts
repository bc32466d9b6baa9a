import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { StorageState } from '@standin/wire/account-session.ts'
import type { LeasedAccount } from '@standin/wire/control-link.ts'
import { expect, test } from 'vitest'
import { type AccountParts, openAccount } from '../../../src/wiring/account.ts'
import { temporaryFolder } from '../../fakes/at-end.ts'

const SIGNAL = new AbortController().signal
const cookie = (value: string, domain = '.google.com') => ({
  ...{ name: 'SID', value, domain, path: '/', expires: -1, httpOnly: true, secure: true },
  sameSite: 'Lax' as const,
})
const state = (value: string): StorageState => ({ cookies: [cookie(value)], origins: [] })
const leased = (number: number): LeasedAccount => ({
  ...{ type: 'account', id: 'x' },
  account: { account_id: `id-${number}`, label: `A${number}`, version: 1, session: state(`session-of-${number}`) },
})
const down = async () => Promise.reject(new Error('the link is down'))

function accountOf(job: Partial<AccountParts['job']>, parts: Partial<AccountParts> = {}) {
  const reports: object[] = []
  const secrets: object[] = []
  const answers = [leased(1), leased(2), { type: 'account' as const, id: 'x', message: 'None is free.' }]
  let version = 1
  const account = openAccount({
    job: { account: 'never', browser_state: null, keeps_browser_state: false, ...job },
    platform: 'meet',
    stored: { load: async () => null },
    control: {
      whenWelcomed: async () => {},
      askForAccount: async () => answers.shift()!,
      async reportAccount(report) {
        reports.push(report)
        return { type: 'account_report', id: 'x', version: ++version }
      },
    },
    // Only the pause between two tries ends: no limit is reached, however slow the machine is.
    clock: { now: () => 0, sleep: async (ms) => (ms <= 2_000 ? undefined : new Promise(() => {})) },
    logger: { info() {}, warn() {}, error() {}, debug() {} } as never,
    keepSecret: (values) => secrets.push(values),
    ...parts,
  })
  return { account, reports, secrets }
}

test('a bot without an account is a guest, and stays one', async () => {
  const { account } = accountOf({})
  expect(await account.load(SIGNAL)).toBeNull()
  expect(account.onLoginRequired('Sign in')).toBe(false)
  expect(await account.load(SIGNAL)).toBeNull()
})

test('if required: a guest first, then an account, then another one once that is signed out', async () => {
  const { account, reports, secrets } = accountOf({ account: 'if_required' })
  expect(await account.load(SIGNAL)).toBeNull()
  expect(account.onLoginRequired('Guests are refused')).toBe(true)
  expect(await account.load(SIGNAL)).toEqual({ kind: 'storage_state', state: state('session-of-1') })
  expect(await account.load(SIGNAL), 'a rejoin').toMatchObject({ state: state('session-of-1') })
  expect(account.onLoginRequired('Sign in')).toBe(true)
  expect(await account.load(SIGNAL)).toMatchObject({ state: state('session-of-2') })
  expect(reports).toEqual([{ account_id: 'id-1', version: 1, state: 'signed_out', reason: 'Sign in' }])
  expect(secrets).toContainEqual({ session_token_0: 'session-of-1' })
  account.onLoginRequired('Sign in')
  await expect(account.load(SIGNAL)).rejects.toMatchObject({
    ...{ code: 'LOGIN_REQUIRED', reason: 'no_account_free', canRetry: false, message: 'None is free.' },
  })
})

test('the refreshed session goes back with its version, without cookies of other hosts, and only if it changed', async () => {
  const { account, reports } = accountOf({ account: 'always' })
  await account.load(SIGNAL)
  await account.onRefreshed([cookie('session-of-1')])
  await account.onRefreshed([cookie('fresh-session-1'), cookie('tracker-value-1', '.ads.example')])
  await account.onRefreshed([cookie('fresh-session-2')])
  const common = { account_id: 'id-1', state: 'ok' }
  expect(reports).toEqual([
    { ...common, version: 1 },
    { ...common, version: 1, session: state('fresh-session-1') },
    { ...common, version: 3, session: state('fresh-session-2') },
  ])
  expect(await account.load(SIGNAL), 'a rejoin').toMatchObject({ state: state('fresh-session-2') })
})

test('after a sign-out no session goes back, and a link that is down is tried again', async () => {
  const reports: object[] = []
  let failures = 2
  const { account } = accountOf(
    { account: 'always' },
    {
      control: {
        whenWelcomed: async () => {},
        askForAccount: async () => leased(1),
        async reportAccount(report) {
          if (failures-- > 0) return down()
          reports.push(report)
          return { type: 'account_report', id: 'x' }
        },
      },
    },
  )
  await account.load(SIGNAL)
  account.onLoginRequired('Sign in')
  await account.onRefreshed([cookie('after-the-end')])
  await expect.poll(() => reports).toMatchObject([{ state: 'signed_out' }])
})

test('a control plane that cannot be asked is an error that may pass', async () => {
  const control = { whenWelcomed: async () => {}, askForAccount: down, reportAccount: down }
  const { account } = accountOf({ account: 'always' }, { control })
  await expect(account.load(SIGNAL)).rejects.toMatchObject({ code: 'LOGIN_REQUIRED', canRetry: true })
})

test('a file is written only if the job says so', async () => {
  const file = join(temporaryFolder(), 'state.json')
  const stored = { load: async () => ({ kind: 'storage_state' as const, state: state('from-the-file') }) }
  await writeFile(file, 'as it was')
  const read = accountOf({ browser_state: file }, { stored })
  await read.account.load(SIGNAL)
  await read.account.onRefreshed([cookie('fresh-session')])
  expect(await readFile(file, 'utf8')).toBe('as it was')
  const kept = accountOf({ browser_state: file, keeps_browser_state: true }, { stored })
  await kept.account.load(SIGNAL)
  await kept.account.onRefreshed([cookie('fresh-session')])
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(state('fresh-session'))
  expect(kept.reports).toEqual([])
})
