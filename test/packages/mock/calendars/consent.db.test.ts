/** The pages of consent of both calendar stand-ins are as strict as those of the providers. */
import {
  type MockGoogleCalendar,
  type MockMicrosoftCalendar,
  StandInClock,
  startMockGoogleCalendar,
  startMockMicrosoftCalendar,
} from '@standin/mock/calendars/index.ts'
import { challengeOf } from '@standin/mock/shared/consent.ts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { consentAt } from '../../../control-plane/api/dashboard/consent-world.ts'

const REDIRECT = 'http://127.0.0.1:8080/back?a=1'
const VERIFIER = 'v'.repeat(43)
const GOOGLE = 'https://www.googleapis.com/auth/'
const SCOPES = {
  google: `${GOOGLE}calendar.events.readonly ${GOOGLE}calendar.calendarlist.readonly`,
  microsoft: 'Calendars.Read offline_access',
}

type Changes = Readonly<Record<string, string | undefined>>

describe.each(['google', 'microsoft'] as const)('%s', (provider) => {
  let standIn: MockGoogleCalendar | MockMicrosoftCalendar
  let clock: StandInClock
  beforeEach(async () => {
    clock = new StandInClock()
    standIn = await (provider === 'google' ? startMockGoogleCalendar : startMockMicrosoftCalendar)({ clock })
    standIn.addAccount({ email: 'ann@example.com' })
    standIn.tokens.redirectUris.push(REDIRECT)
  })
  afterEach(() => standIn.close())

  const [page, exchange] = [
    () => ('consentUrl' in standIn ? standIn.consentUrl : `${standIn.loginUrl}/common/oauth2/v2.0/authorize`),
    () => ('tokenUrl' in standIn ? standIn.tokenUrl : `${standIn.loginUrl}/common/oauth2/v2.0/token`),
  ]
  const address = (change: Changes = {}) => {
    const query = {
      response_type: 'code',
      client_id: 'standin-client',
      redirect_uri: REDIRECT,
      scope: SCOPES[provider],
      state: 's 1',
      code_challenge: challengeOf(VERIFIER),
      code_challenge_method: 'S256',
      access_type: 'offline',
      prompt: 'consent',
      ...change,
    }
    return `${page()}?${new URLSearchParams(query as Record<string, string>)}`
  }
  const codeAt = async (at = address(), unticks?: string) =>
    (await consentAt(at, unticks === undefined ? {} : { unticks })).searchParams.get('code')!
  async function redeem(code: string, change: Changes = {}) {
    const form = {
      grant_type: 'authorization_code',
      client_id: 'standin-client',
      client_secret: 'standin-secret',
      redirect_uri: REDIRECT,
      code_verifier: VERIFIER,
      code,
      ...change,
    }
    const response = await fetch(exchange(), {
      method: 'POST',
      body: new URLSearchParams(form as Record<string, string>),
    })
    return { status: response.status, body: (await response.json()) as Record<string, string> }
  }

  test('is an error page for an address or a client that is not registered', async () => {
    for (const change of [
      { redirect_uri: 'https://evil.example/' },
      { redirect_uri: `${REDIRECT}2` },
      { client_id: 'x' },
    ])
      for (const method of ['GET', 'POST'])
        expect((await fetch(address(change), { method, redirect: 'manual' })).status).toBe(400)
  })

  test.each([
    ['no challenge', { code_challenge: '' }, 'invalid_request'],
    ['a plain challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['an unknown scope', { scope: 'everything' }, 'invalid_scope'],
    ['another kind of answer', { response_type: 'token' }, 'unsupported_response_type'],
  ])('sends back with an error for %s', async (_what, change, error) => {
    const response = await fetch(address(change), { redirect: 'manual' })
    expect(new URL(response.headers.get('location')!).searchParams.get('error')).toBe(error)
  })

  test('exchanges a code for its own client, address and verifier only, within ten minutes', async () => {
    const code = await codeAt()
    for (const change of [
      { client_secret: 'x' },
      { client_id: 'x' },
      { redirect_uri: 'http://127.0.0.1:8080/back' },
      { code_verifier: 'w'.repeat(43) },
      { code_verifier: '' },
      { grant_type: 'password' },
    ])
      expect((await redeem(code, change)).status).toBeGreaterThanOrEqual(400)
    expect((await redeem(code)).status).toBe(200)
    const late = await codeAt()
    clock.advance(10 * 60_000 + 1000)
    expect(await redeem(late)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  })

  test('there is no refresh token without offline access', async () => {
    const { body } =
      provider === 'google'
        ? await redeem(await codeAt(address({ prompt: 'select_account' })))
        : await redeem(await codeAt(address(), 'offline_access'))
    expect(body.access_token).toMatch(/^access\./)
    expect(body).not.toHaveProperty('refresh_token')
    expect(standIn.tokens.liveToken(standIn.accounts[0]!)).toBeNull()
  })
})
