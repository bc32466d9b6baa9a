/** No odd field of an answer costs its refresh token, wherever tokens are fetched. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { refreshAt } from '../../../control-plane/calendars/providers/responses.ts'
import { createConsent } from '../../../control-plane/connections/sign-in/consent.ts'
import { readTokenAnswer } from '../../../control-plane/connections/token-answer.ts'
import { createZoom } from '../../../control-plane/connections/zoom.ts'
import type { OutgoingRequest } from '../../../control-plane/platform/ports.ts'

const ANSWER = { access_token: 'access', refresh_token: 'refresh', expires_in: 3599, scope: 'a:b c:d' }
const READ = { accessToken: 'access', refreshToken: 'refresh', accessTokenSeconds: 3599, scopes: ['a:b', 'c:d'] }

test.each([
  ['as the standard has it', ANSWER, READ],
  ['the time as text', { ...ANSWER, expires_in: '3599' }, READ],
  ['no time', { ...ANSWER, expires_in: undefined }, { ...READ, accessTokenSeconds: 3600 }],
  ['a time that is none', { ...ANSWER, expires_in: 'soon' }, { ...READ, accessTokenSeconds: 3600 }],
  ['a negative time', { ...ANSWER, expires_in: -1 }, { ...READ, accessTokenSeconds: 3600 }],
  ['a time that never ends', { ...ANSWER, expires_in: 1e300 }, { ...READ, accessTokenSeconds: 31_536_000 }],
  ['an access token that no header can carry', { ...ANSWER, access_token: 'a\nb' }, { ...READ, accessToken: null }],
  ['only an access token', { access_token: 'access', expires_in: 3599 }, { ...READ, refreshToken: null, scopes: null }],
  [
    'a long refresh token',
    { ...ANSWER, refresh_token: 'x'.repeat(40_000) },
    { ...READ, refreshToken: 'x'.repeat(40_000) },
  ],
  ['no token', { expires_in: 3599 }, null],
  ['another JSON', [1], null],
])('%s', (_name, answer, read) => {
  expect(readTokenAnswer(answer)).toEqual(read)
})

const app = { clientId: 'id', clientSecret: 'secret' }
const address = 'https://provider.test/token'
const answering = (body: string) => ({
  request: async ({ maxBytes }: OutgoingRequest) => {
    const bytes = new TextEncoder().encode(body)
    const headers = { 'content-type': 'application/json' }
    return { status: 200, headers, body: bytes.subarray(0, maxBytes), isCut: bytes.length > maxBytes }
  },
})
/** The refresh token that each of them gets from an answer. */
const fetchers: Record<string, (body: string) => Promise<string | null>> = {
  async calendars(body) {
    const credentials = { ...app, refreshToken: 'old', tenantId: '' }
    const at = { provider: 'Google', url: address }
    return (await refreshAt(answering(body), at, credentials, () => expect.unreachable())).refreshToken
  },
  zoom: async (body) => (await createZoom({ client: answering(body), address: null }).refresh(app, 'old')).refreshToken,
  async consent(body) {
    const parameters = () => ({})
    const places = { page: 'https://provider.test/page', exchange: address, secretIn: 'form' as const }
    const consent = createConsent({ ...app, ...places, scopes: [], parameters, client: answering(body) })
    const { attempt } = await consent.begin('https://our.test/back', null)
    const back = new URL(`https://our.test/back?code=1&state=${attempt.state}`)
    // Here an access token is needed, too: the person is still there to begin again.
    return (await consent.finish(back, attempt)).refreshToken
  },
}
/** `JSON.stringify` has no stack for as many levels. */
const withDepth = (answer: object, levels: number) =>
  JSON.stringify(answer).replace(/}$/, `,"deep":${'['.repeat(levels)}${']'.repeat(levels)}}`)

test.each(Object.entries(fetchers))('%s: any other fields, deep or large', async (name, fetched) => {
  const odd = fc.dictionary(fc.constantFrom('access_token', 'expires_in', 'scope', 'id', 'token_type'), fc.jsonValue())
  const token = fc.string({ minLength: 1, unit: 'grapheme-ascii' })
  await fc.assert(
    fc.asyncProperty(
      token,
      odd,
      fc.constantFrom(1, 50, 5000),
      fc.constantFrom(0, 2 ** 20),
      async (token, rest, levels, size) => {
        const needed = name === 'consent' && { access_token: 'access' }
        const answer = { ...rest, ...needed, refresh_token: token, large: 'x'.repeat(size) }
        expect(await fetched(withDepth(answer, levels))).toBe(token)
      },
    ),
    { numRuns: 60 },
  )
})
